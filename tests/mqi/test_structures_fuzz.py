"""Random and damaged bytes for everything that reads bytes: a value or StructureError, nothing else."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq import mqi
from flintmq.mqi import ConversionError, StructureError
from flintmq.mqi.convert import CONVERTIBLE, convert
from flintmq.mqi.folders import read_folder
from flintmq.mqi.pcf import parse
from flintmq.mqi.properties import MessageProperties

NAMES = [
    "MQBMHO", "MQBNO", "MQBO", "MQCBC", "MQCBD", "MQCFH", "MQCHARV", "MQCIH", "MQCMHO", "MQCNO", "MQCSP",
    "MQCTLO", "MQDH",
    "MQDLH", "MQDMHO", "MQDMPO", "MQEPH", "MQGMO", "MQIIH", "MQIMPO", "MQMD", "MQMDE", "MQMHBO", "MQOD", "MQPD",
    "MQOR", "MQPMO", "MQRR",
    "MQRFH", "MQRFH2", "MQSD", "MQSMPO", "MQSRO", "MQSTS", "MQTM", "MQTMC2", "MQWIH", "MQXQH",
]  # fmt: skip
PARAMETERS = [
    "MQCFBF", "MQCFBS", "MQCFGR", "MQCFIF", "MQCFIL", "MQCFIL64", "MQCFIN", "MQCFIN64", "MQCFSF", "MQCFSL", "MQCFST",
]  # fmt: skip
CCSIDS = st.sampled_from([1208, 819, 37, 500, 1047, 1200, 943, 0, -2, 99999])
NUMBERS = st.sampled_from([0, 1, 2, 3, 4, 5, 16, 20, 24, 32, 36, 48, 68, 84, 172, 1208, 1200, -1, 2**31 - 1, -(2**31)])


@st.composite
def damaged(draw: Callable[..., Any], raw: bytes) -> bytes:
    """`raw` with some integers replaced, cut somewhere."""
    data = bytearray(raw)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, max(0, len(data) // 4 - 1))) * 4
        order = draw(st.sampled_from(["big", "little"]))
        data[place : place + 4] = draw(NUMBERS).to_bytes(4, order, signed=True)
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


def tried(call: Callable[[], object]) -> None:
    try:
        call()
    except StructureError as error:
        assert error.reason > 0 and error.text
    except ConversionError as error:
        assert error.reason in (2110, 2111, 2112, 2115, 2116, 2119, 2120, 2150, 2190)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NAMES + PARAMETERS), st.binary(max_size=800), st.integers(-3, 20), st.booleans(), CCSIDS)
def test_random_bytes(name: str, data: bytes, offset: int, big_endian: bool, ccsid: int) -> None:
    tried(lambda: getattr(mqi, name).unpack(data, offset, big_endian, ccsid))


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NAMES), st.booleans(), st.sampled_from([1208, 500]), st.data())
def test_structures_with_damaged_integers(name: str, big_endian: bool, ccsid: int, data: st.DataObject) -> None:
    kind = getattr(mqi, name)
    raw = kind().pack(big_endian, ccsid) + b"some text behind it \0 and more"
    tried(lambda: kind.unpack(data.draw(damaged(raw)), 0, big_endian, ccsid))


def pcf_bytes(big_endian: bool) -> bytes:
    message = mqi.PCFMessage()
    message.parameters = [
        mqi.MQCFIN(1, 2),
        mqi.MQCFST(3, "text"),
        mqi.MQCFIL(4, [1, 2, 3]),
        mqi.MQCFGR(5, [mqi.MQCFSL(6, ["a", "bcd"]), mqi.MQCFGR(7, [mqi.MQCFBS(8, b"abc")])]),
        mqi.MQCFIF(9, 1, 2),
        mqi.MQCFSF(10, 1, "x"),
        mqi.MQCFBF(11, 1, b"y"),
        mqi.MQCFIN64(12, 1 << 40),
        mqi.MQCFIL64(13, [1 << 40]),
    ]
    return message.pack(big_endian)


@settings(max_examples=400, deadline=None)
@given(st.booleans(), st.booleans(), CCSIDS, st.data())
def test_damaged_pcf(written: bool, read: bool, ccsid: int, data: st.DataObject) -> None:
    raw = data.draw(damaged(pcf_bytes(written)))
    tried(lambda: parse(raw, 0, read, ccsid))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="<>/='\"& ;#x12abusr!-[]CDAT?.:", max_size=60))
def test_random_folders(text: str) -> None:
    tried(lambda: read_folder(text))
    tried(lambda: MessageProperties.from_folders([text, f"<usr>{text}</usr>", f"<jms><Pri>{text}</Pri></jms>"]))


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from([*sorted(CONVERTIBLE), "", "MYFORMAT"]),
    st.sampled_from([273, 546, 785, 0, -1]),
    st.sampled_from([1208, 37, 500, 1200, 943, 0, 99999]),
    st.sampled_from([273, 546, 0]),
    st.sampled_from([1208, 819, 1047, 1200, 99999]),
    st.data(),
)
def test_conversion_of_random_and_damaged_data(
    format: str, encoding: int, ccsid: int, to_encoding: int, to_ccsid: int, data: st.DataObject
) -> None:
    kinds = {"MQDEAD": "MQDLH", "MQHMDE": "MQMDE", "MQXMIT": "MQXQH", "MQCICS": "MQCIH", "MQIMS": "MQIIH"}
    kinds |= {"MQHWIH": "MQWIH", "MQHRF": "MQRFH", "MQHRF2": "MQRFH2", "MQHDIST": "MQDH", "MQHEPCF": "MQEPH"}
    raw = data.draw(st.binary(max_size=300))
    if format in kinds and data.draw(st.booleans()):
        structure = getattr(mqi, kinds[format])()
        if hasattr(structure, "format"):
            structure.format = data.draw(st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", "X"]))
        known = ccsid if ccsid in (1208, 37, 500) else 1208
        raw = data.draw(damaged(structure.pack(encoding == 273, known))) + raw
    tried(lambda: convert(format, raw, encoding, ccsid, to_encoding, to_ccsid))
