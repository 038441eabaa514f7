"""Messages and flows that the benchmarks of the broker use: the shape of the WMQI report's complex Compute."""

from __future__ import annotations

from flintmq.mqi.md import MQMD
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.perf.wmqi import ELEMENTS as ELEMENTS
from flintmq.perf.wmqi import LOOP, START
from flintmq.perf.wmqi import order as order


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
