"""Direct calls are those that the steps would make: what is sent, what is returned, what is left behind."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.client.remote.direct import Direct
from flintmq.client.remote.queue_steps import Poison, QueueSteps
from flintmq.client.remote.read_ahead import NEVER
from flintmq.client.remote.session import CallReply, ClientSession
from flintmq.client.remote.steps import MANY, UNREADABLE, MQISteps, RemoteHandle, Steps, many_of, start_with_replies
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.errors import StructureError
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import FIELDS, MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.calls import OpenDefaults
from flintmq.wire.mq.segment import Segment
from tests.client.remote.serving import QUEUE, Serving

DATA_MAX = 1000
BUFFER = 64
IDS = st.sampled_from([bytes(24), b"\1" * 24, b"ABC".ljust(24, b"\0")])


class Unreadable(Exception):
    """The answer is not one."""


def refuse(error: Exception) -> NoReturn:
    raise Unreadable(type(error).__name__, str(error))


def queues(big_endian: bool, ccsid: int, control: int = -1, response: int = -1, threshold: int = 0) -> QueueSteps:
    """A connection that has the queue A open, and a reply queue. It ends at the session: nothing is sent."""
    session = ClientSession("C", "QM1", 1)
    session.big_endian, session.ccsid, session.shared = big_endian, ccsid, True
    session._tail = seg.tail(big_endian, ccsid)
    session.terms.max_message_size = DATA_MAX
    wire = SimpleNamespace(session=session, where="there", q_mgr_name="QM1", in_flight=0, bad_answer=refuse)
    made = QueueSteps(MQISteps(wire))
    defaults = OpenDefaults()
    defaults.property_control, defaults.put_response = control, response
    made._puts["A"], made._gets["A"] = (RemoteHandle(number, "A", 0, defaults) for number in (3, 4))
    made._gets["A"].buffer = BUFFER
    made._poison["A"] = Poison(threshold, "B")
    made._replies = RemoteHandle(5, "R", 0, defaults), "R"
    made._replies[0].buffer = BUFFER
    made.mqi._sends_together = True
    made.mqi.ids._take(bytes(range(24)), 1000, 20)
    return made


@st.composite
def descriptors(draw: st.DrawFn) -> MQMD:
    md = MQMD()
    md.version = draw(st.sampled_from([1, 2]))
    md.msg_id, md.correl_id = draw(IDS), draw(IDS)
    md.format = draw(st.sampled_from(["", "MQSTR", "MQHRF2", "MQDEAD", "OURS"]))
    md.persistence, md.priority = draw(st.sampled_from([0, 1, 2])), draw(st.integers(-1, 9))
    md.expiry, md.backout_count = draw(st.sampled_from([-1, 1, 300])), draw(st.integers(0, 3))
    md.reply_to_q = draw(st.sampled_from(["", "REPLIES"]))
    return md


#: Completion and reason of an answer.
VERDICTS = st.sampled_from(
    [
        (0, 0),
        (0, 0),
        (1, rc.MQRC_TRUNCATED_MSG_FAILED),
        (1, rc.MQRC_NOT_CONVERTED),
        (1, rc.MQRC_PRIORITY_EXCEEDS_MAXIMUM),
        (2, rc.MQRC_NO_MSG_AVAILABLE),
        (2, rc.MQRC_Q_DELETED),
        (2, rc.MQRC_PUT_INHIBITED),
    ]
)


@st.composite
def answers(draw: st.DrawFn, kind: int, big_endian: bool, ccsid: int) -> CallReply:
    """Generate an answer of a queue manager; sometimes truncate it."""
    completion, reason = draw(VERDICTS)
    md = draw(descriptors()).pack(big_endian, ccsid)
    order = ">" if big_endian else "<"
    if kind == seg.MQPUT:
        rest = MQPMO().pack(big_endian, ccsid)
    else:
        gmo = MQGMO()
        gmo.version = draw(st.sampled_from([1, 2, 3, 4]))
        data = draw(st.binary(max_size=2 * BUFFER))
        said = draw(st.sampled_from([len(data), len(data), len(data) + 1, -1]))
        rest = gmo.pack(big_endian, ccsid) + struct.pack(order + "i", said) + data
    body = struct.pack(">I", 0) + struct.pack(order + "iii", completion, reason, 0) + md + rest
    body = body[: draw(st.sampled_from([None, None, None, 20, 400, len(body) - 1]))].ljust(16, b"\0")
    segment = Segment(seg.TSHM, kind + seg.REPLY, seg.ONLY, 1, 1, big_endian, body)
    segment.ccsid = ccsid
    return CallReply(segment, body)


def outcome(work: Callable[[], Any]) -> Any:
    """Return the outcome: a value, the next exchange of the steps, or an error."""
    try:
        value = work()
    except StopIteration as end:
        value = end.value
    except MQError as error:
        return type(error), error.reason, error.completion, error.text, getattr(error, "data", None)
    except (Unreadable, StructureError) as error:
        return str(error)
    if hasattr(value, "queue_name"):
        return value.data, value.queue_name, value.length, value.properties, shown(value.md)
    return value


def shown(md: MQMD) -> list[object]:
    return [getattr(md, field) for field in FIELDS]


def left(made: QueueSteps) -> list[object]:
    """Return the state of the connection after a call."""
    mqi = made.mqi
    return [
        mqi.completion,
        mqi.reason,
        mqi.data_length,
        mqi.has_work,
        mqi.ids._left,
        sorted(made._puts),
        sorted(made._gets),
    ]


def compare(
    one: QueueSteps,
    other: QueueSteps,
    steps: Callable[[QueueSteps, list[MQMD]], Steps[Any]],
    direct: Callable[[QueueSteps, list[MQMD]], Direct | None],
    md: MQMD,
    said: Iterable[CallReply],
) -> bool:
    """Make a call both ways, with the same answers. Whether it was direct to the end."""
    ours, theirs = [md.copy()], [md.copy()]
    short = direct(one, ours)
    assert short is not None
    short.prepare(one.mqi.wire.session)
    sent = short.request(one.mqi.wire.session)
    made = steps(other, theirs)
    session = other.mqi.wire.session
    kind, number, body, flags, answered = next(made)
    assert flags == (0 if answered else short.last)
    if kind == MANY:
        assert sent == session.requests(many_of(body).calls)
        assert short.gets == many_of(body).gets and short.kind == many_of(body).calls[0][0]
    else:
        assert kind == short.kind == short.last and sent == session.request(kind, number, body)
    found = list(said)
    before = one.mqi.wire.session
    before.answers, before.answer = found, found[-1]
    short.take(before)
    before.answers, before.answer = [], None  # As the next call would.

    def go() -> Any:
        try:
            if short.done():
                return short.message
        except UNREADABLE as error:
            one.mqi.wire.bad_answer(error)
        return start_with_replies(steps(one, ours), short.answers)

    def go_all_the_way() -> Any:
        if kind == MANY:
            many_of(body).answers = found
        return made.send(found[-1])

    assert outcome(go) == outcome(go_all_the_way)
    assert left(one) == left(other)
    assert shown(ours[0]) == shown(theirs[0])
    return all(not each.completion for each in found)


BIG_ENDIAN, CCSIDS = st.booleans(), st.sampled_from([1208, 819, 500])


@given(st.data(), BIG_ENDIAN, CCSIDS, descriptors(), st.binary(max_size=DATA_MAX), st.booleans())
def test_a_put_is_the_same(
    data: st.DataObject, big_endian: bool, ccsid: int, md: MQMD, message: bytes, in_unit: bool
) -> None:
    said = data.draw(answers(seg.MQPUT, big_endian, ccsid))
    compare(
        queues(big_endian, ccsid),
        queues(big_endian, ccsid),
        lambda made, mds: made.put("A", mds[0], message, in_unit),
        lambda made, mds: made.direct_put("A", mds[0], message, in_unit),
        md,
        [said],
    )


GET_OPTIONS = st.sampled_from(
    [
        0,
        mq.MQGMO_WAIT | mq.MQGMO_FAIL_IF_QUIESCING,
        mq.MQGMO_CONVERT,
        mq.MQGMO_ACCEPT_TRUNCATED_MSG,
        mq.MQGMO_NO_PROPERTIES,
        mq.MQGMO_PROPERTIES_IN_HANDLE,
        mq.MQGMO_PROPERTIES_FORCE_MQRFH2,
    ]
)
CONTROLS = st.sampled_from([-1, mq.MQPROP_COMPATIBILITY, mq.MQPROP_FORCE_MQRFH2, mq.MQPROP_V6COMPAT, mq.MQPROP_ALL])


@given(st.data(), BIG_ENDIAN, CCSIDS, descriptors(), GET_OPTIONS, CONTROLS, st.booleans())
def test_a_get_is_the_same(
    data: st.DataObject, big_endian: bool, ccsid: int, md: MQMD, options: int, control: int, in_unit: bool
) -> None:
    said = data.draw(answers(seg.MQGET, big_endian, ccsid))
    version = data.draw(st.sampled_from([1, 2, 3]))

    def gmo() -> MQGMO:
        made = MQGMO()
        made.version, made.options, made.wait_interval = version, options, 500
        return made

    compare(
        queues(big_endian, ccsid, control),
        queues(big_endian, ccsid, control),
        lambda made, mds: made.get("A", mds[0], gmo(), -1, True, in_unit),
        lambda made, mds: made.direct_get("A", mds[0], gmo(), True, in_unit),
        md,
        [said],
    )


@given(st.data(), BIG_ENDIAN, CCSIDS, descriptors(), st.binary(max_size=DATA_MAX), CONTROLS, st.booleans())
def test_a_request_is_the_same(
    data: st.DataObject, big_endian: bool, ccsid: int, md: MQMD, message: bytes, control: int, convert: bool
) -> None:
    said = [data.draw(answers(kind, big_endian, ccsid)) for kind in (seg.MQPUT, seg.MQGET)]
    compare(
        queues(big_endian, ccsid, control),
        queues(big_endian, ccsid, control),
        lambda made, mds: made.request("A", mds[0], message, None, 2.5, convert),
        lambda made, mds: made.direct_request("A", mds[0], message, 2.5, convert),
        md,
        said,
    )


def not_direct() -> dict[str, Callable[[], Direct | None]]:
    """Each line of the table in direct.py, broken."""
    md, gmo = MQMD(), MQGMO()
    response = queues(False, 1208, response=2)
    poison = queues(False, 1208, threshold=3)
    ahead = queues(False, 1208)
    ahead._gets["A"].ability = NEVER + 1
    unknown = queues(False, 1208)
    unknown.mqi._sends_together = None
    none_left = queues(False, 1208)
    none_left.mqi.ids._left = 0
    lost = queues(False, 1208)
    lost.mqi.unit_lost = True
    closed = queues(False, 1208)
    closed.forget()
    too_long = bytes(DATA_MAX + 1)
    return {
        "put: not open": lambda: closed.direct_put("A", md, b"", False),
        "put: DEFPRESP(ASYNC)": lambda: response.direct_put("A", md, b"", False),
        "put: too long": lambda: closed.direct_put("A", md, too_long, False),
        "put: unit lost": lambda: lost.direct_put("A", md, b"", True),
        "get: not open": lambda: closed.direct_get("A", md, gmo, True, False),
        "get: reads ahead": lambda: ahead.direct_get("A", md, gmo, True, False),
        "get: BOTHRESH": lambda: poison.direct_get("A", md, gmo, True, False),
        "get: unit lost": lambda: lost.direct_get("A", md, gmo, True, True),
        "request: not open": lambda: closed.direct_request("A", md, b"", 1.0, False),
        "request: not asked yet": lambda: unknown.direct_request("A", md, b"", 1.0, False),
        "request: no ids": lambda: none_left.direct_request("A", MQMD(), b"", 1.0, False),
        "request: too long": lambda: queues(False, 1208).direct_request("A", md, too_long, 1.0, False),
    }


@pytest.mark.parametrize("line", not_direct())
def test_what_is_not_one_exchange_is_left_to_the_steps(line: str) -> None:
    assert not_direct()[line]() is None


def test_poison_messages_that_are_not_looked_for_and_other_units_do_not_matter() -> None:
    poison, lost = queues(False, 1208, threshold=3), queues(False, 1208)
    lost.mqi.unit_lost = True
    assert poison.direct_get("A", MQMD(), MQGMO(), False, True) is not None
    assert lost.direct_put("A", MQMD(), b"", False) is not None


def test_what_is_left_to_the_steps_works(serving: Serving) -> None:
    """Over a channel: a queue that was deleted and made again, a long message, properties, errors."""
    serving.qm.mqsc("DEFINE QLOCAL(AGAIN)")
    inside = serving.qm.queue("DEV.QUEUE.2")
    with serving.connect() as qm:
        queue = qm.queue(QUEUE)
        for text in ("1", "2"):
            queue.put(text)
            assert queue.get().text == text
        queue.put("3", properties={"color": "red"})
        assert queue.get().properties == {"color": "red"}
        queue.put(bytes(200_000))
        assert len(queue.get().data) == 200_000
        assert queue.get_or_none() is None
        with qm.transaction():
            queue.put("4")
            assert queue.get().text == "4"
        serving.qm.mqsc(f"ALTER QLOCAL({QUEUE}) PUT(DISABLED)")
        with pytest.raises(MQError) as refused:
            queue.put("5")
        assert refused.value.reason == rc.MQRC_PUT_INHIBITED
        serving.qm.mqsc(f"ALTER QLOCAL({QUEUE}) PUT(ENABLED)")
        again = qm.queue("AGAIN")
        again.put("6")
        assert again.get().text == "6"
        mqi, queues = qm.mqi, qm._current()._queues
        for handle in (queues._puts["AGAIN"], queues._gets["AGAIN"]):
            mqi.close(handle)  # Behind the back of the queue: 2019 for its next call.
        again.put("7")
        assert again.get().text == "7"
        assert inside.depth == 0


def test_the_properties_of_an_answer_are_read(serving: Serving) -> None:
    def answer(request: Any) -> None:
        serving.qm.queue(request.reply_to).put("yes", correlation_id=request.message_id, properties={"n": 1})

    with serving.qm.queue(QUEUE).consume(answer), serving.connect() as qm:
        for _ in range(2):
            assert qm.queue(QUEUE).request("really?", timeout=30.0).properties == {"n": 1}
