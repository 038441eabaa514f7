"""WebSphere MQ for z/OS V7.0.1: scalability, indexed queues, restart, log compression, selection."""

from __future__ import annotations

from flintmq.perf.catalogue.workload import KB, MB, Anchor, Workload
from flintmq.perf.catalogue.zos93 import SHARING


def _anchor(section: str, workload: str) -> Anchor:
    return Anchor("zos701", section, workload)


_PAIRS = (1, 2, 4, 8, 15, 22, 30)
_LOW = {"per_pair": 1, "size": KB, "indexed": True}
_HIGH = {"clients": 5, "servers": 4, "pairs": 1, "indexed": True}
_SELECT = {"size": KB, "properties": 15, "pairs": 1, "indexed": True}
_SELECTORS = ("correlid", "string", "property")

WORKLOADS = (
    Workload(
        "Z701-W01",
        "small messages, low contention, out of syncpoint",
        "request-reply",
        {**_LOW, "syncpoint": "none"},
        {"pairs": _PAIRS},
        {"pairs": (1, 4)},
        {"pairs": (1, 4, 8, 15, 30)},
        ramp="pairs",
        anchors=(_anchor("Small message scavenger", "low contention, out of syncpoint, 1-30 queue pairs"),),
        behaviours=(141, 142),
    ),
    Workload(
        "Z701-W02",
        "small messages, high contention, out of syncpoint",
        "request-reply",
        {**_HIGH, "syncpoint": "none"},
        {"size": (KB, 4 * KB, 16 * KB)},
        {"size": (KB,)},
    ),
    Workload(
        "Z701-W03",
        "small messages, low contention, server in syncpoint",
        "request-reply",
        {**_LOW, "syncpoint": "server"},
        {"pairs": _PAIRS},
        {"pairs": (1, 4)},
        {"pairs": (1, 4, 8, 15, 30)},
        ramp="pairs",
        anchors=(_anchor("Small message scavenger", "low contention, server in syncpoint, 1-30 queue pairs"),),
        behaviours=(143,),
    ),
    Workload(
        "Z701-W04",
        "small messages, high contention, server in syncpoint",
        "request-reply",
        {**_HIGH, "syncpoint": "server"},
        {"size": (KB, 4 * KB, 16 * KB)},
        {"size": (KB,)},
    ),
    Workload(
        "Z701-W05",
        "depth limit of an indexed queue",
        "fill",
        {"size": 100, "indexed": True},
        {"depth": (200_000,)},
        {"depth": (10_000,)},
        {"depth": (100_000,)},
        operation="put",
        anchors=(_anchor("Indexed queues: depth", "depth limit of one indexed queue"),),
        remark="stops at a depth, not where storage ends; memory for each message is measured",
    ),
    Workload(
        "Z701-W06",
        "put cost by depth",
        "put",
        {"clients": 1, "size": KB, "indexed": True, "drained": False},
        {"depth": (0, 10_000, 50_000, 200_000)},
        {"depth": (0, 10_000)},
        {"depth": (0, 10_000, 100_000)},
        operation="put",
        anchors=(_anchor("Indexed queues: put cost", "1KB non-persistent puts to a deepening indexed queue"),),
        behaviours=(144, 146),
    ),
    Workload(
        "Z701-W07",
        "get cost by depth",
        "request-reply",
        {"clients": 2, "servers": 2, "pairs": 1, "size": KB, "indexed": True, "syncpoint": "none"},
        {"depth": (0, 1_000, 10_000, 100_000)},
        {"depth": (0, 10_000)},
        {"depth": (0, 10_000, 100_000)},
        anchors=(_anchor("Indexed queues: get cost", "request/reply on pre-loaded indexed queue"),),
    ),
    Workload(
        "Z701-W08",
        "restart with one deep indexed queue",
        "restart",
        {"size": 100, "persistent": True, "queues": 1, "indexed": True},
        {"depth": (10_000, 100_000, 500_000)},
        {"depth": (5_000,)},
        {"depth": (10_000, 50_000)},
        operation="restart",
        anchors=(
            _anchor(
                "Indexed queues: restart", "restart with one deep indexed queue, 100 byte messages, MAXSHORTMSGS 0"
            ),
        ),
    ),
    Workload(
        "Z701-W09",
        "restart with several deep indexed queues",
        "restart",
        {"size": 100, "persistent": True, "indexed": True, "depth": 50_000},
        {"queues": (1, 2, 4)},
        {"queues": (2,), "depth": (2_000,)},
        {"depth": (10_000,)},
        operation="restart",
        anchors=(_anchor("Indexed queues: restart", "restart with several deep indexed queues"),),
    ),
    Workload(
        "Z701-W10",
        "security storage by user",
        "users",
        {"size": 100},
        {"users": (50, 500), "queues": (1, 10)},
        {"users": (30,), "queues": (1,)},
        {"users": (10, 40)},
        operation="user",
        anchors=(_anchor("Security manager", "CICS sign-on + MQ transaction, many user ids"),),
        behaviours=(208,),
        remark="users connect over a channel, one after the other",
    ),
    Workload(
        "Z701-W11",
        "security storage reuse",
        "users",
        {"size": 100, "queues": 10, "passes": 2},
        {"users": (100,)},
        {"users": (20,)},
        {"users": (20,)},
        operation="user",
        behaviours=(211,),
    ),
    Workload(
        "Z701-W12",
        "log compression",
        "request-reply",
        {"clients": 60, "servers": 10, "pairs": 1, "persistent": True, "syncpoint": "both", "indexed": True},
        {
            "size": (100, KB, 4 * KB, 100 * KB, MB),
            "compression": ("none", "RLE"),
            "compressible": (0, 10, 50, 90),
        },
        {"size": (4 * KB, 100 * KB), "compressible": (50,)},
        {"size": (KB, 100 * KB, MB), "compressible": (0, 50, 90)},
        full_skip=({"compression": ("none",), "compressible": (50, 90)},),
        anchors=(_anchor("Log compression", "persistent request/reply, 60 requesters, 10 servers"),),
        behaviours=(114, 116, 120, 121, 122, 123),
    ),
    Workload(
        "Z701-W13",
        "select on get, local queue",
        "request-reply",
        {**_SELECT, "syncpoint": "none"},
        {"selector": _SELECTORS, "clients": (1, 2, 4, 8, 15)},
        {"clients": (4,)},
        {"clients": (1, 4, 15)},
        anchors=(_anchor("Select on get", "select by property, n getters"),),
        behaviours=(225, 227),
    ),
    Workload(
        "Z701-W14",
        "select on get, deep queue",
        "request-reply",
        {**_SELECT, "clients": 1, "syncpoint": "none"},
        {"selector": _SELECTORS, "depth": (0, 100, 1_000, 10_000, 100_000)},
        {"selector": ("correlid", "property"), "depth": (0, 1_000)},
        {"depth": (0, 1_000, 10_000)},
        anchors=(_anchor("Select on get", "select by property, deep queue"),),
        behaviours=(226, 228),
        remark="the full suite stops at a depth of 10,000; the report and `flint perf run` have 100,000",
    ),
    Workload("Z701-W15", "select on get, shared queue, one queue manager", needs=SHARING, behaviours=(229,)),
    Workload("Z701-W16", "select on get, shared queue, two queue managers", needs=SHARING, behaviours=(229,)),
    *(
        Workload(
            name,
            f"JMS selectors, {bindings} bindings",
            "request-reply",
            {**_SELECT, "mode": mode, "syncpoint": "none"},
            {"selector": ("correlid", "string", "property"), "clients": (1, 4, 10)},
            {"selector": ("correlid", "string"), "clients": (4,)},
            {"clients": (1, 10)},
            behaviours=(219, 223),
            remark="selectors as JMS writes them, from Python drivers",
        )
        for name, bindings, mode in (("Z701-W17", "local", "local"), ("Z701-W18", "client", "tcp"))
    ),
    Workload(
        "Z701-W19",
        "cost of message properties",
        "put",
        {"clients": 1, "size": KB},
        {"properties": (0, 1, 2, 5, 10, 15)},
        {"properties": (0, 1, 15)},
        {"properties": (0, 1, 5, 15)},
        operation="put",
        anchors=(_anchor("Select on get", "message properties on put"),),
        behaviours=(224,),
    ),
)
