"""One API, wherever the queue manager is: the same tests run in its own process and over a channel."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator

import pytest

import flintmq
from flintmq.mqi.constants import MQMT_REQUEST
from flintmq.mqi.property_values import Value
from tests.client.remote.serving import Serving
from tests.waiting import PATIENCE, until

QM = flintmq.QueueManager | flintmq.RemoteQueueManager


class World:
    """A queue manager as a program sees it, and how objects are defined in it."""

    def __init__(self, qm: QM, serving: Serving) -> None:
        self.qm = qm
        self.serving = serving

    def mqsc(self, text: str) -> None:
        self.serving.qm.mqsc(text)

    def queue(self, name: str = "A", attributes: str = "") -> flintmq.Queue:
        self.mqsc(f"DEFINE QLOCAL({name}) {attributes}")
        return self.qm.queue(name)


@pytest.fixture(params=["embedded", "tcp", "local"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    serving = Serving()
    if request.param == "embedded":
        yield World(serving.qm, serving)
    else:
        with serving.connect() if request.param == "tcp" else serving.connect_locally() as qm:
            yield World(qm, serving)
    serving.close()


def test_what_is_put_is_what_is_got(world: World) -> None:
    queue = world.queue()
    before = time.monotonic()
    message_id = queue.put(
        b"data",
        persistent=True,
        priority=7,
        correlation_id=b"c",
        message_id=b"m",
        reply_to="REPLIES",
        expiry=60,
        format="MINE",
    )
    message = queue.get()
    assert message.message_id == message_id == b"m".ljust(24, b"\0")
    assert message.correlation_id == b"c".ljust(24, b"\0")
    assert (message.data, message.priority, message.persistent, message.format) == (b"data", 7, True, "MINE")
    assert (message.reply_to, message.reply_to_queue_manager) == ("REPLIES", "QM1")
    assert message.message_type == MQMT_REQUEST and message.put_time is not None and message.application
    assert message.expiry is not None and 59 - (time.monotonic() - before) <= message.expiry <= 60
    queue.put("grün")
    assert (queue.get().text, queue.depth, len(queue)) == ("grün", 0, 0)


def test_properties_come_with_the_message_and_not_with_the_data(world: World) -> None:
    queue = world.queue()
    given: dict[str, Value] = {
        "color": "red",
        "shop.count": 3,
        "price": 1.5,
        "sold": True,
        "raw": b"\x01\x02",
        "nothing": None,
    }
    queue.put("text", properties=given)
    message = queue.get()
    assert message.properties == given and message.text == "text" and message.format == "MQSTR"
    queue.put(b"bytes")
    assert queue.get().properties == {}
    with pytest.raises(flintmq.BadProperty):
        queue.put(b"", properties={"not a name": 1})


def test_selectors_choose_what_is_got_and_browsed(world: World) -> None:
    queue = world.queue()
    for n in range(4):
        queue.put(str(n), properties={"n": n})
    assert [m.text for m in queue.browse(selector="n > 1")] == ["2", "3"]
    assert queue.get(selector="n = 2").text == "2"
    assert [m.text for m in world.qm.queue("A", selector="n < 2").messages()] == ["0", "1"]
    with pytest.raises(flintmq.BadSelector) as bad:
        queue.get(selector="n >")
    assert bad.value.position > 0


def test_a_message_is_found_by_its_ids(world: World) -> None:
    queue = world.queue()
    queue.put(b"one", correlation_id=b"1")
    second = queue.put(b"two", correlation_id=b"2")
    assert queue.get(correlation_id=b"2", message_id=second).data == b"two"
    assert queue.get_or_none(correlation_id=b"2") is None
    with pytest.raises(flintmq.NoMessageAvailable):
        queue.get(wait=0.01, correlation_id=b"2")
    assert queue.get().data == b"one"


def test_a_message_that_is_too_long_is_cut_or_left(world: World) -> None:
    queue = world.queue()
    queue.put(b"0123456789", properties={"color": "red"})
    with pytest.raises(flintmq.Truncated) as cut:
        queue.get(max_length=4)
    assert cut.value.data_length == 10 and queue.depth == 1
    assert queue.get(max_length=10).properties == {"color": "red"}
    queue.put(b"0123456789")
    with pytest.raises(flintmq.Truncated):
        queue.get(max_length=4, truncate=True)
    assert queue.depth == 0


def test_browsing_leaves_messages_and_a_browser_that_is_dropped_gives_up_its_place(world: World) -> None:
    queue = world.queue()
    for text in ("a", "b", "c"):
        queue.put(text)
    assert [message.text for message in queue.browse()] == ["a", "b", "c"]
    browser = queue.browse()
    assert next(browser).text == "a"
    del browser
    gc.collect()
    queue.put("d")  # The handle is closed with the next call.
    until(lambda: world.serving.qm.mqsc("DISPLAY QSTATUS(A) IPPROCS").rows[0]["IPPROCS"] == 0)


def test_a_transaction_is_committed_as_one_or_not_at_all(world: World) -> None:
    a, b = world.queue("A"), world.queue("B")
    a.put(b"1")
    with world.qm.transaction():
        b.put(a.get().data)
    assert (a.depth, b.depth) == (0, 1)
    with pytest.raises(RuntimeError), world.qm.transaction():
        a.put(b.get().data)
        raise RuntimeError
    message = b.get()
    assert (a.depth, message.data, message.backout_count) == (0, b"1", 1)
    with world.qm.transaction() as transaction:
        a.put(b"kept")
        transaction.commit()
        a.put(b"gone")
        transaction.backout()
    assert [m.data for m in a.messages()] == [b"kept"]
    with pytest.raises(flintmq.TransactionError), world.qm.transaction(), world.qm.transaction():
        pass
    a.put(b"by hand", syncpoint=True)
    with pytest.raises(flintmq.TransactionError), world.qm.transaction():
        pass
    world.qm.backout()
    a.put(b"by hand", syncpoint=True)
    world.qm.commit()
    assert a.get().data == b"by hand"


def test_a_waiting_get_holds_up_no_other_thread(world: World) -> None:
    queue = world.queue()
    got: list[bytes] = []
    threads = [threading.Thread(target=lambda: got.append(queue.get(wait=PATIENCE).data)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(3):
        queue.put(bytes([n]))
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(got) == [b"\0", b"\1", b"\2"]


def test_the_work_of_a_thread_that_ends_is_backed_out(world: World) -> None:
    queue = world.queue()
    thread = threading.Thread(target=lambda: queue.put(b"lost", syncpoint=True))
    thread.start()
    thread.join()
    del thread
    gc.collect()
    until(lambda: queue.get_or_none() is None and queue.depth == 0)


def test_errors_are_raised_by_reason_and_name_what_it_was(world: World) -> None:
    queue = world.queue("A", "MAXDEPTH(1) MAXMSGL(10)")
    with pytest.raises(flintmq.UnknownObject, match=r"NO\.SUCH.*QM1"):
        world.qm.queue("NO.SUCH")
    with pytest.raises(TypeError):
        world.qm.queue(5)  # type: ignore[arg-type]
    with pytest.raises(flintmq.MessageTooBig, match="11 bytes"):
        queue.put(bytes(11))
    queue.put(b"")
    with pytest.raises(flintmq.QueueFull, match="A is full"):
        queue.put(b"")
    world.mqsc("ALTER QLOCAL(A) GET(DISABLED) PUT(DISABLED)")
    with pytest.raises(flintmq.PutInhibited):
        queue.put(b"")
    with pytest.raises(flintmq.GetInhibited):
        queue.get()


def test_a_queue_that_was_deleted_and_made_again_is_found_again(world: World) -> None:
    queue = world.queue()
    queue.put(b"1")
    queue.get()
    world.serving.host.admin.delete("QLOCAL", "A", True)
    world.serving.qm.mqsc("DELETE QLOCAL(A)", check=False)
    world.serving.qm.mqsc("DEFINE QLOCAL(A)", check=False)
    queue.put(b"2")
    assert queue.get().data == b"2"


def test_a_poison_message_is_moved_away(world: World) -> None:
    boq = world.queue("BOQ")
    queue = world.queue("A", "BOTHRESH(2) BOQNAME(BOQ)")
    queue.put(b"bad", properties={"color": "red"}, correlation_id=b"7")
    queue.put(b"good")
    for _ in range(2):
        with pytest.raises(RuntimeError), world.qm.transaction():
            assert queue.get().data == b"bad"
            raise RuntimeError
    assert queue.get().data == b"good"
    moved = boq.get()
    assert (moved.data, moved.properties, moved.correlation_id[:1]) == (b"bad", {"color": "red"}, b"7")


def test_a_poison_message_that_nobody_else_takes_is_dead(world: World) -> None:
    world.queue("DLQ")
    world.mqsc("ALTER QMGR DEADQ(DLQ)")
    queue = world.queue("A", "BOTHRESH(1)")
    queue.put("bad")
    with pytest.raises(RuntimeError), world.qm.transaction():
        queue.get()
        raise RuntimeError
    assert queue.get_or_none() is None
    dead = world.qm.queue("DLQ").get()
    assert dead.format == "MQDEAD" and dead.data.endswith(b"bad")


def test_publications_come_to_those_who_subscribe(world: World) -> None:
    with world.qm.subscribe("prices/#", selector="n > 1") as prices, world.qm.subscribe("prices/+") as all_of_them:
        for n in range(3):
            world.qm.topic(f"prices/{n}").publish(str(n), properties={"n": n})
        assert [m.text for m in prices.messages(wait=0.1)] == ["2"]
        first = all_of_them.get(wait=PATIENCE)
        assert (first.text, first.topic) == ("0", "prices/0")
        assert prices.topic == "prices/#" and prices.name == ""
        assert all_of_them.get_or_none(wait=PATIENCE) is not None


def test_retained_publications_come_when_they_are_asked_for(world: World) -> None:
    world.qm.topic("gold").publish("1811.40", retain=True)
    with world.qm.subscribe("gold", on_request=True) as gold:
        assert gold.get_or_none() is None
        assert gold.request() == 1
        assert gold.get(wait=PATIENCE).text == "1811.40"


def test_a_durable_subscription_collects_while_nobody_is_there(world: World) -> None:
    world.qm.subscribe("news", durable_name="mine").close()
    world.qm.topic("news").publish("meanwhile", persistent=True)
    with world.qm.subscribe("news", durable_name="mine") as again:
        assert again.name == "mine" and again.get(wait=PATIENCE).text == "meanwhile"
        with pytest.raises(flintmq.MQError) as taken:
            world.qm.subscribe("news", durable_name="mine")
        assert taken.value.reason == 2429
        again.remove()
    assert world.serving.qm.mqsc("DISPLAY SUB(mine)", check=False).reason


def test_a_queue_of_ones_own_can_be_subscribed_with(world: World) -> None:
    queue = world.queue("MINE")
    with world.qm.subscribe("sport", queue="MINE") as sport:
        world.qm.topic("sport").publish("1:0")
        queue.put("something else")
        assert sport.get(wait=PATIENCE).text == "1:0"
        assert queue.get().text == "something else"


def test_a_consumer_is_called_with_each_message_in_a_unit_of_work(world: World) -> None:
    work, done = world.queue("WORK"), world.queue("DONE")
    with work.consume(lambda message: done.put(message.text.upper())) as consumer:
        for text in ("a", "b"):
            work.put(text)
        assert [done.get(wait=PATIENCE).text for _ in range(2)] == ["A", "B"]
    assert consumer.join(PATIENCE) and work.depth == 0


def test_a_consumer_whose_callback_raises_stops_and_the_message_stays(world: World) -> None:
    work, done = world.queue("WORK"), world.queue("DONE")

    def fails(message: flintmq.Message) -> None:
        done.put(b"never")
        raise ValueError(message.text)

    with pytest.raises(ValueError, match="bad"), work.consume(fails) as consumer:
        work.put("bad")
        assert consumer.join(PATIENCE)
    until(lambda: work.depth == 1)
    assert done.depth == 0 and work.get().backout_count == 1


def test_a_consumer_with_a_threshold_goes_on(world: World) -> None:
    boq, done = world.queue("BOQ"), world.queue("DONE")
    work = world.queue("WORK", "BOTHRESH(2) BOQNAME(BOQ)")

    def fussy(message: flintmq.Message) -> None:
        if message.text == "bad":
            raise ValueError(message.text)
        done.put(message.text)

    with work.consume(fussy):
        work.put("bad")
        work.put("good")
        assert done.get(wait=PATIENCE).text == "good"
        assert boq.get(wait=PATIENCE).text == "bad"


def test_a_consumer_that_was_closed_takes_no_message_that_is_put_then(world: World) -> None:
    queue = world.queue()
    for _ in range(20):
        queue.consume(lambda message: None).close()
        queue.put("later")

        assert queue.inquire_depth() == 1
        assert queue.get().backout_count == 0


def test_a_suspended_consumer_gets_nothing_until_it_is_resumed(world: World) -> None:
    work, done = world.queue("WORK"), world.queue("DONE")
    with work.consume(lambda message: done.put(message.data)) as consumer:
        consumer.suspend()
        work.put(b"1")
        assert done.get_or_none(wait=0.1) is None
        consumer.resume()
        assert done.get(wait=PATIENCE).data == b"1"


def test_messages_go_on_until_there_are_no_more(world: World) -> None:
    queue = world.queue()
    for text in ("a", "b", "c"):
        queue.put(text)
    assert [message.text for message in queue.messages()] == ["a", "b", "c"]


def test_one_more_connection_has_a_unit_of_work_of_its_own(world: World) -> None:
    queue = world.queue()
    with world.qm.connect("another") as other:
        other.queue("A").put(b"1", syncpoint=True)
        assert queue.get_or_none() is None
        other.commit()
        assert queue.get().application.strip() == "another"
        assert other.application == "another"


def test_a_request_is_answered_and_one_that_is_not_has_an_end(world: World) -> None:
    service = world.queue("SERVICE")

    def upper(request: flintmq.Message) -> None:
        if request.text != "ignore me":
            world.qm.queue(request.reply_to).put(request.text.upper(), correlation_id=request.message_id)

    with service.consume(upper):
        for text in ("hello", "again"):
            assert service.request(text, timeout=PATIENCE, properties={"n": 1}).text == text.upper()
        with pytest.raises(flintmq.NoMessageAvailable):
            service.request("ignore me", timeout=0.1)
        assert service.request("after it", timeout=PATIENCE).text == "AFTER IT"
        with pytest.raises(ValueError, match="greater than 0"):
            service.request("never", timeout=0)


def test_requests_of_many_threads_get_their_own_answers(world: World) -> None:
    service = world.queue("SERVICE")
    answers: dict[int, str] = {}

    def echo(request: flintmq.Message) -> None:
        world.qm.queue(request.reply_to).put(request.text, correlation_id=request.message_id)

    def ask(n: int) -> None:
        answers[n] = service.request(str(n), timeout=PATIENCE).text

    with service.consume(echo):
        threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    assert answers == {n: str(n) for n in range(6)}


def test_browsers_that_are_thrown_away_leave_nothing_behind() -> None:
    """Nothing that would be opened again with another connection, for as long as the program runs."""
    serving = Serving()
    with serving.connect() as qm:
        queue = qm.queue("DEV.QUEUE.1")
        queue.put(b"1")
        before = len(qm.mqi._opened)
        for _ in range(20):
            browser = queue.browse()
            assert next(browser).data == b"1"
            del browser
            gc.collect()
        assert queue.depth == 1  # The call that closes what is left.
        assert len(qm.mqi._opened) == before
    serving.close()


def poison(world: World) -> flintmq.Queue:
    """A queue whose only message has gone to the dead-letter queue: it was backed out once too often."""
    queue = world.queue(attributes="BOTHRESH(1)")
    queue.put("hello", correlation_id=b"7", properties={"color": "red"}, persistent=True)
    queue.get(syncpoint=True)
    world.qm.backout()
    assert queue.get_or_none() is None
    return queue


def test_a_dead_letter_says_why_it_is_there_and_is_replayed(world: World) -> None:
    """Issue 14, item 24: `text` of a dead letter is the text of the original."""
    queue = poison(world)
    (message,) = world.qm.dead_letters()
    dead = message.dead_letter
    assert dead is not None
    assert (dead.queue, dead.queue_manager, message.text) == ("A", "QM1", "hello")
    assert dead.reason_name.startswith("MQ") and dead.put_time is not None and dead.header.put_appl_name
    assert (dead.original.text, dead.original.format, dead.original.queue_name) == ("hello", "MQSTR", "A")
    assert dead.original.correlation_id.startswith(b"7") and dead.original.properties == {"color": "red"}

    world.mqsc("DEFINE QLOCAL(REST)")
    world.qm.replay(message, queue="REST")
    again = world.qm.queue("REST").get()
    assert (again.text, again.properties, again.correlation_id) == ("hello", {"color": "red"}, message.correlation_id)
    assert again.persistent and again.put_time == message.put_time
    assert list(world.qm.dead_letters()) == [] and queue.get_or_none() is None
    with pytest.raises(flintmq.NoMessageAvailable):
        world.qm.replay(message)


def test_a_dead_letter_that_cannot_be_put_stays_where_it_is(world: World) -> None:
    queue = poison(world)
    (message,) = world.qm.dead_letters()
    world.mqsc("ALTER QLOCAL(A) PUT(DISABLED)")
    with pytest.raises(flintmq.PutInhibited):
        world.qm.replay(message)
    with pytest.raises(ValueError, match="browsed"):
        world.qm.replay(flintmq.Message(b"", message.md, "A"))
    assert len(list(world.qm.dead_letters())) == 1
    world.mqsc("ALTER QLOCAL(A) PUT(ENABLED)")
    world.qm.replay(message)
    assert queue.get(requeue_poison=False).text == "hello"


def test_a_consumer_that_stops_says_so_to_python_s_logging(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Issue 14, item 23: with the traceback of the callback."""
    queue = world.queue()

    def fail(message: flintmq.Message) -> None:
        raise ZeroDivisionError("no orders today")

    consumer = queue.consume(fail)
    queue.put("order")
    assert consumer.join(PATIENCE)
    consumer.close()
    (record,) = [each for each in caplog.records if "no orders today" in each.getMessage()]
    assert record.name.startswith("flintmq.") and record.levelname == "ERROR"
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda queue: queue.put(b"", priority=99), "priority is a number from 0 to 9, not 99"),
        (lambda queue: queue.put(b"", persistent="yes"), "persistent is True, False or None, not 'yes'"),
        (lambda queue: queue.put(b"", expiry="5"), "expiry is a number of seconds, not str"),
        (lambda queue: queue.put(b"", delay="5"), "delay is a number of seconds, not str"),
        (lambda queue: queue.get(wait="5"), "wait is a number of seconds, not str"),
        (lambda queue: queue.request(b"", timeout="5"), "timeout is a number of seconds, not str"),
    ],
)
def test_an_argument_that_cannot_be_is_refused_by_name(
    world: World, call: Callable[[flintmq.Queue], object], why: str
) -> None:
    """Issue 14, item 27."""
    queue = world.queue()
    with pytest.raises((TypeError, flintmq.MQError), match=why):
        call(queue)
    assert queue.depth == 0
