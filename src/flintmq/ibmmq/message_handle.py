"""MessageHandle as ibmmq has it: properties are found by pattern and deleted, and so are handles."""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.ibmmq import calls
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.structures import DMHO, DMPO, IMPO, PD
from flintmq.ibmmq.text import ensure_strings_are_bytes
from flintmq.mqi import constants as mq
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.pd import MQPD
from flintmq.mqi.reason import MQCC_FAILED, MQRC_HMSG_ERROR
from flintmq.pymqi import message_handle as pymqi
from flintmq.pymqi import pymqe
from flintmq.pymqi.kit import Kit


class Properties(pymqi.Properties):
    """The properties behind a message handle."""

    _kit: ClassVar[Kit] = IBMMQ

    def __init__(self, conn_handle: int | None, msg_handle: int) -> None:
        super().__init__(conn_handle, msg_handle)
        #: Room for a value, unless `get` says otherwise.
        self.default_value_length = 64

    def get(  # type: ignore[override]
        self,
        name: str | bytes,
        default: Any = None,
        max_value_length: int | None = None,
        impo_options: int = mq.MQIMPO_INQ_FIRST,
        impo: IMPO | None = None,
        pd: PD | int | None = None,
        property_type: int = mq.MQTYPE_AS_SET,
    ) -> Any:
        """MQINQMP. For a name with % in it: value and name of the next property that it means."""
        if impo is not None and not isinstance(impo, IMPO):
            raise TypeError("impo must be an instance of IMPO")
        if isinstance(pd, int):
            pd = PD(Options=pd)
        if pd is not None and not isinstance(pd, PD):
            raise TypeError("pd must be an instance of PD")
        asked = impo or IMPO(Options=impo_options | mq.MQIMPO_CONVERT_VALUE)
        wanted = ensure_strings_are_bytes(name, "utf-8")
        options, described = MQIMPO(), MQPD()
        options.options, options.requested_encoding = asked.Options, asked.RequestedEncoding
        options.requested_ccsid, described.options = asked.RequestedCCSID, pd.Options if pd is not None else 0
        room = max_value_length or self.default_value_length
        value, length, comp, reason = pymqe.inquire_property(
            self.conn_handle, self.msg_handle, options, wanted, described, property_type, room
        )
        self._kit.check(comp, reason, value=default, data_length=length)
        return (value, options.returned_name) if b"%" in wanted else value

    def set(
        self,
        name: str | bytes,
        value: Any,
        property_type: int = mq.MQTYPE_STRING,
        value_length: int = mq.MQVL_NULL_TERMINATED,
        pd: Any = None,
        smpo: Any = None,
    ) -> None:
        """MQSETMP."""
        super().set(ensure_strings_are_bytes(name, "utf-8"), value, property_type, value_length, pd, smpo)

    def dlt(self, name: str | bytes, dmpo: DMPO | None = None) -> None:
        """MQDLTMP."""
        wanted = ensure_strings_are_bytes(name, "utf-8")
        self._kit.check(*calls.MQDLTMP(self.conn_handle, self.msg_handle, (dmpo or DMPO()).pack(), wanted))


class MessageHandle(pymqi.MessageHandle):
    """MQCRTMH, or a second object for a handle that there is already."""

    _kit: ClassVar[Kit] = IBMMQ
    _Properties = Properties

    def __init__(self, qmgr: Any = None, cmho: Any = None, dup_handle: int | None = None) -> None:
        self.duplicated = dup_handle is not None
        if dup_handle is None:
            super().__init__(qmgr, cmho)
            return
        self.conn_handle = qmgr.get_handle() if qmgr is not None else mq.MQHO_NONE
        self.msg_handle = dup_handle
        self.properties = self._Properties(self.conn_handle, self.msg_handle)

    def get_handle(self) -> int:
        """The Hmsg."""
        return self.msg_handle

    def get_queue_manager(self) -> int:
        """The Hconn."""
        return self.conn_handle

    def dlt(self, dmho: DMHO | None = None) -> None:
        """MQDLTMH; not of a second object."""
        if self.duplicated:
            raise self._kit.MQMIError(MQCC_FAILED, MQRC_HMSG_ERROR)
        self._kit.check(*calls.MQDLTMH(self.conn_handle, self.msg_handle, (dmho or DMHO()).pack()))
        self.properties = self._Properties(mq.MQHC_UNUSABLE_HCONN, mq.MQHM_NONE)
