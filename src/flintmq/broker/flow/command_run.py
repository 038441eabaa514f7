"""The command `flint flow run`: send files through a flow, print the work of each node and the messages that it sends.

    order.xml -> shop.Orders
             3 us  Orders.In
            41 us    Orders.Compute (in)
            12 us      Orders.Out (in)
      put      ORDERS.GOLD  123 bytes  Orders.Out

The microseconds of a line are those until the next event: of `in`, the work of the node before it sent the message.
Several inputs go through one flow, one after the other, so SHARED variables and collections keep their state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import profile as profiling
from flintmq.broker.esql.run import DataSource
from flintmq.broker.flow.engine import NodeEvent
from flintmq.broker.flow.function import Flow, FlowFailed, FlowResult, LoadedApplications
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.outputs import Output, outputs_of, write_outputs
from flintmq.broker.flow.project import load as load_project
from flintmq.broker.flow.services import HttpFake, HttpResponse
from flintmq.broker.flow.testing import CaseError, header_value, read_bounded
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.mxml import read_mxml

_WORDS = {
    "out": "put",
    "published": "publish",
    "reply": "reply",
    "requests": "request",
    "files": "file",
    "emails": "e-mail",
}


class RunError(FlowFileError):
    """The command line names something that is not there, or that cannot be used."""

    def __init__(self, text: str) -> None:
        super().__init__("", text)


@dataclass(slots=True)
class RunOptions:
    """Arguments of the command line."""

    path: Path
    flow: str = ""
    application: str = ""
    inputs: list[Path] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    input_node: str | None = None
    method: str = "POST"
    url_path: str = ""
    query: str = ""
    databases: list[str] = field(default_factory=list)
    http: list[str] = field(default_factory=list)
    overrides: list[str] = field(default_factory=list)
    trace: bool = False
    profile: bool = False
    json: bool = False
    out: Path | None = None


def run(options: RunOptions, to: TextIO, errors: TextIO) -> int:
    """Send the inputs through a flow. Return 1 if the flow failed on one of them, or cannot run."""
    overrides = dict(_pair(each, "--override", "Flow#Node.property=value") for each in options.overrides)
    project = load_project(options.path, references=True)
    loaded = LoadedApplications(project, overrides=overrides, profile=options.profile)
    try:
        flow = _flow(loaded, options)
    except ValueError as error:
        raise RunError(str(error)) from None
    for note in loaded.notes:
        errors.write(f"{note}\n")
    if flow.problems:
        errors.write("".join(f"{problem}\n" for problem in flow.problems) + f"the flow {flow.name} cannot run\n")
        return 1
    profiles = _profiles(flow) if options.profile else []
    headers = headers_of(options.headers)
    databases = _databases(options.databases)
    http = _http(options.http)
    failed = 0
    told: list[dict[str, object]] = []
    for path in options.inputs:
        call = _call(flow, path, options, headers, databases, http)
        result, failure = (call.result, call) if isinstance(call, FlowFailed) else (call, None)
        failed += failure is not None
        outputs = outputs_of(result)
        if options.out is not None:
            place = options.out / path.stem if len(options.inputs) > 1 else options.out
            write_outputs(place, outputs, failure)
        if options.json:
            told.append(_as_json(path, result, outputs, failure, options.trace))
        else:
            _print(path, flow, result, outputs, failure, options.trace, to)
    if options.json:
        document: dict[str, object] = {"flow": flow.name, "inputs": told}
        if profiles:
            document["profile"] = profiling.as_json(_files(profiles), _routines(profiles))
        to.write(json.dumps(document, indent=2) + "\n")
    elif profiles:
        lines = profiling.listing(_files(profiles)) + profiling.totals(_files(profiles), _routines(profiles))
        to.write("\n".join(lines) + "\n")
    return 1 if failed else 0


def _flow(loaded: LoadedApplications, options: RunOptions) -> Flow:
    """Return the flow that is meant: by name, the one of the flow file, or the only one."""
    if not options.flow and options.path.is_file() and options.path.suffix.lower() != ".bar":
        place = options.path.resolve()
        for owner in loaded.project.applications:
            for definition in owner.all_flows():
                if Path(definition.file) == place:
                    return loaded.flow_of(owner, definition)
    return loaded.flow(options.flow, options.application)


def _call(
    flow: Flow,
    path: Path,
    options: RunOptions,
    headers: Mapping[str, Mapping[str, object]],
    databases: Mapping[str, DataSource],
    http: Mapping[str, HttpFake],
) -> FlowResult | FlowFailed:
    body: bytes | Element
    local: Element | None = None
    environment: Element | None = None
    try:
        body = read_bounded(path)
        if path.suffix == ".mxml":
            assembly = read_mxml(body).assembly()
            body, local, environment = assembly.message, assembly.local_environment, assembly.environment
        return flow(
            body,
            headers=headers,
            input=options.input_node,
            method=options.method,
            path=options.url_path,
            query=options.query,
            local_environment=local,
            environment=environment,
            databases=databases,
            http=http,
            trace=options.trace,
        )
    except FlowFailed as failure:
        return failure
    except CaseError as error:
        raise RunError(str(error)) from None
    except (ValueError, BrokerError) as error:
        raise RunError(f"{path}: {error}") from None


# The command line.


def _pair(text: str, option: str, form: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise RunError(f"{option} {text!r}: write it as {form}")
    return name, value


def headers_of(given: Sequence[str]) -> dict[str, dict[str, object]]:
    """Return header folders of `MQMD.CorrelId=42`, `MQRFH2.usr.colour=red`. Raise RunError."""
    found: dict[str, dict[str, object]] = {}
    for text in given:
        name, value = _pair(text, "--header", "MQMD.CorrelId=42")
        folder, *steps = name.split(".")
        if not steps or not all(steps):
            raise RunError(f"--header {text!r}: write it as MQMD.CorrelId=42")
        place: dict[str, Any] = found.setdefault(folder, {})
        for step in steps[:-1]:
            inner = place.setdefault(step, {})
            if not isinstance(inner, dict):
                raise RunError(f"--header {text!r}: {step} has a value already")
            place = inner
        try:
            place[steps[-1]] = header_value(folder, steps[-1], value)
        except CaseError as error:
            raise RunError(f"--header {text!r}: {error}") from None
    return found


def _databases(given: Sequence[str]) -> dict[str, DataSource]:
    if not given:
        return {}
    from sqlalchemy.exc import SQLAlchemyError

    from flintmq.broker.databases import Database

    found: dict[str, DataSource] = {}
    for text in given:
        name, url = _pair(text, "--database", "SHOP=sqlite:///shop.db")
        try:
            found[name] = Database(url)
        except (SQLAlchemyError, ImportError) as error:
            raise RunError(f"--database {name}: {error}") from None
    return found


def _http(given: Sequence[str]) -> dict[str, HttpFake]:
    found: dict[str, HttpFake] = {}
    for text in given:
        name, file = _pair(text, "--http", "'Ask price=price.json'")
        try:
            found[name] = HttpResponse(body=read_bounded(Path(file)))
        except CaseError as error:
            raise RunError(str(error)) from None
    return found


# Output.


def _print(
    path: Path,
    flow: Flow,
    result: FlowResult,
    outputs: list[Output],
    failure: BrokerError | None,
    trace: bool,
    to: TextIO,
) -> None:
    to.write(f"{path} -> {flow.name}\n")
    if trace:
        to.write("".join(f"  {line}\n" for line in trace_lines(result.events)))
    for node, text in result.traces:
        to.write(f"  trace    {node}: {_one_line(text)}\n")
    for output in outputs:
        word = _WORDS[output.folder]
        name = output.name if output.folder != "requests" else output.data.split(b"\n", 1)[0].decode("utf-8", "replace")
        where = f"  {output.node}" if output.node else ""
        to.write(f"  {word:<8} {name}  {len(output.data)} bytes{where}\n")
    if failure is not None:
        to.write("".join(f"  {line}\n" for line in failure_lines(failure)))
    elif not outputs:
        to.write("  nothing left the flow\n")


def trace_lines(events: Sequence[NodeEvent]) -> list[str]:
    """Return the events of a message as a tree: microseconds until the next event, node, event."""
    lines: list[str] = []
    for number, event in enumerate(events):
        following = events[number + 1].seconds if number + 1 < len(events) else event.seconds
        spent = round((following - event.seconds) * 1_000_000)
        if event.event in ("start", "in"):
            what = event.node if event.event == "start" else f"{event.node} ({event.terminal})"
        elif event.event == "out":
            what = f"-> {event.terminal}"
        elif event.event == "unwired":
            what = f"-> {event.terminal}, which is not wired"
        elif event.event == "rethrow":
            what = f"exception passes {event.node}"
        else:
            what = f"{event.node} -> {event.event}"
        if event.detail:
            what += f": {_one_line(event.detail)}"
        inner = 0 if event.event in ("start", "in", "rethrow") else 1
        lines.append(f"{spent:>7} us  {'  ' * (max(event.depth, 0) + inner)}{what}")
    return lines


def failure_lines(failure: BrokerError) -> list[str]:
    """Return the entries of the ExceptionList, each below the one that it caused."""
    lines = ["failed"]
    for depth, entry in enumerate(failure.chain(), 1):
        place = f" ({entry.file}:{entry.line})" if entry.line and entry.file else ""
        node = f" [{entry.node_label}]" if entry.node_label else ""
        lines.append(f"{'  ' * depth}BIP{entry.number}{node}: {_one_line(entry.text)}{place}")
    return lines


def _one_line(text: str) -> str:
    shown = " ".join(text.split())
    shown = shown if shown.isprintable() else shown.encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= 300 else shown[:297] + "..."


def _as_json(
    path: Path, result: FlowResult, outputs: list[Output], failure: BrokerError | None, trace: bool
) -> dict[str, object]:
    found: dict[str, object] = {
        "input": str(path),
        "failed": failure is not None,
        "outputs": [
            {"kind": _WORDS[each.folder], "name": each.name, "node": each.node, "bytes": len(each.data)}
            for each in outputs
        ],
        "traces": [{"node": node, "text": text} for node, text in result.traces],
    }
    if failure is not None:
        found["exceptions"] = [
            {"number": each.number, "node": each.node_label, "text": each.text, "file": each.file, "line": each.line}
            for each in failure.chain()
        ]
    if trace:
        start = result.events[0].seconds if result.events else 0.0
        found["events"] = [
            {
                "node": event.node,
                "type": event.type,
                "event": event.event,
                "terminal": event.terminal,
                "depth": event.depth,
                "detail": event.detail,
                "microseconds": round((event.seconds - start) * 1_000_000, 1),
            }
            for event in result.events
        ]
    return found


# Profile.


def _profiles(flow: Flow) -> list[profiling.Profile]:
    """Start the profile of all ESQL that a flow may run."""
    programs = [flow.runtime.program, *flow.runtime.inline_programs.values()]
    return [profiling.Profile(program) for program in programs]


def _files(profiles: Sequence[profiling.Profile]) -> list[profiling.FileProfile]:
    """Return the files of which something ran; a file of another flow is of no interest."""
    return [file for profile in profiles for file in profile.files() if file.calls]


def _routines(profiles: Sequence[profiling.Profile]) -> list[profiling.RoutineProfile]:
    return [routine for profile in profiles for routine in profile.routines()]
