"""runmqsc -c: a session with a queue manager that is reached as a client reaches it.

Commands go to its command server, whatever kind of queue manager it is; with -v they are checked here and go nowhere.
"""

from __future__ import annotations

from collections.abc import Callable

import flintmq
from flintmq.command.interpreter import CommandResult, MQSCInterpreter
from flintmq.command.steps import Steps
from flintmq.mqi.command_text import CommandText


class ClientInterpreter(MQSCInterpreter):
    """One run of runmqsc over a connection."""

    def __init__(
        self, qm: flintmq.RemoteQueueManager, write: Callable[[str], None], *, echo: bool, verify: bool
    ) -> None:
        super().__init__(None, write, name=qm.name, echo=echo, verify=verify)
        self._qm = qm

    def run_command(self, command: CommandText) -> Steps[CommandResult]:
        """Ask the command server."""
        if self.verify or command.problem:
            return (yield from super().run_command(command))
        try:
            reply = self._qm.mqsc(command.text, check=False)
        except flintmq.NotConnected as error:
            return CommandResult([f"AMQ8146E: {error}"], failed=True, lost=True)
        except flintmq.NotAuthorized as error:
            return CommandResult([f"AMQ8135E: {error}"], failed=True)
        except flintmq.MQError as error:
            return CommandResult([f"AMQ8416E: {error}"], failed=True)
        lines = reply.text.split("\n")
        return CommandResult(lines, any(line.startswith("AMQ8405") for line in lines), reply.reason != 0)
