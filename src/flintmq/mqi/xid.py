"""XA of X/Open: return codes, flags, and an xid as bytes."""

from __future__ import annotations

import struct
from typing import Final

XA_OK: Final = 0
XA_RDONLY: Final = 3
XA_RETRY: Final = 4
XA_HEURMIX: Final = 5
XA_HEURRB: Final = 6
XA_HEURCOM: Final = 7
XA_HEURHAZ: Final = 8
XA_NOMIGRATE: Final = 9
XA_RBROLLBACK: Final = 100
XA_RBCOMMFAIL: Final = 101
XA_RBDEADLOCK: Final = 102
XA_RBINTEGRITY: Final = 103
XA_RBOTHER: Final = 104
XA_RBPROTO: Final = 105
XA_RBTIMEOUT: Final = 106
XA_RBTRANSIENT: Final = 107
XAER_ASYNC: Final = -2
XAER_RMERR: Final = -3
XAER_NOTA: Final = -4
XAER_INVAL: Final = -5
XAER_PROTO: Final = -6
XAER_RMFAIL: Final = -7
XAER_DUPID: Final = -8
XAER_OUTSIDE: Final = -9

TMNOFLAGS: Final = 0
TMJOIN: Final = 0x0020_0000
TMENDRSCAN: Final = 0x0080_0000
TMSTARTRSCAN: Final = 0x0100_0000
TMSUSPEND: Final = 0x0200_0000
TMSUCCESS: Final = 0x0400_0000
TMRESUME: Final = 0x0800_0000
TMNOWAIT: Final = 0x1000_0000
TMFAIL: Final = 0x2000_0000
TMONEPHASE: Final = 0x4000_0000
TMASYNC: Final = 0x8000_0000

MAXGTRIDSIZE: Final = 64
MAXBQUALSIZE: Final = 64
_XID = struct.Struct("<iBB")
_XID_SIZE: Final = 6
assert _XID.size == _XID_SIZE


class BadXid(ValueError):
    """An xid that X/Open does not allow: XAER_INVAL."""


def pack_xid(format_id: int, gtrid: bytes, bqual: bytes) -> bytes:
    """The bytes by which the queue manager knows a branch."""
    if not 1 <= len(gtrid) <= MAXGTRIDSIZE or len(bqual) > MAXBQUALSIZE or not -1 < format_id < 1 << 31:
        raise BadXid(f"an xid has a gtrid of 1 to 64 bytes and a bqual of up to 64, not {len(gtrid)} and {len(bqual)}")
    return _XID.pack(format_id, len(gtrid), len(bqual)) + gtrid + bqual


def unpack_xid(xid: bytes) -> tuple[int, bytes, bytes]:
    """(format id, gtrid, bqual). Raises BadXid."""
    if len(xid) < _XID_SIZE:
        raise BadXid(f"an xid has at least {_XID_SIZE} bytes, not {len(xid)}")
    format_id, gtrid_length, bqual_length = _XID.unpack_from(xid)
    if len(xid) != _XID_SIZE + gtrid_length + bqual_length or not 1 <= gtrid_length <= 64 or bqual_length > 64:
        raise BadXid(f"an xid of {len(xid)} bytes does not hold {gtrid_length} and {bqual_length}")
    return format_id, xid[_XID_SIZE : _XID_SIZE + gtrid_length], xid[_XID_SIZE + gtrid_length :]
