"""Reading, middle: members of groups. Separated, unordered and tagged sequences, and choices.

Members of a separated sequence are told apart as DFDL says (section 14.2): by position, by position except at the end,
or by their content. `read.py` reads the members themselves.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from flintmq.broker.formats.model.expression import text_of
from flintmq.broker.formats.model.nodes import (
    INFIX,
    MISSING_DEFAULT,
    MISSING_ERROR,
    MISSING_NULL,
    NON_POSITIONAL,
    OCCURS_PARSED,
    OCCURS_STOP,
    ONCE,
    POSITIONAL_NEVER,
    POSTFIX,
    TAGGED,
    TRAILING_STRICT,
    ElementNode,
    GroupNode,
    Slot,
    Term,
)
from flintmq.broker.formats.model.read_fields import FieldReader
from flintmq.broker.formats.model.read_state import (
    BAD_TAG,
    BAD_VALUE,
    EXPRESSION,
    NO_BRANCH,
    NO_MARKUP,
    OCCURRENCES,
    TOO_SHORT,
)
from flintmq.broker.formats.model.text import Scope, characters_span
from flintmq.broker.tree.element import Element

#: How an attempt to read a member of a separated sequence ended.
NORMAL: Final = 1
EMPTY: Final = 2
NIL: Final = 3
ABSENT: Final = 4
MISSING_ITEM: Final = 5
MISSING_SEPARATOR: Final = 6
FAILED: Final = 7

#: Results of `read_any` that are no number of a member.
_NONE: Final = -1
_RESOLVED: Final = -2


@final
class Progress:
    """How far the members of a separated sequence are read."""

    __slots__ = ("started", "result", "prior", "previous_fixed")

    def __init__(self) -> None:
        #: Whether a member was read, so that the next one needs a separator.
        self.started: bool = False
        #: How the last attempt ended, and the one before it.
        self.result: int = NORMAL
        self.prior: int = NORMAL
        #: Whether the last member has a fixed length.
        self.previous_fixed: bool = False

    def ends_empty(self) -> bool:
        """Return whether one of the last two members is empty."""
        return self.result in (EMPTY, ABSENT, MISSING_ITEM) or self.prior in (EMPTY, ABSENT, MISSING_ITEM)


@mypyc_attr(allow_interpreted_subclasses=False)
class GroupReader(FieldReader):
    """Reads the members of groups."""

    # What `read.py` adds.

    def read_term(self, term: Term, parent: Element, scope: Scope, required: bool) -> bool:
        """Read an element (all its occurrences) or a group."""
        raise NotImplementedError

    def read_element(self, node: ElementNode, parent: Element, scope: Scope, required: bool) -> bool:
        """Read one occurrence of an element and append it."""
        raise NotImplementedError

    def read_occurrences(self, node: ElementNode, parent: Element, scope: Scope) -> bool:
        """Read all occurrences of an element."""
        raise NotImplementedError

    def read_group(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read a sequence or choice."""
        raise NotImplementedError

    def bounds(self, node: ElementNode, parent: Element) -> tuple[int, int]:
        """Return the least and largest number of occurrences; -1 = no bound. Raises ValueError."""
        raise NotImplementedError

    # Separated sequences.

    def read_separated(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read members with separators between them, before each or behind each."""
        separator = node.separator
        assert separator is not None
        inner = scope.extended(separator)
        progress = Progress()
        last_slot: Slot | None = None
        for slot in node.slots:
            term = slot.term
            if not slot.represented:
                if not self.read_term(term, parent, inner, True):
                    return False
                continue
            last_slot = slot
            if isinstance(term, ElementNode) and term.occurs != ONCE and term.repeat_separator is None:
                if not self.read_repeats(node, slot, term, parent, inner, progress):
                    return False
                continue
            before = self.pos
            progress.prior = progress.result
            result = self.one_occurrence(node, slot, parent, inner, progress.started, True, progress.previous_fixed)
            progress.result = result
            if result == ABSENT and slot.group_may_be_missing and self.pos == before:
                # No separator: the sequence ends here.
                break
            if result == MISSING_SEPARATOR and slot.empty_allowed and slot.behaviour != POSITIONAL_NEVER:
                if not self.add_missing(node, slot, parent):
                    return False
                continue
            if result >= MISSING_ITEM:
                return False
            progress.previous_fixed = slot.fixed_length
            progress.started = True
        if last_slot is not None and last_slot.behaviour == TRAILING_STRICT and progress.ends_empty():
            return self.fail(OCCURRENCES, last_slot.term, parent, "trailing members are empty")
        return True

    def read_repeats(
        self, node: GroupNode, slot: Slot, term: ElementNode, parent: Element, scope: Scope, progress: Progress
    ) -> bool:
        """Read all occurrences of a repeating member, each with its separator."""
        try:
            least, most = self.bounds(term, parent)
        except ValueError as error:
            return self.fail(EXPRESSION, term, parent, str(error))
        outer_index = self.env.occurs_index
        count = 0
        ended = False
        while most < 0 or count < most:
            self.env.occurs_index = count + 1
            before = self.pos
            required = count < least
            progress.prior = progress.result
            result = self.one_occurrence(node, slot, parent, scope, progress.started, required, progress.previous_fixed)
            progress.result = result
            if result == FAILED or result >= MISSING_ITEM and required:
                self.env.occurs_index = outer_index
                return False
            if result >= MISSING_ITEM:
                ended = True
                break
            if self.pos > before or result == ABSENT or result <= NIL:
                progress.started = True
            progress.previous_fixed = slot.fixed_length
            if term.occurs == OCCURS_STOP and result != ABSENT and self.dropped_stop_value(term, parent):
                break
            count += 1
            if self.pos == before and most < 0 and count > 1:
                return self.fail(OCCURRENCES, term, parent, "an occurrence without end of no length")
        self.env.occurs_index = outer_index
        if ended and slot.behaviour == POSITIONAL_NEVER and not slot.empty_allowed:
            return self.fail(OCCURRENCES, term, parent, "all occurrences need a separator, also absent ones")
        return True

    def dropped_stop_value(self, term: ElementNode, parent: Element) -> bool:
        """Return whether the last occurrence is the stop value, and remove it."""
        made = parent.last
        if made is None or made.value not in term.stop_values:
            return False
        self.truncate(parent, made.previous)
        return True

    def add_missing(self, node: GroupNode, slot: Slot, parent: Element) -> bool:
        """Append the element that the policy of a message set gives a member missing at the end."""
        term = slot.term
        if node.missing == MISSING_ERROR and not term.optional:
            name = term.name if isinstance(term, ElementNode) else "a group"
            return self.fail(NO_MARKUP, term, parent, f"{name} is missing")
        if not isinstance(term, ElementNode) or term.content is not None or term.optional:
            return True
        if node.missing == MISSING_DEFAULT and term.has_default or node.missing == MISSING_NULL:
            element = Element(term.name, term.default if node.missing == MISSING_DEFAULT else None, term.type)
            element.namespace = term.namespace
            element.changed = False
            parent.append_built(element)
        return True

    def one_occurrence(
        self,
        node: GroupNode,
        slot: Slot,
        parent: Element,
        scope: Scope,
        started: bool,
        required: bool,
        previous_fixed: bool,
    ) -> int:
        """Read one member with its separator, and return how that ended."""
        if node.separator_position == POSTFIX:
            return self.one_with_postfix(node, slot, parent, scope, required)
        separator = node.separator
        assert separator is not None
        pos = self.pos
        bit = self.bit
        needed = started or node.separator_position != INFIX
        if node.only_variable_separated and previous_fixed:
            needed = False
        if needed and not self.read_mark(separator, scope):
            if slot.group_may_be_missing:
                return ABSENT
            if required:
                self.fail(NO_MARKUP, slot.term, parent, f"separator '{separator.text}' not found")
            return MISSING_SEPARATOR
        before = self.pos
        term = slot.term
        last = parent.last
        if required or not isinstance(term, ElementNode):
            if self.read_one(term, parent, scope, required):
                return self.status(slot, parent, last, before, required)
            return self.failed_status(slot, parent, last, before, scope, required)
        saved = self.save_variables()
        point = self.open_point(term)
        if self.read_element(term, parent, scope, False):
            self.close_point(point)
            return self.status(slot, parent, last, before, False)
        if self.close_point(point):
            return FAILED
        self.truncate(parent, last)
        self.restore_variables(saved)
        if slot.behaviour != NON_POSITIONAL and self.is_zero_length(before, scope):
            # An empty position.
            self.pos = before
            self.bit = 0
            return ABSENT
        self.pos = pos
        self.bit = bit
        return MISSING_ITEM

    def read_one(self, term: Term, parent: Element, scope: Scope, required: bool) -> bool:
        """Read one occurrence of an element, or a group."""
        if isinstance(term, ElementNode):
            if term.repeat_separator is not None and term.occurs != ONCE:
                return self.read_occurrences(term, parent, scope)
            return self.read_element(term, parent, scope, required)
        assert isinstance(term, GroupNode)
        return self.read_group(term, parent, scope)

    def status(self, slot: Slot, parent: Element, last: Element | None, before: int, required: bool) -> int:
        """Return how a successful attempt ended."""
        term = slot.term
        if not isinstance(term, ElementNode):
            return EMPTY if self.pos == before else NORMAL
        if self.was_nil:
            return NIL
        if not self.was_empty:
            return NORMAL
        if not required or slot.empty_allowed and term.occurs == ONCE:
            # In MRM an empty position is no element, whatever minOccurs says.
            self.truncate(parent, last)
            return ABSENT
        if term.empty_is_absent and term.content is None:
            self.fail(BAD_VALUE, term, parent, f"{term.name} is empty")
            return MISSING_ITEM
        return EMPTY

    def failed_status(
        self, slot: Slot, parent: Element, last: Element | None, before: int, scope: Scope, required: bool
    ) -> int:
        """Return how a failed attempt ended."""
        if slot.empty_allowed and self.is_zero_length(before, scope):
            # MRM: a position may be empty; nothing is in the tree then.
            self.truncate(parent, last)
            self.pos = before
            self.bit = 0
            return ABSENT
        return FAILED

    def is_zero_length(self, before: int, scope: Scope) -> bool:
        """Return whether markup or the end follows at once."""
        return before >= self.end or scope.at(self.data, before, self.end) > 0

    def one_with_postfix(self, node: GroupNode, slot: Slot, parent: Element, scope: Scope, required: bool) -> int:
        """Read one member and the separator behind it."""
        separator = node.separator
        assert separator is not None
        pos = self.pos
        bit = self.bit
        last = parent.last
        saved = self.save_variables()
        point = self.open_point(slot.term)
        done = self.read_one(slot.term, parent, scope, required)
        resolved = self.close_point(point)
        if done:
            result = self.status(slot, parent, last, pos, required)
            if self.read_mark(separator, scope):
                return result
            if node.final_separator_may_be_missing and self.pos == self.size and self.pos > pos:
                return result
            if result >= MISSING_ITEM:
                return result
            self.fail(NO_MARKUP, slot.term, parent, f"separator '{separator.text}' not found")
            self.truncate(parent, last)
            self.restore_variables(saved)
            self.pos = pos
            self.bit = bit
            if slot.group_may_be_missing:
                return ABSENT
            return FAILED if resolved and not required else MISSING_SEPARATOR
        if resolved:
            return FAILED
        self.truncate(parent, last)
        self.restore_variables(saved)
        self.pos = pos
        self.bit = bit
        if slot.simple_delimited and slot.behaviour != NON_POSITIONAL and self.read_mark(separator, scope):
            if required and not slot.empty_allowed:
                return MISSING_ITEM
            return ABSENT
        if slot.empty_allowed and self.read_mark(separator, scope):
            return ABSENT
        return MISSING_ITEM

    # Unordered sequences.

    def read_unordered(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read members in any order, and put them into the order of the model."""
        separator = node.separator
        inner = scope.extended(separator)
        first_last = parent.last
        found: list[list[Element]] = [[] for _ in node.slots]
        started = False
        while True:
            before = self.pos
            before_bit = self.bit
            if self.pos >= self.end and started and separator is None:
                break
            if not self.read_separator_before(node, inner, started):
                break
            chosen = self.read_any(node, parent, inner, found)
            if chosen == _RESOLVED:
                return False
            if chosen == _NONE:
                self.pos = before
                self.bit = before_bit
                break
            started = True
        for number in range(len(node.slots)):
            term = node.slots[number].term
            if isinstance(term, ElementNode) and len(found[number]) < term.min_occurs and term.occurs != OCCURS_PARSED:
                return self.fail(
                    OCCURRENCES, term, parent, f"{term.name} occurs {len(found[number])} times, not {term.min_occurs}"
                )
        self.truncate(parent, first_last)
        for members in found:
            for element in members:
                element.next = None
                parent.append_built(element)
        return True

    def read_separator_before(self, node: GroupNode, scope: Scope, started: bool) -> bool:
        """Read the separator before the next member, if there must be one; return whether another member may follow."""
        separator = node.separator
        if separator is None or node.separator_position == POSTFIX:
            return True
        if node.separator_position == INFIX and not started:
            return True
        return self.read_mark(separator, scope)

    def read_any(self, node: GroupNode, parent: Element, scope: Scope, found: list[list[Element]]) -> int:
        """Read one occurrence of any member and add it to `found`; return the number of the member.

        Return _NONE if no member is there, _RESOLVED if one is there and wrong.
        """
        separator = node.separator
        at = self.pos
        at_bit = self.bit
        for number in range(len(node.slots)):
            term = node.slots[number].term
            if isinstance(term, ElementNode) and term.occurs != OCCURS_PARSED:
                if 0 <= term.max_occurs <= len(found[number]):
                    continue
            last = parent.last
            saved = self.save_variables()
            point = self.open_point(term)
            done = self.read_one(term, parent, scope, True)
            if done and separator is not None and node.separator_position == POSTFIX:
                done = self.read_mark(separator, scope)
            resolved = self.close_point(point)
            if done and self.pos == at and self.bit == at_bit and not self.was_nil:
                # Nothing was read: this would go on for ever.
                done = False
            if done:
                added = last.next if last is not None else parent.first
                while added is not None:
                    found[number].append(added)
                    added = added.next
                return number
            if resolved:
                return _RESOLVED
            self.pos = at
            self.bit = at_bit
            self.truncate(parent, last)
            self.restore_variables(saved)
        return _NONE

    # Tagged structures of MRM.

    def read_tagged(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read members that start with a tag, in any order."""
        separator = node.separator
        inner = scope.extended(separator)
        started = False
        while self.pos < self.end:
            before = self.pos
            if started and separator is not None:
                if not self.read_mark(separator, inner):
                    break
                if self.pos >= self.end or scope.at(self.data, self.pos, self.end) > 0:
                    # A delimiter behind the last element.
                    break
            elif scope.at(self.data, self.pos, self.end) > 0:
                break
            tag_start = self.pos
            tag = self.read_tag(node, inner)
            member = None if tag is None else node.tags.get(tag)
            if member is None:
                if node.open_content and separator is not None:
                    stop = self.find_markup(inner, self.pos)
                    self.pos = self.end if stop < 0 else stop
                    started = True
                    continue
                if started and separator is None:
                    self.pos = before
                    break
                self.pos = tag_start
                shown = self.data[tag_start : tag_start + 16] if tag is None else tag
                return self.fail(BAD_TAG, node, parent, f"no element has the tag X'{shown.hex()}'")
            if not self.read_tagged_member(node, member, parent, inner):
                return False
            started = True
        return self.check_tagged(node, parent)

    def read_tag(self, node: GroupNode, scope: Scope) -> bytes | None:
        """Read a tag with the separator before its data; None if there is none."""
        data = self.data
        if node.tag_length:
            charset = node.charset
            assert charset is not None
            stop = characters_span(data, self.pos, self.end, node.tag_length, charset)
            if stop < 0:
                return None
            tag = data[self.pos : stop]
            self.pos = stop
            return tag
        mark = node.tag_separator
        if mark is not None:
            with_tag = scope.extended(mark)
            stop = self.find_markup(with_tag, self.pos)
            if stop < 0:
                return None
            length = with_tag.matches(mark, data, stop, self.end)
            if length < 0:
                return None
            tag = data[self.pos : stop]
            self.pos = stop + length
            return tag
        # Neither a separator nor a length: the longest tag of the model that is there.
        longest: bytes | None = None
        for known in node.tags:
            if data.startswith(known, self.pos, self.end) and (longest is None or len(known) > len(longest)):
                longest = known
        if longest is not None:
            self.pos += len(longest)
        return longest

    def read_tagged_member(self, node: GroupNode, member: ElementNode, parent: Element, scope: Scope) -> bool:
        """Read the data behind a tag."""
        if not node.encoded_length:
            if member.repeat_separator is not None and member.occurs != ONCE:
                return self.read_occurrences(member, parent, scope)
            return self.read_element(member, parent, scope, True)
        charset = node.charset
        assert charset is not None
        stop = characters_span(self.data, self.pos, self.end, node.encoded_length, charset)
        text = "" if stop < 0 else self.data[self.pos : stop].decode(charset.codec, "replace").strip()
        if not text.isascii() or not text.isdigit():
            return self.fail(BAD_TAG, member, parent, f"its encoded length is '{text[:20]}'")
        start = self.pos
        self.pos = stop
        limit = stop + (int(text) - node.encoded_length_extra) * charset.unit
        if limit > self.end or limit < stop:
            self.pos = start
            return self.fail(TOO_SHORT, member, parent, f"its encoded length is {text}, more than is left")
        outer = self.end
        self.end = limit
        done = self.read_element(member, parent, scope, True)
        self.end = outer
        if done:
            self.pos = limit
        return done

    def check_tagged(self, node: GroupNode, parent: Element) -> bool:
        """Apply the policy for missing members to a tagged structure."""
        if node.missing == MISSING_ERROR or node.missing == MISSING_DEFAULT or node.missing == MISSING_NULL:
            for slot in node.slots:
                term = slot.term
                if isinstance(term, ElementNode) and not term.optional:
                    if parent.child(term.name, term.namespace) is None and not self.add_missing(node, slot, parent):
                        return False
        return True

    # Choices.

    def read_choice(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read one member of a choice."""
        if not node.length:
            return self.read_branches(node, parent, scope)
        stop = self.pos + node.length
        if stop > self.end:
            return self.fail(TOO_SHORT, node, parent, f"a choice has {node.length} bytes and fewer are left")
        outer = self.end
        self.end = stop
        done = self.read_branches(node, parent, scope)
        self.end = outer
        if done:
            self.pos = stop
            self.bit = 0
        return done

    def read_branches(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        if node.dispatch is not None or node.dispatch_path is not None:
            return self.read_dispatched(node, parent, scope)
        if node.order == TAGGED:
            tag = self.read_tag(node, scope)
            member = None if tag is None else node.tags.get(tag)
            if member is None:
                return self.fail(BAD_TAG, node, parent, "no member of the choice has the tag that is here")
            return self.read_term(member, parent, scope, True)
        if node.unresolved:
            return self.read_unresolved(node, parent, scope)
        pos = self.pos
        bit = self.bit
        last = parent.last
        saved = self.save_variables()
        for slot in node.slots:
            point = self.open_point(slot.term)
            done = self.read_term(slot.term, parent, scope, True)
            resolved = self.close_point(point)
            if done:
                return True
            if resolved:
                return False
            self.pos = pos
            self.bit = bit
            self.truncate(parent, last)
            if saved is not None:
                self.restore_variables(saved)
                saved = self.save_variables()
        if not node.slots:
            return True
        if self.failed_pos < pos:
            self.fail(NO_BRANCH, node, parent, "no member of the choice fits")
        return False

    def read_dispatched(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read the branch that a key names."""
        try:
            if node.dispatch_path is not None:
                value = self.path_value(node.dispatch_path, parent)
            else:
                assert node.dispatch is not None
                value = self.value_of(node.dispatch, parent)
        except ValueError as error:
            return self.fail(EXPRESSION, node, parent, str(error))
        key = "" if value is None else text_of(value)
        branch = node.branches.get(key)
        if branch is None:
            return self.fail(NO_BRANCH, node, parent, f"no member of the choice has the key '{key[:40]}'")
        return self.read_term(branch, parent, scope, True)

    def read_unresolved(self, node: GroupNode, parent: Element, scope: Scope) -> bool:
        """Read every member that can be read, or the first, at the same place."""
        pos = self.pos
        bit = self.bit
        furthest = -1
        for slot in node.slots:
            last = parent.last
            saved = self.save_variables()
            self.pos = pos
            self.bit = bit
            point = self.open_point(slot.term)
            done = self.read_term(slot.term, parent, scope, True)
            self.close_point(point)
            if done:
                furthest = max(furthest, self.pos)
                if node.only_first:
                    break
            else:
                self.truncate(parent, last)
                self.restore_variables(saved)
        if furthest < 0:
            return False
        self.pos = furthest
        self.bit = 0
        return True
