"""A walk over the messages of a queue, in slices, while messages come and go.

The messages of a lane are looked at in ascending order of sequence, in memory or on the page set, and lanes from the
highest down. Between two slices only lane and sequence are relied on: a message that was looked at may have gone since.

K1  A message that is on the queue from the beginning of the walk to its end is looked at once.
K2  A message that was put after the walk began (`boundary`) is not looked at.
K3  Messages on the page set are looked at in passing and stay there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import trait

from flintmq.qmgr.message import Acceptor, Message, Node, Spilled

if TYPE_CHECKING:
    from flintmq.qmgr.queue import Queue


NOT_YET: Final = 0


@trait
class Visitor:
    """What a walk shows the messages to."""

    def visit(self, message: Message, in_memory: bool) -> int:
        """Look at a message. Returns what that cost, in units of work; at least 1.

        With NOT_YET the slice is over, and the walk shows the same message again in the next one, if it is there then.
        """
        raise NotImplementedError


class Walk(Acceptor):
    """Where a walk over a queue is."""

    done: bool = False

    def __init__(self, queue: Queue, visitor: Visitor) -> None:
        self.queue = queue
        self.visitor = visitor
        #: Messages from this sequence on were put later (K2).
        self.boundary = queue.next_sequence
        self._lane = 9
        #: The last sequence of the lane that was looked at, and the node that was there.
        self._sequence = -1
        self._node: Node | None = None
        self._left = 0
        #: Messages of the page set that were seen in one chunk of each part.
        self._seen: list[Message] = []

    def step(self, budget: int) -> int:
        """Look at messages until the budget is used up. Returns what is left of it, which may be less than nothing."""
        self._left = budget
        while self._left > 0 and not self.done:
            node = self._next()
            # A range on the page set may begin before the boundary and end behind it.
            if node is None or node.sequence >= self.boundary or self._sequence + 1 >= self.boundary:
                self._lane -= 1
                self._sequence = -1
                self._node = None
                self.done = self._lane < 0
            elif isinstance(node, Spilled):
                self._through(node)
            else:
                assert isinstance(node, Message)
                cost = self.visitor.visit(node, True)
                if cost == NOT_YET:
                    return 0
                self._left -= cost
                self._sequence = node.sequence
                self._node = node
        return self._left

    def _next(self) -> Node | None:
        """The first node of the lane with something behind `_sequence`."""
        queue = self.queue
        lane = queue.lanes[self._lane]
        if self._sequence < 0:
            return lane.first
        node = self._node
        if node is not None and isinstance(node, Message) and node.queue is queue and queue.is_linked(node):
            return node.next
        return lane.near(self._sequence + 1)

    def _through(self, spilled: Spilled) -> None:
        """Look at the next messages of a range on the page set."""
        queue = self.queue
        low = max(spilled.sequence, self._sequence + 1)
        high = min(spilled.last, self.boundary - 1)
        end = queue.pager.show_from(queue, queue.lanes[self._lane], low, high, self)
        self._left -= 1
        self._seen.sort(key=_sequence)
        seen, self._seen = self._seen, []
        for message in seen:
            cost = self.visitor.visit(message, False)
            if cost == NOT_YET:
                self._left = 0
                return  # What is left of them is read again: it may have gone by then.
            self._left -= cost
            self._sequence = message.sequence
            self._node = None
        self._sequence = end
        self._node = None

    def accepts(self, message: Message) -> bool:
        """Note a message of the page set, and leave it there (K3)."""
        self._seen.append(message)
        return False


def _sequence(message: Message) -> int:
    return message.sequence
