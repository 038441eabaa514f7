"""SMF 117: a statistics record survives its SMF records, and damage is named."""

from __future__ import annotations

import copy
import struct
from typing import Any

import pytest

from flintmq.telemetry import smf117
from flintmq.telemetry.smf.ebcdic import bytes_of
from flintmq.telemetry.smf.framing import NO_RDW, cut
from flintmq.telemetry.smf117 import BadRecord, decode, decode_all, decode_part, encode
from tests.telemetry.flow_statistics import statistics


def test_a_record_comes_back_as_it_was() -> None:
    record = statistics(threads=2, nodes=3, terminals=4)
    assert decode(encode(record)) == record


def test_long_names_other_alphabets_and_microseconds_come_back_as_they_were() -> None:
    """A block has 32 EBCDIC characters for a name and hundredths of a second for a time."""
    record = statistics(threads=1, nodes=2, terminals=2)
    record["MessageFlow"] |= {
        "MessageFlowName": "com.example.orders.intake." + "Long" * 20,
        "ApplicationName": "Bestellungen für 東京",
        "StartTime": "09:00:00.123457",
        "GMTStartTime": "2026-11-18 08:00:00.123457",
        "TotalInputMessages": 5_000_000_000,
    }
    record["RecordCode"] = "Minor"
    record["Nodes"][1]["Label"] = "Subflow.Inner." + "Compute" * 9
    record["Nodes"][1]["TerminalStatistics"][0]["Label"] = "a terminal of a longer name than fits"
    assert decode(encode(record)) == record


def test_the_header_and_the_blocks_are_where_the_public_description_has_them() -> None:
    record = statistics(threads=0, nodes=0, terminals=0)
    data = encode(record, system="SYS1")
    length, segment, flag, kind, time, packed = struct.unpack_from(">HHBBII", data)
    assert (length, segment, flag, kind) == (len(data), 0, 0x5E, 117)
    assert (time, f"{packed:08X}") == ((9 * 3600 + 20) * 100, "0126322F")
    assert data[14:18] == bytes_of("SYS1", 4)
    assert data[18:22] == bytes_of("BROK", 4)
    subtype, triplets, record_type, code, sequence, count = struct.unpack_from(">HIBBHH", data, 22)
    assert (subtype, triplets, record_type, code, sequence, count) == (1, 2, 1, 2, 1, 1)
    offset, size, blocks = struct.unpack_from(">IHH", data, 34)
    assert (offset, size, blocks) == (50, smf117.IMFL.length, 1)
    assert struct.unpack_from(">HH", data, offset) == (1, size)
    assert data[offset + 4 : offset + 8] == bytes_of("IMFL", 4)
    assert data[offset + 148 : offset + 180] == bytes_of("Orders", 32)


def test_nodes_with_terminals_have_a_record_each_and_threads_are_in_the_first() -> None:
    data = encode(statistics(threads=2, nodes=3, terminals=2))
    found = cut(data, 0, len(data))
    parts = [decode_part(data[at : at + size]) for at, size in zip(found.starts, found.lengths, strict=True)]
    assert [(part.subtype, part.sequence, part.count) for part in parts] == [(2, 1, 3), (2, 2, 3), (2, 3, 3)]
    assert [len(part.threads) for part in parts] == [2, 0, 0]
    assert [len(part.nodes) for part in parts] == [1, 1, 1]


@pytest.mark.parametrize(("nodes", "terminals"), [(0, 0), (900, 0), (3, 900)])
def test_a_statistics_record_of_any_size_is_cut_into_records_that_fit(nodes: int, terminals: int) -> None:
    record = statistics(threads=700, nodes=nodes, terminals=terminals)
    data = encode(record)
    found = cut(data, 0, len(data))
    assert len(found.starts) > 1
    assert max(found.lengths) <= smf117.RECORD_SIZE_MAX
    assert decode(data) == record


def test_records_without_record_descriptor_words_are_told_apart() -> None:
    data = encode(statistics(threads=1, nodes=2, terminals=1))
    found = cut(data, 0, len(data))
    bare = b"".join(data[at + 4 : at + size] for at, size in zip(found.starts, found.lengths, strict=True))
    assert cut(bare, 0, len(bare), NO_RDW).lengths == found.lengths


def test_a_dump_goes_on_after_damage_at_the_next_record_of_type_117() -> None:
    one = encode(statistics(threads=1, nodes=0, terminals=0))
    data = one + b"\xff" * 40 + one * 4
    found = cut(data, 0, len(data))
    assert len(found.starts) == 5
    assert [(damage.offset, damage.length) for damage in found.damages] == [(len(one), 40)]


def bad(change: Any) -> bytes:
    data = bytearray(encode(statistics(threads=1, nodes=0, terminals=0)))
    change(data)
    return bytes(data)


def set_at(at: int, value: bytes) -> Any:
    def change(data: bytearray) -> None:
        data[at : at + len(value)] = value

    return change


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (bad(set_at(22, b"\0\x07")), "subtype 7 of type 117"),
        (bad(set_at(5, b"\x73")), "type 115"),
        (bad(set_at(34, b"\0\0\x7f\xff")), "triplet 0 points to 1 blocks"),
        (bad(set_at(24, b"\0\0\xff\xff")), "65535 triplets"),
        (bad(set_at(24, b"\0\0\0\0")), "0 blocks of a message flow"),
        (bad(set_at(32, b"\0\x02")), "of 2 records of an interval there are 1"),
        (encode(statistics(threads=1, nodes=0, terminals=0))[:-9], "the dump ends inside a record"),
        (encode(statistics(threads=1, nodes=0, terminals=0))[:20], "the dump ends inside a record"),
        (b"", "0 statistics records"),
    ],
)
def test_damage_is_named(data: bytes, words: str) -> None:
    with pytest.raises(BadRecord, match=words):
        decode(data)


def test_no_damaged_byte_gives_another_error_than_bad_record() -> None:
    data = encode(statistics(threads=1, nodes=1, terminals=1))
    for at in range(len(data)):
        broken = bytearray(data)
        broken[at] ^= 0xFF
        try:
            list(decode_all(bytes(broken)))
        except BadRecord:
            pass


def test_encode_does_not_change_the_record_and_needs_its_flow() -> None:
    record = statistics(threads=1, nodes=2, terminals=1)
    before = copy.deepcopy(record)
    encode(record)
    assert record == before
    with pytest.raises(ValueError, match="MessageFlow"):
        encode({"RecordType": "SnapShot"})
