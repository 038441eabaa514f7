"""The common base of dspmqcsv, strmqcsv and endmqcsv: ask the running queue manager about its command server."""

from __future__ import annotations

import flintmq
from flintmq.cli import _control
from flintmq.cli._failure import CommandFailed
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.mqi.reason import reason_name
from flintmq.server.control import Control, NotRunning, Reply

NOT_RUNNING = 40


def ask(name: str | None, how: str) -> tuple[str, Reply]:
    """Return the name of the queue manager, and its answer. Raises CommandFailed."""
    try:
        place = instance.locate(_control.name_or_default(name))
    except flintmq.QueueManagerError as error:
        raise CommandFailed(f"AMQ8118E: {error}", _control.DOES_NOT_EXIST) from None
    if not place.exists():
        raise CommandFailed(f"AMQ8118E: queue manager {place.name} does not exist", _control.DOES_NOT_EXIST)
    try:
        with Control(place) as control:
            reply = control.ask({"do": "command server", "how": how})
    except NotRunning:
        holder = holder_of(place.lock_path)
        who = f" as a process of its own; it is open in {holder}" if holder is not None else ""
        text = f"AMQ8146E: queue manager {place.name} is not running{who}"
        raise CommandFailed(text, NOT_RUNNING) from None
    except OSError as error:
        raise CommandFailed(f"AMQ6119S: {error}", _control.UNEXPECTED) from None
    reason = int(reply.get("reason", 0))
    if reason:
        why = f"AMQ8506E: the command server of {place.name} cannot start: {reason_name(reason)} ({reason})"
        raise CommandFailed(why, _control.UNEXPECTED)
    return place.name, reply
