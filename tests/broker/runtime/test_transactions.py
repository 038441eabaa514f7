"""`flint broker transactions`: what an operator sees of coordinated transactions, and settles."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintmq.broker.admin import process, requests
from flintmq.broker.admin.administration import Administration
from flintmq.broker.admin.place import locate
from flintmq.broker.admin.repository import Repository
from flintmq.broker.runtime.decisions import Identity, Owner, create_queue, queue_manager_id
from flintmq.broker.runtime.group import ExecutionGroup
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.worker import Assignment, FlowAssignment
from tests.broker.runtime import flows
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE
from tools.postgres import Cluster

assert requests


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Serving]:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    made = Serving()
    for name in ("IN", "OUT", "SYSTEM.BROKER.STATE.DEFAULT"):
        made.qm.queue(name, create=True)
    create_queue(made.qm)
    yield made
    made.close()


def test_an_operator_sees_a_branch_without_decision_and_settles_it(
    serving: Serving, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_PASSWORD", cluster.password)
    cluster.run("one", "DROP TABLE IF EXISTS t", "CREATE TABLE t (id integer)")
    owner = Owner.of(queue_manager_id(serving.qm), "BRK", "default.0")
    gids = [Identity(owner, "ab" * 6, number).gid(1, "ONE") for number in (1, 2)]
    for number, gid in enumerate(gids):
        cluster.run("one", "BEGIN", f"INSERT INTO t VALUES ({number})", f"PREPARE TRANSACTION '{gid}'")
    cluster.run("one", "BEGIN", "INSERT INTO t VALUES (9)", "PREPARE TRANSACTION 'of another program'")

    flows.pass_through(tmp_path / "app")
    connect = {"channel": CHANNEL, "conn": serving.conn}
    place = locate("BRK")
    process.create(place, "QM1", connect)
    log = BrokerLog("BRK", stream=io.StringIO())
    repository = Repository(place.name, place.repository_url())
    admin = Administration(place, repository, log, live=True)
    if all(each.name != "default" for each in repository.groups()):
        repository.add_group("default")
    base = Assignment(
        "BRK",
        "default",
        0,
        "QM1",
        connect,
        [{"path": str(tmp_path / "app")}],
        data_sources={"ONE": {"url": cluster.url("one"), "passwordVariable": "A_PASSWORD"}},
    )

    def ask(do: str, **fields: str) -> tuple[int, str]:
        lines: list[str] = []
        code = admin.obey({"do": do, "group": "default", **fields}, lines.append)
        return code, "\n".join(lines)

    code, text = ask("transactions")
    assert code == 1 and "BIP1287" in text, "the group does not run"
    group = ExecutionGroup(base, [[FlowAssignment("", "Pass")]], log)
    group.start()
    admin.running["default"] = group
    try:
        assert group.wait_ready(PATIENCE)
        code, text = ask("transactions")
        assert code == 0 and all(gid in text for gid in gids) and "another program" not in text
        assert [line.split()[:3] for line in text.splitlines()] == [["default", "ONE", "in"]] * 2

        code, text = ask("resolve transaction", gid=gids[0], action="commit")
        assert code == 0 and "contradicts the decision" in text, text
        assert ask("resolve transaction", gid=gids[1], action="rollback") == (
            0,
            f"BIP8062I: {gids[1]}: rollback is done",
        )
        code, text = ask("transactions")
        assert "heuristic" in text and "an operator chose commit" in text and gids[1] not in text
        assert ask("resolve transaction", gid=gids[0], action="forget")[0] == 0
        assert "BIP8061I" in ask("transactions")[1]

        for gid in ("of another program", gids[0], "x"):
            code, text = ask("resolve transaction", gid=gid, action="commit")
            assert code == 1 and "BIP8060E" in text, text
        assert ask("resolve transaction", gid=gids[0], action="guess")[0] == 1
    finally:
        group.stop()
        repository.close()
    assert cluster.run("one", "SELECT id FROM t") == [(0,)]
    cluster.run("one", "ROLLBACK PREPARED 'of another program'")
