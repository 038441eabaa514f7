"""flint mqsichangeflowstats: collect statistics of message flows, or stop collecting.

    mqsichangeflowstats BRK -s -e default -j -c active -n advanced -t basic -o json
    mqsichangeflowstats BRK -a -g -j -c active -o smf
    mqsichangeflowstats BRK -a -e default -k Shop -f shop.Orders -b basic
    mqsichangeflowstats BRK -a -e default -j -r
    mqsichangeflowstats BRK -s -g -j -c inactive

-s is the snapshot of every 20 seconds, -a the archive of every hour (mqsichangebroker -v). -j is for all flows, those
that are deployed later too; -f for one. Options that are not given keep their values. -n counts nodes (basic) and
their terminals (advanced), -t threads, -b parts a flow's numbers by Environment.Broker.Accounting.Origin. -o takes
one or more of usertrace, json, xml, csv, smf, with commas; json and xml are published, files are in the directory of
the broker's log. -r writes the counts of the archive so far and begins a new interval.

Exit codes: 0; 1 the object does not exist, or an option is wrong.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsichangeflowstats"
SUMMARY = "collect statistics of message flows, or stop collecting"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser)
    _broker.stream_arguments(parser)
    _broker.flow_arguments(parser)
    parser.add_argument("-c", choices=("active", "inactive"), help="collect or not")
    parser.add_argument("-b", choices=("none", "basic"), help="accounting origins")
    parser.add_argument("-t", choices=("none", "basic"), help="threads")
    parser.add_argument("-n", choices=("none", "basic", "advanced"), help="nodes, and their terminals")
    parser.add_argument("-o", metavar="FORMATS", help="usertrace, json, xml, csv, smf")
    parser.add_argument("-r", action="store_true", help="end the interval of the archive now")


def run(options: argparse.Namespace) -> int:
    given = {
        "active": options.c,
        "origin": options.b,
        "threads": options.t,
        "nodes": options.n,
        "outputs": options.o,
    }
    return _broker.send(
        options.broker,
        "change statistics",
        stream="SnapShot" if options.s else "Archive",
        options={name: value for name, value in given.items() if value is not None},
        reset=options.r,
        **_broker.flow_fields(options),
    )
