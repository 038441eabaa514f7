"""The common base of the control commands: their refusals, and the choice of the queue manager."""

from __future__ import annotations

import sys

import flintmq
from flintmq.cli._failure import CommandFailed
from flintmq.host import instance, lifecycle
from flintmq.host.host import Host
from flintmq.host.lock import holder_of
from flintmq.server.control import Control, NotRunning
from flintmq.server.entities import SystemEntities, takes_external_users
from flintmq.server.users import NAME as USERS
from flintmq.server.users import Users

EXISTS = 8
DOES_NOT_EXIST = 16
RUNNING = 5
BAD_PARAMETER = 39
DAMAGED = 70
UNEXPECTED = 71
BAD_NAME = 72
LOG_LOCATION = 100
BAD_LOG_SIZE = 115
NO_PERMISSION = 119


def refuse(text: str, code: int) -> int:
    """Say on standard error, under an AMQ number where there is one, why not; returns the exit code."""
    print(" ".join(text.split()), file=sys.stderr)
    return code


def refuse_running(place: instance.Instance) -> int:
    """Say that it runs, or which program has it open for itself; returns the exit code."""
    try:
        with Control(place) as control:
            pid = control.ask({"do": "ping"})["pid"]
        return refuse(f"AMQ5625E: FlintMQ queue manager '{place.name}' running: process {pid}; endmqm ends it", RUNNING)
    except (NotRunning, OSError):
        holder = holder_of(place.lock_path)
        who = f"is in use by {holder}" if holder is not None else "is in use"
        return refuse(f"AMQ5625E: queue manager {place.name} {who}", RUNNING)


def name_or_default(name: str | None) -> str:
    """The queue manager that was named, else the default one."""
    chosen = name or instance.default_name()
    if not chosen:
        raise CommandFailed("no queue manager was named, and there is no default queue manager", DOES_NOT_EXIST)
    return chosen


def open_or_refuse(name: str | None) -> Host | None:
    """The queue manager that was named, or the default one, opened; None after having said why not."""
    try:
        place = instance.locate(name_or_default(name))
        host = Host(*lifecycle.open_on_disk(place), place)
        external = takes_external_users(place)
        host.engine.entities = SystemEntities(Users(place.directory / USERS), external=external)
        return host
    except flintmq.QueueManagerInUse as error:
        refuse(f"AMQ8146E: {error.text}", 0)
    except flintmq.QueueManagerNotFound as error:
        refuse(f"AMQ8118E: {error.text}", 0)
    except (flintmq.QueueManagerError, CommandFailed, OSError) as error:
        refuse(f"AMQ8101S: {error}", 0)
    return None
