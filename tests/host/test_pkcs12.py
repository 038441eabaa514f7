"""Key repositories in PKCS#12 on both sides: which key, whose password, and what is said if it cannot be used."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID

import flintmq
from flintmq.client.remote.connect import Options
from flintmq.host import pkcs12, pkcs12_keys
from flintmq.host.vault import KEY_FILE, FileVault
from flintmq.mqi import reason as rc
from flintmq.server.tls import KeyRepository, NoKey
from tests.client.remote.serving import CHANNEL, Serving
from tests.server.test_tls import make_key
from tests.waiting import PATIENCE, until

SECRET = "open sesame"
SPEC = "ANY_TLS12_OR_HIGHER"


def export(path: Path, *options: str, password: str = SECRET) -> None:
    command = ["openssl", "pkcs12", "-export", *options, "-passout", f"pass:{password}", "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True)


class Both:
    """A queue manager and a client that trust each other, with nothing but PKCS#12."""

    def __init__(self, serving: Serving, directory: Path) -> None:
        self.serving = serving
        key, certificate = make_key(directory, "qm", "/CN=qm/O=us")
        app_key, app = make_key(directory, "app", "/CN=app/O=us")
        (directory / "ssl").mkdir()
        self.server, self.client = directory / "ssl" / "key.p12", directory / "client.p12"
        own = ["-inkey", str(key), "-in", str(certificate)]
        export(self.server, *own, "-certfile", str(app), "-name", "qm's")
        export(self.client, "-inkey", str(app_key), "-in", str(app), "-certfile", str(certificate), "-name", "app's")
        self.without_key = directory / "trust.pfx"
        export(self.without_key, "-nokeys", "-in", str(certificate))
        self.keys = serving.hub.keys = KeyRepository(serving.host.engine, directory)
        serving.qm.mqsc(f"ALTER QMGR KEYRPWD('{SECRET}')")
        serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH({SPEC}) SSLCAUTH(REQUIRED)")

    def options(self, **more: str) -> Options:
        given = Options(channel=CHANNEL, conn=self.serving.conn, timeout=PATIENCE, cipher_spec=SPEC)
        given["key_repository"] = str(self.client.with_suffix(""))
        given["key_repository_password"] = SECRET
        given.update(more)  # type: ignore[typeddict-item]
        return given

    def why_not(self) -> str:
        """What the queue manager has against its key repository."""
        with pytest.raises(NoKey) as refused:
            self.keys.context()
        assert SECRET not in str(refused.value)
        return str(refused.value)


@pytest.fixture
def both(serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.delenv("MQKEYRPWD", raising=False)
    yield Both(serving, tmp_path)


def test_both_sides_show_and_check_certificates_and_leave_no_file(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    both.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLPEER('CN=app,O=us')")
    with flintmq.connect("QM1", **both.options(ssl_peer="CN=qm,O=us")) as qm:
        queue = qm.queue("DEV.QUEUE.1")
        queue.put("hello")
        assert queue.get(wait=5.0).text == "hello"
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_client_whose_repository_has_no_key_trusts_but_shows_nothing(both: Both) -> None:
    options = both.options(key_repository=str(both.without_key))
    with pytest.raises(flintmq.NotConnected) as refused:
        flintmq.connect("QM1", **options)
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR
    both.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCAUTH(OPTIONAL)")
    flintmq.connect("QM1", **options).close()


def test_the_password_may_come_from_the_environment_mqclient_ini_or_a_file(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = both.options(key_repository_password="")
    with pytest.raises(flintmq.NotConnected, match="needs a password"):
        flintmq.connect("QM1", **options)
    monkeypatch.setenv("MQKEYRPWD", SECRET)
    flintmq.connect("QM1", **options).close()
    monkeypatch.delenv("MQKEYRPWD")
    ini = tmp_path / "of-client.ini"
    ini.write_text(f"SSL:\n   SSLKeyRepositoryPassword={SECRET}\n")
    monkeypatch.setenv("MQCLNTCF", str(ini))
    flintmq.connect("QM1", **options).close()
    ini.write_text("SSL:\n")
    kept = tmp_path / "client.password"
    kept.write_text(SECRET + "\n")
    kept.chmod(0o644)
    with pytest.raises(flintmq.NotConnected, match="chmod 600") as refused:
        flintmq.connect("QM1", **options)
    assert refused.value.reason == rc.MQRC_KEY_REPOSITORY_ERROR and SECRET not in str(refused.value)
    kept.chmod(0o600)
    flintmq.connect("QM1", **options).close()


def test_a_wrong_password_is_said_without_saying_it(both: Both) -> None:
    with pytest.raises(flintmq.NotConnected, match="password is wrong") as refused:
        flintmq.connect("QM1", **both.options(key_repository_password="guess"))
    assert refused.value.reason == rc.MQRC_KEY_REPOSITORY_ERROR and "guess" not in str(refused.value)
    assert str(both.client) in str(refused.value)


def test_the_queue_manager_refuses_with_one_line_until_its_password_is_right(both: Both) -> None:
    both.serving.qm.mqsc("ALTER QMGR KEYRPWD('guess')")
    with pytest.raises(flintmq.NotConnected):
        flintmq.connect("QM1", **both.options())
    said = both.why_not()
    assert "password is wrong" in said and str(both.server) in said and "guess" not in said
    both.serving.qm.mqsc("ALTER QMGR KEYRPWD(' ')")
    assert "key.password" in both.why_not()
    kept = both.server.with_suffix(".password")
    kept.write_text(SECRET)
    kept.chmod(0o640)
    assert "chmod 600" in both.why_not()
    kept.chmod(0o600)
    flintmq.connect("QM1", **both.options()).close()
    assert SECRET not in both.serving.qm.mqsc("DISPLAY QMGR ALL").text


def test_a_password_that_is_sealed_opens_the_repository_as_long_as_its_key_is_there(both: Both, tmp_path: Path) -> None:
    engine, key = both.serving.host.engine, tmp_path / KEY_FILE
    before, engine.vault = engine.vault, FileVault(key, "QM1")
    try:
        both.serving.qm.mqsc(f"ALTER QMGR KEYRPWD('{SECRET}')")
        assert SECRET not in engine.definition().text("KEYRPWD")
        flintmq.connect("QM1", **both.options()).close()
        kept = key.read_bytes()
        key.unlink()
        assert f"KEYRPWD cannot be read without {key}" in both.why_not()
        key.touch(0o600)
        key.write_bytes(kept)
        flintmq.connect("QM1", **both.options()).close()
    finally:
        engine.vault = before


def test_the_label_says_which_key_is_meant(both: Both) -> None:
    both.keys.context()
    both.serving.qm.mqsc("ALTER QMGR CERTLABL('other')")
    assert "no key with the label other; those in it: qm's" in both.why_not()
    both.serving.qm.mqsc("ALTER QMGR CERTLABL('qm''s')")
    flintmq.connect("QM1", **both.options(certificate_label="app's")).close()
    with pytest.raises(flintmq.NotConnected, match="label other") as refused:
        flintmq.connect("QM1", **both.options(certificate_label="other"))
    assert refused.value.reason == rc.MQRC_KEY_REPOSITORY_ERROR
    with pytest.raises(flintmq.NotConnected, match="no private key"):
        flintmq.connect("QM1", **both.options(certificate_label="x", key_repository=str(both.without_key)))


def two_keys(path: Path, *options: str, names: tuple[str, str] = ("first", "second")) -> None:
    """A file of `keytool` with two keys, each with its own certificate."""
    if shutil.which("keytool") is None:
        pytest.skip("keytool is not installed: there is no file with two keys to read")
    for name in names:
        command = ["keytool", *options, "-genkeypair", "-alias", name, "-dname", f"CN={name}", "-keyalg", "EC"]
        command += ["-keystore", str(path), "-storetype", "PKCS12", "-storepass", SECRET]
        subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("options", [[], ["-J-Dkeystore.pkcs12.legacy"]], ids=["new", "legacy"])
def test_of_several_keys_the_label_says_which(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "two.p12"
    two_keys(path, *options)
    for label, usual, name in (
        ("", "", "first"), ("first", "", "first"), ("second", "", "second"),
        ("usual", "usual", "first"), ("second", "second", "second"),
    ):  # fmt: skip
        repository = pkcs12.read(path, SECRET, label, usual)
        assert repository.label == name
        assert ssl_subject(repository.own) == name and repository.own not in repository.trusted
        assert repository.chain.count(b"BEGIN CERTIFICATE") == 1 and repository.trusted.count("BEGIN") == 1
        repository.use(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))  # The key is that of the certificate.
    with pytest.raises(pkcs12.BadRepository, match=r"label Second; those in it: first, second"):
        pkcs12.read(path, SECRET, "Second")


def ssl_subject(pem: str) -> str:
    """The common name in a certificate."""
    shown = subprocess.run(["openssl", "x509", "-noout", "-subject"], input=pem, text=True, capture_output=True)
    return shown.stdout.strip().rpartition("=")[2].strip()


def test_a_queue_manager_shows_the_certificate_that_certlabl_names(both: Both) -> None:
    """Without an answer to CERTLABL it is the usual label, ibmwebspheremq with its name; and else the first key."""
    both.server.unlink()
    two_keys(both.server, names=("other", "ibmwebspheremqqm1"))
    both.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCAUTH(OPTIONAL)")
    first = pkcs12.read(both.server, SECRET, "")
    (both.server.parent / "both.pem").write_text(first.own + first.trusted)
    trust = both.options(key_repository=str(both.server.parent / "both.pem"), ssl_peer="CN=ibmwebspheremqqm1")
    flintmq.connect("QM1", **trust).close()
    both.serving.qm.mqsc("ALTER QMGR CERTLABL('other')")
    with pytest.raises(flintmq.NotConnected) as refused:
        flintmq.connect("QM1", **trust)
    assert refused.value.reason == rc.MQRC_SSL_PEER_NAME_MISMATCH
    trust["ssl_peer"] = "CN=other"
    flintmq.connect("QM1", **trust).close()
    both.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) CERTLABL('ibmwebspheremqqm1')")
    trust["ssl_peer"] = "CN=ibmwebspheremqqm1"
    flintmq.connect("QM1", **trust).close()
    both.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) CERTLABL('nobody''s')")
    with pytest.raises(flintmq.NotConnected):
        flintmq.connect("QM1", **trust)
    until(lambda: bool(both.serving.host.engine.refusals))  # The client may know before it is written down.
    told = both.serving.host.engine.refusals[-1]
    assert told.number == "AMQ9657E" and "no key with the label nobody's; those in it: other, ibm" in told.rule


@pytest.mark.parametrize(
    ("options", "password"),
    [([], ""), (["-keypbe", "NONE", "-certpbe", "NONE"], SECRET), (["-legacy"], SECRET)],
    ids=["empty password", "clear", "legacy"],
)
def test_however_openssl_has_wrapped_the_key_it_is_read(tmp_path: Path, options: list[str], password: str) -> None:
    key, certificate = make_key(tmp_path, "app", "/CN=app")
    export(
        tmp_path / "app.p12", *options, "-inkey", str(key), "-in", str(certificate), "-name", "app's", password=password
    )
    repository = pkcs12.read(tmp_path / "app.p12", password, "app's")
    assert repository.label == "app's" and repository.chain and repository.trusted == ""


def test_a_file_whose_frame_is_damaged_raises_valueerror_or_has_the_key(tmp_path: Path) -> None:
    key, certificate = make_key(tmp_path, "app", "/CN=app")
    export(tmp_path / "app.p12", "-inkey", str(key), "-in", str(certificate), "-name", "app's")
    whole = (tmp_path / "app.p12").read_bytes()
    assert [bag.label for bag in pkcs12_keys.keys(whole)] == ["app's"]
    refused = 0
    for at in range(len(whole)):
        for value in (0x00, 0x80, 0x84, 0xFF):
            try:
                assert len(pkcs12_keys.keys(whole[:at] + bytes([value]) + whole[at + 1 :])) <= 1
            except ValueError:
                refused += 1
    assert refused > 100


@pytest.mark.parametrize("data", [b"", b"junk", b"\x30\x82\xff\xff"])
def test_a_damaged_file_is_named(both: Both, data: bytes) -> None:
    both.server.write_bytes(data)
    said = both.why_not()
    assert "damaged" in said and str(both.server) in said


def test_every_byte_of_a_file_that_is_cut_short_is_refused_not_raised(both: Both, tmp_path: Path) -> None:
    whole, path = both.client.read_bytes(), tmp_path / "cut.p12"
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(pkcs12.BadRepository):
            pkcs12.read(path, SECRET, "")


def test_a_queue_manager_needs_a_private_key(both: Both) -> None:
    both.serving.qm.mqsc(f"ALTER QMGR SSLKEYR('{both.without_key.with_suffix('')}')")
    assert "no private key" in both.why_not()
    both.serving.qm.mqsc("ALTER QMGR SSLKEYR('ssl/nothing')")
    assert "there is no key repository" in both.why_not() and ".p12" in both.why_not()
    both.serving.qm.mqsc("ALTER QMGR SSLKEYR('/')")
    assert "there is no key repository" in both.why_not()


def test_without_cryptography_it_is_said_what_to_install(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization", None)
    assert "pip install 'flintmq[tls]'" in both.why_not()


def test_the_suffix_may_be_left_out_and_pem_goes_first(tmp_path: Path) -> None:
    name = tmp_path / "key"
    assert pkcs12.find(name) is None
    for suffix in (".pfx", ".p12", ".pem"):
        (tmp_path / f"key{suffix}").touch()
        assert pkcs12.find(name) == tmp_path / f"key{suffix}"
    (tmp_path / "key.kdb").touch()
    assert pkcs12.find(tmp_path / "key.kdb") == tmp_path / "key.pem"


class Authority:
    """Somebody who signs certificates."""

    def __init__(self, name: str) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self.sign(self.name, self.key.public_key())

    def sign(self, name: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.Certificate:
        now = datetime.now(UTC)
        made = x509.CertificateBuilder().subject_name(name).issuer_name(self.name).public_key(key)
        made = made.serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
        return made.not_valid_after(now + timedelta(days=1)).sign(self.key, hashes.SHA256())


def written(path: Path, authority: Authority, others: list[x509.Certificate]) -> x509.Certificate:
    """A repository with a key that `authority` vouches for; its certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = authority.sign(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "app")]), key.public_key())
    encryption = serialization.BestAvailableEncryption(SECRET.encode())
    path.write_bytes(serialize_key_and_certificates(b"app", key, own, others, encryption))
    return own


def pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def test_of_two_authorities_of_one_name_the_one_is_shown_that_has_signed(tmp_path: Path) -> None:
    """An authority that was renewed with another key: who is shown the old certificate cannot follow the chain."""
    old, new = Authority("ca"), Authority("ca")
    path = tmp_path / "client.p12"
    for others in ([old.certificate, new.certificate], [new.certificate, old.certificate]):
        own = written(path, new, others)
        chain = pkcs12.read(path, SECRET, "").chain
        assert pem(own) in chain and pem(new.certificate) in chain and pem(old.certificate) not in chain


def test_a_trusted_certificate_with_a_key_of_an_unknown_kind_spoils_nothing(tmp_path: Path) -> None:
    der = Authority("strange").certificate.public_bytes(serialization.Encoding.DER)
    kind = bytes.fromhex("06072a8648ce3d0201")  # An EC key.
    assert der.count(kind) == 1
    strange = x509.load_der_x509_certificate(der.replace(kind, bytes.fromhex("06072a8648ce3d0277")))
    path = tmp_path / "client.p12"
    own = written(path, Authority("ca"), [strange])
    found = pkcs12.read(path, SECRET, "app")
    assert pem(own) in found.chain and found.trusted == pem(strange).decode()
