"""The constants of channels and exits: `CMQXC.MQCHT_SVRCONN`. Those of `flintmq.mqi.channel_constants`."""

from typing import TYPE_CHECKING, Any

from flintmq.mqi.values import channels, exits, services
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(channels, exits, services))
globals().update(MQCD_CURRENT_VERSION=12, MQCD_CURRENT_LENGTH=1992, MQWQR_CURRENT_VERSION=3, MQWQR_CURRENT_LENGTH=212)
