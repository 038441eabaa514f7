"""Writing, middle: members of groups. Separated and tagged sequences, and choices.

The children of a structure are taken in the order of the tree by a `Cursor`. `write.py` writes the members themselves.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import mypyc_attr

from flintmq.broker.formats.model.nodes import (
    ANY,
    HIDDEN,
    NON_POSITIONAL,
    OCCURS_COMPUTED,
    OCCURS_FIXED,
    OCCURS_IMPLICIT,
    OCCURS_STOP,
    ONCE,
    POSTFIX,
    PREFIX,
    TAGGED,
    TRAILING,
    TRAILING_LAX,
    TRAILING_STRICT,
    ElementNode,
    GroupNode,
    Slot,
    Term,
)
from flintmq.broker.formats.model.plan import Plan
from flintmq.broker.formats.model.text import Scope
from flintmq.broker.formats.model.write_fields import (
    NO_BRANCH,
    TOO_LONG,
    UNEXPECTED,
    FieldWriter,
)
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import KIND, VALUE


@final
class Cursor:
    """The children of a structure that are still to be written."""

    def __init__(self, parent: Element) -> None:
        self.parent: Element = parent
        self.items: list[Element] = []
        child = parent.first_child()
        while child is not None:
            if child.type & KIND != VALUE:
                self.items.append(child)
            child = child.next_sibling()
        self.at: int = 0

    def peek(self) -> Element | None:
        """Return the next child."""
        return self.items[self.at] if self.at < len(self.items) else None

    def take(self, node: ElementNode) -> Element | None:
        """Return the next child and move on, if it is the element of a node."""
        if self.at < len(self.items):
            child = self.items[self.at]
            if is_of(child, node):
                self.at += 1
                return child
        return None

    def take_anywhere(self, node: ElementNode) -> Element | None:
        """Return the first of the remaining children that is the element of a node, and remove it."""
        for number in range(self.at, len(self.items)):
            child = self.items[number]
            if is_of(child, node):
                del self.items[number]
                return child
        return None


def is_of(child: Element, node: ElementNode) -> bool:
    """Return whether a child is the element of a node. A child without namespace may stand for one with.

    Hidden elements are only those that the writer itself has added.
    """
    if child.name != node.name or child.type & HIDDEN != node.type & HIDDEN:
        return False
    return child.namespace == node.namespace or not child.namespace


@mypyc_attr(allow_interpreted_subclasses=False)
class GroupWriter(FieldWriter):
    """Writes the members of groups."""

    def __init__(self, plan: Plan, computes: bool) -> None:
        super().__init__(plan)
        #: Whether the tree is a copy to which elements may be added.
        self.computes: bool = computes
        #: Branches of choices that were chosen in the first pass, and how often each choice was met in this one.
        self.chosen: dict[str, Term | None] = {}
        self.visits: dict[str, int] = {}

    # What `write.py` adds.

    def write_term(self, term: Term, cursor: Cursor, scope: Scope, empty_allowed: bool) -> None:
        """Write an element (all its occurrences) or a group."""
        raise NotImplementedError

    def write_element(self, node: ElementNode, element: Element, scope: Scope, first: bool) -> None:
        """Write one occurrence of an element."""
        raise NotImplementedError

    def write_missing(self, node: ElementNode, parent: Element, scope: Scope, empty_allowed: bool) -> None:
        """Write the bytes for a required element that is not in the tree."""
        raise NotImplementedError

    def next_of(self, node: ElementNode, cursor: Cursor) -> Element | None:
        """Return the next child for a node, adding one that is computed or hidden."""
        raise NotImplementedError

    def may_repeat(self, node: ElementNode, count: int) -> bool:
        """Return whether another occurrence may follow."""
        raise NotImplementedError

    def least(self, node: ElementNode, parent: Element, count: int) -> int:
        """Return how many occurrences there must be."""
        raise NotImplementedError

    # Separated sequences.

    def write_separated(self, node: GroupNode, cursor: Cursor, scope: Scope) -> None:
        """Write members with separators."""
        mark = node.separator
        assert mark is not None
        inner = scope.extended(mark)
        #: Separators of empty members that are written only if something follows.
        pending = 0
        started = False
        previous_fixed = False
        for slot in node.slots:
            term = slot.term
            if not slot.represented:
                self.write_term(term, cursor, inner, False)
                continue
            occurrences = 0
            outer_index = self.env.occurs_index
            repeating: ElementNode | None = None
            if isinstance(term, ElementNode) and term.occurs != ONCE and term.repeat_separator is None:
                repeating = term
            while True:
                child: Element | None = None
                if repeating is not None:
                    if not self.may_repeat(repeating, occurrences):
                        break
                    child = self.next_of(repeating, cursor)
                    if child is None and not self.must_write(slot, repeating, occurrences):
                        break
                self.env.occurs_index = occurrences + 1
                before = len(self.out)
                count = pending + self.separators_before(node, started, previous_fixed)
                for _ in range(count):
                    self.put_mark(mark.output, node.fill)
                content_start = self.position()
                self.write_position(slot, repeating, child, cursor, inner, occurrences)
                absent = repeating is not None and child is None
                if self.position() == content_start and self.droppable(node, slot, absent):
                    # The separator of an empty member is written only if a member follows, or not at all.
                    del self.out[before:]
                    if node.suppression != ANY:
                        pending = count if node.separator_position != POSTFIX else count + 1
                else:
                    if node.separator_position == POSTFIX:
                        self.put_mark(mark.output, node.fill)
                    pending = 0
                started = True
                previous_fixed = slot.fixed_length
                occurrences += 1
                if repeating is None:
                    break
            self.env.occurs_index = outer_index
            if repeating is not None:
                self.after_repeats(node, repeating, cursor, inner, occurrences)

    def separators_before(self, node: GroupNode, started: bool, previous_fixed: bool) -> int:
        """Return how many separators the next member needs before it: 1 or 0."""
        if node.separator_position == POSTFIX or not started and node.separator_position != PREFIX:
            return 0
        return 0 if node.only_variable_separated and previous_fixed else 1

    def write_position(
        self,
        slot: Slot,
        repeating: ElementNode | None,
        child: Element | None,
        cursor: Cursor,
        scope: Scope,
        occurrences: int,
    ) -> None:
        """Write one member, or one occurrence of a repeating member; `child` is None if the tree has none."""
        if repeating is None:
            self.write_term(slot.term, cursor, scope, slot.empty_allowed)
        elif child is not None:
            self.write_element(repeating, child, scope, occurrences == 0)
        elif occurrences < self.least_separated(repeating):
            self.write_missing(repeating, cursor.parent, scope, slot.empty_allowed)

    def after_repeats(self, node: GroupNode, term: ElementNode, cursor: Cursor, scope: Scope, occurrences: int) -> None:
        """Check the number of occurrences, and write the stop value."""
        if term.occurs == OCCURS_STOP:
            separator = node.separator
            assert separator is not None
            if occurrences or node.separator_position == PREFIX:
                self.put_mark(separator.output, node.fill)
            stop = Element(term.name, term.stop_values[0], term.type, term.namespace)
            stop.parent = cursor.parent
            self.write_element(term, stop, scope, False)
            if node.separator_position == POSTFIX:
                self.put_mark(separator.output, node.fill)
        elif term.occurs == OCCURS_COMPUTED:
            self.least(term, cursor.parent, occurrences)

    def least_separated(self, term: ElementNode) -> int:
        """Return how many occurrences of a repeating member are required."""
        if term.occurs == OCCURS_FIXED:
            return term.max_occurs
        return term.min_occurs if term.occurs == OCCURS_IMPLICIT else 0

    def must_write(self, slot: Slot, term: ElementNode, occurrences: int) -> bool:
        """Return whether a position must be written although no child is left for it."""
        if term.occurs == OCCURS_COMPUTED or term.occurs == OCCURS_STOP:
            return False
        if occurrences < self.least_separated(term):
            return True
        # An absent occurrence keeps its place up to the largest number, unless members are not told by position.
        return slot.behaviour != NON_POSITIONAL and occurrences < term.max_occurs

    def droppable(self, node: GroupNode, slot: Slot, absent: bool) -> bool:
        """Return whether an empty member loses its separator: everywhere, or at the end."""
        if node.suppression == ANY:
            term = slot.term
            if isinstance(term, ElementNode) and term.occurs in (OCCURS_FIXED, OCCURS_COMPUTED):
                return False
            return True
        if absent and node.suppression == TRAILING:
            return True
        return slot.behaviour == TRAILING_LAX or slot.behaviour == TRAILING_STRICT

    # Tagged structures of MRM.

    def write_tagged(self, node: GroupNode, cursor: Cursor, scope: Scope) -> None:
        """Write members with their tags, in the order of the tree."""
        mark = node.separator
        inner = scope.extended(mark)
        started = False
        members: dict[str, ElementNode] = {}
        for member in node.tags.values():
            members[member.name] = member
        while True:
            child = cursor.peek()
            if child is None:
                break
            found = members.get(child.name)
            if found is None:
                if node.open_content:
                    cursor.at += 1
                    continue
                break
            if started and mark is not None:
                self.put_mark(mark.output, node.fill)
            started = True
            self.write_tagged_member(node, found, cursor, inner)
        for slot in node.slots:
            term = slot.term
            if isinstance(term, ElementNode) and not term.optional and term.has_default:
                if self.is_missing(term, cursor):
                    if started and mark is not None:
                        self.put_mark(mark.output, node.fill)
                    started = True
                    default = Element(term.name, term.default, term.type, term.namespace)
                    default.parent = cursor.parent
                    self.write_with_tag(node, term, default, inner)

    def is_missing(self, node: ElementNode, cursor: Cursor) -> bool:
        """Return whether no child is the element of a node."""
        for child in cursor.items:
            if is_of(child, node):
                return False
        return True

    def write_tagged_member(self, node: GroupNode, member: ElementNode, cursor: Cursor, scope: Scope) -> None:
        """Write the next child with its tag, and its other occurrences behind repeating element delimiters."""
        child = cursor.take(member)
        if child is None:
            left = cursor.peek()
            raise self.error(UNEXPECTED, member, left, "it is not in the model of its structure")
        self.write_with_tag(node, member, child, scope)
        separator = member.repeat_separator
        while separator is not None and member.occurs != ONCE:
            child = cursor.take(member)
            if child is None:
                break
            self.put_mark(separator.output, node.fill)
            self.write_element(member, child, scope.extended(separator), False)

    def write_with_tag(self, node: GroupNode, member: ElementNode, child: Element, scope: Scope) -> None:
        """Write a tag and the data behind it."""
        self.put_mark(member.tag_bytes, node.fill)
        if node.tag_separator is not None and not node.tag_length:
            self.out += node.tag_separator.output
        if member.repeat_separator is not None:
            scope = scope.extended(member.repeat_separator)
        if not node.encoded_length:
            self.write_element(member, child, scope, True)
            return
        apart = self.out
        base = self.base
        self.base += len(apart) + node.encoded_length
        self.out = bytearray()
        self.write_element(member, child, scope, True)
        data = bytes(self.out)
        self.out = apart
        self.base = base
        charset = node.charset
        assert charset is not None
        length = str(len(data) // charset.unit + node.encoded_length_extra).rjust(node.encoded_length, "0")
        if len(length) > node.encoded_length:
            raise self.error(TOO_LONG, member, child, f"its length {length} has more than {node.encoded_length} digits")
        self.out += length.encode(charset.codec)
        self.out += data

    # Choices.

    def write_choice(self, node: GroupNode, cursor: Cursor, scope: Scope) -> None:
        """Write the member of a choice that the tree has."""
        start = self.position()
        if node.unresolved:
            self.write_unresolved(node, cursor, scope)
        elif node.order == TAGGED:
            self.write_tagged(node, cursor, scope)
        else:
            branch = self.known_branch(node, cursor)
            if branch is not None:
                self.write_term(branch, cursor, scope, False)
            elif node.slots:
                child = cursor.peek()
                found = "nothing" if child is None else child.name
                raise self.error(
                    NO_BRANCH,
                    node,
                    cursor.parent,
                    f"no member of a choice starts with {found}",
                )
        if node.length:
            missing = 8 * node.length - (self.position() - start)
            if missing < 0:
                raise self.error(
                    TOO_LONG, node, cursor.parent, f"a member of a choice is longer than its {node.length} bytes"
                )
            self.fill_bits(missing, node.fill)

    def known_branch(self, node: GroupNode, cursor: Cursor) -> Term | None:
        """Return the branch of a choice; later passes take that of the first, as the tree has hidden elements then."""
        if not self.computes:
            return self.branch_of(node, cursor)
        place = f"{node.index} {id(cursor.parent)}"
        count = self.visits.get(place, 0)
        self.visits[place] = count + 1
        key = f"{place} {count}"
        if key in self.chosen:
            return self.chosen[key]
        branch = self.branch_of(node, cursor)
        self.chosen[key] = branch
        return branch

    def branch_of(self, node: GroupNode, cursor: Cursor) -> Term | None:
        """Return the branch that starts with the next child, or one that needs no child."""
        child = cursor.peek()
        if child is not None and not node.hidden:
            for slot in node.slots:
                term = slot.term
                for namespace, name in term.starts:
                    if child.name == name and (child.namespace == namespace or not child.namespace):
                        return term
        for slot in node.slots:
            if slot.term.optional and not node.hidden:
                return slot.term
        for slot in node.slots:
            if slot.term.writable:
                return slot.term
        return None

    def write_unresolved(self, node: GroupNode, cursor: Cursor, scope: Scope) -> None:
        """Write one of the members that overlay each other: the changed one, or else the longest."""
        run: list[Element] = []
        while True:
            child = cursor.peek()
            if child is None or child.name not in node.names:
                break
            run.append(child)
            cursor.at += 1
        if not run:
            if node.slots:
                self.write_term(node.slots[0].term, cursor, scope, False)
            return
        wanted: Element | None = None
        if self.some_unchanged(run):
            for child in run:
                if child.changed:
                    wanted = child
                    break
        if wanted is None:
            # The longest member says most about the bytes.
            wanted = run[0]
            longest = -1
            for child in run:
                for slot in node.slots:
                    index = slot.term.index
                    if child.name in node.branch_names[index] and node.branch_sizes[index] > longest:
                        longest = node.branch_sizes[index]
                        wanted = child
        for slot in node.slots:
            names = node.branch_names[slot.term.index]
            if wanted.name in names:
                inner = Cursor(cursor.parent)
                inner.items = [child for child in run if child.name in names]
                self.write_term(slot.term, inner, scope, False)
                return

    def some_unchanged(self, run: list[Element]) -> bool:
        """Return whether the members come from a message: then a changed one was set since."""
        for child in run:
            if not child.changed:
                return True
        return False
