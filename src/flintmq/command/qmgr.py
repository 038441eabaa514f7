"""Commands about the queue manager and its connections: PING, REFRESH, RESET, DISPLAY QMSTATUS, CONN, STOP CONN."""

from __future__ import annotations

from collections.abc import Iterator

from flintmq.catalogue.attribute import STRING, Attribute
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused, type_item
from flintmq.command.request import Request
from flintmq.command.status import CONNECTION, CONNECTION_HANDLE, Q_MGR_STATUS
from flintmq.mqi.pcf_constants import MQRCCF_CONNECTION_ID_ERROR
from flintmq.qmgr.catalogue import matches


def attribute_groups(keywords: list[str]) -> dict[str, frozenset[str]]:
    """Return the words of DISPLAY QMGR that ask for several attributes. SYSTEM is whatever is in no other group."""
    groups = {
        "CHINIT": "CERTLABL CERTVPOL CHAD CHADEXIT CHLAUTH IPADDRV MONCHL REVDNS SCHINIT SSLCRLNL SSLCRYP SSLFIPS "
        "SSLKEYR SSLRKEYC STATCHL SUITEB",
        "CLUSTER": "CLWLDATA CLWLEXIT CLWLLEN CLWLMRUC CLWLUSEQ DEFCLXQ MONACLS QMID REPOS REPOSNL STATACLS",
        "EVENT": "AUTHOREV CHADEV CHLEV CMDEV CONFIGEV INHIBTEV LOCALEV LOGGEREV PERFMEV REMOTEEV SSLEV STRSTPEV",
        "PUBSUB": "PARENT PSCLUS PSMODE PSNPMSG PSNPRES PSRTYCNT PSSYNCPT TREELIFE",
    }
    found = {word: frozenset(text.split()) for word, text in groups.items()}
    found["SYSTEM"] = frozenset(keywords).difference(*found.values())
    return found


def ping(request: Request, administration: Administration) -> Reply:
    """Reply to PING QMGR, which shows that the queue manager runs commands."""
    return done("AMQ8415I")


def refresh(request: Request, administration: Administration) -> Reply:
    """REFRESH QMGR TYPE(EXPIRY): begin the scan, without waiting for its end."""
    name = request.option("NAME", "*")
    reason = administration.refresh_qmgr(request.option("TYPE"), name)
    return refused(reason, name, administration.name) if reason else done("CSQ9022I", command="REFRESH QMGR")


def reset(request: Request, administration: Administration) -> Reply:
    """RESET QMGR TYPE(...)."""
    reason = administration.reset_qmgr(request.option("TYPE"))
    return refused(reason, administration.name, administration.name) if reason else done("AMQ8005I")


def status(request: Request, administration: Administration) -> Reply:
    """DISPLAY QMSTATUS: the state always, the rest when asked for."""
    row = administration.qmgr_status()
    keywords = None if request.flag("ALL") else request.shown | {"STATUS"}
    items = [Item("QMNAME", administration.name), type_item("QMGR"), *items_of(Q_MGR_STATUS, row, keywords)]
    return Reply([Response("AMQ8705I", {}, items)])


def connections(request: Request, administration: Administration) -> Reply:
    """DISPLAY CONN: each connection; with TYPE(HANDLE) its open handles, with TYPE(ALL) both."""
    responses = _connections(request, administration)
    return listed(responses, refused(MQRCCF_CONNECTION_ID_ERROR, request.name, administration.name))


def _connections(request: Request, administration: Administration) -> Iterator[Response | None]:
    kind = request.option("TYPE", "CONN")
    for row in sorted(administration.connections(), key=_identifier):
        if not matches(request.name, _identifier(row)):
            continue
        if request.option("EXTCONN") not in ("", str(row.get("EXTCONN", ""))):
            continue
        if kind in ("CONN", "ALL") and _passes(request, row):
            yield _shown(request, row, "CONN", CONNECTION, row)
        if kind in ("HANDLE", "ALL"):
            for handle in administration.connection_handles(_identifier(row)):
                if _passes(request, {**row, **handle}):
                    yield _shown(request, row, "HANDLE", CONNECTION_HANDLE, handle)
        yield None


def stop_connection(request: Request, administration: Administration) -> Reply:
    """STOP CONN(id)."""
    reason = administration.stop_connection(request.name)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8457I")


def _passes(request: Request, row: Row) -> bool:
    return request.where is None or request.where.matches_row(row)


def _identifier(row: Row) -> str:
    return str(row.get("CONN", ""))


def _shown(request: Request, row: Row, kind: str, attributes: list[Attribute], values: Row) -> Response:
    items = [
        Item("CONN", _identifier(row), STRING, alone=True),
        Item("EXTCONN", str(row.get("EXTCONN", "")), STRING, alone=True),
        type_item(kind, alone=True),
        *items_of(attributes, values, request.keywords()),
    ]
    return Response("AMQ8276I", {}, items)
