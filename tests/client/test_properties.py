"""Message properties in the Python API: `put(properties=...)`, `message.properties`, and the handles of `qm.mqi`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.client.dead_letter import DeadLetterHandler
from flintmq.client.message import properties_of_put
from flintmq.command.dead_letter_rules import read_rules
from flintmq.mqi.constants import (
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQGMO_NO_SYNCPOINT,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_INQ_NEXT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NO_SYNCPOINT,
    MQTYPE_INT16,
    MQTYPE_STRING,
)
from flintmq.mqi.dmpo import MQDMPO
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.property_values import Value
from flintmq.mqi.reason import MQCC_WARNING, MQRC_PROPERTY_NOT_AVAILABLE
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.testing import DiskQueueManager
from tests.qmgr.test_message_properties import rfh2
from tests.waiting import PATIENCE

ALL_TYPES: dict[str, Value] = {
    "text": "grün & <b>",
    "yes": True,
    "n": 3,
    "big": 1 << 40,
    "ratio": 0.5,
    "raw": b"\0\1",
    "nothing": None,
    "shop.size.width": 7,
}


@pytest.fixture
def qm() -> Iterator[flintmq.QueueManager]:
    with flintmq.open(":memory:") as opened:
        opened.queue("A", create=True)
        yield opened
        opened._host.engine.check()


def test_properties_come_back_with_their_types(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A")
    queue.put("data", properties=ALL_TYPES)
    message = queue.get()
    assert message.properties == ALL_TYPES
    assert {name: type(value) for name, value in message.properties.items()} == {
        name: type(value) for name, value in ALL_TYPES.items()
    }
    assert (message.text, message.format) == ("data", MQFMT_STRING)
    assert message.properties is message.properties, "read once"


def test_a_message_without_properties_has_an_empty_dictionary(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A")
    queue.put("with", properties={"a": 1})
    queue.put(b"without", properties={})
    assert queue.get().properties == {"a": 1}
    assert queue.get().properties == {}


def test_browse_wait_transaction_and_consumers_see_properties(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A")
    for number in range(3):
        queue.put(b"data", properties={"n": number})
    assert [message.properties["n"] for message in queue.browse()] == [0, 1, 2]
    with qm.transaction():
        assert queue.get(wait=1.0).properties == {"n": 0}
    assert [message.properties for message in queue.messages()] == [{"n": 1}, {"n": 2}]

    seen: list[dict[str, Value]] = []
    done = threading.Event()

    def consume(message: flintmq.Message) -> None:
        seen.append(message.properties)
        done.set()

    with queue.consume(consume):
        queue.put(b"data", properties={"color": "red"})
        assert done.wait(PATIENCE)
    assert seen == [{"color": "red"}]


def test_a_get_that_waits_is_woken_with_the_properties(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A")
    found: list[flintmq.Message] = []
    waiter = threading.Thread(target=lambda: found.append(queue.get(wait=PATIENCE)))
    waiter.start()
    queue.put(b"data", properties={"color": "red"})
    waiter.join(PATIENCE)
    assert (found[0].data, found[0].properties) == (b"data", {"color": "red"})


def test_properties_of_a_header_that_somebody_put_are_read_and_leave_the_data(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("A")
    header = rfh2("<usr><color>red</color></usr>", format=MQFMT_STRING)
    queue.put(header + b"data", format=MQFMT_RF_HEADER_2)
    message = queue.get()
    assert (message.data, message.format, message.properties) == (b"data", MQFMT_STRING, {"color": "red"})


def test_propctl_force_leaves_them_in_the_data(qm: flintmq.QueueManager) -> None:
    queue = qm.queue("F", create=True, propctl="FORCE")
    queue.put(b"data", properties={"color": "red"})
    message = queue.get()
    assert MQRFH2.unpack(message.data).folders == ["<usr><color>red</color></usr>"]
    assert message.properties == {"color": "red"}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("not good", 1, 2442),
        ("JMSMine", 1, 2442),
        ("Root.MQMD.Priority", 1, 2442),
        ("x" * 5000, 1, 2513),
        ("n", 1 << 64, 2473),
        ("n", [1], 2473),
        ("n", "\ud800", 2473),
    ],
)
def test_a_bad_property_is_refused_by_reason_and_nothing_is_put(
    qm: flintmq.QueueManager, name: str, value: Value, reason: int
) -> None:
    queue = qm.queue("A")
    with pytest.raises(flintmq.BadProperty) as caught:
        queue.put(b"data", properties={"good": 1, name: value})
    assert caught.value.reason == reason
    assert str(reason) in str(caught.value)
    assert queue.depth == 0
    with pytest.raises(TypeError, match="int"):
        properties_of_put({1: 2})


def test_properties_that_are_too_long_are_refused_and_the_handle_is_given_back(qm: flintmq.QueueManager) -> None:
    qm.mqsc("ALTER QMGR MAXPROPL(20)")
    queue = qm.queue("A")
    with pytest.raises(flintmq.BadProperty, match=r"MAXPROPL\(20\)"):
        queue.put(b"data", properties={"color": "red"})
    assert queue.depth == 0
    assert qm._current()._session.connection.message_handles == {}


def test_a_poison_message_keeps_its_properties(qm: flintmq.QueueManager) -> None:
    aside = qm.queue("ASIDE", create=True)
    queue = qm.queue("P", create=True, bothresh=1, boqname="ASIDE")
    queue.put(b"data", properties={"color": "red"})
    queue.get(syncpoint=True)
    qm.backout()
    assert queue.get_or_none() is None
    message = aside.get()
    assert (message.data, message.properties) == (b"data", {"color": "red"})


def test_the_dead_letter_handler_brings_a_message_back_with_its_properties(qm: flintmq.QueueManager) -> None:
    qm.mqsc("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    queue = qm.queue("P", create=True, bothresh=1)
    queue.put("data", properties={"shop.count": 3})
    queue.get(syncpoint=True)
    qm.backout()
    assert queue.get_or_none() is None
    assert next(qm.queue("DLQ").browse()).properties == {"shop.count": 3}
    DeadLetterHandler(qm, read_rules("WAIT(NO)\nACTION(RETRY)"), write=lambda text: None).run()
    message = queue.get()
    assert (message.text, message.format, message.properties) == ("data", MQFMT_STRING, {"shop.count": 3})


def test_properties_are_durable(tmp_path: Path) -> None:
    with DiskQueueManager(tmp_path / "QM1") as disk:
        disk.queue("A", create=True).put(b"data", persistent=True, properties=ALL_TYPES)
        disk.crash()
        assert disk.queue("A").get().properties == ALL_TYPES


def test_tasks_put_and_get_properties() -> None:
    async def run() -> None:
        async with await flintmq.aopen(":memory:") as qm:
            queue = await qm.queue("A", create=True)
            waiting = asyncio.create_task(queue.get(wait=PATIENCE))
            await asyncio.sleep(0)
            await queue.put(b"data", properties={"color": "red"})
            assert (await waiting).properties == {"color": "red"}
            await queue.put(b"data", properties={"n": 1})
            assert [message.properties async for message in queue.browse()] == [{"n": 1}]
            async with qm.transaction():
                assert (await queue.get()).properties == {"n": 1}
            with pytest.raises(flintmq.BadProperty):
                await queue.put(b"data", properties={"not good": 1})

    asyncio.run(run())


# -- qm.mqi ------------------------------------------------------------------------------------------------------------


def test_message_handles_through_the_mqi(qm: flintmq.QueueManager) -> None:
    mqi = qm.mqi
    od = MQOD()
    od.object_name = "A"
    handle = mqi.open(od, MQOO_OUTPUT | MQOO_INPUT_SHARED)
    hmsg = mqi.crtmh()
    mqi.setmp(hmsg, "color", "red")
    mqi.setmp(hmsg, "n", b"\3\0", MQTYPE_INT16)
    pmo = MQPMO()
    pmo.version, pmo.new_msg_handle, pmo.options = 3, hmsg, MQPMO_NO_SYNCPOINT
    mqi.put(handle, MQMD(), pmo, b"data")
    mqi.dltmh(hmsg)

    back = mqi.crtmh()
    gmo = MQGMO()
    gmo.version, gmo.msg_handle, gmo.options = 4, back, MQGMO_NO_SYNCPOINT
    assert mqi.get(handle, MQMD(), gmo) == b"data"
    assert mqi.inqmp(back, "color").value == "red"
    impo = MQIMPO()
    found = mqi.inqmp(back, "%", impo)
    impo.options = MQIMPO_INQ_NEXT
    found = mqi.inqmp(back, "%", impo)
    assert (impo.returned_name, found.kind, found.data) == ("n", MQTYPE_INT16, b"\3\0")
    with pytest.raises(flintmq.MQError, match="2471"):
        mqi.inqmp(back, "%", impo)
    impo.options = MQIMPO_CONVERT_TYPE
    assert mqi.inqmp(back, "n", impo, type=MQTYPE_STRING).data == b"3"
    with pytest.raises(flintmq.MQError, match="2469"):
        mqi.inqmp(back, "color", max_length=1)
    assert mqi.data_length == 3
    mqi.dltmp(back, "size")
    assert (mqi.completion, mqi.reason) == (MQCC_WARNING, MQRC_PROPERTY_NOT_AVAILABLE)
    dmpo = MQDMPO()
    dmpo.options = MQDMPO_DEL_PROP_UNDER_CURSOR
    mqi.dltmp(back, "", dmpo)


def test_buffers_through_the_mqi(qm: flintmq.QueueManager) -> None:
    mqi = qm.mqi
    hmsg = mqi.crtmh(unassociated=True)
    mqi.setmp(hmsg, "color", "red")
    md = MQMD()
    md.format = MQFMT_STRING
    header = mqi.mhbuf(hmsg, "%", md)
    assert md.format == MQFMT_RF_HEADER_2 and mqi.data_length == len(header)
    other = mqi.crtmh()
    assert mqi.bufmh(other, md, header + b"data") == b"data"
    assert md.format == MQFMT_STRING
    assert mqi.inqmp(other, "color").value == "red"
    mqi.dltmh(hmsg)
    with pytest.raises(flintmq.MQError, match="2460"):
        mqi.dltmh(hmsg)


def test_arguments_of_the_wrong_kind_never_reach_the_engine(qm: flintmq.QueueManager) -> None:
    mqi = qm.mqi
    hmsg = mqi.crtmh()
    impo = MQIMPO()
    impo.requested_ccsid = 1 << 40
    with pytest.raises(StructureError):
        mqi.inqmp(hmsg, "a", impo)
    with pytest.raises(TypeError):
        mqi.setmp(hmsg, 1, 2)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        mqi.bufmh(hmsg, MQMD(), "text")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        mqi.dltmh("1")  # type: ignore[arg-type]
    mqi.setmp(hmsg, "still", "alive")
