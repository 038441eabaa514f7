"""Wireshark's dissector reads what we send: no segment that it does not know, none that is malformed.

A conversation of the channel tests is written to a capture file, both directions, and given to tshark. Where tshark is
not installed these tests are skipped and say so.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from flintmq.mqi.constants import (
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_SYNCPOINT,
    MQSO_CREATE,
)
from flintmq.wire.mq import segment as seg
from tests.interop.dissector import capture, dissected
from tests.wire.mq.peer import Peer, World
from tests.wire.mq.test_subscribe_calls import descriptor, mqsub, publisher
from tests.wire.mq.test_xa_calls import xa

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
        out = self.unsent()
        if out:
            self.traffic.append((False, out))
        return super().received()


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
    peer = Recorded(World(), big_endian=big_endian, ccsid=ccsid, sharing=sharing)
    a_day(peer)
    path = tmp_path / "day.pcap"
    path.write_bytes(capture((0, client, data) for client, data in peer.traffic))
    sent = Counter(segment.kind for _, data in peer.traffic for segment in seg.Splitter().feed(data))
    single = dissected(path, reassembly=False)
    assert Counter(kind for frame in single for kind in frame.kinds) == sent
    assert [frame for frame in single + dissected(path) if frame.complaint] == []
