"""Statistics and accounting.

    smf/    SMF 115 and 116 records: layouts for reader and writer, dump files, columns

Never here: Spark. The pipeline/ builds on what is here.
"""
