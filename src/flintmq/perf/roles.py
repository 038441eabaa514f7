"""Operations of each role: one function per operation, with its queues open.

    requester   put a request, get its reply                     responder   get a request, put its reply
    putter      put, held back by the depth of watched queues    getter      get, `batch` in a unit of work
    publisher   publish                                          subscriber  get the publications of a subscription
    put-get     put and get on the same queue                    opener      open and close

An operation gets the time from which it counts and returns how many were done: 0 where a get found nothing in time, so
that its instance looks whether the run has ended. The first eight bytes of a payload carry that time; a getter takes
the latency of the way from it, which is right because all drivers of a run share one machine and its clock.
"""

from __future__ import annotations

import base64
import os
import struct
import time
from collections.abc import Callable
from typing import Any

import flintmq
from flintmq.mqi.constants import (
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.perf.histogram import Histogram
from flintmq.perf.plan import (
    GETTER,
    OPENER,
    PUBLISHER,
    PUT_GET,
    PUTTER,
    REQUESTER,
    RESPONDER,
    SUBSCRIBER,
    Actors,
)

#: A put-get task waits this long for its message.
REPLY_S = 30.0
#: Getters and responders look this often whether the run has ended.
LOOK_S = 0.25
#: Putters wait above the first depth of a watched queue until it is at the second.
_DEEP, _SHALLOW = 2000, 500
_LOOK_EVERY = 100
#: Payloads above this size carry no time: the copy would cost more than the message.
_STAMPED_MAX = 1 << 17
_STAMP = struct.Struct(">Q")
_FORMAT_RFH2 = "MQHRF2"

Operation = Callable[[int], int]


def payload(actors: Actors) -> bytes:
    """Return the body of the messages of some actors."""
    if actors.body:
        body = base64.b64decode(actors.body)
    elif actors.compressible < 0:
        body = bytes(actors.size)
    else:
        # Runs of zeros among random bytes, spread over each 4 KiB, so that every block is as compressible as the whole.
        zeros = 4096 * actors.compressible // 100
        block = bytes(zeros) + os.urandom(4096 - zeros)
        body = (block * (actors.size // 4096 + 1))[: actors.size]
    if actors.folder:
        header = MQRFH2()
        header.format = "MQSTR"
        header.coded_char_set_id, header.encoding = 1208, 546
        header.folders = [actors.folder]
        body = header.pack() + body
    return body


class Instance:
    """One instance of a role: its queues and its operation. Made in the thread that runs it."""

    def __init__(self, manager: Any, actors: Actors, number: int) -> None:
        self.manager = manager
        self.actors = actors
        self.number = number
        self.way = Histogram()
        self.body = payload(actors)
        stamped = not actors.body and not actors.folder and 8 <= actors.size <= _STAMPED_MAX
        self.rest = self.body[8:] if stamped and actors.compressible < 0 else None
        self.held = 0
        self.format = _FORMAT_RFH2 if actors.folder else "MQSTR" if actors.body else ""
        self.properties: dict[str, Any] | None = {f"p{each}": f"v{each}" for each in range(actors.properties)} or None
        self.put_queues = [manager.queue(name) for name in actors.put_to]
        self.get_queues = [manager.queue(name, **_reading(actors)) for name in actors.get_from]
        self.watched = [manager.queue(name) for name in actors.watch]
        if self.put_queues:
            self.out = self.put_queues[number % len(self.put_queues)]
        if self.get_queues:
            self.back = self.get_queues[number % len(self.get_queues)]
            listen = getattr(self.back, "listen", None)
            if listen is not None:
                listen()
        self.operation: Operation = _OPERATIONS[actors.role](self)

    def message(self, stamp: int) -> bytes:
        """Return the body for one message, with its time where it has one."""
        return self.body if self.rest is None else _STAMP.pack(stamp) + self.rest

    def arrived(self, message: flintmq.Message) -> None:
        """Record the delivery latency since the time in the message."""
        data = message.data
        if self.rest is not None and len(data) >= 8:
            (stamp,) = _STAMP.unpack_from(data)
            now = time.monotonic_ns()
            if 0 < stamp <= now:
                self.way.record(now - stamp)

    def hold_back(self) -> None:
        """Wait while a watched queue is deep. It costs an inquiry for every hundredth message."""
        self.held += 1
        if self.held % _LOOK_EVERY or not self.watched:
            return
        until = time.monotonic() + REPLY_S
        for queue in self.watched:
            if queue.depth > _DEEP:
                while queue.depth > _SHALLOW and time.monotonic() < until:
                    time.sleep(0.002)


def _reading(actors: Actors) -> dict[str, Any]:
    return {"read_ahead": True} if actors.read_ahead else {}


def _named(queue: str) -> MQOD:
    od = MQOD()
    od.object_name = queue
    return od


def _descriptor(persistent: bool) -> MQMD:
    md = MQMD()
    md.persistence = int(persistent)
    return md


def _put_options(synced: bool = False) -> MQPMO:
    options = MQPMO()
    options.options = (MQPMO_SYNCPOINT if synced else MQPMO_NO_SYNCPOINT) | MQPMO_NEW_MSG_ID
    return options


def _requester(instance: Instance) -> Operation:
    actors, manager = instance.actors, instance.manager
    persistent, synced, size = actors.persistent, actors.syncpoint, len(instance.put_queues)
    own = f"CLIENT{instance.number:06d}".encode().ljust(24, b"\0")
    correlate = actors.correlate
    selected: Any = None
    if correlate == "string":
        selected = manager.queue(instance.back.name, selector=f"JMSCorrelationID = 'ID:{own.hex()}'")
    elif correlate == "property":
        selected = manager.queue(instance.back.name, selector=f"client = {instance.number}")
        instance.properties = {**(instance.properties or {}), "client": instance.number}
    fixed = correlate in ("correlid", "string", "property")
    turn = instance.number
    timeout = actors.timeout

    def put(out: Any, back: Any, stamp: int) -> bytes:
        made: bytes = out.put(
            instance.message(stamp),
            persistent=persistent,
            reply_to=back.name,
            correlation_id=own if fixed else None,
            properties=instance.properties,
            format=instance.format,
        )
        return made

    def get(back: Any, sent: bytes) -> Any:
        if selected is not None:
            return selected.get(wait=timeout)
        if correlate == "any":
            return back.get(wait=timeout)
        return back.get(wait=timeout, correlation_id=own if fixed else sent)

    def operation(stamp: int) -> int:
        nonlocal turn
        out, back = instance.out, instance.back
        if actors.rotate:
            turn += 1
            out = instance.put_queues[turn % size]
            back = instance.get_queues[turn % size]
        if not synced:
            get(back, put(out, back, stamp))
            return 1
        with manager.transaction():
            sent = put(out, back, stamp)
        with manager.transaction():
            get(back, sent)
        return 1

    return operation


def _responder(instance: Instance) -> Operation:
    actors, manager = instance.actors, instance.manager
    replies: dict[str, Any] = {}
    keeps = actors.correlate in ("correlid", "string", "property")

    def answer() -> int:
        request = instance.back.get_or_none(wait=LOOK_S)
        if request is None:
            return 0
        name = request.reply_to
        queue = replies.get(name)
        if queue is None:
            queue = replies[name] = manager.queue(name)
        queue.put(
            request.data,
            persistent=actors.persistent,
            correlation_id=request.correlation_id if keeps else request.message_id,
            properties=request.properties if actors.correlate == "property" else None,
        )
        return 1

    def operation(stamp: int) -> int:
        if not actors.syncpoint:
            return answer()
        with manager.transaction():
            return answer()

    return operation


def _putter(instance: Instance) -> Operation:
    actors, manager = instance.actors, instance.manager
    persistent, wait, batch = actors.persistent, not actors.asynchronous, actors.batch
    expiry = actors.expiry or None
    put_one = _one_putter(instance)

    def put(out: Any, stamp: int) -> None:
        if actors.put1:
            put_one(out.name, stamp)
            return
        out.put(
            instance.message(stamp),
            persistent=persistent,
            properties=instance.properties,
            wait=wait,
            expiry=expiry,
            format=instance.format,
        )

    def operation(stamp: int) -> int:
        instance.hold_back()
        if not actors.syncpoint:
            put(instance.out, stamp)
            return 1
        with manager.transaction():
            for _ in range(batch):
                put(instance.out, stamp)
        return batch

    if not actors.reopen:
        return operation

    mqi, name = manager.mqi, instance.out.name

    def reopened(stamp: int) -> int:
        handle = mqi.open(_named(name), MQOO_OUTPUT)
        for _ in range(actors.reopen):
            mqi.put(handle, _descriptor(persistent), _put_options(), instance.message(stamp))
        mqi.close(handle)
        return 1

    return reopened


def _one_putter(instance: Instance) -> Callable[[str, int], None]:
    """Return a function that puts a message with MQPUT1."""
    actors = instance.actors

    def put_one(name: str, stamp: int) -> None:
        options = _put_options(actors.syncpoint)
        instance.manager.mqi.put1(_named(name), _descriptor(actors.persistent), options, instance.message(stamp))

    return put_one


def _getter(instance: Instance) -> Operation:
    actors, manager = instance.actors, instance.manager

    def operation(stamp: int) -> int:
        if not actors.syncpoint:
            message = instance.back.get_or_none(wait=LOOK_S)
            if message is None:
                return 0
            instance.arrived(message)
            return 1
        done = 0
        with manager.transaction():
            while done < actors.batch:
                message = instance.back.get_or_none(wait=LOOK_S)
                if message is None:
                    break
                instance.arrived(message)
                done += 1
        return done

    return operation


def _publisher(instance: Instance) -> Operation:
    actors = instance.actors
    topic = instance.manager.topic(actors.topic)
    wait = not actors.asynchronous

    def operation(stamp: int) -> int:
        instance.hold_back()
        topic.publish(instance.message(stamp), persistent=actors.persistent, wait=wait, properties=instance.properties)
        return 1

    return operation


def _subscriber(instance: Instance) -> Operation:
    actors = instance.actors
    subscription = instance.manager.subscribe(actors.topic, **_reading(actors))

    def operation(stamp: int) -> int:
        message = subscription.get_or_none(wait=LOOK_S)
        if message is None:
            return 0
        instance.arrived(message)
        return 1

    return operation


def _put_get(instance: Instance) -> Operation:
    actors, manager = instance.actors, instance.manager

    put_one = _one_putter(instance)

    def put(stamp: int) -> None:
        if actors.put1:
            put_one(instance.out.name, stamp)
        else:
            instance.out.put(instance.message(stamp), persistent=actors.persistent, format=instance.format)

    def both(stamp: int) -> None:
        put(stamp)
        instance.back.get(wait=REPLY_S)

    mqi, name = manager.mqi, instance.out.name

    def reopened(stamp: int) -> None:
        handle = mqi.open(_named(name), MQOO_OUTPUT | MQOO_INPUT_SHARED)
        mqi.put(handle, _descriptor(actors.persistent), _put_options(), instance.message(stamp))
        options = MQGMO()
        options.options, options.wait_interval = MQGMO_WAIT | MQGMO_NO_SYNCPOINT, int(REPLY_S * 1000)
        mqi.get(handle, MQMD(), options)
        mqi.close(handle)

    def operation(stamp: int) -> int:
        if actors.reopen:
            reopened(stamp)
        elif actors.syncpoint:
            with manager.transaction():
                put(stamp)
            with manager.transaction():
                instance.back.get(wait=REPLY_S)
        else:
            both(stamp)
        return 1

    return operation


def _opener(instance: Instance) -> Operation:
    mqi = instance.manager.mqi
    name = instance.actors.put_to[instance.number % len(instance.actors.put_to)]

    def operation(stamp: int) -> int:
        mqi.close(mqi.open(_named(name), MQOO_OUTPUT))
        return 1

    return operation


_OPERATIONS: dict[str, Callable[[Instance], Operation]] = {
    REQUESTER: _requester,
    RESPONDER: _responder,
    PUTTER: _putter,
    GETTER: _getter,
    PUBLISHER: _publisher,
    SUBSCRIBER: _subscriber,
    PUT_GET: _put_get,
    OPENER: _opener,
}
