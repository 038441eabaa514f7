"""The SERVICE objects of a queue manager process: programs that it starts, watches and ends.

    CONTROL      started                   ended
    QMGR         with the queue manager    with it, or by STOP SERVICE
    STARTONLY    with the queue manager    by STOP SERVICE; goes on when the queue manager ends
    MANUAL       by START SERVICE          likewise

    SERVTYPE     instances    DISPLAY SVSTATUS    STOP SERVICE
    SERVER       one          while it runs       runs STOPCMD
    COMMAND      any number   never               refused: it is not watched

A program runs without a shell: STARTCMD is the full path of a file, STARTARG is split into arguments at blanks (quotes
keep a blank), and inserts such as +QMNAME+ are replaced in each argument afterwards, so a value is never split. It has
no standard input, it leads a process group of its own, and its output is appended to the files STDOUT and STDERR name.

A thread for each program starts it and waits for its end; the event loop never does. The thread passes its
results to the loop, which alone changes `Services`.

When the queue manager ends, it runs STOPCMD of each server with CONTROL(QMGR). A server without STOPCMD gets SIGTERM.
A program that still runs after STOP_TIMEOUT_S gets SIGTERM, and SIGKILL after KILL_TIMEOUT_S more.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from flintmq.host.host import Host
from flintmq.host.inserts import replaced
from flintmq.host.instance import data_directory
from flintmq.mqi.pcf_constants import (
    MQRCCF_NO_START_CMD,
    MQRCCF_NO_STOP_CMD,
    MQRCCF_SERVICE_REQUEST_PENDING,
    MQRCCF_SERVICE_RUNNING,
    MQRCCF_SERVICE_STOPPED,
)
from flintmq.qmgr.calls import Row, stamp_date, stamp_time
from flintmq.qmgr.catalogue import MQObject

#: CONTROL values of services that start with the queue manager.
WITH_Q_MGR = ("QMGR", "STARTONLY")
#: How long a server has to end after its STOPCMD was started, when the queue manager ends.
STOP_TIMEOUT_S = 10.0
#: How long it then has to end after SIGTERM.
KILL_TIMEOUT_S = 2.0
_POLL_S = 0.02
#: Variables for services, NAME=value, in the data directory and in the directory of the queue manager.
ENVIRONMENT_FILE = "service.env"

STARTING = "STARTING"
RUNNING = "RUNNING"
STOPPING = "STOPPING"


class CannotRun(Exception):
    """A program of a service cannot be started; the text has the reason."""


class Service:
    """One running program of a SERVICE object. It keeps the definition with which it was started."""

    def __init__(self, definition: MQObject) -> None:
        self.name = definition.name
        self.definition = definition.copy()
        self.server = definition.text("SERVTYPE") == "SERVER"
        self.status = STARTING
        self.process: subprocess.Popen[bytes] | None = None
        self.row: Row = {"SERVICE": self.name}

    def signal(self, number: int) -> None:
        """Send a signal to the program and its children, if it still runs."""
        process = self.process
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)


class Services:
    """The running services of a queue manager."""

    def __init__(self, host: Host, loop: asyncio.AbstractEventLoop) -> None:
        self._host = host
        self._loop = loop
        #: Server services, by name.
        self.running: dict[str, Service] = {}
        #: The queue manager ends.
        self._ends = False

    # -- commands ---------------------------------------------------------------------------------------------------

    def start_all(self) -> None:
        """Start the services that start with the queue manager."""
        for definition in self._host.engine.catalogue.match("SERVICE"):
            if definition.text("CONTROL") in WITH_Q_MGR and self.start(definition) == MQRCCF_NO_START_CMD:
                self._say("AMQ5028E", f"Service {definition.name} was not started: it has no STARTCMD.")

    def start(self, definition: MQObject) -> int:
        """Do START SERVICE. Return 0, 3251, 3261 or 3262; a program that cannot run is reported in the error log."""
        found = self.running.get(definition.name)
        if found is not None:
            return MQRCCF_SERVICE_RUNNING if found.status == RUNNING else MQRCCF_SERVICE_REQUEST_PENDING
        if not definition.text("STARTCMD"):
            return MQRCCF_NO_START_CMD
        service = Service(definition)
        if service.server:
            self.running[service.name] = service
        self._in_thread(self._supervise, service)
        return 0

    def stop(self, name: str) -> int:
        """Do STOP SERVICE. Return 0, 3253, 3261 or 3263."""
        service = self.running.get(name)
        if service is None:
            return MQRCCF_SERVICE_STOPPED
        if service.status != RUNNING:
            return MQRCCF_SERVICE_REQUEST_PENDING
        if not service.definition.text("STOPCMD"):
            return MQRCCF_NO_STOP_CMD
        service.status = STOPPING
        self._in_thread(self._run_stop, service)
        return 0

    def rows(self) -> list[Row]:
        """Return a row of DISPLAY SVSTATUS for each server service."""
        return [service.row | {"STATUS": service.status} for service in self.running.values()]

    # -- the end of the queue manager -------------------------------------------------------------------------------

    def begin_end(self) -> None:
        """Ask the servers with CONTROL(QMGR) to end. A second call asks those again that have not been asked."""
        self._ends = True
        for service in self._ending():
            if service.status == RUNNING and self.stop(service.name):
                service.status = STOPPING
                service.signal(signal.SIGTERM)

    async def finish_end(self) -> None:
        """Wait until the servers with CONTROL(QMGR) have ended; make those end that take too long."""
        await self._wait(STOP_TIMEOUT_S)
        for number in (signal.SIGTERM, signal.SIGKILL):
            for service in self._ending():
                service.signal(number)
            await self._wait(KILL_TIMEOUT_S)

    def abandon(self) -> None:
        """End the servers with CONTROL(QMGR) and do not wait for them: the queue manager ends at once."""
        for service in self._ending():
            service.signal(signal.SIGTERM)

    def _ending(self) -> list[Service]:
        return [each for each in self.running.values() if each.definition.text("CONTROL") == "QMGR"]

    async def _wait(self, timeout_s: float) -> None:
        until = self._loop.time() + timeout_s
        while self._ending() and self._loop.time() < until:
            self.begin_end()  # One may have been starting until now.
            await asyncio.sleep(_POLL_S)

    # -- in the loop ------------------------------------------------------------------------------------------------

    def _started(self, service: Service, pid: int) -> None:
        now = self._host.engine.clock.now_ms()
        service.status = RUNNING
        service.row |= {"PID": pid, "STARTDA": stamp_date(now), "STARTTI": stamp_time(now)}
        for keyword, value in service.definition.attributes.items():
            if keyword not in ("ALTDATE", "ALTTIME"):
                service.row[keyword] = value
        if service.server:
            self._say("AMQ5028I", f"The server {service.name} has started. ProcessId({pid}).")
        else:
            self._say("AMQ5030I", f"The command {service.name} has started. ProcessId({pid}).")

    def _ended(self, service: Service, pid: int, code: int) -> None:
        if service.server:
            self.running.pop(service.name, None)
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            self._say("AMQ5029I", f"The server {service.name} has ended, {how}. ProcessId({pid}).")

    def _not_started(self, service: Service, why: str) -> None:
        self.running.pop(service.name, None)
        self._say("AMQ5028E", f"Service {service.name} was not started: {why}.")

    def _not_stopped(self, service: Service, why: str) -> None:
        if self._ends:
            service.signal(signal.SIGTERM)
        else:
            service.status = RUNNING
        self._say("AMQ5029E", f"STOPCMD of service {service.name} was not run: {why}.")

    def _say(self, number: str, text: str) -> None:
        self._host.errors.write(number, text)

    # -- in a thread ------------------------------------------------------------------------------------------------

    def _in_thread(self, run: Callable[[Service], None], service: Service) -> None:
        threading.Thread(target=run, args=(service,), name=f"service {service.name}", daemon=True).start()

    def _supervise(self, service: Service) -> None:
        """Run STARTCMD and wait for its end."""
        try:
            process = self._run(service, "START", 0)
        except CannotRun as error:
            self._tell(self._not_started, service, str(error))
            return
        service.process = process
        self._tell(self._started, service, process.pid)
        self._tell(self._ended, service, process.pid, process.wait())

    def _run_stop(self, service: Service) -> None:
        """Run STOPCMD and wait for its end. The server's own end is seen by `_supervise`."""
        assert service.process is not None
        try:
            self._run(service, "STOP", service.process.pid).wait()
        except CannotRun as error:
            self._tell(self._not_stopped, service, str(error))

    def _tell(self, what: Callable[..., None], *about: object) -> None:
        """Have the loop call `what`. A program may go on when there is no loop any more."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(what, *about)

    def _run(self, service: Service, which: str, server_pid: int) -> subprocess.Popen[bytes]:
        """Start the program of STARTCMD or STOPCMD. Raises CannotRun."""
        definition, place = service.definition, self._host.instance
        directories = [data_directory(), *([place.directory] if place is not None else [])]
        own = variables(directories)
        inserts = {**os.environ, **own, **self._inserts(service.name)}
        if server_pid:
            inserts["MQ_SERVER_PID"] = str(server_pid)
        try:
            words = shlex.split(definition.text(f"{which}ARG"))
        except ValueError as error:
            raise CannotRun(f"{which}ARG cannot be split into arguments: {error}") from None
        command = [replaced(word, inserts) for word in (definition.text(f"{which}CMD"), *words)]
        if not os.path.isabs(command[0]):
            raise CannotRun(f"{which}CMD must be a full path, not {command[0]}")
        output: list[int] = []
        try:
            for keyword in ("STDOUT", "STDERR"):
                path = replaced(definition.text(keyword), inserts) or os.devnull
                # Without O_NONBLOCK a FIFO without reader would hold up this thread, and the end.
                output.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK, 0o600))
                os.set_blocking(output[-1], True)
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output[0],
                stderr=output[1],
                cwd=directories[-1] if place is not None else None,
                env={**os.environ, **own},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise CannotRun(str(error)) from None
        finally:
            for descriptor in output:
                os.close(descriptor)

    def _inserts(self, name: str) -> dict[str, str]:
        place, q_mgr = self._host.instance, self._host.engine.name
        values = {
            "QMNAME": q_mgr,
            "MQ_Q_MGR_NAME": q_mgr,
            "MQ_SERVICE_NAME": name,
            "MQ_INSTALL_PATH": sys.prefix,
            "MQ_DATA_PATH": str(data_directory()),
        }
        if place is not None:
            values["MQ_Q_MGR_DATA_PATH"] = str(place.directory)
            values["MQ_Q_MGR_DATA_NAME"] = place.directory.name
        return values


def variables(directories: list[Path]) -> dict[str, str]:
    """Return the variables of `service.env` in each directory; a later directory has precedence."""
    found: dict[str, str] = {}
    for directory in directories:
        try:
            text = (directory / ENVIRONMENT_FILE).read_text("utf-8", "replace")
        except OSError:
            continue
        for line in text.splitlines():
            name, equals, value = line.strip().partition("=")
            if equals and name and not name.startswith("#"):
                found[name.strip()] = value.strip()
    return found
