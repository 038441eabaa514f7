"""Distribution lists, from the client's side: records behind MQOD and MQPMO (wire/mq/lists.py has the layout).

The records of a reply are copied to those of the application: the reason of each destination, and with MQPMR the ids of
its message.
"""

from __future__ import annotations

from flintmq.client.remote.session import CallReply
from flintmq.mqi.dh import put_message_record_size
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_record import SIZE as OBJECT_SIZE
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq.calls import API_SIZE
from flintmq.wire.mq.lists import od_end, read_put_records, write_object_records, write_put_records
from flintmq.wire.mq.sizes import md_size, pmo_size


def _aligned(length: int) -> int:
    return length + -length % 4


def pack_object(od: MQOD, big_endian: bool, ccsid: int) -> bytes:
    """Pack an object descriptor, with its records if it is of a distribution list."""
    packed = od.pack(big_endian, ccsid)
    if not od.recs_present or od.version < 2 or od.object_records is None:
        return packed
    od.object_rec_offset = _aligned(len(packed))
    end = od.object_rec_offset + len(od.object_records) * OBJECT_SIZE
    od.response_rec_offset = end if od.response_records is not None else 0
    return write_object_records(od.pack(big_endian, ccsid), od, big_endian, ccsid)


def pack_options(pmo: MQPMO, big_endian: bool, ccsid: int) -> bytes:
    """Pack the options of a put, with their records if there are any."""
    packed = pmo.pack(big_endian, ccsid)
    if not pmo.recs_present or pmo.version < 2:
        return packed
    end = _aligned(len(packed))
    pmo.put_msg_rec_offset = pmo.response_rec_offset = 0
    size = put_message_record_size(pmo.put_msg_rec_fields)
    if pmo.put_msg_records is not None and size:
        pmo.put_msg_rec_offset = end
        end += len(pmo.put_msg_records) * size
    if pmo.response_records is not None:
        pmo.response_rec_offset = end
    return write_put_records(pmo.pack(big_endian, ccsid), pmo, big_endian)


def tell_object(answer: CallReply, od: MQOD) -> None:
    """Copy the records behind the descriptor of a reply to the records of `od`."""
    made = MQOD.unpack(answer.body, API_SIZE, answer.big_endian, answer.ccsid)
    od_end(answer.body, API_SIZE, made, answer.big_endian, answer.ccsid)
    od.known_dest_count, od.unknown_dest_count = made.known_dest_count, made.unknown_dest_count
    od.invalid_dest_count = made.invalid_dest_count
    if made.response_records is not None and od.response_records is not None:
        for own, said in zip(od.response_records, made.response_records, strict=False):
            own.comp_code, own.reason = said.comp_code, said.reason


def tell_options(answer: CallReply, has_od: bool, pmo: MQPMO) -> None:
    """Copy the records behind the put options of a reply to the records of `pmo`."""
    body, big_endian, ccsid = answer.body, answer.big_endian, answer.ccsid
    at = API_SIZE
    if has_od:
        at = od_end(body, at, MQOD.unpack(body, at, big_endian, ccsid), big_endian, ccsid)
    at += md_size(MQMD.unpack(body, at, big_endian, ccsid).version)
    made = MQPMO.unpack(body, at, big_endian, ccsid)
    read_put_records(body, at, at + pmo_size(made.version), made, big_endian)
    if made.response_records is not None and pmo.response_records is not None:
        for own, said in zip(pmo.response_records, made.response_records, strict=False):
            own.comp_code, own.reason = said.comp_code, said.reason
    if made.put_msg_records is not None and pmo.put_msg_records is not None:
        for mine, record in zip(pmo.put_msg_records, made.put_msg_records, strict=False):
            for field in ("msg_id", "correl_id", "group_id", "feedback", "accounting_token"):
                setattr(mine, field, getattr(record, field))
