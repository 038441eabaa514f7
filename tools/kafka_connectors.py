"""Run the own test-suites of IBM's Kafka connectors against queue managers that are started for them.

    python tools/kafka_connectors.py ../kafka-connect-mq-source                       a checkout of the repository
    python tools/kafka_connectors.py ../kafka-connect-mq-sink -Dit.test=MQSinkTaskIT  the rest goes to Maven

The suites start MQ's container. Nothing of them is changed: they are compiled as they are, then one class is put beside
their compiled tests, where it hides the class of Testcontainers that starts a container
(tools/testcontainers/GenericContainer.java). It asks this program, which has two servers on the loopback while Maven
runs:

    for the class    start, stop, run (a control command such as setmqaut), port
    9091, HTTPS      the two resources of MQ's REST API that the tests use: MQSC commands, and a put of a message

Some classes of the source connector's suite are written for JUnit 4, and its own build passes over them. They are run
as well, by JUnit's own runner, and counted apart.

The ports are those of the tests: 9090 is the queue manager's. A start creates a queue manager with developer defaults,
in a directory that is gone afterwards. Maven and Java are needed, and openssl for the certificate. What Maven and the
tests say goes to `target/flintmq.log` of the checkout. The result is printed as the table of docs/interop.md; the exit
code is 0 if every test has passed.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
STAND_IN = ROOT / "tools" / "testcontainers" / "GenericContainer.java"
HOST = "127.0.0.1"
#: As the tests have them.
TCP_PORT = 9090
REST_PORT = 9091
#: What Maven says, below a checkout.
LOG = Path("target") / "flintmq.log"
#: MQRCCF_COMMAND_FAILED, the overall reason of a command that failed.
COMMAND_FAILED = 3008
#: How a message of a command begins.
_MESSAGE = re.compile(r"^((?:AMQ|FMQ)\d{4}[IEWS]):?", re.MULTILINE)
_MQSC = re.compile(r"/ibmmq/rest/v\d/admin/action/qmgr/([^/]+)/mqsc")
_PUT = re.compile(r"/ibmmq/rest/v\d/messaging/qmgr/([^/]+)/queue/([^/]+)/message")


class Failed(Exception):
    """A control command, or a part of the build, has failed."""


class Manager:
    """The queue manager that stands for a container, if one is started."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.started = 0
        self.name = ""
        self.passwords: dict[str, str] = {}
        self.environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        self.environment.pop("MQSERVER", None)

    def flint(self, *arguments: str, text: str = "", check: bool = True) -> tuple[int, str]:
        """Run a control command. Raises Failed with its output if it fails and `check` is set."""
        command = [sys.executable, "-m", "flintmq.cli", *arguments]
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, text=True, timeout=120)
        if check and done.returncode:
            raise Failed(f"{' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.returncode, done.stdout

    def start(self, settings: dict[str, str], script: str) -> None:
        """Create and start a queue manager as the container of these settings would, and run `script`."""
        self.stop()
        self.started += 1
        self.environment["FLINTMQ_DATA"] = str(self.directory / str(self.started))
        name = settings["MQ_QMGR_NAME"]
        self.passwords = {user: settings[f"MQ_{user.upper()}_PASSWORD"] for user in ("app", "admin")}
        self.flint("crtmqm", "--dev", "-p", str(TCP_PORT), name)
        for user, password in self.passwords.items():
            privileged = ["--privileged"] if user == "admin" else []
            self.flint("user", name, user, "--stdin", *privileged, text=password + "\n")
        self.flint("strmqm", name)
        self.name = name
        if script.strip():
            self.flint("runmqsc", name, text=script)

    def stop(self) -> None:
        """End the queue manager, whatever has become of it."""
        if self.name:
            self.flint("endmqm", "-i", self.name, check=False)
            self.name = ""

    def is_right(self, header: str) -> bool:
        """Whether an Authorization header names a user and its password."""
        kind, _, encoded = header.partition(" ")
        if kind != "Basic":
            return False
        user, _, password = base64.b64decode(encoded).decode().partition(":")
        return password != "" and self.passwords.get(user) == password

    def command(self, text: str) -> dict[str, object]:
        """Run an MQSC command and return what MQ's REST API would."""
        code, said = self.flint("runmqsc", self.name, text=text + "\n", check=False)
        return rest_answer(code, said)


def rest_answer(code: int, said: str) -> dict[str, object]:
    """Return the output of runmqsc as MQ's REST API does: a response for each message of the command."""
    places = [match.start() for match in _MESSAGE.finditer(said)]
    ends = [*places[1:], len(said)]
    responses = [
        {
            "completionCode": 2 if code else 0,
            "reasonCode": COMMAND_FAILED if code else 0,
            "text": [line.strip() for line in said[start:end].splitlines() if line.strip()],
        }
        for start, end in zip(places, ends, strict=True)
    ]
    return {
        "overallCompletionCode": 2 if code else 0,
        "overallReasonCode": COMMAND_FAILED if code else 0,
        "commandResponse": responses,
    }


class Handler(BaseHTTPRequestHandler):
    """Answers POST requests with what `answer` returns."""

    manager: Manager

    def do_POST(self) -> None:  # noqa: N802 (the name that the library calls)
        """Answer a request; a failure is 500, with the reason as text."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        try:
            status, text = self.answer(body)
        except (Failed, KeyError, ValueError, subprocess.SubprocessError) as error:
            status, text = 500, f"{type(error).__name__}: {error}"
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, body: str) -> tuple[int, str]:
        """Return status and text."""
        raise NotImplementedError

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: Maven has the screen."""


class Containers(Handler):
    """What tools/testcontainers/GenericContainer.java asks."""

    def answer(self, body: str) -> tuple[int, str]:
        """Start or stop the queue manager, run a control command, or say where it listens."""
        place = urlsplit(self.path)
        if place.path == "/start":
            self.manager.start(dict(parse_qsl(place.query)), body)
        elif place.path == "/stop":
            self.manager.stop()
        elif place.path == "/run":
            return 200, self.manager.flint(*body.split("\n"))[1]
        elif place.path == "/port":
            return 200, str(TCP_PORT if body == "tcp" else REST_PORT)
        else:
            return 404, place.path
        return 200, ""


class Rest(Handler):
    """The part of MQ's REST API that the tests use."""

    def answer(self, body: str) -> tuple[int, str]:
        """Run a command, or put a message."""
        if not self.manager.is_right(self.headers.get("Authorization", "")):
            return 401, ""
        command = _MQSC.fullmatch(self.path)
        if command is not None:
            return 200, json.dumps(self.manager.command(json.loads(body)["parameters"]["command"]))
        message = _PUT.fullmatch(self.path)
        if message is not None:
            self.manager.flint("amqsput", unquote(message[2]), self.manager.name, text=body + "\n\n")
            return 201, ""
        return 404, ""


def serve(kind: type[Handler], manager: Manager, port: int, certificate: Path | None) -> ThreadingHTTPServer:
    """Start a server on the loopback, with TLS if there is a certificate."""
    server = ThreadingHTTPServer((HOST, port), type(kind.__name__, (kind,), {"manager": manager}))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def make_certificate(directory: Path) -> Path:
    """Make a certificate for localhost, with its key."""
    path = directory / "rest.pem"
    path.touch(0o600)
    key, certificate = directory / "rest.key", directory / "rest.crt"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    path.write_bytes(key.read_bytes() + certificate.read_bytes())
    return path


def maven(checkout: Path, environment: dict[str, str], *arguments: str) -> int:
    """Run Maven in a checkout, without measuring coverage; its output goes to the log file."""
    without = ("-Dsurefire.jacoco.args=", "-Dfailsafe.jacoco.args=", "-Dcheckstyle.skip", "-Djacoco.skip")
    command = ["mvn", "-B", "-q", *without, *arguments]
    with (checkout / LOG).open("ab") as log:
        return subprocess.run(command, cwd=checkout, env=environment, stdout=log, stderr=log).returncode


def compile_suite(checkout: Path, environment: dict[str, str], directory: Path) -> str:
    """Compile the suite, and the class that hides that of Testcontainers. Return the class path. Raises Failed."""
    path = directory / "classpath"
    if maven(checkout, environment, "test-compile", "dependency:build-classpath", f"-Dmdep.outputFile={path}"):
        raise Failed(f"Maven cannot compile the tests, see {checkout / LOG}")
    target = checkout / "target" / "test-classes"
    libraries = path.read_text().strip()
    command = ["javac", "-cp", libraries, "-d", str(target), str(STAND_IN)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"the class that stands in for Testcontainers': {done.stderr}")
    return os.pathsep.join([str(target), str(checkout / "target" / "classes"), libraries])


def old_classes(checkout: Path) -> list[str]:
    """Return the names of the integration tests that are written for JUnit 4."""
    folder = checkout / "src" / "integration" / "java"
    paths = [path for path in sorted(folder.rglob("*IT.java")) if "import org.junit.Test;" in path.read_text()]
    return [".".join(path.relative_to(folder).with_suffix("").parts) for path in paths]


def run_old(checkout: Path, environment: dict[str, str], class_path: str, names: list[str]) -> dict[str, list[int]]:
    """Run tests for JUnit 4, each class with a queue manager of its own. Return (passed, 0, failed) of each class."""
    rows: dict[str, list[int]] = {}
    for name in names:
        command = ["java", "-cp", class_path, "org.junit.runner.JUnitCore", name]
        told = {**environment, "FLINT_START_AT_ONCE": "1"}
        done = subprocess.run(command, cwd=checkout, env=told, capture_output=True, text=True)
        with (checkout / LOG).open("a") as log:
            log.write(done.stdout + done.stderr)
        rows[name.split(".")[-1]] = old_counts(done.stdout)
    return rows


def old_counts(said: str) -> list[int]:
    """Return (passed, 0, failed) of what JUnit 4 has said at its end; one failure if it has not come so far."""
    good = re.search(r"^OK \((\d+) tests?\)", said, re.MULTILINE)
    if good is not None:
        return [int(good[1]), 0, 0]
    bad = re.search(r"^Tests run: (\d+),  Failures: (\d+)", said, re.MULTILINE)
    return [0, 0, 1] if bad is None else [int(bad[1]) - int(bad[2]), 0, int(bad[2])]


def table(reports: list[Path]) -> tuple[str, int]:
    """Return the results as a table in Markdown, a row for each class and for each test not passed, and the misses."""
    rows: dict[str, list[int]] = {}
    others: list[str] = []
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            name = case.get("classname", "").split(".")[-1]
            counts = rows.setdefault(name, [0, 0, 0])
            problem = next((child for child in case if child.tag in ("failure", "error")), None)
            skipped = case.find("skipped")
            counts[1 if skipped is not None else 2 if problem is not None else 0] += 1
            if problem is not None or skipped is not None:
                found = skipped if problem is None else problem
                assert found is not None
                said = (found.get("message", "") or found.text or "").strip().splitlines() or [""]
                others.append(
                    f"| {name}.{case.get('name')} | {'skipped' if problem is None else 'failed'} | {said[0]} |"
                )
    lines = ["| class | passed | skipped | failed |", "|---|---|---|---|"]
    lines += [f"| {name} | {' | '.join(map(str, counts))} |" for name, counts in sorted(rows.items())]
    sums = [sum(counts[place] for counts in rows.values()) for place in range(3)]
    lines.append(f"| all | {' | '.join(map(str, sums))} |")
    if others:
        lines += ["", "| test | result | reason |", "|---|---|---|", *others]
    return "\n".join(lines), sums[1] + sums[2]


def run(checkout: Path, more: Sequence[str]) -> int:
    """Compile and run the suite of a checkout, and print its results."""
    target = checkout / "target"
    folders = [target / f"{plugin}-reports" for plugin in ("surefire", "failsafe")]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    target.mkdir(exist_ok=True)
    (checkout / LOG).write_bytes(b"")
    with tempfile.TemporaryDirectory(prefix="flintmq-kafka-") as temporary:
        directory = Path(temporary)
        manager = Manager(directory)
        containers = serve(Containers, manager, 0, None)
        rest = serve(Rest, manager, REST_PORT, make_certificate(directory))
        environment = {**os.environ, "FLINT_CONTAINERS": f"http://{HOST}:{containers.server_address[1]}"}
        try:
            class_path = compile_suite(checkout, environment, directory)
            for goal in ("surefire:test", "failsafe:integration-test@integration-tests"):
                maven(
                    checkout, environment, goal, "-Dmaven.test.failure.ignore", "-DfailIfNoSpecifiedTests=false", *more
                )
            old = run_old(checkout, environment, class_path, [] if more else old_classes(checkout))
        finally:
            manager.stop()
            containers.shutdown()
            rest.shutdown()
    text, missed = table([report for folder in folders for report in sorted(folder.glob("TEST-*.xml"))])
    print(text)
    if old:
        print("\n| class for JUnit 4 | passed | skipped | failed |\n|---|---|---|---|")
        for name, counts in old.items():
            print(f"| {name} | {' | '.join(map(str, counts))} |")
            missed += counts[2]
    return 1 if missed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Run the test-suite of one of IBM's Kafka connectors against FlintMQ.")
    parser.add_argument("path", type=Path, help="a checkout of kafka-connect-mq-source or kafka-connect-mq-sink")
    given, more = parser.parse_known_args(arguments)
    checkout = given.path.resolve()
    if not (checkout / "pom.xml").exists() or not (checkout / "src" / "integration").is_dir():
        raise SystemExit(f"{given.path} is no checkout of a Kafka connector: pom.xml or src/integration is not there")
    missing = [program for program in ("mvn", "javac", "openssl") if shutil.which(program) is None]
    if missing:
        raise SystemExit(f"needed, and not here: {', '.join(missing)}")
    try:
        return run(checkout, more)
    except Failed as failed:
        raise SystemExit(str(failed)) from None


if __name__ == "__main__":
    sys.exit(main())
