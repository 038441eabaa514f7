"""A workload as data: its shape, its varied parameters, and the figures to compare with.

`base` are the parameters of every step (names: docs/internals/run-format.md). `vary` has the values of those that
differ: steps are all combinations. `quick` replaces values of `vary` where little time is given. `ramp` names the
varied parameter whose values are tried in order until the rate stops growing.
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

    def steps(self, quick: bool = False, only: Mapping[str, tuple[Any, ...]] | None = None) -> list[Parameters]:
        """Return the parameters of every step; `only` replaces values of single parameters."""
        varied = {**self.vary, **(self.quick if quick else {}), **(only or {})}
        names = [name for name in varied if name != self.ramp] + ([self.ramp] if self.ramp else [])
        made = []
        for values in itertools.product(*(varied[name] for name in names)):
            made.append(
                {
                    "mode": "local",
                    "size": 2 * KB,
                    "persistent": False,
                    **self.base,
                    **dict(zip(names, values, strict=True)),
                }
            )
        return made
