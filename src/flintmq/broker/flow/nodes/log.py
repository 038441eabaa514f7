"""Log: writes a line about the message to the log of the broker, and sends the message on.

`logMessage` is the text. The table mappingInput names places in the trees, and the map of the node (`requestMap`, JSON)
says under which names they are written: `{"Input": {"expression": "$mappingInput_InputRoot"}}`. An expression that is
more than one of these variables is not evaluated; the line says so.
"""

from __future__ import annotations

import json
from typing import Any

from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Location, namespaces_of, trees_of
from flintmq.broker.flow.patterns import shown
from flintmq.broker.tree.assembly import Assembly

_VARIABLE = "$mappingInput_"


@runs
class Log(RuntimeNode):
    """Log: writes to the log."""

    types = ("ComIbmLog.msgnode",)

    def prepare(self) -> None:
        namespaces = namespaces_of(self.tables.get("nsMappingTable", []))
        places: dict[str, Location] = {}
        for row in self.tables.get("mappingInput", []):
            text = str(row.get("inputLocation", ""))
            try:
                places[str(row.get("inputName", ""))] = Location(text, namespaces)
            except ValueError as error:
                raise NodeProblem(f"{self.label}: mappingInput {text!r} is no path: {error}") from None
        self.parts: list[tuple[str, Location | str]] = []
        for name, expression in _messages(self.tables.get("requestMap", [])):
            place = places.get(expression.removeprefix(_VARIABLE)) if expression.startswith(_VARIABLE) else None
            self.parts.append((name, expression if place is None else place))

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        lines = [f"{self.text('logLevel', 'Info')}: {self.text('logMessage')}"]
        for name, part in self.parts:
            if isinstance(part, Location):
                found = part.find(trees_of(assembly))
                lines.append(f"{name}: {'NULL' if found is None else shown(found)}")
            else:
                lines.append(f"{name}: ({part} is not evaluated)")
        invocation.services.trace(self.label, "log", "", "\n".join(lines))
        self.send("out", invocation, assembly)


def _messages(rows: list[Any]) -> list[tuple[str, str]]:
    """Return names and expressions of the map of a node; none if it cannot be read."""
    found: list[tuple[str, str]] = []
    for row in rows:
        try:
            document = json.loads(str(row.get("map", "")))
        except (ValueError, RecursionError):
            continue
        for outer in _list(document):
            for inner in _list(_dict(outer.get("customMessages"))):
                for name, entry in inner.items():
                    expression = _dict(entry).get("expression")
                    if isinstance(expression, str):
                        found.append((name, expression.strip()))
    return found


def _list(value: object) -> list[dict[str, Any]]:
    """Return the objects in the list `mappings` of an object."""
    mappings = _dict(value).get("mappings")
    return [each for each in mappings if isinstance(each, dict)] if isinstance(mappings, list) else []


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
