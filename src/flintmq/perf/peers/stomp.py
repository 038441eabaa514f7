"""ActiveMQ by STOMP 1.2: SEND with a receipt, SUBSCRIBE, ACK.

COMMAND LF (header:value LF)* LF body NUL
"""

from __future__ import annotations

import time
from collections import deque

from flintmq.perf.peers.connection import TIMEOUT_S, PeerError, PeerMessage, Wire


class Stomp:
    """One connection."""

    def __init__(self, address: str, durable: bool) -> None:
        self._wire = Wire(address)
        self._durable = durable
        self._subscribed: set[str] = set()
        self._arrived: deque[PeerMessage] = deque()
        self._pending = ""
        self._number = 0
        self._receipts: set[str] = set()
        self._send("CONNECT", {"accept-version": "1.2", "host": "localhost", "heart-beat": "0,0"})
        until = time.monotonic() + TIMEOUT_S
        while self._step(until) != "CONNECTED":
            continue

    def _send(self, command: str, headers: dict[str, str], body: bytes = b"", receipt: bool = False) -> None:
        """Send a frame; with `receipt` wait until it is answered."""
        if receipt:
            self._number += 1
            headers["receipt"] = f"r{self._number}"
        if body:
            headers["content-length"] = str(len(body))
        lines = [command, *(f"{name}:{value}" for name, value in headers.items())]
        self._wire.send("\n".join(lines).encode() + b"\n\n" + body + b"\0")
        until = time.monotonic() + TIMEOUT_S
        while receipt and headers["receipt"] not in self._receipts:
            self._step(until)
        self._receipts.discard(headers.get("receipt", ""))

    def _until(self, mark: bytes, until: float) -> bytes:
        """Return the bytes before `mark` and consume both."""
        while (end := self._wire.held.find(mark)) < 0:
            if not self._wire.more(until):
                raise TimeoutError
        data = bytes(self._wire.held[:end])
        del self._wire.held[: end + len(mark)]
        return data

    def _step(self, until: float) -> str:
        """Read one frame; return its command. Raise TimeoutError if none begins in time."""
        while True:
            while self._wire.held[:1] == b"\n":
                del self._wire.held[:1]
            if self._wire.held:
                break
            if not self._wire.more(until):
                raise TimeoutError
        late = time.monotonic() + TIMEOUT_S
        head = self._until(b"\n\n", late).decode()
        command, *lines = head.split("\n")
        headers = dict(reversed([line.partition(":")[::2] for line in lines]))
        if "content-length" in headers:
            body = (self._wire.exactly(int(headers["content-length"]) + 1, late) or b"")[:-1]
        else:
            body = self._until(b"\0", late)
        if command == "RECEIPT":
            self._receipts.add(headers["receipt-id"])
        elif command == "MESSAGE":
            reply_to = headers.get("reply-to", "").removeprefix("/queue/")
            self._arrived.append(PeerMessage(body, reply_to, headers.get("ack", "").encode()))
        elif command == "ERROR":
            raise PeerError(f"ActiveMQ says {headers.get('message', '')}")
        return command

    def put(self, queue: str, data: bytes, reply_to: str) -> None:
        """Send to a queue; with `durable` wait for the receipt."""
        headers = {"destination": f"/queue/{queue}"}
        if reply_to:
            headers["reply-to"] = f"/queue/{reply_to}"
        if self._durable:
            headers["persistent"] = "true"
        self._send("SEND", headers, data, self._durable)

    def get(self, queue: str, wait_s: float) -> PeerMessage | None:
        """Return the next message of a queue."""
        self._listen(f"/queue/{queue}", "client" if self._durable else "auto")
        message = self._take(wait_s)
        if message is not None:
            self._pending = message.message_id.decode()
        return message

    def _listen(self, destination: str, how: str) -> None:
        if destination not in self._subscribed:
            headers = {"destination": destination, "id": "1", "ack": how, "activemq.prefetchSize": "50"}
            self._subscribed.add(destination)
            self._send("SUBSCRIBE", headers, receipt=True)

    def _take(self, wait_s: float) -> PeerMessage | None:
        until = time.monotonic() + wait_s
        while not self._arrived:
            try:
                self._step(until)
            except TimeoutError:
                return None
        return self._arrived.popleft()

    def acknowledge(self) -> None:
        """Acknowledge all that was got; the broker answers."""
        if self._durable and self._pending:
            self._send("ACK", {"id": self._pending}, receipt=True)
            self._pending = ""

    def publish(self, topic: str, data: bytes) -> None:
        """Send to a topic and wait for the receipt."""
        self._send("SEND", {"destination": f"/topic/{topic}"}, data, True)

    def subscribe(self, topic: str) -> None:
        """Subscribe to a topic."""
        self._listen(f"/topic/{topic}", "auto")

    def receive(self, wait_s: float) -> bytes | None:
        """Return the next publication."""
        message = self._take(wait_s)
        return message.data if message is not None else None

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()
