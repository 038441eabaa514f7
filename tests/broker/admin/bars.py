"""BAR files and directories for tests of administration."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tests.broker.runtime import flows

POLICY = (
    '<?xml version="1.0" encoding="UTF-8"?><policies><policy policyType="{kind}" policyName="{name}" '
    'policyTemplate="{kind}">{properties}</policy></policies>'
)


def archive(members: dict[str, bytes | str]) -> bytes:
    """Return a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in members.items():
            made.writestr(name, data)
    return out.getvalue()


def descriptor(*flow_names: str, **overrides: str) -> str:
    """Return a deployment descriptor; `overrides` are values by `Flow__Node__property`."""
    parts = []
    for flow in flow_names:
        uris: dict[str, str | None] = {
            f"{flow}#additionalInstances": None,
            f"{flow}#startMode": None,
            f"{flow}#wlmPolicy": None,
        }
        uris |= {f"{flow}#In.queueName": None, f"{flow}#Out.queueName": None}
        uris |= {key.replace("__", "#", 1).replace("__", "."): value for key, value in overrides.items()}
        lines = "".join(
            f'<ConfigurableProperty uri="{uri}"' + ("/>" if value is None else f' override="{value}"/>')
            for uri, value in uris.items()
        )
        parts.append(f'<CompiledMessageFlow name="{flow}">{lines}</CompiledMessageFlow>')
    return f'<?xml version="1.0" encoding="UTF-8"?><Broker>{"".join(parts)}</Broker>'


def application(directory: Path) -> bytes:
    """Return the archive of an application with the files of a directory."""
    members: dict[str, bytes | str] = {path.name: path.read_bytes() for path in sorted(directory.iterdir())}
    names = [name.removesuffix(".msgflow") for name in members if name.endswith(".msgflow")]
    members["META-INF/broker.xml"] = descriptor(*names)
    return archive(members)


def project_bar(path: Path, project: Path) -> Path:
    """Write a BAR with an application of all files of a project; its tests stay out."""
    files = [each for each in sorted(project.rglob("*")) if each.is_file() and "tests" not in each.parts]
    members: dict[str, bytes | str] = {str(each.relative_to(project)): each.read_bytes() for each in files}
    names = [name.removesuffix(".msgflow").replace("/", ".") for name in members if name.endswith(".msgflow")]
    members["META-INF/broker.xml"] = (
        '<?xml version="1.0" encoding="UTF-8"?><Broker>'
        + "".join(
            f'<CompiledMessageFlow name="{name}"><ConfigurableProperty uri="{name}#additionalInstances"/>'
            "</CompiledMessageFlow>"
            for name in names
        )
        + "</Broker>"
    )
    path.write_bytes(archive({f"{project.name}.appzip": archive(members)}))
    return path


def pass_bar(path: Path, target: str = "OUT", name: str = "Shop", flow: str = "Pass", **properties: str) -> Path:
    """Write a BAR with an application of one flow IN -> target."""
    directory = flows.pass_through(path.with_suffix(".files"), flow, target=target, **properties)
    path.write_bytes(archive({f"{name}.appzip": application(directory)}))
    return path


def stamped(path: Path, stamp: str) -> Path:
    """Write a directory with a flow that puts a user-defined property into its message: IN -> OUT."""
    esql = (
        "DECLARE Region EXTERNAL CHARACTER 'none';\n"
        "CREATE COMPUTE MODULE Work CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
        "SET OutputRoot = InputRoot; SET OutputRoot.XMLNSC.m.region = Region;\n"
        f"SET OutputRoot.XMLNSC.m.stamp = '{stamp}'; RETURN TRUE;\nEND; END MODULE;\n"
    )
    path.parent.mkdir(exist_ok=True)
    flows.computed(path, esql)
    file = path / "Work.msgflow"
    text = file.read_text()
    attribute = (
        '<eStructuralFeatures xmi:type="ecore:EAttribute" xmi:id="Property.Region" name="Region" '
        'defaultValueLiteral="none"><eType xmi:type="ecore:EDataType" '
        'href="http://www.eclipse.org/emf/2002/Ecore#//EString"/></eStructuralFeatures>'
    )
    manager = (
        '<propertyOrganizer><propertyDescriptor groupName="Group.Basic" configurable="true" userDefined="true" '
        'describedAttribute="Property.Region"><propertyName xmi:type="utility:TranslatableString" '
        'key="Property.Region"/></propertyDescriptor></propertyOrganizer>'
    )
    file.write_text(text.replace("</eClassifiers>", f"{attribute}{manager}</eClassifiers>"))
    return path
