"""The options and output lines of MQ-CPH and JMSPerfHarness.

    option   meaning                                       option   meaning
    -tc      class of the threads (CLASSES)                -jb      queue manager
    -nt      threads                                       -jt      mqb: of this machine; mqc: over a channel
    -ms      bytes in a message                            -jh -jp  host and port
    -mf      file with the message                         -jc      channel
    -rl      seconds; 0 is a day                            -jl      cipher spec
    -ss      seconds between lines; 0 for none             -us -pw  user and password
    -rt      operations a second of each thread; 0 is as   -iq -oq  request and reply queue
             fast as it goes                               -d       queue or topic of the other classes
    -wi -wt  milliseconds between thread starts; seconds   -db -dx  first and last number behind the names
             that a start may take                         -dn      how many numbers
    -tx -cc  in units of work; operations in one           -pp      persistent
    -to      seconds that a get waits                      -id      name of the process in its lines
    -co -cs  reply by correlation id; by selector          -jy      read-ahead

    rateR=4096.00,total messages=40960,Snapshot period=10,threads=10
    totalIterations=245760,avgDuration=60.00,totalRate=4096.00,avgRate=4096.00

Class names may have the prefix of JMSPerfHarness (jms.r11.Requestor). Values of switches are `true` or `false`; a bare
switch is `true`. A rated thread is measured from its schedule, as everywhere in this room.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from flintmq.perf import driver, pace
from flintmq.perf.histogram import Histogram, merged
from flintmq.perf.plan import (
    GETTER,
    LOCAL,
    PUBLISHER,
    PUT_GET,
    PUTTER,
    REQUESTER,
    RESPONDER,
    SUBSCRIBER,
    TCP,
    TLS,
    Actors,
    DriverPlan,
)

#: Name of the class, in lower case and without prefix, to a role.
CLASSES = {
    "requester": REQUESTER,
    "requestor": REQUESTER,
    "responder": RESPONDER,
    "putget": PUT_GET,
    "sender": PUTTER,
    "receiver": GETTER,
    "publisher": PUBLISHER,
    "subscriber": SUBSCRIBER,
}
_FOREVER_S = 86_400
_LOOK_S = 0.2


class BadOption(Exception):
    """An option that makes no sense. The text names it."""

    exit_code = 2


@dataclass
class Option:
    """One option: its type, default and help."""

    name: str
    default: object
    help: str


OPTIONS = (
    Option("tc", "Requester", "class: Requester, Responder, PutGet, Sender, Receiver, Publisher, Subscriber"),
    Option("nt", 1, "threads (1)"),
    Option("ms", 1000, "bytes in a message (1000)"),
    Option("mf", "", "file with the message, instead of -ms"),
    Option("rl", 60, "run length in seconds (60); 0 is a day, or until Ctrl-C"),
    Option("ss", 10, "seconds between lines (10); 0 for none"),
    Option("rt", 0.0, "operations a second of each thread (0: as fast as it goes)"),
    Option("wi", 0, "milliseconds between the starts of threads (0)"),
    Option("wt", 120, "seconds that a thread may take to start (120)"),
    Option("tx", False, "in units of work (false)"),
    Option("cc", 1, "operations in one unit of work (1)"),
    Option("pp", False, "persistent messages (false)"),
    Option("to", 5.0, "seconds that a get of a reply waits (5)"),
    Option("co", True, "get the reply by correlation id (true)"),
    Option("cs", False, "get the reply by a selector (false)"),
    Option("jb", "", "queue manager"),
    Option("jt", "mqc", "mqb: a queue manager of this machine; mqc: over a channel (mqc)"),
    Option("jh", "localhost", "host (localhost)"),
    Option("jp", 1414, "port (1414)"),
    Option("jc", "SYSTEM.DEF.SVRCONN", "channel (SYSTEM.DEF.SVRCONN)"),
    Option("jl", "", "cipher spec: TLS"),
    Option("jk", "", "key repository for it"),
    Option("jy", False, "read-ahead (false)"),
    Option("us", "", "user"),
    Option("pw", "", "password; better in FLINTMQ_PASSWORD, which other users cannot see"),
    Option("iq", "REQUEST", "request queue (REQUEST)"),
    Option("oq", "REPLY", "reply queue (REPLY)"),
    Option("d", "DEST", "queue or topic of the other classes (DEST)"),
    Option("db", 0, "first number behind the names"),
    Option("dx", 0, "last number behind the names"),
    Option("dn", 0, "how many numbers"),
    Option("id", "", "name of the process in its lines"),
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options, spelled as in MQ-CPH."""
    for option in OPTIONS:
        if isinstance(option.default, bool):
            parser.add_argument(
                f"-{option.name}", type=_switch, nargs="?", const=True, default=option.default, help=option.help
            )
        else:
            parser.add_argument(f"-{option.name}", type=type(option.default), default=option.default, help=option.help)


def _switch(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return text.lower() == "true"


def names(prefix: str, first: int, last: int, count: int) -> list[str]:
    """Return the destinations that -d, -db, -dx and -dn mean, in the order in which threads take them.

    -d Q                      Q
    -d Q -dn 3                Q1 Q2 Q3
    -d Q -db 6 -dn 3          Q6 Q7 Q8
    -d Q -dx 6 -dn 3          Q4 Q5 Q6
    -d Q -db 4 -dx 6          Q4 Q5 Q6
    """
    if not first and not last and not count:
        return [prefix]
    if first and last:
        low, high = first, last
    elif last:
        low, high = last - (count or last) + 1, last
    else:
        low, high = first or 1, (first or 1) + (count or 1) - 1
    if low > high or low < 0:
        raise BadOption(f"-db {first} -dx {last} -dn {count} mean no destination")
    made = [f"{prefix}{number}" for number in range(low, high + 1)]
    # With all three, the range begins at its second member when one more than its length is asked for.
    start = (count - len(made)) % len(made) - 1 if first and last and count > len(made) else 0
    return made[start:] + made[:start]


def plan_of(options: argparse.Namespace) -> DriverPlan:
    """Return the plan of a driver for the options. Raise BadOption."""
    role = CLASSES.get(options.tc.rpartition(".")[2].lower())
    if role is None:
        raise BadOption(
            f"-tc {options.tc} is not one of Requester, Responder, PutGet, Sender, Receiver, Publisher, ..."
        )
    for name, low in (("nt", 1), ("ms", 0), ("rl", 0), ("ss", 0), ("rt", 0), ("cc", 1), ("wi", 0), ("wt", 0)):
        if getattr(options, name) < low:
            raise BadOption(f"-{name} is at least {low}")
    numbers = options.db, options.dx, options.dn
    actors = Actors(
        role,
        options.nt,
        size=options.ms,
        persistent=options.pp,
        syncpoint=options.tx,
        batch=options.cc,
        rate=options.rt * options.nt,
        timeout=options.to,
        read_ahead=options.jy,
        correlate="string" if options.cs else "msgid" if options.co else "any",
    )
    if options.mf:
        actors.body = base64.b64encode(Path(options.mf).read_bytes()).decode()
    if role in (REQUESTER, RESPONDER):
        requests, replies = names(options.iq, *numbers), names(options.oq, *numbers)
        actors.put_to, actors.get_from = (requests, replies) if role == REQUESTER else (replies, requests)
    elif role in (PUBLISHER, SUBSCRIBER):
        actors.topic = names(options.d, *numbers)[0]
    else:
        queues = names(options.d, *numbers)
        actors.put_to = queues if role != GETTER else []
        actors.get_from = queues if role != PUTTER else []
    return _connected(options, actors)


def _connected(options: argparse.Namespace, actors: Actors) -> DriverPlan:
    if options.jt.lower() not in ("mqb", "mqc"):
        raise BadOption(f"-jt {options.jt} is neither mqb nor mqc")
    mode = LOCAL if options.jt.lower() == "mqb" else TLS if options.jl else TCP
    plan = DriverPlan([actors], mode, options.jb, channel=options.jc, address=f"{options.jh}({options.jp})")
    plan.cipher, plan.keys, plan.user = options.jl, options.jk, options.us
    plan.password = options.pw or os.environ.get("FLINTMQ_PASSWORD", "")
    return plan


def run(options: argparse.Namespace) -> int:
    """Run the threads and print lines until the time is over or Ctrl-C."""
    plan = plan_of(options)
    label = f"id={options.id}," if options.id else ""
    length = options.rl or _FOREVER_S
    one = driver.Driver(plan, {plan.actors[0].role: options.nt}, options.wi / 1000, options.wt or 3600)
    try:
        start = time.monotonic_ns()
        end = start + length * pace.SECOND
        one.begin_repeat(start, start, end)
        seen, last = 0, 0.0
        try:
            while (elapsed := (time.monotonic_ns() - start) / pace.SECOND) < length:
                if not any(worker.thread.is_alive() and not worker.finished.is_set() for worker in one.workers):
                    break
                if options.ss and elapsed - last >= options.ss:
                    total = _total(one)
                    period = elapsed - last
                    rate = (total - seen) / period
                    told = f"{label}rateR={rate:.2f},total messages={total - seen},Snapshot period={period:.0f}"
                    print(f"{told},threads={options.nt}", flush=True)
                    seen, last = total, elapsed
                time.sleep(_LOOK_S)
        except KeyboardInterrupt:
            one.give_up()
        seconds = min(length, (time.monotonic_ns() - start) / pace.SECOND)
        one.stop()
        total = _total(one)
        rate = total / seconds if seconds else 0.0
        print(f"{label}totalIterations={total},avgDuration={seconds:.2f},totalRate={rate:.2f},avgRate={rate:.2f}")
        _latency(one, label)
        return _errors(one)
    finally:
        one.close()


def _total(one: driver.Driver) -> int:
    return sum(sum(worker.tally.counts) for worker in one.workers)


def _latency(one: driver.Driver, label: str) -> None:
    """Print percentiles: from the schedule where there is one, else from the call."""
    tallies = [worker.tally for worker in one.workers]
    intended = [tally.intended for tally in tallies if tally.intended is not None]
    found: Histogram = merged(intended or [tally.sent for tally in tallies])
    if found.count:
        figures = ",".join(f"p{percent:g}={found.percentile(percent) / 1000:.0f}" for percent in (50, 90, 99, 99.9))
        print(f"{label}latency us: {figures},max={found.maximum / 1000:.0f}")


def _errors(one: driver.Driver) -> int:
    """Print the errors. Return the exit code."""
    errors = sum(sum(worker.tally.errors) for worker in one.workers)
    first = next((worker.error or worker.tally.first_error for worker in one.workers if worker.tally.first_error), "")
    lost = sum(1 for worker in one.workers if worker.error)
    if first:
        print(f"flint perf cph: {errors} operations failed, {lost} threads ended: {first}", file=sys.stderr)
    return 1 if lost or (errors and not _total(one)) else 0
