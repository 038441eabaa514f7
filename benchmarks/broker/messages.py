"""Messages and flows that the benchmarks of the broker use: the shape of the WMQI report's complex Compute."""

from __future__ import annotations

from flintmq.mqi.md import MQMD
from flintmq.mqi.rfh2 import MQRFH2

#: The elements of the report's message; a message of any size has as many, with more data each.
ELEMENTS = 20


def order(size: int) -> bytes:
    """Return a message of about `size` bytes: one attribute and three leaves in each of the twenty elements."""
    frame = len(_message(0))
    return _message(max(0, (size - frame) // ELEMENTS))


def _message(padding: int) -> bytes:
    elements = "".join(
        f'<Element Seq="{number}"><COMPONENT>Component{number:04d}</COMPONENT><QUEUE>QUEUE.NUMBER.{number:04d}</QUEUE>'
        f"<DATA>{'d' * padding}</DATA></Element>"
        for number in range(1, ELEMENTS + 1)
    )
    path = f"<ProcessingPath>{elements}</ProcessingPath>"
    return f"<CSIM><TestCase><Name>case</Name><Stack>{path}</Stack></TestCase></CSIM>".encode()


def descriptor(format: str = "MQSTR") -> MQMD:
    """Return the descriptor of a message that a program has put."""
    md = MQMD()
    md.format = format
    md.coded_char_set_id = 1208
    md.encoding = 546
    md.persistence = 0
    md.priority = 0
    md.msg_id = b"AMQ FLINT".ljust(24, b"\1")
    return md


def with_rfh2(body: bytes, folder: str) -> bytes:
    """Return a body behind an MQRFH2 with one folder."""
    header = MQRFH2()
    header.format = "MQSTR"
    header.coded_char_set_id = 1208
    header.encoding = 546
    header.folders = [folder]
    return header.pack() + body


def module(name: str, body: str, kind: str = "COMPUTE") -> str:
    """Return a module with a Main."""
    return f"CREATE {kind} MODULE {name} CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{body}\nEND; END MODULE;\n"


#: What the report's complex Compute does, in our words (MF 2.14).
LOOP = """
SET I = 1;
WHILE I <= C DO
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[I].Name =
      OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[I].COMPONENT;
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[I].Transport.(XML.attr)Type = 'A';
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[I].Transport.Queue =
      OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[I].QUEUE;
  SET I = I + 1;
END WHILE;
"""
START = """
SET OutputRoot = InputRoot;
DECLARE I INTEGER;
DECLARE C INTEGER;
SET C = CARDINALITY(OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[]);
"""
ESQL = "".join(
    (
        module("Simple", "SET OutputRoot = InputRoot; SET OutputRoot.XML.CSIM.TestCase.Name = 'changed'; RETURN TRUE;"),
        module("Complex", START + LOOP + "RETURN TRUE;"),
        module("VeryComplex", START + LOOP * 5 + "RETURN TRUE;"),
        module("Colour", "RETURN Root.MQRFH2.usr.Colour = 'red';", "FILTER"),
        module(
            "Route1",
            "SET OutputLocalEnvironment.Destination.RouterList.DestinationData[1].labelName = 'L1'; RETURN TRUE;",
        ),
        module(
            "Route100",
            """DECLARE I INTEGER 1;
               CREATE FIELD OutputLocalEnvironment.Destination.RouterList;
               DECLARE list REFERENCE TO OutputLocalEnvironment.Destination.RouterList;
               WHILE I <= 100 DO
                 CREATE LASTCHILD OF list NAME 'DestinationData';
                 SET list.DestinationData[<].labelName = 'L' || CAST(I AS CHARACTER);
                 SET I = I + 1;
               END WHILE;
               RETURN TRUE;""",
        ),
    )
)

_INPUT = "  In: {type: MQInput, properties: {queueName: IN, messageDomainProperty: XML}}\n"
_OUTPUT = "  Out: {type: MQOutput, properties: {queueName: OUT}}\n"


def computing(name: str, count: int = 1, mode: str = "message") -> str:
    """Return a flow with Compute nodes in a row between two queues."""
    nodes = [f"C{number}" for number in range(count)]
    lines = "".join(
        f'  {node}: {{type: Compute, properties: {{computeExpression: "esql://routine/#{name}.Main", '
        f"computeMode: {mode}}}}}\n"
        for node in nodes
    )
    way = ["In", *nodes, "Out"]
    wires = "".join(
        f"  - {{from: {source}.out, to: {target}.in}}\n" for source, target in zip(way, way[1:], strict=False)
    )
    return f"nodes:\n{_INPUT}{lines}{_OUTPUT}wires:\n{wires}"


def filtering() -> str:
    """Return a flow with a Filter node."""
    node = '  Filter: {type: Filter, properties: {filterExpression: "esql://routine/#Colour.Main"}}\n'
    wires = "  - {from: In.out, to: Filter.in}\n  - {from: Filter.true, to: Out.in}\n"
    return f"nodes:\n{_INPUT}{node}{_OUTPUT}wires:\n{wires}"


def routing(name: str, labels: int) -> str:
    """Return a flow that jumps to one of many labels."""
    compute = (
        f'  C: {{type: Compute, properties: {{computeExpression: "esql://routine/#{name}.Main", '
        f"computeMode: destination}}}}\n"
    )
    jump = "  Jump: {type: RouteToLabel}\n"
    targets = "".join(
        f"  Label {number}: {{type: Label, properties: {{labelName: L{number}}}}}\n" for number in range(1, labels + 1)
    )
    wires = "  - {from: In.out, to: C.in}\n  - {from: C.out, to: Jump.in}\n"
    wires += "".join(f"  - {{from: Label {number}.out, to: Out.in}}\n" for number in range(1, labels + 1))
    return f"nodes:\n{_INPUT}{compute}{jump}{targets}{_OUTPUT}wires:\n{wires}"
