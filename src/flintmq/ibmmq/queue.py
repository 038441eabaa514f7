"""Queue as ibmmq has it: remembers how long messages are, inquires and sets many attributes at once, calls back."""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.ibmmq.callback import register
from flintmq.ibmmq.inquire import changed, inquired
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.mq_object import MQObject
from flintmq.ibmmq.text import OTelOptions
from flintmq.mqi import constants as mq
from flintmq.pymqi import queue as pymqi
from flintmq.pymqi.kit import Kit


class Queue(pymqi.Queue, MQObject):
    """A queue that is open, or will be."""

    _kit: ClassVar[Kit] = IBMMQ

    def __init__(self, qmgr: Any, *opts: Any) -> None:
        super().__init__(qmgr, *opts)

    def open(self, q_desc: Any, *opts: Any) -> None:
        """Name the queue; with options it is opened now."""
        super().open(q_desc, *opts)

    def get(self, maxLength: int | None = None, *opts: Any, **kwargs: Any) -> bytes:
        """MQGET. Without a length the whole message is got, whatever its length."""
        options = kwargs.get("otel_options")
        if options is not None and not isinstance(options, OTelOptions):
            raise TypeError("otel_options must be instance of OTelOptions.")
        return super().get(maxLength, *_checked(opts))

    def put(self, msg: str | bytes, *opts: Any) -> None:
        """MQPUT."""
        super().put(msg, *_checked(opts))

    def get_no_jms(self, max_length: int | None = None, *args: Any, **kwargs: Any) -> bytes:
        """MQGET without the properties of the message."""
        return super().get_no_jms(max_length, *args)

    get_no_rfh2 = get_no_jms

    def get_rfh2(self, max_length: int | None = None, *opts: Any, **kwargs: Any) -> bytes:
        """MQGET of a message with headers: they go into the list that is third in `opts`."""
        return super().get_rfh2(max_length, *opts)

    def inquire(self, selectors: int | list[int]) -> Any:
        """An attribute, or for a list of selectors a dictionary of them."""
        handle = self._opened_for(mq.MQOO_INQUIRE)
        return inquired(self._q_mgr.get_handle(), handle, selectors)

    inq = inquire

    def set(self, *args: Any) -> None:
        """Set attributes: a selector and a value, or a dictionary of them."""
        values = args[0] if isinstance(args[0], dict) else {args[0]: args[1]}
        handle = self._opened_for(mq.MQOO_SET)
        changed(self._q_mgr.get_handle(), handle, values)

    def get_name(self) -> str:
        """The name of the queue."""
        return str(self.to_string(self._desc.ObjectName)) if self._desc is not None else ""

    def get_queue_manager(self) -> Any:
        """The connection."""
        return self._q_mgr

    def cb(self, **kwargs: Any) -> None:
        """MQCB: `operation`, `cbd`, `md` and `gmo`; see callback.py."""
        register(self._q_mgr, self, kwargs)


def _checked(opts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return descriptor and options, if they have the right types."""
    if len(opts) > 0 and opts[0] is not None and not isinstance(opts[0], IBMMQ.MD):
        raise TypeError("Message Descriptor must be an instance of MD")
    if len(opts) > 1 and opts[1] is not None and not isinstance(opts[1], IBMMQ.PMO | IBMMQ.GMO):
        raise TypeError("Options must be an instance of PMO or GMO")
    return opts
