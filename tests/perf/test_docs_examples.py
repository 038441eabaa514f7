"""The commands of docs/perf.md, perf-report.md and report/README.md: every line parses, and the short ones run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from flintmq.cli import main
from flintmq.cli import perf as command
from flintmq.perf.command import ACTIONS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "perf.md", DOCS / "perf-report.md", DOCS / "report" / "README.md"]
_COMMAND = re.compile(r"^    (?:\./)?flint (perf .*)$", flags=re.MULTILINE)
COMMANDS = {page.relative_to(DOCS).as_posix(): _COMMAND.findall(page.read_text()) for page in PAGES}
LINES = [line for lines in COMMANDS.values() for line in lines]


def test_every_page_has_commands() -> None:
    assert all(COMMANDS.values()), COMMANDS


@pytest.mark.parametrize("line", LINES)
def test_a_command_of_the_pages_parses(line: str) -> None:
    line = re.sub(r"\$\(.*?\)", "Z93-R01", line)  # A list of workloads that the shell inserts.
    options = main.parser_of(command, "flint perf").parse_args(shlex.split(line)[1:])
    assert options.action in line


def test_the_pages_show_every_action() -> None:
    assert set(ACTIONS) - {line.split()[1] for line in LINES} == set()


def test_the_inserted_list_of_workloads_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    (inner,) = {found for line in LINES for found in re.findall(r"\$\(\./flint (perf [^|)]*)", line)}
    assert main.main(shlex.split(inner)) == 0
    assert "Z93-R01" in [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.split()]


@pytest.mark.parametrize("line", [line for line in LINES if re.match(r"perf (list|show)", line)])
def test_short_commands_of_the_pages_run(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(shlex.split(line)) == 0
    assert "Z93-R01" in capsys.readouterr().out
