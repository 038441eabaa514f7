"""A suite: many workloads one after the other within a limit of time, in one directory, and resumed where it ended.

    DIR/suite.json        the options and the complete runs; replaced by renaming after each run
    DIR/RUN               the runs

The seconds of a repeat follow from the limit: what all steps need beside them is known. A suite that was interrupted is
continued with the same directory: complete runs are kept, an interrupted one is left as it is and made anew.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flintmq.perf import catalogue, procedures, runner, runs
from flintmq.perf.catalogue.workload import Workload
from flintmq.perf.measure import Timing
from flintmq.perf.stage import Stage, StageError
from flintmq.perf.view import View

FORMAT, VERSION = "flint-perf-suite", 1
FILE = "suite.json"
QUICK_S, FULL_S = 270.0, 85 * 60.0
#: Overhead of a repeat and of a step beside their measured time: clocks, records; driver processes, definitions, flows.
REPEAT_S, STEP_S, FLOW_S, RUN_S, START_S = 0.15, 1.4, 3.0, 0.3, 6.0
#: To load a message before a step.
LOADED_S = 1e-4
#: Measured parts of a repeat are at most this long, and grow to GROWTH times the first where ramps end early.
REPEAT_MAX_S, GROWTH = 4.0, 1.5
#: A full suite whose repeats would have less than this measured takes fewer values of its parameters.
MEASURED_LEAST_S = 1.0
#: The workloads of `--quick`: each chapter of the report has at least one.
QUICK = (
    "Z93-R01",
    "Z93-R05",
    "Z93-R06",
    "Z93-R21",
    "Z93-R25",
    "Z93-Q02",
    "Z93-Q03",
    "Z701-W07",
    "Z701-W08",
    "Z701-W13",
    "Z701-W19",
    "L92-W12",
    "L92-W14",
    "SQ-W01",
    "SQ-W02",
    "SQ-W05",
    "WMQI-W01",
    "WMQI-W03",
    "WMQI-W10",
    "Z93-Q13",
    "Z93-S01",
)


@dataclass
class Suite:
    """The workloads of a suite and their progress."""

    directory: Path
    quick: bool = True
    limit_s: float = QUICK_S
    repeats: int = 3
    workloads: list[str] = field(default_factory=list)
    #: Fewer values of parameters: the limit is short.
    thin: bool = False
    #: Workload to the name of its complete run.
    done: dict[str, str] = field(default_factory=dict)
    #: Workload to the reason why it could not be run.
    failed: dict[str, str] = field(default_factory=dict)

    def save(self) -> None:
        """Write the state; a reader sees the old or the new one."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "quick": self.quick,
            "limit_s": self.limit_s,
            "repeats": self.repeats,
            "thin": self.thin,
            "workloads": self.workloads,
            "done": self.done,
            "failed": self.failed,
        }
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / FILE
        new = path.with_suffix(".new")
        new.write_text(json.dumps(data, indent=1) + "\n")
        os.replace(new, path)

    @property
    def left(self) -> list[str]:
        """Return the workloads that are not done. Those that failed are tried again."""
        return [name for name in self.workloads if name not in self.done]


def load(directory: Path) -> Suite | None:
    """Read a suite that was begun, None if there is none. Raise RunError where its file is damaged."""
    path = directory / FILE
    if not path.exists():
        return None
    try:
        data: dict[str, Any] = json.loads(path.read_text())
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ValueError(f"format {data['format']!r}, version {data['version']!r}")
        made = Suite(
            directory,
            bool(data["quick"]),
            float(data["limit_s"]),
            int(data["repeats"]),
            [catalogue.find(name).id for name in data["workloads"]],
            bool(data.get("thin", False)),
            {str(name): str(run) for name, run in data["done"].items()},
            {},
        )
    except (ValueError, KeyError, TypeError, AttributeError, catalogue.UnknownWorkload) as error:
        raise runs.RunError(f"{path} is damaged ({error}): remove it to begin anew") from None
    # A run that is gone, or not complete, is made again.
    for name, run in list(made.done.items()):
        if not runs.is_run(directory / run) or runs.read(directory / run).ended != runs.COMPLETE:
            del made.done[name]
    return made


def begin(directory: Path, quick: bool, names: list[str], repeats: int, limit_s: float = 0.0) -> Suite:
    """Return a new suite of the workloads named, or of all that its kind has."""
    chosen = [catalogue.find(name) for name in names or (QUICK if quick else catalogue.WORKLOADS)]
    runnable = [each.id for each in chosen if each.runnable]
    made = Suite(directory, quick, limit_s or (QUICK_S if quick else FULL_S), repeats, runnable)
    made.thin = not quick and timing(made, runnable, made.limit_s).measure_s < MEASURED_LEAST_S
    return made


def is_quick(workload: Workload, suite: Suite) -> bool:
    """Return whether a workload has the values of the quick suite.

    With little time, these are procedures too, whose length does not follow from the limit; but for restarts, which
    only several depths tell anything about.
    """
    return suite.quick or (suite.thin and workload.shape in procedures.PROCEDURES and workload.shape != "restart")


def cost(workload: Workload, suite: Suite) -> tuple[int, float]:
    """Return how many repeats a workload has that can be made longer, and the seconds it needs beside them."""
    repeats = suite.repeats
    steps = workload.steps(is_quick(workload, suite), full=not suite.quick, thin=suite.thin)
    if workload.shape in procedures.PROCEDURES:
        return 0, RUN_S + repeats * sum(procedures.seconds(workload.shape, each) for each in steps)
    step = STEP_S + (FLOW_S if workload.shape == "flow" else 0.0)
    loads = sum(float(each.get("depth", 0)) for each in steps) * LOADED_S
    return len(steps) * repeats, RUN_S + loads + len(steps) * (step + repeats * REPEAT_S)


def timing(suite: Suite, names: list[str], left_s: float, slow: float = 1.0, most_s: float = REPEAT_MAX_S) -> Timing:
    """Return how long the repeats of the workloads named may be, so that all of them fit in the time.

    `slow` says how much more than here assumed this machine needs beside the measured time. No repeat is longer than
    `most_s`, warm-up included.
    """
    costs = [cost(catalogue.find(name), suite) for name in names]
    repeats = max(1, sum(count for count, _ in costs))
    free = left_s - slow * sum(seconds for _, seconds in costs)
    each = min(most_s, REPEAT_MAX_S, max(0.25, free / repeats))
    return Timing(round(each * 0.2, 3), round(each * 0.75, 3), round(each * 0.05, 3), suite.repeats)


def expected(suite: Suite, name: str, timing: Timing, slow: float) -> float:
    """Return how many seconds a workload will take."""
    count, seconds = cost(catalogue.find(name), suite)
    return slow * seconds + count * (timing.warm_up_s + timing.measure_s + timing.settle_s)


def run(suite: Suite, view: View, database: str = "") -> bool:
    """Run the remaining workloads within the limit. Return whether all were run; Ctrl-C leaves a suite to continue."""
    suite.save()
    until = time.monotonic() + suite.limit_s
    stage: Stage | None = None
    slow, most_s = 1.0, REPEAT_MAX_S
    try:
        for number, name in enumerate(suite.left, 1):
            waiting = suite.left
            left_s = until - time.monotonic()
            if left_s <= 0:
                view.line(f"the time is over; left: {' '.join(waiting)}; the same command continues")
                return False
            view.line(f"[{len(suite.done) + len(suite.failed) + 1}/{len(suite.workloads)}] {left_s:.0f} s left")
            if stage is None:
                stage = Stage()
            parts = timing(suite, waiting, left_s - START_S, slow, most_s)
            if number == 1:
                # Runs of one suite have about the same length.
                most_s = GROWTH * (parts.warm_up_s + parts.measure_s + parts.settle_s)
                view.line(
                    f"{parts.repeats} repeats of {parts.measure_s:.2f} s, after a warm-up of {parts.warm_up_s:.2f} s"
                )
            options = runner.Options(
                parts,
                is_quick(catalogue.find(name), suite),
                full=not suite.quick,
                thin=suite.thin,
                disk_test=number == 1,
                database=database,
            )
            # Each has its share of the remaining time: on a busy machine every chapter gets some of its steps.
            own = expected(suite, name, parts, slow)
            share = left_s * own / sum(expected(suite, each, parts, slow) for each in waiting)
            began = time.monotonic()
            place = suite.directory / runner.new_id(name)
            try:
                runner.run(catalogue.find(name), place, stage, options, view, began + share)
            except StageError as error:
                view.line(f"{name} failed: {error}")
                suite.failed[name] = str(error)
                # A queue manager that a failure left behind is not measured again.
                stage.__exit__(StageError, error, None)
                stage = None
            else:
                suite.done[name] = place.name
                suite.failed.pop(name, None)
            suite.save()
            slow = max(1.0, 0.5 * slow * (1.0 + (time.monotonic() - began) / own))
    finally:
        if stage is not None:
            stage.__exit__(None, None, None)
    return not suite.left
