"""Requests about properties: of the broker, of groups, data sources, policies, and deployed flows.

    object             group   properties
    QueueManager               name, and how it is reached: connection.py
    DataSource/NAME            keys of a data source: url, user, passwordFile, ...; a password in the URL is not shown
    ExecutionGroup     yes     workers, queueHandles
    ComIbmMQConnectionManager  yes  queueCacheMaxSize: another name of queueHandles
    HTTPConnector      yes     address, port
    {Project}:Policy   yes     properties of a policy that is deployed
    Flow               yes     user-defined and promoted properties, and those of a flow (additionalInstances ...)
    Flow#Node          yes     properties of a node; nodes of subflows as in overrides: Flow#Sub.Node

A change is checked, written to the repository, and applied to the group while it runs: flows whose properties are
different afterwards finish their messages and go on with the new values, the others do not notice.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.admin import connection
from flintmq.broker.admin.administration import FIRST_HTTP_PORT, Administration, Given, Say, request, typed
from flintmq.broker.admin.plan import GroupPlan, PlannedFlow, plan_group
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.deployment import FLOW_PROPERTIES
from flintmq.broker.runtime.data_sources import read_settings
from flintmq.broker.runtime.queue_session import CACHE_SIZE

#: Properties of the objects of a group, with the largest value of a number; None is text.
GROUP_OBJECTS: Final[dict[str, dict[str, int | None]]] = {
    "ExecutionGroup": {"workers": 256, "queueHandles": 500},
    "HTTPConnector": {"address": None, "port": 65535},
    "Metrics": {"address": None, "port": 65535},
}
#: Objects of a group that stand for properties of others: object, property, the object and property that are meant.
ALIASES: Final = {"ComIbmMQConnectionManager": {"queueCacheMaxSize": ("ExecutionGroup", "queueHandles")}}
_SOURCE: Final = "DataSource/"
HIDDEN: Final = "********"


@request("change properties")
def change_properties(admin: Administration, given: Given, say: Say) -> None:
    """Change properties of one object."""
    group, name, values = given.text("group", ""), given.text("object"), given.values("values")
    if not values and not given.flag("delete"):
        raise Refused(8001, "no property was named")
    if group:
        admin.group(group)
        _change_in_group(admin, group, given, name, values, say)
        return
    if name == "QueueManager":
        _change_connection(admin, values)
    elif name.startswith(_SOURCE):
        _change_source(admin, name.removeprefix(_SOURCE), values, given.flag("delete"))
    else:
        raise Refused(8001, f"{name} is no object of a broker; objects of an execution group need -e")
    for each in list(admin.running):
        admin.apply(each, say)


def _change_connection(admin: Administration, values: dict[str, str | None]) -> None:
    name = values.pop("name", None)
    merged = {**admin.repository.settings("property").get("QueueManager", {}), **values}
    connection.check(admin.place.name, {key: value or "" for key, value in merged.items()})
    if name:
        admin.repository.set_queue_manager(name)
    admin.repository.change_settings("property", "QueueManager", values)


def _change_source(admin: Administration, source: str, values: dict[str, str | None], remove: bool) -> None:
    there = admin.repository.settings("datasource").get(source, {})
    if remove:
        if not there:
            raise Refused(8023, f"Broker {admin.place.name}", f"{_SOURCE}{source}")
        admin.repository.drop_settings("datasource", source)
        return
    merged = {key: value for key, value in {**there, **values}.items() if value is not None}
    try:
        read_settings({source: {key: typed(key, value) for key, value in merged.items()}})
    except BrokerError as error:
        raise Refused(8001, error.root_cause().text) from None
    admin.repository.change_settings("datasource", source, values)


def _change_in_group(
    admin: Administration, group: str, given: Given, name: str, values: dict[str, str | None], say: Say
) -> None:
    if name in ALIASES:
        name, values = _meant(name, values)
    if name in GROUP_OBJECTS:
        _check_numbers(name, values)
        admin.repository.change_settings("property", name, values, group)
    elif name.startswith("{"):
        plan = plan_group(admin.repository, admin.place, group)
        policy = plan.policies.get(name)
        if policy is None:
            raise Refused(8022, group, "policy", name)
        admin.repository.change_settings("policy", name, values, group)
    else:
        _change_flow(admin, group, given, name, values)
    admin.apply(group, say)


def _meant(name: str, values: dict[str, str | None]) -> tuple[str, dict[str, str | None]]:
    """Return the object and the properties that an alias stands for."""
    known = ALIASES[name]
    for key in values:
        if key not in known:
            raise Refused(8023, name, key)
    ((meant, _), *_) = known.values()
    return meant, {known[key][1]: value for key, value in values.items()}


def _check_numbers(name: str, values: dict[str, str | None]) -> None:
    for key, value in values.items():
        if key not in GROUP_OBJECTS[name]:
            raise Refused(8023, name, key)
        most = GROUP_OBJECTS[name][key]
        if value is not None and most is not None and not (value.isdigit() and len(value) < 9 and int(value) <= most):
            raise Refused(8001, f"{name}: {key} is a number from 0 to {most}, not {value!r}")


def _change_flow(admin: Administration, group: str, given: Given, name: str, values: dict[str, str | None]) -> None:
    plan, flow, node = _flow_of(admin, group, given.text("application", ""), name)
    owner, applications = flow.owner, flow.applications
    changes: dict[str, str | None] = {}
    for key, value in values.items():
        uri = f"{flow.flow}#{node}.{key}" if node else f"{flow.flow}#{key}"
        if not any(applications.project.addresses(uri, each.path) for each in (owner,)):
            raise Refused(8023, name, key)
        changes[uri] = value
    admin.repository.change_settings("override", flow.application, changes, group)


def _flow_of(admin: Administration, group: str, application: str, name: str) -> tuple[GroupPlan, PlannedFlow, str]:
    """Return the flow that an object names, and the label of its node."""
    wanted, _, node = name.partition("#")
    plan = plan_group(admin.repository, admin.place, group)
    found = plan.find(application, wanted)
    if not found:
        raise Refused(8022, group, "message flow", wanted)
    if len(found) > 1:
        raise Refused(8001, f"several applications have the flow {wanted}: name one with -k")
    return plan, found[0], node


@request("report properties", changes=False)
def report_properties(admin: Administration, given: Given, say: Say) -> None:
    """Report the properties of one object: its name, then one property per line."""
    group, name, only = given.text("group", ""), given.text("object"), given.texts("names")
    values = _report_group(admin, group, given, name) if group else _report_broker(admin, name)
    for key in only:
        if key not in values:
            raise Refused(8023, name, key)
    say(name)
    for key, value in values.items():
        if not only or key in only:
            say(f"  {key}='{value}'")


def _report_broker(admin: Administration, name: str) -> dict[str, str]:
    if name == "QueueManager":
        return {"name": admin.broker().queue_manager, **admin.repository.settings("property").get(name, {})}
    if name == "DataSource":
        return {each: shown(values).get("url", "") for each, values in admin.repository.settings("datasource").items()}
    if name.startswith(_SOURCE):
        found = admin.repository.settings("datasource").get(name.removeprefix(_SOURCE))
        if found is None:
            raise Refused(8023, f"Broker {admin.place.name}", name)
        return shown(found)
    raise Refused(8001, f"{name} is no object of a broker; objects of an execution group need -e")


def shown(values: dict[str, str]) -> dict[str, str]:
    """Return the settings of a data source without its password."""
    found = dict(values)
    if "url" in found:
        (settings,) = read_settings({"x": {"url": found["url"]}}).values()
        url = settings.url
        # Drivers take passwords from the query as well.
        query = {key: HIDDEN if "pass" in key.lower() else value for key, value in url.query.items()}
        found["url"] = url.set(query=query).render_as_string(hide_password=True)
    return found


def _report_group(admin: Administration, group: str, given: Given, name: str) -> dict[str, str]:
    row = admin.group(group)
    if name in ALIASES:
        return {key: _report_group(admin, group, given, meant)[own] for key, (meant, own) in ALIASES[name].items()}
    if name in GROUP_OBJECTS:
        defaults = {
            "workers": "",
            "queueHandles": str(CACHE_SIZE),
            "address": "127.0.0.1",
            "port": str(FIRST_HTTP_PORT + row.number),
        }
        return {key: admin.property(group, name, key, defaults[key]) for key in GROUP_OBJECTS[name]}
    if name.startswith("{"):
        policy = plan_group(admin.repository, admin.place, group).policies.get(name)
        if policy is None:
            raise Refused(8022, group, "policy", name)
        return {"type": policy.type, **policy.properties}
    _, flow, node = _flow_of(admin, group, given.text("application", ""), name)
    if node:
        found = next((each for each in flow.resolved.nodes() if ".".join(each.labels) == node), None)
        if found is None:
            raise Refused(8022, group, "node", name)
        return dict(found.properties)
    own = {each.name: each.value or "" for each in flow.resolved.root.user_properties().values()}
    promoted = {key: value for key, value in flow.resolved.root.values.items() if key not in own}
    return {**own, **promoted, **{key: flow.resolved.settings.get(key, "") for key in FLOW_PROPERTIES}}
