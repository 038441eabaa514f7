"""Physical properties of message sets: their names, kinds of values, and how texts in them are read.

Names are those of `.mset` and `.mxsd` files where such files have them; the same names are used in our YAML. Tables:

    SET_PROPERTIES        of a physical format of a message set
    FIELD_PROPERTIES      of an element or attribute
    GROUP_PROPERTIES      of a complex type or group

The value of a table is the kind of the property: TEXT, NUMBER, FLAG, MARKUP (text with mnemonics such as `<CR><LF>`),
PAD (a padding character), or the words to choose from; case does not matter in words.

Mnemonics (MF 4.4): control characters by their names, `<SP>`, `<LT>`, `<GT>`, `<U+hhhh>` a character by its number,
`<0xhh>` and `<0xhhhh...>` bytes, and the names of the markup of EDIFACT, X12 and HL7. EDIFACT, X12 and HL7 data may
replace that markup by service segments (UNA, ISA, MSH): that is not followed, the defaults apply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from flintmq.broker.formats.message_set import FormatKind, Properties, definition_error
from flintmq.broker.formats.model.schema import Delimiter

TEXT: Final = "text"
NUMBER: Final = "number"
FLAG: Final = "flag"
MARKUP: Final = "markup"
PAD: Final = "padding character"

Holds: TypeAlias = str | tuple[str, ...]

NULLS: Final = ("NULLPadFill", "NULLLogicalValue", "NULLLiteralValue", "NULLLiteralFill")
XML_NULLS: Final = ("NULLEmpty", "NULLValue", "NULLXMLSchema", "NULLValueAttribute", "NULLAttribute", "NULLElement")
PHYSICAL_TYPES: Final = (
    "text",
    "fixedLengthString",
    "lengthEncodedString1",
    "lengthEncodedString2",
    "nullTerminatedString",
    "integer",
    "packedDecimal",
    "bcd",
    "externalDecimal",
    "float",
    "boolean",
    "binary",
    "lengthEncodedBinary1",
    "lengthEncodedBinary2",
    "timeSeconds",
    "timeMilliseconds",
)
SEPARATIONS: Final = (
    "TaggedDelimited",
    "TaggedFixedLength",
    "TaggedEncodedLength",
    "AllElementsDelimited",
    "VariableLengthElementsDelimited",
    "FixedLength",
    "FixedLengthAL3",
    "UseDataPattern",
    "Undefined",
)
ORIENTATIONS: Final = (
    "leading",
    "trailing",
    "leadingSeparate",
    "trailingSeparate",
    "leadingOverpunched",
    "trailingOverpunched",
)
RENDERS: Final = ("XMLElement", "XMLAttribute", "XMLElementAttrID", "XMLElementAttrVal", "XMLElementAttrIDVal")
STANDARDS: Final = (
    "Unknown",
    "UserDefinedText",
    "UserDefinedMixed",
    "SWIFT",
    "AL3",
    "EDIFACT",
    "X12",
    "HL7",
    "TLOG",
    "CSV",
)
MISSING: Final = ("error", "default", "null", "absent")

_CALENDAR: Final[dict[str, Holds]] = {
    "centuryWindow": NUMBER,
    "timeZoneID": TEXT,
    "allowLenientDateTimes": FLAG,
    "firstDayOfWeek": ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "UseBrokerLocale"),
    "daysInFirstWeekOfTheYear": TEXT,
    "defaultDateTimeFormat": TEXT,
}
_NUMBERS: Final[dict[str, Holds]] = {
    "physicalType": PHYSICAL_TYPES,
    "length": NUMBER,
    "lengthUnits": ("bytes", "characters", "characterUnits"),
    "lengthReference": TEXT,
    "inclusiveLengthReference": FLAG,
    "repeatReference": TEXT,
    "justification": ("left", "right", "leftJustify", "rightJustify", "notApplicable"),
    "paddingCharacter": PAD,
    "signed": FLAG,
    "signOrientation": ORIENTATIONS,
    "signEBCDICCustom": FLAG,
    "virtualDecimalPoint": NUMBER,
    "encodingNull": NULLS,
    "encodingNullValue": TEXT,
    "dateTimeFormat": TEXT,
    "byteOrder": ("bigEndian", "littleEndian", "message"),
    "floatFormat": ("ieee", "s390", "message"),
    "charset": TEXT,
    "truncate": FLAG,
    "endsAtNul": FLAG,
}

SET_PROPERTIES: Final[dict[FormatKind, dict[str, Holds]]] = {
    FormatKind.CWF: _CALENDAR
    | {
        "booleanTrueValue": TEXT,
        "booleanFalseValue": TEXT,
        "booleanNullValue": TEXT,
        "byteAlignmentPad": PAD,
        "packedDecimalPositiveCode": ("C", "F"),
        "strictNumericChecking": FLAG,
        "defaultCCSID": TEXT,
        "ignoreTrailingBytes": FLAG,
    },
    FormatKind.TDS: _CALENDAR
    | {
        "messagingStandard": STANDARDS,
        "groupIndicator": MARKUP,
        "groupTerminator": MARKUP,
        "delimiter": MARKUP,
        "tagDataSeparator": MARKUP,
        "tagLength": NUMBER,
        "suppressAbsentElementDelimiters": ("EndOfType", "Never"),
        "decimalPoint": MARKUP,
        "escapeCharacter": MARKUP,
        "quoteCharacter": MARKUP,
        "reservedChars": MARKUP,
        "defaultCCSID": TEXT,
        "booleanTrueRepresentation": TEXT,
        "booleanFalseRepresentation": TEXT,
        "booleanNullRepresentation": TEXT,
        "booleanTrueValue": TEXT,
        "booleanFalseValue": TEXT,
        "booleanNullValue": TEXT,
        "trimFixLengthString": ("NoTrim", "TrimLeading", "TrimTrailing", "TrimBoth"),
        "deriveDefaultLengthFromLogicalType": FLAG,
        "deriveDefaultSignFromLogicalType": FLAG,
        "inputCompressionTechnique": TEXT,
        "outputCompressionTechnique": TEXT,
        "strictNumericChecking": FLAG,
        "packedDecimalPositiveCode": ("C", "F"),
        "missingElements": MISSING,
    },
    FormatKind.XML: _CALENDAR
    | {
        "suppressXMLDeclaration": FLAG,
        "xmlVersion": TEXT,
        "xmlEncoding": ("Null", "AsDocumentText"),
        "standaloneDocument": ("Null", "Yes", "No"),
        "suppressDOCTYPE": FLAG,
        "doctypeSystemID": TEXT,
        "doctypePublicID": TEXT,
        "doctypeText": TEXT,
        "rootTagName": TEXT,
        "booleanTrueValue": TEXT,
        "booleanFalseValue": TEXT,
        "encodingNullNum": XML_NULLS,
        "encodingNullNumVal": TEXT,
        "encodingNullNonNum": XML_NULLS,
        "encodingNullNonNumVal": TEXT,
    },
}

FIELD_PROPERTIES: Final[dict[FormatKind, dict[str, Holds]]] = {
    FormatKind.CWF: _NUMBERS
    | {
        "byteAlignment": NUMBER,
        "skipCountLeading": NUMBER,
        "skipCountTrailing": NUMBER,
    },
    FormatKind.TDS: _NUMBERS
    | {
        "tag": MARKUP,
        "dataPattern": TEXT,
        "repeatingElementDelimiter": MARKUP,
        "precision": NUMBER,
        "positiveSign": TEXT,
        "observeElementLength": FLAG,
        "interpretElementValue": TEXT,
    },
    FormatKind.XML: {
        "render": RENDERS,
        "xmlName": TEXT,
        "namespace": TEXT,
        "idAttributeName": TEXT,
        "idAttributeValue": TEXT,
        "valueAttributeName": TEXT,
        "dateTimeFormat": TEXT,
        "encoding": ("CDatahex", "hex", "base64"),
    },
}

GROUP_PROPERTIES: Final[dict[FormatKind, dict[str, Holds]]] = {
    FormatKind.CWF: {
        "length": NUMBER,
        "byteAlignment": NUMBER,
        "skipCountLeading": NUMBER,
        "skipCountTrailing": NUMBER,
    },
    FormatKind.TDS: {
        "dataElementSeparation": SEPARATIONS,
        "groupIndicator": MARKUP,
        "groupTerminator": MARKUP,
        "delimiter": MARKUP,
        "tagDataSeparator": MARKUP,
        "tagLength": NUMBER,
        "lengthOfEncodedLength": NUMBER,
        "extraCharsInEncodedLength": NUMBER,
        "suppressAbsentElementDelimiters": ("EndOfType", "Never"),
        "observeElementLength": FLAG,
        "dataPattern": TEXT,
    },
    FormatKind.XML: {},
}

#: Control characters by name.
_CONTROLS: Final[dict[str, str]] = {
    name: chr(number)
    for number, name in enumerate(
        "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS "
        "RS US SP".split()
    )
} | {"NULL": "\0", "LT": "<", "GT": ">", "SPACE": " ", "TAB": "\t", "NL": "\n"}
#: Markup of messaging standards, with the values that apply unless the data says otherwise.
_STANDARD_MARKUP: Final[dict[str, str]] = {
    "EDIFACT_CS": ":",
    "EDIFACT_DS": "+",
    "EDIFACT_DEC_NOTATION": ".",
    "EDIFACT_ESC_CHAR": "?",
    "EDIFACT_GROUP_TERM": "'",
    "EDIFACT_TAGDATA_SEP": "+",
    "HL7_CS": "^",
    "HL7_FS": "|",
    "HL7_RS": "~",
    "HL7_SCS": "&",
    "X12_CS": ":",
    "X12_DS": "*",
    "X12_ERS": "{",
    "X12_GROUP_TERM": "!",
}
_MNEMONIC: Final = re.compile(r"<([A-Za-z][A-Za-z0-9_]*|U\+[0-9A-Fa-f]{1,6}|0[xX](?:[0-9A-Fa-f]{2})+)>")

#: What a messaging standard sets unless the message set says otherwise (MF 4.4 and the tables of the documentation).
STANDARD_DEFAULTS: Final[dict[str, dict[str, str]]] = {
    "unknown": {},
    "userdefinedtext": {},
    "userdefinedmixed": {},
    "swift": {
        "groupIndicator": "<CR><LF>:",
        "groupTerminator": "<CR><LF>-",
        "delimiter": "<CR><LF>:",
        "tagDataSeparator": ":",
        "defaultCCSID": "37",
        "trimFixLengthString": "TrimBoth",
        "decimalPoint": ",",
        "strictNumericChecking": "true",
        "centuryWindow": "80",
    },
    "al3": {
        "strictNumericChecking": "true",
        "booleanTrueRepresentation": "Y",
        "booleanFalseRepresentation": "N",
        "booleanNullRepresentation": "N",
    },
    "edifact": {
        "groupTerminator": "<EDIFACT_GROUP_TERM>",
        "delimiter": "<EDIFACT_CS>",
        "tagDataSeparator": "<EDIFACT_TAGDATA_SEP>",
        "decimalPoint": "<EDIFACT_DEC_NOTATION>",
        "escapeCharacter": "<EDIFACT_ESC_CHAR>",
        "reservedChars": "<EDIFACT_ESC_CHAR><EDIFACT_TAGDATA_SEP><EDIFACT_GROUP_TERM><EDIFACT_CS>",
        "strictNumericChecking": "true",
    },
    "x12": {"groupTerminator": "<X12_GROUP_TERM>", "delimiter": "<X12_CS>"},
    "hl7": {
        "groupTerminator": "<CR>",
        "delimiter": "<HL7_FS>",
        "tagDataSeparator": "<HL7_FS>",
        "defaultDateTimeFormat": "yyyyMMddHHmmss",
    },
    "tlog": {},
    "csv": {"delimiter": ",", "quoteCharacter": '"'},
}
_STANDARD_NAMES: Final[dict[str, str]] = {"acordal3": "al3", "acord_al3": "al3", "acord al3": "al3", "": "unknown"}


def standard_defaults(name: str) -> Mapping[str, str] | None:
    """Return the settings of a messaging standard; None if it is not known."""
    key = name.strip().lower()
    return STANDARD_DEFAULTS.get(_STANDARD_NAMES.get(key, key))


def word_of(properties: Mapping[str, str], key: str, default: str) -> str:
    """Return a property that is a word, in lower case."""
    return properties.get(key, default).strip().lower() or default.lower()


def markup(text: str, place: str) -> Delimiter | None:
    """Return a delimiter from a text with mnemonics; None if it is empty. Raises a ParserException."""
    parts: list[str | bytes] = []
    at = 0
    for found in _MNEMONIC.finditer(text):
        if found.start() > at:
            parts.append(text[at : found.start()])
        parts.append(_mnemonic(found.group(1), text, place))
        at = found.end()
    if at < len(text):
        parts.append(text[at:])
    joined: list[str | bytes] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        elif isinstance(part, bytes) and isinstance(last, bytes):
            joined[-1] = last + part
        elif part:
            joined.append(part)
    return Delimiter(tuple(joined)) if joined else None


def _mnemonic(name: str, text: str, place: str) -> str | bytes:
    upper = name.upper()
    if upper in _CONTROLS:
        return _CONTROLS[upper]
    if upper in _STANDARD_MARKUP:
        return _STANDARD_MARKUP[upper]
    if upper.startswith("U+"):
        number = int(upper[2:], 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise definition_error(f"{place}: <{name}> of '{text}' is not a character")
        return chr(number)
    if upper.startswith("0X"):
        return bytes.fromhex(upper[2:])
    raise definition_error(f"{place}: <{name}> of '{text}' is not a mnemonic known here")


def plain_markup(text: str, place: str) -> str:
    """Return the characters of a text with mnemonics that stand for characters. Raises a ParserException."""
    delimiter = markup(text, place)
    if delimiter is None:
        return ""
    result = ""
    for part in delimiter.parts:
        if not isinstance(part, str):
            raise definition_error(f"{place}: '{text}' has bytes where only characters are possible")
        result += part
    return result


def padding(text: str, default: str | bytes, place: str) -> str | bytes:
    """Return a padding character: `SPACE`, `NUL`, a character also in quotation marks, `0xhh`, `U+hhhh` or a mnemonic.

    A byte stays a byte whatever the character set; a character is encoded. Raises a ParserException.
    """
    if not text:
        return default
    word = text.strip().upper()
    if len(text) == 3 and text[0] == text[2] and text[0] in "'\"":
        return text[1]
    if len(text) == 1:
        return text
    if word in ("SPACE", "SPACES", ""):
        return " "
    if word in ("NUL", "NULL", "LOW-VALUES", "LOW_VALUES"):
        return b"\0"
    if re.fullmatch("0X[0-9A-F]{2}", word):
        return bytes.fromhex(word[2:])
    if re.fullmatch("U\\+[0-9A-F]{1,6}", word):
        word = f"<{word}>"
    delimiter = markup(word, place)
    if delimiter is not None and len(delimiter.parts) == 1 and len(delimiter.parts[0]) == 1:
        part = delimiter.parts[0]
        assert isinstance(part, (str, bytes))
        return part
    raise definition_error(f"{place}: '{text[:40]}' is not one padding character")


def problem_of(properties: Properties, allowed: Mapping[str, Holds]) -> str:
    """Return the mistake in properties: an unknown name, or a value that is no word of its list. '' = none."""
    for name, value in properties.items():
        holds = allowed.get(name)
        if holds is None:
            return f"there is no property {name}; known: {', '.join(sorted(allowed))}"
        if isinstance(holds, tuple) and value and value.strip().lower() not in [word.lower() for word in holds]:
            return f"{name} is '{value[:40]}', not one of {', '.join(holds)}"
    return ""
