"""Kill processes in the middle of coordinated transactions, and compare queues and tables afterwards.

    python tools/coordination_kills.py --kills 200 [--seed 1]

A driver process moves messages from IN to OUT and inserts a row into two databases for each, coordinated
(broker/runtime/coordination.py), with recovery by timer. At a step of the two-phase commit, or anywhere, one process
is ended with SIGKILL: the driver, the queue manager, or PostgreSQL. It is started again. Then every message must be on
OUT exactly once and have exactly one row in each database, and no branch of the driver may be prepared, in 60 seconds.
Branches of other coordinators are there all the time, and must stay.

    python tools/coordination_kills.py --driver PORT        the driver; it reads `arm STEP` and `go` from its input
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    _root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(_root), str(_root / "src")]

import flintmq
from flintmq.broker.errors import BrokerError
from flintmq.broker.runtime.coordination import STEPS, Coordinator, Member, check_coordinator
from flintmq.broker.runtime.data_sources import InstanceSources, Settings, read_settings
from flintmq.broker.runtime.decisions import (
    Branches,
    Identity,
    Owner,
    QueueDecisions,
    create_queue,
    parse_gid,
    queue_manager_id,
)
from flintmq.broker.runtime.recovery import Recovery
from flintmq.cli.main import main as flint
from flintmq.client import instance
from flintmq.client.errors import MQError, NotConnected
from flintmq.client.lock import holder_of
from flintmq.server import process
from tools.postgres import Cluster

VICTIMS = ("broker", "queue manager", "PostgreSQL")
ANYWHERE = "anywhere"
SOURCES = ("A", "B")
MESSAGES = 3
MESSAGES_ANYWHERE = 40
#: The bar: seconds until queues and tables agree and no branch is left.
BAR_S = 60.0
GRACE_S = 0.3
PASSWORD_VARIABLE = "FLINTMQ_KILLS_PASSWORD"


def settings_of(port: int) -> dict[str, Settings]:
    """Return the data sources of the driver."""
    url = f"postgresql://postgres@127.0.0.1:{port}/"
    return read_settings({name: {"url": url + name.lower(), "passwordVariable": PASSWORD_VARIABLE} for name in SOURCES})


# -- the driver -------------------------------------------------------------------------------------------------------


class Driver:
    """The process that takes the place of an execution group with one instance of a flow."""

    def __init__(self, port: int) -> None:
        self.settings = settings_of(port)
        self.branches = Branches()
        self.armed = ""
        self.go = threading.Event()
        self.qm = self._connected()
        self.member = Member(queue_manager_id(self.qm), "BROKER", "default", "Move")
        self.coordinator = Coordinator(
            self.member, InstanceSources(self.settings), self.branches, observe=self._observe
        )
        self.recovery = Recovery(
            self.member, self.settings, self.branches, lambda: QueueDecisions(self.qm), grace_s=GRACE_S
        )

    def _connected(self) -> flintmq.RemoteQueueManager:
        while True:
            try:
                return flintmq.connect("QM1", timeout=5.0)
            except MQError:
                time.sleep(0.02)

    def _observe(self, step: str) -> None:
        check_coordinator(self.coordinator)
        if step == self.armed:
            self.armed = ""
            self.go.clear()
            print(f"at {step}", flush=True)
            self.go.wait()

    def run(self) -> None:
        """Move messages until the process is ended."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            try:
                self.recovery.start(timeout_s=5.0)
                break
            except MQError:
                time.sleep(0.02)
        print("ready", flush=True)
        threading.Thread(target=self._recover, daemon=True).start()
        while True:
            try:
                self._move_messages()
            except MQError as error:
                self.coordinator.rollback()
                if isinstance(error, NotConnected):
                    self.qm.close()
                    self.qm = self._connected()
            except BrokerError:
                self.coordinator.rollback()
                time.sleep(0.01)
            check_coordinator(self.coordinator)

    def _move_messages(self) -> None:
        incoming, outgoing = self.qm.queue("IN"), self.qm.queue("OUT")
        decisions = QueueDecisions(self.qm)
        coordinator = self.coordinator
        while True:
            message = incoming.get_or_none(wait=0.5, syncpoint=True, requeue_poison=False)
            if message is None:
                continue
            coordinator.begin(decisions)
            for name in SOURCES:
                coordinator.source(name).execute("INSERT INTO moved VALUES (?)", [message.text])
            outgoing.put(message.data, persistent=True, syncpoint=True)
            coordinator.commit()
            check_coordinator(coordinator)

    def _listen(self) -> None:
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word == "arm":
                self.armed = rest
                print("armed", flush=True)
            elif word == "go":
                self.go.set()
        os._exit(0)

    def _recover(self) -> None:
        while True:
            time.sleep(0.1)
            try:
                self.recovery.run_once()
            except (MQError, BrokerError):
                pass  # The next round repeats it.


# -- the killer -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """Kills at one step of one victim."""

    kills: int = 0
    #: Branches that were prepared when the victim was dead.
    in_doubt: int = 0
    seconds: list[float] = field(default_factory=list)


class World:
    """A queue manager, a PostgreSQL cluster and a driver."""

    def __init__(self, cluster: Cluster, data: Path) -> None:
        self.cluster = cluster
        self.data = data
        self.place = instance.by_name("QM1")
        self.pid = process.start(self.place)
        self.driver: subprocess.Popen[str] | None = None
        self.lines: list[str] = []
        self.said = threading.Condition()
        self.number = 0
        self.foreign: list[str] = []
        with self.connected() as qm:
            create_queue(qm)
            for name in ("IN", "OUT"):
                qm.queue(name, create=True, maxdepth=100_000)
            self.owner = Owner.of(queue_manager_id(qm), "BROKER", "default")
        for name in SOURCES:
            cluster.create_database(name.lower())
            cluster.run(name.lower(), "CREATE TABLE moved (id text)")
        # Branches of others: a Java program, another execution group, another queue manager. They must stay.
        other = Identity(Owner(self.owner.queue_manager, "0" * 16), "ab" * 6, 1).gid(1, "A")
        elsewhere = Identity(Owner("0" * 16, self.owner.group), "ab" * 6, 1).gid(1, "A")
        for number, gid in enumerate(("131077_MQ==_Mg==", other, elsewhere, "nothing of ours")):
            cluster.run("a", "BEGIN", f"CREATE TABLE foreign_{number} ()", f"PREPARE TRANSACTION '{gid}'")
            self.foreign.append(gid)
        self.start_driver()

    @contextmanager
    def connected(self) -> Iterator[flintmq.RemoteQueueManager]:
        """Connect to the queue manager."""
        with flintmq.connect("QM1") as qm:
            yield qm

    def start_driver(self) -> None:
        """Start the driver. It recovers before it moves messages."""
        self.lines = []
        command = [sys.executable, __file__, "--driver", str(self.cluster.port)]
        environment = {**os.environ, PASSWORD_VARIABLE: self.cluster.password}
        log = (self.data / "driver.log").open("a")
        driver = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
        )
        log.close()
        self.driver = driver

        def read() -> None:
            assert driver.stdout is not None
            for line in driver.stdout:
                with self.said:
                    if self.driver is driver:
                        self.lines.append(line.strip())
                        self.said.notify_all()

        threading.Thread(target=read, daemon=True).start()

    def tell(self, line: str) -> None:
        """Send a line to the driver."""
        assert self.driver is not None and self.driver.stdin is not None
        self.driver.stdin.write(line + "\n")
        self.driver.stdin.flush()

    def wait_for(self, line: str) -> None:
        """Wait until the driver says something."""
        with self.said:
            found = self.said.wait_for(lambda: line in self.lines, timeout=BAR_S)
            assert found, f"the driver did not say {line!r}: {self.lines}; {self.log()}"
            self.lines.remove(line)

    def log(self) -> str:
        """Return the end of the log of the driver."""
        return (self.data / "driver.log").read_text()[-3000:]

    def end_driver(self, hard: bool = False) -> None:
        """End the driver."""
        driver = self.driver
        assert driver is not None
        if hard:
            driver.send_signal(signal.SIGKILL)
        elif driver.stdin is not None:
            driver.stdin.close()
        driver.wait(timeout=BAR_S)

    def kill_queue_manager(self) -> None:
        """End the process of the queue manager with SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)
        _until(lambda: holder_of(self.place.lock_path) is None, "the queue manager ends")

    def kill(self, victim: str, step: str, rng: random.Random) -> tuple[int, float]:
        """Kill once. Return prepared branches at that moment, and the seconds until everything agrees again."""
        count = MESSAGES_ANYWHERE if step == ANYWHERE else MESSAGES
        if step != ANYWHERE:
            self.tell(f"arm {step}")
            self.wait_for("armed")
        first, self.number = self.number, self.number + count
        wanted = {f"message {number}" for number in range(first, self.number)}
        with self.connected() as qm:
            incoming = qm.queue("IN")
            with qm.transaction():
                for text in sorted(wanted):
                    incoming.put(text, persistent=True)
        if step == ANYWHERE:
            time.sleep(rng.random() * 0.2)
        else:
            self.wait_for(f"at {step}")
        if victim == "broker":
            self.end_driver(hard=True)
            in_doubt = len(self.branches())
            started = time.monotonic()
            self.start_driver()
        elif victim == "queue manager":
            self.kill_queue_manager()
            self.tell("go")
            in_doubt = len(self.branches())
            started = time.monotonic()
            self.pid = process.start(self.place)
        else:
            self.cluster.kill()
            self.tell("go")
            started = time.monotonic()
            self.cluster.start()
            in_doubt = len(self.branches())
        with self.connected() as qm:
            incoming, outgoing = qm.queue("IN"), qm.queue("OUT")
            _until(
                lambda: incoming.depth == 0 and outgoing.depth == count and not self.branches(),
                lambda: f"IN {incoming.depth}, OUT {outgoing.depth} of {count}, {self.branches()}; {self.log()}",
            )
            took = time.monotonic() - started
            self.compare(wanted, Counter(message.text for message in outgoing.messages()), (victim, step))
        return in_doubt, took

    def branches(self) -> list[str]:
        """Return prepared branches of the driver."""
        found = []
        for (gid,) in self.cluster.run("postgres", "SELECT gid FROM pg_prepared_xacts"):
            parsed = parse_gid(gid)
            if parsed is not None and parsed.identity.owner == self.owner:
                found.append(gid)
        return found

    def compare(self, wanted: set[str], moved: Counter[str], where: object) -> None:
        """Assert that queue and tables have each message once."""
        once = Counter(dict.fromkeys(wanted, 1))
        assert moved == once, f"{where}: OUT differs: {moved - once} too many, {once - moved} missing"
        for name in SOURCES:
            rows = self.cluster.run(name.lower(), "DELETE FROM moved RETURNING id")
            found = Counter(text for (text,) in rows)
            assert found == once, f"{where}: {name} differs: {found - once} too many, {once - found} missing"

    def check_foreign(self) -> None:
        """Assert that nobody touched the branches of others."""
        there = {gid for (gid,) in self.cluster.run("postgres", "SELECT gid FROM pg_prepared_xacts")}
        assert there == set(self.foreign), there

    def forget_foreign(self) -> None:
        """Roll back the branches of others, for a cluster that is used again."""
        for gid in self.foreign:
            self.cluster.run("a", f"ROLLBACK PREPARED '{gid}'")

    def close(self) -> None:
        """End driver and queue manager."""
        if self.driver is not None and self.driver.poll() is None:
            self.end_driver()
        if holder_of(self.place.lock_path) is not None:
            self.kill_queue_manager()


def _until(condition: Callable[[], bool], what: str | Callable[[], str]) -> None:
    end = time.monotonic() + BAR_S
    while not condition():
        assert time.monotonic() < end, f"not in {BAR_S:.0f} seconds: {what if isinstance(what, str) else what()}"
        time.sleep(0.01)


@contextmanager
def world(directory: Path, cluster: Cluster) -> Iterator[World]:
    """Make a queue manager below a directory, databases in a cluster, and a driver."""
    before = os.environ.get("FLINTMQ_DATA")
    os.environ["FLINTMQ_DATA"] = str(directory / "data")
    made: World | None = None
    try:
        assert flint(["crtmqm", "-q", "QM1"]) == 0
        made = World(cluster, directory)
        yield made
    finally:
        if made is not None:
            made.close()
        if before is None:
            del os.environ["FLINTMQ_DATA"]
        else:
            os.environ["FLINTMQ_DATA"] = before


def plan(kills: int, rng: random.Random) -> list[tuple[str, str]]:
    """Return victims and steps: all pairs again and again, each time in another order."""
    pairs = [(victim, step) for victim in VICTIMS for step in (*STEPS, ANYWHERE)]
    made: list[tuple[str, str]] = []
    while len(made) < kills:
        made += rng.sample(pairs, len(pairs))
    return made[:kills]


def run(kills: int, seed: int) -> dict[tuple[str, str], Tally]:
    """Kill as often as asked; return what was seen. An AssertionError says what differs."""
    rng = random.Random(seed)
    table: dict[tuple[str, str], Tally] = {}
    with tempfile.TemporaryDirectory(prefix="flintmq-kills-") as directory, Cluster() as cluster:
        with world(Path(directory), cluster) as made:
            for number, (victim, step) in enumerate(plan(kills, rng), 1):
                in_doubt, seconds = made.kill(victim, step, rng)
                tally = table.setdefault((victim, step), Tally())
                tally.kills += 1
                tally.in_doubt += in_doubt
                tally.seconds.append(seconds)
                if number % 20 == 0:
                    print(f"{number} kills", file=sys.stderr, flush=True)
            made.check_foreign()
    return table


def main() -> int:
    """Run the driver or the killer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how often a process is killed (200)")
    parser.add_argument("--seed", type=int, default=1, help="order of victims and steps (1)")
    parser.add_argument("--driver", type=int, metavar="PORT", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(name)s %(message)s")
    if arguments.driver:
        Driver(arguments.driver).run()
        return 0
    started = time.monotonic()
    table = run(arguments.kills, arguments.seed)
    print("| victim | step | kills | branches in doubt | seconds, median | longest |\n|---|---|---|---|---|---|")
    for victim in VICTIMS:
        for step in (*STEPS, ANYWHERE):
            tally = table.get((victim, step))
            if tally is not None:
                seconds = sorted(tally.seconds)
                middle, longest = seconds[len(seconds) // 2], seconds[-1]
                print(f"| {victim} | {step} | {tally.kills} | {tally.in_doubt} | {middle:.2f} | {longest:.2f} |")
    print(f"{arguments.kills} kills in {time.monotonic() - started:.0f} s; queues and tables agree after each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
