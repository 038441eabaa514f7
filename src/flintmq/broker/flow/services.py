"""What nodes do to the outside, and the recorder that a flow as a function uses.

A node asks `Services` for everything beyond the flow: queues, topics, servers, files, databases, other flows. The
contract is small and synchronous. `Recorder` keeps what would have been done and answers from what a test gave it;
the run time of a broker does it.
"""

from __future__ import annotations

import fnmatch
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import DataSource
from flintmq.broker.tree.element import Element
from flintmq.mqi.md import MQMD


@dataclass(slots=True)
class Put:
    """A message that an output node puts."""

    node: str
    queue: str
    queue_manager: str
    md: MQMD
    data: bytes
    root: Element
    #: Whether the put belongs to the unit of work of the flow.
    transactional: bool = True
    new_message_id: bool = False
    new_correlation_id: bool = False
    context: str = "passAll"
    alternate_user: bool = False


@dataclass(slots=True)
class Written:
    """What a queue manager made of a put."""

    queue: str
    queue_manager: str
    message_id: bytes
    correlation_id: bytes
    group_id: bytes = bytes(24)


@dataclass(slots=True)
class Publication:
    """A message that a Publication node publishes."""

    node: str
    topics: list[str]
    md: MQMD
    data: bytes
    root: Element
    subscription_point: str = ""
    retained: bool = False
    transactional: bool = True


@dataclass(slots=True)
class GetRequest:
    """What an MQGet node asks for."""

    node: str
    queue: str
    wait_seconds: float
    message_id: bytes | None = None
    correlation_id: bytes | None = None
    transactional: bool = True
    browse: bool = False


@dataclass(slots=True)
class HttpRequest:
    """A request of an HTTPRequest or SOAPRequest node."""

    node: str
    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    timeout_seconds: float = 120.0


@dataclass(slots=True)
class HttpResponse:
    """The answer of a server."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    reason: str = "OK"


@dataclass(slots=True)
class HttpReply:
    """The answer that a flow gives to a request that an HTTPInput or SOAPInput node took."""

    node: str
    request_identifier: bytes
    status: int
    headers: dict[str, str]
    body: bytes
    root: Element


@dataclass(slots=True)
class FileWrite:
    """What a FileOutput node writes. `finish` ends a file that is written record by record."""

    node: str
    directory: str
    name: str
    data: bytes
    root: Element | None = None
    mode: str = "replace"
    append: bool = False
    finish: bool = False


@dataclass(slots=True)
class TimeoutRequest:
    """A request of a TimeoutControl node."""

    node: str
    identifier: str
    name: str
    action: str
    #: Seconds from now to the first notification, and between the following ones.
    delay: float
    interval: float
    count: int
    data: bytes
    root: Element


class Services(Protocol):
    """Everything that nodes do to the outside. A call that fails raises a BrokerError."""

    def put(self, put: Put) -> Written:
        """Put a message."""
        ...

    def get(self, request: GetRequest) -> tuple[MQMD, bytes] | None:
        """Get a message; None if there is none within the wait."""
        ...

    def publish(self, publication: Publication) -> bool:
        """Publish a message; return whether a subscription matched."""
        ...

    def http_request(self, request: HttpRequest) -> HttpResponse:
        """Send a request; raise a SocketException if no answer comes."""
        ...

    def http_reply(self, reply: HttpReply) -> None:
        """Answer a request; raise 3740 if its identifier is unknown or was answered before."""
        ...

    def write_file(self, write: FileWrite) -> None:
        """Write a file, or a record of one."""
        ...

    def read_file(self, node: str, directory: str, pattern: str) -> tuple[str, bytes] | None:
        """Return name and content of the first file that matches a pattern; None if there is none."""
        ...

    def dispose_file(self, node: str, directory: str, name: str, action: str) -> None:
        """Delete a file that was read, or move it to the archive."""
        ...

    def data_source(self, name: str) -> DataSource:
        """Return a database by the name of its data source."""
        ...

    def call_flow(self, node: str, application: str, endpoint: str, root: Element, local: Element) -> Element:
        """Call a callable flow and return its answer."""
        ...

    def timeout(self, request: TimeoutRequest) -> None:
        """Set or cancel a timer."""
        ...

    def trace(self, node: str, destination: str, file: str, text: str) -> None:
        """Write what a Trace node or LOG USER TRACE says."""
        ...

    def email(self, node: str, root: Element, local: Element) -> None:
        """Send an e-mail."""
        ...


HttpFake = Callable[[HttpRequest], HttpResponse] | HttpResponse | bytes


class Recorder:
    """Services of a flow that is called as a function: what goes out is kept, what comes in was given before.

    `http` maps the label of a node, or a URL pattern with `*`, to a response or a function. `databases` maps the name
    of a data source to a DataSource. `queues` holds messages for MQGet nodes, `files` the files for FileRead nodes.
    """

    def __init__(
        self,
        http: Mapping[str, HttpFake] | None = None,
        databases: Mapping[str, DataSource] | None = None,
        queues: Mapping[str, Sequence[tuple[MQMD, bytes]]] | None = None,
        files: Mapping[str, bytes] | None = None,
        flows: Mapping[str, Callable[[Element], Element]] | None = None,
        subscribers: Callable[[str], bool] | None = None,
    ) -> None:
        self.http = dict(http or {})
        self.databases = dict(databases or {})
        self.queues = {name: deque(messages) for name, messages in (queues or {}).items()}
        self.files = dict(files or {})
        self.flows = dict(flows or {})
        self.subscribers = subscribers
        self.puts: list[Put] = []
        self.publications: list[Publication] = []
        self.requests: list[HttpRequest] = []
        self.replies: list[HttpReply] = []
        self.file_writes: list[FileWrite] = []
        self.disposed: list[tuple[str, str]] = []
        self.timeouts: list[TimeoutRequest] = []
        self.traces: list[tuple[str, str]] = []
        self.emails: list[tuple[str, Element]] = []
        self._message_number = 0

    def put(self, put: Put) -> Written:
        """Keep a put. New message ids count up, so results can be compared."""
        if put.new_message_id or not put.md.msg_id.strip(b"\0"):
            self._message_number += 1
            put.md.msg_id = b"FLOW" + self._message_number.to_bytes(20, "big")
        if put.new_correlation_id:
            self._message_number += 1
            put.md.correl_id = b"FLOW" + self._message_number.to_bytes(20, "big")
        self.puts.append(put)
        return Written(put.queue, put.queue_manager, put.md.msg_id, put.md.correl_id)

    def get(self, request: GetRequest) -> tuple[MQMD, bytes] | None:
        """Return the first message of a queue that fits the ids."""
        waiting = self.queues.get(request.queue)
        if waiting is None:
            return None
        for number, (md, data) in enumerate(waiting):
            if request.message_id and md.msg_id != request.message_id:
                continue
            if request.correlation_id and md.correl_id != request.correlation_id:
                continue
            if not request.browse:
                del waiting[number]
            return md, data
        return None

    def publish(self, publication: Publication) -> bool:
        """Keep a publication."""
        self.publications.append(publication)
        return self.subscribers is None or any(self.subscribers(topic) for topic in publication.topics)

    def http_request(self, request: HttpRequest) -> HttpResponse:
        """Answer from the fakes: by the label of the node, then by URL."""
        self.requests.append(request)
        answer = self.http.get(request.node) or self.http.get(request.node.rpartition(".")[2])
        if answer is None:
            answer = next((each for key, each in self.http.items() if fnmatch.fnmatchcase(request.url, key)), None)
        if answer is None:
            raise BrokerError(
                3165,
                f"{request.node} would send {request.method} {request.url}; "
                f"give its answer with http={{{request.node.rpartition('.')[2]!r}: ...}}",
                inserts=(request.url,),
                kind="SocketException",
            )
        if callable(answer):
            answer = answer(request)
        return HttpResponse(body=answer) if isinstance(answer, bytes) else answer

    def http_reply(self, reply: HttpReply) -> None:
        """Keep a reply; a request is answered once."""
        if any(each.request_identifier == reply.request_identifier for each in self.replies):
            raise BrokerError(
                3740,
                "the HTTP request was answered before; a flow answers each request once",
                inserts=(reply.request_identifier.hex(),),
            )
        self.replies.append(reply)

    def write_file(self, write: FileWrite) -> None:
        """Keep what would be written."""
        self.file_writes.append(write)

    def read_file(self, node: str, directory: str, pattern: str) -> tuple[str, bytes] | None:
        """Return the first given file that matches."""
        for name in sorted(self.files):
            short = name.rpartition("/")[2]
            if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(short, pattern):
                return short, self.files[name]
        return None

    def dispose_file(self, node: str, directory: str, name: str, action: str) -> None:
        """Keep what would be done with a file."""
        self.disposed.append((name, action))

    def data_source(self, name: str) -> DataSource:
        """Return a given database."""
        found = self.databases.get(name)
        if found is None and len(self.databases) == 1 and not name:
            found = next(iter(self.databases.values()))
        if found is None:
            raise BrokerError(
                2321,
                f"there is no data source {name!r}; give one with databases={{{name!r}: ...}}",
                inserts=(name,),
                kind="DatabaseException",
                sqlstate="D08001",
            )
        return found

    def call_flow(self, node: str, application: str, endpoint: str, root: Element, local: Element) -> Element:
        """Call a given callable flow."""
        found = self.flows.get(f"{application}:{endpoint}") or self.flows.get(endpoint)
        if found is None:
            raise BrokerError(
                3885,
                f"there is no callable flow {endpoint!r}; give one with flows={{{endpoint!r}: ...}}",
                inserts=(endpoint,),
            )
        return found(root)

    def timeout(self, request: TimeoutRequest) -> None:
        """Keep a request of a timer."""
        self.timeouts.append(request)

    def trace(self, node: str, destination: str, file: str, text: str) -> None:
        """Keep what is traced."""
        self.traces.append((node, text))

    def email(self, node: str, root: Element, local: Element) -> None:
        """Keep an e-mail."""
        self.emails.append((node, root))
