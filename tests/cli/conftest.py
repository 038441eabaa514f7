"""A data directory for each test, and a way to run a command as a user does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from flintmq.cli import main


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of this test."""
    directory = tmp_path / "data"
    monkeypatch.setenv("FLINTMQ_DATA", str(directory))
    return directory


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `flint WORDS...` in this process, with `text` as its standard input."""

    def run_command(*words: str, text: str = "") -> Ended:
        import io

        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        try:
            code = main.main(list(words))
        except SystemExit as end:  # argparse's own
            code = end.code if isinstance(end.code, int) else 1
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ended(code, captured.out, captured.err)

    return run_command
