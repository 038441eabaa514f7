"""Selectors against what the public tests of Apache ActiveMQ and Apache Qpid cover (cases.py)."""

from __future__ import annotations

import pytest

from flintmq.selector import SelectorError, Value, Values, compile_selector
from tests.selector.cases import ACTIVEMQ, DIFFERENT, INVALID, QPID, Row


@pytest.mark.parametrize("row", ACTIVEMQ, ids=lambda row: str(row[1]))
def test_what_activemq_tests(row: Row) -> None:
    values, text, expected = row
    assert compile_selector(text).matches(Values(values)) is expected


@pytest.mark.parametrize("row", QPID, ids=lambda row: str(row[1]))
def test_what_qpid_tests(row: Row) -> None:
    values, text, expected = row
    assert compile_selector(text).matches(Values(values)) is expected


@pytest.mark.parametrize(("text", "position"), INVALID)
def test_what_both_refuse_is_refused_with_its_place(text: str, position: int) -> None:
    with pytest.raises(SelectorError) as caught:
        compile_selector(text)
    assert (caught.value.position, caught.value.reason) == (position, 2459)


@pytest.mark.parametrize(("values", "text", "theirs", "ours", "why"), DIFFERENT)
def test_where_brokers_differ_jms_and_mq_decide(
    values: dict[str, Value], text: str, theirs: bool, ours: bool | None, why: str
) -> None:
    assert theirs is not ours and why
    if ours is None:
        with pytest.raises(SelectorError):
            compile_selector(text)
    else:
        assert compile_selector(text).matches(Values(values)) is ours
