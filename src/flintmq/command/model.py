"""The command model: one table of every command, its parameters, handler, help, example and authority.

MQSC binds a parsed command to a `Form` (execute.py), prints its syntax after an error, and calls its handler. PCF and
REST find the same form by `pcf_command` or by verb and noun. DEFINE, ALTER, DELETE and DISPLAY of a kind of object are
made from its declaration (catalogue/kinds/). To add another command, add a row to a list below: a test fails until it
has a summary and an example that can be bound.

    part      stands in a command as                 examples
    options   parameters of the command itself       REPLACE, LIKE(name), TYPE(HANDLE), WHERE(...)
    settable  attributes to set, KEYWORD(value)      MAXDEPTH(5000), NOSHARE
    shown     attributes to show, bare KEYWORD       CURDEPTH
"""

from __future__ import annotations

from flintmq.catalogue.attribute import FLAG, NAME, STRING, Attribute
from flintmq.catalogue.attribute_makers import choice
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.catalogue.kind import MQSC, Kind
from flintmq.catalogue.kinds import KINDS
from flintmq.catalogue.kinds.queue import QUEUE_ATTRIBUTES, QUEUE_TYPE
from flintmq.catalogue.limits import TOPIC_STRING_LENGTH_MAX
from flintmq.command import (
    channels,
    model_security,
    model_services,
    model_storage,
    objects,
    qmgr,
    queues,
    status,
    subscriptions,
    topics,
)
from flintmq.command.form import (
    CONNECTION_ID,
    GENERIC_CONNECTION_ID,
    GENERIC_NAME,
    GENERIC_SUBSCRIPTION_NAME,
    GENERIC_TRACE_TYPE,
    LEAVING,
    NO_NAME,
    OBJECT_NAME,
    OPTIONAL_NAME,
    SUBSCRIPTION_NAME,
    TOPIC_STRING,
    TRACE_TYPE,
    USER_NAME,
    Form,
    settable,
)
from flintmq.command.options import (
    ALL,
    AUTHREC,
    CLEAR_SCOPE,
    CLEAR_TYPE,
    CONNAME,
    CONNECTION_TYPE,
    CURRENT,
    DURABLE,
    FORCE,
    IGNSTATE,
    LIKE,
    MOVE_TYPE,
    OPEN_TYPE,
    PUBSUB_TYPE,
    PURGE,
    QUEUE_STATUS_TYPE,
    REPLACE,
    RESET_TYPE,
    SAVED,
    SHORT,
    STOP_MODE,
    STOP_STATUS,
    SUBID,
    SUBTYPE,
    TOPIC_STATUS_TYPE,
    WHERE,
    text,
)
from flintmq.mqi.pcf_constants import (
    MQCACF_OBJECT_NAME,
    MQCACF_TO_Q_NAME,
    MQCMD_CHANGE_Q_MGR,
    MQCMD_CHANGE_SUBSCRIPTION,
    MQCMD_CLEAR_Q,
    MQCMD_CLEAR_TOPIC_STRING,
    MQCMD_CREATE_SUBSCRIPTION,
    MQCMD_DELETE_SUBSCRIPTION,
    MQCMD_INQUIRE_CHANNEL_STATUS,
    MQCMD_INQUIRE_CONNECTION,
    MQCMD_INQUIRE_LISTENER_STATUS,
    MQCMD_INQUIRE_PUBSUB_STATUS,
    MQCMD_INQUIRE_Q,
    MQCMD_INQUIRE_Q_MGR,
    MQCMD_INQUIRE_Q_MGR_STATUS,
    MQCMD_INQUIRE_Q_STATUS,
    MQCMD_INQUIRE_SUB_STATUS,
    MQCMD_INQUIRE_SUBSCRIPTION,
    MQCMD_INQUIRE_TOPIC_STATUS,
    MQCMD_MOVE_Q,
    MQCMD_PING_Q_MGR,
    MQCMD_REFRESH_Q_MGR,
    MQCMD_RESET_Q_MGR,
    MQCMD_RESET_Q_STATS,
    MQCMD_START_CHANNEL,
    MQCMD_START_CHANNEL_LISTENER,
    MQCMD_STOP_CHANNEL,
    MQCMD_STOP_CHANNEL_LISTENER,
    MQCMD_STOP_CONNECTION,
    MQIACF_Q_MGR_STATUS_INFO_Q_MGR,
    MQIACF_Q_MGR_STATUS_INFO_TYPE,
    MQIACF_REFRESH_TYPE,
    MQRT_EXPIRY,
)
from flintmq.mqi.trace_words import CLASSES

# -- objects ----------------------------------------------------------------------------------------------------------


def _authority(kind: Kind, right: str) -> tuple[str, str]:
    """Return the authority for DEFINE or DELETE: "chg" for an object that belongs to the queue manager itself."""
    return ("chg" if kind.authority is None else right, kind.authority_type.lower())


def _define_form(kind: Kind, mqsc: MQSC) -> Form:
    return Form(
        verb="DEFINE",
        noun=kind.keyword,
        kind=kind.keyword,
        name=OBJECT_NAME,
        handler=objects.define,
        authority=_authority(kind, "crt"),
        pcf_command=kind.pcf.create,
        summary=f"Define {mqsc.description}.",
        example=f"DEFINE {kind.keyword}({mqsc.example}) {mqsc.parameters}",
        options=(REPLACE, LIKE) if mqsc.like else (REPLACE,),
        settable=settable(kind.keyword, altering=False),
        required=mqsc.required,
    )


def _alter_form(kind: Kind, mqsc: MQSC) -> Form:
    return Form(
        verb="ALTER",
        noun=kind.keyword,
        kind=kind.keyword,
        name=OBJECT_NAME,
        handler=objects.alter,
        authority=("chg", kind.authority_type.lower()),
        pcf_command=kind.pcf.change,
        summary=f"Change attributes of {mqsc.description}; those not named stay as they are.",
        example=f"ALTER {kind.keyword}({mqsc.example}) {mqsc.altered or mqsc.parameters}",
        options=(FORCE,) if mqsc.force else (),
        settable=settable(kind.keyword, altering=True),
    )


def _delete_form(kind: Kind, mqsc: MQSC) -> Form:
    records = () if kind.authority is None else (AUTHREC,)
    purge = (PURGE,) if mqsc.purge else ()
    return Form(
        verb="DELETE",
        noun=kind.keyword,
        kind=kind.keyword,
        name=OBJECT_NAME,
        handler=objects.delete,
        authority=_authority(kind, "dlt"),
        pcf_command=kind.pcf.delete,
        summary=f"Delete {mqsc.description}.",
        example=f"DELETE {kind.keyword}({mqsc.example})" + (" PURGE" if purge else ""),
        options=(IGNSTATE, *records, *purge),
    )


def _display_form(kind: Kind, mqsc: MQSC) -> Form:
    return Form(
        verb="DISPLAY",
        noun=kind.keyword,
        kind=kind.keyword,
        name=GENERIC_NAME,
        handler=objects.display,
        authority=("dsp", kind.authority_type.lower()),
        pcf_command=kind.pcf.inquire,
        summary=f"Show the attributes of {mqsc.description}, or of all whose name begins alike.",
        example=f"DISPLAY {kind.keyword}({mqsc.example}) ALL",
        options=(ALL, WHERE) if mqsc.selection is None else (ALL, WHERE, mqsc.selection),
        shown=kind.attributes,
    )


def _object_forms(kind: Kind) -> list[Form]:
    """Return DEFINE, ALTER, DELETE and DISPLAY of one kind of object; none for a kind with commands of its own."""
    if kind.mqsc is None:
        return []
    return [make(kind, kind.mqsc) for make in (_define_form, _alter_form, _delete_form, _display_form)]


_QUEUE_FORMS = [
    Form(
        verb="DISPLAY",
        noun="QUEUE",
        kind="QUEUE",
        name=GENERIC_NAME,
        handler=objects.display,
        authority=("dsp", "queue"),
        pcf_command=MQCMD_INQUIRE_Q,
        summary="Show the attributes of queues of any kind.",
        example="DISPLAY QUEUE(ORDERS.*) CURDEPTH WHERE(CURDEPTH GT 0)",
        options=(ALL, WHERE, QUEUE_TYPE),
        shown=QUEUE_ATTRIBUTES,
    ),
    Form(
        verb="CLEAR",
        noun="QLOCAL",
        kind="QLOCAL",
        name=OBJECT_NAME,
        handler=queues.clear,
        authority=("clr", "queue"),
        pcf_command=MQCMD_CLEAR_Q,
        summary="Remove all messages from a local queue that nobody has open.",
        example="CLEAR QLOCAL(ORDERS.IN)",
    ),
    Form(
        verb="MOVE",
        noun="QLOCAL",
        kind="QLOCAL",
        name=OBJECT_NAME,
        handler=queues.move,
        authority=("chg", "queue"),
        pcf_command=MQCMD_MOVE_Q,
        summary="Move all messages of a local queue that nobody has open to another, which must be empty "
        "unless TYPE(ADD).",
        example="MOVE QLOCAL(ORDERS.IN) TOQLOCAL(ORDERS.OLD) TYPE(ADD)",
        options=(text("TOQLOCAL", selector=MQCACF_TO_Q_NAME), MOVE_TYPE),
        required=("TOQLOCAL",),
    ),
    Form(
        verb="RESET",
        noun="QSTATS",
        kind="QLOCAL",
        name=GENERIC_NAME,
        handler=queues.reset_statistics,
        authority=("chg", "queue"),
        pcf_command=MQCMD_RESET_Q_STATS,
        summary="Tell how many messages went in and out of local queues, and begin to count again.",
        example="RESET QSTATS(ORDERS.*)",
        options=(ALL,),
    ),
    Form(
        verb="DISPLAY",
        noun="QSTATUS",
        kind="QLOCAL",
        name=GENERIC_NAME,
        handler=queues.status,
        authority=("dsp", "queue"),
        pcf_command=MQCMD_INQUIRE_Q_STATUS,
        summary="Show what is going on at local queues, or with TYPE(HANDLE) who has them open.",
        example="DISPLAY QSTATUS(ORDERS.IN) TYPE(HANDLE) ALL",
        options=(ALL, WHERE, QUEUE_STATUS_TYPE, OPEN_TYPE),
        shown=(*status.QUEUE_STATUS, *status.QUEUE_HANDLE),
    ),
]

_Q_MGR_FORMS = [
    Form(
        verb="ALTER",
        noun="QMGR",
        kind="QMGR",
        name=NO_NAME,
        handler=objects.alter,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_CHANGE_Q_MGR,
        summary="Change attributes of the queue manager.",
        example="ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) MAXUMSGS(50000)",
        options=(FORCE,),
        settable=settable("QMGR", altering=True),
    ),
    Form(
        verb="DISPLAY",
        noun="QMGR",
        kind="QMGR",
        name=NO_NAME,
        handler=objects.display,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_Q_MGR,
        summary="Show the attributes of the queue manager.",
        example="DISPLAY QMGR DEADQ CCSID",
        options=(ALL,),
        shown=ATTRIBUTES["QMGR"],
        always=("QMNAME",),
        groups=qmgr.attribute_groups([attribute.keyword for attribute in ATTRIBUTES["QMGR"]]),
    ),
    Form(
        verb="PING",
        noun="QMGR",
        kind="",
        name=NO_NAME,
        handler=qmgr.ping,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_PING_Q_MGR,
        summary="See whether the queue manager answers commands.",
        example="PING QMGR",
    ),
    Form(
        verb="REFRESH",
        noun="QMGR",
        kind="",
        name=NO_NAME,
        handler=qmgr.refresh,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_REFRESH_Q_MGR,
        summary="Look for expired messages now, on all local queues or those with a generic name.",
        example="REFRESH QMGR TYPE(EXPIRY) NAME(ORDERS.*)",
        options=(
            choice("TYPE", "EXPIRY", selector=MQIACF_REFRESH_TYPE, numbers=(MQRT_EXPIRY,)),
            text("NAME", STRING, selector=MQCACF_OBJECT_NAME),
        ),
        required=("TYPE",),
    ),
    Form(
        verb="RESET",
        noun="QMGR",
        kind="",
        name=NO_NAME,
        handler=qmgr.reset,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_RESET_Q_MGR,
        summary="Go on to a new log file, or begin a new statistics interval.",
        example="RESET QMGR TYPE(ADVANCELOG)",
        options=(RESET_TYPE,),
        required=("TYPE",),
    ),
    Form(
        verb="DISPLAY",
        noun="QMSTATUS",
        kind="",
        name=NO_NAME,
        handler=qmgr.status,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_Q_MGR_STATUS,
        summary="Show the state of the queue manager and its log.",
        example="DISPLAY QMSTATUS ALL",
        options=(
            ALL,
            choice(
                "TYPE",
                "QMGR",
                selector=MQIACF_Q_MGR_STATUS_INFO_TYPE,
                numbers=(MQIACF_Q_MGR_STATUS_INFO_Q_MGR,),
            ),
        ),
        shown=tuple(status.Q_MGR_STATUS),
        always=("QMNAME",),
    ),
    Form(
        verb="DISPLAY",
        noun="CONN",
        kind="",
        name=GENERIC_CONNECTION_ID,
        handler=qmgr.connections,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_CONNECTION,
        summary="Show who is connected, or with TYPE(HANDLE) what they have open.",
        example="DISPLAY CONN(*) TYPE(ALL) WHERE(APPLTAG LK 'orders*')",
        options=(ALL, WHERE, CONNECTION_TYPE, text("EXTCONN", NAME, 48)),
        shown=(*status.CONNECTION, *status.CONNECTION_HANDLE),
        always=("CONN", "EXTCONN"),
    ),
    Form(
        verb="STOP",
        noun="CONN",
        kind="",
        name=CONNECTION_ID,
        handler=qmgr.stop_connection,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_STOP_CONNECTION,
        summary="Break a connection. Its unit of work is backed out.",
        example="STOP CONN(6147BA6800DD0740)",
        options=(text("EXTCONN", NAME, 48),),
    ),
]

_PUBSUB_FORMS = [
    Form(
        verb="DEFINE",
        noun="SUB",
        kind="SUB",
        name=SUBSCRIPTION_NAME,
        handler=subscriptions.define,
        authority=("crt", "topic"),
        pcf_command=MQCMD_CREATE_SUBSCRIPTION,
        summary="Define a durable subscription, whose publications go to a queue.",
        example="DEFINE SUB('orders to audit') TOPICSTR('orders/#') DEST(ORDERS.IN)",
        options=(REPLACE, text("LIKE", STRING, TOPIC_STRING_LENGTH_MAX)),
        settable=settable("SUB", altering=False),
    ),
    Form(
        verb="ALTER",
        noun="SUB",
        kind="SUB",
        name=SUBSCRIPTION_NAME,
        handler=subscriptions.alter,
        authority=("chg", "topic"),
        pcf_command=MQCMD_CHANGE_SUBSCRIPTION,
        summary="Change attributes of a subscription that no application has open; those not named stay as they are.",
        example="ALTER SUB('orders to audit') USERDATA('all of them')",
        options=(SUBID,),
        settable=settable("SUB", altering=True),
    ),
    Form(
        verb="DELETE",
        noun="SUB",
        kind="SUB",
        name=SUBSCRIPTION_NAME,
        handler=subscriptions.delete,
        authority=("dlt", "topic"),
        pcf_command=MQCMD_DELETE_SUBSCRIPTION,
        summary="End a subscription that no application has open, and delete its managed destination.",
        example="DELETE SUB('orders to audit')",
        options=(SUBID, IGNSTATE),
    ),
    Form(
        verb="DISPLAY",
        noun="SUB",
        kind="SUB",
        name=GENERIC_SUBSCRIPTION_NAME,
        handler=subscriptions.display,
        authority=("dsp", "topic"),
        pcf_command=MQCMD_INQUIRE_SUBSCRIPTION,
        summary="Show the attributes of subscriptions.",
        example="DISPLAY SUB(*) SUBTYPE(ADMIN) TOPICSTR DEST",
        options=(ALL, WHERE, SUBID, SUBTYPE, DURABLE),
        shown=ATTRIBUTES["SUB"],
        always=("SUB", "SUBNAME", "SUBID"),
    ),
    Form(
        verb="DISPLAY",
        noun="SBSTATUS",
        kind="SUB",
        name=GENERIC_SUBSCRIPTION_NAME,
        handler=subscriptions.status,
        authority=("dsp", "topic"),
        pcf_command=MQCMD_INQUIRE_SUB_STATUS,
        summary="Show what is going on at subscriptions: who has them open, how many publications they got.",
        example="DISPLAY SBSTATUS(*) NUMMSGS",
        options=(ALL, WHERE, SUBID, SUBTYPE, DURABLE),
        shown=tuple(status.SUBSCRIPTION_STATUS),
    ),
    Form(
        verb="DISPLAY",
        noun="TPSTATUS",
        kind="",
        name=TOPIC_STRING,
        handler=topics.status,
        authority=("dsp", "topic"),
        pcf_command=MQCMD_INQUIRE_TOPIC_STATUS,
        summary="Show what holds at topics, or with TYPE(SUB) and TYPE(PUB) who subscribes and publishes there.",
        example="DISPLAY TPSTATUS('orders/#') TYPE(TOPIC) SUBCOUNT RETAINED",
        options=(ALL, WHERE, TOPIC_STATUS_TYPE),
        shown=(*status.TOPIC_STATUS, *status.TOPIC_SUBSCRIPTION, *status.TOPIC_PUBLISHER),
    ),
    Form(
        verb="CLEAR",
        noun="TOPICSTR",
        kind="",
        name=TOPIC_STRING,
        handler=topics.clear,
        authority=("clr", "topic"),
        pcf_command=MQCMD_CLEAR_TOPIC_STRING,
        summary="Remove the retained publication of one topic.",
        example="CLEAR TOPICSTR('orders/new') CLRTYPE(RETAINED)",
        options=(CLEAR_TYPE, CLEAR_SCOPE),
        required=("CLRTYPE",),
    ),
    Form(
        verb="DISPLAY",
        noun="PUBSUB",
        kind="",
        name=NO_NAME,
        handler=topics.pubsub,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_PUBSUB_STATUS,
        summary="Show the state of publish/subscribe, and how many topics and subscriptions there are.",
        example="DISPLAY PUBSUB ALL",
        options=(ALL, PUBSUB_TYPE),
        shown=tuple(status.PUBSUB_STATUS),
    ),
]

_CHANNEL_FORMS = [
    Form(
        verb="DISPLAY",
        noun="CHSTATUS",
        kind="CHANNEL",
        name=GENERIC_NAME,
        handler=channels.status,
        authority=("dsp", "channel"),
        pcf_command=MQCMD_INQUIRE_CHANNEL_STATUS,
        summary="Show the instances of channels that run, and the channels that are stopped.",
        example="DISPLAY CHSTATUS(ORDERS.*) CONNAME('10.0.0.*') MSGS BYTSRCVD CURSHCNV",
        options=(ALL, WHERE, CONNAME, CURRENT, SAVED, SHORT),
        shown=tuple(each for each in status.CHANNEL_STATUS if each.keyword not in ("CONNAME", "CURRENT")),
    ),
    Form(
        verb="START",
        noun="CHANNEL",
        kind="CHANNEL",
        name=OBJECT_NAME,
        handler=channels.start,
        authority=("ctrl", "channel"),
        pcf_command=MQCMD_START_CHANNEL,
        summary="Let clients use a channel that was stopped.",
        example="START CHANNEL(ORDERS.SVRCONN)",
        options=(IGNSTATE,),
    ),
    Form(
        verb="STOP",
        noun="CHANNEL",
        kind="CHANNEL",
        name=OBJECT_NAME,
        handler=channels.stop,
        authority=("ctrl", "channel"),
        pcf_command=MQCMD_STOP_CHANNEL,
        summary="End the instances of a channel, those of one client with CONNAME; unless STATUS(INACTIVE), nobody can "
        "use it.",
        example="STOP CHANNEL(ORDERS.SVRCONN) MODE(FORCE)",
        options=(STOP_MODE, CONNAME, STOP_STATUS, IGNSTATE),
    ),
    Form(
        verb="DISPLAY",
        noun="LSSTATUS",
        kind="LISTENER",
        name=GENERIC_NAME,
        handler=channels.listener_status,
        authority=("dsp", "listener"),
        pcf_command=MQCMD_INQUIRE_LISTENER_STATUS,
        summary="Show the listeners that run.",
        example="DISPLAY LSSTATUS(*) PORT IPADDR",
        options=(ALL, WHERE),
        shown=tuple(status.LISTENER_STATUS),
    ),
    Form(
        verb="START",
        noun="LISTENER",
        kind="LISTENER",
        name=OBJECT_NAME,
        handler=channels.start_listener,
        authority=("ctrl", "listener"),
        pcf_command=MQCMD_START_CHANNEL_LISTENER,
        summary="Listen for clients where a listener says.",
        example="START LISTENER(TCP.1)",
        options=(IGNSTATE,),
    ),
    Form(
        verb="STOP",
        noun="LISTENER",
        kind="LISTENER",
        name=OBJECT_NAME,
        handler=channels.stop_listener,
        authority=("ctrl", "listener"),
        pcf_command=MQCMD_STOP_CHANNEL_LISTENER,
        summary="Listen no longer; clients that are connected stay.",
        example="STOP LISTENER(TCP.1)",
        options=(IGNSTATE,),
    ),
]

_FORMS = [form for kind in KINDS for form in _object_forms(kind)]
_FORMS += _QUEUE_FORMS + _Q_MGR_FORMS + _PUBSUB_FORMS + _CHANNEL_FORMS
_FORMS += model_security.FORMS + model_services.FORMS + model_storage.FORMS

#: verb and noun -> form.
FORMS = {(form.verb, form.noun): form for form in sorted(_FORMS, key=lambda form: (form.verb, form.noun))}
assert len(FORMS) == len(_FORMS)

#: Every verb, with the words that end a session.
VERBS = sorted({form.verb for form in _FORMS} | {LEAVING[0]})


def nouns(verb: str) -> list[str]:
    """Return the nouns that `verb` accepts."""
    return [noun for each, noun in FORMS if each == verb]


# -- syntax texts -----------------------------------------------------------------------------------------------------


def syntax(form: Form) -> list[str]:
    """Return the lines of AMQ8427I: the syntax of the command."""
    name = "(name*)" if form.name.startswith("generic") else "(name)"
    if form.name in (NO_NAME, OPTIONAL_NAME):
        name = ""
    elif form.name in (TOPIC_STRING, USER_NAME):
        name = "(string)"
    elif form.name in (TRACE_TYPE, GENERIC_TRACE_TYPE):
        name = "(" + " | ".join(CLASSES) + (")" if form.name == TRACE_TYPE else " | *)")
    lines = [f" {form.verb} {form.noun}{name}"]
    for parameter in (*form.options, *form.settable):
        written = _parameter_syntax(parameter)
        lines.append(f"   {written}" if parameter.keyword in form.required else f"   [ {written} ]")
    for keyword in dict.fromkeys(attribute.keyword for attribute in form.shown):
        lines.append(f"   [ {keyword} ]")
    return lines


def _parameter_syntax(attribute: Attribute) -> str:
    if attribute is WHERE:
        return "WHERE( keyword operator value )"
    if attribute.kind == FLAG:
        return " | ".join(attribute.words)
    return f"{attribute.keyword}( {attribute.allowed()} )"
