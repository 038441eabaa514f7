"""Shapes: from the parameters of a step to queues, drivers and MQSC commands.

    request-reply   requesters and responders over pairs of queues
    put             putters; a getter drains their queues unless `drained` is False
    put-get         tasks that put and get on one queue
    open            tasks that open and close
    pass            a putting and a getting client for each queue
    stream          App1 puts, App2 gets, readers take the copies
    stream-reply    App1 puts and waits for the reply of App2, readers take the copies
    pubsub          publishers and subscribers
    flow            drivers that put to a message flow and wait for any reply (flows.py builds the flow)

Every queue of a step has the prefix of this module, so that depths can be asked for together.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flintmq.perf.catalogue.workload import Parameters
from flintmq.perf.plan import (
    GETTER,
    LOCAL,
    OPENER,
    PUBLISHER,
    PUT_GET,
    PUTTER,
    REQUESTER,
    RESPONDER,
    SUBSCRIBER,
    TCP,
    TLS,
    Actors,
)

PREFIX = "PQ."
_DEPTH_MAX = 999_999_999
#: Messages of more than this need a higher MAXMSGL.
_LENGTH_DEFAULT = 4 * 1024 * 1024


@dataclass
class Setup:
    """Queues, drivers and MQSC commands of a step."""

    parameters: Parameters
    #: Actors and the mode in which they connect.
    actors: list[tuple[Actors, str]]
    lead: str
    #: Local queues with their attributes, other objects as commands, and commands that undo them.
    queues: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    undo: list[str] = field(default_factory=list)
    #: Messages put for one operation, copies included.
    messages: int = 1
    #: (queue, depth) to load before the first repeat.
    preload: list[tuple[str, int]] = field(default_factory=list)

    def define(self) -> list[str]:
        """Return the commands before the step."""
        longest = max(_LENGTH_DEFAULT, int(self.parameters["size"]) + 65536)
        made = [
            f"DEFINE QLOCAL({name}) MAXDEPTH({_DEPTH_MAX}) MAXMSGL({longest}) {attributes} REPLACE"
            for name, attributes in self.queues.items()
        ]
        return made + self.commands

    def remove(self) -> list[str]:
        """Return the commands after the step."""
        return [*self.undo, *(f"DELETE QLOCAL({name}) PURGE" for name in self.queues)]


def _mode(p: Parameters) -> str:
    """Return the mode of the leading drivers; TLS without a cipher is TCP."""
    mode = str(p["mode"])
    return TCP if mode == TLS and p.get("cipher") == "none" else mode


def _actors(role: str, p: Parameters, instances: int, **more: Any) -> Actors:
    return Actors(
        role,
        instances,
        size=p["size"],
        persistent=p["persistent"],
        properties=p.get("properties", 0),
        compressible=p.get("compressible", -1),
        read_ahead=more.pop("read_ahead", p.get("read_ahead", False)),
        **more,
    )


def _selector(p: Parameters) -> str:
    return str(p.get("selector", "msgid"))


def request_reply(p: Parameters) -> Setup:
    """Build requesters and responders. `per_pair` gives each pair its own; `spread` spreads all over the pairs."""
    pairs = int(p.get("pairs", 1))
    clients = int(p["per_pair"]) * pairs if "per_pair" in p else int(p["clients"])
    servers = (
        int(p["per_pair"]) * pairs if "per_pair" in p else max(int(p["servers"]) if "servers" in p else clients, pairs)
    )
    p = {**p, "clients": clients, "servers": servers}
    requests = [f"{PREFIX}REQUEST.{number}" for number in range(pairs)]
    replies = [f"{PREFIX}REPLY.{number}" for number in range(pairs)]
    correlate = _selector(p)
    lead = _actors(
        REQUESTER,
        p,
        clients,
        put_to=requests,
        get_from=replies,
        syncpoint=p.get("syncpoint") == "both",
        correlate=correlate,
        rotate=bool(p.get("rotate")),
        rate=float(p.get("rate", 0)),
    )
    server = _actors(
        RESPONDER,
        {**p, "properties": 0},
        servers,
        get_from=requests,
        syncpoint=p.get("syncpoint") in ("server", "both"),
        correlate=correlate,
    )
    indexed = "INDXTYPE(CORRELID)" if p.get("indexed") or correlate == "msgid" else ""
    queues = dict.fromkeys(requests, "") | dict.fromkeys(replies, indexed)
    mode = _mode(p)
    setup = Setup(p, [(server, str(p.get("server_mode", mode))), (lead, mode)], REQUESTER, queues, messages=2)
    if p.get("depth"):
        setup.preload = [(name, int(p["depth"])) for name in replies]
    return setup


def _streamed(p: Parameters, base: str, number: int, setup: Setup, copies: int) -> list[str]:
    """Define queue `number` of a streaming workload in `setup`; return the queues where copies arrive.

    The first of them is where App2 gets, except with a stream queue, where App2 gets from the base queue.
    """
    kind = str(p.get("streamq", "none"))
    if kind == "none":
        setup.queues[base] = ""
        return []
    if kind in ("BESTEF", "MUSTDUP"):
        copy = f"{PREFIX}COPY.{number}"
        setup.queues[copy] = ""
        setup.queues[base] = f"STREAMQ({copy}) STRMQOS({kind})"
        return [copy]
    topic = f"perf/{number}"
    count = copies if kind == "alias" else copies + 1
    subscribers = [f"{PREFIX}SUB.{number}.{each}" for each in range(count)]
    for each in subscribers:
        setup.queues[each] = ""
    alias = f"{PREFIX}ALIAS.{number}" if kind == "alias" else base
    setup.commands += [
        f"DEFINE TOPIC({PREFIX}TOPIC.{number}) TOPICSTR('{topic}') REPLACE",
        f"DEFINE QALIAS({alias}) TARGET({PREFIX}TOPIC.{number}) TARGTYPE(TOPIC) REPLACE",
    ]
    for each in subscribers:
        setup.commands.append(f"DEFINE SUB('{each}') TOPICSTR('{topic}') DEST({each}) PSPROP(NONE)")
        setup.undo.append(f"DELETE SUB('{each}')")
    setup.undo += [f"DELETE QALIAS({alias})", f"DELETE TOPIC({PREFIX}TOPIC.{number})"]
    if kind == "alias":
        setup.queues[base] = f"STREAMQ({alias}) STRMQOS(BESTEF)"
    return subscribers


def put(p: Parameters) -> Setup:
    """Build putters, each with its queue, and getters that drain the queues and the copies."""
    clients = int(p["clients"])
    setup = Setup(p, [], PUTTER)
    base = [f"{PREFIX}PUT.{number}" for number in range(clients)]
    copies = [copy for number, name in enumerate(base) for copy in _streamed(p, name, number, setup, 0)]
    if p.get("indexed"):
        setup.queues = {name: text + " INDXTYPE(CORRELID)" for name, text in setup.queues.items()}
    drained = p.get("drained", True)
    lead = _actors(
        PUTTER,
        p,
        clients,
        put_to=base,
        watch=base + copies if drained else [],
        syncpoint=p.get("syncpoint") == "both",
        rate=float(p.get("rate", 0)),
        reopen=int(p.get("reopen", 0)),
        asynchronous=bool(p.get("read_ahead")),
    )
    setup.messages = (2 if copies else 1) * max(1, int(p.get("reopen", 0)))
    if drained:
        everything = base + copies
        setup.actors.append((_actors(GETTER, p, len(everything), get_from=everything), _mode(p)))
    if p.get("depth"):
        setup.preload = [(name, int(p["depth"])) for name in base]
    setup.actors.append((lead, _mode(p)))
    return setup


def put_get(p: Parameters) -> Setup:
    """Build tasks that put and get on a common queue, and a reader of the copies where there are any."""
    setup = Setup(p, [], PUT_GET)
    base = f"{PREFIX}COMMON"
    copies = _streamed(p, base, 0, setup, 0)
    lead = _actors(
        PUT_GET,
        p,
        int(p["clients"]),
        put_to=[base],
        get_from=[base],
        syncpoint=p.get("syncpoint") == "both",
        reopen=int(p.get("reopen", 0)),
    )
    if copies:
        reader = _actors(GETTER, p, 2, get_from=copies, syncpoint=p.get("syncpoint") == "both")
        setup.actors.append((reader, _mode(p)))
        setup.messages = 2
    setup.actors.append((lead, _mode(p)))
    return setup


def opening(p: Parameters) -> Setup:
    """Build tasks that open and close: a plain queue, one with a stream queue, or an alias of a topic."""
    case = str(p["case"])
    name = f"{PREFIX}OPEN"
    setup = Setup(p, [], OPENER, messages=0)
    if case.startswith("topic-"):
        count = int(case.removeprefix("topic-"))
        _streamed({**p, "streamq": "pubsub"}, name, 0, setup, count - 1)
    else:
        _streamed({**p, "streamq": "BESTEF" if case == "streamq" else "none"}, name, 0, setup, 0)
    setup.actors = [(_actors(OPENER, p, int(p["clients"]), put_to=[name]), _mode(p))]
    return setup


def passing(p: Parameters) -> Setup:
    """Build a putting and a getting client for each queue."""
    pairs = int(p["pairs"])
    queues = [f"{PREFIX}PASS.{number}" for number in range(pairs)]
    attributes = "DEFPRESP(ASYNC) DEFREADA(YES)" if p.get("read_ahead") else ""
    lead = _actors(
        PUTTER,
        p,
        pairs,
        put_to=queues,
        watch=queues,
        asynchronous=bool(p.get("read_ahead")),
        rate=float(p.get("rate", 0)),
    )
    getter = _actors(GETTER, p, pairs, get_from=queues)
    mode = _mode(p)
    return Setup({**p, "clients": pairs}, [(getter, mode), (lead, mode)], PUTTER, dict.fromkeys(queues, attributes))


def stream(p: Parameters) -> Setup:
    """Build App1, App2 and readers of copies: each putter has a queue of its own, two getters wait on every queue."""
    clients = int(p["clients"])
    setup = Setup(p, [], PUTTER)
    base = [f"{PREFIX}BASE.{number}" for number in range(clients)]
    app2: list[str] = []
    copies: list[str] = []
    count = int(p.get("copies", 1))
    for number, name in enumerate(base):
        arriving = _streamed(p, name, number, setup, count)
        if p.get("streamq") == "pubsub":
            app2.append(arriving[0])
            copies += arriving[1:]
        else:
            app2.append(name)
            copies += arriving
    synced = p.get("syncpoint") == "both"
    mode = _mode(p)
    setup.actors.append((_actors(GETTER, p, 2 * clients, get_from=app2, syncpoint=synced), mode))
    if copies:
        batch = int(p.get("drain_batch", 1))
        reader = _actors(GETTER, p, len(copies), get_from=copies, syncpoint=synced, batch=batch, first=2 * clients)
        # Instances are numbered through, and take their queue by number.
        shift = (2 * clients) % len(copies)
        reader.get_from = copies[-shift:] + copies[:-shift] if shift else copies
        setup.actors.append((reader, mode))
    lead = _actors(PUTTER, p, clients, put_to=base, watch=app2[:4] + copies[:4], syncpoint=synced)
    setup.actors.append((lead, mode))
    setup.messages = 1 + (count if copies else 0)
    return setup


def stream_reply(p: Parameters) -> Setup:
    """Build App1 that waits for the reply of App2, on queues whose messages are copied for readers."""
    pairs = int(p["pairs"])
    setup = Setup({**p, "clients": pairs}, [], REQUESTER)
    requests = [f"{PREFIX}REQUEST.{number}" for number in range(pairs)]
    replies = [f"{PREFIX}REPLY.{number}" for number in range(pairs)]
    count = int(p.get("copies", 1))
    app2: list[str] = []
    copies: list[str] = []
    for number, name in enumerate(requests):
        arriving = _streamed(p, name, number, setup, count)
        if p.get("streamq") == "pubsub":
            app2.append(arriving[0])
            copies += arriving[1:]
        else:
            app2.append(name)
            copies += arriving
    for name in replies:
        setup.queues[name] = ""
    mode = _mode(p)
    # A publication has ids of its own, so that its reply cannot be found by them: a requester gets the only one there.
    correlate = "any"
    server = _actors(RESPONDER, p, pairs, get_from=app2, correlate=correlate)
    lead = _actors(REQUESTER, p, pairs, put_to=requests, get_from=replies, correlate=correlate)
    setup.actors = [(server, mode)]
    if copies:
        setup.actors.append((_actors(GETTER, p, len(copies), get_from=copies), mode))
    setup.actors.append((lead, mode))
    setup.messages = 2 + (count if copies else 0)
    return setup


def pubsub(p: Parameters) -> Setup:
    """Build publishers to one topic and its subscribers."""
    subscribers = int(p.get("subscribers", 1))
    topic = "perf/pubsub"
    mode = _mode(p)
    lead = _actors(PUBLISHER, p, int(p["clients"]), topic=topic, rate=float(p.get("rate", 0)))
    getter = _actors(SUBSCRIBER, p, subscribers, topic=topic)
    return Setup(p, [(getter, mode), (lead, mode)], PUBLISHER, messages=subscribers)


def flow(p: Parameters, body: bytes = b"", folder: str = "") -> Setup:
    """Build drivers that put to the input queue of a flow and wait for any message on its output queue."""
    out = f"{PREFIX}FLOW.OUT"
    lead = _actors(
        REQUESTER,
        p,
        int(p["clients"]),
        put_to=[f"{PREFIX}FLOW.IN"],
        get_from=[out],
        correlate="any",
        body=base64.b64encode(body).decode(),
        folder=folder,
    )
    return Setup(p, [(lead, LOCAL)], REQUESTER, {f"{PREFIX}FLOW.IN": "", out: ""}, messages=2)


BUILDERS: dict[str, Callable[[Parameters], Setup]] = {
    "request-reply": request_reply,
    "put": put,
    "put-get": put_get,
    "open": opening,
    "pass": passing,
    "stream": stream,
    "stream-reply": stream_reply,
    "pubsub": pubsub,
    "flow": flow,
}
