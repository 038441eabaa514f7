"""PCF messages as trees, and the constants of MQ for ESQL."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.formats.pcf import mq_constants
from flintmq.broker.tree.element import Element, Step, check_tree, copy_element, ensure
from flintmq.broker.tree.headers import Template, parse_message, write_message
from flintmq.broker.tree.types import NAME, VALUE
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf import (
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    PCFMessage,
)
from flintmq.mqi.pcf_parameters import Parameter

PCF = format_of("MQPCF")
NATIVE = Context()


def message_of(*parameters: Parameter) -> PCFMessage:
    message = PCFMessage()
    message.header.command = 13
    message.parameters = list(parameters)
    return message


def tell(element: Element) -> tuple[object, ...]:
    return element.name, element.value, [tell(child) for child in element.children()]


def test_a_message_has_the_fields_of_its_header_and_its_parameters() -> None:
    """BA 2.3, 17."""
    message = message_of(
        MQCFST(2016, "ORDERS  "),
        MQCFIN(20, 1),
        MQCFIL(1002, [1, 2]),
        MQCFSL(3046, ["a", "b"]),
        MQCFBS(7000, b"\x01\x02"),
        MQCFIN64(745, 2**40),
        MQCFGR(8001, [MQCFIN(1, 2), MQCFGR(8002, [MQCFST(3, "x")])]),
        MQCFSF(2016, 2, "A*"),
        MQCFIF(3, 4, 5),
        MQCFBF(7001, 1, b"b"),
        MQCFIL64(9, [2**40]),
    )
    folder = PCF.parse(message.pack(), NATIVE)
    assert [child.name for child in folder.children()][:9] == (
        "Type StrucLength Version Command MsgSeqNumber Control CompCode Reason ParameterCount".split()
    )
    assert folder.get("Command") == 13 and folder.get("ParameterCount") == 11 and folder.get("StrucLength") == 36
    assert [tell(child) for child in folder.children()[9:]] == [
        ("Parameter", 2016, [("", "ORDERS  ", [])]),
        ("Parameter", 20, [("", 1, [])]),
        ("ParameterList", 1002, [("", 1, []), ("", 2, [])]),
        ("ParameterList", 3046, [("", "a", []), ("", "b", [])]),
        ("Parameter", 7000, [("", b"\x01\x02", [])]),
        ("Parameter", 745, [("", 2**40, [])]),
        (
            "ParameterGroup",
            8001,
            [("Parameter", 1, [("", 2, [])]), ("ParameterGroup", 8002, [("Parameter", 3, [("", "x", [])])])],
        ),
        ("ParameterFilter", 2016, [("Operator", 2, []), ("", "A*", [])]),
        ("ParameterFilter", 3, [("Operator", 4, []), ("", 5, [])]),
        ("ParameterFilter", 7001, [("Operator", 1, []), ("", b"b", [])]),
        ("ParameterList", 9, [("", 2**40, [])]),
    ]
    check_tree(folder)
    made = without_source(folder)
    assert PCF.write(made, NATIVE) == message.pack()
    told = tell(folder)
    folder.put("Version", 3)
    assert tell(copy_element(folder))[2][9:] == told[2][9:]  # type: ignore[index]


def without_source(element: Element) -> Element:
    made = Element(element.name, element.value, element.type)
    for child in element.children():
        made.append(without_source(child))
    return made


def test_a_command_is_written_as_esql_builds_it() -> None:
    folder = Element("MQPCF", None, NAME)
    folder.domain = "MQADMIN"
    for name, value in (("Type", 1), ("StrucLength", 36), ("Version", 1), ("Command", 13), ("ParameterCount", 99)):
        folder.add(name, value)
    parameter = folder.add("Parameter", 2016)
    parameter.append(Element("", "Q.*", VALUE))
    written = format_of("MQADMIN").write(folder, NATIVE)
    assert written == message_of(MQCFST(2016, "Q.*")).pack()


def test_paths_without_names_give_parameters_their_values() -> None:
    """SET OutputRoot.MQPCF.Parameter[1].* = 'Q.*'; SET OutputRoot.MQPCF.ParameterList[1].*[2] = 5;"""
    folder = Element("MQPCF", None, NAME)
    ensure(folder, [Step("Parameter", index=1)], True).set_value(2016)
    ensure(folder, [Step("Parameter", index=1), Step(None, None)], True).set_value("Q.*")
    ensure(folder, [Step("ParameterList", index=1)], True).set_value(1002)
    for number in (1, 2):
        path = [Step("ParameterList", index=1), Step(None, None, index=number)]
        ensure(folder, path, True).set_value(number)
    folder.put("Command", 13)
    assert PCF.write(folder, NATIVE) == message_of(MQCFST(2016, "Q.*"), MQCFIL(1002, [1, 2])).pack()


integers = st.integers(-(2**31), 2**31 - 1)
parameters = st.one_of(
    st.builds(MQCFIN, integers, integers),
    st.builds(MQCFIN64, integers, st.integers(-(2**63), 2**63 - 1)),
    st.builds(MQCFST, integers, st.text(alphabet="AB c.*", max_size=9)),
    st.builds(MQCFIL, integers, st.lists(integers, max_size=3)),
    st.builds(MQCFSL, integers, st.lists(st.text(alphabet="xyz", min_size=2, max_size=2), max_size=3)),
    st.builds(MQCFBS, integers, st.binary(max_size=5)),
)


@given(st.lists(parameters, max_size=5), st.booleans(), st.sampled_from([1208, 500]))
@settings(max_examples=60, deadline=None)
def test_messages_survive_touched_and_changed(found: list[Parameter], big_endian: bool, ccsid: int) -> None:
    body = message_of(*found).pack(big_endian, ccsid) + b"tail"
    context = Context(ccsid=ccsid, encoding=273 if big_endian else 546)
    folder = PCF.parse(body, context)
    assert PCF.write(folder, context) == body
    told = tell(folder)
    folder.put("Reason", 0)
    check_tree(folder)
    copied = copy_element(folder)
    assert PCF.write(copied, context) == body and tell(copied) == told
    written = PCF.write(folder, NATIVE)
    assert tell(PCF.parse(written, NATIVE)) == told


@given(st.integers(0, 80), st.binary(min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_damaged_messages_are_read_or_refused(place: int, damage: bytes) -> None:
    body = message_of(MQCFST(2016, "Q"), MQCFGR(1, [MQCFIL(2, [1, 2])])).pack()
    folder = PCF.parse(body[:place] + damage + body[place + len(damage) :], NATIVE)
    try:
        tell(folder)
        folder.put("Reason", 1)
        PCF.write(folder, NATIVE)
    except BrokerError as error:
        assert error.number in (6118, 6119)


@pytest.mark.parametrize(
    ("name", "value", "below", "message"),
    [
        ("Parameter", None, ["x"], "identifier"),
        ("Parameter", 1, [], "0 values"),
        ("Parameter", 1, [1, 2], "ParameterList"),
        ("Parameter", 1, [None], "NULL"),
        ("ParameterList", 1, ["a", 1], "mixes"),
        ("Paramter", 1, ["a"], "no parameter"),
        ("Parameter", 1, [2**70], "cannot be written"),
    ],
)
def test_what_pcf_cannot_say_is_explained(name: str, value: object, below: list[object], message: str) -> None:
    folder = Element("MQPCF", None, NAME)
    parameter = folder.add(name, value)
    for each in below:
        parameter.append(Element("", each, VALUE))
    with pytest.raises(BrokerError, match=message):
        PCF.write(folder, NATIVE)


def test_pcf_formats_are_bodies_of_the_domain_mqpcf_and_finalize_keeps_the_format() -> None:
    md = MQMD()
    md.format = "MQEVENT"
    md.coded_char_set_id = 1208
    root = parse_message(md, message_of(MQCFIN(1, 2)).pack(), Template("XMLNSC"))
    body = root.last_child()
    assert body is not None and body.name == "MQPCF" and body.get("Command") == 13
    body.put("Reason", 5)
    assert write_message(root)[0].format == "MQEVENT"
    root.put("MQMD.Format", "")
    assert write_message(root)[0].format == "MQADMIN"


def test_the_constants_of_mq_have_the_form_that_esql_compares() -> None:
    found = mq_constants()
    assert found["MQMT_REQUEST"] == 1 and found["MQRO_PASS_CORREL_ID"] == 64 and found["MQCI_NONE"] == bytes(24)
    assert found["MQFMT_STRING"] == "MQSTR   " and found["MQFMT_NONE"] == "        "
    assert found["MQCFT_COMMAND"] == 1 and found["MQCMD_INQUIRE_Q"] == 13
    assert found["MQCA_Q_NAME"] == 2016 and found["MQIA_CURRENT_Q_DEPTH"] == 3 and found["MQIACF_Q_ATTRS"] == 1002
    assert found["MQRC_Q_FULL"] == 2053 and found["MQCFH_STRUC_LENGTH"] == 36
    assert found["MQRFH_STRUC_ID"] == "RFH "
    assert len(found) > 3000
