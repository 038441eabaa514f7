"""Commands about the log, page sets, buffer pools and system parameters: USAGE, LOG, SYSTEM, ARCHIVE."""

from __future__ import annotations

from flintmq.catalogue.attribute import INT, Attribute
from flintmq.catalogue.attributes import settable_defaults
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, refused
from flintmq.command.request import Request
from flintmq.command.status import BUFFER_POOL_USAGE, LOG, LOG_STATE, PAGE_SET_USAGE, SYSTEM
from flintmq.mqi.pcf_constants import MQRCCF_NONE_FOUND


def usage(request: Request, administration: Administration) -> Reply:
    """DISPLAY USAGE: page sets, then buffer pools, then the log."""
    kind = request.option("TYPE", "ALL")
    number = request.option("PSID", "*")
    responses: list[Response] = []
    if kind in ("PAGESET", "ALL"):
        responses += _rows("CSQI010I", "PSID", PAGE_SET_USAGE, administration.page_set_usage(), number)
    if kind in ("BUFFPOOL", "ALL") and number == "*":
        responses += _rows("CSQP001I", "BUFFPOOL", BUFFER_POOL_USAGE, administration.buffer_pool_usage(), "*")
    if kind in ("DATASET", "ALL") and number == "*":
        items = items_of(LOG_STATE, administration.log_status(), None)
        responses.append(Response("CSQJ322I", {"command": "DISPLAY USAGE TYPE(DATASET)"}, items))
    if not responses:
        return refused(MQRCCF_NONE_FOUND, number, administration.name)
    return Reply(responses)


def _rows(number: str, keyword: str, attributes: list[Attribute], rows: list[Row], wanted: str) -> list[Response]:
    responses: list[Response] = []
    for row in rows:
        if wanted in ("*", str(row[keyword])):
            items = [Item(keyword, row[keyword], INT), *items_of(attributes, row, None)]
            responses.append(Response(number, {}, items))
    return responses


def display_log(request: Request, administration: Administration) -> Reply:
    """DISPLAY LOG: show the attributes that SET LOG changes, and the state of the log."""
    return _report(request, LOG, administration.log_status())


def display_system(request: Request, administration: Administration) -> Reply:
    """DISPLAY SYSTEM. While a new interval waits for the running one to end, both are shown."""
    row = {keyword: value for keyword, value in administration.system_status().items() if _is_set(keyword, value)}
    return _report(request, SYSTEM, row)


def _is_set(keyword: str, value: object) -> bool:
    return bool(value) or keyword not in ("NEWSTATIME", "NEWACCTIME")


def _report(request: Request, attributes: list[Attribute], row: Row) -> Reply:
    keywords = None if request.flag("ALL") else request.shown or None
    return Reply([Response("CSQJ322I", {"command": request.command}, items_of(attributes, row, keywords))])


def set_log(request: Request, administration: Administration) -> Reply:
    """SET LOG."""
    return _set(request, administration, administration.set_log(_changes(request)))


def set_system(request: Request, administration: Administration) -> Reply:
    """SET SYSTEM."""
    return _set(request, administration, administration.set_system(_changes(request)))


def archive_log(request: Request, administration: Administration) -> Reply:
    """ARCHIVE LOG."""
    return _set(request, administration, administration.archive_log())


def _changes(request: Request) -> Row:
    """Return the attributes that the command sets; with DEFAULT, over the values that a new queue manager has."""
    changes: Row = settable_defaults(request.noun) if request.flag("DEFAULT") else {}
    changes.update(request.values)
    return changes


def _set(request: Request, administration: Administration, reason: int) -> Reply:
    if reason:
        return refused(reason, administration.name, administration.name)
    return done("CSQ9022I", command=request.command)
