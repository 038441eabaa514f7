"""Samples of Prometheus, from files in the text exposition format.

    # HELP ...                                    left out
    # TYPE name gauge
    name{label="value",other="a \\"quote\\""} 12.5 1718000000000

The last part, milliseconds since 1970, may be missing. A line that is none of these is counted and left out: an export
that was cut off is of use up to there. NaN and infinite values are samples, but no report draws them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from flintmq.pipeline.errors import PipelineError

_SAMPLE = re.compile(
    r"(?P<name>[A-Za-z_:][A-Za-z0-9_:]*)(?:\{(?P<labels>(?:[^\"}]|\"(?:[^\"\\]|\\.)*\")*)\})?\s+"
    r"(?P<value>[^\s]+)(?:\s+(?P<at>-?\d+))?\s*$"
)
_LABEL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=\s*\"((?:[^\"\\]|\\.)*)\"")
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
#: The largest file that is read: an export is small, and anything else is not an export.
SIZE_MAX = 64 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of one series."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: float
    at_ms: int | None = None

    def series(self) -> str:
        """Return the series as Prometheus writes it: `name{label="value"}`."""
        inner = ",".join(f'{name}="{value}"' for name, value in self.labels)
        return f"{self.name}{{{inner}}}" if inner else self.name


@dataclass(slots=True)
class Export:
    """The samples of a file, and the number of lines that are not samples."""

    samples: list[Sample] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    damaged: int = 0


def parse(lines: Iterable[str]) -> Export:
    """Parse lines of the text format."""
    made = Export()
    for line in lines:
        text = line.strip()
        if text.startswith("#"):
            words = text.split()
            if len(words) == 4 and words[1] == "TYPE":
                made.kinds[words[2]] = words[3]
            continue
        if not text:
            continue
        match = _SAMPLE.match(text)
        value = _number(match["value"]) if match else None
        if match is None or value is None:
            made.damaged += 1
            continue
        labels = tuple((name, _plain(inner)) for name, inner in _LABEL.findall(match["labels"] or ""))
        made.samples.append(Sample(match["name"], labels, value, int(match["at"]) if match["at"] else None))
    return made


def _plain(text: str) -> str:
    return re.sub(r"\\[\\\"n]", lambda match: _ESCAPES[match[0]], text)


def _number(text: str) -> float | None:
    try:
        return {"+Inf": math.inf, "-Inf": -math.inf, "NaN": math.nan}.get(text) or float(text)
    except ValueError:
        return None


def read(path: Path) -> Export:
    """Read a file. Raise PipelineError where it cannot be read or has no sample at all."""
    try:
        if path.stat().st_size > SIZE_MAX:
            raise PipelineError(f"{path}: larger than {SIZE_MAX >> 20} MB, the limit of an export of Prometheus")
        with open(path, encoding="utf-8", errors="replace") as file:
            made = parse(file)
    except OSError as error:
        raise PipelineError(f"{path}: {error.strerror}") from None
    if not made.samples:
        raise PipelineError(f"{path}: no sample in the text format of Prometheus")
    return made
