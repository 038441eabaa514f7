"""Fast path for calls that are one exchange, without the steps of steps.py and queue_steps.py. Compiled.

A put, a get or a request of a program is one exchange most of the time, and then nothing is left to decide between its
steps. Such a call is made as a `Direct`. It sends the bytes that the steps would send, and leaves the connection in the
same state; tests/client/remote/test_direct.py compares them.

    call      is direct if
    all       the object is open, for the plain name: no selector, no read-ahead option
              the unit of work was not lost with a connection, or the call is not in it
    put       no properties, no delay; it has a reply: neither MQPMO_ASYNC_RESPONSE nor DEFPRESP(ASYNC)
              the data fits the channel
    get       of any length; the handle does not read ahead; poison messages are not requeued, or BOTHRESH is 0
    request   as put; its reply queue is open; calls may be sent together, and a reserved message id is left

On a thread's connection also: no callbacks, no reconnection, no orphaned handle. On a task's: no other call is being
made on it, so that nothing changes before the exchange.

A reply that is not MQCC_OK, or is too short, or a message with an MQ header that may have properties, is left to the
steps: they start, and get the reply to the exchange that was made. So errors, warnings and stale handles are handled in
one place.
"""

from __future__ import annotations

import struct
from typing import Any, Final

from flintmq.client.message import Message
from flintmq.client.remote.session import CallReply, ClientSession
from flintmq.mqi.constants import (
    MQFMT_STRING,
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_NO_PROPERTIES,
    MQGMO_NO_SYNCPOINT,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
    MQGMO_SYNCPOINT,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQPROP_FORCE_MQRFH2,
    MQPROP_V6COMPAT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.gmo import SIZE_1 as GMO_SIZE_1
from flintmq.mqi.md import MQMD
from flintmq.mqi.md import SIZE_1 as MD_SIZE_1
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.pmo import SIZE_1 as PMO_SIZE_1
from flintmq.mqi.reason import MQCC_FAILED
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, read_long
from flintmq.wire.mq.sizes import gmo_size, md_size

_IN: Final = MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_OUT: Final = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_SYNCPOINTS: Final = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT
_PROPERTIES: Final = (
    MQGMO_PROPERTIES_FORCE_MQRFH2 | MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_IN_HANDLE | MQGMO_PROPERTIES_COMPATIBILITY
)
_RESPONSE_IS_ASYNC: Final = 2
_VERSION_AT: Final = 4
_NO_ID: Final = bytes(24)
_READ_MAX: Final = 1 << 16
#: Why a connection is broken that ends in the middle of a call.
HUNG_UP: Final = "the other side has closed the connection"
_LONG_BIG: Final = struct.Struct(">i")
_LONG_LITTLE: Final = struct.Struct("<i")


class Direct:
    """A call that is one exchange: `prepare`, `request`, then `done` when the session has the answer."""

    #: Type of the first call, and of the last if several are sent together.
    kind: int
    last: int
    #: If the first call fails, the last one is a get that is to be ended.
    gets: bool
    #: The reply to each call.
    answers: list[CallReply]
    #: The message, if it is a get.
    message: Message | None
    #: The MQI of the connection, which records completion and reason.
    _mqi: Any

    def prepare(self, session: ClientSession) -> None:
        """Pack the call. Raise StructureError for a descriptor that cannot be packed."""
        raise NotImplementedError

    def request(self, session: ClientSession) -> bytes:
        """Return the segments to send."""
        raise NotImplementedError

    def take(self, session: ClientSession) -> None:
        """Keep the reply of the session before the next call replaces it."""
        answer = session.answer
        assert answer is not None
        self.answers = [answer]

    def done(self) -> bool:
        """Read the reply; return False to leave it to the steps. Raise as they do if it cannot be read."""
        raise NotImplementedError


class DirectPut(Direct):
    """MQPUT through a handle."""

    def __init__(self, mqi: Any, number: int, md: MQMD, data: bytes, in_unit: bool) -> None:
        self._mqi = mqi
        self.kind = self.last = seg.MQPUT
        self.gets = False
        self.answers = []
        self.message = None
        self._number = number
        self._md = md
        self._data = data
        self._in_unit = in_unit
        self._body = b""

    def prepare(self, session: ClientSession) -> None:
        self._body = _put_body(session, self._md, _IN if self._in_unit else _OUT, self._data)

    def request(self, session: ClientSession) -> bytes:
        return session.request(seg.MQPUT, self._number, self._body)

    def done(self) -> bool:
        answer = self.answers[0]
        if answer.completion:
            return False
        got = _put_answered(answer)
        if got is None:
            return False
        got.copy_to(self._md)
        self._mqi.completion = self._mqi.reason = 0
        if self._in_unit:
            self._mqi.has_work = True
        return True


class DirectGet(Direct):
    """MQGET through a handle, of a message of any length."""

    def __init__(
        self, mqi: Any, name: str, number: int, md: MQMD, gmo: MQGMO, in_unit: bool, in_handle: bool, length: int
    ) -> None:
        self._mqi = mqi
        self.kind = self.last = seg.MQGET
        self.gets = False
        self.answers = []
        self.message = None
        self._name = name
        self._number = number
        self._md = md
        self._gmo = gmo
        self._in_unit = in_unit
        self._in_handle = in_handle
        self._length = length
        self._body = b""

    def prepare(self, session: ClientSession) -> None:
        syncpoint = MQGMO_SYNCPOINT if self._in_unit else MQGMO_NO_SYNCPOINT
        options = self._gmo.options & ~(_SYNCPOINTS | MQGMO_ACCEPT_TRUNCATED_MSG) | syncpoint
        self._body = _get_body(session, self._md, self._gmo, options, self._in_handle, self._length)

    def request(self, session: ClientSession) -> bytes:
        return session.request(seg.MQGET, self._number, self._body)

    def done(self) -> bool:
        answer = self.answers[0]
        if answer.completion:
            return False
        message = _made(answer, self._name, self._md, self._in_handle, self._length, self._mqi)
        if message is None:
            return False
        self.message = message
        if self._in_unit:
            self._mqi.has_work = True
        return True


class DirectRequest(Direct):
    """MQPUT of a request and MQGET of its reply, sent together. Outside of a unit of work."""

    def __init__(
        self,
        mqi: Any,
        number: int,
        md: MQMD,
        data: bytes,
        reply_to: str,
        replies: int,
        wanted: MQMD,
        gmo: MQGMO,
        in_handle: bool,
        length: int,
    ) -> None:
        self._mqi = mqi
        self.kind, self.last = seg.MQPUT, seg.MQGET
        self.gets = True
        self.answers = []
        self.message = None
        self._number = number
        self._md = md
        self._data = data
        self._reply_to = reply_to
        self._replies = replies
        self._wanted = wanted
        self._gmo = gmo
        self._in_handle = in_handle
        self._length = length
        self._calls: list[tuple[int, int, bytes]] = []

    def prepare(self, session: ClientSession) -> None:
        put = _put_body(session, self._md, _OUT | MQPMO_SYNC_RESPONSE, self._data)
        self._wanted.correl_id = self._md.msg_id
        get = _get_body(session, self._wanted, self._gmo, self._gmo.options, self._in_handle, self._length)
        self._calls = [(seg.MQPUT, self._number, put), (seg.MQGET, self._replies, get)]

    def request(self, session: ClientSession) -> bytes:
        return session.requests(self._calls)

    def take(self, session: ClientSession) -> None:
        self.answers = session.answers

    def done(self) -> bool:
        put, got = self.answers
        if put.completion or got.completion:
            return False
        sent = _put_answered(put)
        if sent is None:
            return False
        message = _made(got, self._reply_to, self._wanted, self._in_handle, self._length, self._mqi)
        if message is None:
            return False
        sent.copy_to(self._md)
        self.message = message
        return True


def exchange(wire: Any, direct: Direct) -> None:
    """Make the exchange of a direct call on a thread's connection, as `Wire.call` does."""
    session: ClientSession = wire.session
    direct.prepare(session)
    lock = wire._lock
    lock.acquire()
    try:
        if wire.broken is not None:
            wire.check()
        wire.in_flight = direct.kind
        request = direct.request(session)
        sock = wire._socket
        sock.sendall(session.with_late(request) if session.late else request)
        gets = direct.gets
        while True:
            data: bytes = sock.recv(_READ_MAX)
            if not data:
                wire._fail(HUNG_UP)
            session.received(data)
            answer = session.answer
            if answer is not None:
                if answer.kind != direct.last + seg.REPLY:
                    wire._fail(f"a call of type {direct.last:#x} was answered by {answer.kind:#x}")
                wire.in_flight = session.unconfirmed = 0
                direct.take(session)
                if session.out:
                    wire._between()
                return
            wire._between()
            if gets and session.pending and session.answers and session.answers[0].completion == MQCC_FAILED:
                gets = False
                sock.sendall(session.cancel_get(wire.connection_id))
    except BaseException as error:
        wire._cut_short(error)
    finally:
        lock.release()


def put_of(mqi: Any, handle: Any, md: MQMD, data: object, in_unit: bool) -> DirectPut | None:
    """Return a put as a direct call; None if the table above excludes it. `handle` is the open object, or None."""
    if handle is None or not isinstance(data, bytes) or handle.defaults.put_response == _RESPONSE_IS_ASYNC:
        return None
    session: ClientSession = mqi.wire.session
    if len(data) > session.terms.max_message_size or (in_unit and mqi.unit_lost):
        return None
    return DirectPut(mqi, handle.number, md, data, in_unit)


def get_of(mqi: Any, name: str, handle: Any, md: MQMD, gmo: MQGMO, in_unit: bool) -> DirectGet | None:
    """Return a get of a message of any length as a direct call; None if the table above excludes it."""
    if handle is None or handle.ability or (in_unit and mqi.unit_lost):
        return None
    return DirectGet(mqi, name, handle.number, md, gmo, in_unit, returns_in_handle(gmo, handle), handle.buffer)


def returns_in_handle(gmo: MQGMO, handle: Any) -> bool:
    """Return whether a get asks for properties as an MQRFH2, as for a message handle (handles.py)."""
    chosen = gmo.options & _PROPERTIES
    if chosen:
        return chosen == MQGMO_PROPERTIES_IN_HANDLE
    control: int = handle.defaults.property_control
    return control != MQPROP_FORCE_MQRFH2 and control != MQPROP_V6COMPAT


def request_of(
    mqi: Any, handle: Any, md: MQMD, data: object, replies: Any, reply_to: str, wanted: MQMD, gmo: MQGMO
) -> DirectRequest | None:
    """Return a request with the get of its reply from `replies` as a direct call; None if the table excludes it."""
    if handle is None or replies.ability or not isinstance(data, bytes):
        return None
    if len(data) > mqi.wire.session.terms.max_message_size:
        return None
    if md.msg_id == _NO_ID:
        given: bytes | None = mqi.ids.one_at_hand()
        if given is None:
            return None
        md.msg_id = given
    in_handle = returns_in_handle(gmo, replies)
    return DirectRequest(mqi, handle.number, md, data, reply_to, replies.number, wanted, gmo, in_handle, replies.buffer)


def _put_body(session: ClientSession, md: MQMD, options: int, data: bytes) -> bytes:
    big_endian, ccsid = session.big_endian, session.ccsid
    pmo = MQPMO()
    pmo.options = options
    length = (_LONG_BIG if big_endian else _LONG_LITTLE).pack(len(data))
    return b"".join((md.pack(big_endian, ccsid), pmo.pack(big_endian, ccsid), length, data))


def _get_body(session: ClientSession, md: MQMD, gmo: MQGMO, options: int, in_handle: bool, length: int) -> bytes:
    """Return the body of an MQGET with these options; `gmo` keeps its own."""
    big_endian, ccsid = session.big_endian, session.ccsid
    given = gmo.options
    gmo.options = options & ~_PROPERTIES | MQGMO_PROPERTIES_FORCE_MQRFH2 if in_handle else options
    try:
        room = (_LONG_BIG if big_endian else _LONG_LITTLE).pack(length)
        return md.pack(big_endian, ccsid) + gmo.pack(big_endian, ccsid) + room
    finally:
        gmo.options = given


def _put_answered(answer: CallReply) -> MQMD | None:
    """Return the descriptor of a message that was put; None if the reply is too short."""
    body = answer.body
    if len(body) < API_SIZE + MD_SIZE_1:
        return None
    md = MQMD.unpack(body, API_SIZE, answer.big_endian, answer.ccsid)
    return md if len(body) >= API_SIZE + md_size(md.version) + PMO_SIZE_1 else None


def _made(answer: CallReply, name: str, md: MQMD, in_handle: bool, length: int, mqi: Any) -> Message | None:
    """Return the message of a reply to an MQGET for `length` bytes, described by `md`.

    None if it may have properties in front of its data, or if the reply is truncated.
    """
    body, big_endian = answer.body, answer.big_endian
    if len(body) < API_SIZE + MD_SIZE_1:
        return None
    got = MQMD.unpack(body, API_SIZE, big_endian, answer.ccsid)
    if in_handle and got.format.startswith("MQ") and got.format != MQFMT_STRING:
        return None
    at = API_SIZE + md_size(got.version)
    if len(body) < at + GMO_SIZE_1:
        return None
    at += gmo_size(read_long(body, at + _VERSION_AT, big_endian))
    if len(body) < at + 4:
        return None
    whole = read_long(body, at, big_endian)
    if not 0 <= whole <= length or len(body) < at + 4 + whole:
        return None
    data = body[at + 4 : at + 4 + whole]
    mqi.completion = mqi.reason = 0
    mqi.data_length = whole
    got.copy_to(md)
    return Message(data, md, name)
