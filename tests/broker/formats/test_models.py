"""Message models of an application by name: which schemas a library sees, and which of two elements is found."""

from __future__ import annotations

from pathlib import Path

from flintmq.broker.flow.project import load
from flintmq.broker.formats.dfdl import SchemaSet
from flintmq.broker.formats.message_set import MessageSet
from flintmq.broker.formats.models import ModelRegistry

SCHEMA = """\
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">
  <xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
    <dfdl:format representation="text" lengthKind="explicit" lengthUnits="bytes" encoding="UTF-8" byteOrder="bigEndian"
      initiator="" terminator="" separator="" separatorPosition="infix" separatorSuppressionPolicy="never"
      sequenceKind="ordered" occursCountKind="implicit" alignment="1" alignmentUnits="bytes" leadingSkip="0"
      trailingSkip="0" escapeSchemeRef="" ignoreCase="no" textTrimKind="none" textPadKind="none" floating="no"
      initiatedContent="no" nilKind="literalValue" nilValueDelimiterPolicy="none" truncateSpecifiedLengthString="no"
      encodingErrorPolicy="replace" textBidi="no" fillByte="%#r20;" textStringJustification="left"/>
  </xs:appinfo></xs:annotation>
  {content}
</xs:schema>
"""
PROJECT = "<projectDescription><name>{name}</name><projects>{references}</projects></projectDescription>"


def project(root: Path, name: str, references: list[str], schemas: dict[str, str]) -> None:
    """Write a library with schemas."""
    folder = root / name
    folder.mkdir()
    listed = "".join(f"<project>{each}</project>" for each in references)
    (folder / ".project").write_text(PROJECT.format(name=name, references=listed))
    for path, content in schemas.items():
        (folder / path).write_text(SCHEMA.format(content=content))


def models(root: Path, application: str) -> ModelRegistry:
    """Return the models that an application sees."""
    loaded = load(root)
    found = loaded.application(application)
    assert found is not None
    return ModelRegistry(loaded.scope(found).applications())


def element(name: str, length: int) -> str:
    return f'<xs:element name="{name}" type="xs:string" dfdl:length="{length}"/>'


def test_a_schema_imports_one_of_a_project_beside_its_own(tmp_path: Path) -> None:
    """Toolkit projects name each other by relative paths; in a BAR both are libraries of one application."""
    project(tmp_path, "Common", [], {"Fields.xsd": element("Code", 3)})
    outer = '<xs:element name="Order"><xs:complexType><xs:sequence><xs:element ref="Code"/></xs:sequence>'
    imported = '<xs:include schemaLocation="../Common/Fields.xsd"/>'
    whole = imported + outer.replace('name="Order"', 'name="Order" dfdl:lengthKind="implicit"')
    project(tmp_path, "Orders", ["Common"], {"Order.xsd": f"{whole}</xs:complexType></xs:element>"})

    model = models(tmp_path, "Orders").get("{Orders}")

    assert isinstance(model, SchemaSet)
    assert model.find("Order") is not None
    assert model.problems == {}


def test_the_element_of_the_library_that_is_named_is_found_first(tmp_path: Path) -> None:
    project(tmp_path, "Common", [], {"Fields.xsd": element("Code", 3)})
    project(tmp_path, "Orders", ["Common"], {"Order.xsd": element("Code", 5)})
    registry = models(tmp_path, "Orders")
    for name, path in (("Common", "Common/Fields.xsd"), ("{Orders}", "Orders/Order.xsd")):
        model = registry.get(name)
        assert isinstance(model, SchemaSet)
        assert next(iter(model.roots())) == path


def test_a_name_without_any_model_is_none(tmp_path: Path) -> None:
    project(tmp_path, "Orders", [], {})
    assert models(tmp_path, "Orders").get("Orders") is None


MESSAGE_SET = """
message_set: Orders
identifier: ABCDEFGH12345
formats: {CWF1: {kind: CWF}}
messages:
  Order:
    elements:
      - Id: {type: string, CWF1: {length: 4}}
"""


def test_a_message_set_in_yaml_is_found_by_its_file_and_by_its_identifier(tmp_path: Path) -> None:
    project(tmp_path, "Shop", [], {})
    (tmp_path / "Shop" / "Orders.mset.yaml").write_text(MESSAGE_SET)
    registry = models(tmp_path, "Shop")

    for name in ("Orders", "{Orders}", "ABCDEFGH12345", ""):
        found = registry.get(name)
        assert isinstance(found, MessageSet)
        assert list(found.messages) == ["Order"]
    assert registry.get("Invoices") is None
    assert registry.get("ABCDEFGH12346") is None
