"""Start the Java of a local Spark session directly, without spark-submit.

PySpark starts `bin/spark-submit`: a shell script that starts a first Java to work out the command line of a second one.
The first one costs about a second of CPU and does nothing that an unconfigured Spark needs. `start_java` runs the
second one: the gateway server, to which PySpark connects by PYSPARK_GATEWAY_PORT and PYSPARK_GATEWAY_SECRET.

A Spark that its user has configured is left to spark-submit: see `is_plain`.

The Java process ends when its standard input ends, so it never outlives this process. It ignores Ctrl-C, as PySpark's
own does: `session.interruptible` cancels its jobs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flintmq.pipeline.errors import PipelineError

#: The longest time until the gateway server listens; a loaded machine takes its time to start Java.
START_MAX_S = 300.0
_SERVER = "org.apache.spark.api.python.PythonGatewayServer"
#: Variables that say that somebody has configured Spark, or that a gateway is already there.
_CONFIGURED = ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS", "PYSPARK_GATEWAY_PORT", "SPARK_CLASSPATH")
#: Settings that only spark-submit can carry out.
_SUBMIT_ONLY = ("spark.jars", "spark.files", "spark.submit.", "spark.driver.extraClass", "spark.driver.extraLibrary")
#: Spark loads its classes at the start if it finds them: 2 s of CPU. Nothing of the pipeline uses them.
_MLLIB = "spark-mllib_"
OPTIONS = "spark.driver.extraJavaOptions"
#: Packages of Java that Spark reaches into (Spark's JavaModuleOptions).
_OPENS = (
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
)
_MODULES = [
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-modules=jdk.incubator.vector",
    *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENS),
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--enable-native-access=ALL-UNNAMED",
]


def spark_home() -> Path:
    """Return the directory of the installed PySpark, which is a whole Spark."""
    import pyspark

    return Path(pyspark.__file__).resolve().parent


def is_plain(settings: dict[str, str]) -> bool:
    """Return whether Spark is as it was installed, so that its command line needs no spark-submit."""
    home = spark_home()
    if any(os.environ.get(name) for name in _CONFIGURED) or (home / "conf").is_dir():
        return False
    return (home / "jars").is_dir() and not any(name.startswith(_SUBMIT_ONLY) for name in settings)


def command_line(java: str, memory: str, options: list[str], lean: bool = False) -> list[str]:
    """Return the command line of the gateway server; with `lean`, without MLlib."""
    jars = sorted(str(path) for path in (spark_home() / "jars").glob("*.jar"))
    if lean:
        jars = [path for path in jars if not Path(path).name.startswith(_MLLIB)]
    return [java, f"-Xmx{memory}", *_MODULES, *options, "-cp", os.pathsep.join(jars), _SERVER]


@contextmanager
def started(java: str, memory: str, settings: dict[str, str], flags: list[str], lean: bool) -> Iterator[None]:
    """Start Java, and let PySpark connect to it inside the context. Raises PipelineError if it does not start."""
    options = [*flags, *shlex.split(settings.get(OPTIONS, ""))]
    port, secret = start_java(command_line(java, memory, options, lean))
    names = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    os.environ.update(names)
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)


#: Kept for its standard input: Java ends when that is closed.
_processes: list[subprocess.Popen[bytes]] = []


def start_java(command: list[str]) -> tuple[int, str]:
    """Start the gateway server; return its port, on loopback, and the secret that a client must show."""
    place = Path(tempfile.mkdtemp())  # Mode 0700: the secret is written there.
    try:
        file = place / "connection"
        home = str(spark_home())
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            env={**os.environ, "SPARK_HOME": home, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(file)},
            preexec_fn=_ignore_interrupts,
        )
        limit = time.monotonic() + START_MAX_S
        while not file.is_file():
            if process.poll() is not None or time.monotonic() > limit:
                process.kill()
                process.wait()
                raise PipelineError("Java did not start; FLINT_DEBUG=1 shows what it prints")
            time.sleep(0.01)
        _processes.append(process)
        return _connection(file.read_bytes())
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _connection(data: bytes) -> tuple[int, str]:
    """Parse port (int32), length of the secret (int32) and secret."""
    port, length = struct.unpack_from(">ii", data)
    return port, data[8 : 8 + length].decode()
