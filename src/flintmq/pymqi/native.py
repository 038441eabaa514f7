"""Between the bytes that a C program would pass to the MQI and our own structures.

A `Pair` knows both forms of one structure. The names are the same but for their spelling (ObjectQMgrName,
object_q_mgr_name); the form of a member follows from the value that our structure keeps in it:

    our structure   in the bytes
    int             a number
    bytes           bytes
    str             characters, filled up with blanks; one character as a number; or a string of variable length

A string of variable length is read from the address in its VSPtr, or from VSOffset behind the structure; MQVS_NULL_
TERMINATED ends at a NUL. One that comes back goes into the program's buffer if VSBufSize says that there is one.

Members that a later version of the structure brought are taken and given only if Version says so.
"""

import ctypes
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.charv import NULL_TERMINATED
from flintmq.mqi.cmho import MQCMHO
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import read_text
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pd import MQPD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_CMHO_ERROR,
    MQRC_GMO_ERROR,
    MQRC_IMPO_ERROR,
    MQRC_OBJECT_STRING_ERROR,
    MQRC_OD_ERROR,
    MQRC_PD_ERROR,
    MQRC_PMO_ERROR,
    MQRC_RES_OBJECT_STRING_ERROR,
    MQRC_SD_ERROR,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SMPO_ERROR,
    MQRC_SRO_ERROR,
    MQRC_SUB_NAME_ERROR,
    MQRC_SUB_USER_DATA_ERROR,
)
from flintmq.mqi.sd import MQSD
from flintmq.mqi.smpo import MQSMPO
from flintmq.mqi.sro import MQSRO
from flintmq.pymqi.opts import Structure
from flintmq.pymqi.structures import CMHO, GMO, IMPO, MD, OD, PD, PMO, SD, SMPO, SRO

BIG_ENDIAN: Final = sys.byteorder == "big"
_UTF8: Final = 1208
_WORD: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

#: The reason for a string of variable length that cannot be.
_STRING_ERRORS: Final = {
    "ObjectString": MQRC_OBJECT_STRING_ERROR,
    "SelectionString": MQRC_SELECTION_STRING_ERROR,
    "SubName": MQRC_SUB_NAME_ERROR,
    "SubUserData": MQRC_SUB_USER_DATA_ERROR,
    "ResObjectString": MQRC_RES_OBJECT_STRING_ERROR,
}

_NUMBER, _BYTES, _TEXT, _CHARACTER, _STRING = range(5)


class error(Exception):
    """A buffer that does not have the length of its structure."""


class Pair:
    """One structure: its class in pymqi, and ours."""

    def __init__(
        self, native: type[Any], ours: type[Any], reason: int, versions: Sequence[str] = (), latest: int = 1
    ) -> None:
        """`versions` names the last member of version 1, 2 ...; the rest belongs to the `latest`."""
        self.native, self.ours, self.reason = native, ours, reason
        self.size = native().get_length()
        self._plan = _plan(native, ours, versions, latest)
        identifier = native.FIELDS[0]
        self._identifier: tuple[str, bytes] = (identifier[0], identifier[1])

    def read(self, buffer: bytes) -> tuple[Structure, Any]:
        """The structure in `buffer`, in both forms. Raises StructureError, and `error` for a wrong length."""
        check_size(buffer, self.size, self.ours.__name__)
        native = self.native()
        native.unpack(buffer)
        name, identifier = self._identifier
        if native[name] != identifier:
            raise StructureError(
                f"{self.ours.__name__} begins with {native[name]!r}, not with {identifier!r}", self.reason
            )
        ours = self.ours()
        ours.version = native.Version
        for member, attribute, kind, _, version in self._plan:
            if version <= native.Version:
                setattr(ours, attribute, _taken(native, member, kind, buffer))
        return native, ours

    def write(self, native: Structure, ours: Any) -> bytes:
        """Return the bytes of `native` with the changes of the call in `ours`."""
        for member, attribute, kind, length, version in self._plan:
            if version > native.Version:
                continue
            value = getattr(ours, attribute)
            if kind == _STRING:
                _give_string(native, member, value)
            elif kind == _TEXT:
                native[member] = encode(value, _UTF8)[:length].ljust(length)
            elif kind == _CHARACTER:
                native[member] = ord(value or " ")
            else:
                native[member] = value
        return native.pack()


def check_size(buffer: bytes, size: int, name: str) -> None:
    """Raise `error` unless `buffer` has `size` bytes."""
    if len(buffer) != size:
        raise error(f"{name} wrong size. Given: {len(buffer)}, expected {size}")


def _plan(
    native: type[Any], ours: type[Any], versions: Sequence[str], latest: int
) -> list[tuple[str, str, int, int, int]]:
    """Member, attribute, kind, length, first version; for all that are in both."""
    initial = ours()
    plan = []
    version = 1
    for member, _, code, *_ in native.FIELDS:
        base = member.removesuffix("VSPtr")
        attribute = _WORD.sub("_", base).lower()
        kept = None if attribute.startswith("_") or attribute == "version" else getattr(initial, attribute, None)
        if kept is not None:
            if base != member:
                kind = _STRING
            elif isinstance(kept, str):
                kind = _TEXT if code.endswith("s") else _CHARACTER
            else:
                kind = _BYTES if isinstance(kept, bytes) else _NUMBER
            length = int(code[:-1]) if kind == _TEXT else 0
            plan.append((member, attribute, kind, length, version))
        if member in versions:
            version = versions.index(member) + 2
    assert version == latest, f"{ours.__name__}: {version}, not {latest} versions"
    return plan


def _taken(native: Structure, member: str, kind: int, buffer: bytes) -> Any:
    if kind == _STRING:
        return _take_string(native, member.removesuffix("VSPtr"), buffer)
    value = native[member]
    if kind == _TEXT:
        return read_text(value, _UTF8)
    if kind == _CHARACTER:
        return chr(value & 0xFF) if value else " "
    return value


def _take_string(native: Structure, name: str, buffer: bytes) -> str:
    address, offset, length = native[name + "VSPtr"], native[name + "VSOffset"], native[name + "VSLength"]
    if not address and not offset or length == 0:
        return ""
    if length < 0 and length != NULL_TERMINATED:
        raise StructureError(f"{name} has VSLength {length}", _string_error(name))
    if address:
        raw = ctypes.string_at(address) if length == NULL_TERMINATED else ctypes.string_at(address, length)
    else:
        raw = buffer[offset:] if length == NULL_TERMINATED else buffer[offset : offset + length]
        raw = raw.partition(b"\0")[0] if length == NULL_TERMINATED else raw
    ccsid = native[name + "VSCCSID"]
    try:
        return decode(raw, ccsid if ccsid > 0 else _UTF8)
    except (UnicodeDecodeError, LookupError):
        raise StructureError(f"{name} is not text of CCSID {ccsid}", _string_error(name)) from None


def _string_error(name: str) -> int:
    return _STRING_ERRORS.get(name, MQRC_OBJECT_STRING_ERROR)


def _give_string(native: Structure, member: str, value: str) -> None:
    """Copy as much as fits into the program's own buffer; VSLength is the length of the whole text."""
    name = member.removesuffix("VSPtr")
    address, room = native[name + "VSPtr"], native[name + "VSBufSize"]
    if room <= 0 or not address:
        return
    ccsid = native[name + "VSCCSID"]
    raw = encode(value, ccsid if ccsid > 0 else _UTF8)
    kept = (raw + b"\0")[:room]  # The NUL is for get_vs, which reads up to one.
    ctypes.memmove(address, kept, len(kept))
    native[name + "VSLength"] = len(raw)


def read_md(buffer: bytes) -> MQMD:
    """The message descriptor in `buffer`: it has no addresses, so ours is the same."""
    check_size(buffer, MD_SIZE, "MQMD")
    return MQMD.unpack(buffer, 0, BIG_ENDIAN)


def write_md(buffer: bytes, md: MQMD) -> bytes:
    """The descriptor after the call. Fields that its version does not have stay as they were in `buffer`."""
    packed = md.pack(BIG_ENDIAN)
    return packed + buffer[len(packed) :]


MD_SIZE: Final = MD().get_length()
OF_OD = Pair(OD, MQOD, MQRC_OD_ERROR, ("AlternateUserId", "ResponseRecPtr", "ResolvedQMgrName"), 4)
OF_GMO = Pair(GMO, MQGMO, MQRC_GMO_ERROR, ("ResolvedQName", "Reserved1", "ReturnedLength"), 4)
OF_PMO = Pair(PMO, MQPMO, MQRC_PMO_ERROR, ("ResolvedQMgrName", "ResponseRecPtr"), 3)
OF_SD = Pair(SD, MQSD, MQRC_SD_ERROR)
OF_SRO = Pair(SRO, MQSRO, MQRC_SRO_ERROR)
OF_CMHO = Pair(CMHO, MQCMHO, MQRC_CMHO_ERROR)
OF_PD = Pair(PD, MQPD, MQRC_PD_ERROR)
OF_SMPO = Pair(SMPO, MQSMPO, MQRC_SMPO_ERROR)
OF_IMPO = Pair(IMPO, MQIMPO, MQRC_IMPO_ERROR)
