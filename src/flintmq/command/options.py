"""The parameters that a command has of its own, beside the attributes of objects: REPLACE, LIKE(name), TYPE(HANDLE).

Each knows its number and the numbers of its words in PCF (`selector`, `words`), as the attributes of objects do. One
without a selector is written in MQSC only: PCF says the same in another way (LIKE is a command, ALL an attribute list).
"""

from __future__ import annotations

from flintmq.catalogue.attribute import FLAG, HEX, INT, LIST, NAME, NUMBERS, STRING, Attribute
from flintmq.catalogue.attribute_makers import choice
from flintmq.catalogue.limits import PAGE_SET_ID_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf


def switch(word: str, negation: bool = True, selector: int = 0, number: int = 1) -> Attribute:
    """Return a flag such as REPLACE, with or without its NO form. In PCF it is `number` for yes, and 0 for no."""
    attribute = Attribute(word, FLAG, selector, "NO" + word)
    attribute.words = {word: number, "NO" + word: 0} if negation else {word: number}
    return attribute


def text(keyword: str, kind: str = NAME, length: int = 48, selector: int = 0) -> Attribute:
    attribute = Attribute(keyword, kind, selector, "")
    attribute.length = length
    return attribute


def texts(keyword: str, count_max: int, length: int, selector: int = 0) -> Attribute:
    """Return a list of any texts."""
    attribute = Attribute(keyword, LIST, selector, [])
    attribute.count_max, attribute.length, attribute.any_text = count_max, length, True
    return attribute


def hexadecimal(keyword: str, length: int, selector: int = 0) -> Attribute:
    attribute = Attribute(keyword, HEX, selector, "")
    attribute.length = length
    return attribute


def numbered(keyword: str, low: int, high: int, selector: int = 0) -> Attribute:
    attribute = Attribute(keyword, INT, selector, low)
    attribute.low, attribute.high = low, high
    return attribute


def numbers(keyword: str, low: int, high: int, selector: int = 0) -> Attribute:
    attribute = Attribute(keyword, NUMBERS, selector, [])
    attribute.low, attribute.high = low, high
    return attribute


def page_set() -> Attribute:
    attribute = Attribute("PSID", INT, mq.MQIA_PAGESET_ID, "*")
    attribute.high = PAGE_SET_ID_MAX
    attribute.words = {"*": -1}
    return attribute


REPLACE = switch("REPLACE", selector=pcf.MQIACF_REPLACE)
FORCE = switch("FORCE", selector=pcf.MQIACF_FORCE)
PURGE = switch("PURGE", selector=pcf.MQIACF_PURGE)
ALL = switch("ALL", negation=False)
DEFAULT = switch("DEFAULT", negation=False)
CURRENT = switch("CURRENT", False, pcf.MQIACH_CHANNEL_INSTANCE_TYPE, mq.MQOT_CURRENT_CHANNEL)
SAVED = switch("SAVED", False, pcf.MQIACH_CHANNEL_INSTANCE_TYPE, mq.MQOT_SAVED_CHANNEL)
SHORT = switch("SHORT", False, pcf.MQIACH_CHANNEL_INSTANCE_TYPE, mq.MQOT_SHORT_CHANNEL)
IGNSTATE = choice("IGNSTATE", "NO YES", selector=pcf.MQIACF_IGNORE_STATE, numbers=(pcf.MQIS_NO, pcf.MQIS_YES))
AUTHREC = choice("AUTHREC", "YES NO", selector=pcf.MQIACF_REMOVE_AUTHREC, numbers=(pcf.MQRAR_YES, pcf.MQRAR_NO))
LIKE = text("LIKE")
WHERE = text("WHERE", STRING, 1024)
SUBID = hexadecimal("SUBID", 24, pcf.MQBACF_SUB_ID)
SUBTYPE = choice(
    "SUBTYPE",
    "USER ALL PROXY ADMIN API",
    selector=pcf.MQIACF_SUB_TYPE,
    numbers=(
        pcf.MQSUBTYPE_USER,
        pcf.MQSUBTYPE_ALL,
        pcf.MQSUBTYPE_PROXY,
        pcf.MQSUBTYPE_ADMIN,
        pcf.MQSUBTYPE_API,
    ),
)
DURABLE = choice(
    "DURABLE",
    "ALL YES NO",
    selector=pcf.MQIACF_DURABLE_SUBSCRIPTION,
    numbers=(mq.MQSUB_DURABLE_ALL, mq.MQSUB_DURABLE_YES, mq.MQSUB_DURABLE_NO),
)
MOVE_TYPE = choice(
    "TYPE",
    "MOVE ADD",
    selector=pcf.MQIACF_MOVE_TYPE,
    numbers=(pcf.MQIACF_MOVE_TYPE_MOVE, pcf.MQIACF_MOVE_TYPE_ADD),
)
QUEUE_STATUS_TYPE = choice(
    "TYPE",
    "QUEUE HANDLE",
    selector=pcf.MQIACF_Q_STATUS_TYPE,
    numbers=(pcf.MQIACF_Q_STATUS, pcf.MQIACF_Q_HANDLE),
)
OPEN_TYPE = choice(
    "OPENTYPE",
    "ALL INPUT OUTPUT",
    selector=pcf.MQIACF_OPEN_TYPE,
    numbers=(pcf.MQQSOT_ALL, pcf.MQQSOT_INPUT, pcf.MQQSOT_OUTPUT),
)
RESET_TYPE = choice(
    "TYPE",
    "ADVANCELOG ARCHLOG REDUCELOG STATISTICS",
    selector=pcf.MQIACF_ACTION,
    numbers=(
        pcf.MQACT_ADVANCE_LOG,
        pcf.MQACT_ARCHIVE_LOG,
        pcf.MQACT_REDUCE_LOG,
        pcf.MQACT_COLLECT_STATISTICS,
    ),
)
CONNECTION_TYPE = choice(
    "TYPE",
    "CONN HANDLE ALL",
    selector=pcf.MQIACF_CONN_INFO_TYPE,
    numbers=(pcf.MQIACF_CONN_INFO_CONN, pcf.MQIACF_CONN_INFO_HANDLE, pcf.MQIACF_CONN_INFO_ALL),
)
CONNECTION_TYPE.word_synonyms = {"*": "ALL"}
TOPIC_STATUS_TYPE = choice(
    "TYPE",
    "TOPIC SUB PUB",
    selector=pcf.MQIACF_TOPIC_STATUS_TYPE,
    numbers=(pcf.MQIACF_TOPIC_STATUS, pcf.MQIACF_TOPIC_SUB, pcf.MQIACF_TOPIC_PUB),
)
CLEAR_TYPE = choice("CLRTYPE", "RETAINED", selector=pcf.MQIACF_CLEAR_TYPE, numbers=(pcf.MQCLRT_RETAINED,))
CLEAR_SCOPE = choice(
    "SCOPE", "ALL LOCAL", selector=pcf.MQIACF_CLEAR_SCOPE, numbers=(pcf.MQCLRS_GLOBAL, pcf.MQCLRS_LOCAL)
)
PUBSUB_TYPE = choice(
    "TYPE",
    "ALL LOCAL CHILD PARENT",
    selector=pcf.MQIACF_PS_STATUS_TYPE,
    numbers=(pcf.MQPSST_ALL, pcf.MQPSST_LOCAL, pcf.MQPSST_CHILD, pcf.MQPSST_PARENT),
)
USAGE_TYPE = choice(
    "TYPE",
    "ALL PAGESET BUFFPOOL DATASET",
    selector=pcf.MQIACF_USAGE_TYPE,
    numbers=(
        pcf.MQIACF_ALL,
        pcf.MQIACF_USAGE_PAGESET,
        pcf.MQIACF_USAGE_BUFFER_POOL,
        pcf.MQIACF_USAGE_DATA_SET,
    ),
)
CONNAME = text("CONNAME", STRING, 264, pcf.MQCACH_CONNECTION_NAME)
STOP_MODE = choice(
    "MODE",
    "QUIESCE FORCE TERMINATE",
    selector=pcf.MQIACF_MODE,
    numbers=(pcf.MQMODE_QUIESCE, pcf.MQMODE_FORCE, pcf.MQMODE_TERMINATE),
)
STOP_STATUS = choice(
    "STATUS",
    "STOPPED INACTIVE",
    selector=pcf.MQIACH_CHANNEL_STATUS,
    numbers=(pcf.MQCHS_STOPPED, pcf.MQCHS_INACTIVE),
)
