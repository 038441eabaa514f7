"""Nothing acknowledged is lost or doubled when a real process is killed, again and again, under persistent load.

    ./flint test tests/simulation/test_kill.py --kills 500

kill_child.py runs the queue manager; here it is killed at a random moment and what it leaves is compared with what it
has told. A message that was there after one restart must be there after all that follow.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from flintmq.mqi.constants import MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from tests.simulation.kill_child import QUEUES, Host

SEED = 2
#: How long a child may take to come up, on the slowest machine.
PATIENCE_S = 60.0
#: One that is not killed while it starts has told of so many commits before: no run is without load.
COMMITS = 8


class Child:
    """One run of kill_child.py, and the lines it has told."""

    def __init__(self, directory: Path, run: int) -> None:
        script = Path(__file__).with_name("kill_child.py")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(directory), str(run)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.told = b""

    def go(self) -> None:
        """The queue manager is free: start it."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def listen(self, until: float, word: bytes = b"") -> None:
        """Read what it tells until that moment, or until it has told `word`."""
        assert self.process.stdout is not None
        pipe = self.process.stdout.fileno()
        while (left := until - time.monotonic()) > 0:
            if word and word in self.told:
                return
            if select.select([pipe], [], [], left)[0]:
                part = os.read(pipe, 65536)
                assert part, f"the child ended by itself: {self._complaint()}"
                self.told += part
        assert not word, f"the child did not come up: {self._complaint()}"

    def listen_for(self, commits: int) -> None:
        """It has told of so many commits, however little the machine has left for it."""
        end = time.monotonic() + PATIENCE_S
        while self.told.count(b"\nP ") + self.told.count(b"\nM ") < commits:
            assert time.monotonic() < end, f"the child commits nothing: {self._complaint()}"
            self.listen(time.monotonic() + 0.005)

    def kill(self) -> list[str]:
        """SIGKILL; returns all lines that it told, complete ones only."""
        self.process.send_signal(signal.SIGKILL)
        rest, complaint = self.process.communicate()
        assert self.process.returncode == -signal.SIGKILL, complaint.decode()
        lines = (self.told + rest).split(b"\n")
        return [line.decode() for line in lines[:-1]]

    def _complaint(self) -> str:
        self.process.kill()
        return self.process.communicate()[1].decode()[-2000:]


class Ledger:
    """What must be there. A message is (producer, number)."""

    def __init__(self) -> None:
        self.must_be: set[tuple[str, int]] = set()
        self.moved: set[tuple[str, int]] = set()
        self.drained: set[tuple[str, int]] = set()
        self.commits = 0

    def hear(self, lines: list[str]) -> None:
        for line in lines:
            words = line.split()
            if words[0] == "P":
                self.commits += 1
                first, count = int(words[3]), int(words[4])
                self.must_be |= {(words[1], number) for number in range(first, first + count)}
            elif words[0] == "M":
                self.commits += 1
                for word in words[1:]:
                    producer, _, number = word.partition(":")
                    self.moved.add((producer, int(number)))

    def compare(self, on_a: list[bytes], on_b: list[bytes]) -> None:
        """0 lost, 0 doubled, units whole, order per producer kept."""
        queues = [[_parse(data) for data in on_a], [_parse(data) for data in on_b]]
        a, b = [[(producer, number) for producer, number, _, _ in queue] for queue in queues]
        everywhere = a + b
        there = set(everywhere)
        assert len(there) == len(everywhere), f"doubled: {sorted(m for m in there if everywhere.count(m) > 1)[:10]}"
        assert not there & self.drained, f"back from the dead: {sorted(there & self.drained)[:10]}"
        there |= self.drained
        assert self.must_be <= there, f"lost: {sorted(self.must_be - there)[:10]}"
        assert not self.moved & set(a), f"moved and moved back: {sorted(self.moved & set(a))[:10]}"
        for producer, _, first, count in {entry for queue in queues for entry in queue}:
            missing = [number for number in range(first, first + count) if (producer, number) not in there]
            assert not missing, f"half a unit of {producer}: {missing} of {first} to {first + count - 1}"
        last: dict[str, int] = {}
        for producer, number in b + a:  # One mover takes from A in order: what is on B came before what is on A.
            assert last.get(producer, -1) < number, f"{producer}: {number} after {last[producer]}"
            last[producer] = number
        self.must_be |= there
        self.moved |= set(b)


def _parse(data: bytes) -> tuple[str, int, int, int]:
    producer, number, _, first, count, _ = data.split(b":", 5)
    return producer.decode(), int(number), int(first), int(count)


def browse(host: Host, name: str) -> list[bytes]:
    connection, handles = host.connect()
    found: list[bytes] = []
    gmo = MQGMO()
    gmo.options = MQGMO_BROWSE_FIRST
    while host.qm.get(connection, handles[name], MQMD(), gmo) == 0:
        found.append(connection.data)
        gmo.options = MQGMO_BROWSE_NEXT
    return found


def drain(host: Host, name: str) -> list[bytes]:
    """Get everything, in units of work."""
    connection, handles = host.connect()
    found: list[bytes] = []
    while (data := host.get(connection, handles[name])) is not None:
        found.append(data)
        if len(found) % 100 == 0:
            host.commit(connection)
    host.commit(connection)
    host.log.flush()  # Whether that commit had anything to do or not: the ones before it were not forced.
    return found


def test_what_a_killed_process_has_acknowledged_is_there_exactly_once_and_in_order(tmp_path: Path, kills: int) -> None:
    random = Random(SEED)
    ledger = Ledger()
    spilled = checkpoints = 0
    upcoming = Child(tmp_path, 0)
    for run in range(kills):
        child = upcoming
        child.go()
        early = run > 0 and random.random() < 0.25  # While it is being started.
        child.listen(time.monotonic() + PATIENCE_S, b"begin" if early else b"ready")
        delay = random.uniform(0, 0.03) if early else random.uniform(0.005, 0.15)
        child.listen(time.monotonic() + delay)
        if not early:
            child.listen_for(COMMITS)
        ledger.hear(child.kill())
        upcoming = Child(tmp_path, run + 1)  # It gets ready while we look.

        host = Host(str(tmp_path))
        try:
            host.qm.check()
            contents = [browse(host, name) for name in QUEUES]
            ledger.compare(*contents)
            spilled += sum(page_set.statistics().messages for page_set in host.page_sets.values())
            checkpoints += host.log.generation
            if run % 5 == 4:
                ledger.drained |= {_parse(data)[:2] for data in drain(host, "QUEUE.B")}
        except AssertionError as error:
            upcoming.kill()
            raise AssertionError(f"seed {SEED}, kill {run}, {delay * 1000:.1f} ms: {error}") from error
        finally:
            host.close()
    upcoming.kill()
    assert ledger.commits > 5 * kills, f"{ledger.commits} commits in {kills} runs: the load was no load"
    assert spilled > 0 and checkpoints > kills, "the page sets were never used"
