"""Bodies of a model: nothing is read before it is touched, and what is unchanged is written as it came."""

from __future__ import annotations

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.model.schema import Calendar, Logical
from flintmq.broker.formats.model.source import parse_body, write_body
from flintmq.broker.tree.element import Element, check_tree, copy_element
from tests.broker.formats.model.models import (
    LINES,
    RECORD,
    RECORD_DATA,
    RECORD_VALUES,
    fixed,
    message,
    sequence,
    values,
)

LINES_DATA = b"ab,1,x\ncd,2\n"


def body(model: object, data: bytes, wrapped: bool = False) -> Element:
    return parse_body(model, data, 1208, 273, "MRM", wrapped)  # type: ignore[arg-type]


def test_a_malformed_body_passes_if_nobody_touches_it() -> None:
    folder = body(RECORD, b"short")
    assert folder.pending and not folder.changed
    assert write_body(RECORD, folder, 1208, 273, False) == b"short"
    with pytest.raises(BrokerError) as found:
        folder.first_child()
    assert "could not be read" in found.value.text and "only 0 bytes are left" in found.value.root_cause().text


def test_the_first_touch_reads_the_whole_message() -> None:
    folder = body(RECORD, RECORD_DATA)
    assert values(folder) == RECORD_VALUES
    assert not folder.pending and not folder.changed
    check_tree(folder)
    assert write_body(RECORD, folder, 1208, 273, False) == RECORD_DATA


def test_the_message_element_stands_below_the_folder_of_dfdl_only() -> None:
    assert [child.name for child in body(RECORD, RECORD_DATA, wrapped=True).children()] == ["m"]
    assert [child.name for child in body(RECORD, RECORD_DATA).children()][:2] == ["name", "number"]


def test_a_copy_of_an_untouched_body_is_one_element_and_reads_for_itself() -> None:
    folder = body(LINES, LINES_DATA)
    copied = copy_element(folder)
    assert copied.pending and copied.first is None
    assert values(copied) == values(folder)
    first = copied.first_child()
    assert first is not None
    first.children()[0].set_value("ZZ")
    check_tree(copied)
    assert copied.changed and not folder.changed
    assert write_body(LINES, copied, 1208, 273, False) == b"ZZ,1,x\ncd,2\n"
    assert write_body(LINES, folder, 1208, 273, False) == LINES_DATA


def test_a_copy_of_a_part_is_built_again_from_the_message() -> None:
    folder = body(LINES, LINES_DATA)
    second = folder.children()[1]
    copied = copy_element(second)
    assert copied.pending and copied.first is None
    assert values(copied) == values(second) == [("key", "cd"), ("number", 2)]
    # The original may change or go: the copy says what the message said.
    fresh = copy_element(second)
    second.clear()
    assert values(fresh) == [("key", "cd"), ("number", 2)]


def test_another_character_set_is_written_anew() -> None:
    folder = body(LINES, b"ab,1\n")
    assert write_body(LINES, folder, 37, 785, False) == "ab,1\n".encode("cp037")


def test_a_body_without_its_message_element_is_an_error() -> None:
    with pytest.raises(BrokerError, match="no message element"):
        write_body(RECORD, Element("DFDL"), 1208, 273, True)
    folder = Element("DFDL")
    folder.add("other")
    with pytest.raises(BrokerError, match="the message is m"):
        write_body(RECORD, folder, 1208, 273, True)


def test_a_model_that_cannot_work_is_an_error_of_the_parser() -> None:
    model = message(sequence(fixed("d", 4, Logical.DATE, calendar=Calendar(pattern="bb"))))
    with pytest.raises(BrokerError, match="cannot be used"):
        body(model, b"1234").first_child()


def test_an_unknown_character_set_is_an_error_of_the_parser() -> None:
    folder = parse_body(RECORD, RECORD_DATA, 99_999, 273, "MRM", False)
    with pytest.raises(BrokerError, match="99999"):
        folder.first_child()
