"""The options of a report: queue managers, time, number of rows, and settings of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from flintmq.pipeline.errors import BadOption

ROWS = 100


@dataclass(frozen=True, slots=True)
class Options:
    """Times are UTC. `start` is the first moment that counts, `until` the first that does not."""

    #: None of them: all.
    qmgrs: tuple[str, ...] = ()
    start: datetime | None = None
    until: datetime | None = None
    #: The most rows of one table.
    rows: int = ROWS
    #: Settings of the report itself: `--set name=value`.
    settings: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        return self.settings.get(name, default)

    def number(self, name: str, default: float, least: float = 0.0) -> float:
        """Return a setting that is a number of at least `least`."""
        given = self.settings.get(name)
        if given is None:
            return default
        try:
            made = float(given)
        except ValueError:
            made = float("nan")
        if not least <= made < float("inf"):
            raise BadOption(f"--set {name}={given}: that is not a number of at least {least:g}")
        return made

    def words(self) -> str:
        """Describe the choice for the sentence of a report that found nothing: ` of QM1 from 2024-03-01 10:00:00`."""
        made = f" of {', '.join(self.qmgrs)}" if self.qmgrs else ""
        if self.start:
            made += f" from {self.start:%Y-%m-%d %H:%M:%S}"
        if self.until:
            made += f" until {self.until:%Y-%m-%d %H:%M:%S}"
        return made


def moment(option: str, text: str) -> datetime:
    """Parse `2024-03-01`, `2024-03-01T10:00` or a time with seconds; UTC unless it has an offset."""
    try:
        made = datetime.fromisoformat(text)
        return made.replace(tzinfo=UTC) if made.tzinfo is None else made.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadOption(f"{option} {text}: a time is written 2024-03-01 or 2024-03-01T10:00:00, in UTC") from None


def period(start: str, until: str) -> tuple[datetime | None, datetime | None]:
    """Return start and end of a period, each None where it was not given."""
    begin, end = moment("--from", start) if start else None, moment("--until", until) if until else None
    if begin and end and begin >= end:
        raise BadOption(f"--from {start} is not before --until {until}: there is no time between them")
    return begin, end


def settings_of(given: list[str], known: Mapping[str, str], report: str) -> dict[str, str]:
    """Parse `name=value` texts to a mapping. Raises BadOption for a name that the report does not know."""
    made: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadOption(f"--set {text}: write --set name=value")
        if name not in known:
            there = ", ".join(known) or "none"
            raise BadOption(f"--set {name}: {report} has no such setting; it has {there}")
        made[name] = value
    return made
