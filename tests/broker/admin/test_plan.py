"""Plans of groups: shared libraries and policies of other deployments, nodes with policies, a disk that is full."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.broker.admin import process
from flintmq.broker.admin.place import locate
from flintmq.broker.admin.plan import GroupPlan, plan_group
from flintmq.broker.admin.repository import Repository
from flintmq.broker.flow.function import FlowFailed
from tests.broker.admin import bars
from tests.broker.runtime import flows

CALLER = (
    "CREATE COMPUTE MODULE Work CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
    "SET OutputRoot.XMLNSC.m = Twice(2); RETURN TRUE;\nEND; END MODULE;\n"
)
TWICE = "CREATE FUNCTION Twice(IN n INTEGER) RETURNS INTEGER BEGIN RETURN n * 2; END;\n"
REFERENCE = (
    '<?xml version="1.0" encoding="UTF-8"?><ns2:appDescriptor xmlns="http://com.ibm.etools.mft.descriptor.base" '
    'xmlns:ns2="http://com.ibm.etools.mft.descriptor.app"><references><sharedLibraryReference><libraryName>Common'
    "</libraryName></sharedLibraryReference></references></ns2:appDescriptor>"
)


class Group:
    """The group `default` of a broker that is stopped."""

    def __init__(self) -> None:
        self.place = locate("BRK")
        process.create(self.place, "QM1", {})
        self.repository = Repository("BRK", self.place.repository_url())
        self.repository.add_group("default")

    def deploy(self, path: Path) -> tuple[int, str]:
        said: list[str] = []
        code = process.send(self.place, {"do": "deploy", "group": "default", "path": str(path)}, said.append)
        return code, "\n".join(said)

    def plan(self) -> GroupPlan:
        return plan_group(self.repository, self.place, "default")


@pytest.fixture
def group(data: Path) -> Iterator[Group]:
    made = Group()
    yield made
    made.repository.close()


def caller(path: Path, esql: str = CALLER) -> Path:
    """Write a BAR with an application whose ESQL calls a function of the shared library Common."""
    directory = flows.computed(path.with_suffix(".files"), esql)
    members: dict[str, bytes | str] = {each.name: each.read_bytes() for each in directory.iterdir()}
    path.write_bytes(bars.archive({"App.appzip": bars.archive({**members, "application.descriptor": REFERENCE})}))
    return path


def test_an_application_uses_a_shared_library_of_another_deployment(group: Group, tmp_path: Path) -> None:
    assert group.deploy(caller(tmp_path / "app.bar"))[0] == 0

    def result() -> bytes:
        (planned,) = group.plan().flows
        flow = planned.applications.flow("Work", "App")
        (message,) = flow(b"<m/>").messages
        return bytes(message.data)

    with pytest.raises(FlowFailed, match="Twice"):
        result()
    library = tmp_path / "common.bar"
    library.write_bytes(bars.archive({"Common.shlibzip": bars.archive({"Twice.esql": TWICE})}))
    code, said = group.deploy(library)
    assert code == 0, said
    assert result() == b"<m>4</m>"


def test_esql_of_an_application_with_libraries_is_checked_and_named_by_its_own_place(
    group: Group, tmp_path: Path
) -> None:
    code, said = group.deploy(caller(tmp_path / "app.bar", CALLER + "CREATE FUNCTION Bad( BEGIN"))
    assert code == 1 and "BIP2401" in said and f"{tmp_path}/app.bar" in said and "BIP1093E" in said
    assert str(group.place.deployed) not in said
    assert group.repository.deployed("default") == [] and list(group.place.deployed.iterdir()) == []


def test_a_node_takes_the_properties_of_its_policy(group: Group, tmp_path: Path) -> None:
    path = tmp_path / "app.bar"
    files = flows.pass_through(tmp_path / "files", policyUrl="{MQ}:Elsewhere")
    policy = bars.POLICY.format(
        kind="MQEndpoint", name="Elsewhere", properties="<destinationQueueManagerName>QM9</destinationQueueManagerName>"
    )
    application: dict[str, bytes | str] = {"Pass.msgflow": (files / "Pass.msgflow").read_bytes()}
    path.write_bytes(bars.archive({"App.appzip": bars.archive(application)}))
    code, said = group.deploy(path)
    assert code == 0 and "the policy {MQ}:Elsewhere is not deployed" in said
    policies = tmp_path / "policies.bar"
    policies.write_bytes(bars.archive({"MQ/Elsewhere.policyxml": policy}))
    assert group.deploy(policies)[0] == 0
    (flow,) = group.plan().flows
    node = flow.resolved.find("In")
    assert node is not None and node.properties["destinationQueueManagerName"] == "QM9"


def test_a_directory_that_cannot_be_written_refuses_a_deployment(group: Group, tmp_path: Path) -> None:
    """As on a full disk: nothing is written down that could not be unpacked."""
    group.place.deployed.rmdir()
    group.place.deployed.write_bytes(b"")
    code, said = group.deploy(bars.pass_bar(tmp_path / "one.bar"))
    assert code == 1 and "BIP1093E" in said and "cannot be unpacked" in said
    assert group.repository.deployed("default") == [] and group.repository.contents() == {}


def test_content_that_was_damaged_or_removed_is_unpacked_from_the_repository_again(
    group: Group, tmp_path: Path
) -> None:
    assert group.deploy(bars.pass_bar(tmp_path / "one.bar"))[0] == 0
    assert group.deploy(flows.pass_through(tmp_path / "Other", "Other"))[0] == 0
    shutil.rmtree(group.place.deployed)
    group.place.make()
    assert sorted(each.flow for each in group.plan().flows) == ["Other", "Pass"]
