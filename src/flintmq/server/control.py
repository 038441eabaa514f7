"""The control socket of a running queue manager, for runmqsc, endmqm and the other control commands.

A Unix socket called `control` in the queue manager's directory, for its owner only. A line is a JSON value. The first
is an object with the request:

    {"do": "ping"}                           {"name": "QM1", "pid": 4711, "addresses": [["127.0.0.1", 1414]]}
    {"do": "end", "how": "quiesce"}          {"name": ..., "pid": ...}; or how: "reconnect",
                                             "immediate", "preemptive"
    {"do": "command server", "how": "start"} {"running": true}; or how: "stop", "status"; "reason" if it cannot start
    {"do": "runmqsc", "echo": true, "verify": false, "width": 0}
                                             {"lines": [...]} at once, then for each line of input, a string, again
                                             {"lines": [...], "ended": false}; for null {"lines": [...], "code": 0}
    {"do": "mqsc", "command": "DISPLAY QLOCAL(*)"}
                                             {"rows": [{"QUEUE": "A", ...}], "reason": 0, "problem": ""}: CommandRows
                                             of one command (command/rows.py)
    {"do": "listen", "address": "127.0.0.1", "port": 1414, "backlog": 100}
                                             {"address": ..., "port": ...}; it listens until this connection ends
    {"do": "end listeners"}                  {"ended": 1}: as many of these as there were
    {"do": "turns"}                          {"turns": 17, "long": 0, "longest_ms": 1.2}: of the loop, in CPU time,
                                             since they were last asked for
    {"do": "explain"}                        {"refusals": [...]}: the last ones, as refusals.py has them
    {"do": "dump", "kinds": ["QLOCAL"], "name": "*", "everything": false, "layout": "mqsc"}
                                             {"lines": [...], "more": true} until "more" is false
    {"do": "transactions"}                   {"in doubt": ["5067085..."], "heuristic": {"5067085...": true}}: xids in
                                             hexadecimal; true where the unit was committed by hand
    {"do": "resolve", "xid": "...", "how": "commit"}
                                             {"code": 0}, an XA return code; or how: "back out", "forget"
    anything else                            {"error": "..."}

A socket that nobody listens to is left over from a process that was killed; the next start replaces it.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from flintmq.command.dump import KINDS, LAYOUTS, Dump, dump
from flintmq.command.interpreter import MQSCInterpreter
from flintmq.command.rows import CommandRows, run_steps
from flintmq.command.steps import Steps
from flintmq.host.environment import socket_path
from flintmq.host.instance import Instance
from flintmq.server import in_doubt
from flintmq.server.refusals import to_json

if TYPE_CHECKING:
    from flintmq.server.command_task import CommandTask
    from flintmq.server.hub import Hub
    from flintmq.server.listeners import Listeners, Listening

NAME = "control"
_LINE_MAX = 1024 * 1024
_TIMEOUT_S = 30.0
#: Lines of a dump in one answer: far below _LINE_MAX, however long they are.
_DUMP_LINES = 100
#: Lines of an answer that are encoded at a time.
_LINES_AT_ONCE = 1000
_GONE = "the queue manager has closed the connection"

Reply = dict[str, Any]
T = TypeVar("T")


class NotRunning(Exception):
    """The queue manager does not run as a process of its own."""


# -- the commands' side -----------------------------------------------------------------------------------------------


class Control:
    """A connection to a running queue manager. Raises NotRunning, or OSError if the connection breaks."""

    def __init__(self, instance: Instance) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_TIMEOUT_S)
        try:
            with socket_path(instance.directory, NAME) as path:
                self._socket.connect(path)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            self._socket.close()
            raise NotRunning(instance.name) from error
        self._file = self._socket.makefile("rwb")

    def ask(self, question: object) -> Reply:
        """Send a line and read the answer."""
        try:
            self._file.write(json.dumps(question).encode() + b"\n")
            self._file.flush()
        except BrokenPipeError:  # The commands' own is that of standard output.
            raise ConnectionResetError(_GONE) from None
        return self.read()

    def read(self) -> Reply:
        """Read the next answer of a request that has several. It may have any length: DISPLAY shows every queue."""
        line = self._file.readline()
        if not line:
            raise ConnectionResetError(_GONE)
        reply = json.loads(line)
        if not isinstance(reply, dict):
            raise ConnectionResetError("the queue manager has answered with something else")
        return reply

    def take_your_time(self) -> None:
        """Wait for the next answers without a limit: MOVE QLOCAL may move millions of messages."""
        self._socket.settimeout(None)

    def wait(self) -> None:
        """Wait until the other side closes the connection."""
        self.take_your_time()
        try:
            self._file.readline(_LINE_MAX)
        except OSError:
            return

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):  # Unsent output is tried once more.
            self._file.close()
        self._socket.close()

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def run_session(
    control: Control, lines: Iterable[str], write: Callable[[str], None], *, echo: bool, verify: bool, width: int = 0
) -> int:
    """Run runmqsc over the socket and return its code. `width` is that of the terminal, 0 for the layout of MQ."""
    control.take_your_time()
    _tell(write, control.ask({"do": "runmqsc", "echo": echo, "verify": verify, "width": width}))
    for line in lines:
        reply = control.ask(line)
        _tell(write, reply)
        if reply["ended"]:
            break
    reply = control.ask(None)
    _tell(write, reply)
    return int(reply["code"])


def run_command(control: Control, text: str) -> CommandRows:
    """Run one MQSC command. Raises ConnectionResetError if the queue manager does not support the request."""
    control.take_your_time()
    reply = control.ask({"do": "mqsc", "command": text})
    if "error" in reply:
        raise ConnectionResetError(reply["error"])
    return CommandRows(reply["rows"], reply["reason"], reply["problem"])


def dumped(control: Control, what: Dump) -> list[str]:
    """Return the lines of a dump. Raises ConnectionResetError if the queue manager does not know this kind of dump."""
    question = {"do": "dump", "kinds": what.kinds, "name": what.name, "everything": what.everything}
    reply = control.ask(question | {"layout": what.layout})
    lines: list[str] = []
    while "error" not in reply:
        lines += reply["lines"]
        if not reply["more"]:
            return lines
        reply = control.read()
    raise ConnectionResetError(reply["error"])


def _tell(write: Callable[[str], None], reply: Reply) -> None:
    for line in reply["lines"]:
        write(line)


# -- the queue manager's side -----------------------------------------------------------------------------------------


def listen(instance: Instance, name: str = NAME, backlog: int = 16) -> socket.socket:
    """Return the listening socket. The caller has the queue manager's lock, so an existing path is a leftover."""
    (instance.directory / name).unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX)
    try:
        with socket_path(instance.directory, name) as path:
            made.bind(path)
        os.chmod(instance.directory / name, 0o600)
        made.listen(backlog)
    except BaseException:
        made.close()
        raise
    return made


class ControlServer:
    """Answers on the control socket."""

    def __init__(self, hub: Hub, end: asyncio.Queue[str], listeners: Listeners, commands: CommandTask) -> None:
        self._hub = hub
        self._end = end
        self._listeners = listeners
        self._commands = commands
        #: The connections of runmqlsr, whose listeners end with them.
        self._watching: dict[Listening, asyncio.StreamWriter] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        try:
            await self._serve(reader, writer)
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass  # It is gone, or speaks another language.
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _read(reader)
        wanted = request.get("do") if isinstance(request, dict) else None
        name = self._hub.engine.name
        if wanted == "ping":
            await _write(writer, {"name": name, "pid": os.getpid(), "addresses": self._listeners.addresses})
        elif wanted == "end" and request.get("how") in ("quiesce", "reconnect", "immediate", "preemptive"):
            await _write(writer, {"name": name, "pid": os.getpid()})
            self._end.put_nowait(request["how"])
        elif wanted == "command server" and request.get("how") in ("start", "stop", "status"):
            await _write(writer, self._command_server(request["how"]))
        elif wanted == "turns":
            await _write(writer, self._turns())
        elif wanted == "explain":
            await _write(writer, {"refusals": to_json(self._hub.engine.refusals)})
        elif wanted == "runmqsc":
            await self._runmqsc(reader, writer, request)
        elif wanted == "mqsc":
            await self._mqsc(writer, str(request.get("command", "")))
        elif wanted == "dump" and _is_dump(request):
            await self._dump(writer, request)
        elif wanted == "transactions":
            await _write(writer, self._under_lock(lambda: in_doubt.to_json(self._hub.host)))
        elif wanted == "resolve" and in_doubt.is_request(request):
            await _write(writer, {"code": await self._resolve(bytes.fromhex(request["xid"]), request["how"])})
        elif wanted == "listen" and _is_address(request):
            await self._listen(reader, writer, request)
        elif wanted == "end listeners":
            watching, self._watching = self._watching, {}
            for listening, watcher in watching.items():
                self._listeners.stop_unnamed(listening)
                watcher.close()
            await _write(writer, {"ended": len(watching)})
        else:
            await _write(writer, {"error": f"{request!r} is not a request"})

    def _turns(self) -> Reply:
        """Return the figures of turns, and count from 0 again, in metrics as well."""
        hub = self._hub
        figures = {"turns": hub.turns_count, "long": hub.long_turns, "longest_ms": hub.longest_turn_s * 1000}
        hub.begin()
        return figures

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: Reply) -> None:
        """Listen for runmqlsr as long as it stays connected."""
        listening = self._listeners.start_unnamed(request["address"], request["port"], request["backlog"])
        if isinstance(listening, str):
            await _write(writer, {"error": listening})
            return
        self._watching[listening] = writer
        try:
            address, port = listening.address
            await _write(writer, {"address": address, "port": port})
            await reader.read()
        finally:
            self._watching.pop(listening, None)
            self._listeners.stop_unnamed(listening)

    def _command_server(self, how: str) -> Reply:
        reason = 0
        if how == "start":
            reason = self._commands.start()
        elif how == "stop":
            self._commands.stop()
        return {"running": self._commands.running, "reason": reason}

    async def _runmqsc(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: Reply) -> None:
        said: list[str] = []
        admin = self._hub.host.admin
        echo, verify, width = bool(request.get("echo")), bool(request.get("verify")), request.get("width")
        width = width if isinstance(width, int) else 0
        session = MQSCInterpreter(admin, said.append, echo=echo, verify=verify, width=width)
        session.banner()
        await _write(writer, {"lines": said})
        while True:
            line = await _read(reader)
            said.clear()
            if isinstance(line, str):
                await self._command(session.feed_steps(line))
                await _write_list(writer, "lines", said, {"ended": session.ended})
            else:
                code = await self._command(session.finish_steps())
                await _write_list(writer, "lines", said, {"code": code})
                return

    async def _mqsc(self, writer: asyncio.StreamWriter, text: str) -> None:
        """Run one command and write its rows."""
        found = await self._command(run_steps(text, self._hub.host.admin))
        await _write_list(writer, "rows", found.rows, {"reason": found.reason, "problem": found.problem})

    async def _command(self, steps: Steps[T]) -> T:
        """Run the slices of a line, each in a turn of its own, and return its result when that is durable."""
        host = self._hub.host
        results: list[T] = []

        def step() -> int:
            try:
                next(steps)
                return 0
            except StopIteration as end:
                results.append(end.value)
            host.admin.force = host.log.end
            return host.after_command()

        def first_step() -> int:
            host.close_idle_handles()
            return step()

        force = self._under_lock(first_step)
        while not results:
            await asyncio.sleep(0)  # Clients have their turns between two slices.
            force = self._under_lock(step)
        await self._hub.durable(force)
        return results[0]

    async def _dump(self, writer: asyncio.StreamWriter, request: Reply) -> None:
        """Send the definitions for dmpmqcfg, all as of one moment."""
        what = Dump(tuple(request["kinds"]), request["name"], request["everything"], request["layout"])
        lines = self._under_lock(lambda: list(dump(self._hub.host.admin, what)))
        for start in range(0, max(1, len(lines)), _DUMP_LINES):
            rest = start + _DUMP_LINES < len(lines)
            await _write(writer, {"lines": lines[start : start + _DUMP_LINES], "more": rest})

    async def _resolve(self, xid: bytes, how: str) -> int:
        """Resolve a unit for rsvmqtrn, and return when the decision is durable."""
        code, force = self._under_lock(lambda: in_doubt.resolve(self._hub.host, xid, how))
        await self._hub.durable(force)
        return code

    def _under_lock(self, step: Callable[[], T]) -> T:
        """Call `step` in a turn of its own and return its result."""
        results: list[T] = []
        self._hub.run(lambda: results.append(step()))
        if not results:
            raise ConnectionResetError("the queue manager has stopped")
        return results[0]


async def _write_list(writer: asyncio.StreamWriter, key: str, values: Sequence[object], rest: Reply) -> None:
    """Write {key: values, **rest}, some values at a time: to encode all of them can take too long for one turn."""
    writer.write(f'{{"{key}": ['.encode())
    for start in range(0, len(values), _LINES_AT_ONCE):
        part = json.dumps(values[start : start + _LINES_AT_ONCE])[1:-1]
        writer.write((", " if start else "").encode() + part.encode())
        await writer.drain()
        await asyncio.sleep(0)
    writer.write(b"], " + json.dumps(rest)[1:].encode() + b"\n")
    await writer.drain()


def _is_dump(request: Reply) -> bool:
    kinds, name = request.get("kinds"), request.get("name")
    known = isinstance(kinds, list) and all(kind in KINDS for kind in kinds) and request.get("layout") in LAYOUTS
    return known and isinstance(name, str) and isinstance(request.get("everything"), bool)


def _is_address(request: Reply) -> bool:
    numbers = (request.get("port"), request.get("backlog"))
    return isinstance(request.get("address"), str) and all(isinstance(number, int) for number in numbers)


async def _read(reader: asyncio.StreamReader) -> Any:
    line = await reader.readline()
    if not line:
        raise ConnectionResetError("hung up")
    return json.loads(line)


async def _write(writer: asyncio.StreamWriter, reply: Reply) -> None:
    writer.write(json.dumps(reply).encode() + b"\n")
    await writer.drain()
