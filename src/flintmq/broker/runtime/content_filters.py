"""Content filters: evaluation of message bodies for the publish/subscribe of the queue manager.

The queue manager carries out the commands of the psc folder and matches topics, but has no parser for bodies. So it
puts on SYSTEM.BROKER.CONTENT.FILTER (see `flintmq/qmgr/content_filter.py`):

    commands with such a filter       the filter is compiled. If it is wrong, the author gets an answer with 3150;
                                      otherwise the command goes back to the control queue, marked as checked
    copies for such subscriptions     the filter is evaluated on the message tree. If it is true, the copy goes to the
                                      queue of the subscription; if it is false or unknown, it is dropped

The filter is an ESQL condition: Root, Body and Properties, operators and scalar functions, three-valued logic. Its
author may be anybody who subscribes, so its cost has bounds: database access, SELECT, EVAL, SLEEP, FOR and functions
that make text of any length are refused, also as quoted names; so are long filters and long chains of `||`. A filter
that has taken more than CPU_S for one message is not evaluated again until the worker starts again. The domain of the
body is that of the mcd folder; a message without one is XMLNSC if it begins with `<`, JSON if it begins with `{` or
`[`, else BLOB.

One thread of one worker reads the queue: it is opened exclusively. Other workers that could do it look again every
RETRY_S, so another one takes over when that worker ends. Order is that of the queue.

    C1  A message leaves the queue with the commit that puts it somewhere else, or drops it because its filter says so.
    C2  An answer is put with the authority of the author of the command; an answer that this user may not put is
        discarded. A message that cannot be put for another reason goes to the dead-letter queue, and stays if that does
        not take it either.
    C3  A message that cannot be handled at all (2 deliveries) goes to the dead-letter queue, and the next one is read.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import syntax
from flintmq.broker.esql.compile_sql import walk_nodes
from flintmq.broker.esql.evaluate import compiled_expression
from flintmq.broker.esql.functions import BUILTINS
from flintmq.broker.esql.names import ALL_TREES
from flintmq.broker.esql.parser import parse_expression
from flintmq.broker.esql.support import namespace
from flintmq.broker.flow.nodes.publication import answer_to
from flintmq.broker.flow.patterns import run_over
from flintmq.broker.flow.services import Put
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.queue_session import InputQueue, QueueSession
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.headers import Template, parse_message
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import MQError, UnknownObject
from flintmq.mqi.ccsid import decode
from flintmq.mqi.content_filter import CHECKED, FILTER_QUEUE, Route, route_of
from flintmq.mqi.encoding import is_big_endian
from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import Element as Folder
from flintmq.mqi.folders import escape, read_folder
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf_constants import MQRCCF_FILTER_ERROR
from flintmq.mqi.rfh2 import MQRFH2

if TYPE_CHECKING:
    from flintmq.broker.esql.run import Run

CONTROL_QUEUE: Final = "SYSTEM.BROKER.CONTROL.QUEUE"
RETRY_S: Final = 5.0
WAIT_MS: Final = 1000
PAUSE_S: Final = 1.0
#: Most messages in one unit of work.
BATCH_MAX: Final = 50
_DELIVERIES_MAX: Final = 2
_CACHE_MAX: Final = 1000
#: Characters of a filter, as of a selector.
LENGTH_MAX: Final = 10_240
#: Operands of `||` in a filter: each may copy the whole message.
CONCATENATIONS_MAX: Final = 20
#: CPU seconds that a filter may take for one message.
CPU_S: Final = 2.0
_REFUSED: Final = (syntax.ForFunction, syntax.Select, syntax.Passthru)
_UNBOUNDED: Final = frozenset(("SLEEP", "REPLICATE", "SPACE", "REPLACE"))
#: Functions that may be called besides those of BUILTINS.
_OF_FIELDS: Final = frozenset(
    ("CARDINALITY", "EXISTS", "SINGULAR", "FIELDNAME", "FIELDNAMESPACE", "FIELDTYPE", "FIELDVALUE")
)
#: Filters whose failure was logged; later failures are not.
_SAID_MAX: Final = 1000

Condition = Callable[["Run"], object]


class FilterError(ValueError):
    """A text is not a content filter; the message has the reason."""


def compile_filter(text: str) -> Condition:
    """Return the condition of a content filter. Raise FilterError."""
    if len(text) > LENGTH_MAX:
        raise FilterError(f"the filter has {len(text)} characters, at most {LENGTH_MAX} are allowed")
    try:
        condition = compiled_expression(text, ALL_TREES, namespace())
        _check_cost(parse_expression(text))
        return condition
    except FilterError:
        raise
    except Exception as error:  # Nothing that an author writes may end the thread.
        raise FilterError(str(error) or type(error).__name__) from None


def _check_cost(expression: syntax.Expression) -> None:
    """Refuse expressions with a cost that has no bound. Raise FilterError."""
    joined = 0
    for node in walk_nodes(expression):
        if isinstance(node, _REFUSED):
            raise FilterError("FOR, SELECT and PASSTHRU cannot be used in a filter")
        if isinstance(node, syntax.Path):
            first = node.elements[0].plain
            if first is not None and first.key == "DATABASE":
                raise FilterError("DATABASE cannot be used in a filter")
        elif isinstance(node, syntax.FunctionCall) and node.parentheses:
            name = node.name.key
            if node.schema or name in _UNBOUNDED or name not in BUILTINS and name not in _OF_FIELDS:
                raise FilterError(f"{name} cannot be called in a filter")
        elif isinstance(node, syntax.Concatenation):
            joined += len(node.operands)
    if joined > CONCATENATIONS_MAX:
        raise FilterError(f"a filter may join at most {CONCATENATIONS_MAX} texts with ||")


@dataclass(slots=True)
class Filtered:
    """A message of the filter queue, parsed up to its psc folder."""

    md: MQMD
    data: bytes
    #: The header with the psc folder: its offset and its descriptor.
    start: int
    header: MQRFH2
    big_endian: bool
    ccsid: int
    psc: Folder
    folder: int

    def first(self, name: str) -> str:
        """Return a parameter of the command; empty if it is not there."""
        return next((each.text for each in self.psc.children if each.name == name), "")

    def with_folders(self, folders: list[str]) -> bytes:
        """Return the data with other folders in the header."""
        before, self.header.folders = self.header.folders, folders
        try:
            packed = self.header.pack(self.big_endian, self.ccsid)
        finally:
            self.header.folders = before
        return self.data[: self.start] + packed + self.data[self.start + self.header.struc_length :]

    def body(self) -> tuple[bytes, int, bool]:
        """Return the data behind the header, its character set and whether it is big-endian."""
        at = self.start + self.header.struc_length
        ccsid = self.header.coded_char_set_id
        return self.data[at:], ccsid if ccsid > 0 else self.ccsid, is_big_endian(self.header.encoding)


def read_filtered(md: MQMD, data: bytes) -> Filtered | None:
    """Return the psc folder of a message and where it is; None if there is none."""
    start, form, encoding, ccsid = 0, md.format, md.encoding, md.coded_char_set_id
    while form == mq.MQFMT_RF_HEADER_2:
        big_endian, ccsid = is_big_endian(encoding), ccsid if ccsid > 0 else 1208
        try:
            header = MQRFH2.unpack(data, start, big_endian, ccsid)
        except (StructureError, LookupError):
            return None
        for number, text in enumerate(header.folders):
            try:
                folder = read_folder(text)
            except StructureError:
                continue
            if folder.name == "psc":
                return Filtered(md, data, start, header, big_endian, ccsid, folder, number)
        start += header.struc_length
        form, encoding = header.format, header.encoding
        ccsid = header.coded_char_set_id if header.coded_char_set_id > 0 else ccsid
    return None


def domain_of(body: bytes, ccsid: int, big_endian: bool) -> str:
    """Return the domain of a body that no mcd folder describes."""
    try:
        text = decode(body[:64], ccsid, big_endian).lstrip("\ufeff \t\r\n")
    except (ValueError, LookupError):
        return "BLOB"
    return "XMLNSC" if text.startswith("<") else "JSON" if text.startswith(("{", "[")) else "BLOB"


class ContentFilters:
    """The thread that reads the filter queue. It defines the queue if there is none; `connect` makes its session."""

    def __init__(
        self,
        manager: Any,
        connect: Callable[[], QueueSession],
        log: BrokerLog,
        models: Callable[[str], object] | None = None,
    ) -> None:
        self.passed = 0
        self.dropped = 0
        self.commands = 0
        #: Whether this worker is the one that reads the queue.
        self.active = False
        self._manager = manager
        self._connect = connect
        self._log = log
        self._models = models
        self._stop = threading.Event()
        self._filters: OrderedDict[str, Condition | None] = OrderedDict()
        self._problem = ""
        self._said: set[tuple[str, str]] = set()
        self.thread = threading.Thread(target=self._run, name="content filters", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Stop the thread after the message in progress."""
        self._stop.set()
        self.thread.join(timeout_s)

    # The loop.

    def _run(self) -> None:
        while not self._stop.is_set():
            session: QueueSession | None = None
            try:
                session = self._connect()
                queue = self._open(session)
                self.active, self._problem = True, ""
                self._read(session, queue)
            except MQError as error:
                if error.reason != rc.MQRC_OBJECT_IN_USE and str(error) != self._problem:
                    self._problem = str(error)
                    self._log.write("7084W", "", f"content filters wait: {error}. It is tried again.")
            finally:
                self.active = False
                if session is not None:
                    session.close()
            self._stop.wait(RETRY_S)

    def _open(self, session: QueueSession) -> InputQueue:
        try:
            return session.open_input(FILTER_QUEUE, exclusive=True)
        except UnknownObject:
            create_filter_queue(self._manager)
            return session.open_input(FILTER_QUEUE, exclusive=True)

    def _read(self, session: QueueSession, queue: InputQueue) -> None:
        singly = 0
        while not self._stop.is_set() and not session.is_broken:
            count = 0
            try:
                while count < (1 if singly else BATCH_MAX):
                    got = session.get(queue, "yes", 0 if count else WAIT_MS)
                    if got is None:
                        break
                    count += 1
                    self._handle_or_dead(session, *got)
                session.commit()
                singly = max(0, singly - 1)
            except MQError as error:
                if session.is_broken:
                    raise
                session.backout()
                singly = BATCH_MAX
                self._say_once(str(error))
                self._stop.wait(PAUSE_S)

    def _say_once(self, text: str) -> None:
        if text != self._problem:
            self._problem = text
            self._log.write("7084W", "", f"messages of {FILTER_QUEUE} wait: {text}. It is tried again.")

    def _handle_or_dead(self, session: QueueSession, md: MQMD, data: bytes) -> None:
        """Handle a message; one that fails in another way than by the queue manager is dead at once (C3)."""
        try:
            self._handle(session, md, data)
        except MQError:
            raise
        except Exception as error:
            self._log.write("2111E", "", f"a message of {FILTER_QUEUE} failed: {type(error).__name__}: {error}")
            self._dead(session, md, data, FILTER_QUEUE, "", rc.MQRC_RFH_ERROR)

    def _handle(self, session: QueueSession, md: MQMD, data: bytes) -> None:
        """Process one message. Raise MQError if it must be retried (C1)."""
        found = read_filtered(md, data)
        command = "" if found is None else found.first("Command")
        if found is None or not command or md.backout_count >= _DELIVERIES_MAX and command == "Publish":
            self._dead(session, md, data, FILTER_QUEUE, "", rc.MQRC_RFH_COMMAND_ERROR)
            return
        if command != "Publish":
            self.commands += 1
            self._check(session, found)
            return
        route = route_of(found.first("SubUserData"))
        if route is None:
            self._dead(session, md, data, FILTER_QUEUE, "", rc.MQRC_RFH_PARM_ERROR)
        elif self.matches(found, route.filter):
            self.passed += 1
            self._send_on(session, found, route)
        else:
            self.dropped += 1

    # Commands.

    def _check(self, session: QueueSession, found: Filtered) -> None:
        text = found.first("Filter")
        try:
            compile_filter(text)
        except FilterError as error:
            self._log.write("7085W", "", f"a content filter was refused: {text!r}: {error}")
            self._answer(session, found.md, text)
            return
        data = found.with_folders([*found.header.folders, CHECKED])
        md = found.md.copy()
        md.backout_count = 0
        session.put(_as_it_is(CONTROL_QUEUE, "", md, data))

    def _answer(self, session: QueueSession, md: MQMD, text: str) -> None:
        """Answer that a filter is wrong, if the author wants to know and may put the answer (C2)."""
        wanted = md.msg_type == mq.MQMT_REQUEST or md.report & mq.MQRO_NAN
        queue = md.reply_to_q.strip()
        if not wanted or not queue:
            return
        response = f"<Response><Reason>{MQRCCF_FILTER_ERROR}</Reason><Filter>{escape(text)}</Filter></Response>"
        reply, data = answer_to(md, f"<pscr><Completion>error</Completion>{response}</pscr>")
        put = _as_it_is(queue, md.reply_to_q_mgr.strip(), reply, data)
        put.context, put.alternate_user = "default", True
        try:
            session.put(put)
        except MQError as error:
            if session.is_broken:
                raise
            if error.reason == rc.MQRC_NOT_AUTHORIZED:
                self._log.write(
                    "7086W", "", f"an answer to {queue} was discarded: {md.user_identifier.strip()} may not put there."
                )
            else:
                self._dead(session, reply, data, queue, md.reply_to_q_mgr.strip(), error.reason)

    # Publications.

    def matches(self, found: Filtered, text: str) -> bool:
        """Return whether a filter is true for a message."""
        if text not in self._filters:
            self._filters[text] = self._compiled(text)
            if len(self._filters) > _CACHE_MAX:
                self._filters.popitem(last=False)
        condition = self._filters[text]
        if condition is None:
            return False
        begun = time.thread_time()
        try:
            return self._is_true(condition, found, text)
        finally:
            taken = time.thread_time() - begun
            if taken > CPU_S:
                self._filters[text] = None
                self._say_of_filter(text, f"it took {taken:.1f} s of CPU time and is not evaluated any more", "cost")

    def _is_true(self, condition: Condition, found: Filtered, text: str) -> bool:
        try:
            root = parse_message(found.md, found.data, Template(domain=domain_of(*found.body())), models=self._models)
            value: Any = condition(run_over(Assembly(root)))
        except Exception as error:  # Whatever a foreign message does to a parser is no match.
            cause = error.root_cause() if isinstance(error, BrokerError) else error
            self._say_of_filter(text, str(cause))
            return False
        return (value.value if isinstance(value, Element) else value) is True

    def _compiled(self, text: str) -> Condition | None:
        try:
            return compile_filter(text)
        except FilterError as error:
            self._say_of_filter(text, str(error))
            return None

    def _say_of_filter(self, text: str, reason: str, kind: str = "") -> None:
        """Log why a filter is no use, once for each filter: publications must not fill the log."""
        if (kind, text) in self._said:
            return
        if len(self._said) >= _SAID_MAX:
            self._said.clear()
        self._said.add((kind, text))
        self._log.write("7085W", "", f"the filter {text!r} was not true for a publication: {reason}")

    def _send_on(self, session: QueueSession, found: Filtered, route: Route) -> None:
        folders = list(found.header.folders)
        kept = [each for each in found.psc.children if each.name != "SubUserData"]
        text = "".join(f"<{each.name}>{escape(each.text)}</{each.name}>" for each in kept)
        if route.user_data:
            text += f"<SubUserData>{escape(route.user_data)}</SubUserData>"
        folders[found.folder] = f"<psc>{text}</psc>"
        data = found.with_folders(folders)
        md = found.md.copy()
        md.backout_count = 0
        try:
            session.put(_as_it_is(route.queue, route.q_mgr, md, data))
        except MQError as error:
            if session.is_broken:
                raise
            self._dead(session, md, data, route.queue, route.q_mgr, error.reason)

    def _dead(self, session: QueueSession, md: MQMD, data: bytes, queue: str, q_mgr: str, reason: int) -> None:
        """Put a message to the dead-letter queue. Raise MQError if it does not take it."""
        target = session.put_dead(md, data, queue, q_mgr, reason)
        self._log.write("7086W", "", f"a message for {queue} was put to {target}: {rc.reason_name(reason)} {reason}.")


def _as_it_is(queue: str, q_mgr: str, md: MQMD, data: bytes) -> Put:
    """Return a put that keeps the context of the message."""
    return Put("content filters", queue, q_mgr, md, data, Element("Root", None, 0), True, context="setAll")


def create_filter_queue(manager: Any) -> None:
    """Define the filter queue unless there is one. Raise MQError."""
    manager.queue(
        FILTER_QUEUE, create=True, defpsist="YES", maxdepth=999_999, descr="Content filters of publish/subscribe"
    )
