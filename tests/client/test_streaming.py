"""Streaming queues as a program and its operator meet them."""

from __future__ import annotations

import pytest

import flintmq
from tests.client.conftest import Opener

SET_UP = """
    DEFINE QLOCAL(ORDERS.AUDIT) MAXDEPTH(2)
    DEFINE QLOCAL(ORDERS) STREAMQ(ORDERS.AUDIT) STRMQOS({qos})
"""


def test_must_duplicate_is_an_exception_and_best_effort_is_not(qm: flintmq.QueueManager) -> None:
    """B42, B43."""
    qm.mqsc(SET_UP.format(qos="MUSTDUP"))
    orders = qm.queue("ORDERS")
    orders.put("1", persistent=True)
    with qm.transaction():
        orders.put("2", persistent=True)
    with pytest.raises(flintmq.MQError) as refused:
        orders.put("3")
    assert refused.value.reason == 2053
    assert [each.text for each in orders.browse()] == ["1", "2"]
    qm.mqsc("ALTER QLOCAL(ORDERS) STRMQOS(BESTEF)")
    orders.put("4")
    assert [each.text for each in orders.browse()] == ["1", "2", "4"]
    assert [each.text for each in qm.queue("ORDERS.AUDIT").messages()] == ["1", "2"]


def test_the_error_log_says_why_there_is_no_copy(open_disk: Opener) -> None:
    """B45, B46."""
    with open_disk() as qm:
        qm.mqsc(SET_UP.format(qos="BESTEF"))
        orders = qm.queue("ORDERS")
        for number in range(5):
            orders.put(str(number))
        assert qm.directory is not None
        log = (qm.directory / "errors" / "AMQERR01.LOG").read_text()
    assert log.count("CSQM587E") == 1
    line = next(line for line in log.splitlines() if "CSQM587E" in line)
    entry = log[log.index(line) :]
    assert "ORDERS.AUDIT" in entry and "2053" in entry


def test_a_command_that_would_make_a_chain_is_refused_in_words(qm: flintmq.QueueManager) -> None:
    qm.mqsc(SET_UP.format(qos="BESTEF"))
    answer = str(qm.mqsc("DEFINE QLOCAL(MORE) STREAMQ(ORDERS)", check=False))
    assert "3385" in answer and "MQRCCF_STREAMQ_DEST_CONFLICT" in answer
