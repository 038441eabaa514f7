"""Run Kombu's own integration tests against the transport of `flintmq.integrations.kombu`.

    python tools/kombu_suite.py ../kombu              a checkout of the public repository; nothing of it is changed
    python tools/kombu_suite.py ../kombu -k Priority  the rest goes to pytest

The classes of t/integration/common.py say what every transport must do. A file that derives one class from each, with
connections of ours as fixtures, is written to a temporary directory. A queue manager is created with developer
defaults, listens on a free port of the loopback, and is ended. The installed Kombu is used, not that of the checkout.
The result is printed as a table; the exit code is that of pytest.
"""

from __future__ import annotations

import argparse
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
NAME = "KOMBUTEST"
COMMON = Path("t") / "integration" / "common.py"
CLASSES = (
    "BasicFunctionality", "BaseExchangeTypes", "BaseTimeToLive", "BasePriority", "BaseMessage", "BaseFailover",
)  # fmt: skip

#: What is written beside the suite: its classes with our connections.
TESTS = """
import importlib.util
import os

import kombu
import pytest

import flintmq.integrations.kombu

spec = importlib.util.spec_from_file_location("kombu_common", os.environ["KOMBU_COMMON"])
common = importlib.util.module_from_spec(spec)
spec.loader.exec_module(common)
URL = os.environ["KOMBU_URL"]
OPTIONS = {"channel": "DEV.ADMIN.SVRCONN"}


@pytest.fixture
def connection():
    return kombu.Connection(URL, transport_options=OPTIONS)


@pytest.fixture
def invalid_connection():
    return kombu.Connection("flintmq://127.0.0.1:1/NOBODY", transport_options=OPTIONS)


@pytest.fixture
def failover_connection():
    return kombu.Connection("flintmq://127.0.0.1:1/NOBODY;" + URL, transport_options=OPTIONS)
"""


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_file() -> str:
    """Return the text of the file of tests."""
    return TESTS + "".join(f"\n\nclass Test{name}(common.{name}):\n    pass\n" for name in CLASSES)


class Manager:
    """A queue manager with a listener, for as long as the suite runs."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self.password = secrets.token_hex(8)
        self.environment = {**os.environ, "FLINTMQ_DATA": str(directory), "PYTHONPATH": str(SOURCE)}
        self.environment.pop("MQSERVER", None)

    def flint(self, *arguments: str, text: str = "", check: bool = True) -> None:
        """Run a control command. Raises SystemExit with its output if it fails."""
        command = [sys.executable, "-m", "flintmq.cli", *arguments]
        done = subprocess.run(command, env=self.environment, input=text, capture_output=True, text=True, timeout=120)
        if check and done.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")

    def start(self) -> None:
        """Create and start it."""
        self.flint("crtmqm", "--dev", "-p", str(self.port), NAME)
        self.flint("user", NAME, "admin", "--stdin", "--privileged", text=self.password + "\n")
        self.flint("strmqm", NAME)

    def end(self) -> None:
        """End it, whatever has become of it."""
        self.flint("endmqm", "-i", NAME, check=False)

    @property
    def url(self) -> str:
        """Return the URL of Kombu's connections."""
        return f"flintmq://admin:{self.password}@127.0.0.1:{self.port}/{NAME}"


def table(report: Path) -> str:
    """Return the result as a table in Markdown: a row for each class, and one for each test that did not pass."""
    rows: dict[str, list[int]] = {}
    others: list[str] = []
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.get("classname", "").rpartition(".")[2].removeprefix("Test")
        counts = rows.setdefault(name, [0, 0, 0])
        problem = next((child for child in case if child.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        counts[1 if skipped is not None else 2 if problem is not None else 0] += 1
        found = skipped if skipped is not None else problem
        if found is not None:
            lines = found.get("message", "").strip().splitlines() or [""]
            others.append(f"| {name}.{case.get('name')} | {found.tag} | {lines[0]} |")
    lines = ["| class | passed | skipped | failed |", "|---|---|---|---|"]
    lines += [f"| {name} | {' | '.join(map(str, counts))} |" for name, counts in sorted(rows.items())]
    lines.append(f"| all | {' | '.join(str(sum(counts[place] for counts in rows.values())) for place in range(3))} |")
    if others:
        lines += ["", "| test | result | reason |", "|---|---|---|", *others]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Run Kombu's integration tests against ours.")
    parser.add_argument("path", type=Path, help="a checkout of its repository")
    given, more = parser.parse_known_args(arguments)
    common = given.path.resolve() / COMMON
    if not common.exists():
        raise SystemExit(f"{given.path} is no checkout of Kombu: {COMMON} is not there")
    with tempfile.TemporaryDirectory(prefix="flintmq-kombu-") as temporary:
        place = Path(temporary)
        (place / "test_flintmq.py").write_text(test_file())
        manager = Manager(place / "data")
        report = place / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
        command += ["--rootdir", temporary, f"--junitxml={report}", *more, str(place / "test_flintmq.py")]
        try:
            manager.start()
            environment = {**manager.environment, "KOMBU_COMMON": str(common), "KOMBU_URL": manager.url}
            code = subprocess.run(command, cwd=temporary, env=environment).returncode
        finally:
            manager.end()
        print(table(report))
    return code


if __name__ == "__main__":
    sys.exit(main())
