"""The examples in docstrings and in the documentation do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import flintmq.client

ROOT = Path(__file__).resolve().parents[2]
MODULES = [f"flintmq.client.{module.name}" for module in pkgutil.iter_modules(flintmq.client.__path__)]
PAGES = [
    "README.md",
    "docs/embedded.md",
    "docs/testing.md",
    "docs/getting-started.md",
    "docs/concepts/delivery-delay.md",
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def blocks(page: str) -> list[str]:
    """The Python blocks of a page that are whole programs: they import what they use."""
    text = (ROOT / page).read_text()
    found = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return [block for block in found if "import flintmq" in block]


@pytest.mark.parametrize(("page", "number"), [(page, number) for page in PAGES for number in range(len(blocks(page)))])
def test_the_programs_in_the_documentation_run(page: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = blocks(page)[number]
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(compile(program, f"{page}#{number}", "exec"), namespace)


def test_every_public_name_can_be_imported_and_is_typed() -> None:
    for name in flintmq.__all__:
        assert getattr(flintmq, name) is not None
    assert set(flintmq.__all__) <= set(dir(flintmq))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        getattr(flintmq, "nonsense")  # noqa: B009


def test_the_tree_of_exceptions_in_the_docstring_is_the_tree() -> None:
    from flintmq.client import errors

    assert errors.__doc__ is not None
    drawn = set(re.findall(r"(?:├──|└──) (\w+)", errors.__doc__)) | {"MQError"}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert drawn == defined


def test_the_class_of_a_reason() -> None:
    from flintmq.client.errors import error_class, error_of

    assert error_class(2033) is flintmq.NoMessageAvailable
    assert error_class(2031) is flintmq.MessageTooBig
    assert error_class(2195) is flintmq.MQError
    assert str(error_of(2035)).endswith("[MQRC_NOT_AUTHORIZED 2035]")
