"""Every behaviour that a run can show, as a verdict or as the reason why there is none (R3).

held        the check was made and found it so
not held    the check was made and found it otherwise
not shown   no run of this report has it: a run could, and which; a test holds it; or it is not here, and why
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from flintmq.perf.report.checks import CHECKS, EXPLAINED
from flintmq.perf.report.evidence import Evidence, Found
from flintmq.pipeline.reports.model import Cell, Column, Figure, Report, Table
from flintmq.pipeline.runs.tables import Point, RunFacts

HELD, NOT_HELD, NOT_SHOWN = "held", "not held", "not shown"
KINDS = {"F": "function", "C": "configuration", "S": "shape", "Q": "quantity"}

_SHARING = "queue-sharing groups are not here"
_CHANNELS = "message channels between queue managers are not here"
_CLUSTERS = "clusters are not here"
_AMS = "message protection (AMS) is not here"
_ZOS = "storage and subsystems of z/OS, which have no counterpart here"
_HISTORY = "a comparison with earlier levels of another product"
_ADVICE = "advice to those who operate it, not a property of a run"
_LAYOUT = "how the drivers are laid out; tests/perf holds them to it"
_NETWORK = "drivers and queue manager share a machine, so no network limits them"
_QUANTITY = "a quantity of the machine of the document; the table of its workload has ours"
#: Number -> why no run decides it. A number in CHECKS needs no row, and one that tests cite needs none either.
REASONS: dict[int, str] = {
    55: _HISTORY,
    56: "the copy is made in the call of the putting application: CPU of a put is in the tables of streaming queues",
    **dict.fromkeys([*range(73, 81), 105, 106, 205, 229], _SHARING),
    92: _LAYOUT,
    93: _ADVICE,
    94: _ADVICE,
    102: _QUANTITY,
    109: "a limit of 128 pages for a write of the log of z/OS; the writer here joins what waits",
    110: "needs a log whose writer is busy: Z93-Q14 on a slow disk",
    112: _QUANTITY,
    **dict.fromkeys([133, 142, 159, 201], _HISTORY),
    **dict.fromkeys([158, 164, 167, 168, 170, 183, 203, 204, 206, 210, 213, 214, 266], _ZOS),
    160: "needs a queue manager that fails over with many clients (L92-W02)",
    161: "needs a queue manager on two hosts with a network file system (L92-W02)",
    **dict.fromkeys([166, 172, 175, 179, 207], _CHANNELS),
    173: "compression by hardware",
    174: "channels between client and queue manager compress; no workload varies it yet (Z93-R14)",
    **dict.fromkeys([176, 177], _CLUSTERS),
    123: "a run does not tell which of log I/O and CPU limits it: B120 and B122 have both sides of it",
    **dict.fromkeys([178, 180], _NETWORK),
    **dict.fromkeys([181, 182, 185], _LAYOUT),
    184: "page sets are written through the cache of the operating system by a checkpoint; no run tells it apart",
    190: "the list of ciphers is that of the TLS library of the machine",
    **dict.fromkeys(range(191, 198), _AMS),
    199: "the trace of the channel initiator has no counterpart: one process serves clients and queues",
    202: _QUANTITY,
    223: "a comparison of two ways to write an application",
    231: "a setting of a node: transactionMode takes yes, no and automatic",
    234: "a property of flows: messages of a flow with transactionMode yes are put in the unit of work of its input",
    239: "no execution group is made by default here: an operator creates each, as a process of its own",
    240: "a property of formats: XMLNSC and XMLNS need no model; no rate shows it",
    235: _LAYOUT,
    238: "needs filters with longer expressions and messages with more fields than WMQI-W07 has",
    251: "needs WMQI-W11 with a flow that converts twice",
    261: "an instance of a flow keeps 30 output queues open (queueCacheMaxSize); no workload puts to more queues",
    262: "a rule of configuration of the product",
    263: "collectives of brokers are not here",
    265: "memory of the queue manager and of execution groups stands in the tables of runs",
    267: "data sources cache prepared statements (statementCache); no workload runs without the cache",
}


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A statement of a document."""

    number: int
    kind: str
    source: str
    text: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The entry of a report on a behaviour."""

    behaviour: Behaviour
    verdict: str
    why: str
    runs: tuple[str, ...] = ()


@cache
def behaviours() -> tuple[Behaviour, ...]:
    """Return all behaviours that a run can show, by number."""
    text = (resources.files(__package__) / "data" / "behaviours.tsv").read_text("utf-8")
    made = []
    for line in text.splitlines():
        if not line.startswith("#"):
            number, kind, source, statement, tests = line.split("\t")
            made.append(Behaviour(int(number), kind, source, statement, tuple(tests.split())))
    return tuple(made)


def judge(points: Sequence[Point], runs: Sequence[RunFacts] = ()) -> list[Verdict]:
    """Return a verdict for every behaviour."""
    evidence = Evidence(points, runs)
    return [_judge(each, evidence) for each in behaviours()]


def _judge(behaviour: Behaviour, evidence: Evidence) -> Verdict:
    check, needs = CHECKS.get(behaviour.number, (None, ""))
    found = check(evidence) if check is not None else Found(None, "")
    if found.held is not None:
        why = EXPLAINED.get(behaviour.number, "") if not found.held else ""
        text = f"{found.text}: {why}" if why else found.text
        return Verdict(behaviour, HELD if found.held else NOT_HELD, text, found.runs)
    parts = [found.text] if found.text else [f"needs runs of {needs}"] if needs else []
    if behaviour.number in REASONS:
        parts.append(REASONS[behaviour.number])
    if behaviour.tests:
        parts.append(f"a test proves it: {', '.join(behaviour.tests)}")
    return Verdict(behaviour, NOT_SHOWN, "; ".join(parts))


def make(points: Sequence[Point], runs: Sequence[RunFacts] = ()) -> Report:
    """Return the chapter: three tables, none left out in silence."""
    verdicts = judge(points, runs)
    groups = {name: [each for each in verdicts if each.verdict == name] for name in (HELD, NOT_HELD, NOT_SHOWN)}
    counts = {name: len(group) for name, group in groups.items()}
    made = Report("behaviours", "Behaviours of the documents")
    made.words = [
        (
            f"Of {len(verdicts)} statements of the documents, the runs of this report show {counts[HELD]} to hold and "
            f"{counts[NOT_HELD]} not to; {counts[NOT_SHOWN]} are not shown by these runs, each with the reason."
        ),
        (
            "A check compares points that differ only in the subject of the statement; within 6 % counts as equal, and "
            "a statement with a change in percent is held near that change only."
        ),
    ]
    made.figures = [Figure(name, f"{count}") for name, count in counts.items()]
    titles = {HELD: "Held", NOT_HELD: "Not held", NOT_SHOWN: "Not shown by these runs"}
    made.tables = [_table(titles[name], group) for name, group in groups.items() if group]
    return made


def _table(title: str, verdicts: Sequence[Verdict]) -> Table:
    shown = verdicts[0].verdict != NOT_SHOWN
    columns = [Column("Behaviour"), Column("Kind"), Column("The documents say"), Column("Here" if shown else "Why")]
    if shown:
        columns.append(Column("First run", link="run-"))
    rows: list[tuple[Cell, ...]] = []
    for each in verdicts:
        row: tuple[Cell, ...] = (f"B{each.behaviour.number}", KINDS[each.behaviour.kind], each.behaviour.text, each.why)
        rows.append((*row, each.runs[0] if each.runs else "") if shown else row)
    return Table(title, columns, rows)
