"""The requests of statistics, monitoring events and user trace.

    section      object               settings
    statistics   "" (the group)       settings: all rules, as one text (statistics/settings.py)
    trace        "" or a flow         level, size_kb
    monitoring   "" or a flow         active, profile (XML), profile_name, sources (address to switch)

A flow is `Application/Flow`. Rules of statistics for all flows hold for flows that are deployed later, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flintmq.broker.admin import messages
from flintmq.broker.admin.administration import Administration, Given, Say, request
from flintmq.broker.admin.plan import PlannedFlow, plan_group
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.runtime.monitoring.profile import (
    PROFILE_MAX,
    BadProfile,
    EventSource,
    addresses,
    event_sources,
    profile_text,
    read_profile,
)
from flintmq.broker.runtime.statistics.settings import (
    ARCHIVE_MINUTES_MAX,
    ARCHIVE_MINUTES_MIN,
    STREAMS,
    BadSetting,
    Rule,
    StatisticsSettings,
)
from flintmq.broker.runtime.user_trace import LEVELS, trace_path

_SIZE_KB_MAX = 1 << 21


def _groups(admin: Administration, given: Given) -> list[str]:
    """Return the groups that a request means: one, or all."""
    if given.flag("all_groups"):
        return [row.name for row in admin.repository.groups()]
    return [admin.group(given.text("group")).name]


def _flows(admin: Administration, group: str, given: Given) -> list[PlannedFlow]:
    """Return the flows that a request means. Raise Refused if it names one that is not deployed."""
    application, flow = given.text("application", ""), given.text("flow", "")
    found = plan_group(admin.repository, admin.place, group).find(application, flow)
    if (flow or application) and not found:
        raise Refused(8022, group, "message flow" if flow else "application", flow or application)
    return found


# Statistics.


def _statistics(admin: Administration, group: str) -> StatisticsSettings:
    text = admin.repository.settings("statistics", group).get("", {}).get("settings")
    return StatisticsSettings.unpacked(json.loads(text) if text else None)


@request("change statistics")
def change_statistics(admin: Administration, given: Given, say: Say) -> None:
    """Change the statistics settings of flows; with `reset` end the archive interval now."""
    stream = given.text("stream")
    if stream not in STREAMS:
        raise Refused(8001, f"a stream of statistics is {' or '.join(STREAMS)}, not {stream!r}")
    options: dict[str, Any] = {name: value for name, value in given.values("options").items() if value is not None}
    for name in ("active", "threads", "origin"):
        if name in options:
            options[name] = options[name] in ("active", "basic")
    if "outputs" in options:
        options["outputs"] = tuple(options["outputs"].split(","))
    groups = _groups(admin, given)
    named = given.text("flow", "") or given.text("application", "")
    made: dict[str, StatisticsSettings] = {}
    for group in groups:
        settings = made[group] = _statistics(admin, group)
        targets = [(each.application, each.flow) for each in _flows(admin, group, given)] if named else [("", "")]
        try:
            for application, flow in targets:
                settings.change(stream, application, flow, **options)
        except (BadSetting, TypeError) as error:
            raise Refused(8001, str(error)) from None
    for group, settings in made.items():
        admin.repository.change_settings("statistics", "", {"settings": settings.text()}, group)
        running = admin.running.get(group)
        if given.flag("reset") and running is not None and running.statistics.collector is not None:
            running.statistics.collector.collect([stream], "StatsSettingsModified")
        admin.apply(group, say)


@request("change statistics interval")
def change_statistics_interval(admin: Administration, given: Given, say: Say) -> None:
    """Change the archive interval of all groups, in minutes."""
    minutes = given.number("minutes", 0)
    if not ARCHIVE_MINUTES_MIN <= minutes <= ARCHIVE_MINUTES_MAX:
        raise Refused(8001, f"an archive interval has {ARCHIVE_MINUTES_MIN} to {ARCHIVE_MINUTES_MAX} minutes")
    for row in admin.repository.groups():
        settings = _statistics(admin, row.name)
        settings.archive_minutes = minutes
        admin.repository.change_settings("statistics", "", {"settings": settings.text()}, row.name)
        admin.apply(row.name, say)


@request("report statistics", changes=False)
def report_statistics(admin: Administration, given: Given, say: Say) -> None:
    """Report the statistics settings of each flow."""
    streams = [given.text("stream")] if given.text("stream", "") else list(STREAMS)
    for group in _groups(admin, given):
        settings = _statistics(admin, group)
        for flow in _flows(admin, group, given):
            for stream in streams:
                rule = settings.rule(stream, flow.application, flow.flow)
                say(messages.line(8187, stream, flow.flow, group, _rule_text(rule)))
        say(messages.line(8188, group, f"{settings.snapshot_s:g}", f"{settings.archive_minutes:g}"))


def _rule_text(rule: Rule) -> str:
    return (
        f"On?: {'active' if rule.active else 'inactive'}, ThreadDataLevel: {'basic' if rule.threads else 'none'}, "
        f"NodeDataLevel: {rule.nodes}, OutputFormat: {','.join(rule.outputs)}, "
        f"AccountingOrigin: {'basic' if rule.origin else 'none'}"
    )


# User trace.


@request("change trace")
def change_trace(admin: Administration, given: Given, say: Say) -> None:
    """Change the level of the user trace of a group or a flow; with `reset` empty its file first."""
    group = admin.group(given.text("group")).name
    level, size = given.text("level", ""), given.number("size", 0)
    if level and level not in LEVELS:
        raise Refused(8001, f"a level of the user trace is {', '.join(LEVELS)}, not {level!r}")
    if size and not 1 <= size <= _SIZE_KB_MAX:
        raise Refused(8001, f"the size of a trace has 1 to {_SIZE_KB_MAX} KB")
    objects = [_object(each) for each in _flows(admin, group, given)] if given.text("flow", "") else [""]
    if given.flag("reset"):
        path = trace_path(str(admin.place.log.parent), admin.place.name, group)
        for each in (path, path.with_name(path.name + ".1")):
            each.unlink(missing_ok=True)
    values: dict[str, str | None] = {"level": level or None, "size_kb": str(int(size)) if size else None}
    for name in objects:
        admin.repository.change_settings(
            "trace", name, {key: value for key, value in values.items() if value is not None}, group
        )
    admin.apply(group, say)


@request("report trace", changes=False)
def report_trace(admin: Administration, given: Given, say: Say) -> None:
    """Report the level of the user trace of a group, and of flows with a level of their own."""
    group = admin.group(given.text("group")).name
    path = trace_path(str(admin.place.log.parent), admin.place.name, group)
    found = admin.repository.settings("trace", group)
    for name in sorted({"", *found}):
        each = {**found.get("", {}), **found.get(name, {})}
        where = f"message flow {name}" if name else f"execution group {group}"
        say(messages.line(8098, f"Trace level: {each.get('level', 'none')}, {where}, file: {path}"))


def _object(flow: PlannedFlow) -> str:
    return f"{flow.application}/{flow.flow}"


# Monitoring events.


@request("change monitoring")
def change_monitoring(admin: Administration, given: Given, say: Say) -> None:
    """Switch monitoring events of flows on or off, give them a profile, or switch single events."""
    state, switch = given.text("state", ""), given.text("switch", "")
    if state not in ("", "active", "inactive") or switch not in ("", "enable", "disable"):
        raise Refused(8001, "the state is active or inactive, that of events enable or disable")
    values: dict[str, str | None] = {"active": str(state == "active").lower()} if state else {}
    profile = given.text("profile", "")
    if profile:
        values |= {"profile": _profile_of(profile), "profile_name": Path(profile).name}
    if given.flag("no_profile"):
        values |= {"profile": None, "profile_name": None}
    wanted = given.texts("addresses")
    group = admin.group(given.text("group")).name
    flows = _flows(admin, group, given)
    before = admin.repository.settings("monitoring", group)
    changes = {}
    for flow in flows:
        own = dict(values)
        if wanted:
            own["sources"] = _switched(flow, wanted, switch == "enable", before.get(_object(flow), {}).get("sources"))
        changes[_object(flow)] = own
    for name, own in changes.items():
        admin.repository.change_settings("monitoring", name, own, group)
    admin.apply(group, say)


def _profile_of(path: str) -> str:
    """Return a profile from a file. Raise Refused if it is wrong."""
    try:
        file = Path(path)
        if file.exists() and not file.is_file():
            raise BadProfile("is no regular file")
        with file.open("rb") as opened:
            text = opened.read(PROFILE_MAX + 1)
        read_profile(text)
        return text.decode("utf-8")
    except (OSError, BadProfile, UnicodeDecodeError) as error:
        raise Refused(8001, f"the monitoring profile {path}: {error}") from None


def _switched(flow: PlannedFlow, wanted: list[str], enabled: bool, before: str | None) -> str:
    known = addresses(_runtime(flow))
    for address in wanted:
        if address not in known:
            raise Refused(8914, address, flow.flow)
    switched: dict[str, bool] = json.loads(before) if before else {}
    return json.dumps({**switched, **dict.fromkeys(wanted, enabled)})


def _runtime(flow: PlannedFlow) -> RuntimeFlow:
    return RuntimeFlow(flow.resolved, flow.applications.settings(flow.owner), flow.owner.name)


@request("report monitoring", changes=False)
def report_monitoring(admin: Administration, given: Given, say: Say) -> None:
    """Report the enabled events of flows; with `every` all possible events; with `export` as a profile."""
    group = admin.group(given.text("group")).name
    found = admin.repository.settings("monitoring", group)
    for flow in _flows(admin, group, given):
        own = {**found.get("", {}), **found.get(_object(flow), {})}
        runtime = _runtime(flow)
        try:
            sources = {each.address: each for each in event_sources(runtime, own.get("profile", ""))}
        except BadProfile as error:
            raise Refused(8001, f"{flow.flow}: {error}") from None
        for address, enabled in json.loads(own.get("sources") or "{}").items():
            sources.setdefault(address, EventSource(address)).enabled = enabled
        if given.flag("export"):
            every = [sources.get(each) or EventSource(each, False) for each in addresses(runtime)]
            say(profile_text(every if given.flag("every") else sources.values()).decode())
            continue
        state = "active" if own.get("active") == "true" else "inactive"
        say(messages.line(8911, flow.flow, group, state, own.get("profile_name", "")))
        if given.flag("every"):
            for address in addresses(runtime):
                sources.setdefault(address, EventSource(address, False))
        if given.flag("events") or given.flag("every"):
            for address, each in sources.items():
                say(messages.line(8912, address, each.name or address, str(each.enabled).lower()))
