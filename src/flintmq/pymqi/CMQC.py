"""The constants of the MQI: `CMQC.MQOO_OUTPUT`, `CMQC.MQRC_NO_MSG_AVAILABLE`.

They are those of `flintmq.mqi.constants` and `flintmq.mqi.reason`, with the channel constants that pymqi keeps here.
The values below follow the level that pymqi 1.12 was made for; "current" is a level, not a promise.
"""

from typing import TYPE_CHECKING, Any

from flintmq.mqi import constants, reason
from flintmq.mqi.values import channels, exits, services
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(channels, exits, services, constants, reason))
globals().update(
    MQSCO_CURRENT_VERSION=5,
    MQSCO_CURRENT_LENGTH=632,
    MQCSP_CURRENT_LENGTH=56,
    MQAT_DEFAULT=11,
    MQ_MCA_USER_ID_LENGTH=64,
    MQCMDL_CURRENT_LEVEL=925,
    MQPL_NATIVE=11,
    MQIA_LAST_USED=275,
    MQCD_CURRENT_VERSION=9,
    MQCD_LENGTH_4=1540,
    MQCD_LENGTH_5=1552,
    MQCD_LENGTH_6=1648,
    MQCD_CURRENT_LENGTH=1648,
    MQCXP_CURRENT_VERSION=4,
    MQDXP_CURRENT_VERSION=1,
    MQWDR_CURRENT_VERSION=1,
    MQWDR_CURRENT_LENGTH=124,
    MQWQR_CURRENT_VERSION=1,
    MQWQR_CURRENT_LENGTH=200,
    MQWXP_CURRENT_VERSION=1,
)
