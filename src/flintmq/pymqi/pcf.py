"""PCFExecute: commands of the queue manager as methods.

    pcf = PCFExecute(qmgr)
    pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: b"DEV.*", CMQC.MQIA_Q_TYPE: CMQC.MQQT_LOCAL})

sends the command to the command server and returns a list of dictionaries, parameter to value, one for each object. A
value is an integer, bytes, a list of them, or for a group a list of dictionaries. What is sent for a parameter follows
from the value: CFIN, CFST, CFIL, CFSL, and CFBS for a ByteString; or give a list of such structures instead. The second
argument is a list of filters.

The first response that says that the command failed raises MQMIError with its reason.
"""

from __future__ import annotations

import struct
from typing import Any, ClassVar, Final

from flintmq.client.queue_manager import QueueManager as Embedded
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.pymqi import CMQC, CMQCFC
from flintmq.pymqi.errors import MQMIError, _MQConst2String
from flintmq.pymqi.filters import ByteString, _Filter
from flintmq.pymqi.opts import MQOpts
from flintmq.pymqi.pcf_structures import (
    CFBF,
    CFBS,
    CFGR,
    CFH,
    CFIF,
    CFIL,
    CFIL64,
    CFIN,
    CFIN64,
    CFSF,
    CFSL,
    CFST,
)  # fmt: skip
from flintmq.pymqi.queue import Queue
from flintmq.pymqi.queue_manager import QueueManager
from flintmq.pymqi.text import MQLONG_TYPE, ensure_bytes

_HEADER: Final = pcf.MQCFH_STRUC_LENGTH
_NESTING_MAX: Final = 32
_STRING: Final = pcf.MQCFT_STRING

#: Parameters that are lists even if one integer is given: which attributes to return.
_ATTRS: Final = frozenset(
    value for name, value in vars(CMQCFC).items() if name.startswith(("MQIACF_", "MQIACH_")) and name.endswith("_ATTRS")
)


def parameter(key: int, value: Any, encoding: str = "utf8") -> MQOpts:
    """The structure that carries a value. Raises TypeError for a value that none can."""
    if isinstance(value, str | bytes):
        return CFST(Parameter=key, String=value.encode(encoding) if isinstance(value, str) else value)
    if isinstance(value, int):
        return CFIL(Parameter=key, Values=[value]) if key in _ATTRS else CFIN(Parameter=key, Value=value)
    if isinstance(value, list) and all(isinstance(one, int) for one in value):
        return CFIL(Parameter=key, Values=value)
    if isinstance(value, list) and all(isinstance(one, str | bytes) for one in value):
        return CFSL(Parameter=key, Strings=[one.encode(encoding) if isinstance(one, str) else one for one in value])
    if isinstance(getattr(value, "value", None), str | bytes):
        return CFBS(Parameter=key, String=ensure_bytes(value.value, encoding))
    raise TypeError(f"parameter {key} is {type(value).__name__}: give an int, bytes, a list of them, or a ByteString")


def command(name: str, parameters: Any, filters: Any, encoding: str = "utf8") -> bytes:
    """The message of a command. Raises KeyError for a name that is no command."""
    given = parameters or {}
    structures = (
        [parameter(key, value, encoding) for key, value in given.items()] if isinstance(given, dict) else list(given)
    )
    structures += [one.structure() if isinstance(one, _Filter) else one for one in filters]
    header = CFH(
        Version=pcf.MQCFH_VERSION_3,
        Command=vars(CMQCFC)[name],
        Type=pcf.MQCFT_COMMAND_XR,
        ParameterCount=len(structures),
    )
    return header.pack() + b"".join(structure.pack() for structure in structures)


# -- responses ---------------------------------------------------------------------------------------------------------


def _single(kind: type[MQOpts], member: str) -> Any:
    def read(message: bytes, place: int, length: int) -> tuple[MQOpts, Any]:
        found = kind()  # type: ignore[call-arg]
        found.unpack(message[place : place + found.get_length()])
        return found, found[member]

    return read


def _counted(kind: type[MQOpts], count: str, member: str) -> Any:
    def read(message: bytes, place: int, length: int) -> tuple[MQOpts, Any]:
        fixed = kind()  # type: ignore[call-arg]
        fixed.unpack(message[place : place + fixed.get_length()])
        found = kind(**{count: fixed[count]})
        found.unpack(message[place : place + found.get_length()])
        return found, found[member]

    return read


def _filter(kind: type[MQOpts]) -> Any:
    counted = _counted(kind, "FilterValueLength", "FilterValue")

    def read(message: bytes, place: int, length: int) -> tuple[MQOpts, Any]:
        found, value = counted(message, place, length)
        return found, (found["Operator"], value)

    return read


def _integer_filter(message: bytes, place: int, length: int) -> tuple[MQOpts, Any]:
    found = CFIF().unpack(message[place : place + pcf.MQCFIF_STRUC_LENGTH])
    return found, (found.Operator, found.FilterValue)


def _strings(message: bytes, place: int, length: int) -> tuple[MQOpts, Any]:
    fixed = CFSL().unpack(message[place : place + pcf.MQCFSL_STRUC_LENGTH_FIXED])
    count, size = fixed.Count, fixed.StringLength
    start = place + pcf.MQCFSL_STRUC_LENGTH_FIXED
    return fixed, [message[start + n * size : start + (n + 1) * size] for n in range(count)] or [b""]


#: Type of a parameter to the function that reads it.
_READERS: Final[dict[int, Any]] = {
    pcf.MQCFT_INTEGER: _single(CFIN, "Value"),
    pcf.MQCFT_INTEGER64: _single(CFIN64, "Value"),
    pcf.MQCFT_INTEGER_LIST: _counted(CFIL, "Count", "Values"),
    pcf.MQCFT_INTEGER64_LIST: _counted(CFIL64, "Count", "Values"),
    pcf.MQCFT_STRING: _counted(CFST, "StringLength", "String"),
    pcf.MQCFT_STRING_LIST: _strings,
    pcf.MQCFT_BYTE_STRING: _counted(CFBS, "StringLength", "String"),
    pcf.MQCFT_INTEGER_FILTER: _integer_filter,
    pcf.MQCFT_STRING_FILTER: _filter(CFSF),
    pcf.MQCFT_BYTE_STRING_FILTER: _filter(CFBF),
    pcf.MQCFT_GROUP: _single(CFGR, "ParameterCount"),
}


def response(message: bytes, cut: bool = False) -> tuple[dict[int, Any], CFH]:
    """The parameters and the header of a PCF message; `cut` leaves the padding of strings away.

    Raises NotImplementedError for a structure of unknown type, ValueError for a message that is not whole.
    """
    header = CFH().unpack(message[:_HEADER])
    parameters, _ = _parameters(message, _HEADER, header.ParameterCount, cut)
    return parameters, header


def _parameters(message: bytes, place: int, count: int, cut: bool, depth: int = 0) -> tuple[dict[int, Any], int]:
    """`count` parameters from `place` on, and where they end. A group has its own."""
    found: dict[int, Any] = {}
    for _ in range(count):
        left = len(message) - place
        kind, length = struct.unpack_from(MQLONG_TYPE * 2, message, place) if left >= 8 else (0, 0)
        if not 8 <= length <= left:
            raise ValueError(f"a PCF message of {len(message)} bytes ends inside a structure at offset {place}")
        if kind not in _READERS:
            raise NotImplementedError(f"Unpack for type ({kind}) not implemented")
        structure, value = _READERS[kind](message, place, length)
        place += length
        if kind == pcf.MQCFT_GROUP:
            if depth == _NESTING_MAX:
                raise ValueError(f"a PCF message has groups that are nested more than {_NESTING_MAX} deep")
            group, place = _parameters(message, place, value, cut, depth + 1)
            found.setdefault(structure["Parameter"], []).append(group)
        else:
            found[structure["Parameter"]] = value[: structure["StringLength"]] if cut and kind == _STRING else value
    return found, place


class _Method:
    """One command of one PCFExecute."""

    def __init__(self, execute: PCFExecute, name: str) -> None:
        self._execute = execute
        self._name = name

    def __getattr__(self, name: str) -> _Method:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Method(self._execute, f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        parameters, filters = (*args, {}, [])[:2] if len(args) != 1 else (args[0], [])
        return self._execute._run(self._name.removeprefix("CMQCFC."), parameters, filters, **kwargs)


class PCFExecute(QueueManager):
    """Commands of a queue manager."""

    qm: QueueManager | None = None
    _queue_class: ClassVar[type[Queue]] = Queue
    _reply_queue: Queue | None = None
    _reply_queue_name: bytes | None = None

    iaStringDict: ClassVar[Any] = _MQConst2String(CMQC, "MQIA_")
    caStringDict: ClassVar[Any] = _MQConst2String(CMQC, "MQCA_")

    def __init__(
        self,
        name: str | bytes | QueueManager | Embedded | None = None,
        disconnect_on_exit: bool = True,
        model_queue_name: bytes = b"SYSTEM.DEFAULT.MODEL.QUEUE",
        dynamic_queue_name: bytes = b"PYMQPCF.*",
        command_queue_name: bytes = b"SYSTEM.ADMIN.COMMAND.QUEUE",
        response_wait_interval: int = 5000,
        convert: bool = False,
    ) -> None:
        """`name` is a connection, or the arguments for one. Responses come to a dynamic queue that is made now."""
        self._command_queue_name = command_queue_name
        self._response_wait_interval = response_wait_interval
        self._convert = convert
        self.qm = name if isinstance(name, QueueManager) else None
        super().__init__(None if isinstance(name, QueueManager) else name, disconnect_on_exit)
        self._open_reply_queue(model_queue_name, dynamic_queue_name, mq.MQOO_INPUT_EXCLUSIVE)

    def _open_reply_queue(self, name: str | bytes, dynamic_name: str | bytes, options: int) -> None:
        od = self._kit.OD(ObjectName=name, DynamicQName=dynamic_name)
        self._reply_queue = self._queue_class(self._connection(), od, options)
        self._reply_queue_name = od.ObjectName.strip(b"\0 ")

    def _connection(self) -> QueueManager:
        return self if self.qm is None else self.qm

    @property
    def command_queue_name(self) -> bytes:
        """Where commands are sent to."""
        return self._command_queue_name

    @property
    def convert(self) -> bool:
        """Whether responses are converted to the character set and encoding of this program."""
        return self._convert

    @property
    def reply_queue(self) -> Queue | None:
        """Where responses come to."""
        return self._reply_queue

    @property
    def reply_queue_name(self) -> bytes | None:
        """Return the name."""
        return self._reply_queue_name

    @property
    def response_wait_interval(self) -> int:
        """How long each response is waited for, in milliseconds."""
        return self._response_wait_interval

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Method(self, name)

    def _run(self, name: str, parameters: Any, filters: Any) -> list[Any]:
        connection = self._connection()
        message = command(name, parameters, filters, connection.bytes_encoding)
        request = self._send(connection, message)
        md, gmo = self._kit.MD(CorrelId=request.MsgId), self._get_options()
        found: list[dict[int, Any]] = []
        while True:
            assert self._reply_queue is not None
            parameters, header = self.unpack(self._reply_queue.get(None, md, gmo))
            found.append(parameters)
            if header.Control == pcf.MQCFC_LAST:
                return found

    def _send(self, connection: QueueManager, message: bytes) -> Any:
        """Put a command; returns its descriptor."""
        md = self._request()
        connection.put1(self._command_queue_name, message, md, self._kit.PMO(Options=mq.MQPMO_NO_SYNCPOINT))
        return md

    def _request(self) -> Any:
        """The descriptor of a command."""
        if self._reply_queue is None:
            raise self._kit.PYIFError("not connected")
        return self._kit.MD(
            Format=b"MQADMIN ",
            MsgType=mq.MQMT_REQUEST,
            ReplyToQ=self._reply_queue_name,
            Feedback=mq.MQFB_NONE,
            Expiry=self._expiry(),
            Report=mq.MQRO_PASS_DISCARD_AND_EXPIRY | mq.MQRO_DISCARD_MSG,
        )

    def _expiry(self) -> int:
        """Of a command, in tenths of a second."""
        return self._response_wait_interval // 100

    def _get_options(self) -> Any:
        options = mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_WAIT
        return self._kit.GMO(
            Options=options | (mq.MQGMO_CONVERT if self._convert else 0),
            Version=mq.MQGMO_VERSION_2,
            MatchOptions=mq.MQMO_MATCH_CORREL_ID,
            WaitInterval=self._response_wait_interval,
        )

    @staticmethod
    def stringify_keys(rawDict: dict[int, Any]) -> dict[Any, Any]:
        """The same with the names of parameters in place of their numbers, where there is one."""
        named: dict[Any, Any] = {}
        for key, value in rawDict.items():
            if isinstance(value, str):
                raise TypeError(f'In Python 3 use bytes, not str (found "{key}":"{value}")')
            names = PCFExecute.caStringDict if isinstance(value, bytes) else PCFExecute.iaStringDict
            named[names[key] if key in names else key] = value
        return named

    stringifyKeys = stringify_keys

    def disconnect(self) -> None:
        """Close the queue for responses; the connection that was given stays."""
        queue, self._reply_queue, self._reply_queue_name = self._reply_queue, None, None
        try:
            if queue is not None and queue.get_handle():
                queue.close()
        except MQMIError:
            return  # The queue is gone with its connection.

    @staticmethod
    def unpack(message: bytes) -> tuple[dict[int, Any], CFH]:
        """Parameters and header of a response, event or statistics message. Raises MQMIError if it says so."""
        header = CFH().unpack(message[:_HEADER])
        if header.CompCode:
            raise MQMIError(header.CompCode, header.Reason)
        return response(message)


__all__ = ["ByteString", "PCFExecute"]
