"""A broker whose queue manager is reached over a TLS channel, with keys of both sides that openssl makes."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.broker.admin import process
from flintmq.broker.admin.administration import Administration
from flintmq.broker.admin.place import locate
from flintmq.broker.admin.repository import Repository
from flintmq.broker.runtime.decisions import create_queue
from flintmq.broker.runtime.log import BrokerLog
from flintmq.cli import main
from flintmq.server.tls import KeyRepository
from tests.broker.admin import bars
from tests.client.remote.serving import CHANNEL, Serving
from tests.server.test_tls import make_key
from tests.waiting import PATIENCE, until

SECRET = "a secret of keys"


class Keys:
    """A queue manager that demands TLS 1.3 and the certificate of the broker, and key repositories of brokers."""

    def __init__(self, directory: Path) -> None:
        self.serving = Serving()
        for name in ("IN", "OUT", "SYSTEM.BROKER.STATE.DEFAULT"):
            self.serving.qm.queue(name, create=True)
        create_queue(self.serving.qm)
        key, certificate = make_key(directory, "qm", "/CN=qm/O=us")
        (directory / "ssl").mkdir()
        (directory / "ssl" / "key.pem").write_bytes(key.read_bytes() + certificate.read_bytes())
        own_key, own = make_key(directory, "broker", "/CN=broker/O=us")
        shutil.copy(own, directory / "ssl" / "trusted.pem")
        self.serving.hub.keys = KeyRepository(self.serving.host.engine, directory)
        #: In PEM: the broker's own key and certificate, and that of the queue manager.
        self.repository = directory / "broker.pem"
        self.repository.write_bytes(own_key.read_bytes() + own.read_bytes() + certificate.read_bytes())
        #: In PKCS#12, with a password.
        self.packed = directory / "packed.p12"
        command = ["openssl", "pkcs12", "-export", "-name", "broker", "-inkey", str(own_key), "-in", str(own)]
        command += ["-certfile", str(certificate), "-out", str(self.packed), "-passout", f"pass:{SECRET}"]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        self.password = directory / "packed.pw"
        self.password.write_text(SECRET + "\n")
        #: Without the certificate of the queue manager.
        self.stranger = directory / "stranger.pem"
        self.stranger.write_bytes(own_key.read_bytes() + own.read_bytes())
        self.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLPEER('CN=broker')")

    def exchange(self, data: bytes) -> bytes:
        """Put a message to IN and get one from OUT."""
        self.serving.qm.queue("IN").put(data)
        return self.serving.qm.queue("OUT").get(wait=PATIENCE).data


@pytest.fixture
def keys(data: Path, tmp_path: Path) -> Iterator[Keys]:
    made = Keys(tmp_path)
    yield made
    made.serving.close()


def test_a_broker_that_was_created_with_tls_reads_and_writes_over_a_tls_channel(keys: Keys, tmp_path: Path) -> None:
    """Both key repository formats, and a name of the queue manager that does not match until it is changed."""
    words = ["mqsicreatebroker", "BRK", "-q", "QM1", "--channel", CHANNEL, "--conn", keys.serving.conn]
    words += ["--cipher-spec", "ANY_TLS13", "--key-repository", str(keys.packed), "--certificate-label", "broker"]
    words += ["--key-repository-password-file", str(keys.password), "--ssl-peer", "CN=another"]
    assert main.main(words) == 0
    place = locate("BRK")
    assert SECRET.encode() not in (place.directory / "repository.db").read_bytes()
    repository, said = Repository(place.name, place.repository_url()), io.StringIO()
    admin = Administration(place, repository, BrokerLog(place.name, place.log, said))
    shown: list[str] = []

    def do(what: str, **fields: object) -> None:
        assert admin.obey({"do": what, **fields}, shown.append) == 0, shown

    try:
        do("create group", group="default")
        do("change properties", group="default", object="ExecutionGroup", values={"workers": "1"})
        do("deploy", group="default", path=str(bars.pass_bar(tmp_path / "one.bar")))
        admin.live = True
        admin.start_groups()
        until(lambda: place.log.exists() and "2398" in place.log.read_text(), "the name is refused")
        do("change properties", object="QueueManager", values={"sslPeer": "CN=qm"})
        assert keys.exchange(b"packed") == b"packed"
        text = {"keyRepository": str(keys.repository), "keyRepositoryPasswordFile": None, "certificateLabel": None}
        do("change properties", object="QueueManager", values=text)
        assert keys.exchange(b"text") == b"text"
        assert SECRET not in place.log.read_text() + "".join(shown)
    finally:
        admin.stop_groups()
        repository.close()


def test_a_queue_manager_that_is_not_trusted_is_named_in_the_log(keys: Keys, tmp_path: Path) -> None:
    place = locate("BRK")
    connection = {"channel": CHANNEL, "conn": keys.serving.conn, "cipherSpec": "ANY_TLS13"}
    process.create(place, "QM1", {**connection, "keyRepository": str(keys.stranger)})
    repository = Repository(place.name, place.repository_url())
    admin = Administration(place, repository, BrokerLog(place.name, place.log, io.StringIO()))
    try:
        assert admin.obey({"do": "create group", "group": "default"}, print) == 0
        admin.live = True
        admin.start_groups()
        until(lambda: place.log.exists() and "BIP2048E" in place.log.read_text(), "the worker says why")
        assert "2393" in place.log.read_text()
    finally:
        admin.stop_groups()
        repository.close()


def test_a_password_of_keys_that_cannot_be_read_is_named(data: Path, tmp_path: Path) -> None:
    place = locate("BRK")
    process.create(place, "QM1", {"keyRepositoryPasswordFile": str(tmp_path / "none")})
    repository = Repository(place.name, place.repository_url())
    admin = Administration(place, repository, BrokerLog("BRK", stream=io.StringIO()), live=True)
    lines: list[str] = []
    try:
        assert admin.obey({"do": "create group", "group": "default"}, lines.append) == 1
    finally:
        admin.stop_groups()
        repository.close()
    assert any("BIP8025E" in line and str(tmp_path / "none") in line for line in lines)
