"""Kill workers of an execution group under load, and check that no message was lost or duplicated.

    python tools/group_kills.py --kills 50 [--seed 1]

A queue manager process, an execution group with two workers that run three flows each, with two instances: MQInput to
MQOutput, a Compute between them, and a list of two outputs in one unit of work. Persistent messages with numbers are
put all the time. At a random moment one worker gets SIGKILL. Seen for each kill:

    backed out    seconds until the queue manager has ended the connections of the dead worker, and with them their
                  units of work (bar: 1 s)
    again         messages that came again with BackoutCount 1

At the end every number must be on every output queue exactly once, and nothing on the input queues or in the
dead-letter queue.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    _root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(_root), *([] if os.environ.get("PYTHONPATH") else [str(_root / "src")])]
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path[:2]))

import flintmq
from flintmq.broker.runtime.group import ExecutionGroup, WorkerProcess
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Assignment, FlowAssignment
from flintmq.cli.main import main as flint
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.server import process
from flintmq.server.control import Control

QUEUE_MANAGER = "KILLS"
#: The bar: seconds until the work of a dead worker is backed out.
BAR_S = 1.0
_READY_S = 120.0
_AHEAD = 200
_INSTANCES = 2
FLOWS = {
    "Pass": ("PASS.IN", ("PASS.OUT",)),
    "Work": ("WORK.IN", ("WORK.OUT",)),
    "Both": ("BOTH.IN", ("BOTH.ONE", "BOTH.TWO")),
}
#: BackoutCount is no field that travels; the flow writes it into the message.
ESQL = """
CREATE COMPUTE MODULE Work CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  SET OutputRoot = InputRoot;
  SET OutputRoot.XMLNSC.m.b = InputRoot.MQMD.BackoutCount;
  RETURN TRUE;
END; END MODULE;
CREATE COMPUTE MODULE Both CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
  SET OutputRoot = InputRoot;
  SET OutputLocalEnvironment.Destination.MQ.DestinationData[1].queueName = 'BOTH.ONE';
  SET OutputLocalEnvironment.Destination.MQ.DestinationData[2].queueName = 'BOTH.TWO';
  RETURN TRUE;
END; END MODULE;
"""


@dataclass
class Result:
    """The observations of one session."""

    kills: int = 0
    messages: int = 0
    lost: int = 0
    doubled: int = 0
    left: int = 0
    again: int = 0
    backed_out_s: list[float] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Return whether the bars are met."""
        return not (self.lost or self.doubled or self.left) and max(self.backed_out_s, default=0.0) <= BAR_S

    def __str__(self) -> str:
        longest, half = max(self.backed_out_s, default=0.0), sorted(self.backed_out_s)[len(self.backed_out_s) // 2]
        return (
            f"{self.kills} kills, {self.messages} messages to {sum(len(out) for _, out in FLOWS.values())} queues: "
            f"{self.lost} lost, {self.doubled} doubled, {self.left} left; {self.again} came again; "
            f"backed out after {half:.3f} s (half of them), {longest:.3f} s (longest)"
        )


def write_flows(place: Path) -> None:
    """Write the application."""
    place.mkdir()
    (place / "kills.esql").write_text(ESQL)
    for name, (source, targets) in FLOWS.items():
        nodes = [f"  In: {{type: MQInput, properties: {{queueName: {source}, messageDomainProperty: XMLNSC}}}}"]
        wires = ["  - {from: In.out, to: Out.in}"]
        destination = f"queueName: {targets[0]}"
        if name != "Pass":
            properties = f'computeExpression: "esql://routine/#{name}.Main", computeMode: all'
            nodes.append(f"  C: {{type: Compute, properties: {{{properties}}}}}")
            wires = ["  - {from: In.out, to: C.in}", "  - {from: C.out, to: Out.in}"]
        if len(targets) > 1:
            destination = "destinationMode: list"
        nodes.append(f"  Out: {{type: MQOutput, properties: {{{destination}}}}}")
        text = "\n".join([f"flow: {name}.msgflow", "nodes:", *nodes, "wires:", *wires, ""])
        (place / f"{name}.msgflow.yaml").write_text(text)


class Load:
    """Puts numbered messages, a bounded number ahead of the flows."""

    def __init__(self) -> None:
        self.count = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        with flintmq.connect(QUEUE_MANAGER) as qm:
            queues = [qm.queue(source) for source, _ in FLOWS.values()]
            while not self._stop.is_set():
                if max(queue.depth for queue in queues) > _AHEAD:
                    time.sleep(0.005)
                    continue
                with qm.transaction():
                    for _ in range(20):
                        for queue in queues:
                            queue.put(f"<m><n>{self.count}</n></m>", persistent=True)
                        self.count += 1

    def end(self) -> None:
        """Stop."""
        self._stop.set()
        self._thread.join()


def kill(worker: WorkerProcess, qm: flintmq.RemoteQueueManager) -> float:
    """Kill a worker; return the seconds until the queue manager has ended the connections of its instances.

    With a connection its unit of work ends. All workers connect under the name of the group: so many fewer there are.
    """
    before = _connections(qm)
    left = before - _INSTANCES * len(FLOWS)
    assert left >= _INSTANCES * len(FLOWS), before
    began = time.monotonic()
    os.kill(worker.pid, signal.SIGKILL)
    while _connections(qm) > left and time.monotonic() - began < 10 * BAR_S:
        pass
    return time.monotonic() - began


def _wait_ready(group: ExecutionGroup, qm: flintmq.RemoteQueueManager) -> None:
    """Wait until all instances of all workers are connected. Raise TimeoutError."""
    end = time.monotonic() + _READY_S
    wanted = len(group.workers) * _INSTANCES * len(FLOWS)
    while not all(worker.ready.is_set() for worker in group.workers) or _connections(qm) < wanted:
        if time.monotonic() > end:
            raise TimeoutError("a worker has not started again")
        time.sleep(0.02)


def _connections(qm: flintmq.RemoteQueueManager) -> int:
    """Return how many connections the workers have."""
    return str(qm.mqsc("DISPLAY CONN(*) APPLTAG")).count("APPLTAG(KILLS.default)")


def _collect(qm: flintmq.RemoteQueueManager, result: Result) -> None:
    """Count the messages on the output queues."""
    wanted = Counter(range(result.messages))
    for _, targets in FLOWS.values():
        for name in targets:
            found: Counter[int] = Counter()
            while messages := qm.queue(name).get_many(1000):
                for each in messages:
                    found[int(each.text.partition("<n>")[2].partition("</n>")[0])] += 1
                    result.again += each.text.partition("<b>")[2].partition("</b>")[0] not in ("", "0")
            result.lost += (wanted - found).total()
            result.doubled += (found - wanted).total()


def run(kills: int, seed: int, say: bool = True) -> Result:
    """Kill so often. Raise TimeoutError if the flows do not get done."""
    chance = random.Random(seed)
    result = Result()
    with tempfile.TemporaryDirectory(prefix="flint-kills-") as directory:
        os.environ["FLINTMQ_DATA"] = directory
        place = instance.by_name(QUEUE_MANAGER)
        with redirect_stdout(io.StringIO()):
            assert flint(["crtmqm", "-q", QUEUE_MANAGER]) == 0
        process.start(place)
        group: ExecutionGroup | None = None
        try:
            with flintmq.connect(QUEUE_MANAGER) as qm:
                for source, targets in FLOWS.values():
                    qm.queue(source, create=True, maxdepth=100_000, bothresh=1000)
                    for target in targets:
                        qm.queue(target, create=True, maxdepth=900_000)
                write_flows(Path(directory) / "app")
                flows = [FlowAssignment("app", name, _INSTANCES) for name in FLOWS]
                base = Assignment(
                    "KILLS",
                    "default",
                    0,
                    QUEUE_MANAGER,
                    {},
                    [{"path": str(Path(directory) / "app"), "overrides": None}],
                )
                group = ExecutionGroup(base, [flows, flows], BrokerLog("KILLS", stream=io.StringIO()))
                group.start()
                if not group.wait_ready(_READY_S):
                    raise TimeoutError("the workers have not started")
                load = Load()
                try:
                    for number in range(kills):
                        victim = chance.randrange(2)
                        _wait_ready(group, qm)
                        time.sleep(chance.uniform(0.05, 0.4))
                        result.backed_out_s.append(kill(group.workers[victim], qm))
                        result.kills += 1
                        if say:
                            print(f"\r{number + 1} of {kills} kills", end="", file=sys.stderr, flush=True)
                finally:
                    load.end()
                result.messages = load.count
                end = time.monotonic() + _READY_S
                sources = [qm.queue(source) for source, _ in FLOWS.values()]
                while any(queue.depth for queue in sources) and time.monotonic() < end:
                    time.sleep(0.05)
                group.stop()
                group = None
                result.left = sum(queue.depth for queue in sources)
                _collect(qm, result)
        finally:
            if group is not None:
                group.stop()
            with Control(place) as control:
                control.ask({"do": "end", "how": "preemptive"})
            while holder_of(place.lock_path) is not None:
                time.sleep(0.01)
    if say:
        print(file=sys.stderr)
    return result


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    result = run(told.kills, told.seed)
    print(result)
    return 0 if result.is_right else 1


if __name__ == "__main__":
    sys.exit(main())
