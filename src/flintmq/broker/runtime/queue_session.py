"""The queue manager, seen by one instance of a flow: one connection, its open queues and its unit of work.

An input queue is opened once, for input, browse of attributes and saved context. Output queues are opened when first
used and stay open: at most `cache_size` of them (30, B261), the one that was not used for longest is closed first.

Calls raise MQError. `is_broken` tells that the connection is gone: what was not committed is backed out by the queue
manager, and the instance makes a new session.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import Any, Final, Protocol

from flintmq.broker.flow.services import Publication, Put, Written
from flintmq.client.errors import MQError, NoMessageAvailable, NotConnected
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

#: Open output queues per instance, unless `queueCacheMaxSize` says otherwise.
CACHE_SIZE: Final = 30
_INPUT: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_INQUIRE | mq.MQOO_SAVE_ALL_CONTEXT | mq.MQOO_FAIL_IF_QUIESCING
#: Options of opens and of puts for `messageContext` of output nodes.
_CONTEXTS: Final = {
    "passAll": (mq.MQOO_PASS_ALL_CONTEXT, mq.MQPMO_PASS_ALL_CONTEXT),
    "passIdentity": (mq.MQOO_PASS_IDENTITY_CONTEXT, mq.MQPMO_PASS_IDENTITY_CONTEXT),
    "setAll": (mq.MQOO_SET_ALL_CONTEXT, mq.MQPMO_SET_ALL_CONTEXT),
    "setIdentity": (mq.MQOO_SET_IDENTITY_CONTEXT, mq.MQPMO_SET_IDENTITY_CONTEXT),
    "default": (0, mq.MQPMO_DEFAULT_CONTEXT),
    "none": (0, mq.MQPMO_NO_CONTEXT),
}
_PASSES: Final = ("passAll", "passIdentity")
_STALE: Final = frozenset((rc.MQRC_OBJECT_CHANGED, rc.MQRC_HOBJ_ERROR, rc.MQRC_Q_DELETED))
_SYNCPOINT: Final = {
    "yes": mq.MQGMO_SYNCPOINT,
    "no": mq.MQGMO_NO_SYNCPOINT,
    "automatic": mq.MQGMO_SYNCPOINT_IF_PERSISTENT,
}
_ID_LENGTH: Final = 24
_PERSISTENT: Final = 1


class Manager(Protocol):
    """A connected queue manager: what `flintmq.connect` returns, as far as a session needs it."""

    def connect(self, application: str = "") -> Any:
        """Return one more connection."""
        ...


class InputQueue:
    """The queue of an MQInput node, open."""

    def __init__(self, name: str, handle: Any, threshold: int, backout_queue: str) -> None:
        self.name = name
        self.handle = handle
        #: BOTHRESH; 0 counts as 1.
        self.threshold = threshold
        self.backout_queue = backout_queue


class QueueSession:
    """A connection of an instance. Used by one thread."""

    def __init__(self, manager: Manager, application: str = "", cache_size: int = CACHE_SIZE) -> None:
        self.application = application
        self.connection = manager.connect(application)
        self.mqi = self.connection.mqi
        self.cache_size = max(1, cache_size)
        self.is_broken = False
        #: Whether the unit of work holds anything.
        self.in_unit = False
        self.commits = 0
        self.backouts = 0
        #: Calls that the queue manager refused.
        self.errors = 0
        self._outputs: OrderedDict[tuple[str, str, int, str], Any] = OrderedDict()
        #: The handle that the message under way was got through: where its context is saved.
        self._source: Any = None

    # Input.

    def open_input(self, queue: str) -> InputQueue:
        """Open the queue of an input node."""
        od = MQOD()
        od.object_name = queue
        handle = self._call(self.mqi.open, od, _INPUT)
        found = InputQueue(queue, handle, 0, "")
        self.refresh(found)
        return found

    def refresh(self, queue: InputQueue) -> None:
        """Read BOTHRESH and BOQNAME as they are now."""
        found = self._call(self.mqi.inq, queue.handle, [mq.MQIA_BACKOUT_THRESHOLD, mq.MQCA_BACKOUT_REQ_Q_NAME])
        queue.threshold = found.integers[0]
        queue.backout_queue = found.characters[0].strip()

    def get(self, queue: InputQueue, mode: str, wait_ms: int, options: int = 0) -> tuple[MQMD, bytes] | None:
        """Get the next message; None if there is none within the wait. `mode` is `transactionMode`."""
        md = MQMD()
        md.version = 2
        gmo = MQGMO()
        gmo.options = (
            mq.MQGMO_WAIT
            | mq.MQGMO_FAIL_IF_QUIESCING
            | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
            | _SYNCPOINT.get(mode, mq.MQGMO_SYNCPOINT)
            | options
        )
        gmo.wait_interval = wait_ms
        try:
            data: bytes = self._call(self.mqi.get, queue.handle, md, gmo)
        except NoMessageAvailable:
            return None
        self._source = queue.handle
        self.in_unit = self.in_unit or mode != "no" and (mode == "yes" or md.persistence == _PERSISTENT)
        if md.backout_count:
            self.refresh(queue)
        return md, data

    def get_from(
        self,
        queue: str,
        wait_ms: int,
        message_id: bytes | None,
        correlation_id: bytes | None,
        syncpoint: bool,
        browse: bool,
    ) -> tuple[MQMD, bytes] | None:
        """Get, or browse, a message of any queue: an MQGet node."""
        md = MQMD()
        md.version = 2
        if message_id:
            md.msg_id = message_id.ljust(_ID_LENGTH, b"\0")
        if correlation_id:
            md.correl_id = correlation_id.ljust(_ID_LENGTH, b"\0")
        gmo = MQGMO()
        gmo.options = mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
        gmo.options |= mq.MQGMO_WAIT if wait_ms else mq.MQGMO_NO_WAIT
        gmo.options |= mq.MQGMO_SYNCPOINT if syncpoint and not browse else mq.MQGMO_NO_SYNCPOINT
        gmo.options |= mq.MQGMO_BROWSE_FIRST if browse else 0
        gmo.wait_interval = wait_ms
        open_options = mq.MQOO_BROWSE if browse else mq.MQOO_INPUT_SHARED
        handle = self._handle(queue, "", open_options | mq.MQOO_FAIL_IF_QUIESCING, "")
        try:
            data: bytes = self._call(self.mqi.get, handle, md, gmo)
        except NoMessageAvailable:
            return None
        self.in_unit = self.in_unit or syncpoint and not browse
        return md, data

    # Output.

    def put(self, put: Put) -> Written:
        """Put a message of an output node."""
        md = put.md
        to_open, to_put = _CONTEXTS.get(put.context, _CONTEXTS["default"])
        if put.context in _PASSES and self._source is None:
            to_open, to_put = _CONTEXTS["default"]
        pmo = MQPMO()
        pmo.options = mq.MQPMO_FAIL_IF_QUIESCING | to_put
        pmo.options |= mq.MQPMO_SYNCPOINT if put.transactional else mq.MQPMO_NO_SYNCPOINT
        if to_put in (mq.MQPMO_PASS_ALL_CONTEXT, mq.MQPMO_PASS_IDENTITY_CONTEXT):
            pmo.context = self._source.number
        if put.new_message_id:
            pmo.options |= mq.MQPMO_NEW_MSG_ID
        if put.new_correlation_id:
            pmo.options |= mq.MQPMO_NEW_CORREL_ID
        user = md.user_identifier.strip() if put.alternate_user else ""
        to_open |= mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING | (mq.MQOO_ALTERNATE_USER_AUTHORITY if user else 0)
        key = (put.queue, put.queue_manager, to_open, user)
        handle = self._handle(*key)
        try:
            self._call(self.mqi.put, handle, md, pmo, put.data)
        except MQError as error:
            if error.reason not in _STALE:
                raise
            self._forget(key)
            handle = self._handle(*key)
            self._call(self.mqi.put, handle, md, pmo, put.data)
        self.in_unit = self.in_unit or put.transactional
        now = time.gmtime()
        return Written(
            pmo.resolved_q_name.strip() or put.queue,
            pmo.resolved_q_mgr_name.strip() or put.queue_manager,
            md.msg_id,
            md.correl_id,
            md.group_id,
            md.correl_id if md.report & mq.MQRO_PASS_CORREL_ID else md.msg_id,
            time.strftime("%Y%m%d", now),
            time.strftime("%H%M%S00", now),
        )

    def publish(self, publication: Publication) -> bool:
        """Publish a message on each of its topics; return whether a subscription matched."""
        matched = False
        for topic in publication.topics:
            od = MQOD()
            od.version = 4
            od.object_type = mq.MQOT_TOPIC
            od.object_string = topic
            pmo = MQPMO()
            pmo.version = 3
            pmo.options = mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
            pmo.options |= mq.MQPMO_SYNCPOINT if publication.transactional else mq.MQPMO_NO_SYNCPOINT
            pmo.options |= mq.MQPMO_RETAIN if publication.retained else 0
            try:
                self._call(self.mqi.put1, od, publication.md.copy(), pmo, publication.data)
                matched = True
            except MQError as error:
                if error.reason != rc.MQRC_NO_SUBS_MATCHED:
                    raise
            self.in_unit = self.in_unit or publication.transactional
        return matched

    def put_aside(self, queue: InputQueue, md: MQMD, data: bytes) -> str:
        """Put a message that was backed out too often to BOQNAME, else to the dead-letter queue (MF 3.6).

        Return the name of the queue. Raise the error of the last attempt if the message can go nowhere.
        """
        if queue.backout_queue:
            try:
                self._put_aside(queue.backout_queue, md.copy(), data)
                return queue.backout_queue
            except MQError:
                if self.is_broken:
                    raise
        target = self.dead_letter_queue()
        if not target:
            raise MQError(
                f"{queue.name} has no usable backout queue (BOQNAME) and there is no dead-letter queue (DEADQ)",
                rc.MQRC_UNKNOWN_OBJECT_NAME,
            )
        header = MQDLH()
        header.reason = rc.MQRC_BACKOUT_THRESHOLD_REACHED
        header.dest_q_name = queue.name
        header.encoding, header.coded_char_set_id, header.format = md.encoding, md.coded_char_set_id, md.format
        header.put_appl_type, header.put_appl_name = md.put_appl_type, md.put_appl_name
        header.put_date, header.put_time = time.strftime("%Y%m%d"), time.strftime("%H%M%S00")
        dead = md.copy()
        dead.format = mq.MQFMT_DEAD_LETTER_HEADER
        dead.encoding, dead.coded_char_set_id = 546, 1208
        self._put_aside(target, dead, header.pack() + data)
        return target

    def _put_aside(self, target: str, md: MQMD, data: bytes) -> None:
        options = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_PASS_ALL_CONTEXT
        pmo = MQPMO()
        pmo.options = mq.MQPMO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_PASS_ALL_CONTEXT
        pmo.context = self._source.number
        md.backout_count = 0
        self._call(self.mqi.put, self._handle(target, "", options, ""), md, pmo, data)

    def dead_letter_queue(self) -> str:
        """Return DEADQ of the queue manager; empty if there is none."""
        od = MQOD()
        od.object_type = mq.MQOT_Q_MGR
        handle = self._call(self.mqi.open, od, mq.MQOO_INQUIRE)
        try:
            found = self._call(self.mqi.inq, handle, [mq.MQCA_DEAD_LETTER_Q_NAME])
        finally:
            self._call(self.mqi.close, handle)
        name: str = found.characters[0].strip()
        return name

    # Units of work.

    def commit(self) -> None:
        """Commit the unit of work, if it holds anything."""
        if self.in_unit:
            self.in_unit = False
            self._call(self.mqi.cmit)
            self.commits += 1
        self._source = None

    def backout(self) -> None:
        """Back out the unit of work, if it holds anything."""
        if self.in_unit and not self.is_broken:
            self.in_unit = False
            self._call(self.mqi.back)
            self.backouts += 1
        self._source = None

    def ended(self, committed: bool) -> None:
        """Note that the unit of work was ended by a call on the same connection."""
        self.in_unit = False
        self._source = None
        self.commits += committed
        self.backouts += not committed

    def close(self) -> None:
        """Disconnect. What was not committed is backed out."""
        self.is_broken = True
        self.connection.close()

    # Handles.

    def _handle(self, queue: str, manager: str, options: int, user: str) -> Any:
        """Return an open queue: from the cache, or opened now."""
        key = (queue, manager, options, user)
        handle = self._outputs.get(key)
        if handle is not None:
            self._outputs.move_to_end(key)
            return handle
        od = MQOD()
        od.object_name = queue
        od.object_q_mgr_name = manager
        if user:
            od.alternate_user_id = user
        handle = self._call(self.mqi.open, od, options)
        while len(self._outputs) >= self.cache_size:
            self._forget(next(iter(self._outputs)))
        self._outputs[key] = handle
        return handle

    def _forget(self, key: tuple[str, str, int, str]) -> None:
        handle = self._outputs.pop(key, None)
        if handle is not None:
            try:
                self._call(self.mqi.close, handle)
            except MQError:
                if self.is_broken:
                    raise

    def _call(self, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except NotConnected:
            self.is_broken = True
            raise
        except NoMessageAvailable:
            raise
        except MQError:
            self.errors += 1
            raise
