"""Profile of ESQL: calls and CPU time of every statement, and which statements never ran.

    program = Program(profile=True)         the compiler puts `hit(routine, line)` before every statement
    ...
    profile = Profile(program)              before the first message; takes the calls of `hit`
    ...
    print("\\n".join(listing(profile.files())))

How time is attributed: the profile knows the statement that runs. Every event (a statement begins, a routine is called,
a routine returns) charges the time since the last event to that statement. A call puts the statement of the caller on
a stack, the return puts it back; so a line shows the time of the statement itself without the routines that it
calls. Code outside of statements counts for a neighbour: the condition of a WHILE, when it is tested again, for the
last statement of the body. A PROPAGATE shows the time of the nodes that it reaches, except for their ESQL.

Time is CPU time of the thread in microseconds; waiting is not in it. Each thread has a stack and counters of its own,
and `files` and `routines` add them up. Lines are counted, not statements: two statements on one line are one entry
whose calls are those of both.

This module never changes the effect of a program, and never times code that was compiled without a profile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from flintmq.broker.esql.program import Program

#: A routine and a line of its file: what `hit` is called with.
Key = tuple[str, int]

_NOWHERE: Final[Key] = ("", 0)


@dataclass(slots=True)
class LineProfile:
    """One line of a file that has a statement: how often it began, and its CPU time."""

    line: int
    calls: int = 0
    nanoseconds: int = 0

    @property
    def microseconds(self) -> float:
        return self.nanoseconds / 1000


@dataclass(slots=True)
class RoutineProfile:
    """One routine: calls, time of its own statements, and time with the routines that it called."""

    name: str
    file: str
    line: int
    calls: int = 0
    own_nanoseconds: int = 0
    total_nanoseconds: int = 0


@dataclass(slots=True)
class FileProfile:
    """One file: its text, and the lines that have statements."""

    file: str
    text: str = field(repr=False)
    lines: dict[int, LineProfile] = field(default_factory=dict)

    @property
    def statement_lines(self) -> int:
        """How many lines have a statement."""
        return len(self.lines)

    @property
    def covered_lines(self) -> int:
        """How many of them ran."""
        return sum(1 for line in self.lines.values() if line.calls)

    @property
    def missed(self) -> list[int]:
        """The lines that never ran."""
        return sorted(line.line for line in self.lines.values() if not line.calls)

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines.values())

    @property
    def microseconds(self) -> float:
        return sum(line.nanoseconds for line in self.lines.values()) / 1000


class _Thread:
    """The statement that one thread runs, and its counts."""

    __slots__ = ("calls", "current", "nanoseconds", "routine_calls", "since", "stack", "totals")

    def __init__(self) -> None:
        self.current: Key = _NOWHERE
        self.since = 0
        #: For each call that is open: the statement of the caller, the routine, and when it was called.
        self.stack: list[tuple[Key, str, int]] = []
        self.calls: dict[Key, int] = {}
        self.nanoseconds: dict[Key, int] = {}
        self.routine_calls: dict[str, int] = {}
        self.totals: dict[str, int] = {}


class Profile:
    """Counts calls and CPU time of statements. `clock` gives nanoseconds of CPU time of the calling thread."""

    def __init__(self, program: Program, clock: Callable[[], int] = time.thread_time_ns) -> None:
        if not program.profile:
            raise ValueError("the program was compiled without a profile; use Program(profile=True)")
        self.program = program
        self._clock = clock
        self._local = threading.local()
        self._threads: list[_Thread] = []
        self._guard = threading.Lock()
        program.globals["hit"] = self.hit
        wrapped: dict[str, Callable[..., object]] = {}
        for signature in program.routines():
            function = program.globals.get(signature.code)
            if callable(function):
                wrapped[signature.code] = self._wrapped(signature.name, function)
        program.globals.update(wrapped)
        for unit in program.units.values():
            main = next((each for key, each in unit.routines.items() if key.upper() == "MAIN"), None)
            if unit.main is not None and main is not None:
                unit.main = wrapped[main.code]

    # Events.

    def hit(self, routine: str, line: int) -> None:
        """Note that a statement begins. Compiled code calls this."""
        thread = self._thread()
        now = self._clock()
        self._charge(thread, now)
        key = (routine, line)
        thread.current = key
        thread.calls[key] = thread.calls.get(key, 0) + 1

    def _wrapped(self, name: str, function: Callable[..., object]) -> Callable[..., object]:
        """Return a routine that tells the profile of its calls and returns."""

        def call(*arguments: object) -> object:
            thread = self._enter(name)
            try:
                return function(*arguments)
            finally:
                self._leave(thread)

        return call

    def _enter(self, routine: str) -> _Thread:
        thread = self._thread()
        now = self._clock()
        self._charge(thread, now)
        thread.stack.append((thread.current, routine, now))
        # Until its first statement, a routine has no line of its own.
        thread.current = _NOWHERE
        thread.routine_calls[routine] = thread.routine_calls.get(routine, 0) + 1
        return thread

    def _leave(self, thread: _Thread) -> None:
        now = self._clock()
        self._charge(thread, now)
        thread.current, routine, entered = thread.stack.pop()
        # Of a routine that calls itself, the outermost call has the time of all.
        if all(name != routine for _, name, _ in thread.stack):
            thread.totals[routine] = thread.totals.get(routine, 0) + now - entered

    def _charge(self, thread: _Thread, now: int) -> None:
        """Give the time since the last event to the statement that was running."""
        if thread.current is not _NOWHERE:
            spent = now - thread.since
            thread.nanoseconds[thread.current] = thread.nanoseconds.get(thread.current, 0) + spent
        thread.since = now

    def _thread(self) -> _Thread:
        found: _Thread | None = getattr(self._local, "state", None)
        if found is None:
            found = self._local.state = _Thread()
            with self._guard:
                self._threads.append(found)
        return found

    # Results.

    def files(self) -> list[FileProfile]:
        """Return calls and time by file and line. Lines that never ran are there with 0 calls."""
        parsed = self.program.files
        found: dict[str, FileProfile] = {}
        places: dict[Key, LineProfile] = {}
        for place in self.program.statement_places():
            text = parsed[place.file].text if place.file in parsed else ""
            file = found.setdefault(place.file, FileProfile(place.file, text))
            places[place.routine, place.line] = file.lines.setdefault(place.line, LineProfile(place.line))
        for thread in self._threads:
            for key, calls in thread.calls.items():
                places[key].calls += calls
            for key, spent in thread.nanoseconds.items():
                places[key].nanoseconds += spent
        return list(found.values())

    def routines(self) -> list[RoutineProfile]:
        """Return calls and time by routine, the most expensive first."""
        found: dict[str, RoutineProfile] = {}
        for place in self.program.statement_places():
            found.setdefault(place.routine, RoutineProfile(place.routine, place.file, place.line))
        for thread in self._threads:
            for (name, _), spent in thread.nanoseconds.items():
                found[name].own_nanoseconds += spent
            for name, calls in thread.routine_calls.items():
                if name in found:
                    found[name].calls += calls
                    found[name].total_nanoseconds += thread.totals.get(name, 0)
        return sorted(found.values(), key=lambda each: (-each.own_nanoseconds, each.file, each.line))


# Output.


def listing(files: list[FileProfile]) -> list[str]:
    """Return the lines of an annotated listing: calls, microseconds and line number before each line of ESQL.

    A line with a statement that never ran has `-` in place of its calls; a line without a statement has neither.
    """
    lines: list[str] = []
    for file in files:
        lines.append(f"{file.file}: {summary(file)}")
        lines.append(f"{'calls':>9} {'us':>11} {'line':>5}")
        for number, text in enumerate(file.text.splitlines(), 1):
            found = file.lines.get(number)
            if found is None:
                counts = " " * 21
            elif found.calls:
                counts = f"{found.calls:>9} {found.microseconds:>11.1f}"
            else:
                counts = f"{'-':>9} {'':>11}"
            lines.append(f"{counts} {number:>5}  {text}".rstrip())
        lines.append("")
    return lines


def totals(files: list[FileProfile], routines: list[RoutineProfile]) -> list[str]:
    """Return the lines of the totals: one for each routine that ran, one for each file, one for all."""
    lines = [f"{'calls':>9} {'own us':>11} {'total us':>11}  routine"]
    for routine in routines:
        if routine.calls:
            own, total = routine.own_nanoseconds / 1000, routine.total_nanoseconds / 1000
            lines.append(f"{routine.calls:>9} {own:>11.1f} {total:>11.1f}  {routine.name}")
    lines += [f"{file.file}: {summary(file)}" for file in files]
    if len(files) > 1:
        whole = FileProfile("all", "")
        whole.lines = dict(enumerate(each for file in files for each in file.lines.values()))
        lines.append(f"all: {summary(whole)}")
    return lines


def summary(file: FileProfile) -> str:
    """Return coverage, calls and time of a file in one line."""
    share = 100 * file.covered_lines / file.statement_lines if file.statement_lines else 100.0
    text = f"{file.covered_lines} of {file.statement_lines} lines with statements ran ({share:.0f} %)"
    return f"{text}, {file.calls} statements, {file.microseconds:.1f} us"


def as_json(files: list[FileProfile], routines: list[RoutineProfile]) -> dict[str, object]:
    """Return everything as data for JSON."""
    return {
        "files": [
            {
                "file": file.file,
                "statement_lines": file.statement_lines,
                "covered_lines": file.covered_lines,
                "missed": file.missed,
                "calls": file.calls,
                "microseconds": round(file.microseconds, 3),
                "lines": [
                    {"line": line.line, "calls": line.calls, "microseconds": round(line.microseconds, 3)}
                    for line in sorted(file.lines.values(), key=lambda each: each.line)
                ],
            }
            for file in files
        ],
        "routines": [
            {
                "routine": each.name,
                "file": each.file,
                "calls": each.calls,
                "own_microseconds": round(each.own_nanoseconds / 1000, 3),
                "total_microseconds": round(each.total_nanoseconds / 1000, 3),
            }
            for each in routines
            if each.calls
        ],
    }
