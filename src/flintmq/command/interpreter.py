"""runmqsc: read commands from lines, run each, print echo, replies and the closing summary.

    FlintMQ MQSC, command level 942.
    Starting MQSC for queue manager QM1.


         1 : DEFINE QLOCAL(A) +
           : DESCR('the rest of command 1')
    AMQ8006I: Queue created.
    One MQSC command read.
    No commands have a syntax error.
    All valid MQSC commands were processed.

    return code   0   every command succeeded
                 10   some command failed or was not understood
                 20   commands could not be run at all

A command that shows much takes several slices (steps.py): a host that takes turns uses `feed_steps`, `finish_steps`.
There is no prompt: a terminal front end prints its own before each line it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flintmq.catalogue.limits import COMMAND_LEVEL
from flintmq.command.administration import Administration
from flintmq.command.display import render_steps
from flintmq.command.execute import execute_steps
from flintmq.command.form import LEAVING
from flintmq.command.steps import LINES_AT_ONCE, Steps, to_the_end
from flintmq.mqi.command_text import CommandReader, CommandText
from flintmq.mqi.reason import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_NOT_AVAILABLE

ALL_WELL = 0
SOME_FAILED = 10
COULD_NOT_RUN = 20


@dataclass(frozen=True)
class CommandResult:
    """The lines that one command printed, and how it ended."""

    lines: list[str]
    syntax_error: bool = False
    failed: bool = False
    #: The queue manager is no longer there.
    lost: bool = False


class MQSCInterpreter:
    """One run of runmqsc against one queue manager. `write` gets each line of output without its line end.

    Without an `administration` the queue manager is elsewhere: a subclass overrides `said`.
    """

    def __init__(
        self,
        administration: Administration | None,
        write: Callable[[str], None],
        *,
        name: str = "",
        echo: bool = True,
        verify: bool = False,
        width: int = 0,
    ) -> None:
        #: Of the terminal, 0 for the layout of MQ.
        self.width = width
        self.administration = administration
        self.name = name if administration is None else administration.name
        self.write = write
        #: Off for `-e`.
        self.echo = echo
        #: On for `-v`: check commands and do not run them.
        self.verify = verify
        self.commands = 0
        self.syntax_errors = 0
        self.failures = 0
        self._reader = CommandReader()
        self._ended = False
        self._lost = False

    def run(self, lines: Iterable[str]) -> int:
        """Run all commands in `lines`; the return code of runmqsc."""
        self.banner()
        for line in lines:
            self.feed(line)
            if self._ended:
                break
        return self.finish()

    def banner(self) -> None:
        """Print the lines above the first command."""
        self.write(f"FlintMQ MQSC, command level {COMMAND_LEVEL}.")
        self.write(f"Starting MQSC for queue manager {self.name}.")
        self.write("")
        self.write("")

    @property
    def ended(self) -> bool:
        """Return whether END, or the loss of the queue manager, has ended the session."""
        return self._ended

    def feed(self, line: str) -> None:
        """Take one line of input, and run the commands that it completes."""
        to_the_end(self.feed_steps(line))

    def feed_steps(self, line: str) -> Steps[None]:
        """Take one line of input, and run in slices the commands that it completes."""
        line = line.rstrip("\r\n")
        if self.echo:
            begins = bool(line.strip()) and not line.startswith("*") and not self._reader.continuing
            self.write(f"{self.commands + 1:6d} : {line}" if begins else f"       : {line}")
        for command in self._reader.feed(line):
            if not self._ended:
                yield from self._run(command)

    def finish(self, summarise: bool = True) -> int:
        """Run the command that the end of input completes, print the summary, and return the return code."""
        return to_the_end(self.finish_steps(summarise))

    def finish_steps(self, summarise: bool = True) -> Steps[int]:
        """Finish in slices, as `finish` does at once."""
        if not self._ended:
            for command in self._reader.finish():
                yield from self._run(command)
        if summarise:
            for line in summary(self.commands, self.syntax_errors, self.failures):
                self.write(line)
        if self._lost:
            return COULD_NOT_RUN
        return SOME_FAILED if self.syntax_errors or self.failures else ALL_WELL

    def _run(self, command: CommandText) -> Steps[None]:
        if command.text.strip().upper() in LEAVING and not command.problem:
            self._ended = True
            return
        self.commands += 1
        said = yield from self.run_command(command)
        for number, line in enumerate(said.lines, 1):
            self.write(line)
            if number % LINES_AT_ONCE == 0:
                yield
        if said.syntax_error:
            self.syntax_errors += 1
        elif said.failed:
            self.failures += 1
        if said.lost:
            self._ended = self._lost = True

    def run_command(self, command: CommandText) -> Steps[CommandResult]:
        """Run one command, or only check it."""
        reply = yield from execute_steps(command, None if self.verify else self.administration)
        lost = reply.reason in (MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_NOT_AVAILABLE)
        lines = yield from render_steps(reply.take(), self.width)
        return CommandResult(lines, reply.syntax_error, reply.failed, lost)


def summary(commands: int, syntax_errors: int, failures: int) -> list[str]:
    """Return the three closing lines."""
    return [
        _counted(commands, "No MQSC commands read.", "One MQSC command read.", "{} MQSC commands read."),
        _counted(
            syntax_errors,
            "No commands have a syntax error.",
            "One command has a syntax error.",
            "{} commands have a syntax error.",
        ),
        _counted(
            failures,
            "All valid MQSC commands were processed.",
            "One valid MQSC command could not be processed.",
            "{} valid MQSC commands could not be processed.",
        ),
    ]


def _counted(count: int, none: str, one: str, many: str) -> str:
    return none if count == 0 else one if count == 1 else many.format(count)


def run_script(administration: Administration, lines: Iterable[str], write: Callable[[str], None]) -> int:
    """Run commands without banner, echo and summary, as crtmqm does with the files of `-ic`; the return code."""
    session = MQSCInterpreter(administration, write, echo=False)
    for line in lines:
        session.feed(line)
        if session.ended:
            break
    return session.finish(summarise=False)
