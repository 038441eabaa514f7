"""Gids, decision messages, and the coordination queue as a lock."""

from __future__ import annotations

import json

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flintmq
from flintmq.broker.runtime.decisions import (
    FORMAT_ID,
    Branch,
    Branches,
    Decision,
    Identity,
    Owner,
    QueueDecisions,
    parse_gid,
    queue_manager_id,
    unpack,
)

OWNER = Owner.of("QM1_2026-11-18_08.00.00", "BROKER", "default")
IDENTITY = Identity(OWNER, "0123456789ab", 7)


def test_a_gid_is_read_back_by_us_and_by_psycopg_as_xa_has_it() -> None:
    gid = IDENTITY.gid(66, "SHOP")

    found = parse_gid(gid)
    assert found is not None
    assert (found.identity, found.counter, found.source) == (IDENTITY, 66, "SHOP")
    xid = psycopg.Xid.from_string(gid)
    assert (xid.format_id, xid.bqual) == (FORMAT_ID, "SHOP")
    assert xid.gtrid == f"{OWNER.queue_manager}.{OWNER.group}.0123456789ab.7.42"


def test_the_longest_gid_fits_into_postgresql_and_xa() -> None:
    gid = Identity(OWNER, "f" * 12, 0xFFFF).gid((1 << 48) - 1, "S" * 64)

    assert len(gid) < 200
    xid = psycopg.Xid.from_string(gid)
    assert len(xid.gtrid) <= 64 and xid.bqual is not None and len(xid.bqual) <= 64


@pytest.mark.parametrize(
    "gid",
    [
        "",
        "nothing of ours",
        "131077_MQ==_Mg==",
        f"{FORMAT_ID}_MQ==_Mg==",
        f"{FORMAT_ID}_===_Mg==",
        "0" + IDENTITY.gid(1, "SHOP"),
        IDENTITY.gid(1, "SHOP") + " ",
        IDENTITY.gid(1, "SHOP").lower(),
    ],
)
def test_a_gid_that_we_did_not_make_is_foreign(gid: str) -> None:
    assert parse_gid(gid) is None


@given(st.text() | st.from_regex(rf"{FORMAT_ID}_[A-Za-z0-9+/=]*_[A-Za-z0-9+/=]*"))
def test_any_text_is_a_gid_of_ours_or_foreign(text: str) -> None:
    found = parse_gid(text)
    assert found is None or found.identity.gid(found.counter, found.source) == text


def test_a_decision_is_read_back() -> None:
    decision = Decision("token", "BROKER", "default", "Flow", [Branch("g", "SHOP", 9)], "", 12.5)
    assert unpack(decision.pack()) == decision


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"flintmq": "x"}, "not a coordination message"),
        ({"version": 2}, "version 2"),
        ({"kind": "x"}, "kind 'x'"),
        ({"branches": 7}, "no list"),
        ({"branches": [{}] * 300}, "no list"),
        ({"branches": [7]}, "branch 1"),
        ({"branches": [{"gid": "g", "source": "S", "xid": "1"}]}, "branch 1"),
        ({"broker": 7}, "no text"),
        ({"time": "noon"}, "no number"),
    ],
)
def test_a_damaged_decision_names_the_damage(change: dict[str, object], text: str) -> None:
    fields = json.loads(Decision("token", "B", "G").pack())
    with pytest.raises(ValueError, match=text):
        unpack(json.dumps({**fields, **change}))


@given(st.binary() | st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_any_message_is_a_decision_or_a_value_error(data: bytes | str) -> None:
    with pytest.raises(ValueError):
        unpack(data)


def test_a_token_that_a_unit_of_work_has_got_is_not_visible_until_it_ends(qm: flintmq.QueueManager) -> None:
    """The table of decisions.py."""
    with qm.connect() as one, qm.connect() as two:
        instance, other = QueueDecisions(one), QueueDecisions(two)
        instance.put_decision(b"0", b"c", "zero", syncpoint=False)
        assert instance.remove_decision(b"0")
        instance.put_decision(b"1", b"c", "one")

        assert not other.visible(b"0") and not other.visible(b"1")
        assert not other.remove_decision(b"0")
        instance.backout()
        assert other.visible(b"0") and not other.visible(b"1")

        assert instance.remove_decision(b"0")
        instance.put_decision(b"1", b"c", "one")
        instance.commit()
        assert not other.visible(b"0") and other.visible(b"1")
        assert [(each.message_id[:1], each.data) for each in other.decisions()] == [(b"1", b"one")]


def test_the_queue_manager_is_identified_by_its_qmid(qm: flintmq.QueueManager) -> None:
    assert queue_manager_id(qm) == qm.mqsc("DISPLAY QMGR QMID").rows[0]["QMID"]


def test_registrations_of_a_process_and_of_two_processes_differ() -> None:
    one, two = Branches(), Branches()
    made = [one.new_identity(OWNER), one.new_identity(OWNER), two.new_identity(OWNER)]
    assert len({each.correlation_id for each in made}) == 3
