"""Identifiers of database branches, and the messages in which the queue manager's log has the decisions.

A branch of a coordinated transaction has a gid, in the text form of psycopg and pgjdbc:

    1179405649_base64(gtrid)_base64(bqual)         1179405649 is "FLMQ", the format id of FlintMQ

    gtrid    queue manager   16 hex digits         hash of the QMID of the queue manager
             .owner          16 hex digits         hash of the names of broker and execution group
             .incarnation    12 hex digits         random, one for each process of an execution group
             .instance        1 to 4 hex digits    one for each registration of an instance of a flow
             .counter         1 to 12 hex digits   the unit of work
    bqual    name of the data source

The queue SYSTEM.BROKER.COORDINATION has, for each instance that has done coordinated work, two persistent messages with
JSON as text. Both have the instance as CorrelId.

    registration   MsgId = instance, "REGISTER". Put before the first unit of work, removed at the end of the instance.
    token          MsgId = instance, counter. The last decision: the branches of the unit of work that put it, and
                   branches of earlier units of work that have not answered yet.

Unit of work N gets token N-1 and puts token N, both under syncpoint, together with the gets and puts of the flow. So a
token is the decision, the removal of the decision before it, and a lock:

    token N visible      unit of work N is committed
    token N-1 visible    unit of work N is backed out, or has not begun
    neither              unit of work N is in flight, and the queue manager still has its connection

A process that takes a token away has fenced the instance: its next unit of work finds no token and is backed out. No
clock is needed to know that an instance cannot decide any more.

A third kind of message, `heuristic`, records a branch with an outcome that differs from the decision, or is not known.

This file has no state machine and asks no database; coordination.py and recovery.py do.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from flintmq.client.calls import Calls
from flintmq.mqi.call_errors import NoMessageAvailable
from flintmq.mqi.constants import MQCA_Q_MGR_IDENTIFIER, MQOO_INQUIRE, MQOT_Q_MGR
from flintmq.mqi.od import MQOD

#: "FLMQ". It never changes: branches in databases carry it.
FORMAT_ID: Final = 0x464C4D51
COORDINATION_QUEUE: Final = "SYSTEM.BROKER.COORDINATION"
VERSION: Final = 1
#: Length of a bqual in XA, and so of the name of a data source that can be coordinated.
SOURCE_NAME_MAX: Final = 64
#: Branches that one token carries. An instance with more unanswered branches does no coordinated work.
BRANCHES_MAX: Final = 256
#: Messages that one browse of the coordination queue reads.
MESSAGES_MAX: Final = 10_000
_GID: Final = re.compile(r"(\d{1,10})_([A-Za-z0-9+/=]+)_([A-Za-z0-9+/=]+)")
_GTRID: Final = re.compile(
    r"([0-9a-f]{16})\.([0-9a-f]{16})\.([0-9a-f]{12})\.([0-9a-f]{1,4})\.([0-9a-f]{1,12})", re.ASCII
)
_REGISTER: Final = b"REGISTER"
_HEURISTIC: Final = b"HEURISTI"
INSTANCE_MAX: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class Owner:
    """The execution group that branches belong to, whatever its process. Hashes, as a gid has them."""

    queue_manager: str
    group: str

    @classmethod
    def of(cls, queue_manager_id: str, broker: str, execution_group: str) -> Owner:
        """Return the owner for a QMID and the names of broker and execution group."""
        return cls(_hash(queue_manager_id.strip()), _hash(f"{broker}\0{execution_group}"))


@dataclass(frozen=True, slots=True)
class Identity:
    """One registration of an instance: owner, process and number."""

    owner: Owner
    incarnation: str
    number: int

    @property
    def correlation_id(self) -> bytes:
        """Return the CorrelId of the messages of the instance: 16 bytes and eight zeros."""
        return self._bytes() + bytes(8)

    @property
    def registration_id(self) -> bytes:
        """Return the MsgId of the registration."""
        return self._bytes() + _REGISTER

    def token_id(self, counter: int) -> bytes:
        """Return the MsgId of the token of a unit of work."""
        return self._bytes() + counter.to_bytes(8, "big")

    def gid(self, counter: int, source: str) -> str:
        """Return the gid of the branch in a data source."""
        owner = self.owner
        gtrid = f"{owner.queue_manager}.{owner.group}.{self.incarnation}.{self.number:x}.{counter:x}"
        return f"{FORMAT_ID}_{_base64(gtrid)}_{_base64(source)}"

    def __str__(self) -> str:
        return f"{self.incarnation}.{self.number:x}"

    def _bytes(self) -> bytes:
        return bytes.fromhex(self.owner.group) + bytes.fromhex(self.incarnation) + self.number.to_bytes(2, "big")


@dataclass(frozen=True, slots=True)
class Gid:
    """A gid that FlintMQ made."""

    text: str
    identity: Identity
    counter: int
    source: str


def parse_gid(text: str) -> Gid | None:
    """Return the parts of a gid; None for one that FlintMQ did not make."""
    found = _GID.fullmatch(text)
    if found is None or int(found[1]) != FORMAT_ID:
        return None
    try:
        gtrid = base64.b64decode(found[2], validate=True).decode("ascii")
        source = base64.b64decode(found[3], validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    parts = _GTRID.fullmatch(gtrid)
    if parts is None:
        return None
    identity = Identity(Owner(parts[1], parts[2]), parts[3], int(parts[4], 16))
    made = Gid(text, identity, int(parts[5], 16), source)
    return made if identity.gid(made.counter, source) == text else None


@dataclass(frozen=True, slots=True)
class Branch:
    """A prepared transaction in a data source. `xid` is the number that the database gave it; 0 if not known."""

    gid: str
    source: str
    xid: int = 0


@dataclass(slots=True)
class Decision:
    """A message of the coordination queue, read."""

    kind: str
    broker: str
    execution_group: str
    flow: str = ""
    branches: list[Branch] = field(default_factory=list)
    #: Of a heuristic outcome: the sentence that says so.
    text: str = ""
    #: Seconds since the epoch.
    time: float = 0.0

    def pack(self) -> str:
        """Return the text of the message."""
        fields: dict[str, Any] = {
            "flintmq": "coordination",
            "version": VERSION,
            "kind": self.kind,
            "broker": self.broker,
            "executionGroup": self.execution_group,
            "flow": self.flow,
            "time": round(self.time, 3),
            "branches": [{"gid": each.gid, "source": each.source, "xid": each.xid} for each in self.branches],
        }
        if self.text:
            fields["text"] = self.text
        return json.dumps(fields, separators=(",", ":"))


KINDS: Final = ("registration", "token", "heuristic")


def unpack(text: str | bytes) -> Decision:
    """Return a message of the coordination queue. Raise ValueError with the mistake in it."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(fields, dict) or fields.get("flintmq") != "coordination":
        raise ValueError("not a coordination message of FlintMQ")
    if fields.get("version") != VERSION:
        raise ValueError(f"version {fields.get('version')!r} is not {VERSION}")
    kind, branches = fields.get("kind"), fields.get("branches")
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is none of {', '.join(KINDS)}")
    if not isinstance(branches, list) or len(branches) > BRANCHES_MAX:
        raise ValueError(f"branches is no list of at most {BRANCHES_MAX}")
    made: list[Branch] = []
    for each in branches:
        values = each if isinstance(each, dict) else {}
        gid, source, xid = values.get("gid"), values.get("source"), values.get("xid")
        if not isinstance(gid, str) or not isinstance(source, str) or not isinstance(xid, int) or xid < 0:
            raise ValueError(f"branch {len(made) + 1} has no gid, source and xid")
        made.append(Branch(gid, source, xid))
    texts = [fields.get(name, "") for name in ("broker", "executionGroup", "flow", "text")]
    when = fields.get("time", 0)
    if not all(isinstance(each, str) for each in texts) or not isinstance(when, int | float):
        raise ValueError("a name is no text, or time is no number")
    return Decision(kind, texts[0], texts[1], texts[2], made, texts[3], float(when))


@dataclass(frozen=True, slots=True)
class Stored:
    """A message as it is on the coordination queue."""

    message_id: bytes
    correlation_id: bytes
    data: bytes


class DecisionLog(Protocol):
    """The queue manager as coordination and recovery use it, on one connection. Calls raise flintmq.MQError."""

    def put_decision(self, message_id: bytes, correlation_id: bytes, data: str, syncpoint: bool = True) -> None:
        """Put a persistent message; without syncpoint it is durable when the call returns."""
        ...

    def remove_decision(self, message_id: bytes, syncpoint: bool = True) -> bool:
        """Get a message destructively; return False if no such message is visible."""
        ...

    def commit(self) -> None:
        """MQCMIT."""
        ...

    def backout(self) -> None:
        """MQBACK."""
        ...

    def visible(self, message_id: bytes) -> bool:
        """Return whether a message is on the queue, committed and not locked by another unit of work."""
        ...

    def decisions(self) -> list[Stored]:
        """Return the visible messages, at most MESSAGES_MAX."""
        ...


class QueueDecisions:
    """DecisionLog over the Python client: `flintmq.connect(...)`, one of its connections, or `flintmq.open(...)`."""

    def __init__(self, calls: Calls, queue: str = COORDINATION_QUEUE) -> None:
        self._calls = calls
        self._queue = calls.queue(queue)

    def put_decision(self, message_id: bytes, correlation_id: bytes, data: str, syncpoint: bool = True) -> None:
        """Put a persistent message."""
        self._queue.put(
            data, persistent=True, message_id=message_id, correlation_id=correlation_id, syncpoint=syncpoint
        )

    def remove_decision(self, message_id: bytes, syncpoint: bool = True) -> bool:
        """Get a message destructively; return False if no such message is visible."""
        try:
            self._queue.get(message_id=message_id, syncpoint=syncpoint, requeue_poison=False)
        except NoMessageAvailable:
            return False
        return True

    def commit(self) -> None:
        """MQCMIT."""
        self._calls.commit()

    def backout(self) -> None:
        """MQBACK."""
        self._calls.backout()

    def visible(self, message_id: bytes) -> bool:
        """Return whether a message is on the queue, committed and not locked."""
        with self._queue.browse(message_id=message_id, max_length=0) as browser:
            return next(iter(browser), None) is not None

    def decisions(self) -> list[Stored]:
        """Return the visible messages."""
        found: list[Stored] = []
        with self._queue.browse() as browser:
            for message in browser:
                found.append(Stored(message.message_id, message.correlation_id, message.data))
                if len(found) == MESSAGES_MAX:
                    break
        return found


def create_queue(calls: Calls, queue: str = COORDINATION_QUEUE) -> None:
    """Define the coordination queue unless there is one. The broker does this when it starts."""
    calls.queue(
        queue,
        create=True,
        defpsist="YES",
        maxdepth=999_999,
        descr="Decisions of coordinated transactions of brokers",
    )


def queue_manager_id(calls: Calls) -> str:
    """Return QMID: unique for a queue manager, also after it was deleted and created again."""
    od = MQOD()
    od.object_type = MQOT_Q_MGR
    handle = calls.mqi.open(od, MQOO_INQUIRE)
    try:
        characters: Sequence[str] = calls.mqi.inq(handle, [MQCA_Q_MGR_IDENTIFIER]).characters
        return characters[0].strip()
    finally:
        calls.mqi.close(handle)


def heuristic_id(gid: str) -> bytes:
    """Return the MsgId of the message that records a heuristic outcome."""
    return hashlib.blake2b(gid.encode(), digest_size=16).digest() + _HEURISTIC


class Branches:
    """The branches that the instances of one process have: the live table. For several threads.

    live       from before PREPARE TRANSACTION until the outcome is settled: recovery leaves them alone
    decided    committed by the queue manager, and a first COMMIT PREPARED failed: recovery commits them, too
    left       neither, and perhaps prepared, because the database did not answer: recovery rolls them back
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: dict[str, Branch] = {}
        self._decided: dict[str, Branch] = {}
        self.incarnation = secrets.token_hex(6)
        self._instances = 0
        #: Set when a branch is decided and not committed, or left: a round of recovery has something to do.
        self.work = threading.Event()

    def new_identity(self, owner: Owner) -> Identity:
        """Return the identity of a registration; no other has it."""
        with self._lock:
            if self._instances == INSTANCE_MAX:
                raise OverflowError(f"more than {INSTANCE_MAX} registrations in one process")
            self._instances += 1
            return Identity(owner, self.incarnation, self._instances)

    def enter(self, branch: Branch) -> None:
        """Add a branch that is about to be prepared."""
        with self._lock:
            self._live[branch.gid] = branch

    def decide(self, branches: Sequence[Branch]) -> None:
        """Move branches from live to decided."""
        with self._lock:
            for branch in branches:
                self._live.pop(branch.gid, None)
                self._decided[branch.gid] = branch
        self.work.set()

    def leave(self, gid: str) -> None:
        """Remove a branch that is committed or rolled back."""
        with self._lock:
            self._live.pop(gid, None)
            self._decided.pop(gid, None)

    def abandon(self, gid: str) -> None:
        """Remove a branch that may be prepared and that recovery has to roll back."""
        self.leave(gid)
        self.work.set()

    def is_live(self, gid: str) -> bool:
        """Return whether an instance still works on a branch."""
        with self._lock:
            return gid in self._live

    def state_of(self, gid: str) -> str:
        """Return `live`, `decided`, or nothing: then a prepared branch of this process has to be rolled back (C1)."""
        with self._lock:
            return "live" if gid in self._live else "decided" if gid in self._decided else ""

    def decided(self) -> dict[str, Branch]:
        """Return the branches that are to be committed."""
        with self._lock:
            return dict(self._decided)

    def live(self) -> dict[str, Branch]:
        """Return the branches that instances work on."""
        with self._lock:
            return dict(self._live)


def now() -> float:
    """Return seconds since the epoch, for messages and displays."""
    return time.time()


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
