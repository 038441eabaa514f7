"""Wireshark's dissector reads what IBM's clients and our queue manager say to each other.

The programs of test_java.py talk to the queue manager through the recorder of `flint wire record`; what it wrote is
made a capture file and given to tshark. Where Java, Maven or tshark is missing these tests are skipped and say so.

Not captured are TLS (Tls.java), which tshark cannot read without the keys of the session, and channels that compress
(Compressed.java): what tshark makes of them has not been tried.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flintmq.server.recorder import CLIENT, Line, Recorder
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.describe import name_of
from tests.interop.dissector import Said, capture, dissected
from tests.interop.test_java import Run, classes, clear, jakarta_classes, port, scenarios
from tests.waiting import PATIENCE

__all__ = ["classes", "jakarta_classes", "port"]

#: Messages up to here: 33 segments are put together. Of 10 MiB it would be 320, the same again and slow.
LONGEST = 1 << 20
#: It compares the port of the listener with the one that it was given, which is the recorder's.
WANTS_PORT = "channelStatus"
#: What a session has at least, whatever the client: both sides of these.
CALLS = {seg.MQCONN, seg.MQOPEN, seg.MQPUT, seg.REQUEST_MSGS, seg.ASYNC_MESSAGE, seg.MQINQ, seg.MQCLOSE, seg.MQDISC}
JMS_CALLS = {seg.MQCMIT, seg.MQBACK, seg.MQSTAT, seg.SPI, seg.NOTIFICATION}
JMS_CALLS |= {seg.XA_START, seg.XA_END, seg.XA_PREPARE, seg.XA_COMMIT, seg.XA_ROLLBACK, seg.XA_RECOVER}
MQI_CALLS = {seg.MQPUT1, seg.MQSET, seg.MQCMIT, seg.MQBACK, seg.MQSUB, seg.MQSUBRQ, seg.USERID_DATA, seg.CONAUTH_INFO}


@contextmanager
def recording(port: int) -> Iterator[tuple[int, list[Line]]]:
    """A recorder in front of a port: the port that it listens at, and the lines that it has written."""
    lines: list[Line] = []
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(Recorder(("127.0.0.1", port), lines.append).listen("127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1], lines
    finally:
        asyncio.run_coroutine_threadsafe(_ended(server), loop).result(2 * PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _ended(server: asyncio.Server) -> None:
    """No more clients come; those that were there have ended, and what they said is written."""
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, left = await asyncio.wait(others, timeout=PATIENCE)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def session_of(program: str, classes: str, port: int) -> list[Said]:
    """The segments of all sockets of a program."""
    chosen = [scenario for scenario in scenarios(program) if scenario != WANTS_PORT]
    clear(port)
    with recording(port) as (at, lines):
        run = Run(program, classes, at, [f"-Dlongest={LONGEST}"], ",".join(chosen))
    for scenario in chosen:
        run.check(scenario)
    assert [line for line in lines if "unread" in line] == []
    return [(line["socket"], line["from"] == CLIENT, bytes.fromhex(line["raw"])) for line in lines if "raw" in line]


def named(kinds: Counter[int]) -> dict[str, int]:
    return {name_of(kind): count for kind, count in sorted(kinds.items())}


@pytest.mark.parametrize(
    ("program", "library", "calls"),
    [
        pytest.param("Mqi", "classes", MQI_CALLS, id="classes-for-Java"),
        pytest.param("Jms", "classes", JMS_CALLS, id="JMS-2"),
        pytest.param("Jms", "jakarta_classes", JMS_CALLS, id="JMS-3"),
        pytest.param("Pcf", "classes", set(), id="PCF"),
    ],
)
def test_the_dissector_knows_every_segment_of_ibms_clients(
    program: str, library: str, calls: set[int], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed (apt install tshark): nobody else reads what we send")
    path = tmp_path / "session.pcap"
    said = session_of(program, request.getfixturevalue(library), request.getfixturevalue("port"))
    path.write_bytes(capture(said))
    sent = Counter(seg.read(data).kind for _, _, data in said)
    assert CALLS | calls <= set(sent), f"not in the session: {[name_of(kind) for kind in (CALLS | calls) - set(sent)]}"
    single = dissected(path, reassembly=False)
    assert named(Counter(kind for frame in single for kind in frame.kinds)) == named(sent)
    whole = dissected(path)
    assert [frame for frame in single + whole if frame.complaint] == []
