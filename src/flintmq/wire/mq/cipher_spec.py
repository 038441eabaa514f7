"""CipherSpecs: MQ's names of cipher suites, OpenSSL's names for them, and those that a channel accepts.

SSLCIPH                         accepts
(blank)                         no TLS
ANY_TLS12, ANY_TLS13            any suite of that version
ANY_TLS12_OR_HIGHER             any suite of TLS 1.2 and above
ANY_TLS13_OR_HIGHER             any suite of TLS 1.3 and above
a name of the table below       that suite
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi import distinguished_name
from flintmq.wire.origin import Protection as Protection

#: CipherSpec -> OpenSSL's name.
SUITES: Final = {
    "TLS_AES_128_GCM_SHA256": "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384": "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256": "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE_ECDSA_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE_ECDSA_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE_ECDSA_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE_ECDSA_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE_RSA_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "ECDHE_RSA_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE_RSA_AES_256_CBC_SHA384": "ECDHE-RSA-AES256-SHA384",
    "ECDHE_RSA_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256": "AES256-SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
}

_VERSIONS: Final = {
    "ANY_TLS12": ("TLSv1.2",),
    "ANY_TLS13": ("TLSv1.3",),
    "ANY_TLS12_OR_HIGHER": ("TLSv1.2", "TLSv1.3"),
    "ANY_TLS13_OR_HIGHER": ("TLSv1.3",),
}


def is_known(cipher_spec: str) -> bool:
    """Return whether there is such a CipherSpec."""
    return cipher_spec in SUITES or cipher_spec in _VERSIONS


def accepts(cipher_spec: str, protection: Protection | None) -> bool:
    """Return whether a channel with SSLCIPH(`cipher_spec`) accepts a client with this protection; None: no TLS."""
    if protection is None or not cipher_spec:
        return protection is None and not cipher_spec
    versions = _VERSIONS.get(cipher_spec)
    if versions is not None:
        return protection.version in versions
    return SUITES.get(cipher_spec) == protection.suite


def peer_matches(pattern: str, peer_name: str) -> bool:
    """Return whether the name in a certificate matches SSLPEER."""
    return distinguished_name.matches(pattern, peer_name)
