"""The driver of `bench spark`, a process of its own: a query from queue to queue, as often as it is told.

    python -m benchmarks.pipeline.spark_driver MASTER PLACE CHECKPOINT

Says `ready`; then, for each line that names a source queue, runs a query until the queue is read, and says how many
seconds that took, and of these how many to plan its batches and to read and write them. With `again` behind it the
query goes on with the checkpoint of the one before, which is for a driver that is killed.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from benchmarks.pipeline.bench_spark import BATCH, STATE, TARGET


def query(spark: Any, place: dict[str, str], source: str, checkpoint: str) -> tuple[float, float, float]:
    began = time.perf_counter()
    frame = spark.readStream.format("mq").options(**place, queue=source, columns="body", maxMessages=str(BATCH)).load()
    frame = frame.selectExpr("concat(body, X'21') as body")
    sink = frame.writeStream.format("mq").options(**place, queue=TARGET, stateQueue=STATE)
    running = sink.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    running.awaitTermination()
    elapsed = time.perf_counter() - began
    steps = [batch.durationMs for batch in running.recentProgress]
    plan, move = (sum(step.get(name, 0) for step in steps) / 1000 for name in ("latestOffset", "addBatch"))
    return elapsed, plan, move


def main() -> None:
    master, place, checkpoint = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
    from flintmq.pipeline import session

    settings = {
        "spark.task.maxFailures": "30",
        "spark.executor.memory": "700m",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "5000",
    }
    spark = session.start(master, settings, quiet=True)
    print("ready", flush=True)
    for number, line in enumerate(sys.stdin):
        name = line.strip()
        place_of = checkpoint if name.endswith(" again") else f"{checkpoint}-{number}"
        print(*query(spark, place, name.removesuffix(" again"), place_of), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
