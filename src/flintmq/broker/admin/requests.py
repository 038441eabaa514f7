"""The requests of administration: groups, deployment, states, reports. properties.py has those of properties."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from flintmq.broker.admin import messages, transaction_requests
from flintmq.broker.admin.administration import Administration, Given, Say, request, user
from flintmq.broker.admin.package import Package, read_package, refused, remove_unused, unpack
from flintmq.broker.admin.place import check_name
from flintmq.broker.admin.plan import GroupPlan, PlannedFlow, plan_group
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.admin.repository import STARTED, STOPPED, DeployedRow, now
from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.runtime.data_sources import missing_source
from flintmq.broker.runtime.worker import is_coordinated

assert STARTED and STOPPED
assert transaction_requests  # Its requests are registered.


# The broker and its groups.


@request("ping", changes=False)
def ping(admin: Administration, given: Given, say: Say) -> None:
    """Report the process id."""
    say(str(os.getpid()))


@request("create group")
def create_group(admin: Administration, given: Given, say: Say) -> None:
    """Create an execution group; it starts at once."""
    name = check_name("an execution group", given.text("group"))
    if any(each.name == name for each in admin.repository.groups()):
        raise Refused(8020, name)
    admin.repository.add_group(name)
    admin.apply(name, say, 0)
    say(messages.line(1117, name, admin.place.name))


@request("delete group")
def delete_group(admin: Administration, given: Given, say: Say) -> None:
    """Stop an execution group and delete it with its deployments."""
    name = admin.group(given.text("group")).name
    admin.repository.set_group_state(name, STOPPED)
    admin.apply(name, say)
    admin.repository.drop_group(name)
    remove_unused(admin.place, set(admin.repository.contents()))
    say(messages.line(1129, name, admin.place.name))


# Deployment.


@request("deploy")
def deploy(admin: Administration, given: Given, say: Say) -> None:
    """Deploy a BAR file or a directory: read it, check it with the existing deployments, store it, start it."""
    group = admin.group(given.text("group")).name
    path = Path(given.text("path"))
    overrides = given.text("overrides", "")
    say(messages.line(1039, path.name, group, admin.place.name))
    try:
        package = read_package(
            path, given.texts("lines"), Path(overrides) if overrides else None, given.text("application", "")
        )
        plan, rows, removed = _prepare(admin, group, path, package, given.flag("clear"))
    except Refused as error:
        raise Refused(1093, group, before=error.lines) from None
    known = {} if given.flag("clear") else admin.repository.flow_states(group)
    states = {
        (each.application, each.flow): STOPPED
        for each in plan.flows
        if each.start_mode == "manual" and (each.application, each.flow) not in known
    }
    admin.repository.deploy(group, [package.content], rows, package.overrides, states, removed)
    for row in rows:
        admin.log.write("1039I", group, f"{row.kind} {row.application} of {path.name} is deployed by {row.deployed_by}")
    admin.apply(group, say, given.number("wait", 60))
    for warning in package.warnings:
        say(f"BIP2087W: {warning}")
    names = {row.application for row in rows}
    sources = admin.data_sources()
    for flow in plan.flows:
        if flow.application in names:
            made = flow.made()
            missing = [missing_source(name) for name in made.data_sources() if name not in sources]
            coordinated = is_coordinated(made)
            for problem in [*made.problems, *(missing if coordinated else [])]:
                say(f"BIP2355W: {flow.flow} does not start: {problem}")
            for problem in [] if coordinated else missing:
                say(f"BIP2321W: {flow.flow}: {problem}")
    say(messages.line(1092, group))


def _prepare(
    admin: Administration, group: str, path: Path, package: Package, clear: bool
) -> tuple[GroupPlan, list[DeployedRow], list[str]]:
    """Return the plan with a package, its rows, and the applications that it takes away. Raise Refused."""
    before = admin.repository.deployed(group)
    states = {row.application: row.state for row in before}
    rows = [
        DeployedRow(
            name,
            kind,
            package.content.digest,
            str(path),
            now(),
            user(),
            STARTED if clear else states.get(name, STARTED),
        )
        for name, kind in package.applications
    ]
    names = {row.application for row in rows}
    kept = [] if clear else [row for row in before if row.application not in names]
    removed = [row.application for row in before if clear]
    overrides = {
        name: values
        for name, values in admin.repository.settings("override", group).items()
        if name not in names and not clear
    }
    unpack(package.content, admin.place)
    try:
        plan = plan_group(admin.repository, admin.place, group, [*rows, *kept], {**overrides, **package.overrides})
        if plan.problems and not plan.flows and not kept:
            raise Refused(2087, plan.problems[-1], before=[Refused(2087, each).lines[0] for each in plan.problems[:-1]])
        problems = _esql_problems(plan, names)
        if problems:
            unpacked = f"{admin.place.deployed / package.content.digest}/"
            raise refused([each.replace(unpacked, f"{path.parent}/") for each in problems])
    except BaseException:
        remove_unused(admin.place, set(admin.repository.contents()))
        raise
    package.warnings += plan.problems
    return plan, rows, removed


def _esql_problems(plan: GroupPlan, names: set[str]) -> list[str]:
    """Return the errors in the ESQL of applications that refer to libraries, compiled with these."""
    found: dict[str, None] = {}
    for flow in plan.flows:
        if flow.application in names and flow.owner.references:
            for error in flow.applications.settings(flow.owner).program.errors:
                found[f"BIP{error.number}: {error}"] = None
    return list(found)


@request("undeploy")
def undeploy(admin: Administration, given: Given, say: Say) -> None:
    """Remove applications from a group."""
    group = admin.group(given.text("group")).name
    there = {row.application for row in admin.repository.deployed(group)}
    names = given.texts("applications")
    for name in names:
        if name not in there:
            raise Refused(8022, group, "application", name)
    admin.repository.deploy(group, [], [], {}, {}, names)
    admin.apply(group, say)
    say(messages.line(1092, group))


# States.


@request("start")
def start(admin: Administration, given: Given, say: Say) -> None:
    """Start a group, an application or a flow; it stays started when the broker starts again."""
    _change_state(admin, given, say, STARTED)


@request("stop")
def stop(admin: Administration, given: Given, say: Say) -> None:
    """Stop a group, an application or a flow: messages under way are finished. It stays stopped."""
    _change_state(admin, given, say, STOPPED)


def _change_state(admin: Administration, given: Given, say: Say, state: str) -> None:
    wanted, application, flow = given.text("group", ""), given.text("application", ""), given.text("flow", "")
    every = given.flag("all")
    groups = [row.name for row in admin.repository.groups()] if every else [admin.group(wanted).name]
    if flow or application:
        found = {group: _select(admin, group, application, flow) for group in groups}
        if not any(found.values()):
            raise Refused(8022, ", ".join(groups), "message flow" if flow else "application", flow or application)
    lines = []
    for group in groups:
        if flow:
            for each in found[group]:
                admin.repository.set_flow_state(group, each.application, each.flow, state)
                lines.append(messages.line(1151 if state == STARTED else 1152, each.flow))
        elif application:
            if found[group]:
                admin.repository.set_application_state(group, application, state)
                lines.append(messages.line(1153 if state == STARTED else 1154, application))
        else:
            admin.repository.set_group_state(group, state)
            lines.append(messages.line(1155 if state == STARTED else 1156, group))
        admin.apply(group, say, given.number("wait", 60))
    for line in lines:
        say(line)


def _select(admin: Administration, group: str, application: str, flow: str) -> list[PlannedFlow]:
    return plan_group(admin.repository, admin.place, group).find(application, flow)


# Reports.


@request("list", changes=False)
def list_(admin: Administration, given: Given, say: Say) -> None:
    """List the groups of the broker, the deployments of a group, or the flows of an application."""
    only, application = given.text("group", ""), given.text("application", "")
    detail, deep = int(given.number("detail", 1)), given.flag("recursive")
    if only:
        admin.group(only)
    for row in admin.repository.groups():
        runs = row.name in admin.running
        if not only:
            say(messages.line(1286 if runs else 1287, row.name, admin.place.name))
            if detail > 1:
                say(f"  uuid: {row.uuid}  created: {row.created}  {_workers(admin, row.name)}".rstrip())
        if deep or row.name == only:
            _list_group(admin, row.name, application, detail, deep, say)


def _workers(admin: Administration, group: str) -> str:
    running = admin.running.get(group)
    if running is None:
        return ""
    pids = ", ".join(str(worker.pid) for worker in running.workers)
    return f"processes: {pids}  restarts: {running.restarts}"


def _list_group(admin: Administration, group: str, application: str, detail: int, deep: bool, say: Say) -> None:
    rows = admin.repository.deployed(group)
    if application and all(row.application != application for row in rows):
        raise Refused(8022, group, "application", application)
    plan = admin.plan(group)
    runs = admin.running.get(group)
    status = _Status(runs.status() if runs is not None else [], runs is not None)
    for row in sorted(rows, key=lambda row: row.application):
        if application and row.application != application:
            continue
        flows = plan.find(row.application, "")
        plain = row.kind == Kind.PLAIN
        if not flows:
            say(messages.line(1299, row.application, group, row.kind.capitalize()))
        elif not plain:
            number = 1275 if status.runs and row.state == STARTED else 1276
            say(messages.line(number, row.application, group))
        if detail > 1:
            say(f"  deployed: {row.deployed_at} UTC by {row.deployed_by}  from: {row.file}  content: {row.digest[:12]}")
        if deep or plain or application:
            for flow in flows:
                _list_flow(flow, group, row, detail, status, say)


class _Status:
    """The state of the flows of a group as its workers tell it."""

    def __init__(self, workers: Iterable[Mapping[str, Any]], runs: bool) -> None:
        self.runs = runs
        self.problems: dict[str, list[str]] = {}
        self.instances: dict[str, list[dict[str, object]]] = {}
        for worker in workers:
            self.problems.update(worker.get("problems", {}))
            for each in worker.get("instances", []):
                self.instances.setdefault(f"{each['application']}/{each['flow']}", []).append(each)


def _list_flow(flow: PlannedFlow, group: str, row: DeployedRow, detail: int, status: _Status, say: Say) -> None:
    """List one flow, with its problems, and with its instances if details are asked for."""
    problems = status.problems.get(flow.flow) if flow.state == STARTED else None
    works = status.runs and flow.state == STARTED and problems is None
    if row.kind == Kind.PLAIN:
        number = 1288 if works else 1289
    else:
        number = 1277 if works else 1278
    why = f" {'; '.join(problems)}" if problems is not None else ""
    say(messages.line(number, flow.flow, group, row.application) + why)
    if detail > 1:
        say(f"  startMode: {flow.start_mode}  instances: {flow.plan.instances}")
        for instance in status.instances.get(f"{flow.application}/{flow.flow}", []):
            text = "  {node}: {state} on {queue}, {messages} messages, {failures} failures {problem}"
            say(text.format(**instance).rstrip())


@request("reload")
def reload(admin: Administration, given: Given, say: Say) -> None:
    """Make groups that run follow the repository again."""
    wanted = given.text("group", "")
    for row in [admin.group(wanted)] if wanted else admin.repository.groups():
        admin.apply(row.name, say)
