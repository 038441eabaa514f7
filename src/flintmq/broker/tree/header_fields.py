"""Fields of headers: names, order and types of their leaves in a message tree, and the structures behind them.

A header of fixed layout is a class of `flintmq.mqi` (or of `header_structures`) and a tuple of fields. A field is

    name       of the leaf in the tree, as the manual spells it
    attribute  of the structure
    kind       INTEGER, TEXT, BYTES, DATE (yyyymmdd), TIME (hhmmssth)
    length     of a text or byte field. A text leaf keeps its blanks up to this length (MF 1.5); 0 = any length

`leaf_value` gives the value of a leaf, `field_value` the value of a field; the latter says which leaf does not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.tree.header_structures import MQRMH, MQSAPH
from flintmq.broker.values import Date, Time, esql_type, parse_blob
from flintmq.mqi.cih import MQCIH
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.iih import MQIIH
from flintmq.mqi.mde import MQMDE
from flintmq.mqi.rfh import MQRFH
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.mqi.wih import MQWIH

INTEGER: Final = 0
TEXT: Final = 1
BYTES: Final = 2
DATE: Final = 3
TIME: Final = 4

#: Numbers for headers: one that cannot be read, one that cannot be written. The family 6xxx is that of MQ parsers.
HEADER_READ: Final = 6118
HEADER_WRITE: Final = 6119


@final
class Field:
    """One field of a header."""

    __slots__ = ("attribute", "kind", "length", "name")

    def __init__(self, name: str, attribute: str, kind: int = INTEGER, length: int = 0) -> None:
        self.name: Final = name
        self.attribute: Final = attribute
        self.kind: Final = kind
        self.length: Final = length


@final
class Layout:
    """A header of the chain: its domain, the Format that announces it, its class and its fields."""

    __slots__ = ("domain", "fields", "format", "identifier", "make", "unpack")

    def __init__(
        self, domain: str, format: str, make: Callable[[], Any], unpack: Callable[..., Any], fields: tuple[Field, ...]
    ) -> None:
        self.domain: Final = domain
        self.format: Final = format
        self.make: Final = make
        self.unpack: Final = unpack
        self.fields: Final = fields
        #: StrucId, in ASCII.
        self.identifier: Final[bytes] = make().pack()[:4]


def _fields(text: str) -> tuple[Field, ...]:
    """Return the fields that words such as `Reason`, `DestQName:48`, `GroupId*24` describe.

    `:n` is a text, `*n` bytes, `@` a date, `%` a time; `=attribute` names an attribute that is not the snake_case of
    the name.
    """
    found: list[Field] = []
    for word in text.split():
        word, _, attribute = word.partition("=")
        kind, length = INTEGER, 0
        for mark, marked in ((":", TEXT), ("*", BYTES), ("@", DATE), ("%", TIME)):
            name, separator, digits = word.partition(mark)
            if separator:
                kind, length, word = marked, int(digits or 8), name
        found.append(Field(word, attribute or snake_case(word), kind, length))
    return tuple(found)


def snake_case(name: str) -> str:
    """Return the attribute of a field name: `DestQMgrName` is dest_q_mgr_name, `MFSMapName` mfs_map_name."""
    made = ""
    for place, character in enumerate(name):
        if character.isupper() and place:
            after_lower = not name[place - 1].isupper()
            before_lower = place + 1 < len(name) and name[place + 1].islower()
            if after_lower or before_lower:
                made += "_"
        made += character.lower()
    return made


_CHAIN: Final = "Encoding CodedCharSetId Format:8"

LAYOUTS: Final[dict[str, Layout]] = {
    layout.domain: layout
    for layout in (
        Layout(
            "MQDLH",
            "MQDEAD",
            MQDLH,
            MQDLH.unpack,
            _fields(
                f"Version Reason DestQName:48 DestQMgrName:48 {_CHAIN} PutApplType PutApplName:28 PutDate@ PutTime%"
            ),
        ),
        Layout(
            "MQCIH",
            "MQCICS",
            MQCIH,
            MQCIH.unpack,
            _fields(
                f"Version {_CHAIN} Flags ReturnCode CompCode Reason UOWControl GetWaitInterval LinkType"
                " OutputDataLength FacilityKeepTime ADSDescriptor ConversationalTask TaskEndStatus Facility*8"
                " Function:4 AbendCode:4 Authenticator:8 ReplyToFormat:8 RemoteSysId:4 RemoteTransId:4 TransactionId:4"
                " FacilityLike:4 AttentionId:4 StartCode:4 CancelCode:4 NextTransactionId:4 CursorPosition ErrorOffset"
                " InputItem"
            ),
        ),
        Layout(
            "MQIIH",
            "MQIMS",
            MQIIH,
            MQIIH.unpack,
            _fields(
                f"Version {_CHAIN} Flags LTermOverride:8 MFSMapName:8 ReplyToFormat:8 Authenticator:8"
                " TranInstanceId*16 TranState:1 CommitMode:1 SecurityScope:1"
            ),
        ),
        Layout(
            "MQMDE",
            "MQHMDE",
            MQMDE,
            MQMDE.unpack,
            _fields(f"Version {_CHAIN} Flags GroupId*24 MsgSeqNumber Offset MsgFlags OriginalLength"),
        ),
        Layout(
            "MQRMH",
            "MQHREF",
            MQRMH,
            MQRMH.unpack,
            _fields(
                f"Version {_CHAIN} Flags ObjectType:8 ObjectInstanceId*24 SrcEnv:0 SrcName:0 DestEnv:0 DestName:0"
                " DataLogicalLength DataLogicalOffset DataLogicalOffset2=data_logical_offset2"
            ),
        ),
        Layout(
            "MQSAPH",
            "MQHSAP",
            MQSAPH,
            MQSAPH.unpack,
            _fields(f"Version {_CHAIN} Flags Client:3 Language:1 HostName:20 UserId:12 Password:8 SystemNumber:2"),
        ),
        Layout(
            "MQWIH",
            "MQHWIH",
            MQWIH,
            MQWIH.unpack,
            _fields(f"Version {_CHAIN} Flags ServiceName:32 ServiceStep:8 MsgToken*16"),
        ),
        Layout("MQRFH", "MQHRF", MQRFH, MQRFH.unpack, _fields(f"Version {_CHAIN} Flags")),
        Layout(
            "MQRFH2",
            "MQHRF2",
            MQRFH2,
            MQRFH2.unpack,
            _fields("Version Format:8 Encoding CodedCharSetId Flags NameValueCCSID=name_value_ccsid"),
        ),
    )
}
LAYOUTS["MQRFH2C"] = Layout(
    "MQRFH2C", "MQHRF2", MQRFH2, MQRFH2.unpack, LAYOUTS["MQRFH2"].fields
)  # The compact parser of the same header.

#: Which header a Format announces.
BY_FORMAT: Final[dict[str, str]] = {
    layout.format: layout.domain for layout in LAYOUTS.values() if layout.domain != "MQRFH2C"
}
#: Formats of PCF: the rest of the message is a body of the domain MQPCF.
PCF_FORMATS: Final = frozenset(("MQADMIN", "MQEVENT", "MQPCF"))
#: Folders of transports that have no bytes in a message of MQ. Their nodes read and write them.
PLAIN_HEADERS: Final = frozenset(
    (
        "HTTPInputHeader",
        "HTTPReplyHeader",
        "HTTPRequestHeader",
        "HTTPResponseHeader",
        "EmailOutputHeader",
        "JMSTransport",
        "FTE",
        "SMF",
    )
)


def leaf_value(value: object, kind: int, length: int) -> object:
    """Return the value of a leaf for that of a field: text with its blanks, dates and times typed."""
    if kind == TEXT:
        assert isinstance(value, str)
        return value.ljust(length)
    if kind == DATE:
        return date_of(str(value))
    if kind == TIME:
        return time_of(str(value))
    return value


def date_of(text: str) -> object:
    """Return the DATE of YYYYMMDD; NULL if it is blank, the text itself if it is no date."""
    if not text:
        return None
    try:
        return Date(int(text[0:4]), int(text[4:6]), int(text[6:8])) if len(text) == 8 and text.isdigit() else text
    except ValueError:
        return text


def time_of(text: str) -> object:
    """Return the GMTTIME of HHMMSSTH; NULL if it is blank, the text itself if it is no time."""
    if not text:
        return None
    try:
        if len(text) != 8 or not text.isdigit():
            return text
        return Time(int(text[0:2]), int(text[2:4]), int(text[4:6]), int(text[6:8]) * 10_000, True)
    except ValueError:
        return text


def field_value(value: object, kind: int, length: int, header: str, name: str) -> object:
    """Return the value of a field for that of a leaf. Raises BIP 6119 if it does not fit."""
    if kind == INTEGER:
        return integer_field(value, header, name)
    if kind == TEXT:
        return text_field(value, length, header, name)
    if kind == BYTES:
        return bytes_field(value, length, header, name)
    if value is None:
        return ""
    if kind == DATE and isinstance(value, Date):
        return f"{value.year:04d}{value.month:02d}{value.day:02d}"
    if kind == TIME and isinstance(value, Time):
        return f"{value.hour:02d}{value.minute:02d}{value.second:02d}{value.micro // 10_000:02d}"
    return text_field(value, length, header, name)


def integer_field(value: object, header: str, name: str) -> int:
    """Return a number of 32 bits. Digits in a CHARACTER and whole DECIMALs are taken."""
    if value is None:
        return 0
    number: int | None = None
    if isinstance(value, int):
        number = int(value)
    elif isinstance(value, str):
        digits = value.strip()
        if len(digits) <= 11 and digits.lstrip("+-").isdigit() and digits.isascii():
            number = int(digits)
    elif isinstance(value, Decimal) and value.is_finite() and abs(value) < 2**32 and value == int(value):
        number = int(value)
    if number is None or not -(2**31) <= number < 2**31:
        raise unfit(value, header, name, "an INTEGER of 32 bits")
    return number


def text_field(value: object, length: int, header: str, name: str) -> str:
    """Return a text without trailing blanks. A blank of one character is a value."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise unfit(value, header, name, "CHARACTER")
    text = value if length == 1 else value.rstrip(" \0")
    if length and len(text) > length:
        raise unfit(value, header, name, f"CHARACTER of at most {length}")
    return text


def bytes_field(value: object, length: int, header: str, name: str) -> bytes:
    """Return bytes of full length, zeros behind. Hex digits in a CHARACTER are taken."""
    if value is None:
        return bytes(length)
    raw: bytes | None = None
    if isinstance(value, bytes):
        raw = value
    elif isinstance(value, str):
        try:
            raw = parse_blob(value)
        except ValueError:
            raw = None
    if raw is None or len(raw) > length:
        raise unfit(value, header, name, f"BLOB of at most {length}")
    return raw.ljust(length, b"\0")


def unfit(value: object, header: str, name: str, wanted: str) -> BrokerError:
    """Return the error of a leaf with a value that its field cannot hold."""
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    return parser_error(
        HEADER_WRITE,
        header,
        name,
        shown,
        text=f"{header}.{name} is {esql_type(value)} {shown}, but the field is {wanted}",
    )
