"""FastStream's OpenTelemetry middleware for MQBroker: spans and metrics of publish and process.

broker = MQBroker(middlewares=[MQTelemetryMiddleware(tracer_provider=provider)])
"""

from __future__ import annotations

from typing import Any

from faststream.message import StreamMessage
from faststream.opentelemetry.consts import MESSAGING_DESTINATION_PUBLISH_NAME
from faststream.opentelemetry.middleware import TelemetryMiddleware

from flintmq.integrations.faststream.command import MQPublishCommand
from flintmq.integrations.faststream.telemetry import MESSAGING_SYSTEM, destination_of, messages_of, size_of


class MQTelemetrySettingsProvider:
    """Names of OpenTelemetry's semantic conventions for messaging."""

    messaging_system = MESSAGING_SYSTEM

    def get_consume_attrs_from_message(self, msg: StreamMessage[Any]) -> dict[str, Any]:
        """Return the attributes of a process span."""
        found: dict[str, Any] = {
            "messaging.system": self.messaging_system,
            "messaging.message.id": msg.message_id,
            "messaging.message.conversation_id": msg.correlation_id,
            "messaging.message.payload_size_bytes": size_of(msg),
            MESSAGING_DESTINATION_PUBLISH_NAME: destination_of(msg),
        }
        if isinstance(msg.raw_message, tuple):
            found["messaging.batch.message_count"] = len(messages_of(msg))
        return found

    def get_consume_destination_name(self, msg: StreamMessage[Any]) -> str:
        """Return the queue or topic of a message."""
        return destination_of(msg)

    def get_publish_attrs_from_cmd(self, cmd: MQPublishCommand) -> dict[str, Any]:
        """Return the attributes of a publish span."""
        found: dict[str, Any] = {
            "messaging.system": self.messaging_system,
            "messaging.destination.name": cmd.destination,
            "messaging.message.conversation_id": cmd.correlation_id,
        }
        if len(cmd.batch_bodies) > 1:
            found["messaging.batch.message_count"] = len(cmd.batch_bodies)
        return found

    def get_publish_destination_name(self, cmd: MQPublishCommand) -> str:
        """Return the queue or topic of a put."""
        return cmd.destination


class MQTelemetryMiddleware(TelemetryMiddleware[MQPublishCommand]):
    """Makes spans of publish and process, and passes the trace on in the message properties traceparent and so on."""

    def __init__(
        self,
        *,
        tracer_provider: Any = None,
        meter_provider: Any = None,
        meter: Any = None,
        include_messages_counters: bool = True,
    ) -> None:
        super().__init__(
            settings_provider_factory=lambda _: MQTelemetrySettingsProvider(),
            tracer_provider=tracer_provider,
            meter_provider=meter_provider,
            meter=meter,
            include_messages_counters=include_messages_counters,
        )
