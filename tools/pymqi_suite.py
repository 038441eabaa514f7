"""Run pymqi's own test-suite, unchanged, against `flintmq.pymqi` and a queue manager that is started for it.

    python tools/pymqi_suite.py ../pymqi              a checkout of the public repository; nothing of it is changed
    python tools/pymqi_suite.py ../pymqi -k pubsub    the rest goes to pytest
    python tools/pymqi_suite.py ../mq-mqi-python      ibmmq's, against `flintmq.ibmmq`

A queue manager is created with developer defaults in a directory that is gone afterwards, listens on a free port of the
loopback, and is ended. The suite is told where it is by the environment variables that it reads. The result is printed
as the table of docs/interop.md; the exit code is that of pytest.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
SHIMS = [SOURCE / "flintmq" / package / "shims" for package in ("pymqi", "ibmmq")]
NAME = "PYMQITEST"

#: What the variables that the suites read begin with.
PREFIXES = ("PYMQI", "PY_IBMMQ")

#: What the suite imports besides pytest.
NEEDS = ("ddt",)

#: What the suite expects of a queue manager beyond developer defaults.
PREPARATION = "ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) DESCR('IBM MQ Default Local Queue')\n"


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def tests_in(path: Path) -> Path:
    """Where the tests are in a checkout. Raises SystemExit with what to do if there are none."""
    for directory in (path / "code" / "tests", path / "tests", path):
        if (directory / "test_queue_manager.py").exists():
            return directory
    raise SystemExit(f"{path} is no checkout of pymqi or ibmmq: code/tests/test_queue_manager.py is not there")


class Manager:
    """A queue manager with a listener, for as long as the suite runs."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self.keys = directory / "keys"
        self.has_keys = False
        self.passwords = {"admin": secrets.token_hex(8), "app": secrets.token_hex(8)}
        self.environment = {
            **os.environ,
            "FLINTMQ_DATA": str(directory),
            "PYTHONPATH": os.pathsep.join([str(SOURCE), *map(str, SHIMS)]),
        }
        self.environment.pop("MQSERVER", None)

    def flint(self, *arguments: str, text: str = "", check: bool = True) -> str:
        """A control command. Raises SystemExit with its output if it fails."""
        command = [sys.executable, "-m", "flintmq.cli", *arguments]
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, text=True, timeout=120)
        if check and done.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self) -> None:
        """Create and start it."""
        self.has_keys = make_keys(self.keys, "mqtest", "client")
        self.flint("crtmqm", "--dev", "-p", str(self.port), NAME)
        for user, password in self.passwords.items():
            privileged = ["--privileged"] if user == "admin" else []
            self.flint("user", NAME, user, "--stdin", *privileged, text=password + "\n")
        self.flint("strmqm", NAME)
        if PREPARATION:
            self.flint("runmqsc", NAME, text=PREPARATION)

    def end(self) -> None:
        """End it, whatever has become of it."""
        self.flint("endmqm", "-i", NAME, check=False)

    def suite_environment(self) -> dict[str, str]:
        """What the config.py of either suite reads."""
        told = {
            "QM_NAME": NAME,
            "QM_HOST": "127.0.0.1",
            "QM_PORT": str(self.port),
            "QM_CHANNEL": "DEV.ADMIN.SVRCONN",
            "QM_USER": "admin",
            "QM_PASSWORD": self.passwords["admin"],
            "QM_APP_CHANNEL": "DEV.APP.SVRCONN",
            "QM_APP_USER": "app",
            "QM_APP_PASSWORD": self.passwords["app"],
            "QM_CONN_AUTH_USE_PW": "REQUIRED",
            "QM_CONNAUTH_USE_PW": "REQUIRED",
            "TLS_SKIP": "0" if self.has_keys else "1",
            "TLS_KEY_REPO_LOCATION_QMGR": str(self.keys / "mqtest"),
            "TLS_KEY_REPO_LOCATION_CLIENT": str(self.keys / "client"),
        }
        return self.environment | {f"{prefix}_TEST_{name}": told[name] for name in told for prefix in PREFIXES}


def make_keys(directory: Path, own: str, other: str) -> bool:
    """A key repository for each side, each with the other's certificate in trusted.pem; False without openssl."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return False
    for name in (own, other):
        (directory / name).mkdir(parents=True)
    for name, peer in ((own, other), (other, own)):
        key, certificate = directory / f"{name}.key", directory / f"{name}.crt"
        command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        repository = directory / name / f"{name}.pem"
        repository.touch(0o600)
        repository.write_bytes(key.read_bytes() + certificate.read_bytes())
        shutil.copy(certificate, directory / peer / "trusted.pem")
    return True


def install_needs(directory: Path) -> None:
    """What the suite imports, beside the environment of this program. Raises SystemExit if pip cannot."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--target", str(directory), *NEEDS], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"pip cannot install {', '.join(NEEDS)}: {done.stderr.strip()}")


def run_suite(tests: Path, manager: Manager, report: Path, more: Sequence[str]) -> int:
    """Run pytest over the suite's files; the result goes into `report`."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tests)]
    command += ["-c", os.devnull, f"--junitxml={report}", "-o", "junit_family=xunit1", *more, str(tests)]
    return subprocess.run(command, cwd=tests, env=manager.suite_environment()).returncode


def table(report: Path) -> str:
    """The result as a table in Markdown: a row for each module, and one for each test that did not pass."""
    rows: dict[str, list[int]] = {}
    others: list[str] = []
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname", "").split(".")[0]
        counts = rows.setdefault(module, [0, 0, 0])
        problem = next((child for child in case if child.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        counts[1 if skipped is not None else 2 if problem is not None else 0] += 1
        found = skipped if skipped is not None else problem
        if found is not None:
            lines = found.get("message", "").strip().splitlines() or [""]
            word = "skipped" if skipped is not None else "failed"
            others.append(f"| {module}.{case.get('name')} | {word} | {lines[0]} |")
    lines = ["| module | passed | skipped | failed |", "|---|---|---|---|"]
    lines += [f"| {module} | {' | '.join(map(str, counts))} |" for module, counts in sorted(rows.items())]
    sums = [sum(counts[place] for counts in rows.values()) for place in range(3)]
    lines.append(f"| all | {' | '.join(map(str, sums))} |")
    if others:
        lines += ["", "| test | result | reason |", "|---|---|---|", *others]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Run pymqi's or ibmmq's own test-suite against ours.")
    parser.add_argument("path", type=Path, help="a checkout of its repository")
    given, more = parser.parse_known_args(arguments)
    tests = tests_in(given.path.resolve())
    with tempfile.TemporaryDirectory(prefix="flintmq-pymqi-") as temporary:
        manager = Manager(Path(temporary) / "data")
        try:
            install_needs(Path(temporary) / "needs")
            manager.environment["PYTHONPATH"] += os.pathsep + str(Path(temporary) / "needs")
            manager.start()
            code = run_suite(tests, manager, Path(temporary) / "report.xml", more)
        finally:
            manager.end()
        print(table(Path(temporary) / "report.xml"))
    return code


if __name__ == "__main__":
    sys.exit(main())
