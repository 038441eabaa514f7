"""The command server of an embedded queue manager: a thread that drives it (command/command_server.py).

It exists only on request: `flintmq.open(..., command_server=True)`. It sleeps until a command arrives, and ends with
the queue manager.
"""

from __future__ import annotations

import threading
import weakref

from flintmq.command.command_server import CommandServer, Work
from flintmq.host.host import Host
from flintmq.mqi.call_errors import MQError


class CommandThread:
    """Runs PCF commands in a thread."""

    def __init__(self, host: Host) -> None:
        self._host = weakref.ref(host)
        self._woken = threading.Event()
        self._server = CommandServer(host.engine, host.admin)
        with host.call:
            self._server.start()
            host.settle(host.housekeeper())
        threading.Thread(target=self._run, name=f"flintmq commands {host.engine.name}", daemon=True).start()

    def _run(self) -> None:
        while True:
            host = self._host()
            if host is None or host.state:
                return
            try:
                goes_on = self._turn(host)
            except (MQError, OSError):
                return  # Stopped by another call, or by this one: host.fail has written why.
            del host
            if not goes_on:
                return
            self._woken.wait()
            self._woken.clear()

    def _turn(self, host: Host) -> bool:
        """Run all commands on the command queue. Return False when the command server has ended."""
        while True:
            with host.call:
                work = self._server.take()
                if work is None:
                    connection = self._server.connection
                    if connection is not None:
                        host.parked[connection.connection_id] = self._woken.set
                    host.settle(host.housekeeper())
                    return connection is not None
            self._carry_out(host, work)

    def _carry_out(self, host: Host, work: Work) -> None:
        with host.call:
            host.close_idle_handles()
            force = self._server.run(work)
            host.settle(host.housekeeper())
        while not work.done:
            with host.call:
                force = self._server.run(work)
                host.settle(host.housekeeper())
        host.durable(force)
        while not work.answered:
            with host.call:
                self._server.answer(work)
                host.settle(host.housekeeper())
