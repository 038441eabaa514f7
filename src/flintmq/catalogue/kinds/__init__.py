"""The kinds of objects, one file for each: it declares `KINDS`, a tuple of `Kind` (see kind.py).

A new kind is a new file here; it is found by its presence. Tables of other modules are made from `KINDS`, so they
contain the kind as well. Kinds that share a name space and most attributes, as queues do, share a file.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Final

from flintmq.catalogue.kind import Kind


def _order(kind: Kind) -> int:
    return kind.order


def _found() -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    for module in pkgutil.iter_modules(__path__):
        kinds += import_module(f"{__name__}.{module.name}").KINDS
    return tuple(sorted(kinds, key=_order))


#: Every kind, in order.
KINDS: Final = _found()
for _field in ("keyword", "order", "dump_order"):
    assert len({getattr(kind, _field) for kind in KINDS}) == len(KINDS), f"{_field} of two kinds is the same"
