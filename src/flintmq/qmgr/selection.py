"""Selection: which messages of a queue match the selection strings that it was opened with.

A message is evaluated once: when it arrives, or, if it was there before, when the selection string catches up with the
queue. What matches is kept in a list in the order of delivery, so that a get with a selector takes the head of a list,
however many unwanted messages are on the queue.

A selection catches up in slices when a client opens the queue (`CatchUp`; work.py), else with its first get or browse:

    phase      messages that arrive   messages that were there
    BEHIND     not evaluated          not evaluated
    CATCHING   evaluated              evaluated up to where the walk is
    READY      evaluated              evaluated

    Selections            of a queue; only while it is open with a selection string
      by_text             one Selection for each distinct text, shared by the handles that have it (`users`)
      filed, unfiled      the same, by a name and the values that it must have: only those are evaluated for a message
      matched             sequence -> the entries of that message
    Selection             of one text
      strands[0..9]       its entries by lane: first, last, and the hint, as in lane.py
      links               sequence -> Entry
      waiters             gets that wait for a message that matches, in the order in which they came
    Entry                 one message that matches; while that is on the page set only, just its place

With fifteen getters that each want another value of one property, an arriving message costs one look into a table and
one evaluation, not fifteen; where the selector says nothing else, not even that one (`Selection.decided`).

A selector that is nothing but a message id or correlation id written in full needs none of this: the handle has an
`IdKey`, which narrows each get to that id (get.py), through the index of the queue.

Invariants (`Selections.check`):

    T1  A selection that has caught up holds exactly the messages of the queue that match, available or not.
    T2  The entries of a strand ascend by sequence; no available message stands before the hint.
    T3  `matched` has all entries of all selections, and no others. An entry has its message while that is in memory.
    T4  A message is evaluated at most once by each selection, and its properties are looked for at most once when it
        arrives. What a backout changes (BackoutCount and its kin in JMS) is looked at again then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.properties import LONG_FOLDER
from flintmq.qmgr.connection import Entry, IdSelector, Selected
from flintmq.qmgr.message import AVAILABLE, NO_ID, Acceptor, Message
from flintmq.qmgr.message_properties import length_of, may_have_properties
from flintmq.qmgr.message_source import CHANGING, MessageSource
from flintmq.qmgr.paging import MATCH_ANY
from flintmq.qmgr.property_work import MessageScan
from flintmq.qmgr.queue import QueueSelections
from flintmq.qmgr.walk import NOT_YET, Visitor, Walk
from flintmq.qmgr.work import SLICE, Work
from flintmq.selector.selector import MSG_ID, Selector
from flintmq.selector.source import Value

if TYPE_CHECKING:
    from flintmq.qmgr.connection import Handle, Waiter
    from flintmq.qmgr.queue import Queue


BEHIND: Final = 0
CATCHING: Final = 1
READY: Final = 2

#: Bytes of properties, and characters of a selection string, that cost a unit of work to evaluate (W1).
PROPERTIES_PER_UNIT: Final = 128
SELECTOR_PER_UNIT: Final = 64


class IdKey(IdSelector):
    """A selector that is one id, and what is left to ask of a message that has it."""

    def __init__(self, selector: Selector, kind: int, key: bytes) -> None:
        self.selector = selector
        self.by_msg_id = kind == MSG_ID
        self.key = key
        #: JMSCorrelationID is jms.Cid if a message has that (B229).
        self.may_be_overridden = selector.names() == ["JMSCorrelationID"]

    def accepts(self, message: Message) -> bool:
        """Whether a message has the id, and is the one meant."""
        if self.key != (message.msg_id if self.by_msg_id else message.correl_id):
            return False
        if not self.may_be_overridden or not may_have_properties(message):
            return True
        return self.selector.matches(MessageSource(message))


class Strand:
    """The entries of one lane."""

    first: Entry | None = None
    last: Entry | None = None
    hint: Entry | None = None
    #: While catching up: the last entry of a message that was there before.
    filled: Entry | None = None


class Selection(Selected):
    """The messages of a queue that match one selection string."""

    phase: int = BEHIND
    users: int = 0
    #: Lanes that have entries, as bits.
    mask: int = 0

    def __init__(self, selector: Selector) -> None:
        super().__init__()
        self.selector = selector
        self.strands = [Strand() for _ in range(10)]
        #: The values of one name that say all there is to say, so that a message filed under one of them matches.
        self.decided = selector.is_choice()
        self.changing = False
        for name in selector.names():
            if name in CHANGING:
                self.changing = True

    def add(self, lane: int, sequence: int, message: Message | None) -> Entry:
        """Enter a message that matches in its place; nearly always the last."""
        entry = Entry(self, lane, sequence, message)
        self.links[sequence] = entry
        strand = self.strands[lane]
        at = strand.last
        if self.phase == CATCHING and strand.filled is not None and strand.filled.sequence < sequence:
            # Those that have arrived meanwhile stand behind it; an old message goes in front of them.
            following = strand.filled.next
            if following is None or following.sequence > sequence:
                at = strand.filled
        while at is not None and at.sequence > sequence:
            at = at.prev
        entry.prev = at
        if at is None:
            entry.next = strand.first
            strand.first = entry
            self.mask |= 1 << lane
        else:
            entry.next = at.next
            at.next = entry
        following = entry.next
        if following is None:
            strand.last = entry
        else:
            following.prev = entry
        self.offer(entry)
        return entry

    def discard(self, entry: Entry) -> None:
        """Take an entry out."""
        del self.links[entry.sequence]
        strand = self.strands[entry.lane]
        before = entry.prev
        after = entry.next
        if before is None:
            strand.first = after
        else:
            before.next = after
        if after is None:
            strand.last = before
            if before is None:
                self.mask &= ~(1 << entry.lane)
        else:
            after.prev = before
        if strand.hint is entry:
            strand.hint = after
        if strand.filled is entry:
            strand.filled = before
        entry.prev = None
        entry.gone = True
        entry.message = None

    def offer(self, entry: Entry) -> None:
        """The message of `entry` may be available: let the hint not stand behind it (T2)."""
        strand = self.strands[entry.lane]
        hint = strand.hint
        if hint is None or entry.sequence < hint.sequence:
            strand.hint = entry

    def holds(self, message: Message) -> bool:
        """Whether a message of the queue matches."""
        return message.sequence in self.links

    # -- getting and browsing -----------------------------------------------------------------------------------

    def first_available(self, queue: Queue) -> Message | None:
        """The first message that matches and can be got."""
        mask = self.mask
        while mask:
            lane = mask.bit_length() - 1
            strand = self.strands[lane]
            entry = strand.hint
            while entry is not None:
                message = entry.message
                if message is None:
                    message = _load(queue, entry)
                if message is not None and message.state == AVAILABLE:
                    strand.hint = entry
                    return message
                entry = entry.next
            strand.hint = None
            mask &= ~(1 << lane)
        return None

    def find(self, queue: Queue, accept: Acceptor) -> Message | None:
        """The first message that matches, can be got and is accepted. Others on the page set stay there."""
        mask = self.mask
        while mask:
            lane = mask.bit_length() - 1
            entry = self.strands[lane].hint
            while entry is not None:
                message = entry.message
                if message is None:
                    message = queue.pager.find_sequence(queue, lane, entry.sequence, accept)
                    if message is not None:
                        return message
                elif message.state == AVAILABLE and accept.accepts(message):
                    return message
                entry = entry.next
            mask &= ~(1 << lane)
        return None

    def first(self, queue: Queue) -> Message | None:
        """The first message that matches, available or not."""
        return self._loaded(queue, self._first_below(10))

    def after(self, queue: Queue, lane: int, sequence: int, at: Entry | None) -> Message | None:
        """The next message that matches behind a place; `at` is the entry that was there, if the caller has kept it."""
        entry = self.links.get(sequence)
        if entry is None:
            entry = at
            while entry is not None and entry.gone:
                entry = entry.next
            if entry is None or entry.sequence <= sequence:
                entry = self._behind(lane, sequence)
        else:
            entry = entry.next
        return self._loaded(queue, entry if entry is not None else self._first_below(lane))

    def _behind(self, lane: int, sequence: int) -> Entry | None:
        """The first entry of a lane behind `sequence`, looked for from the end."""
        found: Entry | None = None
        entry = self.strands[lane].last if lane < 10 else None
        while entry is not None and entry.sequence > sequence:
            found = entry
            entry = entry.prev
        return found

    def _first_below(self, lane: int) -> Entry | None:
        """The first entry of the lanes below `lane`."""
        mask = self.mask & ((1 << lane) - 1)
        return self.strands[mask.bit_length() - 1].first if mask else None

    def _loaded(self, queue: Queue, entry: Entry | None) -> Message | None:
        """The message of an entry, read back if need be; of a later one if that is not there any more."""
        while entry is not None:
            message = entry.message
            if message is None:
                message = _load(queue, entry)
            if message is not None:
                return message
            entry = entry.next if entry.next is not None else self._first_below(entry.lane)
        return None


def _load(queue: Queue, entry: Entry) -> Message | None:
    """Bring a message back from the page set. If it is not there, its entry goes."""
    message = queue.pager.find_sequence(queue, entry.lane, entry.sequence)
    if message is None and queue.selections is not None:
        queue.selections.forget(entry.sequence)
    return message


class Selections(QueueSelections):
    """All selections of one queue."""

    def __init__(self, queue: Queue) -> None:
        super().__init__()
        self.queue = queue
        self.by_text: dict[str, Selection] = {}
        self.filed: dict[str, dict[object, list[Selection]]] = {}
        self.unfiled: list[Selection] = []
        #: Selections that have not begun to catch up, and what catches up with the queue now.
        self.behind: list[Selection] = []
        self.catching: CatchUp | None = None
        #: Some selection asks for what a backout changes.
        self.changing = 0
        #: Evaluations of selectors so far.
        self.evaluations = 0

    # -- opening and closing ------------------------------------------------------------------------------------

    def open(self, selector: Selector) -> Selection:
        """The selection of a text, for one handle more."""
        selection = self.by_text.get(selector.text)
        if selection is None:
            selection = Selection(selector)
            self.by_text[selector.text] = selection
            self.behind.append(selection)
            self.changing += 1 if selection.changing else 0
            self._file(selection)
        selection.users += 1
        return selection

    def close(self, selection: Selection) -> None:
        """One handle less; with the last one the selection goes."""
        selection.users -= 1
        if selection.users:
            return
        del self.by_text[selection.selector.text]
        if selection in self.behind:
            self.behind.remove(selection)
        if self.catching is not None and selection in self.catching.selections:
            self.catching.selections.remove(selection)
        self.changing -= 1 if selection.changing else 0
        self._unfile(selection)
        for sequence in selection.links:
            self._drop(sequence, selection)

    def _drop(self, sequence: int, selection: Selection) -> None:
        """Take the entry of one selection for a message out of `matched`."""
        entries = self.matched[sequence]
        if len(entries) == 1:
            del self.matched[sequence]
        else:
            self.matched[sequence] = [entry for entry in entries if entry.selection is not selection]

    def _file(self, selection: Selection) -> None:
        choice = selection.selector.alternatives()
        if choice is None:
            self.unfiled.append(selection)
            return
        table = self.filed.setdefault(choice[0], {})
        for value in choice[1]:
            filed = table.setdefault(_file_key(value), [])
            if selection not in filed:
                filed.append(selection)

    def _unfile(self, selection: Selection) -> None:
        choice = selection.selector.alternatives()
        if choice is None:
            self.unfiled.remove(selection)
            return
        table = self.filed[choice[0]]
        for value in choice[1]:
            key = _file_key(value)
            filed = table.get(key)
            if filed is not None and selection in filed:
                filed.remove(selection)
                if not filed:
                    del table[key]
        if not table:
            del self.filed[choice[0]]

    # -- messages come and go -----------------------------------------------------------------------------------

    def arrived(self, message: Message) -> None:
        """A new message is on the queue, committed or not: evaluate it."""
        if len(self.behind) < len(self.by_text):
            for selection in self.matching(message, CATCHING, READY):
                self._enter(selection, message.lane, message.sequence, message)

    def removed(self, message: Message) -> None:
        """A message has left the queue."""
        self.forget(message.sequence)

    def waiters(self) -> list[Waiter]:
        """Return the gets that wait for a message that matches."""
        result: list[Waiter] = []
        for selection in self.by_text.values():
            result.extend(selection.waiters)
        return result

    def forget(self, sequence: int) -> None:
        """There is no message with that sequence any more."""
        entries = self.matched.pop(sequence, None)
        if entries is not None:
            for entry in entries:
                entry.selection.discard(entry)

    def available(self, message: Message) -> None:
        """A message can be got again, or for the first time."""
        entries = self.matched.get(message.sequence)
        if entries is not None:
            for entry in entries:
                entry.selection.offer(entry)

    def in_memory(self, message: Message) -> None:
        """A message was read back from the page set."""
        entries = self.matched.get(message.sequence)
        if entries is not None:
            for entry in entries:
                entry.message = message

    def left_memory(self, message: Message) -> None:
        """A message is on the page set only: its place is enough."""
        entries = self.matched.get(message.sequence)
        if entries is not None:
            for entry in entries:
                entry.message = None

    def backed_out(self, message: Message) -> None:
        """The backout count has changed: those that look at it look again (T4)."""
        if not self.changing:
            return
        source = MessageSource(message)
        for selection in self.by_text.values():
            if not selection.changing or selection.phase == BEHIND:
                continue
            self.evaluations += 1
            entry = selection.links.get(message.sequence)
            if selection.selector.matches(source):
                if entry is None:
                    self._enter(selection, message.lane, message.sequence, message)
            elif entry is not None:
                self._drop(message.sequence, selection)
                selection.discard(entry)

    def _enter(self, selection: Selection, lane: int, sequence: int, message: Message | None) -> None:
        entry = selection.add(lane, sequence, message)
        entries = self.matched.get(sequence)
        if entries is None:
            self.matched[sequence] = [entry]
        else:
            entries.append(entry)

    def enter_old(self, selection: Selection, message: Message, in_memory: bool) -> None:
        """A message that was there before `selection` matches."""
        self._enter(selection, message.lane, message.sequence, message if in_memory else None)
        selection.strands[message.lane].filled = selection.links[message.sequence]

    # -- evaluating ---------------------------------------------------------------------------------------------

    def matching(self, message: Message, low: int, high: int, known: dict[str, Value] | None = None) -> list[Selection]:
        """The selections, of those whose phase is one from `low` to `high`, that a message matches.

        `known` are the values of its properties, if they were read before.
        """
        source = MessageSource(message)
        source.known = known
        result: list[Selection] = []
        for name, table in self.filed.items():
            value = source.value(name)
            if value is None:
                continue
            filed = table.get(_file_key(value))
            if filed is None:
                continue
            for selection in filed:
                if low <= selection.phase <= high and (selection.decided or self._matches(selection, source)):
                    result.append(selection)
        for selection in self.unfiled:
            if low <= selection.phase <= high and self._matches(selection, source):
                result.append(selection)
        return result

    def _matches(self, selection: Selection, source: MessageSource) -> bool:
        self.evaluations += 1
        return selection.selector.matches(source)

    def catch_up(self, budget: int) -> None:
        """Evaluate messages that were on the queue before its selections were: all that are behind in one pass."""
        if self.catching is None:
            self.catching = CatchUp(self, self.behind)
            self.behind = []
        self.catching.step(budget)
        if self.catching.done:
            self.catching = None

    def check(self) -> None:
        """T1-T3 as code."""
        queue = self.queue
        in_memory: dict[int, Message] = {}
        for message in queue.messages_in_memory():
            in_memory[message.sequence] = message
        entries = 0
        for text, selection in self.by_text.items():
            assert selection.users > 0 and selection.selector.text == text
            assert (selection.phase == BEHIND) == (selection in self.behind)
            catching = self.catching is not None and selection in self.catching.selections
            assert (selection.phase == CATCHING) == catching
            for lane in range(10):
                entries += _check_strand(self, selection, lane, in_memory)
            if selection.phase == READY:
                checking = _Checking(selection)
                for message in queue.messages_in_memory():
                    checking.accepts(message)
                if queue.spilled_count:
                    queue.pager.find_spilled(queue, MATCH_ANY, NO_ID, checking)
                assert checking.matching == set(selection.links), f"T1: {text}"
        filed = 0
        for sequence, matches in self.matched.items():
            filed += len(matches)
            for entry in matches:
                assert entry.sequence == sequence and entry.selection.links[sequence] is entry, f"T3: {sequence}"
        assert filed == entries, f"T3: {filed} in matched, {entries} in selections"


class CatchUp(Visitor):
    """Evaluates the messages that were on a queue before some of its selections were, all of these in one pass."""

    done: bool = False

    def __init__(self, selections: Selections, behind: list[Selection]) -> None:
        self._all = selections
        self.selections = behind
        self._walk = Walk(selections.queue, self)
        self._cost = 1
        #: How far the properties of one message are read, and its sequence.
        self._scan: MessageScan | None = None
        self._scanned = -1
        for selection in behind:
            selection.phase = CATCHING
            self._cost += len(selection.selector.text) // SELECTOR_PER_UNIT

    def step(self, budget: int) -> None:
        """Evaluate some messages. With the last one the selections are up to date."""
        if self.selections:
            self._walk.step(budget)
        if self._walk.done or not self.selections:
            self.done = True
            for selection in self.selections:
                selection.phase = READY
                for strand in selection.strands:
                    strand.filled = None

    def visit(self, message: Message, in_memory: bool) -> int:
        """Enter a message in the selections that it matches. If it has very many properties they are read first."""
        known: dict[str, Value] | None = None
        length = length_of(message)
        if length >= LONG_FOLDER:
            known = self._read(message)
            if known is None:
                return NOT_YET
        for selection in self._all.matching(message, CATCHING, CATCHING, known):
            if message.sequence not in selection.links:  # It may have been, by a backout (T4).
                self._all.enter_old(selection, message, in_memory)
        return self._cost + length // PROPERTIES_PER_UNIT

    def _read(self, message: Message) -> dict[str, Value] | None:
        """The values of the properties of a message; None if that takes another slice."""
        scan = self._scan
        if scan is None or self._scanned != message.sequence:
            scan = self._scan = MessageScan(
                message.format, message.encoding, message.coded_char_set_id, message.data, message.properties
            )
            self._scanned = message.sequence
        scan.step(SLICE)
        if not scan.done:
            return None
        self._scan = None
        return scan.values


def _file_key(value: Value) -> object:
    """A value as the key of a table: TRUE is not 1, but 1 is 1.0."""
    return (value,) if isinstance(value, bool) else value


# -- handles -------------------------------------------------------------------------------------------------------


def selections_of(queue: Queue | None) -> Selections | None:
    """Return the selections of `queue`, or None if it is open with no selection string."""
    if queue is None or queue.selections is None:
        return None
    selections = queue.selections
    assert isinstance(selections, Selections)
    return selections


def selection_of(handle: Handle) -> Selection | None:
    """Return the selection that `handle` was opened with, or None."""
    selection = handle.selection
    if selection is None:
        return None
    assert isinstance(selection, Selection)
    return selection


def opened(handle: Handle, queue: Queue, selector: Selector) -> None:
    """A handle has a selection string: it gets messages by its id, or through a selection."""
    handle.selector = selector.text
    handle.straight_get = False
    key = selector.id_key()
    if key is not None:
        handle.id_key = IdKey(selector, key[0], key[1])
        return
    selections = selections_of(queue)
    if selections is None:
        selections = Selections(queue)
        queue.selections = selections
        queue.tracked = True
    handle.selection = selections.open(selector)


def closed(handle: Handle, queue: Queue) -> None:
    """The handle is closed, and nobody waits through it."""
    selection, selections = selection_of(handle), selections_of(queue)
    handle.selection = None
    handle.selected_entry = None
    if selection is None or selections is None:
        return
    selections.close(selection)
    if not selections.by_text:
        queue.selections = None
        queue.set_tracked()


def known_selector(queue: Queue | None, text: str) -> Selector | None:
    """The selector of a text that the queue is open with already."""
    selections = selections_of(queue)
    if selections is None:
        return None
    selection = selections.by_text.get(text)
    return None if selection is None else selection.selector


def ready(handle: Handle) -> Selection | None:
    """Return the selection that `handle` was opened with, caught up with its queue; None if there is none."""
    selection = selection_of(handle)
    if selection is not None and selection.phase != READY:
        selections = selections_of(handle.queue)
        while selections is not None and not _is_ready(selection):
            selections.catch_up(SLICE)
    return selection


def _is_ready(selection: Selection) -> bool:
    return selection.phase == READY


class CatchingUp(Work):
    """What is to be done before the first get or browse through a handle that has a selection string."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def step(self, budget: int) -> None:
        """Evaluate some messages. Of selections that another handle has opened before, first."""
        selection, selections = selection_of(self._handle), selections_of(self._handle.queue)
        if selection is not None and selections is not None and not _is_ready(selection):
            selections.catch_up(budget)
            self.done = _is_ready(selection)
        else:
            self.done = True  # Or the handle was closed.


def browsed(handle: Handle, message: Message) -> None:
    """The browse cursor stands on `message`: remember its entry, which finds the next one even when it has gone."""
    if handle.selection is not None:
        handle.selected_entry = handle.selection.links.get(message.sequence)


def _check_strand(selections: Selections, selection: Selection, lane: int, in_memory: dict[int, Message]) -> int:
    strand = selection.strands[lane]
    entry = strand.first
    before: Entry | None = None
    passed_hint = False
    count = 0
    while entry is not None:
        passed_hint = passed_hint or entry is strand.hint
        assert entry.prev is before and not entry.gone and entry.lane == lane
        assert before is None or before.sequence < entry.sequence, f"T2: {entry.sequence}"
        assert selection.links[entry.sequence] is entry and entry in selections.matched[entry.sequence], "T3"
        assert entry.message is in_memory.get(entry.sequence), f"T3: message of {entry.sequence}"
        if entry.message is None or entry.message.state == AVAILABLE:
            assert passed_hint, f"T2: {entry.sequence} stands before the hint"
        before = entry
        entry = entry.next
        count += 1
    assert strand.last is before and bool(selection.mask & (1 << lane)) == (count > 0)
    return count


class _Checking(Acceptor):
    """Evaluates messages again, for T1."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.matching: set[int] = set()

    def accepts(self, message: Message) -> bool:
        """Notes the message and takes none."""
        if self.selection.selector.matches(MessageSource(message)):
            self.matching.add(message.sequence)
        return False
