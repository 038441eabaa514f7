"""IBM MQ for z/OS 9.3: storage, streaming queues and the regression suite."""

from __future__ import annotations

from flintmq.perf.catalogue.workload import KB, MB, Anchor, Workload

SHARING = "queue-sharing groups (shared queues)"
CHANNELS = "message channels"
CLUSTERS = "clusters"
_SIZES = (2 * KB, 64 * KB, 4 * MB)
_STREAM = ("none", "BESTEF", "MUSTDUP")


def _anchor(section: str, workload: str) -> Anchor:
    return Anchor("zos93", section, workload)


_PRIVATE_PUT = _anchor("6 Private: MQPUT by message size", "single batch task put-then-commit, private queue")
_PAIRS = _anchor("A Private queue scalability", "request/reply over 15 page sets, out of syncpoint")
_UPPER = "3 batch tasks put+get; 1 task at 1KB, 2 tasks vary 1KB-4MB"
_RAMP = "1 putter + 2 getters per queue, 1-10 queues, non-persistent"

STORAGE = (
    Workload(
        "Z93-S01",
        "storage per connection",
        "footprint",
        {"clients": 200},
        {"mode": ("local", "tcp"), "sharing": (0, 1, 10)},
        {"mode": ("local", "tcp"), "sharing": (1,)},
        operation="connection",
        anchors=(
            _anchor("2 CSA usage", "CSA per connection"),
            _anchor("2 Capacity of queue manager", "storage per connection (below 2GB bar)"),
        ),
        behaviours=(162, 163),
        remark="resident memory of the queue manager process for each idle connection",
    ),
    Workload(
        "Z93-S02",
        "SVRCONN channel footprint",
        "footprint",
        {"mode": "tcp", "clients": 200},
        {"sharing": (0, 1, 10), "size": (KB, 10 * KB, 32 * KB, 64 * KB)},
        {"sharing": (1,), "size": (KB, 64 * KB)},
        operation="connection",
        anchors=(_anchor("2 Channel initiator footprint", "SVRCONN channel footprint"),),
        behaviours=(165,),
    ),
    Workload("Z93-S03", "MCA channel footprint", needs=CHANNELS, behaviours=(166,)),
    Workload(
        "Z93-S04",
        "object definition storage",
        "definitions",
        {"depth": 1000},
        {"case": ("QLOCAL", "QALIAS", "TOPIC", "SUB", "NAMELIST", "PROCESS", "CHANNEL")},
        {"case": ("QLOCAL", "TOPIC")},
        operation="definition",
    ),
    Workload(
        "Z93-S05",
        "accounting interval cost",
        "put",
        {"clients": 1, "rate": 100.0, "size": KB},
        {"recording": ("none", "ACCTIME(1.00)", "ACCTIME(0.15)", "ACCTIME(0.01)")},
        {"recording": ("none", "ACCTIME(0.01)")},
        operation="put",
        anchors=(_anchor("4 SMF enhancements", "SMF cost"),),
        behaviours=(1, 6),
    ),
    Workload(
        "Z93-S06",
        "queue statistics against PCF",
        "statistics",
        {},
        {"queues": (10, 100, 1000), "case": ("class5", "inquire")},
        {"queues": (100,)},
        operation="interval",
        anchors=(_anchor("5 Statistics class(5)", "queue statistics"),),
        behaviours=(32,),
    ),
)

STREAMING = (
    Workload(
        "Z93-Q01",
        "ten puts between open and close",
        "put",
        {"clients": 1, "reopen": 10, "size": KB},
        {"streamq": ("none", "BESTEF")},
        operation="open, 10 puts, close",
        anchors=(_anchor("6 Streaming queues: accounting sample", "batch task, 10 MQPUTs, 1KB non-persistent"),),
        behaviours=(35, 56, 57),
    ),
    Workload(
        "Z93-Q02",
        "open and close, private queue",
        "open",
        {"clients": 2},
        {"case": ("plain", "streamq", "topic-0", "topic-1", "topic-2")},
        operation="open and close",
        anchors=(_anchor("6 Private: MQOPEN and MQCLOSE", "MQOPEN/MQCLOSE cost, private queue"),),
        behaviours=(57,),
    ),
    Workload(
        "Z93-Q03",
        "put and commit by size, private queue",
        "put",
        {"clients": 1, "syncpoint": "both"},
        {"size": tuple(n * KB for n in (2, 4, 8, 16, 32, 64, 128)), "streamq": ("none", "BESTEF", "MUSTDUP")},
        {"size": (2 * KB, 64 * KB), "streamq": ("none", "BESTEF")},
        operation="put",
        anchors=(_PRIVATE_PUT,),
        behaviours=(57, 71),
    ),
    *(
        Workload(f"Z93-Q{number:02}", title, needs=SHARING, behaviours=behaviours)
        for number, title, behaviours in (
            (4, "open and close, shared queue", (73, 74, 75, 76)),
            (5, "shared put by call type", (77, 78, 79)),
            (6, "shared put by size", ()),
            (7, "shared commit with one or two structures", (80,)),
        )
    ),
    Workload(
        "Z93-Q08",
        "three views of streaming cost",
        "put",
        {"clients": 1, "syncpoint": "both", "recording": "ACCTIME(0.01)"},
        {"size": (2 * KB, 32 * KB, 128 * KB), "streamq": ("none", "BESTEF")},
        {"size": (2 * KB,)},
        operation="put",
        anchors=(_anchor("6 How much will streaming queues cost", "simple batch put application"),),
        behaviours=(81,),
        remark="private queues; accounting classes 1 and 3 are in the SMF dumps of the run",
    ),
    Workload(
        "Z93-Q09",
        "page set full by quality of service",
        "page-set-full",
        {"size": KB, "pages": 20_157, "depth": 30_000},
        {"streamq": ("BESTEF", "MUSTDUP")},
        {},
        operation="put",
        anchors=(
            _anchor(
                "6 Must duplicate or best effort", "500,000 puts of 1KB non-persistent, stream queue page set too small"
            ),
        ),
        behaviours=(42, 43, 47, 48),
        remark="30,000 puts instead of 500,000: the page set is full after 20,000",
    ),
    Workload(
        "Z93-Q10",
        "BESTEF against MUSTDUP ramp",
        "stream-reply",
        {},
        {"streamq": _STREAM, "pairs": tuple(range(1, 11))},
        {"streamq": ("BESTEF", "MUSTDUP"), "pairs": (1, 4)},
        ramp="pairs",
        anchors=(_anchor("6 MUSTDUP vs BESTEF performance", _RAMP),),
        behaviours=(82,),
    ),
    Workload(
        "Z93-Q11",
        "stream queue against publish/subscribe ramp",
        "stream-reply",
        {},
        {"streamq": ("BESTEF", "MUSTDUP", "pubsub"), "pairs": tuple(range(1, 11))},
        {"streamq": ("BESTEF", "pubsub"), "pairs": (1, 4)},
        ramp="pairs",
        anchors=(
            _anchor(
                "6 Streaming queues vs pub/sub",
                "1 putter + 2 getters per queue or topic alias, 1-10 queues, non-persistent",
            ),
        ),
        behaviours=(83,),
    ),
    Workload(
        "Z93-Q12",
        "expiry saw-tooth",
        "saw-tooth",
        {"rate": 200.0, "size": KB},
        {"cap_s": (20.0,), "interval_s": (5,)},
        {"cap_s": (2.0,), "interval_s": (1,)},
        operation="put",
        anchors=(_anchor("6 Streaming queues and expiry", "expiry saw-tooth"),),
        behaviours=(100, 101),
        remark="a sixtieth of the times of the report: cap 20 s for 20 minutes, scans every 5 s for 300 s",
    ),
    Workload(
        "Z93-Q13",
        "expiry task cost",
        "expiry",
        {"size": 100},
        {"depth": (20_000, 100_000)},
        {"depth": (5_000,)},
        operation="expired message",
        anchors=(_anchor("6 Streaming queues and expiry", "expiry cost"),),
        behaviours=(102, 104),
        remark="private queue; the shared half needs queue-sharing groups",
    ),
    Workload(
        "Z93-Q14",
        "persistent logging ceiling with stream queue",
        "put-get",
        {"clients": 3, "persistent": True, "syncpoint": "both"},
        {"size": (KB, 32 * KB, 64 * KB, MB, 4 * MB), "streamq": ("none", "BESTEF")},
        {"size": (KB, 64 * KB)},
        operation="put and get",
        anchors=(_anchor("6 Persistent messaging", "persistent logging upper bound with stream queue"),),
        behaviours=(59, 108, 110, 111),
    ),
    Workload(
        "Z93-Q15",
        "many copies through a topic alias",
        "stream-reply",
        {"size": KB, "pairs": 1},
        {"streamq": ("alias", "pubsub"), "copies": (0, 1, 2, 3, 4, 5)},
        {"copies": (0, 2)},
        anchors=(_anchor("6 Multiple copies", "STREAMQ to topic alias vs pub/sub, 1KB non-persistent"),),
        behaviours=(49, 84),
    ),
)

REGRESSION = (
    Workload(
        "Z93-R01",
        "private request/reply, non-persistent, out of syncpoint",
        "request-reply",
        {"clients": 5, "servers": 4, "pairs": 1, "syncpoint": "none"},
        {"size": _SIZES},
        {"size": (2 * KB, 64 * KB)},
        anchors=(_anchor("A Regression", "all regression tests"),),
        behaviours=(185, 200, 201),
    ),
    Workload(
        "Z93-R02",
        "scalability over 15 page sets, out of syncpoint",
        "request-reply",
        {"syncpoint": "none", "per_pair": 1},
        {"pairs": (1, 2, 4, 6, 8, 10, 12, 15)},
        {"pairs": (1, 4)},
        ramp="pairs",
        anchors=(_PAIRS,),
        behaviours=(145, 202),
    ),
    Workload(
        "Z93-R03",
        "private request/reply, non-persistent, server in syncpoint",
        "request-reply",
        {"clients": 5, "servers": 4, "pairs": 1, "syncpoint": "server"},
        {"size": _SIZES},
        {"size": (2 * KB, 64 * KB)},
    ),
    Workload(
        "Z93-R04",
        "scalability, non-persistent, server in syncpoint",
        "request-reply",
        {"syncpoint": "server", "per_pair": 1},
        {"size": _SIZES, "pairs": (1, 2, 4, 6, 10, 15)},
        {"size": (2 * KB,), "pairs": (1, 4)},
        ramp="pairs",
        behaviours=(145,),
    ),
    Workload(
        "Z93-R05",
        "private request/reply, persistent",
        "request-reply",
        {"clients": 60, "servers": 10, "pairs": 1, "syncpoint": "both", "persistent": True},
        {"size": (2 * KB, 64 * KB, MB)},
        {"size": (2 * KB,)},
    ),
    Workload(
        "Z93-R06",
        "persistent logging upper bound",
        "put-get",
        {"clients": 3, "persistent": True, "syncpoint": "both"},
        {"size": (KB, 4 * KB, 16 * KB, 64 * KB, 256 * KB, MB, 4 * MB)},
        {"size": (KB, 64 * KB, MB)},
        operation="put and get",
        anchors=(_anchor("A Persistent logging upper bound", _UPPER),),
        behaviours=(112, 124),
        remark="all three tasks have the varied size; one log copy",
    ),
    Workload(
        "Z93-R07",
        "CICS-like short tasks",
        "put-get",
        {"reopen": 1},
        {"clients": (64, 128, 256, 512)},
        {"clients": (64,)},
        operation="open, put, get, close",
        anchors=(_anchor("A CICS workload", "CICS open/put/get/close, 2KB non-persistent"),),
        behaviours=(203,),
        remark="tasks stay connected: there is no transaction manager around them",
    ),
    *(
        Workload(f"Z93-R{number:02}", title, needs=needs, behaviours=behaviours)
        for number, title, needs, behaviours in (
            (8, "shared queue, non-persistent, out of syncpoint", SHARING, ()),
            (9, "shared queue, non-persistent, server in syncpoint", SHARING, ()),
            (10, "data sharing, server in syncpoint", SHARING, (205,)),
            (11, "sender/receiver channels, 1 to 5", CHANNELS, (207,)),
            (12, "TLS channels without key renegotiation", CHANNELS, (172,)),
            (13, "TLS channels with key renegotiation", CHANNELS, (172,)),
            (14, "channel compression ZLIBFAST", CHANNELS, (173, 174)),
            (15, "channel compression ZLIBHIGH", CHANNELS, (173, 174)),
            (16, "ZLIBFAST on TLS channels", CHANNELS, ()),
            (17, "ZLIBHIGH on TLS channels", CHANNELS, ()),
            (18, "one-way streaming between two queue managers", CHANNELS, (175,)),
            (19, "cluster, bind-on-open", CLUSTERS, (176, 177)),
            (20, "cluster, bind-not-fixed", CLUSTERS, (177,)),
        )
    ),
    Workload(
        "Z93-R21",
        "client pass-through, SHARECNV(0)",
        "pass",
        {"mode": "tcp", "sharing": 0},
        {"size": (2 * KB, 64 * KB), "pairs": (1, 2, 4, 8)},
        {"size": (2 * KB,), "pairs": (1, 4)},
        ramp="pairs",
        operation="message passed",
        behaviours=(171,),
    ),
    Workload(
        "Z93-R22",
        "client pass-through, SHARECNV(1), asynchronous put and read-ahead",
        "pass",
        {"mode": "tcp", "sharing": 1, "read_ahead": True},
        {"size": (2 * KB, 64 * KB), "pairs": (1, 2, 4, 8)},
        {"size": (2 * KB,), "pairs": (1, 4)},
        ramp="pairs",
        operation="message passed",
        behaviours=(171,),
    ),
    Workload("Z93-R23", "IMS bridge, commit mode 0", needs="z/OS (IMS bridge)", behaviours=(206,)),
    Workload("Z93-R24", "IMS bridge, commit mode 1", needs="z/OS (IMS bridge)", behaviours=(206,)),
    Workload(
        "Z93-R25",
        "global trace",
        "request-reply",
        {"syncpoint": "none", "per_pair": 1, "pairs": 4},
        {"trace": ("none", "GLOBAL")},
        anchors=(_anchor("A Trace", "TRACE(G) DEST(RES) on 2KB scalability"),),
        behaviours=(198,),
    ),
    Workload(
        "Z93-R26",
        "channel trace",
        "pass",
        {"mode": "tcp", "sharing": 0},
        {"trace": ("none", "CHINIT"), "pairs": (1, 4, 8)},
        {"pairs": (4,)},
        operation="message passed",
        anchors=(_anchor("A Trace", "TRACE(CHINIT) on client pass-through, SHARECNV(0), 2KB non-persistent"),),
        behaviours=(199,),
    ),
    Workload(
        "Z93-R27", "message protection policies", needs="message protection", behaviours=(191, 192, 193, 194, 195)
    ),
)

WORKLOADS = STORAGE + STREAMING + REGRESSION
