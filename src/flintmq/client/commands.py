"""MQSC through the Python API, and queues made by keyword arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from flintmq.client.explain import refusal
from flintmq.client.lazy import lazy
from flintmq.mqi.call_errors import CommandFailed, error_of
from flintmq.mqi.object_name import is_name
from flintmq.mqi.pcf_constants import MQRCCF_OBJECT_ALREADY_EXISTS
from flintmq.mqi.reason import MQRC_OBJECT_NAME_ERROR, MQRC_UNKNOWN_OBJECT_NAME

if TYPE_CHECKING:
    from flintmq.catalogue import attribute as kinds
    from flintmq.catalogue import attributes as tables
    from flintmq.catalogue.attribute import Value
    from flintmq.command.rows import CommandRows
    from flintmq.host.host import Host
else:
    kinds = lazy("flintmq.catalogue.attribute")
    tables = lazy("flintmq.catalogue.attributes")

#: Commands that need objects closed: cached handles are closed before them.
_NEED_OBJECTS_CLOSED = ("ALT", "DEF", "DEL", "CLE", "MOV")
_DEFAULT_QUEUE = "SYSTEM.DEFAULT.LOCAL.QUEUE"


class CommandReply:
    """Reply to MQSC commands: `text` as runmqsc prints it, `rows` as dictionaries from keyword to value."""

    def __init__(self, text: str = "", rows: list[dict[str, Value]] | None = None, reason: int = 0) -> None:
        self.text = text
        self.rows = [] if rows is None else rows
        #: 0, or the reason of the first command that failed.
        self.reason = reason

    def __repr__(self) -> str:
        return f"CommandReply(text={self.text!r}, rows={self.rows!r}, reason={self.reason!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CommandReply):
            return NotImplemented
        return (self.text, self.rows, self.reason) == (other.text, other.rows, other.reason)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.text


def run(host: Host, text: str, check: bool) -> CommandReply:
    """Run MQSC commands, one or a whole script. With `check` raise CommandFailed for the first that fails."""
    from flintmq.command.display import render
    from flintmq.command.execute import execute
    from flintmq.mqi.command_text import COMMAND_LENGTH_MAX, CommandReader

    reader = CommandReader(COMMAND_LENGTH_MAX)
    commands = [command for line in text.split("\n") for command in reader.feed(line)]
    commands += reader.finish()
    reply = CommandReply()
    lines: list[str] = []
    for command in commands:
        with host.call:
            if command.text.strip()[:3].upper() in _NEED_OBJECTS_CLOSED:
                host.close_idle_handles()
            answer = execute(command, host.admin)
            force = host.after_command()
        host.durable(force)
        lines += render(answer)
        reply.rows += [{item.keyword: item.value for item in each.items} for each in answer.responses if each.items]
        if answer.failed:
            reply.reason = reply.reason or answer.reason
            if check:
                raise CommandFailed("\n".join(render(answer)), answer.reason)
    reply.text = "\n".join(lines)
    return reply


def run_rows(host: Host, text: str) -> CommandRows:
    """Run one MQSC command and return the attributes that it shows as rows."""
    from flintmq.command.rows import run as run_command

    with host.call:
        found = run_command(text, host.admin)
        force = host.after_command()
    host.durable(force)
    return found


def run_session(
    host: Host,
    lines: Iterable[str],
    write: Callable[[str], None],
    *,
    echo: bool = True,
    verify: bool = False,
    width: int = 0,
) -> int:
    """Run a session of runmqsc: banner, echo, replies, summary. Return its return code.

    A reply is written when the changes of its command are durable. `width` is that of the terminal, 0 for the layout of
    MQ.
    """
    from flintmq.command.interpreter import MQSCInterpreter

    said: list[str] = []
    session = MQSCInterpreter(host.admin, said.append, echo=echo, verify=verify, width=width)

    def tell() -> None:
        host.durable(_after_commands(host))
        for line in said:
            write(line)
        said.clear()

    session.banner()
    tell()
    for line in lines:
        with host.call:
            session.feed(line)
        tell()
        if session.ended:
            break
    with host.call:
        code = session.finish()
    tell()
    return code


def run_quietly(host: Host, lines: Iterable[str]) -> list[str]:
    """Run a script without banner and echo, as crtmqm -ic does. Return the messages of failed commands."""
    from flintmq.command.interpreter import run_script

    said: list[str] = []
    with host.call:
        run_script(host.admin, lines, said.append)
    host.durable(_after_commands(host))
    return [line for line in said if line[:3] in ("AMQ", "CSQ") and line[7:9] in ("E:", "S:", "W:")]


def _after_commands(host: Host) -> int:
    """Settle after several commands. Return the log position that covers all of them."""
    with host.call:
        host.admin.force = host.log.end
        return host.after_command()


def attribute_values(kind: str, given: dict[str, object]) -> dict[str, Value]:
    """Convert keyword arguments to attributes: `maxdepth=10`, `share=False`, `defpsist="YES"`.

    Raise ValueError for an argument that is no valid attribute.
    """
    values: dict[str, Value] = {}
    for name, value in given.items():
        attribute = tables.find_attribute(kind, name.upper())
        if attribute is None or attribute.read_only:
            raise ValueError(f"{name} is not an attribute of {kind} that can be set")
        if isinstance(value, bool):
            if attribute.kind == kinds.FLAG:
                value = attribute.keyword if value else "NO" + attribute.keyword
            else:
                value = "YES" if value else "NO"
        if not isinstance(value, str | int | list):
            raise ValueError(f"{name} takes text or a number, not {type(value).__name__}")
        try:
            values[attribute.keyword] = kinds.check_value(attribute, value)
        except kinds.ValueRejected as error:
            raise ValueError(str(error)) from None
    return values


def create_queue(host: Host, name: str, given: dict[str, object]) -> None:
    """Define a local queue, unless a queue of that name exists."""
    if not isinstance(name, str):
        raise TypeError(f"a queue name is a str, not {type(name).__name__}")
    if not is_name(name):
        raise error_of(
            MQRC_OBJECT_NAME_ERROR, f"{name!r} is not a queue name: it has 1 to 48 letters, digits and . / _ %"
        )
    values = attribute_values("QLOCAL", given)
    with host.call:
        catalogue = host.engine.catalogue
        if catalogue.find("QUEUE", name) is not None:
            return
        attributes = tables.settable_defaults("QLOCAL")
        model = catalogue.find("QLOCAL", _DEFAULT_QUEUE)
        if model is not None:
            attributes = {keyword: model.attributes[keyword] for keyword in attributes}
        attributes.update(values)
        reason = host.admin.define("QLOCAL", name, attributes, False)
        force = host.after_command()
    if reason and reason != MQRCCF_OBJECT_ALREADY_EXISTS:
        raise error_of(reason)
    host.durable(force)


def check_queue(host: Host, name: str) -> None:
    """Raise UnknownObject if the name resolves to no queue."""
    if not isinstance(name, str):
        raise TypeError(f"a queue name is a str, not {type(name).__name__}")
    with host.call:
        reason = host.engine.catalogue.resolve(name).reason
        if reason:
            raise refusal(host.engine, reason, name)


def clear_queue(host: Host, name: str) -> None:
    """Remove all messages of a local queue (CLEAR QLOCAL)."""
    with host.call:
        host.close_idle_handles()
        reason = host.admin.clear(name)
        force = host.after_command()
        if reason:
            raise refusal(host.engine, reason, name, host.engine.queues.get(name))
    host.durable(force)


def depth(host: Host, name: str) -> int:
    """Return CURDEPTH of the local queue that the name resolves to."""
    with host.call:
        resolution = host.engine.catalogue.resolve(name)
        queue = host.engine.queues.get(resolution.queue.name) if resolution.queue is not None else None
        if queue is None:
            raise refusal(host.engine, resolution.reason or MQRC_UNKNOWN_OBJECT_NAME, name)
        return queue.current_depth()
