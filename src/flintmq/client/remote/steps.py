"""The calls of the MQI over a channel, as generators: they yield exchanges and are sent the replies.

    steps = mqi.put_steps(handle, md, pmo, data)
    exchange = next(steps)            the exchange to make
    steps.send(answer)                StopIteration: done, with the result of the call

So one source serves threads (mqi.py, with a `_run` that makes each exchange on a socket) and tasks (aio.py, which
awaits it). Arguments, results and errors are those of `flintmq.client.mqi.MQI`. A call is one exchange, except:

    put with MQPMO_ASYNC_RESPONSE    has no reply, if conversations may share the socket and the put can be undone or
                                     is not persistent; else it is made synchronous (async_put.py)
    get from a handle that reads     is answered by messages sent in advance (read_ahead.py)
      ahead
    get without `max_length`         asks for a likely length, and again if the message is longer (2080)
    inq of the names of a namelist   asks first for their number
    several gets, a request and      are sent together, if the queue manager supports that
      the get of its reply
    crtmh, setmp, inqmp ...          are done in the client (handles.py)
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from operator import index
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, TypeVar

from flintmq.client.lazy import lazy
from flintmq.client.mqi_properties import PropertyCalls
from flintmq.client.remote import handles, read_ahead, requests
from flintmq.client.remote.ahead import BROWSE_ROOM, ROOM, Ahead, Arrived
from flintmq.client.remote.async_put import MessageIds, is_eligible
from flintmq.client.remote.handles import PROPERTY_OPTIONS
from flintmq.client.remote.read_ahead import NEVER
from flintmq.client.remote.refusal import call_refused
from flintmq.client.remote.session import NO_REPLY, CallReply, ClientSession
from flintmq.mqi import xid as xa
from flintmq.mqi.call_errors import MQError, NotConnected, error_of
from flintmq.mqi.constants import (
    MQCO_NONE,
    MQCO_QUIESCE,
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_NO_PROPERTIES,
    MQGMO_SYNCPOINT,
    MQGMO_SYNCPOINT_IF_PERSISTENT,
    MQGMO_WAIT,
    MQHO_NONE,
    MQHO_UNUSABLE_HOBJ,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_MD_FOR_OUTPUT_ONLY,
    MQPMO_SYNC_RESPONSE,
    MQPMO_SYNCPOINT,
    MQSTAT_TYPE_ASYNC_ERROR,
)
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.fields import write_text
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import FIELDS as OD_FIELDS
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO, takes_part
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_BACKED_OUT,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_MSG_TOO_BIG_FOR_CHANNEL,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_TRUNCATED_MSG_FAILED,
)
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import spi
from flintmq.wire.mq.calls import API_SIZE, OpenDefaults, read_long, write_long, write_longs
from flintmq.wire.mq.errors import STATUS_MESSAGE_LENGTH, ChannelError
from flintmq.wire.mq.initial_data import CAP2_DIST_LIST, CAP2_SPIREQUEST, CAP2_XAREQUEST
from flintmq.wire.mq.sizes import gmo_size, md_size

if TYPE_CHECKING:
    from flintmq.client.remote import bulk, lists
    from flintmq.mqi import sd as descriptors
    from flintmq.mqi.inquiry import Inquiry
    from flintmq.mqi.sd import MQSD
    from flintmq.mqi.sro import MQSRO
    from flintmq.mqi.sts import MQSTS
    from flintmq.qmgr.calls import Calls as Engine
    from flintmq.qmgr.connection import Connection as EngineConnection
    from flintmq.wire.mq import xids
else:
    bulk = lazy("flintmq.client.remote.bulk")
    descriptors = lazy("flintmq.mqi.sd")
    lists = lazy("flintmq.client.remote.lists")
    xids = lazy("flintmq.wire.mq.xids")

#: First buffer length of a get: with the descriptor it fits one segment.
_BUFFER: Final = 32 * 1024 - 1024
_PUT_RESPONSE: Final = MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE
_IN_UNIT: Final = MQGMO_SYNCPOINT | MQGMO_SYNCPOINT_IF_PERSISTENT
_DEFAULT_IS_ASYNC: Final = 2
_LONG_BIG: Final = struct.Struct(">i")
_LONG_LITTLE: Final = struct.Struct("<i")


#: Exceptions from reading a malformed reply.
UNREADABLE: Final = (ChannelError, MQStructuresError, KeyError, IndexError, UnicodeError, struct.error)
#: type, handle, body, flags of XA, whether there is a reply.
Exchange = tuple[int, int, bytes, int, bool]
T = TypeVar("T")
Steps = Generator[Exchange, CallReply, T]
#: The type of an exchange of several calls that are sent together: 0, a `Many`, type of the last one, False.
MANY: Final = -1


class Many(bytes):
    """The bodies of calls that are sent together, in the place of one body, and their answers."""

    #: Type, handle and body of each.
    calls: list[tuple[int, int, bytes]]
    answers: list[CallReply]
    #: If the first call fails, the last one is a get that is to be ended.
    gets: bool = False
    #: Called when the first `settles` calls are answered, in the middle of the exchange; 0: when all of them are.
    settled: Callable[[], None] | None = None
    settles: int = 0


def many_of(body: bytes) -> Many:
    """Return the body of an exchange of type MANY."""
    assert isinstance(body, Many)
    return body


def start_with_replies(steps: Steps[T], answers: list[CallReply]) -> Exchange:
    """Start steps with the replies to a first exchange that direct.py has made. Return their next exchange.

    Raise StopIteration if there is none.
    """
    kind, _, body, _, _ = next(steps)
    if kind == MANY:
        many_of(body).answers = answers
        return steps.send(NO_REPLY)
    return steps.send(answers[0])


class AnyWire(Protocol):
    """Interface of a wire, which makes the exchanges, for calls."""

    session: ClientSession
    where: str
    q_mgr_name: str
    #: The type of the call that is on its way, 0 if there is none.
    in_flight: int
    #: The queue manager ends a waiting get on request (SPI NOTIFY).
    ends_gets: bool

    def bad_answer(self, error: Exception) -> NoReturn:
        """Break the connection: a reply cannot be read."""


class RemoteHandle:
    """An open object of a queue manager at the other end of a channel."""

    __slots__ = ("ability", "ahead", "buffer", "defaults", "kept", "number", "object_name", "od", "open", "options")

    def __init__(self, number: int, name: str, options: int, defaults: OpenDefaults, od: MQOD | None = None) -> None:
        #: The queue manager's number of it.
        self.number = number
        self.object_name = name
        self.options = options
        self.defaults = defaults
        self.open = True
        #: The descriptor it was opened with, to be opened again.
        self.od = od
        #: Buffer length of a get without `max_length`: the longest message so far.
        self.buffer = _BUFFER
        #: Whether it reads ahead, the options that all its gets must share, and its messages (read_ahead.py).
        self.ability = NEVER
        self.kept = (0, False, 0, 0)
        self.ahead: Ahead | None = None

    def __repr__(self) -> str:
        return f"<RemoteHandle {self.number} of {self.object_name}{'' if self.open else ' closed'}>"


class MQISteps(PropertyCalls):
    """The calls of the MQI on one connection."""

    def __init__(self, wire: AnyWire) -> None:
        self.wire = wire
        self.completion = MQCC_OK
        self.reason = 0
        self.data_length = 0
        #: There may be uncommitted work.
        self.has_work = False
        #: The unit of work was lost with a connection that is there again: calls in it fail until it is ended.
        self.unit_lost = False
        self._handle_engine: handles.HandleEngine | None = None
        self._handles_of: EngineConnection | None = None
        self._xa_opened = False
        #: Bytes of messages that are read ahead for a handle; 0 for the default.
        self.room = 0
        #: Message ids to assign.
        self.ids = MessageIds()
        #: Reasons of asynchronous puts that were lost with a connection.
        self.lost_puts: list[int] = []
        #: Open objects and subscriptions, to be opened again after a reconnection.
        self._opened: list[RemoteHandle] = []
        self._subscriptions: list[tuple[MQSD, RemoteHandle | None, RemoteHandle, RemoteHandle]] = []
        #: How often the connection was made again.
        self.generation = 0
        #: Whether several calls may be sent together, None while the queue manager was not asked. MQ's clients never do
        #: so in one conversation: it is for a queue manager that says it is FlintMQ.
        self._sends_together: bool | None = None

    def room_for(self, browses: bool) -> int:
        """Return the number of bytes that are read ahead for gets, or for browses."""
        return self.room or (BROWSE_ROOM if browses else ROOM)

    # -- objects ------------------------------------------------------------------------------------------------------

    def open_steps(self, od: MQOD, options: int) -> Steps[RemoteHandle]:
        """Open an object (MQOPEN)."""
        options = index(options)
        self._check_list(od)
        wanted = MQOD.unpack(od.pack())
        wanted.object_records = od.object_records
        session = self.wire.session
        body = requests.open_body(od, options, session.big_endian, session.ccsid)
        answer = yield seg.MQOPEN, 0, body, 0, True
        if od.recs_present:
            self._read(lists.tell_object, answer, od)
        self._check(answer, od.object_name or od.object_string, 0)
        try:
            made, defaults = requests.opened(answer)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        name = od.object_name
        for each in OD_FIELDS:
            setattr(od, each, getattr(made, each))
        if wanted.object_name != od.object_name:
            wanted.dynamic_q_name = od.object_name  # A dynamic queue is made again under its name.
        handle = RemoteHandle(answer.handle, name or od.object_string, options, defaults, wanted)
        handle.ability = read_ahead.ability(session, options, defaults.read_ahead)
        self._opened.append(handle)
        return handle

    def close_steps(self, handle: RemoteHandle, options: int = MQCO_NONE) -> Steps[None]:
        """Close a handle (MQCLOSE). With MQCO_QUIESCE it may stay open: 2458 (read_ahead.py)."""
        number, options = _number(handle), index(options)
        if options & MQCO_QUIESCE and not (yield from read_ahead.quiesced(self, handle)):
            return
        body = write_long(options & ~MQCO_QUIESCE, self.wire.session.big_endian)
        yield from self._call(seg.MQCLOSE, number, body, handle.object_name)
        self.wire.session.streams.pop(number, None)
        self.forget(handle)
        self._subscriptions = [each for each in self._subscriptions if each[3] is not handle]

    def forget(self, handle: RemoteHandle) -> None:
        """Forget a handle that is closed or dropped: it is not opened again after a reconnection."""
        handle.open = False
        handle.ahead = None
        if handle in self._opened:
            self._opened.remove(handle)

    def inq_steps(self, handle: RemoteHandle, selectors: Sequence[int]) -> Steps[Inquiry]:
        """Inquire attributes (MQINQ): `integers` and `characters` of the result are in the order of their selectors."""
        asked = [index(selector) for selector in selectors]
        names = 0
        if requests.wants_names(asked):
            names = (yield from self._inq(handle, list(requests.NAME_COUNT), 0)).integers[0]
        return (yield from self._inq(handle, asked, max(0, names)))

    def _inq(self, handle: RemoteHandle, asked: list[int], names: int) -> Steps[Inquiry]:
        lengths = requests.character_lengths(asked, names)
        body = requests.inquire_body(asked, lengths, self.wire.session.big_endian)
        answer = yield from self._call(seg.MQINQ, _number(handle), body, handle.object_name)
        try:
            return requests.inquired(answer, lengths)
        except UNREADABLE as error:
            self.wire.bad_answer(error)

    def set_steps(
        self, handle: RemoteHandle, selectors: Sequence[int], int_attrs: Sequence[int] = (), char_attrs: str = ""
    ) -> Steps[None]:
        """Set attributes (MQSET): `int_attrs` in the order of their selectors, `char_attrs` joined in full length."""
        if not isinstance(char_attrs, str):
            raise TypeError(f"character attributes are str, not {type(char_attrs).__name__}")
        session = self.wire.session
        asked, integers = [index(each) for each in selectors], [index(each) for each in int_attrs]
        body = requests.set_body(asked, integers, char_attrs, session.big_endian, session.ccsid)
        yield from self._call(seg.MQSET, _number(handle), body, handle.object_name)

    def stat_steps(self, type: int) -> Steps[MQSTS]:
        """Return status by MQSTAT_TYPE_* (MQSTAT): the outcome of asynchronous puts since the last call."""
        from flintmq.mqi.sts import MQSTS

        session = self.wire.session
        body = write_long(index(type), session.big_endian) + MQSTS().pack(session.big_endian, session.ccsid)
        answer = yield from self._call(seg.MQSTAT, 0, body, "")
        try:
            sts = MQSTS.unpack(answer.body, API_SIZE + 4, answer.big_endian, answer.ccsid)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        refused = session.refused + self.lost_puts
        if refused and type == MQSTAT_TYPE_ASYNC_ERROR:
            sts.put_failure_count += len(refused)
            if sts.comp_code != MQCC_FAILED:
                sts.comp_code, sts.reason = MQCC_FAILED, refused[0]
            session.refused, self.lost_puts = [], []
        return sts

    # -- put ----------------------------------------------------------------------------------------------------------

    def put_steps(self, handle: RemoteHandle, md: MQMD, pmo: MQPMO, data: bytes) -> Steps[None]:
        """Put a message (MQPUT). Ids and context are written into `md`."""
        yield from self._put(seg.MQPUT, handle.number, b"", handle.object_name, handle.defaults, md, pmo, data)

    def put_delayed_steps(self, handle: RemoteHandle, md: MQMD, pmo: MQPMO, data: bytes, delay_ms: int) -> Steps[None]:
        """Put a message that is delivered `delay_ms` milliseconds later. It always has a reply."""
        self._check_unit(pmo.options & MQPMO_SYNCPOINT)
        session, name = self.wire.session, handle.object_name
        big_endian, ccsid = session.big_endian, session.ccsid
        if not session.terms.cap_flags_2 & CAP2_SPIREQUEST:
            raise error_of(MQRC_FUNCTION_NOT_SUPPORTED, f"{self.wire.where}: the other side does not deliver later")
        if len(data) > session.terms.max_message_size:
            raise call_refused(MQRC_MSG_TOO_BIG_FOR_CHANNEL, name, self.wire.q_mgr_name, len(data))
        structures = md.pack(big_endian, ccsid) + pmo.pack(big_endian, ccsid)
        body = spi.put_body(structures, data, delay_ms, big_endian, ccsid)
        try:
            answer = yield seg.SPI, handle.number, body, 0, True
        except NotConnected:
            if self.wire.in_flight == seg.SPI:
                self.wire.in_flight = seg.MQPUT  # After a reconnection it must not be made twice.
            raise
        self._check(answer, name, len(data))
        if pmo.options & MQPMO_SYNCPOINT:
            self.has_work = True
        try:
            at = API_SIZE + spi.IN_OUT + spi.STRUCTURE
            MQMD.unpack(answer.body, at, answer.big_endian, answer.ccsid).copy_to(md)
        except UNREADABLE as error:
            self.wire.bad_answer(error)

    def put1_steps(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> Steps[None]:
        """Open, put one message and close (MQPUT1)."""
        self._check_list(od)
        session = self.wire.session
        big_endian, ccsid = session.big_endian, session.ccsid
        front = requests.packed_object(od, big_endian, ccsid)
        name = od.object_name or od.object_string
        answer = yield from self._put(seg.MQPUT1, 0, front, name, OpenDefaults(), md, pmo, data, od)
        if answer is not None:
            try:
                made = MQOD.unpack(answer.body, API_SIZE, answer.big_endian, answer.ccsid)
            except UNREADABLE as error:
                self.wire.bad_answer(error)
            for each in OD_FIELDS:
                setattr(od, each, getattr(made, each))

    def _put(
        self,
        kind: int,
        number: int,
        front: bytes,
        name: str,
        defaults: OpenDefaults,
        md: MQMD,
        pmo: MQPMO,
        data: bytes,
        od: MQOD | None = None,
    ) -> Steps[CallReply | None]:
        if not isinstance(data, bytes):
            raise TypeError(f"message data is bytes, not {type(data).__name__}")
        self._check_unit(pmo.options & MQPMO_SYNCPOINT)
        outgoing: handles.Outgoing | None = None
        sent_md, sent_pmo = md, pmo
        if takes_part(pmo):
            outgoing = self._compose(md, pmo, data)
            sent_md, sent_pmo, data = outgoing.md, outgoing.pmo, outgoing.data
        session = self.wire.session
        big_endian, ccsid = session.big_endian, session.ccsid
        if len(data) > session.terms.max_message_size:
            raise call_refused(MQRC_MSG_TOO_BIG_FOR_CHANNEL, name, self.wire.q_mgr_name, len(data))
        options = pmo.options
        unanswered = self._response(sent_md, sent_pmo, defaults)
        if unanswered:
            yield from self.ids.give(self, sent_md, sent_pmo)
            md.msg_id, md.correl_id = sent_md.msg_id, sent_md.correl_id
        packed = requests.packed_options(sent_pmo, big_endian, ccsid)
        pmo.options = options
        length = (_LONG_BIG if big_endian else _LONG_LITTLE).pack(len(data))
        body = b"".join((front, sent_md.pack(big_endian, ccsid), packed, length, data))
        if unanswered:
            yield kind, number, body, 0, False
            self.completion, self.reason = MQCC_OK, 0
            self.has_work = self.has_work or options & MQPMO_SYNCPOINT != 0
            return None
        answer = yield kind, number, body, 0, True
        if od is not None and od.recs_present:
            self._read(lists.tell_object, answer, od)
        if pmo.recs_present:
            self._read(lists.tell_options, answer, bool(front), pmo)
        self._check(answer, name, len(data))
        if options & MQPMO_SYNCPOINT:
            self.has_work = True
        try:
            got = self._put_answered(answer, bool(front), pmo)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        if outgoing is None:
            got.copy_to(md)
        else:
            outgoing.done(got, md, options & MQPMO_MD_FOR_OUTPUT_ONLY != 0)
        return answer

    def _response(self, md: MQMD, pmo: MQPMO, defaults: OpenDefaults) -> bool:
        """Set the response option of a put. Return True if it has no reply, which needs a socket that is shared."""
        asked = pmo.options & _PUT_RESPONSE
        wanted = asked == MQPMO_ASYNC_RESPONSE or (not asked and defaults.put_response == _DEFAULT_IS_ASYNC)
        if wanted and self.wire.session.shared and is_eligible(md, pmo, defaults.persistence):
            pmo.options |= MQPMO_ASYNC_RESPONSE
            return True
        if wanted:
            pmo.options = pmo.options & ~MQPMO_ASYNC_RESPONSE | MQPMO_SYNC_RESPONSE
        return False

    def _put_answered(self, answer: CallReply, has_od: bool, pmo: MQPMO) -> MQMD:
        """Return the descriptor of the message that was put; `pmo` gets its destination."""
        body, big_endian, ccsid = answer.body, answer.big_endian, answer.ccsid
        at = API_SIZE
        if has_od:
            at = requests.od_end(answer, at, MQOD.unpack(body, at, big_endian, ccsid))
        md = MQMD.unpack(body, at, big_endian, ccsid)
        got = MQPMO.unpack(body, at + md_size(md.version), big_endian, ccsid)
        pmo.known_dest_count, pmo.unknown_dest_count = got.known_dest_count, got.unknown_dest_count
        pmo.invalid_dest_count = got.invalid_dest_count
        pmo.resolved_q_name, pmo.resolved_q_mgr_name = got.resolved_q_name, got.resolved_q_mgr_name
        return md

    def _compose(self, md: MQMD, pmo: MQPMO, data: bytes) -> handles.Outgoing:
        outgoing = handles.Outgoing(md, pmo, data)
        with self._calling():
            session = self.wire.session
            reason = outgoing.compose(self._engine, self._holder, pmo, session.ccsid)
        if reason:
            self.completion, self.reason = MQCC_FAILED, reason
            raise error_of(reason)
        return outgoing

    # -- get ----------------------------------------------------------------------------------------------------------

    def get_steps(self, handle: RemoteHandle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Steps[bytes]:
        """Get a message (MQGET). Return its data, cut to `max_length` unless that is -1; `md` gets its descriptor."""
        if handles.has_handle(gmo):
            return (yield from self._get_with_handle(handle, md, gmo, index(max_length)))
        return (yield from self._get(handle, md, gmo, gmo, index(max_length)))

    def _get(self, handle: RemoteHandle, md: MQMD, gmo: MQGMO, sent: MQGMO, max_length: int) -> Steps[bytes]:
        """Get with the options `sent` (MQGET); `md` and `gmo` get the descriptor and the other results."""
        self._check_unit(sent.options & _IN_UNIT)
        if handle.ability and read_ahead.decide(handle, md, sent):
            return (yield from read_ahead.get_ahead(self, handle, md, gmo, sent, max_length))
        session = self.wire.session
        big_endian, ccsid = session.big_endian, session.ccsid
        options = sent.options
        if max_length < 0:
            sent.options = options & ~MQGMO_ACCEPT_TRUNCATED_MSG
        try:
            front = md.pack(big_endian, ccsid) + sent.pack(big_endian, ccsid)
        finally:
            sent.options = options
        layout = _LONG_BIG if big_endian else _LONG_LITTLE
        length = handle.buffer if max_length < 0 else max_length
        while True:
            answer = yield from self._call(seg.MQGET, handle.number, front + layout.pack(length), handle.object_name)
            data = self._get_answered(answer, md, gmo, length)
            if answer.reason != MQRC_TRUNCATED_MSG_FAILED or max_length >= 0 or self.data_length <= length:
                break
            length = handle.buffer = self.data_length
        if options & _IN_UNIT:
            self.has_work = True
        return data

    def _get_answered(self, answer: CallReply, md: MQMD, gmo: MQGMO, length: int) -> bytes:
        """Read the reply to an MQGET that asked for `length` bytes: return the data, and fill in `md` and `gmo`."""
        body = answer.body
        try:
            got = MQMD.unpack(body, API_SIZE, answer.big_endian, answer.ccsid)
            at = API_SIZE + md_size(got.version)
            said = MQGMO.unpack(body, at, answer.big_endian, answer.ccsid)
            at += gmo_size(said.version)
            whole = read_long(body, at, answer.big_endian)
            data = body[at + 4 : at + 4 + min(whole, length)]
            if whole < 0 or len(data) < min(whole, length):
                text = f"a message of {whole} bytes, of which {length} were asked for, has {len(data)}"
                raise ChannelError(STATUS_MESSAGE_LENGTH, text)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        self.data_length = whole
        got.copy_to(md)
        gmo.resolved_q_name, gmo.msg_token = said.resolved_q_name, said.msg_token
        gmo.group_status, gmo.segment_status, gmo.segmentation = (
            said.group_status,
            said.segment_status,
            said.segmentation,
        )
        gmo.returned_length = said.returned_length
        return data

    def get_together_steps(
        self, handle: RemoteHandle, md: MQMD, gmo: MQGMO, count: int
    ) -> Steps[tuple[list[tuple[MQMD, bytes, int]], bool]]:
        """Make up to `count` MQGETs with the same options and without wait, sent together.

        Return (descriptor, data, reason) of each message, and whether there may be more. Raise by reason if the first
        get has failed otherwise than with 2033. The caller has made sure that calls may be sent together, and that the
        handle does not read ahead.
        """
        self._check_unit(gmo.options & _IN_UNIT)
        session = self.wire.session
        options, length = gmo.options & ~(MQGMO_WAIT | MQGMO_ACCEPT_TRUNCATED_MSG), handle.buffer
        sent = MQGMO()
        sent.version, sent.options, sent.match_options = gmo.version, options, gmo.match_options
        front = md.pack(session.big_endian, session.ccsid) + sent.pack(session.big_endian, session.ccsid)
        body = front + (_LONG_BIG if session.big_endian else _LONG_LITTLE).pack(length)
        many = Many()
        many.calls = [(seg.MQGET, handle.number, body)] * count
        yield MANY, 0, many, seg.MQGET, False
        found: list[tuple[MQMD, bytes, int]] = []
        for answer in many.answers:
            if answer.completion and answer.completion != MQCC_WARNING:
                if answer.reason != MQRC_NO_MSG_AVAILABLE and not found:
                    self._check(answer, handle.object_name, 0)
                return found, False
            one = md.copy()
            data = self._get_answered(answer, one, sent, length)
            if answer.reason == MQRC_TRUNCATED_MSG_FAILED:
                handle.buffer = max(handle.buffer, self.data_length)  # It stays on the queue, and is asked for again.
                continue
            found.append((one, data, answer.reason))
            if options & _IN_UNIT:
                self.has_work = True
        return found, True

    @property
    def sends_together(self) -> bool:
        """Return whether the queue manager is known to take several calls together."""
        return self._sends_together is True

    def may_send_together_steps(self) -> Steps[bool]:
        """Return whether several calls may be sent together in one conversation."""
        if self._sends_together is None:
            self._sends_together = yield from bulk.offered_steps(self.wire.session)
            self.wire.ends_gets = self._sends_together
        return self._sends_together

    def request_steps(
        self, handle: RemoteHandle, md: MQMD, data: bytes, options: int, replies: RemoteHandle, wanted: MQMD, gmo: MQGMO
    ) -> Steps[bytes]:
        """Send MQPUT of a request and MQGET of its reply together. Return the data; `wanted` gets the descriptor.

        The caller has made sure that calls may be sent together, that no message handle takes part and that the handles
        do not read ahead. If the message is longer than the buffer, `reason` is 2080 and the message stays on the
        queue.
        """
        session = self.wire.session
        big_endian, ccsid = session.big_endian, session.ccsid
        if len(data) > session.terms.max_message_size:
            raise call_refused(MQRC_MSG_TOO_BIG_FOR_CHANNEL, handle.object_name, self.wire.q_mgr_name, len(data))
        pmo = MQPMO()
        pmo.options = options | MQPMO_SYNC_RESPONSE
        yield from self.ids.give(self, md, pmo)
        wanted.correl_id = md.msg_id
        layout = _LONG_BIG if big_endian else _LONG_LITTLE
        put = b"".join((md.pack(big_endian, ccsid), pmo.pack(big_endian, ccsid), layout.pack(len(data)), data))
        get = wanted.pack(big_endian, ccsid) + gmo.pack(big_endian, ccsid) + layout.pack(replies.buffer)
        many = Many()
        many.calls = [(seg.MQPUT, handle.number, put), (seg.MQGET, replies.number, get)]
        many.gets = True
        yield MANY, 0, many, seg.MQGET, False
        self._check(many.answers[0], handle.object_name, len(data))
        try:
            self._put_answered(many.answers[0], False, pmo).copy_to(md)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        self._check(many.answers[1], replies.object_name, 0)
        return self._get_answered(many.answers[1], wanted, gmo, replies.buffer)

    def _get_with_handle(self, handle: RemoteHandle, md: MQMD, gmo: MQGMO, max_length: int) -> Steps[bytes]:
        """Get with a message handle (MQGET): the properties come in front of the data, and are moved to the handle."""
        with self._calling():
            reason = self._engine.check_message_handle(self._holder, gmo.msg_handle)
        if reason:
            self.completion, self.reason = MQCC_FAILED, reason
            raise error_of(reason)
        in_handle = handles.returns_in_handle(gmo, handle.defaults.property_control)
        sent = handles.asking(gmo, in_handle)
        wish = md.copy()
        if in_handle and max_length >= 0:
            data = yield from self.get_cut_steps(handle, md, gmo, sent, wish, max_length)
        else:
            data = yield from self._get(handle, md, gmo, sent, max_length)
        properties = MessageProperties()
        if in_handle:
            before = len(data)
            data, properties = handles.take_out(md, data)
            self.data_length -= before - len(data)
        with self._calling():
            handles.fill(self._engine, self._holder, gmo.msg_handle, properties, md)
        return data

    def pushed(self, handle: RemoteHandle, message: Arrived, md: MQMD, gmo: MQGMO, max_length: int) -> bytes:
        """Return the data of a message that was pushed to a consumer. `md` and `gmo` are those of its get."""
        if gmo.options & MQGMO_SYNCPOINT:
            self.has_work = True
        try:
            data = read_ahead.told(self, message, md, gmo, gmo.options, max_length)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        if not handles.has_handle(gmo) or not handles.returns_in_handle(gmo, handle.defaults.property_control):
            return data
        before = len(data)
        data, properties = handles.take_out(md, data)
        self.data_length -= before - len(data)
        with self._calling():
            handles.fill(self._engine, self._holder, gmo.msg_handle, properties, md)
        return data

    def get_cut_steps(
        self, handle: RemoteHandle, md: MQMD, gmo: MQGMO, sent: MQGMO, wish: MQMD, max_length: int
    ) -> Steps[bytes]:
        """Get with `max_length` for the data without the header in front of it, which has an unknown length."""
        if handle.ability:  # Options may not change from get to get: so the header is not asked for.
            return (yield from self._get(handle, md, gmo, without_properties(sent), max_length))
        options = sent.options
        sent.options = options & ~MQGMO_ACCEPT_TRUNCATED_MSG
        data = yield from self._get(handle, md, gmo, sent, max_length)
        if self.reason == MQRC_TRUNCATED_MSG_FAILED and len(data) < handles.HEADER_START < self.data_length:
            wish.copy_to(md)
            data = yield from self._get(handle, md, gmo, sent, handles.HEADER_START)
        sent.options = options
        if self.reason != MQRC_TRUNCATED_MSG_FAILED:
            return data
        room = max_length + handles.header_length(md, data)
        wish.copy_to(md)
        return (yield from self._get(handle, md, gmo, sent, room))

    # -- units of work ------------------------------------------------------------------------------------------------

    def cmit_steps(self) -> Steps[None]:
        """Commit the unit of work (MQCMIT). Raise BackedOut if it was backed out, which MQ calls a warning.

        A unit of work that was lost is backed out on the new connection: a consumer may have been served in it.
        """
        if self.unit_lost:
            yield from self.back_steps()
            self.completion, self.reason = MQCC_FAILED, MQRC_BACKED_OUT
            raise error_of(MQRC_BACKED_OUT, self._why_lost())
        self.has_work = False
        yield from self._call(seg.MQCMIT, 0, b"", "")
        if self.reason == MQRC_BACKED_OUT:
            raise error_of(MQRC_BACKED_OUT)

    def back_steps(self) -> Steps[None]:
        """Back the unit of work out (MQBACK)."""
        self.has_work = self.unit_lost = False
        yield from self._call(seg.MQBACK, 0, b"", "")

    def _check_unit(self, in_unit: int) -> None:
        """Raise BackedOut for a call in a unit of work that was lost.

        Its earlier calls are gone, and the application does not know, so nothing can be added to it.
        """
        if self.unit_lost and in_unit:
            self.completion, self.reason = MQCC_FAILED, MQRC_BACKED_OUT
            raise error_of(MQRC_BACKED_OUT, self._why_lost())

    def _why_lost(self) -> str:
        return f"{self.wire.where}: the unit of work was lost with a connection; back it out, and do it again"

    # -- publish/subscribe --------------------------------------------------------------------------------------------

    def sub_steps(
        self, sd: MQSD, handle: RemoteHandle | None = None, hsub: RemoteHandle | None = None
    ) -> Steps[tuple[RemoteHandle, RemoteHandle]]:
        """Subscribe (MQSUB). Return (Hobj, Hsub): the queue of the publications and the subscription."""
        wanted = descriptors.MQSD.unpack(sd.pack())
        session = self.wire.session
        number = hsub.number if hsub is not None else MQHO_UNUSABLE_HOBJ
        body = write_longs([number, 0], session.big_endian) + sd.pack(session.big_endian, session.ccsid)
        name = sd.object_string or sd.object_name or sd.sub_name
        answer = yield from self._call(seg.MQSUB, handle.number if handle is not None else MQHO_NONE, body, name)
        try:
            made = requests.read_subscription(answer)
            got = descriptors.MQSD.unpack(answer.body, API_SIZE + 8, answer.big_endian, answer.ccsid)
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        for each in descriptors.FIELDS:
            setattr(sd, each, getattr(got, each))
        given = handle
        if handle is None:
            handle = RemoteHandle(answer.handle, name, 0, OpenDefaults())
        if hsub is None:
            hsub = RemoteHandle(made, name, 0, OpenDefaults())
            self._subscriptions.append((wanted, given, handle, hsub))
        return handle, hsub

    # -- again --------------------------------------------------------------------------------------------------------

    def reopen_steps(self) -> Steps[None]:
        """Open again all that was open before the connection was lost. Handles of objects that fail become invalid."""
        opened, self._opened = self._opened, []
        subscriptions, self._subscriptions = self._subscriptions, []
        for handle in opened:
            assert handle.od is not None
            handle.ahead = None
            try:
                again = MQOD.unpack(handle.od.pack())
                again.object_records = handle.od.object_records
                made = yield from self.open_steps(again, handle.options)
            except NotConnected:
                self._opened, self._subscriptions = opened, subscriptions
                raise
            except MQError:
                handle.number = MQHO_UNUSABLE_HOBJ
            else:
                handle.number, handle.defaults = made.number, made.defaults
                handle.ability = made.ability
        self._opened = opened
        for sd, given, hobj, hsub in subscriptions:
            try:
                destination, subscription = yield from self.sub_steps(descriptors.MQSD.unpack(sd.pack()), given)
                hobj.number, hsub.number = destination.number, subscription.number
            except NotConnected:
                self._subscriptions = subscriptions
                raise
            except MQError:
                hobj.number = hsub.number = MQHO_UNUSABLE_HOBJ
        self._subscriptions = subscriptions
        self.has_work = self._xa_opened = False
        self._sends_together = None

    def subrq_steps(self, hsub: RemoteHandle, action: int, sro: MQSRO | None = None) -> Steps[int]:
        """Request retained publications (MQSUBRQ, MQSR_ACTION_PUBLICATION). Return their number."""
        from flintmq.mqi.sro import MQSRO

        asked = sro or MQSRO()
        session = self.wire.session
        body = write_long(index(action), session.big_endian) + asked.pack(session.big_endian, session.ccsid)
        answer = yield from self._call(seg.MQSUBRQ, _number(hsub), body, hsub.object_name)
        try:
            asked.num_pubs = MQSRO.unpack(answer.body, API_SIZE + 4, answer.big_endian, answer.ccsid).num_pubs
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        return asked.num_pubs

    # -- XA -----------------------------------------------------------------------------------------------------------

    def xa_recover_steps(
        self, count: int, flags: int = xa.TMSTARTRSCAN | xa.TMENDRSCAN
    ) -> Steps[tuple[int, list[bytes]]]:
        """Return up to `count` branches that are in doubt or heuristic: (code, xids)."""
        big_endian = yield from self._xa_ready()
        answer = yield seg.XA_RECOVER, 0, write_long(index(count), big_endian), index(flags), True
        found: list[bytes] = []
        try:
            at = API_SIZE + 4
            for _ in range(min(read_long(answer.body, API_SIZE, answer.big_endian), xids.XIDS_MAX)):
                xid = xids.read_xid(answer.body, at, answer.big_endian)
                found.append(xid)
                at += len(xid) + -len(xid) % 4
        except UNREADABLE as error:
            self.wire.bad_answer(error)
        return answer.completion, found

    def branch_steps(self, kind: int, xid: bytes, flags: int) -> Steps[int]:
        if not isinstance(xid, bytes):
            raise TypeError(f"an xid is bytes, made by pack_xid, not {type(xid).__name__}")
        big_endian = yield from self._xa_ready()
        answer = yield kind, 0, xids.write_xid(xid, big_endian), index(flags), True
        return answer.completion

    def _xa_ready(self) -> Steps[bool]:
        """Send XA_OPEN before the first call. Return the byte order. Raise MQError if the channel has no XA."""
        session = self.wire.session
        if not session.terms.cap_flags_2 & CAP2_XAREQUEST:
            raise error_of(MQRC_FUNCTION_NOT_SUPPORTED, f"{self.wire.where}: the other side does not serve XA")
        if not self._xa_opened:
            name = write_text(self.wire.q_mgr_name, 48, session.ccsid, 0, "QMgrName").rstrip()
            yield seg.XA_OPEN, 0, bytes([len(name)]) + name + bytes(-(1 + len(name)) % 4), 0, True
            self._xa_opened = True
        return session.big_endian

    # -- message handles ----------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> Engine:  # type: ignore[override]
        return self._engine_of_handles().engine

    @property
    def _holder(self) -> EngineConnection:  # type: ignore[override]
        if self._handles_of is None:
            self._handles_of = self._engine_of_handles().connect()
        return self._handles_of

    def _engine_of_handles(self) -> handles.HandleEngine:
        if self._handle_engine is None:
            self._handle_engine = handles.handle_engine()
        return self._handle_engine

    def _calling(self) -> AbstractContextManager[object]:
        return self._engine_of_handles().lock

    def _end_call(self, name: str = "") -> int:
        holder = self._holder
        self.completion, self.reason = holder.completion, holder.reason
        if holder.completion == MQCC_FAILED:
            raise error_of(holder.reason)
        return 0

    def forget_handles(self) -> None:
        """Delete the message handles: the connection is closed."""
        if self._handle_engine is not None and self._handles_of is not None:
            self._handle_engine.disconnect(self._handles_of)
            self._handles_of = None

    # -- every call ---------------------------------------------------------------------------------------------------

    def _call(self, kind: int, number: int, body: bytes, name: str, length: int = 0) -> Steps[CallReply]:
        """Make a call. Raise by reason if it failed; a warning is left in `completion` and `reason`."""
        answer = yield kind, number, body, 0, True
        self._check(answer, name, length)
        return answer

    def _check(self, answer: CallReply, name: str, length: int) -> None:
        """Raise by reason if a call has failed."""
        self.completion, self.reason = answer.completion, answer.reason
        if answer.completion and answer.completion != MQCC_WARNING:
            raise call_refused(answer.reason, name, self.wire.q_mgr_name, length)

    def _read(self, function: Callable[..., None], *args: object) -> None:
        """Read a part of a reply."""
        try:
            function(*args)
        except UNREADABLE as error:
            self.wire.bad_answer(error)

    def _check_list(self, od: MQOD) -> None:
        """Raise 2298 for a distribution list if the other side does not support them."""
        if od.recs_present and not self.wire.session.terms.cap_flags_2 & CAP2_DIST_LIST:
            text = f"{self.wire.where}: the other side does not serve distribution lists"
            raise error_of(MQRC_FUNCTION_NOT_SUPPORTED, text)


def without_properties(gmo: MQGMO) -> MQGMO:
    """Return the options with properties of the message switched off."""
    gmo.options = gmo.options & ~PROPERTY_OPTIONS | MQGMO_NO_PROPERTIES
    return gmo


def _number(handle: RemoteHandle) -> int:
    if not isinstance(handle, RemoteHandle):
        raise TypeError(f"a handle is one that open or sub returned, not {type(handle).__name__}")
    return handle.number
