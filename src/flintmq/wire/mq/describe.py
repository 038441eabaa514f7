"""A segment in words, for readers of traffic (`flint wire`), and a copy of it without its password.

    TSHM MQOPEN_REPLY     340 first last      conversation 3, request 7, little, ccsid 819: handle 2, 288 bytes

Beside the header the line has the terms of INITIAL_DATA, completion, reason and handle of a call, and indexes and
lengths of segments that push messages. An unreadable segment is described up to the error.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.reason import reason_name
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import stream
from flintmq.wire.mq.calls import API_SIZE, read_longs
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.initial_data import LIST_END, InitialData
from flintmq.wire.mq.segment import Segment

_NAMES: Final = {
    0x01: "INITIAL_DATA",
    0x02: "RESYNC_DATA",
    0x03: "RESET_DATA",
    0x04: "MESSAGE_DATA",
    0x05: "STATUS_DATA",
    0x06: "SECURITY_DATA",
    0x07: "PING_DATA",
    0x08: "USERID_DATA",
    0x09: "HEARTBEAT",
    0x0A: "CONAUTH_INFO",
    0x0B: "RENEGOTIATE_DATA",
    0x0C: "SOCKET_ACTION",
    0x0D: "ASYNC_MESSAGE",
    0x0E: "REQUEST_MSGS",
    0x0F: "NOTIFICATION",
    0x81: "MQCONN",
    0x82: "MQDISC",
    0x83: "MQOPEN",
    0x84: "MQCLOSE",
    0x85: "MQGET",
    0x86: "MQPUT",
    0x87: "MQPUT1",
    0x88: "MQSET",
    0x89: "MQINQ",
    0x8A: "MQCMIT",
    0x8B: "MQBACK",
    0x8C: "SPI",
    0x8D: "MQSTAT",
    0x8E: "MQSUB",
    0x8F: "MQSUBRQ",
    0xA1: "XA_START",
    0xA2: "XA_END",
    0xA3: "XA_OPEN",
    0xA4: "XA_CLOSE",
    0xA5: "XA_PREPARE",
    0xA6: "XA_COMMIT",
    0xA7: "XA_ROLLBACK",
    0xA8: "XA_FORGET",
    0xA9: "XA_RECOVER",
    0xAA: "XA_COMPLETE",
}
_FLAGS_1: Final = {
    0x01: "confirm",
    0x02: "error",
    0x04: "request-close",
    0x08: "close",
    0x10: "first",
    0x20: "last",
    0x40: "accepted",
    0x80: "dlq",
}
_FLAGS_2: Final = {0x01: "header-compressed", 0x02: "message-compressed", 0x04: "csh", 0x08: "commit-interval"}
_NOTIFICATIONS: Final = {
    stream.NOTIFY_GET_INHIBITED: "GET_INHIBITED",
    stream.NOTIFY_GET_ALLOWED: "GET_ALLOWED",
    stream.NOTIFY_CONN_STATE: "CONN_STATE",
    stream.NOTIFY_CONN_STATE_REPLY: "CONN_STATE_REPLY",
    stream.NOTIFY_Q_STATE: "Q_STATE",
    stream.NOTIFY_Q_STATE_REPLY: "Q_STATE_REPLY",
    stream.NOTIFY_QM_QUIESCING: "QM_QUIESCING",
    stream.NOTIFY_TXN_ALLOWED: "TXN_ALLOWED",
    stream.NOTIFY_TXN_REVOKE: "TXN_REVOKE",
    stream.NOTIFY_TXN_REVOKE_REPLY: "TXN_REVOKE_REPLY",
    stream.NOTIFY_CHECK_MSG: "CHECK_MSG",
    stream.NOTIFY_BROWSE_FIRST: "BROWSE_FIRST",
    stream.NOTIFY_MESSAGE_TOO_LARGE: "MESSAGE_TOO_LARGE",
    stream.NOTIFY_STREAMING_FAILURE: "STREAMING_FAILURE",
    stream.NOTIFY_CLIENT_ASYNC_EMPTY: "CLIENT_ASYNC_EMPTY",
    stream.NOTIFY_STREAMING_TXN_PAUSED: "STREAMING_TXN_PAUSED",
    stream.NOTIFY_RECONNECTION_COMPLETE: "RECONNECTION_COMPLETE",
}
#: Where the password is in USERID_DATA, and where the lengths are in CONAUTH_INFO.
_UID_PASSWORD: Final = (16, 28)
_CAUT_FIXED: Final = 24
_MASK: Final = b"*"


def name_of(kind: int) -> str:
    """Return the name of a segment type: MQOPEN, MQOPEN_REPLY, or the number."""
    name = _NAMES.get(kind)
    if name is not None:
        return name
    asked = _NAMES.get(kind - seg.REPLY)
    return f"{asked}_REPLY" if asked is not None and kind - seg.REPLY >= seg.MQCONN else f"type {kind:#04x}"


def describe(segment: Segment) -> str:
    """Describe a segment in one line."""
    flags = _words(segment.flags, _FLAGS_1) + _words(segment.flags_2, _FLAGS_2)
    order = "big" if segment.big_endian else "little"
    header = seg.SIZE_M if segment.struc_id == seg.TSHM else seg.SIZE
    line = f"{segment.struc_id.decode()} {name_of(segment.kind):18} {header + len(segment.body):6} "
    line += f"{' '.join(flags) or '-':22}"
    if segment.struc_id == seg.TSHM:
        line += f" conversation {segment.conversation}, request {segment.request},"
    line += f" {order}, ccsid {segment.ccsid}"
    told = _told(segment)
    return f"{line}: {told}" if told else line


def _words(value: int, names: dict[int, str]) -> list[str]:
    return [name for bit, name in names.items() if value & bit]


def _told(segment: Segment) -> str:
    """Describe the content of a segment."""
    if segment.flags_2 & 0x03:
        return "compressed"
    try:
        if segment.kind == seg.INITIAL_DATA:
            return _offer(InitialData.unpack(segment.body, segment.big_endian, segment.ccsid))
        if segment.kind == seg.STATUS_DATA:
            return f"code {read_longs(segment.body, 4, 1, segment.big_endian)[0]}"
        if segment.kind == seg.SOCKET_ACTION:
            number, _, action, _, _ = read_longs(segment.body, 0, 5, segment.big_endian)
            return f"action {action} for conversation {number}"
        if segment.kind == seg.NOTIFICATION:
            _, handle, code, value = read_longs(segment.body, 0, 4, segment.big_endian)
            return f"{_NOTIFICATIONS.get(code, str(code))}, handle {handle}, value {value}"
        if segment.kind == seg.REQUEST_MSGS:
            numbers = read_longs(segment.body, 0, 10, segment.big_endian)
            _, handle, received, wanted, length, options, wait, _, flags, index = numbers
            had = f"had {received} up to message {index}, wants {wanted} bytes, each at most {length}"
            return f"handle {handle}, flags {flags:#x}, {had}, options {options:#x}, wait {wait} ms"
        if segment.kind == seg.ASYNC_MESSAGE:
            _, handle, index, _, length, place = read_longs(segment.body, 0, 6, segment.big_endian)
            part = place >> 16 if segment.big_endian else place & 0xFFFF
            return f"handle {handle}, message {index}, part {part} of {length} bytes"
        if segment.kind >= seg.MQCONN and segment.flags & seg.FIRST:
            completion, reason, handle = read_longs(segment.body, 4, 3, segment.big_endian)
            said = f"handle {handle}, {len(segment.body) - API_SIZE} bytes"
            return f"completion {completion}, reason {reason} {reason_name(reason)}, {said}" if reason else said
    except ChannelError as error:
        return f"unreadable: {error}"
    return ""


def _offer(data: InitialData) -> str:
    headers = ",".join(str(each) for each in data.header_compression if each != LIST_END)
    messages = ",".join(str(each) for each in data.message_compression if each != LIST_END)
    return (
        f"level {data.fap_level}, channel {data.channel_name}, queue manager {data.q_mgr_name or '-'}, "
        f"capabilities {data.cap_flags_1:#x} {data.cap_flags_2:#x} {data.cap_flags_3:#x}, "
        f"refused {data.err_cap_flags_1:#x} {data.err_cap_flags_2:#x} {data.err_cap_flags_3:#x} "
        f"{data.init_err_flags_1:#x} {data.init_err_flags_2:#x}, "
        f"segments {data.max_transmission_size}, messages {data.max_message_size}, "
        f"heartbeat {data.heartbeat_interval}, sharing {data.conversations_per_socket}, "
        f"compression {headers} {messages}, product {data.product_id}"
    )


def masked(raw: bytes, segment: Segment) -> bytes:
    """Return the bytes of a segment as they may be written to a file: asterisks replace a password."""
    if segment.kind != seg.USERID_DATA and segment.kind != seg.CONAUTH_INFO:
        return raw
    header = len(raw) - len(segment.body)
    if segment.kind == seg.USERID_DATA:
        start, end = header + _UID_PASSWORD[0], header + _UID_PASSWORD[1]
    else:
        start, end = header + _CAUT_FIXED, len(raw)  # The user too: where the two part is for the peer to say.
    end = min(end, len(raw))
    return raw[:start] + _MASK * max(0, end - start) + raw[end:]
