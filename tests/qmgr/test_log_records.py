"""What the engine asks of its log: how many records, how many flushes, and how well they compress."""

from __future__ import annotations

import threading
from random import Random

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.log import LZ4, NONE, RLE, Log, LogConfig
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.queue_manager import CHECKPOINT_RECORDS
from flintmq.qmgr.records import FIRST, GET, KIND, LAST, NAMES, ONLY, PUT, describe
from tests.qmgr.machine import Definition, Machine, fill
from tests.waiting import PATIENCE

DEEP: dict[str, Value] = {"MAXDEPTH": 999_999_999, "MAXMSGL": 104_857_600}
QUEUES: list[Definition] = [("QLOCAL", "Q", DEEP), ("QLOCAL", "R", DEEP)]


def new_machine(compression: int = NONE, kind: str = "memory") -> Machine:
    return Machine(kind, None, QUEUES, config=LogConfig(file_pages=1024, linear=True, compression=compression))


# -- records and flushes --------------------------------------------------------------------------------------------


def test_a_persistent_put_outside_syncpoint_is_one_record_and_so_is_its_get() -> None:
    machine = new_machine()
    app = machine.connect()
    counters = machine.log.counters
    before = counters.records
    for length in (0, 100, 100_000, 4_000_000):
        app.put("Q", bytes(length), persistence=1)
        assert app.connection.force == machine.log.end
        app.get("Q")
        assert app.connection.force == machine.log.end
    assert counters.records - before == 8


def test_non_persistent_messages_are_not_logged_at_all() -> None:
    machine = new_machine()
    app = machine.connect()
    end = machine.log.end
    fill(app, "Q", 50)
    app.drain("Q")
    assert (machine.log.end, app.connection.force) == (end, 0)


def test_the_engine_never_flushes_by_itself_while_everything_fits_the_pool() -> None:
    """The host decides when: that is what makes group commit possible."""
    machine = new_machine()
    app = machine.connect()
    flushes = machine.log.counters.flushes
    fill(app, "Q", 500, persistence=1)
    fill(app, "Q", 500, persistence=1, syncpoint=True)
    app.commit()
    app.drain("Q")
    assert machine.log.counters.flushes == flushes


@pytest.mark.parametrize("units", [1, 2, 20, 70])
def test_units_that_commit_before_a_flush_share_it(units: int) -> None:
    """B124: joined writes. One write and one sync, however many units of work; so the log gains from more of them."""
    machine = new_machine()
    apps = [machine.connect() for _ in range(units)]
    for app in apps:
        fill(app, "Q", 2, persistence=1, syncpoint=True)
    before = (machine.log.counters.flushes, machine.log.counters.writes, machine.log.counters.syncs)
    for app in apps:
        app.commit()
    for app in apps:
        if machine.log.durable < app.connection.force:
            machine.log.flush()
        assert machine.log.durable >= app.connection.force
    after = (machine.log.counters.flushes, machine.log.counters.writes, machine.log.counters.syncs)
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 1]


def test_puts_outside_syncpoint_share_a_flush_like_units_of_work() -> None:
    """B126, B127: nobody holds a queue while the log is written; puts of many applications on one queue pair are
    joined as if each had its own syncpoint."""
    machine = new_machine()
    apps = [machine.connect() for _ in range(30)]
    flushes = machine.log.counters.flushes
    forces = []
    for app in apps:
        app.put("Q", b"request", persistence=1)
        forces.append(app.connection.force)
    machine.log.flush()
    assert machine.log.counters.flushes - flushes == 1
    assert machine.log.durable >= max(forces) and forces == sorted(forces)


def test_commits_that_arrive_while_a_flush_is_on_its_way_share_the_next_one() -> None:
    """B124, with threads and without a clock: the first flush is held until all others have committed."""
    machine = new_machine()
    counters = machine.log.counters
    flushes = counters.flushes
    arrived, go = threading.Event(), threading.Event()
    write = machine.disk.count

    def held(name: str, size: int = 0) -> bool:
        if name == "write" and not arrived.is_set():
            arrived.set()
            go.wait(PATIENCE)
        return write(name, size)

    machine.disk.count = held  # type: ignore[method-assign]
    app = machine.connect()
    fill(app, "Q", 1, persistence=1)
    first = threading.Thread(target=machine.log.flush)
    first.start()
    assert arrived.wait(PATIENCE)
    for number in range(25):
        fill(app, "Q", 1, number, persistence=1, syncpoint=True)
        app.commit()
    others = [threading.Thread(target=machine.log.flush) for _ in range(25)]
    for thread in others:
        thread.start()
    go.set()
    for thread in [first, *others]:
        thread.join(PATIENCE)
    assert machine.log.durable == machine.log.end
    assert counters.flushes - flushes == 2


def test_a_checkpoint_writes_no_log_record() -> None:
    machine = new_machine()
    fill(machine.connect(), "Q", 10, persistence=1)
    before = machine.log.counters.records
    machine.checkpoint()
    assert machine.log.counters.records == before
    assert machine.log.checkpoint_position == machine.log.end == machine.qm.checkpoint_position


def test_a_checkpoint_is_due_after_so_many_records_or_bytes() -> None:
    machine = new_machine()
    machine.checkpoint()
    app = machine.connect()
    machine.admin.set_system({"LOGLOAD": 200})
    fill(app, "Q", 199, persistence=1)
    assert not machine.qm.needs_checkpoint()
    fill(app, "Q", 1, persistence=1)
    assert machine.qm.needs_checkpoint()
    machine.checkpoint()
    assert not machine.qm.needs_checkpoint()
    machine.qm.checkpoint_bytes = 100_000
    app.put("Q", bytes(99_000), persistence=1)
    assert not machine.qm.needs_checkpoint()
    app.put("Q", bytes(1000), persistence=1)
    assert machine.qm.needs_checkpoint()


@pytest.mark.parametrize(
    ("load", "log_half", "megabytes"),
    [(200, 1 << 40, 64), (100_000, 1 << 40, 64), (500_000, 1 << 40, 320), (500_000, 200 << 20, 200), (200, 1 << 20, 1)],
)
def test_a_higher_logload_allows_more_bytes_up_to_half_of_the_log(load: int, log_half: int, megabytes: int) -> None:
    machine = new_machine()
    machine.qm.set_checkpoints(CHECKPOINT_RECORDS, log_half)
    machine.admin.set_system({"LOGLOAD": load})
    assert (machine.qm.checkpoint_records, machine.qm.checkpoint_bytes) == (load, megabytes << 20)


def test_every_record_can_be_described() -> None:
    machine = new_machine()
    app = machine.connect()
    fill(app, "Q", 2, persistence=1, syncpoint=True)
    app.commit()
    app.get("Q")
    machine.log.flush()
    lines = []
    for record in Log.open(machine.disk.copy(), machine.log_directory).replay():
        assert record.kind & KIND in NAMES
        lines.append(describe(record.kind, record.payload))
    queue_id = machine.queue("Q").queue_id
    assert lines == [
        f"PUT FIRST queue {queue_id} message 1",
        f"PUT LAST queue {queue_id} message 2",
        f"GET FIRST LAST queue {queue_id} message 1",
    ]
    assert (PUT, GET, FIRST | LAST) == (1, 2, ONLY)


# -- compression ----------------------------------------------------------------------------------------------------


def compressed_put(kind: int, data: bytes, count: int = 1) -> Machine:
    machine = new_machine(kind)
    app = machine.connect()
    for _ in range(count):
        app.put("Q", data, persistence=1, format="MQSTR", reply_to_q="REPLY.QUEUE")
    return machine


def test_set_log_complog_is_in_force_for_the_whole_queue_manager_at_once() -> None:
    """B114."""
    machine = new_machine()
    app, admin = machine.connect(), Admin(machine.qm)
    sizes = []
    for word in ("NONE", "RLE", "LZ4", "NONE"):
        admin.set_log({"COMPLOG": word})
        assert admin.log_status()["COMPLOG"] == word
        before = machine.log.end
        app.put("Q", bytes(50_000), persistence=1)
        sizes.append(machine.log.end - before)
    assert sizes[0] == sizes[3] > 50_000 and max(sizes[1], sizes[2]) < 2_000


@pytest.mark.parametrize("kind", [RLE, LZ4])
def test_a_100_kb_message_makes_25_attempts(kind: int) -> None:
    """B115: each 4 KB chunk is tried alone; the headers ride with the first."""
    counters = compressed_put(kind, bytes(100 * 1024)).log.counters
    assert counters.compression_requests == 25
    assert counters.compression_bytes_in > 100 * 1024


@pytest.mark.parametrize("kind", [RLE, LZ4])
def test_incompressible_data_still_saves_on_the_headers(kind: int) -> None:
    """B116, B117: every chunk of data comes out larger and counts as a failure, but for the one with the headers."""
    random = Random(1)
    plain = compressed_put(NONE, random.randbytes(100))
    packed = compressed_put(kind, random.randbytes(100))
    assert packed.log.end < plain.log.end
    assert packed.log.counters.compression_failures == 0

    large = compressed_put(kind, random.randbytes(40 * 1024)).log.counters
    assert large.compression_requests == 10
    assert large.compression_failures == 9
    assert large.compression_bytes_out < large.compression_bytes_in


def test_the_counters_of_compression_and_decompression_mirror_each_other() -> None:
    """B118: requests, failures, bytes before and after, for both ways."""
    machine = new_machine(LZ4)
    app = machine.connect()
    put = [data * 500 for data in fill(app, "R", 20)]
    for data in put:
        app.put("Q", data, persistence=1)
    machine.log.flush()
    out = machine.log.counters
    machine.crash()
    back = machine.log.counters
    assert machine.contents("Q") == put
    assert out.compression_requests == back.decompression_requests > 200
    assert (out.compression_bytes_in, out.compression_bytes_out) == (
        back.decompression_bytes_out,
        back.decompression_bytes_in,
    )
    assert out.compression_bytes_out < out.compression_bytes_in // 10
    assert back.decompression_failures == 0


def test_half_compressible_messages_leave_about_half() -> None:
    """B119: 51.9 % remained of the sample; 4,905,830 requests were about 4,034 bytes each."""
    random = Random(2)
    data = b"".join(random.randbytes(2048) + bytes(2048) for _ in range(25))
    counters = compressed_put(RLE, data, count=10).log.counters
    assert 0.48 < counters.compression_bytes_out / counters.compression_bytes_in < 0.56
    assert 4000 < counters.compression_bytes_in / counters.compression_requests < 4200
    assert counters.compression_requests == 250


@pytest.mark.parametrize("kind", [NONE, RLE, LZ4])
@pytest.mark.parametrize("length", [0, 1, 200, 4095, 4096, 4097, 70_000])
def test_messages_come_back_through_any_compression(kind: int, length: int) -> None:
    random = Random(length)
    machine = new_machine(kind)
    app = machine.connect()
    put = [random.randbytes(length), bytes(length), (random.randbytes(7) * length)[:length]]
    for data in put:
        app.put("Q", data, persistence=1)
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == put
