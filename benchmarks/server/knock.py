"""Clients of `bench clients` that connect with passwords, all at once, in a process of their own.

    python -m benchmarks.server.knock '{"at": "127.0.0.1:1414", "channel": "BENCH.PASSWORD", "count": 100}'

For a line of input it connects `count` clients, each as another user, u0, u1 ..., and prints how many seconds the last
has waited; then they are gone. One that is refused ends the process with a message.
"""

from __future__ import annotations

import json
import sys
import threading
import time

import flintmq

PASSWORD = "bench passw0rd"
_TIMEOUT_S = 120.0


def main(arguments: list[str]) -> int:
    given = json.loads(arguments[0])
    host, _, port = given["at"].partition(":")
    print("ready", flush=True)
    for _ in sys.stdin:
        failed: list[str] = []
        begun = time.monotonic()
        callers = [
            threading.Thread(target=knock, args=(f"{host}({port})", given["channel"], f"u{number}", failed))
            for number in range(given["count"])
        ]
        for each in callers:
            each.start()
        for each in callers:
            each.join()
        if failed:
            raise SystemExit(f"{len(failed)} clients were refused: {failed[0]}")
        print(time.monotonic() - begun, flush=True)
    return 0


def knock(conn: str, channel: str, user: str, failed: list[str]) -> None:
    """One client."""
    try:
        with flintmq.connect("", channel=channel, conn=conn, user=user, password=PASSWORD, timeout=_TIMEOUT_S):
            pass
    except flintmq.MQError as error:
        failed.append(str(error))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
