"""flint amqssub: subscribe to a topic and print publications, until nothing has come for 30 seconds.

    amqssub 'dev/#' QM1
    amqssub --wait 5 dev/orders

MQ's sample program, with its arguments and its output; --wait is our own. The subscription ends with the program.

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
from flintmq.mqi.sd import MQSD

NAME = "amqssub"
SUMMARY = "sample program: print the publications of a topic"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", help="the topic string")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("options", nargs="?", type=int, help="MQSO options (8226)")
    parser.add_argument("--wait", type=float, default=30.0, metavar="SECONDS", help="for the next publication (30)")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSSUBA start")
    if not options.topic:
        print("Required parameter missing - topic string")
        return _samples.MISSING
    with _samples.connect(options.name, NAME, "MQCONN") as connected:
        _print_all(connected.mqi, options)
    print("Sample AMQSSUBA end")
    return 0


def _print_all(mqi: _samples.MQI, options: argparse.Namespace) -> None:
    sd = MQSD()
    sd.options = mq.MQSO_CREATE | mq.MQSO_NON_DURABLE | mq.MQSO_FAIL_IF_QUIESCING | mq.MQSO_MANAGED
    if options.options is not None:
        sd.options = options.options
        print(f"MQSUB SD.Options are {sd.options}")
    sd.object_string = options.topic
    try:
        handle, subscription = mqi.sub(sd)
    except flintmq.MQError as error:
        _samples.failed("MQSUB", error)
        print("unable to subscribe to topic")
        return
    try:
        while True:
            md, gmo = MQMD(), MQGMO()
            gmo.options = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_CONVERT | mq.MQGMO_NO_PROPERTIES
            gmo.version, gmo.wait_interval = 2, int(options.wait * 1000)
            print(f"Calling MQGET : {options.wait:g} seconds wait time", flush=True)
            data = mqi.get(handle, md, gmo)
            if mqi.reason:
                print(f"MQGET ended with reason code {mqi.reason}")
            print(f"message <{_samples.text(data)}>", flush=True)
    except flintmq.MQError as error:
        if error.reason == MQRC_NO_MSG_AVAILABLE:
            print("no more messages")
        else:
            _samples.failed("MQGET", error)
    _samples.close(mqi, subscription)
    _samples.close(mqi, handle)
