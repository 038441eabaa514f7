"""Compression of log records, chunk by chunk, and its counters."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.log import LZ4, NONE, RLE, LogConfig, LogCounters, LogError
from flintmq.log.compress import compress, decompress, rle_decode, rle_encode
from tests.log.conftest import Place

KINDS = pytest.mark.parametrize("kind", [RLE, LZ4])

runs = st.lists(st.tuples(st.binary(min_size=1, max_size=3), st.integers(1, 300)), max_size=20)


@given(runs)
def test_rle_gives_back_what_it_was_given(pieces: list[tuple[bytes, int]]) -> None:
    chunk = b"".join(piece * count for piece, count in pieces)[:8000]
    assert rle_decode(rle_encode(chunk), len(chunk)) == chunk


@given(st.binary(max_size=200), st.integers(0, 9000))
def test_rle_of_rubbish_is_an_error_and_nothing_else(rubbish: bytes, size: int) -> None:
    try:
        assert len(rle_decode(rubbish, size)) == size
    except ValueError:
        pass


@given(st.sampled_from([RLE, LZ4]), st.binary(max_size=300))
def test_a_payload_of_rubbish_is_an_error_and_nothing_else(kind: int, rubbish: bytes) -> None:
    try:
        decompress(kind, rubbish, LogCounters())
    except ValueError:
        pass


@KINDS
@pytest.mark.parametrize("start", [b"", b"\0" * 20, b"\x01" + b"\0" * 20, b"\0" * 7, b"ab" * 9])
def test_runs_at_the_edges_survive(kind: int, start: bytes) -> None:
    counters = LogCounters()
    for payload in (start + b" " * 200 + start, b"\0" * 9000 + start, start + b"x" * 4096 + b"\0" * 4096):
        packed = compress(kind, payload, b"", counters)
        assert packed is not None and len(packed) < len(payload)
        assert decompress(kind, packed, counters) == payload


@KINDS
def test_a_100_kib_message_makes_25_attempts(kind: int) -> None:
    """B115. The queue manager's headers ride with the first chunk."""
    counters = LogCounters()
    headers = b"ORDERS.IN".ljust(48) * 8
    packed = compress(kind, headers, b"0123456789" * 10240, counters)
    assert counters.compression_requests == 25
    assert counters.compression_bytes_in == len(headers) + 102400
    if kind == LZ4:
        assert packed is not None and counters.compression_failures == 0
        assert decompress(kind, packed, counters) == headers + b"0123456789" * 10240
        assert counters.decompression_requests == 25 and counters.decompression_failures == 0
        assert counters.decompression_bytes_out == counters.compression_bytes_in


@KINDS
def test_incompressible_chunks_count_as_failures_and_are_stored_as_they_are(kind: int) -> None:
    """B117: an attempt fails when its result is larger than its input."""
    counters = LogCounters()
    noise = Random(1).randbytes(102400)
    assert compress(kind, b"", noise, counters) is None
    assert counters.compression_requests == counters.compression_failures == 25
    assert counters.compression_bytes_out == counters.compression_bytes_in == 102400


@KINDS
def test_headers_compress_even_where_the_data_does_not(kind: int) -> None:
    """B116: about 0.33 KB saved for a small message."""
    counters = LogCounters()
    headers = b"ORDERS.IN".ljust(48) + bytes(24 * 3) + b"REPLY".ljust(48) * 2 + b" " * 200
    noise = Random(2).randbytes(2000)
    packed = compress(kind, headers, noise, counters)
    assert packed is not None
    assert len(headers) + len(noise) - len(packed) > 300
    assert counters.compression_failures == 0
    assert decompress(kind, packed, counters) == headers + noise


@KINDS
def test_counters_show_how_much_remains(kind: int) -> None:
    """B118, B119: bytes before and after, half compressible data leaves about half."""
    counters = LogCounters()
    random = Random(3)
    for _ in range(10):
        compress(kind, b"", (random.randbytes(2048) + bytes(2048)) * 25, counters)
    assert 0.49 < counters.compression_bytes_out / counters.compression_bytes_in < 0.52


def config(kind: int) -> LogConfig:
    settings: dict[str, Any] = {"file_pages": 64, "compression": kind}
    return LogConfig(**settings)


@pytest.mark.parametrize("kind", [NONE, RLE, LZ4])
def test_a_log_with_compression_returns_the_same_records(place: Place, kind: int) -> None:
    log = place.create(config(kind))
    payloads = [b"", b"x", bytes(10_000), Random(4).randbytes(9000), (b"text " * 3000), Random(5).randbytes(500)]
    for payload in payloads:
        log.append(1, payload[:100], payload[100:])
    log.flush()
    assert (log.counters.compression_requests > 0) is (kind != NONE)
    assert log.counters.bytes < 20_000 if kind == LZ4 else log.counters.bytes > 20_000
    log.abandon()
    log, records = place.reopen()
    assert [record.payload for record in records] == payloads
    assert log.compression == kind
    log.close()


def test_set_log_complog_switches_for_all_records_or_none(place: Place) -> None:
    """B114. Records written before and after stay readable together."""
    log = place.create(config(NONE))
    for kind in (NONE, RLE, LZ4, NONE):
        log.set_compression(kind)
        before = log.counters.compression_requests
        log.append(kind, bytes(1000))
        assert log.counters.compression_requests - before == (kind != NONE)
    with pytest.raises(LogError, match="not a kind"):
        log.set_compression(3)
    log.close()
    log, records = place.reopen()
    assert [record.payload for record in records] == [bytes(1000)] * 4
    log.close()
