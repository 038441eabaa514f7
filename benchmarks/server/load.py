"""Who takes part in a load of `bench wire`: raw sockets that send prepared segments. Compiled; driver.py drives them.

Every socket is one actor: it is called with each whole segment that arrives, and sends the next.

    kind             actors
    request_reply    requesters: MQPUT a request, MQGET the reply by CorrelId; responders: MQGET, MQPUT
    request_reply_async   the same with asynchronous puts and consumers; a reply queue for each requester
    pass             putters: MQPUT; getters: MQGET
    pass_async       the same with asynchronous puts and consumers
    nats, rabbitmq, activemq   request/reply with a peer (peer_actors.py)
    echo             the floor: for each actor above, the same bytes both ways, in the same number of exchanges
    relay            the second floor: the sockets of request_reply_async, through a bare relay (relay.py)
"""

from __future__ import annotations

from benchmarks.server import relay, segments
from benchmarks.server.actor import READ, Actor, Run
from benchmarks.server.peer_actors import peer_actors
from benchmarks.server.plan import Plan
from flintmq.mqi.constants import MQMT_REPLY, MQMT_REQUEST, MQOO_INPUT_SHARED, MQOO_OUTPUT
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.initial_data import InitialData

#: How long message ids are.
ID = 24


class Client(Actor):
    """A client of the queue manager: connected, with its queues open."""

    def __init__(self, run: Run, plan: Plan, at: str, sharing: int) -> None:
        super().__init__(run, at, plan.tls)
        self.wire = segments.Dialect(sharing > 0)
        self.socket.setblocking(True)
        answer = self.ask(segments.initial_data(plan.channel, sharing))
        if answer[10 if answer[:4] == b"TSH " else 18] & seg.ERROR:
            read = seg.read(answer)
            told = InitialData.unpack(read.body, read.big_endian, read.ccsid)
            answer = self.ask(segments.initial_data(plan.channel, sharing, told))
        self.send(self.wire.segment(seg.USERID_DATA, segments.user(plan.user)))
        self.called(seg.MQCONN, segments.connect())

    def ask(self, data: bytes) -> bytes:
        """Send, and wait for the answer."""
        self.send(data)
        got = b""
        while len(got) < 8 or len(got) < int.from_bytes(got[4:8], "big"):
            more = self.socket.recv(READ)
            if not more:
                raise SystemExit("the server has closed a connection while it was made")
            got += more
        return got

    def called(self, kind: int, body: bytes) -> int:
        """A call that must succeed; the handle."""
        answer = self.ask(self.wire.call(kind, body))
        at = self.wire.size
        reason = int.from_bytes(answer[at + 8 : at + 12], "little")
        if reason:
            raise SystemExit(f"the server has answered a call of type {kind:#x} with reason {reason}")
        return int.from_bytes(answer[at + 12 : at + 16], "little")

    def open(self, queue: str, options: int) -> int:
        return self.called(seg.MQOPEN, segments.opening(queue, options))

    def put_call(self, handle: int, body: bytes) -> tuple[bytes, bytes]:
        """MQPUT, cut where the CorrelId goes."""
        return self.halves(self.wire.call(seg.MQPUT, body, handle))

    def get_call(self, handle: int, body: bytes) -> tuple[bytes, bytes]:
        """MQGET, cut likewise."""
        return self.halves(self.wire.call(seg.MQGET, body, handle))

    def halves(self, call: bytes) -> tuple[bytes, bytes]:
        return call[: self.wire.correl_id], call[self.wire.correl_id + ID :]

    def consumer(self, queue: str) -> int:
        """Open `queue` and ask for its messages."""
        self.pushed = self.open(queue, MQOO_INPUT_SHARED)
        self.id_at = self.wire.pushed_msg_id(queue)
        self.again = self.wire.segment(seg.REQUEST_MSGS, segments.consume(self.pushed, segments.AGAIN_BYTES, False))
        self.used = 0
        self.send(self.wire.segment(seg.NOTIFICATION, segments.started()))
        self.send(self.wire.segment(seg.REQUEST_MSGS, segments.consume(self.pushed, 0, True)))
        return self.pushed

    def consumed(self, data: bytes) -> None:
        """A message was used: after enough of them the server hears of it."""
        self.used += len(data) - self.id_at + 48
        if self.used >= segments.AGAIN_BYTES:
            self.used -= segments.AGAIN_BYTES
            self.send(self.again)

    def failed(self, data: bytes) -> None:
        at = self.wire.size
        raise SystemExit(
            f"type {data[at - 19]:#x} was answered with {int.from_bytes(data[at + 8 : at + 12], 'little')}"
        )


class Requester(Client):
    """Puts a request, then gets its reply by CorrelId, which is the MsgId of the request."""

    def __init__(self, run: Run, plan: Plan, number: int) -> None:
        super().__init__(run, plan, plan.first_at, 0)
        out = self.open(plan.requests, MQOO_OUTPUT)
        back = self.open(plan.replies, MQOO_INPUT_SHARED)
        self.request = self.wire.call(
            seg.MQPUT, segments.put(plan.size, MQMT_REQUEST, plan.replies, persistent=plan.persistent), out
        )
        self.get_head, self.get_rest = self.get_call(back, segments.get(plan.size, True))
        self.msg_id, self.correl_id = self.wire.msg_id, self.wire.correl_id
        self.size = plan.size
        self.waits_for = b""

    def start(self) -> None:
        if self.run.more():
            self.send(self.request)

    def take(self, data: bytes) -> None:
        if len(data) < self.size:  # The reply to the put.
            self.waits_for = data[self.msg_id : self.msg_id + ID]
            self.send(self.get_head + self.waits_for + self.get_rest)
        elif data[self.correl_id : self.correl_id + ID] != self.waits_for:
            self.failed(data)
        else:
            self.run.to_end -= 1
            if self.run.more():
                self.send(self.request)


class Responder(Client):
    """Gets requests and puts replies."""

    def __init__(self, run: Run, plan: Plan, number: int) -> None:
        super().__init__(run, plan, plan.second_at, 0)
        requests = self.open(plan.requests, MQOO_INPUT_SHARED)
        replies = self.open(plan.replies, MQOO_OUTPUT)
        self.get = self.wire.call(seg.MQGET, segments.get(plan.size, False), requests)
        self.put_head, self.put_rest = self.put_call(
            replies, segments.put(plan.size, MQMT_REPLY, persistent=plan.persistent)
        )
        self.msg_id = self.wire.msg_id
        self.size = plan.size
        self.send(self.get)

    def take(self, data: bytes) -> None:
        if len(data) < self.size:
            self.send(self.get)
        else:
            self.send(self.put_head + data[self.msg_id : self.msg_id + ID] + self.put_rest)


class AsyncRequester(Client):
    """Puts requests without waiting for an answer; a consumer takes the replies from a queue of its own."""

    def __init__(self, run: Run, plan: Plan, number: int) -> None:
        super().__init__(run, plan, plan.first_at, 1)
        out = self.open(plan.requests, MQOO_OUTPUT)
        replies = f"{plan.replies}.{number}"
        body = segments.put(plan.size, MQMT_REQUEST, replies, asynchronous=True)
        self.request = self.wire.call(seg.MQPUT, body, out)
        self.size = plan.size
        self.consumer(replies)

    def start(self) -> None:
        if self.run.more():
            self.send(self.request)

    def take(self, data: bytes) -> None:
        if len(data) < self.size:
            return self.failed(data)
        self.consumed(data)
        self.run.to_end -= 1
        if self.run.more():
            self.send(self.request)


class AsyncResponder(Client):
    """A consumer of requests that puts each reply to the queue that the request names, without waiting."""

    def __init__(self, run: Run, plan: Plan, number: int) -> None:
        super().__init__(run, plan, plan.second_at, 1)
        self.size = plan.size
        self.replies: dict[bytes, tuple[bytes, bytes]] = {}
        for each in range(plan.first):
            name = f"{plan.replies}.{each}"
            body = segments.put(plan.size, MQMT_REPLY, asynchronous=True)
            self.replies[name.encode().ljust(48)] = self.put_call(self.open(name, MQOO_OUTPUT), body)
        self.consumer(plan.requests)

    def take(self, data: bytes) -> None:
        if len(data) < self.size:
            return self.failed(data)
        at = self.id_at
        head, rest = self.replies[data[at + 52 : at + 100]]
        self.send(head + data[at : at + ID] + rest)
        self.consumed(data)


class Putter(Client):
    """Puts messages to a queue, as long as its getter keeps up."""

    def __init__(self, run: Run, plan: Plan, number: int, asynchronous: bool) -> None:
        super().__init__(run, plan, plan.first_at, 1 if asynchronous else 0)
        out = self.open(plan.passing(number), MQOO_OUTPUT)
        self.message = self.wire.call(seg.MQPUT, segments.put(plan.size, asynchronous=asynchronous), out)
        self.asynchronous = asynchronous
        self.most = plan.ahead
        self.ahead = 0
        self.waits = False

    def start(self) -> None:
        self.go_on()

    def go_on(self) -> None:
        """Put as much as may be."""
        while not self.waits and self.ahead < self.most and self.run.more():
            self.ahead += 1
            self.waits = not self.asynchronous
            self.send(self.message)

    def take(self, data: bytes) -> None:
        self.waits = False
        self.go_on()


class Getter(Client):
    """Gets the messages of its putter."""

    def __init__(self, run: Run, plan: Plan, putter: Putter, number: int) -> None:
        super().__init__(run, plan, plan.second_at, 1 if putter.asynchronous else 0)
        self.putter = putter
        self.asynchronous = putter.asynchronous
        queue = plan.passing(number)
        if self.asynchronous:
            self.consumer(queue)
        else:
            self.get = self.wire.call(seg.MQGET, segments.get(plan.size, False), self.open(queue, MQOO_INPUT_SHARED))
            self.send(self.get)
        self.size = plan.size

    def take(self, data: bytes) -> None:
        if len(data) < self.size:
            return self.failed(data)
        if self.asynchronous:
            self.consumed(data)
        else:
            self.send(self.get)
        self.run.to_end -= 1
        self.putter.ahead -= 1
        self.putter.go_on()


class Echo(Actor):
    """The floor: the exchanges of one round trip after the other, or several at a time.

    With `then`, that one makes the second half of each round trip, through a socket of its own.
    """

    def __init__(self, run: Run, plan: Plan, at: str, exchanges: list[list[int]]) -> None:
        super().__init__(run, at, plan.tls)
        self.requests = [
            (b"TSH " + b"".join(number.to_bytes(4, "big") for number in exchange)).ljust(exchange[0], b"\0")
            for exchange in exchanges
        ]
        self.most = plan.ahead
        self.under_way = 0
        self.at = 0
        self.then: Echo | None = None
        self.starts: Echo = self

    def start(self) -> None:
        while self.starts is self and self.under_way < self.most and self.run.more():
            self.under_way += 1
            self.send(self.requests[0])

    def take(self, data: bytes) -> None:
        self.at += 1
        if self.at < len(self.requests):
            self.send(self.requests[self.at])
            return
        self.at = 0
        if self.then is not None:
            self.then.send(self.then.requests[0])
            return
        self.run.to_end -= 1
        self.starts.under_way -= 1
        self.starts.start()


def echoes(plan: Plan, run: Run) -> list[Actor]:
    """One for each that is wanted; or a pair, if half of the exchanges go to another address."""
    if not plan.second_at:
        return [Echo(run, plan, plan.first_at, plan.exchanges) for _ in range(plan.first)]
    half = len(plan.exchanges) // 2
    made: list[Actor] = []
    for _ in range(plan.first):
        first = Echo(run, plan, plan.first_at, plan.exchanges[:half])
        first.then = Echo(run, plan, plan.second_at, plan.exchanges[half:])
        first.then.starts = first
        made += [first, first.then]
    return made


class RelayRequester(Actor):
    """The second floor: a frame for any responder, and one that comes back."""

    def __init__(self, run: Run, plan: Plan, number: int) -> None:
        super().__init__(run, plan.first_at, False)
        (there, on), _ = plan.exchanges
        self.request = relay.frame(there, number, on)
        self.send(relay.frame(relay.HEADER, number, 0))

    def start(self) -> None:
        if self.run.more():
            self.send(self.request)

    def take(self, data: bytes) -> None:
        self.run.to_end -= 1
        self.start()


class RelayResponder(Actor):
    """Answers a frame with one for the requester that sent it."""

    def __init__(self, run: Run, plan: Plan) -> None:
        super().__init__(run, plan.second_at, False)
        _, (there, on) = plan.exchanges
        reply = relay.frame(there, 0, on)
        self.head, self.rest = reply[:8], reply[12:]
        self.send(relay.frame(relay.HEADER, relay.RESPONDER, 0))

    def take(self, data: bytes) -> None:
        self.send(self.head + data[8:12] + self.rest)


def actors(plan: Plan, run: Run) -> list[Actor]:
    """Everybody who takes part."""
    made: list[Actor] = []
    if plan.kind == "request_reply":
        made += [Requester(run, plan, number) for number in range(plan.first)]
        made += [Responder(run, plan, number) for number in range(plan.second)]
    elif plan.kind == "request_reply_async":
        made += [AsyncRequester(run, plan, number) for number in range(plan.first)]
        made += [AsyncResponder(run, plan, number) for number in range(plan.second)]
    elif plan.kind in ("pass", "pass_async"):
        for number in range(plan.first):
            putter = Putter(run, plan, number, plan.kind == "pass_async")
            made += [putter, Getter(run, plan, putter, number)]
    elif plan.kind in ("nats", "rabbitmq", "activemq"):
        made += peer_actors(plan.kind, run, plan.first_at, plan.size, plan.first, plan.second, plan.tls)
    elif plan.kind == "relay":
        made += [RelayResponder(run, plan) for _ in range(plan.second)]
        made += [RelayRequester(run, plan, number) for number in range(plan.first)]
    else:
        made += echoes(plan, run)
    return made
