"""The attributes of SERVICE objects (programs that run beside the queue manager) and COMMINFO objects (multicast).

A SERVICE is acted on by server/services.py. A COMMINFO is kept and shown; FlintMQ has no multicast.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import Attribute
from flintmq.catalogue.attribute_makers import altered, enum, integer, text
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

COMMAND_LENGTH: Final = 255
_NUMBER_MAX: Final = 999_999_999
_CCSID_MAX: Final = 65_535

#: When a listener or a service starts and ends.
CONTROL: Final = {
    "MANUAL": mq.MQSVC_CONTROL_MANUAL,
    "QMGR": mq.MQSVC_CONTROL_Q_MGR,
    "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START,
}


def service() -> list[Attribute]:
    """Return the attributes of a SERVICE."""
    types = {"COMMAND": mq.MQSVC_TYPE_COMMAND, "SERVER": mq.MQSVC_TYPE_SERVER}
    return [
        *altered(),
        enum("CONTROL", mq.MQIA_SERVICE_CONTROL, CONTROL),
        text("DESCR", mq.MQCA_SERVICE_DESC, 64),
        enum("SERVTYPE", mq.MQIA_SERVICE_TYPE, types),
        text("STARTARG", mq.MQCA_SERVICE_START_ARGS, COMMAND_LENGTH),
        text("STARTCMD", mq.MQCA_SERVICE_START_COMMAND, COMMAND_LENGTH),
        text("STDERR", mq.MQCA_STDERR_DESTINATION, COMMAND_LENGTH),
        text("STDOUT", mq.MQCA_STDOUT_DESTINATION, COMMAND_LENGTH),
        text("STOPARG", mq.MQCA_SERVICE_STOP_ARGS, COMMAND_LENGTH),
        text("STOPCMD", mq.MQCA_SERVICE_STOP_COMMAND, COMMAND_LENGTH),
    ]


def communication_information() -> list[Attribute]:
    """Return the attributes of a COMMINFO."""
    events = {
        "DISABLED": pcf.MQEVR_DISABLED,
        "ENABLED": pcf.MQEVR_ENABLED,
        "EXCEPTION": pcf.MQEVR_EXCEPTION,
    }
    properties = {
        "ALL": pcf.MQMCP_ALL,
        "REPLY": pcf.MQMCP_REPLY,
        "USER": pcf.MQMCP_USER,
        "NONE": pcf.MQMCP_NONE,
        "COMPAT": pcf.MQMCP_COMPAT,
    }
    encodings = {
        "ASPUB": mq.MQENC_AS_PUBLISHED,
        "NORMAL": mq.MQENC_NORMAL,
        "REVERSED": mq.MQENC_REVERSED,
        "S390": mq.MQENC_S390,
        "TNS": mq.MQENC_TNS,
    }
    return [
        enum("TYPE", mq.MQIA_COMM_INFO_TYPE, {"MULTICAST": mq.MQCIT_MULTICAST}),
        *altered(),
        enum("BRIDGE", mq.MQIA_MCAST_BRIDGE, {"ENABLED": mq.MQMCB_ENABLED, "DISABLED": mq.MQMCB_DISABLED}),
        integer("CCSID", mq.MQIA_CODED_CHAR_SET_ID, "ASPUB", 1, _CCSID_MAX, {"ASPUB": mq.MQCCSI_AS_PUBLISHED}),
        enum("COMMEV", mq.MQIA_COMM_EVENT, events),
        text("DESCR", mq.MQCA_COMM_INFO_DESC, 64),
        integer("ENCODING", pcf.MQIACF_ENCODING, "ASPUB", 0, _NUMBER_MAX, encodings),
        text("GRPADDR", pcf.MQCACH_GROUP_ADDRESS, 264),
        integer("MCHBINT", pcf.MQIACH_MC_HB_INTERVAL, 2000, 0, 999_999),
        enum("MCPROP", pcf.MQIACH_MULTICAST_PROPERTIES, properties),
        integer("MONINT", mq.MQIA_MONITOR_INTERVAL, 60, 0, 999_999),
        integer("MSGHIST", pcf.MQIACH_MSG_HISTORY, 100, 0, _NUMBER_MAX),
        enum("NSUBHIST", pcf.MQIACH_NEW_SUBSCRIBER_HISTORY, {"NONE": pcf.MQNSH_NONE, "ALL": pcf.MQNSH_ALL}),
        integer("PORT", pcf.MQIACH_PORT, 1414, 0, 65_535),
    ]
