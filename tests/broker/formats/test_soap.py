"""The domain SOAP: envelopes, headers, bodies and attachments."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.tree.element import Element, check_tree, copy_element
from flintmq.broker.tree.types import ATTRIBUTE, FOLDER, NAME

ENVELOPE = (
    b'<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" '
    b'xmlns:o="urn:order"><s:Header><o:id>7</o:id></s:Header><s:Body wsu="1"><o:Order><o:n>1</o:n></o:Order></s:Body>'
    b"</s:Envelope>"
)


def parsed(body: bytes) -> Element:
    return format_of("SOAP").parse(body, Context())


def written(body: Element, ccsid: int = 1208) -> bytes:
    return format_of("SOAP").write(body, Context(ccsid=ccsid))


def child(element: Element, *names: str) -> Element:
    for name in names:
        found: Element | None = next((e for e in element.children() if e.name == name), None)
        assert found is not None, name
        element = found
    return element


def test_an_envelope_has_context_header_and_body() -> None:
    folder = parsed(ENVELOPE)
    assert [e.name for e in folder.children()] == ["Context", "Header", "Body"]
    assert folder.get("Context.SOAP_Version") == "1.1"
    declared = child(folder, "Context", "Namespace").children()
    assert [(e.name, e.value) for e in declared] == [
        ("s", "http://schemas.xmlsoap.org/soap/envelope/"),
        ("o", "urn:order"),
    ]
    assert child(folder, "Header", "id").value == "7"
    order = child(folder, "Body", "Order")
    assert (order.namespace, child(order, "n").value) == ("urn:order", "1")
    assert [(e.type, e.name) for e in child(folder, "Body").children()] == [(ATTRIBUTE, "wsu"), (FOLDER, "Order")]
    check_tree(folder)
    assert written(folder) is ENVELOPE


def test_a_changed_envelope_is_written_from_its_folders() -> None:
    folder = parsed(ENVELOPE)
    child(folder, "Body", "Order", "n").set_value("2")
    expected = ENVELOPE.replace(b"<o:n>1<", b"<o:n>2<")
    assert written(folder) == expected
    other = copy_element(folder)
    assert written(other) == expected
    assert written(other, 819) == expected.replace(b"UTF-8", b"ISO-8859-1")


def test_an_envelope_made_from_nothing_is_soap_1_1_unless_the_context_says_otherwise() -> None:
    folder = Element("SOAP", None, NAME)
    folder.domain = "SOAP"
    folder.folder("Body").append(Element("a", None, FOLDER, "urn:a")).add("b", 1)
    assert written(folder).decode() == (
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
        '<NS1:a xmlns:NS1="urn:a"><b>1</b></NS1:a></soapenv:Body></soapenv:Envelope>'
    )
    folder.put("Context.SOAP_Version", "1.2")
    assert b'"http://www.w3.org/2003/05/soap-envelope"' in written(folder)
    again = parsed(written(folder))
    assert again.get("Context.SOAP_Version") == "1.2"
    folder.put("Context.SOAP_Version", "2.0")
    with pytest.raises(BrokerError, match="must be 1.1 or 1.2"):
        written(folder)


def test_a_fault_is_the_child_of_the_body() -> None:
    body = (
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>e:Client'
        b"</faultcode><faultstring>no</faultstring></e:Fault></e:Body></e:Envelope>"
    )
    fault = child(parsed(body), "Body", "Fault")
    assert child(fault, "faultstring").value == "no"
    assert [e.name for e in parsed(body).children()] == ["Context", "Body"]


def test_attachments_are_folders_and_come_back() -> None:
    message = (
        b"--mark\r\nContent-Type: text/xml\r\n\r\n" + ENVELOPE + b"\r\n--mark\r\nContent-Type: image/png\r\n"
        b"Content-ID: <1>\r\n\r\n\x89PNG\r\n\n\x00\r\n--mark--\r\n"
    )
    folder = parsed(message)
    assert [e.name for e in folder.children()] == ["Context", "Header", "Body", "Attachment"]
    attachment = child(folder, "Attachment")
    assert [(e.name, e.value) for e in child(attachment, "MIME_Headers").children()] == [
        ("Content-Type", "image/png"),
        ("Content-ID", "<1>"),
    ]
    assert attachment.get("BLOB.BLOB") == b"\x89PNG\r\n\n\x00"
    assert written(folder) is message
    child(folder, "Body", "Order", "n").set_value("2")
    again = parsed(written(folder))
    assert child(again, "Attachment").get("BLOB.BLOB") == b"\x89PNG\r\n\n\x00"
    assert child(again, "Body", "Order", "n").value == "2"


@pytest.mark.parametrize(
    "body",
    [
        b"<a/>",
        b"<Envelope/>",
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"/>',
        b"--",
        b"--x",
        b"--mark\r\n",
        b"--mark\r\nno headers",
        b"--mark\r\n\r\nnot xml\r\n--mark--",
        b"not xml",
    ],
)
def test_what_is_no_envelope_is_an_error(body: bytes) -> None:
    with pytest.raises(BrokerError) as caught:
        parsed(body).first_child()
    assert [entry.number for entry in caught.value.chain()] == [5009, 5004]
    assert written(parsed(body)) is body
