"""Fixtures and assertions for tests of applications that use queues.

As a pytest plugin (installed with the package; or `-p flintmq.testing`, or `pytest_plugins = ["flintmq.testing"]`):

    def test_an_order_is_confirmed(queue_manager):
        queue_manager.queue("ORDERS", create=True).put("order 7")
        confirm_orders(queue_manager)                              # your code
        assert_queue(queue_manager, "CONFIRMED").has("order 7")
        assert_queue(queue_manager, "ORDERS").is_empty()

    def test_a_price_is_published(queue_manager):
        with queue_manager.subscribe("prices/#") as prices:
            publish_prices(queue_manager)                          # your code
            assert_queue(queue_manager, prices).has("1811", topic="prices/gold", properties={"unit": "oz"})

    queue_manager           a queue manager without files, with DEV.QUEUE.1 to 3; new for each test, in milliseconds
    queue_manager_on_disk   the same in a temporary directory; `.crash()` and `.restart()` try what a crash leaves

    listening_queue_manager           a queue manager that listens on a free port of 127.0.0.1, for code that connects:
                                      `flintmq.connect(**it.options)`, pymqi, JMS. It has `host`, `port`, `conn`,
                                      `channel`, `user`, `password`, `name` and `uri`; `qm` is the same from inside
    listening_queue_manager_session   the same for a whole session; messages of one test are there in the next, unless
                                      it calls `clear()`

For message flows (with the extra `broker`):

    @pytest.mark.flow("Shop", "Orders")                            # path beside the test file, and the flow
    def test_a_gold_order_is_routed(flow):
        flow.http["Ask price"] = {"price": 7}
        assert flow(b"<Order/>").out["ORDERS.GOLD"]

    flow                    the flow of the mark; `.http`, `.databases`, `.queues` and `.files` answer for the outside,
                            `.node` runs one node
    flow_loader             a function that loads a path beside the test file: `flow_loader("Shop").flow("Orders")`

`assert_recorded` compares an assembly with a recorded one (`.mxml`) and fails with the paths that differ.
`assert_queue` looks and does not touch: messages stay where they are. A failure shows what was on the queue. Without
pytest everything here but the fixtures can be used as well.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import flintmq
from flintmq.client.queue_manager import QueueManager
from flintmq.host.environment import application_name
from flintmq.host.host import Host
from flintmq.host.lifecycle import CreateOptions
from flintmq.host.opening import open_host
from flintmq.log import LogConfig
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.property_values import Value
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.terms import Gatekeeper, Terms

if TYPE_CHECKING:
    import pytest

    from flintmq.broker.flow.function import LoadedApplications
    from flintmq.broker.flow.testing import FlowUnderTest
    from flintmq.broker.tree.assembly import Assembly
    from flintmq.broker.tree.mxml import Recorded
else:
    try:
        import pytest
    except ImportError:
        pytest = None

#: What a message is compared with: its data, its text, a pattern, or a function that says whether it is right.
Expected = bytes | str | re.Pattern[str] | re.Pattern[bytes] | Callable[[flintmq.Message], bool]
SHOWN_MAX = 10


def _text(message: flintmq.Message) -> str | None:
    """The message as text; None if it is none."""
    try:
        return message.text
    except (ValueError, MQStructuresError):
        return None


def _fits(message: flintmq.Message, expected: Expected) -> bool:
    if isinstance(expected, bytes):
        return message.data == expected
    if isinstance(expected, str):
        return _text(message) == expected
    if isinstance(expected, re.Pattern):
        if isinstance(expected.pattern, bytes):
            return expected.search(message.data) is not None
        text = _text(message)
        return text is not None and expected.search(text) is not None
    return bool(expected(message))


def _say(expected: Expected) -> str:
    if isinstance(expected, re.Pattern):
        return f"a message like {expected.pattern!r}"
    return repr(expected) if isinstance(expected, bytes | str) else f"a message that {expected.__name__} accepts"


class QueueAssertion:
    """What was on a queue when `assert_queue` was called. Every check returns this object, for the next one."""

    def __init__(self, name: str, messages: list[flintmq.Message], depth: int) -> None:
        self.name = name
        #: The messages that a get would find, in the order of delivery.
        self.messages = messages
        #: CURDEPTH: uncommitted puts count, uncommitted gets do not.
        self.depth = depth

    def is_empty(self) -> QueueAssertion:
        """No message, and none that is put and not committed."""
        __tracebackhide__ = True
        if self.depth:
            self._fail("should be empty")
        return self

    def has_depth(self, depth: int) -> QueueAssertion:
        """So many messages, uncommitted puts included."""
        __tracebackhide__ = True
        if self.depth != depth:
            self._fail(f"should have {depth} message{'' if depth == 1 else 's'}")
        return self

    def has(
        self,
        *expected: Expected,
        correlation_id: bytes | None = None,
        reply_to: str | None = None,
        persistent: bool | None = None,
        priority: int | None = None,
        format: str | None = None,
        topic: str | None = None,
        properties: Mapping[str, Value] | None = None,
    ) -> QueueAssertion:
        """Each of `expected` is on the queue, in this order, with others in between or not, and has these fields.

        Of the properties those that are given must be there, with these values; there may be others.
        """
        __tracebackhide__ = True
        fields = {
            "correlation_id": None if correlation_id is None else correlation_id.ljust(24, b"\0"),
            "reply_to": reply_to,
            "persistent": persistent,
            "priority": priority,
            "format": format,
            "topic": topic,
        }
        wanted = {name: value for name, value in fields.items() if value is not None}
        some = dict(properties or {})
        items: Iterable[Expected] = expected or (_anything,)
        at = 0
        for each in items:
            while at < len(self.messages) and not (
                _fits(self.messages[at], each)
                and all(getattr(self.messages[at], name) == value for name, value in wanted.items())
                and some.items() <= self.messages[at].properties.items()
            ):
                at += 1
            if at == len(self.messages):
                extra = "".join(f", {name}={value!r}" for name, value in wanted.items())
                extra += f", properties={some!r}" if some else ""
                self._fail(f"should have {_say(each)}{extra}")
            at += 1
        return self

    def has_only(self, *expected: Expected) -> QueueAssertion:
        """Exactly these messages, in this order."""
        __tracebackhide__ = True
        same = len(self.messages) == len(expected)
        if not same or not all(_fits(message, each) for message, each in zip(self.messages, expected, strict=True)):
            self._fail(f"should have exactly {', '.join(map(_say, expected)) or 'nothing'}")
        return self

    def has_no(self, unwanted: Expected) -> QueueAssertion:
        """No message like this."""
        __tracebackhide__ = True
        if any(_fits(message, unwanted) for message in self.messages):
            self._fail(f"should not have {_say(unwanted)}")
        return self

    def _fail(self, what: str) -> None:
        __tracebackhide__ = True
        raise AssertionError(f"{self.name} {what}, but {self._shown()}")

    def _shown(self) -> str:
        uncommitted = self.depth - len(self.messages)
        lines = [f"  {number}. {message!r}" for number, message in enumerate(self.messages[:SHOWN_MAX], 1)]
        if len(self.messages) > SHOWN_MAX:
            lines.append(f"  ... and {len(self.messages) - SHOWN_MAX} more")
        if uncommitted:
            lines.append(f"  and {uncommitted} uncommitted")
        if not lines:
            return "it is empty"
        return f"it has {self.depth} message{'' if self.depth == 1 else 's'}:\n" + "\n".join(lines)


def _anything(message: flintmq.Message) -> bool:
    return True


def assert_queue(queue_manager: flintmq.QueueManager, name: str | flintmq.Subscription) -> QueueAssertion:
    """Look at a queue, or at what has come for a subscription, and say what should be there; see QueueAssertion.

    A queue is looked at through a connection of its own: what the test has put and not committed is not there yet.
    """
    if isinstance(name, flintmq.Subscription):
        messages = list(name.browse())
        return QueueAssertion(f"the subscription to {name.topic}", messages, len(messages))
    with queue_manager.connect() as another:
        queue = another.queue(name)
        return QueueAssertion(name, list(queue.browse()), queue.depth)


class _Passwords(Gatekeeper):
    """Refuses a wrong password (2035), and adopts the user of a right one. Without one the client is believed."""

    def __init__(self, users: Mapping[str, str]) -> None:
        self._users = users

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        if identity.password:
            if self._users.get(identity.claimed_user) != identity.password:
                return MQRC_NOT_AUTHORIZED, ""
            return 0, identity.claimed_user
        return super().admit(terms, identity, address)


#: The users of a listening queue manager; the names are those of MQ's developer container.
_USERS = {"app": "passw0rd", "admin": "passw0rd"}


class ListeningQueueManager:
    """A queue manager without files that listens on a free port of 127.0.0.1, in a thread of this process.

    It has the developer's objects: DEV.QUEUE.1 to 3, DEV.APP.SVRCONN and so on, and takes commands (PCF, MQSC). Its
    users are app and admin, with the password passw0rd, unless `users` (name: password) says others; `user` and
    `password` are those of the first. There are no authority checks: every user may do everything.
    """

    host = "127.0.0.1"
    channel = "DEV.APP.SVRCONN"

    def __init__(self, name: str = "QM1", users: Mapping[str, str] | None = None) -> None:
        self.users = dict(_USERS if users is None else users)
        if not self.users:
            raise ValueError("a queue manager for clients has a user: users={'app': 'passw0rd'}")
        if "" in self.users or "" in self.users.values():
            raise ValueError("a user has a name and a password, neither of them blank")
        self.user, self.password = next(iter(self.users.items()))
        # The server is brought in here: who tests without a network does not need it.
        from flintmq.host import lifecycle
        from flintmq.host.command_thread import CommandThread
        from flintmq.server.hub import ServingHost

        self.name = name
        self._host = ServingHost(*lifecycle.create_in_memory(name, CreateOptions(developer=True)), None)
        #: The same queue manager from inside: to define queues, to prepare messages and to look at them.
        self.qm = QueueManager(self._host, application_name())
        CommandThread(self._host)
        self.port = 0
        self._error: BaseException | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"flintmq {name}", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    @property
    def conn(self) -> str:
        """The connection name, as MQ writes it: 127.0.0.1(1414)."""
        return f"{self.host}({self.port})"

    @property
    def uri(self) -> str:
        """All of it in one string, for settings: mq://app:passw0rd@127.0.0.1:1414/QM1?channel=DEV.APP.SVRCONN."""
        return f"mq://{self.user}:{self.password}@{self.host}:{self.port}/{self.name}?channel={self.channel}"

    @property
    def options(self) -> dict[str, str]:
        """The arguments of `flintmq.connect` and `flintmq.aconnect`: `flintmq.connect(**listening.options)`."""
        return self.options_of(self.user)

    def options_of(self, user: str) -> dict[str, str]:
        """Return the options of `connect` for one of its users. Raises KeyError if there is none of this name."""
        return {
            "name": self.name,
            "channel": self.channel,
            "conn": self.conn,
            "user": user,
            "password": self.users[user],
        }

    def clear(self) -> None:
        """Remove the messages of all local queues that are not the system's."""
        for row in self.qm.mqsc("DISPLAY QLOCAL(*) CURDEPTH WHERE(CURDEPTH GT 0)", check=False).rows:
            name = str(row["QUEUE"])
            if not name.startswith(("SYSTEM.", "AMQ.")):
                self.qm.queue(name).clear()

    def close(self) -> None:
        """End it; connections of clients are closed. A second close does nothing."""
        if not self._thread.is_alive():
            return
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
        self.qm.close()

    def __enter__(self) -> ListeningQueueManager:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        from flintmq.server.hub import Hub
        from flintmq.server.link import links
        from flintmq.server.mq_channels import ServedChannels

        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        hub = Hub(self._host, self._loop)
        ServedChannels(hub, _Passwords(self.users))
        server = await self._loop.create_server(links(hub), self.host, 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()
        for link in list(hub.links):
            link.abort()
        hub.close()


class DiskQueueManager(QueueManager):
    """A queue manager in a directory of a test, that can be crashed and restarted.

    Queues that were got from it before are as good afterwards.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        super().__init__(self._open(), application_name())

    def _open(self) -> Host:
        options = CreateOptions(developer=True, log=LogConfig(file_pages=256))
        return open_host(self._directory, True, options, "QM1")

    def crash(self) -> None:
        """As if the process had been killed, and started again. What was committed is there, nothing else."""
        self._host.abandon()
        super().__init__(self._open(), self._application)

    def restart(self) -> None:
        """A clean end and a new start."""
        self.close()
        super().__init__(self._open(), self._application)


def assert_recorded(
    expected: Path | str | Recorded | Assembly, found: Recorded | Assembly, ignore: Sequence[str] = ()
) -> None:
    """Fail with the paths where an assembly differs from a recorded one. `ignore` are patterns of paths."""
    __tracebackhide__ = True
    from flintmq.broker.flow.testing import assert_same_assembly

    assert_same_assembly(expected, found, ignore)


class FlowLoader:
    """Loads flows by paths beside a test file. What was loaded before is loaded again: flows keep state."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __call__(self, path: str | Path, **options: Any) -> LoadedApplications:
        """Load a directory, a BAR or a flow file. Options are those of `flintmq.broker.load`."""
        from flintmq.broker.flow.testing import load_flows

        return load_flows(self._directory / path, **options)


def _flow_loader(request: pytest.FixtureRequest) -> FlowLoader:
    """A function that loads a path beside the test file."""
    return FlowLoader(request.path.parent)


def _flow(request: pytest.FixtureRequest, flow_loader: FlowLoader) -> FlowUnderTest:
    """The flow that the mark `flow` names, with fakes for the outside."""
    from flintmq.broker.flow.testing import FlowUnderTest

    mark = request.node.get_closest_marker("flow")
    if mark is None or not mark.args:
        pytest.fail('the fixture flow needs a mark: @pytest.mark.flow("path of a project", "name of the flow")')
    path, *name = mark.args
    return FlowUnderTest(flow_loader(path, **mark.kwargs).flow(*name))


def _memory() -> Iterator[flintmq.QueueManager]:
    """A queue manager without files, with the developer's queues DEV.QUEUE.1 to 3."""
    with flintmq.open(":memory:", developer=True, queue_manager_name="QM1") as qm:
        yield qm


def _disk(tmp_path: Path) -> Iterator[DiskQueueManager]:
    """A queue manager in a temporary directory; `.crash()` and `.restart()` try what survives."""
    with DiskQueueManager(tmp_path / "QM1") as qm:
        yield qm


def _listening() -> Iterator[ListeningQueueManager]:
    """A queue manager that listens on a free port of 127.0.0.1, for code that connects."""
    with ListeningQueueManager() as listening:
        yield listening


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line("markers", "flow(path, name): the message flow that the fixture `flow` loads")


if pytest is not None:
    flow_loader = pytest.fixture(name="flow_loader")(_flow_loader)
    flow = pytest.fixture(name="flow")(_flow)
    queue_manager = pytest.fixture(name="queue_manager")(_memory)
    queue_manager_on_disk = pytest.fixture(name="queue_manager_on_disk")(_disk)
    listening_queue_manager = pytest.fixture(name="listening_queue_manager")(_listening)
    listening_queue_manager_session = pytest.fixture(name="listening_queue_manager_session", scope="session")(
        _listening
    )
