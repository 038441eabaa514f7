"""FastStream's Prometheus middleware for MQBroker: counters and durations by queue or topic.

broker = MQBroker(middlewares=[MQPrometheusMiddleware(registry=registry)])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faststream._internal.constants import EMPTY
from faststream.message import StreamMessage
from faststream.prometheus import ConsumeAttrs
from faststream.prometheus.middleware import PrometheusMiddleware

from flintmq.integrations.faststream.command import MQPublishCommand
from flintmq.integrations.faststream.telemetry import MESSAGING_SYSTEM, destination_of, messages_of, size_of


class MQMetricsSettingsProvider:
    """The attributes of a message for the metrics."""

    messaging_system = MESSAGING_SYSTEM

    def get_consume_attrs_from_message(self, msg: StreamMessage[Any]) -> ConsumeAttrs:
        """Return destination, size and count."""
        return {
            "destination_name": destination_of(msg),
            "message_size": size_of(msg),
            "messages_count": len(messages_of(msg)),
        }

    def get_publish_destination_name_from_cmd(self, cmd: MQPublishCommand) -> str:
        """Return the queue or topic of a put."""
        return cmd.destination


class MQPrometheusMiddleware(PrometheusMiddleware[Any, MQPublishCommand]):
    """Counts and measures messages in a registry of prometheus_client."""

    def __init__(
        self,
        *,
        registry: Any,
        app_name: str = EMPTY,
        metrics_prefix: str = "faststream",
        received_messages_size_buckets: Sequence[float] | None = None,
        custom_labels: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(
            settings_provider_factory=lambda _: MQMetricsSettingsProvider(),
            registry=registry,
            app_name=app_name,
            metrics_prefix=metrics_prefix,
            received_messages_size_buckets=received_messages_size_buckets,
            custom_labels=custom_labels,
        )
