"""Commands about the messages of local queues: CLEAR QLOCAL, MOVE QLOCAL, RESET QSTATS, DISPLAY QSTATUS."""

from __future__ import annotations

from collections.abc import Iterator

from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Item, Reply, Response, done, items_of, listed, refused, type_item
from flintmq.command.request import Request
from flintmq.command.status import QUEUE_HANDLE, QUEUE_STATISTICS, QUEUE_STATUS
from flintmq.mqi.pcf_constants import MQRCCF_Q_STATUS_NOT_FOUND
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED, MQRC_OBJECT_IN_USE, MQRC_UNKNOWN_OBJECT_NAME


def clear(request: Request, administration: Administration) -> Reply:
    """CLEAR QLOCAL."""
    reason = administration.clear(request.name)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8022I")


def move(request: Request, administration: Administration) -> Reply:
    """MOVE QLOCAL. The number of moved messages is reported even if the command stopped half-way."""
    target = request.option("TOQLOCAL")
    if not administration.may(request.verb, request.kind, target):
        return refused(MQRC_NOT_AUTHORIZED, target, administration.name)
    reason, moved = administration.move(request.name, target, request.option("TYPE", "MOVE") == "ADD")
    count = "1 message" if moved == 1 else f"{moved} messages"
    if not reason:
        return Reply([Response("CSQ9022I", {"command": request.command}, lines=[f"   {count} moved to {target}."])])
    reply = refused(reason, _to_blame(reason, request.name, target, administration), administration.name)
    if moved:
        reply.responses[0].lines.append(f"   {count} moved to {target}; the rest are on {request.name}.")
    return reply


def _to_blame(reason: int, source: str, target: str, administration: Administration) -> str:
    """Return the queue to which the reason of a refused MOVE applies."""
    if reason == MQRC_UNKNOWN_OBJECT_NAME:
        known = any(each.name == source for each in administration.objects_called("QLOCAL", source))
        return target if known else source
    return source if reason == MQRC_OBJECT_IN_USE else target


def reset_statistics(request: Request, administration: Administration) -> Reply:
    """RESET QSTATS: show the counts of each queue and start counting again."""
    responses = _reset(request, administration)
    return listed(responses, refused(MQRC_UNKNOWN_OBJECT_NAME, request.name, administration.name))


def _reset(request: Request, administration: Administration) -> Iterator[Response | None]:
    for name in _local_queues(request, administration):
        if not name:
            yield None
            continue
        items = [Item("QUEUE", name)]
        items += items_of(QUEUE_STATISTICS, administration.reset_queue_statistics(name), None)
        yield Response("CSQM201I", {"command": "RESET QSTATS"}, items)


def status(request: Request, administration: Administration) -> Reply:
    """DISPLAY QSTATUS TYPE(QUEUE), a row for each queue, or TYPE(HANDLE), a row for each open handle."""
    kind = request.option("TYPE", "QUEUE")
    responses = _status(request, administration, kind)
    return listed(responses, refused(MQRCCF_Q_STATUS_NOT_FOUND, request.name, administration.name))


def _status(request: Request, administration: Administration, kind: str) -> Iterator[Response | None]:
    attributes = QUEUE_STATUS if kind == "QUEUE" else QUEUE_HANDLE
    keywords = request.keywords()
    for name in _local_queues(request, administration):
        if not name:
            yield None
            continue
        rows = [administration.queue_status(name)] if kind == "QUEUE" else _handles(request, administration, name)
        for row in rows:
            if request.where is None or request.where.matches_row(row):
                items = [Item("QUEUE", name), type_item(kind), *items_of(attributes, row, keywords)]
                yield Response("AMQ8450I", {}, items)
        yield None


def _handles(request: Request, administration: Administration, name: str) -> list[Row]:
    rows = administration.queue_handles(name)
    open_type = request.option("OPENTYPE", "ALL")
    if open_type == "INPUT":
        return [row for row in rows if row.get("INPUT", "NO") != "NO" or row.get("BROWSE", "NO") != "NO"]
    if open_type == "OUTPUT":
        return [row for row in rows if row.get("OUTPUT", "NO") != "NO"]
    return rows


def _local_queues(request: Request, administration: Administration) -> Iterator[str]:
    """Yield the names of the queues that the command addresses; "" for one that the issuer may not see."""
    for each in administration.objects_called("QLOCAL", request.name):
        yield each.name if administration.may(request.verb, "QLOCAL", each.name) else ""
