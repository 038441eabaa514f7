"""Python's cyclic garbage collector, in a process that keeps a queue manager.

Messages and queues do not need it: what leaves a queue is unlinked, and goes with its last reference. But the collector
counts every message that is made and looks through all that are kept, which is the more in vain the deeper the queues
are. So it is told to look rarely, and not at what has been there since the start.

    threshold   objects made and not gone before the young ones are looked at    50,000 instead of 700
                such looks before the middle-aged are, such before all are       20 and 50 instead of 10 and 10

A program that embeds a queue manager may do the same; it is not done behind its back.
"""

from __future__ import annotations

import gc

THRESHOLDS = (50_000, 20, 50)


def settle_collector() -> None:
    """Leave alone what there is now, and look rarely at what is to come."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
