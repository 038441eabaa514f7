"""Encodings: byte order of integers, validity, words."""

import pytest

from flintmq.mqi.encoding import NORMAL, REVERSED, S390, TNS, describe, is_big_endian, is_valid, with_integers
from flintmq.mqi.errors import StructureError


@pytest.mark.parametrize(("encoding", "big"), [(NORMAL, True), (REVERSED, False), (S390, True), (TNS, True), (1, True)])
def test_byte_order(encoding: int, big: bool) -> None:
    assert is_big_endian(encoding) is big


@pytest.mark.parametrize("encoding", [0, 3, 0x110, -4096])
def test_an_encoding_without_integers_is_refused_with_the_reason_of_the_caller(encoding: int) -> None:
    with pytest.raises(StructureError, match=str(encoding)) as caught:
        is_big_endian(encoding, 2112)
    assert caught.value.reason == 2112


def test_validity_and_words() -> None:
    assert is_valid(NORMAL) and is_valid(S390) and is_valid(0)
    assert not is_valid(0x1111) and not is_valid(5) and not is_valid(-1)
    assert describe(S390) == "integer normal, decimal normal, float System/390"
    assert describe(0xFFF) == "integer unknown, decimal unknown, float unknown"


def test_integers_can_be_replaced() -> None:
    assert with_integers(S390, False) == 0x312
    assert with_integers(REVERSED, True) == 0x221
