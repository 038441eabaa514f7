"""The table of built-in functions, and NULLIF, SLEEP, UUID and base64."""

from __future__ import annotations

import ast
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import functions
from flintmq.broker.esql.functions import BUILTINS, SWITCHED
from flintmq.broker.esql.switches import make_switches
from flintmq.broker.values import Bit

#: The functions of MF 2.11 that are called with commas and need neither a tree nor the clock.
DOCUMENTED = """
    ABS ABSVAL ACOS ASIN ATAN ATAN2 BITAND BITNOT BITOR BITXOR CEIL CEILING COS COSH COT DEGREES EXP FLOOR LN LOG LOG10
    MOD POWER RADIANS RAND ROUND SIGN SIN SINH SQRT TAN TANH TRUNCATE
    CONTAINS ENDSWITH STARTSWITH LEFT RIGHT LENGTH LOWER LCASE UPPER UCASE LTRIM RTRIM TRIM OVERLAY POSITION REPLACE
    REPLICATE SPACE SUBSTRING TRANSLATE
    COALESCE NULLIF SLEEP UUIDASBLOB UUIDASCHAR BASE64ENCODE BASE64DECODE
"""


@pytest.fixture
def waited() -> Iterator[list[float]]:
    """Let SLEEP note its seconds instead of waiting."""
    seconds: list[float] = []
    functions.set_wait(seconds.append)
    yield seconds
    functions.set_wait(None)


def test_every_documented_function_is_in_the_table() -> None:
    assert set(BUILTINS) == set(DOCUMENTED.split())


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_each_function_takes_the_arguments_that_the_table_says(name: str) -> None:
    builtin = BUILTINS[name]
    assert builtin.name == name
    counts = range(builtin.least, min(builtin.most, builtin.least + 3) + 1)
    for count in counts:
        # NULL is taken everywhere, and only RAND and the UUIDs give a value without arguments.
        result = builtin(*[None] * count)
        assert (result is None) == (count > 0)
        if builtin.switched:
            assert builtin.function(*[None] * count, switches=make_switches({})) is None
    # Functions of any number of arguments leave the count to the compiler.
    if name not in ("BITAND", "BITOR", "BITXOR", "COALESCE", "RAND", "UUIDASBLOB", "UUIDASCHAR"):
        for count in (builtin.least - 1, builtin.most + 2):
            with pytest.raises(TypeError):
                builtin(*[None] * count)


def test_the_functions_that_take_switches_are_listed() -> None:
    """A compiled function has no signature, so the list is compared with the source."""
    package = Path(__file__).parents[3] / "src/flintmq/broker/esql"
    found = set()
    for module in ("casts", "functions", "functions_string", "operators"):
        tree = ast.parse((package / f"{module}.py").read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                if "switches" in [argument.arg for argument in node.args.args]:
                    found.add((module, node.name))
    assert {(each.__module__.rpartition(".")[2], each.__name__) for each in SWITCHED} == found
    assert {builtin.name for builtin in BUILTINS.values() if builtin.function in SWITCHED} == {
        builtin.name for builtin in BUILTINS.values() if builtin.switched
    }


def test_nullif_gives_null_for_equal_values() -> None:
    assert functions.nullif(5, 5) is None
    assert functions.nullif(5, "5") is None
    assert functions.nullif(5, 6) == 5
    assert functions.nullif(None, 5) is None
    assert functions.nullif(5, None) == 5
    with pytest.raises(BrokerError):
        functions.nullif(5, "5", make_switches({"compare_character_numeric": "error"}))


def test_coalesce_gives_the_first_value() -> None:
    assert functions.coalesce(None, "", 5) == ""
    assert functions.coalesce(None, None) is None


def test_sleep_waits_for_its_milliseconds_and_gives_true(waited: list[float]) -> None:
    assert functions.sleep(1500) is True
    assert functions.sleep(0) is True
    assert functions.sleep(-5) is True
    assert functions.sleep(None) is None
    assert waited == [1.5]


@pytest.mark.parametrize("argument", [functions.SLEEP_MS_MAX + 1, 2**62, "5", 1.5, True])
def test_sleep_refuses_what_is_too_long_or_no_integer(waited: list[float], argument: object) -> None:
    with pytest.raises(BrokerError):
        functions.sleep(argument)
    assert not waited


def test_uuids_are_new_each_time_and_convert_both_ways() -> None:
    text, data = functions.uuidaschar(), functions.uuidasblob()
    assert text is not None and data is not None
    assert text != functions.uuidaschar()
    assert data != functions.uuidasblob()
    assert uuid.UUID(text).version == 4
    assert len(data) == 16
    assert functions.uuidasblob(text) == uuid.UUID(text).bytes
    assert functions.uuidaschar(data) == str(uuid.UUID(bytes=data))
    assert functions.uuidasblob(f" {text.upper()} ") == uuid.UUID(text).bytes


@pytest.mark.parametrize(
    ("name", "argument", "number"),
    [
        ("UUIDASCHAR", b"short", 2439),
        ("UUIDASCHAR", "text", 2421),
        ("UUIDASBLOB", "not a uuid", 2439),
        ("UUIDASBLOB", "zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz", 2439),
        ("UUIDASBLOB", "00000000-0000-0000-0000-00000000 000", 2439),
        ("UUIDASBLOB", b"0123456789abcdef", 2421),
        ("BASE64DECODE", "a", 2439),
        ("BASE64DECODE", "****", 2439),
        ("BASE64DECODE", "é===", 2439),
        ("BASE64DECODE", b"YQ==", 2421),
        ("BASE64ENCODE", 5, 2421),
        ("BASE64ENCODE", Bit(1, 7), 2421),
    ],
)
def test_bad_uuids_and_base64_are_errors(name: str, argument: object, number: int) -> None:
    with pytest.raises(BrokerError) as caught:
        BUILTINS[name](argument)
    assert caught.value.number == number


def test_base64_takes_strings_of_all_types() -> None:
    assert functions.base64encode(b"\x00\xff") == "AP8="
    assert functions.base64encode("é") == "w6k="
    assert functions.base64encode(Bit(0x00FF, 16)) == "AP8="
    assert functions.base64encode("") == ""
    assert functions.base64decode("AP\r\n8=\n") == b"\x00\xff"
    assert functions.base64decode("") == b""


@given(st.binary(max_size=60))
@settings(max_examples=40)
def test_base64_is_decoded_to_what_was_encoded(data: bytes) -> None:
    assert functions.base64decode(functions.base64encode(data)) == data
