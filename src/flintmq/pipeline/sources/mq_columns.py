"""Messages as columns, and rows as messages.

Reading, descriptors and bodies are not taken apart one by one: MQMDs stand in one buffer that NumPy sees as a table,
and a field is a column of it; bodies stand in another, which Arrow uses directly (mq_chunk.py). Only some work is done
message by message: an MQRFH2 is taken off, a text is decoded. Rows that differ in their bodies only are written from
such buffers, too.

    column              type        from
    queue               string      the queue that was read
    position            bigint      the number that the queue manager gave the message when it was put
    msg_id ...          binary      MQMD, by the names of its fields in snake case; 24 bytes each, accounting_token 32
    format, reply_to_q  string      MQMD, without trailing blanks
    priority, expiry    int         MQMD
    put_time            timestamp   PutDate and PutTime, UTC; null if they are none
    properties          map         message properties, values as text; an MQRFH2 is taken off the body
    body                binary      the data; a string with the options body = text and body = json. With body = raw an
                                    MQRFH2 stays in front of it, and `properties` is empty

Two columns need not be the same when a batch is read again: `expiry` runs down, and `backout_count` may grow.

Writing, the columns that are there become the message; those that only a queue manager can say are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flintmq.client.message import properties_of_put
from flintmq.client.remote.handles import take_out
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.ccsid import decode
from flintmq.mqi.constants import MQENC_INTEGER_MASK, MQENC_INTEGER_REVERSED, MQENC_NATIVE
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.sources.mq_chunk import ALL, BODIES, FIELDS, LITTLE, Array, Chunk

_RFH2 = "MQHRF2"
_STRING = "MQSTR"
_UTF8 = 1208
_BINARY = {"msg_id": 24, "correl_id": 24, "group_id": 24, "accounting_token": 32}
_NOT_COLUMNS = ("struc_id", "version", "put_at")
TIMESTAMP = pa.timestamp("us", tz="UTC")
_PROPERTIES = pa.map_(pa.string(), pa.string())
#: Values of the option `body` that give the data as they are.
_BYTES = ("binary", "raw")


def _type_of(name: str, kind: str) -> pa.DataType:
    return pa.int32() if kind == "i4" else pa.binary() if name in _BINARY else pa.string()


MD_COLUMNS = {name: _type_of(name, kind) for name, kind in FIELDS if name not in _NOT_COLUMNS}
COLUMNS: dict[str, pa.DataType] = {
    "queue": pa.string(), "position": pa.int64(), **MD_COLUMNS, "put_time": TIMESTAMP, "properties": _PROPERTIES,
    "body": pa.binary(),
}  # fmt: skip


def schema_of(columns: Sequence[str], body: str) -> pa.Schema:
    """Return the columns of the source: all of them, or those that are named. Raises BadOption."""
    strange = [name for name in columns if name not in COLUMNS]
    if strange:
        raise BadOption(f"mq has no column {', '.join(strange)}; it has {', '.join(COLUMNS)}")
    wanted = columns or tuple(COLUMNS)
    types = {**COLUMNS, "body": pa.binary() if body in _BYTES else pa.string()}
    return pa.schema([pa.field(name, types[name]) for name in wanted])


# -- reading ----------------------------------------------------------------------------------------------------------


#: Columns that need no more of a descriptor than a body does.
_NEED_NO_DESCRIPTOR = ("queue", "position", "properties", "body")
_RFH2_RAW = np.array(_RFH2.ljust(8).encode(), dtype="V8")


class Rows:
    """Makes Arrow batches of messages."""

    def __init__(self, schema: pa.Schema, queue: str, body: str) -> None:
        self.schema = schema
        self._queue = queue
        self._body = body
        #: The parts that a browse must bring (mq_chunk.py).
        self.wanted = BODIES if all(name in _NEED_NO_DESCRIPTOR for name in schema.names) else ALL

    def batch(self, chunk: Chunk) -> pa.RecordBatch:
        """Return the Arrow batch of some messages. A body that has no header in front of it is not copied."""
        properties, bodies = self._without_headers(chunk)
        made = [self._column(name, chunk, properties, bodies) for name in self.schema.names]
        return pa.RecordBatch.from_arrays(made, schema=self.schema)

    def _without_headers(self, chunk: Chunk) -> tuple[dict[int, list[tuple[str, str]]], pa.Array]:
        """Take MQRFH2 headers off: the properties of the rows that have some. Descriptors then describe the bodies."""
        found: dict[int, list[tuple[str, str]]] = {}
        table, offsets = chunk.descriptors, chunk.offsets
        assert table is not None and offsets is not None
        cut: dict[int, bytes] = {}
        headed = np.flatnonzero(table["format"] == _RFH2_RAW).tolist() if self._body != "raw" else []
        for row in headed:
            md = MQMD()
            md.format, md.encoding = _RFH2, int(table["encoding"][row])
            md.coded_char_set_id = int(table["coded_char_set_id"][row])
            data, properties = take_out(md, chunk.body(row))
            if properties.items:
                cut[row] = data
                table["format"][row] = md.format.ljust(8).encode()
                table["encoding"][row], table["coded_char_set_id"][row] = md.encoding, md.coded_char_set_id
                found[row] = [(item.name, _property_text(item.value)) for item in properties.items]
        if cut:
            return found, pa.array(
                [cut[row] if row in cut else chunk.body(row) for row in range(len(chunk))], pa.binary()
            )
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(chunk.data)]
        return found, pa.Array.from_buffers(pa.binary(), len(chunk), buffers)

    def _column(
        self, name: str, chunk: Chunk, properties: dict[int, list[tuple[str, str]]], bodies: pa.Array
    ) -> pa.Array:
        table, count = chunk.descriptors, len(chunk)
        assert table is not None
        if name == "body":
            return bodies if self._body in _BYTES else pa.array(self._decoded(table, bodies), pa.string())
        if name == "position":
            return pa.array(chunk.positions, pa.int64())
        if name == "queue":
            return pa.repeat(pa.scalar(self._queue, pa.string()), count)
        if name == "put_time":
            return pa.array([_moment(text) for text in _texts(table["put_at"])], TIMESTAMP)
        if name == "properties":
            return pa.array([properties.get(row, ()) for row in range(count)], _PROPERTIES)
        if name in _BINARY:
            width = _BINARY[name]
            offsets = np.arange(0, width * (count + 1), width, dtype=np.int32)
            content = np.ascontiguousarray(table[name])
            buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content.view(np.uint8))]
            return pa.Array.from_buffers(pa.binary(), count, buffers)
        if COLUMNS[name] == pa.int32():
            return pa.array(np.ascontiguousarray(table[name]).astype(np.int32), pa.int32())
        return pa.array(_texts(table[name]), pa.string())

    def _decoded(self, table: Array, bodies: pa.Array) -> Iterator[str | None]:
        """Decode bodies to text: null for bodies that are not valid in the character set that the message names."""
        as_json = self._body == "json"
        ccsids, encodings = table["coded_char_set_id"].tolist(), table["encoding"].tolist()
        for data, ccsid, encoding in zip(bodies.to_pylist(), ccsids, encodings, strict=True):
            try:
                text = decode(data, ccsid or _UTF8, encoding & MQENC_INTEGER_MASK != MQENC_INTEGER_REVERSED)
                if as_json:
                    json.loads(text)
            except (ValueError, RecursionError, MQStructuresError):
                yield None
            else:
                yield text


def _texts(column: Any) -> list[str]:
    """Decode character fields, each different value once."""
    raw = np.ascontiguousarray(column)
    values = raw.tolist()
    first = values[0] if values else b""
    if values.count(first) == len(values):
        return [_text(first)] * len(values)
    return [_text(value) for value in values]


@lru_cache(4096)
def _text(raw: bytes) -> str:
    """Decode a character field without trailing blanks and zeros."""
    try:
        return raw.decode().rstrip(" \0")
    except UnicodeDecodeError:
        return raw.decode("latin-1").rstrip(" \0")


@lru_cache(4096)
def _moment(text: str) -> datetime | None:
    """Parse PutDate and PutTime: YYYYMMDDHHMMSSTH, UTC."""
    try:
        hundredths = int(text[14:16])
        return datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(microsecond=hundredths * 10_000, tzinfo=UTC)
    except ValueError:
        return None


def _property_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


# -- writing ----------------------------------------------------------------------------------------------------------

#: Columns that set fields of a message.
_INTEGERS = ("report", "msg_type", "expiry", "feedback", "encoding", "coded_char_set_id", "priority", "persistence",
             "msg_seq_number", "offset", "msg_flags", "original_length")  # fmt: skip
_TEXTS = ("format", "reply_to_q", "reply_to_q_mgr")
_IDS = ("msg_id", "correl_id", "group_id")
#: Where they stand in a descriptor.
_ID_AT = {name: LITTLE.fields[name][1] for name in _IDS}  # type: ignore[index]
_PACKED_MAX = 1000
WRITTEN = ("body", "queue", "properties", *_INTEGERS, *_TEXTS, *_IDS)
#: Columns that the queue manager sets: ignored, so that rows of the source can be written.
PASSED_OVER = ("position", "put_time", "backout_count", "user_identifier", "accounting_token", "appl_identity_data",
               "put_appl_type", "put_appl_name", "appl_origin_data")  # fmt: skip


def check_columns(names: Sequence[str], has_queue: bool) -> None:
    """Raise BadOption unless rows with these columns can become messages."""
    strange = [name for name in names if name not in WRITTEN and name not in PASSED_OVER]
    if strange:
        raise BadOption(f"the sink mq has no column {', '.join(strange)}; it has {', '.join(WRITTEN)}")
    if "body" not in names:
        raise BadOption("the sink mq needs a column body: binary, or a string that is put as UTF-8")
    if not has_queue and "queue" not in names:
        raise BadOption("the sink mq needs a queue: the option queue, or a column queue with a name in every row")


class Outgoing:
    """A row as a message: its descriptor is an MQMD of version 2 as it stands on the wire."""

    __slots__ = ("data", "descriptor", "new_id", "queue")

    def __init__(self, queue: str, descriptor: bytes, data: bytes, new_id: bool) -> None:
        self.queue = queue
        self.descriptor = descriptor
        self.data = data
        #: The queue manager gives it a MsgId.
        self.new_id = new_id


class Alike:
    """Rows that differ in their bodies only, as they stand in an Arrow batch."""

    __slots__ = ("data", "descriptor", "lengths", "new_id", "offsets", "queue")

    def __init__(self, queue: str, descriptor: bytes, bodies: pa.Array) -> None:
        """Hold rows with these `bodies`: binary or string, without nulls."""
        self.queue = queue
        self.descriptor = descriptor
        self.new_id = True
        count = len(bodies)
        _, offsets, data = bodies.buffers()
        #: The body of row n is data[offsets[n] : offsets[n + 1]].
        self.offsets = np.frombuffer(offsets, dtype=np.int32, count=count + 1, offset=4 * bodies.offset)
        self.lengths = np.diff(self.offsets)
        self.data = memoryview(data) if data is not None else memoryview(b"")

    def __len__(self) -> int:
        return len(self.lengths)


class Maker:
    """Makes messages of rows. Descriptors that differ in their ids only are packed once."""

    def __init__(self, queue: str, persistence: int, big_endian: bool, ccsid: int) -> None:
        self._queue = queue
        self._persistence = persistence
        self._big_endian = big_endian
        self._ccsid = ccsid
        self._packed: dict[tuple[Any, ...], bytes] = {}

    def alike(self, batch: pa.RecordBatch) -> Alike | None:
        """Return the rows of an Arrow batch, if they differ in their bodies only and no row is wrong; else None."""
        bodies = batch.column("body")
        others = [name for name in batch.schema.names if name in WRITTEN and name != "body"]
        if bodies.null_count or bodies.type not in (pa.binary(), pa.string()) or not len(bodies):
            return None
        if any(name in _IDS or name == "properties" for name in others):
            return None
        first = batch.slice(0, 1)
        if any(not _is_constant(batch.column(name)) for name in others):
            return None
        message = next(self.messages(first))
        return Alike(message.queue, message.descriptor, bodies)

    def messages(self, batch: pa.RecordBatch) -> Iterator[Outgoing]:
        """Convert the rows of an Arrow batch to messages. Raises PipelineError for a row that cannot be one."""
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names if name in WRITTEN}
        count = batch.num_rows
        bodies = columns.pop("body")
        queues = columns.pop("queue", None)
        properties = columns.pop("properties", None)
        ids = [(_ID_AT[name], name, columns.pop(name)) for name in _IDS if name in columns]
        names = tuple(columns)
        fields = list(zip(*columns.values(), strict=True)) if columns else [()] * count
        kind = batch.schema.field("body").type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        packed = self._packed
        known = (names, is_text)
        for row, body in enumerate(bodies):
            if body is None:
                raise PipelineError("mq: a row without a body cannot be put: body is null")
            target = self._queue if queues is None else queues[row] or self._queue
            if not target:
                raise PipelineError("mq: a row without a queue cannot be put: queue is null, and no option queue")
            data = body.encode() if is_text else body
            values = fields[row]
            if properties is not None and properties[row]:
                md = self._md(names, values, is_text)
                data = with_properties(md, data, dict(properties[row]))
                descriptor = self._pack(md)
            else:
                found = packed.get((known, values))
                if found is None:
                    if len(packed) >= _PACKED_MAX:
                        packed.clear()
                    found = packed[known, values] = self._pack(self._md(names, values, is_text))
                descriptor = found
            new_id = True
            for at, name, column in ids:
                value = column[row]
                if value is not None:
                    value = _checked(name, value)
                    descriptor = descriptor[:at] + value + descriptor[at + len(value) :]
                    new_id = new_id and (at != _ID_AT["msg_id"] or value == NO_ID)
            yield Outgoing(target, descriptor, data, new_id)

    def _md(self, names: tuple[str, ...], values: tuple[Any, ...], is_text: bool) -> MQMD:
        md = MQMD()
        md.version = 2
        md.persistence = self._persistence
        md.coded_char_set_id = _UTF8
        md.format = _STRING if is_text else ""
        for name, value in zip(names, values, strict=True):
            if value is not None:
                setattr(md, name, _checked(name, value))
        if is_text:
            md.coded_char_set_id = _UTF8
        return md

    def _pack(self, md: MQMD) -> bytes:
        try:
            return md.pack(self._big_endian, self._ccsid)
        except MQStructuresError as error:
            raise PipelineError(f"mq: {error}") from None


def _is_constant(column: pa.Array) -> bool:
    """Return whether all rows have the same value, or none."""
    if column.null_count:
        return bool(column.null_count == len(column))
    return bool(pc.all(pc.equal(column, column[0])).as_py())


def _checked(name: str, value: Any) -> Any:
    if name in _IDS:
        if not isinstance(value, bytes) or len(value) > len(NO_ID):
            raise PipelineError(f"{name} is binary of up to {len(NO_ID)} bytes, not {value!r:.80}")
        return value.ljust(len(NO_ID), b"\0") if any(value) else NO_ID
    if name in _TEXTS:
        if not isinstance(value, str):
            raise PipelineError(f"{name} is a string, not {value!r:.80}")
        return value
    if not isinstance(value, int):
        raise PipelineError(f"{name} is a whole number, not {value!r:.80}")
    return value


def with_properties(md: MQMD, body: bytes, properties: dict[str, str]) -> bytes:
    """Put an MQRFH2 with the properties in front of the body."""
    try:
        made = properties_of_put(properties)
    except MQError as error:
        raise PipelineError(f"mq: {error}") from None
    assert made is not None
    header = MQRFH2()
    header.encoding, header.coded_char_set_id, header.format = md.encoding, md.coded_char_set_id, md.format
    header.folders = made.to_folders()
    md.format, md.encoding, md.coded_char_set_id = _RFH2, MQENC_NATIVE, _UTF8
    return header.pack(False, _UTF8) + body
