"""The unit of work of one instance of a flow: queue manager and databases end together.

    coordinator = Coordinator(member, sources, branches)
    coordinator.begin(decisions)            # decisions: DecisionLog on the connection of the instance
    coordinator.source("SHOP").execute("INSERT INTO ORDERS VALUES (?)", [7])
    coordinator.commit()                    # or rollback()

The instance gets its input message and puts its output messages under syncpoint on the same connection. `commit` ends
everything, by the first row that fits:

| databases with work | flow | commit |
|---|---|---|
| none | any | MQCMIT |
| any | not coordinated | COMMIT of each database, then MQCMIT: a failure in between repeats the message |
| one, and no MQ work | coordinated | COMMIT |
| any, all only read | coordinated | COMMIT of each, then MQCMIT |
| any | coordinated | two phases |

Two phases: prepare every branch and verify its vote; get the last token and put the next one with the gids of the
branches, under syncpoint (decisions.py); MQCMIT: the forced write of the queue manager's log is the decision; COMMIT
PREPARED for every branch. The decision is removed by the next unit of work of the instance.

    C1  A branch is in the table of live branches before PREPARE TRANSACTION is sent, and until its outcome is settled.
    C2  COMMIT PREPARED is sent only after MQCMIT succeeded, or the token was seen on the queue.
    C3  A token names only branches with a verified vote.
    C4  After MQCMIT was sent, ROLLBACK PREPARED is sent only if the queue manager answered that it backed out, or the
        token before is visible again.
    C5  A decided branch that the database has not answered for is in the newest token of the instance.
    C6  A registered instance has exactly one token on the queue, committed or locked by its own unit of work.

`check_coordinator` tests those that can be seen from here. `MOVES` has every legal move.

An error before the decision is raised, and everything is backed out. After the decision nothing is raised: the message
is processed. A branch that does not answer stays decided, and recovery commits it.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import DataSource, Rows
from flintmq.broker.runtime.data_sources import (
    InstanceSources,
    PostgresSource,
    SqlSource,
    check_coordinated,
)
from flintmq.broker.runtime.decisions import (
    BRANCHES_MAX,
    Branch,
    Branches,
    Decision,
    DecisionLog,
    Identity,
    Owner,
    heuristic_id,
    now,
)
from flintmq.mqi.call_errors import BackedOut, MQError, UnitOfWorkTooBig

LOGGER: Final = logging.getLogger("flintmq.broker.coordination")
#: Moves that an error shows.
HISTORY_MAX: Final = 20


class State(Enum):
    """Where a unit of work is."""

    IDLE = "idle"
    ACTIVE = "active"
    PREPARING = "preparing"
    PREPARED = "prepared"
    DECIDING = "deciding"
    UNCERTAIN = "uncertain"
    COMMITTING = "committing"


class Event(Enum):
    """An event that moves a unit of work to another state."""

    BEGIN = "begin"
    PREPARE = "prepare"
    VOTED = "voted"
    DECIDE = "decide"
    DECIDED = "decided"
    BACKED_OUT = "backed out"
    UNKNOWN = "outcome unknown"
    ONE_PHASE = "ended in one phase"
    ROLL_BACK = "roll back"
    ANSWERED = "branches answered"


MOVES: Final = {  # Every legal move. A pair that is not here is a bug.
    (State.IDLE, Event.BEGIN): State.ACTIVE,
    (State.IDLE, Event.ROLL_BACK): State.IDLE,
    (State.ACTIVE, Event.ONE_PHASE): State.IDLE,
    (State.ACTIVE, Event.ROLL_BACK): State.IDLE,
    (State.ACTIVE, Event.PREPARE): State.PREPARING,
    (State.PREPARING, Event.VOTED): State.PREPARED,
    (State.PREPARING, Event.ONE_PHASE): State.IDLE,
    (State.PREPARING, Event.ROLL_BACK): State.IDLE,
    (State.PREPARED, Event.DECIDE): State.DECIDING,
    (State.PREPARED, Event.ROLL_BACK): State.IDLE,
    (State.DECIDING, Event.DECIDED): State.COMMITTING,
    (State.DECIDING, Event.BACKED_OUT): State.IDLE,
    (State.DECIDING, Event.UNKNOWN): State.UNCERTAIN,
    (State.UNCERTAIN, Event.DECIDED): State.COMMITTING,
    (State.UNCERTAIN, Event.BACKED_OUT): State.IDLE,
    (State.UNCERTAIN, Event.ROLL_BACK): State.UNCERTAIN,
    (State.COMMITTING, Event.ANSWERED): State.IDLE,
}

#: Steps at which `observe` is called, in their order. Tests end processes there.
STEPS: Final = (
    "before prepare",
    "between prepares",
    "after prepare",
    "after decision put",
    "after MQCMIT",
    "between commits",
    "before removal",
)


class IllegalMove(AssertionError):
    """A move that MOVES does not have; it carries the last moves."""


@dataclass(frozen=True, slots=True)
class Member:
    """The flow instance that a coordinator works for, by names."""

    queue_manager_id: str
    broker: str
    execution_group: str
    flow: str = ""
    coordinated: bool = True

    @property
    def owner(self) -> Owner:
        """Return the owner of its branches."""
        return Owner.of(self.queue_manager_id, self.broker, self.execution_group)


def coordination_error(text: str, cause: BrokerError | None = None) -> BrokerError:
    """Return the error of a unit of work that could not be committed."""
    return BrokerError(
        2321, text, inserts=(text,), kind="DatabaseException", sqlstate="D40000" if cause is None else cause.sqlstate,
        cause=cause,
    )  # fmt: skip


class CoordinatedSource:
    """A data source inside a coordinated transaction: COMMIT and ROLLBACK of ESQL would end a part of it."""

    def __init__(self, source: PostgresSource) -> None:
        self._source = source

    def execute(self, sql: str, values: Sequence[object]) -> Rows:
        """Run a statement with `?` markers."""
        return self._source.execute(sql, values)

    def call(
        self, procedure: str, values: Sequence[object], directions: Sequence[str]
    ) -> tuple[list[object], list[Rows]]:
        """Call a stored procedure."""
        return self._source.call(procedure, values, directions)

    def commit(self) -> None:
        """Refuse: the flow is coordinated."""
        self._refuse("COMMIT")

    def rollback(self) -> None:
        """Refuse: the flow is coordinated."""
        self._refuse("ROLLBACK")

    def _refuse(self, statement: str) -> None:
        name = self._source.settings.name
        raise coordination_error(
            f"{statement} of data source {name} is not possible: the flow has coordinatedTransaction=yes; "
            "use a node with transaction=commit"
        )


class Coordinator:
    """The units of work of one instance. Used by one thread."""

    def __init__(
        self,
        member: Member,
        sources: InstanceSources,
        branches: Branches,
        observe: Callable[[str], None] | None = None,
    ) -> None:
        self.member = member
        self.sources = sources
        self.branches = branches
        self.state = State.IDLE
        self._history: deque[tuple[State, Event, State]] = deque(maxlen=HISTORY_MAX)
        self._observe = observe
        self._mq: DecisionLog | None = None
        #: None until the first coordinated work, and after another process has taken the token.
        self.identity: Identity | None = None
        #: Counter of the token that is on the queue, and of the unit of work that is prepared or decided.
        self.token = 0
        self.counter = 0
        #: Branches of this unit of work whose vote was verified.
        self.voted: list[Branch] = []
        #: Decided branches that have not answered, of this unit of work and earlier ones (C5).
        self.unanswered: dict[str, Branch] = {}
        self._wrapped: dict[str, CoordinatedSource] = {}

    # -- the unit of work ---------------------------------------------------------------------------------------------

    def begin(self, mq: DecisionLog) -> None:
        """Begin a unit of work on a connection. Gets may already belong to it.

        If the outcome of the unit of work before is not known, it is looked for. Raise a BrokerError if the queue
        manager has not settled it yet, MQError if the connection is lost: back out and try again.
        """
        self._mq = mq
        if self.state is State.UNCERTAIN:
            self._settle(mq)
        self._move(Event.BEGIN)

    def source(self, name: str, own_transaction: bool = False) -> DataSource:
        """Return a data source; with `own_transaction`, the connection of nodes with transaction=commit."""
        if own_transaction or not self.member.coordinated:
            return self.sources.source(name, own_transaction)
        found = self._wrapped.get(name)
        if found is None:
            if name in self.sources.settings:
                check_coordinated(self.sources.settings, [name])
            source = self.sources.source(name)
            assert isinstance(source, PostgresSource)
            found = self._wrapped[name] = CoordinatedSource(source)
        return found

    def commit(self, mq_work: bool = True) -> None:
        """Commit the unit of work. `mq_work` is False if nothing was got or put under syncpoint.

        Raise a BrokerError or MQError if it was backed out, or if its outcome is not known; `begin` settles that.
        """
        mq = self._mq
        assert mq is not None and self.state is State.ACTIVE, self._story()
        touched = self.sources.touched()
        try:
            if self.member.coordinated and touched and (mq_work or len(touched) > 1):
                self._two_phases(mq, touched)
                return
            self._commit_databases(touched)
            if mq_work or not touched:
                mq.commit()
        except BaseException:
            if self.state is State.ACTIVE:
                self.rollback()
            raise
        self._move(Event.ONE_PHASE)

    def commit_before_queue_manager(self) -> None:
        """Commit the databases of a flow that is not coordinated. The caller commits the queue manager then.

        Raise a BrokerError if one failed; everything that was not committed yet is backed out, MQ work as well.
        """
        assert not self.member.coordinated and self.state is State.ACTIVE, self._story()
        try:
            self._commit_databases(self.sources.touched())
        except BaseException:
            self.rollback()
            raise
        self._move(Event.ONE_PHASE)

    def _commit_databases(self, touched: Sequence[PostgresSource | SqlSource]) -> None:
        """Commit databases one after the other, in the order of their first use. Raise a BrokerError."""
        for number, source in enumerate(touched):
            try:
                source.commit()
            except BrokerError:
                if number:
                    done = ", ".join(each.settings.name for each in touched[:number])
                    LOGGER.warning("%s: %s committed, and %s did not", self._name(), done, source.settings.name)
                raise

    def rollback(self) -> None:
        """Back out everything. Never raises: a connection that is lost is backed out by its other end."""
        mq, waiting = self._mq, self.state is State.UNCERTAIN
        for source in self.sources.in_unit.values():
            source.rollback()
        if mq is not None:
            try:
                mq.backout()
            except MQError as error:
                LOGGER.info("%s: back out: %s", self._name(), error)
        if not waiting:
            self._abandon()
        self._move(Event.ROLL_BACK)

    def close(self, mq: DecisionLog | None = None) -> None:
        """End the instance: roll back, remove token and registration if no branch is left, close connections."""
        mq = mq or self._mq
        self._mq = mq
        if self.state is not State.IDLE:
            self.rollback()
        try:
            if mq is not None and self.state is State.UNCERTAIN:
                self._settle(mq)
            if mq is not None and self.identity is not None and self.state is State.IDLE:
                for branch in list(self.unanswered.values()):
                    self._commit_branch(branch)
                if not self.unanswered and mq.remove_decision(self.identity.token_id(self.token)):
                    mq.remove_decision(self.identity.registration_id)
                    mq.commit()
                    self.identity = None
        except (MQError, BrokerError) as error:
            LOGGER.info("%s: its token stays for recovery: %s", self._name(), error)
        self.sources.close()

    # -- two phases ---------------------------------------------------------------------------------------------------

    def _two_phases(self, mq: DecisionLog, touched: Sequence[PostgresSource | SqlSource]) -> None:
        self._forget_answered()
        if len(self.unanswered) + len(touched) > BRANCHES_MAX:
            raise coordination_error(f"{len(self.unanswered)} branches have not answered: no more coordinated work")
        identity = self._register(mq)
        self.counter += 1
        self._move(Event.PREPARE)
        try:
            self._at("before prepare")
            for number, source in enumerate(touched):
                assert isinstance(source, PostgresSource)
                if number:
                    self._at("between prepares")
                self._prepare(source, identity.gid(self.counter, source.settings.name))
            if not self.voted:
                mq.commit()
                self._move(Event.ONE_PHASE)
                return
            self._move(Event.VOTED)
            self._at("after prepare")
            self._put_token(mq, identity)
            self._at("after decision put")
        except BaseException:
            self.rollback()
            raise
        self._decide(mq)
        self._at("after MQCMIT")
        self._second_phase()

    def _prepare(self, source: PostgresSource, gid: str) -> None:
        self.branches.enter(Branch(gid, source.settings.name))  # C1
        try:
            branch = source.prepare(gid)
        except BrokerError as error:
            # The vote is no, or the connection was lost and a branch may be there: recovery rolls that one back.
            self.branches.abandon(gid)
            raise coordination_error(f"data source {source.settings.name} did not prepare", error) from error
        if branch is None:
            self.branches.leave(gid)
        else:
            self.voted.append(branch)

    def _put_token(self, mq: DecisionLog, identity: Identity) -> None:
        """Get the last token and put the next one: branches of this unit of work, and those unanswered (C3, C5)."""
        if not mq.remove_decision(identity.token_id(self.token)):
            self.identity = None
            raise coordination_error(
                f"{self._name()}: another process has recovered instance {identity} of the execution group; "
                "the unit of work is backed out"
            )
        carried = [*self.unanswered.values(), *self.voted]
        decision = self._message("token", carried)
        mq.put_decision(identity.token_id(self.counter), identity.correlation_id, decision.pack())

    def _decide(self, mq: DecisionLog) -> None:
        self._move(Event.DECIDE)
        try:
            mq.commit()
        except (BackedOut, UnitOfWorkTooBig):
            self._backed_out()
            raise
        except BaseException:
            self._move(Event.UNKNOWN)
            raise
        self._decided()

    def settle(self, mq: DecisionLog) -> bool:
        """Find the outcome of a unit of work without an answer to MQCMIT; return whether it is resolved.

        `begin` does this with the next message. An instance calls it while no message comes, or a branch that was
        decided would stay prepared until then. Raises MQError if the connection is lost.
        """
        if self.state is State.UNCERTAIN:
            self._mq = mq
            try:
                self._settle(mq)
            except BrokerError as error:
                LOGGER.info("%s", error)
        return self.state is not State.UNCERTAIN

    def _settle(self, mq: DecisionLog) -> None:
        """Find the outcome of a unit of work with an unanswered MQCMIT (decisions.py has the table)."""
        identity = self.identity
        assert identity is not None
        if mq.visible(identity.token_id(self.counter)):
            self._decided()
            LOGGER.warning("%s: unit of work %d was committed; its branches follow", self._name(), self.counter)
            self._second_phase()
        elif mq.visible(identity.token_id(self.token)):
            LOGGER.warning("%s: unit of work %d was backed out", self._name(), self.counter)
            self._backed_out()
        elif not mq.visible(identity.registration_id):
            # Its branches stay in the live table, so that recovery of this process leaves them alone.
            LOGGER.error("%s: another process has settled unit of work %d", self._name(), self.counter)
            self._move(Event.BACKED_OUT)
            self.voted, self.identity = [], None
        else:
            raise coordination_error(f"{self._name()}: the outcome of unit of work {self.counter} is not known yet")

    def _decided(self) -> None:
        self._move(Event.DECIDED)
        self.token = self.counter
        for branch in self.voted:
            self.unanswered[branch.gid] = branch
        self.voted = []

    def _backed_out(self) -> None:
        self._move(Event.BACKED_OUT)
        self._abandon()

    def _abandon(self) -> None:
        """Roll back the branches that voted. If a database does not answer, its branch is left to recovery."""
        voted, self.voted = self.voted, []
        for branch in voted:
            source = self.sources.in_unit[branch.source]
            assert isinstance(source, PostgresSource)
            try:
                source.rollback()
                source.finish(branch.gid, "ROLLBACK")
            except BrokerError as error:
                LOGGER.warning("%s: branch %s is left to recovery: %s", self._name(), branch.gid, error)
                self.branches.abandon(branch.gid)
            else:
                self.branches.leave(branch.gid)

    def _second_phase(self) -> None:
        for number, branch in enumerate(list(self.unanswered.values())):
            if number:
                self._at("between commits")
            try:
                self._commit_branch(branch)
            except BrokerError as error:
                # From now on recovery commits it, too.
                self.branches.decide([branch])
                LOGGER.warning("%s: branch %s is decided, and not committed yet: %s", self._name(), branch.gid, error)
        self._move(Event.ANSWERED)
        self._at("before removal")

    def _commit_branch(self, branch: Branch) -> None:
        source = self.sources.in_unit[branch.source]
        assert isinstance(source, PostgresSource)
        problem = commit_branch(source, branch)
        if problem:
            LOGGER.error("%s: %s", self._name(), problem)
            self._record(branch, problem)
        self.unanswered.pop(branch.gid, None)
        self.branches.leave(branch.gid)

    def _record(self, branch: Branch, problem: str) -> None:
        """Put a message that records a heuristic outcome, outside of any unit of work."""
        identity, mq = self.identity, self._mq
        if identity is not None and mq is not None:
            record_heuristic(mq, identity, self._message("heuristic", [branch], problem))

    def _forget_answered(self) -> None:
        """Remove branches that recovery has committed meanwhile."""
        if self.unanswered:
            decided = self.branches.decided()
            self.unanswered = {gid: branch for gid, branch in self.unanswered.items() if gid in decided}

    def _register(self, mq: DecisionLog) -> Identity:
        """Return the identity; with the first unit of work, put its token and its registration."""
        if self.identity is None:
            identity = self.branches.new_identity(self.member.owner)
            self.token = self.counter = 0
            # Recovery commits branches of a token that it took; this process does not carry them any more.
            self.unanswered = {}
            # The token first: a registration without a visible token means a unit of work in flight.
            token = self._message("token", [])
            mq.put_decision(identity.token_id(0), identity.correlation_id, token.pack(), syncpoint=False)
            registration = self._message("registration", [])
            mq.put_decision(identity.registration_id, identity.correlation_id, registration.pack(), syncpoint=False)
            self.identity = identity
        return self.identity

    # -- small things -------------------------------------------------------------------------------------------------

    def _message(self, kind: str, branches: list[Branch], text: str = "") -> Decision:
        member = self.member
        return Decision(kind, member.broker, member.execution_group, member.flow, branches, text, now())

    def _move(self, event: Event) -> None:
        target = MOVES.get((self.state, event))
        if target is None:
            raise IllegalMove(f"{self.state.value}, {event.value}: {self._story()}")
        self._history.append((self.state, event, target))
        self.state = target

    def _at(self, step: str) -> None:
        if self._observe is not None:
            self._observe(step)

    def _name(self) -> str:
        member = self.member
        return f"{member.broker}.{member.execution_group}.{member.flow}"

    def _story(self) -> str:
        return f"{self._name()}: " + "; ".join(f"{a.value} -{b.value}-> {c.value}" for a, b, c in self._history)


def commit_branch(source: PostgresSource, branch: Branch) -> str:
    """Commit a decided branch with a verified vote. Return a sentence if the outcome is heuristic, else nothing.

    Raise a BrokerError if the database does not answer; the call can be repeated: a gid that the database does not know
    is looked for by the number of its transaction.
    """
    if source.finish(branch.gid, "COMMIT"):
        return ""
    status = source.status_of(branch.xid)
    if status == "committed":
        return ""
    name = f"branch {branch.gid} of data source {branch.source}"
    if status == "aborted":
        return f"{name} was rolled back by another program; the queue manager had decided to commit it"
    return f"{name} is gone, and its outcome is not known (transaction {branch.xid} {status or 'unknown'})"


def record_heuristic(mq: DecisionLog, identity: Identity, decision: Decision) -> None:
    """Put the message of a heuristic outcome; an error is logged."""
    try:
        mq.put_decision(
            heuristic_id(decision.branches[0].gid), identity.correlation_id, decision.pack(), syncpoint=False
        )
    except MQError as error:
        LOGGER.error("a heuristic outcome could not be recorded: %s: %s", decision.text, error)


def check_coordinator(coordinator: Coordinator) -> None:
    """Assert the invariants of the module docstring that a coordinator shows."""
    state, branches = coordinator.state, coordinator.branches
    live, decided = branches.live(), branches.decided()
    in_doubt = (State.PREPARING, State.PREPARED, State.DECIDING, State.UNCERTAIN)
    assert not coordinator.voted or state in in_doubt, f"C4: voted branches while {state.value}"
    for branch in coordinator.voted:
        assert branch.gid in live, f"C1: {branch.gid} is not live"
        assert branch.gid not in decided, f"C2: {branch.gid} is decided while {state.value}"
        assert branch.xid, f"C3: the vote of {branch.gid} was not verified"
    for gid in coordinator.unanswered:
        assert gid not in live or state is State.COMMITTING, f"C1: {gid} is live while {state.value}"
    if state in (State.PREPARED, State.DECIDING, State.UNCERTAIN):
        assert coordinator.voted, f"C3: {state.value} without a branch"
        assert coordinator.counter > coordinator.token, "C6: the token is not older than the unit of work"
    if state in (State.DECIDING, State.UNCERTAIN, State.COMMITTING):
        assert coordinator.identity is not None, "C6: decided without registration"
    if state is State.IDLE:
        assert not any(each.touched for each in coordinator.sources.in_unit.values()), (
            "S1: idle with an open transaction"
        )
