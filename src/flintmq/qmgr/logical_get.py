"""Groups and segments, the getting side: logical order, complete messages, and waiting for all of a group.

What MQGET looks for with MQGMO_LOGICAL_ORDER (open: what the previous get through the handle left open):

    open                 MsgId, CorrelId    GroupId         MsgSeqNumber   Offset
    -                    by MatchOptions    by MatchOptions 1              0
    message              any                previous        previous       previous + its length
    group                any                previous        previous + 1   0
    group and message    any                previous        previous       previous + its length

Without it everything is by MatchOptions. While something is open, match options that the next message does not meet are
2247, and a change of syncpoint is 2245. A get without MQGMO_LOGICAL_ORDER that does not continue what gets with it have
begun is done, with the warning 2242 or 2241; a change of syncpoint is the warning 2245.

    option                   a message is found only if                             not while open
    ALL_MSGS_AVAILABLE       every message of its group is on the queue             a group or message
    ALL_SEGMENTS_AVAILABLE   every segment of its logical message is on the queue   a message
    COMPLETE_MSG             likewise, and all are returned as one                  a message

A selection string is about the first message of a group or logical message; the rest of it comes along.

A handle keeps one state for gets and one for browses. The browse of a group stands where its first message is, so that
nothing between the messages of a group is passed over.

    L1  `Handle.get_group` is None, or says what is open; it is replaced, never changed; backing out brings it back.
    L2  Finding the next message of a group costs no more than the group is long; a group in order costs one step.
    L3  A group that was found incomplete while every message of the queue was available stays so until the next put:
        `Queue.incomplete` remembers it that long, so that the gets in between do not look for its parts again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.log.errors import LogError
from flintmq.mqi import payload
from flintmq.mqi.constants import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_MSG_UNDER_CURSOR,
    MQGMO_BROWSE_NEXT,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMT_REPORT,
    MQRO_COD,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQRC_INCOMPLETE_GROUP,
    MQRC_INCOMPLETE_MSG,
    MQRC_INCONSISTENT_CCSIDS,
    MQRC_INCONSISTENT_ENCODINGS,
    MQRC_INCONSISTENT_UOW,
    MQRC_INVALID_MSG_UNDER_CURSOR,
    MQRC_MATCH_OPTIONS_ERROR,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UOW_NOT_AVAILABLE,
    MQRC_WRONG_GMO_VERSION,
    MQRC_WRONG_MD_VERSION,
)
from flintmq.qmgr import browse_mark, event, own_puts, report
from flintmq.qmgr import get as mqget
from flintmq.qmgr.browse_index import is_reachable
from flintmq.qmgr.connection import Answer, Connection, GetGroup, Handle, Unit, fail
from flintmq.qmgr.lane import comes_before
from flintmq.qmgr.message import AVAILABLE, GET_PENDING, LOCKED, NO_ID, PUT_PENDING, Acceptor, Message, Node
from flintmq.qmgr.paging import MATCH_GROUP_ID
from flintmq.qmgr.queue import Queue
from flintmq.qmgr.records import LAST
from flintmq.qmgr.unit_of_work import COMMIT_EVENT, current_unit, log_work, move, settle
from flintmq.qmgr.wanted import Wanted

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_BROWSE: Final = MQGMO_BROWSE_FIRST | MQGMO_BROWSE_NEXT | MQGMO_BROWSE_MSG_UNDER_CURSOR
_UNDER_CURSOR: Final = MQGMO_MSG_UNDER_CURSOR | MQGMO_BROWSE_MSG_UNDER_CURSOR
_ALL_SEGMENTS: Final = MQGMO_COMPLETE_MSG | MQGMO_ALL_SEGMENTS_AVAILABLE
_A_SEGMENT: Final = MQMF_SEGMENT | MQMF_LAST_SEGMENT


def data_length(message: Message) -> int:
    """How much of its logical message a segment is: its data without headers; a report counts for its original."""
    if message.msg_type == MQMT_REPORT and message.original_length >= 0:
        return message.original_length
    if not message.format.startswith("MQ"):
        return len(message.data)
    behind = payload.payload(message.encoding, message.coded_char_set_id, message.format, message.data)
    return len(message.data) - behind.start


def check_options(gmo: MQGMO) -> int:
    """Refuse options of a logical get that do not go together."""
    if gmo.options & MQGMO_LOGICAL_ORDER and gmo.version < 2:
        return MQRC_WRONG_GMO_VERSION
    if gmo.options & MQGMO_COMPLETE_MSG and gmo.options & MQGMO_MARK_SKIP_BACKOUT:
        return MQRC_OPTIONS_ERROR
    return MQRC_NONE


def get_logical(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
    now: int,
) -> int:
    """A get in logical order, of a complete message, or with a condition on its group."""
    options = gmo.options
    queue = handle.queue
    assert queue is not None
    if options & MQGMO_LOGICAL_ORDER and md.version < 2:
        return fail(answer, MQRC_WRONG_MD_VERSION)
    search = Search(qm, handle, queue, Wanted(md, gmo, handle), options, now)
    reason = _get(qm, connection, handle, answer, md, gmo, max_length, search)
    discard_expired(qm, connection, queue, search.expired)
    return reason


def discard_expired(qm: QueueManager, connection: Connection, queue: Queue, messages: list[Message]) -> None:
    """Discard the expired messages that a search came by. Only now: their reports may push others out of memory."""
    for message in messages:
        if message.state == AVAILABLE and queue.is_linked(message):
            mqget.discard_expired(qm, connection, queue, message)


def _get(
    qm: QueueManager,
    connection: Connection,
    handle: Handle,
    answer: Answer,
    md: MQMD,
    gmo: MQGMO,
    max_length: int,
    search: Search,
) -> int:
    options = gmo.options
    now = search.now
    if options & _UNDER_CURSOR:
        message = search.under_cursor()
        if message is None:
            return fail(answer, MQRC_NO_MSG_UNDER_CURSOR)
        if options & MQGMO_COMPLETE_MSG and message.offset > 0:
            return fail(answer, MQRC_INVALID_MSG_UNDER_CURSOR)
        if options & MQGMO_COMPLETE_MSG and not search.has_all_segments(message):
            return fail(answer, MQRC_NO_MSG_UNDER_CURSOR)
    elif search.opened is not None:
        message = search.next_message()
        if message is not None and not search.wanted.agrees(message):
            return fail(answer, MQRC_MATCH_OPTIONS_ERROR)
        if message is not None and not options & _BROWSE:
            if search.opened.syncpoint != under_syncpoint(options, message):
                return fail(answer, MQRC_INCONSISTENT_UOW)
    elif options & _BROWSE:
        message = search.browse_start()
    else:
        message = search.start()
    if message is None:
        return mqget.nothing_there(qm, connection, handle, answer, md, gmo, max_length, now)
    if options & MQGMO_COMPLETE_MSG and message.msg_flags & _A_SEGMENT:
        parts = search.segments(message)
        whole = assemble(parts)
        return mqget.deliver(qm, connection, handle, answer, md, gmo, max_length, whole, now, parts)
    return mqget.deliver(qm, connection, handle, answer, md, gmo, max_length, message, now)


def under_syncpoint(options: int, message: Message) -> bool:
    """True if a get with `options` takes `message` in a unit of work."""
    return options & MQGMO_SYNCPOINT != 0 or (options & MQGMO_SYNCPOINT_IF_PERSISTENT != 0 and message.persistence == 1)


# -- what is there of a group ----------------------------------------------------------------------------------------


class LogicalMessage:
    """The segments of one logical message that have been found."""

    def __init__(self) -> None:
        self.segments: dict[int, Message] = {}
        self.length = 0
        #: Where the last segment ends; -1 until it is found.
        self.end = -1

    def add(self, message: Message) -> None:
        """Enter a segment, or the one message that there is; of two for the same place the first one counts."""
        present = self.segments.get(message.offset)
        if present is not None:
            if comes_before(message, present) and data_length(message) == data_length(present):
                self.segments[message.offset] = message
            return
        self.segments[message.offset] = message
        length = data_length(message)
        self.length += length
        if not message.msg_flags & _A_SEGMENT or message.msg_flags & MQMF_LAST_SEGMENT:
            self.end = message.offset + length

    def is_complete(self) -> bool:
        """True if the segments join from the first to the last."""
        if self.end < 0 or self.length != self.end:
            return False
        at = 0
        for offset in sorted(self.segments):
            if offset != at:
                return False
            at += data_length(self.segments[offset])
        return True

    def in_order(self) -> list[Message]:
        """The segments by offset."""
        return [self.segments[offset] for offset in sorted(self.segments)]


class Roll:
    """The messages of a group that have been found. With `only`, just the logical message of that number."""

    def __init__(self, only: int) -> None:
        self.only = only
        self.messages: dict[int, LogicalMessage] = {}
        self.complete = 0
        self.last = -1
        self.highest = 0

    def add(self, message: Message) -> None:
        """Enter a message of the group."""
        number = message.msg_seq_number
        logical = self.messages.get(number)
        if logical is None:
            logical = self.messages[number] = LogicalMessage()
        was = logical.end >= 0 and logical.is_complete()
        logical.add(message)
        if not was and logical.is_complete():
            self.complete += 1
        if number > self.highest:
            self.highest = number
        if message.msg_flags & MQMF_LAST_MSG_IN_GROUP:
            self.last = number

    def is_complete(self) -> bool:
        """True if nothing is missing."""
        if self.only:
            return self.complete == 1
        return self.last == self.complete == self.highest


class Living(Acceptor):
    """Accepts no message whose time is up, but remembers it."""

    def __init__(self, now: int, expired: list[Message]) -> None:
        self.now = now
        self.expired = expired

    def lives(self, message: Message) -> bool:
        """Called first; `accepts` of the classes below has its own conditions."""
        if message.expires_ms == 0 or message.expires_ms > self.now:
            return True
        self.expired.append(message)
        return False


class OfGroup(Living):
    """Accepts the messages of a group; of reports, those of the same kind."""

    def __init__(self, now: int, expired: list[Message], like: Message, only: int) -> None:
        super().__init__(now, expired)
        self.group_id = like.group_id
        self.only = only
        self.is_report = like.msg_type == MQMT_REPORT
        self.feedback = like.feedback

    def accepts(self, message: Message) -> bool:
        """Called for messages of any group."""
        if message.group_id != self.group_id or (self.only and message.msg_seq_number != self.only):
            return False
        if (message.msg_type == MQMT_REPORT) != self.is_report:
            return False
        if self.is_report and message.feedback != self.feedback:
            return False
        return self.lives(message)


class Exactly(Living):
    """Accepts one place in a group."""

    def __init__(self, now: int, expired: list[Message], group_id: bytes, msg_seq_number: int, offset: int) -> None:
        super().__init__(now, expired)
        self.group_id = group_id
        self.msg_seq_number = msg_seq_number
        self.offset = offset

    def accepts(self, message: Message) -> bool:
        """Called for messages of any group."""
        return (
            message.group_id == self.group_id
            and message.msg_seq_number == self.msg_seq_number
            and message.offset == self.offset
            and self.lives(message)
        )


class Start(Living):
    """Accepts what a get may begin with, less the groups and messages that were found incomplete."""

    def __init__(self, now: int, expired: list[Message], queue: Queue, wanted: Wanted, options: int) -> None:
        super().__init__(now, expired)
        self.queue = queue
        self.wanted = wanted
        self.logical = options & MQGMO_LOGICAL_ORDER != 0
        self.complete = options & MQGMO_COMPLETE_MSG != 0
        self.refused: set[tuple[bytes, int, int]] = set()
        #: Asked at once whether a message is complete. Not while messages are on the page set: the search looks there.
        self.search: Search | None = None
        #: Without a condition on groups nothing is refused, whatever others have found.
        if options & (MQGMO_ALL_MSGS_AVAILABLE | _ALL_SEGMENTS):
            if queue.incomplete.as_of != queue.next_sequence:
                queue.incomplete.as_of = queue.next_sequence
                queue.incomplete.groups = set()
            for key in queue.incomplete.groups:
                if key[1] == 0:
                    if options & MQGMO_ALL_MSGS_AVAILABLE:
                        self.refused.add(key)
                elif options & _ALL_SEGMENTS:
                    self.refused.add(key)

    def accepts(self, message: Message) -> bool:
        """Whether it is complete is asked afterwards, unless there is a `search` to ask."""
        if not self._accepts(message):
            return False
        return self.search is None or self.search.ready(message, self)

    def _accepts(self, message: Message) -> bool:
        if not self.wanted.accepts(message) or not self.lives(message):
            return False
        if self.logical and (message.msg_seq_number != 1 or message.offset != 0):
            return False
        if message.group_id == NO_ID:
            return True
        if self.complete and message.offset != 0:
            return False
        if not self.refused:
            return True
        return (message.group_id, 0, message.feedback) not in self.refused and (
            message.group_id,
            message.msg_seq_number,
            message.feedback,
        ) not in self.refused

    def refuse(self, message: Message, whole_group: bool) -> None:
        """`message` belongs to something that is not complete: look no further at any part of that."""
        key = (message.group_id, 0 if whole_group else message.msg_seq_number, message.feedback)
        self.refused.add(key)
        if self.queue.available == self.queue.depth:
            self.queue.incomplete.groups.add(key)


class Search:
    """One get on its way to a message."""

    def __init__(self, qm: QueueManager, handle: Handle, queue: Queue, wanted: Wanted, options: int, now: int) -> None:
        self.qm = qm
        self.handle = handle
        self.queue = queue
        self.wanted = wanted
        self.options = options
        self.now = now
        #: Messages met whose time is up.
        self.expired: list[Message] = []
        self.opened: GetGroup | None = None
        if options & MQGMO_LOGICAL_ORDER and not options & MQGMO_BROWSE_FIRST:
            state = handle.browse_group if options & _BROWSE else handle.get_group
            if state is not None and state.is_open():
                self.opened = state
        in_message = self.opened is not None and self.opened.in_message
        self.check_group = options & MQGMO_ALL_MSGS_AVAILABLE != 0 and self.opened is None
        self.check_segments = options & _ALL_SEGMENTS != 0 and not in_message
        #: What the unit of work of the connection has put itself.
        self.own = own_puts.view(handle, queue, options, now)

    def under_cursor(self) -> Message | None:
        """The message that the cursor stands on, if it may still be had."""
        message = self.handle.under_cursor
        if message is None or not self.reachable(message) or not Living(self.now, self.expired).lives(message):
            return None
        return message

    def reachable(self, message: Message) -> bool:
        """True if this handle may take or browse `message`."""
        return is_reachable(self.handle, message, self.own)

    # -- the first message of something ---------------------------------------------------------------------------

    def start(self) -> Message | None:
        """The first message on the queue with which a get may begin. The handle may begin with what it has locked."""
        own = self.handle.locked
        if own is None or own.state != LOCKED:
            return self._start()
        self.queue.unlock(own)  # Its cursor keeps it in memory.
        message = self._start()
        self.queue.lock(own, LOCKED)
        return message

    def _start(self) -> Message | None:
        accept = Start(self.now, self.expired, self.queue, self.wanted, self.options)
        if not self.queue.spilled_count:
            accept.search = self  # One walk finds it, however many groups are not complete.
            message = mqget.find_accepted(self.queue, self.wanted, accept)
            return message if self.own is None else self.own.earlier(message, self.queue, self.wanted, accept)
        while True:
            message = mqget.find_accepted(self.queue, self.wanted, accept)
            if self.own is not None:
                message = self.own.earlier(message, self.queue, self.wanted, accept)
            if message is None or self.ready(message, accept):
                return message
            mqget.relieve_behind(self.qm, message)

    def browse_start(self) -> Message | None:
        """The same for a browse: the first, or the first behind where the last browse began."""
        accept = Start(self.now, self.expired, self.queue, self.wanted, self.options)
        unmarked = self.options & MQGMO_UNMARKED_BROWSE_MSG
        node = self.first_node()
        while node is not None:
            assert isinstance(node, Message)
            if self.reachable(node) and accept.accepts(node) and self.ready(node, accept):
                if not unmarked or not browse_mark.is_marked(self.handle, node, self.now):
                    return node
            mqget.relieve_behind(self.qm, node)
            node = mqget.next_to_browse(self.queue, node, self.wanted)
        return None

    def first_node(self) -> Node | None:
        """Where a browse begins to look."""
        queue = self.queue
        handle = self.handle
        state = handle.browse_group
        behind = self.options & MQGMO_BROWSE_NEXT and handle.cursor_lane != 10
        if not behind or not self.options & MQGMO_LOGICAL_ORDER or state is None:
            return mqget.first_to_browse(handle, queue, self.options, self.wanted)
        start = state.start
        if self.wanted.selection is not None:
            return self.wanted.selection.after(queue, start.lane, start.sequence, None)
        if queue.is_linked(start):
            return queue.next_node(start.lane, start)
        return queue.next_after(start.lane, start.sequence)

    def ready(self, message: Message, accept: Start) -> bool:
        """True if as much is there of the group of `message` as the options ask for."""
        if message.group_id == NO_ID:
            return True
        if self.check_group and message.msg_flags & MQMF_MSG_IN_GROUP:
            if not self.roll(message, 0).is_complete():
                accept.refuse(message, True)
                return False
        elif self.check_segments and not self.has_all_segments(message):
            accept.refuse(message, False)
            return False
        return True

    # -- the next message of a group ------------------------------------------------------------------------------

    def next_message(self) -> Message | None:
        """The message that follows in what is open, if it is there and as complete as the options ask for."""
        opened = self.opened
        assert opened is not None
        if opened.in_message:
            number, offset = opened.msg_seq_number, opened.next_offset
        else:
            number, offset = opened.msg_seq_number + 1, 0
        place = Exactly(self.now, self.expired, opened.group_id, number, offset)
        message = self.in_chain(place, opened.last_sequence)
        if message is None and self.queue.spilled_count:
            message = self.queue.pager.find_spilled(self.queue, MATCH_GROUP_ID, place.group_id, place)
        if message is not None and self.check_segments and not self.has_all_segments(message):
            return None
        return message

    def in_chain(self, place: Exactly, after: int) -> Message | None:
        """Look in memory, first behind the message with the sequence `after` (L2)."""
        found = self.queue.index_by_group_id().entries.get(place.group_id)
        if found is None:
            return None
        if isinstance(found, Message):
            return found if self.reachable(found) and place.accepts(found) else None
        for link in (found.links.get(after), found.first):
            while link is not None:
                if self.reachable(link.message) and place.accepts(link.message):
                    return link.message
                link = link.next
        return None

    # -- completeness ---------------------------------------------------------------------------------------------

    def roll(self, message: Message, only: int) -> Roll:
        """What is there of the group of `message`. Stops looking on the page set when nothing is missing."""
        roll = Roll(only)
        accept = OfGroup(self.now, self.expired, message, only)
        for member in self.queue.index_by_group_id().messages(message.group_id):
            if self.reachable(member) and accept.accepts(member):
                roll.add(member)
        while self.queue.spilled_count and not roll.is_complete():
            found = self.queue.pager.find_spilled(self.queue, MATCH_GROUP_ID, message.group_id, accept)
            if found is None:
                break
            roll.add(found)
        return roll

    def has_all_segments(self, message: Message) -> bool:
        """True if `message` is no segment, or its logical message is complete."""
        if not message.msg_flags & _A_SEGMENT:
            return True
        return self.roll(message, message.msg_seq_number).is_complete()

    def segments(self, message: Message) -> list[Message]:
        """All segments of the logical message of `message`, which is known to be complete."""
        return self.roll(message, message.msg_seq_number).messages[message.msg_seq_number].in_order()


# -- one message of many ---------------------------------------------------------------------------------------------


def assemble(parts: list[Message]) -> Message:
    """The logical message that `parts` are the segments of: the descriptor of the first, the data of all."""
    first = parts[0]
    if first.msg_type == MQMT_REPORT:
        data = _assemble_reports(parts)
    else:
        pieces: list[bytes] = []
        for part in parts:
            pieces.append(part.data)
        data = b"".join(pieces)
    whole = Message(first.queue, first.sequence, first.lane, data)
    whole.msg_id = first.msg_id
    whole.correl_id = first.correl_id
    whole.persistence = first.persistence
    whole.priority = first.priority
    whole.report = first.report
    whole.msg_type = first.msg_type
    whole.expiry = first.expiry
    whole.expires_ms = first.expires_ms
    whole.feedback = first.feedback
    whole.encoding = first.encoding
    whole.coded_char_set_id = first.coded_char_set_id
    whole.format = first.format
    whole.reply_to_q = first.reply_to_q
    whole.reply_to_q_mgr = first.reply_to_q_mgr
    whole.user_identifier = first.user_identifier
    whole.accounting_token = first.accounting_token
    whole.appl_identity_data = first.appl_identity_data
    whole.put_appl_type = first.put_appl_type
    whole.put_appl_name = first.put_appl_name
    whole.put_date = first.put_date
    whole.put_time = first.put_time
    whole.appl_origin_data = first.appl_origin_data
    whole.put_ms = first.put_ms
    whole.backout_count = first.backout_count
    whole.properties = first.properties
    whole.group_id = first.group_id
    whole.msg_seq_number = first.msg_seq_number
    whole.msg_flags = first.msg_flags | _A_SEGMENT
    return whole


def _assemble_reports(parts: list[Message]) -> bytes:
    """Reports about segments join to one: what data each has stands where it stood in the original."""
    data = bytearray()
    for part in parts:
        if part.data:
            data.extend(bytes(max(0, part.offset - len(data))))
            data.extend(part.data)
    return bytes(data)


def differences(parts: list[Message]) -> int:
    """The warning for segments whose data is not all of one character set or encoding."""
    first = parts[0]
    behind = payload.payload(first.encoding, first.coded_char_set_id, first.format, first.data)
    for part in parts[1:]:
        if part.coded_char_set_id != behind.ccsid:
            return MQRC_INCONSISTENT_CCSIDS
    for part in parts[1:]:
        if part.encoding != behind.encoding:
            return MQRC_INCONSISTENT_ENCODINGS
    return MQRC_NONE


def take_parts(
    qm: QueueManager, connection: Connection, handle: Handle, whole: Message, parts: list[Message], options: int
) -> int:
    """Take all segments of a message at once, in a unit of work of their own if need be. COD is confirmed once."""
    queue = whole.queue
    syncpoint = under_syncpoint(options, whole)
    for part in parts:
        if part.state == PUT_PENDING:  # The unit has put it itself, and only a get in the unit may take it.
            syncpoint = True
    current = connection.unit
    if syncpoint:
        if (0 if current is None else current.counted()) + len(parts) > qm.max_uncommitted:
            return MQRC_SYNCPOINT_LIMIT_REACHED
        unit = current_unit(qm, connection)
    else:
        if whole.persistence == 1 and len(parts) > 1 and current is not None:
            return MQRC_UOW_NOT_AVAILABLE
        unit = Unit()
    for part in parts:
        if part.state == LOCKED:
            queue.unlock(part)
            handle.locked = None
        elif part.state == PUT_PENDING:
            own_puts.take(handle, part)
            continue
        queue.hold(part, GET_PENDING)
        unit.work.append(part)
        unit.persistent = unit.persistent or part.logged
    if not syncpoint:
        try:
            connection.force = log_work(qm, unit, LAST)
        except LogError:
            for part in parts:
                queue.make_available(part)
            return MQRC_RESOURCE_PROBLEM
        move(unit, COMMIT_EVENT)
        settle(qm, unit, connection.force)
    queue.counts.get_count += len(parts)
    if queue.watched:
        qm.got(queue)
        event.after_get(qm, queue)
    if whole.report & MQRO_COD:
        report.confirm_delivery(qm, connection, whole, syncpoint)
    return MQRC_NONE


def note(connection: Connection, handle: Handle, message: Message, options: int, parts: list[Message] | None) -> int:
    """A message was got or browsed: remember what is open now, and say how that breaks the order of gets before.

    Returns a warning, or MQRC_NONE.
    """
    logical = options & MQGMO_LOGICAL_ORDER != 0
    last = message if parts is None else parts[-1]
    if options & _BROWSE:
        before = handle.browse_group
        in_group = before is not None and before.is_open() and logical and not options & MQGMO_BROWSE_FIRST
        at = message if parts is None else parts[0]
        handle.browse_group = GetGroup(
            last,
            data_length(last),
            before.start if in_group and before is not None else at,
            logical,
            False,
            parts is not None,
        )
        return MQRC_NONE
    syncpoint = under_syncpoint(options, message)
    before = handle.get_group
    if syncpoint and handle.get_group_unit is not connection.unit:
        handle.get_group_unit = connection.unit
        handle.get_group_before = before
    now_open: GetGroup | None = GetGroup(last, data_length(last), last, logical, syncpoint, parts is not None)
    if now_open is not None and not now_open.is_open():
        now_open = None
    handle.get_group = now_open
    if logical or before is None or not before.logical:
        return MQRC_NONE
    if not _continues(before, message):
        return MQRC_INCOMPLETE_MSG if before.in_message else MQRC_INCOMPLETE_GROUP
    return MQRC_INCONSISTENT_UOW if before.syncpoint != syncpoint else MQRC_NONE


def _continues(before: GetGroup, message: Message) -> bool:
    """True if a get in any order returned the very next message."""
    if message.group_id != before.group_id:
        return False
    if before.in_message:
        return message.msg_seq_number == before.msg_seq_number and message.offset == before.next_offset
    return message.msg_seq_number == before.msg_seq_number + 1 and message.offset == 0
