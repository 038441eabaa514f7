"""A subscription over a channel, and the connection that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.subscribed import Subscribed
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.constants import MQCA_Q_NAME, MQSR_ACTION_PUBLICATION
from flintmq.mqi.reason import MQRC_NO_RETAINED_MSG
from flintmq.mqi.sd import MQSD

if TYPE_CHECKING:
    from flintmq.client.remote.connection import RemoteConnection


class RemoteSubscribed(Subscribed):
    """A subscription, and the connection that holds it."""

    def __init__(self, connection: RemoteConnection, sd: MQSD, queue: str | None) -> None:
        self.connection = connection
        self.sd = sd
        try:
            self.hobj, self.hsub, self.queue_name = connection._run(connection._queues.subscribe, sd, queue)
        except BaseException:
            self.closed = True
            connection.close()
            raise
        self.correlation_id = sd.sub_correl_id if queue is not None else None
        self._managed = queue is None

    def moved(self) -> bool:
        mqi = self.connection._mqi
        if mqi.reconnect is None or self.closed or not self._managed:
            return False
        before = self.queue_name
        said = mqi.inq(self.hobj, [MQCA_Q_NAME])
        self.queue_name = said.characters[0].strip()
        return self.queue_name != before

    def request(self) -> int:
        from flintmq.mqi.sro import MQSRO

        sro = MQSRO()
        try:
            self.connection._mqi.subrq(self.hsub, MQSR_ACTION_PUBLICATION, sro)
        except MQError as error:
            if error.reason != MQRC_NO_RETAINED_MSG:
                raise
        return sro.num_pubs

    def close(self, options: int) -> None:
        if self.closed:
            return
        self.closed = True
        if not self.connection._usable():
            return
        try:
            self.connection._owner_of._release(self.queue_name)
            self.connection._mqi.close(self.hsub, options)
        finally:
            self.connection.close()

    def __del__(self) -> None:
        if not self.closed:
            self.connection._mqi.wire.drop()
