"""Commands about the messages of local queues: CLEAR QLOCAL, MOVE QLOCAL, RESET QSTATS, DISPLAY QSTATUS."""

from __future__ import annotations

from flintmq.command.administration import Administration, Row
from flintmq.command.reply import Answer, Item, Reply, done, items_of, refused, type_item
from flintmq.command.request import Request
from flintmq.command.status import QUEUE_HANDLE, QUEUE_STATISTICS, QUEUE_STATUS
from flintmq.mqi.pcf_constants import MQRCCF_Q_STATUS_NOT_FOUND
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED, MQRC_OBJECT_IN_USE, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.catalogue import matches


def clear(request: Request, administration: Administration) -> Reply:
    """CLEAR QLOCAL."""
    reason = administration.clear(request.name)
    return refused(reason, request.name, administration.name) if reason else done("AMQ8022I")


def move(request: Request, administration: Administration) -> Reply:
    """MOVE QLOCAL. How many messages were moved is said when it stopped half-way, too."""
    target = request.option("TOQLOCAL")
    if not administration.may(request.verb, request.kind, target):
        return refused(MQRC_NOT_AUTHORIZED, target, administration.name)
    reason, moved = administration.move(request.name, target, request.option("TYPE", "MOVE") == "ADD")
    count = "1 message" if moved == 1 else f"{moved} messages"
    if not reason:
        return Reply([Answer("CSQ9022I", {"command": request.command}, lines=[f"   {count} moved to {target}."])])
    reply = refused(reason, _to_blame(reason, request.name, target, administration), administration.name)
    if moved:
        reply.answers[0].lines.append(f"   {count} moved to {target}; the rest are on {request.name}.")
    return reply


def _to_blame(reason: int, source: str, target: str, administration: Administration) -> str:
    """The queue that a refused MOVE is about."""
    if reason == MQRC_UNKNOWN_OBJECT_NAME:
        known = [each.name for each in administration.objects("QLOCAL")]
        return target if source in known else source
    return source if reason == MQRC_OBJECT_IN_USE else target


def reset_statistics(request: Request, administration: Administration) -> Reply:
    """RESET QSTATS: tell the counts of each queue and begin again."""
    answers: list[Answer] = []
    for name in _local_queues(request, administration):
        items = [Item("QUEUE", name)]
        items += items_of(QUEUE_STATISTICS, administration.reset_queue_statistics(name), None)
        answers.append(Answer("CSQM201I", {"command": "RESET QSTATS"}, items))
    return Reply(answers) if answers else refused(MQRC_UNKNOWN_OBJECT_NAME, request.name, administration.name)


def status(request: Request, administration: Administration) -> Reply:
    """DISPLAY QSTATUS TYPE(QUEUE), a row for each queue, or TYPE(HANDLE), a row for each open handle."""
    kind = request.option("TYPE", "QUEUE")
    attributes = QUEUE_STATUS if kind == "QUEUE" else QUEUE_HANDLE
    keywords = request.keywords()
    answers: list[Answer] = []
    for name in _local_queues(request, administration):
        rows = [administration.queue_status(name)] if kind == "QUEUE" else _handles(request, administration, name)
        for row in rows:
            if request.where is None or request.where.matches_row(row):
                items = [Item("QUEUE", name), type_item(kind), *items_of(attributes, row, keywords)]
                answers.append(Answer("AMQ8450I", {}, items))
    return Reply(answers) if answers else refused(MQRCCF_Q_STATUS_NOT_FOUND, request.name, administration.name)


def _handles(request: Request, administration: Administration, name: str) -> list[Row]:
    rows = administration.queue_handles(name)
    open_type = request.option("OPENTYPE", "ALL")
    if open_type == "INPUT":
        return [row for row in rows if row.get("INPUT", "NO") != "NO" or row.get("BROWSE", "NO") != "NO"]
    if open_type == "OUTPUT":
        return [row for row in rows if row.get("OUTPUT", "NO") != "NO"]
    return rows


def _local_queues(request: Request, administration: Administration) -> list[str]:
    """The queues that are meant and that the issuer may see."""
    names = sorted(each.name for each in administration.objects("QLOCAL") if matches(request.name, each.name))
    return [name for name in names if administration.may(request.verb, "QLOCAL", name)]
