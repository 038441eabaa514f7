"""Ports for servers of benchmarks and tests that are told where to listen before they run: nobody else gets the same.

The system gives ports of its own range to whoever asks for any, also between the moment in which one is chosen and that
in which its server listens, and while a server is restarted. So these are below that range, and whoever has chosen
one keeps others from choosing it for as long as its process runs: by a name that only one can have.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import socket
import sys
from pathlib import Path

_LOWEST = 10_000
#: Where the system's own range begins, unless it says otherwise.
_HIGHEST = 32_768

#: The names that this process has, by port.
_kept: dict[int, socket.socket] = {}


def _range() -> range:
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        first = _HIGHEST
    return range(_LOWEST, first) if first > _LOWEST + 1000 else range(_LOWEST, _HIGHEST)


def _from_anywhere() -> itertools.cycle[int]:
    ports = list(_range())
    start = random.Random(os.urandom(8)).randrange(len(ports))
    return itertools.cycle(ports[start:] + ports[:start])


_next = _from_anywhere()


def free_port() -> int:
    """A port of the loopback that nobody listens at, for this process alone."""
    for _ in _range():
        port = next(_next)
        if port not in _kept and _reserved(port):
            return port
    raise AssertionError("there is no free port")


def _reserved(port: int) -> bool:
    """Whether it is ours now."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    name = socket.socket(socket.AF_UNIX)
    if sys.platform == "linux":  # Elsewhere there are no names without files, and the chance of a clash is left.
        try:
            name.bind(f"\0flintmq-port-{port}")
        except OSError as error:
            name.close()
            if error.errno == errno.EADDRINUSE:
                return False
    _kept[port] = name
    return True
