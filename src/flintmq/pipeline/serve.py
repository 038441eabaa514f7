"""Keep a Spark session for the commands of a directory of tables: `flint pipeline serve`.

The session is an ordinary one in this process, not Spark Connect (decision 0013). Requests come over a Unix socket
(ask.py has the rules S1 to S3) and are carried out one after the other, each in a session of its own below the kept one
(`newSession`), so that views of one request are not seen by the next.

    main thread         accepts connections until Ctrl-C, SIGTERM or a request to stop
    a thread each       reads the request of a connection; then notices when its process goes away
    one thread          carries requests out; while there are none, it makes each report once, so that Java has loaded
                        and compiled the code of the first requests
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import queue
import selectors
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING

from flintmq.pipeline import ask, session, work
from flintmq.pipeline.errors import BadOption, PipelineError, told
from flintmq.pipeline.tables.catalogue import is_small
from flintmq.pipeline.tables.place import SILVER, state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The longest request. A query is the longest part of it.
REQUEST_MAX = 1 << 20
#: How often jobs of a process that has gone away are cancelled: one job follows another.
_CANCEL_S = 0.2


class Job:
    """A request that waits or is carried out."""

    def __init__(self, connection: socket.socket, request: work.Request) -> None:
        self.connection = connection
        self.request = request
        self.over = threading.Event()
        self.running = False

    def say(self, line: ask.Line) -> None:
        """Send a line. A process that has gone away does not hear it."""
        with contextlib.suppress(OSError):
            self.connection.sendall((json.dumps(line) + "\n").encode())

    def progress(self, what: str, done: int, total: int) -> None:
        self.say({"progress": [what, done, total]})


class Server:
    """The process that serves: its session, its jobs, and whether it shall end."""

    def __init__(
        self, spark: SparkSession, master: str, stopping: list[socket.socket], idle_work: list[work.Reports]
    ) -> None:
        self.spark = spark
        self.master = master
        self.build = ask.build()
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        #: Connections that asked for the end.
        self.stopping = stopping
        self.idle_work = idle_work
        self._wake, self._woken = socket.socketpair()
        self._worker = threading.Thread(target=self._work, daemon=True)

    def run(self, listener: socket.socket) -> None:
        """Serve until `end` is called."""
        self._worker.start()
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._woken in ready:
                    return
                connection, _ = listener.accept()
                threading.Thread(target=self._attend, args=(connection,), daemon=True).start()

    def end(self) -> None:
        """Let `run` return. Safe in a signal handler."""
        self._wake.send(b"x")

    def close(self) -> None:
        """End the session."""
        self.jobs.put(None)
        with contextlib.suppress(Exception):
            self.spark.sparkContext.cancelAllJobs()
        self.spark.stop()

    def _attend(self, connection: socket.socket) -> None:
        """Read the request of one connection, queue it, and cancel it if its process goes away (S3)."""
        try:
            line = self._read(connection)
            if line.get("do") == "stop":
                self.stopping.append(connection)
                self.end()
                return
            job = Job(connection, self._request_of(line))
        except (ValueError, TypeError, KeyError, OSError, ask.NotServed) as error:
            with connection, contextlib.suppress(OSError):
                connection.sendall((json.dumps({"refused": str(error)}) + "\n").encode())
            return
        self.jobs.put(job)
        with contextlib.suppress(OSError):
            connection.recv(1)  # Nothing more comes: this waits for the end of the connection.
        while not job.over.wait(_CANCEL_S):
            if job.running:
                with contextlib.suppress(Exception):
                    self.spark.sparkContext.cancelAllJobs()

    def _read(self, connection: socket.socket) -> ask.Line:
        if ask.peer_user(connection) != os.getuid():  # S1
            raise ask.NotServed("it belongs to another user")
        data = b""
        while not data.endswith(b"\n"):
            more = connection.recv(65_536)
            if not more or len(data) > REQUEST_MAX:
                raise ValueError("that is no request")
            data += more
        line = json.loads(data)
        if not isinstance(line, dict):
            raise ValueError("that is no request")
        return line

    def _request_of(self, line: ask.Line) -> work.Request:
        if line["build"] != self.build:  # S2
            raise ask.NotServed("it runs another FlintMQ; `flint pipeline serve --stop` ends it")
        if line["master"] not in ("", self.master):
            raise ask.NotServed(f"it uses the master {self.master}")
        return work.KINDS[line["do"]](**line["with"])

    def _work(self) -> None:
        while (job := self._next_job()) is not None:
            job.running = True
            line = self._carried_out(job)
            job.over.set()
            job.say(line)
            with contextlib.suppress(OSError):
                job.connection.shutdown(socket.SHUT_RDWR)
            job.connection.close()

    def _next_job(self) -> Job | None:
        """Return the next job; make reports while there is none."""
        while self.idle_work:
            try:
                return self.jobs.get(block=False)
            except queue.Empty:
                request = self.idle_work.pop(0)
            with contextlib.suppress(Exception):  # A later request for this report gets the error.
                spark = self.spark.newSession()
                session.adapt(spark, small=True)
                work.carry_out(spark, request)
        return self.jobs.get()

    def _carried_out(self, job: Job) -> ask.Line:
        try:
            spark = self.spark.newSession()
            session.adapt(spark, work.has_little_to_do(job.request))
            return {"answer": asdict(work.carry_out(spark, job.request, job.progress))}
        except Exception as error:
            if os.environ.get("FLINT_DEBUG") == "1":
                sys.excepthook(type(error), error, error.__traceback__)
            failed = told(error)
            return {"error": str(failed) or type(failed).__name__, "option": isinstance(failed, BadOption)}


def serve(out: Path, master: str, to: IO[str]) -> int:
    """Keep a session for the tables in `out` until Ctrl-C, SIGTERM or `stop`."""
    stopping: list[socket.socket] = []
    with _alone(out) as place:
        small = is_small(out)
        spark = session.start(master, quiet=True, small=small, sources=False)
        warm_up(spark)
        server = Server(spark, master, stopping, idle_work(out) if small else [])
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: server.end())
        try:
            with _listener(place) as listener:
                print(f"a Spark session is ready for the tables in {out}", file=to, flush=True)
                print("Ctrl-C or `flint pipeline serve --stop` ends it", file=to, flush=True)
                server.run(listener)
        finally:
            server.close()
    for connection in stopping:  # The processes that asked for the end wait for this.
        connection.close()
    return 0


@contextlib.contextmanager
def _alone(out: Path) -> Iterator[Path]:
    """Make the directory of the socket, and be the only process that serves these tables."""
    place = ask.place_of(out)
    try:
        state(out).mkdir(parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        place.chmod(0o700)
        lock = (place / "lock").open("a")
    except OSError as error:
        raise PipelineError(f"{place} cannot be written: {error.strerror}") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PipelineError(f"a session is kept for {out} already; `flint pipeline serve --stop` ends it") from None
        yield place


@contextlib.contextmanager
def _listener(place: Path) -> Iterator[socket.socket]:
    """Listen on the socket, which only this user may open; take it away at the end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener, ask.address_of(place) as address:
        Path(address).unlink(missing_ok=True)  # Of a process that was killed: the lock is ours.
        before = os.umask(0o177)
        try:
            listener.bind(address)
        finally:
            os.umask(before)
        listener.listen()
        try:
            yield listener
        finally:
            Path(address).unlink(missing_ok=True)


def idle_work(out: Path) -> list[work.Reports]:
    """Return the reports that there are tables for."""
    from flintmq.pipeline.reports.registry import entries

    if not (out / SILVER).is_dir():
        return []
    return [work.Reports(work.absolute(str(out)), [name]) for name in entries(["all"])]


#: The operators that reports and gold are made of, over a few rows.
_WARM_UP = (
    """
    select Kind, count(*) as Number, count(distinct Value) as Distinct_Values, sum(Value) as Total,
           max_by(Name, Value) as Last
    from warm group by Kind order by Kind
    """,
    "select *, row_number() over (partition by Kind order by Value) as Place from warm order by Value desc limit 5",
    """
    select a.Kind, coalesce(a.Value, b.Value) as Value, date_format(a.Moment, 'yyyy-MM-dd HH:mm') as Minute
    from warm a full outer join (select Kind, max(Value) as Value from warm group by Kind) b
    on a.Kind = b.Kind and a.Value = b.Value where a.Value is not null
    """,
)
_WARM_UP_COLUMNS = (
    "id as Value",
    "cast(id % 3 as string) as Kind",
    "concat('n', id) as Name",
    "timestamp_seconds(id) as Moment",
)


def warm_up(spark: SparkSession) -> None:
    """Run small queries, so that Java has loaded the code of the first request."""
    made = spark.newSession()
    session.adapt(made, small=True)
    with tempfile.TemporaryDirectory() as place:
        rows = made.range(50).selectExpr(*_WARM_UP_COLUMNS)
        rows.coalesce(1).sortWithinPartitions("Kind").write.partitionBy("Kind").parquet(f"{place}/warm")
        made.read.schema("Value long, Name string, Moment timestamp, Kind string").parquet(
            f"{place}/warm"
        ).createOrReplaceTempView("warm")
        for query in _WARM_UP:
            made.sql(query).collect()
