"""The command model: one table of every command, its parameters, handler, help, example and authority.

MQSC binds a parsed command to a `Form` (execute.py), prints its syntax after an error, and calls its handler. PCF and
REST find the same form by `pcf_command` or by verb and noun. To add a command, add a row to a list below: a test fails
until it has a summary and an example that can be bound.

    part      stands in a command as                 examples
    options   parameters of the command itself       REPLACE, LIKE(name), TYPE(HANDLE), WHERE(...)
    settable  attributes to set, KEYWORD(value)      MAXDEPTH(5000), NOSHARE
    shown     attributes to show, bare KEYWORD       CURDEPTH
"""

from __future__ import annotations

from dataclasses import dataclass

from flintmq.command import (
    channels,
    model_security,
    model_services,
    objects,
    qmgr,
    queues,
    status,
    storage,
    subscriptions,
    topics,
    trace,
)
from flintmq.command.form import CHANNEL_PROFILE as CHANNEL_PROFILE
from flintmq.command.form import CONNECTION_ID as CONNECTION_ID
from flintmq.command.form import GENERIC_CONNECTION_ID as GENERIC_CONNECTION_ID
from flintmq.command.form import GENERIC_NAME as GENERIC_NAME
from flintmq.command.form import GENERIC_SUBSCRIPTION_NAME as GENERIC_SUBSCRIPTION_NAME
from flintmq.command.form import GENERIC_TRACE_TYPE as GENERIC_TRACE_TYPE
from flintmq.command.form import LEAVING as LEAVING
from flintmq.command.form import NO_NAME as NO_NAME
from flintmq.command.form import OBJECT_NAME as OBJECT_NAME
from flintmq.command.form import OPTIONAL_NAME as OPTIONAL_NAME
from flintmq.command.form import SUBSCRIPTION_NAME as SUBSCRIPTION_NAME
from flintmq.command.form import TOPIC_STRING as TOPIC_STRING
from flintmq.command.form import TRACE_TYPE as TRACE_TYPE
from flintmq.command.form import USER_NAME as USER_NAME
from flintmq.command.form import WHERE as WHERE
from flintmq.command.form import Form as Form
from flintmq.command.form import settable as _settable
from flintmq.command.options import ALL as _ALL
from flintmq.command.options import AUTHORITY_TYPE as _AUTHORITY_TYPE
from flintmq.command.options import AUTHREC as _AUTHREC
from flintmq.command.options import CHANNEL_TYPE as _CHANNEL_TYPE
from flintmq.command.options import CLEAR_SCOPE as _CLEAR_SCOPE
from flintmq.command.options import CLEAR_TYPE as _CLEAR_TYPE
from flintmq.command.options import CONNAME as _CONNAME
from flintmq.command.options import CONNECTION_TYPE as _CONNECTION_TYPE
from flintmq.command.options import CURRENT as _CURRENT
from flintmq.command.options import DEFAULT as _DEFAULT
from flintmq.command.options import DURABLE as _DURABLE
from flintmq.command.options import FORCE as _FORCE
from flintmq.command.options import IGNSTATE as _IGNSTATE
from flintmq.command.options import LIKE as _LIKE
from flintmq.command.options import MOVE_TYPE as _MOVE_TYPE
from flintmq.command.options import OPEN_TYPE as _OPEN_TYPE
from flintmq.command.options import PUBSUB_TYPE as _PUBSUB_TYPE
from flintmq.command.options import PURGE as _PURGE
from flintmq.command.options import QUEUE_STATUS_TYPE as _QUEUE_STATUS_TYPE
from flintmq.command.options import QUEUE_TYPE as _QUEUE_TYPE
from flintmq.command.options import REPLACE as _REPLACE
from flintmq.command.options import RESET_TYPE as _RESET_TYPE
from flintmq.command.options import SAVED as _SAVED
from flintmq.command.options import SHORT as _SHORT
from flintmq.command.options import STOP_MODE as _STOP_MODE
from flintmq.command.options import STOP_STATUS as _STOP_STATUS
from flintmq.command.options import SUBID as _SUBID
from flintmq.command.options import SUBTYPE as _SUBTYPE
from flintmq.command.options import TOPIC_STATUS_TYPE as _TOPIC_STATUS_TYPE
from flintmq.command.options import TOPIC_TYPE as _TOPIC_TYPE
from flintmq.command.options import USAGE_TYPE as _USAGE_TYPE
from flintmq.command.options import WHERE as _WHERE
from flintmq.command.options import choice as _choice
from flintmq.command.options import numbered as _numbered
from flintmq.command.options import numbers as _numbers
from flintmq.command.options import page_set as _page_set
from flintmq.command.options import text as _text
from flintmq.mqi import pcf_constants as pcf
from flintmq.qmgr.attribute import FLAG, NAME, STRING, Attribute
from flintmq.qmgr.attributes import (
    ATTRIBUTES,
    QUEUE_ATTRIBUTES,
    QUEUE_KINDS,
    TOPIC_STRING_LENGTH_MAX,
)
from flintmq.qmgr.traces import CLASSES

# -- objects ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kind:
    """One kind of object that can be defined, altered, deleted and shown."""

    kind: str
    what: str
    example: str
    parameters: str
    authority: str
    commands: tuple[int, int, int, int]  # create, change, delete, inquire
    #: What the example of ALTER changes, where that is not what the example of DEFINE sets.
    altered: str = ""
    #: What DEFINE must say.
    required: tuple[str, ...] = ()


_QUEUE_COMMANDS = (pcf.MQCMD_CREATE_Q, pcf.MQCMD_CHANGE_Q, pcf.MQCMD_DELETE_Q, pcf.MQCMD_INQUIRE_Q)

_KINDS = [
    _Kind("QLOCAL", "a local queue", "ORDERS.IN", "MAXDEPTH(50000) DEFPSIST(YES)", "queue", _QUEUE_COMMANDS),
    _Kind("QALIAS", "an alias queue", "ORDERS", "TARGET(ORDERS.IN)", "queue", _QUEUE_COMMANDS),
    _Kind(
        "QREMOTE",
        "a local definition of a remote queue",
        "BILLS",
        "RNAME(BILLS) RQMNAME(QM2)",
        "queue",
        _QUEUE_COMMANDS,
    ),
    _Kind("QMODEL", "a model queue", "REPLY.MODEL", "DEFTYPE(PERMDYN)", "queue", _QUEUE_COMMANDS),
    _Kind(
        "PROCESS",
        "a process, for triggering",
        "ORDERS.PROCESS",
        "APPLICID('/opt/orders/start')",
        "process",
        (pcf.MQCMD_CREATE_PROCESS, pcf.MQCMD_CHANGE_PROCESS, pcf.MQCMD_DELETE_PROCESS, pcf.MQCMD_INQUIRE_PROCESS),
    ),
    _Kind(
        "NAMELIST",
        "a list of names",
        "ORDER.QUEUES",
        "NAMES(ORDERS.IN,ORDERS.OUT)",
        "namelist",
        (pcf.MQCMD_CREATE_NAMELIST, pcf.MQCMD_CHANGE_NAMELIST, pcf.MQCMD_DELETE_NAMELIST, pcf.MQCMD_INQUIRE_NAMELIST),
    ),
    _Kind(
        "TOPIC",
        "a topic object: the attributes of a topic string and of all below it",
        "ORDERS.TOPIC",
        "TOPICSTR('orders') DEFPSIST(YES)",
        "topic",
        (pcf.MQCMD_CREATE_TOPIC, pcf.MQCMD_CHANGE_TOPIC, pcf.MQCMD_DELETE_TOPIC, pcf.MQCMD_INQUIRE_TOPIC),
        altered="PUB(DISABLED)",
        required=("TOPICSTR",),
    ),
    _Kind(
        "CHANNEL",
        "a server-connection channel, through which clients connect",
        "ORDERS.SVRCONN",
        "CHLTYPE(SVRCONN) SHARECNV(10)",
        "channel",
        (pcf.MQCMD_CREATE_CHANNEL, pcf.MQCMD_CHANGE_CHANNEL, pcf.MQCMD_DELETE_CHANNEL, pcf.MQCMD_INQUIRE_CHANNEL),
        required=("CHLTYPE",),
    ),
    _Kind(
        "AUTHINFO",
        "an authentication information object: how passwords are checked",
        "CHECKED",
        "AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)",
        "authinfo",
        (
            pcf.MQCMD_CREATE_AUTH_INFO,
            pcf.MQCMD_CHANGE_AUTH_INFO,
            pcf.MQCMD_DELETE_AUTH_INFO,
            pcf.MQCMD_INQUIRE_AUTH_INFO,
        ),
        required=("AUTHTYPE",),
    ),
    _Kind(
        "LISTENER",
        "a listener: where the queue manager process listens for clients",
        "TCP.1",
        "TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)",
        "listener",
        (pcf.MQCMD_CREATE_LISTENER, pcf.MQCMD_CHANGE_LISTENER, pcf.MQCMD_DELETE_LISTENER, pcf.MQCMD_INQUIRE_LISTENER),
        required=("TRPTYPE",),
    ),
    _Kind(
        "SERVICE",
        "a service: a program that runs beside the queue manager",
        "ORDERS.MONITOR",
        "CONTROL(QMGR) SERVTYPE(SERVER) STARTCMD('/opt/orders/monitor') STARTARG('-m +QMNAME+')",
        "service",
        (pcf.MQCMD_CREATE_SERVICE, pcf.MQCMD_CHANGE_SERVICE, pcf.MQCMD_DELETE_SERVICE, pcf.MQCMD_INQUIRE_SERVICE),
    ),
    _Kind(
        "COMMINFO",
        "a communication information object, for multicast",
        "ORDERS.MULTICAST",
        "TYPE(MULTICAST) GRPADDR('239.0.0.1')",
        "comminfo",
        (
            pcf.MQCMD_CREATE_COMM_INFO,
            pcf.MQCMD_CHANGE_COMM_INFO,
            pcf.MQCMD_DELETE_COMM_INFO,
            pcf.MQCMD_INQUIRE_COMM_INFO,
        ),
    ),
    _Kind(
        "STGCLASS",
        "a storage class, which leads from a queue to its page set",
        "BIG",
        "PSID(5)",
        "qmgr",
        (
            pcf.MQCMD_CREATE_STG_CLASS,
            pcf.MQCMD_CHANGE_STG_CLASS,
            pcf.MQCMD_DELETE_STG_CLASS,
            pcf.MQCMD_INQUIRE_STG_CLASS,
        ),
    ),
    _Kind(
        "BUFFPOOL",
        "a buffer pool",
        "4",
        "BUFFERS(50000)",
        "qmgr",
        (
            pcf.MQCMD_CREATE_BUFFER_POOL,
            pcf.MQCMD_CHANGE_BUFFER_POOL,
            pcf.MQCMD_DELETE_BUFFER_POOL,
            pcf.MQCMD_INQUIRE_USAGE,
        ),
    ),
    _Kind(
        "PSID",
        "a page set",
        "5",
        "BUFFPOOL(4) EXPAND(SYSTEM)",
        "qmgr",
        (
            pcf.MQCMD_CREATE_PAGE_SET,
            pcf.MQCMD_CHANGE_PAGE_SET,
            pcf.MQCMD_DELETE_PAGE_SET,
            pcf.MQCMD_INQUIRE_USAGE,
        ),
    ),
]


def _object_forms(each: _Kind) -> list[Form]:
    """DEFINE, ALTER, DELETE and DISPLAY of one kind."""
    kind, named = each.kind, f"{each.kind}({each.example})"
    queue = kind in QUEUE_KINDS
    on_qmgr = each.authority == "qmgr"
    create, change, delete, inquire = each.commands
    define_options = (_REPLACE, _LIKE) if kind != "PSID" else (_REPLACE,)
    alter_options = (_FORCE,) if kind in ("QLOCAL", "QALIAS", "QREMOTE") else ()
    delete_options = (_IGNSTATE, *((_AUTHREC,) if not on_qmgr else ()), *((_PURGE,) if kind == "QLOCAL" else ()))
    types = {"TOPIC": (_TOPIC_TYPE,), "CHANNEL": (_CHANNEL_TYPE,), "AUTHINFO": (_AUTHORITY_TYPE,)}
    display_options = (_ALL, _WHERE, *((_QUEUE_TYPE,) if queue else types.get(kind, ())))
    return [
        Form(
            "DEFINE",
            kind,
            kind,
            OBJECT_NAME,
            objects.define,
            ("chg" if on_qmgr else "crt", each.authority),
            create,
            f"Define {each.what}.",
            f"DEFINE {named} {each.parameters}",
            options=define_options,
            settable=_settable(kind, altering=False),
            required=each.required,
        ),
        Form(
            "ALTER",
            kind,
            kind,
            OBJECT_NAME,
            objects.alter,
            ("chg", each.authority),
            change,
            f"Change attributes of {each.what}; those not named stay as they are.",
            f"ALTER {named} {each.altered or each.parameters}",
            options=alter_options,
            settable=_settable(kind, altering=True),
        ),
        Form(
            "DELETE",
            kind,
            kind,
            OBJECT_NAME,
            objects.delete,
            ("chg" if on_qmgr else "dlt", each.authority),
            delete,
            f"Delete {each.what}.",
            f"DELETE {named}" + (" PURGE" if kind == "QLOCAL" else ""),
            options=delete_options,
        ),
        Form(
            "DISPLAY",
            kind,
            kind,
            GENERIC_NAME,
            objects.display,
            ("dsp", each.authority),
            inquire,
            f"Show the attributes of {each.what}, or of all whose name begins alike.",
            f"DISPLAY {named} ALL",
            options=display_options,
            shown=tuple(ATTRIBUTES[kind]),
        ),
    ]


_QUEUE_FORMS = [
    Form(
        "DISPLAY",
        "QUEUE",
        "QUEUE",
        GENERIC_NAME,
        objects.display,
        ("dsp", "queue"),
        pcf.MQCMD_INQUIRE_Q,
        "Show the attributes of queues of any kind.",
        "DISPLAY QUEUE(ORDERS.*) CURDEPTH WHERE(CURDEPTH GT 0)",
        options=(_ALL, _WHERE, _QUEUE_TYPE),
        shown=tuple(QUEUE_ATTRIBUTES),
    ),
    Form(
        "CLEAR",
        "QLOCAL",
        "QLOCAL",
        OBJECT_NAME,
        queues.clear,
        ("clr", "queue"),
        pcf.MQCMD_CLEAR_Q,
        "Remove all messages from a local queue that nobody has open.",
        "CLEAR QLOCAL(ORDERS.IN)",
    ),
    Form(
        "MOVE",
        "QLOCAL",
        "QLOCAL",
        OBJECT_NAME,
        queues.move,
        ("chg", "queue"),
        pcf.MQCMD_MOVE_Q,
        "Move all messages of a local queue that nobody has open to another, which must be empty unless TYPE(ADD).",
        "MOVE QLOCAL(ORDERS.IN) TOQLOCAL(ORDERS.OLD) TYPE(ADD)",
        options=(_text("TOQLOCAL", selector=pcf.MQCACF_TO_Q_NAME), _MOVE_TYPE),
        required=("TOQLOCAL",),
    ),
    Form(
        "RESET",
        "QSTATS",
        "QLOCAL",
        GENERIC_NAME,
        queues.reset_statistics,
        ("chg", "queue"),
        pcf.MQCMD_RESET_Q_STATS,
        "Tell how many messages went in and out of local queues, and begin to count again.",
        "RESET QSTATS(ORDERS.*)",
        options=(_ALL,),
    ),
    Form(
        "DISPLAY",
        "QSTATUS",
        "QLOCAL",
        GENERIC_NAME,
        queues.status,
        ("dsp", "queue"),
        pcf.MQCMD_INQUIRE_Q_STATUS,
        "Show what is going on at local queues, or with TYPE(HANDLE) who has them open.",
        "DISPLAY QSTATUS(ORDERS.IN) TYPE(HANDLE) ALL",
        options=(_ALL, _WHERE, _QUEUE_STATUS_TYPE, _OPEN_TYPE),
        shown=(*status.QUEUE_STATUS, *status.QUEUE_HANDLE),
    ),
]

_Q_MGR_FORMS = [
    Form(
        "ALTER",
        "QMGR",
        "QMGR",
        NO_NAME,
        objects.alter,
        ("chg", "qmgr"),
        pcf.MQCMD_CHANGE_Q_MGR,
        "Change attributes of the queue manager.",
        "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) MAXUMSGS(50000)",
        options=(_FORCE,),
        settable=_settable("QMGR", altering=True),
    ),
    Form(
        "DISPLAY",
        "QMGR",
        "QMGR",
        NO_NAME,
        objects.display,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_Q_MGR,
        "Show the attributes of the queue manager.",
        "DISPLAY QMGR DEADQ CCSID",
        options=(_ALL,),
        shown=tuple(ATTRIBUTES["QMGR"]),
        always=("QMNAME",),
        groups=qmgr.attribute_groups([attribute.keyword for attribute in ATTRIBUTES["QMGR"]]),
    ),
    Form(
        "PING",
        "QMGR",
        "",
        NO_NAME,
        qmgr.ping,
        ("dsp", "qmgr"),
        pcf.MQCMD_PING_Q_MGR,
        "See whether the queue manager answers commands.",
        "PING QMGR",
    ),
    Form(
        "REFRESH",
        "QMGR",
        "",
        NO_NAME,
        qmgr.refresh,
        ("chg", "qmgr"),
        pcf.MQCMD_REFRESH_Q_MGR,
        "Look for expired messages now, on all local queues or those with a generic name.",
        "REFRESH QMGR TYPE(EXPIRY) NAME(ORDERS.*)",
        options=(
            _choice("TYPE", "EXPIRY", selector=pcf.MQIACF_REFRESH_TYPE, numbers=(pcf.MQRT_EXPIRY,)),
            _text("NAME", STRING, selector=pcf.MQCACF_OBJECT_NAME),
        ),
        required=("TYPE",),
    ),
    Form(
        "RESET",
        "QMGR",
        "",
        NO_NAME,
        qmgr.reset,
        ("chg", "qmgr"),
        pcf.MQCMD_RESET_Q_MGR,
        "Go on to a new log file, or begin a new statistics interval.",
        "RESET QMGR TYPE(ADVANCELOG)",
        options=(_RESET_TYPE,),
        required=("TYPE",),
    ),
    Form(
        "DISPLAY",
        "QMSTATUS",
        "",
        NO_NAME,
        qmgr.status,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_Q_MGR_STATUS,
        "Show the state of the queue manager and its log.",
        "DISPLAY QMSTATUS ALL",
        options=(
            _ALL,
            _choice(
                "TYPE",
                "QMGR",
                selector=pcf.MQIACF_Q_MGR_STATUS_INFO_TYPE,
                numbers=(pcf.MQIACF_Q_MGR_STATUS_INFO_Q_MGR,),
            ),
        ),
        shown=tuple(status.Q_MGR_STATUS),
        always=("QMNAME",),
    ),
    Form(
        "DISPLAY",
        "CONN",
        "",
        GENERIC_CONNECTION_ID,
        qmgr.connections,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_CONNECTION,
        "Show who is connected, or with TYPE(HANDLE) what they have open.",
        "DISPLAY CONN(*) TYPE(ALL) WHERE(APPLTAG LK 'orders*')",
        options=(_ALL, _WHERE, _CONNECTION_TYPE, _text("EXTCONN", NAME, 48)),
        shown=(*status.CONNECTION, *status.CONNECTION_HANDLE),
        always=("CONN", "EXTCONN"),
    ),
    Form(
        "STOP",
        "CONN",
        "",
        CONNECTION_ID,
        qmgr.stop_connection,
        ("chg", "qmgr"),
        pcf.MQCMD_STOP_CONNECTION,
        "Break a connection. Its unit of work is backed out.",
        "STOP CONN(6147BA6800DD0740)",
        options=(_text("EXTCONN", NAME, 48),),
    ),
]

_PUBSUB_FORMS = [
    Form(
        "DEFINE",
        "SUB",
        "SUB",
        SUBSCRIPTION_NAME,
        subscriptions.define,
        ("crt", "topic"),
        pcf.MQCMD_CREATE_SUBSCRIPTION,
        "Define a durable subscription, whose publications go to a queue.",
        "DEFINE SUB('orders to audit') TOPICSTR('orders/#') DEST(ORDERS.IN)",
        options=(_REPLACE, _text("LIKE", STRING, TOPIC_STRING_LENGTH_MAX)),
        settable=_settable("SUB", altering=False),
    ),
    Form(
        "ALTER",
        "SUB",
        "SUB",
        SUBSCRIPTION_NAME,
        subscriptions.alter,
        ("chg", "topic"),
        pcf.MQCMD_CHANGE_SUBSCRIPTION,
        "Change attributes of a subscription that no application has open; those not named stay as they are.",
        "ALTER SUB('orders to audit') USERDATA('all of them')",
        options=(_SUBID,),
        settable=_settable("SUB", altering=True),
    ),
    Form(
        "DELETE",
        "SUB",
        "SUB",
        SUBSCRIPTION_NAME,
        subscriptions.delete,
        ("dlt", "topic"),
        pcf.MQCMD_DELETE_SUBSCRIPTION,
        "End a subscription that no application has open, and delete its managed destination.",
        "DELETE SUB('orders to audit')",
        options=(_SUBID, _IGNSTATE),
    ),
    Form(
        "DISPLAY",
        "SUB",
        "SUB",
        GENERIC_SUBSCRIPTION_NAME,
        subscriptions.display,
        ("dsp", "topic"),
        pcf.MQCMD_INQUIRE_SUBSCRIPTION,
        "Show the attributes of subscriptions.",
        "DISPLAY SUB(*) SUBTYPE(ADMIN) TOPICSTR DEST",
        options=(_ALL, _WHERE, _SUBID, _SUBTYPE, _DURABLE),
        shown=tuple(ATTRIBUTES["SUB"]),
        always=("SUB", "SUBNAME", "SUBID"),
    ),
    Form(
        "DISPLAY",
        "SBSTATUS",
        "SUB",
        GENERIC_SUBSCRIPTION_NAME,
        subscriptions.status,
        ("dsp", "topic"),
        pcf.MQCMD_INQUIRE_SUB_STATUS,
        "Show what is going on at subscriptions: who has them open, how many publications they got.",
        "DISPLAY SBSTATUS(*) NUMMSGS",
        options=(_ALL, _WHERE, _SUBID, _SUBTYPE, _DURABLE),
        shown=tuple(status.SUBSCRIPTION_STATUS),
    ),
    Form(
        "DISPLAY",
        "TPSTATUS",
        "",
        TOPIC_STRING,
        topics.status,
        ("dsp", "topic"),
        pcf.MQCMD_INQUIRE_TOPIC_STATUS,
        "Show what holds at topics, or with TYPE(SUB) and TYPE(PUB) who subscribes and publishes there.",
        "DISPLAY TPSTATUS('orders/#') TYPE(TOPIC) SUBCOUNT RETAINED",
        options=(_ALL, _WHERE, _TOPIC_STATUS_TYPE),
        shown=(*status.TOPIC_STATUS, *status.TOPIC_SUBSCRIPTION, *status.TOPIC_PUBLISHER),
    ),
    Form(
        "CLEAR",
        "TOPICSTR",
        "",
        TOPIC_STRING,
        topics.clear,
        ("clr", "topic"),
        pcf.MQCMD_CLEAR_TOPIC_STRING,
        "Remove the retained publication of one topic.",
        "CLEAR TOPICSTR('orders/new') CLRTYPE(RETAINED)",
        options=(_CLEAR_TYPE, _CLEAR_SCOPE),
        required=("CLRTYPE",),
    ),
    Form(
        "DISPLAY",
        "PUBSUB",
        "",
        NO_NAME,
        topics.pubsub,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_PUBSUB_STATUS,
        "Show the state of publish/subscribe, and how many topics and subscriptions there are.",
        "DISPLAY PUBSUB ALL",
        options=(_ALL, _PUBSUB_TYPE),
        shown=tuple(status.PUBSUB_STATUS),
    ),
]

_CHANNEL_FORMS = [
    Form(
        "DISPLAY",
        "CHSTATUS",
        "CHANNEL",
        GENERIC_NAME,
        channels.status,
        ("dsp", "channel"),
        pcf.MQCMD_INQUIRE_CHANNEL_STATUS,
        "Show the instances of channels that run, and the channels that are stopped.",
        "DISPLAY CHSTATUS(ORDERS.*) CONNAME('10.0.0.*') MSGS BYTSRCVD CURSHCNV",
        options=(_ALL, _WHERE, _CONNAME, _CURRENT, _SAVED, _SHORT),
        shown=tuple(each for each in status.CHANNEL_STATUS if each.keyword not in ("CONNAME", "CURRENT")),
    ),
    Form(
        "START",
        "CHANNEL",
        "CHANNEL",
        OBJECT_NAME,
        channels.start,
        ("ctrl", "channel"),
        pcf.MQCMD_START_CHANNEL,
        "Let clients use a channel that was stopped.",
        "START CHANNEL(ORDERS.SVRCONN)",
        options=(_IGNSTATE,),
    ),
    Form(
        "STOP",
        "CHANNEL",
        "CHANNEL",
        OBJECT_NAME,
        channels.stop,
        ("ctrl", "channel"),
        pcf.MQCMD_STOP_CHANNEL,
        "End the instances of a channel, those of one client with CONNAME; unless STATUS(INACTIVE), nobody can use it.",
        "STOP CHANNEL(ORDERS.SVRCONN) MODE(FORCE)",
        options=(_STOP_MODE, _CONNAME, _STOP_STATUS, _IGNSTATE),
    ),
    Form(
        "DISPLAY",
        "LSSTATUS",
        "LISTENER",
        GENERIC_NAME,
        channels.listener_status,
        ("dsp", "listener"),
        pcf.MQCMD_INQUIRE_LISTENER_STATUS,
        "Show the listeners that run.",
        "DISPLAY LSSTATUS(*) PORT IPADDR",
        options=(_ALL, _WHERE),
        shown=tuple(status.LISTENER_STATUS),
    ),
    Form(
        "START",
        "LISTENER",
        "LISTENER",
        OBJECT_NAME,
        channels.start_listener,
        ("ctrl", "listener"),
        pcf.MQCMD_START_CHANNEL_LISTENER,
        "Listen for clients where a listener says.",
        "START LISTENER(TCP.1)",
        options=(_IGNSTATE,),
    ),
    Form(
        "STOP",
        "LISTENER",
        "LISTENER",
        OBJECT_NAME,
        channels.stop_listener,
        ("ctrl", "listener"),
        pcf.MQCMD_STOP_CHANNEL_LISTENER,
        "Listen no longer; clients that are connected stay.",
        "STOP LISTENER(TCP.1)",
        options=(_IGNSTATE,),
    ),
]

_STORAGE_FORMS = [
    Form(
        "DISPLAY",
        "USAGE",
        "",
        NO_NAME,
        storage.usage,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_USAGE,
        "Show how full page sets, buffer pools and the log are.",
        "DISPLAY USAGE TYPE(PAGESET) PSID(4)",
        options=(_page_set(), _USAGE_TYPE),
    ),
    Form(
        "DISPLAY",
        "LOG",
        "",
        NO_NAME,
        storage.display_log,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_LOG,
        "Show the parameters and the state of the log.",
        "DISPLAY LOG",
        options=(_ALL,),
        shown=tuple(status.LOG),
    ),
    Form(
        "SET",
        "LOG",
        "",
        NO_NAME,
        storage.set_log,
        ("chg", "qmgr"),
        pcf.MQCMD_SET_LOG,
        "Change parameters of the log. COMPLOG switches compression for the whole queue manager.",
        "SET LOG COMPLOG(RLE)",
        options=(_DEFAULT,),
        settable=_settable("LOG", altering=True),
    ),
    Form(
        "ARCHIVE",
        "LOG",
        "",
        NO_NAME,
        storage.archive_log,
        ("chg", "qmgr"),
        pcf.MQCMD_ARCHIVE_LOG,
        "Go on to a new log file and archive what is complete.",
        "ARCHIVE LOG",
    ),
    Form(
        "DISPLAY",
        "SYSTEM",
        "",
        NO_NAME,
        storage.display_system,
        ("dsp", "qmgr"),
        pcf.MQCMD_INQUIRE_SYSTEM,
        "Show the system parameters, and new intervals that have yet to begin.",
        "DISPLAY SYSTEM STATIME ACCTIME",
        options=(_ALL,),
        shown=tuple(status.SYSTEM),
    ),
    Form(
        "SET",
        "SYSTEM",
        "",
        NO_NAME,
        storage.set_system,
        ("chg", "qmgr"),
        pcf.MQCMD_SET_SYSTEM,
        "Change system parameters. A new interval begins when the running one ends.",
        "SET SYSTEM STATIME(1.00) ACCTIME(0.15)",
        options=(_DEFAULT,),
        settable=_settable("SYSTEM", altering=True),
    ),
]

_CLASS = _numbers("CLASS", 1, 99)
_TNO = _numbered("TNO", 0, 99)

#: MQ has them on z/OS only, where they have no PCF.
_TRACE_FORMS = [
    Form(
        "START",
        "TRACE",
        "",
        TRACE_TYPE,
        trace.start,
        ("ctrl", "qmgr"),
        0,
        "Start to record statistics (STAT), accounting (ACCTG), calls (GLOBAL) or what goes over channels (CHINIT).",
        "START TRACE(STAT) CLASS(1,4:5)",
        options=(_CLASS, _choice("DEST", "SMF RES GTF SRV"), _text("COMMENT", STRING, 64), _choice("TDATA", "MSGDATA")),
    ),
    Form(
        "STOP",
        "TRACE",
        "",
        GENERIC_TRACE_TYPE,
        trace.stop,
        ("ctrl", "qmgr"),
        0,
        "Stop traces: of a type, or * for all; with CLASS or TNO those that were started so.",
        "STOP TRACE(STAT) CLASS(1,4:5)",
        options=(_CLASS, _TNO, _text("COMMENT", STRING, 64)),
    ),
    Form(
        "DISPLAY",
        "TRACE",
        "",
        GENERIC_TRACE_TYPE,
        trace.display,
        ("dsp", "qmgr"),
        0,
        "Show the traces that are started.",
        "DISPLAY TRACE(*)",
        options=(_CLASS, _TNO),
    ),
]

_FORMS = [form for kind in _KINDS for form in _object_forms(kind)]
_FORMS += _QUEUE_FORMS + _Q_MGR_FORMS + _PUBSUB_FORMS + _CHANNEL_FORMS + _STORAGE_FORMS
_FORMS += _TRACE_FORMS + model_security.FORMS + model_services.FORMS

#: verb and noun -> form.
FORMS = {(form.verb, form.noun): form for form in sorted(_FORMS, key=lambda form: (form.verb, form.noun))}
assert len(FORMS) == len(_FORMS)

#: Every verb, with the words that end a session.
VERBS = sorted({form.verb for form in _FORMS} | {LEAVING[0]})


def nouns(verb: str) -> list[str]:
    """The nouns that `verb` can be said of."""
    return [noun for each, noun in FORMS if each == verb]


# -- syntax texts -----------------------------------------------------------------------------------------------------


def syntax(form: Form) -> list[str]:
    """The lines of AMQ8427I: how the command is written."""
    name = "(name*)" if form.name.startswith("generic") else "(name)"
    if form.name in (NO_NAME, OPTIONAL_NAME):
        name = ""
    elif form.name in (TOPIC_STRING, USER_NAME):
        name = "(string)"
    elif form.name in (TRACE_TYPE, GENERIC_TRACE_TYPE):
        name = "(" + " | ".join(CLASSES) + (")" if form.name == TRACE_TYPE else " | *)")
    lines = [f" {form.verb} {form.noun}{name}"]
    for parameter in (*form.options, *form.settable):
        text = _parameter_syntax(parameter)
        lines.append(f"   {text}" if parameter.keyword in form.required else f"   [ {text} ]")
    for keyword in dict.fromkeys(attribute.keyword for attribute in form.shown):
        lines.append(f"   [ {keyword} ]")
    return lines


def _parameter_syntax(attribute: Attribute) -> str:
    if attribute.keyword == WHERE:
        return "WHERE( keyword operator value )"
    if attribute.kind == FLAG:
        return " | ".join(attribute.words)
    return f"{attribute.keyword}( {attribute.allowed()} )"
