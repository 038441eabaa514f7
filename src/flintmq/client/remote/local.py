"""The queue manager of this machine: its local socket, or the reason why there is none.

A queue manager that runs as a process (`strmqm`) listens on a Unix socket in its directory, with the protocol of its
listeners. The operating system vouches for the user of the connecting process; no password is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.lazy import lazy
from flintmq.client.remote.definition import Address
from flintmq.host.environment import LOCAL_SOCKET
from flintmq.mqi.call_errors import MQError, QueueManagerError, error_of
from flintmq.mqi.reason import MQRC_Q_MGR_NAME_ERROR, MQRC_Q_MGR_NOT_AVAILABLE

if TYPE_CHECKING:
    from flintmq.host import instance
else:
    instance = lazy("flintmq.host.instance")


def find(name: str) -> tuple[str, Address]:
    """Return (name, address) of a queue manager of this machine, by name or path. Raise MQError.

    "" is the default queue manager, as in MQ; if there is none, and for "*", the only one that runs.
    """
    if not name:
        name = instance.default_name()
    if not name or name.startswith("*"):
        return _any()
    try:
        found = instance.locate(name)
    except QueueManagerError as error:
        raise error_of(MQRC_Q_MGR_NAME_ERROR, error.text) from None
    if not found.exists():
        where = f"there is no queue manager {name} in {found.directory}"
        text = f"{where}; give channel= and conn= for one elsewhere, or set MQSERVER"
        raise error_of(MQRC_Q_MGR_NAME_ERROR, text)
    return found.name, Address("", 0, str(found.directory))


def _any() -> tuple[str, Address]:
    running = [each for each in instance.instances() if (each.directory / LOCAL_SOCKET).exists()]
    if len(running) != 1:
        names = ", ".join(each.name for each in running) or "none"
        text = f"which queue manager? running on this machine: {names}; give a name, or channel= and conn="
        raise error_of(MQRC_Q_MGR_NAME_ERROR, text)
    return running[0].name, Address("", 0, str(running[0].directory))


def not_running(directory: str, where: str) -> MQError:
    """Return the error for a queue manager that does not listen."""
    from pathlib import Path

    from flintmq.host.lock import holder_of

    holder = holder_of(Path(directory) / "lock")
    text = "it is not running; `strmqm` starts it, and flintmq.open() opens it in this process"
    if holder is not None:
        text = (
            f"{holder} has it open for itself, with flintmq.open(); applications connect to one that strmqm has started"
        )
    return error_of(MQRC_Q_MGR_NOT_AVAILABLE, f"{where}: {text}")
