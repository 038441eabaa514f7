"""Ids that a queue manager gives out: never the same one twice."""

from __future__ import annotations

import pytest

from tests.qmgr.conftest import Engine
from tests.qmgr.machine import Machine


def number(msg_id: bytes) -> int:
    """The eight unique bytes."""
    assert len(msg_id) == 24
    return int.from_bytes(msg_id[16:], "big")


def test_ids_go_on_where_the_lower_half_of_the_counter_is_full(engine: Engine) -> None:
    qm = engine.qm
    last = (number(qm.new_msg_id()) | 0xFFFF_FFFF) - 1
    qm.id_seen(qm.new_msg_id()[:16] + last.to_bytes(8, "big"))

    assert [number(qm.new_msg_id()) for _ in range(3)] == [last + 1, last + 2, last + 3]


def test_connections_and_messages_share_one_count(engine: Engine) -> None:
    qm = engine.qm
    first = number(qm.new_msg_id())

    assert number(qm.new_connection_id()) == first + 1
    assert number(qm.new_msg_id()) == first + 2


def test_reserved_ids_are_given_to_nobody_else(engine: Engine) -> None:
    qm = engine.qm
    before = number(qm.new_msg_id())
    first = number(qm.reserve_msg_ids())

    assert first > before and first % 0x1_0000 == 0
    assert number(qm.new_msg_id()) == first + 0x1_0000


def test_an_older_id_that_comes_back_changes_nothing(engine: Engine) -> None:
    qm = engine.qm
    old, new = qm.new_msg_id(), qm.new_msg_id()
    qm.id_seen(old)

    assert number(qm.new_msg_id()) == number(new) + 1


@pytest.mark.parametrize("unique", [b"\xff" * 8, b"\xff" * 7 + b"\xfe", b"\xef" + b"\xff" * 7])
def test_an_id_that_an_application_has_made_up_does_not_use_up_all_ids(unique: bytes) -> None:
    machine = Machine()
    made_up = machine.qm.new_msg_id()[:16] + unique
    machine.connect().put("Q", b"1", persistence=1, msg_id=made_up)
    machine.log.flush()
    machine.crash()

    ids = {machine.connect().put("Q", b"2").md.msg_id for _ in range(300)}

    assert len(ids) == 300 and made_up not in ids
