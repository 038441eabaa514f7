"""Runs ESQL in tests: a module or bare statements over a message, without a flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import parse, parse_statements
from flintmq.broker.esql.program import Program
from flintmq.broker.esql.run import DataSource, Deployment, Rows, Run, Trees, new_tree
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.assembly import new_root
from flintmq.broker.tree.element import Element, check_tree, copy_element
from flintmq.broker.values import Value


class TestNode:
    """The node of a Run in tests: it keeps what is propagated, traced and asked of databases."""

    __test__ = False

    def __init__(self, databases: Mapping[str, DataSource] | None = None) -> None:
        self.sent: list[tuple[str, str | None, Element]] = []
        self.traces: list[str] = []
        self.databases = dict(databases or {})

    def propagate_from(self, run: Run, terminal: str, label: str | None, trees: Trees, finalize: bool) -> None:
        self.sent.append((terminal, label, copy_element(trees.root or run.output_root)))

    def data_source(self, name: str | None) -> DataSource:
        found = self.databases.get(name or "DB")
        if found is None:
            raise BrokerError(2321, f"no {name}", kind="DatabaseException", sqlstate="D08001")
        return found

    def broker_property(self, name: str) -> object:
        return {"MESSAGEFLOWLABEL": "TestFlow", "NODELABEL": "TestNode"}.get(name)

    def context_of(self, root: Element | None) -> Context:
        return Context()

    def trace(self, text: str) -> None:
        self.traces.append(text)


class Tables:
    """A data source that answers with fixed rows and keeps the statements."""

    def __init__(self, rows: Rows | None = None, error: BrokerError | None = None) -> None:
        self.rows = rows or Rows()
        self.error = error
        self.statements: list[tuple[str, list[object]]] = []
        self.ended: list[str] = []

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        self.statements.append((sql, list(values)))
        if self.error is not None:
            raise self.error
        return self.rows

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        self.statements.append((procedure, list(values)))
        given = [value if way == "IN" else 99 for value, way in zip(values, directions, strict=True)]
        return given, [self.rows]

    def commit(self) -> None:
        self.ended.append("commit")

    def rollback(self) -> None:
        self.ended.append("rollback")


class Outcome:
    """What a run left behind."""

    def __init__(self, run: Run, node: TestNode, result: object) -> None:
        self.run = run
        self.node = node
        self.result = result

    @property
    def root(self) -> Element:
        check_tree(self.run.output_root)
        return self.run.output_root

    def write(self, domain: str = "XMLNSC") -> bytes:
        body = self.root.child(domain)
        assert body is not None, [child.name for child in self.root.children()]
        return format_of(domain).write(body, Context())

    def value(self, path: str) -> object:
        """Return a value of the environment."""
        return self.run.environment.get(path)


def program_of(text: str, switches: Switches = DEFAULTS) -> Program:
    """Compile a file; it must be right."""
    program = Program(switches)
    program.add(parse(text, "test.esql"))
    program.compile()
    assert not program.errors, [str(error) for error in program.errors]
    return program


def run_module(
    text: str,
    body: bytes | Element = b"<a/>",
    domain: str = "XMLNSC",
    *,
    switches: Switches = DEFAULTS,
    databases: Mapping[str, DataSource] | None = None,
    properties: Mapping[str, object] | None = None,
    hooks: Mapping[str, Callable[..., object]] | None = None,
    deployment: Deployment | None = None,
    module: str = "M",
    throw_on_database_error: bool = True,
) -> Outcome:
    """Run Main of a module over one message."""
    program = program_of(text, switches)
    unit = program.unit("", module)
    assert unit is not None
    return run_unit(
        program, unit.name, body, domain, databases, properties, hooks, deployment, throw_on_database_error, switches
    )


def run_unit(
    program: Program,
    name: str,
    body: bytes | Element,
    domain: str,
    databases: Mapping[str, DataSource] | None = None,
    properties: Mapping[str, object] | None = None,
    hooks: Mapping[str, Callable[..., object]] | None = None,
    deployment: Deployment | None = None,
    throw_on_database_error: bool = True,
    switches: Switches = DEFAULTS,
) -> Outcome:
    """Run a module of a program that is compiled already."""
    root = new_root()
    root.name = "InputRoot"
    properties_folder = root.add("Properties", None, 0x01000000)
    properties_folder.add("MessageFormat", "")
    folder = format_of(domain).parse(body, Context(switches=switches)) if isinstance(body, bytes) else body
    root.append(folder)
    root.read_only = switches.input_tree_write == "error"
    node = TestNode(databases)
    deployed = deployment or Deployment(properties=properties or {}, hooks=hooks or {})
    run = Run(
        program,
        deployed,
        node,
        root,
        new_tree("InputLocalEnvironment"),
        new_tree("InputExceptionList"),
        new_tree("Environment"),
        switches,
    )
    run.throw_on_database_error = throw_on_database_error
    unit = program.unit("", name)
    assert unit is not None
    result = run.main(unit)
    check_tree(root)
    return Outcome(run, node, result)


def run_statements(
    text: str, body: bytes = b"<a/>", domain: str = "XMLNSC", switches: Switches = DEFAULTS, **options: object
) -> Outcome:
    """Run bare statements, as V2.1 kept them inside a node."""
    program = Program(switches)
    program.add_statements(parse_statements(text), "", "Bare")
    program.compile()
    assert not program.errors, [str(error) for error in program.errors]
    return run_unit(program, "Bare", body, domain, switches=switches, **options)  # type: ignore[arg-type]


def value_of(expression: str, body: bytes = b"<a/>", domain: str = "XMLNSC", switches: Switches = DEFAULTS) -> Value:
    """Return the value of an expression over a message."""
    outcome = run_statements(f"SET Environment.x VALUE = {expression};", body, domain, switches)
    value: Value = outcome.value("x")  # type: ignore[assignment]
    return value


def error_of(text: str, body: bytes = b"<a/>", domain: str = "XMLNSC", switches: Switches = DEFAULTS) -> BrokerError:
    """Return the error that statements raise."""
    try:
        run_statements(text, body, domain, switches)
    except BrokerError as error:
        return error
    raise AssertionError("nothing was raised")
