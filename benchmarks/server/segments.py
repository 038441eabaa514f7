"""The segments that the load of `bench wire` sends: made once with the codecs of the tree, then sent as they are.

What a client waits for is long enough to be told apart by its length alone, which every segment has at offset 4:

    offset in TSH  what                                       in
          28 + 16  MQMD, first of the structures              MQPUT, MQGET, their replies
               92  MsgId, 24 bytes                            of the message that was put or got
              116  CorrelId, 24 bytes                         likewise
"""

from __future__ import annotations

import struct

from flintmq.mqi.constants import (
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMT_DATAGRAM,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import stream
from flintmq.wire.mq.initial_data import InitialData

CCSID = 1208
#: How much a client keeps ahead of its consumer, and after how much used it asks for more: 100 KB and a fifth.
AHEAD_BYTES = 100 * 1024
AGAIN_BYTES = AHEAD_BYTES // 5
#: Data of a message whose length is given is sliced out of this.
_DATA = bytes(range(256)) * 4096


class Dialect:
    """Headers of one kind of socket: shared by conversations or not. Little-endian, UTF-8."""

    def __init__(self, shared: bool) -> None:
        self.shared = shared
        self.size = seg.SIZE_M if shared else seg.SIZE
        #: Where the ids are in an MQPUT, an MQGET and their replies.
        self.msg_id = self.size + 16 + 48
        self.correl_id = self.msg_id + 24
        #: Where they are in an ASYNC_MESSAGE, behind a queue name of this length.
        self.first = self.size + stream.PREFIX + 31

    def segment(self, kind: int, body: bytes, flags: int = seg.ONLY) -> bytes:
        """One segment."""
        ending = seg.tail(False, CCSID)
        if self.shared:
            return seg.write_m(kind, flags, 1, 1, False, ending, body)
        return seg.write(kind, flags, False, ending, body)

    def call(self, kind: int, body: bytes, handle: int = 0) -> bytes:
        """A call of the MQI."""
        return self.segment(kind, struct.pack(">I", 44 + len(body)) + struct.pack("<iii", 0, 0, handle) + body)

    def pushed_msg_id(self, queue: str) -> int:
        """Where the message id is in an ASYNC_MESSAGE from `queue`."""
        return self.first + len(queue) + -(3 + len(queue)) % 4 + 48


def initial_data(channel: str, sharing: int, answer: InitialData | None = None) -> bytes:
    """INITIAL_DATA: what the client would like, or what it was answered."""
    offer = InitialData()
    offer.fap_level = 12
    offer.cap_flags_1, offer.cap_flags_2, offer.cap_flags_3 = 0x26, 0x51, 0x20
    offer.max_transmission_size, offer.max_message_size = 32748, 4 * 1024 * 1024
    offer.heartbeat_interval = 300
    offer.conversations_per_socket = sharing
    offer.channel_name = channel
    offer.ccsid = CCSID
    offer.product_id = "MQCC09040000"
    if answer is not None:
        offer.max_message_size = answer.max_message_size
        offer.heartbeat_interval = answer.heartbeat_interval
        offer.conversations_per_socket = answer.conversations_per_socket
    return seg.write(seg.INITIAL_DATA, 0x31, False, seg.tail(False, CCSID), offer.pack(False, CCSID))


def user(name: str) -> bytes:
    """What follows the header of USERID_DATA."""
    return b"UID " + name.ljust(12).encode() + b" " * 12 + name.ljust(64).encode() + bytes(40)


def connect() -> bytes:
    """What follows the call header of MQCONN."""
    return bytes(48).replace(b"\0", b" ") + b"bench".ljust(28) + struct.pack("<i", 28) + bytes(32) + bytes(8)


def opening(queue: str, options: int) -> bytes:
    """What follows the call header of MQOPEN."""
    od = MQOD()
    od.object_name = queue
    return od.pack(False, CCSID) + struct.pack("<i", options)


def put(
    size: int,
    msg_type: int = MQMT_DATAGRAM,
    reply_to: str = "",
    asynchronous: bool = False,
    persistent: bool = False,
) -> bytes:
    """What follows the call header of MQPUT: not in syncpoint."""
    md, pmo = MQMD(), MQPMO()
    md.version = 2
    md.msg_type = msg_type
    md.format = "MQSTR"
    md.persistence = 1 if persistent else 0
    md.reply_to_q = reply_to
    pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID | MQPMO_FAIL_IF_QUIESCING
    if asynchronous:
        pmo.options |= MQPMO_ASYNC_RESPONSE
    return md.pack(False, CCSID) + pmo.pack(False, CCSID) + struct.pack("<i", size) + _DATA[:size]


def get(size: int, by_correl_id: bool) -> bytes:
    """What follows the call header of MQGET, which waits."""
    md, gmo = MQMD(), MQGMO()
    md.version = 2
    gmo.version = 2
    gmo.options = MQGMO_NO_SYNCPOINT | MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING
    gmo.wait_interval = -1
    gmo.match_options = MQMO_MATCH_CORREL_ID if by_correl_id else 0
    return md.pack(False, CCSID) + gmo.pack(False, CCSID) + struct.pack("<i", size)


def consume(handle: int, used: int, first: bool) -> bytes:
    """What follows the header of REQUEST_MSGS of a consumer that has used so many bytes."""
    flags = stream.REQUEST_CONSUMER | (stream.REQUEST_SELECTION if first else 0)
    options = MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING
    body = struct.pack("<10i", 1, handle, used, AHEAD_BYTES, -1, options, -1, 0, flags, 0)
    if first:
        body += struct.pack("<HH5i", 1, 2, CCSID, 546, 1, 0, 0)
    return body


def started() -> bytes:
    """What follows the header of the NOTIFICATION that consumers are started."""
    return struct.pack("<4i", 1, 0, stream.NOTIFY_CONN_STATE, 2)
