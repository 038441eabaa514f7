"""Writing, upper half: structures, occurrences, sequences, choices, and whole messages.

    write_message(plan, element)    the bytes of a message element with its children

The children of a structure are taken in the order of the tree; each member of the model takes those that have its name.
A child that no member takes is an error, and so is a required member that is missing, unless it has a default.

Values that are computed on output (outputValueCalc, lengths) may depend on bytes that are written later. The writer
then works on a copy of the tree, with hidden and computed elements added, and writes it again until no value and no
length changes any more: two passes for a length before its data, at most PASSES_MAX.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.formats.model.expression import evaluate, text_of
from flintmq.broker.formats.model.nodes import (
    BITS,
    CHARACTERS,
    CHOICE,
    COMPUTED,
    ELEMENT,
    EMBEDDED,
    FIXED,
    OCCURS_COMPUTED,
    OCCURS_FIXED,
    OCCURS_IMPLICIT,
    OCCURS_STOP,
    ONCE,
    PREFIXED,
    TAGGED,
    WITH_INITIATOR,
    WITH_TERMINATOR,
    Check,
    ElementNode,
    GroupNode,
    Term,
)
from flintmq.broker.formats.model.plan import Plan, convert
from flintmq.broker.formats.model.text import Scope
from flintmq.broker.formats.model.write_fields import (
    EXPRESSION,
    FILL_MAX,
    LIMIT,
    MISSING,
    NO_BRANCH,
    TOO_LONG,
    UNEXPECTED,
)
from flintmq.broker.formats.model.write_groups import Cursor, GroupWriter
from flintmq.broker.tree.element import Element

#: How often a message is written until all computed values are known.
PASSES_MAX: Final = 12


@final
class Writer(GroupWriter):
    """Writes one message."""

    def __init__(self, plan: Plan, computes: bool) -> None:
        super().__init__(plan, computes)
        #: Members of the structure may be in any order.
        self.any_order: bool = False
        #: Values of variables at the start.
        self.initial_values: dict[str, object] = {}

    # Terms.

    def write_term(self, term: Term, cursor: Cursor, scope: Scope, empty_allowed: bool) -> None:
        """Write an element (all its occurrences) or a group."""
        if term.kind == ELEMENT:
            assert isinstance(term, ElementNode)
            if term.occurs == ONCE:
                self.write_once(term, cursor, scope, empty_allowed)
            else:
                self.write_occurrences(term, cursor, scope)
            return
        assert isinstance(term, GroupNode)
        self.write_group(term, cursor, scope)

    def next_of(self, node: ElementNode, cursor: Cursor) -> Element | None:
        """Return the next child for a node, adding one that is computed or hidden."""
        if node.input_value is not None:
            found = cursor.take(node)
            return self.added(node, cursor) if found is None and self.computes else found
        child = cursor.take_anywhere(node) if self.any_order else cursor.take(node)
        if child is None and self.computes and (node.output_value is not None or node.hidden and node.occurs == ONCE):
            child = self.added(node, cursor)
        return child

    def added(self, node: ElementNode, cursor: Cursor) -> Element:
        """Add an element to the copy of the tree, before the next child."""
        element = Element(node.name, None, node.type, node.namespace)
        if node.output_value is None and node.has_default:
            element.value = node.default
        following = cursor.peek()
        if following is None:
            cursor.parent.append(element)
        else:
            following.insert_before(element)
        cursor.items.insert(cursor.at, element)
        cursor.at += 1
        self.different = True
        return element

    def write_once(self, node: ElementNode, cursor: Cursor, scope: Scope, empty_allowed: bool) -> None:
        """Write an element that occurs once."""
        child = self.next_of(node, cursor)
        if child is not None:
            self.write_element(node, child, scope, True)
        elif node.input_value is None:
            self.write_missing(node, cursor.parent, scope, empty_allowed)

    def write_missing(self, node: ElementNode, parent: Element, scope: Scope, empty_allowed: bool) -> None:
        """Write the bytes for a required element that is not in the tree: its default, or nothing if allowed."""
        stand_in = Element(node.name, None, node.type, node.namespace)
        stand_in.parent = parent
        if node.content is not None:
            if empty_allowed and self.plan.family == "MRM":
                return
            self.write_element(node, stand_in, scope, True)
            return
        if node.nil_for_default and not empty_allowed:
            self.write_element(node, stand_in, scope, True)
            return
        if node.has_default:
            stand_in.value = node.default
            self.write_element(node, stand_in, scope, True)
            return
        if node.output_value is not None:
            self.write_element(node, stand_in, scope, True)
            return
        if empty_allowed:
            return
        if node.hidden:
            if node.placed:
                self.place(node, True)
            self.write_hidden(node, stand_in)
            return
        raise self.error(MISSING, node, parent, "it is required, missing, and has no default")

    def write_hidden(self, node: ElementNode, element: Element) -> None:
        """Write a hidden element without a value: a filler of MRM is filled."""
        if self.plan.family == "DFDL" or node.length_kind != FIXED or node.units == BITS:
            raise self.error(MISSING, node, element, "it is hidden and has neither a computed value nor a default")
        self.fill_bits(8 * node.length, node.fill)

    def write_occurrences(self, node: ElementNode, cursor: Cursor, scope: Scope) -> None:
        """Write all occurrences of an element."""
        separator = node.repeat_separator
        inner = scope.extended(separator)
        outer_index = self.env.occurs_index
        count = 0
        while True:
            child = self.next_of(node, cursor) if self.may_repeat(node, count) else None
            if child is None:
                break
            if separator is not None and count:
                self.put_mark(separator.output, node.fill)
            count += 1
            self.env.occurs_index = count
            self.write_element(node, child, inner, count == 1)
        count = self.write_absent(node, cursor, inner, count)
        if node.occurs == OCCURS_STOP:
            stop = Element(node.name, node.stop_values[0], node.type, node.namespace)
            stop.parent = cursor.parent
            if separator is not None and count:
                self.put_mark(separator.output, node.fill)
            self.write_element(node, stop, inner, count == 0)
        self.env.occurs_index = outer_index

    def may_repeat(self, node: ElementNode, count: int) -> bool:
        """Return whether another occurrence may follow. maxOccurs counts only for kinds that depend on it."""
        if node.occurs != OCCURS_IMPLICIT and node.occurs != OCCURS_FIXED:
            return True
        return node.max_occurs < 0 or count < node.max_occurs

    def least(self, node: ElementNode, parent: Element, count: int) -> int:
        """Return how many occurrences there must be."""
        if node.occurs == OCCURS_FIXED:
            return node.max_occurs
        if node.occurs == OCCURS_COMPUTED:
            if node.count_path is None:
                return 0
            # MRM: the field that counts must agree with the tree, or the message could not be read.
            stand_in = Element(node.name)
            stand_in.parent = parent
            try:
                value = self.value_of_path(node.count_path, stand_in)
            except ValueError as error:
                raise self.error(EXPRESSION, node, parent, str(error)) from None
            text = "" if value is None else text_of(value)
            if text.isdigit() and len(text) < 10 and int(text) == count:
                return count
            raise self.error(
                UNEXPECTED,
                node,
                parent,
                f"there are {count} occurrences and {'.'.join(node.count_path.names)} says {text[:20] or 'NULL'}",
            )
        return node.min_occurs if node.occurs == OCCURS_IMPLICIT else 0

    def write_absent(self, node: ElementNode, cursor: Cursor, scope: Scope, count: int) -> int:
        """Write defaults for required occurrences that are missing."""
        least = self.least(node, cursor.parent, count)
        while count < least:
            if node.repeat_separator is not None and count:
                self.put_mark(node.repeat_separator.output, node.fill)
            if self.plan.family == "DFDL" and not node.has_default and node.content is None and not node.hidden:
                raise self.error(MISSING, node, cursor.parent, f"it occurs {count} times and must occur {least} times")
            self.write_missing(node, cursor.parent, scope, False)
            count += 1
        return count

    # Elements.

    def write_element(self, node: ElementNode, element: Element, scope: Scope, first: bool) -> None:
        """Write one occurrence of an element."""
        if node.input_value is not None:
            return
        if node.variants is not None:
            self.env.element = element
            try:
                resolved = node.variants.resolve(self.env)
            except ValueError as error:
                raise self.error(EXPRESSION, node, element, str(error)) from None
            assert isinstance(resolved, ElementNode)
            node = resolved
        saved = self.push_variables(node, element) if node.new_variables else None
        if node.output_value is not None:
            self.computed_value(node, element)
        if node.placed or self.bit_count:
            self.place(node, first)
        if node.content is not None:
            self.write_structure(node, element, scope)
        elif element.value is None and node.output_value is not None:
            self.write_unknown(node, element)
        elif element.value is None and node.hidden and not node.nillable:
            self.write_hidden(node, element)
        else:
            self.write_simple(node, element, scope)
        if node.trailing_skip:
            self.fill_bits(node.trailing_skip, node.fill)
        if node.after:
            self.set_variables(node.after, element)
        if saved is not None:
            self.pop_variables(saved)

    def write_unknown(self, node: ElementNode, element: Element) -> None:
        """Write the place of a value that is not known yet."""
        if node.initiator is not None:
            self.put_mark(node.initiator.output, node.fill)
        if node.length_kind == FIXED:
            self.fill_bits(node.length if node.units == BITS else 8 * node.length, node.fill)
        if node.terminator is not None:
            self.put_mark(node.terminator.output, node.fill)

    def start_variables(self) -> None:
        """Give variables their values at the start. A default may depend on a variable that is defined later."""
        env = self.env
        for _ in range(len(self.plan.initial)):
            missing = False
            for name, expression, value in self.plan.initial:
                if expression is None:
                    env.variables[name] = value
                elif name not in env.variables:
                    try:
                        env.variables[name] = convert(evaluate(expression, env), self.plan.variables[name].value)
                    except ValueError as error:
                        self.unknown = str(error)
                        missing = True
            if not missing:
                break
        self.unknown = ""
        self.initial_values = dict(env.variables)

    def set_variables(self, checks: list[Check], element: Element) -> None:
        """Give variables their values. Asserts are not tested on output."""
        env = self.env
        for check in checks:
            if not check.variable or check.expression is None:
                continue
            env.element = element
            try:
                value = evaluate(check.expression, env)
                if check.variable in self.plan.variables and value is not None:
                    value = convert(value, self.plan.variables[check.variable].value)
            except ValueError as error:
                self.unknown = str(error)
                continue
            env.variables[check.variable] = value

    def push_variables(self, term: Term, element: Element) -> dict[str, object]:
        """Give variables the value they have inside a term, and return their values before."""
        env = self.env
        saved: dict[str, object] = {}
        for name, expression, literal in term.new_variables:
            saved[name] = env.variables.get(name)
            value: object = literal
            if expression is not None:
                env.element = element
                try:
                    value = evaluate(expression, env)
                except ValueError as error:
                    self.unknown = str(error)
                    value = None
            elif literal is None:
                value = self.initial_values.get(name)
            env.variables.pop(name, None)
            if value is not None:
                env.variables[name] = convert(value, self.plan.variables[name].value)
        return saved

    def pop_variables(self, saved: dict[str, object]) -> None:
        """Give variables back their values."""
        for name, value in saved.items():
            if value is None:
                self.env.variables.pop(name, None)
            else:
                self.env.variables[name] = value

    def write_structure(self, node: ElementNode, element: Element, scope: Scope) -> None:
        """Write an element with content."""
        self.enter(element)
        content = node.content
        assert content is not None
        nil = node.nillable and node.nil_empty and element.first_child() is None and element.value is None
        nil = nil and not content.optional
        if node.initiator is not None and (not nil or node.nil_policy & WITH_INITIATOR):
            self.put_mark(node.initiator.output, node.fill)
        start = self.position()
        inner = scope.extended(node.terminator)
        if nil:
            pass
        elif node.length_kind == PREFIXED:
            self.write_prefixed(node, content, element, inner)
        else:
            self.write_content(content, element, inner)
        if not nil and (node.length_kind == FIXED or node.length_kind == COMPUTED):
            self.fill_structure(node, element, self.position() - start)
        if self.uses_lengths:
            size = (self.position() - start) // 8
            if node.length_kind == PREFIXED and not nil:
                size = self.content_length
            self.note_lengths(element, size, size)
        if node.terminator is not None and (not nil or node.nil_policy & WITH_TERMINATOR):
            self.put_mark(node.terminator.output, node.fill)
        self.depth -= 1

    def write_content(self, content: GroupNode, element: Element, scope: Scope) -> None:
        """Write the children of an element."""
        outer = self.any_order
        self.any_order = False
        cursor = Cursor(element)
        self.write_group(content, cursor, scope)
        self.any_order = outer
        left = cursor.peek()
        if left is not None:
            raise self.error(UNEXPECTED, None, left, "it is not in the model of its structure, or not at this place")

    def write_prefixed(self, node: ElementNode, content: GroupNode, element: Element, scope: Scope) -> None:
        """Write a structure with its length before it."""
        if self.bit_count:
            self.flush_bits(node.fill)
        apart = self.out
        base = self.base
        self.base += len(apart)
        self.out = bytearray()
        self.write_content(content, element, scope)
        if self.bit_count:
            self.flush_bits(node.fill)
        data = bytes(self.out)
        self.out = apart
        self.base = base
        self.content_length = len(data)
        self.write_prefix(node, element, data)
        self.out += data

    #: Bytes of the last structure with a prefix, without it.
    content_length: int = 0

    def fill_structure(self, node: ElementNode, element: Element, written: int) -> None:
        """Fill a structure of known length."""
        length = node.length if node.length_kind == FIXED else self.known_length(node, element)
        if length < 0:
            return
        if node.units == CHARACTERS:
            charset = node.charset
            assert charset is not None
            length *= charset.unit
        if node.units != BITS:
            length *= 8
        if written > length:
            raise self.error(TOO_LONG, node, element, f"it has {written // 8} bytes and its length is {length // 8}")
        if length - written > 8 * FILL_MAX:
            raise self.error(LIMIT, node, element, f"its length is {length // 8} bytes")
        self.fill_bits(length - written, node.fill)

    # Groups.

    def write_group(self, node: GroupNode, cursor: Cursor, scope: Scope) -> None:
        """Write a sequence or choice."""
        self.enter(cursor.parent)
        if node.variants is not None:
            self.env.element = cursor.parent
            try:
                resolved = node.variants.resolve(self.env)
            except ValueError as error:
                raise self.error(EXPRESSION, node, cursor.parent, str(error)) from None
            assert isinstance(resolved, GroupNode)
            node = resolved
        saved = self.push_variables(node, cursor.parent) if node.new_variables else None
        if node.placed or self.bit_count:
            self.place(node, True)
        if node.first:
            self.set_variables(node.first, cursor.parent)
        if node.initiator is not None:
            self.put_mark(node.initiator.output, node.fill)
        inner = scope.extended(node.terminator)
        outer_order = self.any_order
        if node.reorder:
            self.any_order = True
        if node.kind == CHOICE:
            self.write_choice(node, cursor, inner)
        elif node.order == TAGGED:
            self.write_tagged(node, cursor, inner)
        elif node.order == EMBEDDED:
            raise self.error(NO_BRANCH, node, cursor.parent, "an embedded message is not described by this model")
        elif node.separator is not None:
            self.write_separated(node, cursor, inner)
        else:
            for slot in node.slots:
                self.write_term(slot.term, cursor, inner, False)
        self.any_order = outer_order
        if node.terminator is not None:
            self.put_mark(node.terminator.output, node.fill)
        if node.trailing_skip:
            self.fill_bits(node.trailing_skip, node.fill)
        if node.after:
            self.set_variables(node.after, cursor.parent)
        if saved is not None:
            self.pop_variables(saved)
        self.depth -= 1


def write_message(plan: Plan, element: Element) -> bytes:
    """Return the bytes of a message element with its children. Raises a ParserException."""
    node: ElementNode = plan.root
    computes = plan.has_expressions or plan.has_hidden or plan.has_variables
    if not computes:
        writer = Writer(plan, False)
        writer.env.root = element
        writer.write_element(node, element, plan.scope, True)
        writer.flush_bits(0)
        return bytes(writer.out)
    copied = copy_tree(element)
    writer = Writer(plan, True)
    writer.env.root = copied
    for _ in range(PASSES_MAX):
        writer.out = bytearray()
        writer.bits = 0
        writer.bit_count = 0
        writer.depth = 0
        writer.unknown = ""
        writer.different = False
        writer.env.variables.clear()
        writer.visits.clear()
        writer.start_variables()
        writer.write_element(node, copied, plan.scope, True)
        writer.flush_bits(0)
        if not writer.different:
            break
    if writer.unknown or writer.different:
        text = writer.unknown or "computed values depend on each other"
        raise writer.error(EXPRESSION, node, copied, f"a computed value cannot be found: {text}")
    return bytes(writer.out)


def copy_tree(element: Element) -> Element:
    """Return a plain copy of a tree, all of it built, to which a writer may add elements."""
    top = Element(element.name, element.value, element.type, element.namespace)
    top.changed = element.changed
    work: list[tuple[Element, Element]] = [(element, top)]
    while work:
        original, made = work.pop()
        child = original.first_child()
        while child is not None:
            copied = Element(child.name, child.value, child.type, child.namespace)
            copied.changed = child.changed
            made.append_built(copied)
            if child.pending or child.first is not None:
                work.append((child, copied))
            child = child.next_sibling()
    return top
