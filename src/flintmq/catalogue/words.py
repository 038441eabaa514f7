"""Words that attributes of several kinds of objects share, with their numbers."""

from __future__ import annotations

from typing import Final

from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

YES_NO: Final = {"YES": 1, "NO": 0}
DISABLED_ENABLED: Final = {"DISABLED": 0, "ENABLED": 1}
EVENTS: Final = {"DISABLED": pcf.MQEVR_DISABLED, "ENABLED": pcf.MQEVR_ENABLED}
MONITORING: Final = {"LOW": mq.MQMON_LOW, "MEDIUM": mq.MQMON_MEDIUM, "HIGH": mq.MQMON_HIGH}
#: The start and end of a listener or a service.
CONTROL: Final = {
    "MANUAL": mq.MQSVC_CONTROL_MANUAL,
    "QMGR": mq.MQSVC_CONTROL_Q_MGR,
    "STARTONLY": mq.MQSVC_CONTROL_Q_MGR_START,
}
