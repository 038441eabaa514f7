"""Accounting of tasks: what the calls of a connection leave behind, and that they do what they would have done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_INQUIRE, MQOO_OUTPUT
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from flintmq.qmgr import accounting, connect
from flintmq.qmgr.accounting import QUEUES_MAX
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connection import WAITING, Connection, Task
from flintmq.qmgr.task import QueueUse, size_class
from tests.qmgr.conftest import START_MS, App, Engine
from tests.qmgr.pubsub import Broker, publish, subscribe


class Ticking(Clock):
    """A clock on which a microsecond passes each time somebody looks at it for accounting."""

    def __init__(self, now_ms: int) -> None:
        super().__init__(now_ms)
        self.micros = 0
        self.read_ns = self.tick

    def tick(self) -> int:
        self.micros += 1
        return self.time_ms * 1_000_000 + self.micros * 1000


@pytest.fixture
def accounted() -> Iterator[Engine]:
    """An engine that accounts for everybody, queues included."""
    made = Engine({"ACCTQ": "ON"})
    made.qm.clock = made.clock = Ticking(START_MS)
    accounting.start(made.qm)
    yield made
    made.qm.check()


def task_of(app: App) -> Task:
    task = app.connection.task
    assert task is not None
    return task


def use_of(app: App, name: str = "Q") -> QueueUse:
    return next(use for use in task_of(app).work.queues.values() if use.base == name)


def test_nothing_is_kept_of_a_task_while_accounting_is_off(engine: Engine) -> None:
    app = engine.connect()
    handle = app.open("Q", MQOO_OUTPUT)
    assert app.connection.task is None and handle.straight_put and handle.use is None


def test_calls_are_counted_and_timed_by_queue(accounted: Engine) -> None:
    app = accounted.connect()
    handle = app.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED | MQOO_INQUIRE)
    app.put(handle, b"12345", persistence=1)
    app.put(handle, bytes(200))
    app.put1("Q", b"1", persistence=1)
    app.get(handle)
    app.close(handle)
    use = use_of(app)
    assert [use.opens.count, use.closes.count, use.puts.count, use.put1s.count, use.gets.count] == [1, 1, 2, 1, 1]
    assert use.requests() == 6
    assert use.puts.elapsed_us == use.puts.cpu_us > 0
    assert (use.put_bytes, use.valid_puts, use.put_longest, use.put_shortest) == (206, 3, 200, 1)
    assert (use.get_bytes, use.valid_gets, use.valid_destructive, use.get_persistent) == (5, 1, 1, 1)
    assert (use.put_persistent, use.put1_persistent, use.get_any) == (1, 1, 1)
    assert use.open_now == 0 and use.closed_us > use.opened_us > 0


def test_the_queue_managers_own_counters_are_the_same_with_accounting(accounted: Engine, engine: Engine) -> None:
    for each in (accounted, engine):
        app = each.connect()
        app.put("Q", b"1")
        app.put1("Q", b"2")
        app.get("Q")
        app.get("Q", expiry=5)
        app.commit()
    names = ("puts", "put1s", "gets", "opens", "commits")
    seen = [[getattr(each.qm.counters, name) for name in names] for each in (accounted, engine)]
    assert seen[0] == seen[1] == [1, 1, 2, 1, 1]


def test_accounting_leaves_the_fast_path_of_a_handle_open(accounted: Engine) -> None:
    app = accounted.connect()
    handle = app.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED)
    assert (handle.straight_put, handle.straight_get) == (True, True)
    accounting.stop(accounted.qm)
    assert (handle.straight_put, handle.straight_get, handle.use) == (True, True, None)
    assert app.put(handle, b"1").reason == MQRC_NONE
    accounting.start(accounted.qm)
    assert app.put(handle, b"1").reason == MQRC_NONE
    assert use_of(app).puts.count == 1


def test_a_get_that_waits_is_longer_but_costs_no_more(accounted: Engine) -> None:
    getter, app = accounted.connect(), accounted.connect()
    assert getter.get("Q", wait_ms=5000).reason == WAITING
    accounted.clock.advance(300)
    app.put("Q", b"12345")
    use = use_of(getter)
    assert (use.gets.count, use.suspended, use.valid_gets) == (1, 1, 1)
    assert 300_000 <= use.suspended_us <= use.gets.elapsed_us
    assert use.gets.cpu_us < 1000
    assert use_of(app).put_to_waiter == 1


def test_a_get_that_finds_nothing_is_no_valid_get(accounted: Engine) -> None:
    app = accounted.connect()
    assert app.get("Q").reason == MQRC_NO_MSG_AVAILABLE
    app.get("Q", msg_id=b"x" * 24)
    use = use_of(app)
    assert (use.gets.count, use.valid_gets, use.get_invalid) == (2, 0, 0)
    assert (use.get_any, use.get_specific) == (1, 1)


def test_time_on_queue_is_from_put_to_get(accounted: Engine) -> None:
    app = accounted.connect()
    app.put("Q", b"1")
    accounted.clock.advance(40)
    app.put("Q", b"2")
    accounted.clock.advance(10)
    app.get("Q")
    app.get("Q")
    use = use_of(app)
    assert (use.latency_max_us, use.latency_min_us, use.latency_total_us) == (50_000, 10_000, 60_000)


def test_messages_are_counted_by_size_for_the_life_of_the_task(accounted: Engine) -> None:
    """B12: class 1 covers get, put and put1."""
    app = accounted.connect()
    for length in (0, 99, 100, 999, 1000, 9999, 10_000):
        app.put("Q", bytes(length))
    app.put1("Q", bytes(50))
    task_of(app).end_interval(accounted.qm.clock.now_us())
    app.get("Q")
    life = task_of(app).life
    assert (life.puts_a, life.puts_b, life.puts_c, life.puts_d) == (3, 2, 2, 1)
    assert (life.gets_a, life.gets_b) == (1, 0)
    assert [size_class(length) for length in (99, 100, 9999, 10_000)] == [0, 1, 2, 3]


def test_an_interval_starts_afresh_and_what_is_open_goes_on(accounted: Engine) -> None:
    """B16: part of what is kept of a task is made anew when its data was written."""
    app = accounted.connect()
    app.put("Q", b"1")
    opened = use_of(app).opened_us
    done = task_of(app).end_interval(accounted.qm.clock.now_us())
    assert next(iter(done.queues.values())).puts.count == 1
    use = use_of(app)
    assert (use.puts.count, use.open_now, use.opened_us) == (0, 1, opened)
    app.put("Q", b"1")
    assert use.puts.count == 1


def test_a_task_that_has_ended_waits_to_be_written(accounted: Engine) -> None:
    app = accounted.connect()
    app.put("Q", b"1", syncpoint=True)
    connect.disconnect(accounted.qm, app.connection)
    (task,) = accounted.qm.ended_tasks
    assert task.work.last and task.ended_us > task.started_us
    assert task.work.commits.count == 1
    assert next(iter(task.work.queues.values())).closed_us == task.ended_us


def test_a_queue_with_acctq_off_is_left_out(accounted: Engine) -> None:
    accounted.alter("Q", {"ACCTQ": "OFF"})
    app = accounted.connect()
    app.put("Q", b"1")
    assert task_of(app).work.queues == {}
    assert task_of(app).life.puts_a == 1


def test_stream_copies_are_not_counted_but_their_pages_are(accounted: Engine) -> None:
    """B60, B61, B62: 10 puts, and twice the pages."""
    app = accounted.connect()
    for _ in range(10):
        app.put("Q", b"1")
    plain = task_of(app).end_interval(accounted.qm.clock.now_us())
    app.close("Q")
    accounted.define("QLOCAL", "COPIES")
    accounted.alter("Q", {"STREAMQ": "COPIES"})
    for _ in range(10):
        app.put("Q", b"1")
    work = task_of(app).work
    use = use_of(app)
    assert (use.puts.count, use.valid_puts, use.streamed) == (10, 10, 10)
    assert work.pages_new == 2 * plain.pages_new == 20
    assert accounted.qm.counters.stream_puts == 10 and accounted.qm.counters.stream_opens == 1
    assert [use.base for use in work.queues.values()] == ["Q"]


def test_published_counts_subscribers_and_topic_work_stands_apart() -> None:
    """B64, B66, B67."""
    broker = Broker(ACCTQ="ON")
    first, second, app = broker.connect(), broker.connect(), broker.connect()
    subscribe(first, "a/b")
    subscribe(second, "a/#")
    accounting.start(broker.qm)
    publish(app, "a/b", b"news")
    task = task_of(app)
    (use,) = task.work.queues.values()
    calls = use.puts.count + use.put1s.count
    assert (calls, use.published, use.topic) == (1, 2, True)
    assert use.puts.cpu_us == use.put1s.cpu_us == 0
    assert task.work.topics.count == 1


def test_an_alias_to_a_topic_as_stream_queue_counts_its_subscribers() -> None:
    """B65: put count 1, published count 2, 3 messages on queues."""
    broker = Broker(ACCTQ="ON")
    broker.topic("NEWS", "a/b")
    assert broker.admin.define("QALIAS", "ALIAS", {"TARGET": "NEWS", "TARGTYPE": "TOPIC"}, False) == 0
    broker.admin.alter("QLOCAL", "A", {"STREAMQ": "ALIAS"}, False)
    first, second, app = broker.connect(), broker.connect(), broker.connect()
    subscribe(first, "a/b")
    subscribe(second, "a/#")
    accounting.start(broker.qm)
    app.put("A", b"news")
    use = use_of(app, "A")
    assert (use.puts.count, use.published) == (1, 2)


def test_connections_made_before_and_after_the_start_are_alike(engine: Engine) -> None:
    engine.alter("QM1", {"ACCTQ": "ON"}, "QMGR")
    before = engine.connect()
    before.put("Q", b"1")
    accounting.start(engine.qm)
    after = engine.connect()
    for app in (before, after):
        app.put("Q", b"1")
        assert use_of(app).puts.count == 1
    numbers = {task_of(app).number for app in (before, after)}
    assert len(numbers) == 2
    assert all(isinstance(each, Connection) for each in engine.qm.connections.values())


def test_a_task_that_thinks_of_ever_more_topics_is_accounted_for_in_bounded_memory() -> None:
    """What is beyond the bound counts for the task, and the error log says so, once."""
    broker = Broker()
    accounting.start(broker.qm)
    app = broker.connect()
    for number in range(QUEUES_MAX + 10):
        assert publish(app, f"topic/{number}", b"x").reason == MQRC_NONE
    work = task_of(app).work
    assert len(work.queues) == QUEUES_MAX
    assert task_of(app).life.puts_a == QUEUES_MAX + 10
    assert [number for number, text in broker.qm.notices if "more than 4096" in text] == ["CSQW133E"]
    assert publish(app, "topic/7", b"x").reason == MQRC_NONE  # Those that are known go on.
    assert work.queues["topic/7", "topic/7"].put1s.count == 2
