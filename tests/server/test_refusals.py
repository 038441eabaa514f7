"""`flint explain`: what was refused, who decided, and what would allow it; while the queue manager runs and after."""

from __future__ import annotations

import json
import os
import socket
import ssl
import stat
from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.command.execute import execute
from flintmq.mqi.constants import MQOO_SET
from flintmq.qmgr.refusal import KEPT_MAX, Refusal
from flintmq.server import refusals
from flintmq.server.hello import offered, refusal_of
from flintmq.wire.mq.cipher_spec import Protection
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.refused import REASONS
from tests.server.test_process import QUEUE, Manager, SocketPeer
from tests.server.test_process import manager as manager
from tests.waiting import PATIENCE
from tests.wire.mq.peer import World

TLS13 = Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", "CN=joe,O=us", "CN=CA")
APP = "DEV.APP.SVRCONN"


def explained(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["explain", *words]) == 0
    return capsys.readouterr().out


def test_what_was_refused_is_told_in_words_while_it_runs_and_after_it_ended(
    manager: Manager, capsys: pytest.CaptureFixture[str]
) -> None:
    manager.start()
    assert explained(capsys, "QM1") == "Queue manager QM1 has refused nothing.\n"
    peer = manager.peer()
    for _ in range(3):
        assert peer.open(QUEUE, MQOO_SET).reason == 2035
    other = SocketPeer(manager.port)
    assert other.connect(user="joe", password="secret").reason == 2035
    said = explained(capsys, "QM1")
    first, second = said.split("\n\n")[:2]
    assert "2035 MQRC_NOT_AUTHORIZED" in first and "AMQ5534E" in first and "user joe" in first
    assert "CHCKCLNT(REQDADM)" in first and "secret" not in said
    assert "3 times since" in second and "AMQ8077W" in second and "DEV.** PRINCIPAL(app)" in second
    assert f"to allow it SET AUTHREC PROFILE('{QUEUE}') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(SET)" in second
    assert f"or setmqaut -m QM1 -n '{QUEUE}' -t queue -p app +set" in second
    assert explained(capsys, "QM1", "-n", "1").count("decided by") == 1
    assert main(["endmqm", "-i", "QM1"]) == 0
    assert explained(capsys) == said  # The default queue manager.
    kept = manager.place.errors_directory / refusals.NAME
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    manager.start()
    assert explained(capsys, "QM1") == said


def test_what_cannot_be_explained_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    assert main(["explain", "NONE"]) == 16
    assert main(["explain", "NONE", "-n", "0"]) == 39
    assert "AMQ8118E" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{", "[]", '{"refusals": 7}', '{"refusals": [7, {"time_ms": "x"}]}'])
def test_a_file_that_is_damaged_is_no_obstacle(tmp_path: Path, content: str) -> None:
    (tmp_path / refusals.NAME).write_text(content)
    assert len(refusals.explained(refusals.load(tmp_path), 10)) in (0, 4)


def test_refusals_go_to_the_file_and_come_back(tmp_path: Path) -> None:
    made = []
    for number in range(KEPT_MAX + 10):
        refused = Refusal("AMQ8077W", 2035, f"what {number}")
        refused.user, refused.remedies, refused.time_ms = "joe", ["one", "* two"], number
        made.append(refused)
    refusals.save(tmp_path, made)
    back = refusals.load(tmp_path)
    assert len(back) == KEPT_MAX and refusals.to_json(back) == refusals.to_json(made[-KEPT_MAX:])
    assert json.loads((tmp_path / refusals.NAME).read_text())["version"] == refusals.VERSION
    refusals.save(tmp_path / "nowhere", made)  # Nothing is raised.


# -- what channels refuse ----------------------------------------------------------------------------------------------


def refused_by(world: World, channel: str = APP, tls: Protection | None = None) -> Refusal:
    peer = world.peer(channel=channel)
    peer.session.protection = tls
    peer.propose(peer.offer())
    assert peer.session.closing
    (told,) = world.qm.notices
    (refused,) = world.qm.refusals
    assert refused.number == told[0] and refused.what == told[1]
    assert refused.channel == channel and refused.address == "127.0.0.1(50000)" and channel in refused.what
    for remedy in refused.remedies:
        assert remedy.startswith("* ") or not execute(remedy, None).syntax_error, remedy
    return refused


def test_an_unknown_channel_is_told_with_those_there_are() -> None:
    refused = refused_by(World(), "DEV.AP.SVRCONN")
    assert (refused.number, refused.reason) == ("AMQ9519E", 2540)
    assert "DEV.ADMIN.SVRCONN, DEV.APP.SVRCONN" in refused.remedies[0]


def test_a_bad_cipherspec_is_told_with_what_the_client_came_with_and_what_the_channel_has() -> None:
    world = World()
    world.alter("CHANNEL", APP, SSLCIPH="TLS_AES_128_GCM_SHA256", SSLCAUTH="OPTIONAL")
    refused = refused_by(world, tls=TLS13)
    assert (refused.number, refused.reason) == ("AMQ9631E", 2393)
    assert "SSLCIPH(TLS_AES_128_GCM_SHA256)" in refused.rule and "TLS_AES_256_GCM_SHA384 (TLSv1.3)" in refused.rule
    assert refused.remedies[0] == f"ALTER CHANNEL({APP}) CHLTYPE(SVRCONN) SSLCIPH(TLS_AES_256_GCM_SHA384)"


def test_no_tls_where_the_channel_wants_it_and_tls_where_it_does_not() -> None:
    world = World()
    world.alter("CHANNEL", APP, SSLCIPH="ANY_TLS13")
    refused = refused_by(world)
    assert (refused.number, refused.reason) == ("AMQ9639E", 2393) and "ANY_TLS13" in refused.rule
    refused = refused_by(World(), tls=TLS13)
    assert refused.number == "AMQ9631E" and "TLS_AES_256_GCM_SHA384" in refused.remedies[0]


def test_a_certificate_that_is_missing_or_another() -> None:
    world = World()
    world.alter("CHANNEL", APP, SSLCIPH="ANY_TLS13", SSLCAUTH="REQUIRED")
    refused = refused_by(world, tls=Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", ""))
    assert (refused.number, refused.reason) == ("AMQ9637E", 2393) and "SSLCAUTH(REQUIRED)" in refused.rule
    world = World()
    world.alter("CHANNEL", APP, SSLCIPH="ANY_TLS13", SSLPEER="CN=ann")
    refused = refused_by(world, tls=TLS13)
    assert (refused.number, refused.reason) == ("AMQ9636E", 2398) and "SSLPEER(CN=ann)" in refused.rule
    assert refused.remedies == [f"ALTER CHANNEL({APP}) CHLTYPE(SVRCONN) SSLPEER('CN=joe,O=us')"]


def test_too_many_instances_and_a_stopped_channel() -> None:
    for keyword, number in (("MAXINST", "AMQ9489E"), ("MAXINSTC", "AMQ9490E")):
        world = World()
        world.alter("CHANNEL", APP, **{keyword: 0})
        refused = refused_by(world)
        assert (refused.number, refused.reason) == (number, 2537) and f"{keyword}(0)" in refused.rule
    world = World()
    definition = world.qm.catalogue.find("CHANNEL", APP)
    assert definition is not None
    definition.stopped = True
    refused = refused_by(world)
    assert refused.number == "AMQ9558E" and refused.remedies == [f"START CHANNEL({APP})"]


def test_garbage_is_no_refusal() -> None:
    world = World()
    world.peer().feed(b"GET / HTTP/1.1\r\n\r\n" + bytes(100))
    assert world.qm.notices and not world.qm.refusals
    assert ChannelError(1, "any").number not in REASONS


# -- TLS that could not be agreed on -----------------------------------------------------------------------------------


def hello(ciphers: str) -> bytes:
    """The first bytes of a client of OpenSSL's."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(ciphers)
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def test_what_a_client_offers_is_read_from_its_first_bytes() -> None:
    wanted = ["ECDHE_RSA_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_128_CBC_SHA256"]
    assert offered(hello("ECDHE-RSA-AES256-GCM-SHA384:AES128-SHA256")) == wanted


@pytest.mark.parametrize("length", [0, 1, 5, 6, 43, 44, 50, 77])
def test_a_hello_that_is_cut_short_offers_what_is_there(length: int) -> None:
    whole = hello("AES128-SHA256")
    assert set(offered(whole[:length])) <= {"TLS_RSA_WITH_AES_128_CBC_SHA256"}
    assert offered(b"\x00" * 100) == []


def test_a_client_without_a_common_suite_is_explained(manager: Manager, capsys: pytest.CaptureFixture[str]) -> None:
    """The queue manager has no key at all: the client hears nothing, the operator everything."""
    manager.start()
    with socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE) as client:
        client.sendall(hello("AES128-SHA256"))
        assert client.recv(1) == b""
    said = explained(capsys, "QM1")
    assert "2393 MQRC_SSL_INITIALIZATION_ERROR" in said and "AMQ9657E" in said and "SSLKEYR" in said
    assert "the client offered TLS_RSA_WITH_AES_128_CBC_SHA256" in said


def test_each_way_that_tls_fails_has_its_remedy() -> None:
    for why, word in (
        ("TLS failed: NO_SHARED_CIPHER", "RSA or ECDSA"),
        ("TLS failed: UNSUPPORTED_PROTOCOL", "1.2 or 1.3"),
        ("TLS failed: CERTIFICATE_VERIFY_FAILED", "trusted.pem"),
        ("TLS failed: TLSV1_ALERT_UNKNOWN_CA", "trust store"),
        ("TLS failed: SSLV3_ALERT_CERTIFICATE_UNKNOWN", "trust store"),
    ):
        (remedy,) = refusal_of("AMQ9665E", why, why, "10.0.0.7", b"").remedies
        assert word in remedy
