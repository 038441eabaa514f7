"""Switches: names, defaults, checks. The effect of each is tested beside the functions that read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker.esql.switches import DEFAULTS, SETTINGS, Switches, make_switches

#: A compiled module has no docstring, so the table of its documentation is read from the source.
SOURCE = Path(__file__).parents[3] / "src/flintmq/broker/esql/switches.py"


def test_the_table_names_every_attribute_and_its_default() -> None:
    attributes = set(vars(Switches())) if hasattr(Switches(), "__dict__") else set(SETTINGS)
    assert attributes == set(SETTINGS)
    assert DEFAULTS.settings() == {name: values[0] for name, values in SETTINGS.items()}


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_the_documentation_has_every_switch_with_its_values(name: str) -> None:
    documentation = SOURCE.read_text("utf-8").split('"""')[1]
    line = next(line for line in documentation.splitlines() if line.split()[:1] == [name])
    for value in SETTINGS[name]:
        assert str(value) in line.split()


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in SETTINGS.items() for value in values])
def test_every_allowed_value_can_be_set(name: str, value: object) -> None:
    made = make_switches({name: value})
    assert made.settings()[name] == value
    assert {key for key, other in made.settings().items() if other != SETTINGS[key][0]} <= {name}


@pytest.mark.parametrize(
    "settings",
    [
        {"no_such_switch": "x"},
        {"index_gaps": "maybe"},
        {"index_gaps": True},
        {"scalar_keeps_children": "yes"},
        {"scalar_keeps_children": 1},
        {"century_window": 101},
        {"century_window": -1},
        {"century_window": "53"},
        {"century_window": True},
        {"week_rule": None},
    ],
)
def test_an_unknown_name_or_value_is_refused_with_what_is_allowed(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="one of|from 0 to 100|switches are"):
        make_switches(settings)


def test_a_copy_is_independent() -> None:
    first = make_switches({"week_rule": "iso"})
    second = first.copy()
    second.week_rule = "monday"
    assert (first.week_rule, second.week_rule, DEFAULTS.week_rule) == ("iso", "monday", "sunday")
