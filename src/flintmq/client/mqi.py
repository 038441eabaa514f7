"""The MQI itself: MQOPEN, MQPUT, MQGET ... with MQ's own structures, for what the Python API has no words for.

    from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQGMO_WAIT
    from flintmq.mqi.md import MQMD
    from flintmq.mqi.gmo import MQGMO
    from flintmq.mqi.od import MQOD

    od, md, gmo = MQOD(), MQMD(), MQGMO()
    od.object_name = "ORDERS"
    gmo.options, gmo.wait_interval = MQGMO_WAIT, 5000
    handle = qm.mqi.open(od, MQOO_INPUT_SHARED)
    data = qm.mqi.get(handle, md, gmo)
    qm.mqi.close(handle)

A call that fails raises by reason. One that ends with a warning returns, and `completion` and `reason` of this object
say so. Calls are made on the connection of the thread that asked for `qm.mqi`; keep the object to keep the
connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.explain import refusal
from flintmq.mqi.constants import MQCO_NONE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQCC_FAILED
from flintmq.qmgr.close import close
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.open import open_object, put1
from flintmq.qmgr.put import put

if TYPE_CHECKING:
    from flintmq.client.connection import Connection


class MQI:
    """The calls of the MQI on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._link = connection._link
        self._host = connection._host
        #: What the last call said: MQCC_OK or MQCC_WARNING, and the reason.
        self.completion = 0
        self.reason = 0
        #: Of the last get: the whole length of the message, which may be longer than what was returned.
        self.data_length = 0

    def open(self, od: MQOD, options: int) -> Handle:
        """MQOPEN."""
        od.pack()
        host = self._host
        with host.call:
            handle = open_object(host.engine, self._link.connection, od, options)
            if handle is None:
                raise refusal(host.engine, self._link.connection.reason, od.object_name)
            force = self._leave()
        host.durable(force)
        return handle

    def close(self, handle: Handle, options: int = MQCO_NONE) -> None:
        """MQCLOSE."""
        host = self._host
        with host.call:
            close(host.engine, self._link.connection, handle, options)
            force = self._leave(handle.object_name, handle)
        host.durable(force)

    def put(self, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        """MQPUT. Ids and context are written into `md`."""
        _check(md, pmo, data)
        host = self._host
        with host.call:
            put(host.engine, self._link.connection, handle, md, pmo, data)
            force = self._leave(handle.object_name, handle, len(data))
        host.durable(force)

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        """MQPUT1."""
        od.pack()
        _check(md, pmo, data)
        host = self._host
        with host.call:
            put1(host.engine, self._link.connection, od, md, pmo, data)
            force = self._leave(od.object_name, None, len(data))
        host.durable(force)

    def get(self, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> bytes:
        """MQGET: the data, cut to `max_length` if that is not -1; the descriptor is written into `md`."""
        host = self._host
        md.pack(), gmo.pack()
        connection, link = self._connection, self._link
        name = handle.object_name
        if not link.get(name, md, gmo, max_length, False, connection._gate.release, handle):
            connection._wait(name, md, gmo, max_length, False, handle)
        self.completion, self.reason = link.connection.completion, link.connection.reason
        self.data_length = link.connection.data_length
        data = link.connection.data
        host.durable(link.force)
        return data

    def cmit(self) -> None:
        """MQCMIT."""
        self._connection._commit()

    def back(self) -> None:
        """MQBACK."""
        self._link.backout()

    def _leave(self, name: str = "", handle: Handle | None = None, length: int = 0) -> int:
        """After a call, under the lock: raise if it failed; else the log position to wait for."""
        connection = self._link.connection
        force = self._host.settle(connection)
        self.completion, self.reason = connection.completion, connection.reason
        if connection.completion == MQCC_FAILED:
            queue = handle.queue if handle is not None else None
            raise refusal(self._host.engine, connection.reason, name, queue, length)
        return force


def _check(md: MQMD, pmo: MQPMO, data: bytes) -> None:
    """What cannot be written into a structure must not reach the engine. Raises StructureError."""
    if not isinstance(data, bytes):
        raise TypeError(f"message data is bytes, not {type(data).__name__}")
    md.pack()
    pmo.pack()
