"""MQOpts as ibmmq has it: text is accepted where characters go, but identifiers and tokens are bytes.

A member that is a pointer in C and a string to a program (CSPUserId, CCDTUrl ...) is given as text or bytes; its length
and a buffer for it are made when the structure is packed. A pointer to something of the program's own (CallbackArea,
ConnectionArea) may be any object: it never leaves the process, and is 0 in the bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from flintmq.ibmmq.text import EncodingDefault, ensure_strings_are_bytes, to_string
from flintmq.pymqi import opts
from flintmq.pymqi.opts import Member

#: Members that are never text.
BINARY: Final = frozenset(
    (
        "AccountingToken", "AlternateSecurityId", "ConnectionId", "ConnTag", "CorrelId", "Facility", "GroupId",
        "MCASecurityId", "MsgId", "MsgToken", "PubAccountingToken", "RemoteSecurityId", "SubCorrelId", "TranInstanceId",
    )
)  # fmt: skip


class MQOpts(opts.MQOpts):
    """Base of all structures."""

    #: Pointers that are strings to a program.
    _strings: ClassVar[tuple[str, ...]] = ()
    #: Pointers that are any object to a program.
    _objects: ClassVar[tuple[str, ...]] = ()

    def _field(self, name: str, value: Any) -> Any:
        if name in self._objects:
            return value
        if name in BINARY and not isinstance(value, bytes):
            raise TypeError(f"{name} must be a byte array")
        return ensure_strings_are_bytes(value)

    def pack(self) -> bytes:
        """The bytes of the structure."""
        for name, _ in self._members:
            if getattr(self, name) is None and name not in (*self._strings, *self._objects):
                raise TypeError(f"Class:{type(self).__name__} Field:{name} must not be None")
        given = {name: getattr(self, name) for name in (*self._strings, *self._objects)}
        try:
            for name, value in given.items():
                setattr(self, name, self._address(name, value) if name in self._strings else 0)
            return super().pack()
        finally:
            for name, value in given.items():
                setattr(self, name, value)

    def _address(self, name: str, value: Any) -> int:
        if isinstance(value, int) and value:
            return value
        raw = ensure_strings_are_bytes(value or b"")
        base = name.removesuffix("Ptr")
        length = f"_{base}Length" if hasattr(self, f"_{base}Length") else f"{base}Length"
        setattr(self, length, len(raw))
        buffer = self._buffers[name] = ctypes.create_string_buffer(raw) if raw else None
        return ctypes.addressof(buffer) if buffer is not None else 0

    def unpack(self, buff: bytes) -> Self:
        """Take the values from bytes; returns the structure."""
        given = {name: getattr(self, name) for name in (*self._strings, *self._objects)}
        super().unpack(bytes(buff))
        for name, value in given.items():
            setattr(self, name, value)
        return self

    def set_vs(
        self,
        vs_name: str,
        vs_value: bytes | str | None = None,
        vs_offset: int = 0,
        vs_buffer_size: int = 0,
        vs_ccsid: int = 0,
    ) -> None:
        """Give a string of variable length a value; text is taken for every one."""
        super().set_vs(vs_name, ensure_strings_are_bytes(vs_value), vs_offset, vs_buffer_size, vs_ccsid)

    def to_string(self, encoding: str = EncodingDefault.bytes_encoding) -> Self:
        """Turn character members into text, in place; returns the structure."""
        for name, _ in self._members:
            if name not in BINARY:
                setattr(self, name, to_string(getattr(self, name), encoding))
        return self

    def _remove(self, key: str) -> None:
        self._members = [member for member in self._members if member[0] != key]
        if key in vars(self):
            delattr(self, key)


class Structure(MQOpts):
    """A structure that always has the same members."""

    FIELDS: ClassVar[Sequence[Member]]

    def __init__(self, **kw: Any) -> None:
        super().__init__(self.FIELDS, **kw)
