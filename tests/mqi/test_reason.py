"""Reason codes: one name for each number, a text for people, the completion code that goes with it."""

import pytest

from flintmq.mqi.errors import ConversionError, PropertyError, StructureError
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQCC_OK,
    MQCC_WARNING,
    completion,
    reason_name,
    reason_names,
    reason_text,
)
from flintmq.mqi.reason_text import TEXTS


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0, "MQRC_NONE"),
        (2033, "MQRC_NO_MSG_AVAILABLE"),
        (2053, "MQRC_Q_FULL"),
        (2120, "MQRC_CONVERTED_MSG_TOO_BIG"),
        (2192, "MQRC_STORAGE_MEDIUM_FULL"),
        (2595, "MQRC_CSP_ERROR"),
        (3001, "MQRCCF_CFH_TYPE_ERROR"),
        (1, "MQRC_1"),
        (-5, "MQRC_-5"),
    ],
)
def test_a_number_has_one_name(code: int, name: str) -> None:
    assert reason_name(code) == name


def test_every_text_belongs_to_a_reason_and_is_a_sentence() -> None:
    for code, text in TEXTS.items():
        assert code in reason_names()
        assert text[0].isupper() and text.endswith(".") and len(text) < 160


def test_a_reason_without_a_text_is_spelled_out() -> None:
    assert reason_text(2266) == "Cluster exit error."
    assert reason_text(987654) == "987654."


def test_every_reason_has_some_text() -> None:
    for code in reason_names():
        assert reason_text(code).endswith(".")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0, MQCC_OK),
        (2079, MQCC_WARNING),
        (2080, MQCC_WARNING),
        (2119, MQCC_WARNING),
        (2053, MQCC_FAILED),
        (1, MQCC_FAILED),
    ],
)
def test_completion_codes(code: int, expected: int) -> None:
    assert completion(code) == expected


def test_errors_say_what_and_which_reason() -> None:
    assert str(StructureError("MQMD is short", 2026)) == "MQMD is short [MQRC_MD_ERROR 2026]"
    assert ConversionError("no").reason == 2119
    assert PropertyError("no").reason == 2442
