"""Read the descriptors of a project: `.project`, `*.descriptor`, `*.policyxml`.

    .project                 name, natures (the kind of project), projects that it refers to
    application.descriptor   appDescriptor: shared libraries that an application refers to
    library.descriptor       libDescriptor: the same, and `type`, which tells shared from static libraries
    restapi.descriptor       restapiDescriptor: see rest_api.py
    service.descriptor       services: an integration service, its WSDL, operations and subflows
    policy.descriptor        a policy project
    testproject.descriptor   a test project
    x.policyxml              policies: name, type, template, a child element for each property

Each reader takes bytes and a name for messages, and raises FlowFileError. Nothing here touches the disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lxml import etree

from flintmq.broker.flow.xmi import parse_xml


class Kind(StrEnum):
    """Kinds of projects."""

    APPLICATION = "application"
    REST_API = "REST API"
    SERVICE = "integration service"
    STATIC_LIBRARY = "static library"
    SHARED_LIBRARY = "shared library"
    POLICIES = "policy project"
    MESSAGE_SET = "message set project"
    TEST = "test project"
    #: A message broker project without application or library, or a folder: everything in it belongs together.
    PLAIN = "project"


#: Files that make a directory a project, in the order in which they decide what it is.
DESCRIPTORS = {
    "restapi.descriptor": Kind.REST_API,
    "service.descriptor": Kind.SERVICE,
    "library.descriptor": Kind.STATIC_LIBRARY,
    "policy.descriptor": Kind.POLICIES,
    "testproject.descriptor": Kind.TEST,
    "application.descriptor": Kind.APPLICATION,
}
PROJECT_FILE = ".project"

#: Part of a nature to what it makes of a project, the decisive ones first.
_NATURES = (
    ("restapi", Kind.REST_API),
    ("serviceApplicationNature", Kind.SERVICE),
    ("testProjectNature", Kind.TEST),
    ("applicationNature", Kind.APPLICATION),
    ("sharedLibraryNature", Kind.SHARED_LIBRARY),
    ("libraryNature", Kind.STATIC_LIBRARY),
    ("mft.policy.ui", Kind.POLICIES),
    ("msetnature", Kind.MESSAGE_SET),
)


@dataclass(slots=True)
class ProjectFile:
    """Content of `.project`."""

    name: str = ""
    natures: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)

    @property
    def kind(self) -> Kind | None:
        """Return the kind that the natures give a project; None if they do not say."""
        for part, kind in _NATURES:
            if any(part in nature for nature in self.natures):
                return kind
        return None


@dataclass(slots=True)
class Policy:
    """One policy. Nodes name it `{project}:name`."""

    name: str
    type: str
    template: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    project: str = ""
    file: str = ""


@dataclass(slots=True)
class ServiceOperation:
    """An operation of an integration service: its name, its kind, the subflow that implements it."""

    name: str
    type: str = ""
    implementation: str = ""


@dataclass(slots=True)
class Service:
    """An integration service."""

    name: str
    implementation: str = ""
    wsdl: str = ""
    port_type: str = ""
    operations: list[ServiceOperation] = field(default_factory=list)


def read_project_file(data: bytes, file: str = PROJECT_FILE) -> ProjectFile:
    """Return the content of `.project`."""
    root = parse_xml(data, file)
    found = ProjectFile()
    for part in root.iterchildren(tag=etree.Element):
        if part.tag == "name":
            found.name = (part.text or "").strip()
        elif part.tag == "natures":
            found.natures = [(each.text or "").strip() for each in part.iterchildren(tag="nature")]
        elif part.tag == "projects":
            found.references = [(each.text or "").strip() for each in part.iterchildren(tag="project")]
    return found


def read_references(data: bytes, file: str = "") -> tuple[list[str], bool]:
    """Return the libraries that a descriptor refers to, and whether it says that the project is a shared library."""
    root = parse_xml(data, file)
    names = [(each.text or "").strip() for each in root.iter("{*}libraryName")]
    return [name for name in names if name], "sharedLibraryNature" in root.get("type", "")


def read_policies(data: bytes, file: str = "", project: str = "") -> list[Policy]:
    """Return the policies of a file."""
    root = parse_xml(data, file)
    elements = [root] if local_name(root) == "policy" else list(root.iter("{*}policy"))
    found = []
    for element in elements:
        policy = Policy(
            element.get("policyName", ""),
            element.get("policyType", ""),
            element.get("policyTemplate", ""),
            project=project,
            file=file,
        )
        for part in element.iterchildren(tag=etree.Element):
            policy.properties[local_name(part)] = part.text or ""
        found.append(policy)
    return found


def read_service(data: bytes, file: str = "") -> Service | None:
    """Return the integration service that a descriptor describes, or None."""
    root = parse_xml(data, file)
    for element in root.iter("{*}service"):
        found = Service(
            element.get("name", ""),
            element.get("implementation", ""),
            element.get("wsdlFileName", ""),
            element.get("portType", ""),
        )
        for each in element.iter("{*}operation"):
            flow = next(each.iter("{*}flow"), None)
            location = flow.get("location", "") if flow is not None else ""
            found.operations.append(ServiceOperation(each.get("name", ""), each.get("type", ""), location))
        return found
    return None


def local_name(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(etree.QName(element).localname)
