"""COMMINFO: communication information for multicast.

Definitions are stored and shown; FlintMQ has no multicast.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, enum, integer, text
from flintmq.catalogue.kind import ADMIN, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import NUMBER_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

_CCSID_MAX: Final = 65_535
_EVENTS: Final = {
    "DISABLED": pcf.MQEVR_DISABLED,
    "ENABLED": pcf.MQEVR_ENABLED,
    "EXCEPTION": pcf.MQEVR_EXCEPTION,
}
_PROPERTIES: Final = {
    "ALL": pcf.MQMCP_ALL,
    "REPLY": pcf.MQMCP_REPLY,
    "USER": pcf.MQMCP_USER,
    "NONE": pcf.MQMCP_NONE,
    "COMPAT": pcf.MQMCP_COMPAT,
}
_ENCODINGS: Final = {
    "ASPUB": mq.MQENC_AS_PUBLISHED,
    "NORMAL": mq.MQENC_NORMAL,
    "REVERSED": mq.MQENC_REVERSED,
    "S390": mq.MQENC_S390,
    "TNS": mq.MQENC_TNS,
}
_ATTRIBUTES: Final = (
    enum("TYPE", mq.MQIA_COMM_INFO_TYPE, {"MULTICAST": mq.MQCIT_MULTICAST}),
    *altered(),
    enum("BRIDGE", mq.MQIA_MCAST_BRIDGE, {"ENABLED": mq.MQMCB_ENABLED, "DISABLED": mq.MQMCB_DISABLED}),
    integer("CCSID", mq.MQIA_CODED_CHAR_SET_ID, "ASPUB", 1, _CCSID_MAX, {"ASPUB": mq.MQCCSI_AS_PUBLISHED}),
    enum("COMMEV", mq.MQIA_COMM_EVENT, _EVENTS),
    text("DESCR", mq.MQCA_COMM_INFO_DESC, 64),
    integer("ENCODING", pcf.MQIACF_ENCODING, "ASPUB", 0, NUMBER_MAX, _ENCODINGS),
    text("GRPADDR", pcf.MQCACH_GROUP_ADDRESS, 264),
    integer("MCHBINT", pcf.MQIACH_MC_HB_INTERVAL, 2000, 0, 999_999),
    enum("MCPROP", pcf.MQIACH_MULTICAST_PROPERTIES, _PROPERTIES),
    integer("MONINT", mq.MQIA_MONITOR_INTERVAL, 60, 0, 999_999),
    integer("MSGHIST", pcf.MQIACH_MSG_HISTORY, 100, 0, NUMBER_MAX),
    enum("NSUBHIST", pcf.MQIACH_NEW_SUBSCRIBER_HISTORY, {"NONE": pcf.MQNSH_NONE, "ALL": pcf.MQNSH_ALL}),
    integer("PORT", pcf.MQIACH_PORT, 1414, 0, 65_535),
)

KINDS: Final = (
    Kind(
        keyword="COMMINFO",
        title="Communication information object",
        order=120,
        dump_order=130,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_COMM_INFO,
        type_attribute="TYPE",
        default_object="SYSTEM.DEFAULT.COMMINFO.MULTICAST",
        since="SYSTEM.DEFAULT.COMMINFO.MULTICAST",
        mqsc=MQSC(
            description="a communication information object, for multicast",
            example="ORDERS.MULTICAST",
            parameters="TYPE(MULTICAST) GRPADDR('239.0.0.1')",
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_COMM_INFO,
            change=pcf.MQCMD_CHANGE_COMM_INFO,
            delete=pcf.MQCMD_DELETE_COMM_INFO,
            inquire=pcf.MQCMD_INQUIRE_COMM_INFO,
            copy=pcf.MQCMD_COPY_COMM_INFO,
            name=mq.MQCA_COMM_INFO_NAME,
            copy_from=pcf.MQCACF_FROM_COMM_INFO_NAME,
            copy_to=pcf.MQCACF_TO_COMM_INFO_NAME,
            attributes=pcf.MQIACF_COMM_INFO_ATTRS,
        ),
        messages=Messages(
            created="AMQ8858I",
            changed="AMQ8859I",
            deleted="AMQ8860I",
            shown="AMQ8861I",
            heading="Display communication information details.",
        ),
        authority=Authority(
            object_type="COMMINFO",
            title="Communication information object",
            number=mq.MQOT_COMM_INFO,
            takes=ADMIN,
            words=("comminfo",),
        ),
    ),
)
