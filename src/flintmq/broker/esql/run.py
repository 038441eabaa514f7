"""The Run: the state of compiled ESQL while a node handles one message.

A Run holds the trees of the node, the variables of the module, the state that a handler sees (SQLSTATE and the like),
and the way out: databases, hooks, propagation. A node makes one Run per message; state that lasts longer (SHARED
variables, locks of ATOMIC blocks, compiled text of EVAL) belongs to the `Deployment`, which is one flow as it is
deployed.

`located` turns the traceback of an error into the wrappers that an ExceptionList has: one entry 2488 per routine that
the error passed, with line, column and text of the statement.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from flintmq.broker.errors import EXPRESSION, STATEMENT, BrokerError, esql_error, internal_error
from flintmq.broker.esql import clock
from flintmq.broker.esql.program import FILE_PREFIX, Program, Unit
from flintmq.broker.esql.support import MISSING, convert_text, sql_name
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.esql.trees import settle
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import Date, Interval, Time, Timestamp

LOGGER = logging.getLogger("flintmq.broker.esql")

#: Numbers that stand below an entry 2439: an expression that could not be evaluated.
_OF_EXPRESSIONS = frozenset((2420, 2421, 2450))
#: Terminals by number, as PROPAGATE TO TERMINAL takes them.
TERMINALS = {-2: "nowhere", -1: "failure", 0: "out", 1: "out1", 2: "out2", 3: "out3", 4: "out4"}


@dataclass(slots=True)
class Rows:
    """The outcome of an SQL statement: names of columns and rows, or the number of rows that it changed."""

    columns: list[str] = field(default_factory=list)
    rows: list[Sequence[object]] = field(default_factory=list)
    changed: int = 0


class DataSource(Protocol):
    """A database as ESQL uses it. `broker/databases.py` implements it; tests may give fakes."""

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Run a statement with `?` markers. Raise a BrokerError of kind DatabaseException if it fails."""
        ...

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Call a stored procedure; return the values of all parameters, and the result sets."""
        ...

    def commit(self) -> None:
        """Commit the work of the flow in this data source."""
        ...

    def rollback(self) -> None:
        """Back out the work of the flow in this data source."""
        ...


class Node(Protocol):
    """Services of a node for the Run of its ESQL."""

    def propagate_from(self, run: Run, terminal: str, label: str | None, trees: Trees, finalize: bool) -> None:
        """Send trees to a terminal or label, and return when everything downstream is done."""
        ...

    def data_source(self, name: str | None) -> DataSource:
        """Return a data source by name; None means the one that the node names."""
        ...

    def broker_property(self, name: str) -> object:
        """Return a property such as `MESSAGEFLOWLABEL`; None if it has no value."""
        ...

    def context_of(self, root: Element | None) -> Context:
        """Return how bodies below a root are parsed and written."""
        ...

    def trace(self, text: str) -> None:
        """Write a line to the user trace."""
        ...


@dataclass(slots=True)
class Trees:
    """The trees that a PROPAGATE sends."""

    root: Element | None
    local_environment: Element | None
    exception_list: Element | None


class MissingExternal(BrokerError):
    """An EXTERNAL variable has neither a value nor an initial value."""


class Variables(dict[str, object]):
    """Variables of schemas and modules. One that could not be set is an error where it is read."""

    def __init__(self, unset: dict[str, str]) -> None:
        super().__init__()
        self.unset = unset

    def __missing__(self, key: str) -> object:
        name = key.rpartition(".")[2]
        raise MissingExternal(2432, self.unset.get(key, f"{name} has no value"), inserts=(name,))


class Optional:
    """A block that sets a variable; it ends early if an EXTERNAL variable that it needs has no value."""

    __slots__ = ("key", "unset")

    def __init__(self, key: str, unset: dict[str, str]) -> None:
        self.key = key
        self.unset = unset

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, traceback: object) -> bool:
        if not isinstance(error, MissingExternal):
            return False
        self.unset[self.key] = error.text
        return True


@dataclass(slots=True)
class Deployment:
    """State that lasts while a flow is deployed: SHARED variables, EXTERNAL values, locks, hooks."""

    #: Variables that have no value, because an EXTERNAL variable has none: key and text of the error.
    unset: dict[str, str] = field(default_factory=dict)
    shared: dict[str, object] = field(init=False)
    properties: Mapping[str, object] = field(default_factory=dict)
    hooks: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    #: Answer NULL for a hook that is not registered, instead of an error.
    lenient_hooks: bool = False
    locks: dict[str, threading.RLock] = field(default_factory=dict)
    started: set[int] = field(default_factory=set)
    guard: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.shared = Variables(self.unset)

    def lock(self, key: str) -> threading.RLock:
        """Return the lock of the ATOMIC blocks of a module or schema."""
        with self.guard:
            return self.locks.setdefault(key, threading.RLock())


class Run:
    """One message in one node. Compiled code calls its first argument `c`."""

    __slots__ = (
        "_clock",
        "_deleted",
        "_procedure_place",
        "context",
        "deployment",
        "environment",
        "has_output",
        "input_exception_list",
        "input_local_environment",
        "input_root",
        "node",
        "output_exception_list",
        "output_local_environment",
        "output_root",
        "program",
        "propagated",
        "shared",
        "sqlcode",
        "sqlerrortext",
        "sqlnativeerror",
        "sqlstate",
        "switches",
        "throw_on_database_error",
        "vars",
    )

    def __init__(
        self,
        program: Program,
        deployment: Deployment,
        node: Node,
        input_root: Element,
        local_environment: Element,
        exception_list: Element,
        environment: Element,
        switches: Switches = DEFAULTS,
    ) -> None:
        self.program = program
        self.deployment = deployment
        self.node = node
        self.shared = deployment.shared
        self.input_root = input_root
        self.input_local_environment = local_environment
        self.input_exception_list = exception_list
        self.environment = environment
        self.output_root = new_tree("OutputRoot", "Root")
        self.output_local_environment = new_tree("OutputLocalEnvironment")
        self.output_exception_list = new_tree("OutputExceptionList")
        #: The context tree: what nodes before this one took in (`Context.Nodes.<label>.Payload`).
        self.context = new_tree("Context")
        self.vars: dict[str, object] = {}
        self.switches = switches
        self.throw_on_database_error = True
        #: Whether the node makes new trees: a Compute node does.
        self.has_output = True
        self.propagated = False
        self.sqlcode: object = 0
        self.sqlstate: object = ""
        self.sqlerrortext: object = ""
        self.sqlnativeerror: object = 0
        self._clock: clock.Clock | None = None
        #: The output trees that the last PROPAGATE deleted.
        self._deleted: tuple[Element, Element, Element] | None = None
        self._procedure_place: tuple[str | None, object] | None = None

    # Running.

    def main(self, unit: Unit) -> object:
        """Run Main of a module; errors carry the statements that they passed."""
        try:
            self.start(unit)
            if unit.main is None:
                raise BrokerError(2492, f"the module {unit.label} has no Main, or it could not be compiled")
            return unit.main(self)
        except BrokerError as error:
            raise located(error, self.program) from error
        except RecursionError as error:
            raise located(
                BrokerError(2439, "routines call each other too deep", sqlstate="S54000"), self.program, error
            ) from None
        except Exception as error:
            raise located(internal_error(error), self.program, error) from error

    def start(self, unit: Unit) -> None:
        """Give the variables of module and schemas their values."""
        deployment = self.deployment
        if id(unit) not in deployment.started:
            with deployment.guard:
                if id(unit) not in deployment.started:
                    for once in unit.once:
                        if id(once) not in deployment.started:
                            once(self)
                            deployment.started.add(id(once))
                    deployment.started.add(id(unit))
        if deployment.unset:
            self.vars = Variables(deployment.unset)
        for each in unit.each:
            each(self)

    # Time: one moment for the whole invocation of a node.

    def clock(self) -> clock.Clock:
        """Return the moment that all CURRENT_ functions of this invocation give."""
        if self._clock is None:
            self._clock = clock.now()
        return self._clock

    def current_date(self) -> Date:
        return self.clock().date()

    def current_time(self) -> Time:
        return self.clock().time()

    def current_timestamp(self) -> Timestamp:
        return self.clock().timestamp()

    def current_gmtdate(self) -> Date:
        return self.clock().gmt_date()

    def current_gmttime(self) -> Time:
        return self.clock().gmt_time()

    def current_gmttimestamp(self) -> Timestamp:
        return self.clock().gmt_timestamp

    def local_timezone(self) -> Interval:
        return self.clock().local_timezone()

    # Names.

    def broker_property(self, name: str) -> object:
        """Return a property of broker, flow or node."""
        return self.node.broker_property(name)

    def output_tree(self, name: str) -> Element:
        """Return an output tree for a routine at schema level; raise 2432 if the node has none."""
        if not self.has_output:
            raise BrokerError(2432, f"{name} is not valid here: only a Compute node has output trees", inserts=(name,))
        if name == "OutputRoot":
            return self.output_root
        return self.output_local_environment if name == "OutputLocalEnvironment" else self.output_exception_list

    def external(self, name: str, kind: str, default: object) -> object:
        """Return a user-defined property of the flow, or the initial value of the declaration."""
        for key, value in self.deployment.properties.items():
            if key.upper() == name.upper():
                return convert_text(value, kind, self.switches)
        if default is MISSING:
            raise MissingExternal(
                2432, f"EXTERNAL {name} has no value: set the user-defined property {name} of the flow", inserts=(name,)
            )
        return default

    def optional(self, key: str) -> Optional:
        """Return the block that sets a variable of a schema, which a flow may not need."""
        return Optional(key, self.deployment.unset)

    def context_reference(self, function: str, node: object, level: object, section: str | None) -> Element | None:
        """Return a part of the context tree: of the node that started the flow, or of a node by its name."""
        nodes = self.context.child("Nodes")
        if nodes is None:
            return None
        found = nodes.first_child() if function == "CONTEXTINVOCATIONNODE" else None
        if isinstance(node, str):
            found = nodes.child(node)
        if found is None or section is None:
            return found
        parts = {"PAYLOAD": "Payload", "PAYLOADDETAILS": "PayloadDetails", "HEADERS": "Headers", "METADATA": "Metadata"}
        return found.child(parts[section])

    def atomic(self, key: str) -> AbstractContextManager[object]:
        """Return the lock of an ATOMIC block."""
        return self.deployment.lock(key)

    # Errors.

    def enter_handler(self, error: BrokerError) -> None:
        """Set SQLCODE, SQLSTATE and the like from the error that a handler takes."""
        cause = error.root_cause()
        self.sqlcode = cause.sqlcode
        self.sqlstate = state_of(error)
        self.sqlerrortext = cause.text
        self.sqlnativeerror = cause.native_error

    def log(
        self,
        destination: str,
        exception: str | None,
        error: BrokerError | None,
        severity: object,
        catalog: object,
        message: object,
        values: list[object],
    ) -> None:
        """Write LOG EVENT to the log, LOG USER TRACE to the user trace."""
        parts = [f"BIP{2951 if message is None else message}"]
        parts += [convert_shown(value) for value in values]
        if exception is not None and error is not None:
            parts.append(str(error if exception.startswith("FULL") else error.root_cause()))
        text = " ".join(parts)
        if destination == "EVENT":
            LOGGER.log(logging.ERROR if severity == 3 else logging.WARNING, "%s", text)
        else:
            self.node.trace(text)

    # Propagation.

    def propagate(
        self,
        terminal: object,
        label: object,
        environment: Element | None,
        message: Element | None,
        exception: Element | None,
        finalize: bool,
        delete: bool,
    ) -> None:
        """Send the output trees to a terminal or label now."""
        name = terminal
        if isinstance(terminal, int) and not isinstance(terminal, bool):
            name = TERMINALS.get(terminal)
        if label is None and not isinstance(name, str):
            raise esql_error(
                2439,
                terminal,
                text=f"PROPAGATE TO TERMINAL takes a name or -2 to 4, not {terminal!r}",
                sqlstate="S22000",
            )
        if label is not None and not isinstance(label, str):
            raise esql_error(2439, label, text=f"PROPAGATE TO LABEL takes CHARACTER, not {label!r}", sqlstate="S22000")
        trees = Trees(message, environment, exception)
        self.propagated = True
        kept = (self.output_root, self.output_local_environment, self.output_exception_list)
        if not delete:
            # This node goes on to change its trees; what it sends stays as it is.
            self.output_root = copy_element(kept[0])
            self.output_local_environment = copy_element(kept[1])
            self.output_exception_list = copy_element(kept[2])
        try:
            self.node.propagate_from(self, name if isinstance(name, str) else "out", label, trees, finalize)
        finally:
            if delete:
                self.output_root = new_tree("OutputRoot", "Root")
                self.output_local_environment = new_tree("OutputLocalEnvironment")
                self.output_exception_list = new_tree("OutputExceptionList")
                self._deleted = kept
            else:
                self.output_root, self.output_local_environment, self.output_exception_list = kept

    def rebound(self, reference: Element | None) -> Element | None:
        """Return where a reference points after a PROPAGATE: from a tree that was deleted, to the new empty one."""
        if reference is None or self._deleted is None:
            return reference
        root, local_environment, exception_list = self._deleted
        top = reference.root()
        if top is root:
            return self.output_root
        if top is local_environment:
            return self.output_local_environment
        return self.output_exception_list if top is exception_list else reference

    # Text of EVAL.

    def evaluate(self, text: object, scope: object, values: dict[str, object]) -> object:
        """Evaluate an expression given as text, in the scope of the caller."""
        from flintmq.broker.esql.evaluate import evaluate

        return evaluate(self, text, scope, values)

    def run_text(self, text: object, scope: object, values: dict[str, object]) -> dict[str, object]:
        """Run statements given as text, and return the variables of the caller."""
        from flintmq.broker.esql.evaluate import run_text

        return run_text(self, text, scope, values)

    # Bit streams.

    def _context(
        self,
        root: Element | None,
        encoding: object,
        ccsid: object,
        message_set: object,
        message_type: object,
        message_format: object,
        options: object,
    ) -> Context:
        context = self.node.context_of(root)
        for value, name in ((encoding, "ENCODING"), (ccsid, "CCSID"), (options, "OPTIONS")):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise esql_error(2439, value, text=f"{name} takes an INTEGER, not {value!r}", sqlstate="S22000")
        if isinstance(encoding, int) and encoding:
            context.encoding = encoding
        if isinstance(ccsid, int) and ccsid:
            context.ccsid = ccsid
        if isinstance(options, int):
            context.options = options
        context.message_set = _text(message_set, context.message_set)
        context.message_type = _text(message_type, context.message_type)
        context.message_format = _text(message_format, context.message_format)
        return context

    def parse(
        self,
        element: Element,
        bits: object,
        encoding: object,
        ccsid: object,
        message_set: object,
        message_type: object,
        message_format: object,
        options: object,
    ) -> None:
        """Fill an element from a bit stream (CREATE ... PARSE)."""
        if bits is None:
            return
        if isinstance(bits, str):
            bits = bits.encode("utf-8")
        if not isinstance(bits, bytes):
            raise esql_error(2439, bits, text=f"PARSE takes a BLOB, not {bits!r}", sqlstate="S22000")
        context = self._context(self.input_root, encoding, ccsid, message_set, message_type, message_format, options)
        domain = element.owner()
        if domain in ("", "Root"):
            domain = _text(message_format, "") or "BLOB"
        made = format_of(domain).parse(bits, context)
        element.clear()
        if not element.domain and element.type != NAME:
            element.type = NAME
        element.source = made.source
        element.entry = made.entry
        element.cursor = made.cursor
        element.pending = made.pending
        element.value = made.value
        child = made.first
        while child is not None:
            following = child.next
            child.parent = None
            child.previous = None
            child.next = None
            element.append_built(child)
            child = following
        element.changed = made.changed or not element.domain
        settle(element)
        if options is not None and isinstance(options, int) and options & 0x300:
            build_everything(element)

    def bit_stream(
        self,
        element: Element | None,
        encoding: object,
        ccsid: object,
        message_set: object,
        message_type: object,
        message_format: object,
        options: object,
    ) -> object:
        """Return the bytes of an element (ASBITSTREAM); NULL if it is missing."""
        if element is None:
            return None
        context = self._context(element.root(), encoding, ccsid, message_set, message_type, message_format, options)
        domain = element.owner()
        if domain in ("", "Root"):
            if self.switches.bit_stream_of_plain_tree == "empty":
                return b""
            raise esql_error(
                2439, element.name, text=f"{element.name} belongs to no parser that could write it", sqlstate="S22000"
            )
        return write_tree(element, domain, context)

    # Databases.

    def _database(self, name: str | None, action: Callable[[DataSource], Rows]) -> Rows | None:
        """Use a data source; set SQLCODE and the like, and raise or go on as the node says."""
        self.sqlcode, self.sqlstate, self.sqlerrortext, self.sqlnativeerror = 0, "", "", 0
        try:
            return action(self.node.data_source(name))
        except BrokerError as error:
            self.enter_handler(error)
            if self.throw_on_database_error:
                raise
            return None

    def query(
        self, name: str | None, sql: str, values: list[object], aliases: list[str], keys: list[tuple[str, str]]
    ) -> list[tuple[Element, ...]]:
        """Run the query of a SELECT; return one row per table and result row."""
        found = self._database(name, lambda source: source.execute(sql, values))
        result: list[tuple[Element, ...]] = []
        if found is None:
            return result
        for row in found.rows:
            if not keys:
                whole = row_element("Row", found.columns, row)
                result.append(tuple(whole for _ in aliases))
                continue
            parts = {alias: Element(alias, None, NAME) for alias in aliases}
            for (alias, column), value in zip(keys, row, strict=True):
                parts[alias].append(Element(column, value))
            result.append(tuple(parts.values()))
        return result

    def query_value(self, name: str | None, sql: str, values: list[object]) -> object:
        """Run a query that gives one value."""
        found = self._database(name, lambda source: source.execute(sql, values))
        return found.rows[0][0] if found is not None and found.rows else None

    def execute_sql(self, name: str | None, sql: str, values: list[object]) -> None:
        """Run INSERT, UPDATE or DELETE. SQLCODE is 100 if no row was changed."""
        found = self._database(name, lambda source: source.execute(sql, values))
        if found is not None and found.changed == 0 and not sql.startswith("INSERT"):
            self.sqlcode, self.sqlstate = 100, "D02000"

    def passthru(self, name: str | None, sql: object, values: list[object]) -> list[object]:
        """Run SQL text as it is; return its rows."""
        if not isinstance(sql, str):
            raise esql_error(2439, sql, text="PASSTHRU takes a statement as CHARACTER", sqlstate="S22000")
        flat: list[object] = []
        for value in values:
            flat += value if isinstance(value, list) else [value]
        found = self._database(name, lambda source: source.execute(sql, flat))
        if found is None:
            return []
        return [row_element("Row", found.columns, row) for row in found.rows]

    def commit(self, name: str | None) -> None:
        """Commit a data source."""
        self.node.data_source(name).commit()

    def rollback(self, name: str | None) -> None:
        """Back out a data source."""
        self.node.data_source(name).rollback()

    def procedure_in(self, name: str | None, schema: object) -> None:
        """Say where the stored procedure of the next CALL is."""
        self._procedure_place = (name, schema)

    def call_procedure(
        self, procedure: str, values: list[object], directions: list[str], result_sets: int
    ) -> tuple[object, ...]:
        """Call a stored procedure; return its value and the OUT parameters."""
        name, schema = self._procedure_place or (None, None)
        self._procedure_place = None
        if isinstance(schema, str) and schema:
            # The schema may come from a message; the name of the procedure stands in the ESQL.
            place = ".".join(sql_name(part) for part in schema.split("."))
            procedure = f"{place}.{procedure.rpartition('.')[2]}"
        held: list[tuple[list[object], list[Rows]]] = []

        def act(source: DataSource) -> Rows:
            held.append(source.call(procedure, values, directions))
            return Rows()

        self._database(name, act)
        given, sets = held[0] if held else (values, [])
        outs = [value for value, way in zip(given, directions, strict=True) if way != "IN"]
        rows = [[row_element("Row", each.columns, row) for row in each.rows] for each in sets[:result_sets]]
        # A procedure that gives fewer result sets than it declares has empty ones.
        return (None, *outs, *rows, *([] for _ in range(result_sets - len(rows))))

    def call_hook(self, name: str, values: list[object], directions: list[str]) -> tuple[object, ...]:
        """Call the Python function that stands in place of a Java method."""
        hook = self.deployment.hooks.get(name)
        if hook is None:
            if self.deployment.lenient_hooks:
                outs = [value for value, way in zip(values, directions, strict=True) if way != "IN"]
                return (None, *outs)
            raise BrokerError(
                2917,
                f"no Python function is registered for {name}; give one with hooks={{{name!r}: function}}",
                inserts=(name,),
            )
        result = hook(*values)
        wanted = sum(way != "IN" for way in directions)
        if wanted == 0:
            return (result,)
        if not isinstance(result, tuple) or len(result) != wanted + 1:
            raise BrokerError(2917, f"{name} must return its value and {wanted} OUT values as a tuple", inserts=(name,))
        return result


def new_tree(name: str, domain: str = "") -> Element:
    """Return the empty root of a tree."""
    root = Element(name, None, NAME)
    root.domain = domain
    return root


def build_everything(element: Element) -> None:
    """Build all elements below one, so that a malformed body fails now."""
    work = [element]
    while work:
        work.extend(work.pop().children())


def row_element(name: str, columns: Sequence[str], row: Sequence[object]) -> Element:
    """Return a row of a database as a tree."""
    made = Element(name, None, NAME)
    for column, value in zip(columns, row, strict=True):
        made.append(Element(column, value))
    return made


def write_tree(element: Element, domain: str, context: Context) -> bytes:
    """Return the bytes of a body, or of an element inside one (ASBITSTREAM)."""
    return format_of(domain).write(element, context)


def state_of(error: BrokerError) -> str:
    """Return the SQLSTATE of an error: that of the innermost entry that has one."""
    state = ""
    for entry in error.chain():
        state = entry.sqlstate or state
    return state


def convert_shown(value: object) -> str:
    """Return a value as a log line shows it: one line, printable."""
    text = value if isinstance(value, str) else repr(value)
    return text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text


def _text(value: object, default: str) -> str:
    """Return an option that is a text; the default if it is absent or empty."""
    return value if isinstance(value, str) and value else default


def located(error: BrokerError, program: Program, raised: BaseException | None = None) -> BrokerError:
    """Wrap an error in one entry 2488 per routine of ESQL that it passed, the innermost first."""
    traceback = (raised or error).__traceback__
    places = []
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename.startswith(FILE_PREFIX):
            place = program.place_of(filename, traceback.tb_lineno)
            if place is not None:
                places.append(place)
        traceback = traceback.tb_next
    # A PROPAGATE may come back with an error that already names its own statements below another node.
    wrapped = error
    if error.number in _OF_EXPRESSIONS:
        wrapped = BrokerError(EXPRESSION, "an expression could not be evaluated", cause=error, sqlstate=error.sqlstate)
    for place in reversed(places):
        position = f"{place.routine_line}.{place.column}"
        wrapped = BrokerError(
            STATEMENT,
            f"({place.routine}, {position}) an error occurred in the statement '{place.text}'",
            inserts=(place.routine, position, place.text),
            cause=wrapped,
            file=place.file,
            line=place.line,
            function=place.routine,
        )
    wrapped.__cause__ = error.__cause__
    wrapped.below = error.below
    return wrapped
