"""The command server of a queue manager process: a task of the loop that drives it (command/command_server.py).

SCMDSERV(QMGR)   it starts with the queue manager
strmqcsv         start it now          endmqcsv   take no more commands          dspmqcsv   does it run?
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from flintmq.command.command_server import CommandServer, Work
from flintmq.server.hub import Hub

Result = TypeVar("Result")


class CommandTask:
    """Starts and ends the command server; in between, carries out commands."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._server = CommandServer(hub.engine, hub.host.admin)
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        return self._server.running

    def start(self) -> int:
        """Start the command server. Return 0 or the reason code of a failure."""
        reason = self._call(self._server.start)
        if not reason and (self._task is None or self._task.done()):
            self._task = self._hub.loop.create_task(self._run())
        return reason or 0

    def stop(self) -> None:
        """Stop the command server. A command that is under way is backed out, and runs after the next start."""
        self._call(self._server.stop)
        self._woken.set()

    async def close(self) -> None:
        """End the command server, since the queue manager ends."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            work = self._call(self._take)
            if work is not None:
                await self._carry_out(work)
            elif self._server.running and not self._hub.host.state:
                await self._woken.wait()
            else:
                return

    def _take(self) -> Work | None:
        work = self._server.take()
        connection = self._server.connection
        if work is None and connection is not None:
            self._hub.host.parked[connection.connection_id] = self._wake
        return work

    def _wake(self) -> None:
        """Wake the task. Called under the lock, also by the timer's thread."""
        self._hub.loop.call_soon_threadsafe(self._woken.set)

    async def _carry_out(self, work: Work) -> None:
        def run() -> int:
            if work.steps is None:
                self._hub.host.close_idle_handles()
            return self._server.run(work)

        force = self._call(run) or 0
        while not work.done and not self._hub.host.state:
            await asyncio.sleep(0)  # Clients have their turns between two slices.
            force = self._call(run) or 0
        try:
            await self._hub.durable(force)
        except ConnectionResetError:
            return  # The queue manager has stopped; the command is on its queue after the next start.
        while not work.answered and not self._hub.host.state:
            self._call(lambda: self._server.answer(work))
            await asyncio.sleep(0)

    def _call(self, step: Callable[[], Result]) -> Result | None:
        """Do `step` in a turn of the hub and return its result; None if the queue manager has stopped."""
        results: list[Result] = []
        self._hub.run(lambda: results.append(step()))
        return results[0] if results else None
