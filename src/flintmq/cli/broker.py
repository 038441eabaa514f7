"""flint broker: run message flows on a queue manager.

    flint broker run Shop --qmgr QM1
    flint broker run orders.bar --qmgr QM1 --create-queues
    flint broker run Shop --qmgr QM1 --channel DEV.APP.SVRCONN --conn "127.0.0.1(1414)" --user app
    flint broker run Shop --qmgr QM1 --set "shop.Orders#Get order.queueName=TEST.IN" --http-port 7801

`run` is a broker with one execution group in the foreground, for development: every flow of the directory or BAR
starts, and starts anew when a file changes. Messages are taken from queues and put to queues in units of work. A
message that a flow does not handle is backed out, and after BOTHRESH attempts goes to the backout queue or to the
dead-letter queue.
Ctrl-C ends it: messages under way are finished.

Without --channel and --conn the queue manager is one of this machine, or the one that MQSERVER and mqclient.ini name.
The password of --user comes from the environment variable FLINTMQ_PASSWORD. Needs the broker extra.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

NAME = "broker"
SUMMARY = "run message flows on a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="run")
    summary = "run a directory or BAR in the foreground"
    run = actions.add_parser(
        "run",
        help=summary,
        description=f"{summary.capitalize()}.",
        epilog="flint broker run Shop --qmgr QM1",
        allow_abbrev=False,
    )
    run.add_argument("path", metavar="DIR", type=Path, help="directory of projects, or a BAR file")
    run.add_argument("--qmgr", metavar="NAME", default="", help="queue manager (default: the only one, or MQSERVER's)")
    run.add_argument("--channel", default="", help="server-connection channel")
    run.add_argument("--conn", default="", help='where it listens: "host(port)"')
    run.add_argument("--user", default="", help="user of the connection; password in FLINTMQ_PASSWORD")
    run.add_argument("--name", default="FLINTMQ", help="name of the broker")
    run.add_argument("--group", default="default", help="name of the execution group")
    run.add_argument("--set", action="append", default=[], metavar="FLOW#NODE.PROPERTY=VALUE", help="override")
    run.add_argument("--data-source", action="append", default=[], metavar="NAME=URL", help="database")
    run.add_argument("--http-port", type=int, default=7800, help="port of HTTP nodes on 127.0.0.1 (7800)")
    run.add_argument("--workers", type=int, default=0, help="worker processes (default: number of cores)")
    run.add_argument("--create-queues", action="store_true", help="define queues of the flows that are missing")


def run(args: argparse.Namespace) -> int:
    """Run the command. Return the exit code."""
    from flintmq.broker.runtime.foreground import Foreground

    path: Path = args.path
    if not path.exists():
        print(f"flint broker: {path} is not there", file=sys.stderr)
        return 2
    try:
        overrides = dict(_pair(text, "--set") for text in args.set)
        sources = {name: {"url": url} for name, url in (_pair(text, "--data-source") for text in args.data_source)}
    except ValueError as error:
        print(f"flint broker: {error}", file=sys.stderr)
        return 2
    connect: dict[str, Any] = {key: getattr(args, key) for key in ("channel", "conn", "user") if getattr(args, key)}
    if args.user and "FLINTMQ_PASSWORD" in os.environ:
        connect["password"] = os.environ["FLINTMQ_PASSWORD"]
    foreground = Foreground(
        path,
        args.qmgr,
        connect,
        name=args.name,
        group=args.group,
        overrides=overrides,
        data_sources=sources,
        http_port=args.http_port,
        workers=args.workers,
        create_queues=args.create_queues,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: foreground.end())
    foreground.run()
    return 0


def _pair(text: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise ValueError(f"{option} {text!r} is not NAME=VALUE")
    return name, value
