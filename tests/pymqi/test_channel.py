"""What a program says of its channel, as `flintmq.connect` hears it."""

from __future__ import annotations

import ctypes

import pytest

from flintmq import ibmmq, pymqi
from flintmq.pymqi import CMQC
from flintmq.pymqi.channel import channel_options, named_options


def test_a_channel_and_an_address_are_enough() -> None:
    cd = pymqi.CD(ChannelName=b"DEV.APP.SVRCONN", ConnectionName=b"host(1414),other(1415)")
    assert channel_options(cd.pack(), None, 0) == {"channel": "DEV.APP.SVRCONN", "conn": "host(1414),other(1415)"}


def test_what_is_said_of_tls_is_heard() -> None:
    peer = ctypes.create_string_buffer(b"CN=QM1")
    cd = pymqi.CD(Version=7, SSLCipherSpec=b"ANY_TLS12_OR_HIGHER", SSLPeerNamePtr=ctypes.addressof(peer))
    cd.SSLPeerNameLength = 6
    sco = pymqi.SCO(KeyRepository=b"keys/client", CertificateLabel=b"client")
    assert channel_options(cd.pack(), sco.pack(), 0) == {
        "cipher_spec": "ANY_TLS12_OR_HIGHER", "ssl_peer": "CN=QM1", "key_repository": "keys/client",
        "certificate_label": "client",
    }  # fmt: skip
    cd.Version = 6  # Before there was TLS.
    assert "cipher_spec" not in channel_options(cd.pack(), None, 0)


def test_text_is_heard_as_well() -> None:
    cd = ibmmq.CD(ChannelName="C", ConnectionName="h(1)", SSLCipherSpec="ANY", SSLPeerNamePtr="CN=QM1")
    found = named_options(cd, ibmmq.SCO(KeyRepository="keys", KeyRepoPassword="open"), 0)
    assert (found["ssl_peer"], found["cipher_spec"], found["key_repository"]) == ("CN=QM1", "ANY", "keys")
    assert found["key_repository_password"] == "open"


@pytest.mark.parametrize(
    ("option", "word"),
    [(CMQC.MQCNO_RECONNECT, "yes"), (CMQC.MQCNO_RECONNECT_Q_MGR, "qmgr"), (CMQC.MQCNO_RECONNECT_DISABLED, "no")],
)
def test_reconnection_is_an_option(option: int, word: str) -> None:
    assert channel_options(pymqi.CD().pack(), None, option)["reconnect"] == word


def test_a_buffer_of_another_length_is_refused() -> None:
    with pytest.raises(pymqi.pymqe.error, match="MQCD wrong size"):
        channel_options(b"short", None, 0)
    with pytest.raises(pymqi.pymqe.error, match="MQMD wrong size"):
        pymqi.pymqe.MQPUT(1, 1, b"short", pymqi.PMO().pack(), b"")


def test_compression_and_sharing_are_those_of_the_channel_definition() -> None:
    cd = pymqi.CD(Version=9, ChannelName=b"C", ConnectionName=b"h(1)", SharingConversations=0)
    cd.HdrCompList, cd.MsgCompList = [8, -1], [2, 1] + 14 * [-1]
    assert channel_options(cd.pack(), None, 0) == {
        "channel": "C",
        "conn": "h(1)",
        "header_compression": "SYSTEM",
        "message_compression": "ZLIBFAST, RLE",
        "sharing": 0,
    }
    cd.Version = 6
    assert channel_options(cd.pack(), None, 0) == {"channel": "C", "conn": "h(1)"}
