"""Publish/subscribe in asyncio."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import flintmq
from tests.waiting import PATIENCE


def test_publications_come_to_those_who_wait_and_iterate() -> None:
    async def main() -> None:
        async with flintmq.aopen(":memory:") as qm, qm.subscribe("prices/#") as prices:
            assert prices.topic == "prices/#"
            waiting = asyncio.create_task(prices.get(wait=PATIENCE))
            await asyncio.sleep(0)
            await qm.topic("prices/gold").publish("1811", properties={"unit": "oz"})
            message = await waiting
            assert (message.topic, message.text, message.properties["unit"]) == ("prices/gold", "1811", "oz")
            for text in ("a", "b", "end"):
                await qm.topic("prices").publish(text)
            assert [each.text async for each in prices.browse()] == ["a", "b", "end"]
            seen = []
            async for message in prices:
                if message.text == "end":
                    break
                seen.append(message.text)
            assert seen == ["a", "b"]
            assert await prices.get_or_none() is None

    asyncio.run(main())


def test_publishing_and_getting_belong_to_the_transaction_of_the_task() -> None:
    async def main() -> None:
        async with flintmq.aopen(":memory:") as qm, qm.subscribe("t") as subscription:
            with pytest.raises(KeyError):
                async with qm.transaction():
                    await qm.topic("t").publish("no")
                    raise KeyError
            async with qm.transaction():
                await qm.topic("t").publish("its own")
                assert await subscription.queue.inquire_depth() == 1
                assert (await subscription.get()).text == "its own"  # A unit of work sees what it has put.
                await qm.topic("t").publish("yes")
                assert await subscription.queue.inquire_depth() == 1
            with pytest.raises(KeyError):
                async with qm.transaction():
                    assert (await subscription.get()).text == "yes"
                    raise KeyError
            assert (await subscription.get()).backout_count == 1

    asyncio.run(main())


def test_retained_on_request_and_selected() -> None:
    async def main() -> None:
        async with flintmq.aopen(":memory:") as qm:
            await qm.topic("t").publish("1", retain=True, properties={"n": 1})
            subscription = await qm.subscribe("t", on_request=True, selector="n = 1")
            assert await subscription.request() == 1
            assert [message.text async for message in subscription.messages()] == ["1"]
            await subscription.close()
            await subscription.close()
            with pytest.raises(flintmq.BadSelector):
                await qm.subscribe("t", selector="n = =")

    asyncio.run(main())


def test_a_durable_subscription_waits_for_the_next_time(tmp_path: Path) -> None:
    async def main() -> None:
        place = tmp_path / "QM1"
        async with flintmq.aopen(place) as qm:
            async with qm.subscribe("t", durable_name="S"):
                pass
            await qm.topic("t").publish("x", persistent=True)
        async with flintmq.aopen(place) as qm:
            async with qm.subscribe("t", durable_name="S") as subscription:
                assert (await subscription.get(wait=PATIENCE)).text == "x"
                await subscription.remove()
            assert not qm._host.engine.subscriptions.everything()

    asyncio.run(main())


def test_leaving_the_queue_manager_first_is_no_error() -> None:
    async def main() -> None:
        qm = await flintmq.aopen(":memory:")
        async with qm.subscribe("t") as subscription:
            await qm.close()
            with pytest.raises(flintmq.NotConnected):
                await subscription.get()

    asyncio.run(main())
