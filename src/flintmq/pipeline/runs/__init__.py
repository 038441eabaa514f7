"""Performance runs in Spark: tables of measurements, comparisons, cost models.

    tables.py       run.jsonl of many runs -> one normalised table of points; latency histograms merged
    regression.py   two runs: same, better or worse; a noise model from repeats
    costs.py        CPU, log and memory per message as a model; predictions, and held-out checks of them
    prometheus.py   samples of Prometheus text exports as a table

A run is a directory that `flint perf` wrote (docs/internals/run-format.md). Records are read, joined and aggregated in
Spark; a point (one step of one run, all its repeats) is small, so functions over all points of a report work on the
driver.
"""
