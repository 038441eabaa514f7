"""The performance report: read runs, write one document.

    anchors.py      figures of the five performance reports, per core and per CPU second
    chapters.py     the chapters, and the workloads that fill them
    workloads.py    one workload as a section: charts with their table beneath
    checks.py       behaviours as small functions over points; data/behaviours.tsv has their text
    behaviours.py   held, not held, or not shown and why
    capacity.py     cost models, held-out runs, plans; `flint perf plan`
    peers.py        other brokers in the same run, as ratios
    system.py       machines, disks, and the runs that every number leads to
    sources.py      records that come with runs or beside them: SMF, flow statistics, Prometheus
    document.py     all chapters in order; the files
    compare.py      two runs: same, better, worse; `flint perf compare`
    command.py      what `flint perf report`, `compare` and `plan` do

Tables, charts and pages are those of pipeline/reports: a chapter is a Report, a workload a Section of it.

R1  A number stands in a row that names its run, and the name leads to the run.
R2  A chapter without runs is there and says which workloads would fill it.
R3  Every behaviour that a run can show is listed, with a verdict or the reason why there is none.
R4  A figure of another machine never stands without the name of that machine.
"""
