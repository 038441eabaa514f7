"""The answers to a request that is put and got for together go out together; nothing else is kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

import flintmq
from tests.client.remote.serving import CHANNEL, QUEUE, Serving
from tests.waiting import PATIENCE


def chunks_of_requests(serving: Serving, count: int) -> list[list[int]]:
    """How many answers each read of the client has brought, request by request."""

    async def main() -> list[list[int]]:
        found: list[list[int]] = []
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=serving.conn) as qm:
            queue = await qm.queue(QUEUE)
            assert (await queue.request("0", timeout=PATIENCE)).text == "0"  # It is asked whether this can be done.
            (line,) = qm._free
            received, session = line.wire.data_received, line.wire.session

            def counted(data: bytes) -> None:
                reads, answers = found[-1], session.answers
                before = len(answers)
                received(data)  # The task goes on in it, and may make the next request.
                reads.append(len(answers) - before)

            line.wire.data_received = counted  # type: ignore[method-assign]
            for number in range(1, count + 1):
                found.append([])
                assert (await queue.request(str(number), timeout=PATIENCE)).text == str(number)
        return found

    return asyncio.run(asyncio.wait_for(main(), 2 * PATIENCE))


@pytest.fixture
def echo(serving: Serving) -> Iterator[None]:
    """Answers requests."""
    ending = threading.Event()

    def answer() -> None:
        with serving.connect() as qm:
            queue = qm.queue(QUEUE)
            while not ending.is_set():
                request = queue.get_or_none(wait=0.1)
                if request is not None:
                    qm.queue(request.reply_to).put(request.data, correlation_id=request.message_id)

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    ending.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_both_answers_come_in_one_read(serving: Serving, echo: None) -> None:
    assert [[each for each in reads if each] for reads in chunks_of_requests(serving, 5)] == [[2]] * 5


def test_a_persistent_request_is_answered(serving: Serving, echo: None) -> None:
    """Its put is not answered before the log is durable, and then waits for nothing."""
    with serving.connect() as qm:
        queue = qm.queue(QUEUE)
        for number in range(5):
            assert queue.request(str(number), timeout=PATIENCE, persistent=True).text == str(number)


def test_a_request_that_nobody_answers_ends(serving: Serving) -> None:
    with serving.connect() as qm:
        queue = qm.queue(QUEUE)
        for _ in range(2):
            with pytest.raises(flintmq.NoMessageAvailable):
                queue.request("anybody?", timeout=0.2)


def test_a_request_that_is_refused_is_refused_at_once(serving: Serving) -> None:
    with serving.connect() as qm:
        queue = qm.queue(QUEUE)
        with pytest.raises(flintmq.NoMessageAvailable):
            queue.request("anybody?", timeout=0.1)
        serving.qm.mqsc(f"ALTER QLOCAL({QUEUE}) PUT(DISABLED)")
        with pytest.raises(flintmq.PutInhibited):
            queue.request("now?", timeout=PATIENCE)
