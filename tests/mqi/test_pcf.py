"""PCF: every structure both ways, groups, character sets, lengths that lie."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi import StructureError
from flintmq.mqi.pcf import (
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFH,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    Parameter,
    PCFMessage,
    parse,
)

INT = st.integers(-(2**31), 2**31 - 1)
LONG = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
SIMPLE = st.one_of(
    st.builds(MQCFIN, INT, INT),
    st.builds(MQCFIN64, INT, LONG),
    st.builds(MQCFIL, INT, st.lists(INT, max_size=4)),
    st.builds(MQCFIL64, INT, st.lists(LONG, max_size=4)),
    st.builds(MQCFST, INT, TEXT, st.sampled_from([0, 1208, 500, 1200])),
    st.builds(MQCFSL, INT, st.lists(TEXT, max_size=4), st.sampled_from([0, 1208, 500])),
    st.builds(MQCFBS, INT, st.binary(max_size=9)),
    st.builds(MQCFIF, INT, INT, INT),
    st.builds(MQCFSF, INT, INT, TEXT),
    st.builds(MQCFBF, INT, INT, st.binary(max_size=9)),
)
PARAMETERS: st.SearchStrategy[list[Parameter]] = st.recursive(
    st.lists(SIMPLE, max_size=4), lambda inner: st.lists(st.one_of(SIMPLE, st.builds(MQCFGR, INT, inner)), max_size=3)
)


def message(*parameters: Parameter) -> PCFMessage:
    made = PCFMessage()
    made.header.command = 13
    made.parameters = list(parameters)
    return made


@settings(max_examples=150, deadline=None)
@given(PARAMETERS, st.booleans(), st.sampled_from([1208, 819, 1047]))
def test_messages_survive(parameters: list[Parameter], big_endian: bool, ccsid: int) -> None:
    raw = message(*parameters).pack(big_endian, ccsid)
    back = parse(b"12345" + raw + b"behind", 5, big_endian, ccsid)
    assert back.pack(big_endian, ccsid) == raw
    assert back.end == 5 + len(raw)
    assert len(back.parameters) == len(parameters)


def test_the_bytes_of_an_inquire_queue_command() -> None:
    made = message(MQCFST(2016, "DEV.*"), MQCFIN(20, 1))
    assert made.pack(big_endian=True).hex(" ", 4) == (
        "00000001 00000024 00000001 0000000d 00000001 00000001 00000000 00000000 00000002 "
        "00000004 0000001c 000007e0 00000000 00000005 4445562e 2a202020 "
        "00000003 00000010 00000014 00000001"
    )


def test_values_are_found_by_their_parameter() -> None:
    back = parse(message(MQCFST(2016, "Q1   "), MQCFIN(20, 1), MQCFIN64(21, 1 << 40), MQCFSL(7, ["a", "bcd"])).pack())
    assert back.string(2016) == "Q1" and back.integer(20) == 1 and back.integer(21) == 1 << 40
    assert back.string(20) is None and back.integer(2016) is None and back.find(99) is None
    strings = back.find(7)
    assert isinstance(strings, MQCFSL) and strings.strings == ["a  ", "bcd"] and strings.texts() == ["a", "bcd"]
    assert "Q1" in repr(back)


def test_groups_nest() -> None:
    made = message(MQCFGR(8001, [MQCFIN(1, 2), MQCFGR(8002, [MQCFST(3, "x")])]), MQCFIN(4, 5))
    back = parse(made.pack())
    group = back.parameters[0]
    assert back.header.parameter_count == 2 and isinstance(group, MQCFGR) and len(group.parameters) == 2


def test_groups_that_nest_too_deep_are_refused() -> None:
    parameter: Parameter = MQCFIN(1, 1)
    for _ in range(40):
        parameter = MQCFGR(8001, [parameter])
    with pytest.raises(StructureError, match="nested") as caught:
        parse(message(parameter).pack())
    assert caught.value.reason == 2416


def test_a_string_in_its_own_character_set() -> None:
    raw = message(MQCFST(1, "Ä", 500)).pack(True, 1208)
    back = parse(raw, 0, True, 1208).parameters[0]
    assert isinstance(back, MQCFST) and back.string == "Ä" and back.coded_char_set_id == 500
    assert raw[36 + 20 : 36 + 24] == b"\x63\x40\x40\x40"


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (4, 35, 2235),  # MQCFH StrucLength
        (8, 9, 2235),  # Version
        (32, -1, 2235),  # ParameterCount
        (32, 1000, 2149),
        (36, 77, 2149),  # type of the parameter
        (40, 12, 2149),  # StrucLength of the parameter
        (40, 21, 2149),
        (40, 4000, 2149),
        (52, -1, 2239),  # StringLength
        (52, 100, 2239),
        (48, 99999, 2330),  # CodedCharSetId
    ],
)
def test_numbers_that_lie_are_refused_with_the_reason_of_their_structure(place: int, value: int, reason: int) -> None:
    raw = bytearray(message(MQCFST(2016, "QUEUE")).pack())
    raw[place : place + 4] = value.to_bytes(4, "little", signed=True)
    with pytest.raises(StructureError) as caught:
        parse(bytes(raw))
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [
        (MQCFIN(1, 1 << 40), 2237),
        (MQCFIN64(1, 1 << 70), 2237),
        (MQCFIL(1, [1 << 40]), 2236),
        (MQCFIL64(1, [1 << 70]), 2236),
        (MQCFIF(1, 2, 1 << 40), 2414),
        (MQCFST(1 << 40, ""), 2239),
    ],
)
def test_a_value_out_of_range_is_refused(parameter: Parameter, reason: int) -> None:
    with pytest.raises(StructureError) as caught:
        parameter.pack()
    assert caught.value.reason == reason


def test_the_header_alone() -> None:
    cfh = MQCFH()
    assert (cfh.type, cfh.version, cfh.msg_seq_number, cfh.control) == (1, 1, 1, 1)
    assert MQCFH.unpack(cfh.pack(True), 0, True).pack(True) == cfh.pack(True)
