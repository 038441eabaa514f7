"""The message broker: flows of WebSphere MQ Integrator, Integration Bus and App Connect, run in Python.

    from flintmq.broker import load

    flow = load("orders.bar").flow("OrderRouting")
    result = flow(b"<Order>...</Order>")

A message's way through the packages:

    tree/      the assembly that travels between nodes: elements, headers, ExceptionList, recorded assemblies
    formats/   bytes to trees and back: XMLNSC, XMLNS, XML, JSON, BLOB, MRM (CWF, TDS, XML), DFDL, MQPCF, MIME, SOAP
    esql/      ESQL: parser, compiler to Python, functions, run time, lint
    flow/      flow files, BAR files, nodes, the engine, a flow as a function

Decisions:

B1  A tree is lazy. A body stays bytes until a flow touches it, and unchanged parts are written from the
    bytes that came (B246, B253). The cost of a message is the cost of the parts that the flow reads.
B2  ESQL is compiled to readable Python source, once per deployment; the functions that it calls are compiled by mypyc.
B3  Propagation is a call. The stack is the path of the message, an exception unwinds along it.
B4  Nodes reach the outside through `flow/services.py` only, so the same flow runs as a function, in a test, in a
    broker process and in Spark.
B5  All that can go wrong with a message is a BrokerError, which is an entry of the ExceptionList with a BIP number.
B6  A point that public evidence leaves open is a named switch (`esql/switches.py`), not a guess in passing.

The broker is a client of the queue manager like any other: it imports the vocabulary (`mqi/`), nothing of the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flintmq.broker.flow.function import Flow, FlowFailed, FlowProblem, FlowResult, OutMessage, load

__all__ = ["Flow", "FlowFailed", "FlowProblem", "FlowResult", "OutMessage", "load"]


def __getattr__(name: str) -> Any:
    """Import the function API when it is asked for: a format or a value needs none of it."""
    if name in __all__:
        from flintmq.broker.flow import function

        return getattr(function, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
