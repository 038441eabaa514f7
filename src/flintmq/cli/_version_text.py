"""The text of `flint version` and `dspmqver`."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import flintmq
from flintmq._build import build_type
from flintmq.catalogue.limits import COMMAND_LEVEL
from flintmq.host import instance

#: label -> the number that `dspmqver -f` has for it; 0 for what MQ does not show.
FIELDS = {
    "Name": 1,
    "Version": 2,
    "BuildType": 8,
    "Platform": 16,
    "Mode": 32,
    "Python": 0,
    "O/S": 64,
    "InstName": 512,
    "InstPath": 128,
    "DataPath": 4096,
    "MaxCmdLevel": 1024,
}


def installation_path() -> Path:
    """The working copy, or where the package is installed."""
    return Path(os.environ.get("FLINT_HOME") or Path(flintmq.__file__).parent)


def version_lines(fields: int | None = None) -> list[tuple[str, str]]:
    """Label and value, in the order they are printed: all, or those whose numbers `fields` is the sum of."""
    values = {
        "Name": "FlintMQ",
        "Version": flintmq.__version__,
        "BuildType": build_type(),
        "Platform": f"FlintMQ for {platform.system()} ({platform.machine()} platform)",
        "Mode": platform.architecture()[0].replace("bit", "-bit"),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "O/S": f"{platform.system()} {platform.release()}",
        "InstName": "FlintMQ",
        "InstPath": str(installation_path()),
        "DataPath": str(instance.data_directory()),
        "MaxCmdLevel": str(COMMAND_LEVEL),
    }
    return [(label, values[label]) for label, number in FIELDS.items() if fields is None or fields & number]


def print_version(fields: int | None = None, labels: bool = True) -> None:
    for label, value in version_lines(fields):
        print(f"{label + ':':<13}{value}" if labels else value)
