"""The queue manager with its rules: the hooks through which the state tells the rest of the engine of puts and gets.

`queue_manager.QueueManager` is the state. The calls (put.py, get.py ...) change it and announce the consequences by its
hooks; a hook is implemented here with the module that knows the rule. So a module of the engine needs to know the
state, and this one alone knows all modules.

    arrived, put_in_unit, available, got, unit_ended    events, waiting gets, triggers, queued publish/subscribe
    put_streamed, stage_delayed, put_to_list ...        rare forms of a put, which know the plain one
    check                                               every invariant of every module
"""

from __future__ import annotations

from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr import (
    accounting,
    consume,
    delay,
    distribution,
    event,
    get,
    own_puts,
    publish,
    put_to_waiter,
    queued,
    registration,
    stream,
    subscribe,
    trigger,
    xa,
)
from flintmq.qmgr.connection import Connection, Consumer, Handle, Unit, Waiter
from flintmq.qmgr.message import GET_PENDING, PUT_PENDING, Message
from flintmq.qmgr.paging import check_homes, pager_of
from flintmq.qmgr.place import Delivery
from flintmq.qmgr.queue import Queue, check_queue
from flintmq.qmgr.queue_manager import Gathering, QueueManager
from flintmq.store.buffers import check_pool
from flintmq.store.pages import check_account


class Engine(QueueManager):
    """A queue manager that works."""

    def put_topic(
        self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes, properties: bytes
    ) -> int:
        """A put through a handle of a topic."""
        return publish.put_topic(self, connection, handle, md, pmo, data, properties)

    def add_publication(
        self, delivery: Gathering, queue: Queue, topic_name: str, md: MQMD, data: bytes, properties: bytes
    ) -> int:
        """Copies for the subscribers of a topic that STREAMQ of `queue` leads to, as part of a delivery."""
        assert isinstance(delivery, Delivery)
        return publish.copies_for_alias(self, delivery, queue, topic_name, md, data, properties)

    def close_subscription(self, connection: Connection, handle: Handle, options: int) -> int:
        """MQCLOSE of a subscription handle."""
        return subscribe.close_subscription(self, connection, handle, options)

    def put_streamed(
        self,
        connection: Connection,
        queue: Queue,
        md: MQMD,
        data: bytes,
        syncpoint: bool,
        now: int,
        properties: bytes,
        handle: Handle | None,
    ) -> int:
        """A message for a queue with STREAMQ: place it and its copy."""
        return stream.put_streamed(self, connection, queue, md, data, syncpoint, now, properties, handle)

    def open_list(self, connection: Connection, od: MQOD, options: int) -> Handle | None:
        """MQOPEN of a distribution list."""
        return distribution.open_list(self, connection, od, options)

    def put_to_list(self, connection: Connection, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        """MQPUT to one."""
        return distribution.put_to_list(self, connection, handle, md, pmo, data)

    def stage_delayed(
        self,
        connection: Connection,
        handle: Handle,
        md: MQMD,
        pmo_options: int,
        pub_level: int,
        data: bytes,
        syncpoint: bool,
        now: int,
        properties: bytes,
    ) -> int:
        """A message that is to be delivered later: to the staging queue."""
        return delay.stage(self, connection, handle, md, pmo_options, pub_level, data, syncpoint, now, properties)

    def deliver_delayed(self, now: int) -> None:
        """Deliver what is due now."""
        delay.run(self, now)

    def put_to_waiter(self, queue: Queue, md: MQMD, data: bytes, now: int) -> bool:
        """See put_to_waiter.py."""
        return self.in_turn and put_to_waiter.put_to_waiter(self, queue, md, data, now)

    def arrived(self, queue: Queue, message: Message, now: int) -> None:
        """`message` was put outside syncpoint at `now`: events, those who wait, triggers."""
        if queue.watched:
            event.after_put(self, queue)
        if queue.waiting:
            get.serve(self, queue, message, now)
        if queue.rules.trigger_on:
            trigger.after_put(self, queue, message, None)
        if queue.rules.queued:
            queued.process(self, queue)
        elif queue.rules.staging:
            delay.arrived(self, message)

    def put_in_unit(self, queue: Queue, message: Message, unit: Unit) -> None:
        """`message` was put under syncpoint on a watched queue. Events are at once, a trigger is when the unit ends."""
        event.after_put(self, queue)
        if queue.rules.trigger_on:
            trigger.after_put(self, queue, message, unit)

    def available(self, queue: Queue, message: Message) -> None:
        """`message` can be got now: its put was committed, its get backed out, or its browse lock given up."""
        if queue.waiting:
            get.serve(self, queue, message, self.clock.now_ms())
        if queue.rules.queued:
            queued.process(self, queue)
        elif queue.rules.staging:
            delay.arrived(self, message)

    def unit_ended(self, unit: Unit, committed: bool) -> None:
        """Send the trigger messages that waited for it."""
        trigger.unit_ended(self, unit, committed)

    def got(self, queue: Queue) -> None:
        """A message of a watched queue left it for good."""
        if not self.replaying:
            event.depth_fell(self, queue)

    def account_connection(self, connection: Connection, begins: bool) -> None:
        """A connection begins or ends."""
        if begins:
            accounting.begin(self, connection)
        else:
            accounting.leave(self, connection)

    def account_wait(self, waiter: Waiter) -> None:
        """A get that waited has its answer."""
        accounting.waited(self, waiter)

    def check(self) -> None:
        """Check every invariant of every room of the engine; for tests and simulation."""
        depths: dict[int, int] = {}
        buffers: dict[int, int] = {}
        pending: set[int] = set()
        xa.check_branches(self)
        registration.check_subscriptions(self)
        for connection in self.connections.values():
            consume.check_consumers(connection)
        for unit in self.units():
            own_puts.check_unit(unit)
            for message in unit.work:
                assert id(message) not in pending, "U1: a message is in two units"
                pending.add(id(message))
        for queue in [*self.queues_by_id.values(), *self.clearing]:
            check_queue(queue)
            depths[queue.account.psid] = depths.get(queue.account.psid, 0) + queue.depth
            buffers[queue.pool.pool] = buffers.get(queue.pool.pool, 0) + queue.pages_in_memory
            held = 0
            for message in queue.messages_in_memory():
                if message.state in (PUT_PENDING, GET_PENDING):
                    held += 1
                    assert id(message) in pending, f"U1: message {message.sequence} of {queue.name} is in no unit"
            assert held == queue.uncommitted, f"U1: {queue.name} counts {queue.uncommitted} uncommitted, has {held}"
        for queue in self.clearing:
            assert queue.deleted and self.queues_by_id.get(queue.queue_id) is not queue, f"D1: {queue.name}"
            assert not queue.waiting and pager_of(queue).queues.get(queue.queue_id) is queue, f"D1: {queue.name}"
        for pager in self.pagers.values():
            check_homes(pager)
        for psid, account in self.accounts.items():
            assert account.messages == depths.get(psid, 0), f"Q5: page set {psid}"
            check_account(account)
        for pool in self.pools.values():
            assert pool.used == buffers.get(pool.pool, 0), f"Q5: buffer pool {pool.pool}"
            check_pool(pool)

    def consumer_answered(self, consumer: Consumer, waiter: Waiter) -> None:
        """A get for a consumer is complete, with a message or with a reason."""
        consume.answered(self, consumer, waiter)

    def connection_event(self, handler: Consumer, reason: int) -> None:
        """Something happened to a whole connection that has an event handler."""
        consume.connection_event(self, handler, reason)
