"""The counters of the engine at one moment, and the differences between two moments.

A `Sample` is taken under the lock of the host and is quick: numbers are read, nothing is computed. An interval is
made of two of them, without the lock. Counters only grow, so an interval is a difference; other values (depth, buffers
in use, marks) are those at the end of the interval (B28).
"""

from __future__ import annotations

import resource
from types import SimpleNamespace

from flintmq.log.log import Log
from flintmq.qmgr.calls import QUEUE_COUNTERS, Calls, Counters, age_of_oldest, begin_interval, queue_counters
from flintmq.qmgr.calls import ChannelRow as Row
from flintmq.qmgr.connection import NO_LENGTH, Queue

#: The counters of the engine; a compiled class has no annotations.
ENGINE = tuple(name for name in dir(Counters) if not name.startswith("_") and name != "most_published")
_TOTALS = ("puts", "put_bytes", "persistent_puts", "persistent_put_bytes", "gets", "get_bytes", "browses")
_POOL = (
    "getp_old_requests",
    "getp_new_requests",
    "reads",
    "set_write_pages",
    "pages_written",
    "writes",
    "sync_writes",
    "deferred_write_reached",
    "sync_write_reached",
    "steals",
    "suspend_no_buffers",
)
_LOG = (
    "records",
    "bytes",
    "flushes",
    "writes",
    "syncs",
    "pages",
    "checkpoints",
    "control_writes",
    "files_created",
    "files_reused",
    "files_archived",
    "compression_requests",
    "compression_failures",
    "compression_bytes_in",
    "compression_bytes_out",
    "decompression_requests",
    "decompression_failures",
    "decompression_bytes_in",
    "decompression_bytes_out",
    "single_writes",
    "single_pages",
    "single_us",
    "multi_writes",
    "multi_pages",
    "multi_us",
    "idle_us",
    "squares",
)
_WRITES = ("single_writes", "single_pages", "single_us", "multi_writes", "multi_pages", "multi_us")


class Sample:
    """One moment."""

    def __init__(self, now_us: int) -> None:
        self.now_us = now_us
        #: Counters by name; those of the log begin with `log_`, those of all queues with `all_`.
        self.numbers: dict[str, int] = {}
        self.marks: dict[str, int] = {}
        self.pools: dict[int, dict[str, int]] = {}
        self.page_sets: dict[int, dict[str, int]] = {}
        self.queues: dict[int, QueueSample] = {}
        #: The queues that there were, collected or not.
        self.known: set[int] = set()
        #: Of a process that serves channels: its name, those that run, by instance, calls so far, and the most
        #: channels at once since the last sample.
        self.serves = False
        self.job = ""
        self.channels: dict[str, Row] = {}
        self.requests = 0
        self.most_channels = 0
        self.cpu_us = 0
        self.memory: dict[str, int] = {}


class QueueSample:
    """One queue at one moment."""

    def __init__(self, queue: Queue, now_ms: int) -> None:
        self.name = queue.name
        self.psid = queue.account.psid
        self.pool = queue.pool.pool
        self.depth = queue.current_depth()
        self.uncommitted = queue.uncommitted > 0
        self.output_handles = queue.opens.output_handles
        self.input_handles = queue.opens.input_handles
        self.age_s = age_of_oldest(queue, now_ms)
        self.last_put_us = queue.counts.last_put_ms * 1000
        self.last_get_us = queue.counts.last_get_ms * 1000
        self.high_depth = queue.marks.high_depth
        self.low_depth = queue.marks.low_depth
        self.shortest = 0 if queue.marks.shortest == NO_LENGTH else queue.marks.shortest
        self.longest = max(0, queue.marks.longest)
        self.high_input = queue.marks.high_input
        self.low_input = queue.marks.low_input
        self.high_output = queue.marks.high_output
        self.low_output = queue.marks.low_output
        self.counters = queue_counters(queue)


def take_system(qm: Calls, sample: Sample) -> None:
    """Sample message manager, data manager, log, topics, buffer pools and page sets, class 1. Marks start again."""
    numbers = {name: getattr(qm.counters, name) for name in ENGINE}
    total = qm.totals()
    numbers |= {f"all_{name}": getattr(total, name) for name in _TOTALS}
    log = qm.log
    if isinstance(log, Log):
        numbers |= {f"log_{name}": getattr(log.counters, name) for name in _LOG}
        # An interval in which nothing is flushed is idle as a whole.
        numbers["log_idle_us"] = log.counters.idle_until(sample.now_us)
        sample.marks["log_longest_us"], sample.marks["log_longest_at_us"] = log.counters.take_longest()
        sample.marks["log_copies"] = 2 if log.config.second_copy else 1
    numbers["loads"] = sum(pager.loads for pager in qm.pagers.values())
    numbers["loaded"] = sum(pager.loaded_messages for pager in qm.pagers.values())
    sample.numbers = numbers
    sample.marks["most_published"] = qm.counters.most_published
    qm.counters.most_published = 0
    sample.marks["subscriptions"] = len(qm.subscriptions.by_id)
    take_pools(qm, sample)
    _take_page_sets(qm, sample)


def take_pools(qm: Calls, sample: Sample) -> None:
    """Sample the buffer pools."""
    for number, pool in qm.pools.items():
        values = {name: getattr(pool, name) for name in _POOL}
        values |= {
            "buffers": pool.buffers,
            "used": pool.used,
            "stealable": max(0, pool.stealable()),
            "lowest_stealable": pool.lowest_stealable,
        }
        pool.restart_interval()
        sample.pools[number] = values


def _take_page_sets(qm: Calls, sample: Sample) -> None:
    for psid, account in qm.accounts.items():
        pager = qm.pagers[psid]
        definition = qm.catalogue.find("PSID", str(psid))
        sample.page_sets[psid] = {
            "pool": definition.number("BUFFPOOL") if definition is not None else 0,
            "total": account.total,
            "unused": max(0, account.unused()),
            "persistent": account.persistent,
            "nonpersistent": account.nonpersistent,
            "full_count": account.full_count,
            "expansions": account.expansions,
            "reads": pager.loads,
            "pages_read": pager.loaded_messages,
            "pages_written": pager.spilled_messages,
        }


def take_queues(qm: Calls, sample: Sample) -> None:
    """Sample the queues that STATQ selects (B25), class 5. Marks start again."""
    now_ms = qm.clock.now_ms()
    sample.known = set(qm.queues_by_id)
    for queue in qm.queues_by_id.values():
        if qm.is_collected(queue, "STATQ"):
            sample.queues[queue.queue_id] = QueueSample(queue, now_ms)
            begin_interval(queue)


def take_process(sample: Sample) -> None:
    """Sample CPU time and storage of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    sample.cpu_us = round((used.ru_utime + used.ru_stime) * 1_000_000)
    sample.memory = {"peak_bytes": used.ru_maxrss * 1024, "bytes": _resident(used.ru_maxrss * 1024)}


def _resident(otherwise: int) -> int:
    """Return the bytes in real storage, or `otherwise` if the system does not give them."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return otherwise


# -- intervals -------------------------------------------------------------------------------------------------------


def system_interval(before: Sample, after: Sample) -> SimpleNamespace:
    """Return the differences between two samples, by the names of the counters, and the marks at the end."""
    grown = {name: value - before.numbers.get(name, 0) for name, value in after.numbers.items()}
    for name in _LOG:
        grown.setdefault(f"log_{name}", 0)
    marks = {"log_longest_us": 0, "log_longest_at_us": 0, "log_copies": 1, **after.marks}
    made = SimpleNamespace(**grown, **marks)
    made.subscriptions_low = min(before.marks.get("subscriptions", 0), made.subscriptions)
    made.subscriptions_high = max(before.marks.get("subscriptions", 0), made.subscriptions)
    made.nonpersistent_puts = made.all_puts - made.all_persistent_puts
    made.nonpersistent_put_bytes = made.all_put_bytes - made.all_persistent_put_bytes
    made.opens_all = made.opens + made.stream_opens
    made.puts_all = made.puts + made.stream_puts
    made.gets_from_disk = min(made.loaded, made.all_gets + made.all_browses)
    made.gets_from_pool = made.all_gets + made.all_browses - made.gets_from_disk
    made.all_copies_pages = made.log_pages * made.log_copies
    made.all_copies_writes = (made.log_single_writes + made.log_multi_writes) * made.log_copies
    for name in _WRITES:
        setattr(made, f"second_{name}", getattr(made, f"log_{name}") if made.log_copies > 1 else 0)
    made.objects_read = made.opens + made.put1s
    return made


def pool_intervals(before: Sample, after: Sample) -> list[SimpleNamespace]:
    """Return the differences between two samples for each buffer pool."""
    made = []
    for number, values in sorted(after.pools.items()):
        earlier = before.pools.get(number, {})
        grown = {name: values[name] - earlier.get(name, 0) for name in _POOL}
        made.append(SimpleNamespace(**{**values, **grown}, pool=number, previous=4096 * earlier.get("used", 0)))
    return made


def page_set_intervals(before: Sample, after: Sample) -> list[SimpleNamespace]:
    """Return the differences between two samples for each page set."""
    made = []
    for psid, values in sorted(after.page_sets.items()):
        earlier = before.page_sets.get(psid, {})
        grown = {
            name: values[name] - earlier.get(name, 0) for name in ("full_count", "reads", "pages_read", "pages_written")
        }
        expanded = values["expansions"] > earlier.get("expansions", values["expansions"])
        made.append(SimpleNamespace(**{**values, **grown}, psid=psid, expanded=expanded))
    return made


def queue_intervals(before: Sample, after: Sample) -> list[SimpleNamespace]:
    """Return the differences between two samples for each queue.

    A queue that existed and was not collected begins with the next interval.
    """
    made = []
    for queue_id, sample in after.queues.items():
        earlier = before.queues.get(queue_id)
        if earlier is None and queue_id in before.known:
            continue
        counted = earlier.counters if earlier is not None else (0,) * len(QUEUE_COUNTERS)
        grown = {name: value - old for name, value, old in zip(QUEUE_COUNTERS, sample.counters, counted, strict=True)}
        made.append(_queue(SimpleNamespace(**vars(sample), **grown)))
    return sorted(made, key=lambda each: str(each.name))


def _queue(made: SimpleNamespace) -> SimpleNamespace:
    """Add the values that QQST divides in another way than our counters."""
    made.mqputs = made.put_count - made.put1_count
    made.mqput_bytes = made.put_bytes - made.put1_bytes
    made.mqput_persistent = made.put_persistent - made.put1_persistent
    made.mqput_nonpersistent = made.mqputs - made.mqput_persistent
    made.mqput_persistent_bytes = made.put_persistent_bytes - made.put1_persistent_bytes
    made.mqput_nonpersistent_bytes = made.mqput_bytes - made.mqput_persistent_bytes
    made.put1_nonpersistent = made.put1_count - made.put1_persistent
    made.put1_nonpersistent_bytes = made.put1_bytes - made.put1_persistent_bytes
    made.mqput_failed = max(0, made.put_failed - made.put1_failed)
    made.average = made.put_bytes // made.put_count if made.put_count else 0
    made.get_nonpersistent = made.get_count - made.get_persistent
    made.get_nonpersistent_bytes = made.get_bytes - made.get_persistent_bytes
    made.browse_nonpersistent = made.browse_count - made.browse_persistent
    made.browse_nonpersistent_bytes = made.browse_bytes - made.browse_persistent_bytes
    made.gets_failed = made.get_missed + made.get_truncated + made.get_failed
    made.browses_failed = made.browse_missed + made.browse_truncated
    return made
