"""The constants of installable services: `CMQZC.MQZAO_CONNECT`."""

from typing import TYPE_CHECKING, Any

from flintmq.mqi.values import exits, services
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(exits, services))
