"""Data sources, by PySpark's Python Data Source API.

smf.py         SMF dumps, as a batch and as a stream
mq.py          queues, likewise, and DataFrames to queues
mq_options.py  its options                          mq_columns.py  messages as columns, rows as messages
mq_offset.py   which messages belong to a batch     mq_read.py     reading: plan, browse, remove
mq_write.py    writing: branches, the decision      mq_link.py     what both ask of a queue manager
                                                    mq_chunk.py    messages that were read together
"""
