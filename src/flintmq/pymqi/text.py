"""Small helpers about text and bytes that programs import from pymqi."""

import struct
from typing import Any, Final

#: struct codes of an MQLONG and of a 64-bit integer.
MQLONG_TYPE: Final = "i" if struct.calcsize("P") == 8 else "l"
INTEGER64_TYPE: Final = "q"

is_py2: Final = False
is_py3: Final = True


class default:
    """The description of text that a program puts."""

    ccsid = 1208
    bytes_encoding = "utf8"


def is_unicode(s: object) -> bool:
    """Whether it is a `str`."""
    return isinstance(s, str)


def ensure_not_unicode(value: object) -> None:
    """Raise TypeError for a `str`: a field or message is bytes."""
    if isinstance(value, str):
        raise TypeError(f"Python 3 style string (unicode) found but not allowed here: `{value}`. Convert to bytes.")


def ensure_bytes(s: Any, encoding: str = "ascii") -> Any:
    """`s` encoded if it is a `str`, as it is otherwise."""
    return s.encode(encoding) if isinstance(s, str) else s


def padded_count(count: int, boundary: int = 4) -> int:
    """`count` rounded up to a multiple of `boundary`."""
    return -(-count // boundary) * boundary


def py23long(x: int) -> int:
    """`x`; there is only one kind of integer."""
    return x
