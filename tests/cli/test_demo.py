"""The demonstration ends by itself, says what it measured, and leaves nothing behind."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.perf import runs
from flintmq.perf.tour import sample
from tests.waiting import PATIENCE

Run = Callable[..., Any]


def test_it_measures_both_phases_and_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    for seconds in ("0.6", "6", "60"):  # In a moment a machine that has much else to do gets nothing done.
        ended = run("demo", "--embedded", "--seconds", seconds, "--requesters", "2", "--servers", "2", "--size", "100")
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


def test_the_tour_routes_orders_and_says_what_it_left_out_without_java(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lxml", reason="message flows need the broker extra")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    ended = run("demo", "--seconds", "0.4", "--clients", "2", "-o", str(tmp_path / "tour"))
    assert ended.code == 0, ended.err
    shown = ended.out.partition("What was shown:")[2]
    for words in ("embedded:", "queue manager PERF:", "SMF 115 and 116", "flow OrderRouting", "gold:", "export:"):
        assert words in shown
    copies = int(shown.partition("stream queue: ")[2].partition(" ")[0].replace(",", ""))
    assert copies > 0
    assert "Left out: the pipeline on Spark and its report: Spark needs Java" in shown
    made = runs.read(tmp_path / "tour" / "run")
    gold = sum(each["operations"] for each in made["result"] if each["step"] == 1)
    # The orders before the first measurement have copies, too.
    assert copies >= gold > 0
    assert made.ended == runs.COMPLETE and made.smf_files()
    assert list((tmp_path / "tour" / "statistics").iterdir())


def test_the_tour_refuses_a_directory_with_something_in_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    ended = run("demo", "-o", str(tmp_path))
    assert ended.code == 2 and "not an empty directory" in ended.err


def test_the_tour_that_is_kept_leaves_the_flow_running(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An order that is put after the tour is routed; the commands that it printed end everything."""
    pytest.importorskip("lxml", reason="message flows need the broker extra")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    place = tmp_path / "tour"
    ended = run("demo", "--seconds", "0.4", "--clients", "1", "-o", str(place), "--keep")
    monkeypatch.setenv("FLINTMQ_DATA", str(place / "data"))
    try:
        assert ended.code == 0, ended.err
        assert "the flow in broker TOUR" in ended.out and f"FLINTMQ_DATA={place / 'data'}" in ended.out
        application = sample()
        assert application is not None
        order = (application / "tests" / "gold" / "input.xml").read_bytes()
        with flintmq.connect("PERF") as qm:
            sent = qm.queue("ORDERS.IN").put(order)
            assert qm.queue("ORDERS.GOLD").get(wait=PATIENCE, message_id=sent).data
    finally:
        assert run("broker", "stop", "TOUR").code == 0
        assert run("endmqm", "-i", "PERF").code == 0


def processor_seconds() -> float:
    """Return the time that processors spent on processes which this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_tour_needs_nothing_of_the_home_directory(tmp_path: Path) -> None:
    """With an empty home directory and no settings it shows everything, Spark too where Java is there."""
    pytest.importorskip("lxml", reason="message flows need the broker extra")
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    source = Path(flintmq.__file__).resolve().parents[1]
    kept = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
    environment = {**kept, "HOME": str(home), "PYTHONPATH": str(source), "TMPDIR": str(here), "LANG": "C.UTF-8"}
    command = [sys.executable, "-P", "-m", "flintmq.cli", "demo", "--seconds", "0.4", "-o", str(tmp_path / "tour")]
    began = processor_seconds()
    ended = subprocess.run(command, capture_output=True, text=True, cwd=here, env=environment, timeout=10 * PATIENCE)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert processor_seconds() - began < 180  # A machine may be busy with other things.
    page = tmp_path / "tour" / "report" / "report.html"
    if shutil.which("java"):
        assert "Left out" not in ended.stdout
        assert page.stat().st_size > 100_000 and str(page) in ended.stdout
    assert not any(each.name.startswith("flint-perf-") for each in here.iterdir())
