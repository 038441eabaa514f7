"""Every command has help with an example and its place in docs/reference/cli.md; every ending has its exit code."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from flintmq.cli import _failure, main
from flintmq.cli import help as help_command

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = main.command_names()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_named_like_its_file(name: str) -> None:
    assert main.load(name).NAME == name


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main.main([name, "--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0
    assert f"flint {name}: " in shown
    examples = [line for line in shown.splitlines() if line.startswith("    ")]
    assert any(name in line.split() for line in examples), f"the docstring of cli/{name}.py shows no example"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_summary_is_one_line_that_fits_the_list(name: str) -> None:
    summary = main.load(name).SUMMARY
    assert summary and "\n" not in summary and len(summary) <= 90 and not summary.endswith(".")


def test_the_reference_lists_every_command_as_it_is() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert page == help_command.reference(), "run: ./flint help --markdown > docs/reference/cli.md"


def test_every_classic_name_that_is_installed_is_a_command() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    classic = {name for name, target in scripts.items() if target.endswith(":classic")}
    assert classic - set(COMMANDS) == set()
    page = (ROOT / "docs" / "install.md").read_text()
    assert [name for name in sorted(classic) if f"`{name}`" not in page] == []


def test_help_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main([]) == 0
    shown = capsys.readouterr().out
    assert [name for name in COMMANDS if f"  {name} " not in shown] == []


@pytest.mark.parametrize("words", [["no-such"], ["help", "no-such"], ["main"], ["_failure"]])
def test_an_unknown_command_is_refused_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1


def end_of(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command that raises `error`."""

    def run(options: argparse.Namespace) -> int:
        raise error

    command = SimpleNamespace(__doc__="flint version: x", NAME="version", arguments=lambda parser: None, run=run)
    monkeypatch.setattr(main, "load", lambda name: command)
    return main.main(["version"])


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (_failure.CommandFailed("QM1 is not there", 16), 16, "flint version: QM1 is not there\n"),
        (FileNotFoundError(2, "No such file or directory", "x.log"), 1, "No such file or directory: x.log\n"),
        (KeyboardInterrupt(), 130, ""),
        (ZeroDivisionError("division by zero"), 71, "unexpected ZeroDivisionError: division by zero"),
    ],
)
def test_every_ending_has_its_exit_code_and_at_most_one_line(
    error: BaseException,
    code: int,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("FLINT_DEBUG", raising=False)
    assert end_of(error, monkeypatch) == code
    shown = capsys.readouterr().err
    assert text in shown and shown.count("\n") == (1 if text else 0) and "Traceback" not in shown


def test_flint_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FLINT_DEBUG", "1")
    end_of(ZeroDivisionError("division by zero"), monkeypatch)
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    """As in `flint help | head -1`: here the pipe is closed before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-m", "flintmq.cli", "help"]
    end = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (end.returncode, end.stderr) == (141, "")


@pytest.mark.parametrize("word", ["2053", "0x805", "MQRC_Q_FULL", "q_full"])
def test_mqrc_knows_a_reason_by_number_and_by_name(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["mqrc", word]) == 0
    shown = capsys.readouterr().out
    assert "2053  0x00000805  MQRC_Q_FULL" in shown and "MAXDEPTH" in shown


@pytest.mark.parametrize("word", ["99999", "NO_SUCH_REASON", "0xzz", "-"])
def test_mqrc_says_so_when_there_is_no_such_reason(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["mqrc", word]) == 1
    assert "no reason code" in capsys.readouterr().err
