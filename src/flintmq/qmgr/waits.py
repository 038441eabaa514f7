"""Waiting gets of a queue, filed by their condition: an arriving message finds the getters that want it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flintmq.qmgr.connection import Waiter

WAITS_FOR_ANY: Final = 0
WAITS_FOR_MSG_ID: Final = 1
WAITS_FOR_CORREL_ID: Final = 2
WAITS_FOR_OTHER: Final = 3
#: Any message that the selection of its handle holds.
WAITS_FOR_SELECTED: Final = 4


class Waits:
    """The waiting gets of one queue. Those that wait for a selection stand in it."""

    def __init__(self) -> None:
        self.any: list[Waiter] = []
        self.by_msg_id: dict[bytes, list[Waiter]] = {}
        self.by_correl_id: dict[bytes, list[Waiter]] = {}
        self.others: list[Waiter] = []

    def add(self, waiter: Waiter) -> None:
        """File a waiting get by what it waits for."""
        if waiter.kind == WAITS_FOR_ANY:
            self.any.append(waiter)
        elif waiter.kind == WAITS_FOR_CORREL_ID:
            self.by_correl_id.setdefault(waiter.key, []).append(waiter)
        elif waiter.kind == WAITS_FOR_MSG_ID:
            self.by_msg_id.setdefault(waiter.key, []).append(waiter)
        elif waiter.kind == WAITS_FOR_SELECTED:
            selection = waiter.handle.selection
            assert selection is not None
            selection.waiters.append(waiter)
        else:
            self.others.append(waiter)

    def remove(self, waiter: Waiter) -> None:
        """Take a waiting get out again."""
        if waiter.kind == WAITS_FOR_ANY:
            self.any.remove(waiter)
            return
        if waiter.kind == WAITS_FOR_OTHER:
            self.others.remove(waiter)
            return
        if waiter.kind == WAITS_FOR_SELECTED:
            selection = waiter.handle.selection
            assert selection is not None
            selection.waiters.remove(waiter)
            return
        table = self.by_correl_id if waiter.kind == WAITS_FOR_CORREL_ID else self.by_msg_id
        filed = table[waiter.key]
        filed.remove(waiter)
        if not filed:
            del table[waiter.key]

    def last_in_line(self, waiter: Waiter, order: int) -> None:
        """A get that waits for any message has been served, and waits on: it is as if it had come now."""
        waiter.order = order
        if len(self.any) > 1:
            self.any.remove(waiter)
            self.any.append(waiter)

    def everyone(self) -> list[Waiter]:
        """Return every waiting get but those of selections, in no order."""
        result = list(self.any) + list(self.others)
        for filed in list(self.by_msg_id.values()) + list(self.by_correl_id.values()):
            result.extend(filed)
        return result
