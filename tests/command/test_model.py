"""The command model is complete: every command has help, an example that works, a handler and an authority."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.command.execute import bind, execute
from flintmq.command.model import FORMS, NO_NAME, OPTIONAL_NAME, VERBS, Form, nouns, syntax
from flintmq.command.parser import NOUN_SYNONYMS, VERB_SYNONYMS, parse
from flintmq.command.reply import Reply
from flintmq.qmgr.attribute import FLAG

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
    assert reply.answers and not reply.syntax_error
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
    ("command", "segment", "why", "then"),
    [
        ("FOO BAR(X)", "FOO", "FOO is not a command", "AMQ8426I"),
        ("DEFINE", "DEFINE", "DEFINE needs an object type", "AMQ8427I"),
        ("DEFINE SERVICE(X) SERVTYPE(SERVER)", "DEFINE SERVICE", "There is no DEFINE SERVICE", "AMQ8427I"),
        ("START SERVICE(X)", "START SERVICE", "There is no START SERVICE", "AMQ8427I"),
        ("DEFINE QLOCAL", "DEFINE QLOCAL", "QLOCAL needs a name", "AMQ8427I"),
        ("DEFINE QLOCAL(A*)", "DEFINE QLOCAL(A*", "DEFINE takes no generic name", "AMQ8427I"),
        ("DEFINE QLOCAL('A B') SHARE", "DEFINE QLOCAL('A B'", "A name has at most 48", "AMQ8427I"),
        ("DISPLAY QLOCAL('A B*')", "DISPLAY QLOCAL('A B*'", "A generic name is", "AMQ8427I"),
        ("DEF STC(toolongname)", "DEF STC(toolongname", "A storage class name", "AMQ8427I"),
        ("DISPLAY QMGR(X)", "DISPLAY QMGR(X", "DISPLAY QMGR takes no name", "AMQ8427I"),
        (
            "DEFINE QLOCAL(A) MAXDEPHT(7) SHARE",
            "DEFINE QLOCAL(A) MAXDEPHT",
            "MAXDEPHT is not a parameter of DEFINE QLOCAL",
            "AMQ8427I",
        ),
        ("DEF QL(A) CURDEPTH(7)", "DEF QL(A) CURDEPTH", "CURDEPTH is not a parameter", "AMQ8427I"),
        ("DEF QL(A) DEFTYPE(PERMDYN)", "DEF QL(A) DEFTYPE", "DEFTYPE is not a parameter", "AMQ8427I"),
        ("DEF QL(A) CMDSCOPE(*)", "DEF QL(A) CMDSCOPE", "CMDSCOPE is not a parameter", "AMQ8427I"),
        ("DEF QL(A) MAXDEPTH(-1) SHARE", "DEF QL(A) MAXDEPTH(-1)", "MAXDEPTH must be between 0 and", "AMQ8427I"),
        ("DEF QL(A) MAXDEPTH SHARE", "DEF QL(A) MAXDEPTH", "MAXDEPTH needs a value", "AMQ8427I"),
        ("DEF QL(A) SHARE(YES)", "DEF QL(A) SHARE(YES)", "SHARE takes no value here", "AMQ8427I"),
        ("DEF QL(A) SHARE NOSHARE", "DEF QL(A) SHARE NOSHARE", "SHARE is given twice", "AMQ8427I"),
        ("DEF QA(A) TARGET(B) TARGQ(C)", "DEF QA(A) TARGET(B) TARGQ", "TARGET is given twice", "AMQ8427I"),
        ("DEF QL(A) DESCR(two words)", "DEF QL(A) DESCR(two words)", "DESCR takes one value", "AMQ8427I"),
        ("DIS QL(A) CURDEPTH(7)", "DIS QL(A) CURDEPTH(7)", "CURDEPTH takes no value here", "AMQ8427I"),
        ("DIS QL(A) 'x'", "DIS QL(A) '", "' stands where a keyword is expected", "AMQ8427I"),
    ],
)
def test_a_syntax_error_shows_the_segment_the_reason_and_what_is_valid(
    command: str, segment: str, why: str, then: str
) -> None:
    reply = execute(command, None)
    assert reply.syntax_error and reply.failed
    error, valid = reply.answers
    assert error.number == "AMQ8405I" and error.lines[0] == segment
    assert error.lines[1].startswith("   " + why)
    assert valid.number == then and valid.lines


def test_an_unknown_verb_is_answered_with_the_list_of_commands() -> None:
    lines = execute("FOO", None).answers[1].lines
    assert [line.strip() for line in lines] == VERBS and "DISPLAY" in VERBS and "END" in VERBS
