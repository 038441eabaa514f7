"""Applications, libraries and REST APIs: the content of a directory or a BAR, with its references.

    load(path)          a directory with one or many projects, a BAR, or one flow file
    Project             all that was found; `flow` finds a flow by name, `resolve` expands it
    Application         one application, library, REST API, policy project or plain folder
    Scope               resources that a flow of an application sees: an application with its static libraries is one,
                        each shared library is another

A directory is a project if it has `.project` or a descriptor (descriptors.py). Files belong to the nearest project
above them; files outside of projects form one of their own. The folder of a file within its project is its broker
schema.

Whatever cannot be read is a note with file and reason, and everything else is loaded. A subflow is looked for in the
scope of the flow that uses it; one that only an application outside the scope has is used as well, with a note.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from flintmq.broker.flow import resolve as resolving
from flintmq.broker.flow.application import Application, load_application
from flintmq.broker.flow.bar import Bar, BarContainer, read_bar
from flintmq.broker.flow.deployment import Override
from flintmq.broker.flow.descriptors import DESCRIPTORS, PROJECT_FILE, Kind, Policy
from flintmq.broker.flow.files import ArchiveFiles, DirectoryFiles, scan
from flintmq.broker.flow.model import FlowDefinition, FlowFileError, LoadNote, SourceText

#: Directories above a flow file that are searched for its project.
ANCESTORS_MAX = 12


class FlowNotFound(FlowFileError):
    """No flow has this name, or several have it. The text says which names there are."""


@dataclass(slots=True)
class Scope:
    """The resources that a flow of an application sees."""

    #: The application itself and its static libraries: one name space.
    own: list[Application]
    #: Shared libraries that it refers to, in the order of the references: each a name space of its own.
    shared: list[Application]

    def applications(self) -> list[Application]:
        return [*self.own, *self.shared]

    def subflow(self, path: str) -> FlowDefinition | None:
        """Return the flow with a path (`a/b/Errors.subflow`); the application's own wins over libraries."""
        for application in self.applications():
            if path in application.subflows:
                return application.subflows[path]
        return None

    def esql(self) -> dict[str, list[SourceText]]:
        """Return the ESQL of the application and its static libraries by broker schema."""
        found: dict[str, list[SourceText]] = {}
        for application in self.own:
            for text in application.esql:
                found.setdefault(text.schema, []).append(text)
        return found

    def overrides(self) -> list[tuple[str, str]]:
        """Return the overrides of all deployment descriptors, those of the application last."""
        found: list[tuple[str, str]] = []
        for application in reversed(self.applications()):
            if application.deployment is not None:
                found += application.deployment.overrides().items()
        return found


@dataclass(slots=True)
class Project:
    """Everything that was loaded from one place."""

    name: str
    file: str
    applications: list[Application] = field(default_factory=list)
    notes: list[LoadNote] = field(default_factory=list)
    #: The BAR, if it was one.
    bar: Bar | None = None
    _owners: dict[int, Application] = field(default_factory=dict)

    def application(self, name: str) -> Application | None:
        """Return the application or library with a name; where several have it, the first."""
        return next((each for each in self.applications if each.name == name), None)

    def flows(self) -> Iterator[tuple[Application, FlowDefinition]]:
        """Yield every message flow with its application."""
        for application in self.applications:
            for flow in application.flows.values():
                yield application, flow

    def all_notes(self) -> list[LoadNote]:
        """Return the notes of the project and of all applications."""
        return [*self.notes, *(note for application in self.applications for note in application.notes)]

    def flow(self, name: str, application: str = "") -> tuple[Application, FlowDefinition]:
        """Return a flow by `schema.Name`, path or plain name. Raise FlowNotFound if none or several have it."""
        places = [each for each in self.applications if not application or each.name == application]
        if application and not places:
            names = ", ".join(sorted({each.name for each in self.applications})[:20])
            raise FlowNotFound(self.file, f"there is no application {application}; there are: {names or 'none'}")
        flows = [(place, flow) for place in places for flow in place.all_flows()]
        exact = [(place, flow) for place, flow in flows if name in (flow.qualified_name, flow.path)]
        plain = [(place, flow) for place, flow in flows if name == flow.name]
        for found in (exact, plain):
            # A message flow wins over a subflow of the same name.
            found = [each for each in found if not each[1].is_subflow] or found
            if len(found) == 1:
                return found[0]
            if found:
                where = ", ".join(sorted(f"{flow.qualified_name} of {place.name}" for place, flow in found))
                raise FlowNotFound(self.file, f"{len(found)} flows are called {name}: {where}; name the application")
        known = sorted({flow.qualified_name for _, flow in flows})
        near = difflib.get_close_matches(name, known, 5, 0.5) or known[:10]
        raise FlowNotFound(self.file, f"there is no flow {name}; there are: {', '.join(near) or 'none'}")

    def scope(self, application: Application) -> Scope:
        """Return the scope of the flows of an application."""
        own: list[Application] = []
        shared: list[Application] = []
        waiting = [application]
        while waiting:
            each = waiting.pop(0)
            if each in own or each in shared:
                continue
            is_library = each.kind is Kind.SHARED_LIBRARY and each is not application
            (shared if is_library else own).append(each)
            waiting += each.libraries
            for name in each.references:
                found = self._referenced(name, each)
                if found is not None:
                    waiting.append(found)
        return Scope(own, shared)

    def _referenced(self, name: str, user: Application) -> Application | None:
        """Return the project with a name; where several have it, the one that is nearest on disk."""
        candidates = [each for each in self.applications if each.name == name and each is not user]
        here = PurePosixPath(user.folder).parts

        def nearness(each: Application) -> int:
            there = PurePosixPath(each.folder).parts
            return next((n for n, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]), len(there))

        return max(candidates, key=nearness, default=None)

    def owner(self, flow: FlowDefinition) -> Application | None:
        """Return the application that a flow belongs to."""
        if id(flow) not in self._owners:
            self._owners = {id(flow): each for each in self.applications for flow in each.all_flows()}
        return self._owners.get(id(flow))

    def subflow(self, path: str, user: FlowDefinition) -> FlowDefinition | None:
        """Return the subflow with a path as a flow sees it. It is the SubflowLookup of resolve.py."""
        owner = self.owner(user)
        found = self.scope(owner).subflow(path) if owner is not None else None
        if found is not None:
            return found
        elsewhere = [each for each in self.applications if path in each.subflows]
        if len(elsewhere) != 1:
            return None
        if owner is not None and owner.kind is not Kind.PLAIN:
            note = LoadNote(user.file, f"{path} is in {elsewhere[0].name}, to which {owner.name} does not refer")
            if note not in self.notes:
                self.notes.append(note)
        return elsewhere[0].subflows[path]

    def resolve(
        self,
        flow: FlowDefinition,
        overrides: list[tuple[str, str]] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> resolving.ResolvedFlow:
        """Expand a flow of the project with the overrides of its descriptors, then with those that are given."""
        owner = self.owner(flow)
        wanted = self.scope(owner).overrides() if owner is not None else []
        return resolving.resolve(flow, self.subflow, [*wanted, *(overrides or [])], variables)

    def policy(self, reference: str) -> Policy | None:
        """Return the policy that `{project}:name` refers to; a bare name is looked for in all projects."""
        project, mark, name = reference.removeprefix("{").partition("}:")
        wanted = (project, name) if mark else ("", reference)
        for application in self.applications:
            for policy in application.policies:
                if policy.name == wanted[1] and wanted[0] in ("", policy.project):
                    return policy
        return None

    def addresses(self, uri: str, path: tuple[str, ...] = ()) -> bool:
        """Whether a URI of a deployment descriptor addresses something, as seen from the container with a path."""
        name = uri.partition("#")[0]
        application = next((each for each in self.applications if each.path == path), None)
        places = self.scope(application).applications() if application is not None else self.applications
        for place in places:
            for flow in place.all_flows():
                if flow.qualified_name == name and resolving.targets(uri, flow, self.subflow):
                    return True
                if uri in flow.configurable:
                    return True
        return False

    def check_overrides(self) -> list[LoadNote]:
        """Return a note for each property of a deployment descriptor that addresses nothing in the project."""
        notes = []
        for application in self.applications:
            deployment = application.deployment
            for flow in deployment.flows if deployment is not None else ():
                for each in flow.properties:
                    if not self.addresses(each.uri, application.path):
                        value = "" if each.override is None else f" = {each.override}"
                        reason = f"{each.uri}{value}: no node or property of {flow.name} is meant by this"
                        notes.append(LoadNote(deployment.file if deployment else "", reason))
        return notes


def load(path: str | Path, references: bool = False) -> Project:
    """Load a directory, a BAR or a flow file. Raise FlowFileError if there is nothing at all to load.

    With `references`, a directory that is a project comes with the projects beside it that it refers to.
    """
    place = Path(path)
    if place.is_dir():
        project = load_directory(place)
        if references and _is_project(place):
            _load_references(project, place.resolve())
        return project
    if not place.exists():
        raise FlowFileError(str(place), "there is no such file or directory")
    if place.suffix.lower() == ".bar":
        return project_of_bar(read_bar(place))
    return load_flow_file(place)


def load_directory(root: Path) -> Project:
    """Load all projects below a directory."""
    project = Project(root.resolve().name, str(root))
    names = scan(root, project.notes)
    folders = {""} if _is_project(root) else set()
    for name in names:
        folder, _, base = name.rpartition("/")
        if base == PROJECT_FILE or base in DESCRIPTORS:
            folders.add(folder)
    groups: dict[str | None, list[str]] = {}
    for name in names:
        groups.setdefault(_project_folder(name, folders), []).append(name)
    for group, files in groups.items():
        folder = group or ""
        inside = [name[len(folder) + 1 :] if folder else name for name in files]
        default = PurePosixPath(folder).name or project.name
        application = load_application(
            DirectoryFiles(root / folder, inside), default, folder=folder, is_project=group is not None
        )
        if group is not None or application.has_content:
            project.applications.append(application)
        else:
            project.notes += application.notes  # Every file was unreadable: say so, although there is nothing to run.
    return project


def _is_project(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (PROJECT_FILE, *DESCRIPTORS))


def _project_folder(name: str, folders: set[str]) -> str | None:
    """Return the nearest folder above a file that is a project; None if there is none."""
    folder = name.rpartition("/")[0]
    while True:
        if folder in folders:
            return folder
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def load_flow_file(path: Path) -> Project:
    """Load the project that a flow file belongs to and the projects beside it that it refers to.

    A file without a project is loaded with the files of its directory.
    """
    folder = path.resolve().parent
    for above in [folder, *folder.parents][:ANCESTORS_MAX]:
        if _is_project(above):
            project = load_directory(above)
            _load_references(project, above)
            break
    else:
        project = Project(folder.name, str(path))
        names = sorted(each.name for each in folder.iterdir() if each.is_file() and not each.name.startswith("."))
        files = DirectoryFiles(folder, names)
        project.applications.append(load_application(files, folder.name, is_project=False))
    if not any(Path(flow.file) == path.resolve() for each in project.applications for flow in each.all_flows()):
        notes = [note for note in project.all_notes() if Path(note.file) == path.resolve()]
        reason = notes[0].reason if notes else "is no flow file: a .msgflow, .subflow, .bar or directory is expected"
        raise FlowFileError(str(path), reason, notes[0].line if notes else 0)
    return project


def _load_references(project: Project, folder: Path) -> None:
    """Load the projects beside a project that it refers to, directly or through others."""
    waiting = [name for each in project.applications for name in each.references]
    seen = {each.name for each in project.applications}
    while waiting:
        name = waiting.pop()
        beside = folder.parent / name
        if name in seen or "/" in name or name in ("", ".", "..") or not beside.is_dir():
            continue
        seen.add(name)
        found = load_directory(beside)
        project.applications += found.applications
        project.notes += found.notes
        waiting += [other for each in found.applications for other in each.references]


def project_of_bar(bar: Bar) -> Project:
    """Return the content of a BAR."""
    project = Project(bar.root.name, bar.file, bar=bar)
    project.notes += bar.notes
    _add_container(project, bar.root)
    return project


def _add_container(project: Project, container: BarContainer) -> Application:
    archive = container.archive
    application = load_application(
        ArchiveFiles(archive), container.name, kind=container.kind, is_project=bool(container.path), is_archive=True
    )
    application.path = container.path
    application.folder = "/".join(container.path)
    application.deployment = container.deployment
    for policy in application.policies:
        # Policy projects are folders of the BAR.
        policy.project = policy.file.rpartition("!")[2].partition("/")[0]
    if container.path or application.has_content or container.deployment is not None:
        project.applications.append(application)
    for child in container.children:
        inner = _add_container(project, child)
        if inner.kind is not Kind.SHARED_LIBRARY and container.path:
            application.libraries.append(inner)
    return application


def override_bar(bar: Bar, overrides: list[Override], scope: tuple[str, ...] = (), file: str = "") -> list[LoadNote]:
    """Change the deployment descriptors of a BAR. Return a note for each line that addresses nothing."""
    project = project_of_bar(bar)
    return bar.override(overrides, scope, file, project.addresses)
