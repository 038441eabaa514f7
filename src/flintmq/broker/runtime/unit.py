"""The unit of work of an instance: queue manager, state of flows, databases, ended together.

    commit    state is written to its queue, in the unit of work; then, without databases, MQCMIT; with databases the
              coordinator commits them before the queue manager, or together with it (coordination.py); then memory
              follows (state_queue.py, S1)
    backout   everything is taken back

The coordinator's log of decisions is the session's own connection, so that a decision is part of the same unit of work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql.run import DataSource
from flintmq.broker.runtime.queue_session import InputSource, QueueSession
from flintmq.broker.runtime.services import BrokerServices, Flows, UserTrace
from flintmq.broker.runtime.state_queue import StateQueue, StateUnit

if TYPE_CHECKING:
    from flintmq.broker.runtime.coordination import Coordinator
    from flintmq.broker.runtime.decisions import DecisionLog
    from flintmq.broker.runtime.observer import Observer
    from flintmq.mqi.md import MQMD


class NoDatabases:
    """Data sources of a broker that has none."""

    def source(self, name: str, separate: bool = False) -> DataSource:
        """Raise 2321: the data source is not configured."""
        raise BrokerError(
            2321,
            f"there is no data source {name!r}; configure it for the broker",
            inserts=(name,),
            kind="DatabaseException",
            sqlstate="D08001",
        )


class Unit:
    """One connection, and everything that a message does through it. Used by one thread."""

    def __init__(
        self,
        session: QueueSession,
        flows: Flows,
        state: StateQueue,
        user_trace: UserTrace,
        coordinator: Coordinator | None = None,
        decisions: DecisionLog | None = None,
    ) -> None:
        self.session = session
        self._state = StateUnit(state, session)
        self._coordinator = coordinator
        self._decisions = decisions
        self._is_coordinated = coordinator is not None and coordinator.member.coordinated
        self._begun = False
        #: Looks at the message under way; None if nothing does.
        self.observer: Observer | None = None
        self.services = BrokerServices(session, self if coordinator else NoDatabases(), flows, self._state, user_trace)

    def source(self, name: str, separate: bool = False) -> DataSource:
        """Return a data source; its work belongs to this unit unless it is `separate`."""
        coordinator = self._coordinator
        assert coordinator is not None and self._decisions is not None
        if not self._begun:
            coordinator.begin(self._decisions)
            self._begun = True
        return coordinator.source(name, separate)

    @property
    def stands_alone(self) -> bool:
        """Return whether the message needs a commit of its own: its work includes databases."""
        return self._begun

    def commit(self) -> None:
        """Commit. Raise MQError or BrokerError if the unit was not committed; `backout` follows then."""
        observer = self.observer
        if observer is not None:
            observer.finish(self)
        self._state.flush()
        if self._begun:
            assert self._coordinator is not None
            self.session.flush()  # A database is not committed for an output that is refused.
            self._begun = False
            self._coordinator.commit(self.session.in_unit)
            self.session.ended(True)
        else:
            self.session.commit()
        self._state.committed()
        if observer is not None:
            observer.end(self, True)

    def commit_and_get(
        self, source: InputSource, wait_ms: int, committed: Callable[[], None]
    ) -> tuple[MQMD, bytes] | None:
        """Commit, and get the next message as the session does.

        A unit of work with state, an observer or coordinated databases is committed first: an observer may make calls
        at the end, and branches of databases are finished after MQCMIT, while the get would wait. Databases that are
        not coordinated are committed before MQCMIT, which goes together with the get.
        """
        if self._state.is_used or self.observer is not None or self._begun and self._is_coordinated:
            self.commit()
            committed()
            return None
        if self._begun:
            assert self._coordinator is not None
            self.session.flush()  # A database is not committed for an output that is refused.
            self._begun = False
            self._coordinator.commit_before_queue_manager()
        return self.session.commit_and_get(source, wait_ms, committed)

    def backout(self) -> None:
        """Back out."""
        self._state.drop()
        if self._begun:
            assert self._coordinator is not None
            self._begun = False
            self._coordinator.rollback()
            self.session.ended(False)
        else:
            self.session.backout()
        if self.observer is not None:
            self.observer.end(self, False)

    def idle(self) -> None:
        """Find the outcome of an unanswered coordinated commit, while the queue is empty. Raise MQError."""
        if self._coordinator is not None and self._decisions is not None:
            self._coordinator.settle(self._decisions)

    def close(self) -> None:
        """Back out open work and disconnect."""
        self._state.drop()
        if self._coordinator is not None:
            if not self.session.is_broken:
                self._coordinator.close(self._decisions)
            elif self._begun:
                self._coordinator.rollback()  # It goes on with the next connection of the instance.
        self.session.close()
