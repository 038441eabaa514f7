"""DataFrames of a flow: its outputs (`on_spark`), by destination (`outputs`), as rows for the sink `mq` (`messages`).

A DataFrame is a plan: each action runs the flow again over the rows that it needs. `persist` the result of `on_spark`
where several destinations are written one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.errors import PySparkImportError
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from flintmq.broker.flow.function import Flow
from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.flows import refusals
from flintmq.pipeline.flows.columns import COLUMNS, FAILURE, FILE, MD_OUT, PUBLISH, PUT, data_column, passed_on
from flintmq.pipeline.flows.shipment import pack
from flintmq.pipeline.flows.task import FlowTask


def on_spark(
    flow: Flow,
    frame: DataFrame,
    *,
    input: str | None = None,
    keep: Sequence[str] = (),
    databases: Mapping[str, str] | None = None,
    shared: bool = False,
    manager: str | None = None,
    only_puts: bool = False,
) -> DataFrame:
    """Run a flow in Spark tasks over the rows of a DataFrame; return its outputs, one row each (columns.py).

    `input` is the label of the input node, if the flow has several. `keep` names columns of the input that the rows
    carry on. `databases` are URLs by name, which the flow may read. `shared` allows SHARED variables, of which each
    worker has its own. `manager` is the only queue manager that puts may name, and `only_puts` refuses nodes that send
    anything else: for rows that go to the sink `mq`.

    Raise FlowRefused for a flow that cannot run there, BadOption for columns that are missing or of the wrong type.
    """
    refusals.check(flow, input, databases, shared, only_puts)
    names = frame.columns
    column = data_column(names)
    kind = frame.schema[column].dataType
    if not isinstance(kind, BinaryType | StringType):
        raise BadOption(f"the column {column} is {kind.simpleString()}, and a flow needs binary or string")
    passed = passed_on(names, keep)
    task = FlowTask(pack(flow, databases), input, passed, manager)
    return _map_in_arrow(frame, task.__call__, schema_of(frame, passed))


def _map_in_arrow(frame: DataFrame, function: Any, schema: StructType) -> DataFrame:
    """Return `frame.mapInArrow(function, schema)`, with or without pandas.

    PySpark asks for pandas although Arrow batches need none of it, neither here nor in the tasks. Without pandas this
    makes the same call as DataFrame.mapInArrow does, but for the question.
    """
    try:
        return frame.mapInArrow(function, schema)
    except PySparkImportError:
        from pyspark.sql.pandas.functions import vectorized_udf  # type: ignore[attr-defined]
        from pyspark.util import PythonEvalType

        udf = vectorized_udf(function, schema, PythonEvalType.SQL_MAP_ARROW_ITER_UDF)
        column = udf(*(frame[name] for name in frame.columns))
        made: Any = frame
        return type(frame)(made._jdf.mapInArrow(column._jc, False, None), frame.sparkSession)


def schema_of(frame: DataFrame, passed: Mapping[str, str]) -> StructType:
    """Return the schema of the outputs."""
    import pyarrow as pa

    ours = from_arrow_schema(pa.schema([pa.field(name, kind) for name, kind in COLUMNS.items()]))
    theirs = [StructField(new, frame.schema[old].dataType, True, frame.schema[old].metadata)
              for new, old in passed.items()]  # fmt: skip
    return StructType([*ours.fields, *theirs])


class Outputs:
    """The rows of `on_spark` by destination: `outputs(rows)["ORDERS.GOLD"]`."""

    def __init__(self, rows: DataFrame) -> None:
        self.rows = rows

    def __getitem__(self, queue: str) -> DataFrame:
        """Return the puts to a queue; none is an empty table."""
        return self.puts.where(f.col("queue") == queue)

    @property
    def puts(self) -> DataFrame:
        """Return all puts."""
        return self._of(PUT)

    @property
    def published(self) -> DataFrame:
        """Return the publications."""
        return self._of(PUBLISH)

    @property
    def files(self) -> DataFrame:
        """Return the writes of files."""
        return self._of(FILE)

    @property
    def failures(self) -> DataFrame:
        """Return the inputs that the flow could not handle, with their ExceptionLists."""
        return self._of(FAILURE)

    def _of(self, kind: str) -> DataFrame:
        return self.rows.where(f.col("kind") == kind)


def outputs(rows: DataFrame) -> Outputs:
    """Return the rows of `on_spark` by destination."""
    return Outputs(rows)


#: Message properties of a failed message: the flow, and the innermost entry of the ExceptionList.
FLOW_PROPERTY, EXCEPTION_PROPERTY = "FlintFlow", "FlintException"
_RFH2 = "MQHRF2"


def messages(rows: DataFrame, queue: str = "", failures: str = "", flow: str = "") -> DataFrame:
    """Return the rows of `on_spark` as the sink `mq` takes them: columns queue, body, properties and those of the MQMD.

    Each put goes to its own queue, or all to `queue`. A failed message goes to the queue `failures` as it came, with
    the properties FlintFlow and FlintException unless its data begin with an MQRFH2. Without `failures` the first one
    ends the job, and nothing of its batch is put. A publication or a file ends the job too.
    """
    kind = f.col("kind")
    failed = kind == FAILURE
    last = f.expr("element_at(from_json(exceptions, 'array<struct<number:int,text:string>>'), -1)")
    text = f.concat(f.lit("BIP"), last["number"].cast("string"), f.lit(": "), last["text"])
    refused = f.raise_error(
        f.concat(
            f.lit("the flow "), f.lit(flow), f.lit(" failed, and no queue for failures is named: "), text,
            f.coalesce(f.concat(f.lit(" ["), f.col("node"), f.lit("]")), f.lit("")),
        )
    )  # fmt: skip
    strange = f.raise_error(f.concat(f.lit("the sink mq puts to queues, and the flow sends this: "), kind))
    target = (
        f.when(kind == PUT, f.lit(queue) if queue else f.col("queue"))
        .when(failed, f.lit(failures) if failures else refused)
        .otherwise(strange)
    )
    noted = f.create_map(
        f.lit(FLOW_PROPERTY), f.lit(flow), f.lit(EXCEPTION_PROPERTY), f.coalesce(text, f.lit(""))
    )  # fmt: skip
    properties = f.when(failed & (f.coalesce(f.col("format"), f.lit("")) != _RFH2), noted)
    return rows.select(
        target.alias("queue"),
        f.coalesce(f.col("data"), f.lit(b"")).alias("body"),
        properties.alias("properties"),
        *(f.col(name) for name in MD_OUT),
    )
