"""Projects on disk: applications, libraries, scopes, and what cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flintmq.broker.flow import xmi, yaml_form
from flintmq.broker.flow.application import declared_schema, decode
from flintmq.broker.flow.descriptors import Kind
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.project import FlowNotFound, load
from tests.broker.flow.sample_flows import AUDIT, ORDERS
from tests.broker.flow.sample_projects import ESQL, bar_bytes, write_workspace


def test_a_directory_with_many_projects_is_one_of_each(tmp_path: Path) -> None:
    project = load(write_workspace(tmp_path))
    assert {each.name: each.kind for each in project.applications} == {
        "Shop": Kind.APPLICATION,
        "Common": Kind.STATIC_LIBRARY,
        "Tools": Kind.SHARED_LIBRARY,
        "Policies": Kind.POLICIES,
    }
    shop = project.application("Shop")
    assert shop is not None
    assert list(shop.flows) == ["shop.Orders"]
    assert [(text.schema, text.path) for text in shop.esql] == [("shop", "shop/Orders.esql")]
    assert [each.read() for each in shop.stylesheets] == [b"<xsl/>"]


def test_what_cannot_be_read_is_a_note_with_file_and_reason(tmp_path: Path) -> None:
    notes = load(write_workspace(tmp_path)).all_notes()
    assert sorted((Path(note.file).name, note.reason[:17]) for note in notes) == [
        ("Bad.policyxml", "not well-formed X"),
        ("Broken.msgflow", "the file is empty"),
    ]


def test_an_application_and_its_static_libraries_are_one_scope_and_shared_ones_another(tmp_path: Path) -> None:
    project = load(write_workspace(tmp_path))
    shop = project.application("Shop")
    assert shop is not None
    scope = project.scope(shop)
    assert [each.name for each in scope.own] == ["Shop", "Common"]
    assert [each.name for each in scope.shared] == ["Tools"]
    assert list(scope.esql()) == ["shop"]
    tools = project.application("Tools")
    assert tools is not None
    assert list(project.scope(tools).esql()) == [""]


def test_a_subflow_of_a_library_is_expanded(tmp_path: Path) -> None:
    project = load(write_workspace(tmp_path))
    resolved = project.resolve(project.flow("Orders")[1])
    assert resolved.notes == [] and resolved.find("Audit", "Keep copy") is not None


def test_a_subflow_outside_the_scope_is_used_with_a_note(tmp_path: Path) -> None:
    write_workspace(tmp_path)
    (tmp_path / "ShopFolder/.project").unlink()
    project = load(tmp_path)
    resolved = project.resolve(project.flow("Orders")[1])
    assert resolved.find("Audit", "Keep copy") is not None
    reasons = [note.reason for note in project.notes]
    assert reasons == ["shop/Audit.subflow is in Common, to which ShopFolder does not refer"]


def test_message_sets_are_found_by_folder(tmp_path: Path) -> None:
    common = load(write_workspace(tmp_path)).application("Common")
    assert common is not None
    assert {folder: [each.path for each in files] for folder, files in common.message_sets().items()} == {
        "MySet": ["MySet/messageSet.mset", "MySet/a/Order.mxsd"]
    }


def test_a_flow_is_found_by_qualified_name_path_or_name(tmp_path: Path) -> None:
    project = load(write_workspace(tmp_path))
    for name in ("shop.Orders", "shop/Orders.msgflow", "Orders"):
        assert project.flow(name)[1].qualified_name == "shop.Orders"
    assert project.flow("Audit")[0].name == "Common"
    assert project.flow("Orders", "Shop")[0].name == "Shop"


@pytest.mark.parametrize(
    ("name", "application", "text"),
    [
        ("Ordres", "", "there is no flow Ordres; there are: shop.Orders"),
        ("Orders", "Common", "there is no flow Orders; there are: shop.Audit"),
        ("Orders", "Nope", "there is no application Nope; there are: Common"),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_those_that_are(
    tmp_path: Path, name: str, application: str, text: str
) -> None:
    with pytest.raises(FlowNotFound, match=text):
        load(write_workspace(tmp_path)).flow(name, application)


def test_a_name_that_two_applications_have_asks_for_the_application(tmp_path: Path) -> None:
    for name in ("One", "Two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "application.descriptor").write_bytes(b"<appDescriptor/>")
        (tmp_path / name / "F.msgflow").write_bytes(ORDERS)
    project = load(tmp_path)
    with pytest.raises(FlowNotFound, match="2 flows are called F: F of One, F of Two"):
        project.flow("F")
    assert project.flow("F", "Two")[0].name == "Two"


def test_one_flow_file_is_loaded_with_its_project_and_what_that_refers_to(tmp_path: Path) -> None:
    project = load(write_workspace(tmp_path) / "ShopFolder/shop/Orders.msgflow")
    assert sorted(each.name for each in project.applications) == ["Common", "Shop", "Tools"]
    assert project.resolve(project.flow("Orders")[1]).notes == []


def test_one_flow_file_outside_of_projects_is_loaded_with_its_directory(tmp_path: Path) -> None:
    (tmp_path / "Orders.msgflow").write_bytes(ORDERS)
    (tmp_path / "x.esql").write_bytes(ESQL)
    project = load(tmp_path / "Orders.msgflow")
    (application,) = project.applications
    assert (application.kind, len(application.esql)) == (Kind.PLAIN, 1)


@pytest.mark.parametrize(("name", "data"), [("E.msgflow", b""), ("x.txt", b"text")])
def test_a_file_that_is_no_flow_is_refused_with_the_reason(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FlowFileError, match=f"{name}: (the file is empty|is no flow file)"):
        load(tmp_path / name)
    with pytest.raises(FlowFileError, match="there is no such file"):
        load(tmp_path / "none")


def test_in_a_plain_folder_the_file_itself_says_its_schema(tmp_path: Path) -> None:
    folder = tmp_path / "src/test/shop"
    folder.mkdir(parents=True)
    (folder / "Orders.msgflow").write_bytes(ORDERS)
    (folder / "Copy.msgflow").write_bytes(ORDERS)
    (folder / "a.esql").write_bytes(ESQL)
    (folder / "b.esql").write_bytes(b"CREATE PROCEDURE p() BEGIN END;")
    (application,) = load(tmp_path).applications
    assert sorted(application.flows) == ["shop.Copy", "shop.Orders"]
    assert [text.schema for text in application.esql] == ["shop", ""]


def test_flows_written_as_yaml_are_loaded_like_others(tmp_path: Path) -> None:
    write_workspace(tmp_path)
    (tmp_path / "Common/shop/Audit.subflow").unlink()
    (tmp_path / "Common/shop/Audit.subflow.yaml").write_bytes(yaml_form.write(xmi.read(AUDIT)))
    project = load(tmp_path)
    assert project.resolve(project.flow("Orders")[1]).find("Audit", "Keep copy") is not None


def test_links_that_leave_the_directory_are_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "Secret.msgflow").write_bytes(ORDERS)
    (inside / "Here.msgflow").write_bytes(AUDIT)
    os.symlink(outside / "Secret.msgflow", inside / "Link.msgflow")
    os.symlink(outside, inside / "folder")
    os.symlink(inside / "Here.msgflow", inside / "Same.msgflow")
    (application,) = load(inside).applications
    assert sorted(flow.name for flow in application.all_flows()) == ["Here", "Same"]


def test_a_bar_is_loaded_like_a_directory(tmp_path: Path) -> None:
    path = tmp_path / "orders.bar"
    path.write_bytes(bar_bytes())
    project = load(str(path))
    assert project.flow("Orders")[0].name == "Shop" and project.bar is not None


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("BROKER SCHEMA a.b\nx", "a.b"),
        ("-- BROKER SCHEMA no\n/* BROKER SCHEMA no */ broker  schema c;", "c"),
        ("CREATE MODULE m; BROKER SCHEMA late", ""),
        ("/* open BROKER SCHEMA a", ""),
        ("", ""),
    ],
)
def test_the_schema_of_esql_is_its_first_statement(text: str, schema: str) -> None:
    assert declared_schema(text) == schema


def test_old_texts_are_decoded_whatever_their_encoding() -> None:
    assert decode("è".encode("cp1252")) == decode("è".encode()) == decode("è".encode("utf-16")) == "è"
