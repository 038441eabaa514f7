"""Failures around a flow: the message is kept, the log has the reason, and the flow resumes when the cause ends."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

import flintmq
from flintmq.host import instance, lifecycle
from flintmq.mqi import constants as mq
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk, open_desk
from tests.broker.runtime.test_worker import FAILING, INSERTING
from tests.small_disk import fill, small_disk
from tests.waiting import PATIENCE, until
from tools.postgres import Cluster, programs

pytestmark = pytest.mark.usefixtures("short_pauses")

SMALL_LOG = flintmq.LogConfig(file_pages=64)


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flintmq.broker.runtime.instance.PAUSE_S", 0.1)


def said(desk: Desk, number: str) -> list[str]:
    """Return the lines of the log with a BIP number."""
    return [line for line in desk.said.getvalue().splitlines() if f" BIP{number} " in line]


def no_traceback(desk: Desk) -> None:
    assert "Traceback" not in desk.said.getvalue() and not re.search(r'File ".*", line', desk.said.getvalue())


def test_a_database_that_is_down_keeps_the_message_until_it_is_there(desk: Desk, tmp_path: Path) -> None:
    source, target = desk.queue("IN", bothresh=1000), desk.queue("OUT")
    file = tmp_path / "later" / "shop.db"
    path = flows.computed(tmp_path / "app", INSERTING, data_source="SHOP")
    desk.start(path, "Work", data_sources={"SHOP": {"url": f"sqlite:///{file}"}})
    source.put("<a>x</a>")
    until(lambda: bool(said(desk, "2230E")))
    line = said(desk, "2230E")[0]
    assert "[Work.Work]" in line and "CONNECT" in line and "unable to open database file" in line
    assert target.depth == 0
    file.parent.mkdir()
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE seen (id TEXT)")
    assert target.get(wait=PATIENCE).text == "<a>x</a>"
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT id FROM seen").fetchall() == [("x",)]
    database.close()
    no_traceback(desk)


@pytest.mark.parametrize("coordinated", ["no", "yes"])
def test_a_postgresql_server_that_stops_keeps_the_messages_until_it_starts(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coordinated: str
) -> None:
    """The server is killed while the flow runs, so its connections break; each message has one row afterwards."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: tools/judges.py")
    desk.queue("SYSTEM.BROKER.COORDINATION")
    source, target = desk.queue("IN", bothresh=1000), desk.queue("OUT")
    with Cluster() as cluster:
        cluster.create_database("shop")
        cluster.run("shop", "CREATE TABLE seen (id TEXT)")
        monkeypatch.setenv("A_PASSWORD", cluster.password)
        shop = {"url": cluster.url("shop"), "passwordVariable": "A_PASSWORD", "connectTimeout": 2}
        path = flows.computed(tmp_path / "app", INSERTING, data_source="SHOP")
        overrides = {"Work#coordinatedTransaction": coordinated}
        worker = desk.start(path, "Work", data_sources={"SHOP": shop}, overrides=overrides)
        assert worker.problems == {}
        source.put("<a>1</a>", persistent=True)
        assert target.get(wait=PATIENCE).text == "<a>1</a>"
        cluster.kill()
        for number in (2, 3):
            source.put(f"<a>{number}</a>", persistent=True)
        until(lambda: len(said(desk, "2230E")) + len(said(desk, "2627W")) >= 2)
        line = said(desk, "2230E")[-1]
        assert "data source SHOP" in line and "[Work.Work]" in line
        assert target.depth == 0
        cluster.start()
        assert [target.get(wait=PATIENCE).text for _ in range(2)] == ["<a>2</a>", "<a>3</a>"]
        desk.stop_workers()
        assert cluster.run("shop", "SELECT id FROM seen ORDER BY id") == [("1",), ("2",), ("3",)]
        assert cluster.run("shop", "SELECT gid FROM pg_prepared_xacts") == []
    assert source.depth == target.depth == 0
    no_traceback(desk)


def test_a_missing_output_queue_keeps_the_message_until_it_is_defined(desk: Desk, tmp_path: Path) -> None:
    source = desk.queue("IN", bothresh=1000)
    desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    source.put(b"hello", persistent=True)
    until(lambda: any("MQRC_UNKNOWN_OBJECT_NAME 2085" in line for line in said(desk, "2230E")))
    assert desk.queue("OUT").get(wait=PATIENCE).data == b"hello"
    no_traceback(desk)


def test_an_inhibited_input_queue_is_told_once_and_read_again(desk: Desk, tmp_path: Path) -> None:
    source, target = desk.queue("IN"), desk.queue("OUT")
    worker = desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    until(lambda: worker.instances[0].state == "waiting")
    desk.qm.mqsc("ALTER QLOCAL(IN) GET(DISABLED)")
    source.put(b"hello")
    until(lambda: bool(said(desk, "2620W")))
    until(lambda: worker.instances[0].state == "waiting")
    desk.qm.mqsc("ALTER QLOCAL(IN) GET(ENABLED)")
    assert target.get(wait=PATIENCE).data == b"hello"
    until(lambda: bool(said(desk, "2625I")))
    assert len(said(desk, "2620W")) == 1
    no_traceback(desk)


def test_a_poison_message_that_can_go_nowhere_stays_and_goes_when_it_can(desk: Desk, tmp_path: Path) -> None:
    desk.qm.mqsc("ALTER QMGR DEADQ(' ')")
    source = desk.queue("IN", bothresh=1)
    desk.queue("OUT")
    desk.start(flows.computed(tmp_path / "app", FAILING), "Work")
    source.put("<a><bad/></a>")
    until(lambda: bool(said(desk, "2649E")))
    assert "no usable backout queue (BOQNAME)" in said(desk, "2649E")[0] and source.depth == 1
    desk.queue("BACK")
    desk.qm.mqsc("ALTER QLOCAL(IN) BOQNAME(BACK)")
    assert desk.qm.queue("BACK").get(wait=PATIENCE).text == "<a><bad/></a>"
    no_traceback(desk)


def test_a_full_backout_queue_sends_a_poison_message_to_the_dead_letter_queue(desk: Desk, tmp_path: Path) -> None:
    desk.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    source = desk.queue("IN", bothresh=1, boqname="BACK")
    desk.queue("OUT"), desk.queue("BACK", maxdepth=1).put(b"in the way")
    desk.start(flows.computed(tmp_path / "app", FAILING), "Work")
    source.put("<a><bad/></a>", properties={"color": "red"})
    dead = desk.qm.queue("SYSTEM.DEAD.LETTER.QUEUE").get(wait=PATIENCE)
    assert dead.dead_letter is not None and dead.dead_letter.queue == "IN"
    original = dead.dead_letter.original
    assert (original.text, original.properties["color"]) == ("<a><bad/></a>", "red")
    no_traceback(desk)


def test_a_full_page_set_keeps_the_message_until_there_is_room(desk: Desk, tmp_path: Path) -> None:
    """Disk full: MQRC_PAGESET_FULL (2192) for the put; the get is backed out."""
    source, target = desk.queue("IN", bothresh=1000), desk.queue("OUT")
    source.put(b"hello", persistent=True)
    account = desk.serving.host.engine.queues["OUT"].account
    account.disk_full = True
    desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    until(lambda: any("2192" in line for line in said(desk, "2230E")))
    assert target.depth == 0
    account.disk_full = False
    assert target.get(wait=PATIENCE).data == b"hello" and source.depth == 0
    no_traceback(desk)


def test_messages_pass_once_when_a_full_disk_has_room_again(tmp_path: Path) -> None:
    """A small file system under the page sets, filled to the last byte. The log is on another."""
    with small_disk(tmp_path / "small", 6 << 20) as disk:
        options = lifecycle.CreateOptions(developer=True, log=SMALL_LOG, log_directory=str(tmp_path / "log"))
        with open_desk(on_disk=instance.by_path(disk / "QM1", "QM1"), options=options) as desk:
            source, target = desk.queue("IN", bothresh=100_000, maxdepth=100_000), desk.queue("OUT", maxdepth=100_000)
            fill(disk / "reserve", 1 << 20)
            sent: list[bytes] = []
            with pytest.raises(flintmq.PageSetFull):
                while len(sent) < 2000:
                    data = b"%05d" % len(sent) * 2000
                    source.put(data, persistent=True)
                    sent.append(data)
            fill(disk / "filler")
            desk.start(flows.pass_through(tmp_path / "app"), "Pass")
            until(lambda: any("2192" in line for line in said(desk, "2230E")))
            assert target.depth == 0
            (disk / "filler").unlink()
            (disk / "reserve").unlink()
            desk.serving.host.engine.checkpoint_retry_ms = 1  # It is time to try again.
            got: list[bytes] = []
            while len(got) < len(sent):
                message = target.get_or_none(wait=PATIENCE)
                assert message is not None, (len(got), source.depth, desk.said.getvalue()[-1000:])
                got.append(message.data)
            assert got == sent
            until(lambda: source.depth == 0)
            assert target.depth == 0
            no_traceback(desk)


def test_a_lost_connection_backs_out_and_the_flow_goes_on(desk: Desk, tmp_path: Path) -> None:
    source, target = desk.queue("IN", bothresh=1000), desk.queue("OUT")
    desk.start(flows.pass_through(tmp_path / "app"), "Pass")
    for number in range(20):
        source.put(f"{number}", persistent=True)
        if number % 5 == 4:
            desk.serving.cut()
    assert sorted(int(target.get(wait=PATIENCE).text) for _ in range(20)) == list(range(20))
    assert target.get_or_none() is None
    no_traceback(desk)


@pytest.mark.parametrize(
    ("format", "data"),
    [
        (mq.MQFMT_RF_HEADER_2, b"RFH \x00\x00\x00\x02\xff\xff\xff\xff"),
        ("MQSTR", b"<a>" * 100_000),
        ("MQSTR", b"<a>\xff\xfe</a>"),
        ("MQSTR", b""),
        ("MQDEAD", b"DLH \x01"),
    ],
    ids=["header", "deep", "characters", "empty", "dead-letter header"],
)
def test_hostile_messages_go_aside_and_hold_nothing_up(desk: Desk, tmp_path: Path, format: str, data: bytes) -> None:
    source = desk.queue("IN", bothresh=1, boqname="BACK")
    target, aside = desk.queue("OUT"), desk.queue("BACK")
    desk.start(flows.computed(tmp_path / "app", FAILING), "Work")
    source.put(data, format=format, persistent=True)
    source.put("<a>good</a>", persistent=True)
    got = [each.data for each in (target.get(wait=PATIENCE),)]
    if got == [data]:
        got = [target.get(wait=PATIENCE).data]  # What ESQL does not touch passes as it is.
    else:
        assert aside.get(wait=PATIENCE).data == data
    assert got == [b"<a>good</a>"]
    until(lambda: source.depth == 0)
    no_traceback(desk)
