"""Puts, a commit and the next get sent with one write, for a program that takes message after message.

    put = LaterPut(...)                a put that is packed and not sent yet
    chain = Chain([put], True, get)    puts, then COMMIT (wire/mq/bulk.py), then a get
    mqi.run_chain(chain)               sends it; then `put.error`, `chain.commit_error`, `get.data` have the outcome

K1  The queue manager commits only if every put of the chain has succeeded: COMMIT names how many calls it depends on.
K2  The get is made only if all puts and the commit have succeeded. So no message is got into a unit of work that has
    failed, and none is got that the caller would have to keep until it has dealt with a failure.
K3  `settled` is called when all outcomes but that of the get, which may wait, are known: once, in the thread that runs
    the chain. It makes no call.

It needs a queue manager that supports it (`RemoteMQI.may_send_together`), and a handle that does not read ahead.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from flintmq.client.remote import bulk, lists
from flintmq.client.remote.refusal import call_refused
from flintmq.client.remote.steps import MANY, UNREADABLE, Many, MQISteps, RemoteHandle, Steps
from flintmq.mqi.call_errors import MQError, error_of
from flintmq.mqi.constants import MQGMO_ACCEPT_TRUNCATED_MSG, MQPMO_SYNC_RESPONSE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_WARNING,
    MQRC_BACKED_OUT,
    MQRC_MSG_TOO_BIG_FOR_CHANNEL,
    MQRC_TRUNCATED_MSG_FAILED,
)
from flintmq.wire.mq import bulk as verbs
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import API_SIZE, read_long, write_longs
from flintmq.wire.mq.errors import STATUS_MESSAGE_LENGTH, ChannelError
from flintmq.wire.mq.sizes import gmo_size, md_size

if TYPE_CHECKING:
    from flintmq.client.remote.session import CallReply, ClientSession

_BIG: Final = struct.Struct(">i")
_LITTLE: Final = struct.Struct("<i")


def _long(session: ClientSession) -> struct.Struct:
    return _BIG if session.big_endian else _LITTLE


class LaterPut:
    """An MQPUT, or an MQPUT1 if there is a descriptor of the object, that is packed and not sent."""

    __slots__ = ("call", "error", "length", "name", "warning")

    def __init__(
        self, mqi: MQISteps, handle: RemoteHandle | None, md: MQMD, pmo: MQPMO, data: bytes, od: MQOD | None = None
    ) -> None:
        """Raise MQError if the message is too long for the channel."""
        session = mqi.wire.session
        order, ccsid = session.big_endian, session.ccsid
        self.name = handle.object_name if handle is not None else od.object_name or od.object_string if od else ""
        self.length = len(data)
        if self.length > session.terms.max_message_size:
            raise call_refused(MQRC_MSG_TOO_BIG_FOR_CHANNEL, self.name, mqi.wire.q_mgr_name, self.length)
        pmo.options |= MQPMO_SYNC_RESPONSE
        front = lists.pack_object(od, order, ccsid) if od is not None else b""
        structures = md.pack(order, ccsid), lists.pack_options(pmo, order, ccsid)
        body = b"".join((front, *structures, _long(session).pack(self.length), data))
        number = handle.number if handle is not None else 0
        #: Type, handle and body.
        self.call = (seg.MQPUT1 if od is not None else seg.MQPUT, number, body)
        #: The error of the queue manager, once it is known.
        self.error: MQError | None = None
        #: The reason of a warning.
        self.warning = 0


class LaterGet:
    """An MQGET that is repeated with the same options."""

    def __init__(self, mqi: MQISteps, handle: RemoteHandle, md: MQMD, gmo: MQGMO) -> None:
        session = mqi.wire.session
        order, ccsid = session.big_endian, session.ccsid
        options, gmo.options = gmo.options, gmo.options & ~MQGMO_ACCEPT_TRUNCATED_MSG
        self._front = md.pack(order, ccsid) + gmo.pack(order, ccsid)
        gmo.options = options
        self.handle = handle
        #: The message, if there is one.
        self.md: MQMD | None = None
        self.data = b""
        self.error: MQError | None = None

    def call(self, session: ClientSession) -> tuple[int, int, bytes]:
        """Return type, handle and body."""
        self.md, self.error = None, None
        return seg.MQGET, self.handle.number, self._front + _long(session).pack(self.handle.buffer)

    def read(self, mqi: MQISteps, answer: CallReply) -> None:
        """Read the reply. A message longer than the buffer stays on the queue, and there is no message."""
        handle, body, order = self.handle, answer.body, answer.big_endian
        if answer.completion and answer.completion != MQCC_WARNING:
            self.error = call_refused(answer.reason, handle.object_name, mqi.wire.q_mgr_name, 0)
            return
        try:
            md = MQMD.unpack(body, API_SIZE, order, answer.ccsid)
            at = API_SIZE + md_size(md.version)
            at += gmo_size(read_long(body, at + 4, order))
            whole = read_long(body, at, order)
            if answer.reason == MQRC_TRUNCATED_MSG_FAILED:
                handle.buffer = max(handle.buffer, whole)
                return
            data = body[at + 4 : at + 4 + whole]
            if whole < 0 or len(data) < whole:
                raise ChannelError(STATUS_MESSAGE_LENGTH, f"a message of {whole} bytes has {len(data)}")
        except UNREADABLE as error:
            mqi.wire.bad_answer(error)
        self.md, self.data = md, data


class Chain:
    """Calls that are sent together."""

    __slots__ = ("commit_error", "commits", "get", "puts", "settled")

    def __init__(
        self, puts: list[LaterPut], commits: bool, get: LaterGet | None, settled: Callable[[], None] | None = None
    ) -> None:
        self.puts = puts
        self.commits = commits
        self.get = get
        self.settled = settled
        #: Why it was not committed. If the cause is a put, `error` of that put has it, too.
        self.commit_error: MQError | None = None


def run_steps(mqi: MQISteps, chain: Chain) -> Steps[None]:
    """Send a chain, and read the replies."""
    session = mqi.wire.session
    many = Many()
    many.calls = [put.call for put in chain.puts]
    guards = chain.commits or (chain.puts and chain.get is not None)
    if guards:
        payload = write_longs([len(chain.puts), chain.get is not None, chain.commits], session.big_endian)
        many.calls.append((seg.SPI, 0, bulk.frame(session, verbs.COMMIT, payload)))
    told = len(many.calls)
    if chain.get is not None:
        many.calls.append(chain.get.call(session))
    many.settles = told

    def settled() -> None:
        _read(mqi, chain, session.answers)
        if chain.settled is not None:
            chain.settled()

    if told:
        many.settled = settled
    else:
        settled()
    yield MANY, 0, many, many.calls[-1][0], False
    if chain.get is not None:
        chain.get.read(mqi, many.answers[told])
        mqi.has_work = mqi.has_work or chain.get.md is not None


def _read(mqi: MQISteps, chain: Chain, answers: list[CallReply]) -> None:
    """Read the replies to puts and to the commit."""
    for put, answer in zip(chain.puts, answers, strict=False):
        if answer.completion == MQCC_WARNING:
            put.warning = answer.reason
        elif answer.completion:
            put.error = call_refused(answer.reason, put.name, mqi.wire.q_mgr_name, put.length)
    if chain.commits:
        answer = answers[len(chain.puts)]
        mqi.has_work = answer.completion not in (0, MQCC_WARNING)
        if answer.completion and (answer.completion != MQCC_WARNING or answer.reason == MQRC_BACKED_OUT):
            chain.commit_error = error_of(answer.reason)
