"""The rules table of runmqdlq: what it takes, what it refuses and where, and which messages a rule is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.command.dead_letter_rules import Control, Rule, RulesError, read_rules
from flintmq.mqi.constants import MQAT_CICS, MQFB_EXPIRATION, MQMT_REPORT
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import MQMD


def rule(text: str) -> Rule:
    return read_rules(text + " ACTION(DISCARD)").rules[0]


def message(**fields: object) -> tuple[MQMD, MQDLH]:
    """A descriptor and a dead-letter header; names of fields of the header begin with `dlh_`."""
    md, dlh = MQMD(), MQDLH()
    for name, value in fields.items():
        if name.startswith("dlh_"):
            setattr(dlh, name.removeprefix("dlh_"), value)
        else:
            setattr(md, name, value)
    return md, dlh


def test_a_whole_table() -> None:
    table = read_rules(
        "* comment\n  INPUTQ(DLQ) INPUTQM('qm1'), RETRYINT(30) +\n* another\n\n  WAIT(NO)\n"
        "reason(mqrc_q_full) destq('ord+\n   ers*') action(retry) retry(5)\n"
        "REASON(2035) ACTION(FWD) FWDQ(&replyq) FWDQM(&REPLYQM) HEADER(NO) PUTAUT(CTX)\n"
        "ACTION(IGNORE)"
    )
    assert table.control == Control("DLQ", "qm1", 30, 0)
    retry, forward, ignore = table.rules
    assert (retry.line, retry.action, retry.retry, retry.numbers) == (6, "RETRY", 5, {"REASON": 2053})
    assert retry.texts["DESTQ"].fullmatch("orders.in")
    assert (forward.line, forward.action, forward.forward_q, forward.forward_q_mgr) == (8, "FWD", "&REPLYQ", "&REPLYQM")
    assert not forward.keep_header and forward.as_context_user
    assert (ignore.action, ignore.keep_header, ignore.as_context_user, ignore.retry) == ("IGNORE", True, False, 1)


def test_the_defaults_of_the_control_data() -> None:
    assert read_rules("ACTION(IGNORE)").control == Control("", "", 60, None)
    assert read_rules("WAIT(YES) INPUTQ(' ')\nACTION(IGNORE)").control == Control("", "", 60, None)
    assert read_rules("WAIT(77)\nACTION(IGNORE)").control.wait == 77


@pytest.mark.parametrize(
    ("pattern", "fields", "other"),
    [
        ("REASON(2053)", {"dlh_reason": 2053}, {"dlh_reason": 2051}),
        ("REASON(MQRC_Q_FULL)", {"dlh_reason": 2053}, {"dlh_reason": 0}),
        ("REASON(MQFB_EXPIRATION)", {"dlh_reason": MQFB_EXPIRATION}, {"dlh_reason": 1}),
        ("FEEDBACK(MQFB_EXPIRATION)", {"feedback": MQFB_EXPIRATION}, {"feedback": 0}),
        ("MSGTYPE(MQMT_REPORT)", {"msg_type": MQMT_REPORT}, {"msg_type": 8}),
        ("PERSIST(MQPER_PERSISTENT)", {"persistence": 1}, {"persistence": 0}),
        ("APPLTYPE(MQAT_CICS)", {"put_appl_type": MQAT_CICS}, {"put_appl_type": 0}),
        ("APPLNAME('my*')", {"put_appl_name": "my program"}, {"put_appl_name": "your program"}),
        ("APPLIDAT('a?c')", {"appl_identity_data": "abc"}, {"appl_identity_data": "abbc"}),
        ("USERID(ME)", {"user_identifier": "ME"}, {"user_identifier": "me"}),
        ("REPLYQ(R*)", {"reply_to_q": "R"}, {"reply_to_q": "Q"}),
        ("REPLYQM(QM?)", {"reply_to_q_mgr": "QM1"}, {"reply_to_q_mgr": "QM"}),
        ("DESTQ('*.IN')", {"dlh_dest_q_name": "A.IN"}, {"dlh_dest_q_name": "A.INX"}),
        ("DESTQM(QM1)", {"dlh_dest_q_mgr_name": "QM1"}, {"dlh_dest_q_mgr_name": "QM2"}),
        ("FORMAT(MQSTR)", {"dlh_format": "MQSTR"}, {"dlh_format": "", "format": "MQSTR"}),
        ("FORMAT(' ')", {"dlh_format": ""}, {"dlh_format": "MQSTR"}),
        ("DESTQ('a.b')", {"dlh_dest_q_name": "a.b"}, {"dlh_dest_q_name": "axb"}),
    ],
)
def test_each_pattern_keyword_looks_at_its_field(
    pattern: str, fields: dict[str, object], other: dict[str, object]
) -> None:
    assert rule(pattern).matches(*message(**fields))
    assert not rule(pattern).matches(*message(**other))
    keyword = pattern.partition("(")[0]
    assert rule(f"{keyword}(*)").matches(*message(**other))


def test_all_patterns_of_a_rule_must_match() -> None:
    both = rule("REASON(2053) DESTQ(A*)")
    assert both.matches(*message(dlh_reason=2053, dlh_dest_q_name="AB"))
    assert not both.matches(*message(dlh_reason=2053, dlh_dest_q_name="B"))
    assert not both.matches(*message(dlh_reason=2051, dlh_dest_q_name="AB"))


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("", "", "there is no rule in the table"),
        ("WAIT(NO)", "", "there is no rule in the table"),
        ("REASON(2053)", "line 1, column 12", "the rule has no ACTION"),
        ("ACTION(EAT)", "line 1, column 11", "ACTION must be DISCARD, IGNORE, RETRY or FWD"),
        ("* x\n\nACTION(FWD)", "line 3, column 11", "ACTION(FWD) needs FWDQ"),
        ("ACTION(RETRY) FWDQ(A)", "line 1, column 18", "FWDQ goes with ACTION(FWD) only"),
        ("ACTION(RETRY) +\n  RETRY(0)", "line 2, column 10", "RETRY must be a number between 1 and"),
        ("ACTION(RETRY) RETRY(x)", "line 1, column 22", "RETRY must be a number"),
        ("ACTION(IGNORE) ACTION(IGNORE)", "line 1, column 21", "ACTION is given twice"),
        ("ACTION(IGNORE) COLOUR(RED)", "line 1, column 21", "COLOUR is not a keyword"),
        ("ACTION(IGNORE) DESTQ", "line 1, column 20", "DESTQ needs a value"),
        ("ACTION(IGNORE) DESTQ()", "line 1, column 22", "DESTQ needs a value"),
        ("ACTION(IGNORE) FORMAT('')", "line 1, column 25", "FORMAT needs a value"),
        ("ACTION(IGNORE) DESTQ(A B)", "line 1, column 25", "DESTQ takes one value"),
        ("ACTION(IGNORE) FORMAT(TOOLONGFORIT)", "line 1, column 35", "FORMAT has at most 8"),
        ("ACTION(IGNORE) REASON(MQRC_NO_SUCH)", "line 1, column 35", "REASON must be a number, a name MQRC_"),
        ("ACTION(IGNORE) MSGTYPE(MQRC_Q_FULL)", "line 1, column 35", "MSGTYPE must be a number, a name MQMT_"),
        ("ACTION(IGNORE) DESTQ('A", "line 1, column 23", "a quote is not closed"),
        ("ACTION(FWD) FWDQ('A B')", "line 1, column 23", "FWDQ must be a name"),
        ("ACTION(FWD) FWDQ(&DESTQM)", "line 1, column 25", "FWDQ must be a name"),
        ("ACTION(FWD) FWDQ(A) HEADER(MAYBE)", "line 1, column 33", "HEADER must be YES or NO"),
        ("ACTION(FWD) FWDQ(A) PUTAUT(X)", "line 1, column 29", "PUTAUT must be DEF or CTX"),
        ("ACTION(IGNORE)\nWAIT(NO)", "line 2, column 4", "control data must be the first entry"),
        ("WAIT(NO) ACTION(IGNORE)", "line 1, column 15", "ACTION belongs to a rule"),
        ("WAIT(SOON)\nACTION(IGNORE)", "line 1, column 10", "WAIT must be YES, NO or a number of seconds"),
        ("RETRYINT(0)\nACTION(IGNORE)", "line 1, column 11", "RETRYINT must be a number"),
        ("INPUTQ('A B')\nACTION(IGNORE)", "line 1, column 13", "INPUTQ must be a name"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_column(text: str, place: str, why: str) -> None:
    with pytest.raises(RulesError) as caught:
        read_rules(text)
    assert len(caught.value.problems) == 1
    problem = caught.value.problems[0]
    assert problem.startswith(f"{place}: {why}" if place else why), problem


def test_every_wrong_entry_is_told_at_once() -> None:
    with pytest.raises(RulesError) as caught:
        read_rules("WAIT(X)\nACTION(Y)\nACTION(IGNORE)\nREASON(Z) ACTION(IGNORE)")
    assert [problem.partition(",")[0] for problem in caught.value.problems] == ["line 1", "line 2", "line 4"]


@given(st.text(st.sampled_from("ACTIONFWDQREASON()'*?&+- \n,;2053"), max_size=80))
def test_any_text_is_a_table_or_has_problems_with_places(text: str) -> None:
    try:
        table = read_rules(text)
    except RulesError as error:
        assert error.problems
    else:
        assert table.rules and all(each.action for each in table.rules)
