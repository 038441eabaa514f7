"""flintmq.testing: the fixtures, the assertions, and what their failures say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import flintmq
from flintmq.testing import DiskQueueManager, assert_queue

SUITE = """
import re
import flintmq
from flintmq.testing import assert_queue

def test_memory(queue_manager):
    queue_manager.queue("DEV.QUEUE.1").put("order 7", correlation_id=b"7")
    assert_queue(queue_manager, "DEV.QUEUE.1").has("order 7").has_depth(1)

def test_every_test_has_its_own(queue_manager):
    assert_queue(queue_manager, "DEV.QUEUE.1").is_empty()

def test_disk(queue_manager_on_disk):
    queue = queue_manager_on_disk.queue("DEV.QUEUE.1")
    queue.put("kept", persistent=True)
    queue.put("lost", persistent=False)
    queue_manager_on_disk.crash()
    assert_queue(queue_manager_on_disk, "DEV.QUEUE.1").has_only("kept")
    queue.put("again", persistent=True)
    queue_manager_on_disk.restart()
    assert [message.text for message in queue.messages()] == ["kept", "again"]

def test_failing(queue_manager):
    queue_manager.queue("DEV.QUEUE.1").put("order 8")
    assert_queue(queue_manager, "DEV.QUEUE.1").has("order 7")
"""


def test_as_a_plugin_it_gives_fixtures_and_readable_failures(tmp_path: Path) -> None:
    (tmp_path / "test_orders.py").write_text(SUITE)
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "flintmq.testing", "-p", "no:cacheprovider", "."]
    source = str(Path(flintmq.__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": source}
    end = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "3 passed" in end.stdout and "1 failed" in end.stdout, end.stdout + end.stderr
    assert "DEV.QUEUE.1 should have 'order 7', but it has 1 message:" in end.stdout
    assert "1. <Message b'order 8' from DEV.QUEUE.1>" in end.stdout
    assert "def has(" not in end.stdout


def test_without_pytest_the_assertions_are_there_all_the_same() -> None:
    code = """
import sys
sys.modules["pytest"] = None
import flintmq
from flintmq import testing
with flintmq.open(":memory:", developer=True) as qm:
    testing.assert_queue(qm, "DEV.QUEUE.1").is_empty()
print(hasattr(testing, "queue_manager"))
"""
    assert subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.fixture
def filled() -> flintmq.QueueManager:
    """A queue with three messages and one that is uncommitted."""
    qm = flintmq.open(":memory:")
    queue = qm.queue("A", create=True)
    queue.put("one", correlation_id=b"1", priority=5)
    queue.put(b"\xff\x00", reply_to="REPLIES")
    queue.put("three", persistent=True, priority=0)
    queue.put("pending", syncpoint=True)
    return qm


def test_what_is_there_is_accepted_and_left_there(filled: flintmq.QueueManager) -> None:
    shown = assert_queue(filled, "A")
    shown.has("one").has(b"\xff\x00").has(re.compile("thr.*")).has(re.compile(b"\xff"))
    shown.has(lambda message: message.persistent)
    shown.has("one", "three").has("one", correlation_id=b"1", priority=5).has(reply_to="REPLIES")
    shown.has_only("one", b"\xff\x00", "three").has_depth(4).has_no("four")
    assert [message.data for message in shown.messages] == [b"one", b"\xff\x00", b"three"]
    assert filled.queue("A").depth == 4


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (lambda shown: shown.is_empty(), "A should be empty, but it has 4 messages:"),
        (lambda shown: shown.has_depth(1), "A should have 1 message, but it has 4"),
        (lambda shown: shown.has("four"), "A should have 'four', but"),
        (lambda shown: shown.has("three", "one"), "A should have 'one', but"),
        (lambda shown: shown.has("one", persistent=True), "A should have 'one', persistent=True, but"),
        (lambda shown: shown.has(re.compile("x+")), "should have a message like 'x+', but"),
        (lambda shown: shown.has_only("one"), "should have exactly 'one', but"),
        (lambda shown: shown.has_no("one"), "should not have 'one', but"),
    ],
)
def test_a_failure_says_what_should_be_and_what_is(
    filled: flintmq.QueueManager, check: Callable[[object], object], text: str
) -> None:
    with pytest.raises(AssertionError) as caught:
        check(assert_queue(filled, "A"))
    assert text in str(caught.value)
    assert "1. <Message b'one' correlation_id=b'1'" in str(caught.value)
    assert "and 1 uncommitted" in str(caught.value)


def test_an_empty_queue_is_shown_as_such_and_a_full_one_is_cut() -> None:
    with flintmq.open(":memory:") as qm:
        queue = qm.queue("A", create=True)
        with pytest.raises(AssertionError, match="should have 'x', but it is empty"):
            assert_queue(qm, "A").has("x")
        for number in range(30):
            queue.put(str(number))
        with pytest.raises(AssertionError, match=r"10\. <Message b'9' from A>\n  \.\.\. and 20 more"):
            assert_queue(qm, "A").is_empty()


def test_a_crash_keeps_what_was_committed_and_queues_stay_good(tmp_path: Path) -> None:
    with DiskQueueManager(tmp_path / "QM1") as qm:
        queue = qm.queue("A", create=True)
        queue.put("committed", persistent=True)
        queue.put("uncommitted", persistent=True, syncpoint=True)
        qm.crash()
        assert queue.get().text == "committed"
        assert queue.get_or_none() is None


def test_subscriptions_topics_and_properties_can_be_asserted() -> None:
    with flintmq.open(":memory:") as qm, qm.subscribe("prices/#") as prices:
        qm.topic("prices/gold").publish("1811", properties={"unit": "oz", "source": 7})
        found = assert_queue(qm, prices).has("1811", topic="prices/gold", properties={"unit": "oz"}).has_depth(1)
        assert found.messages[0].properties["source"] == 7
        with pytest.raises(AssertionError, match=r"the subscription to prices/# should have .*'unit': 'kg'"):
            assert_queue(qm, prices).has("1811", properties={"unit": "kg"})
        with pytest.raises(AssertionError, match="topic='prices/silver'"):
            assert_queue(qm, prices).has("1811", topic="prices/silver")
        assert prices.get().text == "1811"
        assert_queue(qm, prices).is_empty()
