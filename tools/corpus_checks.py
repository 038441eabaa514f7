"""The checks of corpus.py: what our readers make of a flow, an ESQL file, a BAR file, an assembly, a message set.

Each check takes a Source with its bytes and returns the problems that it found, and the node types that the broker
does not have. It catches the errors that a reader declares; anything else that a reader raises is caught and reported
by corpus.judge() as our fault.

Documents are compared by `events()`, which reads them with expat and shares no code with the readers under test:
the same elements in the same order with the same attributes and text. White space between elements does not count.
"""

from __future__ import annotations

import xml.parsers.expat
from dataclasses import replace

from flintmq.broker.flow import xmi
from flintmq.broker.flow.model import FlowDefinition, FlowFileError
from tools.corpus import Check, Problem, Source, first_line

#: An event of a document: what it is, the name or text, the attributes in the order of their names, the line.
Event = tuple[str, str, tuple[tuple[str, str], ...], int]


def events(data: bytes, comments: bool) -> list[Event]:
    """Return a document as a list of events. Namespace declarations are attributes, names keep their prefixes."""
    found: list[Event] = []
    text: list[str] = []
    parser = xml.parsers.expat.ParserCreate()
    parser.buffer_text = True

    def flush() -> None:
        joined = "".join(text)
        text.clear()
        if joined.strip():
            found.append(("text", joined, (), parser.CurrentLineNumber))

    def start(name: str, attributes: dict[str, str]) -> None:
        flush()
        found.append(("start", name, tuple(sorted(attributes.items())), parser.CurrentLineNumber))

    def end(name: str) -> None:
        flush()
        found.append(("end", name, (), parser.CurrentLineNumber))

    def comment(body: str) -> None:
        flush()
        if comments:
            found.append(("comment", body, (), parser.CurrentLineNumber))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.CommentHandler = comment
    parser.Parse(data, True)
    return found


def difference(old: bytes, new: bytes, comments: bool = False) -> Problem | None:
    """Return the first difference between two documents with the line of the old one, or None if they are equal."""
    before, after = events(old, comments), events(new, comments)
    for one, other in zip(before, after, strict=False):
        if one[:3] == other[:3]:
            continue
        if one[:2] == other[:2]:
            lost = sorted(set(one[2]) - set(other[2]))
            gained = sorted(set(other[2]) - set(one[2]))
            return Problem(f"<{one[1]}>: lost {lost}, gained {gained}", one[3])
        return Problem(f"{one[0]} {first_line(one[1])} became {other[0]} {first_line(other[1])}", one[3])
    if len(before) != len(after):
        return Problem(f"{len(before)} parts became {len(after)}", before[-1][3])
    return None


def check_flow(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Read a flow, write it twice (over the document that was read, and from the model alone), compare."""
    try:
        flow = xmi.read(data, source.name)
    except FlowFileError as error:
        return [Problem(error.reason, error.line)], []
    problems = []
    kept = difference(data, xmi.write(flow), comments=True)
    if kept is not None:
        problems.append(Problem(f"written over what was read: {kept.reason}", kept.line))
    rebuilt = difference(data, xmi.write(replace(flow, source=None)))
    if rebuilt is not None:
        problems.append(Problem(f"written from the model: {rebuilt.reason}", rebuilt.line))
    return problems, unknown_nodes(flow)


def unknown_nodes(flow: FlowDefinition) -> list[str]:
    """Return the node types of a flow that the broker does not have."""
    return []


CHECKS_BY_KIND: dict[str, Check] = {"flow": check_flow}
