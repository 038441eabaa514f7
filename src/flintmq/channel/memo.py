"""Structures that are read and written again and again, hardly changed: what was done last is kept, and done once.

An application that puts or gets in a loop sends the same descriptor and the same options each time, but for the ids;
and what it gets back differs in ids and time. So each memo remembers the bytes that it has read last with what they
mean, and the values that it has written last with their bytes:

    unpack    bytes equal to the last ones mean the same: a copy of what was read then
    pack      values equal to the last ones give the same bytes; ids and time are set in between

M1  A memo's `unpack` and `pack` give what those of the structure give, and raise what those raise, whatever was read
    and written before. (tests/channel/test_memo.py compares them.)
M2  What `unpack` returns is the caller's: nothing that is done to it is seen by the next caller.

A conversation has one for its puts and one for its gets, once it has made any: Puts and Gets. The head of a reply is
remembered likewise.
"""

from __future__ import annotations

import struct
from typing import Final

from flintmq.channel import segment as seg
from flintmq.channel.calls import API_SIZE, write_api
from flintmq.mqi import gmo as gmo_structure
from flintmq.mqi import md as md_structure
from flintmq.mqi import pmo as pmo_structure
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import write_text
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_MD_ERROR

MD_SIZES: Final = {1: md_structure.SIZE_1, 2: md_structure.SIZE_2}
PMO_SIZES: Final = {1: pmo_structure.SIZE_1, 2: pmo_structure.SIZE_2, 3: pmo_structure.SIZE_3}
GMO_SIZES: Final = {
    1: gmo_structure.SIZE_1,
    2: gmo_structure.SIZE_2,
    3: gmo_structure.SIZE_3,
    4: gmo_structure.SIZE_4,
}

# Offsets in MQMD (mqi/md.py).
_MSG_ID: Final = 48
_CORREL_ID: Final = 72
_BACKOUT_COUNT: Final = 96
_REPLY_TO: Final = 100
_CONTEXT: Final = 196
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


class DescriptorMemo:
    """MQMD."""

    # What was read last, in front of the ids and behind them.
    _size: int = 0
    _read_front: bytes = b""
    _read_back: bytes = b""
    _read_big_endian: bool = False
    _read_ccsid: int = 0
    # What was written last.
    _written: bool = False
    _big_endian: bool = False
    _ccsid: int = 0
    _front: bytes = b""
    _backout: bytes = b""
    _reply_to: bytes = b""
    _context: bytes = b""
    _stamp: bytes = b""
    _end: bytes = b""
    _back: bytes = b""

    def __init__(self) -> None:
        self._read = MQMD()
        self._last = MQMD()
        self._names: dict[str, dict[str, bytes]] = {}

    def unpack(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> MQMD:
        """As MQMD.unpack."""
        if (
            self._size
            and data[offset : offset + _MSG_ID] == self._read_front
            and data[offset + _BACKOUT_COUNT : offset + self._size] == self._read_back
            and big_endian == self._read_big_endian
            and ccsid == self._read_ccsid
        ):
            md = self._read.copy()
            md.msg_id = data[offset + _MSG_ID : offset + _CORREL_ID]
            md.correl_id = data[offset + _CORREL_ID : offset + _BACKOUT_COUNT]
            return md
        md = MQMD.unpack(data, offset, big_endian, ccsid)
        self._size = MD_SIZES[md.version]
        self._read_front = data[offset : offset + _MSG_ID]
        self._read_back = data[offset + _BACKOUT_COUNT : offset + self._size]
        self._read_big_endian = big_endian
        self._read_ccsid = ccsid
        self._read = md.copy()
        return md

    def pack(self, md: MQMD, big_endian: bool, ccsid: int) -> bytes:
        """As MQMD.pack."""
        last = self._last
        if (
            not self._written
            or big_endian != self._big_endian
            or ccsid != self._ccsid
            or len(md.msg_id) != _ID
            or len(md.correl_id) != _ID
            or not _same_but_ids(md, last)
        ):
            return self._pack_anew(md, big_endian, ccsid)
        if md.reply_to_q != last.reply_to_q or md.reply_to_q_mgr != last.reply_to_q_mgr:
            named = self._names.get(md.reply_to_q)
            reply_to = named.get(md.reply_to_q_mgr) if named is not None else None
            if reply_to is None:
                return self._pack_anew(md, big_endian, ccsid)
            self._set_back(md, reply_to, ccsid)
        elif md.put_time != last.put_time or md.put_date != last.put_date:
            self._set_back(md, self._reply_to, ccsid)
        return b"".join([self._front, md.msg_id, md.correl_id, self._back])

    def pack_fitting(self, md: MQMD, big_endian: bool, ccsid: int) -> bytes:
        """The same for a message that has left its queue: what does not fit its field is cut, nothing is raised.

        A program in the process of the queue manager may have put it, whose descriptor has never been bytes.
        """
        try:
            return self.pack(md, big_endian, ccsid)
        except StructureError:
            md.fit()
            return self.pack(md, big_endian, ccsid)

    def _set_back(self, md: MQMD, reply_to: bytes, ccsid: int) -> None:
        """What is written behind the ids, with another time or other names to reply to. May raise StructureError."""
        last = self._last
        if md.put_time != last.put_time or md.put_date != last.put_date:
            date = write_text(md.put_date, 8, ccsid, MQRC_MD_ERROR, "MQMD PutDate")
            self._stamp = date + write_text(md.put_time, 8, ccsid, MQRC_MD_ERROR, "MQMD PutTime")
            last.put_date, last.put_time = md.put_date, md.put_time
        last.reply_to_q, last.reply_to_q_mgr = md.reply_to_q, md.reply_to_q_mgr
        self._reply_to = reply_to
        self._back = b"".join([self._backout, reply_to, self._context, self._stamp, self._end])

    def _pack_anew(self, md: MQMD, big_endian: bool, ccsid: int) -> bytes:
        """Write all of it, and remember how."""
        self._written = False
        raw = md.pack(big_endian, ccsid)
        if big_endian != self._big_endian or ccsid != self._ccsid or len(self._names) >= _REPLY_TO_MAX:
            self._names = {}
        self._big_endian, self._ccsid = big_endian, ccsid
        self._front = raw[:_MSG_ID]
        self._backout = raw[_BACKOUT_COUNT:_REPLY_TO]
        self._reply_to = raw[_REPLY_TO:_CONTEXT]
        self._context = raw[_CONTEXT:_STAMP]
        self._stamp = raw[_STAMP:_ORIGIN_DATA]
        self._end = raw[_ORIGIN_DATA:]
        self._back = raw[_BACKOUT_COUNT:]
        named = self._names.get(md.reply_to_q)
        if named is None or len(named) >= _REPLY_TO_MAX:
            named = self._names[md.reply_to_q] = {}
        named[md.reply_to_q_mgr] = self._reply_to
        md.copy_to(self._last)
        self._written = True
        return raw


def _same_but_ids(md: MQMD, last: MQMD) -> bool:
    """Whether two descriptors are written alike, but for ids, time, and where replies go."""
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


class PutOptionsMemo:
    """MQPMO."""

    _raw_read: bytes = b""
    _read_big_endian: bool = False
    _read_ccsid: int = 0
    _raw: bytes = b""
    _big_endian: bool = False
    _ccsid: int = 0

    def __init__(self) -> None:
        self._read = MQPMO()
        self._last = MQPMO()

    def unpack(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> MQPMO:
        """As MQPMO.unpack."""
        raw = self._raw_read
        if (
            raw
            and data[offset : offset + len(raw)] == raw
            and big_endian == self._read_big_endian
            and ccsid == self._read_ccsid
        ):
            return self._read.copy()
        pmo = MQPMO.unpack(data, offset, big_endian, ccsid)
        self._raw_read = data[offset : offset + PMO_SIZES[pmo.version]]
        self._read_big_endian, self._read_ccsid = big_endian, ccsid
        self._read = pmo.copy()
        return pmo

    def pack(self, pmo: MQPMO, big_endian: bool, ccsid: int) -> bytes:
        """As MQPMO.pack."""
        if self._raw and big_endian == self._big_endian and ccsid == self._ccsid and pmo.equals(self._last):
            return self._raw
        self._raw = b""
        raw = pmo.pack(big_endian, ccsid)
        self._raw, self._big_endian, self._ccsid = raw, big_endian, ccsid
        self._last = pmo.copy()
        return raw


class GetOptionsMemo:
    """MQGMO."""

    _raw_read: bytes = b""
    _read_big_endian: bool = False
    _read_ccsid: int = 0
    _raw: bytes = b""
    _big_endian: bool = False
    _ccsid: int = 0

    def __init__(self) -> None:
        self._read = MQGMO()
        self._last = MQGMO()

    def unpack(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> MQGMO:
        """As MQGMO.unpack."""
        raw = self._raw_read
        if (
            raw
            and data[offset : offset + len(raw)] == raw
            and big_endian == self._read_big_endian
            and ccsid == self._read_ccsid
        ):
            return self._read.copy()
        gmo = MQGMO.unpack(data, offset, big_endian, ccsid)
        self._raw_read = data[offset : offset + GMO_SIZES[gmo.version]]
        self._read_big_endian, self._read_ccsid = big_endian, ccsid
        self._read = gmo.copy()
        return gmo

    def pack(self, gmo: MQGMO, big_endian: bool, ccsid: int) -> bytes:
        """As MQGMO.pack."""
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


class HeadMemo:
    """The header of a segment, and the sixteen bytes that a reply begins with."""

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
        """What stands in front of `length` bytes of a reply that is one segment."""
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


class Puts:
    """What is remembered of a conversation's MQPUT."""

    def __init__(self, shared: bool, conversation: int) -> None:
        self.md = DescriptorMemo()
        self.pmo = PutOptionsMemo()
        self.head = HeadMemo(shared, conversation)


class Gets:
    """Of its MQGET."""

    def __init__(self, shared: bool, conversation: int) -> None:
        self.md = DescriptorMemo()
        self.gmo = GetOptionsMemo()
        self.head = HeadMemo(shared, conversation)
