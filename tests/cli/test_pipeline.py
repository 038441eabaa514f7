"""flint pipeline: what it refuses, in one line, before Spark is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.cli import main
from tests.telemetry.samples import SYNTHETIC

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["run", "--smf", "nowhere", "--out", "out"], "nowhere: there is no such file or directory"),
        (["run", "--smf", "nowhere"], "--out DIR, or FLINT_TABLES"),
        (["run", "--smf", "nowhere", "--out", "out", "--layers", "tin"], "layers are bronze, silver, gold, not tin"),
        (["run", "--smf", "nowhere", "--out", "out", "--framing", "x"], "framing is rdw, none, bdw"),
        (["run", "--smf", "nowhere", "--out", "out", "--partition-size", "x"], "such as 64m"),
        (["tables", "--out", "nowhere"], "nowhere: there is no such directory"),
        (["sql", "select 1", "--out", "nowhere"], "nowhere: there is no such directory"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    words: list[str], text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FLINT_TABLES", raising=False)
    monkeypatch.delenv("FLINT_DEBUG", raising=False)
    assert main.main(["pipeline", *words]) in (1, 2)
    shown = capsys.readouterr().err
    assert text in shown and shown.count("\n") == 1


def test_without_java_the_command_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main.main(["pipeline", "run", "--smf", str(SYNTHETIC.dump), "--out", str(tmp_path / "out")]) == 1
    assert "Spark needs Java 17 or later: install" in capsys.readouterr().err


def test_tables_are_listed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main.main(["pipeline", "tables", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == ["table", "rows", "files", "MB"]
