"""A queue manager as a process of its own: start, serve, end.

    start     start a process that runs `serve`; return when it listens, or raise with its error
    serve     open the queue manager, listen, until it is told to end

How it ends:

    quiesce      endmqm, endmqm -c   no new connections; calls that ask for it fail with 2161; ends with the last client
    reconnect    endmqm -r           the same, but clients that reconnect by themselves are disconnected at once
    immediate    endmqm -i, SIGTERM  clients are disconnected, uncommitted work is backed out; a clean end
    preemptive   endmqm -p           at once, as if the machine had stopped; the next start recovers from the log

After an I/O error it ends by itself, as by endmqm -p, and `serve` raises Stopped.
"""

from __future__ import annotations

import asyncio
import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import flintmq
from flintmq._build import build_type
from flintmq.host import autoconfig, lifecycle
from flintmq.host.instance import LOCAL_SOCKET, Instance
from flintmq.log.errors import LogError
from flintmq.qmgr.calls import Calls, Entities, ObjectAuthority
from flintmq.server import control, refusals
from flintmq.server.admission import Limits, descriptors_free, read_limits
from flintmq.server.collector import settle_collector
from flintmq.server.command_task import CommandTask
from flintmq.server.entities import SystemEntities, takes_external_users
from flintmq.server.gatekeeper import ConnectionAuthentication
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import links
from flintmq.server.listeners import Listeners
from flintmq.server.metrics import Metrics
from flintmq.server.mq_channels import ServedChannels
from flintmq.server.operations import Operations
from flintmq.server.services import Services
from flintmq.server.users import NAME as USERS
from flintmq.server.users import Users
from flintmq.store.errors import PageSetError
from flintmq.wire.mq.terms import Gatekeeper

QUIESCE = "quiesce"
RECONNECT = "reconnect"
IMMEDIATE = "immediate"
PREEMPTIVE = "preemptive"

_BACKLOG = 100
#: How long a start may take: restart reads the log since the last checkpoint.
START_TIMEOUT_S = 120.0
#: How long clients have to take the news that the queue manager ends.
_FAREWELL_S = 1.0
_POLL_S = 0.05
#: The report of a process that listens.
READY = "ready"
_SAID_MAX = 1 << 16
_TUNABLES = "GLIBC_TUNABLES"
_LARGE_PAGES = "glibc.malloc.hugetlb"


class StartFailed(Exception):
    """The process has ended before it listened; the text has the reason."""


class Stopped(Exception):
    """The queue manager has stopped by itself, after an I/O error or an internal error; the text has the reason."""


class Server:
    """One running queue manager."""

    def __init__(self, host: ServingHost, gatekeeper: Gatekeeper) -> None:
        self.host = host
        self.gatekeeper = gatekeeper
        self.hub: Hub | None = None
        self.endings: asyncio.Queue[str] = asyncio.Queue()
        self.listeners: Listeners | None = None
        self.services: Services | None = None
        self.metrics: Metrics | None = None
        #: The control socket, and that of local applications.
        self._unix: list[asyncio.Server] = []
        #: It ends, and accepts no new connections.
        self._deaf = False
        self._commands: CommandTask | None = None

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Return the (address, port) pairs on which it listens."""
        return self.listeners.addresses if self.listeners is not None else []

    async def run(self, ready: Callable[[], None]) -> None:
        """Serve until told to end."""
        loop = asyncio.get_running_loop()
        self.hub = hub = Hub(self.host, loop)
        channels = ServedChannels(hub, self.gatekeeper)
        hub.on_failure = lambda: self.endings.put_nowait(PREEMPTIVE)
        loop.set_exception_handler(self._loop_failed)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.endings.put_nowait, IMMEDIATE)
        self.listeners = Listeners(self.host, loop, links(hub))
        self.services = Services(self.host, loop)
        self.host.admin.channels = Operations(hub, channels, self.listeners, self.services)
        self._commands = commands = CommandTask(hub)
        try:
            autoconfig.apply_mqsc(self.host)  # First: it may define listeners and services.
            if self.host.engine.definition().text("SCMDSERV") == "QMGR":
                commands.start()
            if self.host.instance is not None:
                answers = control.ControlServer(hub, self.endings, self.listeners, commands)
                local = control.listen(self.host.instance, LOCAL_SOCKET, _BACKLOG)
                self._unix = [
                    await asyncio.start_unix_server(answers.serve, sock=control.listen(self.host.instance)),
                    await loop.create_unix_server(links(hub), sock=local),
                ]
            self.host.errors.reserve()
            limits = self._limits()
            hub.set_limits(limits)
            channels.channels_max = limits.channels_max
            self.listeners.start_all()
            await self._start_metrics(hub)
            self.services.start_all()
            self._say("AMQ8003I", f"The queue manager has started ({build_type()}).")
            ready()
            hub.begin()
            await self._until_the_end(hub)
        finally:
            await self._end(hub)

    def _limits(self) -> Limits:
        """Return the limits of clients, by qm.ini and by the free descriptors."""
        values = self.host.instance.stanza("Channels").values if self.host.instance is not None else {}
        return read_limits(values, descriptors_free(), self.host.errors)

    def _loop_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Write a failure outside of a turn to the error log, such as of accepting a connection. The loop goes on."""
        error = context.get("exception")
        text = f"{context.get('message') or 'A callback of the loop has failed'}"
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            if self.hub is not None:
                self.hub.admission.refused(f"it cannot be accepted: {error.strerror}", "a client", loop.time())
            return
        if error is not None:
            text += f": {type(error).__name__}: {error}"
        self._say("AMQ6183W", f"{text}. The queue manager goes on.")
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.host.errors.dump(error)

    async def _start_metrics(self, hub: Hub) -> None:
        """Serve metrics for Prometheus if qm.ini asks for it. Without them the queue manager goes on."""
        settings = self.host.recording.settings
        if not settings.metrics_port:
            return
        self.metrics = Metrics(hub)
        where = f"{settings.metrics_address} port {settings.metrics_port}"
        try:
            await self.metrics.start(settings.metrics_address, settings.metrics_port)
        except OSError as error:
            self._say("AMQ9218E", f"Metrics cannot be served at {where}: {error.strerror or error}.")
        else:
            self._say("AMQ9218I", f"Metrics are served at {where}, path /metrics.")

    async def _until_the_end(self, hub: Hub) -> None:
        how = await self.endings.get()
        if how != PREEMPTIVE and self.services is not None:
            self.services.begin_end()  # At once: a service that is a client would hold up a quiesce.
        if how in (QUIESCE, RECONNECT):
            self._say("AMQ8004I", "The queue manager is quiescing: it ends when the last application has disconnected.")
            hub.run(lambda: self._quiesce(hub, how == RECONNECT))
            while hub.connections_count() and self.endings.empty():
                await asyncio.sleep(_POLL_S)
            how = self.endings.get_nowait() if not self.endings.empty() else IMMEDIATE
        if how == PREEMPTIVE:
            why = self.host.failure
            self._say("AMQ8004I", f"The queue manager ends at once{': ' + why if why else ''}.")
            self._stop_listening()
            self.host.abandon()

    def _quiesce(self, hub: Hub, reconnect: bool) -> None:
        self.host.engine.quiescing = True
        self.host.engine.quiesce_waiters()
        hub.quiesce(reconnect)

    def _stop_listening(self) -> None:
        """Stop listening and free ports and paths. A second call does nothing.

        It comes before the lock is given back: from then on the next process may have the same ports and paths.
        """
        if self._deaf:
            return
        self._deaf = True
        if self.listeners is not None:
            self.listeners.stop_all()
        for listening in self._unix:
            listening.close()
        if self.metrics is not None:
            self.metrics.close()
        if self.host.instance is not None:
            for name in (control.NAME, LOCAL_SOCKET):
                (self.host.instance.directory / name).unlink(missing_ok=True)

    async def _end(self, hub: Hub) -> None:
        """Disconnect all clients, end services and close the files."""
        if self.services is not None:
            await self._end_services(self.services)
        self._stop_listening()
        if self._commands is not None:
            await self._commands.close()
        hub.run(hub.farewell)
        left = _FAREWELL_S
        while hub.links and left > 0 and not self.host.state:
            await asyncio.sleep(_POLL_S)
            left -= _POLL_S
        for link in list(hub.links):
            link.abort()
        hub.close()
        if not self.host.state:
            self._say("AMQ8004I", "The queue manager has ended.")
        self.host.close()

    async def _end_services(self, services: Services) -> None:
        """End the services that end with the queue manager, after its clients. STOPCMD may still connect to it."""
        if self.host.state:
            services.abandon()
        elif services.running:
            services.begin_end()
            if self.listeners is not None:
                self.listeners.stop_all()
            if self.hub is not None:
                hub = self.hub
                hub.run(hub.farewell)
            await services.finish_end()

    def _say(self, number: str, text: str) -> None:
        """Write one line to the error log for a change of state."""
        self.host.errors.write(number, text)


def guard(engine: Calls, entities: Entities) -> None:
    """Let authority records decide on all authorities from now on."""
    engine.entities = entities
    engine.authority = ObjectAuthority(engine.catalogue, engine.authority_records, engine.clock, entities)
    engine.security_changed()


def serve(instance: Instance, ready: Callable[[], None], gatekeeper: Gatekeeper | None = None) -> None:
    """Open the queue manager and serve until the end.

    Raises QueueManagerError if it cannot be opened, Stopped if it did not end because it was told to.
    """
    warning = autoconfig.apply_stanzas(instance) if instance.exists() else ""
    host = ServingHost(*lifecycle.open_on_disk(instance), instance)
    if warning:
        host.errors.write("AMQ5051W", warning)
    users = Users(instance.directory / USERS)
    host.engine.refusals = refusals.load(instance.errors_directory)
    entities = SystemEntities(users, external=takes_external_users(instance))
    guard(host.engine, entities)
    if gatekeeper is None:
        gatekeeper = ConnectionAuthentication(host.engine, users, entities.owner)
    server = Server(host, gatekeeper)
    settle_collector()
    try:
        _run(server, ready)
    except (LogError, PageSetError) as error:  # At its end, during the last writes.
        raise Stopped(str(error)) from error
    if host.failure:
        raise Stopped(host.failure)


def _run(server: Server, ready: Callable[[], None]) -> None:
    """Run the server on uvloop if it is installed."""
    try:
        import uvloop
    except ImportError:
        asyncio.run(server.run(ready))
    else:
        uvloop.run(server.run(ready))


def with_large_pages(tunables: str) -> str:
    """Return the C library's setting by which the heap, with all messages, asks for large pages (decision 10).

    A setting of the user stays. Libraries and systems without large pages ignore it.
    """
    if _LARGE_PAGES in tunables:
        return tunables
    return ":".join(filter(None, [tunables, f"{_LARGE_PAGES}=1"]))


def server_command(instance: Instance, ready_fd: int) -> list[str]:
    """Return the command that serves `instance` in a process of its own and reports to `ready_fd`."""
    command = [sys.executable, "-m", "flintmq.cli", "strmqm", "--foreground", "--ready-fd", str(ready_fd)]
    return [*command, str(instance.directory) + os.sep]


def server_environment() -> dict[str, str]:
    """Return the environment of that process: it imports this package, and its heap asks for large pages."""
    environment = dict(os.environ)
    # Not resolved: a compiled package is made of links to the sources (tools/build.py).
    here = str(Path(flintmq.__file__).absolute().parent.parent)
    paths = [here, *environment.get("PYTHONPATH", "").split(os.pathsep)]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in dict.fromkeys(paths) if path)
    environment[_TUNABLES] = with_large_pages(environment.get(_TUNABLES, ""))
    return environment


def start(instance: Instance, timeout_s: float = START_TIMEOUT_S) -> int:
    """Start a process that serves `instance`, and return its process id. Raises StartFailed."""
    reading, writing = os.pipe()
    try:
        process = subprocess.Popen(
            server_command(instance, writing),
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
    if said is None:
        text = f"process {process.pid} is not ready after {timeout_s:g} seconds and goes on; `dspmq` says when it runs"
        raise StartFailed(f"{text}, {instance.errors_directory} what it does")
    if said == READY:
        return process.pid
    process.wait()
    raise StartFailed(said or f"the process ended with code {process.returncode} and said nothing")


def heard(reading: int, timeout_s: float) -> str | None:
    """Return the text that the other process writes until it closes the pipe; None if it does not in that time."""
    end = time.monotonic() + timeout_s
    parts: list[bytes] = []
    with open(reading, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            part = pipe.read(_SAID_MAX)
            if not part:
                return b"".join(parts).decode("utf-8", "replace").strip()
            parts.append(part)
    return None


def tell(descriptor: int, text: str = READY) -> None:
    """Report to the parent process, if it still listens: ready, or the reason why not."""
    try:
        with open(descriptor, "w", encoding="utf-8") as pipe:
            pipe.write(text)
    except BrokenPipeError:
        return  # The parent process has not waited.
