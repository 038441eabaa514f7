"""Operations of compiled ESQL on message trees: paths, assignment, creation, moves, rows and lists.

The compiler turns a path into a start element and a list of `Step`s made once. An index that is computed when the
statement runs is DYNAMIC in its step, and the value is passed beside the steps; a computed name makes a step at run
time (`computed`). A path that finds nothing is None. A *source* of an assignment is a scalar, an Element (a row) or a
Python list.

Rules of assignment (MF 2.5), which `assign` and `assign_list` implement:

A1  A scalar replaces the value of the target; NULL deletes the target.
A2  An element replaces value and children of the target by copies; a missing element deletes the target.
A3  The target keeps its name. A folder that is copied into a new field makes it a folder, or an array of JSON.
A4  A list replaces all matching targets, one per item.
A5  `*[n]` as target with nothing there yet takes name and parser of the source, which `CopyMessageHeaders` needs.
A6  Input trees are read-only: BIP 2497, unless the switch `input_tree_write` allows it.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.tree.element import (
    ROOT_DOMAIN,
    Element,
    Step,
    convert_type,
    converted,
    copy_content,
    copy_element,
    count,
    ensure_child,
    find_all,
    find_child,
    is_inside,
    matches,
    walk,
)
from flintmq.broker.tree.types import KIND, NAME, NAME_VALUE, VALUE, family

#: Index of a step whose index is computed at run time, counted from the front and from the end.
DYNAMIC: Final = 0x7FFFFFFF
DYNAMIC_LAST: Final = 0x7FFFFFFE


def tree_error(text: str, *inserts: object) -> BrokerError:
    """Return the error of a tree operation."""
    return BrokerError(2497, text, inserts=inserts, sqlstate="S22000")


def check_writable(element: Element) -> None:
    """Raise an error if an element belongs to an input tree of a Compute node (A6)."""
    top = element
    while top.parent is not None:
        top = top.parent
    if top.read_only:
        raise tree_error(
            f"{top.name} is the input of this node and cannot be changed; change the output tree instead", top.name
        )


def index_value(value: object) -> int:
    """Return an index of a path as a number; it must be an INTEGER of at least 1."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value > 0:
            return value
        raise tree_error(f"the index {value} of a path must be 1 or more", value)
    if value is None:
        raise tree_error("the index of a path is NULL")
    raise tree_error(f"the index {value!r} of a path must be an INTEGER", str(value))


def dynamic_index(step: Step, value: object) -> int:
    """Return the index of a step with a computed index."""
    number = index_value(value)
    return number if step.index == DYNAMIC else -number


def name_value(value: object) -> str:
    """Return a computed name or namespace; NULL is the empty one."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    raise tree_error(f"a computed name must be CHARACTER, not {value!r}", str(value))


def type_value(value: object) -> int:
    """Return a computed field type."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise tree_error(f"a field type must be an INTEGER, not {value!r}", str(value))


def computed(
    name: object, namespace: object, any_name: bool, any_namespace: bool, type_given: object, index: int
) -> Step:
    """Make a step with a computed name, namespace or type. A type of None matches all types."""
    step = Step(
        None if any_name else name_value(name), None if any_namespace else name_value(namespace), index, 0, 0, -1
    )
    if type_given is not None:
        number = type_value(type_given)
        mask, kind = family(number)
        step.mask = mask
        step.kind = kind
        step.create_type = number
    return step


# Reading.


def at(start: Element | None, steps: list[Step], indexes: list[object]) -> Element | None:
    """Return the element at the end of a path with computed indexes."""
    element = start
    used = 0
    for step in steps:
        if element is None:
            return None
        index = step.index
        if index >= DYNAMIC_LAST:
            index = dynamic_index(step, indexes[used])
            used += 1
        element = find_child(element, step, index)
    return element


def value(element: Element | None) -> object:
    """Return the value of an element; NULL if it is missing."""
    return None if element is None else element.value


def value_at(start: Element | None, steps: list[Step]) -> object:
    """Return the value at the end of a path; NULL if it is missing."""
    element = walk(start, steps)
    return None if element is None else element.value


def value_of(start: Element | None, steps: list[Step], indexes: list[object]) -> object:
    """Return the value at the end of a path with computed indexes."""
    element = at(start, steps, indexes)
    return None if element is None else element.value


def parent_of(start: Element | None, steps: list[Step], indexes: list[object]) -> Element | None:
    """Return the element before the last step of a path. `steps` are those before the last."""
    return at(start, steps, indexes) if indexes else walk(start, steps)


def items(parent: Element | None, step: Step) -> list[object]:
    """Return the list that `[]` means: all children that match a step."""
    found: list[object] = []
    if parent is None:
        return found
    child = parent.first_child()
    while child is not None:
        if matches(child, step):
            found.append(child)
        child = child.next_sibling()
    return found


def scalar(source: object) -> object:
    """Return the scalar that a source stands for: an element its value, a list of one its item."""
    if isinstance(source, Element):
        return source.value
    if isinstance(source, list):
        if len(source) == 1:
            return scalar(source[0])
        if not source:
            return None
        raise tree_error(f"a list of {len(source)} items stands where one value is needed; use THE", len(source))
    return source


def the(source: object) -> object:
    """Return the first item of a list; NULL if there is none."""
    if isinstance(source, list):
        return source[0] if source else None
    return source


def body_of(root: Element | None) -> Element | None:
    """Return the body: the last child of Root."""
    return None if root is None else root.last_child()


def cardinality(source: object) -> int:
    """Return how many items a list has."""
    if isinstance(source, list):
        return len(source)
    return 0 if source is None else 1


def field_value(element: Element | None) -> object:
    """Return the value of a field (FIELDVALUE)."""
    return None if element is None else element.value


def field_name(element: Element | None) -> object:
    """Return the name of a field (FIELDNAME)."""
    return None if element is None else element.name


def field_namespace(element: Element | None) -> object:
    """Return the namespace of a field (FIELDNAMESPACE)."""
    return None if element is None else element.namespace


def field_type(element: Element | None) -> object:
    """Return the type of a field (FIELDTYPE)."""
    return None if element is None else element.type


def same_field(left: Element | None, right: Element | None) -> object:
    """Return whether two paths mean the same element (SAMEFIELD)."""
    if left is None or right is None:
        return None
    return left is right


# Assignment.


def ensure_at(start: Element, steps: list[Step], indexes: list[object], gaps: bool) -> Element:
    """Return the element at the end of a path, creating missing elements."""
    element = start
    used = 0
    left = len(steps)
    for step in steps:
        left -= 1
        index = step.index
        if index >= DYNAMIC_LAST:
            index = dynamic_index(step, indexes[used])
            used += 1
        element = ensure_child(element, step, index, left == 0, gaps)
    return element


def set_scalar(start: Element, steps: list[Step], indexes: list[object], new: object, gaps: bool, keep: bool) -> None:
    """Assign a scalar to a field (A1). `keep` says whether children of the target stay."""
    check_writable(start)
    if new is None:
        found = at(start, steps, indexes)
        if found is not None:
            found.detach()
        return
    target = ensure_at(start, steps, indexes, gaps)
    if not keep and (target.first is not None or target.pending):
        target.clear()
    target.set_value(new)


def set_field_value(start: Element, steps: list[Step], indexes: list[object], new: object, gaps: bool) -> None:
    """Assign only the value (`SET f VALUE = e`): NULL keeps the field."""
    check_writable(start)
    ensure_at(start, steps, indexes, gaps).set_value(scalar(new))


def assign(start: Element, steps: list[Step], indexes: list[object], source: object, gaps: bool, keep: bool) -> None:
    """Assign a source: a scalar, a row or nothing (A1, A2)."""
    if isinstance(source, Element):
        assign_element(start, steps, indexes, source, gaps)
    elif isinstance(source, list):
        if len(source) > 1:
            raise tree_error("a list cannot be assigned to a field; assign it to `field[]`, or use THE")
        assign(start, steps, indexes, source[0] if source else None, gaps, keep)
    else:
        set_scalar(start, steps, indexes, source, gaps, keep)


def assign_element(
    start: Element, steps: list[Step], indexes: list[object], source: Element | None, gaps: bool
) -> None:
    """Assign the content of an element to a field (A2, A3, A5)."""
    check_writable(start)
    if source is None:
        found = at(start, steps, indexes)
        if found is not None:
            found.detach()
        return
    last = steps[len(steps) - 1]
    target = at(start, steps, indexes)
    if target is None:
        if is_inside(_reached(start, steps, indexes), source):
            # The field will be created inside the source: copy that as it is now.
            source = copy_as_tree(source)
        if last.name is None:
            _append_like(start, steps, indexes, source, gaps)
            return
        target = ensure_at(start, steps, indexes, gaps)
    fill(target, source, last.create_type < 0)


def _reached(start: Element, steps: list[Step], indexes: list[object]) -> Element:
    """Return the last element on a path that exists already."""
    for length in range(len(steps) - 1, 0, -1):
        found = at(start, steps[:length], indexes)
        if found is not None:
            return found
    return start


def copy_as_tree(source: Element) -> Element:
    """Return a copy that stands by itself and has the same parser."""
    made = copy_element(source)
    made.domain = source.owner()
    return made


def settle(element: Element) -> None:
    """Build all that is below an element of a SHARED row, and let go of the message that it came from.

    Several threads may read the row, and building children is not for two at a time.
    """
    if not element.root().shared:
        return
    work = [element]
    while work:
        each = work.pop()
        each.build_all()
        each.source = None
        each.mark_changed()
        child = each.first
        while child is not None:
            work.append(child)
            child = child.next


def fill(target: Element, source: Element, take_kind: bool) -> None:
    """Replace the content of `target` by that of `source`; with `take_kind` a folder stays a folder (A3)."""
    if target is source:
        return
    if source.first is None and not source.pending:
        if target.first is not None or target.pending:
            target.clear()
        target.set_value(source.value)
    else:
        copy_content(target, source)
        settle(target)
    if take_kind and target.domain == "" and source.type & KIND == NAME and target.type == NAME_VALUE:
        into = target.owner()
        target.forget_indexes()
        target.type = source.type if into == source.owner() else convert_type(source.type, into)


def _append_like(start: Element, steps: list[Step], indexes: list[object], source: Element, gaps: bool) -> None:
    """Append a copy of `source` where the last step of a path matches any name (A5)."""
    before = steps[:-1]
    dynamic = 0
    for step in before:
        if step.index >= DYNAMIC_LAST:
            dynamic += 1
    parent = ensure_at(start, before, indexes[:dynamic], gaps) if before else start
    if parent.domain == ROOT_DOMAIN or parent.owner() == source.owner():
        made = copy_element(source)
    else:
        made = converted(source, parent.owner())
    last = steps[len(steps) - 1]
    index = last.index
    if index >= DYNAMIC_LAST:
        index = dynamic_index(last, indexes[len(indexes) - 1])
    if index > 1 and index > count(parent, last) + 1:
        raise tree_error(f"*[{index}] cannot be created: there are {count(parent, last)} elements so far", index)
    _adopt(parent, made)
    parent.append(made)
    settle(made)


def _adopt(parent: Element, made: Element) -> None:
    """Give a new child of a root the parser that its name says, if it has none."""
    if parent.domain == ROOT_DOMAIN and made.domain == "":
        made.domain = made.name


def assign_root(target: Element, source: object) -> None:
    """Assign a whole tree: `SET OutputRoot = InputRoot`, `SET row = path`."""
    check_writable(target)
    if source is target:
        return
    if isinstance(source, Element):
        if source.domain == target.domain and source.parent is None:
            copies: list[Element] = []
            child = source.first_child()
            while child is not None:
                copies.append(copy_element(child))
                child = child.next_sibling()
            target.clear()
            target.value = source.value
            for copied in copies:
                target.append(copied)
        else:
            copy_content(target, source)
            if target.parent is None and target.domain == "" and source.type & KIND == NAME:
                # A row that holds an array of JSON is one.
                target.type = convert_type(source.type, "")
        settle(target)
        return
    if isinstance(source, list):
        if len(source) > 1:
            raise tree_error("a list cannot be assigned to a tree; use THE")
        assign_root(target, source[0] if source else None)
        return
    target.clear()
    target.value = source
    target.mark_changed()


def assign_list(start: Element, before: list[Step], indexes: list[object], last: Step, source: object) -> None:
    """Assign a list to `field[]` (A4)."""
    check_writable(start)
    values: list[object] = source if isinstance(source, list) else ([] if source is None else [source])
    rows: list[object] = []
    for item in values:
        # Items may be what is replaced, or what the target is created in.
        rows.append(copy_as_tree(item) if isinstance(item, Element) else item)
    if not rows and at(start, before, indexes) is None:
        return
    parent = ensure_at(start, before, indexes, True) if before else start
    if before and parent.type == NAME_VALUE and parent.value is None:
        parent.forget_indexes()
        parent.type = NAME
    for old in find_all(parent, last):
        old.detach()
    into = parent.owner()
    for row in rows:
        if isinstance(row, Element):
            parent.append(_item(row, parent, into, last))
        else:
            if last.name is None:
                raise tree_error("a list of values needs a name to assign to")
            kind = last.create_type if last.create_type >= 0 else NAME_VALUE
            parent.append(Element(last.name, row, kind, "" if last.namespace is None else last.namespace))
    settle(parent)


def _item(row: Element, parent: Element, into: str, last: Step) -> Element:
    """Return an item of a list, which is a tree of its own, as the child that a step names."""
    if parent.domain == ROOT_DOMAIN:
        if last.name is None:
            _adopt(parent, row)
            return row
        into = last.name
    domain = row.domain
    made = row if domain == into else converted(row, into)
    made.domain = into if parent.domain == ROOT_DOMAIN else ""
    if last.name is None:
        return made
    made.name = last.name
    made.namespace = "" if last.namespace is None else last.namespace
    if last.create_type >= 0:
        made.type = last.create_type
    made.changed = True
    return made


def set_name(element: Element | None, name: object) -> None:
    """Change the name of a field."""
    if element is not None:
        check_writable(element)
        element.forget_indexes()
        element.name = name_value(scalar(name))
        element.mark_changed()


def set_namespace(element: Element | None, namespace: object) -> None:
    """Change the namespace of a field."""
    if element is not None:
        check_writable(element)
        element.forget_indexes()
        element.namespace = name_value(scalar(namespace))
        element.mark_changed()


def set_type(element: Element | None, new: object) -> None:
    """Change the type of a field."""
    if element is not None:
        check_writable(element)
        element.forget_indexes()
        element.type = type_value(scalar(new))
        element.mark_changed()


# Creation, deletion, moves.


def new_element(name: object, namespace: object, type_given: object, domain: object, parent: Element) -> Element:
    """Make an element as the clauses of a CREATE say. None means that a clause was not written."""
    owner = "" if domain is None else name_value(domain)
    text = owner if name is None else name_value(name)
    kind = -1 if type_given is None else type_value(type_given)
    made = Element(text, None, NAME_VALUE if kind < 0 else kind, name_value(namespace))
    if owner == "" and parent.domain == ROOT_DOMAIN:
        owner = text
    if owner:
        made.domain = owner
        if kind < 0:
            made.type = NAME
    return made


def place(position: str, target: Element, made: Element) -> Element:
    """Put a new element where a CREATE or ATTACH says, and return it."""
    check_writable(target)
    if position == "LASTCHILD":
        _becomes_folder(target)
        _adopt(target, made)
        return target.append(made)
    if position == "FIRSTCHILD":
        _becomes_folder(target)
        _adopt(target, made)
        return target.prepend(made)
    if target.parent is None:
        raise tree_error(f"{target.name} is the root of a tree and has no siblings", target.name)
    _adopt(target.parent, made)
    if position == "NEXTSIBLING":
        target.next_sibling()  # A sibling that is still to be built stays behind the new one.
        return target.insert_after(made)
    return target.insert_before(made)


def _becomes_folder(element: Element) -> None:
    if element.type == NAME_VALUE and element.value is None:
        element.forget_indexes()
        element.type = NAME


def neighbour(position: str, target: Element) -> Element:
    """Return the element that gives `CREATE ... REPEAT` its type and name."""
    found: Element | None = target
    if position == "LASTCHILD":
        found = target.last_child()
    elif position == "FIRSTCHILD":
        found = target.first_child()
    if found is None:
        raise tree_error("CREATE ... REPEAT finds no neighbour whose name it could take")
    return found


def delete(position: str, target: Element | None) -> None:
    """Delete a field, or a neighbour or child of one. Nothing happens if it is missing."""
    if target is None:
        return
    check_writable(target)
    found: Element | None = target
    if position == "FIRSTCHILD":
        found = target.first_child()
    elif position == "LASTCHILD":
        found = target.last_child()
    elif position == "PREVIOUSSIBLING":
        found = target.previous
    elif position == "NEXTSIBLING":
        found = target.next_sibling()
    if found is not None:
        if found.parent is None:
            found.clear()
        else:
            found.detach()


def delete_all(targets: list[object]) -> None:
    """Delete all elements of a list (`DELETE FIELD a[]`)."""
    for target in targets:
        if isinstance(target, Element):
            delete("FIELD", target)


def detach(element: Element) -> None:
    """Take an element out of its tree; the reference stays on it."""
    check_writable(element)
    if element.parent is None:
        raise tree_error(f"{element.name} is the root of a tree and cannot be detached", element.name)
    element.detach()


def attach(element: Element, target: Element | None, position: str) -> None:
    """Put a detached element into a tree."""
    if target is None:
        raise tree_error("ATTACH ... TO names a field that does not exist")
    if element.parent is not None:
        raise tree_error(f"{element.name} is still in a tree; DETACH it first", element.name)
    if is_inside(target, element):
        raise tree_error(f"{element.name} cannot be attached to a field that is inside it", element.name)
    place(position, target, element)
    settle(element)


def move(reference: Element, position: str, step: Step | None) -> Element | None:
    """Return where a MOVE leads: the next element in a direction that matches; None if there is none."""
    found: Element | None = None
    forward = True
    if position == "NEXTSIBLING":
        found = reference.next_sibling()
    elif position == "PREVIOUSSIBLING":
        found = reference.previous
        forward = False
    elif position == "FIRSTCHILD":
        found = reference.first_child()
    elif position == "LASTCHILD":
        found = reference.last_child()
        forward = False
    else:
        return reference.parent
    if step is None:
        return found
    while found is not None and not matches(found, step):
        found = found.next_sibling() if forward else found.previous
    return found


def like_reference(reference: Element, by_type: bool, by_name: bool) -> Step:
    """Make the step of `MOVE ... REPEAT`: same type, same name, or both."""
    step = Step(None, None)
    if by_name:
        step.name = reference.name
        step.namespace = reference.namespace
    if by_type:
        step.mask = 0xFFFFFFFF
        step.kind = reference.type
    return step


# Rows.


def new_row(name: str) -> Element:
    """Return the tree of a ROW variable."""
    return Element(name, None, NAME)


def shared_row(name: str) -> Element:
    """Return the tree of a SHARED ROW variable, which all threads of a flow see."""
    row = Element(name, None, NAME)
    row.shared = True
    return row


class Column:
    """How one column of a SELECT or one field of a ROW goes into the result row.

    `steps` is the path after AS, or the name that the column has of itself. With `insert` the fields of a row are put
    directly into the result; with `many` the items of a list become siblings.
    """

    def __init__(self, steps: list[Step], insert: bool = False, many: bool = False) -> None:
        self.steps: list[Step] = steps
        self.insert: bool = insert
        self.many: bool = many


def build_row(columns: list[Column], values: list[object]) -> Element:
    """Return a result row. A column with the value NULL is left out, as an assignment of NULL would."""
    row = Element("Row", None, NAME)
    for number in range(len(columns)):
        column = columns[number]
        source = values[number]
        if column.insert:
            _insert_fields(row, source)
        elif column.many and isinstance(source, (list, Element)):
            steps = column.steps
            assign_list(row, steps[:-1], [], steps[len(steps) - 1], source)
        elif isinstance(source, Element):
            target = ensure_at(row, column.steps, [], True)
            fill(target, source, True)
        elif isinstance(source, list):
            target = ensure_at(row, column.steps, [], True)
            if source:
                first = source[0]
                if isinstance(first, Element):
                    fill(target, first, True)
                else:
                    target.set_value(first)
        elif source is not None:
            ensure_at(row, column.steps, [], True).set_value(source)
        else:
            ensure_at(row, column.steps, [], True)
    return row


def _insert_fields(row: Element, source: object) -> None:
    """Put the fields of a row, or of every row of a list, into a result row."""
    if isinstance(source, list):
        for item in source:
            _insert_fields(row, item)
    elif isinstance(source, Element):
        child = source.first_child()
        if child is None and source.value is not None:
            row.append(Element(source.name, source.value, NAME_VALUE, source.namespace))
        while child is not None:
            row.append(copy_element(child))
            child = child.next_sibling()


def all_columns(sources: list[object]) -> Element:
    """Return the row of `SELECT *`: the fields of all sources."""
    row = Element("Row", None, NAME)
    for source in sources:
        _insert_fields(row, source)
    return row


def rows_of(source: object) -> list[Element]:
    """Return the rows of a FROM clause: the items of a list, or the one row that a path means."""
    found: list[Element] = []
    if isinstance(source, list):
        for item in source:
            if isinstance(item, Element):
                found.append(item)
            else:
                found.append(Element("", item, VALUE))
    elif isinstance(source, Element):
        found.append(source)
    return found


def item_of(source: object) -> object:
    """Return an item of `SELECT ITEM`: a field without children is its value, another one stays a tree."""
    if isinstance(source, Element) and source.first_child() is None:
        return source.value
    return source


def rows_equal(left: Element, right: Element) -> bool:
    """Return whether two rows have the same names and values, recursively."""
    work: list[tuple[Element, Element]] = [(left, right)]
    while work:
        one, other = work.pop()
        if one.value != other.value:
            return False
        child = one.first_child()
        twin = other.first_child()
        while child is not None and twin is not None:
            if child.name != twin.name or child.namespace != twin.namespace:
                return False
            work.append((child, twin))
            child = child.next_sibling()
            twin = twin.next_sibling()
        if child is not None or twin is not None:
            return False
    return True
