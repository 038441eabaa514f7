"""Pick the tests that concern changed files: `./flint test --changed [REVISION]`.

A changed file differs from REVISION (HEAD if none is given), or is not known to git yet.

    changed                        tests
    src/flintmq/ROOM/FILE.py       tests/ROOM/test_FILE*.py, and test files that import the module
    tests/.../test_X.py            the file itself
    tests/.../other.py             test files that import it; of a conftest.py, those of its directory
    tools/, benchmarks/ FILE.py    test files that import the module
    docs/PAGE.md, samples/, ...    test files that name the file

A test file that imports a module only by way of another module is not picked: the whole suite is for that.
"""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"


class NoRevision(Exception):
    """Git does not know the revision, or there is no repository."""


def changed_files(revision: str = "HEAD") -> list[str]:
    """Return the paths that differ from a revision, without those that were deleted. Raise NoRevision."""
    found: set[str] = set()
    differ = ["git", "diff", "--name-only", "--diff-filter=d", revision, "--"]
    for command in (differ, ["git", "ls-files", "--others", "--exclude-standard"]):
        end = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if end.returncode:
            raise NoRevision(end.stderr.strip())
        found.update(end.stdout.splitlines())
    return sorted(path for path in found if (ROOT / path).exists())


def module_of(path: str) -> str:
    """Return the dotted name under which tests import a Python file."""
    parts = Path(path).with_suffix("").parts
    if parts[0] == "src":
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imported_by(path: Path) -> set[str]:
    """Return the names that a file imports: modules, and modules with an attribute behind the last dot."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def tests_of(paths: list[str]) -> list[str]:
    """Return the test files that concern these files, in order."""
    texts = {path: path.read_text() for path in sorted(TESTS.rglob("test_*.py"))}
    imports = {path: imported_by(path) for path in texts}
    picked: set[Path] = set()
    for path in paths:
        place = Path(path)
        if (ROOT / path) in texts:
            picked.add(ROOT / path)
        elif place.name == "conftest.py":
            picked.update(test for test in texts if (ROOT / place.parent) in test.parents)
        elif place.suffix == ".py":
            module = module_of(path)
            picked.update(test for test, names in imports.items() if module in names)
            if path.startswith("src/flintmq/"):
                directory = TESTS.joinpath(*place.parts[2:-1])
                picked.update(directory.glob(f"test_{place.stem}.py"))
                picked.update(directory.glob(f"test_{place.stem}_*.py"))
        else:
            named = re.compile(rf"[\"'/]{re.escape(place.name)}\b")
            picked.update(test for test, text in texts.items() if named.search(text))
    return [str(path.relative_to(ROOT)) for path in sorted(picked)]
