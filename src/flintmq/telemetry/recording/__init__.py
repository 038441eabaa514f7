"""Writing SMF 115 and 116 records: from the counters of the engine to dump files.

    sample.py       samples of the counters, taken under the lock of the host; the differences of two samples
    tables.py       which counter is which field of which structure
    section.py      a structure as bytes, from such a table
    record.py       a record: headers, triplets, sections; several when they do not fit one
    records.py      which records an interval, a task and a channel give
    dump_files.py   the files: one a day, or when one is full; gzip and zstd
    recorder.py     intervals and traces: when records are written

A counter costs an addition where it is counted (flintmq.qmgr). Here nothing runs while no trace is started.
"""
