"""Every benchmark still runs (tiny, so its figures mean nothing), and its last line is what `--json` promises."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import flintmq
from benchmarks import frame
from flintmq.cli import main

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(frame.discover())


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs_tiny_and_ends_with_one_json_object(name: str) -> None:
    command = [sys.executable, "-P", "-m", "flintmq.cli", "bench", name, "--tiny", "--json"]
    end = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert end.returncode == 0, end.stderr
    result = json.loads(end.stdout.splitlines()[-1])
    assert result["bench"] == name and result["compiled"] is flintmq.compiled()
    assert result["figures"]
    for figure in result["figures"]:
        assert sorted(figure) == ["floor", "name", "ratio", "unit", "value"]
        assert math.isfinite(figure["value"])


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_is_named_like_its_file_and_says_what_it_measures(name: str) -> None:
    benchmark = frame.load(frame.discover()[name])
    assert benchmark.NAME == name
    assert "floor" in benchmark.__doc__.lower()


def test_a_figure_knows_how_many_floors_it_is() -> None:
    assert frame.Figure("a", 3.0, "us", 1.5).as_json() == {
        "name": "a",
        "value": 3.0,
        "unit": "us",
        "floor": 1.5,
        "ratio": 2.0,
    }
    assert frame.Figure("rss_mb", 120.0, "MB").ratio is None


def test_a_table_shows_value_floor_and_ratio_in_columns() -> None:
    lines = frame.table("engine", [frame.Figure("put", 1.62, "us", 0.31), frame.Figure("rss", 1234567.0, "MB")])
    assert lines.splitlines()[1].split() == ["put", "1.62", "us", "0.310", "us", "5.23"]
    assert lines.splitlines()[2].split() == ["rss", "1,234,567", "MB"]


def test_a_result_is_appended_to_the_history_with_machine_and_versions(tmp_path: Path) -> None:
    for value in (1.0, 2.0):
        frame.record(frame.result("engine", [frame.Figure("put", value, "us")]), tmp_path)
    entries = [json.loads(line) for line in (tmp_path / "engine.jsonl").read_text().splitlines()]
    assert [entry["figures"][0]["value"] for entry in entries] == [1.0, 2.0]
    assert entries[0]["version"] == flintmq.__version__ and entries[0]["cores"] >= 1


def test_several_benchmarks_still_end_with_one_object() -> None:
    both = frame.together([frame.result(name, [frame.Figure("put", 1.0, "us")]) for name in ("engine", "deep")])
    assert [figure["name"] for figure in both["figures"]] == ["engine.put", "deep.put"]  # type: ignore[attr-defined]


def test_cpu_time_is_that_of_the_work_not_of_the_clock() -> None:
    work, floor = frame.side_by_side(lambda: sum(range(2_000_000)), lambda: None, rounds=1)
    assert work > floor >= 0


def test_a_name_nobody_has_is_refused_with_the_names_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["bench", "no-such"]) == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1 and all(name in shown for name in NAMES)
