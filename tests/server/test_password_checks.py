"""Passwords are compared while others are served: what a client that waits for that can and cannot do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.mqi.constants import MQOO_OUTPUT
from flintmq.server import password_checks, users
from flintmq.server.entities import SystemEntities
from flintmq.server.gatekeeper import ConnectionAuthentication
from flintmq.server.password_checks import PasswordChecks, origin
from flintmq.server.users import REMEMBERED_MAX, REMEMBERED_S, Users
from flintmq.wire.endpoint import Endpoint, EndpointHost
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.channel_instance import UNREAD_MAX, ChannelInstance
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.server import Channels
from tests.client.remote.serving import QUEUE, Serving
from tests.server.test_process import SocketPeer
from tests.waiting import PATIENCE, until
from tests.wire.mq.peer import Peer, World

CHANNEL = "DEV.ADMIN.SVRCONN"


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that cost nothing to compare."""
    monkeypatch.setattr(users, "_N", 2)
    monkeypatch.setattr(users, "_NOBODY", "scrypt$2$8$1$00$00")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "users"
    users.change(made, "joe", "right", True)
    return made


class Comparing:
    """Holds the threads: a password is compared when the test lets go."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.passwords: list[str] = []

    def __call__(self, password: str, against: str) -> bool:
        self.passwords.append(password)
        self.begun.release()
        assert self.go_on.wait(PATIENCE)
        return users.matches(password, against)


@pytest.fixture
def comparing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Comparing]:
    held = Comparing()
    monkeypatch.setattr(password_checks, "_compare", held)
    monkeypatch.setattr(password_checks, "WORKERS", 1)
    yield held
    held.go_on.set()


# -- sockets ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def serving(path: Path) -> Iterator[Serving]:
    made = Serving()
    known = Users(path)
    made.host.engine.entities = SystemEntities(known, "owner")
    made.channels.gatekeeper = ConnectionAuthentication(made.host.engine, known, "owner")
    made.qm.mqsc("ALTER QMGR CHLAUTH(DISABLED)\nALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) FAILDLAY(0)")
    yield made
    made.close()


class Connecting(threading.Thread):
    """A client that connects with a password."""

    def __init__(self, serving: Serving, password: str) -> None:
        super().__init__(daemon=True)
        self._serving = serving
        self._password = password
        self.reason = -1
        self.start()

    def run(self) -> None:
        try:
            with self._serving.connect(channel=CHANNEL, user="joe", password=self._password):
                self.reason = 0
        except flintmq.MQError as error:
            self.reason = error.reason


def test_a_client_that_is_connected_is_answered_while_the_password_of_another_is_compared(
    serving: Serving, comparing: Comparing
) -> None:
    with serving.connect() as qm:
        queue = qm.queue(QUEUE)
        other = Connecting(serving, "right")
        assert comparing.begun.acquire(timeout=PATIENCE)
        for _ in range(3):
            queue.put(b"still here")
            assert queue.get().data == b"still here"
        assert other.is_alive() and not comparing.go_on.is_set()
        comparing.go_on.set()
        other.join(PATIENCE)
        assert other.reason == 0


def test_clients_with_a_password_that_was_just_found_right_need_no_thread(
    serving: Serving, comparing: Comparing
) -> None:
    others = [Connecting(serving, "right") for _ in range(5)]
    until(lambda: serving.channels.checks.waiting == 4, "one is compared and four wait")
    comparing.go_on.set()
    for each in others:
        each.join(PATIENCE)
    assert [each.reason for each in others] == [0] * 5
    assert comparing.passwords == ["right"]


def test_a_client_that_hangs_up_leaves_the_queue_and_the_next_has_its_turn(
    serving: Serving, comparing: Comparing
) -> None:
    first = Connecting(serving, "wrong")
    assert comparing.begun.acquire(timeout=PATIENCE)
    second = Connecting(serving, "right")
    until(lambda: serving.channels.checks.waiting == 1, "one is compared and one waits")
    serving.cut_and_wait()
    until(lambda: serving.channels.checks.waiting == 0, "nobody waits for a client that is gone")
    first.join(PATIENCE)
    second.join(PATIENCE)
    assert first.reason > 0 and second.reason > 0
    third = Connecting(serving, "right")
    comparing.go_on.set()
    third.join(PATIENCE)
    assert third.reason == 0


def test_the_queue_manager_ends_while_a_password_is_compared(serving: Serving, comparing: Comparing) -> None:
    other = Connecting(serving, "right")
    assert comparing.begun.acquire(timeout=PATIENCE)
    closing = threading.Thread(target=serving.close)
    closing.start()
    until(lambda: serving.host.hub is None, "no more turns")
    comparing.go_on.set()
    closing.join(PATIENCE)
    other.join(PATIENCE)
    assert not closing.is_alive() and other.reason > 0


def test_a_client_may_put_something_long_while_another_connects_on_the_same_socket(
    serving: Serving, comparing: Comparing
) -> None:
    """What it sends stays in the system's buffers meanwhile."""
    peer = SocketPeer(serving.port)
    peer.connect()
    put = peer.put_request(peer.opened(QUEUE, MQOO_OUTPUT), bytes(3_000_000))
    peer.start_conversation(3)
    peer.feed(peer.segment(seg.CONAUTH_INFO, b"CAUT" + peer.longs(1, 3, 5, 3, 5) + b"joeright"))
    body = peer.text("QM1", 48) + peer.text("peer", 28) + peer.longs(28) + bytes(32) + peer.longs(3, 0)
    peer.socket.sendall(peer.request(seg.MQCONN, body + peer.text("FCNO", 4) + peer.longs(2, 0) + bytes(200)))
    assert comparing.begun.acquire(timeout=PATIENCE)
    sending = threading.Thread(target=lambda: peer.socket.sendall(put), daemon=True)
    sending.start()
    [session] = serving.channels.sessions
    until(lambda: session.paused, "the turn in which it began is over")
    comparing.go_on.set()
    answers = peer.answer()
    while len(answers) < 2:
        answers = answers + peer.answer()
    assert [(each.kind, each.conversation) for each in answers] == [
        (seg.MQCONN + seg.REPLY, 3),
        (seg.MQPUT + seg.REPLY, 1),
    ]
    sending.join(PATIENCE)
    peer.socket.close()


def test_a_file_of_users_that_cannot_be_understood_lets_nobody_in_and_stops_nothing(
    serving: Serving, path: Path
) -> None:
    path.write_text("no stanza at all\n")
    for _ in range(2):
        with pytest.raises(flintmq.MQError) as caught:
            serving.connect(channel=CHANNEL, user="joe", password="right")
        assert caught.value.reason == 2035
    assert "line 1" in serving.host.engine.refusals[-1].what
    path.unlink()
    users.change(path, "joe", "right", True)
    serving.connect(channel=CHANNEL, user="joe", password="right").close()


# -- a session that waits ---------------------------------------------------------------------------------------------


class Regulated(EndpointHost):
    """A host that keeps the changes of `paused`."""

    def __init__(self, engine: Any) -> None:
        super().__init__(engine)
        self.regulated: list[bool] = []

    def regulate(self, endpoint: Endpoint) -> None:
        self.regulated.append(endpoint.paused)


class Later(Channels):
    """A host that compares passwords when the test says so."""

    asked: list[Identity]
    forgotten = 0

    @property
    def regulated(self) -> list[bool]:
        assert isinstance(self.host, Regulated)
        return self.host.regulated

    def check_password(self, session: ChannelInstance, identity: Identity) -> bool:
        self.asked.append(identity)
        return True

    def forget_check(self, session: ChannelInstance) -> None:
        self.forgotten += 1

    def compare(self, session: ChannelInstance) -> None:
        """What the host does with the one that waits."""
        identity = self.asked[-1]
        against = self.gatekeeper.compare_with(identity)
        if against:
            self.gatekeeper.compared(identity, against, users.matches(identity.password, against))
        session.checked()


@pytest.fixture
def later(path: Path) -> tuple[World, Later, Peer]:
    """A client that has sent MQCONN with a wrong password, and waits."""
    world = World()
    channels = world.channels = Later(
        world.qm, ConnectionAuthentication(world.qm, Users(path), "owner"), 4711, Regulated(world.qm)
    )
    channels.asked = []
    world.alter("QMGR", "QM1", CHLAUTH="DISABLED")
    peer = world.peer(channel=CHANNEL)
    peer.agree()
    peer.received()
    with pytest.raises(AssertionError, match="there is no reply"):
        peer.connect(user="joe", password="wrong")
    return world, channels, peer


def again(peer: Peer) -> bytes:
    """The MQCONN that was sent last."""
    data = peer.sent[-len(peer.request(seg.MQCONN, bytes(332))) :]
    assert data[17] == seg.MQCONN
    return data


def test_a_socket_has_one_password_compared_at_a_time_and_three_guesses(later: tuple[World, Later, Peer]) -> None:
    """S3, S4: nine more in one packet wait until the first was answered."""
    world, channels, peer = later
    assert peer.feed(9 * again(peer)) == []
    assert len(channels.asked) == 1
    kinds: list[int] = []
    for guesses in (2, 3, 3):
        channels.compare(peer.session)
        kinds += [each.kind for each in peer.received()]
        assert len(channels.asked) == guesses
    assert kinds == [seg.MQCONN + seg.REPLY] * 3 + [seg.STATUS_DATA]
    assert peer.session.closing and any("refused 3 times" in text for _, text in world.qm.notices)


def test_what_comes_meanwhile_is_done_afterwards_and_not_before(later: tuple[World, Later, Peer]) -> None:
    _, channels, peer = later
    heartbeat = peer.header(seg.HEARTBEAT, seg.CONFIRM_REQUEST, 0, plain=True)
    before = peer.session.bytes_received
    assert peer.feed(heartbeat[:10]) == [] and peer.feed(heartbeat[10:]) == []
    assert peer.session.is_in_call()
    channels.compare(peer.session)
    assert [each.kind for each in peer.received()] == [seg.MQCONN + seg.REPLY, seg.HEARTBEAT]
    assert peer.session.bytes_received == before + len(heartbeat) and not peer.session.is_in_call()


def test_a_client_that_sends_on_and_on_meanwhile_is_disconnected(later: tuple[World, Later, Peer]) -> None:
    world, channels, peer = later
    assert peer.feed(bytes(UNREAD_MAX)) == []
    assert [each.kind for each in peer.feed(b"x")] == [seg.STATUS_DATA]
    assert channels.forgotten == 1
    assert any("password was checked" in text for _, text in world.qm.notices)
    peer.session.checked()  # A thread that was not told.
    assert peer.unsent() == b""


def test_one_who_is_connected_on_the_same_socket_may_be_putting_something_long(
    later: tuple[World, Later, Peer],
) -> None:
    """S4: what has arrived is done afterwards, and the host reads no more meanwhile."""
    world, channels, peer = later
    channels.asked[0].password = "right"
    channels.compare(peer.session)
    assert peer.received()[0].kind == seg.MQCONN + seg.REPLY
    guess, peer.conversation = another_guess(peer), 1
    put = peer.put_request(peer.opened(QUEUE, MQOO_OUTPUT), bytes(3 * UNREAD_MAX))
    peer.feed(put)
    peer.feed(guess)
    assert len(channels.asked) == 2 and peer.session.paused and channels.regulated == [True]
    assert peer.feed(put[:100_000]) == [] and peer.feed(put[100_000:]) == []
    channels.compare(peer.session)
    kinds = [each.kind for each in peer.received()]
    assert kinds == [seg.MQCONN + seg.REPLY, seg.MQPUT + seg.REPLY]
    assert world.depth(QUEUE) == 2 and channels.regulated == [True, False]


def test_a_user_that_is_altered_while_the_password_is_compared_is_compared_again(
    later: tuple[World, Later, Peer], path: Path
) -> None:
    world, channels, peer = later
    identity = channels.asked[0]
    against = channels.gatekeeper.compare_with(identity)
    users.change(path, "joe", "wrong", True)  # Now it is right.
    channels.gatekeeper.compared(identity, against, False)
    peer.session.checked()
    assert peer.received() == [] and len(channels.asked) == 2
    channels.compare(peer.session)
    assert peer.session.conversations[1].connection is not None
    peer.session.lost()
    assert channels.forgotten == 0


def test_what_was_right_before_the_user_was_removed_lets_nobody_in(path: Path) -> None:
    known = Users(path)
    known.refresh()
    against = known.hash_of("joe")
    users.remove(path, "joe")
    known.refresh()
    assert not known.compared("joe", "right", against, True) and not known.remembers("joe", "right")


# -- the queue --------------------------------------------------------------------------------------------------------


def crowd(body: Callable[[World, PasswordChecks, list[str]], None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run `body` with a queue that nobody works at, then let one thread do all of it: the addresses in that order."""
    monkeypatch.setattr(password_checks, "WORKERS", 0)
    order: list[str] = []

    async def go() -> None:
        world = World()
        gatekeeper = ConnectionAuthentication(world.qm, Users(None), "owner")
        world.channels.gatekeeper = gatekeeper
        checks = PasswordChecks(world.channels, asyncio.get_running_loop(), lambda step: step())
        body(world, checks, order)
        await asyncio.sleep(0)
        while checks.waiting:
            order.append(checks._take().session.address)

    # A pool of no threads is refused; one thread that is never used is the same.
    monkeypatch.setattr(password_checks, "ThreadPoolExecutor", lambda *_: None)
    asyncio.run(go())
    return order


def ask(world: World, checks: PasswordChecks, address: str) -> Identity:
    identity = Identity()
    identity.has_password = True
    checks.ask(world.channels.instance(address), identity)
    return identity


def test_addresses_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    def body(world: World, checks: PasswordChecks, order: list[str]) -> None:
        for port in range(4):
            ask(world, checks, f"10.0.0.1({port})")
        ask(world, checks, "10.0.0.2(1)")
        ask(world, checks, "10.0.0.3(1)")

    assert crowd(body, monkeypatch) == [
        "10.0.0.1(0)",
        "10.0.0.2(1)",
        "10.0.0.3(1)",
        "10.0.0.1(1)",
        "10.0.0.1(2)",
        "10.0.0.1(3)",
    ]


def test_a_full_queue_puts_off_who_has_most_in_it_and_tells_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password_checks, "WAITING_MAX", 3)
    asked: list[Identity] = []
    told: list[str] = []

    def body(world: World, checks: PasswordChecks, order: list[str]) -> None:
        for port in range(4):
            asked.append(ask(world, checks, f"10.0.0.1({port})"))
        asked.append(ask(world, checks, "10.0.0.2(1)"))
        assert checks.waiting == 3
        told.extend(text for _, text in world.qm.notices)

    assert crowd(body, monkeypatch) == ["10.0.0.1(0)", "10.0.0.2(1)", "10.0.0.1(1)"]
    assert [each.put_off for each in asked] == [False, False, True, True, False]
    assert len(told) == 1 and "10.0.0.1(3)" in told[0] and "2059" in told[0]


def test_who_was_put_off_hears_2059_and_has_lost_no_guess(later: tuple[World, Later, Peer]) -> None:
    _, channels, peer = later
    channels.asked[0].put_off = True
    peer.session.checked()
    [answer] = peer.received()
    assert answer.body[4:12] == (2).to_bytes(4, "little") + (2059).to_bytes(4, "little")
    assert peer.session.refusals == 0 and not peer.session.closing


@pytest.mark.parametrize(
    ("address", "user", "expected"),
    [
        ("10.0.0.1(99)", "", "10.0.0.1"),
        ("2001:db8::1(99)", "", "2001:db8::/64"),
        ("2001:db8::ffff(1)", "", "2001:db8::/64"),
        ("fe80::1%eth0(1)", "", "fe80::/64"),
        ("not:an:address(1)", "", "not:an:address"),
        ("local", "joe", "joe"),
    ],
)
def test_who_takes_turns(address: str, user: str, expected: str) -> None:
    session = World().channels.instance(address)
    session.local_user = user
    assert origin(session) == expected


def test_a_socket_on_which_somebody_is_connected_has_a_turn_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """S4: the one who is connected waits as well."""

    def body(world: World, checks: PasswordChecks, order: list[str]) -> None:
        for port in range(3):
            ask(world, checks, f"127.0.0.1({port})")
        world.alter("QMGR", "QM1", CHLAUTH="DISABLED")
        peer = world.connected(address="127.0.0.1(99)")
        checks.ask(peer.session, Identity())

    assert crowd(body, monkeypatch)[1] == "127.0.0.1(99)"


class Hosted(Channels):
    """A host that has a queue."""

    checks: PasswordChecks

    def check_password(self, session: ChannelInstance, identity: Identity) -> bool:
        self.checks.ask(session, identity)
        return True

    def forget_check(self, session: ChannelInstance) -> None:
        self.checks.forget(session)


def another_guess(peer: Peer) -> bytes:
    """What a client sends to connect once more on the same socket, with a wrong password."""
    action = peer.longs(2, 0, 1, 0, 0)
    data = peer.header(seg.SOCKET_ACTION, 0x30, len(action), plain=True).replace(b"TSH ", b"TSHC") + action
    mqconn = again(peer)
    peer.conversation = 2
    data += peer.segment(seg.CONAUTH_INFO, b"CAUT" + peer.longs(1, 3, 5, 3, 5) + b"joewrong")
    return data + mqconn[:8] + (2).to_bytes(4, "big") + mqconn[12:]


def test_many_who_go_on_at_once_and_ask_again_are_no_deeper_than_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2: each of them is let in because the password of the first was right, and has its next one behind that."""
    monkeypatch.setattr(password_checks, "WORKERS", 1)

    async def go() -> None:
        world = World()
        channels = world.channels = Hosted(world.qm, ConnectionAuthentication(world.qm, Users(path), "owner"), 4711)
        failed: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: failed.append(context))
        checks = channels.checks = PasswordChecks(channels, loop, lambda step: step())
        world.alter("QMGR", "QM1", CHLAUTH="DISABLED")
        peers = [
            world.peer(channel=CHANNEL, address=f"10.0.{number // 100}.{number % 100}(1)") for number in range(400)
        ]
        for peer in peers:
            peer.agree()
            with pytest.raises(AssertionError, match="there is no reply"):
                peer.connect(user="joe", password="right")
            assert peer.feed(another_guess(peer)) == []
        while not failed and any(peer.session.refusals == 0 for peer in peers):
            await asyncio.sleep(0.001)
        checks.close()
        assert not failed and all(peer.session.has_client() for peer in peers)

    asyncio.run(go())


# -- what is remembered -----------------------------------------------------------------------------------------------


def test_a_password_is_remembered_for_a_while_however_often_it_is_used(path: Path) -> None:
    now = 0.0
    known = Users(path, lambda: now)
    known.refresh()
    assert known.is_right("joe", "right") and known.remembers("joe", "right")
    now = REMEMBERED_S - 1
    assert known.is_right("joe", "right") and not known.remembers("joe", "wrong")
    now = REMEMBERED_S
    assert not known.remembers("joe", "right")


def test_a_file_that_could_not_be_read_once_is_read_again_when_it_can_be(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All descriptors were in use, or chmod has put it right: neither changes when it was written."""
    known = Users(path)
    with monkeypatch.context() as refused:
        refused.setattr("flintmq.server.users.ini.read", _cannot_be_read)
        assert known.refresh() and "cannot be used" in known.trouble and not known.any()
        assert not known.refresh(), "that is no news"
    assert known.refresh() and not known.trouble and known.is_right("joe", "right")


def _cannot_be_read(path: Path) -> list[object]:
    raise PermissionError(13, "Permission denied", str(path))


def test_the_oldest_is_forgotten_when_there_are_too_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert REMEMBERED_MAX == 10_000
    monkeypatch.setattr(users, "REMEMBERED_MAX", 2)
    for name in ("a", "b", "c"):
        users.change(path, name, "right", False)
    known = Users(path)
    known.refresh()
    assert all(known.is_right(name, "right") for name in ("a", "b", "a", "c"))
    assert [known.remembers(name, "right") for name in ("a", "b", "c")] == [False, True, True]
