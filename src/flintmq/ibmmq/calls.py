"""The calls that pymqi does not have, with bytes in and tuples out: MQSTAT, MQSUBRQ, MQCB, MQCTL, MQDLTMH, MQDLTMP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flintmq.ibmmq.structures import CBD, CTLO, DMHO, DMPO, STS
from flintmq.mqi import constants as mq
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.dmho import MQDMHO
from flintmq.mqi.dmpo import MQDMPO
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.reason import (
    MQCC_OK,
    MQRC_CBD_ERROR,
    MQRC_CTLO_ERROR,
    MQRC_DMHO_ERROR,
    MQRC_DMPO_ERROR,
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_NONE,
    MQRC_STS_ERROR,
)
from flintmq.mqi.sts import MQSTS
from flintmq.pymqi import native
from flintmq.pymqi.binding import Binding, find, inside, outcome
from flintmq.pymqi.native import Pair
from flintmq.pymqi.pymqe import called

OF_STS = Pair(STS, MQSTS, MQRC_STS_ERROR)
OF_CBD = Pair(CBD, MQCBD, MQRC_CBD_ERROR)
OF_CTLO = Pair(CTLO, MQCTLO, MQRC_CTLO_ERROR)
OF_DMHO = Pair(DMHO, MQDMHO, MQRC_DMHO_ERROR)
OF_DMPO = Pair(DMPO, MQDMPO, MQRC_DMPO_ERROR)

#: What a callback is called with: descriptor, options, message, context.
Callback = Callable[[bytes, bytes, bytes, Any], None]


def MQSTAT(hconn: int | None, kind: int, sts: bytes) -> tuple[bytes, int, int]:
    """(sts, comp, reason)."""
    found, comp, reason = called(hconn, lambda binding: OF_STS.write(OF_STS.read(sts)[0], binding.mqi.stat(kind)), sts)
    return found, comp, reason


def MQSUBRQ(hconn: int | None, hsub: int, action: int, sro: bytes) -> tuple[bytes, int, int]:
    """(sro, comp, reason)."""

    def work(binding: Binding) -> bytes:
        structure, options = native.OF_SRO.read(sro)
        binding.mqi.subrq(binding.object(hsub), action, options)
        return native.OF_SRO.write(structure, options)

    return called(hconn, work, sro)


def MQDLTMH(hconn: int | None, hmsg: int, dmho: bytes) -> tuple[int, int]:
    """(comp, reason)."""
    return called(hconn, lambda binding: binding.mqi.dltmh(hmsg, OF_DMHO.read(dmho)[1]))[1:]


def MQDLTMP(hconn: int | None, hmsg: int, dmpo: bytes, name: bytes) -> tuple[int, int]:
    """(comp, reason)."""
    wanted = name.decode("utf-8", "replace")
    return called(hconn, lambda binding: binding.mqi.dltmp(hmsg, wanted, OF_DMPO.read(dmpo)[1]))[1:]


def MQCB(
    hconn: int | None, operation: int, cbd: bytes, hobj: int, md: bytes, gmo: bytes, function: Callback | None
) -> tuple[int, int]:
    """(comp, reason). `function` is called for each message, and for events."""

    def arrived(mqi: Any, message_md: Any, message_gmo: Any, data: bytes, cbc: Any) -> None:
        assert function is not None
        structure = native.OF_GMO.read(gmo)[0]
        packed_md = native.write_md(md, message_md) if message_md is not None else md
        packed_gmo = native.OF_GMO.write(structure, message_gmo) if message_gmo is not None else gmo
        function(packed_md, packed_gmo, data, cbc)

    def work(binding: Binding) -> None:
        _check_consume(binding)
        descriptor = OF_CBD.read(cbd)[1]
        handle = binding.object(hobj) if hobj != mq.MQHO_NONE else None
        if operation & mq.MQOP_REGISTER and function is not None:
            descriptor.callback_function = arrived
        options = native.OF_GMO.read(gmo)[1]
        binding.mqi.cb(operation, descriptor, handle, native.read_md(md), options)

    return called(hconn, work)[1:]


def MQCTL(hconn: int | None, operation: int, ctlo: bytes) -> tuple[int, int]:
    """(comp, reason). Others may make calls meanwhile: callbacks do."""
    try:
        binding = find(hconn)
        _check_consume(binding)
        with inside:
            binding.mqi.ctl(operation, OF_CTLO.read(ctlo)[1])
    except (MQError, MQStructuresError) as refused:
        return outcome(refused)
    return MQCC_OK, MQRC_NONE  # What the connection says by now is of a callback's call.


def _check_consume(binding: Binding) -> None:
    if not hasattr(binding.mqi, "cb"):
        raise MQError("there is no asynchronous consume on this connection", MQRC_FUNCTION_NOT_SUPPORTED)
