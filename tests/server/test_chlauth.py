"""Channel authentication records at the door: the steps of gatekeeper.py, over the wire."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.command.execute import execute
from flintmq.server import users
from flintmq.server.entities import SystemEntities
from flintmq.server.gatekeeper import ConnectionAuthentication
from flintmq.server.users import Users
from flintmq.wire.mq.cipher_spec import Protection
from flintmq.wire.mq.terms import LOCAL_CHANNEL
from tests.server.test_process import Manager
from tests.server.test_process import manager as manager
from tests.waiting import PATIENCE
from tests.wire.mq.peer import World

ADMIN, APP = "DEV.ADMIN.SVRCONN", "DEV.APP.SVRCONN"
HERE = "10.0.0.7"


class Door(World):
    """A developer's queue manager with users joe, app and the privileged admin; CHCKCLNT is OPTIONAL."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        for user, privileged in (("joe", False), ("app", False), ("admin", True)):
            users.change(path, user, "right", privileged)
        known = Users(path)
        self.qm.entities = SystemEntities(known, "owner")
        self.gate = ConnectionAuthentication(self.qm, known, "owner")
        self.channels.gatekeeper = self.gate
        self.run("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)")
        for name in ("OTHER", "SYSTEM.DEF.OTHER"):
            self.run(f"DEFINE CHANNEL({name}) CHLTYPE(SVRCONN)")

    def run(self, command: str) -> None:
        reply = execute(command, self.admin)
        assert not reply.failed, reply.responses[0].text

    def connect(
        self, channel: str, user: str, password: str = "", address: str = HERE, tls: Protection | None = None
    ) -> str:
        """The user that the connection has, or the number of the message that says why there is none."""
        self.qm.notices.clear()
        peer = self.peer(channel=channel, address=f"{address}(50000)")
        if tls is not None:
            self.alter("CHANNEL", channel, SSLCIPH="ANY_TLS13", SSLCAUTH="OPTIONAL")
            peer.session.protection = tls
        peer.agree()
        reason = peer.connect(user=user, password=password).reason
        connection = peer.session.conversations[1].connection
        peer.session.lost()
        if connection is None:
            assert reason == 2035 and len(self.qm.notices) == 1
            return self.qm.notices[0][0]
        return connection.user

    @property
    def told(self) -> str:
        return self.qm.notices[0][1]


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    monkeypatch.setattr(users, "_N", 2)
    monkeypatch.setattr(users, "_NOBODY", "scrypt$2$8$1$00$00")
    return Door(tmp_path / "users")


def test_the_developers_rules_are_those_of_the_container(door: Door) -> None:
    assert door.connect(APP, "anybody") == "app"
    assert door.connect(APP, "joe", "right") == "joe"
    assert door.connect(APP, "admin", "right") == "AMQ9776E"
    assert "user admin" in door.told and "CHLAUTH(*) TYPE(BLOCKUSER) USERLIST(*MQADMIN)" in door.told
    assert door.connect(ADMIN, "admin", "right") == "admin"
    assert door.connect(ADMIN, "joe", "right") == "AMQ9777E"
    assert door.connect("OTHER", "joe", "right") == "AMQ9777E"
    assert "CHLAUTH(*) TYPE(ADDRESSMAP) ADDRESS(*) USERSRC(NOACCESS)" in door.told and HERE in door.told
    assert door.connect("SYSTEM.DEF.OTHER", "joe", "right") == "AMQ9777E" and "CHLAUTH(SYSTEM.*)" in door.told


def test_disabled_rules_are_not_asked(door: Door) -> None:
    door.run("ALTER QMGR CHLAUTH(DISABLED)")
    assert door.connect("OTHER", "admin", "right") == "admin"
    door.run("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('*')")
    assert not door.gate.refuses_address(HERE)
    door.run("ALTER QMGR CHLAUTH(ENABLED)")
    assert door.gate.refuses_address(HERE)


def test_a_map_says_who_the_client_is_whatever_it_says(door: Door) -> None:
    door.run(f"SET CHLAUTH('OTHER') TYPE(ADDRESSMAP) ADDRESS('{HERE}') USERSRC(MAP) MCAUSER('mapped')")
    assert door.connect("OTHER", "joe") == "mapped" and door.connect("OTHER", "joe", "right") == "mapped"
    assert door.connect("OTHER", "joe", address="10.0.0.8") == "AMQ9777E"
    door.run("SET CHLAUTH('OTHER') TYPE(USERMAP) CLNTUSER('joe') USERSRC(NOACCESS)")
    assert door.connect("OTHER", "joe", "right") == "AMQ9777E" and door.connect("OTHER", "ann") == "mapped"
    door.run("SET CHLAUTH('OTHER') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('mqm')")
    assert door.connect("OTHER", "ann", address="10.0.0.8") == "AMQ9776E"  # Blocked is who it became.


def test_a_certificate_decides_above_user_and_address(door: Door) -> None:
    door.run("SET CHLAUTH('OTHER') TYPE(SSLPEERMAP) SSLPEER('CN=joe') SSLCERTI('CN=CA') USERSRC(MAP) MCAUSER('cert')")
    door.run("SET CHLAUTH('OTHER') TYPE(USERMAP) CLNTUSER('joe') USERSRC(NOACCESS)")
    shown = Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", "CN=joe,O=us", "CN=CA")
    assert door.connect("OTHER", "joe", tls=shown) == "cert"
    other = Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", "CN=joe,O=us", "CN=somebody")
    assert door.connect("OTHER", "joe", tls=other) == "AMQ9777E"


def test_a_map_may_ask_for_a_password(door: Door) -> None:
    door.run(f"SET CHLAUTH('{APP}') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED) ACTION(REPLACE)")
    assert door.connect(APP, "joe") == "AMQ5540E" and "CHCKCLNT(REQUIRED)" in door.told and APP in door.told
    assert door.connect(APP, "joe", "right") == "joe" and door.connect(APP, "joe", "wrong") == "AMQ5534E"
    door.run("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(NONE)")
    assert door.connect(APP, "joe") == "app"


def test_who_says_nothing_and_has_no_mcauser_is_the_owner_and_blocked_as_such(door: Door) -> None:
    door.run("SET CHLAUTH('OTHER') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)")
    assert door.connect("OTHER", "") == "AMQ9776E" and "user owner" in door.told


def test_warn_tells_and_lets_in(door: Door) -> None:
    door.run("SET CHLAUTH('OTHER') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) WARN(YES)")
    assert door.connect("OTHER", "joe") == "joe"
    assert [number for number, _ in door.qm.notices] == ["AMQ9777E"] and "WARN(YES)" in door.told
    door.run("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.*') WARN(YES)")
    assert not door.gate.refuses_address(HERE)


def test_local_applications_have_no_channel_and_no_rules(door: Door) -> None:
    peer = door.peer(channel=LOCAL_CHANNEL, address="local")
    peer.session.local_user = "owner"
    peer.agree()
    assert peer.connect(user="somebody else").reason == 0
    connection = peer.session.conversations[1].connection
    assert connection is not None and connection.user == "owner"


def test_a_channel_that_is_called_like_that_of_local_applications_gives_nothing(door: Door) -> None:
    door.run(f"DEFINE CHANNEL({LOCAL_CHANNEL}) CHLTYPE(SVRCONN)")
    assert door.connect(LOCAL_CHANNEL, "joe") == "AMQ9777E"


def test_every_remedy_that_is_a_command_is_one(door: Door) -> None:
    """What a refusal says would help can be typed in, and helps."""
    attempts = [("OTHER", "joe", ""), ("OTHER", "admin", "right"), (APP, "admin", "right"), (ADMIN, "joe", "")]
    for channel, user, password in attempts:
        number = door.connect(channel, user, password)
        assert number.startswith("AMQ")
        for remedy in door.qm.refusals[-1].remedies:
            assert execute(remedy, None).syntax_error is False, remedy
    door.connect("OTHER", "joe")
    door.run(door.qm.refusals[-1].remedies[0])
    assert door.connect("OTHER", "joe") == "joe"


def test_a_blocked_address_is_not_spoken_to(manager: Manager) -> None:
    manager.start()
    assert main(["runmqsc", "-e", "-f", str(_script(manager)), "QM1"]) == 0
    with socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE) as client:
        client.settimeout(PATIENCE)
        try:
            assert client.recv(1) == b""
        except ConnectionResetError:
            pass
    told = manager.errors()
    assert told.count("AMQ9777E") == 1 and "127.0.0.1" in told and "ADDRLIST(127.0.*)" in told


def _script(manager: Manager) -> Path:
    path = manager.place.directory / "block.mqsc"
    path.write_text("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('127.0.*')\n")
    return path
