"""Tracing with OpenTelemetry: spans, their attributes, and the trace context in messages; in all four stacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

import flintmq
import flintmq.opentelemetry
from flintmq.testing import ListeningQueueManager
from tests.waiting import PATIENCE


class Spans:
    """The spans that were recorded."""

    def __init__(self) -> None:
        self._memory = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._memory))

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self._memory.get_finished_spans() if span.name == name]

    def names(self) -> list[str]:
        return [span.name for span in self._memory.get_finished_spans()]


@pytest.fixture
def spans() -> Spans:
    return Spans()


@pytest.fixture
def listening() -> Iterator[ListeningQueueManager]:
    with ListeningQueueManager() as made:
        made.qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
        yield made


def check(spans: Spans) -> None:
    """A message was put to A, consumed, put to B by the handler, and got there: one trace, and a link."""
    sent, processed = spans.named("send A")[0], spans.named("process A")[0]
    passed_on, received = spans.named("send B")[0], spans.named("receive B")[0]
    assert (sent.kind, processed.kind, received.kind) == (SpanKind.PRODUCER, SpanKind.CONSUMER, SpanKind.CONSUMER)
    assert processed.parent is not None and processed.parent.span_id == sent.context.span_id
    assert passed_on.parent is not None and passed_on.parent.span_id == processed.context.span_id
    assert sent.context.trace_id == passed_on.context.trace_id
    assert [link.context.span_id for link in received.links] == [passed_on.context.span_id]
    assert sent.attributes is not None
    attributes = dict(sent.attributes)
    assert len(str(attributes.pop("messaging.message.id"))) == 48
    assert attributes == {
        "messaging.system": "flintmq",
        "messaging.destination.name": "A",
        "messaging.operation.name": "put",
        "messaging.operation.type": "send",
        "messaging.message.body.size": 5,
    }


@pytest.mark.parametrize("where", ["embedded", "remote"])
def test_a_trace_goes_through_queues_with_threads(where: str, spans: Spans, listening: ListeningQueueManager) -> None:
    qm = listening.qm if where == "embedded" else flintmq.connect(**listening.options)  # type: ignore[arg-type]
    flintmq.opentelemetry.instrument(qm, tracer_provider=spans.provider)
    a, b = qm.queue("A"), qm.queue("B")
    with a.consume(lambda message: b.put(message.data, properties={"color": "red"})):
        a.put("hello")
        message = b.get(wait=PATIENCE)
    assert {*message.trace_context} == {"traceparent"} and message.properties["color"] == "red"
    check(spans)
    assert b.get_or_none() is None
    assert spans.names().count("receive B") == 1  # None for a get that finds nothing.
    if where == "remote":
        qm.close()


@pytest.mark.parametrize("where", ["embedded", "remote"])
def test_a_trace_goes_through_queues_with_asyncio(where: str, spans: Spans, listening: ListeningQueueManager) -> None:
    async def use(qm: flintmq.AsyncQueueManager | flintmq.AsyncRemoteQueueManager) -> None:
        flintmq.opentelemetry.instrument(qm, tracer_provider=spans.provider)
        a, b = await qm.queue("A"), await qm.queue("B")

        async def handle(message: flintmq.Message) -> None:
            await b.put(message.data)

        async with a.consume(handle):
            await a.put("hello")
            assert (await b.get(wait=PATIENCE)).trace_context

    async def main() -> None:
        if where == "remote":
            async with flintmq.aconnect(**listening.options) as remote:  # type: ignore[arg-type]
                await use(remote)
        else:
            async with flintmq.aopen(":memory:") as qm:
                await qm.mqsc("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)")
                await use(qm)

    asyncio.run(main())
    check(spans)


def test_publications_requests_batches_and_errors_have_spans(spans: Spans) -> None:
    with flintmq.open(":memory:") as qm:
        flintmq.opentelemetry.instrument(qm, tracer_provider=spans.provider)
        queue = qm.queue("A", create=True, maxdepth=2)
        with qm.subscribe("t") as subscription:
            qm.topic("t").publish("1")
            message = subscription.get(wait=PATIENCE)
        published = spans.named("send t")[0]
        assert published.attributes is not None and published.attributes["messaging.operation.name"] == "publish"
        assert message.trace_context["traceparent"].split("-")[2] == f"{published.context.span_id:016x}"
        queue.put("1")
        queue.put("2")
        with pytest.raises(flintmq.QueueFull):
            queue.put("3")
        failed = spans.named("send A")[-1]
        assert failed.attributes is not None and failed.attributes["error.type"] == "QueueFull"
        assert not failed.status.is_ok
        assert len(queue.get_many(5)) == 2
        batch = spans.named("receive A")[0]
        assert batch.attributes is not None and batch.attributes["messaging.batch.message_count"] == 2
        assert len(batch.links) == 2
        with queue.consume(lambda each: qm.queue(each.reply_to).put("yes", correlation_id=each.message_id)):
            assert queue.request("?", timeout=PATIENCE).text == "yes"
        assert spans.named("send A")[-1].kind == SpanKind.CLIENT


@pytest.fixture
def everywhere(spans: Spans) -> Iterator[Callable[[], None]]:
    flintmq.opentelemetry.instrument(tracer_provider=spans.provider)
    yield flintmq.opentelemetry.uninstrument
    flintmq.opentelemetry.uninstrument()


def test_all_queue_managers_are_traced_until_it_is_undone(spans: Spans, everywhere: Callable[[], None]) -> None:
    with flintmq.open(":memory:") as qm:
        qm.queue("A", create=True).put("1")
        everywhere()
        queue = qm.queue("A")
        assert queue._owner is qm  # Nothing between a queue and its queue manager when tracing is off.
        queue.put("2")
        assert spans.names() == ["send A"]
        assert [{*message.trace_context} for message in queue.messages()] == [{"traceparent"}, set()]
