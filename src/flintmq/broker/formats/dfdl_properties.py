"""DFDL properties: from the attributes of an annotated schema to the objects of the physical model.

`Properties` has those that apply to one component: its own properties, those of the formats it refers to, those of its
types, and last the default format of its document. A property that is needed and nowhere defined is a DefinitionError
with file and line: DFDL has no built-in defaults. A property or value that is valid DFDL and not in the subset is a
notice; the schema still loads, and the message cannot be used.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, TypeVar, cast

from flintmq.broker.formats.model import literals
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.expression import Literal as LiteralNode
from flintmq.broker.formats.model.expression import Unsupported, compile_expression, text_of
from flintmq.broker.formats.model.schema import (
    Alignment,
    BinaryNumber,
    Boolean,
    ByteOrder,
    Calendar,
    CharacterClass,
    Delimiter,
    Delimiters,
    EscapeKind,
    EscapeScheme,
    Expression,
    FloatFormat,
    Justification,
    Length,
    LengthKind,
    LengthUnits,
    Logical,
    Markup,
    Nil,
    NilKind,
    Number,
    Representation,
    Text,
    TextNumber,
    ZonedSign,
)

DFDL = "http://www.ogf.org/dfdl/dfdl-1.0/"
XS = "http://www.w3.org/2001/XMLSchema"

#: All properties of DFDL 1.0 that may stand on a component or in a format.
KNOWN = frozenset(
    """alignment alignmentUnits binaryBooleanFalseRep binaryBooleanTrueRep binaryCalendarEpoch binaryCalendarRep
    binaryDecimalVirtualPoint binaryFloatRep binaryNumberCheckPolicy binaryNumberRep binaryPackedSignCodes bitOrder
    byteOrder calendarCenturyStart calendarCheckPolicy calendarDaysInFirstWeek calendarFirstDayOfWeek calendarLanguage
    calendarObserveDST calendarPattern calendarPatternKind calendarTimeZone choiceBranchKey choiceDispatchKey
    choiceLength choiceLengthKind decimalSigned documentFinalSeparatorCanBeMissing documentFinalTerminatorCanBeMissing
    emptyElementParsePolicy emptyValueDelimiterPolicy encoding encodingErrorPolicy escapeSchemeRef fillByte floating
    hiddenGroupRef ignoreCase initiatedContent initiator inputValueCalc leadingSkip length lengthKind lengthPattern
    lengthUnits nilKind nilValue nilValueDelimiterPolicy numericInfinityRep numericNaNRep occursCount occursCountKind
    occursStopValue outputNewLine outputValueCalc prefixIncludesPrefixLength prefixLengthType ref representation
    separator separatorPolicy separatorPosition separatorSuppressionPolicy sequenceKind terminator textBidi
    textBidiNumeralShapes textBidiOrientation textBidiOrdering textBidiSymmetric textBidiTextShaped
    textBooleanFalseRep textBooleanJustification textBooleanPadCharacter textBooleanTrueRep textCalendarJustification
    textCalendarPadCharacter textNumberCheckPolicy textNumberJustification textNumberPadCharacter textNumberPattern
    textNumberRep textNumberRounding textNumberRoundingIncrement textNumberRoundingMode textOutputMinLength textPadKind
    textStandardBase textStandardDecimalSeparator textStandardExponentCharacter textStandardExponentRep
    textStandardGroupingSeparator textStandardInfinityRep textStandardNaNRep textStandardZeroRep textStringJustification
    textStringPadCharacter textTrimKind textZonedSignStyle trailingSkip truncateSpecifiedLengthString useNilForDefault
    utf16Width newVariableInstance setVariable""".split()
)
_ROUNDING = {
    "roundCeiling": "ROUND_CEILING",
    "roundFloor": "ROUND_FLOOR",
    "roundDown": "ROUND_DOWN",
    "roundUp": "ROUND_UP",
    "roundHalfEven": "ROUND_HALF_EVEN",
    "roundHalfDown": "ROUND_HALF_DOWN",
    "roundHalfUp": "ROUND_HALF_UP",
    "roundUnnecessary": "",
}
_CALENDAR_PATTERNS = {
    Logical.DATE: "yyyy-MM-dd",
    Logical.TIME: "HH:mm:ssZ",
    Logical.DATE_TIME: "yyyy-MM-dd'T'HH:mm:ss",
}
_INTEGER_TYPES = frozenset(
    (
        Logical.BYTE,
        Logical.SHORT,
        Logical.INT,
        Logical.LONG,
        Logical.UNSIGNED_BYTE,
        Logical.UNSIGNED_SHORT,
        Logical.UNSIGNED_INT,
        Logical.UNSIGNED_LONG,
        Logical.INTEGER,
        Logical.NON_NEGATIVE_INTEGER,
    )
)
_NUMBER_TYPES = _INTEGER_TYPES | {Logical.DECIMAL, Logical.FLOAT, Logical.DOUBLE}
_E = TypeVar("_E", Representation, LengthKind, LengthUnits, Justification, TextNumber, NilKind, ZonedSign)
Policy = Literal["none", "initiator", "terminator", "both"]


class DefinitionError(ValueError):
    """The schema is not valid DFDL. The text starts with file and line."""


class Properties:
    """The properties of one component."""

    def __init__(self, place: str, namespaces: dict[str, str], notices: list[str]) -> None:
        self.place = place
        #: Prefixes that expressions and names of this component may use.
        self.namespaces = namespaces
        self.notices = notices
        #: Properties of the component, its formats and types, then those of default formats.
        self.own: dict[str, tuple[str, dict[str, str]]] = {}
        self.defaults: dict[str, tuple[str, dict[str, str]]] = {}
        #: Names of properties that were asked for.
        self.used: set[str] = set()

    def error(self, text: str) -> DefinitionError:
        """Return an error at this component."""
        return DefinitionError(f"{self.place}: {text}")

    def notice(self, text: str) -> None:
        """Say that something is not supported."""
        found = f"{self.place}: {text} is not supported"
        if found not in self.notices:
            self.notices.append(found)

    def get(self, name: str) -> str | None:
        """Return the text of a property; None if it is not defined."""
        self.used.add(name)
        found = self.own.get(name)
        if found is None:
            found = self.defaults.get(name)
        return None if found is None else found[0]

    def scope_of(self, name: str) -> dict[str, str]:
        """Return the prefixes at the place where a property is defined."""
        found = self.own.get(name)
        if found is None:
            found = self.defaults.get(name)
        # IBM's formats use prefixes that only the documents declare that refer to the format.
        return self.namespaces if found is None else self.namespaces | found[1]

    def need(self, name: str) -> str:
        """Return the text of a property. Raises DefinitionError if it is not defined."""
        found = self.get(name)
        if found is None:
            raise self.error(f"the property dfdl:{name} is not defined")
        return found

    def either(self, name: str, *values: str) -> str:
        """Return a property that has one of some values."""
        found = self.need(name)
        if found not in values:
            raise self.error(f"dfdl:{name}='{found}' is not one of {', '.join(values)}")
        return found

    def yes(self, name: str, default: bool | None = None) -> bool:
        """Return a property that is yes or no."""
        found = self.get(name)
        if found is None and default is not None:
            return default
        return self.either(name, "yes", "no") == "yes"

    def number(self, name: str, default: int | None = None, least: int | None = 0) -> int:
        """Return a property that is an integer."""
        found = self.get(name)
        if found is None and default is not None:
            return default
        text = self.need(name).strip()
        digits = text[1:] if text[:1] == "-" else text
        if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
            raise self.error(f"dfdl:{name}='{text}' is not an integer")
        if least is not None and int(text) < least:
            raise self.error(f"dfdl:{name}='{text}' is less than {least}")
        return int(text)

    def enumerated(self, name: str, kind: type[_E]) -> _E:
        """Return a property with the values of an enumeration of the model."""
        found = self.need(name)
        try:
            return kind(found)
        except ValueError:
            raise self.error(
                f"dfdl:{name}='{found}' is not one of {', '.join(member.value for member in kind)}"
            ) from None

    def expression(self, name: str) -> Expression | str:
        """Return a property that may be an expression: the expression, or its text. Constants count as text."""
        text = self.need(name)
        stripped = text.strip()
        if not stripped.startswith("{"):
            return text
        if stripped.startswith("{{"):
            # Two braces are one that is data.
            return stripped[1:]
        return self.compiled(stripped, name, self.scope_of(name))

    def compiled(self, text: str, name: str, scope: dict[str, str]) -> Expression | str:
        """Return an expression, checked; the text of its value if it is a literal."""
        namespaces = tuple(sorted(scope.items()))
        try:
            node = compile_expression(text, namespaces)
        except Unsupported as error:
            self.notice(str(error))
        except ValueError as error:
            raise self.error(f"dfdl:{name}: {error}") from None
        else:
            if isinstance(node, LiteralNode):
                return text_of(node.value)
        return Expression(text, namespaces, self.place)

    def delimiters(self, name: str, needed: bool = True) -> Delimiters:
        """Return a property that is a list of string literals, or an expression."""
        if not needed and self.get(name) is None:
            return ()
        found = self.expression(name)
        if isinstance(found, Expression):
            return found
        try:
            made = literals.delimiters(found)
        except ValueError as error:
            raise self.error(f"dfdl:{name}: {error}") from None
        return made

    def literal(self, name: str) -> str | Expression:
        """Return a property that is one string literal, or an expression."""
        found = self.expression(name)
        if isinstance(found, Expression):
            return found
        try:
            return literals.text(found)
        except ValueError as error:
            raise self.error(f"dfdl:{name}: {error}") from None

    def character(self, name: str) -> str | bytes:
        """Return a property that is one character, or one byte."""
        text = self.need(name)
        if text.isspace():
            raise self.error(f"dfdl:{name} is white space; %SP; stands for a space")
        try:
            found = literals.text_or_byte(text)
        except ValueError as error:
            raise self.error(f"dfdl:{name}: {error}") from None
        if len(found) != 1:
            raise self.error(f"dfdl:{name}='{text}' is not one character")
        return found

    def policy(self, name: str) -> Policy:
        """Return a property that says which delimiters an empty or nil value has."""
        return cast(Policy, self.either(name, "none", "initiator", "terminator", "both"))

    # Parts of the model.

    def encoding(self) -> str | Expression:
        """Return the character set."""
        text = self.need("encoding").strip()
        if text.startswith("{"):
            if text.strip("{} ") in ("$dfdl:encoding",):
                return ""
            found = self.expression("encoding")
            if isinstance(found, Expression):
                return found
            text = found
        upper = text.upper()
        if upper.startswith("X-DFDL"):
            self.notice(f"dfdl:encoding='{text}'")
            return "iso-8859-1"
        try:
            charset_of(text)
        except ValueError as error:
            raise self.error(f"dfdl:encoding: {error}") from None
        return text

    def markup(self, simple: bool, nillable: bool) -> Markup:
        """Return initiator and terminator of an element or group."""
        initiator = self.delimiters("initiator")
        terminator = self.delimiters("terminator")
        markup = Markup(initiator, terminator)
        if not initiator and not terminator:
            return markup
        self.check_delimiters("initiator", initiator, False)
        self.check_delimiters("terminator", terminator, self.get("lengthKind") == "delimited" and simple)
        markup = replace(
            markup,
            ignore_case=self.yes("ignoreCase"),
            final_terminator_may_be_missing=self.yes("documentFinalTerminatorCanBeMissing", False),
        )
        if simple:
            markup = replace(markup, empty_policy=self.policy("emptyValueDelimiterPolicy"))
        if nillable:
            markup = replace(markup, nil_policy=self.policy("nilValueDelimiterPolicy"))
        return markup

    def check_delimiters(self, name: str, delimiters: Delimiters, scanned: bool) -> None:
        """Check that delimiters are not the empty string, nor may be one if data is scanned for them."""
        if isinstance(delimiters, Expression):
            return
        for one in delimiters:
            if CharacterClass.EMPTY in one.parts and name != "initiator":
                raise self.error(f"dfdl:{name} has %ES;")
            if scanned and all(part is CharacterClass.WHITE_SPACE_ANY for part in one.parts):
                raise self.error(f"dfdl:{name} is %WSP*; on its own, which ends no field")

    def alignment(self, simple: bool) -> Alignment:
        """Return alignment, skips and the fill byte."""
        units = {"bits": LengthUnits.BITS, "bytes": LengthUnits.BYTES}[self.either("alignmentUnits", "bits", "bytes")]
        text = self.need("alignment").strip()
        if text == "implicit":
            alignment = 0
        else:
            alignment = self.number("alignment", least=1)
        if (
            simple
            and units is LengthUnits.BITS
            and alignment > 1
            and alignment % 8
            and self.get("representation") == "text"
        ):
            raise self.error(f"text with an alignment of {alignment} bits")
        fill: str | bytes = b"\0"
        if self.get("fillByte") is not None:
            fill = self.character("fillByte")
        return Alignment(alignment, self.number("leadingSkip", 0), self.number("trailingSkip", 0), units, False, fill)

    def length(self) -> Length:
        """Return the length of an element, without the prefix of prefixed lengths."""
        kind = self.enumerated("lengthKind", LengthKind)
        units = LengthUnits.BYTES
        if kind in (LengthKind.EXPLICIT, LengthKind.PREFIXED, LengthKind.IMPLICIT):
            text = self.get("lengthUnits")
            if text is None and kind is not LengthKind.IMPLICIT:
                raise self.error("the property dfdl:lengthUnits is not defined")
            if text is not None:
                units = self.enumerated("lengthUnits", LengthUnits)
        if kind is LengthKind.EXPLICIT:
            found = self.expression("length")
            if isinstance(found, Expression):
                return Length(kind, found, units)
            digits = found.strip()
            if not digits.isascii() or not digits.isdigit() or len(digits) > 12:
                raise self.error(f"dfdl:length='{digits}' is not a length")
            return Length(kind, int(digits), units)
        if kind is LengthKind.PATTERN:
            return Length(kind, 0, LengthUnits.CHARACTERS, self.need("lengthPattern"))
        return Length(kind, 0, units)

    def new_line(self) -> str | Expression:
        """Return the output for %NL;."""
        text = self.get("outputNewLine")
        if text is None or text.strip("{} ") == "$dfdl:outputNewLine":
            return "\n"
        found = self.literal("outputNewLine")
        if isinstance(found, str) and found not in ("\n", "\r", "\r\n", "\x85", "\u2028"):
            raise self.error(f"dfdl:outputNewLine='{text}' is not a new line")
        return found

    def group_text(self) -> Text:
        """Return the character set of a group."""
        encoding = self.encoding() if self.get("encoding") is not None else ""
        return Text(encoding=encoding, output_new_line=self.new_line())

    def text(self, logical: Logical, is_text: bool, scheme: EscapeScheme | None) -> Text:
        """Return character set, padding and escapes of a field."""
        encoding: str | Expression = ""
        if is_text or self.get("encoding") is not None:
            encoding = self.encoding()
        replace_errors = self.get("encodingErrorPolicy") != "error"
        base = Text(encoding=encoding, output_new_line=self.new_line(), replace_errors=replace_errors)
        if not is_text:
            return base
        pads = self.either("textPadKind", "none", "padChar") == "padChar"
        trims = self.either("textTrimKind", "none", "padChar") == "padChar"
        kind = (
            "String"
            if logical is Logical.STRING
            else "Number"
            if logical in _NUMBER_TYPES
            else "Boolean"
            if logical is Logical.BOOLEAN
            else "Calendar"
        )
        made = replace(base, pads=pads, trims=trims, escape=scheme, pad="")
        if pads or trims:
            made = replace(
                made,
                justification=self.enumerated(f"text{kind}Justification", Justification),
                pad=self.character(f"text{kind}PadCharacter"),
            )
        if pads and self.get("textOutputMinLength") is not None:
            made = replace(made, output_minimum=self.number("textOutputMinLength"))
        if logical is Logical.STRING and self.get("truncateSpecifiedLengthString") is not None:
            made = replace(made, truncate=self.yes("truncateSpecifiedLengthString"))
        return made

    def nil(self, logical: Logical | None) -> Nil:
        """Return the nil representation of a nillable element."""
        kind = self.enumerated("nilKind", NilKind)
        text = self.need("nilValue")
        if text.strip().startswith("{"):
            raise self.error("dfdl:nilValue is an expression")
        if not text.strip():
            raise self.error("dfdl:nilValue is empty; %ES; stands for the empty string")
        try:
            if kind is NilKind.LOGICAL_VALUE:
                values = tuple(literals.delimiter(part) for part in text.split())
            else:
                values = literals.delimiters(text)
        except ValueError as error:
            raise self.error(f"dfdl:nilValue: {error}") from None
        if logical is None and (kind is not NilKind.LITERAL_VALUE or text.strip() != "%ES;"):
            raise self.error("a complex nillable element needs dfdl:nilKind literalValue and dfdl:nilValue %ES;")
        if kind is NilKind.LITERAL_CHARACTER and (len(values) != 1 or len(text.split()) != 1):
            raise self.error("dfdl:nilValue of kind literalCharacter is not one character")
        ignore_case = self.get("ignoreCase") == "yes"
        return Nil(kind, values, ignore_case)

    def byte_order(self) -> ByteOrder | Expression:
        """Return the byte order of binary numbers."""
        text = self.need("byteOrder").strip()
        if text.strip("{} ") == "$dfdl:byteOrder":
            return ByteOrder.MESSAGE
        found = self.expression("byteOrder")
        if isinstance(found, Expression):
            return found
        try:
            return ByteOrder(found.strip())
        except ValueError:
            raise self.error(f"dfdl:byteOrder='{found}' is neither bigEndian nor littleEndian") from None

    def bit_order(self) -> None:
        """Check the order of bits: only the most significant first is supported."""
        if self.get("bitOrder") == "leastSignificantBitFirst":
            self.notice("dfdl:bitOrder='leastSignificantBitFirst'")

    def boolean(self, is_text: bool) -> Boolean:
        """Return the representations of true and false."""
        if is_text:
            true = self.texts("textBooleanTrueRep")
            false = self.texts("textBooleanFalseRep")
            fixed = self.get("lengthKind") in ("explicit", "implicit") and self.get("textPadKind") == "none"
            if fixed and isinstance(true, tuple) and isinstance(false, tuple):
                if len({len(one) for one in (*true, *false)}) != 1:
                    raise self.error("the texts of true and false have different lengths and are not padded")
            return Boolean(true, false, ignore_case=self.get("ignoreCase") == "yes")
        text = self.need("binaryBooleanTrueRep").strip()
        return Boolean(
            binary_true=None if not text else self.number("binaryBooleanTrueRep"),
            binary_false=self.number("binaryBooleanFalseRep"),
        )

    def texts(self, name: str) -> tuple[str, ...] | Expression:
        """Return a property that is a list of plain texts, or an expression."""
        found = self.expression(name)
        if isinstance(found, Expression):
            return found
        try:
            made = literals.texts(found)
        except ValueError as error:
            raise self.error(f"dfdl:{name}: {error}") from None
        if not made:
            raise self.error(f"dfdl:{name} is empty")
        return made

    def binary_number(self, logical: Logical, length_kind: LengthKind) -> Number:
        """Return the representation of a binary number, boolean or calendar."""
        self.bit_order()
        number = Number(byte_order=self.byte_order())
        if logical is Logical.BOOLEAN:
            return number
        if logical in (Logical.FLOAT, Logical.DOUBLE):
            text = self.need("binaryFloatRep").strip()
            if text.strip("{} ") == "$dfdl:binaryFloatRep":
                return replace(number, float_format=FloatFormat.MESSAGE)
            if text not in ("ieee", "ibm390Hex"):
                if text.startswith("{"):
                    self.notice("an expression in dfdl:binaryFloatRep")
                    return number
                raise self.error(f"dfdl:binaryFloatRep='{text}' is neither ieee nor ibm390Hex")
            return replace(number, float_format=FloatFormat(text))
        name = "binaryNumberRep" if logical in _NUMBER_TYPES else "binaryCalendarRep"
        text = self.need(name)
        try:
            binary = BinaryNumber(text)
        except ValueError:
            raise self.error(f"dfdl:{name}='{text}' is not a representation") from None
        if logical in _NUMBER_TYPES and binary in (BinaryNumber.BINARY_SECONDS, BinaryNumber.BINARY_MILLISECONDS):
            raise self.error(f"dfdl:{name}='{text}' is not a representation of numbers")
        number = replace(number, binary=binary)
        if binary in (BinaryNumber.PACKED, BinaryNumber.BCD, BinaryNumber.IBM4690):
            number = replace(number, strict=self.either("binaryNumberCheckPolicy", "strict", "lax") == "strict")
        if binary is BinaryNumber.PACKED:
            number = replace(number, sign_codes=self.sign_codes())
        if binary is BinaryNumber.BCD and logical in _NUMBER_TYPES:
            number = replace(number, signed=False)
        if logical is Logical.DECIMAL:
            number = replace(number, virtual_point=self.number("binaryDecimalVirtualPoint", least=None))
            if self.get("decimalSigned") is not None and binary is not BinaryNumber.BCD:
                number = replace(number, signed=self.yes("decimalSigned"))
        return number

    def sign_codes(self) -> str:
        """Return the sign nibbles of packed numbers."""
        text = self.need("binaryPackedSignCodes")
        codes = text.split()
        allowed = ("ACEF", "BD", "ACEF", "ACEF0")
        if len(codes) != 4 or any(
            len(code) != 1 or code not in choice for code, choice in zip(codes, allowed, strict=True)
        ):
            raise self.error(f"dfdl:binaryPackedSignCodes='{text}' is not four sign characters")
        return "".join(codes)

    def text_number(self, logical: Logical) -> Number:
        """Return the representation of a number as text."""
        rep = self.enumerated("textNumberRep", TextNumber)
        lax = (
            self.either("textNumberCheckPolicy", "strict", "lax") == "lax"
            if self.get("textNumberCheckPolicy")
            else True
        )
        number = Number(text=rep, lax=lax, strict=not lax)
        if logical is Logical.DECIMAL and self.get("decimalSigned") is not None:
            number = replace(number, signed=self.yes("decimalSigned"))
        if rep is TextNumber.ZONED:
            if logical in (Logical.FLOAT, Logical.DOUBLE):
                raise self.error(f"an xs:{logical.value} cannot be zoned")
            text = self.need("textNumberPattern")
            self.check_zoned(text, logical, number.signed)
            number = replace(number, pattern=text)
            style = self.get("textZonedSignStyle")
            if style is not None:
                number = replace(number, zoned_sign=self.enumerated("textZonedSignStyle", ZonedSign))
            return number
        base = self.get("textStandardBase")
        if base is not None and base.strip() not in ("2", "8", "10", "16"):
            raise self.error(f"dfdl:textStandardBase='{base}' is not 2, 8, 10 or 16")
        if base is not None and base.strip() != "10":
            if logical not in _INTEGER_TYPES:
                raise self.error(f"dfdl:textStandardBase='{base}' of an xs:{logical.value}")
            return replace(number, base=int(base))
        pattern = self.need("textNumberPattern")
        number = replace(
            number,
            pattern=pattern,
            infinity=self._plain("textStandardInfinityRep", "Inf", logical),
            nan=self._plain("textStandardNaNRep", "NaN", logical),
            ignore_case=self.get("ignoreCase") == "yes",
        )
        return self._separators(self._rounding(number), logical, pattern)

    def check_zoned(self, pattern: str, logical: Logical, signed: bool | None) -> None:
        """Check the sign in the pattern of a zoned number. Raises DefinitionError."""
        if ";" in pattern:
            raise self.error(f"the pattern '{pattern}' of a zoned number has a negative pattern")
        has_sign = pattern.startswith("+") or pattern.endswith("+")
        unsigned = logical.value.startswith("unsigned") or logical is Logical.NON_NEGATIVE_INTEGER or signed is False
        # IBM's importer of copybooks writes a sign into the patterns of unsigned numbers, too.
        if not unsigned and not has_sign:
            raise self.error(f"the pattern '{pattern}' of a signed zoned number has no + first or last")

    def _plain(self, name: str, default: str, logical: Logical) -> str:
        if self.get(name) is None:
            if logical in (Logical.FLOAT, Logical.DOUBLE):
                raise self.error(f"the property dfdl:{name} is not defined")
            return default
        found = self.literal(name)
        if isinstance(found, Expression):
            raise self.error(f"dfdl:{name} is an expression")
        return found

    def _rounding(self, number: Number) -> Number:
        kind = self.get("textNumberRounding")
        if kind is None or kind == "pattern":
            return replace(number, rounding="ROUND_HALF_EVEN")
        self.either("textNumberRounding", "pattern", "explicit")
        mode = self.either("textNumberRoundingMode", *_ROUNDING)
        increment = self.need("textNumberRoundingIncrement").strip()
        if not increment.replace(".", "", 1).isdigit():
            raise self.error(f"dfdl:textNumberRoundingIncrement='{increment}' is not a number")
        plain = "" if not increment.strip("0.") else increment
        return replace(number, rounding=_ROUNDING[mode], rounding_increment=plain)

    def _separators(self, number: Number, logical: Logical, pattern: str) -> Number:
        """Return a number with its decimal, grouping and exponent separators, which must be told apart."""
        decimal: tuple[str, ...] | Expression = (".",)
        if "." in pattern or "E" in pattern or self.get("textStandardDecimalSeparator") is not None:
            decimal = self.texts("textStandardDecimalSeparator")
        grouping: str | Expression = ","
        if "," in pattern or self.get("textStandardGroupingSeparator") is not None:
            grouping = self.literal("textStandardGroupingSeparator")
        exponent: str | Expression = "E"
        if self.get("textStandardExponentRep") is not None:
            exponent = self.literal("textStandardExponentRep")
        elif logical in (Logical.FLOAT, Logical.DOUBLE):
            raise self.error("the property dfdl:textStandardExponentRep is not defined")
        if isinstance(decimal, tuple) and any(len(one) != 1 for one in decimal):
            raise self.error("dfdl:textStandardDecimalSeparator is not a list of single characters")
        if isinstance(grouping, str) and len(grouping) != 1:
            raise self.error("dfdl:textStandardGroupingSeparator is not one character")
        if isinstance(decimal, tuple) and grouping in decimal and "," in pattern and ("." in pattern or "E" in pattern):
            raise self.error(f"the grouping and the decimal separator are both '{grouping}'")
        zero = self._zeros()
        return replace(number, decimal_separators=decimal, grouping_separator=grouping, exponent=exponent, zero=zero)

    def _zeros(self) -> tuple[Delimiter, ...]:
        """Return the representations of zero."""
        if not self.get("textStandardZeroRep"):
            return ()
        found = self.delimiters("textStandardZeroRep")
        if isinstance(found, Expression):
            raise self.error("dfdl:textStandardZeroRep is an expression")
        banned = (CharacterClass.NEW_LINE, CharacterClass.EMPTY)
        if any(isinstance(part, bytes) or part in banned for one in found for part in one.parts):
            raise self.error("dfdl:textStandardZeroRep has an entity that is neither a character nor white space")
        return found

    def calendar(self, logical: Logical, is_text: bool, binary: BinaryNumber) -> Calendar:
        """Return the representation of a date or time."""
        seconds = binary in (BinaryNumber.BINARY_SECONDS, BinaryNumber.BINARY_MILLISECONDS)
        calendar = Calendar()
        if not is_text and seconds:
            text = self.need("binaryCalendarEpoch").strip()
            return replace(calendar, epoch=text)
        pattern = _CALENDAR_PATTERNS.get(logical, "")
        if self.either("calendarPatternKind", "explicit", "implicit") == "explicit":
            pattern = self.need("calendarPattern")
            if pattern.strip().startswith("{"):
                self.notice("an expression in dfdl:calendarPattern")
                pattern = "I"
        self.check_calendar_letters(logical, pattern)
        zone = self.get("calendarTimeZone") or ""
        days = self.get("calendarDaysInFirstWeek")
        language = self.get("calendarLanguage")
        spoken: str | Expression = "en"
        if language is not None:
            found = self.expression("calendarLanguage")
            names = re.search(r"MMM|LLL|EE?|ccc|eee|a|G|z", re.sub(r"'[^']*'", "", pattern)) is not None
            if isinstance(found, str) and (found.lower().startswith("en") or not names):
                # Without names of months, days and zones, all languages are the same.
                spoken = found
            else:
                self.notice(f"dfdl:calendarLanguage='{language}'")
        start = self.get("calendarCenturyStart")
        return replace(
            calendar,
            pattern=pattern,
            time_zone=zone.strip(),
            century_start=53 if start is None else self.number("calendarCenturyStart"),
            lenient=self.either("calendarCheckPolicy", "strict", "lax") == "lax",
            first_day_of_week=self.either(
                "calendarFirstDayOfWeek",
                "Sunday",
                "Monday",
                "Tuesday",
                "Wednesday",
                "Thursday",
                "Friday",
                "Saturday",
            )
            if self.get("calendarFirstDayOfWeek")
            else "Monday",
            days_in_first_week=4 if days is None else self.number("calendarDaysInFirstWeek", least=1),
            language=spoken,
        )

    def check_calendar_letters(self, logical: Logical, pattern: str) -> None:
        """Check that a calendar pattern has only letters of its type. Raises DefinitionError."""
        letters = re.sub(r"''|'[^']*'|[^a-zA-Z]", "", pattern)
        if not letters:
            raise self.error(f"the dfdl:calendarPattern '{pattern}' has no letters")
        if pattern in ("I", "IU"):
            return
        dates, times = "GyuYMLdDEecFwWQ", "aHkKhmsSZzOXxVv"
        allowed = {Logical.DATE: dates + "ZzOXxVv", Logical.TIME: times}.get(logical, dates + times)
        for letter in letters:
            if letter not in allowed:
                raise self.error(
                    f"the letter {letter} in the dfdl:calendarPattern '{pattern}' of an xs:{logical.value}"
                )
        if "S" * 10 in letters:
            raise self.error(f"more than 9 digits of a second in the dfdl:calendarPattern '{pattern}'")

    def escape_scheme(self) -> EscapeScheme:
        """Return an escape scheme; the properties are those of a dfdl:defineEscapeScheme."""
        kind = EscapeKind(self.either("escapeKind", "escapeCharacter", "escapeBlock"))
        extra: tuple[str, ...] = ()
        if self.get("extraEscapedCharacters"):
            try:
                extra = literals.texts(self.need("extraEscapedCharacters"))
            except ValueError as error:
                raise self.error(f"dfdl:extraEscapedCharacters: {error}") from None
            if any(len(one) != 1 for one in extra):
                raise self.error("dfdl:extraEscapedCharacters is not a list of single characters")
        double = self.literal("escapeEscapeCharacter")
        if kind is EscapeKind.CHARACTER:
            character = self.literal("escapeCharacter")
            return EscapeScheme(kind, character, double, extra_escaped=extra)
        start, end = self.literal("escapeBlockStart"), self.literal("escapeBlockEnd")
        if isinstance(start, Expression) or isinstance(end, Expression) or not start or not end:
            raise self.error("an escape block needs a start and an end")
        generate = self.either("generateEscapeBlock", "always", "whenNeeded") == "always"
        return EscapeScheme(kind, "", double, start, end, extra, generate)
