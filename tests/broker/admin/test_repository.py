"""The repository on SQLite and on PostgreSQL: rows, versions, and databases that hold something else."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.broker.admin.refusal import Refused
from flintmq.broker.admin.repository import STARTED, STOPPED, ContentRow, DeployedRow, Repository
from tools.postgres import Cluster, programs

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: tools/judges.py")
    with Cluster() as made:
        made.create_database("repository")
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'repository.db'}"
        return
    cluster: Cluster = request.getfixturevalue("cluster")
    monkeypatch.setenv("PGPASSWORD", cluster.password)
    yield cluster.url("repository")
    cluster.run("repository", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")


def row(application: str, digest: str, state: str = STARTED) -> DeployedRow:
    return DeployedRow(application, "application", digest, "x.bar", "2026-11-18 08:00:00", "me", state)


def test_what_is_written_is_there_when_the_repository_is_opened_again(url: str) -> None:
    first = Repository("BRK", url)
    first.create("QM1")
    for name in ("one", "two"):
        first.add_group(name)
    content = ContentRow("d" * 64, "x.bar", "bar", b"PK\0\xff" * 1000)
    first.deploy("one", [content], [row("A", content.digest)], {"A": {"F#N.q": "Q"}}, {("A", "F"): STOPPED}, [])
    first.set_group_state("two", STOPPED)
    first.change_settings("statistics", "A/F", {"snapshot": "active", "gone": "1"}, "one")
    first.change_settings("statistics", "A/F", {"gone": None, "archive": "x"}, "one")
    first.close()
    again = Repository("BRK", url)
    broker = again.found()
    assert broker is not None and broker.queue_manager == "QM1"
    assert [(each.name, each.number, each.state) for each in again.groups()] == [
        ("one", 0, STARTED),
        ("two", 1, STOPPED),
    ]
    assert [each.application for each in again.deployed("one")] == ["A"]
    assert again.content(content.digest) == content
    assert again.settings("override", "one") == {"A": {"F#N.q": "Q"}}
    assert again.settings("statistics", "one") == {"A/F": {"archive": "x", "snapshot": "active"}}
    assert again.flow_states("one") == {("A", "F"): STOPPED}
    other = Repository("OTHER", url)
    assert other.found() is None and other.groups() == [] and other.contents() == {}
    other.close()
    again.drop()
    assert again.found() is None and again.contents() == {}
    again.close()


def test_content_that_nobody_uses_goes_and_a_new_deployment_takes_old_overrides_back(url: str) -> None:
    repository = Repository("BRK", url)
    repository.create("QM1")
    repository.add_group("one")
    old, new = (ContentRow(letter * 64, "x.bar", "bar", b"x") for letter in "ab")
    repository.deploy("one", [old], [row("A", old.digest), row("B", old.digest)], {"A": {"F#x": "1"}}, {}, [])
    repository.deploy("one", [new], [row("A", new.digest)], {}, {}, [])
    assert set(repository.contents()) == {old.digest, new.digest}
    assert repository.settings("override", "one") == {}
    repository.deploy("one", [], [], {}, {}, ["B"])
    assert set(repository.contents()) == {new.digest}
    repository.drop_group("one")
    assert repository.contents() == {} and repository.groups() == []
    repository.close()


def test_a_group_takes_the_lowest_number_that_is_free(tmp_path: Path) -> None:
    repository = Repository("BRK", f"sqlite:///{tmp_path / 'r.db'}")
    for name in "abc":
        repository.add_group(name)
    repository.drop_group("b")
    repository.add_group("d")
    assert [(each.name, each.number) for each in repository.groups()] == [("a", 0), ("d", 1), ("c", 2)]
    repository.close()


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    Repository("BRK", f"sqlite:///{tmp_path / 'r.db'}").close()
    assert stat.S_IMODE((tmp_path / "r.db").stat().st_mode) == 0o600


def test_a_file_of_version_1_stays_readable(tmp_path: Path) -> None:
    """The dump is of the first version; it is never changed."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((HERE / "repository_v1.sql").read_text())
    connection.close()
    repository = Repository("BRK", f"sqlite:///{path}")
    found = repository.found()
    assert found is not None and found.queue_manager == "QM1"
    (deployed,) = repository.deployed("default")
    content = repository.content(deployed.digest)
    assert deployed.application == "Shop" and content is not None and content.data == b"PK\x05\x06" + bytes(18)
    assert repository.settings("override", "default") == {"Shop": {"shop.Orders#Get order.queueName": "TEST.IN"}}
    assert repository.flow_states("default") == {("Shop", "shop.Orders"): STOPPED}
    repository.close()


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("UPDATE flint_schema SET version = 99", "version is 99"),
        ("UPDATE flint_schema SET magic = 'something'", "something else"),
        ("DELETE FROM flint_schema", "something else"),
    ],
)
def test_a_repository_that_is_not_ours_is_refused(tmp_path: Path, statement: str, text: str) -> None:
    url = f"sqlite:///{tmp_path / 'r.db'}"
    Repository("BRK", url).close()
    with sqlite3.connect(tmp_path / "r.db") as connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(Refused, match=f"BIP8011E.*{text}"):
        Repository("BRK", url)


@pytest.mark.parametrize(
    "url", ["nonsense", "sqlite:////no/such/directory/r.db", "nodriver://x/y", "postgresql://u:secret@127.0.0.1:1/x"]
)
def test_a_repository_that_cannot_be_reached_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(Refused, match="BIP8011E") as refused:
        Repository("BRK", url)
    assert "secret" not in str(refused.value)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.db").write_bytes(b"no database" * 100)
    with pytest.raises(Refused, match="BIP8011E"):
        Repository("BRK", f"sqlite:///{tmp_path / 'r.db'}")
