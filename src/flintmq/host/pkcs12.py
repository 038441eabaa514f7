"""PKCS#12 key repositories, for queue managers and clients: a key, its certificate and the trusted certificates.

The first of these files that exists is used for NAME:

    NAME            the name as given
    NAME.pem        PEM goes first: earlier releases read nothing else
    NAME.p12        PKCS#12
    NAME.pfx        PKCS#12

A CMS key database (NAME.kdb, with its NAME.sth) is IBM's own, and JKS is Java's; for such a name, the others are looked
for without the suffix. The password is given (KEYRPWD, MQKEYRPWD ...), or else the first line of NAME.password, a file
that only its owner may read.

Of several keys, the one with the label (CERTLABL, MQCERTLABL ...) is used: its own, or its certificate's. Without a
label, or with the default label of a queue manager if no key has it, the first key is used.

1. No part of a key or a password is in the text of an error.
2. `ssl` takes a key from a file only: it gets one of mode 0600, encrypted with a password that is used once, and the
   file is removed when `use` returns.
"""

from __future__ import annotations

import os
import secrets
import ssl
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flintmq.host import pkcs12_keys

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12Certificate
    from cryptography.x509 import Certificate

SUFFIXES = (".pem", ".p12", ".pfx")
_PKCS12 = (".p12", ".pfx")
#: CMS and JKS.
_FOREIGN = (".kdb", ".jks")
_PASSWORD = ".password"


class BadRepository(Exception):
    """The key repository cannot be used; the text says why, and how to repair it."""


class Held(NamedTuple):
    """A key with its certificate."""

    key: PrivateKeyTypes
    certificate: Certificate
    #: Its label, "" for none, and the labels that select it: its own, and that of the certificate.
    name: str
    names: tuple[str, str]


@dataclass(frozen=True)
class Repository:
    """Content of a PKCS#12 file."""

    path: Path
    #: PEM: the key, encrypted with `once`, its certificate, and the issuers. b"" if there is no key.
    chain: bytes
    once: bytes
    #: The label of the key, "" for none.
    label: str
    #: PEM: the certificate of the key.
    own: str
    #: PEM: the other certificates, which are trusted.
    trusted: str

    def use(self, context: ssl.SSLContext) -> None:
        """Show the certificate in handshakes of `context`. Raise BadRepository."""
        descriptor, name = tempfile.mkstemp(prefix="flintmq-", suffix=".pem")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.chain)
            context.load_cert_chain(name, password=self.once)
        except (ssl.SSLError, OSError) as error:
            raise BadRepository(f"the key repository {self.path} cannot be used: {error}") from None
        finally:
            os.unlink(name)


def find(path: Path) -> Path | None:
    """Return the file for a name, None if there is none."""
    if not path.name:
        return None
    bases = [path, path.with_suffix("")] if path.suffix.lower() in _FOREIGN else [path]
    for base in bases:
        for each in (base, *(base.with_name(base.name + suffix) for suffix in SUFFIXES)):
            if each.suffix.lower() not in _FOREIGN and os.path.isfile(each):
                return each
    return None


def is_pkcs12(path: Path) -> bool:
    """Return whether a file is PKCS#12, by its name."""
    return path.suffix.lower() in _PKCS12


def password_file(path: Path) -> Path:
    """Return the path of the password file beside a repository."""
    return path.with_suffix(_PASSWORD)


def read(path: Path, password: str, label: str, usual_label: str = "") -> Repository:
    """Read the file, and choose the key with the label `label`. Raise BadRepository."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.serialization import pkcs12
    except ImportError:
        why = "reading PKCS#12 needs the package cryptography: pip install 'flintmq[tls]'"
        raise BadRepository(f"the key repository {path} cannot be used: {why}") from None
    try:
        data = path.read_bytes()
        said = (password or _kept_password(path)).encode()
        found = pkcs12.load_pkcs12(data, said or None)
        certificates = [*([found.cert] if found.cert is not None else []), *found.additional_certs]
        chain, own, name, once = b"", b"", "", secrets.token_hex(32).encode()
        encoding = serialization.Encoding.PEM
        held = _held(data, said, certificates)
        if not held and found.key is not None and found.cert is not None:  # Whatever else it is wrapped in.
            called = (found.cert.friendly_name or b"").decode("utf-8", "replace")
            held.append(Held(found.key, found.cert.certificate, called, (called, called)))
        if held:
            key, certificate, name = _chosen(path, held, label, usual_label)
            own = certificate.public_bytes(encoding)
            protection = serialization.BestAvailableEncryption(once)
            chain = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, protection) + own
            for each in _issuers(certificate, [other.certificate for other in certificates]):
                chain += each.public_bytes(encoding)
        pems = [each.certificate.public_bytes(encoding) for each in certificates]
        others = b"".join(each for each in pems if each != own)
    except OSError as error:
        raise BadRepository(f"the key repository {path} cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadRepository(f"the key repository {path} cannot be used: {_why(path, str(error), bool(said))}") from None
    return Repository(path, chain, once, name, own.decode(), others.decode())


def _held(data: bytes, password: bytes, certificates: list[PKCS12Certificate]) -> list[Held]:
    """Return the keys that have a certificate, with it and the labels of both. Raise ValueError, TypeError."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    der = serialization.Encoding.DER
    by_public_key: dict[bytes, PKCS12Certificate] = {}
    for each in certificates:
        with suppress(ValueError, UnsupportedAlgorithm):  # One that is trusted may have any kind of key.
            by_public_key.setdefault(each.certificate.public_key().public_bytes(der, spki), each)
    held: list[Held] = []
    for bag in pkcs12_keys.keys(data):
        if bag.encrypted and not password:
            continue  # With an empty password, which the package takes for a whole file only.
        key = serialization.load_der_private_key(bag.der, password if bag.encrypted else None)
        certificate = by_public_key.get(key.public_key().public_bytes(der, spki))
        if certificate is not None:
            called = (certificate.friendly_name or b"").decode("utf-8", "replace")
            held.append(Held(key, certificate.certificate, bag.label or called, (bag.label, called)))
    return held


def _chosen(path: Path, held: list[Held], label: str, usual_label: str) -> tuple[PrivateKeyTypes, Certificate, str]:
    """Choose the key by its label. Raise BadRepository."""
    chosen = next((each for each in held if label and label in each.names), None)
    if chosen is None and (not label or label == usual_label):
        chosen = held[0]
    if chosen is None:
        labels = ", ".join(each.name or "(no label)" for each in held)
        raise BadRepository(f"the key repository {path} has no key with the label {label}; those in it: {labels}")
    return chosen.key, chosen.certificate, chosen.name


def _issuers(certificate: Certificate, others: list[Certificate]) -> list[Certificate]:
    """Return the chain of issuers of a certificate, as far as `others` has them, up to a self-signed one."""
    result: list[Certificate] = []
    while certificate.issuer != certificate.subject:
        above = next((each for each in others if each not in result and _signed(each, certificate)), None)
        if above is None:
            break
        result.append(above)
        certificate = above
    return result


def _signed(above: Certificate, certificate: Certificate) -> bool:
    """Return whether `above` signed `certificate`. If that cannot be checked here, assume it; the peer may check."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

    if above.subject != certificate.issuer:
        return False
    try:
        certificate.verify_directly_issued_by(above)
    except InvalidSignature:
        return False
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return True
    return True


def _why(path: Path, said: str, has_password: bool) -> str:
    """Translate an error of the package cryptography."""
    if "password" not in said.lower():
        return f"it is damaged, or not PKCS#12 ({said})"
    if has_password:
        return "the password is wrong, or the file is damaged"
    return f"it needs a password: KEYRPWD, or the file {password_file(path).name} beside it"


def _kept_password(path: Path) -> str:
    """Return the password in the file beside the repository, "" if there is none. Raise BadRepository, OSError."""
    kept = password_file(path)
    try:
        with open(kept, "rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise BadRepository(f"the password of the key repository, {kept}, may be read by others: chmod 600")
            return file.readline().rstrip(b"\r\n").decode()
    except FileNotFoundError:
        return ""
