"""Message handles: every type of property goes through a queue, embedded and over a channel."""

from __future__ import annotations

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC
from tests.pymqi.conftest import QUEUE

NAME = b"color"


def sent(qmgr: pymqi.QueueManager, put: pymqi.MessageHandle) -> pymqi.MessageHandle:
    """A handle with the properties of a message that was put with `put`."""
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_OUTPUT | CMQC.MQOO_INPUT_AS_Q_DEF)
    queue.put(b"", pymqi.MD(), pymqi.PMO(Version=3, OriginalMsgHandle=put.msg_handle))
    got = pymqi.MessageHandle(qmgr, pymqi.CMHO())
    gmo = pymqi.GMO(Version=4, Options=CMQC.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=got.msg_handle)
    queue.get(None, pymqi.MD(), gmo)
    queue.close()
    return got


@pytest.mark.parametrize(
    ("kind", "value", "length"),
    [
        (CMQC.MQTYPE_BOOLEAN, True, 4),
        (CMQC.MQTYPE_BYTE_STRING, b"\0\1\2", 3),
        (CMQC.MQTYPE_INT8, -127, 1),
        (CMQC.MQTYPE_INT16, -32768, 2),
        (CMQC.MQTYPE_INT32, -2147483647, 4),
        (CMQC.MQTYPE_INT64, -9223372036854775808, 8),
        (CMQC.MQTYPE_FLOAT32, 0.5, 4),
        (CMQC.MQTYPE_FLOAT64, 2.2250738585072014e-308, 8),
        (CMQC.MQTYPE_STRING, "grün", CMQC.MQVL_NULL_TERMINATED),
        (CMQC.MQTYPE_NULL, "", 0),
    ],
)
def test_a_property_keeps_its_type_and_value(qmgr: pymqi.QueueManager, kind: int, value: object, length: int) -> None:
    handle = pymqi.MessageHandle(qmgr)
    handle.properties.set(NAME, value, kind, length)
    found = sent(qmgr, handle).properties.get(NAME)
    assert found == (None if kind == CMQC.MQTYPE_NULL else value)


def test_properties_are_items(qmgr: pymqi.QueueManager) -> None:
    handle = pymqi.MessageHandle(qmgr)
    handle.properties[NAME] = "red"
    assert handle.properties[NAME] == "red"
    handle.properties.set(b"none", None, CMQC.MQTYPE_NULL, 0)
    with pytest.raises(KeyError, match="No such property"):
        handle.properties[b"none"]


def test_a_value_that_does_not_fit_says_how_long_it_is(qmgr: pymqi.QueueManager) -> None:
    handle = pymqi.MessageHandle(qmgr)
    handle.properties.set(NAME, "red and blue")
    with pytest.raises(pymqi.MQMIError, match="MQRC_PROPERTY_VALUE_TOO_BIG") as refused:
        handle.properties.get(NAME, max_value_length=3)
    assert refused.value.dataLength == 12


def test_a_property_that_is_not_there_is_a_reason(qmgr: pymqi.QueueManager) -> None:
    with pytest.raises(pymqi.MQMIError, match="MQRC_PROPERTY_NOT_AVAILABLE"):
        pymqi.MessageHandle(qmgr).properties.get(NAME)


def test_a_value_of_another_type_is_refused(qmgr: pymqi.QueueManager) -> None:
    handle = pymqi.MessageHandle(qmgr)
    for value, kind in ((b"bytes", CMQC.MQTYPE_STRING), ("text", CMQC.MQTYPE_BYTE_STRING)):
        with pytest.raises(TypeError):
            handle.properties.set(NAME, value, kind)
    with pytest.raises(pymqi.MQMIError):
        handle.properties.set(b"no good name", "red")


def test_a_handle_needs_a_connection() -> None:
    with pytest.raises(pymqi.MQMIError, match="MQRC_HCONN_ERROR"):
        pymqi.MessageHandle()
