"""The commands about services that run: DISPLAY SVSTATUS, START SERVICE, STOP SERVICE. Part of model.py."""

from __future__ import annotations

from flintmq.command import channels, status
from flintmq.command.form import GENERIC_NAME, OBJECT_NAME, Form
from flintmq.command.options import ALL, IGNSTATE, WHERE
from flintmq.mqi import pcf_constants as pcf

FORMS = [
    Form(
        "DISPLAY",
        "SVSTATUS",
        "SERVICE",
        GENERIC_NAME,
        channels.service_status,
        ("dsp", "service"),
        pcf.MQCMD_INQUIRE_SERVICE_STATUS,
        "Show the server services that run.",
        "DISPLAY SVSTATUS(*) STATUS PID",
        options=(ALL, WHERE),
        shown=tuple(status.SERVICE_STATUS),
    ),
    Form(
        "START",
        "SERVICE",
        "SERVICE",
        OBJECT_NAME,
        channels.start_service,
        ("ctrl", "service"),
        pcf.MQCMD_START_SERVICE,
        "Run the STARTCMD of a service beside the queue manager.",
        "START SERVICE(ORDERS.MONITOR)",
        options=(IGNSTATE,),
    ),
    Form(
        "STOP",
        "SERVICE",
        "SERVICE",
        OBJECT_NAME,
        channels.stop_service,
        ("ctrl", "service"),
        pcf.MQCMD_STOP_SERVICE,
        "Run the STOPCMD of a server service that runs.",
        "STOP SERVICE(ORDERS.MONITOR)",
        options=(IGNSTATE,),
    ),
]
