"""A run of a workload: every step with its repeats, ramps that end at the peak, and all records.

    for each step          define its queues, start its drivers, load its messages
      for each repeat      measure.py
    end its drivers, remove its queues

A ramp measures its values in order and ends after two that did not raise the best rate by GROWTH; the peak is written.
"""

from __future__ import annotations

import copy
import sys
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import flintmq
from flintmq._build import build_type
from flintmq.perf import disk, machine, procedures
from flintmq.perf.catalogue import Workload
from flintmq.perf.catalogue.workload import Parameters
from flintmq.perf.flows import Flows
from flintmq.perf.measure import Dumps, Outcome, Repeat, Timing, Watched
from flintmq.perf.plan import EMBEDDED, TLS, Actors, DriverPlan
from flintmq.perf.runs import RunWriter
from flintmq.perf.shapes import BUILDERS, Setup
from flintmq.perf.stage import TLS_CHANNEL, Stage, StageError
from flintmq.perf.view import View

#: A ramp goes on while a value raises the best rate by at least this share.
GROWTH = 0.03
#: Warm-up of the first repeat of a step, at least: its drivers have done nothing before.
FIRST_WARM_UP_S = 0.5
_FLAT_MAX = 2


@dataclass
class Options:
    """Options of a run."""

    timing: Timing = field(default_factory=Timing)
    quick: bool = False
    #: Values of single parameters instead of those of the catalogue.
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    #: Operations a second of all leading drivers together; 0 is as fast as it goes.
    rate: float = 0.0
    #: Processes for each role.
    processes: int = 1
    #: Statistics of the queue manager in each repeat.
    recording: bool = True
    disk_test: bool = True
    database: str = ""
    command: list[str] = field(default_factory=lambda: list(sys.argv))
    #: Values of the full suite, and fewer of them, where it has little time.
    full: bool = False
    thin: bool = False


def new_id(workload: str) -> str:
    """Return the id of a new run: time, workload and a few random digits."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{workload}-{uuid.uuid4().hex[:4]}"


def head(workload: Workload, options: Options, identity: str, mode: str) -> dict[str, Any]:
    """Return the fields of the record `run`."""
    varied = workload.varied(options.quick, options.only, options.full, options.thin)
    timing = options.timing
    return {
        "id": identity,
        "workload": workload.id,
        "title": workload.title,
        "product": "FlintMQ",
        "product_version": flintmq.__version__,
        "build": build_type(),
        "commit": machine.commit(),
        "mode": mode,
        "started": time.time(),
        "repeats": timing.repeats,
        "warm_up_s": timing.warm_up_s,
        "measure_s": timing.measure_s,
        "settle_s": timing.settle_s,
        "varied": [name for name, values in varied.items() if len(values) > 1],
        "operation": workload.operation,
        "anchors": [each.to_json() for each in workload.anchors],
        "behaviours": list(workload.behaviours),
        "command": options.command,
    }


def run(
    workload: Workload, directory: Path, stage: Stage, options: Options, view: View, until: float = float("inf")
) -> Path:
    """Run a workload into `directory`. Raise StageError where it cannot be run; Ctrl-C leaves a valid run.

    Steps that would begin after `until`, a time of the monotonic clock, are left out; a note of the run says which.
    """
    if workload.needs:
        raise StageError(f"{workload.id} cannot be run: it needs {workload.needs}")
    steps = workload.steps(options.quick, options.only, options.full, options.thin)
    modes = {str(step["mode"]) for step in steps}
    identity = directory.name or new_id(workload.id)
    with RunWriter(directory, head(workload, options, identity, modes.pop() if len(modes) == 1 else "mixed")) as writer:
        writer.write("machine", **machine.facts(stage.place))
        if workload.remark:
            writer.note(workload.remark)
        if options.disk_test:
            for result in disk.run(disk.Test(stage.data, seconds=0.3, file_bytes=1 << 24), (4096, 65536)):
                writer.write("disk", **result)
        view.title(f"{workload.id}  {workload.title}")
        try:
            Runner(workload, writer, stage, options, view, until).run(steps)
        finally:
            stage.end_drivers(patient=False)
    return directory


class Runner:
    """The steps of one run."""

    def __init__(
        self, workload: Workload, writer: RunWriter, stage: Stage, options: Options, view: View, until: float
    ) -> None:
        self.until = until
        self.workload = workload
        self.writer = writer
        self.stage = stage
        self.options = options
        self.view = view
        self.dumps = Dumps(stage, writer)

    def _too_late(self, number: int, parameters: Parameters) -> bool:
        if number == 1 or time.monotonic() < self.until:
            return False
        self.writer.note(f"step {number} was left out, the time was over: {describe(parameters, self.workload)}")
        return True

    def run(self, steps: list[Parameters]) -> None:
        """Run all steps."""
        if self.workload.shape in procedures.PROCEDURES:
            for number, parameters in enumerate(steps, 1):
                if self._too_late(number, parameters):
                    continue
                procedures.run(self, number, parameters)
            return
        self.view.head()
        ramp = self.workload.ramp
        best: tuple[float, Any] = (-1.0, None)
        flat, series, nothing = 0, None, True
        failure: StageError | None = None
        for number, parameters in enumerate(steps, 1):
            rest = {name: value for name, value in parameters.items() if name != ramp}
            if rest != series:
                self._peak(series, best, "end" if not flat else "flat")
                best, flat, series = (-1.0, None), 0, rest
            elif ramp and flat >= _FLAT_MAX:
                continue
            if self._too_late(number, parameters):
                continue
            try:
                rates = self.step(number, parameters)
            except StageError as error:
                # Keep the other steps if one fails, for example for a cipher that this OpenSSL lacks.
                label = describe(parameters, self.workload)
                self.writer.note(f"step {number}, {label}: {error}")
                self.view.line(f"{label}: failed: {error}")
                failure, rates = error, []
            rate = sorted(rates)[len(rates) // 2] if rates else 0.0
            nothing = nothing and rate == 0
            flat = 0 if rate > best[0] * (1 + GROWTH) else flat + 1
            if rate > best[0]:
                best = (rate, parameters.get(ramp))
        self._peak(series, best, "end" if flat < _FLAT_MAX else "flat")
        if nothing and failure is not None:
            raise failure
        if nothing:
            raise StageError(f"{self.workload.id}: nothing succeeded; the notes in {self.writer.directory} say why")

    def _peak(self, series: Parameters | None, best: tuple[float, Any], reason: str) -> None:
        if self.workload.ramp and series is not None and best[1] is not None:
            self.writer.write(
                "peak", parameters=series, ramp=self.workload.ramp, at=int(best[1]), rate=best[0], reason=reason
            )

    def step(self, number: int, parameters: Parameters) -> list[float]:
        """Run the repeats of one step and return their rates."""
        flows = Flows(self.stage, parameters, self.options.database) if self.workload.shape == "flow" else None
        setup = flows.setup() if flows is not None else BUILDERS[self.workload.shape](parameters)
        if self.options.rate:
            for actors, _ in setup.actors:
                if actors.role == setup.lead:
                    actors.rate = self.options.rate
        do, undo = surroundings(setup.parameters, self.options.recording)
        self.stage.start()
        self.stage.commands(*setup.define(), *do)
        watched = Watched(tasks=self.options.recording and not setup.parameters.get("recording"))
        try:
            if flows is not None:
                watched.groups["broker", "execution group"] = flows.start()
            return self._repeats(number, setup, watched)
        finally:
            if flows is not None:
                flows.stop()
            self.stage.end_drivers()
            self.stage.start()
            for command in [*undo, *setup.remove()]:
                with suppress(StageError):
                    self.stage.commands(command)

    def _repeats(self, number: int, setup: Setup, watched: Watched) -> list[float]:
        label = describe(setup.parameters, self.workload)
        plans = self.plans(setup)
        if any(plan.mode == EMBEDDED for plan in plans):
            self.stage.stop()
        drivers = self.stage.ready(plans)
        if setup.preload:
            self._load(setup, drivers[0])
        rates = []
        for repeat in range(1, self.options.timing.repeats + 1):

            def told(second: int, seconds: int, count: int) -> None:
                self.view.second(label, second, seconds, count)

            timing = self.options.timing
            if repeat == 1:
                timing = replace(timing, warm_up_s=max(timing.warm_up_s, FIRST_WARM_UP_S))
            one = Repeat(self.stage, self.writer, setup, drivers, timing, watched, told)
            outcome: Outcome = one.measure(number, repeat)
            self.dumps.take(number, repeat)
            latency = outcome.latency
            self.view.result(label, repeat, outcome.result, latency.percentile(50) / 1e3, latency.percentile(99) / 1e3)
            rates.append(float(outcome.result["rate"]))
            if not outcome.result["operations"]:
                self.writer.note(f"step {number}: no operation ended in {self.options.timing.measure_s:g} s; left")
                break
        return rates

    def _load(self, setup: Setup, driver: Any) -> None:
        p = setup.parameters
        properties = int(p.get("properties", 0))
        wanted = [[name, depth, p["size"], p["persistent"], properties] for name, depth in setup.preload]
        self.view.line(f"  loading {sum(depth for _, depth in setup.preload):,} messages")
        driver.tell({"load": wanted})
        driver.expect("loaded", 3600.0)

    def plans(self, setup: Setup) -> list[DriverPlan]:
        """Return the plans of all driver processes; embedded ones are a single process."""
        parameters = setup.parameters
        cipher = str(parameters.get("cipher", ""))
        if any(mode == EMBEDDED for _, mode in setup.actors):
            plan = self.stage.plan(EMBEDDED)
            plan.actors = [actors for actors, _ in setup.actors]
            return [plan]
        plans = []
        for actors, mode in setup.actors:
            for share in _shared_out(actors, self.options.processes):
                plan = self.stage.plan(mode, cipher)
                plan.sharing = int(parameters.get("sharing", 1))
                plan.actors = [share]
                plans.append(plan)
        return plans


def _shared_out(actors: Actors, processes: int) -> list[Actors]:
    """Share the instances of a role out to processes."""
    count = max(1, min(processes, actors.instances))
    shares, first = [], actors.first
    for number in range(count):
        share = copy.copy(actors)
        share.instances = actors.instances // count + (number < actors.instances % count)
        share.first = first
        first += share.instances
        shares.append(share)
    return shares


def surroundings(p: Parameters, recording: bool) -> tuple[list[str], list[str]]:
    """Return commands that make the surroundings of a step, and those that undo them."""
    do: list[str] = []
    undo: list[str] = []
    wanted = str(p.get("recording", ""))
    if wanted and wanted != "none":
        do += ["ALTER QMGR STATQ(ON) ACCTQ(ON) STATCHL(MEDIUM)", f"SET SYSTEM STATIME(1.00) {wanted}"]
        do += ["START TRACE(STAT) CLASS(1,2,3,4,5)", "START TRACE(ACCTG) CLASS(1,3,4)"]
        undo += ["STOP TRACE(*)", "SET SYSTEM STATIME(30) ACCTIME(-1)"]
    elif recording and not wanted:
        do += ["ALTER QMGR STATQ(ON) ACCTQ(ON)", "START TRACE(STAT) CLASS(1,2,3,4,5)"]
        undo += ["STOP TRACE(*)"]
    trace = str(p.get("trace", "none"))
    if trace != "none":
        do.append(f"START TRACE({trace})")
        undo.append("STOP TRACE(*)")
    cipher = str(p.get("cipher", "none"))
    if p["mode"] == TLS and cipher != "none":
        # Where a channel takes several, the two sides agree on the one that they like best.
        do.append(f"ALTER CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH({cipher})")
        undo.append(f"ALTER CHANNEL({TLS_CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)")
    if p.get("compression") == "RLE":
        do.append("SET LOG COMPLOG(RLE)")
        undo.append("SET LOG COMPLOG(NONE)")
    return do, undo


def describe(parameters: Parameters, workload: Workload) -> str:
    """Return the varied parameters of a step as a short text."""
    names = [*workload.vary] or ["size"]
    return " ".join(f"{name}={_short(name, parameters.get(name))}" for name in names)


def _short(name: str, value: Any) -> str:
    if name == "size" and isinstance(value, int):
        return f"{value >> 20}M" if value >= 1 << 20 else f"{value >> 10}K" if value >= 1024 else str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
