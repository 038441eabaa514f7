"""TLS as a program of pymqi asks for it: cipher in MQCD, keys in MQSCO, a key repository named without its suffix."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq import pymqi
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.pymqi import CMQC
from flintmq.server import process
from tests.server.test_tls import make_key

CIPHER = b"ECDHE_RSA_AES_256_GCM_SHA384"


def repository(directory: Path, name: str, peer: str) -> Path:
    """The key of `name`, and the certificate of `peer`; the path has no suffix."""
    place = directory / f"of-{name}"
    place.mkdir()
    key, certificate = directory / f"{name}.key", directory / f"{name}.crt"
    (place / f"{name}.pem").write_text(key.read_text() + certificate.read_text())
    (place / "trusted.pem").write_text((directory / f"{peer}.crt").read_text())
    return place / name


def test_a_client_and_a_queue_manager_know_each_other(tmp_path: Path) -> None:
    assert ssl.HAS_TLSv1_2
    for name in ("mqtest", "client"):
        make_key(tmp_path, name, f"/CN={name}")
    server, client = repository(tmp_path, "mqtest", "client"), repository(tmp_path, "client", "mqtest")
    script = tmp_path / "tls.mqsc"
    script.write_text(
        f"ALTER QMGR SSLKEYR('{server}') CERTLABL('mqtest')\n"
        f"DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH({CIPHER.decode()}) SSLPEER('CN=client') CERTLABL('mqtest')\n"
        "SET CHLAUTH(TLS) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(MAP) MCAUSER('app')\n"
    )
    port = free_port()
    assert main(["crtmqm", "--dev", "-z", "-p", str(port), "-ic", str(script), "QM1"]) == 0
    process.start(instance.by_name("QM1"))
    try:
        cd = pymqi.CD(ChannelName=b"TLS", ConnectionName=f"127.0.0.1({port})".encode(), SSLCipherSpec=CIPHER)
        sco = pymqi.SCO(KeyRepository=os.fsencode(client), CertificateLabel=b"client")
        qmgr = pymqi.QueueManager(None)
        qmgr.connect_with_options("QM1", cd, sco)
        assert qmgr.is_connected and cd.Version == 7
        qmgr.disconnect()
        with pytest.raises(pymqi.MQMIError) as refused:
            qmgr.connect_with_options("QM1", cd, pymqi.SCO(KeyRepository=b"no/such/file"))
        assert refused.value.reason == CMQC.MQRC_KEY_REPOSITORY_ERROR
    finally:
        assert main(["endmqm", "-i", "QM1"]) == 0
