"""The catalogue: every workload of the five performance reports, as data.

    workload.py   the fields of a workload
    zos93.py      Z93-...    IBM MQ for z/OS 9.3
    zos701.py     Z701-...   WebSphere MQ for z/OS V7.0.1
    wmqi21.py     WMQI-...   WebSphere MQ Integrator for z/OS V2.1
    linux92.py    L92-...    IBM MQ V9.2 for Linux
    streamq.py    SQ-...     IBM MQ streaming queues

A workload that waits for a feature of FlintMQ is listed with it and is not run.
"""

from __future__ import annotations

from flintmq.perf.catalogue import linux92, streamq, wmqi21, zos93, zos701
from flintmq.perf.catalogue.workload import Anchor, Workload

__all__ = ["WORKLOADS", "Anchor", "UnknownWorkload", "Workload", "find"]

WORKLOADS: dict[str, Workload] = {
    each.id: each
    for document in (
        zos93.WORKLOADS,
        zos701.WORKLOADS,
        wmqi21.WORKLOADS,
        linux92.WORKLOADS,
        streamq.WORKLOADS,
    )
    for each in document
}


class UnknownWorkload(Exception):
    """An id that is not in the catalogue. The text names similar ones."""

    exit_code = 2


def find(name: str) -> Workload:
    """Return a workload by its id, in any case of letters. Raise UnknownWorkload."""
    found = WORKLOADS.get(name.upper())
    if found is not None:
        return found
    similar = [each for each in WORKLOADS if name.upper() in each][:5]
    hint = f"; there are {', '.join(similar)}" if similar else "; `flint perf list` shows all"
    raise UnknownWorkload(f"there is no workload {name}{hint}")
