"""A browse for an id uses the index: it returns what a walk over the queue would."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_MARK_BROWSE_HANDLE,
    MQGMO_UNMARKED_BROWSE_MSG,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.qmgr import browse_index
from flintmq.qmgr.message import Message
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.wanted import Wanted
from tests.qmgr.driver import EVERYTHING, App, Driver
from tests.qmgr.test_selection import deep_driver, put_with

IDS = [letter * 24 for letter in (b"a", b"b")]


def browsed(driver: Driver, app: App, match: int, wanted: bytes, takes: list[int]) -> list[int]:
    """What browses with these match options return, one after the other; some messages are taken in between."""
    queue, handle = driver.queue("Q"), app.open("Q", EVERYTHING)
    found: list[int] = []
    other = app.open("Q", EVERYTHING)
    options = MQGMO_BROWSE_FIRST
    while True:
        md, gmo = MQMD(), MQGMO()
        gmo.version, gmo.options, gmo.match_options = 2, options, match
        md.version, md.msg_id, md.correl_id, md.group_id = 2, wanted, wanted, wanted
        if driver.qm.get(app.connection, handle, md, gmo) != 0:
            return found
        found.append(int.from_bytes(app.data, "big"))
        options = MQGMO_BROWSE_NEXT
        if len(found) - 1 in takes and queue.depth:
            app.get(other)
        driver.qm.check()


def queue_of(where: str) -> tuple[str, str, dict[str, Value]]:
    return "QLOCAL", "Q", {"MAXDEPTH": 999_999, "INDXTYPE": "CORRELID" if where.endswith("indexed") else "NONE"}


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.integers(0, 2)), max_size=14),
    st.sampled_from([MQMO_MATCH_MSG_ID, MQMO_MATCH_CORREL_ID, MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID]),
    st.lists(st.integers(0, 6), max_size=4),
    st.sampled_from(["memory", "page set", "page set, indexed"]),
)
def test_a_browse_for_an_id_returns_what_a_walk_returns(
    messages: list[tuple[bytes, bytes, int]], match: int, takes: list[int], where: str
) -> None:
    """(issue 14, item 3: a browse for an id looked at every message of the queue)"""
    answers = []
    for indexed in (True, False):
        driver = Driver(("BUFFPOOL", "0", {"BUFFERS": 25_000 if where == "memory" else 4}), queue_of(where))
        app = driver.app()
        for number, (msg_id, correl_id, priority) in enumerate(messages):
            data = number.to_bytes(2, "big")
            kept = number % 3 == 0
            put_with(driver, app, data, msg_id=msg_id, correl_id=correl_id, priority=priority, persistence=int(kept))
        with pytest.MonkeyPatch.context() as patch:
            if not indexed:
                patch.setattr(browse_index, "applies", lambda queue, wanted: False)
            answers.append(browsed(driver, app, match, IDS[0], takes))
    assert answers[0] == answers[1]


def test_a_browse_for_an_id_that_no_message_has_looks_at_none(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 999_999}))
    app = driver.app()
    for _ in range(500):
        put_with(driver, app, b"x", correl_id=IDS[1])
    looked: list[Message] = []

    def watched(self: Wanted, message: Message) -> bool:
        looked.append(message)
        return False

    try:
        monkeypatch.setattr(Wanted, "accepts", watched)
    except TypeError:
        pytest.skip("compiled classes cannot be watched")
    for match in (MQMO_MATCH_MSG_ID, MQMO_MATCH_CORREL_ID, MQMO_MATCH_GROUP_ID):
        assert browsed(driver, app, match, IDS[0], []) == []
    assert looked == []


@pytest.mark.parametrize("by", [MQMO_MATCH_MSG_ID, MQMO_MATCH_CORREL_ID])
def test_a_browse_for_an_id_brings_back_only_what_it_returns(by: int) -> None:
    """A browse for an id that none of 40,000 messages had read all of them back from the page set: 52 ms."""
    driver = deep_driver()
    app = driver.app()
    for number in range(1000):
        wanted = IDS[0] if number == 500 else IDS[1]
        put_with(driver, app, number.to_bytes(2, "big"), msg_id=wanted, correl_id=wanted)
    pager = pager_of(driver.queue("Q"))
    assert driver.queue("Q").spilled_count > 900
    before = pager.loads, pager.loaded_messages
    assert browsed(driver, app, by, b"c" * 24, []) == [] and (pager.loads, pager.loaded_messages) == before
    assert browsed(driver, app, by, IDS[0], []) == [500] and pager.loaded_messages <= before[1] + 1
    driver.qm.check()


def test_a_browse_of_unmarked_messages_passes_over_marks_of_messages_on_the_page_set() -> None:
    """A mark of one handle is a sequence that the handle has; the message may leave memory."""
    driver = deep_driver()
    app = driver.app()
    for number in range(1000):
        put_with(driver, app, number.to_bytes(2, "big"), correl_id=IDS[number % 2])
    handle, found, options = app.open("Q", EVERYTHING), [], MQGMO_BROWSE_FIRST
    for _ in range(100):
        md, gmo = MQMD(), MQGMO()
        gmo.version, gmo.options = 2, options | MQGMO_MARK_BROWSE_HANDLE | MQGMO_UNMARKED_BROWSE_MSG
        gmo.match_options, md.correl_id = MQMO_MATCH_CORREL_ID, IDS[0]
        assert driver.qm.get(app.connection, handle, md, gmo) == 0
        found.append(int.from_bytes(app.data, "big"))
    assert found == list(range(0, 200, 2))
    driver.qm.check()
