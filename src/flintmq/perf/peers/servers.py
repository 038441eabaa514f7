"""Brokers of this machine, each started on a free port of 127.0.0.1 with its files in a directory of the run.

A starter gives a running server, or a line that says why there is none. Nothing outlives `end`: a server is ended with
all that it has started, by their ids. If the run is killed, the guard of its directory ends them (guard.py).

Other users of the machine reach 127.0.0.1 as well. PostgreSQL and Redis can be told to run programs or to write files,
so PostgreSQL has a password, in a file of this user that PGPASSFILE names, and Redis cannot be configured by clients.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from flintmq.host.private import opener
from flintmq.perf.stage import free_port, is_alive

_START_S = 90.0
_END_S = 20.0


class NotHere(Exception):
    """A broker cannot be started. The text is one line with the reason."""


@dataclass
class Server:
    """A broker that runs."""

    name: str
    version: str
    address: str
    process: subprocess.Popen[bytes]
    directory: Path
    after: list[Callable[[], None]] = field(default_factory=list)

    def pids(self) -> list[int]:
        """Return its processes: the one that was started and all that it has started since, and so on."""
        parents: dict[int, int] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError, IndexError, ValueError):
                    parents[int(entry.name)] = int((entry / "stat").read_bytes().rpartition(b") ")[2].split()[1])
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def end(self) -> None:
        """End it with all that it has started."""
        pids = self.pids()
        with suppress(OSError):
            self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_S)
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_S)
        # Descendants are not ours to wait for: a killed process is there for a moment.
        until = time.monotonic() + _END_S
        while any(is_alive(pid) for pid in pids) and time.monotonic() < until:
            time.sleep(0.02)
        for each in self.after:
            each()


def _started(
    name: str,
    command: list[str],
    port: int,
    directory: Path,
    version: str,
    environment: Mapping[str, str] | None = None,
    user: str = "",
) -> Server:
    """Start a program in a session of its own and wait until it listens."""
    log = (directory / f"{name}.log").open("wb")
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**os.environ, **(environment or {}), "FLINT_PERF_DIRECTORY": str(directory.parent)},
        cwd=directory,
        start_new_session=True,
        user=user or None,
    )
    server = Server(name, version, f"127.0.0.1:{port}", process, directory)
    until = time.monotonic() + _START_S
    try:
        while time.monotonic() < until and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return server
            time.sleep(0.1)
    except BaseException:
        server.end()  # Nobody else knows it yet.
        raise
    server.end()
    last = (directory / f"{name}.log").read_bytes().decode(errors="replace").strip().splitlines()[-1:]
    raise NotHere(f"{name} does not start: {' '.join(last)[:200] or 'it has said nothing'}")


def _said(*command: str) -> str:
    """Return the first line that a command prints."""
    with suppress(OSError, subprocess.TimeoutExpired):
        ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
        lines = (ended.stdout or ended.stderr).strip().splitlines()
        return lines[0] if lines else ""
    return ""


def _program(name: str, *places: str) -> str:
    found = shutil.which(name) or next((each for each in places if Path(each).exists()), None)
    if found is None:
        raise NotHere(f"{name} is not installed")
    return str(found)


def nats(directory: Path) -> Server:
    """Start nats-server with JetStream on files."""
    program, port = _program("nats-server"), free_port()
    command = [program, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", str(directory / "jetstream")]
    return _started("nats", command, port, directory, _said(program, "--version"))


def rabbitmq(directory: Path) -> Server:
    """Start one node of RabbitMQ, with a name server of its own."""
    program, port = _program("/usr/lib/rabbitmq/bin/rabbitmq-server"), free_port()
    names = free_port()
    environment = {
        "HOME": str(directory),
        "RABBITMQ_NODENAME": f"perf{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(directory),
        "RABBITMQ_LOG_BASE": str(directory),
        "RABBITMQ_PID_FILE": str(directory / "pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(directory / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(names),
    }
    # Not by rabbitmqctl: it would start a name server that listens on all addresses and stays.
    homes = sorted(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*"))
    version = homes[-1].name.partition("-")[2] if homes else ""
    server = _started("rabbitmq", [program], port, directory, f"RabbitMQ {version}".strip(), environment)

    def end_names() -> None:
        with suppress(OSError, subprocess.TimeoutExpired):
            command = ["epmd", "-port", str(names), "-kill"]
            subprocess.run(command, env={**os.environ, **environment}, capture_output=True, timeout=20)

    server.after.append(end_names)
    return server


def redis(directory: Path) -> Server:
    """Start Redis with an append-only file that is synced for every write."""
    program, port = _program("redis-server"), free_port()
    command = [program, "--bind", "127.0.0.1", "--port", str(port), "--dir", str(directory), "--save", ""]
    command += ["--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no"]
    for each in ("CONFIG", "MODULE", "DEBUG", "REPLICAOF", "SLAVEOF", "EVAL", "EVALSHA", "MIGRATE"):
        command += ["--rename-command", each, ""]
    return _started("redis", command, port, directory, _said(program, "--version"))


def postgres(directory: Path) -> Server:
    """Start PostgreSQL with fsync, as user postgres where the caller is root, whom it refuses."""
    places = [str(each) for each in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    initdb = _program("initdb", *(f"{each}/initdb" for each in places))
    program = str(Path(initdb).with_name("postgres"))
    try:
        import psycopg  # noqa: F401

        from flintmq.perf.peers.postgres import prepare
    except ImportError as error:
        raise NotHere(f"postgres needs the package {error.name} of the broker extra") from None
    data, port, user = directory / "data", free_port(), ""
    if os.geteuid() == 0:
        user = "postgres"
        try:
            account = pwd.getpwnam(user)
        except KeyError:
            raise NotHere("postgres does not run as root, and there is no user postgres") from None
        os.chown(directory, account.pw_uid, account.pw_gid)
        # The directory of the run is this user's own; that above it is everybody's and stays as it is.
        directory.parent.chmod(0o711)
    password = secrets.token_urlsafe(24)
    # initdb reads it as the user that it runs as.
    given = directory / "password"
    with open(given, "w", opener=opener) as file:
        file.write(password)
    if user:
        os.chown(given, account.pw_uid, account.pw_gid)
    known = directory.parent / "pgpass"
    with open(known, "w", opener=opener) as file:
        file.write(f"127.0.0.1:{port}:*:perf:{password}\n")
    before = os.environ.get("PGPASSFILE")
    os.environ["PGPASSFILE"] = str(known)  # For this process and its drivers.

    def forget() -> None:
        os.environ.pop("PGPASSFILE", None)
        if before is not None:
            os.environ["PGPASSFILE"] = before

    made = subprocess.run(
        [initdb, "-D", str(data), "-U", "perf", "-A", "scram-sha-256", f"--pwfile={given}", "--no-sync"]
        + ["-E", "UTF8", "--locale=C"],
        capture_output=True,
        text=True,
        user=user or None,
        cwd=directory,
    )
    if made.returncode:
        raise NotHere(f"postgres cannot make a cluster: {made.stderr.strip()[-200:]}")
    command = [program, "-D", str(data), "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
    command += ["-c", "unix_socket_directories=", "-c", "max_connections=300", "-c", "fsync=on"]
    server = _started("postgres", command, port, directory, _said(program, "--version"), user=user)
    server.after.append(forget)
    until = time.monotonic() + _START_S
    while True:
        try:
            prepare(server.address)
            return server
        except BaseException as error:
            if not isinstance(error, psycopg.OperationalError):
                server.end()
                raise
            # It listens before it takes connections.
            if time.monotonic() > until:
                server.end()
                raise NotHere("postgres takes no connections") from None
            time.sleep(0.2)


_BROKER_JAVA = """
import org.apache.activemq.broker.*;
public class PerfBroker {
    public static void main(String[] words) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setBrokerName("perf");
        broker.setUseJmx(false);
        broker.setDataDirectory(words[1]);
        broker.setPersistent(true);
        broker.addConnector("stomp+nio://127.0.0.1:" + words[0]);
        broker.start();
        broker.waitUntilStopped();
    }
}
"""
#: A jar with the whole broker, as Debian's package or a copy by Maven has it.
_JARS = ("/usr/share/activemq/activemq-all.jar", "/usr/share/java/activemq-all.jar")


def activemq(directory: Path) -> Server:
    """Start ActiveMQ with its file store, from the jars that FLINT_ACTIVEMQ or Debian's package has."""
    java = _program("java")
    named = os.environ.get("FLINT_ACTIVEMQ", "")
    jars = sorted(str(each) for each in Path(named).glob("*.jar")) if named else []
    jars = jars or [each for each in _JARS if Path(each).exists()]
    if not jars:
        raise NotHere("activemq is not installed; FLINT_ACTIVEMQ names a directory with its jars (Maven copies them)")
    source, port = directory / "PerfBroker.java", free_port()
    source.write_text(_BROKER_JAVA)
    command = [java, "-Xmx512m", "-cp", ":".join(jars), str(source), str(port), str(directory / "data")]
    version = next((Path(each).stem for each in jars if "activemq-broker" in each or "activemq-all" in each), "")
    return _started("activemq", command, port, directory, version or "ActiveMQ")


STARTERS: dict[str, Callable[[Path], Server]] = {
    "rabbitmq": rabbitmq,
    "nats": nats,
    "redis": redis,
    "postgres": postgres,
    "activemq": activemq,
}
