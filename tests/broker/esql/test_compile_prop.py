"""Random programs over small trees, compiled and run, against the interpreter beside this file.

A program has one statement per line. It must leave the same tree and the same references, or fail in the same line.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.tree.element import Element
from tests.broker.esql.interpreter import Interpreter, Path, Refused, Step
from tests.broker.esql.running import run_statements

START_TEXT = (
    "SET Environment.a = InputRoot.XMLNSC.a; SET Environment.b = 3; DECLARE i INTEGER 1;"
    "DECLARE r REFERENCE TO Environment.a; DECLARE s REFERENCE TO Environment.b;"
)


TEXTS = {
    "scalar": "SET {0} = {1};",
    "value": "SET {0} VALUE = {1};",
    "tree": "SET {0} = {1};",
    "list": "SET {0}[] = LIST{{{1}}};",
    "items": "SET {0}[] = {1}[];",
    "delete": "DELETE FIELD {0};",
    "create": "CREATE {0} OF {1} NAME {2} VALUE {3};",
    "move": "MOVE {0} {1};",
    "to": "MOVE {0} TO {1};",
    "attach": "DETACH {0}; ATTACH {0} TO {2} AS {1};",
    "count": "SET i = CARDINALITY({0}[]);",
    "fill": "SET i = 1; WHILE i <= {1} DO SET {0} = i; SET i = i + 1; END WHILE;",
    "moved": "CREATE LASTCHILD OF Environment NAME 'm' VALUE LASTMOVE({0});",
}
PLACES = ["FIRSTCHILD", "LASTCHILD", "PREVIOUSSIBLING", "NEXTSIBLING"]
WORDS = [*PLACES, "PARENT", "r", "s"]


def path_text(path: Path) -> str:
    text = path[0]
    for name, index in path[1]:
        shown = "" if index is None else f"[<{-index}]" if isinstance(index, int) and index < 0 else f"[{index}]"
        text += f".{name}{shown}"
    return text


def part_text(part: Any) -> str:
    """Return a part of a statement as ESQL: a path, a list of values, a word or a value."""
    if isinstance(part, tuple):
        return path_text(part)
    if isinstance(part, list):
        return ", ".join(part_text(each) for each in part)
    return "NULL" if part is None else part if part in WORDS else repr(part)


NAME = st.sampled_from(["a", "a", "b", "*"])
STEP = st.tuples(NAME, st.sampled_from([None, None, None, 1, 2, 3, 30, -1, -2, "i"]))
START = st.sampled_from(["Environment", "Environment", "r", "s"])
STEPS = st.lists(STEP, min_size=1, max_size=3)
NO_STEPS: list[Step] = []
PATH = st.one_of(st.tuples(START, STEPS), st.tuples(START, STEPS), st.tuples(st.sampled_from("rs"), st.just(NO_STEPS)))
LIST = st.tuples(START, st.tuples(st.lists(STEP, max_size=1), NAME).map(lambda parts: [*parts[0], (parts[1], None)]))
VALUE = st.sampled_from([1, 2, "x", "", None])
PLACE = st.sampled_from(PLACES)
REFERENCE = st.sampled_from("rs")
ITEM = st.sampled_from(["a", "b"])
NAMED_LIST = LIST.filter(lambda path: path[1][-1][0] != "*")
STATEMENT = st.one_of(
    st.tuples(st.sampled_from(["scalar", "value"]), PATH, VALUE),
    st.tuples(st.just("tree"), PATH, PATH),
    st.tuples(st.just("list"), NAMED_LIST, st.lists(VALUE, min_size=1, max_size=3)),
    st.tuples(st.just("items"), LIST, LIST),
    st.tuples(st.just("delete"), PATH),
    st.tuples(st.just("create"), PLACE, PATH, ITEM, VALUE),
    st.tuples(st.just("move"), REFERENCE, st.one_of(PLACE, st.just("PARENT"))),
    st.tuples(st.just("to"), REFERENCE, PATH),
    st.tuples(st.just("attach"), REFERENCE, PLACE, PATH),
    st.tuples(st.just("count"), LIST),
    st.tuples(st.just("fill"), PATH, st.sampled_from([2, 30])),
    st.tuples(st.just("moved"), REFERENCE),
)


def shown(element: Element) -> object:
    return (element.name, element.value, [shown(child) for child in element.children()])


@settings(max_examples=250, deadline=None)
@given(st.lists(STATEMENT, min_size=3, max_size=14))
def test_programs_do_what_the_rules_say(statements: list[tuple[Any, ...]]) -> None:
    interpreter, failed = Interpreter(), 0
    for number, statement in enumerate(statements, 2):
        try:
            interpreter.run(statement)
        except Refused:
            failed = number
            break
    lines = [TEXTS[kind].format(*map(part_text, parts)) for kind, *parts in statements]
    text = "\n".join([START_TEXT, *lines])
    try:
        tree = run_statements(text, b"<a><a>1</a><b>2</b></a>").run.environment
    except BrokerError as error:
        assert error.root_cause().number == 2497, error
        assert error.line == failed, text
        return

    assert failed == 0, text
    assert shown(tree) == interpreter.starts["Environment"].shown(), text
