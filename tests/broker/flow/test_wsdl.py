"""WSDL as SOAP nodes read it."""

from __future__ import annotations

import pytest

from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.wsdl import read_wsdl

HEAD = (
    '<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="urn:shop" '
    'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" '
    'targetNamespace="urn:shop">'
)
TYPES = """
<wsdl:message name="AddIn"><wsdl:part name="p" element="tns:Add"/></wsdl:message>
<wsdl:message name="NoteIn"><wsdl:part name="p" element="tns:Note"/></wsdl:message>
<wsdl:message name="Out"><wsdl:part name="p" element="tns:Done"/></wsdl:message>
<wsdl:portType name="Shop">
  <wsdl:operation name="add"><wsdl:input message="tns:AddIn"/><wsdl:output message="tns:Out"/></wsdl:operation>
  <wsdl:operation name="note"><wsdl:input message="tns:NoteIn"/></wsdl:operation>
</wsdl:portType>
"""
BINDINGS = """
<wsdl:binding name="Plain" type="tns:Shop"/>
<wsdl:binding name="ShopSoap" type="tns:Shop"><soap:binding style="document"/>
  <wsdl:operation name="add"><soap:operation soapAction="urn:add"/><wsdl:input><soap:body use="literal"/></wsdl:input>
  </wsdl:operation>
  <wsdl:operation name="note"><soap:operation soapAction="urn:note"/></wsdl:operation>
</wsdl:binding>
<wsdl:binding name="ShopRpc" type="tns:Shop"><soap12:binding style="rpc"/>
  <wsdl:operation name="add"><soap12:operation soapAction="urn:add"/>
    <wsdl:input><soap12:body use="literal" namespace="urn:rpc"/></wsdl:input></wsdl:operation>
</wsdl:binding>
<wsdl:service name="ShopService">
  <wsdl:port name="ShopPort" binding="tns:ShopSoap"><soap:address location="http://shop:1/soap"/></wsdl:port>
</wsdl:service>
"""
WSDL = (HEAD + TYPES + BINDINGS + "</wsdl:definitions>").encode()


def test_operations_of_a_binding_have_action_and_element() -> None:
    found = read_wsdl("a.wsdl", {"a.wsdl": WSDL}.get)

    assert (found.binding, found.port, found.service, found.version) == ("ShopSoap", "ShopPort", "ShopService", "1.1")
    assert found.address == "http://shop:1/soap"
    assert found.namespace == "urn:shop"
    assert [(each.name, each.action, each.element, each.one_way) for each in found.operations] == [
        ("add", "urn:add", ("urn:shop", "Add"), False),
        ("note", "urn:note", ("urn:shop", "Note"), True),
    ]


def test_a_request_is_matched_by_its_element_then_by_its_action() -> None:
    found = read_wsdl("a.wsdl", {"a.wsdl": WSDL}.get, "ShopSoap")

    assert found.match("urn:shop", "Add", "urn:note") is found.operations[0]
    assert found.match("", "Other", '"urn:note"') is found.operations[1]
    assert found.match("", "Add", "") is None


def test_rpc_style_and_soap_1_2() -> None:
    found = read_wsdl("a.wsdl", {"a.wsdl": WSDL}.get, "ShopRpc")

    assert found.version == "1.2"
    assert found.operations[0].element == ("urn:rpc", "add")


def test_parts_may_be_imported_and_missing_imports_are_no_error() -> None:
    main = HEAD + '<wsdl:import location="dir/b.wsdl"/><wsdl:import location="none.wsdl"/>' + BINDINGS
    files = {
        "a.wsdl": (main + "</wsdl:definitions>").encode(),
        "b.wsdl": (HEAD + TYPES + "</wsdl:definitions>").encode(),
    }

    assert read_wsdl("a.wsdl", files.get).operations[0].element == ("urn:shop", "Add")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "not there"),
        (b"", "empty"),
        (b"<a/>", "not definitions"),
        (b"<a", "well-formed"),
        ((HEAD + "</wsdl:definitions>").encode(), "no binding"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "document type"),
    ],
)
def test_a_file_that_is_no_wsdl_says_why(data: bytes | None, reason: str) -> None:
    with pytest.raises(FlowFileError, match=reason):
        read_wsdl("a.wsdl", {"a.wsdl": data}.get)
