"""The chapters of the report and the workloads that fill them. Ids are those of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass


def _ids(text: str) -> tuple[str, ...]:
    """Return ids from a short form: `Z93-R01-03 SQ-W08`; a range ends with the number alone."""
    made = []
    for word in text.split():
        first, dash, last = word.rpartition("-")
        if dash and last.isdecimal() and first[-2:].isdecimal():
            stem, start = first[:-2], int(first[-2:])
            made += [f"{stem}{number:02}" for number in range(start, int(last) + 1)]
        else:
            made.append(word)
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter that is filled by workloads."""

    name: str
    title: str
    words: str
    workloads: tuple[str, ...]
    #: Workloads that are shown together, in one chart with a line for each: title and ids.
    sets: tuple[tuple[str, tuple[str, ...]], ...] = ()


CHAPTERS = (
    Chapter(
        "private queues",
        "Private queues",
        "Request/reply and short tasks with non-persistent messages on queues of one queue manager.",
        _ids("Z93-R01-04 Z93-R07 Z701-W01-04 L92-W08 L92-W10 L92-W13 Z93-R21-22"),
    ),
    Chapter(
        "persistent messaging",
        "Persistent messaging and the log",
        "Each unit of work waits for the log. Concurrent units share its writes, so more requesters raise the rate.",
        _ids("Z93-R05-06 L92-W03 L92-W14-15 Z701-W12 Z93-Q14"),
    ),
    Chapter(
        "streaming queues",
        "Streaming queues",
        "A queue with STREAMQ gives each message a copy. The putting application pays for it.",
        _ids("SQ-W01-08 Z93-Q01-11"),
        (("The set of streaming queues, persistent", _ids("SQ-W01-07")),),
    ),
    Chapter(
        "publish/subscribe",
        "Publish/subscribe",
        "One publication, many copies: a topic, its subscribers, and a topic alias behind a stream queue.",
        _ids("Z93-Q15 Z93-Q11 WMQI-W10 WMQI-W17"),
    ),
    Chapter(
        "indexed queues and restart",
        "Indexed queues, depth and restart",
        "What depth does to a put, to a get by identifier, and to the time until a queue manager takes work again.",
        _ids("Z701-W05-09 L92-W01-02 Z93-Q12-13 Z93-S01-06 Z701-W10-11"),
    ),
    Chapter(
        "selection",
        "Selection and properties",
        "A get by identifier uses an index, a selection string looks at messages one after the other.",
        _ids("Z701-W13-19"),
    ),
    Chapter(
        "channels and TLS",
        "Channels and TLS",
        "Clients over TCP and TLS, and channels between queue managers.",
        _ids("L92-W09 L92-W11-12 Z93-R11-18 Z93-R26"),
    ),
    Chapter(
        "broker flows and formats",
        "Broker flows and formats",
        "Message flows on a queue manager: what nodes, formats, instances and databases cost.",
        _ids("WMQI-W01-17"),
    ),
    Chapter(
        "recording overhead",
        "What recording and trace cost",
        "Statistics, accounting and trace on and off.",
        _ids("Z93-R25-26 Z93-S05-06"),
    ),
    Chapter(
        "beyond one queue manager",
        "Beyond one queue manager",
        "Queue sharing, clusters, bridges and message protection.",
        _ids("Z93-R08-10 Z93-R19-20 Z93-R23-24 Z93-R27 L92-W04-07"),
    ),
)
