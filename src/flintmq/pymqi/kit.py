"""The parts that the classes of a package share: its structures, its errors, its handling of text.

pymqi and ibmmq have the same classes over different structures: one wants bytes where the other takes text, and each
has its own initial values and exceptions. The classes ask their kit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from flintmq.pymqi.binding import explanation
from flintmq.pymqi.opts import MQOpts

#: Of an MQRFH2 without folders.
_RFH2_LENGTH: Final = 36


@dataclass(frozen=True)
class Kit:
    """One package."""

    MD: type[Any]
    GMO: type[Any]
    PMO: type[Any]
    OD: type[Any]
    SD: type[Any]
    RFH2: type[Any]
    CMHO: type[Any]
    PD: type[Any]
    SMPO: type[Any]
    MQMIError: Callable[..., Exception]
    PYIFError: Callable[[str], Exception]

    def check(self, comp: int, reason: int, **more: Any) -> None:
        """Raise for a call that did not end with MQCC_OK; `more` goes into the error, and `text`, its meaning."""
        if comp:
            raise self.MQMIError(comp, reason, text=explanation(reason), **more)


def message_args(kit: Kit, opts: tuple[Any, ...]) -> tuple[Any, Any]:
    """Descriptor and options of a put or get: a descriptor that was left out is a new one."""
    if len(opts) > 2:
        raise TypeError("Too many args")
    md = opts[0] if opts else None
    return (kit.MD() if md is None else md), (opts[1] if len(opts) == 2 else None)


def headed(kit: Kit, msg: bytes, opts: tuple[Any, ...]) -> bytes:
    """`msg` behind the headers in `opts[2]`, each in the encoding that the one in front says."""
    headers = opts[2]
    if not isinstance(headers, list):
        raise TypeError("Third item of opts should be a list.")
    encoding = kit.MD().Encoding if opts[0] is None else opts[0]["Encoding"]
    parts = []
    for header in headers:
        if header is not None:
            parts.append(header.pack(encoding))
            encoding = header["Encoding"]
    return b"".join(parts) + msg


def unheaded(kit: Kit, msg: bytes, format: bytes, headers: list[MQOpts]) -> bytes:
    """Return the data behind the headers of `msg`, which go into `headers`."""
    while format.rstrip(b"\0 ") == b"MQHRF2":
        header = kit.RFH2()
        header.unpack(msg)
        if header["StrucLength"] < _RFH2_LENGTH:  # The next header would be this one again.
            raise kit.PYIFError(
                f'RFH2 - "StrucLength" is {header["StrucLength"]}, less than the {_RFH2_LENGTH} bytes of a header.'
            )
        headers.append(header)
        msg = msg[header["StrucLength"] :]
        format = header["Format"]
    return msg
