"""Nodes that the engine runs, one file per drawer of the palette. Importing this package registers them all.

mq.py            MQInput, MQOutput, MQReply, MQGet, MQHeader, Publication
compute.py       Compute, Filter, Database, PythonCompute
routing.py       Label, RouteToLabel, Route, FlowOrder
http.py          HTTPInput, HTTPReply, HTTPHeader
http_request.py  HTTPRequest, HTTPAsyncRequest, HTTPAsyncResponse
rest.py          what HTTPInput does in the flow of a REST API
rest_request.py  RESTRequest, RESTAsyncRequest, RESTAsyncResponse
file.py          FileInput, FileOutput, FileRead
construction.py  Trace, Throw, TryCatch, Passthrough, Input and Output of subflows, ResetContentDescriptor
"""

from __future__ import annotations

from flintmq.broker.flow.nodes import compute, construction, file, http, http_request, mq, rest_request, routing

__all__ = ["compute", "construction", "file", "http", "http_request", "mq", "rest_request", "routing"]
