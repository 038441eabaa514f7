"""flint amqsgbr: print the messages of a queue and leave them there.

    amqsgbr DEV.QUEUE.1 QM1

MQ's sample program, with its arguments and its output. amqsbcg shows the descriptors too.

Exit codes: 0; 99 an argument is missing; else the low byte of the reason why there is no connection.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _samples
from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_TRUNCATED_MSG_ACCEPTED

NAME = "amqsgbr"
SUMMARY = "sample program: browse the messages of a queue"

LENGTH_MAX = 65535


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("queue", nargs="?", help="the queue")
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")


def run(options: argparse.Namespace) -> int:
    print("Sample AMQSGBR0 (browse) start")
    if not options.queue:
        print("Required parameter missing - queue name")
        return _samples.MISSING
    print(options.name or "")
    with _samples.connect(options.name, NAME) as connected:
        _browse(connected.mqi, options.queue)
    print("Sample AMQSGBR0 (browse) end")
    return 0


def _browse(mqi: _samples.MQI, name: str) -> None:
    try:
        handle = mqi.open(_samples.queue(name), mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING)
    except flintmq.MQError as error:
        _samples.failed("MQOPEN", error)
        print("unable to open queue for input")
        return
    number = 0
    try:
        while True:
            md, gmo = MQMD(), MQGMO()
            gmo.options = mq.MQGMO_NO_WAIT | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
            data = mqi.get(handle, md, gmo, LENGTH_MAX)
            if number == 0:
                print(f"Messages for {gmo.resolved_q_name:<48}")
            number += 1
            print(f"{number} <{_samples.text(data)}>")
            if mqi.reason == MQRC_TRUNCATED_MSG_ACCEPTED:
                print("  --- truncated")
    except flintmq.MQError as error:
        if error.reason == MQRC_NO_MSG_AVAILABLE:
            print("no more messages")
        else:
            _samples.failed("MQGET", error)
    _samples.close(mqi, handle)
