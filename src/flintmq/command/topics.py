"""Commands about topic strings: DISPLAY TPSTATUS, CLEAR TOPICSTR, DISPLAY PUBSUB. TOPIC objects are in objects.py."""

from __future__ import annotations

from collections.abc import Iterator

from flintmq.catalogue.attribute import STRING
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused, type_item
from flintmq.command.request import Request
from flintmq.command.status import PUBSUB_STATUS, TOPIC_PUBLISHER, TOPIC_STATUS, TOPIC_SUBSCRIPTION
from flintmq.mqi.pcf_constants import MQRCCF_NONE_FOUND, MQRCCF_TOPIC_STRING_NOT_FOUND

_ATTRIBUTES = {"TOPIC": TOPIC_STATUS, "SUB": TOPIC_SUBSCRIPTION, "PUB": TOPIC_PUBLISHER}


def status(request: Request, administration: Administration) -> Reply:
    """DISPLAY TPSTATUS: show the topics that the string matches, or the subscribers or publishers of that one topic."""
    kind = request.option("TYPE", "TOPIC")
    rows = administration.topic_status(request.name, kind)
    responses = _responses(request, kind, rows)
    return listed(responses, refused(MQRCCF_TOPIC_STRING_NOT_FOUND, request.name or "''", administration.name))


def _responses(request: Request, kind: str, rows: list[Row]) -> Iterator[Response | None]:
    keywords = None
    if request.shown and not request.flag("ALL"):
        keywords = request.shown | ({request.where.keyword} if request.where is not None else set())
    for row in rows:
        if request.where is not None and not request.where.matches_row(row):
            yield None
            continue
        items = [Item("TOPICSTR", row["TOPICSTR"], STRING), *items_of(_ATTRIBUTES[kind], row, keywords)]
        yield Response("AMQ8754I", {}, items)


def clear(request: Request, administration: Administration) -> Reply:
    """CLEAR TOPICSTR CLRTYPE(RETAINED): remove the retained publication of one topic, if there is one."""
    reason = administration.clear_retained(request.name)
    if reason:
        return refused(reason, request.name, administration.name)
    return done("CSQ9022I", command=request.command)


def pubsub(request: Request, administration: Administration) -> Reply:
    """DISPLAY PUBSUB. There are no parents and children of a hierarchy."""
    if request.option("TYPE", "ALL") in ("CHILD", "PARENT"):
        return refused(MQRCCF_NONE_FOUND, request.option("TYPE"), administration.name)
    keywords = None if request.flag("ALL") or not request.shown else request.shown
    items = [Item("QMNAME", administration.name), type_item("LOCAL")]
    items += items_of(PUBSUB_STATUS, administration.pubsub_status(), keywords)
    return Reply([Response("AMQ8723I", {}, items)])
