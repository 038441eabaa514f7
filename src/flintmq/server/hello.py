"""The CipherSpecs that a client offered when the TLS handshake failed, from its first bytes, the ClientHello.

offset  field            bytes                        offset  field            bytes
     0  22: handshake    1                                 9  version          2
     1  version          2                                11  random           32
     3  length           2                                43  session id       1 for its length, and that many
     5  1: ClientHello   1                                    cipher suites    2 for their length, 2 for each
     6  length           3
"""

from __future__ import annotations

from flintmq.mqi.reason import MQRC_SSL_INITIALIZATION_ERROR
from flintmq.qmgr.calls import Refusal

_SESSION = 43
#: MQ's CipherSpecs by the number of their suite.
_NAMES = {
    0x1301: "TLS_AES_128_GCM_SHA256",
    0x1302: "TLS_AES_256_GCM_SHA384",
    0x1303: "TLS_CHACHA20_POLY1305_SHA256",
    0xC023: "ECDHE_ECDSA_AES_128_CBC_SHA256",
    0xC024: "ECDHE_ECDSA_AES_256_CBC_SHA384",
    0xC02B: "ECDHE_ECDSA_AES_128_GCM_SHA256",
    0xC02C: "ECDHE_ECDSA_AES_256_GCM_SHA384",
    0xC027: "ECDHE_RSA_AES_128_CBC_SHA256",
    0xC028: "ECDHE_RSA_AES_256_CBC_SHA384",
    0xC02F: "ECDHE_RSA_AES_128_GCM_SHA256",
    0xC030: "ECDHE_RSA_AES_256_GCM_SHA384",
    0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA",
    0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
    0x003C: "TLS_RSA_WITH_AES_128_CBC_SHA256",
    0x003D: "TLS_RSA_WITH_AES_256_CBC_SHA256",
    0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256",
    0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
}
_SIGNALLING = (0x00FF, 0x5600)
_SHOWN_MAX = 12

#: Words in OpenSSL's reason -> remedy.
_REMEDIES = (
    (
        "KEY REPOSITORY",
        "* Put a key and its certificate where SSLKEYR of the queue manager says: ALTER QMGR SSLKEYR, KEYRPWD.",
    ),
    ("CIPHER", "* Give the client a CipherSpec of TLS 1.2 or 1.3 that fits the queue manager's key (RSA or ECDSA)."),
    ("PROTOCOL", "* Let the client use TLS 1.2 or 1.3; older versions are not spoken."),
    ("VERIFY", "* Put who has signed the client's certificate into trusted.pem beside the key repository."),
    ("UNKNOWN_CA", "* Put the queue manager's certificate, or who has signed it, into the client's trust store."),
    ("CERTIFICATE", "* Put the queue manager's certificate, or who has signed it, into the client's trust store."),
)


def offered(hello: bytes) -> list[str]:
    """Return the CipherSpecs of a ClientHello in the client's order; a suite without name in MQ as its number."""
    if len(hello) <= _SESSION or hello[0] != 22 or hello[5] != 1:
        return []
    at = _SESSION + 1 + hello[_SESSION]
    length = int.from_bytes(hello[at : at + 2], "big")
    suites = hello[at + 2 : at + 2 + length]
    numbers = [int.from_bytes(suites[index : index + 2], "big") for index in range(0, len(suites) - 1, 2)]
    return [_NAMES.get(number, f"{number:#06x}") for number in numbers if number not in _SIGNALLING]


def refusal_of(number: str, why: str, text: str, address: str, hello: bytes) -> Refusal:
    """Return the record of a refused client with which no TLS could be agreed on."""
    refused = Refusal(number, MQRC_SSL_INITIALIZATION_ERROR, text)
    refused.address = address
    names = offered(hello)
    more = " ..." if len(names) > _SHOWN_MAX else ""
    came = f"; the client offered {', '.join(names[:_SHOWN_MAX])}{more}" if names else ""
    refused.rule = f"{why}{came}; the queue manager takes TLS 1.2 and 1.3"
    for word, remedy in _REMEDIES:
        if word in why.upper():
            refused.remedies = [remedy]
            break
    return refused
