"""SMF dumps as tables, in Parquet.

    OUT/bronze/records/Date=.../QMgr=.../        the records as they were, one row each
    OUT/silver/<structure>/Date=.../QMgr=.../    one table per structure: the reference CSV, typed, with derived columns
    OUT/gold/<table>/                            per queue, task, channel and interval, and across queue managers
    OUT/quality/                                 records that are no rows: damaged, unknown, with file and offset
    OUT/_flint/                                  which dumps are in the tables, and the journal of a commit

    place.py      names in OUT
    derived.py    columns that are computed: averages, rates, shares
    load.py       one range of a dump -> Parquet files; runs in a task
    manifest.py   which dumps are loaded, and how a load becomes visible
    gold.py       the gold tables, as SQL over the silver ones
    run.py        a run: find new data, load it, commit, make gold, report
    catalogue.py  the tables by name, for `flint pipeline tables` and `flint pipeline sql`

Rules:

    T1  A row is in the tables once, however often a run is repeated, killed or retried.
    T2  The files of a task are not visible before the driver has committed it.
    T3  The files of a dump depend on the dump alone, not on master, cores or which tasks failed.
    T4  A table has every column that any release has; a field that a record lacks is null.
    T5  Dumps with the same content are loaded once, whatever their names.
"""
