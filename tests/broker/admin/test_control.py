"""The control socket and the requests: hostile input is answered, and changes nothing."""

from __future__ import annotations

import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.admin import control, process
from flintmq.broker.admin.administration import REQUESTS, Administration
from flintmq.broker.admin.place import locate
from flintmq.broker.admin.repository import Repository
from flintmq.broker.runtime.log import BrokerLog
from tests.broker.admin.conftest import Desk
from tests.waiting import PATIENCE


def raw(desk: Desk, data: bytes) -> bytes:
    """Send bytes and return everything that comes back."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(desk.place.directory / control.NAME))
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        parts = []
        try:
            while part := client.recv(65536):
                parts.append(part)
        except ConnectionResetError:
            pass  # It has not read all that was sent.
        return b"".join(parts)


def test_the_socket_is_for_its_owner_only(desk: Desk) -> None:
    assert stat.S_IMODE((desk.place.directory / control.NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"no json\n",
        b"[]\n",
        b"null\n",
        b'{"do": 7}\n',
        b'{"do": "none"}\n',
        b"\xff\xfe\0\n",
        b"[" * 100000 + b"\n",
    ],
)
def test_a_bad_line_is_answered_with_an_error(desk: Desk, data: bytes) -> None:
    lines = [json.loads(line) for line in raw(desk, data).splitlines()]
    assert lines[-1] == {"code": 1} and lines[0]["line"].startswith("BIP8001E")


def test_a_client_that_sends_nothing_and_one_that_sends_too_much_are_survived(desk: Desk) -> None:
    assert raw(desk, b"") == b""
    raw(desk, b"x" * (control.LINE_MAX + 100))
    assert desk.ask("ping")[0] == 0


@pytest.mark.parametrize("name", sorted(REQUESTS))
@pytest.mark.parametrize("value", [None, 7, "no such thing", ["x"], {"x": 1}, "\0", "../../etc/passwd", "x" * 70000])
def test_fields_of_any_type_are_refused_or_obeyed_without_a_traceback(desk: Desk, name: str, value: Any) -> None:
    fields = dict.fromkeys(
        ("group", "path", "object", "application", "flow", "overrides", "lines", "values", "names", "applications"),
        value,
    )
    before = desk.repository.groups(), desk.repository.deployed("default")
    code, text = desk.ask(name, **fields)
    assert "BIP2111E" not in text and "Traceback" not in text
    if name not in ("ping", "list", "reload"):
        assert code == 1 and text.startswith("BIP")
    assert (desk.repository.groups(), desk.repository.deployed("default")) == before


HANDLE_CACHE = "ComIbmMQConnectionManager"


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"object": "QueueManager", "values": {"nonsense": "1"}}, "BIP8023E"),
        ({"object": "QueueManager", "values": {"cipherSpec": "NO_SUCH_SPEC"}}, "BIP8001E"),
        ({"object": "QueueManager", "values": {"conn": "h(x)"}}, "BIP8001E"),
        ({"object": "QueueManager", "values": {"channel": "A.NAME.OF.MORE.THAN.20"}}, "BIP8001E"),
        ({"object": "QueueManager", "values": {"keyRepository": "keys/trust"}}, "BIP8001E"),
        ({"object": "QueueManager", "values": {"passwordFile": "/f", "passwordVariable": "V"}}, "BIP8001E"),
        ({"object": "Nonsense", "values": {"a": "1"}}, "BIP8001E"),
        ({"object": "DataSource/X", "values": {"user": "me"}}, "BIP8001E"),
        ({"object": "DataSource/X", "values": {"url": "sqlite://", "x": "1"}}, "BIP8001E"),
        ({"object": "DataSource/X", "values": {}, "delete": True}, "BIP8023E"),
        ({"object": "HTTPConnector", "values": {"port": "70000"}, "group": "default"}, "BIP8001E"),
        ({"object": "HTTPConnector", "values": {"port": "x"}, "group": "default"}, "BIP8001E"),
        ({"object": "ExecutionGroup", "values": {"x": "1"}, "group": "default"}, "BIP8023E"),
        ({"object": "ComIbmMQConnectionManager", "values": {"queueHandles": "1"}, "group": "default"}, "BIP8023E"),
        (
            {"object": "ComIbmMQConnectionManager", "values": {"queueCacheMaxSize": "501"}, "group": "default"},
            "BIP8001E",
        ),
        ({"object": "{No}:Policy", "values": {"x": "1"}, "group": "default"}, "BIP8022E"),
        ({"object": "NoFlow", "values": {"x": "1"}, "group": "default"}, "BIP8022E"),
        ({"object": "ExecutionGroup", "values": {"workers": "1"}, "group": "none"}, "BIP8021E"),
        ({"object": "ExecutionGroup", "values": {}, "group": "default"}, "BIP8001E"),
    ],
)
def test_a_property_that_is_not_valid_is_refused(desk: Desk, fields: dict[str, Any], number: str) -> None:
    code, text = desk.ask("change properties", **fields)
    assert code == 1 and number in text


def test_the_queue_cache_has_its_classic_name_as_well(desk: Desk) -> None:
    """B261: 30 handles by default, raised by queueCacheMaxSize, at most 500 of them."""
    fields: dict[str, Any] = {"group": "default", "object": HANDLE_CACHE}
    assert "queueCacheMaxSize='30'" in desk.do("report properties", **fields)
    desk.do("change properties", **fields, values={"queueCacheMaxSize": "70"})
    assert "queueHandles='70'" in desk.do("report properties", group="default", object="ExecutionGroup")
    assert "queueCacheMaxSize='70'" in desk.do("report properties", **fields)
    plan = desk.admin.plan("default")
    assert desk.admin.assignment(desk.admin.group("default"), plan).cache_size == 70
    desk.do("change properties", **fields, values={"queueCacheMaxSize": None})
    assert "queueHandles='30'" in desk.do("report properties", group="default", object="ExecutionGroup")


def test_the_password_of_a_data_source_is_never_shown(data: Path) -> None:
    """The broker is stopped: the commands work on its repository."""
    place = locate("BRK")
    process.create(place, "QM1", {})
    said: list[str] = []
    url = "postgresql://me:top-secret@127.0.0.1:1/shop?sslpassword=top-secret"
    for fields in (
        {"do": "change properties", "object": "DataSource/SHOP", "values": {"url": url, "statementCache": "7"}},
        {"do": "report properties", "object": "DataSource/SHOP"},
        {"do": "report properties", "object": "DataSource"},
    ):
        assert process.send(place, fields, said.append) == 0
    shown = "\n".join(said)
    assert "127.0.0.1:1/shop" in shown and "statementCache='7'" in shown and "top-secret" not in shown
    repository = Repository(place.name, place.repository_url())
    admin = Administration(place, repository, BrokerLog("BRK"))
    assert admin.data_sources()["SHOP"] == {"url": url, "statementCache": 7}
    assert (
        process.send(
            place, {"do": "change properties", "object": "DataSource/SHOP", "values": {}, "delete": True}, print
        )
        == 0
    )
    assert admin.data_sources() == {}
    repository.close()


def test_groups_are_created_and_deleted_and_names_are_checked(desk: Desk) -> None:
    assert "BIP1117I" in desk.do("create group", group="second")
    assert "second" in desk.admin.running
    for name, number in (("second", "BIP8020E"), ("a/b", "BIP8001E"), ("", "BIP8001E"), ("..", "BIP8001E")):
        code, text = desk.ask("create group", group=name)
        assert code == 1 and number in text
    shown = desk.do("report properties", group="second", object="HTTPConnector")
    assert "port='7801'" in shown
    assert "BIP1129I" in desk.do("delete group", group="second")
    assert "second" not in desk.admin.running and "second" not in desk.do("list")
