"""flint demo: a tour of the whole system: queue manager, flow, streaming queue, SMF, Spark, report.

    flint demo
    flint demo --seconds 10 -o tour
    flint demo --keep
    flint demo --embedded --seconds 20 --requesters 16 --servers 8 --size 4096

Makes a queue manager and starts it, deploys the order-routing flow, drives orders through it with a streaming queue
attached, records SMF, reads the records with Spark, and ends with the path of a report in HTML and a summary of ten
lines. It takes about a minute. Without Java it names the parts that it left out. The queue manager is removed at the
end; --keep leaves it running, and the flow in a broker.

--embedded is the short tour: requesters and servers as threads on a queue manager in this process; non-persistent
messages, persistent ones in units of work, then publications for two subscribers and a streaming queue.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import flintmq
from flintmq._build import build_type
from flintmq.cli._failure import CommandFailed
from flintmq.cli._launcher import launcher
from flintmq.perf.demo import SELECTOR, Demo, Phase, Publishing
from flintmq.perf.stage import NAME as QUEUE_MANAGER
from flintmq.perf.stage import StageError
from flintmq.perf.tour import BROKER, INPUT, Tour

NAME = "demo"
SUMMARY = "a tour of the system: queue manager, flow, streaming queue, SMF, Spark, report"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="measured part of a repeat (3); of --embedded: all (9)"
    )
    parser.add_argument("--clients", type=int, default=4, metavar="N", help="orders under way at a time (4)")
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help="where run and report go (a temporary directory)")
    parser.add_argument("--keep", action="store_true", help="leave queue manager and flow running")
    parser.add_argument("--embedded", action="store_true", help="the short tour, in this process")
    parser.add_argument("--requesters", type=int, default=4, metavar="N", help="of --embedded: threads that ask (4)")
    parser.add_argument("--servers", type=int, default=4, metavar="N", help="of --embedded: threads that answer (4)")
    parser.add_argument("--size", type=int, default=2048, metavar="BYTES", help="of --embedded: of a message (2048)")


def run(options: argparse.Namespace) -> int:
    if options.embedded:
        return _embedded(options)
    if options.clients < 1 or (options.seconds is not None and not 0.2 <= options.seconds <= 3600):
        raise CommandFailed("--clients is at least 1, --seconds 0.2 to 3600", exit_code=2)
    out: Path = options.out or Path(tempfile.mkdtemp(prefix="flint-demo-report-"))
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CommandFailed(f"-o {out} is not an empty directory: choose another one", exit_code=2)
    place = out.resolve() / "data" if options.keep else None
    begin, live = time.monotonic(), sys.stdout.isatty()
    clear = "\r\033[K" if live else ""

    def say(line: str) -> None:
        print(f"{clear}{time.monotonic() - begin:5.0f} s  {line}", flush=True)

    def progress(line: str) -> None:
        if live:
            print(f"\r         {line}\033[K", end="", flush=True)

    print(f"FlintMQ {flintmq.__version__} ({build_type()}): a tour of the system\n", flush=True)
    tour = Tour(say, progress, out, options.seconds or 3.0, options.clients, place)
    try:
        tour.run()
    except StageError as error:
        raise CommandFailed(str(error)) from None
    say("That was the tour.\n")
    _shown(tour, out, place)
    return 0


def _shown(tour: Tour, out: Path, place: Path | None) -> None:
    print("What was shown:")
    for number, line in enumerate(tour.shown, 1):
        print(f"  {number:>2}  {line}")
    for line in tour.left_out:
        print(f"  Left out: {line}")
    flint = launcher()
    if place is not None:
        flow = f", and the flow in broker {BROKER}: it takes orders from {INPUT}" if tour.kept else ""
        print(f"\n{QUEUE_MANAGER} is running{flow}. The commands need FLINTMQ_DATA={place}")
        print(f"  FLINTMQ_DATA={place} {flint} runmqsc {QUEUE_MANAGER}")
        if tour.kept:
            print(f"  FLINTMQ_DATA={place} {flint} broker list {BROKER} -r")
            print(f"  FLINTMQ_DATA={place} {flint} broker stop {BROKER}")
        print(f"  FLINTMQ_DATA={place} {flint} endmqm {QUEUE_MANAGER}")
    print("\nWhat to try next:")
    for what, why in (
        (f"{flint} up", "a queue manager with DEV.QUEUE.1 to 3, and how to connect to it"),
        (f"{flint} perf run SQ-W02 --quick", "a workload of the performance reports"),
        (f"{flint} demo --embedded", "the cost of a call without a process between"),
        ("docs/perf-report.md", "how the numbers of the report are made"),
    ):
        print(f"  {what:<32}  {why}")
    print(f"\nReport: {tour.files[0].resolve()}" if tour.files else f"\nMeasurements: {out.resolve()}")


def _embedded(options: argparse.Namespace) -> int:
    """Run the phases on an embedded queue manager and print their costs."""
    print(
        f"FlintMQ {flintmq.__version__} ({build_type()}): {options.requesters} requesters, {options.servers} servers, ",
        end="",
    )
    print(f"{options.size}-byte messages, an embedded queue manager in a temporary directory\n", flush=True)
    live = sys.stdout.isatty()

    def progress(line: str) -> None:
        if live:
            print(f"\r{line}\033[K", end="", flush=True)

    seconds = 9.0 if options.seconds is None else options.seconds
    demo = Demo(progress, seconds / 3, options.requesters, options.servers, options.size)
    phases = demo.run()
    if live:
        print("\r\033[K", end="")
    _table(phases)
    _publications(demo.publishing)
    print("\nWhat to try next:")
    flint = launcher()
    for what, why in (
        (f"{flint} up", "a queue manager with DEV.QUEUE.1 to 3, and how to connect to it"),
        (f"{flint} runmqsc QM1", "define and display its objects"),
        (f"{flint} bench --quick", "the same costs beside their floors"),
        ("docs/embedded.md", "the queue manager in your own program: flintmq.open()"),
    ):
        print(f"  {what:<32}  {why}")
    return 0


def _publications(figures: Publishing) -> None:
    print(f"\n{figures.title}")
    rows = [
        ("publications a second", f"{figures.rate:,.0f}"),
        ("copies for the subscriber of all", f"{figures.delivered:,}"),
        (f"copies selected by {SELECTOR}", f"{figures.selected:,}"),
        ("copies by the streaming queue", f"{figures.streamed:,}"),
        ("CPU microseconds for a copy", f"{figures.cpu_us_per_copy:.1f}"),
    ]
    for title, value in rows:
        print(f"{title:<34}{value:>42}")


def _table(phases: list[Phase]) -> None:
    rows = [
        ("", [phase.title for phase in phases]),
        ("requests with reply a second", [f"{phase.rate:,.0f}" for phase in phases]),
        ("CPU microseconds for an MQI call", [f"{phase.cpu_us_per_call:.1f}" for phase in phases]),
        ("log MB/s", [f"{phase.log_mb_per_second:.1f}" for phase in phases]),
        ("commits for each fdatasync", [f"{phase.commits_per_sync:.1f}" if phase.syncs else "-" for phase in phases]),
    ]
    for title, values in rows:
        print(f"{title:<34}" + "".join(f"{value:>42}" for value in values))
