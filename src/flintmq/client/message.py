"""A message as the Python API gives and takes it. Compiled.

argument of put      field of MQMD           a message that was got
data                 (the message data)      data, text
persistent           Persistence             persistent
priority             Priority                priority
message_id           MsgId                   message_id
correlation_id       CorrelId                correlation_id
reply_to             ReplyToQ, MsgType       reply_to; with it the message is a request
expiry               Expiry                  expiry, in seconds; None for unlimited
format               Format                  format
properties           (message properties)    properties; topic of a publication
                     BackoutCount            backout_count
                     PutDate, PutTime        put_time
                     UserIdentifier          user
                     PutApplName             application
                     everything              md
                     MQDLH                   dead_letter: why it is on the dead-letter queue, and the message as it was
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mypy_extensions import mypyc_attr

from flintmq.mqi.call_errors import error_of
from flintmq.mqi.ccsid import decode
from flintmq.mqi.constants import (
    MQCCSI_INHERIT,
    MQEI_UNLIMITED,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQMT_REQUEST,
    MQWI_UNLIMITED,
)
from flintmq.mqi.encoding import is_big_endian
from flintmq.mqi.errors import PropertyError, StructureError
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.object_name import DELAY_MS_MAX, is_name
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_values import Value
from flintmq.mqi.reason import MQRC_PRIORITY_ERROR, MQRC_PROPERTY_TYPE_ERROR, reason_name

if TYPE_CHECKING:
    from datetime import datetime

    from flintmq.mqi.dlh import MQDLH
    from flintmq.qmgr.connection import Answer

ID_LENGTH: Final = 24
FORMAT_LENGTH: Final = 8
NAME_LENGTH: Final = 48
#: MAXPRTY of every queue manager.
PRIORITY_MAX: Final = 9
#: Tenths of a second in 31 bits: almost seven years.
EXPIRY_MAX: Final[float] = (2**31 - 1) / 10
#: Milliseconds of a wait have 31 bits, too: almost 25 days.
WAIT_MAX: Final[int] = (2**31 - 1) // 1000
_UTF8: Final = 1208
_NATIVE_BIG_ENDIAN: Final = 0x1

Data = bytes | bytearray | memoryview | str
Wait = float | bool | None


def identifier(value: object, what: str) -> bytes:
    """Return an id of 24 bytes; a shorter one is padded with zeros, as MQ does it."""
    if type(value) is bytes and len(value) == ID_LENGTH:
        return value
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"{what} is bytes, not {type(value).__name__}")
    if len(value) > ID_LENGTH:
        raise ValueError(f"{what} has at most {ID_LENGTH} bytes, not {len(value)}")
    return bytes(value).ljust(ID_LENGTH, b"\0")


def wait_interval(wait: Any) -> int:
    """Return the WaitInterval of MQGMO in milliseconds: 0 for no wait, -1 for unlimited."""
    if wait is None or wait is False:
        return 0
    if wait is True or wait == math.inf:
        return MQWI_UNLIMITED
    if not 0 <= seconds(wait, "wait") <= WAIT_MAX:
        raise ValueError(f"wait is a number of seconds, at most {WAIT_MAX}, True for ever, or None; not {wait}")
    interval: int = math.ceil(wait * 1000)
    return interval


def expiry_tenths(expiry: Any) -> int:
    """Convert a number of seconds to tenths of a second, the unit of MQMD.Expiry."""
    if not 0 < seconds(expiry, "expiry") <= EXPIRY_MAX:
        raise ValueError(f"expiry is a number of seconds greater than 0, at most {EXPIRY_MAX:.0f}, not {expiry}")
    tenths: int = max(1, round(expiry * 10))
    return tenths


def length_wanted(max_length: object) -> int:
    """Return the number of bytes wanted of a message, -1 for all of it."""
    if max_length is None:
        return -1
    length = _integer(max_length, "max_length")
    if length < 0:
        raise ValueError(f"max_length is a number of bytes, or None for the whole message, not {max_length}")
    return length


def selection(selector: object) -> str:
    """Return a selection string. Raise TypeError for anything but text, before it reaches the engine."""
    if not isinstance(selector, str):
        raise TypeError(f"selector is a str, not {type(selector).__name__}")
    return selector


def payload(data: object, md: MQMD) -> bytes:
    """Return the bytes of the message. Text is sent as UTF-8 in format MQSTR."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        if not md.format:
            md.format = MQFMT_STRING
        md.coded_char_set_id = _UTF8
        return data.encode("utf-8")
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    raise TypeError(f"message data is bytes or str, not {type(data).__name__}")


def properties_of_put(properties: Any) -> MessageProperties | None:
    """Return the properties of a put, None if it has none. Raise BadProperty for an invalid name or value."""
    if not properties:
        return None
    if not isinstance(properties, Mapping):
        raise TypeError(f"properties are a dict, name to value, not {type(properties).__name__}")
    made = MessageProperties()
    given: Any
    for name, given in properties.items():
        if not isinstance(name, str):
            raise TypeError(f"the name of a property is a str, not {type(name).__name__}")
        if isinstance(given, bytearray | memoryview):
            given = bytes(given)
        if given is not None and not isinstance(given, str | int | float | bytes):
            text = f"property {name!r}: {type(given).__name__} is not a type that a property can have"
            raise error_of(MQRC_PROPERTY_TYPE_ERROR, text)
        try:
            made.set(name, given)
        except PropertyError as error:
            raise error_of(error.reason, error.text) from None
    return made


class Carried:
    """The undecoded properties of a message, until the application reads them."""

    __slots__ = ("block", "ccsid", "data", "encoding", "format")

    def __init__(self, block: bytes, format: str, encoding: int, ccsid: int, data: bytes) -> None:
        self.block = block
        self.format = format
        self.encoding = encoding
        self.ccsid = ccsid
        self.data = data

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the constructor call for pickle: a compiled class is made by its constructor."""
        return Carried, (self.block, self.format, self.encoding, self.ccsid, self.data)

    def read(self) -> dict[str, Value]:
        """Decode the properties. Of two with the same name the one closer to the head of the message counts."""
        properties = MessageProperties()
        # Here: a client of a queue manager elsewhere needs nothing of the engine before a message has properties.
        from flintmq.mqi.message_properties import add_block, add_headers

        add_block(properties, self.block)
        add_headers(properties, self.format, self.encoding, self.ccsid, self.data)
        found: dict[str, Value] = {}
        for item in properties.items:
            if item.hidden is None:
                found.setdefault(item.name, item.value)
        return found


def carried(answer: Answer) -> Carried | None:
    """Return the properties of the message that a get has just left in `answer`."""
    message = answer.carrier
    if message is None or message is not answer.message:
        return None
    return Carried(message.properties, message.format, message.encoding, message.coded_char_set_id, message.data)


def delay_ms(delay: Any) -> int:
    """Convert the delay of a put from seconds to milliseconds."""
    if delay is None:
        return 0
    if not 0 <= seconds(delay, "delay") <= DELAY_MS_MAX / 1000:
        raise ValueError(f"delay is a number of seconds from 0 to {DELAY_MS_MAX // 1000}, not {delay}")
    milliseconds: int = math.ceil(delay * 1000)
    return milliseconds


def descriptor(
    persistent: object,
    priority: object,
    correlation_id: object,
    message_id: object,
    reply_to: object,
    reply_to_queue_manager: object,
    expiry: object,
    format: object,
    message_type: object,
) -> MQMD:
    """Return the descriptor of a put. None stands for the default of the queue, or of MQ.

    The types are those of the arguments of `put`. They are checked here, so that an error names the argument.
    """
    md = MQMD()
    if persistent is not None:
        if persistent is not True and persistent is not False:
            raise TypeError(f"persistent is True, False or None, not {persistent!r}")
        md.persistence = 1 if persistent else 0
    if priority is not None:
        number = _integer(priority, "priority")
        if not 0 <= number <= PRIORITY_MAX:
            raise error_of(MQRC_PRIORITY_ERROR, f"priority is a number from 0 to {PRIORITY_MAX}, not {priority}")
        md.priority = number
    if correlation_id is not None:
        md.correl_id = identifier(correlation_id, "correlation_id")
    if message_id is not None:
        md.msg_id = identifier(message_id, "message_id")
    if reply_to is not None:
        md.reply_to_q = _name(reply_to, "reply_to")
        md.reply_to_q_mgr = _name(reply_to_queue_manager, "reply_to_queue_manager")
        md.msg_type = MQMT_REQUEST
    if expiry is not None:
        md.expiry = expiry_tenths(expiry)
    if format:
        if not isinstance(format, str) or len(format) > FORMAT_LENGTH or not format.isascii() or "\0" in format:
            raise ValueError(f"format is at most {FORMAT_LENGTH} ASCII characters, not {format!r}")
        md.format = format.rstrip(" ")
    if message_type is not None:
        md.msg_type = _integer(message_type, "message_type")
    return md


def seconds(value: Any, what: str) -> Any:
    """Return `value` if it is a number; "5" is refused here instead of failing in a comparison."""
    if type(value) is float or type(value) is int:
        return value
    from numbers import Real

    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{what} is a number of seconds, not {type(value).__name__}")
    return value


def _integer(value: object, what: str) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{what} is an int, not {type(value).__name__}")
    return int(value)


def _name(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    if value and not is_name(value, NAME_LENGTH):
        raise ValueError(f"{what} is a name of at most {NAME_LENGTH} letters, digits and . / _ %, not {value!r}")
    return value


@mypyc_attr(allow_interpreted_subclasses=True)
class Message:
    """A message that was got or browsed.

    >>> import flintmq
    >>> with flintmq.open(":memory:") as qm:
    ...     queue = qm.queue("A", create=True)
    ...     _ = queue.put("42", correlation_id=b"order 7", priority=3)
    ...     message = queue.get()
    >>> message.text, message.data, message.priority, message.correlation_id.rstrip(bytes(1))
    ('42', b'42', 3, b'order 7')
    """

    __slots__ = ("_properties", "data", "length", "md", "queue_name", "token")

    def __init__(
        self, data: bytes, md: MQMD, queue_name: str, properties: Carried | dict[str, Value] | None = None
    ) -> None:
        self._properties: Carried | dict[str, Value] | None = properties
        self.data: bytes = data
        #: The whole descriptor, under MQ's own names.
        self.md = md
        #: The queue it was got from.
        self.queue_name = queue_name
        #: Length of the message: greater than that of `data` if the data was cut.
        self.length: int = len(data)
        #: MsgToken: identifies the message on the queue, for `get(token=...)`. Set by browses.
        self.token: bytes = b""

    @property
    def properties(self) -> dict[str, Value]:
        """Return the message properties by name: str, int, float, bool, bytes or None. Decoded on first use.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put("42", properties={"color": "red", "shop.count": 3})
        ...     queue.get().properties
        {'color': 'red', 'shop.count': 3}
        """
        found = self._properties
        if not isinstance(found, dict):
            found = self._properties = {} if found is None else found.read()
        return found

    @property
    def topic(self) -> str:
        """Return the topic of a publication, "" if the message was not published."""
        value = self.properties.get("mqps.Top")
        return value if isinstance(value, str) else ""

    @property
    def text(self) -> str:
        """Return the data as text, by the character set of the descriptor; of a dead letter, the text of the original.

        Raise UnicodeDecodeError if the data is not text in that character set.
        """
        dead = self.dead_letter
        if dead is not None:
            return dead.original.text
        return decode(self.data, self.md.coded_char_set_id or _UTF8, self.md.encoding & 0xF == _NATIVE_BIG_ENDIAN)

    def json(self) -> Any:
        """Return the value of the data, which is JSON. Raise BadPayload if it is not.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     queue = qm.queue("A", create=True)
        ...     _ = queue.put('{"order": 7}')
        ...     queue.get().json()
        {'order': 7}
        """
        from flintmq.client.payload import load_json

        return load_json(self)

    @property
    def trace_context(self) -> dict[str, str]:
        """Return the W3C trace context in the message properties: `traceparent` and `tracestate`, if they are there."""
        found = self.properties
        return {name: str(found[name]) for name in ("traceparent", "tracestate") if name in found}

    @property
    def dead_letter(self) -> DeadLetter | None:
        """Return the reason and destination of a dead letter; None if it has no dead-letter header (MQDLH).

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     _ = qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        ...     _ = qm.queue("A", create=True, bothresh=1)
        ...     _ = qm.queue("A").put("hello")
        ...     qm.queue("A").get(syncpoint=True).text
        ...     qm.backout()
        ...     qm.queue("A").get_or_none()
        ...     [(dead.dead_letter.queue, dead.text) for dead in qm.dead_letters()]
        'hello'
        [('A', 'hello')]
        """
        if self.md.format != MQFMT_DEAD_LETTER_HEADER:
            return None
        header = header_of(self.md, self.data)
        return None if header is None else DeadLetter(self, header)

    @property
    def message_id(self) -> bytes:
        """Return the message id, 24 bytes."""
        return self.md.msg_id

    @property
    def correlation_id(self) -> bytes:
        """Return the correlation id, 24 bytes; all zero if there is none."""
        return self.md.correl_id

    @property
    def reply_to(self) -> str:
        """Return the queue for the reply, "" if none is wanted."""
        return self.md.reply_to_q

    @property
    def reply_to_queue_manager(self) -> str:
        """Return the queue manager of the reply queue."""
        return self.md.reply_to_q_mgr

    @property
    def persistent(self) -> bool:
        """Return whether it survives a restart of the queue manager."""
        return self.md.persistence == 1

    @property
    def priority(self) -> int:
        """Return the priority, 0 to 9; 9 is got first."""
        return self.md.priority

    @property
    def expiry(self) -> float | None:
        """Return the seconds that were left when it was got; None if it never expires."""
        return None if self.md.expiry == MQEI_UNLIMITED else self.md.expiry / 10

    @property
    def format(self) -> str:
        """Return the format: MQSTR for text, blank for bytes that are not to be converted."""
        return self.md.format

    @property
    def message_type(self) -> int:
        """Return MQMT_*: 1 request, 2 reply, 4 report, 8 datagram."""
        return self.md.msg_type

    @property
    def backout_count(self) -> int:
        """Return how often it was got and backed out."""
        return self.md.backout_count

    @property
    def user(self) -> str:
        """Return the user that put it."""
        return self.md.user_identifier

    @property
    def application(self) -> str:
        """Return the application that put it."""
        return self.md.put_appl_name

    @property
    def put_time(self) -> datetime | None:
        """Return the time of the put; None if the descriptor does not have it."""
        return _time_of(self.md.put_date + self.md.put_time)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        shown = repr(self.data if len(self.data) <= 40 else self.data[:37] + b"...")
        parts = [shown]
        if self.correlation_id != NO_ID:
            parts.append(f"correlation_id={self.correlation_id.rstrip(bytes(1))!r}")
        if self.reply_to:
            parts.append(f"reply_to={self.reply_to!r}")
        if self.topic:
            parts.append(f"topic={self.topic!r}")
        if self.persistent:
            parts.append("persistent")
        return f"<Message {' '.join(parts)} from {self.queue_name}>"


class DeadLetter:
    """A dead letter: why and when it was put on the dead-letter queue. Made by `message.dead_letter`."""

    __slots__ = ("_message", "application", "header", "queue", "queue_manager", "reason")

    def __init__(self, message: Message, header: MQDLH) -> None:
        self._message = message
        #: The whole header, under MQ's own names.
        self.header = header
        #: MQRC_* or MQFB_*: why the message could not be delivered.
        self.reason = header.reason
        #: The destination of the message.
        self.queue = header.dest_q_name
        self.queue_manager = header.dest_q_mgr_name
        #: The program that put the message on the dead-letter queue.
        self.application = header.put_appl_name

    @property
    def reason_name(self) -> str:
        """Return the name of the reason: MQRC_Q_FULL, for example."""
        return reason_name(self.reason)

    @property
    def put_time(self) -> datetime | None:
        """Return the time of the put to the dead-letter queue; None if the header does not have it."""
        return _time_of(self.header.put_date + self.header.put_time)

    @property
    def original(self) -> Message:
        """Return the message as it was before it became a dead letter: without the header, with its own format."""
        # Here: a message without a dead-letter header needs nothing of the engine.
        from flintmq.mqi.dlh import SIZE as DLH_SIZE
        from flintmq.mqi.message_properties import rules_headers
        from flintmq.mqi.property_headers import body_of, strip

        message = self._message
        md = message.md.copy()
        without_header(md, self.header)
        data, properties = message.data[DLH_SIZE:], message.properties
        if md.format == MQFMT_RF_HEADER_2:
            # A program that is connected over a channel puts the properties as a header behind the dead-letter header.
            properties = Carried(b"", md.format, md.encoding, md.coded_char_set_id, data).read() | properties
            body = body_of(md, data)
            strip(body, rules_headers(md.format, md.encoding, md.coded_char_set_id, data))
            md.format, md.encoding, md.coded_char_set_id, data = body.format, body.encoding, body.ccsid, body.data
        return Message(data, md, self.queue, properties)

    def __repr__(self) -> str:
        return f"<DeadLetter for {self.queue}: {self.reason_name}>"


def header_of(md: MQMD, data: bytes) -> MQDLH | None:
    """Return the dead-letter header at the beginning of the data, None if there is none."""
    if md.format != MQFMT_DEAD_LETTER_HEADER:
        return None
    from flintmq.mqi.dlh import MQDLH

    try:
        return MQDLH.unpack(data, 0, is_big_endian(md.encoding), md.coded_char_set_id)
    except StructureError:
        return None


def without_header(md: MQMD, header: MQDLH) -> None:
    """Make `md` describe the data behind a dead-letter header."""
    md.format, md.encoding = header.format, header.encoding
    if header.coded_char_set_id != MQCCSI_INHERIT:  # Else the data is in the character set of the header itself.
        md.coded_char_set_id = header.coded_char_set_id


def _time_of(stamp: str) -> datetime | None:
    """Convert PutDate and PutTime to a time; None if they are blank or invalid."""
    if len(stamp) != 16 or not stamp.isdigit():
        return None
    from datetime import UTC, datetime

    try:
        return datetime.strptime(stamp + "0000", "%Y%m%d%H%M%S%f").replace(tzinfo=UTC)
    except ValueError:
        return None
