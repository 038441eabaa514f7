"""The checks of corpus.py: what our readers make of flows, ESQL, BAR files, assemblies and message models.

Each check takes a Source with its bytes and returns the problems that it found, and the node types that the broker
does not have. It catches the errors that a reader declares; anything else that a reader raises is caught and reported
by corpus.judge() as our fault.

Documents are compared by `events()`, which reads them with expat and shares no code with the readers under test:
the same elements in the same order with the same attributes and text. White space between elements does not count;
the text of an element without children counts as it is.
"""

from __future__ import annotations

import io
import re
import xml.parsers.expat
import zipfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import decode_source, parse
from flintmq.broker.esql.printer import print_file
from flintmq.broker.esql.program import EsqlProblem, Program
from flintmq.broker.flow import nodes, xmi, yaml_form
from flintmq.broker.flow.bar import read_bar
from flintmq.broker.flow.deployment import read_overrides
from flintmq.broker.flow.model import NODE_SUFFIX, FlowDefinition, FlowFileError
from flintmq.broker.flow.node_types import can_run
from flintmq.broker.flow.project import project_of_bar
from flintmq.broker.formats.dfdl import SchemaSet
from flintmq.broker.formats.message_set import DEFINITION as MESSAGE_SET_ERROR
from flintmq.broker.formats.model_yaml import from_yaml, to_yaml
from flintmq.broker.formats.mrm import bind
from flintmq.broker.formats.mset import read_message_set
from flintmq.broker.tree.mxml import differences, read_mxml, recorded_of, write_mxml
from tools.corpus import Check, Problem, Source, first_line

assert nodes  # Importing it registers the node types that the broker has.

#: An event of a document: what it is, the name or text, the attributes in the order of their names, the line.
Event = tuple[str, str, tuple[tuple[str, str], ...], int]


def events(data: bytes, comments: bool, prefixes: bool) -> list[Event]:
    """Return a document as a list of events.

    With `prefixes`, names keep their prefixes and namespace declarations are attributes, as flows need it: they name
    prefixes in values. Without, names are expanded and declarations may stand anywhere.
    """
    found: list[Event] = []
    text: list[str] = []
    parser = xml.parsers.expat.ParserCreate(namespace_separator=None if prefixes else " ")
    parser.buffer_text = True

    def flush(leaf: bool = False) -> None:
        joined = "".join(text)
        text.clear()
        if joined.strip() or (leaf and joined and "\n" not in joined):
            found.append(("text", joined, (), parser.CurrentLineNumber))

    def start(name: str, attributes: dict[str, str]) -> None:
        flush()
        found.append(("start", name, tuple(sorted(attributes.items())), parser.CurrentLineNumber))

    def end(name: str) -> None:
        flush(leaf=found[-1][:2] == ("start", name))
        found.append(("end", name, (), parser.CurrentLineNumber))

    def comment(body: str) -> None:
        flush()
        if comments:
            found.append(("comment", body, (), parser.CurrentLineNumber))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.CommentHandler = comment
    parser.Parse(data, True)
    return found


def difference(old: bytes, new: bytes, comments: bool = False, prefixes: bool = True) -> Problem | None:
    """Return the first difference between two documents with the line of the old one, or None if they are equal."""
    before, after = events(old, comments, prefixes), events(new, comments, prefixes)
    for one, other in zip(before, after, strict=False):
        if one[:3] == other[:3]:
            continue
        if one[:2] == other[:2]:
            lost = sorted(set(one[2]) - set(other[2]))
            gained = sorted(set(other[2]) - set(one[2]))
            return Problem(f"<{one[1]}>: lost {lost}, gained {gained}", one[3])
        return Problem(f"{one[0]} {first_line(one[1])} became {other[0]} {first_line(other[1])}", one[3])
    if len(before) != len(after):
        return Problem(f"{len(before)} parts became {len(after)}", before[-1][3])
    return None


def check_flow(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Read a flow and write it three times: over the document that was read, from the model alone, through YAML."""
    try:
        flow = xmi.read(data, source.name)
    except FlowFileError as error:
        return [Problem(error.reason, error.line)], []
    problems = []
    kept = difference(data, xmi.write(flow), comments=True)
    if kept is not None:
        problems.append(Problem(f"written over what was read: {kept.reason}", kept.line))
    rebuilt = difference(data, xmi.write(replace(flow, source=None)))
    if rebuilt is not None:
        problems.append(Problem(f"written from the model: {rebuilt.reason}", rebuilt.line))
    try:
        through = yaml_form.read(yaml_form.write(flow), source.name, flow.path)
    except FlowFileError as error:
        return [*problems, Problem(f"its YAML cannot be read: {error.reason}")], unknown_nodes(flow)
    converted = difference(data, xmi.write(through))
    if converted is not None:
        problems.append(Problem(f"through YAML and back: {converted.reason}", converted.line))
    return problems, unknown_nodes(flow)


def unknown_nodes(flow: FlowDefinition) -> list[str]:
    """Return the node types of a flow that the broker does not have."""
    types = {node.type for node in flow.nodes if not node.is_terminal and not node.is_subflow}
    return sorted(each.removesuffix(NODE_SUFFIX) for each in types if not can_run(each))


def check_esql(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Parse an ESQL file, compile it to Python, and parse what the printer makes of it: it must be the same tree.

    A file that does not compile alone is compiled with the ESQL of its project and of the projects it refers to:
    files of one broker schema share their declarations.
    """
    parsed = parse(decode_source(data), str(source.path))
    if parsed.errors:
        return [Problem(error.message, error.line) for error in parsed.errors], []
    problems = []
    printed = parse(print_file(parsed), "printed")
    if printed.errors:
        problems.append(Problem(f"the printed form does not parse: {printed.errors[0].message}"))
    elif printed.items != parsed.items:
        problems.append(Problem("the printed form is another program"))
    program = Program()
    program.add(parsed)
    program.compile()
    errors = program.errors
    if errors:
        project = project_of(source.path, source.root)
        if project is not None:
            errors = compiled_project(project, source.root).get(str(source.path), [])
    return problems + [Problem(f"BIP{error.number}: {error.text}", error.line) for error in errors], []


def project_of(path: Path, root: Path) -> Path | None:
    """Return the directory of the project that a file belongs to, or None if no project file is above it."""
    for directory in path.parents:
        if (directory / ".project").is_file():
            return directory
        if directory == root:
            break
    return None


@lru_cache(maxsize=64)
def projects_below(root: Path) -> dict[str, Path]:
    """Return the projects below a directory by their names; where two have one name, the last of them."""
    found = {}
    for file in sorted(root.rglob(".project")):
        name = re.search(r"<name>([^<]*)</name>", file.read_text("utf-8", "replace"))
        found[name.group(1) if name else file.parent.name] = file.parent
    return found


def with_references(project: Path, root: Path) -> list[Path]:
    """Return a project and all projects that it refers to, directly or through others."""
    found = [project]
    for each in found:
        file = each / ".project"
        if file.is_file():
            names = re.findall(r"<project>([^<]*)</project>", file.read_text("utf-8", "replace"))
            referred = (projects_below(root).get(name) for name in names)
            found += [other for other in dict.fromkeys(referred) if other is not None and other not in found]
    return found


@lru_cache(maxsize=256)
def compiled_project(project: Path, root: Path) -> dict[str, list[EsqlProblem]]:
    """Compile the ESQL of a project with that of the projects it refers to; return the errors by file."""
    program = Program()
    for directory in with_references(project, root):
        for file in sorted(directory.rglob("*")):
            if file.suffix.lower() == ".esql" and file.is_file():
                program.add(parse(decode_source(file.read_bytes()), str(file)))
    program.compile()
    errors: dict[str, list[EsqlProblem]] = {}
    for error in program.errors:
        errors.setdefault(error.file, []).append(error)
    return errors


def check_bar(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Open a BAR with every archive in it, and find what each property of its deployment descriptors addresses.

    Members are counted against zipfile's own list. The properties, printed as an override file and applied again, must
    find their place and leave the BAR as it was.
    """
    try:
        bar = read_bar(data, source.name)
    except FlowFileError as error:
        return [Problem(error.reason)], []
    project = project_of_bar(bar)
    problems = [Problem(f"{note.file}: {note.reason}", note.line) for note in project.all_notes()]
    problems += [Problem(f"{note.file}: {note.reason}", note.line) for note in project.check_overrides()]
    for container in bar.containers():
        with zipfile.ZipFile(io.BytesIO(container.archive.data)) as opened:
            members = {name.replace("\\", "/") for name in opened.namelist() if not name.endswith(("/", "\\"))}
        for name in sorted(members ^ set(container.archive.members)):
            problems.append(Problem(f"{container.archive.name}: member {name} is read by only one of zipfile and us"))
    notes = bar.override(read_overrides(bar.render().encode(), source.name))
    problems += [Problem(f"its own properties as overrides: {note.reason}", note.line) for note in notes]
    if bar.write() != data:
        problems.append(Problem("its own properties as overrides change the BAR"))
    unknown = [
        node for application in project.applications for flow in application.all_flows() for node in unknown_nodes(flow)
    ]
    return problems, sorted(set(unknown))


def check_assembly(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Read a recorded assembly and write it twice: with the notes of the reader, and from its trees alone."""
    try:
        recorded = read_mxml(data)
        written = write_mxml(recorded)
        again = read_mxml(write_mxml(recorded_of(recorded.assembly())))
    except BrokerError as error:
        return [Problem(first_line(str(error)))], []
    problems = []
    changed = difference(data, written, prefixes=False)
    if changed is not None:
        problems.append(changed)
    problems += [Problem(f"from the trees alone: {line}") for line in differences(recorded, again)]
    return problems, []


def check_message_set(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Load a message set, make every message ready in every physical format, and write the set as YAML and back."""
    folder = source.path.parent
    files = {path.relative_to(folder).as_posix(): path.read_bytes for path in folder.rglob("*") if path.is_file()}
    try:
        message_set = read_message_set(files, "")
        for name in message_set.unique_messages():
            for physical_format in message_set.formats.values():
                bind(message_set, name, physical_format, MESSAGE_SET_ERROR)
        text = to_yaml(message_set)
        again = to_yaml(from_yaml(text))
    except BrokerError as error:
        return [Problem(first_line(str(error)), error.line or 0)], []
    problems = [Problem(note) for note in message_set.notes]
    if again != text:
        problems.append(Problem("through YAML and back it is another message set"))
    return problems, []


def check_dfdl(source: Source, data: bytes) -> tuple[list[Problem], list[str]]:
    """Load a DFDL schema with the schemas of its project and of the projects it refers to; use every global element."""
    model = schemas_of(project_of(source.path, source.root) or source.path.parent, source.root)
    key = source.path.relative_to(source.root).as_posix()
    elements = model.roots().get(key, [])
    if key in model.problems:
        return [Problem(model.problems[key])], []
    problems = []
    for namespace, name in elements:
        try:
            if model.find(f"{{{namespace}}}:{name}") is None:
                problems.append(Problem(f"the element {name} is not found"))
        except BrokerError as error:
            problems.append(Problem(first_line(str(error))))
    return problems, []


@lru_cache(maxsize=4)
def schemas_of(project: Path, root: Path) -> SchemaSet:
    """Return the schemas of a project and of the projects it refers to. The cache is small: models are large."""
    schemas = {}
    for directory in with_references(project, root):
        for path in directory.rglob("*.xsd"):
            if path.is_file():
                schemas[path.relative_to(root).as_posix()] = path.read_bytes
    return SchemaSet(schemas)


CHECKS_BY_KIND: dict[str, Check] = {
    "flow": check_flow,
    "esql": check_esql,
    "bar": check_bar,
    "mxml": check_assembly,
    "mset": check_message_set,
    "dfdl": check_dfdl,
}
