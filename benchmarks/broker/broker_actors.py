"""Processes of `bench broker`: the drivers, and the bare clients that are the floor.

    python -m benchmarks.broker.broker_actors '{"role": "driver", "conn": "127.0.0.1(1414)", ...}'

It says `ready`. Each line on its input is a piece of work in JSON: a case and how many messages; it answers `done`.

    driver    15 threads, each with a connection: put a request, get its answer by CorrelId (any message, if the flow
              publishes); what a user of the flow does
    floor     one connection: get, change, put, commit, as a program does that is written for it; with a row of a
              database where the case has one
"""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import flintmq
from benchmarks.broker.broker_cases import TOPIC, Case, cases, more_sizes
from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO

DRIVERS = 15
_WAIT_MS = 60_000
_XID_FORMAT = 7


@dataclass(frozen=True)
class Role:
    """The parameters of a process."""

    role: str
    q_mgr: str
    channel: str
    conn: str
    publications: tuple[int, ...]
    #: Connection string of PostgreSQL, if there is one.
    database: str = ""

    def as_json(self) -> str:
        """Return it as an argument of the process."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Work:
    """A piece of work: `prefix` is that of the queues."""

    case: str
    count: int
    prefix: str = ""

    def as_json(self) -> str:
        """Return it as a line."""
        return json.dumps(asdict(self))


class Client:
    """One connection."""

    def __init__(self, role: Role) -> None:
        self.connection: Any = flintmq.connect(role.q_mgr, channel=role.channel, conn=role.conn)
        self.mqi = self.connection.mqi
        self._open: dict[tuple[str, int], Any] = {}

    def handle(self, queue: str, options: int) -> Any:
        """Return an open queue."""
        found = self._open.get((queue, options))
        if found is None:
            od = MQOD()
            od.object_name = queue
            found = self._open[queue, options] = self.mqi.open(od, options | mq.MQOO_FAIL_IF_QUIESCING)
        return found

    def topic(self, name: str) -> Any:
        """Return an open topic."""
        found = self._open.get((name, 0))
        if found is None:
            od = MQOD()
            od.version, od.object_type, od.object_string = 4, mq.MQOT_TOPIC, name
            found = self._open[name, 0] = self.mqi.open(od, mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING)
        return found


class Driver(Client):
    """One of the drivers: one request after the other."""

    def __init__(self, role: Role, number: int) -> None:
        super().__init__(role)
        self._unique = f"driver {number}".encode().ljust(16)
        self._number = 0

    def work(self, case: Case, prefix: str, count: int) -> None:
        """Send requests and get their answers."""
        requests = self.handle(prefix + case.source, mq.MQOO_OUTPUT)
        answers = self.handle(prefix + case.target, mq.MQOO_INPUT_SHARED)
        data = case.data
        for _ in range(count):
            self._number += 1
            md, pmo = MQMD(), MQPMO()
            md.format, md.coded_char_set_id, md.persistence = case.format, 1208, int(case.persistent)
            md.correl_id = self._unique + self._number.to_bytes(8, "big")
            pmo.options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_NEW_MSG_ID
            wanted, gmo = MQMD(), MQGMO()
            gmo.version = 2
            gmo.options = mq.MQGMO_WAIT | mq.MQGMO_NO_SYNCPOINT
            gmo.wait_interval = _WAIT_MS
            if case.subscribers:
                gmo.match_options = 0
            else:
                gmo.match_options, wanted.correl_id = mq.MQMO_MATCH_CORREL_ID, md.correl_id
            self.mqi.put(requests, md, pmo, data)
            self.mqi.get(answers, wanted, gmo)


class Floor(Client):
    """A hand-written program with the effect of a flow."""

    def __init__(self, role: Role) -> None:
        super().__init__(role)
        self._database: Any = None
        if role.database:
            import psycopg

            self._database = psycopg.connect(role.database)
        self._xids = 0

    def work(self, case: Case, prefix: str, count: int) -> None:
        """Move messages."""
        mqi = self.mqi
        source = self.handle(prefix + case.source, mq.MQOO_INPUT_SHARED | mq.MQOO_SAVE_ALL_CONTEXT)
        target = (
            self.topic(f"{TOPIC}{prefix}{case.name}")
            if case.subscribers
            else self.handle(prefix + case.target, mq.MQOO_OUTPUT | mq.MQOO_PASS_ALL_CONTEXT)
        )
        in_unit = case.mode == "yes" or case.persistent
        change = case.change
        row = {"plain": self._row, "coordinated": self._prepared_row}.get(case.database)
        for _ in range(count):
            md, gmo, pmo = MQMD(), MQGMO(), MQPMO()
            md.version = 2
            gmo.options = mq.MQGMO_WAIT | (mq.MQGMO_SYNCPOINT if in_unit else mq.MQGMO_NO_SYNCPOINT)
            gmo.wait_interval = _WAIT_MS
            data = mqi.get(source, md, gmo)
            done: Callable[[], None] | None = None if row is None else row(md.correl_id)
            pmo.options = mq.MQPMO_SYNCPOINT if in_unit else mq.MQPMO_NO_SYNCPOINT
            if not case.subscribers:
                pmo.options |= mq.MQPMO_PASS_ALL_CONTEXT
                pmo.context = source.number
            mqi.put(target, md, pmo, change(data))
            if in_unit:
                mqi.cmit()
            if done is not None:
                done()

    def _row(self, correl_id: bytes) -> Callable[[], None]:
        database, key = self._database, correl_id.hex()
        database.execute("INSERT INTO bench (id, name) VALUES (%s, 'case')", (key,))
        database.execute("DELETE FROM bench WHERE id = %s", (key,))
        database.commit()
        return _nothing

    def _prepared_row(self, correl_id: bytes) -> Callable[[], None]:
        database, key = self._database, correl_id.hex()
        self._xids += 1
        database.tpc_begin(database.xid(_XID_FORMAT, f"{os.getpid()}-{self._xids}", "floor"))
        database.execute("INSERT INTO bench (id, name) VALUES (%s, 'case')", (key,))
        database.execute("DELETE FROM bench WHERE id = %s", (key,))
        database.tpc_prepare()
        done: Callable[[], None] = database.tpc_commit
        return done


def _nothing() -> None:
    """Do nothing."""


def _drive(drivers: list[Driver], case: Case, work: Work) -> None:
    """Run all drivers."""
    share, more = divmod(work.count, len(drivers))
    threads = [
        threading.Thread(target=driver.work, args=(case, work.prefix, share + (number < more)))
        for number, driver in enumerate(drivers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    """Run a process."""
    told = json.loads(sys.argv[1])
    role = Role(**{**told, "publications": tuple(told["publications"])})
    known = {case.name: case for case in [*cases(bool(role.database), role.publications), *more_sizes()]}
    drivers = [Driver(role, number) for number in range(DRIVERS)] if role.role == "driver" else []
    floor = Floor(role) if role.role == "floor" else None
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        work = Work(**json.loads(line))
        if floor is not None:
            floor.work(known[work.case], work.prefix, work.count)
        else:
            _drive(drivers, known[work.case], work)
        print("done", flush=True)


if __name__ == "__main__":
    main()
