"""The Python face of a message tree."""

from __future__ import annotations

import copy
import datetime
from decimal import Decimal

import pytest

from flintmq.broker.formats import Context, format_of
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.headers import Template, parse_message
from flintmq.broker.tree.types import ATTRIBUTE, NAME
from flintmq.broker.tree.view import TreeView
from flintmq.broker.values import Date, Timestamp
from flintmq.mqi.md import MQMD


def order() -> TreeView:
    md = MQMD()
    md.priority = 5
    md.put_date = "20240131"
    body = b'<Order xmlns:n="http://n"><Total>42</Total><Item>a</Item><Item>b</Item><n:Item>c</n:Item><E/></Order>'
    return TreeView(parse_message(md, body, Template("XMLNSC")))


def json_view(text: str) -> TreeView:
    return TreeView(format_of("JSON").parse(text.encode(), Context()))


def test_names_are_attributes_and_items() -> None:
    """The example of the issue."""
    tree = order()
    assert tree.XMLNSC.Order.Total == "42"
    assert tree["XMLNSC"]["Order"]["Total"].value == "42"
    assert tree.MQMD.Priority == 5 and tree.MQMD.Priority != 4
    assert int(tree.XMLNSC.Order.Total) == 42 and float(tree.MQMD.Priority) == 5.0
    assert str(tree.XMLNSC.Order.Total) == "42"


def test_repeated_names_are_counted_from_zero() -> None:
    found = order().XMLNSC.Order
    assert [found.Item[0].value, found.Item[1].value, found.Item[-1].value] == ["a", "b", "b"]
    assert not found.Item[2] and not found.Item[2].exists
    assert found["{http://n}Item"] == "c" and found["{http://n}Item"].namespace == "http://n"
    assert found.Item.namespace == ""


def test_arrays_of_json_are_indexed_by_item() -> None:
    data = json_view('{"lines":[{"p":1.5},{"p":2}],"grid":[[1,2],[3]],"on":false,"nil":null,"zero":0}').Data
    assert data.lines[1].p == 2 and data.grid[0][1] == 2 and data.grid[1][0] == 3
    assert len(data.lines) == 2 and [line.p.value for line in data.lines] == [1.5, 2]
    assert not data.on and data.on == False and data.on.exists  # noqa: E712
    assert not data.nil and data.nil == None and data.nil.exists  # noqa: E711
    assert data.zero and data.zero == 0 and data.zero != False  # noqa: E712
    assert data.to_dict() == {
        "lines": [{"p": 1.5}, {"p": 2}],
        "grid": [[1, 2], [3]],
        "on": False,
        "nil": None,
        "zero": 0,
    }
    assert data.grid == [[1, 2], [3]]


def test_a_missing_element_is_false_everywhere_and_knows_its_path() -> None:
    missing = order().XMLNSC.Ordr.Total
    assert not missing and missing == None and missing.value is None and str(missing) == ""  # noqa: E711
    assert list(missing) == [] and len(missing) == 0 and missing.to_dict() is None
    assert "Root.XMLNSC.Ordr.Total" in repr(missing)
    with pytest.raises(KeyError, match="Ordr"):
        int(missing)
    assert not missing[3] and not missing.deeper[0]


def test_paths_have_defaults() -> None:
    tree = order()
    assert tree.get("XMLNSC.Order.Total") == "42"
    assert tree.get("XMLNSC.Order.Sum", "none") == "none"
    assert "MQMD" in tree and "MQRFH2" not in tree


def test_dates_compare_with_those_of_python() -> None:
    root = Element("Root", None, NAME)
    root.add("d", Date(2024, 1, 31))
    root.add("t", Timestamp(2024, 1, 31, 1, 2, 3, 4, True))
    root.add("n", Decimal("0.320"))
    view = TreeView(root)
    assert view.d == datetime.date(2024, 1, 31) and view.d == Date(2024, 1, 31)
    assert view.t.value == datetime.datetime(2024, 1, 31, 1, 2, 3, 4, datetime.UTC)
    assert view.n == Decimal("0.32") and str(view.n) == "0.320"


def test_a_view_cannot_be_changed() -> None:
    tree = order()
    with pytest.raises(AttributeError, match="read-only"):
        tree.XMLNSC.Order.Total = "43"
    with pytest.raises(TypeError):
        exec("tree['MQMD'] = 5", {"tree": tree})
    with pytest.raises(TypeError, match="name or a number"):
        tree[1.5]  # type: ignore[index]


def test_trees_become_dicts_with_lists_and_attributes() -> None:
    root = Element("r", "text", NAME)
    root.append(Element("k", "v", ATTRIBUTE))
    root.add("i", 1)
    root.add("i", 2)
    root.append(Element("f", None, NAME))
    assert TreeView(root).to_dict() == {"": "text", "@k": "v", "i": [1, 2], "f": {}}
    assert TreeView(root) == TreeView(root)


def test_text_shows_the_tree_and_completion_its_names() -> None:
    found = order().XMLNSC.Order
    assert "Total = '42'" in str(found) and "@" in str(found)
    assert "Total" in dir(found) and "to_dict" in dir(found)
    assert "children" in repr(found)
    assert copy.copy(found.Total).exists


def test_deep_and_wide_trees_are_shown_and_converted_within_bounds() -> None:
    top = at = Element("a", None, NAME)
    for _ in range(5000):
        at = at.append(Element("a", None, NAME))
    at.add("leaf", 1)
    made = TreeView(top).to_dict()
    for _ in range(5000):
        made = made["a"]
    assert made == {"leaf": 1}
    assert str(TreeView(top)).endswith("...")
