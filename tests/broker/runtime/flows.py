"""Small flows for tests of the run time, as YAML files in a directory."""

from __future__ import annotations

from pathlib import Path


def pass_through(
    directory: Path, name: str = "Pass", source: str = "IN", target: str = "OUT", **properties: str
) -> Path:
    """Write a flow MQInput -> MQOutput; `properties` are those of the input node."""
    extra = "".join(f' {key}="{value}"' for key, value in properties.items())
    return write(
        directory,
        name,
        node("In", "ComIbmMQInput", f'queueName="{source}"{extra}'),
        node("Out", "ComIbmMQOutput", f'queueName="{target}"'),
        [("In", "out", "Out")],
    )


def computed(
    directory: Path,
    esql: str,
    name: str = "Work",
    wires: list[tuple[str, str, str]] | None = None,
    data_source: str = "",
    **properties: str,
) -> Path:
    """Write a flow MQInput -> Compute -> MQOutput with the ESQL of its module `Work`."""
    extra = "".join(f' {key}="{value}"' for key, value in properties.items())
    directory.mkdir(exist_ok=True)
    (directory / f"{name}.esql").write_text(esql)
    return write(
        directory,
        name,
        node("In", "ComIbmMQInput", f'queueName="IN" messageDomainProperty="XMLNSC"{extra}'),
        node(
            "Work",
            "ComIbmCompute",
            f'computeExpression="esql://routine/#{name}.Main" dataSource="{data_source}"',
        ),
        node("Out", "ComIbmMQOutput", 'queueName="OUT"'),
        wires or [("In", "out", "Work"), ("Work", "out", "Out")],
    )


def node(label: str, kind: str, attributes: str) -> str:
    """Return a node of a flow file; its id is its label."""
    return (
        f'<nodes xmi:type="{kind}.msgnode:FCMComposite_1" xmi:id="{label}" location="0,0" {attributes}>'
        f'<translation xmi:type="utility:ConstantString" string="{label}"/></nodes>'
    )


def write(directory: Path, name: str, *parts: str | list[tuple[str, str, str]]) -> Path:
    """Write a flow of nodes and wires (source, terminal, target)."""
    directory.mkdir(exist_ok=True)
    nodes = [part for part in parts if isinstance(part, str)]
    wires = [wire for part in parts if not isinstance(part, str) for wire in part]
    kinds = sorted({part.split('"')[1].partition(":")[0] for part in nodes})
    declared = " ".join(f'xmlns:{kind}="{kind}"' for kind in kinds)
    connections = "".join(
        f'<connections xmi:type="eflow:FCMConnection" xmi:id="C{number}" targetNode="{target}" sourceNode="{source}" '
        f'sourceTerminalName="OutTerminal.{terminal}" targetTerminalName="InTerminal.in"/>'
        for number, (source, terminal, target) in enumerate(wires)
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?><ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" xmlns:eflow="http://www.ibm.com/wbi/2005/eflow" '
        f'xmlns:utility="http://www.ibm.com/wbi/2005/eflow_utility" {declared} nsURI="{name}.msgflow" '
        f'nsPrefix="{name}.msgflow"><eClassifiers xmi:type="eflow:FCMComposite" name="FCMComposite_1">'
        '<eSuperTypes href="http://www.ibm.com/wbi/2005/eflow#//FCMBlock"/>'
        f"<composition>{''.join(nodes)}{connections}</composition></eClassifiers></ecore:EPackage>"
    )
    (directory / f"{name}.msgflow").write_text(text)
    return directory
