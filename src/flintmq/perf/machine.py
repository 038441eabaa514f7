"""Facts about the machine of a run, read from the system, and software versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import flintmq

_PACKAGES = ("crc32c", "lmdb", "lz4", "uvloop", "mypy-extensions", "lxml", "sqlalchemy", "psycopg", "cryptography")


def facts(place: Path, versions: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the fields of the record `machine`; `place` is where the log lies."""
    return {
        "cpu_model": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": f"{platform.system()} {platform.release()}",
        "system": _system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {**_versions(), **(versions or {})},
        "file_system": file_system(place),
        "load": [round(each, 2) for each in os.getloadavg()],
    }


def commit() -> str:
    """Return the commit of the working copy that runs, "" for an installed package."""
    home = os.environ.get("FLINT_HOME") or str(Path(flintmq.__file__).resolve().parents[2])
    command = ["git", "-C", home, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    with suppress(OSError, subprocess.TimeoutExpired):
        ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
        if ended.returncode == 0:
            return ended.stdout.strip()
    return ""


def file_system(place: Path) -> str:
    """Return type and device of the file system that holds `place`."""
    best = ("", "", "")
    with suppress(OSError):
        there = str(place.resolve())
        for line in Path("/proc/self/mounts").read_text().splitlines():
            device, mount, kind, *_ = line.split(" ")
            mount = mount.replace("\\040", " ")
            inside = there == mount or there.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best[0]):
                best = (mount, kind, device)
    return f"{best[1]} on {best[2]}" if best[0] else "unknown"


def busy_seconds() -> tuple[float, float]:
    """Return how long all cores were busy, and how long they were there, since the machine started."""
    fields = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    ticks = os.sysconf("SC_CLK_TCK")
    return (sum(fields) - fields[3] - fields[4]) / ticks, sum(fields) / ticks


def _cpu_model() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Processor", "cpu model"):
                return value.strip()
    return platform.processor() or platform.machine()


def _system() -> str:
    with suppress(OSError):
        return str(platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()))
    return platform.system()


def _versions() -> dict[str, str]:
    found = {"flintmq": flintmq.__version__}
    for name in _PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found
