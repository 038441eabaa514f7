"""What is raised, and how it reads."""

from __future__ import annotations

import pytest

from flintmq import pymqi
from flintmq.pymqi import CMQC


@pytest.mark.parametrize(
    ("comp", "reason", "text"),
    [
        (2, 2033, "MQI Error. Comp: 2, Reason 2033: FAILED: MQRC_NO_MSG_AVAILABLE"),
        (1, 2079, "MQI Error. Comp: 1, Reason 2079: WARNING: MQRC_TRUNCATED_MSG_ACCEPTED"),
        (2, 2192, "MQI Error. Comp: 2, Reason 2192: FAILED: MQRC_PAGESET_FULL"),
        (2, 3065, "MQI Error. Comp: 2, Reason 3065: FAILED: MQRCCF_CHL_STATUS_NOT_FOUND"),
        (2, 9999, "MQI Error. Comp: 2, Reason 9999: FAILED: Error code 9999 not defined"),
        (0, 0, "MQI Error. Comp: 0, Reason 0: OK"),
    ],
)
def test_an_error_reads_as_in_pymqi(comp: int, reason: int, text: str) -> None:
    error = pymqi.MQMIError(comp, reason)
    assert str(error) == text and (error.comp, error.reason) == (comp, reason)
    assert isinstance(error, pymqi.Error)


def test_an_error_carries_what_the_call_adds() -> None:
    error = pymqi.MQMIError(1, 2080, message=b"12", original_length=5)
    assert (error.message, error.original_length) == (b"12", 5)


def test_an_error_of_the_package_itself_has_its_own_prefix() -> None:
    assert str(pymqi.PYIFError("not open")) == "PYMQI Error: not open"
    assert isinstance(pymqi.PYIFError("not open"), pymqi.Error)


def test_numbers_have_names() -> None:
    names = pymqi.PCFExecute.iaStringDict
    assert names[CMQC.MQIA_CURRENT_Q_DEPTH] == "MQIA_CURRENT_Q_DEPTH"
    assert CMQC.MQIA_CURRENT_Q_DEPTH in names and not names.has_key(-12345)
