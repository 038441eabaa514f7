"""A live queue manager and clients that misbehave: nonsense on the wire, clients that are killed, very many clients."""

from __future__ import annotations

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flintmq.mqi.constants import MQGMO_SYNCPOINT
from flintmq.wire.mq import segment as seg
from tests.server.test_process import BOTH, QUEUE, Manager, SocketPeer, manager
from tests.waiting import PATIENCE
from tests.wire.mq.peer import Peer, World
from tests.wire.mq.test_channel_instance_fuzz import RECORDED

__all__ = ["manager"]

ROOT = Path(__file__).resolve().parents[2]


def resident_kb(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def begin() -> bytes:
    """A good INITIAL_DATA."""
    peer = Peer(World())
    body = peer.offer().pack(False, 1208)
    return peer.header(seg.INITIAL_DATA, 0x31, len(body)) + body


def header(length: int, kind: int, struc_id: bytes = b"TSH ") -> bytes:
    return struct.pack(">4sIBBBB8s", struc_id, length, 2, kind, 0x30, 0, bytes(8)) + struct.pack("<IHH", 546, 1208, 0)


def nonsense() -> dict[str, bytes]:
    """What no client should send, by what is wrong with it."""
    noise = random.Random(7)
    good = begin()
    return {
        "garbage": noise.randbytes(3000),
        "text": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "garbage that begins like TLS": b"\x16" + noise.randbytes(2000),
        "a TLS record and then garbage": b"\x16\x03\x01\x00\x20" + noise.randbytes(32),
        "an oversized segment": header(0x7FFF_FFFF, 1) + bytes(100),
        "a segment shorter than its header": header(3, 1),
        "a length of zero": header(0, 1) + bytes(100),
        "a wrong order: MQCONN first": header(44, 0x81) + bytes(16),
        "a wrong order: MQPUT first": header(44, 0x86) + bytes(16),
        "an unknown byte order": header(28, 1).replace(b"\x02\x01", b"\x07\x01"),
        "an unknown type": header(28, 0x77),
        "nothing in INITIAL_DATA": header(28, 1),
        "garbage in INITIAL_DATA": header(228, 1) + noise.randbytes(200),
        "garbage behind INITIAL_DATA": good + noise.randbytes(500),
        "INITIAL_DATA with another channel type": good.replace(b"DEV.APP.SVRCONN", b"NO.SUCH.CHANNEL"),
    }


def said_and_closed(port: int, data: bytes) -> None:
    """Send, and wait until the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as opened:
        try:
            opened.sendall(data)
            while opened.recv(1 << 16):
                pass
        except ConnectionError:
            return


def test_nonsense_ends_its_connection_with_a_line_and_harms_nobody(manager: Manager) -> None:
    manager.start()
    other = manager.peer()
    handle = other.opened(QUEUE, BOTH)
    for what, data in nonsense().items():
        before = manager.errors().count("AMQ9")
        said_and_closed(manager.port, data)
        assert manager.errors().count("AMQ9") == before + 1, what
        assert other.put(handle, what.encode()).reason == 0
        assert other.get(handle).data == what.encode()
    assert not list(manager.place.errors_directory.glob("*.FDC"))


def test_segments_that_were_tampered_with_harm_nobody_and_memory_is_bounded(manager: Manager) -> None:
    """Recorded segments of a good client, cut, stretched, repeated and shuffled, against the live process."""
    manager.start()
    other = manager.peer()
    handle = other.opened(QUEUE, BOTH)
    choice = random.Random(11)
    seen = 0
    for number in range(120):
        parts = list(RECORDED[bool(number % 2)])
        for _ in range(choice.randrange(1, 4)):
            at = choice.randrange(len(parts))
            part = bytearray(parts[at])
            way = choice.randrange(5)
            if way == 0:
                del part[choice.randrange(len(part)) :]
            elif way == 1:
                part[choice.randrange(min(60, len(part)))] ^= 1 << choice.randrange(8)
            elif way == 2:
                struct.pack_into(">I", part, 4, choice.randrange(1 << 32))
            elif way == 3:
                part += choice.randbytes(choice.randrange(100))
            else:
                choice.shuffle(parts)
                continue
            parts[at] = bytes(part)
        with socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE) as opened:
            try:
                for sent in parts:
                    opened.sendall(sent)
            except ConnectionError:
                pass
        if number == 20:
            seen = resident_kb(manager.pid)
    assert other.put(handle, b"still here").reason == 0
    assert resident_kb(manager.pid) - seen < 30_000
    assert not list(manager.place.errors_directory.glob("*.FDC"))


CLIENT = """
import sys
from tests.server.test_process import *
peer = SocketPeer(int(sys.argv[1]))
assert peer.connect().reason == 0
handle = peer.opened(QUEUE, BOTH)
assert peer.get(handle, MQGMO_SYNCPOINT).data == b"work"
peer.put(handle, b"half done", MQPMO_SYNCPOINT)
print("in the middle", flush=True)
sys.stdin.read()
"""


def back_within_a_second(manager: Manager, watching: SocketPeer, handle: int) -> None:
    """The message is there again, and says that it was backed out once more.

    A second in which the queue manager had the processor: it has answered us a hundred times meanwhile.
    """
    until, answers = time.monotonic() + 1.0, 0
    while (got := watching.get(handle)).reason == 2033:
        answers += 1
        assert time.monotonic() < until or answers < 100, "it does not come back"
    assert (got.data, got.md.backout_count) == (b"work", 1)
    assert watching.get(handle).reason == 2033


def test_the_work_of_a_client_that_is_killed_is_backed_out_within_a_second(manager: Manager) -> None:
    manager.start()
    watching = manager.peer()
    handle = watching.opened(QUEUE, BOTH)
    watching.put(handle, b"work")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(manager.port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
    ) as client:
        assert client.stdout is not None and client.stdout.readline().strip() == "in the middle"
        assert watching.get(handle).reason == 2033
        os.kill(client.pid, signal.SIGKILL)
        client.wait()
        back_within_a_second(manager, watching, handle)


@pytest.mark.parametrize("reset", [False, True])
def test_the_work_of_a_client_whose_socket_is_cut_is_backed_out_within_a_second(manager: Manager, reset: bool) -> None:
    manager.start()
    watching, working = manager.peer(), manager.peer()
    handle = watching.opened(QUEUE, BOTH)
    watching.put(handle, b"work")
    assert working.get(working.opened(QUEUE, BOTH), MQGMO_SYNCPOINT).data == b"work"
    if reset:
        working.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    working.socket.close()
    back_within_a_second(manager, watching, handle)


def test_many_clients_are_there_at_once_and_each_costs_little(manager: Manager) -> None:
    """The benchmark `clients` does this with 5,000 for a minute."""
    manager.start()
    busy = manager.peer()
    handle = busy.opened(QUEUE, BOTH)
    talk = RECORDED[False]
    idle: list[socket.socket] = []

    def one_more() -> None:
        opened = socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE)
        for part in talk[:2]:
            opened.sendall(part)
        idle.append(opened)

    for _ in range(50):
        one_more()
    assert busy.put(handle, b"x").reason == 0
    before = resident_kb(manager.pid)
    for _ in range(300):
        one_more()
    for _ in range(20):
        assert busy.put(handle, b"x").reason == 0 and busy.get(handle).reason == 0
    assert (resident_kb(manager.pid) - before) / 300 < 100  # KB; the reports say 83 for a channel of MQ.
    for opened in idle:
        opened.close()
