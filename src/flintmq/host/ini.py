"""Stanza files: mqs.ini and qm.ini.

    Log:
       LogPrimaryFiles=3
       LogType=CIRCULAR

A stanza is a name with a colon at the beginning of a line, then `Key=Value` lines; a stanza may occur more than once.
`#` and `;` begin a comment line. Keys are compared without regard to case, as MQ does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from flintmq.host.private import opener


class IniError(Exception):
    """A line that is neither a stanza, nor a key, nor a comment. Says file and line."""


@dataclass
class Stanza:
    """One stanza, its keys in the order of the file."""

    name: str
    values: dict[str, str] = field(default_factory=dict)

    def get(self, key: str, default: str = "") -> str:
        """Return the value of `key`, compared without regard to case."""
        for each, value in self.values.items():
            if each.lower() == key.lower():
                return value
        return default

    def set(self, key: str, value: str) -> None:
        """Set `key`, under the spelling the file has."""
        for each in self.values:
            if each.lower() == key.lower():
                key = each
        self.values[key] = value


def parse(text: str, origin: str = "") -> list[Stanza]:
    """Return the stanzas in `text`. Raise IniError; `origin` is the file for its message."""
    stanzas: list[Stanza] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not content or content[0] in "#;":
            continue
        name, equals, value = content.partition("=")
        if equals and stanzas:
            stanzas[-1].values[name.strip()] = value.strip()
        elif content.endswith(":") and not equals:
            stanzas.append(Stanza(content[:-1].strip()))
        else:
            where = f"{origin}, line {number}" if origin else f"line {number}"
            raise IniError(f"{where}: {content[:60]!r} is neither `Stanza:` nor `Key=Value` in a stanza")
    return stanzas


def render(stanzas: list[Stanza], head: str = "") -> str:
    """Return the text of a stanza file, with `head` as comment lines above."""
    lines = [f"#* {line}".rstrip() for line in head.splitlines()]
    for stanza in stanzas:
        lines.append(f"{stanza.name}:")
        lines += [f"   {key}={value}" for key, value in stanza.values.items()]
    return "\n".join(lines) + "\n"


def read(path: Path) -> list[Stanza]:
    """Return the stanzas of a file, none if it does not exist."""
    try:
        text = path.read_text("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return []
    return parse(text, str(path))


def write(path: Path, stanzas: list[Stanza], head: str = "", private: bool = True) -> None:
    """Replace a file atomically and durably.

    The new file is for its owner only, unless it is not `private`.
    """
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)  # A file left by a crash may have another mode.
    with open(new, "w", encoding="utf-8", opener=opener if private else None) as file:
        file.write(render(stanzas, head))
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def find(stanzas: list[Stanza], name: str) -> Stanza | None:
    """Return the first stanza of that name."""
    return next((each for each in stanzas if each.name.lower() == name.lower()), None)
