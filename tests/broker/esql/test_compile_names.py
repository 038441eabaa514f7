"""Names and texts of ESQL in compiled code: none clashes with a name of Python, none gets into the code unescaped."""

from __future__ import annotations

import pytest

from flintmq.broker.esql.run import Rows
from tests.broker.esql.running import Tables, run_module, run_statements

#: As a name in ESQL, it would end a literal of Python and call a function.
HOSTILE = "q' + str(__import__('os').getpid()) + '"


@pytest.mark.parametrize(
    ("statement", "sql"),
    [
        (f'SET Environment.r[] = SELECT T."{HOSTILE}" FROM Database.X AS T;', f'SELECT T."{HOSTILE}" FROM X T'),
        (
            f'SET Environment.r[] = SELECT "{HOSTILE}".B FROM Database.X AS "{HOSTILE}";',
            f'SELECT "{HOSTILE}".B FROM X "{HOSTILE}"',
        ),
        (f'SET Environment.r = SELECT SUM(T."{HOSTILE}") FROM Database.X AS T;', f'SELECT SUM(T."{HOSTILE}") FROM X T'),
        (f'UPDATE Database.X AS "{HOSTILE}" SET A = 1;', f'UPDATE X AS "{HOSTILE}" SET A = ?'),
        (f'DELETE FROM Database.X AS "{HOSTILE}";', f'DELETE FROM X AS "{HOSTILE}"'),
        (
            f'INSERT INTO Database."{HOSTILE}" ("{HOSTILE}") VALUES (1);',
            f'INSERT INTO "{HOSTILE}" ("{HOSTILE}") VALUES (?)',
        ),
    ],
)
def test_a_name_of_a_column_or_table_cannot_end_the_literal_of_its_statement(statement: str, sql: str) -> None:
    tables = Tables(Rows(["B"], [(1,)]))
    run_statements(statement, databases={"DB": tables})

    assert [text for text, _ in tables.statements] == [sql]


@pytest.mark.parametrize(
    "name", ["t_1", "t", "go_1", "error_1", "class", "None", "float", "c", "value", "a b", "ä", "_1"]
)
def test_a_variable_may_have_any_name(name: str) -> None:
    """Two variables of one name in nested blocks, beside names that the compiler makes."""
    outcome = run_statements(
        f"""DECLARE "{name}" INTEGER 1;
            BEGIN
              DECLARE "{name}" INTEGER 2;
              DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' BEGIN SET Environment.inner = "{name}"; END;
              A: LOOP B: LOOP SET Environment.f = COALESCE(NULL, 2.5E0); LEAVE A; END LOOP B; END LOOP A;
              SET Environment.x = 1 / 0;
            END;
            SET Environment.outer = "{name}";"""
    )

    assert [outcome.value(n) for n in ("inner", "outer", "f")] == [2, 1, 2.5]


def test_a_variable_may_have_the_name_of_a_compiled_routine() -> None:
    text = """CREATE COMPUTE MODULE M
        CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
          DECLARE m_p INTEGER 5; SET Environment.x = p() + m_p; RETURN TRUE; END;
        CREATE FUNCTION p() RETURNS INTEGER BEGIN RETURN 3; END;
        END MODULE;"""

    assert run_module(text).value("x") == 8
