"""Structures of commands: lengths follow from values, and what is packed is what `flintmq.mqi.pcf` reads."""

from __future__ import annotations

import pytest

from flintmq import pymqi
from flintmq.mqi.pcf import parse
from flintmq.pymqi import CMQC, CMQCFC, MQOpts

PARAMETERS: list[tuple[MQOpts, object]] = [
    (pymqi.CFIN(Parameter=CMQC.MQIA_Q_TYPE, Value=1), 1),
    (pymqi.CFIN64(Parameter=CMQCFC.MQIAMO64_PUT_BYTES, Value=1 << 40), 1 << 40),
    (pymqi.CFIL(Parameter=CMQCFC.MQIACF_Q_ATTRS, Values=[1, 2, 3]), [1, 2, 3]),
    (pymqi.CFIL(Parameter=CMQCFC.MQIACF_Q_ATTRS), []),
    (pymqi.CFIL64(Parameter=CMQCFC.MQIAMO64_PUT_BYTES, Values=[1 << 40, -1]), [1 << 40, -1]),
    (pymqi.CFST(Parameter=CMQC.MQCA_Q_NAME, String=b"ORDERS"), b"ORDERS\0\0"),
    (pymqi.CFBS(Parameter=CMQCFC.MQBACF_CONNECTION_ID, String=b"\1\2\3"), b"\1\2\3\0"),
    (pymqi.CFSL(Parameter=CMQC.MQCA_NAMES, Strings=[b"ONE", b"THREE"]), [b"ONE".ljust(8, b"\0"), b"THREE\0\0\0"]),
    (pymqi.CFIF(Parameter=CMQC.MQIA_CURRENT_Q_DEPTH, Operator=CMQCFC.MQCFOP_GREATER, FilterValue=0), (4, 0)),
    (pymqi.CFSF(Parameter=CMQC.MQCA_Q_DESC, Operator=CMQCFC.MQCFOP_LIKE, FilterValue=b"IBM*"), (18, b"IBM*")),
    (pymqi.CFBF(Parameter=CMQCFC.MQBACF_CONNECTION_ID, Operator=2, FilterValue=b"1234"), (2, b"1234")),
]  # fmt: skip


def message(*parameters: MQOpts, count: int | None = None) -> bytes:
    header = pymqi.CFH(Command=CMQCFC.MQCMD_INQUIRE_Q, ParameterCount=len(parameters) if count is None else count)
    return header.pack() + b"".join(parameter.pack() for parameter in parameters)


@pytest.mark.parametrize(("parameter", "value"), PARAMETERS, ids=lambda value: type(value).__name__)
def test_a_parameter_is_read_back(parameter: MQOpts, value: object) -> None:
    assert parameter.StrucLength == len(parameter.pack()) and parameter.StrucLength % 4 == 0
    found, header = pymqi.PCFExecute.unpack(message(parameter, pymqi.CFIN(Parameter=1, Value=7)))
    assert found == {parameter.Parameter: value, 1: 7} and header.Command == CMQCFC.MQCMD_INQUIRE_Q


def test_what_is_packed_is_a_command_to_us() -> None:
    read = parse(message(*[parameter for parameter, _ in PARAMETERS]))
    assert [each.parameter for each in read.parameters] == [parameter.Parameter for parameter, _ in PARAMETERS]


def test_a_group_is_a_list_of_dictionaries() -> None:
    group = pymqi.CFGR(Parameter=CMQCFC.MQGACF_Q_STATISTICS_DATA, ParameterCount=2)
    inside = [pymqi.CFIN(Parameter=1, Value=1), pymqi.CFST(Parameter=2016, String=b"Q")]
    found, _ = pymqi.PCFExecute.unpack(
        message(group, *inside, group, *inside, pymqi.CFIN(Parameter=5, Value=5), count=3)
    )
    assert found == {CMQCFC.MQGACF_Q_STATISTICS_DATA: [{1: 1, 2016: b"Q\0\0\0"}] * 2, 5: 5}


def test_a_response_that_failed_raises_its_reason() -> None:
    with pytest.raises(pymqi.MQMIError, match="MQRC_UNKNOWN_OBJECT_NAME"):
        pymqi.PCFExecute.unpack(pymqi.CFH(CompCode=2, Reason=2085).pack())


def test_a_message_that_is_cut_or_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="ends inside a structure"):
        pymqi.PCFExecute.unpack(message(pymqi.CFIN(), count=2))
    with pytest.raises(ValueError, match="ends inside a structure"):
        pymqi.PCFExecute.unpack(message(pymqi.CFIN(StrucLength=-16)))
    with pytest.raises(ValueError, match="nested"):
        pymqi.PCFExecute.unpack(message(*[pymqi.CFGR(ParameterCount=1) for _ in range(40)], count=1))
    with pytest.raises(NotImplementedError, match=r"\(99\)"):
        pymqi.PCFExecute.unpack(message(pymqi.CFIN(Type=99)))


def test_filters_are_made_by_name() -> None:
    deep = pymqi.Filter(CMQC.MQIA_CURRENT_Q_DEPTH).greater(5)
    named = pymqi.Filter(CMQC.MQCA_Q_DESC).like(b"IBM*")
    assert isinstance(deep, pymqi.IntegerFilter) and isinstance(named, pymqi.StringFilter)
    assert (deep.selector, deep.value, deep.operator) == (CMQC.MQIA_CURRENT_Q_DEPTH, 5, CMQCFC.MQCFOP_GREATER)
    assert deep.structure().pack()[12:] == pymqi.CFIF(Operator=4, FilterValue=5).pack()[12:]
    assert "StringFilter" in repr(named)


def test_filters_that_cannot_be_are_refused() -> None:
    with pytest.raises(pymqi.Error, match="unsupported type"):
        pymqi.Filter(-1).like(b"x")
    with pytest.raises(pymqi.Error, match=r"Operator \[near\] is not supported"):
        pymqi.Filter(CMQC.MQCA_Q_DESC).near(b"x")
    with pytest.raises(TypeError):
        pymqi.Filter(CMQC.MQCA_Q_DESC).like("x")


def test_keys_get_names() -> None:
    found = pymqi.PCFExecute.stringify_keys({CMQC.MQCA_Q_NAME: b"Q", CMQC.MQIA_Q_TYPE: 1, -7: 0})
    assert found == {"MQCA_Q_NAME": b"Q", "MQIA_Q_TYPE": 1, -7: 0}
    with pytest.raises(TypeError, match="use bytes"):
        pymqi.PCFExecute.stringify_keys({CMQC.MQCA_Q_NAME: "Q"})
