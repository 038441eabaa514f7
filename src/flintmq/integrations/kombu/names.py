"""Names of AMQP as names of MQ.

A queue name of MQ has 1 to 48 characters of A-Z a-z 0-9 . / _ %. A name of Kombu is any text.

    celery                          celery                        a name of MQ is itself, unless it has a %
    celery@host-1.celery.pidbox     celery%40host%2D1.celery.pidbox    other characters as %XX for each byte of UTF-8
    (longer than 48 by then)        celeryev.0b6c12%HJ5XKMQ...    the beginning, %H and 128 bits of SHA-256 in base 32

The first two forms are reversible (`kombu_name`). %H cannot begin an escape, since H is no hexadecimal digit; so a
hashed name is equal to no other name, except if SHA-256 has a collision.
"""

from __future__ import annotations

import re
from base64 import b32encode
from hashlib import sha256
from typing import Final
from urllib.parse import quote

NAME_LENGTH: Final = 48
HASHED: Final = "%H"
_DIGEST_LENGTH: Final = 26
_HEAD_LENGTH: Final = NAME_LENGTH - len(HASHED) - _DIGEST_LENGTH
_ESCAPE = re.compile(r"%([0-9A-F]{2})")
_KEPT: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/")

#: Exchanges are below this level of the topic tree.
ROOT: Final = "FLINTMQ.KOMBU"
#: A level of the topic tree for an empty word. No escaped word is equal to it.
EMPTY: Final = "%"


def queue_name(name: str, prefix: str = "") -> str:
    """Return the name of the MQ queue for a queue of Kombu. `prefix` goes before every name."""
    if not isinstance(name, str):
        raise TypeError(f"a queue name is a str, not {type(name).__name__}")
    if not name:
        raise ValueError("a queue name is not empty")
    escaped = "".join(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in name.encode("utf-8"))
    if len(prefix) + len(escaped) <= NAME_LENGTH:
        return prefix + escaped
    digest = b32encode(sha256(name.encode("utf-8")).digest()[:16]).decode("ascii").rstrip("=")
    return prefix + _cut(escaped, _HEAD_LENGTH - len(prefix)) + HASHED + digest


def _cut(escaped: str, length: int) -> str:
    """Return the beginning of an escaped name; an escape is not cut into pieces."""
    head = escaped[: max(0, length)]
    percent = head.rfind("%")
    return head[:percent] if percent > len(head) - 3 and percent >= 0 else head


def kombu_name(name: str, prefix: str = "") -> str:
    """Return the name of Kombu for a queue of MQ. A hashed name is returned as it is."""
    if HASHED in name or not name.startswith(prefix):
        return name
    raw = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), name[len(prefix) :])
    try:
        return raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return name


def topic_string(exchange: str, routing_key: str) -> str:
    """Return the topic that a message with this routing key is published to."""
    return "/".join([ROOT, _level(exchange), *(_level(word) for word in _words(routing_key))])


def binding_string(exchange: str, kind: str, routing_key: str) -> str:
    """Return the topic string for a binding: the wildcards of a topic exchange become those of MQ."""
    if kind == "fanout":
        return "/".join([ROOT, _level(exchange), "#"])
    if kind == "direct":
        return topic_string(exchange, routing_key)
    levels = [{"*": "+", "#": "#"}.get(word) or _level(word) for word in _words(routing_key)]
    return "/".join([ROOT, _level(exchange), *levels])


def subscription_name(exchange: str, routing_key: str, queue: str) -> str:
    """Return the name of the durable subscription for a binding. `queue` is a name of MQ."""
    return "/".join([ROOT, _level(exchange), _level(routing_key), queue])


def exchange_prefix(exchange: str) -> str:
    """Return how the names of all durable subscriptions of an exchange begin."""
    return f"{ROOT}/{_level(exchange)}/"


def _words(routing_key: str) -> list[str]:
    return routing_key.split(".") if routing_key else []


def _level(word: str) -> str:
    return quote(word, safe="") if word else EMPTY
