"""The build: which modules are hot, what they may import, and that a compiled run is one."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import flintmq
from tools import build, hot

ROOT = Path(__file__).resolve().parents[2]


def test_the_package_is_built_as_the_launcher_says() -> None:
    """`./flint test` sets FLINT_COMPILE for each of its runs; a fallback must not pass for a compiled run."""
    wish = os.environ.get("FLINT_COMPILE")
    if wish not in ("0", "1"):
        pytest.skip("FLINT_COMPILE is not set: either is right")
    assert flintmq.compiled() is (wish == "1")


def test_constants_and_inits_stay_python() -> None:
    names = hot.hot_modules()
    assert "src/flintmq/mqi/md.py" in names
    assert [name for name in names if name.endswith(("__init__.py", "constants.py", "reason.py"))] == []


def test_a_hot_module_imports_ours_only_from_hot_rooms() -> None:
    """Otherwise a change there would not ask for a new build: the key covers the hot rooms."""
    wrong = []
    for name in hot.hot_modules():
        for node in ast.walk(ast.parse((ROOT / name).read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("flintmq."):
                assert node.module is not None
                if node.module.split(".")[1] not in [*hot.hot_rooms(), "_build"]:
                    wrong.append(f"{name}:{node.lineno} {node.module}")
    assert wrong == []


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    """As much of a working copy as the key looks at."""
    for name in build.RECIPE:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("recipe")
    for name in ("mqi/md.py", "mqi/constants.py", "cli/help.py", "__init__.py"):
        path = tmp_path / "src" / "flintmq" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""{name}"""\n')
    return tmp_path


@pytest.mark.parametrize(
    ("name", "asks_for_a_build"),
    [
        ("src/flintmq/mqi/md.py", True),
        ("src/flintmq/mqi/constants.py", True),
        ("src/flintmq/mqi/new.py", True),
        ("src/flintmq/new.py", True),
        ("setup.py", True),
        ("tools/cold.h", True),
        ("benchmarks/qmgr/floor_engine.py", True),
        ("src/flintmq/cli/help.py", False),
        ("src/flintmq/cli/new.py", False),
        ("src/flintmq/__init__.py", False),
        ("benchmarks/qmgr/bench_engine.py", False),
    ],
)
def test_only_what_is_compiled_in_asks_for_a_new_build(small_tree: Path, name: str, asks_for_a_build: bool) -> None:
    before = build.key_of_sources(small_tree)
    path = small_tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("changed = True\n")
    assert (build.key_of_sources(small_tree) != before) is asks_for_a_build


def test_objects_of_another_recipe_are_not_used_again(tmp_path: Path) -> None:
    """Other options of the compiler make other code of the same sources."""
    made = tmp_path / "objects" / "a.o"
    made.parent.mkdir()
    made.touch()
    build.forget_other_recipe(tmp_path, "one")
    assert not made.parent.exists()

    made.parent.mkdir()
    made.touch()
    build.forget_other_recipe(tmp_path, "one")
    assert made.exists()

    build.forget_other_recipe(tmp_path, "two")
    assert not made.exists()


def test_links_keep_cold_rooms_and_files_fresh(small_tree: Path) -> None:
    source = small_tree / "src" / "flintmq"
    target = small_tree / "build" / "compiled" / "key" / "flintmq"
    build.link_package(source, target, ["mqi"])
    (source / "cli" / "new.py").write_text("1")
    (source / "mqi" / "constants.py").write_text("2")
    assert (target / "cli").is_symlink() and (target / "cli" / "new.py").read_text() == "1"
    assert not (target / "mqi").is_symlink() and (target / "mqi" / "constants.py").read_text() == "2"


@pytest.mark.skipif(not (ROOT / ".venv" / "installed").exists(), reason="the launcher has not been used here")
@pytest.mark.parametrize("wish", ["0", os.environ.get("FLINT_COMPILE", "")])
def test_the_launcher_runs_from_any_directory(tmp_path: Path, wish: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FLINT_COMPILE")}
    if wish:
        environment["FLINT_COMPILE"] = wish
    link = tmp_path / "linked"
    link.symlink_to(ROOT / "flint")
    end = subprocess.run([str(link), "version"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (end.returncode, end.stderr) == (0, "")
    assert f"Version:     {flintmq.__version__}\n" in end.stdout
    assert f"InstPath:    {ROOT}\n" in end.stdout


def test_importing_the_package_is_cheap() -> None:
    """No room, no dependency and nothing of Python's own library is loaded before it is used: 2 ms of CPU, 40 allowed.

    Modules are counted, because time depends on the machine.
    """
    program = "import sys; before = set(sys.modules); import flintmq; print(sorted(set(sys.modules) - before))"
    end = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert end.stdout.strip() == "['flintmq']"
