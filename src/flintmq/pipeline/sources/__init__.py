"""Data sources, by PySpark's Python Data Source API.

smf.py            SMF dumps, as a batch and as a stream
mq.py             queues, as a batch and as a stream, and DataFrames to queues
mq_options.py     options of the source and the sink `mq`
mq_offset.py      which messages belong to a batch
mq_read.py        reading: plan, browse, remove
mq_write.py       writing: branches, the decision
mq_connection.py  a connection to a queue manager: browse, remove, XA branches
mq_chunk.py       messages that were read together
mq_columns.py     messages as columns, rows as messages
"""
