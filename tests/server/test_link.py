"""The socket of a client: what the system is told about it, what TLS that fails does to others, and much at once."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

import flintmq
from flintmq.host import lifecycle
from flintmq.host.host import OPEN
from flintmq.mqi.constants import MQGMO_BROWSE_FIRST, MQOO_BROWSE, MQOO_OUTPUT
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import Link, links
from flintmq.server.mq_channels import ServedChannels
from flintmq.server.tls import KeyRepository
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.server import SIGNATURE
from flintmq.wire.mq.terms import Gatekeeper
from tests.client.remote.serving import QUEUE, Serving
from tests.server.test_hub import SlowLog, Wire, instance_of, run
from tests.server.test_process import SocketPeer
from tests.server.test_tls import make_key
from tests.server.tls_client import TlsClient
from tests.waiting import until


def keep_alive(interval_s: int) -> tuple[int, int]:
    """SO_KEEPALIVE and TCP_KEEPIDLE of a socket whose channel says `interval_s`."""

    async def go() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        host = ServingHost(*lifecycle.create_in_memory("QM1"), None)
        hub = Hub(host, loop)
        ServedChannels(hub, Gatekeeper())
        server = await loop.create_server(links(hub), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()):
            while not hub.links:
                await asyncio.sleep(0)
            (link,) = hub.links
            link.keep_alive(interval_s)
            assert link._transport is not None
            opened = link._transport.get_extra_info("socket")
            with socket.fromfd(opened.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
                asked = same.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                after = same.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        server.close()
        hub.close()
        host.close()
        return asked, after

    return uvloop.run(go())


def test_kaint_is_what_the_system_keeps_the_socket_alive_with() -> None:
    assert keep_alive(17) == (1, 17)
    assert keep_alive(99_999) == (1, 32_767)


def test_without_kaint_the_system_does_not_ask() -> None:
    assert keep_alive(0)[0] == 0


# -- TLS that fails ----------------------------------------------------------------------------------------------------


def answering(link: Link, wire: Wire) -> Callable[[bytes], bytes]:
    """What a link answers to a client that shakes hands."""

    def answer(said: bytes) -> bytes:
        if said:
            link.data_received(said)
        written = b"".join(wire.written)
        wire.written.clear()
        return written

    return answer


def test_a_client_whose_tls_breaks_keeps_nobody_else_from_hearing(tmp_path: Path) -> None:
    """Its socket is not gone yet, and something is to be sent to it in the same turn as to another."""
    key, certificate = make_key(tmp_path, "server", "/CN=QM1")
    (tmp_path / "ssl").mkdir()
    (tmp_path / "ssl" / "key.pem").write_text(key.read_text() + certificate.read_text())

    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        hub.keys = KeyRepository(hub.engine, tmp_path)
        client = TlsClient()
        client.shake_hands(answering(link, wire))
        link.data_received(client.said(SIGNATURE))
        other, heard = Link(hub), Wire()
        other.connection_made(heard)  # type: ignore[arg-type]
        broken, sound = instance_of(link), instance_of(other)
        assert broken.protection is not None

        def step() -> None:
            broken.push(b"for nobody")
            sound.push(b"for the other")

        link.data_received(b"\x17\x03\x03\x00\x20" + bytes(32))
        hub.run(step)

        assert wire.closed and broken.closing
        assert heard.written == [b"for the other"]
        assert b"for nobody" not in b"".join(wire.written)

    run(body)


def test_a_client_hears_that_tls_failed_when_it_stands_in_the_error_log(tmp_path: Path) -> None:
    key, certificate = make_key(tmp_path, "server", "/CN=QM1")
    (tmp_path / "ssl").mkdir()
    (tmp_path / "ssl" / "key.pem").write_text(key.read_text() + certificate.read_text())

    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        hub.keys = KeyRepository(hub.engine, tmp_path)
        known: list[tuple[int, list[str]]] = []

        def write(data: bytes) -> None:
            known.append((len(hub.engine.refusals), [number for number, _ in hub.host.errors.recent]))

        wire.write = write  # type: ignore[method-assign]
        link.data_received(b"\x16\x03\x01\x00\x05hello, is there TLS?")
        assert known == [(1, ["AMQ9665E"])] and wire.closed

    run(body)


# -- files that are all open -------------------------------------------------------------------------------------------


@pytest.fixture
def no_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a descriptor for the socket, and then none is left."""

    def dup(descriptor: int) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr("flintmq.server.link.os.dup", dup)


@pytest.mark.usefixtures("no_descriptors")
def test_a_socket_that_the_system_cannot_keep_alive_is_served_all_the_same() -> None:
    """It was the end of the queue manager, for everybody."""
    serving = Serving()
    with serving.connect() as qm:
        qm.queue(QUEUE).put(b"served")
    assert serving.host.state == OPEN
    serving.close()


@pytest.mark.usefixtures("no_descriptors")
def test_a_local_client_of_which_nobody_can_say_who_it_is_is_disconnected() -> None:
    serving = Serving()
    with pytest.raises(flintmq.MQError) as caught:
        serving.connect_locally()
    assert caught.value.reason in (2009, 2059) and not serving.hub.links
    serving.close()


# -- clients that ask for much -----------------------------------------------------------------------------------------


def test_a_client_that_asks_for_much_at_once_is_given_all_of_it_as_fast_as_it_reads() -> None:
    serving = Serving()
    peer = SocketPeer(serving.port)
    peer.connect()
    handle = peer.opened(QUEUE, MQOO_OUTPUT | MQOO_BROWSE)
    assert peer.put(handle, bytes(1_000_000)).reason == 0
    peer.socket.sendall(60 * peer.get_request(handle, MQGMO_BROWSE_FIRST))
    [session] = serving.channels.sessions
    until(lambda: session.blocked, "the client does not read, and is not read from")
    answered = 0
    while answered < 60:
        answered += sum(each.flags & seg.LAST != 0 for each in peer.answer())
    assert peer.put(handle, b"and goes on").reason == 0
    peer.socket.close()
    serving.close()
