"""A queue manager with what publish/subscribe needs, and short ways to publish and subscribe.

broker = Broker()
app = broker.connect()
hsub = subscribe(app, "a/+")                        managed, not durable, unless options say otherwise
publish(app, "a/b", b"news", retain=True)
assert drain(app, hsub) == [b"news"]
broker.bounce()                                     a restart, as of Machine
"""

from __future__ import annotations

from typing import Any

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import default_attributes
from flintmq.command.defaults import default_objects
from flintmq.mqi.constants import (
    MQOO_OUTPUT,
    MQOT_TOPIC,
    MQPMO_NO_SYNCPOINT,
    MQPMO_RETAIN,
    MQPMO_SYNCPOINT,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_MANAGED,
)
from flintmq.mqi.md import FIELDS as MD_FIELDS
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.message_properties import properties_of
from flintmq.qmgr.subscription import Subscription, subscription_of
from tests.qmgr.conftest import Answered, App
from tests.qmgr.machine import Definition, Machine

MANAGED = MQSO_CREATE | MQSO_MANAGED
DURABLE = MANAGED | MQSO_DURABLE

_NEEDED = (
    "SYSTEM.DURABLE.SUBSCRIBER.QUEUE",
    "SYSTEM.RETAINED.PUB.QUEUE",
    "SYSTEM.DURABLE.MODEL.QUEUE",
    "SYSTEM.NDURABLE.MODEL.QUEUE",
    "SYSTEM.BROKER.CONTROL.QUEUE",
    "SYSTEM.BROKER.DEFAULT.STREAM",
    "SYSTEM.QPUBSUB.QUEUE.NAMELIST",
)


class Broker(Machine):
    """QM1 with the objects of publish/subscribe, a dead-letter queue DLQ and queues A, B and C."""

    def __init__(self, buffers: int = 25_000, **qmgr: Value) -> None:
        objects: list[Definition] = [("QLOCAL", name, {}) for name in ("DLQ", "A", "B", "C")]
        for row in default_objects():
            if row.kind == "TOPIC" or row.name in _NEEDED:
                values = dict(row.attributes)
                values.pop("STGCLASS", None)
                objects.append((row.kind, row.name, values))
        super().__init__("memory", None, objects, buffers, qmgr={"DEADQ": "DLQ", **qmgr})

    def topic(self, name: str, topic_string: str, **values: Value) -> None:
        """DEFINE TOPIC."""
        attributes = {**default_attributes("TOPIC"), "TOPICSTR": topic_string, **values}
        assert self.admin.define("TOPIC", name, attributes, False) == 0

    def subscription(self, name: str) -> Subscription:
        return self.qm.subscriptions.by_name[name]


def try_subscribe(
    app: App,
    topic_string: str = "",
    options: int = MANAGED,
    queue: Handle | None = None,
    hsub: Handle | None = None,
    **fields: Any,
) -> tuple[Handle | None, MQSD]:
    """MQSUB; the reason is in the connection. Fields are of the MQSD."""
    sd = MQSD()
    sd.options = options
    sd.object_string = topic_string
    for name, value in fields.items():
        assert hasattr(sd, name), name
        setattr(sd, name, value)
    return app.qm.subscribe(app.connection, sd, queue, hsub), sd


def subscribe(app: App, topic_string: str = "", options: int = MANAGED, **fields: Any) -> Handle:
    """MQSUB, which must succeed."""
    handle, _ = try_subscribe(app, topic_string, options, **fields)
    assert handle is not None, f"subscribe to {topic_string}: {app.connection.reason}"
    return handle


def refused(app: App, topic_string: str = "", options: int = MANAGED, **fields: Any) -> int:
    """MQSUB, which must fail: the reason."""
    handle, _ = try_subscribe(app, topic_string, options, **fields)
    assert handle is None
    return app.connection.reason


def publish(
    app: App,
    topic_string: str,
    data: bytes = b"",
    retain: bool = False,
    syncpoint: bool = False,
    topic_name: str = "",
    **fields: Any,
) -> Answered:
    """MQPUT1 to a topic. Fields are of the MQMD or the MQPMO."""
    od, md, pmo = MQOD(), MQMD(), MQPMO()
    od.object_type = MQOT_TOPIC
    od.object_name = topic_name
    od.object_string = topic_string
    pmo.options = (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT) | (MQPMO_RETAIN if retain else 0)
    for name, value in fields.items():
        if name == "options":
            pmo.options |= value
        else:
            setattr(md if name in MD_FIELDS else pmo, name, value)
    return Answered(app.connection, app.qm.put1(app.connection, od, md, pmo, data), md, pmo)


def open_topic(app: App, topic_string: str = "", topic_name: str = "", options: int = MQOO_OUTPUT) -> Handle | None:
    """MQOPEN of a topic."""
    od = MQOD()
    od.object_type = MQOT_TOPIC
    od.object_name = topic_name
    od.object_string = topic_string
    return app.qm.open(app.connection, od, options)


def drain(app: App, hsub: Handle) -> list[bytes]:
    """The data of everything on the queue of a subscription."""
    assert hsub.destination is not None
    return app.drain(hsub.destination)


def take(app: App, hsub: Handle) -> Answered:
    """The next message on the queue of a subscription."""
    assert hsub.destination is not None
    got = app.get(hsub.destination)
    assert got.completion == 0, got.reason
    return got


def properties(got: Answered) -> MessageProperties:
    """The properties of the message that a get returned."""
    assert got.connection.message is not None
    return properties_of(got.connection.message)


def open_subscription(handle: Handle) -> Subscription:
    """Return the subscription that `handle` is open on."""
    subscription = subscription_of(handle)
    assert subscription is not None
    return subscription
