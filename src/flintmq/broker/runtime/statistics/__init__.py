"""Statistics and accounting of message flows: counted in workers, merged in the group, published and written.

    settings.py     rules of collection for each flow, in the streams SnapShot and Archive
    counts.py       sums, largest and smallest values of flows, threads, nodes and terminals
    recorder.py     counts the messages of one flow in one thread of a worker
    collector.py    the group: asks its workers, merges, cuts intervals
    record.py       the statistics record (`WMQIStatisticsAccounting`) of an interval
    outputs.py      JSON and XML on topics, CSV, SMF 117, user trace
    exporter.py     the same counts since the start, for Prometheus

A worker counts between two questions of its group; the answer empties its counts. The group adds them to the pending
interval of each stream, so both streams see every message once.

    stream     interval                       reasons (RecordCode)
    SnapShot   SNAPSHOT_S                     SnapShot; Shutdown, ReDeploy, StatsSettingsModified
    Archive    `archive_minutes`              Major; Shutdown, ReDeploy, StatsSettingsModified

There is one record for a flow, interval and accounting origin, however many workers run the flow. A flow without
messages has a record, too.

Invariants:

S1  A message is counted once in each active stream, when its unit of work ends: in its flow, its thread and its nodes.
S2  The times of nodes do not overlap: a node's time is its own, without the nodes behind it. Get, parsing, commit and
    backout belong to the input node. So the nodes of a flow add up to the flow.
S3  Counting never fails a message: an output that fails is logged, and its record is dropped.
S4  Records are put outside of every unit of work of a flow, by a connection of their own.

A worker that is killed loses the counts since the group last asked: at most SNAPSHOT_S seconds, whichever streams are
active. A broker process that is killed loses the pending intervals.
"""
