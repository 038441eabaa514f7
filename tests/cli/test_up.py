"""`flint up` and `flint down`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.host.lock import holder_of
from tests.waiting import PATIENCE


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    monkeypatch.delenv("MQ_APP_PASSWORD", raising=False)
    monkeypatch.delenv("MQ_ADMIN_PASSWORD", raising=False)
    yield tmp_path
    main(["down", "QM1"])


def python_example(text: str) -> str:
    """What `flint up` says about Python, as a program."""
    found = re.search(r"From Python .*?:\n\n(.*?)\nFrom Java", text, re.DOTALL)
    assert found is not None
    return "\n".join(line[4:] for line in found.group(1).split("\n") if not line.startswith("    ("))


def test_up_creates_starts_and_says_what_works(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    assert main(["up", "-p", str(port)]) == 0
    first = capsys.readouterr().out
    assert "QM1 was created." in first and "QM1 is running." in first and f"127.0.0.1({port})" in first
    assert instance.default_name() == "QM1"
    flint = [sys.executable, "-m", "flintmq.cli", "python"]
    ran = subprocess.run([*flint, "-c", python_example(first)], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == ("b'hello'\n", "")

    assert main(["up"]) == 0
    again = capsys.readouterr().out
    assert "created" not in again and "QM1 is running." in again

    assert main(["down"]) == 0
    assert holder_of(instance.by_name("QM1").lock_path) is None
    assert main(["down"]) == 0
    assert "QM1 does not run." in capsys.readouterr().out


def test_up_gives_a_queue_manager_of_an_embedded_program_what_it_lacks(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README in order: first.py opens QM1 in its own process, then `flint up` (issue 14, item 21)."""
    with flintmq.open("QM1") as qm:
        qm.queue("ORDERS", create=True).put("kept", persistent=True)
        qm.queue("DEV.QUEUE.1", create=True, descr="mine")
    port = free_port()
    assert main(["up", "-p", str(port)]) == 0
    said = capsys.readouterr().out
    assert "QM1 listened nowhere" in said and f"127.0.0.1({port})" in said
    ran = subprocess.run([sys.executable, "-c", python_example(said)], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == ("b'hello'\n", "")
    with flintmq.connect("QM1") as qm:
        assert qm.queue("ORDERS").get().text == "kept"
        assert qm.mqsc("DISPLAY QLOCAL(DEV.QUEUE.1) DESCR").rows[0]["DESCR"] == "mine"
        assert qm.mqsc("DISPLAY QMGR DEADQ").rows[0]["DEADQ"] == "DEV.DEAD.LETTER.QUEUE"
    assert main(["down"]) == 0
    assert main(["up"]) == 0
    assert "listened nowhere" not in capsys.readouterr().out


def test_up_leaves_the_objects_of_a_queue_manager_with_a_listener_alone(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["crtmqm", "-z", "-p", str(free_port()), "QM1"]) == 0
    assert main(["up"]) == 0
    with flintmq.connect("QM1") as qm:
        assert qm.mqsc("DISPLAY QLOCAL(DEV.*)", check=False).rows == []


def test_a_password_is_used_and_never_shown(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQ_APP_PASSWORD", "hunter2")
    assert main(["up", "-p", str(free_port())]) == 0
    said = capsys.readouterr().out
    assert "hunter2" not in said and 'os.environ["MQ_APP_PASSWORD"]' in said
    ran = subprocess.run([sys.executable, "-c", python_example(said)], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == ("b'hello'\n", "")


def test_what_cannot_be_is_said(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["up", "not a name"]) == 72
    assert main(["up", "-p", "99999", "QM1"]) == 39
    assert main(["down", "NO.SUCH"]) == 16
    assert "does not exist" in capsys.readouterr().err


def test_flint_python_hands_everything_to_python_and_has_its_exit_code(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys, flintmq\nprint(sys.argv[1:], flintmq.__name__)\nsys.exit(7)\n")
    flint = [sys.executable, "-m", "flintmq.cli", "python"]
    ran = subprocess.run([*flint, str(program), "-c", "--help"], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("['-c', '--help'] flintmq\n", "", 7)
