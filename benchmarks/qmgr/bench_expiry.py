"""expiry: messages expired by a scan per second of CPU time (B102), wherever they are.

1 KiB messages on a queue that nobody reads, all of them due. A figure is a rate; its floor is the bar, 250,000.
Measured is the scan as a host does it: slices, checkpoints when they are due, and at the end one more, so that what was
left to write is written.

    expire_1m         non-persistent, buffer pool of 100 MB: a few in memory, the others on the page set
    expire_1m_p       the same, persistent: each is logged
    expire_memory     non-persistent, and a pool that holds them all
    expire_page_set   non-persistent, and a pool that holds next to none

    ./flint bench expiry
"""

from __future__ import annotations

from benchmarks.frame import Figure, Measured, Options, Progress
from benchmarks.qmgr.rig import Rig
from flintmq.log import LogConfig
from flintmq.mqi.constants import MQPMO_NEW_MSG_ID, MQPMO_NO_SYNCPOINT
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.expiry import refresh

NAME = "expiry"
BUFFERS = 25_600  # 100 MB
BAR = 250_000
DATA = bytes(1024)


def run(options: Options) -> list[Figure]:
    """Messages expired per CPU second."""
    many = options.scale(1_000_000, 200_000, 300)
    some = options.scale(300_000, 100_000, 300)
    rows = {
        "expire_1m": (many, BUFFERS, 0),
        "expire_1m_p": (many, BUFFERS, 1),
        "expire_memory": (some, 2 * some, 0),
        "expire_page_set": (some, 100, 0),
    }
    progress = options.progress("expiry", sum(row[0] for row in rows.values()))
    figures: list[Figure] = []
    done = 0
    for name, (messages, buffers, persistence) in rows.items():
        figures.append(Figure(name, rate(messages, buffers, persistence, progress, done), "/s", BAR))
        done += messages
    progress.done()
    return figures


def rate(messages: int, buffers: int, persistence: int, progress: Progress, done: int) -> float:
    """How many of so many messages expire in a second of CPU time."""
    log = LogConfig(file_pages=16_384, primary=4, secondary=2) if messages > 1000 else LogConfig()
    with Rig({"STREAM": {}}, buffers, log) as rig:
        fill(rig, messages, persistence, progress, done)
        rig.log.flush()
        rig.qm.checkpoint()
        qm = rig.qm
        now = qm.clock.now_ms() + 1000
        refresh(qm, "*")
        with Measured() as cost:
            while qm.scan_expired(now):
                if qm.needs_checkpoint():
                    qm.checkpoint()
            qm.checkpoint()
        if qm.queues["STREAM"].depth or qm.counters.expired != messages:
            raise RuntimeError(f"{qm.counters.expired} of {messages} messages have expired")
        qm.check()
    return messages / max(cost.cpu, 1e-6)


def fill(rig: Rig, messages: int, persistence: int, progress: Progress, done: int) -> None:
    """Put so many messages that live a tenth of a second."""
    qm = rig.qm
    connection, handle = rig.open("STREAM")
    md, pmo = MQMD(), MQPMO()
    pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID
    for number in range(messages):
        md.persistence = persistence
        md.expiry = 1
        if qm.put(connection, handle, md, pmo, DATA):
            raise RuntimeError(f"put failed: {connection.reason}")
        if number % 1000 == 0:
            progress.at(done + number)
            if qm.needs_checkpoint():
                qm.checkpoint()
