"""The client channel definition table (CCDT) in JSON: the channels to a queue manager, and their order.

    {"channel": [{"name": "DEV.APP.SVRCONN", "type": "clientConnection",
                  "clientConnection": {"connection": [{"host": "h", "port": 1414}], "queueManager": "QM1"},
                  "connectionManagement": {"clientWeight": 0, "affinity": "none", "heartbeatInterval": 300,
                                           "defaultReconnect": "no", "sharingConversations": 10},
                  "compression": {"header": ["system"], "message": ["zlibfast", "rle"]},
                  "transmissionSecurity": {"cipherSpecification": "...", "certificateLabel": "",
                                           "certificatePeerName": ""}}]}

Entries for connect(name):

    QM1     those with queueManager QM1; the queue manager must have this name
    *GRP    those with queueManager GRP; the queue manager may have any name
    blank   those with a blank queueManager; any name. A name that is only `*` selects them too

Order: clientWeight 0 first, by name; then the others by chance, one with weight 10 twice as often first as one with
weight 5. With affinity "preferred" a process makes that choice once; with "none" for each connection.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flintmq.client.remote.definition import PORT, Address, Protection, techniques
from flintmq.mqi.call_errors import MQError, error_of
from flintmq.mqi.reason import MQRC_CHANNEL_CONFIG_ERROR

_RECONNECT = {"no": "no", "yes": "yes", "queueManager": "qmgr", "disabled": "disabled"}
_fixed = random.Random()
_PROCESS_SEED = _fixed.random()


@dataclass(frozen=True)
class Entry:
    """One client-connection channel of the table."""

    name: str
    q_mgr_name: str
    addresses: tuple[Address, ...]
    weight: int = 0
    preferred: bool = True
    heartbeat_s: int = 300
    reconnect: str = ""
    cipher_spec: str = ""
    certificate_label: str = ""
    peer: str = ""
    sharing: int = 1
    header_compression: tuple[int, ...] = ()
    message_compression: tuple[int, ...] = ()

    def protection(self, given: Protection) -> Protection:
        """Return the TLS settings of the channel; those in `given` have precedence."""
        return Protection(
            given.cipher_spec or self.cipher_spec,
            given.key_repository,
            given.certificate_label or self.certificate_label,
            given.peer or self.peer,
            given.key_repository_password,
            given.outbound_name,
        )


def read(path: Path) -> list[Entry]:
    """Return the client-connection channels of a table. Raise MQError (2539), which names the place of the error."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _wrong(path, error.strerror or str(error)) from None
    except ValueError as error:
        raise _wrong(path, f"it is not JSON: {error}") from None
    channels = table.get("channel") if isinstance(table, dict) else None
    if not isinstance(channels, list):
        raise _wrong(path, 'it has no "channel" list')
    found: list[Entry] = []
    for number, each in enumerate(channels, 1):
        if isinstance(each, dict) and each.get("type", "clientConnection") == "clientConnection":
            try:
                found.append(_entry(each))
            except (TypeError, ValueError, KeyError, AttributeError) as error:
                name = each.get("name", "")
                raise _wrong(path, f"channel {number} {name!r}: {type(error).__name__} {error}") from None
    return found


def _entry(channel: dict[str, Any]) -> Entry:
    client = channel.get("clientConnection") or {}
    management = channel.get("connectionManagement") or {}
    security = channel.get("transmissionSecurity") or {}
    compression = channel.get("compression") or {}
    places = tuple(Address(str(each["host"]), _port(each.get("port", PORT))) for each in client["connection"])
    if not places:
        raise ValueError("it has no connection")
    reconnect = management.get("defaultReconnect", "")
    return Entry(
        str(channel["name"]),
        str(client.get("queueManager", "")).strip(),
        places,
        int(management.get("clientWeight", 0)),
        management.get("affinity", "preferred") != "none",
        int(management.get("heartbeatInterval", 300)),
        _RECONNECT[reconnect] if reconnect else "",
        str(security.get("cipherSpecification", "")),
        str(security.get("certificateLabel", "")),
        str(security.get("certificatePeerName", "")),
        int(management.get("sharingConversations", 1)),
        techniques(",".join(map(str, compression.get("header") or ())), True),
        techniques(",".join(map(str, compression.get("message") or ())), False),
    )


def _port(value: Any) -> int:
    port = int(value)
    if not 0 < port < 65536:
        raise ValueError(f"port is 1 to 65535, not {port}")
    return port


def _wrong(path: Path, what: str) -> MQError:
    return error_of(MQRC_CHANNEL_CONFIG_ERROR, f"the channel definition table {path}: {what}")


def choose(entries: list[Entry], name: str) -> list[Entry]:
    """Return the entries for connect(name), in the order of attempts."""
    wanted = name.removeprefix("*").strip()
    fitting = [each for each in entries if each.q_mgr_name == wanted]
    first = sorted((each for each in fitting if each.weight <= 0), key=lambda each: each.name)
    rest = sorted((each for each in fitting if each.weight > 0), key=lambda each: each.name)
    chance = random.Random(_PROCESS_SEED) if all(each.preferred for each in rest) else random.Random()
    while rest:
        chosen = chance.choices(rest, [each.weight for each in rest])[0]
        rest.remove(chosen)
        first.append(chosen)
    return first
