"""MQSTAT: asynchronous puts and what became of them."""

from __future__ import annotations

from flintmq.mqi.constants import (
    MQOT_Q,
    MQOT_Q_MGR,
    MQPMO_ASYNC_RESPONSE,
    MQPMO_SYNC_RESPONSE,
    MQSTAT_TYPE_ASYNC_ERROR,
    MQSTAT_TYPE_RECONNECTION,
    MQSTAT_TYPE_RECONNECTION_ERROR,
)
from flintmq.mqi.sts import MQSTS
from tests.qmgr.driver import App, Driver


def status(app: App) -> MQSTS:
    sts = MQSTS()
    assert app.qm.stat(app.connection, MQSTAT_TYPE_ASYNC_ERROR, sts) == 0
    return sts


def test_an_asynchronous_put_says_nothing_and_mqstat_says_it_later() -> None:
    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 2}))
    app = driver.app()
    q = app.open("Q")
    assert [app.put(q, options=MQPMO_ASYNC_RESPONSE) for _ in range(4)] == [0, 0, 0, 0]

    sts = status(app)
    assert (sts.put_success_count, sts.put_warning_count, sts.put_failure_count) == (2, 0, 2)
    assert (sts.comp_code, sts.reason, sts.object_type, sts.object_name) == (2, 2053, MQOT_Q, "Q")
    again = status(app)
    assert (again.put_success_count, again.put_failure_count, again.reason, again.object_name) == (0, 0, 0, "")
    driver.qm.check()


def test_a_failure_replaces_a_warning_and_is_not_replaced() -> None:
    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 1}), ("QLOCAL", "P", {"PUT": "DISABLED"}))
    app = driver.app()
    q, p = app.open("Q"), app.open("P")
    assert app.put(q, priority=12, options=MQPMO_ASYNC_RESPONSE) == 0  # 2049: the priority is cut to 9.
    assert app.put(q, options=MQPMO_ASYNC_RESPONSE) == 0  # 2053
    assert app.put(p, options=MQPMO_ASYNC_RESPONSE) == 0  # 2051
    sts = status(app)
    assert (sts.put_success_count, sts.put_warning_count, sts.put_failure_count) == (0, 1, 2)
    assert (sts.comp_code, sts.reason, sts.object_name) == (2, 2053, "Q")


def test_the_queue_may_ask_for_asynchronous_puts_and_the_application_overrule_it() -> None:
    driver = Driver(("QLOCAL", "Q", {"DEFPRESP": "ASYNC", "PUT": "DISABLED"}))
    app = driver.app()
    q = app.open("Q")
    assert app.put(q) == 0
    assert app.put(q, options=MQPMO_SYNC_RESPONSE) == 2051
    assert status(app).put_failure_count == 1


def test_a_unit_of_work_with_a_persistent_message_that_could_not_be_put_is_backed_out() -> None:
    """MQPMO_ASYNC_RESPONSE: "the commit fails and the transaction is backed out", 2003. Else it is committed."""
    for persistence, left in ((0, 2), (1, 0)):
        driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 2}))
        app = driver.app()
        q = app.open("Q")
        assert [app.put(q, b"", True, persistence=persistence, options=MQPMO_ASYNC_RESPONSE) for _ in range(3)] == [
            0,
            0,
            0,
        ]
        assert app.qm.commit(app.connection) == (2003 if persistence else 0)
        assert app.qm.queues["Q"].depth == left
        assert status(app).reason == 2053
        driver.qm.check()


def test_an_asynchronous_mqput1_that_finds_no_queue_is_a_failure_too() -> None:
    app = Driver().app()
    assert app.put1("NO.SUCH", options=MQPMO_ASYNC_RESPONSE) == 0
    sts = status(app)
    assert (sts.put_failure_count, sts.reason, sts.object_name) == (1, 2085, "NO.SUCH")


def test_a_connection_that_is_connected_has_no_reconnection_to_report() -> None:
    driver = Driver()
    app = driver.app()
    for kind in (MQSTAT_TYPE_RECONNECTION, MQSTAT_TYPE_RECONNECTION_ERROR):
        sts = MQSTS()
        assert app.qm.stat(app.connection, kind, sts) == 0
        assert (sts.reason, sts.object_type) == (0, MQOT_Q_MGR)


def test_mqstat_refuses_what_it_does_not_know() -> None:
    driver = Driver()
    app = driver.app()
    sts = MQSTS()
    assert app.qm.stat(app.connection, 3, sts) == 2430
    sts.version = 9
    assert app.qm.stat(app.connection, MQSTAT_TYPE_ASYNC_ERROR, sts) == 2426
    app.disconnect()
    assert app.qm.stat(app.connection, MQSTAT_TYPE_ASYNC_ERROR, MQSTS()) == 2018


def test_an_asynchronous_mqput1_is_counted_too() -> None:
    driver = Driver(("QLOCAL", "Q", {"MAXDEPTH": 1}))
    app = driver.app()
    assert [app.put1("Q", options=MQPMO_ASYNC_RESPONSE) for _ in range(2)] == [0, 0]
    assert app.completion == 0
    assert app.put1("Q") == 2053
    sts = status(app)
    assert (sts.put_success_count, sts.put_failure_count, sts.reason) == (1, 1, 2053)
    driver.qm.check()
