"""Hostile text: the parser never raises, never hangs, and what it accepts survives printing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.lexer import ERRORS_MAX, Source, tokenise
from flintmq.broker.esql.parser import parse, parse_expression, parse_statements
from flintmq.broker.esql.printer import print_file, print_statement

SEED = """\
BROKER SCHEMA a.b PATH c.d;
DECLARE cfg EXTERNAL CHARACTER 'x'; DECLARE ns NAMESPACE 'urn:x';
CREATE COMPUTE MODULE M
  DECLARE rows SHARED ROW;
  CREATE FUNCTION Main(IN p REFERENCE, INOUT q DECIMAL(10, 2)) RETURNS BOOLEAN NOT NULL
  BEGIN
    DECLARE CONTINUE HANDLER FOR SQLSTATE LIKE 'D%' BEGIN LOG EVENT MESSAGE 1 VALUES (SQLCODE); END;
    DECLARE r REFERENCE TO InputRoot.XMLNSC.*:Order.{'It' || 'em'}[<];
    lbl : WHILE LASTMOVE(r) AND NOT EXISTS(r.x[]) OR r.(XMLNSC.Attribute)ns:t[i + 1] = - 5.0 DO
      IF r.a IS NOT NULL THEN
        SET rows.c[] = (SELECT T.a AS x.y, T.b INSERT FROM Database.{d}.S.T AS T WHERE T.k IN (1, 2));
      ELSEIF CAST(r.b AS INTEGER DEFAULT 0) BETWEEN 1 AND 2 THEN ITERATE lbl; ELSE LEAVE lbl; END IF;
      CASE r.c WHEN 'a' THEN PROPAGATE TO TERMINAL 'out1' DELETE NONE; ELSE RETURN FALSE; END CASE;
      CREATE LASTCHILD OF OutputRoot AS r DOMAIN 'JSON' NAME 'x' VALUE CASE WHEN a THEN X'00' ELSE B'01' END;
      MOVE r NEXTSIBLING REPEAT TYPE NAME; DETACH r; ATTACH r TO OutputRoot AS FIRSTCHILD; DELETE FIELD a.b;
    END WHILE lbl;
    FOR f AS a.b[] DO CALL x.y(f, (a - b) SECOND) INTO z; END FOR;
    REPEAT PASSTHRU('x ?', a); UPDATE Database.T SET a = 1 WHERE b = 2; UNTIL TRUE END REPEAT;
    THROW USER EXCEPTION CATALOG 'c' MESSAGE 2 VALUES (TRIM(LEADING '0' FROM s), POSITION('a' IN b));
    EVAL('SET a = 1'); COMMIT; RETURN TRUE;
  END;
END MODULE;
"""
_PIECES = [SEED[token.start : token.end] for token in tokenise(Source(SEED, None))[:-1]]
_BAD = [
    "@",
    "'",
    '"',
    "/*",
    "*/",
    "--",
    "/*!{",
    "}!*/",
    "&lt;",
    "&",
    "\x00",
    "\n",
    "END",
    "END IF",
    "BEGIN",
    "THEN",
    "1.",
    "0x",
    "X'",
]


def check(text: str) -> None:
    """Parse `text` as a file and as statements; check what must hold for any text."""
    parsed = parse(text)
    bare = parse_statements(text)
    for errors in (parsed.errors, bare.errors):
        places = [(error.line, error.column) for error in errors]
        assert places == sorted(places) and len(errors) <= ERRORS_MAX
        for error in errors:
            assert error.line >= 1 and 1 <= error.column <= len(error.source_line) + 2
            assert error.source_line in parsed.text
            assert str(error).startswith(f"{error.line}:{error.column}: BIP2401: ")
    if not parsed.errors:
        again = parse(print_file(parsed))
        assert again.errors == [] and again == parsed
    if not bare.errors:
        again_bare = parse_statements("\n".join(print_statement(statement) for statement in bare.statements))
        assert again_bare.errors == [] and again_bare == bare
    try:
        parse_expression(text)
    except EsqlSyntaxError:
        pass


def test_the_seed_is_sound() -> None:
    assert parse(SEED).errors == []
    check(SEED)


@settings(max_examples=100, deadline=2000)
@given(st.lists(st.sampled_from(sorted(set(_PIECES)) + _BAD), max_size=60).map(" ".join))
def test_random_tokens(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=2000)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(_PIECES)), st.integers(0, 6), st.lists(st.sampled_from(_PIECES + _BAD), max_size=3)
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_source_with_parts_replaced(edits: list[tuple[int, int, list[str]]]) -> None:
    pieces = list(_PIECES)
    for place, length, new in edits:
        pieces[place : place + length] = new
    check(" ".join(pieces))


@settings(max_examples=50, deadline=2000)
@given(st.integers(0, len(_PIECES)), st.integers(0, len(_PIECES)))
def test_a_source_that_was_cut(first: int, second: int) -> None:
    check(" ".join(_PIECES[min(first, second) : max(first, second)]))


@settings(max_examples=50, deadline=2000)
@given(st.text(max_size=80))
def test_random_text(text: str) -> None:
    check(text)
