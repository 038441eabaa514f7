"""Commands about traces: START, STOP and DISPLAY TRACE. flintmq.qmgr.traces lists the types and classes."""

from __future__ import annotations

from flintmq.catalogue.attribute import INT
from flintmq.command.administration import Administration
from flintmq.command.reply import Item, Reply, Response, done, items_of
from flintmq.command.request import Request
from flintmq.command.status import TRACE
from flintmq.mqi.pcf_constants import MQRCCF_NONE_FOUND, MQRCCF_PARM_SYNTAX_ERROR
from flintmq.mqi.trace_words import ALL_CLASSES, CLASSES, DEFAULT_CLASSES, DESTINATIONS, GLOBAL

ANY_NUMBER = -1
#: TDATA(MSGDATA): the beginning of messages is traced, too.
WITH_DATA = "MSGDATA"


def start(request: Request, administration: Administration) -> Reply:
    """START TRACE(type) CLASS(...) DEST(...)."""
    kind = request.name or GLOBAL
    classes = _classes(request, kind) or DEFAULT_CLASSES[kind]
    unknown = [each for each in classes if each not in CLASSES[kind]]
    if unknown:
        return _wrong("CSQW122E", f"CLASS({unknown[0]})", kind)
    destination = request.option("DEST", DESTINATIONS[kind][0])
    if destination not in DESTINATIONS[kind]:
        return _wrong("CSQW120E", f"DEST({destination})", kind)
    number = administration.start_trace(kind, classes, destination, request.option("TDATA") == WITH_DATA)
    return done("CSQW130I", kind=kind, trace=f"{number:02d}")


def stop(request: Request, administration: Administration) -> Reply:
    """STOP TRACE(type or *): stop the traces that CLASS and TNO select."""
    stopped = administration.stop_trace(request.name, _classes(request, request.name), _number(request))
    if not stopped:
        return Reply([Response("CSQW137I")], MQRCCF_NONE_FOUND)
    return done("CSQW131I", numbers=", ".join(f"{number:02d}" for number in stopped))


def display(request: Request, administration: Administration) -> Reply:
    """DISPLAY TRACE(type or *)."""
    kind = request.name or "*"
    rows = administration.traces(kind, _classes(request, kind), _number(request))
    if not rows:
        return done("CSQW137I")
    return Reply(
        [Response("CSQW127I", {}, [Item("TNO", row["TNO"], INT), *items_of(TRACE, row, None)]) for row in rows]
    )


def _classes(request: Request, kind: str) -> tuple[int, ...]:
    """Return the classes that the command names. `*` is all classes for START, and no class for the others."""
    given = request.options.get("CLASS", [])
    if given == ["*"]:
        return ALL_CLASSES.get(kind, ()) if request.verb == "START" else ()
    return tuple(int(each) for each in given) if isinstance(given, list) else ()


def _number(request: Request) -> int:
    given = request.options.get("TNO", ANY_NUMBER)
    return given if isinstance(given, int) else ANY_NUMBER


def _wrong(number: str, what: str, kind: str) -> Reply:
    return Reply([Response(number, {"what": what, "kind": kind})], MQRCCF_PARM_SYNTAX_ERROR)
