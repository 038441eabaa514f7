"""Filters for inquiries.

Filter(CMQC.MQIA_CURRENT_Q_DEPTH).greater(0)
Filter(CMQC.MQCA_Q_DESC).like(b"IBM MQ*")
"""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.pymqi.errors import Error
from flintmq.pymqi.opts import MQOpts
from flintmq.pymqi.pcf_structures import CFIF, CFSF
from flintmq.pymqi.text import ensure_bytes, ensure_not_unicode


class ByteString:
    """A value that is to be sent as a byte string, not as characters."""

    def __init__(self, value: str | bytes) -> None:
        self.value = value
        self.pymqi_byte_string = True

    def __len__(self) -> int:
        return len(self.value)


class _Filter:
    """Which attribute, which value, and how they are compared (MQCFOP_*)."""

    _pymqi_filter_type: ClassVar[str | None] = None

    def __init__(self, selector: int, value: int | str | bytes, operator: int) -> None:
        self.selector = selector
        self.value = ensure_bytes(value)
        self.operator = operator

    def structure(self) -> MQOpts:
        """As it is sent."""
        raise NotImplementedError("a filter is a StringFilter or an IntegerFilter")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x} {self.selector}:{self.value}:{self.operator}>"


class StringFilter(_Filter):
    """On a character attribute."""

    _pymqi_filter_type = "string"

    def structure(self) -> MQOpts:
        """As it is sent."""
        return CFSF(Parameter=self.selector, Operator=self.operator, FilterValue=self.value)


class IntegerFilter(_Filter):
    """On an integer attribute."""

    _pymqi_filter_type = "integer"

    def structure(self) -> MQOpts:
        """As it is sent."""
        return CFIF(Parameter=self.selector, Operator=self.operator, FilterValue=self.value)


class FilterOperator:
    """One way to compare one attribute; called with a value it is a filter."""

    operator_mapping: ClassVar[dict[str, int]] = {
        "less": pcf.MQCFOP_LESS,
        "equal": pcf.MQCFOP_EQUAL,
        "greater": pcf.MQCFOP_GREATER,
        "not_less": pcf.MQCFOP_NOT_LESS,
        "not_equal": pcf.MQCFOP_NOT_EQUAL,
        "not_greater": pcf.MQCFOP_NOT_GREATER,
        "like": pcf.MQCFOP_LIKE,
        "not_like": pcf.MQCFOP_NOT_LIKE,
        "contains": pcf.MQCFOP_CONTAINS,
        "excludes": pcf.MQCFOP_EXCLUDES,
        "contains_gen": pcf.MQCFOP_CONTAINS_GEN,
        "excludes_gen": pcf.MQCFOP_EXCLUDES_GEN,
    }

    #: First and last selector, and the filter for them.
    _kinds: ClassVar[tuple[tuple[int, int, type[_Filter]], ...]] = (
        (mq.MQIA_FIRST, mq.MQIA_LAST, IntegerFilter),
        (mq.MQCA_FIRST, mq.MQCA_LAST, StringFilter),
    )
    _error: ClassVar[type[Exception]] = Error

    def __init__(self, selector: int, operator_name: str) -> None:
        found = [kind for first, last, kind in self._kinds if first <= selector <= last]
        if not found:
            raise self._error(
                f"selector [{selector}] is of an unsupported type (neither integer nor a string attribute)."
            )
        if operator_name not in self.operator_mapping:
            raise self._error(f"Operator [{operator_name}] is not supported.")
        self.filter_cls = found[0]
        self.selector = selector
        self.operator = self.operator_mapping[operator_name]

    def __call__(self, value: int | bytes) -> _Filter:
        ensure_not_unicode(value)
        return self.filter_cls(self.selector, value, self.operator)


class Filter:
    """An attribute to compare; its methods are the keys of `FilterOperator.operator_mapping`."""

    _operator: ClassVar[type[FilterOperator]] = FilterOperator

    def __init__(self, selector: int) -> None:
        self.selector = selector

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._operator(self.selector, name)
