"""The hook for tracing: objects that record spans around the calls of queues and topics. otel.py implements it.

Queues and topics are made with an owner (`Seam._owner`). With tracing on that is a proxy; with tracing off it is the
queue manager itself, so that puts and gets cost the same as without this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from flintmq.client.aio_seam import AsyncOwner, AsyncSeam
    from flintmq.client.seam import Owner, Seam


class Tracing(Protocol):
    """Makes owners that record spans."""

    def owner(self, seam: Seam) -> Owner:
        """Return an owner that calls `seam`, for the sync API."""

    def async_owner(self, seam: AsyncSeam) -> AsyncOwner:
        """Return an owner that calls `seam`, for asyncio."""


#: Set by `flintmq.opentelemetry.instrument()`: tracing for all queue managers.
everywhere: Tracing | None = None
