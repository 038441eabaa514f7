"""An xid on the wire: the layout stands in xa_calls.py."""

from __future__ import annotations

from typing import Final

from flintmq.wire.mq.calls import read_long, write_long
from flintmq.wire.mq.errors import STATUS_PROTOCOL_LENGTH, ChannelError

_XID_HEAD: Final = 6
XIDS_MAX: Final = 1000


def read_xid(body: bytes, offset: int, big_endian: bool) -> bytes:
    """Unpack the xid at `offset` to the engine's form. Raises ChannelError."""
    if len(body) < offset + _XID_HEAD:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"an XA call of {len(body)} bytes has no xid")
    length = _XID_HEAD + body[offset + 4] + body[offset + 5]
    if len(body) < offset + length:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"an XA call of {len(body)} bytes has no room for its xid")
    return write_long(read_long(body, offset, big_endian), False) + body[offset + 4 : offset + length]


def write_xid(xid: bytes, big_endian: bool) -> bytes:
    """Pack an xid of the engine."""
    raw = write_long(read_long(xid, 0, False), big_endian) + xid[4:]
    return raw + bytes(-len(raw) % 4)
