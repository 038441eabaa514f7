"""The constants of programmable commands: `CMQCFC.MQCMD_INQUIRE_Q`. Those of `flintmq.mqi.pcf_constants`."""

from typing import TYPE_CHECKING, Any

from flintmq.mqi import pcf_constants
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(pcf_constants))
globals().update(MQIACH_AUTHMODE=1649, MQIACH_LAST_USED=1649, MQAM_JAAS=0, MQAM_QMGR=1)
