"""Selectors through the Python API: a selection string belongs to an open (B216, B222)."""

from __future__ import annotations

import asyncio
import queue as standard
import threading

import pytest

import flintmq
from flintmq.host.host import HandleCache
from tests.waiting import PATIENCE


@pytest.fixture
def fruit(qm: flintmq.QueueManager) -> flintmq.Queue:
    queue = qm.queue("FRUIT", create=True)
    for name, color, weight in (("apple", "red", 150), ("banana", "yellow", 120), ("cherry", "red", 8)):
        queue.put(
            name, properties={"color": color, "weight": weight}, priority=weight % 10, correlation_id=name.encode()
        )
    return queue


def test_a_get_takes_only_what_the_selector_selects(fruit: flintmq.Queue) -> None:
    """B217."""
    assert fruit.get(selector="color = 'red' AND weight > 100").text == "apple"
    with pytest.raises(flintmq.NoMessageAvailable):
        fruit.get(selector="color = 'red' AND weight > 100")
    assert fruit.get_or_none(selector="color = 'blue'") is None
    assert [message.text for message in fruit.messages(selector="weight BETWEEN 1 AND 10")] == ["cherry"]
    assert fruit.depth == 1


def test_a_queue_may_have_a_selector_for_everything(qm: flintmq.QueueManager, fruit: flintmq.Queue) -> None:
    """B216."""
    red = qm.queue("FRUIT", selector="color = 'red'")
    assert "color = 'red'" in repr(red)
    assert {message.text for message in red.browse()} == {"apple", "cherry"}
    assert {message.text for message in red.messages()} == {"apple", "cherry"}
    assert fruit.get().text == "banana"


def test_a_get_waits_for_a_message_that_matches(qm: flintmq.QueueManager, fruit: flintmq.Queue) -> None:
    came: standard.Queue[str] = standard.Queue()
    thread = threading.Thread(target=lambda: came.put(fruit.get(selector="color = 'green'", wait=PATIENCE).text))
    thread.start()
    fruit.put("plum", properties={"color": "blue"})
    fruit.put("kiwi", properties={"color": "green"})
    assert came.get(timeout=PATIENCE) == "kiwi"
    thread.join(PATIENCE)
    assert fruit.depth == 4


def test_a_selector_and_an_id_must_both_match(fruit: flintmq.Queue) -> None:
    assert fruit.get_or_none(selector="color = 'red'", correlation_id=b"banana") is None
    assert fruit.get(selector="color = 'red'", correlation_id=b"cherry").text == "cherry"


def test_a_consumer_may_have_a_selector(fruit: flintmq.Queue) -> None:
    came: standard.Queue[str] = standard.Queue()
    with fruit.consume(lambda message: came.put(message.text), selector="weight < 130"):
        assert {came.get(timeout=PATIENCE) for _ in range(2)} == {"banana", "cherry"}
    assert fruit.depth == 1


def test_a_message_without_properties_is_selected_by_its_descriptor(qm: flintmq.QueueManager) -> None:
    """B218."""
    queue = qm.queue("A", create=True)
    for text in ("one", "two"):
        queue.put(text, correlation_id=text.encode())
    selector = f"JMSCorrelationID = 'ID:{b'two'.ljust(24, bytes(1)).hex()}'"
    assert queue.get(selector=selector).text == "two"


@pytest.mark.parametrize(
    ("selector", "position"), [("color = ", 9), ("color ~ 'red'", 7), ("color = 'red", 9), ("(a = 1", 7), ("a = 1)", 6)]
)
def test_an_error_shows_the_place_in_the_text(fruit: flintmq.Queue, selector: str, position: int) -> None:
    for call in (lambda: fruit.get(selector=selector), lambda: fruit.browse(selector=selector)):
        with pytest.raises(flintmq.BadSelector) as error:
            call()
        assert (error.value.reason, error.value.position, error.value.selector) == (2459, position, selector)
        assert "\u25b6" in str(error.value)


def test_a_long_selector_is_shown_around_the_place(fruit: flintmq.Queue) -> None:
    selector = " AND ".join(["color = 'red'"] * 20) + " AND"
    with pytest.raises(flintmq.BadSelector) as error:
        fruit.get(selector=selector)
    assert len(error.value.text) < 200 and "..." in error.value.text


def test_only_the_last_few_selectors_are_kept_open(qm: flintmq.QueueManager, fruit: flintmq.Queue) -> None:
    """B222: another selector is another open. The ones that were used last stay."""
    for number in range(HandleCache.SELECTORS_MAX * 3):
        assert fruit.get_or_none(selector=f"weight = {1000 + number}") is None
        assert fruit.get_or_none(selector="weight = 999") is None
    kept = qm._current()._session.handles.selecting
    assert len(kept) == HandleCache.SELECTORS_MAX
    assert ("FRUIT", "weight = 999") in kept
    engine_queue = qm._host.engine.queues["FRUIT"]
    assert engine_queue.opens.input_handles == HandleCache.SELECTORS_MAX


def test_the_handle_of_a_selector_does_not_outlive_its_queue(qm: flintmq.QueueManager, fruit: flintmq.Queue) -> None:
    assert fruit.get(selector="color = 'yellow'").text == "banana"
    fruit.clear()
    qm.mqsc("DELETE QLOCAL(FRUIT)")
    qm.queue("FRUIT", create=True).put("lemon", properties={"color": "yellow"})
    assert fruit.get(selector="color = 'yellow'").text == "lemon"


def test_more_queues_than_handles_are_no_trouble(qm: flintmq.QueueManager) -> None:
    """Handles that are open for speed only give way when MAXHANDS is reached."""
    queues = [qm.queue(f"Q{number}", create=True) for number in range(30)]
    qm.mqsc("ALTER QMGR MAXHANDS(10)")
    for queue in queues:
        queue.put(queue.name)
    assert [queue.get().text for queue in queues] == [queue.name for queue in queues]


def test_selectors_in_asyncio() -> None:
    async def main() -> None:
        async with flintmq.aopen(":memory:") as qm:
            queue = await qm.queue("A", create=True)
            big = await qm.queue("A", selector="n > 1")
            waiting = asyncio.create_task(big.get(wait=PATIENCE))
            await asyncio.sleep(0)
            for number in range(4):
                await queue.put(str(number), properties={"n": number})
            assert (await waiting).text == "2"
            async with qm.transaction():
                assert (await queue.get(selector="n = 0")).text == "0"
            assert [message.text async for message in big.browse()] == ["3"]
            assert [message.text async for message in queue.messages(selector="n < 3")] == ["1"]
            with pytest.raises(flintmq.BadSelector):
                await queue.get(selector="n =")

    asyncio.run(main())
