"""flint amqsreq: put each line of standard input as a request, then print the replies.

    amqsreq DEV.QUEUE.1 QM1
    amqsreq DEV.QUEUE.1 QM1 DEV.QUEUE.2

MQ's sample program, with its arguments and its output; --wait is our own. Replies come to the third argument, else to a
dynamic queue made from SYSTEM.SAMPLE.REPLY, or where the samples' queues are not defined from DEV.APP.MODEL.QUEUE or
SYSTEM.DEFAULT.MODEL.QUEUE. It waits a minute for the first reply and 15 seconds for each other. amqsech answers such
requests.

Exit codes: 0; 99 an argument is missing; else the low byte of the reason why a queue cannot be opened.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.connection import Handle

NAME = "amqsreq"
SUMMARY = "sample program: put requests and get the replies"

REPLY_MODELS = ("SYSTEM.SAMPLE.REPLY", "DEV.APP.MODEL.QUEUE", "SYSTEM.DEFAULT.MODEL.QUEUE")
SHOWN_MAX = 64


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", nargs="?", help="the queue of the server")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("reply", nargs="?", help="the queue for replies (a dynamic one)")
    parser.add_argument("--wait", type=float, nargs=2, default=(60.0, 15.0), metavar="SECONDS", help="60 15")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSREQ0 start")
    if not options.queue:
        print("Required parameter missing - queue name")
        return _samples.MISSING
    with _samples.connect(options.name, NAME, "MQCONN") as connected:
        print(f"server queue is {options.queue}")
        code = _talk(connected.mqi, options)
    if not code:
        print("Sample AMQSREQ0 end")
    return code


def _talk(mqi: _samples.MQI, options: argparse.Namespace) -> int:
    try:
        server = mqi.open(_samples.queue(options.queue), mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        print("unable to open server queue for output")
        return error.reason % 256
    try:
        replies, name = _open_replies(mqi, options.reply)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        print("unable to open reply queue")
    else:
        print(f"replies to {name:<48}", flush=True)
        _ask(mqi, server, name)
        _listen(mqi, replies, options.wait)
        _samples.close(mqi, replies, mq.MQCO_NONE if options.reply else mq.MQCO_DELETE, "MQCLOSE (reply)")
    _samples.close(mqi, server, call="MQCLOSE (server)")
    return 0


def _open_replies(mqi: _samples.MQI, name: str | None) -> tuple[Handle, str]:
    """The queue for replies, and its name."""
    how = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_FAIL_IF_QUIESCING
    for model in (name,) if name else REPLY_MODELS[:-1]:
        od = _samples.queue(model, dynamic="" if name else "*")
        try:
            return mqi.open(od, how), od.object_name
        except flintmq.MQError as error:
            if name or error.reason not in (MQRC_UNKNOWN_OBJECT_NAME, MQRC_NOT_AUTHORIZED):
                raise
    od = _samples.queue(REPLY_MODELS[-1], dynamic="*")
    return mqi.open(od, how), od.object_name


def _ask(mqi: _samples.MQI, server: Handle, replies: str) -> None:
    try:
        for line in _samples.lines():
            md, pmo = MQMD(), MQPMO()
            md.msg_type, md.report, md.reply_to_q = mq.MQMT_REQUEST, mq.MQRO_EXCEPTION_WITH_DATA, replies
            md.format = mq.MQFMT_STRING
            pmo.options = mq.MQPMO_NEW_MSG_ID | mq.MQPMO_NO_SYNCPOINT
            mqi.put(server, md, pmo, line)
    except flintmq.MQError as error:
        _samples.failed("MQPUT", error)


def _listen(mqi: _samples.MQI, replies: Handle, waits: tuple[float, float]) -> None:
    wait = waits[0]
    try:
        while True:
            md, gmo = MQMD(), MQGMO()
            gmo.options = mq.MQGMO_WAIT | mq.MQGMO_CONVERT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
            gmo.wait_interval = int(wait * 1000)
            data = mqi.get(replies, md, gmo, SHOWN_MAX)
            wait = waits[1]
            if mqi.reason:
                print(f"MQGET ended with reason code {mqi.reason}")
            print(f"response <{_samples.text(data)}>", flush=True)
            if md.msg_type == mq.MQMT_REPORT:
                print(f"  report with feedback = {md.feedback}")
    except flintmq.MQError as error:
        if error.reason == MQRC_NO_MSG_AVAILABLE:
            print("no more replies")
        else:
            _samples.failed("MQGET", error)
