"""The commands about services that run: DISPLAY SVSTATUS, START SERVICE, STOP SERVICE. Part of model.py."""

from __future__ import annotations

from flintmq.command import channels, status
from flintmq.command.form import GENERIC_NAME, OBJECT_NAME, Form
from flintmq.command.options import ALL, IGNSTATE, WHERE
from flintmq.mqi.pcf_constants import MQCMD_INQUIRE_SERVICE_STATUS, MQCMD_START_SERVICE, MQCMD_STOP_SERVICE

FORMS = [
    Form(
        verb="DISPLAY",
        noun="SVSTATUS",
        kind="SERVICE",
        name=GENERIC_NAME,
        handler=channels.service_status,
        authority=("dsp", "service"),
        pcf_command=MQCMD_INQUIRE_SERVICE_STATUS,
        summary="Show the server services that run.",
        example="DISPLAY SVSTATUS(*) STATUS PID",
        options=(ALL, WHERE),
        shown=tuple(status.SERVICE_STATUS),
    ),
    Form(
        verb="START",
        noun="SERVICE",
        kind="SERVICE",
        name=OBJECT_NAME,
        handler=channels.start_service,
        authority=("ctrl", "service"),
        pcf_command=MQCMD_START_SERVICE,
        summary="Run the STARTCMD of a service beside the queue manager.",
        example="START SERVICE(ORDERS.MONITOR)",
        options=(IGNSTATE,),
    ),
    Form(
        verb="STOP",
        noun="SERVICE",
        kind="SERVICE",
        name=OBJECT_NAME,
        handler=channels.stop_service,
        authority=("ctrl", "service"),
        pcf_command=MQCMD_STOP_SERVICE,
        summary="Run the STOPCMD of a server service that runs.",
        example="STOP SERVICE(ORDERS.MONITOR)",
        options=(IGNSTATE,),
    ),
]
