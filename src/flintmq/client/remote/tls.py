"""TLS of a client: the context for a CipherSpec, and the check of the agreed cipher and certificate.

The key repository is a file in PEM or PKCS#12, with or without its suffix (host/pkcs12.py has the order of the search):
trusted certificates, and, for a channel with SSLCAUTH(REQUIRED), our private key and certificate. `trusted.pem` beside
it is trusted too, as at the server. Without a key repository the system's certificates are trusted. The subject of the
certificate is checked by `ssl_peer`, as MQ does; the name of the host is not checked.

The handshake names the channel, so that the queue manager can show the certificate of the channel's CERTLABL;
OutboundSNI in mqclient.ini makes it name the host, or nothing (wire/mq/server_name.py).

    certificate_label    with PEM, another file beside it, `<label>.pem`, has the key and certificate to show
                         with PKCS#12, the label of the key in it
"""

from __future__ import annotations

import ssl
from pathlib import Path

from flintmq.client.remote.definition import Protection
from flintmq.client.remote.refusal import refused
from flintmq.host import pkcs12
from flintmq.mqi import distinguished_name
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.reason import (
    MQRC_KEY_REPOSITORY_ERROR,
    MQRC_SSL_INITIALIZATION_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
)
from flintmq.wire.mq.cipher_spec import SUITES, accepts, peer_matches
from flintmq.wire.mq.cipher_spec import Protection as Agreed
from flintmq.wire.mq.server_name import name_of

TRUSTED = "trusted.pem"
_SUFFIX = ".pem"


def server_name(protection: Protection, channel: str, host: str) -> str:
    """Return the server name of the handshake; "" for none."""
    if protection.outbound_name == "CHANNEL":
        return name_of(channel)
    return host if protection.outbound_name else ""


def context(protection: Protection, where: str) -> ssl.SSLContext:
    """Return the context of a handshake. Raise MQError (2381, 2393)."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    spec = protection.cipher_spec
    suite = SUITES.get(spec, "")
    if spec.startswith("ANY_TLS13") or suite.startswith("TLS_"):
        made.minimum_version = ssl.TLSVersion.TLSv1_3
    elif spec == "ANY_TLS12" or suite:
        made.maximum_version = ssl.TLSVersion.TLSv1_2
    if suite and not suite.startswith("TLS_"):
        made.set_ciphers(suite)
    if not protection.key_repository:
        made.load_default_certs()
        return made
    path = _repository(protection.key_repository, where)
    if pkcs12.is_pkcs12(path):
        _load_pkcs12(made, path, protection, where)
        return made
    try:
        made.load_verify_locations(path)
        trusted = path.with_name(TRUSTED)
        if trusted.exists():
            made.load_verify_locations(trusted)
        own = path.with_name(protection.certificate_label + _SUFFIX) if protection.certificate_label else path
        if protection.certificate_label and not own.exists():
            text = f"there is no certificate {own} for the label {protection.certificate_label}"
            raise refused(MQRC_KEY_REPOSITORY_ERROR, where, text)
        if b"PRIVATE KEY" in own.read_bytes():
            made.load_cert_chain(own)
    except (ssl.SSLError, OSError) as error:
        text = f"the key repository {path} cannot be used: {error}"
        raise refused(MQRC_KEY_REPOSITORY_ERROR, where, text) from None
    return made


def _repository(name: str, where: str) -> Path:
    """Return the file of the key repository. Raise MQError."""
    path = Path(name).expanduser()
    found = pkcs12.find(path) or (pkcs12.find(path.with_suffix(_SUFFIX)) if path.name else None)
    if found is not None:
        return found
    hint = "; export it to PKCS#12" if path.exists() else ""
    raise refused(MQRC_KEY_REPOSITORY_ERROR, where, f"there is no key repository {path} in PEM or PKCS#12{hint}")


def _load_pkcs12(made: ssl.SSLContext, path: Path, protection: Protection, where: str) -> None:
    """Trust the certificates in the file, and show the certificate of the key, if there is one."""
    try:
        repository = pkcs12.read(path, protection.key_repository_password, protection.certificate_label)
        if repository.chain:
            repository.use(made)
        elif protection.certificate_label:
            text = f"the key repository {path} has no private key: none with the label {protection.certificate_label}"
            raise pkcs12.BadRepository(text)
        if repository.own or repository.trusted:
            made.load_verify_locations(cadata=repository.own + repository.trusted)
        trusted = path.with_name(TRUSTED)
        if trusted.exists():
            made.load_verify_locations(trusted)
    except pkcs12.BadRepository as error:
        raise refused(MQRC_KEY_REPOSITORY_ERROR, where, str(error)) from None
    except (ssl.SSLError, OSError) as error:
        text = f"the key repository {path} cannot be used: {error}"
        raise refused(MQRC_KEY_REPOSITORY_ERROR, where, text) from None


def check(
    protection: Protection, suite: tuple[str, str, int] | None, version: str | None, peer: object, where: str
) -> None:
    """Raise MQError unless the agreed cipher matches the CipherSpec, and the certificate the peer name (2393, 2398)."""
    name = distinguished_name.in_certificate(peer, "subject")
    agreed = Agreed(suite[0] if suite is not None else "", version or "", name)
    if not accepts(protection.cipher_spec, agreed):
        text = f"{agreed.suite} of {agreed.version} was agreed on, not {protection.cipher_spec}"
        raise refused(MQRC_SSL_INITIALIZATION_ERROR, where, text)
    if protection.peer and not peer_matches(protection.peer, name):
        raise refused(MQRC_SSL_PEER_NAME_MISMATCH, where, f"SSLPEER({protection.peer}) is wanted, and it is {name}")


def failed(error: ssl.SSLError, where: str) -> MQError:
    """Return the error of a handshake."""
    said = getattr(error, "verify_message", "") or error.reason or str(error)
    return refused(MQRC_SSL_INITIALIZATION_ERROR, where, f"the TLS handshake failed: {said}")
