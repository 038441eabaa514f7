"""setmqaut, dspmqaut and dmpmqaut, on a queue manager that does not run; tests/server has one that does."""

from __future__ import annotations

import grp
import pwd
from pathlib import Path

import pytest

from flintmq.cli.main import main


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "-q", "QM1"]) == 0
    capsys.readouterr()


@pytest.fixture
def known(place: None) -> None:
    """joe, and clerks: ann is one."""
    assert main(["user", "QM1", "joe", "--no-password"]) == 0
    assert main(["user", "QM1", "ann", "--no-password", "--group", "clerks"]) == 0


@pytest.mark.usefixtures("known")
def test_authorities_are_given_shown_taken_away_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    queue = ["-m", "QM1", "-n", "ORDERS.**", "-t", "q"]
    assert main(["setmqaut", *queue, "-p", "joe", "-g", "clerks", "+put", "+get", "+inq"]) == 0
    assert main(["setmqaut", *queue, "-p", "joe", "-get", "+browse", "-put"]) == 0
    assert main(["setmqaut", "-t", "qmgr", "-p", "joe", "+connect"]) == 0
    capsys.readouterr()
    assert main(["dspmqaut", "-n", "ORDERS.IN", "-t", "queue", "-p", "joe"]) == 0
    assert capsys.readouterr().out == (
        "Entity joe has the following authorizations for object ORDERS.IN:\n\tbrowse\n\tinq\n"
    )
    assert main(["dspmqaut", "-n", "OTHER", "-t", "queue", "-p", "joe"]) == 0
    assert "no authorizations" in capsys.readouterr().out
    assert main(["dmpmqaut", "-n", "ORDERS.IN", "-t", "queue"]) == 0
    shown = capsys.readouterr().out
    assert "profile:     ORDERS.**" in shown and "entity:      clerks" in shown
    assert "authority:   get inq put" in shown
    assert main(["dmpmqaut", "-l"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "profile: SELF, object type: qmgr",
        "profile: ORDERS.**, object type: queue",
    ]
    assert main(["setmqaut", *queue, "-p", "joe", "-remove"]) == 0
    assert main(["setmqaut", *queue, "-p", "joe", "-remove"]) == 151
    capsys.readouterr()
    assert main(["dmpmqaut", "-n", "ORDERS.**", "-x", "-t", "q", "-p", "joe"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["setmqaut", "-t", "q", "-n", "A", "+put"], 149),
        (["setmqaut", "-t", "q", "-n", "A", "-p", "joe"], 150),
        (["setmqaut", "-t", "car", "-n", "A", "-p", "joe", "+put"], 148),
        (["setmqaut", "-t", "q", "-p", "joe", "+put"], 146),
        (["setmqaut", "-t", "q", "-n", "A", "-p", "joe", "+pub"], 151),
        (["setmqaut", "-m", "NONE", "-t", "q", "-n", "A", "-p", "joe", "+put"], 40),
        (["dspmqaut", "-t", "q", "-n", "A"], 149),
        (["dmpmqaut", "-p", "a", "-p", "b"], 36),
    ],
)
def test_what_is_wrong_has_its_exit_code(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == code
    assert capsys.readouterr().err.strip()


@pytest.mark.parametrize("words", [["+fly"], ["-fly"], ["+put", "+fly"], ["--fly"]])
def test_what_is_no_authority_is_told_as_mq_does(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setmqaut", "-t", "q", "-n", "A", "-p", "joe", *words]) == 151
    assert f"AMQ7097E: {words[-1]}: not an authority" in capsys.readouterr().err


def test_an_option_without_its_value_is_told_as_mq_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setmqaut", "-t", "q", "-n", "A", "+put", "-p"]) == 36
    assert "AMQ7077E: argument -p" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "which"),
    [
        (["-p", "nosuchuser"], "principal nosuchuser"),
        (["-g", "nosuchgroup"], "group nosuchgroup"),
        (["-p", "joe", "-g", "clerks", "-g", "nosuchgroup"], "group nosuchgroup"),
    ],
)
@pytest.mark.usefixtures("known")
def test_who_is_not_known_is_given_nothing_and_nor_are_the_others(
    words: list[str], which: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["setmqaut", "-t", "q", "-n", "A", *words, "+put"]) == 36
    assert capsys.readouterr().err == f"AMQ7026E: Entity, principal or group not known: {which}.\n"
    assert main(["dmpmqaut", "-n", "A", "-t", "q"]) == 0
    assert capsys.readouterr().out == ""


def test_who_is_known_to_the_operating_system_is_given_authority(capsys: pytest.CaptureFixture[str]) -> None:
    user, group = pwd.getpwuid(0).pw_name, grp.getgrgid(0).gr_name
    assert main(["setmqaut", "-t", "q", "-n", "A", "-p", user, "-g", group, "-g", "nobody", "+put"]) == 0


@pytest.mark.usefixtures("known")
def test_who_has_gone_can_lose_authority(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setmqaut", "-t", "q", "-n", "A", "-p", "joe", "+put", "+get"]) == 0
    assert main(["user", "QM1", "joe", "--delete"]) == 0
    assert main(["setmqaut", "-t", "q", "-n", "A", "-p", "joe", "-put"]) == 0
    assert main(["setmqaut", "-t", "q", "-n", "A", "-p", "joe", "-remove"]) == 0


def test_users_have_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["user", "QM1", "joe", "--no-password", "--group", "clerks", "--group", "readers"]) == 0
    assert main(["user", "QM1", "ann", "--no-password", "--group", "a b"]) == 39
    capsys.readouterr()
    assert main(["user", "QM1"]) == 0
    assert capsys.readouterr().out == "joe no password in clerks,readers\n"
    assert main(["setmqaut", "-t", "qmgr", "-g", "readers", "+connect"]) == 0
    capsys.readouterr()
    assert main(["dspmqaut", "-t", "qmgr", "-p", "joe"]) == 0
    assert "\tconnect\n" in capsys.readouterr().out
