"""Handlers and jumps: what a handler takes, where it goes on, and how loops are left and repeated."""

from __future__ import annotations

import pytest

from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.program import Program
from tests.broker.esql.running import error_of, run_module, run_statements

ANY = "FOR SQLSTATE LIKE '%'"


def test_an_error_that_a_called_routine_resignals_is_offered_to_the_handler_of_the_caller() -> None:
    text = f"""CREATE COMPUTE MODULE M
        CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
          DECLARE EXIT HANDLER {ANY} BEGIN SET Environment.outer = 1; RETURN FALSE; END;
          CALL p(3);
          RETURN TRUE;
        END;
        CREATE PROCEDURE p(IN depth INTEGER) BEGIN
          DECLARE EXIT HANDLER {ANY} BEGIN SET Environment.inner = COALESCE(Environment.inner, 0) + 1; RESIGNAL; END;
          IF depth > 1 THEN CALL p(depth - 1); END IF;
          SET Environment.x = 1 / 0;
        END;
        END MODULE;"""

    outcome = run_module(text)

    assert (outcome.value("inner"), outcome.value("outer"), outcome.result) == (3, 1, False)


def test_an_error_of_a_declaration_is_handled_like_any_other() -> None:
    outcome = run_statements(
        f"""BEGIN
              DECLARE EXIT HANDLER {ANY} SET Environment.exit = COALESCE(x, 'not set');
              DECLARE x INTEGER CAST('q' AS INTEGER);
              SET Environment.reached = 1;
            END;
            BEGIN
              DECLARE CONTINUE HANDLER {ANY} SET Environment.continued = 1;
              DECLARE y INTEGER CAST('q' AS INTEGER);
              DECLARE r REFERENCE TO Environment;
              SET Environment.y = COALESCE(y, 4);
            END;"""
    )

    names = ("exit", "reached", "continued", "y")
    assert [outcome.value(name) for name in names] == ["not set", None, 1, 4]


def test_a_handler_sees_the_variables_of_its_own_scope() -> None:
    outcome = run_statements(
        f"""BEGIN
              DECLARE x INTEGER 0;
              DECLARE CONTINUE HANDLER {ANY} SET x = x + 1;
              BEGIN DECLARE x INTEGER 100; SET Environment.a = 1 / 0; SET Environment.inner = x; END;
              SET Environment.outer = x;
            END;"""
    )

    assert (outcome.value("inner"), outcome.value("outer")) == (None, 1)


def test_what_a_continue_handler_raises_is_not_offered_to_the_exit_handler_beside_it() -> None:
    text = f"""BEGIN
          DECLARE EXIT HANDLER {ANY} SET Environment.outer = SQLSTATE;
          BEGIN
            DECLARE CONTINUE HANDLER FOR SQLSTATE 'S22012' THROW USER EXCEPTION MESSAGE 3333 VALUES ('x');
            DECLARE EXIT HANDLER {ANY} SET Environment.beside = 1;
            SET Environment.x = 1 / 0;
          END;
        END;"""

    outcome = run_statements(text)

    assert (outcome.value("outer"), outcome.value("beside")) == ("U03333", None)


def test_handlers_of_a_scope_are_searched_in_their_order_whatever_they_do() -> None:
    outcome = run_statements(
        f"""BEGIN
              DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'U%' SET Environment.exit = 1;
              DECLARE CONTINUE HANDLER {ANY} SET Environment.continued = 1;
              SET Environment.x = 1 / 0;
              SET Environment.between = 1;
              THROW USER EXCEPTION VALUES ('x');
              SET Environment.after = 1;
            END;"""
    )

    assert [outcome.value(name) for name in ("continued", "between", "exit", "after")] == [1, 1, 1, None]


def test_a_handler_may_leave_repeat_or_return() -> None:
    """A jump in a handler means what it would mean in the scope itself."""
    outcome = run_statements(
        f"""DECLARE i INTEGER 0;
            A: WHILE i < 9 DO
              DECLARE EXIT HANDLER {ANY} BEGIN IF i > 2 THEN LEAVE A; END IF; ITERATE A; END;
              SET i = i + 1;
              BEGIN ATOMIC SET Environment.x = 1 / 0; END;
            END WHILE A;
            SET Environment.i = i;
            B: BEGIN
              DECLARE CONTINUE HANDLER {ANY} LEAVE B;
              C: LOOP SET Environment.x = 1 / 0; END LOOP C;
            END B;
            BEGIN
              DECLARE EXIT HANDLER {ANY} BEGIN SET Environment.returned = 1; RETURN FALSE; END;
              SET Environment.x = 1 / 0;
            END;
            SET Environment.late = 1;"""
    )

    assert [outcome.value(name) for name in ("i", "returned", "late")] == [3, 1, None]
    assert outcome.result is False


def test_a_handler_may_stand_in_a_branch_a_repeat_and_a_handler() -> None:
    outcome = run_statements(
        f"""DECLARE i INTEGER 0;
            REPEAT
              DECLARE EXIT HANDLER {ANY} SET Environment.repeated = i;
              SET i = i + 1; SET Environment.x = 1 / 0;
            UNTIL i >= 2 END REPEAT;
            IF i = 0 THEN SET i = 1; ELSE
              DECLARE EXIT HANDLER {ANY} BEGIN
                DECLARE EXIT HANDLER FOR SQLSTATE LIKE 'U%' SET Environment.nested = SQLSTATE;
                THROW USER EXCEPTION MESSAGE 5 VALUES (1);
              END;
              SET Environment.x = 1 / 0;
            END IF;"""
    )

    assert (outcome.value("repeated"), outcome.value("nested")) == (2, "U00005")


def test_iterate_of_a_repeat_goes_on_with_its_condition() -> None:
    outcome = run_statements(
        """DECLARE i INTEGER 0; DECLARE n INTEGER 0; DECLARE m INTEGER 0;
           X: REPEAT
             SET i = i + 1;
             IF i > 20 THEN LEAVE X; END IF;
             Y: LOOP IF i IN (2, 4) THEN ITERATE X; END IF; LEAVE Y; END LOOP Y;
             SET n = n + 1;
           UNTIL i >= 4 END REPEAT X;
           Z: REPEAT SET m = m + 1; IF m = 2 THEN LEAVE Z; END IF; ITERATE Z; UNTIL FALSE END REPEAT Z;
           SET Environment.i = i; SET Environment.n = n; SET Environment.m = m;"""
    )

    assert [outcome.value(name) for name in ("i", "n", "m")] == [4, 2, 2]


def test_the_variable_of_a_for_may_be_set_by_create_move_and_call() -> None:
    text = """CREATE COMPUTE MODULE M
        CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
          SET Environment.r.a[] = LIST{1, 2};
          FOR x AS Environment.r.a[] DO
            CREATE NEXTSIBLING OF x AS x NAME 'b' VALUE 'new';
            CALL p(x);
            WHILE LASTMOVE(x) DO MOVE x NEXTSIBLING; END WHILE;
          END FOR;
          RETURN TRUE;
        END;
        CREATE PROCEDURE p(INOUT r REFERENCE) BEGIN SET r = r || '!'; END;
        END MODULE;"""

    folder = run_module(text).run.environment.child("r")

    assert folder is not None
    assert [(each.name, each.value) for each in folder.children()] == [("a", 1), ("b", "new!"), ("a", 2), ("b", "new!")]


def test_a_case_statement_with_thousands_of_branches_runs() -> None:
    branches = " ".join(f"WHEN {n} THEN SET Environment.x = {n};" for n in range(5000))
    text = f"DECLARE i INTEGER; {{}} CASE i {branches} ELSE SET Environment.x = 'none'; END CASE;"

    assert run_statements(text.format("SET i = 3999;")).value("x") == 3999
    assert run_statements(text.format("SET i = -1;")).value("x") == "none"


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN ATOMIC " * 25 + "SET Environment.x = 1;" + " END;" * 25,
        f"BEGIN DECLARE EXIT HANDLER {ANY} BEGIN END; " * 25 + "SET Environment.x = 1;" + " END;" * 25,
        "WHILE TRUE DO " * 25 + "SET Environment.x = 1;" + " END WHILE;" * 25,
    ],
    ids=["atomic", "handlers", "loops"],
)
def test_blocks_nested_deeper_than_python_allows_are_an_error_of_their_routine(text: str) -> None:
    program = Program()
    module = f"""CREATE COMPUTE MODULE M
        CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN SET Environment.ok = 1; RETURN TRUE; END;
        CREATE PROCEDURE deep() BEGIN {text} END;
        END MODULE;"""
    program.add(parse(module, "deep.esql"))
    program.compile()

    assert [problem.number for problem in program.errors] == [2401]
    assert str(program.errors[0]).startswith("deep.esql:3:")
    unit = program.unit("", "M")
    assert unit is not None and unit.main is not None


def test_handlers_that_multiply_are_refused() -> None:
    """The body of a CONTINUE handler stands behind every statement of its scope."""
    body = "SET Environment.x = 1;"
    for _ in range(12):
        body = f"BEGIN DECLARE CONTINUE HANDLER {ANY} {body}" + " SET Environment.y = 1;" * 8 + " END;"
    program = Program()
    program.add(parse(f"CREATE PROCEDURE p() BEGIN {body} END;", "many.esql"))
    program.compile()

    assert [problem.number for problem in program.errors] == [2401]


def test_an_unhandled_error_keeps_its_place_when_handlers_pass_it_on() -> None:
    error = error_of(f"BEGIN DECLARE CONTINUE HANDLER {ANY} RESIGNAL; SET Environment.x = 1 / 0; END;")

    assert error.root_cause().number == 2450
    assert any("SET Environment.x = 1 / 0;" in entry.inserts for entry in error.chain())
