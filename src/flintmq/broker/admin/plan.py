"""Plan the assignment of the workers of an execution group from the repository.

    deployed applications   -> sources: unpacked content, the names of its applications, overrides
    policies                -> overrides: of the flow that `wlmPolicy` names one for, of nodes with a `policyUrl`
    states                  -> flows that are started: the group, the application and the flow itself
    startMode               maintained: as it was left; automatic: started with the broker; manual: only by command

A flow of a BAR without applications counts once: where two deployments have it, the later one. Everything is made anew
for each change, so the result does not depend on the order of commands; workers compare it with their running flows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from flintmq.broker.admin.package import unpack
from flintmq.broker.admin.place import Place
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.admin.repository import STARTED, STOPPED, DeployedRow, Repository
from flintmq.broker.flow.application import Application
from flintmq.broker.flow.deployment import FLOW_PROPERTIES
from flintmq.broker.flow.descriptors import Kind, Policy
from flintmq.broker.flow.function import LoadedApplications
from flintmq.broker.flow.model import FlowDefinition, FlowFileError
from flintmq.broker.flow.resolve import ResolvedFlow
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.runtime.placement import FlowPlan, plan_of
from flintmq.broker.runtime.worker_flow import Content

#: Sections of the repository that go to the workers as settings.
WORKER_SECTIONS: Final = ("statistics", "trace", "monitoring")


@dataclass(slots=True)
class PlannedFlow:
    """A flow that is deployed."""

    application: str
    flow: str
    #: Kind of the application: a project without applications is reported without its name.
    kind: str
    state: str
    plan: FlowPlan
    resolved: ResolvedFlow
    applications: LoadedApplications
    owner: Application
    start_mode: str = "maintained"

    def made(self) -> RuntimeFlow:
        """Return the flow as a worker makes it, with the problems that it has. Its ESQL is compiled for that."""
        return RuntimeFlow(self.resolved, self.applications.settings(self.owner), self.owner.name)


@dataclass(slots=True)
class GroupPlan:
    """The assignment of one group."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    flows: list[PlannedFlow] = field(default_factory=list)
    policies: dict[str, Policy] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Errors of content that cannot be loaded, one per line.
    problems: list[str] = field(default_factory=list)

    def started(self) -> list[FlowPlan]:
        """Return the flows that run."""
        return [each.plan for each in self.flows if each.state == STARTED]

    def find(self, application: str, flow: str) -> list[PlannedFlow]:
        """Return the flows with a name; an empty name is that of all."""
        return [
            each
            for each in self.flows
            if application in ("", each.application) and (flow in ("", each.flow) or each.flow.endswith(f".{flow}"))
        ]


def plan_group(
    repository: Repository,
    place: Place,
    group: str,
    rows: list[DeployedRow] | None = None,
    overrides: dict[str, dict[str, str]] | None = None,
    *,
    starting: bool = False,
) -> GroupPlan:
    """Return the plan of a group. `rows` and `overrides` stand for those of the repository while these are not written.

    With `starting`, flows with the startMode automatic are started regardless of their last state.
    """
    plan = GroupPlan()
    deployed = repository.deployed(group) if rows is None else rows
    given = repository.settings("override", group) if overrides is None else overrides
    for section in WORKER_SECTIONS:
        for name, values in repository.settings(section, group).items():
            plan.settings.setdefault(name, {}).update({f"{section}.{key}": value for key, value in values.items()})
    for row in deployed:
        try:
            plan.sources.append(_source(repository, place, row, given.get(row.application, {})))
        except (Refused, OSError, ValueError) as error:
            plan.problems.append(f"{row.application}: {error}")
    try:
        content_of_group = Content(plan.sources)
    except (FlowFileError, OSError) as error:
        plan.problems.append(str(error))
        return plan
    _read_policies(plan, content_of_group, repository.settings("policy", group))
    states = repository.flow_states(group)
    by_name = {row.application: row for row in deployed}
    for source, applications, owner, definition in _deployed_flows(plan, content_of_group):
        row = by_name[owner.name]
        try:
            plan.flows.append(_planned(plan, source, applications, owner, definition, row, states, starting))
        except (FlowFileError, ValueError, RecursionError) as error:
            plan.problems.append(f"{definition.qualified_name}: {error}")
    return plan


def _source(repository: Repository, place: Place, row: DeployedRow, overrides: dict[str, str]) -> dict[str, Any]:
    """Return the description of deployed content for the workers. Unpack the content if its directory is not there."""
    path = place.deployed / row.digest
    if not path.is_dir():
        content = repository.content(row.digest)
        if content is None:
            raise Refused(2087, f"the content of {row.application} is not in the repository")
        unpack(content, place)
    (inside,) = path.iterdir()
    return {"path": str(inside), "applications": [row.application], "overrides": overrides}


def _deployed_flows(
    plan: GroupPlan, content: Content
) -> Iterator[tuple[dict[str, Any], LoadedApplications, Application, FlowDefinition]]:
    """Yield the flows of a group with source and owner. Outside applications the first flow of each name counts."""
    seen: set[str] = set()
    for source, (names, applications) in zip(plan.sources, content.loaded, strict=True):
        assert names is not None
        for owner in applications.project.applications:
            if owner.name not in names or len(owner.path) > 1 or owner.kind is Kind.TEST:
                continue
            for definition in owner.flows.values():
                if owner.kind is Kind.PLAIN:
                    if definition.qualified_name in seen:
                        continue
                    seen.add(definition.qualified_name)
                yield source, applications, owner, definition


def _planned(
    plan: GroupPlan,
    source: dict[str, Any],
    applications: LoadedApplications,
    owner: Application,
    definition: FlowDefinition,
    row: DeployedRow,
    states: dict[tuple[str, str], str],
    starting: bool,
) -> PlannedFlow:
    resolved = applications.project.resolve(definition, applications.overrides, applications.variables)
    added = dict(_policy_overrides(plan, resolved, definition))
    if added:
        source["overrides"] = {**source["overrides"], **added}
        applications.overrides = list(source["overrides"].items())
        resolved = applications.project.resolve(definition, applications.overrides, applications.variables)
    name = definition.qualified_name
    mode = resolved.settings.get("startMode", "maintained")
    state = states.get((owner.name, name), STOPPED if mode == "manual" else STARTED)
    if mode == "automatic" and starting:
        state = STARTED
    elif mode == "manual" and starting:
        state = STOPPED
    if row.state != STARTED:
        state = STOPPED
    planned = plan_of(applications, owner, definition)
    return PlannedFlow(owner.name, name, str(owner.kind), state, planned, resolved, applications, owner, mode)


def _read_policies(plan: GroupPlan, content: Content, changed: dict[str, dict[str, str]]) -> None:
    """Collect the policies of a group, with the values that were changed since."""
    for _, applications in content.loaded:
        for application in applications.project.applications:
            for policy in application.policies:
                plan.policies.setdefault(f"{{{policy.project}}}:{policy.name}", policy)
    for reference, values in changed.items():
        if reference in plan.policies:
            plan.policies[reference].properties.update(values)


def find_policy(policies: dict[str, Policy], reference: str) -> Policy | None:
    """Return the policy that `{Project}:Name` or a bare name refers to."""
    if reference in policies:
        return policies[reference]
    return next((each for each in policies.values() if each.name == reference), None)


def _policy_overrides(plan: GroupPlan, resolved: ResolvedFlow, definition: FlowDefinition) -> Iterator[tuple[str, str]]:
    """Yield the overrides that policies mean for a flow."""
    name = definition.qualified_name
    reference = resolved.settings.get("wlmPolicy", "")
    if reference:
        for key, value in _properties_of(plan, reference, name):
            if key in FLOW_PROPERTIES and value:
                yield f"{name}#{key}", value
    for node in resolved.nodes():
        reference = node.properties.get("policyUrl", "")
        if reference:
            where = f"{name}#{'.'.join(node.labels)}"
            for key, value in _properties_of(plan, reference, node.label):
                if key in node.properties and key != "policyUrl" and value:
                    yield f"{where}.{key}", value


def _properties_of(plan: GroupPlan, reference: str, user: str) -> list[tuple[str, str]]:
    policy = find_policy(plan.policies, reference)
    if policy is None:
        problem = f"{user}: the policy {reference} is not deployed"
        if problem not in plan.problems:
            plan.problems.append(problem)
        return []
    return list(policy.properties.items())
