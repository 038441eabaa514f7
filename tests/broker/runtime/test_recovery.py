"""Recovery: branches of processes that are gone, on real databases, and the operator's view of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

import flintmq
from flintmq.broker.errors import BrokerError
from flintmq.broker.runtime.coordination import Member
from flintmq.broker.runtime.data_sources import Settings, read_settings
from flintmq.broker.runtime.decisions import Branches, QueueDecisions, heuristic_id, parse_gid, queue_manager_id
from flintmq.broker.runtime.recovery import Recovery
from tests.broker.runtime.test_coordination import Instance, prepared, tables, tokens
from tools.postgres import Cluster


class Gone(BaseException):
    """The process ends here."""


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


Make = Callable[..., Recovery]


@pytest.fixture
def make(qm: flintmq.QueueManager, databases: Mapping[str, Settings], clock: Clock) -> Make:
    """Recovery of a new process of the execution group."""

    def recovery(
        branches: Branches | None = None,
        group: str = "default",
        settings: object = None,
        adopted: Sequence[str] = (),
    ) -> Recovery:
        member = Member(queue_manager_id(qm), "BROKER", group)
        given = databases if settings is None else settings
        assert isinstance(given, Mapping)
        made = Recovery(member, given, branches or Branches(), lambda: QueueDecisions(qm.connect()), 60.0, clock)
        made.adopt(adopted)
        return made

    return recovery


def die_at(instance: Instance, step: str, number: int = 1, *names: str) -> None:
    """Let the process of an instance end at a step: nothing is rolled back, connections are closed."""
    identity_of_process = instance.coordinator

    def end() -> None:
        raise Gone

    # What a killed process cannot do any more.
    identity_of_process.rollback = lambda: None  # type: ignore[method-assign]
    instance.at[step] = end
    instance.work(number, *names)
    with pytest.raises(Gone):
        instance.coordinator.commit()
    instance.connection.close()
    instance.coordinator.sources.close()


def test_the_data_sources_of_a_coordinated_flow_are_checked_and_one_that_is_down_is_only_told(
    databases: Mapping[str, Settings], make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    down: dict[str, dict[str, object]] = {
        "DOWN": {"url": "postgresql://127.0.0.1:1/d", "connectTimeout": 1},
        "FILE": {"url": "sqlite://"},
    }
    recovery = make(settings={**databases, **read_settings(down)})
    recovery.check(["ONE", "TWO", "DOWN"])
    assert caplog.text.count("could not be checked") == 1
    with pytest.raises(BrokerError, match="FILE"):
        recovery.check(["ONE", "FILE"])


def test_a_server_without_prepared_transactions_is_refused_at_the_start(make: Make) -> None:
    with Cluster({"max_prepared_transactions": 0}) as cluster:
        fields = {"url": cluster.url("postgres"), "passwordVariable": "A_PASSWORD"}
        with pytest.raises(BrokerError, match="max_prepared_transactions = 0"):
            make(settings=read_settings({"SHOP": fields})).check(["SHOP"])


BEFORE = ["between prepares", "after prepare", "after decision put"]
AFTER = ["after MQCMIT", "between commits", "before removal"]


@pytest.mark.parametrize("step", BEFORE + AFTER)
def test_a_new_process_finishes_what_the_old_one_left(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make, step: str
) -> None:
    die_at(Instance(qm, databases), step, 1, "ONE", "TWO")

    outcome = make().run_once()

    expected = [1] if step in AFTER else []
    assert outcome.complete and outcome.heuristic == 0
    assert prepared(cluster) == [] and tables(cluster) == (expected, expected)
    assert qm.queue("OUT").depth == len(expected) == 1 - qm.queue("IN").depth
    assert qm.queue("SYSTEM.BROKER.COORDINATION").depth == 0


def test_recovery_twice_does_nothing_the_second_time(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], make: Make
) -> None:
    die_at(Instance(qm, databases), "after MQCMIT", 1, "ONE", "TWO")
    recovery = make()
    assert recovery.run_once().committed == 2
    again = recovery.run_once()
    assert (again.committed, again.rolled_back, again.complete) == (0, 0, True)


def test_branches_of_running_instances_are_left_alone(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make, clock: Clock
) -> None:
    instance = Instance(qm, databases)
    recovery = make(instance.branches)

    def look() -> None:
        for _ in range(2):
            clock.now += 1000
            assert recovery.run_once().rolled_back == 0
        assert [row.state for row in recovery.pending()] == ["active", "active"]
        with pytest.raises(BrokerError, match="an instance works on"):
            recovery.resolve(prepared(cluster)[0], "rollback")

    instance.at["after decision put"] = look
    instance.move(1, "ONE", "TWO")
    assert tables(cluster) == ([1], [1])


def test_a_unit_of_work_that_the_queue_manager_still_has_is_waited_for(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make, clock: Clock
) -> None:
    """The other process is alive: its token is locked. No clock makes recovery roll back its branches."""
    instance = Instance(qm, databases)
    recovery = make()

    def look() -> None:
        for _ in range(2):
            clock.now += 1000
            assert not recovery.run_once().complete
        assert len(prepared(cluster)) == 2

    instance.at["after decision put"] = look
    instance.move(1, "ONE", "TWO")
    assert tables(cluster) == ([1], [1])


def test_a_process_that_was_fenced_cannot_decide(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make
) -> None:
    """It was stopped before it put its decision; meanwhile another process recovered."""
    instance = Instance(qm, databases)
    recovery = make()
    instance.at["after prepare"] = lambda: recovery.run_once()
    with pytest.raises(BrokerError, match="another process has recovered"):
        instance.move(1, "ONE", "TWO")
    assert tables(cluster) == ([], []) and prepared(cluster) == [] and qm.queue("IN").depth == 1


def test_a_branch_of_this_process_that_nobody_works_on_is_rolled_back_at_once(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make
) -> None:
    """The vote got lost: the branch is there, and the instance has backed out."""
    instance = Instance(qm, databases)
    source = instance.coordinator.sources.source("ONE")
    source.execute("INSERT INTO t VALUES (1)", [])
    gid = instance.branches.new_identity(instance.member.owner).gid(1, "ONE")
    branch = source.prepare(gid)  # type: ignore[union-attr]
    assert branch is not None
    instance.branches.enter(branch)
    recovery = make(instance.branches)

    assert recovery.run_once().rolled_back == 0 and prepared(cluster) == [gid]
    instance.branches.abandon(gid)
    assert instance.branches.work.is_set()
    assert recovery.run_once().rolled_back == 1 and prepared(cluster) == []


@pytest.mark.parametrize(("step", "rows"), [("after prepare", []), ("after MQCMIT", [1])])
def test_a_worker_resolves_branches_of_workers_that_its_group_has_no_more(
    qm: flintmq.QueueManager,
    databases: Mapping[str, Settings],
    cluster: Cluster,
    make: Make,
    step: str,
    rows: list[int],
) -> None:
    die_at(Instance(qm, databases), step, 1, "ONE")
    assert not make(group="another", adopted=["a third"]).run_once().committed and prepared(cluster)
    recovery = make(group="another", adopted=["default"])
    assert [row.state for row in recovery.pending()] == ["decided" if rows else "in doubt"]

    assert recovery.run_once().complete

    assert prepared(cluster) == [] and tables(cluster) == (rows, []) and tokens(qm) == []


def test_branches_of_others_are_never_touched(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make, clock: Clock
) -> None:
    die_at(Instance(qm, databases), "after prepare", 1, "ONE")
    cluster.run("one", "BEGIN", "INSERT INTO t VALUES (9)", "PREPARE TRANSACTION '131077_MQ==_Mg=='")
    before = sorted(prepared(cluster))
    recovery = make(group="another")
    for _ in range(2):
        recovery.run_once()
        clock.now += 1000
    assert sorted(prepared(cluster)) == before and recovery.pending() == []
    for gid in before:
        with pytest.raises(BrokerError, match="no branch of this broker"):
            recovery.resolve(gid, "rollback")
    assert make().run_once().rolled_back == 1
    assert prepared(cluster) == ["131077_MQ==_Mg=="]


def test_a_database_that_does_not_answer_gets_its_commit_later(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make
) -> None:
    die_at(Instance(qm, databases), "after MQCMIT", 1, "ONE", "TWO")
    nowhere = read_settings({"TWO": {"url": "postgresql://127.0.0.1:1/two", "connectTimeout": 1}})
    recovery = make(settings={"ONE": databases["ONE"], **nowhere})
    outcome = recovery.start(timeout_s=0)
    assert (outcome.committed, outcome.unreachable, outcome.waiting) == (1, ["TWO"], 1)
    assert tokens(qm) == [["TWO"]] and tables(cluster) == ([1], [])
    assert [row.state for row in recovery.pending()] == ["unreachable"]

    assert make().run_once().complete
    assert tables(cluster) == ([1], [1]) and tokens(qm) == []


def test_a_data_source_that_is_not_configured_any_more_is_told_and_its_decision_stays(
    qm: flintmq.QueueManager,
    databases: Mapping[str, Settings],
    cluster: Cluster,
    make: Make,
    caplog: pytest.LogCaptureFixture,
) -> None:
    die_at(Instance(qm, databases), "after MQCMIT", 1, "ONE", "TWO")
    recovery = make(settings={"ONE": databases["ONE"]})
    for _ in range(2):
        recovery.run_once()
    assert tokens(qm) == [["TWO"]]
    assert caplog.text.count("TWO has decided branches and is not configured") == 1
    assert make().run_once().committed == 1 and tables(cluster) == ([1], [1])


def test_messages_that_are_no_decisions_are_left_alone(
    qm: flintmq.QueueManager, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    queue = qm.queue("SYSTEM.BROKER.COORDINATION")
    for data in (b"", b"\xff\x00", b"[]", b'{"flintmq": "coordination", "version": 9}'):
        queue.put(data)
    recovery = make()
    for _ in range(2):
        assert recovery.run_once().complete
    assert queue.depth == 4 and caplog.text.count("is left alone") == 4


def test_a_heuristic_outcome_is_recorded_shown_and_forgotten(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, make: Make
) -> None:
    die_at(Instance(qm, databases), "after MQCMIT", 1, "ONE", "TWO")
    gids = {found.source: gid for gid in prepared(cluster) if (found := parse_gid(gid)) is not None}
    cluster.run("one", f"ROLLBACK PREPARED '{gids['ONE']}'")
    recovery = make()
    outcome = recovery.run_once()
    assert (outcome.committed, outcome.heuristic) == (1, 1)
    rows = recovery.pending()
    assert [(row.gid, row.source, row.state) for row in rows] == [(gids["ONE"], "ONE", "heuristic")]
    assert "rolled back by another program" in rows[0].text
    assert QueueDecisions(qm).visible(heuristic_id(gids["ONE"]))

    assert "forgotten" in recovery.resolve(gids["ONE"], "forget")
    assert recovery.pending() == []
    with pytest.raises(BrokerError, match="no heuristic outcome"):
        recovery.resolve(gids["ONE"], "forget")


@pytest.mark.parametrize(("step", "decision"), [("after prepare", "rollback"), ("after MQCMIT", "commit")])
@pytest.mark.parametrize("action", ["commit", "rollback"])
def test_an_operator_resolves_a_branch_and_a_contradiction_is_recorded(
    qm: flintmq.QueueManager,
    databases: Mapping[str, Settings],
    cluster: Cluster,
    make: Make,
    step: str,
    decision: str,
    action: str,
) -> None:
    die_at(Instance(qm, databases), step, 1, "ONE")
    recovery = make()
    row = recovery.pending()[0]
    assert (row.source, row.state) == ("ONE", "decided" if decision == "commit" else "in doubt")

    said = recovery.resolve(row.gid, action)

    assert ("contradicts" in said) == (action != decision)
    assert tables(cluster) == ([1] if action == "commit" else [], [])
    assert [each.state for each in recovery.pending()] == (["heuristic"] if action != decision else [])
    with pytest.raises(BrokerError, match="no prepared branch"):
        recovery.resolve(row.gid, action)
    with pytest.raises(BrokerError, match="commit, rollback or forget"):
        recovery.resolve(row.gid, "guess")


def test_an_instance_goes_on_after_recovery_committed_its_branch(
    qm: flintmq.QueueManager,
    databases: Mapping[str, Settings],
    cluster: Cluster,
    make: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The database came back; the timer was first."""
    instance = Instance(qm, databases)
    source = instance.coordinator.sources.source("ONE")

    def deaf(gid: str, action: str) -> bool:
        raise BrokerError(2321, "no answer")

    with monkeypatch.context() as patch:
        patch.setattr(source, "finish", deaf)
        instance.move(1, "ONE")
    assert make(instance.branches).run_once().committed == 1
    assert tables(cluster) == ([1], [])
    instance.move(2, "TWO")
    assert tokens(qm) == [["TWO"]] and instance.coordinator.unanswered == {}
