"""Issue 14, item 1: what the queue manager puts for the user of a message needs that user's authority.

joe may put to OPEN and to HIS, and publish and subscribe; SECRET, INITQ and the dead-letter queue are not joe's. boss
has full authority and gets from every queue.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flintmq.catalogue import authorities
from flintmq.catalogue.attributes import default_attributes
from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_RF_HEADER_2,
    MQFMT_XMIT_Q_HEADER,
    MQMT_REQUEST,
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQPMO_NO_CONTEXT,
    MQPMO_SET_IDENTITY_CONTEXT,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQSO_ALTER,
    MQSO_ALTERNATE_USER_AUTHORITY,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_MANAGED,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.reason import MQRC_NONE, MQRC_NOT_AUTHORIZED
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.mqi.xqh import MQXQH
from flintmq.qmgr import authority_change, expiry
from flintmq.qmgr.authority import ObjectAuthority
from flintmq.qmgr.authority_records import PRINCIPAL, SELF
from flintmq.qmgr.security import Entities
from tests.qmgr.conftest import App
from tests.qmgr.pubsub import Broker, drain, publish, refused, subscribe

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
FORBIDDEN = ("SECRET", "INITQ", "DLQ", COMMANDS, "TO.SECRET", "NOT.DEFINED")


class People(Entities):
    """boss has full authority. There are no groups."""

    def is_privileged(self, user: str) -> bool:
        return user == "boss"


class Guarded(Broker):
    """A queue manager that goes by its authority records."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("OPEN", "HIS", "SECRET", "INITQ", COMMANDS):
            self.define("QLOCAL", name)
        self.define("QALIAS", "TO.SECRET", {**default_attributes("QALIAS"), "TARGET": "SECRET"})
        self.define("QALIAS", "TO.OPEN", {**default_attributes("QALIAS"), "TARGET": "SECRET"})
        self.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
        self.guard()
        self.grant("QMGR", SELF, "CONNECT")
        for name in ("OPEN", "HIS", "TO.OPEN", CONTROL):
            self.grant("QUEUE", name, "PUT")
        self.grant("TOPIC", "SYSTEM.BASE.TOPIC", "PUB SUB")

    def guard(self) -> None:
        """Let authority records decide, from now on."""
        qm = self.qm
        qm.entities = People()
        qm.authority = ObjectAuthority(qm.catalogue, qm.authority_records, self.clock, qm.entities)

    def grant(self, object_type: str, profile: str, words: str, entity: str = "joe") -> None:
        bits = 0
        for word in words.split():
            bits |= authorities.bits_of(word, object_type)
        assert authority_change.change(self.qm, object_type, profile, PRINCIPAL, entity, bits, 0)[0] == 0

    def told(self) -> list[str]:
        """The numbers in the error log since the last time."""
        found = [number for number, _ in self.qm.notices]
        self.qm.notices.clear()
        return found


@pytest.fixture
def world() -> Iterator[Guarded]:
    made = Guarded()
    yield made
    made.qm.check()
    made.close()


@pytest.fixture
def joe(world: Guarded) -> App:
    return world.connect("attack", "joe")


@pytest.fixture
def boss(world: Guarded) -> App:
    return world.connect("reader", "boss")


def put(app: App, data: bytes = b"forged", reply_to_q: str = "SECRET", queue: str = "OPEN", **fields: Any) -> None:
    assert app.put(app.open(queue), data, reply_to_q=reply_to_q, **fields).reason == MQRC_NONE


def nothing_arrived(world: Guarded) -> None:
    for name in ("SECRET", "INITQ", "DLQ", COMMANDS, "QM2"):
        assert world.depth(name) == 0, name


# -- reports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_report_does_not_go_where_the_user_of_its_message_may_not_put(
    world: Guarded, joe: App, boss: App, name: str
) -> None:
    """COA, COD and expiration reports with all the data of the message; nor does the dead-letter queue get them."""
    put(joe, reply_to_q=name, report=MQRO_COA_WITH_FULL_DATA | MQRO_COD_WITH_FULL_DATA)
    assert boss.get("OPEN").reason == MQRC_NONE
    put(joe, reply_to_q=name, report=MQRO_EXPIRATION_WITH_FULL_DATA, expiry=10)
    world.clock.advance(1001)
    assert boss.drain("OPEN") == []
    nothing_arrived(world)
    assert world.told() == ["AMQ8077W", "AMQ9544W"] * 3


def test_a_report_goes_where_its_user_may_put_and_an_alias_counts_by_its_own_name(world: Guarded, joe: App) -> None:
    put(joe, reply_to_q="HIS", report=MQRO_COA_WITH_FULL_DATA)
    put(joe, reply_to_q="TO.OPEN", report=MQRO_COA_WITH_FULL_DATA)
    assert (world.depth("HIS"), world.depth("SECRET"), world.told()) == (1, 1, [])


def test_an_expiration_report_after_a_restart_is_checked_as_well(world: Guarded, joe: App) -> None:
    for name in ("SECRET", "HIS"):
        put(joe, reply_to_q=name, report=MQRO_EXPIRATION_WITH_FULL_DATA, expiry=10, persistence=1)
    world.log.flush()
    world.crash()
    world.guard()
    world.clock.advance(1001)
    expiry.refresh(world.qm, "*")
    while expiry.scan(world.qm, world.clock.now_ms()):
        pass
    assert (world.depth("OPEN"), world.depth("HIS")) == (0, 1)
    nothing_arrived(world)


def test_a_message_without_context_has_nobodys_authority(world: Guarded, joe: App) -> None:
    """A blank user is not the queue manager, who could put everywhere."""
    put(joe, options=MQPMO_NO_CONTEXT, report=MQRO_COA_WITH_FULL_DATA)
    nothing_arrived(world)


def test_the_user_that_an_application_has_set_counts(world: Guarded, joe: App) -> None:
    """As in MQ: who may set context may name somebody with more authority, or with less."""
    world.grant("QMGR", SELF, "SETID")
    world.grant("QUEUE", "OPEN", "SETID")
    handle = joe.open("OPEN", MQOO_OUTPUT | MQOO_SET_IDENTITY_CONTEXT)
    fields: dict[str, Any] = {"report": MQRO_COA_WITH_FULL_DATA, "options": MQPMO_SET_IDENTITY_CONTEXT}
    joe.put(handle, b"1", reply_to_q="SECRET", user_identifier="boss", **fields)
    joe.put(handle, b"2", reply_to_q="HIS", user_identifier="ann", **fields)
    assert (world.depth("SECRET"), world.depth("HIS")) == (1, 0)


def test_a_report_for_another_queue_manager_needs_authority_for_the_transmission_queue(
    world: Guarded, joe: App
) -> None:
    put(joe, reply_to_q="OPEN", reply_to_q_mgr="QM2", report=MQRO_COA_WITH_FULL_DATA)
    put(joe, reply_to_q="OPEN", reply_to_q_mgr="NO.SUCH.QM", report=MQRO_COA_WITH_FULL_DATA)
    nothing_arrived(world)
    world.grant("QUEUE", "QM2", "PUT")
    put(joe, reply_to_q="OPEN", reply_to_q_mgr="QM2", report=MQRO_COA_WITH_FULL_DATA)
    assert world.depth("QM2") == 1


def test_a_transmission_header_that_an_application_wrote_names_no_other_user(
    world: Guarded, joe: App, boss: App
) -> None:
    """The descriptor in an MQXQH is believed on a transmission queue only."""
    header = MQXQH()
    header.remote_q_name, header.remote_q_mgr_name = "SECRET", "QM1"
    header.msg_desc = MQMD()
    header.msg_desc.user_identifier = "boss"
    header.msg_desc.report = MQRO_EXPIRATION_WITH_FULL_DATA
    header.msg_desc.reply_to_q, header.msg_desc.reply_to_q_mgr = "SECRET", "QM1"
    put(
        joe,
        header.pack() + b"forged",
        format=MQFMT_XMIT_Q_HEADER,
        reply_to_q="HIS",
        report=MQRO_EXPIRATION_WITH_FULL_DATA,
        expiry=10,
    )
    world.clock.advance(1001)
    boss.drain("OPEN")
    nothing_arrived(world)
    assert boss.get("HIS").data == header.pack() + b"forged"


def test_a_report_for_the_dead_letter_queue_is_not_put_there_behind_a_header(world: Guarded, boss: App) -> None:
    """A dead-letter handler would take that header off, and find a forged one on the very queue that it reads."""
    forged = MQDLH()
    forged.dest_q_name, forged.dest_q_mgr_name = "SECRET", "QM1"
    world.define("QALIAS", "TO.DLQ", {**default_attributes("QALIAS"), "TARGET": "DLQ", "PUT": "DISABLED"})
    put(boss, forged.pack(), "TO.DLQ", format=MQFMT_DEAD_LETTER_HEADER, report=MQRO_COA_WITH_FULL_DATA)
    assert world.depth("DLQ") == 0 and world.told() == []  # No COA for a message with a dead-letter header.
    put(boss, forged.pack(), "TO.DLQ", report=MQRO_COA_WITH_FULL_DATA)
    assert world.depth("DLQ") == 0 and world.told() == ["AMQ9544W"]


# -- publications -----------------------------------------------------------------------------------------------------


def test_a_publisher_does_not_borrow_the_authority_of_a_subscriber(world: Guarded, joe: App, boss: App) -> None:
    """A copy has the user of its subscription. Its reports need the publisher's authority as well."""
    hsub = subscribe(boss, "news")
    for name in ("SECRET", "HIS"):
        publish(joe, "news", b"forged", reply_to_q=name, report=MQRO_COD_WITH_FULL_DATA)
    assert drain(boss, hsub) == [b"forged"] * 2
    assert world.depth("HIS") == 1
    nothing_arrived(world)


# -- commands of queued publish/subscribe -----------------------------------------------------------------------------


def command(app: App, psc: str, reply_to_q: str, **fields: Any) -> None:
    header = MQRFH2()
    header.folders = [f"<psc>{psc}</psc>"]
    values = {"msg_type": MQMT_REQUEST, "format": MQFMT_RF_HEADER_2, "encoding": MQENC_NATIVE, **fields}
    put(app, header.pack(), reply_to_q, CONTROL, coded_char_set_id=1208, **values)


def test_an_answer_of_queued_publish_subscribe_needs_the_authority_of_the_user(world: Guarded, joe: App) -> None:
    for name in ("SECRET", "DLQ", "HIS"):
        command(joe, "<Command>Publish</Command><Topic>a</Topic>", name)
    assert world.depth("HIS") == 1
    nothing_arrived(world)


def test_a_queued_command_without_context_has_nobodys_authority(world: Guarded, joe: App, boss: App) -> None:
    hsub = subscribe(boss, "a")
    command(joe, "<Command>Publish</Command><Topic>a</Topic>", "SECRET", options=MQPMO_NO_CONTEXT)
    command(joe, "<Command>RegSub</Command><Topic>b</Topic><QName>SECRET</QName>", "SECRET", options=MQPMO_NO_CONTEXT)
    publish(boss, "b", b"copied")
    assert drain(boss, hsub) == []
    nothing_arrived(world)


# -- another user's authority -----------------------------------------------------------------------------------------


def test_a_blank_alternate_user_is_nobody_and_not_the_queue_manager(world: Guarded, joe: App) -> None:
    """The dead-letter handler with PUTAUT(CTX) asks so for a message without context."""
    world.grant("QMGR", SELF, "ALTUSR")
    for alternate in ("", " ", "\0"):
        od = MQOD()
        od.version, od.object_name, od.alternate_user_id = 4, "SECRET", alternate
        assert joe.qm.open(joe.connection, od, MQOO_OUTPUT | MQOO_ALTERNATE_USER_AUTHORITY) is None
        assert joe.connection.reason == MQRC_NOT_AUTHORIZED
    options = MQSO_CREATE | MQSO_MANAGED | MQSO_ALTERNATE_USER_AUTHORITY
    assert refused(joe, "news", options, alternate_user_id=" ") == MQRC_NOT_AUTHORIZED


def test_define_sub_needs_put_on_its_destination(world: Guarded, boss: App) -> None:
    """A subscription puts on its destination for ever, and asks nobody again."""
    values = {**default_attributes("SUB"), "TOPICSTR": "news", "DESTCLAS": "PROVIDED"}
    world.admin.user = "joe"
    world.grant("QMGR", SELF, "CHG")
    assert world.admin.define_subscription("BAD", {**values, "DEST": "SECRET"}, False) == MQRC_NOT_AUTHORIZED
    assert world.admin.define_subscription("GOOD", {**values, "DEST": "HIS"}, False) == MQRC_NONE
    publish(boss, "news", b"copied")
    assert (world.depth("SECRET"), world.depth("HIS")) == (0, 1)
    handle = boss.open("HIS", MQOO_INPUT_SHARED)
    assert boss.get(handle).data == b"copied"


def test_a_subscription_is_not_altered_to_a_destination_that_its_user_may_not_put_to(
    world: Guarded, joe: App, boss: App
) -> None:
    """A handle for browsing is enough to name a destination, and not enough to have publications put there."""
    world.grant("QUEUE", "SECRET", "BROWSE")
    options = MQSO_CREATE | MQSO_DURABLE
    subscribe(joe, "news", options, queue=joe.open("HIS"), sub_name="SUB")
    again = joe.connection.handles[max(joe.connection.handles)]
    assert again.subscription is not None
    reason = refused(joe, "news", MQSO_ALTER | MQSO_DURABLE, queue=joe.open("SECRET", MQOO_BROWSE), hsub=again)
    assert reason == MQRC_NOT_AUTHORIZED
    publish(boss, "news", b"copied")
    assert (world.depth("SECRET"), world.depth("HIS")) == (0, 1)
