"""A queue manager that serves sockets, on a loop in a thread of the test's own process; in memory, or in a directory.

`qm` is the same queue manager from inside: what a client does over the wire can be looked at, and prepared, there.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import flintmq
from flintmq.client.queue_manager import QueueManager
from flintmq.client.remote.definition import Address, Definition
from flintmq.host import instance, lifecycle
from flintmq.server.hub import Hub, ServingHost
from flintmq.server.link import links
from flintmq.server.mq_channels import ServedChannels
from flintmq.wire.mq.terms import LOCAL_CHANNEL, Gatekeeper
from tests.waiting import PATIENCE, until

CHANNEL = "DEV.APP.SVRCONN"
QUEUE = "DEV.QUEUE.1"


class Serving:
    """A queue manager that listens on a port of the loopback."""

    def __init__(
        self,
        gatekeeper: Gatekeeper | None = None,
        name: str = "QM1",
        on_disk: instance.Instance | None = None,
        options: lifecycle.CreateOptions | None = None,
    ) -> None:
        options = options or lifecycle.CreateOptions(developer=True)
        if on_disk is None:
            self.host = ServingHost(*lifecycle.create_in_memory(name, options), None)
        else:
            self.host = ServingHost(*lifecycle.create_on_disk(on_disk, options), on_disk)
        self.qm = QueueManager(self.host, "inside")
        self.gatekeeper = gatekeeper or Gatekeeper()
        self.port = 0
        #: Where the Unix socket is.
        self.directory = tempfile.mkdtemp(prefix="flintmq")
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    @property
    def conn(self) -> str:
        return f"127.0.0.1({self.port})"

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.hub = Hub(self.host, self.loop)
        self.channels = ServedChannels(self.hub, self.gatekeeper)
        self._end = asyncio.Event()
        server = await self.loop.create_server(links(self.hub), "127.0.0.1", 0)
        path = os.path.join(self.directory, instance.LOCAL_SOCKET)
        local = await self.loop.create_unix_server(links(self.hub), path)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        local.close()
        self._abort()
        self.hub.close()

    def soon(self, step: Callable[[], None]) -> None:
        """Have the loop do something."""
        self.loop.call_soon_threadsafe(step)

    def cut(self) -> None:
        """Close all sockets of clients, without a word; back when they are closed. Others may come meanwhile."""
        before = set(self.hub.links)
        self.soon(self._abort)
        until(lambda: not before & set(self.hub.links), "the sockets of clients are cut")
        # The loop tells first and closes then: in the same turn.
        turned = threading.Event()
        self.soon(turned.set)
        assert turned.wait(PATIENCE)

    def cut_and_wait(self) -> None:
        """Close all sockets of clients, and come back when the queue manager has forgotten those clients."""

        def gone() -> bool:
            # One that was connecting when the others were cut is cut now.
            self.soon(self._abort)
            return not self.hub.links and not self.channels.sessions

        until(gone, "the sessions of clients that were cut end")

    def waits(self) -> bool:
        """Whether a client waits for a message. Others may come and go meanwhile, so copies are looked at."""
        return any(
            each.waiting for session in list(self.channels.sessions) for each in list(session.conversations.values())
        )

    def _abort(self) -> None:
        for link in list(self.hub.links):
            link.abort()

    def connect(self, **options: Any) -> flintmq.RemoteQueueManager:
        """A client."""
        given: dict[str, Any] = {"channel": CHANNEL, "conn": self.conn, "timeout": PATIENCE, **options}
        return flintmq.connect(given.pop("name", "QM1"), **given)

    def connect_locally(self) -> flintmq.RemoteQueueManager:
        """A client of this machine."""
        place = Address("", 0, self.directory)
        return flintmq.RemoteQueueManager([Definition("QM1", LOCAL_CHANNEL, (place,), application="test")])

    def close(self) -> None:
        """A second close does nothing."""
        if not self._thread.is_alive():
            return
        self.soon(self._end.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        shutil.rmtree(self.directory)
        self.qm.close()
