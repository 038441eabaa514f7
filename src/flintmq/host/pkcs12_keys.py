"""Private keys and their labels in a PKCS#12 file. The package cryptography reads the first key only.

The parsed elements (RFC 7292; DER, each a tag, a length and a content):

    PFX               version, the safes as ContentInfo, and a checksum with the password, which is not checked here
    ContentInfo       type, [0] content: of type `data` an octet string; encrypted ones hold certificates, not keys
    the safes         in that octet string: a sequence of ContentInfo, each with a sequence of bags
    bag               type, [0] value, and a set of attributes: type, and a set of values
    friendlyName      an attribute: BMPString, which is UTF-16 in big-endian order

1. Callers pass only a file with a valid checksum; even so, malformed data raises ValueError and nothing else.
2. A key stays encrypted as it is in the file.
"""

from __future__ import annotations

from typing import Final

_DATA: Final = bytes.fromhex("2a864886f70d010701")
_KEY_BAG: Final = bytes.fromhex("2a864886f70d010c0a0101")
_SHROUDED_KEY_BAG: Final = bytes.fromhex("2a864886f70d010c0a0102")
_FRIENDLY_NAME: Final = bytes.fromhex("2a864886f70d010914")
_OCTETS: Final = 0x04
_OBJECT: Final = 0x06
_BMP_STRING: Final = 0x1E
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_VALUE: Final = 0xA0


class KeyBag:
    """A private key in PKCS#8, and its label, "" if it has none."""

    def __init__(self, label: str, der: bytes, encrypted: bool) -> None:
        self.label = label
        self.der = der
        self.encrypted = encrypted


def keys(data: bytes) -> list[KeyBag]:
    """Return the keys in a PKCS#12 file, in their order. Raise ValueError."""
    found: list[KeyBag] = []
    for safe in _elements(_content(_inside(data, _SEQUENCE), 1), _SEQUENCE):
        kind, content = _typed(safe)
        if kind == _DATA:
            for bag in _elements(_inside(_inside(content, _VALUE), _OCTETS), _SEQUENCE):
                found += _key(bag)
    return found


def _key(bag: bytes) -> list[KeyBag]:
    """Return the key in a bag, nothing if the bag has none."""
    kind, value = _typed(bag)
    if kind not in (_KEY_BAG, _SHROUDED_KEY_BAG):
        return []
    parts = _split(bag)
    label = _label(parts[2][1]) if len(parts) > 2 and parts[2][0] == _SET else ""
    return [KeyBag(label, _inside(value, _VALUE), kind == _SHROUDED_KEY_BAG)]


def _label(attributes: bytes) -> str:
    for tag, attribute in _split(attributes):
        if tag == _SEQUENCE:
            parts = _split(attribute)
            if len(parts) == 2 and parts[0] == (_OBJECT, _FRIENDLY_NAME):
                values = _split(parts[1][1])
                if values and values[0][0] == _BMP_STRING:
                    return values[0][1].decode("utf-16-be")
    return ""


def _content(pfx: bytes, place: int) -> bytes:
    """Return the safes: the octet string in the ContentInfo at `place`."""
    parts = _split(pfx)
    if len(parts) <= place or parts[place][0] != _SEQUENCE:
        raise ValueError("there are no safes in it")
    kind, content = _typed(parts[place][1])
    if kind != _DATA:
        raise ValueError("it is signed with a key, not with a password")
    return _inside(_inside(content, _VALUE), _OCTETS)


def _typed(body: bytes) -> tuple[bytes, bytes]:
    """Return a type, and the raw element behind it."""
    tag, start, end = _header(body, 0)
    if tag != _OBJECT:
        raise ValueError("a type is missing")
    return body[start:end], body[end:]


def _elements(body: bytes, tag: int) -> list[bytes]:
    """Return the contents of the elements of a sequence that `body` begins with; all have this tag."""
    result: list[bytes] = []
    for found, inside in _split(_inside(body, _SEQUENCE)):
        if found != tag:
            raise ValueError(f"tag {found:#x} in the place of {tag:#x}")
        result.append(inside)
    return result


def _inside(body: bytes, tag: int) -> bytes:
    """Return the content of the element that `body` begins with."""
    found, start, end = _header(body, 0)
    if found != tag:
        raise ValueError(f"tag {found:#x} in the place of {tag:#x}")
    return body[start:end]


def _split(body: bytes) -> list[tuple[int, bytes]]:
    """Return the elements of `body`, one behind the other: tag and content."""
    result: list[tuple[int, bytes]] = []
    at = 0
    while at < len(body):
        tag, start, at = _header(body, at)
        result.append((tag, body[start:at]))
    return result


def _header(body: bytes, at: int) -> tuple[int, int, int]:
    """Return tag, start and end of the content of the element at `at`."""
    if len(body) < at + 2:
        raise ValueError("it is cut short")
    tag, length, start = body[at], body[at + 1], at + 2
    if length > 0x80:
        count = length & 0x7F
        length = int.from_bytes(body[start : start + count], "big")
        start += count
    elif length == 0x80:
        raise ValueError("a length is not said")
    if start + length > len(body):
        raise ValueError("it is cut short")
    return tag, start, start + length
