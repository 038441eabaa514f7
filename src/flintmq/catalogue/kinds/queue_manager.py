"""QMGR: the queue manager itself. It is neither defined nor deleted; ALTER QMGR changes it."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import FLAG, Attribute
from flintmq.catalogue.attribute_makers import altered, enum, integer, name, secret, shown, text
from flintmq.catalogue.kind import CONTROLLED, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import COMMAND_LEVEL, MESSAGE_LENGTH_MAX, NUMBER_MAX, VERSION
from flintmq.catalogue.words import DISABLED_ENABLED, EVENTS, MONITORING, YES_NO
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values.services import (
    MQZAO_ALTERNATE_USER_AUTHORITY,
    MQZAO_CONNECT,
    MQZAO_CONTROL_EXTENDED,
    MQZAO_INQUIRE,
    MQZAO_SET,
    MQZAO_SET_ALL_CONTEXT,
    MQZAO_SET_IDENTITY_CONTEXT,
    MQZAO_SYSTEM,
)

_ON_OFF: Final = {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON}
_OFF_ON_NONE: Final = {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON, "NONE": mq.MQMON_NONE}
_RECORDING: Final = {"MSG": mq.MQRECORDING_MSG, "QUEUE": mq.MQRECORDING_Q, "DISABLED": mq.MQRECORDING_DISABLED}
_OFF_OR_NUMBER: Final = {"OFF": 0}
_MONITORING: Final = {"OFF": mq.MQMON_OFF, **MONITORING, "NONE": mq.MQMON_NONE}
_AUTOMATIC: Final = {"QMGR": mq.MQMON_Q_MGR, "OFF": mq.MQMON_OFF, **MONITORING}
_CONTROL: Final = {"QMGR": mq.MQSVC_CONTROL_Q_MGR, "MANUAL": mq.MQSVC_CONTROL_MANUAL}
_SYNCPOINT: Final = Attribute("SYNCPT", FLAG, mq.MQIA_SYNCPOINT, "SYNCPT")
_SYNCPOINT.words = {"SYNCPT": mq.MQSP_AVAILABLE}
_UNDELIVERED: Final = {
    "NORMAL": pcf.MQUNDELIVERED_NORMAL,
    "SAFE": pcf.MQUNDELIVERED_SAFE,
    "DISCARD": pcf.MQUNDELIVERED_DISCARD,
    "KEEP": pcf.MQUNDELIVERED_KEEP,
}
_DISCARD: Final = {"DISCARD": pcf.MQUNDELIVERED_DISCARD, "KEEP": pcf.MQUNDELIVERED_KEEP}
_MODES: Final = {"ENABLED": mq.MQPSM_ENABLED, "COMPAT": mq.MQPSM_COMPAT, "DISABLED": mq.MQPSM_DISABLED}
_SUITE_B: Final = {"NONE": mq.MQ_SUITE_B_NONE, "128_BIT": mq.MQ_SUITE_B_128_BIT, "192_BIT": mq.MQ_SUITE_B_192_BIT}

_ATTRIBUTES: Final = (
    enum("ACCTCONO", mq.MQIA_ACCOUNTING_CONN_OVERRIDE, DISABLED_ENABLED),
    integer("ACCTINT", mq.MQIA_ACCOUNTING_INTERVAL, 1800, 1, 604_800),
    enum("ACCTMQI", mq.MQIA_ACCOUNTING_MQI, _ON_OFF),
    enum("ACCTQ", mq.MQIA_ACCOUNTING_Q, _OFF_ON_NONE),
    enum("ACTIVREC", mq.MQIA_ACTIVITY_RECORDING, _RECORDING),
    enum("ACTVCONO", mq.MQIA_ACTIVITY_CONN_OVERRIDE, DISABLED_ENABLED),
    enum("ACTVTRC", mq.MQIA_ACTIVITY_TRACE, _ON_OFF),
    shown(enum("ADVCAP", mq.MQIA_ADVANCED_CAPABILITY, DISABLED_ENABLED)),
    *altered(),
    shown(enum("AMQPCAP", mq.MQIA_AMQP_CAPABILITY, YES_NO, "NO")),
    enum("AUTHOREV", mq.MQIA_AUTHORITY_EVENT, EVENTS),
    integer("CCSID", mq.MQIA_CODED_CHAR_SET_ID, 1208, 1, 65535),
    text("CERTLABL", mq.MQCA_CERT_LABEL, 64),
    enum(
        "CERTVPOL",
        mq.MQIA_CERT_VAL_POLICY,
        {"ANY": mq.MQ_CERT_VAL_POLICY_ANY, "RFC5280": mq.MQ_CERT_VAL_POLICY_RFC5280},
    ),
    enum("CHAD", mq.MQIA_CHANNEL_AUTO_DEF, DISABLED_ENABLED),
    enum("CHADEV", mq.MQIA_CHANNEL_AUTO_DEF_EVENT, EVENTS),
    text("CHADEXIT", mq.MQCA_CHANNEL_AUTO_DEF_EXIT, 128),
    enum("CHLEV", mq.MQIA_CHANNEL_EVENT, {**EVENTS, "EXCEPTION": pcf.MQEVR_EXCEPTION}),
    enum("CHLAUTH", mq.MQIA_CHLAUTH_RECORDS, DISABLED_ENABLED, "ENABLED"),
    text("CLWLDATA", mq.MQCA_CLUSTER_WORKLOAD_DATA, 32),
    text("CLWLEXIT", mq.MQCA_CLUSTER_WORKLOAD_EXIT, 128),
    integer("CLWLLEN", mq.MQIA_CLUSTER_WORKLOAD_LENGTH, 100, 0, NUMBER_MAX),
    integer("CLWLMRUC", mq.MQIA_CLWL_MRU_CHANNELS, NUMBER_MAX, 1, NUMBER_MAX),
    enum("CLWLUSEQ", mq.MQIA_CLWL_USEQ, {"LOCAL": mq.MQCLWL_USEQ_LOCAL, "ANY": mq.MQCLWL_USEQ_ANY}),
    enum("CMDEV", mq.MQIA_COMMAND_EVENT, {**EVENTS, "NODISPLAY": pcf.MQEVR_NO_DISPLAY}),
    shown(integer("CMDLEVEL", mq.MQIA_COMMAND_LEVEL, COMMAND_LEVEL, 0, NUMBER_MAX)),
    shown(name("COMMANDQ", mq.MQCA_COMMAND_INPUT_Q_NAME, 48, "SYSTEM.ADMIN.COMMAND.QUEUE")),
    enum("CONFIGEV", mq.MQIA_CONFIGURATION_EVENT, EVENTS),
    name("CONNAUTH", mq.MQCA_CONN_AUTH, 48, "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
    shown(text("CRDATE", mq.MQCA_CREATION_DATE, 12)),
    shown(text("CRTIME", mq.MQCA_CREATION_TIME, 8)),
    text("CUSTOM", mq.MQCA_CUSTOM, 128),
    name("DEADQ", mq.MQCA_DEAD_LETTER_Q_NAME),
    enum("DEFCLXQ", mq.MQIA_DEF_CLUSTER_XMIT_Q_TYPE, {"SCTQ": pcf.MQCLXQ_SCTQ, "CHANNEL": pcf.MQCLXQ_CHANNEL}),
    name("DEFXMITQ", mq.MQCA_DEF_XMIT_Q_NAME),
    text("DESCR", mq.MQCA_Q_MGR_DESC, 64),
    shown(enum("DISTL", mq.MQIA_DIST_LISTS, YES_NO)),
    integer("EXPRYINT", mq.MQIA_EXPIRY_INTERVAL, "OFF", 1, 99_999_999, {"OFF": mq.MQEXPI_OFF}),
    integer("IMGINTVL", mq.MQIA_MEDIA_IMAGE_INTERVAL, 60, 1, NUMBER_MAX, _OFF_OR_NUMBER),
    integer("IMGLOGLN", mq.MQIA_MEDIA_IMAGE_LOG_LENGTH, "OFF", 1, NUMBER_MAX, _OFF_OR_NUMBER),
    enum("IMGRCOVO", mq.MQIA_MEDIA_IMAGE_RECOVER_OBJ, YES_NO),
    enum("IMGRCOVQ", mq.MQIA_MEDIA_IMAGE_RECOVER_Q, YES_NO),
    enum(
        "IMGSCHED",
        mq.MQIA_MEDIA_IMAGE_SCHEDULING,
        {"MANUAL": mq.MQMEDIMGSCHED_MANUAL, "AUTO": mq.MQMEDIMGSCHED_AUTO},
    ),
    enum("INHIBTEV", mq.MQIA_INHIBIT_EVENT, EVENTS),
    secret(text("INITKEY", mq.MQCA_INITIAL_KEY, 256)),
    enum("IPADDRV", mq.MQIA_IP_ADDRESS_VERSION, {"IPV4": mq.MQIPADDR_IPV4, "IPV6": mq.MQIPADDR_IPV6}),
    enum("LOCALEV", mq.MQIA_LOCAL_EVENT, EVENTS),
    enum("LOGGEREV", mq.MQIA_LOGGER_EVENT, EVENTS),
    integer("MARKINT", mq.MQIA_MSG_MARK_BROWSE_INTERVAL, 5000, 0, NUMBER_MAX, {"NOLIMIT": mq.MQMMBI_UNLIMITED}),
    integer("MAXHANDS", mq.MQIA_MAX_HANDLES, 256, 1, NUMBER_MAX),
    integer("MAXMSGL", mq.MQIA_MAX_MSG_LENGTH, 4_194_304, 32_768, MESSAGE_LENGTH_MAX),
    integer(
        "MAXPROPL",
        mq.MQIA_MAX_PROPERTIES_LENGTH,
        "NOLIMIT",
        0,
        MESSAGE_LENGTH_MAX,
        {"NOLIMIT": mq.MQPROP_UNRESTRICTED_LENGTH},
    ),
    shown(integer("MAXPRTY", mq.MQIA_MAX_PRIORITY, 9, 0, 9)),
    integer("MAXUMSGS", mq.MQIA_MAX_UNCOMMITTED_MSGS, 10_000, 1, NUMBER_MAX),
    enum("MONACLS", mq.MQIA_MONITORING_AUTO_CLUSSDR, _AUTOMATIC),
    enum("MONCHL", mq.MQIA_MONITORING_CHANNEL, _MONITORING),
    enum("MONQ", mq.MQIA_MONITORING_Q, _MONITORING),
    name("PARENT", mq.MQCA_PARENT),
    enum("PERFMEV", mq.MQIA_PERFORMANCE_EVENT, EVENTS),
    shown(enum("PLATFORM", mq.MQIA_PLATFORM, {"UNIX": mq.MQPL_UNIX})),
    enum("PSMODE", mq.MQIA_PUBSUB_MODE, _MODES),
    enum("PSCLUS", mq.MQIA_PUBSUB_CLUSTER, DISABLED_ENABLED, "ENABLED"),
    enum("PSNPMSG", mq.MQIA_PUBSUB_NP_MSG, _DISCARD),
    enum("PSNPRES", mq.MQIA_PUBSUB_NP_RESP, _UNDELIVERED),
    integer("PSRTYCNT", mq.MQIA_PUBSUB_MAXMSG_RETRY_COUNT, 5, 0, NUMBER_MAX),
    enum(
        "PSSYNCPT",
        mq.MQIA_PUBSUB_SYNC_PT,
        {"IFPER": pcf.MQSYNCPOINT_IFPER, "YES": pcf.MQSYNCPOINT_YES},
    ),
    shown(text("QMID", mq.MQCA_Q_MGR_IDENTIFIER, 48)),
    enum("REMOTEEV", mq.MQIA_REMOTE_EVENT, EVENTS),
    name("REPOS", mq.MQCA_REPOSITORY_NAME),
    name("REPOSNL", mq.MQCA_REPOSITORY_NAMELIST),
    enum(
        "REVDNS",
        mq.MQIA_REVERSE_DNS_LOOKUP,
        {"ENABLED": pcf.MQRDNS_ENABLED, "DISABLED": pcf.MQRDNS_DISABLED},
    ),
    enum("ROUTEREC", mq.MQIA_TRACE_ROUTE_RECORDING, _RECORDING),
    enum("SCHINIT", mq.MQIA_CHINIT_CONTROL, _CONTROL),
    enum("SCMDSERV", mq.MQIA_CMD_SERVER_CONTROL, _CONTROL),
    shown(enum("SPLCAP", mq.MQIA_PROT_POLICY_CAPABILITY, DISABLED_ENABLED)),
    name("SSLCRLNL", mq.MQCA_SSL_CRL_NAMELIST),
    text("SSLCRYP", mq.MQCA_SSL_CRYPTO_HARDWARE, 256),
    enum("SSLEV", mq.MQIA_SSL_EVENT, EVENTS),
    enum("SSLFIPS", mq.MQIA_SSL_FIPS_REQUIRED, {"NO": mq.MQSSL_FIPS_NO, "YES": mq.MQSSL_FIPS_YES}),
    secret(text("KEYRPWD", mq.MQCA_SSL_KEY_REPO_PASSWORD, 1024)),
    text("SSLKEYR", mq.MQCA_SSL_KEY_REPOSITORY, 256),
    integer("SSLRKEYC", mq.MQIA_SSL_RESET_COUNT, 0, 0, NUMBER_MAX),
    enum("STATACLS", mq.MQIA_STATISTICS_AUTO_CLUSSDR, _AUTOMATIC),
    enum("STATCHL", mq.MQIA_STATISTICS_CHANNEL, _MONITORING),
    integer("STATINT", mq.MQIA_STATISTICS_INTERVAL, 1800, 1, 604_800),
    enum("STATMQI", mq.MQIA_STATISTICS_MQI, {"OFF": mq.MQMON_OFF, "ON": mq.MQMON_ON}),
    enum("STATQ", mq.MQIA_STATISTICS_Q, _OFF_ON_NONE),
    enum("STRSTPEV", mq.MQIA_START_STOP_EVENT, EVENTS, "ENABLED"),
    enum("SUITEB", mq.MQIA_SUITE_B_STRENGTH, _SUITE_B),
    shown(_SYNCPOINT),
    integer("TREELIFE", mq.MQIA_TREE_LIFE_TIME, 1800, 0, 604_000),
    integer("TRIGINT", mq.MQIA_TRIGGER_INTERVAL, NUMBER_MAX, 0, NUMBER_MAX),
    shown(text("VERSION", mq.MQCA_VERSION, 8, VERSION)),
    shown(enum("XRCAP", mq.MQIA_XR_CAPABILITY, YES_NO, "NO")),
)

KINDS: Final = (
    Kind(
        keyword="QMGR",
        title="Queue manager",
        order=0,
        dump_order=0,
        attributes=_ATTRIBUTES,
        name_keyword="QMNAME",
        number=mq.MQOT_Q_MGR,
        opened=True,
        inquired=True,
        pcf=PCF(
            change=pcf.MQCMD_CHANGE_Q_MGR,
            inquire=pcf.MQCMD_INQUIRE_Q_MGR,
            name=mq.MQCA_Q_MGR_NAME,
            attributes=pcf.MQIACF_Q_MGR_ATTRS,
        ),
        messages=Messages(changed="AMQ8005I", shown="AMQ8408I", heading="Display Queue Manager details."),
        authority=Authority(
            object_type="QMGR",
            title="Queue manager",
            number=mq.MQOT_Q_MGR,
            takes=CONTROLLED
            | MQZAO_CONTROL_EXTENDED
            | MQZAO_ALTERNATE_USER_AUTHORITY
            | MQZAO_CONNECT
            | MQZAO_INQUIRE
            | MQZAO_SET
            | MQZAO_SET_ALL_CONTEXT
            | MQZAO_SET_IDENTITY_CONTEXT
            | MQZAO_SYSTEM,
            words=("qmgr",),
        ),
    ),
)
