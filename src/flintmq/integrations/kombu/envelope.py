"""A message of Kombu as a message of MQ, and back.

    Kombu                            MQ
    body                             message data; text is UTF-8 in format MQSTR
    priority                         Priority
    delivery_mode                    Persistence
    expiration                       Expiry
    correlation_id                   CorrelId: the 16 bytes of a UUID, up to 24 bytes of other text, else a digest
    reply_to                         ReplyToQ
    everything, exactly              property "kombu": JSON with content type and encoding, headers, properties,
                                     exchange and routing key

A message without that property was put by another MQ program. Its headers are its message properties, its content type
is text/plain in format MQSTR, else application/data.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final, TypedDict
from uuid import UUID

from kombu.utils.json import dumps, loads

import flintmq
from flintmq.integrations.kombu.names import kombu_name, queue_name

PROPERTY: Final = "kombu"
_PRIORITY_MAX: Final = 9
_TRANSIENT: Final = 1
_EXPIRY_MIN: Final = 0.1
_MQSTR: Final = "MQSTR"


class Arguments(TypedDict, total=False):
    """Arguments of Queue.put and Topic.publish."""

    persistent: bool
    priority: int
    expiry: float
    correlation_id: bytes
    reply_to: str
    properties: dict[str, Any]


def priority_of(value: object) -> int:
    """Return a priority that MQ has: 0 to 9. Other values than numbers give 0."""
    if not isinstance(value, int | float | str) or value == "":
        return 0
    try:
        return max(0, min(_PRIORITY_MAX, int(value)))
    except ValueError:
        return 0


def correlation(value: str) -> bytes:
    """Return the CorrelId for a correlation id of AMQP."""
    try:
        return UUID(value).bytes
    except ValueError:
        raw = value.encode("utf-8")
        return raw if len(raw) <= 24 else sha256(raw).digest()[:24]


def encode(message: dict[str, Any], exchange: str, routing_key: str, prefix: str) -> tuple[bytes | str, Arguments]:
    """Return data and arguments of a put for a result of Channel.prepare_message."""
    properties: dict[str, Any] = {
        key: value for key, value in message["properties"].items() if key != "delivery_info" and value is not None
    }
    carried = {
        "content_type": message["content-type"],
        "content_encoding": message["content-encoding"],
        "headers": message["headers"],
        "properties": properties,
        "exchange": exchange,
        "routing_key": routing_key,
    }
    made = Arguments(
        persistent=properties.get("delivery_mode") != _TRANSIENT,
        priority=priority_of(properties.get("priority")),
        properties={PROPERTY: dumps(carried)},  # type: ignore[no-untyped-call]
    )
    expiration = properties.get("expiration")
    if expiration is not None:
        made["expiry"] = max(_EXPIRY_MIN, int(expiration) / 1000)
    if properties.get("correlation_id"):
        made["correlation_id"] = correlation(str(properties["correlation_id"]))
    if properties.get("reply_to"):
        made["reply_to"] = queue_name(str(properties["reply_to"]), prefix)
    body = message["body"]
    return body if isinstance(body, str | bytes) else bytes(body), made


def decode(message: flintmq.Message, queue: str, prefix: str) -> dict[str, Any]:
    """Return the keyword arguments of kombu.message.Message. `queue` is Kombu's name of the queue."""
    text = message.properties.get(PROPERTY)
    carried: Any = None
    if isinstance(text, str):
        try:
            carried = loads(text)  # type: ignore[no-untyped-call]
        except ValueError:
            carried = None
    if not isinstance(carried, dict):
        carried = _foreign(message, queue, prefix)
    properties = dict(carried.get("properties") or {})
    return {
        "body": message.data,
        "content_type": carried.get("content_type"),
        "content_encoding": carried.get("content_encoding"),
        "headers": dict(carried.get("headers") or {}),
        "properties": properties,
        "delivery_info": {
            "exchange": carried.get("exchange") or "",
            "routing_key": carried.get("routing_key") or "",
            "redelivered": message.backout_count > 0,
            "priority": message.priority,
        },
    }


def _foreign(message: flintmq.Message, queue: str, prefix: str) -> dict[str, Any]:
    """Describe a message that no Kombu program has put."""
    is_text = message.md.format.strip() == _MQSTR
    properties: dict[str, Any] = {"priority": message.priority, "delivery_mode": 2 if message.persistent else 1}
    if message.reply_to:
        properties["reply_to"] = kombu_name(message.reply_to, prefix)
    if message.correlation_id.strip(b"\0"):
        properties["correlation_id"] = message.correlation_id.hex()
    return {
        "content_type": "text/plain" if is_text else "application/data",
        "content_encoding": "utf-8" if is_text else "binary",
        "headers": {key: value for key, value in message.properties.items() if not key.startswith("mq")},
        "properties": properties,
        "exchange": "",
        "routing_key": queue,
    }
