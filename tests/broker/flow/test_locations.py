"""Places in trees that node properties name."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.locations import Expression, Location, text_of, trees_of
from flintmq.broker.flow.patterns import run_over
from flintmq.broker.tree.assembly import Assembly, new_root, new_tree
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import ATTRIBUTE, JSON_ARRAY, NAME


def assembly() -> Assembly:
    """Return an assembly with a body of XMLNSC and some of the local environment."""
    root = new_root()
    body = root.append(Element("XMLNSC", None, NAME))
    body.domain = "XMLNSC"
    order = body.append(Element("Order", None, NAME, "urn:a"))
    order.append(Element("class", "gold", ATTRIBUTE))
    order.add("Item", 1)
    order.add("Item", 2)
    local = new_tree("LocalEnvironment")
    local.put("Destination.File.Name", "a.txt")
    return Assembly(root, local)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$Root/XMLNSC/ns:Order/Item[2]", 2),
        ("$Root/XMLNSC/ns:Order/Item[last()]", 2),
        ("$Root/XMLNSC/*:Order/@class", "gold"),
        ("$Body/*:Order/Item", 1),
        ("InputRoot.XMLNSC.ns:Order.Item[<]", 2),
        ("InputRoot.XMLNSC.*:Order.(XMLNSC.Attribute)class", "gold"),
        ("InputRoot.XMLNSC.*:Order.Item[1 + 1]", 2),
        ("$LocalEnvironment/Destination/File/Name", "a.txt"),
        ("InputLocalEnvironment.Destination.File.Name", "a.txt"),
        ("$Root/XMLNSC/Order/Item", None),
        ("$Environment/a/b", None),
    ],
)
def test_a_location_of_either_language_is_found(text: str, value: object) -> None:
    given = assembly()
    location = Location(text, {"ns": "urn:a"})

    assert location.value(trees_of(given), lambda: run_over(given)) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$Root/a | $Root/b", "not a step"),
        ("$Root/ns:a", "prefix ns is not declared"),
        ("$Nothing/a", "NOTHING is not the name of a tree"),
        ("$", "a name follows"),
        ("OutputRoot.a[]", "a list"),
        ("OutputRoot.{'a'}", "computed names"),
        ("OutputRoot.(XMLNSC.Wrong)a", "not a known field type"),
        ("1 + 1", "column"),
        ("a b", "column"),
        ("", "column"),
    ],
)
def test_what_is_no_location_says_why(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Location(text)


def test_a_location_is_created_with_types_and_namespaces() -> None:
    given = assembly()

    Location("$OutputRoot/XMLNSC/ns:Order/ns:Line/@id", {"ns": "urn:a"}).create(trees_of(given)).set_value("7")
    Location("Environment.Replies.Item[3]").create(trees_of(given)).set_value("third")

    line = Location("$Root/XMLNSC/ns:Order/ns:Line", {"ns": "urn:a"}).find(trees_of(given))
    assert line is not None and line.first is not None
    assert (line.first.name, line.first.type, line.first.value) == ("id", ATTRIBUTE, "7")
    replies = given.environment.child("Replies")
    assert replies is not None
    assert [(each.name, each.value) for each in replies.children()] == [
        ("Item", None),
        ("Item", None),
        ("Item", "third"),
    ]


def test_an_index_may_be_an_expression_over_the_trees() -> None:
    given = assembly()
    replies = given.environment.append(Element("Replies", None, JSON_ARRAY))
    replies.add("Item", "first")

    location = Location("Environment.Replies.Item[CARDINALITY(Environment.Replies.Item[]) + 1]")
    location.create(trees_of(given), lambda: run_over(given)).set_value("second")

    assert [each.value for each in replies.children()] == ["first", "second"]


def test_an_index_that_is_no_number_is_an_error_of_the_broker() -> None:
    given = assembly()
    with pytest.raises(BrokerError, match="a number from 1"):
        Location("Environment.a[CARDINALITY(Environment.none[])]").find(trees_of(given), lambda: run_over(given))


def test_an_expression_gives_values_of_xpath_and_esql() -> None:
    given = assembly()

    assert Expression("$Root/XMLNSC/*:Order/Item").value(given) == 1
    assert Expression("count($Root/XMLNSC/*)").value(given) == "1"
    assert Expression("count($Root/XMLNSC/*) > 5").value(given) == "false"
    assert Expression("UPPER(InputLocalEnvironment.Destination.File.Name) || '!'").value(given) == "A.TXT!"
    assert Expression("$Root/none").text_value(given) is None
    with pytest.raises(ValueError, match="plain is not the name of a tree|PLAIN"):
        Expression("plain")


def test_text_of_a_value_is_that_of_xpath() -> None:
    assert [text_of(each) for each in ("a", True, b"\x0a\xff", 5)] == ["a", "true", "0aff", "5"]
