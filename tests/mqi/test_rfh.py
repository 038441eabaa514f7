"""MQRFH: names and values in one string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.mqi import MQRFH, StructureError

WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=5), st.booleans(), st.sampled_from([1208, 500]))
def test_names_and_values_survive(pairs: list[tuple[str, str]], big_endian: bool, ccsid: int) -> None:
    rfh = MQRFH()
    rfh.format = "MQSTR"
    rfh.set_pairs(pairs)
    raw = rfh.pack(big_endian, ccsid)
    back = MQRFH.unpack(raw + b"body", 0, big_endian, ccsid)
    assert back.pairs() == pairs
    assert back.struc_length == len(raw) and len(raw) % 4 == 0


def test_quotes() -> None:
    rfh = MQRFH()
    rfh.set_pairs([("MQPSCommand", "Publish"), ("MQPSTopic", 'a "b" c'), ("Empty", "")])
    assert rfh.name_value_string == 'MQPSCommand Publish MQPSTopic "a ""b"" c" Empty ""'


@pytest.mark.parametrize("text", ["name", 'name "open', "a b c"])
def test_a_string_that_is_not_pairs_is_refused(text: str) -> None:
    rfh = MQRFH()
    rfh.name_value_string = text
    with pytest.raises(StructureError) as caught:
        rfh.pairs()
    assert caught.value.reason == 2335


@pytest.mark.parametrize(("place", "value"), [(4, 2), (8, 31), (8, 4000), (8, -1)])
def test_wrong_numbers_are_refused(place: int, value: int) -> None:
    raw = bytearray(MQRFH().pack())
    raw[place : place + 4] = value.to_bytes(4, "little", signed=True)
    with pytest.raises(StructureError) as caught:
        MQRFH.unpack(bytes(raw))
    assert caught.value.reason == 2334
