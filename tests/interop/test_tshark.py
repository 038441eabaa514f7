"""Wireshark's dissector reads what we send: no segment that it does not know, none that is malformed.

A conversation of the channel tests is written to a capture file, both directions, and given to tshark. Where tshark is
not installed these tests are skipped and say so.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from flintmq.channel import segment as seg
from flintmq.mqi.constants import (
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
    MQSO_CREATE,
)
from tests.channel.peer import Peer, World
from tests.channel.test_subscribe_calls import descriptor, mqsub, publisher
from tests.channel.test_xa_calls import xa

PORT = 1414
#: It takes the offsets of strings from the start of the segment, and shows the format id of an xid as text.
KNOWN = "Trailing stray characters"
QUEUE = "DEV.QUEUE.1"
BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE


class Recorded(Peer):
    """A peer whose traffic is kept: (from the client, bytes)."""

    def __init__(self, world: World, **options: object) -> None:
        self.traffic: list[tuple[bool, bytes]] = []
        super().__init__(world, **options)  # type: ignore[arg-type]

    def feed(self, data: bytes) -> list[seg.Segment]:
        self.traffic.append((True, data))
        return super().feed(data)

    def received(self) -> list[seg.Segment]:
        out = b"".join(self.session.out)
        if out:
            self.traffic.append((False, out))
        return super().received()


def capture(traffic: list[tuple[bool, bytes]]) -> bytes:
    """A capture file of one TCP connection: link type raw IP, checksums left out."""
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 20, 101)
    positions = {True: 1, False: 1}
    moment = 0

    def packet(client: bool, data: bytes, flags: int) -> None:
        nonlocal out, moment
        moment += 1
        ports = (50000, PORT) if client else (PORT, 50000)
        tcp = struct.pack(">HHIIBBHHH", *ports, positions[client], positions[not client], 0x50, flags, 65535, 0, 0)
        addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2]) if client else bytes([10, 0, 0, 2, 10, 0, 0, 1])
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), moment & 0xFFFF, 0, 64, 6, 0) + addresses
        whole = ip + tcp + data
        out += struct.pack("<IIII", moment, 0, len(whole), len(whole)) + whole
        positions[client] += len(data)

    for client, data in traffic:
        for start in range(0, len(data), 1400):
            packet(client, data[start : start + 1400], 0x18)
    return out


def a_day(peer: Peer) -> None:
    """A little of everything."""
    peer.agree()
    peer.connect(password="secret")
    handle = peer.opened(QUEUE, BOTH)
    for size in (0, 10, 100_000):
        assert peer.put(handle, b"x" * size, MQPMO_SYNCPOINT).reason == 0
    peer.commit()
    peer.get(handle, MQGMO_SYNCPOINT)
    peer.backout()
    peer.get(handle)
    if peer.shared:
        peer.want(handle, room=200_000)
        peer.want(handle, confirm=True)
        peer.notify(-1, 3, 2, confirm=True)
    peer.call(seg.MQINQ, peer.longs(2, 1, 48, 3, 2016), peer.opened(QUEUE, 0x20))
    mqsub(peer, descriptor("a/#", MQSO_CREATE))
    peer.put(publisher(peer, "a/b"), b"news")
    xa(peer, seg.XA_START)
    xa(peer, seg.XA_END, 0x0400_0000)
    peer.open("NO.SUCH.QUEUE", BOTH)
    if peer.shared:
        peer.start_conversation(3)
        peer.connect()
        peer.disconnect()
        peer.conversation = 1
    peer.close(handle)
    peer.disconnect()
    peer.feed(peer.header(seg.HEARTBEAT, seg.CONFIRM_REQUEST, 0, plain=True))
    peer.session.stop(5)
    peer.received()


@pytest.mark.parametrize(("big_endian", "ccsid", "sharing"), [(False, 1208, 10), (True, 819, 10), (False, 437, 0)])
def test_the_dissector_knows_every_segment(tmp_path: Path, big_endian: bool, ccsid: int, sharing: int) -> None:
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed: nobody else reads what we send")
    peer = Recorded(World(), big_endian=big_endian, ccsid=ccsid, sharing=sharing)
    a_day(peer)
    path = tmp_path / "day.pcap"
    path.write_bytes(capture(peer.traffic))
    command = [tshark, "-r", str(path), "-d", f"tcp.port=={PORT},mq", "-T", "fields"]
    fields = ["-e", "_ws.malformed", "-e", "_ws.expert.message", "-e", "mq.tsh.type"]
    ran = subprocess.run([*command, *fields], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    rows = [line.split("\t") for line in ran.stdout.splitlines()]
    assert [row for row in rows if row[0]] == []
    assert [row[1] for row in rows if row[1] and row[1] != KNOWN] == []
    dissected = [int(kind, 16) for row in rows for kind in row[2].split(",") if kind]
    sent = [segment.kind for _, data in peer.traffic for segment in seg.Splitter().feed(data)]
    assert set(dissected) == set(sent)
    assert len(dissected) >= len(sent)  # What was put together from several is listed once more.
