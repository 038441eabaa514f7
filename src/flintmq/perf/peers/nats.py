"""NATS: a queue is a subject with one queue group; durable messages are in a JetStream stream on files.

core        PUB to the subject; the message is given to one of those that listen now
JetStream   PUB to the subject of a work-queue stream, answered when it is stored; a durable pull consumer for each
            queue gives messages on request, and +ACK removes them
"""

from __future__ import annotations

import json
import time
import uuid
from collections import deque

from flintmq.perf.peers.connection import TIMEOUT_S, PeerError, PeerMessage, Wire

STREAM = "PERF"
_SUBJECTS = "perf.q.>"


class Nats:
    """One connection."""

    def __init__(self, address: str, durable: bool) -> None:
        self._wire = Wire(address)
        self._durable = durable
        self._inbox = f"_INBOX.{uuid.uuid4().hex}"
        self._arrived: deque[PeerMessage] = deque()
        self._answers: deque[PeerMessage] = deque()
        self._subscribed: set[str] = set()
        self._pending: list[str] = []
        self._number = 0
        self._wire.send(b'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\nPING\r\n')
        self._pong()
        self._wire.send(f"SUB {self._inbox}.* 1\r\n".encode())
        if durable:
            self._stream()

    def _pong(self) -> None:
        until = time.monotonic() + TIMEOUT_S
        while self._step(until) != "PONG":
            continue

    def _step(self, until: float) -> str:
        """Read one protocol line with its payload; return its verb. Raise PeerError at the end of the time."""
        line = self._wire.line(until)
        if line is None:
            raise TimeoutError
        words = line.split(b" ")
        word = words[0].decode().upper()
        if word in ("MSG", "HMSG"):
            total = int(words[-1])
            before = int(words[-2]) if word == "HMSG" else 0
            last = len(words) - (2 if word == "HMSG" else 1)
            data = self._wire.exactly(total + 2, time.monotonic() + TIMEOUT_S)
            if data is None:
                raise PeerError("NATS has sent a part of a message")
            reply_to = words[3].decode() if last == 4 else ""
            message = PeerMessage(data[before:total], reply_to, data[:before])
            mine = words[2] == b"1"
            (self._answers if mine else self._arrived).append(message)
        elif word == "PING":
            self._wire.send(b"PONG\r\n")
        elif word == "-ERR":
            raise PeerError(f"NATS says {line.decode(errors='replace')}")
        return word

    def _request(self, subject: str, data: bytes, wait_s: float = TIMEOUT_S) -> PeerMessage | None:
        """Publish with a reply subject of this connection's own and wait for the answer."""
        self._number += 1
        self._answers.clear()
        self._wire.send(
            b"PUB %s %s.%d %d\r\n%s\r\n"
            % (
                subject.encode(),
                self._inbox.encode(),
                self._number,
                len(data),
                data,
            )
        )
        return self._answer(wait_s)

    def _answer(self, wait_s: float) -> PeerMessage | None:
        until = time.monotonic() + wait_s
        while not self._answers:
            try:
                self._step(until)
            except TimeoutError:
                return None
        return self._answers.popleft()

    def _api(self, name: str, content: dict[str, object]) -> None:
        answer = self._request(f"$JS.API.{name}", json.dumps(content).encode())
        said = json.loads(answer.data) if answer is not None and answer.data else {}
        code = said.get("error", {}).get("err_code")
        if answer is None or (code and code not in (10058, 10148, 10013)):
            raise PeerError(f"JetStream refuses {name}: {said.get('error')}")

    def _stream(self) -> None:
        self._api(
            f"STREAM.CREATE.{STREAM}",
            {"name": STREAM, "subjects": [_SUBJECTS], "retention": "workqueue", "storage": "file", "num_replicas": 1},
        )

    def put(self, queue: str, data: bytes, reply_to: str) -> None:
        """Publish. With JetStream the name of the reply queue goes before the data: the answer is the store's."""
        if self._durable:
            named = reply_to.encode().ljust(64) + data
            answer = self._request(f"perf.q.{queue}", named)
            if answer is None or b'"stream"' not in answer.data:
                raise PeerError(f"JetStream has not stored a message: {answer}")
            return
        back = f" perf.n.{reply_to}" if reply_to else ""
        self._wire.send(b"PUB %s %d\r\n%s\r\n" % (f"perf.n.{queue}{back}".encode(), len(data), data))

    def get(self, queue: str, wait_s: float) -> PeerMessage | None:
        """Get the next message of a queue."""
        if self._durable:
            return self._pull(queue, wait_s)
        if queue not in self._subscribed:
            self._wire.send(f"SUB perf.n.{queue} perf 2\r\nPING\r\n".encode())
            self._subscribed.add(queue)
            self._pong()
        return self._take(wait_s, "perf.n.")

    def _take(self, wait_s: float, prefix: str) -> PeerMessage | None:
        until = time.monotonic() + wait_s
        while not self._arrived:
            try:
                self._step(until)
            except TimeoutError:
                return None
        message = self._arrived.popleft()
        message.reply_to = message.reply_to.removeprefix(prefix)
        return message

    def _pull(self, queue: str, wait_s: float) -> PeerMessage | None:
        name = queue.replace(".", "_")
        if queue not in self._subscribed:
            self._api(
                f"CONSUMER.DURABLE.CREATE.{STREAM}.{name}",
                {
                    "stream_name": STREAM,
                    "config": {
                        "durable_name": name,
                        "ack_policy": "explicit",
                        "filter_subject": f"perf.q.{queue}",
                        "max_ack_pending": 10_000,
                    },
                },
            )
            self._subscribed.add(queue)
        asked = json.dumps({"batch": 1, "expires": int(wait_s * 1e9)}).encode()
        answer = self._request(f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{name}", asked, wait_s + 1.0)
        if answer is None or answer.message_id:  # Headers: 404 no messages, 408 request timeout.
            return None
        self._pending.append(answer.reply_to)
        named, data = answer.data[:64], answer.data[64:]
        return PeerMessage(data, named.decode().strip())

    def acknowledge(self) -> None:
        """Acknowledge all pulled messages."""
        if self._pending:
            self._wire.send(b"".join(f"PUB {each} 4\r\n+ACK\r\n".encode() for each in self._pending))
            self._pending.clear()

    def publish(self, topic: str, data: bytes) -> None:
        """Publish to a subject, and wait until the server has read it."""
        self._wire.send(b"PUB %s %d\r\n%s\r\nPING\r\n" % (topic.replace("/", ".").encode(), len(data), data))
        self._pong()

    def subscribe(self, topic: str) -> None:
        """Subscribe to a subject."""
        self._wire.send(f"SUB {topic.replace('/', '.')} 2\r\nPING\r\n".encode())
        self._pong()

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next publication."""
        message = self._take(wait_s, "")
        return message.data if message is not None else None

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()
