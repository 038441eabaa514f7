"""Errors of selection strings, with their places."""

from __future__ import annotations

from flintmq.mqi.reason import MQRC_SELECTOR_SYNTAX_ERROR, reason_name


class SelectorError(Exception):
    """A selection string that cannot be used. `position` is the place of the first character in error, from 1."""

    def __init__(self, text: str, position: int, what: str, reason: int = MQRC_SELECTOR_SYNTAX_ERROR) -> None:
        super().__init__(f"selection string, position {position}: {what} [{reason_name(reason)} {reason}]")
        self.text = text
        self.position = position
        self.what = what
        self.reason = reason
