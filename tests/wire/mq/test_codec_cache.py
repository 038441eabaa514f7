"""M1 and M2: what is remembered of structures never changes what they are read as and written as."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi import gmo as gmo_structure
from flintmq.mqi import md as md_structure
from flintmq.mqi import pmo as pmo_structure
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import write_api
from flintmq.wire.mq.codec_cache import DescriptorCache, GetOptionsCache, HeadCache, PutOptionsCache

Structure = MQMD | MQPMO | MQGMO
Memo = DescriptorCache | PutOptionsCache | GetOptionsCache

#: A few values for each kind of field, so that the next structure is often like the last.
NUMBERS = st.sampled_from([0, 1, 2, -1, 5, 1 << 40])
TEXTS = st.sampled_from(["", "A", "Q.1", "ü", "20261116", "much too long for any field of a structure " * 3])
IDS = {24: st.sampled_from([bytes(24), b"\1" * 24, b"short", bytes(25)]), 16: st.sampled_from([bytes(16), b"\2" * 16])}
CODES = st.sampled_from([(False, 1208), (True, 1208), (False, 500), (True, 819)])
KINDS = st.sampled_from(["md", "pmo", "gmo"])


def new(kind: str) -> tuple[Structure, Memo, tuple[str, ...]]:
    if kind == "md":
        return MQMD(), DescriptorCache(), md_structure.FIELDS
    if kind == "pmo":
        return MQPMO(), PutOptionsCache(), pmo_structure.FIELDS
    return MQGMO(), GetOptionsCache(), gmo_structure.FIELDS


def pack(structure: object, big_endian: bool, ccsid: int) -> bytes | str:
    try:
        return structure.pack(big_endian, ccsid)  # type: ignore[attr-defined,no-any-return]
    except StructureError as error:
        return str(error)


def remembered(memo: object, structure: object, big_endian: bool, ccsid: int) -> bytes | str:
    try:
        return memo.pack(structure, big_endian, ccsid)  # type: ignore[attr-defined,no-any-return]
    except StructureError as error:
        return str(error)


def values(structure: object, fields: tuple[str, ...]) -> list[object]:
    return [getattr(structure, field) for field in fields]


@settings(max_examples=80, deadline=None)
@given(KINDS, st.data())
def test_whatever_was_written_before_a_structure_is_written_as_it_writes_itself(kind: str, data: st.DataObject) -> None:
    """M1. Each step changes a few fields of the one structure, so that most of it is as it was."""
    structure, memo, fields = new(kind)
    for _ in range(data.draw(st.integers(1, 12))):
        for field in data.draw(st.lists(st.sampled_from(fields), max_size=3)):
            old = getattr(structure, field)
            if isinstance(old, bytes):
                value: object = data.draw(IDS.get(len(old), IDS[24]))
            elif isinstance(old, str):
                value = data.draw(TEXTS)
            else:
                value = data.draw(NUMBERS)
            setattr(structure, field, value)
        big_endian, ccsid = data.draw(CODES)
        assert remembered(memo, structure, big_endian, ccsid) == pack(structure, big_endian, ccsid)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "Q.1", "Q.2", "Q.3", "ü"]),
            st.sampled_from(["", "QM1", "much too long for the name of any queue manager " * 2]),
            st.sampled_from(["12000000", "12000001", "much too long"]),
            CODES,
        ),
        min_size=2,
        max_size=20,
    )
)
def test_replies_that_go_to_many_queues_are_written_as_the_structure_writes_itself(
    puts: list[tuple[str, str, str, tuple[bool, int]]],
) -> None:
    """M1, for who answers many clients: where a reply goes is remembered apart from when it was put."""
    md, memo = MQMD(), DescriptorCache()
    for reply_to_q, reply_to_q_mgr, md.put_time, (big_endian, ccsid) in puts:
        md.reply_to_q, md.reply_to_q_mgr = reply_to_q, reply_to_q_mgr
        assert remembered(memo, md, big_endian, ccsid) == pack(md, big_endian, ccsid)


@settings(max_examples=80, deadline=None)
@given(KINDS, st.data())
def test_whatever_was_read_before_bytes_are_read_as_the_structure_reads_them(kind: str, data: st.DataObject) -> None:
    """M1, and M2: what the last reader did to its structure is not seen."""
    structure, memo, fields = new(kind)
    structure.version = data.draw(st.integers(1, 2))
    raw = bytearray(b"front" + structure.pack(False, 1208) + b"back")
    for _ in range(data.draw(st.integers(1, 12))):
        for at in data.draw(st.lists(st.integers(0, len(raw) - 1), max_size=3)):
            raw[at] = data.draw(st.sampled_from([0, 1, 2, 0x20, 0x41, 0xFF]))
        big_endian, ccsid = data.draw(CODES)
        given_bytes = bytes(raw[: data.draw(st.sampled_from([len(raw), len(raw), 60]))])
        try:
            expected: object = values(type(structure).unpack(given_bytes, 5, big_endian, ccsid), fields)
        except StructureError as error:
            expected = str(error)
        try:
            read = memo.unpack(given_bytes, 5, big_endian, ccsid)
            assert values(read, fields) == expected
            for field in fields:
                old = getattr(read, field)
                setattr(read, field, b"\3" * 24 if isinstance(old, bytes) else "spoilt" if isinstance(old, str) else 77)
        except StructureError as error:
            assert str(error) == expected


@settings(max_examples=50, deadline=None)
@given(st.booleans(), st.data())
def test_the_head_of_a_reply_is_header_and_call_whatever_came_before(shared: bool, data: st.DataObject) -> None:
    memo = HeadCache(shared, 7)
    for _ in range(data.draw(st.integers(1, 10))):
        kind = data.draw(st.sampled_from([seg.MQPUT + seg.REPLY, seg.MQGET + seg.REPLY]))
        request, length = data.draw(st.sampled_from([0, 1, 0xFFFF_FFFF])), data.draw(st.sampled_from([0, 500, 2600]))
        completion, reason = data.draw(st.sampled_from([(0, 0), (1, 2079), (2, 2033)]))
        handle, big_endian = data.draw(st.sampled_from([1, 2, -1])), data.draw(st.booleans())
        tail = seg.tail(big_endian, data.draw(st.sampled_from([819, 1208])))
        body = write_api(length, completion, reason, handle, big_endian) + bytes(length)
        whole = (
            seg.write_m(kind, seg.ONLY, 7, request, big_endian, tail, body)
            if shared
            else seg.write(kind, seg.ONLY, big_endian, tail, body)
        )
        said = memo.head(kind, request, length, completion, reason, handle, big_endian, tail)
        assert said + bytes(length) == whole


@pytest.mark.parametrize("kind", ["md", "pmo", "gmo"])
def test_what_was_lent_is_lent_again_unless_it_was_kept(kind: str) -> None:
    """M2: a get that waits has its descriptors for as long as it waits, whatever the next calls are."""
    structure, memo, fields = new(kind)
    raw = structure.pack(False, 1208)
    memo.unpack(raw, 0, False, 1208)
    lent = memo.unpack(raw, 0, False, 1208)
    assert memo.unpack(raw, 0, False, 1208) is lent
    lent.version = 2
    memo.keep()
    again = memo.unpack(raw, 0, False, 1208)
    assert again is not lent and lent.version == 2
    assert values(again, fields) == values(type(structure).unpack(raw, 0, False, 1208), fields)
