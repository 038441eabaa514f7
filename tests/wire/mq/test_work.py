"""Long work of a client's call: what is done and sent meanwhile, and that the answers are right."""

from __future__ import annotations

import pytest

from flintmq.mqi.constants import (
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_SAVE_ALL_CONTEXT,
    MQOT_TOPIC,
    MQPMO_RETAIN,
    MQSO_CREATE,
    MQSO_MANAGED,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.property_work import PREPARED
from flintmq.qmgr.work import SLICE
from flintmq.wire.endpoint import Endpoint, EndpointHost
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.channel_instance import ChannelInstance
from flintmq.wire.mq.server import Channels
from tests.wire.mq.peer import Peer, World

BOTH = MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT
QUEUE = "DEV.QUEUE.1"


class Patient(EndpointHost):
    """A host that does work when the test says so."""

    def __init__(self, world: World) -> None:
        super().__init__(world.qm)
        self.working: list[Endpoint] = []
        world.channels = Channels(world.qm, world.channels.gatekeeper, 1, self)

    def start_work(self, endpoint: Endpoint) -> None:
        self.working.append(endpoint)

    def finish(self) -> int:
        """Do all work; in how many slices."""
        count = 0
        while self.working:
            session = self.working[0]
            if not session.work_on(SLICE):
                self.working.remove(session)
            count += 1
        return count


@pytest.fixture
def world() -> World:
    made = World()
    Patient(made)
    return made


def host(world: World) -> Patient:
    assert isinstance(world.channels.host, Patient)
    return world.channels.host


def peer(world: World) -> Peer:
    made = Peer(world)
    made.agree()
    assert made.connect().reason == 0
    return made


def with_properties(count: int, begin: str = "<usr>", end: str = "</usr>", **more: str) -> tuple[MQMD, bytes]:
    """A message with so many properties in an MQRFH2."""
    rfh2 = MQRFH2()
    rfh2.format = MQFMT_STRING
    given = "".join(f"<{name}>{value}</{name}>" for name, value in more.items())
    rfh2.folders = [begin + "".join(f"<p{i} dt='i4'>{i}</p{i}>" for i in range(count)) + given + end]
    md = MQMD()
    md.format = MQFMT_RF_HEADER_2
    return md, rfh2.pack() + b"data"


def select(client: Peer, selector: str) -> bytes:
    """The request of an MQOPEN with a selection string."""
    od = MQOD()
    od.version = 4
    od.object_name = QUEUE
    od.selection_string = selector
    return client.request(seg.MQOPEN, od.pack(client.big_endian, client.ccsid) + client.longs(BOTH))


def opened(client: Peer, selector: str) -> int:
    """Open with a selection string; the handle. The work is done."""
    client.session.received(select(client, selector))
    host(client.world).finish()
    reply = client.reply_to(client.received())
    assert reply.reason == 0
    return reply.handle


def test_an_open_with_a_selector_is_answered_when_the_queue_was_evaluated(world: World) -> None:
    """Nothing else of the socket is done or sent meanwhile; others are served. (issue 14, item 3b)"""
    other, client = peer(world), peer(world)
    handle = other.opened(QUEUE, BOTH)
    for number in range(2500):
        assert other.put(handle, b"%d" % number).reason == 0
    world.channels.engine.in_turn = True
    session = client.session
    session.received(select(client, "size > 5"))
    assert session.work is not None and session.paused and not session.may_be_sent(world.qm.log)
    session.received(client.request(seg.MQINQ, client.longs(0, 0, 0), 2))  # What comes too early waits.
    assert len(client.received()) == 1  # The host would not have taken it out.
    assert other.get(handle).data == b"0"
    assert host(world).finish() >= 2
    assert _is_idle(session)
    (early,) = client.received()
    assert early.kind == seg.MQINQ + seg.REPLY
    assert client.get(2).reason == 2033 and world.depth(QUEUE) == 2499


def _is_idle(session: ChannelInstance) -> bool:
    return session.work is None and not session.paused


def test_a_client_that_goes_leaves_its_work(world: World) -> None:
    other, client = peer(world), peer(world)
    handle = other.opened(QUEUE, BOTH)
    for number in range(1500):
        other.put(handle, b"%d" % number)
    client.session.received(select(client, "size > 5"))
    host(world).working[0].work_on(10)
    client.session.lost()
    assert host(world).finish() == 1 and world.qm.queues[QUEUE].selections is None
    world.qm.check()


@pytest.mark.parametrize("selected", ["p4999 = 4999", "color = 'red'"])
def test_a_message_with_very_many_properties_is_put_when_they_were_read(world: World, selected: str) -> None:
    """100,000 properties held everybody up. The put is answered later, others are served. (issue 14, item 3b)"""
    other, client, reader = peer(world), peer(world), peer(world)
    wanted, unwanted = opened(reader, selected), opened(reader, "color = 'blue'")
    handle = client.opened(QUEUE, BOTH)
    md, data = with_properties(5000, color="red")
    client.session.received(client.put_request(handle, data, md=md))
    assert client.session.work is not None and world.depth(QUEUE) == 0
    assert other.put(other.opened(QUEUE, BOTH), b"another").reason == 0
    assert host(world).finish() >= 10
    assert client.reply_to(client.received()).reason == 0 and world.depth(QUEUE) == 2
    assert PREPARED.data is None
    assert reader.get(unwanted).reason == 2033
    assert reader.get(wanted).data == data
    world.qm.check()


def test_a_selector_that_is_opened_later_reads_very_many_properties_in_slices(world: World) -> None:
    client, reader = peer(world), peer(world)
    handle = client.opened(QUEUE, BOTH)
    md, data = with_properties(5000, color="red")
    assert client.put(handle, data, md=md).reason == 0  # Nobody selects: they are not read.
    assert client.put(handle, b"another").reason == 0
    reader.session.received(select(reader, "color = 'red' AND p4999 = 4999"))
    assert host(world).finish() >= 10
    reply = reader.reply_to(reader.received())
    assert reader.get(reply.handle).data == data and reader.get(reply.handle).reason == 2033
    world.qm.check()


def test_a_get_of_a_message_with_very_many_properties_reads_none_of_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROPCTL only needs to know which folders there are."""
    client = peer(world)
    md, data = with_properties(5000)
    _, own = with_properties(5000, "<shop content='properties'>", "</shop>")
    cases = [("COMPAT", data, data), ("COMPAT", own, b"data"), ("ALL", data, data), ("NONE", data, b"data")]
    for control, put, got in cases:
        world.alter("QLOCAL", QUEUE, PROPCTL=control)
        handle = client.opened(QUEUE, BOTH)
        assert client.put(handle, put, md=md).reason == 0
        with monkeypatch.context() as patch:
            patch.setattr("flintmq.mqi.properties.read_folder", None)
            assert client.get(handle).data == got, control


def test_very_many_properties_are_read_in_slices_when_a_get_saves_context(world: World) -> None:
    """Only those of user context are kept; a message that has none is not read at all."""
    client = peer(world)
    handle = client.opened(QUEUE, BOTH | MQOO_SAVE_ALL_CONTEXT)
    md, data = with_properties(3000)
    assert client.put(handle, data, md=md).reason == 0
    assert client.get(handle).data == data and not host(world).working
    md, data = with_properties(3000, end="<user context='user'>yes</user></usr>")
    assert client.put(handle, data, md=md).reason == 0
    client.session.received(client.get_request(handle))
    assert client.session.work is not None and not client.session.may_be_sent(world.qm.log)
    assert host(world).finish() >= 5
    assert client.got(client.received()).data == data
    (connection,) = world.qm.connections.values()
    assert connection.handles[handle].saved_properties.rstrip().endswith(b"<user context='user'>yes</user></usr>")


def test_a_publication_with_very_many_properties_is_selected(world: World) -> None:
    """The properties that a publication has beside those of its header are seen as well."""
    client = peer(world)
    wanted = subscribed(client, "news/#", "color = 'red' AND mqps.Top = 'news/today'")
    unwanted = subscribed(client, "news/#", "color = 'blue'")
    md, data = with_properties(3000, color="red")
    od = MQOD()
    od.version, od.object_type = 4, MQOT_TOPIC
    od.object_string = "news/today"
    pmo = MQPMO()
    body = od.pack(False, 1208) + md.pack(False, 1208) + pmo.pack(False, 1208) + client.longs(len(data)) + data
    client.session.received(client.request(seg.MQPUT1, body))
    assert host(world).finish() >= 5
    assert client.reply_to(client.received()).reason == 0
    assert client.get(unwanted).reason == 2033 and client.get(wanted).data.endswith(b"data")


def subscribed(client: Peer, topic_string: str, selector: str) -> int:
    """MQSUB; the handle of the managed queue."""
    sd = MQSD()
    sd.options = MQSO_CREATE | MQSO_MANAGED
    sd.object_string, sd.selection_string = topic_string, selector
    reply = client.call(seg.MQSUB, client.longs(0, 0) + sd.pack(False, 1208), -1)
    assert reply.reason == 0
    return reply.handle


def test_a_subscription_over_many_retained_publications_is_answered_when_they_are_on_its_queue(world: World) -> None:
    """(issue 14, item 3b)"""
    other, client = peer(world), peer(world)
    for number in range(400):
        od, pmo = MQOD(), MQPMO()
        od.version, od.object_type, od.object_string = 4, MQOT_TOPIC, f"many/{number}"
        pmo.options = MQPMO_RETAIN
        body = od.pack(False, 1208) + MQMD().pack(False, 1208) + pmo.pack(False, 1208) + other.longs(1) + b"x"
        assert other.call(seg.MQPUT1, body).reason == 0
    sd = MQSD()
    sd.options = MQSO_CREATE | MQSO_MANAGED
    sd.object_string = "many/#"
    client.session.received(client.request(seg.MQSUB, client.longs(0, 0) + sd.pack(False, 1208), -1))
    assert client.session.work is not None and not client.unsent()
    assert host(world).finish() >= 4
    reply = client.reply_to(client.received())
    assert reply.reason == 0 and MQSD.unpack(reply.body, 8, False, 1208).res_object_string == "many/#"
    for _ in range(400):
        assert client.get(reply.handle).reason == 0
    assert client.get(reply.handle).reason == 2033
