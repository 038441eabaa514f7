"""Destination, size and count of a message, as opentelemetry.py and prometheus.py report them."""

from __future__ import annotations

from typing import Any

from faststream.message import StreamMessage

from flintmq.client.message import Message

MESSAGING_SYSTEM = "ibmmq"


def messages_of(msg: StreamMessage[Any]) -> tuple[Message, ...]:
    """Return the raw messages of a message or a batch."""
    raw = msg.raw_message
    return raw if isinstance(raw, tuple) else (raw,)


def destination_of(msg: StreamMessage[Any]) -> str:
    """Return the topic string of a publication, else the queue name."""
    first = messages_of(msg)[0]
    return first.topic or first.queue_name


def size_of(msg: StreamMessage[Any]) -> int:
    """Return the number of bytes of the data."""
    return sum(len(each.data) for each in messages_of(msg))
