"""MQCB: a function that is called for each message of a queue, or for events of a connection.

def arrived(**given):
    given["queue_manager"], given["queue"], given["md"], given["gmo"], given["msg"], given["cbc"]

cbd = CBD()
cbd.CallbackFunction, cbd.CallbackArea = arrived, anything
queue.cb(operation=CMQC.MQOP_REGISTER, cbd=cbd, md=MD(), gmo=GMO())
queue_manager.ctl(CMQC.MQOP_START, CTLO())
"""

from __future__ import annotations

from typing import Any

from flintmq.ibmmq import calls
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.structures import CBC, CBD, GMO, MD
from flintmq.ibmmq.text import OTelOptions
from flintmq.mqi import constants as mq

#: Members of MQCBC, and what ours are called.
_CONTEXT = {
    "CallType": "call_type", "CompCode": "comp_code", "Reason": "reason", "State": "state", "Flags": "flags",
    "DataLength": "data_length", "BufferLength": "buffer_length", "ReconnectDelay": "reconnect_delay",
}  # fmt: skip


def register(queue_manager: Any, queue: Any, kwargs: dict[str, Any]) -> None:
    """MQCB with the keywords of `cb`: operation, md, cbd, gmo."""
    operation = kwargs.get("operation", mq.MQOP_REGISTER)
    cbd, md, gmo = kwargs.get("cbd") or CBD(), kwargs.get("md") or MD(), kwargs.get("gmo") or GMO()
    for name, value, kind in (("cbd", cbd, CBD), ("md", md, MD), ("gmo", gmo, GMO)):
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be an instance of {kind.__name__}")
    options = kwargs.get("otel_options")
    if options is not None and not isinstance(options, OTelOptions):
        raise TypeError("otel_options must be an instance of OTelOptions")
    function, area = cbd.CallbackFunction, cbd.CallbackArea
    hobj = mq.MQHO_NONE if queue is None else queue.get_handle()

    def arrived(packed_md: bytes, packed_gmo: bytes, data: bytes, context: Any) -> None:
        cbc = CBC(**{member: getattr(context, ours) for member, ours in _CONTEXT.items()}, Hobj=hobj)
        cbc.CallbackArea, cbc.CallbackFunction = area, function
        cbc.ConnectionArea = queue_manager._connection_area
        function(
            queue_manager=queue_manager,
            queue=queue,
            md=MD().unpack(packed_md),
            gmo=GMO().unpack(packed_gmo),
            msg=data if cbc.CallType in _WITH_MESSAGE else None,
            cbc=cbc,
        )

    IBMMQ.check(
        *calls.MQCB(
            queue_manager.get_handle(),
            operation,
            cbd.pack(),
            hobj,
            md.pack(),
            gmo.pack(),
            arrived if callable(function) else None,
        )
    )


_WITH_MESSAGE = (mq.MQCBCT_MSG_REMOVED, mq.MQCBCT_MSG_NOT_REMOVED)
