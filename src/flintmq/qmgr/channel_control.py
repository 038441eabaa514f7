"""Channels, listeners and services, as commands see them. The engine has none: the process that serves clients does.

An embedded queue manager has nobody who listens, so this class shows nothing and refuses to start anything;
`flintmq.server` derives from it. Names are those of objects that exist: `Admin` has looked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import mypyc_attr

from flintmq.catalogue.attribute import Value
from flintmq.mqi.pcf_constants import MQRCCF_CHL_SYSTEM_NOT_ACTIVE
from flintmq.qmgr.connect import abandon
from flintmq.qmgr.connection import Connection

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

Row = dict[str, Value]


@mypyc_attr(allow_interpreted_subclasses=True)
class ChannelControl:
    """What START, STOP and DISPLAY do with channels, listeners and services. This one has none of them."""

    def is_running(self) -> bool:
        """Whether there are channels that can be started and stopped."""
        return False

    def channel_status(self) -> list[Row]:
        """DISPLAY CHSTATUS: a row for each instance that runs, and one for each channel that is stopped."""
        return []

    def ended_channels(self) -> list[Row]:
        """The last rows of instances that have ended since this was last asked, while `qm.keep_channels` is set."""
        return []

    def start_channel(self, name: str) -> int:
        """START CHANNEL."""
        return MQRCCF_CHL_SYSTEM_NOT_ACTIVE

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        """STOP CHANNEL MODE(mode) CONNAME(address) STATUS(status): end instances; `address` "" means every one.

        Whether the channel is stopped from now on is in its definition already (`MQObject.stopped`).
        """
        return MQRCCF_CHL_SYSTEM_NOT_ACTIVE

    def listener_status(self) -> list[Row]:
        """DISPLAY LSSTATUS: a row for each listener that runs."""
        return []

    def start_listener(self, name: str) -> int:
        """START LISTENER."""
        return MQRCCF_CHL_SYSTEM_NOT_ACTIVE

    def stop_listener(self, name: str) -> int:
        """STOP LISTENER."""
        return MQRCCF_CHL_SYSTEM_NOT_ACTIVE

    def service_status(self) -> list[Row]:
        """DISPLAY SVSTATUS: a row for each server service that runs."""
        return []

    def start_service(self, name: str) -> int:
        """START SERVICE."""
        return MQRCCF_CHL_SYSTEM_NOT_ACTIVE

    def stop_service(self, name: str) -> int:
        """STOP SERVICE."""
        return MQRCCF_CHL_SYSTEM_NOT_ACTIVE

    def stop_connection(self, qm: QueueManager, connection: Connection) -> None:
        """STOP CONN: the connection is broken, its unit of work backed out."""
        abandon(qm, connection)
