"""WHERE(keyword operator value): the filter of DISPLAY.

    LT GT EQ NE LE GE   numbers and texts; words of an enumeration with EQ and NE only
    LK NL               texts: like, not like a generic value (ABC*)
    CT EX               lists: contains, excludes the value
    CTG EXG             lists: contains, excludes an element like the generic value

An object that does not have the attribute does not match, whatever the operator.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flintmq.catalogue.attribute import (
    ENUM,
    FLAG,
    HEX,
    INT,
    INTERVAL,
    LIST,
    NAME,
    STRING,
    Attribute,
    Value,
    ValueRejected,
    interval_seconds,
    number_of,
    parse_value,
)
from flintmq.command.parser import Parameter
from flintmq.qmgr.catalogue import matches

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "LT": operator.lt,
    "GT": operator.gt,
    "EQ": operator.eq,
    "NE": operator.ne,
    "LE": operator.le,
    "GE": operator.ge,
}
_TEXTS: dict[str, Callable[[str, str], bool]] = {
    "LT": operator.lt,
    "GT": operator.gt,
    "EQ": operator.eq,
    "NE": operator.ne,
    "LE": operator.le,
    "GE": operator.ge,
    "LK": lambda value, pattern: matches(pattern, value),
    "NL": lambda value, pattern: not matches(pattern, value),
}
_LISTS: dict[str, Callable[[list[str], str], bool]] = {
    "CT": lambda values, wanted: wanted in values,
    "EX": lambda values, wanted: wanted not in values,
    "CTG": lambda values, pattern: any(matches(pattern, value) for value in values),
    "EXG": lambda values, pattern: not any(matches(pattern, value) for value in values),
}

OPERATORS = tuple(dict.fromkeys((*_TEXTS, *_LISTS)))


class FilterError(Exception):
    """The filter does not fit the attribute. `str(error)` says why."""


@dataclass(frozen=True)
class Filter:
    """One WHERE. `matches_row` says whether a row of attributes passes."""

    attribute: Attribute
    operation: str
    value: Value

    @property
    def keyword(self) -> str:
        return self.attribute.keyword

    def matches_row(self, row: dict[str, Value]) -> bool:
        value = row.get(self.keyword)
        if value is None:
            return False
        kind = self.attribute.kind
        if isinstance(value, list):
            return _LISTS[self.operation](value, str(self.value))
        if kind == INT:
            try:
                left, right = number_of(self.attribute, value), number_of(self.attribute, self.value)
            except ValueRejected:
                return False  # Blank: monitoring is off, there is no number to compare.
            return _NUMBERS[self.operation](left, right)
        if kind == INTERVAL:
            return _NUMBERS[self.operation](interval_seconds(str(value)), interval_seconds(str(self.value)))
        return _TEXTS[self.operation](str(value), str(self.value))


def parse_filter(parameter: Parameter, attributes: Iterable[Attribute]) -> Filter:
    """Return the filter of a WHERE parameter, on one of `attributes`."""
    texts = parameter.texts
    if len(texts) != 3:
        raise FilterError("it takes a keyword, an operator and a value")
    keyword, operation, text = texts[0].upper(), texts[1].upper(), texts[2]
    attribute = next((each for each in attributes if keyword in (each.keyword, *each.synonyms)), None)
    if attribute is None or attribute.kind == FLAG:
        raise FilterError(f"{keyword} cannot be filtered on here")
    return filter_on(attribute, operation, text)


def filter_on(attribute: Attribute, operation: str, text: str) -> Filter:
    """Return a filter on `attribute`. Raises FilterError if the operator or the value does not fit it."""
    keyword = attribute.keyword
    if attribute.secret:
        raise FilterError(f"{keyword} cannot be filtered on here")
    allowed = _operators(attribute)
    if operation not in allowed:
        raise FilterError(f"{keyword} takes {', '.join(allowed)}" if allowed else f"{keyword} cannot be filtered on")
    if operation in ("LK", "NL", "CTG", "EXG") and not text.endswith("*"):
        raise FilterError(f"{operation} takes a generic value, one that ends in *")
    return Filter(attribute, operation, _value(attribute, text))


def _operators(attribute: Attribute) -> tuple[str, ...]:
    if attribute.kind in (INT, INTERVAL):
        return tuple(_NUMBERS)
    if attribute.kind in (STRING, NAME, HEX):
        return tuple(_TEXTS)
    if attribute.kind in (ENUM, FLAG):
        return ("EQ", "NE")
    return tuple(_LISTS) if attribute.kind == LIST else ()


def _value(attribute: Attribute, text: str) -> Value:
    if attribute.kind in (INT, INTERVAL, ENUM, FLAG):
        try:
            return parse_value(attribute, [text])
        except ValueRejected as error:
            raise FilterError(str(error)) from None
    return text.rstrip(" ")
