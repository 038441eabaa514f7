"""The calls of the MQI as pymqi's C module has them: numbers and bytes in, tuples with completion and reason code out.

    handle, od, comp, reason = pymqe.MQOPEN(hconn, od.pack(), CMQC.MQOO_OUTPUT)

No function raises for an answer of the queue manager; `error` is for a buffer that does not have the length of its
structure. The classes of this package are written over these calls, and `flintmq.ibmmq` over the same ones.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from flintmq.mqi import constants as mq
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.pd import MQPD
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    MQRC_ENVIRONMENT_ERROR,
    MQRC_NO_EXTERNAL_PARTICIPANTS,
    MQRC_NONE,
)
from flintmq.pymqi import native
from flintmq.pymqi.binding import Binding, bind_local, bind_remote, drop, finalise, find, inside, outcome, register
from flintmq.pymqi.channel import channel_options, reconnect_option
from flintmq.pymqi.native import error as error
from flintmq.pymqi.records import Records

__version__: Final = "1.12.11"
__mqlevels__: Final = ("5.0", "5.1", "5.2", "5.3", "6.0", "7.0", "7.1", "7.5", "8.0.0", "9.0.0", "9.1.0", "9.2.0")
__mqbuild__: Final = "client"

_NO_HANDLE: Final = -1
_NATIVE: Final = ">" if native.BIG_ENDIAN else "<"

#: Type of a property to the struct code of its value.
_NUMBERS: Final = {
    mq.MQTYPE_BOOLEAN: "i",
    mq.MQTYPE_INT8: "b",
    mq.MQTYPE_INT16: "h",
    mq.MQTYPE_INT32: "i",
    mq.MQTYPE_INT64: "q",
    mq.MQTYPE_FLOAT32: "f",
    mq.MQTYPE_FLOAT64: "d",
}


def called(hconn: int | None, work: Callable[[Binding], Any], nothing: Any = None) -> tuple[Any, int, int]:
    """Make a call on a connection: return its result (`nothing` if it failed), completion and reason code."""
    try:
        binding = find(hconn)
        with inside, binding.lock:
            result = work(binding)
            return result, binding.mqi.completion, binding.mqi.reason
    except (MQError, MQStructuresError) as refused:
        return nothing, *outcome(refused)


# -- connecting --------------------------------------------------------------------------------------------------------


def MQCONN(name: bytes | str) -> tuple[int, int, int]:
    """(Hconn, comp, reason)."""
    return connected(lambda: bind_local(_text(name)))


def MQCONNX(
    name: bytes | str,
    options: int,
    cd: bytes | None,
    user_password: dict[str, bytes],
    sco: bytes | None = None,
) -> tuple[int, int, int]:
    """(Hconn, comp, reason)."""
    credentials = {key: _text(value) for key, value in user_password.items()}

    def connect() -> Binding:
        if cd is None:
            return bind_local(_text(name), **credentials, **reconnect_option(options))
        return bind_remote(_text(name), **channel_options(cd, sco, options), **credentials)

    return connected(connect)


def connected(connect: Callable[[], Binding]) -> tuple[int, int, int]:
    """Connect: (Hconn, comp, reason)."""
    try:
        with inside:
            return register(connect()), MQCC_OK, MQRC_NONE
    except (MQError, MQStructuresError) as refused:
        return _NO_HANDLE, *outcome(refused)


def MQDISC(hconn: int) -> tuple[int, int]:
    """(comp, reason). Uncommitted work is committed, or else backed out, with 2003."""
    try:
        with inside:
            drop(hconn)
    except MQError as refused:
        return outcome(refused)
    return MQCC_OK, MQRC_NONE


# -- units of work -----------------------------------------------------------------------------------------------------


def MQBEGIN(hconn: int | None) -> tuple[int, int]:
    """(comp, reason): there is no coordination of other resource managers, as in any client."""
    try:
        binding = find(hconn)
    except MQError as refused:
        return outcome(refused)
    return (MQCC_FAILED, MQRC_ENVIRONMENT_ERROR) if binding.remote else (MQCC_WARNING, MQRC_NO_EXTERNAL_PARTICIPANTS)


def MQCMIT(hconn: int | None) -> tuple[int, int]:
    """(comp, reason)."""
    return _ended(hconn, lambda binding: binding.mqi.cmit())


def MQBACK(hconn: int | None) -> tuple[int, int]:
    """(comp, reason)."""
    return _ended(hconn, lambda binding: binding.mqi.back())


def _ended(hconn: int | None, work: Callable[[Binding], None]) -> tuple[int, int]:
    try:
        binding = find(hconn)
        with inside, binding.lock:
            work(binding)
    except MQError as refused:
        return outcome(refused)
    return MQCC_OK, MQRC_NONE


# -- objects -----------------------------------------------------------------------------------------------------------


def MQOPEN(hconn: int | None, od: bytes, options: int) -> tuple[int, bytes, int, int]:
    """(Hobj, od, comp, reason)."""
    written = od

    def work(binding: Binding) -> int:
        nonlocal written
        structure, ours = native.OF_OD.read(od)
        records = Records(structure).of_od(ours)
        try:
            handle = binding.mqi.open(ours, options)
        finally:
            records.answer()
        written = native.OF_OD.write(structure, ours)
        return binding.keep(handle)

    number, comp, reason = called(hconn, work, _NO_HANDLE)
    return number, written, comp, reason


def MQCLOSE(hconn: int | None, hobj: int, options: int) -> tuple[int, int]:
    """(comp, reason)."""

    def work(binding: Binding) -> None:
        binding.mqi.close(binding.object(hobj), options)
        binding.forget(hobj)

    return called(hconn, work)[1:]


def finalised(hconn: int | None, hobj: int) -> None:
    """An object was dropped without a close, and perhaps in the middle of another call."""
    if hconn is not None:
        with suppress(Exception):  # The connection is gone, and the handle with it.
            finalise(hconn, lambda: MQCLOSE(hconn, hobj, mq.MQCO_NONE))


def MQINQ(hconn: int | None, hobj: int, selector: int) -> tuple[int | bytes | None, int, int]:
    """(value, comp, reason): a number, or characters filled up with blanks."""
    return called(hconn, lambda binding: inquired(binding, hobj, [selector])[selector])


def inquired(binding: Binding, hobj: int, selectors: list[int]) -> dict[int, int | bytes]:
    """Attributes by selector. Raises MQError."""
    found = binding.mqi.inq(binding.object(hobj), selectors)
    integers, characters = iter(found.integers), iter(found.characters)
    values: dict[int, int | bytes] = {}
    for selector in selectors:
        if mq.MQCA_FIRST <= selector <= mq.MQCA_LAST:
            values[selector] = next(characters, "").encode("utf-8")
        else:
            values[selector] = next(integers, mq.MQIAV_UNDEFINED)
    return values


def MQSET(hconn: int | None, hobj: int, selector: int, value: int | bytes) -> tuple[int, int]:
    """(comp, reason)."""

    def work(binding: Binding) -> None:
        handle = binding.object(hobj)
        if isinstance(value, bytes):
            binding.mqi.set(handle, [selector], [], value.replace(b"\0", b" ").decode("utf-8", "replace"))
        else:
            binding.mqi.set(handle, [selector], [value], "")

    return called(hconn, work)[1:]


# -- messages ----------------------------------------------------------------------------------------------------------


def MQPUT(hconn: int | None, hobj: int, md: bytes, pmo: bytes, message: bytes) -> tuple[bytes, bytes, int, int]:
    """(md, pmo, comp, reason)."""
    return _put(hconn, md, pmo, lambda binding, *rest: binding.mqi.put(binding.object(hobj), *rest, message))


def MQPUT1(hconn: int | None, od: bytes, md: bytes, pmo: bytes, message: bytes) -> tuple[bytes, bytes, int, int]:
    """(md, pmo, comp, reason)."""

    def put1(binding: Binding, *rest: Any) -> None:
        structure, ours = native.OF_OD.read(od)
        records = Records(structure).of_od(ours)
        try:
            binding.mqi.put1(ours, *rest, message)
        finally:
            records.answer()

    return _put(hconn, md, pmo, put1)


def _put(hconn: int | None, md: bytes, pmo: bytes, put: Callable[..., None]) -> tuple[bytes, bytes, int, int]:
    written = md, pmo
    native.check_size(md, native.MD_SIZE, "MQMD")

    def work(binding: Binding) -> None:
        nonlocal written
        descriptor = native.read_md(md)
        structure, options = native.OF_PMO.read(pmo)
        records = Records(structure).of_pmo(options)
        try:
            put(binding, descriptor, options)
        finally:
            records.answer()
        written = native.write_md(md, descriptor), native.OF_PMO.write(structure, options)

    _, comp, reason = called(hconn, work)
    return *written, comp, reason


def MQGET(
    hconn: int | None, hobj: int, md: bytes, gmo: bytes, max_length: int
) -> tuple[bytes, bytes, bytes, int, int, int]:
    """(message, md, gmo, length, comp, reason); the message is cut to `max_length`, its length is the whole one."""
    written, length = (md, gmo), 0
    native.check_size(md, native.MD_SIZE, "MQMD")

    def work(binding: Binding) -> bytes:
        nonlocal written, length
        handle = binding.object(hobj)
        descriptor = native.read_md(md)
        structure, options = native.OF_GMO.read(gmo)
        message: bytes = binding.mqi.get(handle, descriptor, options, max_length)
        length = binding.mqi.data_length
        written = native.write_md(md, descriptor), native.OF_GMO.write(structure, options)
        return message

    message, comp, reason = called(hconn, work, b"")
    return message, *written, length, comp, reason


# -- publish/subscribe -------------------------------------------------------------------------------------------------


def MQSUB(hconn: int | None, sd: bytes, hobj: int) -> tuple[bytes, int, int, int, int]:
    """(sd, Hobj, Hsub, comp, reason)."""
    written, queue = sd, hobj

    def work(binding: Binding) -> int:
        nonlocal written, queue
        structure, ours = native.OF_SD.read(sd)
        given = binding.object(hobj) if hobj not in (mq.MQHO_NONE, mq.MQHO_UNUSABLE_HOBJ) else None
        destination, subscription = binding.mqi.sub(ours, given)
        written = native.OF_SD.write(structure, ours)
        if destination is not given:
            queue = binding.keep(destination)
        return binding.keep(subscription)

    number, comp, reason = called(hconn, work, _NO_HANDLE)
    return written, queue, number, comp, reason


# -- message handles and properties ------------------------------------------------------------------------------------


def MQCRTMH(hconn: int | None, cmho: bytes) -> tuple[int, int, int]:
    """(Hmsg, comp, reason)."""
    return called(hconn, lambda binding: binding.mqi.crtmh(native.OF_CMHO.read(cmho)[1]), 0)


def MQSETMP(
    hconn: int | None, hmsg: int, smpo: bytes, name: bytes, pd: bytes, kind: int, value: Any, length: int
) -> tuple[int, int]:
    """(comp, reason). `value` is one of Python; `length` cuts a string."""
    given = property_value(kind, value, length)

    def work(binding: Binding) -> None:
        options, described = native.OF_SMPO.read(smpo)[1], native.OF_PD.read(pd)[1]
        binding.mqi.setmp(hmsg, _text(name), given, kind, described, options)

    return called(hconn, work)[1:]


def property_value(kind: int, value: Any, length: int) -> Any:
    """`value` as the type of the property wants it. Raises TypeError for one that it cannot be."""
    if kind == mq.MQTYPE_STRING:
        if not isinstance(value, str):
            raise TypeError(f"a property of type MQTYPE_STRING is a str, not {type(value).__name__}")
        raw = value.encode("utf-8")
        return (raw if length < 0 else raw[:length]).decode("utf-8", "replace")
    if kind == mq.MQTYPE_BYTE_STRING:
        if not isinstance(value, bytes):
            raise TypeError(f"a property of type MQTYPE_BYTE_STRING is bytes, not {type(value).__name__}")
        return value if length < 0 else value[:length]
    if kind == mq.MQTYPE_NULL:
        return None
    if kind == mq.MQTYPE_BOOLEAN:
        return bool(value)
    return float(value) if kind in (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64) else value


def MQINQMP(
    hconn: int | None, hmsg: int, impo_options: int, name: bytes, pd_options: int, kind: int, max_length: int
) -> tuple[Any, int, int, int]:
    """(value, length, comp, reason). The length is that of the whole value, also if it did not fit."""
    impo, pd = MQIMPO(), MQPD()
    impo.options, pd.options = impo_options, pd_options
    return inquire_property(hconn, hmsg, impo, name, pd, kind, max_length)


def inquire_property(
    hconn: int | None, hmsg: int, impo: MQIMPO, name: bytes, pd: MQPD, kind: int, max_length: int
) -> tuple[Any, int, int, int]:
    """The same with structures."""
    length = 0

    def work(binding: Binding) -> Any:
        nonlocal length
        binding.mqi.data_length = 0
        try:
            found = binding.mqi.inqmp(hmsg, _text(name), impo, pd, kind, max_length)
        finally:
            length = binding.mqi.data_length
        return _python_value(found.kind, found.data)

    value, comp, reason = called(hconn, work)
    return value, length, comp, reason


def _python_value(kind: int, data: bytes) -> Any:
    if kind == mq.MQTYPE_NULL:
        return None
    if kind == mq.MQTYPE_STRING:
        return data.decode("utf-8", "replace")
    code = _NUMBERS.get(kind)
    if code is None:
        return data
    return struct.unpack(_NATIVE + code, data[: struct.calcsize(code)])[0]


def _text(value: bytes | str) -> str:
    """A name: bytes up to a NUL, without trailing blanks."""
    if isinstance(value, bytes):
        value = value.partition(b"\0")[0].decode("utf-8", "replace")
    return value.rstrip(" ")
