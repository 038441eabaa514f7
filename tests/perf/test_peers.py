"""Peers: protocols against real brokers where they are installed, and what is said of one that is not."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

import pytest

from flintmq.perf import runs
from flintmq.perf.measure import Timing
from flintmq.perf.peers import compare, servers
from flintmq.perf.peers.connection import Wire
from flintmq.perf.stage import free_port, is_alive
from flintmq.perf.view import View


def test_every_broker_says_what_a_confirm_means() -> None:
    for peer in compare.PEERS:
        fast, durable, published = (peer.confirm(each) for each in compare.PATTERNS[2:])
        assert len({fast, durable, published}) == 3 and all((fast, durable, published)), peer.name
        assert (peer.opener is None) == (peer.name == compare.FLINTMQ)
    assert {peer.server for peer in compare.PEERS if peer.server} == set(servers.STARTERS)


@pytest.mark.parametrize("name", servers.STARTERS)
def test_a_broker_that_is_not_installed_is_named_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("FLINT_ACTIVEMQ", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(Path, "exists", lambda path: False)
    with pytest.raises(servers.NotHere) as said:
        servers.STARTERS[name](tmp_path)
    assert "\n" not in str(said.value) and "is not installed" in str(said.value)


def test_a_program_that_ends_at_once_is_reported_with_its_last_words(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo no such option >&2; exit 3"]
    with pytest.raises(servers.NotHere, match="x does not start: no such option"):
        servers._started("x", command, free_port(), tmp_path, "")


def test_brokers_take_turns_in_one_run(tmp_path: Path) -> None:
    """NATS, with and without JetStream, and FlintMQ: every cell has a rate, CPU of both sides and its promise."""
    try:
        servers._program("nats-server")
    except servers.NotHere as error:
        pytest.skip(str(error))
    out = io.StringIO()
    wanted = compare.Wanted(Timing(0.1, 0.3, 0.05, 2), ("flintmq", "nats"), clients=2, size=256)
    run = runs.read(compare.run(tmp_path / "run", wanted, View(out)))
    assert run.ended == runs.COMPLETE, out.getvalue()
    steps = {(each["step"], each["repeat"]): each["parameters"] for each in run["step"]}
    cells = {(step["peer"], step["pattern"]) for step in steps.values()}
    assert cells == {(peer, pattern) for peer in ("flintmq", "nats") for pattern in compare.PATTERNS}
    assert len(steps) == 2 * len(cells) and all(step["confirm"] for step in steps.values())
    for result in run["result"]:
        step = steps[result["step"], result["repeat"]]
        assert result["operations"] > 0 and result["errors"] == 0, (step, run["note"])
        assert result["queue_manager_us"] > 0 and result["driver_us"] > 0, (step, result)
    order = [steps[each["step"], each["repeat"]]["peer"] for each in run["result"]][:4]
    assert order == ["flintmq", "nats", "nats", "flintmq"]
    assert {each["kind"] for each in run["cpu"]} == {"queue manager", "driver", "peer"}


def test_a_wire_hands_out_lines_and_bytes_across_reads() -> None:
    import socket
    import time

    ours, theirs = socket.socketpair()
    wire = Wire.__new__(Wire)
    wire.socket, wire.held = ours, bytearray()
    late = time.monotonic() + 5
    theirs.sendall(b"PONG\r")
    assert wire.line(time.monotonic() + 0.01) is None
    theirs.sendall(b"\nabcdef")
    assert (wire.line(late), wire.exactly(4, late)) == (b"PONG", b"abcd")
    theirs.close()
    with pytest.raises(Exception, match="closed the connection"):
        wire.exactly(3, late)
    ours.close()


@pytest.mark.parametrize("name", ["nats", "redis", "postgres", "rabbitmq"])
def test_a_broker_ends_with_all_of_its_processes_and_leaves_the_directories_above_alone(name: str) -> None:
    """It listens on the loopback only, and only its own directory and that of the run may be opened to others."""
    # Not one of pytest's, which other runs of pytest close again: PostgreSQL runs as another user, who must get here.
    top = Path(tempfile.mkdtemp(prefix="flint-peers-test-"))
    try:
        own = top / "run" / name
        own.mkdir(parents=True)
        top.chmod(0o711)
        above = [top, *top.parents]
        before = {each: each.stat().st_mode for each in above}
        try:
            server = servers.STARTERS[name](own)
        except servers.NotHere as error:
            pytest.skip(str(error))
        pids = server.pids()
        server.end()
        assert {each: each.stat().st_mode for each in above} == before
        assert pids and server.address.startswith("127.0.0.1:")
        assert [pid for pid in pids if is_alive(pid)] == []
    finally:
        shutil.rmtree(top)
