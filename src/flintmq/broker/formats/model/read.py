"""Reading, upper half: structures, occurrences, sequences, choices, and whole messages.

    read_message(plan, data, holder)    append the message element to `holder`; raise a ParserException if it fails

Points of uncertainty are optional occurrences and members of choices: the reader notes where it is, tries, and goes
back if that fails, unless a discriminator said meanwhile that the attempt was right. Members of a separated sequence
are told apart as DFDL says (section 14.2): by position, by position except at the end, or by their content.

A hidden element stands in the tree while the message is read, because expressions may refer to it, and is taken out
at the end.

The module is compiled by mypyc. Recursion is bounded by DEPTH_MAX, attempts by STEPS_MIN and STEPS_PER_BYTE.
"""

from __future__ import annotations

from typing import Final, final

from flintmq.broker.formats.model.nodes import (
    CHOICE,
    DELIMITED,
    ELEMENT,
    EMBEDDED,
    HIDDEN,
    IMPLICIT,
    OCCURS_COMPUTED,
    OCCURS_FIXED,
    OCCURS_PARSED,
    OCCURS_STOP,
    ONCE,
    TAGGED,
    UNORDERED,
    ElementNode,
    GroupNode,
    Term,
)
from flintmq.broker.formats.model.plan import Plan, convert
from flintmq.broker.formats.model.read_groups import GroupReader
from flintmq.broker.formats.model.read_state import BAD_VALUE, EXPRESSION, NO_BRANCH, NO_MARKUP, TOO_LONG, TOO_SHORT
from flintmq.broker.formats.model.text import Scope
from flintmq.broker.tree.element import Element

#: Occurrences of one element.
OCCURS_MAX: Final = 10_000_000


@final
class Reader(GroupReader):
    """Reads one message."""

    # Terms.

    def read_term(self, term: Term, parent: Element, scope: Scope, required: bool) -> bool:
        """Read an element (all its occurrences) or a group."""
        if term.kind == ELEMENT:
            assert isinstance(term, ElementNode)
            if term.occurs == ONCE:
                return self.read_element(term, parent, scope, required)
            return self.read_occurrences(term, parent, scope)
        assert isinstance(term, GroupNode)
        return self.read_group(term, parent, scope)

    def read_element(self, node: ElementNode, parent: Element, scope: Scope, required: bool) -> bool:
        """Read one occurrence of an element and append it."""
        self.spend(parent, node)
        if node.variants is not None:
            variant = self.variant_of(node, parent)
            if variant is None:
                return False
            node = variant
        if node.input_value is not None:
            return self.compute(node, parent)
        saved: dict[str, tuple[object, bool, bool, bool]] | None = None
        if node.new_variables:
            saved = self.entered_variables(node, parent)
            if saved is None:
                return False
        if (node.placed or self.bit or node.before) and not self.prepare(node, parent):
            return False
        self.use_default = required
        if node.content is None:
            done = self.read_simple(node, parent, scope)
        else:
            done = self.read_structure(node, parent, scope)
        if not done:
            return self.failed_element(node, parent)
        if node.trailing_skip and not self.skip_behind(node, parent):
            return False
        if required and node.empty_is_absent and self.is_empty_field(node):
            return self.fail(BAD_VALUE, node, parent, "it is required and empty")
        if node.after and not self.run_checks_of_element(node, parent):
            return False
        if saved is not None:
            self.pop_variables(node, saved)
        return True

    def variant_of(self, node: ElementNode, parent: Element) -> ElementNode | None:
        """Return the node that the expressions of an element select; None if they fail."""
        stand_in = Element(node.name, None, node.type, node.namespace)
        stand_in.parent = parent
        resolved = self.resolved(node, stand_in)
        assert resolved is None or isinstance(resolved, ElementNode)
        return resolved

    def entered_variables(self, term: Term, parent: Element) -> dict[str, tuple[object, bool, bool, bool]] | None:
        """Give variables the value they have inside a term; return their values before it, None after a failure."""
        try:
            return self.push_variables(term, parent)
        except ValueError as error:
            self.fail(EXPRESSION, term, parent, str(error))
            return None

    def prepare(self, node: ElementNode, parent: Element) -> bool:
        """Move to the place of an element, and test the patterns that the data must match there."""
        if (node.placed or self.bit) and not self.place(node, parent):
            return False
        return not node.before or self.run_patterns(node, parent, node.charset)

    def failed_element(self, node: ElementNode, parent: Element) -> bool:
        """Run the discriminators of a structure that was read in part: one that is true makes the failure final."""
        made = parent.last
        if node.content is not None and node.after and made is not None and made.name == node.name:
            self.run_discriminators(node, made)
        return False

    def skip_behind(self, term: Term, parent: Element) -> bool:
        """Skip the bits behind a term."""
        if self.skip_bits(term.trailing_skip):
            return True
        return self.fail(TOO_SHORT, term, parent, "the data ends in the bytes that are skipped behind it")

    def is_empty_field(self, node: ElementNode) -> bool:
        """Return whether the last element is a field with an empty representation that is not nil."""
        return self.was_empty and not self.was_nil and node.content is None

    def run_checks_of_element(self, node: ElementNode, parent: Element) -> bool:
        """Run the checks of the last element. They leave the state of that element as it was."""
        empty, nil = self.was_empty, self.was_nil
        made = parent.last
        assert made is not None
        if not self.run_checks(node, made, parent):
            return False
        self.was_empty, self.was_nil = empty, nil
        return True

    def compute(self, node: ElementNode, parent: Element) -> bool:
        """Append an element with a computed value: inputValueCalc."""
        element = Element(node.name, None, node.type, node.namespace)
        element.changed = False
        element.parent = parent
        expression = node.input_value
        assert expression is not None
        try:
            element.value = convert(self.value_of(expression, element), node.logical)
        except ValueError as error:
            return self.fail(EXPRESSION, node, parent, str(error))
        parent.append_built(element)
        return not node.after or self.run_checks(node, element, parent)

    def push_variables(self, term: Term, element: Element) -> dict[str, tuple[object, bool, bool, bool]]:
        """Give variables the value they have inside a term, and return their values before."""
        saved: dict[str, tuple[object, bool, bool, bool]] = {}
        env = self.env
        for name, expression, literal in term.new_variables:
            known = name in env.variables
            saved[name] = (
                env.variables.get(name),
                known,
                name in env.read,
                name in self.set_variables,
            )
            value: object = literal
            if expression is not None:
                value = self.value_of(expression, element)
            elif literal is None:
                value = self.default_of(name)
            env.variables.pop(name, None)
            if value is not None:
                env.variables[name] = convert(value, self.plan.variables[name].value)
            env.read.discard(name)
            self.set_variables.discard(name)
        return saved

    def pop_variables(self, term: Term, saved: dict[str, tuple[object, bool, bool, bool]] | None) -> None:
        """Give variables back their values before a term."""
        if saved is None:
            return
        env = self.env
        for name, (value, known, read, was_set) in saved.items():
            env.variables.pop(name, None)
            if known:
                env.variables[name] = value
            if read:
                env.read.add(name)
            else:
                env.read.discard(name)
            if was_set:
                self.set_variables.add(name)
            else:
                self.set_variables.discard(name)

    # Structures.

    def read_structure(self, node: ElementNode, parent: Element, scope: Scope) -> bool:
        """Read one occurrence of an element with content, and append it."""
        self.enter(parent)
        if node.initiator is not None and not self.read_initiator(node, parent, scope):
            self.depth -= 1
            return False
        element = Element(node.name, None, node.type, node.namespace)
        element.changed = False
        self.entries += 1
        element.entry = self.entries
        if self.env.root is None:
            self.env.root = element
        start = self.pos
        inner = scope.extended(node.terminator)
        element.parent = parent
        nil = node.nillable and node.nil_empty and self.is_empty_structure(node, element, parent, inner)
        if nil:
            parent.append_built(element)
            done = True
        elif node.length_kind == IMPLICIT or node.length_kind == DELIMITED:
            parent.append_built(element)
            assert node.content is not None
            done = self.read_group(node.content, element, inner)
        else:
            if self.bit:
                self.align_byte()
            stop = self.region(node, parent, element, inner)
            parent.append_built(element)
            start = self.pos
            if self.uses_lengths and stop >= 0:
                # The members may ask how long their structure is.
                self.kept.append(element)
                self.env.lengths[id(element)] = (stop - start, stop - start)
            done = stop >= 0 and self.read_boxed(node, element, inner, stop)
        self.depth -= 1
        if not done:
            return False
        if self.uses_lengths:
            self.kept.append(element)
            self.env.lengths[id(element)] = (self.pos - start, self.pos - start)
        if node.terminator is not None and not self.read_terminator(node, parent):
            return False
        # IBM's rule: an optional structure without content is absent, even if its members may be nil.
        self.was_empty = self.pos == start and (element.first is None or node.empty_is_absent)
        self.was_nil = nil
        return True

    def read_boxed(self, node: ElementNode, element: Element, scope: Scope, stop: int) -> bool:
        """Read the content of a structure of known length."""
        outer = self.end
        self.end = stop
        assert node.content is not None
        done = self.read_group(node.content, element, scope)
        self.end = outer
        if done:
            # What the members did not use is filling.
            self.pos = stop
            self.bit = 0
        return done

    def is_empty_structure(self, node: ElementNode, element: Element, parent: Element, scope: Scope) -> bool:
        """Return whether a structure that may be nil has no content."""
        if node.length_kind != IMPLICIT and node.length_kind != DELIMITED:
            at = self.pos
            stop = self.region(node, parent, element, scope)
            if stop == self.pos:
                return True
            self.pos = at
            return False
        return self.pos >= self.end or scope.at(self.data, self.pos, self.end) > 0

    # Occurrences without separators of a sequence.

    def bounds(self, node: ElementNode, parent: Element) -> tuple[int, int]:
        """Return the least and largest number of occurrences; -1 = no bound. Raises ValueError."""
        kind = node.occurs
        if kind == OCCURS_FIXED:
            return node.max_occurs, node.max_occurs
        if kind == OCCURS_COMPUTED:
            stand_in = Element(node.name, None, node.type, node.namespace)
            stand_in.parent = parent
            count = self.number_of(node.count, node.count_path, stand_in, parent)
            if not 0 <= count <= OCCURS_MAX:
                raise ValueError(f"the number of occurrences is {count}")
            return count, count
        if kind == OCCURS_PARSED or kind == OCCURS_STOP:
            return 0, -1
        return node.min_occurs, node.max_occurs

    def read_occurrences(self, node: ElementNode, parent: Element, scope: Scope) -> bool:
        """Read all occurrences of an element."""
        try:
            least, most = self.bounds(node, parent)
        except ValueError as error:
            return self.fail(EXPRESSION, node, parent, str(error))
        env = self.env
        outer_index = env.occurs_index
        separator = node.repeat_separator
        inner = scope.extended(separator)
        count = 0
        done = True
        while most < 0 or count < most:
            before = self.pos
            before_bit = self.bit
            required = count < least
            if separator is not None and count and not self.read_mark(separator, inner):
                done = self.may_end(node, parent, required)
                break
            env.occurs_index = count + 1
            if required or node.occurs == OCCURS_STOP:
                outcome = 1 if self.read_element(node, parent, inner, required) else -1
            else:
                outcome = self.attempt(node, parent, inner, before, before_bit)
            if outcome <= 0:
                done = outcome == 0
                break
            if node.occurs == OCCURS_STOP and self.dropped_stop_value(node, parent):
                break
            stuck = self.pos == before and self.bit == before_bit
            if not required and self.was_empty and not self.was_nil:
                # An empty optional occurrence is absent.
                made = parent.last
                assert made is not None
                self.truncate(parent, made.previous)
                if stuck:
                    break
            count += 1
            if stuck and most < 0:
                # No progress: there is no end to this.
                break
        env.occurs_index = outer_index
        return done

    def may_end(self, node: ElementNode, parent: Element, required: bool) -> bool:
        """Return whether occurrences may end where a separator is missing; note the failure if not."""
        separator = node.repeat_separator
        assert separator is not None
        if not required:
            return True
        return self.fail(NO_MARKUP, node, parent, f"repeating element delimiter '{separator.text}' not found")

    def attempt(self, node: ElementNode, parent: Element, scope: Scope, pos: int, bit: int) -> int:
        """Read an optional occurrence: 1 = read, 0 = not there, -1 = there and wrong. Go back to `pos` if not there."""
        last = parent.last
        saved = self.save_variables()
        point = self.open_point(node)
        if self.read_element(node, parent, scope, False):
            self.close_point(point)
            return 1
        if self.close_point(point):
            return -1
        self.pos = pos
        self.bit = bit
        self.truncate(parent, last)
        self.restore_variables(saved)
        return 0

    # Groups.

    def read_group(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read a sequence or choice."""
        self.spend(parent, node)
        self.enter(parent)
        done = self.read_framed_group(node, parent, scope)
        self.depth -= 1
        return done

    def read_framed_group(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        if node.variants is not None:
            resolved = self.resolved(node, parent)
            if resolved is None:
                return False
            assert isinstance(resolved, GroupNode)
            node = resolved
        if (node.placed or self.bit) and not self.place(node, parent):
            return False
        saved: dict[str, tuple[object, bool, bool, bool]] | None = None
        if node.new_variables:
            saved = self.entered_variables(node, parent)
            if saved is None:
                return False
        if not self.start_group(node, parent, scope) or not self.read_members(
            node, parent, scope.extended(node.terminator)
        ):
            if node.after:
                self.run_discriminators(node, parent)
            return False
        if node.terminator is not None and not self.read_terminator(node, parent):
            return False
        if node.trailing_skip and not self.skip_behind(node, parent):
            return False
        if node.after and not self.run_checks(node, parent, parent):
            return False
        if saved is not None:
            self.pop_variables(node, saved)
        return True

    def start_group(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Test the patterns before a group, set its variables and read its initiator."""
        if node.before and not self.run_patterns(node, parent, node.charset):
            return False
        if node.first and not self.set_first(node, parent):
            return False
        return node.initiator is None or self.read_initiator(node, parent, scope)

    def read_members(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read the members of a group as its order says."""
        if node.kind == CHOICE:
            return self.read_choice(node, parent, scope)
        if node.order == TAGGED:
            return self.read_tagged(node, parent, scope)
        if node.order == UNORDERED:
            return self.read_unordered(node, parent, scope)
        if node.order == EMBEDDED:
            return self.fail(NO_BRANCH, node, parent, "an embedded message is not described by this model")
        if node.separator is not None:
            return self.read_separated(node, parent, scope)
        return self.read_sequence(node, parent, scope)

    def read_sequence(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read members one after the other."""
        for slot in node.slots:
            if node.may_end_early and self.pos >= self.end:
                # ACORD AL3: a structure may stop before its last fields.
                return True
            if not self.read_term(slot.term, parent, scope, True):
                return False
        return True


def read_message(plan: Plan, data: bytes, holder: Element, spare: int = 0) -> Reader:
    """Read a message, append its element to `holder` and return the reader. Raises a ParserException.

    The last `spare` bits of the data do not belong to the message.
    """
    reader = Reader(plan, data)
    reader.spare = spare
    frame = Element("")
    frame.changed = False
    node: ElementNode = plan.root
    try:
        reader.start_variables()
    except ValueError as error:
        raise reader.error_of(EXPRESSION, 0, str(error), None, node.name) from None
    if not reader.read_term(node, frame, plan.scope, True):
        raise reader.error()
    if plan.strict_end and (reader.pos < reader.size or reader.bit):
        if reader.failed_pos > reader.pos:
            # An optional part was tried and failed further on: that says more than the bytes left over.
            raise reader.error()
        raise reader.error_of(
            TOO_LONG, reader.pos, f"{reader.size - reader.pos} bytes are left behind the message", None, node.name
        )
    made = frame.first
    assert made is not None
    if plan.has_hidden:
        remove_hidden(made)
    made.parent = None
    made.next = None
    holder.append_built(made)
    return reader


def remove_hidden(top: Element) -> None:
    """Take hidden elements out of a tree that was just read."""
    work = [top]
    while work:
        parent = work.pop()
        child = parent.first
        parent.first = None
        parent.last = None
        while child is not None:
            following = child.next
            if not child.type & HIDDEN:
                child.next = None
                parent.append_built(child)
                if child.first is not None:
                    work.append(child)
            child = following
