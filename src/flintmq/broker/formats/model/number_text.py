"""Numbers as text: patterns of digits, as ICU and DFDL define them, and other bases.

    #,##0.00;(#)      grouping by three, at least one digit, two decimals; negative numbers in parentheses
    ##0V00            a virtual decimal point: 12.34 is written 1234
    PP000, 000PP      scaling: 0.00123 is written 123; 12300 is written 123
    0.###E+00         exponent of at least two digits, plus sign written
    @@@, @@##         significant digits
    *x#,##0           filled with x up to the width of the pattern
    'text'#           quoted text around the number

`NumberPattern` is a pattern that was read once; `parse` returns a Decimal and `format` a text. Both raise ValueError.
Parsing is strict or lax. Lax accepts texts that ICU accepts: spaces around the number, missing or doubled grouping
separators, a sign where the pattern has none, missing prefix and suffix, more or fewer digits than the pattern has.
"""

from __future__ import annotations

import decimal
import re
from decimal import Decimal
from typing import Final, final

_DIGITS: Final = "0123456789"
#: Special in a pattern outside quotation marks; everything else is prefix or suffix.
_NUMBER_CHARACTERS: Final = "#0123456789,.@VP"

#: Large enough that no value that fits into a message loses digits.
CONTEXT: Final = decimal.Context(prec=2200, Emax=999_999, Emin=-999_999)
CHARACTERS_MAX: Final = 2000


@final
class Affix:
    """The text before or behind the digits: literal characters, with signs marked."""

    __slots__ = ("text", "pad", "pad_before")

    def __init__(self) -> None:
        self.text: str = ""
        #: The padding character of `*x`, '' if there is none here, and whether it stands before the literal text.
        self.pad: str = ""
        self.pad_before: bool = False


@final
class Digits:
    """The digits of one subpattern."""

    __slots__ = (
        "integer_min",
        "integer_max",
        "fraction_min",
        "fraction_max",
        "grouping",
        "grouping_secondary",
        "point",
        "virtual",
        "scale",
        "exponent_min",
        "exponent_plus",
        "significant_min",
        "significant_max",
        "increment",
        "width",
    )

    def __init__(self) -> None:
        self.integer_min: int = 0
        #: Digits before the point with '#' included: in patterns with exponent, the period of the exponent.
        self.integer_max: int = 0
        self.fraction_min: int = 0
        self.fraction_max: int = 0
        self.grouping: int = 0
        self.grouping_secondary: int = 0
        self.point: bool = False
        #: Digits behind V; -1 = there is no V.
        self.virtual: int = -1
        #: P's: positive behind the digits, negative before them.
        self.scale: int = 0
        self.exponent_min: int = 0
        self.exponent_plus: bool = False
        self.significant_min: int = 0
        self.significant_max: int = 0
        self.increment: str = ""
        self.width: int = 0


@final
class NumberPattern:
    """A number pattern with its symbols."""

    def __init__(
        self,
        pattern: str,
        decimal_separators: tuple[str, ...] = (".",),
        grouping_separator: str = ",",
        exponent: str = "E",
        infinity: str = "Inf",
        nan: str = "NaN",
        zero: tuple[str, ...] = (),
        zero_patterns: tuple[re.Pattern[str], ...] = (),
        lax: bool = True,
        rounding: str = "ROUND_HALF_EVEN",
        increment: str = "",
        ignore_case: bool = False,
    ) -> None:
        self.pattern: str = pattern
        self.decimal_separators: tuple[str, ...] = decimal_separators
        self.grouping_separator: str = grouping_separator
        self.exponent: str = exponent
        self.infinity: str = infinity
        self.nan: str = nan
        #: Texts that mean zero, of which the first is written, and patterns of such texts.
        self.zero: tuple[str, ...] = zero
        self.zero_patterns: tuple[re.Pattern[str], ...] = zero_patterns
        self.lax: bool = lax
        self.rounding: str = rounding
        self.ignore_case: bool = ignore_case
        positive, negative = _split(pattern)
        self.prefix, self.digits, self.suffix = _subpattern(positive)
        if negative is None:
            self.negative_prefix: Affix = Affix()
            self.negative_prefix.text = "-" + self.prefix.text
            self.negative_prefix.pad = self.prefix.pad
            self.negative_prefix.pad_before = self.prefix.pad_before
            self.negative_suffix: Affix = self.suffix
        else:
            self.negative_prefix, negative_digits, self.negative_suffix = _subpattern(negative)
            if self.negative_prefix.text == self.prefix.text and self.negative_suffix.text == self.suffix.text:
                self.negative_prefix.text = "-" + self.negative_prefix.text
        if increment and Decimal(increment):
            self.digits.increment = increment
        self.pad: str = self.prefix.pad or self.suffix.pad
        #: Whether a space is a separator: otherwise lax parsing ignores spaces.
        self.spaced: bool = " " in decimal_separators or grouping_separator == " " or self.pad == " "
        digits = self.digits
        #: Whether plain ASCII digits mean an integer at once.
        self.plain: bool = (
            not self.prefix.text
            and not self.suffix.text
            and digits.virtual < 0
            and not digits.scale
            and not digits.exponent_min
            and not self.pad
            and lax
        )

    def virtual_point(self) -> int:
        """Return the digits behind a decimal point that is not written; negative for trailing zeros not written."""
        digits = self.digits
        if digits.scale < 0:
            # PP000: the point is before the P's.
            return -digits.scale + digits.integer_max
        if digits.scale > 0:
            return -digits.scale
        return max(digits.virtual, 0)

    # Reading.

    def parse(self, text: str, whole: bool = False) -> Decimal:
        """Return the value of a text; NaN and infinities are values. Raises ValueError.

        A `whole` number has no decimal separator, not even before zeros.
        """
        if len(text) > CHARACTERS_MAX:
            raise ValueError(f"a number of {len(text)} characters")
        if (self.zero or self.zero_patterns) and self._is_zero(text):
            return Decimal(0)
        original = text
        if self.lax:
            text = text.strip()
            if not self.spaced:
                text = "".join(text.split())
        if not text:
            raise ValueError("the text of a number is empty")
        if text == self.nan or self.ignore_case and text.lower() == self.nan.lower():
            return Decimal("NaN")
        negative, body = self._without_affixes(text, original)
        if body == self.infinity or self.ignore_case and body.lower() == self.infinity.lower():
            return Decimal("-Infinity") if negative else Decimal("Infinity")
        value = self._number(body, original, whole)
        point = self.virtual_point()
        if point:
            if value != value.to_integral_value():
                raise ValueError(f"'{original}' has a decimal point, and its pattern {self.pattern} a virtual one")
            value = value.scaleb(-point, CONTEXT)
        return value.copy_negate() if negative else value

    def _is_zero(self, text: str) -> bool:
        """Return whether a text is one of the representations of zero."""
        for zero in self.zero:
            if text == zero or self.ignore_case and text.lower() == zero.lower():
                return True
        for pattern in self.zero_patterns:
            if pattern.fullmatch(text) is not None:
                return True
        return False

    def _without_affixes(self, text: str, original: str) -> tuple[bool, str]:
        """Return whether the text is negative, and the digits without prefix, suffix and padding."""
        if self.lax and text[0] == "+" and self.prefix.text[:1] != "+" and self.negative_prefix.text[:1] != "+":
            text = text[1:]
        found = self._strip(text, self.prefix, self.suffix)
        other = self._strip(text, self.negative_prefix, self.negative_suffix)
        if found is not None and (other is None or len(found) <= len(other)):
            # Of two that match, the longer affixes are meant.
            if other is None or len(found) < len(other):
                return False, found
        if other is not None:
            return True, other
        if found is not None:
            return False, found
        if not self.lax:
            raise ValueError(f"'{original}' does not fit the number pattern {self.pattern}")
        # Lax: prefix and suffix may be missing, one or both.
        negative, body = self._without_lax_prefix(text)
        has_negative_suffix, body = self._without_lax_suffix(body)
        return negative or has_negative_suffix, body.strip(" ")

    def _without_lax_prefix(self, body: str) -> tuple[bool, str]:
        """Return whether a prefix or sign makes the number negative, and the text behind it."""
        prefix = self.prefix.text
        if self.negative_prefix.text and body.startswith(self.negative_prefix.text):
            return True, body[len(self.negative_prefix.text) :]
        if prefix and body.startswith(prefix):
            return False, body[len(prefix) :]
        if body.startswith("-"):
            return True, body[1:].removeprefix(prefix)
        if body.startswith("+"):
            return False, body[1:]
        return False, body.removeprefix(prefix.strip())

    def _without_lax_suffix(self, body: str) -> tuple[bool, str]:
        """Return whether a suffix makes the number negative, and the text before it."""
        suffix = self.suffix.text
        if self.negative_suffix.text and body.endswith(self.negative_suffix.text):
            return self.negative_suffix.text != suffix, body[: -len(self.negative_suffix.text)]
        if suffix and body.endswith(suffix):
            return False, body[: -len(suffix)]
        return False, body.removesuffix(suffix.strip())

    def _strip(self, text: str, prefix: Affix, suffix: Affix) -> str | None:
        """Return the text without these affixes and the padding in them; None if they are not there."""
        body = self._unpadded(text, prefix, suffix, True)
        before = "".join(prefix.text.split()) if self.lax else prefix.text
        behind = "".join(suffix.text.split()) if self.lax else suffix.text
        if self.ignore_case:
            lower = body.lower()
            if not lower.startswith(before.lower()) or not lower.endswith(behind.lower()):
                return None
        elif not body.startswith(before) or not body.endswith(behind):
            return None
        if len(before) + len(behind) >= len(body):
            return None
        body = self._unpadded(body[len(before) : len(body) - len(behind)], prefix, suffix, False)
        if self.lax:
            body = body.strip(" ")
        return body or None

    def _unpadded(self, body: str, prefix: Affix, suffix: Affix, outside: bool) -> str:
        """Return a text without its padding: outside the affixes, or between affixes and digits."""
        pad = self.pad
        if not pad:
            return body
        if prefix.pad and prefix.pad_before == outside:
            body = body.lstrip(pad)
        if suffix.pad and suffix.pad_before != outside:
            body = body.rstrip(pad)
        return body

    def _number(self, body: str, original: str, integer: bool) -> Decimal:
        """Return the value of digits with separators and exponent."""
        exponent = 0
        if self.exponent:
            at = body.find(self.exponent)
            if at < 0 and self.ignore_case:
                at = body.lower().find(self.exponent.lower())
            if at > 0:
                exponent = self._exponent(body[at + len(self.exponent) :], original)
                body = body[:at]
        whole, fraction, point = self._split_point(body)
        if point and not self.digits.point and (integer or not self.lax):
            raise ValueError(f"'{original}' has a decimal separator, and its pattern {self.pattern} none")
        if not self.lax and self.digits.point and self.digits.fraction_min and not point:
            raise ValueError(f"'{original}' has no decimal separator, and its pattern {self.pattern} one")
        if self.grouping_separator and self.grouping_separator in whole:
            whole = self._ungrouped(whole, original)
        digits = whole + fraction
        if not digits or not digits.isascii() or not digits.isdigit():
            raise ValueError(f"'{original}' does not fit the number pattern {self.pattern}")
        return Decimal(int(digits)).scaleb(exponent - len(fraction), CONTEXT)

    def _ungrouped(self, whole: str, original: str) -> str:
        """Return digits without grouping separators."""
        if not self.digits.grouping:
            raise ValueError(f"'{original}' has a grouping separator, and its pattern {self.pattern} none")
        groups = whole.split(self.grouping_separator)
        if not self.lax:
            self._check_groups(groups, original)
        elif "" in groups[1:]:
            raise ValueError(f"'{original}' has two grouping separators together")
        return "".join(groups)

    def _split_point(self, body: str) -> tuple[str, str, bool]:
        for separator in self.decimal_separators:
            if separator:
                whole, found, fraction = body.partition(separator)
                if found:
                    return whole, fraction, True
        return body, "", False

    def _exponent(self, text: str, original: str) -> int:
        sign = 1
        if text[:1] in ("+", "-"):
            sign = -1 if text[0] == "-" else 1
            text = text[1:]
        if not text or not text.isascii() or not text.isdigit() or len(text) > 5:
            raise ValueError(f"'{original}' has no valid exponent")
        return sign * int(text)

    def _check_groups(self, groups: list[str], original: str) -> None:
        size = self.digits.grouping
        other = self.digits.grouping_secondary or size
        last = len(groups) - 1
        for at in range(1, len(groups)):
            if len(groups[at]) != (size if at == last else other):
                raise ValueError(f"'{original}' is not grouped as its pattern {self.pattern} says")
        if last > 0 and not 0 < len(groups[0]) <= other:
            raise ValueError(f"'{original}' is not grouped as its pattern {self.pattern} says")

    # Writing.

    def format(self, value: Decimal) -> str:
        """Return the text of a value. Raises ValueError if it has more digits than the pattern and must not round."""
        if value.is_nan():
            return self.nan
        negative = value.is_signed()
        if value.is_infinite():
            body = self.infinity
        else:
            magnitude = value.copy_abs()
            if not magnitude and self.zero:
                return self.zero[0]
            point = self.virtual_point()
            if point:
                magnitude = magnitude.scaleb(point, CONTEXT)
                rounded = magnitude.to_integral_value(rounding=self.rounding or decimal.ROUND_HALF_EVEN)
                if rounded != magnitude and not self.rounding:
                    raise ValueError(f"{value} has more digits than its pattern {self.pattern}")
                magnitude = rounded
            body = self._digits_text(magnitude, value)
        prefix = self.negative_prefix if negative else self.prefix
        suffix = self.negative_suffix if negative else self.suffix
        return self._padded(prefix, body, suffix)

    def _padded(self, prefix: Affix, body: str, suffix: Affix) -> str:
        pad = self.pad
        if not pad:
            return prefix.text + body + suffix.text
        width = self.digits.width + len(self.prefix.text) + len(self.suffix.text)
        missing = width - len(prefix.text) - len(body) - len(suffix.text)
        fill = pad * max(missing, 0)
        if prefix.pad:
            if prefix.pad_before:
                return fill + prefix.text + body + suffix.text
            return prefix.text + fill + body + suffix.text
        if suffix.pad_before:
            return prefix.text + body + fill + suffix.text
        return prefix.text + body + suffix.text + fill

    def _round(self, magnitude: Decimal, places: int, value: Decimal) -> Decimal:
        """Return the magnitude rounded to so many decimals, or to the increment of the pattern."""
        if self.digits.increment:
            step = Decimal(self.digits.increment)
            count = CONTEXT.divide(magnitude, step).to_integral_value(rounding=self.rounding or decimal.ROUND_HALF_EVEN)
            magnitude = CONTEXT.multiply(count, step)
        unit = Decimal(1).scaleb(-places, CONTEXT)
        rounded = magnitude.quantize(unit, rounding=self.rounding or decimal.ROUND_HALF_EVEN, context=CONTEXT)
        if rounded != magnitude and not self.rounding:
            raise ValueError(f"{value} has more digits than its pattern {self.pattern}")
        return rounded

    def _digits_text(self, magnitude: Decimal, value: Decimal) -> str:
        digits = self.digits
        if digits.exponent_min:
            return self._scientific(magnitude, value)
        if digits.significant_max:
            return self._significant(magnitude)
        rounded = self._round(magnitude, digits.fraction_max, value)
        whole, fraction = _plain(rounded)
        whole = whole.lstrip("0").rjust(digits.integer_min, "0")
        return self._joined(whole, fraction.rstrip("0").ljust(digits.fraction_min, "0"))

    def _joined(self, whole: str, fraction: str) -> str:
        digits = self.digits
        if not whole and not fraction:
            whole = "0"
        if digits.grouping:
            whole = _grouped(whole, digits.grouping, digits.grouping_secondary, self.grouping_separator)
        if fraction or digits.point and not digits.fraction_max:
            return whole + self.decimal_separators[0] + fraction
        return whole

    def _significant(self, magnitude: Decimal) -> str:
        digits = self.digits
        if magnitude:
            places = digits.significant_max - 1 - magnitude.adjusted()
            unit = Decimal(1).scaleb(-places, CONTEXT)
            magnitude = magnitude.quantize(unit, rounding=self.rounding or decimal.ROUND_HALF_EVEN, context=CONTEXT)
            whole, fraction = _plain(magnitude)
            keep = max(digits.significant_min - 1 - magnitude.adjusted(), 0)
        else:
            whole, fraction, keep = "0", "", digits.significant_min - 1
        fraction = fraction.rstrip("0").ljust(keep, "0")
        return self._joined(whole.lstrip("0") or "0", fraction)

    def _scientific(self, magnitude: Decimal, value: Decimal) -> str:
        digits = self.digits
        if not magnitude:
            exponent = 0
            mantissa = Decimal(0)
        elif digits.significant_max:
            exponent = magnitude.adjusted()
            mantissa = magnitude.scaleb(-exponent, CONTEXT)
        else:
            exponent = magnitude.adjusted()
            if digits.integer_max > digits.integer_min and digits.integer_max > 1:
                # ##0.##E0: exponents are multiples of the number of digits before the point.
                exponent = exponent // digits.integer_max * digits.integer_max
            else:
                exponent -= max(digits.integer_min, 1) - 1
            mantissa = magnitude.scaleb(-exponent, CONTEXT)
        if digits.significant_max:
            text = self._significant(mantissa)
        else:
            places = digits.fraction_max
            if digits.integer_max > digits.integer_min and digits.integer_max > 1 and magnitude:
                # The pattern counts significant digits: the smallest integer part plus the fraction.
                places = max(digits.integer_min + digits.fraction_max - 1 - mantissa.adjusted(), 0)
            if digits.increment:
                step = Decimal(digits.increment)
                count = CONTEXT.divide(mantissa, step).to_integral_value(
                    rounding=self.rounding or decimal.ROUND_HALF_EVEN
                )
                mantissa = CONTEXT.multiply(count, step)
            rounded = mantissa.quantize(
                Decimal(1).scaleb(-places, CONTEXT),
                rounding=self.rounding or decimal.ROUND_HALF_EVEN,
                context=CONTEXT,
            )
            if rounded != mantissa and not self.rounding:
                raise ValueError(f"{value} has more digits than its pattern {self.pattern}")
            whole, fraction = _plain(rounded)
            whole = whole.lstrip("0").rjust(digits.integer_min, "0")
            fraction = fraction.rstrip("0").ljust(digits.fraction_min, "0")
            text = self._joined(whole, fraction)
        sign = "-" if exponent < 0 else "+" if digits.exponent_plus else ""
        return text + self.exponent + sign + str(abs(exponent)).rjust(digits.exponent_min, "0")


def _plain(value: Decimal) -> tuple[str, str]:
    """Return the digits before and behind the point."""
    whole, _, fraction = format(value, "f").partition(".")
    return whole, fraction


def _grouped(whole: str, size: int, secondary: int, separator: str) -> str:
    """Return digits with separators: the last group has `size`, the others `secondary` (or as many) digits."""
    if len(whole) <= size:
        return whole
    groups = [whole[-size:]]
    rest = whole[:-size]
    step = secondary or size
    while rest:
        groups.insert(0, rest[-step:])
        rest = rest[:-step]
    return separator.join(groups)


def _split(pattern: str) -> tuple[str, str | None]:
    """Return the positive and the negative subpattern."""
    quoted = False
    skip = False
    for at, character in enumerate(pattern):
        if skip:
            skip = False
        elif character == "'":
            quoted = not quoted
        elif character == "*" and not quoted:
            skip = True
        elif character == ";" and not quoted:
            return pattern[:at], pattern[at + 1 :] or None
    return pattern, None


def _subpattern(pattern: str) -> tuple[Affix, Digits, Affix]:
    """Return prefix, digits and suffix of a subpattern. Raises ValueError for a malformed one."""
    prefix, at = _affix(pattern, 0)
    start = at
    while at < len(pattern) and pattern[at] in _NUMBER_CHARACTERS:
        at += 1
    body = pattern[start:at]
    exponent_min = 0
    exponent_plus = False
    if at < len(pattern) and pattern[at] == "E" and body:
        behind = at + 1
        if pattern[behind : behind + 1] == "+":
            exponent_plus = True
            behind += 1
        zeros = behind
        while pattern[zeros : zeros + 1] == "0":
            zeros += 1
        if zeros > behind:
            exponent_min = zeros - behind
            at = zeros
    digits = _digits(body, pattern)
    digits.exponent_min = exponent_min
    digits.exponent_plus = exponent_plus
    digits.width = at - start
    if digits.grouping and exponent_min:
        raise ValueError(f"number pattern '{pattern}' has both grouping and an exponent")
    suffix, end = _affix(pattern, at)
    if end < len(pattern):
        raise ValueError(f"number pattern '{pattern}' has digits behind its suffix")
    if prefix.pad and suffix.pad:
        raise ValueError(f"number pattern '{pattern}' has padding twice")
    return prefix, digits, suffix


def _affix(pattern: str, at: int) -> tuple[Affix, int]:
    """Return the literal text at a place of a pattern, and where it ends."""
    affix = Affix()
    text: list[str] = []
    quoted = False
    while at < len(pattern):
        character = pattern[at]
        if character == "'":
            if pattern[at + 1 : at + 2] == "'":
                text.append("'")
                at += 2
                continue
            quoted = not quoted
        elif quoted:
            text.append(character)
        elif character == "*":
            if at + 1 >= len(pattern):
                raise ValueError(f"number pattern '{pattern}' has no padding character behind *")
            if affix.pad:
                raise ValueError(f"number pattern '{pattern}' has padding twice")
            affix.pad = pattern[at + 1]
            affix.pad_before = not text
            at += 1
        elif character in _NUMBER_CHARACTERS:
            break
        else:
            text.append(character)
        at += 1
    if quoted:
        raise ValueError(f"number pattern '{pattern}' has an open quotation mark")
    affix.text = "".join(text)
    return affix, at


def _digits(body: str, pattern: str) -> Digits:
    """Return the digits of a subpattern."""
    digits = Digits()
    body = _take_scale(digits, body, pattern)
    whole, point, fraction = body.partition(".")
    digits.point = bool(point)
    if "," in whole:
        whole = _take_groups(digits, whole, pattern)
    if "@" in whole:
        if point or "0" in whole or "@" not in whole.strip("#") or whole.strip("#").strip("@"):
            raise ValueError(f"number pattern '{pattern}' mixes @ with other digits")
        digits.significant_min = whole.count("@")
        digits.significant_max = len(whole.lstrip("#"))
        return digits
    significant = whole.lstrip("#")
    if "#" in significant or "@" in fraction or "," in fraction:
        raise ValueError(f"number pattern '{pattern}' has # behind 0")
    required = fraction.rstrip("#")
    if "#" in required:
        raise ValueError(f"number pattern '{pattern}' has 0 behind # in its fraction")
    digits.integer_max = len(whole)
    digits.fraction_max = len(fraction)
    if not whole and not fraction and not digits.scale:
        raise ValueError(f"number pattern '{pattern}' has no digits")
    _set_minimum(digits, len(significant), len(required))
    nonzero = (significant + "." + required).strip("0.")
    if nonzero:
        digits.increment = (significant or "0") + ("." + required if required else "")
    return digits


def _take_scale(digits: Digits, body: str, pattern: str) -> str:
    """Set scale and virtual decimal point; return the subpattern without P and V."""
    if body.count(".") > 1 or body.count("V") > 1 or "V" in body and ("." in body or "P" in body):
        raise ValueError(f"number pattern '{pattern}' has more than one decimal point")
    if "P" in body:
        core = body.strip("P")
        if "P" in core or body.startswith("P") and body.endswith("P") or "." in core:
            raise ValueError(f"number pattern '{pattern}' has P between digits")
        digits.scale = len(body) - len(core) if body.endswith("P") else len(core) - len(body)
        return core
    if "V" in body:
        whole, _, behind = body.partition("V")
        digits.virtual = len(behind)
        return whole + behind
    return body


def _take_groups(digits: Digits, whole: str, pattern: str) -> str:
    """Set the sizes of groups; return the digits before the point without grouping separators."""
    groups = whole.split(",")
    digits.grouping = len(groups[-1])
    if len(groups) > 2:
        digits.grouping_secondary = len(groups[-2])
    if not digits.grouping:
        raise ValueError(f"number pattern '{pattern}' has a grouping separator behind its digits")
    return "".join(groups)


def _set_minimum(digits: Digits, integer: int, fraction: int) -> None:
    """Set the least digits before and behind the point. A number has at least one digit."""
    if not integer and not fraction:
        if digits.integer_max:
            integer = 1
        elif digits.fraction_max:
            fraction = 1
    digits.integer_min = integer
    digits.fraction_min = fraction


def parse_base(text: str, base: int) -> int:
    """Return the value of digits of another base: 2, 8 or 16. Raises ValueError."""
    digits = "0123456789abcdef"[:base]
    lower = text.strip().lower()
    if not lower or lower.strip(digits) or len(lower) > CHARACTERS_MAX:
        raise ValueError(f"'{text}' is not a number of base {base}")
    return int(lower, base)


def format_base(value: int, base: int) -> str:
    """Return the digits of a value that is not negative in base 2, 8 or 16."""
    if value < 0:
        raise ValueError(f"{value} is negative; only base 10 has a sign")
    return format(value, {2: "b", 8: "o", 16: "x"}[base])
