"""`import pymqi` where the original is not installed.

    python -m flintmq.pymqi install-shim     writes flintmq-pymqi.pth into site-packages
    python -m flintmq.pymqi remove-shim      removes it

The file names the directory `shims` beside this one, where a package called pymqi leads to `flintmq.pymqi`. Python
looks there last of all, after site-packages itself, so an original that is installed, now or later, is what is
imported; nothing of it is ever overwritten. `flintmq.ibmmq` does the same for ibmmq.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.machinery
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

_EPILOG = """\
example:
  python -m flintmq.{name} install-shim
  python -c "import {name}; print({name}.__file__)"
"""


def pose_as(package: ModuleType, name: str, submodules: Sequence[str]) -> None:
    """Let `import name` and `import name.submodule` mean a package of ours, from now on."""
    for submodule in submodules:
        sys.modules[f"{name}.{submodule}"] = importlib.import_module(f"{package.__name__}.{submodule}")
    sys.modules[name] = package


def path_file(name: str, target: Path | None = None) -> Path:
    """The file that install-shim writes."""
    return (target or Path(sysconfig.get_path("purelib"))) / f"flintmq-{name}.pth"


def original(name: str, directory: Path) -> str:
    """Where the original is installed; "" if it is not. `directory` is the shim's."""
    paths = [path for path in sys.path if Path(path or ".").resolve() != directory.resolve()]
    found = importlib.machinery.PathFinder.find_spec(name, paths)
    return "" if found is None else str(found.origin or found.submodule_search_locations)


def install(name: str, directory: Path, target: Path | None = None) -> str:
    """Write the file; return a message for the user."""
    file = path_file(name, target)
    there = original(name, directory)
    file.write_text(f"{directory}\n", encoding="utf-8")
    if there:
        return f"{file} is written, but the original {name} in {there} comes first: uninstall it to use flintmq.{name}"
    return f"{file} is written: `import {name}` is flintmq.{name} from the next start of Python on"


def remove(name: str, target: Path | None = None) -> str:
    """Remove the file; return a message for the user."""
    file = path_file(name, target)
    if not file.exists():
        return f"there is no {file}: nothing to remove"
    file.unlink()
    return f"{file} is removed"


def main(name: str, directory: Path, arguments: Sequence[str] | None = None) -> int:
    """The command `python -m flintmq.<name>`."""
    parser = argparse.ArgumentParser(
        prog=f"python -m flintmq.{name}",
        description=f"Let `import {name}` mean flintmq.{name} where the original is not installed.",
        epilog=_EPILOG.format(name=name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["install-shim", "remove-shim"])
    parser.add_argument("--target", type=Path, metavar="DIR", help="site-packages of another Python")
    given = parser.parse_args(arguments)
    try:
        done = install(name, directory, given.target) if given.action == "install-shim" else remove(name, given.target)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}: choose another directory with --target", file=sys.stderr)
        return 1
    print(done)
    return 0
