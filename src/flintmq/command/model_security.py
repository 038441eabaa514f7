"""The security commands: CHLAUTH, AUTHREC, ENTAUTH, AUTHSERV, SECURITY. Part of model.py."""

from __future__ import annotations

from flintmq.catalogue.attribute import STRING
from flintmq.catalogue.attribute_makers import choice
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.catalogue.rules import CHLAUTH_TYPES, ENTITY_LENGTH, OBJECT_TYPES, PROFILE_LENGTH
from flintmq.command import chlauth, security
from flintmq.command.form import CHANNEL_PROFILE, NO_NAME, OPTIONAL_NAME, USER_NAME, Form, settable
from flintmq.command.options import ALL, WHERE, text, texts
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.qmgr.chlauth import COMPARED

_ENTITIES_MAX = 100
_AUTHORITIES_MAX = 32

_PROFILE = text("PROFILE", STRING, PROFILE_LENGTH, pcf.MQCACF_AUTH_PROFILE_NAME)
_OBJTYPE = choice(
    "OBJTYPE", " ".join(OBJECT_TYPES), selector=pcf.MQIACF_OBJECT_TYPE, numbers=tuple(OBJECT_TYPES.values())
)
_ANY_OBJTYPE = choice(
    "OBJTYPE",
    " ".join(("ALL", *OBJECT_TYPES)),
    selector=pcf.MQIACF_OBJECT_TYPE,
    numbers=(mq.MQOT_ALL, *OBJECT_TYPES.values()),
)
_PRINCIPALS = texts("PRINCIPAL", _ENTITIES_MAX, ENTITY_LENGTH, pcf.MQCACF_PRINCIPAL_ENTITY_NAMES)
_GROUPS = texts("GROUP", _ENTITIES_MAX, ENTITY_LENGTH, pcf.MQCACF_GROUP_ENTITY_NAMES)
_PRINCIPAL = text("PRINCIPAL", STRING, ENTITY_LENGTH)
_GROUP = text("GROUP", STRING, ENTITY_LENGTH)
_SERVCOMP = text("SERVCOMP", STRING, 48, pcf.MQCACF_SERVICE_COMPONENT)
_AUTHADD = texts("AUTHADD", _AUTHORITIES_MAX, 8, pcf.MQIACF_AUTH_ADD_AUTHS)
_AUTHRMV = texts("AUTHRMV", _AUTHORITIES_MAX, 8, pcf.MQIACF_AUTH_REMOVE_AUTHS)
_SECURITY_TYPE = choice(
    "TYPE",
    "AUTHSERV CONNAUTH SSL CLASSES",
    selector=pcf.MQIACF_SECURITY_TYPE,
    numbers=(pcf.MQSECTYPE_AUTHSERV, pcf.MQSECTYPE_CONNAUTH, pcf.MQSECTYPE_SSL, pcf.MQSECTYPE_CLASSES),
)
_MATCH = choice("MATCH", "PROFILE MATCHING EXACT")
_RECORD = tuple(ATTRIBUTES["AUTHREC"])

_CHLAUTH_TYPE = choice(
    "TYPE", " ".join(CHLAUTH_TYPES), selector=pcf.MQIACF_CHLAUTH_TYPE, numbers=tuple(CHLAUTH_TYPES.values())
)
_ANY_CHLAUTH_TYPE = choice(
    "TYPE",
    " ".join(("ALL", *CHLAUTH_TYPES)),
    selector=pcf.MQIACF_CHLAUTH_TYPE,
    numbers=(pcf.MQCAUT_ALL, *CHLAUTH_TYPES.values()),
)
_ACTION = choice(
    "ACTION",
    "ADD REPLACE REMOVE REMOVEALL",
    selector=pcf.MQIACF_ACTION,
    numbers=(pcf.MQACT_ADD, pcf.MQACT_REPLACE, pcf.MQACT_REMOVE, pcf.MQACT_REMOVEALL),
)
_CHLAUTH_MATCH = choice(
    "MATCH",
    "GENERIC EXACT ALL RUNCHECK",
    selector=pcf.MQIACH_MATCH,
    numbers=(pcf.MQMATCH_GENERIC, pcf.MQMATCH_EXACT, pcf.MQMATCH_ALL, pcf.MQMATCH_RUNCHECK),
)
_IDENTIFYING = ("CHLAUTH", "TYPE")
_CHLAUTH = tuple(each for each in ATTRIBUTES["CHLAUTH"] if each.keyword not in _IDENTIFYING)
_COMPARED = tuple(
    text(each.keyword, STRING, each.length, each.selector) for each in _CHLAUTH if each.keyword in COMPARED
)

FORMS = [
    Form(
        verb="SET",
        noun="CHLAUTH",
        kind="CHLAUTH",
        name=CHANNEL_PROFILE,
        handler=chlauth.set_record,
        authority=("chg", "qmgr"),
        pcf_command=pcf.MQCMD_SET_CHLAUTH_REC,
        summary="Say who may use which channels, and as whom.",
        example="SET CHLAUTH('ORDERS.*') TYPE(ADDRESSMAP) ADDRESS('192.168.*') USERSRC(MAP) MCAUSER('alice')",
        options=(_CHLAUTH_TYPE, _ACTION),
        settable=tuple(each for each in _CHLAUTH if not each.read_only),
        required=("TYPE",),
    ),
    Form(
        verb="DISPLAY",
        noun="CHLAUTH",
        kind="CHLAUTH",
        name=CHANNEL_PROFILE,
        handler=chlauth.display,
        authority=("dsp", "qmgr"),
        pcf_command=pcf.MQCMD_INQUIRE_CHLAUTH_RECS,
        summary="Show channel authentication records, or with MATCH(RUNCHECK) the one that decides about a client.",
        example="DISPLAY CHLAUTH('ORDERS.SVRCONN') MATCH(RUNCHECK) ADDRESS('192.168.0.7') CLNTUSER('alice')",
        options=(ALL, WHERE, _ANY_CHLAUTH_TYPE, _CHLAUTH_MATCH, *_COMPARED),
        shown=_CHLAUTH,
    ),
    Form(
        verb="SET",
        noun="AUTHREC",
        kind="",
        name=NO_NAME,
        handler=security.set_authority,
        authority=("chg", "qmgr"),
        pcf_command=pcf.MQCMD_SET_AUTH_REC,
        summary="Give authorities on objects to users and groups, or take them away.",
        example="SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(PUT,INQ)",
        options=(
            _PROFILE,
            _OBJTYPE,
            _PRINCIPALS,
            _GROUPS,
            _AUTHADD,
            _AUTHRMV,
            _SERVCOMP,
        ),
        required=("OBJTYPE",),
    ),
    Form(
        verb="DELETE",
        noun="AUTHREC",
        kind="",
        name=NO_NAME,
        handler=security.delete_authority,
        authority=("chg", "qmgr"),
        pcf_command=pcf.MQCMD_DELETE_AUTH_REC,
        summary="Delete the authority records of a profile for users and groups.",
        example="DELETE AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('alice')",
        options=(_PROFILE, _OBJTYPE, _PRINCIPALS, _GROUPS, _SERVCOMP),
        required=("OBJTYPE",),
    ),
    Form(
        verb="DISPLAY",
        noun="AUTHREC",
        kind="",
        name=NO_NAME,
        handler=security.display_authority,
        authority=("dsp", "qmgr"),
        pcf_command=pcf.MQCMD_INQUIRE_AUTH_RECS,
        summary="Show authority records: of a profile, of those that are for an object, of a user or a group.",
        example="DISPLAY AUTHREC PROFILE(ORDERS.IN) OBJTYPE(QUEUE) MATCH(MATCHING)",
        options=(ALL, WHERE, _PROFILE, _ANY_OBJTYPE, _PRINCIPAL, _GROUP, _MATCH, _SERVCOMP),
        shown=_RECORD,
    ),
    Form(
        verb="DISPLAY",
        noun="ENTAUTH",
        kind="",
        name=NO_NAME,
        handler=security.display_entity,
        authority=("dsp", "qmgr"),
        pcf_command=pcf.MQCMD_INQUIRE_ENTITY_AUTH,
        summary="Show what a user or a group may do with an object, all records and groups considered.",
        example="DISPLAY ENTAUTH PRINCIPAL('alice') OBJTYPE(QUEUE) OBJNAME(ORDERS.IN)",
        options=(ALL, _PRINCIPAL, _GROUP, _OBJTYPE, text("OBJNAME", selector=pcf.MQCACF_OBJECT_NAME), _SERVCOMP),
        shown=_RECORD,
        required=("OBJTYPE",),
    ),
    Form(
        verb="DISPLAY",
        noun="AUTHSERV",
        kind="",
        name=NO_NAME,
        handler=security.display_service,
        authority=("dsp", "qmgr"),
        pcf_command=pcf.MQCMD_INQUIRE_AUTH_SERVICE,
        summary="Show what the authority service can do.",
        example="DISPLAY AUTHSERV ALL",
        options=(ALL, _SERVCOMP),
        shown=tuple(security.SERVICE),
    ),
    Form(
        verb="DISPLAY",
        noun="SECURITY",
        kind="",
        name=NO_NAME,
        handler=security.display,
        authority=("dsp", "qmgr"),
        pcf_command=pcf.MQCMD_INQUIRE_SECURITY,
        summary="Show how long what is known about a user is kept.",
        example="DISPLAY SECURITY ALL",
        options=(ALL,),
        shown=tuple(ATTRIBUTES["SECURITY"]),
    ),
    Form(
        verb="ALTER",
        noun="SECURITY",
        kind="",
        name=NO_NAME,
        handler=security.alter,
        authority=("chg", "qmgr"),
        pcf_command=pcf.MQCMD_CHANGE_SECURITY,
        summary="Change how long what is known about a user is kept, and how often that is looked at.",
        example="ALTER SECURITY TIMEOUT(30) INTERVAL(10)",
        settable=settable("SECURITY", altering=True),
    ),
    Form(
        verb="REFRESH",
        noun="SECURITY",
        kind="",
        name=OPTIONAL_NAME,
        handler=security.refresh,
        authority=("chg", "qmgr"),
        pcf_command=pcf.MQCMD_REFRESH_SECURITY,
        summary="Forget what is known about users and their groups, so that it is asked again.",
        example="REFRESH SECURITY TYPE(AUTHSERV)",
        options=(_SECURITY_TYPE,),
    ),
    Form(
        verb="RVERIFY",
        noun="SECURITY",
        kind="",
        name=USER_NAME,
        handler=security.reverify,
        authority=("chg", "qmgr"),
        pcf_command=pcf.MQCMD_REVERIFY_SECURITY,
        summary="Forget what is known about one user and its groups.",
        example="RVERIFY SECURITY('alice')",
    ),
]
