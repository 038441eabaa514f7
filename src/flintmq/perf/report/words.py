"""Parameters and values of runs in words: what stands beside a bar, in a legend, at the head of a column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flintmq.pipeline.runs.tables import Point

#: Units of parameters, for a column or an axis.
UNITS = {"size": "bytes", "compressible": "%", "depth": "messages"}
#: Parameters that count something: one of it, and several.
_COUNTS = {
    "clients": ("client", "clients"),
    "servers": ("server", "servers"),
    "pairs": ("pair", "pairs"),
    "subscribers": ("subscriber", "subscribers"),
    "copies": ("copy", "copies"),
    "properties": ("property", "properties"),
    "instances": ("instance", "instances"),
    "groups": ("execution group", "execution groups"),
    "flows": ("copy of the flow", "copies of the flow"),
    "queues": ("queue", "queues"),
    "users": ("user", "users"),
}
#: Values that have words of their own.
_VALUES = {
    ("persistent", "true"): "persistent",
    ("persistent", "false"): "non-persistent",
    ("streamq", "none"): "no stream queue",
    ("streamq", "BESTEF"): "stream queue, BESTEF",
    ("streamq", "MUSTDUP"): "stream queue, MUSTDUP",
    ("streamq", "alias"): "stream queue to topic alias",
    ("streamq", "pubsub"): "publish/subscribe",
    ("cipher", "none"): "no TLS",
    ("compression", "none"): "not compressed",
    ("compression", "RLE"): "COMPLOG(RLE)",
    ("trace", "none"): "no trace",
    ("trace", "GLOBAL"): "global trace",
    ("trace", "CHINIT"): "channel trace",
    ("recording", "none"): "no accounting",
    ("selector", "none"): "no selection",
    ("selector", "correlid"): "by correlation id",
    ("selector", "string"): "id in a selection string",
    ("selector", "property"): "by property",
    ("syncpoint", "none"): "no syncpoint",
    ("syncpoint", "both"): "both in syncpoint",
    ("syncpoint", "server"): "server in syncpoint",
    ("mode", "local"): "local",
    ("mode", "tcp"): "TCP",
    ("mode", "tls"): "TLS",
    ("mode", "embedded"): "embedded",
    ("case", "plain"): "plain queue",
    ("case", "streamq"): "with stream queue",
    ("case", "class5"): "statistics class 5",
    ("case", "inquire"): "inquiry of each queue",
}
#: Parameters that say what they are by their value alone.
_BARE = ("workload", "cipher", "case", "peer", "product", "pattern")
#: What stands before a value.
_BEFORE = {
    "format_in": "from",
    "format_out": "to",
    "transaction": "transaction",
    "drain_batch": "gets for a commit",
    "reopen": "calls between open and close",
}
#: Heads of columns and titles of axes.
_HEADS = {
    "persistent": "Persistence",
    "format_in": "From",
    "format_out": "To",
    "streamq": "Stream queue",
    "drain_batch": "Gets for a commit",
    "sharing": "SHARECNV",
    "groups": "Execution groups",
    "flows": "Copies of the flow",
    "mode": "Connections",
    "cap_s": "Expiry cap, s",
    "interval_s": "Scan interval, s",
    "compressible": "Compressible",
    "size": "Size",
    "depth": "Depth",
    "recording": "Accounting",
}
#: Values that a step measures instead of a rate.
_MEASURED = {
    "kb_per_connection": "Memory for a connection",
    "bytes_per_definition": "Memory for a definition",
    "page_set_bytes_per_definition": "Page set for a definition",
    "cpu_us_per_queue": "CPU for a queue",
    "puts": "Messages put",
    "reason": "Reason code of the put that failed",
    "base_depth": "Depth of the base queue",
    "stream_depth": "Depth of the stream queue",
    "depth": "Depth reached",
    "bytes_per_message": "Memory for a message",
    "cpu_us_per_put": "CPU for a put",
    "restart_s": "Time of the restart",
    "first_get_s": "Time until the first get",
    "restart_cpu_s": "CPU of the restart",
    "messages_after": "Messages after the restart",
    "cpu_us_per_expired": "CPU for an expired message",
    "elapsed_s": "Elapsed time",
    "left": "Messages left",
    "depth_max": "Greatest depth",
    "depth_min_late": "Least depth, once it swings",
    "drops": "Scans that removed messages",
    "drop_mean": "Messages that a scan removed",
    "kb_per_user": "Memory for a user",
    "cpu_ms_per_user": "CPU for a user",
}
_PASS = re.compile(r"(.+?)_(?:pass_?)?(\d+|again|first|second)$")


def number_of(text: str | None) -> float | None:
    """Return a parameter as a number, None for one that is a name."""
    try:
        return float(text) if text not in (None, "", "true", "false") else None
    except ValueError:
        return None


def label(name: str, value: str) -> str:
    """Return a parameter in words: `persistent`, `2 KB`, `4 clients`, `from XML`."""
    number = number_of(value)
    if (name, value) in _VALUES:
        return _VALUES[name, value]
    if name in _BARE:
        return value
    if name == "size" and number is not None:
        return size_text(int(number))
    if name in _COUNTS and number is not None:
        return f"{number:,.10g} {_COUNTS[name][number != 1]}"
    if name == "sharing":
        return f"SHARECNV({value})"
    if name == "compressible":
        return f"{value} % compressible"
    shown = value if number is None else f"{number:,.10g}"
    return f"{_BEFORE.get(name, name.replace('_', ' '))} {shown}"


def heading(name: str) -> str:
    """Return the head of the column of a parameter, which is the title of its axis, too."""
    return _HEADS.get(name) or name.replace("_", " ").capitalize()


def measured(name: str) -> str:
    """Return what a value is, in words."""
    if name in _MEASURED:
        return _MEASURED[name]
    found = _PASS.fullmatch(name)
    if found and found[1] in _MEASURED:
        return f"{_MEASURED[found[1]]}, pass {found[2]}"
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def size_text(size: int) -> str:
    """Return a size in bytes as 100 B, 2 KB, 1.5 MB."""
    for limit, unit in ((1 << 20, "MB"), (1 << 10, "KB")):
        if size >= limit:
            return f"{size / limit:.4g} {unit}"
    return f"{size} B"


def name_of(point: Point, names: Sequence[str]) -> str:
    """Return the parameters that identify a point, in words."""
    return ", ".join(label(name, point.parameters[name]) for name in names if name in point.parameters)
