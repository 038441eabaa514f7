"""Words that attributes of several kinds of objects share, with their numbers."""

from __future__ import annotations

from typing import Final

from flintmq.mqi.constants import (
    MQMON_HIGH,
    MQMON_LOW,
    MQMON_MEDIUM,
    MQSVC_CONTROL_MANUAL,
    MQSVC_CONTROL_Q_MGR,
    MQSVC_CONTROL_Q_MGR_START,
)
from flintmq.mqi.pcf_constants import MQEVR_DISABLED, MQEVR_ENABLED

YES_NO: Final = {"YES": 1, "NO": 0}
DISABLED_ENABLED: Final = {"DISABLED": 0, "ENABLED": 1}
EVENTS: Final = {"DISABLED": MQEVR_DISABLED, "ENABLED": MQEVR_ENABLED}
MONITORING: Final = {"LOW": MQMON_LOW, "MEDIUM": MQMON_MEDIUM, "HIGH": MQMON_HIGH}
#: The start and end of a listener or a service.
CONTROL: Final = {
    "MANUAL": MQSVC_CONTROL_MANUAL,
    "QMGR": MQSVC_CONTROL_Q_MGR,
    "STARTONLY": MQSVC_CONTROL_Q_MGR_START,
}
