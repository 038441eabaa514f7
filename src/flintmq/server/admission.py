"""Limits of connections, so that clients cannot use up the descriptors that the queue manager itself needs.

    limit             counts                                       beyond the limit
    sockets_max       sockets of clients: RLIMIT_NOFILE without    the newcomer gets 2537 (AMQ9513E). If many are being
                      DESCRIPTORS_RESERVED                         told so already it is closed without a reason
    pending_max       sockets on which nobody has connected yet    the oldest that has had PENDING_GRACE_S is closed for
                                                                   the newcomer; else the newcomer is refused
    channels_max      MaxChannels and MaxActiveChannels of         the newcomer gets 2537 (AMQ9513E)
                      qm.ini: clients that have named a channel

    Channels:
       MaxChannels=10000
       MaxActiveChannels=10000

The descriptors that are reserved are for log, page sets, error log, control socket and metrics. Local applications come
through a Unix socket and are not channels; their sockets count for the other two limits.

A refusal is written to the error log when it happens first, then once a minute with the number of refusals.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flintmq.host.error_log import ErrorLog

if TYPE_CHECKING:
    from flintmq.server.link import Link

CHANNELS_MAX = 10_000
#: The highest value in qm.ini, as in MQ.
CHANNELS_ALLOWED = 65_535
#: For files of the queue manager and sockets other than those of clients.
DESCRIPTORS_RESERVED = 128
#: The least number of clients, even with few descriptors.
SOCKETS_MIN = 8
#: Sockets without authenticated client: at most this number, and at most this part of all.
PENDING_MAX = 2000
PENDING_PART = 4
#: A connection that has not got so far within these seconds may be closed for a newcomer.
PENDING_GRACE_S = 5.0
#: Newcomers that are being told why they are refused.
TOLD_MAX = 32
#: How often refusals are told in the error log.
TELL_S = 60.0

NUMBER = "AMQ9513E"


@dataclass
class Limits:
    """Limits of connections of one process."""

    sockets_max: int
    channels_max: int = CHANNELS_MAX
    pending_max: int = field(init=False)

    def __post_init__(self) -> None:
        self.pending_max = max(SOCKETS_MIN, min(PENDING_MAX, self.sockets_max // PENDING_PART))


def descriptors_free() -> int:
    """Return the number of descriptors that this process may still open; raise the soft limit first."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    except (OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most == resource.RLIM_INFINITY:
        return 1 << 20
    try:
        used = len(os.listdir("/proc/self/fd"))
    except OSError:
        used = 32
    return most - used


def read_limits(values: Mapping[str, str], free: int, errors: ErrorLog) -> Limits:
    """Return the limits of a process with `free` descriptors, and a Channels stanza with these values."""
    reserved = min(DESCRIPTORS_RESERVED, free // 2)
    limits = Limits(max(SOCKETS_MIN, free - reserved))
    by_key = {key.lower(): (key, text.strip()) for key, text in values.items()}
    for name in ("maxchannels", "maxactivechannels"):
        key, text = by_key.get(name, ("", ""))
        if not key:
            continue
        if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= CHANNELS_ALLOWED:
            limits.channels_max = min(int(text), limits.channels_max) if name != "maxchannels" else int(text)
        else:
            why = f"must be a number from 1 to {CHANNELS_ALLOWED}; it is left out"
            errors.write("AMQ7077E", f"qm.ini, stanza Channels: {key}={text}: {why}.")
    return limits


class Admission:
    """Counts connections, and decides which new ones are accepted."""

    def __init__(self, limits: Limits, errors: ErrorLog) -> None:
        self.limits = limits
        self._errors = errors
        #: Taken sockets; those without authenticated client, with the time of their arrival, the oldest first;
        #: and those that are being told why they are refused.
        self.sockets = 0
        self.pending: dict[Link, float] = {}
        self.told: set[Link] = set()
        #: Clients that have named a channel.
        self.channels = 0
        #: Refusals that were not told yet, by reason without its numbers, with the last reason; when they are told.
        self._refused: dict[str, tuple[int, str]] = {}
        self._tell_at: dict[str, float] = {}

    def refusal(self, now: float) -> str:
        """Return the reason to refuse a new socket; "" to take it, after the caller has closed `overdue`."""
        limits = self.limits
        if self.sockets >= limits.sockets_max:
            return f"{self.sockets} connections are all that the operating system's limit of open files allows"
        if len(self.pending) >= limits.pending_max and self.overdue(now) is None:
            return f"on {len(self.pending)} connections nobody has connected yet"
        return ""

    def overdue(self, now: float) -> Link | None:
        """Return the connection to close for a new one, if too many have no authenticated client; else None."""
        if len(self.pending) < self.limits.pending_max:
            return None
        for link, since in self.pending.items():
            if now - since < PENDING_GRACE_S:
                return None
            if not link.is_busy():
                return link
        return None

    def took(self, link: Link, now: float) -> None:
        """Count a new socket."""
        self.sockets += 1
        self.pending[link] = now

    def telling(self, link: Link) -> bool:
        """Return whether a refused client can be told the reason."""
        if len(self.told) >= TOLD_MAX:
            return False
        self.told.add(link)
        return True

    def admitted(self, link: Link) -> None:
        """Count a connection as one with an authenticated client."""
        self.pending.pop(link, None)

    def gone(self, link: Link) -> None:
        """Count a closed socket."""
        if link in self.told:
            self.told.discard(link)
            return
        self.sockets -= 1
        self.pending.pop(link, None)

    def refused(self, why: str, address: str, now: float) -> None:
        """Write a refusal to the error log, unless the same was written within the last minute."""
        kind = why.translate(_NO_DIGITS)
        if now < self._tell_at.get(kind, 0.0):
            self._refused[kind] = (self._refused.get(kind, (0, ""))[0] + 1, why)
            return
        self._tell_at[kind] = now + TELL_S
        self._errors.write(NUMBER, f"The connection from {address} was refused: {why}.")

    def tell(self, now: float) -> None:
        """Write to the error log the number of refusals of the last minute. Called every second."""
        for kind in [each for each in self._refused if now >= self._tell_at[each]]:
            count, why = self._refused.pop(kind)
            self._tell_at[kind] = now + TELL_S
            self._errors.write(NUMBER, f"{count} more connections were refused in the last minute: {why}.")


_NO_DIGITS = {ord(digit): None for digit in "0123456789"}
