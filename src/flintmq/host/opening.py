"""Open a queue manager in this process: make its engine and its files, and the host that runs them."""

from __future__ import annotations

import os

from flintmq.host import instance as place
from flintmq.host import lifecycle
from flintmq.host.host import Host
from flintmq.host.instance import MEMORY
from flintmq.host.lifecycle import CreateOptions
from flintmq.mqi.call_errors import QueueManagerError, QueueManagerExists


def open_host(name: str | os.PathLike[str], create: bool, options: CreateOptions, queue_manager_name: str = "") -> Host:
    """Open a queue manager in this process, by name, by path or in memory; create it first if `create` allows that.

    Raise QueueManagerError, in words of the operating system if a directory or file cannot be used.
    """
    if name == MEMORY:
        engine, storage = lifecycle.create_in_memory(queue_manager_name or place.MEMORY_NAME, options)
        return Host(engine, storage, None)
    try:
        instance = place.by_path(name, queue_manager_name) if queue_manager_name else place.locate(name)
        if create and not instance.exists():
            try:
                return Host(*lifecycle.create_on_disk(instance, options), instance)
            except QueueManagerExists:
                if not instance.exists():  # Else another process was faster.
                    raise
        return Host(*lifecycle.open_on_disk(instance), instance)
    except OSError as error:  # Of a directory that cannot be made, searched or locked.
        what = error.strerror or type(error).__name__
        raise QueueManagerError(f"queue manager {name} cannot be opened: {what}: {error.filename or name}") from error
