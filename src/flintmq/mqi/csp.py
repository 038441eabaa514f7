"""MQCSP, the security parameters: the user that connects, and the proof of that. Its texts lie behind the structure.

    offset  field               type    value
         0  StrucId             char 4  "CSP "
         4  Version             int32   1 to 3
         8  AuthenticationType  int32   0 none, 1 user and password, 2 token
        12  Reserved1           byte 4
        16  CSPUserIdPtr        ptr     0
        20  CSPUserIdOffset     int32
        24  CSPUserIdLength     int32
        28  Reserved2           byte 8
        36  CSPPasswordPtr      ptr     0
        40  CSPPasswordOffset   int32
        44  CSPPasswordLength   int32   version 1 ends: 48 bytes
        48  Reserved3           byte 8
        56  InitialKeyPtr       ptr     0
        60  InitialKeyOffset    int32
        64  InitialKeyLength    int32   version 2 ends: 68 bytes
        68  Reserved4           byte 8
        76  TokenPtr            ptr     0
        80  TokenOffset         int32
        84  TokenLength         int32   88 bytes

`repr()` shows the user and never a password, key or token. A structure that is not valid gives MQRC_CSP_ERROR.
"""

import struct
from typing import Final

from flintmq.mqi.ccsid import decode, encode
from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import layouts
from flintmq.mqi.reason import MQRC_CSP_ERROR

SIZE_1: Final[int] = 48
SIZE_2: Final[int] = 68
SIZE_3: Final[int] = 88
SIZES: Final = (SIZE_1, SIZE_2, SIZE_3)

STRUC_ID: Final[bytes] = b"CSP "
FIELDS: Final = ("version", "authentication_type", "csp_user_id", "csp_password", "initial_key", "token")

_BIG_1, _LITTLE_1 = layouts("4s i i 4s i i i 8s i i i", SIZE_1)  # In the order of the table.
_BIG_MORE, _LITTLE_MORE = layouts("8s i i i", SIZE_2 - SIZE_1)  # Versions 2 and 3 add the same shape.
assert SIZE_3 - SIZE_2 == SIZE_2 - SIZE_1


class MQCSP:
    """Security parameters."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.version: int = 1
        self.authentication_type: int = 0  # MQCSP_AUTH_NONE
        self.csp_user_id: str = ""
        self.csp_password: str = ""
        self.initial_key: str = ""
        self.token: str = ""

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The structure with its texts behind it. Raises StructureError (MQRC_CSP_ERROR)."""
        version = self.version
        if not 1 <= version <= 3:
            raise StructureError(f"MQCSP has version {version}, not 1 to 3", MQRC_CSP_ERROR)
        user, password, key, token = [
            encode(text, ccsid, big_endian)
            for text in (self.csp_user_id, self.csp_password, self.initial_key, self.token)
        ]
        place = SIZES[version - 1]
        at_password = place + len(user)
        at_key = at_password + len(password)
        at_token = at_key + len(key)
        first, more = (_BIG_1, _BIG_MORE) if big_endian else (_LITTLE_1, _LITTLE_MORE)
        try:
            raw = first.pack(
                write_id(STRUC_ID, ccsid),
                version,
                self.authentication_type,
                b"",
                0,
                place if user else 0,
                len(user),
                b"",
                0,
                at_password if password else 0,
                len(password),
            )
            if version >= 2:
                raw += more.pack(b"", 0, at_key if key else 0, len(key))
            if version >= 3:
                raw += more.pack(b"", 0, at_token if token else 0, len(token))
        except struct.error as error:
            raise StructureError(f"MQCSP has a field that cannot be written: {error}", MQRC_CSP_ERROR) from None
        return raw + user + password + (key if version >= 2 else b"") + (token if version >= 3 else b"")

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCSP":
        """The structure at `offset` with its texts. Raises StructureError (MQRC_CSP_ERROR)."""
        check_room(data, offset, SIZE_1, MQRC_CSP_ERROR, "MQCSP")
        csp = MQCSP()
        first, more = (_BIG_1, _BIG_MORE) if big_endian else (_LITTLE_1, _LITTLE_MORE)
        (
            identifier, csp.version, csp.authentication_type, _, _, at_user, user_length, _, _, at_password,
            password_length,
        ) = first.unpack_from(data, offset)  # fmt: skip
        check_id(identifier, STRUC_ID, ccsid, MQRC_CSP_ERROR, "MQCSP")
        if not 1 <= csp.version <= 3:
            raise StructureError(f"MQCSP has version {csp.version}, not 1 to 3", MQRC_CSP_ERROR)
        check_room(data, offset, SIZES[csp.version - 1], MQRC_CSP_ERROR, f"MQCSP version {csp.version}")
        csp.csp_user_id = _text(data, offset, at_user, user_length, big_endian, ccsid, "CSPUserId")
        csp.csp_password = _text(data, offset, at_password, password_length, big_endian, ccsid, "CSPPassword")
        if csp.version >= 2:
            (_, _, at_key, key_length) = more.unpack_from(data, offset + SIZE_1)
            csp.initial_key = _text(data, offset, at_key, key_length, big_endian, ccsid, "InitialKey")
        if csp.version >= 3:
            (_, _, at_token, token_length) = more.unpack_from(data, offset + SIZE_2)
            csp.token = _text(data, offset, at_token, token_length, big_endian, ccsid, "Token")
        return csp

    def __repr__(self) -> str:
        return show("MQCSP", self, FIELDS[:3])


def _text(data: bytes, start: int, place: int, length: int, big_endian: bool, ccsid: int, field: str) -> str:
    if length == 0 or place == 0:
        return ""
    if place < 0 or length < 0 or start + place + length > len(data):
        raise StructureError(f"MQCSP {field} lies at {place} for {length} bytes, outside the data", MQRC_CSP_ERROR)
    try:
        return decode(data[start + place : start + place + length], ccsid, big_endian)
    except UnicodeDecodeError:
        raise StructureError(f"MQCSP {field} is not text of CCSID {ccsid}", MQRC_CSP_ERROR) from None
