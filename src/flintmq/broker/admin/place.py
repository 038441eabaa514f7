"""The directory of a broker.

    $FLINTMQ_DATA/brokers/BRK/
    ├── broker.ini      its name and where its repository is; written last: without it the broker does not exist
    ├── lock            held by the broker process, or by a command that works on a stopped broker
    ├── repository.db   the repository, unless it is in another database
    ├── control         socket of the running broker
    ├── deployed/       deployed content, unpacked for the workers: DIGEST/NAME
    └── log/broker.log  its log

Everything is for its owner only.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flintmq.broker.admin.refusal import Refused
from flintmq.host.instance import data_directory
from flintmq.host.private import make_directory, opener

NAME: Final = re.compile(r"[A-Za-z0-9._%-]{1,48}")
_MAGIC: Final = "flintmq-broker"
_VERSION: Final = 1


@dataclass(frozen=True)
class Place:
    """Paths of a broker."""

    name: str
    directory: Path

    @property
    def ini(self) -> Path:
        """Return the file that makes the directory a broker."""
        return self.directory / "broker.ini"

    @property
    def lock(self) -> Path:
        """Return the lock file."""
        return self.directory / "lock"

    @property
    def deployed(self) -> Path:
        """Return the directory of unpacked content."""
        return self.directory / "deployed"

    @property
    def log(self) -> Path:
        """Return the log file."""
        return self.directory / "log" / "broker.log"

    def exists(self) -> bool:
        """Return whether the broker was completely created."""
        return self.ini.is_file()

    def repository_url(self) -> str:
        """Return the SQLAlchemy URL of the repository. Raise Refused if broker.ini cannot be read."""
        try:
            given = json.loads(self.ini.read_text("utf-8"))
            if given["magic"] != _MAGIC or given["version"] > _VERSION:
                raise ValueError("it is of a later version")
            url = str(given["repository"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Refused(8011, self.name, f"{self.ini} cannot be read: {error}") from None
        return url or f"sqlite:///{self.directory / 'repository.db'}"

    def write_ini(self, repository: str) -> None:
        """Make the broker exist. `repository` is a URL; empty for the file beside."""
        text = json.dumps({"magic": _MAGIC, "version": _VERSION, "name": self.name, "repository": repository}, indent=1)
        temporary = self.ini.with_suffix(".new")
        with open(temporary, "w", encoding="utf-8", opener=opener) as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.ini)

    def make(self) -> None:
        """Make the directories."""
        make_directory(self.directory, parents=True)
        make_directory(self.deployed)
        make_directory(self.log.parent)


def check_name(kind: str, name: str) -> str:
    """Return a valid name of a broker or execution group. Raise Refused."""
    if not NAME.fullmatch(name) or name.startswith("."):
        raise Refused(8001, f"{name!r} is no name of {kind}: 1 to 48 letters, digits and . _ % -")
    return name


def locate(name: str) -> Place:
    """Return the place of a broker, which need not exist."""
    check_name("a broker", name)
    return Place(name, data_directory() / "brokers" / name)


def existing(name: str) -> Place:
    """Return the place of a broker. Raise Refused if it does not exist."""
    place = locate(name)
    if not place.exists():
        raise Refused(8013, name)
    return place


def places() -> list[Place]:
    """Return all brokers in the order of their names."""
    parent = data_directory() / "brokers"
    directories = sorted(parent.iterdir()) if parent.is_dir() else []
    found = [Place(each.name, each) for each in directories if NAME.fullmatch(each.name)]
    return [each for each in found if each.exists()]
