"""ITR: the cost of the recorded calls on another machine (B215).

    cost there = cost here / (single-engine ITR there / single-engine ITR here)

Costs are the CPU times of class 3 accounting (WQ), by call and by queue. The machines that the documents name are in
machines.py; any other is given by its engines and ITR. An ITR is for a mix of work, so a converted cost is an estimate:
the documents themselves call differences within 6 % equal (B200).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.reports.machines import MACHINES, MICROSECONDS, Machine, converted, machine_of, rate_max, ratio
from flintmq.pipeline.reports.model import Cell, Chart, Column, Report, Series, Table
from flintmq.pipeline.reports.options import Options
from flintmq.pipeline.reports.records import chosen, first

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TITLE = "ITR: CPU costs on another machine"
SETTINGS = {
    "from": f"the machine of the records: {', '.join(MACHINES)}, or NAME:ENGINES:ITR",
    "to": "the machine to convert to, written in the same way",
    "cost": "a CPU cost in microseconds to convert, beside those of the records",
}
#: Calls with a count, an elapsed and a CPU time of their own.
CALLS = ("Open", "Close", "Get", "Put", "Put1", "Inq", "Set", "CallBack")
#: Queues of the chart.
BARS = 15


def without_records(options: Options) -> Report:
    """Return the machines, and the conversion of a cost if one is given."""
    made = Report("itr", TITLE)
    pair = _pair(options)
    if pair is None:
        made.words.append(
            "Nothing was converted: say of which machine the records are and to which to convert, as in "
            "--set from=2084-304 --set to=2064-1C5, or --set to=3931-703:3:5.2 (name, engines, ITR of an LSPR table)."
        )
        made.silent = True
    else:
        made.words += _words(*pair, options.number("cost", 0))
    made.tables.append(_machines(list(pair or MACHINES.values())))
    return made


def _pair(options: Options) -> tuple[Machine, Machine] | None:
    """Return the machine of the records and the other one; None if neither is given."""
    names = options.text("from"), options.text("to")
    if all(names):
        return machine_of(names[0]), machine_of(names[1])
    if any(names) or options.text("cost"):
        raise BadOption("a conversion needs two machines: --set from=2084-304 --set to=2064-1C5")
    return None


def make(spark: SparkSession, tables: Path, options: Options) -> Report:
    made = without_records(options)
    pair = _pair(options)
    if pair is None:
        return made
    here, there = pair
    machines = made.tables.pop()
    costs = chosen(spark, tables, "WQ", options)
    _calls(made, costs, here, there)
    if made.tables:
        _queues(made, costs, here, there, options)
    else:
        made.words.append(
            f"There is no accounting of tasks{options.words()} whose costs could be converted: START TRACE(ACCTG) "
            "CLASS(3) writes it."
        )
    made.tables.append(machines)
    return made


def _words(here: Machine, there: Machine, cost: float) -> list[str]:
    share = ratio(here, there)
    how = f"{there.single:.2f} / {here.single:.2f}"
    made = [
        f"An engine of {there.name} does {share:.2f} of the work of one of {here.name} ({how}): divide costs by it."
    ]
    if cost:
        after = converted(cost, here, there)
        most = [f"{rate_max(value, machine) or 0:,.0f}" for value, machine in ((cost, here), (after, there))]
        made.append(
            f"{cost:,.4g} us on {here.name} are {after:,.1f} us on {there.name}. With all engines at work, {here.name} "
            f"could do at most {most[0]} such a second, {there.name} {most[1]}."
        )
    if not (here.base and there.base):
        made.append("The ITRs must be from one LSPR table and for one mix of work.")
    return made


def _machines(machines: list[Machine]) -> Table:
    columns = [
        Column("Machine"),
        Column("Engines", 0),
        Column("ITR", 2),
        Column("Single-engine ITR", 2),
        Column("CPU", 0, "us/s"),
        Column("Relative to"),
    ]
    rows: list[tuple[Cell, ...]] = [
        (one.name, one.engines, one.itr, one.single, one.cpu_per_second, one.base or "not said") for one in machines
    ]
    return Table("Machines", columns, rows)


def _calls(made: Report, costs: DataFrame, here: Machine, there: Machine) -> None:
    """Add the calls of all queues together, and their share of the engines."""
    from pyspark.sql import functions as f

    sums = [f.expr(f"try_sum({call}_{part}) as {call}_{part}") for call in CALLS for part in ("Count", "CT_US")]
    row = costs.agg(*sums).collect()[0]
    rows: list[tuple[Cell, ...]] = []
    for call in CALLS:
        count, cpu = row[f"{call}_Count"], row[f"{call}_CT_US"]
        if count:
            cost = cpu / count
            rows.append(
                (f"MQ{call.upper()}" if call != "CallBack" else "MQCB", count, cost, converted(cost, here, there))
            )
    if not rows:
        return
    made.tables.append(Table("Calls", [Column("Call"), Column("Calls", 0), *_costs(here, there)], rows))
    hour = "date_format(date_trunc('hour', Record_Time), 'yyyy-MM-dd HH:mm')"
    busiest = costs.groupBy(f.expr(f"{hour} as Hour")).agg(f.expr("try_sum(Queue_CT_US) as CPU"))
    top = busiest.orderBy(f.desc("CPU"), "Hour").first()
    if top and top.CPU:
        made.words.append(_hour(top.Hour, float(top.CPU), here, there))


def _hour(hour: str, cpu: float, here: Machine, there: Machine) -> str:
    """Return a sentence about the busiest hour. A record counts in the hour in which it was written."""
    before = 100 * cpu / 3600 / here.cpu_per_second
    after = 100 * converted(cpu, here, there) / 3600 / there.cpu_per_second
    return (
        f"In the busiest hour, from {hour} UTC, the calls took {cpu / MICROSECONDS:,.3g} CPU seconds: {before:.3g} % "
        f"of the {here.engines} engines of {here.name}, and {after:.3g} % of the {there.engines} of {there.name}."
    )


def _costs(here: Machine, there: Machine) -> list[Column]:
    return [Column(f"CPU on {here.name}", 1, "us"), Column(f"CPU on {there.name}", 1, "us")]


def _queues(made: Report, costs: DataFrame, here: Machine, there: Machine, options: Options) -> None:
    """Add the dearest queues: the cost of all calls to them, and of one put and one get."""
    from pyspark.sql import functions as f

    texts = [
        "try_sum(Queue_CT_US) as CPU",
        "try_sum(Put_CT_US + Put1_CT_US) / nullif(try_sum(Put_Count + Put1_Count), 0) as A_Put",
        "try_sum(Get_CT_US) / nullif(try_sum(Get_Count), 0) as A_Get",
    ]
    grouped = costs.groupBy("QMgr", "Base_Name").agg(*(f.expr(text) for text in texts)).where("CPU > 0")
    rows, left = first(grouped.orderBy(f.desc("CPU"), "QMgr", "Base_Name"), options.rows)
    columns = [Column("Queue manager"), Column("Queue")]
    for what, unit, decimals in (("all", "ms", 3), ("put", "us", 1), ("get", "us", 1)):
        columns += [Column(f"{what.capitalize()}, {machine.name}", decimals, unit) for machine in (here, there)]

    def both(value: float | None, scale: float = 1.0) -> tuple[Cell, Cell]:
        return (None, None) if value is None else (value / scale, converted(value, here, there) / scale)

    cells: list[tuple[Cell, ...]] = [
        (row.QMgr, row.Base_Name, *both(row.CPU, 1000), *both(row.A_Put), *both(row.A_Get)) for row in rows
    ]
    made.tables.append(Table("Queues by CPU", columns, cells, left))
    made.charts.append(_bars(rows[:BARS], here, there))


def _bars(rows: list[Any], here: Machine, there: Machine) -> Chart:
    names = [f"{row.QMgr} {row.Base_Name}" for row in rows]
    series = [
        Series(here.name, [row.CPU / 1000 for row in rows]),
        Series(there.name, [converted(row.CPU, here, there) / 1000 for row in rows]),
    ]
    return Chart("CPU of the calls to a queue", "bar", names, series, "ms")
