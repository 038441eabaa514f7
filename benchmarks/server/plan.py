"""What is wanted of a load."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Plan:
    """What is wanted of this process."""

    kind: str
    #: Where the first kind of actor connects, and the second: "127.0.0.1:1414", or the path of a Unix socket.
    first_at: str
    second_at: str
    first: int = 10
    second: int = 4
    size: int = 2048
    #: How the names of its queues begin: nobody else uses them.
    queues: str = "BENCH"
    channel: str = "DEV.APP.SVRCONN"
    user: str = "app"
    tls: bool = False
    #: Messages are persistent: every answer waits for the log.
    persistent: bool = False
    #: How many messages a putter may be ahead of its getter.
    ahead: int = 16
    #: For an echo: (bytes there, bytes back) of every exchange; a third number is how many bytes it logs.
    exchanges: list[list[int]] = field(default_factory=list)

    @property
    def requests(self) -> str:
        return f"{self.queues}.REQUEST"

    @property
    def replies(self) -> str:
        return f"{self.queues}.REPLY"

    def names(self) -> list[str]:
        """All queues that it may use."""
        numbers = range(self.first)
        return [
            self.requests,
            self.replies,
            *(f"{self.replies}.{number}" for number in numbers),
            *(self.passing(number) for number in numbers),
        ]

    def passing(self, number: int) -> str:
        return f"{self.queues}.PASS.{number}"
