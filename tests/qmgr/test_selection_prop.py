"""Random histories of selecting handles against the plainest of models: a list of messages, searched from the front.

Every step is followed by a look at all invariants (T1-T3 among them), and no message is evaluated more often than there
are texts. The buffer pool is small, so that messages go to the page set and come back in the middle of it all.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.mqi.constants import MQGMO_BROWSE_FIRST, MQGMO_BROWSE_NEXT, MQOO_BROWSE, MQOO_INPUT_SHARED
from flintmq.mqi.md import MQMD
from flintmq.mqi.rfh2 import pack_folders
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.place import to_queue
from flintmq.qmgr.selection import selections_of
from tests.qmgr.driver import Driver

NO_MESSAGE = 2033
COLORS = ["red", "blue", "green", ""]

steps = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(COLORS), st.integers(0, 4), st.booleans(), st.integers(1, 30)),
    st.tuples(st.just("put_in_unit"), st.sampled_from(COLORS), st.integers(0, 4), st.booleans(), st.integers(1, 3)),
    st.tuples(st.just("get"), st.integers(0, 4)),
    st.tuples(st.just("get_in_unit"), st.integers(0, 4)),
    st.tuples(st.just("get_any")),
    st.tuples(st.just("browse"), st.integers(0, 4), st.integers(1, 6)),
    st.tuples(st.just("browse_all"), st.integers(0, 4)),
    st.tuples(st.just("reopen"), st.integers(0, 4)),
    st.tuples(st.sampled_from(["commit", "backout", "evict"])),
)


class Item:
    """A message of the model."""

    def __init__(self, number: int, color: str, priority: int) -> None:
        self.number = number
        self.color = color
        self.priority = priority
        #: "" available, else uncommitted "put" or "got".
        self.pending = ""


#: Text, and the same as a function of color, priority and the length of data.
SELECTORS: list[tuple[str, Callable[[Item], bool]]] = [
    ("color = 'red'", lambda item: item.color == "red"),
    ("color IN ('red', 'blue') AND JMSPriority > 2", lambda item: item.color in ("red", "blue") and item.priority > 2),
    ("color IS NULL", lambda item: item.color == ""),
    ("NOT color = 'red'", lambda item: item.color not in ("red", "")),
    ("JMSPriority BETWEEN 1 AND 3 OR color LIKE '%u%'", lambda item: 1 <= item.priority <= 3 or "u" in item.color),
]


class World:
    """The engine and the model side by side."""

    def __init__(self) -> None:
        self.driver = Driver(("BUFFPOOL", "0", {"BUFFERS": 100}), ("QLOCAL", "Q", {"MAXDEPTH": 999_999}))
        self.app = self.driver.app()
        self.items: list[Item] = []
        self.put_count = 0
        self.plain = self.app.open("Q")
        self.handles = [self.open(number) for number in range(len(SELECTORS))]
        self.places = [(10, -1)] * len(SELECTORS)

    def open(self, number: int) -> Handle:
        return self.app.open("Q", MQOO_INPUT_SHARED | MQOO_BROWSE, selector=SELECTORS[number][0])

    def in_order(self, number: int, in_unit: bool) -> list[Item]:
        """What matches and can be got or browsed, in the order of delivery. A unit of work sees its own puts (U3)."""
        seen = ("", "put") if in_unit else ("",)
        matches = SELECTORS[number][1]
        found = [item for item in self.items if item.pending in seen and matches(item)]
        return sorted(found, key=lambda item: (-item.priority, item.number))

    def put(self, color: str, priority: int, persistent: bool, count: int, syncpoint: bool) -> None:
        for _ in range(count):
            md = MQMD()
            md.priority = priority
            md.persistence = int(persistent)
            md.msg_id = self.driver.qm.new_msg_id()
            properties = pack_folders([f"<usr><color>{color}</color></usr>"]) if color else b""
            data = bytes(3600) + self.put_count.to_bytes(4, "big")
            queue, now = self.driver.queue("Q"), self.driver.clock.now_ms()
            assert to_queue(self.driver.qm, self.app.connection, queue, md, data, syncpoint, now, properties) == 0
            item = Item(self.put_count, color, priority)
            item.pending = "put" if syncpoint else ""
            self.items.append(item)
            self.put_count += 1

    def got(self) -> int:
        return int.from_bytes(self.app.data[-4:], "big")

    def get(self, handle: Handle, expected: list[Item], syncpoint: bool) -> None:
        reason = self.app.get(handle, syncpoint=syncpoint)
        if not expected:
            assert reason == NO_MESSAGE
            return
        assert reason == 0 and self.got() == expected[0].number
        if syncpoint and not expected[0].pending:
            expected[0].pending = "got"
        else:  # What is got in the unit that put it is gone, too (U4).
            self.items.remove(expected[0])

    def browse(self, number: int) -> None:
        lane, sequence = self.places[number]
        behind = [item for item in self.in_order(number, True) if (-item.priority, item.number) > (-lane, sequence)]
        reason = self.app.get(self.handles[number], MQGMO_BROWSE_NEXT)
        if not behind:
            assert reason == NO_MESSAGE
            return
        assert reason == 0 and self.got() == behind[0].number
        self.places[number] = (behind[0].priority, behind[0].number)

    def browse_all(self, number: int) -> None:
        seen: list[int] = []
        options = MQGMO_BROWSE_FIRST
        while self.app.get(self.handles[number], options) == 0:
            seen.append(self.got())
            options = MQGMO_BROWSE_NEXT
        expected = self.in_order(number, True)
        assert seen == [item.number for item in expected]
        if expected:
            self.places[number] = (expected[-1].priority, expected[-1].number)

    def end_unit(self, committed: bool) -> None:
        (self.app.commit if committed else self.app.backout)()
        gone = "got" if committed else "put"
        self.items = [item for item in self.items if item.pending != gone]
        for item in self.items:
            item.pending = ""

    def step(self, step: tuple[object, ...]) -> None:
        match step:
            case ("put", str(color), int(priority), bool(persistent), int(count)):
                self.put(color, priority, persistent, count, False)
            case ("put_in_unit", str(color), int(priority), bool(persistent), int(count)):
                self.put(color, priority, persistent, count, True)
            case ("get" | "get_in_unit" as kind, int(number)):
                in_unit = kind == "get_in_unit"
                self.get(self.handles[number], self.in_order(number, in_unit), in_unit)
            case ("get_any",):
                available = [item for item in self.items if not item.pending]
                available.sort(key=lambda item: (-item.priority, item.number))
                self.get(self.plain, available, False)
            case ("browse", int(number), int(count)):
                for _ in range(count):
                    self.browse(number)
            case ("browse_all", int(number)):
                self.browse_all(number)
            case ("reopen", int(number)):
                assert self.app.close(self.handles[number]) == 0
                self.handles[number] = self.open(number)
                self.places[number] = (10, -1)
            case ("evict",):
                queue = self.driver.queue("Q")
                pager_of(queue).relieve([queue], 1000, False)
            case ("commit" | "backout" as kind,):
                self.end_unit(kind == "commit")
        self.driver.qm.check()


@settings(max_examples=150, deadline=None)
@given(st.lists(steps, max_size=40))
def test_selecting_handles_agree_with_the_model(history: list[tuple[object, ...]]) -> None:
    world = World()
    for step in history:
        world.step(step)
    selections = selections_of(world.driver.queue("Q"))
    assert selections is not None
    reopened = sum(1 for step in history if step[0] == "reopen")
    assert selections.evaluations <= world.put_count * (len(SELECTORS) + reopened)
