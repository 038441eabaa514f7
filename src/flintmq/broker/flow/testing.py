"""Tests of flows from recorded input and output, as directories of files.

A case is a directory below a directory `tests`, with one file `input.*`. The project beside `tests` is loaded: a
project with the projects that it refers to, or a folder of flows.

    Shop/shop/Orders.msgflow
    Shop/tests/gold/input.xml           the message: any suffix; `.mxml` is a recorded assembly
    Shop/tests/gold/out/ORDERS.GOLD.xml expected output (outputs.py: out, published, reply, files, emails, requests)
    Shop/tests/gold/case.yaml           which flow, fakes, ignored paths; may be missing

A case for one node has `input.mxml`, the assembly that the node gets, and an assembly for each one that it sends:

    output.mxml            to the terminal `out`; the second one is output#2.mxml
    output.failure.mxml    to another terminal; to a label, output.label Gold.mxml

case.yaml, every entry optional:

    flow, application      the flow, if the project has several
    node, terminal         the node of a case for one node, and the terminal where the message comes in (`in`)
    input                  the label of the input node, if the flow has several
    headers                header folders of the message: {MQMD: {CorrelId: "42", Priority: 5}, MQRFH2: {usr: {a: b}}}
    method, path, query    of an HTTP request
    local_environment, environment       nested entries
    http                   answers by node or URL pattern: {Ask price: {status: 200, file: price.json, headers: {...}}};
                           `body` in place of `file`, or `error: timeout`, `error: refused`
    databases              {SHOP: {script: ../../shop.sql}} an empty SQLite with this script; `url`, or `answers`
    queues, files          messages for MQGet by queue (a list of files), and files for FileRead by name
    subscribers            topics with subscribers, with * patterns; [] for none
    now                    the moment that CURRENT_TIMESTAMP gives, in GMT: 2024-01-31 12:00:00
    switches               switches of ESQL
    ignore                 paths that are not compared: XMLNSC/Order/Time, message/Properties/CreationTime
    load                   a path to load in place of the directory beside `tests`: ../../orders.bar

Files that a case names must lie within the directory that is loaded. A case without expectations fails, until they are
recorded; unexpected outputs are failures.
"""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import clock
from flintmq.broker.esql.run import DataSource
from flintmq.broker.esql.switches import make_switches
from flintmq.broker.flow.engine import Invocation, RuntimeNode, Wire, copied
from flintmq.broker.flow.function import (
    Flow,
    FlowFailed,
    FlowProblem,
    FlowResult,
    LoadedApplications,
    incoming_of,
    tree_of,
)
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.outputs import BYTES_MAX, FOLDERS, compare_outputs, has_expectations, outputs_of, write_outputs
from flintmq.broker.flow.project import load as load_project
from flintmq.broker.flow.safe_yaml import load_yaml
from flintmq.broker.flow.services import FlowFake, HttpFake, HttpResponse, Recorder
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.headers import Template, parse_message
from flintmq.broker.tree.mxml import Recorded, differences, read_mxml, recorded_of, write_mxml
from flintmq.broker.values import parse_timestamp
from flintmq.mqi.md import MQMD

CASE_FILE: Final = "case.yaml"
TESTS: Final = "tests"
CASES_MAX: Final = 100_000
_ENTRIES: Final = frozenset(
    (
        "flow application node terminal input headers method path query local_environment environment http databases "
        "queues files subscribers now switches ignore load"
    ).split()
)
#: Fields of MQMD that are numbers, and those that are 24 or 32 bytes.
MQMD_NUMBERS: Final = frozenset(
    (
        "Version Report MsgType Expiry Feedback Encoding CodedCharSetId Priority Persistence BackoutCount PutApplType "
        "MsgSeqNumber Offset MsgFlags OriginalLength"
    ).split()
)
MQMD_BYTES: Final = frozenset(("MsgId", "CorrelId", "GroupId", "AccountingToken"))


class CaseError(Exception):
    """A case cannot be run: its files are wrong. The text says which file and how to repair it."""


# One node.


@dataclass(slots=True)
class Sent:
    """An assembly that a node sent: the terminal, or `label NAME`."""

    terminal: str
    assembly: Assembly


@dataclass(slots=True)
class NodeResult:
    """The results of one node: the assemblies it sent, in order, and its effects on the outside."""

    sent: list[Sent]
    result: FlowResult
    #: The exception that the node raised, if its failure terminal is not wired.
    failure: BrokerError | None = None

    def one(self, terminal: str = "out") -> Assembly:
        """Return the only assembly that went to a terminal. Raise AssertionError if there is none, or several."""
        found = [each.assembly for each in self.sent if each.terminal == terminal]
        if len(found) != 1:
            others = ", ".join(each.terminal for each in self.sent) or "none"
            raise AssertionError(f"{len(found)} messages went to {terminal}; terminals: {others}")
        return found[0]


class _Probe(RuntimeNode):
    """Stands at the end of a wire and keeps the assemblies that come."""

    def __init__(self, name: str, sent: list[Sent], like: RuntimeNode) -> None:
        super().__init__(like.definition, {}, f"{like.label} {name}", "", like.flow)
        self.terminal = name
        self.sent = sent

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        self.sent.append(Sent(self.terminal, copied(assembly)))


class _Probes(dict[str, list[Wire]]):
    """Wires of a node under test: every terminal leads to a probe. Failure and catch do only if they are wired."""

    def __init__(self, node: RuntimeNode, sent: list[Sent]) -> None:
        super().__init__()
        self.node = node
        self.sent = sent
        self.before = node.wires

    def get(self, terminal: str, default: Any = None) -> Any:
        if terminal in ("failure", "catch") and not self.before.get(terminal):
            return default
        return [Wire(_Probe(terminal, self.sent, self.node), "in")]


@contextmanager
def _probed(node: RuntimeNode, sent: list[Sent]) -> Iterator[None]:
    """Lead all that a node sends to probes; labels, too."""
    wires, labels = node.wires, node.flow.labels
    node.wires = _Probes(node, sent)
    node.flow.labels = {name: _Probe(f"label {name}", sent, node) for name in labels}
    try:
        yield
    finally:
        node.wires, node.flow.labels = wires, labels


def run_node(
    flow: Flow,
    label: str,
    assembly: Assembly | Recorded,
    terminal: str = "in",
    *,
    http: Mapping[str, HttpFake] | None = None,
    databases: Mapping[str, DataSource] | None = None,
    queues: Mapping[str, Sequence[tuple[MQMD, bytes]]] | None = None,
    files: Mapping[str, bytes] | None = None,
    flows: Mapping[str, FlowFake] | None = None,
    subscribers: Callable[[str], bool] | None = None,
) -> NodeResult:
    """Run one node of a flow on an assembly, and return its results. The nodes behind it do not run.

    The rest of the flow may have problems. Raise ValueError if the flow has no such node, FlowProblem if the node
    itself cannot run.
    """
    runtime = flow.runtime
    found = [node for node in runtime.nodes if label in (node.short_label, node.label)]
    if len(found) != 1:
        labels = ", ".join(repr(node.label) for node in found or runtime.nodes)
        raise ValueError(f"{len(found)} nodes of {flow.name} are called {label!r}; there are: {labels}")
    node = found[0]
    if node.starts_flow:
        raise ValueError(f"{node.label} is an input node: test the flow with a message")
    problems = [problem for problem in runtime.problems if f"{node.label}:" in problem]
    if problems:
        raise FlowProblem(flow.name, problems)
    given = assembly.assembly() if isinstance(assembly, Recorded) else assembly
    sent: list[Sent] = []
    recorder = Recorder(http, databases, queues, files, flows, subscribers)
    result = NodeResult(sent, FlowResult(recorder))
    invocation = Invocation(runtime, recorder)
    with _probed(node, sent):
        try:
            with recorder.unit_of_work():
                node.receive(invocation, copied(given), terminal)
        except BrokerError as error:
            result.failure = error
    return result


# Cases.


@dataclass(slots=True)
class Case:
    """One directory with an input."""

    place: Path
    name: str
    input: Path
    #: What is loaded: the directory that has `tests`, or what case.yaml says.
    project: Path
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def is_node_case(self) -> bool:
        """Whether one node is tested, not a flow."""
        return bool(self.options.get("node")) or any(self.place.glob("output*.mxml"))

    def file(self, name: object) -> Path:
        """Return a file that the case names. Raise CaseError if it lies outside of the loaded project."""
        path = (self.place / str(name)).resolve()
        root = self.place.resolve()
        while root.name != TESTS and root.parent != root:
            root = root.parent
        allowed = [self.place.resolve(), root.parent if root.name == TESTS else self.place.resolve()]
        if not any(path.is_relative_to(each) for each in allowed):
            raise CaseError(f"{self.place / CASE_FILE}: {name} lies outside of {allowed[-1]}")
        if not path.is_file():
            raise CaseError(f"{self.place / CASE_FILE}: there is no file {name}")
        return path

    def bytes_of(self, name: object) -> bytes:
        """Return the content of a file that the case names."""
        return read_bounded(self.file(name))


@dataclass(slots=True)
class Outcome:
    """The outcome of a case: differences from the expectations, or why it could not be run."""

    case: Case
    differences: list[str] = field(default_factory=list)
    #: Files that were written as new expectations.
    recorded: list[Path] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return not self.differences


def read_bounded(path: Path) -> bytes:
    """Return the content of a file. Raise CaseError if it is too large."""
    if path.stat().st_size > BYTES_MAX:
        raise CaseError(f"{path}: the file is larger than {BYTES_MAX} bytes")
    return path.read_bytes()


def find_cases(root: Path) -> list[Case]:
    """Return the cases below a directory, in order. `root` may be a case itself. Raise CaseError for a wrong one."""
    if not root.is_dir():
        raise CaseError(f"{root}: there is no such directory")
    places = {path.parent for path in root.rglob("input.*") if path.is_file()}
    if any(path.is_file() for path in root.glob("input.*")):
        places.add(root)
    cases = []
    for place in sorted(places):
        if place.name in FOLDERS and place.parent in places:
            continue  # An expectation that happens to be called so.
        above = place.resolve()
        parts = [each for each in above.parents if each.name == TESTS]
        if parts:
            cases.append(read_case(place, root, parts[0].parent))
        if len(cases) > CASES_MAX:
            raise CaseError(f"{root}: there are more than {CASES_MAX} cases")
    return cases


def read_case(place: Path, root: Path, project: Path) -> Case:
    """Return the case of a directory. Raise CaseError."""
    inputs = sorted(path for path in place.glob("input.*") if path.is_file())
    if len(inputs) != 1:
        names = ", ".join(path.name for path in inputs) or "none"
        raise CaseError(f"{place}: a case has one file input.*; there are: {names}")
    name = place.relative_to(root).as_posix() if place != root else place.name
    case = Case(place, name, inputs[0], project)
    path = place / CASE_FILE
    if path.is_file():
        try:
            options = load_yaml(read_bounded(path), str(path))
        except FlowFileError as error:
            raise CaseError(str(error)) from None
        if not isinstance(options, dict):
            raise CaseError(f"{path}: entries are expected, such as `flow: Orders`")
        unknown = sorted(str(key) for key in options if key not in _ENTRIES)
        if unknown:
            raise CaseError(f"{path}: unknown entry {unknown[0]}; entries are {', '.join(sorted(_ENTRIES))}")
        case.options = options
        if "load" in options:
            case.project = case.file(options["load"])
    return case


class Loader:
    """Loads the projects of cases, each once."""

    def __init__(self, profile: bool = False) -> None:
        self.profile = profile
        self._loaded: dict[tuple[Path, str], LoadedApplications] = {}

    def load(self, case: Case) -> LoadedApplications:
        """Return the applications of a case."""
        switches = case.options.get("switches") or {}
        key = (case.project, repr(switches))
        found = self._loaded.get(key)
        if found is None:
            project = load_project(case.project, references=True)
            found = LoadedApplications(project, make_switches(switches), profile=self.profile)
            self._loaded[key] = found
        return found

    def flow(self, case: Case) -> Flow:
        """Return the flow of a case."""
        return self.load(case).flow(case.options.get("flow", ""), case.options.get("application", ""))

    def applications(self) -> list[LoadedApplications]:
        """Return everything that was loaded."""
        return list(self._loaded.values())


def run_case(case: Case, loader: Loader | None = None, record: bool = False) -> Outcome:
    """Run a case and compare, or record the outputs as the new expectations. Raises nothing that a case causes."""
    outcome = Outcome(case)
    started = time.perf_counter()
    try:
        with _frozen(case.options.get("now")):
            flow = (loader or Loader()).flow(case)
            if case.is_node_case:
                _run_node_case(case, flow, outcome, record)
            else:
                _run_flow_case(case, flow, outcome, record)
    except (CaseError, FlowFileError, FlowProblem, ValueError, OSError) as error:
        outcome.differences = str(error).splitlines() or [type(error).__name__]
    except BrokerError as error:
        outcome.differences = [str(error)]
    outcome.seconds = time.perf_counter() - started
    return outcome


@contextmanager
def _frozen(now: object) -> Iterator[None]:
    if now is None:
        yield
        return
    clock.freeze(parse_timestamp(str(now).replace("T", " ").removesuffix("+00:00"), True))
    try:
        yield
    finally:
        clock.freeze(None)


def _run_flow_case(case: Case, flow: Flow, outcome: Outcome, record: bool) -> None:
    options = case.options
    failure: FlowFailed | None = None
    body: bytes | Element
    local, environment = options.get("local_environment"), options.get("environment")
    if case.input.suffix == ".mxml":
        recorded = read_mxml(read_bounded(case.input))
        assembly = recorded.assembly()
        body = assembly.message
        local = local or assembly.local_environment
        environment = environment or assembly.environment
    else:
        body = read_bounded(case.input)
    try:
        result = flow(
            body,
            headers=headers_of(options.get("headers") or {}),
            input=options.get("input"),
            method=str(options.get("method", "POST")),
            path=str(options.get("path", "")),
            query=str(options.get("query", "")),
            local_environment=local,
            environment=environment,
            **fakes_of(case),
        )
    except FlowFailed as error:
        failure, result = error, error.result
    outputs = outputs_of(result)
    if record:
        outcome.recorded = write_outputs(case.place, outputs, failure)
        return
    if not has_expectations(case.place):
        what = failure or ", ".join(f"{each.folder}/{each.file_name}" for each in outputs) or "nothing"
        outcome.differences = [f"the case has no expectations; record them. There was: {what}"]
        return
    outcome.differences = compare_outputs(case.place, outputs, failure, _ignored(case))


def _ignored(case: Case) -> list[str]:
    ignore = case.options.get("ignore") or []
    return [str(each) for each in (ignore if isinstance(ignore, list) else [ignore])]


def _run_node_case(case: Case, flow: Flow, outcome: Outcome, record: bool) -> None:
    if case.input.suffix != ".mxml":
        raise CaseError(f"{case.place}: a case for one node needs input.mxml, not {case.input.name}")
    recorded = read_mxml(read_bounded(case.input))
    label = case.options.get("node") or recorded.checkpoint("target.name")
    if not isinstance(label, str):
        raise CaseError(f"{case.place / CASE_FILE}: say which `node` is tested; {case.input.name} has no checkpoint")
    result = run_node(flow, label, recorded, str(case.options.get("terminal", "in")), **fakes_of(case))
    named: dict[str, Assembly] = {}
    for each in result.sent:
        stem = "output" if each.terminal == "out" else f"output.{each.terminal}"
        number = 1 + sum(1 for name in named if name.partition("#")[0] == stem)
        named[stem if number == 1 else f"{stem}#{number}"] = each.assembly
    expected = {path.name.removesuffix(".mxml"): path for path in sorted(case.place.glob("output*.mxml"))}
    outputs = outputs_of(result.result)
    if record:
        outcome.recorded = write_outputs(case.place, outputs, result.failure, nothing=not named)
        for name in expected.keys() - named.keys():
            expected[name].unlink()
        for name, assembly in named.items():
            path = case.place / f"{name}.mxml"
            path.write_bytes(write_mxml(recorded_of(assembly)))
            outcome.recorded.append(path)
        return
    if not expected and not has_expectations(case.place):
        outcome.differences = [f"the case has no output.mxml; record it. There was: {', '.join(named) or 'nothing'}"]
        return
    lines = compare_outputs(case.place, outputs, result.failure, _ignored(case))
    for name, path in expected.items():
        if name not in named:
            lines.append(f"{path.name}: missing; the node sent to: {', '.join(named) or 'nothing'}")
            continue
        found = differences(read_mxml(read_bounded(path)), named[name], _ignored(case))
        lines += [f"{path.name}: {line}" for line in found]
    lines += [f"{name}.mxml: not expected" for name in named if name not in expected]
    outcome.differences = lines


# What a case says of the outside.


def headers_of(given: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """Return header folders with values of the right types: numbers and bytes in MQMD."""
    found: dict[str, dict[str, object]] = {}
    for folder, fields in given.items():
        if not isinstance(fields, Mapping):
            raise CaseError(f"headers: {folder} needs fields, such as {folder}: {{...}}")
        found[str(folder)] = {str(name): header_value(str(folder), str(name), each) for name, each in fields.items()}
    return found


def header_value(folder: str, name: str, value: Any) -> object:
    """Return the value of a header field. X'...' is bytes anywhere."""
    if isinstance(value, Mapping):
        return {str(key): header_value(folder, str(key), each) for key, each in value.items()}
    if isinstance(value, str) and value[:2].upper() == "X'" and value.endswith("'"):
        try:
            return bytes.fromhex(value[2:-1])
        except ValueError:
            raise CaseError(f"headers: {folder}.{name} is {value}, which is not hexadecimal") from None
    if folder == "MQMD" and name in MQMD_NUMBERS:
        try:
            return int(value)
        except (TypeError, ValueError):
            raise CaseError(f"headers: MQMD.{name} is {value!r}, which is not a number") from None
    if folder == "MQMD" and name in MQMD_BYTES:
        return str(value).encode()
    return value if isinstance(value, list | bool | int | float) else str(value)


def fakes_of(case: Case) -> dict[str, Any]:
    """Return the arguments that answer for the outside: http, databases, queues, files, subscribers."""
    options = case.options
    found: dict[str, Any] = {
        "http": {str(key): _http(case, each) for key, each in _mapping(case, "http").items()},
        "databases": {str(key): _database(case, each) for key, each in _mapping(case, "databases").items()},
        "files": {str(key): case.bytes_of(each) for key, each in _mapping(case, "files").items()},
        "queues": {},
    }
    for queue, names in _mapping(case, "queues").items():
        messages = []
        for name in names if isinstance(names, list) else [names]:
            incoming = incoming_of(case.bytes_of(name), {})
            assert incoming.md is not None
            messages.append((incoming.md, incoming.data))
        found["queues"][str(queue)] = messages
    if "subscribers" in options:
        patterns = [str(each) for each in options["subscribers"] or []]
        found["subscribers"] = lambda topic: any(fnmatch.fnmatchcase(topic, pattern) for pattern in patterns)
    return found


def _mapping(case: Case, name: str) -> dict[Any, Any]:
    value = case.options.get(name) or {}
    if not isinstance(value, dict):
        raise CaseError(f"{case.place / CASE_FILE}: {name} needs entries")
    return value


def _http(case: Case, given: Any) -> HttpFake:
    if not isinstance(given, dict):
        return given if isinstance(given, list) else str(given)
    if "error" in given:
        return (
            TimeoutError("timed out") if given["error"] == "timeout" else ConnectionRefusedError("connection refused")
        )
    headers = {str(key): str(value) for key, value in (given.get("headers") or {}).items()}
    body = case.bytes_of(given["file"]) if "file" in given else given.get("body", "")
    if isinstance(body, dict | list) and set(given) == {"body"}:
        return body
    if not isinstance(body, bytes):
        body = str(body).encode()
    return HttpResponse(int(given.get("status", 200)), body, headers, str(given.get("reason", "OK")))


def _database(case: Case, given: Any) -> DataSource:
    from flintmq.broker.databases import Database, FakeDatabase

    if not isinstance(given, dict):
        raise CaseError(f"{case.place / CASE_FILE}: a database needs script, url or answers")
    if "answers" in given:
        return FakeDatabase({str(sql): rows for sql, rows in given["answers"].items()})
    if "script" in given:
        return sqlite_from(case.bytes_of(given["script"]).decode("utf-8"))
    if "url" in given:
        return Database(str(given["url"]))
    raise CaseError(f"{case.place / CASE_FILE}: a database needs script, url or answers")


def sqlite_from(script: str) -> DataSource:
    """Return an SQLite database in memory that a script has filled. Raise CaseError if the script is wrong."""
    import sqlite3

    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    from flintmq.broker.databases import Database

    connection = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        connection.executescript(script)
    except sqlite3.Error as error:
        raise CaseError(f"the script of a database: {error}") from None
    return Database(create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool))


# For pytest.


class FlowUnderTest:
    """A flow with fakes for the outside, which hold for every call. The pytest fixture `flow` is one.

    flow.http["Ask price"] = {"price": 7}
    flow.databases["SHOP"] = FakeDatabase({"SELECT * FROM ORDERS*": [{"ID": 1}]})
    result = flow(b"<Order/>")
    """

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        #: Answers of servers by label of the node or URL pattern.
        self.http: dict[str, HttpFake] = {}
        #: Data sources by name.
        self.databases: dict[str, DataSource] = {}
        #: Messages for MQGet nodes by queue, files for FileRead nodes by name, callable flows by endpoint.
        self.queues: dict[str, Sequence[tuple[MQMD, bytes]]] = {}
        self.files: dict[str, bytes] = {}
        self.flows: dict[str, FlowFake] = {}

    @property
    def name(self) -> str:
        """Return `schema.Name`."""
        return self.flow.name

    def _fakes(self) -> dict[str, Any]:
        return {
            "http": self.http,
            "databases": self.databases,
            "queues": self.queues,
            "files": self.files,
            "flows": self.flows,
        }

    def __call__(self, body: Any = b"", **options: Any) -> FlowResult:
        """Send a message through the flow. Options are those of Flow, and fakes that hold for this call only."""
        return self.flow(body, **{**self._fakes(), **options})

    def node(self, label: str, assembly: Assembly | Recorded | Path | str, terminal: str = "in") -> NodeResult:
        """Run one node on an assembly, or on the file of a recorded one. The nodes behind it do not run."""
        if isinstance(assembly, Path | str):
            assembly = read_mxml(read_bounded(Path(assembly)))
        return run_node(self.flow, label, assembly, terminal, **self._fakes())


def load_flows(path: Path, **options: Any) -> LoadedApplications:
    """Load a directory with the projects that it refers to, a BAR or a flow file; options are those of `load`."""
    return LoadedApplications(load_project(path, references=True), **options)


# Assertions.


def assert_same_assembly(
    expected: Recorded | Assembly | Path | str,
    found: Recorded | Assembly,
    ignore: Sequence[str] = (),
    parts: tuple[str, ...] = ("message", "localEnvironment", "environment", "exceptionList"),
) -> None:
    """Fail with the paths that differ. `expected` may be the file of a recorded assembly."""
    __tracebackhide__ = True
    if isinstance(expected, Path | str):
        expected = read_mxml(read_bounded(Path(expected)))
    lines = differences(expected, found, list(ignore), parts)
    if lines:
        raise AssertionError("the assemblies differ:\n" + "\n".join(f"  {line}" for line in lines[:50]))


def assembly_of(
    body: bytes | str | Mapping[str, object] | Sequence[object] | Element,
    domain: str = "",
    *,
    headers: Mapping[str, Mapping[str, object]] | None = None,
    local_environment: Mapping[str, object] | Element | None = None,
    environment: Mapping[str, object] | Element | None = None,
) -> Assembly:
    """Return the assembly that an input node would make of a message, for tests of one node."""
    incoming = incoming_of(body, headers or {})
    if incoming.root is not None:
        root = incoming.root
    else:
        assert incoming.md is not None
        root = parse_message(incoming.md, incoming.data, Template(domain=domain))
    return Assembly(root, tree_of("LocalEnvironment", local_environment), tree_of("Environment", environment))
