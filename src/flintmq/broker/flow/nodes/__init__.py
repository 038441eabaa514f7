"""Nodes that the engine runs, one file per drawer of the palette. Importing this package registers them all.

mq.py            MQInput, MQOutput, MQReply, MQGet, MQHeader, Publication
compute.py       Compute, Filter, Database, PythonCompute
routing.py       Label, RouteToLabel, Route, FlowOrder
construction.py  Trace, Throw, TryCatch, Passthrough, Input and Output of subflows, ResetContentDescriptor
"""

from __future__ import annotations

from flintmq.broker.flow.nodes import compute, construction, mq, routing

__all__ = ["compute", "construction", "mq", "routing"]
