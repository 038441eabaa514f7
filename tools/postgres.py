"""A PostgreSQL cluster of its own for tests and tools: in a temporary directory, on a free port of the loopback.

    with Cluster() as cluster:
        cluster.create_database("shop")
        cluster.url("shop")

It runs with fsync and with prepared transactions, as user `postgres` if the caller is root (PostgreSQL refuses root).
`kill` ends every process of the cluster with SIGKILL, as a power failure would; `start` recovers it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from benchmarks.server.ports import free_port
from tools.programs import of_postgresql as programs

__all__ = ["Cluster", "programs"]

START_S = 60.0


class Cluster:
    """A PostgreSQL server. Use it in a `with` statement, or call `create`, `start` and `remove`."""

    def __init__(self, settings: Mapping[str, object] | None = None) -> None:
        self.settings: dict[str, object] = {
            "max_prepared_transactions": 64,
            "fsync": "on",
            # After a crash sync the file system once, not each file: processes are killed here, not machines.
            "recovery_init_sync_method": "syncfs",
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "shared_buffers": "16MB",
            "max_connections": 60,
            "autovacuum": "off",
            "log_min_messages": "warning",
            **(settings or {}),
        }
        self.port = free_port()
        self.directory = Path()
        self.user = "postgres"
        self._process: subprocess.Popen[bytes] | None = None
        found = programs()
        assert found is not None, "PostgreSQL is not installed"
        self._programs = found
        self._as: dict[str, Any] = {}
        if os.getuid() == 0:
            account = pwd.getpwnam("postgres")
            self._as = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def __enter__(self) -> Self:
        self.create()
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def create(self) -> None:
        """Run initdb."""
        self.directory = Path(tempfile.mkdtemp(prefix="flintmq-postgres-"))
        if self._as:
            os.chown(self.directory, self._as["user"], self._as["group"])
        command: list[str | Path] = [
            self._programs / "initdb",
            "-D",
            self.directory / "data",
            "-U",
            self.user,
            "--auth=scram-sha-256",
        ]
        secret = self.directory / "password"
        secret.write_text("a secret of tests")
        if self._as:
            os.chown(secret, self._as["user"], self._as["group"])
        options: list[str | Path] = ["--pwfile", secret, "--encoding=UTF8", "--locale=C", "--no-sync"]
        subprocess.run([*command, *options], check=True, capture_output=True, cwd=self.directory, **self._as)

    @property
    def password(self) -> str:
        """Return the password of the superuser."""
        return "a secret of tests"

    def start(self) -> None:
        """Start the server, and return when it accepts connections; recovery after a crash included."""
        command = [str(self._programs / "postgres"), "-D", str(self.directory / "data"), "-p", str(self.port)]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        end = time.monotonic() + START_S
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.directory, start_new_session=True, **self._as
            )
        while True:
            try:
                self.connect("postgres", connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.directory / "log").read_text()[-2000:]
                assert time.monotonic() < end, (self.directory / "log").read_text()[-2000:]
                time.sleep(0.02)

    def kill(self) -> None:
        """End every process of the server with SIGKILL."""
        assert self._process is not None
        session = self._process.pid
        # Backends are sessions of their own; the postmaster is the parent of all.
        children = Path(f"/proc/{session}/task/{session}/children")
        pids = [int(each) for each in children.read_text().split()] if children.exists() else []
        os.kill(session, signal.SIGKILL)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self._process.wait()
        end = time.monotonic() + START_S
        while any(_runs(pid) for pid in pids):
            assert time.monotonic() < end, "a process of PostgreSQL does not end"
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop the server without recovery at the next start (fast shutdown)."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=START_S)

    def remove(self) -> None:
        """Stop the server and remove its files."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGQUIT)
            process.wait(timeout=START_S)
        shutil.rmtree(self.directory, ignore_errors=True)

    def connect(self, database: str, **options: Any) -> psycopg.Connection[tuple[Any, ...]]:
        """Return a connection of the superuser in autocommit mode."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user=self.user,
            password=self.password,
            dbname=database,
            autocommit=True,
            **options,
        )

    def run(self, database: str, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements; return the rows of the last one."""
        with self.connect(database) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return [] if cursor.description is None else cursor.fetchall()

    def create_database(self, name: str) -> None:
        """Create a database, new if there is one."""
        self.run("postgres", f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)', f'CREATE DATABASE "{name}"')

    def url(self, database: str) -> str:
        """Return the SQLAlchemy URL, without password."""
        return f"postgresql://{self.user}@127.0.0.1:{self.port}/{database}"


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
