"""Groups in any order, whole and not, with single messages between: complete ones come out whole and together."""

from __future__ import annotations

import random

import pytest

from flintmq.mqi.constants import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMO_NONE,
)
from flintmq.mqi.md import NO_ID
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from tests.qmgr.conftest import App, Engine

OPTIONS = MQGMO_LOGICAL_ORDER | MQGMO_ALL_MSGS_AVAILABLE | MQGMO_COMPLETE_MSG

#: Group id, sequence number, offset, data, flags, priority of one physical message.
Part = tuple[bytes, int, int, bytes, int, int]


def make_group(chance: random.Random, number: int) -> tuple[list[Part], list[bytes]]:
    """The parts of a group, and its logical messages."""
    group_id = bytes([number + 1]) * 24
    priority = chance.choice([0, 5, 9])
    parts: list[Part] = []
    messages: list[bytes] = []
    last = chance.randint(1, 5)
    for sequence in range(1, last + 1):
        flags = MQMF_MSG_IN_GROUP | (MQMF_LAST_MSG_IN_GROUP if sequence == last else 0)
        pieces = [b"%d.%d.%d;" % (number, sequence, piece) for piece in range(chance.choice([1, 1, 2, 4]))]
        offset = 0
        for piece in pieces:
            segment = 0 if len(pieces) == 1 else MQMF_SEGMENT | (MQMF_LAST_SEGMENT if piece is pieces[-1] else 0)
            parts.append((group_id, sequence, offset, piece, flags | segment, priority))
            offset += len(piece)
        messages.append(b"".join(pieces))
    return parts, messages


def put_all(chance: random.Random, app: App, parts: list[Part]) -> None:
    for group_id, number, offset, data, flags, priority in parts:
        syncpoint = chance.random() < 0.3
        answered = app.put(
            "DEEP",
            data,
            syncpoint=syncpoint,
            version=2,
            group_id=group_id,
            msg_seq_number=number,
            offset=offset,
            msg_flags=flags,
            priority=priority,
        )
        assert answered.reason == MQRC_NONE
        if syncpoint:
            app.commit()


def browse_all(app: App) -> list[tuple[bytes, bytes]]:
    seen: list[tuple[bytes, bytes]] = []
    answered = app.browse("DEEP", first=True, options=OPTIONS, match_options=MQMO_NONE)
    while answered.reason == MQRC_NONE:
        seen.append((answered.md.group_id, answered.data))
        answered = app.browse("DEEP", options=OPTIONS, match_options=MQMO_NONE)
    assert answered.reason == MQRC_NO_MSG_AVAILABLE
    return seen


def get_all(chance: random.Random, app: App, syncpoint: bool) -> list[tuple[bytes, bytes]]:
    """Get everything, with commits between; a few times what was not committed is backed out and got again."""
    got: list[tuple[bytes, bytes]] = []
    committed = 0
    backouts = 0
    while True:
        answered = app.get("DEEP", syncpoint=syncpoint, options=OPTIONS, match_options=MQMO_NONE)
        if answered.reason:
            assert answered.reason == MQRC_NO_MSG_AVAILABLE
            app.commit()
            return got
        got.append((answered.md.group_id, answered.data))
        if syncpoint and backouts < 5 and chance.random() < 0.1:
            app.backout()
            backouts += 1
            del got[committed:]
        elif syncpoint and chance.random() < 0.3:
            app.commit()
            committed = len(got)


@pytest.mark.parametrize("seed", range(30))
def test_complete_groups_come_out_whole_and_together_and_the_others_stay(seed: int) -> None:
    chance = random.Random(seed)
    engine = Engine(buffers=chance.choice([300, 25_000]))
    index, order = chance.choice(["NONE", "GROUPID"]), chance.choice(["PRIORITY", "FIFO"])
    engine.define("QLOCAL", "DEEP", {"INDXTYPE": index, "MSGDLVSQ": order, "MAXDEPTH": 100_000})
    expected: dict[bytes, list[bytes]] = {}
    singles = chance.choice([0, 10, 400])
    everything: list[Part] = [(NO_ID, 1, 0, b"%d" % n, 0, chance.choice([0, 5, 9])) for n in range(singles)]
    missing = 0
    for number in range(chance.randint(1, 30)):
        parts, messages = make_group(chance, number)
        if chance.random() < 0.2:
            parts.pop(chance.randrange(len(parts)))
            missing += len(parts)
        else:
            expected[bytes([number + 1]) * 24] = messages
        everything += parts
    chance.shuffle(everything)
    put_all(chance, engine.connect(), everything)
    engine.qm.check()

    app = engine.connect()
    seen = browse_all(app)
    got = get_all(chance, app, chance.random() < 0.5)

    assert seen == got, "a browse sees what the gets return, in the same order"
    groups: dict[bytes, list[bytes]] = {}
    previous = NO_ID
    for group_id, data in got:
        if group_id != NO_ID:
            assert group_id == previous or group_id not in groups, "nothing comes between the messages of a group"
            groups.setdefault(group_id, []).append(data)
        previous = group_id
    assert groups == expected
    assert len(got) - sum(map(len, groups.values())) == singles
    assert engine.depth("DEEP") == missing
    engine.qm.check()
