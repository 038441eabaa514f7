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

from flintmq.mqi.content_filter import FILTER_QUEUE, Route, route_of
from flintmq.selector import SelectorError, compile_selector


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
