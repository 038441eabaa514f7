"""Messages of MQ as trees: the chain of headers, the choice of the body parser, and the way back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.tree.assembly import new_root
from flintmq.broker.tree.element import Element, Step, check_tree, copy_content, copy_element, ensure
from flintmq.broker.tree.header_chain import HEADERS_MAX
from flintmq.broker.tree.header_fields import LAYOUTS, TEXT
from flintmq.broker.tree.headers import (
    Template,
    blob_message,
    context_of_root,
    parse_message,
    plain_header,
    write_message,
)
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import Date, Time, Timestamp
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import FIELDS, MQMD
from flintmq.mqi.rfh import MQRFH
from flintmq.mqi.rfh2 import MQRFH2

NOW = Timestamp(2024, 1, 31, 12, 0, 0, 0, True)


def fields(md: MQMD) -> dict[str, object]:
    return {name: getattr(md, name) for name in FIELDS}


def new_md(format: str = "MQSTR", encoding: int = 546, ccsid: int = 1208) -> MQMD:
    md = MQMD()
    md.version = 2
    md.format = format
    md.encoding = encoding
    md.coded_char_set_id = ccsid
    md.put_date = "20240131"
    md.put_time = "10203040"
    md.correl_id = b"c" * 24
    md.priority = 5
    md.persistence = 1
    return md


def new_rfh2(*folders: str, format: str = "MQSTR", ccsid: int = 1208) -> MQRFH2:
    rfh2 = MQRFH2()
    rfh2.format = format
    rfh2.coded_char_set_id = ccsid
    rfh2.folders = list(folders)
    return rfh2


def assign(root: Element, path: str, value: object) -> None:
    """Assign as SET does: missing steps are created, a child of Root gets its parser."""
    ensure(root, [Step(name) for name in path.split(".")], True).set_value(value)


def names(element: Element) -> list[str]:
    return [child.name for child in element.children()]


def child(element: Element, path: str) -> Element:
    for name in path.split("."):
        found = element.child(name)
        assert found is not None, f"there is no {name}"
        element = found
    return element


def test_a_plain_message_has_properties_descriptor_and_body() -> None:
    """MF 1.3."""
    root = parse_message(new_md(), b"<a>1</a>", Template("XMLNSC"))
    assert names(root) == ["Properties", "MQMD", "XMLNSC"]
    check_tree(root)
    body = root.last_child()
    assert body is not None and body.domain == "XMLNSC"


def test_an_untouched_message_is_given_back_as_it_came() -> None:
    """B246."""
    md, data = new_md(), b"<broken"
    md_out, data_out = write_message(parse_message(md, data, Template("XMLNSC")))
    assert data_out is data
    assert fields(md_out) == fields(md) and md_out is not md


def test_the_descriptor_has_the_recorded_leaves_in_order_with_padding() -> None:
    """MF 1.5."""
    md = new_md()
    md.reply_to_q = "Q"
    folder = child(parse_message(md, b"", source_queue="IN", transactional=True), "MQMD")
    assert (
        names(folder)
        == (
            "SourceQueue Transactional Encoding CodedCharSetId Format Version Report MsgType Expiry Feedback Priority"
            " Persistence MsgId CorrelId BackoutCount ReplyToQ ReplyToQMgr UserIdentifier AccountingToken"
            " ApplIdentityData PutApplType PutApplName PutDate PutTime ApplOriginData GroupId MsgSeqNumber Offset"
            " MsgFlags OriginalLength"
        ).split()
    )
    assert folder.get("SourceQueue") == "IN" and folder.get("Transactional") is True
    assert folder.get("Format") == "MQSTR   " and folder.get("ReplyToQ") == "Q".ljust(48)
    assert folder.get("PutDate") == Date(2024, 1, 31) and folder.get("PutTime") == Time(10, 20, 30, 400_000, True)
    md.version = 1
    assert "GroupId" not in names(child(parse_message(md, b""), "MQMD"))


def test_properties_say_what_headers_and_template_say() -> None:
    """MF 1.4; names, order and values are those of recorded assemblies."""
    md = new_md()
    md.expiry = 600
    root = parse_message(md, b"x", Template("BLOB", "SET", "TYPE", "FMT"), transactional=True, now=NOW)
    properties = child(root, "Properties")
    assert [(leaf.name, leaf.value) for leaf in properties.children()] == [
        ("MessageSet", "SET"),
        ("MessageType", "TYPE"),
        ("MessageFormat", "FMT"),
        ("Encoding", 546),
        ("CodedCharSetId", 1208),
        ("Transactional", True),
        ("Persistence", True),
        ("CreationTime", Timestamp(2024, 1, 31, 10, 20, 30, 400_000, True)),
        ("ExpirationTime", Timestamp(2024, 1, 31, 12, 1, 0, 0, True)),
        ("Priority", 5),
        ("ReplyIdentifier", b"c" * 24),
        ("ReplyProtocol", "MQ"),
        ("Topic", None),
        ("ContentType", ""),
        ("IdentitySourceType", ""),
        ("IdentitySourceToken", ""),
        ("IdentitySourcePassword", ""),
        ("IdentitySourceIssuedBy", ""),
        ("IdentityMappedType", ""),
        ("IdentityMappedToken", ""),
        ("IdentityMappedPassword", ""),
        ("IdentityMappedIssuedBy", ""),
    ]


texts = st.text(alphabet="ABCxyz019._/ü", max_size=20)


@st.composite
def chains(draw: st.DrawFn) -> list[Any]:
    """Structures of a chain, each with random fields."""
    kinds = draw(st.lists(st.sampled_from(sorted(set(LAYOUTS) - {"MQRFH2C"})), max_size=4))
    made: list[Any] = []
    for kind in kinds:
        structure = LAYOUTS[kind].make()
        for field in LAYOUTS[kind].fields:
            if field.kind == TEXT and field.name not in ("Format",):
                text = draw(st.text(alphabet="ABCxyz019. ", min_size=1, max_size=field.length or 10))
                setattr(structure, field.attribute, text if field.length == 1 else text.rstrip())
            elif field.kind == 0 and field.name not in ("Version", "Encoding", "CodedCharSetId", "NameValueCCSID"):
                setattr(structure, field.attribute, draw(st.integers(-(2**31), 2**31 - 1)))
        if kind == "MQRFH2":
            structure.folders = [
                f"<usr><a dt='i4'>{draw(st.integers(-9, 9))}</a><b>{draw(texts)}</b></usr>" for _ in range(2)
            ]
        elif kind == "MQRFH":
            structure.set_pairs([(draw(texts) or "n", draw(texts))])
        elif kind == "MQCIH":
            structure.version = draw(st.sampled_from([1, 2]))
        structure.encoding = draw(st.sampled_from([273, 546, 785]))
        structure.coded_char_set_id = draw(st.sampled_from([1208, 819, 500, 1047]))
        made.append(structure)
    return made


FORMATS = {type(layout.make()): layout for layout in LAYOUTS.values()}


def message_of(structures: list[Any], body: bytes, md: MQMD) -> bytes:
    parts: list[bytes] = []
    previous: Any = md
    for structure in structures:
        previous.format = FORMATS[type(structure)].format
        previous = structure
    previous.format = "MQSTR"
    encoding, ccsid = md.encoding, md.coded_char_set_id
    for structure in structures:
        parts.append(structure.pack(encoding & 0xF == 1, ccsid))
        encoding, ccsid = structure.encoding or encoding, structure.coded_char_set_id or ccsid
    return b"".join(parts) + body


@given(chains(), st.binary(max_size=20), st.sampled_from([273, 546]), st.sampled_from([1208, 500]))
@settings(max_examples=60, deadline=None)
def test_any_chain_of_headers_survives_untouched_touched_and_rebuilt(
    structures: list[Any], body: bytes, encoding: int, ccsid: int
) -> None:
    md = new_md(encoding=encoding, ccsid=ccsid)
    data = message_of(structures, body, md)
    root = parse_message(md, data)
    assert write_message(root)[1] == data

    touched = copy_element(root)
    for folder in touched.children():
        for leaf in folder.children():
            leaf.children()
    check_tree(touched)
    assign(touched, "Properties.ContentType", "text/plain")
    md_out, data_out = write_message(touched)
    assert data_out == data and fields(md_out) == fields(md)

    made = new_root()
    for folder in root.children():
        made.append(without_source(folder)).domain = folder.domain
    md_out, data_out = write_message(made, now=NOW)
    again = parse_message(md_out, data_out)
    assert [told(folder) for folder in again.children()[1:]] == [told(folder) for folder in root.children()[1:]]


def without_source(element: Element) -> Element:
    made = Element(element.name, element.value, element.type)
    for below in element.children():
        made.append(without_source(below))
    return made


def told(element: Element) -> tuple[object, ...]:
    return element.name, element.value, [told(below) for below in element.children()]


def test_each_header_is_read_in_encoding_and_character_set_of_the_one_before() -> None:
    dlh = MQDLH()
    dlh.dest_q_name = "WHERE"
    dlh.coded_char_set_id = 500
    dlh.encoding = 546
    rfh2 = new_rfh2("<usr><k>v</k></usr>")
    md = new_md(encoding=273, ccsid=819)
    root = parse_message(md, message_of([dlh, rfh2], b"{}", md), Template("JSON"))
    assert names(root) == ["Properties", "MQMD", "MQDLH", "MQRFH2", "JSON"]
    assert child(root, "MQDLH.DestQName").value == "WHERE".ljust(48)
    assert child(root, "MQRFH2.usr.k").value == "v"
    assert child(root, "Properties").get("CodedCharSetId") == 1208


@pytest.mark.parametrize(
    ("msd", "domain"),
    [
        ("xmlnsc", "XMLNSC"),
        ("XMLNS", "XMLNS"),
        ("xml", "XML"),
        ("none", "BLOB"),
        ("BLOB", "BLOB"),
        ("json", "JSON"),
        ("jms_text", "JSON"),
        ("", "JSON"),
    ],
)
def test_mcd_chooses_the_body_parser_before_the_template(msd: str, domain: str) -> None:
    """B254, MF 1.5."""
    md = new_md()
    data = message_of([new_rfh2(f"<mcd><Msd>{msd}</Msd><Set>S</Set></mcd>")], b"<a/>", md)
    root = parse_message(md, data, Template("JSON", "TS"))
    body = root.last_child()
    assert body is not None and body.domain == domain


def test_mcd_brings_its_template_and_jms_kinds_do_not() -> None:
    md = new_md()
    mcd = "<mcd><Msd>{}</Msd><Set>S</Set><Type>T</Type><Fmt>F</Fmt></mcd>"
    properties = child(
        parse_message(md, message_of([new_rfh2(mcd.format("xmlnsc"))], b"<a/>", md), Template("JSON", "TS")),
        "Properties",
    )
    assert [properties.get(name) for name in ("MessageSet", "MessageType", "MessageFormat")] == ["S", "T", "F"]
    md = new_md()
    properties = child(
        parse_message(md, message_of([new_rfh2(mcd.format("jms_text"))], b"<a/>", md), Template("JSON", "TS")),
        "Properties",
    )
    assert properties.get("MessageSet") == "TS"


def test_without_template_and_for_unknown_parsers_the_body_is_a_blob() -> None:
    """B253."""
    body = parse_message(new_md(), b"x").last_child()
    assert body is not None and body.domain == "BLOB" and body.get("BLOB") == b"x"
    body = parse_message(new_md(), b"x", Template("NEON")).last_child()
    assert body is not None and body.domain == "BLOB" and body.get("UnknownParserName") == "NEON"


def test_an_empty_message_has_no_body() -> None:
    """Recorded assemblies of messages without data end with their last header."""
    assert names(parse_message(new_md(), b"", Template("XMLNSC"))) == ["Properties", "MQMD"]


def test_a_message_without_descriptor_takes_what_its_transport_says() -> None:
    header = plain_header("HTTPInputHeader", [("Host", "h"), ("X-Scheme", "http")])
    root = parse_message(
        None, "ü".encode("latin-1"), Template("BLOB"), headers=[header], ccsid=819, reply_protocol="SOAP-HTTP"
    )
    assert names(root) == ["Properties", "HTTPInputHeader", "BLOB"]
    properties = child(root, "Properties")
    assert properties.get("ReplyProtocol") == "SOAP-HTTP" and properties.get("ReplyIdentifier") == bytes(24)
    assert properties.get("ExpirationTime") == -1
    child(root, "HTTPInputHeader.Host").set_value("other")
    check_tree(root)
    assert child(copy_element(root), "HTTPInputHeader.Host").value == "other"
    md, data = write_message(root)
    assert data == b"\xfc" and md.coded_char_set_id == 819


def test_a_tree_that_a_caller_filled_keeps_its_changes_in_copies() -> None:
    header = Element("HTTPInputHeader", None, NAME)
    header.domain = "HTTPInputHeader"
    header.add("Host", "h")
    root = parse_message(None, b"x", headers=[header])
    check_tree(root)
    child(root, "HTTPInputHeader.Host").set_value("other")
    assert child(copy_element(root), "HTTPInputHeader.Host").value == "other"


# The way back.


def changed(md: MQMD | None = None, data: bytes = b"<a>1</a>", domain: str = "XMLNSC") -> Element:
    return parse_message(new_md() if md is None else md, data, Template(domain))


def test_fields_of_the_descriptor_are_written() -> None:
    root = changed()
    assign(root, "MQMD.ReplyToQ", "ANSWER".ljust(48))
    assign(root, "MQMD.CorrelId", "41".ljust(48, "0"))
    assign(root, "MQMD.Priority", "7")
    assign(root, "MQMD.PutDate", Date(2025, 2, 3))
    assign(root, "MQMD.Expiry", Timestamp(2024, 1, 31, 12, 0, 5, 0, True))
    md, data = write_message(root, now=NOW)
    assert (md.reply_to_q, md.correl_id[:2], md.priority, md.put_date, md.expiry) == (
        "ANSWER",
        b"A\0",
        7,
        "20250203",
        50,
    )
    assert data == b"<a>1</a>"


def test_a_deleted_leaf_stands_for_the_default_of_its_field() -> None:
    root = changed()
    child(root, "MQMD.CorrelId").detach()
    child(root, "MQMD.Priority").set_value(None)
    md, _ = write_message(root)
    assert md.correl_id == bytes(24) and md.priority == -1 and md.put_date == "20240131"


def test_a_leaf_taken_from_another_descriptor_is_written() -> None:
    root = changed()
    other = new_md()
    other.correl_id = b"o" * 24
    taken = child(parse_message(other, b""), "MQMD.CorrelId").detach()
    child(root, "MQMD.CorrelId").detach()
    child(root, "MQMD").append(taken)
    md, _ = write_message(root)
    assert md.correl_id == b"o" * 24


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("MQMD.ReplyToQ", "Q" * 49),
        ("MQMD.ReplyToQ", 5),
        ("MQMD.MsgId", bytes(25)),
        ("MQMD.MsgId", "no hex"),
        ("MQMD.Report", 2**31),
        ("MQMD.Report", "many"),
        ("MQMD.Report", 1.5),
        ("MQRFH2.Version", 7),
        ("MQRFH2.usr.a b", "x"),
        ("MQDLH.Reason", b"x"),
    ],
)
def test_a_value_that_its_field_cannot_hold_is_named(path: str, value: object) -> None:
    root = new_root()
    assign(root, path, value)
    with pytest.raises(BrokerError) as caught:
        write_message(root)
    assert caught.value.number == 6119 and path.split(".")[0] in caught.value.text


def test_a_message_without_descriptor_gets_a_default_one() -> None:
    root = new_root()
    assign(root, "Properties.Persistence", True)
    assign(root, "Properties.Priority", 3)
    assign(root, "Properties.CodedCharSetId", 819)
    assign(root, "Properties.ReplyIdentifier", b"r")
    assign(root, "Properties.ExpirationTime", Timestamp(2024, 1, 31, 12, 0, 1, 0, True))
    assign(root, "JSON.Data.k", "ü")
    md, data = write_message(root, now=NOW)
    assert (md.persistence, md.priority, md.coded_char_set_id, md.expiry) == (1, 3, 819, 10)
    assert md.correl_id == b"r".ljust(24, b"\0")
    assert data == b'{"k":"\xfc"}'


def test_an_assigned_property_changes_the_header_unless_that_was_assigned_too() -> None:
    """MF 1.4: where both are set, the header wins."""
    root = changed()
    assign(root, "Properties.CodedCharSetId", 819)
    assign(root, "Properties.Priority", 2)
    assign(root, "Properties.Persistence", False)
    assign(root, "MQMD.Priority", 9)
    assign(root, "XMLNSC.a", "ü")
    md, data = write_message(root)
    assert (md.coded_char_set_id, md.priority, md.persistence) == (819, 9, 0)
    assert data == b"<a>\xfc</a>"
    assert context_of_root(root).ccsid == 819


def test_character_set_and_encoding_of_the_body_are_those_of_the_last_header() -> None:
    md = new_md(ccsid=500, encoding=785)
    root = parse_message(md, message_of([new_rfh2("<usr><k>v</k></usr>")], b"<a>1</a>", md), Template("XMLNSC"))
    assign(root, "Properties.CodedCharSetId", 819)
    assign(root, "XMLNSC.a", "ü")
    md_out, data = write_message(root)
    assert md_out.coded_char_set_id == 500
    again = parse_message(md_out, data, Template("XMLNSC"))
    assert child(again, "MQRFH2.CodedCharSetId").value == 819
    assert data.endswith(b"<a>\xfc</a>")
    assert child(again, "XMLNSC.a").value == "ü"
    assign(root, "MQRFH2.CodedCharSetId", 1208)
    assert write_message(root)[1].endswith("<a>ü</a>".encode())
    assert context_of_root(root).ccsid == 1208


def test_copied_properties_do_not_count_as_assigned() -> None:
    source = changed()
    root = new_root()
    properties = root.append(Element("Properties", None, NAME))
    properties.domain = "Properties"
    copy_content(properties, child(source, "Properties"))
    assign(root, "MQMD.CodedCharSetId", 819)
    assign(root, "JSON.Data.k", "ü")
    md, data = write_message(root)
    assert md.coded_char_set_id == 819 and data == b'{"k":"\xfc"}'


def test_a_created_descriptor_names_the_character_set_of_the_body() -> None:
    source = parse_message(new_md(ccsid=819), b"x")
    root = new_root()
    properties = root.append(Element("Properties", None, NAME))
    properties.domain = "Properties"
    copy_content(properties, child(source, "Properties"))
    assign(root, "MQMD.Format", "MQSTR")
    assign(root, "JSON.Data.k", "ü")
    md, data = write_message(root)
    assert md.coded_char_set_id == 819 and data == b'{"k":"\xfc"}'
    child(root, "Properties").detach()
    md, data = write_message(root, q_mgr_ccsid=850)
    assert md.coded_char_set_id == 850 and data == b'{"k":"\x81"}'
    assert write_message(root, finalize=False, q_mgr_ccsid=850)[0].coded_char_set_id == 0


def test_a_new_header_between_descriptor_and_body_is_chained() -> None:
    root = changed()
    body = root.last_child()
    assert body is not None
    rfh2 = body.insert_before(Element("MQRFH2", None, NAME))
    rfh2.domain = "MQRFH2"
    rfh2.put("usr.count", 5)
    md, data = write_message(root)
    assert md.format == "MQHRF2"
    again = parse_message(md, data, Template("XMLNSC"))
    assert names(again) == ["Properties", "MQMD", "MQRFH2", "XMLNSC"]
    assert child(again, "MQRFH2").get("Format") == "MQSTR   "
    assert child(again, "MQRFH2").get("CodedCharSetId") == 1208
    assert child(again, "MQRFH2.usr.count").value == 5
    md, data = write_message(root, finalize=False)
    assert md.format == "MQSTR"


def test_a_deleted_header_is_taken_out_of_the_chain() -> None:
    md = new_md()
    data = message_of([MQDLH(), new_rfh2("<usr/>")], b"{}", md)
    root = parse_message(md, data, Template("JSON"))
    child(root, "MQDLH").detach()
    md_out, data_out = write_message(root)
    assert md_out.format == "MQHRF2"
    assert names(parse_message(md_out, data_out, Template("JSON"))) == ["Properties", "MQMD", "MQRFH2", "JSON"]
    child(root, "MQRFH2").detach()
    md_out, data_out = write_message(root)
    assert md_out.format == "" and data_out == b"{}"


def test_a_header_behind_the_body_a_second_body_and_a_late_descriptor_are_refused() -> None:
    """MF 1.3."""
    for path, message in (("MQRFH2.usr.a", "follows the body"), ("JSON.Data", "already"), ("MQMD.Format", "twice")):
        root = changed()
        if path.startswith("MQMD"):
            root.prepend(Element("MQMD", None, NAME)).domain = "MQMD"
        else:
            assign(root, path, "x")
        with pytest.raises(BrokerError, match=message):
            write_message(root)


def test_a_child_of_root_that_is_no_domain_is_refused() -> None:
    root = new_root()
    assign(root, "Message.a", 1)
    with pytest.raises(BrokerError, match="no parser"):
        write_message(root)


def test_an_http_reply_header_may_follow_the_body() -> None:
    """A recorded assembly of a working flow has it there."""
    root = changed()
    root.append(plain_header("HTTPReplyHeader", [("Content-Type", "text/xml")]))
    assert write_message(root)[1] == b"<a>1</a>"


# Broken chains.


def test_a_broken_header_is_named_with_its_offset_and_nothing_is_lost() -> None:
    md = new_md()
    data = message_of([MQDLH(), new_rfh2("<usr/>")], b"<a/>", md)
    broken = data[:172] + b"XXXX" + data[176:]
    with pytest.raises(BrokerError) as caught:
        parse_message(md, broken, Template("XMLNSC"))
    assert caught.value.number == 6118 and caught.value.kind == "ParserException"
    assert caught.value.inserts[:2] == ("MQRFH2", 172)
    root = blob_message(md, broken)
    assert names(root) == ["Properties", "MQMD", "BLOB"]
    assert child(root, "BLOB").get("BLOB") == broken
    assign(root, "MQMD.Priority", 1)
    md_out, data_out = write_message(root)
    assert data_out == broken and md_out.format == "MQDEAD"


@given(st.integers(0, 60), st.binary(max_size=8), st.sampled_from(sorted(set(LAYOUTS) - {"MQRFH2C"})))
@settings(max_examples=150, deadline=None)
def test_damaged_headers_are_read_or_refused_but_never_crash(place: int, damage: bytes, kind: str) -> None:
    structure = LAYOUTS[kind].make()
    if isinstance(structure, MQRFH2):
        structure.folders = ["<usr><a dt='i4'>5</a></usr>"]
    if isinstance(structure, MQRFH):
        structure.set_pairs([("a", "b")])
    md = new_md()
    data = message_of([structure], b"body", md)
    damaged = (data[:place] + damage + data[place + len(damage) :])[: max(4, len(data) - place)]
    try:
        root = parse_message(md, damaged)
        for folder in root.children():
            for leaf in folder.children():
                leaf.children()
        assign(root, "Properties.ContentType", "x")
        write_message(root)
    except BrokerError as error:
        assert error.number in (6118, 6119)


def test_lengths_of_an_mqrfh2_that_point_outside_are_refused() -> None:
    md = new_md()
    good = message_of([new_rfh2("<usr><a>1</a></usr>")], b"", md)
    for length in (0, 35, 37, 10_000, 2**31 - 1):
        broken = good[:8] + length.to_bytes(4, "little") + good[12:]
        with pytest.raises(BrokerError, match="MQRFH2 at offset 0"):
            parse_message(md, broken)
        broken = good[:36] + (length or 3).to_bytes(4, "little") + good[40:]
        with pytest.raises(BrokerError, match="NameValueLength"):
            parse_message(md, broken)


def test_a_chain_without_end_is_refused() -> None:
    md = new_md()
    data = message_of([MQRFH() for _ in range(HEADERS_MAX + 1)], b"", md)
    with pytest.raises(BrokerError, match="more than"):
        parse_message(md, data)


@pytest.mark.parametrize(
    "folder",
    ["<usr><a dt='i4'>x</a></usr>", "<usr><a>1</b></usr>", "<usr>" + "<a>" * 100 + "</usr>", "<usr>&bad;</usr>"],
)
def test_a_malformed_folder_fails_when_it_is_touched(folder: str) -> None:
    md = new_md()
    data = message_of([new_rfh2(folder)], b"{}", md)
    root = parse_message(md, data, Template("JSON"))
    assert child(root, "JSON").first_child() is not None
    usr = child(root, "MQRFH2.usr")
    with pytest.raises(BrokerError) as caught:
        usr.first_child()
    assert caught.value.number == 6118


# MQRFH2 and MQRFH.


def test_values_of_mqrfh2_are_typed_by_dt_and_written_with_it() -> None:
    md = new_md()
    text = (
        "<usr><i dt='i4'>-5</i><l dt='i8'>6</l><b dt='boolean'>1</b><r dt='r8'>1.5</r><h dt='bin.hex'>0AFF</h>"
        "<s>x &amp; y</s><n xsi:nil='true'></n><g><k dt='string'>v</k></g></usr>"
    )
    root = parse_message(md, message_of([new_rfh2(text)], b"{}", md))
    usr = child(root, "MQRFH2.usr")
    values = {leaf.name: leaf.value for leaf in usr.children()}
    assert values == {
        "i": -5,
        "l": 6,
        "b": True,
        "r": 1.5,
        "h": b"\x0a\xff",
        "s": "x & y",
        "n": None,
        "g": None,
    }
    assign(root, "MQRFH2.usr.s", "x & y")
    copied = copy_element(root)
    assert child(copied, "MQRFH2.usr.g.k").value == "v"
    assert write_message(copied)[1] == write_message(root)[1]
    md_out, data = write_message(root)
    assert text.encode() in data


def test_folders_of_the_product_get_no_dt() -> None:
    root = new_root()
    assign(root, "MQMD.Format", "")
    assign(root, "MQRFH2.psc.Command", "Publish")
    assign(root, "MQRFH2.psc.SeqNum", 5)
    assign(root, "MQRFH2.jms.Tms", 1_700_000_000_000)
    assign(root, "MQRFH2.usr.big", 2**40)
    assign(root, "MQRFH2.UID", "direct")
    md, data = write_message(root)
    assert b"<psc><Command>Publish</Command><SeqNum>5</SeqNum></psc>" in data
    assert b"<jms><Tms>1700000000000</Tms></jms>" in data
    assert b"<usr><big dt='i8'>1099511627776</big></usr>" in data
    assert b"<UID>direct</UID>" in data


def test_the_topics_of_a_publication_are_properties() -> None:
    md = new_md()
    psc = "<psc><Command>Publish</Command><Topic>a/b</Topic><Topic>c</Topic></psc>"
    root = parse_message(md, message_of([new_rfh2(psc)], b"{}", md))
    topics = [leaf.value for leaf in child(root, "Properties").children() if leaf.name == "Topic"]
    assert topics == ["a/b", "c"]


def test_the_compact_parser_gives_the_header_its_own_name() -> None:
    md = new_md()
    data = message_of([new_rfh2("<usr><a>1</a></usr>")], b"{}", md)
    root = parse_message(md, data, Template(compact_rfh2=True))
    assert names(root)[2] == "MQRFH2C"
    assign(root, "MQRFH2C.usr.b", "2")
    md_out, data_out = write_message(root)
    assert md_out.format == "MQHRF2" and b"<b>2</b>" in data_out


def test_names_and_values_of_mqrfh_are_leaves() -> None:
    md = new_md()
    rfh = MQRFH()
    rfh.set_pairs([("MQPSCommand", "RegSub"), ("MQPSTopic", "a b")])
    root = parse_message(md, message_of([rfh], b"", md))
    assert child(root, "MQRFH.MQPSTopic").value == "a b"
    assign(root, "MQRFH.MQPSQName", "Q")
    md_out, data = write_message(root)
    again = parse_message(md_out, data)
    assert child(again, "MQRFH.MQPSQName").value == "Q" and child(again, "MQRFH.MQPSCommand").value == "RegSub"


# Headers as formats: PARSE and ASBITSTREAM.


@pytest.mark.parametrize("domain", ["MQMD", *LAYOUTS])
def test_a_header_is_a_format_of_its_own(domain: str) -> None:
    structure: Any = MQMD() if domain == "MQMD" else LAYOUTS[domain].make()
    context = Context(ccsid=500, encoding=273)
    raw = structure.pack(True, 500)
    folder = format_of(domain).parse(raw, context)
    assert folder.name == domain and format_of(domain).write(folder, context) == raw
    folder.put("Format", "MQSTR")
    written = format_of(domain).write(folder, context)
    assert format_of(domain).parse(written, context).get("Format") == "MQSTR   "
    with pytest.raises(BrokerError):
        format_of(domain).parse(b"short", context).first_child()


def test_the_context_of_a_root_is_that_of_its_body() -> None:
    assert context_of_root(None).ccsid == 1208
    root = parse_message(new_md(ccsid=500, encoding=785), b"x", Template("BLOB", "S"))
    context = context_of_root(root)
    assert (context.ccsid, context.encoding, context.message_set) == (500, 785, "S")
    made = new_root()
    assign(made, "Properties.CodedCharSetId", 819)
    assign(made, "Properties.MessageSet", "S")
    assert context_of_root(made).ccsid == 819 and context_of_root(made).message_set == "S"
    assign(made, "MQMD.CodedCharSetId", 37)
    assert context_of_root(made).ccsid == 37
