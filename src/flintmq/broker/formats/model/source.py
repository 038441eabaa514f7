"""Bodies that a model describes: lazy trees of MRM and DFDL, and their bytes.

`parse_body` makes a folder and leaves the bytes alone. The first touch reads the whole message; a flow that never
touches the body never pays for it, and `write_body` returns the bytes as they came. Every structure that was read keeps
its place in the message (`entry`), so a copy of an unchanged part is one element until it is touched.

    parse_body(message, body, ccsid, encoding, domain, wrapped)    the folder `Root.<domain>`
    write_body(message, folder, ccsid, encoding, wrapped)          the bytes of a folder

`wrapped`: the message element stands below the folder (DFDL); otherwise its children do (MRM).
"""

from __future__ import annotations

from flintmq.broker.errors import parser_error
from flintmq.broker.formats.model.plan import Plan, plan_of
from flintmq.broker.formats.model.read import read_message
from flintmq.broker.formats.model.read_state import WRAPPERS
from flintmq.broker.formats.model.schema import Message
from flintmq.broker.formats.model.validate import problems
from flintmq.broker.formats.model.write import write_message
from flintmq.broker.formats.model.write_fields import WRAPPERS as WRITE_WRAPPERS
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.types import NAME

#: The numbers of violations.
INVALID = {"MRM": 5395, "DFDL": 5821}


class ModelSource(Source):
    """The bytes of a message, and how to read them."""

    def __init__(self, domain: str, message: Message, body: bytes, ccsid: int, encoding: int, wrapped: bool) -> None:
        super().__init__(domain)
        self.message = message
        self.body = body
        self.ccsid = ccsid
        self.encoding = encoding
        self.wrapped = wrapped
        #: Whether facets and numbers of occurrences are checked when the message is read.
        self.validated = False
        #: Structures of a tree that is never changed, by entry: from them, copies of parts are built again.
        self._structures: list[Element] | None = None

    def plan(self) -> Plan:
        """Return the plan of the message. Raises a ParserException if its model cannot work."""
        return checked_plan(self.message, self.ccsid, self.encoding, WRAPPERS[self.message.family])

    def more(self, element: Element) -> None:
        """Read the message, or build the children of a copied part."""
        if element.entry == 0:
            top = self._read()
            element.pending = False
            if self.wrapped:
                element.append_built(top)
            else:
                _move_children(top, element)
            return
        original = self._structure(element.entry)
        element.pending = False
        child = original.first
        while child is not None:
            made = Element(child.name, child.value, child.type, child.namespace)
            made.changed = False
            made.entry = child.entry
            if child.first is not None:
                made.source = self
                made.pending = True
            element.append_built(made)
            child = child.next

    def _read(self) -> Element:
        """Return the message element of a new tree, with this source in every structure."""
        holder = Element("")
        holder.changed = False
        plan = self.plan()
        read_message(plan, self.body, holder)
        top = holder.first
        assert top is not None
        top.parent = None
        if self.validated:
            check_values(plan, top, WRAPPERS[self.message.family])
        work = [top]
        while work:
            structure = work.pop()
            structure.source = self
            child = structure.first
            while child is not None:
                if child.first is not None:
                    work.append(child)
                child = child.next
        return top

    def _structure(self, entry: int) -> Element:
        """Return a structure of the private tree."""
        if self._structures is None:
            top = self._read()
            found: dict[int, Element] = {}
            work = [top]
            while work:
                structure = work.pop()
                found[structure.entry] = structure
                child = structure.first
                while child is not None:
                    if child.first is not None:
                        work.append(child)
                    child = child.next
            highest = max(found)
            self._structures = [found.get(number, top) for number in range(highest + 1)]
        return self._structures[entry]


def checked_plan(message: Message, ccsid: int, encoding: int, number: int) -> Plan:
    """Return the plan of a message. Raises a ParserException if its model cannot work."""
    try:
        return plan_of(message, ccsid, encoding)
    except (ValueError, UnicodeError, RecursionError) as error:
        name = message.element.name
        raise parser_error(number, name, text=f"the model of message {name} cannot be used: {error}") from None


def check_values(plan: Plan, top: Element, number: int) -> None:
    """Raise a ParserException with one cause for the values and numbers of occurrences that violate the model."""
    found = problems(plan, top)
    if found:
        name = plan.message.element.name
        cause = parser_error(INVALID[plan.family], *found, text="; ".join(found[:5]))
        raise parser_error(number, name, text=f"message {name} is not valid: {len(found)} violations", cause=cause)


def _move_children(top: Element, folder: Element) -> None:
    """Give the children of a message element to the folder of its body."""
    child = top.first
    while child is not None:
        following = child.next
        child.next = None
        folder.append_built(child)
        child = following
    folder.value = top.value


def parse_body(
    message: Message, body: bytes, ccsid: int, encoding: int, domain: str, wrapped: bool, validated: bool = False
) -> Element:
    """Return the folder of a body; nothing is read yet. `validated`: check values when it is read."""
    folder = Element(domain, None, NAME)
    folder.domain = domain
    source = ModelSource(domain, message, body, ccsid, encoding, wrapped)
    source.validated = validated
    folder.source = source
    folder.pending = True
    folder.changed = False
    return folder


def original_bytes(message: Message, folder: Element, ccsid: int, encoding: int) -> bytes | None:
    """Return the bytes that an unchanged folder came from, if it is to be written in the same way."""
    source = folder.source
    if folder.changed or not isinstance(source, ModelSource) or folder.entry != 0:
        return None
    if source.message is message and source.ccsid == ccsid and source.encoding == encoding:
        return source.body
    return None


def write_body(
    message: Message, folder: Element, ccsid: int, encoding: int, wrapped: bool, validated: bool = False
) -> bytes:
    """Return the bytes of a folder. Raises a ParserException. `validated`: check values before they are written."""
    found = original_bytes(message, folder, ccsid, encoding)
    if found is not None:
        return found
    number = WRITE_WRAPPERS[message.family]
    plan = checked_plan(message, ccsid, encoding, number)
    if not wrapped:
        if validated:
            check_values(plan, folder, number)
        return write_message(plan, folder)
    top = folder.first_child()
    name = message.element.name
    if top is None:
        raise parser_error(number, name, text=f"the {folder.name} folder has no message element {name}")
    if top.name != name:
        text = f"the {folder.name} folder has the element {top.name}, and the message is {name}"
        raise parser_error(number, top.name, name, text=text)
    if validated:
        check_values(plan, top, number)
    return write_message(plan, top)
