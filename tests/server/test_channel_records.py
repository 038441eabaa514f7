"""SMF records of channels, 115-231 and 116-10, that a running queue manager writes of clients on real sockets."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

import flintmq
from flintmq.server.control import Control
from tests.server.test_process import Manager
from tests.server.test_process import manager as manager
from tests.telemetry.recording.reading import Values, read_dump
from tests.waiting import until

CHANNEL = "DEV.APP.SVRCONN"


@dataclass
class Recorded:
    """A dump, and what DISPLAY CHSTATUS showed when its first intervals ended: by application."""

    dump: Path
    shown: dict[str, dict[str, int]]
    #: A moment after the last channel had ended and before its trace was stopped.
    ended_us: int


def channel_dump(manager: Manager) -> Recorded:
    """Two clients in one interval, of which one ends in the next; the queue manager ends after that."""
    manager.start()
    with Control(manager.place) as control:
        control.ask({"do": "runmqsc", "echo": False, "verify": False})

        def said(command: str) -> str:
            return "\n".join(control.ask(command)["lines"])

        said("ALTER QMGR STATCHL(MEDIUM)")
        said("SET SYSTEM STATIME(1440.0) ACCTIME(-1)")
        assert "CSQW130I" in said("START TRACE(STAT) CLASS(4)")
        assert "CSQW130I" in said("START TRACE(ACCTG) CLASS(4)")
        where = f"127.0.0.1({manager.port})"
        busy = flintmq.connect("QM1", channel=CHANNEL, conn=where, application="busy")
        quiet = flintmq.connect("QM1", channel=CHANNEL, conn=where, application="quiet")
        queue = busy.queue("DEV.QUEUE.1")
        for number in range(7):
            queue.put(bytes(1000 * number))
        for _ in range(7):
            queue.get()
        # A call that is answered has been counted, and so has its answer.
        quiet.queue("DEV.QUEUE.2").put(b"one")
        shown = applications(said(f"DISPLAY CHSTATUS({CHANNEL}) ALL"))
        said("RESET QMGR TYPE(STATISTICS)")
        busy.close()
        quiet.close()
        until(lambda: "AMQ8420I" in said("DISPLAY CHSTATUS(*)"), "both channels have ended")
        said("RESET QMGR TYPE(STATISTICS)")
        # It begins and ends in one interval, which STOP TRACE ends.
        with flintmq.connect("QM1", channel=CHANNEL, conn=where, application="short") as short:
            short.queue("DEV.QUEUE.2").put(b"two")
        until(lambda: "AMQ8420I" in said("DISPLAY CHSTATUS(*)"), "the channel has ended")
        ended_us = time.time_ns() // 1000
        until(lambda: time.time_ns() // 1000 > ended_us, "the clock has moved on")
        said("STOP TRACE(ACCTG)")
        control.ask(None)
    with Control(manager.place) as control:
        control.ask({"do": "end", "how": "immediate"})
    manager.wait_until_ended()
    (dump,) = (manager.place.directory / "smf").iterdir()
    return Recorded(dump, shown, ended_us)


def applications(said: str) -> dict[str, dict[str, int]]:
    """The numbers of DISPLAY CHSTATUS, by RAPPLTAG."""
    found = {}
    for part in said.split("AMQ8417I")[1:]:
        values = dict(re.findall(r"(\w+)\(([^)]*)\)", part))
        numbers = {name: int(values[name]) for name in ("MSGS", "BUFSSENT", "BUFSRCVD", "BYTSSENT", "BYTSRCVD")}
        found[values["RAPPLTAG"]] = numbers
    return found


@pytest.fixture
def recorded(manager: Manager) -> Recorded:
    return channel_dump(manager)


def test_channels_of_a_running_queue_manager_are_recorded_as_chstatus_shows_them(recorded: Recorded) -> None:
    """B34: a client's channel is one instance; what it did since the interval began is in its record."""
    assert set(recorded.shown) == {"busy", "quiet"}
    records = read_dump(recorded.dump)
    instances: list[list[Values]] = [record.sections["QCST"] for record in records if record.kind == "116-10"]
    first = {str(row["QCSTRQMN"]): row for row in instances[0]}
    assert set(first) == {"busy", "quiet"}
    for application, shown in recorded.shown.items():
        row = first[application]
        counted = {
            "MSGS": row["QCSTNMSG"],
            "BUFSSENT": row["QCSTBFST"],
            "BUFSRCVD": row["QCSTBFRC"],
            "BYTSSENT": row["QCSTBYST"],
            "BYTSRCVD": row["QCSTBYRC"],
        }
        assert counted == shown, application
        assert (row["QCSTCHNM"], row["QCSTCNNM"], row["QCSTSTCL"]) == (CHANNEL, "127.0.0.1", 33)
    assert int(str(first["busy"]["QCSTBYRC"])) > 21_000 < int(str(first["busy"]["QCSTBYST"]))
    ended = {str(row["QCSTRQMN"]): row for rows in instances[1:] for row in rows}
    assert {row["QCSTCHST"] for row in ended.values()} == {0}, "they have ended in the second interval"
    assert set(ended) == {"busy", "quiet", "short"}


def test_a_channel_of_one_interval_has_its_name_and_when_it_ended(recorded: Recorded) -> None:
    """Issue 14, item 15: its remote name was empty, its stop time that of the record, and STOP TRACE lost it."""
    records = [record for record in read_dump(recorded.dump) if record.kind == "116-10"]
    (short,) = records[-1].sections["QCST"]
    assert (short["QCSTRQMN"], short["QCSTCHST"]) == ("short", 0)
    began, last, ended, written = (int(str(short[f"QCST{name}"])) for name in ("STRT", "LMST", "LUDT", "CLTM"))
    assert began <= last + 1_000_000 and began <= ended <= recorded.ended_us < written and last > 0


def test_the_process_that_serves_channels_is_recorded_with_its_dispatcher(recorded: Recorded) -> None:
    records = [record for record in read_dump(recorded.dump) if record.kind == "115-231"]
    (initiator,) = records[0].sections["QCCT"]
    (dispatcher,) = records[0].sections["QCTDSP"]
    assert (initiator["QCCTNOCC"], initiator["QCCTNOAC"], initiator["QCCTJOBN"]) == (2, 2, "QM1CHIN")
    assert dispatcher["QCTREQN"] == sum(shown["MSGS"] for shown in recorded.shown.values())
    assert 20 < int(str(initiator["QCCTSTAB"])) < 2000, "MB of the process"
