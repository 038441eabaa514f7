"""The error of administration: a BIP message, and the exit code of the command."""

from __future__ import annotations

from flintmq.broker.admin.messages import MESSAGES


class Refused(Exception):
    """A request is refused, and nothing has changed. `lines` come before the message itself."""

    exit_code = 1

    def __init__(self, number: int, *inserts: object, before: list[str] | None = None) -> None:
        self.number = number
        self.lines = [*(before or []), MESSAGES[number].line(*inserts)]
        super().__init__("\n".join(self.lines))
