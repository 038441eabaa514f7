"""The transport: Kombu opens it by the name `flintmq`.

A connection of Kombu is a Broker (one connection of MQ) with a Mailbox; each channel that consumes has a connection
more. `drain_events` delivers all that the mailbox has, or waits for the first. With an event loop (Celery's hub) the
the loop waits for the mailbox's file descriptor.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from kombu.exceptions import ChannelError
from kombu.transport import base

import flintmq
from flintmq.integrations.kombu.address import DEFAULT_PORT, Address, address_of
from flintmq.integrations.kombu.broker import Broker
from flintmq.integrations.kombu.channel import Channel


class Transport(base.Transport):
    """A transport on a queue manager."""

    Channel: type[Any] = Channel

    can_parse_url = True
    default_port = DEFAULT_PORT  # type: ignore[assignment]
    driver_type = "flintmq"
    driver_name = "flintmq"

    #: After one of these Kombu connects again.
    connection_errors: Any = (flintmq.NotConnected, flintmq.QueueManagerInUse, ConnectionError)
    channel_errors: Any = (ChannelError, flintmq.MQError)
    recoverable_connection_errors = connection_errors
    recoverable_channel_errors = ()

    implements = base.Transport.implements.extend(
        asynchronous=True,
        exchange_type=frozenset({"direct", "topic", "fanout"}),
        heartbeats=False,
    )

    def __init__(self, client: Any, **kwargs: Any) -> None:
        self.client = client
        self._channel_ids = 0
        self._loop_fd: int | None = None

    def driver_version(self) -> str:
        """Return the version of FlintMQ."""
        return flintmq.__version__

    @property
    def address(self) -> Address:
        """Where the queue manager is. Raises ValueError."""
        client: Any = self.client
        password = client.password() if callable(client.password) else client.password
        return address_of(
            client.hostname or "",
            client.userid or "",
            password or "",
            client.port,
            client.virtual_host or "",
            client.transport_options or {},
            client.connect_timeout or 0,
        )

    # -- connections and channels -------------------------------------------------------------------------------------

    def establish_connection(self) -> Broker:
        """Connect. Raises MQError, or ValueError for a URL that is wrong."""
        return Broker(self.address, self.client)

    def verify_connection(self, connection: Broker) -> bool:
        """Return whether the connection can be used, as far as is known here."""
        return connection.connected

    def close_connection(self, connection: Broker) -> None:
        """Close all channels, then disconnect. In the child of a fork the parent's connection is left alone."""
        connection.close()
        connection.client = None

    def _collect(self, connection: Broker | None) -> None:
        """Close after an error, or in the child of a fork."""
        if connection is not None:
            self.close_connection(connection)

    def create_channel(self, connection: Broker) -> Any:
        """Return a new channel."""
        self._channel_ids += 1
        channel = self.Channel(connection, self._channel_ids)
        connection.channels.append(channel)
        return channel

    def close_channel(self, channel: Any) -> None:
        """Close a channel."""
        channel.close()

    # -- delivery -----------------------------------------------------------------------------------------------------

    def drain_events(self, connection: Broker, timeout: float | None = None, **kwargs: Any) -> None:
        """Deliver messages, or wait for one. Raises socket.timeout if nothing came, NotConnected, MQError."""
        delivery = connection.mailbox.take(timeout)
        if delivery is None:
            raise TimeoutError("timed out")
        delivery.channel.deliver(delivery)
        # Not those that come meanwhile: Celery acknowledges messages between two calls.
        for _ in range(len(connection.mailbox)):
            if connection.mailbox.error is not None:
                return
            delivery = connection.mailbox.take(0.0)
            if delivery is None:
                return
            delivery.channel.deliver(delivery)

    def register_with_event_loop(self, connection: Broker, loop: Any) -> None:
        """Have `loop` call on_readable when there is something to deliver."""
        self._loop_fd = connection.mailbox.fileno()
        loop.add_reader(self._loop_fd, self.on_readable, connection, loop)

    def unregister_from_event_loop(self, connection: Broker, loop: Any) -> None:
        """Undo register_with_event_loop."""
        if self._loop_fd is not None:
            loop.remove_reader(self._loop_fd)
            self._loop_fd = None

    def on_readable(self, connection: Broker, loop: Any) -> None:
        """Deliver one message, and come again for the next after the loop has done its due work.

        Celery acknowledges messages by `loop.call_soon`: those of tasks that are done go before the next delivery.
        """
        connection.mailbox.clear_wakeups()
        delivery = connection.mailbox.take(0.0)
        if delivery is not None:
            loop.call_soon(self.on_readable, connection, loop)
            delivery.channel.deliver(delivery)

    # -- for people ---------------------------------------------------------------------------------------------------

    def as_uri(self, uri: str, include_password: bool = False, mask: str = "**") -> str:
        """Return the URL as it is shown: without the password."""
        if "://" not in uri:
            return str(self.address)
        parts = urlsplit(uri)
        if parts.scheme == "embedded":
            return f"flintmq+{uri}"
        if include_password or parts.password is None:
            return uri
        where = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=f"{parts.username}:{mask}@{where}").geturl()

    @property
    def default_connection_params(self) -> dict[str, object]:
        """Return the target of a connection without parameters: the queue manager of this machine."""
        return {"hostname": "flintmq:///"}
