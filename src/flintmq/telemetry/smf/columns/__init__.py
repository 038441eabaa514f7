"""Reading in bulk: a block of records at once, no Python loop per record or per field.

    framing.cut()      where the records of a range are
    block.py           the block: bytes with spanned records joined, one NumPy array per header field
    sections.py        triplets: where each structure of the block is, and which records are damaged
    arrays.py          a field of many structures -> an Arrow array
    partitions.py      date and queue manager of each record
    tables.py          the block -> one Arrow table per structure, with the columns common to all
    packed.py          .gz and .zst, unpacked up to the first damage
    dump.py            dump files: framing, plain or packed; ranges on record boundaries; blocks

Needs NumPy and pyarrow: the `spark` extra.
"""
