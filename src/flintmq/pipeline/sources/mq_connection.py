"""The connection of the source and the sink `mq` to a queue manager, over the network client.

    browse     messages of a queue from its beginning, or from a position on; nothing is taken
    remove     the messages at given positions, without their data, in units of work of bounded length
    Branch     puts in an XA branch: start, put, prepare
    branches   those that are in doubt; resolve commits one or rolls it back

Exchanges are few, so that the cost of a message is its own and not that of the wire. A FlintMQ queue manager does many
messages in one call (client/remote/bulk.py): its answer becomes a Chunk without a copy, and rows that differ in their
bodies only are put as they stand in the Arrow batch. Any other queue manager, and a channel without shared
conversations (SHARECNV(0)), gets one MQGET or MQPUT for each; puts are not waited for where conversations may share the
socket (MQPMO_ASYNC_RESPONSE). MQSTAT is asked before a branch is prepared: it must know of as many puts as were made.

A position is the second half of the token of a message: the number that a FlintMQ queue manager gives it when it is
put. Another queue manager has tokens of another kind: `browse` says so when it meets one (its first half names the
queue, and the second half of messages of one priority must grow).
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

import flintmq
from flintmq.client.remote import bulk
from flintmq.client.remote.connect import Options
from flintmq.client.remote.steps import RemoteHandle
from flintmq.mqi import constants as mq
from flintmq.mqi.call_errors import MQError, NotConnected, error_of
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQCC_FAILED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OBJECT_IN_USE,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.sd import MQSD
from flintmq.mqi.xid import (
    TMNOFLAGS,
    TMONEPHASE,
    TMSTARTRSCAN,
    TMSUCCESS,
    XA_HEURCOM,
    XA_HEURRB,
    XA_OK,
    XA_RDONLY,
    XAER_NOTA,
)
from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.mq_chunk import ALL, PLACES, Chunk, Got, of_browsed, of_messages
from flintmq.pipeline.sources.mq_columns import Alike, Outgoing
from flintmq.pipeline.sources.mq_offset import Member, Range, count_of, positions_of, ranges_of
from flintmq.pipeline.sources.mq_options import Place
from flintmq.wire.mq import segment
from flintmq.wire.mq.bulk import BYTES_MAX, MESSAGES_MAX

APPLICATION = "flintmq spark"
#: Messages of one unit of work of `remove`: fewer than MAXUMSGS is anywhere, many enough for the log.
REMOVED_AT_ONCE = 1_000
_IN_USE_WAIT_S = 20.0
_PAUSE_S = 0.05
_RECOVERED_AT_ONCE = 100
_BROWSE = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_INQUIRE | mq.MQOO_NO_READ_AHEAD
_FIRST = mq.MQGMO_BROWSE_FIRST
_BROWSING = mq.MQGMO_NO_WAIT | mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_FAIL_IF_QUIESCING
_HALF = 8
_LONG_BIG, _LONG_LITTLE = struct.Struct(">i"), struct.Struct("<i")


def parts_of(ranges: list[Range], most: int) -> Iterator[list[Range]]:
    """Divide ranges into parts of at most `most` positions."""
    part: list[Range] = []
    room = most
    for first, last in ranges:
        while first <= last:
            until = min(last, first + room - 1)
            part.append((first, until))
            room -= until - first + 1
            first = until + 1
            if not room:
                yield part
                part, room = [], most
    if part:
        yield part


class Refused(PipelineError):
    """The queue manager cannot serve the source or the sink. The text says why, where, and how to correct it."""


def connect(place: Place) -> flintmq.RemoteQueueManager:
    """Connect to the queue manager of a place. Raises Refused, or BadOption for a password that is missing."""
    # A connection that was lost is not made again under way: messages seen through it may be gone.
    options: Options = {"application": APPLICATION, "reconnect": "no"}
    if place.channel:
        options["channel"], options["conn"] = place.channel, place.conn
    if place.user:
        options["user"] = place.user
    secret = place.secret()
    if secret:
        options["password"] = secret
    if place.ccdt:
        options["ccdt"] = place.ccdt
    if place.cipher_spec:
        options["cipher_spec"] = place.cipher_spec
    if place.key_repository:
        options["key_repository"] = place.key_repository
    name = place.queue_manager
    if place.data_directory:
        name = f"{place.data_directory.rstrip('/')}/qmgrs/{name}"
    try:
        return flintmq.connect(name, **options)
    except (MQError, ValueError) as error:
        raise Refused(f"mq: {_one_line(error)}") from None


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


class MQConnection:
    """A connection of one task, or of the driver, to a queue manager."""

    def __init__(self, place: Place) -> None:
        self._qm = connect(place)
        self.mqi = self._qm.mqi
        self._handles: dict[tuple[str, int], RemoteHandle] = {}
        self._in_bulk: bool | None = None

    def __enter__(self) -> MQConnection:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; work that is not committed or prepared is backed out. A second close does nothing."""
        self._handles.clear()
        if self.mqi.has_work:
            self.mqi.wire.drop()
        self._qm.close()

    @property
    def name(self) -> str:
        return self._qm.name

    @property
    def big_endian(self) -> bool:
        """Return the byte order of numbers in descriptors."""
        return self.mqi.wire.session.big_endian

    @property
    def ccsid(self) -> int:
        """Return the character set of descriptors."""
        return self.mqi.wire.session.ccsid

    @property
    def shared(self) -> bool:
        """Return whether conversations may share the socket: streams and puts without a reply need that."""
        return self.mqi.wire.session.shared

    @property
    def in_bulk(self) -> bool:
        """Return whether the queue manager handles many messages in one call."""
        if self._in_bulk is None:
            try:
                self._in_bulk = bulk.offered(self.mqi.wire)
            except MQError as error:
                raise Refused(f"mq: {self.name}: {_one_line(error)}") from None
        return self._in_bulk

    def open(self, queue: str, options: int, wait_s: float = 0.0) -> RemoteHandle:
        """Open a queue and keep the handle; wait for one that is open for exclusive use. Raises Refused."""
        known = self._handles.get((queue, options))
        if known is not None and known.open:
            return known
        until = time.monotonic() + wait_s
        while True:
            od = MQOD()
            od.object_name = queue
            try:
                handle = self._handles[queue, options] = self.mqi.open(od, options | mq.MQOO_FAIL_IF_QUIESCING)
                return handle
            except MQError as error:
                if error.reason != MQRC_OBJECT_IN_USE or time.monotonic() >= until:
                    self._refuse(queue, error)
            time.sleep(_PAUSE_S)

    def release(self, queue: str, options: int) -> None:
        """Close a handle that is kept."""
        handle = self._handles.pop((queue, options), None)
        if handle is not None:
            self.mqi.close(handle)

    def _refuse(self, queue: str, error: MQError) -> NoReturn:
        hint = ""
        if error.reason == MQRC_OBJECT_IN_USE:
            hint = ": another application has it open; the reader of a stream must be the only one (option shared)"
        elif error.reason == MQRC_UNKNOWN_OBJECT_NAME:
            hint = f": define it first, DEFINE QLOCAL({queue})"
        raise Refused(f"mq: queue {queue} of {self.name}: {_one_line(error)}{hint}") from None

    def hold(self, queue: str) -> None:
        """Open the queue for exclusive input, as long as this connection is open."""
        self.open(queue, mq.MQOO_INPUT_EXCLUSIVE, _IN_USE_WAIT_S)

    def queue_of(self, topic: str, subscription: str) -> str:
        """Return the queue of a durable subscription.

        A subscription that does not exist is made, with a managed queue, if there is a topic.
        """
        sd = MQSD()
        sd.object_string, sd.sub_name = topic, subscription
        sd.options = mq.MQSO_RESUME | mq.MQSO_DURABLE | mq.MQSO_FAIL_IF_QUIESCING
        if topic:
            sd.options |= mq.MQSO_CREATE | mq.MQSO_MANAGED
        try:
            hobj, hsub = self.mqi.sub(sd)
            name = self.mqi.inq(hobj, [mq.MQCA_Q_NAME]).characters[0].rstrip()
            self.mqi.close(hsub, mq.MQCO_KEEP_SUB)
            self.mqi.close(hobj)
        except MQError as error:
            raise Refused(f"mq: subscription {subscription} of {self.name}: {_one_line(error)}") from None
        return name

    # -- browse -------------------------------------------------------------------------------------------------------

    def browse(self, queue: str, start: int = 0, prefix: bytes = b"", wanted: int = ALL) -> Iterator[Chunk]:
        """Yield the messages of a queue in its order: from its beginning or from the one at `start`.

        `prefix` is the first half of the token of `start`. If there is no message at `start`, nothing is yielded.
        `wanted` (mq_chunk.py) selects the parts of each message.
        """
        token = prefix + start.to_bytes(_HALF, "big") if start else b""
        options = _FIRST
        browsed = self._browsed_many if self.in_bulk else self._browsed_singly
        while True:
            chunk, ends = browsed(queue, options, wanted, token)
            if len(chunk):
                yield chunk
            if ends:
                return
            options, token = mq.MQGMO_BROWSE_NEXT, b""

    def _browsed_many(self, queue: str, options: int, wanted: int, token: bytes) -> tuple[Chunk, bool]:
        """Browse many messages in one call; return them, and whether they end the queue."""
        handle = self.open(queue, _BROWSE)
        try:
            found = bulk.browse(self.mqi.wire, handle.number, wanted, options | _BROWSING, MESSAGES_MAX, token)
            return of_browsed(found, wanted), found.ends
        except MQError as error:
            self._refuse(queue, error)
        except ValueError as error:
            raise Refused(f"mq: queue {queue} of {self.name}: {error}") from None

    def _browsed_singly(self, queue: str, options: int, wanted: int, token: bytes) -> tuple[Chunk, bool]:
        """Browse many messages with a call for each; return them, and whether they end the queue."""
        got: list[Got] = []
        size = 0
        while len(got) < MESSAGES_MAX and size < BYTES_MAX:
            found = self._browsed(queue, options, wanted != PLACES, token)
            if found is None:
                return of_messages(got, self.big_endian), True
            got.append(found)
            size += len(found[2])
            options, token = mq.MQGMO_BROWSE_NEXT, b""
        return of_messages(got, self.big_endian), False

    def _browsed(self, queue: str, options: int, data: bool, token: bytes) -> Got | None:
        """Browse one message by MQGET; None at the end of the queue."""
        md, gmo = MQMD(), MQGMO()
        md.version, gmo.version = 2, 3
        gmo.options = options | _BROWSING | (0 if data else mq.MQGMO_ACCEPT_TRUNCATED_MSG)
        gmo.match_options = 0
        if token:
            gmo.match_options, gmo.msg_token = mq.MQMO_MATCH_MSG_TOKEN, token
        try:
            found = self.mqi.get(self.open(queue, _BROWSE), md, gmo, -1 if data else 0)
        except MQError as error:
            if error.reason == MQRC_NO_MSG_AVAILABLE:
                return None
            self._refuse(queue, error)
        md.version = 2
        session = self.mqi.wire.session
        return self._position(queue, gmo.msg_token), md.pack(session.big_endian, session.ccsid), found

    def _position(self, queue: str, token: bytes) -> int:
        if not any(token):
            raise Refused(
                f"mq: queue {queue} of {self.name}: its messages have no tokens; "
                "the source needs a FlintMQ queue manager, whose tokens have positions"
            )
        return int.from_bytes(token[_HALF:], "big")

    def prefix_of(self, queue: str) -> bytes:
        """Return the first half of the tokens of messages of this queue; b"" if it is empty."""
        handle = self.open(queue, _BROWSE)
        md, gmo = MQMD(), MQGMO()
        gmo.version = 3
        gmo.options = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_NO_WAIT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
        gmo.match_options = 0
        try:
            self.mqi.get(handle, md, gmo, 0)
        except MQError as error:
            if error.reason == MQRC_NO_MSG_AVAILABLE:
                return b""
            self._refuse(queue, error)
        return gmo.msg_token[:_HALF]

    # -- remove -------------------------------------------------------------------------------------------------------

    def remove(self, queue: str, ranges: list[Range], newest: str, sure: bool) -> int:
        """Take the messages at these positions off the queue, except those put after `newest`; return their number.

        Positions without a message are passed over, so that this may be repeated after an interruption. `sure`: the
        messages were seen through this connection, so no others can stand in their places (S5).
        """
        if not ranges:
            return 0
        prefix = self.prefix_of(queue)
        if not prefix:
            return 0
        if not sure:
            ranges = self.on_queue(queue, ranges, newest)
        return sum(self._take(queue, prefix, part) for part in parts_of(ranges, REMOVED_AT_ONCE))

    def on_queue(self, queue: str, ranges: list[Range], newest: str) -> list[Range]:
        """Return those of the positions that have a message that was not put after `newest`."""
        wanted, most = Member(ranges), count_of(ranges)
        found: list[int] = []
        for chunk in self.browse(queue, wanted=PLACES):
            assert chunk.put_at is not None
            mask = wanted.mask(chunk.positions) & (chunk.put_at <= newest.encode("latin-1"))
            found += chunk.positions[mask].tolist()
            if len(found) >= most:
                break
        return ranges_of(found)

    def _take(self, queue: str, prefix: bytes, ranges: list[Range]) -> int:
        """Get messages in a unit of work, and commit it; how many were there."""
        handle = self._handles.get((queue, mq.MQOO_INPUT_EXCLUSIVE)) or self.open(queue, mq.MQOO_INPUT_SHARED)
        if not self.in_bulk:
            return self._take_singly(queue, handle, prefix, positions_of(ranges).tolist())
        self.mqi.has_work = True
        try:
            taken = bulk.get(self.mqi.wire, handle.number, mq.MQGMO_SYNCPOINT, prefix, ranges)
            self.mqi.cmit()
        except MQError as error:
            self._refuse(queue, error)
        return taken

    def _take_singly(self, queue: str, handle: RemoteHandle, prefix: bytes, positions: list[int]) -> int:
        gmo = MQGMO()
        gmo.version = 3
        gmo.options = mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_WAIT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
        gmo.match_options = mq.MQMO_MATCH_MSG_TOKEN
        taken = 0
        for position in positions:
            gmo.msg_token = prefix + position.to_bytes(_HALF, "big")
            try:
                self.mqi.get(handle, MQMD(), gmo, 0)
                taken += 1
            except MQError as error:
                if error.reason != MQRC_NO_MSG_AVAILABLE:
                    self._refuse(queue, error)
        self.asked(self.mqi.cmit)
        return taken

    # -- XA -----------------------------------------------------------------------------------------------------------

    def asked(self, call: Callable[[], None]) -> None:
        """Run a call and report a refusal in one line."""
        try:
            call()
        except MQError as error:
            raise Refused(f"mq: {self.name}: {_one_line(error)}") from None

    def branches(self) -> list[bytes]:
        """Return the branches that are in doubt, or were resolved by an administrator, as packed xids."""
        found: list[bytes] = []
        flags = TMSTARTRSCAN
        try:
            while True:
                code, xids = self.mqi.xa_recover(_RECOVERED_AT_ONCE, flags)
                if code != XA_OK:
                    raise Refused(f"mq: {self.name}: xa_recover answers {code}")
                found += xids
                flags = TMNOFLAGS
                if len(xids) < _RECOVERED_AT_ONCE:
                    return found
        except MQError as error:
            raise Refused(f"mq: {self.name}: {_one_line(error)}") from None

    def xa_call(self, call: Callable[[bytes, int], int], xid: bytes, flags: int, *allowed: int) -> int:
        """Make one XA call about a branch; return its code, XA_OK or one of `allowed`. Raises Refused."""
        try:
            code = call(xid, flags)
        except MQError as error:
            raise Refused(f"mq: {self.name}: {_one_line(error)}") from None
        if code != XA_OK and code not in allowed:
            raise Refused(f"mq: {self.name}: {call.__name__} of branch {xid.hex()} answers {code}")
        return code

    def resolve(self, xid: bytes, commit: bool) -> None:
        """Commit a branch that is in doubt, or roll it back. One that is no longer known was resolved already."""
        call = self.mqi.xa_commit if commit else self.mqi.xa_rollback
        code = self.xa_call(call, xid, TMNOFLAGS, XAER_NOTA, XA_HEURCOM, XA_HEURRB)
        if code in (XA_HEURCOM, XA_HEURRB):
            self.xa_call(self.mqi.xa_forget, xid, TMNOFLAGS)
            if (code == XA_HEURCOM) != commit:
                done, wanted = ("committed", "rolled back") if not commit else ("rolled back", "committed")
                raise Refused(f"mq: {self.name}: branch {xid.hex()} was {done} by an administrator, not {wanted}")


class Branch:
    """Puts that belong to one XA branch."""

    def __init__(self, connection: MQConnection, xid: bytes) -> None:
        self._connection = connection
        self.xid = xid
        self.count = 0
        session = connection.mqi.wire.session
        pmo = MQPMO()
        pmo.version = 1
        pmo.options = mq.MQPMO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
        pmo.options |= mq.MQPMO_ASYNC_RESPONSE if connection.shared else 0
        self._options = pmo.pack(session.big_endian, session.ccsid)
        pmo.options |= mq.MQPMO_NEW_MSG_ID
        self._options_new = pmo.pack(session.big_endian, session.ccsid)
        self._long = _LONG_BIG if session.big_endian else _LONG_LITTLE
        self._most = session.terms.max_message_size
        connection.xa_call(connection.mqi.xa_start, xid, TMNOFLAGS)

    def put(self, message: Outgoing) -> None:
        """Put a message. Raises Refused; the refusal of a queue may be known only when the branch is prepared."""
        connection = self._connection
        data = message.data
        if len(data) > self._most:
            self._too_long(len(data))
        handle = connection.open(message.queue, mq.MQOO_OUTPUT)
        options = self._options_new if message.new_id else self._options
        body = b"".join((message.descriptor, options, self._long.pack(len(data)), data))
        try:
            if connection.shared:
                connection.mqi.wire.send(segment.MQPUT, handle.number, body)
            else:
                answer = connection.mqi.wire.call(segment.MQPUT, handle.number, body)
                if answer.completion == MQCC_FAILED:
                    self._failed(message.queue, answer.reason)
        except NotConnected as error:
            raise Refused(f"mq: {connection.name}: {_one_line(error)}") from None
        connection.mqi.has_work = True
        self.count += 1

    def put_alike(self, alike: Alike, start: int, stop: int) -> None:
        """Put rows `start` to `stop` of some that differ in their bodies only. Raises Refused, as `put`."""
        connection, lengths = self._connection, alike.lengths
        if int(lengths[start:stop].max(initial=0)) > self._most:
            self._too_long(int(lengths[start:stop].max()))
        handle = connection.open(alike.queue, mq.MQOO_OUTPUT)
        options = self._options_new if alike.new_id else self._options
        order = ">i4" if connection.big_endian else "<i4"
        room = min(BYTES_MAX, self._most)
        while start < stop:
            begin = int(alike.offsets[start])
            end = int(alike.offsets.searchsorted(begin + room, "right")) - 1
            end = min(max(end, start + 1), start + MESSAGES_MAX, stop)
            data = alike.data[begin : int(alike.offsets[end])]
            sizes = lengths[start:end].astype(order).tobytes()
            try:
                bulk.put(connection.mqi.wire, handle.number, alike.descriptor, options, end - start, sizes, data)
            except NotConnected as error:
                raise Refused(f"mq: {connection.name}: {_one_line(error)}") from None
            connection.mqi.has_work = True
            self.count += end - start
            start = end

    def _too_long(self, length: int) -> NoReturn:
        raise Refused(f"mq: a message of {length} bytes is longer than the channel allows ({self._most})")

    def _failed(self, queue: str, reason: int) -> NoReturn:
        hint = ": raise MAXUMSGS, or lower the option branchMessages" if reason == MQRC_SYNCPOINT_LIMIT_REACHED else ""
        name = self._connection.name
        raise Refused(f"mq: queue {queue} of {name}: {_one_line(error_of(reason))}{hint}")

    def _ended(self) -> None:
        """End the puts of the branch; raise Refused if one of them failed."""
        connection = self._connection
        if connection.shared:
            try:
                status = connection.mqi.stat(mq.MQSTAT_TYPE_ASYNC_ERROR)
            except MQError as error:
                raise Refused(f"mq: {connection.name}: {_one_line(error)}") from None
            if status.put_failure_count:
                self._failed(status.object_name, status.reason)
            known = status.put_success_count + status.put_warning_count
            if known != self.count:
                raise Refused(f"mq: {connection.name} knows of {known} puts of a branch with {self.count}")
        connection.xa_call(connection.mqi.xa_end, self.xid, TMSUCCESS)

    def prepare(self) -> bool:
        """Promise to commit or to roll back; the promise outlives a crash. False if there was nothing to promise."""
        connection = self._connection
        self._ended()
        code = connection.xa_call(connection.mqi.xa_prepare, self.xid, TMNOFLAGS, XA_RDONLY)
        connection.mqi.has_work = False
        return code == XA_OK

    def commit(self) -> None:
        """Commit the branch in one phase: all of its puts, or none."""
        connection = self._connection
        self._ended()
        connection.xa_call(connection.mqi.xa_commit, self.xid, TMONEPHASE)
        connection.mqi.has_work = False
