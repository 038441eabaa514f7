"""The MIME domain: parts as bytes, written back as they came."""

from __future__ import annotations

import email
import email.policy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.mime import DEPTH_MAX
from flintmq.broker.tree.element import Element, check_tree, copy_element
from flintmq.broker.tree.headers import Template, parse_message
from flintmq.broker.tree.types import NAME

MIME = format_of("MIME")
TWO = (
    b'MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="b1"\r\n\r\npreamble\r\n'
    b"--b1\r\nContent-Type: text/xml\r\nContent-ID: <1>\r\n\r\n<a/>\r\n\r\n"
    b"--b1  \r\n\r\n\x00\x01--b1 is data\r\n--b1--\r\nepilogue"
)


def parts_of(folder: Element) -> list[Element]:
    parts = folder.child("Parts")
    assert parts is not None
    return [child for child in parts.children() if child.name == "Part"]


def data_of(part: Element) -> object:
    return part.get("Data.BLOB.BLOB")


def test_parts_are_read_with_their_fields_and_bytes() -> None:
    """MF 1.6."""
    folder = MIME.parse(TWO, Context())
    assert [child.name for child in folder.children()] == ["MIME-Version", "Content-Type", "Parts"]
    assert folder.get("Content-Type") == 'multipart/related; boundary="b1"'
    first, second = parts_of(folder)
    assert first.get("Content-ID") == "<1>" and data_of(first) == b"<a/>\r\n"
    assert data_of(second) == b"\x00\x01--b1 is data"
    assert folder.get("Parts.Prologue") == b"preamble\r\n" and folder.get("Parts.Epilogue") == b"epilogue"
    check_tree(folder)
    assert MIME.write(folder, Context()) == TWO


def test_unchanged_parts_are_written_as_they_came() -> None:
    folder = MIME.parse(TWO, Context())
    first, second = parts_of(folder)
    first.put("Data.BLOB.BLOB", b"<b/>")
    written = MIME.write(copy_element(folder), Context())
    again = MIME.parse(written, Context())
    assert [data_of(part) for part in parts_of(again)] == [b"<b/>", b"\x00\x01--b1 is data"]
    assert again.get("Parts.Epilogue") == b"epilogue"


@given(
    st.lists(
        st.tuples(st.sampled_from(["text/plain", "image/png"]), st.binary(max_size=40)),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_a_message_made_by_a_flow_is_what_python_reads(found: list[tuple[str, bytes]]) -> None:
    """The email package of Python is the judge."""
    folder = Element("MIME", None, NAME)
    folder.domain = "MIME"
    folder.add("MIME-Version", "1.0")
    folder.add("Content-Type", "multipart/mixed")
    parts = folder.append(Element("Parts", None, NAME))
    for kind, data in found:
        part = parts.append(Element("Part", None, NAME))
        part.add("Content-Type", kind)
        part.add("Content-Transfer-Encoding", "binary")
        part.put("Data.BLOB", None)
        blob = part.child("Data")
        assert blob is not None
        blob.clear()
        made = blob.append(Element("BLOB", None, NAME))
        made.domain = "BLOB"
        made.add("BLOB", data)
    written = MIME.write(folder, Context())
    again = MIME.parse(written, Context())
    assert [(part.get("Content-Type"), data_of(part)) for part in parts_of(again)] == found
    judged = email.message_from_bytes(written, policy=email.policy.HTTP)
    assert judged.is_multipart() and len(judged.get_payload()) == len(found)


def test_parts_nest_and_a_single_part_has_data() -> None:
    inner = b"Content-Type: multipart/mixed; boundary=in\r\n\r\n--in\r\n\r\nx\r\n--in--\r\n"
    outer = b'Content-Type: multipart/mixed; boundary="out"\r\n\r\n--out\r\n' + inner + b"\r\n--out--\r\n"
    folder = MIME.parse(outer, Context())
    (part,) = parts_of(folder)
    (below,) = parts_of(part)
    assert data_of(below) == b"x"
    folder.put("Content-Type", 'multipart/related; boundary="out"')
    copied = copy_element(folder)
    assert data_of(parts_of(parts_of(copied)[0])[0]) == b"x"
    assert inner in MIME.write(copied, Context())
    single = MIME.parse(b"Content-Type: text/plain\r\n\r\nhello", Context())
    assert single.get("Content-Type") == "text/plain" and single.get("Data.BLOB.BLOB") == b"hello"
    single.put("Content-Type", "text/html")
    assert MIME.write(single, Context()) == b"Content-Type: text/html\r\n\r\nhello"


def test_a_boundary_is_made_up_that_no_part_contains() -> None:
    folder = Element("MIME", None, NAME)
    part = folder.append(Element("Parts", None, NAME)).append(Element("Part", None, NAME))
    part.add("Data", b"--FlintMQ_boundary_1 --FlintMQ_boundary_2")
    again = MIME.parse(MIME.write(folder, Context()), Context())
    assert again.get("Content-Type") == 'multipart/mixed; boundary="FlintMQ_boundary_3"'
    assert data_of(parts_of(again)[0]) == b"--FlintMQ_boundary_1 --FlintMQ_boundary_2"


def test_a_message_of_http_takes_its_boundary_from_the_content_type() -> None:
    body = b"preamble\r\n--xyz\r\n\r\nd\r\n--xyz--\r\n"
    root = parse_message(None, body, Template("MIME"), content_type="multipart/related; boundary=xyz")
    folder = root.last_child()
    assert folder is not None and data_of(parts_of(folder)[0]) == b"d"


def test_a_body_without_header_fields_begins_with_its_boundary() -> None:
    body = b"--xyz\r\nA: 1\r\n\r\nd\r\n--xyz--\r\n"
    folder = MIME.parse(body, Context())
    (part,) = parts_of(folder)
    assert part.get("A") == "1" and data_of(part) == b"d"
    part.put("A", "2")
    assert MIME.write(folder, Context()) == body.replace(b"A: 1", b"A: 2")
    typed = Context(parser_options={"contentType": "multipart/related; boundary=xyz"})
    assert data_of(parts_of(MIME.parse(body, typed))[0]) == b"d"


@pytest.mark.parametrize(
    "body",
    [
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\nno boundary',
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nnever closed',
        b"Good: field\r\nbad field\r\n\r\n",
        b"A: 1\r\n" * 2000 + b"\r\n",
    ],
)
def test_a_broken_message_is_refused_with_its_offset(body: bytes) -> None:
    with pytest.raises(BrokerError, match="offset"):
        MIME.parse(body, Context()).first_child()
    assert MIME.write(MIME.parse(body, Context()), Context()) == body


def test_nesting_is_bounded() -> None:
    body = b"x"
    for depth in range(DEPTH_MAX + 2):
        name = f"b{depth}".encode()
        body = b"Content-Type: multipart/mixed; boundary=" + name + b"\r\n\r\n--" + name + b"\r\n" + body
        body += b"\r\n--" + name + b"--\r\n"
    at = MIME.parse(body, Context())
    with pytest.raises(BrokerError, match="nested"):
        for _ in range(DEPTH_MAX + 2):
            (at,) = parts_of(at)


@pytest.mark.parametrize(("name", "value"), [("A B", "x"), ("A", "x\r\nEvil: 1"), ("", "x")])
def test_a_field_cannot_smuggle_another(name: str, value: str) -> None:
    folder = Element("MIME", None, NAME)
    folder.append(Element(name, value))
    with pytest.raises(BrokerError, match="header field"):
        MIME.write(folder, Context())


@given(st.binary(max_size=80))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    folder = MIME.parse(b"--b\r\n" + body, Context())
    try:
        for part in parts_of(folder):
            part.children()
    except BrokerError as error:
        assert error.number == 5651
