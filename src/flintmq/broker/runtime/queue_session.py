"""The queue manager, seen by one instance of a flow: one connection, its open queues and its unit of work.

An input queue is opened once, for input, browse of attributes and saved context. Output queues are opened when first
used and stay open: at most `cache_size` of them (30, B261), the one that was not used for longest is closed first.

A put that ends a flow (`Put.ends_flow`) is kept, and sent with the commit and the next get in one write (late.py), if
the queue manager takes calls so; its refusal is raised by `commit` then. Everything else is done at once, behind what
is kept.

Calls raise MQError. `is_broken` tells that the connection is gone: uncommitted work is backed out by the queue
manager, and the instance makes a new session.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.services import Publication, Put, Written
from flintmq.broker.runtime.late import Late, LateOutputs
from flintmq.broker.runtime.refusal import publish_refused, put_refused
from flintmq.client.remote.together import LaterGet
from flintmq.client.set_aside import dead_letter
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import MQError, NoMessageAvailable, NotConnected
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

#: Open output queues per instance, unless `queueCacheMaxSize` says otherwise.
CACHE_SIZE: Final = 30
#: Never read ahead, even with DEFREADA(YES): the next get leaves with the output or the commit and needs no exchange of
#: its own, and messages that were sent ahead outside of a unit of work would be lost when the flow stops.
_INPUT: Final = (
    mq.MQOO_INPUT_SHARED
    | mq.MQOO_INQUIRE
    | mq.MQOO_SAVE_ALL_CONTEXT
    | mq.MQOO_FAIL_IF_QUIESCING
    | mq.MQOO_NO_READ_AHEAD
)
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
#: An open output queue: its name, its queue manager, the options of the open and the alternate user.
HandleKey = tuple[str, str, int, str]
_GET: Final = mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
_ID_LENGTH: Final = 24
#: A name that no queue has: an open of it tells whether the broker may act for others.
_NO_QUEUE: Final = "FLINTMQ.BROKER.NO.SUCH.QUEUE"
_PERSISTENT: Final = 1


class Manager(Protocol):
    """A connected queue manager: the part of `flintmq.connect()` that a session needs."""

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


@dataclass(slots=True)
class InputOptions:
    """Get options of an input node, from its properties."""

    #: MQGMO_*
    options: int = 0
    message_id: bytes = b""
    correlation_id: bytes = b""
    #: Encoding and character set to convert to; None for those of this machine.
    encoding: int | None = None
    ccsid: int | None = None
    #: The node browses: its messages stay on the queue.
    browse: bool = False
    #: Browsing begins anew when no message came for this time; -1: never.
    reset_browse_ms: int = -1


class InputSource:
    """An open input queue with the options of its node: `Source` of ordering.py."""

    def __init__(self, session: QueueSession, queue: InputQueue, mode: str, options: InputOptions) -> None:
        self.session = session
        self.queue = queue
        self.mode = mode
        self.options = options
        #: The get that is sent with a commit, made once.
        self.following: LaterGet | None = None
        self._browsed = 0.0
        self._begins = True

    def get(self, wait_ms: int) -> tuple[MQMD, bytes] | None:
        """Get the next message; None if there is none within the wait."""
        if not self.options.browse:
            return self.session.get(self.queue, self.mode, wait_ms, self.options)
        reset_ms = self.options.reset_browse_ms
        now = time.monotonic()
        if 0 <= reset_ms <= (now - self._browsed) * 1000:
            self._begins = True
        got = self.session.browse(self.queue, self._begins, wait_ms, -1, self.options)
        if got is not None:
            self._begins = False
            self._browsed = time.monotonic()
        return got

    def browse(self, first: bool, wait_ms: int, with_data: bool) -> tuple[MQMD, bytes] | None:
        """Browse a message; without data, only its descriptor."""
        return self.session.browse(self.queue, first, wait_ms, -1 if with_data else 0, self.options)

    def get_browsed(self) -> tuple[MQMD, bytes] | None:
        """Get the message that was browsed last."""
        return self.session.get(self.queue, self.mode, 0, self.options, under_cursor=True)


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
        #: The name of the queue manager, once a message was put to its dead-letter queue.
        self.name = ""
        self._acts_for_others: bool | None = None
        self._outputs: OrderedDict[HandleKey, Any] = OrderedDict()
        self._late = LateOutputs(self.mqi)
        #: Why the get that was sent with a commit has failed.
        self._get_error: MQError | None = None
        #: The handle that the message under way was got through: where its context is saved.
        self._source: Any = None

    # Input.

    def open_input(self, queue: str, browse: bool = False, exclusive: bool = False) -> InputQueue:
        """Open the queue of an input node; with `browse`, messages are looked at before they are got."""
        od = MQOD()
        od.object_name = queue
        options = _INPUT | (mq.MQOO_BROWSE if browse else 0)
        if exclusive:
            options = options & ~mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
        handle = self._call(self.mqi.open, od, options)
        found = InputQueue(queue, handle, 0, "")
        self.refresh(found)
        return found

    def refresh(self, queue: InputQueue) -> None:
        """Read BOTHRESH and BOQNAME as they are now."""
        found = self._call(self.mqi.inq, queue.handle, [mq.MQIA_BACKOUT_THRESHOLD, mq.MQCA_BACKOUT_REQ_Q_NAME])
        queue.threshold = found.integers[0]
        queue.backout_queue = found.characters[0].strip()

    def source(self, queue: InputQueue, mode: str, options: InputOptions) -> InputSource:
        """Return the messages of an input queue, as a node wants them."""
        return InputSource(self, queue, mode, options)

    def get(
        self,
        queue: InputQueue,
        mode: str,
        wait_ms: int,
        options: InputOptions | None = None,
        under_cursor: bool = False,
    ) -> tuple[MQMD, bytes] | None:
        """Get the next message; None if there is none within the wait. `mode` is `transactionMode`."""
        self.flush()
        error, self._get_error = self._get_error, None
        if error is not None:
            raise error
        md, gmo = _wish(mode, wait_ms, options)
        if under_cursor:
            md.msg_id = md.correl_id = bytes(_ID_LENGTH)
            gmo.options = gmo.options & ~(mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE | mq.MQGMO_WAIT)
            gmo.options |= mq.MQGMO_MSG_UNDER_CURSOR
        try:
            data: bytes = self._call(self.mqi.get, queue.handle, md, gmo)
        except NoMessageAvailable:
            return None
        return self._got(queue, mode, md, data)

    def _got(self, queue: InputQueue, mode: str, md: MQMD, data: bytes) -> tuple[MQMD, bytes]:
        self._source = queue.handle
        self.in_unit = self.in_unit or mode != "no" and (mode == "yes" or md.persistence == _PERSISTENT)
        if md.backout_count:
            try:
                self.refresh(queue)
            except MQError:
                if self.is_broken:
                    raise
                # The old values stay. The message is in the unit of work: an error here would leave it there unhandled.
        return md, data

    def browse(
        self, queue: InputQueue, first: bool, wait_ms: int, length: int, options: InputOptions
    ) -> tuple[MQMD, bytes] | None:
        """Browse the first or next message of an input queue; at most `length` bytes of it, -1 for all of them."""
        self.flush()
        md, gmo = _descriptor(options), MQGMO()
        gmo.options = _GET | mq.MQGMO_NO_SYNCPOINT | (mq.MQGMO_BROWSE_FIRST if first else mq.MQGMO_BROWSE_NEXT)
        gmo.options |= options.options & ~(mq.MQGMO_ALL_MSGS_AVAILABLE | mq.MQGMO_LOGICAL_ORDER)
        if length >= 0:
            gmo.options = (gmo.options | mq.MQGMO_ACCEPT_TRUNCATED_MSG) & ~mq.MQGMO_CONVERT
        if wait_ms:
            gmo.options |= mq.MQGMO_WAIT
            gmo.wait_interval = wait_ms
        try:
            data: bytes = self._call(self.mqi.get, queue.handle, md, gmo, length)
        except NoMessageAvailable:
            return None
        self._source = None  # A browse saves no context to pass on.
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
        self.flush()
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
        """Put a message of an output node, or keep it for the commit. Raise BrokerError for one kept before."""
        md = put.md
        to_open, to_put = _CONTEXTS.get(put.context, _CONTEXTS["default"])
        if put.context in _PASSES and self._source is None:
            to_open, to_put = _CONTEXTS["default"]
        pmo = MQPMO()
        pmo.options = mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_SYNC_RESPONSE | to_put
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
        if put.ends_flow and self._late.takes(put.transactional, self.in_unit, len(put.data)):
            if key not in self._outputs or self._late.is_too_long(put.data):
                self.flush()  # An error from here on must not hide the refusal of an earlier output.
            self._call(self._late.put, self._handle(*key), md, pmo, put, key)
            self.in_unit = self.in_unit or put.transactional
            return Written(put.queue, put.queue_manager, md.msg_id, md.correl_id, md.group_id)
        self.flush()
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
        """Publish a message on each of its topics, or keep it; return whether a subscription matched."""
        length = len(publication.data)
        keeps = publication.ends_flow and self._late.takes(publication.transactional, self.in_unit, length)
        if not keeps:
            self.flush()
        matched = False
        user = publication.md.user_identifier.strip()
        for topic in publication.topics:
            od = MQOD()
            od.version = 4
            od.object_type = mq.MQOT_TOPIC
            od.object_string = topic
            pmo = MQPMO()
            pmo.version = 3
            pmo.options = mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_SYNC_RESPONSE | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
            pmo.options |= mq.MQPMO_SYNCPOINT if publication.transactional else mq.MQPMO_NO_SYNCPOINT
            pmo.options |= mq.MQPMO_RETAIN if publication.retained else 0
            if user and self.acts_for_others():
                od.alternate_user_id = user
                pmo.options |= mq.MQPMO_ALTERNATE_USER_AUTHORITY
            if keeps:
                self._call(self._late.publish, od, pmo, publication)
                self.in_unit = self.in_unit or publication.transactional
                continue
            try:
                self._call(self.mqi.put1, od, publication.md.copy(), pmo, publication.data)
                matched = True
            except MQError as error:
                if error.reason != rc.MQRC_NO_SUBS_MATCHED:
                    raise
            self.in_unit = self.in_unit or publication.transactional
        return matched

    def acts_for_others(self) -> bool:
        """Return whether the broker may use the authority of other users (+altusr on the queue manager)."""
        if self._acts_for_others is None:
            od = MQOD()
            od.object_name, od.alternate_user_id = _NO_QUEUE, self.application[:12] or "nobody"
            reason = 0
            try:
                self.mqi.close(self.mqi.open(od, mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY))
            except NotConnected:
                self.is_broken = True
                raise
            except MQError as error:
                reason = error.reason  # Unknown object, if the broker may; not authorised, if it may not.
            self._acts_for_others = reason != rc.MQRC_NOT_AUTHORIZED
        return self._acts_for_others

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
        dead, packed = dead_letter(md, data, queue.name, self.name, rc.MQRC_BACKOUT_THRESHOLD_REACHED, *_now())
        self._put_aside(target, dead, packed)
        return target

    def put_dead(self, md: MQMD, data: bytes, queue: str, q_mgr: str, reason: int) -> str:
        """Put a message that could not go to `queue` to the dead-letter queue; return its name. Raise MQError."""
        target = self.dead_letter_queue()
        if not target:
            raise MQError(f"{queue} does not take a message, and there is no dead-letter queue (DEADQ)", reason)
        dead, packed = dead_letter(md, data, queue, q_mgr or self.name, reason, *_now())
        self._put_aside(target, dead, packed)
        return target

    def _put_aside(self, target: str, md: MQMD, data: bytes) -> None:
        options = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
        pmo = MQPMO()
        pmo.options = mq.MQPMO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_SYNC_RESPONSE
        if self._source is not None:
            options |= mq.MQOO_PASS_ALL_CONTEXT
            pmo.options |= mq.MQPMO_PASS_ALL_CONTEXT
            pmo.context = self._source.number
        self.in_unit = True
        md.backout_count = 0
        self._call(self.mqi.put, self._handle(target, "", options, ""), md, pmo, data)

    def dead_letter_queue(self) -> str:
        """Return DEADQ of the queue manager; empty if there is none."""
        od = MQOD()
        od.object_type = mq.MQOT_Q_MGR
        handle = self._call(self.mqi.open, od, mq.MQOO_INQUIRE)
        try:
            found = self._call(self.mqi.inq, handle, [mq.MQCA_DEAD_LETTER_Q_NAME, mq.MQCA_Q_MGR_NAME])
        finally:
            self._call(self.mqi.close, handle)
        name: str = found.characters[0].strip()
        self.name = found.characters[1].strip()
        return name

    # Units of work.

    def commit(self) -> None:
        """Commit the unit of work, if it holds anything. Raise BrokerError for an output that was kept."""
        if self._late:
            self._end(True, None, _nothing)
        elif self.in_unit:
            self.in_unit = False
            self._call(self.mqi.cmit)
            self.commits += 1
        self._source = None

    def commit_and_get(
        self, source: InputSource, wait_ms: int, committed: Callable[[], None]
    ) -> tuple[MQMD, bytes] | None:
        """Commit, and get the next message, with one write if the queue manager takes calls so.

        None if there is no message within the wait, or if it is to be asked for by `get`. `committed` is called as soon
        as the unit of work is committed. Exceptions come from the commit; a get that fails makes the next `get`
        raise.
        """
        handle = source.queue.handle
        if not self._late.chains or source.options.browse or handle.ability:
            self.commit()
            committed()
            return None
        if source.following is None:
            source.following = LaterGet(self.mqi, handle, *_wish(source.mode, wait_ms, source.options))
        return self._end(True, source.following, committed, source.queue, source.mode)

    def flush(self) -> None:
        """Send the deferred outputs and check their results. Raise BrokerError."""
        if self._late:
            self._end(False, None, _nothing)

    def _end(
        self,
        commits: bool,
        following: LaterGet | None,
        committed: Callable[[], None],
        queue: InputQueue | None = None,
        mode: str = "",
    ) -> tuple[MQMD, bytes] | None:
        """Send the deferred outputs, the commit and the next get together."""
        commits = commits and self.in_unit
        was_settled = False

        def settled() -> None:
            nonlocal was_settled
            if self._late.error is None:
                was_settled = True
                self._committed(commits)
                committed()

        try:
            self._call(self._late.send, commits, following, settled)
        except NotConnected:
            if was_settled:
                return None  # The connection was lost while the get waited.
            raise
        if not was_settled:
            self.errors += 1
            self._again(self._late.refused())
            if commits:
                self._call(self.mqi.cmit)
            self._committed(commits)
            committed()
            return None
        if following is None or queue is None:
            return None
        if following.error is not None:
            if not isinstance(following.error, NoMessageAvailable):
                self.errors += 1
                self._get_error = following.error
            return None
        if following.md is None:
            return None
        try:
            return self._got(queue, mode, following.md, following.data)
        except NotConnected:
            return None  # The unit of work before it is committed all the same.

    def _committed(self, commits: bool) -> None:
        """Record that the deferred outputs were put and, if it `commits`, that the unit of work is committed."""
        if commits:
            self.in_unit = False
            self.commits += 1
        self._source = None if commits else self._source

    def _again(self, refused: list[Late]) -> None:
        """Repeat puts that failed on stale handles. Raise any other refusal of an output, or that of the commit.

        The queue manager has committed nothing then (together.py, K1).
        """
        for late in refused:
            error = late.call.error
            assert error is not None
            if late.key is None:
                raise publish_refused(late.node, late.names, error) from error
            if error.reason not in _STALE:
                raise put_refused(late.node, late.names[0], error) from error
        if not refused:
            error = self._late.error
            assert error is not None
            raise error
        for late in refused:
            assert late.key is not None
            self._forget(late.key)
        for late in refused:
            assert late.key is not None
            try:
                self._call(self.mqi.put, self._handle(*late.key), late.md, late.pmo, late.data)
            except MQError as error:
                raise put_refused(late.node, late.names[0], error) from error

    def backout(self) -> None:
        """Back out the unit of work, if it holds anything."""
        if self._late and not self.in_unit and not self.is_broken:
            try:
                self.flush()  # It was put outside of a unit of work, so it stays.
            except BrokerError:
                self.errors += 1
        self._late.drop()
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
        """Disconnect. Uncommitted work is backed out."""
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

    def _forget(self, key: HandleKey) -> None:
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


def _wish(mode: str, wait_ms: int, options: InputOptions | None) -> tuple[MQMD, MQGMO]:
    """Return descriptor and options of a get of an input node."""
    md, gmo = _descriptor(options), MQGMO()
    gmo.options = _GET | _SYNCPOINT.get(mode, mq.MQGMO_SYNCPOINT)
    if options is not None:
        gmo.options |= options.options
        gmo.version = 2  # MQGMO_LOGICAL_ORDER and MQGMO_ALL_MSGS_AVAILABLE need it.
    if wait_ms:
        gmo.options |= mq.MQGMO_WAIT
        gmo.wait_interval = wait_ms
    return md, gmo


def _nothing() -> None:
    """Do nothing."""


def _descriptor(options: InputOptions | None) -> MQMD:
    """Return the descriptor of a get: its match values and the target of conversion."""
    md = MQMD()
    md.version = 2
    if options is not None:
        if options.message_id:
            md.msg_id = options.message_id
        if options.correlation_id:
            md.correl_id = options.correlation_id
        if options.encoding is not None:
            md.encoding = options.encoding
        if options.ccsid is not None:
            md.coded_char_set_id = options.ccsid
    return md


def _now() -> tuple[str, str]:
    """Return date and time as message descriptors have them."""
    now = time.gmtime()
    return time.strftime("%Y%m%d", now), time.strftime("%H%M%S00", now)
