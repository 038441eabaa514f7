"""PCFExecute as ibmmq has it.

More than pymqi's: a reply queue or a command queue of the program's own, a time for the command to expire, strings
without their padding, and `responses=`, a list for (parameters, header) of every response, also of those that say
that something failed; the first such reason is raised when all are there.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from flintmq.ibmmq import CMQSTRC
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.pcf_structures import CFH
from flintmq.ibmmq.queue import Queue
from flintmq.ibmmq.queue_manager import QueueManager
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pc
from flintmq.pymqi import pcf as pymqi

_HOUR_MS: Final = 60 * 60 * 1000
_INPUT: Final = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED
_MODEL: Final = b"SYSTEM.DEFAULT.MODEL.QUEUE"


class PCFExecute(pymqi.PCFExecute, QueueManager):
    """Commands of a queue manager."""

    _kit = IBMMQ
    _queue_class = Queue
    _max_length: int | None = None
    _command_timeout: int = 0
    _command_queue: Queue | None = None

    iaStringDict: ClassVar[Any] = {**CMQSTRC.MQIA_DICT, **CMQSTRC.MQIACF_DICT, **CMQSTRC.MQIACH_DICT}
    caStringDict: ClassVar[Any] = {**CMQSTRC.MQCA_DICT, **CMQSTRC.MQCACF_DICT, **CMQSTRC.MQCACH_DICT}
    baStringDict: ClassVar[Any] = dict(CMQSTRC.MQBACF_DICT)

    def __init__(
        self,
        name: Any = None,
        model_queue_name: str | bytes | None = _MODEL,
        reply_queue_name: str | bytes | None = None,
        reply_queue_open_options: int = mq.MQOO_INPUT_EXCLUSIVE,
        dynamic_queue_name: str | bytes = b"PYMQPCF.*",
        command_queue_name: str | bytes = b"SYSTEM.ADMIN.COMMAND.QUEUE",
        command_queue: Queue | None = None,
        response_wait_interval: int = 5000,
        command_timeout: int = 0,
        max_length: int | None = None,
        convert: bool = True,
    ) -> None:
        """`name` is a connection, or the arguments for one."""
        if model_queue_name and reply_queue_name:
            raise self._kit.PYIFError("Do not specify both a model_queue_name and a reply_queue_name")
        self._command_queue_name = command_queue_name  # type: ignore[assignment]
        self._command_queue = command_queue
        self._response_wait_interval = response_wait_interval if response_wait_interval >= 0 else _HOUR_MS
        self._command_timeout = command_timeout
        self._max_length = max_length
        self._convert = convert
        given = isinstance(name, QueueManager)
        QueueManager.__init__(self, None if given else name)
        self.qm = name if given else self
        if not reply_queue_open_options & _INPUT:
            reply_queue_open_options |= mq.MQOO_INPUT_EXCLUSIVE
        self._open_reply_queue(
            reply_queue_name or model_queue_name or _MODEL, dynamic_queue_name, reply_queue_open_options
        )

    @property
    def command_timeout(self) -> int:
        """When a command expires, in milliseconds; 0: three times the wait for a response."""
        return self._command_timeout

    @property
    def max_length(self) -> int | None:
        """The longest response."""
        return self._max_length

    def _expiry(self) -> int:
        return self._command_timeout // 100 or self._response_wait_interval // 100 * 3

    def _send(self, connection: Any, message: bytes) -> Any:
        if self._command_queue is None:
            return super()._send(connection, message)
        md = self._request()
        self._command_queue.put(message, md, self._kit.PMO(Options=mq.MQPMO_NO_SYNCPOINT))
        return md

    def _run(self, name: str, parameters: Any, filters: Any, responses: list[Any] | None = None) -> list[Any]:
        if responses is not None and not isinstance(responses, list):
            raise TypeError("responses must be a list")
        connection = self._connection()
        request = self._send(connection, pymqi.command(name, parameters, filters, connection.bytes_encoding))
        md, gmo = self._kit.MD(CorrelId=request.MsgId), self._get_options()
        found: list[Any] = [] if responses is None else responses
        found.clear()
        failed: Exception | None = None
        scoped = False
        while True:
            assert self._reply_queue is not None
            message = self._reply_queue.get(self._max_length, md, gmo)
            values, header = self._unpack_option(message, responses is not None)
            if header.CompCode and failed is None:
                failed = self._kit.MQMIError(header.CompCode, header.Reason)
            info = values.get(pc.MQIACF_COMMAND_INFO) if header.Type == pc.MQCFT_XR_MSG else None
            scoped = scoped or info == pc.MQCMDI_CMDSCOPE_ACCEPTED
            if values and header.Type not in (pc.MQCFT_XR_MSG, pc.MQCFT_XR_SUMMARY):
                found.append(values if responses is None else (values, header))
            if info == pc.MQCMDI_CMDSCOPE_COMPLETED if scoped else header.Control == pc.MQCFC_LAST:
                break
        if failed is not None:
            raise failed
        return found

    @staticmethod
    def _unpack_option(message: bytes, ignore_errors: bool) -> tuple[dict[int, Any], CFH]:
        header = CFH().unpack(message[: pc.MQCFH_STRUC_LENGTH])
        if header.CompCode and not ignore_errors:
            raise IBMMQ.MQMIError(header.CompCode, header.Reason)
        return pymqi.response(message, cut=True)[0], header

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], CFH]:
        """Parameters and header of a response, event or statistics message. Raises MQMIError if it says so."""
        return PCFExecute._unpack_option(message, False)

    @staticmethod
    def stringify_keys(raw_dict: dict[int, Any]) -> dict[Any, Any]:
        """The same with the names of parameters in place of their numbers, where there is one."""
        named: dict[Any, Any] = {}
        for key, value in raw_dict.items():
            if isinstance(value, str):
                raise TypeError(f'In Python 3 use bytes, not str (found "{key}":"{value}")')
            names = PCFExecute.caStringDict if isinstance(value, bytes) else PCFExecute.iaStringDict
            named[names.get(key, key)] = value
        return named

    stringifyKeys = stringify_keys  # type: ignore[assignment]  # By the name that ibmmq gives its argument.
