"""flint pipeline: what it refuses, in one line, before Spark is started."""

from __future__ import annotations

import os
import tempfile
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
        (["run", "--smf", ".", "--out", "out"], "there are no dumps in ."),
        (
            ["run", "--smf", ".", "--out", "out", "--stream", "--every", "0"],
            "--every 0: between two looks is some time",
        ),
        (["run", "--smf", ".", "--out", "out", "--stream", "--every", "nan"], "--every nan: "),
        (["sql", "select 1", "--out", ".", "--rows", "0"], "--rows 0: at least one row"),
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


def test_a_dump_that_may_not_be_read_is_named_before_spark_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FLINT_DEBUG", raising=False)
    with tempfile.TemporaryDirectory() as place:  # The directory of pytest is for its owner alone.
        os.chmod(place, 0o755)
        dump = Path(place) / "secret.dat"
        dump.write_bytes(SYNTHETIC.dump.read_bytes())
        dump.chmod(0)
        user = os.geteuid()
        os.seteuid(65534 if user == 0 else user)  # Nobody; root may read everything.
        try:
            assert main.main(["pipeline", "run", "--smf", place, "--out", f"{place}/out"]) == 1
        finally:
            os.seteuid(user)
    shown = capsys.readouterr().err
    assert shown == f"flint pipeline: {dump} cannot be read: Permission denied\n"


def test_without_java_the_command_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main.main(["pipeline", "run", "--smf", str(SYNTHETIC.dump), "--out", str(tmp_path / "out")]) == 1
    assert "Spark needs Java 17 or later: install" in capsys.readouterr().err


def test_tables_are_listed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main.main(["pipeline", "tables", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == ["table", "rows", "files", "MB"]
