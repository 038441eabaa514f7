"""Modules that are imported on first use.

A program that connects to a remote queue manager needs little of the engine: properties of messages, message handles
and the selector compiler are named by `lazy` and imported on first use.
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
