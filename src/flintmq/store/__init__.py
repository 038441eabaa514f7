"""Page sets and buffer pools: where messages are that are not in memory.

The engine keeps messages in memory and counts them in the buffers of a pool (buffers.py). When a pool passes its
threshold, and at every checkpoint, it hands messages over in batches, as chunks of neighbours of one queue and
priority:

    engine ── PageSetBatch ──> PageSet.apply ──┬──> stable    persistent messages; atomic, synced when asked to
                                               └──> volatile  non-persistent messages; gone at the next open
    engine <── Chunk ───────── PageSet.chunk, chunk_at, lookup, expiring

    file                content
    chunk.py            a chunk and its layout: encode, open, find a message in it
    pageset.py          the contract (PageSet) and the changes handed over (PageSetBatch)
    memory_pageset.py   a page set without files, for ":memory:" and for simulated power failures
    lmdb_pageset.py     the page set in files: two environments, each an LMDB file and a page file
    lmdb_part.py        one environment: opening and reading
    lmdb_apply.py       one environment: writing a batch
    span.py             the record that LMDB keeps of a chunk
    pagefile.py         the page file: where chunks and index buckets are
    expiry.py           chunks by their earliest expiry
    index.py            index entries, buckets, and entries that wait in memory
    lmdb_index.py       the buckets in an environment
    datafile.py         an LMDB file from outside LMDB: is it whole?
    pages.py            MQ's page accounting: size classes, EXPAND, when a page set is full
    buffers.py          buffer pools: thresholds and counters
    inspect.py          a page set in readable lines
    check.py            the invariants below, as a function
    errors.py           errors

This room knows nothing of units of work, of the log, of the content of a record, or of time. It never decides what to
write or when.

Invariants of a page set, checked by check_page_set():

    S1  The chunks of a lane have disjoint ranges first..last, so that their order is the order of their messages. The
        engine sees to that: it ends a chunk where a message that is not to be in it lies between two that are.
    S2  A chunk has at least one live slot.
    S3  A lane counts as many live messages as its chunks have live slots, and is there exactly when it has a chunk.
    S4  Every live slot with an index key other than 24 zeros is found by lookup().
    S5  After an apply that failed, and after a crash, all of a batch is there or nothing of it.
    S6  A batch for which apply(sync=True) or sync() returned survives a power failure; so does every batch before it.
    S7  A chunk with a live slot that expires is found by expiring() for that time.
"""
