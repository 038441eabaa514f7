"""Headers and ids of FastStream as message properties and descriptor fields of MQ, and back.

    FastStream              MQ                                       example
    header                  property; `-` in its name is _HYPHEN_    x-id        x_HYPHEN_id (as Apache Camel does)
                            other characters: _xHHHH_                a b         a_x0020_b
    content type            property content_HYPHEN_type             application/json
    correlation id          property correlation_id, and CorrelId    text of at most 24 bytes as it is, a UUID as its
                                                                     16 bytes, else 24 bytes of a hash
    message id              MsgId, in hexadecimal digits             414d5120...

A message without the property correlation_id has its CorrelId as correlation id: as text if it is printable, else in
hexadecimal digits. Properties of MQ's own folders (mqps, mcd, jms, mqext) are not headers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from flintmq.mqi.property_values import Value

CONTENT_TYPE = "content-type"
CORRELATION_ID = "correlation_id"
_ID_LENGTH = 24
_OWN_FOLDERS = ("mqps.", "mcd.", "jms.", "mqext.", "mqema.")
_HYPHEN = "_HYPHEN_"
_BAD_START = re.compile(r"^[^A-Za-z_$]")
_BAD = re.compile(r"[^A-Za-z0-9_$.]")
_ESCAPED = re.compile(r"_x([0-9A-F]{4,6})_")


def property_name(header: str) -> str:
    """Return the name of the property that carries a header.

    >>> property_name("x-request-id"), property_name("1 st")
    ('x_HYPHEN_request_HYPHEN_id', '_x0031__x0020_st')
    """
    name = _BAD_START.sub(_escape, header.replace("-", _HYPHEN), count=1)
    return _BAD.sub(_escape, name)


def header_name(name: str) -> str:
    """Return the header that a property carries.

    >>> header_name("x_HYPHEN_request_HYPHEN_id"), header_name("_x0031__x0020_st")
    ('x-request-id', '1 st')
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name).replace(_HYPHEN, "-")


def _escape(found: re.Match[str]) -> str:
    return f"_x{ord(found[0]):04X}_"


def to_properties(headers: Mapping[str, Any], content_type: str | None, correlation_id: str | None) -> dict[str, Any]:
    """Return the properties of a message. A header that is None is left out."""
    found = {property_name(name): value for name, value in headers.items() if value is not None}
    if content_type:
        found.setdefault(property_name(CONTENT_TYPE), content_type)
    if correlation_id:
        found[CORRELATION_ID] = correlation_id
    return found


def to_headers(properties: Mapping[str, Value]) -> dict[str, Any]:
    """Return the headers that a message has."""
    return {header_name(name): value for name, value in properties.items() if not name.startswith(_OWN_FOLDERS)}


def to_correl_id(correlation_id: str) -> bytes:
    """Return the CorrelId for a correlation id of any length."""
    data = correlation_id.encode()
    if len(data) <= _ID_LENGTH:
        return data
    try:
        return UUID(correlation_id).bytes
    except ValueError:
        return hashlib.blake2b(data, digest_size=_ID_LENGTH).digest()


def from_correl_id(correl_id: bytes) -> str | None:
    """Return the correlation id of a message that has only a CorrelId; None if that is blank."""
    data = correl_id.rstrip(b"\0")
    if not data:
        return None
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return correl_id.hex()
    return text if text.isprintable() else correl_id.hex()
