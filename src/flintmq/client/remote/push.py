"""Consumers over a channel whose conversations may share the socket: the queue manager pushes their messages.

What is said, as IBM's client for Java says it:

    a consumer is new        NOTIFICATION Q_STATE 16, and REQUEST_MSGS of a consumer with what it wants
    consumers are started    CONN_STATE 2, and TXN_ALLOWED
    a message was used       REQUEST_MSGS: so much has room again
    a consumer is suspended  REQUEST_MSGS with room for nothing
    they are stopped         CONN_STATE 0 as a question; what was on its way is here when it is answered

    P1  One message at a time is asked for, unless the handle reads ahead. The next is asked for when the callback is
        done: so a commit in a callback commits what was consumed, and nothing that nobody has seen.
    P2  What is here when consumers are stopped, or one of them leaves, is still delivered. What was read ahead stays
        here, for the next start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.channel import stream as layout
from flintmq.client.remote.ahead import FOR_CONSUMER, Ahead, Arrived
from flintmq.client.remote.read_ahead import STREAM
from flintmq.mqi import constants as mq

if TYPE_CHECKING:
    from flintmq.client.remote.callbacks import Registered
    from flintmq.client.remote.mqi import RemoteMQI
    from flintmq.client.remote.session import ClientSession
    from flintmq.client.remote.steps import Steps

#: Gets that cannot be made for a consumer by the queue manager alone.
NOT_PUSHED: Final = (
    mq.MQGMO_MSG_UNDER_CURSOR
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_LOCK
    | mq.MQGMO_UNLOCK
    | mq.MQGMO_SET_SIGNAL
    | mq.MQGMO_MARK_SKIP_BACKOUT
)
_IN_UNIT: Final = mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
_Q_STARTED: Final = 16
_STARTED: Final = 2
_STOPPED: Final = 0
#: In the place of the number of a handle: any of them, and the answer to CONN_STATE.
_ANY: Final = -1
_ANSWER: Final = -2
_FOR_EVER: Final = -1
_NOTHING: Final = 0


class _Any(Ahead):
    """What is here for any of several consumers."""

    def __init__(self, push: Push) -> None:
        super().__init__(_ANY)
        self._push = push

    def is_ready(self) -> bool:
        return self._push.has_news()


class _Answer(Ahead):
    """The answer to CONN_STATE."""

    def __init__(self, session: ClientSession) -> None:
        super().__init__(_ANSWER)
        self._session = session

    def is_ready(self) -> bool:
        return layout.NOTIFY_CONN_STATE_REPLY in self._session.notices


class Push:
    """The messages of the consumers of one connection."""

    def __init__(self, mqi: RemoteMQI) -> None:
        self._mqi = mqi
        self._session: ClientSession | None = None
        self._streams: dict[Registered, Ahead] = {}
        self._paused: set[Registered] = set()
        #: The queue manager pushes.
        self.running = False

    def wait_steps(self, active: list[Registered], wait_ms: int) -> Steps[None]:
        """Say what is wanted; done when there is something, or `wait_ms` are over."""
        session = self._mqi.wire.session
        if self._session is not session:  # The first time, and when the connection was made again.
            self._session, self.running = session, False
            self._streams.clear()
            self._paused.clear()
        out = self._in_line(session, active)
        session.streams[_ANY] = _Any(self)
        yield STREAM, _ANY, out, wait_ms, True

    def _in_line(self, session: ClientSession, active: list[Registered]) -> bytes:
        """What has changed since the last time, as segments."""
        out: list[bytes] = []
        new = [each for each in active if each not in self._streams]
        for each in new:
            assert each.handle is not None
            number = each.handle.number
            stream = Ahead(number, self._mqi.room_for(False), FOR_CONSUMER)
            stream.wants(each.md, each.gmo, session.big_endian)
            stream.window = stream.room if each.reads_ahead() else 1
            self._streams[each] = session.streams[number] = stream
            out.append(session.notice(number, layout.NOTIFY_Q_STATE, _Q_STARTED))
        if not self.running:
            out.append(session.notice(0, layout.NOTIFY_CONN_STATE, _STARTED))
        for each, stream in self._streams.items():  # First, so that they are not served by what follows.
            if each not in active and each not in self._paused:
                self._paused.add(each)
                out.append(self._request(session, each, stream, False, _NOTHING))
        for each in active:
            stream = self._streams[each]
            if each in new or each in self._paused or stream.wants_credit():
                self._paused.discard(each)
                out.append(self._request(session, each, stream, each in new))
        if not self.running:
            out.append(session.notice(0, layout.NOTIFY_TXN_ALLOWED, 0))
            self.running = True
        return b"".join(out)

    def _request(self, session: ClientSession, each: Registered, stream: Ahead, select: bool, room: int = -1) -> bytes:
        options = each.pushed_options()
        if options & mq.MQGMO_BROWSE_FIRST:
            first = options | mq.MQGMO_BROWSE_NEXT
            options = first if select else options & ~mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT
        waits = not stream.messages
        body = stream.request(options, _FOR_EVER, each.cbd.max_msg_length, session.big_endian, False, room, waits)
        return session.want(body, False)

    def next(self, each: Registered) -> Arrived | None:
        """The next message that is here for a consumer. It is the consumer's now."""
        stream = self._streams.get(each)
        if stream is None or not stream.messages:
            return None
        message = stream.messages[0]
        stream.used(message)
        return message

    def has_news(self) -> bool:
        """Whether there is something for a consumer."""
        for each, stream in self._streams.items():
            if stream.failure and each not in self._paused:
                return True
            if stream.messages and (each not in self._paused or not each.reads_ahead()):
                return True
        return False

    def failure(self, each: Registered) -> int:
        """Why its queue cannot be read, 0 if it can."""
        stream = self._streams.get(each)
        return 0 if stream is None else stream.failure

    def stop_steps(self) -> Steps[None]:
        """Nothing more is pushed when this is done."""
        session = self._mqi.wire.session
        if not self.running or self._session is not session:
            return
        self.running = False
        session.notices.pop(layout.NOTIFY_CONN_STATE_REPLY, None)
        session.streams[_ANSWER] = _Answer(session)
        out = session.notice(0, layout.NOTIFY_CONN_STATE, _STOPPED, True)
        yield STREAM, _ANSWER, out, -1, True

    def pause_steps(self, each: Registered) -> Steps[None]:
        """Nothing more is pushed for one consumer when this is done."""
        session, stream = self._mqi.wire.session, self._streams.get(each)
        if stream is None or self._session is not session:
            return
        self._paused.add(each)
        body = stream.request(0, 0, -1, session.big_endian, True, _NOTHING)
        out = session.want(body, True)
        while not stream.answered:
            stream.heard = len(stream.messages)
            yield STREAM, stream.number, out, -1, True
            out = b""

    def forget(self, each: Registered) -> None:
        """The consumer is no more."""
        stream = self._streams.pop(each, None)
        self._paused.discard(each)
        if stream is not None and self._session is not None:
            self._session.streams.pop(stream.number, None)

    def leftovers(self) -> list[Registered]:
        """Consumers for whom there is a message that was not read ahead (P2)."""
        return [each for each, stream in self._streams.items() if stream.messages and not each.reads_ahead()]
