"""Text in SMF records: EBCDIC code page 1047, blank padded. X'00' in every byte means that the field was never set."""

from __future__ import annotations

#: Python knows 037; 1047 differs in these places: [ ] ^ and the letters they take turns with.
_DIFFERENCES = {0xAD: "[", 0xBD: "]", 0x5F: "^", 0xBA: "Ý", 0xBB: "¨", 0xB0: "¬"}
TABLE = "".join(_DIFFERENCES.get(byte, bytes([byte]).decode("cp037")) for byte in range(256))
_BYTES = {character: byte for byte, character in enumerate(TABLE)}
BLANK = 0x40


def text_of(data: bytes) -> str | None:
    """Decode text without trailing blanks and X'00'; None if the field was never set."""
    stripped = data.rstrip(b"\0")
    return "".join(TABLE[byte] for byte in stripped).rstrip(" ") if stripped else None


def bytes_of(text: str | None, size: int) -> bytes:
    """Encode a field of `size` bytes. Characters that the code page lacks become `?`; longer text is cut."""
    if text is None:
        return bytes(size)
    return bytes(_BYTES.get(character, _BYTES["?"]) for character in text[:size]).ljust(size, bytes([BLANK]))
