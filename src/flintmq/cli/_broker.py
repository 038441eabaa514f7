"""Shared by the commands of the broker: the table of their names, and how a request is sent and answered.

A command stands in a file with its classic name. COMMANDS gives it a place below `flint broker` as well. A new one
needs a file, a row here, and a row in pyproject.toml.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from typing import TYPE_CHECKING, Any

from flintmq.cli._failure import CommandFailed

if TYPE_CHECKING:
    from flintmq.broker.admin.place import Place

#: `flint broker NAME` to the classic name.
COMMANDS = {
    "create": "mqsicreatebroker",
    "delete": "mqsideletebroker",
    "change": "mqsichangebroker",
    "start": "mqsistart",
    "stop": "mqsistop",
    "list": "mqsilist",
    "create-group": "mqsicreateexecutiongroup",
    "delete-group": "mqsideleteexecutiongroup",
    "deploy": "mqsideploy",
    "start-flow": "mqsistartmsgflow",
    "stop-flow": "mqsistopmsgflow",
    "change-properties": "mqsichangeproperties",
    "report-properties": "mqsireportproperties",
    "change-statistics": "mqsichangeflowstats",
    "report-statistics": "mqsireportflowstats",
    "change-monitoring": "mqsichangeflowmonitoring",
    "report-monitoring": "mqsireportflowmonitoring",
    "change-trace": "mqsichangetrace",
    "report-trace": "mqsireporttrace",
    "transactions": "mqsitransactions",
    "log": "mqsireadlog",
    "read-bar": "mqsireadbar",
    "override-bar": "mqsiapplybaroverride",
    "explain": "mqsiexplain",
}


def broker_argument(parser: argparse.ArgumentParser, optional: bool = False) -> None:
    """Declare the name of the broker."""
    if optional:
        parser.add_argument("broker", metavar="BROKER", nargs="?", default="", help="name of the broker")
    else:
        parser.add_argument("broker", metavar="BROKER", help="name of the broker")


def connection_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how the queue manager is reached."""
    parser.add_argument("--channel", default="", help="server-connection channel")
    parser.add_argument("--conn", default="", help='where it listens: "host(port)"')
    parser.add_argument("--user", "-i", default="", help="user of the connection")
    parser.add_argument("--password-file", metavar="FILE", default="", help="file with the password of the user")
    parser.add_argument("--password-variable", metavar="NAME", default="", help="environment variable with it")
    tls_arguments(parser)
    parser.add_argument(
        "--key-repository-password-file",
        metavar="FILE",
        default="",
        help="file with the key repository's password",
    )
    parser.add_argument(
        "--key-repository-password-variable", metavar="NAME", default="", help="environment variable with it"
    )


def tls_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare TLS of the connection to the queue manager."""
    parser.add_argument("--cipher-spec", metavar="NAME", default="", help="CipherSpec of the channel: use TLS")
    parser.add_argument("--key-repository", metavar="FILE", default="", help="certificates, in PEM or PKCS#12")
    parser.add_argument("--certificate-label", metavar="LABEL", default="", help="the broker's own certificate")
    parser.add_argument("--ssl-peer", metavar="PATTERN", default="", help="name of the queue manager's certificate")


def connection(options: argparse.Namespace) -> dict[str, str]:
    """Return the settings of the connection that were given."""
    given = {
        "channel": options.channel,
        "conn": options.conn,
        "user": options.user,
        "passwordFile": _absolute(options.password_file),
        "passwordVariable": options.password_variable,
        "cipherSpec": options.cipher_spec,
        "keyRepository": _absolute(options.key_repository),
        "keyRepositoryPasswordFile": _absolute(options.key_repository_password_file),
        "keyRepositoryPasswordVariable": options.key_repository_password_variable,
        "certificateLabel": options.certificate_label,
        "sslPeer": options.ssl_peer,
    }
    return {key: value for key, value in given.items() if value}


def _absolute(path: str) -> str:
    """Return a path as the process of the broker finds it."""
    return os.path.abspath(path) if path else ""


def wait_argument(parser: argparse.ArgumentParser) -> None:
    """Declare how long a command waits for flows to start or stop."""
    parser.add_argument("-w", metavar="SECONDS", type=int, default=60, help="wait so long for flows to start (60)")


def start_stop_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the target that a command starts or stops: a flow, an application, a group or all groups."""
    broker_argument(parser)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("-e", metavar="GROUP", default="", help="execution group")
    where.add_argument("-g", action="store_true", help="all execution groups")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application")
    parser.add_argument("-m", metavar="FLOW", default="", help="message flow")
    wait_argument(parser)


def send_start_stop(do: str, options: argparse.Namespace) -> int:
    """Send the request `do` for the objects that `start_stop_arguments` has read; return the exit code."""
    return send(
        options.broker,
        do,
        group=options.e,
        all=options.g,
        application=options.k,
        flow=options.m,
        wait=options.w,
    )


def located(name: str) -> Place:
    """Return the place of a broker that exists."""
    need_extra()
    from flintmq.broker.admin.place import existing

    return existing(name)


def need_extra() -> None:
    """Raise CommandFailed if the broker extra is not installed."""
    missing = [name for name in ("lxml", "sqlalchemy", "psycopg") if importlib.util.find_spec(name) is None]
    if missing:
        raise CommandFailed(f"the broker needs its extra ({missing[0]}): pip install 'flintmq[broker]'")


def send(name: str, do: str, **fields: Any) -> int:
    """Send a request to a broker, print the answer, and return the exit code."""
    place = located(name)
    from flintmq.broker.admin import process

    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        # Problems go to standard error, so that the report can be piped.
        wrong = line[:3] == "BIP" and line[3:7].isdigit() and line[7:9] in ("E:", "W:")
        print(line, file=sys.stderr if wrong else sys.stdout, flush=True)

    code = process.send(place, {"do": do, **fields}, say)
    return done() if code == 0 else code


def send_quietly(place: Place, do: str, **fields: Any) -> None:
    """Send a request and print the answer without a last line."""
    from flintmq.broker.admin import process

    process.send(place, {"do": do, **fields}, print)


def done() -> int:
    """Print that the command was successful and return the exit code."""
    from flintmq.broker.admin.messages import line

    print(line(8071))
    return 0


def send_plainly(name: str, do: str, **fields: Any) -> int:
    """Send a request and print nothing but its answer. Return the exit code."""
    place = located(name)
    from flintmq.broker.admin import process

    def say(line: str) -> None:
        print(line, end="" if line.endswith("\n") else "\n", file=sys.stderr if line.startswith("BIP") else sys.stdout)

    return process.send(place, {"do": do, **fields}, say)


def stream_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which stream of statistics is meant."""
    stream = parser.add_mutually_exclusive_group(required=True)
    stream.add_argument("-a", action="store_true", help="archive")
    stream.add_argument("-s", action="store_true", help="snapshot")


def flow_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which flows of which groups are meant."""
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("-e", metavar="GROUP", default="", help="execution group")
    where.add_argument("-g", action="store_true", help="all execution groups")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("-f", metavar="FLOW", default="", help="message flow")
    which.add_argument("-j", action="store_true", help="all message flows")


def flow_fields(options: argparse.Namespace) -> dict[str, Any]:
    """Return the request fields for the options that `flow_arguments` declares."""
    return {"group": options.e, "all_groups": options.g, "application": options.k, "flow": options.f}
