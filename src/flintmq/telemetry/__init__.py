"""Statistics and accounting.

    smf/          SMF 115 and 116 records: layouts for reader and writer, dump files, columns
    recording/    writing them: from the counters of the engine to dump files
    metrics.py    the same counters as OpenMetrics text
    trace_file.py a ring of trace records: call_trace.py writes calls, trace_format.py reads it
    settings.py   the settings in qm.ini

Never here: Spark. The pipeline/ builds on this package.
"""
