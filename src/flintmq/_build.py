"""How this copy of FlintMQ was built. Knows nothing of any room's contents, so every room may import it."""

from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES

_PACKAGE = os.path.dirname(os.path.abspath(__file__))

#: All hot modules are compiled together or not at all, so one room with a library in it tells for all.
_ROOMS_TO_LOOK_AT = ("mqi", "qmgr")


def compiled() -> bool:
    """Whether the hot modules run as compiled code (`True`) or as plain Python (`False`)."""
    for room in _ROOMS_TO_LOOK_AT:
        directory = os.path.join(_PACKAGE, room)
        if os.path.isdir(directory) and any(name.endswith(tuple(EXTENSION_SUFFIXES)) for name in os.listdir(directory)):
            return True
    return False


def build_type() -> str:
    """Return `compiled` or `plain Python`, for messages to the user."""
    return "compiled" if compiled() else "plain Python"
