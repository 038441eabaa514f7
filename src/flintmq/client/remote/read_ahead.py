"""Read-ahead: gets and browses that are answered by messages sent in advance.

A handle reads ahead if it was opened for input or browse and

    conversations may share the socket    SHARECNV of the channel is not 0, and the client did not ask for 0
    MQOO_READ_AHEAD, or neither that nor  and DEFREADA(YES); but never with DEFREADA(DISABLED)
      MQOO_NO_READ_AHEAD

The first MQGET on it then decides (MQ's rules, "MQGET options and read ahead"):

    options of a get                                   in the first get             in a later one
    SYNCPOINT, MARK_SKIP_BACKOUT, MSG_UNDER_CURSOR,    the handle does not          2046
      LOCK, UNLOCK, SET_SIGNAL                           read ahead
    NO_SYNCPOINT, SYNCPOINT_IF_PERSISTENT,             are kept                     others: 2457
      ACCEPT_TRUNCATED_MSG, CONVERT, LOGICAL_ORDER,
      COMPLETE_MSG, ALL_..._AVAILABLE, the marks of
      browses, PROPERTIES_...; Encoding and
      CodedCharSetId with CONVERT; browse or not
    WAIT and its interval, FAIL_IF_QUIESCING,          as given                     as given
      BROWSE_FIRST, BROWSE_NEXT, BROWSE_MSG_UNDER_
      CURSOR; MsgId, CorrelId and other match fields

Messages sent and not used are lost when the handle is closed, the connection ends or is lost: they are no longer on the
queue. So read-ahead is for non-persistent messages, or for browses, which lose nothing; persistent ones come one by
one, to a get that waits (A4 of ahead.py). MQCLOSE with MQCO_QUIESCE returns 2458 while there are messages here: get
them, until 2518, and close again.

A get with wait waits here; after its timeout it asks the queue manager whether there is a message left, as a get
without wait does at once. So a get that finds a message here needs no exchange, and a browse through a queue needs one
question for each half of ROOM bytes in it, and one more.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from flintmq.client.remote.ahead import Ahead, Arrived
from flintmq.client.remote.refusal import call_refused
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import error_of
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQCC_FAILED, MQCC_OK, MQCC_WARNING
from flintmq.wire.mq import stream as layout
from flintmq.wire.mq.errors import ChannelError

if TYPE_CHECKING:
    from flintmq.client.remote.session import ClientSession
    from flintmq.client.remote.steps import MQISteps, RemoteHandle, Steps

#: Read-ahead of a handle: never; if its first get allows it; yes.
NEVER: Final = 0
PERHAPS: Final = 1
YES: Final = 2
#: The type of an exchange that is no call: segments to send, and whether to wait for something for the handle.
STREAM: Final = 0

_READERS: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE
_BROWSE: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
_NOT_AHEAD: Final = (
    mq.MQGMO_SYNCPOINT
    | mq.MQGMO_MARK_SKIP_BACKOUT
    | mq.MQGMO_MSG_UNDER_CURSOR
    | mq.MQGMO_LOCK
    | mq.MQGMO_UNLOCK
    | mq.MQGMO_SET_SIGNAL
)
_MAY_CHANGE: Final = mq.MQGMO_WAIT | mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_NO_SYNCPOINT | _BROWSE
_FOR_EVER: Final = -1
#: Exceptions from reading a malformed message.
_UNREADABLE: Final = (ChannelError, MQStructuresError, UnicodeError)


def ability(session: ClientSession, options: int, default: int) -> int:
    """Return whether a handle with these open options may read ahead; `default` is DEFREADA of its queue."""
    if not session.shared or not options & _READERS or default == mq.MQREADA_DISABLED:
        return NEVER
    if options & mq.MQOO_READ_AHEAD:
        return PERHAPS
    return PERHAPS if default == mq.MQREADA_YES and not options & mq.MQOO_NO_READ_AHEAD else NEVER


def decide(handle: RemoteHandle, md: MQMD, gmo: MQGMO) -> bool:
    """Return whether this get reads ahead, by the table above. Raise MQError (2046, 2457)."""
    options = gmo.options
    if handle.ability == PERHAPS:
        if options & _NOT_AHEAD:
            handle.ability = NEVER
            return False
        handle.ability = YES
        handle.kept = _kept(md, gmo)
        return True
    if options & _NOT_AHEAD:
        text = f"{handle.object_name} is read ahead: no get of it can be in syncpoint, lock or take what is browsed"
        raise error_of(rc.MQRC_OPTIONS_ERROR, text)
    if _kept(md, gmo) != handle.kept:
        text = f"{handle.object_name} is read ahead: options that have to stay as in the first get were changed"
        raise error_of(rc.MQRC_OPTIONS_CHANGED, text)
    return True


def _kept(md: MQMD, gmo: MQGMO) -> tuple[int, bool, int, int]:
    """Return the options that must be equal in all gets."""
    options = gmo.options
    browses = options & _BROWSE != 0
    if options & mq.MQGMO_CONVERT:
        return options & ~_MAY_CHANGE, browses, md.encoding, md.coded_char_set_id
    return options & ~_MAY_CHANGE, browses, 0, 0


def get_ahead(mqi: MQISteps, handle: RemoteHandle, md: MQMD, gmo: MQGMO, sent: MQGMO, max_length: int) -> Steps[bytes]:
    """Get with the options `sent` (MQGET); `md` and `gmo` get the descriptor and the other results."""
    try:
        session = mqi.wire.session
        options = sent.options if max_length >= 0 else sent.options & ~mq.MQGMO_ACCEPT_TRUNCATED_MSG
        ahead = handle.ahead
        if ahead is None:
            ahead = handle.ahead = session.streams[handle.number] = Ahead(handle.number, mqi.room_for(handle.kept[1]))
        if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
            current = ahead.current
            if current is None:
                mqi.completion, mqi.reason = MQCC_FAILED, rc.MQRC_NO_MSG_UNDER_CURSOR
                raise error_of(rc.MQRC_NO_MSG_UNDER_CURSOR)
            return told(mqi, current, md, gmo, options, max_length)
        if options & mq.MQGMO_BROWSE_FIRST and ahead.asked:
            ahead.begin_again()
            session.later(session.notice(handle.number, layout.NOTIFY_BROWSE_FIRST, 0))
        ahead.wants(md, sent, session.big_endian)
        message = ahead.take(md, sent)
        if message is None:
            message = yield from _fetched(mqi, handle, ahead, md, sent, options, max_length)
        whole = len(message.data)
        if 0 <= max_length < whole and not options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
            return told(mqi, message, md, gmo, options, max_length)  # It stays here: 2080.
        ahead.used(message)
        data = told(mqi, message, md, gmo, options, max_length)
        ahead.seen(md.persistence == mq.MQPER_PERSISTENT)
        if ahead.is_low() and not ahead.quiesced:
            body = ahead.request(_next(options), sent.wait_interval, max_length, session.big_endian, waits=False)
            yield STREAM, handle.number, session.want(body, False), 0, False
        return data
    except _UNREADABLE as error:
        mqi.wire.bad_answer(error)


def _next(options: int) -> int:
    """Return the options for the messages after the first one."""
    if options & mq.MQGMO_BROWSE_FIRST:
        return options & ~mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT
    return options


def _fetched(
    mqi: MQISteps, handle: RemoteHandle, ahead: Ahead, md: MQMD, gmo: MQGMO, options: int, max_length: int
) -> Steps[Arrived]:
    """Request a message and wait for it, because none here matches. Raise by reason."""
    session, number = mqi.wire.session, handle.number
    if ahead.quiesced:
        reason = rc.MQRC_HOBJ_QUIESCED if ahead.messages else rc.MQRC_HOBJ_QUIESCED_NO_MSGS
        mqi.completion, mqi.reason = MQCC_FAILED, reason
        raise error_of(reason)
    wait_ms = gmo.wait_interval if options & mq.MQGMO_WAIT else 0
    end = time.monotonic() + wait_ms / 1000
    first = options | mq.MQGMO_BROWSE_NEXT if options & mq.MQGMO_BROWSE_FIRST else options
    ahead.failure = 0
    out = b""
    if wait_ms:
        out = session.want(ahead.request(first, wait_ms, max_length, session.big_endian), False)
    while True:
        if wait_ms == _FOR_EVER:
            yield STREAM, number, out, -1, True
        else:
            left = round((end - time.monotonic()) * 1000)
            if left > 0:
                yield STREAM, number, out, left, True
            else:
                asked = _next(options) if wait_ms else first
                out += session.want(
                    ahead.request(asked & ~mq.MQGMO_WAIT, 0, max_length, session.big_endian, True), True
                )
                yield from _answered(mqi, number, ahead, md, gmo, out)
        out = b""
        message = ahead.take(md, gmo)
        if message is not None:
            return message
        if ahead.failure:
            mqi.completion, mqi.reason = MQCC_FAILED, ahead.failure
            raise call_refused(ahead.failure, handle.object_name, mqi.wire.q_mgr_name)
        if ahead.answered:
            mqi.completion, mqi.reason = MQCC_FAILED, rc.MQRC_NO_MSG_AVAILABLE
            raise call_refused(rc.MQRC_NO_MSG_AVAILABLE, handle.object_name, mqi.wire.q_mgr_name)


def _answered(mqi: MQISteps, number: int, ahead: Ahead, md: MQMD, gmo: MQGMO, out: bytes) -> Steps[None]:
    """Send a question, and wait for a matching message or the reply."""
    while True:
        yield STREAM, number, out, -1, True
        out = b""
        if ahead.answered or ahead.failure or ahead.take(md, gmo) is not None:
            return


def told(mqi: MQISteps, message: Arrived, md: MQMD, gmo: MQGMO, options: int, max_length: int) -> bytes:
    """Return the data of a message for the application, and write the other results of the get."""
    data, reason = message.data, message.reason
    if 0 <= max_length < len(data):
        data = data[:max_length]
        accepted = options & mq.MQGMO_ACCEPT_TRUNCATED_MSG
        reason = rc.MQRC_TRUNCATED_MSG_ACCEPTED if accepted else rc.MQRC_TRUNCATED_MSG_FAILED
    mqi.completion, mqi.reason = MQCC_WARNING if reason else MQCC_OK, reason
    mqi.data_length = message.length
    got = message.md()
    if options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT and got.persistence == mq.MQPER_PERSISTENT:
        mqi.has_work = True
    got.copy_to(md)
    gmo.resolved_q_name, gmo.msg_token = message.q_name(), message.token
    gmo.returned_length = len(data)
    if got.version >= 2:
        _tell_groups(gmo, got.msg_flags)
    return data


def _tell_groups(gmo: MQGMO, flags: int) -> None:
    """Set the status of a message in its group and logical message from its flags, as MQGET does."""
    gmo.group_status = mq.MQGS_NOT_IN_GROUP
    if flags & mq.MQMF_LAST_MSG_IN_GROUP:
        gmo.group_status = mq.MQGS_LAST_MSG_IN_GROUP
    elif flags & mq.MQMF_MSG_IN_GROUP:
        gmo.group_status = mq.MQGS_MSG_IN_GROUP
    gmo.segment_status = mq.MQSS_NOT_A_SEGMENT
    if flags & mq.MQMF_LAST_SEGMENT:
        gmo.segment_status = mq.MQSS_LAST_SEGMENT
    elif flags & mq.MQMF_SEGMENT:
        gmo.segment_status = mq.MQSS_SEGMENT
    allowed = flags & mq.MQMF_SEGMENTATION_ALLOWED
    gmo.segmentation = mq.MQSEG_ALLOWED if allowed else mq.MQSEG_INHIBITED


def quiesced(mqi: MQISteps, handle: RemoteHandle) -> Steps[bool]:
    """Return whether MQCLOSE with MQCO_QUIESCE can close the handle: no message is here. Else the reason is 2458."""
    ahead = handle.ahead
    if ahead is None or handle.kept[1]:
        return True
    session = mqi.wire.session
    if not ahead.quiesced:
        ahead.quiesced = True
        body = ahead.request(0, 0, -1, session.big_endian, True, 0)
        out = session.want(body, True)
        while not ahead.answered:
            ahead.heard = len(ahead.messages)
            yield STREAM, handle.number, out, -1, True
            out = b""
    if not ahead.messages:
        return True
    mqi.completion, mqi.reason = MQCC_WARNING, rc.MQRC_READ_AHEAD_MSGS
    return False
