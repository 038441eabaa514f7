"""START, STOP and DISPLAY of channels, listeners and services in a queue manager process, under the host's lock."""

from __future__ import annotations

from flintmq.mqi.pcf_constants import MQRCCF_CHANNEL_NOT_ACTIVE
from flintmq.qmgr.calls import ChannelControl, QueueManager, Row
from flintmq.qmgr.connection import Connection
from flintmq.server.hub import Hub
from flintmq.server.listeners import Listeners
from flintmq.server.services import Services
from flintmq.wire.mq.server import Channels, rows


class Operations(ChannelControl):
    """The channels, listeners and services of a running queue manager."""

    def __init__(self, hub: Hub, channels: Channels, listeners: Listeners, services: Services) -> None:
        self._hub = hub
        self._channels = channels
        self._listeners = listeners
        self._services = services

    def is_running(self) -> bool:
        """Return True: channels can be started."""
        return True

    def channel_status(self) -> list[Row]:
        """Return the rows of DISPLAY CHSTATUS."""
        return rows(self._channels)

    def ended_channels(self) -> list[Row]:
        """Return the last rows of instances that have ended, for accounting."""
        ended, self._channels.ended_rows = self._channels.ended_rows, []
        return ended

    def start_channel(self, name: str) -> int:
        """Do START CHANNEL. Its instances are started by clients."""
        return 0

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        """Do STOP CHANNEL. FORCE and TERMINATE are equal here: no instance can prevent its end."""
        hub = self._hub
        hub.engine.channel_stopped_by_user(name)
        found = self._channels.stop_channel(name, mode != "QUIESCE", address)
        if address and not found:
            return MQRCCF_CHANNEL_NOT_ACTIVE
        where = f" from {address}" if address else ""
        what = f"MODE({mode}) STATUS({status}); {found} instances{where}"
        hub.engine.notice("AMQ9528I", f"Channel {name} was stopped by command: {what}.")
        return 0

    def listener_status(self) -> list[Row]:
        """Return the rows of DISPLAY LSSTATUS."""
        return [dict(each.row) for each in self._listeners.running.values()]

    def start_listener(self, name: str) -> int:
        """Do START LISTENER."""
        definition = self._hub.engine.catalogue.find("LISTENER", name)
        assert definition is not None
        return self._listeners.start(definition)

    def stop_listener(self, name: str) -> int:
        """Do STOP LISTENER."""
        return self._listeners.stop(name)

    def service_status(self) -> list[Row]:
        """Return the rows of DISPLAY SVSTATUS."""
        return self._services.rows()

    def start_service(self, name: str) -> int:
        """Do START SERVICE."""
        definition = self._hub.engine.catalogue.find("SERVICE", name)
        assert definition is not None
        return self._services.start(definition)

    def stop_service(self, name: str) -> int:
        """Do STOP SERVICE."""
        return self._services.stop(name)

    def stop_connection(self, qm: QueueManager, connection: Connection) -> None:
        """Do STOP CONN: a client is told at once, or with its next call."""
        conversation = self._channels.by_connection.get(connection.connection_id)
        if conversation is None:
            super().stop_connection(qm, connection)
        else:
            conversation.stop()
