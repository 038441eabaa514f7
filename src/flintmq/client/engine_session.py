"""One connection to the engine, call by call. Compiled. No call waits here: thread_session.py and aio.py do.

    put, put1, commit   return the log position to wait for
    get                 True: the answer is there; False: parked, and `wake` will be called
      finish_get        after wake: True with the answer, False if the message was moved away and the get begins anew
      give_up           after a timeout: False if the answer has come after all
      cancel_get        the owner has gone: a message that was got goes back to the queue
      undo_get          the owner has gone after finish_get, for a get in the application's own unit of work

A get that waits outside of a unit of work is made in an internal one, which is committed when its owner is awake and
has the message. So a message is never lost between the two, by a cancellation, an interrupt or a crash.

Poison messages: if the queue has BOTHRESH and the message was backed out that often, it is moved to BOQNAME, or to the
dead-letter queue with the reason 2362, in a unit of work of its own, and the get goes on to the next message. If
neither takes it, the application gets it. This is what MQ's classes for JMS do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from flintmq.client.explain import refusal, refuse_selector
from flintmq.client.request import OPTIONS, reply_queue_descriptor
from flintmq.client.request import SCHEME as SCHEME
from flintmq.host.host_core import HandleCache, HostCore, begin, begin_undo, end, settle
from flintmq.mqi.call_errors import MQError, NotConverted, Truncated, error_class
from flintmq.mqi.constants import (
    MQFMT_DEAD_LETTER_HEADER,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_OUTPUT,
    MQOT_TOPIC,
    MQPMO_SET_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_blocks import add_block
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_BACKOUT_THRESHOLD_REACHED,
    MQRC_CALL_IN_PROGRESS,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HCONN_ASYNC_ACTIVE,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_PAGESET_FULL,
    MQRC_Q_DELETED,
    MQRC_RESOURCE_PROBLEM,
)
from flintmq.qmgr.connection import WAITING, Handle, Waiter, fill_descriptor, number
from flintmq.qmgr.connection import Message as EngineMessage

_STALE: Final = (MQRC_Q_DELETED, MQRC_HOBJ_ERROR)
_SYNCPOINTS: Final = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT


class EngineSession:
    """One engine connection. Used by one thread or task at a time, except for `wake`."""

    def __init__(self, host: HostCore, application: str, user: str) -> None:
        self.host = host
        self.engine = host.engine
        self.connection = host.connect(application, user)
        self.handles = HandleCache(host.engine, self.connection)
        host.idle_handles[self.connection.connection_id] = self.handles
        #: The log position that the last get has to wait for.
        self.force: int = 0
        #: Of a put without properties; a put with some has its own.
        self._pmo = MQPMO()
        self._waiter: Waiter | None = None
        self._replies: tuple[Handle, str] | None = None
        self._mark: int = 0
        self._own_unit = False
        self._threshold: int = 0
        #: Fields of the descriptor as the application set them, before a get wrote its answer into it.
        self._wish: tuple[bytes, bytes, int, int] = (NO_ID, NO_ID, 0, 0)

    # -- opening ----------------------------------------------------------------------------------------------------

    def open(self, name: str, options: int, selector: str = "") -> Handle:
        """Open a queue (MQOPEN), for messages that `selector` selects if there is one. Raise MQError by reason."""
        with self.host.call:
            return self._open(name, options, selector)

    def _open(self, name: str, options: int, selector: str = "") -> Handle:
        od = MQOD()
        od.object_name = name
        if selector:
            od.version = 4
            od.selection_string = selector
        handle = self._opened(od, options)
        if handle is None:
            if selector:
                refuse_selector(self.connection.reason, selector)
            resolved = self.engine.catalogue.resolve(name, "").queue
            queue = self.engine.queues.get(resolved.name) if resolved is not None else None
            raise refusal(self.engine, self.connection.reason, name, queue)
        handle.host_reads = True
        return handle

    def reply_queue(self) -> tuple[Handle, str]:
        """Return a temporary dynamic queue for replies: (handle, name). Make it if there is none, or it was deleted."""
        kept = self._replies
        if kept is not None and kept[0].open and kept[0].queue is not None and not kept[0].queue.deleted:
            return kept
        od = reply_queue_descriptor()
        with self.host.call:
            handle = self._opened(od, OPTIONS)
            if handle is None:
                raise refusal(self.engine, self.connection.reason, od.object_name)
            handle.host_reads = True
        self._replies = made = (handle, od.object_name)
        return made

    def close_handle(self, handle: Handle) -> None:
        """Close a handle of this connection (MQCLOSE), unless it is closed."""
        host = self.host
        if host.state:
            return
        with host.call:
            if handle.open:
                self.engine.close_handle(self.connection, handle)
                settle(host, self.connection)

    def _opened(self, od: MQOD, options: int) -> Handle | None:
        """Open an object (MQOPEN). If the connection has MAXHANDS handles open, close the cached ones first."""
        handle = self.engine.open(self.connection, od, options)
        if handle is None and self.connection.reason == MQRC_HANDLE_NOT_AVAILABLE:
            self.handles.close_idle()
            handle = self.engine.open(self.connection, od, options)
        return handle

    def selecting(self, name: str, selector: str) -> Handle:
        """Return a handle for gets from the queue `name` with a selector: a cached one if there is one."""
        with self.host.call:
            handle = self.handles.selecting.pop((name, selector), None)
            if handle is None:
                return self._selecting_handle(name, selector)
            self.handles.selecting[name, selector] = handle  # The last one is the last that was used.
            return handle

    def _selecting_handle(self, name: str, selector: str) -> Handle:
        handle = self._open(name, MQOO_INPUT_AS_Q_DEF, selector)
        self.handles.keep_selecting(name, selector, handle)
        return handle

    def _put_handle(self, name: str) -> Handle:
        if name.startswith(SCHEME):
            return self._topic_handle(name)
        handle = self._open(name, MQOO_OUTPUT)
        self.handles.put[name] = handle
        return handle

    def _topic_handle(self, name: str) -> Handle:
        kept = self.handles.topics.get(name)
        if kept is not None:
            return kept
        od = MQOD()
        od.version = 4
        od.object_type = MQOT_TOPIC
        od.object_string = name[len(SCHEME) :]
        handle = self._opened(od, MQOO_OUTPUT)
        if handle is None:
            raise refusal(self.engine, self.connection.reason, name)
        self.handles.keep_topic(name, handle)
        return handle

    def _get_handle(self, name: str) -> Handle:
        handle = self._open(name, MQOO_INPUT_AS_Q_DEF)
        self.handles.get[name] = handle
        return handle

    # -- put --------------------------------------------------------------------------------------------------------

    def put(
        self,
        name: str,
        md: MQMD,
        options: int,
        data: bytes,
        properties: MessageProperties | None = None,
        delay_ms: int = 0,
    ) -> int:
        """Put to the queue `name` (MQPUT), delayed by `delay_ms`. Return the log position to wait for."""
        host = self.host
        if host.state:
            host.refuse()
        connection = self.connection
        pmo = self._pmo if properties is None else MQPMO()
        pmo.options = options
        begin(host)
        try:
            handle = self.handles.put.get(name)
            if handle is None:
                handle = self._put_handle(name)
            if properties is not None:
                self.engine.lend_message_handle(connection, pmo, properties)
            if delay_ms:
                reason = self.engine.put_delayed(connection, handle, md, pmo, data, delay_ms)
            else:
                reason = self.engine.put(connection, handle, md, pmo, data)
            if reason and connection.completion == MQCC_FAILED:
                self._put_again(reason, name, handle, md, pmo, data, delay_ms)
            return settle(host, connection)
        except MQError:
            raise
        except BaseException as error:
            host.fail(error)
        finally:
            if properties is not None:
                connection.message_handles.pop(pmo.new_msg_handle, None)
            end(host)

    def _put_again(
        self, reason: int, name: str, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes, delay_ms: int
    ) -> None:
        """Repeat a put that failed for a stale handle, a full log or a full page set. Raise if it fails again."""
        connection = self.connection
        if reason in _STALE:
            self._forget(self.handles.topics if name.startswith(SCHEME) else self.handles.put, name, handle)
            handle = self._put_handle(name)
            reason = self.engine.put_delayed(connection, handle, md, pmo, data, delay_ms)
        if (reason == MQRC_RESOURCE_PROBLEM and self.host.make_room()) or (
            reason == MQRC_PAGESET_FULL and self.host.disk_has_room()
        ):
            reason = self.engine.put_delayed(connection, handle, md, pmo, data, delay_ms)
        if self.engine.notices:
            self.host.write_notices()
        if reason and connection.completion == MQCC_FAILED:
            raise refusal(self.engine, reason, name, handle.queue, len(data))

    def _forget(self, handles: dict[str, Handle], name: str, handle: Handle) -> None:
        handles.pop(name, None)
        if handle.open:
            self.engine.close_handle(self.connection, handle)

    # -- get --------------------------------------------------------------------------------------------------------

    def get(
        self,
        name: str,
        md: MQMD,
        gmo: MQGMO,
        max_length: int,
        requeue: bool,
        wake: Callable[[], None],
        handle: Handle | None = None,
    ) -> bool:
        """Get from the queue `name`, or through `handle` (MQGET). Return False if the get is parked."""
        host = self.host
        if host.state:
            host.refuse()
        connection = self.connection
        if connection.waiter is not None:
            raise MQError(
                "another get waits on this connection; a connection makes one call at a time", MQRC_CALL_IN_PROGRESS
            )
        begin(host)
        try:
            if handle is None:
                handle = self.handles.get.get(name)
                if handle is None:
                    handle = self._get_handle(name)
            unit = connection.unit
            self._mark = 0 if unit is None else len(unit.work)
            in_unit = gmo.options & MQGMO_SYNCPOINT != 0
            self._own_unit = unit is None and not in_unit
            self._threshold = self._backout_threshold(handle) if requeue and (in_unit or unit is None) else 0
            if self._threshold:
                self._wish = (md.msg_id, md.correl_id, md.coded_char_set_id, md.encoding)
                if not in_unit:
                    gmo.options = gmo.options & ~_SYNCPOINTS | MQGMO_SYNCPOINT
            while True:
                reason = self.engine.get(connection, handle, md, gmo, max_length)
                if reason == WAITING:
                    return self._park(gmo, wake)
                if reason and connection.completion == MQCC_FAILED:
                    handle, again = self._get_again(reason, name, handle)
                    if again:
                        continue
                if self._threshold and self._move_away(handle, md):
                    continue
                self._got()
                return True
        except MQError:
            raise
        except BaseException as error:
            host.fail(error)
        finally:
            end(host)

    def _backout_threshold(self, handle: Handle) -> int:
        queue = handle.queue
        return 0 if queue is None else number(queue.definition.attributes["BOTHRESH"])

    def _park(self, gmo: MQGMO, wake: Callable[[], None]) -> bool:
        """Register the wait of a get. Outside of a unit of work, it is to be completed in an internal one."""
        self._waiter = self.connection.waiter
        if self._own_unit:
            gmo.options = gmo.options & ~_SYNCPOINTS | MQGMO_SYNCPOINT
        self.host.parked[self.connection.connection_id] = wake
        settle(self.host, self.connection)
        return False

    def _get_again(self, reason: int, name: str, handle: Handle) -> tuple[Handle, bool]:
        """Return the handle to use, and whether to try a failed get again. Raise if a second try makes no sense."""
        if reason in _STALE and self.handles.get.get(name) is handle:
            self._forget(self.handles.get, name, handle)
            return self._get_handle(name), True
        if reason in _STALE:
            pair = self.handles.forget_selecting(handle)
            if pair is not None:
                return self._selecting_handle(*pair), True
        if reason == MQRC_RESOURCE_PROBLEM and self.host.make_room():
            return handle, True
        settle(self.host, self.connection)
        raise refusal(self.engine, reason, name, handle.queue)

    def _got(self) -> None:
        """Complete a get: commit the internal unit of work, and set the log position to wait for (H3)."""
        connection = self.connection
        completion, reason = connection.completion, connection.reason
        if self._own_unit and connection.unit is not None:
            failed = self.engine.commit(connection)
            if failed == MQRC_RESOURCE_PROBLEM and self.host.make_room():
                failed = self.engine.commit(connection)
            if failed:
                self.engine.take_back(connection, self._mark)
                settle(self.host, connection)
                raise refusal(self.engine, failed, "")
        force = settle(self.host, connection)
        message = connection.message
        if message is not None and message.log_end > force and message.log_end > self.host.log.durable:
            force = message.log_end  # The put is committed, but not on disk yet.
        self.force = force
        connection.completion, connection.reason = completion, reason

    def finish_get(self, md: MQMD) -> bool:
        """Finish a get after `wake`. Return False if it has to begin anew. Raise the error that ended the get."""
        host = self.host
        if host.state:
            host.refuse()
        connection = self.connection
        waiter = self._waiter
        assert waiter is not None
        begin(host)
        try:
            self._waiter = None
            if connection.completion == MQCC_FAILED:
                handle = waiter.handle
                raise refusal(self.engine, connection.reason, handle.object_name, handle.queue)
            if self._threshold and self._move_away(waiter.handle, md):
                return False
            self._got()
            return True
        except MQError:
            raise
        except BaseException as error:
            host.fail(error)
        finally:
            end(host)

    def give_up(self) -> bool:
        """End the wait after a timeout. Return False if the answer has come after all."""
        host = self.host
        waiter = self._waiter
        assert waiter is not None
        with host.call:
            if waiter.done:
                return False
            host.parked.pop(self.connection.connection_id, None)
            self.engine.end_wait(waiter)
            if waiter.handle.queue is not None:
                waiter.handle.queue.counts.get_missed += 1
            self._waiter = None
            return True

    def nothing(self, name: str) -> MQError:
        """Return the error of a get that found no message."""
        with self.host.call:
            handle = self.handles.get.get(name)
            return refusal(self.engine, MQRC_NO_MSG_AVAILABLE, name, handle.queue if handle is not None else None)

    def cancel_get(self) -> None:
        """End a wait after its owner has gone. A message that was got goes back to its place on the queue."""
        host = self.host
        waiter = self._waiter
        self._waiter = None
        if host.state or waiter is None or not begin_undo(host):
            return
        try:
            host.parked.pop(self.connection.connection_id, None)
            if not waiter.done:
                self.engine.end_wait(waiter)
            else:
                self.engine.take_back(self.connection, self._mark)
                settle(host, self.connection)
        except BaseException as error:
            host.fail(error)
        finally:
            end(host)

    def undo_get(self) -> None:
        """Take a message out of the application's unit of work: its owner did not wait until it was durable."""
        host = self.host
        if host.state or self._own_unit or not begin_undo(host):
            return
        try:
            self.engine.take_back(self.connection, self._mark)
            settle(host, self.connection)
        except BaseException as error:
            host.fail(error)
        finally:
            end(host)

    def warning(self, name: str) -> MQError | None:
        """Return the error for an answer with a warning that the application should see, or None."""
        connection = self.connection
        if connection.completion != MQCC_WARNING:
            return None
        kind = error_class(connection.reason)
        error = kind("", connection.reason, MQCC_WARNING)
        if isinstance(error, Truncated):
            error = Truncated(
                f"a message on {name} has {connection.data_length} bytes", connection.reason, MQCC_WARNING
            )
            error.data, error.data_length = connection.data, connection.data_length
            return error
        if isinstance(error, NotConverted):
            error.data = connection.data
            return error
        return None

    # -- poison messages --------------------------------------------------------------------------------------------

    def backout_threshold(self, handle: Handle) -> int:
        """Return the current BOTHRESH of the queue, 0 for never."""
        with self.host.call:
            return self._backout_threshold(handle)

    def move_consumed(self, handle: Handle, md: MQMD, message: EngineMessage | None) -> bool:
        """Move a poison message of an asynchronous consumer, from its unit of work. Return whether it was moved."""
        connection = self.connection
        with self.host.call:
            self._mark = 0
            self._threshold = self._backout_threshold(handle)
            connection.completion, connection.message = MQCC_OK, message
            return self._threshold > 0 and self._move_away(handle, md)

    def _move_away(self, handle: Handle, md: MQMD) -> bool:
        """Move the message just got if it was backed out too often. Return whether it was moved. Under the lock."""
        connection = self.connection
        queue, unit, message = handle.queue, connection.unit, connection.message
        if connection.completion != MQCC_OK or md.backout_count < self._threshold:
            return False
        if queue is None or unit is None or message is None:
            return False
        keeper = self.host.housekeeper()
        target = queue.definition.text("BOQNAME")
        if not (target and self._put_aside(target, message, False)):
            target = self.engine.dead_letter_queue
            if not (target and self._put_aside(target, message, True)):
                self.engine.notice("AMQ7311W", f"Message backed out {md.backout_count} times stays on {queue.name}.")
                self.engine.back(keeper)
                return False
        moved = unit.work[self._mark :]
        unit.work = unit.work[: self._mark]
        if not unit.work:
            connection.unit = None
        assert keeper.unit is not None
        keeper.unit.work.extend(moved)
        reason = self.engine.commit(keeper)
        if reason == MQRC_RESOURCE_PROBLEM and self.host.make_room():
            reason = self.engine.commit(keeper)
        if reason:
            self.engine.back(keeper)
            raise refusal(self.engine, reason, target)
        settle(self.host, keeper)
        md.msg_id, md.correl_id, md.coded_char_set_id, md.encoding = self._wish
        return True

    def _put_aside(self, target: str, message: EngineMessage, dead: bool) -> bool:
        """Put a copy of `message` to `target`, with its descriptor, in the unit of work of the housekeeper."""
        md = MQMD()
        md.version = 2
        fill_descriptor(message, md, self.engine.clock.now_ms())
        if md.expiry == 0:
            md.expiry = 1
        data = message.data
        if dead:
            header = MQDLH()
            header.reason = MQRC_BACKOUT_THRESHOLD_REACHED
            header.dest_q_name = message.queue.name
            header.dest_q_mgr_name = self.engine.name
            header.encoding, header.coded_char_set_id, header.format = md.encoding, md.coded_char_set_id, md.format
            header.put_appl_type, header.put_appl_name = md.put_appl_type, md.put_appl_name
            header.put_date, header.put_time = self.engine.put_date, self.engine.put_time
            data = header.pack() + data
            md.format = MQFMT_DEAD_LETTER_HEADER
            md.encoding, md.coded_char_set_id = 546, 1208
        od = MQOD()
        od.object_name = target
        pmo = MQPMO()
        pmo.options = MQPMO_SYNCPOINT | MQPMO_SET_ALL_CONTEXT
        keeper = self.host.housekeeper()
        if message.properties:
            properties = MessageProperties()
            add_block(properties, message.properties)
            self.engine.lend_message_handle(keeper, pmo, properties)
        moved = self.engine.put1(keeper, od, md, pmo, data) == 0 or keeper.completion != MQCC_FAILED
        keeper.message_handles.pop(pmo.new_msg_handle, None)
        return moved

    # -- units of work ----------------------------------------------------------------------------------------------

    def commit(self) -> int:
        """Commit the unit of work (MQCMIT). Return the log position to wait for."""
        host = self.host
        if host.state:
            host.refuse()
        connection = self.connection
        begin(host)
        try:
            reason = self.engine.commit(connection)
            if reason == MQRC_RESOURCE_PROBLEM and host.make_room():
                reason = self.engine.commit(connection)
            force = settle(host, connection)
            if reason:
                self._not_committed(reason)
            return force
        except MQError:
            raise
        except BaseException as error:
            host.fail(error)
        finally:
            end(host)

    def _not_committed(self, reason: int) -> NoReturn:
        raise refusal(self.engine, reason, "", None, 0, self.connection.completion)

    def backout(self) -> None:
        """Back the unit of work out (MQBACK)."""
        host = self.host
        if host.state:
            host.refuse()
        begin(host)
        try:
            reason = self.engine.back(self.connection)
            settle(host, self.connection)
            if reason == MQRC_HCONN_ASYNC_ACTIVE:
                raise refusal(self.engine, reason, "")
        except MQError:
            raise
        except BaseException as error:
            host.fail(error)
        finally:
            end(host)

    def has_work(self) -> bool:
        """Return whether there is uncommitted work."""
        unit = self.connection.unit
        return unit is not None and bool(unit.work)

    def close(self) -> None:
        """Disconnect. Uncommitted work is backed out."""
        self.host.drop(self.connection)
