"""DEFINE, ALTER, DELETE and DISPLAY SUB, DISPLAY SBSTATUS.

A subscription has a name, which is any text, or only an id: DISPLAY, ALTER and DELETE take either. TOPICSTR of DISPLAY
is the whole topic string, with that of the TOPIC object in front.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flintmq.catalogue.attribute import HEX, STRING, Attribute
from flintmq.catalogue.attributes import ATTRIBUTES, settable_defaults
from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused
from flintmq.command.request import Request
from flintmq.command.status import SUBSCRIPTION_STATUS
from flintmq.mqi.reason import MQRC_NO_SUBSCRIPTION
from flintmq.qmgr.catalogue import matches
from flintmq.selector import SelectorError, compile_selector

#: The types that SUBTYPE chooses; USER is those that people and programs have made.
SUBTYPES = {"USER": ("ADMIN", "API"), "ALL": ("ADMIN", "API", "PROXY")}


def define(request: Request, administration: Administration) -> Reply:
    """DEFINE SUB: attributes of LIKE or the defaults, overridden by those of the command."""
    attributes = settable_defaults("SUB")
    like = request.option("LIKE")
    if like:
        model = next((row for row in administration.subscriptions() if row["SUB"] == like), None)
        if model is None:
            return refused(MQRC_NO_SUBSCRIPTION, like, administration.name)
        attributes.update(_of_model(model, attributes, request))
    attributes.update(request.values)
    reason = administration.define_subscription(request.name, attributes, request.flag("REPLACE"))
    if not reason:
        return done("AMQ8094I")
    reply = refused(reason, request.name, administration.name)
    reply.responses[0].lines += _selector_error(str(attributes["SELECTOR"]))
    return reply


def _selector_error(selector: str) -> list[str]:
    """Return a line that says where a selection string is wrong; no line if it is valid."""
    if selector:
        try:
            compile_selector(selector)
        except SelectorError as error:
            return [f"   SELECTOR, position {error.position}: {error.what}"]
    return []


def _of_model(model: Row, attributes: Row, request: Request) -> Row:
    """Return the attributes that LIKE copies: not the user, ids and managed queue; the topic unless one is given."""
    left_out = {"DESTCORL", "SUBUSER", "TOPICOBJ"}
    if model["DESTCLAS"] == "MANAGED":
        left_out |= {"DEST", "DESTQMGR"}
    if "TOPICOBJ" in request.values or "TOPICSTR" in request.values:
        left_out.add("TOPICSTR")
    return {keyword: model[keyword] for keyword in attributes if keyword not in left_out}


def alter(request: Request, administration: Administration) -> Reply:
    """ALTER SUB: change only the attributes that the command names."""
    reason = administration.alter_subscription(request.name, request.option("SUBID"), request.values)
    return refused(reason, _called(request), administration.name) if reason else done("AMQ8095I")


def delete(request: Request, administration: Administration) -> Reply:
    """DELETE SUB."""
    reason = administration.delete_subscription(request.name, request.option("SUBID"))
    if reason == MQRC_NO_SUBSCRIPTION and request.option("IGNSTATE") == "YES":
        reason = 0
    return refused(reason, _called(request), administration.name) if reason else done("AMQ8097I")


def display(request: Request, administration: Administration) -> Reply:
    """DISPLAY SUB: show a response for each, by name and then by id."""
    responses = _responses(request, administration, "AMQ8096I", ATTRIBUTES["SUB"], administration.subscriptions())
    return listed(responses, refused(MQRC_NO_SUBSCRIPTION, _called(request), administration.name))


def status(request: Request, administration: Administration) -> Reply:
    """DISPLAY SBSTATUS."""
    rows = administration.subscription_status()
    responses = _responses(request, administration, "AMQ8099I", SUBSCRIPTION_STATUS, rows)
    return listed(responses, refused(MQRC_NO_SUBSCRIPTION, _called(request), administration.name))


def _responses(
    request: Request, administration: Administration, number: str, attributes: Sequence[Attribute], rows: list[Row]
) -> Iterator[Response | None]:
    sub_id = request.option("SUBID")
    keywords = None if sub_id and not request.shown and request.where is None else request.keywords()
    for row in sorted(rows, key=_order):
        if not _is_meant(request, row) or not administration.may(request.verb, "SUB", str(row["SUB"])):
            yield None
            continue
        items = [Item("SUBID", row["SUBID"], HEX, alone=True), Item("SUB", row["SUB"], STRING)]
        yield Response(number, {}, items + items_of(attributes, row, keywords))


def _is_meant(request: Request, row: Row) -> bool:
    sub_id, durable = request.option("SUBID"), request.option("DURABLE", "ALL")
    chosen = request.option("SUBTYPE", "USER")
    if sub_id and row["SUBID"] != sub_id:
        return False
    if request.name and not matches(request.name, str(row["SUB"])):
        return False
    if durable not in ("ALL", row["DURABLE"]) or row["SUBTYPE"] not in SUBTYPES.get(chosen, (chosen,)):
        return False
    return request.where is None or request.where.matches_row(row)


def _called(request: Request) -> str:
    return request.name or request.option("SUBID")


def _order(row: Row) -> tuple[str, str]:
    return str(row["SUB"]), str(row["SUBID"])
