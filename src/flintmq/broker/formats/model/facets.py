"""Restrictions of simple types: lengths, ranges, digits, enumerations, patterns.

`FacetCheck(facets, logical).problem(value)` returns None if a value satisfies the facets, else the violation. It is
asked by `dfdl:checkConstraints` and by validation, never while a message is just read.
"""

from __future__ import annotations

from decimal import Decimal

from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern
from flintmq.broker.formats.model.expression import Constraints, text_of
from flintmq.broker.formats.model.number_text import CONTEXT
from flintmq.broker.formats.model.patterns import schema_regex, window
from flintmq.broker.formats.model.schema import Facets, Logical
from flintmq.broker.values import Date, Time, Timestamp

_CALENDARS = {Logical.DATE: DATE, Logical.TIME: TIME, Logical.DATE_TIME: DATE_TIME}
_NUMERIC = frozenset(
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
        Logical.DECIMAL,
        Logical.FLOAT,
        Logical.DOUBLE,
    )
)


class FacetCheck(Constraints):
    """The facets of a simple type, ready to test values."""

    def __init__(self, facets: Facets, logical: Logical) -> None:
        self.facets = facets
        self.logical = logical
        self.patterns = [[schema_regex(pattern) for pattern in group] for group in facets.patterns]
        self.enumeration = [self._parsed(text) for text in facets.enumeration]
        self.low = self._parsed(facets.min_inclusive) if facets.min_inclusive else None
        self.high = self._parsed(facets.max_inclusive) if facets.max_inclusive else None
        self.above = self._parsed(facets.min_exclusive) if facets.min_exclusive else None
        self.below = self._parsed(facets.max_exclusive) if facets.max_exclusive else None
        self.union = [FacetCheck(member, logical) for member in facets.union]

    def _parsed(self, text: str) -> object:
        """Return the value of a facet. Raises ValueError."""
        if self.logical in _NUMERIC:
            try:
                return Decimal(text.strip().replace("INF", "Infinity"))
            except ArithmeticError:
                raise ValueError(f"the facet '{text}' of a number is not a number") from None
        kind = _CALENDARS.get(self.logical)
        if kind is not None:
            return CalendarPattern("I", kind).parse(text.strip())
        if self.logical is Logical.HEX_BINARY:
            return bytes.fromhex(text.strip())
        if self.logical is Logical.BOOLEAN:
            return text.strip() in ("true", "1")
        return text

    def problem(self, value: object) -> str | None:
        """Return the violation of a value; None = no violation."""
        found = self._lengths(value) or self._order(value) or self._digits(value)
        if found is not None:
            return found
        facets = self.facets
        if facets.enumeration and self._comparable(value) not in self.enumeration:
            return f"{text_of(value)!r} is not one of {', '.join(facets.enumeration[:10])}"
        for group, shown in zip(self.patterns, facets.patterns, strict=True):
            text = text_of(value)
            if any(len(text) > window(pattern) for pattern in group):
                return f"it has {len(text)} characters, too many to compare with the pattern {' or '.join(shown)}"
            if not any(pattern.fullmatch(text) for pattern in group):
                return f"{text!r} does not match the pattern {' or '.join(shown)}"
        if self.union and all(member.problem(value) is not None for member in self.union):
            return f"{text_of(value)!r} satisfies no member of its union"
        return None

    def _comparable(self, value: object) -> object:
        if self.logical in _NUMERIC and isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
            return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        return value

    def _lengths(self, value: object) -> str | None:
        if not isinstance(value, (str, bytes)):
            return None
        if len(value) < self.facets.min_length:
            return f"its length {len(value)} is less than minLength {self.facets.min_length}"
        if 0 <= self.facets.max_length < len(value):
            return f"its length {len(value)} is more than maxLength {self.facets.max_length}"
        return None

    def _order(self, value: object) -> str | None:
        compared = self._comparable(value)
        if isinstance(compared, (Time, Timestamp)):
            # Only the fields are compared: facets and data rarely agree on a zone.
            compared = _without_zone(compared)
        elif not isinstance(compared, (Decimal, Date)):
            return None
        if isinstance(compared, Decimal) and compared.is_nan():
            bounded = (self.low, self.high, self.above, self.below) != (None, None, None, None)
            return "NaN is in no range" if bounded else None
        for bound, text, sign in (
            (self.low, "minInclusive", 1),
            (self.high, "maxInclusive", 2),
            (self.above, "minExclusive", 3),
            (self.below, "maxExclusive", 4),
        ):
            if bound is None:
                continue
            if isinstance(bound, (Time, Timestamp)):
                bound = _without_zone(bound)
            if type(bound) is not type(compared):
                continue
            less = compared < bound  # type: ignore[operator]
            equal = compared == bound
            broken = less if sign == 1 else not less and not equal if sign == 2 else less or equal
            if sign == 4:
                broken = not less
            if broken:
                return f"{text_of(value)} is out of range: {text} {text_of(bound)}"
        return None

    def _digits(self, value: object) -> str | None:
        facets = self.facets
        if facets.total_digits < 0 and facets.fraction_digits < 0:
            return None
        number = self._comparable(value)
        if not isinstance(number, Decimal) or not number.is_finite():
            return None
        _, digits, exponent = number.normalize(CONTEXT).as_tuple()
        assert isinstance(exponent, int)
        count = max(len(digits), -exponent) if exponent < 0 else len(digits) + exponent
        if number and 0 <= facets.total_digits < count:
            return f"{text_of(value)} has more than {facets.total_digits} digits"
        if 0 <= facets.fraction_digits < -exponent:
            return f"{text_of(value)} has more than {facets.fraction_digits} digits after its decimal point"
        return None


def _without_zone(value: Time | Timestamp) -> Time | Timestamp:
    if isinstance(value, Time):
        return Time(value.hour, value.minute, value.second, value.micro)
    return Timestamp(value.year, value.month, value.day, value.hour, value.minute, value.second, value.micro)
