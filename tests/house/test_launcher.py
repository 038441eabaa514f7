"""`./flint` in a working copy: it runs at once on plain Python, compiles in the background and uses that from then on.

The working copies here are real ones, but for `setup.py`: it compiles when the test says so, and takes no time. The
real one is run by every run of the suite, which tests what it made.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import at_a_terminal
from tests.waiting import until
from tools import build, environment, hot

ROOT = Path(__file__).resolve().parents[2]
#: The one hot module, which nothing imports.
HOT = "src/flintmq/mqi/unused.py"
#: Lower than the tests, but not so low that it waits for all of them.
NICE = min(build.NICE, os.getpriority(os.PRIO_PROCESS, 0) + 1)
#: Says that it runs, and how; then waits until it may make the libraries.
SETUP = """
import os, sysconfig, time
from pathlib import Path

here = Path(__file__).parent
with open(here / "rounds", "a") as rounds:
    print(os.getpid(), os.getsid(0), os.getpriority(os.PRIO_PROCESS, 0), file=rounds)
while not (here / "go").exists():
    time.sleep(0.01)
for name in ("flintmq__mypyc", "flintmq/mqi/unused"):
    path = here / "build" / "mypyc" / "lib" / (name + sysconfig.get_config_var("EXT_SUFFIX"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
"""

can_compile = pytest.mark.skipif(bool(hot.missing_to_compile()), reason=hot.missing_to_compile())


class WorkingCopy:
    """A copy of this working copy in which one module is hot, with the Python environment of this one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.builds = root / "build" / "compiled"

    def environment(self, wish: str = "") -> dict[str, str]:
        ours = ("PYTHONPATH", "FLINT_COMPILE", "FLINT_HOME", "FLINT_PYTHON")
        variables = {name: value for name, value in os.environ.items() if name not in ours}
        return variables | ({"FLINT_COMPILE": wish} if wish else {})

    def flint(self, *words: str, wish: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.root / "flint"), *words]
        return subprocess.run(command, env=self.environment(wish) | more, capture_output=True, text=True)

    def build_type(self) -> str:
        end = self.flint("version")
        assert end.returncode == 0
        found = re.search(r"BuildType: +(.*)", end.stdout)
        assert found is not None
        return found[1]

    def rounds(self) -> list[list[int]]:
        """Process, session and nice value of each time that it was compiled."""
        path = self.root / "rounds"
        return [[int(word) for word in line.split()] for line in path.read_text().splitlines()] if path.exists() else []

    def log(self) -> str:
        path = self.root / "build" / "compile.log"
        return path.read_text() if path.exists() else ""

    def compiling(self) -> bool:
        """Whether somebody holds the lock of the builds."""
        with open(self.builds / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def key(self) -> str:
        """What the build of the sources as they are now is called."""
        program = "import sys; sys.path.insert(0, '.'); from tools import build; print(build.key_of_sources())"
        command = [str(self.root / ".venv" / "bin" / "python"), "-c", program]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[WorkingCopy]:
    root = tmp_path / "copy"
    ignore = shutil.ignore_patterns("__pycache__", "*.so")
    for name in ("src", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=ignore)
    for name in ("flint", "pyproject.toml", "constraints.txt"):
        shutil.copy2(ROOT / name, root / name)
    (root / "setup.py").write_text(SETUP)
    builder = root / "tools" / "build.py"
    builder.write_text(builder.read_text().replace(f"\nNICE = {build.NICE}\n", f"\nNICE = {NICE}\n"))
    (root / HOT).write_text('"""Hot."""\n')
    listed = root / "tools" / "hot.py"
    text = re.sub(r"^HOT = \(.*?^\)", f"HOT = ({HOT.removeprefix('src/')!r},)", listed.read_text(), flags=re.M | re.S)
    listed.write_text(re.sub(r"^FLOORS = \(.*?^\)", "FLOORS = ()", text, flags=re.M | re.S))
    venv = root / ".venv"
    venv.mkdir()
    shutil.copy2(Path(sys.prefix) / "pyvenv.cfg", venv)
    for name in ("bin", "lib"):
        (venv / name).symlink_to(Path(sys.prefix) / name)
    for stage in environment.STAGES:
        (venv / environment.stamp(stage).name).write_bytes(environment.wanted())
    made = WorkingCopy(root)
    yield made
    (root / "go").touch()
    if made.builds.exists():
        until(lambda: not made.compiling(), "nothing is compiled any more")


in_an_environment = pytest.mark.skipif(
    not (Path(sys.prefix) / "pyvenv.cfg").exists(), reason="the tests do not run in the launcher's environment"
)


@can_compile
@in_an_environment
def test_the_first_call_runs_on_plain_python_and_the_next_after_the_build_compiled(copy: WorkingCopy) -> None:
    """Issue 14, the first five minutes. The terminal of the first call is closed; then a source changes."""
    pid, said = at_a_terminal([str(copy.root / "flint"), "version"], copy.root, copy.environment())
    assert "compiled in the background" in said and "plain Python\r\n" in said

    until(lambda: copy.rounds() and copy.rounds()[0][2:], "the build is under way")
    ((process, session, nice),) = copy.rounds()
    assert session not in (os.getsid(0), pid), "it has a session of its own"
    assert nice == NICE and build.NICE == 19, "it has a lower priority; outside of tests the lowest"
    second = copy.flint("version")
    assert (second.returncode, second.stderr) == (0, ""), "a call while it compiles is not held up"
    first = copy.key()
    with open(copy.root / HOT, "a") as source:
        source.write("\n# Changed.\n")
    assert copy.key() != first
    (copy.root / "go").touch()

    until(lambda: not copy.compiling(), "the build is done")
    assert len(copy.rounds()) == 2, "nobody else has compiled, and it was done again after the change"
    assert [path.name for path in copy.builds.iterdir() if path.is_dir()] == [copy.key()]
    assert copy.build_type() == "compiled"
    assert copy.flint("version").stderr == ""


@in_an_environment
def test_who_waits_while_another_compiles_gets_its_build(copy: WorkingCopy) -> None:
    """FLINT_COMPILE=1 waits, `test`, `bench` and `release` wait, FLINT_COMPILE=0 does not even look."""
    copy.builds.mkdir(parents=True)
    with open(copy.builds / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert copy.flint("version", wish="0").stderr == ""
        assert copy.flint("version").stderr == ""
        for words, wish in ((["version"], "1"), (["bench", "--list"], "")):
            command = [str(copy.root / "flint"), *words]
            waiting = subprocess.Popen(
                command, env=copy.environment(wish), stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            assert waiting.stderr is not None
            assert waiting.stderr.readline() == "flint: another flint is compiling; waiting for it\n"
            os.killpg(waiting.pid, signal.SIGTERM)
            waiting.communicate()


@can_compile
@in_an_environment
def test_a_failure_in_the_background_is_told_by_the_next_call_once(copy: WorkingCopy) -> None:
    (copy.root / "setup.py").write_text("raise SystemExit('error: this cannot be compiled')\n")
    assert "in the background" in copy.flint("version").stderr
    until(lambda: bool(list(copy.builds.glob("*.failed"))), "the build has failed")
    until(lambda: not copy.compiling(), "the process has ended")
    told = copy.flint("version")
    assert "error: this cannot be compiled" in told.stderr and told.stderr.count("\n") == 1 and told.returncode == 0
    assert copy.flint("version").stderr == ""
    forced = copy.flint("version", wish="1")
    assert forced.returncode == 1 and "error: this cannot be compiled" in forced.stderr


@in_an_environment
def test_without_a_compiler_nothing_is_started_and_the_reason_is_told_once(copy: WorkingCopy) -> None:
    programs = copy.root / "programs"
    programs.mkdir()
    for name in ("cat", "cmp", "dirname", "readlink", "sh"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    first = copy.flint("version", PATH=str(programs), CC="no-such-compiler")
    assert first.returncode == 0 and "there is no C compiler; using plain Python" in first.stderr
    assert copy.flint("version", PATH=str(programs), CC="no-such-compiler").stderr == ""
    assert copy.log() == ""


def test_a_process_in_the_background_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that keep changing are compiled ROUNDS times, not for ever."""
    monkeypatch.setattr(build, "BUILDS", tmp_path)
    keys = iter(range(1000))
    monkeypatch.setattr(build, "key_of_sources", lambda: f"key{next(keys)}")
    compiled: list[float | None] = []

    def compile_nothing(end: float | None) -> list[Path]:
        compiled.append(end)
        return []

    monkeypatch.setattr(build, "compile_hot_modules", compile_nothing)
    assert build.find_or_make(forced=False, end=1.0, rounds=build.ROUNDS) == build.SOURCE
    assert compiled == [1.0] * build.ROUNDS


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 3.9.2; exit 1", "which is Python 3.9.2; FlintMQ needs 3.11 or later."),
        ("exit 127", "which is not there or does not run."),
        (None, "which is not there or does not run."),
    ],
)
def test_a_flint_python_that_cannot_be_used_is_an_error_that_names_it(
    tmp_path: Path, script: str | None, said: str
) -> None:
    """Issue 14, item 27: previously another Python was chosen without a word."""
    for name in ("flint", "constraints.txt", "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path / name)
    named = tmp_path / "python3.9"
    if script is not None:
        named.write_text(f"#!/bin/sh\n{script}\n")
        named.chmod(0o755)
    variables = dict(os.environ, FLINT_PYTHON=str(named))
    end = subprocess.run([str(tmp_path / "flint"), "version"], env=variables, capture_output=True, text=True)
    assert (end.returncode, end.stderr) == (1, f"flint: FLINT_PYTHON is {named}, {said}\n")
    assert not (tmp_path / ".venv").exists()


def test_a_flint_python_is_looked_at_when_it_is_not_the_one_of_the_environment(tmp_path: Path) -> None:
    """An environment that is there already does not hide that FLINT_PYTHON names another Python."""
    for name in ("flint", "constraints.txt", "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / "tools").mkdir()
    shutil.copy2(ROOT / "tools" / "environment.py", tmp_path / "tools")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / ".venv" / "installed").write_bytes(environment.wanted())
    variables = dict(os.environ, FLINT_PYTHON="/no/such/python", FLINT_COMPILE="0")
    end = subprocess.run([str(tmp_path / "flint"), "version"], env=variables, capture_output=True, text=True)
    assert end.returncode == 1 and "FLINT_PYTHON is /no/such/python" in end.stderr
