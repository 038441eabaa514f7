"""Resolve branches that a process or a connection has left behind: at the start of an execution group, and by timer.

    recovery = Recovery(member, settings, branches, lambda: QueueDecisions(qm))
    recovery.check(["SHOP"])             # the data sources of coordinated flows
    recovery.start()                     # before flows start
    recovery.run_once()                  # by timer
    recovery.pending()                   # rows for a display
    recovery.resolve(gid, "commit")      # an operator decides: commit, rollback or forget

A round takes the tokens of earlier processes of the execution group away (which fences them), lists prepared
transactions of every data source, and does by the first row that fits:

| prepared branch | action |
|---|---|
| the gid is not of FlintMQ, or of another queue manager, broker, execution group or worker | none, ever |
| of this process, and an instance works on it | none |
| of this process, and decided | commit |
| of this process, otherwise | roll back: no instance can decide it any more (C1) |
| of an earlier process, in a token that this round holds | commit |
| of an earlier process whose token this round holds, otherwise | roll back |
| of an earlier process that is registered, token not visible | none: the queue manager still has its unit of work |
| of an earlier process, not registered | roll back, after the grace interval |

`action_for` is that table. A worker recovers its own branches; the first worker of a group also those of workers that
the group had once and has no more (`adopted`). The grace interval counts from the first round that saw the branch, by
the monotonic clock of this process. Where a token is held no interval is needed: its owner cannot decide any more.

    R1  A branch is rolled back only if no token names it, and its instance cannot put one any more.
    R2  A token is removed only after every branch that it names was committed, or its heuristic outcome recorded.
    R3  A data source that does not answer stops nothing else: its branches to commit go into a new token.

A round holds tokens under syncpoint. If it fails, they come back, and the next round repeats it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.runtime.coordination import Member, commit_branch, record_heuristic
from flintmq.broker.runtime.data_sources import PostgresSource, Settings, check_coordinated, configuration_error
from flintmq.broker.runtime.decisions import (
    BRANCHES_MAX,
    Branch,
    Branches,
    Decision,
    DecisionLog,
    Gid,
    Identity,
    Owner,
    heuristic_id,
    now,
    parse_gid,
    unpack,
)
from flintmq.mqi.call_errors import MQError

LOGGER: Final = logging.getLogger("flintmq.broker.recovery")
GRACE_S: Final = 60.0
#: Prepared transactions that one round reads from a data source, and rows that a display shows.
PREPARED_MAX: Final = 1000
#: Counter of tokens that recovery puts: no unit of work of an instance gets so far.
_FENCED: Final = 1 << 63


@dataclass(slots=True)
class Row:
    """A line of a display."""

    gid: str
    source: str
    #: active, decided, in doubt, in flight, heuristic, unreachable
    state: str
    age_s: float
    text: str = ""


@dataclass(slots=True)
class Outcome:
    """Result of a round of recovery."""

    committed: int = 0
    rolled_back: int = 0
    heuristic: int = 0
    #: Branches that wait: for a data source, for the grace interval, or for the queue manager.
    waiting: int = 0
    #: Data sources that did not answer.
    unreachable: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Return whether nothing is left to do."""
        return not self.waiting and not self.unreachable


@dataclass(slots=True)
class _Token:
    """A token that a round holds, or sees."""

    identity: Identity
    message_id: bytes
    decision: Decision
    left: list[Branch] = field(default_factory=list)


@dataclass(slots=True)
class _Seen:
    """The coordination queue as a round sees it."""

    #: Tokens of earlier processes, held under syncpoint.
    held: list[_Token] = field(default_factory=list)
    #: Instances of earlier processes that are registered, and whose token is not visible.
    in_flight: set[Identity] = field(default_factory=set)
    heuristic: list[tuple[bytes, Decision]] = field(default_factory=list)


def action_for(
    gid: Gid | None, owners: Collection[Owner], branches: Branches, seen: _Seen, decided: Mapping[str, Branch]
) -> str:
    """Return the action for a prepared branch by the table: none, live, commit, rollback, wait or grace."""
    if gid is None or gid.identity.owner not in owners:
        return "none"
    if gid.identity.incarnation == branches.incarnation:
        # Asked in one step: a branch may become decided between two questions.
        return {"live": "live", "decided": "commit", "": "rollback"}[branches.state_of(gid.text)]
    if gid.text in decided:
        return "commit"
    if any(token.identity == gid.identity for token in seen.held):
        return "rollback"
    return "wait" if gid.identity in seen.in_flight else "grace"


class Recovery:
    """Recovery of one execution group. Rounds run one at a time; any thread may call."""

    def __init__(
        self,
        member: Member,
        settings: Mapping[str, Settings],
        branches: Branches,
        connect: Callable[[], DecisionLog],
        grace_s: float = GRACE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.member = member
        self._owners = {member.owner.group: member.owner}
        self.branches = branches
        self.grace_s = grace_s
        self._settings = settings
        self._connect = connect
        self._mq: DecisionLog | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._sources = {
            name: PostgresSource(each, "flintmq recovery") for name, each in settings.items() if each.can_prepare
        }
        #: When a round first saw a branch.
        self._first_seen: dict[str, float] = {}
        #: Messages that cannot be read, and data sources that are not configured: told once.
        self._told: set[str] = set()

    def adopt(self, names: Iterable[str]) -> None:
        """Resolve branches of these owners, too, from now on, and of no others. A process of theirs that still runs is
        fenced by each round: its unit of work is backed out.
        """
        owners = [self.member.owner, *(replace(self.member, execution_group=name).owner for name in names)]
        with self._lock:
            self._owners = {owner.group: owner for owner in owners}

    def check(self, names: Sequence[str]) -> None:
        """Raise a BrokerError if a data source of a coordinated flow cannot prepare; log one that is down."""
        check_coordinated(self._settings, names)
        with self._lock:
            for name in names:
                try:
                    self._sources[name].check_prepared_transactions()
                except BrokerError as error:
                    if error.kind == "ConfigurationException":
                        raise
                    LOGGER.warning("%s: data source %s could not be checked: %s", self._name(), name, error)

    # -- rounds -------------------------------------------------------------------------------------------------------

    def start(self, timeout_s: float = 10.0) -> Outcome:
        """Run rounds until nothing is left to do, at most for some seconds. Raises MQError if MQ cannot be reached."""
        end = self._clock() + timeout_s
        total = Outcome()
        pause = threading.Event()
        while True:
            found = self.run_once()
            total.committed += found.committed
            total.rolled_back += found.rolled_back
            total.heuristic += found.heuristic
            total.waiting, total.unreachable = found.waiting, found.unreachable
            if found.complete or self._clock() >= end:
                break
            pause.wait(min(0.05, self.grace_s or 0.05))
        if not total.complete:
            LOGGER.warning(
                "%s: %d branches wait for recovery; data sources that do not answer: %s",
                self._name(),
                total.waiting,
                ", ".join(total.unreachable) or "none",
            )
        return total

    def run_once(self) -> Outcome:
        """Run one round. Raises MQError if the queue manager cannot be reached."""
        with self._lock:
            mq = self._mq
            try:
                if mq is None:
                    mq = self._mq = self._connect()
                return self._round(mq)
            except BaseException:
                self._drop(mq)
                raise

    def close(self) -> None:
        """Close the connections to databases."""
        with self._lock:
            for source in self._sources.values():
                source.close()

    def _drop(self, mq: DecisionLog | None) -> None:
        """Back out the work of a round and forget the connection."""
        self._mq = None
        if mq is not None:
            try:
                mq.backout()
            except MQError:
                pass  # The connection is lost: the queue manager backs out.

    def _round(self, mq: DecisionLog) -> Outcome:
        outcome = Outcome()
        seen = self._take_tokens(mq)
        decided = self.branches.decided()
        by_gid = dict(decided)
        for token in seen.held:
            by_gid.update((branch.gid, branch) for branch in token.decision.branches)
        unreachable: set[str] = set()
        present: set[str] = set()
        for name, source in self._sources.items():
            try:
                self._round_of(name, source, seen, by_gid, present, outcome, mq)
            except BrokerError as error:
                unreachable.add(name)
                LOGGER.warning("%s: recovery of data source %s: %s", self._name(), name, error)
        # Decided branches that are not prepared any more: committed before, or a heuristic outcome.
        for branch in by_gid.values():
            if branch.gid in present or branch.source in unreachable:
                continue
            self._missing(branch, unreachable, outcome, mq)
        for gid in list(self._first_seen):
            if gid not in present and not unreachable:
                del self._first_seen[gid]
        self._end_tokens(mq, seen, unreachable, outcome)
        outcome.unreachable = sorted(unreachable)
        outcome.waiting += len(seen.in_flight)
        return outcome

    def _take_tokens(self, mq: DecisionLog) -> _Seen:
        """Read the coordination queue and hold the tokens of earlier processes of this execution group."""
        seen = _Seen()
        registered: dict[Identity, bytes] = {}
        tokens: list[_Token] = []
        for stored in mq.decisions():
            try:
                decision = unpack(stored.data)
            except ValueError as error:
                self._tell(stored.message_id.hex(), f"a message on the coordination queue is left alone: {error}")
                continue
            identity = self._identity(stored.correlation_id)
            if identity is None:
                continue
            if decision.kind == "heuristic":
                seen.heuristic.append((stored.message_id, decision))
            elif identity.incarnation == self.branches.incarnation:
                continue
            elif decision.kind == "registration":
                registered[identity] = stored.message_id
            else:
                tokens.append(_Token(identity, stored.message_id, decision))
        for token in tokens:
            if mq.remove_decision(token.message_id):
                seen.held.append(token)
                if token.identity in registered:
                    mq.remove_decision(token.identity.registration_id)
        held = {token.identity for token in seen.held}
        seen.in_flight = {identity for identity in registered if identity not in held}
        return seen

    def _round_of(
        self,
        name: str,
        source: PostgresSource,
        seen: _Seen,
        decided: Mapping[str, Branch],
        present: set[str],
        outcome: Outcome,
        mq: DecisionLog,
    ) -> None:
        """Resolve the prepared branches of one data source."""
        # Read after the tokens are held: a branch that is prepared later cannot be decided by their owners.
        for found in source.prepared(PREPARED_MAX):
            gid = parse_gid(found.gid)
            if gid is None or gid.source != name:
                continue
            action = action_for(gid, self._owners.values(), self.branches, seen, decided)
            if action == "none" or action == "live":
                continue
            present.add(gid.text)
            if action == "grace":
                first = self._first_seen.setdefault(gid.text, self._clock())
                if self._clock() - first < self.grace_s:
                    outcome.waiting += 1
                    continue
            if action == "wait":
                continue
            if action == "commit":
                branch = decided.get(gid.text) or self.branches.decided().get(gid.text)
                if branch is not None:
                    self._commit(source, branch, outcome, mq)
            elif source.finish(gid.text, "ROLLBACK"):
                outcome.rolled_back += 1
                LOGGER.warning("%s: rolled back branch %s of %s: no decision", self._name(), gid.text, name)

    def _commit(self, source: PostgresSource, branch: Branch, outcome: Outcome, mq: DecisionLog) -> None:
        problem = commit_branch(source, branch)
        if problem:
            outcome.heuristic += 1
            LOGGER.error("%s: %s", self._name(), problem)
            parsed = parse_gid(branch.gid)
            if parsed is not None:
                record_heuristic(mq, parsed.identity, self._heuristic(branch, problem))
        else:
            outcome.committed += 1
            LOGGER.warning("%s: committed branch %s of %s: decided", self._name(), branch.gid, branch.source)
        self.branches.leave(branch.gid)

    def _missing(self, branch: Branch, unreachable: set[str], outcome: Outcome, mq: DecisionLog) -> None:
        """See to a decided branch that is not prepared: by the number of its transaction."""
        source = self._sources.get(branch.source)
        if source is None:
            self._tell(branch.source, f"data source {branch.source} has decided branches and is not configured")
            unreachable.add(branch.source)
            return
        try:
            if source.status_of(branch.xid) == "committed":
                self.branches.leave(branch.gid)
            else:
                self._commit(source, branch, outcome, mq)
        except BrokerError as error:
            LOGGER.warning("%s: branch %s: %s", self._name(), branch.gid, error)
            unreachable.add(branch.source)

    def _end_tokens(self, mq: DecisionLog, seen: _Seen, unreachable: set[str], outcome: Outcome) -> None:
        """Remove tokens of finished branches; put new ones for branches of data sources that did not answer (R2)."""
        for number, token in enumerate(seen.held):
            left = [branch for branch in token.decision.branches if branch.source in unreachable]
            if left:
                decision = token.decision
                made = Decision(
                    "token", decision.broker, decision.execution_group, decision.flow, left, "", decision.time
                )
                serial = int.from_bytes(token.message_id[16:], "big")
                message_id = token.identity.token_id(max(serial, _FENCED) + 1 + number)
                mq.put_decision(message_id, token.identity.correlation_id, made.pack())
                outcome.waiting += len(left)
        if seen.held:
            mq.commit()

    # -- display and operator -----------------------------------------------------------------------------------------

    def pending(self) -> list[Row]:
        """Return branches that are not settled, and heuristic outcomes. Nothing is changed."""
        with self._lock:
            rows: dict[str, Row] = {}
            mq = self._mq = self._mq or self._connect()
            decided = dict(self.branches.decided())
            started = now()
            try:
                stored = mq.decisions()
            except MQError:
                self._drop(mq)
                raise
            for each in stored:
                identity = self._identity(each.correlation_id)
                if identity is None:
                    continue
                try:
                    decision = unpack(each.data)
                except ValueError:
                    continue
                if decision.kind == "heuristic":
                    for branch in decision.branches:
                        age = max(0.0, started - decision.time)
                        rows[branch.gid] = Row(branch.gid, branch.source, "heuristic", age, decision.text)
                elif identity.incarnation != self.branches.incarnation:
                    decided.update((branch.gid, branch) for branch in decision.branches)
            for name, source in self._sources.items():
                try:
                    listed = source.prepared(PREPARED_MAX)
                except BrokerError as error:
                    rows[f" {name}"] = Row("", name, "unreachable", 0.0, str(error))
                    continue
                for found in listed:
                    gid = parse_gid(found.gid)
                    if gid is None or gid.source != name or gid.identity.owner not in self._owners.values():
                        continue
                    live = self.branches.is_live(found.gid)
                    state = "active" if live else "decided" if found.gid in decided else "in doubt"
                    rows[found.gid] = Row(found.gid, name, state, found.age_s)
            return list(rows.values())[:PREPARED_MAX]

    def owns(self, gid: str) -> bool:
        """Return whether a gid is of an owner that this recovery sees to."""
        parsed = parse_gid(gid)
        return parsed is not None and parsed.identity.owner in self._owners.values()

    def resolve(self, gid: str, action: str) -> str:
        """Settle a branch as an operator says; return a sentence. Raise a BrokerError if that is not possible.

        `commit` and `rollback` end a prepared branch, and record a heuristic outcome if it contradicts the decision.
        `forget` removes the record of a heuristic outcome.
        """
        if action not in ("commit", "rollback", "forget"):
            raise configuration_error(f"the action is commit, rollback or forget, not {action!r}")
        parsed = parse_gid(gid)
        if parsed is None or not self.owns(gid):
            raise configuration_error(f"{gid} is no branch of this broker and execution group")
        with self._lock:
            mq = self._mq = self._mq or self._connect()
            try:
                if action == "forget":
                    if not mq.remove_decision(heuristic_id(gid), syncpoint=False):
                        raise configuration_error(f"there is no heuristic outcome of {gid}")
                    return f"{gid} is forgotten"
                return self._resolve(mq, parsed, action)
            except MQError:
                self._drop(mq)
                raise

    def _resolve(self, mq: DecisionLog, gid: Gid, action: str) -> str:
        if self.branches.is_live(gid.text):
            raise configuration_error(f"an instance works on {gid.text}")
        source = self._sources.get(gid.source)
        if source is None:
            raise configuration_error(f"data source {gid.source} is not configured")
        decided = gid.text in self.branches.decided() or any(
            gid.text in {branch.gid for branch in decision.branches}
            for stored in mq.decisions()
            if (decision := self._readable(stored.data)) is not None and decision.kind == "token"
        )
        if not source.finish(gid.text, action.upper()):
            raise configuration_error(f"data source {gid.source} has no prepared branch {gid.text}")
        LOGGER.warning("%s: an operator resolved branch %s: %s", self._name(), gid.text, action)
        if decided != (action == "commit"):
            text = f"an operator chose {action}; the decision was {'commit' if decided else 'rollback'}"
            record_heuristic(mq, gid.identity, self._heuristic(Branch(gid.text, gid.source), text))
            return f"{gid.text}: {action} is done, and contradicts the decision"
        return f"{gid.text}: {action} is done"

    # -- small things -------------------------------------------------------------------------------------------------

    def _readable(self, data: bytes) -> Decision | None:
        try:
            return unpack(data)
        except ValueError:
            return None

    def _identity(self, correlation_id: bytes) -> Identity | None:
        """Return the instance that a CorrelId names; None if it belongs to another owner."""
        owner = self._owners.get(correlation_id[:8].hex())
        if owner is None:
            return None
        return Identity(owner, correlation_id[8:14].hex(), int.from_bytes(correlation_id[14:16], "big"))

    def _heuristic(self, branch: Branch, text: str) -> Decision:
        member = self.member
        return Decision("heuristic", member.broker, member.execution_group, member.flow, [branch], text, now())

    def _tell(self, key: str, text: str) -> None:
        if key not in self._told and len(self._told) < BRANCHES_MAX:
            self._told.add(key)
            LOGGER.warning("%s: %s", self._name(), text)

    def _name(self) -> str:
        return f"{self.member.broker}.{self.member.execution_group}"
