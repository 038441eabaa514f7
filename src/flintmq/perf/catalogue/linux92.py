"""IBM MQ V9.2 for Linux: restart, syncpoint, request/reply over clients, local bindings and TLS."""

from __future__ import annotations

from flintmq.perf.catalogue.workload import KB, MB, Anchor, Workload

UNIFORM = "uniform clusters"
_SIZES = (2 * KB, 20 * KB, 200 * KB, 2 * MB)
_CLIENTS = (1, 2, 5, 10, 20, 40, 60, 80, 100, 150, 200)
_FULL = {"clients": (1, 4, 10, 40, 100)}
#: Long messages reach their peak with few clients.
_FULL_SKIP = ({"size": (200 * KB, 2 * MB), "clients": (4, 40, 100)},)
_TLS12 = (
    "none",
    "TLS_RSA_WITH_AES_256_CBC_SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "ECDHE_RSA_AES_256_CBC_SHA384",
    "ECDHE_RSA_AES_256_GCM_SHA384",
)
_TLS13 = ("none", "TLS_AES_256_GCM_SHA384")
_ONE_CIPHER = "one cipher: Python's TLS does not choose among those of TLS 1.3, the two sides take the first"
#: Ten request and ten reply queues in rotation; always a responder that waits.
_ROTATION = {"pairs": 10, "rotate": True, "servers": 10, "syncpoint": "none", "indexed": True}


def _anchor(section: str, workload: str) -> Anchor:
    return Anchor("linux92", section, workload)


WORKLOADS = (
    Workload(
        "L92-W01",
        "restart after kill",
        "restart",
        {"size": 2 * KB, "persistent": True, "queues": 10, "busy": True},
        {"depth": (0, 10_000)},
        {"depth": (1_000,)},
        {"depth": (0, 1_000)},
        operation="restart",
        anchors=(_anchor("1.1 Restart", "restart of a killed busy queue manager"),),
        behaviours=(159,),
    ),
    Workload(
        "L92-W02",
        "switch-over and fail-over",
        needs="multi-instance and replicated queue managers",
        behaviours=(160, 161),
    ),
    Workload(
        "L92-W03",
        "syncpoint against number of queue pairs",
        "request-reply",
        {"clients": 60, "servers": 10, "persistent": True, "spread": True},
        {"syncpoint": ("none", "both"), "pairs": (1, 2, 5, 10, 30, 60)},
        {"pairs": (1, 10)},
        {"pairs": (1, 10, 30, 60)},
        anchors=(_anchor("1.1 Figure 3", "syncpoint vs queue pairs, persistent"),),
        behaviours=(126, 127),
    ),
    Workload("L92-W04", "uniform cluster ramp", needs=UNIFORM),
    Workload("L92-W05", "uniform cluster, queue managers started 1 to 12", needs=UNIFORM),
    Workload("L92-W06", "uniform cluster, 12 running at start", needs=UNIFORM),
    Workload("L92-W07", "two unrestricted queue managers", needs=UNIFORM),
    Workload(
        "L92-W08",
        "RR-CB: client requesters, local responders",
        "request-reply",
        {**_ROTATION, "mode": "tcp", "server_mode": "local"},
        {"size": _SIZES, "clients": _CLIENTS},
        {"size": (2 * KB, 200 * KB), "clients": (4, 16)},
        _FULL,
        full_skip=_FULL_SKIP,
        ramp="clients",
        anchors=(_anchor("3.1 Table 3", "RR-CB"),),
        behaviours=(178, 181, 182, 185),
    ),
    Workload("L92-W09", "RR-DQ-BB: two queue managers", needs="message channels", behaviours=(179,)),
    Workload(
        "L92-W10",
        "RR-CC: client requesters and responders",
        "request-reply",
        {**_ROTATION, "mode": "tcp"},
        {"size": _SIZES, "clients": _CLIENTS},
        {"size": (2 * KB, 200 * KB), "clients": (4, 16)},
        _FULL,
        full_skip=_FULL_SKIP,
        ramp="clients",
        anchors=(_anchor("3.3 Table 5", "RR-CC"),),
        behaviours=(180, 181, 182, 185),
        remark="Python clients where the report has JMS",
    ),
    *(
        Workload(
            name,
            f"RR-CC with {version}",
            "request-reply",
            {**_ROTATION, "mode": "tls"},
            {"cipher": ciphers, "clients": (1, 5, 20, 60, 100)},
            {"cipher": ("none", ciphers[-1]), "clients": (8,)},
            {"clients": (5, 20)},
            ramp="clients",
            anchors=(_anchor(f"3.4 Table {table}", "RR-CC TLS"),),
            behaviours=behaviours,
            remark=remark,
        )
        for name, version, ciphers, table, behaviours, remark in (
            (
                "L92-W11",
                "TLS 1.2",
                _TLS12,
                6,
                (187, 188, 189, 190),
                "the two ECDSA ciphers are left out: the certificate has an RSA key",
            ),
            ("L92-W12", "TLS 1.3", _TLS13, 7, (187, 189), _ONE_CIPHER),
        )
    ),
    Workload(
        "L92-W13",
        "RR-BB: local requesters and responders, non-persistent",
        "request-reply",
        _ROTATION,
        {"size": _SIZES, "clients": _CLIENTS},
        {"size": (2 * KB, 200 * KB), "clients": (4, 16)},
        _FULL,
        full_skip=_FULL_SKIP,
        ramp="clients",
        anchors=(_anchor("4.1 Table 8", "RR-BB"),),
        behaviours=(181, 182, 185, 186),
    ),
    Workload(
        "L92-W14",
        "RR-BB: local requesters and responders, persistent",
        "request-reply",
        {**_ROTATION, "persistent": True, "syncpoint": "both"},
        {"size": _SIZES, "clients": _CLIENTS},
        {"size": (2 * KB, 200 * KB), "clients": (16, 60)},
        _FULL,
        full_skip=_FULL_SKIP,
        ramp="clients",
        anchors=(_anchor("4.1 Table 9", "RR-BB"),),
        behaviours=(124, 125),
    ),
    Workload(
        "L92-W15",
        "file systems for persistent logging",
        "request-reply",
        {**_ROTATION, "clients": 30},
        {"persistent": (False, True)},
        {},
        remark="the log is where --log-directory says: one run for each file system",
    ),
)
