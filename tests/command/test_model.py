"""The command model is complete: every command has help, an example that works, a handler and an authority."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.catalogue.attribute import FLAG
from flintmq.catalogue.attributes import QUEUE_KINDS
from flintmq.command import absent
from flintmq.command.display import render
from flintmq.command.execute import bind, execute
from flintmq.command.form import NO_NAME, OPTIONAL_NAME, Form
from flintmq.command.model import FORMS, VERBS, nouns, syntax
from flintmq.command.parser import NOUN_SYNONYMS, VERB_SYNONYMS, parse
from flintmq.command.reply import Reply
from flintmq.mqi.reason import MQRC_FUNCTION_NOT_SUPPORTED

EVERY = [pytest.param(form, id=f"{form.verb} {form.noun}") for form in FORMS.values()]


@pytest.mark.parametrize("form", EVERY)
def test_a_command_has_help_and_an_example_that_can_be_bound(form: Form) -> None:
    assert form.summary.endswith(".") and form.summary[0].isupper()
    assert form.authority[0] in ("crt", "chg", "dlt", "dsp", "clr", "ctrl") and form.authority[1]
    assert form.pcf_command > 0 or form.noun == "TRACE"  # z/OS has no PCF for it.
    bound = bind(parse(form.example))
    assert bound.form is form


@pytest.mark.parametrize("form", EVERY)
def test_a_command_has_a_syntax_text_that_names_every_parameter(form: Form) -> None:
    lines = syntax(form)
    assert lines[0].startswith(f" {form.verb} {form.noun}")
    assert ("(" in lines[0]) == (form.name not in (NO_NAME, OPTIONAL_NAME))
    whole = "\n".join(lines)
    for attribute in (*form.options, *form.settable, *form.shown):
        assert attribute.keyword in whole


@pytest.mark.parametrize("form", EVERY)
def test_no_keyword_means_two_things_in_one_command(form: Form) -> None:
    words: list[str] = []
    for attribute in (*form.options, *form.settable):
        words += attribute.words if attribute.kind == FLAG else [attribute.keyword, *attribute.synonyms]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("form", EVERY)
def test_the_example_runs_and_answers_with_a_message(form: Form, run: Callable[[str], Reply]) -> None:
    reply = run(form.example)
    assert reply.responses and not reply.syntax_error
    assert form.changes_nothing == (form.verb in ("DISPLAY", "PING"))


def test_synonyms_lead_to_words_that_exist() -> None:
    assert set(VERB_SYNONYMS.values()) <= set(VERBS)
    every = {noun for _, noun in FORMS}
    assert set(NOUN_SYNONYMS.values()) <= every


def test_every_verb_has_nouns() -> None:
    assert all(nouns(verb) for verb in VERBS if verb != "END")
    assert "QMGR" not in nouns("DEFINE")


# -- what is not understood -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "segment", "why"),
    [
        ("FOO BAR(X)", "FOO", "FOO is not a command; commands are ALTER, ARCHIVE, CLEAR, DEFINE"),
        ("DEFINE", "DEFINE", "DEFINE needs an object type: AUTHINFO, BUFFPOOL"),
        ("START PROCESS(X)", "START PROCESS", "There is no START PROCESS; START is for CHANNEL, LISTENER"),
        ("DEFINE QLOCAL", "DEFINE QLOCAL", "QLOCAL needs a name"),
        ("DEFINE QLOCAL(A*)", "DEFINE QLOCAL(A*", "DEFINE takes no generic name"),
        ("DEFINE QLOCAL('A B') SHARE", "DEFINE QLOCAL('A B'", "A name has at most 48"),
        ("DISPLAY QLOCAL('A B*')", "DISPLAY QLOCAL('A B*'", "A generic name is"),
        ("DEF STC(toolongname)", "DEF STC(toolongname", "A storage class name"),
        ("DISPLAY QMGR(X)", "DISPLAY QMGR(X", "DISPLAY QMGR takes no name"),
        (
            "DEF QL(A) CURDEPTH(7)",
            "DEF QL(A) CURDEPTH",
            "CURDEPTH is not a parameter of DEFINE QLOCAL; it is only displayed",
        ),
        ("DEF QL(A) DEFTYPE(PERMDYN)", "DEF QL(A) DEFTYPE", "DEFTYPE is not a parameter"),
        (
            "DEF QA(A) MAXDEPTH(7)",
            "DEF QA(A) MAXDEPTH",
            "MAXDEPTH is not a parameter of DEFINE QALIAS; it is an attribute of",
        ),
        ("DEF QL(A) ZZZZ(1)", "DEF QL(A) ZZZZ", "ZZZZ is not a parameter of DEFINE QLOCAL; DEFINE QLOCAL ? lists them"),
        ("DEF QL(A) MAXDEPTH(-1) SHARE", "DEF QL(A) MAXDEPTH(-1)", "MAXDEPTH must be between 0 and"),
        ("DEF QL(A) MAXDEPTH SHARE", "DEF QL(A) MAXDEPTH", "MAXDEPTH needs a value"),
        ("DEF QL(A) SHARE(YES)", "DEF QL(A) SHARE(YES)", "SHARE takes no value here"),
        ("DEF QL(A) SHARE NOSHARE", "DEF QL(A) SHARE NOSHARE", "SHARE is given twice"),
        ("DEF QA(A) TARGET(B) TARGQ(C)", "DEF QA(A) TARGET(B) TARGQ", "TARGET is given twice"),
        ("DEF QL(A) DESCR(two words)", "DEF QL(A) DESCR(two words)", "DESCR takes one value"),
        ("DIS QL(A) CURDEPTH(7)", "DIS QL(A) CURDEPTH(7)", "CURDEPTH takes no value here"),
        ("DIS QL(A) 'x'", "DIS QL(A) '", "' stands where a keyword is expected"),
    ],
)
def test_a_syntax_error_shows_the_segment_and_the_reason_in_one_line(command: str, segment: str, why: str) -> None:
    reply = execute(command, None)
    assert reply.syntax_error and reply.failed
    (error,) = reply.responses
    assert error.number == "AMQ8405I" and error.lines[0] == segment
    assert len(error.lines) == 2 and error.lines[1].startswith("   " + why)


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("DEFINE QLOCAL(A) MAXDEPHT(7) SHARE", "MAXDEPTH"),
        ("DISPLYA QMGR", "DISPLAY"),
        ("DEFINE QLOCLA(A)", "QLOCAL"),
        ("ALTER QMGR CHLAUHT(DISABLED)", "CHLAUTH"),
        ("DEF QL(A) GET(ENABLD)", "ENABLED"),
        ("DISPLAY CONN(*) TYPE(HANDEL)", "HANDLE"),
    ],
)
def test_a_typing_error_gets_the_word_that_was_meant_in_one_line(command: str, meant: str) -> None:
    """Issue 14, item 13: "did you mean MAXDEPTH?" and one line, not the 55 lines of the valid syntax."""
    (error,) = execute(command, None).responses
    assert len(error.lines) == 2 and error.lines[1].endswith(f"; did you mean {meant}?")


def test_a_question_mark_asks_for_the_syntax() -> None:
    commands, nouns_of_define, parameters = (execute(text, None) for text in ("?", "DEFINE ?", "DEFINE QLOCAL ?"))
    assert [line.strip() for line in commands.responses[0].lines] == VERBS and "END" in VERBS
    assert [line.split()[1] for line in nouns_of_define.responses[0].lines] == nouns("DEFINE")
    assert any("MAXDEPTH(" in line for line in parameters.responses[0].lines)
    assert not parameters.failed and parameters.responses[0].number == "AMQ8427I"


# -- what MQ has and FlintMQ has not -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR) CONNAME('host(1414)') XMITQ(QM2)", "message channels (CHLTYPE(SDR))"),
        ("DEFINE CHANNEL(C) CHLTYPE(SVRCONN) SCYEXIT('x')", "channel exits (SCYEXIT)"),
        ("ALTER CHL(C) CONNAME('host')", "message channels (CONNAME)"),
        ("DISPLAY CLUSQMGR(*)", "clusters (DISPLAY CLUSQMGR)"),
        ("SUSPEND QMGR CLUSTER(C)", "clusters (SUSPEND QMGR)"),
        ("DEFINE CFSTRUCT(APP1) CFLEVEL(5)", "queue-sharing groups (DEFINE CFSTRUCT)"),
        ("DEF QL(A) CMDSCOPE(*)", "queue-sharing groups (CMDSCOPE)"),
        ("SET POLICY(Q) SIGNALG(SHA256)", "message protection (SET POLICY)"),
        ("DEFINE AUTHINFO(A) AUTHTYPE(IDPWLDAP)", "LDAP (AUTHTYPE(IDPWLDAP))"),
        ("ALTER QMGR IGQ(ENABLED)", "queue-sharing groups (IGQ)"),
        ("REFRESH QMGR TYPE(CONFIGEV)", "REFRESH QMGR TYPE(CONFIGEV)"),
    ],
)
def test_what_mq_has_and_flintmq_has_not_says_so_and_is_no_typing_error(command: str, part: str) -> None:
    """Issue 14, item 13: a command of MQ that is missing here must not look like a typing error."""
    reply = execute(command, None)
    assert not reply.syntax_error and reply.reason == MQRC_FUNCTION_NOT_SUPPORTED
    (line,) = render(reply)
    assert line.startswith("AMQ8101S") and line.endswith(f"FlintMQ does not have {part} yet, see docs/limits.md.")


def test_display_takes_attributes_of_types_that_are_missing_and_shows_nothing(run: Callable[[str], Reply]) -> None:
    """Issue 14, item 13: monitors ask for the attributes of all types of channels at once."""
    (answer,) = run("DISPLAY CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE CONNAME XMITQ MCAUSER").responses
    assert [item.keyword for item in answer.items] == ["CHANNEL", "CHLTYPE", "MCAUSER"]
    assert not execute("DISPLAY CHSTATUS(*) XMITQ RQMNAME STATUS", None).failed


def test_nothing_is_called_missing_that_is_there() -> None:
    for verb, noun in absent.COMMANDS:
        assert all((each, noun) not in FORMS for each in ([verb] if verb else VERBS)), (verb, noun)
    for noun, keywords in absent.PARAMETERS.items():
        for form in FORMS.values():
            if form.verb == "STOP":
                continue  # STOP CHANNEL has CONNAME, to choose instances.
            if noun in ("", form.noun) or (noun == "QUEUE" and form.kind in QUEUE_KINDS and form.noun == form.kind):
                words = {attribute.keyword for attribute in (*form.settable, *form.options, *form.shown)}
                assert not words & set(keywords), (form.verb, form.noun)
    for (noun, keyword), values in absent.VALUES.items():
        for verb in ("DEFINE", "REFRESH", "RESET"):
            found = FORMS.get((verb, noun))
            for attribute in (*found.settable, *found.options) if found is not None else ():
                assert attribute.keyword != keyword or not set(values) & set(attribute.words)
