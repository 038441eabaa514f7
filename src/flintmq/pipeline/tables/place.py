"""Names in the output directory. Partitions are named as Spark and Hive do, so any reader of Parquet finds them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import quote, unquote

BRONZE = "bronze"
SILVER = "silver"
GOLD = "gold"
QUALITY = "quality"
#: Tables of flow statistics (statistics.py), which are loaded by themselves.
STATISTICS = "statistics"
LAYERS = (BRONZE, SILVER, GOLD)
STATE = "_flint"
#: Stands for a queue manager without a name.
NO_NAME = "__HIVE_DEFAULT_PARTITION__"
_SAFE = " ._-$@"


def input_id(path: str) -> str:
    """Return a short name for a dump, by its path below the directory that was given."""
    return hashlib.sha256(path.encode()).hexdigest()[:12]


def partition(date: str, qmgr: str | None) -> str:
    """Return the directory of a partition: `Date=2016-02-27/QMgr=QML1`."""
    return f"Date={date}/QMgr={quote(qmgr, safe=_SAFE) if qmgr else NO_NAME}"


def partition_of(directory: str) -> tuple[str, str | None]:
    """Return date and queue manager of a partition's directory."""
    date, _, qmgr = directory.partition("/")
    name = qmgr.removeprefix("QMgr=")
    return date.removeprefix("Date="), None if name == NO_NAME else unquote(name)


def part_name(dump: str, start: int) -> str:
    """Return the name of the file with the rows of the records from `start` on."""
    return f"part-{dump}-{start:012d}.parquet"


def dump_of(name: str) -> str:
    """Return the dump that a file's rows come from."""
    return name.removeprefix("part-").partition("-")[0]


def state(out: Path) -> Path:
    return out / STATE
