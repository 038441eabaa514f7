"""The endpoint for Prometheus, over a real socket."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq.host import lifecycle
from flintmq.server import metrics
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.metrics import HEAD_MAX, Metrics
from flintmq.server.mq_channels import ServedChannels
from flintmq.wire.mq.terms import Gatekeeper
from tests.server.test_process import Manager
from tests.server.test_process import manager as manager
from tests.waiting import PATIENCE

Ask = Callable[..., Awaitable[bytes]]


def served(body: Callable[[Ask], Awaitable[None]]) -> None:
    """Run `body` with something that sends bytes to the endpoint and gives back all that it answers."""

    async def go() -> None:
        host = ServingHost(*lifecycle.create_in_memory("QM1"), None)
        hub = Hub(host, asyncio.get_running_loop())
        ServedChannels(hub, Gatekeeper())
        endpoint = Metrics(hub)
        await endpoint.start("127.0.0.1", 0)
        assert endpoint.address is not None
        address, port = endpoint.address

        async def ask(data: bytes, hangs_up: bool = True) -> bytes:
            reader, writer = await asyncio.open_connection(address, port)
            writer.write(data)
            if hangs_up and not data.endswith(b"\r\n\r\n"):
                writer.write_eof()
            answer = await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()
            return answer

        try:
            await body(ask)
        finally:
            endpoint.close()
            hub.close()
            host.close()

    asyncio.run(go())


def request(path: str = "/metrics", method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


def test_metrics_are_answered_with_their_type_and_length() -> None:
    async def body(ask: Ask) -> None:
        head, _, text = (await ask(request())).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8" in head
        assert f"Content-Length: {len(text)}".encode() in head
        assert text.startswith(b"# TYPE flintmq_queue_manager info\n") and text.endswith(b"# EOF\n")
        assert (await ask(request("/metrics?name=x"))).startswith(b"HTTP/1.1 200")

    served(body)


def test_head_has_the_head_only() -> None:
    async def body(ask: Ask) -> None:
        answer = await ask(request(method="HEAD"))
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n")

    served(body)


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (request("/"), b"404 Not Found"),
        (request("/metrics/../etc/passwd"), b"404 Not Found"),
        (request(method="POST"), b"405 Method Not Allowed"),
        (b"hello\r\n\r\n", b"400 Bad Request"),
        (b"GET /metrics\r\n\r\n", b"400 Bad Request"),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"400 Bad Request"),
        (b"GET /metrics HTTP/1.1\r\nHost", b"400 Bad Request"),
        (
            b"GET /metrics HTTP/1.1\r\nX: " + b"x" * (HEAD_MAX + 100) + b"\r\n\r\n",
            b"431 Request Header Fields Too Large",
        ),
    ],
)
def test_anything_else_is_answered_with_what_is_wrong_and_closed(data: bytes, status: bytes) -> None:
    async def body(ask: Ask) -> None:
        answer = await ask(data)
        assert answer.startswith(b"HTTP/1.1 " + status), answer[:80]
        assert (await ask(request())).startswith(b"HTTP/1.1 200"), "and it goes on"

    served(body)


def test_a_request_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(ask: Ask) -> None:
        assert await ask(b"") == b""
        monkeypatch.setattr(metrics, "HEAD_S", 0.05)
        for data in (b"", b"GET /metrics"):
            assert (await ask(data, hangs_up=False)).startswith(b"HTTP/1.1 408 Request Timeout")

    served(body)


def test_a_queue_manager_serves_them_if_qm_ini_says_so(manager: Manager) -> None:
    port = free_port()
    _set(manager.place.ini_path, port)
    manager.start()
    assert f"Metrics are served at 127.0.0.1 port {port}, path /metrics." in manager.errors()
    answer = _fetch(port)
    assert answer.startswith(b"HTTP/1.1 200") and b'flintmq_mqi_calls_total{qmgr="QM1",call="MQPUT"} ' in answer


def test_a_port_that_is_taken_stands_in_the_error_log_and_the_queue_manager_starts(manager: Manager) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        _set(manager.place.ini_path, port)
        manager.start()
        assert f"Metrics cannot be served at 127.0.0.1 port {port}" in manager.errors()
        assert manager.peer() is not None


def _set(path: Path, port: int) -> None:
    path.write_text(path.read_text() + f"Telemetry:\n   MetricsPort={port}\n")


def _fetch(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as made:
        made.sendall(request())
        parts = []
        while data := made.recv(1 << 16):
            parts.append(data)
        return b"".join(parts)


def test_the_longest_turn_is_measured_in_cpu_time_and_shown() -> None:
    """Time in which the loop only waits does not count. (issue 14, item 3c)"""

    async def body(ask: Ask) -> None:
        host = ServingHost(*lifecycle.create_in_memory("QM1"), None)
        hub = Hub(host, asyncio.get_running_loop())
        ServedChannels(hub, Gatekeeper())
        try:
            hub.begin()
            hub.run(lambda: None)
            assert hub.turns_count == 1 and hub.longest_turn_s > 0
            before = hub.longest_turn_s
            hub.run(lambda: burn(0.025 + before))
            assert hub.longest_turn_s >= 0.025 + before and hub.long_turns >= 1
        finally:
            hub.close()
            host.close()
        answer = (await ask(request())).decode()
        for line in ("flintmq_turns_total", "flintmq_long_turns_total", "flintmq_longest_turn_seconds"):
            assert f'{line}{{qmgr="QM1"}} ' in answer
        assert 'flintmq_flushes_in_loop{qmgr="QM1"} 0' in answer
        for where in ("loop", "thread"):
            assert f'flintmq_client_flushes_total{{qmgr="QM1",where="{where}"}} ' in answer

    served(body)


def burn(seconds: float) -> None:
    """Use so much CPU time."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
