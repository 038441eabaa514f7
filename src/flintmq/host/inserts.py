"""Inserts: `+NAME+` in a text stands for the value of NAME."""

from __future__ import annotations

import re

_INSERT = re.compile(r"\+(\w+)\+")


def replaced(text: str, inserts: dict[str, str]) -> str:
    """Return `text` with +NAME+ replaced by the value of NAME. An unknown NAME stays as it is."""
    return _INSERT.sub(lambda found: inserts.get(found[1], found[0]), text)
