"""`./flint release wheels`: a wheel with compiled modules that runs where there is no compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import flintmq
from tests.terminal import at_a_terminal
from tools import build, hot, release

ROOT = Path(__file__).resolve().parents[2]


def test_a_wheel_is_assembled_from_the_launchers_build_and_runs_compiled_without_a_compiler(tmp_path: Path) -> None:
    """Issue 14, wheels and container. release.wheels() tries it in an empty environment, and raises if it is plain."""
    if not flintmq.compiled():
        pytest.skip("the hot modules are not compiled here")
    archive, wheel = release.wheels(tmp_path / "dist", Path(flintmq.__file__).absolute().parents[1])
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert wheel.name.startswith(f"flintmq-{flintmq.__version__}-{tag}-{tag}-")
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
        library = opened.read(f"{hot.GROUP}__mypyc{suffix}")
    assert {name.removeprefix("src/").removesuffix(".py") + suffix for name in hot.hot_modules()} <= names
    assert not [name for name in names if name.startswith(("benchmarks", "tests", "tools"))]
    assert sys.base_prefix == "/usr" or sys.base_prefix.encode() not in library, "no path of this machine is in it"
    with tarfile.open(archive) as opened_archive:
        files = {name.partition("/")[2] for name in opened_archive.getnames()}
    assert {
        "setup.py",
        "tools/hot.py",
        "tools/progress.py",
        "tools/cold.h",
        "constraints.txt",
        "src/flintmq/qmgr/get.py",
    } <= files


def test_without_compiled_modules_nothing_is_released(tmp_path: Path) -> None:
    with pytest.raises(release.ReleaseFailed, match="not compiled"):
        release.wheels(tmp_path, build.SOURCE)
    assert list(tmp_path.iterdir()) == []


def test_a_wheel_of_plain_python_does_not_pass_for_a_compiled_one(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    release.copy_tree(tree)
    wheel = release.build_wheel(tree, tmp_path, build.SOURCE)
    assert wheel.name == f"flintmq-{flintmq.__version__}-py3-none-any.whl"
    with pytest.raises(release.ReleaseFailed, match="plain Python"):
        release.try_out(wheel, tmp_path / "empty")


def test_a_directory_without_compiled_modules_is_refused(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    release.copy_tree(tree)
    with pytest.raises(release.ReleaseFailed, match="has no compiled modules"):
        release.build_wheel(tree, tmp_path, tmp_path / "nothing")


def test_progress_of_a_build_is_shown_at_the_terminal_though_pip_captures_it() -> None:
    """Issue 14, item 29: `pip install .` was silent for minutes. pip captures both outputs of a build."""
    program = (
        "from tools.progress import Progress, show; Progress.SECONDS = 0.0; show('begins'); Progress(2).one_more()"
    )
    captured = 'exec "$0" -c "$1" >/dev/null 2>&1'
    _, shown = at_a_terminal(["sh", "-c", captured, sys.executable, program], ROOT, os.environ)
    assert "flintmq: begins" in shown and "flintmq: 1 of 2 files are compiled" in shown


def test_progress_without_a_terminal_goes_to_standard_error_only() -> None:
    program = "from tools.progress import show; show('begins')"
    end = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, start_new_session=True
    )
    assert (end.returncode, end.stdout, end.stderr) == (0, "", "flintmq: begins\n")
