"""Kill processes in the middle of coordinated transactions, and compare queues and tables afterwards.

    python tools/coordination_kills.py --kills 200 [--seed 1]

A broker with one execution group runs a flow with `coordinatedTransaction` yes: MQInput, a Compute node that inserts a
row into two databases, MQOutput. At a step of the two-phase commit, or anywhere, processes are ended with SIGKILL:

    worker           the worker that is at the step; its group starts it again
    broker           the process of the broker. In half of the cases its workers die, too; in the others they go on
                     until they notice, beside the new broker. The new broker has another number of workers
    queue manager    started again at once
    PostgreSQL       started again at once

Then every message must be on OUT exactly once and have exactly one row in each database, and no branch of the broker
may be prepared, within 60 seconds. Branches of other coordinators are there all the time, and must stay.

    python tools/coordination_kills.py --broker PORT WORKERS    the broker, until its standard input ends
    python tools/coordination_kills.py --worker                 a worker that stops at the step that is armed

The worker program is the worker of FlintMQ with `Worker.observe` set. Files in the directory FLINTMQ_KILLS_DIRECTORY
tell it where to stop: `armed` names the step, the worker that takes it renames it to `at` and waits for `go`.
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
from flintmq.broker.runtime.coordination import STEPS
from flintmq.broker.runtime.decisions import Identity, Owner, create_queue, parse_gid, queue_manager_id
from flintmq.broker.runtime.foreground import Foreground
from flintmq.broker.runtime.group import WorkerProcess
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Worker, serve
from flintmq.cli.main import main as flint
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.server import process
from tools.postgres import Cluster

VICTIMS = ("worker", "broker", "queue manager", "PostgreSQL")
ANYWHERE = "anywhere"
SOURCES = ("A", "B")
MESSAGES = 3
MESSAGES_ANYWHERE = 40
WORKERS = 2
#: The bar: seconds until queues and tables agree and no branch is left.
BAR_S = 60.0
PASSWORD_VARIABLE = "FLINTMQ_KILLS_PASSWORD"
DIRECTORY_VARIABLE = "FLINTMQ_KILLS_DIRECTORY"

ESQL = """CREATE COMPUTE MODULE Move_Main
  CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
    SET OutputRoot = InputRoot;
    DECLARE text CHARACTER CAST(InputRoot.BLOB.BLOB AS CHARACTER CCSID 1208);
    INSERT INTO Database.A.public.moved (id) VALUES (text);
    INSERT INTO Database.B.public.moved (id) VALUES (text);
    RETURN TRUE;
  END;
END MODULE;
"""


def _node(label: str, kind: str, attributes: str) -> str:
    return (
        f'<nodes xmi:type="{kind}.msgnode:FCMComposite_1" xmi:id="{label}" location="0,0" {attributes}>'
        f'<translation xmi:type="utility:ConstantString" string="{label}"/></nodes>'
    )


def _wire(number: int, source: str, target: str) -> str:
    return (
        f'<connections xmi:type="eflow:FCMConnection" xmi:id="C{number}" targetNode="{target}" sourceNode="{source}" '
        'sourceTerminalName="OutTerminal.out" targetTerminalName="InTerminal.in"/>'
    )


def write_flow(directory: Path) -> None:
    """Write the flow Move: IN, a row in each database, OUT; two instances."""
    kinds = ("ComIbmMQInput", "ComIbmCompute", "ComIbmMQOutput")
    declared = " ".join(f'xmlns:{kind}.msgnode="{kind}.msgnode"' for kind in kinds)
    body = (
        _node("In", kinds[0], 'queueName="IN" additionalInstances="1"')
        + _node("Work", kinds[1], 'computeExpression="esql://routine/#Move_Main.Main" dataSource="A"')
        + _node("Out", kinds[2], 'queueName="OUT"')
        + _wire(1, "In", "Work")
        + _wire(2, "Work", "Out")
    )
    directory.mkdir()
    (directory / "Move.esql").write_text(ESQL)
    (directory / "Move.msgflow").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" xmlns:eflow="http://www.ibm.com/wbi/2005/eflow" '
        f'xmlns:utility="http://www.ibm.com/wbi/2005/eflow_utility" {declared} nsURI="Move.msgflow" '
        'nsPrefix="Move.msgflow"><eClassifiers xmi:type="eflow:FCMComposite" name="FCMComposite_1">'
        '<eSuperTypes href="http://www.ibm.com/wbi/2005/eflow#//FCMBlock"/>'
        f"<composition>{body}</composition></eClassifiers></ecore:EPackage>"
    )


# -- the broker and its workers ---------------------------------------------------------------------------------------


def stop_at_armed(step: str) -> None:
    """Stop, if this step is armed, until the killer says `go`."""
    directory = Path(os.environ[DIRECTORY_VARIABLE])
    try:
        if (directory / "armed").read_text() != step:
            return
        (directory / "armed").rename(directory / f"at.{os.getpid()}")  # One instance of one worker succeeds.
    except FileNotFoundError:
        return
    end = time.monotonic() + 2 * BAR_S
    while not (directory / "go").exists() and time.monotonic() < end:
        time.sleep(0.005)


def run_worker() -> int:
    """Run a worker that can be stopped at a step."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Worker.observe = staticmethod(stop_at_armed)
    return serve(sys.stdin, sys.stdout)


def run_broker(port: int, workers: int) -> int:
    """Run a broker until standard input ends."""
    WorkerProcess.command = [sys.executable, "-P", __file__, "--worker"]
    url = f"postgresql://postgres@127.0.0.1:{port}/"
    sources = {name: {"url": url + name.lower(), "passwordVariable": PASSWORD_VARIABLE} for name in SOURCES}
    made = Foreground(
        Path(os.environ[DIRECTORY_VARIABLE]) / "app",
        "QM1",
        {},
        name="BROKER",
        overrides={"Move#coordinatedTransaction": "yes"},
        data_sources=sources,
        http_port=-1,
        workers=workers,
        log=BrokerLog("BROKER", stream=sys.stderr),
    )
    print("ready" if made.start() else "not ready", flush=True)
    sys.stdin.read()
    made.stop()
    return 0


# -- the killer -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """Kills at one step of one victim."""

    kills: int = 0
    #: Branches that were prepared when the victim was dead.
    in_doubt: int = 0
    seconds: list[float] = field(default_factory=list)


class World:
    """A queue manager, a PostgreSQL cluster and a broker."""

    def __init__(self, cluster: Cluster, data: Path) -> None:
        self.cluster = cluster
        self.data = data
        self.place = instance.by_name("QM1")
        self.pid = process.start(self.place)
        self.broker: subprocess.Popen[str] | None = None
        self.workers = WORKERS
        self.number = 0
        self.foreign: list[str] = []
        write_flow(data / "app")
        with self.connected() as qm:
            create_queue(qm)
            qm.queue("IN", create=True, maxdepth=100_000, bothresh=100_000)
            qm.queue("OUT", create=True, maxdepth=100_000)
            manager = queue_manager_id(qm)
        self.owners = {Owner.of(manager, "BROKER", f"default.{number}") for number in range(4)}
        for name in SOURCES:
            cluster.create_database(name.lower())
            cluster.run(name.lower(), "CREATE TABLE moved (id text)")
        # Branches of others: a Java program, another execution group, another queue manager. They must stay.
        group = Owner.of(manager, "BROKER", "default.0")
        other = Identity(Owner.of(manager, "BROKER", "other.0"), "ab" * 6, 1).gid(1, "A")
        elsewhere = Identity(Owner("0" * 16, group.group), "ab" * 6, 1).gid(1, "A")
        for number, gid in enumerate(("131077_MQ==_Mg==", other, elsewhere, "nothing of ours")):
            cluster.run("a", "BEGIN", f"CREATE TABLE foreign_{number} ()", f"PREPARE TRANSACTION '{gid}'")
            self.foreign.append(gid)
        self.start_broker()

    @contextmanager
    def connected(self) -> Iterator[flintmq.RemoteQueueManager]:
        """Connect to the queue manager."""
        with flintmq.connect("QM1") as qm:
            yield qm

    def start_broker(self) -> None:
        """Start the broker; return when its flows run. It recovers before they do."""
        command = [sys.executable, __file__, "--broker", str(self.cluster.port), str(self.workers)]
        environment = {
            **os.environ,
            PASSWORD_VARIABLE: self.cluster.password,
            DIRECTORY_VARIABLE: str(self.data),
        }
        with (self.data / "broker.log").open("a") as log:
            self.broker = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )
        assert self.broker.stdout is not None
        said = self.broker.stdout.readline().strip()
        assert said == "ready", f"the broker said {said!r}: {self.log()}"

    def worker_pids(self) -> list[int]:
        """Return the workers of the broker."""
        assert self.broker is not None
        found: list[int] = []
        # A child belongs to the thread that started it: a worker that was started again, to the thread that watched.
        for children in Path(f"/proc/{self.broker.pid}/task").glob("*/children"):
            found += [int(each) for each in children.read_text().split()]
        return found

    def log(self) -> str:
        """Return the end of the log of the broker."""
        return (self.data / "broker.log").read_text()[-3000:]

    def arm(self, step: str) -> None:
        """Make the next instance that comes to a step stop there."""
        (self.data / "armed.new").write_text(step)
        (self.data / "armed.new").rename(self.data / "armed")

    def stopped_at(self) -> int | None:
        """Return the worker that has stopped at the step."""
        return next((int(path.suffix[1:]) for path in self.data.glob("at.*")), None)

    def go(self) -> None:
        """Resume the worker."""
        (self.data / "go").touch()

    def clear(self) -> None:
        """Make the files ready for another kill."""
        for path in [self.data / "go", self.data / "armed", *self.data.glob("at.*")]:
            path.unlink(missing_ok=True)

    def end_broker(self) -> None:
        """End the broker in order."""
        broker, self.broker = self.broker, None
        if broker is not None and broker.stdin is not None and broker.stdout is not None:
            broker.stdin.close()
            broker.wait(timeout=BAR_S)
            broker.stdout.close()

    def kill_broker(self, orphans: bool) -> None:
        """End the process of the broker with SIGKILL, and those of its workers unless they are to be `orphans`."""
        workers = [] if orphans else self.worker_pids()
        broker, self.broker = self.broker, None
        assert broker is not None and broker.stdin is not None and broker.stdout is not None
        broker.kill()
        for pid in workers:
            _end(pid)
        broker.wait()
        broker.stdin.close()
        broker.stdout.close()

    def kill_queue_manager(self) -> None:
        """End the process of the queue manager with SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)
        _until(lambda: holder_of(self.place.lock_path) is None, "the queue manager ends")

    def kill(self, victim: str, step: str, rng: random.Random) -> tuple[int, float]:
        """Kill once. Return prepared branches at that moment, and the seconds until everything agrees again."""
        count = MESSAGES_ANYWHERE if step == ANYWHERE else MESSAGES
        if step != ANYWHERE:
            self.arm(step)
        first, self.number = self.number, self.number + count
        wanted = {f"message {number}" for number in range(first, self.number)}
        with self.connected() as qm:
            incoming = qm.queue("IN")
            with qm.transaction():
                for text in sorted(wanted):
                    incoming.put(text, persistent=True)
        if step == ANYWHERE:
            time.sleep(rng.random() * 0.3)
        else:
            _until(lambda: self.stopped_at() is not None, lambda: f"nothing came to {step}: {self.log()}")
        in_doubt, started = self._strike(victim, rng)
        with self.connected() as qm:
            incoming, outgoing = qm.queue("IN"), qm.queue("OUT")
            moved: Counter[str] = Counter()

            def agrees() -> bool:
                # The depth of OUT includes uncommitted puts, so count the messages that can be got.
                moved.update(message.text for message in outgoing.messages())
                return incoming.depth == 0 and moved.total() >= count and not self.branches()

            _until(
                agrees,
                lambda: (
                    f"{victim}, {step}: IN {incoming.depth}, moved {moved.total()} of {count}, "
                    f"{self.branches()}; {self.log()}"
                ),
            )
            took = time.monotonic() - started
            self.compare(wanted, moved, (victim, step))
        self.clear()
        return in_doubt, took

    def _strike(self, victim: str, rng: random.Random) -> tuple[int, float]:
        """End the victim and start it again. Return the branches that were prepared meanwhile, and the time of it."""
        if victim == "worker":
            _end(self.stopped_at() or rng.choice(self.worker_pids()))
            in_doubt, started = len(self.branches()), time.monotonic()
            self.go()
        elif victim == "broker":
            self.kill_broker(orphans=rng.random() < 0.5)
            in_doubt, started = len(self.branches()), time.monotonic()
            early = rng.random() < 0.5
            if early:
                self.go()
            self.workers = WORKERS + 1 - self.workers
            self.start_broker()
            if not early:
                self.go()
        elif victim == "queue manager":
            self.kill_queue_manager()
            self.go()
            in_doubt, started = len(self.branches()), time.monotonic()
            self.pid = process.start(self.place)
        else:
            self.cluster.kill()
            self.go()
            started = time.monotonic()
            self.cluster.start()
            in_doubt = len(self.branches())
        return in_doubt, started

    def branches(self) -> list[str]:
        """Return prepared branches of the broker."""
        found = []
        for (gid,) in self.cluster.run("postgres", "SELECT gid FROM pg_prepared_xacts"):
            parsed = parse_gid(gid)
            if parsed is not None and parsed.identity.owner in self.owners:
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
        """Assert that the branches of other owners are unchanged."""
        there = {gid for (gid,) in self.cluster.run("postgres", "SELECT gid FROM pg_prepared_xacts")}
        assert there == set(self.foreign), there

    def forget_foreign(self) -> None:
        """Roll back the branches of others, for a cluster that is used again."""
        for gid in self.foreign:
            self.cluster.run("a", f"ROLLBACK PREPARED '{gid}'")

    def close(self) -> None:
        """End broker and queue manager."""
        self.go()
        self.end_broker()
        if holder_of(self.place.lock_path) is not None:
            self.kill_queue_manager()


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _until(condition: Callable[[], bool], what: str | Callable[[], str]) -> None:
    end = time.monotonic() + BAR_S
    while not condition():
        assert time.monotonic() < end, f"not in {BAR_S:.0f} seconds: {what if isinstance(what, str) else what()}"
        time.sleep(0.01)


@contextmanager
def world(directory: Path, cluster: Cluster) -> Iterator[World]:
    """Make a queue manager below a directory, databases in a cluster, and a broker."""
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
    """Run all kills; return the observations. Raise AssertionError with the difference."""
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
    """Run the broker, a worker or the killer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how often a process is killed (200)")
    parser.add_argument("--seed", type=int, default=1, help="order of victims and steps (1)")
    parser.add_argument("--broker", type=int, nargs=2, metavar=("PORT", "WORKERS"), help=argparse.SUPPRESS)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    logging.basicConfig(format="%(asctime)s %(process)d %(name)s %(message)s")
    if arguments.worker:
        return run_worker()
    if arguments.broker:
        return run_broker(*arguments.broker)
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
