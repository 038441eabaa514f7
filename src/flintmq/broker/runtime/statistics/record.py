"""The statistics record of one flow and interval, as a dict with the names of `WMQIStatisticsAccounting`.

    RecordType   SnapShot or Archive
    RecordCode   SnapShot, Major, Shutdown, ReDeploy, StatsSettingsModified
    MessageFlow  the flow; times are microseconds
    Threads      a list of ThreadStatistics, empty if threads are not collected
    Nodes        a list of NodeStatistics, each with TerminalStatistics; empty if nodes are not collected

Every field is there, collected or not.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flintmq.broker.runtime.statistics.counts import ANONYMOUS, Row, add, flow_row, node_row, thread_row
from flintmq.broker.runtime.statistics.settings import Rule

_NAMESPACE = uuid.UUID("8b0f6f5e-3b0a-5a53-9a55-46463137b117")


@dataclass(frozen=True, slots=True)
class Place:
    """The execution group that records are of."""

    broker: str
    group: str

    @property
    def broker_id(self) -> str:
        """Return an identifier of the broker that stays the same."""
        return str(uuid.uuid5(_NAMESPACE, self.broker))

    @property
    def group_id(self) -> str:
        """Return an identifier of the group that stays the same."""
        return str(uuid.uuid5(_NAMESPACE, f"{self.broker}/{self.group}"))


@dataclass(slots=True)
class OriginCounts:
    """Counts of one flow and accounting origin, merged over workers."""

    flow: Row = field(default_factory=flow_row)
    #: By worker and number of the thread.
    threads: dict[tuple[int, int], Row] = field(default_factory=dict)
    #: By label.
    nodes: dict[str, Row] = field(default_factory=dict)
    #: By label of the node, whether an output terminal, and its name.
    terminals: dict[tuple[str, bool, str], int] = field(default_factory=dict)

    def add(self, worker: int, taken: dict[str, Any]) -> None:
        """Add the counts of a worker."""
        add(self.flow, taken["flow"])
        for number, row in taken["threads"].items():
            add(self.threads.setdefault((worker, int(number)), thread_row()), row)
        for label, row in taken["nodes"].items():
            add(self.nodes.setdefault(label, node_row()), row)
        for label, is_output, name, count in taken["terminals"]:
            key = (label, bool(is_output), name)
            self.terminals[key] = self.terminals.get(key, 0) + count


@dataclass(slots=True)
class FlowInterval:
    """Counts of one flow in one stream since the interval began."""

    application: str
    flow: str
    started: datetime
    origins: dict[str, OriginCounts] = field(default_factory=dict)
    #: Labels, types and terminals of the nodes.
    nodes: list[dict[str, Any]] = field(default_factory=list)
    #: Threads of the flow, by worker.
    pools: dict[int, int] = field(default_factory=dict)
    #: Times that all threads of a worker were busy, by worker.
    full: dict[int, int] = field(default_factory=dict)

    def add(self, worker: int, taken: dict[str, Any], by_origin: bool) -> None:
        """Add the counts of a worker since the last collection."""
        self.nodes = taken["nodes"]
        for origin, counts in taken["origins"].items():
            name = origin if by_origin else ANONYMOUS
            given = dict(counts["flow"])
            self.pools[worker] = given.pop("NumberOfThreadsInPool")
            self.full[worker] = self.full.get(worker, 0) + given.pop("TimesMaximumNumberOfThreadsReached")
            self.origins.setdefault(name, OriginCounts()).add(worker, {**counts, "flow": given})

    def records(self, place: Place, rule: Rule, stream: str, code: str, ended: datetime) -> list[dict[str, Any]]:
        """Return the records of the interval: one, or one for each accounting origin that had messages."""
        found = [
            (origin, counts)
            for origin, counts in sorted(self.origins.items())
            if counts.flow["TotalInputMessages"] or len(self.origins) == 1
        ]
        if not found:
            found = [(ANONYMOUS, self.origins.get(ANONYMOUS, OriginCounts()))]
        return [
            {
                "RecordType": stream,
                "RecordCode": code,
                "MessageFlow": self._flow(place, origin, counts.flow, ended),
                "Threads": self._threads(counts) if rule.threads else [],
                "Nodes": [] if rule.nodes == "none" else self._nodes(counts, rule.nodes == "advanced"),
            }
            for origin, counts in found
        ]

    def _flow(self, place: Place, origin: str, row: Row, ended: datetime) -> dict[str, Any]:
        return {
            "BrokerLabel": place.broker,
            "BrokerUUID": place.broker_id,
            "ExecutionGroupName": place.group,
            "ExecutionGroupUUID": place.group_id,
            "MessageFlowName": self.flow,
            "ApplicationName": self.application,
            **_moments("Start", self.started),
            **_moments("End", ended),
            **_microseconds(row),
            "NumberOfThreadsInPool": sum(self.pools.values()),
            # While a worker had an idle thread, the pool had one: the worker that was full least often decides.
            "TimesMaximumNumberOfThreadsReached": min(self.full.values(), default=0),
            "AccountingOrigin": origin,
        }

    def _threads(self, counts: OriginCounts) -> list[dict[str, Any]]:
        """Return the rows of threads: the threads of all workers are numbered through."""
        return [
            {"Number": number, **_microseconds(row)}
            for number, (_, row) in enumerate(sorted(counts.threads.items(), key=_place), 1)
        ]

    def _nodes(self, counts: OriginCounts, with_terminals: bool) -> list[dict[str, Any]]:
        made = []
        for node in self.nodes:
            label = node["Label"]
            terminals = self._terminals(counts, node) if with_terminals else []
            made.append(
                {
                    "Label": label,
                    "Type": node["Type"],
                    **_microseconds(counts.nodes.get(label) or node_row()),
                    "NumberOfInputTerminals": len(node["Inputs"]),
                    "NumberOfOutputTerminals": len(node["Outputs"]),
                    "TerminalStatistics": terminals,
                }
            )
        return made

    def _terminals(self, counts: OriginCounts, node: dict[str, Any]) -> list[dict[str, Any]]:
        label = node["Label"]
        names = [(False, name) for name in node["Inputs"]] + [(True, name) for name in node["Outputs"]]
        used = [(is_output, name) for owner, is_output, name in counts.terminals if owner == label]
        return [
            {
                "Label": name,
                "Type": "Output" if is_output else "Input",
                "CountOfInvocations": counts.terminals.get((label, is_output, name), 0),
            }
            for is_output, name in dict.fromkeys([*names, *used])
        ]


def _place(item: tuple[tuple[int, int], Row]) -> tuple[int, int]:
    return item[0]


def _microseconds(row: Row) -> Row:
    """Return a row with times in microseconds."""
    return {
        name: round(value / 1000) if "Time" in name and not name.startswith(("Times", "TotalNumber")) else value
        for name, value in row.items()
    }


def _moments(which: str, moment: datetime) -> dict[str, str]:
    local, gmt = moment.astimezone(), moment.astimezone(UTC)
    return {
        f"{which}Date": local.strftime("%Y-%m-%d"),
        f"{which}Time": local.strftime("%H:%M:%S.%f"),
        f"GMT{which}Time": gmt.strftime("%Y-%m-%d %H:%M:%S.%f"),
    }
