"""Make `.venv` and install the pinned dependencies into it, a stage at a time.

The launcher runs this with the system's Python when `constraints.txt`, `pyproject.toml` or this file is not what was
installed last, or when a command needs a stage that is not there. `./flint setup STAGE` and the compilation in the
background (build.py) run it, too.

    .venv/installed          what every command needs is installed: constraints.txt, pyproject.toml and this file as
                             they were then; the launcher compares
    .venv/installed.STAGE    the same for a stage (STAGES): Spark, test tools and the compiler come when first used
    .venv/made-with          FLINT_PYTHON when .venv was last checked; another value asks for another .venv
    .venv.lock               held while installing; a second launcher waits

Needs Python and pip's usual access to packages, nothing else. Where `venv` has no pip of its own (some distributions
split it off), the system's pip installs into the environment.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MADE_WITH = VENV / "made-with"
PINS = ROOT / "constraints.txt"
#: What an installation depends on, in the order in which the launcher reads it.
MADE_FROM = ("constraints.txt", "pyproject.toml", "tools/environment.py")

#: A stage is some of the extras of pyproject.toml. The first stage, with the dependencies of the package itself, is
#: what every command needs; the others are installed when a command first needs them.
BASE = ""
STAGES = {
    BASE: ("tls",),
    "compile": ("compile",),
    "broker": ("broker",),
    "spark": ("spark",),
    "demo": ("broker", "spark"),
    "perf": ("broker", "perf"),
    "bench": ("broker", "spark", "peers"),
    "release": ("compile", "release"),
    "test": (
        "test",
        "dev",
        "compile",
        "broker",
        "spark",
        "release",
        "celery",
        "faststream",
        "opentelemetry",
        "peers",
        "perf",
    ),
}


class InstallFailed(Exception):
    """The environment could not be made; the text says what to do."""


def wanted() -> bytes:
    return b"".join((ROOT / name).read_bytes() for name in MADE_FROM)


def stamp(stage: str) -> Path:
    """Return the file that says with which pins a stage was installed."""
    return VENV / (f"installed.{stage}" if stage else "installed")


def is_installed(stage: str, state: bytes) -> bool:
    return stamp(stage).exists() and stamp(stage).read_bytes() == state


def requirements(stages: list[str]) -> list[str]:
    """Return the names that pyproject.toml has for the stages; the versions come from the constraints."""
    import tomllib  # Here, because the launcher's build imports this file at every start.

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = list(project["dependencies"]) if BASE in stages else []
    for extra in dict.fromkeys(extra for stage in stages for extra in STAGES[stage]):
        names += [name for name in project["optional-dependencies"][extra] if not name.startswith(project["name"])]
    return list(dict.fromkeys(names))


def install(stage: str = BASE) -> None:
    """Install what every command needs, and one stage. Raise InstallFailed."""
    with open(ROOT / ".venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state = wanted()
        if not is_usable():
            say("making .venv (once)")
            make_environment()
        needed = [each for each in (BASE, stage) if not is_installed(each, state)]
        if BASE in needed:
            # Stages of other pins are renewed with it, so that all versions in the environment belong together.
            needed = [each for each in STAGES if each in (BASE, stage) or stamp(each).exists()]
        if needed:
            extras = [each for each in needed if each]
            say("installing pinned dependencies" + (f" for {' and '.join(extras)}" if extras else ""))
            command = [*pip(), "install", "--quiet", "--disable-pip-version-check", "--constraint", str(PINS)]
            run([*command, *requirements(needed)])
        there = {extra for each in needed for extra in STAGES[each]}
        for each, extras_of_stage in STAGES.items():
            # A stage that is part of an installed one is installed, too.
            if each in needed or (each and there.issuperset(extras_of_stage)):
                stamp(each).write_bytes(state)
        if os.environ.get("FLINT_PYTHON"):
            MADE_WITH.write_text(os.environ["FLINT_PYTHON"] + "\n")


def is_usable() -> bool:
    """Whether .venv has a Python that runs and is recent enough; with FLINT_PYTHON, whether it is that one."""
    if not PYTHON.exists():
        return False
    program = "import sys; print(sys.version); sys.exit(sys.version_info < (3, 11))"
    found = subprocess.run([str(PYTHON), "-c", program], capture_output=True, text=True)
    if found.returncode != 0:
        return False
    return not os.environ.get("FLINT_PYTHON") or found.stdout.strip() == sys.version.strip()


def make_environment() -> None:
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        run([*command, "--without-pip"])


def pip() -> list[str]:
    """The environment's pip, or the system's working on the environment."""
    inside = [str(PYTHON), "-m", "pip"]
    if answers([*inside, "--version"]):
        return inside
    # This may run inside the environment, which then has no pip: the Python it was made with does.
    outside = [getattr(sys, "_base_executable", sys.executable), "-m", "pip"]
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


def main(words: list[str]) -> int:
    try:
        if words and words[0] not in STAGES:
            raise InstallFailed(f"there is no stage {words[0]!r}: {', '.join(filter(None, STAGES))}")
        install(*words)
    except InstallFailed as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
