"""TLS from the client's side: CipherSpecs, certificates that are trusted and shown, and whose they are."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.client.remote.connect import Options
from flintmq.mqi import reason as rc
from flintmq.server.tls import KeyRepository
from tests.client.remote.serving import CHANNEL, Serving
from tests.server.test_tls import make_key
from tests.waiting import PATIENCE


class Keys:
    """The keys of a queue manager, and of a client that it trusts."""

    def __init__(self, serving: Serving, directory: Path) -> None:
        self.serving = serving
        key, certificate = make_key(directory, "qm", "/CN=qm/O=us")
        (directory / "ssl").mkdir()
        (directory / "ssl" / "key.pem").write_bytes(key.read_bytes() + certificate.read_bytes())
        app_key, app = make_key(directory, "app", "/CN=app/O=us")
        shutil.copy(app, directory / "ssl" / "trusted.pem")
        self.client = directory / "client"
        self.client.mkdir()
        shutil.copy(certificate, self.client / "trust.pem")
        (self.client / "app.pem").write_bytes(app_key.read_bytes() + app.read_bytes())
        _, other = make_key(directory, "other", "/CN=other")
        shutil.copy(other, self.client / "stranger.pem")
        serving.hub.keys = KeyRepository(serving.host.engine, directory)

    def options(self, cipher_spec: str, **more: str) -> Options:
        given = Options(channel=CHANNEL, conn=self.serving.conn, timeout=PATIENCE, cipher_spec=cipher_spec)
        given["key_repository"] = more.pop("key_repository", str(self.client / "trust"))
        given.update(more)  # type: ignore[typeddict-item]
        return given

    def channel(self, attributes: str) -> None:
        self.serving.qm.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) {attributes}")


@pytest.fixture
def keys(serving: Serving, tmp_path: Path) -> Iterator[Keys]:
    yield Keys(serving, tmp_path)


@pytest.mark.parametrize(
    "spec", ["ANY_TLS12_OR_HIGHER", "ANY_TLS13", "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"]
)
def test_messages_go_over_tls_by_cipherspec(keys: Keys, spec: str) -> None:
    keys.channel(f"SSLCIPH({spec}) SSLCAUTH(OPTIONAL)")
    with flintmq.connect("QM1", **keys.options(spec)) as qm:
        queue = qm.queue("DEV.QUEUE.1")
        queue.put(bytes(100_000))
        assert queue.get(wait=5.0).data == bytes(100_000)


@pytest.mark.parametrize("spec", ["ANY_TLS12", "ANY_TLS13"])
def test_a_connection_with_tls_is_made_again(
    keys: Keys, spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "quick.ini"
    path.write_text("CHANNELS:\n   ReconDelay=(10,5)\n   MQReconnectTimeout=60\n")
    monkeypatch.setenv("MQCLNTCF", str(path))
    keys.channel(f"SSLCIPH({spec}) SSLCAUTH(OPTIONAL)")
    with flintmq.connect("QM1", **keys.options(spec, reconnect="yes")) as qm:
        queue = qm.queue("DEV.QUEUE.1")
        queue.put(b"1")
        assert qm.mqi.generation == 0
        keys.serving.cut()
        queue.put(b"2")
        assert [message.data for message in queue.messages()] == [b"1", b"2"] and qm.mqi.generation == 1


def test_tls_for_asyncio(keys: Keys) -> None:
    keys.channel("SSLCIPH(ANY_TLS13) SSLCAUTH(OPTIONAL)")

    async def test() -> None:
        async with flintmq.aconnect("QM1", **keys.options("ANY_TLS13", ssl_peer="CN=qm")) as qm:
            queue = await qm.queue("DEV.QUEUE.1")
            await queue.put(bytes(100_000))
            assert len(await queue.get(wait=5.0)) == 100_000
        with pytest.raises(flintmq.NotConnected) as refused:
            await flintmq.aconnect("QM1", **keys.options("ANY_TLS13", ssl_peer="CN=somebody"))
        assert refused.value.reason == rc.MQRC_SSL_PEER_NAME_MISMATCH

    asyncio.run(asyncio.wait_for(test(), PATIENCE))


def test_a_certificate_is_shown_where_one_is_wanted(keys: Keys) -> None:
    keys.channel("SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED) SSLPEER('CN=app')")
    flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER", certificate_label="app")).close()
    with pytest.raises(flintmq.NotConnected) as refused:
        flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER"))
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR
    with pytest.raises(flintmq.NotConnected, match="label nobody") as unknown:
        flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER", certificate_label="nobody"))
    assert unknown.value.reason == rc.MQRC_KEY_REPOSITORY_ERROR


def test_who_is_not_trusted_or_not_meant_is_refused(keys: Keys) -> None:
    keys.channel("SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)")
    flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER", ssl_peer="CN=qm, O=us")).close()
    stranger = str(keys.client / "stranger.pem")
    with pytest.raises(flintmq.NotConnected, match="handshake failed") as refused:
        flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER", key_repository=stranger))
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR
    with pytest.raises(flintmq.NotConnected, match="CN=qm"):
        flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER", ssl_peer="CN=somebody"))


def test_a_channel_with_tls_refuses_a_client_without_and_the_other_way_round(keys: Keys) -> None:
    with pytest.raises(flintmq.NotConnected) as refused:
        flintmq.connect("QM1", **keys.options("ANY_TLS12_OR_HIGHER"))
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR
    keys.channel("SSLCIPH(ANY_TLS12_OR_HIGHER)")
    with pytest.raises(flintmq.NotConnected, match="SSLCIPH") as refused:
        keys.serving.connect()
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR


@pytest.mark.parametrize("name", ["not there", "key.kdb"])
def test_a_key_repository_that_cannot_be_used_is_named(keys: Keys, name: str) -> None:
    (keys.client / "key.kdb").write_bytes(b"")
    with pytest.raises(flintmq.NotConnected, match=name) as refused:
        flintmq.connect("QM1", **keys.options("ANY_TLS13", key_repository=str(keys.client / name)))
    assert refused.value.reason == rc.MQRC_KEY_REPOSITORY_ERROR
    with pytest.raises(flintmq.NotConnected, match="CipherSpec"):
        flintmq.connect("QM1", **keys.options("NO_SUCH_SPEC"))


# -- CERTLABL of the channel -------------------------------------------------------------------------------------------


@pytest.fixture
def orders(keys: Keys, tmp_path: Path) -> Keys:
    """The channel, and one in lower case, have TLS; the first has a certificate of its own."""
    key, certificate = make_key(tmp_path, "orders", "/CN=orders/O=us")
    (tmp_path / "ssl" / "orders.pem").write_bytes(key.read_bytes() + certificate.read_bytes())
    with open(keys.client / "trust.pem", "ab") as trusted:
        trusted.write(certificate.read_bytes())
    keys.channel("SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) CERTLABL('orders')")
    keys.serving.qm.mqsc(
        f"DEFINE CHANNEL('{LOWER}') CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) NOREPLACE"
    )
    return keys


#: What it is called in a handshake ends with a hyphen.
LOWER = "lower.case"


def connect_both_ways(options: Options) -> None:
    async def connect() -> None:
        async with flintmq.aconnect("QM1", **options) as qm:
            assert qm.name == "QM1"

    flintmq.connect("QM1", **options).close()
    asyncio.run(connect())


def test_a_client_names_its_channel_and_is_shown_the_certificate_of_the_channel(orders: Keys) -> None:
    connect_both_ways(orders.options("ANY_TLS12_OR_HIGHER", ssl_peer="CN=orders"))
    connect_both_ways(orders.options("ANY_TLS12_OR_HIGHER", ssl_peer="CN=qm", channel=LOWER))


@pytest.mark.parametrize("setting", ["OutboundSNI=HOSTNAME", "AllowOutboundSNI=NO"])
def test_a_client_that_names_the_host_or_nothing_is_refused_by_such_a_channel(
    orders: Keys, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "named.ini"
    path.write_text(f"SSL:\n   {setting}\n")
    monkeypatch.setenv("MQCLNTCF", str(path))
    connect_both_ways(orders.options("ANY_TLS12_OR_HIGHER", ssl_peer="CN=qm", channel=LOWER))
    with pytest.raises(flintmq.NotConnected) as refused:
        flintmq.connect("QM1", **orders.options("ANY_TLS12_OR_HIGHER", ssl_peer="CN=qm"))
    assert refused.value.reason == rc.MQRC_SSL_INITIALIZATION_ERROR
    told = orders.serving.host.engine.refusals[-1]
    assert told.number == "AMQ9673E" and told.reason == rc.MQRC_SSL_INITIALIZATION_ERROR
    assert "CERTLABL(orders)" in told.rule and "OutboundSNI=CHANNEL" in told.remedies[0]
