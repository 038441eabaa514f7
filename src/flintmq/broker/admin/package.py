"""Deployed content: read and check a BAR file or a directory, pack it, and unpack it for the workers.

`read_package` does everything that can be refused before anything changes. A file that cannot be read, ESQL that does
not compile and an override that addresses nothing are errors, each with file and place. A flow that cannot run because
of a node that is not known is no error: it does not start, and the rest of its application does (2355).

Content is kept as bytes: a BAR as it is, with overrides written into its descriptors; a directory as a zip archive of
its files. Its digest covers kind, name and bytes, so a path below `deployed/DIGEST/` never changes its content.
"""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from flintmq.broker.admin.place import Place
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.admin.repository import ContentRow
from flintmq.broker.flow.application import Application
from flintmq.broker.flow.archive import normal_name
from flintmq.broker.flow.bar import BAR_BYTES_MAX, read_bar
from flintmq.broker.flow.deployment import Override, read_overrides
from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.flow.files import scan
from flintmq.broker.flow.function import LoadedApplications
from flintmq.broker.flow.model import FlowFileError, LoadNote
from flintmq.broker.flow.project import Project, load_directory, override_bar, project_of_bar
from flintmq.host.private import make_directory, opener

BAR: Final = "bar"
DIRECTORY: Final = "directory"
#: Notes about other files are warnings.
_DECISIVE: Final = (
    ".msgflow .subflow .esql .policyxml .cmf .bar .appzip .libzip .shlibzip .restapizip .servicezip broker.xml".split()
)
_SHOWN_MAX: Final = 20
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
_LIBRARIES: Final = (Kind.STATIC_LIBRARY, Kind.SHARED_LIBRARY)
OVERRIDES_BYTES_MAX: Final = 16 << 20


@dataclass(slots=True)
class Package:
    """A BAR or a directory that may be deployed."""

    content: ContentRow
    #: Name and kind of each application, library and policy project.
    applications: list[tuple[str, str]]
    #: By application; a BAR has its overrides in its descriptors.
    overrides: dict[str, dict[str, str]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_package(path: Path, lines: list[str], overrides: Path | None, application: str) -> Package:
    """Read the content of a deployment. `lines` and the file `overrides` apply to one application if it is named.

    Raise Refused (1093 and 2087 for each problem).
    """
    try:
        wanted = _overrides(overrides) if overrides is not None else []
        wanted += [Override(line, 0) for line in lines]
        return (_read_directory if path.is_dir() else _read_bar)(path, wanted, application)
    except FlowFileError as error:
        raise refused([str(error)]) from None
    except OSError as error:
        raise refused([f"{error.filename or path}: {error.strerror or error}"]) from None


def refused(problems: list[str]) -> Refused:
    """Return the refusal of a deployment."""
    shown = problems[:_SHOWN_MAX]
    if len(problems) > _SHOWN_MAX:
        shown.append(f"... and {len(problems) - _SHOWN_MAX} more problems")
    return Refused(2087, shown[-1], before=[Refused(2087, each).lines[0] for each in shown[:-1]])


def _overrides(file: Path) -> list[Override]:
    if file.exists() and not file.is_file():
        raise FlowFileError(str(file), "is no regular file")
    if file.stat().st_size > OVERRIDES_BYTES_MAX:
        raise FlowFileError(str(file), f"the file is larger than {OVERRIDES_BYTES_MAX} bytes")
    return read_overrides(file.read_bytes(), str(file))


def _read_bar(path: Path, wanted: list[Override], application: str) -> Package:
    if path.suffix.lower() != ".bar":
        raise FlowFileError(str(path), "is neither a BAR file (.bar) nor a directory")
    bar = read_bar(path)
    data = bar.root.archive.data
    if wanted or application:
        scope = tuple(part for part in application.split("/") if part)
        if scope and bar.container(*scope) is None:
            there = ", ".join("/".join(each.path) for each in bar.containers() if each.path) or "none"
            raise FlowFileError(str(path), f"has no application {application}; it has: {there}")
        _check(override_bar(bar, wanted, scope, "overrides"))
        data = bar.write()
        bar = read_bar(data, str(path))
    project = project_of_bar(bar)
    package = _package(project, path.name, BAR, data)
    _check(project.check_overrides())
    return package


def _read_directory(path: Path, wanted: list[Override], application: str) -> Package:
    root = path.resolve()
    project = load_directory(root)
    package = _package(project, root.name, DIRECTORY, _packed(root))
    if application and project.application(application) is None:
        raise FlowFileError(str(path), f"has no application {application}")
    for override in wanted:
        if not _add_override(package, project, override, application):
            raise FlowFileError("overrides", f"addresses nothing: {override.text.strip()[:200]}", override.line)
    return package


def _add_override(package: Package, project: Project, override: Override, application: str) -> bool:
    """Add one line to the applications that it addresses; return whether there is one."""
    names = [application] if application else list(override.scope or ())[:1]
    for uri, value in override.splits():
        if value is None or "#" not in uri:
            continue
        found = False
        for each in project.applications:
            if names and each.name not in names:
                continue
            if any(flow.qualified_name == uri.partition("#")[0] for flow in each.all_flows()) and project.addresses(
                uri
            ):
                package.overrides.setdefault(each.name, {})[uri] = value
                found = True
        if found:
            return True
    return False


def _package(project: Project, name: str, kind: str, data: bytes) -> Package:
    problems = [str(note) for note in project.all_notes() if _is_decisive(note)]
    warnings = [str(note) for note in project.all_notes() if not _is_decisive(note)]
    loaded = LoadedApplications(project)
    for each in project.applications:
        # ESQL that may call a shared library of the group is compiled with it, in the plan.
        if each.esql and not each.references and each.kind not in (*_LIBRARIES, Kind.TEST):
            problems += [f"BIP{error.number}: {error}" for error in loaded.settings(each).program.errors]
    applications = [(each.name, str(each.kind)) for each in project.applications if _is_deployed(each)]
    names = [each for each, _ in applications]
    twice = sorted({each for each in names if names.count(each) > 1})
    if twice:
        problems.append(f"{project.file}: several applications are called {', '.join(twice)}")
    if not applications and not problems:
        problems.append(f"{project.file}: there is nothing to deploy in it: no flow, ESQL, library or policy")
    if problems:
        raise refused(problems)
    digest = sha256(f"{kind}\0{name}\0".encode() + data).hexdigest()
    return Package(ContentRow(digest, name, kind, data), applications, {}, warnings)


def _is_deployed(application: Application) -> bool:
    """Return whether a part of a project is deployed by itself: static libraries come with their applications."""
    return application.has_content and len(application.path) <= 1 and application.kind is not Kind.TEST


def _is_decisive(note: LoadNote) -> bool:
    return note.file.lower().endswith(tuple(_DECISIVE)) and "is there already" not in note.reason


def _check(notes: list[LoadNote]) -> None:
    if notes:
        raise refused([str(note) for note in notes])


# Packing.


def _packed(root: Path) -> bytes:
    """Return the files of a directory as a zip archive; the same files give the same bytes."""
    notes: list[LoadNote] = []
    out = io.BytesIO()
    total = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(scan(root, notes)):
            data = (root / name).read_bytes()
            total += len(data)
            if total > BAR_BYTES_MAX:
                raise FlowFileError(str(root), f"its files are larger than {BAR_BYTES_MAX} bytes together")
            archive.writestr(zipfile.ZipInfo(name, _ZIP_DATE), data)
    return out.getvalue()


def unpack(content: ContentRow, place: Place) -> Path:
    """Make a content available to workers and return its path. Raise Refused (2087) if that fails."""
    name = Path(content.name).name
    if not name or name in (".", "..") or len(content.digest) != 64 or not content.digest.isalnum():
        raise Refused(2087, f"the repository has a content with the name {content.name!r}")
    directory = place.deployed / content.digest
    target = directory / name
    if directory.exists():
        return target
    making = place.deployed / f"{content.digest}.new"
    try:
        shutil.rmtree(making, ignore_errors=True)
        make_directory(making, parents=True)
        if content.kind == BAR:
            _write(making / name, content.data)
        else:
            make_directory(making / name)
            _extract(content, making / name)
        making.rename(directory)
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        shutil.rmtree(making, ignore_errors=True)
        raise Refused(2087, f"{content.name} cannot be unpacked in {place.deployed}: {error}") from None
    return target


def _extract(content: ContentRow, root: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
        for info in archive.infolist():
            name = normal_name(info.filename)
            if name is None:
                raise ValueError(f"the name {info.filename!r} leaves the directory")
            path = root / name
            make_directory(path.parent, parents=True)
            _write(path, archive.read(info))


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb", opener=opener) as file:
        file.write(data)


def remove_unused(place: Place, digests: set[str]) -> None:
    """Remove unpacked content that is no longer deployed. Retry later where a removal fails."""
    for each in os.scandir(place.deployed) if place.deployed.is_dir() else ():
        if each.name.removesuffix(".new") not in digests:
            shutil.rmtree(each.path, ignore_errors=True)
