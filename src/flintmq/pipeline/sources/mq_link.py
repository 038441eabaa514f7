"""What the source and the sink `mq` ask of a queue manager, over one connection of the network client.

    browse     messages of a queue from its beginning, or from a position on; nothing is taken
    remove     the messages at given positions, without their data, in units of work of bounded length
    Branch     puts in an XA branch: start, put, prepare
    branches   those that are in doubt; resolve commits one or rolls it back

A position is the second half of the token of a message: the number that a FlintMQ queue manager gives it when it is
put. Another queue manager has tokens of another kind: `browse` says so when it meets one (its first half names the
queue, and the second half of messages of one priority must grow).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, NoReturn

import flintmq
from flintmq.client.errors import MQError, NotConnected
from flintmq.client.remote.connect import Options as ConnectOptions
from flintmq.client.remote.steps import RemoteHandle
from flintmq.mqi import constants as mq
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import (
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OBJECT_IN_USE,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from flintmq.mqi.sd import MQSD
from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.sources.mq_columns import PUT_AT, Outgoing
from flintmq.pipeline.sources.mq_offset import Member, Range
from flintmq.pipeline.sources.mq_options import Place
from flintmq.qmgr import xa

APPLICATION = "flintmq spark"
#: Messages of one unit of work of `remove`: few enough for any MAXUMSGS, many enough for the log.
REMOVED_AT_ONCE = 1_000
_IN_USE_WAIT_S = 20.0
_PAUSE_S = 0.05
_RECOVERED_AT_ONCE = 100
_BROWSE = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING | mq.MQOO_INQUIRE
_HALF = 8


class Got(NamedTuple):
    """A message that was browsed: its MQMD, version 2, as it is on the wire."""

    position: int
    descriptor: bytes
    data: bytes

    @property
    def put_at(self) -> str:
        """PutDate and PutTime, one behind the other: later is greater."""
        return self.descriptor[PUT_AT].decode("latin-1")


class Refused(PipelineError):
    """The queue manager does not do what the source or the sink needs. The text says what, where and what to do."""


def connect(place: Place) -> flintmq.RemoteQueueManager:
    """Raises Refused, or BadOption for a password that is not there."""
    options: ConnectOptions = {"application": APPLICATION}
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


class Link:
    """One connection, for one task or for the driver."""

    def __init__(self, place: Place) -> None:
        self._qm = connect(place)
        self.mqi = self._qm.mqi
        self._handles: dict[tuple[str, int], RemoteHandle] = {}

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """What is not committed or prepared is backed out. A second close does nothing."""
        self._handles.clear()
        if self.mqi.has_work:
            self.mqi.wire.drop()
        self._qm.close()

    @property
    def name(self) -> str:
        return self._qm.name

    @property
    def big_endian(self) -> bool:
        """How the numbers in descriptors stand."""
        return False

    def open(self, queue: str, options: int, wait_s: float = 0.0) -> RemoteHandle:
        """A handle of a queue, kept; one that somebody else has open is waited for. Raises Refused."""
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
        """Be the only one who gets from the queue, as long as this link is open."""
        self.open(queue, mq.MQOO_INPUT_EXCLUSIVE, _IN_USE_WAIT_S)

    def queue_of(self, topic: str, subscription: str) -> str:
        """The queue of a durable subscription; it is made, with a managed queue, if it is not there and has a topic."""
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

    def browse(self, queue: str, start: int = 0, data: bool = True, prefix: bytes = b"") -> Iterator[Got]:
        """The messages of a queue in its order, from its beginning or from the one at `start`.

        `prefix` is what the token of `start` begins with. If there is no message at `start` there are none here.
        """
        handle = self.open(queue, _BROWSE)
        options = mq.MQGMO_BROWSE_FIRST
        length = -1 if data else 0
        last = token = b""
        while True:
            md, gmo = MQMD(), MQGMO()
            md.version, gmo.version = 2, 3
            gmo.options = options | mq.MQGMO_NO_WAIT | mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_FAIL_IF_QUIESCING
            gmo.match_options = 0
            if length == 0:
                gmo.options |= mq.MQGMO_ACCEPT_TRUNCATED_MSG
            if start and options == mq.MQGMO_BROWSE_FIRST:
                gmo.match_options, gmo.msg_token = mq.MQMO_MATCH_MSG_TOKEN, prefix + start.to_bytes(_HALF, "big")
            try:
                found = self.mqi.get(handle, md, gmo, length)
            except MQError as error:
                if error.reason == MQRC_NO_MSG_AVAILABLE:
                    return
                self._refuse(queue, error)
            token = gmo.msg_token
            if not any(token) or (last and token[:_HALF] != last[:_HALF]):
                self._strange(queue, token)
            last = token
            options = mq.MQGMO_BROWSE_NEXT
            md.version = 2
            yield Got(int.from_bytes(token[_HALF:], "big"), md.pack(False), found)

    def prefix_of(self, queue: str) -> bytes:
        """What tokens of messages of this queue begin with; b"" if it is empty."""
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

    def _strange(self, queue: str, token: bytes) -> NoReturn:
        raise Refused(
            f"mq: queue {queue} of {self.name}: its message tokens ({token.hex()}) have no positions; "
            "the source needs a FlintMQ queue manager"
        )

    # -- remove -------------------------------------------------------------------------------------------------------

    def remove(self, queue: str, ranges: list[Range], newest: str) -> int:
        """Take the messages at these positions off the queue, except those put after `newest`; how many there were.

        Those that are not there are passed over, so that this may be done again after it was interrupted.
        """
        if not ranges:
            return 0
        wanted = Member(ranges)
        removed = 0
        while True:
            there = [got.position for got in self._on_queue(queue, wanted, newest, REMOVED_AT_ONCE)]
            if not there:
                return removed
            removed += self._take(queue, there)

    def _on_queue(self, queue: str, wanted: Member, newest: str, most: int) -> Iterator[Got]:
        """The first messages of the queue that are wanted."""
        found = 0
        for got in self.browse(queue, data=False):
            if wanted.has(got.position) and got.put_at <= newest:
                yield got
                found += 1
                if found == most:
                    return

    def _take(self, queue: str, positions: list[int]) -> int:
        handle = self._handles.get((queue, mq.MQOO_INPUT_EXCLUSIVE)) or self.open(queue, mq.MQOO_INPUT_SHARED)
        prefix = self.prefix_of(queue)
        taken = 0
        for position in positions:
            md, gmo = MQMD(), MQGMO()
            gmo.version = 3
            gmo.options = mq.MQGMO_SYNCPOINT | mq.MQGMO_NO_WAIT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
            gmo.match_options, gmo.msg_token = mq.MQMO_MATCH_MSG_TOKEN, prefix + position.to_bytes(_HALF, "big")
            try:
                self.mqi.get(handle, md, gmo, 0)
                taken += 1
            except MQError as error:
                if error.reason != MQRC_NO_MSG_AVAILABLE:
                    self._refuse(queue, error)
        self.asked(self.mqi.cmit)
        return taken

    # -- XA -----------------------------------------------------------------------------------------------------------

    def asked(self, call: Callable[[], None]) -> None:
        """A call whose refusal is told in one line."""
        try:
            call()
        except MQError as error:
            raise Refused(f"mq: {self.name}: {_one_line(error)}") from None

    def branches(self) -> list[bytes]:
        """The branches that are in doubt, or were resolved by an administrator, as packed xids."""
        found: list[bytes] = []
        flags = xa.TMSTARTRSCAN
        try:
            while True:
                code, xids = self.mqi.xa_recover(_RECOVERED_AT_ONCE, flags)
                if code != xa.XA_OK:
                    raise Refused(f"mq: {self.name}: xa_recover answers {code}")
                found += xids
                flags = xa.TMNOFLAGS
                if len(xids) < _RECOVERED_AT_ONCE:
                    return found
        except MQError as error:
            raise Refused(f"mq: {self.name}: {_one_line(error)}") from None

    def xa_call(self, call: Callable[[bytes, int], int], xid: bytes, flags: int, *allowed: int) -> int:
        """One XA call about a branch; its code is XA_OK or one that is allowed. Raises Refused."""
        try:
            code = call(xid, flags)
        except MQError as error:
            raise Refused(f"mq: {self.name}: {_one_line(error)}") from None
        if code != xa.XA_OK and code not in allowed:
            raise Refused(f"mq: {self.name}: {call.__name__} of branch {xid.hex()} answers {code}")
        return code

    def resolve(self, xid: bytes, commit: bool) -> None:
        """Commit a branch that is in doubt, or roll it back. One that is no longer known was resolved already."""
        call = self.mqi.xa_commit if commit else self.mqi.xa_rollback
        code = self.xa_call(call, xid, xa.TMNOFLAGS, xa.XAER_NOTA, xa.XA_HEURCOM, xa.XA_HEURRB)
        if code in (xa.XA_HEURCOM, xa.XA_HEURRB):
            self.xa_call(self.mqi.xa_forget, xid, xa.TMNOFLAGS)
            if (code == xa.XA_HEURCOM) != commit:
                done, wanted = ("committed", "rolled back") if not commit else ("rolled back", "committed")
                raise Refused(f"mq: {self.name}: branch {xid.hex()} was {done} by an administrator, not {wanted}")


class Branch:
    """Puts that belong to one XA branch."""

    def __init__(self, link: Link, xid: bytes) -> None:
        self._link = link
        self.xid = xid
        self.count = 0
        link.xa_call(link.mqi.xa_start, xid, xa.TMNOFLAGS)

    def put(self, message: Outgoing) -> None:
        """Put a message. Raises Refused."""
        link = self._link
        handle = link.open(message.queue, mq.MQOO_OUTPUT)
        pmo = MQPMO()
        pmo.version = 2
        pmo.options = mq.MQPMO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
        if message.md.msg_id == bytes(24):
            pmo.options |= mq.MQPMO_NEW_MSG_ID
        try:
            link.mqi.put(handle, message.md, pmo, message.data)
        except NotConnected as error:
            raise Refused(f"mq: {link.name}: {_one_line(error)}") from None
        except MQError as error:
            hint = ""
            if error.reason == MQRC_SYNCPOINT_LIMIT_REACHED:
                hint = ": raise MAXUMSGS, or lower the option branchMessages"
            raise Refused(f"mq: queue {message.queue} of {link.name}: {_one_line(error)}{hint}") from None
        self.count += 1

    def prepare(self) -> bool:
        """Promise to commit or to roll back; the promise outlives a crash. False if there was nothing to promise."""
        link = self._link
        link.xa_call(link.mqi.xa_end, self.xid, xa.TMSUCCESS)
        code = link.xa_call(link.mqi.xa_prepare, self.xid, xa.TMNOFLAGS, xa.XA_RDONLY)
        link.mqi.has_work = False
        return code == xa.XA_OK

    def commit(self) -> None:
        """End and commit in one phase: done, or not done at all."""
        link = self._link
        link.xa_call(link.mqi.xa_end, self.xid, xa.TMSUCCESS)
        link.xa_call(link.mqi.xa_commit, self.xid, xa.TMONEPHASE)
        link.mqi.has_work = False
