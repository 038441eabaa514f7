"""A router of FastAPI with an MQBroker in it: handlers take FastAPI's dependencies, and start with the application.

    router = MQRouter("mq://127.0.0.1:1414/QM1?channel=DEV.APP.SVRCONN")
    app = FastAPI()
    app.include_router(router)

    @router.subscriber("ORDERS")
    async def handle(order: Order, store: Annotated[Store, Depends(store)]) -> None: ...

FastAPI has to be installed. FastStream's base class does the work.
"""

from __future__ import annotations

from typing import Any

from faststream._internal.fastapi import router as base
from faststream._internal.fastapi.context import Context, ContextRepo, Logger

from flintmq.integrations.faststream.broker import MQBroker
from flintmq.integrations.faststream.connection import DEFAULT_URL

__all__ = ["Context", "ContextRepo", "Logger", "MQRouter"]

#: What FastAPI's own decorators have when they are not told; fastapi itself is not a dependency.
_RESPONSE: dict[str, Any] = {
    "response_model": vars(base)["Default"](None),
    "response_model_include": None,
    "response_model_exclude": None,
    "response_model_by_alias": True,
    "response_model_exclude_unset": False,
    "response_model_exclude_defaults": False,
    "response_model_exclude_none": False,
}


class MQRouter(base.StreamRouter[Any]):
    """A router of FastAPI. Takes the arguments of MQBroker and those of fastapi.APIRouter."""

    broker_class = MQBroker
    broker: MQBroker

    def __init__(self, url: str = DEFAULT_URL, *, context: Any = None, **options: Any) -> None:
        super().__init__(url, context=context, **options)

    def subscriber(self, *extra: Any, dependencies: Any = (), **options: Any) -> Any:
        """Subscribe a handler; the arguments of MQBroker.subscriber, and FastAPI's `response_model...`."""
        return super().subscriber(*extra, dependencies=dependencies, **{**_RESPONSE, **options})

    def publisher(self, queue: str = "", **options: Any) -> Any:
        """Declare a publisher; the arguments of MQBroker.publisher."""
        return self.broker.publisher(queue, **options)
