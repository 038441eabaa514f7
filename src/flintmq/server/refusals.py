"""The last refusals of a queue manager on disk, and in words.

`errors/refusals.json` in the queue manager's directory, for its owner only, has the refusals of qmgr/refusal.py. It is
written a second after a change and when the queue manager ends. `flint explain` reads it when no process answers.

    {"version": 2, "refusals": [{"time_ms": ..., "number": "AMQ8077W", "reason": 2035, "what": ..., "user": ...,
     "channel": ..., "address": ..., "application": ..., "rule": ..., "remedies": [...]}, ...]}
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flintmq.mqi.printable import printable
from flintmq.mqi.reason import reason_name
from flintmq.qmgr.calls import KEPT_MAX, Refusal, shown

NAME = "refusals.json"
#: Files of version 1 may have commands with unescaped text of clients: their commands are not shown.
VERSION = 2
_PLAIN = re.compile(r"[\w.:()/@%-]{1,80}", re.ASCII)
_TEXTS = ("number", "what", "user", "channel", "address", "application", "rule")


def to_json(refusals: Iterable[Refusal]) -> list[dict[str, Any]]:
    """Return refusals as the file has them."""
    return [
        {
            "time_ms": each.time_ms,
            "reason": each.reason,
            "remedies": each.remedies,
            **{name: getattr(each, name) for name in _TEXTS},
        }
        for each in refusals
    ]


def from_json(rows: object) -> list[Refusal]:
    """Return the refusals of a file; leave out rows that are no refusals."""
    found: list[Refusal] = []
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        refused = Refusal(str(row.get("number", "")), _number(row.get("reason")), str(row.get("what", "")))
        refused.time_ms = _number(row.get("time_ms"))
        for name in _TEXTS[2:]:
            setattr(refused, name, str(row.get(name, "")))
        remedies = row.get("remedies")
        refused.remedies = [str(each) for each in remedies] if isinstance(remedies, list) else []
        found.append(refused)
    return found[-KEPT_MAX:]


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def save(directory: Path, refusals: list[Refusal]) -> None:
    """Replace the file as a whole. A failure to write it is ignored."""
    path = directory / NAME
    try:
        opened = os.open(path.with_suffix(".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(opened, "w", encoding="utf-8", errors="replace") as file:
            json.dump({"version": VERSION, "refusals": to_json(refusals)}, file)
        os.replace(path.with_suffix(".new"), path)
    except OSError:
        return


def load(directory: Path) -> list[Refusal]:
    """Load the saved refusals; none if there is no file, or an unreadable one."""
    try:
        content = json.loads((directory / NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(content, dict):
        return []
    found = from_json(content.get("refusals"))
    if _number(content.get("version")) < VERSION:
        for refused in found:
            refused.remedies = []
    return found


# -- in words ---------------------------------------------------------------------------------------------------------


def explained(refusals: list[Refusal], count: int) -> list[str]:
    """Explain the last `count` refusals, the latest first; equal ones once.

    They contain text from clients, so every line is escaped: it stays one line and moves no cursor.
    """
    lines: list[str] = []
    groups: dict[tuple[str, ...], list[Refusal]] = {}
    for refused in reversed(refusals):
        address = refused.address.partition("(")[0]
        key = (refused.number, refused.user, refused.channel, address, refused.rule, *refused.remedies[:1])
        groups.setdefault(key, []).append(refused)
    for group in list(groups.values())[:count]:
        lines += [*(printable(line) for line in _told(group)), ""]
    return lines


def _told(group: list[Refusal]) -> list[str]:
    last = group[0]
    again = f", {len(group)} times since {_when(group[-1])}" if len(group) > 1 else ""
    reason = f"   {last.reason} {reason_name(last.reason)}" if last.reason else "   the socket was closed"
    lines = [f"{_when(last)}{again}{reason}   {last.number}", f"    {last.what}"]
    who = [
        f"{word} {_value(value)}"
        for word, value in (
            ("user", last.user),
            ("application", last.application),
            ("address", last.address),
            ("channel", last.channel),
        )
        if value
    ]
    if who:
        lines.append(f"    {', '.join(who)}")
    lines.append(f"    decided by  {last.rule}")
    for number, remedy in enumerate(last.remedies):
        lines.append(f"    {'to allow it' if number == 0 else '         or'} {remedy.removeprefix('* ')}")
    return lines


def _value(text: str) -> str:
    """Quote one of several values in a line if it could be taken for more than one."""
    return text if _PLAIN.fullmatch(text) else f"'{shown(text)}'"


def _when(refused: Refusal) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(refused.time_ms / 1000))
