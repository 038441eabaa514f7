"""The session of docs/broker/administration.md runs as it is written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq.broker.admin import process
from flintmq.broker.admin.place import locate
from flintmq.cli import main

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "broker" / "administration.md"


def session() -> list[tuple[str, list[str]]]:
    """Return the commands of the page with the lines that they print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def test_the_session_of_the_page_runs(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    try:
        for command, expected in session():
            words = shlex.split(command)
            words = words[1:] if words[0] == "flint" else words
            if words[0] == "crtmqm":
                words[1:1] = ["-p", str(free_port())]
            main.main(words)
            shown = capsys.readouterr()
            printed = (shown.out + shown.err).splitlines()
            if words[0].startswith("mqsi"):
                assert [line for line in printed if line] == [line for line in expected if line], command
            else:
                assert set(expected) <= set(printed), command
            if words[0] == "strmqm":
                define_queues()
    finally:
        if process.is_running(locate("BRK")):
            process.stop(locate("BRK"), immediate=True)
        main.main(["endmqm", "-i", "QM1"])


def define_queues() -> None:
    """Define the input queue of the sample."""
    import flintmq

    with flintmq.connect("QM1") as manager:
        manager.queue("ORDERS.IN", create=True)
