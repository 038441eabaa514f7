"""Units of work over a queue manager and real PostgreSQL databases: the moves, the votes, the errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import pytest

import flintmq
from flintmq.broker.errors import BrokerError
from flintmq.broker.runtime.coordination import (
    MOVES,
    Coordinator,
    Event,
    IllegalMove,
    Member,
    State,
    check_coordinator,
)
from flintmq.broker.runtime.data_sources import InstanceSources, PostgresSource, Settings, read_settings
from flintmq.broker.runtime.decisions import (
    Branches,
    QueueDecisions,
    parse_gid,
    queue_manager_id,
    unpack,
)
from flintmq.client.calls import Calls
from flintmq.mqi.call_errors import BackedOut, NotConnected
from tools.postgres import Cluster

Two = tuple[list[int], list[int]]


class Instance:
    """A flow instance: it moves messages from IN to OUT and inserts their number into databases."""

    def __init__(
        self,
        qm: flintmq.QueueManager,
        settings: Mapping[str, Settings],
        coordinated: bool = True,
        branches: Branches | None = None,
    ) -> None:
        self.qm = qm
        self.connection = qm.connect()
        self.decisions = Decisions(self.connection)
        self.branches = branches or Branches()
        self.member = Member(queue_manager_id(qm), "BROKER", "default", "Flow", coordinated)
        self.steps: list[str] = []
        self.at: dict[str, Callable[[], object]] = {}
        self.coordinator = Coordinator(self.member, InstanceSources(settings), self.branches, self._observe)

    def _observe(self, step: str) -> None:
        check_coordinator(self.coordinator)
        self.steps.append(step)
        action = self.at.pop(step, None)
        if action is not None:
            action()

    def work(self, number: int, *names: str) -> None:
        """Do everything but the commit."""
        self.qm.queue("IN").put(str(number), persistent=True)
        message = self.connection.queue("IN").get(syncpoint=True, requeue_poison=False)
        self.coordinator.begin(self.decisions)
        for name in names:
            self.coordinator.source(name).execute("INSERT INTO t VALUES (?)", [number])
        self.connection.queue("OUT").put(message.data, persistent=True, syncpoint=True)

    def move(self, number: int, *names: str) -> None:
        """Move a message."""
        self.work(number, *names)
        try:
            self.coordinator.commit()
        finally:
            check_coordinator(self.coordinator)

    def out(self) -> list[int]:
        """Return the messages that were moved."""
        return [int(message.text) for message in self.qm.queue("OUT").browse()]


class Decisions(QueueDecisions):
    """The real queue, with answers that can get lost."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(calls)
        self.lose = ""

    def commit(self) -> None:
        lose, self.lose = self.lose, ""
        if lose == "request":
            super().backout()
            raise NotConnected("the connection was lost before MQCMIT arrived")
        if lose == "refused":
            super().backout()
            raise BackedOut("the log is full")
        super().commit()
        if lose == "answer":
            raise NotConnected("the connection was lost after MQCMIT")


def tables(cluster: Cluster) -> Two:
    one, two = ([n for (n,) in cluster.run(name, "SELECT id FROM t ORDER BY id")] for name in ("one", "two"))
    return one, two


def prepared(cluster: Cluster) -> list[str]:
    return [gid for (gid,) in cluster.run("one", "SELECT gid FROM pg_prepared_xacts")]


def tokens(qm: flintmq.QueueManager) -> list[list[str]]:
    """The sources of the branches of each visible token."""
    found = [unpack(stored.data) for stored in QueueDecisions(qm).decisions()]
    return [[branch.source for branch in each.branches] for each in found if each.kind == "token"]


def cut(cluster: Cluster, database: str) -> None:
    cluster.run(
        "postgres", f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{database}'"
    )


@pytest.fixture
def instance(qm: flintmq.QueueManager, databases: Mapping[str, Settings]) -> Instance:
    return Instance(qm, databases)


def test_queue_and_two_databases_commit_together(instance: Instance, cluster: Cluster) -> None:
    for number in (1, 2, 3):
        instance.move(number, "ONE", "TWO")

    assert tables(cluster) == ([1, 2, 3], [1, 2, 3]) and instance.out() == [1, 2, 3]
    assert prepared(cluster) == []
    assert instance.steps == 3 * [
        "before prepare",
        "between prepares",
        "after prepare",
        "after decision put",
        "after MQCMIT",
        "between commits",
        "before removal",
    ]
    assert tokens(instance.qm) == [["ONE", "TWO"]]
    instance.coordinator.close()
    assert instance.qm.queue("SYSTEM.BROKER.COORDINATION").depth == 0


def test_the_branches_are_prepared_under_our_gids_and_the_decision_names_them(
    instance: Instance, cluster: Cluster
) -> None:
    seen: list[str] = []
    instance.at["after decision put"] = lambda: seen.extend(prepared(cluster))
    instance.move(1, "ONE", "TWO")

    parsed = [parse_gid(gid) for gid in seen]
    assert [each is not None and each.identity == instance.coordinator.identity for each in parsed] == [True, True]
    assert sorted(each.source for each in parsed if each is not None) == ["ONE", "TWO"]
    stored = [unpack(each.data) for each in QueueDecisions(instance.qm).decisions()]
    message = next(each for each in stored if each.kind == "token")
    assert sorted(branch.gid for branch in message.branches) == sorted(seen)


def test_rollback_takes_back_everything(instance: Instance, cluster: Cluster) -> None:
    instance.work(1, "ONE", "TWO")
    instance.coordinator.rollback()
    check_coordinator(instance.coordinator)
    assert tables(cluster) == ([], []) and instance.out() == [] and instance.qm.queue("IN").depth == 1


def test_only_mq_work_is_committed_in_one_phase_without_registration(instance: Instance) -> None:
    instance.move(1)
    assert instance.out() == [1] and instance.steps == []
    assert instance.qm.queue("SYSTEM.BROKER.COORDINATION").depth == 0


def test_one_database_without_mq_work_is_committed_in_one_phase(instance: Instance, cluster: Cluster) -> None:
    instance.coordinator.begin(instance.decisions)
    instance.coordinator.source("ONE").execute("INSERT INTO t VALUES (1)", [])
    instance.coordinator.commit(mq_work=False)
    assert tables(cluster) == ([1], []) and instance.steps == []


def test_two_databases_without_mq_work_need_a_decision(instance: Instance, cluster: Cluster) -> None:
    instance.coordinator.begin(instance.decisions)
    for name in ("ONE", "TWO"):
        instance.coordinator.source(name).execute("INSERT INTO t VALUES (1)", [])
    instance.coordinator.commit(mq_work=False)
    assert tables(cluster) == ([1], [1]) and tokens(instance.qm) == [["ONE", "TWO"]]


def test_a_database_that_was_only_read_has_no_branch(instance: Instance, cluster: Cluster) -> None:
    instance.work(1, "ONE")
    instance.coordinator.source("TWO").execute("SELECT count(*) FROM t", [])
    instance.coordinator.commit()
    assert tokens(instance.qm) == [["ONE"]]
    instance.work(2)
    instance.coordinator.source("ONE").execute("SELECT count(*) FROM t", [])
    instance.coordinator.commit()
    check_coordinator(instance.coordinator)
    assert tokens(instance.qm) == [["ONE"]] and instance.out() == [1, 2]


def test_a_statement_error_that_esql_caught_backs_out_the_unit_of_work(instance: Instance, cluster: Cluster) -> None:
    """The trap: without the check the queue manager commits, and the database part is lost."""
    instance.work(1, "ONE", "TWO")
    with pytest.raises(BrokerError):
        instance.coordinator.source("TWO").execute("INSERT INTO nowhere VALUES (1)", [])
    with pytest.raises(BrokerError, match="TWO.*cannot be committed"):
        instance.coordinator.commit()
    check_coordinator(instance.coordinator)
    assert tables(cluster) == ([], []) and prepared(cluster) == []
    assert instance.out() == [] and instance.qm.queue("IN").depth == 1


def test_a_vote_of_no_rolls_back_the_branches_before_it(instance: Instance, cluster: Cluster) -> None:
    cluster.run("two", "ALTER TABLE t ADD CONSTRAINT u UNIQUE (id) DEFERRABLE INITIALLY DEFERRED")
    instance.move(1, "ONE", "TWO")
    with pytest.raises(BrokerError, match="duplicate key"):
        instance.move(1, "ONE", "TWO")
    assert tables(cluster) == ([1], [1]) and prepared(cluster) == []
    instance.qm.queue("IN").get()
    instance.move(2, "ONE", "TWO")
    assert tables(cluster) == ([1, 2], [1, 2])


@pytest.mark.parametrize("step", ["before prepare", "between prepares"])
def test_a_database_lost_before_its_vote_backs_out_and_the_next_message_succeeds(
    instance: Instance, cluster: Cluster, step: str
) -> None:
    instance.at[step] = lambda: cut(cluster, "two")
    with pytest.raises(BrokerError, match="TWO"):
        instance.move(1, "ONE", "TWO")
    assert tables(cluster) == ([], []) and prepared(cluster) == [] and instance.qm.queue("IN").depth == 1
    instance.qm.queue("IN").get()
    instance.move(2, "ONE", "TWO")
    assert tables(cluster) == ([2], [2])


def test_a_database_lost_after_the_decision_is_no_error_of_the_flow(instance: Instance, cluster: Cluster) -> None:
    """COMMIT PREPARED connects again by itself."""
    instance.at["after MQCMIT"] = lambda: cut(cluster, "one")
    instance.move(1, "ONE", "TWO")
    assert instance.coordinator.state is State.IDLE
    instance.move(2, "ONE", "TWO")
    assert tables(cluster) == ([1, 2], [1, 2]) and prepared(cluster) == []


def test_a_branch_that_has_not_answered_is_carried_by_the_next_token(
    instance: Instance, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deaf(gid: str, action: str) -> bool:
        raise BrokerError(2321, "no answer")

    source = instance.coordinator.sources.source("ONE")
    assert isinstance(source, PostgresSource)
    with monkeypatch.context() as patch:
        patch.setattr(source, "finish", deaf)
        instance.move(1, "ONE")
        assert list(instance.branches.decided()) == prepared(cluster)
        instance.move(2, "TWO")
        assert tokens(instance.qm) == [["ONE", "TWO"]] and len(instance.coordinator.unanswered) == 1
    instance.move(3, "TWO")
    assert tables(cluster) == ([1], [2, 3]) and instance.coordinator.unanswered == {}
    instance.move(4, "TWO")
    assert tokens(instance.qm) == [["TWO"]]


@pytest.mark.parametrize("by", ["the next message", "an idle instance"])
@pytest.mark.parametrize(("lose", "moved"), [("answer", [1]), ("request", [])])
def test_an_unanswered_mqcmit_is_settled_by_the_tokens(
    instance: Instance, cluster: Cluster, lose: str, moved: list[int], by: str
) -> None:
    instance.decisions.lose = lose
    with pytest.raises(NotConnected):
        instance.move(1, "ONE", "TWO")
    assert instance.coordinator.state is State.UNCERTAIN and len(prepared(cluster)) == 2
    instance.coordinator.rollback()
    check_coordinator(instance.coordinator)
    assert len(prepared(cluster)) == 2, "nothing is rolled back while the outcome is not known"
    instance.connection = instance.qm.connect()
    instance.decisions = Decisions(instance.connection)
    if by == "the next message":
        instance.coordinator.begin(instance.decisions)
        instance.coordinator.rollback()
    else:
        assert instance.coordinator.settle(instance.decisions)
    assert tables(cluster) == (moved, moved) and prepared(cluster) == [] and instance.out() == moved


def test_an_outcome_that_is_still_open_is_not_guessed(instance: Instance, cluster: Cluster) -> None:
    instance.move(1, "ONE")
    instance.decisions.lose = "request"
    with pytest.raises(NotConnected):
        instance.move(2, "ONE")
    identity, token = instance.coordinator.identity, instance.coordinator.token
    assert identity is not None
    with instance.qm.connect() as other:  # The lost connection still has its unit of work, as far as anybody can see.
        assert QueueDecisions(other).remove_decision(identity.token_id(token))
        with pytest.raises(BrokerError, match="not known yet"):
            instance.coordinator.begin(instance.decisions)
        assert instance.coordinator.state is State.UNCERTAIN and len(prepared(cluster)) == 1
    instance.coordinator.begin(instance.decisions)
    assert prepared(cluster) == []


def test_an_mqcmit_that_is_refused_rolls_back_the_branches(instance: Instance, cluster: Cluster) -> None:
    instance.decisions.lose = "refused"
    with pytest.raises(BackedOut):
        instance.move(1, "ONE", "TWO")
    assert instance.coordinator.state is State.IDLE
    assert tables(cluster) == ([], []) and prepared(cluster) == []


def test_an_instance_whose_token_was_taken_cannot_decide_and_registers_again(
    instance: Instance, cluster: Cluster
) -> None:
    instance.move(1, "ONE")
    before = instance.coordinator.identity
    assert before is not None
    assert QueueDecisions(instance.qm).remove_decision(before.token_id(1), syncpoint=False)
    with pytest.raises(BrokerError, match="another process has recovered"):
        instance.move(2, "ONE")
    assert tables(cluster) == ([1], []) and prepared(cluster) == []
    instance.qm.queue("IN").get()
    instance.move(3, "ONE")
    assert instance.coordinator.identity != before and tables(cluster) == ([1, 3], [])


def test_commit_and_rollback_of_esql_are_refused_in_a_coordinated_flow(instance: Instance) -> None:
    source = instance.coordinator.source("ONE")
    for end in (source.commit, source.rollback):
        with pytest.raises(BrokerError, match="coordinatedTransaction=yes"):
            end()


def test_sqlite_is_refused_in_a_coordinated_flow(qm: flintmq.QueueManager) -> None:
    instance = Instance(qm, read_settings({"STATE": {"url": "sqlite://"}}))
    with pytest.raises(BrokerError, match="cannot take part"):
        instance.coordinator.source("STATE")
    with pytest.raises(BrokerError, match="no data source 'SHOP'"):
        instance.coordinator.source("SHOP")


def test_without_coordination_databases_commit_first_and_then_the_queue_manager(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster
) -> None:
    """The documented window: MQCMIT fails, the rows are there, and the message comes again."""
    instance = Instance(qm, databases, coordinated=False)
    instance.move(1, "ONE", "TWO")
    instance.decisions.lose = "refused"
    with pytest.raises(BackedOut):
        instance.move(2, "ONE", "TWO")
    assert tables(cluster) == ([1, 2], [1, 2]) and instance.out() == [1] and qm.queue("IN").depth == 1
    assert instance.steps == [] and tokens(qm) == []


def test_without_coordination_a_database_that_fails_backs_out_the_message(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings], cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    instance = Instance(qm, databases, coordinated=False)
    instance.work(1, "ONE", "TWO")
    with pytest.raises(BrokerError):
        instance.coordinator.source("TWO").execute("SELECT 1 / 0", [])
    with pytest.raises(BrokerError, match="TWO: the transaction cannot be committed"):
        instance.coordinator.commit()
    assert instance.out() == [] and qm.queue("IN").depth == 1
    assert "ONE committed, and TWO did not" in caplog.text


def test_a_branch_that_another_program_rolled_back_is_recorded_as_heuristic(
    instance: Instance, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    instance.at["after MQCMIT"] = lambda: cluster.run("one", f"ROLLBACK PREPARED '{prepared(cluster)[0]}'")
    instance.move(1, "ONE")
    assert "was rolled back by another program" in caplog.text
    kinds = [unpack(each.data).kind for each in QueueDecisions(instance.qm).decisions()]
    assert sorted(kinds) == ["heuristic", "registration", "token"]
    assert instance.branches.decided() == {} and instance.branches.live() == {}


def test_a_branch_that_another_program_committed_is_done(
    instance: Instance, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    instance.at["after MQCMIT"] = lambda: cluster.run("one", f"COMMIT PREPARED '{prepared(cluster)[0]}'")
    instance.move(1, "ONE")
    assert tables(cluster) == ([1], []) and "heuristic" not in caplog.text


def test_every_move_that_is_not_in_the_table_is_an_error_with_its_history(
    qm: flintmq.QueueManager, databases: Mapping[str, Settings]
) -> None:
    for state, event in product(State, Event):
        coordinator = Instance(qm, databases).coordinator
        coordinator._move(Event.BEGIN)
        coordinator.state = state
        if (state, event) in MOVES:
            coordinator._move(event)
            assert coordinator.state is MOVES[state, event]
        else:
            with pytest.raises(IllegalMove, match="idle -begin-> active"):
                coordinator._move(event)
