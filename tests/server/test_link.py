"""The socket of a client: what the operating system is told about it."""

from __future__ import annotations

import asyncio
import socket

import uvloop

from flintmq.channel.terms import Gatekeeper
from flintmq.client import instance
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import links


def keep_alive(interval_s: int) -> tuple[int, int]:
    """SO_KEEPALIVE and TCP_KEEPIDLE of a socket whose channel says `interval_s`."""

    async def go() -> tuple[int, int]:
        loop = asyncio.get_running_loop()
        host = ServingHost(*instance.create_in_memory("QM1"), None)
        hub = Hub(host, Gatekeeper(), loop)
        server = await loop.create_server(links(hub), "127.0.0.1", 0)
        with socket.create_connection(server.sockets[0].getsockname()):
            while not hub.links:
                await asyncio.sleep(0)
            (link,) = hub.links.values()
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
