"""MQDH, the distribution header: the destinations of a distribution list, in front of the data on a transmission queue.

    offset  field            type    value
         0  StrucId          char 4  "DH  "
         4  Version          int32   1
         8  StrucLength      int32   this header with its records
        12  Encoding         int32   of the data after this header
        16  CodedCharSetId   int32   likewise
        20  Format           char 8  likewise
        28  Flags            int32   1: give each message a new MsgId
        32  PutMsgRecFields  int32   MQPMRF_*: which fields a put message record has
        36  RecsPresent      int32   how many records of each kind
        40  ObjectRecOffset  int32   from the start of this header
        44  PutMsgRecOffset  int32   likewise, 0 none; 48 bytes

    object record (MQOR)        ObjectName char 48, ObjectQMgrName char 48; 96 bytes
    put message record (MQPMR)  the chosen ones of MsgId byte 24 (1), CorrelId byte 24 (2), GroupId byte 24 (4),
                                Feedback int32 (8), AccountingToken byte 32 (16)

Format "MQHDIST". A structure that is not valid gives MQRC_DH_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_bytes, check_id, check_room, read_text, show, write_id, write_text
from flintmq.mqi.layout import check_version, layouts
from flintmq.mqi.md import NO_ACCOUNTING_TOKEN, NO_ID
from flintmq.mqi.reason import MQRC_DH_ERROR

SIZE: Final[int] = 48
OBJECT_RECORD_SIZE: Final = 96
RECORDS_MAX: Final = 1_000_000

STRUC_ID: Final[bytes] = b"DH  "
FIELDS: Final = ("version", "encoding", "coded_char_set_id", "format", "flags", "put_msg_rec_fields")
_MSG_ID: Final = 1
_CORREL_ID: Final = 2
_GROUP_ID: Final = 4
_FEEDBACK: Final = 8
_ACCOUNTING_TOKEN: Final = 16
_ALL_FIELDS: Final = 31

_BIG, _LITTLE = layouts("4s i i i i 8s i i i i i", SIZE)  # In the order of the table.


class MQPMR:
    """One put message record. Only the fields the header chooses are in its bytes."""

    __slots__ = ("msg_id", "correl_id", "group_id", "feedback", "accounting_token")

    def __init__(self) -> None:
        self.msg_id: bytes = NO_ID
        self.correl_id: bytes = NO_ID
        self.group_id: bytes = NO_ID
        self.feedback: int = 0
        self.accounting_token: bytes = NO_ACCOUNTING_TOKEN

    def pack(self, fields: int, big_endian: bool = False) -> bytes:
        """The bytes of the chosen fields."""
        parts = []
        if fields & _MSG_ID:
            parts.append(check_bytes(self.msg_id, 24, MQRC_DH_ERROR, "MQPMR MsgId"))
        if fields & _CORREL_ID:
            parts.append(check_bytes(self.correl_id, 24, MQRC_DH_ERROR, "MQPMR CorrelId"))
        if fields & _GROUP_ID:
            parts.append(check_bytes(self.group_id, 24, MQRC_DH_ERROR, "MQPMR GroupId"))
        if fields & _FEEDBACK:
            parts.append(self.feedback.to_bytes(4, "big" if big_endian else "little", signed=True))
        if fields & _ACCOUNTING_TOKEN:
            parts.append(check_bytes(self.accounting_token, 32, MQRC_DH_ERROR, "MQPMR AccountingToken"))
        return b"".join(parts)

    @staticmethod
    def unpack(data: bytes, fields: int, offset: int = 0, big_endian: bool = False) -> "MQPMR":
        """The record at `offset`."""
        check_room(data, offset, put_message_record_size(fields), MQRC_DH_ERROR, "MQPMR")
        record = MQPMR()
        if fields & _MSG_ID:
            record.msg_id = data[offset : offset + 24]
            offset += 24
        if fields & _CORREL_ID:
            record.correl_id = data[offset : offset + 24]
            offset += 24
        if fields & _GROUP_ID:
            record.group_id = data[offset : offset + 24]
            offset += 24
        if fields & _FEEDBACK:
            record.feedback = int.from_bytes(data[offset : offset + 4], "big" if big_endian else "little", signed=True)
            offset += 4
        if fields & _ACCOUNTING_TOKEN:
            record.accounting_token = data[offset : offset + 32]
        return record


class MQDH:
    """Distribution header. `objects` are pairs of queue and queue manager; `records` is empty or as long."""

    __slots__ = (*FIELDS, "objects", "records")

    def __init__(self) -> None:
        self.version: int = 1
        self.encoding: int = 0
        self.coded_char_set_id: int = 0
        self.format: str = ""
        self.flags: int = 0
        self.put_msg_rec_fields: int = 0
        self.objects: list[tuple[str, str]] = []
        self.records: list[MQPMR] = []

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The header with its records. Raises StructureError (MQRC_DH_ERROR)."""
        check_version(self.version, 1, MQRC_DH_ERROR, "MQDH")
        if self.records and len(self.records) != len(self.objects):
            raise StructureError(
                f"MQDH has {len(self.objects)} object records and {len(self.records)} put message records",
                MQRC_DH_ERROR,
            )
        objects = b"".join(
            [
                write_text(queue, 48, ccsid, MQRC_DH_ERROR, "MQOR ObjectName")
                + write_text(q_mgr, 48, ccsid, MQRC_DH_ERROR, "MQOR ObjectQMgrName")
                for queue, q_mgr in self.objects
            ]
        )
        try:
            records = b"".join([record.pack(self.put_msg_rec_fields, big_endian) for record in self.records])
            head = (_BIG if big_endian else _LITTLE).pack(
                write_id(STRUC_ID, ccsid),
                self.version,
                SIZE + len(objects) + len(records),
                self.encoding,
                self.coded_char_set_id,
                write_text(self.format, 8, ccsid, MQRC_DH_ERROR, "MQDH Format"),
                self.flags,
                self.put_msg_rec_fields,
                len(self.objects),
                SIZE if objects else 0,
                SIZE + len(objects) if records else 0,
            )
        except (struct.error, OverflowError) as error:
            raise StructureError(f"MQDH has a field that cannot be written: {error}", MQRC_DH_ERROR) from None
        return head + objects + records

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQDH":
        """The header at `offset` with its records. Raises StructureError (MQRC_DH_ERROR)."""
        check_room(data, offset, SIZE, MQRC_DH_ERROR, "MQDH")
        dh = MQDH()
        (
            identifier, dh.version, length, dh.encoding, dh.coded_char_set_id, form, dh.flags, dh.put_msg_rec_fields,
            count, at_objects, at_records,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)  # fmt: skip
        check_id(identifier, STRUC_ID, ccsid, MQRC_DH_ERROR, "MQDH")
        check_version(dh.version, 1, MQRC_DH_ERROR, "MQDH")
        if length < SIZE or not 0 <= count <= RECORDS_MAX or dh.put_msg_rec_fields & ~_ALL_FIELDS:
            raise StructureError(
                f"MQDH has StrucLength {length}, RecsPresent {count}, PutMsgRecFields {dh.put_msg_rec_fields}",
                MQRC_DH_ERROR,
            )
        check_room(data, offset, length, MQRC_DH_ERROR, "MQDH with its records")
        dh.format = read_text(form, ccsid)
        if count:
            _check_records(at_objects, count * OBJECT_RECORD_SIZE, length, "object")
            dh.objects = _objects(data, offset + at_objects, count, ccsid)
        if count and at_records:
            size = put_message_record_size(dh.put_msg_rec_fields)
            _check_records(at_records, count * size, length, "put message")
            for i in range(count):
                dh.records.append(MQPMR.unpack(data, dh.put_msg_rec_fields, offset + at_records + i * size, big_endian))
        return dh

    def __repr__(self) -> str:
        return show("MQDH", self, (*FIELDS, "objects"))


def put_message_record_size(fields: int) -> int:
    """How many bytes a put message record with these fields has."""
    size = 0
    for bit, length in ((_MSG_ID, 24), (_CORREL_ID, 24), (_GROUP_ID, 24), (_FEEDBACK, 4), (_ACCOUNTING_TOKEN, 32)):
        if fields & bit:
            size += length
    return size


def _check_records(place: int, size: int, length: int, kind: str) -> None:
    if place < SIZE or place + size > length:
        raise StructureError(
            f"the {kind} records of MQDH lie at {place} for {size} bytes, outside its {length}", MQRC_DH_ERROR
        )


def _objects(data: bytes, place: int, count: int, ccsid: int) -> list[tuple[str, str]]:
    objects = []
    for _ in range(count):
        objects.append((read_text(data[place : place + 48], ccsid), read_text(data[place + 48 : place + 96], ccsid)))
        place += OBJECT_RECORD_SIZE
    return objects
