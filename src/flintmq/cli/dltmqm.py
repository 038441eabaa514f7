"""flint dltmqm: delete a queue manager, with its log, its page sets and all messages on it.

    dltmqm QM1
    dltmqm -z QM1

Refused while somebody has it open. One that was never completely created can be deleted, too.

Exit codes: 0 deleted; 5 somebody has it open; 16 does not exist; 72 bad name; 71 anything unexpected.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq.cli import _control
from flintmq.host import instance, lifecycle

NAME = "dltmqm"
SUMMARY = "delete a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the queue manager's name")
    parser.add_argument("-z", action="store_true", help="say nothing when all is well")


def run(options: argparse.Namespace) -> int:
    try:
        lifecycle.delete(instance.by_name(options.name))
    except flintmq.InvalidName as error:
        return _control.refuse(f"AMQ7048E: {error.text}", _control.BAD_NAME)
    except flintmq.QueueManagerInUse:
        return _control.refuse_running(instance.by_name(options.name))
    except flintmq.QueueManagerNotFound as error:
        return _control.refuse(f"AMQ8118E: {error.text}", _control.DOES_NOT_EXIST)
    if not options.z:
        print(f"FlintMQ queue manager '{options.name}' deleted.")
    return 0
