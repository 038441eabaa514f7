"""Find programs that are not on the search path. It needs the standard library only: judges.py runs before pytest."""

from __future__ import annotations

import shutil
from pathlib import Path

#: Debian keeps one directory for each version of PostgreSQL below this one.
DEBIAN = Path("/usr/lib/postgresql")


def of_postgresql() -> Path | None:
    """Return the directory with initdb and postgres: the newest of Debian, else of the path; None if there is none."""
    for place in sorted(DEBIAN.glob("*/bin"), key=_version, reverse=True):
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    found = shutil.which("initdb")
    return Path(found).parent if found and shutil.which("postgres") else None


def _version(place: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in place.parent.name.split(".") if part.isdigit())
