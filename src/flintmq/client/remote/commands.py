"""MQSC over a channel: commands are sent to the command server of the queue manager, as steps.

A command is a PCF message Escape on SYSTEM.ADMIN.COMMAND.QUEUE, with the text of the command in it. The replies come to
a temporary dynamic queue, each with a piece of text as runmqsc would print it; the last one is marked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flintmq.client.commands import CommandReply, attribute_values
from flintmq.client.message import Message
from flintmq.client.remote.queue_steps import QueueSteps
from flintmq.client.remote.steps import RemoteHandle, Steps
from flintmq.mqi.call_errors import CommandFailed, MQError, NoMessageAvailable, UnknownObject, error_of
from flintmq.mqi.constants import (
    MQGMO_CONVERT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQOO_INPUT_EXCLUSIVE,
    MQPMO_NO_SYNCPOINT,
)
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_name import is_name
from flintmq.mqi.od import MQOD
from flintmq.mqi.pcf import MQCFH, MQCFIN, MQCFST, PCFMessage, parse
from flintmq.mqi.pcf_constants import MQRCCF_COMMAND_FAILED
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQCC_FAILED, MQRC_OBJECT_NAME_ERROR
from flintmq.mqi.values.commands import MQCMD_ESCAPE, MQET_MQSC
from flintmq.mqi.values.parameters import MQCACF_ESCAPE_TEXT, MQIACF_ESCAPE_TYPE

if TYPE_CHECKING:
    from flintmq.catalogue.attribute import Value

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
MODEL_QUEUE = "SYSTEM.DEFAULT.MODEL.QUEUE"
WAIT_MS = 30_000
_ADMIN = "MQADMIN"
_ALREADY_EXISTS = 4001
_LAST = 1
#: KEYWORD(value): a value may be quoted, or have brackets of its own.
_ATTRIBUTE = re.compile(r"\b([A-Z][A-Z0-9]*)\(((?:'[^']*'|[^()']|\([^()]*\))*)\)")


def run(queues: QueueSteps, text: str, check: bool) -> Steps[CommandReply]:
    """Run MQSC commands, one or a whole script. With `check` raise CommandFailed for the first that fails."""
    from flintmq.mqi.command_text import COMMAND_LENGTH_MAX, CommandReader

    reader = CommandReader(COMMAND_LENGTH_MAX)
    commands = [command for line in text.split("\n") for command in reader.feed(line)]
    commands += reader.finish()
    reply = CommandReply()
    lines: list[str] = []
    if not commands:
        return reply
    od = MQOD()
    od.object_name, od.dynamic_q_name = MODEL_QUEUE, "FLINTMQ.*"
    replies = yield from queues.mqi.open_steps(od, MQOO_INPUT_EXCLUSIVE)
    try:
        for command in commands:
            said, rows, reason = (
                ([f"AMQ8405I: {command.problem}."], [], MQRCCF_COMMAND_FAILED)
                if command.problem
                else (yield from _one(queues, replies, od.object_name, command.text))
            )
            lines += said
            reply.rows += rows
            if reason:
                reply.reason = reply.reason or reason
                if check:
                    raise CommandFailed("\n".join(said), reason)
    finally:
        yield from queues.close(replies)
    reply.text = "\n".join(lines)
    return reply


def _one(
    queues: QueueSteps, replies: RemoteHandle, reply_to: str, command: str
) -> Steps[tuple[list[str], list[dict[str, Value]], int]]:
    """Run one command. Return (lines, rows, reason)."""
    request = PCFMessage()
    request.header.command = MQCMD_ESCAPE
    request.parameters = [MQCFIN(MQIACF_ESCAPE_TYPE, MQET_MQSC), MQCFST(MQCACF_ESCAPE_TEXT, command)]
    od, md, pmo = MQOD(), MQMD(), MQPMO()
    od.object_name, pmo.options = COMMAND_QUEUE, MQPMO_NO_SYNCPOINT
    md.msg_type, md.format, md.reply_to_q, md.coded_char_set_id = 1, _ADMIN, reply_to, 1208
    md.expiry = WAIT_MS // 100
    try:
        yield from queues.mqi.put1_steps(od, md, pmo, request.pack())
    except UnknownObject:
        raise CommandFailed(
            f"there is no command server in {queues.mqi.wire.q_mgr_name}: it has no {COMMAND_QUEUE}"
        ) from None
    lines: list[str] = []
    rows: list[dict[str, Value]] = []
    reason = 0
    while True:
        wanted, gmo = MQMD(), MQGMO()
        wanted.correl_id = md.msg_id
        gmo.version, gmo.match_options, gmo.wait_interval = 2, MQMO_MATCH_CORREL_ID, WAIT_MS
        gmo.options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT | MQGMO_CONVERT
        try:
            message = yield from queues.got(reply_to, replies, wanted, gmo)
        except NoMessageAvailable:
            text = f"the command server of {queues.mqi.wire.q_mgr_name} did not answer in {WAIT_MS // 1000} seconds"
            raise CommandFailed(text) from None
        header, said = _read(message)
        lines += said
        row = _row(said)
        if row:
            rows.append(row)
        if header.comp_code == MQCC_FAILED:
            reason = reason or header.reason
        if header.control == _LAST:
            return lines, rows, reason


def _read(message: Message) -> tuple[MQCFH, list[str]]:
    """Return header and lines of one reply."""
    md = message.md
    try:
        found = parse(message.data, 0, md.encoding & 0xF == 1, md.coded_char_set_id)
    except StructureError as error:
        raise CommandFailed(f"the command server answered with something that is no PCF: {error}") from None
    texts = [each.text() for each in found.parameters if isinstance(each, MQCFST)]
    return found.header, [line for text in texts for line in text.split("\n")]


def _row(lines: list[str]) -> dict[str, Value]:
    """Return the attributes that a reply shows; lines that begin with the number of a message show none."""
    row: dict[str, Value] = {}
    shown = [line for line in lines if not re.match(r"[A-Z]{3}\d{4}[A-Z]?:", line)]
    for keyword, value in _ATTRIBUTE.findall("\n".join(shown)):
        plain = value.strip().removeprefix("'").removesuffix("'")
        row[keyword] = int(plain) if re.fullmatch(r"-?\d{1,18}", plain) else plain
    return row


def create_queue(queues: QueueSteps, name: str, given: dict[str, object]) -> Steps[None]:
    """Define a local queue, unless a queue of that name exists."""
    if not isinstance(name, str):
        raise TypeError(f"a queue name is a str, not {type(name).__name__}")
    if not is_name(name):
        raise error_of(
            MQRC_OBJECT_NAME_ERROR, f"{name!r} is not a queue name: it has 1 to 48 letters, digits and . / _ %"
        )
    values = attribute_values("QLOCAL", given)
    try:
        yield from queues.check(name)
    except UnknownObject:
        pass
    else:
        return
    words = [f"DEFINE QLOCAL({quoted(name)})"]
    for keyword, value in values.items():
        words.append(str(value) if value in (keyword, "NO" + keyword) else f"{keyword}({written(value)})")
    try:
        yield from run(queues, " ".join(words), True)
    except MQError as error:
        if error.reason != _ALREADY_EXISTS:
            raise


def clear_queue(queues: QueueSteps, name: str) -> Steps[None]:
    """Remove all messages of a local queue (CLEAR QLOCAL)."""
    yield from queues.release(name)
    yield from run(queues, f"CLEAR QLOCAL({quoted(name)})", True)


def quoted(text: str) -> str:
    """Quote a text for MQSC."""
    return "'" + text.replace("'", "''") + "'"


def written(value: Value) -> str:
    """Write the value of an attribute for MQSC."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return ",".join(quoted(each) for each in value)
    return quoted(value)
