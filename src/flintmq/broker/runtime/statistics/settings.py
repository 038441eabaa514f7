"""Settings of statistics: rules per stream and flow.

A rule is for one flow, or for all flows that have no rule of their own. An option that a change does not name keeps its
value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, TypeAlias

#: Settings of an assignment: "" is the group, "Application/Flow" a flow.
Settings: TypeAlias = dict[str, dict[str, Any]]
#: The setting of a group that holds all rules.
SETTING: Final = "statistics.settings"
#: Where the metrics of a group are served: a port (0: any that is free), and an address if not the loopback.
METRICS_PORT: Final = "metrics.port"
METRICS_ADDRESS: Final = "metrics.address"
SNAPSHOT: Final = "SnapShot"
ARCHIVE: Final = "Archive"
STREAMS: Final = (SNAPSHOT, ARCHIVE)
NODE_LEVELS: Final = ("none", "basic", "advanced")
OUTPUTS: Final = ("usertrace", "xml", "json", "csv", "smf")
#: Seconds between snapshots.
SNAPSHOT_S: Final = 20.0
#: Minutes of an archive interval: default and limits.
ARCHIVE_MINUTES: Final = 60
ARCHIVE_MINUTES_MIN: Final = 1
ARCHIVE_MINUTES_MAX: Final = 43200
#: The rule of flows that have none.
ALL_FLOWS: Final = ("", "")


class BadSetting(ValueError):
    """A setting of statistics is invalid; the text names it and its valid values."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Collection options of one stream of a flow. Names of options are those of `mqsichangeflowstats`."""

    active: bool = False
    #: none, basic: nodes; advanced: nodes and terminals.
    nodes: str = "none"
    threads: bool = False
    #: Records per accounting origin.
    origin: bool = False
    outputs: tuple[str, ...] = ("usertrace",)

    def __post_init__(self) -> None:
        if self.nodes not in NODE_LEVELS:
            raise BadSetting(f"node statistics are {', '.join(NODE_LEVELS)}, not {self.nodes!r}")
        wrong = [name for name in self.outputs if name not in OUTPUTS]
        if wrong or not self.outputs:
            raise BadSetting(f"output formats are {', '.join(OUTPUTS)}, not {','.join(wrong) or 'none'!r}")


@dataclass(slots=True)
class StatisticsSettings:
    """The rules of one execution group."""

    #: Stream to rules by (application, flow).
    rules: dict[str, dict[tuple[str, str], Rule]] = field(default_factory=lambda: {stream: {} for stream in STREAMS})
    snapshot_s: float = SNAPSHOT_S
    archive_minutes: float = ARCHIVE_MINUTES

    @property
    def is_active(self) -> bool:
        """Return whether any rule is active."""
        return any(rule.active for rules in self.rules.values() for rule in rules.values())

    def rule(self, stream: str, application: str, flow: str) -> Rule:
        """Return the rule of a flow."""
        rules = self.rules[stream]
        return rules.get((application, flow)) or rules.get(("", flow)) or rules.get(ALL_FLOWS) or Rule()

    def change(self, stream: str, application: str = "", flow: str = "", **options: Any) -> None:
        """Change options of one flow, or of all flows: then those of flows with a rule of their own, too."""
        if stream not in STREAMS:
            raise BadSetting(f"a stream of statistics is {' or '.join(STREAMS)}, not {stream!r}")
        rules = self.rules[stream]
        if "outputs" in options:
            options["outputs"] = tuple(options["outputs"])
        if (application, flow) == ALL_FLOWS:
            for key, each in rules.items():
                rules[key] = replace(each, **options)
        rules[application, flow] = replace(self.rule(stream, application, flow), **options)

    def level(self, application: str, flow: str) -> Rule:
        """Return the union of the rules of both streams: the counts that a worker must keep."""
        active = [rule for rule in (self.rule(stream, application, flow) for stream in STREAMS) if rule.active]
        return Rule(
            bool(active),
            max((rule.nodes for rule in active), key=NODE_LEVELS.index, default="none"),
            any(rule.threads for rule in active),
            any(rule.origin for rule in active),
        )

    def packed(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        rules = {
            stream: [
                {"application": application, "flow": flow, **asdict(rule)} for (application, flow), rule in each.items()
            ]
            for stream, each in self.rules.items()
        }
        return {"rules": rules, "snapshot_s": self.snapshot_s, "archive_minutes": self.archive_minutes}

    def text(self) -> str:
        """Return the settings as text, for the settings of an assignment."""
        return json.dumps(self.packed())

    @classmethod
    def unpacked(cls, given: Mapping[str, Any] | None) -> StatisticsSettings:
        """Return settings that were packed; without any, nothing is collected. Raise BadSetting."""
        made = cls()
        if not given:
            return made
        known = {each.name for each in fields(Rule)}
        try:
            made.snapshot_s = float(given.get("snapshot_s", SNAPSHOT_S))
            made.archive_minutes = float(given.get("archive_minutes", ARCHIVE_MINUTES))
            for stream, rules in given.get("rules", {}).items():
                for each in rules:
                    options = {name: value for name, value in each.items() if name in known}
                    options["outputs"] = tuple(options.get("outputs", ("usertrace",)))
                    made.rules[stream][each["application"], each["flow"]] = Rule(**options)
        except (TypeError, KeyError, AttributeError) as error:
            raise BadSetting(f"settings of statistics cannot be read: {error}") from None
        if made.snapshot_s <= 0 or made.archive_minutes <= 0:
            raise BadSetting("intervals of statistics are longer than 0")
        return made


def settings_of_group(settings: Settings) -> StatisticsSettings:
    """Return the statistics among the settings of an assignment. Raise BadSetting."""
    text = settings.get("", {}).get(SETTING)
    try:
        return StatisticsSettings.unpacked(json.loads(text) if text else None)
    except ValueError as error:
        raise BadSetting(f"settings of statistics cannot be read: {error}") from None


def level_of(settings: Settings, statistics: StatisticsSettings, application: str, flow: str) -> Rule:
    """Return the counts that a worker keeps of a flow: those of the streams, and nodes if metrics are served."""
    rule = statistics.level(application, flow)
    if settings.get("", {}).get(METRICS_PORT) in (None, ""):
        return rule
    return replace(rule, active=True, nodes="basic" if rule.nodes == "none" else rule.nodes)


def of_options(
    options: list[str], snapshot_s: float = SNAPSHOT_S, archive_minutes: float = ARCHIVE_MINUTES
) -> StatisticsSettings:
    """Return the settings of options such as `snapshot:nodes=advanced,threads=basic,output=json+smf`.

    Raise BadSetting for an option that is wrong.
    """
    made = StatisticsSettings(snapshot_s=snapshot_s, archive_minutes=archive_minutes)
    for text in options:
        stream, _, rest = text.partition(":")
        names = {name.lower(): name for name in STREAMS}
        if stream.lower() not in names:
            raise BadSetting(f"{stream!r} is no stream of statistics; use snapshot or archive")
        given: dict[str, Any] = {"active": True, "outputs": ("json",)}
        for part in filter(None, rest.split(",")):
            name, _, value = part.partition("=")
            if name == "nodes":
                given["nodes"] = value
            elif name in ("threads", "origin"):
                if value not in ("none", "basic"):
                    raise BadSetting(f"{name} is none or basic, not {value!r}")
                given[name] = value == "basic"
            elif name == "output":
                given["outputs"] = tuple(value.split("+"))
            else:
                raise BadSetting(f"{part!r}: use nodes=, threads=, origin= or output=")
        made.change(names[stream.lower()], **given)
    return StatisticsSettings.unpacked(made.packed())
