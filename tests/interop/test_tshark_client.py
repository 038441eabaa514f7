"""Wireshark's dissector reads what our client sends: a session is recorded on its way, and given to tshark."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from pathlib import Path

import pytest

import flintmq
from flintmq.mqi import constants as mq
from flintmq.mqi.od import MQOD
from flintmq.qmgr import xa
from flintmq.wire.mq import segment as seg
from tests.client.remote.conftest import serving as serving
from tests.client.remote.serving import CHANNEL, QUEUE, Serving
from tests.interop.dissector import capture, dissected
from tests.waiting import PATIENCE


class Recorder:
    """A proxy for one socket that keeps what goes through it: (from the client, bytes)."""

    def __init__(self, port: int) -> None:
        self.traffic: list[tuple[bool, bytes]] = []
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.conn = f"127.0.0.1({self._listener.getsockname()[1]})"
        self._first = True
        self._keeping: list[threading.Thread] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            kept, self._first = self._first, False
            for source, target, from_client in ((client, server, True), (server, client, False)):
                way = threading.Thread(target=self._forward, args=(source, target, from_client, kept), daemon=True)
                way.start()
                if kept:
                    self._keeping.append(way)

    def _forward(self, source: socket.socket, target: socket.socket, from_client: bool, kept: bool) -> None:
        while data := source.recv(1 << 16):
            if kept:
                self.traffic.append((from_client, data))
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """When both sides have hung up: what was said last is kept, too."""
        self._listener.close()
        for way in self._keeping:
            way.join(PATIENCE)
            assert not way.is_alive()


def a_day(conn: str) -> None:
    """A little of everything, on the first connection."""
    with flintmq.connect("QM1", channel=CHANNEL, conn=conn, user="app", password="secret") as qm:
        queue = qm.queue(QUEUE)
        with qm.transaction():
            for size in (0, 10, 100_000):
                queue.put(b"x" * size, properties={"color": "red"})
        assert len(list(queue.browse())) == 3
        assert len(queue.get(wait=1.0)) == 0
        queue.get(selector="color = 'red'")
        assert queue.depth == 1 and len(queue.get()) == 100_000
        with pytest.raises(flintmq.NoMessageAvailable):
            queue.get(wait=0.01)
        qm.topic("a/b").publish("news", retain=True)
        with pytest.raises(flintmq.UnknownObject):
            qm.queue("NO.SUCH")
        mqi, od, xid = qm.mqi, MQOD(), xa.pack_xid(1, b"global", b"branch")
        od.object_name = QUEUE
        handle = mqi.open(od, mq.MQOO_INQUIRE | mq.MQOO_SET)
        mqi.set(handle, [mq.MQIA_INHIBIT_PUT], [mq.MQQA_PUT_INHIBITED])
        mqi.inq(handle, [mq.MQIA_INHIBIT_PUT, mq.MQCA_Q_NAME])
        mqi.close(handle)
        assert mqi.xa_start(xid) == mqi.xa_end(xid) == mqi.xa_rollback(xid) == xa.XA_OK
        mqi.stat(mq.MQSTAT_TYPE_ASYNC_ERROR)


def test_the_dissector_knows_every_segment_of_our_client(serving: Serving, tmp_path: Path) -> None:
    recorder = Recorder(serving.port)
    a_day(recorder.conn)
    recorder.close()
    path = tmp_path / "client.pcap"
    path.write_bytes(capture((0, client, data) for client, data in recorder.traffic))
    splitters = {True: seg.Splitter(), False: seg.Splitter()}
    sent = Counter(segment.kind for side, data in recorder.traffic for segment in splitters[side].feed(data))
    single = dissected(path, reassembly=False)
    assert Counter(kind for frame in single for kind in frame.kinds) == sent
    assert [frame for frame in single + dissected(path) if frame.complaint] == []
    calls = (seg.MQCONN, seg.MQOPEN, seg.MQPUT, seg.MQGET, seg.MQCMIT, seg.MQINQ, seg.MQSET, seg.MQCLOSE, seg.MQDISC)
    assert set(sent) >= {*calls, seg.MQSTAT, seg.XA_START, seg.CONAUTH_INFO}
