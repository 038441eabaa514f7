"""Reports over the tables: the figures of the performance reports and the supplied formatters, from records.

    registry.py   the reports by name, and the forms that one can be printed in
    options.py    the options of a report: queue managers, time, number of rows, settings of its own
    records.py    silver rows for a report: the chosen ones, each once, and the first of them
    model.py      a report as data: sentences, tables, charts; nothing of Spark, nothing of a layout
    text.py       a report as plain text
    csv.py        the tables of a report as CSV
    html.py       reports as one HTML page that needs nothing else
    source.py     which dumps, queue managers and time a page is made from
    svg.py        its charts; style.py and markup.py its style and escaping

    qstat.py      QSTAT and QSTATCSV: the state of queues at the end of each interval (115-216)
    task.py       TASK: the calls of tasks to queues, and their cost (116-1, 116-2)
    log.py        LOG, LOGMANAGER and COMPRESSION: the log manager (115-1)
    buffer.py     BUFFER: buffer pools (115-215)
    msg.py        MSG: calls and messages of each interval (115-2)
    channel.py    CHANNEL: channels and the channel initiator (116-10, 115-231)
    capacity.py   how many clients and channels fit; sizing.py has the rules
    itr.py        the cost of calls on another machine; machines.py has the ratings
    bursts.py     how the messages of a minute were spread; spread.py has the sums
    anomalies.py  values that were unusual for their hour; score.py has the sums

A report is one function `make(spark, tables, options) -> Report` and one row of the registry. A form is one function
`render(reports) -> str` and one row there. Rows are aggregated or cut in Spark: at most `options.rows` rows of a table
come to the driver, and the rest is counted. A report that lacks its records says which records it needs and how to have
them written, and is not an error.
"""
