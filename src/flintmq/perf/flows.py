"""The message flows of the WMQI workloads: an application is written to a directory and run by real execution groups.

    plain, simple, complex, chain, very-complex     Compute nodes between MQInput and MQOutput
    filter, route-1, route-100                      one decision
    database-insert, database-update                one row for each message, SQLite or the database that is named
    publication                                     topic routing to subscriptions with queues
    convert                                         generic XML, CWF, MRM XML and TAG, 4 x 4

The ESQL of `complex` is that of the report's appendix in our own words: copy, then three targets for each of up to
twenty elements.
"""

from __future__ import annotations

import io
import os
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Any

from flintmq.perf import shapes
from flintmq.perf.catalogue.workload import Parameters
from flintmq.perf.plan import GETTER, LOCAL, Actors
from flintmq.perf.shapes import PREFIX, Setup
from flintmq.perf.stage import CHANNEL, NAME, Stage, StageError, environment
from flintmq.perf.wmqi import LOOP, START, order

TOPIC = "perf/flow"
_IN, _OUT = f"{PREFIX}FLOW.IN", f"{PREFIX}FLOW.OUT"
_SOURCE = "PERFDB"
_MODES = {"automatic": "automatic", "yes": "yes", "coordinated": "yes"}

_LIST = """
DECLARE I INTEGER 1;
CREATE FIELD OutputLocalEnvironment.Destination.RouterList;
DECLARE list REFERENCE TO OutputLocalEnvironment.Destination.RouterList;
WHILE I <= {count} DO
  CREATE LASTCHILD OF list NAME 'DestinationData';
  SET list.DestinationData[<].labelName = 'L' || CAST(I AS CHARACTER);
  SET I = I + 1;
END WHILE;
"""
_ESQL = {
    "simple": "SET OutputRoot = InputRoot;\nSET OutputRoot.XML.CSIM.TestCase.Name = 'changed';\n",
    "complex": START + LOOP,
    "very-complex": START + LOOP * 5,
    "route-1": _LIST.format(count=1),
    "route-100": _LIST.format(count=100),
    "filter": "",
    "database-insert": (
        "SET OutputRoot = InputRoot;\n"
        "DECLARE id CHARACTER UUIDASCHAR;\n"
        "INSERT INTO Database.PERF_ROWS (ID, TEXT) VALUES (id, InputRoot.XML.CSIM.TestCase.Name);\n"
        "DELETE FROM Database.PERF_ROWS AS R WHERE R.ID = id;\n"
    ),
    "database-update": (
        "SET OutputRoot = InputRoot;\n"
        "UPDATE Database.PERF_ROWS AS R SET TEXT = InputRoot.XML.CSIM.TestCase.Name WHERE R.ID = '1';\n"
    ),
}


# -- format conversion ------------------------------------------------------------------------------------------------

_FIELDS: list[tuple[str, str]] = (
    [(f"Text{n:02d}", "string") for n in range(1, 11)]
    + [(f"Float{n:02d}", "double") for n in range(1, 11)]
    + [(f"Int{n:02d}", "int") for n in range(1, 11)]
    + [("Fill", "string")]
)
_FORMAT_NAMES = {"CWF": "CWF1", "MRMXML": "XML1", "TAG": "TDS1"}
#: What 31 fields take in generic XML without the filling.
_FRAME_BYTES = 850


def _fill(size: int) -> int:
    return max(16, size - _FRAME_BYTES)


def message_set(size: int) -> str:
    """Return the message set of the report's 31 fields as YAML; the last field fills a message up to `size`."""
    lines = [
        "message_set: Perf",
        "formats:",
        "  CWF1: {kind: CWF}",
        "  TDS1: {kind: TDS, delimiter: ';', tagDataSeparator: '='}",
        "  XML1: {kind: XML, suppressXMLDeclaration: true}",
        "messages:",
        "  Message:",
        "    TDS1: {dataElementSeparation: TaggedDelimited}",
        "    elements:",
    ]
    for number, (name, kind) in enumerate(_FIELDS, 1):
        length = _fill(size) if name == "Fill" else {"string": 12, "double": 8, "int": 4}[kind]
        lines.append(f"      - {name}: {{type: {kind}, CWF1: {{length: {length}}}, TDS1: {{tag: '{number:02d}'}}}}")
    return "\n".join(lines) + "\n"


def _values(size: int) -> list[Any]:
    made: list[Any] = [f"text field{n:02d}" for n in range(1, 11)]
    made += [1234.5678 * n - 5000.0 for n in range(1, 11)]
    made += [7919 * n * (-1) ** n for n in range(1, 11)]
    return [*made, "f" * (_fill(size) - 1) + "."]


def record(name: str, size: int) -> bytes:
    """Return the message of 31 fields in a format: XML, CWF, MRMXML or TAG."""
    values = _values(size)
    if name == "CWF":
        layout = struct.Struct("<" + "12s" * 10 + "d" * 10 + "i" * 10 + f"{_fill(size)}s")
        return layout.pack(*(each.encode().ljust(12) if isinstance(each, str) else each for each in values))
    if name == "TAG":
        return ";".join(f"{number:02d}={_text(each)}" for number, each in enumerate(values, 1)).encode()
    fields = "".join(f"<{field}>{_text(each)}</{field}>" for (field, _), each in zip(_FIELDS, values, strict=True))
    return f"<Message>{fields}</Message>".encode()


def _text(value: Any) -> str:
    return f"{value:.6E}" if isinstance(value, float) else str(value)


def _conversion(source: str, target: str) -> str:
    fields = "InputRoot.XMLNSC.Message" if source == "XML" else "InputRoot.MRM"
    lines = ["SET OutputRoot.Properties = InputRoot.Properties;", "SET OutputRoot.MQMD = InputRoot.MQMD;"]
    if target == "XML":
        lines += [
            "SET OutputRoot.Properties.MessageSet = '';",
            "SET OutputRoot.Properties.MessageType = '';",
            "SET OutputRoot.Properties.MessageFormat = '';",
            f"SET OutputRoot.XMLNSC.Message = {fields};",
            "SET OutputRoot.XMLNSC.Message.Int01 = 7;",
        ]
    else:
        lines += [
            "SET OutputRoot.Properties.MessageSet = 'Perf';",
            "SET OutputRoot.Properties.MessageType = 'Message';",
            f"SET OutputRoot.Properties.MessageFormat = '{_FORMAT_NAMES[target]}';",
            f"SET OutputRoot.MRM = {fields};",
            "SET OutputRoot.MRM.Int01 = 7;",
        ]
    return "\n".join(lines) + "\n"


# -- applications -----------------------------------------------------------------------------------------------------


def application(p: Parameters) -> dict[str, str]:
    """Return the files of the application for the parameters of a step."""
    kind = str(p["flow"])
    copies = int(p.get("flows", 1))
    files = {f"F{number}.msgflow.yaml": _yaml(f"F{number}", kind, p) for number in range(1, copies + 1)}
    files["Perf.esql"] = _modules(kind, p)
    if kind == "convert":
        files["Perf.mset.yaml"] = message_set(int(p["size"]))
    return files


def _modules(kind: str, p: Parameters) -> str:
    if kind == "filter":
        return _module("FILTER", "RETURN Root.MQRFH2.usr.Colour = 'red';")
    name = "complex" if kind == "chain" else kind
    body = _conversion(p["format_in"], p["format_out"]) if kind == "convert" else _ESQL.get(name, "")
    return _module("COMPUTE", body + "RETURN TRUE;")


def _module(kind: str, body: str) -> str:
    return f"CREATE {kind} MODULE Work CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{body}\nEND; END MODULE;\n"


def _yaml(name: str, kind: str, p: Parameters) -> str:
    nodes: dict[str, str] = {"In": _input(kind, p)}
    wires: list[tuple[str, str]]
    compute = 'computeExpression: "esql://routine/#Work.Main"'
    if kind in ("plain", "publication"):
        wires = []
        last = "In.out"
    elif kind == "filter":
        nodes["Filter"] = '{type: Filter, properties: {filterExpression: "esql://routine/#Work.Main"}}'
        wires, last = [("In.out", "Filter.in")], "Filter.true"
    elif kind.startswith("route-"):
        count = int(kind.removeprefix("route-"))
        nodes["C"] = f"{{type: Compute, properties: {{{compute}, computeMode: destination}}}}"
        nodes["Jump"] = "{type: RouteToLabel}"
        wires = [("In.out", "C.in"), ("C.out", "Jump.in")]
        for number in range(1, count + 1):
            nodes[f"Label {number}"] = f"{{type: Label, properties: {{labelName: L{number}}}}}"
            wires.append((f"Label {number}.out", "Out.in"))
        last = ""
    else:
        count = 5 if kind == "chain" else 1
        more = f", dataSource: {_SOURCE}" if kind.startswith("database-") else ""
        wires, last = [], "In.out"
        for number in range(1, count + 1):
            nodes[f"C{number}"] = f"{{type: Compute, properties: {{{compute}{more}}}}}"
            wires.append((last, f"C{number}.in"))
            last = f"C{number}.out"
    nodes["Out"] = "{type: Publication}" if kind == "publication" else _output()
    if last:
        wires.append((last, "Out.in"))
    text = "".join(f"  {node}: {definition}\n" for node, definition in nodes.items())
    lines = "".join(f"  - {{from: {source}, to: {target}}}\n" for source, target in wires)
    return f"flow: {name}.msgflow\nnodes:\n{text}wires:\n{lines}"


def _output() -> str:
    return f"{{type: MQOutput, properties: {{queueName: {_OUT}}}}}"


def _input(kind: str, p: Parameters) -> str:
    properties = {"queueName": _IN, "transactionMode": _MODES[str(p.get("transaction", "automatic"))]}
    source = str(p.get("format_in", ""))
    if kind == "convert":
        properties["messageDomainProperty"] = "XMLNSC" if source == "XML" else "MRM"
        if source != "XML":
            properties |= {
                "messageSetProperty": "Perf",
                "messageTypeProperty": "Message",
                "messageFormatProperty": _FORMAT_NAMES[source],
            }
    else:
        properties["messageDomainProperty"] = "XML"
    if kind == "publication":
        properties["topicProperty"] = TOPIC
    instances = int(p.get("instances", 1))
    if instances > 1:
        properties["additionalInstances"] = str(instances - 1)
    if p.get("transaction") == "coordinated":
        properties["coordinatedTransaction"] = "yes"
    return "{type: MQInput, properties: {" + ", ".join(f"{n}: {v!r}" for n, v in properties.items()) + "}}"


class Flows:
    """The execution groups of one step."""

    def __init__(self, stage: Stage, parameters: Parameters, database: str = "") -> None:
        self.stage = stage
        self.parameters = dict(parameters)
        self.place = Path(tempfile.mkdtemp(prefix="flint-flows-", dir=stage.data))
        self.database = database
        self._groups: list[Any] = []
        self._said = io.StringIO()
        self._environment: dict[str, str | None] = {}
        if str(parameters["flow"]).startswith("database-") and not database.startswith("postgresql"):
            # Only PostgreSQL takes part in a coordinated transaction.
            if self.parameters.get("transaction") == "coordinated":
                self.parameters["transaction"] = "yes"

    def setup(self) -> Setup:
        """Return queues and drivers of the step."""
        p = self.parameters
        kind, size = str(p["flow"]), int(p["size"])
        body = record(str(p["format_in"]), size) if kind == "convert" else order(size)
        folder = "<usr><Colour>red</Colour></usr>" if kind == "filter" else ""
        setup = shapes.flow(p, body, folder)
        if kind == "publication":
            self._subscribers(setup, int(p.get("subscribers", 1)))
        return setup

    def _subscribers(self, setup: Setup, count: int) -> None:
        """Subscribe the drivers to one copy of each publication, and a reader to the others."""
        others = [f"{PREFIX}FLOW.SUB.{number}" for number in range(count - 1)]
        for name in others:
            setup.queues[name] = ""
        for name in [_OUT, *others]:
            setup.commands.append(f"DEFINE SUB('{name}') TOPICSTR('{TOPIC}') DEST({name})")
            setup.undo.append(f"DELETE SUB('{name}')")
        if others:
            reader = Actors(GETTER, min(len(others), 50), get_from=others, size=int(self.parameters["size"]))
            setup.actors.insert(0, (reader, LOCAL))
        setup.messages = 1 + count

    def start(self) -> list[int]:
        """Write the application, start its groups and return the ids of their worker processes."""
        try:
            from flintmq.broker.runtime.foreground import Foreground
            from flintmq.broker.runtime.log import BrokerLog
        except ImportError as error:
            raise StageError(f"message flows need the broker extra ({error.name})") from None
        for name, text in application(self.parameters).items():
            (self.place / name).write_text(text)
        sources = self._data_sources()
        self._enter()
        p = self.parameters
        for number in range(int(p.get("groups", 1))):
            group = Foreground(
                self.place,
                NAME,
                {"channel": CHANNEL, "conn": self.stage.address} if p["mode"] == "tcp" else {},
                name="PERF",
                group=f"group{number + 1}",
                data_sources=sources,
                http_port=-1,
                workers=max(1, min(os.cpu_count() or 1, int(p.get("instances", 1)) * int(p.get("flows", 1)))),
                log=BrokerLog("PERF", stream=self._said),
            )
            self._groups.append(group)
            if not group.start() or group.group is None:
                raise StageError(f"the flow cannot be started: {self._said.getvalue().strip()[-600:]}")
        return [worker.pid for group in self._groups for worker in group.group.workers]

    def _data_sources(self) -> dict[str, dict[str, Any]]:
        """Make the table of the database flows."""
        if not str(self.parameters["flow"]).startswith("database-"):
            return {}
        import sqlalchemy

        url = self.database or f"sqlite:///{self.place / 'perf.db'}"
        engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1))
        commands = (
            "DROP TABLE IF EXISTS PERF_ROWS",
            "CREATE TABLE PERF_ROWS (ID VARCHAR(64) PRIMARY KEY, TEXT VARCHAR(99))",
            "INSERT INTO PERF_ROWS VALUES ('1', 'first')",
        )
        try:
            with engine.begin() as connection:
                for command in commands:
                    connection.execute(sqlalchemy.text(command))
        except sqlalchemy.exc.SQLAlchemyError as error:
            # The text of the driver, without the URL, which may have a password.
            said = str(getattr(error, "orig", None) or type(error).__name__)
            raise StageError(f"the database of the flows cannot be used: {said}") from None
        finally:
            engine.dispose()
        return {_SOURCE: {"url": url}}

    def _enter(self) -> None:
        """Set the environment of this process, which workers inherit to find the queue manager."""
        wanted = environment(self.stage.data)
        for name in ("PYTHONPATH", "FLINTMQ_DATA"):
            self._environment[name] = os.environ.get(name)
            os.environ[name] = wanted[name]

    def stop(self) -> None:
        """End the groups and remove the application."""
        for group in self._groups:
            group.stop()
        self._groups = []
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._environment = {}
        shutil.rmtree(self.place, ignore_errors=True)
