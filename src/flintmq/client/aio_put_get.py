"""Asyncio bodies of `AsyncQueue.put` and `AsyncQueue.get`, from arguments of the public API to the connection.

The public methods have the types that applications see, and pass their arguments on unchanged. `_put` and `_get` of
the connection do the rest, in this process or over a channel. put_get.py has the bodies for threads.
"""

from __future__ import annotations

from typing import Any

from flintmq.client.message import (
    Message,
    delay_ms,
    descriptor,
    length_wanted,
    payload,
    properties_of_put,
    selection,
)
from flintmq.client.options import ahead_option, get_options, want_token, wanted
from flintmq.mqi.constants import MQPMO_ASYNC_RESPONSE


async def put_message(
    owner: Any,
    name: str,
    data: object,
    persistent: object,
    priority: object,
    correlation_id: object,
    message_id: object,
    reply_to: object,
    reply_to_queue_manager: object,
    expiry: object,
    delay: object,
    format: object,
    message_type: object,
    properties: Any,
    syncpoint: object,
    wait: object,
) -> bytes:
    """Put to the queue `name` by the connection that `owner` has for this call. Return the message id."""
    md = descriptor(
        persistent,
        priority,
        correlation_id,
        message_id,
        reply_to,
        reply_to_queue_manager,
        expiry,
        format,
        message_type,
    )
    made = properties_of_put(properties) if properties else None
    options = 0 if wait or delay else MQPMO_ASYNC_RESPONSE
    await owner._current()._put(name, md, payload(data, md), syncpoint, made, options, delay_ms(delay))
    return md.msg_id


async def get_message(
    owner: Any,
    name: str,
    wait: object,
    correlation_id: object,
    message_id: object,
    convert: object,
    max_length: object,
    truncate: object,
    requeue_poison: object,
    syncpoint: object,
    selector: object,
    token: object,
    read_ahead: object,
) -> Message:
    """Get from the queue `name` by the connection that `owner` has for this call."""
    md = wanted(correlation_id, message_id)
    gmo = get_options(wait, convert, truncate)
    length = length_wanted(max_length)
    if selector != "":
        selector = selection(selector)
    if token is not None:
        want_token(gmo, token)
    ahead = 0 if read_ahead is None else ahead_option(read_ahead)
    message: Message = await owner._current()._get(name, md, gmo, length, requeue_poison, syncpoint, selector, ahead)
    return message
