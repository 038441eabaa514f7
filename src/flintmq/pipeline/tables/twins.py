"""Dumps with the same content under different names: the first is loaded, the others are passed over (T5).

    compared                                              when
    size, and 64 blocks from the start to the end         always: a dump is a twin only if these are the same
    every byte                                            if the other dump is still there; if it was moved or taken
                                                          away, the blocks decide: every interval has its own clocks

A twin stays one as long as the other dump is unchanged, or has grown. If it has been replaced, the twin is loaded. One
that has grown itself is loaded from where it was the same; later data that it shares with the other is there twice.
"""

from __future__ import annotations

import filecmp
import hashlib
from collections.abc import Mapping

from flintmq.pipeline.tables.manifest import Entry, Manifest

#: How much of a dump is looked at, unless another has the same there.
BLOCKS = 64
BLOCK = 4096

_Key = tuple[int, str, tuple[str, ...]]


def sample_of(path: str, size: int) -> str:
    """Return a digest of blocks all over a dump, the first and the last among them."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for number in range(BLOCKS):
            file.seek(max(size - BLOCK, 0) * number // (BLOCKS - 1))
            digest.update(file.read(min(BLOCK, size)))
    return digest.hexdigest()[:32]


class Twins:
    """Which contents are in the tables, and by which name."""

    def __init__(self, manifest: Manifest, dumps: Mapping[str, str]) -> None:
        self._dumps = dumps
        self._names: dict[_Key, str] = {}
        self._keys: dict[str, _Key] = {}
        self._origins: dict[str, str] = {}
        #: Names of dumps that were passed over.
        self.passed: set[str] = set()
        for entry in manifest.entries():
            if entry.same_as:
                self.passed.add(entry.name)
            else:
                self.note(entry)

    def note(self, entry: Entry) -> None:
        """Note that a dump is loaded, or loaded anew: its earlier content is no longer there."""
        before = self._keys.pop(entry.name, None)
        if before is not None and self._names.get(before) == entry.name:
            del self._names[before]
        if entry.sample:
            key = _key(entry)
            self._keys[entry.name] = key
            self._origins[entry.name] = entry.origin
            self._names.setdefault(key, entry.name)

    def find(self, entry: Entry, path: str) -> bool:
        """Return whether the content of a dump is in the tables by another name, and note that name in its entry."""
        name = self._names.get(_key(entry), entry.name) if entry.size else entry.name
        if name == entry.name:
            return False
        other = self._dumps.get(name)
        filecmp.clear_cache()
        if other is not None and not filecmp.cmp(path, other, shallow=False):
            return False
        entry.same_as, entry.origin = name, self._origins[name]
        return True

    def hold(self, entry: Entry) -> bool:
        """Return whether the rows that stand for a duplicate dump are still there."""
        return self._origins.get(entry.same_as) == entry.origin


def _key(entry: Entry) -> _Key:
    return entry.size, entry.sample, tuple(entry.layers)
