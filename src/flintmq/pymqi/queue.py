"""Queue: put and get, inquire and set.

Queue(qmgr)                       opened by open()
Queue(qmgr, "ORDERS")             opened by the first put, get, inquire or set, for just that
Queue(qmgr, "ORDERS", options)    opened at once
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from flintmq.mqi import constants as mq
from flintmq.mqi.reason import MQCC_WARNING, MQRC_TRUNCATED_MSG_FAILED
from flintmq.pymqi import pymqe
from flintmq.pymqi.kit import Kit, headed, message_args, unheaded
from flintmq.pymqi.queue_manager import PYMQI, QueueManager
from flintmq.pymqi.text import ensure_not_unicode

#: The first MQGET of a message of unknown length has this much room.
FIRST_LENGTH: Final = 4096


class Queue:
    """A queue that is open, or will be."""

    _kit: ClassVar[Kit] = PYMQI
    _handle: int | None = None

    def __init__(self, qMgr: QueueManager, *opts: Any) -> None:
        if len(opts) > 2:
            raise TypeError("Too many args")
        self._q_mgr = qMgr
        self._desc: Any = self._q_mgr._descriptor(opts[0]) if opts else None
        self._open_opts: int | None = None
        if len(opts) == 2:
            self._real_open(opts[1])

    def __del__(self) -> None:
        if self._handle is not None:
            pymqe.finalised(self._q_mgr._handle, self._handle)

    def _real_open(self, options: int) -> None:
        if self._desc is None:
            raise self._kit.PYIFError("The Queue Descriptor has not been set.")
        self._open_opts = options
        number, od, comp, reason = pymqe.MQOPEN(self._q_mgr.get_handle(), self._desc.pack(), options)
        self._kit.check(comp, reason)
        self._handle = number
        self._desc.unpack(od)

    def _opened_for(self, options: int) -> int:
        """The handle; a queue that is not open yet is opened so."""
        if self._handle is None:
            self._real_open(options)
        assert self._handle is not None
        return self._handle

    def open(self, qDesc: Any, *opts: Any) -> None:
        """Name the queue; with options it is opened now."""
        if len(opts) > 1:
            raise TypeError("Too many args")
        if self._handle is not None:
            raise self._kit.PYIFError("The Queue is already open")
        self._desc = self._q_mgr._descriptor(qDesc)
        if opts:
            self._real_open(opts[0])

    def put(self, msg: str | bytes, *opts: Any) -> None:
        """MQPUT. `opts` are a descriptor and put options; the call writes into both."""
        md, pmo = message_args(self._kit, opts)
        data = self._q_mgr._message(msg, md)
        pmo = self._kit.PMO() if pmo is None else pmo
        handle = self._opened_for(mq.MQOO_OUTPUT)
        new_md, new_pmo, comp, reason = pymqe.MQPUT(self._q_mgr.get_handle(), handle, md.pack(), pmo.pack(), data)
        self._kit.check(comp, reason)
        md.unpack(new_md)
        pmo.unpack(new_pmo)

    def put_rfh2(self, msg: bytes, *opts: Any) -> None:
        """MQPUT of a message with headers: `opts` are a descriptor, put options and a list of RFH2."""
        ensure_not_unicode(msg)
        if len(opts) >= 3 and opts[2] is not None:
            msg = headed(self._kit, msg, opts)
        self.put(msg, *opts[:2])

    def get(self, maxLength: int | None = None, *opts: Any) -> bytes:
        """MQGET. `opts` are a descriptor and get options; the call writes into both.

        Without a length the whole message is got, with a second call if it is long. With one, a longer message raises:
        `message` of the error is its beginning and `original_length` its length.
        """
        md, gmo = message_args(self._kit, opts)
        gmo = self._kit.GMO() if gmo is None else gmo
        handle = self._opened_for(mq.MQOO_INPUT_AS_Q_DEF)
        room = maxLength
        if room is None:
            room = 0 if gmo.Options & mq.MQGMO_ACCEPT_TRUNCATED_MSG else FIRST_LENGTH
        hconn = self._q_mgr.get_handle()
        message, new_md, new_gmo, length, comp, reason = pymqe.MQGET(hconn, handle, md.pack(), gmo.pack(), room)
        while reason == MQRC_TRUNCATED_MSG_FAILED and maxLength is None and length > room:
            room = length  # Somebody else may take it meanwhile, and the next one be longer still.
            message, new_md, new_gmo, length, comp, reason = pymqe.MQGET(hconn, handle, md.pack(), gmo.pack(), length)
        if comp <= MQCC_WARNING:
            md.unpack(new_md)
            gmo.unpack(new_gmo)
        self._kit.check(comp, reason, message=message, original_length=length)
        return message

    def get_no_jms(self, max_length: int | None = None, *args: Any) -> bytes:
        """MQGET without the properties of the message."""
        md, gmo = message_args(self._kit, args)
        gmo = gmo or self._kit.GMO()
        gmo.Options |= mq.MQGMO_NO_PROPERTIES | mq.MQGMO_FAIL_IF_QUIESCING
        return self.get(max_length, md, gmo)

    get_no_rfh2 = get_no_jms

    def get_rfh2(self, max_length: int | None = None, *opts: Any) -> bytes:
        """MQGET of a message with headers: they go into the list that is third in `opts`. Return the data behind.

        A header that cannot be read raises PYIFError, and `message` of it is the whole message.
        """
        if len(opts) < 3:
            return self.get(max_length, *opts)
        if opts[2] is None:
            raise AttributeError("get_opts cannot be None if passed.")
        if not isinstance(opts[2], list):
            raise TypeError("Third item of opts should be a list.")
        message = self.get(max_length, *opts[:2])
        headers: list[Any] = []
        try:
            message = unheaded(self._kit, message, opts[0]["Format"], headers)
        except Exception as error:
            error.message = message  # type: ignore[attr-defined]  # It is off the queue, and must not be lost.
            raise
        opts[2].extend(headers)
        return message

    def close(self, options: int = mq.MQCO_NONE) -> None:
        """MQCLOSE."""
        if self._handle is None:
            raise self._kit.PYIFError("not open")
        self._kit.check(*pymqe.MQCLOSE(self._q_mgr.get_handle(), self._handle, options))
        self._handle = self._desc = self._open_opts = None

    def inquire(self, attribute: int) -> Any:
        """An attribute: a number, or bytes filled up with blanks."""
        handle = self._opened_for(mq.MQOO_INQUIRE)
        value, comp, reason = pymqe.MQINQ(self._q_mgr.get_handle(), handle, attribute)
        self._kit.check(comp, reason)
        return value

    def set(self, attribute: int, arg: int | bytes) -> None:
        """Set an attribute."""
        ensure_not_unicode(arg)
        handle = self._opened_for(mq.MQOO_SET)
        self._kit.check(*pymqe.MQSET(self._q_mgr.get_handle(), handle, attribute, arg))

    def set_handle(self, queue_handle: int) -> None:
        """Take over a handle that another call has opened."""
        self._handle = queue_handle

    def get_handle(self) -> int | None:
        """The Hobj; None while it is not open."""
        return self._handle
