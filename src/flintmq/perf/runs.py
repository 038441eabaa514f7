"""A run on disk: a directory that can be read later and on another machine.

    RUN/run.jsonl     JSON lines, appended while the run happens; the first line has the format and its version
    RUN/smf/*.dat     SMF dumps of the queue manager, one for each repeat of a step

The table RECORDS has every record with its fields; docs/internals/run-format.md explains them. A line is written whole
and flushed, so a run that is killed lacks its `end` record and perhaps the tail of its last line, and nothing else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

FORMAT = "flint-perf-run"
VERSION = 1
FILE = "run.jsonl"
SMF = "smf"

#: How a run ended. KILLED is never written: it is a run without an `end` record.
COMPLETE, INTERRUPTED, FAILED, KILLED = "complete", "interrupted", "failed", "killed"

Record = dict[str, Any]

_NUMBER = (int, float)
_STEP = {"step": int, "repeat": int}
#: Record -> its fields and their types. Every field is required. A reader ignores fields and records it does not know.
RECORDS: dict[str, dict[str, Any]] = {
    "run": {
        "format": str,
        "version": int,
        "id": str,
        "workload": str,
        "title": str,
        "product": str,
        "product_version": str,
        "build": str,
        "commit": str,
        "mode": str,
        "started": _NUMBER,
        "repeats": int,
        "warm_up_s": _NUMBER,
        "measure_s": _NUMBER,
        "settle_s": _NUMBER,
        "varied": list,
        "operation": str,
        "anchors": list,
        "behaviours": list,
        "command": list,
    },
    "machine": {
        "cpu_model": str,
        "cores": int,
        "memory_bytes": int,
        "kernel": str,
        "system": str,
        "python": str,
        "versions": dict,
        "file_system": str,
        "load": list,
    },
    "disk": {
        "block_bytes": int,
        "method": str,
        "writes": int,
        "seconds": _NUMBER,
        "bytes_per_s": _NUMBER,
        "mean_us": _NUMBER,
        "p50_us": _NUMBER,
        "p99_us": _NUMBER,
        "max_us": _NUMBER,
    },
    "step": {
        **_STEP,
        "parameters": dict,
        "drivers": list,
        "target_rate": (int, float, type(None)),
        "started": _NUMBER,
    },
    "second": {**_STEP, "role": str, "process": int, "second": int, "count": int, "errors": int},
    "latency": {
        **_STEP,
        "role": str,
        "process": int,
        "what": str,
        "from": str,
        "count": int,
        "mean_us": _NUMBER,
        "p50_us": _NUMBER,
        "p90_us": _NUMBER,
        "p99_us": _NUMBER,
        "p999_us": _NUMBER,
        "max_us": _NUMBER,
        "histogram": dict,
    },
    "cpu": {
        **_STEP,
        "kind": str,
        "role": str,
        "process": int,
        "user_s": _NUMBER,
        "system_s": _NUMBER,
        "rss_bytes": int,
        "threads": int,
    },
    "result": {
        **_STEP,
        "measured_s": _NUMBER,
        "operations": int,
        "rate": _NUMBER,
        "messages": int,
        "errors": int,
        "queue_manager_us": (int, float, type(None)),
        "driver_us": _NUMBER,
        "machine_cpu": _NUMBER,
        "log_bytes": (int, type(None)),
        "log_writes": (int, type(None)),
        "depth": (int, type(None)),
    },
    "value": {**_STEP, "name": str, "value": _NUMBER, "unit": str},
    "smf": {**_STEP, "file": str, "bytes": int},
    "peak": {"parameters": dict, "ramp": str, "at": int, "rate": _NUMBER, "reason": str},
    "note": {"text": str},
    "end": {"ended": str, "reason": str, "finished": _NUMBER},
}


class RunError(Exception):
    """A directory that is no run, or a damaged one. The text names the file and the line."""


class RunWriter:
    """Write a run. Use it in a `with` block: the way the block ends decides the `end` record.

    Ctrl-C ends a run as INTERRUPTED, any other exception as FAILED; both go on to the caller.
    """

    def __init__(self, directory: Path, head: Mapping[str, Any]) -> None:
        """Make the directory, which must not exist or be empty, and write the first line.

        `head` has the fields of the record `run` except for format and version.
        """
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise RunError(f"{directory} already exists and is not empty: choose another directory for the run")
        (directory / SMF).mkdir(parents=True)
        self.directory = directory
        self._file: TextIO | None = (directory / FILE).open("x", encoding="utf-8")
        self.write("run", format=FORMAT, version=VERSION, **head)

    def write(self, record: str, /, **fields: Any) -> None:
        """Append one record. Raise ValueError if it lacks a field, has an unknown one, or one of a wrong type."""
        check(record, fields)
        assert self._file is not None, "the run has ended"
        # One call of write(): a line is not split between two system calls by a full buffer, as flush() follows.
        self._file.write(json.dumps({"record": record, **fields}, allow_nan=False) + "\n")
        self._file.flush()

    def note(self, text: str) -> None:
        """Append a remark for the reader of the run, such as a step that was left out and the reason."""
        self.write("note", text=text)

    def end(self, ended: str = COMPLETE, reason: str = "") -> None:
        """Write the `end` record and close the file. Do nothing if that was done before."""
        if self._file is not None:
            self.write("end", ended=ended, reason=reason, finished=time.time())
            self._file.close()
            self._file = None

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.end()
        elif issubclass(kind, KeyboardInterrupt):
            self.end(INTERRUPTED, "Ctrl-C")
        else:
            self.end(FAILED, f"{kind.__name__}: {error}"[:500])


def check(record: str, fields: Mapping[str, Any]) -> None:
    """Raise ValueError unless `fields` are exactly those of `record`, with their types."""
    known = RECORDS.get(record)
    if known is None:
        raise ValueError(f"there is no record {record!r}")
    if fields.keys() != known.keys():
        raise ValueError(f"record {record}: fields differ from the format: {sorted(fields.keys() ^ known.keys())}")
    for name, kind in known.items():
        if not isinstance(fields[name], kind) or isinstance(fields[name], bool):
            raise ValueError(f"record {record}: {name} is {fields[name]!r}, which has a wrong type")


@dataclass
class Run:
    """A run that was read. Lists of records keep the order of the file."""

    directory: Path
    head: Record
    records: dict[str, list[Record]] = field(default_factory=dict)
    #: The last line was cut off: the run was killed while it wrote.
    torn: bool = False

    def __getitem__(self, record: str) -> list[Record]:
        """Return all records of one kind, an empty list if there are none."""
        return self.records.get(record, [])

    @property
    def workload(self) -> str:
        """Return the id of its workload."""
        return str(self.head["workload"])

    @property
    def ended(self) -> str:
        """Return COMPLETE, INTERRUPTED, FAILED or KILLED."""
        return str(self["end"][-1]["ended"]) if self["end"] else KILLED

    def smf_files(self) -> list[Path]:
        """Return the SMF dumps that are there."""
        return [path for each in self["smf"] if (path := self.directory / str(each["file"])).is_file()]


def is_run(directory: Path) -> bool:
    """Return whether `directory` looks like a run. It may still be damaged."""
    return (directory / FILE).is_file()


def find(root: Path) -> list[Path]:
    """Return the runs at or under `root`, oldest name first."""
    return [root] if is_run(root) else sorted(path.parent for path in root.rglob(FILE))


def read(directory: Path) -> Run:
    """Read a run. Raise RunError where it is not one, or a line in the middle cannot be read."""
    path = directory / FILE
    try:
        text = path.read_bytes()
    except OSError as error:
        raise RunError(f"{directory} is no run: {path.name}: {error.strerror}") from None
    lines = _lines(path, text)
    head = next(lines, None)
    if head is None or head.get("format") != FORMAT:
        raise RunError(f"{path} is no run: its first line does not say {FORMAT}")
    if head.get("version") != VERSION:
        raise RunError(f"{path}: version {head.get('version')!r} is not known; this program reads version {VERSION}")
    made = Run(directory, _checked(path, 1, head))
    for number, fields in enumerate(lines, 2):
        if not fields:
            made.torn = True
        else:
            kind = fields.get("record")
            made.records.setdefault(str(kind), []).append(_checked(path, number, fields))
    return made


def _lines(path: Path, text: bytes) -> Iterator[Record]:
    """Yield a record for each line; an empty one for a last line that was cut off."""
    lines = text.split(b"\n")
    cut = lines.pop()
    for number, line in enumerate(lines, 1):
        try:
            fields = json.loads(line)
        except ValueError:
            fields = None
        if not isinstance(fields, dict) or not fields:
            raise RunError(f"{path}, line {number}: not a JSON object: the file is damaged")
        yield fields
    if cut:
        yield {}


def _checked(path: Path, number: int, fields: Record) -> Record:
    """Return `fields` if those that the format names are there with their types; others are allowed."""
    known = RECORDS.get(str(fields.get("record")), {})
    for name, kind in known.items():
        if not isinstance(fields.get(name), kind) or (name not in fields and kind is not type(None)):
            raise RunError(f"{path}, line {number}: record {fields.get('record')}: {name} is missing or damaged")
    return fields
