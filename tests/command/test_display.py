"""The two columns of DISPLAY."""

from __future__ import annotations

from flintmq.catalogue.attribute import ENUM, FLAG, INT, LIST, PAIR, STRING
from flintmq.command.display import columns, item_lines, render
from flintmq.command.reply import Item, Reply, Response


def test_two_short_items_share_a_line_and_the_second_stands_40_further_on() -> None:
    assert columns([Item("A", 1, INT), Item("B", 2, INT)]) == ["   A(1)                                    B(2)"]
    assert columns([Item("A", 1, INT), Item("B", 2, INT)])[0].index("B(") == 43


def test_an_item_of_37_characters_shares_its_line_and_one_of_38_does_not() -> None:
    fits, long = Item("D", "x" * 34, STRING), Item("D", "x" * 35, STRING)
    assert len(item_lines(fits)[0]) == 37 and len(item_lines(long)[0]) == 38
    assert len(columns([fits, Item("B", 2, INT)])) == 1
    assert columns([long, Item("B", 2, INT)]) == ["   D(" + "x" * 35 + ")", "   B(2)"]


def test_a_long_item_sends_the_short_one_before_it_to_a_line_of_its_own() -> None:
    items = [Item("A", 1, INT), Item("D", "x" * 50, STRING), Item("B", 2, INT), Item("C", 3, INT)]
    assert columns(items) == [
        "   A(1)",
        "   D(" + "x" * 50 + ")",
        "   B(2)                                    C(3)",
    ]


def test_values_are_written_by_their_kind() -> None:
    assert item_lines(Item("DESCR", "", STRING)) == ["DESCR( )"]
    assert item_lines(Item("MAXDEPTH", 0, INT)) == ["MAXDEPTH(0)"]
    assert item_lines(Item("GET", "ENABLED", ENUM)) == ["GET(ENABLED)"]
    assert item_lines(Item("TRIGGER", "NOTRIGGER", FLAG)) == ["NOTRIGGER"]
    assert item_lines(Item("QTIME", ["", ""], PAIR)) == ["QTIME( , )"]
    assert item_lines(Item("QTIME", ["3", "5"], PAIR)) == ["QTIME(3, 5)"]
    assert item_lines(Item("NAMES", [], LIST)) == ["NAMES( )"]
    assert item_lines(Item("NAMES", ["A"], LIST)) == ["NAMES(A)"]
    assert item_lines(Item("NAMES", ["A", "B", "C"], LIST)) == ["NAMES(A", "     ,B", "     ,C)"]
    assert item_lines(Item("DESCR", "it's", STRING)) == ["DESCR(it's)"]


def test_an_item_alone_keeps_its_line() -> None:
    assert columns([Item("CONN", "1", STRING, alone=True), Item("PID", 1, INT)]) == ["   CONN(1)", "   PID(1)"]


def test_a_reply_is_its_answers_one_after_the_other() -> None:
    reply = Reply([Response("AMQ8415I"), Response("AMQ8409I", items=[Item("QUEUE", "A")])])
    assert render(reply) == [
        "AMQ8415I: Ping queue manager command complete.",
        "AMQ8409I: Display Queue details.",
        "   QUEUE(A)",
    ]
