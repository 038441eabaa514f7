"""The demonstration ends by itself, says what it measured, and leaves nothing behind."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_it_measures_both_phases_and_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    for seconds in ("0.6", "6", "60"):  # In a moment a machine that has much else to do gets nothing done.
        ended = run("demo", "--seconds", seconds, "--requesters", "2", "--servers", "2", "--size", "100")
        assert ended.code == 0
        figures = {line[:34].strip(): line[34:].split() for line in ended.out.splitlines() if line[:1].strip()}
        done = figures["requests with reply a second"] + figures["log MB/s"][1:]
        done += figures["publications a second"] + figures["copies by the streaming queue"]
        if not {"0", "0.0"} & set(done):
            break
    assert all(float(figure.replace(",", "")) > 0 for figure in figures["requests with reply a second"])
    assert all(float(figure) > 0 for figure in figures["CPU microseconds for an MQI call"])
    assert float(figures["log MB/s"][1]) > 0
    assert float(figures["commits for each fdatasync"][1]) >= 1
    assert float(figures["publications a second"][0].replace(",", "")) > 0
    everything, selected, streamed = (
        int(figures[title][0].replace(",", ""))
        for title in (
            "copies for the subscriber of all",
            "copies selected by total > 900",
            "copies by the streaming queue",
        )
    )
    assert everything > selected == streamed > 0
    assert "What to try next" in ended.out
    assert list((tmp_path / "tmp").iterdir()) == []
