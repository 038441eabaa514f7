"""A Spark session with the settings of the pipeline: UTC, quiet, on this machine or on the cluster that `master` names.

setting                              why
spark.sql.session.timeZone UTC       timestamps are shown as they are stored
spark.ui.enabled false               no port is opened without a request
spark.driver.host, bindAddress       loopback, for a master on this machine: nothing listens beyond it
spark.executorEnv.PYTHONPATH         executors of a cluster find the same FlintMQ as the driver, and Python workers
                                     the installed PySpark, not an archive of it (worker_start)
spark.sql.shuffle.partitions         the number of cores, not 200: our tables are small once they are aggregated
parquet.outputTimestampType MICROS   what Arrow writes, too; Spark's default, INT96, is deprecated
partitionColumnTypeInference false   a queue manager called 0815 is a name, not a number

A session for little data (`small`) does without features that pay only over minutes: Java's second compiler and its
parallel collector, the code that Spark generates for each query, and plans that are changed while a query runs. The
results are the same.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import flintmq
from flintmq import pipeline
from flintmq.pipeline import gateway
from flintmq.pipeline.errors import JavaMissing, PipelineError, explain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_MIN = 17


def java() -> str:
    """Return the Java that Spark will use. Raises JavaMissing with advice."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if not found or not Path(found).exists():
        raise JavaMissing(f"Spark needs Java {JAVA_MIN} or later: install openjdk-17-jre-headless, or set JAVA_HOME")
    version = _version_of(found)
    if not version.isdecimal() or int(version) < JAVA_MIN:
        raise JavaMissing(f"Spark needs Java {JAVA_MIN} or later, and {found} is {version or 'none'}: set JAVA_HOME")
    return found


def _version_of(java: str) -> str:
    """Return the major version of a Java, from the file beside it, else from its own output."""
    release = Path(java).resolve().parents[1] / "release"
    try:
        text = release.read_text(errors="replace").partition("JAVA_VERSION=")[2]
    except OSError:
        text = ""
    if not text.startswith('"'):
        text = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    return text.partition('"')[2].partition('"')[0].partition(".")[0]


def is_here(master: str) -> bool:
    """Return whether a master is on this machine, so that loopback is enough."""
    return master.startswith(("local", "spark://127.0.0.1", "spark://localhost"))


#: For little data.
SMALL_FLAGS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"]
SMALL = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_LARGE = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}


def start(
    master: str = "local[*]",
    settings: dict[str, str] | None = None,
    memory: str = "1g",
    quiet: bool = False,
    small: bool = False,
    sources: bool = True,
) -> SparkSession:
    """Return a session, or the one that this process has.

    `quiet` keeps Java's own lines away. `small` says that there is little to do. `sources` registers our data sources,
    which takes two seconds of CPU; a session without them has no MLlib either.
    """
    found = java()
    try:
        from py4j.protocol import Py4JError
        from pyspark import SparkContext
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise PipelineError(
            "the pipeline needs PySpark: ./flint setup spark, or pip install 'flintmq[spark]'"
        ) from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if is_here(master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    small = small and master.startswith("local")
    chosen = {**defaults(master, memory), **(SMALL if small else {}), **(settings or {})}
    builder = SparkSession.Builder().master(master).appName("flintmq")
    for name, value in chosen.items():
        builder = builder.config(name, value)
    direct: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if SparkContext._gateway is None and master.startswith("local") and gateway.is_plain(chosen):
        direct = gateway.started(found, memory, chosen, SMALL_FLAGS if small else [], lean=not sources)
    try:
        with java_to_file() if quiet else contextlib.nullcontext(), direct:
            spark = builder.getOrCreate()
    except (PySparkException, Py4JError, RuntimeError) as error:
        raise PipelineError(f"Spark does not start with master {master}: {explain(error)}") from None
    spark.sparkContext.setLogLevel("OFF")
    for name in ("py4j", "SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).disabled = True
    if sources:
        pipeline.register(spark)
    return spark


def adapt(spark: SparkSession, small: bool) -> None:
    """Change a session that is there already for little data, or for much."""
    for name, value in (SMALL if small else _LARGE).items():
        spark.conf.set(name, value)


@contextlib.contextmanager
def java_to_file() -> Iterator[None]:
    """Send the standard error of Java, which keeps the one that it is started with, to a temporary file.

    Errors that matter come back as exceptions. FLINT_DEBUG=1 leaves everything on the terminal.
    """
    if os.environ.get("FLINT_DEBUG") == "1":
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def worker_path() -> list[str]:
    """Return the places of modules for Python workers beside the installed ones: their start, and this FlintMQ."""
    # A link is not followed: compiled modules lie beside links to the sources, and workers must find them too.
    package = Path(flintmq.__file__).absolute().parent
    return [str(package / "pipeline" / "worker_start"), str(package.parent)]


@contextlib.contextmanager
def interruptible(spark: SparkSession) -> Iterator[threading.Event]:
    """End the jobs of a session at Ctrl-C, which ends the call that waits for them: KeyboardInterrupt.

    The event is set then. A second Ctrl-C interrupts at once. PySpark's own handler calls Java from inside the call
    that it interrupts, which py4j prints as an error. This one leaves the call alone and has another thread cancel its
    jobs until it ends: one job follows another.
    """
    asked, over = threading.Event(), threading.Event()

    def cancel() -> None:
        while not over.is_set():
            try:
                spark.sparkContext.cancelAllJobs()
            except Exception:
                return  # The session is at its end.
            over.wait(0.2)

    def handle(signal_number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        threading.Thread(target=cancel, daemon=True).start()

    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        signal.signal(signal.SIGINT, handle)
    try:
        yield asked
    except Exception:
        if asked.is_set():
            raise KeyboardInterrupt from None
        raise
    finally:
        over.set()
        if is_main:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked.is_set():
        raise KeyboardInterrupt


def defaults(master: str, memory: str) -> dict[str, str]:
    cores = str(os.cpu_count() or 2)
    made = {
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": cores,
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
        "spark.driver.memory": memory,
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(worker_path()),
        "spark.python.worker.reuse": "true",
    }
    if is_here(master):
        made |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return made
