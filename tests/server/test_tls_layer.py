"""TLS without a socket: whatever pieces records arrive in, and however long they are, all of it is read and written."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flintmq.server.tls_layer import TlsLayer
from tests.server.test_tls import make_key
from tests.server.tls_client import RECORD, TlsClient

VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("key")
    both = directory / "both.pem"
    both.write_bytes(b"".join(path.read_bytes() for path in make_key(directory, "server", "/CN=QM1")))
    return both


def connected(key: Path, version: ssl.TLSVersion, step: int = RECORD) -> tuple[TlsClient, TlsLayer]:
    """A client and the layer after their handshake, whose bytes arrive `step` at a time."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(key)
    client, layer = TlsClient(version), TlsLayer(context)

    def answer(said: bytes) -> bytes:
        for at in range(0, len(said), step):
            assert layer.feed(said[at : at + step]) == b""
        return layer.pending()

    client.shake_hands(answer)
    assert layer.ready
    return client, layer


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("step", [1, 100, RECORD])
def test_a_handshake_may_arrive_in_pieces(key: Path, version: ssl.TLSVersion, step: int) -> None:
    client, layer = connected(key, version, step)
    assert layer.feed(client.said(b"hello")) == b"hello"


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.sampled_from([1, 2, 5, 300, 2500, RECORD - 1, RECORD, RECORD + 1, 3 * RECORD]), max_size=5),
    steps=st.lists(st.sampled_from([1, 4, 5, 6, 21, 22, 1000, 2600, RECORD, 5 * RECORD]), min_size=1, max_size=8),
)
def test_whatever_pieces_records_arrive_in_all_of_it_is_read(
    key: Path, version: ssl.TLSVersion, lengths: list[int], steps: list[int]
) -> None:
    client, layer = connected(key, version)
    messages = [bytes([number]) * length for number, length in enumerate(lengths)]
    raw = b"".join(client.said(each) for each in messages)
    got, at, turn = b"", 0, 0
    while at < len(raw):
        step = steps[turn % len(steps)]
        if step < 30 and at > 60:
            step += 700  # Byte by byte is only tried at the beginning.
        got += layer.feed(raw[at : at + step])
        at += step
        turn += 1
    assert got == b"".join(messages)
    assert not layer.made.pending()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("length", [0, 1, RECORD, RECORD + 1, 1_000_000])
def test_an_answer_is_written_whole(key: Path, version: ssl.TLSVersion, length: int) -> None:
    client, layer = connected(key, version)
    assert client.heard(layer.wrap(bytes(length))) == bytes(length)


def test_the_end_of_a_client_is_nothing_said(key: Path) -> None:
    client, layer = connected(key, ssl.TLSVersion.TLSv1_3)
    assert layer.feed(client.said(b"last") + client.bade_farewell()) == b"last"


def test_what_is_no_record_is_an_error(key: Path) -> None:
    client, layer = connected(key, ssl.TLSVersion.TLSv1_3)
    raw = bytearray(client.said(b"hello"))
    raw[-1] ^= 1
    with pytest.raises(ssl.SSLError):
        layer.feed(bytes(raw))
