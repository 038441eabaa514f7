"""Content filters of the queued interface: the queue manager matches topics, a message broker reads the messages.

A filter that names parts of the body (`Body.Trade.Qty > 1000`) needs a parser of the message, which the queue manager
does not have. If a broker has defined FILTER_QUEUE, a command with such a filter goes there instead of being refused:

    command       RegSub, DeregSub, ReqUpdate as they came, with the context of their author. The broker checks
                  the filter and answers 3150 if it is wrong; otherwise it puts the command back, with the folder
                  CHECKED beside psc
    publication   a copy for a subscription with such a filter, with the psc folder that it would have, but SubUserData
                  holds a `Route`. The broker sends it on if the filter holds

One queue for both, so that a publication that was made before DeregSub is sent on before it is carried out. A route is
JSON with magic and version; it is the user data of the subscription, whose destination is FILTER_QUEUE.
"""

from __future__ import annotations

import json
from typing import Final

from flintmq.selector import SelectorError, compile_selector

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


def route_to(dest_queue: str, user_data: str) -> Route | None:
    """Return the route of a subscription with that destination and user data; None if its filter is no broker's."""
    return route_of(user_data) if dest_queue == FILTER_QUEUE else None


def needs_broker(filter: str) -> bool:
    """Return whether a filter is none that the queue manager can evaluate itself."""
    if not filter:
        return False
    try:
        compile_selector(filter)
    except SelectorError:
        return True
    return False
