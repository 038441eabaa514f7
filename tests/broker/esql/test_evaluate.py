"""EVAL: text that runs in the scope of its statement, and what is wrong with it."""

from __future__ import annotations

import pytest

from flintmq.broker.esql import evaluate
from tests.broker.esql.running import error_of, run_statements

ORDER = b"<Order><Item><Name>bolt</Name></Item><Item><Name>nut</Name></Item></Order>"
APPEND = "SET Environment.x = COALESCE(Environment.x, ''-'') || i.Name;"
HANDLED = "DECLARE EXIT HANDLER FOR SQLSTATE LIKE ''%'' SET Environment.x = SQLSTATE; SET Environment = 1 / 0;"


@pytest.mark.parametrize(
    ("statements", "value"),
    [
        ("SET Environment.x = EVAL('InputRoot.XMLNSC.Order.Item[2].Name');", "nut"),
        ("SET Environment.x = 'a ' || EVAL('InputRoot.XMLNSC.Order.Item.Name');", "a bolt"),
        ("SET Environment.y = EVAL('InputRoot.XMLNSC.Order.Item[2]'); SET Environment.x = Environment.y.Name;", "nut"),
        (
            "DECLARE r REFERENCE TO InputRoot.XMLNSC; MOVE r NEXTSIBLING; SET Environment.x = EVAL('LASTMOVE(r)');",
            False,
        ),
        ("DECLARE a INTEGER 1; EVAL('SET a = 5; IF a = 5 THEN RETURN; END IF; SET a = 6;'); SET Environment.x = a;", 5),
        ("SET Environment.x = THE(SELECT ITEM EVAL('I.Name') FROM InputRoot.XMLNSC.Order.Item[] AS I);", "bolt"),
        ("SET Environment.x = EVAL('EVAL(''1 + 1'') + 1');", 3),
        (f"FOR i AS InputBody.Order.Item[] DO EVAL('{APPEND}'); END FOR;", "-boltnut"),
        (f"EVAL('{HANDLED}');", "S22012"),
    ],
)
def test_text_is_evaluated_where_it_stands(statements: str, value: object) -> None:
    assert run_statements(statements, ORDER).value("x") == value


@pytest.mark.parametrize(
    "text",
    [
        "1 +",
        "__import__(''os'')",
        "\"a'' + b\".c",
        "nowhere",
        "(" * 90 + "CASE WHEN NULL THEN 1 ELSE 2 END" + ")" * 90 + " + (",
        "COALESCE(NULL, UPPER(" * 45 + "1" + "))" * 45,
    ],
)
def test_text_that_cannot_be_compiled_or_run_is_an_error_of_the_flow(text: str) -> None:
    error = error_of(f"SET Environment.x = EVAL('{text}');", ORDER).root_cause()

    assert error.number != 2111, error.text


def test_text_that_python_refuses_is_an_error_of_the_flow() -> None:
    """A handler takes it like any other."""
    outcome = run_statements(
        """DECLARE text CHARACTER 'SET Environment.x = 1;'; DECLARE i INTEGER 0;
           WHILE i < 25 DO SET text = 'BEGIN ATOMIC ' || text || ' END;'; SET i = i + 1; END WHILE;
           BEGIN
             DECLARE EXIT HANDLER FOR SQLSTATE LIKE '%' SET Environment.h = SQLERRORTEXT;
             EVAL(text);
           END;"""
    )

    assert outcome.value("h") == "EVAL: the text is nested too deep"


def test_texts_that_never_repeat_do_not_fill_the_memory() -> None:
    run_statements(
        """DECLARE i INTEGER 0;
           WHILE i < 300 DO SET Environment.x = EVAL('1 + ' || CAST(i AS CHARACTER)); SET i = i + 1; END WHILE;"""
    )

    assert len(evaluate._CACHE) <= evaluate.CACHE_MAX
