"""flint strmqm: start a queue manager, so that clients can connect.

    strmqm QM1
    strmqm --foreground QM1

The queue manager runs in a process of its own until endmqm ends it. It listens where its LISTENER objects with
CONTROL(QMGR) say; `crtmqm -p 1414` and `crtmqm --dev` define one, for this machine only. What it has to say stands in
its error log, errors/AMQERR01.LOG in its directory. The last line says whether its hot modules are compiled or run as
plain Python, which is slower: in a working copy the first start may come before they are compiled; then start it again.

Exit codes: 0 started; 5 it is running; 16 does not exist; 70 damaged; 71 anything unexpected; 72 bad name. With
--foreground, 0 says that it ended because it was told to, 71 that it stopped by itself, after an I/O error for example.
"""

from __future__ import annotations

import argparse

import flintmq
from flintmq._build import build_type
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.host import instance
from flintmq.host.autoconfig import AutoConfigFailed
from flintmq.host.lock import holder_of
from flintmq.server import process

NAME = "strmqm"
SUMMARY = "start a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the queue manager (the default one)")
    parser.add_argument("--foreground", action="store_true", help="serve in this process, until it is ended")
    parser.add_argument("--ready-fd", type=int, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(_control.name_or_default(options.name))
    except (flintmq.QueueManagerError, CommandFailed) as error:
        return _control.refuse(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST)
    if options.foreground:
        return _serve(place, options.ready_fd)
    if not place.exists():
        return _control.refuse(f"AMQ8118E: queue manager {place.name} does not exist", _control.DOES_NOT_EXIST)
    if holder_of(place.lock_path) is not None:
        return _control.refuse_running(place)
    print(f"FlintMQ queue manager '{place.name}' starting.")
    try:
        process.start(place)
    except process.StartFailed as error:
        return _control.refuse(str(error), _control.UNEXPECTED)
    print(f"FlintMQ queue manager '{place.name}' started using V{flintmq.__version__} ({build_type()}).")
    return 0


def _serve(place: instance.Instance, ready_fd: int | None) -> int:
    def ready() -> None:
        if ready_fd is not None:
            process.tell(ready_fd)
        else:
            print(f"FlintMQ queue manager '{place.name}' started ({build_type()}). Control-C ends it.", flush=True)

    try:
        process.serve(place, ready)
    except flintmq.QueueManagerInUse as error:
        return _failed(f"AMQ5625E: {error.text}", _control.RUNNING, ready_fd)
    except flintmq.QueueManagerNotFound as error:
        return _failed(f"AMQ8118E: {error.text}", _control.DOES_NOT_EXIST, ready_fd)
    except AutoConfigFailed as error:
        return _failed(f"AMQ5051E: {error.text}", _control.UNEXPECTED, ready_fd)
    except flintmq.QueueManagerError as error:
        return _failed(f"AMQ7017S: {error.text}", _control.DAMAGED, ready_fd)
    except process.Stopped as error:
        return _control.refuse(f"AMQ6119S: queue manager {place.name} has stopped: {error}", _control.UNEXPECTED)
    except OSError as error:
        return _failed(f"AMQ6119S: {error}", _control.UNEXPECTED, ready_fd)
    return 0


def _failed(text: str, code: int, ready_fd: int | None) -> int:
    if ready_fd is not None:
        process.tell(ready_fd, text)
    return _control.refuse(text, code)
