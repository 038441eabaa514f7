"""Descriptors of projects, policies and services."""

from __future__ import annotations

import pytest

from flintmq.broker.flow.descriptors import (
    Kind,
    ServiceOperation,
    read_policies,
    read_project_file,
    read_references,
    read_service,
)
from flintmq.broker.flow.model import FlowFileError
from tests.broker.flow.sample_projects import APPLICATION, LIBRARY, POLICIES, REFERENCE, project_file

SERVICE = b"""<service:services xmlns:service="http://com.ibm.etools.mft.service">
  <service:service implementation="gen/S.msgflow" name="S" portType="P" wsdlFileName="S.wsdl"><service:operations>
    <service:operation name="add" type="request-response"><service:flows>
      <service:flow location="gen/add.subflow" type="Request_Response"/></service:flows></service:operation>
    <service:operation name="note" type="one-way"/>
  </service:operations></service:service></service:services>"""


@pytest.mark.parametrize(
    ("nature", "kind"),
    [
        ("applicationNature", Kind.APPLICATION),
        ("sharedLibraryNature", Kind.SHARED_LIBRARY),
        ("libraryNature", Kind.STATIC_LIBRARY),
        ("serviceApplicationNature", Kind.SERVICE),
        ("testProjectNature", Kind.TEST),
        ("messageBrokerProjectNature", None),
    ],
)
def test_the_nature_says_what_a_project_is(nature: str, kind: Kind | None) -> None:
    found = read_project_file(project_file("Shop", nature, "A", "B"))
    assert (found.name, found.kind, found.references) == ("Shop", kind, ["A", "B"])


def test_references_and_shared_libraries_are_told() -> None:
    data = APPLICATION % (REFERENCE % b"One" + REFERENCE % b"Two")
    assert read_references(data) == (["One", "Two"], False)
    assert read_references(LIBRARY % b"sharedLibraryNature") == ([], True)
    assert read_references(LIBRARY % b"libraryNature") == ([], False)


def test_policies_have_type_template_and_properties() -> None:
    (policy,) = read_policies(POLICIES, "Prod.policyxml", "Policies")
    assert (policy.name, policy.type, policy.template, policy.project) == (
        "Prod",
        "MQEndpoint",
        "MQEndpoint",
        "Policies",
    )
    assert policy.properties == {"queueManager": "QM1", "port": ""}
    assert [each.name for each in read_policies(b'<policy policyName="X"/>')] == ["X"]


def test_a_service_names_its_wsdl_and_operations() -> None:
    service = read_service(SERVICE)
    assert service is not None
    assert (service.name, service.implementation, service.wsdl) == ("S", "gen/S.msgflow", "S.wsdl")
    assert service.operations == [
        ServiceOperation("add", "request-response", "gen/add.subflow"),
        ServiceOperation("note", "one-way"),
    ]
    assert read_service(b"<services/>") is None


def test_what_is_no_xml_is_refused_with_its_name() -> None:
    for read in (read_project_file, read_references, read_policies, read_service):
        with pytest.raises(FlowFileError, match="x.descriptor"):
            read(b"<a", "x.descriptor")
