"""What is long is done in turns of its own, and others have their turns in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, cast

import flintmq
from flintmq.command import display, pcf_execute
from flintmq.command.command_server import COMMAND_QUEUE
from flintmq.command.execute import execute
from flintmq.command.steps import RESPONSES_AT_ONCE
from flintmq.host import lifecycle
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import MQCFST, PCFMessage
from flintmq.qmgr.objects import CLEARED_AT_ONCE
from flintmq.server.command_task import CommandTask
from flintmq.server.control import ControlServer
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.mq_channels import ServedChannels
from flintmq.wire.mq.terms import Gatekeeper

COUNT = 320


def serve(body: Callable[[Hub, flintmq.QueueManager], Awaitable[None]]) -> None:
    """A queue manager in memory that takes turns, and an application in the same process."""

    async def go() -> None:
        host = ServingHost(*lifecycle.create_in_memory("QM1"), None)
        qm = flintmq.QueueManager(host, "test")
        hub = Hub(host, asyncio.get_running_loop())
        ServedChannels(hub, Gatekeeper())
        await body(hub, qm)
        hub.close()
        host.close()

    asyncio.run(go())


class Others:
    """Somebody else who wants a turn again and again."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._wanted = True
        self.turns = 0
        self._next()

    def _next(self) -> None:
        if self._wanted:
            self._hub.run(self._turn)
            self._hub.loop.call_soon(self._next)

    def _turn(self) -> None:
        self.turns += 1

    def stop(self) -> int:
        self._wanted = False
        return self.turns


class Writer:
    """The writing half of a connection: keeps what was written, and how long the longest piece was."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_deep_queue_that_is_deleted_is_emptied_in_turns_of_its_own() -> None:
    """(issue 14, item 3)"""

    async def body(hub: Hub, qm: flintmq.QueueManager) -> None:
        queue = qm.queue("DEEP", create=True)
        for _ in range(3 * CLEARED_AT_ONCE):
            queue.put("x")
        deep = hub.engine.queues["DEEP"]
        before, others = hub.turns_count, Others(hub)

        def delete() -> None:
            hub.host.close_idle_handles()
            assert hub.host.admin.delete("QLOCAL", "DEEP", True) == 0

        hub.run(delete)
        assert deep.depth == 3 * CLEARED_AT_ONCE and hub.engine.clearing == [deep]
        while hub.engine.clearing:
            await asyncio.sleep(0)
        assert deep.depth == 0
        own = hub.turns_count - before - others.stop() - 1
        assert own >= 3 and others.turns >= 3
        hub.engine.check()

    serve(body)


def test_a_display_of_many_queues_takes_many_turns_and_its_answer_is_one_line() -> None:
    """DISPLAY QLOCAL(*) ALL of 750 queues was one turn of 86 ms. (issue 14, item 3)"""

    async def body(hub: Hub, qm: flintmq.QueueManager) -> None:
        for number in range(COUNT):
            qm.queue(f"MANY.{number}", create=True)
        expected = display.render(execute("DISPLAY QLOCAL(*) ALL", hub.host.admin))
        control = ControlServer(hub, asyncio.Queue(), cast(Any, None), cast(Any, None))
        reader, writer = asyncio.StreamReader(), Writer()
        for line in ({"do": "runmqsc"}, "DISPLAY QLOCAL(*) ALL", None):
            reader.feed_data(json.dumps(line).encode() + b"\n")
        reader.feed_eof()
        others = Others(hub)
        await control.serve(reader, cast(Any, writer))
        assert others.stop() > 2 * (COUNT // RESPONSES_AT_ONCE)
        _, shown, closing = [json.loads(line) for line in b"".join(writer.pieces).splitlines()]
        assert shown == {"lines": expected, "ended": False} and closing["code"] == 0
        assert len(closing["lines"]) == 3
        assert max(map(len, writer.pieces)) < sum(map(len, writer.pieces)) / 5

    serve(body)


def test_the_command_server_has_others_take_turns_while_it_carries_out_a_long_command() -> None:
    async def body(hub: Hub, qm: flintmq.QueueManager) -> None:
        replies = qm.queue("REPLIES", create=True)
        for number in range(COUNT):
            qm.queue(f"MANY.{number}", create=True)
        message = PCFMessage()
        message.header.command = pcf.MQCMD_INQUIRE_Q
        message.parameters = [MQCFST(mq.MQCA_Q_NAME, "*")]
        expected = len(pcf_execute.run_message(message, hub.host.admin).responses)
        commands, others = CommandTask(hub), Others(hub)
        assert commands.start() == 0
        qm.queue(COMMAND_QUEUE).put(message.pack(), format="MQADMIN", reply_to="REPLIES")
        while replies.depth < expected or qm.queue(COMMAND_QUEUE).depth:
            await asyncio.sleep(0)
        assert others.stop() > 2 * (COUNT // RESPONSES_AT_ONCE)
        await commands.close()

    serve(body)
