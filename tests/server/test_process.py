"""The queue manager as a process: started, talked to, ended, killed. Clients are real sockets here."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.host.environment import socket_path
from flintmq.host.lock import holder_of
from flintmq.mqi.constants import MQGMO_SYNCPOINT, MQGMO_WAIT, MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from flintmq.mqi.md import MQMD
from flintmq.server import process
from flintmq.server.control import Control, NotRunning, run_session
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.segment import Segment, Splitter
from tests.waiting import PATIENCE, until
from tests.wire.mq.peer import Peer, Reply, World

BOTH = MQOO_INPUT_SHARED | MQOO_OUTPUT
QUEUE = "DEV.QUEUE.1"


class SocketPeer(Peer):
    """The client of the channel tests, on a socket."""

    def __init__(self, port: int) -> None:
        super().__init__(World())
        self.socket = self.connect_to(port)
        self._cut = Splitter()
        self.agree()

    def connect_to(self, port: int) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def feed(self, data: bytes) -> list[Segment]:
        """Send, and wait for the answer if there will be one."""
        self.socket.sendall(data)
        return [] if data[17:18] == bytes([seg.USERID_DATA]) else self.answer()

    def answer(self) -> list[Segment]:
        """The next segments, up to the end of a call."""
        self.segments = []
        while not self.segments or not (self.segments[-1].flags & seg.LAST or self.segments[-1].kind < 0x80):
            data = self.socket.recv(1 << 16)
            if not data:
                break
            self.segments += self._cut.feed(data)
        return self.segments


class Manager:
    """A queue manager on disk, and its process."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.place = instance.by_name("QM1")
        self.pid = 0

    def start(self) -> None:
        self.pid = process.start(self.place)

    def connect(self) -> tuple[SocketPeer, Reply]:
        peer = SocketPeer(self.port)
        return peer, peer.connect()

    def peer(self) -> SocketPeer:
        peer, reply = self.connect()
        assert reply.reason == 0
        return peer

    def wait_until_ended(self) -> None:
        until(lambda: holder_of(self.place.lock_path) is None, "the queue manager ends")

    def end(self) -> None:
        """At once, if it runs."""
        try:
            with Control(self.place) as control:
                control.ask({"do": "end", "how": "preemptive"})
        except (NotRunning, ConnectionError):
            pass  # It has ended, or is about to.
        self.wait_until_ended()

    def said(self, command: str) -> str:
        """What it answers to an MQSC command."""
        lines: list[str] = []
        with Control(self.place) as control:
            run_session(control, [command], lines.append, echo=False, verify=False)
        return "\n".join(lines)

    def errors(self) -> str:
        return (self.place.errors_directory / "AMQERR01.LOG").read_text()


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "a directory with a name so long that no socket fits" / "data"))
    port = free_port()
    assert main(["crtmqm", "--dev", "-q", "-p", str(port), "QM1"]) == 0
    made = Manager(port)
    yield made
    made.end()


def test_a_queue_manager_starts_serves_and_ends(manager: Manager, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strmqm"]) == 0
    how = "compiled" if flintmq.compiled() else "plain Python"
    assert f"started using V{flintmq.__version__} ({how}).\n" in capsys.readouterr().out
    assert f"The queue manager has started ({how})." in manager.errors()
    for command in ("strmqm", "dltmqm"):
        assert main([command, "QM1"]) == 5
        assert capsys.readouterr().err.startswith("AMQ5625E: FlintMQ queue manager 'QM1' running: process ")
    assert main(["dspmq"]) == 0
    assert "STATUS(Running)" in capsys.readouterr().out
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    md = MQMD()
    md.persistence = 1
    assert peer.put(handle, b"kept", md=md).reason == 0
    assert peer.put(handle, b"uncommitted", MQPMO_SYNCPOINT).reason == 0
    assert main(["endmqm", "-i", "QM1"]) == 0
    assert main(["dspmq"]) == 0
    assert "STATUS(Ended normally)" in capsys.readouterr().out
    (farewell,) = peer.answer()
    assert farewell.kind == seg.STATUS_DATA and farewell.body == peer.longs(8, 5)
    assert not (manager.place.directory / "control").exists()
    for number in ("AMQ8003I", "AMQ5026I", "AMQ8004I"):
        assert manager.errors().count(number) == 1
    manager.start()
    peer = manager.peer()
    assert peer.get(peer.opened(QUEUE, BOTH)).data == b"kept"
    assert peer.get(peer.opened(QUEUE, BOTH)).reason == 2033


def test_commands_run_in_the_running_queue_manager(
    manager: Manager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manager.start()
    script = tmp_path / "script.mqsc"
    script.write_text(
        "DEFINE QLOCAL(DEV.NEW)\nDISPLAY QLOCAL(DEV.NEW) CURDEPTH\nNONSENSE\nEND\nDELETE QLOCAL(DEV.NEW)\n"
    )
    assert main(["runmqsc", "-f", str(script), "QM1"]) == 10
    said = capsys.readouterr().out
    assert "AMQ8006I: Queue created." in said and "CURDEPTH(0)" in said and "3 MQSC commands read." in said
    peer = manager.peer()
    assert peer.put(peer.opened("DEV.NEW", BOTH), b"").reason == 0
    os.kill(manager.pid, signal.SIGKILL)
    manager.wait_until_ended()
    manager.start()  # What was told was durable.
    assert manager.peer().open("DEV.NEW", BOTH).reason == 0


def test_sigterm_is_a_clean_end(manager: Manager) -> None:
    manager.start()
    manager.peer()
    os.kill(manager.pid, signal.SIGTERM)
    manager.wait_until_ended()
    assert instance.status(manager.place) == "Ended normally"


def test_a_killed_process_leaves_nothing_in_the_way(manager: Manager) -> None:
    manager.start()
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    md = MQMD()
    md.persistence = 1
    peer.put(handle, b"persistent", MQPMO_SYNCPOINT, md)
    assert peer.commit().reason == 0
    os.kill(manager.pid, signal.SIGKILL)
    manager.wait_until_ended()
    assert (manager.place.directory / "control").exists()
    assert instance.status(manager.place) == "Ended unexpectedly"
    assert main(["endmqm", "-i", "QM1"]) == 40
    manager.start()
    peer = manager.peer()
    assert peer.get(peer.opened(QUEUE, BOTH)).data == b"persistent"


def test_quiesce_ends_with_the_last_client(manager: Manager) -> None:
    manager.start()
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    assert main(["endmqm", "QM1"]) == 0
    late = 0
    while late == 0:  # The request is accepted before it is carried out.
        late = manager.connect()[1].reason
    assert late == 2161
    assert peer.put(handle, b"still served").reason == 0
    assert peer.put(handle, b"", 4 | 0x2000).reason == 2161  # MQPMO_FAIL_IF_QUIESCING
    assert peer.disconnect().reason == 0
    manager.wait_until_ended()
    assert instance.status(manager.place) == "Ended normally"


def test_preemptive_is_as_safe_as_a_crash(manager: Manager) -> None:
    manager.start()
    manager.peer()
    assert main(["endmqm", "-p", "QM1"]) == 0
    assert instance.status(manager.place) == "Ended unexpectedly"
    manager.start()


def test_a_client_that_is_killed_is_backed_out_within_a_second(manager: Manager) -> None:
    manager.start()
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    peer.put(handle, b"message")
    script = (
        "import os, signal, sys\n"
        "from tests.server.test_process import BOTH, QUEUE, SocketPeer\n"
        "peer = SocketPeer(int(sys.argv[1]))\n"
        "assert peer.connect().reason == 0\n"
        "assert peer.get(peer.opened(QUEUE, BOTH), 2).data == b'message'\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    paths = os.pathsep.join([str(Path(flintmq.__file__).parents[1]), str(Path(__file__).resolve().parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths}
    killed = subprocess.run([sys.executable, "-c", script, str(manager.port)], env=environment, timeout=PATIENCE)
    assert killed.returncode == -signal.SIGKILL
    back = peer.got(peer.feed(peer.get_request(handle, MQGMO_SYNCPOINT | MQGMO_WAIT, wait=1000)))
    assert (back.data, back.md.backout_count) == (b"message", 1)


def test_a_port_in_use_is_told_and_the_queue_manager_runs(manager: Manager) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", manager.port))
        other.listen()
        manager.start()
        assert "AMQ9218E" in manager.errors()
        with Control(manager.place) as control:
            assert control.ask({"do": "ping"}) == {"name": "QM1", "pid": manager.pid, "addresses": []}


def test_what_is_not_a_request_is_answered_and_harms_nobody(manager: Manager) -> None:
    manager.start()
    for question in ("x", None, 5, {"do": "end", "how": "gently"}, {"do": "dance"}):
        with Control(manager.place) as control:
            assert "is not a request" in control.ask(question)["error"]
    with socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert stranger.recv(100)[:4] == b"TSH "
        assert stranger.recv(100) == b""
    assert manager.errors().count("which is no segment") == 1
    assert manager.peer().disconnect().reason == 0


def test_one_that_does_not_exist_or_is_open_elsewhere_is_refused(manager: Manager) -> None:
    assert main(["strmqm", "NONE"]) == 16
    assert main(["endmqm", "NONE"]) == 16
    assert main(["endmqm", "QM1"]) == 40
    with flintmq.open("QM1"):
        assert main(["strmqm", "QM1"]) == 5
        assert main(["endmqm", "QM1"]) == 40
        with pytest.raises(process.StartFailed, match="is in use"):
            process.start(manager.place)


def test_a_start_that_takes_too_long_is_told_and_goes_on(manager: Manager) -> None:
    with pytest.raises(process.StartFailed, match="is not ready after 0 seconds and goes on"):
        process.start(manager.place, 0.0)

    def answers() -> bool:
        try:
            with Control(manager.place) as control:
                manager.pid = control.ask({"do": "ping"})["pid"]
        except NotRunning:
            return False
        return True

    until(answers, "the start that goes on comes to its end")


def test_many_clients_are_served_at_once_and_leave_nothing(
    manager: Manager, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World()
    monkeypatch.setattr(sys.modules[__name__], "World", lambda: world)
    manager.start()
    peers = [manager.peer() for _ in range(300)]
    handles = [peer.opened(QUEUE, BOTH) for peer in peers]
    for peer, handle in zip(peers, handles, strict=True):
        assert peer.put(handle, b"x").reason == 0
    for peer, handle in zip(peers, handles, strict=True):
        assert peer.get(handle, MQGMO_SYNCPOINT).data == b"x"
    for peer in peers[1:]:
        peer.socket.close()
    got = 0
    while got < 299:  # What the others had is back.
        got += peers[0].got(peers[0].feed(peers[0].get_request(handles[0], MQGMO_WAIT, wait=5000))).reason == 0
    assert peers[0].commit().reason == 0
    assert peers[0].get(handles[0]).reason == 2033
    assert main(["runmqsc", "-e", "-f", "/dev/null", "QM1"]) == 0
    capsys.readouterr()


def test_a_client_that_can_take_everything_gets_everything(manager: Manager) -> None:
    """In turns (S1), of which it sees nothing."""
    manager.start()
    peer = manager.peer()
    handle = peer.opened(QUEUE, BOTH)
    md = MQMD()
    md.persistence = 0  # Those that are persistent are not sent ahead.
    for number in range(40):
        assert peer.put(handle, bytes([number]) * 100_000, md=md).reason == 0
    peer.socket.sendall(peer.want_request(handle, room=0x7FFF_FFFF))
    ends = 0
    while ends < 40:
        ends += sum(each.kind == seg.ASYNC_MESSAGE and each.flags & seg.LAST != 0 for each in peer.answer())
    assert peer.get(handle).reason == 2033


class LocalPeer(SocketPeer):
    """The same client, on the Unix socket."""

    def connect_to(self, port: int) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        with socket_path(instance.by_name("QM1").directory) as path:
            made.connect(path)
        made.settimeout(PATIENCE)
        return made


def test_applications_of_this_machine_say_the_same_on_a_unix_socket_for_the_owner_only(manager: Manager) -> None:
    manager.start()
    local = manager.place.directory / instance.LOCAL_SOCKET
    assert stat.S_IMODE(local.stat().st_mode) == 0o600
    peer = LocalPeer(0)
    assert peer.connect().reason == 0
    assert peer.put(peer.opened(QUEUE, BOTH), b"from here").reason == 0
    other = manager.peer()
    assert other.get(other.opened(QUEUE, BOTH)).data == b"from here"
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.wait_until_ended()
    assert not local.exists()


def test_the_process_imports_the_package_that_started_it(manager: Manager) -> None:
    """A compiled package is made of links; the process must not follow them to the sources, which are slower."""
    manager.start()
    environment = Path(f"/proc/{manager.pid}/environ").read_bytes().split(b"\0")
    (paths,) = [each[11:].decode() for each in environment if each.startswith(b"PYTHONPATH=")]
    assert paths.split(os.pathsep)[0] == str(Path(flintmq.__file__).absolute().parent.parent)


@pytest.mark.parametrize(
    ("said", "becomes"),
    [
        ("", "glibc.malloc.hugetlb=1"),
        ("glibc.malloc.arena_max=2", "glibc.malloc.arena_max=2:glibc.malloc.hugetlb=1"),
        ("glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=0"),
    ],
)
def test_messages_are_in_large_pages_unless_somebody_has_decided(said: str, becomes: str) -> None:
    assert process.with_large_pages(said) == becomes


def test_the_process_is_started_with_large_pages(manager: Manager) -> None:
    manager.start()
    assert b"glibc.malloc.hugetlb=" in Path(f"/proc/{manager.pid}/environ").read_bytes()
