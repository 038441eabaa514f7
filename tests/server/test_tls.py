"""TLS: handshakes with real keys, and which clients a channel takes."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.server import tls
from flintmq.server.tls import KeyContext, KeyRepository, NoKey
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.cipher_spec import SUITES, Protection, accepts, is_known, peer_matches
from tests.server.test_process import BOTH, QUEUE, Manager, SocketPeer
from tests.waiting import PATIENCE
from tests.wire.mq.peer import World

TLS13 = Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", "")
TLS12 = Protection("ECDHE-RSA-AES256-GCM-SHA384", "TLSv1.2", "CN=app,O=us")


@pytest.mark.parametrize(
    ("cipher_spec", "none", "tls12", "tls13"),
    [
        ("", True, False, False),
        ("ANY_TLS12", False, True, False),
        ("ANY_TLS12_OR_HIGHER", False, True, True),
        ("ANY_TLS13", False, False, True),
        ("ANY_TLS13_OR_HIGHER", False, False, True),
        ("TLS_AES_256_GCM_SHA384", False, False, True),
        ("ECDHE_RSA_AES_256_GCM_SHA384", False, True, False),
        ("NO_SUCH_SPEC", False, False, False),
    ],
)
def test_a_channel_takes_what_its_cipherspec_says(cipher_spec: str, none: bool, tls12: bool, tls13: bool) -> None:
    assert [accepts(cipher_spec, each) for each in (None, TLS12, TLS13)] == [none, tls12, tls13]


def test_every_suite_is_one_that_openssl_has() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL")
    known = {each["name"] for each in context.get_ciphers()}
    assert set(SUITES.values()) <= known
    assert is_known("ANY_TLS12") and not is_known("")


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [("", True), ("CN=app", True), ("cn=app, O=us", True), ("CN=a*", True), ("CN=other", False), ('O="us"', True),
     ("OU=x", False), ("CN=*,O=u*", True)],
)  # fmt: skip
def test_sslpeer_is_every_attribute_that_it_names(pattern: str, matches: bool) -> None:
    assert peer_matches(pattern, TLS12.peer_name) is matches


@pytest.mark.parametrize(
    ("values", "protection", "status"),
    [
        ({"SSLCIPH": "ANY_TLS12_OR_HIGHER"}, None, 24),
        ({}, TLS13, 24),
        ({"SSLCIPH": "ANY_TLS13", "SSLCAUTH": "OPTIONAL"}, TLS12, 24),
        ({"SSLCIPH": "ANY_TLS13", "SSLCAUTH": "REQUIRED"}, TLS13, 26),
        ({"SSLCIPH": "ANY_TLS12", "SSLPEER": "CN=other"}, TLS12, 25),
        ({"SSLCIPH": "ANY_TLS12", "SSLPEER": "CN=app"}, TLS12, 0),
        ({"SSLCIPH": "ANY_TLS13", "SSLCAUTH": "OPTIONAL"}, TLS13, 0),
    ],
)
def test_a_client_that_does_not_suit_hears_why(
    values: dict[str, str], protection: Protection | None, status: int
) -> None:
    world = World()
    world.alter("CHANNEL", "DEV.APP.SVRCONN", **values)
    peer = world.peer()
    peer.session.protection = protection
    (answered,) = peer.propose(peer.offer())
    if status:
        assert answered.kind == seg.STATUS_DATA and answered.body == peer.longs(8, status)
    else:
        assert answered.kind == seg.INITIAL_DATA


# -- with keys ---------------------------------------------------------------------------------------------------------


def make_key(directory: Path, name: str, subject: str) -> tuple[Path, Path]:
    """A private key and a certificate that it has signed itself: (key, certificate)."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed: there are no keys to try TLS with")
    key, certificate = directory / f"{name}.key", directory / f"{name}.crt"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", subject]
    command += ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return key, certificate


CHANNELS = """
DEFINE CHANNEL(TLS.ANY) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) MCAUSER('app')
DEFINE CHANNEL(TLS.ONE) CHLTYPE(SVRCONN) SSLCIPH(TLS_AES_256_GCM_SHA384) SSLCAUTH(OPTIONAL) MCAUSER('app')
DEFINE CHANNEL(TLS.CERT) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLPEER('CN=app,O=us') MCAUSER('app')
DEFINE CHANNEL(TLS.PEER) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLPEER('CN=other') MCAUSER('app')
DEFINE CHANNEL(TLS.OWN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) MCAUSER('app') +
       CERTLABL('orders')
SET CHLAUTH('TLS.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)
"""


class Keys:
    """The certificates of one test run, and a queue manager that has its own."""

    def __init__(self, directory: Path) -> None:
        self.key, self.certificate = make_key(directory, "server", "/CN=QM1/O=us")
        #: Of the channel TLS.OWN.
        self.own_key, self.own_certificate = make_key(directory, "orders", "/CN=orders/O=us")
        self.client_key, self.client_certificate = make_key(directory, "client", "/O=us/CN=app")

    def install(self, manager: Manager) -> None:
        """Give the queue manager its key repository and channels that use it."""
        place = manager.place.directory / "ssl"
        place.mkdir()
        (place / "key.pem").write_text(self.key.read_text() + self.certificate.read_text())
        (place / "orders.pem").write_text(self.own_key.read_text() + self.own_certificate.read_text())
        (place / "trusted.pem").write_text(self.client_certificate.read_text())


class TlsPeer(SocketPeer):
    """The client of the process tests, over TLS."""

    def __init__(self, port: int, channel: str, context: ssl.SSLContext, name: str = "127.0.0.1") -> None:
        self.context = context
        self.wanted = channel
        self.name = name
        super().__init__(port)

    def agree(self) -> object:  # type: ignore[override]
        self.channel = self.wanted
        self.socket = self.context.wrap_socket(self.socket, server_hostname=self.name)
        return super().agree()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: Keys) -> Iterator[Manager]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    script = tmp_path / "channels.mqsc"
    script.write_text(CHANNELS)
    port = free_port()
    assert main(["crtmqm", "--dev", "-q", "-p", str(port), "-ic", str(script), "QM1"]) == 0
    made = Manager(port)
    keys.install(made)
    made.start()
    yield made
    assert main(["endmqm", "-i", "QM1"]) == 0


def test_clients_speak_tls_and_plain_on_one_port(manager: Manager, keys: Keys) -> None:
    context = ssl.create_default_context(cafile=str(keys.certificate))
    peer = TlsPeer(manager.port, "TLS.ANY", context)
    assert peer.connect().reason == 0
    handle = peer.opened(QUEUE, BOTH)
    for size in (0, 1000, 1_000_000):
        assert peer.put(handle, b"x" * size).reason == 0
        assert peer.get(handle).data == b"x" * size
    assert manager.peer().disconnect().reason == 0
    context.load_cert_chain(keys.client_certificate, keys.client_key)
    assert TlsPeer(manager.port, "TLS.CERT", context).connect().reason == 0
    with pytest.raises(Exception, match=r".*"):
        TlsPeer(manager.port, "TLS.PEER", context)
    assert "AMQ9636E" in manager.errors() and "CN=app,O=us" in manager.errors()


def test_a_handshake_that_fails_is_told_and_harms_nobody(manager: Manager, keys: Keys) -> None:
    with socket.create_connection(("127.0.0.1", manager.port), timeout=PATIENCE) as stranger:
        stranger.sendall(b"\x16\x03\x01\x00\x05hello, is there TLS?")
        while stranger.recv(1000):
            pass
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with pytest.raises(ssl.SSLError):  # It does not know our certificate.
        TlsPeer(manager.port, "TLS.ANY", old)
    assert manager.errors().count("AMQ9665E") >= 1
    assert manager.peer().disconnect().reason == 0


def test_without_a_key_tls_is_refused_and_the_log_says_why(manager: Manager, keys: Keys) -> None:
    (manager.place.directory / "ssl" / "key.pem").unlink()
    context = ssl.create_default_context(cafile=str(keys.certificate))
    with pytest.raises((ssl.SSLError, ConnectionError)):
        TlsPeer(manager.port, "TLS.ANY", context)
    assert "AMQ9657E" in manager.errors() and "key.pem" in manager.errors()


# -- CERTLABL of channels ---------------------------------------------------------------------------------------------


def shown_to(port: int, name: str, version: str = "-tls1_3") -> str:
    """The name in the certificate that openssl is shown if it asks for `name`."""
    command = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", version]
    command += ["-servername", name] if name else ["-noservername"]
    said = subprocess.run(command, input="", capture_output=True, text=True, timeout=PATIENCE)
    found = re.search(r"^subject=(.*)$", said.stdout, re.MULTILINE)
    return found[1].replace(" ", "") if found else ""


def test_a_channel_with_certlabl_shows_its_own_certificate_to_who_names_it(manager: Manager) -> None:
    for version in ("-tls1_2", "-tls1_3"):
        assert shown_to(manager.port, "tls2e-own.chl.mq.ibm.com", version) == "CN=orders,O=us"
        assert shown_to(manager.port, "TLS2E-OWN.CHL.MQ.IBM.COM", version) == "CN=orders,O=us"
    for name in ("", "localhost", "tls2e-any.chl.mq.ibm.com", "tls2e-nosuch.chl.mq.ibm.com", ".chl.mq.ibm.com",
                 "ff-.chl.mq.ibm.com", "tls2e-own.chl.mq.ibm.com.evil"):  # fmt: skip
        assert shown_to(manager.port, name) == "CN=QM1,O=us", name


def test_who_does_not_name_such_a_channel_is_refused_there_and_nowhere_else(manager: Manager, keys: Keys) -> None:
    context = ssl.create_default_context(cafile=str(keys.certificate))
    with pytest.raises(Exception, match=r".*"):
        TlsPeer(manager.port, "TLS.OWN", context)
    assert "AMQ9673E" in manager.errors() and "CERTLABL(orders)" in manager.errors()
    assert TlsPeer(manager.port, "TLS.ANY", context).connect().reason == 0
    own = ssl.create_default_context(cafile=str(keys.own_certificate))
    own.check_hostname = False
    assert TlsPeer(manager.port, "TLS.OWN", own, "tls2e-own.chl.mq.ibm.com").connect().reason == 0


def test_a_label_that_is_not_there_refuses_that_channel_and_the_log_says_which(manager: Manager, keys: Keys) -> None:
    (manager.place.directory / "ssl" / "orders.pem").unlink()
    assert shown_to(manager.port, "tls2e-own.chl.mq.ibm.com") == ""
    assert "AMQ9657E" in manager.errors() and "orders.pem" in manager.errors() and "TLS.OWN" in manager.errors()
    assert shown_to(manager.port, "localhost") == "CN=QM1,O=us"
    assert "AMQ9665E" not in manager.errors()


def test_a_label_is_no_way_to_another_directory(tmp_path: Path, keys: Keys) -> None:
    (tmp_path / "ssl").mkdir()
    text = keys.own_key.read_text() + keys.own_certificate.read_text()
    (tmp_path / "ssl" / "key.pem").write_text(text)
    (tmp_path / "secret.pem").write_text(text)
    repository = KeyRepository(World().qm, tmp_path)
    assert repository.context().label == "ibmwebspheremqqm1"
    for label in ("../secret", str(tmp_path / "secret"), "a/../../secret", "nul\0"):
        with pytest.raises(NoKey, match="cannot be the name of a file"):
            repository.context(label)


def test_a_key_that_could_not_be_read_once_is_read_again_after_a_second(
    tmp_path: Path, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All descriptors were in use; the files look as they did. Meanwhile a handshake costs no attempt."""
    (tmp_path / "ssl").mkdir()
    text = keys.own_key.read_text() + keys.own_certificate.read_text()
    (tmp_path / "ssl" / "key.pem").write_text(text)
    now, tried = 1000.0, 0
    repository = KeyRepository(World().qm, tmp_path, lambda: now)

    def refuses(path: Path) -> KeyContext:
        nonlocal tried
        tried += 1
        raise NoKey("too many open files")

    with monkeypatch.context() as refused:
        refused.setattr(tls, "_context_of_pem", refuses)
        for _ in range(3):
            with pytest.raises(NoKey, match="too many"):
                repository.context()
        assert tried == 1
    now += 1
    assert repository.context().label == "ibmwebspheremqqm1"
