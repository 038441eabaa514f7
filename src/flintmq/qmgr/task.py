"""What accounting keeps of one task: a connection of an application, between MQCONN and MQDISC.

    Task        the task, as long as it lives          SMF 116 WTID
      TaskLife  puts and gets by size, since it began  116-0 QWAC, QMAC (class 1)
      TaskWork  what it did in this interval           116-1 WTAS (class 3)
        QueueUse  one object that it used              116-1, 116-2 WQST (class 3)

At the end of an interval the whole TaskWork is handed on, and the task goes on with a new one: nothing is copied. Times
are microseconds; the clock is the engine's (`Clock.read_ns`).

A call of the engine never waits, so the time that it takes is what it costs: `cpu_us`. `elapsed_us` is more for a get
that waits for a message, by the time it has waited.
"""

from __future__ import annotations

from typing import Final

#: Where the sizes of messages are parted that class 1 counts: 0-99, 100-999, 1000-9999 bytes, and longer.
SIZES: Final = (100, 1_000, 10_000)
#: The shortest message, while there was none.
NO_SIZE: Final = 0x0FFF_FFFF


def size_class(length: int) -> int:
    """Which of the four classes of size a message is in."""
    if length < 1_000:
        return 0 if length < 100 else 1
    return 2 if length < 10_000 else 3


class Timing:
    """Calls of one kind."""

    count: int = 0
    elapsed_us: int = 0
    cpu_us: int = 0

    def add(self, spent_us: int) -> None:
        """One call, that did not wait."""
        self.count += 1
        self.elapsed_us += spent_us
        self.cpu_us += spent_us


class QueueUse:
    """What a task did with one object in one interval."""

    #: MQQT_*, and 8 for a topic.
    queue_type: int = 1
    index_type: int = 0
    psid: int = 0
    pool: int = 0
    opened_us: int = 0
    closed_us: int = 0
    #: Handles that are open now.
    open_now: int = 0
    topic: bool = False
    browse_any: int = 0
    browse_specific: int = 0
    get_any: int = 0
    get_specific: int = 0
    get_invalid: int = 0
    #: Log records that were written, and calls whose answer waits for the log.
    get_logged: int = 0
    get_forced: int = 0
    put_logged: int = 0
    put_forced: int = 0
    put1_logged: int = 0
    put1_forced: int = 0
    set_logged: int = 0
    set_forced: int = 0
    #: Gets that waited.
    suspended: int = 0
    suspended_us: int = 0
    expired: int = 0
    put_bytes: int = 0
    get_bytes: int = 0
    valid_puts: int = 0
    valid_gets: int = 0
    valid_destructive: int = 0
    get_longest: int = 0
    get_shortest: int = NO_SIZE
    put_longest: int = 0
    put_shortest: int = NO_SIZE
    #: How long the messages that were got had been on the queue.
    latency_max_us: int = 0
    latency_min_us: int = 0
    latency_total_us: int = 0
    get_persistent: int = 0
    put_persistent: int = 0
    put1_persistent: int = 0
    max_depth: int = 0
    put_to_waiter: int = 0
    put1_to_waiter: int = 0
    selections: int = 0
    selector_longest: int = 0
    published: int = 0
    streamed: int = 0
    #: Put with a delivery delay.
    delayed: int = 0
    #: The time of calls to a topic, which is not in the times of the calls.
    topic_open_us: int = 0
    topic_put_us: int = 0
    topic_put1_us: int = 0
    topic_close_us: int = 0

    def __init__(self, name: str, base: str) -> None:
        self.name = name
        self.base = base
        self.opens = Timing()
        self.closes = Timing()
        self.gets = Timing()
        self.puts = Timing()
        self.put1s = Timing()
        self.inquires = Timing()
        self.sets = Timing()
        self.callbacks = Timing()

    def next_interval(self) -> QueueUse:
        """The same object in the interval that follows: nothing done yet, what is open is open."""
        use = QueueUse(self.name, self.base)
        use.queue_type = self.queue_type
        use.index_type = self.index_type
        use.psid = self.psid
        use.pool = self.pool
        use.topic = self.topic
        use.opened_us = self.opened_us
        use.open_now = self.open_now
        use.selector_longest = self.selector_longest
        return use

    def requests(self) -> int:
        """Calls in total, as TOTAL_USE counts them."""
        return (
            self.opens.count
            + self.closes.count
            + self.gets.count
            + self.puts.count
            + self.put1s.count
            + self.inquires.count
            + self.sets.count
        )

    def put(self, length: int, persistent: bool) -> None:
        """A message was put, by MQPUT or MQPUT1."""
        self.valid_puts += 1
        self.put_bytes += length
        if length > self.put_longest:
            self.put_longest = length
        if length < self.put_shortest:
            self.put_shortest = length

    def got(self, length: int, persistent: bool, destructive: bool, latency_us: int) -> None:
        """A message was got or browsed."""
        self.valid_gets += 1
        self.get_bytes += length
        if length > self.get_longest:
            self.get_longest = length
        if length < self.get_shortest:
            self.get_shortest = length
        if persistent:
            self.get_persistent += 1
        if not destructive:
            return
        if latency_us > self.latency_max_us:
            self.latency_max_us = latency_us
        if self.valid_destructive == 0 or latency_us < self.latency_min_us:
            self.latency_min_us = latency_us
        self.latency_total_us += latency_us
        self.valid_destructive += 1


class TaskWork:
    """What a task did in one interval."""

    started_us: int = 0
    ended_us: int = 0
    #: The task has ended with this.
    last: bool = False
    #: It has used more queues and topics than are kept apart.
    too_many: bool = False
    log_records: int = 0
    log_bytes: int = 0
    log_forced: int = 0
    suspended: int = 0
    suspended_us: int = 0
    pages_old: int = 0
    pages_new: int = 0
    selections: int = 0
    selector_longest: int = 0

    def __init__(self) -> None:
        #: By the name that was opened, and the name that it led to.
        self.queues: dict[tuple[str, str], QueueUse] = {}
        self.others = Timing()
        self.commits = Timing()
        self.backouts = Timing()
        self.prepares = Timing()
        self.subscribes = Timing()
        self.subscription_requests = Timing()
        self.controls = Timing()
        self.stats = Timing()
        self.topics = Timing()


class TaskLife:
    """What a task did with messages since it began, for class 1."""

    cpu_us: int = 0
    puts_a: int = 0
    puts_b: int = 0
    puts_c: int = 0
    puts_d: int = 0
    gets_a: int = 0
    gets_b: int = 0
    gets_c: int = 0
    gets_d: int = 0
    commits: int = 0
    backouts: int = 0

    def put(self, length: int) -> None:
        """A message was put."""
        kind = size_class(length)
        if kind == 0:
            self.puts_a += 1
        elif kind == 1:
            self.puts_b += 1
        elif kind == 2:
            self.puts_c += 1
        else:
            self.puts_d += 1

    def got(self, length: int) -> None:
        """A message was got."""
        kind = size_class(length)
        if kind == 0:
            self.gets_a += 1
        elif kind == 1:
            self.gets_b += 1
        elif kind == 2:
            self.gets_c += 1
        else:
            self.gets_d += 1


class Watch:
    """What is looked at before a call and after it. A task has one, for it makes one call at a time."""

    call: int = 0
    handle: int = 0
    name: str = ""
    #: Before `stop` what the counters were, after it what the call has added to them.
    records: int = 0
    log_bytes: int = 0
    published: int = 0
    streamed: int = 0
    new: int = 0
    old: int = 0
    fast: int = 0
    started_ns: int = 0
    ended_ns: int = 0
