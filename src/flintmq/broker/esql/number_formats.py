"""FORMAT patterns of numbers: `CAST(x AS CHARACTER FORMAT '#,##0.00')` and the way back.

    pattern     = positive [ ; negative ] [ :groupsep=c ] [ :decsep=c ]
    subpattern  = prefix digits [ . digits ] [ E [+] digits ] suffix

    #           digit, left away where it would be a leading or trailing zero
    0           digit that is always written
    ,           grouping: the group size is the number of digits behind the last comma before the point
    .           decimal point
    E           exponent, in the digits behind it at least; E+0 writes a plus sign too
    -           minus sign: in a prefix or suffix it marks where the sign of a negative number stands
    % per mille the number is written 100 or 1000 times as large
    '...'       text; '' is a quote. Any other character in a prefix or suffix stands for itself.

A pattern always has `.` and `,`; groupsep and decsep set the characters for them. Without a negative
subpattern a negative number is the positive one with a minus sign before it, or at the place of `-`. Digits that do not
fit behind the point are rounded half-even. A text is read if prefix and suffix fit and every other character belongs
to the number: the number of digits may differ from the pattern, and groups are not counted.

A number that is rounded to zero has no sign. A pattern is read once into a `NumberFormat`; `number_format` keeps the
last `CACHE_MAX` of them. Errors are ValueErrors, which CAST turns into its own error.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from typing import Final, final

CACHE_MAX: Final = 256
PATTERN_LENGTH_MAX: Final = 256
#: A text with more characters is no number.
TEXT_LENGTH_MAX: Final = 512
#: Digits before the point that a plain pattern writes. A larger number is an error: it would not fit its type either.
DIGITS_MAX: Final = 400

_SPECIAL: Final = "#0,."
_SCALES: Final[dict[str, int]] = {"%": 2, "\N{PER MILLE SIGN}": 3}
_CONTEXT: Final = Context(prec=2 * DIGITS_MAX, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


@final
class _Subpattern:
    """The text before and behind the digits of one subpattern. `sign` marks where - stood."""

    def __init__(self, prefix: str, suffix: str, prefix_sign: int, suffix_sign: int, scale: int) -> None:
        self.prefix: str = prefix
        self.suffix: str = suffix
        #: Where a minus sign goes into the prefix or suffix; -1 for nowhere.
        self.prefix_sign: int = prefix_sign
        self.suffix_sign: int = suffix_sign
        #: Powers of ten by which % and per mille enlarge the number.
        self.scale: int = scale

    def has_sign(self) -> bool:
        return self.prefix_sign >= 0 or self.suffix_sign >= 0

    def before(self, negative: bool) -> str:
        """Return the prefix, with the minus sign where it belongs."""
        if not negative or self.prefix_sign < 0:
            return self.prefix
        return self.prefix[: self.prefix_sign] + "-" + self.prefix[self.prefix_sign :]

    def behind(self, negative: bool) -> str:
        """Return the suffix, with the minus sign where it belongs."""
        if not negative or self.suffix_sign < 0:
            return self.suffix
        return self.suffix[: self.suffix_sign] + "-" + self.suffix[self.suffix_sign :]


@final
class NumberFormat:
    """A pattern, ready to write numbers and to read texts."""

    def __init__(self, pattern: str) -> None:
        """Read the pattern. Raises ValueError with the mistake in it."""
        self.pattern: str = pattern
        self.group_separator: str = ","
        self.decimal_separator: str = "."
        #: Digits that are always written before and behind the point, and the most that are written.
        self.integer_min: int = 0
        self.integer_max: int = 0
        self.fraction_min: int = 0
        self.fraction_max: int = 0
        #: Digits of the last group before the point and of the others; 0 for no groups.
        self.group: int = 0
        self.other_groups: int = 0
        #: Digits of the exponent; 0 for a pattern without exponent.
        self.exponent_digits: int = 0
        self.exponent_plus: bool = False
        #: Whether the pattern has a decimal point with nothing behind it.
        self.point_always: bool = False
        body = self._take_separators(pattern)
        positive, negative = _split_subpatterns(body)
        self.positive: _Subpattern = self._read(positive, True)
        self.negative: _Subpattern | None = None if negative is None else self._read(negative, False)
        if self.group and self.group_separator == self.decimal_separator:
            raise ValueError(f"FORMAT '{pattern}': groupsep and decsep are the same character")

    def _take_separators(self, pattern: str) -> str:
        """Cut groupsep and decsep off the end of the pattern."""
        for _ in range(2):
            group = pattern.rfind(":groupsep=")
            point = pattern.rfind(":decsep=")
            at = max(group, point)
            if at < 0:
                break
            value = pattern[at + (10 if group == at else 8) :]
            if len(value) != 1:
                if value != "''" and len(value) == 3 and value[0] == value[2] == "'":
                    value = value[1]
                else:
                    raise ValueError(f"FORMAT '{self.pattern}': groupsep and decsep are one character each")
            if value.isdigit() or value in "+-":
                raise ValueError(f"FORMAT '{self.pattern}': {value} cannot be a separator")
            if group == at:
                self.group_separator = value
            else:
                self.decimal_separator = value
            pattern = pattern[:at]
        return pattern

    def _read(self, text: str, first: bool) -> _Subpattern:
        """Read a subpattern. Only the first decides about digits."""
        prefix = _Affix()
        at = prefix.read(text, 0)
        begin = at
        while at < len(text) and text[at] in _SPECIAL:
            at += 1
        digits = text[begin:at]
        if not digits.strip(",."):
            raise ValueError(f"FORMAT '{self.pattern}' has no digit # or 0")
        exponent, plus = 0, False
        if text[at : at + 1] in ("E", "e"):
            end = at + 1
            if text[end : end + 1] == "+":
                end += 1
                plus = True
            zeros = end
            while end < len(text) and text[end] == "0":
                end += 1
            if end > zeros:
                exponent = end - zeros
                at = end
        suffix = _Affix()
        at = suffix.read(text, at)
        if at < len(text):
            raise ValueError(f"FORMAT '{self.pattern}' has {text[at]} behind its digits")
        if first:
            self._set_digits(digits)
            self.exponent_digits = exponent
            self.exponent_plus = plus and exponent > 0
        return _Subpattern(prefix.text, suffix.text, prefix.sign, suffix.sign, prefix.scale or suffix.scale)

    def _set_digits(self, digits: str) -> None:
        """Take the numbers of digits and the groups from the digits of the first subpattern."""
        whole, point, fraction = digits.partition(".")
        if "." in fraction or "," in fraction:
            raise ValueError(f"FORMAT '{self.pattern}' has . or , behind its decimal point")
        if "#" in whole.lstrip("#,") or "0" in fraction.lstrip("0"):
            raise ValueError(f"FORMAT '{self.pattern}' has # and 0 in the wrong order")
        self.integer_min = whole.count("0")
        self.integer_max = len(whole) - whole.count(",")
        self.fraction_min = fraction.count("0")
        self.fraction_max = len(fraction)
        self.point_always = bool(point) and not fraction
        groups = whole.split(",")
        if len(groups) > 1:
            self.group = len(groups[-1])
            self.other_groups = len(groups[-2]) if len(groups) > 2 else self.group
            if not self.group or not self.other_groups:
                raise ValueError(f"FORMAT '{self.pattern}' has an empty group")

    def format(self, value: int | float | Decimal) -> str:
        """Return the text of a number. Raises ValueError for numbers that are too large to be written out."""
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if number.is_nan():
            return "NaN"
        negative = number.is_signed()
        number = number.copy_abs()
        subpattern = self.positive
        if negative and self.negative is not None:
            subpattern = self.negative
        body = self._body(number, subpattern)
        if negative and not number.is_infinite() and not _has_digit(body):
            negative = False
            subpattern = self.positive
        if negative and self.negative is None and not subpattern.has_sign():
            return "-" + subpattern.prefix + body + subpattern.suffix
        return subpattern.before(negative) + body + subpattern.behind(negative)

    def _body(self, number: Decimal, subpattern: _Subpattern) -> str:
        """Write a number that is not negative."""
        if number.is_infinite():
            return "\N{INFINITY}"
        if subpattern.scale:
            number = number.scaleb(subpattern.scale, _CONTEXT)
        return self._exponent_body(number) if self.exponent_digits else self._plain_body(number)

    def _plain_body(self, number: Decimal) -> str:
        if number and number.adjusted() >= DIGITS_MAX:
            raise ValueError(f"the number has more than {DIGITS_MAX} digits")
        if not number or number.adjusted() < -self.fraction_max - 1:
            number = Decimal(0)
        rounded = number.quantize(Decimal(1).scaleb(-self.fraction_max), ROUND_HALF_EVEN, _CONTEXT)
        whole, _, fraction = format(rounded, "f").partition(".")
        return self._joined(whole.lstrip("0"), fraction)

    def _joined(self, whole: str, fraction: str) -> str:
        """Put digits before and behind the point together as the pattern says."""
        while len(fraction) > self.fraction_min and fraction.endswith("0"):
            fraction = fraction[:-1]
        whole = whole.rjust(self.integer_min, "0")
        if not whole and not fraction:
            whole = "0"
        if self.group and not self.exponent_digits:
            whole = self._grouped(whole)
        if fraction or self.point_always:
            return whole + self.decimal_separator + fraction
        return whole

    def _grouped(self, whole: str) -> str:
        groups = [whole[-self.group :]]
        rest = whole[: -self.group]
        while rest:
            groups.append(rest[-self.other_groups :])
            rest = rest[: -self.other_groups]
        groups.reverse()
        return self.group_separator.join(groups)

    def _exponent_body(self, number: Decimal) -> str:
        """Write mantissa and exponent. With # before the first 0 the exponent is a multiple of the digits there."""
        step, width = 1, self.integer_min
        if self.integer_max > self.integer_min and self.integer_max > 1:
            step = width = self.integer_max
        elif not width and not self.fraction_max:
            width = 1
        shift = 0
        if number:
            shift = number.adjusted() // step * step if step > 1 else number.adjusted() + 1 - width
        rounded = self._mantissa(number, shift)
        if rounded and rounded.adjusted() + 1 > width:
            # 9.99 was rounded to 10.0: the exponent grows.
            shift += step
            rounded = self._mantissa(number, shift)
        whole, _, fraction = format(rounded, "f").partition(".")
        sign = "-" if shift < 0 else "+" if self.exponent_plus else ""
        return f"{self._joined(whole.lstrip('0'), fraction)}E{sign}{abs(shift):0{self.exponent_digits}d}"

    def _mantissa(self, number: Decimal, shift: int) -> Decimal:
        """Return the number without `shift` powers of ten, rounded to the digits behind the point."""
        step = Decimal(1).scaleb(-self.fraction_max)
        return number.scaleb(-shift, _CONTEXT).quantize(step, ROUND_HALF_EVEN, _CONTEXT)

    def parse(self, text: str) -> Decimal:
        """Return the number of `text`. Raises ValueError if the text does not fit the pattern."""
        if len(text) > TEXT_LENGTH_MAX:
            raise ValueError(f"the text has {len(text)} characters, which is too long for a number")
        body = text.strip(" ")
        if self.negative is not None:
            found = self._match(body, self.negative, True)
            if found is not None and not self._same_affixes(self.negative):
                return -found
        found = self._match(body, self.positive, False)
        if found is not None:
            return found
        if self.positive.has_sign():
            found = self._match(body, self.positive, True)
        elif body.startswith("-") and self.negative is None:
            found = self._match(body[1:], self.positive, False)
        if found is None:
            raise ValueError(f"the text does not fit FORMAT '{self.pattern}'")
        return -found

    def _same_affixes(self, other: _Subpattern) -> bool:
        mine = self.positive
        return mine.before(False) == other.before(True) and mine.behind(False) == other.behind(True)

    def _match(self, text: str, subpattern: _Subpattern, negative: bool) -> Decimal | None:
        """Return the number between prefix and suffix; None if something does not fit."""
        before, behind = subpattern.before(negative), subpattern.behind(negative)
        if not text.startswith(before) or not text.endswith(behind) or len(text) < len(before) + len(behind):
            return None
        body = text[len(before) : len(text) - len(behind)] if behind else text[len(before) :]
        if body == "\N{INFINITY}":
            return Decimal("Infinity")
        mantissa, exponent = body, ""
        if self.exponent_digits:
            at = max(body.rfind("E"), body.rfind("e"))
            if at >= 0:
                mantissa, exponent = body[:at], body[at + 1 :]
                if exponent[:1] in ("+", "-"):
                    if not _is_digits(exponent[1:]):
                        return None
                elif not _is_digits(exponent):
                    return None
                if len(exponent) > 10:
                    return None
        whole, _, fraction = mantissa.partition(self.decimal_separator)
        if self.group:
            if whole.startswith(self.group_separator):
                return None
            whole = whole.replace(self.group_separator, "")
        if not _is_digits(whole + fraction):
            return None
        point = "." if fraction else ""
        number = Decimal(f"{whole or '0'}{point}{fraction}E{exponent or '0'}")
        return number.scaleb(-subpattern.scale, _CONTEXT) if subpattern.scale else number


@final
class _Affix:
    """A prefix or suffix that is being read."""

    def __init__(self) -> None:
        self.text: str = ""
        self.sign: int = -1
        self.scale: int = 0

    def read(self, text: str, at: int) -> int:
        """Read up to the next special character; return its place. Raises ValueError for a quote that does not end."""
        while at < len(text):
            character = text[at]
            if character in _SPECIAL:
                break
            at += 1
            if character == "'":
                at = self._quoted(text, at)
            elif character == "-" and self.sign < 0:
                self.sign = len(self.text)
            else:
                self.scale = _SCALES.get(character, self.scale)
                self.text += character
        return at

    def _quoted(self, text: str, at: int) -> int:
        """Read the text behind the quote before `at`; return where the pattern goes on."""
        if text[at : at + 1] == "'":
            self.text += "'"
            return at + 1
        while True:
            end = text.find("'", at)
            if end < 0:
                raise ValueError("a quote in FORMAT does not end")
            self.text += text[at:end]
            if text[end + 1 : end + 2] != "'":
                return end + 1
            self.text += "'"
            at = end + 2


def _split_subpatterns(pattern: str) -> tuple[str, str | None]:
    """Cut a pattern at the semicolon that is not quoted."""
    quoted = False
    for at in range(len(pattern)):
        if pattern[at] == "'":
            quoted = not quoted
        elif pattern[at] == ";" and not quoted:
            return pattern[:at], pattern[at + 1 :]
    return pattern, None


def _has_digit(text: str) -> bool:
    """Return whether a text has a digit other than 0 before its exponent."""
    for character in text.partition("E")[0]:
        if "1" <= character <= "9":
            return True
    return False


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


_cache: dict[str, NumberFormat] = {}


def number_format(pattern: str) -> NumberFormat:
    """Return the format of `pattern`, from the cache if it was used before. Raises ValueError."""
    found = _cache.get(pattern)
    if found is not None:
        return found
    if len(pattern) > PATTERN_LENGTH_MAX:
        raise ValueError(f"FORMAT has {len(pattern)} characters, at most {PATTERN_LENGTH_MAX} are allowed")
    made = NumberFormat(pattern)
    if len(_cache) >= CACHE_MAX:
        for oldest in list(_cache)[: CACHE_MAX // 4]:
            _cache.pop(oldest, None)
    _cache[pattern] = made
    return made


def cache_size() -> int:
    """Return how many formats the cache holds."""
    return len(_cache)
