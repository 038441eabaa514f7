"""Consumers over a channel with conversations that share the socket: the queue manager pushes their messages.

The exchanges are those of IBM's client for Java:

    a consumer is new        NOTIFICATION Q_STATE 16, and REQUEST_MSGS of a consumer with its selection
    consumers are started    CONN_STATE 2, and TXN_ALLOWED
    a message was used       REQUEST_MSGS with the bytes that are free again
    a consumer is suspended  REQUEST_MSGS with room for nothing
    they are stopped         CONN_STATE 0 as a question; messages on their way have come when it is answered

    P1  One message at a time is requested, unless the handle reads ahead. The next is requested when the callback is
        done: so a commit in a callback commits the messages that callbacks have seen, and no other.
    P2  Messages that are here when consumers are stopped, or one of them leaves, are still delivered. Messages read
        ahead stay here, for the next start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.client.remote.ahead import FOR_CONSUMER, Ahead, Arrived
from flintmq.client.remote.read_ahead import STREAM
from flintmq.mqi import constants as mq
from flintmq.wire.mq import stream as layout

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
#: In place of a handle number: any handle, and the reply to CONN_STATE.
_ANY: Final = -1
_ANSWER: Final = -2
_FOR_EVER: Final = -1
_NOTHING: Final = 0


class _Any(Ahead):
    """The messages that are here for any of several consumers."""

    def __init__(self, push: Push) -> None:
        super().__init__(_ANY)
        self._push = push

    def is_ready(self) -> bool:
        return self._push.has_news()


class _Answer(Ahead):
    """The reply to CONN_STATE."""

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
        """Send the requests of the consumers, and wait for a message, up to `wait_ms`."""
        session = self._mqi.wire.session
        if self._session is not session:  # The first time, and after a reconnection.
            self._session, self.running = session, False
            self._streams.clear()
            self._paused.clear()
        out = self._in_line(session, active)
        session.streams[_ANY] = _Any(self)
        yield STREAM, _ANY, out, wait_ms, True

    def _in_line(self, session: ClientSession, active: list[Registered]) -> bytes:
        """Return the changes since the last time, as segments."""
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
        for each, stream in self._streams.items():  # First, so that the later segments do not serve them.
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
        """Take the next message that is here for a consumer."""
        stream = self._streams.get(each)
        if stream is None or not stream.messages:
            return None
        message = stream.messages[0]
        stream.used(message)
        return message

    def has_news(self) -> bool:
        """Return whether there is something for a consumer."""
        for each, stream in self._streams.items():
            if stream.failure and each not in self._paused:
                return True
            if stream.messages and (each not in self._paused or not each.reads_ahead()):
                return True
        return False

    def failure(self, each: Registered) -> int:
        """Return the reason why the queue of a consumer cannot be read, 0 if it can."""
        stream = self._streams.get(each)
        return 0 if stream is None else stream.failure

    def stop_steps(self) -> Steps[None]:
        """Stop the push for all consumers."""
        session = self._mqi.wire.session
        if not self.running or self._session is not session:
            return
        self.running = False
        session.notices.pop(layout.NOTIFY_CONN_STATE_REPLY, None)
        session.streams[_ANSWER] = _Answer(session)
        out = session.notice(0, layout.NOTIFY_CONN_STATE, _STOPPED, True)
        yield STREAM, _ANSWER, out, -1, True

    def pause_steps(self, each: Registered) -> Steps[None]:
        """Stop the push for one consumer."""
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
        """Forget a consumer that was deregistered."""
        stream = self._streams.pop(each, None)
        self._paused.discard(each)
        if stream is not None and self._session is not None:
            self._session.streams.pop(stream.number, None)

    def leftovers(self) -> list[Registered]:
        """Return the consumers with a message that was not read ahead (P2)."""
        return [each for each, stream in self._streams.items() if stream.messages and not each.reads_ahead()]
