"""Tracing with OpenTelemetry: `instrument()`, `uninstrument()` and `context_of(message)`. Needs opentelemetry-api."""

from flintmq.client.otel import context_of, instrument, uninstrument

__all__ = ["context_of", "instrument", "uninstrument"]
