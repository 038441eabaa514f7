"""Damaged PCF commands: always an answer with a reason, never an exception."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.command import pcf_execute
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import MQCFBS, MQCFIF, MQCFIL, MQCFIN, MQCFSF, MQCFSL, MQCFST, Parameter, PCFMessage
from tests.command.conftest import CatalogueAdministration

NUMBERS = st.one_of(
    st.sampled_from([mq.MQCA_Q_NAME, mq.MQIA_Q_TYPE, mq.MQIA_MAX_Q_DEPTH, mq.MQCA_NAMES, pcf.MQIACF_Q_ATTRS]),
    st.sampled_from([pcf.MQCACH_CHANNEL_NAME, pcf.MQBACF_CONNECTION_ID, pcf.MQBACF_SUB_ID, pcf.MQCACF_SUB_NAME]),
    st.integers(-(2**31), 2**31 - 1),
)
INTEGERS = st.one_of(st.sampled_from([0, 1, 2, 3, 6, 1009]), st.integers(-(2**31), 2**31 - 1))
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    number = draw(NUMBERS)
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return MQCFIN(number, draw(INTEGERS))
    if kind == 1:
        return MQCFST(number, draw(TEXTS))
    if kind == 2:
        return MQCFIL(number, draw(st.lists(INTEGERS, max_size=4)))
    if kind == 3:
        return MQCFSL(number, draw(st.lists(TEXTS, max_size=3)))
    if kind == 4:
        return MQCFBS(number, draw(st.binary(max_size=30)))
    if kind == 5:
        return MQCFIF(number, draw(INTEGERS), draw(INTEGERS))
    return MQCFSF(number, draw(INTEGERS), draw(TEXTS))


@st.composite
def messages(draw: st.DrawFn) -> PCFMessage:
    made = PCFMessage()
    made.header.command = draw(st.integers(0, 230))
    made.parameters = draw(st.lists(parameters(), max_size=5))
    return made


@given(messages())
@settings(max_examples=120, deadline=None)
def test_any_command_with_any_parameters_is_answered(message: PCFMessage) -> None:
    outcome = pcf_execute.run(message.pack(), False, 1208, CatalogueAdministration())
    assert outcome.responses
    assert outcome.responses[-1].header.control == pcf.MQCFC_LAST
    for response in outcome.responses:
        response.pack()


@given(messages(), st.data())
@settings(max_examples=120, deadline=None)
def test_a_damaged_message_is_answered(message: PCFMessage, data: st.DataObject) -> None:
    raw = bytearray(message.pack())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    for damaged in (bytes(raw), cut):
        outcome = pcf_execute.run(damaged, data.draw(st.booleans()), 1208, CatalogueAdministration())
        assert outcome.responses[-1].header.control == pcf.MQCFC_LAST
