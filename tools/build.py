"""Finds or makes the compiled package for the sources as they are now, and prints the directory to import it from.

    build/compiled/KEY/           one build; KEY is a hash of the hot rooms and of the recipe, so a change of either
        flintmq__mypyc.*.so       asks for another directory and a stale library can never be imported
        flintmq/
            cli -> src            a room without hot modules is a link to the source, always fresh
            qmgr/engine.py -> src
            qmgr/engine.*.so      preferred by Python to the .py beside it
    build/compiled/KEY.failed     this could not be compiled; the text says why
    build/compiled/lock           held while building; the lock of a dead process is free
    build/mypyc/                  C sources and objects, kept so that the next build compiles only what changed
    build/compile.log             what the last build printed

A build is made aside and moved into place in one step: two launchers never see half of one, and a running process
keeps the files it has. With FLINT_COMPILE=0 the directory is `src`. Prints nothing else on standard output.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import hot  # noqa: E402

SOURCE = hot.ROOT / "src"
BUILDS = hot.ROOT / "build" / "compiled"
WORK = hot.ROOT / "build" / "mypyc"
LOG = hot.ROOT / "build" / "compile.log"

#: Builds kept, so that switching between two branches does not compile each time.
KEEP = 4
#: A build that is no older than this may be running; it is kept whatever its number.
KEEP_SECONDS = 24 * 3600

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


def directory_to_import_from() -> Path:
    wish = os.environ.get("FLINT_COMPILE", "")
    if wish == "0" or not hot.hot_modules():
        return SOURCE
    key = key_of_sources()
    if (BUILDS / key).is_dir():
        return BUILDS / key
    if failed(key).exists() and wish != "1":
        return SOURCE
    BUILDS.mkdir(parents=True, exist_ok=True)
    with open(BUILDS / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another flint is compiling; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        return find_or_make(forced=wish == "1")


def find_or_make(forced: bool) -> Path:
    """What is there by now, or a new build. The caller holds the lock."""
    while True:
        key = key_of_sources()
        target = BUILDS / key
        if target.is_dir():
            return target
        try:
            libraries = compile_hot_modules()
        except BuildFailed as error:
            failed(key).write_text(str(error))
            if forced:
                raise
            say(f"{error}; using plain Python, which is slower. FLINT_COMPILE=1 ./flint version tries again")
            return SOURCE
        if key_of_sources() == key:
            assemble(target, libraries)
            failed(key).unlink(missing_ok=True)
            forget_old_builds(target)
            return target
        say("a source changed meanwhile; once more")


def failed(key: str) -> Path:
    return BUILDS / f"{key}.failed"


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


def compile_hot_modules() -> list[Path]:
    """Run `setup.py build_ext`; the libraries of the modules that are hot now."""
    started = time.monotonic()
    say(f"compiling {len(hot.hot_modules())} hot modules (once per change; FLINT_COMPILE=0 does without)")
    WORK.mkdir(parents=True, exist_ok=True)
    forget_other_recipe(WORK, recipe())
    environment = dict(os.environ, FLINT_COMPILE="1", FLINT_FLOORS="1", FLINT_WORK=str(WORK.relative_to(hot.ROOT)))
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "setup.py", "--quiet", "build_ext"]
    command += ["--build-lib", str(WORK / "lib"), "--build-temp", str(WORK / "objects")]
    with open(LOG, "w") as log:
        code = subprocess.run(command, cwd=hot.ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT).returncode
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


def main() -> int:
    try:
        print(directory_to_import_from())
    except BuildFailed as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
