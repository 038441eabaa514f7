"""CHANNEL: a server-connection channel, through which clients connect.

The attributes are the queue manager's side of the terms that it agrees with a client.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, choice, enum, integer, text, words
from flintmq.catalogue.kind import CHANNEL_NAMES, CONTROLLED, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import MESSAGE_LENGTH_MAX, NUMBER_MAX
from flintmq.catalogue.words import MONITORING
from flintmq.mqi import channel_constants as ch
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values.services import MQZAO_CONTROL_EXTENDED

_AUTH: Final = {"REQUIRED": ch.MQSCA_REQUIRED, "OPTIONAL": ch.MQSCA_OPTIONAL}
_HEADERS: Final = {"NONE": ch.MQCOMPRESS_NONE, "SYSTEM": ch.MQCOMPRESS_SYSTEM}
_MESSAGES: Final = {
    "NONE": ch.MQCOMPRESS_NONE,
    "RLE": ch.MQCOMPRESS_RLE,
    "ZLIBFAST": ch.MQCOMPRESS_ZLIBFAST,
    "ZLIBHIGH": ch.MQCOMPRESS_ZLIBHIGH,
    "LZ4FAST": ch.MQCOMPRESS_LZ4FAST,
    "LZ4HIGH": ch.MQCOMPRESS_LZ4HIGH,
    "ANY": ch.MQCOMPRESS_ANY,
}
_ATTRIBUTES: Final = (
    enum("CHLTYPE", pcf.MQIACH_CHANNEL_TYPE, {"SVRCONN": ch.MQCHT_SVRCONN}),
    *altered(),
    text("CERTLABL", mq.MQCA_CERT_LABEL, 64),
    words("COMPHDR", pcf.MQIACH_HDR_COMPRESSION, _HEADERS, "NONE"),
    words("COMPMSG", pcf.MQIACH_MSG_COMPRESSION, _MESSAGES, "NONE"),
    text("DESCR", pcf.MQCACH_DESC, 64),
    integer("DISCINT", pcf.MQIACH_DISC_INTERVAL, 0, 0, 999_999),
    integer("HBINT", pcf.MQIACH_HB_INTERVAL, 300, 0, 999_999),
    integer("KAINT", pcf.MQIACH_KEEP_ALIVE_INTERVAL, "AUTO", 0, 99_999, {"AUTO": ch.MQKAI_AUTO}),
    integer("MAXINST", pcf.MQIACH_MAX_INSTANCES, NUMBER_MAX, 0, NUMBER_MAX),
    integer("MAXINSTC", pcf.MQIACH_MAX_INSTS_PER_CLIENT, NUMBER_MAX, 0, NUMBER_MAX),
    integer("MAXMSGL", pcf.MQIACH_MAX_MSG_LENGTH, 4_194_304, 0, MESSAGE_LENGTH_MAX),
    text("MCAUSER", pcf.MQCACH_MCA_USER_ID, 64),
    enum("MONCHL", mq.MQIA_MONITORING_CHANNEL, {"QMGR": mq.MQMON_Q_MGR, "OFF": mq.MQMON_OFF, **MONITORING}),
    integer("SHARECNV", pcf.MQIACH_SHARING_CONVERSATIONS, 10, 0, NUMBER_MAX),
    enum("SSLCAUTH", pcf.MQIACH_SSL_CLIENT_AUTH, _AUTH),
    text("SSLCIPH", pcf.MQCACH_SSL_CIPHER_SPEC, 32),
    text("SSLPEER", pcf.MQCACH_SSL_PEER_NAME, 1024),
    enum("TRPTYPE", pcf.MQIACH_XMIT_PROTOCOL_TYPE, {"TCP": ch.MQXPT_TCP}),
)

KINDS: Final = (
    Kind(
        keyword="CHANNEL",
        title="Channel",
        order=90,
        dump_order=100,
        attributes=_ATTRIBUTES,
        names=CHANNEL_NAMES,
        number=mq.MQOT_CHANNEL,
        type_attribute="CHLTYPE",
        default_object="SYSTEM.DEF.SVRCONN",
        since="SYSTEM.DEF.SVRCONN",
        mqsc=MQSC(
            description="a server-connection channel, through which clients connect",
            example="ORDERS.SVRCONN",
            parameters="CHLTYPE(SVRCONN) SHARECNV(10)",
            synonyms=("CHL",),
            required=("CHLTYPE",),
            selection=choice("CHLTYPE", "ALL SDR SVR RCVR RQSTR CLNTCONN SVRCONN CLUSSDR CLUSRCVR AMQP", "TYPE"),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_CHANNEL,
            change=pcf.MQCMD_CHANGE_CHANNEL,
            delete=pcf.MQCMD_DELETE_CHANNEL,
            inquire=pcf.MQCMD_INQUIRE_CHANNEL,
            copy=pcf.MQCMD_COPY_CHANNEL,
            inquire_names=pcf.MQCMD_INQUIRE_CHANNEL_NAMES,
            name=pcf.MQCACH_CHANNEL_NAME,
            copy_from=pcf.MQCACF_FROM_CHANNEL_NAME,
            copy_to=pcf.MQCACF_TO_CHANNEL_NAME,
            attributes=pcf.MQIACF_CHANNEL_ATTRS,
            names=pcf.MQCACH_CHANNEL_NAMES,
            types=pcf.MQIACH_CHANNEL_TYPES,
            unknown=pcf.MQRCCF_CHANNEL_NOT_FOUND,
            already_exists=pcf.MQRCCF_CHANNEL_ALREADY_EXISTS,
            name_error=pcf.MQRCCF_CHANNEL_NAME_ERROR,
        ),
        messages=Messages(
            created="AMQ8014I",
            changed="AMQ8016I",
            deleted="AMQ8015I",
            shown="AMQ8414I",
            heading="Display Channel details.",
        ),
        authority=Authority(
            object_type="CHANNEL",
            title="Channel",
            number=mq.MQOT_CHANNEL,
            takes=CONTROLLED | MQZAO_CONTROL_EXTENDED,
            words=("channel", "chl"),
        ),
    ),
)
