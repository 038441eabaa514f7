"""flint amqspub: publish each line of standard input on a topic, up to the first that is empty.

    amqspub dev/orders QM1
    echo hello | amqspub dev/orders

MQ's sample program, with its arguments and its output. amqssub prints the publications.

Exit codes: 0; 99 an argument is missing; else the low byte of the reason why there is no connection.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

NAME = "amqspub"
SUMMARY = "sample program: publish messages on a topic"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", help="the topic string")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("options", nargs="?", type=int, help="MQPMO options (8196)")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSPUBA start")
    if not options.topic:
        print("Required parameter missing - topic string")
        return _samples.MISSING
    with _samples.connect(options.name, NAME, "MQCONN") as connected:
        print(f"target topic is {options.topic}", flush=True)
        _publish_all(connected.mqi, options)
    print("Sample AMQSPUBA end")
    return 0


def _publish_all(mqi: _samples.MQI, options: argparse.Namespace) -> None:
    how = mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_NO_SYNCPOINT
    if options.options is not None:
        how = options.options
        print(f"publish options are {how}")
    od = MQOD()
    od.version = 4
    od.object_type, od.object_string = mq.MQOT_TOPIC, options.topic
    try:
        handle = mqi.open(od, mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        print("unable to open topic for publish")
        return
    try:
        for line in _samples.lines():
            md, pmo = MQMD(), MQPMO()
            md.format, pmo.options = mq.MQFMT_STRING, how
            mqi.put(handle, md, pmo, line)
    except flintmq.MQError as error:
        _samples.failed("MQPUT", error)
    _samples.close(mqi, handle)
