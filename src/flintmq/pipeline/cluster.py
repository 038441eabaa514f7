"""A standalone Spark cluster on this machine, for trying and for tests: one master and some workers.

    DIRECTORY/cluster.json    the address of the master, and the process group of each process
    DIRECTORY/*.log           their output
    DIRECTORY/work-N/         the files of a worker about its executors

Started from the installed PySpark, each process in a session of its own, so that a worker is killed with its executors.
Everything listens on 127.0.0.1 only, web pages too, on ports that are free.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.session import java

MASTER_PORT = 7077
#: A loaded machine takes its time to start Java.
START_MAX = 300.0
_ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = "Successfully registered with master"


@dataclass
class Cluster:
    """The processes of a cluster: name -> process group."""

    directory: str
    address: str = ""
    groups: dict[str, int] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return Path(self.directory) / "cluster.json"

    def save(self) -> None:
        self.file.write_text(json.dumps(asdict(self), indent=1) + "\n")


def default_directory() -> Path:
    return Path(tempfile.gettempdir()) / f"flint-spark-{os.getuid()}"


def find(directory: Path) -> Cluster | None:
    """Return the cluster of a directory, if one of its processes still runs."""
    file = directory / "cluster.json"
    if not file.exists():
        return None
    found = Cluster(**json.loads(file.read_text()))
    return found if any(is_running(group) for group in found.groups.values()) else None


def is_running(group: int) -> bool:
    """Return whether a process group has a process that is more than a zombie."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            return True
    return False


def up(directory: Path, workers: int = 2, cores: int = 1, memory: str = "1g", port: int = MASTER_PORT) -> Cluster:
    """Start a cluster and wait until every worker has registered."""
    running = find(directory)
    if running is not None:
        raise PipelineError(f"a cluster is up already: {running.address} ({directory}); `flint spark down` ends it")
    java()
    if workers < 1 or cores < 1:
        raise PipelineError("a cluster needs at least one worker with at least one core")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    made = Cluster(str(directory))
    try:
        master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port)]
        _start(made, "master", [*master, "--webui-port", "0"])
        made.address = _wait(made, "master", _ADDRESS)
        for number in range(workers):
            _start(made, f"worker-{number}", _worker(directory, number, cores, memory, made.address))
        for number in range(workers):
            _wait(made, f"worker-{number}", re.compile(f"({_REGISTERED})"))
    except BaseException:
        down(made)
        raise
    made.save()
    return made


def _worker(directory: Path, number: int, cores: int, memory: str, address: str) -> list[str]:
    place = str(directory / f"work-{number}")
    words = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0"]
    return [*words, "--cores", str(cores), "--memory", memory, "--work-dir", place, address]


def _start(cluster: Cluster, name: str, words: list[str]) -> None:
    try:
        import pyspark
    except ImportError:
        raise PipelineError("the pipeline needs PySpark: pip install 'flintmq[spark]'") from None
    home = Path(pyspark.__file__).resolve().parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "512m",
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
        "PYSPARK_PYTHON": sys.executable,
    }
    with (Path(cluster.directory) / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    cluster.groups[name] = process.pid
    cluster.save()


def _wait(cluster: Cluster, name: str, wanted: re.Pattern[str]) -> str:
    """Wait until the log of a process matches `wanted`; return its first group."""
    log = Path(cluster.directory) / f"{name}.log"
    limit = time.monotonic() + START_MAX
    while time.monotonic() < limit:
        match = wanted.search(log.read_text(errors="replace"))
        if match:
            return match[1]
        if not is_running(cluster.groups[name]):
            break
        time.sleep(0.1)
    last = (log.read_text(errors="replace").strip().splitlines() or ["it printed nothing"])[-1]
    raise PipelineError(f"the {name} of the Spark cluster did not start: {last} (all of it is in {log})")


def kill(cluster: Cluster, name: str) -> None:
    """Kill a process with its children, as a machine that fails does."""
    try:
        os.killpg(cluster.groups[name], signal.SIGKILL)
    except ProcessLookupError:
        pass


def down(cluster: Cluster) -> None:
    """End every process of a cluster and wait until they are gone."""
    for group in cluster.groups.values():
        try:
            os.killpg(group, signal.SIGTERM)
        except ProcessLookupError:
            continue
    limit = time.monotonic() + 20
    while any(is_running(group) for group in cluster.groups.values()):
        if time.monotonic() > limit:
            for name in cluster.groups:
                kill(cluster, name)
        time.sleep(0.1)
    cluster.file.unlink(missing_ok=True)
