"""The secrets of a queue manager with files: AES-GCM, under a key in a separate file.

The file is `secret.key` in the directory of the queue manager, mode 0600. It is made with the first secret:

    offset  field    type     value
         0  magic    8 bytes  "FLINTKEY"
         8  version  u4       1
        12  key      32       random
        44  crc      u4       CRC-32 of the bytes before it

A sealed secret is text: SEALED, then in base64 the nonce (12 bytes) and the output of AES-256-GCM. The name of the
queue manager and the keyword are authenticated with it: it is of no use in another place.

1. It protects copies that leave the machine without the file: logs, archived logs, page sets, dumps. It does not
   protect from users that may read the file, as the queue manager itself must.
2. A text that is not sealed is a secret of an earlier release; it is opened as it is, and sealed by the next ALTER.
3. Without the package cryptography nothing is sealed; nor is there a use for a password then.
4. Neither key nor secret is in the text of an error.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import struct
import zlib
from pathlib import Path

from flintmq.host import ini
from flintmq.qmgr.calls import Vault, VaultError

KEY_FILE = "secret.key"
#: No typed password begins so.
SEALED = "\x01FLINTMQ sealed 1:"
MAGIC = b"FLINTKEY"
VERSION = 1
KEY_SIZE = 32
NONCE_SIZE = 12
_LAYOUT = struct.Struct(f">8sI{KEY_SIZE}s")
_CRC = struct.Struct(">I")
SIZE = _LAYOUT.size + _CRC.size
assert SIZE == 48


class FileVault(Vault):
    """A vault with its key in the file `path`."""

    def __init__(self, path: Path, q_mgr_name: str) -> None:
        self._path = path
        self._name = q_mgr_name

    def seal(self, keyword: str, value: str) -> str:
        if value.startswith(SEALED):
            return value
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            return value
        try:
            key = self._key() if self._path.exists() else self._make()
        except OSError as error:
            raise VaultError(f"{keyword} cannot be kept: {self._path}: {error.strerror or error}") from None
        nonce = secrets.token_bytes(NONCE_SIZE)
        sealed = AESGCM(key).encrypt(nonce, value.encode(), self._place(keyword))
        return SEALED + base64.b64encode(nonce + sealed).decode()

    def open(self, keyword: str, kept: str) -> str:
        if not kept.startswith(SEALED):
            return kept
        again = f"set it again: ALTER QMGR {keyword}"
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError:
            text = f"{keyword} needs the package cryptography to be read: pip install 'flintmq[tls]'"
            raise VaultError(text) from None
        try:
            sealed = base64.b64decode(kept[len(SEALED) :], validate=True)
            opened = AESGCM(self._key()).decrypt(sealed[:NONCE_SIZE], sealed[NONCE_SIZE:], self._place(keyword))
            return opened.decode()
        except OSError as error:
            text = (
                f"{keyword} cannot be read without {self._path} ({error.strerror or error}): bring it back, or {again}"
            )
            raise VaultError(text) from None
        except (InvalidTag, binascii.Error, ValueError):
            text = f"{keyword} was not sealed with the key in {self._path}: bring the right one back, or {again}"
            raise VaultError(text) from None

    def _place(self, keyword: str) -> bytes:
        return f"{self._name}\0{keyword}".encode()

    def _key(self) -> bytes:
        """Read the key. Raise VaultError, OSError."""
        with open(self._path, "rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise VaultError(f"the key of secrets, {self._path}, may be read by others: chmod 600")
            data = file.read(SIZE + 1)
        if len(data) != SIZE or _CRC.unpack(data[-_CRC.size :])[0] != zlib.crc32(data[: -_CRC.size]):
            raise VaultError(f"the key of secrets, {self._path}, is damaged: bring back a copy of it, or remove it")
        magic, version, key = _LAYOUT.unpack(data[: _LAYOUT.size])
        if magic != MAGIC or version != VERSION:
            text = f"the key of secrets, {self._path}, is of version {version}; this release reads {VERSION}"
            raise VaultError(text)
        return bytes(key)

    def _make(self) -> bytes:
        """Make a new key. It is on disk before anything is sealed with it. Raise OSError."""
        key = secrets.token_bytes(KEY_SIZE)
        data = _LAYOUT.pack(MAGIC, VERSION, key)
        unfinished = self._path.with_name(KEY_FILE + ".new")
        unfinished.unlink(missing_ok=True)
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data + _CRC.pack(zlib.crc32(data)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, self._path)
        ini.sync_directory(self._path.parent)
        return key
