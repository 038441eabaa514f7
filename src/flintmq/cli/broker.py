"""flint broker: run message flows on a queue manager: as a service, or in the foreground.

    flint broker create BRK -q QM1
    flint broker start BRK
    flint broker create-group BRK -e default
    flint broker deploy BRK -e default -a orders.bar
    flint broker list BRK -r
    flint broker run Shop --qmgr QM1
    flint broker run orders.bar --qmgr QM1 --create-queues
    flint broker run Shop --qmgr QM1 --channel DEV.APP.SVRCONN --conn "127.0.0.1(1414)" --user app
    flint broker run Shop --qmgr QM1 --channel TLS.APP --conn "mq.example(1414)" --cipher-spec ANY_TLS13
    flint broker run Shop --qmgr QM1 --set "shop.Orders#Get order.queueName=TEST.IN" --http-port 7801
    flint broker run Shop --qmgr QM1 --statistics snapshot:nodes=advanced,output=json+smf --output-dir OUT

A broker that was created is a service: it runs the deployments of its execution groups until it is stopped, and again
after a start. `flint broker NAME --help` explains each command; the classic names are commands of their own:

    create  delete  change             mqsicreatebroker  mqsideletebroker  mqsichangebroker
    start  stop  list                  mqsistart  mqsistop  mqsilist
    create-group  delete-group         mqsicreateexecutiongroup  mqsideleteexecutiongroup
    deploy  start-flow  stop-flow      mqsideploy  mqsistartmsgflow  mqsistopmsgflow
    change-properties                  mqsichangeproperties
    report-properties                  mqsireportproperties
    change-statistics                  mqsichangeflowstats
    report-statistics                  mqsireportflowstats
    change-monitoring                  mqsichangeflowmonitoring
    report-monitoring                  mqsireportflowmonitoring
    change-trace  report-trace         mqsichangetrace  mqsireporttrace
    transactions                       mqsitransactions
    log  explain                       mqsireadlog  mqsiexplain
    read-bar  override-bar             mqsireadbar  mqsiapplybaroverride

`run` is a broker with one execution group in the foreground, for development: every flow of the directory or BAR
starts, and restarts when a file changes. Messages are taken from queues and put to queues in units of work. A
message that a flow does not handle is backed out, and after BOTHRESH attempts goes to the backout queue or to the
dead-letter queue.
Ctrl-C ends it after the messages in flight.

Without --channel and --conn the queue manager is one of this machine, or the one that MQSERVER and mqclient.ini name.
The password of --user comes from the environment variable FLINTMQ_PASSWORD, that of a key repository in PKCS#12 from
MQKEYRPWD. Needs the broker extra.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

from flintmq.cli import _broker, main

NAME = "broker"
SUMMARY = "run message flows on a queue manager: as a service, or in the foreground"
#: Options of `run` that are keyword arguments of flintmq.connect.
_CONNECT = ("channel", "conn", "user", "cipher_spec", "key_repository", "certificate_label", "ssl_peer")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
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
    _broker.tls_arguments(run)
    run.add_argument("--name", default="FLINTMQ", help="name of the broker")
    run.add_argument("--group", default="default", help="name of the execution group")
    run.add_argument("--set", action="append", default=[], metavar="FLOW#NODE.PROPERTY=VALUE", help="override")
    run.add_argument("--data-source", action="append", default=[], metavar="NAME=URL", help="database")
    run.add_argument("--http-port", type=int, default=7800, help="port of HTTP nodes on 127.0.0.1 (7800)")
    run.add_argument("--workers", type=int, default=0, help="worker processes (default: number of cores)")
    run.add_argument("--create-queues", action="store_true", help="define queues of the flows that are missing")
    for name, classic in _broker.COMMANDS.items():
        command = main.load(classic)
        text = command.__doc__.strip().replace(f"    {classic} ", f"    flint broker {name} ")
        parser = actions.add_parser(
            name,
            help=command.SUMMARY,
            description=text.replace(f"flint {classic}:", f"flint broker {name}:"),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.arguments(parser)
    run.add_argument(
        "--statistics",
        action="append",
        default=[],
        metavar="STREAM[:OPTIONS]",
        help="collect flow statistics: snapshot:nodes=advanced,threads=basic,output=json+smf; or archive:...",
    )
    run.add_argument("--statistics-seconds", type=float, default=20.0, metavar="S", help="between snapshots (20)")
    run.add_argument("--statistics-minutes", type=float, default=60.0, metavar="M", help="archive interval (60)")
    run.add_argument(
        "--monitoring", default="", metavar="on|PROFILE", help="emit monitoring events of flows, or of a profile"
    )
    run.add_argument("--user-trace", default="none", choices=("none", "normal", "debug"), help="trace every node")
    run.add_argument("--metrics-port", type=int, metavar="N", help="serve metrics for Prometheus on 127.0.0.1")
    run.add_argument("--output-dir", default="", metavar="DIR", help="where CSV, SMF and user trace files go")


def run(args: argparse.Namespace) -> int:
    """Run the command. Return the exit code."""
    if args.action in _broker.COMMANDS:
        return main.load(_broker.COMMANDS[args.action]).run(args)
    from flintmq.broker.runtime.foreground import Foreground

    path: Path = args.path
    if not path.exists():
        print(f"flint broker: {path} is not there", file=sys.stderr)
        return 2
    try:
        overrides = dict(_pair(text, "--set") for text in args.set)
        sources = {name: {"url": url} for name, url in (_pair(text, "--data-source") for text in args.data_source)}
        settings = _settings(args)
    except (ValueError, OSError) as error:
        print(f"flint broker: {error}", file=sys.stderr)
        return 2
    connect: dict[str, Any] = {key: getattr(args, key) for key in _CONNECT if getattr(args, key)}
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
        settings=settings,
        directory=os.path.abspath(args.output_dir) if args.output_dir else "",
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: foreground.end())
    foreground.run()
    return 0


def _settings(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the settings of the group: statistics, monitoring, user trace. Raise ValueError, OSError."""
    from flintmq.broker.runtime.monitoring.profile import read_profile
    from flintmq.broker.runtime.statistics.settings import SETTING, of_options

    found: dict[str, Any] = {}
    if args.statistics:
        found[SETTING] = of_options(args.statistics, args.statistics_seconds, args.statistics_minutes).text()
    if args.monitoring:
        found["monitoring.active"] = "true"
        if args.monitoring != "on":
            text = Path(args.monitoring).read_text(encoding="utf-8")
            read_profile(text)
            found["monitoring.profile"] = text
    if args.user_trace != "none":
        if not args.output_dir:
            raise ValueError("--user-trace needs --output-dir")
        found["trace.level"] = args.user_trace
    if args.metrics_port is not None:
        found["metrics.port"] = str(args.metrics_port)
    return {"": found} if found else {}


def _pair(text: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name:
        raise ValueError(f"{option} {text!r} is not NAME=VALUE")
    return name, value
