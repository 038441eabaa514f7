"""flint mqsicreatebroker: create a broker.

    mqsicreatebroker BRK -q QM1
    mqsicreatebroker BRK -q QM1 --channel DEV.APP.SVRCONN --conn "mq.example(1414)" --user app --password-file app.pw
    mqsicreatebroker BRK -q QM1 --channel TLS.APP --conn "mq.example(1414)" --cipher-spec ANY_TLS13
    mqsicreatebroker BRK -q QM1 --repository postgresql://flint@db.example/brokers

The broker belongs to a queue manager: one of this machine, or with --channel and --conn one elsewhere. The password
of --user is read from a file or an environment variable whenever the broker connects; it is stored nowhere.

With --cipher-spec the connection uses TLS. The key repository (PEM or PKCS#12) has the certificates that are trusted
and, if the channel asks for one, the broker's own with its key; --ssl-peer is checked against the queue manager's.

The repository of the broker holds its configuration and deployments: a file of SQLite in its directory, or a
PostgreSQL database. The password of that database comes from PGPASSFILE or PGPASSWORD.

Exit codes: 0; 1 the broker exists, or its repository cannot be made.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsicreatebroker"
SUMMARY = "create a broker"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    parser.add_argument("-q", metavar="QMGR", default="", help="queue manager (the default one)")
    _broker.connection_arguments(parser)
    parser.add_argument("--repository", metavar="URL", default="", help="SQLAlchemy URL (a file of SQLite)")


def run(options: argparse.Namespace) -> int:
    _broker.need_extra()
    from flintmq.broker.admin import process
    from flintmq.broker.admin.place import locate

    process.create(locate(options.broker), options.q, _broker.connection(options), options.repository)
    return _broker.done()
