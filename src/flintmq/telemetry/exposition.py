"""OpenMetrics text: metrics with labels, as Prometheus reads them.

    # TYPE flintmq_queue_messages_put counter
    # HELP flintmq_queue_messages_put Messages put.
    flintmq_queue_messages_put_total{qmgr="QM1",queue="ORDERS"} 17

Names end with their unit; a counter has `_total` at the end of its sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PREFIX = "flintmq_"


@dataclass
class Family:
    """One metric with all its samples."""

    name: str
    kind: str
    help: str
    unit: str = ""
    #: (labels, value)
    samples: list[tuple[dict[str, str], int | float]] = field(default_factory=list)

    def add(self, value: int | float, **labels: str) -> None:
        """Add one sample."""
        self.samples.append((labels, value))

    def lines(self, common: dict[str, str]) -> Iterable[str]:
        """Yield the text. `common` labels come first."""
        name = PREFIX + self.name
        yield f"# TYPE {name} {self.kind}"
        if self.unit:
            yield f"# UNIT {name} {self.unit}"
        yield f"# HELP {name} {escaped(self.help)}"
        suffix = {"counter": "_total", "info": "_info"}.get(self.kind, "")
        for labels, value in self.samples:
            shown = ",".join(f'{key}="{escaped(text)}"' for key, text in {**common, **labels}.items())
            yield f"{name}{suffix}{{{shown}}} {value}"


def escaped(text: str) -> str:
    """Escape a label value or help text."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def text_of(families: Iterable[Family], common: dict[str, str]) -> str:
    """Return metrics as text; those without samples are left out."""
    lines: list[str] = []
    for family in families:
        if family.samples:
            lines += family.lines(common)
    return "\n".join([*lines, "# EOF"]) + "\n"
