"""End what a run has started, even if the run itself was killed.

A run that is ended by SIGKILL, SIGTERM or a closed terminal cannot end its queue manager and its brokers, which are
processes of sessions of their own. `Guard` starts a small process that waits for the end of its standard input, which
comes when the run has ended in any way:

    -> /tmp/flint-perf-x      the directory whose processes are guarded; `keep` behind it if it is not temporary
    -> done                   the run has ended them itself: nothing is left to do

A process belongs to the directory if one of MARKS in its environment has the directory as its value. Without `done`,
these are asked to end, and killed if they are there END_S later; then a temporary directory is removed.

The process runs this file alone, with nothing but the standard library.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

#: Variables that say which directory a process works for.
MARKS = ("FLINTMQ_DATA", "FLINT_PERF_DIRECTORY")
END_S = 5.0


class Guard:
    """The guard of one directory."""

    def __init__(self, directory: Path, temporary: bool = True) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        self._say(f"{directory}\n{'' if temporary else 'keep'}\n")

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    def _say(self, text: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()

    def done(self) -> None:
        """Dismiss it: everything has ended."""
        assert self._process.stdin is not None
        self._say("done\n")
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()


def processes(directory: str) -> list[int]:
    """Return the processes that work for a directory, without this one."""
    wanted = {f"{mark}={directory}".encode() for mark in MARKS}
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                if wanted & set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
    return found


def end(directory: str) -> None:
    """End the processes of a directory."""
    until = time.monotonic() + END_S
    number: int = signal.SIGTERM
    while found := processes(directory):
        if time.monotonic() > until:
            if number == signal.SIGKILL:
                return
            number, until = signal.SIGKILL, time.monotonic() + END_S
        for pid in found:
            with suppress(OSError):
                os.kill(pid, number)
        time.sleep(0.2)


def main() -> int:
    """Wait for the end of the run."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    lines = [*sys.stdin.read().split("\n"), ""]
    directory, keep = lines[0], lines[1]
    if directory and "done" not in lines[2:]:
        end(directory)
        if not keep:
            shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
