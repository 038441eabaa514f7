"""flint amqsech: answer each request on a queue with the request itself, until none has come for a minute.

    amqsech 'TMC    2DEV.QUEUE.1 ...'           as a trigger monitor calls it, with an MQTMC2
    amqsech DEV.QUEUE.1 QM1                     by hand; our own

MQ's sample program, with its output; --wait is our own. A message that is no request is taken and not answered.

Exit codes: 0; 99 an argument is missing; else the low byte of the reason why there is no connection.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.tmc2 import MQTMC2, SIZE
from flintmq.qmgr.connection import Handle

NAME = "amqsech"
SUMMARY = "sample program: answer requests with themselves"

TRIGGER = "TMC "


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trigger", nargs="?", help="an MQTMC2, or the queue")
    parser.add_argument("name", nargs="?", help="the queue manager, with a queue (the default one)")
    parser.add_argument("--wait", type=float, default=60.0, metavar="SECONDS", help="for the next request (60)")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSECHA start")
    if not options.trigger:
        print("Missing parameter - start program by MQI trigger")
        return _samples.MISSING
    queue, name = options.trigger, options.name
    if queue.startswith(TRIGGER):
        try:
            trigger = MQTMC2.unpack(queue.encode().ljust(SIZE)[:SIZE])
        except StructureError:
            print("Invalid input trigger message provided")
            return _samples.MISSING
        queue, name = trigger.q_name, trigger.q_mgr_name
    with _samples.connect(name, NAME, "MQCONN") as connected:
        _answer_all(connected.mqi, queue, options.wait)
    print("Sample AMQSECHA end")
    return 0


def _answer_all(mqi: _samples.MQI, name: str, wait: float) -> None:
    try:
        handle = mqi.open(_samples.queue(name), mq.MQOO_INPUT_SHARED | mq.MQOO_FAIL_IF_QUIESCING)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        return
    try:
        while True:
            _answer(mqi, handle, wait)
    except flintmq.MQError as error:
        _samples.failed("MQGET", error)
    _samples.close(mqi, handle)


def _answer(mqi: _samples.MQI, handle: Handle, wait: float) -> None:
    """Get a message; if it is a request, put it to its ReplyToQ."""
    md, gmo = MQMD(), MQGMO()
    gmo.options = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT
    gmo.wait_interval = int(wait * 1000)
    data = mqi.get(handle, md, gmo)
    print(_samples.text(data), flush=True)
    if md.msg_type != mq.MQMT_REQUEST:
        print(" -- not a request and discarded")
        return
    reply, pmo = md.copy(), MQPMO()
    reply.msg_type = mq.MQMT_REPLY
    if not md.report & mq.MQRO_PASS_CORREL_ID:
        reply.correl_id = md.msg_id
    if not md.report & mq.MQRO_PASS_MSG_ID:
        pmo.options |= mq.MQPMO_NEW_MSG_ID
    pmo.options |= mq.MQPMO_NO_SYNCPOINT
    reply.report = 0
    reply.reply_to_q = reply.reply_to_q_mgr = ""
    try:
        mqi.put1(_samples.queue(md.reply_to_q, md.reply_to_q_mgr), reply, pmo, data)
    except flintmq.MQError as error:
        _samples.failed("MQPUT1", error)
