"""A command that has been understood: its parameters bound to the declarations of model.py, its values checked.

DEFINE QLOCAL(A) LIKE(B) MAXDEPTH(7) REPLACE        DISPLAY QLOCAL(A*) CURDEPTH WHERE(CURDEPTH GT 0)
       kind name options  values      options               kind name   shown    where
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flintmq.catalogue.attribute import Value
from flintmq.command.where import Filter


@dataclass
class Request:
    """The input of a handler."""

    verb: str
    noun: str
    #: The kind of object in the catalogue, "QUEUE" for queues of any kind, "" for commands about something else.
    kind: str
    #: "" when the command was given without a name.
    name: str
    #: Attributes to set: keyword -> value.
    values: dict[str, Value] = field(default_factory=dict)
    #: Parameters of the command itself: LIKE, REPLACE, FORCE, TYPE ...
    options: dict[str, Value] = field(default_factory=dict)
    #: Attributes to show, none when none was named.
    shown: set[str] = field(default_factory=set)
    where: Filter | None = None

    @property
    def command(self) -> str:
        """Return verb and noun for messages: "DEFINE STGCLASS"."""
        return f"{self.verb} {self.noun}"

    @property
    def generic(self) -> bool:
        """Return whether the name denotes more than one object."""
        return not self.name or self.name.endswith("*")

    def option(self, keyword: str, default: str = "") -> str:
        """Return the value of an option as text."""
        return str(self.options.get(keyword, default))

    def flag(self, keyword: str) -> bool:
        """Return whether a bare word such as REPLACE was given, and not its NO form."""
        return self.options.get(keyword) == keyword

    def keywords(self) -> set[str] | None:
        """Return the attributes to show: None for all. A specific name alone asks for all, a generic name for none."""
        if self.flag("ALL") or (not self.generic and not self.shown and self.where is None):
            return None
        return self.shown if self.where is None else self.shown | {self.where.keyword}
