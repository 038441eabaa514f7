"""Distribution lists: the arrays that a descriptor points to are read, and the responses written into the program's."""

from __future__ import annotations

import ctypes
import struct

import pytest

import flintmq
from flintmq import pymqi
from flintmq.pymqi import CMQC


def records(*names: str) -> ctypes.Array[ctypes.c_char]:
    """An array of MQOR."""
    raw = b"".join(name.encode().ljust(48) + b" " * 48 for name in names)
    return ctypes.create_string_buffer(raw, len(raw))


def test_a_message_goes_to_every_queue_of_a_list_and_each_has_its_response(embedded: flintmq.QueueManager) -> None:
    qmgr = pymqi.QueueManager(embedded)
    queues, responses = records("DEV.QUEUE.1", "DEV.QUEUE.2", "NO.SUCH.QUEUE"), ctypes.create_string_buffer(24)
    od = pymqi.OD(Version=2, RecsPresent=3, ObjectRecPtr=ctypes.addressof(queues))
    od.ResponseRecPtr = ctypes.addressof(responses)
    put_responses = ctypes.create_string_buffer(24)
    pmo = pymqi.PMO(Version=2, RecsPresent=3, ResponseRecPtr=ctypes.addressof(put_responses))
    with pytest.raises(pymqi.MQMIError) as warned:
        qmgr.put1(od, b"news", pymqi.MD(), pmo)
    assert warned.value.reason == CMQC.MQRC_MULTIPLE_REASONS
    assert struct.unpack("6i", bytes(put_responses)) == (0, 0, 0, 0, CMQC.MQCC_FAILED, CMQC.MQRC_UNKNOWN_OBJECT_NAME)
    for name in ("DEV.QUEUE.1", "DEV.QUEUE.2"):
        assert pymqi.Queue(qmgr, name).get() == b"news"
    qmgr.disconnect()


def test_records_of_a_put_give_each_message_its_own_identifier(embedded: flintmq.QueueManager) -> None:
    qmgr = pymqi.QueueManager(embedded)
    queues = records("DEV.QUEUE.1", "DEV.QUEUE.2")
    od = pymqi.OD(Version=2, RecsPresent=2, ObjectRecPtr=ctypes.addressof(queues))
    queue = pymqi.Queue(qmgr, od, CMQC.MQOO_OUTPUT)
    own = ctypes.create_string_buffer(b"1".ljust(24, b"\0") + b"2".ljust(24, b"\0"), 48)
    pmo = pymqi.PMO(Version=2, RecsPresent=2, PutMsgRecPtr=ctypes.addressof(own))
    pmo.PutMsgRecFields = CMQC.MQPMRF_CORREL_ID
    queue.put(b"news", pymqi.MD(), pmo)
    found = []
    for name in ("DEV.QUEUE.1", "DEV.QUEUE.2"):
        md = pymqi.MD()
        pymqi.Queue(qmgr, name).get(None, md)
        found.append(md.CorrelId[:1])
    assert found == [b"1", b"2"] and pmo.KnownDestCount == 2
    qmgr.disconnect()
