"""One repeat of a step: start the drivers, read the clocks at both ends, and write the records.

    from          start                                  end
-----|--warm-up----|--measured: counts, latency, CPU------|--settle--|-- stop: followers drain their queues
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flintmq.perf import machine
from flintmq.perf.histogram import Histogram, merged
from flintmq.perf.pace import SECOND
from flintmq.perf.plan import EMBEDDED, FOLLOWING
from flintmq.perf.runs import SMF, RunWriter
from flintmq.perf.shapes import PREFIX, Setup
from flintmq.perf.stage import DriverProcess, Stage, StageError, Used, used_by_group

_LEAD_NS = 50_000_000
_WHAT = {
    "requester": "round_trip",
    "responder": "get",
    "putter": "put",
    "getter": "get",
    "publisher": "publish",
    "subscriber": "get",
    "put-get": "round_trip",
    "opener": "round_trip",
}
_WAY = {"subscriber": "delivery"}
_ERRORS_SHOWN = 200


@dataclass
class Timing:
    """Durations of the parts of a repeat, in seconds."""

    warm_up_s: float = 1.0
    measure_s: float = 5.0
    settle_s: float = 0.2
    repeats: int = 3

    @property
    def repeat_s(self) -> float:
        """Return how long one repeat takes, about."""
        return self.warm_up_s + self.measure_s + self.settle_s + 0.3


@dataclass
class Watched:
    """Processes whose CPU is measured beside the drivers: (kind, role) to their ids."""

    groups: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    #: Whether tasks are accounted for while they warm up.
    tasks: bool = False


@dataclass
class Outcome:
    """The result of a repeat, for views and ramps."""

    result: dict[str, Any]
    latency: Histogram


Told = Callable[[int, int, int], None]


class Repeat:
    """Measure one repeat with drivers that are ready."""

    def __init__(
        self,
        stage: Stage,
        writer: RunWriter,
        setup: Setup,
        drivers: list[DriverProcess],
        timing: Timing,
        watched: Watched,
        told: Told,
    ) -> None:
        self.stage = stage
        self.writer = writer
        self.setup = setup
        self.drivers = drivers
        self.timing = timing
        self.watched = watched
        self.told = told
        self.embedded = any(driver.plan.mode == EMBEDDED for driver in drivers)

    def measure(self, step: int, repeat: int) -> Outcome:
        """Run it and write its records."""
        timing = self.timing
        begin = time.monotonic_ns() + _LEAD_NS
        start = begin + int(timing.warm_up_s * SECOND)
        end = start + int(timing.measure_s * SECOND)
        for driver in self.drivers:
            driver.tell({"from": begin, "start": start, "end": end})
        self._account(start, repeat)
        _sleep_until(start)
        # CPU clocks first: on a busy machine, commands take as long as a short interval.
        busy, before, measured_from = machine.busy_seconds(), self._clocks(), time.monotonic_ns()
        log, log_from = self._log()
        wall = time.time()
        self._watch(start, end)
        after, busy_after, measured_until = self._clocks(), machine.busy_seconds(), time.monotonic_ns()
        log_after, log_until = self._log()
        time.sleep(timing.settle_s)
        done = self._stop()
        # CPU clocks and the log were read a moment after the counting began: scale them to the counted interval.
        scale = (end - start) / max(1, measured_until - measured_from)
        log_scale = (end - start) / max(1, log_until - log_from)
        self._write_step(step, repeat, wall)
        roles = self._write_roles(step, repeat, done)
        cpu = self._write_cpu(step, repeat, before, after, scale)
        share = (busy_after[0] - busy[0]) / max(1e-9, busy_after[1] - busy[1])
        used = round((log_after[0] - log[0]) * log_scale), round((log_after[1] - log[1]) * log_scale)
        return self._write_result(step, repeat, roles, cpu, share, done, used, (end - start) / SECOND)

    def _log(self) -> tuple[tuple[int, int], int]:
        """Return bytes and writes of the log and the time at which they were read; end an interval of statistics."""
        stage = self.stage
        if not stage.running:
            return (0, 0), 0
        used, now = stage.log_used(), time.monotonic_ns()
        stage.commands("RESET QMGR TYPE(STATISTICS)")
        return used, now

    def _stop(self) -> list[dict[str, Any]]:
        """End the repeat: drivers that wait for others go on until the last request of those has its reply."""
        last = [all(actors.role in FOLLOWING for actors in driver.plan.actors) for driver in self.drivers]
        done: list[dict[str, Any]] = [{}] * len(self.drivers)
        for following in (False, True):
            group = [number for number, each in enumerate(last) if each == following]
            for number in group:
                self.drivers[number].tell({"stop": True})
            for number in group:
                done[number] = self.drivers[number].expect("done")
        return done

    def _watch(self, start: int, end: int) -> None:
        """Show the seconds until the end."""
        seconds = max(1, -(-(end - start) // SECOND))
        leading = [each for each in self.drivers if any(a.role == self.setup.lead for a in each.plan.actors)]
        for second in range(seconds):
            _sleep_until(min(end, start + (second + 1) * SECOND))
            for driver in self.drivers:
                if driver.process.poll() is not None:
                    raise StageError(f"a driver ({driver.roles}) has ended with {driver.process.returncode}")
            if second + 1 < seconds:
                count = sum(said.get("count", 0) for each in leading if (said := each.hear(0.05)) is not None)
                self.told(second, seconds, count)

    def _clocks(self) -> dict[tuple[str, str, int], Used]:
        groups: dict[tuple[str, str, int], Used] = {}
        if self.stage.running:
            groups["queue manager", "", 0] = used_by_group([self.stage.pid])
        for (kind, role), pids in self.watched.groups.items():
            groups[kind, role, 0] = used_by_group(pids)
        for number, driver in enumerate(self.drivers):
            groups["embedded" if self.embedded else "driver", driver.roles, number] = used_by_group([driver.pid])
        return groups

    def _account(self, start: int, repeat: int) -> None:
        """Account for tasks in the first half of the first warm-up: it costs CPU in each call that is measured."""
        if self.watched.tasks and repeat == 1 and self.stage.running:
            self.stage.commands("START TRACE(ACCTG) CLASS(3)")
            _sleep_until(start - int(self.timing.warm_up_s * SECOND) // 2)
            self.stage.commands("RESET QMGR TYPE(STATISTICS)", "STOP TRACE(ACCTG)")

    def _write_step(self, step: int, repeat: int, wall: float) -> None:
        drivers: dict[tuple[str, str], list[int]] = {}
        for driver in self.drivers:
            for actors in driver.plan.actors:
                numbers = drivers.setdefault((actors.role, driver.plan.mode), [0, 0])
                numbers[0] += 1
                numbers[1] += actors.instances
        rate = sum(actors.rate for actors, _ in self.setup.actors if actors.role == self.setup.lead)
        self.writer.write(
            "step",
            step=step,
            repeat=repeat,
            parameters=self.setup.parameters,
            drivers=[
                {"role": role, "mode": mode, "processes": processes, "instances": instances}
                for (role, mode), (processes, instances) in drivers.items()
            ],
            target_rate=rate or None,
            started=wall,
        )

    def _write_roles(self, step: int, repeat: int, done: list[dict[str, Any]]) -> list[dict[str, Any]]:
        roles = []
        for process, each in enumerate(done):
            for role in each["roles"]:
                roles.append(role)
                for second, (count, errors) in enumerate(zip(role["counts"], role["errors"], strict=True)):
                    self.writer.write(
                        "second",
                        step=step,
                        repeat=repeat,
                        role=role["role"],
                        process=process,
                        second=second,
                        count=count,
                        errors=errors,
                    )
                if role["first_error"]:
                    self.writer.note(f"step {step}, repeat {repeat}, {role['role']}: {role['first_error']}")
                self._write_latencies(step, repeat, process, role)
        return roles

    def _write_latencies(self, step: int, repeat: int, process: int, role: dict[str, Any]) -> None:
        what = _WHAT[role["role"]]
        found = [(what, "sent", role["sent"]), (what, "intended", role["intended"])]
        found.append((_WAY.get(role["role"], "one_way"), "intended", role["way"]))
        for name, since, data in found:
            if data is None or not data["counts"]:
                continue
            write_latency(self.writer, step, repeat, role["role"], process, name, since, data)

    def _write_cpu(
        self,
        step: int,
        repeat: int,
        before: dict[tuple[str, str, int], Used],
        after: dict[tuple[str, str, int], Used],
        scale: float,
    ) -> dict[str, float]:
        totals: dict[str, float] = {}
        for (kind, role, process), now in after.items():
            then = before[kind, role, process]
            user, system = (seconds * scale for seconds in now.since(then))
            totals[kind] = totals.get(kind, 0.0) + user + system
            self.writer.write(
                "cpu",
                step=step,
                repeat=repeat,
                kind=kind,
                role=role,
                process=process,
                user_s=round(user, 6),
                system_s=round(system, 6),
                rss_bytes=now.rss_bytes,
                threads=now.threads,
            )
        return totals

    def _write_result(
        self,
        step: int,
        repeat: int,
        roles: list[dict[str, Any]],
        cpu: dict[str, float],
        share: float,
        done: list[dict[str, Any]],
        log: tuple[int, int],
        seconds: float,
    ) -> Outcome:
        leading = [role for role in roles if role["role"] == self.setup.lead]
        operations = sum(sum(role["counts"]) for role in leading)
        errors = sum(sum(role["errors"]) + role["lost"] for role in roles)
        own = sum(cpu.get(kind, 0.0) for kind in ("queue manager", "broker", "peer"))
        drivers = cpu.get("driver", 0.0) + cpu.get("embedded", 0.0)
        if self.embedded:
            log = tuple(done[0]["log"] or (0, 0))
        per = 1e6 / operations if operations else 0.0
        result = {
            "step": step,
            "repeat": repeat,
            "measured_s": seconds,
            "operations": operations,
            "rate": round(operations / seconds, 3),
            "messages": operations * self.setup.messages,
            "errors": errors,
            "queue_manager_us": None if self.embedded else round(own * per, 3),
            "driver_us": round(drivers * per, 3),
            "machine_cpu": round(min(1.0, share), 4),
            "log_bytes": int(log[0]) if self.stage.running or self.embedded else None,
            "log_writes": int(log[1]) if self.stage.running or self.embedded else None,
            "depth": self.stage.depth(PREFIX + "*") if self.stage.running else None,
        }
        self.writer.write("result", **result)
        name = "intended" if any(role["intended"] for role in leading) else "sent"
        latency = merged(Histogram.from_json(role[name]) for role in leading if role[name])
        return Outcome(result, latency)


def write_latency(
    writer: RunWriter,
    step: int,
    repeat: int,
    role: str,
    process: int,
    what: str,
    since: str,
    data: dict[str, Any],
) -> None:
    """Write a histogram as a record `latency`."""
    histogram = Histogram.from_json(data)
    figures = {f"p{name}_us": histogram.percentile(percent) / 1e3 for name, percent in PERCENTILES.items()}
    writer.write(
        "latency",
        step=step,
        repeat=repeat,
        role=role,
        process=process,
        what=what,
        **{"from": since},
        count=histogram.count,
        mean_us=round(histogram.mean / 1e3, 3),
        **figures,
        max_us=histogram.maximum / 1e3,
        histogram=data,
    )


PERCENTILES = {"50": 50.0, "90": 90.0, "99": 99.0, "999": 99.9}


class Dumps:
    """Copy new records of the queue manager's recorder to the run.

    A dump grows by whole records, so that a slice between two looks is a dump, too.
    """

    def __init__(self, stage: Stage, writer: RunWriter) -> None:
        self.source = stage.place / "smf"
        self.writer = writer
        self._seen = {path: path.stat().st_size for path in self.source.glob("*.smf")} if self.source.is_dir() else {}

    def take(self, step: int, repeat: int) -> None:
        """Append new records to a file of the run."""
        parts: list[bytes] = []
        for path in sorted(self.source.glob("*.smf")) if self.source.is_dir() else []:
            with path.open("rb") as file:
                file.seek(self._seen.get(path, 0))
                parts.append(file.read())
                self._seen[path] = file.tell()
        data = b"".join(parts)
        if data:
            name = Path(SMF) / f"{step:04}-{repeat:02}.dat"
            (self.writer.directory / name).write_bytes(data)
            self.writer.write("smf", step=step, repeat=repeat, file=str(name), bytes=len(data))


def _sleep_until(moment: int) -> None:
    left = moment - time.monotonic_ns()
    if left > 0:
        time.sleep(left / SECOND)
