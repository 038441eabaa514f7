"""Topics that are open for output, and the attributes in force at a topic."""

from __future__ import annotations

from flintmq.catalogue.attribute import Value
from flintmq.mqi.topic_words import DELIVER_ALL_AVAILABLE


class TopicAttributes:
    """The attributes in force at a topic, none of them ASPARENT."""

    def __init__(self, name: str, topic_string: str, values: dict[str, Value], blocked: int) -> None:
        #: The closest TOPIC object, and its topic string.
        self.name = name
        self.topic_string = topic_string
        #: By MQSC keyword; what DISPLAY TPSTATUS shows.
        self.values = values
        #: So many levels must be plain text in a subscription, because of WILDCARD(BLOCK).
        self.blocked = blocked
        self.publish_enabled = values["PUB"] != "DISABLED"
        self.subscribe_enabled = values["SUB"] != "DISABLED"
        self.durable_allowed = values["DURSUB"] == "YES"
        priority = values["DEFPRTY"]
        self.def_priority = priority if isinstance(priority, int) else 0
        self.def_persistence = 1 if values["DEFPSIST"] == "YES" else 0
        self.def_put_response = 1 if values["DEFPRESP"] == "ASYNC" else 0
        self.persistent_delivery = str(values["PMSGDLV"])
        self.non_persistent_delivery = str(values["NPMSGDLV"])
        #: A non-persistent publication never fails because of a copy.
        self.drops_refused = values["NPMSGDLV"] == DELIVER_ALL_AVAILABLE
        self.use_dead_letter_queue = values["USEDLQ"] == "YES"
        expiry = values["CAPEXPRY"]
        #: Tenths of a second, 0 without limit.
        self.cap_expiry = expiry if isinstance(expiry, int) else 0
        self.durable_model = str(values["MDURMDL"])
        self.non_durable_model = str(values["MNDURMDL"])
        self.publish_local = values["PUBSCOPE"] == "QMGR"
        self.subscribe_local = values["SUBSCOPE"] == "QMGR"


class OpenTopic:
    """A topic that is open for output."""

    def __init__(self, topic_string: str, levels: list[str], attributes: TopicAttributes, generation: int) -> None:
        self.topic_string = topic_string
        self.levels = levels
        #: The attributes in force at the topic when the topic tree had this generation (`TopicTree.current`).
        self.attributes = attributes
        self.generation = generation
        #: How often it was published to through this handle, and when last.
        self.published = 0
        self.last_ms = 0
        #: The properties of a copy that has nothing but the topic string to say.
        self.block: bytes = b""
