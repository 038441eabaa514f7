"""Channel authentication records: which of them decides, and how they are set and removed."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.mqi.distinguished_name import order
from flintmq.qmgr import chlauth
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.chlauth import Client, address_matches, is_address_pattern
from flintmq.qmgr.security import Entities
from tests.qmgr.driver import Driver


class World(Driver):
    """A queue manager with records."""

    def __init__(self) -> None:
        super().__init__()
        self.admin = Admin(self.qm)

    def add(self, channel: str, kind: str, action: str = "ADD", **values: Value) -> int:
        return self.admin.set_chlauth({"CHLAUTH": channel, "TYPE": kind, **values}, action)

    def deciding(self, channel: str = "APP.SVRCONN", address: str = "10.0.0.7", **known: str) -> str:
        """DESCR of the map that decides; "" if there is none."""
        client = Client(channel, address)
        client.user, client.peer = known.get("user", "joe"), known.get("peer", "")
        client.issuer, client.q_mgr = known.get("issuer", ""), known.get("q_mgr", "")
        found = chlauth.deciding_map(self.qm.catalogue, client)
        return "" if found is None else found.text("DESCR")


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize(
    ("pattern", "meant", "others"),
    [
        ("10.0.0.7", ["10.0.0.7", "::ffff:10.0.0.7"], ["10.0.0.8", "nonsense", ""]),
        ("10.0.*", ["10.0.0.7", "10.0.255.1"], ["10.1.0.7"]),
        ("10.*.7", ["10.0.0.7", "10.1.2.7"], ["10.0.0.8"]),
        ("10.0.*.1-8", ["10.0.5.1", "10.0.9.8"], ["10.0.5.9", "10.0.5.0"]),
        ("*", ["10.0.0.7", "2001:db8::1", "anything"], []),
        ("", ["10.0.0.7"], []),
        ("2001:db8:*", ["2001:db8::1", "2001:DB8:0:0:0:0:0:2"], ["2001:db9::1", "10.0.0.7"]),
        ("2001:*:0-8", ["2001::8"], ["2001::9"]),
        ("::1", ["0:0:0:0:0:0:0:1"], ["::2"]),
    ],
)
def test_addresses_have_stars_and_ranges(pattern: str, meant: list[str], others: list[str]) -> None:
    assert [each for each in meant if not address_matches(pattern, each)] == []
    assert [each for each in others if address_matches(pattern, each)] == []
    assert not pattern or is_address_pattern(pattern)


@pytest.mark.parametrize("text", ["", "10.0.0", "10.0.0.256", "10.0.0.8-1", "10.*.*", "a.b.c.d", "1:2:*:*"])
def test_what_is_no_address_is_told_apart(text: str) -> None:
    assert not is_address_pattern(text)


def test_the_most_specific_channel_profile_decides_first(world: World) -> None:
    for channel in ("*", "APP.*", "APP.SVRCONN"):
        world.add(channel, "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", DESCR=channel)
    world.add("*", "USERMAP", CLNTUSER="joe", USERSRC="CHANNEL", DESCR="user")
    assert world.deciding() == "APP.SVRCONN"
    assert world.deciding("APP.OTHER") == "APP.*"
    assert world.deciding("OTHER") == "user" and world.deciding("OTHER", user="ann") == "*"


def test_certificates_stand_above_users_and_these_above_addresses(world: World) -> None:
    world.add("*", "ADDRESSMAP", ADDRESS="10.0.0.7", USERSRC="CHANNEL", DESCR="address")
    assert world.deciding() == "address"
    world.add("*", "USERMAP", CLNTUSER="joe", USERSRC="CHANNEL", DESCR="user")
    assert world.deciding() == "user"
    world.add("*", "SSLPEERMAP", SSLPEER="O=us", USERSRC="CHANNEL", DESCR="certificate")
    assert world.deciding() == "user" and world.deciding(peer="CN=joe,O=us") == "certificate"
    world.add("*", "QMGRMAP", QMNAME="QM*", USERSRC="CHANNEL", DESCR="queue manager")
    assert world.deciding(user="ann", q_mgr="QM2") == "queue manager" and world.deciding(user="ann") == "address"


def test_the_most_specific_value_decides_among_those_of_a_type(world: World) -> None:
    for pattern in ("*", "10.*", "10.0.0.*", "10.0.0.5-9", "10.0.0.7"):
        world.add("*", "ADDRESSMAP", ADDRESS=pattern, USERSRC="CHANNEL", DESCR=pattern)
    assert [world.deciding(address=each) for each in ("10.0.0.7", "10.0.0.6", "10.0.0.1", "10.9.9.9", "11.0.0.1")] == [
        "10.0.0.7", "10.0.0.5-9", "10.0.0.*", "10.*", "*",
    ]  # fmt: skip
    world.add("*", "SSLPEERMAP", SSLPEER="O=us", USERSRC="CHANNEL", DESCR="O")
    world.add("*", "SSLPEERMAP", SSLPEER="CN=j*,O=us", USERSRC="CHANNEL", DESCR="CN*")
    world.add("*", "SSLPEERMAP", SSLPEER="CN=joe,O=us", SSLCERTI="CN=CA", USERSRC="CHANNEL", DESCR="CA")
    assert world.deciding(peer="CN=ann,O=us") == "O" and world.deciding(peer="CN=joe,O=us") == "CN*"
    assert world.deciding(peer="CN=joe,O=us", issuer="CN=CA,O=us") == "CA"
    assert order("CN=a,O=b") < order("CN=a*,O=b") < order("O=b") < order("")
    world.add("*", "USERMAP", CLNTUSER="joe", ADDRESS="10.0.0.*", USERSRC="CHANNEL", DESCR="joe here")
    world.add("*", "USERMAP", CLNTUSER="joe", USERSRC="CHANNEL", DESCR="joe")
    assert world.deciding() == "joe here" and world.deciding(address="11.0.0.1") == "joe"


def test_the_block_of_the_most_specific_channel_profile_stands_alone(world: World) -> None:
    world.add("*", "BLOCKUSER", USERLIST=["*MQADMIN", "joe"])
    world.add("ADMIN.*", "BLOCKUSER", USERLIST=["nobody"])

    def blocked(channel: str, user: str) -> bool:
        return chlauth.blocking_rule(world.qm.catalogue, channel, user, Entities()) is not None

    assert blocked("APP", "joe") and blocked("APP", "mqm") and not blocked("APP", "ann")
    assert not blocked("ADMIN.X", "mqm") and blocked("ADMIN.X", "nobody")


def test_lists_grow_shrink_and_go(world: World) -> None:
    assert world.add("*", "BLOCKADDR", ADDRLIST=["10.0.0.1", "10.0.0.2"]) == 0
    assert world.add("*", "BLOCKADDR", ADDRLIST=["10.0.0.2", "10.1.*"]) == 0
    (record,) = world.qm.catalogue.match("CHLAUTH")
    assert record.names("ADDRLIST") == ["10.0.0.1", "10.0.0.2", "10.1.*"] and record.text("ALTDATE")
    assert chlauth.blocked_address(world.qm.catalogue, "10.1.2.3") == (record, "10.1.*")
    assert chlauth.blocked_address(world.qm.catalogue, "10.2.2.3") == (None, "")
    assert world.add("*", "BLOCKADDR", "REMOVE", ADDRLIST=["10.0.0.1", "10.1.*"]) == 0
    assert record.names("ADDRLIST") == ["10.0.0.2"]
    assert world.add("*", "BLOCKADDR", "REPLACE", ADDRLIST=["10.9.9.9"]) == 0
    assert world.add("*", "BLOCKADDR", "REMOVE", ADDRLIST=["10.9.9.9"]) == 0
    assert world.qm.catalogue.match("CHLAUTH") == []


def test_maps_are_added_once_replaced_and_removed(world: World) -> None:
    assert world.add("A", "USERMAP", USERSRC="NOACCESS", CLNTUSER="joe") == 0
    assert world.add("A", "USERMAP", USERSRC="CHANNEL", CLNTUSER="joe") == 3337
    assert world.add("A", "USERMAP", "REPLACE", USERSRC="CHANNEL", DESCR="new", CLNTUSER="joe") == 0
    assert world.deciding("A") == "new"
    assert world.add("A", "USERMAP", "REMOVE", CLNTUSER="ann") == 3338
    assert world.add("A", "USERMAP", "REMOVE", CLNTUSER="joe") == 0 and world.deciding("A") == ""
    world.add("A", "USERMAP", USERSRC="CHANNEL", CLNTUSER="joe")
    world.add("A", "USERMAP", USERSRC="CHANNEL", CLNTUSER="ann")
    world.add("AB", "USERMAP", USERSRC="CHANNEL", CLNTUSER="joe")
    assert world.add("A", "USERMAP", "REMOVEALL") == 0
    assert [record.text("CHLAUTH") for record in world.qm.catalogue.match("CHLAUTH")] == ["AB"]
