"""The error a command raises to end with a clear line."""

from __future__ import annotations


class CommandFailed(Exception):
    """A failure with its place and remedy, in one line. Printed as it is; no traceback."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.exit_code = exit_code
