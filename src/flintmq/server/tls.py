"""The key repository of the queue manager: keys and certificates for TLS (tls_layer.py).

A listener takes clients with and without TLS: the first byte tells them apart. Whether a channel wants TLS, and which,
is looked at when the client has named it (wire/mq/cipher_spec.py).

The key repository is SSLKEYR of the queue manager, with or without its suffix, relative to its directory, or `ssl/key`
there (host/pkcs12.py says which file is meant). Files are read again when they change.

    PEM        the queue manager's private key, its certificate and those that signed it
    PKCS#12    the same; of several keys that with the label CERTLABL, or the first if that is the usual label and none
               is called so. The other certificates in it may sign those of clients; the password is KEYRPWD, or in a
               file beside it

A channel with CERTLABL has a certificate of its own. The client names its channel when TLS begins, as MQ's do
(wire/mq/server_name.py), and is shown that one; a client that names none is shown the queue manager's, and is refused
when it then asks for that channel (AMQ9673E). The label is the name of the key in PKCS#12; with PEM, it means the
file `<label>.pem` beside the key repository.

More certificates of trusted issuers of clients' certificates are in `trusted.pem` beside it. If there are none at all,
no client is asked for a certificate.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable
from pathlib import Path

from flintmq.host import pkcs12
from flintmq.host.vault import KEY_FILE
from flintmq.mqi import distinguished_name
from flintmq.qmgr.calls import Calls, VaultError
from flintmq.server.tls_layer import TlsLayer
from flintmq.wire.mq import server_name
from flintmq.wire.mq.cipher_spec import Protection

DEFAULT = "ssl/key"
TRUSTED = "trusted.pem"
USUAL_LABEL = "ibmwebspheremq"
_PEM = ".pem"
_TRY_AGAIN_S = 1.0


class NoKey(Exception):
    """TLS cannot be used; the text has the reason."""


class KeyContext(ssl.SSLContext):
    """The context of handshakes that show one certificate."""

    #: The label of its key.
    label = ""


class _Made:
    """A context, or the reason why there is none. So an unusable file is read once, not for each handshake."""

    context: KeyContext | None = None
    why = ""

    def __init__(self, made_from: tuple[object, ...], now_s: float) -> None:
        self.made_from = made_from
        self.tried_s = now_s


class KeyRepository:
    """The keys and certificates of the queue manager and its channels."""

    def __init__(self, engine: Calls, directory: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._directory = directory
        self._clock = clock
        #: By the CERTLABL of channels; "" is the queue manager's.
        self._made: dict[str, _Made] = {}
        #: Why the last handshake had no certificate for the channel that the client named.
        self.trouble = ""

    def context(self, channel_label: str = "") -> KeyContext:
        """Return the context for handshakes of channels with this CERTLABL. Raises NoKey."""
        q_mgr = self._engine.definition()
        said = self._directory / (q_mgr.text("SSLKEYR") or DEFAULT)
        path = pkcs12.find(said)
        if path is None:
            names = ", ".join(said.name + suffix for suffix in pkcs12.SUFFIXES)
            raise NoKey(f"there is no key repository {said} ({names})")
        password, label = q_mgr.text("KEYRPWD"), channel_label or q_mgr.text("CERTLABL")
        trusted = path.with_name(TRUSTED)
        own = _labelled(path, channel_label) if channel_label and not pkcs12.is_pkcs12(path) else path
        files = (path, own, trusted, pkcs12.password_file(path), self._directory / KEY_FILE)
        made_from = (path, password, label, *(_stamp(each) for each in files))
        made, now_s = self._made.get(channel_label), self._clock()
        if made is not None and made.context is None and now_s - made.tried_s >= _TRY_AGAIN_S:
            made = None
        if made is None or made.made_from != made_from:
            made = self._made[channel_label] = _Made(made_from, now_s)
            try:
                usual = "" if channel_label else USUAL_LABEL + self._engine.name.lower()
                made.context = self._read(own, self._engine.vault.open("KEYRPWD", password), label, usual, trusted)
                if not channel_label:
                    made.context.sni_callback = self._named
            except (NoKey, VaultError) as error:
                made.why = str(error)
        if made.context is None:
            raise NoKey(made.why)
        return made.context

    def _read(self, path: Path, password: str, label: str, usual: str, trusted: Path) -> KeyContext:
        if pkcs12.is_pkcs12(path):
            context = _context_of_pkcs12(path, password, label, usual)
        else:
            context = _context_of_pem(path)
        context.label = label
        _trust(context, trusted)
        return context

    def _named(self, tls: ssl.SSLObject, name: str, context: ssl.SSLContext) -> int | None:
        """Select the context for the channel that a client names in its handshake. Return an alert, or None."""
        channel = server_name.channel_of(name or "")
        definition = self._engine.catalogue.find("CHANNEL", channel) if channel else None
        label = definition.text("CERTLABL") if definition is not None else ""
        if not label or (isinstance(context, KeyContext) and label == context.label):
            return None
        try:
            tls.context = self.context(label)
        except NoKey as error:
            self.trouble = f"channel {channel} has CERTLABL({label}), and {error}"
            return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
        return None


def _labelled(path: Path, label: str) -> Path:
    """Return the file of a label beside a PEM key repository. Raises NoKey for a label that is a path."""
    if label != Path(label).name or "\0" in label:
        raise NoKey(f"the label {label!r} cannot be the name of a file beside {path}")
    return path.with_name(label + _PEM)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_ctime_ns, state.st_ino  # A change of its mode counts, too.


def _new_context() -> KeyContext:
    context = KeyContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+AES:RSA+AESGCM:RSA+AES:!SHA1:!aNULL:!eNULL")
    return context


def _context_of_pem(path: Path) -> KeyContext:
    context = _new_context()
    try:
        context.load_cert_chain(path)
    except (ssl.SSLError, OSError) as error:
        raise NoKey(f"the key repository {path} cannot be used: {error}") from None
    return context


def _context_of_pkcs12(path: Path, password: str, label: str, usual_label: str) -> KeyContext:
    context = _new_context()
    try:
        repository = pkcs12.read(path, password, label, usual_label)
        if not repository.chain:
            raise NoKey(f"the key repository {path} has no private key with its certificate: export both into it")
        repository.use(context)
        if repository.trusted:
            context.load_verify_locations(cadata=repository.trusted)
            context.verify_mode = ssl.CERT_OPTIONAL
    except pkcs12.BadRepository as error:
        raise NoKey(str(error)) from None
    except ssl.SSLError as error:
        raise NoKey(f"the key repository {path} cannot be used: {error}") from None
    return context


def _trust(context: ssl.SSLContext, trusted: Path) -> None:
    """Ask clients for certificates, if trusted issuers are given."""
    try:
        if trusted.exists():
            context.load_verify_locations(trusted)
            context.verify_mode = ssl.CERT_OPTIONAL
    except (ssl.SSLError, OSError) as error:
        raise NoKey(f"{trusted} beside the key repository cannot be used: {error}") from None


def protection(tls: TlsLayer) -> Protection:
    """Return the protection that client and server have agreed on."""
    made = tls.made
    cipher = made.cipher()
    assert cipher is not None
    shown = made.getpeercert()
    subject = distinguished_name.in_certificate(shown, "subject")
    issuer = distinguished_name.in_certificate(shown, "issuer")
    context = made.context
    label = context.label if isinstance(context, KeyContext) else ""
    return Protection(cipher[0], made.version() or "", subject, issuer, label)
