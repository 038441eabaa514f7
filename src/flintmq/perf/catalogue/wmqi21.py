"""WebSphere MQ Integrator for z/OS V2.1: message flows, 15 drivers that put and wait for any reply."""

from __future__ import annotations

from typing import Any

from flintmq.perf.catalogue.workload import KB, Anchor, Workload

_SIZES = (KB, 4 * KB, 16 * KB, 64 * KB)
_COMPLEX = (4 * KB, 16 * KB, 64 * KB)
#: Persistent messages have the smallest size of a flow only.
_SKIP = ({"persistent": (True,), "size": _COMPLEX},)
_COMPLEX_SKIP = ({"persistent": (True,), "size": _COMPLEX[1:]},)


def _made(
    number: int,
    title: str,
    flow: str,
    rows: tuple[tuple[str, str], ...],
    vary: dict[str, tuple[Any, ...]] | None = None,
    base: dict[str, Any] | None = None,
    quick: dict[str, tuple[Any, ...]] | None = None,
    behaviours: tuple[int, ...] = (),
    remark: str = "",
    full: dict[str, tuple[Any, ...]] | None = None,
    full_skip: tuple[dict[str, tuple[Any, ...]], ...] = (),
) -> Workload:
    varied = vary or _ALL
    return Workload(
        f"WMQI-W{number:02}",
        title,
        "flow",
        {"clients": 15, "flow": flow, "instances": 1, "groups": 1, "transaction": "automatic", **(base or {})},
        varied,
        quick if quick is not None else {"size": (4 * KB,), "persistent": (False,)},
        full or ({"size": (varied["size"][0], varied["size"][-2])} if number != 1 else {}),
        _SKIP if KB in varied["size"] else _COMPLEX_SKIP,
        full_skip,
        operation="message through the flow",
        anchors=tuple(Anchor("wmqi21", *row) for row in rows),
        behaviours=behaviours,
        remark=remark,
    )


_ALL: dict[str, tuple[Any, ...]] = {"size": _SIZES, "persistent": (False, True)}
_VERY = (("7.2.4", "very complex compute node"),)
_PERSISTENT: dict[str, tuple[Any, ...]] = {"size": _COMPLEX, "persistent": (False, True)}
_FORMATS = ("XML", "CWF", "MRMXML", "TAG")

WORKLOADS = (
    _made(
        1, "MQInput to MQOutput", "plain", (("7.1", "MQInput/MQOutput"), ("2.1", "MQInput/MQOutput")), behaviours=(128,)
    ),
    _made(2, "simple compute", "simple", (("7.2.1", "simple compute node"), ("2.2.1", "simple compute node"))),
    _made(3, "complex compute", "complex", (("7.2.2", "complex compute node"),), _PERSISTENT),
    _made(4, "five complex nodes in a chain", "chain", (("7.2.3", "five chained complex compute nodes"),), _PERSISTENT),
    _made(5, "very complex compute", "very-complex", _VERY, _PERSISTENT),
    _made(
        6,
        "database node, insert and delete",
        "database-insert",
        (("7.3", "database node insert+delete"),),
        base={"transaction": "coordinated"},
        remark="the database is SQLite, or the one that --database names; only PostgreSQL is coordinated",
    ),
    _made(7, "filter node", "filter", (("7.4", "filter node"),)),
    _made(8, "RouteToLabel, 1 entry", "route-1", (("7.5.1", "RouteToLabel"),)),
    _made(9, "RouteToLabel, 100 entries", "route-100", (("7.5.2", "RouteToLabel"),)),
    _made(10, "publication node", "publication", (("7.6", "publication node"),), base={"subscribers": 1}),
    _made(
        11,
        "format conversion",
        "convert",
        (("7.7", "format conversion"), ("2.7 Table 1", "format conversion")),
        {
            "format_in": _FORMATS,
            "format_out": _FORMATS,
            **_PERSISTENT,
        },
        quick={
            "format_in": ("XML", "CWF"),
            "format_out": ("XML", "TAG"),
            "size": (4 * KB,),
            "persistent": (False,),
        },
        full={"size": (4 * KB,)},
        # Persistent from each format to itself.
        full_skip=tuple(
            {
                "format_in": (one,),
                "format_out": tuple(other for other in _FORMATS if other != one),
                "persistent": (True,),
            }
            for one in _FORMATS
        ),
    ),
    _made(
        12,
        "additional instances",
        "very-complex",
        (("7.8.1", "very complex flow, instances"),),
        {**_PERSISTENT, "instances": (1, 2, 4)},
        quick={"size": (4 * KB,), "persistent": (False,), "instances": (1, 2)},
        full={"size": (4 * KB,)},
    ),
    _made(
        13,
        "copies of a flow",
        "very-complex",
        (("7.8.2", "very complex flow, copies"),),
        {**_PERSISTENT, "flows": (1, 2, 4)},
        quick={"size": (4 * KB,), "persistent": (False,), "flows": (1, 2)},
        full={"size": (4 * KB,)},
        behaviours=(129,),
    ),
    _made(
        14,
        "execution groups",
        "very-complex",
        (("7.8.3", "very complex flow, execution groups"),),
        {**_PERSISTENT, "groups": (1, 2, 4)},
        quick={"size": (4 * KB,), "persistent": (False,), "groups": (1, 2)},
        full={"size": (4 * KB,)},
    ),
    _made(
        15,
        "transactional flow",
        "plain",
        (("7.9", "MQInput/MQOutput transactional"),),
        {"size": _SIZES, "persistent": (False, True), "transaction": ("automatic", "yes")},
        quick={"size": (KB,), "persistent": (False,)},
        full={"size": (KB, 64 * KB)},
    ),
    _made(
        16,
        "coordinated transaction",
        "database-update",
        (("7.10", "database node update"),),
        {"size": _SIZES, "persistent": (False, True), "transaction": ("automatic", "coordinated")},
        quick={"size": (KB,), "persistent": (False,)},
        full={"size": (KB, 64 * KB)},
        remark="the database is SQLite, or the one that --database names; only PostgreSQL is coordinated",
    ),
    _made(
        17,
        "subscribers",
        "publication",
        (("7.11", "publication node, many subscribers"),),
        {"size": (KB, 16 * KB), "persistent": (False,), "subscribers": (1, 10, 30, 50, 70, 100, 1000)},
        quick={"size": (KB,), "subscribers": (1, 10)},
        full={"size": (KB,), "subscribers": (1, 10, 50, 100, 1000)},
    ),
)
