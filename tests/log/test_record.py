"""The layout of a record, and what does not validate."""

from hypothesis import given
from hypothesis import strategies as st

from flintmq.log.record import HEADER_SIZE, PADDING, decode_header, encode_record, identity_seed, record_size

SEED = identity_seed(bytes(range(16)))


def test_the_layout_is_the_one_of_the_table() -> None:
    record = encode_record(0x0102, b"123456789", 0x1122334455667788, 0x10, 7, SEED, flags=2)
    assert record[:36].hex(" ", 4) == "464c5231 09000000 88776655 44332211 10000000 00000000 07000000 02010200 839206e3"
    assert record[40:] == b"123456789" + bytes(7)
    assert len(record) == record_size(9) == 56


def test_records_start_at_multiples_of_eight() -> None:
    for size in range(40):
        assert record_size(size) % 8 == 0 and len(encode_record(1, bytes(size), 0, 0, 1, SEED)) == record_size(size)
        assert len(PADDING[size % 8]) == record_size(size) - HEADER_SIZE - size


def test_a_header_says_what_it_was_given() -> None:
    header = decode_header(b"....." + encode_record(9, b"abc", 4096, 800, 3, SEED, flags=1), 5, 4096, SEED)
    assert header is not None
    assert (header.length, header.position, header.synced, header.epoch) == (3, 4096, 800, 3)
    assert (header.kind, header.flags, header.end) == (9, 1, 4096 + 48)


@given(st.integers(0, HEADER_SIZE - 1), st.integers(1, 255))
def test_no_changed_byte_of_a_header_validates(offset: int, mask: int) -> None:
    record = bytearray(encode_record(9, b"abc", 4096, 800, 3, SEED))
    record[offset] ^= mask
    assert decode_header(bytes(record), 0, 4096, SEED) is None


def test_a_header_validates_only_at_its_position_and_in_its_log() -> None:
    record = encode_record(9, b"abc", 4096, 800, 3, SEED)
    assert decode_header(record, 0, 4096, SEED) is not None
    assert decode_header(record, 0, 8192, SEED) is None
    assert decode_header(record, 0, 4096, identity_seed(b"another log     ")) is None


@given(st.binary(max_size=100), st.integers(0, 100))
def test_rubbish_is_never_a_header(data: bytes, offset: int) -> None:
    assert decode_header(data, offset, 0, SEED) is None
