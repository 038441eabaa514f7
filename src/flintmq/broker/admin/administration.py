"""Administration of one broker: requests, and their effect on the repository and on running execution groups.

    {"do": "deploy", "group": "default", "path": "orders.bar"}

A request is answered with lines of text, BIP messages mostly, and an exit code. `Administration` works with or without
running groups: in the broker process it has them, in a command on a stopped broker it has not. Both go through the
same code, so a broker that is stopped can be configured as well. To add a request, write a function in a module of its
own and register it:

    @request("change statistics")
    def change_statistics(admin: Administration, given: Given, say: Say) -> None:
        group = admin.group(given.text("group"))
        admin.repository.change_settings("statistics", given.text("object"), {...}, group.name)
        admin.apply(group.name, say)

and import the module in `requests.py`. `say` takes a line as soon as it is known. Raise Refused to refuse; then nothing
must have changed.

Invariants:

A1  A refused request changes nothing: neither repository nor groups.
A2  The repository is written first, then running groups follow it. A group that does not follow is reported (8026)
    and takes the repository's state when it starts again.
A3  Requests that change something run one after the other.
"""

from __future__ import annotations

import getpass
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from flintmq.broker.admin import connection, messages
from flintmq.broker.admin.package import remove_unused
from flintmq.broker.admin.place import Place
from flintmq.broker.admin.plan import GroupPlan, plan_group
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.admin.repository import STARTED, BrokerRow, GroupRow, Repository
from flintmq.broker.runtime.group import ExecutionGroup
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.placement import place as place_flows
from flintmq.broker.runtime.queue_session import CACHE_SIZE
from flintmq.broker.runtime.worker import Assignment

FIRST_HTTP_PORT: Final = 7800
TEXT_MAX: Final = 1 << 16

Say: TypeAlias = Callable[[str], None]


class Given:
    """Typed access to the fields of a request. Raise Refused (8001) if one is missing or of another type."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; without a default it must be there."""
        value = self.fields.get(name, default)
        if not isinstance(value, str) or len(value) > TEXT_MAX:
            raise Refused(8001, f"{name} is missing" if value is None else f"{name} is no text")
        return value

    def flag(self, name: str) -> bool:
        """Return a switch."""
        return self.fields.get(name) is True

    def number(self, name: str, default: float) -> float:
        """Return a number."""
        value = self.fields.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1e6:
            raise Refused(8001, f"{name} is no number from 0 to 1000000")
        return float(value)

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        value = self.fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and len(each) <= TEXT_MAX for each in value):
            raise Refused(8001, f"{name} is no list of texts")
        return list(value)

    def values(self, name: str) -> dict[str, str | None]:
        """Return names with values; null removes one."""
        value = self.fields.get(name)
        if not isinstance(value, dict) or not all(
            isinstance(each, str | None) and len(each or "") <= TEXT_MAX for each in value.values()
        ):
            raise Refused(8001, f"{name} are no properties with values")
        return dict(value)


Handler: TypeAlias = "Callable[[Administration, Given, Say], None]"


@dataclass(frozen=True, slots=True)
class RequestType:
    """A request that the broker knows."""

    handler: Handler
    #: Whether it changes something: then a command needs the lock of a broker that does not run.
    changes: bool


REQUESTS: Final[dict[str, RequestType]] = {}


def request(name: str, changes: bool = True) -> Callable[[Handler], Handler]:
    """Register a function as the request `name`."""

    def register(handler: Handler) -> Handler:
        assert name not in REQUESTS, name
        REQUESTS[name] = RequestType(handler, changes)
        return handler

    return register


class Administration:
    """One broker."""

    def __init__(self, place: Place, repository: Repository, log: BrokerLog, live: bool = False) -> None:
        self.place = place
        self.repository = repository
        self.log = log
        #: Whether this is the broker process.
        self.live = live
        #: Groups that run here.
        self.running: dict[str, ExecutionGroup] = {}
        #: The last plan of each group that runs, for reports.
        self.plans: dict[str, GroupPlan] = {}
        self.lock = threading.RLock()

    # Requests.

    def obey(self, fields: object, say: Say) -> int:
        """Run one request and return the exit code. Errors become messages; no exception leaves this method."""
        try:
            if not isinstance(fields, dict):
                raise Refused(8001, "a request is an object of JSON")
            name = fields.get("do")
            known = REQUESTS.get(name) if isinstance(name, str) else None
            if known is None:
                raise Refused(8001, f"there is no request {name!r:.100}")
            if known.changes:
                with self.lock:
                    known.handler(self, Given(fields), say)
            else:
                known.handler(self, Given(fields), say)
            return 0
        except Refused as error:
            for line in error.lines:
                say(line)
            return error.exit_code
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            self.log.write("2111E", "", text)
            say(f"BIP2111E: An internal error: {text}")
            return 1

    # What handlers use.

    def broker(self) -> BrokerRow:
        """Return the broker's row. Raise Refused."""
        found = self.repository.found()
        if found is None:
            raise Refused(8013, self.place.name)
        return found

    def group(self, name: str) -> GroupRow:
        """Return a group. Raise Refused if there is none of this name."""
        found = next((each for each in self.repository.groups() if each.name == name), None)
        if found is None:
            raise Refused(8021, self.place.name, name)
        return found

    def plan(self, name: str) -> GroupPlan:
        """Return the plan of a group: the one that runs, or a new one."""
        return self.plans.get(name) or plan_group(self.repository, self.place, name)

    def apply(self, name: str, say: Say, wait_s: float = 60.0, *, starting: bool = False) -> GroupPlan | None:
        """Make a running group follow the repository; return its plan, None if the broker does not run."""
        if not self.live:
            return None
        row = self.group(name)
        group = self.running.get(name)
        if row.state != STARTED:
            if group is not None:
                del self.running[name]
                self.plans.pop(name, None)
                group.stop()
            return None
        plan = plan_group(self.repository, self.place, name, starting=starting)
        self.plans[name] = plan
        for problem in plan.problems:
            self.log.write("2087W", name, problem)
        base = self.assignment(row, plan)
        workers = int(self.property(name, "ExecutionGroup", "workers", str(os.cpu_count() or 1)))
        placements = place_flows(plan.started(), max(1, workers), group.placements if group is not None else None)
        if group is None:
            group = self.running[name] = ExecutionGroup(base, placements, self.log)
            group.start()
        else:
            for problem in group.assign(base, placements):
                say(messages.line(8026, problem))
        if wait_s and not group.wait_ready(wait_s):
            say(messages.line(8026, f"execution group {name} is not ready yet; its log says why"))
        remove_unused(self.place, set(self.repository.contents()))
        return plan

    def assignment(self, row: GroupRow, plan: GroupPlan) -> Assignment:
        """Return the assignment of a group's workers without its flows."""
        return Assignment(
            self.place.name,
            row.name,
            0,
            self.broker().queue_manager,
            self.connection(),
            plan.sources,
            data_sources={name: dict(each) for name, each in self.data_sources().items()},
            http_host=self.property(row.name, "HTTPConnector", "address", "127.0.0.1"),
            http_port=int(self.property(row.name, "HTTPConnector", "port", str(FIRST_HTTP_PORT + row.number))),
            cache_size=int(self.property(row.name, "ExecutionGroup", "queueHandles", str(CACHE_SIZE))),
            log_file=str(self.place.log),
            settings=self._settings(row.name, plan),
            directory=str(self.place.log.parent),
            policies=[
                {"project": each.project, "name": each.name, "type": each.type, "properties": each.properties}
                for each in plan.policies.values()
            ],
        )

    def _settings(self, group: str, plan: GroupPlan) -> dict[str, dict[str, Any]]:
        """Return the settings of a plan, with the address of the group's metrics."""
        served = {f"metrics.{key}": self.property(group, "Metrics", key, "") for key in ("port", "address")}
        if not served["metrics.port"]:
            return plan.settings
        return {**plan.settings, "": {**plan.settings.get("", {}), **served}}

    def property(self, group: str, name: str, key: str, default: str) -> str:
        """Return a property of a group's object."""
        return self.repository.settings("property", group).get(name, {}).get(key, default)

    def connection(self) -> dict[str, Any]:
        """Return how the queue manager is reached, with passwords. Raise Refused if one cannot be read."""
        return connection.arguments(self.place.name, self.repository.settings("property").get("QueueManager", {}))

    def data_sources(self) -> dict[str, dict[str, Any]]:
        """Return the settings of the data sources, as data_sources.py takes them."""
        found: dict[str, dict[str, Any]] = {}
        for name, each in self.repository.settings("datasource").items():
            found[name] = {key: typed(key, value) for key, value in each.items()}
        return found

    # Life of the broker process.

    def start_groups(self) -> None:
        """Start the groups that were not stopped. One that cannot be started is logged; the others start."""
        for row in self.repository.groups():
            if row.state != STARTED:
                continue
            try:
                with self.lock:
                    plan = self.apply(row.name, self._log_line, 0, starting=True)
                    states = self.repository.flow_states(row.name)
                    for flow in plan.flows if plan is not None else ():
                        key = (flow.application, flow.flow)
                        if flow.start_mode != "maintained" and states.get(key) != flow.state:
                            self.repository.set_flow_state(row.name, *key, flow.state)
            except (Refused, OSError, ValueError) as error:
                self.log.write("2087E", row.name, f"the execution group does not start: {error}")

    def stop_groups(self) -> None:
        """Stop all groups: messages under way are finished."""
        with self.lock:
            groups, self.running = list(self.running.values()), {}
            self.plans.clear()
        enders = [threading.Thread(target=group.stop) for group in groups]
        for each in enders:
            each.start()
        for each in enders:
            each.join()

    def _log_line(self, line: str) -> None:
        self.log.write(line[3:8], "", line[10:])


def typed(key: str, value: str) -> object:
    """Return a setting of a data source with the type that data_sources.py wants."""
    if key in ("statementCache", "connectTimeout") and value.isdigit():
        return int(value)
    if key == "statementRollback":
        return value.lower() == "true"
    return value


def user() -> str:
    """Return the user of this process, for the audit fields of the repository."""
    try:
        return getpass.getuser()[:200]
    except (KeyError, OSError):
        return str(os.getuid())
