"""Writing SMF 115 and 116 records: from the counters of the engine to dump files.

    sample.py       what the engine has counted, taken under the lock of its host; what an interval was of it
    tables.py       which counter is which field of which structure
    section.py      a structure as bytes, from such a table
    record.py       a record: headers, triplets, sections; several when they do not fit one
    records.py      which records an interval, a task and a channel give
    dump_files.py   the files: one a day, or when one is full; gzip and zstd
    recorder.py     intervals and traces: when what is written

What is counted costs an addition where it happens (flintmq.qmgr). Here nothing runs while no trace is started.
"""
