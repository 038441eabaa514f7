"""A PCF command message, from its bytes to the responses.

    parse --> bind (pcf_request.py) --> authority --> the handler of the form --> responses (pcf_reply.py)

MQCMD_ESCAPE holds an MQSC command as text; the responses hold its reply as text. A message that cannot be read as PCF
has a response too, with the reason for the part that is not valid; `Outcome.unreadable` describes the fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flintmq.command import pcf_reply
from flintmq.command.administration import Administration
from flintmq.command.display import render_response
from flintmq.command.execute import carry_out, execute_steps
from flintmq.command.pcf_request import CommandRefused, bind, check_header
from flintmq.command.steps import RESPONSES_AT_ONCE, Steps, to_the_end
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.command_text import COMMAND_LENGTH_MAX, CommandReader
from flintmq.mqi.errors import StructureError
from flintmq.mqi.pcf import MQCFH, SIZE, PCFMessage, parse
from flintmq.mqi.reason import (
    MQRC_CFBF_ERROR,
    MQRC_CFBS_ERROR,
    MQRC_CFGR_ERROR,
    MQRC_CFIF_ERROR,
    MQRC_CFIL_ERROR,
    MQRC_CFIN_ERROR,
    MQRC_CFSF_ERROR,
    MQRC_CFSL_ERROR,
    MQRC_CFST_ERROR,
    MQRC_CODED_CHAR_SET_ID_ERROR,
)

#: The reason of a structure that is not valid -> the reason of the response.
_STRUCTURES = {
    MQRC_CFIN_ERROR: pcf.MQRCCF_CFIN_LENGTH_ERROR,
    MQRC_CFST_ERROR: pcf.MQRCCF_CFST_LENGTH_ERROR,
    MQRC_CFIL_ERROR: pcf.MQRCCF_CFIL_LENGTH_ERROR,
    MQRC_CFSL_ERROR: pcf.MQRCCF_CFSL_LENGTH_ERROR,
    MQRC_CFBS_ERROR: pcf.MQRCCF_CFBS_LENGTH_ERROR,
    MQRC_CFGR_ERROR: pcf.MQRCCF_CFGR_LENGTH_ERROR,
    MQRC_CFIF_ERROR: pcf.MQRCCF_CFIF_LENGTH_ERROR,
    MQRC_CFSF_ERROR: pcf.MQRCCF_CFSF_LENGTH_ERROR,
    MQRC_CFBF_ERROR: pcf.MQRCCF_CFBF_LENGTH_ERROR,
    MQRC_CODED_CHAR_SET_ID_ERROR: pcf.MQRCCF_CCSID_ERROR,
}
_KNOWN_STRUCTURES = {3, 4, 5, 6, 9, 13, 14, 15, 20, 23, 25}


@dataclass
class Outcome:
    """The outcome of a command message."""

    responses: list[PCFMessage] = field(default_factory=list)
    #: The command, 0 if not even that could be read.
    command: int = 0
    #: 0, or why the command was refused.
    reason: int = 0
    #: Why the message is no PCF command, in words; "" if it is one.
    unreadable: str = ""
    #: Whether the log may hold something that must be durable before the requester hears of it.
    changed: bool = False


def run(data: bytes, big_endian: bool, ccsid: int, administration: Administration) -> Outcome:
    """Carry out the command that `data` is."""
    return to_the_end(run_steps(data, big_endian, ccsid, administration))


def run_steps(data: bytes, big_endian: bool, ccsid: int, administration: Administration) -> Steps[Outcome]:
    """Carry out the command that `data` is, in slices (steps.py)."""
    try:
        message = _read(data, big_endian, ccsid)
    except StructureError as error:
        return _unreadable(data, big_endian, error.reason, str(error))
    return (yield from message_steps(message, administration))


def run_message(message: PCFMessage, administration: Administration) -> Outcome:
    """Carry out a command that has been read."""
    return to_the_end(message_steps(message, administration))


def message_steps(message: PCFMessage, administration: Administration) -> Steps[Outcome]:
    """Carry out a command that has been read, in slices."""
    command = message.header.command
    outcome = Outcome(command=command)
    try:
        check_header(message.header)
        if command == pcf.MQCMD_ESCAPE:
            yield from _escape(message, administration, outcome)
            return outcome
        bound = bind(message, lambda name: _kind_of_queue(administration, name))
    except CommandRefused as error:
        outcome.reason = error.reason
        outcome.responses = pcf_reply.refused(command, error)
        return outcome
    reply = carry_out(bound.form, bound.request, administration)
    while reply.make(RESPONSES_AT_ONCE):
        yield
    if not reply.failed:
        administration.command_done(bound.form.verb, command, "", message.parameters)
    outcome.responses = yield from pcf_reply.response_steps(command, bound, reply)
    outcome.reason = outcome.responses[0].header.reason
    outcome.changed = not bound.form.changes_nothing
    return outcome


def _kind_of_queue(administration: Administration, name: str) -> str:
    return next((each.kind for each in administration.objects_called("QUEUE", name) if each.name == name), "")


def _escape(message: PCFMessage, administration: Administration, outcome: Outcome) -> Steps[None]:
    """Run the one MQSC command of an MQCMD_ESCAPE."""
    if message.integer(pcf.MQIACF_ESCAPE_TYPE) != pcf.MQET_MQSC:
        raise CommandRefused(pcf.MQRCCF_ESCAPE_TYPE_ERROR, pcf.MQIACF_ESCAPE_TYPE)
    text = message.string(pcf.MQCACF_ESCAPE_TEXT)
    if text is None:
        raise CommandRefused(pcf.MQRCCF_PARM_MISSING, pcf.MQCACF_ESCAPE_TEXT)
    reader = CommandReader(COMMAND_LENGTH_MAX)  # The requester has joined its lines.
    commands = [command for line in text.split("\n") for command in reader.feed(line)] + reader.finish()
    if len(commands) != 1:
        raise CommandRefused(pcf.MQRCCF_COMMAND_FAILED, pcf.MQCACF_ESCAPE_TEXT)
    reply = yield from execute_steps(commands[0], administration)
    outcome.reason = reply.reason
    outcome.changed = True
    texts: list[str] = []
    for number, response in enumerate(reply.take(), 1):
        texts.append("\n".join(render_response(response)))
        if number % RESPONSES_AT_ONCE == 0:
            yield
    outcome.responses = pcf_reply.escape(texts, reply.failed)


# -- unreadable messages -----------------------------------------------------------------------------------------------


def _read(data: bytes, big_endian: bool, ccsid: int) -> PCFMessage:
    """Parse a message. Raises StructureError with the reason for the response."""
    if len(data) < SIZE:
        text = f"a PCF command has at least the {SIZE} bytes of its header, not {len(data)}"
        raise StructureError(text, pcf.MQRCCF_MSG_LENGTH_ERROR)
    length, version = _integer(data, 4, big_endian), _integer(data, 8, big_endian)
    if length != SIZE:
        raise StructureError(f"MQCFH has StrucLength {length}, not {SIZE}", pcf.MQRCCF_CFH_LENGTH_ERROR)
    if not pcf.MQCFH_VERSION_1 <= version <= pcf.MQCFH_VERSION_3:
        raise StructureError(f"MQCFH has version {version}, not 1 to 3", pcf.MQRCCF_CFH_VERSION_ERROR)
    if _integer(data, 32, big_endian) < 0:
        raise StructureError("MQCFH has a negative ParameterCount", pcf.MQRCCF_CFH_PARM_COUNT_ERROR)
    try:
        message = parse(data, 0, big_endian, ccsid)
    except StructureError as error:
        reason = _STRUCTURES.get(error.reason) or _why(data, big_endian)
        raise StructureError(str(error), reason) from None
    if message.end != len(data):
        text = f"the parameters end at {message.end}, the message has {len(data)} bytes"
        raise StructureError(text, pcf.MQRCCF_MSG_LENGTH_ERROR)
    return message


def _why(data: bytes, big_endian: bool) -> int:
    """Return the reason for the first faulty parameter: unknown type, impossible length, or too few parameters."""
    place = SIZE
    for _ in range(_integer(data, 32, big_endian)):
        if len(data) - place < 12:
            return pcf.MQRCCF_CFH_PARM_COUNT_ERROR
        length = _integer(data, place + 4, big_endian)
        if _integer(data, place, big_endian) not in _KNOWN_STRUCTURES:
            return pcf.MQRCCF_STRUCTURE_TYPE_ERROR
        if length < 16 or length > len(data) - place:
            return pcf.MQRCCF_MSG_LENGTH_ERROR
        place += length
    return pcf.MQRCCF_CFH_PARM_COUNT_ERROR


def _unreadable(data: bytes, big_endian: bool, reason: int, why: str) -> Outcome:
    header = MQCFH()
    if len(data) >= SIZE:
        header.command = _integer(data, 12, big_endian)
    return Outcome(pcf_reply.refusal(header.command, reason), header.command, reason, why)


def _integer(data: bytes, offset: int, big_endian: bool) -> int:
    return int.from_bytes(data[offset : offset + 4], "big" if big_endian else "little", signed=True)
