"""A key and a self-signed certificate for the TLS channels of a run, valid for a few days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

_DAYS = 7


def make(directory: Path, server: Path) -> str:
    """Write the queue manager's key to `server` and the certificate to `directory`; return the path for clients.

    Return "" where the package `cryptography` is not installed: then there is no TLS in this run.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import rsa
    except ImportError:
        return ""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "flint perf")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    server.mkdir(exist_ok=True)
    path = server / "key.pem"
    path.touch(mode=0o600)
    path.write_bytes(private + public)
    trusted = directory / "perf.pem"
    trusted.write_bytes(public)
    return str(trusted)
