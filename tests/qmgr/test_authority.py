"""Authority records decide: on connects, opens, subscriptions and commands; and what is kept of the answers."""

from __future__ import annotations

import sys
import tracemalloc

import pytest

from flintmq.catalogue import authorities
from flintmq.catalogue.attribute import Value
from flintmq.mqi import constants as mq
from flintmq.mqi.constants import (
    MQCO_DELETE,
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_SET,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQOT_NAMELIST,
    MQOT_Q_MGR,
    MQSO_ALTERNATE_USER_AUTHORITY,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_MANAGED,
    MQSO_RESUME,
)
from flintmq.mqi.od import MQOD
from flintmq.mqi.sd import MQSD
from flintmq.qmgr import admin_security, authority_change
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.authority import POLICY_QUEUE, ObjectAuthority, type_of
from flintmq.qmgr.authority_records import GROUP, PRINCIPAL, SELF
from flintmq.qmgr.connect import connect, disconnect
from flintmq.qmgr.refusal import KEPT_MAX
from flintmq.qmgr.security import Entities
from tests.qmgr.driver import App, Driver

MINUTE_MS = 60_000
OBJECTS: tuple[tuple[str, str, dict[str, Value]], ...] = (
    ("QLOCAL", "Q", {}),
    ("QLOCAL", "ORDERS.IN", {}),
    ("QLOCAL", "ORDERS.OUT", {}),
    ("QALIAS", "ALIAS", {"TARGET": "Q"}),
    ("QLOCAL", "QM2", {"USAGE": "XMITQ"}),
    ("QREMOTE", "REMOTE", {"RNAME": "THERE", "RQMNAME": "QM2"}),
    ("QREMOTE", "MANAGER", {"RQMNAME": "QM2"}),
    ("QMODEL", "MODEL", {"DEFTYPE": "PERMDYN"}),
    ("QMODEL", "MODEL.TEMP", {}),
    ("QMODEL", "SYSTEM.DURABLE.MODEL.QUEUE", {"DEFTYPE": "PERMDYN"}),
    ("QMODEL", "SYSTEM.NDURABLE.MODEL.QUEUE", {}),
    ("QLOCAL", "SYSTEM.DURABLE.SUBSCRIBER.QUEUE", {}),
    ("QLOCAL", POLICY_QUEUE, {}),
    ("NAMELIST", "LIST", {}),
    ("TOPIC", "SYSTEM.BASE.TOPIC", {"TOPICSTR": ""}),
    ("TOPIC", "NEWS", {"TOPICSTR": "news"}),
    ("QALIAS", "TO.NEWS", {"TARGET": "NEWS", "TARGTYPE": "TOPIC"}),
)


class People(Entities):
    """joe is a clerk; boss may everything."""

    def __init__(self) -> None:
        self.groups = {"joe": ["clerks"]}
        self.asked: list[str] = []

    def groups_of(self, user: str) -> list[str]:
        self.asked.append(user)
        return self.groups.get(user, [])

    def is_privileged(self, user: str) -> bool:
        return user == "boss"


class World(Driver):
    """A queue manager that goes by its authority records. joe may connect."""

    def __init__(self) -> None:
        super().__init__(*OBJECTS)
        self.people = People()
        qm = self.qm
        qm.entities = self.people
        self.authority = ObjectAuthority(qm.catalogue, qm.authority_records, self.clock, self.people)
        qm.authority = self.authority
        self.grant("QMGR", SELF, "CONNECT")

    def grant(self, object_type: str, profile: str, words: str, entity: str = "joe", kind: str = PRINCIPAL) -> None:
        bits = 0
        for word in words.split():
            bits |= authorities.bits_of(word, object_type)
        assert authority_change.change(self.qm, object_type, profile, kind, entity, bits, 0)[0] == 0

    def revoke(self, object_type: str, profile: str, words: str, entity: str = "joe") -> None:
        bits = 0
        for word in words.split():
            bits |= authorities.bits_of(word, object_type)
        assert authority_change.change(self.qm, object_type, profile, PRINCIPAL, entity, 0, bits)[0] == 0

    def reason(
        self, name: str, options: int, user: str = "joe", q_mgr: str = "", alternate: str = "", object_type: int = 1
    ) -> int:
        """What an open ends with."""
        self.grant("QMGR", SELF, "CONNECT", user)
        od = MQOD()
        od.version = 4
        od.object_name, od.object_q_mgr_name, od.object_type = name, q_mgr, object_type
        od.alternate_user_id = alternate
        return opened(self.app(user=user), od, options)


def opened(app: App, od: MQOD, options: int) -> int:
    handle = app.qm.open(app.connection, od, options)
    return 0 if handle is not None else app.connection.reason


@pytest.fixture
def world() -> World:
    return World()


# -- connects and opens ------------------------------------------------------------------------------------------------


def test_nobody_connects_without_a_record(world: World) -> None:
    assert connect(world.qm, "app", "joe")[0] == 0
    assert connect(world.qm, "app", "ann")[0] == 2035
    assert connect(world.qm, "app", "boss")[0] == 0
    assert connect(world.qm, "queue manager", "")[0] == 0  # The queue manager itself.


def test_everybody_who_may_connect_may_look_for_policies_and_no_more(world: World) -> None:
    """Client libraries browse the queue on behalf of every application, before the first MQPUT1 to a queue."""
    assert world.reason(POLICY_QUEUE, MQOO_BROWSE) == 0
    for options in (MQOO_OUTPUT, MQOO_INPUT_SHARED, MQOO_SET, MQOO_BROWSE | MQOO_OUTPUT):
        assert world.reason(POLICY_QUEUE, options) == 2035


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("GET", MQOO_INPUT_SHARED),
        ("GET", mq.MQOO_INPUT_AS_Q_DEF),
        ("GET", mq.MQOO_INPUT_EXCLUSIVE),
        ("BROWSE", MQOO_BROWSE),
        ("PUT", MQOO_OUTPUT),
        ("INQ", MQOO_INQUIRE),
        ("SET", MQOO_SET),
        ("PUT PASSALL", MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT),
        ("PUT PASSID", MQOO_OUTPUT | mq.MQOO_PASS_IDENTITY_CONTEXT),
    ],
)
def test_an_open_takes_the_authority_of_each_option(world: World, words: str, options: int) -> None:
    for word in words.split():
        assert world.reason("Q", options) == 2035
        world.grant("QUEUE", "Q", word)
    assert world.reason("Q", options) == 0
    assert world.reason("Q", options | MQOO_BROWSE | MQOO_SET) == (2035)


def test_to_set_context_takes_authority_on_the_queue_manager_too(world: World) -> None:
    world.grant("QUEUE", "Q", "PUT SETALL SETID")
    assert world.reason("Q", MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT) == 2035
    world.grant("QMGR", SELF, "SETALL")
    assert world.reason("Q", MQOO_OUTPUT | MQOO_SET_ALL_CONTEXT) == 0
    assert world.reason("Q", MQOO_OUTPUT | MQOO_SET_IDENTITY_CONTEXT) == 2035


def test_the_name_that_is_opened_counts_not_what_it_leads_to(world: World) -> None:
    world.grant("QUEUE", "ALIAS", "PUT")
    world.grant("QUEUE", "REMOTE", "PUT")
    assert world.reason("ALIAS", MQOO_OUTPUT) == 0 and world.reason("Q", MQOO_OUTPUT) == 2035
    assert world.reason("REMOTE", MQOO_OUTPUT) == 0
    assert world.reason("REMOTE", MQOO_OUTPUT, q_mgr="QM1") == 0
    world.grant("QUEUE", "Q", "GET")
    assert world.reason("ALIAS", MQOO_INPUT_SHARED) == 2035


@pytest.mark.parametrize("q_mgr", ["QM2", "MANAGER"])
def test_a_queue_of_another_queue_manager_takes_put_on_the_transmission_queue(world: World, q_mgr: str) -> None:
    assert world.reason("THERE", MQOO_OUTPUT, q_mgr=q_mgr) == 2035
    world.grant("QUEUE", "QM2", "PUT")
    assert world.reason("THERE", MQOO_OUTPUT, q_mgr=q_mgr) == 0


def test_a_transmission_queue_itself_takes_setall(world: World) -> None:
    world.grant("QUEUE", "QM2", "PUT")
    assert world.reason("QM2", MQOO_OUTPUT) == 2035
    world.grant("QUEUE", "QM2", "SETALL")
    assert world.reason("QM2", MQOO_OUTPUT) == 2035
    world.grant("QMGR", SELF, "SETALL")
    assert world.reason("QM2", MQOO_OUTPUT) == 0


def test_another_users_authority_takes_altusr(world: World) -> None:
    world.grant("QUEUE", "Q", "PUT", "ann")
    options = MQOO_OUTPUT | MQOO_ALTERNATE_USER_AUTHORITY
    assert world.reason("Q", options, alternate="ann") == 2035
    world.grant("QMGR", SELF, "ALTUSR")
    assert world.reason("Q", options, alternate="ann") == 0
    assert world.reason("Q", options, alternate="bob") == 2035
    assert world.reason("Q", MQOO_OUTPUT) == 2035


def test_the_queue_manager_and_namelists_are_inquired_with_inq(world: World) -> None:
    assert world.reason("", MQOO_INQUIRE, object_type=MQOT_Q_MGR) == 2035
    assert world.reason("LIST", MQOO_INQUIRE, object_type=MQOT_NAMELIST) == 2035
    world.grant("QMGR", SELF, "INQ")
    world.grant("NAMELIST", "**", "INQ")
    assert world.reason("", MQOO_INQUIRE, object_type=MQOT_Q_MGR) == 0
    assert world.reason("LIST", MQOO_INQUIRE, object_type=MQOT_NAMELIST) == 0


@pytest.mark.parametrize(("model", "temporary"), [("MODEL", False), ("MODEL.TEMP", True)])
def test_who_makes_a_dynamic_queue_may_everything_with_it(world: World, model: str, temporary: bool) -> None:
    world.grant("QUEUE", model, "GET")
    assert world.reason(model, MQOO_INPUT_SHARED) == 2035  # It takes DSP on the model.
    world.grant("QUEUE", model, "DSP")
    app = world.app(user="joe")
    od = MQOD()
    od.object_name, od.dynamic_q_name = model, "REPLY.1"
    assert opened(app, od, MQOO_INPUT_SHARED) == 0 and od.object_name == "REPLY.1"
    assert world.reason("REPLY.1", MQOO_OUTPUT) == 0
    assert world.reason("REPLY.1", MQOO_OUTPUT, user="ann") == 2035
    assert (authority_change.find(world.qm, "QUEUE", "REPLY.1", PRINCIPAL, "joe") is None) == temporary
    for other in list(world.qm.connections.values()):
        for handle in list(other.handles.values()):
            if other is not app.connection:
                world.qm.close(other, handle)
    (handle,) = app.connection.handles.values()
    assert world.qm.close(app.connection, handle, 0 if temporary else MQCO_DELETE) == 0
    assert authority_change.find(world.qm, "QUEUE", "REPLY.1", PRINCIPAL, "joe") is None
    assert not temporary or world.reason("REPLY.1", MQOO_OUTPUT) == 2085


def test_to_delete_the_dynamic_queue_of_another_takes_dlt(world: World) -> None:
    boss = world.app(user="boss")
    od = MQOD()
    od.object_name, od.dynamic_q_name = "MODEL", "REPLY.2"
    assert opened(boss, od, MQOO_INPUT_SHARED) == 0
    (own,) = boss.connection.handles.values()
    assert world.qm.close(boss.connection, own) == 0
    world.grant("QUEUE", "REPLY.*", "GET")
    app = world.app(user="joe")
    handle = app.open("REPLY.2", MQOO_INPUT_SHARED)
    assert world.qm.close(app.connection, handle, MQCO_DELETE) == 2035
    world.grant("QUEUE", "REPLY.*", "DLT")
    assert world.qm.close(app.connection, handle, MQCO_DELETE) == 0


# -- topics ------------------------------------------------------------------------------------------------------------


def sub(world: World, topic: str, options: int, user: str = "joe", name: str = "", destination: str = "") -> int:
    world.grant("QMGR", SELF, "CONNECT", user)
    app = world.app(user=user)
    queue = None
    if destination:
        queue = app.open(destination, MQOO_INPUT_SHARED)
    sd = MQSD()
    sd.object_string, sd.options, sd.sub_name = topic, options, name
    made = world.qm.subscribe(app.connection, sd, queue)
    reason = app.connection.reason if made is None else 0
    disconnect(world.qm, app.connection)
    return reason


def test_authority_on_a_topic_holds_for_all_below_it(world: World) -> None:
    managed = MQSO_CREATE | MQSO_MANAGED
    assert sub(world, "news/sport", managed) == 2035
    world.grant("TOPIC", "NEWS", "SUB")
    assert sub(world, "news/sport", managed) == 0 and sub(world, "news/#", managed) == 0
    assert sub(world, "#", managed) == 2035 and sub(world, "weather", managed) == 2035
    world.grant("TOPIC", "SYSTEM.BASE.TOPIC", "SUB", "clerks", GROUP)
    assert sub(world, "#", managed) == 0


def test_a_publisher_takes_pub_by_topic_string_and_by_alias(world: World) -> None:
    world.grant("QUEUE", "TO.NEWS", "PUT")
    assert world.reason("NEWS", MQOO_OUTPUT, object_type=mq.MQOT_TOPIC) == 2035
    assert world.reason("TO.NEWS", MQOO_OUTPUT) == 2035
    world.grant("TOPIC", "NEWS", "PUB")
    assert world.reason("NEWS", MQOO_OUTPUT, object_type=mq.MQOT_TOPIC) == 0
    assert world.reason("TO.NEWS", MQOO_OUTPUT) == 0


def test_a_subscription_takes_put_on_the_queue_that_it_names(world: World) -> None:
    world.grant("TOPIC", "NEWS", "SUB")
    world.grant("QUEUE", "Q", "GET")
    assert sub(world, "news", MQSO_CREATE, destination="Q") == 2035
    world.grant("QUEUE", "Q", "PUT")
    assert sub(world, "news", MQSO_CREATE, destination="Q") == 0


def test_to_resume_takes_resume_or_sub(world: World) -> None:
    durable = MQSO_MANAGED | MQSO_DURABLE
    world.grant("TOPIC", "NEWS", "SUB")
    assert sub(world, "news", durable | MQSO_CREATE, name="s") == 0
    world.revoke("TOPIC", "NEWS", "SUB")
    assert sub(world, "news", durable | MQSO_RESUME, name="s") == 2035
    world.grant("TOPIC", "NEWS", "RESUME")
    assert sub(world, "news", durable | MQSO_RESUME, name="s") == 0
    alternate = durable | MQSO_RESUME | MQSO_ALTERNATE_USER_AUTHORITY
    assert sub(world, "news", alternate, name="s", user="boss") == 2434  # Who may is told that it is another's.


# -- which record counts -----------------------------------------------------------------------------------------------


def test_only_the_most_specific_profile_counts_and_groups_add_to_it(world: World) -> None:
    world.grant("QUEUE", "ORDERS.*", "PUT GET")
    world.grant("QUEUE", "ORDERS.I*", "BROWSE")
    assert world.reason("ORDERS.OUT", MQOO_OUTPUT) == 0
    assert world.reason("ORDERS.IN", MQOO_OUTPUT) == 2035 and world.reason("ORDERS.IN", MQOO_BROWSE) == 0
    world.grant("QUEUE", "**", "PUT", "clerks", GROUP)
    assert world.reason("ORDERS.IN", MQOO_OUTPUT | MQOO_BROWSE) == 0
    world.grant("QUEUE", "ORDERS.IN", "NONE")
    assert world.reason("ORDERS.IN", MQOO_BROWSE) == 2035


def test_everybody_is_in_the_group_nobody(world: World) -> None:
    world.grant("QUEUE", "Q", "PUT", "nobody", GROUP)
    assert world.reason("Q", MQOO_OUTPUT, user="stranger") == 0


def test_a_change_of_records_counts_at_once(world: World) -> None:
    world.grant("QUEUE", "Q", "PUT")
    assert world.reason("Q", MQOO_OUTPUT) == 0
    world.revoke("QUEUE", "Q", "PUT")
    assert world.reason("Q", MQOO_OUTPUT) == 2035
    assert authority_change.delete(world.qm, "QUEUE", "Q", PRINCIPAL, "joe")[0] == 0
    assert authority_change.delete(world.qm, "QUEUE", "Q", PRINCIPAL, "joe")[0] == 2085


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_a_refusal_names_user_object_what_is_missing_and_the_record(world: World) -> None:
    world.grant("QUEUE", "ORDERS.**", "BROWSE")
    assert world.reason("ORDERS.IN", MQOO_OUTPUT | MQOO_INQUIRE) == 2035
    ((number, text),) = world.qm.notices
    assert number == "AMQ8077W" and "'joe'" in text and "queue ORDERS.IN" in text and "inq,put" in text
    assert "ORDERS.** PRINCIPAL(joe) BROWSE" in text
    (kept,) = world.qm.refusals
    assert kept.reason == 2035 and kept.time_ms == world.clock.now_ms()
    assert kept.remedies == [
        "SET AUTHREC PROFILE('ORDERS.IN') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(INQ,PUT)",
        "setmqaut -m QM1 -n 'ORDERS.IN' -t queue -p joe +inq +put",
    ]


def test_the_last_refusals_are_kept_and_no_more(world: World) -> None:
    for _ in range(KEPT_MAX + 5):
        assert connect(world.qm, "app", "ann")[0] == 2035
    assert len(world.qm.refusals) == KEPT_MAX
    assert world.qm.refusals[0].remedies[0] == "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann') AUTHADD(CONNECT)"


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "kind", "object_type", "profile", "word"),
    [
        ("DISPLAY", "QLOCAL", "QUEUE", "Q", "DSP"),
        ("ALTER", "QALIAS", "QUEUE", "Q", "CHG"),
        ("DELETE", "QUEUE", "QUEUE", "Q", "DLT"),
        ("CLEAR", "QLOCAL", "QUEUE", "Q", "CLR"),
        ("DEFINE", "QLOCAL", "QUEUE", "@class", "CRT"),
        ("START", "CHANNEL", "CHANNEL", "Q", "CTRL"),
        ("RESET", "CHANNEL", "CHANNEL", "Q", "CTRLX"),
        ("DISPLAY", "QMGR", "QMGR", SELF, "DSP"),
        ("ALTER", "QMGR", "QMGR", SELF, "CHG"),
        ("SET", "AUTHREC", "QMGR", SELF, "CHG"),
        ("DISPLAY", "AUTHREC", "QMGR", SELF, "DSP"),
        ("RESET", "QLOCAL", "QMGR", SELF, "CHG"),
        ("PING", "QMGR", "QMGR", SELF, "DSP"),
        ("DELETE", "STGCLASS", "QMGR", SELF, "CHG"),
    ],
)
def test_commands_take_authority_on_the_object_or_the_queue_manager(
    world: World, verb: str, kind: str, object_type: str, profile: str, word: str
) -> None:
    assert not world.authority.may_command("joe", verb, kind, "Q")
    world.grant(object_type, profile, word)
    assert world.authority.may_command("joe", verb, kind, "Q")
    assert world.authority.may_command("boss", verb, kind, "Q")


def test_who_defines_an_object_may_everything_with_it_until_it_is_deleted(world: World) -> None:
    admin = Admin(world.qm)
    admin.user = "joe"
    assert admin.define("QLOCAL", "OWN", {}, False) == 0
    assert world.reason("OWN", MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_SET) == 0
    for connection in list(world.qm.connections.values()):
        for handle in list(connection.handles.values()):
            world.qm.close(connection, handle)
    assert admin.delete("QLOCAL", "OWN", False) == 0
    admin.delete_authorities_of("QLOCAL", "OWN")
    assert authority_change.find(world.qm, "QUEUE", "OWN", PRINCIPAL, "joe") is None


def test_what_an_entity_may_is_told_with_its_groups(world: World) -> None:
    world.grant("QUEUE", "Q", "PUT")
    world.grant("QUEUE", "**", "GET", "clerks", GROUP)
    told = admin_security.entity_authority
    assert told(world.qm, "QUEUE", "Q", PRINCIPAL, "joe") == ["GET", "PUT"]
    assert told(world.qm, "QUEUE", "Q", GROUP, "clerks") == ["GET"]
    assert told(world.qm, "QMGR", "", PRINCIPAL, "joe") == ["CONNECT"]
    assert told(world.qm, "QUEUE", "Q", PRINCIPAL, "boss") == authorities.words_of(authorities.BY_TYPE["QUEUE"])


# -- what is kept (B208-B212) ------------------------------------------------------------------------------------------


def test_answers_about_a_user_end_when_it_was_not_asked_about_for_timeout(world: World) -> None:
    """B212: TIMEOUT is minutes since last use, INTERVAL how often that is looked at; 54 and 12 unless altered."""
    row = admin_security.security(world.qm)
    assert row == {"TIMEOUT": 54, "INTERVAL": 12}
    admin_security.take_effect(world.qm)
    may = world.authority.may_connect
    may("ann")
    assert may("joe")
    world.people.asked.clear()
    for _ in range(5):  # 60 minutes, in which joe is asked about every interval and ann is not.
        world.clock.advance(12 * MINUTE_MS)
        assert may("joe")
    assert world.authority.kept() == (1, 1) and world.people.asked == []
    may("ann")
    assert world.people.asked == ["ann"]


def test_groups_are_asked_again_after_the_timeout_refresh_or_reverify(world: World) -> None:
    world.grant("QMGR", SELF, "CONNECT", "painters", GROUP)
    may = world.authority.may_connect
    assert not may("ann")
    world.people.groups["ann"] = ["painters"]
    assert not may("ann")  # What is kept is what was asked.
    admin = Admin(world.qm)
    assert admin.refresh_security("other") == 0 and not may("ann")
    assert admin.refresh_security("ann") == 0 and may("ann")
    world.people.groups.clear()
    assert may("ann")
    assert admin.refresh_security("") == 0 and not may("ann")


def test_interval_zero_keeps_for_ever_and_timeout_zero_until_the_next_look(world: World) -> None:
    admin = Admin(world.qm)
    assert admin.alter_security({"INTERVAL": 0, "TIMEOUT": 1}) == 0
    assert world.authority.may_connect("joe")
    world.clock.advance(10_080 * MINUTE_MS)
    world.authority.may_connect("ann")
    assert world.authority.kept() == (2, 0)
    assert admin.alter_security({"INTERVAL": 5, "TIMEOUT": 0}) == 0
    world.clock.advance(5 * MINUTE_MS)
    world.authority.may_connect("ann")
    assert world.authority.kept() == (1, 1)


def test_a_cached_answer_looks_at_no_record(world: World) -> None:
    world.grant("QUEUE", "**", "PUT")
    assert world.authority.may_open("joe", "QUEUE", "Q", MQOO_OUTPUT)
    before = world.authority.lookups
    for _ in range(100):
        assert world.authority.may_open("joe", "QUEUE", "Q", MQOO_OUTPUT)
        assert not world.authority.may_open("joe", "QUEUE", "Q", MQOO_BROWSE)
    assert world.authority.lookups == before


def test_ended_entries_are_used_again(world: World) -> None:
    """B211: timed-out entries go back to a pool, not to the system."""
    may = world.authority.may_connect
    for number in range(100):
        may(f"user{number}")
    world.authority.refresh()
    assert world.authority.kept() == (0, 100)
    for number in range(100):
        may(f"other{number}")
    assert world.authority.kept() == (100, 0)


@pytest.mark.skipif(sys.gettrace() is not None, reason="a tracer counts as memory")
def test_a_user_and_its_queues_take_no_more_room_than_in_the_reports(world: World) -> None:
    """B208: 8.80 KB for a user with one queue, 405 bytes for each further one. B209: 859 MB for 100,000 users."""
    may = world.authority.may_open
    names = [f"QUEUE.{number:05d}" for number in range(1000)]
    users = [f"u{number:05d}" for number in range(1000)]
    may("first", "QUEUE", "Q", MQOO_OUTPUT)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for user in users:
            may(user, "QUEUE", "Q", MQOO_OUTPUT)
        per_user = (tracemalloc.get_traced_memory()[0] - before) / len(users)
        before = tracemalloc.get_traced_memory()[0]
        for name in names:
            may("first", "QUEUE", name, MQOO_OUTPUT)
        per_name = (tracemalloc.get_traced_memory()[0] - before) / len(names)
    finally:
        tracemalloc.stop()
    assert 0 < per_user <= 8.80 * 1024 and per_user * 100_000 <= 859 * 1024 * 1024
    assert 0 < per_name <= 405


def test_what_is_kept_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flintmq.qmgr.authority.USERS_MAX", 3)
    monkeypatch.setattr("flintmq.qmgr.authority.NAMES_MAX", 3)
    if not hasattr(ObjectAuthority.kept, "__code__"):
        pytest.skip("the limits are constants of the compiled module")
    for number in range(10):
        world.authority.may_connect(f"user{number}")
        world.authority.may_open("joe", "QUEUE", f"Q{number}", MQOO_OUTPUT)
        assert world.authority.kept()[0] <= 3


def test_every_kind_of_object_has_a_type() -> None:
    assert [type_of(kind) for kind in ("QLOCAL", "QMODEL", "TOPIC", "STGCLASS", "SUB", "QMGR")] == [
        "QUEUE",
        "QUEUE",
        "TOPIC",
        "QMGR",
        "QMGR",
        "QMGR",
    ]


def test_only_a_privileged_user_says_what_a_service_runs(world: World) -> None:
    """Issue 14, item 13: a SERVICE runs programs as the queue manager's user, so no record lets DEFINE or ALTER it."""
    for profile in ("S", "@class"):
        world.grant("SERVICE", profile, "ALL")
    for verb, allowed in (("DEFINE", False), ("ALTER", False), ("START", True), ("STOP", True), ("DISPLAY", True)):
        assert world.authority.may_command("joe", verb, "SERVICE", "S") == allowed, verb
        assert world.authority.may_command("boss", verb, "SERVICE", "S")
    world.authority.may_command("joe", "DEFINE", "SERVICE", "S")
    denial = world.authority.denial
    assert denial is not None and denial.missing == []  # Nothing that a record could give.


def test_context_options_are_checked_for_the_application_and_access_for_the_alternate_user(world: World) -> None:
    """As in MQ: the dead-letter handler with PUTAUT(CTX) passes context for users who may only put."""
    world.grant("QMGR", SELF, "ALTUSR")
    world.grant("QUEUE", "Q", "PUT", "ann")
    options = MQOO_OUTPUT | MQOO_PASS_ALL_CONTEXT | MQOO_ALTERNATE_USER_AUTHORITY
    assert world.reason("Q", options, alternate="ann") == 2035
    world.grant("QUEUE", "Q", "PASSALL")
    assert world.reason("Q", options, alternate="ann") == 0
    assert world.reason("Q", options, alternate="eve") == 2035
