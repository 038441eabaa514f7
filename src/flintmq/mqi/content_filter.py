"""Route of a publication through the content filters of a message broker: JSON with magic and version.

The queue manager writes a `Route` as the user data of a subscription whose destination is FILTER_QUEUE
(qmgr/content_filter.py); the broker reads it and sends the publication on if the filter holds.
"""

from __future__ import annotations

import json
from typing import Final

FILTER_QUEUE: Final = "SYSTEM.BROKER.CONTENT.FILTER"
#: The folder of a command whose filter the broker has checked.
CHECKED: Final = "<flintmq><Filter>checked</Filter></flintmq>"
CHECKED_NAME: Final = "flintmq"
ROUTE_VERSION: Final = 1
_MAGIC: Final = '{"content_filter":'


class Route:
    """Destination and filter of a copy."""

    def __init__(self, filter: str, queue: str, q_mgr: str, user_data: str) -> None:
        self.filter = filter
        self.queue = queue
        self.q_mgr = q_mgr
        self.user_data = user_data

    def packed(self) -> str:
        """Return the route as text."""
        fields = {
            "content_filter": ROUTE_VERSION,
            "filter": self.filter,
            "queue": self.queue,
            "q_mgr": self.q_mgr,
            "user_data": self.user_data,
        }
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def route_of(text: str) -> Route | None:
    """Return the route in the user data of a subscription; None if it is no route."""
    if not text.startswith(_MAGIC):
        return None
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("content_filter") != ROUTE_VERSION:
        return None
    values: list[str] = []
    for name in ("filter", "queue", "q_mgr", "user_data"):
        value: object = content.get(name)
        if not isinstance(value, str):
            return None
        values.append(value)
    return Route(values[0], values[1], values[2], values[3])
