"""The data source and sink `mq`: queues as DataFrames, and DataFrames as messages.

    spark.readStream.format("mq").option("queueManager", "QM1").option("channel", "DEV.APP.SVRCONN")
        .option("conn", "host(1414)").option("queue", "ORDERS").load()

    option         for     value
    queueManager   both    its name; with channel and conn it may be "" or "*group"
    channel, conn  both    the server-connection channel, and where it listens: host(1414), several with commas
    ccdt           both    a channel definition table (JSON) instead
    dataDirectory  both    a queue manager of this machine instead: where its data is (FLINTMQ_DATA)
    user           both    and its password by passwordFile, passwordEnv (a variable of driver and tasks) or password
    cipherSpec     both    TLS, with keyRepository
    queue, queues  source  one queue, or several with commas; of a streaming queue, the duplicate queue (STREAMQ)
    subscription   source  instead: the queue of this durable subscription; with topic it is made if it is not there
    partitions     source  how many tasks read one queue; one for each core and 5,000 messages if not given
    maxMessages    source  the most that one micro-batch has: 100000
    body           source  binary; text, by the CCSID of the message; json, text that is JSON. Else null. raw:
                           binary with the MQRFH2 in front of it, which the others take off
    columns        source  those that are wanted; fewer are quicker
    shared         source  true: others may get from the queue while the query runs; then they may take planned messages
    missing        source  fail or skip a batch when messages of it have expired
    queue          sink    where rows without a column `queue` go
    persistence    sink    yes, no or queue (DEFPSIST), for rows without a column `persistence`
    stateQueue     sink    where the last batch of each query is noted: FLINTMQ.SPARK.STATE
    writeId        sink    of df.write: a second write of this name does nothing
    branchMessages sink    messages of one XA branch, at most MAXUMSGS of the queue manager: 10000

Columns: mq_columns.py. How reading and removing are kept apart, and why a replayed batch has the same rows:
mq_offset.py and mq_read.py. How writing is made exactly once: mq_write.py.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from flintmq.pipeline.errors import BadOption
from flintmq.pipeline.sources.mq_columns import check_columns, schema_of
from flintmq.pipeline.sources.mq_options import sink_options, source_options
from flintmq.pipeline.sources.mq_read import MqReader, MqStreamReader
from flintmq.pipeline.sources.mq_write import MqStreamWriter, MqWriter


class MqSource(DataSource):
    """Source and sink. Options are checked when it is known which of both is meant."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)

    @classmethod
    def name(cls) -> str:
        return "mq"

    def schema(self) -> StructType:
        options = source_options(self.options)
        return from_arrow_schema(schema_of(options.columns, options.body))

    def reader(self, schema: StructType) -> DataSourceReader:
        return MqReader(source_options(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return MqStreamReader(source_options(self.options))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        if overwrite:
            raise BadOption("a queue cannot be overwritten: write with mode append")
        options = sink_options(self.options, streaming=False)
        check_columns(schema.fieldNames(), bool(options.queue))
        return MqWriter(options)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        options = sink_options(self.options, streaming=True)
        check_columns(schema.fieldNames(), bool(options.queue))
        return MqStreamWriter(options)
