"""SERVICE: a program that runs beside the queue manager (server/services.py)."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, enum, text
from flintmq.catalogue.kind import CONTROLLED, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.words import CONTROL
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

_COMMAND_LENGTH: Final = 255
_TYPES: Final = {"COMMAND": mq.MQSVC_TYPE_COMMAND, "SERVER": mq.MQSVC_TYPE_SERVER}
_ATTRIBUTES: Final = (
    *altered(),
    enum("CONTROL", mq.MQIA_SERVICE_CONTROL, CONTROL),
    text("DESCR", mq.MQCA_SERVICE_DESC, 64),
    enum("SERVTYPE", mq.MQIA_SERVICE_TYPE, _TYPES),
    text("STARTARG", mq.MQCA_SERVICE_START_ARGS, _COMMAND_LENGTH),
    text("STARTCMD", mq.MQCA_SERVICE_START_COMMAND, _COMMAND_LENGTH),
    text("STDERR", mq.MQCA_STDERR_DESTINATION, _COMMAND_LENGTH),
    text("STDOUT", mq.MQCA_STDOUT_DESTINATION, _COMMAND_LENGTH),
    text("STOPARG", mq.MQCA_SERVICE_STOP_ARGS, _COMMAND_LENGTH),
    text("STOPCMD", mq.MQCA_SERVICE_STOP_COMMAND, _COMMAND_LENGTH),
)

KINDS: Final = (
    Kind(
        keyword="SERVICE",
        title="Service",
        order=110,
        dump_order=120,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_SERVICE,
        default_object="SYSTEM.DEFAULT.SERVICE",
        since="SYSTEM.DEFAULT.SERVICE",
        mqsc=MQSC(
            description="a service: a program that runs beside the queue manager",
            example="ORDERS.MONITOR",
            parameters="CONTROL(QMGR) SERVTYPE(SERVER) STARTCMD('/opt/orders/monitor') STARTARG('-m +QMNAME+')",
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_SERVICE,
            change=pcf.MQCMD_CHANGE_SERVICE,
            delete=pcf.MQCMD_DELETE_SERVICE,
            inquire=pcf.MQCMD_INQUIRE_SERVICE,
            copy=pcf.MQCMD_COPY_SERVICE,
            name=mq.MQCA_SERVICE_NAME,
            copy_from=pcf.MQCACF_FROM_SERVICE_NAME,
            copy_to=pcf.MQCACF_TO_SERVICE_NAME,
            attributes=pcf.MQIACF_SERVICE_ATTRS,
        ),
        messages=Messages(
            created="AMQ8625I",
            changed="AMQ8624I",
            deleted="AMQ8627I",
            shown="AMQ8629I",
            heading="Display service information details.",
        ),
        authority=Authority(
            object_type="SERVICE",
            title="Service",
            number=mq.MQOT_SERVICE,
            takes=CONTROLLED,
            words=("service", "srvc"),
        ),
    ),
)
