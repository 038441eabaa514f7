"""The language rules of MQSC: joining lines, taking commands apart, and where an error is."""

from __future__ import annotations

import pytest

from flintmq.command.parser import Command, CommandSyntaxError, parse
from flintmq.mqi.command_text import COMMAND_LENGTH_MAX, LINE_LENGTH_MAX, CommandReader, read_commands


def texts(source: str) -> list[str]:
    return [command.text for command in read_commands(source)]


def parameters(command: Command) -> dict[str, list[str] | None]:
    return {each.keyword: None if each.values is None else each.texts for each in command.parameters}


# -- lines to commands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "commands"),
    [
        ("PING QMGR", ["PING QMGR"]),
        ("PING QMGR\nDIS QMGR\n", ["PING QMGR", "DIS QMGR"]),
        ("\n  \n\t\nPING QMGR\r\n", ["PING QMGR"]),
        ("* a comment\nPING QMGR", ["PING QMGR"]),
        ("DEF QL(A) +\n    DESCR('x')", ["DEF QL(A) DESCR('x')"]),
        ("DEF QL(A) -\n    DESCR('x')", ["DEF QL(A)     DESCR('x')"]),
        ("DEF QL(A) +   \n* between\n\n   DESCR('x')", ["DEF QL(A) DESCR('x')"]),
        ("DEF QL(A) DESCR('one +\n   two')", ["DEF QL(A) DESCR('one two')"]),
        ("DEF QL(A) DESCR('one -\n   two')", ["DEF QL(A) DESCR('one    two')"]),
        ("DEF QL(A);DEF QL(B) ; PING QMGR;", ["DEF QL(A)", "DEF QL(B) ", " PING QMGR"]),
        ("DEF QL(A) DESCR('a;b'';c');PING QMGR", ["DEF QL(A) DESCR('a;b'';c')", "PING QMGR"]),
        ("DEF QL(A) DESCR('x +\n;y') ; END", ["DEF QL(A) DESCR('x ;y') ", " END"]),
        (";;;\n , \n", []),
        ("PING +", ["PING "]),
        ("PING QMGR\n * not a comment: column 2", ["PING QMGR", " * not a comment: column 2"]),
    ],
)
def test_lines_are_joined_to_commands(source: str, commands: list[str]) -> None:
    assert texts(source) == commands


def test_a_reader_says_whether_the_next_line_goes_on() -> None:
    reader = CommandReader()
    assert reader.feed("DEF QL(A) +") == [] and reader.continuing
    assert reader.feed("* comment") == [] and reader.continuing
    assert [each.text for each in reader.feed("REPLACE")] == ["DEF QL(A) REPLACE"] and not reader.continuing


def test_every_offset_leads_back_to_its_line_and_column() -> None:
    (command,) = read_commands("* first line\nDEF QL(A) +\n   DESCR('x') -\nREPLACE")
    assert command.text == "DEF QL(A) DESCR('x') REPLACE"
    assert command.place(command.text.index("DEF")) == (2, 1)
    assert command.place(command.text.index("DESCR")) == (3, 4)
    assert command.place(command.text.index("REPLACE")) == (4, 1)


def test_a_line_and_a_command_may_be_only_so_long() -> None:
    (line,) = read_commands("PING QMGR" + " " * LINE_LENGTH_MAX)
    assert str(LINE_LENGTH_MAX) in line.problem
    (fits,) = read_commands("PING QMGR".ljust(LINE_LENGTH_MAX))
    assert not fits.problem
    lines = ["DEF NL(A) NAMES(+", *["N" * 40 + ",+"] * (COMMAND_LENGTH_MAX // 40), "B)", "PING QMGR"]
    long, after = read_commands("\n".join(lines))
    assert str(COMMAND_LENGTH_MAX) in long.problem and len(long.text) <= COMMAND_LENGTH_MAX
    assert after.text == "PING QMGR" and not after.problem


# -- one command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verb", "noun", "name"),
    [
        ("DEFINE QLOCAL(A)", "DEFINE", "QLOCAL", "A"),
        ("define qlocal(a)", "DEFINE", "QLOCAL", "A"),
        ("def ql('a')", "DEFINE", "QLOCAL", "a"),
        ("DIS Q(*)", "DISPLAY", "QUEUE", "*"),
        ("ALT QA (X)", "ALTER", "QALIAS", "X"),
        ("DEL QR( X )", "DELETE", "QREMOTE", "X"),
        ("DEL QM(,X,)", "DELETE", "QMODEL", "X"),
        ("DIS QS(X)", "DISPLAY", "QSTATUS", "X"),
        ("DIS NL(X)", "DISPLAY", "NAMELIST", "X"),
        ("DIS PRO(X)", "DISPLAY", "PROCESS", "X"),
        ("DIS STC(X)", "DISPLAY", "STGCLASS", "X"),
        (",, PING ,QMGR,", "PING", "QMGR", None),
        ("END", "END", "", None),
    ],
)
def test_verb_noun_and_name(text: str, verb: str, noun: str, name: str | None) -> None:
    command = parse(text)
    assert (command.verb, command.noun) == (verb, noun)
    assert (command.name.text if command.name else None) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALT QL(A) SHARE NOTRIGGER", {"SHARE": None, "NOTRIGGER": None}),
        ("ALT QL(A) descr('Mixed Case') boqname(lower)", {"DESCR": ["Mixed Case"], "BOQNAME": ["LOWER"]}),
        ("ALT QL(A) DESCR('it''s') INITQ('')", {"DESCR": ["it's"], "INITQ": [""]}),
        ("ALT QL(A)DESCR('x')SHARE", {"DESCR": ["x"], "SHARE": None}),
        ("ALT QL(A) MCAUSER ('mqm')", {"MCAUSER": ["mqm"]}),
        ("ALT QL(A), MAXDEPTH\t( 5 ) , GET(ENABLED)", {"MAXDEPTH": ["5"], "GET": ["ENABLED"]}),
        ("ALT NL(A) NAMES(A,B 'c d',,D)", {"NAMES": ["A", "B", "c d", "D"]}),
        ("ALT NL(A) NAMES()", {"NAMES": []}),
        ("ALT CHL(A) CONNAME(host(1414),b)", {"CONNAME": ["HOST(1414)", "B"]}),
        ("DIS Q(*) WHERE(DESCR LK 'a*')", {"WHERE": ["DESCR", "LK", "a*"]}),
        ("ALT QL(A) DESCR('')", {"DESCR": [""]}),
        ("ALT QL(A) DESCR('''')", {"DESCR": ["'"]}),
    ],
)
def test_parameters(text: str, expected: dict[str, list[str] | None]) -> None:
    assert parameters(parse(text)) == expected


def test_every_part_knows_its_place() -> None:
    text = "DEF QL('a b') DESCR ('x''y') SHARE"
    command = parse(text)
    assert command.name is not None and text[command.name.start : command.name.end] == "'a b'" and command.name.quoted
    assert text[: command.verb_end] == "DEF" and text[: command.noun_end] == "DEF QL"
    descr, share = command.parameters
    assert text[descr.start : descr.end] == "DESCR" and text[: descr.close].endswith("'x''y')")
    assert descr.values is not None and text[descr.values[0].start : descr.values[0].end] == "'x''y'"
    assert text[share.start : share.close] == "SHARE"


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("DEF QL(A) SHARE SHARE PUT(ENABLED)", "DEF QL(A) SHARE SHARE"),
        ("DEF QL(A) DESCR('x') descr('y')", "DEF QL(A) DESCR('x') descr"),
        ("DEF QL(A) DESCR('x", "DEF QL(A) DESCR('x"),
        ("DEF QL(A) DESCR(x", "DEF QL(A) DESCR(x"),
        ("DEF QL(A) ) SHARE", "DEF QL(A) )"),
        ("DEF QL(A) 'SHARE' PUT", "DEF QL(A) '"),
        ("DEF QL(A B) SHARE", "DEF QL(A B"),
        ("DEF QL() SHARE", "DEF QL()"),
        ("DEF (A)", "DEF ("),
        ("'DEF' QL(A)", "'"),
        ("ALT CHL(A) CONNAME(host(1414)", "ALT CHL(A) CONNAME(host(1414)"),
        ("ALT QL(A) DESCR((x))", "ALT QL(A) DESCR(("),
        ("", ""),
    ],
)
def test_an_error_shows_the_command_up_to_the_failing_word(text: str, segment: str) -> None:
    with pytest.raises(CommandSyntaxError) as caught:
        parse(text)
    assert caught.value.segment == segment and caught.value.explanation
