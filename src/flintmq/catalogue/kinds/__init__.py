"""The kinds of objects, one file for each: it declares `KINDS`, a tuple of `Kind` (see kind.py).

A new kind is a new file here; it is found by its presence. Tables of other modules are made from `KINDS`, so they
contain the kind as well. Kinds that share a name space and most attributes, as queues do, share a file.

Invariants (checked by `check_kinds`):

    KD1  No two kinds have the same keyword, order or dump_order.
    KD2  Kinds have the same parameter of the name, the same messages or the same MQOT only if they share a name
         space; the messages of objects that only z/OS has are the same.
    KD3  No two kinds have a short form in common, and none is a keyword.
    KD4  Attributes that a kind names (type_attribute, counted, required) are among its attributes.
    KD5  A kind with DEFINE, ALTER, DELETE and DISPLAY has a PCF command for each, a parameter of the name, messages.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from typing import Final

from flintmq.catalogue.kind import Z_OS_MESSAGES, Kind


def _order(kind: Kind) -> int:
    return kind.order


def _found() -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    for module in pkgutil.iter_modules(__path__):
        kinds += import_module(f"{__name__}.{module.name}").KINDS
    return tuple(sorted(kinds, key=_order))


#: Every kind, in order.
KINDS: Final = _found()


def check_kinds(kinds: Iterable[Kind]) -> None:
    """Raise AssertionError if KD1 to KD5 do not hold."""
    seen: dict[tuple[str, object], Kind] = {}

    def once(what: str, value: object, kind: Kind, in_space: bool = False) -> None:
        other = seen.setdefault((what, value), kind)
        same = other is kind or (in_space and other.space == kind.space)
        assert same, f"{what} {value} of {kind.keyword} is also that of {other.keyword}"

    for kind in kinds:
        once("KD1: keyword", kind.keyword, kind)
        once("KD1: order", kind.order, kind)
        once("KD1: dump_order", kind.dump_order, kind)
        if kind.pcf.name:
            once("KD2: parameter", kind.pcf.name, kind, in_space=True)
        if kind.number:
            once("KD2: object type", kind.number, kind, in_space=True)
        if kind.messages is not None and kind.messages is not Z_OS_MESSAGES:
            once("KD2: message", kind.messages.shown, kind, in_space=True)
        keywords = {attribute.keyword for attribute in kind.attributes}
        named = {kind.type_attribute, *kind.counted, *(kind.mqsc.required if kind.mqsc is not None else ())} - {""}
        assert named <= keywords, f"KD4: {kind.keyword} has no attribute {', '.join(sorted(named - keywords))}"
        if kind.mqsc is not None:
            for synonym in kind.mqsc.synonyms:
                once("KD3: short form", synonym, kind)
            pcf = kind.pcf
            numbers = (pcf.create, pcf.change, pcf.delete, pcf.inquire, pcf.name)
            assert all(numbers) and kind.messages is not None, f"KD5: {kind.keyword}"
    for what, value in seen:
        assert what != "KD3: short form" or ("KD1: keyword", value) not in seen, f"KD3: {value} is a keyword"
