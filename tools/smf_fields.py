"""The page of SMF fields: for each structure that is written, what each field is made from, and what is always zero."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from flintmq.telemetry.recording import tables
from flintmq.telemetry.recording.records import NOT_WRITTEN, RELEASE
from flintmq.telemetry.recording.section import Constant, unmeasured
from flintmq.telemetry.smf.fields import Field, Structure
from flintmq.telemetry.smf.records import KINDS

_HEAD = f"""# Fields of SMF records

Made by `tools/reference.py` from the tables that the writer packs from (`telemetry/recording/tables.py`). Records have
the layout of release {RELEASE}. How to have them written: [Statistics and accounting](../concepts/statistics.md). A
column of the reference CSV is given beside each field; *counter* is our own word for where the value comes from.
"""


def page() -> str:
    """The whole page."""
    lines = [*_HEAD.splitlines(), ""]
    done: set[str] = set()
    for kind in KINDS:
        for structure in kind.sections.values():
            if structure.name in done:
                continue
            done.add(structure.name)
            lines += _structure(structure, [each.name for each in KINDS if structure in each.sections.values()])
    return "\n".join(lines) + "\n"


def _structure(structure: Structure, records: list[str]) -> list[str]:
    lines = [
        f"## {structure.name}",
        "",
        f"{structure.title[:1].upper()}{structure.title[1:]}; in {', '.join(records)}.",
    ]
    why = NOT_WRITTEN.get(structure.name)
    if why:
        return [*lines, "", f"Not written: {why}.", ""]
    table: Mapping[str, str] = getattr(tables, structure.name, tables.NOTHING)
    constants: Mapping[str, Constant] = getattr(tables, structure.name + "_CONSTANTS", {})
    length = structure.length_at(RELEASE)
    if table:
        lines += ["", "| offset | field | column | counter |", "|---:|---|---|---|"]
        for field in sorted((structure.find(name) for name in table), key=lambda each: each.offset):
            if field.end <= length:
                lines.append(f"| {field.offset} | {field.name} | {field.title} | {table[field.name]} |")
    fixed = [f"{name} = {_shown(value)}" for name, value in constants.items()]
    if fixed:
        lines += ["", f"Always the same: {', '.join(fixed)}."]
    zero = [field for field in unmeasured(structure, table, constants) if field.end <= length]
    if zero:
        lines += ["", *_wrapped("Zero, because nobody measures it: " + ", ".join(_names(zero, table)) + ".")]
    return [*lines, ""]


def _shown(value: Constant) -> str:
    if isinstance(value, int):
        return str(value)
    return f"'{value}'" if isinstance(value, str) and value.strip() else "blank"


def _names(fields: list[Field], measured: Mapping[str, str]) -> list[str]:
    """The fields; those of an array or a group together."""
    names: list[str] = []
    for field in fields:
        base = field.name.partition("_")[0]
        others = "others" if any(name.startswith(base + "_") for name in measured) else "all"
        shown = f"{base} ({others})" if field.name.partition("_")[2] else field.name
        if shown not in names:
            names.append(shown)
    return names


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)
