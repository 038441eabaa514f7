"""A second protocol beside MQ on the same port: W1-W3 of wire/__init__.py hold for both.

The protocol of these tests is made of lines:

    LINE          the client introduces itself
    ECHO text     answered by the text
    PUT text      a persistent message on QUEUE; answered by `put` when the log is durable
    SEND count    that many lines are sent, PIECE at a time
    WORK budget   long work, `budget` units in a slice; answered by `worked` when it is done
    SLOW text     the text, later: the page set fills up (B140)
    LOG position  answered by the position when the log is durable up to there
    another       the connection is closed
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from flintmq.host import lifecycle
from flintmq.mqi.constants import MQFMT_RF_HEADER_2, MQPER_PERSISTENT
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.connect import abandon, connect
from flintmq.qmgr.open import put1
from flintmq.qmgr.property_work import PutScan
from flintmq.qmgr.work import SLICE, Work
from flintmq.server.hub import NEGOTIATION_S, Hub, ServingHost
from flintmq.server.link import Link
from flintmq.server.mq_channels import ServedChannels
from flintmq.wire.endpoint import Endpoint, EndpointHost
from flintmq.wire.mq.terms import Gatekeeper
from flintmq.wire.origin import Origin
from flintmq.wire.registry import Registry, WireProtocol
from tests.client.remote.serving import QUEUE, Serving
from tests.server.test_hub import SlowLog, Wire
from tests.waiting import PATIENCE, until

PIECE = 1000
SLOW_MS = 5
LINE_MAX = 100
#: A line of SEND.
LINE = b"%d " + b"x" * 100 + b"\n"
GARBAGE = b"GET / HTTP/1.1\r\n\r\n"


def long_work() -> Work:
    """The work of a put with some properties, as an MQ client makes it."""
    properties = b"<usr>" + b"".join(b"<p%d>1</p%d>" % (number, number) for number in range(10)) + b"</usr>"
    properties += b" " * (-len(properties) % 4)
    fixed = struct.pack("<4s4i8s3i", b"RFH ", 2, 40 + len(properties), 546, 1208, b"MQSTR   ", 0, 1208, len(properties))
    md = MQMD()
    md.format, md.encoding, md.coded_char_set_id = MQFMT_RF_HEADER_2, 546, 1208
    return PutScan(md, fixed + properties)


class LineEndpoint(Endpoint):
    """The protocol's side of one connection."""

    def __init__(self, protocol: LineProtocol, origin: Origin) -> None:
        super().__init__(protocol.host, origin.address)
        self.protocol = protocol
        self.rest = b""
        self.to_send = 0
        self.sent = 0
        self.ticks = 0
        self.budget = 1
        self.is_lost = False
        engine = protocol.host.engine
        self.connection = connect(engine, "line", "line")[1]

    def received(self, data: bytes) -> None:
        self.protocol.note("received")
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        for line in lines:
            if not self.closing:
                self._do(line)
        if len(self.rest) > LINE_MAX:
            self.end()

    def _do(self, line: bytes) -> None:
        verb, _, text = line.partition(b" ")
        if verb == b"LINE":
            self.admitted = True
        elif verb == b"ECHO":
            self.push(text + b"\n")
        elif verb == b"SLOW":
            self.delay_ms = SLOW_MS
            self.push(text + b"\n")
        elif verb == b"PUT":
            md, od = MQMD(), MQOD()
            md.persistence, od.object_name = MQPER_PERSISTENT, QUEUE
            assert self.connection is not None
            assert put1(self.protocol.host.engine, self.connection, od, md, MQPMO(), text) == 0
            self.hold(self.connection.force)
            self.push(b"put\n")
        elif verb == b"SEND" and text.isdigit():
            self.to_send += int(text)
            self.resume()
        elif verb == b"LOG" and text.isdigit():
            self.hold(int(text))
            self.push(text + b"\n")
        elif verb == b"WORK" and text.isdigit():
            self.work, self.budget = long_work(), int(text)
            self.paused = True
            self.host.regulate(self)
            self.host.start_work(self)
        else:
            self.push(b"what?\n")
            self.end()

    def resume(self) -> None:
        self.protocol.note("resume")
        self.more = False
        if self.blocked:
            return
        for _ in range(min(PIECE, self.to_send)):
            self.push(LINE % self.sent)
            self.sent += 1
            self.to_send -= 1
        self.more = self.to_send > 0

    def work_on(self, budget: int) -> bool:
        self.protocol.note("work_on")
        work = self.work
        if work is None:
            return False
        work.step(self.budget)
        if not work.done:
            return True
        self.work = None
        self.push(b"worked\n")
        self.rejoin_ready()
        self.paused = False
        self.host.regulate(self)
        return False

    def tick(self, now_ms: int) -> None:
        self.protocol.note("tick")
        self.ticks += 1

    def lost(self) -> None:
        self.protocol.note("lost")
        self.is_lost = True
        if self.connection is not None:
            abandon(self.protocol.host.engine, self.connection)
        super().lost()


class LineProtocol(WireProtocol):
    """All connections with lines."""

    name = "lines"

    def __init__(self, host: EndpointHost) -> None:
        super().__init__()
        self.signatures = [b"LINE"]
        self.host = host
        self.made: list[LineEndpoint] = []
        #: Calls of the loop, with the thread that made them.
        self.calls: list[tuple[str, int]] = []
        self.check: Callable[[], None] = lambda: None

    def note(self, call: str) -> None:
        self.check()
        self.calls.append((call, threading.get_ident()))

    def endpoint(self, origin: Origin) -> LineEndpoint:
        self.made.append(LineEndpoint(self, origin))
        return self.made[-1]

    def connections_count(self) -> int:
        return sum(not each.is_lost for each in self.made)

    def farewell(self) -> None:
        for each in self.made:
            if not each.is_lost and not each.closing:
                each.push(b"bye\n")
                each.end()


class Client:
    """A client that sends and reads lines."""

    def __init__(self, port: int, first: bytes = b"LINE\n") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.file = self.socket.makefile("rb")
        self.socket.sendall(first)

    def say(self, text: bytes) -> None:
        self.socket.sendall(text)

    def line(self) -> bytes:
        """The next line; b"" if the connection was closed."""
        return self.file.readline()

    def close(self) -> None:
        self.file.close()
        self.socket.close()


class Both(Serving):
    """A queue manager that serves both protocols."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = LineProtocol(self.hub)
        self.hub.registry.add(self.lines)
        self.clients: list[Client] = []

    def client(self, first: bytes = b"LINE\n") -> Client:
        self.clients.append(Client(self.port, first))
        return self.clients[-1]

    def close(self) -> None:
        for each in self.clients:
            each.close()
        super().close()


@pytest.fixture
def both() -> Iterator[Both]:
    made = Both()
    yield made
    made.close()


def test_the_first_bytes_select_the_protocol(both: Both) -> None:
    lines = both.client()
    lines.say(b"ECHO 1\nPUT from the line client\n")
    with both.connect() as qm:
        assert (lines.line(), lines.line()) == (b"1\n", b"put\n")
        assert qm.queue(QUEUE).get(wait=PATIENCE).data == b"from the line client"
        assert both.hub.connections_count() == 2 and both.hub.instances_count() == 1
    assert len(both.lines.made) == 1 and len(both.channels.sessions) <= 1


def test_a_protocol_is_selected_when_enough_bytes_have_come_and_none_is_lost(both: Both) -> None:
    lines = both.client(b"L")
    until(lambda: len(both.hub.links) == 1, "the connection is made")
    assert not both.lines.made
    for byte in b"INE\nECHO one at a time\n":
        lines.say(bytes([byte]))
    assert lines.line() == b"one at a time\n"


# -- W1: errors end one connection -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [b"NONSENSE\n", b"\x00\xff\n", b"x" * 1000], ids=["verb", "bytes", "length"])
def test_an_error_ends_one_connection_and_those_of_both_protocols_go_on(both: Both, wrong: bytes) -> None:
    sound, broken = both.client(), both.client()
    with both.connect() as qm:
        broken.say(wrong)
        assert broken.line() in (b"what?\n", b"") and broken.line() == b""
        sound.say(b"ECHO still here\n")
        assert sound.line() == b"still here\n"
        qm.queue(QUEUE).put(b"1")
        assert qm.queue(QUEUE).get().data == b"1"


def test_bytes_of_no_protocol_are_refused_by_mq_and_others_go_on(both: Both) -> None:
    sound = both.client()
    stranger = both.client(GARBAGE)
    answer = stranger.socket.recv(100)
    assert answer[:4] == b"TSH " and stranger.line()[:0] == b""
    sound.say(b"ECHO still here\n")
    assert sound.line() == b"still here\n"
    assert len(both.lines.made) == 1
    assert any("The connection from 127.0.0.1" in text for _, text in both.host.errors.recent)


def test_a_connection_that_breaks_off_is_lost_once(both: Both) -> None:
    gone, stays = both.client(), both.client()
    stays.say(b"ECHO 1\n")
    assert stays.line() == b"1\n"
    gone.close()
    until(lambda: [each.is_lost for each in both.lines.made].count(True) == 1, "the endpoint hears of it")
    stays.say(b"ECHO 2\n")
    assert stays.line() == b"2\n"
    assert [call for call, _ in both.lines.calls].count("lost") == 1


# -- W2: calls are in turns --------------------------------------------------------------------------------------------


def test_every_call_is_made_by_the_thread_of_the_loop_under_the_lock(both: Both) -> None:
    loop_thread: list[int] = []
    unlocked: list[str] = []
    both.soon(lambda: loop_thread.append(threading.get_ident()))

    def check() -> None:
        others: list[bool] = []
        thread = threading.Thread(target=lambda: others.append(both.host.lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        if others != [False]:
            unlocked.append("a call without the lock")

    both.lines.check = check
    lines = both.client()
    lines.say(b"ECHO 1\nSEND 2500\nWORK 1\n")
    assert lines.line() == b"1\n"
    got = [lines.line() for _ in range(2501)]
    got.remove(b"worked\n")
    assert got == [LINE % number for number in range(2500)]
    both.soon(lambda: both.hub.run(both.hub._look_around))
    until(lambda: both.lines.made[0].ticks, "a second is over")
    lines.close()
    until(lambda: both.lines.made[0].is_lost, "the socket is gone")
    assert [call for call, _ in both.lines.calls].count("work_on") > 3
    assert {call for call, _ in both.lines.calls} == {"received", "resume", "work_on", "tick", "lost"}
    assert {thread for _, thread in both.lines.calls} == set(loop_thread) and not unlocked


def test_long_work_of_one_endpoint_is_done_between_the_turns_of_others(both: Both) -> None:
    """Work that makes no progress until another client has had its answers."""
    working, other = both.client(), both.client()
    working.say(b"WORK 0\n")
    until(lambda: any(each.work is not None for each in both.lines.made), "it works")
    for number in range(3):
        other.say(b"ECHO %d\n" % number)
        assert other.line() == b"%d\n" % number
    with both.connect() as qm:
        qm.queue(QUEUE).put(b"meanwhile")
    [endpoint] = [each for each in both.lines.made if each.work is not None]
    endpoint.budget = SLICE
    assert working.line() == b"worked\n"
    working.say(b"ECHO after\n")
    assert working.line() == b"after\n"


# -- W3: output is in order --------------------------------------------------------------------------------------------


def test_a_client_that_reads_slowly_gets_every_line_in_order_while_others_are_served(both: Both) -> None:
    count = 300_000  # More than the buffers of the transport and of the system take.
    slow, other = both.client(), both.client()
    slow.say(b"SEND %d\nECHO last\n" % count)
    until(lambda: both.lines.made and any(each.blocked for each in both.lines.made), "its buffers are full")
    with both.connect() as qm:
        qm.queue(QUEUE).put(b"meanwhile")
    other.say(b"ECHO meanwhile\n")
    assert other.line() == b"meanwhile\n"
    got = [slow.line() for _ in range(count + 1)]
    got.remove(b"last\n")
    assert got == [LINE % number for number in range(count)]


def run(body: Callable[[Hub, LineProtocol, Link, Wire, SlowLog], Any]) -> None:
    """A link of the line protocol on a transport and a log that the test controls."""

    async def go() -> None:
        host = ServingHost(*lifecycle.create_in_memory("QM1", lifecycle.CreateOptions(developer=True)), None)
        hub = Hub(host, asyncio.get_running_loop())
        ServedChannels(hub, Gatekeeper())
        lines = LineProtocol(hub)
        hub.registry.add(lines)
        log = SlowLog()
        hub._log = log
        hub.flusher._under_way = True  # Nobody flushes but the test.
        link, wire = Link(hub), Wire()
        link.connection_made(wire)  # type: ignore[arg-type]
        done = body(hub, lines, link, wire, log)
        if done is not None:
            await done
        hub.flusher._under_way = False
        hub._held.clear()
        hub.close()
        host.close()

    asyncio.run(go())


def test_output_waits_for_the_log_and_later_output_does_not_overtake_it() -> None:
    def body(hub: Hub, lines: LineProtocol, link: Link, wire: Wire, log: SlowLog) -> None:
        link.data_received(b"LINE\nECHO 1\n")
        link.data_received(b"LOG 10\n")
        link.data_received(b"ECHO 2\n")
        other, heard = Link(hub), Wire()
        other.connection_made(heard)  # type: ignore[arg-type]
        other.data_received(b"LINE\nECHO of another\n")
        assert wire.written == [b"1\n"] and heard.written == [b"of another\n"]
        log.durable = 9
        hub._release()
        assert wire.written == [b"1\n"]
        log.durable = 10
        hub._release()
        assert wire.written == [b"1\n", b"10\n", b"2\n"]

    run(body)


def test_delayed_output_is_written_when_its_time_has_come_and_later_output_after_it() -> None:
    async def body(hub: Hub, lines: LineProtocol, link: Link, wire: Wire, log: SlowLog) -> None:
        link.data_received(b"LINE\nSLOW 1\n")
        link.data_received(b"ECHO 2\n")
        assert wire.written == []
        await asyncio.sleep(2 * SLOW_MS / 1000)
        assert b"".join(wire.written) == b"1\n2\n"

    run(body)


def test_a_closing_endpoint_is_closed_after_its_output() -> None:
    def body(hub: Hub, lines: LineProtocol, link: Link, wire: Wire, log: SlowLog) -> None:
        link.data_received(b"LINE\nLOG 10\n")
        hub.run(hub.farewell)
        assert wire.written == [] and not wire.closed
        log.durable = 10
        hub._release()
        assert wire.written == [b"10\n", b"bye\n"] and wire.closed

    run(body)


@pytest.mark.parametrize("ending", ["farewell", "lost"])
def test_a_connection_that_ends_while_it_has_work_is_closed_at_once(ending: str) -> None:
    def body(hub: Hub, lines: LineProtocol, link: Link, wire: Wire, log: SlowLog) -> None:
        link.data_received(b"LINE\nECHO 1\nWORK 0\n")
        [endpoint] = lines.made
        assert endpoint.work is not None and wire.written == []
        if ending == "farewell":
            endpoint.work = None
            hub.run(hub.farewell)
            assert wire.written == [b"1\nbye\n"] and wire.closed
        else:
            link.connection_lost(None)
            assert endpoint.is_lost and not hub.links

    run(body)


# -- limits of time ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [b"", b"LIN"])
def test_a_connection_that_selects_no_protocol_is_closed_in_the_end(first: bytes) -> None:
    def body(hub: Hub, lines: LineProtocol, link: Link, wire: Wire, log: SlowLog) -> None:
        if first:
            link.data_received(first)
        for _ in range(NEGOTIATION_S):
            hub.run(hub._look_around)
        before = wire.aborted
        hub.run(hub._look_around)
        assert (before, wire.aborted) == (False, True) and not lines.made

    run(body)


def test_an_admitted_client_that_is_silent_stays() -> None:
    def body(hub: Hub, lines: LineProtocol, link: Link, wire: Wire, log: SlowLog) -> None:
        link.data_received(b"LINE\n")
        for _ in range(NEGOTIATION_S + 1):
            hub.run(hub._look_around)
        assert not wire.aborted and lines.made[0].ticks == NEGOTIATION_S + 1

    run(body)


# -- the registry ------------------------------------------------------------------------------------------------------


class Named(WireProtocol):
    """A protocol with nothing but signatures."""

    def __init__(self, name: str, *signatures: bytes) -> None:
        super().__init__()
        self.name = name
        self.signatures = list(signatures)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"TSHM", "MQ"),
        (b"TSH ", "MQ"),
        (b"TS", None),
        (b"AMQP\x00\x01\x00\x00", "AMQP"),
        (b"\x10\x0c", "MQTT"),
        (b"A", None),
        (b"AMQX", "MQ"),
        (b"\x00", "MQ"),
    ],
)
def test_the_registry_tells_protocols_by_their_signatures(data: bytes, name: str | None) -> None:
    registry = Registry()
    for protocol in (Named("MQ", b"TSH"), Named("AMQP", b"AMQP"), Named("MQTT", b"\x10")):
        registry.add(protocol)
    chosen = registry.choose(data)
    assert (None if chosen is None else chosen.name) == name


@pytest.mark.parametrize("signature", [b"", b"TSH", b"TS", b"TSHM", b"123456789"])
def test_the_registry_refuses_a_signature_that_cannot_be_told_from_another(signature: bytes) -> None:
    registry = Registry()
    registry.add(Named("MQ", b"TSH"))
    with pytest.raises(ValueError, match="signature|cannot be told"):
        registry.add(Named("other", signature))
    assert [each.name for each in registry.protocols] == ["MQ"]
