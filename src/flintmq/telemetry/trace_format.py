"""The trace file as text: a line for each record.

    06:40:01.123456  task 3    orders           MQPUT    >  hobj 2 ORDERS.IN
    06:40:01.123460  task 3    orders           MQPUT    <  hobj 2 ORDERS.IN  120 bytes  0 MQRC_NONE  4 us
    06:40:01.123502  socket 1  127.0.0.1(50123) segment  <  TSHM MQPUT 652 first last ...

`>` is into the queue manager and `<` out of it, for segments received and sent. The kept data of a message follow in
hexadecimal and as text. Times are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from flintmq.mqi.reason import reason_name
from flintmq.mqi.trace_words import CALL_NAMES
from flintmq.telemetry.trace_file import ENTRY, RECEIVED, SENT, Event

_COLUMNS = 16


def lines(events: Iterable[Event]) -> Iterator[str]:
    """Yield the lines of all events."""
    for event in events:
        yield line(event)
        if event.data and event.event not in (RECEIVED, SENT):
            yield from _dump(event)


def line(event: Event) -> str:
    """Return the line of one event."""
    when = datetime.fromtimestamp(event.time_us / 1_000_000, UTC).strftime("%H:%M:%S.%f")
    if event.event in (RECEIVED, SENT):
        way = ">" if event.event == RECEIVED else "<"
        words = event.data.decode("utf-8", "replace")
        return f"{when}  socket {event.task:<4d}  {event.name:28s} segment   {way}  {words}"
    call = CALL_NAMES[event.call] if event.call < len(CALL_NAMES) else f"call {event.call}"
    start = f"{when}  task {event.task:<6d}  {event.application:28s} {call:9s}"
    about = [f"hobj {event.handle}"] if event.handle else []
    about += [event.name] if event.name else []
    if event.event == ENTRY:
        return f"{start} >  {' '.join(about)}".rstrip()
    if event.reason < 0:
        return f"{start} <  {' '.join(about)}  waits"
    end = [" ".join(about)] if about else []
    if event.length or event.data:
        end.append(f"{event.length} bytes")
    end += [f"{event.reason} {reason_name(event.reason)}", f"{event.spent_us} us"]
    return f"{start} <  {'  '.join(end)}"


def _dump(event: Event) -> Iterator[str]:
    for at in range(0, len(event.data), _COLUMNS):
        part = event.data[at : at + _COLUMNS]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        yield f"    {at:04x}  {part.hex(' '):{3 * _COLUMNS}s} {shown}"
    if event.more:
        yield f"    ... {event.length} bytes in all"
