"""Python's cyclic garbage collector, in a process that keeps a queue manager.

Messages and queues do not need it: a message that leaves a queue is unlinked, and freed with its last reference. But
the collector counts every new message and looks through all messages, which is the more in vain the deeper the queues
are. So it runs rarely, and does not look at objects that exist since the start.

    threshold   objects made and not gone before the young ones are looked at    50,000 instead of 700
                such looks before the middle-aged are, such before all are       20 and 50 instead of 10 and 10

A program that embeds a queue manager may do the same; it is not done behind its back.
"""

from __future__ import annotations

import gc

THRESHOLDS = (50_000, 20, 50)


def settle_collector() -> None:
    """Exclude present objects from garbage collection, and have it run rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
