"""Runs on disk: what is written is read again; damage is named with its line; the page lists every field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from flintmq.perf import runs

ROOT = Path(__file__).resolve().parents[2]
HEAD = {
    "id": "R1",
    "workload": "Z93-R01",
    "title": "t",
    "product": "FlintMQ",
    "product_version": "0",
    "build": "plain",
    "commit": "",
    "mode": "tcp",
    "started": 1.0,
    "repeats": 3,
    "warm_up_s": 1,
    "measure_s": 2,
    "settle_s": 0,
    "varied": ["size"],
    "operation": "request/reply",
    "anchors": [],
    "behaviours": [185],
    "command": [],
}


def written(place: Path) -> Path:
    with runs.RunWriter(place / "R", HEAD) as writer:
        writer.write("value", step=1, repeat=1, name="restart_s", value=0.5, unit="s")
        writer.note("nothing left out")
    return place / "R"


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = runs.read(written(tmp_path))
    assert (run.workload, run.ended, run.torn) == ("Z93-R01", runs.COMPLETE, False)
    assert run["value"][0]["value"] == 0.5 and run["latency"] == []
    assert runs.find(tmp_path) == [tmp_path / "R"] == runs.find(tmp_path / "R")


def test_ctrl_c_leaves_a_valid_run(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), runs.RunWriter(tmp_path / "R", HEAD) as writer:
        writer.note("one")
        raise KeyboardInterrupt
    run = runs.read(tmp_path / "R")
    assert (run.ended, len(run["note"])) == (runs.INTERRUPTED, 1)


def test_a_failure_is_recorded_with_its_text(tmp_path: Path) -> None:
    with pytest.raises(OSError), runs.RunWriter(tmp_path / "R", HEAD):
        raise OSError("no space")
    assert runs.read(tmp_path / "R")["end"][0]["reason"] == "OSError: no space"


@pytest.mark.parametrize("cut", range(1, 30, 7))
def test_a_killed_run_lacks_only_its_last_line(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path) / runs.FILE
    path.write_bytes(path.read_bytes()[:-cut])
    run = runs.read(path.parent)
    assert (run.ended, run.torn, len(run["note"])) == (runs.KILLED, True, 1)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda data: b"", "first line"),
        (lambda data: data.replace(b"flint-perf-run", b"other", 1), "first line"),
        (lambda data: data.replace(b'"version": 1', b'"version": 9', 1), "version 9 is not known"),
        (lambda data: data.replace(b'"value": 0.5', b'"value": "x"'), "line 2: record value: value"),
        (lambda data: data.replace(b'{"record": "value"', b"\xff\x00"), "line 2: not a JSON object"),
        (lambda data: b"[1]\n" + data, "line 1: not a JSON object"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, change: object, text: str) -> None:
    path = written(tmp_path) / runs.FILE
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(runs.RunError, match=text):
        runs.read(path.parent)


def test_unknown_records_and_fields_are_ignored(tmp_path: Path) -> None:
    path = written(tmp_path) / runs.FILE
    with path.open("a") as more:
        more.write(json.dumps({"record": "new", "x": 1}) + "\n")
        more.write(json.dumps({"record": "note", "text": "t", "more": 1}) + "\n")
    assert len(runs.read(path.parent)["note"]) == 2


def test_the_writer_refuses_what_the_format_does_not_have(tmp_path: Path) -> None:
    with runs.RunWriter(tmp_path / "R", HEAD) as writer:
        for record, fields in (("no", {}), ("note", {}), ("note", {"text": 1}), ("note", {"text": "", "x": 1})):
            with pytest.raises(ValueError):
                writer.write(record, **fields)
        with pytest.raises(ValueError):
            writer.write("value", step=1, repeat=1, name="n", value=float("nan"), unit="s")
    with pytest.raises(runs.RunError, match="already exists"):
        runs.RunWriter(tmp_path / "R", HEAD)


def test_the_page_lists_every_record_and_field() -> None:
    page = (ROOT / "docs" / "internals" / "run-format.md").read_text()
    rows = {row.split("|")[1].strip(" `"): row for row in page.splitlines() if row.startswith("| `")}
    assert rows.keys() == runs.RECORDS.keys()
    for record, fields in runs.RECORDS.items():
        assert [name for name in fields if f"`{name}`" not in rows[record]] == [], record
    assert re.search(rf'"version": {runs.VERSION}`', page)
