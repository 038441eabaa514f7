"""Storage of channels, connections and messages: the planning rules of the performance reports.

    item                                 figure                                              behaviour
    storage of a client channel          by SHARECNV and message size, SVRCONN_KB            B165
    storage of a message channel         by message size, MCA_KB                             B166
    share of the storage that is planned 80 %                                                B169
    most channels                        9,999, or MAXCHL                                    B170
    common storage of a connection       CSA_KB                                              B162
    private storage of a connection      PRIVATE_KB, with shared queues 5.5 KB more          B163
    pages of a message                   1 up to 3,635 bytes, then one more per 4,048        B135
    index pages of a page set            one for 72 messages                                 B131
    storage of an indexed message        272 bytes                                           B147
    storage of a signed-on user          8.80 KB with one resource, 405 bytes for each more  B208

The figures were measured on z15 (B147, B208: z10). A size between two that were measured counts as the larger one, so
a plan errs on the side of room. Nothing here knows of Spark or of records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flintmq.pipeline.errors import BadOption

CEILING = 0.80
#: A limit of 64-bit storage above this is none: MEMLIMIT=NOLIMIT is recorded as 16 EB less a little, or as -1.
NO_LIMIT_MB = 1 << 40
CHANNELS_MAX = 9_999

#: KB of the channel initiator per client channel, release 9.3: SHARECNV -> largest message in KB -> KB.
SVRCONN_KB: dict[int, dict[int, float]] = {
    0: {1: 83, 10: 99, 32: 161, 64: 188},
    1: {1: 156, 10: 178, 32: 232, 64: 263},
    10: {1: 245, 10: 268, 32: 346, 64: 373},
}
#: KB of the channel initiator per message channel: largest message in KB -> KB.
MCA_KB: dict[int, float] = {1: 90, 32: 100, 64: 109, 4096: 1125}
#: KB of common storage per connection, by SHARECNV with all conversations in use.
CSA_KB: dict[int, float] = {0: 2.47, 1: 4.9, 5: 3.0, 10: 2.7}
#: MB of common storage that a queue manager takes when it starts.
CSA_START_MB = 6
#: KB of private storage of the queue manager per connection, by SHARECNV with all conversations in use.
PRIVATE_KB: dict[int, float] = {0: 16, 1: 24, 10: 17}
SHARED_QUEUE_KB = 5.5

PAGE = 4096
ONE_PAGE_MAX = 3635
PAGE_MORE = 4048
MESSAGES_PER_INDEX_PAGE = 72
INDEX_BYTES = 272
USER_KB = 8.80
RESOURCE_BYTES = 405


@dataclass(frozen=True, slots=True)
class Plan:
    """The channels that fit the storage of a channel initiator, and the storage that they need elsewhere."""

    total_mb: float
    used_mb: float
    #: The storage to plan with, whole MB, and the part that is left.
    ceiling_mb: int
    left_mb: float
    kb_per_channel: float
    #: The channels that the storage allows, and those that the limit allows.
    fitting: int
    channels_max: int
    conversations: int

    @property
    def channels(self) -> int:
        return min(self.fitting, self.channels_max)

    @property
    def clients(self) -> int:
        return self.channels * max(self.conversations, 1)

    @property
    def limited_by(self) -> str:
        return "storage" if self.fitting <= self.channels_max else "the number of channels allowed"


def channels_that_fit(left_mb: float, kb_per_channel: float) -> int:
    """Return the whole channels in an amount of storage; 0 where none is left."""
    return max(math.floor(left_mb * 1024 / kb_per_channel + 1e-9), 0)


def planned_mb(total_mb: float, ceiling: float = CEILING) -> int:
    """Return the storage to plan with, in whole MB (B169)."""
    return math.floor(total_mb * ceiling + 1e-9)


def plan(
    total_mb: float,
    used_mb: float,
    kb_per_channel: float,
    channels_max: int = CHANNELS_MAX,
    conversations: int = 1,
    ceiling: float = CEILING,
) -> Plan:
    """Plan channels: (80 % of the total, in whole MB - used) / KB per channel (B169). 1,466, 120 and 232 give 4,643."""
    if not 0 < ceiling <= 1:
        raise BadOption(f"the share of storage to plan with is above 0 and at most 1, not {ceiling:g}")
    if total_mb <= 0 or kb_per_channel <= 0:
        raise BadOption("storage and KB per channel are above 0")
    ceiling_mb = planned_mb(total_mb, ceiling)
    left = max(ceiling_mb - used_mb, 0.0)
    limit = min(channels_max, CHANNELS_MAX)
    fitting = channels_that_fit(left, kb_per_channel)
    return Plan(total_mb, used_mb, ceiling_mb, left, kb_per_channel, fitting, limit, conversations)


def _measured(table: dict[int, float], wanted: float, what: str, remedy: str) -> int:
    """Return the smallest entry of a table that is at least `wanted`."""
    for known in sorted(table):
        if wanted <= known:
            return known
    raise BadOption(f"nothing was measured for {what} above {max(table):,}: {remedy}")


def svrconn_kb(sharecnv: int, message_kb: float) -> float:
    """Return KB of a client channel (B165). SHARECNV and size count as the next larger ones that were measured."""
    remedy = "give what a channel takes, kb-per-channel"
    shared = _measured(dict.fromkeys(SVRCONN_KB, 0.0), sharecnv, "SHARECNV", remedy)
    sizes = SVRCONN_KB[shared]
    return sizes[_measured(sizes, message_kb, "client channels with messages in KB", remedy)]


def mca_kb(message_kb: float) -> float:
    """Return KB of a message channel (B166)."""
    return MCA_KB[_measured(MCA_KB, message_kb, "message channels with messages in KB", "give kb-per-channel")]


def csa_kb(sharecnv: int) -> float:
    """Return KB of common storage for one connection (B162): between two measured values, the larger result."""
    return _dearer(CSA_KB, sharecnv)


def private_kb(sharecnv: int, shared_queues: bool = False) -> float:
    """Return KB of private storage for one connection (B163), with at most 32 open objects (B164)."""
    return _dearer(PRIVATE_KB, sharecnv) + (SHARED_QUEUE_KB if shared_queues else 0.0)


def _dearer(table: dict[int, float], at: int) -> float:
    below = [known for known in table if known <= at]
    above = [known for known in table if known >= at]
    return max(table[known] for known in ([max(below)] if below else []) + ([min(above)] if above else []))


def pages_of(size: int) -> int:
    """Return the pages of 4 KB of a message of this size, data and headers without MQMD (B135)."""
    return 1 + max(0, math.ceil((size - ONE_PAGE_MAX) / PAGE_MORE))


def messages_that_fit(pages: int, size: int) -> int:
    """Return the messages of one size that a page set holds, index pages counted (B131, B135, B138)."""
    return math.floor(pages / (pages_of(size) + 1 / MESSAGES_PER_INDEX_PAGE))


def index_mb(messages: int) -> float:
    """Return MB of 64-bit storage for the index of a queue (B147)."""
    return messages * INDEX_BYTES / 1024**2


def users_mb(users: int, resources: int = 1) -> float:
    """Return MB of 64-bit storage for signed-on users with `resources` resources each (B208, B209)."""
    return users * (USER_KB * 1024 + max(resources - 1, 0) * RESOURCE_BYTES) / 1024**2


def days_until(now: float, per_day: float, limit: float) -> float | None:
    """Return the days until a linear trend reaches its limit: 0 where it has, None where it never will."""
    if now >= limit:
        return 0.0
    return (limit - now) / per_day if per_day > 0 else None
