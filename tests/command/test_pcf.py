"""PCF commands over the command model: requests bound, responses made, refusals with the parameter that is wrong."""

from __future__ import annotations

import pytest

from flintmq.command import pcf_execute
from flintmq.command.form import Form
from flintmq.command.model import FORMS
from flintmq.command.pcf_execute import Outcome
from flintmq.mqi import channel_constants as ch
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import (
    MQCFBS,
    MQCFIF,
    MQCFIL,
    MQCFIN,
    MQCFSF,
    MQCFSL,
    MQCFST,
    Parameter,
    PCFMessage,
)
from flintmq.mqi.reason import MQCC_FAILED, MQCC_OK, MQRC_NOT_AUTHORIZED, MQRC_SELECTOR_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from tests.command.conftest import CatalogueAdministration

LOCAL = MQCFIN(mq.MQIA_Q_TYPE, mq.MQQT_LOCAL)


def message(command: int, *parameters: Parameter) -> PCFMessage:
    made = PCFMessage()
    made.header.command = command
    made.parameters = list(parameters)
    return made


def run(administration: CatalogueAdministration, command: int, *parameters: Parameter) -> Outcome:
    """Through the bytes, in both byte orders and in an EBCDIC and an ASCII character set, in turn."""
    big_endian = command % 2 == 0
    ccsid = 500 if big_endian else 1208
    return pcf_execute.run(message(command, *parameters).pack(big_endian, ccsid), big_endian, ccsid, administration)


def refused(outcome: Outcome) -> tuple[int, int, int]:
    """The reason, the kind of error parameter and its value, of a command that failed."""
    first, summary = outcome.responses
    assert (first.header.comp_code, summary.header.comp_code) == (MQCC_FAILED, MQCC_FAILED)
    assert (first.header.control, summary.header.control) == (pcf.MQCFC_NOT_LAST, pcf.MQCFC_LAST)
    assert summary.header.reason == pcf.MQRCCF_COMMAND_FAILED
    assert summary.parameters == []
    if not first.parameters:
        return first.header.reason, 0, 0
    (what,) = first.parameters
    assert isinstance(what, MQCFIN)
    return first.header.reason, what.parameter, what.value


def test_a_queue_is_created_changed_copied_inquired_and_deleted(administration: CatalogueAdministration) -> None:
    name = MQCFST(mq.MQCA_Q_NAME, "ORDERS.IN".ljust(48))
    created = run(administration, pcf.MQCMD_CREATE_Q, name, LOCAL, MQCFIN(mq.MQIA_MAX_Q_DEPTH, 7))
    (response,) = created.responses
    assert response.header.type == pcf.MQCFT_RESPONSE
    assert (response.header.comp_code, response.header.reason, response.header.control) == (MQCC_OK, 0, pcf.MQCFC_LAST)
    assert created.changed

    changed = run(administration, pcf.MQCMD_CHANGE_Q, name, LOCAL, MQCFIN(mq.MQIA_INHIBIT_PUT, mq.MQQA_PUT_INHIBITED))
    assert changed.reason == 0
    copied = run(
        administration,
        pcf.MQCMD_COPY_Q,
        MQCFST(pcf.MQCACF_FROM_Q_NAME, "ORDERS.IN"),
        MQCFST(pcf.MQCACF_TO_Q_NAME, "ORDERS.COPY"),
        LOCAL,
        MQCFST(mq.MQCA_Q_DESC, "like the first"),
    )
    assert copied.reason == 0

    both = run(administration, pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "ORDERS*"))
    assert [each.header.control for each in both.responses] == [pcf.MQCFC_NOT_LAST, pcf.MQCFC_LAST]
    assert [each.header.msg_seq_number for each in both.responses] == [1, 2]
    copy, first = both.responses
    assert copy.string(mq.MQCA_Q_NAME) == "ORDERS.COPY"
    assert copy.string(mq.MQCA_Q_DESC) == "like the first"
    assert first.integer(mq.MQIA_MAX_Q_DEPTH) == copy.integer(mq.MQIA_MAX_Q_DEPTH) == 7
    assert first.integer(mq.MQIA_INHIBIT_PUT) == mq.MQQA_PUT_INHIBITED
    assert first.integer(mq.MQIA_Q_TYPE) == mq.MQQT_LOCAL
    assert not both.changed

    assert run(administration, pcf.MQCMD_DELETE_Q, name).reason == 0
    gone = run(administration, pcf.MQCMD_INQUIRE_Q, name)
    assert refused(gone) == (MQRC_UNKNOWN_OBJECT_NAME, 0, 0)


def test_strings_are_filled_up_to_the_length_of_their_attribute(administration: CatalogueAdministration) -> None:
    answer = run(administration, pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "SYSTEM.DEFAULT.LOCAL.QUEUE")).responses[0]
    name, description = answer.find(mq.MQCA_Q_NAME), answer.find(mq.MQCA_Q_DESC)
    assert isinstance(name, MQCFST)
    assert isinstance(description, MQCFST)
    assert (len(name.string), len(description.string)) == (48, 64)


def test_an_attribute_list_chooses_what_is_shown(administration: CatalogueAdministration) -> None:
    name = MQCFST(mq.MQCA_Q_NAME, "SYSTEM.DEFAULT.LOCAL.QUEUE")
    chosen = MQCFIL(pcf.MQIACF_Q_ATTRS, [mq.MQCA_Q_NAME, mq.MQIA_CURRENT_Q_DEPTH])
    answer = run(administration, pcf.MQCMD_INQUIRE_Q, name, chosen).responses[0]
    assert [each.parameter for each in answer.parameters] == [
        mq.MQCA_Q_NAME,
        mq.MQIA_Q_TYPE,
        mq.MQIA_CURRENT_Q_DEPTH,
    ]
    only_the_name = run(administration, pcf.MQCMD_INQUIRE_Q, name, MQCFIL(pcf.MQIACF_Q_ATTRS, [mq.MQCA_Q_NAME]))
    assert [each.parameter for each in only_the_name.responses[0].parameters] == [mq.MQCA_Q_NAME, mq.MQIA_Q_TYPE]
    everything = run(administration, pcf.MQCMD_INQUIRE_Q, name, MQCFIL(pcf.MQIACF_Q_ATTRS, [pcf.MQIACF_ALL]))
    assert len(everything.responses[0].parameters) > 40
    wrong = run(administration, pcf.MQCMD_INQUIRE_Q, name, MQCFIL(pcf.MQIACF_Q_ATTRS, [424242]))
    assert refused(wrong) == (MQRC_SELECTOR_ERROR, pcf.MQIACF_SELECTOR, 424242)


def test_filters_are_where(administration: CatalogueAdministration) -> None:
    administration.depths["SYSTEM.DEAD.LETTER.QUEUE"] = 3
    every = MQCFST(mq.MQCA_Q_NAME, "*")
    deep = run(administration, pcf.MQCMD_INQUIRE_Q, every, MQCFIF(mq.MQIA_CURRENT_Q_DEPTH, pcf.MQCFOP_GREATER, 0))
    assert [each.string(mq.MQCA_Q_NAME) for each in deep.responses] == ["SYSTEM.DEAD.LETTER.QUEUE"]
    by_word = run(
        administration, pcf.MQCMD_INQUIRE_Q, every, MQCFIF(mq.MQIA_USAGE, pcf.MQCFOP_EQUAL, mq.MQUS_TRANSMISSION)
    )
    assert {each.integer(mq.MQIA_USAGE) for each in by_word.responses} == {mq.MQUS_TRANSMISSION}
    by_flag = run(
        administration,
        pcf.MQCMD_INQUIRE_Q,
        every,
        MQCFIF(mq.MQIA_SHAREABILITY, pcf.MQCFOP_EQUAL, mq.MQQA_NOT_SHAREABLE),
    )
    assert {each.integer(mq.MQIA_SHAREABILITY) for each in by_flag.responses} == {mq.MQQA_NOT_SHAREABLE}
    by_text = run(administration, pcf.MQCMD_INQUIRE_Q, every, MQCFSF(mq.MQCA_STORAGE_CLASS, pcf.MQCFOP_LIKE, "REM*"))
    assert by_text.reason == 0
    assert {each.string(mq.MQCA_STORAGE_CLASS) for each in by_text.responses} == {"REMOTE"}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([MQCFIF(mq.MQIA_CURRENT_Q_DEPTH, 99, 0)], (pcf.MQRCCF_CFIF_OPERATOR_ERROR, mq.MQIA_CURRENT_Q_DEPTH)),
        ([MQCFIF(4711, pcf.MQCFOP_EQUAL, 0)], (pcf.MQRCCF_CFIF_PARM_ID_ERROR, 4711)),
        ([MQCFSF(4711, pcf.MQCFOP_EQUAL, "A")], (pcf.MQRCCF_CFSF_PARM_ID_ERROR, 4711)),
        (
            [MQCFSF(mq.MQCA_Q_DESC, pcf.MQCFOP_CONTAINS, "A")],
            (pcf.MQRCCF_CFSF_OPERATOR_ERROR, mq.MQCA_Q_DESC),
        ),
        (
            [MQCFIF(mq.MQIA_MAX_Q_DEPTH, pcf.MQCFOP_EQUAL, 1), MQCFIF(mq.MQIA_MAX_Q_DEPTH, pcf.MQCFOP_EQUAL, 1)],
            (pcf.MQRCCF_TOO_MANY_FILTERS, mq.MQIA_MAX_Q_DEPTH),
        ),
        ([MQCFIN(mq.MQIA_Q_TYPE, 77)], (pcf.MQRCCF_Q_TYPE_ERROR, mq.MQIA_Q_TYPE)),
        ([MQCFIN(4711, 1)], (pcf.MQRCCF_CFIN_PARM_ID_ERROR, 4711)),
        ([MQCFST(4711, "x")], (pcf.MQRCCF_CFST_PARM_ID_ERROR, 4711)),
        ([MQCFSL(4711, ["x"])], (pcf.MQRCCF_CFSL_PARM_ID_ERROR, 4711)),
        ([MQCFIL(4711, [1])], (pcf.MQRCCF_CFIL_PARM_ID_ERROR, 4711)),
        ([MQCFBS(4711, b"x")], (pcf.MQRCCF_CFBS_PARM_ID_ERROR, 4711)),
        ([MQCFST(mq.MQCA_Q_NAME, "*")], (pcf.MQRCCF_CFST_DUPLICATE_PARM, mq.MQCA_Q_NAME)),
    ],
)
def test_a_wrong_parameter_of_an_inquiry_is_told_by_its_number(
    administration: CatalogueAdministration, parameters: list[Parameter], expected: tuple[int, int]
) -> None:
    outcome = run(administration, pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "*"), *parameters)
    assert refused(outcome) == (expected[0], pcf.MQIACF_PARAMETER_ID, expected[1])


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([], (pcf.MQRCCF_PARM_MISSING, mq.MQIA_Q_TYPE)),
        ([LOCAL], (pcf.MQRCCF_PARM_MISSING, mq.MQCA_Q_NAME)),
        ([MQCFST(mq.MQCA_Q_NAME, "A B"), LOCAL], (pcf.MQRCCF_OBJECT_NAME_ERROR, mq.MQCA_Q_NAME)),
        ([MQCFIN(mq.MQCA_Q_NAME, 1), LOCAL], (pcf.MQRCCF_CFIN_PARM_ID_ERROR, mq.MQCA_Q_NAME)),
        (
            [MQCFST(mq.MQCA_Q_NAME, "A"), LOCAL, MQCFIN(mq.MQIA_MAX_Q_DEPTH, -5)],
            (pcf.MQRCCF_ATTR_VALUE_ERROR, mq.MQIA_MAX_Q_DEPTH),
        ),
        (
            [MQCFST(mq.MQCA_Q_NAME, "A"), LOCAL, MQCFST(mq.MQCA_Q_DESC, "x" * 65)],
            (pcf.MQRCCF_CFST_STRING_LENGTH_ERR, mq.MQCA_Q_DESC),
        ),
        (
            [MQCFST(mq.MQCA_Q_NAME, "A"), LOCAL, MQCFIN(pcf.MQIACF_REPLACE, 2)],
            (pcf.MQRCCF_REPLACE_VALUE_ERROR, pcf.MQIACF_REPLACE),
        ),
        (
            [MQCFST(mq.MQCA_Q_NAME, "A"), LOCAL, MQCFIN(mq.MQIA_CURRENT_Q_DEPTH, 2)],
            (pcf.MQRCCF_CFIN_PARM_ID_ERROR, mq.MQIA_CURRENT_Q_DEPTH),
        ),
    ],
)
def test_a_wrong_parameter_of_a_create_is_told_and_nothing_is_made(
    administration: CatalogueAdministration, parameters: list[Parameter], expected: tuple[int, int]
) -> None:
    outcome = run(administration, pcf.MQCMD_CREATE_Q, *parameters)
    assert refused(outcome) == (expected[0], pcf.MQIACF_PARAMETER_ID, expected[1])
    assert administration.catalogue.find("QUEUE", "A") is None


def test_the_queue_manager_is_inquired_and_changed(administration: CatalogueAdministration) -> None:
    assert run(administration, pcf.MQCMD_CHANGE_Q_MGR, MQCFST(mq.MQCA_DEAD_LETTER_Q_NAME, "DLQ")).reason == 0
    (answer,) = run(
        administration,
        pcf.MQCMD_INQUIRE_Q_MGR,
        MQCFIL(pcf.MQIACF_Q_MGR_ATTRS, [mq.MQCA_DEAD_LETTER_Q_NAME, mq.MQIA_COMMAND_LEVEL]),
    ).responses
    assert answer.string(mq.MQCA_Q_MGR_NAME) == "QM1"
    assert answer.string(mq.MQCA_DEAD_LETTER_Q_NAME) == "DLQ"
    assert answer.integer(mq.MQIA_COMMAND_LEVEL) == 942
    assert len(answer.parameters) == 3
    assert run(administration, pcf.MQCMD_PING_Q_MGR).responses[0].header.comp_code == MQCC_OK


def test_secrets_are_not_told(administration: CatalogueAdministration) -> None:
    run(administration, pcf.MQCMD_CHANGE_Q_MGR, MQCFST(mq.MQCA_SSL_KEY_REPO_PASSWORD, "hunter2"))
    (answer,) = run(administration, pcf.MQCMD_INQUIRE_Q_MGR).responses
    assert "hunter2" not in repr(answer)


def test_channels_are_found_by_type_and_have_reasons_of_their_own(administration: CatalogueAdministration) -> None:
    name, kind = MQCFST(pcf.MQCACH_CHANNEL_NAME, "A.SVRCONN"), MQCFIN(pcf.MQIACH_CHANNEL_TYPE, ch.MQCHT_SVRCONN)
    assert run(administration, pcf.MQCMD_CREATE_CHANNEL, name, kind).reason == 0
    assert refused(run(administration, pcf.MQCMD_CREATE_CHANNEL, name, kind))[0] == pcf.MQRCCF_CHANNEL_ALREADY_EXISTS
    assert run(administration, pcf.MQCMD_CHANGE_CHANNEL, name, kind, MQCFIN(pcf.MQIACH_HB_INTERVAL, 5)).reason == 0
    (found,) = run(administration, pcf.MQCMD_INQUIRE_CHANNEL, MQCFST(pcf.MQCACH_CHANNEL_NAME, "A*"), kind).responses
    assert found.string(pcf.MQCACH_CHANNEL_NAME) == "A.SVRCONN"
    assert found.integer(pcf.MQIACH_CHANNEL_TYPE) == ch.MQCHT_SVRCONN
    assert found.integer(pcf.MQIACH_HB_INTERVAL) == 5
    missing = run(administration, pcf.MQCMD_INQUIRE_CHANNEL, MQCFST(pcf.MQCACH_CHANNEL_NAME, "NO.SUCH"))
    assert refused(missing)[0] == pcf.MQRCCF_CHANNEL_NOT_FOUND
    none = run(administration, pcf.MQCMD_INQUIRE_CHANNEL, MQCFST(pcf.MQCACH_CHANNEL_NAME, "NO*"))
    assert refused(none)[0] == MQRC_UNKNOWN_OBJECT_NAME
    long = run(administration, pcf.MQCMD_INQUIRE_CHANNEL, MQCFST(pcf.MQCACH_CHANNEL_NAME, "X" * 21))
    assert refused(long) == (pcf.MQRCCF_CHANNEL_NAME_ERROR, pcf.MQIACF_PARAMETER_ID, pcf.MQCACH_CHANNEL_NAME)


def test_names_come_as_one_list(administration: CatalogueAdministration) -> None:
    (answer,) = run(administration, pcf.MQCMD_INQUIRE_Q_NAMES, MQCFST(mq.MQCA_Q_NAME, "SYSTEM.DEFAULT.*")).responses
    names, types = answer.parameters
    assert isinstance(names, MQCFSL)
    assert isinstance(types, MQCFIL)
    found = dict(zip(names.texts(), types.values, strict=True))
    assert found["SYSTEM.DEFAULT.ALIAS.QUEUE"] == mq.MQQT_ALIAS
    assert found["SYSTEM.DEFAULT.MODEL.QUEUE"] == mq.MQQT_MODEL
    (answer,) = run(
        administration, pcf.MQCMD_INQUIRE_CHANNEL_NAMES, MQCFST(pcf.MQCACH_CHANNEL_NAME, "SYSTEM.DEF.SVR*")
    ).responses
    listed, kinds = answer.parameters
    assert isinstance(listed, MQCFSL)
    assert isinstance(kinds, MQCFIL)
    assert (listed.texts(), kinds.values) == (["SYSTEM.DEF.SVRCONN"], [ch.MQCHT_SVRCONN])


def test_a_list_of_names_is_set_and_shown(administration: CatalogueAdministration) -> None:
    name = MQCFST(mq.MQCA_NAMELIST_NAME, "N")
    assert run(administration, pcf.MQCMD_CREATE_NAMELIST, name, MQCFSL(mq.MQCA_NAMES, ["A", "B.C"])).reason == 0
    (answer,) = run(administration, pcf.MQCMD_INQUIRE_NAMELIST, name).responses
    names = answer.find(mq.MQCA_NAMES)
    assert isinstance(names, MQCFSL)
    assert names.texts() == ["A", "B.C"]
    assert answer.integer(mq.MQIA_NAME_COUNT) == 2


def test_an_escape_command_is_mqsc(administration: CatalogueAdministration) -> None:
    kind = MQCFIN(pcf.MQIACF_ESCAPE_TYPE, pcf.MQET_MQSC)
    done = run(administration, pcf.MQCMD_ESCAPE, kind, MQCFST(pcf.MQCACF_ESCAPE_TEXT, "define qlocal(A) maxdepth(3)"))
    assert done.responses[0].string(pcf.MQCACF_ESCAPE_TEXT) == "AMQ8006I: Queue created."
    shown = run(administration, pcf.MQCMD_ESCAPE, kind, MQCFST(pcf.MQCACF_ESCAPE_TEXT, "DISPLAY QLOCAL(A) MAXDEPTH"))
    assert "MAXDEPTH(3)" in (shown.responses[0].string(pcf.MQCACF_ESCAPE_TEXT) or "")
    wrong = run(administration, pcf.MQCMD_ESCAPE, kind, MQCFST(pcf.MQCACF_ESCAPE_TEXT, "DEFINE NONSENSE"))
    assert {each.header.reason for each in wrong.responses} == {pcf.MQRCCF_COMMAND_FAILED}
    assert (wrong.responses[0].string(pcf.MQCACF_ESCAPE_TEXT) or "").startswith("AMQ8405I")
    other = run(administration, pcf.MQCMD_ESCAPE, MQCFIN(pcf.MQIACF_ESCAPE_TYPE, 9))
    assert refused(other) == (pcf.MQRCCF_ESCAPE_TYPE_ERROR, pcf.MQIACF_PARAMETER_ID, pcf.MQIACF_ESCAPE_TYPE)


def test_who_may_not_is_refused(administration: CatalogueAdministration) -> None:
    administration.forbidden.add("SYSTEM.DEAD.LETTER.QUEUE")
    name = MQCFST(mq.MQCA_Q_NAME, "SYSTEM.DEAD.LETTER.QUEUE")
    assert refused(run(administration, pcf.MQCMD_CLEAR_Q, name))[0] == MQRC_NOT_AUTHORIZED
    assert refused(run(administration, pcf.MQCMD_INQUIRE_Q, name))[0] == MQRC_NOT_AUTHORIZED
    seen = run(administration, pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "SYSTEM.DEAD*"))
    assert refused(seen)[0] == MQRC_UNKNOWN_OBJECT_NAME


def test_a_header_that_no_command_has_is_refused(administration: CatalogueAdministration) -> None:
    for field, value, reason in (
        ("type", pcf.MQCFT_EVENT, pcf.MQRCCF_CFH_TYPE_ERROR),
        ("msg_seq_number", 2, pcf.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR),
        ("control", pcf.MQCFC_NOT_LAST, pcf.MQRCCF_CFH_CONTROL_ERROR),
        ("command", 9999, pcf.MQRCCF_CFH_COMMAND_ERROR),
        ("version", 9, pcf.MQRCCF_CFH_VERSION_ERROR),
    ):
        made = message(pcf.MQCMD_PING_Q_MGR)
        setattr(made.header, field, value)
        assert refused(pcf_execute.run(made.pack(), False, 1208, administration))[0] == reason


def test_what_is_no_pcf_is_refused_by_the_part_that_is_wrong(administration: CatalogueAdministration) -> None:
    good = message(pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "*")).pack()
    cases = {
        b"": pcf.MQRCCF_MSG_LENGTH_ERROR,
        b"hello": pcf.MQRCCF_MSG_LENGTH_ERROR,
        good[:-4]: pcf.MQRCCF_MSG_LENGTH_ERROR,
        good + b"    ": pcf.MQRCCF_MSG_LENGTH_ERROR,
        good[:4] + b"\x25" + good[5:]: pcf.MQRCCF_CFH_LENGTH_ERROR,
        good[:32] + b"\x02" + good[33:]: pcf.MQRCCF_CFH_PARM_COUNT_ERROR,
        good[:36] + b"\x63" + good[37:]: pcf.MQRCCF_STRUCTURE_TYPE_ERROR,
    }
    for data, reason in cases.items():
        outcome = pcf_execute.run(data, False, 1208, administration)
        assert outcome.unreadable
        assert refused(outcome)[0] == reason, data
    assert refused(pcf_execute.run(good, False, 65000, administration))[0] == pcf.MQRCCF_CCSID_ERROR


@pytest.mark.parametrize(
    "form", [form for form in FORMS.values() if form.pcf_command], ids=lambda form: f"{form.verb} {form.noun}"
)
def test_every_command_of_the_model_can_be_sent_as_pcf(administration: CatalogueAdministration, form: Form) -> None:
    """A command without parameters is carried out, or refused because one is missing: never for being unknown."""
    outcome = pcf_execute.run_message(message(form.pcf_command), administration)
    assert outcome.responses
    assert outcome.reason not in (pcf.MQRCCF_CFH_COMMAND_ERROR, pcf.MQRCCF_UNEXPECTED_ERROR)


def test_authority_records_are_set_inquired_and_deleted(administration: CatalogueAdministration) -> None:
    profile = MQCFST(pcf.MQCACF_AUTH_PROFILE_NAME, "ORDERS.**")
    queues = MQCFIN(pcf.MQIACF_OBJECT_TYPE, mq.MQOT_Q)
    alice = MQCFSL(pcf.MQCACF_PRINCIPAL_ENTITY_NAMES, ["alice"])
    given = MQCFIL(pcf.MQIACF_AUTH_ADD_AUTHS, [pcf.MQAUTH_OUTPUT, pcf.MQAUTH_INQUIRE])
    assert run(administration, pcf.MQCMD_SET_AUTH_REC, profile, queues, alice, given).reason == 0
    (record,) = run(
        administration,
        pcf.MQCMD_INQUIRE_AUTH_RECS,
        MQCFIN(pcf.MQIACF_AUTH_OPTIONS, pcf.MQAUTHOPT_NAME_EXPLICIT | pcf.MQAUTHOPT_ENTITY_EXPLICIT),
        profile,
        queues,
        MQCFST(pcf.MQCACF_ENTITY_NAME, "alice"),
        MQCFIN(pcf.MQIACF_ENTITY_TYPE, 1),
    ).responses
    assert record.string(pcf.MQCACF_AUTH_PROFILE_NAME) == "ORDERS.**"
    assert record.string(pcf.MQCACF_ENTITY_NAME) == "alice"
    assert record.integer(pcf.MQIACF_OBJECT_TYPE) == mq.MQOT_Q
    listed = record.find(pcf.MQIACF_AUTHORIZATION_LIST)
    assert isinstance(listed, MQCFIL)
    assert sorted(listed.values) == sorted([pcf.MQAUTH_OUTPUT, pcf.MQAUTH_INQUIRE])
    assert run(administration, pcf.MQCMD_DELETE_AUTH_REC, profile, queues, alice).reason == 0
    wrong = run(administration, pcf.MQCMD_SET_AUTH_REC, profile, queues, alice, MQCFIL(given.parameter, [4711]))
    assert refused(wrong) == (pcf.MQRCCF_ATTR_VALUE_ERROR, pcf.MQIACF_PARAMETER_ID, pcf.MQIACF_AUTH_ADD_AUTHS)
    missing = run(administration, pcf.MQCMD_SET_AUTH_REC, profile, alice, given)
    assert refused(missing) == (pcf.MQRCCF_PARM_MISSING, pcf.MQIACF_PARAMETER_ID, pcf.MQIACF_OBJECT_TYPE)


def test_services_and_communication_information_have_their_commands(administration: CatalogueAdministration) -> None:
    """Issue 14, item 13."""
    name = MQCFST(mq.MQCA_SERVICE_NAME, "S")
    command = MQCFST(mq.MQCA_SERVICE_START_COMMAND, "/bin/sleep")
    server = MQCFIN(mq.MQIA_SERVICE_TYPE, mq.MQSVC_TYPE_SERVER)
    assert run(administration, pcf.MQCMD_CREATE_SERVICE, name, command, server).reason == 0
    assert run(administration, pcf.MQCMD_CHANGE_SERVICE, name, MQCFST(mq.MQCA_SERVICE_START_ARGS, "60")).reason == 0
    both = MQCFST(pcf.MQCACF_FROM_SERVICE_NAME, "S"), MQCFST(pcf.MQCACF_TO_SERVICE_NAME, "T")
    assert run(administration, pcf.MQCMD_COPY_SERVICE, *both).reason == 0
    (shown,) = run(administration, pcf.MQCMD_INQUIRE_SERVICE, MQCFST(mq.MQCA_SERVICE_NAME, "T")).responses
    assert shown.string(mq.MQCA_SERVICE_START_ARGS) == "60"
    assert shown.integer(mq.MQIA_SERVICE_CONTROL) == mq.MQSVC_CONTROL_MANUAL
    assert shown.integer(mq.MQIA_SERVICE_TYPE) == mq.MQSVC_TYPE_SERVER
    assert run(administration, pcf.MQCMD_START_SERVICE, name).reason == 0
    assert run(administration, pcf.MQCMD_STOP_SERVICE, name).reason == 0
    assert run(administration, pcf.MQCMD_INQUIRE_SERVICE_STATUS, name).reason == pcf.MQRCCF_SERV_STATUS_NOT_FOUND
    administration.services = [{"SERVICE": "S", "STATUS": "RUNNING", "PID": 4711, "STARTCMD": "/bin/sleep"}]
    (running,) = run(administration, pcf.MQCMD_INQUIRE_SERVICE_STATUS, name).responses
    assert running.integer(pcf.MQIACF_SERVICE_STATUS) == mq.MQSVC_STATUS_RUNNING
    assert running.integer(pcf.MQIACF_PROCESS_ID) == 4711
    assert run(administration, pcf.MQCMD_DELETE_SERVICE, name).reason == 0

    comm = MQCFST(mq.MQCA_COMM_INFO_NAME, "C")
    group = MQCFST(pcf.MQCACH_GROUP_ADDRESS, "239.1.1.1")
    assert run(administration, pcf.MQCMD_CREATE_COMM_INFO, comm, group).reason == 0
    (shown,) = run(administration, pcf.MQCMD_INQUIRE_COMM_INFO, comm).responses
    assert shown.string(pcf.MQCACH_GROUP_ADDRESS) == "239.1.1.1"
    assert shown.integer(mq.MQIA_COMM_INFO_TYPE) == mq.MQCIT_MULTICAST
    assert run(administration, pcf.MQCMD_DELETE_COMM_INFO, comm).reason == 0


#: Keywords that MQ has no PCF parameter for, or only on z/OS, or that are our own; MQSC shows them.
WITHOUT_PARAMETER = {
    "ACTIVE", "ARCHPATH", "AUTOCLUS", "BYTES", "COMPFAIL", "COMPIN", "COMPOUT", "COMPREQ", "DATFSSZ", "DATFSUSE",
    "DECFAIL", "DECIN", "DECOUT", "DECREQ", "DSN", "FLUSHES", "IFVER", "LOGCHKPT", "LOGCOPY", "LOGDUR", "LOGEND",
    "LOGFSSZ", "LOGFSUSE", "LOGUSED", "MESSAGES", "NEWACCTIME", "NEWSTATIME", "PAGES", "PERCENT", "PGSIN", "PGSOUT",
    "QMFSENC", "QMFSSZ", "QMFSUSE", "QMURID", "RECORDS", "STALLS", "STATUS", "SYNCS", "UIDSUPP", "UNICLUS", "URID",
    "USED", "BUFFERS",
}  # fmt: skip


def test_whatever_can_be_shown_or_set_has_its_number_in_pcf() -> None:
    """A new attribute brings its number (selector), or is listed above."""
    missing: set[str] = set()
    for form in FORMS.values():
        if form.pcf_command:
            shown = {each.keyword for each in (*form.shown, *form.settable) if not each.selector}
            missing |= {f"{form.noun} {keyword}" for keyword in shown - WITHOUT_PARAMETER}
    assert missing == set()
