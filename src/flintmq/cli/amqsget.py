"""flint amqsget: get the messages of a queue and print them, until none has come for 15 seconds.

    amqsget DEV.QUEUE.1 QM1
    amqsget --wait 0 DEV.QUEUE.1
    MQSERVER='DEV.APP.SVRCONN/TCP/127.0.0.1(1414)' amqsget DEV.QUEUE.1 QM1

MQ's sample program, with its arguments and its output; --wait is our own.

Exit codes: 0; 99 an argument is missing; else the low byte of the reason why there is no connection.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE

NAME = "amqsget"
SUMMARY = "sample program: get messages from a queue"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", nargs="?", help="the queue")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("open_options", nargs="?", type=int, help="MQOO options (8193)")
    parser.add_argument("close_options", nargs="?", type=int, help="MQCO options (0)")
    parser.add_argument("--wait", type=float, default=15.0, metavar="SECONDS", help="for the next message (15)")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSGET0 start")
    if not options.queue:
        print("Required parameter missing - queue name")
        return _samples.MISSING
    with _samples.connect(options.name, NAME) as connected:
        _get_all(connected.mqi, options)
    print("Sample AMQSGET0 end")
    return 0


def _get_all(mqi: _samples.MQI, options: argparse.Namespace) -> None:
    how = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING
    if options.open_options is not None:
        how = options.open_options
        print(f"open  options are {how}")
    try:
        handle = mqi.open(_samples.queue(options.queue), how)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        print("unable to open queue for input")
        return
    try:
        while True:
            md, gmo = MQMD(), MQGMO()
            gmo.options = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_CONVERT
            gmo.wait_interval = int(options.wait * 1000)
            data = mqi.get(handle, md, gmo)
            if mqi.reason:
                print(f"MQGET ended with reason code {mqi.reason}")
            print(f"message <{_samples.text(data)}>", flush=True)
    except flintmq.MQError as error:
        if error.reason == MQRC_NO_MSG_AVAILABLE:
            print("no more messages")
        else:
            _samples.failed("MQGET", error)
    how = mq.MQCO_NONE
    if options.close_options is not None:
        how = options.close_options
        print(f"close options are {how}")
    _samples.close(mqi, handle, how)
