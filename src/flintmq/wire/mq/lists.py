"""Distribution lists as bytes: the records that stand behind MQOD and MQPMO, in calls and in replies alike.

    MQOD   RecsPresent MQOR at ObjectRecOffset, as many MQRR at ResponseRecOffset
    MQPMO  RecsPresent MQPMR at PutMsgRecOffset, as many MQRR at ResponseRecOffset; fields as PutMsgRecFields says

Offsets count from the beginning of the structure; 0 means that there are none, but of MQOR there must be some. In the
reply the records are where they were in the call. Records that do not fit the call are refused with the reason of their
kind, before any is read.
"""

from typing import Final

from flintmq.mqi.dh import MQPMR, put_message_record_size
from flintmq.mqi.errors import StructureError
from flintmq.mqi.object_record import MQOR
from flintmq.mqi.object_record import SIZE as OBJECT_SIZE
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_OBJECT_RECORDS_ERROR,
    MQRC_PUT_MSG_RECORDS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_RESPONSE_RECORDS_ERROR,
)
from flintmq.mqi.response_record import MQRR
from flintmq.mqi.response_record import SIZE as RESPONSE_SIZE
from flintmq.wire.mq.sizes import od_size

_MULTIPLE: Final = 4


def read_object_records(body: bytes, start: int, end: int, od: MQOD, big_endian: bool, ccsid: int) -> int:
    """Read the records of the MQOD at `start`, which ends at `end` without them. Return their end.

    Raises StructureError.
    """
    count = od.recs_present
    if od.version < 2 or count == 0:
        return end
    if count < 0:
        raise StructureError(f"MQOD has {count} records", MQRC_RECS_PRESENT_ERROR)
    at = start + od.object_rec_offset
    end = _room(body, end, at, count * OBJECT_SIZE, MQRC_OBJECT_RECORDS_ERROR)
    od.object_records = [MQOR.unpack(body, at + i * OBJECT_SIZE, big_endian, ccsid) for i in range(count)]
    if od.response_rec_offset:
        at = start + od.response_rec_offset
        end = _room(body, end, at, count * RESPONSE_SIZE, MQRC_RESPONSE_RECORDS_ERROR)
        od.response_records = [MQRR.unpack(body, at + i * RESPONSE_SIZE, big_endian) for i in range(count)]
    return end


def read_put_records(body: bytes, start: int, end: int, pmo: MQPMO, big_endian: bool) -> int:
    """Read the records of the MQPMO at `start`, which ends at `end` without them. Return their end.

    Raises StructureError.
    """
    count = pmo.recs_present
    if pmo.version < 2 or count == 0:
        return end
    if count < 0:
        raise StructureError(f"MQPMO has {count} records", MQRC_RECS_PRESENT_ERROR)
    size = put_message_record_size(pmo.put_msg_rec_fields)
    if pmo.put_msg_rec_offset and size:
        at = start + pmo.put_msg_rec_offset
        end = _room(body, end, at, count * size, MQRC_PUT_MSG_RECORDS_ERROR)
        fields = pmo.put_msg_rec_fields
        pmo.put_msg_records = [MQPMR.unpack(body, fields, at + i * size, big_endian) for i in range(count)]
    if pmo.response_rec_offset:
        at = start + pmo.response_rec_offset
        end = _room(body, end, at, count * RESPONSE_SIZE, MQRC_RESPONSE_RECORDS_ERROR)
        pmo.response_records = [MQRR.unpack(body, at + i * RESPONSE_SIZE, big_endian) for i in range(count)]
    return end


def _room(body: bytes, end: int, at: int, length: int, reason: int) -> int:
    """Return the end of the records, with the bytes before them. Raises StructureError."""
    if at < end or at % _MULTIPLE or at + length > len(body):
        raise StructureError(f"records of {length} bytes at {at} are not in the {len(body)} bytes of a call", reason)
    return at + length


def write_object_records(packed: bytes, od: MQOD, big_endian: bool, ccsid: int) -> bytes:
    """Pack an MQOD with its records."""
    if od.object_records is not None:
        records = [each.pack(big_endian, ccsid) for each in od.object_records]
        packed = packed.ljust(od.object_rec_offset, b"\0") + b"".join(records)
    if od.response_records is not None:
        packed = packed.ljust(od.response_rec_offset, b"\0") + _responses(od.response_records, big_endian)
    return packed


def write_put_records(packed: bytes, pmo: MQPMO, big_endian: bool) -> bytes:
    """Pack an MQPMO with its records."""
    if pmo.put_msg_records is not None:
        records = [each.pack(pmo.put_msg_rec_fields, big_endian) for each in pmo.put_msg_records]
        packed = packed.ljust(pmo.put_msg_rec_offset, b"\0") + b"".join(records)
    if pmo.response_records is not None and pmo.response_rec_offset:
        packed = packed.ljust(pmo.response_rec_offset, b"\0") + _responses(pmo.response_records, big_endian)
    return packed


def _responses(records: list[MQRR], big_endian: bool) -> bytes:
    return b"".join([each.pack(big_endian) for each in records])


def od_end(body: bytes, offset: int, od: MQOD, big_endian: bool, ccsid: int = 1208) -> int:
    """Read the records of the descriptor at `offset` and return its end, after its strings and records."""
    end = offset + od_size(body, offset, od.version, big_endian)
    return read_object_records(body, offset, end, od, big_endian, ccsid) if od.recs_present else end
