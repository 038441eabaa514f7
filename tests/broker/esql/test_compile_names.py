"""Names and texts of ESQL in compiled code: none clashes with a name of Python, none gets into the code unescaped."""

from __future__ import annotations

import pytest

from flintmq.broker.esql.run import Rows
from tests.broker.esql.running import Tables, run_statements

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
