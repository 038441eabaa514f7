"""A client for tests, without a socket: it writes segments into a ChannelInstance and reads what comes out.

It speaks the protocol by hand, byte order and character set as chosen, so that a mistake in our codecs is not repeated
on both sides where that can be helped: headers are written with `struct` here.
"""

from __future__ import annotations

import struct

from flintmq.host import lifecycle
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import Calls
from flintmq.wire.endpoint import next_ready
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.channel_instance import ChannelInstance
from flintmq.wire.mq.initial_data import InitialData
from flintmq.wire.mq.segment import Segment, Splitter
from flintmq.wire.mq.server import Channels
from flintmq.wire.mq.terms import Gatekeeper

GMO_SIZES = {1: 72, 2: 80, 3: 100, 4: 112}


class World:
    """A queue manager in memory, and its channels."""

    def __init__(self) -> None:
        self.qm: Calls
        options = lifecycle.CreateOptions(developer=True)
        self.qm, self.storage = lifecycle.create_in_memory("QM1", options)
        self.admin = Admin(self.qm)
        self.channels = Channels(self.qm, Gatekeeper(), 4711)
        self.qm.in_turn = True  # All that happens in the tests of this room is a turn.

    def peer(self, **options: object) -> Peer:
        """A client that has not said anything yet."""
        return Peer(self, **options)  # type: ignore[arg-type]

    def connected(self, **options: object) -> Peer:
        """A client that is connected."""
        peer = self.peer(**options)
        peer.agree()
        peer.connect()
        return peer

    def alter(self, kind: str, name: str, **values: int | str) -> None:
        assert self.admin.alter(kind, name, dict(values), False) == 0

    def depth(self, queue: str) -> int:
        return self.qm.queues[queue].current_depth()


class Reply:
    """An answer to a call."""

    def __init__(self, segments: list[Segment], big_endian: bool) -> None:
        self.segments = segments
        self.kind = segments[0].kind
        body = b"".join(each.body for each in segments)
        self.length = struct.unpack_from(">I", body)[0]
        order = ">" if big_endian else "<"
        self.completion: int
        self.reason: int
        self.handle: int
        self.completion, self.reason, self.handle = struct.unpack_from(order + "iii", body, 4)
        self.body = body[16:]
        self.data = b""
        self.md = MQMD()


class Peer:
    """One socket's client."""

    def __init__(
        self,
        world: World,
        channel: str = "DEV.APP.SVRCONN",
        big_endian: bool = False,
        ccsid: int = 1208,
        sharing: int = 10,
        fap: int = 17,
        address: str = "127.0.0.1(50000)",
    ) -> None:
        self.world = world
        self.session: ChannelInstance = world.channels.instance(address)
        self.channel = channel
        self.big_endian = big_endian
        self.ccsid = ccsid
        self.sharing = sharing
        self.fap = fap
        self.shared = False
        self.conversation = 1
        self.segments: list[Segment] = []
        self.sent = b""
        self._splitter = Splitter()
        self._order = ">" if big_endian else "<"

    # -- bytes --------------------------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> list[Segment]:
        """Send bytes; what has come back since the last time."""
        self.sent += data
        self.session.received(data)
        self.world.channels.host.turn()
        return self.received()

    def unsent(self) -> bytes:
        """What will come back the next time."""
        return b"".join(self.session.several) or self.session.out

    def received(self) -> list[Segment]:
        """What has come back since the last time."""
        out = self.session.take_out()
        while next_ready(self.world.channels.host) is not None:
            pass
        self.segments = self._splitter.feed(out)
        return self.segments

    def header(self, kind: int, flags: int, length: int, request: int = 0, plain: bool = False) -> bytes:
        """A header for a segment with `length` bytes behind it."""
        order = 1 if self.big_endian else 2
        tail = struct.pack(self._order + "IHH", 273 if self.big_endian else 546, self.ccsid, 0)
        middle = bytes([order, kind, flags, 0]) + bytes(8) + tail
        if self.shared and not plain:
            return struct.pack(">4sIII", b"TSHM", length + 36, self.conversation, request) + middle
        return struct.pack(">4sI", b"TSH ", length + 28) + middle

    def segment(self, kind: int, body: bytes, flags: int = seg.ONLY, request: int = 0) -> bytes:
        return self.header(kind, flags, len(body), request) + body

    def longs(self, *values: int) -> bytes:
        return struct.pack(f"{self._order}{len(values)}i", *values)

    # -- connecting ---------------------------------------------------------------------------------------------------

    def offer(self) -> InitialData:
        """What this client would like."""
        offer = InitialData()
        offer.fap_level = self.fap
        offer.cap_flags_1, offer.cap_flags_2, offer.cap_flags_3 = 0x26, 0x51, 0x28
        offer.max_transmission_size, offer.max_message_size = 32748, 104_857_600
        offer.heartbeat_interval = 1
        offer.conversations_per_socket = self.sharing
        offer.channel_name = self.channel
        offer.ccsid = self.ccsid
        offer.q_mgr_name = "QM1"
        offer.product_id = "MQJB09040500"
        return offer

    def propose(self, offer: InitialData) -> list[Segment]:
        body = offer.pack(self.big_endian, self.ccsid)
        return self.feed(self.header(seg.INITIAL_DATA, 0x31, len(body)) + body)

    def agree(self) -> InitialData:
        """Negotiate, as clients do: offer, look at the answer, offer what was answered. What was agreed."""
        offer = self.offer()
        (answered,) = self.propose(offer)
        answer = InitialData.unpack(answered.body, answered.big_endian, answered.ccsid)
        if answered.flags & seg.ERROR:
            self.shared = answer.conversations_per_socket > 0
            offer.fap_level, offer.cap_flags_3 = answer.fap_level, 0x20
            offer.max_message_size = answer.max_message_size
            offer.heartbeat_interval = answer.heartbeat_interval
            offer.conversations_per_socket = answer.conversations_per_socket
            (answered,) = self.propose(offer)
            answer = InitialData.unpack(answered.body, answered.big_endian, answered.ccsid)
        self.shared = answer.conversations_per_socket > 0
        assert not answered.flags & seg.ERROR
        return answer

    def connect(self, name: str = "QM1", user: str = "app", password: str = "") -> Reply:
        """USERID_DATA, CONAUTH_INFO if there is a password, MQCONN."""
        self.say_user(user)
        if password:
            given = user.encode(_codec(self.ccsid)) + password.encode(_codec(self.ccsid))
            body = self.text("CAUT", 4) + self.longs(1, len(user), len(password), len(user), len(password)) + given
            (answer,) = self.feed(self.segment(seg.CONAUTH_INFO, body))
            assert answer.kind == seg.STATUS_DATA and answer.body == self.longs(8, 0)
        return self.mqconn(name)

    def say_user(self, user: str, password: str = "") -> None:
        """USERID_DATA; with a password as a client in compatibility mode sends it."""
        uid = self.text("UID", 4) + self.text(user, 12) + self.text(password, 12) + self.text(user, 64) + bytes(40)
        self.feed(self.segment(seg.USERID_DATA, uid))

    def mqconn(self, name: str = "QM1") -> Reply:
        """MQCONN."""
        body = self.text(name, 48) + self.text("peer", 28) + self.longs(28) + bytes(32) + self.longs(3, 0)
        body += self.text("FCNO", 4) + self.longs(2, 0) + bytes(200)
        return self.call(seg.MQCONN, body)

    def text(self, text: str, length: int) -> bytes:
        return text.ljust(length).encode(_codec(self.ccsid))

    def start_conversation(self, number: int) -> list[Segment]:
        """SOCKET_ACTION: another conversation, which this client uses from now on."""
        body = self.longs(number, 0, 1, 0, 0)
        answer = self.feed(self.header(seg.SOCKET_ACTION, 0x30, len(body), plain=True).replace(b"TSH ", b"TSHC") + body)
        self.conversation = number
        return answer

    # -- calls --------------------------------------------------------------------------------------------------------

    def call(self, kind: int, body: bytes, handle: int = 0) -> Reply:
        """A call, and its reply."""
        return self.reply_to(self.feed(self.request(kind, body, handle)))

    def request(self, kind: int, body: bytes, handle: int = 0, room: int = 32748 - 36) -> bytes:
        """A call in as many segments as it takes."""
        whole = struct.pack(">I", len(body) + 44) + self.longs(0, 0, handle) + body
        parts = [whole[start : start + room] for start in range(0, len(whole), room)]
        out = b""
        for number, part in enumerate(parts):
            flags = (seg.FIRST if number == 0 else 0) | (seg.LAST if number == len(parts) - 1 else 0)
            out += self.segment(kind, part, flags)
        return out

    def reply_to(self, segments: list[Segment]) -> Reply:
        assert segments, "there is no reply"
        return Reply(segments, self.big_endian)

    def open(self, name: str, options: int) -> Reply:
        od = MQOD()
        od.object_name = name
        body = od.pack(self.big_endian, self.ccsid) + self.longs(options)
        body += self.text("FOPA", 4) + self.longs(2, 84, -1, -1, -1, -1) + bytes(56)
        return self.call(seg.MQOPEN, body)

    def opened(self, name: str, options: int) -> int:
        """Open; the handle."""
        reply = self.open(name, options)
        assert reply.reason == 0
        return reply.handle

    def put(self, handle: int, data: bytes, options: int = 4, md: MQMD | None = None) -> Reply:
        reply = self.reply_to(self.feed(self.put_request(handle, data, options, md)))
        if reply.completion != 2:
            reply.md = MQMD.unpack(reply.body, 0, self.big_endian, self.ccsid)
        return reply

    def put_request(self, handle: int, data: bytes, options: int = 4, md: MQMD | None = None) -> bytes:
        md = md or MQMD()
        pmo = MQPMO()
        pmo.options = options
        body = md.pack(self.big_endian, self.ccsid) + pmo.pack(self.big_endian, self.ccsid)
        return self.request(seg.MQPUT, body + self.longs(len(data)) + data, handle)

    def get_request(self, handle: int, options: int = 4, length: int = 1 << 20, wait: int = 0) -> bytes:
        md, gmo = MQMD(), MQGMO()
        md.version = 2
        gmo.options, gmo.wait_interval = options, wait
        body = md.pack(self.big_endian, self.ccsid) + gmo.pack(self.big_endian, self.ccsid)
        return self.request(seg.MQGET, body + self.longs(length), handle)

    def get(self, handle: int, options: int = 4, length: int = 1 << 20, wait: int = 0) -> Reply:
        return self.got(self.feed(self.get_request(handle, options, length, wait)))

    def got(self, segments: list[Segment], version: int = 1) -> Reply:
        """The reply to a get."""
        reply = self.reply_to(segments)
        reply.md = MQMD.unpack(reply.body, 0, self.big_endian, self.ccsid)
        at = 364 + GMO_SIZES[version]
        reply.length = struct.unpack_from(self._order + "i", reply.body, at)[0]
        reply.data = reply.body[at + 4 :]
        return reply

    def close(self, handle: int, options: int = 0) -> Reply:
        return self.call(seg.MQCLOSE, self.longs(options), handle)

    def commit(self) -> Reply:
        return self.call(seg.MQCMIT, b"")

    def backout(self) -> Reply:
        return self.call(seg.MQBACK, b"")

    def disconnect(self) -> Reply:
        return self.call(seg.MQDISC, b"")

    # -- streams ------------------------------------------------------------------------------------------------------

    def want(
        self, handle: int, room: int = 1, options: int = 4, flags: int = 0x18, wait: int = 0, received: int = 0,
        confirm: bool = False, length: int = -1, index: int = 0, status: int = 0,
    ) -> list[Segment]:  # fmt: skip
        """REQUEST_MSGS, with a selection that matches anything if `flags` has one."""
        return self.feed(
            self.want_request(handle, room, options, flags, wait, received, confirm, length, index, status)
        )

    def want_request(
        self, handle: int, room: int = 1, options: int = 4, flags: int = 0x18, wait: int = 0, received: int = 0,
        confirm: bool = False, length: int = -1, index: int = 0, status: int = 0,
    ) -> bytes:  # fmt: skip
        body = self.longs(1, handle, received, room, length, options, wait, status, flags, index)
        if flags & 0x10:
            body += struct.pack(self._order + "HH", 5, 2) + self.longs(self.ccsid, 546, 0, 0, 0)
        return self.segment(seg.REQUEST_MSGS, body, 0x31 if confirm else 0x30, 3 if confirm else 1)

    def notify(self, handle: int, code: int, value: int, confirm: bool = False) -> list[Segment]:
        body = self.longs(1, handle, code, value)
        return self.feed(self.segment(seg.NOTIFICATION, body, 0x31 if confirm else 0x30, 3 if confirm else 1))


def _codec(ccsid: int) -> str:
    return {1208: "utf-8", 819: "latin-1", 500: "cp500", 437: "cp437"}[ccsid]
