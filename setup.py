"""Builds FlintMQ: plain Python, and the hot modules (`tools/hot.py`) compiled by mypyc where that is possible.

    FLINT_COMPILE   not set   compile if a C compiler and Python's headers are here; if that fails, say so and go on
                    0         never compile
                    1         always compile; a failure is an error
    FLINT_WORK                where C sources go, relative to here (build/mypyc); kept between builds, so that only
                              what changed is compiled again
    FLINT_FLOORS    1         compile the floors of the benchmarks too (the launcher does)
    FLINT_BUILT               a directory with the compiled modules (build/compiled/KEY of the launcher): take them and
                              compile nothing. `./flint release wheels` does

All hot modules go into one shared library, so calls between them are calls of C functions.

Compiling takes minutes, which tools/progress.py shows.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tools import hot  # noqa: E402
from tools.progress import Progress, show  # noqa: E402

BUILT = os.environ.get("FLINT_BUILT", "")
FORCED = os.environ.get("FLINT_COMPILE") == "1"
#: pip asks for metadata and for file lists as well; nothing needs to be compiled for those.
COMMANDS_THAT_BUILD = {"build", "build_ext", "bdist_wheel", "install", "develop", "editable_wheel"}
WORK = os.environ.get("FLINT_WORK", "build/mypyc")
#: For the library of all modules: what is rare is moved out of the way, and only what Python asks for is exported.
DENSE = ["-include", str(ROOT / "tools" / "cold.h"), "-fvisibility=hidden", "-fno-semantic-interposition"]


def notice(text: str) -> None:
    print(f"flintmq: hot modules stay plain Python: {text}", file=sys.stderr)


def built_modules(directory: Path) -> dict[str, Path]:
    """Return the compiled modules of the package in `directory`, by name; the floors of the benchmarks are left out."""
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    libraries = [*directory.glob(f"{hot.GROUP}__mypyc{suffix}"), *(directory / "flintmq").rglob(f"*{suffix}")]
    names = [path.relative_to(directory).as_posix().removesuffix(suffix).replace("/", ".") for path in libraries]
    if not libraries:
        raise SystemExit(f"flintmq: FLINT_BUILT is {directory}, which has no compiled modules of this Python")
    return dict(zip(names, libraries, strict=True))


def extensions() -> list[Extension]:
    """What mypyc makes of the hot modules; nothing where they stay plain Python."""
    if not COMMANDS_THAT_BUILD & set(sys.argv):
        return []
    if BUILT:
        return [Extension(name, sources=[]) for name in sorted(built_modules(Path(BUILT)))]
    modules = hot.hot_modules(ROOT)
    if os.environ.get("FLINT_FLOORS") == "1":
        modules += hot.floors(ROOT)
    reason = hot.reason_not_to_compile()
    if FORCED and reason:
        raise SystemExit(f"flintmq: FLINT_COMPILE=1, but {reason}")
    if reason or not modules:
        notice(reason or "none are here yet")
        return []
    # The checks are the test-suite's business. Here types only steer the compiler, so that a build without the
    # dependencies at hand (pip builds in an empty environment) makes the same code.
    os.environ["MYPYPATH"] = os.pathsep.join(["src", "."])
    lenient = ["--config-file=", "--ignore-missing-imports", "--explicit-package-bases", "--namespace-packages"]
    # A cache of its own: the checks of the test-suite have other options, and each would throw the other's away.
    lenient.append(f"--cache-dir={WORK}/mypy_cache")
    show("types are checked, then C is generated")
    try:
        from mypyc.build import mypycify

        made: list[Extension] = mypycify(
            [*lenient, *modules], opt_level="3", debug_level="0", group_name=hot.GROUP, multi_file=True, target_dir=WORK
        )
    except (Exception, SystemExit) as error:
        if FORCED:
            raise
        notice(f"mypyc failed ({type(error).__name__}: {error}); its output is above")
        return []
    for extension in made:
        # A warning about generated code, from a compiler mypyc has not met yet, is no reason to stop.
        extension.extra_compile_args.append("-Wno-error")
    return made


class BuildHot(build_ext):  # type: ignore[misc]  # setuptools is untyped
    """Compiles on all cores, skips what is up to date, and falls back to plain Python unless forced."""

    extensions: list[Extension]

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = os.cpu_count() or 1

    def build_extensions(self) -> None:
        if BUILT:
            self._take_built()
            return
        # Some Pythons want their own directory searched for libraries. A module needs none of these, and a wheel must
        # not name a directory of the machine that built it.
        linker = self.compiler.linker_so
        self.compiler.linker_so = [word for word in linker if not word.startswith("-Wl,-rpath")]
        for extension in self.extensions:
            if extension.name == f"{hot.GROUP}__mypyc" and self._takes(extension, DENSE):
                extension.extra_compile_args = [*extension.extra_compile_args, *DENSE]
        self.compiler.compile = self._compile_changed
        try:
            super().build_extensions()
        except Exception as error:
            if FORCED:
                raise
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []
            notice(f"the C compiler failed ({error}); its output is above")

    def _take_built(self) -> None:
        """Copy compiled modules to where a build would have put them."""
        for name, library in built_modules(Path(BUILT)).items():
            target = Path(self.get_ext_fullpath(name))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(library, target)

    def _takes(self, extension: Extension, flags: list[str]) -> bool:
        """Whether the compiler takes these flags, with the headers that are here."""
        with tempfile.TemporaryDirectory() as place:
            source = Path(place) / "empty.c"
            source.write_text("int empty;\n")
            try:
                self.compiler.compile(
                    [str(source)], output_dir=place, include_dirs=extension.include_dirs, extra_postargs=flags
                )
            except Exception as error:  # Each compiler has its own.
                print(f"flintmq: compiled without {' '.join(flags)}: {error}", file=sys.stderr)
                return False
        return True

    def _compile_changed(
        self,
        sources: list[str],
        output_dir: str | None = None,
        macros: Any = None,
        include_dirs: list[str] | None = None,
        debug: bool = False,
        extra_preargs: list[str] | None = None,
        extra_postargs: list[str] | None = None,
        depends: list[str] | None = None,
    ) -> list[str]:
        """What `CCompiler.compile` does, but in parallel, and without the sources that are older than their object."""
        compiler: Any = self.compiler
        macros, objects, extra_postargs, pp_opts, build = compiler._setup_compile(
            output_dir, macros, include_dirs, sources, depends, extra_postargs
        )
        cc_args = compiler._get_cc_args(pp_opts, debug, extra_preargs)
        headers = [path.stat().st_mtime_ns for path in Path(WORK).glob("*.h")]

        def compile_one(name: str) -> None:
            source, extension = build[name]
            target = Path(name)
            newest = max([Path(source).stat().st_mtime_ns, *headers])
            if not target.exists() or target.stat().st_mtime_ns <= newest:
                compiler._compile(name, source, extension, cc_args, extra_postargs, pp_opts)
            if progress is not None:
                progress.one_more()

        names = [name for name in objects if name in build]
        # The many small libraries beside the large one are done in no time.
        progress = Progress(len(names)) if len(names) > 1 else None
        if progress is not None:
            show(f"{len(names)} C files are compiled, which takes two to five minutes; FLINT_COMPILE=0 does without")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_one, names))
        return list(objects)


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildHot})
