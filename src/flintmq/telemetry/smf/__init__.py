"""SMF 115 (statistics) and 116 (accounting): the layout of the records, for reading and for writing.

    layouts/      one file per structure: offsets, types, fields, columns, since which release
    fields.py     the notation of layouts
    records.py    the record map: type, subtype, triplet -> structure
    codes.py, clock.py, ebcdic.py    code tables, store clock and dates, text
    framing.py    a dump file: record descriptor words, spanned records, where a damaged dump continues
    columns/      reading in bulk: blocks of records to NumPy arrays and Arrow columns (needs the `spark` extra)

A structure is identified by its triplet and its eye-catcher, never by the release of its record; its own length and
version say which fields it has. Newer fields are missing in older records, and bytes beyond the known fields are
ignored.
"""
