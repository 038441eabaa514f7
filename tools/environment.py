"""Makes `.venv` and installs the pinned dependencies into it. The launcher calls this, with the system's Python, when
`constraints.txt`, `pyproject.toml` or this file is not what was installed last.

    .venv/installed    constraints.txt, pyproject.toml and this file as they were when the installation succeeded;
                       the launcher compares
    .venv.lock         held while installing; a second launcher waits

Needs Python and pip's usual access to packages, nothing else. Where `venv` has no pip of its own (some distributions
split it off), the system's pip installs into the environment.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed"
PINS = ROOT / "constraints.txt"
#: What an installation depends on, in the order in which the launcher reads it.
MADE_FROM = ("constraints.txt", "pyproject.toml", "tools/environment.py")

#: The extras of pyproject.toml that a working copy needs: tests and tools, PKCS#12, and Spark for the data pipeline.
EXTRAS = ("test", "dev", "tls", "spark")


class InstallFailed(Exception):
    """The environment could not be made; the text says what to do."""


def wanted() -> bytes:
    return b"".join((ROOT / name).read_bytes() for name in MADE_FROM)


def requirements() -> list[str]:
    """Names from pyproject.toml; the versions come from the constraints."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = list(project["dependencies"])
    for extra in EXTRAS:
        names += [name for name in project["optional-dependencies"][extra] if not name.startswith(project["name"])]
    return names


def install() -> None:
    with open(ROOT / ".venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if STAMP.exists() and STAMP.read_bytes() == wanted():
            return
        state = wanted()
        if not PYTHON.exists() or not answers([str(PYTHON), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]):
            say("making .venv (once)")
            make_environment()
        say("installing pinned dependencies")
        run([*pip(), "install", "--quiet", "--disable-pip-version-check", "--constraint", str(PINS), *requirements()])
        STAMP.write_bytes(state)


def make_environment() -> None:
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        run([*command, "--without-pip"])


def pip() -> list[str]:
    """The environment's pip, or the system's working on the environment."""
    inside = [str(PYTHON), "-m", "pip"]
    if answers([*inside, "--version"]):
        return inside
    outside = [sys.executable, "-m", "pip"]
    if answers([*outside, "--version"]):
        return [*outside, "--python", str(PYTHON)]
    raise InstallFailed("this Python has neither venv's pip nor pip itself: install python3-venv or python3-pip")


def answers(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True).returncode == 0


def run(command: list[str]) -> None:
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        raise InstallFailed(f"this failed, its output is above: {' '.join(command[:5])} ...")


def say(text: str) -> None:
    print(f"flint: {text}", file=sys.stderr, flush=True)


def main() -> int:
    try:
        install()
    except InstallFailed as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
