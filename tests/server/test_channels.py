"""Channels and listeners of a running queue manager: their status, START and STOP, by runmqsc and from real sockets."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable

import pytest

from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.mqi.constants import MQGMO_FAIL_IF_QUIESCING, MQGMO_SYNCPOINT, MQGMO_WAIT
from flintmq.server.listeners import SEGMENT_MAX
from flintmq.wire.mq import segment as seg
from tests.server.test_process import BOTH, QUEUE, Manager, SocketPeer, manager
from tests.waiting import PATIENCE, until
from tests.wire.mq.peer import Peer, World

__all__ = ["manager"]

CHANNEL = "DEV.APP.SVRCONN"
STOPPED_BY_USER = 7
NOT_AVAILABLE = 22

Run = Callable[[str], str]


@pytest.fixture
def run(manager: Manager, capsys: pytest.CaptureFixture[str]) -> Run:
    """A started queue manager, and MQSC commands for it."""
    manager.start()

    def run_commands(text: str) -> str:
        script = manager.place.directory / "script.mqsc"
        script.write_text(text)
        capsys.readouterr()
        main(["runmqsc", "-e", "-f", str(script), "QM1"])
        return capsys.readouterr().out

    return run_commands


def status(peer: SocketPeer) -> int:
    """The code that the server has ended the connection with. It may have come together with the last reply."""
    last = peer.segments[-1] if peer.segments else None
    if last is None or last.kind != seg.STATUS_DATA:
        (last,) = peer.answer()
    assert last.kind == seg.STATUS_DATA
    return int.from_bytes(last.body[4:8], "little")


def test_an_instance_is_shown_with_what_it_did(manager: Manager, run: Run) -> None:
    assert "AMQ8420I" in run("DISPLAY CHSTATUS(*)")
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"x" * 1000)
    shown = run(f"DISPLAY CHSTATUS({CHANNEL}) ALL")
    for expected in (
        "CHLTYPE(SVRCONN)",
        "CONNAME(127.0.0.1)",
        "STATUS(RUNNING)",
        "SUBSTATE(RECEIVE)",
        "MSGS(3)",
        "BUFSRCVD(6)",
        "CURSHCNV(1)",
        "MAXSHCNV(10)",
        "HBINT(300)",
        "KAINT(360)",
        "RAPPLTAG(peer)",
        "RPRODUCT(MQJB)",
        "RVERSION(09040500)",
        "MCAUSER(app)",
        "SECPROT(NONE)",
        "STOPREQ(NO)",
    ):
        assert expected in shown, shown
    received = int(shown.partition("BYTSRCVD(")[2].partition(")")[0])
    assert 2500 < received < 4000
    peer.socket.close()
    until(lambda: "AMQ8420I" in run("DISPLAY CHSTATUS(*)"), "the instance has ended")


def test_a_stopped_channel_lets_nobody_in_until_it_is_started(manager: Manager, run: Run) -> None:
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"uncommitted", 2)
    assert "AMQ8019I" in run(f"STOP CHANNEL({CHANNEL}) MODE(FORCE)")
    assert status(peer) == STOPPED_BY_USER and peer.socket.recv(1) == b""
    assert "STATUS(STOPPED)" in run("DISPLAY CHSTATUS(*)")
    assert first_answer(manager.port) == (seg.STATUS_DATA, NOT_AVAILABLE)
    assert "START CHANNEL(DEV.APP.SVRCONN)" in manager.errors()
    assert "AMQ8018I" in run(f"START CHANNEL({CHANNEL})")
    peer = manager.peer()
    assert peer.get(peer.opened(QUEUE, BOTH)).reason == 2033
    assert "AMQ8147E" in run("STOP CHANNEL(NO.SUCH)")


def test_a_stopped_channel_is_stopped_after_a_crash_and_after_a_clean_end(manager: Manager, run: Run) -> None:
    other = "ORDERS.SVRCONN"
    run(f"DEFINE CHANNEL({other}) CHLTYPE(SVRCONN)\nSTOP CHANNEL({CHANNEL})\nSTOP CHANNEL({other}) STATUS(INACTIVE)")
    manager.end()
    manager.start()
    shown = run("DISPLAY CHSTATUS(*)")
    assert shown.count("STATUS(STOPPED)") == 1 and f"CHANNEL({CHANNEL})" in shown and other not in shown
    assert first_answer(manager.port) == (seg.STATUS_DATA, NOT_AVAILABLE)
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.start()
    assert first_answer(manager.port) == (seg.STATUS_DATA, NOT_AVAILABLE)
    run(f"DEFINE CHANNEL(LIKE.IT) CHLTYPE(SVRCONN) LIKE({CHANNEL})")
    assert "STOPPED" not in run(f"DISPLAY CHANNEL({CHANNEL}) ALL")
    assert "LIKE.IT" not in run("DISPLAY CHSTATUS(*)")
    run(f"START CHANNEL({CHANNEL})")
    manager.peer()


def first_answer(port: int) -> tuple[int, int]:
    """Type and code of what a client gets that offers to begin."""
    peer = Peer(World())
    body = peer.offer().pack(False, 1208)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as opened:
        opened.sendall(peer.header(seg.INITIAL_DATA, 0x31, len(body)) + body)
        (answer,) = seg.Splitter().feed(opened.recv(1 << 16))
        return answer.kind, int.from_bytes(answer.body[4:8], "little")


def test_quiesce_lets_a_get_end(manager: Manager, run: Run) -> None:
    """The client that asked to fail hears 2202; one that did not gets its message first."""
    failing, waiting = manager.peer(), manager.peer()
    for peer, options in ((failing, MQGMO_WAIT | MQGMO_FAIL_IF_QUIESCING), (waiting, MQGMO_WAIT)):
        handle = peer.opened(QUEUE, BOTH)
        peer.socket.sendall(peer.get_request(handle, options, wait=60_000))
    until(lambda: run("DISPLAY CHSTATUS(*)").count("SUBSTATE(MQICALL)") == 2, "both wait in their gets")
    run(f"STOP CHANNEL({CHANNEL}) STATUS(INACTIVE)")
    answers = failing.answer()
    assert failing.reply_to(answers[:1]).reason == 2202
    assert "STATUS(STOPPING)" in run("DISPLAY CHSTATUS(*)")
    other = manager.peer()
    other.put(other.opened(QUEUE, BOTH), b"for you")
    assert waiting.reply_to(waiting.answer()[:1]).reason == 0
    assert status(waiting) == STOPPED_BY_USER


def test_instances_of_one_address_are_stopped(manager: Manager, run: Run) -> None:
    peer = manager.peer()
    assert "AMQ8420I" in run(f"STOP CHANNEL({CHANNEL}) CONNAME('10.9.9.9')")
    assert "AMQ8019I" in run(f"STOP CHANNEL({CHANNEL}) CONNAME('127.0.0.1')")
    assert status(peer) == STOPPED_BY_USER
    manager.peer()


def test_a_connection_is_stopped_and_its_work_backed_out(manager: Manager, run: Run) -> None:
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"kept")
    assert peer.get(handle, MQGMO_SYNCPOINT).data == b"kept"
    shown = run("DISPLAY CONN(*) WHERE(APPLTAG EQ 'peer') CHANNEL CONNAME USERID")
    assert "CHANNEL(DEV.APP.SVRCONN)" in shown and "USERID(app)" in shown
    name = shown.partition("CONN(")[2].partition(")")[0]
    assert "AMQ8457I" in run(f"STOP CONN({name})")
    assert status(peer) == STOPPED_BY_USER
    peer = manager.peer()
    again = peer.get(peer.opened(QUEUE, BOTH))
    assert again.data == b"kept" and again.md.backout_count == 1


def test_a_connection_that_shares_its_socket_is_stopped_alone(manager: Manager, run: Run) -> None:
    peer = manager.peer()
    peer.start_conversation(3)
    assert peer.connect().reason == 0
    shown = run("DISPLAY CONN(*) WHERE(APPLTAG EQ 'peer')")
    last = shown.rpartition("CONN(")[0].rpartition("CONN(")[2].partition(")")[0]
    run(f"STOP CONN({last})")
    reasons = []
    for conversation in (1, 3):
        peer.conversation = conversation
        reasons.append(peer.open(QUEUE, BOTH).reason)
    assert sorted(reasons) == [0, 2009]


def test_listeners_are_started_and_stopped(manager: Manager, run: Run) -> None:
    port = free_port()
    run(f"DEFINE LISTENER(L) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.1')")
    assert "LISTENER(L)" not in run("DISPLAY LSSTATUS(*)")
    assert "AMQ8021I" in run("START LISTENER(L)")
    assert "AMQ8730I" in run("START LISTENER(L)")
    shown = run("DISPLAY LSSTATUS(L) ALL")
    assert "STATUS(RUNNING)" in shown and f"PORT({port})" in shown and f"PID({manager.pid})" in shown
    peer = SocketPeer(port)
    assert peer.connect().reason == 0
    assert "AMQ8706I" in run("STOP LISTENER(L)")
    assert "AMQ8729I" in run("STOP LISTENER(L)")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    assert peer.opened(QUEUE, BOTH)  # Who is connected stays.
    assert manager.errors().count("Listener L listens on") == manager.errors().count("Listener L has ended") == 1


@pytest.mark.skipif(not hasattr(socket, "TCP_MAXSEG"), reason="the system does not tell the length of segments")
def test_segments_fit_into_the_window_of_a_client(manager: Manager) -> None:
    """Issue 14, item 8: of 64 KiB segments a client on the same machine got what fits its buffer, once in 200 ms."""
    manager.start()
    with socket.create_connection(("127.0.0.1", manager.port), PATIENCE) as client:
        assert client.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG) <= SEGMENT_MAX


def test_a_listener_that_cannot_listen_says_why(manager: Manager, run: Run) -> None:
    run(f"DEFINE LISTENER(TAKEN) TRPTYPE(TCP) PORT({manager.port}) IPADDR('127.0.0.1')")
    assert "error log" in run("START LISTENER(TAKEN)")
    assert "Listener TAKEN cannot listen on 127.0.0.1" in manager.errors()
    run("DEFINE LISTENER(NOWHERE) TRPTYPE(TCP) PORT(1) IPADDR('no.such.host.invalid')")
    assert "error log" in run("START LISTENER(NOWHERE)")
    manager.peer()


def test_startonly_is_started_with_the_queue_manager(manager: Manager, run: Run) -> None:
    port = free_port()
    run(f"DEFINE LISTENER(L) TRPTYPE(TCP) PORT({port}) IPADDR('127.0.0.1') CONTROL(STARTONLY)")
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.start()
    assert SocketPeer(port).connect().reason == 0


def test_runmqlsr_listens_until_endmqlsr(manager: Manager, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    command = [sys.executable, "-m", "flintmq.cli", "runmqlsr", "-m", "QM1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        try:
            assert listener.stdout is not None and f"127.0.0.1({port})" in listener.stdout.readline()
            assert SocketPeer(port).connect().reason == 0
            assert main(["endmqlsr", "-m", "QM1"]) == 0
            assert "1 listener ended" in capsys.readouterr().out
            assert listener.wait(PATIENCE) == 0
        finally:
            listener.kill()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    assert main(["runmqlsr", "-m", "QM1", "-p", str(manager.port)]) == 71
    assert "cannot listen" in capsys.readouterr().err


def test_an_altered_channel_is_for_new_instances(manager: Manager, run: Run) -> None:
    before = manager.peer()
    run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SHARECNV(1) MAXINST(2)")
    after = manager.peer()
    shown = run("DISPLAY CHSTATUS(*) MAXSHCNV")
    assert "MAXSHCNV(10)" in shown and "MAXSHCNV(1)" in shown
    assert first_answer(manager.port) == (seg.STATUS_DATA, NOT_AVAILABLE)
    assert "AMQ9489E" in manager.errors()
    assert before.opened(QUEUE, BOTH) and after.opened(QUEUE, BOTH)
