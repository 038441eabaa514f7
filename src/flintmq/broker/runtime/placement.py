"""Which worker of an execution group runs which instance of which flow.

A thread of Python cannot use a second core, so instances that may run side by side are spread over worker processes
(R1). A flow stays in the first worker, all of its instances, if its parts must meet in one process:

    SHARED variables of ESQL                      every instance sees the writes of the others
    HTTPInput, SOAPInput, their reply nodes       the client's socket is there
    timers, aggregations, collectors, callables   their state is (state_queue.py), and who waits for an answer
    FileInput                                     two processes would take the same file
    orderMode, batches of messages, browsing      instances wait for each other (ordering.py, batch.py)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from flintmq.broker.esql.lexer import Source, tokenise
from flintmq.broker.flow.application import Application
from flintmq.broker.flow.function import LoadedApplications
from flintmq.broker.flow.model import FlowDefinition
from flintmq.broker.flow.resolve import ResolvedFlow
from flintmq.broker.flow.surroundings import CALLABLE_TYPES, RESPONSE_TYPES, TIMED_TYPES
from flintmq.broker.runtime.worker import FlowAssignment

INSTANCES_MAX: Final = 256
_TOGETHER: Final = frozenset(
    (
        *CALLABLE_TYPES,
        *RESPONSE_TYPES,
        *TIMED_TYPES,
        "ComIbmTimeoutControl.msgnode",
        "ComIbmAggregateControl.msgnode",
        "ComIbmAggregateRequest.msgnode",
        "ComIbmGroupScatter.msgnode",
        "ComIbmGroupGather.msgnode",
        "ComIbmCallableFlowInvoke.msgnode",
        "ComIbmCallableFlowReply.msgnode",
        "ComIbmWSInput.msgnode",
        "ComIbmWSReply.msgnode",
        "ComIbmSOAPInput.msgnode",
        "ComIbmSOAPReply.msgnode",
        "ComIbmFileInput.msgnode",
    )
)


@dataclass(frozen=True, slots=True)
class FlowPlan:
    """A flow of an execution group."""

    application: str
    flow: str
    instances: int = 1
    #: Whether all instances must be in the first worker.
    together: bool = False


def instances_of(resolved: ResolvedFlow) -> int:
    """Return how many instances a flow asks for: one, and `additionalInstances` of the flow or of an input node."""
    asked = [str(resolved.settings.get("additionalInstances") or "0")]
    asked += [node.properties.get("additionalInstances", "0") or "0" for node in resolved.nodes()]
    extra = max((int(text) for text in asked if text.strip().isdigit()), default=0)
    return 1 + min(extra, INSTANCES_MAX - 1)


def plan_of(loaded: LoadedApplications, owner: Application, definition: FlowDefinition) -> FlowPlan:
    """Return the plan of a deployed flow."""
    resolved = loaded.project.resolve(definition, loaded.overrides, loaded.variables)
    together = (
        any(node.definition.type in _TOGETHER or _is_ordered(node.properties) for node in resolved.nodes())
        or _whole(resolved.settings.get("commitCount")) > 1
        or shares_variables(loaded, owner)
    )
    return FlowPlan(owner.name, definition.qualified_name, instances_of(resolved), together)


def _is_ordered(properties: Mapping[str, str]) -> bool:
    """Return whether the instances of a node have to know of each other."""
    return (
        properties.get("orderMode", "default").lower() not in ("", "default")
        or properties.get("browse", "false") == "true"
        or properties.get("commitByMessageGroup", "false") == "true"
    )


def _whole(text: object) -> int:
    written = str(text or "").strip()
    return int(written) if written.isdigit() else 0


def shares_variables(loaded: LoadedApplications, owner: Application) -> bool:
    """Return whether ESQL that an application sees declares SHARED variables."""
    return any(
        token.symbol == "SHARED"
        for application in loaded.project.scope(owner).applications()
        for source in application.esql
        if "SHARED" in source.text.upper()
        for token in tokenise(Source(source.text, source.file))
    )


def place(
    flows: Iterable[FlowPlan], workers_max: int, before: list[list[FlowAssignment]] | None = None
) -> list[list[FlowAssignment]]:
    """Return the assignments of each worker. Instances go to the worker that has fewest; the first always exists.

    Instances stay where they are in `before`, unless their worker would then have more than its share.
    """
    plans = list(flows)
    apart = sum(plan.instances for plan in plans if not plan.together)
    together = any(plan.together for plan in plans)
    count = max(1, min(workers_max, apart + together))
    counts: list[dict[tuple[str, str], int]] = [{} for _ in range(count)]
    load = [0] * count
    for plan in plans:
        if plan.together:
            counts[0][plan.application, plan.flow] = plan.instances
            load[0] += plan.instances
    left = {(plan.application, plan.flow): plan.instances for plan in plans if not plan.together}
    share = -(-sum(plan.instances for plan in plans) // count)
    for target, each in enumerate((before or [])[:count]):
        for assigned in each:
            key = (assigned.application, assigned.flow)
            kept = min(assigned.instances, left.get(key, 0), max(0, share - load[target]))
            if kept:
                counts[target][key] = kept
                load[target] += kept
                left[key] -= kept
    for key, number in left.items():
        for _ in range(number):
            target = load.index(min(load))
            counts[target][key] = counts[target].get(key, 0) + 1
            load[target] += 1
    return [[FlowAssignment(*key, number) for key, number in each.items()] for each in counts]
