"""An application as bytes, which the driver sends to the tasks, and the flow that a worker makes of it.

The driver has read the project already, so the tasks need no file of its machine: flows and ESQL are in the project,
and other files (schemas, style sheets, message sets) are read when it is packed. Python functions that stand for Java
code travel as PySpark's own functions do.

A worker unpacks and compiles once for each content: `flow_of` finds the flow by the digest of the bytes. Workers are
used again for other tasks (`spark.python.worker.reuse`), so a job compiles once per worker, not once per task.
"""

from __future__ import annotations

import gc
import hashlib
import io
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flintmq.broker.flow.application import Resource
from flintmq.broker.flow.function import Flow, LoadedApplications
from flintmq.broker.flow.model import FlowFileError
from flintmq.pipeline.errors import PipelineError

#: A project with more than this is refused: each worker holds all of it.
BYTES_MAX: Final = 512 << 20


@dataclass(slots=True)
class MemoryFile:
    """One file of a project, or why it could not be read: a Files (flow/files.py)."""

    where: str
    data: bytes
    problem: str = ""

    def names(self) -> Sequence[str]:
        """Return nothing: the project was read before."""
        return ()

    def read(self, name: str) -> bytes:
        """Return the bytes. Raise FlowFileError as the disk did."""
        if self.problem:
            raise FlowFileError(self.where, self.problem)
        return self.data

    def place(self, name: str) -> str:
        """Return where the file was."""
        return self.where


class _Packer(pickle.Pickler):
    """Pickles a project, its files with their content."""

    def __init__(self, to: io.BytesIO) -> None:
        super().__init__(to, pickle.HIGHEST_PROTOCOL)
        self._bytes = 0

    def reducer_override(self, each: Any) -> Any:
        if type(each) is not Resource:
            return NotImplemented
        try:
            made = MemoryFile(each.file, each.read())
        except FlowFileError as error:
            made = MemoryFile(each.file, b"", error.reason)
        self._bytes += len(made.data)
        if self._bytes > BYTES_MAX:
            raise PipelineError(
                f"the files of the application are more than {BYTES_MAX >> 20} MiB, up to {made.where}: leave out "
                "what the flow does not need, or load a BAR"
            )
        return Resource, (each.path, made)


@dataclass(frozen=True)
class Shipment:
    """A flow with its applications and its databases."""

    payload: bytes = field(repr=False)
    digest: str
    #: Which application of the project, and which flow of it.
    application: int
    path: str
    #: URLs of databases by name.
    databases: Mapping[str, str] = field(repr=False)


def pack(flow: Flow, databases: Mapping[str, str] | None = None) -> Shipment:
    """Pack a flow for tasks. Raise PipelineError for a flow that `load` has not made."""
    from pyspark.cloudpickle import dumps

    loaded = flow.applications
    if loaded is None:
        raise PipelineError(f"the flow {flow.name} was not made by load(), so it cannot be sent to Spark tasks")
    definition = flow.runtime.resolved.root.definition
    owner = loaded.project.owner(definition)
    assert owner is not None
    number = next(place for place, each in enumerate(loaded.project.applications) if each is owner)
    project = io.BytesIO()
    _Packer(project).dump(replace(loaded.project, bar=None, _owners={}))
    others = (loaded.switches, dict(loaded.hooks), dict(loaded.functions), loaded.overrides, dict(loaded.variables))
    try:
        payload: bytes = dumps((project.getvalue(), *others))  # type: ignore[no-untyped-call]
    except (TypeError, pickle.PicklingError) as error:
        raise PipelineError(f"a function of {flow.name} cannot be sent to Spark tasks: {error}") from None
    digest = hashlib.sha256(payload).hexdigest()
    return Shipment(payload, digest, number, definition.path, dict(databases or {}))


def unpack(shipment: Shipment) -> Flow:
    """Return the flow, compiled."""
    project, switches, hooks, functions, overrides, variables = pickle.loads(shipment.payload)
    read = pickle.loads(project)
    loaded = LoadedApplications(read, switches, hooks, functions, dict(overrides), variables)
    owner = read.applications[shipment.application]
    return loaded.flow_of(owner, owner.subflows[shipment.path])


#: Flows of this worker, by digest and path. A worker that has run many jobs keeps the last ones.
_FLOWS: dict[tuple[str, int, str], Flow] = {}
_FLOWS_MAX: Final = 8


def flow_of(shipment: Shipment) -> Flow:
    """Return the flow, compiled when this worker first sees it."""
    key = shipment.digest, shipment.application, shipment.path
    found = _FLOWS.get(key)
    if found is None:
        while len(_FLOWS) >= _FLOWS_MAX:
            del _FLOWS[next(iter(_FLOWS))]
        found = _FLOWS[key] = unpack(shipment)
        gc.collect()
        gc.freeze()  # The collector need not look at compiled flows again.
    return found
