"""Filters as ibmmq has them: also on byte strings."""

from __future__ import annotations

from typing import ClassVar

from flintmq.ibmmq.errors import Error
from flintmq.mqi import constants as mq
from flintmq.pymqi import filters as pymqi
from flintmq.pymqi.filters import IntegerFilter, StringFilter, _Filter
from flintmq.pymqi.opts import MQOpts
from flintmq.pymqi.pcf_structures import CFBF


class ByteStringFilter(_Filter):
    """On a byte string."""

    _pymqi_filter_type = "bytestring"

    def structure(self) -> MQOpts:
        """As it is sent."""
        return CFBF(Parameter=self.selector, Operator=self.operator, FilterValue=self.value)


class FilterOperator(pymqi.FilterOperator):
    """One way to compare one attribute; called with a value it is a filter."""

    _kinds = (*pymqi.FilterOperator._kinds, (mq.MQBA_FIRST, mq.MQBA_LAST, ByteStringFilter))
    _error: ClassVar[type[Exception]] = Error


class Filter(pymqi.Filter):
    """An attribute to compare; its methods are the keys of `FilterOperator.operator_mapping`."""

    _operator = FilterOperator


__all__ = ["ByteStringFilter", "Filter", "FilterOperator", "IntegerFilter", "StringFilter", "_Filter"]
