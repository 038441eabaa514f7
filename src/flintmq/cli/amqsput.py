"""flint amqsput: put each line of standard input as a message, up to the first that is empty.

    amqsput DEV.QUEUE.1 QM1
    echo hello | amqsput DEV.QUEUE.1
    MQSERVER='DEV.APP.SVRCONN/TCP/127.0.0.1(1414)' amqsput DEV.QUEUE.1 QM1

MQ's sample program, with its arguments and its output. MQSERVER leads to a queue manager over the network;
MQSAMP_USER_ID is the user; the program asks for the password.

Exit codes: 0; 99 an argument is missing; else the low byte of the reason why there is no connection.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO

NAME = "amqsput"
SUMMARY = "sample program: put messages on a queue"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", nargs="?", help="the queue")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("open_options", nargs="?", type=int, help="MQOO options (8208)")
    parser.add_argument("close_options", nargs="?", type=int, help="MQCO options (0)")
    parser.add_argument("target", nargs="?", default="", help="the queue manager that has the queue")
    parser.add_argument("dynamic", nargs="?", default="", help="the name of a dynamic queue, for a model queue")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSPUT0 start")
    if not options.queue:
        print("Required parameter missing - queue name")
        return _samples.MISSING
    with _samples.connect(options.name, NAME) as connected:
        print(f"target queue is {options.queue}", flush=True)
        _put_all(connected.mqi, options)
    print("Sample AMQSPUT0 end")
    return 0


def _put_all(mqi: _samples.MQI, options: argparse.Namespace) -> None:
    how = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
    if options.open_options is not None:
        how = options.open_options
        print(f"open  options are {how}")
    try:
        handle = mqi.open(_samples.queue(options.queue, options.target, options.dynamic), how)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        print("unable to open queue for output")
        return
    try:
        for line in _samples.lines():
            md, pmo = MQMD(), MQPMO()
            md.format = mq.MQFMT_STRING
            pmo.options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
            mqi.put(handle, md, pmo, line)
    except flintmq.MQError as error:
        _samples.failed("MQPUT", error)
    how = mq.MQCO_NONE
    if options.close_options is not None:
        how = options.close_options
        print(f"close options are {how}")
    _samples.close(mqi, handle, how)
