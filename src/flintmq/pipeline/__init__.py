"""The data pipeline on Spark: where records and messages come from, the tables they become, and reports.

    sources/      data sources for spark.read and spark.readStream: `smf`; `mq`, which is a sink too
    flows/        message flows of the broker in Spark tasks
    session.py    a Spark session as the pipeline wants it, on this machine or on a cluster
    cluster.py    a standalone cluster on this machine, for trying and for tests
    tables/       the tables: bronze, silver, gold, and the report of the records that did not become rows
    reports/      reports over the tables: text, CSV, and one page of HTML
    command.py    the commands of `flint pipeline`
    work.py       the part of a command that needs Spark, as a request and its result
    serve.py      the process that keeps a session for the commands; ask.py asks it
    gateway.py    Java for a local session, started without spark-submit
    errors.py     errors of Spark, in one line

    from flintmq import pipeline
    pipeline.register(spark)
    spark.read.format("smf").option("path", "dumps").option("struct", "qmst").load()

Needs the `spark` extra, and Java 17 or later. Nothing of Spark is imported before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make the data sources of FlintMQ known to a session: `spark.read.format("smf")`, `format("mq")`."""
    from flintmq.pipeline.sources.mq import MqSource
    from flintmq.pipeline.sources.smf import SmfSource

    spark.dataSource.register(SmfSource)
    spark.dataSource.register(MqSource)
