"""Buffer pools: thresholds and counters."""

from hypothesis import given
from hypothesis import strategies as st

from flintmq.store.buffers import CALM, DEFERRED_WRITE, NO_BUFFERS, SYNC_WRITE, BufferPool, check_pool


def test_the_thresholds_are_85_and_95_percent_and_full() -> None:
    pool = BufferPool(0, 1000)
    assert [pool.take(849), pool.take(1)] == [CALM, DEFERRED_WRITE]
    assert [pool.take(99), pool.take(1)] == [DEFERRED_WRITE, SYNC_WRITE]
    assert [pool.take(50), pool.take(1)] == [SYNC_WRITE, NO_BUFFERS]
    assert (pool.deferred_write_reached, pool.sync_write_reached, pool.suspend_no_buffers) == (1, 1, 1)
    assert pool.lowest_stealable == 0


def test_a_threshold_counts_once_each_time_it_is_reached() -> None:
    pool = BufferPool(0, 100)
    for _ in range(3):
        for _ in range(90):
            pool.take(1)
        pool.release(90)
    assert pool.deferred_write_reached == 3
    assert pool.sync_write_reached == 0
    assert (pool.used, pool.changed, pool.level) == (0, 0, CALM)
    assert pool.lowest_stealable == 10
    pool.restart_interval()
    assert pool.lowest_stealable == 100


def test_what_is_written_can_be_dropped() -> None:
    pool = BufferPool(0, 100)
    pool.take(90)
    assert pool.to_spill() == 15
    pool.written(15, writes=2)
    assert (pool.used, pool.changed, pool.pages_written, pool.writes) == (90, 75, 15, 2)
    assert pool.to_spill() == 0
    pool.release(15, changed=False)
    assert (pool.used, pool.changed) == (75, 75)
    pool.take_read(40)
    assert (pool.used, pool.changed, pool.reads, pool.getp_old_requests) == (115, 75, 1, 40)
    assert pool.to_drop() == 15
    check_pool(pool)


def test_altering_the_size_takes_effect_at_once() -> None:
    pool = BufferPool(0, 1000)
    pool.take(100)
    pool.resize(110)
    assert pool.take(1) == DEFERRED_WRITE
    pool.resize(1000)
    assert pool.level == CALM
    check_pool(pool)


@given(st.lists(st.tuples(st.sampled_from(["take", "written", "read", "release"]), st.integers(1, 20)), max_size=60))
def test_any_history_keeps_the_invariants(history: list[tuple[str, int]]) -> None:
    pool = BufferPool(0, 50)
    for what, pages in history:
        if what == "take":
            pool.take(pages)
        elif what == "read":
            pool.take_read(pages)
        elif what == "written" and pool.changed >= pages:
            pool.written(pages)
        elif what == "release" and pool.used - pool.changed >= pages:
            pool.release(pages, changed=False)
        check_pool(pool)
