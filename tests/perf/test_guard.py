"""The guard of a run: nothing that a run has started outlives it, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from flintmq.perf import guard
from tests.waiting import PATIENCE, until

_SLEEP = [sys.executable, "-c", "import time; print('here', flush=True); time.sleep(60)"]
_RUN = """
import subprocess, sys, time
from pathlib import Path
from flintmq.perf.guard import Guard
Guard(Path(sys.argv[1]))
print("guarded", flush=True)
time.sleep(60)
"""


def started(mark: str, directory: Path) -> subprocess.Popen[bytes]:
    """A process that works for a directory, in a session of its own."""
    made = subprocess.Popen(
        _SLEEP, env={**os.environ, mark: str(directory)}, start_new_session=True, stdout=subprocess.PIPE
    )
    assert made.stdout is not None and made.stdout.readline() == b"here\n"
    return made


def test_a_run_that_is_killed_leaves_no_process_and_no_directory(tmp_path: Path) -> None:
    place, other = tmp_path / "run", tmp_path / "other"
    place.mkdir()
    (place / "file").write_text("x")
    run = subprocess.Popen([sys.executable, "-c", _RUN, str(place)], stdout=subprocess.PIPE)
    assert run.stdout is not None and run.stdout.readline() == b"guarded\n"
    mine = [started(mark, place) for mark in guard.MARKS]
    foreign = started(guard.MARKS[0], other)
    try:
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        assert [each.wait(PATIENCE) for each in mine] == [-signal.SIGTERM] * 2
        until(lambda: not place.exists())
        assert foreign.poll() is None
    finally:
        for each in (*mine, foreign):
            each.kill()
            each.wait()


def test_a_run_that_has_ended_dismisses_its_guard(tmp_path: Path) -> None:
    made = guard.Guard(tmp_path)
    mine = started(guard.MARKS[1], tmp_path)
    try:
        assert guard.processes(str(tmp_path)) == [mine.pid]
        made.done()
        assert mine.poll() is None and tmp_path.exists()
    finally:
        mine.kill()
        mine.wait()
