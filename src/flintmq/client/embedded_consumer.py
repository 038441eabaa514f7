"""A consumer of a queue manager in this process: the callback of MQCB, on the thread of a connection (consumer.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.consumer import Consumer, Handler, goes_on
from flintmq.client.explain import refusal
from flintmq.client.message import Message, carried
from flintmq.client.mqi import MQI
from flintmq.client.options import get_options, wanted
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.cbc import MQCBC
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import (
    MQCBCT_MC_EVENT_CALL,
    MQCBCT_MSG_REMOVED,
    MQCBDO_MC_EVENT_CALL,
    MQCS_SUSPENDED_USER_ACTION,
    MQGMO_SYNCPOINT,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOP_REGISTER,
    MQOP_RESUME,
    MQOP_START,
    MQOP_SUSPEND,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQCC_FAILED

if TYPE_CHECKING:
    from flintmq.client.connection import Connection


class EmbeddedConsumer(Consumer):
    """A consumer of a queue manager in this process."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        callback: Handler,
        correlation_id: bytes | None,
        message_id: bytes | None,
        convert: bool,
        requeue_poison: bool,
        selector: str = "",
    ) -> None:
        super().__init__(name)
        self._callback = callback
        self._requeue = requeue_poison
        self._connection = connection
        self._mqi = MQI(connection)
        try:
            if not callable(callback):
                raise TypeError(f"a callback is a callable that takes a message, not {type(callback).__name__}")
            md, gmo = wanted(correlation_id, message_id), get_options(True, convert, False)
            self._handle = connection._session.open(name, MQOO_INPUT_AS_Q_DEF | MQOO_FAIL_IF_QUIESCING, selector)
            cbd = MQCBD()
            cbd.options = MQCBDO_MC_EVENT_CALL
            cbd.callback_function = self._called
            gmo.options |= MQGMO_SYNCPOINT
            self._mqi.cb(MQOP_REGISTER, cbd, self._handle, md, gmo)
            self._mqi.ctl(MQOP_START)
        except BaseException:
            connection.close()
            raise

    def suspend(self) -> None:
        self._mqi.ctl(MQOP_SUSPEND)

    def resume(self) -> None:
        self._mqi.ctl(MQOP_RESUME)

    def close(self) -> None:
        self._stopped.set()
        self._connection.close()

    # -- in the consumer's thread -----------------------------------------------------------------------------------

    def _called(self, mqi: MQI, md: MQMD, gmo: MQGMO, data: bytes, cbc: MQCBC) -> None:
        if cbc.call_type == MQCBCT_MSG_REMOVED and cbc.comp_code != MQCC_FAILED:
            registered = self._handle.consumer
            properties = carried(registered) if registered is not None else None
            self._consume(Message(data, md, self.queue_name, properties))
        elif cbc.call_type == MQCBCT_MC_EVENT_CALL and cbc.state == MQCS_SUSPENDED_USER_ACTION:
            host = self._connection._host
            error = refusal(host.engine, cbc.reason, self.queue_name, self._handle.queue)
            host.errors.write("AMQ5101E", f"The consumer of {self.queue_name} has stopped: {error}")
            self._stop(error)

    def _consume(self, message: Message) -> None:
        connection, session = self._connection, self._connection._session
        registered = self._handle.consumer
        if (
            self._requeue
            and registered is not None
            and session.move_consumed(self._handle, message.md, registered.message)
        ):
            return
        connection._in_transaction = True
        try:
            self._callback(message)
            connection._commit()
        except BaseException as error:
            if connection._host.state:
                return  # The queue manager is closed: the message is on its queue.
            connection._backout()
            again = goes_on(self._callback, error) or (self._requeue and session.backout_threshold(self._handle) > 0)
            self._report(message, error, again)
            if not again:
                self._stop(error)
        finally:
            connection._in_transaction = False

    def _stop(self, error: BaseException) -> None:
        """Stop delivery, and keep the reason in `error` for the application."""
        self.error = error
        try:
            self._mqi.cb(MQOP_SUSPEND, MQCBD(), self._handle)
        except MQError:
            pass  # Its queue is gone, or the connection; it is suspended anyway.
        self._stopped.set()

    def _report(self, message: Message, error: BaseException, again: bool) -> None:
        what = "and will come again" if again else "and the consumer has stopped"
        self._connection._host.errors.write(
            "AMQ5101E",
            f"The callback of {self.queue_name} raised {type(error).__name__}: {error}. The message was backed out, "
            f"for the {message.backout_count + 1}. time, {what}.",
            error,
        )
