"""Plans: the work of a driver process, as JSON that the harness sends it.

Actors      some instances of one role; each is a thread with a connection and open queues of its own
DriverPlan  a process: how it connects and its actors. More than one role only where it embeds the queue manager
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

EMBEDDED, LOCAL, TCP, TLS = "embedded", "local", "tcp", "tls"
MODES = (EMBEDDED, LOCAL, TCP, TLS)

REQUESTER, RESPONDER, PUTTER, GETTER = "requester", "responder", "putter", "getter"
PUBLISHER, SUBSCRIBER, PUT_GET, OPENER = "publisher", "subscriber", "put-get", "opener"
ROLES = (REQUESTER, RESPONDER, PUTTER, GETTER, PUBLISHER, SUBSCRIBER, PUT_GET, OPENER)
#: Roles that wait for messages of other roles.
FOLLOWING = (RESPONDER, GETTER, SUBSCRIBER)


@dataclass
class Actors:
    """Some instances of one role. Instance n uses queue n of each list, modulo its length."""

    role: str
    instances: int = 1
    #: Number of the first instance: several processes share a role.
    first: int = 0
    put_to: list[str] = field(default_factory=list)
    get_from: list[str] = field(default_factory=list)
    #: Queues whose depth throttles putters.
    watch: list[str] = field(default_factory=list)
    size: int = 2048
    persistent: bool = False
    syncpoint: bool = False
    #: Gets, or puts, in one unit of work.
    batch: int = 1
    #: Seconds that a requester waits for its reply.
    timeout: float = 30.0
    #: How a requester finds its reply: msgid, any, correlid, string, property.
    correlate: str = "msgid"
    #: A requester takes the next queue pair for each request.
    rotate: bool = False
    properties: int = 0
    #: Operations a second of all instances of the plan together; 0 is as fast as it goes.
    rate: float = 0.0
    #: Operations between opening and closing the queues; 0 keeps them open.
    reopen: int = 0
    #: Seconds of expiry of messages; 0 is unlimited.
    expiry: float = 0.0
    #: Percent of the payload that is compressible; below 0, the payload is zeros.
    compressible: int = -1
    topic: str = ""
    #: Put with MQPUT1, which opens and closes the queue: putters and put-get tasks.
    put1: bool = False
    read_ahead: bool = False
    asynchronous: bool = False
    #: Body of the messages, base64; "" makes one of `size` bytes.
    body: str = ""
    #: Format and folder of an MQRFH2 in front of the body, "" for none.
    folder: str = ""


@dataclass
class DriverPlan:
    """The work of one driver process."""

    actors: list[Actors]
    mode: str = LOCAL
    queue_manager: str = "PERF"
    #: Directory of the queue manager, where the driver embeds it.
    directory: str = ""
    channel: str = "PERF.SVRCONN"
    address: str = ""
    cipher: str = ""
    keys: str = ""
    sharing: int = 1
    user: str = ""
    password: str = ""

    def packed(self) -> str:
        """Return one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def unpacked(cls, line: str) -> DriverPlan:
        """Read the line. Raise ValueError where it is none."""
        data = json.loads(line)
        actors = [Actors(**each) for each in data.pop("actors")]
        return cls(actors=actors, **data)
