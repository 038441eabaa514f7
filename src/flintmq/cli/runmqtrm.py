"""flint runmqtrm: the trigger monitor: start the applications that trigger messages ask for.

    runmqtrm -m QM1 -q ORDERS.INITQ
    runmqtrm -q DEV.INITQ --count 1 --wait 10

It waits for trigger messages on the initiation queue and runs APPLICID of the process in a shell, with the trigger
message (MQTMC2) as its argument and ENVRDATA behind it: end that with & to go on at once. One command runs at a time.
The trigger message of one that is not there goes to the dead-letter queue with MQFB_APPL_CANNOT_BE_STARTED. It runs
until it is interrupted, or as --count and --wait say, which are our own. Whoever may define a process decides what
runs here: use it on queue managers that you administer.

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
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_TM_ERROR
from flintmq.mqi.tm import MQTM
from flintmq.mqi.tmc2 import MQTMC2
from flintmq.qmgr.connection import Handle

NAME = "runmqtrm"
SUMMARY = "the trigger monitor: start what trigger messages ask for"

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"
UNREADABLE = 20
#: What a shell ends with when a command cannot be run, or is not there.
_NOT_STARTED = (126, 127)
_FOREVER = -1
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
            handle = connected.mqi.open(_samples.queue(options.q), mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING)
        except flintmq.MQError as error:
            _say(f"The initiation queue {options.q} cannot be opened: {error}")
            return UNREADABLE
        return _monitor(connected.mqi, handle, options)


def _monitor(mqi: _samples.MQI, handle: Handle, options: argparse.Namespace) -> int:
    started = 0
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
        _start(mqi, md, data, options)
        mqi.cmit()
    return 0


def _start(mqi: _samples.MQI, md: MQMD, data: bytes, options: argparse.Namespace) -> None:
    """Run what one trigger message asks for; what cannot be run goes to the dead-letter queue."""
    big_endian = md.encoding & mq.MQENC_INTEGER_MASK == mq.MQENC_INTEGER_NORMAL
    try:
        trigger = MQTM.unpack(data, 0, big_endian, md.coded_char_set_id)
    except StructureError as error:
        _say(f"This is no trigger message: {error}")
        _dead_letter(mqi, md, data, MQRC_TM_ERROR, options.q)
        return
    command = command_of(trigger, options.m or "")
    print(command)
    code = subprocess.run(command, shell=True, check=False).returncode
    if code in _NOT_STARTED:
        _say(f"{trigger.appl_id} cannot be started.")
        _dead_letter(mqi, md, data, mq.MQFB_APPL_CANNOT_BE_STARTED, options.q)
    else:
        _say("End of application trigger.")


def command_of(trigger: MQTM, q_mgr: str) -> str:
    """The command line: APPLICID, the trigger message in characters, ENVRDATA."""
    characters = MQTMC2()
    characters.q_name, characters.process_name = trigger.q_name, trigger.process_name
    characters.trigger_data, characters.appl_id = trigger.trigger_data, trigger.appl_id
    characters.env_data, characters.user_data = trigger.env_data, trigger.user_data
    characters.q_mgr_name = q_mgr
    words = [trigger.appl_id, shlex.quote(characters.pack().decode()), trigger.env_data]
    return " ".join(word for word in words if word)


def _dead_letter(mqi: _samples.MQI, md: MQMD, data: bytes, reason: int, queue: str) -> None:
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
    pmo.options = mq.MQPMO_SYNCPOINT
    try:
        mqi.put1(_samples.queue(name), dead, pmo, dlh.pack() + data)
    except flintmq.MQError as error:
        _say(f"The trigger message is discarded: {name} does not take it: {error}")


def _say(text: str) -> None:
    print(time.strftime("%m/%d/%y  %H:%M:%S"), ":", text, flush=True)
