"""When a client hears: once the log has what it is told of, in order, and no later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from flintmq.host import lifecycle
from flintmq.server.hub import LINGER_S, NEGOTIATION_S, Hub, ServingHost
from flintmq.server.link import Link
from flintmq.server.mq_channels import ServedChannels
from flintmq.wire.mq.channel_instance import AGREED, ChannelInstance
from flintmq.wire.mq.server import SIGNATURE
from flintmq.wire.mq.terms import Gatekeeper, Terms


class SlowLog:
    """A log that is durable when the test says so."""

    durable = 0
    end = 0


class Wire:
    """A transport that keeps what was written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False
        self.aborted = False

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def get_extra_info(self, name: str) -> tuple[str, int] | None:
        return ("127.0.0.1", 1) if name == "peername" else None

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.aborted = True


def run(body: Callable[[Hub, Link, Wire, SlowLog], Coroutine[Any, Any, None] | None]) -> None:
    async def go() -> None:
        host = ServingHost(*lifecycle.create_in_memory("QM1"), None)
        hub = Hub(host, asyncio.get_running_loop())
        ServedChannels(hub, Gatekeeper())
        log = SlowLog()
        hub._log = log
        hub.flusher._under_way = True  # Nobody flushes but the test.
        link, wire = Link(hub), Wire()
        link.connection_made(wire)  # type: ignore[arg-type]
        done = body(hub, link, wire, log)
        if done is not None:
            await done
        hub.flusher._under_way = False
        hub._held.clear()
        hub.close()
        host.close()

    asyncio.run(go())


def instance_of(link: Link) -> ChannelInstance:
    """The channel instance of a link, after the first bytes of a segment."""
    if link.endpoint is None:
        link.data_received(SIGNATURE)
    assert isinstance(link.endpoint, ChannelInstance)
    return link.endpoint


def say(hub: Hub, link: Link, data: bytes, position: int, delay_ms: int = 0) -> None:
    """A turn that leaves `data` to be sent when the log has reached `position`, and not before `delay_ms`."""
    session = instance_of(link)

    def step() -> None:
        session.hold(position)
        session.delay_ms = delay_ms
        session.push(data)

    hub.run(step)


def flushed(hub: Hub, log: SlowLog, position: int) -> None:
    """The log is durable up to `position`."""
    log.durable = position
    hub._release()


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
        session = instance_of(link)
        hub.run(lambda: session.stop(5))
        assert not wire.closed
        flushed(hub, log, 10)
        assert wire.written[0] == b"1" and len(wire.written) == 2 and wire.closed

    run(body)


# -- answers that are late because a page set fills up (B140) ----------------------------------------------------------

DELAY_MS = 5


async def until_late_answers_are_due() -> None:
    """The loop calls in the order of time: what was to happen after DELAY_MS has happened."""
    await asyncio.sleep(2 * DELAY_MS / 1000)


def test_an_answer_that_is_late_waits_for_the_log_all_the_same() -> None:
    async def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 10, DELAY_MS)
        await until_late_answers_are_due()
        assert wire.written == []
        flushed(hub, log, 10)
        assert wire.written == [b"1"]

    run(body)


def test_what_is_said_while_an_answer_is_late_waits_for_the_log_too() -> None:
    """Two connections share the socket: the commit of the second is not told before the log has it."""

    async def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 0, DELAY_MS)
        say(hub, link, b"2", 10)
        await until_late_answers_are_due()
        assert b"2" not in b"".join(wire.written)
        flushed(hub, log, 10)
        assert b"".join(wire.written) == b"12"

    run(body)


def test_the_log_is_written_for_one_thing_and_a_late_answer_waits_for_another() -> None:
    async def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 10)
        say(hub, link, b"2", 20, DELAY_MS)
        flushed(hub, log, 15)
        assert wire.written == [b"1"]
        await until_late_answers_are_due()
        assert wire.written == [b"1"]
        flushed(hub, log, 20)
        assert wire.written == [b"1", b"2"]

    run(body)


def test_a_late_answer_is_late_when_it_waited_for_the_log_as_well() -> None:
    async def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 10, DELAY_MS)
        flushed(hub, log, 10)
        assert wire.written == []
        await until_late_answers_are_due()
        assert wire.written == [b"1"]

    run(body)


def test_a_session_that_ends_while_its_answer_is_late_is_closed_after_it() -> None:
    async def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 0, DELAY_MS)
        session = instance_of(link)
        hub.run(lambda: session.stop(5))
        assert not wire.written and not wire.closed
        await until_late_answers_are_due()
        assert b"".join(wire.written)[:1] == b"1" and wire.closed

    run(body)


# -- clients that take their time --------------------------------------------------------------------------------------


#: A segment of which the end does not come.
BEGINNING = b"TSH " + (0x1000).to_bytes(4, "big") + bytes(NEGOTIATION_S)


def after_seconds(hub: Hub, seconds: int) -> None:
    for _ in range(seconds):
        hub.run(hub._look_around)


def test_one_who_names_no_channel_is_disconnected_in_the_end() -> None:
    """However busy it is: what it sends one byte at a time is no answer."""

    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        for at in range(NEGOTIATION_S):
            link.data_received(BEGINNING[at : at + 1])
            after_seconds(hub, 1)
        assert not wire.aborted
        after_seconds(hub, 1)
        assert wire.aborted

    run(body)


def test_one_who_does_not_read_why_it_is_disconnected_does_not_keep_its_socket() -> None:
    """The transport closes when everything was sent, which may be never."""

    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        session = instance_of(link)
        after_seconds(hub, NEGOTIATION_S - 1)
        hub.run(lambda: session.stop(5))
        assert wire.closed
        after_seconds(hub, LINGER_S)
        assert not wire.aborted
        after_seconds(hub, 1)
        assert wire.aborted

    run(body)


@pytest.mark.parametrize("why", ["STOP CHANNEL MODE(QUIESCE)", "DISCINT"])
def test_one_whose_channel_ended_is_told_so_once_and_does_not_keep_its_socket(why: str) -> None:
    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        session = instance_of(link)
        session.terms = Terms("ANY.SVRCONN")
        session.state = AGREED
        hub.run(lambda: session.channels.started(session))
        if why == "DISCINT":
            session.terms.disconnect_interval = 1
            session.last_call_ms = session.calls_seen = session.calls = 1
        session.stop_requested = why != "DISCINT"
        after_seconds(hub, 1)
        assert wire.closed and len(wire.written) == 1
        after_seconds(hub, LINGER_S + 1)
        assert wire.aborted and len(wire.written) == 1

    run(body)


def test_one_whose_last_answer_waits_for_the_log_is_not_cut_off() -> None:
    def body(hub: Hub, link: Link, wire: Wire, log: SlowLog) -> None:
        say(hub, link, b"1", 10)
        session = instance_of(link)
        hub.run(lambda: session.stop(5))
        after_seconds(hub, 2 * LINGER_S)
        assert not wire.aborted
        flushed(hub, log, 10)
        assert wire.written[0] == b"1" and wire.closed

    run(body)
