"""Calls of routines: what goes in, what comes back, and where a call may stand."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.program import Program
from flintmq.broker.esql.run import Deployment, Rows
from tests.broker.esql.running import Outcome, Tables, error_of, program_of, run_module, run_unit

ORDER = b"<Order id='7'><Item>a</Item><Item>b</Item><Item>c</Item></Order>"


def run(body: str, routines: str, declarations: str = "", **options: object) -> Outcome:
    text = f"""CREATE COMPUTE MODULE M {declarations}
        CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN {body} RETURN TRUE; END;
        {routines}
        END MODULE;"""
    return run_module(text, ORDER, **options)  # type: ignore[arg-type]


def test_a_row_is_passed_by_value_and_a_reference_as_a_pointer() -> None:
    outcome = run(
        """DECLARE r ROW; SET r.a = 1;
           CALL row_in(r); SET Environment.row_in = r.a;
           CALL row_inout(r); SET Environment.row_inout = r.a;
           CALL row_out(r); SET Environment.row_out = r.b; SET Environment.gone = r.a;
           CALL row_out(Environment.made); SET Environment.made_b = Environment.made.b;
           DECLARE p REFERENCE TO r; CALL reference_in(p); SET Environment.reference_in = r.b;
           SET Environment.read = row_read(InputRoot.XMLNSC.Order);""",
        """CREATE PROCEDURE row_in(IN r ROW) BEGIN SET r.a = 2; END;
           CREATE PROCEDURE row_inout(INOUT r ROW) BEGIN SET r.a = 3; END;
           CREATE PROCEDURE row_out(OUT r ROW) BEGIN SET r.b = 4; END;
           CREATE PROCEDURE reference_in(IN r REFERENCE) BEGIN SET r.b = 5; END;
           CREATE FUNCTION row_read(IN r ROW) RETURNS CHARACTER BEGIN
             SET r.x = r.(XMLNSC.Attribute)id || r.Item[2]; RETURN r.x; END;""",
    )

    names = ("row_in", "row_inout", "row_out", "gone", "made_b", "reference_in", "read")
    assert [outcome.value(name) for name in names] == [1, 3, 4, None, 4, 5, "7b"]


def test_a_reference_comes_back_with_its_lastmove() -> None:
    outcome = run(
        """DECLARE r REFERENCE TO InputRoot.XMLNSC.Order.Item; DECLARE n INTEGER 0;
           WHILE LASTMOVE(r) AND n < 9 DO SET n = n + 1; CALL step(r); END WHILE;
           SET Environment.n = n; SET Environment.last = r;
           MOVE r TO InputRoot.XMLNSC.Order.Item[1];
           IF stepped(r) THEN SET Environment.next = r; END IF;
           MOVE global FIRSTCHILD; IF stepped(global) THEN SET Environment.global = FIELDVALUE(global); END IF;""",
        """CREATE PROCEDURE step(INOUT r REFERENCE) BEGIN MOVE r NEXTSIBLING; END;
           CREATE FUNCTION stepped(INOUT r REFERENCE) RETURNS BOOLEAN BEGIN
             MOVE r NEXTSIBLING; RETURN LASTMOVE(r); END;""",
        "DECLARE global REFERENCE TO InputRoot.XMLNSC.Order;",
    )

    assert [outcome.value(name) for name in ("n", "last", "next", "global")] == [3, "c", "b", "a"]


def test_a_function_in_an_expression_stores_its_out_values_wherever_they_belong() -> None:
    outcome = run(
        """DECLARE i DECIMAL 1;
           SET Environment.sum = f(i) + f(Environment.field) + f(shared) + f(Environment.list[2].x);
           SET Environment.i = i; SET Environment.shared = shared;
           IF f(i) = 10 AND f(i) = 10 THEN SET Environment.twice = i; END IF;""",
        """CREATE FUNCTION f(INOUT o INTEGER) RETURNS INTEGER BEGIN SET o = COALESCE(o, 0) + 5; RETURN 10; END;""",
        "DECLARE shared SHARED INTEGER 7;",
    )

    names = ("sum", "i", "field", "shared", "twice")
    assert [outcome.value(name) for name in names] == [40, 6, 5, 12, 16]
    assert outcome.run.environment.child("list") is not None


def test_what_an_out_argument_held_before_does_not_matter() -> None:
    """The value is not passed, so it need not fit the type of the parameter."""
    outcome = run(
        "SET Environment.x = 'no number'; CALL p(Environment.x);",
        "CREATE PROCEDURE p(OUT n INTEGER) BEGIN SET n = COALESCE(n, 1) + 1; END;",
    )

    assert outcome.value("x") == 2


def test_a_call_that_sets_a_variable_is_refused_where_python_has_no_place_for_it() -> None:
    program = Program()
    text = """CREATE FUNCTION f(OUT o INTEGER) RETURNS INTEGER BEGIN RETURN 1; END;
              CREATE PROCEDURE p() BEGIN
                DECLARE a INTEGER; SET Environment.x = CAST('q' AS INTEGER DEFAULT f(a)); END;"""
    program.add(parse(text, "call.esql"))
    program.compile()

    assert [problem.text for problem in program.errors] == [
        "a call that sets a variable cannot stand here; make it a statement"
    ]


def test_result_sets_of_a_stored_procedure_fill_the_lists_behind_its_parameters() -> None:
    """MF 2.8: DYNAMIC RESULT SETS; one that the procedure does not give is empty."""
    tables = Tables(Rows(["ID"], [(1,), (2,)]))
    outcome = run(
        """DECLARE n INTEGER; SET Environment.b = 'old';
           CALL proc(5, n, Environment.a[], Environment.b[]);
           SET Environment.n = n; SET Environment.count = CARDINALITY(Environment.a[]);
           SET Environment.second = Environment.a[2].ID; SET Environment.none = CARDINALITY(Environment.b[]);""",
        """CREATE PROCEDURE proc(IN a INTEGER, OUT b INTEGER) LANGUAGE DATABASE
             DYNAMIC RESULT SETS 2 EXTERNAL NAME "S.PROC";""",
        databases={"DB": tables},
    )

    assert [outcome.value(name) for name in ("n", "count", "second", "none")] == [99, 2, 2, 0]
    assert tables.statements == [("S.PROC", [5, None])]


@pytest.mark.parametrize("statement", ["CALL p();", "CALL p(1, 2);", "SET Environment.x = p();"])
def test_the_number_of_arguments_is_checked_when_the_call_is_compiled(statement: str) -> None:
    program = Program()
    text = f"CREATE PROCEDURE p(IN a INTEGER) BEGIN END; CREATE PROCEDURE q() BEGIN {statement} END;"
    program.add(parse(text, "call.esql"))
    program.compile()

    assert ["p takes 1 arguments" in problem.text for problem in program.errors] == [True]


def test_a_constant_of_a_module_is_evaluated_for_every_message_unless_it_is_fixed() -> None:
    """A normal variable lives as long as one message, a constant one, too; SHARED may start from either."""
    text = """CREATE COMPUTE MODULE M
          DECLARE first CONSTANT CHARACTER InputRoot.XMLNSC.a;
          DECLARE upper CONSTANT CHARACTER UPPER(first);
          DECLARE fixed CONSTANT INTEGER 2 * 3;
          DECLARE variable INTEGER fixed + 1;
          DECLARE kept SHARED CHARACTER first || CAST(variable AS CHARACTER);
          DECLARE ns NAMESPACE 'urn:' || first;
          CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
            SET Environment.x = first || upper || CAST(fixed AS CHARACTER) || kept || ns; RETURN TRUE; END;
        END MODULE;"""
    program = program_of(text)
    deployment = Deployment()

    results = [
        run_unit(program, "M", body, "XMLNSC", deployment=deployment).value("x") for body in (b"<a>a</a>", b"<a>b</a>")
    ]

    assert results == ["aA6a7urn:a", "bB6a7urn:b"]


def test_propagate_to_a_label_that_is_null_is_an_error() -> None:
    assert "PROPAGATE" in error_of("PROPAGATE TO LABEL NULL;").root_cause().text


@pytest.mark.parametrize(
    ("schema", "called"),
    [
        ("SALES", "SALES.PROC"),
        ("db1.SALES", "db1.SALES.PROC"),
        ("x(1); DROP TABLE T; --", '"x(1); DROP TABLE T; --".PROC'),
        ('a"b', '"a""b".PROC'),
    ],
)
def test_an_external_schema_cannot_leave_the_name_of_the_procedure(schema: str, called: str) -> None:
    tables = Tables()
    run(
        f"CALL proc(1) EXTERNAL SCHEMA '{schema}';",
        'CREATE PROCEDURE proc(IN a INTEGER) LANGUAGE DATABASE EXTERNAL NAME "S.PROC";',
        databases={"DB": tables},
    )

    assert tables.statements == [(called, [1])]


@pytest.mark.parametrize("schema", ["a..b", ".", "a.", "a\0b"])
def test_an_external_schema_with_an_empty_part_is_refused(schema: str) -> None:
    tables = Tables()
    with pytest.raises(BrokerError, match="is no name of a table"):
        run(
            "DECLARE s CHARACTER; SET s = CAST(X'" + schema.encode().hex() + "' AS CHARACTER CCSID 1208);"
            "CALL proc(1) EXTERNAL SCHEMA s;",
            'CREATE PROCEDURE proc(IN a INTEGER) LANGUAGE DATABASE EXTERNAL NAME "S.PROC";',
            databases={"DB": tables},
        )
    assert tables.statements == []
