"""flint mqsilist: list brokers, execution groups and deployments.

    mqsilist
    mqsilist BRK
    mqsilist BRK -e default
    mqsilist BRK -e default -k Shop
    mqsilist BRK -r -d 2

Without a name it lists the brokers of this machine, with one its execution groups, with -e the deployments of a
group, with -k the flows of an application. -r lists all levels. -d 2 adds time and user of deployments,
instances with their queues, and processes.

Exit codes: 0; 1 the object does not exist.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _broker

NAME = "mqsilist"
SUMMARY = "list brokers, execution groups and deployments"


def arguments(parser: argparse.ArgumentParser) -> None:
    _broker.broker_argument(parser, optional=True)
    parser.add_argument("-e", metavar="GROUP", default="", help="execution group")
    parser.add_argument("-k", metavar="APPLICATION", default="", help="application")
    parser.add_argument("-d", type=int, choices=(0, 1, 2), default=1, help="detail (1)")
    parser.add_argument("-r", action="store_true", help="everything below as well")


def run(options: argparse.Namespace) -> int:
    _broker.need_extra()
    if options.broker:
        return _broker.send(
            options.broker, "list", group=options.e, application=options.k, detail=options.d, recursive=options.r
        )
    from flintmq.broker.admin import messages, process
    from flintmq.broker.admin.place import places
    from flintmq.broker.admin.refusal import Refused
    from flintmq.broker.admin.repository import Repository

    for place in places():
        try:
            repository = Repository(place.name, place.repository_url())
            found = repository.found()
            repository.close()
        except Refused as error:
            print(error)
            continue
        number = 1284 if process.is_running(place) else 1285
        print(messages.line(number, place.name, found.queue_manager if found is not None else ""))
        if options.r:
            _broker.send_quietly(place, "list", detail=options.d, recursive=True)
    return _broker.done()
