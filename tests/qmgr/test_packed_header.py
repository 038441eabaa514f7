"""The header of a message record, made of that of the message before, is the one that it would have had anyway."""

from __future__ import annotations

import random

import flintmq
from flintmq.mqi.md import MQMD
from flintmq.qmgr.message import NO_ID, Message, pack_header, unpack_message

CHANGES: list[tuple[str, list[object]]] = [
    ("msg_id", [b"1" * 24, b"2" * 24, b"3" * 24, b"4" * 24]),
    ("correl_id", [NO_ID, b"3" * 24, b"short"]),
    ("put_ms", [1, 2]),
    ("expires_ms", [0, 5]),
    ("expiry", [-1, 7]),
    ("report", [0, 1]),
    ("msg_type", [1, 8]),
    ("feedback", [0, 3]),
    ("encoding", [273, 546]),
    ("coded_char_set_id", [819, 1208]),
    ("priority", [0, 9]),
    ("persistence", [0, 1]),
    ("lane", [0, 9]),
    ("backout_count", [0, 2]),
    ("put_appl_type", [6, 28]),
    ("format", ["", "MQSTR"]),
    ("reply_to_q", ["", "A"]),
    ("reply_to_q_mgr", ["", "B"]),
    ("user_identifier", ["", "C"]),
    ("appl_identity_data", ["", "D"]),
    ("put_appl_name", ["", "E"]),
    ("put_date", ["20260101", "20260102"]),
    ("put_time", ["00000000", "00000001"]),
    ("appl_origin_data", ["", "F"]),
    ("properties", [b"", b"1234"]),
    ("accounting_token", [MQMD().accounting_token, b"T" * 32]),
    ("msg_flags", [0, 8]),
    ("original_length", [-1, 10]),
]


def test_a_header_does_not_depend_on_the_message_before() -> None:
    with flintmq.open(":memory:") as qm:
        qm.queue("A", create=True)
        queue = qm._host.engine.queues["A"]
        chance = random.Random(1)
        message = Message(queue, 1, 0, b"data", MQMD())
        message.priority = message.persistence = 0
        reused = 0
        for _ in range(3000):
            name, values = chance.choice(CHANGES)
            setattr(message, name, chance.choice(values))
            before = queue.packed_header
            header = pack_header(message)
            reused += before is not None and queue.packed_header is before
            queue.packed_header, kept = None, queue.packed_header
            assert pack_header(message) == header, name
            queue.packed_header = kept
            again = unpack_message(queue, 1, header + b"data")
            assert (again.msg_id, again.put_time) == (message.msg_id, message.put_time)
        assert reused > 100
