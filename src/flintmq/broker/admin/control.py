"""The control socket of a running broker: protocol between broker and commands.

A Unix socket `control` in the broker's directory, for its owner only. A line is a JSON object. A client sends one
request (administration.py) and reads answers until the last:

    -> {"do": "list", "recursive": true}
    <- {"line": "BIP1286I: Execution group 'default' on broker 'BRK' is running."}
    <- {"code": 0}

`{"do": "end"}` is the server's own: the broker ends, as by SIGTERM. A line that is too long or no JSON is answered with
an error and the connection closed. Each connection has a thread; at most CONNECTIONS_MAX are served, and a client that
sends nothing is hung up on.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, Final

from flintmq.broker.admin.administration import Administration
from flintmq.broker.admin.place import Place
from flintmq.host.environment import socket_path

NAME: Final = "control"
LINE_MAX: Final = 1 << 20
CONNECTIONS_MAX: Final = 32
#: How long a client may take to send its request.
REQUEST_S: Final = 30.0
#: How long a command waits for the next answer: a deployment finishes the messages under way.
ANSWER_S: Final = 600.0


class NotRunning(Exception):
    """Nobody listens."""


class ControlServer:
    """The socket of the broker process."""

    def __init__(self, admin: Administration, end: Callable[[], None]) -> None:
        self._admin = admin
        self._end = end
        self._path = admin.place.directory / NAME
        self._slots = threading.BoundedSemaphore(CONNECTIONS_MAX)
        # The broker's lock is ours: a socket that is there is left over.
        self._path.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            before = os.umask(0o177)
            try:
                with socket_path(admin.place.directory, NAME) as path:
                    self._socket.bind(path)
            finally:
                os.umask(before)
            self._socket.listen(CONNECTIONS_MAX)
        except BaseException:
            self._socket.close()
            raise
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)

    def start(self) -> None:
        """Start to listen."""
        self._thread.start()

    def close(self) -> None:
        """Stop to listen."""
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            if not self._slots.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._serve, args=(connection,), name="command", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(REQUEST_S)
            with connection, connection.makefile("rb") as reader:
                self._answer(connection, reader)
        except (OSError, ValueError):
            pass  # The client has disconnected. Its request is complete.
        finally:
            self._slots.release()

    def _answer(self, connection: socket.socket, reader: BinaryIO) -> None:
        def send(answer: dict[str, Any]) -> None:
            # A client that went away does not stop the work half-way.
            with suppress(OSError):
                connection.sendall(json.dumps(answer).encode() + b"\n")

        line = reader.readline(LINE_MAX + 1)
        if not line:
            return
        request: object = None
        if len(line) <= LINE_MAX:
            with suppress(ValueError, RecursionError):
                request = json.loads(line)
        if isinstance(request, dict) and request.get("do") == "end":
            send({"code": 0})
            self._end()
            return
        code = self._admin.obey(request, lambda text: send({"line": text}))
        send({"code": code})


def ask(place: Place, request: dict[str, Any], say: Callable[[str], None]) -> int:
    """Send a request to a running broker, hand each line of the answer to `say`, and return the exit code.

    Raise NotRunning if no process listens, OSError if the broker goes away before the last answer.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_S)
        try:
            with socket_path(place.directory, NAME) as path:
                connection.connect(path)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            raise NotRunning(place.name) from error
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("rb") as reader:
            for line in reader:
                answer = json.loads(line)
                if "code" in answer:
                    return int(answer["code"])
                say(str(answer["line"]))
    raise ConnectionResetError(f"broker {place.name} has closed the connection")
