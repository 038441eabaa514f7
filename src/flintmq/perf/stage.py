"""The stage of a run: a queue manager in a directory of its own, its driver processes, and CPU clocks.

The queue manager is made with `crtmqm`, started with `strmqm` and ended with `endmqm`, as a user does it, in processes
of their own. It listens on a free port of 127.0.0.1 only. `Stage` removes the directory at its end unless it was given
one. If the run is killed, a guard does both (guard.py).
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import flintmq
from flintmq.command.administration import Row
from flintmq.host.instance import Instance
from flintmq.perf import keys
from flintmq.perf.guard import Guard
from flintmq.perf.plan import EMBEDDED, LOCAL, TLS, DriverPlan
from flintmq.server.control import Control, run_command

NAME = "PERF"
CHANNEL, TLS_CHANNEL = "PERF.SVRCONN", "PERF.TLS.SVRCONN"
_ANSWER_S = 180.0
_END_S = 60.0
_CHANNELS = (
    f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) TRPTYPE(TCP) MCAUSER('app') SHARECNV(10) REPLACE",
    f"DEFINE CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) TRPTYPE(TCP) MCAUSER('app') SHARECNV(10) REPLACE",
    f"ALTER CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)",
    "SET CHLAUTH('PERF.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)",
    "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI)",
    "SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(ALLMQI)",
    "ALTER QMGR MAXHANDS(999999)",
)


class StageError(Exception):
    """The queue manager or a driver failed. The text names it and has its output."""


def environment(data: Path) -> dict[str, str]:
    """Return the environment of child processes: these sources, and queue managers in `data`."""
    here = str(Path(flintmq.__file__).parent.parent)
    paths = [here, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "FLINTMQ_DATA": str(data)}


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Used:
    """CPU time of processes since they started, and their current memory."""

    #: CPU seconds by their CPU clocks, exact.
    cpu_s: float = 0.0
    #: The same by the kernel's ticks, which tell user and system apart.
    user_ticks: int = 0
    system_ticks: int = 0
    rss_bytes: int = 0
    threads: int = 0

    def since(self, before: Used) -> tuple[float, float]:
        """Return user and system seconds since `before`: the exact sum, shared out as the ticks are."""
        total = max(0.0, self.cpu_s - before.cpu_s)
        user, system = self.user_ticks - before.user_ticks, self.system_ticks - before.system_ticks
        if user + system <= 0:
            user, system = self.user_ticks, self.system_ticks
        share = user / (user + system) if user + system > 0 else 1.0
        return total * share, total * (1.0 - share)


def used(pid: int) -> Used:
    """Return the CPU time and memory of a process. Raise OSError if it has ended."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b") ")[2].split()
    user, system = int(fields[11]), int(fields[12])
    total = (user + system) / os.sysconf("SC_CLK_TCK")
    with suppress(OSError):
        total = time.clock_gettime((~pid << 3) | 2)
    return Used(total, user, system, int(fields[21]) * os.sysconf("SC_PAGE_SIZE"), int(fields[17]))


def used_by_group(pids: list[int]) -> Used:
    """Return the sum over some processes; one that has ended counts nothing."""
    total = Used()
    for pid in pids:
        with suppress(OSError, IndexError):
            one = used(pid)
            total.cpu_s += one.cpu_s
            total.user_ticks += one.user_ticks
            total.system_ticks += one.system_ticks
            total.rss_bytes += one.rss_bytes
            total.threads += one.threads
    return total


class DriverProcess:
    """One driver process, seen by the harness."""

    def __init__(self, plan: DriverPlan, totals: dict[str, int], data: Path) -> None:
        self.plan = plan
        # A session of its own: Ctrl-C at the terminal reaches the harness alone, which ends its drivers.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "flintmq.perf.driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(data),
            start_new_session=True,
        )
        self.pid = self.process.pid
        self._rest = b""
        self.tell({"plan": json.loads(plan.packed()), "totals": totals})

    @property
    def roles(self) -> str:
        """Return the roles of the process, for messages."""
        return ", ".join(dict.fromkeys(each.role for each in self.plan.actors))

    def tell(self, line: dict[str, Any]) -> None:
        """Send a line. Raise StageError where the process has ended."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise StageError(f"a driver ({self.roles}) has ended with {self.process.wait()}") from None

    def hear(self, timeout_s: float) -> dict[str, Any] | None:
        """Return the next line, None if none comes in time. Raise StageError where the process has ended."""
        assert self.process.stdout is not None
        until = time.monotonic() + timeout_s
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if not select.select([self.process.stdout], [], [], max(0.0, left))[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise StageError(f"a driver ({self.roles}) has ended with {self.process.wait()}")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        if "error" in said:
            raise StageError(f"a driver ({self.roles}) cannot run: {said['error']}")
        return said

    def expect(self, key: str, timeout_s: float = _ANSWER_S) -> Any:
        """Wait for a line with `key`, leaving out the seconds before it."""
        until = time.monotonic() + timeout_s
        while (left := until - time.monotonic()) > 0:
            said = self.hear(left)
            if said is not None and key in said:
                return said[key]
        raise StageError(f"a driver ({self.roles}) has not said {key!r} within {timeout_s:g} s")

    def end(self, patient: bool = True) -> None:
        """Ask the driver to end; kill it after the time limit, or at once without one."""
        with suppress(OSError, StageError, subprocess.TimeoutExpired):
            if patient:
                self.tell({"quit": True})
                self.process.wait(10.0)
        with suppress(OSError, subprocess.TimeoutExpired):
            if self.process.poll() is None:
                self.process.kill()
            self.process.communicate(timeout=10.0)


class Stage:
    """A queue manager for runs. Use it in a `with` block."""

    def __init__(self, directory: Path | None = None, log_directory: Path | None = None) -> None:
        """`directory` keeps the queue manager; without one it is temporary. The log may lie elsewhere."""
        self.temporary = directory is None
        self.data = Path(tempfile.mkdtemp(prefix="flint-perf-")) if directory is None else directory.resolve()
        self.data.mkdir(parents=True, exist_ok=True)
        self.place = self.data / "qmgrs" / NAME
        self.port = free_port()
        self.address = f"127.0.0.1({self.port})"
        self.keys = ""
        self.pid = 0
        self.drivers: list[DriverProcess] = []
        self._control: Control | None = None
        self._has_channels = False
        self._log_directory = log_directory
        options = ["-oa", "UserExternal", "-lf", "16384", "-lp", "4", "-ls", "2", "-p", str(self.port)]
        if log_directory is not None:
            options += ["-ld", str(log_directory.resolve())]
        self._guard = Guard(self.data, self.temporary)
        try:
            self.flint("crtmqm", "--dev", "-z", *options, NAME)
        except BaseException:
            self._remove()
            raise

    @property
    def running(self) -> bool:
        """Return whether the queue manager runs as a process."""
        return self.pid != 0

    def start(self) -> None:
        """Start the queue manager, which listens when this returns."""
        if self.pid:
            return
        if not self.keys:
            self.keys = keys.make(self.data, self.place / "ssl")
        self.flint("strmqm", NAME)
        place = Instance(NAME, self.place)
        with Control(place) as control:
            self.pid = int(control.ask({"do": "ping"})["pid"])
        self._control = Control(place)
        self._control.ask({"do": "runmqsc", "echo": False, "verify": False})
        if not self._has_channels:
            self.commands(*_CHANNELS)
            self._has_channels = True

    def stop(self) -> None:
        """End the queue manager, if it runs."""
        if not self.pid:
            return
        self._close_control()
        with suppress(StageError):
            self.flint("endmqm", "-i", NAME)
        self._gone()

    def kill(self) -> None:
        """Kill the queue manager, as a crash does."""
        self._close_control()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._gone()

    def _gone(self) -> None:
        until = time.monotonic() + _END_S
        while is_alive(self.pid) and time.monotonic() < until:
            time.sleep(0.01)
        self.pid = 0

    def _close_control(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None

    def flint(self, *arguments: str) -> str:
        """Run a command of FlintMQ on the data of this stage. Raise StageError where it fails."""
        command = [sys.executable, "-P", "-m", "flintmq.cli", *arguments]
        ended = subprocess.run(command, capture_output=True, text=True, env=environment(self.data))
        if ended.returncode:
            raise StageError(f"{' '.join(arguments)}: {(ended.stdout + ended.stderr).strip()}")
        return ended.stdout

    def commands(self, *commands: str) -> list[str]:
        """Run MQSC commands, which must succeed. Return their output."""
        if self._control is None:
            raise StageError(f"the queue manager does not run: {commands[0] if commands else ''}")
        answers = [(text, self._ask(text)) for text in commands]
        for text, lines in answers:
            first = next((line for line in lines if line[:3] in ("AMQ", "CSQ")), "")
            if first[7:8] in ("E", "S") or first[8:9] in ("E", "S") or "AMQ8405I" in first:
                raise StageError(f"{text}: {' '.join(lines)}")
        return [line for _, lines in answers for line in lines]

    def _ask(self, text: str) -> list[str]:
        assert self._control is not None
        answer = self._control.ask(text)
        return [line for line in map(str, answer["lines"]) if line.strip()]

    def value(self, command: str, attribute: str) -> int:
        """Return a number of the first object that a DISPLAY command shows, -1 if it shows none."""
        return next((int(str(row[attribute]) or 0) for row in self.rows(command) if attribute in row), -1)

    def rows(self, command: str) -> list[Row]:
        """Run a DISPLAY command, which must succeed, and return the attributes of each object."""
        if self._control is None:
            raise StageError(f"the queue manager does not run: {command}")
        with Control(Instance(NAME, self.place)) as control:
            found = run_command(control, command)
        if found.problem:
            raise StageError(f"{command}: {found.problem}")
        return found.rows

    def log_used(self) -> tuple[int, int]:
        """Return bytes and writes of the log since the queue manager started."""
        (row,) = self.rows("DISPLAY USAGE TYPE(DATASET)")
        return int(str(row["BYTES"])), int(str(row["SYNCS"]))

    def depth(self, pattern: str) -> int:
        """Return the messages on the queues that a name with an asterisk means."""
        try:
            rows = self.rows(f"DISPLAY QLOCAL({pattern}) CURDEPTH")
        except StageError as error:
            if "AMQ8147E" in str(error):
                return 0
            raise
        return sum(int(str(row["CURDEPTH"])) for row in rows)

    def plan(self, mode: str, cipher: str = "") -> DriverPlan:
        """Return a plan that connects in this mode and has no actors yet."""
        made = DriverPlan([], mode, NAME, str(self.place), CHANNEL, self.address)
        if mode == TLS:
            made.channel, made.keys, made.cipher = TLS_CHANNEL, self.keys, cipher or "ANY_TLS12_OR_HIGHER"
        return made

    def ready(self, plans: list[DriverPlan]) -> list[DriverProcess]:
        """Start driver processes and wait until all of them are ready."""
        totals: dict[str, int] = {}
        for plan in plans:
            if plan.mode in (EMBEDDED, LOCAL):
                plan.sharing = 0
            for actors in plan.actors:
                totals[actors.role] = max(totals.get(actors.role, 0), actors.first + actors.instances)
        made: list[DriverProcess] = []
        for plan in plans:
            driver = DriverProcess(plan, totals, self.data)
            self.drivers.append(driver)
            made.append(driver)
        for driver in made:
            driver.expect("ready")
        return made

    def end_drivers(self, patient: bool = True) -> None:
        """End all driver processes."""
        for driver in self.drivers:
            driver.end(patient)
        self.drivers = []

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.end_drivers(patient=kind is None)
        finally:
            self.stop()
            self._remove()

    def _remove(self) -> None:
        if self.temporary:
            shutil.rmtree(self.data, ignore_errors=True)
        self._guard.done()


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and was not waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] != b"Z"
    except OSError:
        return False
