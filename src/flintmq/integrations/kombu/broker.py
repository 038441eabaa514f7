"""One connection to the queue manager, and the calls that channels make on it.

Every channel of a Kombu connection uses the same Broker, as channels of AMQP share a socket. A lock lets one thread
call at a time: messages are acknowledged by threads of a worker's pool.

Branches: the name of a branch is an xid with a global part that no other broker has, and a counter. Pullers get
messages in branches on connections of their own. Any connection may commit or roll back an idle branch, so the broker
settles it here, while the puller waits for the next message. The branch belongs to the connection that ended it last;
`adopt` moves it here before that connection is closed.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import flintmq
from flintmq.integrations.kombu import names
from flintmq.integrations.kombu.address import DEFAULT_MODEL, MODEL, Address
from flintmq.integrations.kombu.envelope import Arguments
from flintmq.integrations.kombu.mailbox import Mailbox
from flintmq.mqi.constants import (
    MQCO_DELETE_PURGE,
    MQCO_KEEP_SUB,
    MQCO_REMOVE_SUB,
    MQIA_CURRENT_Q_DEPTH,
    MQIA_OPEN_INPUT_COUNT,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQSO_ANY_USERID,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_FAIL_IF_QUIESCING,
    MQSO_GROUP_SUB,
    MQSO_RESUME,
    MQSO_SET_CORREL_ID,
    MQSO_WILDCARD_TOPIC,
)
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import (
    MQRC_NO_SUBSCRIPTION,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_SUBSCRIPTION_IN_USE,
)
from flintmq.mqi.sd import MQSD
from flintmq.mqi.xid import TMJOIN, TMONEPHASE, XA_OK, pack_xid

if TYPE_CHECKING:
    from flintmq.integrations.kombu.channel import Channel

#: "FMQK", the format id of our xids.
FORMAT_ID: Final = 0x464D514B
MAXDEPTH: Final = 999_999_999
DEFINE_MODEL: Final = (
    f"DEFINE QMODEL({MODEL}) DEFTYPE(TEMPDYN) SHARE DEFSOPT(SHARED) MAXDEPTH({MAXDEPTH}) "
    "DESCR('Temporary queues of Kombu')"
)
#: Queues that are kept to put to. A worker replies to many.
_QUEUES_MAX: Final = 500
#: Same for all subscriptions: those of a queue are one group, which gets one copy of a message.
_GROUP: Final = b"FLINTMQ.KOMBU".ljust(24, b"\0")


class BranchLost(flintmq.NotConnected):
    """The connection that had a message was lost: the message is back on its queue, and will be delivered again."""


class Broker:
    """A connection to a queue manager. Kombu calls it the connection."""

    def __init__(self, address: Address, client: Any = None) -> None:
        self.address = address
        #: The kombu.Connection. Kombu looks for it here.
        self.client = client
        self.mailbox = Mailbox()
        self.channels: list[Channel] = []
        #: Types of the exchanges that were declared here, by name.
        self.exchanges: dict[str, str] = {}
        self.pid = os.getpid()
        self._lock = threading.RLock()
        self._qm = address.open()
        #: A connection of either kind; they have the same calls.
        self._connection: Any = None
        try:
            self._connection = self._qm.connect()
        except BaseException:
            address.close(self._qm)
            raise
        self.closed = False
        self._global_part = uuid4().bytes
        self._numbers = itertools.count(1)
        self._queues: OrderedDict[str, flintmq.Queue] = OrderedDict()
        #: Temporary queues and non-durable subscriptions that this connection has made; they end with it.
        self._temporary: dict[str, Any] = {}
        self._subscriptions: dict[tuple[str, str, str], Any] = {}

    @property
    def is_own(self) -> bool:
        """Whether this process opened it. The child of a fork must not use it."""
        return os.getpid() == self.pid

    @property
    def connected(self) -> bool:
        """Whether it can be used, as far as the application has been told.

        Kombu makes a new connection, without a word, in place of one that is not connected. So a loss counts only after
        `drain_events` has raised it: else a consumer would wait on the new connection, on which it consumes nothing.
        """
        return not self.closed and self.is_own and not self.mailbox.reported

    def close(self) -> None:
        """Close all channels, then disconnect. Messages that are not settled are put back, temporary queues go."""
        if self.closed or not self.is_own:
            self.closed = True
            return
        for channel in list(self.channels):
            channel.close()
        with self._lock:
            self.closed = True
            try:
                self._connection.close()
            finally:
                self.address.close(self._qm)
                self.mailbox.close()

    # -- messages -----------------------------------------------------------------------------------------------------

    def put(self, name: str, data: bytes | str, arguments: Arguments) -> None:
        """Put to a queue. Raises UnknownObject if there is none."""
        with self._lock:
            try:
                self._queue(name).put(data, syncpoint=False, **arguments)
            except flintmq.UnknownObject:
                self._queues.pop(name, None)
                raise
            except flintmq.MQError as error:
                if error.reason != MQRC_PERSISTENT_NOT_ALLOWED:
                    raise
                # A temporary queue: its messages end with it, persistent or not.
                arguments["persistent"] = False
                self._queue(name).put(data, syncpoint=False, **arguments)

    def publish(self, topic: str, data: bytes | str, arguments: Arguments) -> None:
        """Publish to a topic."""
        with self._lock:
            self._connection.topic(topic).publish(data, syncpoint=False, **arguments)

    def get(self, name: str) -> tuple[bytes, flintmq.Message] | None:
        """Get a message in a new branch, without waiting: (xid, message)."""
        with self._lock:
            queue = self._queue(name)
            xid = self.new_branch()
            mqi = self._connection.mqi
            _check(mqi.xa_start(xid), xid)
            try:
                message = queue.get_or_none(syncpoint=True)
            except flintmq.UnknownObject:
                self._queues.pop(name, None)
                raise
            finally:
                _check(mqi.xa_end(xid), xid)
            if message is None:
                mqi.xa_commit(xid, TMONEPHASE)
                return None
            return xid, message

    def _queue(self, name: str) -> flintmq.Queue:
        found = self._queues.get(name)
        if found is None:
            found = self._queues[name] = self._connection.queue(name)
            if len(self._queues) > _QUEUES_MAX:
                self._queues.popitem(last=False)
        return found

    # -- branches -----------------------------------------------------------------------------------------------------

    def new_branch(self) -> bytes:
        """Return the xid of a branch that there has not been."""
        return pack_xid(FORMAT_ID, self._global_part, next(self._numbers).to_bytes(8, "big"))

    def commit(self, xid: bytes) -> None:
        """Commit an idle branch. Raises BranchLost if there is none."""
        with self._lock:
            _check(self._connection.mqi.xa_commit(xid, TMONEPHASE), xid)

    def roll_back(self, xid: bytes) -> None:
        """Roll an idle branch back. One that is not there has been rolled back already."""
        with self._lock:
            self._connection.mqi.xa_rollback(xid)

    def adopt(self, xids: list[bytes]) -> None:
        """Make idle branches those of this connection."""
        with self._lock:
            mqi = self._connection.mqi
            for xid in xids:
                if mqi.xa_start(xid, TMJOIN) == XA_OK:
                    mqi.xa_end(xid)

    # -- queues -------------------------------------------------------------------------------------------------------

    def declare(self, name: str, temporary: bool, attributes: dict[str, object]) -> None:
        """Make a queue, unless there is one."""
        with self._lock:
            if not temporary:
                self._connection.queue(name, create=True, **attributes)
                return
            if name in self._temporary or self.exists(name):
                return
            try:
                self._temporary[name] = self._make_temporary(name)
            except flintmq.MQError as error:
                if error.reason != MQRC_OBJECT_ALREADY_EXISTS:
                    raise

    def _make_temporary(self, name: str) -> Any:
        """Open the model queue, which makes a temporary queue. Our own model is defined if there is none."""
        try:
            return self._open_model(self.address.model, name)
        except flintmq.UnknownObject:
            if self.address.model != MODEL:
                raise
        if self._connection.mqsc(DEFINE_MODEL, check=False).reason:  # This user may not define queues.
            return self._open_model(DEFAULT_MODEL, name)
        return self._open_model(MODEL, name)

    def _open_model(self, model: str, name: str) -> Any:
        od = MQOD()
        od.object_name, od.dynamic_q_name = model, name
        # Not for input: a model may say NOSHARE, and the consumer has a connection of its own.
        return self._connection.mqi.open(od, MQOO_OUTPUT | MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING)

    def exists(self, name: str) -> bool:
        """Whether there is such a queue."""
        with self._lock:
            try:
                self._connection.queue(name)
            except flintmq.UnknownObject:
                return False
            return True

    def counts(self, name: str) -> tuple[int, int]:
        """Return CURDEPTH and IPPROCS. Raises UnknownObject."""
        with self._lock:
            mqi = self._connection.mqi
            handle = mqi.open(_queue_descriptor(name), MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING)
            try:
                found = mqi.inq(handle, [MQIA_CURRENT_Q_DEPTH, MQIA_OPEN_INPUT_COUNT]).integers
            finally:
                mqi.close(handle)
            return found[0], found[1]

    def purge(self, name: str) -> int:
        """Remove the messages that nobody has got: how many there were."""
        count = 0
        with self._lock:
            queue = self._queue(name)
            while True:
                try:
                    queue.get(syncpoint=False, max_length=0, truncate=True, requeue_poison=False)
                except flintmq.NoMessageAvailable:
                    return count
                except flintmq.Truncated:
                    pass
                count += 1

    def delete(self, name: str) -> None:
        """Delete a queue, its messages and its bindings. Raises ObjectInUse while somebody has it open."""
        with self._lock:
            self._queues.pop(name, None)
            for key in [key for key in self._subscriptions if key[2] == name]:
                self._connection.mqi.close(self._subscriptions.pop(key), MQCO_REMOVE_SUB)
            handle = self._temporary.pop(name, None)
            if handle is not None:
                self._connection.mqi.close(handle, MQCO_DELETE_PURGE)
                return
            self._delete_subscriptions(f"DISPLAY SUB(*) WHERE(DEST EQ {_quoted(name)})", names.ROOT + "/")
            try:
                # This also closes the handles that the connection has open for speed; they would be in the way.
                self._connection.queue(name).clear()
            except flintmq.MQError:
                pass  # Somebody has it open, as DELETE will say.
            self._connection.mqsc(f"DELETE QLOCAL({_quoted(name)}) PURGE")

    # -- bindings -----------------------------------------------------------------------------------------------------

    def bind(self, exchange: str, kind: str, routing_key: str, name: str) -> None:
        """Subscribe a queue to an exchange: durably, if the queue is not temporary."""
        key = (exchange, routing_key, name)
        with self._lock:
            if key in self._subscriptions:
                return
            mqi = self._connection.mqi
            sd = MQSD()
            sd.options = (
                MQSO_CREATE | MQSO_FAIL_IF_QUIESCING | MQSO_WILDCARD_TOPIC | MQSO_GROUP_SUB | MQSO_SET_CORREL_ID
            )
            sd.sub_correl_id = _GROUP
            sd.object_string = names.binding_string(exchange, kind, routing_key)
            destination = self._temporary.get(name)
            if destination is not None:
                _, self._subscriptions[key] = mqi.sub(sd, destination)
                return
            sd.options |= MQSO_DURABLE | MQSO_RESUME | MQSO_ANY_USERID
            sd.sub_name = names.subscription_name(exchange, routing_key, name)
            handle = mqi.open(_queue_descriptor(name), MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
            try:
                _, subscription = mqi.sub(sd, handle)
                mqi.close(subscription, MQCO_KEEP_SUB)
            except flintmq.MQError as error:
                if error.reason != MQRC_SUBSCRIPTION_IN_USE:  # Another program makes the same binding.
                    raise
            finally:
                mqi.close(handle)

    def unbind(self, exchange: str, routing_key: str, name: str) -> None:
        """Remove a binding. One that is not there is no error."""
        with self._lock:
            mqi = self._connection.mqi
            subscription = self._subscriptions.pop((exchange, routing_key, name), None)
            if subscription is None:
                sd = MQSD()
                sd.options = MQSO_RESUME | MQSO_FAIL_IF_QUIESCING
                sd.sub_name = names.subscription_name(exchange, routing_key, name)
                handle = mqi.open(_queue_descriptor(name), MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
                try:
                    _, subscription = mqi.sub(sd, handle)
                except flintmq.MQError as error:
                    if error.reason != MQRC_NO_SUBSCRIPTION:
                        raise
                    return
                finally:
                    mqi.close(handle)
            mqi.close(subscription, MQCO_REMOVE_SUB)

    def unbind_all(self, exchange: str) -> None:
        """Remove all bindings of an exchange that this connection has made, and all durable ones."""
        with self._lock:
            for key in [key for key in self._subscriptions if key[0] == exchange]:
                self._connection.mqi.close(self._subscriptions.pop(key), MQCO_REMOVE_SUB)
            prefix = names.exchange_prefix(exchange)
            self._delete_subscriptions(f"DISPLAY SUB({_quoted(prefix + '*')})", prefix)

    def _delete_subscriptions(self, command: str, prefix: str) -> None:
        for row in self._connection.mqsc(command, check=False).rows:
            name = str(row.get("SUB") or row.get("SUBNAME") or "")
            if name.startswith(prefix):
                self._connection.mqsc(f"DELETE SUB({_quoted(name)})", check=False)


def _check(code: int, xid: bytes) -> None:
    if code != XA_OK:
        raise BranchLost(f"the connection that had the message was lost, the message is back on its queue (XA {code})")


def _queue_descriptor(name: str) -> MQOD:
    od = MQOD()
    od.object_name = name
    return od


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
