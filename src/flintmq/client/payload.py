"""JSON payloads and typed values: `put_json`, `message.json()` and `queue.of(kind)`.

    Python                              JSON
    dataclass, TypedDict, dict          object; fields that the type does not have are ignored when it is read
    list, tuple, set, frozenset         array
    str, int, float, bool, None         the same
    datetime, date, time                string, ISO 8601
    timedelta                           number of seconds
    Decimal, UUID                       string
    bytes                               string, base64
    Enum                                its value
    pydantic model                      by pydantic itself, if the program uses it

A value that does not fit raises BadPayload with the field ("items[2].price") and the message id.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Union
from uuid import UUID

from flintmq.client.message import Message

T = TypeVar("T")
R = TypeVar("R")

#: Reads a value that came from JSON; the second argument is the path of the field.
_Reader = Callable[[Any, str], Any]


class BadPayload(ValueError):
    """A message is not JSON, or not a value of the requested type.

    `message` is the message, if one was got. Outside of a transaction it is off the queue, and so are `others`: the
    messages that the same `get_many` of a typed queue or subscription got.
    """

    def __init__(self, text: str, field: str = "", message: Message | None = None) -> None:
        if message is not None:
            text = f"message {message.message_id.hex()} from {message.queue_name}: {text}"
        super().__init__(text)
        #: Path in the payload: "items[2].price"; "" for all of it.
        self.field = field
        self.message = message
        self.others: list[Message] = []


def dump_json(value: object) -> str:
    """Return the JSON of a value. Raises BadPayload for one that JSON cannot express."""
    dump = getattr(value, "model_dump_json", None)
    if dump is not None and not isinstance(value, type):
        text: str = dump()
        return text
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise BadPayload(f"{type(value).__name__} cannot be put as JSON: {error}") from None


def _plain(value: object) -> object:
    """Return the JSON form of a value that json.dumps does not know."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Set):
        return sorted(value) if all(isinstance(each, str | int) for each in value) else list(value)
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def load_json(message: Message) -> Any:
    """Return the value of a message that is JSON. Raise BadPayload."""
    try:
        return json.loads(message.text)
    except ValueError as error:  # Not UTF-8 as well.
        raise BadPayload(f"it is not JSON: {error}", "", message) from None
    except RecursionError:
        raise BadPayload("it is not JSON: it is nested too deeply", "", message) from None


if TYPE_CHECKING:

    class TypedMessage(Message, Generic[T]):
        """A message with its value."""

        value: T
        message: Message

else:

    class TypedMessage(Generic[T]):
        """A message with its value: `value`, and everything that the message has.

        >>> import flintmq
        >>> with flintmq.open(":memory:") as qm:
        ...     numbers = qm.queue("A", create=True).of(list[int])
        ...     _ = numbers.put([1, 2], correlation_id=b"7")
        ...     message = numbers.get()
        ...     message.value, message.correlation_id.rstrip(bytes(1)), message.text
        ([1, 2], b'7', '[1,2]')
        """

        __slots__ = ("message", "value")

        def __init__(self, message, value):
            self.message = message
            self.value = value

        def __getattr__(self, name):
            if name == "message":  # While it is unpickled or copied.
                raise AttributeError(name)
            return getattr(self.message, name)

        def __len__(self):
            return len(self.message)

        def __repr__(self):
            return f"<TypedMessage {self.value!r} from {self.message.queue_name}>"


class Codec(Generic[T]):
    """Writes and reads values of one type."""

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        self.name = getattr(kind, "__name__", None) or str(kind)
        self._read: _Reader = _reader(kind, {})

    def dump(self, value: T) -> str:
        """Return the JSON of a value. Raises BadPayload if it has another type: it could not be read."""
        text = dump_json(value)
        kind: Any = self.kind
        if kind is not Any and isinstance(kind, type) and not typing.get_origin(kind) and not typing.is_typeddict(kind):
            fits = isinstance(value, self.kind) or (self.kind is float and isinstance(value, int))
            if not fits:
                raise BadPayload(f"{self.name} is wanted, not {type(value).__name__}")
        self._read(json.loads(text), "")
        return text

    def read(self, message: Message) -> TypedMessage[T]:
        """Return the message with its value. Raises BadPayload."""
        try:
            value = self._read(load_json(message), "")
        except BadPayload as error:
            if error.message is not None:
                raise
            raise BadPayload(str(error), error.field, message) from None
        made: Any = TypedMessage
        typed: TypedMessage[T] = made(message, value)
        return typed

    def read_all(self, messages: list[Message]) -> list[TypedMessage[T]]:
        """Return messages of one get with their values. Raise BadPayload, which has the other messages."""
        read: list[TypedMessage[T]] = []
        for number, message in enumerate(messages):
            try:
                read.append(self.read(message))
            except BadPayload as error:
                error.others = messages[:number] + messages[number + 1 :]
                raise
        return read

    def reading(self, handler: Callable[[TypedMessage[T]], R]) -> Callable[[Message], R]:
        """Return a handler for messages that calls `handler` with the value read."""
        if not callable(handler):
            raise TypeError(f"a handler is a callable that takes a message, not {type(handler).__name__}")
        read = self.read
        if inspect.iscoroutinefunction(handler):

            async def handle(message: Message) -> object:
                result: Awaitable[object] = handler(read(message))
                return await result

            return typing.cast("Callable[[Message], R]", handle)
        return lambda message: handler(read(message))


def _wrong(path: str, wanted: str, value: object) -> BadPayload:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    where = f"field {path}: " if path else ""
    return BadPayload(f"{where}{wanted} is wanted, not {shown}", path)


def _reader(kind: Any, known: dict[Any, _Reader]) -> _Reader:
    """Return the function that reads a value of the type `kind`. TypeError for a type without a form in JSON."""
    found = known.get(kind) if isinstance(kind, type) else None
    if found is not None:
        return found
    if kind is Any or kind is object:
        return lambda value, path: value
    supertype = getattr(kind, "__supertype__", None)  # NewType
    if supertype is not None:
        return _reader(supertype, known)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Annotated, typing.Required, typing.NotRequired):
        return _reader(arguments[0], known)
    if origin in (Union, types.UnionType):
        return _union(kind, [_reader(each, known) for each in arguments])
    if origin is Literal:
        return _literal(arguments)
    if kind is None or kind is type(None):
        return _simple("null", type(None))
    reader = _class(kind, known)
    if reader is None and isinstance(origin or kind, type):
        reader = _container(origin or kind, arguments, known)
    if reader is None:
        raise TypeError(f"{getattr(kind, '__name__', kind)} has no form in JSON; use a dataclass, a TypedDict or such")
    return reader


def _class(kind: Any, known: dict[Any, _Reader]) -> _Reader | None:
    """Return the function that reads a simple value, an enumeration or an object with named fields; None for others."""
    if hasattr(kind, "model_validate"):
        return _pydantic(kind)
    if isinstance(kind, type) and kind in _SIMPLE:
        return _SIMPLE[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _converted(f"a value of {kind.__name__}", kind)
    if dataclasses.is_dataclass(kind) or typing.is_typeddict(kind):
        return _fields(kind, known)
    return None


def _container(base: type, arguments: tuple[Any, ...], known: dict[Any, _Reader]) -> _Reader | None:
    """Return the function that reads a tuple, a mapping, a sequence or a set; None for other classes."""
    if issubclass(base, tuple) and arguments and arguments[-1] is not ...:
        return _fixed([_reader(each, known) for each in arguments])
    if issubclass(base, Mapping):
        return _mapping(arguments, known)
    if issubclass(base, Sequence | Set):
        inner = _reader(arguments[0], known) if arguments else _reader(Any, known)
        make = base if base in (list, tuple, set, frozenset) else (list if issubclass(base, Sequence) else set)
        return _array(make, inner)
    return None


def _simple(name: str, *kinds: type) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise _wrong(path, name, value)
        return value

    return read


def _float(value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(path, "a number", value)
    return float(value)


def _converted(name: str, convert: Callable[[Any], Any], *kinds: type) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if kinds and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise _wrong(path, name, value)
        try:
            return convert(value)
        except (ValueError, InvalidOperation, binascii.Error, OverflowError, TypeError):
            raise _wrong(path, name, value) from None

    return read


def _decimal(value: Any) -> Decimal:
    return Decimal(str(value))


def _bytes(value: str) -> bytes:
    return base64.b64decode(value, validate=True)


def _seconds(value: float) -> timedelta:
    return timedelta(seconds=value)


_SIMPLE: dict[type, _Reader] = {
    str: _simple("a string", str),
    int: _simple("an integer", int),
    bool: _simple("true or false", bool),
    float: _float,
    datetime: _converted("a date and time, ISO 8601", datetime.fromisoformat, str),
    date: _converted("a date, ISO 8601", date.fromisoformat, str),
    time: _converted("a time, ISO 8601", time.fromisoformat, str),
    timedelta: _converted("a number of seconds", _seconds, int, float),
    Decimal: _converted("a decimal number", _decimal, str, int, float),
    UUID: _converted("a UUID", UUID, str),
    bytes: _converted("base64", _bytes, str),
}


def _union(kind: Any, readers: list[_Reader]) -> _Reader:
    def read(value: Any, path: str) -> Any:
        deepest: BadPayload | None = None
        for each in readers:
            try:
                return each(value, path)
            except BadPayload as error:
                if len(error.field) > len(path) and deepest is None:
                    deepest = error
        if deepest is not None:  # One alternative fitted but for a field: that is the error to show.
            raise deepest
        raise _wrong(path, str(kind), value)

    return read


def _literal(values: tuple[Any, ...]) -> _Reader:
    def read(value: Any, path: str) -> Any:
        for each in values:
            if value == each and type(value) is type(each):
                return each
        raise _wrong(path, " or ".join(map(repr, values)), value)

    return read


def _array(make: Callable[[list[Any]], Any], inner: _Reader) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise _wrong(path, "an array", value)
        read_values = [inner(each, f"{path}[{index}]") for index, each in enumerate(value)]
        try:
            return make(read_values)
        except TypeError:  # A set of values that are not hashable.
            raise _wrong(path, "an array of values that can be compared", value) from None

    return read


def _fixed(readers: list[_Reader]) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise _wrong(path, f"an array of {len(readers)}", value)
        return tuple(each(item, f"{path}[{n}]") for n, (each, item) in enumerate(zip(readers, value, strict=True)))

    return read


def _mapping(arguments: tuple[Any, ...], known: dict[Any, _Reader]) -> _Reader:
    key = _reader(arguments[0], known) if arguments else _reader(Any, known)
    inner = _reader(arguments[1], known) if arguments else key
    numeric = bool(arguments) and arguments[0] is int

    def read(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(path, "an object", value)
        made = {}
        for name, each in value.items():
            field = f"{path}.{name}" if path else name
            made[key(int(name) if numeric and name.lstrip("-").isdecimal() else name, field)] = inner(each, field)
        return made

    return read


def _fields(kind: Any, known: dict[Any, _Reader]) -> _Reader:
    """Return the reader of a dataclass or a TypedDict."""
    try:
        hints = typing.get_type_hints(kind, include_extras=True)
    except NameError as error:
        raise TypeError(f"{kind.__name__}: {error}; types are looked up in the module of the class") from None
    readers: dict[str, _Reader] = {}

    def read(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise _wrong(path, f"an object ({kind.__name__})", value)
        made = {}
        for name, each in readers.items():
            field = f"{path}.{name}" if path else name
            if name in value:
                made[name] = each(value[name], field)
            elif name in required:
                raise BadPayload(f"field {field} is missing", field)
        try:
            return kind(**made)
        except (TypeError, ValueError) as error:  # Of __post_init__.
            raise BadPayload(f"{path + ': ' if path else ''}{kind.__name__}: {error}", path) from None

    known[kind] = read
    if typing.is_typeddict(kind):
        names = list(hints)
        required = set()
        for name, hint in hints.items():  # With annotations that are strings, __required_keys__ does not know.
            origin = typing.get_origin(hint)
            if origin is not typing.NotRequired and (origin is typing.Required or name in kind.__required_keys__):
                required.add(name)
    else:
        fields = [field for field in dataclasses.fields(kind) if field.init]
        names = [field.name for field in fields]
        missing = dataclasses.MISSING
        required = {field.name for field in fields if field.default is missing and field.default_factory is missing}
    for name in names:
        readers[name] = _reader(hints[name], known)
    return read


def _pydantic(kind: Any) -> _Reader:
    def read(value: Any, path: str) -> Any:
        try:
            return kind.model_validate_json(json.dumps(value))
        except ValueError as error:  # pydantic.ValidationError is one.
            listed = getattr(error, "errors", None)
            first = listed()[0] if listed is not None else {"loc": (), "msg": str(error)}
            inner = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in first["loc"])
            field = (path + inner).lstrip(".")
            where = f"field {field}: " if field else ""
            raise BadPayload(f"{where}{first['msg']}", field) from None

    return read
