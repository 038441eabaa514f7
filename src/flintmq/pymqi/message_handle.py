"""MessageHandle: the properties of a message.

handle = MessageHandle(qmgr)
handle.properties.set(b"color", "red")
pmo = PMO(Version=3, OriginalMsgHandle=handle.msg_handle)
queue.put(b"data", MD(), pmo)
"""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.mqi import constants as mq
from flintmq.pymqi import pymqe
from flintmq.pymqi.kit import Kit
from flintmq.pymqi.queue_manager import PYMQI, QueueManager


class Properties:
    """The properties behind a message handle."""

    _kit: ClassVar[Kit] = PYMQI

    def __init__(self, conn_handle: int | None, msg_handle: int) -> None:
        self.conn_handle = conn_handle
        self.msg_handle = msg_handle

    def __getitem__(self, name: bytes) -> Any:
        value = self.get(name)
        if not value:
            raise KeyError(f"No such property [{name!r}]")
        return value

    def __setitem__(self, name: bytes, value: Any) -> None:
        self.set(name, value)

    def get(
        self,
        name: bytes,
        default: Any = None,
        max_value_length: int | None = None,
        impo_options: int = mq.MQIMPO_INQ_FIRST,
        pd: int = mq.MQPD_NONE,
        property_type: int = mq.MQTYPE_AS_SET,
    ) -> Any:
        """MQINQMP. A value that is longer than `max_value_length` raises; `dataLength` of the error says how long."""
        room = max_value_length or MessageHandle.default_value_length
        value, length, comp, reason = pymqe.MQINQMP(
            self.conn_handle, self.msg_handle, impo_options, name, pd, property_type, room
        )
        self._kit.check(comp, reason, value=value, dataLength=length)
        return value

    def set(
        self,
        name: bytes,
        value: Any,
        property_type: int = mq.MQTYPE_STRING,
        value_length: int = mq.MQVL_NULL_TERMINATED,
        pd: Any = None,
        smpo: Any = None,
    ) -> None:
        """MQSETMP."""
        options, described = smpo or self._kit.SMPO(), pd or self._kit.PD()
        self._kit.check(
            *pymqe.MQSETMP(
                self.conn_handle,
                self.msg_handle,
                options.pack(),
                name,
                described.pack(),
                property_type,
                value,
                value_length,
            )
        )


class MessageHandle:
    """MQCRTMH."""

    _kit: ClassVar[Kit] = PYMQI

    #: Room for the value of a property, unless `get` says otherwise.
    default_value_length = 64

    _Properties: ClassVar[type[Properties]] = Properties

    def __init__(self, qmgr: QueueManager | None = None, cmho: Any = None) -> None:
        self.conn_handle = qmgr.get_handle() if qmgr is not None else mq.MQHO_NONE
        options = cmho or self._kit.CMHO()
        self.msg_handle, comp, reason = pymqe.MQCRTMH(self.conn_handle, options.pack())
        self._kit.check(comp, reason)
        self.properties: Any = self._Properties(self.conn_handle, self.msg_handle)
