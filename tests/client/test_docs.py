"""The examples in docstrings do what they say. (Those of the documentation: tests/house/test_docs_examples.py.)"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re

import pytest

import flintmq.client

MODULES = [f"flintmq.client.{module.name}" for module in pkgutil.iter_modules(flintmq.client.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_every_public_name_can_be_imported_and_is_typed() -> None:
    for name in flintmq.__all__:
        assert getattr(flintmq, name) is not None
    assert set(flintmq.__all__) <= set(dir(flintmq))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        getattr(flintmq, "nonsense")  # noqa: B009


def test_the_tree_of_exceptions_in_the_docstring_is_the_tree() -> None:
    from flintmq.mqi import call_errors as errors

    assert errors.__doc__ is not None
    drawn = set(re.findall(r"(?:├──|└──) (\w+)", errors.__doc__)) | {"MQError"}
    defined = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert drawn == defined


def test_the_class_of_a_reason() -> None:
    from flintmq.mqi.call_errors import error_class, error_of

    assert error_class(2033) is flintmq.NoMessageAvailable
    assert error_class(2031) is flintmq.MessageTooBig
    assert error_class(2195) is flintmq.MQError
    assert str(error_of(2035)).endswith("[MQRC_NOT_AUTHORIZED 2035]")
