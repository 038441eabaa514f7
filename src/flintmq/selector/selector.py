"""A compiled selector, and its facts that need no message.

selector = compile_selector("color = 'red' AND weight > 2500")
selector.matches(source)        True, if the condition is true for this message
selector.names()                ["color", "weight"]
selector.equality()             ("color", "red"): no message matches that has another value there
selector.alternatives()         ("color", ["red"]): the same for IN and for OR of equalities, with all the values
selector.id_key()               (CORREL_ID, b"...") if the selector is nothing but an id written in full
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.reason import MQRC_SELECTION_STRING_ERROR
from flintmq.mqi.values.attributes import MQ_SELECTOR_LENGTH
from flintmq.selector.errors import SelectorError
from flintmq.selector.node import TRUE, And, Equal, In, InStrings, Literal, Name, Node, NotEqual, Or
from flintmq.selector.parser import id_bytes, parse
from flintmq.selector.source import Source, Value

MSG_ID: Final = 1
CORREL_ID: Final = 2

_ID_SIZE: Final = 24
_NO_ID: Final = bytes(_ID_SIZE)
#: Which id a name stands for.
_ID_KINDS: Final = {
    "JMSMessageID": MSG_ID,
    "JMSCorrelationID": CORREL_ID,
    "Root.MQMD.MsgId": MSG_ID,
    "Root.MQMD.CorrelId": CORREL_ID,
}


def compile_selector(text: str) -> Selector:
    """The selector of a selection string. Raises SelectorError: 2459, 2519 if too long, 2551 for message data."""
    if len(text) > MQ_SELECTOR_LENGTH:
        what = f"longer than {MQ_SELECTOR_LENGTH} characters"
        raise SelectorError(text, MQ_SELECTOR_LENGTH + 1, what, MQRC_SELECTION_STRING_ERROR)
    tree, names = parse(text)
    return Selector(text, tree, names)


class Selector:
    """A condition on messages."""

    def __init__(self, text: str, tree: Node, names: list[str]) -> None:
        self.text = text
        self.tree = tree
        self._names = names

    def matches(self, source: Source) -> bool:
        """Whether the condition is true for a message; false and unknown are no match."""
        return self.tree.truth(source) == TRUE

    def names(self) -> list[str]:
        """The names it asks a source for, in the order in which they were written."""
        return list(self._names)

    def equality(self) -> tuple[str, Value] | None:
        """A name and the only value it can have in a message that matches; None if there is no such condition."""
        for part in self._conjuncts():
            found = _alternatives(part)
            if found is not None and len(found[1]) == 1:
                return found[0], found[1][0]
        return None

    def alternatives(self) -> tuple[str, list[Value]] | None:
        """A name and the values of which it has one in every message that matches; the fewest that can be had."""
        best: tuple[str, list[Value]] | None = None
        for part in self._conjuncts():
            found = _alternatives(part)
            if found is not None and (best is None or len(found[1]) < len(best[1])):
                best = found
        return best

    def is_choice(self) -> bool:
        """Whether `alternatives` says all there is to say: every message with one of the values matches."""
        return _alternatives(self.tree) is not None

    def id_key(self) -> tuple[int, bytes] | None:
        """MSG_ID or CORREL_ID and the id, when the selector is one equality with an id written in full (B219).

        That is ID: and 48 hexadecimal digits for the names of JMS, a byte string of 24 bytes for the fields of MQMD.
        """
        found = _alternatives(self.tree)
        if found is None or len(found[1]) != 1 or found[0] not in _ID_KINDS:
            return None
        value = found[1][0]
        key = b""
        if found[0].startswith("JMS"):
            if isinstance(value, str):
                key = id_bytes(value)
        elif isinstance(value, bytes):
            key = value
        return (_ID_KINDS[found[0]], key) if len(key) == _ID_SIZE and key != _NO_ID else None

    def _conjuncts(self) -> list[Node]:
        """The conditions that must all be true."""
        tree = self.tree
        return tree.parts if isinstance(tree, And) else [tree]


def _alternatives(part: Node) -> tuple[str, list[Value]] | None:
    """The name and the values, if the condition is that a name has one of some values."""
    if isinstance(part, Equal) and not isinstance(part, NotEqual):
        if isinstance(part.left, Name) and isinstance(part.right, Literal):
            return part.left.name, [part.right.literal]
        if isinstance(part.right, Name) and isinstance(part.left, Literal):
            return part.right.name, [part.left.literal]
        return None
    if isinstance(part, InStrings) and isinstance(part.part, Name):
        strings: list[Value] = []
        for text in sorted(part.strings):
            strings.append(text)
        return part.part.name, strings
    if isinstance(part, In) and isinstance(part.part, Name):
        return _literals(part.part.name, part.choices)
    if isinstance(part, Or):
        return _of_or(part)
    return None


def _literals(name: str, choices: list[Node]) -> tuple[str, list[Value]] | None:
    values: list[Value] = []
    for choice in choices:
        if not isinstance(choice, Literal):
            return None
        values.append(choice.literal)
    return name, values


def _of_or(part: Or) -> tuple[str, list[Value]] | None:
    """Every part of the OR says it of the same name."""
    name = ""
    values: list[Value] = []
    for choice in part.parts:
        found = _alternatives(choice)
        if found is None or (name and found[0] != name):
            return None
        name = found[0]
        values.extend(found[1])
    return name, values
