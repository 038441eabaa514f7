"""The reports by name, and the forms that a report can be printed in.

A new report is a module with `make` and a row of REPORTS; a new form is a module with `render` and a row of FORMATS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports import (
    anomalies,
    broker,
    buffer,
    bursts,
    capacity,
    channel,
    csv,
    html,
    itr,
    log,
    markdown,
    msg,
    qstat,
    task,
    text,
)
from flintmq.pipeline.reports.model import Report
from flintmq.pipeline.reports.options import ROWS, Options
from flintmq.pipeline.tables.place import SILVER, STATISTICS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Renderer = Callable[[Sequence[Report]], str]
Maker = Callable[["SparkSession", Path, Options], Report]


@dataclass(frozen=True, slots=True)
class Entry:
    """A report that there is."""

    make: Maker
    summary: str
    #: Its own settings, name -> meaning; `--set name=value`.
    settings: Mapping[str, str] = field(default_factory=dict)
    format: str = "text"
    rows: int = ROWS
    #: Makes the parts that need no tables and no Spark, if there are any.
    without_records: Callable[[Options], Report] | None = None
    #: The layer of the tables that it is made from.
    layer: str = SILVER


REPORTS: dict[str, Entry] = {
    "qstat": Entry(qstat.make, "queues at the end of each interval: disposition, page set, depth (115-216)"),
    "qstatcsv": Entry(qstat.make_csv, "the same with every counter of the record, as CSV", format="csv", rows=10_000),
    "task": Entry(task.make, "what tasks did to queues, and what it cost (116-1, 116-2)", task.SETTINGS, rows=20),
    "log": Entry(log.make, "pages per I/O, MB/s, how busy the logger was (115-1)"),
    "logmanager": Entry(log.make_manager, "every counter of the log manager, as CSQW1150 prints them (115-1)", rows=10),
    "compression": Entry(
        log.make_compression, "the data-compression block of the log, and what it saved (115-1)", rows=10
    ),
    "buffer": Entry(buffer.make, "how full buffer pools were, reads and writes of pages (115-215)"),
    "msg": Entry(msg.make, "MQI calls and messages of each interval (115-2)"),
    "channel": Entry(channel.make, "channels, and how busy the channel initiator was (116-10, 115-231)"),
    "capacity": Entry(
        capacity.make,
        "how many clients and channels fit, and what runs full when",
        capacity.SETTINGS,
        without_records=capacity.without_records,
    ),
    "itr": Entry(
        itr.make,
        "what the calls of the records would cost on another machine",
        itr.SETTINGS,
        without_records=itr.without_records,
    ),
    "bursts": Entry(bursts.make, "how the messages of a minute were spread", bursts.SETTINGS),
    "broker": Entry(
        broker.make,
        "message flows, nodes and threads: cost per message, and where the time goes (117)",
        broker.SETTINGS,
        layer=STATISTICS,
    ),
    "anomalies": Entry(anomalies.make, "what was unusual for its hour, per queue and counter", anomalies.SETTINGS),
}

#: Several reports at once, because one page of HTML holds them all.
FORMATS: dict[str, Renderer] = {"text": text.render, "csv": csv.render, "html": html.page, "markdown": markdown.render}


def entries(names: Sequence[str]) -> dict[str, Entry]:
    """Return the reports of these names, in any case; `all` is every report that is text by default."""
    made: dict[str, Entry] = {}
    for name in names:
        if name.lower() == "all":
            made |= {each: found for each, found in REPORTS.items() if found.format == "text"}
        elif name.lower() in REPORTS:
            made[name.lower()] = REPORTS[name.lower()]
        else:
            raise BadOption(f"there is no report {name}; there are {', '.join(REPORTS)}, and all")
    return made


def renderer(name: str) -> Renderer:
    found = FORMATS.get(name)
    if found is None:
        raise BadOption(f"there is no format {name}; there are {', '.join(FORMATS)}")
    return found
