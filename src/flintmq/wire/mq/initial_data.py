"""INITIAL_DATA: the terms that each side offers, and those that both agree on.

    offset  field                   type       value
         0  StrucId                 char 4     "ID  "
         4  FapLevel                uint8      version of the protocol
         5  CapFlags1               uint8      CAP1_*
         6  ErrCapFlags1            uint8      those the other side offered and we refuse
         7  InitErrFlags1           uint8      ERR1_*: values the other side offered and we refuse
         8  Reserved                uint16
        10  MaxMsgsPerBatch         uint16     of message channels
        12  MaxTransmissionSize     uint32     longest segment
        16  MaxMessageSize          uint32
        20  SeqNumberWrap           uint32     of message channels
        24  ChannelName             char 20    44 bytes: up to level 3
        44  CapFlags2               uint8      CAP2_*
        45  ErrCapFlags2            uint8
        46  CCSID                   uint16     of the sender
        48  QMgrName                char 48    wanted by the client; name of the server
        96  HeartbeatInterval       uint32     seconds
       100  EFLLength               uint16     what follows here
       102  InitErrFlags2           uint8      102 bytes are enough up to level 8
       103  Reserved1               uint8
       104  HdrCompressionList      uint8 x 2  255 ends it
       106  MsgCompressionList      uint8 x 16 255 ends it
       122  Reserved2               uint16
       124  SSLKeyResetCount        uint32
       128  ConversationsPerSocket  uint32     SHARECNV
       132  CapFlags3               uint8
       133  ErrCapFlags3            uint8
       134  Reserved3               uint16
       136  ProcessId               uint32
       140  ThreadId                uint32
       144  TraceId                 uint32
       148  ProductId               char 12    "MQMM09010200": product, version
       160  QMgrId                  char 48    208 bytes: up to level 10
       208  ProtectionAlgorithms    uint16 x 10  for passwords; 65535 ends it
       228  Random                  byte 12    240 bytes

A shorter structure is read as if the rest were zero; bytes behind the known fields are ignored.
"""

import struct
from typing import Final

from flintmq.mqi.fields import read_text, write_text
from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError

#: The channel of clients of the same machine, which needs no definition.
LOCAL_CHANNEL: Final = "LOCAL.BINDINGS"

SIZE: Final[int] = 240
SIZE_MIN: Final[int] = 44

CAP1_CONVERSION: Final = 0x02
CAP1_SPLIT_MESSAGE: Final = 0x04
CAP1_MQREQUEST: Final = 0x20
CAP2_DIST_LIST: Final = 0x01
CAP2_XAREQUEST: Final = 0x10
CAP2_SPIREQUEST: Final = 0x40
#: The one bit of CapFlags3 that a client drops when it is refused. It keeps the others, and takes it well if we do not
#: have them.
CAP3_MULTIPLEX_SYNCGET: Final = 0x08

ERR1_CCSID: Final = 0x01
ERR1_TRANSMISSION_SIZE: Final = 0x04
ERR1_FAP_LEVEL: Final = 0x08
ERR1_MESSAGE_SIZE: Final = 0x10
ERR1_BATCH: Final = 0x20
ERR1_HEARTBEAT: Final = 0x80
ERR2_HEADER_COMPRESSION: Final = 0x01
ERR2_MESSAGE_COMPRESSION: Final = 0x02

LIST_END: Final = 0xFF
NO_HEADER_COMPRESSION: Final[bytes] = b"\x00\xff"
NO_MESSAGE_COMPRESSION: Final[bytes] = b"\x00" + b"\xff" * 15
#: One entry, 0 (none), then the end.
NO_PROTECTION: Final = (0,) + (0xFFFF,) * 9

_FIELDS: Final = "4s BBBB HHIII 20s BBH 48s IHBB 2s 16s HII BBH III 12s 48s 20s 12s"
_BIG: Final = struct.Struct(">" + _FIELDS)
_LITTLE: Final = struct.Struct("<" + _FIELDS)
_LIST_BIG: Final = struct.Struct(">10H")
_LIST_LITTLE: Final = struct.Struct("<10H")
#: EFLLength counts from here.
_EXTENDED: Final = 102
assert _BIG.size == _LITTLE.size == SIZE


class InitialData:
    """The offer or answer of one side."""

    fap_level: int = 0
    cap_flags_1: int = 0
    err_cap_flags_1: int = 0
    init_err_flags_1: int = 0
    max_msgs_per_batch: int = 0
    max_transmission_size: int = 0
    max_message_size: int = 0
    seq_number_wrap: int = 0
    channel_name: str = ""
    cap_flags_2: int = 0
    err_cap_flags_2: int = 0
    ccsid: int = 0
    q_mgr_name: str = ""
    heartbeat_interval: int = 0
    init_err_flags_2: int = 0
    header_compression: bytes = NO_HEADER_COMPRESSION
    message_compression: bytes = NO_MESSAGE_COMPRESSION
    ssl_key_reset_count: int = 0
    conversations_per_socket: int = 0
    cap_flags_3: int = 0
    err_cap_flags_3: int = 0
    process_id: int = 0
    thread_id: int = 0
    trace_id: int = 0
    product_id: str = ""
    q_mgr_id: str = ""
    random: bytes = bytes(12)

    def __init__(self) -> None:
        self.protection: tuple[int, ...] = NO_PROTECTION

    def refuses(self) -> bool:
        """Return whether any term of the other side is refused."""
        return bool(
            self.err_cap_flags_1
            | self.err_cap_flags_2
            | self.err_cap_flags_3
            | self.init_err_flags_1
            | self.init_err_flags_2
        )

    def pack(self, big_endian: bool, ccsid: int, size: int = SIZE) -> bytes:
        """Pack the structure, cut to `size` bytes for a peer of an older level."""
        raw = (_BIG if big_endian else _LITTLE).pack(
            write_text("ID", 4, ccsid, 0, "StrucId"),
            self.fap_level,
            self.cap_flags_1,
            self.err_cap_flags_1,
            self.init_err_flags_1,
            0,
            self.max_msgs_per_batch,
            self.max_transmission_size,
            self.max_message_size,
            self.seq_number_wrap,
            write_text(self.channel_name, 20, ccsid, 0, "ChannelName"),
            self.cap_flags_2,
            self.err_cap_flags_2,
            self.ccsid,
            write_text(self.q_mgr_name, 48, ccsid, 0, "QMgrName"),
            self.heartbeat_interval,
            max(0, size - _EXTENDED),
            self.init_err_flags_2,
            0,
            self.header_compression,
            self.message_compression,
            0,
            self.ssl_key_reset_count,
            self.conversations_per_socket,
            self.cap_flags_3,
            self.err_cap_flags_3,
            0,
            self.process_id,
            self.thread_id,
            self.trace_id,
            write_text(self.product_id, 12, ccsid, 0, "ProductId"),
            write_text(self.q_mgr_id, 48, ccsid, 0, "QMgrId"),
            (_LIST_BIG if big_endian else _LIST_LITTLE).pack(*self.protection),
            self.random,
        )
        return raw[:size]

    @staticmethod
    def unpack(body: bytes, big_endian: bool, ccsid: int) -> "InitialData":
        """Unpack the body of a segment. Raises ChannelError."""
        if len(body) < SIZE_MIN:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"INITIAL_DATA has {len(body)} bytes, not at least {SIZE_MIN}")
        if read_text(body[:4], ccsid) != "ID":
            raise ChannelError(STATUS_PROTOCOL_DATA, f"INITIAL_DATA begins with {body[:4]!r}")
        given = InitialData()
        whole = body[:SIZE] if len(body) >= SIZE else body.ljust(SIZE, b"\0")
        (
            _, given.fap_level, given.cap_flags_1, given.err_cap_flags_1, given.init_err_flags_1, _,
            given.max_msgs_per_batch, given.max_transmission_size, given.max_message_size, given.seq_number_wrap,
            channel_name, given.cap_flags_2, given.err_cap_flags_2, given.ccsid, q_mgr_name,
            given.heartbeat_interval, _, given.init_err_flags_2, _, given.header_compression,
            given.message_compression, _, given.ssl_key_reset_count, given.conversations_per_socket,
            given.cap_flags_3, given.err_cap_flags_3, _, given.process_id, given.thread_id, given.trace_id,
            product_id, q_mgr_id, protection, given.random,
        ) = (_BIG if big_endian else _LITTLE).unpack(whole)  # fmt: skip
        given.channel_name = read_text(channel_name, ccsid)
        given.q_mgr_name = read_text(q_mgr_name, ccsid)
        given.product_id = read_text(product_id, ccsid)
        given.q_mgr_id = read_text(q_mgr_id, ccsid)
        given.protection = (_LIST_BIG if big_endian else _LIST_LITTLE).unpack(protection)
        return given
