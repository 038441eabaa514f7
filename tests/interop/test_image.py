"""The image of `Containerfile`, built and run by buildah; clients on the host connect to its queue manager.

No registry of images can be expected, so the base image is made here: the Python that runs the tests, pip, a shell and
a few programs, with the libraries they need, copied from this machine. The wheel in it is the one of `./flint release
wheels` where the tests run compiled, and plain Python otherwise. Containers run by `chroot`, which needs root and no
more, and share the network of the host: the queue manager listens on its loopback address.

Where there is no buildah, or it may not do this, these tests are skipped and say why.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from tests.interop.test_java import Run, classes, scenarios
from tests.waiting import PATIENCE, until
from tools import environment, release

__all__ = ["classes"]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("sh", "cat", "chmod", "chown", "env", "head", "id", "ls", "mkdir", "rm", "sleep")
BASE = "localhost/flint-test-base"
IMAGE = "localhost/flint-test"
PACKAGES = ("crc32c", "cryptography", "lmdb", "lz4", "uvloop")
#: Parts of Python's library that nothing here needs, and those of other packages.
LEFT_OUT = (
    "__pycache__",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "lib2to3",
    "config-*",
    "site-packages",
    "dist-packages",
)
#: A queue that only the files of the configuration define.
SCRIPT = """
DEFINE QLOCAL(FROM.MQSC)
SET AUTHREC PROFILE(FROM.MQSC) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ)
"""


class Buildah:
    """buildah with all that it keeps in one directory."""

    def __init__(self, directory: Path) -> None:
        self._options = ["--root", str(directory / "storage"), "--runroot", str(directory / "run")]
        self.environment = dict(os.environ, BUILDAH_ISOLATION="chroot")

    def command(self, *words: str) -> list[str]:
        return ["buildah", *self._options, *words]

    def __call__(self, *words: str) -> str:
        end = subprocess.run(
            self.command(*words), env=self.environment, capture_output=True, text=True, timeout=10 * PATIENCE
        )
        assert end.returncode == 0, f"buildah {' '.join(words)}: {end.stderr[-2000:]}{end.stdout[-1000:]}"
        return end.stdout.strip()


def make_root(root: Path) -> None:
    """Copy this machine's Python, pip and a shell, and the libraries they need."""
    library = Path(sysconfig.get_path("stdlib", vars={"base": sys.base_prefix, "installed_base": sys.base_prefix}))
    copied = root / library.relative_to("/")
    # Marked as somebody else's, a distribution's Python lets pip install nothing.
    ignore = shutil.ignore_patterns(*LEFT_OUT, "EXTERNALLY-MANAGED")
    shutil.copytree(library, copied, ignore=ignore, symlinks=True)
    pip = subprocess.run([*environment.pip(), "--version"], capture_output=True, text=True, check=True).stdout
    shutil.copytree(pip.split(" from ")[1].split(" (")[0], copied / "pip", ignore=shutil.ignore_patterns("__pycache__"))
    python = Path(os.path.realpath(sys.executable))
    programs = [python, *(Path(os.path.realpath(str(shutil.which(name)))) for name in PROGRAMS)]
    for program in programs:
        copy_file(program, root)
    for name, program in zip(("python3", *PROGRAMS), programs, strict=True):
        link = root / "usr" / "local" / "bin" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(program)
    (root / "bin").mkdir(exist_ok=True)
    if not (root / "bin" / "sh").exists():
        (root / "bin" / "sh").symlink_to("/usr/local/bin/sh")
    # What the packages need besides is on every system that has Python; here it is found by asking them.
    site = Path(sysconfig.get_path("platlib"))
    packages = [path for name in PACKAGES for path in site.glob(f"{name}*/**/*.so")]
    for needed in libraries([*programs, *copied.rglob("*.so"), *packages, *site.glob("*.so")]):
        copy_file(needed, root)
    for name in ("tmp", "etc", "proc", "sys", "dev"):
        (root / name).mkdir(exist_ok=True)
    (root / "tmp").chmod(0o1777)
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")


def copy_file(path: Path, root: Path) -> None:
    target = root / path.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)


def libraries(files: list[Path]) -> set[Path]:
    """The shared libraries that the files need, under the names by which they are looked for."""
    said = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True).stdout
    words = [word for line in said.splitlines() for word in line.split() if not line.endswith(":")]
    return {Path(word) for word in words if word.startswith("/")}


def make_context(context: Path) -> None:
    """What `podman build .` is given, with the wheel and those that it needs in dist/: there is no network inside."""
    release.copy_tree(context)
    shutil.copy2(ROOT / "Containerfile", context)
    dist = context / "dist"
    dist.mkdir()
    wheel = release.build_wheel(context, dist, Path(flintmq.__file__).absolute().parents[1])
    command = [*environment.pip(), "download", "--quiet", "--only-binary", ":all:", "--dest", str(dist)]
    command += ["--constraint", str(environment.PINS), f"{wheel}[tls]"]
    end = subprocess.run(command, capture_output=True, text=True)
    assert end.returncode == 0, end.stderr


class Container:
    """A running container of the image."""

    def __init__(self, buildah: Buildah, directory: Path) -> None:
        self.buildah = buildah
        self.port = free_port()
        self.output = directory / "output"
        configuration = directory / "mqm"
        configuration.mkdir()
        (configuration / "queues.mqsc").write_text(SCRIPT)
        self.name = buildah("from", "--pull-never", IMAGE)
        buildah("copy", self.name, str(configuration), "/etc/mqm")
        settings = {
            "LICENSE": "accept",
            "MQ_QMGR_NAME": "QM1",
            "MQ_APP_PASSWORD": "passw0rd",
            "MQ_ADMIN_PASSWORD": "passw0rd",
            "FLINTMQ_LISTEN": f"127.0.0.1({self.port})",
        }
        words = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
        entry = ["python3", "-m", "flintmq.cli", "container"]
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(
                buildah.command("run", *words, self.name, "--", *entry),
                env=buildah.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def says(self, *words: str) -> bool:
        """Whether a command in the container ends with 0."""
        command = self.buildah.command("run", "--env", "MQ_QMGR_NAME=QM1", self.name, "--", *words)
        return subprocess.run(command, env=self.buildah.environment, capture_output=True).returncode == 0

    def main_process(self) -> int:
        """The process id of the container's main process: without a PID namespace the host sees it."""
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                variables = (entry / "environ").read_bytes()
            except OSError:
                continue
            if words[1:5] == [b"-m", b"flintmq.cli", b"container", b""] and f"({self.port})".encode() in variables:
                return int(entry.name)
        return 0


@pytest.fixture(scope="module")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    if shutil.which("buildah") is None:
        pytest.skip("buildah is not installed: the image cannot be built")
    if os.geteuid() != 0 or shutil.which("ldd") is None:
        pytest.skip("a base image is made by root, with ldd: the image cannot be built")
    directory = tmp_path_factory.mktemp("image")
    buildah = Buildah(directory)
    try:
        scratch = buildah("from", "scratch")
    except AssertionError as error:
        pytest.skip(f"buildah cannot be used here: {error}")
    make_root(directory / "root")
    buildah("add", "--quiet", scratch, str(directory / "root"), "/")
    settings = ["PATH=/usr/local/bin", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/src/dist", "PIP_ROOT_USER_ACTION=ignore"]
    buildah("config", *[word for each in settings for word in ("--env", each)], scratch)
    buildah("commit", "--quiet", "--rm", scratch, BASE)
    context = directory / "context"
    make_context(context)
    words = ["--pull-never", "--build-arg", f"BASE={BASE}", "--tag", IMAGE, "--file", str(context / "Containerfile")]
    buildah("build", "--quiet", "--format", "docker", *words, str(context))
    running = Container(buildah, directory)
    try:
        until(lambda: running.says("chkmqready") or running.process.poll() is not None, "the container is ready")
        assert running.process.poll() is None, running.output.read_text()
        yield running
        os.kill(running.main_process(), signal.SIGTERM)
        assert running.process.wait(PATIENCE) == 0, running.output.read_text()
        assert "AMQ8004I" in running.output.read_text()
    finally:
        running.process.kill()
        running.process.wait()
        subprocess.run(buildah.command("rm", "--all"), env=buildah.environment, capture_output=True)
        subprocess.run(buildah.command("rmi", "--all", "--force"), env=buildah.environment, capture_output=True)


def test_our_client_connects_to_the_queue_manager_of_the_container(container: Container) -> None:
    """Issue 14, wheels and container. The wheel in the image is compiled where these tests are."""
    where = f"127.0.0.1({container.port})"
    with flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn=where, user="app", password="passw0rd") as qm:
        queue = qm.queue("FROM.MQSC")
        queue.put(b"hello")
        assert queue.get(wait=PATIENCE).data == b"hello"
    with pytest.raises(flintmq.NotAuthorized):
        flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn=where, user="app", password="wrong")
    assert container.says("chkmqstarted") and container.says("chkmqhealthy")
    how = "compiled" if flintmq.compiled() else "plain Python"
    assert f"The queue manager has started ({how})." in container.output.read_text()
    assert os.stat(f"/proc/{container.main_process()}").st_uid == 1001


def test_a_jms_client_connects_to_the_queue_manager_of_the_container(container: Container, classes: str) -> None:
    scenario = scenarios("Jms")[0]
    Run("Jms", classes, container.port, only=scenario).check(scenario)
