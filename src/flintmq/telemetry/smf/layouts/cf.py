"""CFSTAT, coupling facility requests inside WTAS and WQ: for each call 20 entries, one per kind of request."""

from __future__ import annotations

#: Kinds 14 to 19 are not used.
KINDS = (
    "Lock",
    "Unlock",
    "WrLCCtl",
    "SigXCF",
    "SigCF",
    "Read",
    "Write",
    "StartMon",
    "StopMon",
    "ReadList",
    "New",
    "Move",
    "MoveEntry",
    "Delete",
)
ENTRIES = 20


def cf_labels(*calls: str, without: tuple[str, ...] = ()) -> list[str]:
    """Return the labels of the entries of several calls, one call after the other; `-` where an entry is not used."""
    labels = []
    for call in calls:
        used = ["-" if kind in without else f"{call}_{kind}" for kind in KINDS]
        labels += used + ["-"] * (ENTRIES - len(used))
    return labels
