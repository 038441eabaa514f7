"""The broker as a process of its own: create, start, serve, stop; and how a command reaches it.

    create   directory, repository, broker.ini
    start    a new process that runs `serve`; back when its control socket listens
    serve    lock, repository, control socket, groups; until a stop request or SIGTERM
    stop     ask it to end, wait, and kill it if it does not
    send     one request: to the running broker, or on the repository of one that is stopped

A broker starts even if its queue manager is not running: its workers retry, and log each state.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from flintmq.broker.admin import control, observation, properties, requests
from flintmq.broker.admin.administration import REQUESTS, Administration
from flintmq.broker.admin.connection import check
from flintmq.broker.admin.place import Place
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.admin.repository import Repository
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import STOP_S
from flintmq.host.lock import InstanceLock, LockHeld, holder_of
from flintmq.server.process import heard, server_environment, tell

assert requests and properties and observation  # Importing them registers the requests.

START_S: Final = 60.0
STOP_WAIT_S: Final = STOP_S + 15.0
_POLL_S: Final = 0.05
#: How long a broker may hold its lock without a socket: it starts or ends just now.
_CHANGING_S: Final = 10.0


def create(place: Place, queue_manager: str, connection: dict[str, str], repository: str = "") -> None:
    """Create a broker. Raise Refused if it exists, or the connection is wrong, or the repository cannot be made."""
    if place.exists():
        raise Refused(8014, place.name)
    check(place.name, connection)
    place.make()
    made = Repository(place.name, repository or f"sqlite:///{place.directory / 'repository.db'}")
    try:
        if made.found() is not None:
            raise Refused(8014, place.name)
        made.create(queue_manager)
        made.change_settings("property", "QueueManager", dict(connection))
        place.write_ini(repository)
    finally:
        made.close()


def delete(place: Place) -> None:
    """Delete a broker that does not run, with its repository and its log. Raise Refused if it runs."""
    lock = _locked(place)
    try:
        repository = Repository(place.name, place.repository_url())
        repository.drop()
        repository.close()
        place.ini.unlink()
        shutil.rmtree(place.directory, ignore_errors=True)
    finally:
        lock.release()


def _locked(place: Place) -> InstanceLock:
    try:
        return InstanceLock.acquire(place.lock)
    except LockHeld:
        raise Refused(8018, place.name) from None


def is_running(place: Place) -> bool:
    """Return whether the broker process runs."""
    try:
        return control.ask(place, {"do": "ping"}, lambda line: None) == 0
    except (control.NotRunning, OSError, ValueError):
        return False


def send(place: Place, request: dict[str, Any], say: Callable[[str], None]) -> int:
    """Run a request, in the running broker or on the repository of one that is stopped. Return the exit code."""
    end = time.monotonic() + _CHANGING_S
    while True:
        try:
            return control.ask(place, request, say)
        except control.NotRunning:
            pass
        changes = REQUESTS[request["do"]].changes
        try:
            lock = _locked(place) if changes else None
            break
        except Refused:
            # It starts or ends just now.
            if time.monotonic() > end:
                raise
            time.sleep(_POLL_S)
    try:
        repository = Repository(place.name, place.repository_url())
        try:
            # The command prints its messages; the log has the rest.
            log = BrokerLog(place.name, place.log, io.StringIO())
            return Administration(place, repository, log).obey(request, say)
        finally:
            repository.close()
    finally:
        if lock is not None:
            lock.release()


def serve(place: Place, ready: Callable[[], None]) -> None:
    """Run the broker until SIGTERM, SIGINT or a request ends it. Raise Refused if it cannot start."""
    lock = _locked(place)
    ended = threading.Event()
    try:
        repository = Repository(place.name, place.repository_url())
        repository.tighten()
        log = BrokerLog(place.name, place.log)
        admin = Administration(place, repository, log, live=True)
        name = admin.broker().queue_manager
        server = control.ControlServer(admin, ended.set)
        before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            server.start()
            log.write("2001I", "", f"The broker has started; its queue manager is {name or 'the default one'}.")
            ready()
            admin.start_groups()
            ended.wait()
        finally:
            server.close()
            admin.stop_groups()
            log.write("2002I", "", "The broker has stopped.")
            repository.close()
            for number, handler in before.items():
                signal.signal(number, handler)
    finally:
        lock.release()


def start(place: Place, timeout_s: float = START_S) -> int:
    """Start a process that serves the broker, and return its id. Raise Refused."""
    if is_running(place):
        raise Refused(8018, place.name)
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "flintmq.cli",
                "mqsistart",
                "--foreground",
                "--ready-fd",
                str(writing),
                place.name,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[writing],
            start_new_session=True,
            env=server_environment(),
        )
    finally:
        os.close(writing)
    said = heard(reading, timeout_s)
    if said != "ready":
        raise Refused(8025, place.name, said or f"process {process.pid} is not ready after {timeout_s:g} seconds")
    return process.pid


def run_in_foreground(place: Place, ready_fd: int | None, told: Callable[[], None]) -> None:
    """Serve, and report to the process that started this one. Raise Refused if it cannot start."""
    try:
        serve(place, told if ready_fd is None else lambda: tell(ready_fd))
    except Refused as error:
        if ready_fd is not None:
            tell(ready_fd, error.lines[-1])
        raise


def stop(place: Place, immediate: bool = False, timeout_s: float = STOP_WAIT_S) -> bool:
    """End a running broker; return False if it had to be killed. Raise Refused (8019) if it does not run."""
    pids: list[str] = []
    try:
        control.ask(place, {"do": "ping"}, pids.append)
        control.ask(place, {"do": "end"}, lambda line: None)
    except (control.NotRunning, OSError):
        raise Refused(8019, place.name) from None
    end = time.monotonic() + (0 if immediate else timeout_s)
    while holder_of(place.lock) is not None:
        if time.monotonic() > end:
            # Its workers end by themselves when their standard input does.
            os.kill(int(pids[0]), signal.SIGKILL)
            while holder_of(place.lock) is not None:
                time.sleep(_POLL_S)
            return False
        time.sleep(_POLL_S)
    return True
