"""Nodes that the engine runs, one file per drawer of the palette. Importing this package registers them all.

mq.py            MQInput, MQOutput, MQReply, MQGet, Publication
compute.py       Compute, Filter, Database, PythonCompute
routing.py       Label, RouteToLabel, Route, FlowOrder
http.py          HTTPInput, HTTPReply, HTTPHeader
http_request.py  HTTPRequest, HTTPAsyncRequest, HTTPAsyncResponse
rest.py          HTTPInput in the flow of a REST API
rest_request.py  RESTRequest, RESTAsyncRequest, RESTAsyncResponse
soap.py          SOAPInput, SOAPReply, SOAPRequest, SOAPAsyncRequest, SOAPAsyncResponse, SOAPEnvelope, SOAPExtract
file.py          FileInput, FileOutput, FileRead
aggregation.py   AggregateControl, AggregateRequest, AggregateReply; GroupScatter, GroupGather, GroupComplete
collector.py     Collector
callable.py      CallableFlowInvoke, -Input, -Reply, -AsyncInvoke, -AsyncResponse
email.py         EmailOutput
log.py           Log
timers.py        TimeoutControl, TimeoutNotification
database_nodes.py  DatabaseRetrieve, DatabaseRoute
transform.py     XSLTransform, Validate
mq_header.py     MQHeader
construction.py  Trace, Throw, TryCatch, Passthrough, Input and Output of subflows, ResetContentDescriptor
"""

from __future__ import annotations

from flintmq.broker.flow.nodes import (
    aggregation,
    callable,
    collector,
    compute,
    construction,
    database_nodes,
    email,
    file,
    http,
    http_request,
    log,
    mq,
    mq_header,
    publication,
    rest_request,
    routing,
    soap,
    timers,
    transform,
)

__all__ = [
    "aggregation",
    "callable",
    "collector",
    "compute",
    "construction",
    "database_nodes",
    "email",
    "file",
    "http",
    "http_request",
    "log",
    "mq",
    "mq_header",
    "publication",
    "rest_request",
    "routing",
    "soap",
    "timers",
    "transform",
]
