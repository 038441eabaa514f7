"""SUB: a subscription, as commands speak of it.

Subscriptions are not definitions: qmgr/subscription.py keeps them, and they have commands of their own.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, enum, fixed, hexadecimal, integer, name, shown, text
from flintmq.catalogue.kind import PCF, Kind, Names
from flintmq.catalogue.limits import NUMBER_MAX, TOPIC_STRING_LENGTH_MAX
from flintmq.catalogue.words import YES_NO
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.object_name import is_name

_SCOPE: Final = {"ALL": mq.MQTSCOPE_ALL, "QMGR": mq.MQTSCOPE_QMGR}
_PROPERTIES: Final = {
    "MSGPROP": mq.MQPSPROP_MSGPROP,
    "COMPAT": mq.MQPSPROP_COMPAT,
    "RFH2": mq.MQPSPROP_RFH2,
    "NONE": mq.MQPSPROP_NONE,
}
_PRIORITY: Final = {"ASPUB": mq.MQPRI_PRIORITY_AS_PUBLISHED, "ASQDEF": mq.MQPRI_PRIORITY_AS_Q_DEF}
_KINDS: Final = {
    "PROXY": pcf.MQSUBTYPE_PROXY,
    "ADMIN": pcf.MQSUBTYPE_ADMIN,
    "API": pcf.MQSUBTYPE_API,
}
_SELECTION: Final = {"NONE": pcf.MQSELTYPE_NONE, "STANDARD": pcf.MQSELTYPE_STANDARD, "EXTENDED": pcf.MQSELTYPE_EXTENDED}
_ATTRIBUTES: Final = (
    fixed(text("TOPICSTR", mq.MQCA_TOPIC_STRING, TOPIC_STRING_LENGTH_MAX)),
    fixed(name("TOPICOBJ", mq.MQCA_TOPIC_NAME)),
    name("DEST", pcf.MQCACF_DESTINATION),
    name("DESTQMGR", pcf.MQCACF_DESTINATION_Q_MGR),
    fixed(
        enum(
            "DESTCLAS",
            pcf.MQIACF_DESTINATION_CLASS,
            {"PROVIDED": mq.MQDC_PROVIDED, "MANAGED": mq.MQDC_MANAGED},
        )
    ),
    hexadecimal("DESTCORL", pcf.MQBACF_DESTINATION_CORREL_ID, 24),
    shown(
        enum(
            "DURABLE",
            pcf.MQIACF_DURABLE_SUBSCRIPTION,
            {"YES": mq.MQSUB_DURABLE_YES, "NO": mq.MQSUB_DURABLE_NO},
        )
    ),
    integer("EXPIRY", pcf.MQIACF_EXPIRY, "UNLIMITED", 1, NUMBER_MAX, {"UNLIMITED": mq.MQEI_UNLIMITED}),
    enum("PSPROP", pcf.MQIACF_PUBSUB_PROPERTIES, _PROPERTIES),
    hexadecimal("PUBACCT", pcf.MQBACF_ACCOUNTING_TOKEN, 32),
    text("PUBAPPID", pcf.MQCACF_APPL_IDENTITY_DATA, 32),
    integer("PUBPRTY", pcf.MQIACF_PUB_PRIORITY, "ASPUB", 0, 9, _PRIORITY),
    enum("REQONLY", pcf.MQIACF_REQUEST_ONLY, YES_NO, "NO"),
    fixed(text("SELECTOR", pcf.MQCACF_SUB_SELECTOR, TOPIC_STRING_LENGTH_MAX)),
    shown(enum("SELTYPE", pcf.MQIACF_SELECTOR_TYPE, _SELECTION)),
    fixed(integer("SUBLEVEL", pcf.MQIACF_SUB_LEVEL, 1, 0, 9)),
    fixed(enum("SUBSCOPE", pcf.MQIACF_SUBSCRIPTION_SCOPE, _SCOPE)),
    shown(enum("SUBTYPE", pcf.MQIACF_SUB_TYPE, _KINDS, "ADMIN")),
    text("SUBUSER", pcf.MQCACF_SUB_USER_ID, 64),
    text("USERDATA", pcf.MQCACF_SUB_USER_DATA, TOPIC_STRING_LENGTH_MAX),
    enum("VARUSER", pcf.MQIACF_VARIABLE_USER_ID, {"ANY": mq.MQVU_ANY_USER, "FIXED": mq.MQVU_FIXED_USER}),
    fixed(enum("WSCHEMA", pcf.MQIACF_WILDCARD_SCHEMA, {"TOPIC": mq.MQWS_TOPIC, "CHAR": mq.MQWS_CHAR})),
    shown(text("CRDATE", mq.MQCA_CREATION_DATE, 12)),
    shown(text("CRTIME", mq.MQCA_CREATION_TIME, 8)),
    *altered(),
)

KINDS: Final = (
    Kind(
        keyword="SUB",
        title="Subscription",
        order=80,
        dump_order=90,
        attributes=_ATTRIBUTES,
        names=Names(is_name=is_name, rule="a subscription name is any text"),
        stored=False,
        pcf=PCF(
            create=pcf.MQCMD_CREATE_SUBSCRIPTION,
            copy=pcf.MQCMD_COPY_SUBSCRIPTION,
            change=pcf.MQCMD_CHANGE_SUBSCRIPTION,
            delete=pcf.MQCMD_DELETE_SUBSCRIPTION,
            inquire=pcf.MQCMD_INQUIRE_SUBSCRIPTION,
            name=pcf.MQCACF_SUB_NAME,
            copy_from=pcf.MQCACF_FROM_SUB_NAME,
            copy_to=pcf.MQCACF_TO_SUB_NAME,
            attributes=pcf.MQIACF_SUB_ATTRS,
        ),
    ),
)
