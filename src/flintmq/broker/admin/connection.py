"""The connection of a broker to its queue manager: the properties of the object QueueManager.

    property                                      keyword of flintmq.connect, and meaning
    channel, conn                                 channel, conn: server-connection channel, "host(port)"
    user                                          user
    passwordFile, passwordVariable                password: a file or an environment variable that has it
    cipherSpec                                    cipher_spec: SSLCIPH of the channel; the connection uses TLS
    keyRepository                                 key_repository: certificates that are trusted, and the broker's own
    keyRepositoryPasswordFile,
    keyRepositoryPasswordVariable                 key_repository_password: of a key repository in PKCS#12
    certificateLabel                              certificate_label: which certificate is the broker's own
    sslPeer                                       ssl_peer: pattern for the name in the queue manager's certificate

Passwords are read whenever a group is assigned to its workers, and are stored nowhere. TLS belongs to a channel: a
queue manager of this machine, without channel and conn, is reached by its local socket, and the properties of TLS have
no effect.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from flintmq.broker.admin.refusal import Refused
from flintmq.client.remote.definition import Definition, Protection, addresses
from flintmq.mqi.call_errors import MQError

#: Properties that are passed on as they are.
_PLAIN: Final = {
    "channel": "channel",
    "conn": "conn",
    "user": "user",
    "cipherSpec": "cipher_spec",
    "keyRepository": "key_repository",
    "certificateLabel": "certificate_label",
    "sslPeer": "ssl_peer",
}
#: Properties that name the source of a password.
_FILES: Final = {"passwordFile": "password", "keyRepositoryPasswordFile": "key_repository_password"}
_VARIABLES: Final = {"passwordVariable": "password", "keyRepositoryPasswordVariable": "key_repository_password"}
PROPERTIES: Final = (*_PLAIN, *_FILES, *_VARIABLES)
_CHANNEL: Final = "X"


def check(broker: str, values: Mapping[str, str]) -> None:
    """Raise Refused if the properties cannot lead to a queue manager. Nothing is connected."""
    for key in values:
        if key not in PROPERTIES:
            raise Refused(8023, "QueueManager", key)
    for file, variable in zip(_FILES, _VARIABLES, strict=True):
        if values.get(file) and values.get(variable):
            raise Refused(8001, f"QueueManager: {file} and {variable} exclude each other")
    repository = values.get("keyRepository", "")
    if repository and not os.path.isabs(repository):
        raise Refused(8001, f"QueueManager: keyRepository is an absolute path, not {repository!r}")
    conn = values.get("conn", "")
    try:
        protection = Protection(values.get("cipherSpec", ""))
        channel = values.get("channel") or _CHANNEL
        Definition("", channel, addresses(conn) if conn else (), protection=protection).checked()
    except MQError as error:
        raise Refused(8001, f"QueueManager: {error}") from None


def arguments(broker: str, values: Mapping[str, str]) -> dict[str, Any]:
    """Return keyword arguments of `flintmq.connect`, with passwords. Raise Refused if one cannot be read."""
    found = {keyword: values[key] for key, keyword in _PLAIN.items() if values.get(key)}
    for key, keyword in _VARIABLES.items():
        variable = values.get(key, "")
        if variable:
            if variable not in os.environ:
                raise Refused(8025, broker, f"the environment variable {variable} is not set")
            found[keyword] = os.environ[variable]
    for key, keyword in _FILES.items():
        file = values.get(key, "")
        if file and keyword not in found:
            try:
                found[keyword] = Path(file).read_text("utf-8").rstrip("\r\n")
            except (OSError, ValueError) as error:
                raise Refused(8025, broker, f"the password file {file} cannot be read: {error}") from None
    return found
