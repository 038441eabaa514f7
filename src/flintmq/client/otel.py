"""OpenTelemetry: spans around puts, gets and handlers, and the trace context in message properties.

    import flintmq.opentelemetry

    flintmq.opentelemetry.instrument()       all queue managers, for queues and topics that are made from now on
    flintmq.opentelemetry.instrument(qm)     this one

    call                span                    trace context
    put, publish        send NAME, PRODUCER     of the span, in the properties traceparent and tracestate (W3C)
    request             send NAME, CLIENT       the same; the span ends with the answer
    get, get_many       receive NAME, CONSUMER  linked to the span of the message; no span if there is no message
    consume             process NAME, CONSUMER  a child of the span of the message, current while the handler runs

Attributes are those of the semantic conventions for messaging: `messaging.system` (flintmq), `messaging.operation.name`
and `.type`, `messaging.destination.name`, `messaging.message.id`, `messaging.message.conversation_id` (CorrelId),
`messaging.message.body.size` and `messaging.batch.message_count`; `error.type` if the call fails.

Queues are made with an owner that records spans (instrumentation.py). A program that does not ask for tracing does not
import this module, and its puts and gets have no check for it. A message with properties may reach an application that
does not use them with an MQRFH2 header (PROPCTL); see docs/concepts/message-properties.md.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode, Tracer, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from flintmq.client import instrumentation
from flintmq.client.aio_calls import AsyncCalls
from flintmq.client.aio_seam import AsyncOwner, AsyncSeam
from flintmq.client.base_connection import BaseConnection
from flintmq.client.calls import Calls
from flintmq.client.consumer import check_handler
from flintmq.client.engine_session import SCHEME
from flintmq.client.message import Message
from flintmq.client.seam import Owner, Seam
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.properties import MessageProperties

T = TypeVar("T")
Attributes = dict[str, str | int]
_W3C = TraceContextTextMapPropagator()


def instrument(
    queue_manager: Calls | AsyncCalls | None = None, *, tracer_provider: TracerProvider | None = None
) -> None:
    """Record spans for queues and topics that are made from now on: of one queue manager, or of all.

    Without `tracer_provider` the global one is used.
    """
    tracing = OpenTelemetry(trace.get_tracer("flintmq", tracer_provider=tracer_provider))
    if queue_manager is None:
        instrumentation.everywhere = tracing
    else:
        queue_manager._tracing = tracing


def uninstrument(queue_manager: Calls | AsyncCalls | None = None) -> None:
    """Undo `instrument` for queues and topics that are made from now on."""
    if queue_manager is None:
        instrumentation.everywhere = None
    else:
        queue_manager._tracing = None


def context_of(message: Message) -> Context:
    """Return the OpenTelemetry context that a message carries; the empty one if it carries none."""
    return _W3C.extract(message.trace_context, Context())


class OpenTelemetry:
    """Makes owners that record spans with one tracer."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer

    def owner(self, seam: Seam) -> Owner:
        """Return an owner for the sync API."""
        return _Owner(seam, self)

    def async_owner(self, seam: AsyncSeam) -> AsyncOwner:
        """Return an owner for asyncio."""
        return _AsyncOwner(seam, self)

    @contextmanager
    def sending(self, name: str, md: MQMD, data: bytes, kind: SpanKind = SpanKind.PRODUCER) -> Iterator[Span]:
        """Record a span around a put; `injected` puts its context into the properties."""
        destination, operation = _destination(name)
        attributes: Attributes = {
            **_attributes(destination, operation, "send"),
            "messaging.message.body.size": len(data),
        }
        with self.tracer.start_as_current_span(f"send {destination}", kind=kind, attributes=attributes) as span:
            try:
                yield span
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                raise
            for key, value in _ids(md).items():
                span.set_attribute(key, value)

    def injected(self, span: Span, properties: MessageProperties | None) -> MessageProperties | None:
        """Return the properties with the trace context of the span."""
        carrier: dict[str, str] = {}
        _W3C.inject(carrier, trace.set_span_in_context(span))
        if not carrier:
            return properties
        made = properties or MessageProperties()
        for key, value in carrier.items():
            made.set(key, value)
        return made

    def received(self, name: str, messages: list[Message], started_ns: int) -> None:
        """Record the span of a get that has ended."""
        if not messages:
            return
        attributes = _attributes(name, "get", "receive")
        if len(messages) == 1:
            attributes.update(_ids(messages[0].md))
        else:
            attributes["messaging.batch.message_count"] = len(messages)
        span = self.tracer.start_span(
            f"receive {name}",
            kind=SpanKind.CONSUMER,
            links=_links(messages),
            attributes=attributes,
            start_time=started_ns,
        )
        span.end()

    def failed(self, name: str, error: BaseException, started_ns: int) -> None:
        """Record the span of a get that failed, for another reason than that there is no message."""
        attributes = {**_attributes(name, "get", "receive"), "error.type": type(error).__name__}
        span = self.tracer.start_span(
            f"receive {name}", kind=SpanKind.CONSUMER, attributes=attributes, start_time=started_ns
        )
        span.set_status(Status(StatusCode.ERROR, str(error)))
        span.end()

    @contextmanager
    def processing(self, message: Message) -> Iterator[None]:
        """Record a span around a handler, a child of the span that put the message."""
        attributes = {**_attributes(message.queue_name, "consume", "process"), **_ids(message.md)}
        with self.tracer.start_as_current_span(
            f"process {message.queue_name}",
            context=context_of(message),
            kind=SpanKind.CONSUMER,
            attributes=attributes,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                raise

    def handler(self, handler: Callable[[Message], T]) -> Callable[[Message], T]:
        """Return a handler that records a span around `handler`: a coroutine function if that is one."""
        check_handler(handler, None)
        if not inspect.iscoroutinefunction(handler):

            def handle(message: Message) -> T:
                with self.processing(message):
                    return handler(message)

            return handle

        async def handle_in_task(message: Message) -> object:
            with self.processing(message):
                return await cast(Any, handler(message))

        return cast(Callable[[Message], T], handle_in_task)


def _destination(name: str) -> tuple[str, str]:
    """Return the queue or topic, and whether a put to it is a put or a publication."""
    return (name[len(SCHEME) :], "publish") if name.startswith(SCHEME) else (name, "put")


def _attributes(name: str, operation: str, kind: str) -> Attributes:
    return {
        "messaging.system": "flintmq",
        "messaging.destination.name": name,
        "messaging.operation.name": operation,
        "messaging.operation.type": kind,
    }


def _ids(md: MQMD) -> Attributes:
    found: Attributes = {"messaging.message.id": md.msg_id.hex()}
    if md.correl_id != NO_ID:
        found["messaging.message.conversation_id"] = md.correl_id.hex()
    return found


def _links(messages: list[Message]) -> list[Link]:
    contexts = [trace.get_current_span(context_of(message)).get_span_context() for message in messages]
    return [Link(context) for context in contexts if context.is_valid]


def _is_empty(error: BaseException) -> bool:
    from flintmq.mqi.call_errors import NoMessageAvailable

    return isinstance(error, NoMessageAvailable) or not isinstance(error, Exception)


class _Owner:
    """The owner of queues and topics of the sync API that are traced."""

    def __init__(self, seam: Seam, tracing: OpenTelemetry) -> None:
        self._seam = seam
        self._tracing = tracing

    def _current(self) -> BaseConnection[Any]:
        return cast("BaseConnection[Any]", _Traced(self._seam._current(), self._tracing))

    def _depth(self, name: str) -> int:
        return self._seam._depth(name)

    def _clear(self, name: str) -> None:
        self._seam._clear(name)


class _Traced:
    """A connection for queues and topics that records spans around its calls."""

    def __init__(self, connection: BaseConnection[Any], tracing: OpenTelemetry) -> None:
        self._connection = connection
        self._tracing = tracing
        self._browser = connection._browser

    def _put(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        syncpoint: bool | None,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        with self._tracing.sending(name, md, data) as span:
            properties = self._tracing.injected(span, properties)
            self._connection._put(name, md, data, syncpoint, properties, extra_options, delay_ms)

    def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        with self._tracing.sending(name, md, data, SpanKind.CLIENT) as span:
            properties = self._tracing.injected(span, properties)
            return self._connection._request(name, md, data, properties, timeout, convert)

    def _get(self, name: str, md: MQMD, gmo: MQGMO, *rest: Any) -> Message:
        started_ns = time.time_ns()
        try:
            message = self._connection._get(name, md, gmo, *rest)
        except BaseException as error:
            if not _is_empty(error):
                self._tracing.failed(name, error, started_ns)
            raise
        self._tracing.received(name, [message], started_ns)
        return message

    def _get_many(self, name: str, count: int, *rest: Any) -> list[Message]:
        started_ns = time.time_ns()
        messages = self._connection._get_many(name, count, *rest)
        self._tracing.received(name, messages, started_ns)
        return messages

    def _start_consumer(self, name: str, handler: Callable[[Message], object], *rest: Any) -> Any:
        return self._connection._start_consumer(name, self._tracing.handler(handler), *rest)


class _AsyncOwner:
    """The owner of queues and topics of the asyncio API that are traced."""

    def __init__(self, seam: AsyncSeam, tracing: OpenTelemetry) -> None:
        self._seam = seam
        self._tracing = tracing

    def _current(self) -> AsyncSeam:
        return cast(AsyncSeam, _AsyncTraced(self._seam._current(), self._tracing))

    async def _inquire_depth(self, name: str) -> int:
        return await self._seam._inquire_depth(name)

    async def _clear(self, name: str) -> None:
        await self._seam._clear(name)

    async def _work(self, call: Callable[[], T]) -> T:
        return await self._seam._work(call)


class _AsyncTraced:
    """A connection for asyncio queues and topics that records spans around its calls."""

    def __init__(self, seam: AsyncSeam, tracing: OpenTelemetry) -> None:
        self._seam = seam
        self._tracing = tracing
        self._browser = seam._browser

    async def _put(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        syncpoint: bool | None,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> None:
        with self._tracing.sending(name, md, data) as span:
            properties = self._tracing.injected(span, properties)
            await self._seam._put(name, md, data, syncpoint, properties, extra_options, delay_ms)

    async def _request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Message:
        with self._tracing.sending(name, md, data, SpanKind.CLIENT) as span:
            properties = self._tracing.injected(span, properties)
            return await self._seam._request(name, md, data, properties, timeout, convert)

    async def _get(self, name: str, md: MQMD, gmo: MQGMO, *rest: Any) -> Message:
        started_ns = time.time_ns()
        try:
            message = await self._seam._get(name, md, gmo, *rest)
        except BaseException as error:
            if not _is_empty(error):
                self._tracing.failed(name, error, started_ns)
            raise
        self._tracing.received(name, [message], started_ns)
        return message

    async def _get_many(self, name: str, count: int, *rest: Any) -> list[Message]:
        started_ns = time.time_ns()
        messages = await self._seam._get_many(name, count, *rest)
        self._tracing.received(name, messages, started_ns)
        return messages

    def _start_consumer(self, name: str, handler: Callable[[Message], object], *rest: Any) -> Any:
        return self._seam._start_consumer(name, self._tracing.handler(handler), *rest)
