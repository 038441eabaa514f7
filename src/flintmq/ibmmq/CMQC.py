"""The constants of the MQI: `CMQC.MQOO_OUTPUT`. Those of `flintmq.mqi.constants` and `flintmq.mqi.reason`."""

from typing import TYPE_CHECKING, Any

from flintmq.mqi import constants, reason
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(constants, reason, characters=("MQITS_", "MQICM_", "MQISS_")))
globals().update(MQCMDL_LEVEL_1001=1001, MQCMDL_CURRENT_LEVEL=1001)
