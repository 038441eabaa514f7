"""Parts of a queue that stand for themselves: attributes of its definition, tokens, incomplete groups, times."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import Value

#: The queues of the queued publish/subscribe interface (queued.py).
QUEUED: Final = ("SYSTEM.BROKER.CONTROL.QUEUE", "SYSTEM.BROKER.DEFAULT.STREAM")
#: Where messages wait for their delivery (delay.py).
STAGING: Final = "SYSTEM.DDELAY.LOCAL.QUEUE"


class QueueRules:
    """Attributes of the definition of a queue, in the form that calls ask for."""

    def_priority: int = 0
    def_persistence: int = 0
    shareable: bool = False
    def_exclusive: bool = False
    transmission: bool = False
    keep_nonpersistent: bool = False
    harden_backout: bool = False
    trigger_on: bool = False
    #: Its messages are commands of the queued publish/subscribe interface; they wait for their delivery.
    queued: bool = False
    staging: bool = False
    #: MAXMSGL of the queue manager.
    q_mgr_msg_length: int = 0
    #: Depth or service interval events are on.
    has_events: bool = False

    def refresh(self, name: str, values: dict[str, Value]) -> None:
        """Take over the attributes of the definition, after DEFINE or ALTER."""
        priority = values["DEFPRTY"]
        self.def_priority = priority if isinstance(priority, int) else 0
        self.def_persistence = 1 if values["DEFPSIST"] == "YES" else 0
        self.shareable = values["SHARE"] == "SHARE"
        self.def_exclusive = values["DEFSOPT"] == "EXCL"
        self.transmission = values["USAGE"] == "XMITQ"
        self.keep_nonpersistent = values["NPMCLASS"] == "HIGH"
        self.harden_backout = values["HARDENBO"] == "HARDENBO"
        self.trigger_on = values["TRIGGER"] == "TRIGGER"
        self.queued = name in QUEUED
        self.staging = name == STAGING
        self.has_events = (
            values["QDPHIEV"] == "ENABLED" or values["QDPLOEV"] == "ENABLED" or values["QSVCIEV"] != "NONE"
        )


class Tokens:
    """Message tokens of a queue (wanted.py)."""

    def __init__(self, queue_id: int) -> None:
        #: The first eight bytes of each token.
        self.front = queue_id.to_bytes(8, "big")
        #: All bytes but the last, for 256 messages in a row; and which ones.
        self.prefix = b""
        self.block = -1


class IncompleteGroups:
    """Groups that were found incomplete when the next sequence of the queue was `as_of` (L3 in logical_get.py)."""

    def __init__(self) -> None:
        self.groups: set[tuple[bytes, int, int]] = set()
        self.as_of = 0


class EventTimes:
    """State that events and triggers keep of a queue."""

    #: When the last trigger message was made, 0 none since the queue manager started.
    trigger_last_ms: int = 0
    #: When the service timer was started, -1 it is off, 0 not since the queue manager started.
    service_start_ms: int = 0
    #: The commands on it are being carried out (queued.py).
    processing: bool = False
