"""Distribution lists: MQOPEN, MQPUT and MQPUT1 with object, response and put message records."""

from __future__ import annotations

import pytest

from flintmq.catalogue.attributes import default_attributes
from flintmq.mqi import constants as mq
from flintmq.mqi import reason as rc
from flintmq.mqi.dh import MQPMR
from flintmq.mqi.md import MQMD, NO_ID
from flintmq.mqi.object_record import MQOR
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.response_record import MQRR
from flintmq.mqi.sd import MQSD
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.connection import Handle
from tests.qmgr.driver import App, Driver


class World:
    """Three local queues, a transmission queue, a model, and a connection that distributes."""

    def __init__(self) -> None:
        self.driver = Driver(
            ("QLOCAL", "A", {}),
            ("QLOCAL", "B", {"MAXDEPTH": 1}),
            ("QLOCAL", "C", {"DEFPRTY": 5}),
            ("QLOCAL", "QM2", {"USAGE": "XMITQ"}),
            ("QREMOTE", "FAR", {"RNAME": "Q", "RQMNAME": "QM2"}),
            ("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN"}),
        )
        self.app = self.driver.app()
        self.od = MQOD()
        self.pmo = MQPMO()
        self.md = MQMD()

    def descriptor(self, *names: str) -> MQOD:
        od = MQOD()
        od.version = 2
        od.recs_present = len(names)
        od.object_records = [MQOR(name) for name in names]
        od.response_records = [MQRR() for _ in names]
        return od

    def open(self, *names: str, options: int = mq.MQOO_OUTPUT) -> Handle | None:
        self.od = self.descriptor(*names)
        return self.driver.qm.open(self.app.connection, self.od, options)

    def opened(self, *names: str, options: int = mq.MQOO_OUTPUT) -> Handle:
        handle = self.open(*names, options=options)
        assert handle is not None, self.app.connection.reason
        return handle

    def put(self, handle: Handle, data: bytes = b"x", records: list[MQPMR] | None = None, fields: int = 0) -> int:
        self.pmo.version = 2
        self.pmo.response_records = [MQRR() for _ in handle.destinations or []]
        self.pmo.put_msg_records = records
        self.pmo.put_msg_rec_fields = fields
        self.pmo.recs_present = len(records) if records is not None else 0
        return self.driver.qm.put(self.app.connection, handle, self.md, self.pmo, data)

    def responses(self, records: list[MQRR] | None) -> list[tuple[int, int]]:
        assert records is not None
        return [(record.comp_code, record.reason) for record in records]

    def depths(self, *names: str) -> list[int]:
        return [self.driver.queue(name).depth for name in names]


@pytest.fixture
def world() -> World:
    return World()


def taken(app: App, name: str) -> tuple[bytes, MQMD]:
    assert app.get(app.open(name)) == 0
    return app.data, app.md


def test_a_put_reaches_every_queue_of_the_list(world: World) -> None:
    handle = world.opened("A", "B", "FAR")
    assert (world.od.known_dest_count, world.od.unknown_dest_count, world.od.invalid_dest_count) == (2, 1, 0)
    assert world.put(handle, b"news") == 0
    assert (world.pmo.known_dest_count, world.pmo.unknown_dest_count, world.pmo.invalid_dest_count) == (2, 1, 0)
    assert world.depths("A", "B", "QM2") == [1, 1, 1]
    reader = world.driver.app("reader")
    first, second = taken(reader, "A"), taken(reader, "B")
    assert first[0] == second[0] == b"news"
    world.driver.qm.check()


def test_each_copy_has_a_message_id_of_its_own_and_the_defaults_of_its_queue(world: World) -> None:
    world.md.priority = -1
    assert world.put(world.opened("A", "C")) == 0
    reader = world.driver.app("reader")
    ids, priorities = set(), []
    for name in ("A", "C"):
        _, md = taken(reader, name)
        ids.add(md.msg_id)
        priorities.append(md.priority)
    assert len(ids) == 2 and NO_ID not in ids
    assert priorities == [0, 5]
    assert world.md.msg_id == NO_ID and world.md.put_appl_name == "app"


def test_a_list_that_opens_in_part_is_a_warning_with_a_response_for_each(world: World) -> None:
    """2136: the reasons differ."""
    handle = world.opened("A", "NO.SUCH", "C")
    assert (world.app.completion, world.app.connection.reason) == (rc.MQCC_WARNING, rc.MQRC_MULTIPLE_REASONS)
    expected = [(0, 0), (rc.MQCC_FAILED, rc.MQRC_UNKNOWN_OBJECT_NAME), (0, 0)]
    assert world.responses(world.od.response_records) == expected
    assert (world.od.known_dest_count, world.od.invalid_dest_count) == (2, 1)
    assert world.put(handle) == rc.MQRC_MULTIPLE_REASONS and world.app.completion == rc.MQCC_WARNING
    assert world.responses(world.pmo.response_records) == expected
    assert world.depths("A", "C") == [1, 1]


def test_a_list_of_which_nothing_opens_fails_with_the_reason_that_all_have(world: World) -> None:
    assert world.open("NO.SUCH", "NOR.THIS") is None
    assert (world.app.completion, world.app.connection.reason) == (rc.MQCC_FAILED, rc.MQRC_UNKNOWN_OBJECT_NAME)
    assert world.responses(world.od.response_records) == [(0, 0), (0, 0)]  # They are written with 2136 only.
    assert world.app.connection.handles == {}


def test_a_queue_that_is_full_does_not_keep_the_others_from_their_copy(world: World) -> None:
    handle = world.opened("A", "B")
    assert world.put(handle) == 0
    assert world.put(handle) == rc.MQRC_MULTIPLE_REASONS
    assert world.responses(world.pmo.response_records) == [(0, 0), (rc.MQCC_FAILED, rc.MQRC_Q_FULL)]
    assert world.depths("A", "B") == [2, 1]
    assert (world.pmo.known_dest_count, world.pmo.invalid_dest_count) == (1, 1)
    taken(world.driver.app("reader"), "B")
    assert world.put(handle) == 0  # It has room again.


def test_put_message_records_override_the_descriptor_for_their_queue(world: World) -> None:
    first, second = MQPMR(), MQPMR()
    first.correl_id, second.correl_id = b"1".ljust(24), b"2".ljust(24)
    world.md.correl_id = b"3".ljust(24)
    fields = mq.MQPMRF_CORREL_ID | mq.MQPMRF_MSG_ID
    assert world.put(world.opened("A", "B", "C"), b"x", [first, second], fields) == 0
    reader = world.driver.app("reader")
    for name, expected, record in (("A", b"1", first), ("B", b"2", second), ("C", b"3", None)):
        _, md = taken(reader, name)
        assert md.correl_id == expected.ljust(24)
        assert record is None or record.msg_id == md.msg_id  # Made by the queue manager, and given back.


def test_a_list_belongs_to_the_unit_of_work_as_a_whole(world: World) -> None:
    world.pmo.options = mq.MQPMO_SYNCPOINT
    handle = world.opened("A", "C")
    assert world.put(handle) == 0
    assert world.app.backout() == 0
    assert world.depths("A", "C") == [0, 0]
    assert world.put(handle) == 0
    assert world.app.commit() == 0
    assert world.depths("A", "C") == [1, 1]


def test_put1_to_a_list_leaves_no_handle_behind(world: World) -> None:
    od = world.descriptor("A", "NO.SUCH", "MODEL")
    reason = world.driver.qm.put1(world.app.connection, od, MQMD(), world.pmo, b"x")
    assert (reason, world.app.completion) == (rc.MQRC_MULTIPLE_REASONS, rc.MQCC_WARNING)
    assert [record.reason for record in od.response_records or []] == [0, rc.MQRC_UNKNOWN_OBJECT_NAME, 0]
    assert od.object_records is not None and od.object_records[2].object_name.startswith("AMQ.")
    assert world.app.connection.handles == {} and world.driver.queue("A").opens.handles == []
    assert world.depths("A") == [1]


def test_closing_the_list_closes_its_queues(world: World) -> None:
    handle = world.opened("A", "B")
    assert len(world.app.connection.handles) == 1  # One for MAXHANDS.
    assert world.driver.queue("A").opens.output_handles == 1
    assert world.driver.qm.close(world.app.connection, handle) == 0
    assert world.driver.queue("A").opens.output_handles == 0 and world.driver.queue("B").opens.handles == []
    assert world.put(handle) == rc.MQRC_HOBJ_ERROR
    again = world.opened("A")
    assert again is not None
    world.app.disconnect()
    assert world.driver.queue("A").opens.handles == []


def test_an_alias_of_a_topic_in_the_list_publishes(world: World) -> None:
    qm = world.driver.qm
    admin = Admin(qm)
    assert admin.define("TOPIC", "T", default_attributes("TOPIC") | {"TOPICSTR": "t"}, False) == 0
    alias = default_attributes("QALIAS") | {"TARGET": "T", "TARGTYPE": "TOPIC"}
    assert admin.define("QALIAS", "NEWS", alias, False) == 0
    subscriber = world.driver.app("subscriber")
    sd = MQSD()
    sd.object_string, sd.options = "t", mq.MQSO_CREATE
    destination = subscriber.open("C")
    assert qm.subscribe(subscriber.connection, sd, destination) is not None
    handle = world.opened("A", "NEWS")
    assert world.put(handle) == 0
    assert world.depths("A", "C") == [1, 1]
    assert qm.close(world.app.connection, handle) == 0
    qm.check()


@pytest.mark.parametrize("options", [mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE, mq.MQOO_INQUIRE, mq.MQOO_SET])
def test_a_list_is_for_output_only(world: World, options: int) -> None:
    assert world.open("A", "B", options=options | mq.MQOO_OUTPUT) is None
    assert world.app.connection.reason == rc.MQRC_OPTION_NOT_VALID_FOR_TYPE


def test_a_list_that_is_not_well_formed_is_refused(world: World) -> None:
    """2152 to 2156, in this order of checking."""

    def refused(od: MQOD) -> int:
        assert world.driver.qm.open(world.app.connection, od, mq.MQOO_OUTPUT) is None
        return world.app.connection.reason

    od = world.descriptor("A")
    od.object_type = mq.MQOT_PROCESS
    assert refused(od) == rc.MQRC_OBJECT_TYPE_ERROR
    od = world.descriptor("A")
    od.recs_present = -1
    assert refused(od) == rc.MQRC_RECS_PRESENT_ERROR
    od = world.descriptor("A")
    od.object_name = "A"
    assert refused(od) == rc.MQRC_OBJECT_NAME_ERROR
    od = world.descriptor("A")
    od.object_q_mgr_name = "QM1"
    assert refused(od) == rc.MQRC_OBJECT_Q_MGR_NAME_ERROR
    od = world.descriptor("A")
    od.recs_present = 2
    assert refused(od) == rc.MQRC_OBJECT_RECORDS_ERROR
    od = world.descriptor("A", "B")
    od.response_records = [MQRR()]
    assert refused(od) == rc.MQRC_RESPONSE_RECORDS_ERROR


def test_records_of_a_put_that_are_not_well_formed_are_refused(world: World) -> None:
    """2154, 2156, 2158 and 2159; nothing is put."""
    handle = world.opened("A", "B")
    world.pmo.options = mq.MQPMO_NO_SYNCPOINT
    assert world.put(handle, b"x", [MQPMR()], 64) == rc.MQRC_PMO_RECORD_FLAGS_ERROR
    assert world.put(handle, b"x", [MQPMR()], 0) == rc.MQRC_PMO_RECORD_FLAGS_ERROR
    assert world.put(handle, b"x", [MQPMR()], mq.MQPMRF_ACCOUNTING_TOKEN) == rc.MQRC_PMO_RECORD_FLAGS_ERROR
    world.pmo.put_msg_records, world.pmo.recs_present, world.pmo.put_msg_rec_fields = None, 2, mq.MQPMRF_MSG_ID
    assert world.driver.qm.put(world.app.connection, handle, world.md, world.pmo, b"") == rc.MQRC_PUT_MSG_RECORDS_ERROR
    world.pmo.recs_present = -1
    assert world.driver.qm.put(world.app.connection, handle, world.md, world.pmo, b"") == rc.MQRC_RECS_PRESENT_ERROR
    world.pmo.recs_present, world.pmo.put_msg_rec_fields = 0, 0
    world.pmo.response_records = [MQRR()]
    assert world.driver.qm.put(world.app.connection, handle, world.md, world.pmo, b"") == rc.MQRC_RESPONSE_RECORDS_ERROR
    assert world.depths("A", "B") == [0, 0]
