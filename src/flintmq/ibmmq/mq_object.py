"""The base of objects of a queue manager."""

from __future__ import annotations

from typing import Any

from flintmq.ibmmq.text import EncodingDefault, to_string


class MQObject:
    """A queue manager, queue, topic or subscription."""

    def to_string(self, v: Any, encoding: str = EncodingDefault.bytes_encoding) -> Any:
        """The text of a character field, up to a NUL and without blanks."""
        return to_string(v, encoding)
