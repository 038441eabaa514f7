"""A workload as data: its shape, its varied parameters, and the figures to compare with.

`base` are the parameters of every step (names: docs/internals/run-format.md). `vary` has the values of those that
differ: steps are all combinations, without those that `skip` has. `quick` and `full` replace values of `vary` in the
two suites, where the time of all workloads is limited; `thinned` leaves out more. `ramp` names the varied parameter
whose values are tried in order until the rate stops growing.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Parameters = dict[str, Any]

KB = 1024
MB = 1024 * 1024


@dataclass(frozen=True)
class Anchor:
    """Rows of results.csv that a workload is compared with: all with this document, section and workload."""

    doc: str
    section: str
    workload: str

    def to_json(self) -> dict[str, str]:
        """Return the form of a run."""
        return {"doc": self.doc, "section": self.section, "workload": self.workload}


@dataclass(frozen=True)
class Workload:
    """One workload of the catalogue. `shape` names its builder (shapes.py) or its procedure (procedures.py)."""

    id: str
    title: str
    shape: str = ""
    base: Mapping[str, Any] = field(default_factory=dict)
    vary: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    quick: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    full: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    #: Combinations that are no steps: parameters with values that all have to match.
    skip: tuple[Mapping[str, tuple[Any, ...]], ...] = ()
    #: More of them, of the full suite.
    full_skip: tuple[Mapping[str, tuple[Any, ...]], ...] = ()
    ramp: str = ""
    operation: str = "request/reply"
    anchors: tuple[Anchor, ...] = ()
    behaviours: tuple[int, ...] = ()
    #: The feature that it waits for; "" if it can be run.
    needs: str = ""
    #: Where this differs from the report.
    remark: str = ""

    @property
    def runnable(self) -> bool:
        """Return whether it can be run here."""
        return not self.needs

    def varied(
        self,
        quick: bool = False,
        only: Mapping[str, tuple[Any, ...]] | None = None,
        full: bool = False,
        thin: bool = False,
    ) -> dict[str, tuple[Any, ...]]:
        """Return the values of every varied parameter; `thin` keeps the first, the middle and the last number."""
        made = {**self.vary, **(self.full if full else {}), **(self.quick if quick else {})}
        if thin:
            made = {name: thinned(values) for name, values in made.items()}
        return {**made, **(only or {})}

    def steps(
        self,
        quick: bool = False,
        only: Mapping[str, tuple[Any, ...]] | None = None,
        full: bool = False,
        thin: bool = False,
    ) -> list[Parameters]:
        """Return the parameters of every step of a run, or of a suite; `only` replaces values of single parameters."""
        varied = self.varied(quick, only, full, thin)
        names = [name for name in varied if name != self.ramp] + ([self.ramp] if self.ramp else [])
        # Combinations that were asked for are run.
        skip = [each for each in (*self.skip, *(self.full_skip if full else ())) if not set(each) & set(only or ())]
        made = []
        for values in itertools.product(*(varied[name] for name in names)):
            chosen = dict(zip(names, values, strict=True))
            if not any(all(chosen.get(name) in some for name, some in each.items()) for each in skip):
                made.append({"mode": "local", "size": 2 * KB, "persistent": False, **self.base, **chosen})
        return made


def thinned(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return three of many numbers: the first, the middle and the last."""
    if len(values) <= 3 or not all(isinstance(each, (int, float)) for each in values):
        return values
    return values[0], values[len(values) // 2], values[-1]
