"""Publishers: they put the result of a handler, and replies to requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from faststream._internal.endpoint.publisher import PublisherSpecification, PublisherUsecase
from faststream._internal.endpoint.publisher.fake import FakePublisher
from faststream.response.publish_type import PublishType
from faststream.response.response import PublishCommand
from faststream.specification.asyncapi.utils import resolve_payloads
from faststream.specification.schema import Message as MessageSpec
from faststream.specification.schema import Operation, PublisherSpec

from flintmq.client.message import Message
from flintmq.integrations.faststream.command import TIMEOUT_S, MQPublishCommand
from flintmq.integrations.faststream.config import MQBrokerConfig, MQPublisherConfig, MQPublisherSpecificationConfig


class MQPublisher(PublisherUsecase):
    """Puts to a queue, or publishes to a topic."""

    _outer_config: MQBrokerConfig

    def __init__(self, config: MQPublisherConfig, specification: Any) -> None:
        super().__init__(config, specification)
        self._config = config

    @property
    def _name(self) -> str:
        return self._config.place.address.add_prefix(self._outer_config.prefix).template

    @property
    def queue(self) -> str:
        """The name of the queue, "" if it is a topic."""
        return "" if self._config.place.is_topic else self._name

    @property
    def topic(self) -> str:
        """The topic string, "" if it is a queue."""
        return self._name if self._config.place.is_topic else ""

    def _command(self, messages: tuple[Any, ...], kind: PublishType, given: dict[str, Any]) -> MQPublishCommand:
        """Return the command of a call: its arguments, else the settings of the publisher."""
        config = self._config
        queue, topic = given.pop("queue", ""), given.pop("topic", "")
        if not queue and not topic:
            queue, topic = self.queue, self.topic
        fields: dict[str, Any] = {
            "reply_to": config.reply_to if kind is PublishType.PUBLISH else "",
            "priority": config.priority,
            "persistent": config.persistent,
            "expiry": config.expiry,
            "delay": config.delay,
            "retain": config.retain,
        }
        fields |= {name: value for name, value in given.items() if value is not None}
        fields["headers"] = config.headers | (given.get("headers") or {})
        fields["correlation_id"] = given.get("correlation_id") or self._outer_config.id_generator()
        first, *others = messages or (None,)
        return MQPublishCommand(first, *others, queue=queue, topic=topic, _publish_type=kind, **fields)

    async def publish(
        self,
        message: Any = None,
        queue: str = "",
        *,
        topic: str = "",
        reply_to: str | None = None,
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
        retain: bool | None = None,
        syncpoint: bool | None = None,
    ) -> Any:
        """Put a message; see MQBroker.publish."""
        given = {name: value for name, value in locals().items() if name not in ("self", "message")}
        command = self._command((message,), PublishType.PUBLISH, given)
        return await self._basic_publish(command, producer=self._outer_config.producer, _extra_middlewares=())

    async def publish_batch(self, *messages: Any, queue: str = "", headers: dict[str, Any] | None = None) -> Any:
        """Put messages in one unit of work; see MQBroker.publish_batch."""
        command = self._command(messages, PublishType.PUBLISH, {"queue": queue, "headers": headers})
        return await self._basic_publish_batch(command, producer=self._outer_config.producer, _extra_middlewares=())

    async def _publish(self, cmd: PublishCommand, *, _extra_middlewares: Iterable[Any]) -> Any:
        """Put the result of a handler."""
        config = self._config
        command = MQPublishCommand.from_cmd(cmd, batch=config.batch)
        if not command.destination:
            command.destination, command.is_topic = self._name, config.place.is_topic
        command.reply_to = command.reply_to or config.reply_to
        command.add_headers(config.headers, override=False)
        command.retain = command.retain or config.retain
        for name in ("priority", "persistent", "expiry", "delay"):
            if getattr(command, name) is None:
                setattr(command, name, getattr(config, name))
        put = self._basic_publish_batch if config.batch else self._basic_publish
        return await put(command, producer=self._outer_config.producer, _extra_middlewares=_extra_middlewares)

    async def request(
        self,
        message: Any = None,
        queue: str = "",
        *,
        timeout: float = TIMEOUT_S,
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
    ) -> Any:
        """Put a request and wait for its answer; see MQBroker.request."""
        given = {name: value for name, value in locals().items() if name not in ("self", "message")}
        command = self._command((message,), PublishType.REQUEST, given)
        return await self._basic_request(command, producer=self._outer_config.producer)


class MQReplyPublisher(FakePublisher):
    """Puts the result of a handler to the reply-to queue of a request."""

    def __init__(self, producer: Any, reply_to: str, request: Message) -> None:
        super().__init__(producer=producer)
        self._reply_to = reply_to
        self._request = request

    def patch_command(self, cmd: PublishCommand) -> MQPublishCommand:
        """Return the reply: MQMT_REPLY, with the CorrelId that the report options of the request ask for."""
        command = MQPublishCommand.from_cmd(super().patch_command(cmd))
        command.destination, command.is_topic = self._reply_to, False
        command.request = self._request
        return command


class MQPublisherSpecification(PublisherSpecification[MQBrokerConfig, MQPublisherSpecificationConfig]):
    """The description of a publisher in AsyncAPI."""

    @property
    def address(self) -> str:
        """The queue name, or the topic string."""
        return self.config.place.address.add_prefix(self._outer_config.prefix).template

    @property
    def name(self) -> str:
        """The key of the channel."""
        return self.config.title_ or f"{self.address}:Publisher"

    def get_schema(self) -> dict[str, PublisherSpec]:
        """Return the channel."""
        payload = resolve_payloads(self.get_payloads(), "Publisher")
        message = MessageSpec(title=f"{self.name}:Message", payload=payload)
        spec = PublisherSpec(
            address=self.address,
            description=self.config.description_,
            operation=Operation(message=message, bindings=None),
            bindings=None,
        )
        return {self.name: spec}
