"""Options and descriptors of gets and browses, for the sync and the asyncio API. Compiled.

Arguments come as the application gave them, and are checked here, one by one, so that an error names the argument.
"""

from __future__ import annotations

from typing import Final

from flintmq.client.message import Message, identifier, wait_interval
from flintmq.mqi.call_errors import Truncated
from flintmq.mqi.constants import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_BROWSE_NEXT,
    MQGMO_CONVERT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_PROPERTIES,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_NO_READ_AHEAD,
    MQOO_READ_AHEAD,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD

#: MQGMO with a MsgToken.
_WITH_TOKEN: Final = 3
_TOKEN_LENGTH: Final = 16


def get_options(wait: object, convert: object, truncate: object) -> MQGMO:
    """Return the options of a get; the connection adds the syncpoint option."""
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
    """Return the descriptor of a get, with the ids to match."""
    md = MQMD()
    if correlation_id is not None:
        md.correl_id = identifier(correlation_id, "correlation_id")
    if message_id is not None:
        md.msg_id = identifier(message_id, "message_id")
    return md


def browse_options(wait: object, max_length: int) -> MQGMO:
    """Return the options of a browse that returns message tokens; cut to `max_length` unless that is -1."""
    gmo = get_options(wait, False, max_length >= 0)
    gmo.options |= MQGMO_BROWSE_NEXT
    if max_length >= 0:
        gmo.options |= MQGMO_NO_PROPERTIES
    gmo.version = _WITH_TOKEN
    return gmo


def want_token(gmo: MQGMO, token: object) -> None:
    """Match the message with this token."""
    if not isinstance(token, bytes) or len(token) != _TOKEN_LENGTH:
        raise ValueError(f"token is that of a message that was browsed, {_TOKEN_LENGTH} bytes, not {token!r}")
    gmo.version = _WITH_TOKEN
    gmo.match_options = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID | MQMO_MATCH_MSG_TOKEN
    gmo.msg_token = token


def ahead_option(read_ahead: object) -> int:
    """Return the read-ahead option of an open. None leaves it to the queue (DEFREADA)."""
    if read_ahead is None:
        return 0
    return MQOO_READ_AHEAD if read_ahead else MQOO_NO_READ_AHEAD


def cut(error: Truncated, md: MQMD, name: str) -> Message:
    """Return a message with only the beginning of its data."""
    message = Message(error.data, md, name)
    message.length = error.data_length
    return message


def count_wanted(count: object, what: str) -> int:
    """Return a number of messages or tasks that is at least 1."""
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"{what} is an int, not {type(count).__name__}")
    if count < 1:
        raise ValueError(f"{what} is at least 1, not {count}")
    return count
