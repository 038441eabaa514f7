"""Names of MQ objects, and limits of the MQI that clients check too."""

from __future__ import annotations

from typing import Final

NAME_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_%")
#: How long a message may be delayed, in milliseconds: a thousand years.
DELAY_MS_MAX: Final = 31_556_952_000_000
#: How long a user identifier is in a message and in a connection.
USER_LENGTH: Final = 12
#: The user who has full authority.
MQM: Final = "mqm"


def is_name(text: str, length: int = 48) -> bool:
    """Whether `text` is an MQ object name: 1 to `length` letters, digits and `. / _ %`."""
    if not text or len(text) > length:
        return False
    for character in text:
        if character not in NAME_CHARACTERS:
            return False
    return True
