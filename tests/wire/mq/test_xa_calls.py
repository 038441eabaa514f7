"""XA over the wire."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import MQGMO_SYNCPOINT, MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from flintmq.qmgr.xa import TMENDRSCAN, TMONEPHASE, TMSTARTRSCAN, TMSUCCESS, XA_OK, XAER_NOTA, XAER_PROTO, pack_xid
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.xa_calls import read_xid, write_xid
from tests.wire.mq.peer import Peer, Reply, World

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT
QUEUE = "DEV.QUEUE.1"
XID = pack_xid(0x464C, b"global", b"branch")


@pytest.fixture(params=[False, True], ids=["little", "big"])
def peer(request: pytest.FixtureRequest) -> Peer:
    return World().connected(big_endian=request.param)


def xa(peer: Peer, kind: int, flags: int = 0, body: bytes | None = None) -> Reply:
    """An XA call: `completion` of the reply is the code."""
    body = write_xid(XID, peer.big_endian) if body is None else body
    whole = (len(body) + 44).to_bytes(4, "big") + peer.longs(0, flags, 7) + body
    reply = peer.reply_to(peer.feed(peer.segment(kind, whole)))
    assert (reply.kind, reply.handle) == (kind + 0x10, 7)
    return reply


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("xid", [XID, pack_xid(2**31 - 1, b"g" * 64, b"b" * 64), pack_xid(0, b"x", b"")])
def test_an_xid_is_written_and_read(xid: bytes, big_endian: bool) -> None:
    written = write_xid(xid, big_endian)
    assert len(written) % 4 == 0 and read_xid(b"...." + written, 4, big_endian) == xid


def test_a_branch_is_prepared_recovered_and_committed(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    assert xa(peer, seg.XA_OPEN, body=b"\x03QM1").completion == XA_OK
    assert xa(peer, seg.XA_START).completion == XA_OK
    assert peer.put(handle, b"in doubt", MQPMO_SYNCPOINT).reason == 0
    assert xa(peer, seg.XA_PREPARE).completion == XAER_PROTO
    assert xa(peer, seg.XA_END, TMSUCCESS).completion == XA_OK
    assert xa(peer, seg.XA_PREPARE).completion == XA_OK
    peer.session.lost()
    other = peer.world.connected(big_endian=peer.big_endian)
    found = xa(other, seg.XA_RECOVER, TMSTARTRSCAN | TMENDRSCAN, other.longs(10))
    assert found.body[:4] == other.longs(1) and read_xid(found.body, 4, other.big_endian) == XID
    handle = other.opened(QUEUE, BOTH)
    assert other.get(handle).reason == 2033
    assert xa(other, seg.XA_COMMIT).completion == XA_OK
    assert other.get(handle).data == b"in doubt"
    assert xa(other, seg.XA_COMMIT).completion == XAER_NOTA
    peer.world.qm.check()


def test_a_branch_is_rolled_back_or_committed_in_one_phase(peer: Peer) -> None:
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"message")
    for finish, flags, left in ((seg.XA_ROLLBACK, 0, 1), (seg.XA_COMMIT, TMONEPHASE, 0)):
        xa(peer, seg.XA_START)
        assert peer.get(handle, MQGMO_SYNCPOINT).data == b"message"
        xa(peer, seg.XA_END, TMSUCCESS)
        assert xa(peer, finish, flags).completion == XA_OK
        assert peer.world.depth(QUEUE) == left
    assert xa(peer, seg.XA_CLOSE, body=b"\x03QM1").completion == XA_OK


@pytest.mark.parametrize("body", [b"", b"12345", bytes([0, 0, 0, 0, 64, 64]) + bytes(100)])
def test_an_xid_that_is_none_closes_the_connection(peer: Peer, body: bytes) -> None:
    whole = bytes(4) + peer.longs(0, 0, 7) + body
    (closed,) = peer.feed(peer.segment(seg.XA_START, whole))
    assert closed.kind == seg.STATUS_DATA and peer.session.closing
