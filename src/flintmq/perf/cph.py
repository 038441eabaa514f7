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
    -p1      MQPUT1 (Sender, PutGet)                       -ls      latency of thread 0 in each line
    -sp      messages of each thread in each line          -su      a last line with the whole run
    -sd      where its duration begins: normal, or tlf     -sh -ts  trap Ctrl-C; stack of a thread in KB

    rateR=4096.00,total messages=40960,Snapshot period=10,threads=10
    totalIterations=245760,avgDuration=60.00,totalRate=4096.00,avgRate=4096.00

Further options of MQ-CPH (NOT_HERE) are refused by their names. Class names may have the prefix of JMSPerfHarness
(jms.r11.Requestor). Values of switches are `true` or `false`; a bare switch is `true`. A rated thread is measured from
its schedule, as everywhere in this room.
"""

from __future__ import annotations

import argparse
import base64
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from flintmq.perf import driver, pace
from flintmq.perf.histogram import Histogram, highest, lowest, merged
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
#: Options of MQ-CPH and JMSPerfHarness that nothing here does.
NOT_HERE = (
    *("mg", "sn", "si", "rp", "yd", "rs", "mh", "rf", "gs", "txp", "txg", "dq", "du", "un", "jf"),
    *("h", "hm", "hf", "v", "tr"),
)
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
    Option("wi", 1000, "milliseconds between the starts of threads (1000)"),
    Option("wt", 30, "seconds that a thread may take to start (30); 0 for no limit"),
    Option("tx", False, "in units of work (false)"),
    Option("cc", 1, "operations in one unit of work (1)"),
    Option("pp", False, "persistent messages (false)"),
    Option("p1", False, "put with MQPUT1: Sender and PutGet (false)"),
    Option("to", 5.0, "seconds that a get of a reply waits (5); -1 for no limit"),
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
    Option("ls", False, "latency of thread 0 in each line (false)"),
    Option("sp", False, "messages of each thread in each line (false)"),
    Option("su", True, "a last line with the whole run (true)"),
    Option(
        "sd", "normal", "its duration: normal, from the first operation; tlf, from the start of the process (normal)"
    ),
    Option("sh", True, "trap Ctrl-C: print the last line (true)"),
    Option("ts", 0, "KB of stack of each thread (0: that of the system)"),
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
    for name in NOT_HERE:
        if name != "h":
            parser.add_argument(f"-{name}", nargs="?", action=_NotHere, help=argparse.SUPPRESS)


class _NotHere(argparse.Action):
    """Refuse an option by its name."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        raise BadOption(f"{option_string} of MQ-CPH is not here; docs/perf.md lists those that are not")


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
    if options.sd not in ("normal", "tlf"):
        raise BadOption(f"-sd {options.sd} is neither normal nor tlf")
    if options.p1 and role not in (PUTTER, PUT_GET):
        raise BadOption("-p1 is for Sender and PutGet")
    if options.ts and not 64 <= options.ts <= 1 << 20:
        raise BadOption("-ts is 0, or 64 to 1048576")
    numbers = options.db, options.dx, options.dn
    actors = Actors(
        role,
        options.nt,
        size=options.ms,
        persistent=options.pp,
        syncpoint=options.tx,
        batch=options.cc,
        rate=options.rt * options.nt,
        timeout=options.to if options.to >= 0 else _FOREVER_S,
        put1=options.p1,
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
    cipher = "" if options.jl == "UNSPECIFIED" else options.jl
    mode = LOCAL if options.jt.lower() == "mqb" else TLS if cipher else TCP
    plan = DriverPlan([actors], mode, options.jb, channel=options.jc, address=f"{options.jh}({options.jp})")
    plan.cipher, plan.keys, plan.user = cipher, options.jk, options.us
    plan.password = options.pw or os.environ.get("FLINTMQ_PASSWORD", "")
    return plan


def run(options: argparse.Namespace) -> int:
    """Run the threads and print lines until the time is over or Ctrl-C."""
    began = time.monotonic()
    plan = plan_of(options)
    if not options.sh:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if options.ts:
        threading.stack_size(options.ts << 10)
    label = f"id={options.id}," if options.id else ""
    length = options.rl or _FOREVER_S
    one = driver.Driver(plan, {plan.actors[0].role: options.nt}, options.wi / 1000, options.wt or 3600)
    try:
        start = time.monotonic_ns()
        end = start + length * pace.SECOND
        one.begin_repeat(start, start, end)
        seen, last = [0] * len(one.workers), 0.0
        latency = Latency(one)
        try:
            while (elapsed := (time.monotonic_ns() - start) / pace.SECOND) < length:
                if not any(worker.thread.is_alive() and not worker.finished.is_set() for worker in one.workers):
                    break
                if options.ss and elapsed - last >= options.ss:
                    now = [sum(worker.tally.counts) for worker in one.workers]
                    each = [after - before for before, after in zip(seen, now, strict=True)]
                    period, total = elapsed - last, sum(each)
                    told = f"{label}rateR={total / period:.2f},total messages={total},Snapshot period={period:.0f}"
                    told += f",threads={options.nt}"
                    if options.sp:
                        told += f",by thread={'/'.join(map(str, each))}"
                    if options.ls:
                        told += latency.since()
                    print(told, flush=True)
                    seen, last = now, elapsed
                time.sleep(_LOOK_S)
        except KeyboardInterrupt:
            one.give_up()
        seconds = min(length, (time.monotonic_ns() - start) / pace.SECOND)
        one.stop()
        if options.sd == "tlf":
            seconds = time.monotonic() - began
        total = _total(one)
        rate = total / seconds if seconds else 0.0
        if options.su:
            print(f"{label}totalIterations={total},avgDuration={seconds:.2f},totalRate={rate:.2f},avgRate={rate:.2f}")
            _latency(one, label)
        return _errors(one)
    finally:
        one.close()


class Latency:
    """The latency of thread 0 since the line before."""

    def __init__(self, one: driver.Driver) -> None:
        self._tally = one.workers[0].tally
        self._counts, self._total = list(self._tally.sent.counts), 0

    def since(self) -> str:
        """Return maximum, minimum and mean in microseconds; nothing where no operation ended."""
        now, total = list(self._tally.sent.counts), self._tally.sent.total
        new = [(index, after - before) for index, (before, after) in enumerate(zip(self._counts, now, strict=True))]
        new = [(index, count) for index, count in new if count > 0]
        mean = (total - self._total) / max(1, sum(count for _, count in new)) / 1000
        self._counts, self._total = now, total
        if not new:
            return ""
        low, high = lowest(new[0][0]) / 1000, min(highest(new[-1][0]), self._tally.sent.maximum) / 1000
        return f",latency us of thread 0: max={high:.0f},min={low:.0f},avg={mean:.0f}"


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
