"""Every attribute of every kind of object: the one declaration that MQSC, PCF, MQINQ, MQSET and DISPLAY read.

`ATTRIBUTES["QLOCAL"]` is the list for local queues, in the order in which DISPLAY shows it. The defaults are those of
the SYSTEM.DEFAULT objects of a new queue manager. What an attribute *is* stands in attribute.py; what it *does* is not
decided here.

A new attribute is one line in one list below; MQSC, its syntax texts, DISPLAY and WHERE know it from then on.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import ENUM as ENUM
from flintmq.catalogue.attribute import FLAG as FLAG
from flintmq.catalogue.attribute import HEX as HEX
from flintmq.catalogue.attribute import INT as INT
from flintmq.catalogue.attribute import INTERVAL as INTERVAL
from flintmq.catalogue.attribute import LIST as LIST
from flintmq.catalogue.attribute import NAME as NAME
from flintmq.catalogue.attribute import PAIR as PAIR
from flintmq.catalogue.attribute import STRING as STRING
from flintmq.catalogue.attribute import Attribute as Attribute
from flintmq.catalogue.attribute import Value as Value
from flintmq.catalogue.attribute import ValueRejected as ValueRejected
from flintmq.catalogue.attribute import check_value as check_value
from flintmq.catalogue.attribute import interval_seconds as interval_seconds
from flintmq.catalogue.attribute import is_name as is_name
from flintmq.catalogue.attribute import number_of as number_of
from flintmq.catalogue.attribute import parse_value as parse_value
from flintmq.catalogue.attribute import value_of_number as value_of_number
from flintmq.catalogue.attribute_makers import altered as _altered
from flintmq.catalogue.attribute_makers import enum as _enum
from flintmq.catalogue.attribute_makers import fixed as _fixed
from flintmq.catalogue.attribute_makers import flag as _flag
from flintmq.catalogue.attribute_makers import hexadecimal as _hex
from flintmq.catalogue.attribute_makers import integer as _int
from flintmq.catalogue.attribute_makers import interval as _interval
from flintmq.catalogue.attribute_makers import live as _live
from flintmq.catalogue.attribute_makers import name as _name
from flintmq.catalogue.attribute_makers import names as _list
from flintmq.catalogue.attribute_makers import renamed as _renamed
from flintmq.catalogue.attribute_makers import secret as _secret
from flintmq.catalogue.attribute_makers import shown as _shown
from flintmq.catalogue.attribute_makers import text as _text
from flintmq.catalogue.attribute_makers import words as _words
from flintmq.catalogue.attributes_security import authority_record, channel_authentication
from flintmq.catalogue.attributes_services import CONTROL, communication_information, service
from flintmq.mqi import channel_constants as ch
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

#: The level of MQ that the attributes, commands and messages follow.
COMMAND_LEVEL: Final = 942
VERSION: Final = "09040200"

NUMBER_MAX: Final = 999_999_999
MESSAGE_LENGTH_MAX: Final = 104_857_600
NAMELIST_NAMES_MAX: Final = 256
PAGE_SET_ID_MAX: Final = 99
TOPIC_STRING_LENGTH_MAX: Final = 10_240
SECURITY_MINUTES_MAX: Final = 10_080

#: The text that holds what has no attribute of its own yet, as NAME(value).
CUSTOM: Final = "CUSTOM"

QUEUE_KINDS: Final = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")

_YES_NO: Final = {"YES": 1, "NO": 0}
_DISABLED: Final = {"DISABLED": 0, "ENABLED": 1}
_EVENT: Final = {"DISABLED": pcf.MQEVR_DISABLED, "ENABLED": pcf.MQEVR_ENABLED}
_MONITOR: Final = {"LOW": mq.MQMON_LOW, "MEDIUM": mq.MQMON_MEDIUM, "HIGH": mq.MQMON_HIGH}
_Q_MGR_ON_OFF: Final = {"QMGR": mq.MQMON_Q_MGR, "ON": mq.MQMON_ON, "OFF": mq.MQMON_OFF}
_INHIBIT: Final = {"ENABLED": mq.MQQA_GET_ALLOWED, "DISABLED": mq.MQQA_GET_INHIBITED}


# -- queues -----------------------------------------------------------------------------------------------------------


def _queue_attributes_first(model: bool) -> list[tuple[str, Attribute]]:
    """From ACCTQ to DEFSOPT."""
    return [
        ("LM", _enum("ACCTQ", mq.MQIA_ACCOUNTING_Q, _Q_MGR_ON_OFF)),
        ("LMAR", _altered()[0]),
        ("LMAR", _altered()[1]),
        ("LM", _name("BOQNAME", mq.MQCA_BACKOUT_REQ_Q_NAME)),
        ("LM", _int("BOTHRESH", mq.MQIA_BACKOUT_THRESHOLD, 0, 0, NUMBER_MAX)),
        (
            "LMAR",
            _int("CAPEXPRY", mq.MQIA_CAP_EXPIRY, "NOLIMIT", 1, NUMBER_MAX, {"NOLIMIT": mq.MQCEX_NOLIMIT}),
        ),
        ("LAR", _name("CLUSNL", mq.MQCA_CLUSTER_NAMELIST)),
        ("LAR", _name("CLUSTER", mq.MQCA_CLUSTER_NAME)),
        ("L", _text("CLCHNAME", mq.MQCA_CLUS_CHL_NAME, 20)),
        ("LAR", _int("CLWLPRTY", mq.MQIA_CLWL_Q_PRIORITY, 0, 0, 9)),
        ("LAR", _int("CLWLRANK", mq.MQIA_CLWL_Q_RANK, 0, 0, 9)),
        (
            "L",
            _enum(
                "CLWLUSEQ",
                mq.MQIA_CLWL_USEQ,
                {"QMGR": mq.MQCLWL_USEQ_AS_Q_MGR, "ANY": mq.MQCLWL_USEQ_ANY, "LOCAL": mq.MQCLWL_USEQ_LOCAL},
            ),
        ),
        ("LM", _shown(_text("CRDATE", mq.MQCA_CREATION_DATE, 12))),
        ("LM", _shown(_text("CRTIME", mq.MQCA_CREATION_TIME, 8))),
        ("L", _live(_int("CURDEPTH", mq.MQIA_CURRENT_Q_DEPTH, 0, 0, NUMBER_MAX))),
        ("LMAR", _text("CUSTOM", mq.MQCA_CUSTOM, 128)),
        (
            "LAR",
            _enum(
                "DEFBIND",
                mq.MQIA_DEF_BIND,
                {
                    "OPEN": mq.MQBND_BIND_ON_OPEN,
                    "NOTFIXED": mq.MQBND_BIND_NOT_FIXED,
                    "GROUP": mq.MQBND_BIND_ON_GROUP,
                },
            ),
        ),
        ("LMAR", _int("DEFPRTY", mq.MQIA_DEF_PRIORITY, 0, 0, 9)),
        ("LMAR", _enum("DEFPSIST", mq.MQIA_DEF_PERSISTENCE, _YES_NO, "NO")),
        (
            "LMAR",
            _enum(
                "DEFPRESP",
                mq.MQIA_DEF_PUT_RESPONSE_TYPE,
                {"SYNC": mq.MQPRT_SYNC_RESPONSE, "ASYNC": mq.MQPRT_ASYNC_RESPONSE},
            ),
        ),
        (
            "LMA",
            _enum(
                "DEFREADA",
                mq.MQIA_DEF_READ_AHEAD,
                {"NO": mq.MQREADA_NO, "YES": mq.MQREADA_YES, "DISABLED": mq.MQREADA_DISABLED},
            ),
        ),
        (
            "LM",
            _enum(
                "DEFSOPT",
                mq.MQIA_DEF_INPUT_OPEN_OPTION,
                {"SHARED": mq.MQOO_INPUT_SHARED, "EXCL": mq.MQOO_INPUT_EXCLUSIVE},
                "EXCL" if model else "SHARED",
            ),
        ),
    ]


def _queue_attributes_middle(model: bool) -> list[tuple[str, Attribute]]:
    """From DEFTYPE to PROPCTL."""
    return [
        ("LM", _definition_type(model)),
        ("LMAR", _text("DESCR", mq.MQCA_Q_DESC, 64)),
        ("LM", _enum("DISTL", mq.MQIA_DIST_LISTS, _YES_NO, "NO")),
        ("LMA", _enum("GET", mq.MQIA_INHIBIT_GET, _INHIBIT)),
        (
            "LM",
            _flag(
                "HARDENBO",
                mq.MQIA_HARDEN_GET_BACKOUT,
                mq.MQQA_BACKOUT_HARDENED,
                mq.MQQA_BACKOUT_NOT_HARDENED,
                "HARDENBO",
            ),
        ),
        (
            "LM",
            _enum(
                "IMGRCOVQ",
                mq.MQIA_MEDIA_IMAGE_RECOVER_Q,
                {"QMGR": mq.MQIMGRCOV_AS_Q_MGR, "YES": mq.MQIMGRCOV_YES, "NO": mq.MQIMGRCOV_NO},
            ),
        ),
        (
            "LM",
            _enum(
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
        ("LM", _name("INITQ", mq.MQCA_INITIATION_Q_NAME)),
        ("L", _live(_int("IPPROCS", mq.MQIA_OPEN_INPUT_COUNT, 0, 0, NUMBER_MAX))),
        ("LM", _int("MAXDEPTH", mq.MQIA_MAX_Q_DEPTH, 5000, 0, NUMBER_MAX)),
        (
            "LM",
            _int("MAXFSIZE", mq.MQIA_MAX_Q_FILE_SIZE, "DEFAULT", 20, 267_386_880, {"DEFAULT": mq.MQQFS_DEFAULT}),
        ),
        ("LM", _int("MAXMSGL", mq.MQIA_MAX_MSG_LENGTH, 4_194_304, 0, MESSAGE_LENGTH_MAX)),
        (
            "LM",
            _enum("MONQ", mq.MQIA_MONITORING_Q, {"QMGR": mq.MQMON_Q_MGR, "OFF": mq.MQMON_OFF, **_MONITOR}),
        ),
        (
            "LM",
            _enum("MSGDLVSQ", mq.MQIA_MSG_DELIVERY_SEQUENCE, {"PRIORITY": mq.MQMDS_PRIORITY, "FIFO": mq.MQMDS_FIFO}),
        ),
        ("LM", _flag("TRIGGER", mq.MQIA_TRIGGER_CONTROL, mq.MQTC_ON, mq.MQTC_OFF, "NOTRIGGER")),
        (
            "LM",
            _enum("NPMCLASS", mq.MQIA_NPM_CLASS, {"NORMAL": mq.MQNPM_CLASS_NORMAL, "HIGH": mq.MQNPM_CLASS_HIGH}),
        ),
        ("L", _live(_int("OPPROCS", mq.MQIA_OPEN_OUTPUT_COUNT, 0, 0, NUMBER_MAX))),
        ("LM", _name("PROCESS", mq.MQCA_PROCESS_NAME)),
        ("LMAR", _enum("PUT", mq.MQIA_INHIBIT_PUT, _INHIBIT)),
        (
            "LMA",
            _enum(
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
    ]


def _queue_attributes_last(model: bool) -> list[tuple[str, Attribute]]:
    """From QDEPTHHI to XMITQ."""
    return [
        ("LM", _int("QDEPTHHI", mq.MQIA_Q_DEPTH_HIGH_LIMIT, 80, 0, 100)),
        ("LM", _int("QDEPTHLO", mq.MQIA_Q_DEPTH_LOW_LIMIT, 20, 0, 100)),
        ("LM", _enum("QDPHIEV", mq.MQIA_Q_DEPTH_HIGH_EVENT, _EVENT)),
        ("LM", _enum("QDPLOEV", mq.MQIA_Q_DEPTH_LOW_EVENT, _EVENT)),
        ("LM", _enum("QDPMAXEV", mq.MQIA_Q_DEPTH_MAX_EVENT, _EVENT, "ENABLED")),
        (
            "LM",
            _enum(
                "QSVCIEV",
                mq.MQIA_Q_SERVICE_INTERVAL_EVENT,
                {"NONE": pcf.MQQSIE_NONE, "HIGH": pcf.MQQSIE_HIGH, "OK": pcf.MQQSIE_OK},
            ),
        ),
        ("LM", _int("QSVCINT", mq.MQIA_Q_SERVICE_INTERVAL, NUMBER_MAX, 0, NUMBER_MAX)),
        ("LM", _int("RETINTVL", mq.MQIA_RETENTION_INTERVAL, NUMBER_MAX, 0, NUMBER_MAX)),
        ("R", _text("RNAME", mq.MQCA_REMOTE_Q_NAME, 48)),
        ("R", _name("RQMNAME", mq.MQCA_REMOTE_Q_MGR_NAME)),
        ("LAR", _enum("SCOPE", mq.MQIA_SCOPE, {"QMGR": pcf.MQSCO_Q_MGR, "CELL": pcf.MQSCO_CELL})),
        (
            "LM",
            _flag(
                "SHARE",
                mq.MQIA_SHAREABILITY,
                mq.MQQA_SHAREABLE,
                mq.MQQA_NOT_SHAREABLE,
                "NOSHARE" if model else "SHARE",
            ),
        ),
        ("LM", _enum("STATQ", mq.MQIA_STATISTICS_Q, _Q_MGR_ON_OFF)),
        ("LM", _name("STGCLASS", mq.MQCA_STORAGE_CLASS, 8, "DEFAULT")),
        ("LM", _name("STREAMQ", mq.MQCA_STREAM_QUEUE_NAME)),
        (
            "LM",
            _enum("STRMQOS", mq.MQIA_STREAM_QUEUE_QOS, {"BESTEF": mq.MQST_BEST_EFFORT, "MUSTDUP": mq.MQST_MUST_DUP}),
        ),
        ("A", _renamed(_name("TARGET", mq.MQCA_BASE_OBJECT_NAME), "TARGQ")),
        ("A", _enum("TARGTYPE", mq.MQIA_BASE_TYPE, {"QUEUE": mq.MQOT_Q, "TOPIC": mq.MQOT_TOPIC})),
        ("LM", _text("TRIGDATA", mq.MQCA_TRIGGER_DATA, 64)),
        ("LM", _int("TRIGDPTH", mq.MQIA_TRIGGER_DEPTH, 1, 1, NUMBER_MAX)),
        ("LM", _int("TRIGMPRI", mq.MQIA_TRIGGER_MSG_PRIORITY, 0, 0, 9)),
        (
            "LM",
            _enum(
                "TRIGTYPE",
                mq.MQIA_TRIGGER_TYPE,
                {"FIRST": mq.MQTT_FIRST, "EVERY": mq.MQTT_EVERY, "DEPTH": mq.MQTT_DEPTH, "NONE": mq.MQTT_NONE},
            ),
        ),
        ("LM", _enum("USAGE", mq.MQIA_USAGE, {"NORMAL": mq.MQUS_NORMAL, "XMITQ": mq.MQUS_TRANSMISSION})),
        ("R", _name("XMITQ", mq.MQCA_XMIT_Q_NAME)),
    ]


def _queue_attributes(model: bool) -> list[tuple[str, Attribute]]:
    """Every queue attribute with the kinds that have it: L local, M model, A alias, R remote."""
    return _queue_attributes_first(model) + _queue_attributes_middle(model) + _queue_attributes_last(model)


def _definition_type(model: bool) -> Attribute:
    """A model says what kind of queue it makes; a local queue says how it was made."""
    if model:
        return _enum(
            "DEFTYPE",
            mq.MQIA_DEFINITION_TYPE,
            {"TEMPDYN": mq.MQQDT_TEMPORARY_DYNAMIC, "PERMDYN": mq.MQQDT_PERMANENT_DYNAMIC},
        )
    return _shown(
        _enum(
            "DEFTYPE",
            mq.MQIA_DEFINITION_TYPE,
            {
                "PREDEFINED": mq.MQQDT_PREDEFINED,
                "PERMDYN": mq.MQQDT_PERMANENT_DYNAMIC,
                "TEMPDYN": mq.MQQDT_TEMPORARY_DYNAMIC,
            },
        )
    )


#: Every attribute that some kind of queue has, in the order of DISPLAY QUEUE.
QUEUE_ATTRIBUTES: Final = [attribute for _, attribute in _queue_attributes(False)]


def _queue_list(letter: str) -> list[Attribute]:
    return [attribute for kinds, attribute in _queue_attributes(letter == "M") if letter in kinds]


# -- the queue manager ------------------------------------------------------------------------------------------------


def _q_mgr_a_to_l() -> list[Attribute]:
    on_off = {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON}
    none_off_on = {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON, "NONE": mq.MQMON_NONE}
    recording = {"MSG": mq.MQRECORDING_MSG, "QUEUE": mq.MQRECORDING_Q, "DISABLED": mq.MQRECORDING_DISABLED}
    off_or_number = {"OFF": 0}
    return [
        _enum("ACCTCONO", mq.MQIA_ACCOUNTING_CONN_OVERRIDE, _DISABLED),
        _int("ACCTINT", mq.MQIA_ACCOUNTING_INTERVAL, 1800, 1, 604_800),
        _enum("ACCTMQI", mq.MQIA_ACCOUNTING_MQI, on_off),
        _enum("ACCTQ", mq.MQIA_ACCOUNTING_Q, none_off_on),
        _enum("ACTIVREC", mq.MQIA_ACTIVITY_RECORDING, recording),
        _enum("ACTVCONO", mq.MQIA_ACTIVITY_CONN_OVERRIDE, _DISABLED),
        _enum("ACTVTRC", mq.MQIA_ACTIVITY_TRACE, on_off),
        _shown(_enum("ADVCAP", mq.MQIA_ADVANCED_CAPABILITY, _DISABLED)),
        *_altered(),
        _shown(_enum("AMQPCAP", mq.MQIA_AMQP_CAPABILITY, _YES_NO, "NO")),
        _enum("AUTHOREV", mq.MQIA_AUTHORITY_EVENT, _EVENT),
        _int("CCSID", mq.MQIA_CODED_CHAR_SET_ID, 1208, 1, 65535),
        _text("CERTLABL", mq.MQCA_CERT_LABEL, 64),
        _enum(
            "CERTVPOL",
            mq.MQIA_CERT_VAL_POLICY,
            {"ANY": mq.MQ_CERT_VAL_POLICY_ANY, "RFC5280": mq.MQ_CERT_VAL_POLICY_RFC5280},
        ),
        _enum("CHAD", mq.MQIA_CHANNEL_AUTO_DEF, _DISABLED),
        _enum("CHADEV", mq.MQIA_CHANNEL_AUTO_DEF_EVENT, _EVENT),
        _text("CHADEXIT", mq.MQCA_CHANNEL_AUTO_DEF_EXIT, 128),
        _enum("CHLEV", mq.MQIA_CHANNEL_EVENT, {**_EVENT, "EXCEPTION": pcf.MQEVR_EXCEPTION}),
        _enum("CHLAUTH", mq.MQIA_CHLAUTH_RECORDS, _DISABLED, "ENABLED"),
        _text("CLWLDATA", mq.MQCA_CLUSTER_WORKLOAD_DATA, 32),
        _text("CLWLEXIT", mq.MQCA_CLUSTER_WORKLOAD_EXIT, 128),
        _int("CLWLLEN", mq.MQIA_CLUSTER_WORKLOAD_LENGTH, 100, 0, NUMBER_MAX),
        _int("CLWLMRUC", mq.MQIA_CLWL_MRU_CHANNELS, NUMBER_MAX, 1, NUMBER_MAX),
        _enum("CLWLUSEQ", mq.MQIA_CLWL_USEQ, {"LOCAL": mq.MQCLWL_USEQ_LOCAL, "ANY": mq.MQCLWL_USEQ_ANY}),
        _enum("CMDEV", mq.MQIA_COMMAND_EVENT, {**_EVENT, "NODISPLAY": pcf.MQEVR_NO_DISPLAY}),
        _shown(_int("CMDLEVEL", mq.MQIA_COMMAND_LEVEL, COMMAND_LEVEL, 0, NUMBER_MAX)),
        _shown(_name("COMMANDQ", mq.MQCA_COMMAND_INPUT_Q_NAME, 48, "SYSTEM.ADMIN.COMMAND.QUEUE")),
        _enum("CONFIGEV", mq.MQIA_CONFIGURATION_EVENT, _EVENT),
        _name("CONNAUTH", mq.MQCA_CONN_AUTH, 48, "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
        _shown(_text("CRDATE", mq.MQCA_CREATION_DATE, 12)),
        _shown(_text("CRTIME", mq.MQCA_CREATION_TIME, 8)),
        _text("CUSTOM", mq.MQCA_CUSTOM, 128),
        _name("DEADQ", mq.MQCA_DEAD_LETTER_Q_NAME),
        _enum("DEFCLXQ", mq.MQIA_DEF_CLUSTER_XMIT_Q_TYPE, {"SCTQ": pcf.MQCLXQ_SCTQ, "CHANNEL": pcf.MQCLXQ_CHANNEL}),
        _name("DEFXMITQ", mq.MQCA_DEF_XMIT_Q_NAME),
        _text("DESCR", mq.MQCA_Q_MGR_DESC, 64),
        _shown(_enum("DISTL", mq.MQIA_DIST_LISTS, _YES_NO)),
        _int("EXPRYINT", mq.MQIA_EXPIRY_INTERVAL, "OFF", 1, 99_999_999, {"OFF": mq.MQEXPI_OFF}),
        _int("IMGINTVL", mq.MQIA_MEDIA_IMAGE_INTERVAL, 60, 1, NUMBER_MAX, off_or_number),
        _int("IMGLOGLN", mq.MQIA_MEDIA_IMAGE_LOG_LENGTH, "OFF", 1, NUMBER_MAX, off_or_number),
        _enum("IMGRCOVO", mq.MQIA_MEDIA_IMAGE_RECOVER_OBJ, _YES_NO),
        _enum("IMGRCOVQ", mq.MQIA_MEDIA_IMAGE_RECOVER_Q, _YES_NO),
        _enum(
            "IMGSCHED",
            mq.MQIA_MEDIA_IMAGE_SCHEDULING,
            {"MANUAL": mq.MQMEDIMGSCHED_MANUAL, "AUTO": mq.MQMEDIMGSCHED_AUTO},
        ),
        _enum("INHIBTEV", mq.MQIA_INHIBIT_EVENT, _EVENT),
        _secret(_text("INITKEY", mq.MQCA_INITIAL_KEY, 256)),
        _enum("IPADDRV", mq.MQIA_IP_ADDRESS_VERSION, {"IPV4": mq.MQIPADDR_IPV4, "IPV6": mq.MQIPADDR_IPV6}),
        _enum("LOCALEV", mq.MQIA_LOCAL_EVENT, _EVENT),
        _enum("LOGGEREV", mq.MQIA_LOGGER_EVENT, _EVENT),
    ]


def _q_mgr_m_to_z() -> list[Attribute]:
    off_on_none = {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON, "NONE": mq.MQMON_NONE}
    monitoring = {"OFF": mq.MQMON_OFF, **_MONITOR, "NONE": mq.MQMON_NONE}
    automatic = {"QMGR": mq.MQMON_Q_MGR, "OFF": mq.MQMON_OFF, **_MONITOR}
    recording = {"MSG": mq.MQRECORDING_MSG, "QUEUE": mq.MQRECORDING_Q, "DISABLED": mq.MQRECORDING_DISABLED}
    control = {"QMGR": mq.MQSVC_CONTROL_Q_MGR, "MANUAL": mq.MQSVC_CONTROL_MANUAL}
    syncpoint = Attribute("SYNCPT", FLAG, mq.MQIA_SYNCPOINT, "SYNCPT")
    syncpoint.words = {"SYNCPT": mq.MQSP_AVAILABLE}
    undelivered = {
        "NORMAL": pcf.MQUNDELIVERED_NORMAL,
        "SAFE": pcf.MQUNDELIVERED_SAFE,
        "DISCARD": pcf.MQUNDELIVERED_DISCARD,
        "KEEP": pcf.MQUNDELIVERED_KEEP,
    }
    discard = {"DISCARD": pcf.MQUNDELIVERED_DISCARD, "KEEP": pcf.MQUNDELIVERED_KEEP}
    modes = {"ENABLED": mq.MQPSM_ENABLED, "COMPAT": mq.MQPSM_COMPAT, "DISABLED": mq.MQPSM_DISABLED}
    suite_b = {"NONE": mq.MQ_SUITE_B_NONE, "128_BIT": mq.MQ_SUITE_B_128_BIT, "192_BIT": mq.MQ_SUITE_B_192_BIT}
    return [
        _int("MARKINT", mq.MQIA_MSG_MARK_BROWSE_INTERVAL, 5000, 0, NUMBER_MAX, {"NOLIMIT": mq.MQMMBI_UNLIMITED}),
        _int("MAXHANDS", mq.MQIA_MAX_HANDLES, 256, 1, NUMBER_MAX),
        _int("MAXMSGL", mq.MQIA_MAX_MSG_LENGTH, 4_194_304, 32_768, MESSAGE_LENGTH_MAX),
        _int(
            "MAXPROPL",
            mq.MQIA_MAX_PROPERTIES_LENGTH,
            "NOLIMIT",
            0,
            MESSAGE_LENGTH_MAX,
            {"NOLIMIT": mq.MQPROP_UNRESTRICTED_LENGTH},
        ),
        _shown(_int("MAXPRTY", mq.MQIA_MAX_PRIORITY, 9, 0, 9)),
        _int("MAXUMSGS", mq.MQIA_MAX_UNCOMMITTED_MSGS, 10_000, 1, NUMBER_MAX),
        _enum("MONACLS", mq.MQIA_MONITORING_AUTO_CLUSSDR, automatic),
        _enum("MONCHL", mq.MQIA_MONITORING_CHANNEL, monitoring),
        _enum("MONQ", mq.MQIA_MONITORING_Q, monitoring),
        _name("PARENT", mq.MQCA_PARENT),
        _enum("PERFMEV", mq.MQIA_PERFORMANCE_EVENT, _EVENT),
        _shown(_enum("PLATFORM", mq.MQIA_PLATFORM, {"UNIX": mq.MQPL_UNIX})),
        _enum("PSMODE", mq.MQIA_PUBSUB_MODE, modes),
        _enum("PSCLUS", mq.MQIA_PUBSUB_CLUSTER, _DISABLED, "ENABLED"),
        _enum("PSNPMSG", mq.MQIA_PUBSUB_NP_MSG, discard),
        _enum("PSNPRES", mq.MQIA_PUBSUB_NP_RESP, undelivered),
        _int("PSRTYCNT", mq.MQIA_PUBSUB_MAXMSG_RETRY_COUNT, 5, 0, NUMBER_MAX),
        _enum(
            "PSSYNCPT",
            mq.MQIA_PUBSUB_SYNC_PT,
            {"IFPER": pcf.MQSYNCPOINT_IFPER, "YES": pcf.MQSYNCPOINT_YES},
        ),
        _shown(_text("QMID", mq.MQCA_Q_MGR_IDENTIFIER, 48)),
        _enum("REMOTEEV", mq.MQIA_REMOTE_EVENT, _EVENT),
        _name("REPOS", mq.MQCA_REPOSITORY_NAME),
        _name("REPOSNL", mq.MQCA_REPOSITORY_NAMELIST),
        _enum(
            "REVDNS",
            mq.MQIA_REVERSE_DNS_LOOKUP,
            {"ENABLED": pcf.MQRDNS_ENABLED, "DISABLED": pcf.MQRDNS_DISABLED},
        ),
        _enum("ROUTEREC", mq.MQIA_TRACE_ROUTE_RECORDING, recording),
        _enum("SCHINIT", mq.MQIA_CHINIT_CONTROL, control),
        _enum("SCMDSERV", mq.MQIA_CMD_SERVER_CONTROL, control),
        _shown(_enum("SPLCAP", mq.MQIA_PROT_POLICY_CAPABILITY, _DISABLED)),
        _name("SSLCRLNL", mq.MQCA_SSL_CRL_NAMELIST),
        _text("SSLCRYP", mq.MQCA_SSL_CRYPTO_HARDWARE, 256),
        _enum("SSLEV", mq.MQIA_SSL_EVENT, _EVENT),
        _enum("SSLFIPS", mq.MQIA_SSL_FIPS_REQUIRED, {"NO": mq.MQSSL_FIPS_NO, "YES": mq.MQSSL_FIPS_YES}),
        _secret(_text("KEYRPWD", mq.MQCA_SSL_KEY_REPO_PASSWORD, 1024)),
        _text("SSLKEYR", mq.MQCA_SSL_KEY_REPOSITORY, 256),
        _int("SSLRKEYC", mq.MQIA_SSL_RESET_COUNT, 0, 0, NUMBER_MAX),
        _enum("STATACLS", mq.MQIA_STATISTICS_AUTO_CLUSSDR, automatic),
        _enum("STATCHL", mq.MQIA_STATISTICS_CHANNEL, monitoring),
        _int("STATINT", mq.MQIA_STATISTICS_INTERVAL, 1800, 1, 604_800),
        _enum("STATMQI", mq.MQIA_STATISTICS_MQI, {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON}),
        _enum("STATQ", mq.MQIA_STATISTICS_Q, off_on_none),
        _enum("STRSTPEV", mq.MQIA_START_STOP_EVENT, _EVENT, "ENABLED"),
        _enum("SUITEB", mq.MQIA_SUITE_B_STRENGTH, suite_b),
        _shown(syncpoint),
        _int("TREELIFE", mq.MQIA_TREE_LIFE_TIME, 1800, 0, 604_000),
        _int("TRIGINT", mq.MQIA_TRIGGER_INTERVAL, NUMBER_MAX, 0, NUMBER_MAX),
        _shown(_text("VERSION", mq.MQCA_VERSION, 8, VERSION)),
        _shown(_enum("XRCAP", mq.MQIA_XR_CAPABILITY, _YES_NO, "NO")),
    ]


# -- other objects ----------------------------------------------------------------------------------------------------


def _process_attributes() -> list[Attribute]:
    application_type = _int(
        "APPLTYPE",
        mq.MQIA_APPL_TYPE,
        "UNIX",
        0,
        NUMBER_MAX,
        {
            "CICS": mq.MQAT_CICS,
            "DOS": mq.MQAT_DOS,
            "IMS": mq.MQAT_IMS,
            "MVS": mq.MQAT_MVS,
            "NOTESAGENT": mq.MQAT_NOTES_AGENT,
            "NSK": mq.MQAT_NSK,
            "OPENVMS": mq.MQAT_VMS,
            "OS400": mq.MQAT_OS400,
            "UNIX": mq.MQAT_UNIX,
            "WINDOWS": mq.MQAT_WINDOWS,
            "WINDOWSNT": mq.MQAT_WINDOWS_NT,
        },
    )
    application_type.word_synonyms = {"DEF": "UNIX", "AIX": "UNIX", "ZOS": "MVS", "OS390": "MVS", "VMS": "OPENVMS"}
    return [
        *_altered(),
        _text("APPLICID", mq.MQCA_APPL_ID, 256),
        application_type,
        _text("DESCR", mq.MQCA_PROCESS_DESC, 64),
        _text("ENVRDATA", mq.MQCA_ENV_DATA, 128),
        _text("USERDATA", mq.MQCA_USER_DATA, 128),
    ]


def _namelist_attributes() -> list[Attribute]:
    return [
        *_altered(),
        _text("DESCR", mq.MQCA_NAMELIST_DESC, 64),
        _shown(_int("NAMCOUNT", mq.MQIA_NAME_COUNT, 0, 0, NAMELIST_NAMES_MAX)),
        _list("NAMES", mq.MQCA_NAMES, NAMELIST_NAMES_MAX),
    ]


def _topic_attributes() -> list[Attribute]:
    """ASPARENT, or blank for a name, is resolved up the topic tree (topic_tree.py). TYPE(CLUSTER) is of clusters."""
    allowed = {"ASPARENT": mq.MQTA_PUB_AS_PARENT, "ENABLED": mq.MQTA_PUB_ALLOWED, "DISABLED": mq.MQTA_PUB_INHIBITED}
    delivery = {
        "ASPARENT": mq.MQDLV_AS_PARENT,
        "ALL": mq.MQDLV_ALL,
        "ALLDUR": mq.MQDLV_ALL_DUR,
        "ALLAVAIL": mq.MQDLV_ALL_AVAIL,
    }
    scope = {"ASPARENT": mq.MQSCOPE_AS_PARENT, "ALL": mq.MQSCOPE_ALL, "QMGR": mq.MQSCOPE_QMGR}
    durable = {
        "ASPARENT": mq.MQSUB_DURABLE_AS_PARENT,
        "YES": mq.MQSUB_DURABLE_ALLOWED,
        "NO": mq.MQSUB_DURABLE_INHIBITED,
    }
    persistence = {
        "ASPARENT": mq.MQPER_PERSISTENCE_AS_PARENT,
        "YES": mq.MQPER_PERSISTENT,
        "NO": mq.MQPER_NOT_PERSISTENT,
    }
    response = {
        "ASPARENT": mq.MQPRT_RESPONSE_AS_PARENT,
        "SYNC": mq.MQPRT_SYNC_RESPONSE,
        "ASYNC": mq.MQPRT_ASYNC_RESPONSE,
    }
    dead_letters = {"ASPARENT": mq.MQUSEDLQ_AS_PARENT, "YES": mq.MQUSEDLQ_YES, "NO": mq.MQUSEDLQ_NO}
    multicast = {
        "ASPARENT": mq.MQMC_AS_PARENT,
        "DISABLED": mq.MQMC_DISABLED,
        "ENABLED": mq.MQMC_ENABLED,
        "ONLY": mq.MQMC_ONLY,
    }
    expiry = {"ASPARENT": mq.MQCEX_AS_PARENT, "NOLIMIT": mq.MQCEX_NOLIMIT}
    route = {"DIRECT": pcf.MQCLROUTE_DIRECT, "TOPICHOST": pcf.MQCLROUTE_TOPIC_HOST, "NONE": pcf.MQCLROUTE_NONE}
    return [
        _shown(_enum("TYPE", mq.MQIA_TOPIC_TYPE, {"LOCAL": mq.MQTOPT_LOCAL, "CLUSTER": mq.MQTOPT_CLUSTER})),
        _fixed(_text("TOPICSTR", mq.MQCA_TOPIC_STRING, TOPIC_STRING_LENGTH_MAX)),
        *_altered(),
        _int("CAPEXPRY", mq.MQIA_CAP_EXPIRY, "ASPARENT", 1, NUMBER_MAX, expiry),
        _enum("CLROUTE", mq.MQIA_CLUSTER_PUB_ROUTE, route),
        _name("CLUSTER", mq.MQCA_CLUSTER_NAME),
        _name("COMMINFO", mq.MQCA_COMM_INFO_NAME),
        _text("CUSTOM", mq.MQCA_CUSTOM, 128),
        _enum("DEFPRESP", mq.MQIA_DEF_PUT_RESPONSE_TYPE, response),
        _int("DEFPRTY", mq.MQIA_DEF_PRIORITY, "ASPARENT", 0, 9, {"ASPARENT": mq.MQPRI_PRIORITY_AS_PARENT}),
        _enum("DEFPSIST", mq.MQIA_TOPIC_DEF_PERSISTENCE, persistence),
        _text("DESCR", mq.MQCA_TOPIC_DESC, 64),
        _enum("DURSUB", mq.MQIA_DURABLE_SUB, durable),
        _enum("MCAST", mq.MQIA_MULTICAST, multicast),
        _name("MDURMDL", mq.MQCA_MODEL_DURABLE_Q),
        _name("MNDURMDL", mq.MQCA_MODEL_NON_DURABLE_Q),
        _enum("NPMSGDLV", mq.MQIA_NPM_DELIVERY, delivery),
        _enum("PMSGDLV", mq.MQIA_PM_DELIVERY, delivery),
        _enum(
            "PROXYSUB",
            mq.MQIA_PROXY_SUB,
            {"FIRSTUSE": mq.MQTA_PROXY_SUB_FIRSTUSE, "FORCE": mq.MQTA_PROXY_SUB_FORCE},
        ),
        _enum("PUB", mq.MQIA_INHIBIT_PUB, allowed),
        _enum("PUBSCOPE", mq.MQIA_PUB_SCOPE, scope),
        _enum("SUB", mq.MQIA_INHIBIT_SUB, allowed),
        _enum("SUBSCOPE", mq.MQIA_SUB_SCOPE, scope),
        _enum("USEDLQ", mq.MQIA_USE_DEAD_LETTER_Q, dead_letters),
        _enum("WILDCARD", mq.MQIA_WILDCARD_OPERATION, {"PASSTHRU": mq.MQTA_PASSTHRU, "BLOCK": mq.MQTA_BLOCK}),
    ]


def _subscription_attributes() -> list[Attribute]:
    """Subscriptions are not in the catalogue (subscription.py); this is how commands speak of them."""
    scope = {"ALL": mq.MQTSCOPE_ALL, "QMGR": mq.MQTSCOPE_QMGR}
    properties = {
        "MSGPROP": mq.MQPSPROP_MSGPROP,
        "COMPAT": mq.MQPSPROP_COMPAT,
        "RFH2": mq.MQPSPROP_RFH2,
        "NONE": mq.MQPSPROP_NONE,
    }
    priority = {"ASPUB": mq.MQPRI_PRIORITY_AS_PUBLISHED, "ASQDEF": mq.MQPRI_PRIORITY_AS_Q_DEF}
    kinds = {
        "PROXY": pcf.MQSUBTYPE_PROXY,
        "ADMIN": pcf.MQSUBTYPE_ADMIN,
        "API": pcf.MQSUBTYPE_API,
    }
    selection = {"NONE": pcf.MQSELTYPE_NONE, "STANDARD": pcf.MQSELTYPE_STANDARD, "EXTENDED": pcf.MQSELTYPE_EXTENDED}
    return [
        _fixed(_text("TOPICSTR", mq.MQCA_TOPIC_STRING, TOPIC_STRING_LENGTH_MAX)),
        _fixed(_name("TOPICOBJ", mq.MQCA_TOPIC_NAME)),
        _name("DEST", pcf.MQCACF_DESTINATION),
        _name("DESTQMGR", pcf.MQCACF_DESTINATION_Q_MGR),
        _fixed(
            _enum(
                "DESTCLAS",
                pcf.MQIACF_DESTINATION_CLASS,
                {"PROVIDED": mq.MQDC_PROVIDED, "MANAGED": mq.MQDC_MANAGED},
            )
        ),
        _hex("DESTCORL", pcf.MQBACF_DESTINATION_CORREL_ID, 24),
        _shown(
            _enum(
                "DURABLE",
                pcf.MQIACF_DURABLE_SUBSCRIPTION,
                {"YES": mq.MQSUB_DURABLE_YES, "NO": mq.MQSUB_DURABLE_NO},
            )
        ),
        _int("EXPIRY", pcf.MQIACF_EXPIRY, "UNLIMITED", 1, NUMBER_MAX, {"UNLIMITED": mq.MQEI_UNLIMITED}),
        _enum("PSPROP", pcf.MQIACF_PUBSUB_PROPERTIES, properties),
        _hex("PUBACCT", pcf.MQBACF_ACCOUNTING_TOKEN, 32),
        _text("PUBAPPID", pcf.MQCACF_APPL_IDENTITY_DATA, 32),
        _int("PUBPRTY", pcf.MQIACF_PUB_PRIORITY, "ASPUB", 0, 9, priority),
        _enum("REQONLY", pcf.MQIACF_REQUEST_ONLY, _YES_NO, "NO"),
        _fixed(_text("SELECTOR", pcf.MQCACF_SUB_SELECTOR, TOPIC_STRING_LENGTH_MAX)),
        _shown(_enum("SELTYPE", pcf.MQIACF_SELECTOR_TYPE, selection)),
        _fixed(_int("SUBLEVEL", pcf.MQIACF_SUB_LEVEL, 1, 0, 9)),
        _fixed(_enum("SUBSCOPE", pcf.MQIACF_SUBSCRIPTION_SCOPE, scope)),
        _shown(_enum("SUBTYPE", pcf.MQIACF_SUB_TYPE, kinds, "ADMIN")),
        _text("SUBUSER", pcf.MQCACF_SUB_USER_ID, 64),
        _text("USERDATA", pcf.MQCACF_SUB_USER_DATA, TOPIC_STRING_LENGTH_MAX),
        _enum("VARUSER", pcf.MQIACF_VARIABLE_USER_ID, {"ANY": mq.MQVU_ANY_USER, "FIXED": mq.MQVU_FIXED_USER}),
        _fixed(_enum("WSCHEMA", pcf.MQIACF_WILDCARD_SCHEMA, {"TOPIC": mq.MQWS_TOPIC, "CHAR": mq.MQWS_CHAR})),
        _shown(_text("CRDATE", mq.MQCA_CREATION_DATE, 12)),
        _shown(_text("CRTIME", mq.MQCA_CREATION_TIME, 8)),
        *_altered(),
    ]


def _storage_class_attributes() -> list[Attribute]:
    return [
        *_altered(),
        _text("DESCR", mq.MQCA_STORAGE_CLASS_DESC, 64),
        _name("PASSTKTA", mq.MQCA_PASS_TICKET_APPL, 8),
        _int("PSID", mq.MQIA_PAGESET_ID, 0, 0, PAGE_SET_ID_MAX),
        _name("XCFGNAME", mq.MQCA_XCF_GROUP_NAME, 8),
        _name("XCFMNAME", mq.MQCA_XCF_MEMBER_NAME, 16),
    ]


def _buffer_pool_attributes() -> list[Attribute]:
    """BUFFERS are of 4 KiB. LOCATION and PAGECLAS are kept and shown for scripts that set them."""
    return [
        _int("BUFFERS", 0, 25_000, 4, NUMBER_MAX),
        _enum(
            "LOCATION",
            pcf.MQIACF_BUFFER_POOL_LOCATION,
            {"ABOVE": pcf.MQBPLOCATION_ABOVE, "BELOW": pcf.MQBPLOCATION_BELOW},
        ),
        _enum("PAGECLAS", pcf.MQIACF_PAGECLAS, {"4KB": pcf.MQPAGECLAS_4KB, "FIXED4KB": pcf.MQPAGECLAS_FIXED4KB}),
    ]


def _page_set_attributes() -> list[Attribute]:
    """PAGES is our own word: z/OS takes the size of a page set from the data set that DSN names."""
    return [
        _int("BUFFPOOL", pcf.MQIACF_BUFFER_POOL_ID, 0, 0, PAGE_SET_ID_MAX),
        _fixed(_text("DSN", 0, 44)),
        _enum(
            "EXPAND",
            pcf.MQIACF_USAGE_EXPAND_TYPE,
            {
                "USER": pcf.MQUSAGE_EXPAND_USER,
                "SYSTEM": pcf.MQUSAGE_EXPAND_SYSTEM,
                "NONE": pcf.MQUSAGE_EXPAND_NONE,
            },
        ),
        _int("PAGES", 0, 1_048_576, 32, 16_777_215),
    ]


def _system_attributes() -> list[Attribute]:
    """SET SYSTEM. NEWSTATIME and NEWACCTIME are blank unless a change waits for the end of the running interval."""
    return [
        _int("ACELIM", pcf.MQIACF_SYSP_MAX_ACE_POOL, 0, 0, 999_999),
        _interval("ACCTIME", pcf.MQIACF_SYSP_SMF_ACCT_TIME_MINS, "-1", -1),
        _live(_text("NEWACCTIME", 0, 8)),
        _shown(_enum("CLCACHE", pcf.MQIACF_SYSP_CLUSTER_CACHE, {"STATIC": 0, "DYNAMIC": 1}, "DYNAMIC")),
        _list("EXCLMSG", pcf.MQCACF_EXCL_OPERATOR_MESSAGES, 16, 8),
        _int("LOGLOAD", pcf.MQIACF_SYSP_CHKPOINT_COUNT, 100_000, 200, 16_000_000),
        _enum("QINDXBLD", pcf.MQIACF_SYSP_Q_INDEX_DEFER, {"WAIT": 0, "NOWAIT": 1}),
        _text("SERVICE", pcf.MQCACF_SYSP_SERVICE, 32),
        _shown(_enum("SPLCAP", mq.MQIA_PROT_POLICY_CAPABILITY, _YES_NO, "NO")),
        _interval("STATIME", pcf.MQIACF_SYSP_SMF_STAT_TIME_MINS, "30.00"),
        _live(_text("NEWSTATIME", 0, 8)),
        _int("TRACTBL", pcf.MQIACF_SYSP_TRACE_SIZE, 99, 1, 999),
    ]


def _log_attributes() -> list[Attribute]:
    """SET LOG. COMPLOG(LZ4) is our own; the rest are the words of z/OS."""
    return [
        _enum("COMPLOG", pcf.MQIACF_LOG_COMPRESSION, {"NONE": 0, "RLE": 1, "LZ4": 64}),
        _int("DEALLCT", pcf.MQIACF_SYSP_DEALLOC_INTERVAL, 0, 0, 1439, {"NOLIMIT": 1440}),
        _int("MAXARCH", pcf.MQIACF_SYSP_MAX_ARCHIVE, 500, 10, 1000),
        _int("MAXCNOFF", pcf.MQIACF_SYSP_MAX_CONC_OFFLOADS, 31, 1, 31, {"NOLIMIT": 32}),
        _int("MAXRTU", pcf.MQIACF_SYSP_MAX_READ_TAPES, 2, 1, 99),
        _int("WRTHRSH", pcf.MQIACF_SYSP_OUT_BUFFER_COUNT, 20, 1, 256),
        _enum("ZHYLINK", pcf.MQIACF_SYSP_ZHYPERLINK, _YES_NO, "NO"),
        _enum("ZHYWRITE", pcf.MQIACF_SYSP_ZHYPERWRITE, _YES_NO, "NO"),
    ]


def _security_attributes() -> list[Attribute]:
    """ALTER SECURITY: how long the answers about a user are kept (authority.py), in minutes; the words of z/OS."""
    return [
        _int("INTERVAL", pcf.MQIACF_SECURITY_INTERVAL, 12, 0, SECURITY_MINUTES_MAX),
        _int("TIMEOUT", pcf.MQIACF_SECURITY_TIMEOUT, 54, 0, SECURITY_MINUTES_MAX),
    ]


# -- channels and listeners -------------------------------------------------------------------------------------------


def _channel_attributes() -> list[Attribute]:
    """Server-connection channels. What a client is told of it stands in channel/terms.py."""
    auth = {"REQUIRED": ch.MQSCA_REQUIRED, "OPTIONAL": ch.MQSCA_OPTIONAL}
    headers = {"NONE": ch.MQCOMPRESS_NONE, "SYSTEM": ch.MQCOMPRESS_SYSTEM}
    messages = {
        "NONE": ch.MQCOMPRESS_NONE,
        "RLE": ch.MQCOMPRESS_RLE,
        "ZLIBFAST": ch.MQCOMPRESS_ZLIBFAST,
        "ZLIBHIGH": ch.MQCOMPRESS_ZLIBHIGH,
        "LZ4FAST": ch.MQCOMPRESS_LZ4FAST,
        "LZ4HIGH": ch.MQCOMPRESS_LZ4HIGH,
        "ANY": ch.MQCOMPRESS_ANY,
    }
    return [
        _enum("CHLTYPE", pcf.MQIACH_CHANNEL_TYPE, {"SVRCONN": ch.MQCHT_SVRCONN}),
        *_altered(),
        _text("CERTLABL", mq.MQCA_CERT_LABEL, 64),
        _words("COMPHDR", pcf.MQIACH_HDR_COMPRESSION, headers, "NONE"),
        _words("COMPMSG", pcf.MQIACH_MSG_COMPRESSION, messages, "NONE"),
        _text("DESCR", pcf.MQCACH_DESC, 64),
        _int("DISCINT", pcf.MQIACH_DISC_INTERVAL, 0, 0, 999_999),
        _int("HBINT", pcf.MQIACH_HB_INTERVAL, 300, 0, 999_999),
        _int("KAINT", pcf.MQIACH_KEEP_ALIVE_INTERVAL, "AUTO", 0, 99_999, {"AUTO": ch.MQKAI_AUTO}),
        _int("MAXINST", pcf.MQIACH_MAX_INSTANCES, NUMBER_MAX, 0, NUMBER_MAX),
        _int("MAXINSTC", pcf.MQIACH_MAX_INSTS_PER_CLIENT, NUMBER_MAX, 0, NUMBER_MAX),
        _int("MAXMSGL", pcf.MQIACH_MAX_MSG_LENGTH, 4_194_304, 0, MESSAGE_LENGTH_MAX),
        _text("MCAUSER", pcf.MQCACH_MCA_USER_ID, 64),
        _enum("MONCHL", mq.MQIA_MONITORING_CHANNEL, {"QMGR": mq.MQMON_Q_MGR, "OFF": mq.MQMON_OFF, **_MONITOR}),
        _int("SHARECNV", pcf.MQIACH_SHARING_CONVERSATIONS, 10, 0, NUMBER_MAX),
        _enum("SSLCAUTH", pcf.MQIACH_SSL_CLIENT_AUTH, auth),
        _text("SSLCIPH", pcf.MQCACH_SSL_CIPHER_SPEC, 32),
        _text("SSLPEER", pcf.MQCACH_SSL_PEER_NAME, 1024),
        _enum("TRPTYPE", pcf.MQIACH_XMIT_PROTOCOL_TYPE, {"TCP": ch.MQXPT_TCP}),
    ]


def _authentication_attributes() -> list[Attribute]:
    """How the passwords of clients are checked: server/gatekeeper.py."""
    clients = {
        "REQDADM": ch.MQCHK_REQUIRED_ADMIN,
        "NONE": ch.MQCHK_NONE,
        "OPTIONAL": ch.MQCHK_OPTIONAL,
        "REQUIRED": ch.MQCHK_REQUIRED,
    }
    return [
        _enum("AUTHTYPE", mq.MQIA_AUTH_INFO_TYPE, {"IDPWOS": mq.MQAIT_IDPW_OS}),
        _enum("ADOPTCTX", mq.MQIA_ADOPT_CONTEXT, _YES_NO),
        *_altered(),
        _enum("AUTHENMD", mq.MQIA_AUTHENTICATION_METHOD, {"OS": pcf.MQAUTHENTICATE_OS, "PAM": pcf.MQAUTHENTICATE_PAM}),
        _enum("CHCKCLNT", mq.MQIA_CHECK_CLIENT_BINDING, clients),
        _enum("CHCKLOCL", mq.MQIA_CHECK_LOCAL_BINDING, clients, "OPTIONAL"),
        _text("DESCR", mq.MQCA_AUTH_INFO_DESC, 64),
        _int("FAILDLAY", mq.MQIA_AUTHENTICATION_FAIL_DELAY, 1, 0, 60),
    ]


def _listener_attributes() -> list[Attribute]:
    """Where the queue manager process listens."""
    return [
        *_altered(),
        _int("BACKLOG", pcf.MQIACH_BACKLOG, 100, 0, NUMBER_MAX),
        _enum("CONTROL", pcf.MQIACH_LISTENER_CONTROL, CONTROL),
        _text("DESCR", pcf.MQCACH_LISTENER_DESC, 64),
        _text("IPADDR", pcf.MQCACH_IP_ADDRESS, 48),
        _int("PORT", pcf.MQIACH_PORT, 1414, 0, 65535),
        _enum("TRPTYPE", pcf.MQIACH_XMIT_PROTOCOL_TYPE, {"TCP": ch.MQXPT_TCP}),
    ]


#: Every kind of object, and the sets of parameters that SET LOG, SET SYSTEM and ALTER SECURITY change.
ATTRIBUTES: Final[dict[str, list[Attribute]]] = {
    "QMGR": _q_mgr_a_to_l() + _q_mgr_m_to_z(),
    "QLOCAL": _queue_list("L"),
    "QALIAS": _queue_list("A"),
    "QREMOTE": _queue_list("R"),
    "QMODEL": _queue_list("M"),
    "STGCLASS": _storage_class_attributes(),
    "BUFFPOOL": _buffer_pool_attributes(),
    "PSID": _page_set_attributes(),
    "PROCESS": _process_attributes(),
    "NAMELIST": _namelist_attributes(),
    "TOPIC": _topic_attributes(),
    "SUB": _subscription_attributes(),
    "CHANNEL": _channel_attributes(),
    "LISTENER": _listener_attributes(),
    "SERVICE": service(),
    "COMMINFO": communication_information(),
    "AUTHINFO": _authentication_attributes(),
    "AUTHREC": authority_record(),
    "CHLAUTH": channel_authentication(),
    "SYSTEM": _system_attributes(),
    "LOG": _log_attributes(),
    "SECURITY": _security_attributes(),
}

#: MQIA_Q_TYPE of each queue kind.
QUEUE_TYPES: Final = {
    "QLOCAL": mq.MQQT_LOCAL,
    "QALIAS": mq.MQQT_ALIAS,
    "QREMOTE": mq.MQQT_REMOTE,
    "QMODEL": mq.MQQT_MODEL,
}

#: The selector of an object's own name.
NAME_SELECTORS: Final = {
    "QMGR": mq.MQCA_Q_MGR_NAME,
    "QLOCAL": mq.MQCA_Q_NAME,
    "QALIAS": mq.MQCA_Q_NAME,
    "QREMOTE": mq.MQCA_Q_NAME,
    "QMODEL": mq.MQCA_Q_NAME,
    "STGCLASS": mq.MQCA_STORAGE_CLASS,
    "PROCESS": mq.MQCA_PROCESS_NAME,
    "NAMELIST": mq.MQCA_NAMELIST_NAME,
    "TOPIC": mq.MQCA_TOPIC_NAME,
    "CHANNEL": pcf.MQCACH_CHANNEL_NAME,
    "LISTENER": pcf.MQCACH_LISTENER_NAME,
    "SERVICE": mq.MQCA_SERVICE_NAME,
    "COMMINFO": mq.MQCA_COMM_INFO_NAME,
    "AUTHINFO": mq.MQCA_AUTH_INFO_NAME,
}


def _by_keyword() -> dict[str, dict[str, Attribute]]:
    result: dict[str, dict[str, Attribute]] = {}
    for kind, attributes in ATTRIBUTES.items():
        of_kind: dict[str, Attribute] = {}
        for attribute in attributes:
            of_kind[attribute.keyword] = attribute
            for synonym in attribute.synonyms:
                of_kind[synonym] = attribute
        result[kind] = of_kind
    return result


def _by_selector() -> dict[str, dict[int, Attribute]]:
    result: dict[str, dict[int, Attribute]] = {}
    for kind, attributes in ATTRIBUTES.items():
        result[kind] = {attribute.selector: attribute for attribute in attributes if attribute.selector}
    return result


#: kind -> keyword or its synonym -> attribute.
BY_KEYWORD: Final = _by_keyword()
#: kind -> MQIA_, MQCA_ selector -> attribute.
BY_SELECTOR: Final = _by_selector()


def find_attribute(kind: str, keyword: str) -> Attribute | None:
    """The attribute of objects of `kind` that is written `keyword`."""
    return BY_KEYWORD[kind].get(keyword)


def default_attributes(kind: str) -> dict[str, Value]:
    """Every attribute of `kind` that is kept in the catalogue, with its default."""
    return {attribute.keyword: attribute.copy_default() for attribute in ATTRIBUTES[kind] if not attribute.live}


def settable_defaults(kind: str) -> dict[str, Value]:
    """Every attribute of `kind` that DEFINE sets, with its default."""
    return {attribute.keyword: attribute.copy_default() for attribute in ATTRIBUTES[kind] if not attribute.read_only}
