"""The names of compiled code: which functions are bound to the switches of an application, with both settings."""

from __future__ import annotations

import functools
import inspect
from decimal import Decimal

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import support
from flintmq.broker.esql.parser import parse
from flintmq.broker.esql.program import Program
from flintmq.broker.esql.switches import DEFAULTS, Switches, make_switches
from tests.broker.esql.running import error_of, run_module, run_statements, value_of

STRICT = make_switches({"compare_character_numeric": "error"})


def test_all_functions_that_take_switches_are_bound() -> None:
    """The tables name what the signatures of the uncompiled functions show."""
    names = support.namespace()
    taking = set()
    for name, function in names.items():
        try:
            if callable(function) and "switches" in inspect.signature(function).parameters:
                taking.add(name)
        except (TypeError, ValueError):  # A compiled function may not tell its signature.
            if name in support.switched_names():
                taking.add(name)
    assert taking - {"Step"} == support.switched_names()


def test_default_switches_cost_nothing_and_others_bind() -> None:
    assert not any(isinstance(each, functools.partial) for each in support.namespace(DEFAULTS).values())
    assert not any(isinstance(each, functools.partial) for each in support.namespace(Switches()).values())
    bound = {name for name, each in support.namespace(STRICT).items() if isinstance(each, functools.partial)}
    assert bound == support.switched_names()


COMPARISONS = [
    "CASE Environment.n WHEN '5' THEN 'same' WHEN '6' THEN 'six' ELSE 'other' END",
    "CASE Environment.n WHEN '5' THEN 'same' WHEN '6' THEN 'six' WHEN '7' THEN 'seven' ELSE 'other' END",
    "CASE WHEN '5' = ANY (Environment.n, 7) THEN 'same' END",
    "CASE WHEN Environment.n IN ('5', '6') THEN 'same' END",
    "CASE WHEN Environment.n BETWEEN '4' AND '6' THEN 'same' END",
    "CASE Environment.n " + " ".join(f"WHEN '{n}' THEN UPPER('same')" for n in range(5, 40)) + " END",
]


@pytest.mark.parametrize("expression", COMPARISONS)
def test_a_comparison_inside_a_construct_follows_the_switch(expression: str) -> None:
    statements = f"SET Environment.n VALUE = 5; SET Environment.x VALUE = {expression};"
    assert str(run_statements(statements).value("x")).lower() == "same"
    assert error_of(statements, switches=STRICT).root_cause().number == 2420


@pytest.mark.parametrize("function", ["MAX", "MIN"])
def test_an_aggregate_follows_the_switch_of_its_comparison(function: str) -> None:
    statements = f"""SET Environment.a.i[1] VALUE = 5; SET Environment.a.i[2] VALUE = '7';
        SET Environment.x VALUE = (SELECT {function}(T) FROM Environment.a.i[] AS T);"""
    assert run_statements(statements).value("x") in (5, "7")
    assert error_of(statements, switches=STRICT).root_cause().number == 2420


def test_a_sum_follows_the_switch_of_its_casts() -> None:
    body = b"<a><n> 2 </n><n>3</n></a>"
    expression = "(SELECT SUM(N) FROM InputRoot.XMLNSC.a.n[] AS N)"
    assert value_of(expression, body) == 5
    with pytest.raises(BrokerError):
        value_of(expression, body, switches=make_switches({"numeric_blanks": "error"}))


def test_an_interval_follows_the_switch_of_its_rounding() -> None:
    plain, cut = (
        support.namespace()["qualify"],
        support.namespace(make_switches({"cast_rounding": "truncate"}))["qualify"],
    )
    assert callable(plain) and callable(cut)
    assert [str(each(Decimal("2.5"), "DAY")) for each in (plain, cut)] == ["3", "2"]


def test_a_variable_follows_the_switch_of_assignments() -> None:
    statements = "DECLARE c CHARACTER; SET c = 5; SET Environment.x VALUE = c;"
    assert run_statements(statements).value("x") == "5"
    error = error_of(statements, switches=make_switches({"integer_to_character": "error"}))
    assert error.root_cause().number in (2420, 2521)


# variable_names.

SENSITIVE = make_switches({"variable_names": "sensitive"})


def test_names_of_variables_compare_without_case() -> None:
    outcome = run_statements("DECLARE Total INTEGER 1; SET TOTAL = 2; SET Environment.x VALUE = total;")
    assert outcome.value("x") == 2


def test_names_of_variables_compare_with_case_if_the_switch_says_so() -> None:
    statements = """DECLARE Total INTEGER 1; DECLARE TOTAL INTEGER 5; SET Total = 2;
        SET Environment.x VALUE = Total; SET Environment.y VALUE = TOTAL;"""
    outcome = run_statements(statements, switches=SENSITIVE)
    assert (outcome.value("x"), outcome.value("y")) == (2, 5)


def problems(text: str, switches: Switches = DEFAULTS) -> list[tuple[int, str]]:
    program = Program(switches)
    program.add(parse(text, "test.esql"))
    program.compile()
    return [(each.number, each.text) for each in program.errors]


def module(body: str) -> str:
    return f"CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN {body} RETURN TRUE; END; END MODULE;"


def test_a_variable_in_another_case_is_unknown_if_the_switch_says_so() -> None:
    text = module("DECLARE total INTEGER 1; SET Environment.x = Total;")
    assert problems(text) == []
    [(number, reason)] = problems(text, SENSITIVE)
    assert number == 2432 and reason.startswith("Total is neither a variable")


def test_labels_compare_as_the_switch_says() -> None:
    text = module("a: LOOP LEAVE A; END LOOP a;")
    assert problems(text) == []
    assert problems(text, SENSITIVE) == [(2401, "there is no loop or block A around this statement")]


def test_labels_of_blocks_compare_as_the_switch_says() -> None:
    body = "SET Environment.x VALUE = 1; a: BEGIN LEAVE A; SET Environment.x VALUE = 2; END a;"
    assert run_statements(body).value("x") == 1
    assert problems(module(body), SENSITIVE) == [(2401, "there is no loop or block A around this statement")]


ROUTINES = """CREATE FUNCTION Twice(IN n INTEGER) RETURNS INTEGER BEGIN RETURN n * 2; END;
CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
SET Environment.x VALUE = TWICE(4); RETURN TRUE; END; END MODULE;"""


def test_names_of_routines_compare_as_the_switch_says() -> None:
    """A routine that is nowhere is a warning until it is called."""
    assert run_module(ROUTINES).value("x") == 8
    with pytest.raises(BrokerError) as raised:
        run_module(ROUTINES, switches=SENSITIVE)
    assert raised.value.root_cause().number == 2492


def test_keywords_trees_and_built_in_functions_never_compare_with_case() -> None:
    statements = "declare A character 'x'; set environment.x value = upper(A) || Upper(inputroot.XMLNSC.a);"
    assert run_statements(statements, b"<a>y</a>", switches=SENSITIVE).value("x") == "XY"


def test_eval_sees_names_as_the_switch_says() -> None:
    statements = "DECLARE n INTEGER 3; DECLARE N INTEGER 4; SET Environment.x VALUE = EVAL('n * 10 + N');"
    assert run_statements(statements, switches=SENSITIVE).value("x") == 34


def test_a_row_of_for_and_select_is_found_as_the_switch_says() -> None:
    body = "FOR item AS InputRoot.XMLNSC.a.b[] DO SET Environment.x VALUE = {name}; END FOR;"
    assert run_statements(body.format(name="ITEM"), b"<a><b>1</b></a>").value("x") == "1"
    [(number, _)] = problems(module(body.format(name="ITEM")), SENSITIVE)
    assert number == 2432


# EVAL.


def test_two_evals_of_one_program_keep_their_own_scopes() -> None:
    text = "".join(
        f"CREATE PROCEDURE P{n}() BEGIN BEGIN DECLARE v{n} INTEGER {n}; "
        f"SET Environment.x{n} VALUE = EVAL('v{n} + 1'); END; END;\n"
        for n in range(20)
    )
    calls = " ".join(f"CALL P{n}();" for n in range(20))
    outcome = run_module(text + module(calls))
    assert [outcome.value(f"x{n}") for n in range(20)] == [n + 1 for n in range(20)]


# schema_resolution.

LIBRARY = "BROKER SCHEMA {schema}\nCREATE FUNCTION F() RETURNS INTEGER BEGIN RETURN {value}; END;"
CALLER = """BROKER SCHEMA app
PATH lib.one, lib.two;
CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
SET Environment.x VALUE = {call}; RETURN TRUE; END; END MODULE;"""


def two_libraries(call: str, switches: Switches) -> Program:
    program = Program(switches)
    program.add(parse(LIBRARY.format(schema="lib.one", value=1), "one.esql"))
    program.add(parse(LIBRARY.format(schema="lib.two", value=2), "two.esql"))
    program.add(parse(CALLER.format(call=call), "app.esql"))
    program.compile()
    return program


def test_a_routine_of_two_schemas_of_path_is_that_of_the_first() -> None:
    program = two_libraries("F()", DEFAULTS)
    assert program.errors == []
    assert "lib_one_f(c)" in program.show("app.esql")


def test_a_routine_of_two_schemas_of_path_is_refused_if_the_switch_says_so() -> None:
    [problem] = two_libraries("F()", make_switches({"schema_resolution": "error"})).errors
    assert str(problem) == (
        "app.esql:4:27: BIP2492: F may be lib.one.F and lib.two.F; write the schema before the name"
    )


@pytest.mark.parametrize("setting", ["first", "error"])
def test_a_qualified_call_is_never_in_doubt(setting: str) -> None:
    program = two_libraries("lib.two.F()", make_switches({"schema_resolution": setting}))
    assert program.errors == []
    assert "lib_two_f(c)" in program.show("app.esql")
