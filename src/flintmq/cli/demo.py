"""flint demo: requests and replies, publications and subscribers on an embedded queue manager; what they cost here.

    flint demo
    flint demo --seconds 20 --requesters 16 --servers 8 --size 4096

A queue manager in a temporary directory, requesters and servers as threads; first non-persistent messages, then
persistent ones in units of work; then publications for two subscribers, one with a selector, and a streaming queue. It
ends by itself and leaves nothing behind.
"""

from __future__ import annotations

import argparse
import sys

import flintmq
from flintmq._build import build_type
from flintmq.cli._launcher import launcher
from flintmq.perf.demo import SELECTOR, Demo, Phase, Publishing

NAME = "demo"
SUMMARY = "request/reply and publish/subscribe on an embedded queue manager, and their cost"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=9.0, help="how long, the three phases together (9)")
    parser.add_argument("--requesters", type=int, default=4, help="threads that send requests (4)")
    parser.add_argument("--servers", type=int, default=4, help="threads that answer (4)")
    parser.add_argument("--size", type=int, default=2048, help="bytes in a message (2048)")


def run(options: argparse.Namespace) -> int:
    print(
        f"FlintMQ {flintmq.__version__} ({build_type()}): {options.requesters} requesters, {options.servers} servers, ",
        end="",
    )
    print(f"{options.size}-byte messages, an embedded queue manager in a temporary directory\n", flush=True)
    live = sys.stdout.isatty()

    def progress(line: str) -> None:
        if live:
            print(f"\r{line}\033[K", end="", flush=True)

    demo = Demo(progress, options.seconds / 3, options.requesters, options.servers, options.size)
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
