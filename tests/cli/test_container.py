"""`flint container` as a plain process: what it makes of the environment and of /etc/mqm, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli import container
from flintmq.cli._failure import CommandFailed
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.host.lock import holder_of
from tests.waiting import PATIENCE, until


class Running:
    """A container without a container: the entry point, its files in a temporary directory."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self.configuration = directory / "etc"
        self.configuration.mkdir()
        self.environment = {
            **os.environ,
            "LICENSE": "accept",
            "MQ_QMGR_NAME": "QM1",
            "MQ_APP_PASSWORD": "passw0rd",
            "MQ_ADMIN_PASSWORD": "adm1n",
            "FLINTMQ_DATA": str(directory / "data"),
            "FLINTMQ_CONFIG": str(self.configuration),
            "FLINTMQ_LISTEN": f"127.0.0.1({self.port})",
        }
        self.process: subprocess.Popen[str] | None = None
        self.output = directory / "output"

    def start(self) -> None:
        configured = instance.by_name("QM1").directory / container.CONFIGURED
        configured.unlink(missing_ok=True)
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "flintmq.cli", "container"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
            )
        until(lambda: configured.exists() or self.ended(), "the queue manager is ready")
        assert not self.ended(), self.output.read_text()
        until(lambda: main(["container", "ready"]) == 0, "it says so")

    def ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def stop(self) -> int:
        """As `podman stop` does."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def connect(self, password: str = "passw0rd") -> flintmq.RemoteQueueManager:
        where = f"127.0.0.1({self.port})"
        return flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn=where, user="app", password=password)


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    made = Running(tmp_path)
    monkeypatch.setenv("FLINTMQ_DATA", made.environment["FLINTMQ_DATA"])
    monkeypatch.setenv("MQ_QMGR_NAME", "QM1")
    yield made
    if not made.ended():
        made.stop()


def test_a_container_is_configured_serves_and_ends_when_it_is_told_to(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 14, wheels and container: names and passwords of MQ's developer image, /etc/mqm/*.mqsc and *.ini."""
    assert main(["container", "healthy"]) == 1
    (running.configuration / "20-queues.mqsc").write_text("DEFINE QLOCAL(ORDERS) LIKE(TEMPLATE.QUEUE) REPLACE\n")
    (running.configuration / "10-first.mqsc").write_text(
        "DEFINE QLOCAL(TEMPLATE.QUEUE) MAXDEPTH(77) REPLACE\n"
        "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ)\n"
        "DEFINE QLOCAL(NO.SUCH.ATTRIBUTE) NONSENSE(1)\n"
    )
    (running.configuration / "log.ini").write_text(
        "DiagnosticMessages:\n   Service=File\n   Format=json\nQueueManager:\n   Name=OTHER\n"
    )
    running.start()
    assert main(["container", "started"]) == main(["container", "healthy"]) == 0
    with running.connect() as qm:
        qm.queue("ORDERS").put(b"kept", persistent=True)
    with pytest.raises(flintmq.NotAuthorized):
        running.connect("wrong")
    place = instance.by_name("QM1")
    assert place.stanza("DiagnosticMessages").get("Format") == "json"
    assert place.stanza("QueueManager").get("Name") == "QM1"

    assert running.stop() == 0
    assert holder_of(instance.by_name("QM1").lock_path) is None
    assert main(["container", "ready"]) == main(["container", "healthy"]) == 1
    said = running.output.read_text()
    assert "AMQ8003I" in said and "The queue manager has ended." in said, "from its first words to its last"
    assert re.search(r"has started \((compiled|plain Python)\)", said)
    assert "NONSENSE" in said and "1 could not be run" in said
    assert "passw0rd" not in said and "adm1n" not in said

    running.environment["MQ_APP_PASSWORD"] = "another"
    (running.configuration / "20-queues.mqsc").write_text("ALTER QLOCAL(ORDERS) DESCR('second start')\n")
    running.start()
    with running.connect("another") as qm:
        assert qm.queue("ORDERS").get(wait=PATIENCE).data == b"kept"
    with pytest.raises(flintmq.NotAuthorized):
        running.connect("passw0rd")
    assert running.process is not None
    children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children").read_text().split()
    assert not any(b"another" in Path(f"/proc/{child}/environ").read_bytes() for child in children)
    assert main(["endmqm", "-i", "QM1"]) == 0
    assert running.process.wait(PATIENCE) == 0, "the container ends with its queue manager"


def test_a_configuration_that_cannot_be_read_ends_the_container_with_the_reason(running: Running) -> None:
    (running.configuration / "bad.ini").write_text("no stanza\n")
    command = [sys.executable, "-P", "-m", "flintmq.cli", "container"]
    end = subprocess.run(command, env=running.environment, capture_output=True, text=True, timeout=PATIENCE)
    assert end.returncode == 71 and "bad.ini" in end.stderr and "line 1" in end.stderr


def test_the_name_is_that_of_the_host_without_what_a_name_must_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "my-host:1.example")
    assert container.queue_manager_name({}) == "myhost1.example"
    assert container.queue_manager_name({"MQ_QMGR_NAME": "QM7"}) == "QM7"


def test_a_password_may_be_a_secret_of_the_container_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQ_ADMIN_PASSWORD", "from the environment")
    monkeypatch.delenv("MQ_APP_PASSWORD", raising=False)
    monkeypatch.setattr("os.environ", dict(os.environ))
    for name in ("mqAppPassword", "mqAdminPassword"):
        (tmp_path / name).write_text("from a file\n")
    container.read_secrets(os.environ, tmp_path)
    assert os.environ["MQ_APP_PASSWORD"] == "from a file"
    assert os.environ["MQ_ADMIN_PASSWORD"] == "from the environment"


@pytest.mark.parametrize(
    ("text", "address", "port"), [("*(1414)", "", 1414), ("127.0.0.1(2)", "127.0.0.1", 2), ("::1(2)", "::1", 2)]
)
def test_where_to_listen(text: str, address: str, port: int) -> None:
    assert container.parse_listen(text) == (address, port)


@pytest.mark.parametrize("text", ["", "1414", "*(0)", "*(99999)", "a'b(1)", "*(1414"])
def test_where_nothing_can_listen(text: str) -> None:
    with pytest.raises(CommandFailed, match="FLINTMQ_LISTEN"):
        container.parse_listen(text)


def test_what_was_written_just_before_a_rename_is_passed_on_too(tmp_path: Path) -> None:
    log = tmp_path / "AMQERR01.LOG"
    log.write_text("before\n")
    said: list[str] = []
    follower = container.Follower(log, said.append)
    with open(log, "a") as file:
        file.write("first\n")
    follower.pass_on()
    with open(log, "a") as file:
        file.write("last\n")
    log.rename(tmp_path / "AMQERR02.LOG")
    log.write_text("next\n")
    follower.pass_on()
    assert "".join(said) == "first\nlast\nnext\n"
