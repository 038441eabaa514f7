"""The constants of channels and exits: `CMQXC.MQCHT_SVRCONN`. Those of `flintmq.mqi.channel_constants`."""

from typing import TYPE_CHECKING, Any

from flintmq.mqi import channel_constants
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(channel_constants))
globals().update(MQPROTO_MQTTV5=5, MQPROTO_MQTTV5_MASK=8)
