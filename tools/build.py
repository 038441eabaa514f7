"""Find or make the compiled package for the sources as they are now, and print the directory to import it from.

    build/compiled/KEY/           one build; KEY is a hash of the hot rooms and of the recipe, so a change of either
        flintmq__mypyc.*.so       asks for another directory and a stale library can never be imported
        flintmq/
            cli -> src            a room without hot modules is a link to the source, always fresh
            qmgr/engine.py -> src
            qmgr/engine.*.so      preferred by Python to the .py beside it
    build/compiled/KEY.failed     this could not be compiled; the text says why. The next launcher prints it
    build/compiled/KEY.told       the same, after it was printed
    build/compiled/lock           held while building; the lock of a dead process is free
    build/mypyc/                  C sources and objects, kept so that the next build compiles only what changed
    build/compile.log             what the last build printed

Where there is no build yet, the directory is `src`, plain Python, and a process compiles in the background (decision
14). It has the lowest priority and a session of its own, so that it survives the terminal. There is at most one, which
holds the lock; it ends after ROUNDS builds or BACKGROUND_SECONDS_MAX. The next launcher after it uses the build.

    --wait            compile now, and wait for it; plain Python if that fails
    --background      be that process
    FLINT_COMPILE     1: compile now, wait, and fail if it fails; 0: the directory is `src`

A build is made aside and moved into place in one step: two launchers never see half of one, and a running process
keeps the files it has. Prints nothing else on standard output.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import environment, hot  # noqa: E402

SOURCE = hot.ROOT / "src"
BUILDS = hot.ROOT / "build" / "compiled"
WORK = hot.ROOT / "build" / "mypyc"
LOG = hot.ROOT / "build" / "compile.log"

#: Builds kept, so that switching between two branches does not compile each time.
KEEP = 4
#: A build that is no older than this may be running; it is kept whatever its number.
KEEP_SECONDS = 24 * 3600

#: A process in the background compiles at most this often: a developer who saves a file every minute starts the next.
ROUNDS = 3
#: A build takes two to three minutes of two cores. A process that is not done by then never will be.
BACKGROUND_SECONDS_MAX = 3600
NICE = 19

RECIPE = ("setup.py", "tools/cold.h", "tools/hot.py", "tools/build.py", "constraints.txt")


class BuildFailed(Exception):
    """The hot modules could not be compiled."""


def key_of_sources(root: Path = hot.ROOT) -> str:
    """A hash of everything that a compiled module is made from."""
    state = hashlib.sha256(f"{sys.version} {sysconfig.get_platform()}".encode())
    package = root / "src" / "flintmq"
    paths = [root / name for name in RECIPE]
    for room in hot.hot_rooms():
        paths += sorted((package / room).rglob("*.py"))
    paths += [root / name for name in hot.floors(root)]
    for path in paths:
        data = path.read_bytes()
        state.update(f"\n{path.relative_to(root).as_posix()} {len(data)}\n".encode())
        state.update(data)
    # Links to cold rooms and to the files beside them are made once: a new name asks for a new build.
    state.update("\n".join(sorted(name for name in os.listdir(package) if name != "__pycache__")).encode())
    return state.hexdigest()[:20]


def directory_to_import_from(wait: bool = False) -> Path:
    wish = os.environ.get("FLINT_COMPILE", "")
    if wish == "0" or not hot.hot_modules():
        return SOURCE
    key = key_of_sources()
    if (BUILDS / key).is_dir():
        return BUILDS / key
    if wish != "1" and has_failed(key):
        return SOURCE
    BUILDS.mkdir(parents=True, exist_ok=True)
    if wish != "1" and not wait:
        start_in_background(key)
        return SOURCE
    with open(BUILDS / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another flint is compiling; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        return find_or_make(forced=wish == "1")


def has_failed(key: str) -> bool:
    """Whether these sources did not compile. A failure that nobody was told is printed."""
    if failed(key).exists():
        tell_failure(key, failed(key).read_text())
    return told(key).exists()


def tell_failure(key: str, text: str) -> None:
    """Print why the hot modules stay plain Python, once for each state of the sources."""
    say(f"{text}; using plain Python, which is slower. FLINT_COMPILE=1 ./flint version tries again")
    failed(key).unlink(missing_ok=True)
    told(key).write_text(text)


def start_in_background(key: str) -> None:
    """Start the process that compiles, unless there is one. Its output goes to build/compile.log."""
    with open(BUILDS / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
    reason = hot.reason_not_to_compile()
    if reason:
        tell_failure(key, f"the hot modules are not compiled: {reason}")
        return
    # Append: each build truncates the file, and what this process prints goes behind the output of the compiler.
    with open(LOG, "ab") as log:
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).resolve()), "--background"],
            cwd=hot.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    say(
        "running on plain Python, which is slower, while the hot modules are compiled in the background at low "
        "priority; the next start uses them. FLINT_COMPILE=1 waits for them, FLINT_COMPILE=0 does without"
    )


def compile_in_background() -> int:
    """Make the build for the sources as they are, and once more if they change meanwhile. Never wait for another."""
    os.setpriority(os.PRIO_PROCESS, 0, NICE)
    with suppress(OSError):
        # Linux may share the processor fairly between sessions first, whatever the priorities in them: this one is new.
        Path("/proc/self/autogroup").write_text(str(NICE))
    with open(BUILDS / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 0
        end = time.monotonic() + BACKGROUND_SECONDS_MAX
        try:
            find_or_make(forced=False, end=end, rounds=ROUNDS)
        except subprocess.TimeoutExpired:
            failed(key_of_sources()).write_text(f"the hot modules did not compile within {BACKGROUND_SECONDS_MAX} s")
            # The compilers that setup.py has started are in this session, and in no other.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.killpg(0, signal.SIGTERM)
            return 1
    return 0


def find_or_make(forced: bool, end: float | None = None, rounds: int | None = None) -> Path:
    """Return what is there by now, or a new build. The caller holds the lock.

    With `end`, a time of time.monotonic(), nobody watches: a failure is left for the next launcher to print.
    """
    while True:
        key = key_of_sources()
        target = BUILDS / key
        if target.is_dir():
            return target
        try:
            libraries = compile_hot_modules(end)
        except BuildFailed as error:
            failed(key).write_text(str(error))
            if forced:
                raise
            if end is None:
                tell_failure(key, str(error))
            return SOURCE
        if key_of_sources() == key:
            assemble(target, libraries)
            for note in (failed(key), told(key)):
                note.unlink(missing_ok=True)
            forget_old_builds(target)
            return target
        if rounds is not None:
            rounds -= 1
            if rounds == 0:
                say("the sources keep changing; the next launcher starts again")
                return SOURCE
        say("a source changed meanwhile; once more")


def failed(key: str) -> Path:
    return BUILDS / f"{key}.failed"


def told(key: str) -> Path:
    return BUILDS / f"{key}.told"


def assemble(target: Path, libraries: list[Path]) -> None:
    """Put links and libraries together, aside; one rename makes them visible."""
    for leftover in BUILDS.glob("aside.*"):
        shutil.rmtree(leftover, ignore_errors=True)
    aside = BUILDS / f"aside.{os.getpid()}"
    link_package(SOURCE / "flintmq", aside / "flintmq", hot.hot_rooms())
    for library in libraries:
        place = aside / library.relative_to(WORK / "lib")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(library, place)
    aside.rename(target)


def forget_other_recipe(work: Path, recipe: str) -> None:
    """What was compiled in another way is not up to date, however new it is."""
    note = work / "recipe"
    if not note.exists() or note.read_text() != recipe:
        for name in ("objects", "lib"):
            shutil.rmtree(work / name, ignore_errors=True)
        note.write_text(recipe)


def recipe() -> str:
    """A hash of what says how modules are compiled."""
    state = hashlib.sha256(sys.version.encode())
    for name in RECIPE:
        state.update((hot.ROOT / name).read_bytes())
    return state.hexdigest()


def compile_hot_modules(end: float | None = None) -> list[Path]:
    """Run `setup.py build_ext` and return the libraries of the modules that are hot now.

    Raise BuildFailed, or subprocess.TimeoutExpired at `end`.
    """
    started = time.monotonic()
    reason = hot.reason_not_to_compile()
    if reason:
        raise BuildFailed(f"the hot modules are not compiled: {reason}")
    try:
        if not environment.is_installed("compile", environment.wanted()):
            environment.install("compile")
    except environment.InstallFailed as error:
        raise BuildFailed(f"what compiles the hot modules could not be installed: {error}") from None
    say(f"compiling {len(hot.hot_modules())} hot modules (once per change; FLINT_COMPILE=0 does without)")
    WORK.mkdir(parents=True, exist_ok=True)
    forget_other_recipe(WORK, recipe())
    variables = dict(os.environ, FLINT_COMPILE="1", FLINT_FLOORS="1", FLINT_WORK=str(WORK.relative_to(hot.ROOT)))
    variables.pop("PYTHONPATH", None)
    command = [sys.executable, "setup.py", "--quiet", "build_ext"]
    command += ["--build-lib", str(WORK / "lib"), "--build-temp", str(WORK / "objects")]
    LOG.write_bytes(b"")
    with open(LOG, "a") as log:
        code = subprocess.run(
            command,
            cwd=hot.ROOT,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=None if end is None else max(0.0, end - time.monotonic()),
        ).returncode
    if code != 0:
        lines = [line for line in LOG.read_text(errors="replace").splitlines() if line.strip()]
        first = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else f"exit code {code}")
        raise BuildFailed(f"the hot modules did not compile: {first} (all of it in {LOG.relative_to(hot.ROOT)})")
    say(f"compiled in {time.monotonic() - started:.0f} s")
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    names = [f"{hot.GROUP}__mypyc"]
    names += [name.removeprefix("src/").removesuffix(".py") for name in hot.hot_modules()]
    names += [name.removesuffix(".py") for name in hot.floors()]
    return [WORK / "lib" / (name + suffix) for name in names]


def link_package(source: Path, target: Path, hot_rooms: list[str]) -> None:
    """Mirror `source` by relative links: whole directories where nothing is compiled, file by file elsewhere."""
    target.mkdir(parents=True)
    for entry in sorted(source.iterdir()):
        if entry.name == "__pycache__":
            continue
        if entry.is_dir() and entry.name in hot_rooms:
            link_package(entry, target / entry.name, [child.name for child in entry.iterdir() if child.is_dir()])
        else:
            (target / entry.name).symlink_to(os.path.relpath(entry, target))


def forget_old_builds(current: Path) -> None:
    builds = [path for path in BUILDS.iterdir() if path.is_dir() and path != current]
    builds.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in builds[KEEP - 1 :]:
        if time.time() - path.stat().st_mtime > KEEP_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def say(text: str) -> None:
    print(f"flint: {text}", file=sys.stderr, flush=True)


def main(words: list[str]) -> int:
    try:
        if words == ["--background"]:
            return compile_in_background()
        print(directory_to_import_from(wait=words == ["--wait"]))
    except BuildFailed as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
