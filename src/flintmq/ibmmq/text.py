"""Text and bytes as ibmmq has them: text goes into character fields as ASCII, and messages are bytes."""

from typing import Any

from flintmq.pymqi.text import default, ensure_not_unicode, is_unicode, padded_count

__all__ = [
    "EncodingDefault", "OTelFunctions", "OTelOptions", "ensure_bytes", "ensure_not_unicode", "ensure_strings_are_bytes",
    "is_unicode", "padded_count", "to_string",
]  # fmt: skip


class EncodingDefault(default):
    """The description of text that a program puts, and how text goes into fields."""

    mqi_encoding = "ascii"


class OTelOptions:
    """The treatment of trace context in messages; kept, and of no effect: messages come as they are."""

    def __init__(self, **kwargs: Any) -> None:
        self.remove_rfh2 = bool(kwargs.get("remove_rfh2", False))


class OTelFunctions:
    """Hooks for tracing. There are none."""

    disc = open = close = put_trace_before = put_trace_after = get_trace_before = get_trace_after = None


def ensure_strings_are_bytes(s: Any, encoding: str = EncodingDefault.mqi_encoding) -> Any:
    """`s` encoded if it is a `str`, as it is otherwise."""
    return s.encode(encoding) if isinstance(s, str) else s


ensure_bytes = ensure_strings_are_bytes


def to_string(v: Any, encoding: str = EncodingDefault.bytes_encoding) -> Any:
    """The text of a character field, up to a NUL and without blanks; other values come back as they were."""
    if not isinstance(v, bytes):
        return v
    try:
        return v.partition(b"\0")[0].decode(encoding).strip()
    except UnicodeError:
        return v
