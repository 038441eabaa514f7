"""BAR files: containers inside containers, each with its deployment descriptor.

    orders.bar                      META-INF/broker.xml, *.cmf (old layout), MyPolicies/x.policyxml
      Shop.appzip                   META-INF/broker.xml, flows, ESQL, descriptors
        Errors.libzip               META-INF/broker.xml, ...
      Common.shlibzip

`read_bar` opens everything within the limits of archive.py. `Bar.render` prints the overrides of all containers as an
override file, a section for each container. `Bar.override` changes the descriptors, `Bar.write` makes the new BAR:
members that did not change are copied. A container that cannot be opened is a note, and the rest is read.

resolve.py finds the properties that an override addresses; project.py makes flows and texts of the containers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from flintmq.broker.flow import deployment as descriptors
from flintmq.broker.flow.archive import Archive, Budget, open_archive, rewrite
from flintmq.broker.flow.deployment import DESCRIPTOR, Deployment, Override, read_deployment, write_deployment
from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.flow.model import FlowFileError, LoadNote, note_of

#: What a member's suffix makes of it.
KINDS = {
    ".appzip": Kind.APPLICATION,
    ".restapizip": Kind.REST_API,
    ".servicezip": Kind.SERVICE,
    ".libzip": Kind.STATIC_LIBRARY,
    ".shlibzip": Kind.SHARED_LIBRARY,
}
BAR_BYTES_MAX = 1 << 30


@dataclass(slots=True)
class BarContainer:
    """The BAR itself, or an application or library in it."""

    name: str
    kind: Kind
    archive: Archive
    #: Names from the outermost container down to this one; empty for the BAR.
    path: tuple[str, ...] = ()
    #: The member of the container outside; empty for the BAR.
    member: str = ""
    deployment: Deployment | None = None
    children: list[BarContainer] = field(default_factory=list)

    def walk(self) -> Iterator[BarContainer]:
        """Yield this container and all inside it. Their depth is limited, and so is the recursion."""
        yield self
        for child in self.children:
            yield from child.walk()

    def in_scope(self, scope: tuple[str, ...]) -> bool:
        """Whether this is the container that a scope names, or one inside it."""
        return self.path[: len(scope)] == scope


@dataclass(slots=True)
class Bar:
    """A BAR file."""

    file: str
    root: BarContainer
    notes: list[LoadNote] = field(default_factory=list)

    def containers(self) -> Iterator[BarContainer]:
        """Yield the BAR itself and every container in it."""
        return self.root.walk()

    def container(self, *path: str) -> BarContainer | None:
        return next((each for each in self.containers() if each.path == path), None)

    def render(self) -> str:
        """Return all configurable properties with their current values as an override file."""
        lines = []
        for container in self.containers():
            if container.deployment is not None:
                lines.append(f"[{'/'.join(container.path) or '.'}]")
                lines += descriptors.render(container.deployment)
        return "".join(f"{line}\n" for line in lines)

    def override(
        self,
        overrides: list[Override],
        scope: tuple[str, ...] = (),
        file: str = "",
        addresses: Callable[[str, tuple[str, ...]], bool] | None = None,
    ) -> list[LoadNote]:
        """Change the descriptors. Return a note for each line that addresses nothing.

        `scope` limits the change to an application (or to one of its libraries): a line with a scope of its own
        must agree. A section names one container; without sections a line is about every container that has it.
        `addresses` tells whether a URI addresses something in the container with a path; with it, a property that
        a descriptor does not list can be set as well, if the descriptor lists the flow.
        """
        notes = []
        for override in overrides:
            found = 0
            for container in self.containers():
                if container.deployment is None or not container.in_scope(scope):
                    continue
                if override.scope is not None and container.path != override.scope:
                    continue
                found += descriptors.apply(container.deployment, override)
            if not found and not (addresses and self._add(override, scope, addresses)):
                where = "/".join(override.scope or scope)
                notes.append(
                    LoadNote(
                        file or self.file,
                        f"no deployment descriptor {f'of {where} ' if where else ''}has what this line is about: "
                        f"{override.text.strip()[:200]}",
                        override.line,
                    )
                )
        return notes

    def _add(
        self, override: Override, scope: tuple[str, ...], addresses: Callable[[str, tuple[str, ...]], bool]
    ) -> bool:
        for name, value in override.splits():
            if "#" not in name or value is None:
                continue
            for container in self.containers():
                if container.deployment is None or not container.in_scope(override.scope or scope):
                    continue
                if container.deployment.flow(name.partition("#")[0]) is None:
                    continue
                if addresses(name, container.path):
                    return descriptors.add(container.deployment, name, value)
        return False

    def write(self) -> bytes:
        """Return the BAR with its deployment descriptors as they are now."""
        return _write(self.root)


def _write(container: BarContainer) -> bytes:
    """Return a container with changed descriptors. The depth is limited, and so is the recursion."""
    changes: dict[str, bytes] = {}
    deployment = container.deployment
    if deployment is not None:
        before = read_deployment(deployment.source, deployment.file) if deployment.source is not None else None
        if deployment != before:
            changes[deployment_member(container.archive) or DESCRIPTOR] = write_deployment(deployment)
    for child in container.children:
        data = _write(child)
        if data is not child.archive.data:
            changes[child.member] = data
    return rewrite(container.archive, changes) if changes else container.archive.data


def read_bar(source: Path | bytes, file: str = "", budget: Budget | None = None) -> Bar:
    """Open a BAR. Raise FlowFileError if it is no archive; containers inside that are damaged are notes."""
    if isinstance(source, Path):
        file = file or str(source)
        try:
            if source.exists() and not source.is_file():
                raise FlowFileError(file, "is no regular file")
            if source.stat().st_size > BAR_BYTES_MAX:
                raise FlowFileError(file, f"the file is larger than {BAR_BYTES_MAX} bytes")
            data = source.read_bytes()
        except OSError as error:
            raise FlowFileError(file, error.strerror or str(error)) from None
    else:
        data = source
    archive = open_archive(data, file or "the BAR", budget)
    name = PurePosixPath(file.replace("\\", "/")).stem
    bar = Bar(file, BarContainer(name, Kind.PLAIN, archive))
    _fill(bar, bar.root)
    return bar


def _fill(bar: Bar, container: BarContainer) -> None:
    archive = container.archive
    bar.notes += archive.notes
    descriptor = deployment_member(archive)
    if descriptor:
        try:
            container.deployment = read_deployment(archive.read(descriptor), f"{archive.name}!{descriptor}")
        except FlowFileError as error:
            bar.notes.append(note_of(error))
    for member in list(archive.members.values()):
        suffix = PurePosixPath(member.name).suffix.lower()
        kind = KINDS.get(suffix)
        if kind is None:
            continue
        name = PurePosixPath(member.name).name[: -len(suffix)]
        try:
            inner = archive.open(member.name)
        except FlowFileError as error:
            bar.notes.append(note_of(error))
            continue
        child = BarContainer(name, kind, inner, (*container.path, name), member.name)
        container.children.append(child)
        _fill(bar, child)


def deployment_member(archive: Archive) -> str:
    """Return the name of the deployment descriptor of an archive as it is written, or nothing."""
    return next((name for name in archive.members if name.lower() == DESCRIPTOR.lower()), "")
