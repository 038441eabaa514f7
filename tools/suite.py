"""`./flint test`: the whole test-suite, or what the arguments pick from it.

    ./flint test                        ruff, mypy, all tests compiled, the hot rooms' tests once more on plain Python
    ./flint test --changed [REVISION]   the checks, and the tests that concern changed files (changed.py), plain Python
    ./flint test --simulate 20000       only the simulation, with that many seeds (also --kills N, --seed N)
    ./flint test --foreign DIR          only what is held against checkouts of others, which lie below DIR
    ./flint test tests/qmgr -k get      the arguments go to pytest, which runs on what the launcher chose
    FLINT_COMPILE=0 ./flint test        everything on plain Python, once
    CI=true ./flint test                the whole suite; what it compares with is installed first (judges.py)

Without arguments the hot modules are compiled while the sources are checked and programs are installed: the checks keep
one core busy, the compiler all others.

The last lines are the closing lines of the pytest runs. The exit code is that of the first step that failed; every
step runs all the same, so that one call shows all there is to mend.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import changed, hot, judges  # noqa: E402

ROOT = hot.ROOT
SOURCE = ROOT / "src"
#: Every process of a run keeps its bytecode here: most tests start processes, and a fresh clone has none yet.
BYTECODE = ROOT / "build" / "bytecode"
PYTEST = ["-m", "pytest", "-q", "--durations=25", "--durations-min=2"]
WORKERS = ["-n", str(min(os.cpu_count() or 1, 8)), "--dist", "worksteal"]
#: Tests of hot rooms whose subject is a process, a program or a file of cold modules: they run once, compiled.
PROCESS_TESTS = (
    "tests/broker/admin",
    "tests/broker/flow",
    "tests/broker/runtime",
    "tests/client/test_testing.py",
    "tests/client/remote/test_local.py",
    "tests/client/remote/test_remote_tls.py",
    "tests/host/test_autoconfig.py",
    "tests/host/test_instance.py",
    "tests/host/test_pkcs12.py",
    "tests/server/test_channels.py",
    "tests/server/test_full_disk.py",
    "tests/server/test_process.py",
    "tests/server/test_robust.py",
    "tests/server/test_services.py",
)
#: Plain Python runs examples that no run had before, and half as many: the fixed ones ran compiled.
NEW_EXAMPLES = ["--new-examples", "--examples=50"]
SIMULATION_OPTIONS = ("--simulate", "--new-seeds", "--first-new-seed", "--kills", "--seed")


class Step:
    """One command of the suite, its outcome and the last line it printed."""

    def __init__(self, name: str, arguments: list[str], package: Path | None = None, compile: str = "") -> None:
        self.name = name
        self.command = [sys.executable, "-P", *arguments]
        self.environment = dict(os.environ)
        # Without bytecode each process compiles what it imports, and pytest rewrites each test file in each worker.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.environment["PYTHONPYCACHEPREFIX"] = str(BYTECODE)
        if package is not None:
            self.environment["PYTHONPATH"] = os.pathsep.join([str(package), str(ROOT)])
            compile = "0" if package == SOURCE else "1"
        if compile:
            self.environment["FLINT_COMPILE"] = compile
        self.code = 0
        self.seconds = 0.0
        self.closing_line = ""

    def run(self) -> None:
        """Run it with its output shown as it comes; keep the last line."""
        print(f"\n--- {self.name}: {' '.join(self.command[2:])}", flush=True)
        started = time.monotonic()
        process = subprocess.Popen(
            self.command, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            self.closing_line = line.rstrip() or self.closing_line
        self.code = process.wait()
        self.seconds = time.monotonic() - started


def checks() -> list[Step]:
    """The steps that look at the sources only."""
    return [
        Step("ruff", ["-m", "ruff", "check", "."]),
        Step("ruff format", ["-m", "ruff", "format", "--check", "."]),
        Step("mypy", ["-m", "mypy"]),
    ]


def tests(package: Path) -> list[Step]:
    """The steps that run `package`: the compiled modules, or the source."""
    compiled = package != SOURCE
    steps = []
    if not compiled and os.environ.get("FLINT_COMPILE") != "0" and any(map(shutil.which, ("cc", "gcc", "clang"))):
        # The build fell back to plain Python, which is right for a user and wrong for the suite.
        steps.append(Step("compile", ["tools/build.py"], compile="1"))
    steps.append(Step("tests, compiled" if compiled else "tests, plain", [*PYTEST, *WORKERS], package))
    if compiled:
        rooms = [f"tests/{room}" for room in hot.hot_rooms() if any((ROOT / "tests" / room).glob("**/test_*.py"))]
        if rooms:
            ignored = [f"--ignore={path}" for path in PROCESS_TESTS]
            steps.append(Step("hot rooms, plain", [*PYTEST, *WORKERS, *NEW_EXAMPLES, *rooms, *ignored], SOURCE))
    return steps


def whole_suite() -> int:
    """Run everything; compile meanwhile."""
    command = [sys.executable, "-I", "-S", str(ROOT / "tools" / "build.py"), "--wait"]
    compiling = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        if os.environ.get("CI"):
            print(f"\n--- programs of others: {judges.install() or 'all here'}", flush=True)
        first = checks()
        for step in first:
            step.run()
        package = Path(compiling.communicate()[0].strip() or SOURCE)
    except BaseException:
        compiling.terminate()
        raise
    return run_all(tests(package), first)


def run_all(steps: list[Step], done: list[Step] | None = None) -> int:
    """Run the steps and summarise them, with those that are done already."""
    for step in steps:
        step.run()
    steps = [*(done or []), *steps]
    print("\n--- summary")
    for step in steps:
        outcome = "ok" if step.code == 0 else f"FAILED ({step.code})"
        print(f"{step.name:<18} {outcome:<12} {step.seconds:6.1f} s")
    for step in steps:
        if "pytest" in step.command:
            print(step.closing_line)
    return next((step.code for step in steps if step.code != 0), 0)


def run_changed(arguments: list[str]) -> int:
    """Check the sources, and run the tests that concern the files which differ from a revision."""
    if len(arguments) > 1:
        print("--changed takes at most one revision, such as HEAD~3 or main")
        return 2
    try:
        paths = changed.changed_files(*arguments)
    except changed.NoRevision as error:
        print(f"--changed compares with a revision of git: {error}")
        return 2
    files = changed.tests_of(paths)
    print(f"{len(paths)} changed files concern {len(files)} test files: {' '.join(files) or 'none'}")
    os.environ["FLINT_COMPILE"] = "0"
    steps = checks()
    if files:
        steps.append(Step("tests, plain", [*PYTEST, *WORKERS, *files], SOURCE))
    return run_all(steps)


def only_the_simulation(arguments: list[str]) -> bool:
    """Whether the arguments only say how much to simulate."""
    options = [argument.split("=")[0] for argument in arguments if not argument.isdigit()]
    return bool(options) and all(option in SIMULATION_OPTIONS for option in options)


def run_foreign(arguments: list[str], package: Path) -> int:
    """Run tests/foreign on the directory behind `--foreign`; other arguments go to pytest."""
    position = next(number for number, argument in enumerate(arguments) if argument.split("=")[0] == "--foreign")
    option, separator, directory = arguments[position].partition("=")
    rest = arguments[:position] + arguments[position + (1 if separator else 2) :]
    if not separator:
        directory = arguments[position + 1] if position + 1 < len(arguments) else ""
    if not Path(directory).is_dir() or not directory:
        print(f"{option} needs the directory that holds the checkouts; {directory or 'nothing'} is none")
        return 2
    os.environ["FLINT_FOREIGN"] = str(Path(directory).resolve())
    return run_all([Step("foreign", [*PYTEST, "tests/foreign", *rest], package)])


def main(arguments: list[str]) -> int:
    package = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    if not arguments:
        return whole_suite()
    if arguments[0] == "--changed":
        return run_changed(arguments[1:])
    if any(argument.split("=")[0] == "--foreign" for argument in arguments):
        return run_foreign(arguments, package)
    if only_the_simulation(arguments):
        return run_all([Step("simulation", [*PYTEST, *WORKERS, "tests/simulation", *arguments], package)])
    return subprocess.run([sys.executable, "-P", "-m", "pytest", *arguments], cwd=ROOT).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
