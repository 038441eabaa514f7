"""flint runmqtrm: the trigger monitor: start the applications that trigger messages ask for.

    runmqtrm -m QM1 -q ORDERS.INITQ
    runmqtrm -q DEV.INITQ --count 1 --wait 10

It waits for trigger messages on the initiation queue, looks up the PROCESS object that each one names, and runs the
program that APPLICID of that object says, with the trigger message (MQTMC2) as its argument and the words of ENVRDATA
behind it. The program in a trigger message itself is not used. No shell is used: APPLICID is a program and
its arguments, quoted as in a shell; for redirections and the like it names a script. If ENVRDATA or APPLICID ends with
&, the monitor goes on at once; else one program runs at a time.

A trigger message that names no process, or whose program cannot be started, goes to the dead-letter queue with
MQFB_APPL_CANNOT_BE_STARTED. The monitor runs until it is interrupted, or as --count and --wait say, which are our own.
A user that may define a process decides on the programs that run here: use it on queue managers that you administer.

Exit codes: 0; 20 the initiation queue cannot be read; else the low byte of the reason why there is no connection.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import time

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.printable import printable
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_TM_ERROR
from flintmq.mqi.tm import MQTM
from flintmq.mqi.tmc2 import MQTMC2
from flintmq.qmgr.connection import Handle

NAME = "runmqtrm"
SUMMARY = "the trigger monitor: start what trigger messages ask for"

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"
UNREADABLE = 20
_FOREVER = -1
_OPTIONS = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_SAVE_ALL_CONTEXT
#: As the last word of ENVRDATA or APPLICID: do not wait for the end of the program.
_BACKGROUND = "&"
_LINE = "_" * 50


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="NAME", help="the queue manager (the default one)")
    parser.add_argument("-q", metavar="QUEUE", default=DEFAULT_QUEUE, help=f"the initiation queue ({DEFAULT_QUEUE})")
    parser.add_argument("--count", type=int, default=0, metavar="N", help="end after so many trigger messages")
    parser.add_argument("--wait", type=float, metavar="SECONDS", help="end when none has come for so long")


def run(options: argparse.Namespace) -> int:
    with _samples.connect(options.m, NAME, "MQCONN") as connected:
        _say("FlintMQ trigger monitor started.")
        try:
            handle = connected.mqi.open(_samples.queue(options.q), _OPTIONS)
        except flintmq.MQError as error:
            _say(f"The initiation queue {options.q} cannot be opened: {error}")
            return UNREADABLE
        return _monitor(connected.mqi, handle, options)


class CannotStart(Exception):
    """A trigger message that asks for nothing that can be run. The text says why."""


def _monitor(mqi: _samples.MQI, handle: Handle, options: argparse.Namespace) -> int:
    started = 0
    running: list[subprocess.Popen[bytes]] = []
    while not options.count or started < options.count:
        print(_LINE)
        _say("Waiting for a trigger message")
        md, gmo = MQMD(), MQGMO()
        gmo.options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT | mq.MQGMO_FAIL_IF_QUIESCING
        gmo.wait_interval = _FOREVER if options.wait is None else int(options.wait * 1000)
        try:
            data = mqi.get(handle, md, gmo)
        except flintmq.MQError as error:
            if error.reason == MQRC_NO_MSG_AVAILABLE:
                return 0
            _say(f"No more trigger messages can be got: {error}")
            return UNREADABLE
        started += 1
        running = [each for each in running if each.poll() is None]  # Those that have ended leave no zombie.
        _start(mqi, handle, md, data, options, running)
        mqi.cmit()
    return 0


def _start(
    mqi: _samples.MQI,
    handle: Handle,
    md: MQMD,
    data: bytes,
    options: argparse.Namespace,
    running: list[subprocess.Popen[bytes]],
) -> None:
    """Run the program of a trigger message; if it cannot run, put the message to the dead-letter queue."""
    big_endian = md.encoding & mq.MQENC_INTEGER_MASK == mq.MQENC_INTEGER_NORMAL
    try:
        trigger = MQTM.unpack(data, 0, big_endian, md.coded_char_set_id)
    except StructureError as error:
        _say(f"This is no trigger message: {error}")
        _dead_letter(mqi, handle, md, data, MQRC_TM_ERROR, options.q)
        return
    try:
        look_up(mqi, trigger)
        words, waits = command_of(trigger, options.m or "")
        print(printable(shlex.join(words)), flush=True)
        program = subprocess.Popen(words)
    except (CannotStart, OSError, ValueError) as error:  # ValueError: a NUL in one of the words.
        _say(f"Nothing is started for queue {trigger.q_name}, process {trigger.process_name}: {error}")
        _dead_letter(mqi, handle, md, data, mq.MQFB_APPL_CANNOT_BE_STARTED, options.q)
        return
    if waits:
        program.wait()
        _say("End of application trigger.")
    else:
        running.append(program)
        _say("The application goes on by itself.")


def look_up(mqi: _samples.MQI, trigger: MQTM) -> None:
    """Replace the program of the message by that of its PROCESS object. Raises CannotStart.

    A user that can put on the initiation queue can write a trigger message; a process is defined by an administrator.
    """
    if not trigger.process_name:
        raise CannotStart("the trigger message names no process")
    od = _samples.queue(trigger.process_name)
    od.object_type = mq.MQOT_PROCESS
    try:
        process = mqi.open(od, mq.MQOO_INQUIRE | mq.MQOO_FAIL_IF_QUIESCING)
        selectors = [mq.MQCA_APPL_ID, mq.MQCA_ENV_DATA, mq.MQCA_USER_DATA]
        said = [text.rstrip(" \0") for text in mqi.inq(process, selectors).characters]
        mqi.close(process)
    except flintmq.MQError as error:
        raise CannotStart(f"the PROCESS object cannot be inquired: {error}") from None
    if trigger.appl_id != said[0]:
        _say(f"The trigger message names the program {trigger.appl_id!r}: APPLICID of its process is {said[0]!r}.")
    trigger.appl_id, trigger.env_data, trigger.user_data = said


def command_of(trigger: MQTM, q_mgr: str) -> tuple[list[str], bool]:
    """Return the words of the command and whether to wait for its end: APPLICID, the MQTMC2, ENVRDATA.

    Raises CannotStart.
    """
    characters = MQTMC2()
    characters.q_name, characters.process_name = trigger.q_name, trigger.process_name
    characters.trigger_data, characters.appl_id = trigger.trigger_data, trigger.appl_id
    characters.env_data, characters.user_data = trigger.env_data, trigger.user_data
    characters.q_mgr_name = q_mgr
    try:
        program, rest = shlex.split(trigger.appl_id), shlex.split(trigger.env_data)
    except ValueError as error:
        raise CannotStart(f"APPLICID or ENVRDATA cannot be split into words: {error}") from None
    waits = True
    for words in (program, rest):
        if words and words[-1] == _BACKGROUND:
            waits = False
            words.pop()
    if not program:
        raise CannotStart("APPLICID of the process is blank")
    return [*program, characters.pack().decode(), *rest], waits


def _dead_letter(mqi: _samples.MQI, handle: Handle, md: MQMD, data: bytes, reason: int, queue: str) -> None:
    """Put a trigger message on the dead-letter queue, with the context that it came with."""
    od = _samples.queue("")
    od.object_type = mq.MQOT_Q_MGR
    manager = mqi.open(od, mq.MQOO_INQUIRE)
    said = mqi.inq(manager, [mq.MQCA_DEAD_LETTER_Q_NAME, mq.MQCA_Q_MGR_NAME]).characters
    mqi.close(manager)
    name, q_mgr = said[0].rstrip(), said[1].rstrip()
    if not name:
        _say("There is no dead-letter queue: the trigger message is discarded.")
        return
    dlh, dead, pmo = MQDLH(), MQMD(), MQPMO()
    dlh.reason, dlh.dest_q_name, dlh.dest_q_mgr_name = reason, queue, q_mgr
    dlh.encoding, dlh.coded_char_set_id, dlh.format = md.encoding, md.coded_char_set_id, md.format
    dlh.put_appl_name = NAME
    dead.format = mq.MQFMT_DEAD_LETTER_HEADER
    pmo.options = mq.MQPMO_SYNCPOINT | mq.MQPMO_PASS_ALL_CONTEXT
    pmo.context = handle.number
    try:
        mqi.put1(_samples.queue(name), dead, pmo, dlh.pack() + data)
    except flintmq.MQError as error:
        _say(f"The trigger message is discarded: {name} does not take it: {error}")


def _say(text: str) -> None:
    print(time.strftime("%m/%d/%y  %H:%M:%S"), ":", printable(text), flush=True)
