"""Settings from outside of the program: the environment, mqclient.ini and the channel definition table.

`connect` uses the first channel that is there:

    channel= and conn=                                  arguments of the program
    MQSERVER=DEV.APP.SVRCONN/TCP/host(1414)             the environment
    MQCCDTURL=file:///path/ccdt.json                    a table: the URL, or directory and file
      MQCHLLIB, MQCHLTAB
    CHANNELS: ServerConnectionParms=...                 mqclient.ini, as MQSERVER
      ChannelDefinitionDirectory, ChannelDefinitionFile
    the local socket of the queue manager               local.py

mqclient.ini is the file that MQCLNTCF names, or the first of that name in the working directory, the data directory and
the home directory. It is read for:

    CHANNELS:  ServerConnectionParms, ChannelDefinitionDirectory, ChannelDefinitionFile, DefRecon, ReconDelay,
               MQReconnectTimeout
    TCP:       Connect_Timeout (seconds)
    SSL:       SSLKeyRepository, SSLKeyRepositoryPassword, CertificateLabel, OutboundSNI (CHANNEL, HOSTNAME),
               AllowOutboundSNI (NO: neither)
    MessageBuffer:  MaximumSize (kilobytes that are read ahead for an open queue; -1 for the default of the client)
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from flintmq.client.lazy import lazy
from flintmq.client.remote.definition import DELAYS, RECONNECT_TIMEOUT_S, Address, addresses, shown_without
from flintmq.host.environment import data_place, home
from flintmq.mqi.call_errors import MQError, error_of
from flintmq.mqi.reason import MQRC_CHANNEL_CONFIG_ERROR

if TYPE_CHECKING:
    from pathlib import Path

    from flintmq.host import ini
else:
    ini = lazy("flintmq.host.ini")  # Only a file needs it.

FILE = "mqclient.ini"
_JSON = "ccdt.json"


class Settings(NamedTuple):
    """Settings of the environment and mqclient.ini."""

    #: CHANNEL/TCP/host(port), or "".
    server: str = ""
    table: Path | None = None
    reconnect: str = "no"
    delays: tuple[tuple[int, int], ...] = DELAYS
    reconnect_timeout_s: float = RECONNECT_TIMEOUT_S
    connect_timeout_s: float = 0.0
    key_repository: str = ""
    certificate_label: str = ""
    application: str = ""
    key_repository_password: str = ""
    #: Bytes that are read ahead; 0 for the client's default.
    room: int = 0
    #: CHANNEL, HOSTNAME, or "" for nothing.
    outbound_name: str = "CHANNEL"

    def __repr__(self) -> str:
        return shown_without(self, "key_repository_password")


def settings() -> Settings:
    """Read the settings. Raise MQError for a file that cannot be read."""
    environment = os.environ
    stanzas = _stanzas()
    channels, tcp, security = (_Values(stanzas, name) for name in ("CHANNELS", "TCP", "SSL"))
    table = _table(environment.get("MQCCDTURL", ""), environment.get("MQCHLLIB", ""), environment.get("MQCHLTAB", ""))
    server = environment.get("MQSERVER", "")
    if not server and table is None:
        server = channels.get("ServerConnectionParms")
        if not server:
            table = _table("", channels.get("ChannelDefinitionDirectory"), channels.get("ChannelDefinitionFile"))
    return Settings(
        server,
        None if server else table,
        _reconnect(channels.get("DefRecon")),
        _delays(channels.get("ReconDelay")),
        _number(channels.get("MQReconnectTimeout"), RECONNECT_TIMEOUT_S, "MQReconnectTimeout"),
        _number(tcp.get("Connect_Timeout"), 0.0, "Connect_Timeout"),
        environment.get("MQSSLKEYR", "") or security.get("SSLKeyRepository"),
        environment.get("MQCERTLABL", "") or security.get("CertificateLabel"),
        environment.get("MQAPPLNAME", ""),
        environment.get("MQKEYRPWD", "") or security.get("SSLKeyRepositoryPassword"),
        _room(_Values(stanzas, "MESSAGEBUFFER").get("MaximumSize")),
        _outbound_name(environment.get("MQOUTBOUND_SNI", ""), security),
    )


def read_server(text: str) -> tuple[str, tuple[Address, ...]]:
    """Return (channel, addresses) of MQSERVER. Raise MQError (2539)."""
    channel, slash, rest = text.partition("/")
    transport, second, conn = rest.partition("/")
    if not slash or not second or transport.strip().upper() != "TCP" or not channel.strip():
        raise wrong(f"MQSERVER is written CHANNEL/TCP/host(port), not {text!r}")
    return channel.strip(), addresses(conn)


def wrong(text: str) -> MQError:
    """Return the error for a setting that cannot be used."""
    return error_of(MQRC_CHANNEL_CONFIG_ERROR, text)


# -- mqclient.ini -----------------------------------------------------------------------------------------------------


def ini_path() -> Path | None:
    """Return the mqclient.ini in use, None if there is none."""
    named = os.environ.get("MQCLNTCF", "")
    if named:
        return _path(named.removeprefix("file://"))
    for directory in (os.getcwd, data_place, home):
        with suppress(OSError, RuntimeError):  # The working directory was removed; there is no home.
            place = os.path.join(directory(), FILE)
            if os.path.isfile(place):
                return _path(place)
    return None


def _path(place: str) -> Path:
    """Return a path. `pathlib` is imported here: a client with an explicit address does not need it."""
    from pathlib import Path

    return Path(place)


def _stanzas() -> list[ini.Stanza]:
    path = ini_path()
    if path is None:
        return []
    try:
        return ini.parse(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise wrong(f"{path}: {error.strerror or error}") from None
    except (ini.IniError, UnicodeDecodeError) as error:
        raise wrong(str(error)) from None


class _Values:
    """The keys of all stanzas of one name."""

    def __init__(self, stanzas: list[ini.Stanza], name: str) -> None:
        self._stanzas = [each for each in stanzas if each.name.upper() == name]

    def get(self, key: str) -> str:
        """Return the last value of `key`, "" without one."""
        found = ""
        for each in self._stanzas:
            found = each.get(key, found)
        return found


def _number(text: str, otherwise: float, what: str) -> float:
    if not text:
        return otherwise
    if not text.isascii() or not text.isdigit():
        raise wrong(f"{what} is a number of seconds, not {text!r}")
    return float(text)


def _room(text: str) -> int:
    """Return MaximumSize in bytes."""
    size = text.strip()
    if size in ("", "-1"):
        return 0
    if not size.isascii() or not size.isdigit() or not 1 <= int(size) <= 999_999:
        raise wrong(f"MaximumSize is a number of kilobytes from 1 to 999999, or -1, not {text!r}")
    return int(size) * 1024


def _outbound_name(said: str, security: _Values) -> str:
    """Return the value of OutboundSNI, or of the older AllowOutboundSNI. Another word is the default, as in MQ."""
    for word in (said, security.get("OutboundSNI")):
        if word.strip().upper() in ("CHANNEL", "HOSTNAME"):
            return word.strip().upper()
    return "" if security.get("AllowOutboundSNI").strip().upper() in ("NO", "N") else "CHANNEL"


def _reconnect(text: str) -> str:
    words = {"": "no", "NO": "no", "YES": "yes", "QMGR": "qmgr", "DISABLED": "disabled"}
    word = words.get(text.strip().upper())
    if word is None:
        raise wrong(f"DefRecon is NO, YES, QMGR or DISABLED, not {text!r}")
    return word


def _delays(text: str) -> tuple[tuple[int, int], ...]:
    """Read (1000,200)(2000,200): for each attempt a fixed and a random delay in milliseconds."""
    if not text.strip():
        return DELAYS
    found = re.findall(r"\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)", text)
    if not found or re.sub(r"\(\s*\d+\s*(?:,\s*\d+\s*)?\)|[\s,]", "", text):
        raise wrong(f"ReconDelay is written (delay,random)(delay,random) in milliseconds, not {text!r}")
    return tuple((int(delay), int(chance or 0)) for delay, chance in found)


# -- where the table is -----------------------------------------------------------------------------------------------


def table_path(url: str, file: str = "") -> Path:
    """Return the table that a URL names; `file` is its name in a directory. Raise MQError (2539)."""
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise wrong(f"the table of channels (MQCCDTURL, CCDTUrl) is a file: URL here, not {url!r}")
    path = _path(unquote(parts.path))
    return path / (file or _JSON) if path.is_dir() else path


def _table(url: str, directory: str, file: str) -> Path | None:
    """Return the channel definition table that is named, None if there is none."""
    if url:
        return table_path(url, file)
    if not directory and not file:
        return None
    return _path(directory.removeprefix("file://") or ".") / (file or _JSON)
