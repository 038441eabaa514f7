"""Who may connect: the table of gatekeeper.py, row by row, over the wire."""

from __future__ import annotations

import os
import stat
from io import StringIO
from pathlib import Path

import pytest

import flintmq
from flintmq.cli.main import main
from flintmq.server import users
from flintmq.server.entities import SystemEntities
from flintmq.server.gatekeeper import ConnectionAuthentication
from flintmq.server.users import Users, hashed, matches
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.terms import LOCAL_CHANNEL, Terms
from tests.wire.mq.peer import Peer, World

CONNAUTH = "DEV.AUTHINFO"
CHANNEL = "DEV.ADMIN.SVRCONN"  # It has no MCAUSER.


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that cost nothing to check."""
    monkeypatch.setattr(users, "_N", 2)
    monkeypatch.setattr(users, "_NOBODY", "scrypt$2$8$1$00$00")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "users"
    users.change(made, "joe", "right", False)
    users.change(made, "boss", "right", True)
    users.change(made, "mute", None, False)
    return made


@pytest.fixture
def world(path: Path) -> World:
    """CHLAUTH is off: its rules are those of test_chlauth.py."""
    world = World()
    users = Users(path)
    world.qm.entities = SystemEntities(users, "owner")
    world.channels.gatekeeper = ConnectionAuthentication(world.qm, users, "owner")
    world.alter("QMGR", "QM1", CHLAUTH="DISABLED")
    return world


def connect(world: World, user: str, password: str = "", channel: str = CHANNEL) -> tuple[int, str]:
    """(reason, user that the connection has)."""
    peer: Peer = world.peer(channel=channel)
    peer.agree()
    reason = peer.connect(user=user, password=password).reason
    connection = peer.session.conversations[1].connection
    user = connection.user if connection is not None else ""
    peer.session.lost()
    return reason, user


@pytest.mark.parametrize(
    ("check", "user", "password", "reason"),
    [
        ("NONE", "joe", "wrong", 0),
        ("NONE", "boss", "", 0),
        ("OPTIONAL", "joe", "right", 0),
        ("OPTIONAL", "joe", "wrong", 2035),
        ("OPTIONAL", "boss", "", 0),
        ("REQDADM", "joe", "", 0),
        ("REQDADM", "joe", "wrong", 2035),
        ("REQDADM", "boss", "", 2035),
        ("REQDADM", "mqm", "", 2035),
        ("REQDADM", "boss", "right", 0),
        ("REQUIRED", "joe", "", 2035),
        ("REQUIRED", "joe", "right", 0),
        ("REQUIRED", "nobody", "right", 2035),
        ("REQUIRED", "mute", "right", 2035),
    ],
)
def test_chckclnt_decides(world: World, check: str, user: str, password: str, reason: int) -> None:
    world.alter("AUTHINFO", CONNAUTH, CHCKCLNT=check)
    assert connect(world, user, password) == (reason, "" if reason else user)
    told = [text for number, text in world.qm.notices if number == ("AMQ5534E" if password else "AMQ5540E")]
    assert len(told) == (1 if reason else 0)
    if told:
        assert user in told[0] and CHANNEL in told[0] and "127.0.0.1(50000)" in told[0] and check in told[0]
        assert "right" not in told[0].replace("wrong", "")


def test_who_gave_a_password_stands_above_mcauser_and_that_above_who_says_so(world: World) -> None:
    assert connect(world, "joe", "right", "DEV.APP.SVRCONN") == (0, "joe")
    assert connect(world, "joe", "", "DEV.APP.SVRCONN") == (0, "app")
    world.alter("AUTHINFO", CONNAUTH, ADOPTCTX="NO")
    assert connect(world, "joe", "right", "DEV.APP.SVRCONN") == (0, "app")
    world.alter("AUTHINFO", CONNAUTH, CHCKCLNT="NONE")
    assert connect(world, "mqm", "anything", "DEV.APP.SVRCONN") == (0, "app")  # Nothing was proved.


def test_who_says_nothing_is_the_owner(world: World) -> None:
    world.alter("AUTHINFO", CONNAUTH, CHCKCLNT="OPTIONAL")
    assert connect(world, "") == (0, "owner")


def test_a_user_that_is_too_long_is_refused_and_not_cut(world: World) -> None:
    identity = Identity()
    identity.user = "joe.of.the.long.name"
    assert world.channels.gatekeeper.admit(Terms(CHANNEL), identity, "10.0.0.7(1)") == (2035, "")
    assert [number for number, _ in world.qm.notices] == ["AMQ9557E"]


def test_a_user_is_only_adopted_if_the_object_says_so(world: World) -> None:
    world.alter("AUTHINFO", CONNAUTH, ADOPTCTX="NO")
    assert connect(world, "joe", "right") == (0, "joe")  # Who the process runs as; the peer says the same.


def test_without_an_object_nothing_is_checked(world: World) -> None:
    world.alter("QMGR", "QM1", CONNAUTH="")
    assert connect(world, "joe", "wrong") == (0, "joe")


def test_a_refusal_is_held_back_for_faildlay(world: World) -> None:
    world.alter("AUTHINFO", CONNAUTH, FAILDLAY=3)
    peer = world.peer(channel=CHANNEL)
    peer.agree()
    assert peer.connect(user="joe", password="wrong").reason == 2035
    assert peer.session.delay_ms == 3000
    assert world.peer().session.delay_ms == 0
    local = world.peer(channel=LOCAL_CHANNEL, address="local")
    local.session.local_user = "joe"
    local.agree()
    assert local.connect("ANOTHER").reason == 2058
    assert local.session.delay_ms == 0, "it was somebody else who had guessed"


def test_without_users_the_log_says_how_to_define_some(tmp_path: Path) -> None:
    world = World()
    world.channels.gatekeeper = ConnectionAuthentication(world.qm, Users(tmp_path / "none"))
    world.alter("QMGR", "QM1", CHLAUTH="DISABLED")
    assert connect(world, "joe", "any")[0] == 2035
    assert "flint user" in world.qm.notices[0][1]


def test_a_change_of_the_file_counts_at_once(path: Path) -> None:
    known = Users(path)
    known.refresh()
    assert known.is_right("joe", "right") and known.is_right("joe", "right")
    users.change(path, "joe", "other", False)
    known.refresh()
    assert known.is_right("joe", "other") and not known.is_right("joe", "right")
    assert users.remove(path, "joe") and not users.remove(path, "joe")
    known.refresh()
    assert not known.is_right("joe", "other") and known.is_right("boss", "right")
    path.unlink()
    known.refresh()
    assert not known.any()


def test_the_file_has_no_password_and_is_for_its_owner_only(path: Path) -> None:
    text = path.read_text()
    assert "right" not in text and "scrypt$" in text
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


@pytest.mark.parametrize("kept", ["", "scrypt", "scrypt$x$y$z$00$00", "md5$2$8$1$00$00", "scrypt$3$8$1$00$00"])
def test_what_is_no_hash_matches_nothing(kept: str) -> None:
    assert not matches("right", kept)
    assert matches("right", hashed("right")) and not matches("wrong", hashed("right"))


def test_users_are_defined_listed_and_deleted_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    monkeypatch.setenv("MQ_APP_PASSWORD", "secret")
    assert main(["crtmqm", "--dev", "QM1"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", StringIO("passw0rd\n\n"))
    assert main(["user", "QM1", "joe", "--stdin", "--privileged"]) == 0
    assert main(["user", "QM1", "empty", "--stdin"]) == 39
    assert main(["user", "QM1", "a=b", "--no-password"]) == 39
    assert main(["user", "QM1"]) == 0
    assert capsys.readouterr().out.splitlines() == ["app", "admin no password privileged", "joe privileged"]
    known = Users(tmp_path / "qmgrs" / "QM1" / "users")
    known.refresh()
    assert known.is_right("app", "secret") and known.is_right("joe", "passw0rd")
    assert main(["user", "QM1", "joe", "--delete"]) == 0
    assert main(["user", "QM1", "joe", "--delete"]) == 16
    assert main(["user", "QM2"]) == 16


def test_a_local_user_that_is_too_long_is_refused_and_not_cut(world: World) -> None:
    """administrators is not administrato, whose authorities it would have had."""
    peer = world.peer(channel=LOCAL_CHANNEL)
    peer.session.local_user = "administrators"
    peer.agree()
    assert peer.connect().reason == 2035
    [(number, text)] = world.qm.notices
    assert number == "AMQ9557E" and "administrators" in text

    peer = world.peer(channel=LOCAL_CHANNEL)
    peer.session.local_user = "administrato"
    peer.agree()
    assert peer.connect().reason == 0


def test_who_runs_the_queue_manager_under_a_long_name_is_mqm(
    world: World, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "administrators")
    assert SystemEntities(Users(path)).owner == "mqm"
    peer = world.peer(channel=LOCAL_CHANNEL)
    peer.session.local_user = "administrators"
    peer.agree()
    assert peer.connect().reason == 0
    connection = peer.session.conversations[1].connection
    assert connection is not None and connection.user == "mqm"
    with flintmq.open(":memory:", developer=True) as qm:
        qm.queue("DEV.QUEUE.1").put(b"1")
        assert qm.queue("DEV.QUEUE.1").get().user == "mqm"


def test_conversations_of_a_socket_are_of_the_user_that_the_first_has_named(world: World) -> None:
    """Issue 14, item 9: in compatibility mode the password is sent once, and later conversations say nothing."""
    world.alter("AUTHINFO", CONNAUTH, CHCKCLNT="REQUIRED")
    peer: Peer = world.peer(channel=CHANNEL)
    peer.agree()
    peer.say_user("joe", "right")
    assert peer.mqconn().reason == 0
    for number in (3, 5):
        peer.start_conversation(number)
        assert peer.mqconn().reason == 0
        connection = peer.session.conversations[number].connection
        assert connection is not None and connection.user == "joe"
    peer.start_conversation(7)
    peer.say_user("boss")  # Without a password: that of another user proves nothing.
    assert peer.mqconn().reason == 2035
    peer.start_conversation(9)
    assert peer.connect(user="boss", password="right").reason == 0


def test_a_wrong_password_is_wrong_in_every_conversation(world: World) -> None:
    peer: Peer = world.peer(channel=CHANNEL)
    peer.agree()
    peer.say_user("joe", "wrong")
    assert peer.mqconn().reason == 2035
    peer.start_conversation(3)
    assert peer.mqconn().reason == 2035


def test_a_user_without_a_password_is_the_user_of_later_conversations(world: World) -> None:
    """They would be the queue manager's owner, as a client that says nothing."""
    peer: Peer = world.peer(channel=CHANNEL)
    peer.agree()
    peer.say_user("joe")
    assert peer.mqconn().reason == 0
    peer.start_conversation(3)
    assert peer.mqconn().reason == 0
    connection = peer.session.conversations[3].connection
    assert connection is not None and connection.user == "joe"
