"""flint mqsichangeproperties: change properties of a broker, a group, a policy or a flow, while it runs.

    mqsichangeproperties BRK -e default -k Shop -o shop.Orders -n Region,additionalInstances -v north,3
    mqsichangeproperties BRK -e default -k Shop -o "shop.Orders#Get order" -n queueName -v OTHER.IN
    mqsichangeproperties BRK -e default -o "{Tuning}:Fast" -n additionalInstances -v 4
    mqsichangeproperties BRK -e default -o HTTPConnector -n port -v 7810
    mqsichangeproperties BRK -o DataSource/SHOP -n url,user,passwordFile -v postgresql://db.example/shop,app,/etc/shop.pw
    mqsichangeproperties BRK -o DataSource/SHOP --delete
    mqsichangeproperties BRK -o QueueManager -n cipherSpec,keyRepository -v ANY_TLS13,/etc/flintmq/broker.pem
    mqsichangeproperties BRK -e default -o ComIbmMQConnectionManager -n queueCacheMaxSize -v 100

Objects of a broker: QueueManager, DataSource/NAME. Objects of a group (-e): ExecutionGroup (workers, queueHandles),
ComIbmMQConnectionManager (queueCacheMaxSize), HTTPConnector (address, port), a policy {Project}:Name, a flow, a node
Flow#Node. Properties of a flow are its user-defined and promoted ones and those of the descriptor. A name without a
value (`-n Region -v ""` sets an empty one) is reset to its own value with --reset. Flows that the change concerns
finish their messages and go on with the new values; deploying the application again sets flows and nodes back.

Values with a comma need a -n and -v of their own.

Exit codes: 0; 1 refused, nothing has changed.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker
from flintmq.cli._failure import CommandFailed

NAME = "mqsichangeproperties"
SUMMARY = "change properties of a broker, a group, a policy or a flow, while it runs"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-e", metavar="GROUP", default="", help="execution group")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application of the flow")
    parser.add_argument("-o", metavar="OBJECT", required=True, help="object")
    parser.add_argument("-n", metavar="NAMES", action="append", default=[], help="properties, commas between")
    parser.add_argument("-v", metavar="VALUES", action="append", default=[], help="their values, commas between")
    parser.add_argument("--reset", action="store_true", help="undo the changes of these properties")
    parser.add_argument("--delete", action="store_true", help="delete the data source")


def run(options: argparse.Namespace) -> int:
    values: dict[str, str | None] = {}
    if not options.reset and len(options.n) != len(options.v):
        raise CommandFailed("each -n needs its -v", exit_code=2)
    for number, names in enumerate(options.n):
        keys = names.split(",")
        given = [None] * len(keys) if options.reset else _values(options.v[number], len(keys))
        values.update(zip(keys, given, strict=True))
    return _broker.send(
        options.broker,
        "change properties",
        group=options.e,
        application=options.k,
        object=options.o,
        values=values,
        delete=options.delete,
    )


def _values(text: str, count: int) -> list[str | None]:
    """Return the values of one -v."""
    found: list[str | None] = [text] if count == 1 else [*text.split(",")]
    if len(found) != count:
        raise CommandFailed(f"{count} names and {len(found)} values: {text}", exit_code=2)
    return found
