"""What is known about a selector without a message: equality, alternatives, ids; and three-valued logic by tables."""

from __future__ import annotations

import itertools

import pytest

from flintmq.selector import CORREL_ID, MSG_ID, Value, Values, compile_selector

#: The correlation id of B220, "WMQ70SampleCorrelationID".
SAMPLE = "574d51373053616d706c65436f7272656c6174696f6e4944"
TRUTHS: tuple[bool | None, ...] = (True, False, None)


def outcome(text: str, values: dict[str, Value]) -> bool | None:
    """True, false or unknown."""
    if compile_selector(text).matches(Values(values)):
        return True
    return False if compile_selector(f"NOT ({text})").matches(Values(values)) else None


def test_three_valued_logic_by_its_tables() -> None:
    """S2: AND and OR of all nine pairs, NOT of all three."""
    for a, b in itertools.product(TRUTHS, TRUTHS):
        both: bool | None = False if a is False or b is False else (None if a is None or b is None else True)
        either: bool | None = True if a or b else (None if a is None or b is None else False)
        assert outcome("a AND b", {"a": a, "b": b}) is both
        assert outcome("a OR b", {"a": a, "b": b}) is either
    assert [outcome("NOT a", {"a": a}) for a in TRUTHS] == [False, True, None]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        # S1: null.
        ("a = 1", {}, None), ("a <> 1", {}, None), ("a < 1", {}, None), ("a + 1 = 2", {}, None), ("-a = 2", {}, None),
        ("a BETWEEN 1 AND 2", {}, None), ("a LIKE '%'", {}, None), ("a IN ('x')", {}, None), ("a IS NULL", {}, True),
        ("a", {}, None), ("a BETWEEN 5 AND b", {"a": 1}, False), ("a BETWEEN b AND 5", {"a": 1}, None),
        # S3: unlike types.
        ("a = 1", {"a": "1"}, False), ("a <> 1", {"a": "1"}, False), ("a = TRUE", {"a": 1}, False),
        ("a = 1", {"a": True}, False), ("a IN (1)", {"a": True}, False), ("a = 'x'", {"a": b"x"}, False),
        ("a < 2", {"a": True}, False), ("a < 'b'", {"a": "a"}, False), ("a >= 'b'", {"a": "b"}, False),
        ("a = 1.0", {"a": 1}, True), ("a > 0.5", {"a": 1}, True), ('a = "0x0A"', {"a": b"\n"}, True),
        ('a <> "0x0A"', {"a": b"\n\n"}, True), ('a > "0x0A"', {"a": b"z"}, False), ("a", {"a": "TRUE"}, False),
        ("a LIKE '1'", {"a": 1}, False), ("a NOT LIKE '1'", {"a": 1}, True), ("NOT a", {"a": 0}, True),
        ("a BETWEEN 'a' AND 'c'", {"a": "b"}, False),
        # S5: arithmetic.
        ("7 / 2 = 3", {}, True), ("-7 / 2 = -3", {}, True), ("7 / -2 = -3", {}, True), ("7.0 / 2 = 3.5", {}, True),
        ("1 / a = 1", {"a": 0}, None), ("1.0 / a = 1", {"a": 0.0}, None), ("a + 1 > 0", {"a": 2**63 - 1}, None),
        ("a - 1 < 0", {"a": -(2**63)}, None), ("a * 2 > 0", {"a": 2**62}, None), ("-a > 0", {"a": -(2**63)}, None),
        ("a / -1 > 0", {"a": -(2**63)}, None), ("a * 10.0 > 0", {"a": 1e308}, True), ("a + 1 = 2", {"a": "1"}, None),
        ("a + 1 = 2", {"a": True}, None), ("+a = 1", {"a": "1"}, None), ("+a = 1", {"a": 1}, True),
        ("a = a", {"a": float("nan")}, False),
    ],
)  # fmt: skip
def test_the_rules_of_values(text: str, values: dict[str, Value], expected: bool | None) -> None:
    assert outcome(text, values) is expected


@pytest.mark.parametrize(
    ("text", "equality", "alternatives"),
    [
        ("a = 'x'", ("a", "x"), ("a", ["x"])),
        ("5 = a", ("a", 5), ("a", [5])),
        ("b > 2 AND a = 'x'", ("a", "x"), ("a", ["x"])),
        ("(b > 2 AND (a = TRUE)) AND c", ("a", True), ("a", [True])),
        ("a IN ('x')", ("a", "x"), ("a", ["x"])),
        ("a IN ('y', 'x') AND b IN (1, 2, 3)", None, ("a", ["x", "y"])),
        ("a = 1 OR a IN (2, 3) OR 4 = a", None, ("a", [1, 2, 3, 4])),
        ("a = 1 OR b = 1", None, None),
        ("a = 1 OR a > 5", None, None),
        ("NOT a = 1", None, None),
        ("a <> 1", None, None),
        ("a = b", None, None),
        ("a + 0 = 1", None, None),
        ("a IN (1, b)", None, None),
        ("a NOT IN ('x')", None, None),
    ],
)
def test_what_must_hold_can_be_seen_without_a_message(
    text: str, equality: tuple[str, Value] | None, alternatives: tuple[str, list[Value]] | None
) -> None:
    selector = compile_selector(text)
    assert selector.equality() == equality and selector.alternatives() == alternatives


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"JMSCorrelationID = 'ID:{SAMPLE}'", CORREL_ID),
        (f"JMSCorrelationID='ID:{SAMPLE.upper()}'", CORREL_ID),
        (f"'ID:{SAMPLE}' = JMSMessageID", MSG_ID),
        (f"(JMSMessageID = 'ID:{SAMPLE}')", MSG_ID),
        (f'Root.MQMD.CorrelId = "0x{SAMPLE}"', CORREL_ID),
        (f'Root.MQMD.MsgId = "0x{SAMPLE}"', MSG_ID),
    ],
)
def test_an_id_written_in_full_is_a_key(text: str, kind: int) -> None:
    """B219, B220."""
    assert compile_selector(text).id_key() == (kind, b"WMQ70SampleCorrelationID")


@pytest.mark.parametrize(
    "text",
    [
        f"JMSCorrelationID = 'ID:{SAMPLE[:-2]}'",
        f"JMSCorrelationID = 'ID:{SAMPLE}00'",
        f"JMSCorrelationID = 'id:{SAMPLE}'",
        f"JMSCorrelationID = 'ID:{SAMPLE[:-1]}g'",
        f"JMSCorrelationID = 'ID:{SAMPLE[:-2]} 4'",
        f"JMSCorrelationID = '{SAMPLE}'",
        "JMSCorrelationID = 'WMQ70SampleCorrelationID'",
        f"JMSCorrelationID = 'ID:{'0' * 48}'",
        f"JMSCorrelationID <> 'ID:{SAMPLE}'",
        f"JMSCorrelationID = 'ID:{SAMPLE}' AND a = 1",
        f"Root.MQMD.CorrelId = 'ID:{SAMPLE}'",
        f'Root.MQMD.CorrelId = "0x{SAMPLE[:-2]}"',
        f'JMSCorrelationID = "0x{SAMPLE}"',
        f"Root.MQMD.GroupId = 'ID:{SAMPLE}'",
    ],
)
def test_other_forms_are_no_key(text: str) -> None:
    """B219: only ID: and exactly 48 hexadecimal digits takes the fast way."""
    assert compile_selector(text).id_key() is None


def test_an_id_in_capitals_matches_as_it_does_through_the_index() -> None:
    selector = compile_selector(f"JMSMessageID = 'ID:{SAMPLE.upper()}' OR a = 1")
    assert selector.matches(Values({"JMSMessageID": f"ID:{SAMPLE}"}))
