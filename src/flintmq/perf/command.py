"""The actions of `flint perf`: options and output."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import flintmq
from flintmq.perf import catalogue, cph, disk, runner, suite
from flintmq.perf.catalogue.workload import Workload
from flintmq.perf.measure import Timing
from flintmq.perf.report import actions
from flintmq.perf.runs import RunError
from flintmq.perf.stage import Stage, StageError
from flintmq.perf.view import view


class PerfError(Exception):
    """A command cannot run. The text has the reason and the action to take."""

    exit_code = 1


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare all actions."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="|".join(ACTIONS))
    for name, (declare, summary, example, _) in ACTIONS.items():
        action = actions.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"example: {example}",
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        declare(action)


def run(options: argparse.Namespace) -> int:
    """Run the chosen action."""
    try:
        return ACTIONS[options.action][3](options)
    except (StageError, RunError) as error:
        raise PerfError(str(error)) from None


# -- list and show ----------------------------------------------------------------------------------------------------


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pattern", nargs="?", default="", help="part of an id or title")
    parser.add_argument("--runnable", action="store_true", help="only those that can be run here")


def _list(options: argparse.Namespace) -> int:
    wanted = options.pattern.lower()
    for each in catalogue.WORKLOADS.values():
        if wanted not in f"{each.id} {each.title}".lower() or (options.runnable and not each.runnable):
            continue
        print(f"{each.id:<10} {each.title}{f'  [needs {each.needs}]' if each.needs else ''}")
    return 0


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", help="id of the workload")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="the steps of --quick")
    length.add_argument("--full", action="store_true", help="the steps of `suite --full`")


def _show(options: argparse.Namespace) -> int:
    each = catalogue.find(options.workload)
    print(f"{each.id}  {each.title}")
    if each.needs:
        print(f"  cannot be run yet: needs {each.needs}")
        return 0
    steps = each.steps(options.quick, full=options.full)
    print(f"  operation   {each.operation}")
    print(f"  shape       {each.shape}")
    for title, rows in (("fixed", each.base), ("varied", each.varied(options.quick, full=options.full))):
        for name, value in rows.items():
            shown = " ".join(map(str, value)) if title == "varied" else value
            print(f"  {title:<11} {name} = {shown}{'  (ramp)' if name == each.ramp else ''}")
    print(f"  steps       {len(steps)}")
    for anchor in each.anchors:
        print(f"  compare     {anchor.doc}, {anchor.section}: {anchor.workload}")
    if each.behaviours:
        print(f"  behaviours  {' '.join(f'B{number}' for number in each.behaviours)}")
    if each.remark:
        print(f"  remark      {each.remark}")
    return 0


# -- run --------------------------------------------------------------------------------------------------------------


def declare_timing(parser: argparse.ArgumentParser, measure_s: float = 5.0) -> None:
    """Declare the options that say how long a run takes."""
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="measurements of each step (3)")
    parser.add_argument("--seconds", type=float, metavar="S", help=f"measured part of a repeat ({measure_s:g})")
    parser.add_argument("--warm-up", type=float, metavar="S", help="before it (1)")


def _declare_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload", nargs="+", help="ids of workloads; `flint perf list` has them")
    parser.add_argument("-o", "--out", type=Path, default=Path("runs"), metavar="DIR", help="where runs go (runs)")
    declare_timing(parser)
    parser.add_argument("--quick", action="store_true", help="fewer steps, one second each")
    parser.add_argument("--rate", type=float, default=0.0, metavar="N", help="operations a second; without it unrated")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="driver processes for each role (1)")
    text = "values of a parameter, with commas between, instead of those of the catalogue: size=2048,65536"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUES", help=text)
    parser.add_argument("--mode", choices=("embedded", "local", "tcp", "tls"), help="how drivers connect")
    parser.add_argument("--log-directory", type=Path, metavar="DIR", help="where the log of the queue manager goes")
    parser.add_argument("--database", default="", metavar="URL", help="database of the broker workloads (SQLite)")
    parser.add_argument("--no-recording", action="store_true", help="no statistics of the queue manager")
    text = "measure this working copy of FlintMQ too, in turns: its runs are in DIR/A of --out, those of this in DIR/B"
    parser.add_argument("--against", type=Path, metavar="DIR", help=text)


def timing_of(options: argparse.Namespace, quick: bool) -> Timing:
    """Return the timing that options ask for. Raise PerfError where they make no sense."""
    timing = Timing(0.3, 1.0, 0.1) if quick else Timing()
    timing.repeats = options.repeats
    if options.seconds is not None:
        timing.measure_s = options.seconds
    if options.warm_up is not None:
        timing.warm_up_s = options.warm_up
    if timing.repeats < 1 or not 0.05 <= timing.measure_s <= 86_400 or not 0 <= timing.warm_up_s <= 86_400:
        raise PerfError("--repeats is at least 1, --seconds 0.05 to 86400, --warm-up 0 to 86400")
    return timing


def _values(settings: list[str]) -> dict[str, tuple[Any, ...]]:
    """Return parameters and values of `--set`."""
    made: dict[str, tuple[Any, ...]] = {}
    for setting in settings:
        name, mark, text = setting.partition("=")
        if not mark or not name or not text:
            raise PerfError(f"--set {setting!r} is not NAME=VALUES")
        made[name.replace("-", "_")] = tuple(_value(each) for each in text.split(","))
    return made


def _value(text: str) -> Any:
    if text in ("yes", "no"):
        return text == "yes"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _in_turns(options: argparse.Namespace) -> int:
    """Run the workloads on two working copies in turns, one repeat at a time; the first alternates."""
    own = Path(flintmq.__file__).resolve().parents[2]
    sides = [("A", options.against.resolve()), ("B", own)]
    for _, place in sides:
        if not (place / "src" / "flintmq" / "perf").is_dir():
            raise PerfError(f"{place} is no working copy of FlintMQ: --against names one")
    given = sys.argv[sys.argv.index("run") + 1 :]
    for turn in range(options.repeats):
        for name, place in sides if turn % 2 == 0 else sides[::-1]:
            print(f"turn {turn + 1} of {options.repeats}, {name}: {place}", flush=True)
            # Of options that are given twice the last counts.
            words = [*_without(given, "--against"), "--repeats", "1", "--out", str(options.out / name)]
            command = [sys.executable, "-P", "-m", "flintmq.cli", "perf", "run", *words]
            environment = {**os.environ, "PYTHONPATH": str(place / "src"), "FLINT_HOME": str(place)}
            ended = subprocess.run(command, env=environment).returncode
            if ended:
                raise PerfError(f"{place}: flint perf run ended with {ended}")
    print(f"compare them: flint perf compare {options.out / 'A'} {options.out / 'B'}")
    return 0


def _without(words: list[str], option: str) -> list[str]:
    """Return the words of a command without an option and its value."""
    made, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == option:
            skip = True
        elif not word.startswith(f"{option}="):
            made.append(word)
    return made


def _run(options: argparse.Namespace) -> int:
    workloads: list[Workload] = [catalogue.find(name) for name in options.workload]
    only = _values(options.set)
    if options.mode:
        only["mode"] = (options.mode,)
    chosen = runner.Options(
        timing_of(options, options.quick),
        options.quick,
        only,
        options.rate,
        max(1, options.processes),
        not options.no_recording,
        database=options.database,
    )
    for each in workloads:
        if each.needs:
            raise PerfError(f"{each.id} cannot be run: it needs {each.needs}")
    if options.against is not None:
        return _in_turns(options)
    shown = view()
    try:
        with Stage(log_directory=options.log_directory) as stage:
            for each in workloads:
                place = options.out / runner.new_id(each.id)
                runner.run(each, place, stage, chosen, shown)
                shown.line(f"run: {place}")
    finally:
        shown.close()
    return 0


# -- suite ------------------------------------------------------------------------------------------------------------


def _declare_suite(parser: argparse.ArgumentParser) -> None:
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="at most 5 minutes: some of each chapter (the default)")
    length.add_argument("--full", action="store_true", help="at most 90 minutes: all that can be run")
    parser.add_argument("-o", "--out", type=Path, help="directory of the suite (runs/quick or runs/full)")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="these workloads only")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="measurements of each step (3)")
    parser.add_argument("--limit", type=float, default=0.0, metavar="S", help="another limit, in seconds")
    parser.add_argument("--database", default="", metavar="URL", help="database of the broker workloads (SQLite)")


def _suite(options: argparse.Namespace) -> int:
    quick = not options.full
    place: Path = options.out or Path("runs") / ("quick" if quick else "full")
    if options.repeats < 1 or options.limit < 0:
        raise PerfError("--repeats is at least 1, --limit at least 0")
    one = suite.load(place)
    shown = view()
    if one is None:
        one = suite.begin(place, quick, options.only, options.repeats, options.limit)
    elif one.quick != quick:
        raise PerfError(f"{place} has a suite of the other length: choose another directory with -o")
    else:
        if options.limit:
            one.limit_s = options.limit
        shown.line(f"continues {place}: {len(one.done)} of {len(one.workloads)} are done")
    try:
        whole = suite.run(one, shown, options.database)
        shown.line(f"suite: {place}: {len(one.done)} runs are complete, {len(one.failed)} failed")
    except KeyboardInterrupt:
        shown.line(f"interrupted; the same command continues: {len(one.done)} of {len(one.workloads)} are done")
        raise
    finally:
        shown.close()
    return 0 if whole else 1


# -- peers ------------------------------------------------------------------------------------------------------------


def _declare_peers(parser: argparse.ArgumentParser) -> None:
    from flintmq.perf.peers import compare

    parser.add_argument("peer", nargs="*", help=f"{', '.join(each.name for each in compare.PEERS)} (all)")
    parser.add_argument("-o", "--out", type=Path, default=Path("runs"), metavar="DIR", help="where the run goes (runs)")
    parser.add_argument("--pattern", action="append", default=[], choices=compare.PATTERNS, help="only this one")
    parser.add_argument("--size", type=int, default=2048, metavar="N", help="bytes in a message (2048)")
    parser.add_argument("--clients", type=int, default=4, metavar="N", help="of each role (4)")
    declare_timing(parser, 2.0)


def _peers(options: argparse.Namespace) -> int:
    from flintmq.perf.peers import compare

    known = {each.name for each in compare.PEERS} | {each.server for each in compare.PEERS}
    unknown = [name for name in options.peer if name not in known]
    if unknown or not 1 <= options.clients <= 200 or not 1 <= options.size <= 100 << 20:
        raise PerfError(f"not known: {' '.join(unknown)}" if unknown else "--clients is 1 to 200, --size 1 to 100 MiB")
    timing = timing_of(options, False)
    timing.measure_s = options.seconds or 2.0
    timing.warm_up_s = options.warm_up if options.warm_up is not None else 0.5
    chosen = (compare.FLINTMQ, *options.peer) if options.peer else ()
    patterns = tuple(options.pattern) or compare.PATTERNS
    wanted = compare.Wanted(timing, chosen, patterns, options.size, options.clients, list(sys.argv))
    shown = view()
    try:
        place = compare.run(options.out / runner.new_id("PEERS"), wanted, shown)
    finally:
        shown.close()
    print(f"run: {place}")
    return 0


# -- cph --------------------------------------------------------------------------------------------------------------


def _cph(options: argparse.Namespace) -> int:
    return cph.run(options)


# -- disk -------------------------------------------------------------------------------------------------------------


def _declare_disk(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", nargs="?", type=Path, default=Path("."), help="where the log would be (here)")
    parser.add_argument("--bytes", default="4,16,64,256,1024", metavar="KIB,...", help="block sizes in KiB")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="for each block size (2)")
    parser.add_argument("--file-size", type=int, default=64, metavar="MIB", help="of each file in MiB (64)")
    parser.add_argument("--files", type=int, default=1, metavar="N", help="files written in turn: log copies (1)")
    parser.add_argument("--method", choices=disk.METHODS, default=disk.OVERWRITE, help="how a write is made durable")


def _disk(options: argparse.Namespace) -> int:
    if not options.directory.is_dir():
        raise PerfError(f"{options.directory} is no directory: name one on the file system to test")
    try:
        blocks = [int(each) * 1024 for each in options.bytes.split(",")]
    except ValueError:
        raise PerfError(f"--bytes {options.bytes!r} is not a list of numbers: 4,64") from None
    if not all(0 < each <= 64 << 20 for each in blocks) or not 1 <= options.files <= 64 or options.seconds <= 0:
        raise PerfError("--bytes is 1 to 65536 KiB, --files 1 to 64, --seconds above 0")
    if not 1 <= options.file_size <= 4096 or options.file_size << 20 < max(blocks):
        raise PerfError("--file-size is 1 to 4096 MiB, and not less than a block")
    from flintmq.perf.machine import file_system

    print(f"{options.directory.resolve()}: {file_system(options.directory)}; {options.method}, {options.files} files")
    print(disk.HEAD)
    test = disk.Test(options.directory, options.method, options.file_size << 20, options.files, options.seconds)

    def told(result: dict[str, Any]) -> None:
        print(disk.line(result), flush=True)

    disk.run(test, blocks, told)
    sys.stdout.flush()
    return 0


Action = tuple[Callable[[argparse.ArgumentParser], None], str, str, Callable[[argparse.Namespace], int]]
ACTIONS: dict[str, Action] = {
    "list": (_declare_list, "list the workloads", "flint perf list streaming", _list),
    "show": (_declare_show, "show a workload: parameters, steps, comparison", "flint perf show SQ-W02", _show),
    "run": (_declare_run, "run workloads", "flint perf run Z93-R01 --repeats 3 -o runs/", _run),
    "suite": (_declare_suite, "run many workloads in a limited time", "flint perf suite --quick", _suite),
    "peers": (_declare_peers, "measure other brokers and FlintMQ in turns", "flint perf peers nats rabbitmq", _peers),
    "cph": (
        cph.declare,
        "drive a queue manager with the options of MQ-CPH",
        "flint perf cph -tc Requester -nt 10 -ms 2048 -rl 30 -iq REQUEST -oq REPLY -jb QM1 -jt mqb",
        _cph,
    ),
    "disk": (_declare_disk, "measure synced writes of a file system", "flint perf disk . --bytes 4,64", _disk),
}
# Reports, comparisons and plans need Spark, and import it when they run.
ACTIONS.update(actions.ACTIONS)
