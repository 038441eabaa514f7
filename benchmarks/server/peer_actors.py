"""Requesters and responders of the peers (peers.py), driven as the clients of load.py are.

The request goes to one queue or subject that the responders share; the reply goes to one of the requester's own, named
in the request. This is what rr_cc_async does with a queue manager.
"""

from __future__ import annotations

import struct

from benchmarks.server import peers
from benchmarks.server.actor import READ, Actor, Run

REQUESTS = "bench.request"
_LINE = b"\r\n"


class NatsActor(Actor):
    """A client of NATS: lines, and payloads behind those that say so."""

    def __init__(self, run: Run, at: str, size: int) -> None:
        super().__init__(run, at, False)
        self.payload = bytes(size)
        self.size = str(size).encode()
        self.send(b'CONNECT {"verbose":false,"pedantic":false}\r\n')

    def subscribe(self, to: bytes) -> None:
        """SUB; then wait until the server knows of it, for what is published before is lost."""
        self.socket.setblocking(True)
        self.send(b"SUB " + to + b" 1\r\nPING\r\n")
        got = b""
        while b"PONG\r\n" not in got:
            more = self.socket.recv(READ)
            if not more:
                raise SystemExit("the server has closed a connection while it was made")
            got += more
        self.socket.setblocking(False)

    def cut(self, data: bytes) -> int:
        at = 0
        while True:
            end = data.find(_LINE, at)
            if end < 0:
                return at
            line = data[at:end]
            after = end + 2
            if line[:4] == b"MSG ":
                words = line.split(b" ")
                after += int(words[-1]) + 2
                if after > len(data):
                    return at
                self.got(words)
            elif line[:4] == b"PING":
                self.send(b"PONG\r\n")
            at = after

    def got(self, words: list[bytes]) -> None:
        """A message: MSG subject number [reply-to] size."""
        raise NotImplementedError


class NatsRequester(NatsActor):
    def __init__(self, run: Run, at: str, size: int, number: int) -> None:
        super().__init__(run, at, size)
        own = f"bench.reply.{number}".encode()
        self.subscribe(own)
        self.request = b"PUB %s %s %s\r\n%s\r\n" % (REQUESTS.encode(), own, self.size, self.payload)

    def start(self) -> None:
        if self.run.more():
            self.send(self.request)

    def got(self, words: list[bytes]) -> None:
        self.run.to_end -= 1
        self.start()


class NatsResponder(NatsActor):
    def __init__(self, run: Run, at: str, size: int, number: int) -> None:
        super().__init__(run, at, size)
        self.subscribe(REQUESTS.encode() + b" responders")

    def got(self, words: list[bytes]) -> None:
        self.send(b"PUB %s %s\r\n%s\r\n" % (words[3], self.size, self.payload))


class RabbitActor(Actor):
    """A client of RabbitMQ: a delivery is a method, a header and a body."""

    def __init__(self, run: Run, at: str, size: int, queue: str, tls: bool) -> None:
        super().__init__(run, at, tls)
        self.payload = bytes(size)
        self.reply_to = ""
        self.socket.setblocking(True)
        for said, wanted in peers.GREETING:
            self.ask(said, wanted)
        self.ask(peers.declare(queue), (50, 11))
        self.ask(peers.consume(queue), (60, 21))

    def ask(self, said: bytes, wanted: tuple[int, int]) -> None:
        """Say something, and wait for the method that answers it."""
        self.send(said)
        data = b""
        while True:
            while len(data) < 7 or len(data) < 8 + struct.unpack_from(">I", data, 3)[0]:
                more = self.socket.recv(1 << 16)
                if not more:
                    raise SystemExit(f"RabbitMQ has closed the connection before {wanted}")
                data += more
            length = 8 + struct.unpack_from(">I", data, 3)[0]
            if data[0] == 1 and struct.unpack_from(">HH", data, 7) == wanted:
                self.held = data[length:]
                return
            data = data[length:]

    def cut(self, data: bytes) -> int:
        at = 0
        while len(data) - at >= 8:
            length = 8 + struct.unpack_from(">I", data, at + 3)[0]
            if len(data) - at < length:
                break
            if data[at] == 2:
                (flags,) = struct.unpack_from(">H", data, at + 19)
                self.reply_to = data[at + 22 : at + 22 + data[at + 21]].decode() if flags & 0x0200 else ""
            elif data[at] == 3:
                self.got()
            at += length
        return at

    def got(self) -> None:
        """The body of a message has arrived."""
        raise NotImplementedError


class RabbitRequester(RabbitActor):
    def __init__(self, run: Run, at: str, size: int, number: int, tls: bool) -> None:
        own = f"bench.reply.{number}"
        super().__init__(run, at, size, own, tls)
        self.request = peers.publish(REQUESTS, own, self.payload)

    def start(self) -> None:
        if self.run.more():
            self.send(self.request)

    def got(self) -> None:
        self.run.to_end -= 1
        self.start()


class RabbitResponder(RabbitActor):
    def __init__(self, run: Run, at: str, size: int, number: int, tls: bool) -> None:
        super().__init__(run, at, size, REQUESTS, tls)
        self.replies: dict[str, bytes] = {}

    def got(self) -> None:
        reply = self.replies.get(self.reply_to)
        if reply is None:
            reply = self.replies[self.reply_to] = peers.publish(self.reply_to, "", self.payload)
        self.send(reply)


class StompActor(Actor):
    """A client of ActiveMQ: a command, headers, a blank line, as many bytes as a header says, and a zero."""

    def __init__(self, run: Run, at: str, size: int, queue: str) -> None:
        super().__init__(run, at, False)
        self.payload = bytes(size)
        self.socket.setblocking(True)
        self.send(peers.stomp("CONNECT", {"accept-version": "1.1", "host": "localhost"}))
        self.send(peers.stomp("SUBSCRIBE", {"id": "1", "destination": queue, "ack": "auto", "receipt": "there"}))
        answer = b""
        while b"receipt-id:there" not in answer:
            more = self.socket.recv(1 << 16)
            if not more or b"ERROR" in more:
                raise SystemExit(f"ActiveMQ does not let us subscribe: {more!r}")
            answer += more
        self.held = b""

    def cut(self, data: bytes) -> int:
        at = 0
        while True:
            while data[at : at + 1] in (b"\n", b"\0"):
                at += 1
            end = data.find(b"\n\n", at)
            if end < 0:
                return at
            headers = data[at:end]
            length = headers.find(b"content-length:")
            if length < 0:
                after = data.find(b"\0", end) + 1
            else:
                after = end + 3 + int(headers[length + 15 :].partition(b"\n")[0])
            if not 0 < after <= len(data):
                return at
            if headers[:8] == b"MESSAGE\n":
                self.got(headers)
            at = after

    def got(self, headers: bytes) -> None:
        """A message has arrived."""
        raise NotImplementedError


class StompRequester(StompActor):
    def __init__(self, run: Run, at: str, size: int, number: int) -> None:
        own = f"/queue/bench.reply.{number}"
        super().__init__(run, at, size, own)
        self.request = peers.stomp("SEND", {"destination": f"/queue/{REQUESTS}", "reply-to": own}, self.payload)

    def start(self) -> None:
        if self.run.more():
            self.send(self.request)

    def got(self, headers: bytes) -> None:
        self.run.to_end -= 1
        self.start()


class StompResponder(StompActor):
    def __init__(self, run: Run, at: str, size: int, number: int) -> None:
        super().__init__(run, at, size, f"/queue/{REQUESTS}")
        self.replies: dict[bytes, bytes] = {}

    def got(self, headers: bytes) -> None:
        name = headers.partition(b"\nreply-to:")[2].partition(b"\n")[0]
        reply = self.replies.get(name)
        if reply is None:
            reply = self.replies[name] = peers.stomp("SEND", {"destination": name.decode()}, self.payload)
        self.send(reply)


def peer_actors(kind: str, run: Run, at: str, size: int, first: int, second: int, tls: bool) -> list[Actor]:
    """Everybody who takes part: responders first, for NATS gives a request to those who are there.

    With `tls` they speak TLS; only those of RabbitMQ do.
    """
    if kind == "nats":
        made: list[Actor] = [NatsResponder(run, at, size, number) for number in range(second)]
        return made + [NatsRequester(run, at, size, number) for number in range(first)]
    if kind == "activemq":
        made = [StompResponder(run, at, size, number) for number in range(second)]
        return made + [StompRequester(run, at, size, number) for number in range(first)]
    made = [RabbitResponder(run, at, size, number, tls) for number in range(second)]
    return made + [RabbitRequester(run, at, size, number, tls) for number in range(first)]
