"""Assignment, creation and moves on trees (A1 to A6): copies into themselves, lists, parsers, cost, threads."""

from __future__ import annotations

import threading

import pytest

from flintmq.broker.esql.run import Deployment
from flintmq.broker.tree.element import Element
from tests.broker.esql.running import Outcome, error_of, program_of, run_statements, run_unit

ORDER = b"<Order id='7'><Item><Name>bolt</Name></Item><Item><Name>nut</Name></Item></Order>"


def shown(element: Element | None) -> str:
    """Return a tree on one line: name=value(children)."""
    assert element is not None
    text = element.name + ("" if element.value is None else f"={element.value}")
    below = [shown(child) for child in element.children()]
    return text + (f"({' '.join(below)})" if below else "")


def environment(outcome: Outcome) -> str:
    return shown(outcome.run.environment)


@pytest.mark.parametrize(
    ("statements", "tree"),
    [
        ("SET Environment.a.x = 1; SET Environment.a.copy = Environment.a;", "a(x=1 copy(x=1))"),
        ("SET Environment.a.x = 1; SET Environment.a.b.c.d = Environment.a;", "a(x=1 b(c(d(x=1))))"),
        ("SET Environment.a.b = Environment;", "a(b)"),
        ("SET Environment.a.b.x = 1; SET Environment.a = Environment.a.b;", "a(x=1)"),
        ("SET Environment.a.b.x = 1; SET Environment.a.b = Environment.a;", "a(b(b(x=1)))"),
        ("SET Environment.a.x = 1; SET Environment.a.l[] = Environment.a[];", "a(x=1 l(x=1))"),
        ("SET Environment.a.x = 1; SET Environment.a[] = Environment.a[];", "a(x=1)"),
        ("SET Environment.a[2].x = 1; SET Environment.a[] = LIST{Environment.a[2], 5};", "a(x=1) a=5"),
        ("SET Environment.a = 5; SET Environment.a.* = 5; SET Environment.b = Environment.a;", "a=5(=5) b=5(=5)"),
    ],
)
def test_a_source_is_taken_as_it_was_before_the_assignment(statements: str, tree: str) -> None:
    assert environment(run_statements(statements)) == f"Environment({tree})"


def test_a_list_within_one_parser_keeps_the_types_of_its_items() -> None:
    body = b'{"rows":[[1,[2]],[3]],"o":{"p":[4]}}'
    outcome = run_statements(
        """SET OutputRoot.JSON.Data.(JSON.Array)rows.Item[] = InputRoot.JSON.Data.rows.Item[];
           SET OutputRoot.JSON.Data.o[] = InputRoot.JSON.Data.o[];""",
        body,
        "JSON",
    )

    assert outcome.write("JSON") == body


def test_a_list_between_parsers_keeps_names_and_values_under_the_name_of_the_target() -> None:
    outcome = run_statements("SET OutputRoot.JSON.Data.line[] = InputRoot.XMLNSC.Order.Item[];", ORDER)

    assert outcome.write("JSON") == b'{"line":{"Name":"bolt"},"line":{"Name":"nut"}}'


DETACHED = "DECLARE r REFERENCE TO Environment; CREATE LASTCHILD OF r AS r NAME 'XMLNSC' FROM InputBody; DETACH r;"


@pytest.mark.parametrize(
    "statements",
    [
        "SET Environment.m = InputRoot; SET OutputRoot = Environment.m;",
        "SET Environment.m = InputRoot; SET OutputRoot.*[1] = Environment.m.*[2];",
        f"{DETACHED} ATTACH r TO OutputRoot AS LASTCHILD;",
        "SET OutputRoot.XMLNSC[] = InputRoot.XMLNSC[];",
    ],
)
def test_a_child_of_root_gets_its_parser_however_it_comes_there(statements: str) -> None:
    assert b"<Item><Name>nut</Name></Item>" in run_statements(statements, ORDER).write()


def test_a_field_cannot_be_attached_to_what_is_inside_it() -> None:
    """A tree that holds itself would be walked for ever."""
    error = error_of(
        """SET Environment.a.b.c = 1; DECLARE a REFERENCE TO Environment.a; DECLARE b REFERENCE TO Environment.a.b;
           DETACH a; ATTACH a TO b AS LASTCHILD;"""
    )

    assert "inside it" in str(error)


def test_text_that_equals_the_value_of_its_field_is_kept_between_parsers() -> None:
    outcome = run_statements(
        """SET Environment.p = 'x'; SET Environment.p.* = 'x'; SET OutputRoot.XMLNSC.r = Environment.p;
           SET Environment.n = CARDINALITY(OutputRoot.XMLNSC.r.*[]);"""
    )

    assert outcome.value("n") == 1


def test_threads_read_a_shared_row_at_the_same_time() -> None:
    """What is put into a SHARED row is built at once, and does not keep the message that it came from."""
    program = program_of(
        """CREATE COMPUTE MODULE M
             DECLARE cache SHARED ROW; DECLARE filled SHARED BOOLEAN FALSE;
             CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN
               IF NOT filled THEN SET cache.r = InputRoot.XMLNSC.r; SET filled = TRUE; END IF;
               DECLARE i INTEGER 1; DECLARE n INTEGER 0;
               WHILE i <= 300 DO
                 SET n = n + CAST(cache.r.a[i].k AS INTEGER) - CAST(cache.r.b[301 - i].k AS INTEGER);
                 SET i = i + 1;
               END WHILE;
               SET Environment.n = n; SET Environment.size = CARDINALITY(cache.r.a[]);
               RETURN TRUE;
             END;
           END MODULE;"""
    )
    deployment = Deployment()
    body = b"<r>" + b"".join(b"<a><k>%d</k></a><b><k>%d</k></b>" % (i, i) for i in range(300)) + b"</r>"
    run_unit(program, "M", body, "XMLNSC", deployment=deployment)
    results: list[tuple[object, object]] = []

    def read() -> None:
        outcome = run_unit(program, "M", b"<a/>", "XMLNSC", deployment=deployment)
        results.append((outcome.value("n"), outcome.value("size")))

    row = deployment.shared["M.cache"]
    assert isinstance(row, Element)
    folder = row.child("r")
    assert folder is not None
    folder.indexes = None
    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [(0, 300)] * 8
    work = [row]
    while work:
        element = work.pop()
        assert element.source is None and not element.pending
        work += element.children()


@pytest.mark.parametrize(
    "statement",
    [
        "SET OutputRoot.JSON.Data.x = THE(SELECT I.tags AS tags, I.n AS n FROM InputRoot.JSON.Data.rows.Item[] AS I);",
        "SET OutputRoot.JSON.Data.x = THE(SELECT * FROM InputRoot.JSON.Data.rows.Item[] AS I);",
        "SET OutputRoot.JSON.Data.x[] = SELECT I.tags, I.n FROM InputRoot.JSON.Data.rows.Item[] AS I;",
        "SET OutputRoot.JSON.Data.x = THE(SELECT ITEM I FROM InputRoot.JSON.Data.rows.Item[] AS I);",
        """SET OutputRoot.JSON.Data.x =
             ROW(InputRoot.JSON.Data.rows.Item.tags AS tags, InputRoot.JSON.Data.rows.Item.n AS n);""",
        "DECLARE r ROW; SET r = InputRoot.JSON.Data.rows.Item; SET OutputRoot.JSON.Data.x = r;",
        "SET Environment.a = InputRoot.JSON.Data.rows.Item; SET OutputRoot.JSON.Data.x = Environment.a;",
        "DECLARE r ROW; SET r.a = InputRoot.JSON.Data.rows.Item; SET OutputRoot.JSON.Data.x = r.a;",
        """DECLARE r ROW; SET r = InputRoot.JSON.Data.rows.Item.tags; SET OutputRoot.JSON.Data.x.tags = r;
             SET OutputRoot.JSON.Data.x.n = 1;""",
    ],
)
def test_select_and_row_keep_arrays_of_json(statement: str) -> None:
    body = b'{"rows":[{"tags":["a",["b"],{"c":[]}],"n":1}]}'

    outcome = run_statements(statement, body, "JSON")

    assert outcome.write("JSON") == b'{"x":{"tags":["a",["b"],{"c":[]}],"n":1}}'


def test_an_array_of_json_becomes_a_plain_folder_in_xml() -> None:
    outcome = run_statements(
        "SET OutputRoot.XMLNSC.x = THE(SELECT I.tags FROM InputRoot.JSON.Data.rows.Item[] AS I);",
        b'{"rows":[{"tags":["a",["b"]]}]}',
        "JSON",
    )

    assert outcome.write() == b"<x><tags><Item>a</Item><Item><Item>b</Item></Item></tags></x>"
