"""A queue manager that runs as a process, and applications of the same machine: no address, no channel, no password."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.mqi import reason as rc
from flintmq.server import process
from flintmq.server.control import Control
from tests.server.test_process import Manager

QUEUE = "DEV.QUEUE.1"


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "a directory with a name so long that no socket fits" / "data"))
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB", "MQCLNTCF"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["crtmqm", "--dev", "-q", "-p", str(free_port()), "QM1"]) == 0
    made = Manager(0)
    yield made
    made.end()


def test_the_name_is_enough_and_the_system_says_who_it_is(manager: Manager) -> None:
    manager.start()
    with Control(manager.place) as control:
        control.ask({"do": "runmqsc", "echo": False, "verify": False})
        control.ask("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)")
    with flintmq.connect("QM1") as qm:
        queue = qm.queue(QUEUE)
        queue.put(b"hello", persistent=True)
        message = queue.get(wait=5.0)
        assert (message.data, message.user.strip()) == (b"hello", getpass.getuser()[:12])
        assert qm.name == "QM1"
    with flintmq.connect() as qm:
        assert qm.name == "QM1"
    with flintmq.connect(str(manager.place.directory)) as qm:
        assert qm.queue(QUEUE).depth == 0

    async def test() -> None:
        async with flintmq.aconnect("QM1") as aqm:
            queue = await aqm.queue(QUEUE)
            await queue.put("hello")
            assert (await queue.get(wait=5.0)).text == "hello"

    asyncio.run(test())


def test_commands_are_run_by_the_command_server(manager: Manager) -> None:
    manager.start()
    with flintmq.connect("QM1") as qm:
        queue = qm.queue("MADE.HERE", create=True, maxdepth=7, defpsist="YES")
        assert qm.queue("MADE.HERE", create=True).name == "MADE.HERE"
        queue.put(b"1")
        assert queue.depth == 1
        queue.clear()
        assert queue.depth == 0
        reply = qm.mqsc("DISPLAY QLOCAL(MADE.HERE) MAXDEPTH DEFPSIST")
        assert (reply.rows[0]["MAXDEPTH"], reply.rows[0]["DEFPSIST"]) == (7, "YES")
        assert "MADE.HERE" in str(reply)
        with pytest.raises(flintmq.CommandFailed, match="NO.SUCH"):
            qm.mqsc("DISPLAY QLOCAL(NO.SUCH)")
        assert qm.mqsc("DISPLAY QLOCAL(NO.SUCH)", check=False).reason
        with pytest.raises(flintmq.MQError):
            qm.queue("not a name!", create=True)


def test_a_queue_manager_that_runs_is_not_opened_and_one_that_does_not_is_not_connected_to(manager: Manager) -> None:
    with pytest.raises(flintmq.NotConnected, match="strmqm") as ended:
        flintmq.connect("QM1")
    assert ended.value.reason == rc.MQRC_Q_MGR_NOT_AVAILABLE
    with flintmq.open("QM1"), pytest.raises(flintmq.NotConnected, match="this process"):
        flintmq.connect("QM1")
    manager.start()
    with pytest.raises(flintmq.QueueManagerInUse, match=r'flintmq\.connect\("QM1"\)'):
        flintmq.open("QM1")
    with pytest.raises(flintmq.NotConnected) as unknown:
        flintmq.connect("QM2")
    assert unknown.value.reason == rc.MQRC_Q_MGR_NAME_ERROR and "conn=" in str(unknown.value)


def test_with_no_queue_manager_or_several_a_name_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(flintmq.NotConnected, match="which queue manager"):
        flintmq.connect()
    assert instance.instances() == [] and process.QUIESCE


def test_without_a_name_the_default_queue_manager_is_meant_and_no_other(manager: Manager) -> None:
    """A message must not end up in whichever queue manager happens to run."""
    assert main(["crtmqm", "QM2"]) == 0
    process.start(instance.by_name("QM2"))
    try:
        with pytest.raises(flintmq.NotConnected, match="QM1.*strmqm") as ended:
            flintmq.connect()
        assert ended.value.reason == rc.MQRC_Q_MGR_NOT_AVAILABLE
        manager.start()
        with flintmq.connect() as qm:
            assert qm.name == "QM1"
    finally:
        assert main(["endmqm", "-i", "QM2"]) == 0
