"""JSON payloads: what has a form, and what is said of a value that does not fit."""

from __future__ import annotations

import dataclasses
import enum
import uuid
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType, NotRequired, TypedDict

import pydantic
import pytest

from flintmq.client.message import Message
from flintmq.client.payload import BadPayload, Codec, dump_json
from flintmq.mqi.md import MQMD

Number = NewType("Number", int)


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Node:
    name: str
    children: list[Node] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Positive:
    n: int

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ValueError("n is negative")


class Half(TypedDict):
    a: int
    b: NotRequired[str]


class Model(pydantic.BaseModel):
    items: list[int]


def message_of(text: str) -> Message:
    md = MQMD()
    md.msg_id = bytes(range(24))
    return Message(text.encode(), md, "A")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (int, 1, "1"),
        (float, 1, "1"),
        (bool, True, "true"),
        (str, "grün", '"grün"'),
        (None, None, "null"),
        (Any, {"a": [1]}, '{"a":[1]}'),
        (datetime, datetime(2026, 1, 2, 3, tzinfo=UTC), '"2026-01-02T03:00:00+00:00"'),
        (date, date(2026, 1, 2), '"2026-01-02"'),
        (time, time(3, 4), '"03:04:00"'),
        (timedelta, timedelta(seconds=1.5), "1.5"),
        (Decimal, Decimal("0.10"), '"0.10"'),
        (uuid.UUID, uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (bytes, b"\x00\xff", '"AP8="'),
        (Color, Color.RED, '"red"'),
        (Number, 3, "3"),
        (Annotated[int, "meta"], 3, "3"),
        (Literal["a", 1], 1, "1"),
        (int | None, None, "null"),
        (list[int], [1], "[1]"),
        (tuple[int, str], (1, "a"), '[1,"a"]'),
        (tuple[int, ...], (1, 2), "[1,2]"),
        (set[str], {"b", "a"}, '["a","b"]'),
        (frozenset[int], frozenset({1}), "[1]"),
        (dict[str, int], {"a": 1}, '{"a":1}'),
        (dict[int, str], {1: "a"}, '{"1":"a"}'),
        (Node, Node("a", [Node("b")]), '{"name":"a","children":[{"name":"b","children":[]}]}'),
        (Half, {"a": 1}, '{"a":1}'),
        (Model, Model(items=[1]), '{"items":[1]}'),
    ],
)
def test_a_value_is_written_and_read(kind: Any, value: object, text: str) -> None:
    codec = Codec(kind)
    assert codec.dump(value) == text
    assert codec.read(message_of(text)).value == value


@pytest.mark.parametrize(
    ("kind", "text", "field", "said"),
    [
        (int, "true", "", "an integer is wanted, not True"),
        (int, '"1"', "", "an integer"),
        (str, "1", "", "a string"),
        (float, '"1"', "", "a number"),
        (datetime, '"yesterday"', "", "ISO 8601"),
        (Decimal, '"dear"', "", "a decimal number"),
        (uuid.UUID, "7", "", "a UUID"),
        (bytes, '"*"', "", "base64"),
        (Color, '"blue"', "", "a value of Color"),
        (Literal["a"], '"b"', "", "'a' is wanted"),
        (list[int], '[1, "x"]', "[1]", "field [1]"),
        (tuple[int, str], "[1]", "", "an array of 2"),
        (dict[str, int], '{"a": null}', "a", "field a"),
        (Node, '{"name": "a", "children": [{"name": 1}]}', "children[0].name", "field children[0].name"),
        (Node, "[]", "", "an object (Node)"),
        (Node | None, '{"children": []}', "name", "field name is missing"),
        (Positive, '{"n": -1}', "", "n is negative"),
        (Half, "{}", "a", "field a is missing"),
        (Model, '{"items": [1, "x"]}', "items[1]", "field items[1]"),
        (int, "{", "", "not JSON"),
        (int, "[" * 100_000, "", "not JSON"),
    ],
)
def test_what_does_not_fit_is_named_with_its_message(kind: Any, text: str, field: str, said: str) -> None:
    with pytest.raises(BadPayload) as bad:
        Codec(kind).read(message_of(text))
    assert said in str(bad.value) and bad.value.field == field
    assert bytes(range(24)).hex() in str(bad.value) and bad.value.message is not None


def test_what_has_no_form_is_refused_at_once() -> None:
    kinds: tuple[Any, ...] = (type, complex, Message)
    for kind in kinds:
        with pytest.raises(TypeError, match="no form in JSON"):
            Codec(kind)

    @dataclasses.dataclass
    class Local:
        other: Unknown  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(TypeError, match="Unknown"):
        Codec(Local)
    for value in (1j, float("nan"), {1j: 2}):
        with pytest.raises(BadPayload, match="cannot be put as JSON"):
            dump_json(value)
    with pytest.raises(BadPayload, match="Node is wanted, not dict"):
        Codec(Node).dump({"name": "a"})  # type: ignore[arg-type]


def test_fields_that_the_type_does_not_have_are_ignored() -> None:
    assert Codec(Node).read(message_of('{"name": "a", "new": 1}')).value == Node("a")
