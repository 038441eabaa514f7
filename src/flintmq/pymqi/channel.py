"""Channel settings of a program in MQCD, MQSCO and MQCNO, as arguments of `flintmq.connect`.

    ChannelName, ConnectionName          channel, conn
    SSLCipherSpec, SSLPeerNamePtr        cipher_spec, ssl_peer
    KeyRepository, CertificateLabel      key_repository, certificate_label     MQSCO; the label may be in MQCD, too
    KeyRepoPassword                      key_repository_password               MQSCO of ibmmq
    HdrCompList, MsgCompList             header_compression, message_compression
    SharingConversations                 sharing, if it is 0
    MQCNO_RECONNECT, _Q_MGR, _DISABLED   reconnect

The rest of a channel is the queue manager's to say, or agreed on when the channel starts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, Final

from flintmq.mqi import constants as mq
from flintmq.mqi.fields import read_text
from flintmq.pymqi.native import check_size
from flintmq.pymqi.opts import MQOpts
from flintmq.pymqi.structures import CD, SCO
from flintmq.wire.mq.compression import NAMES

_UTF8: Final = 1208
#: The versions of MQCD that have it.
_WITH_TLS: Final = 7
_WITH_COMPRESSION: Final = 8
_WITH_SHARING: Final = 9

#: Options of MQCNO, and what `reconnect` is called.
_RECONNECT: Final = (
    (mq.MQCNO_RECONNECT_DISABLED, "no"),
    (mq.MQCNO_RECONNECT_Q_MGR, "qmgr"),
    (mq.MQCNO_RECONNECT, "yes"),
)


def channel_options(cd: bytes, sco: bytes | None, options: int) -> dict[str, Any]:
    """The options of `flintmq.connect` for the bytes of an MQCD, an MQSCO and the options of an MQCNO."""
    definition = CD()
    check_size(cd, definition.get_length(), "MQCD")
    definition.unpack(cd)
    configuration = SCO()
    if sco is not None:
        check_size(sco, configuration.get_length(), "MQSCO")
        configuration.unpack(sco)
    return named_options(definition, configuration, options)


def named_options(cd: MQOpts, sco: MQOpts | None, options: int) -> dict[str, Any]:
    """Return the settings of structures. Those that are not set are left out."""
    said = {"channel": text(cd.ChannelName), "conn": text(cd.ConnectionName), **reconnect_option(options)}
    if cd.Version >= _WITH_TLS:
        said["cipher_spec"] = text(cd.SSLCipherSpec)
        said["ssl_peer"] = _peer(cd)
        said["certificate_label"] = text(cd.CertificateLabel)
    if sco is not None:
        said["key_repository"] = text(sco.KeyRepository)
        said["certificate_label"] = text(sco.CertificateLabel) or said.get("certificate_label", "")
        said["key_repository_password"] = text(getattr(sco, "KeyRepoPassword", b"") or b"")
    if cd.Version >= _WITH_COMPRESSION:
        said["header_compression"], said["message_compression"] = _names(cd.HdrCompList), _names(cd.MsgCompList)
    found: dict[str, Any] = {name: value for name, value in said.items() if value}
    if cd.Version >= _WITH_SHARING and cd.SharingConversations == 0:
        found["sharing"] = 0
    return found


def _names(techniques: Iterable[int]) -> str:
    """A list of compression, as `flintmq.connect` has it; MQCOMPRESS_NONE and the end mark are left out."""
    return ", ".join(NAMES[each] for each in techniques if each > 0 and each in NAMES)


def reconnect_option(options: int) -> dict[str, str]:
    """Whether a lost connection is made again."""
    return next(({"reconnect": word} for option, word in _RECONNECT if options & option), {})


def _peer(cd: MQOpts) -> str:
    """The distinguished name: text, or an address and a length."""
    peer = cd.SSLPeerNamePtr
    if isinstance(peer, int):
        return text(ctypes.string_at(peer, cd.SSLPeerNameLength)) if peer and cd.SSLPeerNameLength > 0 else ""
    return text(peer or b"")


def text(value: bytes | str) -> str:
    """Return a character field without its padding."""
    return value.rstrip() if isinstance(value, str) else read_text(value, _UTF8)
