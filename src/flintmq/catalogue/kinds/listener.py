"""LISTENER: the address at which the queue manager process listens for clients."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, enum, integer, text
from flintmq.catalogue.kind import CONTROLLED, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import NUMBER_MAX
from flintmq.catalogue.words import CONTROL
from flintmq.mqi import channel_constants as ch
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

_ATTRIBUTES: Final = (
    *altered(),
    integer("BACKLOG", pcf.MQIACH_BACKLOG, 100, 0, NUMBER_MAX),
    enum("CONTROL", pcf.MQIACH_LISTENER_CONTROL, CONTROL),
    text("DESCR", pcf.MQCACH_LISTENER_DESC, 64),
    text("IPADDR", pcf.MQCACH_IP_ADDRESS, 48),
    integer("PORT", pcf.MQIACH_PORT, 1414, 0, 65535),
    enum("TRPTYPE", pcf.MQIACH_XMIT_PROTOCOL_TYPE, {"TCP": ch.MQXPT_TCP}),
)

KINDS: Final = (
    Kind(
        keyword="LISTENER",
        title="Listener",
        order=100,
        dump_order=110,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_LISTENER,
        default_object="SYSTEM.DEFAULT.LISTENER.TCP",
        since="SYSTEM.DEFAULT.LISTENER.TCP",
        mqsc=MQSC(
            description="a listener: where the queue manager process listens for clients",
            example="TCP.1",
            parameters="TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)",
            synonyms=("LSTR",),
            required=("TRPTYPE",),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_LISTENER,
            change=pcf.MQCMD_CHANGE_LISTENER,
            delete=pcf.MQCMD_DELETE_LISTENER,
            inquire=pcf.MQCMD_INQUIRE_LISTENER,
            copy=pcf.MQCMD_COPY_LISTENER,
            name=pcf.MQCACH_LISTENER_NAME,
            copy_from=pcf.MQCACF_FROM_LISTENER_NAME,
            copy_to=pcf.MQCACF_TO_LISTENER_NAME,
            attributes=pcf.MQIACF_LISTENER_ATTRS,
        ),
        messages=Messages(
            created="AMQ8626I",
            changed="AMQ8623I",
            deleted="AMQ8628I",
            shown="AMQ8630I",
            heading="Display Listener details.",
        ),
        authority=Authority(
            object_type="LISTENER",
            title="Listener",
            number=mq.MQOT_LISTENER,
            takes=CONTROLLED,
            words=("listener", "lstr"),
        ),
    ),
)
