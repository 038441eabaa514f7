"""Deliveries: several messages placed together or not at all, and the COPY records that log them."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.log import LogConfig
from flintmq.mqi.md import MQMD
from flintmq.mqi.reason import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NONE,
    MQRC_PAGESET_FULL,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from flintmq.qmgr.place import Delivery
from flintmq.qmgr.records import COPY, ONLY, PUT, describe
from flintmq.qmgr.restart import Replay, RestartFailed
from flintmq.qmgr.unit_of_work import prepare_unit
from tests.qmgr.conftest import App
from tests.qmgr.machine import Definition, Machine

QUEUES = ["A", "B", "C"]


def a_machine(config: LogConfig | None = None) -> Machine:
    objects: list[Definition] = [("QLOCAL", name, {"MAXDEPTH": 3}) for name in QUEUES]
    objects.append(("PSID", "1", {"PAGES": 6, "EXPAND": "NONE"}))
    return Machine("memory", None, objects, config=config)


def descriptor(machine: Machine, persistence: int = 1) -> MQMD:
    md = MQMD()
    md.msg_id = machine.qm.new_msg_id()
    md.persistence = persistence
    md.priority = 0
    return md


def delivery(machine: Machine, app: App, syncpoint: bool = False) -> Delivery:
    return Delivery(machine.qm, app.connection, syncpoint, machine.clock.now_ms())


def deliver(machine: Machine, app: App, data: bytes, syncpoint: bool = False, persistence: int = 1) -> int:
    whole = delivery(machine, app, syncpoint)
    for name in QUEUES:
        reason = whole.add(machine.queue(name), descriptor(machine, persistence), data)
        if reason:
            whole.cancel()
            return reason
    return whole.place()


@pytest.mark.parametrize("persistence", [0, 1])
def test_all_queues_have_the_message_and_share_one_copy_of_its_data(persistence: int) -> None:
    machine = a_machine()
    app = machine.connect()
    data = bytes(1000)
    assert deliver(machine, app, data, persistence=persistence) == MQRC_NONE
    messages = [machine.queue(name).messages_in_memory()[0] for name in QUEUES]
    assert all(message.data is data for message in messages)
    assert len({message.msg_id for message in messages}) == 3
    assert bool(app.connection.force) == bool(persistence)
    assert [machine.queue(name).counts.put_count for name in QUEUES] == [1, 1, 1]
    machine.qm.check()


def test_the_log_has_the_data_once_and_a_restart_brings_back_all_copies() -> None:
    machine = a_machine()
    before = machine.log.end
    assert deliver(machine, machine.connect(), bytes(range(256)) * 40) == MQRC_NONE
    assert machine.log.end - before < 10_240 + 3 * 400
    machine.log.flush()
    machine.crash()
    assert [machine.contents(name) for name in QUEUES] == [[bytes(range(256)) * 40]] * 3


def test_what_was_not_flushed_is_gone_from_all_queues() -> None:
    machine = a_machine()
    deliver(machine, machine.connect(), b"x" * 100)
    machine.crash()
    assert [machine.depth(name) for name in QUEUES] == [0, 0, 0]


def test_one_refusal_leaves_no_trace() -> None:
    machine = a_machine()
    app = machine.connect()
    used = machine.qm.accounts[0].used
    refusals: list[tuple[dict[str, Value], int]] = [
        ({"PUT": "DISABLED"}, MQRC_PUT_INHIBITED),
        ({"MAXMSGL": 3}, MQRC_MSG_TOO_BIG_FOR_Q),
        ({"MAXDEPTH": 0}, MQRC_Q_FULL),
    ]
    for changes, reason in refusals:
        machine.admin.alter("QLOCAL", "C", changes, False)
        assert deliver(machine, app, b"four") == reason
        assert [machine.depth(name) for name in QUEUES] == [0, 0, 0]
        machine.admin.alter("QLOCAL", "C", {"PUT": "ENABLED", "MAXMSGL": 1000, "MAXDEPTH": 3}, False)
    assert machine.qm.accounts[0].used == used
    assert [machine.queue(name).reserved for name in QUEUES] == [0, 0, 0]
    assert deliver(machine, app, b"four") == MQRC_NONE
    machine.qm.check()


def test_the_same_queue_several_times_counts_against_its_depth() -> None:
    machine = a_machine()
    whole = delivery(machine, machine.connect())
    queue = machine.queue("A")
    reasons = [whole.add(queue, descriptor(machine), b"x") for _ in range(4)]
    assert reasons == [0, 0, 0, MQRC_Q_FULL]
    assert whole.place() == MQRC_NONE and queue.depth == 3
    machine.qm.check()


def test_pages_are_taken_by_add_so_that_place_cannot_fail_half_way() -> None:
    machine = a_machine()
    machine.admin.define("STGCLASS", "SMALL", {"PSID": 1}, False)
    machine.admin.define("QLOCAL", "D", {"STGCLASS": "SMALL", "MAXDEPTH": 100}, False)
    whole = delivery(machine, machine.connect())
    queue = machine.queue("D")
    reasons = [whole.add(queue, descriptor(machine), bytes(3000)) for _ in range(8)]
    assert MQRC_PAGESET_FULL in reasons
    whole.cancel()
    assert queue.depth == 0
    machine.qm.check()


def test_under_syncpoint_the_messages_wait_for_the_commit_and_go_with_a_backout() -> None:
    machine = a_machine()
    app = machine.connect()
    deliver(machine, app, b"x" * 200, syncpoint=True)
    assert [machine.queue(name).available for name in QUEUES] == [0, 0, 0]
    assert app.backout() == MQRC_NONE
    assert [machine.depth(name) for name in QUEUES] == [0, 0, 0]
    deliver(machine, app, b"y" * 200, syncpoint=True)
    assert machine.qm.commit(app.connection) == MQRC_NONE
    machine.log.flush()
    machine.crash()
    assert [machine.contents(name) for name in QUEUES] == [[b"y" * 200]] * 3


def test_a_unit_takes_no_more_than_its_limit() -> None:
    machine = a_machine()
    machine.admin.alter("QMGR", "QM1", {"MAXUMSGS": 2}, False)
    app = machine.connect()
    assert deliver(machine, app, b"x", syncpoint=True) == MQRC_SYNCPOINT_LIMIT_REACHED
    assert machine.depth("A") == 0


def test_copies_of_a_prepared_unit_survive_a_restart_in_doubt() -> None:
    machine = a_machine()
    app = machine.connect()
    deliver(machine, app, b"z" * 300, syncpoint=True)
    unit = app.connection.unit
    assert unit is not None
    unit.xid = b"branch"
    prepare_unit(machine.qm, unit)
    machine.qm.in_doubt[b"branch"] = unit
    app.connection.unit = None
    machine.log.flush()
    machine.crash()
    assert [message.data for message in machine.qm.in_doubt[b"branch"].work] == [b"z" * 300] * 3


def test_a_full_log_refuses_the_whole_delivery() -> None:
    machine = a_machine(LogConfig(file_pages=4, primary=2, secondary=1))
    app = machine.connect()
    reason = 0
    for _ in range(3):
        reason = deliver(machine, app, bytes(20_000))
        if reason:
            break
    assert reason == MQRC_RESOURCE_PROBLEM
    assert len({machine.depth(name) for name in QUEUES}) == 1
    machine.qm.check()
    machine.log.flush()
    depth = machine.depth("A")
    machine.crash()
    assert [machine.depth(name) for name in QUEUES] == [depth] * 3


def test_a_copy_without_its_original_is_refused_by_name() -> None:
    machine = a_machine()
    replay = Replay(machine.qm)
    with pytest.raises(RestartFailed, match="COPY without a PUT"):
        replay.record(1, COPY | ONLY, bytes(200))
    with pytest.raises(RestartFailed, match="message record"):
        replay.record(1, PUT | 64, bytes(20))
        replay.record(1, COPY | 128, bytes(200))


def test_inspect_names_a_copy() -> None:
    assert describe(COPY, bytes([7, 0, 0, 0, 9]) + bytes(8)) == "COPY queue 7 message 9"
