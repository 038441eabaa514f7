"""QLOCAL, QALIAS, QREMOTE and QMODEL: the kinds of queues. They share a name space and most attributes."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import Attribute
from flintmq.catalogue.attribute_makers import (
    altered,
    choice,
    enum,
    flag,
    integer,
    live,
    name,
    renamed,
    settable,
    shown,
    text,
)
from flintmq.catalogue.kind import ADMIN, CONTEXT, MQSC, PCF, QUEUE, Authority, Kind, Messages
from flintmq.catalogue.limits import MESSAGE_LENGTH_MAX, NUMBER_MAX
from flintmq.catalogue.words import EVENTS, MONITORING, YES_NO
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.reason import (
    MQRC_CHAR_ATTR_LENGTH_ERROR,
    MQRC_INHIBIT_VALUE_ERROR,
    MQRC_TRIGGER_CONTROL_ERROR,
    MQRC_TRIGGER_DEPTH_ERROR,
    MQRC_TRIGGER_MSG_PRIORITY_ERR,
    MQRC_TRIGGER_TYPE_ERROR,
)
from flintmq.mqi.values.services import MQZAO_BROWSE, MQZAO_CLEAR, MQZAO_INPUT, MQZAO_INQUIRE, MQZAO_OUTPUT, MQZAO_SET

_Q_MGR_ON_OFF: Final = {"QMGR": mq.MQMON_Q_MGR, "ON": mq.MQMON_ON, "OFF": mq.MQMON_OFF}
_INHIBIT: Final = {"ENABLED": mq.MQQA_GET_ALLOWED, "DISABLED": mq.MQQA_GET_INHIBITED}

#: Every queue attribute with the kinds that have it: L local, M model, A alias, R remote. A model says what kind of
#: queue it makes (DEFTYPE), a local queue how it was made.
_TABLE: Final[tuple[tuple[str, Attribute], ...]] = (
    ("LM", enum("ACCTQ", mq.MQIA_ACCOUNTING_Q, _Q_MGR_ON_OFF)),
    *[("LMAR", attribute) for attribute in altered()],
    ("LM", name("BOQNAME", mq.MQCA_BACKOUT_REQ_Q_NAME)),
    ("LM", integer("BOTHRESH", mq.MQIA_BACKOUT_THRESHOLD, 0, 0, NUMBER_MAX)),
    (
        "LMAR",
        integer("CAPEXPRY", mq.MQIA_CAP_EXPIRY, "NOLIMIT", 1, NUMBER_MAX, {"NOLIMIT": mq.MQCEX_NOLIMIT}),
    ),
    ("LAR", name("CLUSNL", mq.MQCA_CLUSTER_NAMELIST)),
    ("LAR", name("CLUSTER", mq.MQCA_CLUSTER_NAME)),
    ("L", text("CLCHNAME", mq.MQCA_CLUS_CHL_NAME, 20)),
    ("LAR", integer("CLWLPRTY", mq.MQIA_CLWL_Q_PRIORITY, 0, 0, 9)),
    ("LAR", integer("CLWLRANK", mq.MQIA_CLWL_Q_RANK, 0, 0, 9)),
    (
        "L",
        enum(
            "CLWLUSEQ",
            mq.MQIA_CLWL_USEQ,
            {"QMGR": mq.MQCLWL_USEQ_AS_Q_MGR, "ANY": mq.MQCLWL_USEQ_ANY, "LOCAL": mq.MQCLWL_USEQ_LOCAL},
        ),
    ),
    ("LM", shown(text("CRDATE", mq.MQCA_CREATION_DATE, 12))),
    ("LM", shown(text("CRTIME", mq.MQCA_CREATION_TIME, 8))),
    ("L", live(integer("CURDEPTH", mq.MQIA_CURRENT_Q_DEPTH, 0, 0, NUMBER_MAX))),
    ("LMAR", text("CUSTOM", mq.MQCA_CUSTOM, 128)),
    (
        "LAR",
        enum(
            "DEFBIND",
            mq.MQIA_DEF_BIND,
            {
                "OPEN": mq.MQBND_BIND_ON_OPEN,
                "NOTFIXED": mq.MQBND_BIND_NOT_FIXED,
                "GROUP": mq.MQBND_BIND_ON_GROUP,
            },
        ),
    ),
    ("LMAR", integer("DEFPRTY", mq.MQIA_DEF_PRIORITY, 0, 0, 9)),
    ("LMAR", enum("DEFPSIST", mq.MQIA_DEF_PERSISTENCE, YES_NO, "NO")),
    (
        "LMAR",
        enum(
            "DEFPRESP",
            mq.MQIA_DEF_PUT_RESPONSE_TYPE,
            {"SYNC": mq.MQPRT_SYNC_RESPONSE, "ASYNC": mq.MQPRT_ASYNC_RESPONSE},
        ),
    ),
    (
        "LMA",
        enum(
            "DEFREADA",
            mq.MQIA_DEF_READ_AHEAD,
            {"NO": mq.MQREADA_NO, "YES": mq.MQREADA_YES, "DISABLED": mq.MQREADA_DISABLED},
        ),
    ),
    (
        "L",
        enum(
            "DEFSOPT",
            mq.MQIA_DEF_INPUT_OPEN_OPTION,
            {"SHARED": mq.MQOO_INPUT_SHARED, "EXCL": mq.MQOO_INPUT_EXCLUSIVE},
            "SHARED",
        ),
    ),
    (
        "M",
        enum(
            "DEFSOPT",
            mq.MQIA_DEF_INPUT_OPEN_OPTION,
            {"SHARED": mq.MQOO_INPUT_SHARED, "EXCL": mq.MQOO_INPUT_EXCLUSIVE},
            "EXCL",
        ),
    ),
    (
        "L",
        shown(
            enum(
                "DEFTYPE",
                mq.MQIA_DEFINITION_TYPE,
                {
                    "PREDEFINED": mq.MQQDT_PREDEFINED,
                    "PERMDYN": mq.MQQDT_PERMANENT_DYNAMIC,
                    "TEMPDYN": mq.MQQDT_TEMPORARY_DYNAMIC,
                },
            )
        ),
    ),
    (
        "M",
        enum(
            "DEFTYPE",
            mq.MQIA_DEFINITION_TYPE,
            {"TEMPDYN": mq.MQQDT_TEMPORARY_DYNAMIC, "PERMDYN": mq.MQQDT_PERMANENT_DYNAMIC},
        ),
    ),
    ("LMAR", text("DESCR", mq.MQCA_Q_DESC, 64)),
    ("LM", settable(enum("DISTL", mq.MQIA_DIST_LISTS, YES_NO, "NO"), MQRC_INHIBIT_VALUE_ERROR)),
    ("LMA", settable(enum("GET", mq.MQIA_INHIBIT_GET, _INHIBIT), MQRC_INHIBIT_VALUE_ERROR)),
    (
        "LM",
        flag(
            "HARDENBO",
            mq.MQIA_HARDEN_GET_BACKOUT,
            mq.MQQA_BACKOUT_HARDENED,
            mq.MQQA_BACKOUT_NOT_HARDENED,
            "HARDENBO",
        ),
    ),
    (
        "LM",
        enum(
            "IMGRCOVQ",
            mq.MQIA_MEDIA_IMAGE_RECOVER_Q,
            {"QMGR": mq.MQIMGRCOV_AS_Q_MGR, "YES": mq.MQIMGRCOV_YES, "NO": mq.MQIMGRCOV_NO},
        ),
    ),
    (
        "LM",
        enum(
            "INDXTYPE",
            mq.MQIA_INDEX_TYPE,
            {
                "NONE": mq.MQIT_NONE,
                "MSGID": mq.MQIT_MSG_ID,
                "CORRELID": mq.MQIT_CORREL_ID,
                "GROUPID": mq.MQIT_GROUP_ID,
                "MSGTOKEN": mq.MQIT_MSG_TOKEN,
            },
        ),
    ),
    ("LM", name("INITQ", mq.MQCA_INITIATION_Q_NAME)),
    ("L", live(integer("IPPROCS", mq.MQIA_OPEN_INPUT_COUNT, 0, 0, NUMBER_MAX))),
    ("LM", integer("MAXDEPTH", mq.MQIA_MAX_Q_DEPTH, 5000, 0, NUMBER_MAX)),
    (
        "LM",
        integer("MAXFSIZE", mq.MQIA_MAX_Q_FILE_SIZE, "DEFAULT", 20, 267_386_880, {"DEFAULT": mq.MQQFS_DEFAULT}),
    ),
    ("LM", integer("MAXMSGL", mq.MQIA_MAX_MSG_LENGTH, 4_194_304, 0, MESSAGE_LENGTH_MAX)),
    (
        "LM",
        enum("MONQ", mq.MQIA_MONITORING_Q, {"QMGR": mq.MQMON_Q_MGR, "OFF": mq.MQMON_OFF, **MONITORING}),
    ),
    (
        "LM",
        enum("MSGDLVSQ", mq.MQIA_MSG_DELIVERY_SEQUENCE, {"PRIORITY": mq.MQMDS_PRIORITY, "FIFO": mq.MQMDS_FIFO}),
    ),
    (
        "LM",
        settable(
            flag("TRIGGER", mq.MQIA_TRIGGER_CONTROL, mq.MQTC_ON, mq.MQTC_OFF, "NOTRIGGER"), MQRC_TRIGGER_CONTROL_ERROR
        ),
    ),
    (
        "LM",
        enum("NPMCLASS", mq.MQIA_NPM_CLASS, {"NORMAL": mq.MQNPM_CLASS_NORMAL, "HIGH": mq.MQNPM_CLASS_HIGH}),
    ),
    ("L", live(integer("OPPROCS", mq.MQIA_OPEN_OUTPUT_COUNT, 0, 0, NUMBER_MAX))),
    ("LM", name("PROCESS", mq.MQCA_PROCESS_NAME)),
    ("LMAR", settable(enum("PUT", mq.MQIA_INHIBIT_PUT, _INHIBIT), MQRC_INHIBIT_VALUE_ERROR)),
    (
        "LMA",
        enum(
            "PROPCTL",
            mq.MQIA_PROPERTY_CONTROL,
            {
                "COMPAT": mq.MQPROP_COMPATIBILITY,
                "ALL": mq.MQPROP_ALL,
                "FORCE": mq.MQPROP_FORCE_MQRFH2,
                "NONE": mq.MQPROP_NONE,
                "V6COMPAT": mq.MQPROP_V6COMPAT,
            },
        ),
    ),
    ("LM", integer("QDEPTHHI", mq.MQIA_Q_DEPTH_HIGH_LIMIT, 80, 0, 100)),
    ("LM", integer("QDEPTHLO", mq.MQIA_Q_DEPTH_LOW_LIMIT, 20, 0, 100)),
    ("LM", enum("QDPHIEV", mq.MQIA_Q_DEPTH_HIGH_EVENT, EVENTS)),
    ("LM", enum("QDPLOEV", mq.MQIA_Q_DEPTH_LOW_EVENT, EVENTS)),
    ("LM", enum("QDPMAXEV", mq.MQIA_Q_DEPTH_MAX_EVENT, EVENTS, "ENABLED")),
    (
        "LM",
        enum(
            "QSVCIEV",
            mq.MQIA_Q_SERVICE_INTERVAL_EVENT,
            {"NONE": pcf.MQQSIE_NONE, "HIGH": pcf.MQQSIE_HIGH, "OK": pcf.MQQSIE_OK},
        ),
    ),
    ("LM", integer("QSVCINT", mq.MQIA_Q_SERVICE_INTERVAL, NUMBER_MAX, 0, NUMBER_MAX)),
    ("LM", integer("RETINTVL", mq.MQIA_RETENTION_INTERVAL, NUMBER_MAX, 0, NUMBER_MAX)),
    ("R", text("RNAME", mq.MQCA_REMOTE_Q_NAME, 48)),
    ("R", name("RQMNAME", mq.MQCA_REMOTE_Q_MGR_NAME)),
    ("LAR", enum("SCOPE", mq.MQIA_SCOPE, {"QMGR": pcf.MQSCO_Q_MGR, "CELL": pcf.MQSCO_CELL})),
    ("L", flag("SHARE", mq.MQIA_SHAREABILITY, mq.MQQA_SHAREABLE, mq.MQQA_NOT_SHAREABLE, "SHARE")),
    ("M", flag("SHARE", mq.MQIA_SHAREABILITY, mq.MQQA_SHAREABLE, mq.MQQA_NOT_SHAREABLE, "NOSHARE")),
    ("LM", enum("STATQ", mq.MQIA_STATISTICS_Q, _Q_MGR_ON_OFF)),
    ("LM", name("STGCLASS", mq.MQCA_STORAGE_CLASS, 8, "DEFAULT")),
    ("LM", name("STREAMQ", mq.MQCA_STREAM_QUEUE_NAME)),
    (
        "LM",
        enum("STRMQOS", mq.MQIA_STREAM_QUEUE_QOS, {"BESTEF": mq.MQST_BEST_EFFORT, "MUSTDUP": mq.MQST_MUST_DUP}),
    ),
    ("A", renamed(name("TARGET", mq.MQCA_BASE_OBJECT_NAME), "TARGQ")),
    ("A", enum("TARGTYPE", mq.MQIA_BASE_TYPE, {"QUEUE": mq.MQOT_Q, "TOPIC": mq.MQOT_TOPIC})),
    ("LM", settable(text("TRIGDATA", mq.MQCA_TRIGGER_DATA, 64), MQRC_CHAR_ATTR_LENGTH_ERROR)),
    ("LM", settable(integer("TRIGDPTH", mq.MQIA_TRIGGER_DEPTH, 1, 1, NUMBER_MAX), MQRC_TRIGGER_DEPTH_ERROR)),
    ("LM", settable(integer("TRIGMPRI", mq.MQIA_TRIGGER_MSG_PRIORITY, 0, 0, 9), MQRC_TRIGGER_MSG_PRIORITY_ERR)),
    (
        "LM",
        settable(
            enum(
                "TRIGTYPE",
                mq.MQIA_TRIGGER_TYPE,
                {"FIRST": mq.MQTT_FIRST, "EVERY": mq.MQTT_EVERY, "DEPTH": mq.MQTT_DEPTH, "NONE": mq.MQTT_NONE},
            ),
            MQRC_TRIGGER_TYPE_ERROR,
        ),
    ),
    ("LM", enum("USAGE", mq.MQIA_USAGE, {"NORMAL": mq.MQUS_NORMAL, "XMITQ": mq.MQUS_TRANSMISSION})),
    ("R", name("XMITQ", mq.MQCA_XMIT_Q_NAME)),
)


def _attributes(letter: str) -> tuple[Attribute, ...]:
    return tuple(attribute for kinds, attribute in _TABLE if letter in kinds)


_PCF: Final = PCF(
    create=pcf.MQCMD_CREATE_Q,
    copy=pcf.MQCMD_COPY_Q,
    change=pcf.MQCMD_CHANGE_Q,
    delete=pcf.MQCMD_DELETE_Q,
    inquire=pcf.MQCMD_INQUIRE_Q,
    inquire_names=pcf.MQCMD_INQUIRE_Q_NAMES,
    name=mq.MQCA_Q_NAME,
    copy_from=pcf.MQCACF_FROM_Q_NAME,
    copy_to=pcf.MQCACF_TO_Q_NAME,
    attributes=pcf.MQIACF_Q_ATTRS,
    names=pcf.MQCACF_Q_NAMES,
    types=pcf.MQIACF_Q_TYPES,
)
_MESSAGES: Final = Messages(
    created="AMQ8006I",
    changed="AMQ8008I",
    deleted="AMQ8007I",
    shown="AMQ8409I",
    heading="Display Queue details.",
)
_AUTHORITY: Final = Authority(
    object_type=QUEUE,
    title="Queue",
    number=mq.MQOT_Q,
    takes=ADMIN | MQZAO_CLEAR | MQZAO_BROWSE | MQZAO_INPUT | MQZAO_OUTPUT | MQZAO_INQUIRE | MQZAO_SET | CONTEXT,
    words=("queue", "q"),
)

#: The option of DISPLAY that chooses kinds of queues.
QUEUE_TYPE: Final = choice(
    "TYPE",
    "ALL QALIAS QLOCAL QMODEL QREMOTE",
    "QTYPE",
    mq.MQIA_Q_TYPE,
    (mq.MQQT_ALL, mq.MQQT_ALIAS, mq.MQQT_LOCAL, mq.MQQT_MODEL, mq.MQQT_REMOTE),
)


def _queue(keyword: str, order: int, dump_order: int, queue_type: int, default_object: str, mqsc: MQSC) -> Kind:
    return Kind(
        keyword=keyword,
        title="Queue",
        order=order,
        dump_order=dump_order,
        attributes=_attributes(keyword[1]),
        name_space=QUEUE,
        number=mq.MQOT_Q,
        opened=True,
        inquired=True,
        queue_type=queue_type,
        mqsc=mqsc,
        pcf=_PCF,
        messages=_MESSAGES,
        authority=_AUTHORITY,
        default_object=default_object,
    )


KINDS: Final = (
    _queue(
        "QLOCAL",
        10,
        70,
        mq.MQQT_LOCAL,
        "SYSTEM.DEFAULT.LOCAL.QUEUE",
        MQSC(
            description="a local queue",
            example="ORDERS.IN",
            parameters="MAXDEPTH(50000) DEFPSIST(YES)",
            synonyms=("QL",),
            force=True,
            purge=True,
            selection=QUEUE_TYPE,
        ),
    ),
    _queue(
        "QALIAS",
        11,
        72,
        mq.MQQT_ALIAS,
        "SYSTEM.DEFAULT.ALIAS.QUEUE",
        MQSC(
            description="an alias queue",
            example="ORDERS",
            parameters="TARGET(ORDERS.IN)",
            synonyms=("QA",),
            force=True,
            selection=QUEUE_TYPE,
        ),
    ),
    _queue(
        "QREMOTE",
        12,
        73,
        mq.MQQT_REMOTE,
        "SYSTEM.DEFAULT.REMOTE.QUEUE",
        MQSC(
            description="a local definition of a remote queue",
            example="BILLS",
            parameters="RNAME(BILLS) RQMNAME(QM2)",
            synonyms=("QR",),
            force=True,
            selection=QUEUE_TYPE,
        ),
    ),
    _queue(
        "QMODEL",
        13,
        71,
        mq.MQQT_MODEL,
        "SYSTEM.DEFAULT.MODEL.QUEUE",
        MQSC(
            description="a model queue",
            example="REPLY.MODEL",
            parameters="DEFTYPE(PERMDYN)",
            synonyms=("QM",),
            selection=QUEUE_TYPE,
        ),
    ),
)

#: Every attribute that some kind of queue has, in the order of DISPLAY QUEUE. A model has three of them otherwise.
QUEUE_ATTRIBUTES: Final = tuple(attribute for letters, attribute in _TABLE if letters != "M")
