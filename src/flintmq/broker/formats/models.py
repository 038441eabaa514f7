"""Message models of an application by name: message sets for MRM, schemas for DFDL and XMLNSC.

`Context.models` is `ModelRegistry.get`: a format asks for a message set or library by the name that Properties or PARSE
gives, and gets the model, read on the first call. A name that is not there is None; the format says which name it
missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flintmq.broker.flow.application import Application


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
        for application in self._applications:
            for folder, resources in application.message_sets().items():
                if not name or folder.rpartition("/")[2] == name or folder == name:
                    from flintmq.broker.formats.mset import read_message_set

                    return read_message_set({each.path: each.read for each in resources}, folder)
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
