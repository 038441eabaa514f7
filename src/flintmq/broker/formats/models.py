"""Message models of an application by name: message sets for MRM, schemas for DFDL and XMLNSC.

`Context.models` is `ModelRegistry.get`: a format asks for a message set or library by the name that Properties or PARSE
gives, and gets the model, read on the first call. A name that is not there is None; the format says which name it
missed.

    messageSet.mset, .mxsd    a message set project; its name is that of the folder, or the identifier in the file
    Orders.mset.yaml          a message set in one file (`model_yaml.py`); its name is Orders, or the identifier
    .xsd                      schemas of a library
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flintmq.broker.flow.application import Application
    from flintmq.broker.formats.message_set import MessageSet

YAML_SUFFIX: Final = ".mset.yaml"
#: What MQRFH2 headers and Properties of old flows name a message set by.
_IDENTIFIER: Final = re.compile(r"[A-Z0-9]{13}")


class ModelRegistry:
    """Models of an application and its libraries."""

    def __init__(self, applications: Sequence[Application]) -> None:
        self._applications = applications
        self._models: dict[str, object] = {}

    def get(self, name: str) -> object:
        """Return a model by the name of its message set or library (`{Library}` is understood), or None."""
        key = name.strip().strip("{}")
        if key not in self._models:
            self._models[key] = self._read(key)
        return self._models[key]

    def _read(self, name: str) -> object:
        sets = self._message_sets()
        for key, read in sets:
            if not name or name in (key, key.rpartition("/")[2]):
                return read()
        if _IDENTIFIER.fullmatch(name):
            for _, read in sets:
                found = read()
                if found.identifier == name:
                    return found
        # Schemas import those of other projects as files beside their own project, `../Common/Formats.xsd`. The
        # schemas of the library that is named come first: the first element with a name is the one that is found.
        schemas = {
            f"{application.name}/{each.path}": each.read
            for application in sorted(self._applications, key=lambda each: each.name != name)
            for each in application.schemas
        }
        if not schemas:
            return None
        from flintmq.broker.formats.dfdl import SchemaSet

        return SchemaSet(schemas)

    def _message_sets(self) -> list[tuple[str, Callable[[], MessageSet]]]:
        """Return the message sets of all applications: their paths without suffix, and how to read them."""
        found: list[tuple[str, Callable[[], MessageSet]]] = []
        for application in self._applications:
            for folder, resources in application.message_sets().items():
                found.append((folder, partial(_read_project, {each.path: each.read for each in resources}, folder)))
            for each in application.by_suffix(YAML_SUFFIX):
                found.append((each.path[: -len(YAML_SUFFIX)], partial(_read_yaml, each.read, each.path)))
        return found


def _read_project(files: Mapping[str, Callable[[], bytes]], folder: str) -> MessageSet:
    from flintmq.broker.formats.mset import read_message_set

    return read_message_set(files, folder)


def _read_yaml(read: Callable[[], bytes], path: str) -> MessageSet:
    from flintmq.broker.formats.model_yaml import from_yaml

    return from_yaml(read(), path)
