"""Codec cache: the last structures that were decoded and encoded, so that equal ones need no second decoding.

An application that puts or gets in a loop sends the same descriptor and the same options each time, but for the ids;
the replies differ in ids and time. So each memo keeps the last bytes that it has unpacked with their structure, and the
last values that it has packed with their bytes:

    unpack    bytes equal to the last ones give the same structure
    pack      values equal to the last ones give the same bytes; ids and time are set in between

M1  `unpack` and `pack` of a memo have the results and errors of those of the structure, whatever was unpacked and
    packed before. (tests/wire/mq/test_codec_cache.py compares them.)
M2  `unpack` lends its result: it is the caller's until the next `unpack`, which does not see changes of the caller;
    for longer after `keep`.
M3  A call that is equal to the last two (Same) has their structures, and is not unpacked.

A conversation has one for its puts and one for its gets, once it has made any: Puts and Gets. The head of a reply is
remembered likewise.
"""

from __future__ import annotations

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import write_text
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_MD_ERROR
from flintmq.qmgr.connection import Connection, Handle
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, write_api, write_long
from flintmq.wire.mq.sizes import gmo_size as gmo_size
from flintmq.wire.mq.sizes import md_size as md_size
from flintmq.wire.mq.sizes import pmo_size as pmo_size

# Offsets in MQMD (mqi/md.py).
_MSG_ID: Final = 48
_CORREL_ID: Final = 72
_BACKOUT_COUNT: Final = 96
_STAMP: Final = 304
_ORIGIN_DATA: Final = 320
_ID: Final = 24
# And in MQGMO.
_TOKEN: Final = 80
_TOKEN_SIZE: Final = 16
_RETURNED_LENGTH: Final = 96
_RESERVED: Final = 100
# And in the header of a segment that is of a conversation.
_REQUEST_ID: Final = 12
_UNSIGNED: Final = struct.Struct(">I")
_LONG_MAX: Final = 0x7FFF_FFFF
_LONG_BIG: Final = struct.Struct(">i")
_LONG_LITTLE: Final = struct.Struct("<i")

#: How many pairs of reply-to names are remembered as bytes.
_REPLY_TO_MAX: Final = 64
#: For how many handles a put is remembered.
_HANDLES_MAX: Final = 64


class DescriptorCache:
    """Codec cache of MQMD.

    The last packed bytes are kept in pieces. One behind the other they are the structure:

        offset  piece
             0  front
            48  msg_id, correl_id
            96  back: reply-to fields, and from 304 on the time of the put and all behind it
    """

    # The last unpacked bytes, in front of the ids and behind them.
    _size: int = 0
    _read_front: bytes = b""
    _read_back: bytes = b""
    _read_big_endian: bool = False
    _read_ccsid: int = 0
    # The last packed values.
    _written: bool = False
    _big_endian: bool = False
    _ccsid: int = 0
    front: bytes = b""
    msg_id: bytes = b""
    correl_id: bytes = b""
    back: bytes = b""
    #: The two halves of `back`.
    _routed: bytes = b""
    _stamped: bytes = b""

    def __init__(self) -> None:
        self.read = MQMD()
        self.lent = MQMD()
        self._last = MQMD()
        #: `_routed` by the names of the queue and the queue manager that replies go to, all else as it was last.
        self._by_reply_to: dict[str, dict[str, bytes]] = {}

    def unpack(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> MQMD:
        """Unpack as MQMD.unpack does."""
        if (
            self._size
            and data[offset : offset + _MSG_ID] == self._read_front
            and data[offset + _BACKOUT_COUNT : offset + self._size] == self._read_back
            and big_endian == self._read_big_endian
            and ccsid == self._read_ccsid
        ):
            md = self.lent
            self.read.copy_to(md)
            md.msg_id = data[offset + _MSG_ID : offset + _CORREL_ID]
            md.correl_id = data[offset + _CORREL_ID : offset + _BACKOUT_COUNT]
            return md
        md = self.lent = MQMD.unpack(data, offset, big_endian, ccsid)
        self._size = md_size(md.version)
        self._read_front = data[offset : offset + _MSG_ID]
        self._read_back = data[offset + _BACKOUT_COUNT : offset + self._size]
        self._read_big_endian = big_endian
        self._read_ccsid = ccsid
        self.read = md.copy()
        return md

    def keep(self) -> None:
        """Mark the lent structure as not returned."""
        self.lent = MQMD()

    def pack(self, md: MQMD, big_endian: bool, ccsid: int) -> bytes:
        """Pack as MQMD.pack does."""
        self.settle(md, big_endian, ccsid)
        return self.joined()

    def joined(self) -> bytes:
        """Join the pieces."""
        return b"".join([self.front, self.msg_id, self.correl_id, self.back])

    def settle(self, md: MQMD, big_endian: bool, ccsid: int) -> None:
        """Bring the pieces to the result of MQMD.pack. Raises the same errors."""
        last = self._last
        if (
            not self._written
            or big_endian != self._big_endian
            or ccsid != self._ccsid
            or len(md.msg_id) != _ID
            or len(md.correl_id) != _ID
            or not _same_but_ids(md, last)
        ):
            self._anew(md, big_endian, ccsid)
            return
        same_place = md.reply_to_q == last.reply_to_q and md.reply_to_q_mgr == last.reply_to_q_mgr
        if not same_place:
            named = self._by_reply_to.get(md.reply_to_q)
            routed = named.get(md.reply_to_q_mgr) if named is not None else None
            if routed is None:
                self._anew(md, big_endian, ccsid)
                return
            last.reply_to_q, last.reply_to_q_mgr, self._routed = md.reply_to_q, md.reply_to_q_mgr, routed
        if md.put_time != last.put_time or md.put_date != last.put_date:
            self._written = False
            stamp = write_text(md.put_date, 8, ccsid, MQRC_MD_ERROR, "MQMD PutDate")
            stamp += write_text(md.put_time, 8, ccsid, MQRC_MD_ERROR, "MQMD PutTime")
            self._stamped = stamp + self._stamped[_ORIGIN_DATA - _STAMP :]
            self.back = self._routed + self._stamped
            last.put_date, last.put_time = md.put_date, md.put_time
            self._written = True
        elif not same_place:
            self.back = self._routed + self._stamped
        self.msg_id, self.correl_id = md.msg_id, md.correl_id

    def settle_fitting(self, md: MQMD, big_endian: bool, ccsid: int) -> None:
        """Settle for a message that has left its queue: values that do not fit are cut, and nothing is raised.

        A program in the process of the queue manager may have put it, so that its descriptor was never packed.
        """
        try:
            self.settle(md, big_endian, ccsid)
        except StructureError:
            fitting = md.copy()
            fitting.fit()
            self.settle(fitting, big_endian, ccsid)

    def _anew(self, md: MQMD, big_endian: bool, ccsid: int) -> None:
        """Write all of it, and remember how."""
        self._written = False
        raw = md.pack(big_endian, ccsid)
        last = self._last
        if (
            big_endian != self._big_endian
            or ccsid != self._ccsid
            or len(self._by_reply_to) >= _REPLY_TO_MAX
            or not _same_but_ids(md, last)
        ):
            self._by_reply_to = {}
        self._big_endian, self._ccsid = big_endian, ccsid
        self.front = raw[:_MSG_ID]
        self.msg_id = raw[_MSG_ID:_CORREL_ID]
        self.correl_id = raw[_CORREL_ID:_BACKOUT_COUNT]
        self.back, self._routed, self._stamped = raw[_BACKOUT_COUNT:], raw[_BACKOUT_COUNT:_STAMP], raw[_STAMP:]
        named = self._by_reply_to.get(md.reply_to_q)
        if named is None or len(named) >= _REPLY_TO_MAX:
            named = self._by_reply_to[md.reply_to_q] = {}
        named[md.reply_to_q_mgr] = self._routed
        md.copy_to(last)
        self._written = True


def _same_but_ids(md: MQMD, last: MQMD) -> bool:
    """Return whether two descriptors are packed alike, but for ids, time and reply-to fields."""
    return (
        md.version == last.version
        and md.report == last.report
        and md.msg_type == last.msg_type
        and md.expiry == last.expiry
        and md.feedback == last.feedback
        and md.encoding == last.encoding
        and md.coded_char_set_id == last.coded_char_set_id
        and md.priority == last.priority
        and md.persistence == last.persistence
        and md.backout_count == last.backout_count
        and md.put_appl_type == last.put_appl_type
        and md.msg_seq_number == last.msg_seq_number
        and md.offset == last.offset
        and md.msg_flags == last.msg_flags
        and md.original_length == last.original_length
        and md.format == last.format
        and md.user_identifier == last.user_identifier
        and md.accounting_token == last.accounting_token
        and md.appl_identity_data == last.appl_identity_data
        and md.put_appl_name == last.put_appl_name
        and md.appl_origin_data == last.appl_origin_data
        and md.group_id == last.group_id
    )


class PutOptionsCache:
    """Codec cache of MQPMO."""

    _raw_read: bytes = b""
    _read_big_endian: bool = False
    _read_ccsid: int = 0
    _raw: bytes = b""
    _big_endian: bool = False
    _ccsid: int = 0

    def __init__(self) -> None:
        self.read = MQPMO()
        self.lent = MQPMO()
        self._last = MQPMO()

    def unpack(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> MQPMO:
        """Unpack as MQPMO.unpack does."""
        raw = self._raw_read
        if (
            raw
            and data[offset : offset + len(raw)] == raw
            and big_endian == self._read_big_endian
            and ccsid == self._read_ccsid
        ):
            self.read.copy_to(self.lent)
            return self.lent
        pmo = self.lent = MQPMO.unpack(data, offset, big_endian, ccsid)
        self._raw_read = data[offset : offset + pmo_size(pmo.version)]
        self._read_big_endian, self._read_ccsid = big_endian, ccsid
        self.read = pmo.copy()
        return pmo

    def keep(self) -> None:
        """Mark the lent structure as not returned."""
        self.lent = MQPMO()

    def pack(self, pmo: MQPMO, big_endian: bool, ccsid: int) -> bytes:
        """Pack as MQPMO.pack does."""
        if self._raw and big_endian == self._big_endian and ccsid == self._ccsid and pmo.equals(self._last):
            return self._raw
        self._raw = b""
        raw = pmo.pack(big_endian, ccsid)
        self._raw, self._big_endian, self._ccsid = raw, big_endian, ccsid
        self._last = pmo.copy()
        return raw


class GetOptionsCache:
    """Codec cache of MQGMO."""

    _raw_read: bytes = b""
    _read_big_endian: bool = False
    _read_ccsid: int = 0
    _raw: bytes = b""
    _big_endian: bool = False
    _ccsid: int = 0

    def __init__(self) -> None:
        self.read = MQGMO()
        self.lent = MQGMO()
        self._last = MQGMO()

    def unpack(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> MQGMO:
        """Unpack as MQGMO.unpack does."""
        raw = self._raw_read
        if (
            raw
            and data[offset : offset + len(raw)] == raw
            and big_endian == self._read_big_endian
            and ccsid == self._read_ccsid
        ):
            self.read.copy_to(self.lent)
            return self.lent
        gmo = self.lent = MQGMO.unpack(data, offset, big_endian, ccsid)
        self._raw_read = data[offset : offset + gmo_size(gmo.version)]
        self._read_big_endian, self._read_ccsid = big_endian, ccsid
        self.read = gmo.copy()
        return gmo

    def keep(self) -> None:
        """Mark the lent structure as not returned."""
        self.lent = MQGMO()

    def pack(self, gmo: MQGMO, big_endian: bool, ccsid: int) -> bytes:
        """Pack as MQGMO.pack does."""
        last = self._last
        raw = self._raw
        if (
            not raw
            or big_endian != self._big_endian
            or ccsid != self._ccsid
            or len(gmo.msg_token) != _TOKEN_SIZE
            or not -1 <= gmo.returned_length <= _LONG_MAX
            or not gmo.equals_but_message(last)
        ):
            self._raw = b""
            raw = gmo.pack(big_endian, ccsid)
            self._raw, self._big_endian, self._ccsid = raw, big_endian, ccsid
            self._last = gmo.copy()
            return raw
        if gmo.version < 3:
            return raw
        if gmo.returned_length != last.returned_length:
            last.returned_length = gmo.returned_length
            length = (_LONG_BIG if big_endian else _LONG_LITTLE).pack(gmo.returned_length)
            raw = self._raw = raw[:_RETURNED_LENGTH] + length + raw[_RESERVED:]
        return b"".join([raw[:_TOKEN], gmo.msg_token, raw[_RETURNED_LENGTH:]])


class HeadCache:
    """Codec cache of the header of a segment and the first sixteen bytes of a reply."""

    _kind: int = -1
    _length: int = 0
    _completion: int = 0
    _reason: int = 0
    _handle: int = 0
    _request: int = 0
    _big_endian: bool = False
    _tail: bytes = b""
    _front: bytes = b""
    _rest: bytes = b""
    _whole: bytes = b""

    def __init__(self, shared: bool, conversation: int) -> None:
        self._shared = shared
        self._conversation = conversation

    def head(
        self, kind: int, request: int, length: int, completion: int, reason: int, handle: int, big_endian: bool,
        tail: bytes,
    ) -> bytes:  # fmt: skip
        """Return the bytes in front of `length` bytes of a reply that is one segment."""
        if (
            length != self._length
            or kind != self._kind
            or handle != self._handle
            or completion != self._completion
            or reason != self._reason
            or big_endian != self._big_endian
            or tail != self._tail
        ):
            self._kind = -1
            api = write_api(length, completion, reason, handle, big_endian)
            if self._shared:
                raw = seg.head_m(kind, seg.ONLY, self._conversation, request, big_endian, tail, API_SIZE + length) + api
            else:
                raw = seg.head(kind, seg.ONLY, big_endian, tail, API_SIZE + length) + api
            self._front, self._rest, self._whole = raw[:_REQUEST_ID], raw[_REQUEST_ID + 4 :], raw
            self._length, self._handle, self._completion, self._reason = length, handle, completion, reason
            self._kind, self._request, self._big_endian, self._tail = kind, request, big_endian, tail
        elif self._shared and request != self._request:
            self._request = request
            self._whole = b"".join([self._front, _UNSIGNED.pack(request), self._rest])
        return self._whole


class Same:
    """A call in one segment that was made twice, but for ids and data: the third one is recognised as a whole.

    Compared are the length of the segment and its bytes without ids and data: from the byte order in the header, with
    the handle, to the MsgId, and from behind the CorrelId to the end of the structures, which is the length of the
    data.
    """

    handle: Handle | None = None
    #: Size of the structures of this call, or of the last; and the length field behind them.
    size: int = 0
    length: int = 0
    raw_length: bytes = b""
    _connection: Connection | None = None
    _tail: bytes = b""
    _segment: int = 0
    _head: bytes = b""
    _back: bytes = b""
    # The last call.
    _last_segment: int = 0
    _last_number: int = 0

    def holds(self, connection: Connection, tail: bytes, data: bytes, order: int, start: int, length: int) -> bool:
        """Compare a call with the remembered one. `order` is the place of the byte order, `start` of the structures."""
        handle = self.handle
        return (
            length == self._segment
            and handle is not None
            and handle.open
            and connection is self._connection
            and tail is self._tail
            and data[order : start + _MSG_ID] == self._head
            and data[start + _BACKOUT_COUNT : start + self.size] == self._back
        )

    def remember(
        self, connection: Connection, handle: Handle, tail: bytes, data: bytes, order: int, start: int, length: int
    ) -> bool:
        """Record a call that is different. Return True if it came twice and is the remembered one from now on."""
        if length != self._last_segment or handle.number != self._last_number:
            self._last_segment, self._last_number = length, handle.number
            self.handle = None
            return False
        end = start + self.size
        self._segment, self._connection, self.handle, self._tail = length, connection, handle, tail
        self._head, self._back = data[order : start + _MSG_ID], data[start + _BACKOUT_COUNT : end]
        return True


class SamePut(Same):
    """An MQPUT, and the meaning of its structures."""

    def __init__(self) -> None:
        self.md = MQMD()
        self.pmo = MQPMO()


def read_ids(md: MQMD, data: bytes, offset: int) -> None:
    """Unpack MsgId and CorrelId of the descriptor at `offset`."""
    md.msg_id = data[offset + _MSG_ID : offset + _CORREL_ID]
    md.correl_id = data[offset + _CORREL_ID : offset + _BACKOUT_COUNT]


class Puts:
    """The codec cache of a conversation's MQPUT."""

    def __init__(self, shared: bool, conversation: int) -> None:
        self.md = DescriptorCache()
        self.pmo = PutOptionsCache()
        self.head = HeadCache(shared, conversation)
        #: The last one; and all, by handle, for clients that put to several queues in turns.
        self.same = SamePut()
        self._by_handle: dict[int, SamePut] = {}

    def turn_to(self, number: int) -> SamePut:
        """Select the cache of the handle `number`, which differs from the last call's."""
        same = self._by_handle.get(number)
        if same is None:
            if len(self._by_handle) >= _HANDLES_MAX:
                self._by_handle.clear()
            same = self._by_handle[number] = SamePut()
        self.same = same
        return same

    def again(self, data: bytes, offset: int) -> None:
        """Lend the structures of the same call once more."""
        md, same = self.md.lent, self.same
        same.md.copy_to(md)
        same.pmo.copy_to(self.pmo.lent)
        read_ids(md, data, offset)

    def keep(self) -> None:
        """Mark the lent structures as not returned."""
        self.md.keep()
        self.pmo.keep()


class Gets:
    """The codec cache of a conversation's MQGET."""

    _length: int = 0
    _length_big_endian: bool = False
    _raw_length: bytes = bytes(4)

    def __init__(self, shared: bool, conversation: int) -> None:
        self.md = DescriptorCache()
        self.gmo = GetOptionsCache()
        self.head = HeadCache(shared, conversation)
        self.same = Same()
        self.same_md = MQMD()
        self.same_gmo = MQGMO()
        #: The structures of a get that no longer waits.
        self._spare_md: MQMD | None = None
        self._spare_gmo: MQGMO | None = None

    def again(self, data: bytes, offset: int) -> None:
        """Lend the structures of the same call once more."""
        md = self.md.lent
        self.same_md.copy_to(md)
        self.same_gmo.copy_to(self.gmo.lent)
        read_ids(md, data, offset)

    def keep(self) -> None:
        """Mark the lent structures as not returned yet: a get waits with them."""
        md, gmo = self._spare_md, self._spare_gmo
        if md is None or gmo is None:
            self.md.keep()
            self.gmo.keep()
        else:
            self.md.lent, self.gmo.lent = md, gmo
            self._spare_md = self._spare_gmo = None

    def give_back(self, md: MQMD, gmo: MQGMO) -> None:
        """Return the structures of a get that was answered."""
        self._spare_md, self._spare_gmo = md, gmo

    def length(self, length: int, big_endian: bool) -> bytes:
        """Pack the length of a message."""
        if length != self._length or big_endian != self._length_big_endian:
            self._raw_length = write_long(length, big_endian)
            self._length, self._length_big_endian = length, big_endian
        return self._raw_length
