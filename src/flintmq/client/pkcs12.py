"""PKCS#12 key repositories, for the queue manager and for clients: a key, its certificate and those that are trusted.

Which file is meant by a name, the first that is there:

    NAME            as it is said
    NAME.pem        what has always been read goes first
    NAME.p12        PKCS#12
    NAME.pfx        PKCS#12

A CMS key database (NAME.kdb, with its NAME.sth) is IBM's own, and JKS is Java's; if such a name is said, the others are
looked for without the suffix. The password is what is said (KEYRPWD, MQKEYRPWD ...), else the first line of
NAME.password, a file that only its owner may read.

1. Nothing of a key or a password is in the text of an error.
2. `ssl` takes a key from a file only: it gets one of mode 0600, encrypted with a password that is used once, and the
   file is gone when `use` returns.
"""

from __future__ import annotations

import os
import secrets
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".pem", ".p12", ".pfx")
_PKCS12 = (".p12", ".pfx")
#: CMS and JKS.
_FOREIGN = (".kdb", ".jks")
_PASSWORD = ".password"


class BadRepository(Exception):
    """The key repository cannot be used; the text says why, and what to do."""


@dataclass(frozen=True)
class Repository:
    """What is in a PKCS#12 file."""

    path: Path
    #: PEM: the key, encrypted with `once`, its certificate, and the others. b"" if there is no key.
    chain: bytes
    once: bytes
    #: What the key is called, "" for nothing.
    label: str
    #: PEM: the certificate of the key.
    own: str
    #: PEM: the other certificates, which are trusted.
    trusted: str

    def use(self, context: ssl.SSLContext) -> None:
        """Show the certificate in handshakes of `context`. Raises BadRepository."""
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
    """The file that is meant, None if there is none."""
    if not path.name:
        return None
    bases = [path, path.with_suffix("")] if path.suffix.lower() in _FOREIGN else [path]
    for base in bases:
        for each in (base, *(base.with_name(base.name + suffix) for suffix in SUFFIXES)):
            if each.suffix.lower() not in _FOREIGN and os.path.isfile(each):
                return each
    return None


def is_pkcs12(path: Path) -> bool:
    """Whether it is not PEM, by its name."""
    return path.suffix.lower() in _PKCS12


def password_file(path: Path) -> Path:
    """Where the password may be."""
    return path.with_suffix(_PASSWORD)


def read(path: Path, password: str, label: str, usual_label: str = "") -> Repository:
    """What is in the file. Its key must be called `label`, if that is not "" or the usual one. Raises BadRepository."""
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
        encoding = serialization.Encoding.PEM
        own = found.cert.certificate.public_bytes(encoding) if found.cert is not None else b""
        others = b"".join(each.certificate.public_bytes(encoding) for each in found.additional_certs)
        chain, once = b"", secrets.token_hex(32).encode()
        if found.key is not None and own:
            protection = serialization.BestAvailableEncryption(once)
            chain = found.key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, protection) + own + others
    except OSError as error:
        raise BadRepository(f"the key repository {path} cannot be read: {error.strerror or error}") from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadRepository(f"the key repository {path} cannot be used: {_why(path, str(error), bool(said))}") from None
    name = (found.cert.friendly_name or b"").decode("utf-8", "replace") if found.cert is not None else ""
    if chain and label and label not in (name, usual_label):
        called = f"is called {name}" if name else "has no label"
        text = f"the key repository {path} has no key with the label {label}: the first key in it {called}"
        raise BadRepository(text)
    return Repository(path, chain, once, name, own.decode(), others.decode())


def _why(path: Path, said: str, has_password: bool) -> str:
    """What is wrong with the file, from what the package says of it."""
    if "password" not in said.lower():
        return f"it is damaged, or not PKCS#12 ({said})"
    if has_password:
        return "the password is wrong, or the file is damaged"
    return f"it needs a password: KEYRPWD, or the file {password_file(path).name} beside it"


def _kept_password(path: Path) -> str:
    """The password in the file beside the repository, "" if there is none. Raises BadRepository, OSError."""
    kept = password_file(path)
    try:
        with open(kept, "rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise BadRepository(f"the password of the key repository, {kept}, may be read by others: chmod 600")
            return file.readline().rstrip(b"\r\n").decode()
    except FileNotFoundError:
        return ""
