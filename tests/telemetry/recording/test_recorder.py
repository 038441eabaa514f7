"""Intervals, traces and tasks: which records there are, and what is in them. The clock is the test's."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.mqi.trace_words import ACCTG, STAT
from flintmq.qmgr import connect, trace_control
from flintmq.qmgr.accounting import ENDED_TASKS_MAX
from flintmq.qmgr.channel_control import Row
from tests.qmgr.conftest import App
from tests.telemetry.recording.reading import Read, Values, read_dump
from tests.telemetry.recording.world import MINUTE, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def one(records: list[Read], kind: str, structure: str) -> Values:
    """The only entry of a structure in the only record of a kind."""
    (record,) = [each for each in records if each.kind == kind]
    (entry,) = record.sections[structure]
    return entry


def queue_entry(records: list[Read], name: str = "Q") -> Values:
    found = [each for record in records for each in record.sections.get("QQST", []) if each["QQSTQNAM"] == name]
    (entry,) = found
    return entry


def exchange(app: App, count: int = 1) -> None:
    for _ in range(count):
        app.put("Q", b"12345", persistence=1)
        app.get("Q")


def test_nothing_is_due_without_a_trace(world: World) -> None:
    exchange(world.engine.connect())
    assert world.after(10 * MINUTE) == [] and world.recorder.due_ms() == 0


def test_every_class_has_its_records(world: World) -> None:
    """B34, for a queue manager without channels."""
    world.start(STAT, 1, 2, 3, 4, 5)
    kinds = [record.kind for record in world.after(MINUTE)]
    assert kinds == ["115-1", "115-2", "115-215", "115-201", "115-7", "115-5", "115-216"]


@pytest.mark.parametrize(("number", "kinds"), [(2, ["115-7"]), (3, ["115-5"]), (5, ["115-216"])])
def test_a_class_alone_writes_only_its_own(world: World, number: int, kinds: list[str]) -> None:
    world.start(STAT, number)
    assert [record.kind for record in world.after(MINUTE)] == kinds


def test_counters_are_those_of_the_interval(world: World) -> None:
    app = world.engine.connect()
    exchange(app, 7)
    world.start(STAT, 1)
    exchange(app, 3)
    records = world.after(MINUTE)
    messages = one(records, "115-2", "QMST")
    assert (messages["QMSTPUT"], messages["QMSTGET"], messages["QMSTSPP"], messages["QMSTPBP"]) == (3, 3, 3, 15)
    assert one(records, "115-2", "QIST")["QISTMPUT"] == 3
    pool = next(each for record in records for each in record.sections.get("QPST", []) if each["QPSTPOOL"] == 0)
    assert (pool["QPSTNBUF"], pool["QPSTGETN"]) == (25_000, 3)
    messages = one(world.after(MINUTE), "115-2", "QMST")
    assert (messages["QMSTPUT"], messages["QMSTGET"]) == (0, 0)


def test_an_interval_begins_where_the_last_one_ended(world: World) -> None:
    world.clock.advance(20_000)
    world.start(STAT, 1)
    first, second = world.after(40_000), world.after(MINUTE)
    start, length = first[0].qwhs["QWHSTIME"], first[0].qwhs["QWHSDURN"]
    assert length == 40_000_000, "the first is shorter: it ends on the clock"
    assert isinstance(start, int) and second[0].qwhs["QWHSTIME"] == start + 40_000_000
    assert {record.qwhs["QWHSTIME"] for record in second} == {second[0].qwhs["QWHSTIME"]}


def test_four_times_the_records_at_a_quarter_of_the_interval(world: World) -> None:
    """B15, B10: a new interval begins when the running one has ended."""
    world.engine.connect()
    world.start(STAT, 1, 5)
    world.start(ACCTG, 3)
    at_60 = sum(len(world.after(15_000)) for _ in range(4))
    world.admin.set_system({"STATIME": "0.15"})
    assert sum(len(world.after(15_000)) for _ in range(4)) == at_60
    assert sum(len(world.after(15_000)) for _ in range(4)) == 4 * at_60


def test_short_intervals_show_a_burst_that_a_minute_hides(world: World) -> None:
    """B24: the same 60 messages, in one of twelve intervals of five seconds."""

    def minute() -> list[object]:
        counts: list[object] = []
        for step in range(12):
            if step == 7:
                exchange(app, 60)
            records = world.after(5_000)
            counts += [one(records, "115-2", "QMST")["QMSTPUT"]] if records else []
        return counts

    app = world.engine.connect()
    world.start(STAT, 1)
    assert minute() == [60]
    world.admin.set_system({"STATIME": "0.05"})
    assert minute() == [60]
    assert minute() == [0] * 7 + [60] + [0] * 4


def test_accounting_can_have_an_interval_of_its_own(world: World) -> None:
    """B1."""
    world.engine.connect()
    world.admin.set_system({"ACCTIME": "0.20"})
    world.clock.advance(60 * MINUTE)
    world.start(STAT, 2)
    world.start(ACCTG, 3)
    assert [[record.kind for record in world.after(20_000)] for _ in range(3)] == [
        ["116-1"],
        ["116-1"],
        ["115-7", "116-1"],
    ]


def test_queues_appear_only_if_statq_wants_them(world: World) -> None:
    """B25, B27: STATQ(ON) at the queue manager sweeps in all that say QMGR."""
    world.engine.alter("DLQ", {"STATQ": "OFF"})
    world.start(STAT, 5)
    (record,) = world.after(MINUTE)
    assert [entry["QQSTQNAM"] for entry in record.sections["QQST"]] == ["Q"]
    world.engine.alter("QM1", {"STATQ": "NONE"}, "QMGR")
    assert world.after(MINUTE) == []


def test_a_queue_record_has_the_depth_at_the_end_of_the_interval(world: World) -> None:
    """B28, B29, B33."""
    app = world.engine.connect()
    world.start(STAT, 5)
    for _ in range(6):
        app.put("Q", b"12345")
    app.get("Q")
    app.get("Q")
    entry = queue_entry(world.after(MINUTE))
    assert (entry["QQSTDPTH"], entry["QQSTDPHI"], entry["QQSTDPLO"]) == (4, 6, 0)
    assert (entry["QQSTPSID"], entry["QQSTBPID"], entry["QQSTSHR"]) == (0, 0, False)
    assert (entry["QQSTPUTS"], entry["QQSTGETS"], entry["QQSTMSMI"], entry["QQSTMSMA"]) == (6, 2, 5, 5)
    assert (entry["QQSTMAGE"], entry["QQSTOPCT"], entry["QQSTIPCT"]) == (60, 1, 1)
    entry = queue_entry(world.after(MINUTE))
    assert (entry["QQSTDPTH"], entry["QQSTDPHI"], entry["QQSTDPLO"], entry["QQSTPUTS"]) == (4, 4, 4, 0)


def test_a_queue_that_is_new_has_all_that_it_counted(world: World) -> None:
    app = world.engine.connect()
    world.start(STAT, 5)
    world.engine.define("QLOCAL", "NEW")
    app.put("NEW", b"1")
    assert queue_entry(world.after(MINUTE), "NEW")["QQSTPUTS"] == 1


def test_many_queues_need_several_records(world: World) -> None:
    """B31: as many as fit, in the length of today."""
    for number in range(120):
        world.engine.define("QLOCAL", f"Q{number:03d}")
    world.start(STAT, 5)
    records = world.after(MINUTE)
    names = [entry["QQSTQNAM"] for record in records for entry in record.sections["QQST"]]
    assert [len(record.sections["QQST"]) for record in records] == [51, 51, 20]
    assert len(set(names)) == len(names) == 122


def test_class_1_is_written_when_the_task_ends_whatever_acctime_is(world: World) -> None:
    """B12."""
    world.start(ACCTG, 1)
    app = world.engine.connect("ORDERAPP", "alice")
    exchange(app)
    assert world.after(MINUTE) == world.after(MINUTE) == []
    app.put("Q", bytes(5000))
    app.commit()
    connect.disconnect(world.qm, app.connection)
    (record,) = world.due()
    (counts,), (system,) = record.sections["QMAC"], record.sections["QWAC"]
    assert record.kind == "116-0"
    assert [counts[f"QMACPUT{size}"] for size in "ABCD"] == [1, 0, 1, 0]
    assert counts["QMACGETA"] == 1
    assert (system["QWACCOMM"], system["QWACBACK"]) == (1, 0)
    assert world.after(MINUTE) == []


def test_class_3_is_written_at_each_interval_and_once_more_at_the_end(world: World) -> None:
    """B13, B16."""
    world.start(ACCTG, 3)
    app = world.engine.connect("ORDERAPP", "alice")
    exchange(app, 2)
    first = one(world.after(MINUTE), "116-1", "WQ")
    assert (first["PUTN"], first["GETN"], first["OPENN"], first["USE_COUNT"], first["TOTAL_USE"]) == (2, 2, 1, 1, 5)
    exchange(app)
    connect.disconnect(world.qm, app.connection)
    records = world.due()
    last = one(records, "116-1", "WQ")
    assert (last["PUTN"], last["OPENN"], last["USE_COUNT"]) == (1, 0, 0)
    assert last["CORREL"] == first["CORREL"]
    task = one(records, "116-1", "WTAS")
    assert task["WTASFLAG"] == 0x2000_0000 and task["WTASWQCT"] == 1
    assert one(records, "116-1", "WTID")["WTIDCCN"] == "ORDERAPP"
    assert world.after(MINUTE) == []


def test_a_short_task_yields_its_data_once(world: World) -> None:
    """B14, B23: the volume follows the number of tasks."""
    world.start(ACCTG, 3)
    for _ in range(5):
        app = world.engine.connect()
        exchange(app)
        connect.disconnect(world.qm, app.connection)
    records = world.after(3 * MINUTE)
    assert [record.kind for record in records] == ["116-1"] * 5
    assert len({record.sections["WTAS"][0]["WTASSTRT"] for record in records}) <= 5


def test_more_queues_than_a_record_takes_go_on_in_116_2(world: World) -> None:
    app = world.engine.connect()
    world.start(ACCTG, 3)
    for number in range(25):
        world.engine.define("QLOCAL", f"Q{number:03d}")
        app.put(f"Q{number:03d}", b"1")
    records = world.after(MINUTE)
    assert [(record.kind, len(record.sections["WQ"])) for record in records] == [
        ("116-1", 10),
        ("116-2", 10),
        ("116-2", 5),
    ]
    names = {entry["OBJNAME"] for record in records for entry in record.sections["WQ"]}
    correlators = {entry["CORREL"] for record in records for entry in record.sections["WQ"]}
    assert len(names) == 25 and len(correlators) == 1
    assert records[0].sections["WTAS"][0]["WTASWQCT"] == 10


def test_channels_are_written_if_they_did_something(world: World) -> None:
    rows: list[Row] = [
        {
            "CHANNEL": "APP.SVRCONN",
            "CONNAME": "127.0.0.1",
            "JOBNAME": "1",
            "STATUS": "RUNNING",
            "MSGS": 4,
            "BYTSSENT": 900,
            "BYTSRCVD": 500,
            "BUFSSENT": 4,
            "BUFSRCVD": 4,
            "CURSHCNV": 1,
            "CHSTADA": "2023-11-14",
            "CHSTATI": "22.13.20",
            "RAPPLTAG": "orders",
        }
    ]
    ended: list[Row] = []
    world.recorder.channel_rows = lambda: [dict(row) for row in rows]
    world.recorder.ended_channels = lambda: [ended.pop() for _ in list(ended)]
    world.engine.alter("QM1", {"STATCHL": "MEDIUM"}, "QMGR")
    world.start(STAT, 4)
    world.start(ACCTG, 4)
    rows[0]["MSGS"], rows[0]["BYTSSENT"] = 10, 1000
    records = world.after(MINUTE)
    channel = one(records, "116-10", "QCST")
    assert (channel["QCSTNMSG"], channel["QCSTBYST"], channel["QCSTBYRC"]) == (6, 100, 0)
    assert (channel["QCSTCHNM"], channel["QCSTCNNM"], channel["QCSTRQMN"]) == ("APP.SVRCONN", "127.0.0.1", "orders")
    assert (channel["QCSTCHTY"], channel["QCSTCHST"], channel["QCSTSTRT"]) == (7, 3, 1_700_000_000_000_000)
    assert one(records, "115-231", "QCCT")["QCCTNOCC"] == 1
    assert one(records, "115-231", "QCTDSP")["QCTREQN"] == 6
    assert [record.kind for record in world.after(MINUTE)] == ["115-231"], "nothing happened on the channel"
    ended.append({**rows.pop(), "STATUS": "INACTIVE", "MSGS": 11, "RAPPLTAG": ""})
    channel = one(world.after(MINUTE), "116-10", "QCST")
    assert (channel["QCSTNMSG"], channel["QCSTCHST"], channel["QCSTRQMN"]) == (1, 0, "orders")
    assert channel["QCSTSTCL"] == 33
    world.engine.alter("QM1", {"STATCHL": "OFF"}, "QMGR")
    ended.append({"CHANNEL": "APP.SVRCONN", "CONNAME": "", "JOBNAME": "2", "STATUS": "INACTIVE", "MSGS": 1})
    assert [record.kind for record in world.after(MINUTE)] == ["115-231"]


class Channels:
    """Channels that a recorder sees: those that run, and those that have ended."""

    def __init__(self, world: World) -> None:
        self.running: list[Row] = []
        self.ended: list[Row] = []
        world.engine.alter("QM1", {"STATCHL": "LOW"}, "QMGR")
        world.recorder.channel_rows = lambda: self.running
        world.recorder.ended_channels = self.take

    def take(self) -> list[Row]:
        taken, self.ended = self.ended, []
        return taken

    def row(self, job: str, messages: int, **rest: str | int) -> Row:
        made: Row = {"CHANNEL": "APP.SVRCONN", "CONNAME": "1.2.3.4", "JOBNAME": job, "STATUS": "RUNNING"}
        return made | {"MSGS": messages} | rest


def instances(records: list[Read]) -> dict[object, object]:
    """Messages of the channels in 116-10 records, by application."""
    found = [entry for record in records if record.kind == "116-10" for entry in record.sections["QCST"]]
    return {entry["QCSTRQMN"]: entry["QCSTNMSG"] for entry in found}


def test_channel_accounting_that_is_stopped_gets_what_was_counted_and_the_next_trace_begins_anew(world: World) -> None:
    """Issue 14, item 15: at STOP TRACE it was lost, and instances that had ended were booked to the next trace."""
    channels = Channels(world)
    channels.running = [channels.row("1", 5, RAPPLTAG="orders")]
    world.start(ACCTG, 4)
    channels.running = [channels.row("1", 9, RAPPLTAG="orders")]
    channels.ended = [channels.row("2", 3, RAPPLTAG="short", STATUS="INACTIVE")]
    world.clock.advance(5_000)
    trace_control.stop(world.qm, ACCTG, (), -1)
    assert instances(world.due()) == {"orders": 4, "short": 3}
    assert world.after(MINUTE) == []

    channels.running = [channels.row("1", 20, RAPPLTAG="orders")]
    channels.ended = [channels.row("3", 7, RAPPLTAG="between", STATUS="INACTIVE")]
    world.start(ACCTG, 4)
    channels.running = [channels.row("1", 21, RAPPLTAG="orders")]
    assert instances(world.after(MINUTE)) == {"orders": 1}


def test_channel_accounting_beside_another_class_begins_and_ends_with_its_own_trace(world: World) -> None:
    """Issue 14, item 15, siblings: a trace of class 3 that goes on neither lengthens nor shortens it."""
    channels = Channels(world)
    channels.running = [channels.row("1", 5, RAPPLTAG="orders")]
    world.start(ACCTG, 3)
    channels.running = [channels.row("1", 9, RAPPLTAG="orders")]
    world.start(ACCTG, 4)
    channels.running = [channels.row("1", 10, RAPPLTAG="orders")]
    trace_control.stop(world.qm, ACCTG, (4,), -1)
    assert instances(world.due()) == {"orders": 1}
    channels.running = [channels.row("1", 30, RAPPLTAG="orders")]
    assert instances(world.after(MINUTE)) == {}


def test_an_instance_that_has_ended_is_recorded_with_the_time_when_it_did(world: World) -> None:
    """Issue 14, item 15: it was the time when the interval ended."""
    channels = Channels(world)
    world.start(ACCTG, 4)
    world.clock.advance(7_000)
    ended_us = world.clock.now_us()
    channels.ended = [channels.row("2", 3, RAPPLTAG="short", STATUS="INACTIVE", ENDED_US=ended_us)]
    entry = one(world.after(MINUTE), "116-10", "QCST")
    assert entry["QCSTLUDT"] == ended_us != entry["QCSTCLTM"]


def test_tasks_that_ended_before_accounting_was_stopped_are_written(world: World) -> None:
    """Issue 14, item 15, a sibling: those of the last second were lost."""
    world.start(ACCTG, 1, 3)
    app = world.engine.connect()
    exchange(app, 2)
    connect.disconnect(world.qm, app.connection)
    trace_control.stop(world.qm, ACCTG, (), -1)
    assert {record.kind for record in world.due()} >= {"116-0", "116-1"}


def test_a_trace_that_is_stopped_gets_what_it_has_counted(world: World) -> None:
    app = world.engine.connect()
    world.start(STAT, 1)
    exchange(app, 2)
    world.clock.advance(5_000)
    trace_control.stop(world.qm, STAT, (), -1)
    assert one(world.due(), "115-2", "QMST")["QMSTPUT"] == 2
    assert world.after(MINUTE) == []


def test_a_class_that_is_started_later_begins_then(world: World) -> None:
    app = world.engine.connect()
    world.start(STAT, 1)
    exchange(app, 2)
    world.start(STAT, 5)
    exchange(app, 3)
    records = world.after(MINUTE)
    assert queue_entry(records)["QQSTPUTS"] == 3
    assert one(records, "115-2", "QMST")["QMSTPUT"] == 5


def test_reset_qmgr_statistics_ends_the_interval_at_once(world: World) -> None:
    world.start(STAT, 2)
    world.admin.set_system({"STATIME": "5.00"})
    world.admin.reset_qmgr("STATISTICS")
    assert [record.kind for record in world.after(1_000)] == ["115-7"]
    assert world.admin.system_status()["STATIME"] == "5.00"


def test_reset_qmgr_statistics_begins_new_intervals_without_a_trace_too(world: World) -> None:
    world.admin.set_system({"STATIME": "5.00", "ACCTIME": "0.10"})
    world.admin.reset_qmgr("STATISTICS")
    row = world.admin.system_status()
    assert (row["STATIME"], row["ACCTIME"]) == ("5.00", "0.10")


def test_the_end_of_the_queue_manager_writes_what_there_is(world: World) -> None:
    app = world.engine.connect()
    world.start(STAT, 1)
    world.start(ACCTG, 3)
    exchange(app)
    world.clock.advance(7_000)
    kinds = {record.kind for record in world.due(last=True)}
    assert kinds == {"115-1", "115-2", "115-215", "115-201", "116-1"}


def test_records_reach_the_dump_and_stream_copies_are_in_it(world: World) -> None:
    """B60: class 1 counts puts to stream queues and opens of them; B61: accounting does not."""
    world.engine.define("QLOCAL", "COPIES")
    world.engine.alter("Q", {"STREAMQ": "COPIES"})
    app = world.engine.connect()
    world.start(STAT, 1)
    world.start(ACCTG, 1, 3)
    for _ in range(10):
        app.put("Q", b"1")
    world.clock.advance(MINUTE)
    batch = world.recorder.collect()
    assert batch is not None
    world.recorder.write(batch)
    world.recorder.close()
    (path,) = world.files.directory.iterdir()
    records = read_dump(path)
    messages = one(records, "115-2", "QMST")
    assert (messages["QMSTPUT"], messages["QMSTOPEN"], one(records, "115-2", "QIST")["QISTMPUT"]) == (20, 2, 20)
    use = one(records, "116-1", "WQ")
    assert (use["PUTN"], use["VALIDPUT"], use["STREAMEDN"]) == (10, 10, 10)
    assert one(records, "116-1", "WTAS")["WTASGPN"] == 20


def test_lost_data_is_told_once_and_so_is_the_end_of_it(world: World) -> None:
    """B20: the queue manager goes on."""
    world.files.directory.write_text("not a directory")
    world.start(STAT, 2)
    for _ in range(3):
        world.clock.advance(MINUTE)
        batch = world.recorder.collect()
        assert batch is not None
        world.recorder.write(batch)
    assert [number for number, _ in world.notices] == ["CSQW133E"]
    assert "smf" in world.notices[0][1] and world.recorder.lost == 3
    world.files.directory.unlink()
    world.clock.advance(MINUTE)
    batch = world.recorder.collect()
    assert batch is not None
    world.recorder.write(batch)
    assert [number for number, _ in world.notices] == ["CSQW133E", "CSQW123I"]
    assert world.recorder.written == 1


def test_tasks_that_end_faster_than_they_are_written_are_lost_and_told(world: World) -> None:
    """B20."""
    world.start(ACCTG, 1)
    connection = world.engine.connect().connection
    task = connection.task
    assert task is not None
    world.qm.ended_tasks = [task] * ENDED_TASKS_MAX
    connect.disconnect(world.qm, connection)
    batch = world.recorder.collect()
    assert batch is not None and batch.tasks_lost == 1
    batch.ended = []
    world.recorder.write(batch)
    assert world.notices[0][0] == "CSQW133E" and "1 tasks" in world.notices[0][1]
