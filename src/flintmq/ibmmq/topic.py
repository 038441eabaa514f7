"""Topic and Subscription as ibmmq has them: text is published, retained publications are asked for again."""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.ibmmq import calls
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.mq_object import MQObject
from flintmq.ibmmq.queue import Queue
from flintmq.ibmmq.structures import SRO
from flintmq.ibmmq.text import ensure_strings_are_bytes
from flintmq.mqi import constants as mq
from flintmq.pymqi import topic as pymqi
from flintmq.pymqi.kit import Kit, message_args


class Topic(pymqi.Topic, MQObject):
    """A topic to publish to."""

    _kit: ClassVar[Kit] = IBMMQ

    def pub(self, msg: str | bytes, *opts: Any) -> None:
        """Publish; text is encoded, and the descriptor says so."""
        md, pmo = message_args(self._kit, opts)
        super().pub(self._q_mgr._message(msg, md), md, pmo)

    put = pub

    def pub_rfh2(self, msg: str | bytes, *opts: Any) -> None:
        """Publish a message with headers: `opts` are a descriptor, put options and a list of RFH2."""
        super().pub_rfh2(ensure_strings_are_bytes(msg), *opts)

    put_rfh2 = pub_rfh2

    def _subscription(self) -> Subscription:
        return Subscription(self._q_mgr)

    def get_handle(self) -> int | None:
        """The Hobj; None while it is not open."""
        return self._handle


class Subscription(pymqi.Subscription, MQObject):
    """A subscription, and the queue that publications come to."""

    _kit: ClassVar[Kit] = IBMMQ

    def _queue(self) -> Queue:
        return Queue(self._q_mgr)

    def get_handle(self) -> int | None:
        """The Hsub; None while there is none."""
        return self._handle

    def get_queue_manager(self) -> Any:
        """The connection."""
        return self._q_mgr

    def subrq(self, sub_action: int = mq.MQSR_ACTION_PUBLICATION, sro: SRO | None = None) -> None:
        """MQSUBRQ: retained publications come again; NumPubs of `sro` says how many."""
        if sro is not None and not isinstance(sro, SRO):
            raise TypeError("sro must be an SRO(sub request options) object.")
        if self._handle is None:
            raise self._kit.PYIFError("Subscription not open.")
        options = sro or SRO()
        packed, comp, reason = calls.MQSUBRQ(self._q_mgr.get_handle(), self._handle, sub_action, options.pack())
        self._kit.check(comp, reason)
        options.unpack(packed)
