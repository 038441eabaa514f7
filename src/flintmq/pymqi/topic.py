"""Topic and Subscription."""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.mqi import constants as mq
from flintmq.pymqi import pymqe
from flintmq.pymqi.kit import Kit, headed, message_args
from flintmq.pymqi.queue import Queue
from flintmq.pymqi.queue_manager import PYMQI, QueueManager
from flintmq.pymqi.text import ensure_bytes, ensure_not_unicode


class Topic:
    """A topic to publish to: a topic object, a topic string, or the string below the object's."""

    _kit: ClassVar[Kit] = PYMQI
    _handle: int | None = None

    def __init__(
        self,
        queue_manager: QueueManager,
        topic_name: str | bytes | None = None,
        topic_string: str | bytes | None = None,
        topic_desc: Any = None,
        open_opts: int | None = None,
    ) -> None:
        """With options it is opened now, else by open() or the first publication."""
        self._q_mgr = queue_manager
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        if topic_desc is not None:
            if topic_desc["ObjectType"] != mq.MQOT_TOPIC:
                raise self._kit.PYIFError("The Topic Descriptor ObjectType is not MQOT_TOPIC.")
            if topic_desc["Version"] != mq.MQOD_VERSION_4:
                raise self._kit.PYIFError("The Topic Descriptor Version is not MQOD_VERSION_4.")
        self._desc = topic_desc or self._made_desc()
        if open_opts:
            self._real_open(open_opts)

    def _made_desc(self) -> Any:
        od = self._kit.OD(ObjectType=mq.MQOT_TOPIC, Version=mq.MQOD_VERSION_4)
        if self.topic_name:
            od["ObjectName"] = self.topic_name
        if self.topic_string:
            od.set_vs("ObjectString", self.topic_string)
        return od

    def _real_open(self, options: int) -> None:
        if self._desc is None:
            raise self._kit.PYIFError("The Topic Descriptor has not been set.")
        number, od, comp, reason = pymqe.MQOPEN(self._q_mgr.get_handle(), self._desc.pack(), options)
        self._kit.check(comp, reason)
        self._handle = number
        self._desc.unpack(od)

    def __del__(self) -> None:
        if self._handle is not None:
            pymqe.finalised(self._q_mgr._handle, self._handle)

    def open(
        self,
        topic_name: str | bytes | None = None,
        topic_string: str | bytes | None = None,
        topic_desc: Any = None,
        open_opts: int | None = None,
    ) -> None:
        """Name the topic; with options it is opened now."""
        if self._handle is not None:
            raise self._kit.PYIFError("The Topic is already open.")
        self.topic_name = ensure_bytes(topic_name) or self.topic_name
        self.topic_string = ensure_bytes(topic_string) or self.topic_string
        self._desc = topic_desc or self._made_desc()
        if open_opts:
            self._real_open(open_opts)

    def pub(self, msg: bytes, *opts: Any) -> None:
        """Publish. `opts` are a descriptor and put options; the call writes into both."""
        ensure_not_unicode(msg)
        md, pmo = message_args(self._kit, opts)
        pmo = self._kit.PMO() if pmo is None else pmo
        if self._handle is None:
            self._real_open(mq.MQOO_OUTPUT)
        assert self._handle is not None
        new_md, new_pmo, comp, reason = pymqe.MQPUT(self._q_mgr.get_handle(), self._handle, md.pack(), pmo.pack(), msg)
        self._kit.check(comp, reason)
        md.unpack(new_md)
        pmo.unpack(new_pmo)

    def pub_rfh2(self, msg: bytes, *opts: Any) -> None:
        """Publish a message with headers: `opts` are a descriptor, put options and a list of RFH2."""
        ensure_not_unicode(msg)
        if len(opts) >= 3 and opts[2] is not None:
            msg = headed(self._kit, msg, opts)
        self.pub(msg, *opts[:2])

    def sub(self, *opts: Any) -> Subscription:
        """Subscribe to the topic. `opts` are a subscription descriptor and a queue."""
        made = self._subscription()
        made.sub(
            sub_desc=opts[0] if opts else None,
            sub_queue=opts[1] if len(opts) > 1 else None,
            topic_name=self.topic_name,
            topic_string=self.topic_string,
        )
        return made

    def _subscription(self) -> Subscription:
        return Subscription(self._q_mgr)

    def close(self, options: int = mq.MQCO_NONE) -> None:
        """MQCLOSE."""
        if self._handle is None:
            raise self._kit.PYIFError("Topic not open.")
        self._kit.check(*pymqe.MQCLOSE(self._q_mgr.get_handle(), self._handle, options))
        self._handle = self._desc = None


class Subscription:
    """A subscription, and the queue that publications come to."""

    _kit: ClassVar[Kit] = PYMQI
    _handle: int | None = None

    def __init__(
        self,
        queue_manager: QueueManager,
        sub_desc: Any = None,
        sub_name: str | bytes | None = None,
        sub_queue: Any = None,
        sub_opts: int | None = None,
        topic_name: str | bytes | None = None,
        topic_string: str | bytes | None = None,
    ) -> None:
        """With a descriptor it is made now, else by sub()."""
        self._q_mgr = queue_manager
        self.sub_queue = sub_queue
        self.sub_name = ensure_bytes(sub_name)
        self.sub_opts = sub_opts
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        self._desc: Any = sub_desc
        if sub_desc is not None:
            self.sub(sub_desc=sub_desc)

    def get_sub_queue(self) -> Any:
        """The queue that publications come to."""
        return self.sub_queue

    def get(self, max_length: int | None = None, *opts: Any) -> bytes:
        """Get a publication, as `Queue.get`."""
        return bytes(self.sub_queue.get(max_length, *opts))

    def get_rfh2(self, max_length: int | None = None, *opts: Any) -> bytes:
        """Get a publication, as `Queue.get_rfh2`."""
        return bytes(self.sub_queue.get_rfh2(max_length, *opts))

    def sub(
        self,
        sub_desc: Any = None,
        sub_queue: Any = None,
        sub_name: str | bytes | None = None,
        sub_opts: int | None = None,
        topic_name: str | bytes | None = None,
        topic_string: str | bytes | None = None,
    ) -> None:
        """MQSUB: make, alter or resume a subscription.

        Without a descriptor: a new one, non-durable with a queue of its own unless `sub_opts` says otherwise.
        `sub_queue` is a Queue, or the handle of one.
        """
        self.topic_name = ensure_bytes(topic_name) or self.topic_name
        self.topic_string = ensure_bytes(topic_string) or self.topic_string
        self.sub_name = ensure_bytes(sub_name) or self.sub_name
        if sub_desc is None:
            sub_desc = self._made_desc(sub_opts)
        elif not isinstance(sub_desc, self._kit.SD):
            raise TypeError("sub_desc must be a SD(sub descriptor) object.")
        self._desc = sub_desc
        hobj = sub_queue.get_handle() if isinstance(sub_queue, Queue) else sub_queue
        sd, queue, subscription, comp, reason = pymqe.MQSUB(
            self._q_mgr.get_handle(), sub_desc.pack(), hobj or mq.MQHO_NONE
        )
        self._kit.check(comp, reason)
        sub_desc.unpack(sd)
        if isinstance(sub_queue, Queue):
            self.sub_queue = sub_queue  # A second object would close the program's queue when it is dropped.
        else:
            self.sub_queue = self._queue()
            self.sub_queue.set_handle(queue)
        self._handle = subscription

    def _queue(self) -> Queue:
        return Queue(self._q_mgr)

    def _made_desc(self, options: int | None) -> Any:
        sd = self._kit.SD(Options=options or mq.MQSO_CREATE + mq.MQSO_NON_DURABLE + mq.MQSO_MANAGED)
        if self.sub_name:
            sd.set_vs("SubName", self.sub_name)
        if self.topic_name:
            sd["ObjectName"] = self.topic_name
        if self.topic_string:
            sd.set_vs("ObjectString", self.topic_string)
        return sd

    def close(
        self,
        sub_close_options: int = mq.MQCO_NONE,
        close_sub_queue: bool = False,
        close_sub_queue_options: int = mq.MQCO_NONE,
    ) -> None:
        """MQCLOSE of the subscription, and of its queue if asked to."""
        if self._handle is None:
            raise self._kit.PYIFError("Subscription not open.")
        self._kit.check(*pymqe.MQCLOSE(self._q_mgr.get_handle(), self._handle, sub_close_options))
        self._handle = self._desc = None
        if close_sub_queue:
            self.sub_queue.close(close_sub_queue_options)

    def __del__(self) -> None:
        if self._handle is not None:
            pymqe.finalised(self._q_mgr._handle, self._handle)
