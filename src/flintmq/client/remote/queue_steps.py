"""Calls of queues and topics over a channel, as steps: for threads (connection.py) and tasks (aio.py).

Objects are opened when they are first used, and stay open: a put or a get is one exchange. A handle of a deleted queue
is opened again. The properties of a message come in an MQRFH2 and are taken out of the data, as with a message handle
(handles.py); a queue with PROPCTL(FORCE) leaves them there.

Poison messages: if the queue has BOTHRESH and a message was backed out that often, it is put to BOQNAME, or to the
dead-letter queue with the reason 2362, and the get goes on to the next message. If neither takes it, the application
gets it. Gets from such a queue are made in syncpoint, and committed at once where there is no unit of work, so that
the message is on one of the two queues at any time. In a unit of work of the application the move is part of it.
This is what MQ's classes for JMS do. BOTHRESH and BOQNAME are read when the queue is opened.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from flintmq.client.lazy import lazy
from flintmq.client.message import Message
from flintmq.client.remote import handles
from flintmq.client.remote.direct import DirectGet, DirectPut, DirectRequest, get_of, put_of, request_of
from flintmq.client.remote.handles import PROPERTY_OPTIONS
from flintmq.client.remote.steps import MQISteps, RemoteHandle, Steps
from flintmq.client.request import OPTIONS, SCHEME, answer_to, ask, reply_queue_descriptor
from flintmq.mqi.call_errors import (
    MQError,
    NoMessageAvailable,
    NotAuthorized,
    NotConverted,
    Truncated,
    UnknownObject,
    error_class,
)
from flintmq.mqi.constants import (
    MQCA_BACKOUT_REQ_Q_NAME,
    MQCA_DEAD_LETTER_Q_NAME,
    MQCA_Q_NAME,
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_STRING,
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQIA_BACKOUT_THRESHOLD,
    MQIA_CURRENT_Q_DEPTH,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INQUIRE,
    MQOO_NO_READ_AHEAD,
    MQOO_OUTPUT,
    MQOO_READ_AHEAD,
    MQOO_SAVE_ALL_CONTEXT,
    MQOT_Q_MGR,
    MQOT_TOPIC,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.errors import PropertyError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.properties import MessageProperties
from flintmq.mqi.property_values import Value
from flintmq.mqi.reason import (
    MQCC_OK,
    MQCC_WARNING,
    MQRC_BACKOUT_THRESHOLD_REACHED,
    MQRC_HOBJ_ERROR,
    MQRC_NOT_AUTHORIZED,
    MQRC_Q_DELETED,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)

if TYPE_CHECKING:
    from flintmq.client import explain
    from flintmq.mqi import property_blocks, property_headers
    from flintmq.mqi.sd import MQSD
else:
    explain = lazy("flintmq.client.explain")
    property_blocks = lazy("flintmq.mqi.property_blocks")
    property_headers = lazy("flintmq.mqi.property_headers")

_IN = MQPMO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_OUT = MQPMO_NO_SYNCPOINT | MQPMO_FAIL_IF_QUIESCING
_SYNCPOINTS = MQGMO_SYNCPOINT | MQGMO_NO_SYNCPOINT
_STALE = (MQRC_Q_DELETED, MQRC_HOBJ_ERROR)
#: Number of gets that are sent together at first and, if all of them found messages, at most.
FIRST_BATCH = 8
BATCH_MAX = 64
#: Number of topics, and of selectors, that stay open.
_TOPICS_MAX = 64
_SELECTING_MAX = 16


class Poison(NamedTuple):
    """Backout threshold and backout queue of a queue."""

    threshold: int = 0
    queue: str = ""


_NEVER = Poison()


class QueueSteps:
    """The open objects of one connection."""

    def __init__(self, mqi: MQISteps, open_options: int = 0) -> None:
        self.mqi = mqi
        #: Read-ahead option for a queue that is opened for gets, unless the get has one.
        self._open_options = open_options
        self._puts: dict[str, RemoteHandle] = {}
        self._topics: dict[str, RemoteHandle] = {}
        self._gets: dict[str, RemoteHandle] = {}
        #: By name, selector and whether they are read ahead.
        self._selecting: dict[tuple[str, str, int], RemoteHandle] = {}
        self._poison: dict[str, Poison] = {}
        self._dead_letter_queue: str | None = None
        self._replies: tuple[RemoteHandle, str] | None = None

    def forget(self) -> None:
        """Forget all handles: they were closed with the connection."""
        for kept in (self._puts, self._topics, self._gets):
            kept.clear()
        self._selecting.clear()

    # -- opening ------------------------------------------------------------------------------------------------------

    def open(self, name: str, options: int, selector: str = "") -> Steps[RemoteHandle]:
        """Open a queue (MQOPEN), for messages that `selector` selects if there is one. Raise MQError by reason."""
        od = MQOD()
        od.object_name = name
        if selector:
            od.version = 4
            od.selection_string = selector
        try:
            return (yield from self.mqi.open_steps(od, options))
        except MQError as error:
            if selector:
                explain.refuse_selector(error.reason, selector)
            raise

    def close(self, handle: RemoteHandle) -> Steps[None]:
        """Close a handle (MQCLOSE), unless it is closed."""
        if handle.open:
            handle.open = False
            yield from self.mqi.close_steps(handle)

    def reply_queue(self) -> Steps[tuple[RemoteHandle, str]]:
        """Return a temporary dynamic queue for replies: (handle, name). Make it if there is none."""
        if self._replies is None:
            od = reply_queue_descriptor()
            try:
                handle = yield from self.mqi.open_steps(od, OPTIONS)
            except NotAuthorized as error:
                od = reply_queue_descriptor(developer=True)
                try:
                    handle = yield from self.mqi.open_steps(od, OPTIONS)
                except (NotAuthorized, UnknownObject):
                    raise error from None
            self._replies = handle, od.object_name
        return self._replies

    def request(
        self, name: str, md: MQMD, data: bytes, properties: MessageProperties | None, timeout: float, convert: bool
    ) -> Steps[Message]:
        """Put a request and get its reply (request.py)."""
        replies, reply_to = yield from self.reply_queue()
        ask(md, reply_to, timeout)
        if not replies.ability and (yield from self.mqi.may_send_together_steps()):
            return (yield from self._request_together(name, md, data, properties, timeout, convert, replies, reply_to))
        yield from self.put(name, md, data, False, properties)
        wanted, gmo = answer_to(md, timeout, convert)
        return (yield from self.got(reply_to, replies, wanted, gmo))

    def _request_together(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        properties: MessageProperties | None,
        timeout: float,
        convert: bool,
        replies: RemoteHandle,
        reply_to: str,
    ) -> Steps[Message]:
        """Put and get in one exchange."""
        if properties is not None:
            data = self._with_properties(md, data, properties)
        wanted, gmo = answer_to(md, timeout, convert)
        options = gmo.options
        in_handle = handles.returns_in_handle(gmo, replies.defaults.property_control)
        if in_handle:
            gmo.options = options & ~PROPERTY_OPTIONS | MQGMO_PROPERTIES_FORCE_MQRFH2
        wish = wanted.copy()
        handle = self._puts.get(name)
        if handle is None:
            handle = yield from self._put_handle(name)
        try:
            answer = yield from self.mqi.request_steps(handle, md, data, _OUT, replies, wanted, gmo)
        except MQError as error:
            if error.reason not in _STALE:
                raise
            self._puts.pop(name, None)
            handle = yield from self._put_handle(name)
            answer = yield from self.mqi.request_steps(handle, md, data, _OUT, replies, wanted, gmo)
        gmo.options = options
        if self.mqi.reason == MQRC_TRUNCATED_MSG_FAILED:  # It is longer than what was asked for.
            wish.correl_id = md.msg_id
            return (yield from self.got(reply_to, replies, wish, gmo))
        return self._made(reply_to, wanted, answer, options, in_handle)

    def direct_request(self, name: str, md: MQMD, data: bytes, timeout: float, convert: bool) -> DirectRequest | None:
        """Return a request without properties as a direct call, if possible (direct.py)."""
        if self._replies is None or not self.mqi.sends_together:
            return None
        replies, reply_to = self._replies
        ask(md, reply_to, timeout)
        wanted, gmo = answer_to(md, timeout, convert)
        handle = self._puts.get(name) or self._topics.get(name)
        return request_of(self.mqi, handle, md, data, replies, reply_to, wanted, gmo)

    def release(self, name: str) -> Steps[None]:
        """Close the cached handles of the queue `name`."""
        found = [kept.pop(name) for kept in (self._puts, self._gets) if name in kept]
        for key in [key for key in self._selecting if key[0] == name]:
            found.append(self._selecting.pop(key))
        for handle in found:
            yield from self.close(handle)

    def _put_handle(self, name: str) -> Steps[RemoteHandle]:
        if not name.startswith(SCHEME):
            handle = self._puts[name] = yield from self.open(name, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
            return handle
        kept = self._topics.get(name)
        if kept is not None:
            return kept
        if len(self._topics) >= _TOPICS_MAX:
            yield from self.close(self._topics.pop(next(iter(self._topics))))
        od = MQOD()
        od.version, od.object_type, od.object_string = 4, MQOT_TOPIC, name[len(SCHEME) :]
        handle = self._topics[name] = yield from self.mqi.open_steps(od, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
        handle.object_name = name
        return handle

    def _get_handle(self, name: str, selector: str, open_options: int = 0) -> Steps[RemoteHandle]:
        plain = not selector and not open_options
        kept = self._gets.get(name) if plain else self._selecting.pop((name, selector, open_options), None)
        if kept is None:
            kept = yield from self._opened_for_input(name, selector, open_options)
        if plain:
            self._gets[name] = kept
            return kept
        self._selecting[name, selector, open_options] = kept  # The last one is the last that was used.
        if len(self._selecting) > _SELECTING_MAX:
            yield from self.close(self._selecting.pop(next(iter(self._selecting))))
        return kept

    def _opened_for_input(self, name: str, selector: str, open_options: int) -> Steps[RemoteHandle]:
        """Open a queue for gets, and read its backout attributes if the user may inquire them."""
        plain = MQOO_INPUT_AS_Q_DEF | MQOO_FAIL_IF_QUIESCING | MQOO_SAVE_ALL_CONTEXT
        plain |= open_options or self._open_options
        try:
            handle = yield from self.open(name, plain | MQOO_INQUIRE, selector)
        except MQError as error:
            if error.reason != MQRC_NOT_AUTHORIZED:
                raise
            self._poison[name] = _NEVER
            return (yield from self.open(name, plain, selector))
        said = yield from self.mqi.inq_steps(handle, [MQIA_BACKOUT_THRESHOLD, MQCA_BACKOUT_REQ_Q_NAME])
        self._poison[name] = Poison(max(0, said.integers[0]), said.characters[0].strip(" *"))
        return handle

    # -- put ----------------------------------------------------------------------------------------------------------

    def put(
        self,
        name: str,
        md: MQMD,
        data: bytes,
        in_unit: bool,
        properties: MessageProperties | None = None,
        extra_options: int = 0,
        delay_ms: int = 0,
    ) -> Steps[None]:
        """Put to the queue, or publish to the topic, `name`, delayed by `delay_ms`."""
        pmo = MQPMO()
        pmo.options = (_IN if in_unit else _OUT) | extra_options
        if properties is not None:
            data = self._with_properties(md, data, properties)
        handle = self._puts.get(name)
        if handle is None:
            handle = yield from self._put_handle(name)
        try:
            yield from self._put_steps(handle, md, pmo, data, delay_ms)
        except MQError as error:
            if error.reason not in _STALE:
                raise
            self._puts.pop(name, None)
            self._topics.pop(name, None)
            handle = yield from self._put_handle(name)
            yield from self._put_steps(handle, md, pmo, data, delay_ms)

    def _put_steps(self, handle: RemoteHandle, md: MQMD, pmo: MQPMO, data: bytes, delay_ms: int) -> Steps[None]:
        if delay_ms:
            return self.mqi.put_delayed_steps(handle, md, pmo, data, delay_ms)
        return self.mqi.put_steps(handle, md, pmo, data)

    def _with_properties(self, md: MQMD, data: bytes, properties: MessageProperties) -> bytes:
        """Return the data with an MQRFH2 in front, which `md` describes afterwards."""
        ccsid = self.mqi.wire.session.ccsid
        body = property_headers.body_of(md, data)
        body.ccsid = body.ccsid or ccsid
        property_headers.insert(body, property_blocks.block_of(properties), ccsid)
        body.describe_in(md)
        return body.data

    def direct_put(self, name: str, md: MQMD, data: bytes, in_unit: bool) -> DirectPut | None:
        """Return a put without properties and options as a direct call, if possible (direct.py)."""
        return put_of(self.mqi, self._puts.get(name) or self._topics.get(name), md, data, in_unit)

    # -- get ----------------------------------------------------------------------------------------------------------

    def get(
        self,
        name: str,
        md: MQMD,
        gmo: MQGMO,
        max_length: int,
        requeue: bool,
        in_unit: bool,
        selector: str = "",
        open_options: int = 0,
    ) -> Steps[Message]:
        """Get from the queue `name`. Raise NoMessageAvailable, Truncated, NotConverted ...

        With MQOO_READ_AHEAD in `open_options`, gets outside of a unit of work are read ahead; they have no poison
        messages, since nothing is backed out.
        """
        if open_options & MQOO_READ_AHEAD:
            requeue = requeue and in_unit
            open_options = 0 if in_unit else open_options
        wish = md.copy()
        end = time.monotonic() + gmo.wait_interval / 1000 if gmo.options & MQGMO_WAIT and gmo.wait_interval > 0 else 0.0
        handle = self._gets.get(name) if not selector and not open_options else None
        if handle is None:
            handle = yield from self._get_handle(name, selector, open_options)
        again = True
        while True:
            poison = self._poison.get(name, _NEVER) if requeue else _NEVER
            syncpoint = in_unit or poison.threshold > 0
            if syncpoint and handle.ability:  # By DEFREADA; what is in syncpoint is got through another handle.
                open_options = MQOO_NO_READ_AHEAD
                handle = yield from self._get_handle(name, selector, open_options)
            gmo.options = gmo.options & ~_SYNCPOINTS | (MQGMO_SYNCPOINT if syncpoint else MQGMO_NO_SYNCPOINT)
            try:
                message = yield from self.got(name, handle, md, gmo, max_length)
            except MQError as error:
                if error.reason in _STALE and again:
                    again = False
                    self._gets.pop(name, None)
                    self._selecting.pop((name, selector, open_options), None)
                    handle = yield from self._get_handle(name, selector, open_options)
                    continue
                if error.completion == MQCC_WARNING and syncpoint and not in_unit:
                    yield from self.mqi.cmit_steps()
                raise
            if poison.threshold and message.md.backout_count >= poison.threshold:
                moved = yield from self._move_away(name, handle, message, poison, in_unit)
                if moved:
                    wish.copy_to(md)
                    if end:
                        gmo.wait_interval = max(1, round((end - time.monotonic()) * 1000))
                    continue
            if syncpoint and not in_unit:
                yield from self.mqi.cmit_steps()
            return message

    def direct_get(self, name: str, md: MQMD, gmo: MQGMO, requeue: bool, in_unit: bool) -> DirectGet | None:
        """Return a get of a message of any length as a direct call, if possible (direct.py)."""
        if requeue and self._poison.get(name, _NEVER).threshold:
            return None
        return get_of(self.mqi, name, self._gets.get(name), md, gmo, in_unit)

    def got(self, name: str, handle: RemoteHandle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> Steps[Message]:
        """Get a message through a handle (MQGET)."""
        mqi = self.mqi
        in_handle = handles.returns_in_handle(gmo, handle.defaults.property_control)
        options = gmo.options
        if in_handle:
            gmo.options = options & ~PROPERTY_OPTIONS | MQGMO_PROPERTIES_FORCE_MQRFH2
        try:
            if in_handle and max_length >= 0:
                data = yield from mqi.get_cut_steps(handle, md, gmo, gmo, md.copy(), max_length)
            else:
                data = yield from mqi.get_steps(handle, md, gmo, max_length)
        finally:
            gmo.options = options
        return self._made(name, md, data, options, in_handle)

    def _made(self, name: str, md: MQMD, data: bytes, options: int, in_handle: bool, warns: bool = True) -> Message:
        """Make a message of the reply to the last MQGET. Raise by reason, if it `warns`."""
        mqi = self.mqi
        properties: dict[str, Value] | None = None
        if in_handle and md.format.startswith("MQ") and md.format != MQFMT_STRING:
            whole = len(data)
            data, found = handles.take_out(md, data)
            mqi.data_length -= whole - len(data)
            properties = _by_name(found)
        if mqi.completion == MQCC_WARNING and warns:
            if mqi.reason == MQRC_TRUNCATED_MSG_ACCEPTED and options & MQGMO_BROWSE_NEXT:
                message = Message(data, md, name, properties)  # That was asked for: queue.browse(max_length=...).
                message.length = mqi.data_length
                return message
            warning = self._warning(name, data)
            if warning is not None:
                raise warning
        return Message(data, md, name, properties)

    def get_many(
        self,
        name: str,
        count: int,
        md: MQMD,
        gmo: MQGMO,
        requeue: bool,
        in_unit: bool,
        selector: str = "",
        commits: bool = False,
    ) -> Steps[list[Message]]:
        """Get up to `count` messages from the queue `name`; `gmo` says how long to wait for the first of them.

        The list is empty if there was none. A message that could not be converted is returned as it is. Gets behind
        the first are sent together if the queue manager takes calls so, else one after the other. Outside of a unit of
        work with `commits`, and where there may be poison messages, they are got in one unit of work, which is
        committed at the end.
        """
        found: list[Message] = []
        handle = yield from self._get_handle(name, selector)
        poison = self._poison.get(name, _NEVER) if requeue else _NEVER
        unit = in_unit or commits or poison.threshold > 0
        together = not (unit and handle.ability) and (yield from self.mqi.may_send_together_steps())
        single = not together or handle.ability
        wait = gmo.options & MQGMO_WAIT
        batch = FIRST_BATCH
        while len(found) < count:
            if single or (wait and not found):
                try:
                    one = yield from self.get(name, md.copy(), gmo, -1, requeue, unit, selector)
                except NoMessageAvailable:
                    break
                gmo.options &= ~MQGMO_WAIT
                found.append(one)
                continue
            asked = min(batch, count - len(found))
            batch = min(batch * FIRST_BATCH, BATCH_MAX)
            some, more = yield from self._got_together(name, md, gmo, asked, poison, unit, selector)
            found += some
            if not more:
                break
        if unit and not in_unit:
            yield from self.mqi.cmit_steps()
        return found

    def _got_together(
        self, name: str, md: MQMD, gmo: MQGMO, count: int, poison: Poison, unit: bool, selector: str
    ) -> Steps[tuple[list[Message], bool]]:
        """Make gets that are sent together. Return the messages, and whether there may be more."""
        handle = yield from self._get_handle(name, selector)
        in_handle = handles.returns_in_handle(gmo, handle.defaults.property_control)
        options = gmo.options & ~_SYNCPOINTS | (MQGMO_SYNCPOINT if unit else MQGMO_NO_SYNCPOINT)
        gmo.options = options & ~PROPERTY_OPTIONS | MQGMO_PROPERTIES_FORCE_MQRFH2 if in_handle else options
        try:
            answers, more = yield from self.mqi.get_together_steps(handle, md, gmo, count)
        finally:
            gmo.options = options
        found: list[Message] = []
        for one, data, reason in answers:
            self.mqi.completion, self.mqi.reason = (MQCC_WARNING if reason else MQCC_OK), reason
            self.mqi.data_length = len(data)
            message = self._made(name, one, data, options, in_handle, False)
            if poison.threshold and message.md.backout_count >= poison.threshold:
                if (yield from self._move_away(name, handle, message, poison, True)):
                    continue
            found.append(message)
        return found, more

    def _warning(self, name: str, data: bytes) -> MQError | None:
        """Return the error for a reply with a warning that the application should see, or None."""
        mqi = self.mqi
        error = error_class(mqi.reason)("", mqi.reason, MQCC_WARNING)
        if isinstance(error, Truncated):
            error = Truncated(f"a message on {name} has {mqi.data_length} bytes", mqi.reason, MQCC_WARNING)
            error.data, error.data_length = data, mqi.data_length
            return error
        if isinstance(error, NotConverted):
            error.data = data
            return error
        return None

    # -- poison messages ----------------------------------------------------------------------------------------------

    def threshold(self, name: str) -> int:
        """Return BOTHRESH of a queue that messages were got from; 0 for never."""
        return self._poison.get(name, _NEVER).threshold

    def _move_away(
        self, name: str, handle: RemoteHandle, message: Message, poison: Poison, in_unit: bool
    ) -> Steps[bool]:
        """Move a message that was backed out too often. Return whether it was moved."""
        moved = False
        if poison.queue:
            moved = yield from self._put_aside(poison.queue, handle, message, False)
        if not moved:
            target = yield from self._dead_letters()
            moved = bool(target) and (yield from self._put_aside(target, handle, message, True))
        if moved and not in_unit:
            yield from self.mqi.cmit_steps()
        return moved

    def _put_aside(self, target: str, handle: RemoteHandle, message: Message, dead: bool) -> Steps[bool]:
        """Put a copy of the message to `target`, in the unit of work that it was got in."""
        md, data = message.md.copy(), message.data
        if message.properties:
            made = MessageProperties()
            for name, value in message.properties.items():
                try:
                    made.set(name, value)
                except PropertyError:
                    continue  # One of MQ's own, which it sets by itself.
            data = self._with_properties(md, data, made)
        if dead:
            from flintmq.mqi.dlh import MQDLH

            header = MQDLH()
            header.reason = MQRC_BACKOUT_THRESHOLD_REACHED
            header.dest_q_name, header.dest_q_mgr_name = message.queue_name, self.mqi.wire.q_mgr_name
            header.encoding, header.coded_char_set_id, header.format = md.encoding, md.coded_char_set_id, md.format
            header.put_appl_type, header.put_appl_name = md.put_appl_type, md.put_appl_name
            header.put_date, header.put_time = md.put_date, md.put_time
            data = header.pack() + data
            md.format, md.encoding, md.coded_char_set_id = MQFMT_DEAD_LETTER_HEADER, MQENC_NATIVE, 1208
        od, pmo = MQOD(), MQPMO()
        od.object_name = target
        pmo.options, pmo.context = _IN | MQPMO_PASS_ALL_CONTEXT, handle.number
        try:
            yield from self.mqi.put1_steps(od, md, pmo, data)
        except MQError as error:
            if error.reason != MQRC_NOT_AUTHORIZED:
                return False
            pmo.options = _IN  # Without the context of the message, rather than not at all.
            try:
                yield from self.mqi.put1_steps(od, md, pmo, data)
            except MQError:
                return False
        return True

    def _dead_letters(self) -> Steps[str]:
        """Return the dead-letter queue, "" if there is none."""
        if self._dead_letter_queue is None:
            od = MQOD()
            od.object_type = MQOT_Q_MGR
            self._dead_letter_queue = ""
            try:
                handle = yield from self.mqi.open_steps(od, MQOO_INQUIRE)
                said = yield from self.mqi.inq_steps(handle, [MQCA_DEAD_LETTER_Q_NAME])
                self._dead_letter_queue = said.characters[0].strip()
                yield from self.close(handle)
            except MQError:
                return ""
        return self._dead_letter_queue

    # -- the rest -----------------------------------------------------------------------------------------------------

    def depth(self, name: str) -> Steps[int]:
        """Return CURDEPTH."""
        handle = yield from self.open(name, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING)
        said = yield from self.mqi.inq_steps(handle, [MQIA_CURRENT_Q_DEPTH])
        yield from self.close(handle)
        return said.integers[0]

    def check(self, name: str) -> Steps[None]:
        """Raise UnknownObject if the name resolves to no queue."""
        try:
            handle = yield from self.open(name, MQOO_INQUIRE | MQOO_FAIL_IF_QUIESCING)
        except MQError as error:
            if error.reason != MQRC_NOT_AUTHORIZED:
                raise
        else:
            yield from self.close(handle)

    def subscribe(self, sd: MQSD, queue: str | None) -> Steps[tuple[RemoteHandle, RemoteHandle, str]]:
        """Subscribe (MQSUB). Return (Hobj, Hsub, name of the queue of the publications)."""
        destination = None
        if queue is not None:
            destination = yield from self.open(queue, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
        hobj, hsub = yield from self.mqi.sub_steps(sd, destination)
        if queue is not None:
            return hobj, hsub, queue
        said = yield from self.mqi.inq_steps(hobj, [MQCA_Q_NAME])
        return hobj, hsub, said.characters[0].strip()


def _by_name(properties: MessageProperties) -> dict[str, Value]:
    """Return the properties by name. Of two with the same name the one closer to the head of the message counts."""
    found: dict[str, Value] = {}
    for item in properties.items:
        if item.hidden is None:
            found.setdefault(item.name, item.value)
    return found
