"""Programs that others wrote and that the test-suite holds FlintMQ against, installed where they are missing.

    tshark          its dissector reads what our clients and queue managers say    tests/interop
    Java, Maven     IBM's clients for Java and JMS; Spark needs Java, too          tests/interop, tests/pipeline
    PostgreSQL      data sources, two-phase commit, the repository of a broker     tests/broker
    buildah         builds the image of Containerfile, and runs it                 tests/interop
    Chromium        opens the performance report as a reader does                  tests/perf

Only `CI=true ./flint test` installs them, only as root, and only with Debian's apt-get: a developer's machine is left
as it is. What cannot be had is said in a line, and the tests that need it are skipped and say so once more.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from tools import programs

#: What a test looks for, and the package that brings it.
PACKAGES = {
    "tshark": "tshark",
    "javac": "default-jdk-headless",
    "mvn": "maven",
    "buildah": "buildah",
    "chromium": "chromium",
    "initdb": "postgresql",
}
#: An index or a package that has not come by then does not come.
PATIENCE_S = 240


def missing() -> list[str]:
    """The packages of the programs that are not there."""
    return [package for program, package in PACKAGES.items() if not _is_there(program)]


def _is_there(program: str) -> bool:
    # Debian keeps the programs of a PostgreSQL server off the search path.
    return programs.of_postgresql() is not None if program == "initdb" else shutil.which(program) is not None


def install() -> str:
    """Install what is missing. What was done, or why it was not; nothing if nothing is missing."""
    packages = missing()
    if not packages:
        return ""
    named = " ".join(packages)
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return f"not here, and to be installed by hand (root and apt-get are needed): {named}"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages]):
        try:
            done = subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            return f"not here, and not installed within {PATIENCE_S} s: {named}"
        if done.returncode:
            last = (done.stdout.strip().splitlines() or ["nothing was said"])[-1]
            return f"not here, and not installed: {named}: {last}"
    return f"installed: {named}"
