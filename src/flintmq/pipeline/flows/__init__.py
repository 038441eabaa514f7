"""Message flows on Spark: the compiled flow of the broker, run in Spark tasks over the rows of a DataFrame.

    flow = load("orders.bar").flow("OrderRouting")
    rows = flow.on_spark(spark.read.parquet("archive"))
    outputs(rows)["ORDERS.GOLD"].select("data")

    columns.py    the columns that come in, and those that go out
    refusals.py   nodes and ESQL that cannot run in a task, found before the job starts
    shipment.py   the application as bytes; compiled once in each Python worker
    task.py       the work of a task: Arrow batch in, flow, Arrow batches out
    frames.py     the DataFrames: on_spark, outputs, messages for the sink `mq`
    command.py    the command `flint flow run --engine spark`

Rules:

P1  One input row gives its outputs, or one failure row with the input as it came. No row is lost; outputs
    outside of the unit of work, made before the failure, are beside the failure row.
P2  A task that runs again gives the same rows: new identifiers are made of the identity of the input and a number.
P3  A task has no effect on the outside; it may only read databases. All outputs of the flow are rows.

Needs the `spark` and `broker` extras. Nothing of Spark is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flintmq.pipeline.flows.frames import Outputs, messages, on_spark, outputs
    from flintmq.pipeline.flows.refusals import FlowRefused

__all__ = ["FlowRefused", "Outputs", "messages", "on_spark", "outputs"]


def __getattr__(name: str) -> Any:
    """Import the parts when they are asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "FlowRefused":
        from flintmq.pipeline.flows import refusals

        return refusals.FlowRefused
    try:
        from flintmq.pipeline.flows import frames
    except ImportError as error:
        from flintmq.pipeline.errors import PipelineError

        raise PipelineError(
            f"flows on Spark need the spark extra ({error.name}): ./flint setup spark, or pip install 'flintmq[spark]'"
        ) from None
    return getattr(frames, name)
