"""Apache Camel for `bench broker`: routes between queues of the same queue manager, through IBM's JMS client."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from benchmarks.broker.broker_actors import Work
from benchmarks.broker.broker_cases import Case
from benchmarks.server.stage import NAME as Q_MGR
from benchmarks.server.stage import ROOT, Child, Stage

HERE = Path(__file__).resolve().parent / "camel"
BUILD = ROOT / "build" / "bench-camel"
#: A JVM compiles methods that have run some thousand times.
WARM_UP = 3000


class Camel:
    """A JVM with all routes."""

    def __init__(self, stage: Stage, class_path: str, channel: str, prefix: str, routes: list[str]) -> None:
        self._prefix = prefix
        command = ["java", "-cp", class_path, "Routes", Q_MGR, str(stage.port), channel, prefix, *routes]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        #: `ready`, or nothing if it has ended.
        self.said = self._process.stdout.readline().strip()
        self.pid = self._process.pid

    def warm_up(self, driver: Child, case: Case) -> None:
        """Run a route often enough for its code to be compiled."""
        driver.ask(Work(case.name, int(WARM_UP * case.share), self._prefix).as_json())

    def end(self) -> None:
        """End the JVM; it has no messages by then."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def camel(stage: Stage, channel: str, prefix: str, database: str, publications: tuple[int, ...]) -> Camel | str:
    """Start Camel with a JDBC URL, or "" for no database. Return the reason if it cannot be had."""
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    library, classes = BUILD / "lib", BUILD / "classes"
    if not list(library.glob("camel-jms-*.jar")) or not list(library.glob("postgresql-*.jar")):
        fetch = ["mvn", "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies"]
        end = subprocess.run(
            [*fetch, f"-DoutputDirectory={library}", "-DincludeScope=runtime"], capture_output=True, text=True
        )
        if end.returncode:
            shutil.rmtree(library, ignore_errors=True)
            return f"Maven cannot fetch it: {end.stdout.strip()[-300:]}"
    classes.mkdir(parents=True, exist_ok=True)
    command = ["javac", "-d", str(classes), "-cp", f"{library}/*", str(HERE / "Routes.java")]
    end = subprocess.run(command, capture_output=True, text=True)
    if end.returncode:
        return f"its routes cannot be compiled: {end.stderr.strip()[-600:]}"
    routes = [database, *(str(count) for count in publications)]
    made = Camel(stage, f"{library}/*:{classes}", channel, prefix, routes)
    if made.said != "ready":
        made.end()
        return f"it has not started: {made.said!r}"
    stage.children.append(made)  # type: ignore[arg-type]
    return made
