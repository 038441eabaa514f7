"""Group commit: one flush for many, none too few, and an error reaches everybody."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from flintmq.host.group_commit import GroupCommit
from flintmq.log.errors import LogError
from tests.waiting import PATIENCE, until


class SlowLog:
    """A log whose flush waits for the test: what was appended when it begins is durable when it ends."""

    def __init__(self) -> None:
        self.end = 0
        self.durable = 0
        self.flushed_by: list[int] = []
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)
        self.broken = False

    @property
    def flushes(self) -> int:
        return len(self.flushed_by)

    def append(self, kind: int = 0, body: bytes = b"", data: bytes = b"") -> int:
        self.end += 1
        return self.end

    def flush(self) -> int:
        position = self.end
        self.flushed_by.append(threading.get_ident())
        self.begun.release()
        assert self.may_end.acquire(timeout=PATIENCE)
        if self.broken:
            raise LogError("the disk is gone")
        self.durable = position
        return position

    def checkpoint(self, position: int, generation: int, note: bytes = b"") -> None:
        raise AssertionError("not here")


@pytest.fixture
def log() -> SlowLog:
    return SlowLog()


@pytest.fixture
def commits(log: SlowLog) -> GroupCommit:
    return GroupCommit(log)


def start(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def join(*threads: threading.Thread) -> None:
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_lone_committer_flushes_in_its_own_thread(log: SlowLog, commits: GroupCommit) -> None:
    log.may_end.release()
    commits.wait(log.append())
    assert log.flushed_by == [threading.get_ident()]
    assert log.durable == 1


def test_what_is_durable_already_is_not_flushed_again(log: SlowLog, commits: GroupCommit) -> None:
    log.durable = 5
    commits.wait(5)
    assert log.flushes == 0


def test_those_who_come_during_a_flush_share_the_next_one(log: SlowLog, commits: GroupCommit) -> None:
    first = start(lambda: commits.wait(log.append()))
    assert log.begun.acquire(timeout=PATIENCE)
    others = [start(lambda: commits.wait(log.append())) for _ in range(7)]
    until(lambda: len(commits._followers) == 7)
    log.may_end.release()
    join(first)
    assert log.begun.acquire(timeout=PATIENCE)  # One of the seven leads.
    assert log.durable == 1
    log.may_end.release()
    join(*others)
    assert (log.durable, log.flushes, commits.rides) == (8, 2, 6)
    assert not commits._flushing and not commits._followers


def test_a_follower_whose_record_was_in_the_flush_that_it_met_needs_no_other(
    log: SlowLog, commits: GroupCommit
) -> None:
    mine = log.append()
    first = start(lambda: commits.wait(log.append()))
    assert log.begun.acquire(timeout=PATIENCE)
    second = start(lambda: commits.wait(mine))
    until(lambda: len(commits._followers) == 1)
    log.may_end.release()
    join(first, second)
    assert (log.flushes, commits.rides) == (1, 1)


def test_an_io_error_reaches_everybody_who_waits(log: SlowLog, commits: GroupCommit) -> None:
    errors: list[str] = []

    def committer() -> None:
        try:
            commits.wait(log.append())
        except LogError as error:
            errors.append(str(error))

    first = start(committer)
    assert log.begun.acquire(timeout=PATIENCE)
    others = [start(committer) for _ in range(3)]
    until(lambda: len(commits._followers) == 3)
    log.broken = True
    for _ in range(4):
        log.may_end.release()
    join(first, *others)
    assert errors == ["the disk is gone"] * 4
    assert log.durable == 0


def test_one_who_must_not_block_is_told_to_lead_or_that_it_is_covered(log: SlowLog, commits: GroupCommit) -> None:
    told: list[str] = []

    class Task:
        def __init__(self, name: str, position: int) -> None:
            self.name = name
            self.position = position

        def covered(self) -> None:
            told.append(f"{self.name} covered")

        def lead(self) -> None:
            told.append(f"{self.name} leads")

    one, two, three = Task("one", log.append()), Task("two", log.append()), Task("three", log.append())
    assert commits.join(one) is True
    assert commits.join(two) is False
    log.may_end.release()
    commits.lead()
    assert told == ["two covered"]
    assert commits.join(three) is True
    four = Task("four", log.append() + 1)
    assert commits.join(four) is False
    log.may_end.release()
    commits.lead()
    assert told == ["two covered", "four leads"]
    log.append()
    log.may_end.release()
    commits.lead()
    assert not commits._flushing
