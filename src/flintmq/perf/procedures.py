"""Workloads that measure something else than a rate: memory, restart, expiry, a full page set.

A procedure gets the runner, the number of the step and its parameters, does one repeat at a time and writes records
`value`. Each has a `step` record, so that a pipeline finds its parameters as it does those of rates.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import flintmq
from flintmq.perf.catalogue.workload import Parameters
from flintmq.perf.plan import PUTTER, TCP, Actors
from flintmq.perf.shapes import PREFIX
from flintmq.perf.stage import CHANNEL, NAME, Stage, StageError, environment, used_by_group

if TYPE_CHECKING:
    from flintmq.perf.runner import Runner

_QUEUE = f"{PREFIX}P"
_DEFINE = "DEFINE QLOCAL({name}) MAXDEPTH(999999999) {more} REPLACE"
_UNIT = 500
#: Procedures that measure memory, each in a queue manager process that has just started.
_FRESH = {"footprint", "definitions", "fill", "users"}
_PATIENCE_S = 300.0

Values = dict[str, tuple[float, str]]
Procedure = Callable[["Runner", Parameters, int], Values]


def run(runner: Runner, number: int, parameters: Parameters) -> None:
    """Run all repeats of a step."""
    procedure = PROCEDURES[runner.workload.shape]
    label = " ".join(f"{name}={parameters.get(name)}" for name in runner.workload.vary)
    for repeat in range(1, runner.options.timing.repeats + 1):
        if runner.workload.shape in _FRESH:
            # A process that grew earlier would reuse memory that it kept, which hides the cost.
            runner.stage.stop()
        runner.stage.start()
        runner.writer.write(
            "step",
            step=number,
            repeat=repeat,
            parameters=parameters,
            drivers=[],
            target_rate=None,
            started=time.time(),
        )
        for name, (value, unit) in procedure(runner, parameters, repeat).items():
            runner.writer.write("value", step=number, repeat=repeat, name=name, value=value, unit=unit)
            runner.view.value(label, repeat, name, value, unit)


def manager(stage: Stage, mode: str = "local", **more: Any) -> Any:
    """Connect this process to the queue manager of the stage."""
    if mode == TCP:
        return flintmq.connect(NAME, channel=CHANNEL, conn=stage.address, **more)
    return _local(stage, **more)


def _local(stage: Stage, **more: Any) -> Any:
    """Connect by the Unix socket: the directory of the queue manager is found by the environment."""
    import os

    before = os.environ.get("FLINTMQ_DATA")
    os.environ["FLINTMQ_DATA"] = environment(stage.data)["FLINTMQ_DATA"]
    try:
        return flintmq.connect(NAME, **more)
    finally:
        if before is None:
            os.environ.pop("FLINTMQ_DATA")
        else:
            os.environ["FLINTMQ_DATA"] = before


def _rss(stage: Stage) -> int:
    return used_by_group([stage.pid]).rss_bytes


def _cpu(stage: Stage) -> float:
    return used_by_group([stage.pid]).cpu_s


def _load(stage: Stage, queues: list[str], depth: int, size: int, persistent: bool, **more: Any) -> None:
    """Put `depth` messages to each queue in units of work."""
    with manager(stage) as qm:
        body = bytes(size)
        for name in queues:
            queue = qm.queue(name)
            left = depth
            while left > 0:
                with qm.transaction():
                    for number in range(min(left, _UNIT)):
                        queue.put(body, persistent=persistent, correlation_id=b"%024d" % (left - number), **more)
                left -= _UNIT


def _define(stage: Stage, names: list[str], more: str = "") -> None:
    stage.commands(*(_DEFINE.format(name=name, more=more) for name in names))


def _delete(stage: Stage, names: list[str]) -> None:
    for name in names:
        with suppress(StageError):
            stage.commands(f"DELETE QLOCAL({name}) PURGE")


def footprint(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Measure the memory of the queue manager for each connection that has put and got one message."""
    stage, count = runner.stage, int(p["clients"])
    _define(stage, [_QUEUE])
    more = {"sharing": int(p.get("sharing", 1))} if p["mode"] == TCP else {}
    body = bytes(int(p["size"]))
    with manager(stage, p["mode"], **more) as qm:
        # One-time costs of the first one are not part of the cost of another.
        qm.queue(_QUEUE).put(body)
        qm.queue(_QUEUE).get()
    before = _rss(stage)
    made: list[Any] = []
    try:
        for _ in range(count):
            one = manager(stage, p["mode"], **more)
            made.append(one)
            one.queue(_QUEUE).put(body)
            one.queue(_QUEUE).get(wait=5.0)
        grown = _rss(stage) - before
    finally:
        for one in made:
            one.close()
    _delete(stage, [_QUEUE])
    return {"kb_per_connection": (grown / 1024 / count, "KB")}


_DEFINITIONS = {
    "QLOCAL": "DEFINE QLOCAL({name})",
    "QALIAS": "DEFINE QALIAS({name}) TARGET(PQ.NONE)",
    "TOPIC": "DEFINE TOPIC({name}) TOPICSTR('perf/{name}')",
    "SUB": "DEFINE SUB('{name}') TOPICSTR('perf/{name}') DEST(DEV.QUEUE.1)",
    "NAMELIST": "DEFINE NAMELIST({name}) NAMES(A,B)",
    "PROCESS": "DEFINE PROCESS({name}) APPLICID('x')",
    "CHANNEL": "DEFINE CHANNEL({name}) CHLTYPE(SVRCONN)",
}


def definitions(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Measure memory and page set 0 for each definition of an object."""
    stage, case, count = runner.stage, str(p["case"]), int(p["depth"])
    names = [f"PQ.D.{number}" for number in range(count)]
    pages = stage.value("DISPLAY USAGE PSID(0)", "UNUSED")
    before = _rss(stage)
    stage.commands(*(_DEFINITIONS[case].format(name=name) for name in names))
    grown = _rss(stage) - before
    used = pages - stage.value("DISPLAY USAGE PSID(0)", "UNUSED")
    quote = "'" if case == "SUB" else ""
    for name in names:
        stage.commands(f"DELETE {case}({quote}{name}{quote})")
    return {
        "bytes_per_definition": (grown / count, "bytes"),
        "page_set_bytes_per_definition": (used * 4096 / count, "bytes"),
    }


def statistics(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Measure the CPU of learning the depths of all queues: by statistics of class 5, or by inquiry."""
    stage, count = runner.stage, int(p["queues"])
    names = [f"{_QUEUE}.{number}" for number in range(count)]
    _define(stage, names, "STATQ(ON)")
    times = 5
    if p["case"] == "class5":
        stage.commands("START TRACE(STAT) CLASS(5)")
        before = _cpu(stage)
        for _ in range(times):
            stage.commands("RESET QMGR TYPE(STATISTICS)")
        time.sleep(0.3)
        took = _cpu(stage) - before
        stage.commands("STOP TRACE(*)")
    else:
        before = _cpu(stage)
        for _ in range(times):
            stage.commands(f"DISPLAY QLOCAL({_QUEUE}.*) CURDEPTH")
        took = _cpu(stage) - before
    _delete(stage, names)
    return {"cpu_us_per_queue": (took * 1e6 / times / count, "us")}


def page_set_full(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Put to a queue whose stream queue has a page set that is too small; count the messages on each queue."""
    stage, kind, pages = runner.stage, str(p["streamq"]), int(p["pages"])
    copy, base = f"{_QUEUE}.COPY", f"{_QUEUE}.BASE"
    with suppress(StageError):
        stage.commands("DELETE STGCLASS(PERFSML)", "DELETE PSID(9)")
    stage.commands(
        "DEFINE BUFFPOOL(9) BUFFERS(20000) REPLACE",
        f"DEFINE PSID(9) BUFFPOOL(9) PAGES({pages}) EXPAND(NONE)",
        "DEFINE STGCLASS(PERFSML) PSID(9) REPLACE",
    )
    _define(stage, [copy], "STGCLASS(PERFSML)")
    _define(stage, [base], f"STREAMQ({copy}) STRMQOS({kind})")
    done = reason = 0
    with manager(stage) as qm:
        queue, body = qm.queue(base), bytes(int(p["size"]))
        for _ in range(int(p["depth"])):
            try:
                queue.put(body)
            except flintmq.MQError as error:
                reason = int(error.reason)
                break
            done += 1
    depths = stage.depth(base), stage.depth(copy)
    _delete(stage, [base, copy])
    with suppress(StageError):
        stage.commands("DELETE STGCLASS(PERFSML)", "DELETE PSID(9)", "DELETE BUFFPOOL(9)")
    return {
        "puts": (done, "messages"),
        "reason": (reason, "reason code"),
        "base_depth": (depths[0], "messages"),
        "stream_depth": (depths[1], "messages"),
    }


def fill(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Fill an indexed queue; measure memory and CPU for each message."""
    stage, depth = runner.stage, int(p["depth"])
    _define(stage, [_QUEUE], "INDXTYPE(CORRELID)")
    rss, cpu = _rss(stage), _cpu(stage)
    _load(stage, [_QUEUE], depth, int(p["size"]), False)
    grown, took = _rss(stage) - rss, _cpu(stage) - cpu
    reached = stage.depth(_QUEUE)
    _delete(stage, [_QUEUE])
    return {
        "depth": (reached, "messages"),
        "bytes_per_message": (grown / depth, "bytes"),
        "cpu_us_per_put": (took * 1e6 / depth, "us"),
    }


def restart(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Kill the queue manager, start it again and get a message; with `busy`, drivers work until the kill."""
    stage, depth = runner.stage, int(p["depth"])
    names = [f"{_QUEUE}.{number}" for number in range(int(p.get("queues", 1)))]
    _define(stage, names, "INDXTYPE(CORRELID)" if p.get("indexed") else "")
    _load(stage, names, depth, int(p["size"]), True)
    if p.get("busy"):
        plan = stage.plan("local")
        plan.actors = [Actors(PUTTER, 10, put_to=names, size=int(p["size"]), persistent=True, syncpoint=True)]
        drivers = stage.ready([plan])
        now = time.monotonic_ns()
        for driver in drivers:
            driver.tell({"from": now, "start": now, "end": now + 10**10})
        time.sleep(runner.options.timing.warm_up_s + 0.5)
    stage.kill()
    stage.end_drivers(patient=False)
    began = time.monotonic()
    stage.start()
    started = time.monotonic() - began
    cpu = _cpu(stage)
    if depth or p.get("busy"):
        with manager(stage) as qm:
            qm.queue(names[0]).get(wait=30.0)
    ready = time.monotonic() - began
    kept = stage.depth(f"{_QUEUE}.*")
    _delete(stage, names)
    if kept < depth * len(names) - 1:
        raise StageError(f"{depth * len(names)} messages were committed, {kept} are there after the restart")
    return {
        "restart_s": (started, "s"),
        "first_get_s": (ready, "s"),
        "restart_cpu_s": (cpu, "s"),
        "messages_after": (kept, "messages"),
    }


def expiry(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Measure the CPU of the scan that removes expired messages."""
    stage, depth = runner.stage, int(p["depth"])
    _define(stage, [_QUEUE])
    _load(stage, [_QUEUE], depth, int(p["size"]), False, expiry=0.1)
    time.sleep(0.3)
    before = _cpu(stage)
    began = time.monotonic()
    stage.commands("ALTER QMGR EXPRYINT(1)")
    while stage.depth(_QUEUE) and time.monotonic() - began < _PATIENCE_S:
        time.sleep(0.05)
    took, elapsed = _cpu(stage) - before, time.monotonic() - began
    left = stage.depth(_QUEUE)
    stage.commands("ALTER QMGR EXPRYINT(OFF)")
    _delete(stage, [_QUEUE])
    return {
        "cpu_us_per_expired": (took * 1e6 / max(1, depth - left), "us"),
        "elapsed_s": (elapsed, "s"),
        "left": (left, "messages"),
    }


def saw_tooth(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Put at a fixed rate to queues without getters, with an expiry cap, and watch the depth."""
    stage, cap, interval = runner.stage, float(p["cap_s"]), int(p["interval_s"])
    copy, base = f"{_QUEUE}.COPY", f"{_QUEUE}.BASE"
    _define(stage, [copy], f"CAPEXPRY({int(cap * 10)})")
    _define(stage, [base], f"CAPEXPRY({int(cap * 10)}) STREAMQ({copy})")
    stage.commands(f"ALTER QMGR EXPRYINT({interval})")
    plan = stage.plan("local")
    plan.actors = [Actors(PUTTER, 1, put_to=[base], size=int(p["size"]), rate=float(p["rate"]))]
    (driver,) = stage.ready([plan])
    lasts = cap * 2 + 2 * interval
    now = time.monotonic_ns()
    driver.tell({"from": now, "start": now, "end": now + int(lasts * 1e9)})
    depths: list[int] = []
    until = time.monotonic() + lasts
    while time.monotonic() < until:
        time.sleep(0.25)
        depths.append(stage.depth(copy))
    driver.tell({"stop": True})
    driver.expect("done")
    stage.end_drivers()
    stage.commands("ALTER QMGR EXPRYINT(OFF)")
    _delete(stage, [base, copy])
    late = depths[len(depths) // 2 :]
    drops = [before - after for before, after in zip(depths, depths[1:], strict=False) if after < before]
    return {
        "depth_max": (max(depths), "messages"),
        "depth_min_late": (min(late), "messages"),
        "drops": (len(drops), "scans"),
        "drop_mean": (sum(drops) / len(drops) if drops else 0.0, "messages"),
    }


def users(runner: Runner, p: Parameters, repeat: int) -> Values:
    """Connect as one user after the other, put and get on some queues; measure memory and CPU for each user."""
    stage, count = runner.stage, int(p["users"])
    names = [f"{_QUEUE}.{number}" for number in range(int(p["queues"]))]
    _define(stage, names)
    channel = "PERF.USERS"
    stage.commands(
        f"DEFINE CHANNEL({channel}) CHLTYPE(SVRCONN) REPLACE",
        f"SET CHLAUTH('{channel}') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) ACTION(REPLACE)",
    )
    body = bytes(int(p["size"]))
    values: Values = {}
    for number in range(1, int(p.get("passes", 1)) + 1):
        rss, cpu = _rss(stage), _cpu(stage)
        for user in range(count):
            name = f"perf{repeat:02}{user:06}"
            if number == 1:
                stage.commands(f"SET AUTHREC PROFILE('{PREFIX}**') OBJTYPE(QUEUE) PRINCIPAL('{name}') AUTHADD(PUT,GET)")
                stage.commands(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{name}') AUTHADD(CONNECT,INQ)")
            stage.commands(f"ALTER CHANNEL({channel}) CHLTYPE(SVRCONN) MCAUSER('{name}')")
            with flintmq.connect(NAME, channel=channel, conn=stage.address) as qm:
                for each in names:
                    qm.queue(each).put(body)
                    qm.queue(each).get(wait=5.0)
        suffix = "" if number == 1 else f"_pass{number}"
        values[f"kb_per_user{suffix}"] = ((_rss(stage) - rss) / 1024 / count, "KB")
        values[f"cpu_ms_per_user{suffix}"] = ((_cpu(stage) - cpu) * 1e3 / count, "ms")
    _delete(stage, names)
    return values


PROCEDURES: dict[str, Procedure] = {
    "footprint": footprint,
    "definitions": definitions,
    "statistics": statistics,
    "page-set-full": page_set_full,
    "fill": fill,
    "restart": restart,
    "expiry": expiry,
    "saw-tooth": saw_tooth,
    "users": users,
}


def seconds(name: str, p: Parameters) -> float:
    """Return about how long one repeat of a procedure takes, for suites that have a limit."""
    depth, clients = float(p.get("depth", 0)), float(p.get("clients", 0))
    if name == "saw-tooth":
        return 1.0 + 2 * float(p["cap_s"]) + 2 * float(p["interval_s"])
    if name == "users":
        return 0.3 + float(p["users"]) * int(p.get("passes", 1)) * (0.2 + 0.005 * int(p["queues"]))
    each = {
        "footprint": 0.4 + 0.015 * clients,
        "definitions": 0.3 + 0.008 * depth,
        "statistics": 0.6 + 0.002 * float(p.get("queues", 0)),
        "page-set-full": 0.5 + 1e-4 * depth,
        "fill": 0.5 + 2e-4 * depth,
        "restart": 4.0 + 1.5e-4 * depth * float(p.get("queues", 1)),
        "expiry": 1.5 + 1e-4 * depth,
    }
    return each[name]
