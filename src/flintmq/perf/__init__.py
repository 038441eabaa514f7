"""The performance harness: workloads of the reports, drivers, runs and peers.

    command.py     the actions of `flint perf`; suite.py, many workloads within a limit of time
    catalogue/     the workloads as data, one file for each report
    runner.py      a workload: its steps, ramps and repeats; view.py, what the terminal shows
    procedures.py  workloads that measure memory, restart, expiry or a full page set instead of a rate
    shapes.py      from the parameters of a step to queues, drivers and commands
    flows.py       the flows of broker workloads, in real execution groups; wmqi.py, their message and ESQL
    stage.py       the queue manager of a run and its driver processes; keys.py, its certificate; guard.py ends them all
    measure.py     one repeat: start the drivers, read the clocks, write the records
    plan.py        the work of a driver process
    driver.py      a driver process; roles.py, its operations; pace.py, when to send and what latency counts from
    histogram.py   latency histograms that can be merged
    runs.py        a run on disk: written while it happens, read later and elsewhere
    machine.py     facts about the machine; disk.py, the disk test
    cph.py         the options of MQ-CPH and JMSPerfHarness
    peers/         other brokers
    report/        the report, comparisons and plans, made from runs
    tour.py        `flint demo`; demo.py, `flint demo --embedded`

A run is a directory; docs/internals/run-format.md is its contract with the pipeline. Only report/ and tour.py use
Spark.

P1  A driver measures from the time a message was due, not from the time it was sent, where a load is rated.
P2  CPU time of drivers and of the queue manager is never added up silently: each process has its own record.
P3  A run that was interrupted is valid: every line that was written stands by itself.
"""
