"""YAML and JSON from strangers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.safe_yaml import load_json, load_strings, load_yaml


def laughs(levels: int) -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines).encode()


def test_strings_stay_as_the_author_wrote_them() -> None:
    text = b"a: no\nb: 007\nc: 1e3\nd: 2024-01-01\ne:\nf: ~"
    assert load_strings(text) == {"a": "no", "b": "007", "c": "1e3", "d": "2024-01-01", "e": "", "f": "~"}


def test_yaml_has_numbers_and_booleans_where_they_are_wanted() -> None:
    assert load_yaml(b"a: true\nb: 7") == {"a": True, "b": 7}


def test_a_few_aliases_are_welcome() -> None:
    assert load_strings(b"a: &x {b: c}\nd: *x\ne: [*x, *x]") == {
        "a": {"b": "c"},
        "d": {"b": "c"},
        "e": [{"b": "c"}, {"b": "c"}],
    }


@pytest.mark.parametrize("load", [load_yaml, load_strings])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (laughs(9), "when its aliases are followed"),
        (b"[" * 600, "nested more than 200 deep"),
        (b"a: [1\nb: 2", "not valid YAML"),
        (b"a: *nobody", "not valid YAML"),
        (b"a: &x [*x]", "contains itself"),
        (b"a: &x {b: {c: *x}}", "contains itself"),
        (b"\xff\xfe\xfa\xfb\xfc", "is not utf-16 text"),
        (b"\x80abc", "is not utf-8-sig text"),
        (b"a: \x07", "not valid YAML"),
    ],
)
def test_what_is_hostile_or_wrong_is_refused_with_the_file(load: object, data: bytes, reason: str) -> None:
    assert callable(load)
    with pytest.raises(FlowFileError, match="x.yaml") as caught:
        load(data, "x.yaml")
    assert reason in caught.value.reason


def test_objects_of_python_are_never_made() -> None:
    with pytest.raises(FlowFileError, match="not valid YAML"):
        load_yaml(b"!!python/object/apply:os.getcwd []", "x.yaml")
    assert load_strings(b"!!python/object/apply:os.getcwd [a]") == ["a"]


def test_a_syntax_error_names_the_line() -> None:
    for load, data in ((load_yaml, b"a: b\nc: [d\n"), (load_json, b'{"a": 1,\n\n x}')):
        with pytest.raises(FlowFileError) as caught:
            load(data, "x")
        assert caught.value.line == 3


@pytest.mark.parametrize("data", [b"[" * 100_000, b"9" * 10_000, b"", b"\x80"])
def test_json_that_is_hostile_is_refused(data: bytes) -> None:
    with pytest.raises(FlowFileError, match="x.json"):
        load_json(data, "x.json")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for load in (load_yaml, load_strings, load_json):
        try:
            load(data, "x")
        except FlowFileError:
            pass
