"""TOPIC: a topic object, the attributes of a topic string and of all below it.

ASPARENT, or blank for a name, is resolved up the topic tree (qmgr/topic_tree.py). TYPE(CLUSTER) is of clusters.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, choice, enum, fixed, integer, name, shown, text
from flintmq.catalogue.kind import CONTEXT, CONTROLLED, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import NUMBER_MAX, TOPIC_STRING_LENGTH_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values.services import MQZAO_CLEAR, MQZAO_PUBLISH, MQZAO_RESUME, MQZAO_SUBSCRIBE

_ALLOWED: Final = {"ASPARENT": mq.MQTA_PUB_AS_PARENT, "ENABLED": mq.MQTA_PUB_ALLOWED, "DISABLED": mq.MQTA_PUB_INHIBITED}
_DELIVERY: Final = {
    "ASPARENT": mq.MQDLV_AS_PARENT,
    "ALL": mq.MQDLV_ALL,
    "ALLDUR": mq.MQDLV_ALL_DUR,
    "ALLAVAIL": mq.MQDLV_ALL_AVAIL,
}
_SCOPE: Final = {"ASPARENT": mq.MQSCOPE_AS_PARENT, "ALL": mq.MQSCOPE_ALL, "QMGR": mq.MQSCOPE_QMGR}
_DURABLE: Final = {
    "ASPARENT": mq.MQSUB_DURABLE_AS_PARENT,
    "YES": mq.MQSUB_DURABLE_ALLOWED,
    "NO": mq.MQSUB_DURABLE_INHIBITED,
}
_PERSISTENCE: Final = {
    "ASPARENT": mq.MQPER_PERSISTENCE_AS_PARENT,
    "YES": mq.MQPER_PERSISTENT,
    "NO": mq.MQPER_NOT_PERSISTENT,
}
_RESPONSE: Final = {
    "ASPARENT": mq.MQPRT_RESPONSE_AS_PARENT,
    "SYNC": mq.MQPRT_SYNC_RESPONSE,
    "ASYNC": mq.MQPRT_ASYNC_RESPONSE,
}
_DEAD_LETTERS: Final = {"ASPARENT": mq.MQUSEDLQ_AS_PARENT, "YES": mq.MQUSEDLQ_YES, "NO": mq.MQUSEDLQ_NO}
_MULTICAST: Final = {
    "ASPARENT": mq.MQMC_AS_PARENT,
    "DISABLED": mq.MQMC_DISABLED,
    "ENABLED": mq.MQMC_ENABLED,
    "ONLY": mq.MQMC_ONLY,
}
_EXPIRY: Final = {"ASPARENT": mq.MQCEX_AS_PARENT, "NOLIMIT": mq.MQCEX_NOLIMIT}
_ROUTE: Final = {"DIRECT": pcf.MQCLROUTE_DIRECT, "TOPICHOST": pcf.MQCLROUTE_TOPIC_HOST, "NONE": pcf.MQCLROUTE_NONE}
_ATTRIBUTES: Final = (
    shown(enum("TYPE", mq.MQIA_TOPIC_TYPE, {"LOCAL": mq.MQTOPT_LOCAL, "CLUSTER": mq.MQTOPT_CLUSTER})),
    fixed(text("TOPICSTR", mq.MQCA_TOPIC_STRING, TOPIC_STRING_LENGTH_MAX)),
    *altered(),
    integer("CAPEXPRY", mq.MQIA_CAP_EXPIRY, "ASPARENT", 1, NUMBER_MAX, _EXPIRY),
    enum("CLROUTE", mq.MQIA_CLUSTER_PUB_ROUTE, _ROUTE),
    name("CLUSTER", mq.MQCA_CLUSTER_NAME),
    name("COMMINFO", mq.MQCA_COMM_INFO_NAME),
    text("CUSTOM", mq.MQCA_CUSTOM, 128),
    enum("DEFPRESP", mq.MQIA_DEF_PUT_RESPONSE_TYPE, _RESPONSE),
    integer("DEFPRTY", mq.MQIA_DEF_PRIORITY, "ASPARENT", 0, 9, {"ASPARENT": mq.MQPRI_PRIORITY_AS_PARENT}),
    enum("DEFPSIST", mq.MQIA_TOPIC_DEF_PERSISTENCE, _PERSISTENCE),
    text("DESCR", mq.MQCA_TOPIC_DESC, 64),
    enum("DURSUB", mq.MQIA_DURABLE_SUB, _DURABLE),
    enum("MCAST", mq.MQIA_MULTICAST, _MULTICAST),
    name("MDURMDL", mq.MQCA_MODEL_DURABLE_Q),
    name("MNDURMDL", mq.MQCA_MODEL_NON_DURABLE_Q),
    enum("NPMSGDLV", mq.MQIA_NPM_DELIVERY, _DELIVERY),
    enum("PMSGDLV", mq.MQIA_PM_DELIVERY, _DELIVERY),
    enum(
        "PROXYSUB",
        mq.MQIA_PROXY_SUB,
        {"FIRSTUSE": mq.MQTA_PROXY_SUB_FIRSTUSE, "FORCE": mq.MQTA_PROXY_SUB_FORCE},
    ),
    enum("PUB", mq.MQIA_INHIBIT_PUB, _ALLOWED),
    enum("PUBSCOPE", mq.MQIA_PUB_SCOPE, _SCOPE),
    enum("SUB", mq.MQIA_INHIBIT_SUB, _ALLOWED),
    enum("SUBSCOPE", mq.MQIA_SUB_SCOPE, _SCOPE),
    enum("USEDLQ", mq.MQIA_USE_DEAD_LETTER_Q, _DEAD_LETTERS),
    enum("WILDCARD", mq.MQIA_WILDCARD_OPERATION, {"PASSTHRU": mq.MQTA_PASSTHRU, "BLOCK": mq.MQTA_BLOCK}),
)

KINDS: Final = (
    Kind(
        keyword="TOPIC",
        title="Topic",
        order=70,
        dump_order=80,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_TOPIC,
        opened=True,
        type_attribute="TYPE",
        default_object="SYSTEM.DEFAULT.TOPIC",
        since="SYSTEM.BASE.TOPIC",
        mqsc=MQSC(
            description="a topic object: the attributes of a topic string and of all below it",
            example="ORDERS.TOPIC",
            parameters="TOPICSTR('orders') DEFPSIST(YES)",
            altered="PUB(DISABLED)",
            required=("TOPICSTR",),
            selection=choice(
                "TYPE",
                "LOCAL CLUSTER ALL",
                selector=mq.MQIA_TOPIC_TYPE,
                numbers=(mq.MQTOPT_LOCAL, mq.MQTOPT_CLUSTER, mq.MQTOPT_ALL),
            ),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_TOPIC,
            change=pcf.MQCMD_CHANGE_TOPIC,
            delete=pcf.MQCMD_DELETE_TOPIC,
            inquire=pcf.MQCMD_INQUIRE_TOPIC,
            copy=pcf.MQCMD_COPY_TOPIC,
            inquire_names=pcf.MQCMD_INQUIRE_TOPIC_NAMES,
            name=mq.MQCA_TOPIC_NAME,
            copy_from=pcf.MQCACF_FROM_TOPIC_NAME,
            copy_to=pcf.MQCACF_TO_TOPIC_NAME,
            attributes=pcf.MQIACF_TOPIC_ATTRS,
            names=pcf.MQCACF_TOPIC_NAMES,
        ),
        messages=Messages(
            created="AMQ8690I",
            changed="AMQ8691I",
            deleted="AMQ8692I",
            shown="AMQ8633I",
            heading="Display topic details.",
        ),
        authority=Authority(
            object_type="TOPIC",
            title="Topic",
            number=mq.MQOT_TOPIC,
            takes=CONTROLLED | MQZAO_CLEAR | MQZAO_PUBLISH | MQZAO_SUBSCRIBE | MQZAO_RESUME | CONTEXT,
            words=("topic", "top"),
        ),
    ),
)
