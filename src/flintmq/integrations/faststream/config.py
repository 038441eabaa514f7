"""The settings of brokers, subscribers and publishers, as FastStream composes it over routers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from faststream._internal.configs import (
    BrokerConfig,
    PublisherSpecificationConfig,
    PublisherUsecaseConfig,
    SubscriberSpecificationConfig,
    SubscriberUsecaseConfig,
)
from faststream._internal.constants import EMPTY
from faststream._internal.utils.path import Address, AddressSyntax
from faststream.exceptions import IncorrectState, SetupError
from faststream.middlewares import AckPolicy

from flintmq.client.remote.aio import AsyncRemoteQueueManager
from flintmq.integrations.faststream.producer import MQProducer, NoProducer

#: `prices/{metal}` is prices/+ to the queue manager. A level is what is between two slashes.
_TOPIC = AddressSyntax(
    replace_symbol="+",
    patch_regex=lambda text: text.replace(r"\#", ".*").replace(r"\+", "[^/]+"),
    param_regex="[^/]+",
)


@dataclass(kw_only=True)
class MQBrokerConfig(BrokerConfig):
    """The configuration of a broker or a router."""

    producer: MQProducer = field(default_factory=NoProducer)
    create_queues: bool = False
    #: TestMQBroker hands messages over in memory: subscribers do not get any themselves.
    in_memory: bool = False
    connection: AsyncRemoteQueueManager | None = field(default=None, init=False, repr=False)

    @property
    def qm(self) -> AsyncRemoteQueueManager:
        """The connection. Raises IncorrectState if there is none."""
        if self.connection is None:
            raise IncorrectState("the broker is not connected: await broker.connect() or broker.start() first")
        return self.connection

    def connect(self, qm: AsyncRemoteQueueManager) -> None:
        """Use a connection."""
        self.connection = qm
        self.producer.connect(qm, self.fd_config._serializer, self.broker_codec)

    def disconnect(self) -> None:
        """Use it no more."""
        self.connection = None
        self.producer.disconnect()


@dataclass(frozen=True)
class Place:
    """A queue or a topic, as it was declared."""

    address: Address
    is_topic: bool

    @classmethod
    def of(cls, queue: str, topic: str) -> Place:
        """Raises SetupError unless exactly one of the two is given."""
        if bool(queue) == bool(topic):
            raise SetupError("name a queue or a topic: subscriber('QUEUE') or subscriber(topic='topic/string')")
        return cls(Address(topic, _TOPIC), True) if topic else cls(Address.literal(queue), False)


@dataclass(kw_only=True)
class MQSubscriberSpecificationConfig(SubscriberSpecificationConfig):
    """The settings of a subscriber for a specification."""

    place: Place


@dataclass(kw_only=True)
class MQSubscriberConfig(SubscriberUsecaseConfig):
    """How a subscriber gets messages."""

    _outer_config: MQBrokerConfig = field(default_factory=MQBrokerConfig)

    place: Place
    selector: str = ""
    durable_name: str | None = None
    max_workers: int = 1
    batch: bool = False
    max_records: int = 10
    batch_wait: float = 0.0
    create: bool | Mapping[str, Any] = False

    @property
    def ack_policy(self) -> AckPolicy:
        """By the subscriber, the router, the broker; else a message is set aside if its handler fails."""
        policy = self._ack_policy
        if policy is EMPTY:
            policy = self._outer_config.ack_policy
        return AckPolicy.REJECT_ON_ERROR if policy is EMPTY else policy


@dataclass(kw_only=True)
class MQPublisherSpecificationConfig(PublisherSpecificationConfig):
    """The settings of a publisher for a specification."""

    place: Place


@dataclass(kw_only=True)
class MQPublisherConfig(PublisherUsecaseConfig):
    """How a publisher puts messages."""

    _outer_config: MQBrokerConfig = field(default_factory=MQBrokerConfig)

    place: Place
    reply_to: str = ""
    headers: dict[str, Any] = field(default_factory=dict)
    priority: int | None = None
    persistent: bool | None = None
    expiry: float | None = None
    delay: float | None = None
    retain: bool = False
    batch: bool = False
