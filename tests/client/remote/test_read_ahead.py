"""Messages that are sent before they are asked for: gets, browses, and the rules of MQ for them (B171)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import flintmq
from flintmq.client.remote.definition import Definition, addresses
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.wire.mq import channel_instance as server
from flintmq.wire.mq import segment as seg
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE, until

AHEAD = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD
BROWSE_AHEAD = mq.MQOO_BROWSE | mq.MQOO_READ_AHEAD
NEXT = mq.MQGMO_BROWSE_NEXT
OUTSIDE = mq.MQGMO_NO_SYNCPOINT


def share(serving: Serving, conversations: int) -> None:
    serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SHARECNV({conversations})")


@pytest.fixture(autouse=True)
def queue_a(serving: Serving) -> None:
    serving.qm.mqsc("DEFINE QLOCAL(A) MAXDEPTH(100000)")


@pytest.fixture(params=[0, 1, 10], ids=["SHARECNV0", "SHARECNV1", "SHARECNV10"])
def qm(request: pytest.FixtureRequest, serving: Serving) -> Iterator[flintmq.RemoteQueueManager]:
    share(serving, request.param)
    with serving.connect() as connected:
        assert connected.mqi.wire.session.shared is (request.param > 0)
        yield connected


def fill(serving: Serving, count: int, size: int = 0) -> list[bytes]:
    """Message ids."""
    queue = serving.qm.queue("A")
    return [queue.put(b"%d" % n + b"x" * size) for n in range(count)]


def segments(serving: Serving) -> tuple[int, int]:
    """How many segments clients have sent, and were sent."""
    sessions = list(serving.channels.sessions)
    return sum(each.segments_received for each in sessions), sum(each.segments_sent for each in sessions)


def opened(mqi: object, options: int, name: str = "A") -> object:
    od = MQOD()
    od.object_name = name
    return mqi.open(od, options)  # type: ignore[attr-defined]


def options(value: int, wait_ms: int = 0) -> MQGMO:
    gmo = MQGMO()
    gmo.version, gmo.options, gmo.wait_interval = 3, value, wait_ms
    return gmo


@pytest.mark.parametrize("size", [0, 40_000, 300_000])
def test_a_browse_shows_every_message_once_in_order_with_its_token(
    qm: flintmq.RemoteQueueManager, serving: Serving, size: int
) -> None:
    ids = fill(serving, 20, size)
    with qm.queue("A").browse(read_ahead=True) as browser:
        seen = list(browser)
    assert [message.message_id for message in seen] == ids
    assert [len(message.data) for message in seen] == [len(b"%d" % n) + size for n in range(20)]
    assert len({message.token for message in seen}) == 20
    assert qm.queue("A").get(token=seen[7].token).message_id == ids[7]
    assert serving.qm.queue("A").depth == 19


def test_a_thousand_messages_are_browsed_with_a_handful_of_exchanges(serving: Serving) -> None:
    """Without read-ahead it is one for each message. What has been used is told for every half of 1 MiB."""
    ids = fill(serving, 1000, 100)
    with serving.connect() as qm:
        queue = qm.queue("A")
        sent, received = segments(serving)
        assert [message.message_id for message in queue.browse(read_ahead=True)] == ids
        asked, answered = (after - before for after, before in zip(segments(serving), (sent, received), strict=True))
        assert asked <= 24 and answered <= 1024
        sent, received = segments(serving)
        assert sum(1 for _ in queue.browse(read_ahead=False)) == 1000
        assert segments(serving)[0] - sent == 1003


def test_a_message_can_be_looked_at_without_its_data(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    serving.qm.queue("A").put(b"x" * 100_000, properties={"color": "red"}, correlation_id=b"7")
    (message,) = qm.queue("A").browse(read_ahead=True, max_length=0)
    assert (message.data, message.length, message.correlation_id[:1]) == (b"", 100_000, b"7")
    (message,) = qm.queue("A").browse(read_ahead=True, max_length=10)
    assert (message.data, message.length) == (b"x" * 10, 100_000)


def test_properties_of_a_message_that_is_read_ahead_are_properties(
    qm: flintmq.RemoteQueueManager, serving: Serving
) -> None:
    serving.qm.queue("A").put("one", properties={"color": "red", "n": 3})
    (message,) = qm.queue("A").browse(read_ahead=True)
    assert (message.text, message.properties) == ("one", {"color": "red", "n": 3})
    got = qm.queue("A", read_ahead=True).get()
    assert (got.text, got.properties) == ("one", {"color": "red", "n": 3})


def test_gets_are_answered_by_what_is_here(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    fill(serving, 300)
    queue = qm.queue("A", read_ahead=True)
    assert [message.data for message in queue.messages()] == [b"%d" % n for n in range(300)]
    with pytest.raises(flintmq.NoMessageAvailable):
        queue.get(wait=0.05)
    fill(serving, 1)
    assert queue.get(wait=PATIENCE).data == b"0"


def test_persistent_messages_are_not_taken_ahead(serving: Serving) -> None:
    """A program that ends loses what was sent to it and not got: one message at most, as with any get."""
    queue = serving.qm.queue("A")
    for n in range(5):
        queue.put(b"%d" % n, persistent=True)
    with serving.connect() as qm:
        ahead = qm.queue("A", read_ahead=True)
        assert ahead.get().data == b"0" and queue.depth == 4
        assert ahead.get(wait=PATIENCE).data == b"1" and queue.depth == 3
        assert len(list(queue.messages())) == 3
        fill(serving, 5)
        assert ahead.get().data == b"0" and queue.depth == 4
        assert ahead.get().data == b"1" and queue.depth == 0


def test_a_persistent_message_behind_others_is_not_taken_with_them(serving: Serving) -> None:
    """What is asked for when half of what was here is used is room; only a get that waits asks for a message."""
    queue = serving.qm.queue("A")
    with serving.connect() as qm:
        ahead = qm.queue("A", read_ahead=True)
        for n in range(4):
            queue.put(b"x" * 100_000, persistent=n == 3)
        for left in (3, 1, 1):
            assert len(ahead.get().data) == 100_000 and queue.depth == left
        queue.put(b"last", persistent=True)
        assert len(ahead.get(wait=PATIENCE).data) == 100_000 and queue.depth == 1
        assert ahead.get(wait=PATIENCE).data == b"last"


def test_a_get_that_waits_hears_of_a_message_that_is_put_meanwhile(
    qm: flintmq.RemoteQueueManager, serving: Serving
) -> None:
    queue = qm.queue("A", read_ahead=True)
    serving.loop.call_soon_threadsafe(lambda: serving.loop.call_later(0.05, fill, serving, 1))
    assert queue.get(wait=PATIENCE).data == b"0"
    serving.loop.call_soon_threadsafe(lambda: serving.loop.call_later(0.05, fill, serving, 1))
    assert queue.get(wait=True).data == b"0"


def test_in_a_transaction_nothing_is_read_ahead(qm: flintmq.RemoteQueueManager, serving: Serving) -> None:
    fill(serving, 3)
    queue = qm.queue("A", read_ahead=True)
    with pytest.raises(ZeroDivisionError), qm.transaction():
        assert queue.get().data == b"0"
        raise ZeroDivisionError
    assert serving.qm.queue("A").depth == 3
    assert queue.get().data == b"0"


def test_defreada_of_the_queue_decides_unless_the_program_does(serving: Serving) -> None:
    """DEFREADA(YES) reads ahead, NO does if it is asked for, DISABLED never does."""
    serving.qm.mqsc("DEFINE QLOCAL(YES) DEFREADA(YES)\nDEFINE QLOCAL(DISABLED) DEFREADA(DISABLED)")
    with serving.connect() as qm:
        mqi = qm.mqi
        for name, given, ahead in (
            ("YES", 0, True),
            ("YES", mq.MQOO_NO_READ_AHEAD, False),
            ("A", 0, False),
            ("A", mq.MQOO_READ_AHEAD, True),
            ("DISABLED", mq.MQOO_READ_AHEAD, False),
        ):
            for _ in range(3):
                serving.qm.queue(name).put(b"")
            handle = opened(mqi, mq.MQOO_INPUT_SHARED | given, name)
            for _ in range(2):
                mqi.get(handle, MQMD(), options(OUTSIDE))  # type: ignore[arg-type]
            assert serving.qm.queue(name).depth == (0 if ahead else 1), (name, given)
            mqi.close(handle)  # type: ignore[arg-type]
            serving.qm.queue(name).clear()


def test_a_first_get_in_syncpoint_turns_read_ahead_off(serving: Serving) -> None:
    fill(serving, 3)
    with serving.connect() as qm:
        mqi = qm.mqi
        handle = opened(mqi, AHEAD)
        assert mqi.get(handle, MQMD(), options(mq.MQGMO_SYNCPOINT)) == b"0"  # type: ignore[arg-type]
        assert mqi.get(handle, MQMD(), options(OUTSIDE)) == b"1"  # type: ignore[arg-type]
        assert serving.qm.queue("A").depth == 1
        mqi.back()


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (mq.MQGMO_SYNCPOINT, rc.MQRC_OPTIONS_ERROR),
        (OUTSIDE | mq.MQGMO_CONVERT, rc.MQRC_OPTIONS_CHANGED),
        (OUTSIDE | mq.MQGMO_BROWSE_FIRST, rc.MQRC_OPTIONS_CHANGED),
        (mq.MQGMO_SYNCPOINT_IF_PERSISTENT, rc.MQRC_OPTIONS_CHANGED),
    ],
)
def test_what_must_stay_as_in_the_first_get_cannot_be_changed(serving: Serving, second: int, reason: int) -> None:
    fill(serving, 3)
    with serving.connect() as qm:
        mqi = qm.mqi
        handle = opened(mqi, AHEAD | mq.MQOO_BROWSE)
        mqi.get(handle, MQMD(), options(OUTSIDE))  # type: ignore[arg-type]
        with pytest.raises(flintmq.MQError) as refused:
            mqi.get(handle, MQMD(), options(second))  # type: ignore[arg-type]
        assert refused.value.reason == reason
        assert mqi.get(handle, MQMD(), options(OUTSIDE)) == b"1"  # type: ignore[arg-type]


def test_a_message_that_came_for_another_id_is_found_by_the_get_that_wants_it(serving: Serving) -> None:
    queue = serving.qm.queue("A")
    for correlation_id in (b"1", b"2", b"1", b"2"):
        queue.put(b"of " + correlation_id, correlation_id=correlation_id)
    with serving.connect() as qm:
        ahead = qm.queue("A", read_ahead=True)
        assert ahead.get().data == b"of 1"
        assert ahead.get(correlation_id=b"2").data == b"of 2"
        assert ahead.get(correlation_id=b"1").data == b"of 1"
        assert ahead.get_or_none(correlation_id=b"1") is None
        assert ahead.get(wait=PATIENCE).data == b"of 2"


def test_what_is_wanted_is_said_even_if_a_message_was_here_already(serving: Serving) -> None:
    """The queue manager is told of another id with the first request after it, and sends no other message."""
    queue = serving.qm.queue("A")
    for _ in range(3):
        queue.put(b"", correlation_id=b"1")
    with serving.connect() as qm:
        ahead = qm.queue("A", read_ahead=True)
        assert [ahead.get().data, ahead.get().data] == [b"", b""]
        assert ahead.get(correlation_id=b"1").data == b""
        for _ in range(5):
            queue.put(b"other", correlation_id=b"2")
        assert ahead.get_or_none(correlation_id=b"1", wait=0.05) is None
        assert queue.depth == 5


def test_a_browse_can_begin_again_and_stay_where_it_is(serving: Serving) -> None:
    fill(serving, 50)
    with serving.connect() as qm:
        mqi = qm.mqi
        handle = opened(mqi, BROWSE_AHEAD)

        def look(how: int) -> bytes:
            return mqi.get(handle, MQMD(), options(how))  # type: ignore[arg-type]

        assert [look(mq.MQGMO_BROWSE_FIRST), look(NEXT), look(NEXT)] == [b"0", b"1", b"2"]
        assert look(mq.MQGMO_BROWSE_MSG_UNDER_CURSOR) == b"2"
        serving.qm.queue("A").get()
        assert [look(mq.MQGMO_BROWSE_FIRST), look(NEXT)] == [b"1", b"2"]
        assert serving.qm.queue("A").depth == 49


def test_a_close_with_quiesce_leaves_what_is_here_to_be_got(serving: Serving) -> None:
    """2458, then the messages, then 2518, then it is closed. Without MQCO_QUIESCE they are lost, as in MQ."""
    fill(serving, 5)
    with serving.connect() as qm:
        mqi = qm.mqi
        handle = opened(mqi, AHEAD)
        assert mqi.get(handle, MQMD(), options(OUTSIDE)) == b"0"  # type: ignore[arg-type]
        assert mqi.get(handle, MQMD(), options(OUTSIDE)) == b"1"  # type: ignore[arg-type]
        mqi.close(handle, mq.MQCO_QUIESCE)  # type: ignore[arg-type]
        assert (mqi.completion, mqi.reason) == (1, rc.MQRC_READ_AHEAD_MSGS)
        fill(serving, 1)
        rest = [mqi.get(handle, MQMD(), options(OUTSIDE)) for _ in range(3)]  # type: ignore[arg-type]
        assert rest == [b"2", b"3", b"4"]
        with pytest.raises(flintmq.MQError) as refused:
            mqi.get(handle, MQMD(), options(OUTSIDE | mq.MQGMO_WAIT, 5000))  # type: ignore[arg-type]
        assert refused.value.reason == rc.MQRC_HOBJ_QUIESCED_NO_MSGS
        mqi.close(handle, mq.MQCO_QUIESCE)  # type: ignore[arg-type]
        assert (mqi.completion, mqi.reason) == (0, 0)
        assert serving.qm.queue("A").depth == 1


def test_a_queue_that_cannot_be_read_says_so(serving: Serving) -> None:
    with serving.connect() as qm:
        queue = qm.queue("A", read_ahead=True)
        assert queue.get_or_none() is None
        serving.qm.mqsc("ALTER QLOCAL(A) GET(DISABLED)")
        with pytest.raises(flintmq.GetInhibited):
            queue.get(wait=PATIENCE)
        serving.qm.mqsc("ALTER QLOCAL(A) GET(ENABLED)")
        fill(serving, 1)
        assert queue.get(wait=PATIENCE).data == b"0"


@pytest.mark.parametrize(("big_endian", "ccsid"), [(True, 500), (True, 819), (False, 1208), (False, 850)])
def test_what_is_pushed_is_read_in_the_byte_order_and_character_set_of_the_queue_manager(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, big_endian: bool, ccsid: int
) -> None:
    make = serving.channels.instance

    def instance(address: str) -> server.ChannelInstance:
        made = make(address)
        made.big_endian, made.ccsid, made._tail = big_endian, ccsid, seg.tail(big_endian, ccsid)
        return made

    monkeypatch.setattr(serving.channels, "instance", instance)
    with serving.connect() as qm:
        queue = qm.queue("A", read_ahead=True)
        ids = [queue.put("gr\u00fcn", reply_to="REPLIES", correlation_id=b"%d" % n, wait=False) for n in range(3)]
        assert qm.flush() == 3
        assert [message.message_id for message in queue.browse()] == ids
        message = queue.get(correlation_id=b"1")
        assert (message.text, message.reply_to, message.message_id) == ("gr\u00fcn", "REPLIES", ids[1])


def test_an_idle_connection_answers_heartbeats(serving: Serving) -> None:
    """HBINT(1): the queue manager would close it after two seconds of silence."""
    serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) HBINT(1)")
    channel = Definition("QM1", CHANNEL, addresses(serving.conn), application="test", heartbeat_s=1)
    with flintmq.RemoteQueueManager([channel]) as qm:
        (session,) = serving.channels.sessions
        hub = serving.hub
        serving.soon(lambda: hub._ticker.cancel())  # A second is over when the test says so.
        for _ in range(3):
            before = session.segments_received
            serving.soon(lambda: hub.run(hub._look_around))
            until(lambda before=before: session.segments_received > before, "it answers a heartbeat")  # type: ignore[misc]
        assert qm.mqi.wire.broken is None
        qm.queue("A").put(b"still here")


def test_a_connection_that_is_made_again_reads_ahead_again(serving: Serving) -> None:
    """What was sent and not got is lost with the connection; what is still on the queue comes."""
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue("A", read_ahead=True)
        fill(serving, 4)
        assert [queue.get().data, queue.get().data] == [b"0", b"1"]
        assert serving.qm.queue("A").depth == 0
        serving.cut()
        fill(serving, 2)
        assert [message.data for message in queue.messages(wait=0.2)][-2:] == [b"0", b"1"]


def test_the_queue_manager_may_end_in_the_middle_of_a_browse(serving: Serving) -> None:
    """What has come is seen, then the connection is broken; with reconnect the browse begins again."""
    ids = fill(serving, 30, 100_000)
    with serving.connect() as qm:
        browser = qm.queue("A").browse(read_ahead=True)
        first = [next(browser).message_id for _ in range(3)]
        serving.cut()
        with pytest.raises(flintmq.NotConnected) as lost:
            for message in browser:
                first.append(message.message_id)
        assert lost.value.reason == rc.MQRC_CONNECTION_BROKEN and first == ids[: len(first)]
    with serving.connect(reconnect="yes") as qm:
        browser = qm.queue("A").browse(read_ahead=True)
        seen = [next(browser).message_id for _ in range(3)]
        serving.cut()
        seen += [message.message_id for message in browser]
        assert seen[-30:] == ids


def test_a_put_that_is_not_waited_for_and_lost_is_told_by_flush(serving: Serving) -> None:
    """Outside of a unit of work, with reconnect: nobody knows what became of it."""
    with serving.connect(reconnect="yes") as qm:
        queue = qm.queue("A")
        queue.put(b"", wait=False)
        assert qm.flush() == 1
        wire = qm.mqi.wire
        queue.put(b"1", wait=False)
        wire.interrupt()
        wire._ending = False
        with pytest.raises(flintmq.MQError, match="1 of 1 puts") as lost:
            qm.flush()
        assert lost.value.reason == rc.MQRC_CALL_INTERRUPTED


def test_tasks_that_share_connections_leave_no_messages_on_them(serving: Serving) -> None:
    """DEFREADA(YES): a get without wait must not take messages from one that waits."""
    serving.qm.mqsc("ALTER QLOCAL(A) DEFREADA(YES)")
    fill(serving, 5)

    async def main() -> list[bytes]:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            queue = await qm.queue("A")
            got = [(await queue.get()).data for _ in range(2)]
            return got + [(await queue.get(wait=PATIENCE)).data for _ in range(3)]

    assert asyncio.run(main()) == [b"0", b"1", b"2", b"3", b"4"]


def test_tasks_read_ahead_and_browse(serving: Serving) -> None:
    fill(serving, 300, 3000)

    async def main() -> None:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            queue = await qm.queue("A", read_ahead=True)
            tokens = [message.token async for message in queue.browse()]
            assert len(set(tokens)) == 300
            lengths = [message.length async for message in queue.browse(max_length=0)]
            assert lengths[:2] == [3001, 3001]
            assert (await queue.get(token=tokens[4])).data[:1] == b"4"
            waiting = asyncio.ensure_future(queue.get(correlation_id=b"never", wait=PATIENCE))
            await asyncio.sleep(0.05)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            got = [message.data async for message in queue.messages(wait=0.1)]
            assert len(got) == 299 and got[0][:1] == b"0"

    asyncio.run(main())


# -- subscriptions ----------------------------------------------------------------------------------------------------


def publish(serving: Serving, count: int, *, persistent: bool = False) -> list[bytes]:
    topic = serving.qm.topic("prices/gold")
    for n in range(count):
        topic.publish(b"%d" % n, persistent=persistent)
    return [b"%d" % n for n in range(count)]


def test_publications_are_delivered_in_order_by_a_handful_of_exchanges(serving: Serving) -> None:
    with serving.connect() as qm, qm.subscribe("prices/#", read_ahead=True) as prices:
        sent = publish(serving, 1000)
        first = prices.get(wait=PATIENCE)
        assert (first.data, first.topic) == (b"0", "prices/gold")
        before = segments(serving)[0]
        assert [prices.get(wait=PATIENCE).data for _ in range(999)] == sent[1:]
        assert segments(serving)[0] - before < 20
        assert prices.get_or_none() is None


def test_a_closed_subscription_ends_with_what_was_sent_ahead(serving: Serving) -> None:
    with serving.connect() as qm:
        prices = qm.subscribe("prices/#", read_ahead=True)
        publish(serving, 100)
        assert [prices.get(wait=PATIENCE).data for _ in range(2)] == [b"0", b"1"]
        name = prices.queue.name
        prices.close()
        with pytest.raises(flintmq.MQError):
            prices.get()
        with pytest.raises(flintmq.UnknownObject):
            serving.qm.queue(name)
        with qm.subscribe("prices/#", read_ahead=True) as again:  # It begins with nothing.
            publish(serving, 1)
            assert [message.data for message in again.messages(wait=0.2)] == [b"0"]


def test_a_durable_subscription_keeps_persistent_publications_that_nobody_got(serving: Serving) -> None:
    with serving.connect() as qm:
        with qm.subscribe("prices/#", durable_name="prices", read_ahead=True) as prices:
            sent = publish(serving, 20, persistent=True)
            got = [prices.get(wait=PATIENCE).data for _ in range(5)]
        with qm.subscribe("prices/#", durable_name="prices", read_ahead=True) as prices:
            got += [message.data for message in prices.messages(wait=0.2)]
            prices.remove()
    assert got == sent


def test_tasks_share_the_publications_that_were_sent_ahead(serving: Serving) -> None:
    async def main() -> list[bytes]:
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            async with qm.subscribe("prices/#", read_ahead=True) as prices:
                publish(serving, 300)

                async def some() -> list[bytes]:
                    return [(await prices.get(wait=PATIENCE)).data for _ in range(100)]

                got = await asyncio.gather(some(), some())
                waiting = [message.data async for message in prices.messages(wait=0.2)]
                return sorted([each for part in got for each in part] + waiting, key=int)

    assert asyncio.run(main()) == [b"%d" % n for n in range(300)]
