"""What linters do not see: machine paths, registry addresses, length, docstrings, left-over notes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES_MAX = 900
FUNCTION_LINES_MAX = 90

#: Never ours: made by tools, or not in the tree.
SKIPPED = {
    ".git",
    ".venv",
    "build",
    "dist",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
}

#: Spelled in pieces, so that this file does not find itself.
MACHINE_PATHS = [r"/" + name + r"/" for name in ("work", "root", "farm", r"home/[a-z]+")] + [r"\." + "pyenv"]
REGISTRIES = ["pypi" + r"\.org", "python" + "hosted", "crates" + r"\.io", "registry" + r"\.npm", "index-" + "url"]
NOTES = [r"\b" + word + r"\b" for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X")]


def files_of_the_tree() -> list[Path]:
    """What git knows or would add; without git, everything that is not made by a tool."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        paths = [Path(base) / name for base, _, names in os.walk(ROOT) for name in names]
        return sorted(path for path in paths if not SKIPPED & set(path.relative_to(ROOT).parts))
    return sorted(path for name in listing.split(b"\0") if name and (path := ROOT / os.fsdecode(name)).is_file())


def texts() -> list[tuple[Path, str]]:
    found = []
    for path in files_of_the_tree():
        data = path.read_bytes()
        if b"\0" not in data:
            found.append((path.relative_to(ROOT), data.decode(errors="replace")))
    return found


TEXTS = texts()
PYTHON = [(path, text) for path, text in TEXTS if path.suffix == ".py"]
SOURCE = [(path, text) for path, text in PYTHON if path.parts[0] == "src"]


def lines_matching(patterns: list[str], files: list[tuple[Path, str]]) -> list[str]:
    wanted = re.compile("|".join(patterns))
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in files
        for number, line in enumerate(text.splitlines(), 1)
        if wanted.search(line)
    ]


def test_no_file_names_a_place_on_one_machine() -> None:
    assert lines_matching(MACHINE_PATHS, TEXTS) == []


def test_no_file_names_a_package_registry() -> None:
    assert lines_matching(REGISTRIES, TEXTS) == []


def test_no_file_has_notes_to_its_author() -> None:
    assert lines_matching(NOTES, PYTHON) == []


def test_constraints_are_names_and_versions_only() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.]+", line)] == []
    assert lines == sorted(lines, key=lambda line: line.split("==")[0])


def test_no_file_is_too_long() -> None:
    assert [f"{path}: {text.count(chr(10))} lines" for path, text in PYTHON if text.count("\n") > LINES_MAX] == []


def test_no_function_is_too_long() -> None:
    long = []
    for path, text in PYTHON:
        for node in ast.walk(ast.parse(text, str(path))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
                if node.end_lineno - node.lineno > FUNCTION_LINES_MAX:
                    long.append(f"{path}:{node.lineno} {node.name}: {node.end_lineno - node.lineno} lines")
    assert long == []


def test_every_source_file_opens_with_a_docstring() -> None:
    assert [str(path) for path, text in SOURCE if not ast.get_docstring(ast.parse(text))] == []


def test_every_directory_of_the_package_has_an_init() -> None:
    """Without one, `pip install` would leave the room out."""
    directories = {path.parent for path, _ in SOURCE}
    assert sorted(str(path) for path in directories if not (ROOT / path / "__init__.py").exists()) == []


def test_tests_are_no_packages() -> None:
    assert [str(path) for path, _ in PYTHON if path.parts[0] == "tests" and path.name == "__init__.py"] == []


@pytest.mark.parametrize("name", ["flint", ".ci/run"])
def test_scripts_can_be_run(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)
