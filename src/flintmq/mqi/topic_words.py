"""Names of the base topic, its attributes, and topic strings that are joined."""

from __future__ import annotations

from typing import Final

DELIVER_ALL: Final = "ALL"
DELIVER_ALL_DURABLE: Final = "ALLDUR"
DELIVER_ALL_AVAILABLE: Final = "ALLAVAIL"
BASE_TOPIC: Final = "SYSTEM.BASE.TOPIC"
#: Where DEFINE TOPIC takes what is left out from. It has no topic string and no place in the tree.
DEFAULT_TOPIC: Final = "SYSTEM.DEFAULT.TOPIC"
#: What the root says, where SYSTEM.BASE.TOPIC says nothing.
BASE_VALUES: Final[dict[str, str | int | list[str]]] = {
    "CAPEXPRY": "NOLIMIT",
    "COMMINFO": "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
    "DEFPRESP": "SYNC",
    "DEFPRTY": 0,
    "DEFPSIST": "NO",
    "DURSUB": "YES",
    "MCAST": "DISABLED",
    "MDURMDL": "SYSTEM.DURABLE.MODEL.QUEUE",
    "MNDURMDL": "SYSTEM.NDURABLE.MODEL.QUEUE",
    "NPMSGDLV": DELIVER_ALL_AVAILABLE,
    "PMSGDLV": DELIVER_ALL_DURABLE,
    "PUB": "ENABLED",
    "PUBSCOPE": "ALL",
    "SUB": "ENABLED",
    "SUBSCOPE": "ALL",
    "USEDLQ": "YES",
}


def join_topic(topic_string: str, object_string: str) -> str:
    """The whole topic string, from that of a TOPIC object and the string that an application adds to it."""
    if not topic_string or not object_string:
        return topic_string or object_string
    if topic_string.endswith("/"):
        return topic_string + object_string
    return topic_string + "/" + object_string
