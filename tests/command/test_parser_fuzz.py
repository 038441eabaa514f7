"""Any text gives commands or a syntax error, never another exception; what is understood says the same twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.command.display import render
from flintmq.command.execute import execute
from flintmq.command.model import FORMS
from flintmq.command.parser import CommandSyntaxError, parse
from flintmq.mqi.command_text import COMMAND_LENGTH_MAX, read_commands

WORDS = sorted(
    {word for verb, noun in FORMS for word in (verb, noun)}
    | {each.keyword for form in FORMS.values() for each in (*form.options, *form.settable, *form.shown)}
    | {"DEF", "ALT", "DIS", "QL", "Q", "NOSHARE", "A*", "*", "0", "-1", "5000", "GT", "LK", "EQ", "YES", "0.05"}
)

SOUP = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(["(", ")", "'", "''", " ", ",", ";", "+\n", "-\n", "\n", "*", "\t", "\r\n", "WHERE("]),
        st.text(max_size=4),
    ),
    max_size=40,
).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(st.one_of(SOUP, st.text(max_size=200)))
def test_any_text_is_commands_or_a_syntax_error(source: str) -> None:
    for command in read_commands(source):
        assert len(command.text) <= COMMAND_LENGTH_MAX
        try:
            parsed = parse(command.text)
        except CommandSyntaxError as error:
            assert command.text.startswith(error.segment) and 0 <= error.offset <= len(command.text) + 1
            continue
        assert parsed.verb and parsed.noun_end <= len(command.text)
        for parameter in parsed.parameters:
            assert parsed.noun_end <= parameter.start < parameter.end <= parameter.close <= len(command.text)


@settings(max_examples=400, deadline=None)
@given(st.one_of(SOUP, st.text(max_size=200)))
def test_any_text_can_be_checked_and_its_answer_printed(source: str) -> None:
    for command in read_commands(source):
        reply = execute(command, None)
        lines = render(reply)
        asks = command.text.strip().startswith("?") or command.text.strip().endswith("?")
        assert reply.failed == bool(lines) or asks  # A question is answered.
        if reply.syntax_error:
            assert lines[0].startswith("AMQ8405I")


@given(st.text(st.characters(exclude_characters="\r\n"), max_size=60).filter(lambda text: not text.startswith("*")))
def test_a_quoted_value_comes_back_as_it_was_written(value: str) -> None:
    quoted = value.replace("'", "''")
    (command,) = parse(f"DEF QL(A) DESCR('{quoted}')").parameters
    assert command.texts == [value]
