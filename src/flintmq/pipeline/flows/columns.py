"""The columns of a flow on Spark: those of the rows that come in, and those of the rows that go out.

In, by name; others are ignored unless `keep` names them:

    data, body    binary    the message with its headers: required. A string is read as UTF-8. `content` is that of the
                            source binaryFile
    msg_id ...    as `mq`   fields of the MQMD in snake case (sources/mq_columns.py); missing ones have defaults
    put_time      timestamp PutDate and PutTime
    properties    map       message properties: an MQRFH2 in front of the data
    queue         string    the queue that the message came from; of FileInput, `path` is the name of the file

Out:

    kind             string   put, publish, file or failure
    queue            string   of a put: where it goes, with queue_manager if the flow names one
    topics           array    of a publication; `retained` if it is retained
    file             string   of a file: directory and name; file_action is replace, append or finish
    node             string   the label of the node that sends; of a failure, of the innermost node that failed
    number           int      the place among the outputs of one input, from 1
    transactional    boolean  whether it belongs to the unit of work of the flow
    msg_id ...       as `mq`  fields of the MQMD that a program may set; of a failure, those that came in
    data             binary   headers and body as they are on the wire; of a failure, the data that came in
    exceptions       string   of a failure: the ExceptionList as JSON, outermost entry first
    input_...        as in    msg_id, queue, position and path of the input, where they are there
    ...                       the columns that `keep` names
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from flintmq.broker.flow.function import incoming_of
from flintmq.mqi.md import MQMD, NO_ACCOUNTING_TOKEN, NO_ID
from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.sources.mq_columns import MD_COLUMNS, WRITTEN

#: Names of the column with the message, in the order of preference.
DATA: Final = ("data", "body", "content")
#: Columns that tell which input a row came from; they go out with this prefix.
IDENTITY: Final = ("msg_id", "queue", "position", "path")
PREFIX: Final = "input_"
PUT, PUBLISH, FILE, FAILURE = "put", "publish", "file", "failure"

#: Fields of the MQMD that go out: those that the sink `mq` writes.
MD_OUT: Final = tuple(name for name in MD_COLUMNS if name in WRITTEN)
BEFORE_MD: Final[dict[str, Any]] = {
    "kind": pa.string(),
    "queue": pa.string(),
    "queue_manager": pa.string(),
    "topics": pa.list_(pa.string()),
    "retained": pa.bool_(),
    "file": pa.string(),
    "file_action": pa.string(),
    "node": pa.string(),
    "number": pa.int32(),
    "transactional": pa.bool_(),
}
COLUMNS: Final[dict[str, Any]] = {
    **BEFORE_MD,
    **{name: MD_COLUMNS[name] for name in MD_OUT},
    "data": pa.binary(),
    "exceptions": pa.string(),
}


def data_column(names: Sequence[str]) -> str:
    """Return the name of the column with the messages. Raise BadOption if there is none."""
    for name in DATA:
        if name in names:
            return name
    raise BadOption(f"a flow needs a column data (or body) with the messages; there are: {', '.join(names)}")


def passed_on(names: Sequence[str], keep: Sequence[str]) -> dict[str, str]:
    """Return which columns of the input go out beside the outputs, by their new names. Raise BadOption."""
    found = {PREFIX + name: name for name in IDENTITY if name in names}
    for name in keep:
        if name not in names:
            raise BadOption(f"keep: there is no column {name}; there are: {', '.join(names)}")
        if name in COLUMNS or name in found:
            raise BadOption(f"keep: {name} is a column of the outputs; rename the one that comes in")
        found[name] = name
    return found


def default_descriptor() -> MQMD:
    """Return the descriptor of a message of which nothing is known, as a flow that is called as a function has it."""
    md = incoming_of(b"", {}).md
    assert md is not None
    return md


class Descriptors:
    """The MQMDs of a batch. A column with equal rows is set once; without other columns all rows share one."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._base = default_descriptor()
        self._varying: list[tuple[str, list[Any]]] = []
        names = batch.schema.names
        for name, kind in MD_COLUMNS.items():
            if name in names and name != "backout_count":
                self._take(name, batch.column(name), kind)
        if "put_time" in names and batch.column("put_time").null_count < batch.num_rows:
            texts = pc.strftime(batch.column("put_time"), format="%Y%m%d%H%M%S").to_pylist()
            self._varying.append(("put_date", [None if each is None else each[:8] for each in texts]))
            self._varying.append(("put_time", [None if each is None else _time_of(each) for each in texts]))

    def _take(self, name: str, column: pa.Array, kind: pa.DataType) -> None:
        try:
            values = column.cast(kind).to_pylist()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise PipelineError(f"the column {name} is {column.type}, and {kind} is needed: {error}") from None
        first = values[0] if values else None
        if values.count(first) == len(values):
            if first is not None:
                setattr(self._base, name, checked(name, first))
        else:
            self._varying.append((name, values))

    def row(self, number: int) -> MQMD:
        """Return the descriptor of a row. The caller must not change it."""
        if not self._varying:
            return self._base
        md = self._base.copy()
        for name, values in self._varying:
            value = values[number]
            if value is not None:
                setattr(md, name, checked(name, value))
        return md


def _time_of(text: str) -> str:
    """Return PutTime, HHMMSSTH, from the time with a fraction that strftime gives."""
    return text[8:14] + (text[15:17] or "00").ljust(2, "0")


def checked(name: str, value: Any) -> Any:
    """Return a value as the MQMD has it: identifiers of full length."""
    if isinstance(value, bytes):
        none = NO_ACCOUNTING_TOKEN if name == "accounting_token" else NO_ID
        if len(value) > len(none):
            raise PipelineError(f"{name} is binary of up to {len(none)} bytes, and a row has {len(value)}")
        return value.ljust(len(none), b"\0")
    return value


class Bodies:
    """The messages of a batch, each copied out of Arrow's buffer when it is asked for."""

    def __init__(self, column: pa.Array) -> None:
        kind = column.type
        if kind in (pa.large_binary(), pa.large_string()):
            column = column.cast(pa.binary() if kind == pa.large_binary() else pa.string())
        elif kind not in (pa.binary(), pa.string()):
            raise PipelineError(f"the column with the messages is {kind}, and binary is needed")
        self._valid = column.is_valid().to_pylist() if column.null_count else None
        _, offsets, data = column.buffers()
        at = memoryview(offsets).cast("i") if offsets is not None else memoryview(b"")
        self._offsets = at[column.offset : column.offset + len(column) + 1]
        self._data = memoryview(data) if data is not None else memoryview(b"")

    def row(self, number: int) -> bytes | None:
        """Return the message of a row; None where the column is null."""
        if self._valid is not None and not self._valid[number]:
            return None
        return bytes(self._data[self._offsets[number] : self._offsets[number + 1]])
