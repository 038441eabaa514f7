"""The dead-letter handler on a queue manager in memory, in simulated time."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import flintmq
from flintmq.client.dead_letter import DeadLetterHandler, Summary
from flintmq.command.dead_letter_rules import read_rules
from flintmq.mqi.constants import (
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_STRING,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SET_ALL_CONTEXT,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.encoding import NORMAL, REVERSED
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.qmgr.connection import Handle
from tests.waiting import PATIENCE, until


class StillWaiting(Exception):
    """It would go on for ever."""


class Simulated(DeadLetterHandler):
    """The handler in time that passes only when it waits."""

    now = 0.0
    waits: list[float]

    def wait(self, handle: Handle, seconds: float) -> None:
        self.waits.append(seconds)
        Simulated.now += seconds
        if len(self.waits) > 20:
            raise StillWaiting


@pytest.fixture
def qm() -> Iterator[flintmq.QueueManager]:
    with flintmq.open(":memory:") as qm:
        qm.mqsc("DEFINE QLOCAL(DLQ)\nDEFINE QLOCAL(OUT)\nDEFINE QLOCAL(REST)\nALTER QMGR DEADQ(DLQ)")
        yield qm


def handle(qm: flintmq.QueueManager, rules: str, control: str = "WAIT(NO)") -> tuple[Simulated, list[str]]:
    said: list[str] = []
    handler = Simulated(qm, read_rules(f"{control}\n{rules}"), write=said.append, clock=lambda: Simulated.now)
    handler.waits = []
    handler.run()
    return handler, said


def dead(
    qm: flintmq.QueueManager, data: bytes = b"data", reason: int = 2053, destination: str = "OUT", big: bool = False
) -> MQMD:
    """Put a dead letter on DLQ, as if another queue manager had done it."""
    dlh, md, od, pmo = MQDLH(), MQMD(), MQOD(), MQPMO()
    dlh.reason, dlh.dest_q_name, dlh.dest_q_mgr_name = reason, destination, ""
    dlh.format, dlh.encoding, dlh.coded_char_set_id = MQFMT_STRING, REVERSED, 1208
    md.version = 2
    md.format, md.encoding, md.coded_char_set_id = MQFMT_DEAD_LETTER_HEADER, NORMAL if big else REVERSED, 1208
    md.persistence, md.priority = 1, 3
    md.correl_id = b"correlation".ljust(24)
    md.user_identifier, md.put_appl_name, md.put_date, md.put_time = "somebody", "elsewhere", "20200131", "12000000"
    md.reply_to_q = "REST"
    od.object_name = "DLQ"
    pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_SET_ALL_CONTEXT
    qm.mqi.put1(od, md, pmo, dlh.pack(big) + data)
    return md


def depths(qm: flintmq.QueueManager) -> dict[str, int]:
    return {name: qm.queue(name).depth for name in ("DLQ", "OUT", "REST")}


@pytest.mark.parametrize("big", [False, True])
def test_a_retry_delivers_the_message_as_it_was_before_it_died(qm: flintmq.QueueManager, big: bool) -> None:
    before = dead(qm, big=big)
    handler, said = handle(qm, "REASON(MQRC_Q_FULL) ACTION(RETRY)")
    assert handler.summary == Summary(retried=1)
    assert depths(qm) == {"DLQ": 0, "OUT": 1, "REST": 0}
    message = qm.queue("OUT").get()
    assert message.data == b"data"
    assert (message.md.format, message.md.encoding, message.md.coded_char_set_id) == (MQFMT_STRING, REVERSED, 1208)
    before.format, before.encoding = MQFMT_STRING, REVERSED
    before.version = message.md.version
    assert message.md.pack() == before.pack()
    assert said[0] == "AMQ8708I: Dead-letter queue handler started to process INPUTQ(DLQ)."
    assert said[-1].startswith("AMQ8709I") and "1 delivered" in said[-1]


def test_a_message_is_forwarded_with_or_without_its_header(qm: flintmq.QueueManager) -> None:
    dead(qm, b"with")
    handle(qm, "ACTION(FWD) FWDQ(REST)")
    message = qm.queue("REST").get()
    assert message.format == MQFMT_DEAD_LETTER_HEADER and MQDLH.unpack(message.data).dest_q_name == "OUT"
    assert message.user == "somebody" and message.application == "elsewhere"
    dead(qm, b"without")
    handler, _ = handle(qm, "ACTION(FWD) FWDQ(&REPLYQ) FWDQM(' ') HEADER(NO)")
    assert handler.summary == Summary(forwarded=1)
    assert qm.queue("REST").get().data == b"without"
    dead(qm, b"home")
    handle(qm, "ACTION(FWD) FWDQ(&DESTQ) FWDQM(&DESTQM) HEADER(NO) PUTAUT(CTX)")
    assert qm.queue("OUT").get().data == b"home"


def test_discard_and_ignore_and_what_no_rule_is_for(qm: flintmq.QueueManager) -> None:
    dead(qm, b"go", reason=1)
    dead(qm, b"stay", reason=2)
    dead(qm, b"unknown", reason=3)
    handler, _ = handle(qm, "REASON(1) ACTION(DISCARD)\nREASON(2) ACTION(IGNORE)\nREASON(2) ACTION(DISCARD)")
    assert handler.summary == Summary(discarded=1, ignored=2)
    assert [message.data[172:] for message in qm.queue("DLQ").browse()] == [b"stay", b"unknown"]


def test_a_message_without_a_header_is_left_and_told_once(qm: flintmq.QueueManager) -> None:
    qm.queue("DLQ").put(b"plain")
    qm.queue("DLQ").put(b"DLH " + bytes(10), format=MQFMT_DEAD_LETTER_HEADER)
    dead(qm, destination="FULL")
    qm.mqsc("DEFINE QLOCAL(FULL) MAXDEPTH(0)")
    handler, said = handle(qm, "ACTION(RETRY) RETRY(3)", "WAIT(NO) RETRYINT(10)")
    assert handler.summary == Summary(ignored=1, without_header=2)
    assert sum("AMQ8721W" in line for line in said) == 2
    assert qm.queue("DLQ").depth == 3


def test_a_rule_is_tried_as_often_as_it_says_and_then_the_next_one_that_matches(qm: flintmq.QueueManager) -> None:
    qm.mqsc("DEFINE QLOCAL(FULL) MAXDEPTH(0)")
    dead(qm, destination="FULL")
    handler, said = handle(
        qm,
        "REASON(1) ACTION(DISCARD)\nACTION(RETRY) RETRY(3)\nDESTQ(X*) ACTION(DISCARD)\nACTION(FWD) FWDQ(REST)",
        "WAIT(NO) RETRYINT(10)",
    )
    assert handler.waits == [10.0, 10.0]
    assert handler.summary == Summary(forwarded=1)
    failures = [line for line in said if "AMQ8722W" in line]
    assert len(failures) == 3 and "rule on line 3, reason 2053 (MQRC_Q_FULL)" in failures[0]
    assert depths(qm) == {"DLQ": 0, "OUT": 0, "REST": 1}


def test_a_message_that_nobody_takes_stays_whole_and_others_are_not_held_up(qm: flintmq.QueueManager) -> None:
    dead(qm, b"stuck", destination="NO.SUCH.QUEUE")
    dead(qm, b"fine")
    handler, said = handle(qm, "ACTION(RETRY) RETRY(2)", "WAIT(NO) RETRYINT(5)")
    assert handler.summary == Summary(retried=1, ignored=1)
    assert depths(qm) == {"DLQ": 1, "OUT": 1, "REST": 0}
    left = qm.queue("DLQ").get()
    assert left.data[172:] == b"stuck" and left.backout_count == 2
    assert any("2085 (MQRC_UNKNOWN_OBJECT_NAME)" in line for line in said)


def test_a_destination_that_has_room_again_gets_the_message_at_the_next_try(qm: flintmq.QueueManager) -> None:
    qm.mqsc("ALTER QLOCAL(OUT) PUT(DISABLED)")
    dead(qm)

    class Mended(Simulated):
        def wait(self, handle: Handle, seconds: float) -> None:
            super().wait(handle, seconds)
            qm.mqsc("ALTER QLOCAL(OUT) PUT(ENABLED)")

    table = read_rules("WAIT(NO)\nACTION(RETRY) RETRY(5)")
    handler = Mended(qm, table, write=lambda line: None, clock=lambda: Simulated.now)
    handler.waits = []
    assert handler.run() == Summary(retried=1)
    assert handler.waits == [60.0]


def test_wait_is_how_long_it_goes_on_when_nothing_is_left_to_do(qm: flintmq.QueueManager) -> None:
    dead(qm, reason=7)
    handler, _ = handle(qm, "REASON(1) ACTION(DISCARD)", "WAIT(100) RETRYINT(30)")
    assert handler.waits == [30.0, 30.0, 30.0, 10.0]
    with pytest.raises(StillWaiting):
        handle(qm, "ACTION(IGNORE)", "WAIT(YES) RETRYINT(30)")
    handler, _ = handle(qm, "ACTION(IGNORE)", "WAIT(NO)")
    assert handler.waits == []


def test_a_message_that_comes_while_it_waits_is_handled(qm: flintmq.QueueManager) -> None:
    """The real wait: another thread puts a dead letter when it has begun."""

    class Patient(DeadLetterHandler):
        """Waits for the first as long as the other thread takes."""

        def wait(self, handle: Handle, seconds: float) -> None:
            super().wait(handle, seconds if self.summary.retried else PATIENCE)

    def put_late() -> None:
        until(lambda: qm._host.engine.waiting == 1, "the handler waits")
        dead(qm, b"late")

    thread = threading.Thread(target=put_late)
    thread.start()
    handler = Patient(qm, read_rules("WAIT(1)\nACTION(RETRY)"), write=lambda line: None)
    assert handler.run() == Summary(retried=1)
    thread.join()
    assert qm.queue("OUT").get().data == b"late"


def test_messages_with_equal_ids_are_told_apart(qm: flintmq.QueueManager) -> None:
    dlh, md, od, pmo = MQDLH(), MQMD(), MQOD(), MQPMO()
    for reason in (1, 2, 1):
        dlh.reason = reason
        md.format, md.encoding, md.coded_char_set_id, md.msg_id = MQFMT_DEAD_LETTER_HEADER, REVERSED, 1208, b"same" * 6
        od.object_name = "DLQ"
        pmo.options = MQPMO_NO_SYNCPOINT
        qm.mqi.put1(od, md, pmo, dlh.pack())
    handler, _ = handle(qm, "REASON(2) ACTION(DISCARD)")
    assert handler.summary == Summary(discarded=1, ignored=2)


def test_which_queue_is_meant(qm: flintmq.QueueManager) -> None:
    table = read_rules("INPUTQ(OTHER) WAIT(NO)\nACTION(IGNORE)")
    assert DeadLetterHandler(qm, table).queue == "OTHER"
    assert DeadLetterHandler(qm, table, "GIVEN").queue == "GIVEN"
    assert DeadLetterHandler(qm, read_rules("ACTION(IGNORE)")).queue == "DLQ"
    qm.mqsc("ALTER QMGR DEADQ(' ')")
    with pytest.raises(flintmq.UnknownObject, match="has none"):
        DeadLetterHandler(qm, read_rules("ACTION(IGNORE)"))
    with pytest.raises(flintmq.UnknownObject):
        DeadLetterHandler(qm, table, write=lambda line: None).run()


@pytest.mark.parametrize(("said", "meant"), [(-2, 1208), (819, 819)])
def test_data_in_the_character_set_of_its_header_keeps_it(qm: flintmq.QueueManager, said: int, meant: int) -> None:
    """MQCCSI_INHERIT has a meaning in a header, and none in a descriptor."""
    dlh, md, od = MQDLH(), MQMD(), MQOD()
    dlh.dest_q_name, dlh.format, dlh.encoding, dlh.coded_char_set_id = "OUT", MQFMT_STRING, REVERSED, said
    md.format, md.encoding, md.coded_char_set_id = MQFMT_DEAD_LETTER_HEADER, REVERSED, 1208
    od.object_name = "DLQ"
    qm.mqi.put1(od, md, MQPMO(), dlh.pack(False) + b"data")

    handle(qm, "ACTION(RETRY)")

    message = qm.queue("OUT").get()
    assert (message.data, message.md.coded_char_set_id) == (b"data", meant)


def test_a_dead_letter_of_a_network_client_gives_its_properties_back() -> None:
    """A client over a channel puts properties as an MQRFH2 behind the dead-letter header."""
    from tests.client.remote.serving import CHANNEL, Serving

    serving = Serving()
    try:
        serving.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        serving.qm.queue("A", create=True, bothresh=1).put("hello", properties={"color": "red", "shop.count": 3})
        with flintmq.connect("QM1", channel=CHANNEL, conn=serving.conn) as client:
            client.queue("A").get(syncpoint=True)
            client.backout()
            assert client.queue("A").get_or_none() is None
        dead = serving.qm.queue("SYSTEM.DEAD.LETTER.QUEUE").get()
        assert dead.dead_letter is not None
        original = dead.dead_letter.original
        assert (original.text, original.md.format) == ("hello", "MQSTR")
        assert original.properties == {"color": "red", "shop.count": 3}
    finally:
        serving.close()
