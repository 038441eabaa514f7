"""SMF 115 (statistics) and 116 (accounting): what the records look like, for reading and for writing.

    layouts/      one file per structure: offsets, types, fields, columns, since which release
    fields.py     how a layout is written down
    records.py    the record map: type, subtype, triplet -> structure
    codes.py, clock.py, ebcdic.py    code tables, store clock and dates, text
    framing.py    a dump file: record descriptor words, spanned records, where a damaged dump goes on
    columns/      reading in bulk: blocks of records to NumPy arrays and Arrow columns (needs the `spark` extra)

A structure is known by its triplet and its eye-catcher, never by the release of its record; which fields it has, by its
own length and version. Newer fields are simply missing in older records, and bytes beyond what we know are ignored.
"""
