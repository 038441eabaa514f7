"""The commands, with a queue manager and a broker that are processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.broker.admin import process
from flintmq.broker.admin.place import locate
from flintmq.broker.flow.function import load
from flintmq.cli import _broker, main
from tests.broker.admin import bars
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]


class Shell:
    """Runs commands in this process; the broker and the queue manager are others."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        self._capsys.readouterr()
        got = main.main(list(words))
        shown = self._capsys.readouterr()
        assert got == code, (words, got, shown.out, shown.err)
        return shown.out + shown.err


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def started(data: Path, shell: Shell) -> Iterator[Shell]:
    """A queue manager QM1 with the queues IN and OUT, and a broker BRK with the group `default`, both running."""
    shell("crtmqm", "--dev", "-z", "-p", str(free_port()), "QM1")
    shell("strmqm", "QM1")
    place = locate("BRK")
    try:
        for name in ("IN", "OUT"):
            define(name)
        shell("mqsicreatebroker", "BRK", "-q", "QM1")
        shell("mqsicreateexecutiongroup", "BRK", "-e", "default")
        shell("mqsichangeproperties", "BRK", "-e", "default", "-o", "ExecutionGroup", "-n", "workers", "-v", "1")
        yield shell
    finally:
        if process.is_running(place):
            process.stop(place, immediate=True)
        main.main(["endmqm", "-i", "QM1"])


def define(name: str) -> None:
    with flintmq.connect("QM1") as manager:
        manager.queue(name, create=True)


def exchange(body: bytes) -> bytes:
    """Put a message to IN and get one from OUT."""
    with flintmq.connect("QM1") as manager:
        manager.queue("IN").put(body)
        return manager.queue("OUT").get(wait=60).data


def test_a_broker_is_created_started_stopped_and_deleted(started: Shell, tmp_path: Path) -> None:
    """Deployments and stopped states survive a restart and a kill, and the loss of the queue manager."""
    shell, place = started, locate("BRK")
    assert "BIP1285I" in shell("mqsilist")
    # Everything can be prepared while the broker is stopped.
    assert "BIP1092I" in shell("mqsideploy", "BRK", "-e", "default", "-a", str(bars.pass_bar(tmp_path / "one.bar")))
    assert "BIP1287I" in shell("mqsilist", "BRK") and "BIP8019W" in shell("mqsistop", "BRK", code=1)
    shell("endmqm", "-i", "QM1")
    assert "BIP8096I" in shell("mqsistart", "BRK")
    until(lambda: "BIP2048E" in place.log.read_text(), "the worker says that the queue manager is away")
    shell("strmqm", "QM1")
    assert exchange(b"1") == b"1"
    assert "BIP8018E" in shell("mqsistart", "BRK", code=1) and "BIP8018E" in shell("mqsideletebroker", "BRK", code=1)
    listed = shell("broker", "list", "BRK", "-r")
    assert "BIP1286I" in listed and "BIP1275I" in listed and "BIP1277I" in listed and "BIP8071I" in listed
    assert "BIP1284I" in shell("mqsilist")
    # A queue manager that ends and comes back.
    shell("endmqm", "-i", "QM1")
    shell("strmqm", "QM1")
    assert exchange(b"2") == b"2"
    # A stopped flow stays stopped after a kill.
    shell("mqsistopmsgflow", "BRK", "-e", "default", "-k", "Shop", "-m", "Pass")
    pids: list[str] = []
    from flintmq.broker.admin import control

    control.ask(place, {"do": "ping"}, pids.append)
    os.kill(int(pids[0]), signal.SIGKILL)
    until(lambda: not process.is_running(place), "the broker is gone")
    shell("mqsistart", "BRK")
    until(lambda: "BIP1278I" in shell("mqsilist", "BRK", "-e", "default", "-k", "Shop"), "the group runs")
    shell("mqsistartmsgflow", "BRK", "-e", "default", "-k", "Shop", "-m", "Pass")
    assert exchange(b"3") == b"3"
    assert "BIP8071I" in shell("mqsistop", "BRK")
    assert not process.is_running(place)
    log = shell("mqsireadlog", "BRK")
    assert "BIP2001I" in log and "BIP2002I" in log and "BIP2048E" in log
    shell("mqsireadlog", "BRK", "-o", str(tmp_path / "log.xml"))
    assert {each.get("number") for each in ET.parse(tmp_path / "log.xml").getroot()} >= {"2001", "2002", "2048"}
    shell("mqsideletebroker", "BRK")
    assert "BIP8013E" in shell("mqsilist", "BRK", code=1) and not place.directory.exists()


def sample(name: str, *words: str, lines: str = "") -> str:
    """Run a sample program as a process of its own, and return what it prints."""
    command = [sys.executable, "-P", "-m", "flintmq.cli", name, *words]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH") or path}
    done = subprocess.run(command, input=lines, capture_output=True, text=True, env=environment, timeout=2 * PATIENCE)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def test_a_project_is_deployed_as_a_bar_and_driven_by_the_sample_programs(started: Shell, tmp_path: Path) -> None:
    """mqsideploy of a BAR to a broker that runs, amqsput and amqsget: the outputs are those of its ESQL."""
    project = ROOT / "samples" / "broker" / "order-routing"
    bar = bars.project_bar(tmp_path / "orders.bar", project)
    flow = load(project).flow()
    queues = ("ORDERS.GOLD", "ORDERS.STANDARD", "ORDERS.EXPORT")
    for name in ("ORDERS.IN", "ORDERS.REJECTED", "ORDERS.ERRORS", "ORDERS.UNREADABLE", *queues):
        define(name)
    started("mqsistart", "BRK")
    until(lambda: "BIP1286I" in started("mqsilist", "BRK"), "the group runs")
    said = started("mqsideploy", "BRK", "-e", "default", "-a", str(bar))
    assert "BIP1092I" in said and "BIP2355W" not in said
    assert "order-routing" in started("mqsilist", "BRK", "-e", "default")

    orders, expected = [], dict.fromkeys(queues, "")
    for case in ("gold", "standard", "export"):
        text = "".join((project / "tests" / case / "input.xml").read_text().splitlines())
        orders.append(text)
        for made in flow(text.encode()).recorder.puts:
            expected[made.queue] += f"message <{made.data.decode()}>\n"
    assert all(expected.values()), "each case has a queue of its own"
    put = sample("amqsput", "ORDERS.IN", "QM1", lines="\n".join(orders) + "\n\n")
    assert "target queue is ORDERS.IN" in put
    with flintmq.connect("QM1") as manager:
        until(lambda: all(manager.queue(name).depth for name in queues))
    for name in queues:
        assert expected[name] in sample("amqsget", "--wait", "0", name, "QM1"), name


def test_bars_are_read_and_overridden_without_a_broker(data: Path, shell: Shell, tmp_path: Path) -> None:
    """BA 1.4: read, edit, apply is a round trip."""
    bar = bars.pass_bar(tmp_path / "one.bar")
    assert shell("mqsireadbar", "-b", str(bar)) == ""
    listed = shell("mqsireadbar", "-b", str(bar), "-r")
    assert "[Shop]" in listed and "Pass#Out.queueName" in listed
    edited = tmp_path / "test.properties"
    edited.write_text(listed.replace("Pass#Out.queueName", "Pass#Out.queueName=OTHER"))
    assert "BIP8071I" in shell("mqsiapplybaroverride", "-b", str(bar), "-p", str(edited), "-k", "Shop")
    assert shell("mqsireadbar", "-b", str(bar)) == "[Shop]\nPass#Out.queueName=OTHER\n"
    new = tmp_path / "new.bar"
    shell("broker", "override-bar", "-b", str(bar), "-m", "Pass#In.queueName=X", "-o", str(new))
    assert "Pass#In.queueName=X" in shell("mqsireadbar", "-b", str(new))
    before = bar.read_bytes()
    assert "line" in shell("mqsiapplybaroverride", "-b", str(bar), "-m", "Pass#Nowhere.x=1", code=1)
    assert bar.read_bytes() == before
    shell("mqsiapplybaroverride", "-b", str(bar), code=2)


@pytest.mark.parametrize(
    "words",
    [
        ("mqsilist", "NONE"),
        ("mqsistart", "NONE"),
        ("mqsistop", "NONE"),
        ("mqsideletebroker", "NONE"),
        ("mqsideploy", "NONE", "-e", "x", "-a", "x.bar"),
        ("mqsireadlog", "NONE"),
        ("mqsireportproperties", "NONE", "-o", "QueueManager"),
        ("mqsichangebroker", "NONE", "-q", "QM2"),
        ("mqsilist", "../x"),
        ("mqsicreatebroker", "a b"),
        ("mqsireadbar", "-b", "none.bar"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_line(data: Path, shell: Shell, words: tuple[str, ...]) -> None:
    said = shell(*words, code=1)
    assert said.count("\n") == 1 and "Traceback" not in said
    assert "BIP80" in said or "none.bar" in said


def test_a_stopped_broker_is_configured_and_a_password_is_read_where_it_is(
    data: Path, shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "pw").write_text("top-secret\n")
    shell("mqsicreatebroker", "BRK", "-q", "QM1", "--channel", "C", "--conn", "h(1414)", "--user", "app")
    shell("mqsichangebroker", "BRK", "-q", "QM2", "--password-file", str(tmp_path / "pw"))
    shown = shell("mqsireportproperties", "BRK", "-o", "QueueManager")
    assert "name='QM2'" in shown and "channel='C'" in shown and "passwordFile=" in shown and "top-secret" not in shown
    assert b"top-secret" not in (locate("BRK").directory / "repository.db").read_bytes()
    assert "BIP8014E" in shell("mqsicreatebroker", "BRK", code=1)
    shell("mqsichangeproperties", "BRK", "-o", "QueueManager", "-n", "a,b", "-v", "1", code=2)


def test_every_command_has_its_classic_name_and_a_place_below_flint_broker(
    capsys: pytest.CaptureFixture[str],
) -> None:
    classic = {name for name in main.command_names() if name.startswith("mqsi")}
    assert set(_broker.COMMANDS.values()) == classic
    for name, each in _broker.COMMANDS.items():
        with pytest.raises(SystemExit) as end:
            main.main(["broker", name, "--help"])
        shown = capsys.readouterr().out
        assert end.value.code == 0 and f"flint broker {name} " in shown and main.load(each).SUMMARY
    pages = "".join(page.read_text() for page in (Path(__file__).resolve().parents[3] / "docs" / "broker").glob("*.md"))
    assert [each for each in sorted(classic) if f"`{each}" not in pages and f" {each} " not in pages] == []
