"""How long the structures of a call are, by version."""

from __future__ import annotations

from flintmq.mqi import gmo as gmo_structure
from flintmq.mqi import md as md_structure
from flintmq.mqi import pmo as pmo_structure


def md_size(version: int) -> int:
    """How long an MQMD is."""
    return md_structure.SIZE_1 if version == 1 else md_structure.SIZE_2


def pmo_size(version: int) -> int:
    """An MQPMO."""
    if version == 1:
        return pmo_structure.SIZE_1
    return pmo_structure.SIZE_2 if version == 2 else pmo_structure.SIZE_3


def gmo_size(version: int) -> int:
    """An MQGMO."""
    if version <= 2:
        return gmo_structure.SIZE_1 if version == 1 else gmo_structure.SIZE_2
    return gmo_structure.SIZE_3 if version == 3 else gmo_structure.SIZE_4
