"""flint runmqlsr: let a running queue manager listen at one more place, until interrupted.

    runmqlsr -m QM1 -t tcp -p 1415
    runmqlsr -m QM1 -t tcp -p 1415 -i 192.0.2.1

Unless -i names an address it listens on 127.0.0.1, for this machine only; `-i '*'` is every address. The queue manager
itself listens, so that clients stay connected when this command ends. A listener that runs always is a LISTENER object.

Exit codes: 0 ended; 16 no such queue manager; 40 it is not running; 71 it cannot listen there.
"""

from __future__ import annotations

import argparse
import signal

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.cli.endmqm import NOT_RUNNING
from flintmq.host import instance
from flintmq.server.control import Control, NotRunning

NAME = "runmqlsr"
SUMMARY = "listen for clients until interrupted"

LOOPBACK = "127.0.0.1"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="NAME", help="the queue manager (the default one)")
    parser.add_argument("-t", choices=["tcp", "TCP"], default="tcp", help="the protocol (tcp)")
    parser.add_argument("-p", metavar="PORT", type=int, default=1414, help="the port (1414)")
    parser.add_argument("-i", metavar="ADDRESS", default=LOOPBACK, help="the address (127.0.0.1)")
    parser.add_argument("-b", metavar="BACKLOG", type=int, default=100, help="how many may wait to be let in (100)")


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(_control.name_or_default(options.m))
    except (flintmq.QueueManagerError, CommandFailed) as error:
        return _control.refuse(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST)
    address = "" if options.i == "*" else options.i
    try:
        with Control(place) as control:
            reply = control.ask({"do": "listen", "address": address, "port": options.p, "backlog": options.b})
            if "error" in reply:
                return _control.refuse(f"AMQ9218E: {reply['error']}", _control.UNEXPECTED)
            print(f"Queue manager '{place.name}' listens on {reply['address']}({reply['port']}).", flush=True)
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                control.wait()
            except KeyboardInterrupt:
                pass
    except NotRunning:
        return _control.refuse(f"AMQ8146E: queue manager {place.name} is not running", NOT_RUNNING)
    return 0
