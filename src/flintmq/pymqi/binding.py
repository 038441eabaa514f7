"""Connections: the object behind an Hconn, and how it is made.

    with a channel and an address        over the network: `flintmq.connect`
    a name alone, and MQSERVER, a table  over the network, as they say (client/remote/config.py)
      or mqclient.ini name a channel
    a name alone, and it runs            the queue manager of that name, over its local socket
    a name alone, and it does not        opened in this process, shared by all connections of the process; it is
                                         closed when the last of them disconnects
    an open queue manager of `flintmq`   one more connection to it

Handles are numbers, as programs expect them, and those of an object mean it alone: one of a connection that is gone is
that of nothing in the next. A connection makes one call at a time: a second thread waits for the first
(MQCNO_HANDLE_SHARE_BLOCK); only MQCTL does not hold the others up, for callbacks make calls of their own.

Objects that are dropped close themselves. Python does that at any moment, in the middle of a call of the same thread
too, whose locks must not be waited for; and its collector does so in any thread, such as the one for heartbeats, which
has locks of its own. `finalise` then leaves it to another thread.
"""

from __future__ import annotations

import _thread
import gc
import itertools
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from flintmq.client.queue_manager import QueueManager, open
from flintmq.client.remote import config
from flintmq.host import instance as place
from flintmq.mqi.call_errors import MQError, QueueManagerInUse, QueueManagerNotFound
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.reason import MQCC_FAILED, MQRC_HCONN_ERROR, MQRC_HOBJ_ERROR

_FIRST_HCONN: Final = 0x01000006
_FIRST_HOBJ: Final = 101
#: So many fit an MQHOBJ.
_HOBJS: Final = 2**31 - _FIRST_HOBJ
_hobjs = itertools.count()


class Binding:
    """One connection."""

    def __init__(self, mqi: Any, close: Callable[[], None], remote: bool = False) -> None:
        #: The calls, on this connection.
        self.mqi = mqi
        self.remote = remote
        self.lock = threading.RLock()
        self._close = close
        self._objects: dict[int, Any] = {}

    def keep(self, handle: Any) -> int:
        """The number of an object or subscription that was opened."""
        number = _FIRST_HOBJ + next(_hobjs) % _HOBJS
        self._objects[number] = handle
        return number

    def object(self, number: int) -> Any:
        """Return the object behind `number`. Raises MQError (2019)."""
        if number not in self._objects:
            raise MQError(f"{number} is not the handle of an object", MQRC_HOBJ_ERROR)
        return self._objects[number]

    def number(self, handle: Any) -> int:
        """Return the number of an object that is kept; 0 if it is not."""
        return next((number for number, kept in self._objects.items() if kept is handle), 0)

    def forget(self, number: int) -> None:
        """After a close."""
        self._objects.pop(number, None)

    def close(self) -> None:
        """MQDISC: uncommitted work is committed. Raises MQError if it cannot be; it is backed out then."""
        self._objects.clear()
        self._close()


_bindings: dict[int, Binding] = {}
_hconns = itertools.count(_FIRST_HCONN)


def register(binding: Binding) -> int:
    """The Hconn of a new connection."""
    hconn = next(_hconns)
    _bindings[hconn] = binding
    return hconn


def find(hconn: int | None) -> Binding:
    """The connection of an Hconn. Raises MQError (2018)."""
    binding = _bindings.get(hconn) if hconn is not None else None
    if binding is None:
        raise MQError("there is no such connection: connect first", MQRC_HCONN_ERROR)
    return binding


def drop(hconn: int) -> None:
    """Disconnect, and forget the Hconn. Raises MQError (2018)."""
    binding = _bindings.pop(hconn, None)
    if binding is None:
        raise MQError("there is no such connection: connect first", MQRC_HCONN_ERROR)
    binding.close()


class _Inside(threading.local):
    """How many calls this thread is in the middle of: a callback, or a finaliser, makes calls inside of one."""

    depth: int = 0
    #: Python's collector is at work in this thread.
    collecting: bool = False

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *exc: object) -> None:
        self.depth -= 1


inside = _Inside()


def _collects(phase: str, _: dict[str, int], inside: _Inside = inside) -> None:
    inside.collecting = phase == "start"


gc.callbacks.append(_collects)


def finalise(hconn: int, work: Callable[[], object]) -> None:
    """Close an object that was dropped: at once, or in a thread if something is under way that it would wait for."""
    binding = _bindings.get(hconn)
    if binding is None:
        return
    at_once = inside.depth == 0 and (not inside.collecting or sys.is_finalizing())  # Then no thread is to be had.
    if at_once and binding.lock.acquire(blocking=False):
        binding.lock.release()  # Nobody is in a call. Not kept: a disconnect waits for callbacks, which make calls.
        work()
        return
    with suppress(RuntimeError):  # The program is at its end, and no thread can be started.
        _thread.start_new_thread(work, ())  # Thread.start() waits for it, perhaps under the lock that it needs.


class _Said(threading.local):
    """Return the text of the last call of this thread that failed."""

    reason: int = 0
    text: str = ""


_said = _Said()


def explanation(reason: int) -> str:
    """The sentence that belongs to the call that just failed with `reason`; "" if there is none."""
    return _said.text if _said.reason == reason else ""


def outcome(error: MQError | MQStructuresError) -> tuple[int, int]:
    """Completion and reason code of a call that raised."""
    _said.reason, _said.text = error.reason, str(error)
    return (error.completion if isinstance(error, MQError) else MQCC_FAILED), error.reason


# -- how a connection comes to be --------------------------------------------------------------------------------------


@dataclass
class _Opened:
    """A queue manager that this file has opened in this process."""

    queue_manager: QueueManager
    users: int = 0


_opened: dict[str, _Opened] = {}
_opening = threading.RLock()  # Finalisers of this thread may come while it is held.


def bind_local(name: str, **options: Any) -> Binding:
    """A connection without a channel being named; the options are those of `flintmq.connect`."""
    said = config.settings()
    if said.server or said.table is not None:
        return bind_remote(name, **options)
    try:
        return _embedded(name, options.get("application", ""))
    except QueueManagerInUse:
        return bind_remote(name, **options)


def bind_open(queue_manager: QueueManager, application: str = "") -> Binding:
    """One more connection to a queue manager that the program has open."""
    connection = queue_manager.connect(application)
    return Binding(connection.mqi, connection._disconnect)


def bind_remote(name: str, **options: Any) -> Binding:
    """A connection over a channel or the local socket; the options are those of `flintmq.connect`."""
    from flintmq.client.remote.connect import connect

    queue_manager = connect(name, **options)
    connection = queue_manager._current()  # Kept by the binding: it would end with this thread.

    def close() -> None:
        try:
            connection._disconnect()
        finally:
            queue_manager.close()

    return Binding(connection.mqi, close, remote=True)


def _embedded(name: str, application: str) -> Binding:
    known = name or place.default_name()
    if not known:
        raise QueueManagerNotFound("no queue manager was named, and there is no default one")
    with _opening:
        entry = _opened.get(known)
        if entry is None or entry.queue_manager.closed:
            entry = _opened[known] = _Opened(open(known, create=False, command_server=True))
        entry.users += 1
    try:
        connection = entry.queue_manager.connect(application)
    except BaseException:
        _leave(known, entry)
        raise

    def close() -> None:
        try:
            connection._disconnect()  # Not under the lock: it waits for callbacks, which may connect.
        finally:
            _leave(known, entry)

    return Binding(connection.mqi, close)


def _leave(known: str, entry: _Opened) -> None:
    """One user less; the last one closes the queue manager."""
    with _opening:
        entry.users -= 1
        if entry.users:
            return
        if _opened.get(known) is entry:  # And not the next one, if this one has failed.
            del _opened[known]
        entry.queue_manager.close()
