"""The parts of a command: its form, and how a name stands in it. model.py lists the commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flintmq.catalogue.attribute import Attribute
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.command.administration import Administration
from flintmq.command.reply import Reply
from flintmq.command.request import Request

Handler = Callable[[Request, Administration], Reply]

#: Whether, and how, a name stands after the noun.
NO_NAME = "none"
OBJECT_NAME = "object"
GENERIC_NAME = "generic"
CONNECTION_ID = "connection"
GENERIC_CONNECTION_ID = "generic connection"

SUBSCRIPTION_NAME = "subscription"
GENERIC_SUBSCRIPTION_NAME = "generic subscription"
TOPIC_STRING = "topic string"
#: The type of a trace; none is GLOBAL or all, and where it may be generic `*` is all.
TRACE_TYPE = "trace"
GENERIC_TRACE_TYPE = "generic trace"
USER_NAME = "user"
#: It may be left out, and means nothing.
OPTIONAL_NAME = "optional"
#: Channels: a name in which * stands for any characters, anywhere.
CHANNEL_PROFILE = "channel profile"

#: The words that end a session; they are read by interpreter.py and are no commands of the queue manager.
LEAVING = ("END", "EXIT", "QUIT")


@dataclass(frozen=True, kw_only=True)
class Form:
    """One command: a verb and a noun, its parameters, handler, authority and help."""

    verb: str
    noun: str
    kind: str
    name: str
    handler: Handler
    #: The authority that the issuer needs: right and class of object, in the words of setmqaut.
    authority: tuple[str, str]
    pcf_command: int
    summary: str
    example: str
    options: tuple[Attribute, ...] = ()
    settable: tuple[Attribute, ...] = ()
    shown: tuple[Attribute, ...] = ()
    required: tuple[str, ...] = ()
    #: Keywords that every response shows and DISPLAY can also ask for by name: they are not in `shown`.
    always: tuple[str, ...] = ()
    #: Words of DISPLAY that each ask for several attributes.
    groups: dict[str, frozenset[str]] = field(default_factory=dict, hash=False)

    @property
    def changes_nothing(self) -> bool:
        """Return whether the command only inquires."""
        return self.verb in ("DISPLAY", "PING")


def settable(kind: str, altering: bool) -> tuple[Attribute, ...]:
    """Return the attributes that DEFINE, or ALTER, can set."""
    return tuple(each for each in ATTRIBUTES[kind] if not each.read_only and not (altering and each.fixed))
