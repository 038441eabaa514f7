"""Clients of `bench clients` that are connected and do nothing, in a process of their own.

    python -m benchmarks.server.crowd '{"at": "127.0.0.1:1414", "count": 5000}'

It connects all of them and prints `ready`; for each line of input it looks at them, lets every tenth make a call, and
prints how many are there. One that was closed, or whose call fails, ends the process with a message.
"""

from __future__ import annotations

import json
import resource
import select
import sys

from benchmarks.server.actor import Run
from benchmarks.server.load import Client
from benchmarks.server.plan import Plan
from flintmq.wire.mq import segment as seg

SHARING = 10
_EVERY = 10


def main(arguments: list[str]) -> int:
    given = json.loads(arguments[0])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    plan = Plan("crowd", given["at"], given["at"])
    clients = [Client(Run(), plan, given["at"], SHARING) for _ in range(given["count"])]
    print("ready", flush=True)
    for _ in sys.stdin:
        look_at(clients)
        print(len(clients), flush=True)
    return 0


def look_at(clients: list[Client]) -> None:
    """All of them are there: nothing was sent to them, and some of them can call."""
    poll = select.poll()
    for client in clients:
        poll.register(client.socket, select.POLLIN)
    gone = poll.poll(0)
    if gone:
        raise SystemExit(f"{len(gone)} idle clients were closed, or sent something")
    for client in clients[::_EVERY]:
        client.called(seg.MQCMIT, b"")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
