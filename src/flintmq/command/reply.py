"""The reply to a command, as data. display.py makes the text of runmqsc from it; PCF and REST make their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from flintmq.catalogue.attribute import ENUM, NAME, Attribute, Value
from flintmq.command.messages import message, reason_message

HIDDEN = "********"


@dataclass(frozen=True)
class Item:
    """One attribute in an answer. `kind` says how its value is written; `alone` keeps a line to itself."""

    keyword: str
    value: Value
    kind: str = NAME
    alone: bool = False


@dataclass
class Response:
    """One message, and the attributes that are shown under it."""

    number: str
    inserts: dict[str, str] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    #: Lines under the message that are not attributes: a command segment, a syntax text.
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Return the message line."""
        return message(self.number, self.inserts)


@dataclass
class Reply:
    """All responses of one command. `reason` is 0 when it succeeded."""

    responses: list[Response] = field(default_factory=list)
    reason: int = 0
    #: The command was not understood, rather than refused.
    syntax_error: bool = False
    #: Responses that are still to be made, in their order. None stands for something that is not shown.
    pending: Iterator[Response | None] | None = None
    #: The reply of the command if there is nothing to show.
    otherwise: Reply | None = None

    @property
    def failed(self) -> bool:
        return self.reason != 0

    def make(self, count: int) -> bool:
        """Go through `count` of the pending answers. False if these were the last."""
        if self.pending is None:
            return False
        for _ in range(count):
            try:
                response = next(self.pending)
            except StopIteration:
                self.pending = None
                if not self.responses and self.otherwise is not None:
                    self.responses, self.reason = self.otherwise.responses, self.otherwise.reason
                return False
            if response is not None:
                self.responses.append(response)
        return True

    def take(self) -> Iterator[Response]:
        """Hand over the answers. Each is let go with the next: to free very many at once takes long."""
        responses, self.responses = self.responses, []
        responses.reverse()
        while responses:
            yield responses.pop()


def done(number: str, **inserts: str) -> Reply:
    """Return the reply to a command that succeeded."""
    return Reply([Response(number, inserts)])


def refused(reason: int, name: str, q_mgr: str) -> Reply:
    """Return the reply to a command on `name` that the queue manager refused."""
    number, inserts = reason_message(reason, name, q_mgr)
    return Reply([Response(number, inserts)], reason)


def listed(responses: Iterator[Response | None], otherwise: Reply) -> Reply:
    """Return the reply to a command that shows objects, made on demand; `otherwise` if there are none."""
    return Reply(pending=responses, otherwise=otherwise)


def type_item(value: str, alone: bool = False) -> Item:
    """Return TYPE(value), which stands after the name."""
    return Item("TYPE", value, ENUM, alone)


def items_of(attributes: Iterable[Attribute], values: dict[str, Value], keywords: set[str] | None) -> list[Item]:
    """Return the items for those `attributes` that have a value and are asked for; `keywords` None asks for all."""
    items: list[Item] = []
    for attribute in attributes:
        keyword = attribute.keyword
        if keyword not in values or (keywords is not None and keyword not in keywords):
            continue
        value = values[keyword]
        if attribute.secret and value:
            value = HIDDEN
        items.append(Item(keyword, value, attribute.kind))
    return items
