"""Fixtures of the run time: one PostgreSQL cluster for a session, new databases and a queue manager for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import flintmq
from flintmq.broker.runtime.data_sources import Settings, read_settings
from flintmq.broker.runtime.decisions import create_queue
from tests.broker.runtime.desk import Desk, open_desk
from tools.postgres import Cluster, programs


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: tools/judges.py")
    with Cluster() as made:
        made.create_database("one")
        made.create_database("two")
        yield made


@pytest.fixture
def databases(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Settings]]:
    """The data sources ONE and TWO, with an empty table `t (id integer)` each."""
    monkeypatch.setenv("A_PASSWORD", cluster.password)
    for name in ("one", "two"):
        cluster.run(name, "DROP TABLE IF EXISTS t", "CREATE TABLE t (id integer)")
    yield read_settings(
        {name.upper(): {"url": cluster.url(name), "passwordVariable": "A_PASSWORD"} for name in ("one", "two")}
    )
    for name in ("one", "two"):
        listing = f"SELECT gid FROM pg_prepared_xacts WHERE database = '{name}'"
        for (gid,) in cluster.run(name, listing):
            cluster.run(name, f"ROLLBACK PREPARED '{gid}'")
        cluster.run(
            name,
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            f"WHERE datname = '{name}' AND pid <> pg_backend_pid()",
        )


@pytest.fixture
def qm() -> Iterator[flintmq.QueueManager]:
    with flintmq.open(":memory:") as made:
        create_queue(made)
        made.queue("IN", create=True)
        made.queue("OUT", create=True)
        yield made


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A queue manager that serves, for workers of the test's own process."""
    with open_desk() as made:
        yield made
