"""The constants of programmable commands: `CMQCFC.MQCMD_INQUIRE_Q`. Those of `flintmq.mqi.pcf_constants`."""

from typing import TYPE_CHECKING, Any

from flintmq.mqi import pcf_constants
from flintmq.pymqi.names import namespace

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(namespace(pcf_constants))
globals().update(MQIACF_LAST_USED=1444, MQIACH_LAST_USED=1646, MQCACF_LAST_USED=3211)
