"""The two loops that `bench_engine.py` compares, compiled alike.

`engine_round_trips` makes MQI calls: put a request, get it, put the reply with the request's message id as correlation
id, get the reply by it (B181). `floor_round_trips` makes the same moves with nothing but a doubly linked list, a
dictionary for each id, and a list for the unit of work: a node is made, linked and indexed; found, unlinked, forgotten.
"""

from __future__ import annotations

from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import Connection, Handle

NO_ID = bytes(24)
GOT = b"got"  # What the data of a node is while an uncommitted get has it.


class Node:
    """A message of the floor."""

    def __init__(self, msg_id: bytes, correl_id: bytes, data: bytes) -> None:
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.data = data
        self.available = True
        self.prev: Node | None = None
        self.next: Node | None = None


class BareQueue:
    """A linked list with an index by each of the two ids that a get may ask for: what a queue is at the very least."""

    def __init__(self) -> None:
        self.first: Node | None = None
        self.last: Node | None = None
        self.by_msg_id: dict[bytes, Node] = {}
        self.by_correl_id: dict[bytes, Node] = {}
        self.depth = 0

    def link(self, node: Node) -> None:
        last = self.last
        if last is None:
            self.first = node
        else:
            node.prev = last
            last.next = node
        self.last = node
        self.by_msg_id[node.msg_id] = node
        self.by_correl_id[node.correl_id] = node
        self.depth += 1

    def unlink(self, node: Node) -> None:
        before, after = node.prev, node.next
        if before is None:
            self.first = after
        else:
            before.next = after
        if after is None:
            self.last = before
        else:
            after.prev = before
        del self.by_msg_id[node.msg_id]
        del self.by_correl_id[node.correl_id]
        self.depth -= 1


class Bare:
    """The calls of the floor: put, get, get by correlation id, commit. No options, no checks, no counters."""

    def __init__(self) -> None:
        self.number = 0
        self.unit: list[tuple[BareQueue, Node]] = []

    def put(self, queue: BareQueue, correl_id: bytes, data: bytes, syncpoint: bool) -> Node:
        self.number += 1
        node = Node(self.number.to_bytes(24, "big"), correl_id, data)
        queue.link(node)
        if syncpoint:
            node.available = False
            self.unit.append((queue, node))
        return node

    def get(self, queue: BareQueue, syncpoint: bool) -> Node:
        node = queue.first
        while node is not None and not node.available:
            node = node.next
        assert node is not None
        return self.take(queue, node, syncpoint)

    def get_by_correl_id(self, queue: BareQueue, correl_id: bytes, syncpoint: bool) -> Node:
        node = queue.by_correl_id[correl_id]
        assert node.available
        return self.take(queue, node, syncpoint)

    def take(self, queue: BareQueue, node: Node, syncpoint: bool) -> Node:
        if syncpoint:
            node.available = False
            self.unit.append((queue, node))
        else:
            queue.unlink(node)
        return node

    def commit(self) -> None:
        for queue, node in self.unit:
            if node.data is GOT:
                queue.unlink(node)
            else:
                node.available = True
        self.unit = []


def floor_round_trips(count: int, data: bytes, syncpoint: bool) -> int:
    """Request/reply on two bare queues; returns how many calls that makes."""
    bare = Bare()
    requests, replies = BareQueue(), BareQueue()
    calls = 0
    for _ in range(count):
        request = bare.put(requests, NO_ID, data, syncpoint)
        if syncpoint:
            bare.commit()
        found = bare.get(requests, syncpoint)
        reply = found.data
        if syncpoint:
            found.data = GOT
        bare.put(replies, found.msg_id, reply, syncpoint)
        if syncpoint:
            bare.commit()
        answer = bare.get_by_correl_id(replies, request.msg_id, syncpoint)
        if syncpoint:
            answer.data = GOT
            bare.commit()
            calls += 7
        else:
            calls += 4
    return calls


def engine_round_trips(
    qm: Calls,
    connection: Connection,
    requests: Handle,
    replies: Handle,
    count: int,
    data: bytes,
    put_options: int,
    get_options: int,
    syncpoint: bool,
) -> int:
    """Request/reply through the MQI, requester and server in turn on one connection; returns how many calls."""
    request_md, server_md, reply_md, answer_md = MQMD(), MQMD(), MQMD(), MQMD()
    put_request, put_reply = MQPMO(), MQPMO()
    get_request, get_reply = MQGMO(), MQGMO()
    put_request.options = put_reply.options = put_options
    get_request.options = get_reply.options = get_options
    calls = 0
    for _ in range(count):
        reason = qm.put(connection, requests, request_md, put_request, data)
        if syncpoint:
            reason |= qm.commit(connection)
        server_md.msg_id = NO_ID
        server_md.correl_id = NO_ID
        reason |= qm.get(connection, requests, server_md, get_request, 4096)
        reply_md.correl_id = server_md.msg_id
        reason |= qm.put(connection, replies, reply_md, put_reply, connection.data)
        if syncpoint:
            reason |= qm.commit(connection)
        answer_md.msg_id = NO_ID
        answer_md.correl_id = request_md.msg_id
        reason |= qm.get(connection, replies, answer_md, get_reply, 4096)
        if syncpoint:
            reason |= qm.commit(connection)
        if reason:
            raise RuntimeError(f"an MQI call failed: {reason}")
        calls += 7 if syncpoint else 4
    return calls
