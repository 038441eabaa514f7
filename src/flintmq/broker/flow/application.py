"""One application, library or folder: its flows, texts, policies and other files.

`load_application` sorts the files of a project by kind:

    .msgflow, .subflow, .msgflow.yaml, .subflow.yaml, .cmf     flows
    .esql                                                      texts, by broker schema
    restapi.descriptor with its definition                     a REST API
    .policyxml                                                 policies
    everything else                                            resources, read when asked for

The broker schema of a flow or ESQL file is its folder within the project. In a folder that is no project, the schema
is that in the file itself (`BROKER SCHEMA`, nsURI), since the folder may be anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from flintmq.broker.flow import cmf, rest_api, xmi, yaml_form
from flintmq.broker.flow.deployment import Deployment
from flintmq.broker.flow.descriptors import (
    DESCRIPTORS,
    PROJECT_FILE,
    Kind,
    Policy,
    Service,
    read_policies,
    read_project_file,
    read_references,
    read_service,
)
from flintmq.broker.flow.files import Files
from flintmq.broker.flow.model import FLOW_SUFFIXES, FlowDefinition, FlowFileError, LoadNote, SourceText, note_of

TEXT_BYTES_MAX: Final = 64 << 20
YAML_SUFFIXES: Final = tuple(f"{suffix}.yaml" for suffix in FLOW_SUFFIXES)
_COMMENT: Final = re.compile(r"\s+|--[^\n]*|/\*.*?\*/", re.DOTALL)
_SCHEMA: Final = re.compile(r"BROKER\s+SCHEMA\s+([^\s;]+)", re.IGNORECASE)


@dataclass(slots=True)
class Resource:
    """A file that is read when asked for: map, stylesheet, schema, WSDL, message set, JAR, ..."""

    path: str
    files: Files = field(repr=False)

    @property
    def file(self) -> str:
        """Where the file is, for messages."""
        return self.files.place(self.path)

    def read(self) -> bytes:
        """Return the bytes. Raise FlowFileError."""
        return self.files.read(self.path)

    def text(self) -> str:
        """Return the text in the encoding that it shows. Raise FlowFileError."""
        return decode(self.read())


@dataclass(slots=True, eq=False)
class Application:
    """An application, a library, or a project of another kind."""

    name: str
    kind: Kind
    #: Message flows by `schema.Name`.
    flows: dict[str, FlowDefinition] = field(default_factory=dict)
    #: All flows by path, since a `.msgflow` can be used as a subflow, too.
    subflows: dict[str, FlowDefinition] = field(default_factory=dict)
    esql: list[SourceText] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)
    rest_api: rest_api.RestApi | None = None
    service: Service | None = None
    #: Every other file by path.
    resources: dict[str, Resource] = field(default_factory=dict)
    #: Names of the libraries and projects that it refers to.
    references: list[str] = field(default_factory=list)
    #: Static libraries that a BAR holds inside the application.
    libraries: list[Application] = field(default_factory=list)
    deployment: Deployment | None = None
    notes: list[LoadNote] = field(default_factory=list)
    #: Names of the containers in a BAR down to this one; folder below the root of a directory.
    path: tuple[str, ...] = ()
    folder: str = ""

    @property
    def has_content(self) -> bool:
        """Whether there is anything that a broker can use."""
        has_models = bool(self.message_sets() or self.by_suffix(".mset.yaml"))
        return bool(self.subflows or self.esql or self.policies or self.rest_api or has_models)

    def all_flows(self) -> Iterator[FlowDefinition]:
        """Yield message flows and subflows."""
        return iter(self.subflows.values())

    def by_suffix(self, *suffixes: str) -> list[Resource]:
        """Return the resources with one of the suffixes (`.map`, `.xsl`, `.xsd`, `.wsdl`)."""
        return [each for path, each in self.resources.items() if path.lower().endswith(suffixes)]

    @property
    def maps(self) -> list[Resource]:
        return self.by_suffix(".map", ".msgmap")

    @property
    def stylesheets(self) -> list[Resource]:
        return self.by_suffix(".xsl", ".xslt")

    @property
    def schemas(self) -> list[Resource]:
        """XML Schemas and DFDL schemas."""
        return self.by_suffix(".xsd")

    def message_sets(self) -> dict[str, list[Resource]]:
        """Return the files of each message set by its folder: `messageSet.mset` and all `.mxsd` below it."""
        folders = [path.rpartition("/")[0] for path in self.resources if path.lower().endswith(".mset")]
        found: dict[str, list[Resource]] = {}
        for folder in folders:
            prefix = f"{folder}/" if folder else ""
            found[folder] = [each for path, each in self.resources.items() if path.startswith(prefix)]
        return found


def load_application(
    files: Files,
    name: str,
    *,
    kind: Kind = Kind.PLAIN,
    folder: str = "",
    is_project: bool = True,
    is_archive: bool = False,
) -> Application:
    """Load a project. `is_project` tells whether folders are broker schemas."""
    application = Application(name, kind, folder=folder)
    names = files.names()
    _read_descriptors(application, files, set(names), is_archive)
    for path in names:
        try:
            _load_file(application, files, path, is_project)
        except FlowFileError as error:
            application.notes.append(note_of(error))
    if application.rest_api is not None:
        application.notes += application.rest_api.notes
    return application


def _load_file(application: Application, files: Files, path: str, is_project: bool) -> None:
    lower, place = path.lower(), files.place(path)
    if lower.endswith((*FLOW_SUFFIXES, ".cmf", *YAML_SUFFIXES)):
        data = files.read(path)
        if lower.endswith(".cmf"):
            flow = cmf.read(data, place, path.rpartition("/")[2][: -len(".cmf")])
        elif lower.endswith(".yaml"):
            flow = yaml_form.read(data, place, path[: -len(".yaml")])
        else:
            flow = xmi.read(data, place, path)
        if not is_project and not flow.configurable:
            flow.path = _path_outside_projects(flow)
        _add_flow(application, flow, place)
    elif lower.endswith(".esql"):
        application.esql.append(_source_text(files, path, is_project))
    elif lower.endswith(".policyxml"):
        application.policies += read_policies(files.read(path), place, application.name)
    else:
        application.resources[path] = Resource(path, files)


def _path_outside_projects(flow: FlowDefinition) -> str:
    """Return the path that nsURI gives a flow, if its folders agree: the broker schema begins somewhere below."""
    folder, _, name = flow.path.rpartition("/")
    schema = flow.ns_uri.rpartition("/")[0]
    if flow.ns_uri and (not schema or f"/{folder}".endswith(f"/{schema}")):
        return f"{schema}/{name}" if schema else name
    return flow.path


def _add_flow(application: Application, flow: FlowDefinition, place: str) -> None:
    there = application.subflows.get(flow.path)
    if there is not None:
        # Of a flow that is there as source and compiled, the source counts.
        if there.configurable and not flow.configurable:
            flow.configurable = there.configurable
        else:
            application.notes.append(LoadNote(place, f"{flow.path} is there already: {there.file}"))
            return
    application.subflows[flow.path] = flow
    if not flow.is_subflow:
        application.flows[flow.qualified_name] = flow


def _source_text(files: Files, path: str, is_project: bool) -> SourceText:
    place = files.place(path)
    data = files.read(path)
    if len(data) > TEXT_BYTES_MAX:
        raise FlowFileError(place, f"the file is larger than {TEXT_BYTES_MAX} bytes")
    text = decode(data)
    folder = path.rpartition("/")[0].replace("/", ".") if is_project else ""
    return SourceText(path, place, declared_schema(text) or folder, text)


def declared_schema(text: str) -> str:
    """Return the schema that ESQL text declares in its first statement; empty if it declares none."""
    place = 0
    while found := _COMMENT.match(text, place):
        place = found.end()
    schema = _SCHEMA.match(text, place)
    return schema[1] if schema else ""


def decode(data: bytes) -> str:
    """Return text in UTF-8 or UTF-16 with a mark, or in the code page of Windows that old files have."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _read_descriptors(application: Application, files: Files, names: set[str], is_archive: bool) -> None:
    """Find the kind of a project and its references. Its descriptors stand in its root."""
    kind: Kind | None = None
    for name in (PROJECT_FILE, *DESCRIPTORS):
        if name not in names:
            continue
        try:
            data, place = files.read(name), files.place(name)
            if name == PROJECT_FILE:
                project = read_project_file(data, place)
                kind = project.kind
                if project.name and not is_archive:
                    application.name = project.name
                _refer(application, project.references)
                continue
            found = DESCRIPTORS[name]
            if found is Kind.REST_API:
                _read_rest_api(application, files, names, data, place)
            elif found is Kind.SERVICE:
                application.service = read_service(data, place)
            else:
                references, is_shared = read_references(data, place)
                _refer(application, references)
                if found is Kind.STATIC_LIBRARY and is_shared:
                    found = Kind.SHARED_LIBRARY
            if kind in (None, Kind.APPLICATION, Kind.STATIC_LIBRARY) or found is Kind.SHARED_LIBRARY:
                kind = found if kind is None or found is not Kind.APPLICATION else kind
        except FlowFileError as error:
            application.notes.append(note_of(error))
    if kind is not None and application.kind in (Kind.PLAIN, Kind.APPLICATION):
        application.kind = kind


def _refer(application: Application, names: list[str]) -> None:
    application.references += [name for name in names if name and name not in application.references]


def _read_rest_api(application: Application, files: Files, names: set[str], data: bytes, place: str) -> None:
    api = application.rest_api = rest_api.read_descriptor(data, place, application.name)
    _refer(application, api.references)
    definition = api.definition_file.replace("\\", "/").lstrip("/")
    if definition not in names:
        raise FlowFileError(place, f"the definition {definition or 'of the REST API'} is not in the project")
    rest_api.add_definition(api, files.read(definition), files.place(definition))
