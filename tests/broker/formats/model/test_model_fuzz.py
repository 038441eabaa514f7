"""Fuzzing: any bytes, on models of every kind, are a tree or a ParserException, in bounded time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.dfdl_schema import SchemaReader
from flintmq.broker.formats.model.schema import (
    Choice,
    Element,
    Expression,
    Length,
    LengthKind,
    Logical,
    Message,
    Number,
    OccursKind,
    Separation,
)
from flintmq.broker.tree.element import Element as TreeElement
from tests.broker.formats.model.models import (
    LINES,
    OVERLAY,
    RECORD,
    TAGGED,
    binary,
    delimited,
    fixed,
    group,
    marks,
    message,
    read,
    sequence,
    write,
)

NESTED = message(
    sequence(
        group(
            "a",
            sequence(
                Choice(members=[delimited("n", Logical.INT), delimited("d", Logical.DATE), delimited("s")]),
                delimited("t", min_occurs=0, max_occurs=-1),
                separator=marks(",", ",,"),
            ),
            min_occurs=0,
            max_occurs=-1,
        ),
        separator=marks("\r\n", "\n"),
    )
)
COMPUTED = message(
    sequence(
        binary("size", 1, Logical.UNSIGNED_BYTE),
        Element(name="body", logical=Logical.STRING, length=Length(LengthKind.EXPLICIT, Expression("{ ../size - 1 }"))),
        fixed(
            "part",
            2,
            Logical.INT,
            min_occurs=0,
            max_occurs=-1,
            occurs_kind=OccursKind.EXPRESSION,
            occurs_count=Expression("{ ../size mod 4 }"),
        ),
    ),
    family="DFDL",
)
ENCODED = message(
    sequence(
        Element(name="a", logical=Logical.STRING, tag="A", length=Length(LengthKind.END_OF_PARENT)),
        Element(name="b", logical=Logical.DECIMAL, tag="B", length=Length(LengthKind.END_OF_PARENT)),
        separation=Separation.TAGGED_ENCODED_LENGTH,
        tag_length=1,
        encoded_length=2,
    )
)
PATTERNS = message(
    sequence(
        Element(name="a", logical=Logical.STRING, length=Length(LengthKind.PATTERN, pattern="[^,]*")),
        Element(name="b", logical=Logical.STRING, length=Length(LengthKind.PATTERN, pattern="(,[a-z]+)*")),
        Element(name="c", logical=Logical.STRING, length=Length(LengthKind.END_OF_PARENT)),
    )
)
MODELS = [RECORD, LINES, TAGGED, OVERLAY, NESTED, COMPUTED, ENCODED, PATTERNS]
WORDS = st.sampled_from([b",", b"\n", b"{", b"}", b"*", b":", b"~", b"NM", b"PR", b"A03", b"12", b"\0", b"\xc3"])
PIECES = st.lists(st.one_of(WORDS, st.binary(max_size=4)), max_size=25).map(b"".join)


@pytest.mark.parametrize("number", range(len(MODELS)))
@settings(max_examples=60, deadline=None)
@given(data=PIECES, ccsid=st.sampled_from([1208, 37, 1200, 932]))
def test_any_bytes_are_a_tree_or_a_parser_exception(number: int, data: bytes, ccsid: int) -> None:
    model = MODELS[number]
    try:
        top = read(model, data, ccsid)
    except BrokerError as error:
        assert error.kind == "ParserException"
        return
    try:
        assert isinstance(write(model, top, ccsid), bytes)
    except BrokerError as error:
        assert error.kind == "ParserException"


NAMES = st.sampled_from(["name", "number", "count", "item", "a", "b", "size", "body", "row"])
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=8), st.decimals()
)


@pytest.mark.parametrize("number", range(len(MODELS)))
@settings(max_examples=40, deadline=None)
@given(fields=st.lists(st.tuples(NAMES, VALUES), max_size=8))
def test_any_tree_is_written_or_a_parser_exception(number: int, fields: list[tuple[str, object]]) -> None:
    top = TreeElement("m")
    for name, value in fields:
        top.add(name, value)
    try:
        assert isinstance(write(MODELS[number], top), bytes)
    except BrokerError as error:
        assert error.kind == "ParserException"


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (NESTED, b"," * 20_000),
        (NESTED, b"a,b\r" * 10_000),
        (LINES, b"a,1," * 10_000),
        (TAGGED, b"{" + b"NM:x*" * 20_000),
        (PATTERNS, b",a" * 20_000),
        (PATTERNS, b"," * 20_000),
    ],
)
def test_long_messages_take_time_in_proportion(model: Message, data: bytes) -> None:
    """A quadratic reader would need minutes for these."""
    try:
        read(model, data)
    except BrokerError as error:
        assert error.kind == "ParserException"


XSD = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">'
    '<xs:element name="m" type="xs:int" dfdl:lengthKind="explicit" dfdl:length="4"/></xs:schema>'
)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(XSD)), st.integers(0, len(XSD)), st.text(max_size=6))
def test_a_damaged_schema_is_a_definition_error(start: int, end: int, text: str) -> None:
    damaged = (XSD[: min(start, end)] + text + XSD[max(start, end) :]).encode("utf-8", "replace")
    reader = SchemaReader(lambda path: damaged if path == "s.xsd" else None)
    with pytest.raises(ValueError):
        reader.message("s.xsd", "m")


@pytest.mark.parametrize(
    "text", ["1E99999", "-1E-99999", "9" * 1999, "0." + "0" * 1900 + "1", "sNaN", "Infinity", "1_000", "\u0661\u0662"]
)
def test_extreme_numbers_are_written_or_a_parser_exception(text: str) -> None:
    for logical in (Logical.INT, Logical.INTEGER, Logical.DECIMAL, Logical.DOUBLE):
        for number in (Number(), Number(pattern="#,##0.00"), Number(pattern="0.0E0"), Number(virtual_point=3)):
            model = message(sequence(delimited("n", logical, number=number)))
            top = TreeElement("m")
            top.add("n", text)
            try:
                read(model, write(model, top))
            except BrokerError as error:
                assert error.kind == "ParserException"
            try:
                read(model, text.encode())
            except BrokerError as error:
                assert error.kind == "ParserException"


def test_a_binary_number_of_a_million_bytes_is_refused() -> None:
    model = message(sequence(binary("n", 1_000_000, Logical.INTEGER)))
    with pytest.raises(BrokerError, match="at most"):
        read(model, b"\x7f" * 1_000_000)
