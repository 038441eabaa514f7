"""What an attribute is, and the values it takes: words to value, value to MQI number and back.

    kind      value in the catalogue             written in MQSC          what MQINQ answers
    INT       int, or a word ("NOLIMIT")         MAXDEPTH(5000)           the number, or the word's number
    ENUM      the word                           GET(ENABLED)             the word's number
    FLAG      the word                           SHARE or NOSHARE, bare   the word's number
    STRING    str without trailing blanks        DESCR('any text')        characters, padded to `length`
    NAME      str, an MQ object name or ""       BOQNAME(Q.BACKOUT)       characters, padded to `length`
    HEX       str of 2 * `length` digits, or ""  DESTCORL(C1C2...)        the bytes
    LIST      list[str]                          NAMES(A,B)               names, one after the other
                                                 COMPMSG(RLE,NONE)        the words' numbers, if there are words
    NUMBERS   list[str] of numbers               CLASS(1,3:5) or CLASS(*) nothing: only commands have it
    INTERVAL  "M.SS", "0" or "-1"                STATIME(30.00)           minutes and seconds, two selectors
    PAIR      list of two str                    shown only: QTIME(3, 5)  two integers

Which attributes there are is in attributes.py.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.object_name import is_name

Value = str | int | list[str]

INT: Final = "INT"
ENUM: Final = "ENUM"
FLAG: Final = "FLAG"
STRING: Final = "STRING"
NAME: Final = "NAME"
HEX: Final = "HEX"
LIST: Final = "LIST"
NUMBERS: Final = "NUMBERS"
INTERVAL: Final = "INTERVAL"
PAIR: Final = "PAIR"

INTERVAL_MINUTES_MAX: Final = 1440
#: The attribute whose text holds values that have no attribute of their own yet, as NAME(value).
CUSTOM: Final = "CUSTOM"

HEX_DIGITS: Final = frozenset("0123456789ABCDEF")


class ValueRejected(Exception):
    """A value that its attribute does not allow. `str(error)` is a sentence for the user that names both."""

    def __init__(self, keyword: str, text: str) -> None:
        super().__init__(text)
        self.keyword = keyword


class Attribute:
    """One attribute of one kind of object."""

    def __init__(self, keyword: str, kind: str, selector: int, default: Value) -> None:
        self.keyword = keyword
        self.kind = kind
        #: MQIA_, MQCA_, MQIACF_ or MQCACF_ number; 0 when MQ has none.
        self.selector = selector
        self.default = default
        #: Bounds of a number (INT).
        self.low = 0
        self.high = 0
        #: Longest text in bytes (STRING, NAME, an element of LIST); most elements of a LIST.
        self.length = 0
        self.count_max = 0
        #: The elements of a LIST are any texts, not names.
        self.any_text = False
        #: The allowed words and their MQI numbers (ENUM, FLAG), or the words that may stand for a number (INT).
        self.words: dict[str, int] = {}
        #: Other spellings of a word: DEF for UNIX.
        self.word_synonyms: dict[str, str] = {}
        #: Other spellings of the keyword: TARGQ for TARGET.
        self.synonyms: list[str] = []
        #: Shown by DISPLAY, never set by a command.
        self.read_only = False
        #: Set by DEFINE only.
        self.fixed = False
        #: Changes while the queue manager runs and is not part of the definition: CURDEPTH.
        self.live = False
        #: Stored but never shown: KEYRPWD.
        self.secret = False
        #: MQSET changes it, and refuses other values with this reason; 0 if MQSET does not change it.
        self.mqset_reason = 0

    def allowed(self) -> str:
        """What may stand between the parentheses, for syntax texts: "NOLIMIT | 0-999999999"."""
        parts = list(self.words)
        if self.kind == INT:
            parts.append(f"{self.low}-{self.high}")
        elif self.kind == INTERVAL:
            parts.append("-1 | 0 | MMMM | MMMM.SS" if self.low < 0 else "0 | MMMM | MMMM.SS")
        elif self.kind == LIST:
            parts.append("name, ..." if not parts else "a list of these")
        elif self.kind == NUMBERS:
            parts.append("* | number, number:number, ...")
        elif self.kind == NAME:
            parts.append("name")
        elif self.kind == STRING:
            parts.append("string")
        elif self.kind == HEX:
            parts.append(f"{2 * self.length} hexadecimal digits")
        return " | ".join(parts)

    def copy_default(self) -> Value:
        """The default as a value of the caller's own: a list is copied."""
        default = self.default
        return list(default) if isinstance(default, list) else default


# -- values -----------------------------------------------------------------------------------------------------------


def parse_value(attribute: Attribute, texts: list[str]) -> Value:
    """The value that `texts`, the words between the parentheses, stand for. No word at all is the blank value."""
    kind = attribute.kind
    if kind == LIST:
        return _parse_words(attribute, texts) if attribute.words else _parse_list(attribute, texts)
    if kind == NUMBERS:
        return _parse_numbers(attribute, texts)
    if len(texts) > 1:
        raise ValueRejected(
            attribute.keyword, f"{attribute.keyword} takes one value; put a value with blanks or commas in quotes"
        )
    text = texts[0].rstrip(" ") if texts else ""
    if kind == INT:
        return _parse_number(attribute, text)
    if kind == STRING:
        return _parse_string(attribute, text)
    if kind == NAME:
        return _parse_name(attribute, text)
    if kind == INTERVAL:
        return _parse_interval(attribute, text)
    if kind == HEX:
        return _parse_hex(attribute, text)
    return _parse_word(attribute, text)


def check_value(attribute: Attribute, value: Value) -> Value:
    """`value` as the catalogue keeps it, from a caller that already has a typed value (PCF, REST, the Python API)."""
    if isinstance(value, list):
        return parse_value(attribute, value)
    return parse_value(attribute, [str(value)])


def _parse_word(attribute: Attribute, text: str) -> str:
    word = text.upper()
    word = attribute.word_synonyms.get(word, word)
    if word not in attribute.words:
        raise ValueRejected(attribute.keyword, f"{attribute.keyword} must be {_or(list(attribute.words))}")
    return word


def _parse_number(attribute: Attribute, text: str) -> Value:
    digits = text[1:] if text[:1] in ("-", "+") else text
    if digits.isascii() and digits.isdigit() and len(digits) <= 18:
        number = int(text)
        for word, word_number in attribute.words.items():
            if word_number == number:
                return word
        if attribute.low <= number <= attribute.high:
            return number
    else:
        word = text.upper()
        word = attribute.word_synonyms.get(word, word)
        if word in attribute.words:
            return word
    allowed = f"between {attribute.low} and {attribute.high}"
    if attribute.words:
        allowed += f", or {_or(list(attribute.words))}"
    raise ValueRejected(attribute.keyword, f"{attribute.keyword} must be {allowed}")


def _parse_string(attribute: Attribute, text: str) -> str:
    _check_characters(attribute, text)
    length = len(text.encode("utf-8", "surrogatepass"))
    if length > attribute.length:
        raise ValueRejected(
            attribute.keyword, f"{attribute.keyword} holds {attribute.length} bytes; this value has {length}"
        )
    return text


def _parse_name(attribute: Attribute, text: str) -> str:
    if text and not is_name(text, attribute.length):
        raise ValueRejected(
            attribute.keyword,
            f"{attribute.keyword} must be a name: at most {attribute.length} letters, digits and . / _ %",
        )
    return text


def _parse_hex(attribute: Attribute, text: str) -> str:
    digits = text.upper()
    if digits and (len(digits) != 2 * attribute.length or not HEX_DIGITS.issuperset(digits)):
        raise ValueRejected(
            attribute.keyword, f"{attribute.keyword} must be {2 * attribute.length} hexadecimal digits, or blank"
        )
    return digits


def _parse_list(attribute: Attribute, texts: list[str]) -> list[str]:
    result: list[str] = []
    for each in texts:
        text = each.strip(" ")
        if not text:
            continue
        if attribute.any_text:
            _parse_string(attribute, text)
        elif not is_name(text, attribute.length):
            raise ValueRejected(
                attribute.keyword,
                f"{attribute.keyword} takes names of at most {attribute.length} letters, digits and . / _ %",
            )
        result.append(text)
    if len(result) > attribute.count_max:
        raise ValueRejected(
            attribute.keyword, f"{attribute.keyword} holds {attribute.count_max} names; {len(result)} were given"
        )
    return result


def _parse_numbers(attribute: Attribute, texts: list[str]) -> list[str]:
    """Numbers and ranges of numbers, each once and in order; `*` alone."""
    wrong = ValueRejected(
        attribute.keyword,
        f"{attribute.keyword} takes numbers from {attribute.low} to {attribute.high}, ranges such as 1:3, or *",
    )
    words = [text.strip(" ") for text in texts]
    if words == ["*"]:
        return words
    numbers: set[int] = set()
    for word in words:
        first, colon, last = word.partition(":")
        bounds = [first, last if colon else first]
        if not all(bound.isascii() and bound.isdigit() and len(bound) < 9 for bound in bounds):
            raise wrong
        low, high = int(bounds[0]), int(bounds[1])
        if low > high or low < attribute.low or high > attribute.high:
            raise wrong
        numbers.update(range(low, high + 1))
    if not numbers:
        raise wrong
    return [str(number) for number in sorted(numbers)]


def _parse_words(attribute: Attribute, texts: list[str]) -> list[str]:
    """A list of words, each once."""
    result = [_parse_word(attribute, each.strip(" ")) for each in texts]
    if not result or len(result) > attribute.count_max or len(set(result)) < len(result):
        raise ValueRejected(attribute.keyword, f"{attribute.keyword} takes {_or(list(attribute.words))}, each once")
    return result


def _parse_interval(attribute: Attribute, text: str) -> str:
    """MMMM.SS or MMMM. Zero and -1 are written without seconds: the shortest real interval is 0.01, one second."""
    wrong = ValueRejected(
        attribute.keyword,
        f"{attribute.keyword} must be minutes or minutes.seconds, from 0.01 to {INTERVAL_MINUTES_MAX}, or 0"
        + (", or -1" if attribute.low < 0 else ""),
    )
    if text == "-1" and attribute.low < 0:
        return "-1"
    if not text.isascii():
        raise wrong
    minutes, point, seconds = text.partition(".")
    if not minutes.isdigit() or len(minutes) > 4 or int(minutes) > INTERVAL_MINUTES_MAX:
        raise wrong
    if not point:
        return "0" if int(minutes) == 0 else f"{int(minutes)}.00"
    if len(seconds) != 2 or not seconds.isdigit() or int(seconds) > 59:
        raise wrong
    length = int(minutes) * 60 + int(seconds)
    if length < 1 or length > INTERVAL_MINUTES_MAX * 60:
        raise wrong
    return f"{int(minutes)}.{seconds}"


def interval_seconds(value: str) -> int:
    """An INTERVAL value in seconds: 0 for "0" (the system-wide interval), -1 for "-1" (as STATIME)."""
    minutes, _, seconds = value.partition(".")
    if minutes == "-1":
        return -1
    return int(minutes) * 60 + int(seconds or "0")


def _check_characters(attribute: Attribute, text: str) -> None:
    for character in text:
        number = ord(character)
        if number < 0x20 or 0x7F <= number < 0xA0 or 0xD800 <= number <= 0xDFFF:
            raise ValueRejected(attribute.keyword, f"{attribute.keyword} holds printable characters only")


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def number_of(attribute: Attribute, value: Value) -> int:
    """The integer that MQINQ and PCF give for `value`."""
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        if value in attribute.words:
            return attribute.words[value]
        if attribute.kind == INTERVAL:
            return interval_seconds(value)
    raise ValueRejected(attribute.keyword, f"{attribute.keyword} has no number")


def value_of_number(attribute: Attribute, number: int) -> Value:
    """The value for the integer of an MQSET or PCF parameter."""
    for word, word_number in attribute.words.items():
        if word_number == number:
            return word
    if attribute.kind == INT and attribute.low <= number <= attribute.high:
        return number
    raise ValueRejected(attribute.keyword, f"{attribute.keyword} does not allow {number}")
