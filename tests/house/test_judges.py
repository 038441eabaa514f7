"""What the suite compares with is installed where that is possible; where it is not, the reason is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import judges

ALL = list(judges.PACKAGES.values())


def program(directory: Path, name: str, script: str = "") -> None:
    file = directory / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that is the whole PATH, of root."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path


def test_nothing_is_installed_where_everything_is_there(path: Path) -> None:
    for name in judges.PACKAGES:
        program(path, name)
    program(path, "apt-get", "exit 1")

    assert judges.install() == ""


def test_only_what_is_missing_is_installed(path: Path) -> None:
    program(path, "tshark")
    program(path, "apt-get", f'echo "$@" >> {path}/asked')

    assert judges.install() == "installed: default-jdk-headless maven buildah chromium"
    assert (path / "asked").read_text().splitlines()[-1].endswith("default-jdk-headless maven buildah chromium")


def test_who_is_not_root_is_told_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "apt-get", f"touch {path}/asked")
    monkeypatch.setattr("os.geteuid", lambda: 1000)

    assert judges.install().endswith(": " + " ".join(ALL))
    assert not (path / "asked").exists()


def test_the_last_line_of_an_installation_that_failed_is_told(path: Path) -> None:
    program(path, "apt-get", 'echo "Reading"; echo "E: no such package" >&2; exit 100')

    assert judges.install() == f"not here, and not installed: {' '.join(ALL)}: E: no such package"
