"""Bodies of `Queue.put` and `Queue.get`: from the arguments of the public API to the call of a connection. Compiled.

The public methods have the types that applications see, and pass everything on as it was given. Arguments are checked
here, one by one, so that an error names the argument. `_put` and `_get` of the connection do the rest, in this process
or over a channel.
"""

from __future__ import annotations

from typing import Any, Final

from flintmq.client.message import (
    Message,
    delay_ms,
    descriptor,
    identifier,
    length_wanted,
    payload,
    properties_of_put,
    selection,
    wait_interval,
)
from flintmq.mqi.constants import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_CONVERT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_NO_READ_AHEAD,
    MQOO_READ_AHEAD,
    MQPMO_ASYNC_RESPONSE,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD

#: MQGMO with a MsgToken.
WITH_TOKEN: Final = 3
_TOKEN_LENGTH: Final = 16


def put_message(
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
    owner._current()._put(name, md, payload(data, md), syncpoint, made, options, delay_ms(delay))
    return md.msg_id


def get_message(
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
    message: Message = owner._current()._get(name, md, gmo, length, requeue_poison, syncpoint, selector, ahead)
    return message


def get_options(wait: object, convert: object, truncate: object) -> MQGMO:
    """The options of a get; whether it is in a unit of work is added by the connection."""
    gmo = MQGMO()
    options = MQGMO_FAIL_IF_QUIESCING
    interval = wait_interval(wait)
    if interval:
        options |= MQGMO_WAIT
        gmo.wait_interval = interval
    if convert:
        options |= MQGMO_CONVERT
    if truncate:
        options |= MQGMO_ACCEPT_TRUNCATED_MSG
    gmo.options = options
    return gmo


def wanted(correlation_id: object, message_id: object) -> MQMD:
    """The descriptor of a get: which message is wanted."""
    md = MQMD()
    if correlation_id is not None:
        md.correl_id = identifier(correlation_id, "correlation_id")
    if message_id is not None:
        md.msg_id = identifier(message_id, "message_id")
    return md


def want_token(gmo: MQGMO, token: object) -> None:
    """Look for the message that has this token."""
    if not isinstance(token, bytes) or len(token) != _TOKEN_LENGTH:
        raise ValueError(f"token is that of a message that was browsed, {_TOKEN_LENGTH} bytes, not {token!r}")
    gmo.version = WITH_TOKEN
    gmo.match_options = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID | MQMO_MATCH_MSG_TOKEN
    gmo.msg_token = token


def ahead_option(read_ahead: object) -> int:
    """What is added to the options of an open: None leaves it to the queue (DEFREADA)."""
    if read_ahead is None:
        return 0
    return MQOO_READ_AHEAD if read_ahead else MQOO_NO_READ_AHEAD
