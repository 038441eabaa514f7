"""Read the log and the user trace of a broker, for `mqsireadlog`.

    log/broker.log                  2026-11-18 08:14:02.117 BIP2648W SHOP.default OrderRouting: a message was ...
    log/BRK.default.userTrace.txt   2026-11-18 08:14:02.117345     2852   UserTrace   BIP2632I: Message received ...

As text, lines are printed as they are. As XML, each entry becomes a `UserTrace` element below `UserTraceLog`, with the
attributes timestamp, number, severity, executionGroup, name, threadId and text. The file that was full before (`.1`) is
read first. Lines that are no entry belong to the one before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lxml import etree

from flintmq.broker.admin.place import Place

_LOG: Final = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) BIP(?P<number>\d{1,5})(?P<severity>[A-Z]) (?P<where>[^:]*): "
    r"(?P<text>.*)"
)
_TRACE: Final = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}) +(?P<thread>\d+) +UserTrace +BIP(?P<number>\d{1,5})"
    r"(?P<severity>[A-Z]): (?P<text>.*)"
)
_TRACE_SUFFIX: Final = ".userTrace.txt"


@dataclass(slots=True)
class Entry:
    """One entry of a log or a trace. `line` is all of it, as it stands in the file."""

    time: str
    number: str
    severity: str
    group: str
    source: str
    text: str
    line: str
    thread: str = ""


def read_log(place: Place, group: str = "") -> Iterator[Entry]:
    """Yield the entries of a broker's log, oldest first; with `group` those of one execution group."""
    for entry in _entries(place.log, _LOG):
        if not group or entry.group == group or entry.group == "" and entry.source.split(" ")[0] == group:
            yield entry


def read_trace(place: Place, group: str = "") -> Iterator[Entry]:
    """Yield the entries of user trace: of one execution group, or of one group after the other."""
    prefix = f"{place.name}."
    for path in sorted(place.log.parent.glob(f"*{_TRACE_SUFFIX}")):
        name = path.name.removeprefix(prefix).removesuffix(_TRACE_SUFFIX)
        if group in ("", name):
            for entry in _entries(path, _TRACE):
                entry.group = name
                yield entry


def _entries(path: Path, form: re.Pattern[str]) -> Iterator[Entry]:
    """Yield the entries of a file and of the one before it."""
    entry: Entry | None = None
    for file in (path.with_name(path.name + ".1"), path):
        try:
            lines = open(file, encoding="utf-8", errors="replace")
        except FileNotFoundError:
            continue
        with lines:
            for line in lines:
                line = line.rstrip("\n")
                found = form.fullmatch(line)
                if found is None:
                    if entry is not None:
                        entry.text += f"\n{line}"
                        entry.line += f"\n{line}"
                    continue
                if entry is not None:
                    yield entry
                entry = _entry(found, line)
    if entry is not None:
        yield entry


def _entry(found: re.Match[str], line: str) -> Entry:
    parts = found.groupdict()
    place, _, source = (parts.get("where") or "").partition(" ")
    group = place.partition(".")[2]
    return Entry(
        parts["time"], parts["number"], parts["severity"], group, source, parts["text"], line, parts.get("thread") or ""
    )


def as_xml(entries: Iterable[Entry]) -> bytes:
    """Return entries as a document."""
    root = etree.Element("UserTraceLog")
    for each in entries:
        element = etree.SubElement(
            root,
            "UserTrace",
            timestamp=each.time,
            number=each.number,
            severity=each.severity,
            executionGroup=each.group,
            name=_clean(each.source),
            text=_clean(each.text),
        )
        if each.thread:
            element.set("threadId", each.thread)
    etree.indent(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"


def _clean(text: str) -> str:
    """Replace characters that XML does not have."""
    return "".join(letter if letter in "\t\n" or " " <= letter < "\ufffe" else "\ufffd" for letter in text)
