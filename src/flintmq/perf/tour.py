"""The tour: the whole system in under three minutes, on a queue manager of its own.

    embedded         requests and replies on a queue manager in this process, for comparison
    queue manager    made, started, statistics and accounting recorded as SMF 115 and 116
    flow             samples/broker/order-routing deployed, its statistics recorded as SMF 117
    drivers          orders put, each waited for on the queue that the flow chooses; ORDERS.GOLD has a stream queue
    run              rates, latency and CPU written as a run of the performance harness
    pipeline         the run and its records read by Spark; the report written

      drivers --> ORDERS.IN --> OrderRouting --> ORDERS.GOLD --> drivers
                                                   STREAMQ   --> ORDERS.AUDIT, the copies
                                             --> ORDERS.STANDARD, ORDERS.EXPORT --> drivers

Without Java the report is left out and all else is done. Without the working copy there is no flow to deploy.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import flintmq
from flintmq._build import build_type
from flintmq.perf import machine
from flintmq.perf.demo import Demo
from flintmq.perf.histogram import Histogram
from flintmq.perf.measure import Dumps
from flintmq.perf.runner import new_id
from flintmq.perf.runs import RunWriter
from flintmq.perf.stage import NAME, Stage, environment, used_by_group

INPUT, AUDIT = "ORDERS.IN", "ORDERS.AUDIT"
#: Case of the sample -> the queue that its orders go to.
CASES = {"gold": "ORDERS.GOLD", "standard": "ORDERS.STANDARD", "export": "ORDERS.EXPORT"}
WORKLOAD, TITLE = "TOUR", "orders through the order-routing flow"
#: The broker and its execution group that --keep leaves running.
BROKER, GROUP = "TOUR", "demo"
REPEATS = 3
#: An order that the flow has not routed by then is an error.
PATIENCE_S = 20.0
#: Seconds before the first repeat of a case.
WARM_UP_S = 0.5
_RECORDING = (
    "SET SYSTEM STATIME(0.05) ACCTIME(0.05)",
    "START TRACE(STAT) CLASS(1,2,3,4,5)",
    "START TRACE(ACCTG) CLASS(1,3,4)",
)


class TourError(Exception):
    """A stage of the tour failed. The text names it and has the reason."""

    exit_code = 1


def sample() -> Path | None:
    """Return the directory of the sample application; None where the package is installed without samples."""
    homes = [Path(os.environ["FLINT_HOME"])] if "FLINT_HOME" in os.environ else []
    homes.append(Path(flintmq.__file__).resolve().parents[2])
    return next((place for home in homes if (place := home / "samples" / "broker" / "order-routing").is_dir()), None)


@dataclass
class Routed:
    """Measurements of one repeat of a case."""

    case: str
    orders: int = 0
    seconds: float = 0.0
    errors: int = 0
    by_second: list[int] = field(default_factory=list)
    latency: Histogram = field(default_factory=Histogram)
    server_us: float = 0.0
    driver_us: float = 0.0

    @property
    def rate(self) -> float:
        return self.orders / self.seconds if self.seconds else 0.0


@dataclass
class Tour:
    """One tour. `say` gets a line for each stage, `progress` a line several times a second."""

    say: Callable[[str], None]
    progress: Callable[[str], None]
    out: Path
    seconds: float = 3.0
    clients: int = 4
    #: Where the queue manager lives; None is a directory that is removed.
    place: Path | None = None
    shown: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    #: The flow runs in BROKER after the tour.
    kept: bool = False

    def run(self) -> None:
        """Run all stages of the tour. Raise TourError or StageError if one fails."""
        self._embedded()
        self.say("A queue manager is made and started")
        with Stage(self.place) as stage:
            stage.start()
            self.shown.append(f"queue manager {NAME}: made, started, listening on {stage.address} (loopback only)")
            stage.commands(*_RECORDING)
            self.shown.append("SMF 115 and 116: statistics and accounting recorded every five seconds")
            routed = self._flow(stage)
            if self.place is not None:
                if routed:
                    self._keep(stage)
                # Ending it is left to the user.
                stage.pid = 0
        if routed:
            self._report()

    def _keep(self, stage: Stage) -> None:
        """Deploy the flow to a broker that goes on as a service."""
        self.say(f"The flow is deployed to broker {BROKER}, which keeps running")
        application = sample()
        assert application is not None, "orders were routed by it"
        stage.flint("broker", "create", BROKER, "-q", NAME)
        stage.flint("broker", "start", BROKER)
        stage.flint("broker", "create-group", BROKER, "-e", GROUP)
        stage.flint("broker", "deploy", BROKER, "-e", GROUP, "-a", str(application))
        self.kept = True

    def _embedded(self) -> None:
        self.say("Requests and replies on an embedded queue manager")
        demo = Demo(self.progress, min(self.seconds, 1.0))
        fast, safe = demo.run()
        self.shown.append(
            f"embedded: {fast.rate:,.0f} requests with reply a second, {fast.cpu_us_per_call:.1f} us of CPU for a "
            f"call; {safe.rate:,.0f} persistent in units of work"
        )

    def _flow(self, stage: Stage) -> list[Routed]:
        application = sample()
        if application is None:
            self.left_out.append("the flow: its sample is in the working copy, not in the installed package")
            return []
        stage.commands(
            f"DEFINE QLOCAL({INPUT}) MAXDEPTH(100000)",
            f"DEFINE QLOCAL({AUDIT}) MAXDEPTH(999999)",
            f"DEFINE QLOCAL({CASES['gold']}) MAXDEPTH(100000) STREAMQ({AUDIT})",
        )
        self.say("The order-routing flow is deployed")
        run = self.out / "run"
        with RunWriter(run, self._head()) as writer, deployed(stage, application, self.out / "statistics") as pids:
            self.shown.append(f"flow OrderRouting: deployed in an execution group, {len(pids)} worker processes")
            writer.write("machine", **machine.facts(stage.place))
            dumps = Dumps(stage, writer)
            made = []
            for step, case in enumerate(CASES, 1):
                self.say(f"Orders of the case {case!r} go to {CASES[case]}")
                for repeat in range(1, REPEATS + 1):
                    made.append(self._repeat(stage, writer, application, step, repeat, case, pids))
                    dumps.take(step, repeat)
            self._words(stage, made)
            # The last interval of statistics is written when it ends.
            stage.commands("RESET QMGR TYPE(STATISTICS)")
            dumps.take(len(CASES), REPEATS)
        return made

    def _head(self) -> dict[str, Any]:
        return {
            "id": new_id(WORKLOAD),
            "workload": WORKLOAD,
            "title": TITLE,
            "product": "FlintMQ",
            "product_version": flintmq.__version__,
            "build": build_type(),
            "commit": machine.commit(),
            "mode": "local",
            "started": time.time(),
            "repeats": REPEATS,
            "warm_up_s": WARM_UP_S,
            "measure_s": self.seconds,
            "settle_s": 0.0,
            "varied": ["case"],
            "operation": "order routed",
            "anchors": [],
            "behaviours": [],
            "command": ["flint", "demo"],
        }

    def _repeat(
        self, stage: Stage, writer: RunWriter, application: Path, step: int, repeat: int, case: str, pids: list[int]
    ) -> Routed:
        order = (application / "tests" / case / "input.xml").read_bytes()
        if repeat == 1:
            drive(stage, order, CASES[case], self.clients, WARM_UP_S, lambda count: None, case)
        started, busy, log = time.time(), machine.busy_seconds(), stage.log_used()
        servers, drivers = [stage.pid, *pids], [os.getpid()]
        before, own = used_by_group(servers), used_by_group(drivers)

        def told(count: int) -> None:
            self.progress(f"{case}, {repeat} of {REPEATS}: {count:>7,} orders")

        made = drive(stage, order, CASES[case], self.clients, self.seconds, told, case)
        after, own_after = used_by_group(servers), used_by_group(drivers)
        busy_after, log_after = machine.busy_seconds(), stage.log_used()
        if not made.orders:
            raise TourError(f"no order of the case {case!r} came to {CASES[case]} within {self.seconds:g} s")
        clocks = {"queue manager": (before, after), "driver": (own, own_after)}
        made.server_us, made.driver_us = (1e6 * sum(b.since(a)) / made.orders for a, b in clocks.values())
        where = {"step": step, "repeat": repeat}
        copies = int(case == "gold")
        writer.write(
            "step",
            **where,
            parameters={
                "mode": "local",
                "size": len(order),
                "persistent": False,
                "clients": self.clients,
                "case": case,
                "flow": "order-routing",
                "streamq": "BESTEF" if copies else "none",
                "copies": copies,
            },
            drivers=[{"role": "requester", "processes": 1, "instances": self.clients}],
            target_rate=None,
            started=started,
        )
        for second, count in enumerate(made.by_second):
            writer.write("second", **where, role="requester", process=0, second=second, count=count, errors=0)
        self._write_latency(writer, where, made.latency)
        share = (busy_after[0] - busy[0]) / max(1e-9, busy_after[1] - busy[1])
        for kind, (first, last) in clocks.items():
            user, system = last.since(first)
            writer.write(
                "cpu",
                **where,
                kind=kind,
                role="" if kind == "queue manager" else "requester",
                process=0,
                user_s=user,
                system_s=system,
                rss_bytes=last.rss_bytes,
                threads=last.threads,
            )
        writer.write(
            "result",
            **where,
            measured_s=made.seconds,
            operations=made.orders,
            rate=made.rate,
            messages=made.orders * (2 + copies),
            errors=made.errors,
            queue_manager_us=made.server_us,
            driver_us=made.driver_us,
            machine_cpu=min(max(share, 0.0), 1.0),
            log_bytes=log_after[0] - log[0],
            log_writes=log_after[1] - log[1],
            depth=None,
        )
        return made

    def _write_latency(self, writer: RunWriter, where: dict[str, int], seen: Histogram) -> None:
        writer.write(
            "latency",
            **where,
            role="requester",
            process=0,
            what="round_trip",
            **{"from": "sent"},
            count=seen.count,
            mean_us=seen.mean / 1e3,
            **{
                f"p{name}_us": seen.percentile(p) / 1e3
                for name, p in (("50", 50), ("90", 90), ("99", 99), ("999", 99.9))
            },
            max_us=seen.maximum / 1e3,
            histogram=seen.to_json(),
        )

    def _words(self, stage: Stage, made: list[Routed]) -> None:
        for case, queue in CASES.items():
            mine = sorted((each for each in made if each.case == case), key=lambda each: each.rate)
            middle = mine[len(mine) // 2]
            self.shown.append(
                f"{case}: {middle.rate:,.0f} orders a second to {queue}, half of them within "
                f"{middle.latency.percentile(50) / 1e6:.1f} ms, {middle.server_us:,.0f} us of CPU each"
            )
        copies = stage.value(f"DISPLAY QLOCAL({AUDIT}) CURDEPTH", "CURDEPTH")
        self.shown.append(f"stream queue: {copies:,} copies of gold orders on {AUDIT}, made without the flow knowing")
        errors = sum(each.errors for each in made)
        if errors:
            self.shown.append(f"{errors:,} orders did not come in time")

    def _report(self) -> None:
        from flintmq.pipeline.errors import JavaMissing, PipelineError

        try:
            from flintmq.perf.report import command
            from flintmq.pipeline import session

            session.java()
        except JavaMissing as error:
            self.left_out.append(f"the pipeline on Spark and its report: {error}")
            return
        except ImportError as error:
            self.left_out.append(
                f"the pipeline on Spark and its report: the spark extra is not installed ({error.name})"
            )
            return
        self.say("Spark reads the run and its records, and writes the report")
        statistics = self.out / "statistics"
        flows = [statistics] if statistics.is_dir() and any(statistics.iterdir()) else []
        try:
            self.files = command.report([self.out / "run"], self.out / "report", io.StringIO(), statistics=flows)
        except PipelineError as error:
            self.left_out.append(f"the report: {error}")
            return
        self.shown.append("pipeline: the run and SMF 115, 116 and 117 read by Spark into tables, cost models fitted")
        size = self.files[0].stat().st_size / 1024
        self.shown.append(f"report: one page of {size:,.0f} KB, light and dark, and as Markdown; it loads nothing")


@contextlib.contextmanager
def deployed(stage: Stage, application: Path, statistics: Path) -> Iterator[list[int]]:
    """Deploy the application in an execution group and give the ids of its worker processes."""
    try:
        from flintmq.broker.runtime.foreground import Foreground
        from flintmq.broker.runtime.log import BrokerLog
        from flintmq.broker.runtime.statistics.settings import SETTING, of_options
    except ImportError as error:
        raise TourError(f"message flows need the broker extra ({error.name}): pip install 'flintmq[broker]'") from None
    statistics.mkdir(parents=True, exist_ok=True)
    said = io.StringIO()
    wanted_statistics = of_options(["snapshot:nodes=advanced,threads=basic,output=smf"], 5.0)
    group = Foreground(
        application,
        NAME,
        {},
        name="DEMO",
        group="tour",
        http_port=-1,
        workers=max(1, min(os.cpu_count() or 1, 2)),
        create_queues=True,
        settings={"": {SETTING: wanted_statistics.text()}},
        directory=str(statistics),
        log=BrokerLog("DEMO", stream=said),
    )
    wanted = environment(stage.data)
    known = {name: os.environ.get(name) for name in ("PYTHONPATH", "FLINTMQ_DATA")}
    os.environ.update({name: wanted[name] for name in known})  # The workers find the queue manager by them.
    try:
        if not group.start() or group.group is None:
            raise TourError(f"the flow cannot be deployed: {said.getvalue().strip()[-600:]}")
        yield [worker.pid for worker in group.group.workers]
    finally:
        group.stop()
        for name, value in known.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def drive(
    stage: Stage, order: bytes, queue: str, clients: int, seconds: float, told: Callable[[int], None], case: str
) -> Routed:
    """Put orders and wait for each on the queue that the flow chooses; `clients` threads at a time."""
    made = Routed(case, by_second=[0] * max(1, round(seconds)))
    lock, stop = threading.Lock(), threading.Event()
    begin = 0.0

    def started() -> None:
        nonlocal begin
        begin = time.monotonic()

    # Connecting is not measured.
    connected = threading.Barrier(clients + 1, started)

    def client() -> None:
        with flintmq.connect(str(stage.place)) as manager:
            to, back = manager.queue(INPUT), manager.queue(queue)
            connected.wait(PATIENCE_S)
            while not stop.is_set():
                sent = time.monotonic_ns()
                try:
                    back.get(wait=PATIENCE_S, message_id=to.put(order))
                except flintmq.NoMessageAvailable:
                    with lock:
                        made.errors += 1
                    continue
                taken = time.monotonic_ns() - sent
                second = int(time.monotonic() - begin)
                with lock:
                    made.orders += 1
                    made.latency.record(taken)
                    if second < len(made.by_second):
                        made.by_second[second] += 1

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        connected.wait(PATIENCE_S)
    except threading.BrokenBarrierError:
        raise TourError(f"{clients} clients cannot connect to {stage.place.name}") from None
    while (left := begin + seconds - time.monotonic()) > 0:
        time.sleep(min(0.2, left))
        told(made.orders)
    stop.set()
    for thread in threads:
        thread.join()
    made.seconds = time.monotonic() - begin
    return made
