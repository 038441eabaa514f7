"""The counters of the log."""

from flintmq.log import LogConfig, LogCounters
from flintmq.log.counters import NAMES
from tests.log.conftest import Place


def test_every_counter_has_its_name_in_the_list() -> None:
    counters = LogCounters()
    public = [name for name in dir(counters) if not name.startswith("_") and isinstance(getattr(counters, name), int)]
    assert sorted(NAMES) == sorted(public)
    assert set(counters.values().values()) == {0}


def test_a_life_is_counted(place: Place) -> None:
    log = place.create(LogConfig(file_pages=16))
    for _ in range(2):
        for _ in range(5):
            log.append(1, bytes(1000))
        log.flush()
    log.checkpoint(log.end, 1)
    values = log.counters.values()
    assert (values["records"], values["bytes"]) == (10, 10 * 1040)
    assert (values["flushes"], values["writes"], values["syncs"], values["pages"]) == (2, 2, 2, 4)
    assert (values["checkpoints"], values["control_writes"]) == (1, 2)
    log.close()
    log, _ = place.reopen()
    assert log.counters.records_replayed == 0
    log.close()


def test_the_time_without_a_flush_is_idle_until_it_is_asked_for() -> None:
    """An interval of statistics without a flush is idle as a whole; another one has the time between its flushes."""
    counters = LogCounters()
    first = counters.idle_until(1_000)
    assert counters.idle_until(61_000) - first == 60_000
    counters.flushed(1, 70_000, 80_000)
    assert counters.idle_until(100_000) - first == 69_000 + 20_000
    counters.flushed(1, 100_000, 130_000)
    assert counters.idle_until(130_000) - first == 69_000 + 20_000
