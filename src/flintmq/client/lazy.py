"""Modules that are imported when they are first used.

A program that connects to a queue manager elsewhere never needs most of the engine: what it may need (properties of
messages, message handles, the selector compiler) is named by `lazy` and imported with its first use.
"""

from __future__ import annotations

import sys
from typing import Any


class LazyModule:
    """Stands for a module, and has its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        __import__(self._name)  # The package `importlib` is no smaller than this, and takes modules of its own.
        value = getattr(sys.modules[self._name], attribute)
        self.__dict__[attribute] = value  # The next use finds it without this method.
        return value


def lazy(name: str) -> Any:
    """Return a module that is imported when an attribute of it is first used."""
    return LazyModule(name)
