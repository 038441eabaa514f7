"""The work of a Spark task: takes Arrow batches, sends each row through the flow, gives Arrow batches of outputs.

    T1  Outputs of the flow are recorded in order. If the flow fails, those of its unit of work are taken back, and a
        failure row takes their place, with the data and descriptor that came in.
    T2  A new identifier is a digest of the input's identity and a number. The identity is the MsgId of the input, or
        if it has none, its queue and position, its path, or its partition, row and data.
    T3  A batch is given when it has ROWS_MAX rows or BYTES_MAX bytes, so memory does not grow with the outputs.

A message that the flow cannot handle is a row, a bug of ours in a node too (2111). A wrong column ends the task.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final

import pyarrow as pa

from flintmq.broker.errors import BrokerError, internal_error
from flintmq.broker.esql.run import DataSource
from flintmq.broker.flow.engine import Invocation
from flintmq.broker.flow.function import Flow
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.runtime import RuntimeFlow
from flintmq.broker.flow.services import FileWrite, Publication, Put, Recorder, Written
from flintmq.broker.tree.assembly import new_root
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.pipeline.flows.columns import (
    COLUMNS,
    FAILURE,
    FILE,
    MD_OUT,
    PUBLISH,
    PUT,
    Bodies,
    Descriptors,
    data_column,
)
from flintmq.pipeline.flows.shipment import Shipment, flow_of
from flintmq.pipeline.sources.mq_columns import with_properties

ROWS_MAX: Final = 10_000
#: A batch that fits a processor's cache is quicker to make and to copy than a large one.
BYTES_MAX: Final = 4 << 20
#: BOTHRESH of a queue that a task reads: a message that Spark reads was never backed out by the flow.
_NEVER: Final = 1 << 30
#: A put to another queue manager than the sink is connected to.
_OTHER_MANAGER: Final = 2085  # MQRC_UNKNOWN_OBJECT_NAME
_FILE_TYPE: Final = "ComIbmFileInput.msgnode"
_PASS_CORREL_ID: Final = 64  # MQRO_PASS_CORREL_ID
#: The collector looks rarely: trees are taken apart when their message has passed.
_THRESHOLDS: Final = (50_000, 20, 20)

Sent = Put | Publication | FileWrite
#: Stands for the tree of an output: a batch of outputs keeps their bytes only.
_NO_TREE: Final = new_root()


class Outbox(Recorder):
    """Services of a flow in a task: outputs are kept in order, identifiers depend on the input alone (T2)."""

    keeps_trees = False

    def __init__(self, databases: Mapping[str, DataSource], manager: str | None) -> None:
        super().__init__(databases=databases)
        self.sent: list[Sent] = []
        #: The only queue manager that puts may name; None if any may.
        self._manager = manager
        self._given = 0
        self._identity: Callable[[], bytes] = bytes

    def begin(self, identity: Callable[[], bytes]) -> None:
        """Make ready for the next message."""
        self.sent = []
        self.traces.clear()
        self._given = 0
        self._identity = identity

    def take_back(self) -> None:
        """Discard the outputs of the unit of work (T1)."""
        self.sent = [each for each in self.sent if isinstance(each, FileWrite) or not each.transactional]
        for database in self.databases.values():
            database.rollback()

    def end(self) -> None:
        """End the transactions of databases, which have only read."""
        for database in self.databases.values():
            database.commit()

    def put(self, put: Put) -> Written:
        """Keep a put. Raise the error of a queue manager that does not know the other one."""
        if self._manager is not None and put.queue_manager not in ("", self._manager):
            raise BrokerError(
                2666,
                f"{put.queue} is on the queue manager {put.queue_manager}, and the sink is connected to "
                f"{self._manager or 'another one'}",
                inserts=(put.node, _OTHER_MANAGER, put.queue_manager, put.queue),
                kind="MessageException",
            )
        md = put.md
        if put.new_message_id or md.msg_id == NO_ID:
            md.msg_id = self.new_identifier(b"FLOW")
        if put.new_correlation_id:
            md.correl_id = self.new_identifier(b"FLOW")
        put.root = _NO_TREE
        self.sent.append(put)
        reply = md.correl_id if md.report & _PASS_CORREL_ID else md.msg_id
        return Written(put.queue, put.queue_manager, md.msg_id, md.correl_id, md.group_id, reply)

    def publish(self, publication: Publication) -> bool:
        """Keep a publication."""
        publication.root = _NO_TREE
        self.sent.append(publication)
        return True

    def write_file(self, write: FileWrite) -> None:
        """Keep a file, or a record of one."""
        write.root = None
        self.sent.append(write)

    def dispose_file(self, node: str, directory: str, name: str, action: str) -> None:
        """Leave the file of a FileInput node where it is: Spark reads it, and may read it again."""

    def new_identifier(self, prefix: bytes) -> bytes:
        """Return 24 bytes that depend on the input and on how many it had before (T2)."""
        self._given += 1
        made = blake2b(self._identity(), digest_size=24 - len(prefix), salt=self._given.to_bytes(16, "big"))
        return prefix + made.digest()


@dataclass(slots=True)
class Failure:
    """An input that the flow could not handle, as it came."""

    error: BrokerError
    md: MQMD
    data: bytes | None


class Maker:
    """Collects outputs and makes Arrow batches of them, column by column."""

    def __init__(self, passed: Mapping[str, str], schema: pa.Schema) -> None:
        self._passed = passed
        self._schema = schema
        self._clear()

    def _clear(self) -> None:
        self._outputs: list[Sent | Failure] = []
        self._data: list[bytes | None] = []
        self._rows: list[int] = []
        self._numbers: list[int] = []
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: int, number: int, output: Sent | Failure) -> None:
        """Add an output of the flow, or an input that failed. The tree of a message is not kept."""
        data = output.data
        if isinstance(output, FileWrite) and output.append:
            data = output.separator + output.data
        self._outputs.append(output)
        self._data.append(data)
        self._rows.append(row)
        self._numbers.append(number)
        self.bytes += len(data) if data is not None else 0

    def batch(self, given: pa.RecordBatch) -> pa.RecordBatch:
        """Return the outputs so far as a batch, with the columns of their inputs that are passed on."""
        alike = type(self._outputs[0])
        if alike is Put and all(type(each) is Put for each in self._outputs):
            columns = self._columns_of_puts(self._outputs)
        else:
            columns = dict(zip(_BY_KIND, zip(*map(_plain, self._outputs), strict=True), strict=True))
        mds = [None if isinstance(each, FileWrite) else each.md for each in self._outputs]
        for name in MD_OUT:
            field = attrgetter(name)
            columns[name] = [None if md is None else field(md) for md in mds] if None in mds else list(map(field, mds))
        columns["number"], columns["data"] = self._numbers, self._data
        arrays = [pa.array(columns[name], kind) for name, kind in COLUMNS.items()]
        rows = pa.array(self._rows, pa.int32())
        arrays += [given.column(name).take(rows) for name in self._passed.values()]
        self._clear()
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _columns_of_puts(self, puts: Sequence[Any]) -> dict[str, Sequence[Any]]:
        """Return the columns of a batch that has puts only, as most have."""
        none: list[Any] = [None] * len(puts)
        columns: dict[str, Sequence[Any]] = dict.fromkeys(_BY_KIND, none)
        columns["kind"] = [PUT] * len(puts)
        columns["queue"] = [each.queue for each in puts]
        columns["queue_manager"] = [each.queue_manager or None for each in puts]
        columns["node"] = [each.node for each in puts]
        columns["transactional"] = [each.transactional for each in puts]
        return columns


_BY_KIND: Final = (
    "kind", "queue", "queue_manager", "topics", "retained", "file", "file_action", "node", "transactional",
    "exceptions",
)  # fmt: skip


def _plain(output: Sent | Failure) -> tuple[object, ...]:
    """Return the columns of one output that depend on its kind, in the order of _BY_KIND."""
    if isinstance(output, Put):
        manager = output.queue_manager or None
        return PUT, output.queue, manager, None, None, None, None, output.node, output.transactional, None
    if isinstance(output, Publication):
        topics, retained = output.topics, output.retained
        return PUBLISH, None, None, topics, retained, None, None, output.node, output.transactional, None
    if isinstance(output, Failure):
        entries = list(output.error.chain())
        label = next((each.node_label for each in reversed(entries) if each.node_label), None)
        return FAILURE, None, None, None, None, None, None, label, False, exceptions_of(output.error)
    action = "finish" if output.finish else "append" if output.append else "replace"
    name = f"{output.directory}/{output.name}" if output.directory else output.name
    return FILE, None, None, None, None, name, action, output.node, False, None


def exceptions_of(error: BrokerError) -> str:
    """Return an ExceptionList as JSON: its entries, the outermost first."""
    return json.dumps(
        [
            {
                "kind": each.kind,
                "number": each.number,
                "text": each.text,
                "label": each.node_label,
                "type": each.node_type,
                "file": each.file,
                "line": each.line,
                "inserts": [insert if isinstance(insert, int) else str(insert) for insert in each.inserts],
            }
            for each in error.chain()
        ]
    )


class FlowTask:
    """Runs a flow over Arrow batches: the function of mapInArrow. It is made on the driver and sent to the tasks."""

    def __init__(self, shipment: Shipment, input: str | None, passed: Mapping[str, str], manager: str | None) -> None:
        self._shipment = shipment
        self._input = input
        self._passed = dict(passed)
        self._manager = manager

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        flow = flow_of(self._shipment)
        thresholds = gc.get_threshold()
        gc.set_threshold(*_THRESHOLDS)
        try:
            yield from run(
                flow,
                batches,
                self._passed,
                input=self._input,
                databases=self._shipment.databases,
                manager=self._manager,
                partition=context.partitionId() if context is not None else 0,
            )
        finally:
            gc.set_threshold(*thresholds)


def run(
    flow: Flow,
    batches: Iterator[pa.RecordBatch],
    passed: Mapping[str, str],
    *,
    input: str | None = None,
    databases: Mapping[str, str] | None = None,
    manager: str | None = None,
    partition: int = 0,
) -> Iterator[pa.RecordBatch]:
    """Send the rows of Arrow batches through a flow and yield batches of its outputs."""
    runtime = flow.runtime
    node = runtime.input(input)
    assert isinstance(node, InputNode)
    outbox = Outbox(_opened(databases or {}), manager)

    def invocation_of(other: RuntimeFlow) -> Invocation:
        return Invocation(other, outbox)

    outbox.call_project = flow.surroundings.caller(runtime, outbox, invocation_of)
    is_file = node.definition.type == _FILE_TYPE
    first = 0
    try:
        for batch in batches:
            yield from _run_batch(runtime, node, outbox, batch, passed, is_file, b"%d" % partition, first)
            first += batch.num_rows
    finally:
        for database in outbox.databases.values():
            close = getattr(database, "close", None)
            if close is not None:
                close()


def _opened(databases: Mapping[str, str]) -> dict[str, DataSource]:
    if not databases:
        return {}
    from flintmq.broker.databases import Database

    return {name: Database(url) for name, url in databases.items()}


def _run_batch(
    runtime: RuntimeFlow,
    node: InputNode,
    outbox: Outbox,
    batch: pa.RecordBatch,
    passed: Mapping[str, str],
    is_file: bool,
    partition: bytes,
    first: int,
) -> Iterator[pa.RecordBatch]:
    names = batch.schema.names
    bodies = Bodies(batch.column(data_column(names)))
    descriptors = Descriptors(batch)
    sources = _texts(batch, "path" if is_file else "queue")
    paths = _texts(batch, "path")
    positions = batch.column("position").to_pylist() if "position" in names else None
    properties = batch.column("properties").to_pylist() if "properties" in names else None
    has_id = "msg_id" in names
    maker = Maker(passed, out_schema(batch.schema, passed))
    for row in range(batch.num_rows):
        md = descriptors.row(row)
        data = bodies.row(row)
        given = data or b""

        def identity(row: int = row, md: MQMD = md, data: bytes = given) -> bytes:
            if has_id and md.msg_id != NO_ID:
                return md.msg_id
            if positions is not None and positions[row] is not None:
                return f"{sources[row] if sources else ''} {positions[row]}".encode()
            if paths is not None and paths[row]:
                return str(paths[row]).encode()
            return b"%b %d " % (partition, first + row) + data

        outbox.begin(identity)
        error: BrokerError | None = None
        try:
            if data is None:
                raise BrokerError(6119, "the column with the message is null", kind="ParserException")
            arrived = md
            if properties is not None and properties[row]:
                arrived = md.copy()
                given = with_properties(arrived, given, dict(properties[row]))
            incoming = Incoming(given, arrived, backout_threshold=_NEVER)
            if sources is not None and sources[row]:
                incoming.source = sources[row]
            node.take(Invocation(runtime, outbox), incoming)
            outbox.end()
        except Exception as raised:
            error = raised if isinstance(raised, BrokerError) else internal_error(raised)
            outbox.take_back()
        number = 0
        for sent in outbox.sent:
            number += 1
            maker.add(row, number, sent)
        if error is not None:
            maker.add(row, number + 1, Failure(error, md, data))
        if len(maker) >= ROWS_MAX or maker.bytes >= BYTES_MAX:
            yield maker.batch(batch)
    if len(maker):
        yield maker.batch(batch)


def _texts(batch: pa.RecordBatch, name: str) -> list[Any] | None:
    if name not in batch.schema.names:
        return None
    found: list[Any] = batch.column(name).to_pylist()
    return found


def out_schema(given: pa.Schema, passed: Mapping[str, str]) -> pa.Schema:
    """Return the schema of the outputs of rows with a schema."""
    fields: Sequence[pa.Field] = [pa.field(name, kind) for name, kind in COLUMNS.items()]
    return pa.schema([*fields, *(pa.field(new, given.field(old).type) for new, old in passed.items())])
