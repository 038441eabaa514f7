"""Digests of the outputs of a flow, to compare Spark with a broker message by message.

A digest covers the queue, the data and the fields of the MQMD that a flow decides. A queue manager adds others: put
time, user, application. Outputs keep the MsgId of their input, so each input has a sorted list of digests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

#: Fields of the MQMD that are compared.
FIELDS = (
    "report",
    "msg_type",
    "expiry",
    "feedback",
    "encoding",
    "coded_char_set_id",
    "format",
    "priority",
    "persistence",
    "correl_id",
    "reply_to_q",
)


def digest(queue: str, fields: Mapping[str, Any], data: bytes) -> str:
    """Return the digest of one output."""
    made = blake2b(digest_size=16)
    for value in (queue, *(fields[name] for name in FIELDS)):
        text = value.rstrip() if isinstance(value, str) else value.hex() if isinstance(value, bytes) else str(value)
        made.update(text.encode() + b"\0")
    made.update(data)
    return made.hexdigest()


def of_messages(queue: str, messages: Iterable[Any]) -> dict[bytes, list[str]]:
    """Return the digests of messages of a queue by MsgId."""
    found: dict[bytes, list[str]] = {}
    for message in messages:
        md = message.md
        fields = {name: getattr(md, name) for name in FIELDS}
        found.setdefault(md.msg_id, []).append(digest(queue, fields, message.data))
    return found


def of_rows(rows: Iterable[Mapping[str, Any]]) -> dict[bytes, list[str]]:
    """Return the digests of puts of a flow on Spark by the MsgId of their input."""
    found: dict[bytes, list[str]] = {}
    for row in rows:
        fields = {name: bytes(row[name]) if isinstance(row[name], bytearray) else row[name] for name in FIELDS}
        key = bytes(row["input_msg_id"])
        found.setdefault(key, []).append(digest(row["queue"], fields, bytes(row["data"])))
    return found


def merged(*parts: dict[bytes, list[str]]) -> dict[bytes, list[str]]:
    """Return the digests of several queues, sorted for each input."""
    found: dict[bytes, list[str]] = {}
    for part in parts:
        for key, digests in part.items():
            found.setdefault(key, []).extend(digests)
    return {key: sorted(digests) for key, digests in found.items()}


def difference(spark: dict[bytes, list[str]], broker: dict[bytes, list[str]]) -> str:
    """Return which inputs have other outputs on Spark than in the broker; empty if none has."""
    different = [key for key in spark.keys() | broker.keys() if spark.get(key) != broker.get(key)]
    if not different:
        return ""
    first = min(different)
    return f"{len(different)} of {len(spark.keys() | broker.keys())} inputs differ, the first is {first!r}"
