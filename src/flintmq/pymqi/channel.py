"""What a program says of its channel, in MQCD and MQSCO, as `flintmq.connect` wants to hear it."""

from __future__ import annotations

from typing import Any

from flintmq.mqi.fields import read_text
from flintmq.pymqi.native import check_size
from flintmq.pymqi.opts import Structure
from flintmq.pymqi.structures import CD, SCO

_UTF8 = 1208


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


def named_options(cd: Structure, sco: Structure | None, options: int) -> dict[str, Any]:
    """The same for structures."""
    found: dict[str, Any] = {
        "channel": _text(cd.ChannelName),
        "conn": _text(cd.ConnectionName),
    }
    return found


def _text(value: bytes | str) -> str:
    return value.rstrip() if isinstance(value, str) else read_text(value, _UTF8)
