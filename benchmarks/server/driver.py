"""The process of a load of `bench wire`: one thread and one epoll drive all its sockets.

    python -m benchmarks.server.driver '{"kind": "request_reply", "first_at": "127.0.0.1:1414", ...}'

It connects, prints `ready`, and then for each line `N` of its input makes N round trips (or passes N messages) and
prints what it took in seconds. What its sockets say is in load.py, which is compiled as the queue manager is: a load
that is slower than what it loads finds it idle, and wakes it up for every request.
"""

from __future__ import annotations

import json
import select
import sys
import time

from benchmarks.server.actor import Run, serve
from benchmarks.server.load import actors
from benchmarks.server.plan import Plan


def main() -> None:
    plan = Plan(**json.loads(sys.argv[1]))
    run = Run()
    everybody = actors(plan, run)
    poll = select.epoll()
    by_number = {}
    for actor in everybody:
        actor.socket.setblocking(False)
        by_number[actor.socket.fileno()] = actor
        poll.register(actor.socket.fileno(), select.EPOLLIN)
    print("ready", flush=True)
    for line in sys.stdin:
        run.to_start = run.to_end = int(line)
        began = time.perf_counter()
        for actor in everybody:
            actor.start()
        serve(run, poll, by_number)
        print(time.perf_counter() - began, flush=True)


if __name__ == "__main__":
    main()
