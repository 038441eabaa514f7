"""Effects of nodes on the outside in a broker: queues, topics, servers, files, databases, other flows, e-mail.

One object serves one instance, for one message after the other. State of the unit of work ends with it:

    puts, publications, gets    the queue manager's unit of work (queue_session.py)
    state of flows, timers      messages on the state queue, in the same unit of work (state_queue.py)
    databases                   committed before the queue manager, or with it (coordination.py)
    files, e-mail, HTTP         at once; they cannot be taken back
    answers of HTTP requests    at once, as in Integration Bus: a client waits for them

Every failure is a BrokerError, so that it can take a failure terminal.
"""

from __future__ import annotations

import fnmatch
import http.client
import os
import smtplib
import ssl
import time
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import DataSource
from flintmq.broker.flow.services import (
    Deferred,
    Email,
    FileWrite,
    GetRequest,
    HttpReply,
    HttpRequest,
    HttpResponse,
    Publication,
    Put,
    TimeoutRequest,
    Written,
)
from flintmq.broker.flow.state import StateStore, Timer
from flintmq.broker.runtime.queue_session import QueueSession
from flintmq.broker.runtime.refusal import publish_refused, put_refused, queue_error
from flintmq.broker.tree.element import Element
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED

#: The longest answer of a server that is read.
RESPONSE_MAX: Final = 256 << 20
REDIRECTS_MAX: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
#: Directory beside the output directory in which a file is written until it is complete.
TRANSIT: Final = "mqsitransit"
ARCHIVE: Final = "mqsiarchive"
BACKOUT: Final = "mqsibackout"


class Databases(Protocol):
    """The data sources of an instance."""

    def source(self, name: str, separate: bool = False) -> DataSource:
        """Return a data source by name; raise a BrokerError if there is none.

        `separate`: a connection that commits its work when the node ends, for any outcome of the message.
        """
        ...


class Flows(Protocol):
    """The other flows of the worker, and the calls that wait for them."""

    def call(self, services: BrokerServices, application: str, endpoint: str, root: Element) -> Element | None:
        """Run a callable flow in the unit of work of the caller; None if there is none."""
        ...

    def defer(self, deferred: Deferred) -> None:
        """Hand an answer to its response node, in a unit of work of its own."""
        ...

    def call_answered(self, identifier: bytes, root: Element) -> bool:
        """Take the answer of a callable flow; False if nobody waits for it."""
        ...

    def reply(self, reply: HttpReply) -> bool:
        """Answer an HTTP request; False if nobody waits for it."""
        ...

    def run_later(self, work: Callable[[], None]) -> None:
        """Run something in another thread."""
        ...


class TimerStore(Protocol):
    """State and timers of flows, in the unit of work of the session."""

    @property
    def store(self) -> StateStore:
        """Return the trees that flows keep."""
        ...

    def set_timer(self, timer: Timer) -> None:
        """Set a timer when the unit of work is committed."""
        ...

    def cancel_timer(self, address: str, key: str) -> None:
        """Remove a timer."""
        ...

    def timer_is_set(self, address: str, key: str) -> bool:
        """Return whether a timer waits."""
        ...


class UserTrace(Protocol):
    """Where Trace nodes and LOG statements write."""

    def write(self, node: str, destination: str, text: str) -> None:
        """Write an entry."""
        ...


class BrokerServices:
    """Services of one instance (`flow/services.py`)."""

    keeps_trees: bool = False

    def __init__(
        self,
        session: QueueSession,
        databases: Databases,
        flows: Flows,
        state: TimerStore,
        user_trace: UserTrace,
    ) -> None:
        self.session = session
        self.databases = databases
        self.flows = flows
        self.state = state
        self.user_trace = user_trace
        self._identifiers = 0
        self._unique = os.urandom(12)

    # Queues and topics.

    def put(self, put: Put) -> Written:
        """Put a message; raise 2666 if the queue manager refuses it."""
        try:
            return self.session.put(put)
        except MQError as error:
            if put.may_be_lost and not self.session.is_broken:
                return self._lost(put, error)
            raise put_refused(put.node, put.queue, error) from error

    def _lost(self, put: Put, error: MQError) -> Written:
        """Put an answer that was refused to the dead-letter queue. One that its user may not put is discarded: the
        handler of dead letters would deliver it with its own authority.
        """
        place = "nowhere: its user may not put there"
        if error.reason != MQRC_NOT_AUTHORIZED:
            try:
                place = "to " + self.session.put_dead(put.md, put.data, put.queue, put.queue_manager, error.reason)
            except MQError as second:
                raise put_refused(put.node, put.queue, second) from second
        self.user_trace.write(
            put.node, "localError", f"an answer to {put.queue} was refused ({error}); it went {place}"
        )
        return Written(put.queue, put.queue_manager, put.md.msg_id, put.md.correl_id)

    def get(self, request: GetRequest) -> tuple[MQMD, bytes] | None:
        """Get a message for an MQGet node; raise 2666 if the queue manager refuses."""
        try:
            return self.session.get_from(
                request.queue,
                round(request.wait_seconds * 1000),
                request.message_id,
                request.correlation_id,
                request.transactional,
                request.browse,
            )
        except MQError as error:
            raise queue_error(
                2666, f"{request.node} could not get from {request.queue}", request.queue, error
            ) from error

    def publish(self, publication: Publication) -> bool:
        """Publish a message; raise 7017 if the queue manager refuses it."""
        try:
            return self.session.publish(publication)
        except MQError as error:
            raise publish_refused(publication.node, publication.topics, error) from error

    def new_identifier(self, prefix: bytes) -> bytes:
        """Return 24 bytes that nobody else has."""
        self._identifiers += 1
        number = self._identifiers.to_bytes(8, "big")
        return (prefix + self._unique)[: 24 - len(number)].ljust(24 - len(number), b"\0") + number

    # HTTP.

    def http_request(self, request: HttpRequest) -> HttpResponse:
        """Send a request and wait for its answer."""
        return send_request(request)

    def http_async(self, request: HttpRequest, kind: str, correlator: str, context: Element) -> None:
        """Send a request in another thread; its answer goes to the response node."""

        def send() -> None:
            deferred = Deferred(kind, correlator, context)
            try:
                deferred.response = send_request(request)
            except BrokerError as error:
                deferred.error = error
            self.flows.defer(deferred)

        self.flows.run_later(send)

    def http_reply(self, reply: HttpReply) -> None:
        """Answer a request; raise 3740 if nobody waits for the answer."""
        if not self.flows.reply(reply):
            raise BrokerError(
                3740,
                "no client waits for this answer: the request identifier is unknown, was answered before or timed out",
                inserts=(reply.request_identifier.hex(),),
            )

    # Files.

    def write_file(self, write: FileWrite) -> None:
        """Write a file, or a record of one; raise 3302 if that fails."""
        try:
            _write_file(write)
        except (OSError, ValueError) as error:
            raise file_error(write.node, "write", write.name, error) from error

    def read_file(self, node: str, directory: str, pattern: str) -> tuple[str, bytes] | None:
        """Return the first file that matches a pattern."""
        try:
            for path in sorted(Path(directory).iterdir()):
                if path.is_file() and fnmatch.fnmatchcase(path.name, pattern):
                    return path.name, path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise file_error(node, "read", directory, error) from error
        return None

    def dispose_file(self, node: str, directory: str, name: str, action: str) -> None:
        """Delete a file, or move it to the archive."""
        path = _inside(directory, name)
        try:
            if action.lower() == "delete":
                path.unlink(missing_ok=True)
            elif action.lower().startswith("moveto"):
                archive = path.parent / (BACKOUT if "backout" in action.lower() else ARCHIVE)
                archive.mkdir(exist_ok=True)
                stamp = time.strftime("%Y%m%d_%H%M%S_") if action.lower().endswith("timestamp") else ""
                path.replace(archive / f"{stamp}{path.name}")
        except OSError as error:
            raise file_error(node, action, name, error) from error

    # Databases, other flows, state.

    def data_source(self, name: str, separate: bool = False) -> DataSource:
        """Return a database."""
        return self.databases.source(name, separate)

    def call_flow(self, node: str, application: str, endpoint: str, root: Element, local: Element) -> Element:
        """Call a callable flow of the execution group."""
        answer = self.flows.call(self, application, endpoint, root)
        if answer is None:
            raise BrokerError(
                3885, f"{node}: there is no callable flow {endpoint!r} in this execution group", inserts=(endpoint,)
            )
        return answer

    def call_flow_async(
        self, node: str, application: str, endpoint: str, root: Element, correlator: str, context: Element
    ) -> None:
        """Call a callable flow in another thread; its answer goes to the response node."""

        def call() -> None:
            deferred = Deferred("callable", correlator, context)
            try:
                deferred.root = self.call_flow(node, application, endpoint, root, context)
            except BrokerError as error:
                deferred.error = error
            self.flows.defer(deferred)

        self.flows.run_later(call)

    def call_reply(self, node: str, identifier: bytes, root: Element) -> None:
        """Answer the call of a callable flow."""
        if not self.flows.call_answered(identifier, root):
            raise BrokerError(
                3886, "no flow waits for this answer; a callable flow answers once", inserts=(identifier.hex(),)
            )

    @property
    def store(self) -> StateStore:
        """Return the state that flows keep between messages."""
        return self.state.store

    def set_timer(self, timer: Timer) -> None:
        """Set a timer."""
        self.state.set_timer(timer)

    def cancel_timer(self, address: str, key: str) -> None:
        """Remove a timer."""
        self.state.cancel_timer(address, key)

    def timer_is_set(self, address: str, key: str) -> bool:
        """Return whether a timer waits."""
        return self.state.timer_is_set(address, key)

    def timeout(self, request: TimeoutRequest) -> None:
        """Do nothing: the node sets its timer itself."""

    def trace(self, node: str, destination: str, file: str, text: str) -> None:
        """Write a line of a Trace node to its file, or to the user trace."""
        if not file:
            self.user_trace.write(node, destination, text)
            return
        try:
            with open(file, "a", encoding="utf-8") as target:
                target.write(text if text.endswith("\n") else text + "\n")
        except OSError as error:
            raise file_error(node, "write", file, error) from error

    def email(self, email: Email) -> None:
        """Send an e-mail; raise 3701 if the server refuses it."""
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = email.sender, ", ".join(email.to), email.subject
        if email.cc:
            message["Cc"] = ", ".join(email.cc)
        if email.reply_to:
            message["Reply-To"] = email.reply_to
        main, _, sub = (email.content_type or "text/plain").partition(";")[0].partition("/")
        if main == "text":
            message.set_content(email.text.decode("utf-8", "replace"), subtype=sub or "plain")
        else:
            message.set_content(email.text, maintype=main, subtype=sub or "octet-stream")
        for name, content_type, content in email.attachments:
            kind, _, detail = content_type.partition("/")
            message.add_attachment(
                content, maintype=kind or "application", subtype=detail or "octet-stream", filename=name
            )
        host, _, port = email.server.partition(":")
        try:
            with smtplib.SMTP(host, int(port or 25), timeout=60) as server:
                server.send_message(message, to_addrs=[*email.to, *email.cc, *email.bcc])
        except (OSError, ValueError, smtplib.SMTPException) as error:
            raise BrokerError(
                3701, f"{email.node} could not send through {email.server}: {error}", inserts=(email.server,)
            ) from error


def file_error(node: str, action: str, name: str, error: Exception) -> BrokerError:
    """Return the entry for a file that could not be used."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return BrokerError(3302, f"{node} could not {action} {name}: {reason}", inserts=(node, name, reason))


def _inside(directory: str, name: str) -> Path:
    """Return the path of a file in a directory. Raise ValueError for a name that leads out of it."""
    if not directory:
        raise ValueError("the node names no directory")
    base = Path(directory)
    path = base / name
    if not name or ".." in Path(name).parts or Path(name).is_absolute():
        raise ValueError(f"the name {name!r} leads out of {directory}")
    return path


def _write_file(write: FileWrite) -> None:
    path = _inside(write.directory, write.name)
    transit = path.parent / TRANSIT / path.name
    in_place = write.in_place
    if not write.append and not write.finish:
        target = path if in_place else transit
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(write.data)
        if not in_place:
            _complete(write, transit, path)
        return
    target = path if in_place else transit
    if write.append:
        target.parent.mkdir(exist_ok=True)
        with open(target, "ab") as file:
            if write.separator and file.tell():
                file.write(write.separator)
            file.write(write.data)
    if write.finish and not in_place and transit.exists():
        _complete(write, transit, path)


def _complete(write: FileWrite, transit: Path, path: Path) -> None:
    """Move a file that is complete to its place, by the rules of `outputMode`."""
    if path.exists():
        if write.mode == "create":
            transit.unlink()
            raise FileExistsError(17, "the file exists, and outputMode is create", str(path))
        if write.mode.startswith("archiveAndReplace"):
            archive = path.parent / ARCHIVE
            archive.mkdir(exist_ok=True)
            stamp = time.strftime("%Y%m%d_%H%M%S_") if write.mode.endswith("Timestamp") else ""
            path.replace(archive / f"{stamp}{path.name}")
    transit.replace(path)


def send_request(request: HttpRequest) -> HttpResponse:
    """Send an HTTP request and read the answer. Raise a SocketException if none comes."""
    url = request.url
    for _ in range(REDIRECTS_MAX):
        try:
            response = _exchange(request, url)
        except TimeoutError as error:
            raise _no_answer(
                3162, url, f"no answer within {request.timeout_seconds:g} s", "SocketTimeoutException"
            ) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _no_answer(3165, url, str(error) or type(error).__name__, "SocketException") from error
        location = next((value for name, value in response.headers.items() if name.lower() == "location"), "")
        if not (request.follow_redirects and response.status in _REDIRECTS and location):
            return response
        parts = urlsplit(url)
        url = location if "://" in location else f"{parts.scheme}://{parts.netloc}{location}"
    raise _no_answer(3165, url, f"more than {REDIRECTS_MAX} redirections", "SocketException")


def _no_answer(number: int, url: str, reason: str, kind: str) -> BrokerError:
    return BrokerError(number, f"{url} gave no answer: {reason}", inserts=(url, reason), kind=kind)


def _exchange(request: HttpRequest, url: str) -> HttpResponse:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is no address of HTTP")
    target = parts.path or "/"
    if parts.query:
        target += "?" + parts.query
    host, port = parts.hostname, parts.port
    if request.proxy:
        host, _, proxy_port = request.proxy.partition(":")
        port = int(proxy_port or 80)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        connection = http.client.HTTPSConnection(
            host, port, timeout=request.timeout_seconds, context=ssl.create_default_context()
        )
        if request.proxy:
            connection.set_tunnel(parts.hostname, parts.port or 443)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=request.timeout_seconds)
        if request.proxy:
            target = url
    try:
        connection.request(request.method, target, request.body or None, request.headers)
        answer = connection.getresponse()
        body = answer.read(RESPONSE_MAX + 1)
        if len(body) > RESPONSE_MAX:
            raise ValueError(f"the answer has more than {RESPONSE_MAX} bytes")
        return HttpResponse(answer.status, body, dict(answer.getheaders()), answer.reason)
    finally:
        connection.close()
