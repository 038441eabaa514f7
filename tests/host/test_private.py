"""Issue 14, item 7: the files of a queue manager are its owner's alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.host.error_log import ErrorLog
from flintmq.host.private import tighten
from flintmq.telemetry.trace_file import TraceFile

SMALL = flintmq.LogConfig(file_pages=64)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def open_to_others(directory: Path) -> list[str]:
    """The files and directories at and below `directory` that others than their owner may use."""
    paths = [directory, *directory.rglob("*")]
    return [str(path.relative_to(directory)) for path in paths if path.lstat().st_mode & _OTHERS]


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """The umask of a user who lets everybody read: modes must not depend on it."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_what_a_queue_manager_makes_is_for_its_owner_only(tmp_path: Path) -> None:
    """Log, page sets, qm.ini, the lock, error logs, dumps, the key of secrets, traces, and the directories."""
    place = tmp_path / "QM"
    with flintmq.open(place, log=SMALL) as qm:
        qm.mqsc("DEFINE QLOCAL(Q)\nDEFINE PSID(5)\nALTER QMGR KEYRPWD('secret')")
        qm.queue("Q").put(b"x" * 100_000, persistent=True)
        errors = ErrorLog(place / "errors", "QM", as_json=True)
        errors.write("AMQ8003I", "started")
        assert errors.dump(RuntimeError("a bug"))
        TraceFile(place / "trace" / "QM.TRC", "QM", 10).close()
        assert open_to_others(place) == []
    with flintmq.open(place):
        assert open_to_others(place) == []


def test_a_log_in_another_directory_is_for_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    assert main(["crtmqm", "-q", "-ld", str(tmp_path / "logs"), "QM1"]) == 0
    with flintmq.open("QM1"):
        for path in (instance.by_name("QM1").directory, tmp_path / "logs" / "QM1"):
            assert open_to_others(path) == []


def test_what_an_earlier_release_made_is_tightened_when_it_is_opened(tmp_path: Path) -> None:
    """And the operator is told once."""
    place = tmp_path / "QM"
    flintmq.open(place, log=SMALL).close()
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    (place / "link").symlink_to(outside)
    for path in [place, *place.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o750 if path.is_dir() else 0o640)
    dump = place / "QM.2026.001.smf.gz"
    dump.touch(0o640)
    told = []
    for _ in range(2):
        with flintmq.open(place) as qm:
            assert set(open_to_others(place)) == {"link", dump.name}
        told.append([text for number, text in qm._host.errors.recent if number == "FMQ2003W"])
    assert (len(told[0]), told[1]) == (1, []) and "0 could not be changed" in told[0][0]
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_a_directory_that_is_not_there_is_no_matter(tmp_path: Path) -> None:
    assert tighten([tmp_path / "none"]) == (0, 0)
