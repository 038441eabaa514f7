"""A put under way: the arguments of `publish` and `request`, on their way through the middlewares."""

from __future__ import annotations

from typing import Any

from faststream.response.publish_type import PublishType
from faststream.response.response import BatchPublishCommand, PublishCommand, Response

from flintmq.client.message import Message

TIMEOUT_S = 30.0


class MQResponse(Response):
    """The result of a handler with options for its put."""

    def __init__(
        self,
        body: Any,
        *,
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
    ) -> None:
        super().__init__(body=body, headers=headers, correlation_id=correlation_id)
        self.priority = priority
        self.persistent = persistent
        self.expiry = expiry
        self.delay = delay

    def as_publish_command(self) -> MQPublishCommand:
        """Return the command; the publisher names the queue or the topic."""
        return MQPublishCommand(
            self.body,
            headers=self.headers,
            correlation_id=self.correlation_id,
            priority=self.priority,
            persistent=self.persistent,
            expiry=self.expiry,
            delay=self.delay,
            _publish_type=PublishType.PUBLISH,
        )


class MQPublishCommand(BatchPublishCommand):
    """One put, or a batch of them. `destination` is a queue name, or a topic string if `is_topic`."""

    def __init__(
        self,
        message: Any,
        /,
        *messages: Any,
        queue: str = "",
        topic: str = "",
        reply_to: str = "",
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
        retain: bool = False,
        syncpoint: bool | None = None,
        timeout: float | None = TIMEOUT_S,
        _publish_type: PublishType,
    ) -> None:
        super().__init__(
            message,
            *messages,
            destination=topic or queue,
            reply_to=reply_to,
            headers=headers,
            correlation_id=correlation_id,
            _publish_type=_publish_type,
        )
        self.is_topic = bool(topic)
        self.priority = priority
        self.persistent = persistent
        self.expiry = expiry
        self.delay = delay
        self.retain = retain
        #: Whether the put joins the unit of work of the message that is being handled; None: if there is one.
        self.syncpoint = syncpoint
        self.timeout = timeout
        #: The request that this answers.
        self.request: Message | None = None

    @classmethod
    def from_cmd(cls, cmd: PublishCommand, *, batch: bool = False) -> MQPublishCommand:
        """Return `cmd` as a command of this kind."""
        if isinstance(cmd, MQPublishCommand):
            return cmd
        body, others = cls._parse_bodies(cmd.body, batch=batch)
        return cls(
            body,
            *others,
            queue=cmd.destination,
            reply_to=cmd.reply_to,
            headers=cmd.headers,
            correlation_id=cmd.correlation_id,
            _publish_type=cmd.publish_type,
        )
