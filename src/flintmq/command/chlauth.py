"""SET CHLAUTH and DISPLAY CHLAUTH. The meaning of the records is in qmgr/chlauth.py."""

from __future__ import annotations

from flintmq.catalogue import profile
from flintmq.catalogue.attribute import ENUM, LIST, STRING
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, refused
from flintmq.command.request import Request
from flintmq.mqi.pcf_constants import (
    MQRCCF_CHLAUTH_CLNTUSER_ERROR,
    MQRCCF_CHLAUTH_NAME_ERROR,
    MQRCCF_CHLAUTH_NOT_FOUND,
    MQRCCF_CHLAUTH_RUNCHECK_ERROR,
    MQRCCF_IPADDR_ERROR,
    MQRCCF_PARM_MISSING,
    MQRCCF_WRONG_CHLAUTH_TYPE,
    MQRCCF_WRONG_CHLAUTH_USERSRC,
)
from flintmq.qmgr import chlauth
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.chlauth import BLOCK_ADDRESS, BLOCK_USER, EVERY_CHANNEL, LISTS

#: The attributes that each type compares or blocks, and requires; SSLPEERMAP needs one of two.
_NEEDED = {
    BLOCK_USER: ("USERLIST",),
    BLOCK_ADDRESS: ("ADDRLIST",),
    "SSLPEERMAP": ("SSLPEER", "SSLCERTI"),
    "ADDRESSMAP": ("ADDRESS",),
    "USERMAP": ("CLNTUSER",),
    "QMGRMAP": ("QMNAME",),
}
_MAPPED = ("ADDRESS", "USERSRC", "MCAUSER", "CHCKCLNT", "WARN", "DESCR", "CUSTOM")
_BLOCKING = ("WARN", "DESCR", "CUSTOM")
_REMOVING = ("REMOVE", "REMOVEALL")


def set_record(request: Request, administration: Administration) -> Reply:
    """SET CHLAUTH."""
    action = request.option("ACTION", "ADD")
    kind = request.option("TYPE")
    values: Row = {**request.values, "TYPE": kind, "CHLAUTH": request.name}
    reason = _wrong(values, kind, action) or administration.set_chlauth(values, action)
    if reason == MQRCCF_CHLAUTH_NOT_FOUND:
        return Reply([Response("AMQ8883E")], reason)
    if reason:
        return refused(reason, request.name, administration.name)
    return done("AMQ8879I" if action in _REMOVING else "AMQ8877I")


def _wrong(values: Row, kind: str, action: str) -> int:
    """Return the reason for which a record is not valid; 0 if it is."""
    if kind == BLOCK_ADDRESS and values["CHLAUTH"] != EVERY_CHANNEL:
        return MQRCCF_CHLAUTH_NAME_ERROR
    needed = _NEEDED[kind]
    allowed = {*needed, *(_BLOCKING if kind in LISTS else _MAPPED), "TYPE", "CHLAUTH"}
    if not allowed.issuperset(values):
        return MQRCCF_WRONG_CHLAUTH_TYPE
    if action == "REMOVEALL":
        return 0
    if not any(values.get(keyword) for keyword in needed):
        return MQRCCF_CHLAUTH_CLNTUSER_ERROR if kind == "USERMAP" else MQRCCF_PARM_MISSING
    if kind not in LISTS and action not in _REMOVING:
        mapped = values.get("USERSRC", "MAP") == "MAP"
        if mapped != bool(values.get("MCAUSER")):
            return MQRCCF_WRONG_CHLAUTH_USERSRC
    addresses = values.get("ADDRLIST", [])
    given = [*(addresses if isinstance(addresses, list) else []), *filter(None, [str(values.get("ADDRESS", ""))])]
    return 0 if all(chlauth.is_address_pattern(each) for each in given) else MQRCCF_IPADDR_ERROR


def display(request: Request, administration: Administration) -> Reply:
    """DISPLAY CHLAUTH: show the records of a profile, those for a channel, or the one that applies to a client."""
    if request.option("MATCH") == "RUNCHECK":
        return _run_check(request, administration)
    responses: list[Response] = []
    for record in sorted(administration.objects("CHLAUTH"), key=_order):
        if not _is_wanted(request, record):
            continue
        if request.where is None or request.where.matches_row(record.attributes):
            responses.append(_shown(request, record))
    if not responses:
        return Reply([Response("AMQ8883E")], MQRCCF_CHLAUTH_NOT_FOUND)
    return Reply(responses)


def _is_wanted(request: Request, record: MQObject) -> bool:
    if request.option("TYPE", "ALL") not in ("ALL", record.text("TYPE")):
        return False
    name, match = record.text("CHLAUTH"), request.option("MATCH", "GENERIC")
    if match == "EXACT":
        found = name == request.name
    elif match == "ALL":
        found = profile.like(name, request.name)
    else:
        found = profile.like(request.name, name)
    compared = [keyword for keyword in chlauth.COMPARED if request.option(keyword)]
    return found and all(record.text(keyword) == request.option(keyword) for keyword in compared)


def _run_check(request: Request, administration: Administration) -> Reply:
    """Show the record, map or block, that applies to a client with this channel, address and name."""
    address = request.option("ADDRESS")
    if not address or "*" in request.name or not (request.option("CLNTUSER") or request.option("QMNAME")):
        return refused(MQRCCF_CHLAUTH_RUNCHECK_ERROR, request.name, administration.name)
    client = chlauth.Client(request.name, address)
    client.user, client.q_mgr = request.option("CLNTUSER"), request.option("QMNAME")
    client.peer, client.issuer = request.option("SSLPEER"), request.option("SSLCERTI")
    record = administration.check_chlauth(client)
    if record is None:
        return Reply([Response("AMQ9783I", {"name": request.name})])
    return Reply([_shown(request, record)])


def _shown(request: Request, record: MQObject) -> Response:
    kind = record.text("TYPE")
    belongs = {*_NEEDED[kind], *(_BLOCKING if kind in LISTS else _MAPPED), "ALTDATE", "ALTTIME"}
    if record.text("USERSRC") != "MAP":
        belongs.discard("MCAUSER")
    keywords = belongs if request.flag("ALL") or not request.shown else belongs & request.shown | {*_NEEDED[kind]}
    items = [Item("CHLAUTH", record.text("CHLAUTH"), STRING), Item("TYPE", kind, ENUM)]
    for item in items_of(ATTRIBUTES["CHLAUTH"], record.attributes, keywords - {"TYPE", "CHLAUTH"}):
        items.append(Item(item.keyword, item.value, STRING) if item.kind == LIST else item)
    return Response("AMQ8878I", {}, items)


def _order(record: MQObject) -> tuple[str, str, str]:
    return record.text("CHLAUTH"), record.text("TYPE"), record.name
