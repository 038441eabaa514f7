"""The objects of a new queue manager, as rows of data.

`default_objects()` are the SYSTEM objects that crtmqm makes; `developer_objects()` those that `crtmqm --dev` adds. Only
kinds that exist are here. Page sets and buffer pools come first, then storage classes, then queues: each row needs only
rows above it.

    storage class     page set  buffer pool  for
    (page set 0)      0         0            definitions
    SYSTEM SYSTEMST   1         0            SYSTEM queues
    SYSLNGLV          2         1            messages that stay long
    REMOTE SYSVOLAT   3         2            transmission queues, messages that come and go
    DEFAULT NODEFINE  4         3            everything else

System queues are described beginning with the product's name. Programs written for IBM MQ look for its name there, so
the name is a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import settable_defaults
from flintmq.catalogue.kinds import KINDS
from flintmq.catalogue.limits import MESSAGE_LENGTH_MAX, NUMBER_MAX
from flintmq.mqi.topic_words import BASE_VALUES
from flintmq.qmgr import chlauth
from flintmq.qmgr.authority_records import PRINCIPAL, SELF, record_name
from flintmq.qmgr.catalogue import Catalogue
from flintmq.qmgr.chlauth import ADMINISTRATORS

PRODUCT = "FlintMQ"

Changes = dict[str, Value]


@dataclass(frozen=True)
class DefaultObject:
    """One object to define. `attributes` has every attribute that can be set."""

    kind: str
    name: str
    attributes: Changes


_BUFFER_POOLS = {"0": 5_000, "1": 5_000, "2": 5_000, "3": 25_000}

_PAGE_SETS = {"0": 0, "1": 0, "2": 1, "3": 2, "4": 3}

_STORAGE_CLASSES = {
    "DEFAULT": 4,
    "NODEFINE": 4,
    "REMOTE": 3,
    "SYSLNGLV": 2,
    "SYSTEM": 1,
    "SYSTEMST": 1,
    "SYSVOLAT": 3,
}

_DEEP: Changes = {"MAXDEPTH": NUMBER_MAX}
_FIFO: Changes = {"MAXDEPTH": NUMBER_MAX, "MSGDLVSQ": "FIFO"}
_KEPT: Changes = {"MAXDEPTH": NUMBER_MAX, "DEFPSIST": "YES"}
_BY_KEY: Changes = {**_KEPT, "INDXTYPE": "CORRELID", "MSGDLVSQ": "FIFO", "MAXMSGL": MESSAGE_LENGTH_MAX}

#: name -> purpose, differences from the default local queue.
_LOCAL_QUEUES: list[tuple[str, str, Changes]] = [
    ("SYSTEM.ADMIN.ACCOUNTING.QUEUE", "accounting messages", {}),
    ("SYSTEM.ADMIN.ACTIVITY.QUEUE", "activity reports", {}),
    ("SYSTEM.ADMIN.CHANNEL.EVENT", "channel events", {}),
    ("SYSTEM.ADMIN.COMMAND.EVENT", "command events", {}),
    ("SYSTEM.ADMIN.COMMAND.QUEUE", "PCF commands", {}),
    ("SYSTEM.ADMIN.CONFIG.EVENT", "configuration events", {}),
    ("SYSTEM.ADMIN.LOGGER.EVENT", "logger events", {}),
    ("SYSTEM.ADMIN.PERFM.EVENT", "performance events", {}),
    ("SYSTEM.ADMIN.PUBSUB.EVENT", "publish/subscribe events", {}),
    ("SYSTEM.ADMIN.QMGR.EVENT", "queue manager events", {}),
    ("SYSTEM.ADMIN.STATISTICS.QUEUE", "statistics messages", {}),
    ("SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE", "activity trace", {}),
    ("SYSTEM.ADMIN.TRACE.ROUTE.QUEUE", "trace-route replies", {}),
    ("SYSTEM.AMQP.COMMAND.QUEUE", "AMQP commands", {}),
    ("SYSTEM.AUTH.DATA.QUEUE", "authority records", _KEPT),
    ("SYSTEM.BROKER.ADMIN.STREAM", "publish/subscribe administration", {}),
    ("SYSTEM.BROKER.CONTROL.QUEUE", "publish/subscribe requests", {}),
    ("SYSTEM.BROKER.DEFAULT.STREAM", "publications", {}),
    ("SYSTEM.BROKER.INTER.BROKER.COMMUNICATIONS", "messages between brokers", {}),
    ("SYSTEM.CHANNEL.INITQ", "channel initiation", _DEEP),
    ("SYSTEM.CHANNEL.SYNCQ", "channel synchronisation", _KEPT),
    ("SYSTEM.CHLAUTH.DATA.QUEUE", "channel authentication records", _KEPT),
    ("SYSTEM.CICS.INITIATION.QUEUE", "CICS initiation", {}),
    ("SYSTEM.CLUSTER.COMMAND.QUEUE", "cluster commands", _KEPT),
    ("SYSTEM.CLUSTER.HISTORY.QUEUE", "cluster history", _KEPT),
    ("SYSTEM.CLUSTER.REPOSITORY.QUEUE", "cluster repository", _KEPT),
    (
        "SYSTEM.CLUSTER.TRANSMIT.QUEUE",
        "cluster transmission",
        {"MAXDEPTH": NUMBER_MAX, "USAGE": "XMITQ", "INDXTYPE": "CORRELID", "STGCLASS": "REMOTE"},
    ),
    ("SYSTEM.DDELAY.LOCAL.QUEUE", "delayed deliveries", {**_KEPT, "MAXMSGL": MESSAGE_LENGTH_MAX}),
    ("SYSTEM.DEAD.LETTER.QUEUE", "dead letters", _DEEP),
    ("SYSTEM.DEFAULT.INITIATION.QUEUE", "trigger messages", {}),
    ("SYSTEM.DOTNET.XARECOVERY.QUEUE", "XA recovery of .NET clients", _KEPT),
    ("SYSTEM.DURABLE.SUBSCRIBER.QUEUE", "durable subscriptions", _BY_KEY),
    ("SYSTEM.HIERARCHY.STATE", "publish/subscribe hierarchy", _KEPT),
    ("SYSTEM.INTER.QMGR.CONTROL", "publish/subscribe between queue managers", _FIFO),
    ("SYSTEM.INTER.QMGR.FANREQ", "fan-out requests", _FIFO),
    ("SYSTEM.INTER.QMGR.PUBS", "publications from other queue managers", _FIFO),
    ("SYSTEM.INTERNAL.REPLY.QUEUE", "internal replies", {}),
    ("SYSTEM.PENDING.DATA.QUEUE", "JMS deferred messages", _KEPT),
    ("SYSTEM.PROTECTION.ERROR.QUEUE", "messages that failed protection", _DEEP),
    ("SYSTEM.PROTECTION.POLICY.QUEUE", "protection policies", _KEPT),
    ("SYSTEM.REST.REPLY.QUEUE", "REST replies", {}),
    ("SYSTEM.RETAINED.PUB.QUEUE", "retained publications", _BY_KEY),
    ("SYSTEM.SELECTION.EVALUATION.QUEUE", "selection evaluation", {}),
    ("SYSTEM.SELECTION.VALIDATION.QUEUE", "selection validation", {}),
]

_SHARED: Changes = {"SHARE": "SHARE", "DEFSOPT": "SHARED"}
_PERMANENT: Changes = {"DEFTYPE": "PERMDYN"}

_MODEL_QUEUES: list[tuple[str, str, Changes]] = [
    (
        "SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE",
        "cluster transmission",
        {**_SHARED, **_PERMANENT, "USAGE": "XMITQ"},
    ),
    ("SYSTEM.DURABLE.MODEL.QUEUE", "durable subscriptions", {**_SHARED, **_PERMANENT, **_DEEP}),
    ("SYSTEM.JMS.TEMPQ.MODEL", "JMS temporary queues", _DEEP),
    ("SYSTEM.MQEXPLORER.REPLY.MODEL", "replies to administration tools", {}),
    ("SYSTEM.MQSC.REPLY.QUEUE", "replies to MQSC commands", {}),
    ("SYSTEM.NDURABLE.MODEL.QUEUE", "non-durable subscriptions", {**_SHARED, **_DEEP}),
]

_NAMELISTS: list[tuple[str, str, Changes]] = [
    (
        "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
        "queues of the queued publish/subscribe interface",
        {"NAMES": ["SYSTEM.BROKER.DEFAULT.STREAM", "SYSTEM.BROKER.ADMIN.STREAM"]},
    ),
    (
        "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST",
        "subscription points of queued publish/subscribe",
        {"NAMES": ["SYSTEM.BROKER.DEFAULT.SUBPOINT"]},
    ),
]

_BASE: Changes = {**BASE_VALUES, "TOPICSTR": ""}
_BLOCKED: Changes = {"WILDCARD": "BLOCK"}

_TOPICS: list[tuple[str, str, Changes]] = [
    ("SYSTEM.BASE.TOPIC", "base of all topics", _BASE),
    (
        "SYSTEM.ADMIN.TOPIC",
        "administration",
        {"TOPICSTR": "$SYS/MQ", "PUBSCOPE": "QMGR", "SUBSCOPE": "QMGR", **_BLOCKED},
    ),
    ("SYSTEM.BROKER.ADMIN.STREAM", "administration stream", {"TOPICSTR": "SYSTEM.BROKER.ADMIN.STREAM", **_BLOCKED}),
    (
        "SYSTEM.BROKER.DEFAULT.STREAM",
        "default stream",
        {"TOPICSTR": "SYSTEM.BROKER.DEFAULT.STREAM", **_BLOCKED},
    ),
    (
        "SYSTEM.BROKER.DEFAULT.SUBPOINT",
        "default subscription point",
        {"TOPICSTR": "SYSTEM.BROKER.DEFAULT.SUBPOINT", **_BLOCKED},
    ),
]

#: No client administers over a channel, or connects through the channels that hold defaults.
_CHANNEL_RULES: list[Changes] = [
    {"CHLAUTH": "*", "TYPE": "BLOCKUSER", "USERLIST": [ADMINISTRATORS], "DESCR": "Privileged users are not let in"},
    {
        "CHLAUTH": "SYSTEM.*",
        "TYPE": "ADDRESSMAP",
        "ADDRESS": "*",
        "USERSRC": "NOACCESS",
        "DESCR": "Nobody uses SYSTEM channels",
    },
    {
        "CHLAUTH": "SYSTEM.ADMIN.SVRCONN",
        "TYPE": "ADDRESSMAP",
        "ADDRESS": "*",
        "USERSRC": "CHANNEL",
        "DESCR": "but this one, if it is defined",
    },
]

#: Those of the developer container: applications on one channel, `admin` on the other, no client elsewhere.
_DEVELOPER_RULES: list[Changes] = [
    {
        "CHLAUTH": "*",
        "TYPE": "ADDRESSMAP",
        "ADDRESS": "*",
        "USERSRC": "NOACCESS",
        "DESCR": "Everybody else is refused",
    },
    {
        "CHLAUTH": "DEV.APP.SVRCONN",
        "TYPE": "ADDRESSMAP",
        "ADDRESS": "*",
        "USERSRC": "CHANNEL",
        "DESCR": "Applications are let in",
    },
    {
        "CHLAUTH": "DEV.ADMIN.SVRCONN",
        "TYPE": "BLOCKUSER",
        "USERLIST": ["nobody"],
        "DESCR": "Administrators are let in",
    },
    {
        "CHLAUTH": "DEV.ADMIN.SVRCONN",
        "TYPE": "USERMAP",
        "CLNTUSER": "admin",
        "USERSRC": "CHANNEL",
        "DESCR": "and only as this user",
    },
]

#: The listener of `crtmqm -p` and `--dev`. It is for this machine only, until its IPADDR is altered.
LISTENER = "SYSTEM.LISTENER.TCP.1"
LOOPBACK = "127.0.0.1"
DEVELOPER_PORT = 1414


def default_objects(product: str = PRODUCT) -> list[DefaultObject]:
    """Return the objects of every new queue manager, in an order in which they can be defined."""
    rows = [_row("BUFFPOOL", number, {"BUFFERS": buffers}) for number, buffers in _BUFFER_POOLS.items()]
    rows += [_row("PSID", number, {"BUFFPOOL": pool, "EXPAND": "SYSTEM"}) for number, pool in _PAGE_SETS.items()]
    rows += [_row("STGCLASS", name, {"PSID": number}) for name, number in _STORAGE_CLASSES.items()]
    # The objects that supply attributes left out in DEFINE have no description, or every new object would.
    rows += [_row(kind.keyword, kind.default_object, {}) for kind in KINDS if kind.default_object]
    for kind, named, more in (
        ("QLOCAL", _LOCAL_QUEUES, {"STGCLASS": "SYSTEM"}),
        ("QMODEL", _MODEL_QUEUES, {}),
        ("NAMELIST", _NAMELISTS, {}),
        ("TOPIC", _TOPICS, {}),
    ):
        for name, purpose, changes in named:
            rows.append(_row(kind, name, {"DESCR": f"{product} {purpose}", **more, **changes}))
    return rows + [_rule(changes) for changes in _CHANNEL_RULES]


def missing_objects(catalogue: Catalogue) -> list[DefaultObject]:
    """Return the default objects that a queue manager lacks: it was created before there were topics or channels."""
    missing = [kind.keyword for kind in KINDS if kind.since and catalogue.find(kind.keyword, kind.since) is None]
    rows = [row for row in default_objects() if row.kind in missing] if missing else []
    return [row for row in rows if catalogue.find(row.kind, row.name) is None]


def listener(port: int) -> DefaultObject:
    """Return the listener that starts with the queue manager."""
    return _row("LISTENER", LISTENER, {"PORT": port, "IPADDR": LOOPBACK, "CONTROL": "QMGR"})


def missing_values(catalogue: Catalogue) -> list[tuple[str, str, Changes]]:
    """Return the attributes in which the objects of an earlier queue manager differ from those of a new one."""
    names = ["SYSTEM.DURABLE.SUBSCRIBER.QUEUE", "SYSTEM.RETAINED.PUB.QUEUE"]
    return [("QLOCAL", name, _BY_KEY) for name in names if catalogue.find("QLOCAL", name) is not None]


#: Authorities of user `app` of the developer container: type of object, profile, authorities.
_APP_AUTHORITIES = (
    ("QMGR", SELF, "CONNECT DSP INQ"),
    ("QUEUE", "DEV.**", "BROWSE GET INQ PUT"),
    ("QUEUE", "DEV.APP.MODEL.QUEUE", "BROWSE DSP GET INQ PUT"),
    ("TOPIC", "DEV.**", "PUB SUB"),
)
APP = "app"
DEVELOPER_AUTHINFO = "DEV.AUTHINFO"


def developer_objects(app_password: bool = False) -> list[DefaultObject]:
    """Return the objects that `crtmqm --dev` adds: the queues that test suites for the developer container expect.

    If user `app` has a password it is needed on the channel for applications, as in the container.
    """
    rows = [_row("QLOCAL", f"DEV.QUEUE.{number}", {}) for number in (1, 2, 3)]
    rows.append(_row("QLOCAL", "DEV.DEAD.LETTER.QUEUE", {}))
    rows.append(_row("QMODEL", "DEV.APP.MODEL.QUEUE", {}))
    rows.append(_row("TOPIC", "DEV.BASE.TOPIC", {"TOPICSTR": "dev/"}))
    rows.append(_row("CHANNEL", "DEV.ADMIN.SVRCONN", {"DESCR": "For administrators"}))
    rows.append(_row("CHANNEL", "DEV.APP.SVRCONN", {"MCAUSER": APP, "DESCR": "For applications"}))
    rows.append(
        _row("AUTHINFO", DEVELOPER_AUTHINFO, {"CHCKCLNT": "REQDADM", "CHCKLOCL": "OPTIONAL", "ADOPTCTX": "YES"})
    )
    for object_type, profile, words in _APP_AUTHORITIES:
        rows.append(_authority(object_type, profile, APP, words.split()))
    rows += [_rule(changes) for changes in _DEVELOPER_RULES]
    if app_password:
        for row in rows:
            if row.kind == "CHLAUTH" and row.attributes["CHLAUTH"] == "DEV.APP.SVRCONN":
                row.attributes["CHCKCLNT"] = "REQUIRED"
    return rows


def _rule(changes: Changes) -> DefaultObject:
    return _row("CHLAUTH", chlauth.record_name(changes), changes)


def _authority(object_type: str, profile: str, user: str, words: list[str]) -> DefaultObject:
    name = record_name(object_type, profile, PRINCIPAL, user)
    changes: Changes = {"OBJTYPE": object_type, "PROFILE": profile, "ENTTYPE": PRINCIPAL, "ENTITY": user}
    return _row("AUTHREC", name, {**changes, "AUTHLIST": words})


def q_mgr_attributes(name: str) -> Changes:
    """Return the attributes of a new queue manager called `name`."""
    attributes = settable_defaults("QMGR")
    attributes["CERTLABL"] = "ibmwebspheremq" + name.lower()
    return attributes


def developer_q_mgr_changes() -> Changes:
    """Return the attributes of the queue manager that `crtmqm --dev` changes."""
    return {"DEADQ": "DEV.DEAD.LETTER.QUEUE", "CONNAUTH": DEVELOPER_AUTHINFO}


def _row(kind: str, name: str, changes: Changes) -> DefaultObject:
    attributes = settable_defaults(kind)
    attributes.update(changes)
    return DefaultObject(kind, name, attributes)
