"""The counters of a queue manager as OpenMetrics text, for Prometheus and its kin.

    # TYPE flintmq_queue_messages_put counter
    # HELP flintmq_queue_messages_put Messages put.
    flintmq_queue_messages_put_total{qmgr="QM1",queue="ORDERS"} 17

The same counters as in SMF records, since the queue manager started. Names end with their unit; a counter has `_total`
at the end of its sample. Queues are those that STATQ wants, as in class 5: the default queue manager shows none.
"""

from __future__ import annotations

from dataclasses import dataclass

import flintmq
from flintmq.log.log import Log
from flintmq.qmgr.calls import QUEUE_COUNTERS, Calls, queue_counters
from flintmq.qmgr.connection import Queue
from flintmq.telemetry.exposition import CONTENT_TYPE, Family, text_of

__all__ = ["CONTENT_TYPE", "LoopFigures", "render"]

#: The calls of the MQI, and their counters.
_CALLS = {
    "MQCONN": "connects",
    "MQDISC": "disconnects",
    "MQOPEN": "opens",
    "MQCLOSE": "closes",
    "MQPUT": "puts",
    "MQPUT1": "put1s",
    "MQGET": "gets",
    "MQINQ": "inquires",
    "MQSET": "sets",
    "MQCMIT": "commits",
    "MQBACK": "backouts",
    "MQSUB": "subscribes",
    "MQSUBRQ": "subscription_requests",
    "MQCB": "callbacks",
    "MQCTL": "controls",
    "MQSTAT": "stats",
}

#: Counters of a queue: (name, unit, help, counter, counter of those that are persistent).
_QUEUE = (
    ("messages_put", "", "Messages put", "put_count", "put_persistent"),
    ("put_bytes", "bytes", "Bytes put", "put_bytes", "put_persistent_bytes"),
    ("messages_got", "", "Messages got", "get_count", "get_persistent"),
    ("got_bytes", "bytes", "Bytes got", "get_bytes", "get_persistent_bytes"),
    ("messages_browsed", "", "Messages browsed", "browse_count", "browse_persistent"),
    ("put1s", "", "Messages put by MQPUT1", "put1_count", ""),
    ("puts_failed", "", "Puts that failed", "put_failed", ""),
    ("gets_without_message", "", "Gets that found no message", "get_missed", ""),
    ("fast_puts", "", "Messages put to a waiting getter", "fast_put_count", ""),
    ("messages_streamed", "", "Copies put to the stream queue", "streamed_count", ""),
    ("messages_expired", "", "Messages that expired", "expired_count", ""),
    ("puts_backed_out", "", "Puts that were backed out", "rolled_back_puts", ""),
    ("gets_backed_out", "", "Gets that were backed out", "rolled_back_gets", ""),
    ("opens", "", "Handles opened", "open_count", ""),
    ("closes", "", "Handles closed", "close_count", ""),
)


@dataclass
class LoopFigures:
    """Figures of the loop that serves clients."""

    turns: int
    #: Those of more than 20 ms of CPU time.
    long_turns: int
    longest_turn_s: float
    #: Flushes of the log for clients, by where they were made; and whether the loop makes them now.
    loop_flushes: int
    thread_flushes: int
    flushes_in_loop: bool


def render(qm: Calls, channels: int = 0, loop: LoopFigures | None = None) -> str:
    """Return all metrics of a queue manager. Called under the lock of its host."""
    families = [*_system(qm, channels), *_loop(loop), *_log(qm), *_storage(qm), *_queues(qm)]
    return text_of(families, {"qmgr": qm.name})


def _loop(loop: LoopFigures | None) -> list[Family]:
    """Return the turns of the loop and its flushes of the log; none for a queue manager that has no loop."""
    if loop is None:
        return []
    flushes = Family("client_flushes", "counter", "Times the log was made durable for clients that wait")
    flushes.add(loop.loop_flushes, where="loop")
    flushes.add(loop.thread_flushes, where="thread")
    return [
        _one("turns", "counter", "Turns of the loop that serves clients", loop.turns),
        _one("long_turns", "counter", "Turns of more than 20 ms of CPU time", loop.long_turns),
        _one("longest_turn_seconds", "gauge", "CPU time of the longest turn", round(loop.longest_turn_s, 6), "seconds"),
        flushes,
        _one("flushes_in_loop", "gauge", "1 while the loop flushes the log itself", int(loop.flushes_in_loop)),
    ]


def _system(qm: Calls, channels: int) -> list[Family]:
    counters, total = qm.counters, qm.totals()
    about = Family("queue_manager", "info", "The queue manager")
    about.add(1, version=flintmq.__version__)
    calls = Family("mqi_calls", "counter", "Calls of the MQI")
    for call, name in _CALLS.items():
        calls.add(getattr(counters, name), call=call)
    put = Family("messages_put", "counter", "Messages put to queues of this queue manager")
    put.add(total.persistent_puts, persistence="persistent")
    put.add(total.puts - total.persistent_puts, persistence="nonpersistent")
    put_bytes = Family("put_bytes", "counter", "Bytes put to queues of this queue manager", "bytes")
    put_bytes.add(total.persistent_put_bytes, persistence="persistent")
    put_bytes.add(total.put_bytes - total.persistent_put_bytes, persistence="nonpersistent")
    got = Family("messages_got", "counter", "Messages got from queues of this queue manager")
    got.add(total.gets)
    got_bytes = Family("got_bytes", "counter", "Bytes got from queues of this queue manager", "bytes")
    got_bytes.add(total.get_bytes)
    return [
        about,
        calls,
        put,
        put_bytes,
        got,
        got_bytes,
        _one("messages_browsed", "counter", "Messages browsed", total.browses),
        _one("messages_expired", "counter", "Messages that expired", counters.expired),
        _one("publications", "counter", "Messages published", counters.publishes),
        _one("publications_delivered", "counter", "Copies of publications put to subscribers", counters.published),
        _one("publications_unheard", "counter", "Publications that had no subscriber", counters.unheard),
        _one("stream_copies", "counter", "Copies put to stream queues", counters.stream_puts),
        _one("connections", "gauge", "Connections of applications", len(qm.connections)),
        _one("channels", "gauge", "Instances of channels that run", channels),
        _one("subscriptions", "gauge", "Subscriptions", len(qm.subscriptions.by_id)),
        _one("waiting_gets", "gauge", "Gets that wait for a message", qm.waiting),
        _one("units_of_work", "gauge", "Units of work that are not finished", len(qm.units())),
        _one("units_in_doubt", "gauge", "Branches that are prepared and not resolved", len(qm.in_doubt)),
        _one("checkpoints", "counter", "Checkpoints", counters.checkpoints),
    ]


def _one(name: str, kind: str, text: str, value: int | float, unit: str = "") -> Family:
    family = Family(name, kind, text, unit)
    family.add(value)
    return family


def _log(qm: Calls) -> list[Family]:
    log = qm.log
    if not isinstance(log, Log):
        return []
    counters = log.counters
    seconds = (counters.single_us + counters.multi_us) / 1_000_000
    return [
        _one("log_records", "counter", "Records written to the log", counters.records),
        _one("log_bytes", "counter", "Bytes written to the log", counters.bytes, "bytes"),
        _one("log_flushes", "counter", "Times the log was made durable", counters.flushes),
        _one("log_pages", "counter", "Pages of 4 KiB written by that", counters.pages),
        _one("log_write_seconds", "counter", "Time until the log was durable", seconds, "seconds"),
    ]


def _storage(qm: Calls) -> list[Family]:
    buffers = Family("buffer_pool_buffers", "gauge", "Buffers of a buffer pool")
    used = Family("buffer_pool_buffers_used", "gauge", "Buffers that hold a message")
    reads = Family("buffer_pool_reads", "counter", "Reads from page sets")
    written = Family("buffer_pool_pages_written", "counter", "Pages written to page sets")
    for number, pool in sorted(qm.pools.items()):
        for family, value in ((buffers, pool.buffers), (used, pool.used)):
            family.add(value, pool=str(number))
        for family, value in ((reads, pool.reads), (written, pool.pages_written)):
            family.add(value, pool=str(number))
    pages = Family("page_set_pages", "gauge", "Pages of a page set")
    taken = Family("page_set_pages_used", "gauge", "Pages that are used")
    full = Family("page_set_full", "counter", "Puts refused because the page set was full")
    for psid, account in sorted(qm.accounts.items()):
        for family, value in ((pages, account.total), (taken, account.used), (full, account.full_count)):
            family.add(value, pageset=str(psid))
    return [buffers, used, reads, written, pages, taken, full]


def _queues(qm: Calls) -> list[Family]:
    collected = [queue for queue in qm.queues.values() if qm.is_collected(queue, "STATQ")]
    depth = Family("queue_depth", "gauge", "Messages on the queue, with uncommitted puts")
    limit = Family("queue_depth_max", "gauge", "MAXDEPTH of the queue")
    inputs = Family("queue_input_handles", "gauge", "Handles open for input")
    outputs = Family("queue_output_handles", "gauge", "Handles open for output")
    counted = [Family(f"queue_{name}", "counter", text, unit) for name, unit, text, _, _ in _QUEUE]
    for queue in sorted(collected, key=_name):
        depth.add(queue.current_depth(), queue=queue.name)
        limit.add(queue.max_depth, queue=queue.name)
        inputs.add(queue.opens.input_handles, queue=queue.name)
        outputs.add(queue.opens.output_handles, queue=queue.name)
        values = dict(zip(QUEUE_COUNTERS, queue_counters(queue), strict=True))
        for family, (_, _, _, counter, persistent) in zip(counted, _QUEUE, strict=True):
            if persistent:
                family.add(values[persistent], queue=queue.name, persistence="persistent")
                rest = values[counter] - values[persistent]
                family.add(rest, queue=queue.name, persistence="nonpersistent")
            else:
                family.add(values[counter], queue=queue.name)
    return [depth, limit, inputs, outputs, *counted]


def _name(queue: Queue) -> str:
    return queue.name
