"""JSON schemas: each keyword accepts and refuses what the drafts say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flintmq.broker.formats.json_validate import LISTED_MAX, JsonSchema, SchemaProblem, validation_error
from flintmq.broker.tree.assembly import exception_list


def findings(schema: Any, value: Any, **files: Any) -> list[str]:
    """Return what a schema finds wrong with a value."""
    other = {name.replace("__", "."): json.dumps(content).encode() for name, content in files.items()}
    made = JsonSchema(json.dumps(schema).encode(), "main.json", other.get)
    return [f"{each.path}: {each.text}" for each in made.violations(value)]


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string"}, ["", "a"], [1, None, True, [], {}]),
        ({"type": "integer"}, [1, -1, 1.0], [1.5, "1", True]),
        ({"type": "number"}, [1, 1.5], ["1", False]),
        ({"type": "boolean"}, [True, False], [0, "true"]),
        ({"type": "null"}, [None], [0, ""]),
        ({"type": "array"}, [[]], [{}]),
        ({"type": "object"}, [{}], [[]]),
        ({"type": ["string", "null"]}, ["a", None], [1]),
        ({"enum": [1, "a", None]}, [1, 1.0, "a", None], [2, True]),
        ({"const": {"a": [1]}}, [{"a": [1]}], [{"a": [2]}]),
        ({"minimum": 2, "maximum": 3}, [2, 3, "text"], [1.9, 3.1]),
        ({"minimum": 2, "exclusiveMinimum": True}, [2.1], [2]),
        ({"exclusiveMaximum": 3}, [2.9], [3, 4]),
        ({"multipleOf": 0.1}, [0.3, 1], [0.35]),
        ({"minLength": 2, "maxLength": 3}, ["ab", "abc", 1], ["a", "abcd"]),
        ({"pattern": "^a.c$"}, ["abc", 5], ["ac"]),
        ({"items": {"type": "integer"}}, [[], [1]], [["a"], [1, "a"]]),
        ({"items": [{"type": "integer"}], "additionalItems": False}, [[1]], [[1, 2], ["a"]]),
        ({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, [[1, "a"]], [[1, 2], ["a"]]),
        ({"minItems": 1, "maxItems": 2}, [[1]], [[], [1, 2, 3]]),
        ({"uniqueItems": True}, [[1, 2]], [[1, 1], [{"a": 1}, {"a": 1}]]),
        ({"contains": {"const": 1}}, [[2, 1]], [[2], []]),
        ({"required": ["a"]}, [{"a": None}, []], [{}]),
        ({"properties": {"a": {"type": "integer"}}}, [{}, {"a": 1, "b": "x"}], [{"a": "x"}]),
        ({"properties": {"a": {}}, "additionalProperties": False}, [{"a": 1}], [{"b": 1}]),
        ({"additionalProperties": {"type": "integer"}}, [{"a": 1}], [{"a": "x"}]),
        ({"patternProperties": {"^x": {"type": "integer"}}}, [{"x1": 1, "y": "a"}], [{"x1": "a"}]),
        ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}], [{}, {"a": 1, "b": 2}]),
        ({"propertyNames": {"maxLength": 1}}, [{"a": 1}], [{"ab": 1}]),
        ({"dependencies": {"a": ["b"]}}, [{"b": 1}, {"a": 1, "b": 2}], [{"a": 1}]),
        ({"dependencies": {"a": {"required": ["c"]}}}, [{"a": 1, "c": 2}], [{"a": 1}]),
        ({"allOf": [{"type": "integer"}, {"minimum": 5}]}, [5], [4, "a"]),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, [1, "a"], [None]),
        ({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}, [2, 3], [6, 5]),
        ({"not": {"type": "string"}}, [1], ["a"]),
        ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}}, ["ab", 2], ["a", 1]),
        (True, [1, None], []),
        (False, [], [1]),
        ({"$ref": "#/definitions/n", "definitions": {"n": {"type": "integer"}}}, [1], ["a"]),
        ({"$ref": "#n", "$defs": {"x": {"$anchor": "n", "type": "integer"}}}, [1], ["a"]),
    ],
)
def test_keywords(schema: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert findings(schema, value) == [], value
    for value in bad:
        assert len(findings(schema, value)) > 0, value


def test_findings_name_the_place() -> None:
    schema = {"properties": {"orders": {"items": {"required": ["id"]}}}}

    assert findings(schema, {"orders": [{"id": 1}, {}]}) == ["/orders/1: the property 'id' is missing"]


def test_references_lead_to_other_files_and_back() -> None:
    main = {"properties": {"a": {"$ref": "types.json#/definitions/t"}}, "definitions": {"n": {"type": "integer"}}}
    types = {
        "definitions": {"t": {"$ref": "#/definitions/inner"}, "inner": {"items": {"$ref": "main.json#/definitions/n"}}}
    }

    assert findings(main, {"a": [1]}, types__json=types) == []
    assert findings(main, {"a": ["x"]}, types__json=types) == ['/a/0: "x" is not of type integer']


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/none"},
        {"$ref": "none.json"},
        {"$ref": "#anchor"},
        {"pattern": "("},
        {"items": 5},
        {"allOf": ["x"]},
    ],
)
def test_a_schema_that_cannot_be_used_says_so(schema: Any) -> None:
    with pytest.raises(SchemaProblem, match="main.json"):
        findings(schema, ["text"])
        findings(schema, "text")


def test_a_schema_that_is_not_json_says_so() -> None:
    for data in (b"", b"{", b"\xff", b"[" * 100_000):
        with pytest.raises(SchemaProblem, match="not JSON"):
            JsonSchema(data, "a.json")


def test_a_schema_without_end_and_deep_values_are_findings() -> None:
    assert "nested more than" in findings({"$ref": "#"}, 1)[0]
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    assert "nested more than" in findings({"items": {"$ref": "#"}}, deep)[0]


def test_at_most_some_findings_are_listed() -> None:
    assert len(findings({"items": {"type": "string"}}, list(range(1000)))) == LISTED_MAX


def test_the_exception_has_one_entry_per_finding() -> None:
    """MF 2.13: 5902 -> 5705 -> 5393 -> 5751, one per finding."""
    made = JsonSchema(b'{"required": ["a", "b", "c"]}')
    error = validation_error(made.violations({}))

    assert [each.number for each in error.chain()] == [5902, 5705, 5393, 5751]
    tree = exception_list(error)
    inner = tree.children()[0].children()[-1].children()[-1]
    assert inner.get("Number") == 5393
    entries = [child for child in inner.children() if child.name == "ParserException"]
    assert [each.get("Text") for each in entries] == [f"/: the property {name!r} is missing" for name in "abc"]
    assert [each.number for each in validation_error(made.violations({}), True).chain()] == [5902, 5705, 5393, 5751]
