"""IBM MQ streaming queues: one and six copies, by stream queue and by publish/subscribe.

All putters step 1, 9, 17 ... 41 (1, 6 ... 41 for six copies). The queues of the largest step and their getters exist
from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flintmq.perf.catalogue.workload import KB, Anchor, Workload

_ONE = (1, 9, 17, 25, 33, 41)
_SIX = (1, 6, 11, 16, 21, 26, 31, 36, 41)
#: In the full suite.
_SOME = {_ONE: (1, 9, 25, 41), _SIX: (1, 6, 16, 41)}
_HERE = "drivers are on the same machine and connect locally; the report has clients on other hosts (--mode tcp)"
_COMMON = {"size": 2 * KB, "persistent": True, "syncpoint": "both", "drain_batch": 1}


def _made(
    number: int,
    title: str,
    base: Mapping[str, Any],
    clients: tuple[int, ...],
    row: tuple[str, str],
    behaviours: tuple[int, ...],
) -> Workload:
    return Workload(
        f"SQ-W{number:02}",
        title,
        "stream",
        {**_COMMON, **base},
        {"clients": clients},
        {"clients": (4,)},
        {"clients": _SOME[clients]},
        ramp="clients",
        operation="put by App1",
        anchors=(Anchor("streamq", *row),),
        behaviours=behaviours,
        remark=_HERE,
    )


_T1 = "B Table 1 (6.1-6.2)"
_T2 = "B Table 2 (6.3)"

WORKLOADS = (
    _made(1, "baseline", {"streamq": "none"}, _ONE, (_T1, "baseline"), (91, 92, 96)),
    _made(2, "one copy, BESTEF", {"streamq": "BESTEF"}, _ONE, (_T1, "single duplicate"), (85, 89, 95)),
    _made(3, "one copy, MUSTDUP", {"streamq": "MUSTDUP"}, _ONE, (_T1, "single duplicate"), (87,)),
    _made(
        4,
        "one copy, drained in batches of 10",
        {"streamq": "BESTEF", "drain_batch": 10},
        _ONE,
        (_T1, "single duplicate"),
        (86, 93),
    ),
    _made(5, "one copy, publish/subscribe", {"streamq": "pubsub", "copies": 1}, _ONE, (_T1, "single duplicate"), (85,)),
    _made(
        6,
        "six copies, stream queue to topic alias",
        {"streamq": "alias", "copies": 6},
        _SIX,
        (_T2, "six duplicates"),
        (88,),
    ),
    _made(7, "six copies, publish/subscribe", {"streamq": "pubsub", "copies": 6}, _SIX, (_T2, "six duplicates"), (88,)),
    Workload(
        "SQ-W08",
        "non-persistent set",
        "stream",
        {**_COMMON, "persistent": False, "syncpoint": "none"},
        {"streamq": ("none", "BESTEF", "MUSTDUP", "pubsub", "alias"), "copies": (1, 6), "clients": (9, 25)},
        {"clients": (4,)},
        skip=({"streamq": ("none", "BESTEF", "MUSTDUP"), "copies": (6,)}, {"streamq": ("alias",), "copies": (1,)}),
        ramp="clients",
        operation="put by App1",
        anchors=(
            Anchor("streamq", "B Table 4 (6.4)", "baseline"),
            Anchor("streamq", "B Table 4 (6.4)", "single duplicate"),
            Anchor("streamq", "B Table 4 (6.4)", "six duplicates"),
        ),
        behaviours=(87, 88, 90),
        remark=_HERE,
    ),
)
