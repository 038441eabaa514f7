"""The conversion matrix of the report: generic XML, MRM CWF, MRM XML and MRM TAG, each to each (WMQI-W11).

The message and the conversions are those that `bench flow` measures.
"""

from __future__ import annotations

import pytest

from benchmarks.broker.convert_cases import FORMATS, MESSAGE_BYTES, WRITERS, Converter, by_hand, cases, values


@pytest.fixture(scope="module")
def converter() -> Converter:
    return Converter()


@pytest.fixture(scope="module")
def expected() -> list[tuple[str, object]]:
    return list(values().items())


def test_the_message_has_31_fields_and_4_kib() -> None:
    assert len(values()) == 31
    assert len(WRITERS["xml"](values())) == MESSAGE_BYTES


@pytest.mark.parametrize("source", FORMATS)
def test_a_message_written_by_hand_is_read_in_every_format(
    converter: Converter, expected: list[tuple[str, object]], source: str
) -> None:
    assert converter.tree(source, WRITERS[source](values())) == expected


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_all_conversions_give_the_same_tree(
    converter: Converter, expected: list[tuple[str, object]], source: str, target: str
) -> None:
    made = converter.convert(source, target, WRITERS[source](values()))
    assert converter.tree(target, made) == expected
    # What we wrote can be converted back.
    back = converter.convert(target, source, made)
    assert converter.tree(source, back) == expected


def test_cwf_has_the_same_bytes_as_a_struct(converter: Converter) -> None:
    for source in FORMATS:
        assert converter.convert(source, "cwf", WRITERS[source](values())) == WRITERS["cwf"](values())


def test_values_of_every_type_survive_a_round_through_all_formats(converter: Converter) -> None:
    """Numbers at their limits, text with markup of every format in it."""
    fields = values()
    fields["Text01"] = "<a & b>"
    fields["Text02"] = "]]>"
    fields["Float01"] = 1.7976931348623157e308
    fields["Float02"] = 5e-324
    fields["Float03"] = -0.1
    fields["Int01"] = 2**31 - 1
    fields["Int02"] = -(2**31)
    body = WRITERS["cwf"](fields)
    for target in ("mrmxml", "tag", "xml", "cwf"):
        previous = "cwf" if target == "mrmxml" else {"tag": "mrmxml", "xml": "tag", "cwf": "xml"}[target]
        body = converter.convert(previous, target, body)
    assert converter.tree("cwf", body) == list(fields.items())


def test_every_floor_does_what_the_broker_does(converter: Converter, expected: list[tuple[str, object]]) -> None:
    for source in FORMATS:
        for target in FORMATS:
            made = by_hand(source, target, WRITERS[source](values()))
            assert converter.tree(target, made) == expected


def test_the_benchmark_has_a_case_for_each_cell_of_the_matrix(converter: Converter) -> None:
    names = [case.name for case in cases()]
    assert names == [f"convert_{source}_{target}" for source in FORMATS for target in FORMATS]
