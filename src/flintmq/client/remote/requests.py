"""Calls and replies as bytes, from the client's side, behind the sixteen bytes that every call begins with.

Layouts are those of wire/mq/calls.py and its neighbours; here requests are written and replies are read. Unreadable
data raises ChannelError or StructureError: the other side does not keep to the protocol, and the connection ends.

MQCONN by level: up to 6 no FCNO, up to 11 version 1, 12 and 13 version 2, up to 16 version 3, 17 version 4.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from flintmq.client.lazy import lazy
from flintmq.client.remote.session import CallReply, ClientSession
from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.constants import MQCA_NAMES, MQIA_NAME_COUNT
from flintmq.mqi.fields import read_text, write_text
from flintmq.mqi.inquiry import LENGTHS, Inquiry, is_character
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_CSP_ERROR
from flintmq.wire.mq.calls import (
    API_SIZE,
    CHARACTERS_MAX,
    CONNECT_SIZE,
    FCNO_SIZES,
    FOPA_SIZE_1,
    SELECTORS_MAX,
    OpenDefaults,
    read_long,
    read_longs,
    write_longs,
)
from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError
from flintmq.wire.mq.sizes import od_size

if TYPE_CHECKING:
    from flintmq.client.remote import lists
    from flintmq.wire.mq import lists as list_layout
else:
    list_layout = lazy("flintmq.wire.mq.lists")
    lists = lazy("flintmq.client.remote.lists")

#: MQCONNX.
_CONNX: Final = 3
_NAME_LENGTH: Final = 48
_FCNO_BY_LEVEL: Final = ((17, 4), (14, 3), (12, 2), (7, 1))
_CONNECT: Final = "48s28si32sii"
_AUTH_USER_ID_AND_PWD: Final = 1
_PAD: Final = 4


# -- identity, MQCONN -------------------------------------------------------------------------------------------------


def user_data(user: str, ccsid: int) -> bytes:
    """Return the body of USERID_DATA: the user that this process runs as, or claims."""
    short = write_text(user[:12], 12, ccsid, 0, "UserId")
    blank = write_text("", 12, ccsid, 0, "Password")
    identifier = write_text("UID", 4, ccsid, 0, "UID")
    return identifier + short + blank + write_text(user[:64], 64, ccsid, 0, "LongUserId") + bytes(40)


def credentials(user: str, password: str, big_endian: bool, ccsid: int) -> bytes:
    """Return the body of CONAUTH_INFO: user and password."""
    name, secret = encode(user, ccsid), encode(password, ccsid)
    body = write_text("CAUT", 4, ccsid, MQRC_CSP_ERROR, "CAUT")
    body += write_longs([_AUTH_USER_ID_AND_PWD, len(name), len(secret), len(name), len(secret)], big_endian)
    body += name + secret
    return body + bytes(-len(body) % _PAD)


def connect_body(
    session: ClientSession, q_mgr_name: str, application: str, application_type: int, options: int
) -> bytes:
    """Return the body of MQCONNX for the level that was agreed on."""
    big_endian, ccsid = session.big_endian, session.ccsid
    raw = struct.pack(
        (">" if big_endian else "<") + _CONNECT,
        write_text(q_mgr_name, 48, ccsid, 0, "QMgrName"),
        write_text(application[:28], 28, ccsid, 0, "ApplName"),
        application_type,
        bytes(32),
        _CONNX,
        options,
    )
    for level, version in _FCNO_BY_LEVEL:
        if session.terms.fap_level >= level:
            fcno = write_text("FCNO", 4, ccsid, 0, "FCNO") + write_longs([version, 0], big_endian)
            return raw + fcno.ljust(FCNO_SIZES[version], b"\0")
    return raw


def connected(answer: CallReply) -> tuple[str, bytes]:
    """Return (name of the queue manager, connection id) of the reply to MQCONN."""
    body = answer.body
    if len(body) < API_SIZE + _NAME_LENGTH:
        raise ChannelError(STATUS_PROTOCOL_LENGTH, f"the reply to MQCONN has {len(body)} bytes")
    name = read_text(body[API_SIZE : API_SIZE + _NAME_LENGTH], answer.ccsid)
    at = API_SIZE + CONNECT_SIZE + 12
    return name, body[at : at + 24].ljust(24, b"\0")


# -- MQOPEN -----------------------------------------------------------------------------------------------------------


def packed_object(od: MQOD, big_endian: bool, ccsid: int) -> bytes:
    """Pack an object descriptor, with its records if it is a distribution list."""
    return lists.pack_object(od, big_endian, ccsid) if od.recs_present else od.pack(big_endian, ccsid)


def packed_options(pmo: MQPMO, big_endian: bool, ccsid: int) -> bytes:
    """Pack put options, with their records if the put is to a distribution list."""
    return lists.pack_options(pmo, big_endian, ccsid) if pmo.recs_present else pmo.pack(big_endian, ccsid)


def od_end(answer: CallReply, offset: int, od: MQOD) -> int:
    """Return the offset of the end of `od`, which begins at `offset` in an answer."""
    if od.recs_present:
        return list_layout.od_end(answer.body, offset, od, answer.big_endian, answer.ccsid)
    return offset + od_size(answer.body, offset, od.version, answer.big_endian)


def open_body(od: MQOD, options: int, big_endian: bool, ccsid: int) -> bytes:
    """Return the body of MQOPEN, which also asks for the defaults of the object."""
    return (
        packed_object(od, big_endian, ccsid)
        + write_longs([options], big_endian)
        + OpenDefaults().pack_fopa(1, big_endian, ccsid)
    )


def opened(answer: CallReply) -> tuple[MQOD, OpenDefaults]:
    """Return the descriptor of a reply to MQOPEN, and the defaults of the object if it has them."""
    od = MQOD.unpack(answer.body, API_SIZE, answer.big_endian, answer.ccsid)
    at = od_end(answer, API_SIZE, od) + 4
    defaults = OpenDefaults()
    if len(answer.body) - at >= FOPA_SIZE_1 and read_text(answer.body[at : at + 4], answer.ccsid) == "FOPA":
        (
            defaults.persistence,
            defaults.put_response,
            defaults.read_ahead,
            defaults.property_control,
        ) = read_longs(answer.body, at + 12, 4, answer.big_endian)
    return od, defaults


# -- MQINQ, MQSET -----------------------------------------------------------------------------------------------------


def character_lengths(selectors: Sequence[int], names: int) -> list[int]:
    """Return the length of each character attribute in bytes; of a namelist, for `names` names."""
    lengths: list[int] = []
    for selector in selectors:
        if is_character(selector):
            length = LENGTHS.get(selector, _NAME_LENGTH)
            lengths.append(length * names if selector == MQCA_NAMES else length)
    return lengths


def inquire_body(selectors: Sequence[int], lengths: Sequence[int], big_endian: bool) -> bytes:
    """Return the body of MQINQ, with room for all values."""
    integers = len(selectors) - len(lengths)
    return write_longs([len(selectors), integers, sum(lengths), *selectors], big_endian)


def inquired(answer: CallReply, lengths: Sequence[int]) -> Inquiry:
    """Return the values of a reply to MQINQ, in the order of the selectors."""
    body, big_endian = answer.body, answer.big_endian
    count, integers, length = read_longs(body, API_SIZE, 3, big_endian)
    if not 0 <= count <= SELECTORS_MAX or not 0 <= integers <= SELECTORS_MAX or not 0 <= length <= CHARACTERS_MAX:
        raise ChannelError(STATUS_PROTOCOL_DATA, f"a reply to MQINQ has {count}, {integers} and {length} values")
    at = API_SIZE + 12 + 4 * count
    inquiry = Inquiry()
    inquiry.integers = list(read_longs(body, at, integers, big_endian))
    at += 4 * integers
    characters = body[at : at + length]
    for each in lengths:
        inquiry.characters.append(_text(characters[:each], answer.ccsid))
        characters = characters[each:]
    return inquiry


def _text(raw: bytes, ccsid: int) -> str:
    """Decode characters with their blanks; bytes that are invalid in the character set are read as Latin-1."""
    try:
        return decode(raw, ccsid)
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def set_body(selectors: Sequence[int], integers: Sequence[int], characters: str, big_endian: bool, ccsid: int) -> bytes:
    """Return the body of MQSET."""
    raw = encode(characters, ccsid)
    counts = [len(selectors), len(integers), len(raw)]
    return write_longs([*counts, *selectors, *integers], big_endian) + raw


def wants_names(selectors: Sequence[int]) -> bool:
    """Return whether the number of names must be known first."""
    return MQCA_NAMES in selectors


NAME_COUNT: Final = (MQIA_NAME_COUNT,)

# -- MQSUB ------------------------------------------------------------------------------------------------------------


def read_subscription(answer: CallReply) -> int:
    """Return the Hsub of a reply to MQSUB."""
    return read_long(answer.body, API_SIZE, answer.big_endian)
