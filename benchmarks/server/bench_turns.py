"""turns: how long one call can hold up the others: the longest turn of the loop, in CPU ms, for each hostile call.

    figure              one client                                                                        bar
    like                selects with LIKE and 2,500 holes over a property of 200 KB                       20 ms
    select_nothing      opens 40,000 messages with a selector that finds none                             20 ms
    select_long         opens 2,000 messages with a selector of 10,000 characters                         20 ms
    retained            subscribes to 30,000 retained topics, and ends the subscription                   20 ms
    properties_put      puts a message with 100,000 properties while somebody selects                     20 ms
    properties_select   opens it with a selector                                                          20 ms
    properties_get      gets it                                                                           20 ms
    get_by_id           gets by message id, then by both ids, from 40,000 messages                        20 ms
    browse_by_id        browses 40,000 messages for an id that none has                                   20 ms
    commit, backout     ends a unit of work of 10,000 messages                                            20 ms
    publish             publishes to 3,000 subscriptions                                                  20 ms
    levels              subscribes and publishes to a topic of 5,000 levels                               20 ms
    large               puts and gets 4 MB                                                                20 ms
    evict               puts 40,000 messages, more than the buffer pool holds                             20 ms
    display             DISPLAY QLOCAL(*) ALL of 3,000 queues                                             20 ms
    command_server      the same through the command server                                               20 ms
    clear               CLEAR QLOCAL of 40,000 messages                                                   20 ms

A real queue manager, and a real client over TCP. A turn has all that the loop did since the end of the turn before it,
so writing to the socket too. There is no floor: the bar is CPU time.

    ./flint bench turns
    ./flint bench turns --quick --json
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

import flintmq
from benchmarks.frame import Figure, Options
from benchmarks.server.stage import NAME as Q_MGR
from benchmarks.server.stage import Stage
from flintmq.host.instance import Instance
from flintmq.mqi.constants import MQGMO_BROWSE_FIRST, MQOO_BROWSE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.server.control import Control

NAME = "turns"
CHANNEL = "DEV.APP.SVRCONN"


class Bench:
    """A queue manager and a client that asks for much."""

    def __init__(self, stage: Stage, part: float) -> None:
        self.stage = stage
        self.place = Instance(Q_MGR, stage.directory / "qmgrs" / Q_MGR)
        self.part = part
        self.qm = self.connect()
        self.console = stage.console()
        self.figures: list[Figure] = []

    def connect(self) -> flintmq.RemoteQueueManager:
        """Another client."""
        return flintmq.connect(Q_MGR, channel=CHANNEL, conn=f"127.0.0.1({self.stage.port})", user="app")

    def many(self, count: int) -> int:
        """So many, or the part of them that this run wants."""
        return max(2, int(count * self.part))

    def queue(self, name: str, count: int = 0, data: bytes = b"x", **more: object) -> flintmq.Queue:
        """A queue with so many messages."""
        self.console.ask(f"DEFINE QLOCAL({name}) MAXDEPTH(999999999) MAXMSGL(104857600)")
        queue = self.qm.queue(name)
        for _ in range(count // 1000):
            with self.qm.transaction():
                for _ in range(1000):
                    queue.put(data, **more)  # type: ignore[arg-type]
        for _ in range(count % 1000):
            queue.put(data, **more)  # type: ignore[arg-type]
        return queue

    def turns(self) -> float:
        """The longest turn since it was last asked for, in ms."""
        with Control(self.place) as control:
            return float(control.ask({"do": "turns"})["longest_ms"])

    def measure(self, name: str, *calls: Callable[[], object]) -> None:
        """The longest turn while `calls` are made. What they answer is of no interest."""
        self.turns()
        for call in calls:
            with contextlib.suppress(flintmq.MQError):
                call()
        self.figures.append(Figure(name, self.turns(), "ms"))


def run(options: Options) -> list[Figure]:
    """The longest turns."""
    cases = [each for each in CASES if not ONLY or each.__name__ in ONLY]
    progress = options.progress(NAME, len(cases))
    with Stage() as stage:
        stage.commands(
            "ALTER QMGR MAXUMSGS(999999999)",
            "ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(104857600)",
            "SET AUTHREC PROFILE('SYSTEM.BASE.TOPIC') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(ALLMQI)",
            "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(DSP)",
            "SET AUTHREC PROFILE('SYSTEM.ADMIN.COMMAND.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI)",
            "SET AUTHREC PROFILE('SYSTEM.DEFAULT.MODEL.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI,DSP)",
        )
        bench = Bench(stage, options.scale(10_000, 2_500, 10) / 10_000)
        with bench.console:
            for number, case in enumerate(cases):
                progress.at(number)
                case(bench)
        bench.qm.close()
    progress.done()
    return bench.figures


#: Names of cases, if not all are to be run: given as arguments to this file.
ONLY: set[str] = set()


def like(bench: Bench) -> None:
    queue = bench.queue("LIKE", 1, properties={"p": "a" * bench.many(200_000)})
    selector = "p LIKE '%" + "a_" * bench.many(2500) + "b%'"
    bench.measure("like", lambda: queue.get(selector=selector))


def select_nothing(bench: Bench) -> None:
    queue = bench.queue("SELECT", bench.many(40_000), properties={"color": "blue"})
    bench.measure("select_nothing", lambda: queue.get(selector="color = 'red' OR weight > 5"))


def select_long(bench: Bench) -> None:
    queue = bench.queue("LONG", bench.many(2000), properties={"color": "blue"})
    selector = " OR ".join(f"p{number}=1" for number in range(1000))
    bench.measure("select_long", lambda: queue.get(selector=selector))


def retained(bench: Bench) -> None:
    topic = "many/{}/retained"
    for number in range(bench.many(30_000)):
        bench.qm.topic(topic.format(number)).publish("x", retain=True)

    def subscribe() -> None:
        with bench.qm.subscribe("many/#") as subscription:
            subscription.get()

    bench.measure("retained", subscribe)


def properties(bench: Bench) -> None:
    queue = bench.queue("PROPERTIES")
    many = {f"p{number}": number for number in range(bench.many(100_000))}
    with contextlib.suppress(flintmq.MQError):
        queue.get(selector="p1 = 0 AND TRUE")  # The handle stays open.
    bench.measure("properties_put", lambda: queue.put("x", properties=many))
    bench.measure("properties_select", lambda: queue.get(selector="p99 = 0 AND TRUE"))
    bench.measure("properties_get", lambda: queue.get())


def get_by_id(bench: Bench) -> None:
    queue = bench.queue("BYID", bench.many(40_000))
    bench.measure(
        "get_by_id",
        lambda: queue.get(message_id=bytes(23) + b"1"),
        lambda: queue.get(message_id=bytes(23) + b"1", correlation_id=bytes(23) + b"1"),
    )


def browse_by_id(bench: Bench) -> None:
    bench.queue("BROWSE", bench.many(40_000))
    od = MQOD()
    od.object_name = "BROWSE"
    handle = bench.qm.mqi.open(od, MQOO_BROWSE)

    def browse() -> None:
        md, gmo = MQMD(), MQGMO()
        md.correl_id = bytes(23) + b"1"
        gmo.options = MQGMO_BROWSE_FIRST
        bench.qm.mqi.get(handle, md, gmo)

    bench.measure("browse_by_id", browse)


def units(bench: Bench) -> None:
    queue = bench.queue("UNITS")
    count = bench.many(10_000)

    def fill() -> None:
        for _ in range(count):
            queue.put("x", persistent=True)

    def backed_out() -> None:
        with bench.qm.transaction():
            fill()
            bench.turns()
            raise flintmq.MQError("back out", 0)

    def committed() -> None:
        with bench.qm.transaction():
            fill()
            bench.turns()

    bench.measure("backout", backed_out)
    bench.measure("commit", committed)


def publish(bench: Bench) -> None:
    bench.queue("SUBSCRIBER")
    names = range(bench.many(3000))
    for number in names:
        bench.console.ask(f"DEFINE SUB(S{number}) TOPICSTR('fan') DEST(SUBSCRIBER)")
    bench.measure("publish", lambda: bench.qm.topic("fan").publish("x"))


def levels(bench: Bench) -> None:
    text = "/".join(["a"] * bench.many(5000))

    def subscribe() -> None:
        with bench.qm.subscribe(text[:-1] + "#") as subscription:
            bench.qm.topic(text).publish("x", retain=True)
            subscription.get()

    bench.measure("levels", subscribe)


def large(bench: Bench) -> None:
    queue = bench.queue("LARGE")
    data = bytes(bench.many(4_000_000))
    bench.measure("large", lambda: queue.put(data), lambda: queue.put(data, persistent=True), queue.get, queue.get)


def commands(bench: Bench) -> None:
    bench.measure("evict", lambda: bench.queue("CLEARED", bench.many(40_000)))
    bench.qm.close()  # Nobody has it open then.
    bench.qm = bench.connect()
    for number in range(bench.many(3000)):
        bench.console.ask(f"DEFINE QLOCAL(OBJECT.{number})")
    bench.measure("display", lambda: bench.console.ask("DISPLAY QLOCAL(*) ALL"))
    bench.measure("command_server", lambda: bench.qm.mqsc("DISPLAY QLOCAL(*) ALL"))
    bench.measure("clear", lambda: bench.console.ask("CLEAR QLOCAL(CLEARED)"))


CASES: tuple[Callable[[Bench], None], ...] = (
    like,
    select_nothing,
    select_long,
    retained,
    properties,
    get_by_id,
    browse_by_id,
    units,
    publish,
    levels,
    large,
    commands,
)


if __name__ == "__main__":
    ONLY.update(sys.argv[1:])
    for figure in run(Options()):
        print(f"{figure.name:20} {figure.value:10.2f} ms")
