"""MQINQ and MQSET of many attributes in one call."""

from __future__ import annotations

from typing import Any

from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.text import ensure_strings_are_bytes
from flintmq.mqi import constants as mq
from flintmq.mqi.reason import MQCC_FAILED, MQRC_CHAR_ATTR_LENGTH_ERROR
from flintmq.pymqi import pymqe
from flintmq.pymqi.binding import Binding

#: Character attributes that MQSET changes, and their lengths.
_LENGTHS = {mq.MQCA_TRIGGER_DATA: mq.MQ_TRIGGER_DATA_LENGTH}


def inquired(hconn: int | None, hobj: int, selectors: int | list[int]) -> Any:
    """One value for a selector, a dictionary for a list of them."""
    asked = selectors if isinstance(selectors, list) else [selectors]
    found, comp, reason = pymqe.called(hconn, lambda binding: pymqe.inquired(binding, hobj, asked))
    IBMMQ.check(comp, reason)
    return found if isinstance(selectors, list) else found[selectors]


def changed(hconn: int | None, hobj: int, values: dict[int, Any]) -> None:
    """Set attributes, all of them or none."""
    integers: list[int] = []
    characters = b""
    for selector, value in values.items():
        if mq.MQIA_FIRST <= selector <= mq.MQIA_LAST:
            integers.append(value)
            continue
        raw, length = ensure_strings_are_bytes(value), _LENGTHS.get(selector, 0)
        if length and len(raw) > length:
            raise IBMMQ.MQMIError(MQCC_FAILED, MQRC_CHAR_ATTR_LENGTH_ERROR)
        characters += raw.ljust(length)
    text = characters.replace(b"\0", b" ").decode("utf-8", "replace")

    def work(binding: Binding) -> None:
        binding.mqi.set(binding.object(hobj), list(values), integers, text)

    IBMMQ.check(*pymqe.called(hconn, work)[1:])
