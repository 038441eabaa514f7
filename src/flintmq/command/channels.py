"""Commands about channels, listeners and services that run: DISPLAY of their status, START and STOP."""

from __future__ import annotations

from collections.abc import Iterator

from flintmq.catalogue.attribute import Attribute
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused
from flintmq.command.request import Request
from flintmq.command.status import CHANNEL_STATUS, CHANNEL_STATUS_SHORT, LISTENER_STATUS, SERVICE_STATUS
from flintmq.mqi.pcf_constants import (
    MQRCCF_CHL_STATUS_NOT_FOUND,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_SERV_STATUS_NOT_FOUND,
    MQRCCF_SERVICE_RUNNING,
    MQRCCF_SERVICE_STOPPED,
)
from flintmq.mqi.reason import MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.catalogue import matches


def status(request: Request, administration: Administration) -> Reply:
    """DISPLAY CHSTATUS: each instance of the channels that are meant."""
    if request.flag("SAVED"):
        return refused(MQRCCF_CHL_STATUS_NOT_FOUND, request.name, administration.name)  # Message channels have it.
    responses = _instances(request, administration)
    return listed(responses, refused(MQRCCF_CHL_STATUS_NOT_FOUND, request.name, administration.name))


def _instances(request: Request, administration: Administration) -> Iterator[Response | None]:
    keywords = None if request.flag("ALL") else request.shown | CHANNEL_STATUS_SHORT
    address = request.option("CONNAME")
    for row in sorted(administration.channel_status(), key=_order):
        name = str(row["CHANNEL"])
        meant = _meant(request, administration, "CHANNEL", name)
        if not meant or not matches(address or "*", str(row["CONNAME"])) or not _passes(request, row):
            yield None
            continue
        items = [Item("CHANNEL", name), *items_of(CHANNEL_STATUS, row, _with_filter(request, keywords))]
        yield Response("AMQ8417I", {}, items)


def start(request: Request, administration: Administration) -> Reply:
    """START CHANNEL."""
    reason = administration.start_channel(request.name)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8018I")


def stop(request: Request, administration: Administration) -> Reply:
    """STOP CHANNEL. With CONNAME only STATUS(INACTIVE) is allowed, and is the default."""
    address = request.option("CONNAME")
    wanted = request.option("STATUS", "INACTIVE" if address else "STOPPED")
    if address and wanted == "STOPPED":
        return refused(MQRCCF_PARM_CONFLICT, request.name, administration.name)
    reason = administration.stop_channel(request.name, request.option("MODE", "QUIESCE"), address, wanted)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8019I")


def listener_status(request: Request, administration: Administration) -> Reply:
    """DISPLAY LSSTATUS: each listener that runs."""
    responses = _running(request, administration, administration.listener_status(), "AMQ8631I", LISTENER_STATUS)
    return Reply(responses) if responses else refused(MQRC_UNKNOWN_OBJECT_NAME, request.name, administration.name)


def start_listener(request: Request, administration: Administration) -> Reply:
    """START LISTENER."""
    reason = administration.start_listener(request.name)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8021I")


def stop_listener(request: Request, administration: Administration) -> Reply:
    """STOP LISTENER."""
    reason = administration.stop_listener(request.name)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8706I")


def service_status(request: Request, administration: Administration) -> Reply:
    """DISPLAY SVSTATUS: each server service that runs."""
    responses = _running(request, administration, administration.service_status(), "AMQ8632I", SERVICE_STATUS)
    return Reply(responses) if responses else refused(MQRCCF_SERV_STATUS_NOT_FOUND, request.name, administration.name)


def start_service(request: Request, administration: Administration) -> Reply:
    """START SERVICE. With IGNSTATE(YES) a service that runs already is no error."""
    reason = administration.start_service(request.name)
    if reason == MQRCCF_SERVICE_RUNNING and request.option("IGNSTATE") == "YES":
        reason = 0
    return refused(reason, request.name, administration.name) if reason else done("AMQ8733I")


def stop_service(request: Request, administration: Administration) -> Reply:
    """STOP SERVICE. With IGNSTATE(YES) a service that does not run is no error."""
    reason = administration.stop_service(request.name)
    if reason == MQRCCF_SERVICE_STOPPED and request.option("IGNSTATE") == "YES":
        reason = 0
    return refused(reason, request.name, administration.name) if reason else done("AMQ8732I")


def _running(
    request: Request, administration: Administration, rows: list[Row], number: str, attributes: list[Attribute]
) -> list[Response]:
    """Return an answer for each listener or service that is meant; STATUS and PID are always shown."""
    kind = request.kind
    keywords = request.keywords()
    if keywords is not None:
        keywords = keywords | {"STATUS", "PID"}
    responses: list[Response] = []
    for row in sorted(rows, key=lambda row: str(row[kind])):
        name = str(row[kind])
        if _meant(request, administration, kind, name) and _passes(request, row):
            responses.append(Response(number, {}, [Item(kind, name), *items_of(attributes, row, keywords)]))
    return responses


def _meant(request: Request, administration: Administration, kind: str, name: str) -> bool:
    return matches(request.name, name) and administration.may(request.verb, kind, name)


def _passes(request: Request, row: Row) -> bool:
    return request.where is None or request.where.matches_row(row)


def _with_filter(request: Request, keywords: set[str] | None) -> set[str] | None:
    """Return the keywords to show with that of the filter."""
    return keywords | {request.where.keyword} if keywords is not None and request.where is not None else keywords


def _order(row: Row) -> tuple[str, str, str]:
    return str(row["CHANNEL"]), str(row["CONNAME"]), str(row.get("JOBNAME", ""))
