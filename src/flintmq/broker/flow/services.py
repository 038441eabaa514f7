"""Effects of nodes on the outside, and the recorder that a flow as a function uses.

A node asks `Services` for everything beyond the flow: queues, topics, servers, files, databases, other flows. The
contract is small and synchronous. `Recorder` keeps the effects and answers from the data of a test;
the run time of a broker does it.
"""

from __future__ import annotations

import fnmatch
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import DataSource
from flintmq.broker.flow.state import Agenda, MemoryStore, StateStore, Timer
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.view import TreeView
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
    #: Whether nothing runs after it and nothing sees how it went (flow/ending.py): it may leave with the commit.
    ends_flow: bool = False
    #: An answer: if the queue manager refuses it, the flow goes on. It goes to the dead-letter queue, or is discarded
    #: if its user may not put it.
    may_be_lost: bool = False


@dataclass(slots=True)
class Written:
    """The result of a put."""

    queue: str
    queue_manager: str
    message_id: bytes
    correlation_id: bytes
    group_id: bytes = bytes(24)
    #: The CorrelId that a reply to the message will have.
    reply_identifier: bytes = b""
    put_date: str = ""
    put_time: str = ""


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
    #: As in `Put`.
    ends_flow: bool = False


@dataclass(slots=True)
class GetRequest:
    """The options of an MQGet node for one get."""

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
    follow_redirects: bool = False
    #: `host:port` of a proxy; empty for none.
    proxy: str = ""


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

    @property
    def tree(self) -> TreeView:
        """Return the message tree that the reply was written from: `reply.tree.JSON.Data.id`."""
        return TreeView(self.root)


@dataclass(slots=True)
class Deferred:
    """An answer that arrives after the flow has returned: to an asynchronous request of HTTP, REST, SOAP or a call.

    `kind` and `correlator` name the response node, `context` is the local environment that it restores.
    """

    kind: str
    correlator: str
    context: Element
    response: HttpResponse | None = None
    root: Element | None = None
    error: BrokerError | None = None


@dataclass(slots=True)
class FileWrite:
    """A write of a FileOutput node. `finish` ends a file that is written record by record."""

    node: str
    directory: str
    name: str
    data: bytes
    root: Element | None = None
    mode: str = "replace"
    append: bool = False
    finish: bool = False
    #: Written in front of the data if the file has records already (infix delimiters).
    separator: bytes = b""
    #: Write to the file itself, not to a copy that is renamed when it is complete.
    in_place: bool = False


@dataclass(slots=True)
class Email:
    """An e-mail of an EmailOutput node. Attachments are name, content type and content."""

    node: str
    server: str
    to: list[str]
    cc: list[str]
    bcc: list[str]
    sender: str
    reply_to: str
    subject: str
    text: bytes
    content_type: str
    attachments: list[tuple[str, str, bytes]]
    root: Element


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


@runtime_checkable
class Separable(Protocol):
    """A data source that can open a second connection."""

    def separate(self) -> DataSource:
        """Return the data source with a transaction of its own."""
        ...


class Services(Protocol):
    """Everything that nodes do to the outside. A call that fails raises a BrokerError."""

    #: Whether trees are still looked at when the message has passed the flow. If not, nodes take their trees apart, so
    #: that the collector has nothing to do with them. Then the `root` of a put, publication, reply, file, e-mail or
    #: timeout request is valid only during the call, and services copy what they keep. Trees for `store`, `call_flow`,
    #: `call_flow_async`, `call_reply` and `http_async` are copies that belong to the services.
    keeps_trees: bool

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

    def new_identifier(self, prefix: bytes) -> bytes:
        """Return 24 bytes that begin with a prefix and that no other request has."""
        ...

    def http_async(self, request: HttpRequest, kind: str, correlator: str, context: Element) -> None:
        """Send a request; its response goes to the response node with this correlator, along with the context."""
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

    def data_source(self, name: str, separate: bool = False) -> DataSource:
        """Return a database by the name of its data source.

        With `separate`, its transaction is not that of the flow: the node that asks ends it.
        """
        ...

    def call_flow(self, node: str, application: str, endpoint: str, root: Element, local: Element) -> Element:
        """Call a callable flow and return its answer."""
        ...

    def call_flow_async(
        self, node: str, application: str, endpoint: str, root: Element, correlator: str, context: Element
    ) -> None:
        """Call a callable flow; its answer goes to the response node with this correlator."""
        ...

    def call_reply(self, node: str, identifier: bytes, root: Element) -> None:
        """Answer the call of a callable flow; raise 3886 if it is unknown or was answered before."""
        ...

    def timeout(self, request: TimeoutRequest) -> None:
        """Tell of a request of a TimeoutControl node; the node itself sets or cancels the timer."""
        ...

    @property
    def store(self) -> StateStore:
        """Return the state that flows keep between messages. Changes belong to the unit of work."""
        ...

    def set_timer(self, timer: Timer) -> None:
        """Ask for a call of a node after some seconds."""
        ...

    def cancel_timer(self, address: str, key: str) -> None:
        """Remove a timer; one that is not set is no error."""
        ...

    def timer_is_set(self, address: str, key: str) -> bool:
        """Return whether a timer waits."""
        ...

    def trace(self, node: str, destination: str, file: str, text: str) -> None:
        """Write a line of a Trace node or LOG USER TRACE."""
        ...

    def email(self, email: Email) -> None:
        """Send an e-mail."""
        ...


_PASS_CORREL_ID = 64  # MQRO_PASS_CORREL_ID
#: What stands for a server: a response, its body (bytes, text, or data that become JSON), an exception, or a function.
HttpAnswer = HttpResponse | bytes | str | Mapping[str, object] | list[object] | Exception
HttpFake = Callable[[HttpRequest], HttpAnswer] | HttpAnswer
#: What stands for a callable flow: a function from message to message, or the message itself.
FlowFake = Callable[[Element], Element] | Element
#: Runs a callable flow of the project: application, endpoint, message; None if there is none.
FlowCaller = Callable[[str, str, Element], Element | None]


class Recorder:
    """Services of a flow that is called as a function: outputs are kept, inputs were given before.

    `http` maps the label of a node, or a URL pattern with `*`, to a response or a function. `databases` maps the name
    of a data source to a DataSource. `queues` holds messages for MQGet nodes, `files` the files for FileRead nodes.
    `flows` maps endpoints of callable flows to fakes; others are looked for in the project.
    """

    keeps_trees: bool = True

    def __init__(
        self,
        http: Mapping[str, HttpFake] | None = None,
        databases: Mapping[str, DataSource] | None = None,
        queues: Mapping[str, Sequence[tuple[MQMD, bytes]]] | None = None,
        files: Mapping[str, bytes] | None = None,
        flows: Mapping[str, FlowFake] | None = None,
        subscribers: Callable[[str], bool] | None = None,
        store: MemoryStore | None = None,
        agenda: Agenda | None = None,
    ) -> None:
        self.http = dict(http or {})
        self.databases = dict(databases or {})
        self.queues = {name: deque(messages) for name, messages in (queues or {}).items()}
        self.files = dict(files or {})
        self.flows = dict(flows or {})
        self.subscribers = subscribers
        self.memory = store or MemoryStore()
        self.agenda = agenda or Agenda()
        self.call_project: FlowCaller | None = None
        self.puts: list[Put] = []
        self.publications: list[Publication] = []
        self.requests: list[HttpRequest] = []
        self.replies: list[HttpReply] = []
        self.file_writes: list[FileWrite] = []
        self.disposed: list[tuple[str, str]] = []
        self.timeouts: list[TimeoutRequest] = []
        self.traces: list[tuple[str, str]] = []
        self.emails: list[Email] = []
        #: Answers to asynchronous requests, in order; the function API hands them to response nodes.
        self.deferred: deque[Deferred] = deque()
        #: Calls of callable flows by identifier: None until they are answered.
        self.calls: dict[bytes, Element | None] = {}

    @contextmanager
    def unit_of_work(self, with_state: bool = True) -> Iterator[None]:
        """Commit the databases at the end; after an error, take back the work of the flow under syncpoint.

        `with_state` False is for flows that use neither store nor agenda: other threads may be changing them.
        """
        puts, publications = len(self.puts), len(self.publications)
        state = (self.memory.mark(), self.agenda.mark()) if with_state else None
        try:
            yield
        except BaseException:
            self.puts[puts:] = [each for each in self.puts[puts:] if not each.transactional]
            self.publications[publications:] = [
                each for each in self.publications[publications:] if not each.transactional
            ]
            if state is not None:
                self.memory.restore(state[0])
                self.agenda.restore(state[1])
            for database in self.databases.values():
                database.rollback()
            raise
        for database in self.databases.values():
            database.commit()

    def put(self, put: Put) -> Written:
        """Keep a put. New message ids count up, so results can be compared."""
        md = put.md
        if put.new_message_id or not md.msg_id.strip(b"\0"):
            md.msg_id = self.new_identifier(b"FLOW")
        if put.new_correlation_id:
            md.correl_id = self.new_identifier(b"FLOW")
        self.puts.append(put)
        now = time.gmtime()
        return Written(
            put.queue,
            put.queue_manager,
            md.msg_id,
            md.correl_id,
            md.group_id,
            md.correl_id if md.report & _PASS_CORREL_ID else md.msg_id,
            time.strftime("%Y%m%d", now),
            time.strftime("%H%M%S00", now),
        )

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

    def new_identifier(self, prefix: bytes) -> bytes:
        """Return the next identifier; they count up over all calls that share the memory."""
        return prefix + next(self.memory.identifiers).to_bytes(24 - len(prefix), "big")

    def http_request(self, request: HttpRequest) -> HttpResponse:
        """Answer from the fakes: by the label of the node, then by URL."""
        self.requests.append(request)
        answer = self._answer(request)
        if answer is None:
            raise BrokerError(
                3165,
                f"{request.node} would send {request.method} {request.url}; "
                f"give its answer with http={{{request.node.rpartition('.')[2]!r}: ...}}",
                inserts=(request.url,),
                kind="SocketException",
            )
        return _response(answer, request)

    def _answer(self, request: HttpRequest) -> HttpFake | None:
        for key in (request.node, request.node.rpartition(".")[2]):
            if key in self.http:
                return self.http[key]
        return next((each for key, each in self.http.items() if fnmatch.fnmatchcase(request.url, key)), None)

    def http_async(self, request: HttpRequest, kind: str, correlator: str, context: Element) -> None:
        """Keep a request; if there is a fake for it, its answer waits for the response node."""
        self.requests.append(request)
        answer = self._answer(request)
        if answer is None:
            return
        deferred = Deferred(kind, correlator, context)
        try:
            deferred.response = _response(answer, request)
        except BrokerError as error:
            deferred.error = error
        self.deferred.append(deferred)

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
        """Keep a write."""
        self.file_writes.append(write)

    def read_file(self, node: str, directory: str, pattern: str) -> tuple[str, bytes] | None:
        """Return the first given file that matches."""
        for name in sorted(self.files):
            short = name.rpartition("/")[2]
            if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(short, pattern):
                return short, self.files[name]
        return None

    def dispose_file(self, node: str, directory: str, name: str, action: str) -> None:
        """Keep an action on a file."""
        self.disposed.append((name, action))

    def data_source(self, name: str, separate: bool = False) -> DataSource:
        """Return a given database. One that has no separate connection, such as a fake, is returned itself."""
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
        if separate and isinstance(found, Separable):
            return found.separate()
        return found

    def call_flow(self, node: str, application: str, endpoint: str, root: Element, local: Element) -> Element:
        """Call a callable flow: a fake, else one of the project."""
        for key in (node, node.rpartition(".")[2], f"{application}:{endpoint}", endpoint):
            found = self.flows.get(key)
            if found is not None:
                return found(root) if callable(found) else found
        answer = None if self.call_project is None else self.call_project(application, endpoint, root)
        if answer is None:
            raise BrokerError(
                3885,
                f"there is no callable flow {endpoint!r}; give one with flows={{{endpoint!r}: ...}}",
                inserts=(endpoint,),
            )
        return answer

    def call_flow_async(
        self, node: str, application: str, endpoint: str, root: Element, correlator: str, context: Element
    ) -> None:
        """Call a callable flow now; its answer waits for the response node."""
        deferred = Deferred("callable", correlator, context)
        try:
            deferred.root = self.call_flow(node, application, endpoint, root, context)
        except BrokerError as error:
            deferred.error = error
        self.deferred.append(deferred)

    def call_reply(self, node: str, identifier: bytes, root: Element) -> None:
        """Keep the answer of a callable flow for the flow that calls it."""
        if self.calls.get(identifier, root) is not None and identifier in self.calls:
            raise BrokerError(
                3886, "the call was answered before; a callable flow answers once", inserts=(identifier.hex(),)
            )
        self.calls[identifier] = root

    @property
    def store(self) -> StateStore:
        """Return the memory that calls of the flow share."""
        return self.memory

    def set_timer(self, timer: Timer) -> None:
        """Put a timer on the agenda."""
        self.agenda.set(timer)

    def cancel_timer(self, address: str, key: str) -> None:
        """Take a timer off the agenda."""
        self.agenda.cancel(address, key)

    def timer_is_set(self, address: str, key: str) -> bool:
        """Return whether a timer is on the agenda."""
        return self.agenda.is_set(address, key)

    def timeout(self, request: TimeoutRequest) -> None:
        """Keep a request of a timer."""
        self.timeouts.append(request)

    def trace(self, node: str, destination: str, file: str, text: str) -> None:
        """Keep a line of a trace."""
        self.traces.append((node, text))

    def email(self, email: Email) -> None:
        """Keep an e-mail."""
        self.emails.append(email)


def _response(answer: HttpFake, request: HttpRequest) -> HttpResponse:
    """Return the response of a fake; raise it if it is an exception."""
    if isinstance(answer, HttpResponse):
        return answer
    if isinstance(answer, bytes):
        return HttpResponse(body=answer)
    if isinstance(answer, str):
        return HttpResponse(body=answer.encode())
    if isinstance(answer, Mapping | list):
        return HttpResponse(body=json.dumps(answer).encode(), headers={"Content-Type": "application/json"})
    if isinstance(answer, BrokerError):
        raise answer
    if isinstance(answer, Exception):
        timed_out = isinstance(answer, TimeoutError)
        raise BrokerError(
            3162 if timed_out else 3165,
            f"{request.method} {request.url} failed: {str(answer) or type(answer).__name__}",
            inserts=(request.url,),
            kind="SocketTimeoutException" if timed_out else "SocketException",
        )
    try:
        given = answer(request)
    except OSError as error:
        given = error
    if callable(given):
        raise TypeError(f"the fake for {request.node} returned a function; return a response")
    return _response(given, request)
