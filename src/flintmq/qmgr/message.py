"""A message as the queue manager holds it, and its record for log and page set.

A `Message` is a node of the list of its lane (see `lane.py`). It carries the descriptor flat, field by field, because
a put copies the application's MQMD in and a get copies it out: one set of assignments each, no second object.

The record, used unchanged in a PUT log record and in a slot of a page set (little-endian):

    offset  field            type    value
         0  version          u8      1
         1  flags            u8      bit 0 group fields present, bit 1 accounting token present, bit 2 properties
         2  put_appl_type    i16
         4  report           i32
         8  msg_type         i32
        12  expiry           i32     tenths of a second left when it was put, -1 unlimited
        16  feedback         i32
        20  encoding         i32
        24  coded_char_set_id i32
        28  priority         u8
        29  persistence      u8
        30  lane             u8
        31  reserved         u8
        32  backout_count    i32
        36  put_ms           u64     when it was put, milliseconds since 1970
        44  expires_ms       u64     when it expires, 0 never
        52  msg_id           24 bytes
        76  correl_id        24 bytes
       100  text_length      u16     of the text that follows
       102  text             format, reply_to_q, reply_to_q_mgr, user_identifier, appl_identity_data, put_appl_name,
                             put_date, put_time, appl_origin_data: UTF-8, joined by NUL
         +  group fields     group_id 24 bytes, msg_seq_number i32, offset i32, msg_flags i32, original_length i32
         +  accounting token 32 bytes
         +  properties       u32 length, bytes
         +  data             to the end of the record

States of a message (`state`), and who makes the move:

    PUT_PENDING   put under syncpoint         -> AVAILABLE by commit, REMOVED by backout or a get in the same unit
    AVAILABLE     a get finds it              -> GET_PENDING, REMOVED, LOCKED by get; REMOVED by clear or expiry
    GET_PENDING   got under syncpoint         -> REMOVED by commit, AVAILABLE by backout
    LOCKED        browsed with MQGMO_LOCK     -> AVAILABLE by unlock, next browse or close; REMOVED by get under cursor
    REMOVED       no longer on the queue
    SPILLED       not a message: a `Spilled` node stands for a range that is on the page set only
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN as NO_TOKEN

if TYPE_CHECKING:
    from flintmq.qmgr.queue import Queue

AVAILABLE: Final = 0
PUT_PENDING: Final = 1
GET_PENDING: Final = 2
LOCKED: Final = 3
REMOVED: Final = 4
SPILLED: Final = 5

RECORD_VERSION: Final = 1
_HAS_GROUP: Final = 1
_HAS_TOKEN: Final = 2
_HAS_PROPERTIES: Final = 4

_FIXED = struct.Struct("<BBhiiiiiiBBBBiQQ24s24sH")
#: Where MsgId and CorrelId begin.
_IDS_AT: Final = 52
_GROUP = struct.Struct("<24siiii")
_LENGTH = struct.Struct("<I")
assert _FIXED.size == 102

EXPIRY_UNLIMITED: Final = -1

__all__ = [
    "AVAILABLE", "ENDS", "GET_PENDING", "LOCKED", "NO_ID", "NO_TOKEN", "PUT_PENDING", "REMOVED", "SPILLED", "BadRecord",
    "Message", "Node", "Spilled", "fill_descriptor", "header_length", "pack_header",
    "pack_message", "pass_descriptor", "unpack_message",
]  # fmt: skip

#: Every byte. An id that is counted differs from the one before in its last byte, nearly always.
ENDS: Final[list[bytes]] = [bytes((number,)) for number in range(256)]


class BadRecord(Exception):
    """A message record cannot be read: the page set or log was written by something else, or is damaged."""


class Node:
    """An element of a lane's list: a message, or a range of messages that is on the page set only."""

    prev: Node | None = None
    next: Node | None = None
    #: Place in the order of the queue. Grows with every put; never reused on a queue.
    sequence: int = 0
    state: int = AVAILABLE
    #: How many browse cursors stand on this node. While there is one the node is not evicted.
    cursors: int = 0


class Spilled(Node):
    """All messages of a lane with `sequence` <= number <= `last` that are not in memory. They are all available."""

    def __init__(self, sequence: int, last: int) -> None:
        self.sequence = sequence
        self.last = last
        self.state = SPILLED


class Message(Node):
    """One message on one queue: descriptor, data, and where the queue manager keeps it."""

    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    persistence: int = 0
    priority: int = 0
    report: int = 0
    msg_type: int = 8
    expiry: int = EXPIRY_UNLIMITED
    feedback: int = 0
    encoding: int = 0
    coded_char_set_id: int = 0
    format: str = ""
    reply_to_q: str = ""
    reply_to_q_mgr: str = ""
    user_identifier: str = ""
    appl_identity_data: str = ""
    put_appl_type: int = 0
    put_appl_name: str = ""
    put_date: str = ""
    put_time: str = ""
    appl_origin_data: str = ""
    put_ms: int = 0
    #: The chunk of the page set that holds a copy, or None.
    home: Home | None = None
    expires_ms: int = 0
    pages: int = 1
    backout_count: int = 0
    group_id: bytes = NO_ID
    msg_seq_number: int = 1
    offset: int = 0
    msg_flags: int = 0
    original_length: int = -1
    accounting_token: bytes = NO_TOKEN
    properties: bytes = b""
    #: Browse mark: handles of the co-operating set must not see it before this time; 0 none.
    marked_until: int = 0
    #: Position in the log that makes the put durable; a page set may take the message only when that is synced.
    log_end: int = 0
    #: Its put is or will be in the log, and so will its get: it is persistent.
    logged: bool = False

    def __init__(self, queue: Queue, sequence: int, lane: int, data: bytes, md: MQMD | None = None) -> None:
        """With `md`, the descriptor of a put: ids, context and defaults have been settled in it before."""
        self.queue = queue
        self.sequence = sequence
        self.lane = lane
        self.data = data
        if md is None:
            return
        self.msg_id = md.msg_id
        self.correl_id = md.correl_id
        self.persistence = md.persistence
        self.priority = md.priority
        self.encoding = md.encoding
        self.coded_char_set_id = md.coded_char_set_id
        self.format = md.format
        if md.msg_type != 8 or md.report or md.feedback or md.reply_to_q or md.reply_to_q_mgr:  # No plain datagram.
            self.msg_type = md.msg_type
            self.report = md.report
            self.feedback = md.feedback
            self.reply_to_q = md.reply_to_q
            self.reply_to_q_mgr = md.reply_to_q_mgr
        if md.expiry != EXPIRY_UNLIMITED:
            self.expiry = md.expiry
        self.user_identifier = md.user_identifier
        self.appl_identity_data = md.appl_identity_data
        self.put_appl_type = md.put_appl_type
        self.put_appl_name = md.put_appl_name
        self.put_date = md.put_date
        self.put_time = md.put_time
        self.appl_origin_data = md.appl_origin_data
        if md.accounting_token is not NO_TOKEN:
            self.accounting_token = md.accounting_token
        if md.version > 1 and (md.msg_flags != 0 or md.original_length != -1):
            self.group_id = md.group_id
            self.msg_seq_number = md.msg_seq_number
            self.offset = md.offset
            self.msg_flags = implied_flags(md.msg_flags)
            self.original_length = md.original_length


def implied_flags(flags: int) -> int:
    """The last message of a group is in the group, the last segment is a segment; an application need not say so."""
    if flags & MQMF_LAST_MSG_IN_GROUP:
        flags |= MQMF_MSG_IN_GROUP
    if flags & MQMF_LAST_SEGMENT:
        flags |= MQMF_SEGMENT
    return flags


def fill_descriptor(message: Message, md: MQMD, now_ms: int) -> None:
    """Copy the descriptor of `message` into the application's `md`, as MQGET returns it."""
    md.report = message.report
    md.msg_type = message.msg_type
    md.expiry = message.expiry
    if message.expires_ms:
        left = (message.expires_ms - now_ms) // 100
        md.expiry = left if left > 0 else 0
    md.feedback = message.feedback
    md.encoding = message.encoding
    md.coded_char_set_id = message.coded_char_set_id
    md.format = message.format
    md.priority = message.priority
    md.persistence = message.persistence
    md.msg_id = message.msg_id
    md.correl_id = message.correl_id
    md.backout_count = message.backout_count
    md.reply_to_q = message.reply_to_q
    md.reply_to_q_mgr = message.reply_to_q_mgr or message.queue.q_mgr_name  # MQ fills it in, too, when it is put.
    md.user_identifier = message.user_identifier
    md.accounting_token = message.accounting_token
    md.appl_identity_data = message.appl_identity_data
    md.put_appl_type = message.put_appl_type
    md.put_appl_name = message.put_appl_name
    md.put_date = message.put_date
    md.put_time = message.put_time
    md.appl_origin_data = message.appl_origin_data
    if md.version > 1:
        md.group_id = message.group_id
        md.msg_seq_number = message.msg_seq_number
        md.offset = message.offset
        md.msg_flags = message.msg_flags
        md.original_length = message.original_length


def pass_descriptor(md: MQMD, other: MQMD) -> None:
    """Copy the descriptor of a put to that of a get: what `fill_descriptor` makes of a message that was put with `md`.

    The message is not persistent, does not expire and is in no group, and nobody wants reports of it.
    """
    other.report = 0
    other.msg_type = md.msg_type
    other.expiry = -1
    other.feedback = md.feedback
    other.encoding = md.encoding
    other.coded_char_set_id = md.coded_char_set_id
    other.format = md.format
    other.priority = md.priority
    other.persistence = 0
    other.msg_id = md.msg_id
    other.correl_id = md.correl_id
    other.backout_count = 0
    other.reply_to_q = md.reply_to_q
    other.reply_to_q_mgr = md.reply_to_q_mgr
    other.user_identifier = md.user_identifier
    other.accounting_token = md.accounting_token
    other.appl_identity_data = md.appl_identity_data
    other.put_appl_type = md.put_appl_type
    other.put_appl_name = md.put_appl_name
    other.put_date = md.put_date
    other.put_time = md.put_time
    other.appl_origin_data = md.appl_origin_data
    if other.version > 1:
        other.group_id = NO_ID
        other.msg_seq_number = 1
        other.offset = 0
        other.msg_flags = 0
        other.original_length = -1


class PackedHeader:
    """The header of a record without its two ids, and the fields that it was made of.

    Messages that one application puts to a queue at the same time differ in nothing else, so the next header is made
    of this one.
    """

    def __init__(self, message: Message, header: bytes) -> None:
        self.before = header[:_IDS_AT]
        self.after = header[_IDS_AT + 48 :]
        self.put_ms = message.put_ms
        self.expires_ms = message.expires_ms
        self.expiry = message.expiry
        self.report = message.report
        self.msg_type = message.msg_type
        self.feedback = message.feedback
        self.encoding = message.encoding
        self.coded_char_set_id = message.coded_char_set_id
        self.priority = message.priority
        self.persistence = message.persistence
        self.lane = message.lane
        self.backout_count = message.backout_count
        self.put_appl_type = message.put_appl_type
        self.format = message.format
        self.reply_to_q = message.reply_to_q
        self.reply_to_q_mgr = message.reply_to_q_mgr
        self.user_identifier = message.user_identifier
        self.appl_identity_data = message.appl_identity_data
        self.put_appl_name = message.put_appl_name
        self.put_date = message.put_date
        self.put_time = message.put_time
        self.appl_origin_data = message.appl_origin_data

    def fits(self, message: Message) -> bool:
        """Return whether `message`, which is plain, differs in nothing but its ids. Texts must be the same objects."""
        return (
            self.put_ms == message.put_ms
            and self.put_time is message.put_time
            and self.put_date is message.put_date
            and self.put_appl_name is message.put_appl_name
            and self.user_identifier is message.user_identifier
            and self.format is message.format
            and self.reply_to_q is message.reply_to_q
            and self.reply_to_q_mgr is message.reply_to_q_mgr
            and self.appl_identity_data is message.appl_identity_data
            and self.appl_origin_data is message.appl_origin_data
            and self.expires_ms == message.expires_ms
            and self.expiry == message.expiry
            and self.report == message.report
            and self.msg_type == message.msg_type
            and self.feedback == message.feedback
            and self.encoding == message.encoding
            and self.coded_char_set_id == message.coded_char_set_id
            and self.priority == message.priority
            and self.persistence == message.persistence
            and self.lane == message.lane
            and self.backout_count == message.backout_count
            and self.put_appl_type == message.put_appl_type
        )


def pack_header(message: Message) -> bytes:
    """Everything of the record but the data."""
    if (
        message.msg_flags
        or message.original_length != -1
        or message.group_id is not NO_ID
        or message.accounting_token is not NO_TOKEN
        or message.properties
        or len(message.msg_id) != 24
        or len(message.correl_id) != 24
    ):
        return _pack_header(message)
    packed = message.queue.packed_header
    if packed is not None and packed.fits(message):
        return packed.before + message.msg_id + message.correl_id + packed.after
    header = _pack_header(message)
    message.queue.packed_header = PackedHeader(message, header)
    return header


def _pack_header(message: Message) -> bytes:
    flags = 0
    tail = b""
    if message.msg_flags != 0 or message.original_length != -1 or message.group_id is not NO_ID:
        flags |= _HAS_GROUP
        tail = _GROUP.pack(
            message.group_id, message.msg_seq_number, message.offset, message.msg_flags, message.original_length
        )
    if message.accounting_token is not NO_TOKEN and message.accounting_token != NO_TOKEN:
        flags |= _HAS_TOKEN
        tail += message.accounting_token
    if message.properties:
        flags |= _HAS_PROPERTIES
        tail += _LENGTH.pack(len(message.properties)) + message.properties
    text = "\0".join(
        (
            message.format,
            message.reply_to_q,
            message.reply_to_q_mgr,
            message.user_identifier,
            message.appl_identity_data,
            message.put_appl_name,
            message.put_date,
            message.put_time,
            message.appl_origin_data,
        )
    ).encode("utf-8", "surrogateescape")
    return (
        _FIXED.pack(
            RECORD_VERSION,
            flags,
            message.put_appl_type,
            message.report,
            message.msg_type,
            message.expiry,
            message.feedback,
            message.encoding,
            message.coded_char_set_id,
            message.priority,
            message.persistence,
            message.lane,
            0,
            message.backout_count,
            message.put_ms,
            message.expires_ms,
            message.msg_id,
            message.correl_id,
            len(text),
        )
        + text
        + tail
    )


def pack_message(message: Message) -> bytes:
    """The whole record."""
    return pack_header(message) + message.data


def header_length(record: bytes, start: int = 0) -> int:
    """How much of the record that begins at `start` is not data. Raises BadRecord for anything but a record."""
    try:
        fields = _FIXED.unpack_from(record, start)
        flags: int = fields[1]
        text_length: int = fields[18]
        length = 102 + text_length
        if flags & _HAS_GROUP:
            length += 40
        if flags & _HAS_TOKEN:
            length += 32
        if flags & _HAS_PROPERTIES:
            properties: int = _LENGTH.unpack_from(record, start + length)[0]
            length += 4 + properties
    except struct.error as error:
        raise BadRecord(f"message record: {error}") from None
    if start + length > len(record):
        raise BadRecord(f"message record: a header of {length} bytes, {len(record) - start} are there")
    return length


def unpack_message(queue: Queue, sequence: int, record: bytes, start: int = 0) -> Message:
    """Make the message that `record` (from `start` to its end) describes. Raises BadRecord for anything else."""
    try:
        return _unpack(queue, sequence, record, start)
    except (struct.error, ValueError, IndexError) as error:
        raise BadRecord(f"message {sequence} of {queue.name}: {error}") from None


def _unpack(queue: Queue, sequence: int, record: bytes, start: int) -> Message:
    fields = _FIXED.unpack_from(record, start)
    version: int = fields[0]
    if version != RECORD_VERSION:
        raise BadRecord(f"message {sequence} of {queue.name}: record version {version} is not known")
    flags: int = fields[1]
    text_length: int = fields[18]
    at = start + 102
    text = record[at : at + text_length].decode("utf-8", "surrogateescape").split("\0")
    at += text_length
    message = Message(queue, sequence, fields[11], b"")
    message.put_appl_type = fields[2]
    message.report = fields[3]
    message.msg_type = fields[4]
    message.expiry = fields[5]
    message.feedback = fields[6]
    message.encoding = fields[7]
    message.coded_char_set_id = fields[8]
    message.priority = fields[9]
    message.persistence = fields[10]
    message.backout_count = fields[13]
    message.put_ms = fields[14]
    message.expires_ms = fields[15]
    message.msg_id = fields[16]
    message.correl_id = fields[17]
    message.format = text[0]
    message.reply_to_q = text[1]
    message.reply_to_q_mgr = text[2]
    message.user_identifier = text[3]
    message.appl_identity_data = text[4]
    message.put_appl_name = text[5]
    message.put_date = text[6]
    message.put_time = text[7]
    message.appl_origin_data = text[8]
    if flags & _HAS_GROUP:
        group = _GROUP.unpack_from(record, at)
        message.group_id = group[0]
        message.msg_seq_number = group[1]
        message.offset = group[2]
        message.msg_flags = group[3]
        message.original_length = group[4]
        at += 40
    if flags & _HAS_TOKEN:
        message.accounting_token = record[at : at + 32]
        at += 32
    if flags & _HAS_PROPERTIES:
        length: int = _LENGTH.unpack_from(record, at)[0]
        message.properties = record[at + 4 : at + 4 + length]
        at += 4 + length
    message.data = record[at:]
    return message


class Home:
    """A chunk of the page set that has messages in memory, or dead slots that are not written yet."""

    def __init__(self, volatile: bool, queue_id: int, lane: int, first: int) -> None:
        self.volatile = volatile
        self.queue_id = queue_id
        self.lane = lane
        self.first = first
        #: Messages in memory that live in this chunk.
        self.members = 0
        #: Slots whose message was removed since the last batch.
        self.dead: list[int] = []
        #: The earliest expiry of the live slots, 0 none, to be written with the dead; -1 it has not been looked at.
        self.earliest = -1


class Acceptor:
    """Decides whether a message is the one wanted; get.py has the implementation."""

    def accepts(self, message: Message) -> bool:
        """True if the get that looks for a message may take this one."""
        return True
