"""Which dumps are in the tables, and how a load becomes visible.

    OUT/_flint/inputs/<dump>.json    one per dump: its name, size and fingerprint, how far it is loaded, its files
    OUT/_flint/commit.json           the journal: moves, deletions and new entries of a commit that is under way
    OUT/_flint/staging/              files that tasks are writing
    OUT/_flint/lock                  locked (flock) by the run that is at work: there is one at a time

A commit: the journal is written and renamed into place; files that are replaced are deleted, others are moved from
staging to their tables; the entries are written; the journal is removed. A run that finds a journal finishes that
commit first: every step may be done twice (T1). Before the journal is there nothing is visible (T2).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.tables.place import state

#: Bytes at the start and at the end of a dump that its fingerprint is made of.
LOOK = 65_536
#: How long a run waits for another one, a look of a stream, say.
WAIT_S = 10.0
_PAUSE_S = 0.1


@dataclass
class Entry:
    """A dump that is in the tables."""

    name: str
    dump: str
    size: int
    head: str
    tail: str
    #: Where its complete records end: a dump that has grown is loaded from here on.
    loaded: int
    layers: list[str]
    #: It was being written, and the bytes behind `loaded` may become a record.
    unfinished: bool = False
    #: Below OUT -> rows.
    files: dict[str, int] = field(default_factory=dict)
    records: dict[str, int] = field(default_factory=dict)
    unknown: int = 0
    damaged: int = 0
    lost: int = 0
    #: A digest of blocks of the dump, and that of its load from the start (twins.py).
    sample: str = ""
    origin: str = ""
    #: The dump with the same content and with rows that stand for it; `origin` is then of that one.
    same_as: str = ""
    examples: list[list[Any]] = field(default_factory=list)

    def continue_from(self, before: Entry) -> None:
        """Take over the files and counts of an earlier load of the same dump, to which this load appends."""
        self.files, self.records, self.examples = before.files, before.records, before.examples
        self.unknown, self.damaged, self.lost = before.unknown, before.damaged, before.lost
        self.origin, self.same_as = before.origin, before.same_as


def fingerprint(path: str, start: int, length: int) -> str:
    """Return a digest of `length` bytes from `start` on."""
    with open(path, "rb") as file:
        file.seek(start)
        return hashlib.sha256(file.read(length)).hexdigest()[:32]


def head_of(path: str, loaded: int) -> str:
    return fingerprint(path, 0, min(LOOK, loaded))


def tail_of(path: str, size: int) -> str:
    return fingerprint(path, max(size - LOOK, 0), LOOK)


class Manifest:
    """The entries of an output directory."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.state = state(out)
        self.inputs = self.state / "inputs"
        self.journal = self.state / "commit.json"
        self.staging = self.state / "staging"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the directory for this run: files that tasks of another run are writing must not be deleted."""
        self._make()
        try:
            file = (self.state / "lock").open("a")
        except OSError as error:
            raise PipelineError(f"{self.out} cannot be written: {error.strerror}") from None
        with file:
            until = time.monotonic() + WAIT_S
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise PipelineError(f"{self.out} is being written by another run") from None
                except OSError:
                    break  # A file system without locks.
                time.sleep(_PAUSE_S)
            yield

    def _make(self) -> None:
        try:
            self.inputs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PipelineError(f"{self.out} cannot be written: {error.strerror}") from None

    def open(self) -> None:
        """Prepare the directory: finish an interrupted commit, delete files that tasks left behind."""
        self._make()
        if self.journal.exists():
            self._apply(json.loads(self.journal.read_text()))
        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()

    def find(self, dump: str) -> Entry | None:
        path = self.inputs / f"{dump}.json"
        return Entry(**json.loads(path.read_text())) if path.exists() else None

    def entries(self) -> Iterator[Entry]:
        """Yield the entries one after the other, so that memory does not grow with their number."""
        for path in sorted(self.inputs.glob("*.json")):
            yield Entry(**json.loads(path.read_text()))

    def commit(self, entries: list[Entry], moves: list[tuple[str, str]], deletes: list[str]) -> None:
        """Make files visible, take others away, and note both."""
        plan = {"moves": moves, "deletes": deletes, "entries": [asdict(entry) for entry in entries]}
        _replace(self.journal, plan)
        self._apply(plan)

    def _apply(self, plan: dict[str, Any]) -> None:
        for name in plan["deletes"]:
            (self.out / name).unlink(missing_ok=True)
        for directory in {os.path.dirname(target) for _, target in plan["moves"]}:
            (self.out / directory).mkdir(parents=True, exist_ok=True)
        for source, target in plan["moves"]:
            if os.path.exists(source):
                os.replace(source, self.out / target)
        for entry in plan["entries"]:
            _replace(self.inputs / f"{entry['dump']}.json", entry)
        self.journal.unlink(missing_ok=True)


def _replace(path: Path, content: object) -> None:
    """Write a file so that it is there as a whole or not at all."""
    partial = path.with_suffix(".tmp")
    with partial.open("w") as file:
        json.dump(content, file, indent=1, sort_keys=True)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)
