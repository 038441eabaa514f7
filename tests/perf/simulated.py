"""Runs on disk as drivers would write them, of a queue manager whose costs are known.

    CPU us per message = 12 + 1.5 . KB + 9 if persistent + 2 . KB if persistent + 6 . copies + 0.9 . properties

Each repeat has an error of its own (the machine is warmer, the process has another layout), each second another, and
one second in twenty loses a third to housekeeping: what real repeats show.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flintmq.perf.histogram import Histogram
from flintmq.perf.runs import RunWriter

SECONDS = 10
BASES = {"embedded": 12.0, "local": 20.0, "tcp": 31.0, "tls": 44.0}
MACHINE = {
    "cpu_model": "Simulated CPU @ 2.60GHz",
    "cores": 4,
    "memory_bytes": 8 << 30,
    "kernel": "6.1.0",
    "system": "Test Linux 1",
    "python": "3.11.2",
    "versions": {"flintmq": "0.1", "lmdb": "1.6"},
    "file_system": "ext4",
    "load": [0.1, 0.2, 0.3],
}


def cost_us(parameters: Mapping[str, Any]) -> float:
    """Return the true CPU us of one message."""
    kb: float = parameters["size"] / 1024
    made = BASES[parameters["mode"]] + 1.5 * kb
    if parameters["persistent"]:
        made += 9 + 2 * kb
    more: float = 6 * parameters.get("copies", 0) + 0.9 * parameters.get("properties", 0)
    return made + more


def repeat_of(true: float, source: random.Random, noise: float = 0.015) -> list[float]:
    """Return rates of the seconds of one repeat about a true rate."""
    own = math.exp(source.gauss(0, noise))
    drift, made = 0.0, []
    for _ in range(SECONDS):
        drift = 0.7 * drift + source.gauss(0, noise)
        dip = 0.67 if source.random() < 0.05 else 1.0
        made.append(true * own * math.exp(drift) * dip)
    return made


def write(
    place: Path,
    workload: str,
    steps: Sequence[Mapping[str, Any]],
    *,
    seed: int = 1,
    repeats: int = 3,
    slower: float = 1.0,
    head: Mapping[str, Any] | None = None,
    values: Sequence[tuple[int, str, float, str]] = (),
) -> Path:
    """Write a complete run with these steps. `slower` multiplies every cost."""
    source = random.Random(seed)
    about = {
        "id": place.name,
        "workload": workload,
        "title": f"Simulated {workload}",
        "product": "FlintMQ",
        "product_version": "0.1",
        "build": "plain",
        "commit": "0123abc",
        "mode": "mixed",
        "started": 1795032000.0 + seed,
        "repeats": repeats,
        "warm_up_s": 1.0,
        "measure_s": float(SECONDS),
        "settle_s": 0.5,
        "varied": ["size"],
        "operation": "put",
        "anchors": [],
        "behaviours": [],
        "command": ["flint", "perf", "run", workload],
        **(head or {}),
    }
    with RunWriter(place, about) as run:
        run.write("machine", **MACHINE)
        run.write(
            "disk", block_bytes=4096, method="overwrite+fdatasync", writes=1000, seconds=0.2, bytes_per_s=2e7,
            mean_us=200.0, p50_us=190.0, p99_us=400.0, max_us=900.0,
        )  # fmt: skip
        for number, parameters in enumerate(steps, 1):
            for repeat in range(1, repeats + 1):
                _repeat(
                    run,
                    number,
                    repeat,
                    {"size": 1024, "persistent": False, "mode": "tcp", **parameters},
                    source,
                    slower,
                )
        for step, name, value, unit in values:
            run.write("value", step=step, repeat=1, name=name, value=value, unit=unit)
    return place


def _repeat(
    run: RunWriter, step: int, repeat: int, parameters: dict[str, Any], source: random.Random, slower: float
) -> None:
    true = cost_us({**parameters, "copies": parameters.get("copies", 0)}) * slower
    counts = [round(each) for each in repeat_of(0.8e6 / true, source)]
    where = {"step": step, "repeat": repeat}
    run.write(
        "step", **where, parameters=parameters, drivers=[{"role": "putter", "processes": 1, "instances": 1}],
        target_rate=None, started=1795032000.0,
    )  # fmt: skip
    for second, count in enumerate(counts):
        run.write("second", **where, role="putter", process=0, second=second, count=count, errors=0)
    total = sum(counts)
    seen = Histogram()
    for _ in range(400):
        seen.record(round(1000 * true * math.exp(source.gauss(0.3, 0.25))))
    run.write(
        "latency", **where, role="putter", process=0, what="put", **{"from": "sent"}, count=seen.count,
        mean_us=seen.mean / 1000, p50_us=seen.percentile(50) / 1000, p90_us=seen.percentile(90) / 1000,
        p99_us=seen.percentile(99) / 1000, p999_us=seen.percentile(99.9) / 1000, max_us=seen.maximum / 1000,
        histogram=seen.to_json(),
    )  # fmt: skip
    measured = true * math.exp(source.gauss(0, 0.01))
    seconds = measured * total / 1e6
    run.write(
        "cpu", **where, kind="queue manager", role="", process=0, user_s=0.8 * seconds, system_s=0.2 * seconds,
        rss_bytes=80 << 20, threads=3,
    )  # fmt: skip
    run.write(
        "cpu", **where, kind="driver", role="putter", process=0, user_s=seconds / 2, system_s=0.1, rss_bytes=30 << 20,
        threads=1,
    )  # fmt: skip
    logged = (400 + parameters["size"]) * (1 + parameters.get("copies", 0)) if parameters["persistent"] else 0
    run.write(
        "result", **where, measured_s=float(SECONDS), operations=total, rate=total / SECONDS,
        messages=total * (1 + parameters.get("copies", 0)), errors=0, queue_manager_us=measured,
        driver_us=measured / 2, machine_cpu=0.4, log_bytes=logged * total, log_writes=total // 3, depth=0,
    )  # fmt: skip
