"""runmqsc at a terminal, which is a real one: a pseudo-terminal with a window size."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import stat
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.cli._terminal import HISTORY_NAME, History
from flintmq.cli.main import main
from flintmq.command.display import columns
from flintmq.command.reply import Item
from tests.waiting import PATIENCE

UP = "\x1b[A"
ROOT = Path(__file__).resolve().parents[2]


class Terminal:
    """A program that runs at a terminal of 60 columns."""

    def __init__(self, *words: str, columns: int = 60) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        environment |= {"TERM": "dumb", "PYTHONPATH": str(ROOT / "src"), "INPUTRC": "/dev/null"}
        command = [sys.executable, "-m", "flintmq.cli", *words]
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.said = ""

    def type(self, text: str, until: str) -> str:
        """Type something; return what the terminal shows up to and with `until`."""
        os.write(self.master, text.encode())
        return self.read(until)

    def read(self, until: str) -> str:
        end = time.monotonic() + PATIENCE
        while until not in self.said:
            assert time.monotonic() < end and self.process.poll() is None, self.said
            if select.select([self.master], [], [], 0.1)[0]:
                self.said += os.read(self.master, 1 << 16).decode(errors="replace")
        shown, found, self.said = self.said.partition(until)
        return shown + found

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "-z", "-lf", "64", "QM1"]) == 0
    yield tmp_path


def test_lines_are_edited_completed_and_remembered_and_answers_fit_the_window(data: Path) -> None:
    """Issue 14, item 28: history and line editing, completion, no password in the history, tables that fit."""
    terminal = Terminal("runmqsc", "-p", "> ", "QM1")
    try:
        terminal.read("> ")
        terminal.type("PING QMGT\x7fR\r", "AMQ8415I")  # The Backspace key.
        terminal.read("> ")
        terminal.type(UP + "\r", "AMQ8415I")
        terminal.read("> ")
        terminal.type("ALTER QMGR KEYRPWD('s3cret')\r", "AMQ8005I")
        terminal.read("> ")
        terminal.type("ALTER QMGR +\r", "> ")
        terminal.type("  KEYRPWD( +\r", "> ")
        terminal.type("'s3cret')\r", "AMQ8005I")
        terminal.read("> ")
        terminal.type("DIS QL(SYSTEM.DEFAULT.LO\t", "SYSTEM.DEFAULT.LOCAL.QUEUE")  # The Tab key.
        shown = terminal.type(") MAXD\t\r", "MAXDEPTH(5000)")
        assert "AMQ8409I" in shown
        terminal.read("> ")
        shown = terminal.type("DISPLAY QMGR ALL\r", "> ")
        answer = [line.rstrip("\r") for line in shown.split("\n")][2:-1]
        assert len(answer) > 80 and max(len(line) for line in answer) <= 60  # One column.
        os.write(terminal.master, b"END\r")
        assert terminal.process.wait(PATIENCE) == 0
    finally:
        terminal.end()
    path = data / HISTORY_NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().splitlines() == [
        "PING QMGR",
        "DIS QL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH",
        "DISPLAY QMGR ALL",
        "END",
    ]
    again = Terminal("runmqsc", "-p", "> ", "QM1")
    try:
        again.read("> ")
        assert "MAXDEPTH(5000)" in again.type(UP * 3 + "\r", "MAXDEPTH(5000)")
    finally:
        again.end()


def test_what_is_piped_is_laid_out_as_mq_lays_it_out(data: Path) -> None:
    environment = dict(os.environ, COLUMNS="40", PYTHONPATH=str(ROOT / "src"))
    command = [sys.executable, "-m", "flintmq.cli", "runmqsc", "QM1"]
    ended = subprocess.run(
        command, input="DISPLAY QMGR ALL\n", capture_output=True, text=True, env=environment, check=True
    )
    assert f"\n   {'QMNAME(QM1)':40}ACCTCONO(DISABLED)\n" in ended.stdout
    assert not (data / HISTORY_NAME).exists()


@pytest.mark.parametrize(
    ("width", "shape"), [(0, [2, 2, 1]), (80, [2, 2, 1]), (79, [1] * 5), (120, [3, 2]), (20, [1] * 5)]
)
def test_there_are_as_many_columns_as_fit(width: int, shape: list[int]) -> None:
    lines = columns([Item(f"KEYWORD{number}", "x" * 20) for number in range(5)], width)
    assert [line.count("KEYWORD") for line in lines] == shape
    assert all(len(line) <= max(width, 34 if width < 80 else 0, 80 if width == 0 else 0) for line in lines)


def test_a_long_history_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(f"DISPLAY QLOCAL(A{number})\n" for number in range(2001)))
    remembered: list[str] = []
    History(path, remembered.append).load()
    assert len(remembered) == 1000 and remembered[-1] == "DISPLAY QLOCAL(A2000)"
    assert path.read_text().splitlines() == remembered
