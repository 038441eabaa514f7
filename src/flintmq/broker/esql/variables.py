"""Conversions that compiled ESQL does all the time: values for variables, sources for lists, rows for references.

The module is compiled by mypyc. Rare cases go on to `casts.py` and `trees.py`.
"""

from __future__ import annotations

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.casts import CastType, assign
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.esql.trees import check_writable, ensure_at, fill, rows_equal, scalar, tree_error
from flintmq.broker.tree.element import Element, Step
from flintmq.broker.tree.types import NAME, NAME_VALUE


def convert(value: object, target: CastType, switches: Switches = DEFAULTS) -> object:
    """Return a value as a variable of a type holds it."""
    if value is None:
        return None
    name = target.name
    if name == "INTEGER":
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif name == "CHARACTER":
        if isinstance(value, str):
            return value
    elif name == "BOOLEAN":
        if isinstance(value, bool):
            return value
    return assign(value, target, switches)


def as_list(source: object) -> list[object]:
    """Return a source as a list: NULL is the empty one."""
    if isinstance(source, list):
        return source
    return [] if source is None else [source]


def scalars(source: list[object]) -> list[object]:
    """Return the scalars that the items of a list stand for; a row of one column is that column."""
    found: list[object] = []
    for item in source:
        if isinstance(item, Element):
            only = item.first_child()
            if item.value is None and only is not None and only.next_sibling() is None:
                found.append(only.value)
            else:
                found.append(item.value)
        else:
            found.append(item)
    return found


def as_element(source: object) -> Element | None:
    """Return a source as an element: a scalar becomes an unnamed one."""
    if isinstance(source, Element):
        return source
    if source is None:
        return None
    if isinstance(source, list):
        return as_element(source[0]) if source else None
    return Element("", source)


def as_reference(element: Element | None, name: str) -> Element:
    """Return the element that is passed as a reference; a reference cannot be NULL."""
    if element is None:
        raise tree_error(f"{name} gets a reference to a field that does not exist", name)
    return element


def refer(found: Element | None, before: Element | None) -> tuple[Element, bool]:
    """Return where a reference points after a move, and whether it moved."""
    if found is not None:
        return found, True
    if before is None:
        raise tree_error("a reference cannot be set: its tree does not exist")
    return before, False


def target_of(start: Element, steps: list[Step], indexes: list[object], gaps: bool) -> Element:
    """Return the element that a statement changes, creating the missing steps."""
    check_writable(start)
    return ensure_at(start, steps, indexes, gaps)


def assign_reference(element: Element, source: object, keep: bool) -> None:
    """Assign to the element that a reference points at; NULL deletes it."""
    check_writable(element)
    if isinstance(source, list):
        source = source[0] if source else None
    if isinstance(source, Element):
        fill(element, source, True)
    elif source is None:
        if element.parent is None:
            element.clear()
        else:
            element.detach()
    else:
        if not keep and (element.first is not None or element.pending):
            element.clear()
        element.set_value(source)


def set_reference_value(element: Element, value: object) -> None:
    """Set only the value of the element that a reference points at."""
    check_writable(element)
    element.set_value(scalar(value))


def shape(element: Element, name: object, namespace: object, kind: object, domain: object) -> None:
    """Set name, namespace, type and value of a field that CREATE FIELD found or made, as its clauses say."""
    if isinstance(name, str) and element.name != name:
        element.forget_indexes()
        element.name = name
    if isinstance(namespace, str) and element.namespace != namespace:
        element.forget_indexes()
        element.namespace = namespace
    if isinstance(kind, int) and element.type != kind:
        element.forget_indexes()
        element.type = kind
    if isinstance(domain, str):
        element.domain = domain
        if element.type == NAME_VALUE:
            element.forget_indexes()
            element.type = NAME
    element.mark_changed()


def fill_from(element: Element, source: Element | None) -> None:
    """Copy the content of a field into a new one (CREATE ... FROM)."""
    if source is not None:
        fill(element, source, True)


def parent_or_self(element: Element) -> Element:
    """Return the parent, which decides about the parser of a new sibling."""
    return element if element.parent is None else element.parent


def rows_compare(left: object, right: object) -> object:
    """Compare rows and lists: names and values, item by item."""
    if left is None or right is None:
        return None
    one = as_list(left)
    other = as_list(right)
    if len(one) != len(other):
        return False
    for number in range(len(one)):
        a = one[number]
        b = other[number]
        if isinstance(a, Element) and isinstance(b, Element):
            if not rows_equal(a, b):
                return False
        elif scalar(a) != scalar(b):
            return False
    return True


def referred(given: object) -> tuple[Element, bool]:
    """Return where an OUT reference points, and its LASTMOVE. A hook gives the element only."""
    moved = True
    if isinstance(given, tuple):
        moved = given[1] is True
        given = given[0]
    if not isinstance(given, Element):
        raise tree_error("an OUT reference has no element")
    return given, moved


def user_error(number: int, text: str) -> BrokerError:
    """Return a user exception without inserts."""
    return BrokerError(number, text, kind="UserException", sqlstate=f"U{number:05d}", severity=1)
