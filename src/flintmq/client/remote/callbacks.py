"""MQCB and MQCTL over a channel: a thread of the connection waits for messages of its consumers, and calls them back.

The arguments of a callback, and the states of MQCTL, are those of an embedded queue manager (qmgr/consume.py). If
conversations may share the socket, messages are pushed (push.py), and the thread waits half a second at a time: a stop
takes that long at most. Else, and for gets that the queue manager cannot make alone:

    one consumer        the thread waits in its get, half a second at a time
    several             gets are made for each in turn; when none has a message, again after a pause

In both cases:

    REGISTER and        are made by the thread that calls MQCB
      DEREGISTER calls

While consumers are started the connection takes calls of its callbacks only; calls of other threads get 2500. If a
callback raises, its unit of work is backed out, its consumer is suspended until MQOP_RESUME, and the event handler gets
2486. With MQOP_START_WAIT the consumers are stopped too, and the exception is raised in the caller.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from flintmq.client.remote.ahead import Arrived
from flintmq.client.remote.handles import asking, has_handle, returns_in_handle
from flintmq.client.remote.push import NOT_PUSHED, Push
from flintmq.client.remote.read_ahead import NEVER
from flintmq.client.remote.steps import RemoteHandle
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import BackedOut, MQError, NotConnected, error_of
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQCC_FAILED, MQCC_OK, MQCC_WARNING

if TYPE_CHECKING:
    from flintmq.client.remote.mqi import RemoteMQI

Function = Callable[["RemoteMQI", MQMD, MQGMO, bytes, MQCBC], object]

STOPPED: Final = 0
STARTED: Final = 1
SUSPENDED: Final = 2
_WAIT_MS: Final = 500
_PAUSE_S: Final = 0.02
_CLOSE_WAIT_S: Final = 10.0
_IN_UNIT: Final = mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
_BROWSE: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
_TEMPORARY: Final = (rc.MQRC_GET_INHIBITED, rc.MQRC_Q_MGR_QUIESCING)

_log = logging.getLogger("flintmq.consumer")


class Registered:
    """One registered callback (MQCB)."""

    def __init__(self, handle: RemoteHandle | None, cbd: MQCBD, function: Function, md: MQMD, gmo: MQGMO) -> None:
        self.handle = handle
        self.cbd = cbd
        self.function = function
        self.md = md
        self.gmo = gmo
        self.state = mq.MQCS_NONE
        #: When the wait of its get began, and whether it knows that there is no message.
        self.since = 0.0
        self.heard_empty = False

    def options(self, wait_ms: int) -> MQGMO:
        """Return the options of one get for it."""
        gmo = MQGMO()
        for field in ("version", "match_options", "msg_token", "msg_handle"):
            setattr(gmo, field, getattr(self.gmo, field))
        gmo.options = self.gmo.options & ~mq.MQGMO_WAIT
        if wait_ms:
            gmo.options |= mq.MQGMO_WAIT
            gmo.wait_interval = wait_ms
        return gmo

    def reads_ahead(self) -> bool:
        """Return whether several messages may be sent before the first of them is used."""
        return self.handle is not None and self.handle.ability != NEVER and not self.gmo.options & _IN_UNIT

    def pushed_options(self) -> int:
        """Return the options of gets that the queue manager makes for it."""
        if not has_handle(self.gmo):
            return self.gmo.options
        assert self.handle is not None
        in_handle = returns_in_handle(self.gmo, self.handle.defaults.property_control)
        return asking(self.gmo, in_handle).options


class Callbacks:
    """The consumers and the event handler of one connection."""

    def __init__(self, mqi: RemoteMQI) -> None:
        self._mqi = mqi
        self._consumers: dict[RemoteHandle, Registered] = {}
        self._events: Registered | None = None
        self._state = STOPPED
        self._changed = threading.Condition()
        #: The thread that runs callbacks, None if there is none.
        self._runner: threading.Thread | None = None
        self._push = Push(mqi)

    def check_thread(self) -> None:
        """Raise MQError (2500) for a call outside of a callback while consumers are started."""
        if self._state == STARTED and threading.current_thread() is not self._runner:
            text = "asynchronous consumers are started on this connection: it takes calls of their callbacks only"
            raise error_of(rc.MQRC_HCONN_ASYNC_ACTIVE, text)

    # -- MQCB ---------------------------------------------------------------------------------------------------------

    def register(self, made: Registered) -> None:
        """Register a callback (MQOP_REGISTER)."""
        if made.cbd.callback_type == mq.MQCBT_EVENT_HANDLER:
            self._events = made
            if self._mqi.reconnect is not None:
                self._mqi.reconnect.handler = lambda reason: self._tell_event(MQCC_WARNING, reason)
        elif made.cbd.callback_type != mq.MQCBT_MESSAGE_CONSUMER:
            raise error_of(rc.MQRC_CALLBACK_TYPE_ERROR)
        elif made.handle is None or not made.handle.open:
            raise error_of(rc.MQRC_HOBJ_ERROR)
        else:
            self._consumers[made.handle] = made
        self._special(made, mq.MQCBDO_REGISTER_CALL, mq.MQCBCT_REGISTER_CALL)
        if self._state == STARTED:
            self._special(made, mq.MQCBDO_START_CALL, mq.MQCBCT_START_CALL)

    def change(self, operation: int, cbd: MQCBD, handle: RemoteHandle | None) -> None:
        """Deregister, suspend or resume a callback (MQOP_DEREGISTER, MQOP_SUSPEND, MQOP_RESUME)."""
        if cbd.callback_type == mq.MQCBT_EVENT_HANDLER:
            found = self._events
        else:
            found = self._consumers.get(handle) if handle is not None else None
        if found is None:
            raise error_of(rc.MQRC_CALLBACK_NOT_REGISTERED)
        if operation == mq.MQOP_SUSPEND:
            found.state = mq.MQCS_SUSPENDED
        elif operation == mq.MQOP_RESUME:
            found.state = mq.MQCS_NONE
        elif operation == mq.MQOP_DEREGISTER:
            if found.handle is None:
                self._events = None
            else:
                del self._consumers[found.handle]
                self._leave(found)
            self._special(found, mq.MQCBDO_DEREGISTER_CALL, mq.MQCBCT_DEREGISTER_CALL)
        else:
            raise error_of(rc.MQRC_OPERATION_ERROR)

    def _leave(self, found: Registered) -> None:
        """Deliver the messages that are here for a consumer, then forget it (P2)."""
        if self._push.running and threading.current_thread() is self._runner and self._mqi.wire.broken is None:
            self._mqi._run(self._push.pause_steps, found)
            while (message := self._push.next(found)) is not None:
                self._deliver(found, message, False)
        self._push.forget(found)

    # -- MQCTL --------------------------------------------------------------------------------------------------------

    def control(self, operation: int) -> None:
        """Start, stop, suspend or resume (MQCTL), by the table of qmgr/consume.py."""
        if operation in (mq.MQOP_START, mq.MQOP_START_WAIT):
            self._start(operation == mq.MQOP_START_WAIT)
        elif operation == mq.MQOP_STOP:
            self._stop()
        elif operation == mq.MQOP_SUSPEND and self._state == STARTED:
            self._become(SUSPENDED)
        elif operation == mq.MQOP_RESUME and self._state == SUSPENDED:
            self._become(STARTED)
        elif operation in (mq.MQOP_SUSPEND, mq.MQOP_RESUME):
            raise error_of(rc.MQRC_OPERATION_NOT_ALLOWED)
        else:
            raise error_of(rc.MQRC_OPERATION_ERROR)

    def _become(self, state: int) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()
            while state == SUSPENDED and self._in_call and threading.current_thread() is not self._runner:
                self._changed.wait()

    #: The runner is in a call, or a callback.
    _in_call: bool = False

    def _start(self, here: bool) -> None:
        if self._state != STOPPED:
            raise error_of(rc.MQRC_HCONN_ASYNC_ACTIVE)
        if here and not self._consumers:
            raise error_of(rc.MQRC_NO_CALLBACKS_ACTIVE)
        self._state = STARTED
        if here:
            self._runner = threading.current_thread()
            self._run(True)
            return
        name = f"flintmq consumer {self._mqi.wire.definition.application}"
        self._runner = threading.Thread(target=self._run, args=(False,), name=name, daemon=True)
        self._runner.start()

    def _stop(self) -> None:
        runner = self._runner
        self._become(STOPPED)
        if runner is not None and runner is not threading.current_thread():
            with self._changed:
                self._changed.wait_for(lambda: self._runner is not runner, _CLOSE_WAIT_S)

    def close(self) -> None:
        """Stop; a callback that is under way may finish. The connection is being closed."""
        if self._runner is not None:
            self._stop()

    # -- the thread that calls back -----------------------------------------------------------------------------------

    def _run(self, here: bool) -> None:
        try:
            for each in list(self._consumers.values()):
                self._special(each, mq.MQCBDO_START_CALL, mq.MQCBCT_START_CALL)
            self._serve_until_stopped(here)
            self._hold()
            for each in list(self._consumers.values()):
                self._special(each, mq.MQCBDO_STOP_CALL, mq.MQCBCT_STOP_CALL)
        except MQError as error:
            if here and not isinstance(error, NotConnected):
                raise
            self._tell_event(MQCC_FAILED, error.reason)
        finally:
            with self._changed:
                self._state = STOPPED
                self._runner = None
                self._changed.notify_all()

    def _serve_until_stopped(self, here: bool) -> None:
        while True:
            if self._state != STARTED:
                self._hold()
            with self._changed:
                self._in_call = False
                self._changed.notify_all()
                while self._state == SUSPENDED:
                    self._changed.wait()
                if self._state == STOPPED:
                    return
                self._in_call = True
            active = [each for each in self._consumers.values() if each.state in _ACTIVE]
            if active and self._is_pushed():
                self._serve_pushed(active, here)
                continue
            served = False
            for each in active:
                if self._state != STARTED:
                    break
                wait_ms = _WAIT_MS if len(active) == 1 else 0
                served = self._served(each, wait_ms, here) or served
            if not served and len(active) != 1:
                time.sleep(_PAUSE_S)

    # -- messages that are pushed -------------------------------------------------------------------------------------

    def _is_pushed(self) -> bool:
        if not self._mqi.wire.session.shared:
            return False
        return not any(each.gmo.options & NOT_PUSHED for each in self._consumers.values())

    def _serve_pushed(self, active: list[Registered], here: bool) -> None:
        """Wait for messages, and call back with those that have come."""
        for each in active:
            each.since = each.since or time.monotonic()
            if each.handle is None or not each.handle.open:
                self._become_state(each, mq.MQCS_SUSPENDED_USER_ACTION, rc.MQRC_HOBJ_ERROR)
                self._push.forget(each)
                return
        try:
            self._mqi._run(self._push.wait_steps, active, self._patience(active))
        except BackedOut as error:
            self._tell_event(MQCC_FAILED, error.reason)
            return
        for each in self._push.leftovers():
            if each not in active and (message := self._push.next(each)) is not None:
                self._deliver(each, message, here)  # It was on its way when its consumer was suspended.
        for each in active:
            if self._state != STARTED:
                return
            message = self._push.next(each) if each.state in _ACTIVE else None
            if message is not None:
                self._deliver(each, message, here)
                continue
            failure = self._push.failure(each)
            if failure:
                state = mq.MQCS_SUSPENDED_TEMPORARY if failure in _TEMPORARY else mq.MQCS_SUSPENDED_USER_ACTION
                if each.state != state:
                    self._become_state(each, state, failure)
                time.sleep(_PAUSE_S)
            elif each.state in _ACTIVE:
                self._tell_empty(each, each.md.copy(), each.options(0), self._interval(each))

    def _deliver(self, each: Registered, message: Arrived, here: bool) -> None:
        assert each.handle is not None
        md, gmo = each.md.copy(), each.options(0)
        data = self._mqi.pushed(each.handle, message, md, gmo, each.cbd.max_msg_length)
        self._got(each, md, gmo, data, here)

    def _hold(self) -> None:
        """Stop the push, and deliver the messages that were pushed (P2)."""
        if not self._push.running or self._mqi.wire.broken is not None:
            return
        try:
            self._mqi._run(self._push.stop_steps)
        except BackedOut as error:
            self._tell_event(MQCC_FAILED, error.reason)
        for each in self._push.leftovers():
            while (message := self._push.next(each)) is not None:
                self._deliver(each, message, False)

    def _interval(self, each: Registered) -> int:
        """Return after how many milliseconds without a message a consumer is called; -1 for never."""
        return each.gmo.wait_interval if each.gmo.options & mq.MQGMO_WAIT else 0

    def _patience(self, active: list[Registered]) -> int:
        """Return how long to wait: at most until the first consumer is to be called without a message."""
        wait_ms, now = _WAIT_MS, time.monotonic()
        for each in active:
            interval = self._interval(each)
            if interval >= 0 and not each.heard_empty:
                wait_ms = min(wait_ms, max(0, interval - round((now - each.since) * 1000)))
        return wait_ms

    # -- messages that are got ----------------------------------------------------------------------------------------

    def _served(self, each: Registered, wait_ms: int, here: bool) -> bool:
        """Make one get for a consumer. Return whether it was called with a message."""
        mqi = self._mqi
        assert each.handle is not None
        now = time.monotonic()
        each.since = each.since or now
        interval = self._interval(each)
        if 0 <= interval and not each.heard_empty:
            wait_ms = min(wait_ms, max(0, interval - round((now - each.since) * 1000)))
        md, gmo = each.md.copy(), each.options(wait_ms)
        try:
            data = mqi.get(each.handle, md, gmo, each.cbd.max_msg_length)
        except NotConnected:
            raise
        except MQError as error:
            self._nothing(each, error, md, gmo, interval)
            return False
        self._got(each, md, gmo, data, here)
        return True

    def _got(self, each: Registered, md: MQMD, gmo: MQGMO, data: bytes, here: bool) -> None:
        """Call a consumer back with a message."""
        mqi = self._mqi
        each.since, each.heard_empty = 0.0, False
        if each.state == mq.MQCS_SUSPENDED_TEMPORARY:
            self._become_state(each, mq.MQCS_NONE, 0)
        kept = gmo.options & _BROWSE or mqi.reason == rc.MQRC_TRUNCATED_MSG_FAILED
        kind = mq.MQCBCT_MSG_NOT_REMOVED if kept else mq.MQCBCT_MSG_REMOVED
        completion = MQCC_WARNING if mqi.completion else MQCC_OK
        cbc = self._context(each, kind, completion, mqi.reason)
        cbc.data_length, cbc.buffer_length = mqi.data_length, len(data)
        if mqi.reason == rc.MQRC_TRUNCATED_MSG_FAILED:
            each.state = mq.MQCS_SUSPENDED_USER_ACTION
        self._call(each, md, gmo, data, cbc, here)

    def _nothing(self, each: Registered, error: MQError, md: MQMD, gmo: MQGMO, interval: int) -> None:
        """Handle a get without a message."""
        if error.reason != rc.MQRC_NO_MSG_AVAILABLE:
            temporary = error.reason in _TEMPORARY
            state = mq.MQCS_SUSPENDED_TEMPORARY if temporary else mq.MQCS_SUSPENDED_USER_ACTION
            if each.state != state:
                self._become_state(each, state, error.reason)
            time.sleep(_PAUSE_S)
            return
        self._tell_empty(each, md, gmo, interval)

    def _tell_empty(self, each: Registered, md: MQMD, gmo: MQGMO, interval: int) -> None:
        """Call the consumer, once, when its wait has ended without a message."""
        over = interval >= 0 and (time.monotonic() - each.since) * 1000 >= interval
        if over and not each.heard_empty:
            each.heard_empty = True
            cbc = self._context(each, mq.MQCBCT_MSG_NOT_REMOVED, MQCC_FAILED, rc.MQRC_NO_MSG_AVAILABLE)
            self._call(each, md, gmo, b"", cbc, False)

    def _become_state(self, each: Registered, state: int, reason: int) -> None:
        each.state = state
        if each.cbd.options & mq.MQCBDO_MC_EVENT_CALL:
            cbc = self._context(each, mq.MQCBCT_MC_EVENT_CALL, MQCC_FAILED if reason else MQCC_OK, reason)
            self._call(each, MQMD(), MQGMO(), b"", cbc, False)

    # -- calling ------------------------------------------------------------------------------------------------------

    def _context(self, each: Registered, kind: int, completion: int, reason: int) -> MQCBC:
        cbc = MQCBC()
        cbc.call_type, cbc.comp_code, cbc.reason, cbc.state = kind, completion, reason, each.state
        cbc.callback_area = each.cbd.callback_area
        cbc.hobj = each.handle.number if each.handle is not None else 0
        return cbc

    def _special(self, each: Registered, wanted: int, kind: int) -> None:
        if each.cbd.options & wanted:
            self._call(each, MQMD(), MQGMO(), b"", self._context(each, kind, MQCC_OK, 0), False)

    def _tell_event(self, completion: int, reason: int) -> None:
        if self._events is not None:
            cbc = self._context(self._events, mq.MQCBCT_EVENT_CALL, completion, reason)
            self._call(self._events, MQMD(), MQGMO(), b"", cbc, False)

    def _call(self, each: Registered, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC, here: bool) -> None:
        try:
            each.function(self._mqi, md, gmo, data, cbc)
        except Exception as error:
            name = each.handle.object_name if each.handle is not None else "events"
            _log.error("The callback of %s raised %s: %s.", name, type(error).__name__, error, exc_info=error)
            each.state = mq.MQCS_SUSPENDED_USER_ACTION
            if self._mqi.has_work and self._mqi.wire.broken is None:
                self._mqi.back()
            if here:
                self._state = STOPPED
                raise
            if each is not self._events:
                self._tell_event(MQCC_FAILED, rc.MQRC_CALLBACK_ROUTINE_ERROR)


_ACTIVE: Final = (mq.MQCS_NONE, mq.MQCS_SUSPENDED_TEMPORARY)
