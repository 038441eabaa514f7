"""Puts that nobody waits for: sent together, found out about by MQSTAT, undone with their unit of work (B171)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import flintmq
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE


@pytest.fixture(autouse=True)
def queues(serving: Serving) -> None:
    serving.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(FEW) MAXDEPTH(3)\nDEFINE QLOCAL(ASYNC) DEFPRESP(ASYNC)")


@pytest.fixture
def qm(serving: Serving) -> Iterator[flintmq.RemoteQueueManager]:
    with serving.connect() as connected:
        yield connected


def sent(serving: Serving) -> int:
    """How many segments the queue manager has sent to clients."""
    return sum(each.segments_sent for each in list(serving.channels.sessions))


@pytest.mark.parametrize("sharing", [0, 1, 10])
def test_puts_arrive_in_order_with_the_ids_that_they_returned(serving: Serving, sharing: int) -> None:
    serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SHARECNV({sharing})")
    with serving.connect() as qm:
        queue = qm.queue("A")
        ids = [queue.put(b"%d" % n, wait=False, properties={"n": n}) for n in range(200)]
        assert qm.flush() == (200 if sharing else 0)
        got = [serving.qm.queue("A").get() for _ in range(200)]
        assert [message.message_id for message in got] == ids and len(set(ids)) == 200
        assert [message.properties["n"] for message in got] == list(range(200))
        assert ids[0][:4] == b"AMQ "


def test_nobody_answers_a_put_that_is_not_waited_for(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    queue = qm.queue("A")
    queue.put(b"the queue is open, ids are reserved", wait=False)
    qm.flush()
    before = sent(serving)
    for n in range(100):
        queue.put(b"%d" % n, wait=False)
    assert qm.flush() == 100 and sent(serving) == before + 1


def test_what_is_not_waited_for_is_sent_soon(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    """Nothing else happens on the connection."""
    qm.queue("A").put(b"1", wait=False)
    assert serving.qm.queue("A").get(wait=PATIENCE).data == b"1"


def test_a_persistent_message_outside_of_a_transaction_is_waited_for(
    qm: flintmq.RemoteQueueManager, serving: Serving
) -> None:
    qm.queue("A").put(b"1", persistent=True, wait=False)
    assert serving.qm.queue("A").depth == 1 and qm.flush() == 0
    with pytest.raises(flintmq.QueueFull):
        for _ in range(4):
            qm.queue("FEW").put(b"1", persistent=True, wait=False)


def test_flush_raises_the_first_failure_and_forgets_it(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    for _ in range(5):
        qm.queue("FEW").put(b"1", wait=False)
    with pytest.raises(flintmq.QueueFull, match="2 of 5 puts that were not waited for failed, the first to FEW"):
        qm.flush()
    assert qm.flush() == 0


def test_a_transaction_with_a_put_that_failed_is_backed_out(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    """Nothing of it is left, and the next one is not concerned."""
    with pytest.raises(flintmq.BackedOut, match="FEW") as failed, qm.transaction():
        qm.queue("A").put(b"1", wait=False)
        for _ in range(4):
            qm.queue("FEW").put(b"1", wait=False, persistent=True)
    assert isinstance(failed.value.__cause__, flintmq.QueueFull)
    assert (serving.qm.queue("A").depth, serving.qm.queue("FEW").depth) == (0, 0)
    with qm.transaction():
        qm.queue("A").put(b"2", wait=False)
    assert serving.qm.queue("A").get().data == b"2"


def test_what_failed_in_one_unit_of_work_does_not_count_in_another(
    qm: flintmq.RemoteQueueManager, serving: Serving
) -> None:
    """Neither what was backed out, nor what was put outside; `flush` still tells of that."""
    few = qm.queue("FEW")
    with pytest.raises(ZeroDivisionError), qm.transaction():
        for _ in range(5):
            few.put(b"", wait=False)
        raise ZeroDivisionError
    for _ in range(5):
        few.put(b"", wait=False)
    with qm.transaction():
        qm.queue("A").put(b"1", wait=False)
    assert serving.qm.queue("A").depth == 1
    with pytest.raises(flintmq.QueueFull, match="2 of 5 puts"):
        qm.flush()


def test_defpresp_of_the_queue_makes_puts_asynchronous(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    mqi, od = qm.mqi, MQOD()
    od.object_name = "ASYNC"
    handle = mqi.open(od, mq.MQOO_OUTPUT)
    before = sent(serving)
    for options in (0, mq.MQPMO_ASYNC_RESPONSE):
        md, pmo = MQMD(), MQPMO()
        md.persistence, pmo.options = mq.MQPER_NOT_PERSISTENT, options | mq.MQPMO_NEW_CORREL_ID
        mqi.put(handle, md, pmo, b"")
        assert md.msg_id != bytes(24) != md.correl_id
    assert mqi.stat(mq.MQSTAT_TYPE_ASYNC_ERROR).put_success_count == 2
    assert sent(serving) == before + 2  # The ids, and MQSTAT.
    pmo = MQPMO()
    pmo.options = mq.MQPMO_SYNC_RESPONSE
    mqi.put(handle, MQMD(), pmo, b"")
    assert sent(serving) == before + 3 and serving.qm.queue("ASYNC").depth == 3


def test_mqput1_need_not_be_waited_for(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    mqi, md, pmo, od = qm.mqi, MQMD(), MQPMO(), MQOD()
    od.object_name = "NO.SUCH"
    pmo.options, md.persistence = mq.MQPMO_ASYNC_RESPONSE, mq.MQPER_NOT_PERSISTENT
    mqi.put1(od, md, pmo, b"")
    status = mqi.stat(mq.MQSTAT_TYPE_ASYNC_ERROR)
    assert (status.put_failure_count, status.reason) == (1, rc.MQRC_UNKNOWN_OBJECT_NAME)


def test_puts_longer_than_a_segment_need_not_be_waited_for(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    data = bytes(range(256)) * 1000
    for _ in range(3):
        qm.queue("A").put(data, wait=False)
    assert qm.flush() == 3
    assert [message.data for message in serving.qm.queue("A").messages()] == [data] * 3


def test_puts_go_on_while_messages_that_were_sent_ahead_are_not_read(serving: Serving) -> None:
    """Six browses of a mebibyte each are more than the queue manager keeps for a client that does not read."""
    serving.qm.mqsc("DEFINE QLOCAL(BIG) REPLACE MAXDEPTH(10000)")
    for _ in range(8):
        serving.qm.queue("BIG").put(bytes(1_000_000))
    with serving.connect() as qm:
        browsers = [qm.queue("BIG").browse(read_ahead=True) for _ in range(6)]
        assert {len(next(browser).data) for browser in browsers} == {1_000_000}
        queue = qm.queue("A")
        for _ in range(400):
            queue.put(bytes(20_000), wait=False)
        assert qm.flush() == 400
        assert [sum(1 for _ in browser) for browser in browsers] == [7] * 6


def test_a_unit_of_work_is_lost_with_its_connection(serving: Serving) -> None:
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue("A")
        with pytest.raises(flintmq.BackedOut), qm.transaction():
            queue.put(b"1", wait=False)
            serving.cut()
            queue.get(wait=0.2)
        assert serving.qm.queue("A").depth == 0
        with qm.transaction():
            queue.put(b"2", wait=False)
        assert serving.qm.queue("A").get().data == b"2"


def test_tasks_need_not_wait(serving: Serving) -> None:
    async def main() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            queue, few = await qm.queue("A"), await qm.queue("FEW")
            ids = [await queue.put(b"x" * 10_000, wait=False) for _ in range(100)]
            assert await qm.flush() == 100 and len(set(ids)) == 100
            with pytest.raises(flintmq.BackedOut):
                async with qm.transaction():
                    for _ in range(4):
                        await few.put(b"1", wait=False)
            assert serving.qm.queue("FEW").depth == 0
            with pytest.raises(ZeroDivisionError):
                async with qm.transaction():
                    for _ in range(4):
                        await few.put(b"1", wait=False)
                    raise ZeroDivisionError
            async with qm.transaction():
                await few.put(b"1", wait=False)
            await few.put(b"2", wait=False)
        assert serving.qm.queue("FEW").depth == 2

    asyncio.run(main())
    assert serving.qm.queue("A").depth == 100


def test_a_queue_manager_in_this_process_has_nobody_to_wait_for() -> None:
    async def main() -> int:
        async with flintmq.aopen(":memory:") as qm:
            queue = await qm.queue("A", create=True, maxdepth=1)
            await queue.put(b"1", wait=False)
            with pytest.raises(flintmq.QueueFull):
                await queue.put(b"1", wait=False)
            return await qm.flush()

    assert asyncio.run(main()) == 2
