"""The processes of `bench wire`: a queue manager, echo servers and loads, and what they have used.

CPU time is that of the whole process, user and system, from its CPU clock. System calls are counted by `perf stat`
where that is allowed, else by `strace -c`, which slows the process down, in a round of its own.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType

import flintmq
from benchmarks.server.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
NAME = "BENCH"
_STOP_S = 20.0
_ATTACH_S = 0.5
_ANSWER_S = 120.0


class Broken(Exception):
    """A process of the benchmark did not do what it should; the text says which and what it said."""


def environment(directory: Path) -> dict[str, str]:
    """For child processes: the same sources, and queue managers in `directory`."""
    here = str(Path(flintmq.__file__).parent.parent)
    paths = [here, str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "FLINTMQ_DATA": str(directory)}


class Child:
    """A process of this run: it says `ready`, and is ended with the run."""

    def __init__(self, module: str, *arguments: str, at: Path) -> None:
        self._module = module
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(at),
        )
        self.pid = self._process.pid
        self._hear("ready", _ANSWER_S)

    def ask(self, line: str, within_s: float = _ANSWER_S) -> str:
        """Send a line and wait for the answer. Raises Broken if none comes in that time; then the process is ended."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return self._hear("", within_s)

    def _hear(self, wanted: str, within_s: float) -> str:
        assert self._process.stdout is not None
        limit = threading.Timer(within_s, self._process.kill)
        limit.start()
        said = self._process.stdout.readline().strip()
        limit.cancel()
        if not said or (wanted and said != wanted):
            raise Broken(f"{self._module} said {said!r} within {within_s:g} s and has ended: {self._process.poll()}")
        return said

    def end(self) -> None:
        """Away with it."""
        self._process.kill()
        self._process.communicate()


class Console:
    """MQSC commands to a running queue manager, without a process for each: as soon as one is answered, it is done."""

    def __init__(self, directory: Path) -> None:
        from flintmq.host.instance import Instance
        from flintmq.server.control import Control

        self._control = Control(Instance(NAME, directory))
        self._control.ask({"do": "runmqsc", "echo": False, "verify": False})

    def ask(self, command: str) -> None:
        """Run one command, which must succeed."""
        lines = [str(line) for line in self._control.ask(command)["lines"] if str(line).strip()]
        code = lines[0].partition(":")[0] if lines else ""
        if not code.endswith("I") or code == "AMQ8405I":
            raise Broken(f"{command}: {' '.join(lines)}")

    def __enter__(self) -> Console:
        return self

    def __exit__(self, *exception: object) -> None:
        self._control.close()


class Stage:
    """A queue manager that runs, with the queues and channels of the benchmark, in a directory of its own."""

    def __init__(self, *options: str) -> None:
        """`options` are further ones of crtmqm."""
        self.directory = Path(tempfile.mkdtemp(prefix="flint-wire-"))
        self.children: list[Child] = []
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.key = self.directory / "key.pem"
        self._flint("crtmqm", "--dev", "-q", "-p", str(self.port), *options, NAME)
        self.pid = 0
        place = self.directory / "qmgrs" / NAME
        self.local = str(place / "local")
        self._flint("strmqm", NAME)
        self.commands(
            "DEFINE CHANNEL(BENCH.TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLCAUTH(OPTIONAL) MCAUSER('app')",
            "SET CHLAUTH('BENCH.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)",
            "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI)",
        )
        self.pid = self._process_id()

    def _flint(self, *arguments: str, text: str = "") -> str:
        command = [sys.executable, "-P", "-m", "flintmq.cli", *arguments]
        end = subprocess.run(command, input=text, capture_output=True, text=True, env=environment(self.directory))
        if end.returncode:
            raise Broken(f"{' '.join(arguments)}: {end.stdout}{end.stderr}")
        return end.stdout

    def define(self, queues: list[str]) -> None:
        """Queues for a load."""
        self.commands(*(f"DEFINE QLOCAL({name}) MAXDEPTH(50000)" for name in queues))

    def commands(self, *commands: str) -> None:
        """MQSC."""
        self._flint("runmqsc", NAME, text="\n".join(commands) + "\n")

    def console(self) -> Console:
        """For commands between measurements."""
        return Console(self.directory / "qmgrs" / NAME)

    def _process_id(self) -> int:
        from flintmq.host.instance import Instance
        from flintmq.server.control import Control

        with Control(Instance(NAME, self.directory / "qmgrs" / NAME)) as control:
            return int(control.ask({"do": "ping"})["pid"])

    def make_key(self) -> None:
        """A key for the queue manager and the floor."""
        place = self.directory / "qmgrs" / NAME / "ssl"
        place.mkdir(exist_ok=True)
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bench"]
        command += ["-keyout", str(self.directory / "a.pem"), "-out", str(self.directory / "b.pem")]
        subprocess.run(command, check=True, capture_output=True)
        self.key.write_bytes(b"".join((self.directory / name).read_bytes() for name in ("a.pem", "b.pem")))
        shutil.copy(self.key, place / "key.pem")

    def child(self, module: str, *arguments: str) -> Child:
        """Another process, which ends with the stage."""
        made = Child(module, *arguments, at=self.directory)
        self.children.append(made)
        return made

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self.children:
            child.end()
        self._flint("endmqm", "-i", NAME)
        until = time.monotonic() + _STOP_S
        while Path(f"/proc/{self.pid}").exists() and time.monotonic() < until:
            time.sleep(0.02)
        shutil.rmtree(self.directory, ignore_errors=True)


def cpu_of(pid: int) -> float:
    """CPU seconds that a process has used, with all its threads: its CPU clock."""
    return time.clock_gettime((~pid << 3) | 2)


class SystemCalls:
    """System calls of a process in a `with` block: `count`, None where nothing can count them."""

    def __init__(self, pid: int) -> None:
        self.count: int | None = None
        self._perf = shutil.which("perf") is not None and _perf_works()
        if self._perf:
            command = ["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p", str(pid)]
        elif shutil.which("strace"):
            command = ["strace", "-f", "-c", "-p", str(pid)]
        else:
            command = []
        self._command = command

    def __enter__(self) -> SystemCalls:
        self._counter = None
        if self._command:
            self._counter = subprocess.Popen(self._command, stderr=subprocess.PIPE, text=True)
            time.sleep(_ATTACH_S)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._counter is None:
            return
        self._counter.send_signal(signal.SIGINT)
        _, said = self._counter.communicate()
        for line in said.splitlines():
            if self._perf and "raw_syscalls" in line and line.split(",")[0].isdigit():
                self.count = int(line.split(",")[0])
            elif not self._perf and line.endswith("total"):
                self.count = int(line.split()[3])


def _perf_works() -> bool:
    command = ["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "true"]
    end = subprocess.run(command, capture_output=True, text=True)
    return end.returncode == 0 and end.stderr.split(",")[0].strip().isdigit()
