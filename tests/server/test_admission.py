"""Too many connections: who is refused, what is told, and that the queue manager goes on. (issue 14, item 2)"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import flintmq
from flintmq.host import lifecycle
from flintmq.host.error_log import ErrorLog
from flintmq.host.lock import holder_of
from flintmq.mqi.md import MQMD
from flintmq.server.admission import (
    CHANNELS_MAX,
    DESCRIPTORS_RESERVED,
    PENDING_GRACE_S,
    SOCKETS_MIN,
    TELL_S,
    TOLD_MAX,
    Admission,
    Limits,
    read_limits,
)
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import Link
from flintmq.wire.mq import segment as seg
from tests.server.test_process import BOTH, QUEUE, Manager, SocketPeer, manager
from tests.waiting import PATIENCE, until
from tests.wire.mq.peer import Peer, World

__all__ = ["manager"]

STATUS_UNAVAILABLE = 22


def links(count: int) -> list[Link]:
    """Links of a queue manager, without sockets."""
    loop = asyncio.new_event_loop()
    host = ServingHost(*lifecycle.create_in_memory("QM1"), None)
    hub = Hub(host, loop)
    made = [Link(hub) for _ in range(count)]
    hub.close()
    host.close()
    loop.close()
    return made


@pytest.fixture
def errors() -> ErrorLog:
    return ErrorLog(None, "QM1")


def test_descriptors_are_reserved_and_qm_ini_limits_channels(errors: ErrorLog) -> None:
    limits = read_limits({}, 100_000, errors)
    assert limits.sockets_max == 100_000 - DESCRIPTORS_RESERVED and limits.channels_max == CHANNELS_MAX
    assert read_limits({"MaxChannels": "200"}, 5000, errors).channels_max == 200
    assert read_limits({"maxchannels": "200", "MaxActiveChannels": "50"}, 5000, errors).channels_max == 50
    assert read_limits({"MaxActiveChannels": "300", "MaxChannels": "200"}, 5000, errors).channels_max == 200
    few = read_limits({"MaxChannels": "many"}, 10, errors)
    assert few.sockets_max == SOCKETS_MIN and few.channels_max == CHANNELS_MAX
    assert [number for number, _ in errors.recent] == ["AMQ7077E"] and "MaxChannels=many" in errors.recent[0][1]


def test_the_oldest_on_which_nobody_has_connected_makes_room_for_a_newcomer(errors: ErrorLog) -> None:
    admission = Admission(Limits(1000), errors)
    admission.limits.pending_max = 3
    first, second, third, fourth = links(4)
    for number, link in enumerate((first, second, third)):
        assert admission.refusal(number) == ""
        admission.took(link, float(number))
    assert "nobody has connected" in admission.refusal(PENDING_GRACE_S - 0.1)
    assert admission.refusal(PENDING_GRACE_S) == "" and admission.overdue(PENDING_GRACE_S) is first
    admission.admitted(first)
    assert admission.refusal(0) == "" and admission.overdue(100) is None
    admission.took(fourth, 3.0)
    admission.gone(first)
    assert admission.sockets == 3 and list(admission.pending) == [second, third, fourth]


def test_only_so_many_are_told_why_and_all_are_counted_once(errors: ErrorLog) -> None:
    admission = Admission(Limits(2, 10), errors)
    taken, refused = links(2), links(TOLD_MAX + 5)
    for link in taken:
        admission.took(link, 0.0)
    assert "limit of open files" in admission.refusal(1.0)
    assert [admission.telling(link) for link in refused] == [True] * TOLD_MAX + [False] * 5
    for link in refused[:TOLD_MAX] + taken:
        admission.gone(link)
    assert admission.sockets == 0 and not admission.told and not admission.pending


def test_refusals_are_told_at_once_and_then_once_a_minute_with_their_number(errors: ErrorLog) -> None:
    admission = Admission(Limits(2), errors)
    for number in range(100):
        admission.refused(f"{number // 50 + 7} connections are too many", "10.1.2.3", number / 10)
    admission.tell(TELL_S - 0.1)
    assert [text for _, text in errors.recent] == [
        "The connection from 10.1.2.3 was refused: 7 connections are too many."
    ]
    admission.tell(TELL_S)
    admission.tell(TELL_S + 1)
    assert len(errors.recent) == 2
    assert errors.recent[1][1].startswith("99 more connections were refused in the last minute: 8 connections")
    admission.tell(2 * TELL_S + 1)
    assert len(errors.recent) == 2
    assert {number for number, _ in errors.recent} == {"AMQ9513E"}


def test_a_channel_too_many_hears_2537() -> None:
    """AMQ9513: MaxChannels. A channel that ends makes room; local applications are no channels."""
    world = World()
    world.channels.channels_max = 2
    first, second, third = (Peer(world) for _ in range(3))
    first.agree()
    second.agree()
    (answer,) = third.propose(third.offer())
    assert (
        answer.kind == seg.STATUS_DATA and answer.body == third.longs(8, STATUS_UNAVAILABLE) and third.session.closing
    )
    assert [(number, "MaxChannels(2)" in text) for number, text in world.qm.notices] == [("AMQ9513E", True)]
    first.session.lost()
    world.connected()
    assert world.channels.channels_count == 2


def test_the_error_log_is_written_when_no_descriptor_is_left(tmp_path: Path) -> None:
    """The one that was kept is used: why the queue manager stops must be told then of all times."""
    program = (
        "import os, sys, resource; from pathlib import Path\n"
        "from flintmq.host.error_log import ErrorLog\n"
        "log = ErrorLog(Path(sys.argv[1]), 'QM1'); log.reserve()\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)); held = []\n"
        "try:\n"
        "    while True: held.append(os.open('/dev/null', os.O_RDONLY))\n"
        "except OSError: pass\n"
        "log.write('AMQ6119S', 'one'); log.write('AMQ6119S', 'two')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(flintmq.__file__).absolute().parent.parent)}
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, env=environment, timeout=PATIENCE)
    written = (tmp_path / "AMQERR01.LOG").read_text()
    assert "AMQ6119S: one" in written and "AMQ6119S: two" in written


def started_with(manager: Manager, descriptors: int) -> None:
    """Start the queue manager with a limit of open files."""
    environment = {**os.environ, "PYTHONPATH": str(Path(flintmq.__file__).absolute().parent.parent)}
    command = f'ulimit -n {descriptors}; exec "{sys.executable}" -m flintmq.cli strmqm QM1'
    subprocess.run(["sh", "-c", command], check=True, env=environment, timeout=PATIENCE, capture_output=True)


def refused(port: int) -> bytes:
    """What a newcomer hears that offers to begin: the body of STATUS_DATA, b"" if it is only closed."""
    peer = Peer(World())
    body = peer.offer().pack(False, 1208)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as opened:
        try:
            opened.sendall(peer.header(seg.INITIAL_DATA, 0x31, len(body)) + body)
            data = b""
            while part := opened.recv(4096):
                data += part
        except ConnectionError:
            return b""
    return data[28:]


def test_idle_sockets_do_not_stop_the_queue_manager(manager: Manager) -> None:
    """With all descriptors used by connections on which nobody had connected it ended, and said no reason.

    Now log, page sets and control socket keep theirs, a client that is connected goes on, newcomers hear 2537, and
    when the idle ones are gone a newcomer is served.
    """
    started_with(manager, 160)
    client = manager.peer()
    handle = client.opened(QUEUE, BOTH)
    md = MQMD()
    md.persistence = 1
    idle = [socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE) for _ in range(300)]
    try:
        until(lambda: "AMQ9513E" in manager.errors(), "a refusal is told")
        for number in range(20):
            assert client.put(handle, b"%d" % number, md=md).reason == 0
        assert "CURDEPTH(20)" in manager.said(f"DISPLAY QLOCAL({QUEUE}) CURDEPTH")
    finally:
        for each in idle[40:]:
            each.close()
    heard = b""

    def is_told() -> bool:
        nonlocal heard
        heard = refused(manager.port)
        return heard != b""

    until(is_told, "a newcomer is told why it is refused")
    assert heard == client.longs(8, STATUS_UNAVAILABLE)
    assert manager.errors().count("AMQ9513E") <= 3
    for each in idle[:40]:
        each.close()
    until(lambda: refused_or_served(manager) == 0, "a newcomer is served")
    assert client.get(handle).data == b"0"
    assert holder_of(manager.place.lock_path) is not None and "AMQ8004I" not in manager.errors()
    assert not list(manager.place.errors_directory.glob("*.FDC"))


def refused_or_served(manager: Manager) -> int:
    """The reason of an MQCONN of a newcomer, -1 if it does not get so far."""
    try:
        return SocketPeer(manager.port).connect().reason
    except (ConnectionError, AssertionError, ValueError):
        return -1
