"""When a client hears: once the log has what it is told of, in order, and no later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from flintmq.channel.terms import Gatekeeper
from flintmq.client import instance
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import Link


class SlowLog:
    """A log that is durable when the test says so."""

    durable = 0
    end = 0


class Wire:
    """A transport that keeps what was written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def get_extra_info(self, name: str) -> tuple[str, int] | None:
        return ("127.0.0.1", 1) if name == "peername" else None

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.closed = True


def run(body: Callable[[Hub, Link, Wire, SlowLog], None]) -> None:
    async def go() -> None:
        host = ServingHost(*instance.create_in_memory("QM1"), None)
        hub = Hub(host, Gatekeeper(), asyncio.get_running_loop())
        log = SlowLog()
        hub._log = log
        hub._flushing = True  # Nobody flushes but the test.
        link, wire = Link(hub), Wire()
        link.connection_made(wire)  # type: ignore[arg-type]
        body(hub, link, wire, log)
        hub._flushing = False
        hub._held.clear()
        hub.close()
        host.close()

    asyncio.run(go())


def say(hub: Hub, link: Link, data: bytes, position: int) -> None:
    """A turn that leaves `data` to be sent when the log has reached `position`."""
    session = link._session
    assert session is not None

    def step() -> None:
        session.hold(position)
        session.push(data)

    hub.run(step)


def flushed(hub: Hub, log: SlowLog, position: int) -> None:
    """The log is durable up to `position`."""
    log.durable = position
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    hub._release(done)  # type: ignore[arg-type]
    hub._flushing = True


def test_an_answer_waits_for_the_log_and_the_next_one_does_not_hold_it_up() -> None:
    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 0)
        say(hub, link, b"2", 10)
        say(hub, link, b"3", 20)
        assert wire.written == [b"1"]
        flushed(hub, log, 10)
        assert wire.written == [b"1", b"2"]
        say(hub, link, b"4", 30)
        flushed(hub, log, 25)
        assert wire.written == [b"1", b"2", b"3"]
        flushed(hub, log, 30)
        say(hub, link, b"5", 0)
        assert wire.written == [b"1", b"2", b"3", b"4", b"5"]

    run(body)


def test_what_needs_no_log_does_not_overtake_what_does() -> None:
    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 10)
        say(hub, link, b"2", 0)
        assert wire.written == []
        flushed(hub, log, 10)
        assert wire.written == [b"1", b"2"]

    run(body)


def test_a_session_that_ends_is_closed_when_it_was_told_everything() -> None:
    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 10)
        session = link._session
        assert session is not None
        hub.run(lambda: session.stop(5))
        assert not wire.closed
        flushed(hub, log, 10)
        assert wire.written[0] == b"1" and len(wire.written) == 2 and wire.closed

    run(body)
