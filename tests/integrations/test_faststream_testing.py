"""TestMQBroker, documents and telemetry: what needs no queue manager."""

from __future__ import annotations

import asyncio
import doctest
import importlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("faststream", reason="FastStream is not installed: the faststream extra")

from faststream import FastStream
from faststream.exceptions import SubscriberNotFound
from faststream.security import SASLPlaintext
from faststream.specification import AsyncAPI

import flintmq
from flintmq.integrations.faststream import MQBroker, MQMessage, TestMQBroker

PACKAGE = "flintmq.integrations.faststream"


def run(broker: MQBroker, test: Callable[[MQBroker], Awaitable[None]]) -> None:
    async def main() -> None:
        async with TestMQBroker(broker) as patched:
            await test(patched)

    asyncio.run(main())


def test_one_subscriber_of_a_queue_gets_a_message_and_all_of_a_topic() -> None:
    broker = MQBroker()
    seen: list[str] = []

    @broker.subscriber("ORDERS", selector="color = 'red' AND size > 3")
    async def red(text: str) -> None:
        seen.append(f"red {text}")

    @broker.subscriber("ORDERS", selector="color <> 'red'")
    async def other(text: str) -> None:
        seen.append(f"other {text}")

    @broker.subscriber(topic="prices/#")
    async def all_prices(text: str, message: MQMessage) -> None:
        seen.append(f"all {message.raw_message.topic}")

    @broker.subscriber(topic="prices/+")
    async def one(text: str) -> None:
        seen.append(f"one {text}")

    async def test(patched: MQBroker) -> None:
        await patched.publish("a", "ORDERS", headers={"color": "red", "size": 5})
        await patched.publish("b", "ORDERS", headers={"color": "blue"})
        await patched.publish("c", "ORDERS")
        await patched.publish("1", topic="prices/gold")
        await patched.publish("2", topic="prices/gold/usd")

    run(broker, test)
    assert sorted(seen) == sorted(["red a", "other b", "all prices/gold", "one 1", "all prices/gold/usd"])


def test_what_a_queue_manager_refuses_is_refused() -> None:
    broker = MQBroker()

    @broker.subscriber("ORDERS")
    async def handle(text: str) -> None: ...

    async def test(patched: MQBroker) -> None:
        for bad in ({"priority": 10}, {"headers": {"a": [1]}}, {"headers": {"JMSbad": "x"}}):
            options: Any = bad
            with pytest.raises(flintmq.MQError):
                await patched.publish("x", "ORDERS", **options)
        with pytest.raises(ValueError, match="expiry"):
            await patched.publish("x", "ORDERS", expiry=-1)
        with pytest.raises(SubscriberNotFound):
            await patched.request("x", "NOWHERE")

    run(broker, test)


def test_the_asyncapi_document_names_queues_topics_and_the_protocol_but_no_password() -> None:
    broker = MQBroker("mqs://app:secret@mq:1414/QM1?channel=TLS", security=SASLPlaintext("app", "secret", use_ssl=True))

    @broker.subscriber("ORDERS")
    @broker.publisher(topic="orders/done")
    async def handle(number: int) -> int:
        return number

    document = AsyncAPI(broker, schema_version="3.0.0").to_specification().to_json()
    assert "ORDERS" in document and "orders/done" in document and "ibmmq-secure" in document
    assert "secret@" not in document and ":secret" not in document
    assert FastStream(broker).broker is broker


def test_telemetry_middlewares_count_and_trace() -> None:
    prometheus = pytest.importorskip("prometheus_client", reason="prometheus-client is not installed")
    tracing = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    processors = pytest.importorskip("opentelemetry.sdk.trace.export")
    from flintmq.integrations.faststream.opentelemetry import MQTelemetryMiddleware
    from flintmq.integrations.faststream.prometheus import MQPrometheusMiddleware

    registry, spans, provider = prometheus.CollectorRegistry(), export.InMemorySpanExporter(), tracing.TracerProvider()
    provider.add_span_processor(processors.SimpleSpanProcessor(spans))
    middlewares = [MQTelemetryMiddleware(tracer_provider=provider), MQPrometheusMiddleware(registry=registry)]
    broker = MQBroker(middlewares=middlewares)

    @broker.subscriber("ORDERS")
    async def handle(text: str) -> None: ...

    async def test(patched: MQBroker) -> None:
        await patched.publish("x", "ORDERS")

    run(broker, test)
    labels = {"app_name": "faststream", "broker": "ibmmq", "handler": "ORDERS"}
    assert registry.get_sample_value("faststream_received_messages_total", labels) == 1
    assert {"ORDERS publish", "ORDERS process"} <= {span.name for span in spans.get_finished_spans()}


@pytest.mark.parametrize("name", ["headers", "testing"])
def test_the_examples_of_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"{PACKAGE}.{name}"))
    assert tried and not failed
