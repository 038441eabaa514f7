"""CPU costs on another machine: the rule of the reports, and the machines they name (B215).

    cost there = cost here / (single-engine ITR there / single-engine ITR here)
    CPU per second = engines x 1,000,000 microseconds

An ITR (internal throughput rate) compares machines by the work they do per busy second, relative to a machine that a
table takes as 1. Two ITRs of tables with different bases cannot be compared, so a machine carries its base. Only
machines of the reports are here; other machines are given by their ITR and number of engines from IBM's LSPR tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from flintmq.pipeline.errors import BadOption

MICROSECONDS = 1_000_000
_EXAMPLE = "the worked example of the 7.0.1 report"
_BROKER = "2064-1C1 = 1, the 2.1 broker report"


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine or an LPAR: the capacity of all its engines, relative to the machine that is 1 in `base`."""

    name: str
    engines: int
    itr: float
    base: str

    @property
    def single(self) -> float:
        """Return the single-engine ITR."""
        return self.itr / self.engines

    @property
    def cpu_per_second(self) -> int:
        """Return the microseconds of CPU that all engines have in a second."""
        return self.engines * MICROSECONDS


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("2064-1C5", 5, 2.45, _EXAMPLE),
        Machine("2084-304", 4, 3.6, _EXAMPLE),
        Machine("9672-X27", 2, 1.28, _BROKER),
        Machine("2064-1C1", 1, 1.0, _BROKER),
    )
}


def machine_of(text: str) -> Machine:
    """Return a machine by name, or from `NAME:ENGINES:ITR` for one that the reports do not name, without a base."""
    known = {name.upper(): machine for name, machine in MACHINES.items()}
    if text.upper() in known:
        return known[text.upper()]
    name, _, rest = text.partition(":")
    engines, _, itr = rest.partition(":")
    try:
        made = Machine(name, int(engines), float(itr), "")
    except ValueError:
        raise BadOption(
            f"{text}: that is none of {', '.join(MACHINES)}; another is written NAME:ENGINES:ITR, as in 3931-703:3:5.2"
        ) from None
    if made.engines < 1 or not 0 < made.itr < float("inf"):
        raise BadOption(f"{text}: a machine has at least one engine, and an ITR above 0")
    return made


def ratio(here: Machine, there: Machine) -> float:
    """Return the speed of an engine there relative to one here: 0.54 from a 2084-304 to a 2064-1C5."""
    if here.base and there.base and here.base != there.base:
        raise BadOption(
            f"the ITRs of {here.name} ({here.base}) and {there.name} ({there.base}) have different bases: give both "
            "from one LSPR table, as NAME:ENGINES:ITR"
        )
    return there.single / here.single


def converted(cost: float, here: Machine, there: Machine) -> float:
    """Convert the cost of work here to its cost there (B215)."""
    return cost / ratio(here, there)


def rate_max(cost_us: float, machine: Machine) -> float | None:
    """Return the rate at which a machine can do something if it does nothing else; None if that costs nothing."""
    return machine.cpu_per_second / cost_us if cost_us > 0 else None
