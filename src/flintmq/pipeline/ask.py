"""Ask the session that `flint pipeline serve` keeps: its address, the protocol, and the asking side.

    OUT/_flint/serve/           mode 0700
    OUT/_flint/serve/socket     a Unix socket, mode 0600: nothing listens on the network
    OUT/_flint/serve/lock       locked (flock) by the process that serves

Each side writes lines of JSON.

    asks      {"build": ..., "master": ..., "do": "sql", "with": {...}}    `with` has the fields of a Request (work.py)
              {"do": "stop"}
    serves    {"progress": ["loading", 3, 10]}      any number of times
              {"answer": {...}} or {"error": text, "option": true} or {"refused": why}

Rules:

    S1  The socket is in a directory of mode 0700. Each side checks that the other has the same user (SO_PEERCRED).
    S2  A request is refused if the two sides run different code (`build`) or if it asks for another master. The command
        then starts a session of its own and says so.
    S3  An asking process that goes away, or Ctrl-C there, ends its jobs.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import flintmq
from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.tables.place import state
from flintmq.pipeline.tables.run import Progress
from flintmq.pipeline.work import KINDS, Request, Result

_SOCKET = "socket"
_PEER = struct.Struct("iII")  # Process, user and group of SO_PEERCRED.
#: How long an asking process waits for a connection to be accepted.
CONNECT_MAX_S = 5.0

Line = dict[str, Any]


class NotServed(Exception):
    """The session that is kept cannot be used. The text says why."""


def place_of(out: Path) -> Path:
    """Return the directory of the socket."""
    return state(out) / "serve"


def build() -> str:
    """Return the identity of the code, which both sides must share: release, place and age."""
    package = Path(flintmq.__file__).resolve().parent
    sources = [*(package / "pipeline").rglob("*.py"), *(package / "telemetry" / "smf").rglob("*.py")]
    ages = sorted((str(path), path.stat().st_mtime_ns) for path in sources)
    return hashlib.sha256(f"{flintmq.__version__} {ages}".encode()).hexdigest()[:16]


@contextlib.contextmanager
def address_of(place: Path) -> Iterator[str]:
    """Yield the address of the socket. It goes by way of an open directory: an address has at most 107 bytes."""
    directory = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{directory}/{_SOCKET}"
    finally:
        os.close(directory)


def peer_user(connection: socket.socket) -> int:
    """Return the user of the process at the other end."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    return int(_PEER.unpack(found)[1])


def is_there(out: Path) -> bool:
    """Return whether a socket is there that this user can see. Its process may be gone."""
    try:
        return (place_of(out) / _SOCKET).is_socket()
    except PermissionError:
        return False  # Another user keeps a session (S1).


def connect(out: Path) -> socket.socket:
    """Connect to the process that serves a directory of tables. Raises NotServed."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_MAX_S)
        with address_of(place_of(out)) as address:
            connection.connect(address)
        if peer_user(connection) != os.getuid():
            raise NotServed("it belongs to another user")
        connection.settimeout(None)
    except OSError as error:
        connection.close()
        raise NotServed(f"it does not answer: {error.strerror or error}") from None
    except NotServed:
        connection.close()
        raise
    return connection


def ask(out: Path, master: str, request: Request, progress: Progress) -> Result:
    """Have a request carried out. Raises NotServed if it was not begun, PipelineError if it failed."""
    kind = next(name for name, known in KINDS.items() if isinstance(request, known))
    with connect(out) as connection, connection.makefile("rw", encoding="utf-8") as file:
        _say(file, {"build": build(), "master": master, "do": kind, "with": asdict(request)})
        while "answer" not in (line := _next_line(file)):
            if "progress" in line:
                progress(*line["progress"])
            elif "refused" in line:
                raise NotServed(line["refused"])
            else:
                raise (BadOption if line.get("option") else PipelineError)(line["error"])
        return Result(**line["answer"])


def _next_line(file: Any) -> Line:
    """Read a line of the process that serves. Raises PipelineError if that process is gone."""
    try:
        text = file.readline()
    except OSError:
        text = ""
    if not text.endswith("\n"):
        raise PipelineError("the session that `flint pipeline serve` keeps ended before it answered")
    line: Line = json.loads(text)
    return line


def stop(out: Path) -> bool:
    """End the process that serves a directory, and wait until it is gone; False if there is none."""
    if not is_there(out):
        return False
    try:
        with connect(out) as connection, connection.makefile("rw", encoding="utf-8") as file:
            _say(file, {"do": "stop"})
            while file.readline():
                pass  # The process closes the connection when it has ended its session.
    except NotServed:
        return False
    return True


def _say(file: Any, line: Line) -> None:
    try:
        file.write(json.dumps(line) + "\n")
        file.flush()
    except OSError as error:
        raise NotServed(f"it does not answer: {error.strerror or error}") from None
