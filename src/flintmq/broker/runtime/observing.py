"""Manage the observers of the flows of a worker (observer.py) while flows run.

An instance has an observer of its own. Other threads (HTTP, files, timers, answers) lease one for a message and give it
back; there are as many as messages of a flow were under way at once, and they are the threads of its statistics.
A change of settings replaces observers; a message under way ends with the observer that it began with, and recorders
that were replaced are asked for their counts once more.
"""

from __future__ import annotations

import json
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from flintmq.broker.runtime.commands import Request, command
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.monitoring.monitor import Monitor
from flintmq.broker.runtime.monitoring.profile import BadProfile, EventSource, event_sources
from flintmq.broker.runtime.observer import Observer, Part
from flintmq.broker.runtime.statistics.counts import ANONYMOUS, Row, add, flow_row, node_row
from flintmq.broker.runtime.statistics.record import Place
from flintmq.broker.runtime.statistics.recorder import Pool, Recorder, described_nodes, recorder_for
from flintmq.broker.runtime.statistics.settings import Settings, level_of, settings_of_group
from flintmq.broker.runtime.user_trace import LEVELS, SIZE_MAX, TraceFile, UserTracer, trace_path

if TYPE_CHECKING:
    from flintmq.broker.flow.runtime import RuntimeFlow
    from flintmq.broker.runtime.worker import Worker


class ObservedFlow:
    """One flow of a worker, with all threads that run it."""

    def __init__(self, flow: RuntimeFlow, pool_threads: int) -> None:
        self.flow = flow
        self.pool = Pool(pool_threads)
        self.nodes = described_nodes(flow)
        #: Thread number, version of the settings, recorder. Old versions stay until their last message has ended.
        self.recorders: list[tuple[int, int, Recorder]] = []
        #: Instances have the first thread numbers; leased observers follow.
        self.instances: list[Any] = []
        self.leased = 0
        self.free: list[Observer] = []


class Observing:
    """The observers of a worker."""

    def __init__(self, settings: Settings, place: Place, log: BrokerLog, directory: str = "") -> None:
        """Apply the `settings` of the assignment; the user trace is written to `directory`."""
        self.place = place
        self.log = log
        self._settings = settings
        self.statistics = settings_of_group(settings)
        self.trace_file = TraceFile(trace_path(directory, place.broker, place.group), log) if directory else None
        self._flows: dict[str, ObservedFlow] = {}
        #: Flows that were stopped, until their last counts are taken.
        self._stopped: list[ObservedFlow] = []
        self._lock = threading.Lock()
        #: Changes with every change of settings.
        self._version = 0
        self.is_active = False

    def add_flow(self, flow: RuntimeFlow, instances: list[Any]) -> None:
        """Observe a flow that starts. `instances` have an attribute `observer` and each runs a copy of the flow."""
        with self._lock:
            made = ObservedFlow(flow, len(instances) or 1)
            made.instances = list(instances)
            self._flows[key_of(flow)] = made
            self._apply(made)

    def remove_flow(self, flow: RuntimeFlow) -> None:
        """Forget a flow that was stopped, once its counts are taken."""
        with self._lock:
            found = self._flows.get(key_of(flow))
            if found is not None and found.flow is flow:
                self._stopped.append(self._flows.pop(key_of(flow)))

    def change(self, settings: Settings) -> None:
        """Apply the settings of another assignment from now on, if they differ."""
        with self._lock:
            if settings != self._settings:
                self._settings = settings
                self.statistics = settings_of_group(settings)
                self._apply_all()

    def setting(self, flow: RuntimeFlow, name: str) -> Any:
        """Return a setting of a flow: its own, else that of the group; None if there is none."""
        own = self._settings.get(key_of(flow), {})
        return own.get(name, self._settings.get("", {}).get(name))

    def _apply_all(self) -> None:
        self._version += 1
        for each in self._flows.values():
            self._apply(each)

    def _apply(self, observed: ObservedFlow) -> None:
        observed.free.clear()
        observed.leased = 0
        for number, instance in enumerate(observed.instances, 1):
            instance.observer = self._made(observed, number, instance.flow)
        self.is_active = any(self._is_observed(each) for each in self._flows.values())

    def _is_observed(self, observed: ObservedFlow) -> bool:
        flow = observed.flow
        return (
            level_of(self._settings, self.statistics, flow.application, flow.name).active
            or is_on(self.setting(flow, "monitoring.active"))
            or self._trace_level(flow) != "none"
        )

    def _made(self, observed: ObservedFlow, number: int, flow: RuntimeFlow) -> Observer | None:
        """Return a new observer for one thread; None if the flow is not observed."""
        parts: list[Part] = []
        rule = level_of(self._settings, self.statistics, flow.application, flow.name)
        if rule.active:
            recorder = recorder_for(flow, observed.pool, rule)
            observed.recorders.append((number, self._version, recorder))
            parts.append(recorder)
        if is_on(self.setting(flow, "monitoring.active")):
            parts.append(Monitor(flow, self._event_sources(flow), self.place, self.log))
        level = self._trace_level(flow)
        if level != "none" and self.trace_file is not None:
            self.trace_file.size_max = int(self.setting(flow, "trace.size_kb") or 0) * 1024 or SIZE_MAX
            parts.append(UserTracer(self.trace_file, level))
        return Observer(parts) if parts else None

    def _trace_level(self, flow: RuntimeFlow) -> str:
        level = self.setting(flow, "trace.level") or "none"
        return level if level in LEVELS else "none"

    def _event_sources(self, flow: RuntimeFlow) -> list[EventSource]:
        """Return the events of a flow. A bad profile is logged; the flow runs without events."""
        try:
            found = event_sources(flow, self.setting(flow, "monitoring.profile") or "")
        except BadProfile as error:
            self.log.write("3913W", flow.name, f"the flow emits no monitoring events: {error}")
            return []
        switched: dict[str, bool] = json.loads(self.setting(flow, "monitoring.sources") or "{}")
        for each in found:
            each.enabled = switched.get(each.address, each.enabled)
        known = {each.address for each in found}
        # An address without a definition emits an event with nothing but its names.
        return found + [EventSource(address) for address, is_set in switched.items() if is_set and address not in known]

    def lease(self, flow: RuntimeFlow) -> Observer | None:
        """Return an observer for one message of a flow that no instance takes; it comes back when it ends."""
        if not self.is_active:
            return None
        with self._lock:
            observed = self._flows.get(key_of(flow))
            if observed is None:
                return None
            if observed.free:
                return observed.free.pop()
            number = len(observed.instances) + observed.leased + 1
            made = self._made(observed, number, observed.flow)
            if made is not None:
                observed.leased += 1
                observed.pool.threads = max(observed.pool.threads, number)
                made.ended = partial(self._give_back, observed, made, self._version)
            return made

    def _give_back(self, observed: ObservedFlow, observer: Observer, version: int) -> None:
        with self._lock:
            if version == self._version:
                observed.free.append(observer)

    def take_statistics(self) -> list[dict[str, Any]]:
        """Return the counts of every active flow since the last call (record.py reads them)."""
        with self._lock:
            stopped, self._stopped = self._stopped, []
            taken = [self._taken(each) for each in self._flows.values() if each.recorders]
            return taken + [{**self._taken(each), "stopped": True} for each in stopped if each.recorders]

    def _taken(self, observed: ObservedFlow) -> dict[str, Any]:
        flow = observed.flow
        origins: dict[str, dict[str, Any]] = {}
        kept = []
        for number, version, recorder in observed.recorders:
            if version == self._version or recorder.is_open:
                kept.append((number, version, recorder))
            for origin, counts in recorder.take().items():
                into = origins.setdefault(origin, {"flow": flow_row(), "threads": {}, "nodes": {}, "terminals": []})
                add(into["flow"], counts.row())
                thread = counts.thread_row()
                if str(number) in into["threads"]:
                    add(into["threads"][str(number)], thread)
                else:
                    into["threads"][str(number)] = thread
                _add_nodes(into, observed.nodes, counts.nodes, counts.terminals)
        observed.recorders = kept
        origins.setdefault(ANONYMOUS, {"flow": flow_row(), "threads": {}, "nodes": {}, "terminals": []})
        for each in origins.values():
            each["flow"]["NumberOfThreadsInPool"] = observed.pool.threads
        return {"application": flow.application, "flow": flow.name, "nodes": observed.nodes, "origins": origins}


def _add_nodes(into: dict[str, Any], described: list[Row], nodes: dict[int, Any], terminals: dict[Any, int]) -> None:
    for number, spent in nodes.items():
        if not 0 <= number < len(described):
            continue
        label = described[number]["Label"]
        if label in into["nodes"]:
            add(into["nodes"][label], spent.row())
        else:
            into["nodes"][label] = add_to_new(spent.row())
    for (number, is_output, name), count in terminals.items():
        if 0 <= number < len(described):
            into["terminals"].append([described[number]["Label"], is_output, name, count])


def add_to_new(row: Row) -> Row:
    """Return a new row with the numbers of a node."""
    made = node_row()
    add(made, row)
    return made


def key_of(flow: RuntimeFlow) -> str:
    """Return the key of a flow among those of a worker."""
    return f"{flow.application}/{flow.name}"


def is_on(value: object) -> bool:
    """Return whether a setting is a switch that is on."""
    return value is True or str(value).lower() in ("true", "yes", "active", "1")


@command("statistics")
def take_statistics(worker: Worker, request: Request) -> list[dict[str, Any]]:
    """Return the counts since the last question, and begin anew."""
    return worker.observing.take_statistics()
