"""What the suite compares with is installed where that is possible; where it is not, the reason is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import judges, programs

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
    monkeypatch.setattr(programs, "DEBIAN", tmp_path / "postgresql")
    return tmp_path


def test_nothing_is_installed_where_everything_is_there(path: Path) -> None:
    for name in judges.PACKAGES:
        program(path, name)
    program(path, "postgres")
    program(path, "apt-get", "exit 1")

    assert judges.install() == ""


def test_only_what_is_missing_is_installed(path: Path) -> None:
    program(path, "tshark")
    program(path, "apt-get", f'echo "$@" >> {path}/asked')

    assert judges.install() == "installed: default-jdk-headless maven buildah chromium postgresql"
    assert (
        (path / "asked").read_text().splitlines()[-1].endswith("default-jdk-headless maven buildah chromium postgresql")
    )


def test_who_is_not_root_is_told_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(path, "apt-get", f"touch {path}/asked")
    monkeypatch.setattr("os.geteuid", lambda: 1000)

    assert judges.install().endswith(": " + " ".join(ALL))
    assert not (path / "asked").exists()


def test_the_last_line_of_an_installation_that_failed_is_told(path: Path) -> None:
    program(path, "apt-get", 'echo "Reading"; echo "E: no such package" >&2; exit 100')

    assert judges.install() == f"not here, and not installed: {' '.join(ALL)}: E: no such package"


def test_postgresql_of_debian_is_found_although_it_is_not_on_the_path(path: Path) -> None:
    for version in ("9.6", "15"):
        place = path / "postgresql" / version / "bin"
        place.mkdir(parents=True)
        for name in ("initdb", "postgres"):
            program(place, name)

    assert programs.of_postgresql() == path / "postgresql" / "15" / "bin"
    assert "postgresql" not in judges.missing()


def test_a_directory_without_the_server_is_not_postgresql(path: Path) -> None:
    place = path / "postgresql" / "15" / "bin"
    place.mkdir(parents=True)
    program(place, "initdb")

    assert programs.of_postgresql() is None
    assert "postgresql" in judges.missing()
