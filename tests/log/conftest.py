"""Fixtures of the log tests: every file system that the log runs on, and a log that is ready to be written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from flintmq.log import FileSystem, Log, LogConfig, LogRecord, RealFiles
from tests.simulation.disk import SimulatedDisk

IDENTITY = bytes(range(16))

#: Small files: 3 pages, of which 2 hold records.
SMALL = {"file_pages": 3, "primary": 3, "secondary": 2}


class Place:
    """A file system and a directory on it."""

    def __init__(self, files: FileSystem, directory: str) -> None:
        self.files = files
        self.directory = directory
        self.log = f"{directory}/log"
        self.second = f"{directory}/second"
        self.archive = f"{directory}/archive"

    def create(self, config: LogConfig | None = None, first_extent: int = 0) -> Log:
        """Create a log and return it replayed, ready to be written."""
        Log.create(self.files, self.log, config or LogConfig(**SMALL), IDENTITY, first_extent)  # type: ignore[arg-type]
        log, records = self.reopen()
        assert records == []
        return log

    def reopen(self) -> tuple[Log, list[LogRecord]]:
        """Open the log and return it with all records that restart finds."""
        log = Log.open(self.files, self.log)
        return log, list(log.replay())


@pytest.fixture(params=["real", "simulated"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Each file system in turn."""
    if request.param == "real":
        return Place(RealFiles(), str(tmp_path))
    return Place(SimulatedDisk(), "/qm")


@pytest.fixture
def simulated() -> Callable[[SimulatedDisk], Place]:
    """Make a place on a simulated disk."""
    return lambda disk: Place(disk, "/qm")
