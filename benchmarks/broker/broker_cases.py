"""The flows of `bench broker`: deployment, message, and the hand-written Python of the floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.broker import flow_cases, messages

#: Topic of the publications; each publishing flow has its own below it.
TOPIC = "bench/"
ROW = """
INSERT INTO Database.bench (id, name) VALUES (CAST(Root.MQMD.CorrelId AS CHARACTER), 'case');
DELETE FROM Database.bench AS b WHERE b.id = CAST(Root.MQMD.CorrelId AS CHARACTER);
RETURN TRUE;
"""
MODULES = "".join(
    (
        messages.ESQL,
        messages.module(
            "Publish", f"SET OutputRoot = InputRoot; SET OutputRoot.Properties.Topic = '{TOPIC}NAME'; RETURN TRUE;"
        ),
        messages.module("Row", ROW, "DATABASE"),
    )
)


@dataclass(frozen=True)
class Case:
    """One flow and its measurement."""

    #: The figure, which is also the name of the flow; its queues are NAME.IN and NAME.OUT.
    name: str
    #: Nodes and wires between the queues IN and OUT.
    flow: str
    size: int
    change: Callable[[bytes], bytes]
    #: Headers in front of the body.
    folder: str = ""
    persistent: bool = False
    #: transactionMode of the input node.
    mode: str = "yes"
    subscribers: int = 0
    #: none, plain, coordinated
    database: str = ""
    #: Whether Camel has a route for it: those in two phases or in five nodes have none.
    camel: bool = True
    #: Share of the messages of other cases: those that take long are fewer.
    share: float = 1.0

    @property
    def source(self) -> str:
        """Return the name of the input queue."""
        return f"{self.name.upper()}.IN"

    @property
    def target(self) -> str:
        """Return the name of the output queue."""
        return f"{self.name.upper()}.OUT"

    @property
    def data(self) -> bytes:
        """Return the message."""
        body = messages.order(self.size)
        return messages.with_rfh2(body, self.folder) if self.folder else body

    @property
    def format(self) -> str:
        """Return the format of the message."""
        return "MQHRF2" if self.folder else "MQSTR"


def _as_is(data: bytes) -> bytes:
    return data


def _pass(mode: str = "message") -> str:
    return f"nodes:\n{messages._INPUT}{messages._OUTPUT}wires:\n  - {{from: In.out, to: Out.in}}\n"


def _publishing() -> str:
    return messages.computing("Publish").replace("type: MQOutput, properties: {queueName: OUT}", "type: Publication")


def _database() -> str:
    node = '  Row: {type: Database, properties: {statement: "esql://routine/#Row.Main", dataSource: BENCH}}\n'
    wires = "  - {from: In.out, to: Row.in}\n  - {from: Row.out, to: Out.in}\n"
    return f"nodes:\n{messages._INPUT}{node}{messages._OUTPUT}wires:\n{wires}"


def _routed(count: int) -> Callable[[bytes], bytes]:
    targets: dict[str, Callable[[bytes], bytes]] = {f"L{number}": bytes for number in range(1, 101)}
    return lambda body: flow_cases.route_floor(body, count, targets)


def cases(databases: bool, publications: tuple[int, ...]) -> list[Case]:
    """Return all cases that one worker runs; each with a persistent twin, NAME_p."""
    complex_1, complex_5 = flow_cases.complex_floor, lambda body: flow_cases.complex_floor(body, 5)
    plain = [
        Case("pass_1k", _pass(), 1024, _as_is),
        Case("pass_64k", _pass(), 65536, _as_is, share=0.5),
        Case("compute_simple_1k", messages.computing("Simple"), 1024, flow_cases.simple_floor),
        Case("compute_complex_4k", messages.computing("Complex"), 4096, complex_1, share=0.5),
        Case(
            "compute_very_complex_4k",
            messages.computing("VeryComplex"),
            4096,
            complex_5,
            share=0.3,
        ),
        Case(
            "filter_1k",
            messages.filtering(),
            1024,
            flow_cases.filter_floor,
            "<usr><Colour>red</Colour></usr>",
        ),
        Case("route_1", messages.routing("Route1", 1), 1024, _routed(1)),
        Case("route_100", messages.routing("Route100", 100), 1024, _routed(100)),
    ]
    if databases:
        plain += [
            Case("db_plain", _database(), 1024, _as_is, database="plain", share=0.3),
            Case("db_coordinated", _database(), 1024, _as_is, database="coordinated", camel=False, share=0.3),
        ]
    found = [each for case in plain for each in (case, _twin(case))]
    found += [
        Case("pass_1k_automatic", _pass(), 1024, _as_is, mode="automatic", camel=False),
        Case("pass_1k_p_automatic", _pass(), 1024, _as_is, mode="automatic", persistent=True, camel=False),
        Case("compute_five_4k", messages.computing("Complex", 5), 4096, complex_5, camel=False, share=0.3),
    ]
    for count in publications:
        share = min(1.0, 10 / count)
        case = Case(f"publish_{count}", _publishing(), 1024, _as_is, subscribers=count, share=share)
        found += [case, replace(_twin(case), camel=False)]
    return found


def more_sizes() -> list[Case]:
    """Return the cases of a full run with 4, 16 and 64 KiB where `cases` has one size; each with its twin.

    Camel has no routes for them.
    """
    red = "<usr><Colour>red</Colour></usr>"
    sizes = {"4k": 4096, "16k": 16384, "64k": 65536}
    found = []
    for name, size in sizes.items():
        share = 4096 / size
        if name != "64k":
            found.append(Case(f"pass_{name}", _pass(), size, _as_is))
        found.append(Case(f"compute_simple_{name}", messages.computing("Simple"), size, flow_cases.simple_floor))
        if name != "4k":
            complex_1, complex_5 = flow_cases.complex_floor, lambda body: flow_cases.complex_floor(body, 5)
            found += [
                Case(f"compute_complex_{name}", messages.computing("Complex"), size, complex_1, share=share / 2),
                Case(
                    f"compute_very_complex_{name}", messages.computing("VeryComplex"), size, complex_5, share=share / 3
                ),
            ]
        found += [
            Case(f"filter_{name}", messages.filtering(), size, flow_cases.filter_floor, red, share=max(share, 0.25)),
            Case(f"route_1_{name}", messages.routing("Route1", 1), size, _routed(1), share=max(share, 0.25)),
            Case(f"route_100_{name}", messages.routing("Route100", 100), size, _routed(100), share=max(share, 0.25)),
        ]
    return [replace(each, camel=False) for case in found for each in (case, _twin(case))]


def _twin(case: Case) -> Case:
    return replace(case, name=f"{case.name}_p", persistent=True, share=case.share / 2)


def write_application(directory: Path, wanted: list[Case]) -> None:
    """Write the flows and their ESQL."""
    directory.mkdir(parents=True, exist_ok=True)
    modules = MODULES.replace(
        messages.module(
            "Publish", f"SET OutputRoot = InputRoot; SET OutputRoot.Properties.Topic = '{TOPIC}NAME'; RETURN TRUE;"
        ),
        "",
    )
    for case in wanted:
        text = case.flow.replace("queueName: IN,", f"queueName: {case.source}, transactionMode: {case.mode},")
        text = text.replace("queueName: OUT", f"queueName: {case.target}")
        if case.subscribers:
            text = text.replace("#Publish.", f"#Publish_{case.name}.")
            modules += messages.module(
                f"Publish_{case.name}",
                f"SET OutputRoot = InputRoot; SET OutputRoot.Properties.Topic = '{TOPIC}{case.name}'; RETURN TRUE;",
            )
        (directory / f"{case.name}.msgflow.yaml").write_text(f"flow: {case.name}.msgflow\n{text}")
    (directory / "bench.esql").write_text(modules)
