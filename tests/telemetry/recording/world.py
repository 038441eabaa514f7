"""A queue manager with a recorder, whose clock is the test's: what it wrote, as records or as a dump."""

from __future__ import annotations

from pathlib import Path

from flintmq.qmgr import trace_control
from flintmq.qmgr.admin import Admin
from flintmq.telemetry.recording.dump_files import DumpFiles
from flintmq.telemetry.recording.record import Origin
from flintmq.telemetry.recording.recorder import Recorder
from flintmq.telemetry.recording.records import Writer
from tests.qmgr.conftest import START_MS, Engine
from tests.telemetry.recording.reading import Read, read_record

MINUTE = 60_000


class World:
    """A queue manager whose clock stands at the beginning of an hour, STATIME(1.00), and its recorder."""

    def __init__(self, directory: Path) -> None:
        self.engine = Engine({"STATQ": "ON", "ACCTQ": "ON"})
        self.qm = self.engine.qm
        self.clock = self.engine.clock
        self.admin = Admin(self.qm)
        self.admin.set_system({"STATIME": "1.00"})
        self.clock.advance(-START_MS % (60 * MINUTE) + 60 * MINUTE)
        self.notices: list[tuple[str, str]] = []
        origin = Origin("SYSA", "QM1", "942")
        self.files = DumpFiles(directory / "smf", "QM1", origin)
        self.recorder = Recorder(
            self.qm, Writer(origin), self.files, lambda number, text: self.notices.append((number, text))
        )

    def start(self, kind: str, *classes: int) -> None:
        trace_control.start(self.qm, kind, classes, "SMF", "me")
        assert self.due() == []

    def due(self, last: bool = False) -> list[Read]:
        """The records that are due now."""
        batch = self.recorder.collect(last)
        return [] if batch is None else [read_record(data) for data in self.recorder.records(batch)]

    def after(self, milliseconds: int) -> list[Read]:
        self.clock.advance(milliseconds)
        return self.due()
