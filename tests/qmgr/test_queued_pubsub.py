"""The queued interface: commands in psc folders, and their answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flintmq.mqi.constants import (
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQMT_REPLY,
    MQMT_REQUEST,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQRO_NAN,
    MQRO_PAN,
    MQSO_CREATE,
)
from flintmq.mqi.reason import MQRC_INVALID_DESTINATION, MQRC_NO_MSG_AVAILABLE, MQRC_NONE
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.qmgr.kept import SUBSCRIBER_QUEUE
from flintmq.qmgr.security import Authority
from tests.qmgr.conftest import Answered, App
from tests.qmgr.pubsub import Broker, drain, open_subscription, properties, publish, refused, subscribe, take
from tests.qmgr.test_publish import Strict

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
STREAM = "SYSTEM.BROKER.DEFAULT.STREAM"


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.qm.check()
    made.close()


@pytest.fixture
def app(broker: Broker) -> App:
    return broker.connect()


def command(
    app: App,
    psc: str,
    data: bytes = b"",
    queue: str = CONTROL,
    folders: list[str] | None = None,
    syncpoint: bool = False,
    **fields: Any,
) -> Answered:
    """Put a command. It is a request, with queue C for the answer, unless fields say otherwise."""
    header = MQRFH2()
    header.format = MQFMT_STRING
    header.coded_char_set_id = 1208
    header.folders = [f"<psc>{psc}</psc>", *(folders or [])]
    values: dict[str, Any] = {
        "msg_type": MQMT_REQUEST,
        "reply_to_q": "C",
        "format": MQFMT_RF_HEADER_2,
        "encoding": MQENC_NATIVE,
        "coded_char_set_id": 1208,
        **fields,
    }
    return app.put(app.open(queue, MQOO_OUTPUT), header.pack() + data, syncpoint=syncpoint, **values)


def answer(app: App) -> str:
    """The pscr folder of the next answer."""
    got = app.get("C")
    assert (got.reason, got.md.msg_type, got.md.format) == (MQRC_NONE, MQMT_REPLY, MQFMT_RF_HEADER_2)
    return MQRFH2.unpack(got.data).folders[0]


OK = "<pscr><Completion>ok</Completion></pscr>"


def failed(reason: int, rest: str = "") -> str:
    return f"<pscr><Completion>error</Completion><Response><Reason>{reason}</Reason>{rest}</Response></pscr>"


def run(app: App, psc: str, data: bytes = b"", **fields: Any) -> str:
    """A command and its answer."""
    put = command(app, psc, data, **fields)
    assert put.reason == MQRC_NONE
    return answer(app)


def test_register_publish_and_deregister(broker: Broker, app: App) -> None:
    register = "<Command>RegSub</Command><Topic>a/#</Topic><QName>A</QName>"
    assert run(app, register) == OK
    assert run(app, "<Command>Publish</Command><Topic>a/b</Topic>", b"news", queue=STREAM) == OK
    got = app.get("A")
    header = MQRFH2.unpack(got.data)
    assert header.folders == ["<psc><Command>Publish</Command><Topic>a/b</Topic></psc>"]
    assert (header.format, got.data[header.struc_length :]) == (MQFMT_STRING, b"news")
    assert got.md.reply_to_q == ""
    assert run(app, register.replace("RegSub", "DeregSub")) == OK
    assert run(app, register.replace("RegSub", "DeregSub")) == failed(3073, "<Topic>a/#</Topic>")
    assert broker.qm.subscriptions.by_id == {}
    assert broker.depth(CONTROL) == broker.depth(STREAM) == 0


def test_queued_and_mqi_publications_reach_each_other(broker: Broker, app: App) -> None:
    hsub = subscribe(app, "a")
    run(app, "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>")
    run(app, "<Command>Publish</Command><Topic>a</Topic>", b"queued", folders=["<usr><color>red</color></usr>"])
    publish(app, "a", b"mqi")
    first = take(app, hsub)
    assert properties(first).value("color") == "red" and first.data.endswith(b"queued")
    assert b"<psc>" not in first.data
    assert drain(app, hsub) == [b"mqi"]
    assert [MQRFH2.unpack(data).folders[0] for data in app.drain("A")] == [
        "<psc><Command>Publish</Command><Topic>a</Topic></psc>"
    ] * 2


def test_the_reply_queue_is_the_default_destination(broker: Broker, app: App) -> None:
    assert command(app, "<Command>RegSub</Command><Topic>a</Topic>", reply_to_q="B").reason == MQRC_NONE
    assert app.get("B").md.msg_type == MQMT_REPLY
    publish(app, "a", b"1")
    assert app.get("B").data.endswith(b"1")


def test_correl_as_id_is_part_of_the_identity(broker: Broker, app: App) -> None:
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName><RegOpt>CorrelAsId</RegOpt>"
    assert run(app, psc) == failed(3080, "<Topic>a</Topic>")
    for correl_id in (b"1" * 24, b"2" * 24):
        assert run(app, psc, correl_id=correl_id) == OK
    publish(app, "a", b"1")
    assert sorted(app.get("A").md.correl_id[:1] for _ in range(2)) == [b"1", b"2"]
    assert run(app, psc.replace("RegSub", "DeregSub"), correl_id=b"1" * 24) == OK
    publish(app, "a", b"2")
    assert app.get("A").md.correl_id == b"2" * 24
    assert app.get("A").reason == MQRC_NO_MSG_AVAILABLE


def test_a_second_registration_changes_the_options(broker: Broker, app: App) -> None:
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>"
    assert run(app, psc + "<RegOpt>Pers</RegOpt>") == OK
    publish(app, "a", b"1", persistence=0)
    assert run(app, psc + "<RegOpt>NonPers</RegOpt>") == OK
    publish(app, "a", b"2", persistence=1)
    assert run(app, psc + "<RegOpt>PubOnReqOnly</RegOpt>") == OK
    publish(app, "a", b"3")
    assert [app.get("A").md.persistence for _ in range(2)] == [1, 0]
    assert app.get("A").reason == MQRC_NO_MSG_AVAILABLE
    assert len(broker.qm.subscriptions.by_id) == 1


def test_retained_publications_are_sent_on_registration_and_on_request(broker: Broker, app: App) -> None:
    publish_it = "<Command>Publish</Command><Topic>a</Topic><PubOpt>RetainPub</PubOpt>"
    assert run(app, publish_it, b"kept", queue=STREAM) == OK
    register = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName><RegOpt>InformIfRet</RegOpt>"
    assert run(app, register) == OK
    assert MQRFH2.unpack(app.get("A").data).folders == [
        "<psc><Command>Publish</Command><Topic>a</Topic><PubOpt>RetainPub</PubOpt><PubOpt>IsRetainedPub</PubOpt></psc>"
    ]
    update = "<Command>ReqUpdate</Command><Topic>a</Topic><QName>A</QName>"
    assert run(app, update) == OK
    assert app.get("A").data.endswith(b"kept")
    assert run(app, "<Command>DeletePub</Command><Topic>+</Topic>") == OK
    assert run(app, "<Command>DeletePub</Command><Topic>a</Topic>") == failed(3077, "<Topic>a</Topic>")
    assert run(app, update) == failed(3077, "<Topic>a</Topic>")
    assert run(app, update.replace("<Topic>a<", "<Topic>b<")) == failed(3073, "<Topic>b</Topic>")


def test_a_publisher_may_leave_itself_out(broker: Broker, app: App) -> None:
    for queue in ("A", "B"):
        run(app, f"<Command>RegSub</Command><Topic>a</Topic><QName>{queue}</QName>")
    psc = "<Command>Publish</Command><Topic>a</Topic><QName>A</QName><PubOpt>OtherSubsOnly</PubOpt>"
    assert run(app, psc, b"1") == OK
    assert (broker.depth("A"), broker.depth("B")) == (0, 1)


def test_filters_are_selectors(broker: Broker, app: App) -> None:
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName><Filter>Root.MQMD.Priority &gt; 4</Filter>"
    assert run(app, psc) == OK
    for priority in (3, 7):
        publish(app, "a", str(priority).encode(), priority=priority)
    assert [data[-1:] for data in app.drain("A")] == [b"7"]
    assert run(app, psc.replace("&gt; 4", "&gt;")) == failed(3150, "<Filter>Root.MQMD.Priority &gt;</Filter>")


def test_partial_failure_is_a_warning_that_names_the_topic(broker: Broker) -> None:
    broker.qm.authority = Strict()
    broker.topic("ANNA", "a")
    anna = broker.connect(user="anna")
    said = run(anna, "<Command>RegSub</Command><Topic>a/b</Topic><Topic>b</Topic><QName>A</QName>")
    assert said == (
        "<pscr><Completion>warning</Completion><Response><Reason>3081</Reason><Topic>b</Topic></Response></pscr>"
    )
    assert [each.topic_string for each in broker.qm.subscriptions.everything()] == ["a/b"]
    assert run(anna, "<Command>Publish</Command><Topic>b</Topic>") == failed(3081, "<Topic>b</Topic>")


class OnlyHere(Authority):
    """anna may put to A, and to nothing else of this queue manager but the queues for commands."""

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        return user != "anna" or name in ("A", "C", CONTROL, STREAM)

    def may_open_remote(self, user: str, transmission_queue: str, options: int) -> bool:
        return user != "anna"


def test_a_subscriber_needs_authority_for_its_queue(broker: Broker) -> None:
    """As for MQSUB: whoever may subscribe could else publish to any queue."""
    broker.define("QLOCAL", "QM2", {"USAGE": "XMITQ"})
    broker.qm.authority = OnlyHere()
    anna = broker.connect(user="anna")
    psc = "<Command>RegSub</Command><Topic>a</Topic>"
    assert run(anna, psc + "<QName>B</QName>") == failed(3081, "<QName>B</QName>")
    assert run(anna, psc + "<QName>A</QName><QMgrName>QM2</QMgrName>") == failed(3081, "<QName>A</QName>")
    assert broker.qm.subscriptions.by_id == {}
    assert run(anna, psc + "<QName>A</QName>") == OK


@pytest.mark.parametrize(
    ("psc", "said"),
    [
        ("<Command>Nonsense</Command>", failed(2336, "<Command>Nonsense</Command>")),
        ("", failed(2336, "<Command></Command>")),
        ("<Command>RegSub</Command><QName>A</QName>", failed(2339, "<Topic></Topic>")),
        ("<Command>Publish</Command>", failed(2339, "<Topic></Topic>")),
        ("<Command>DeregSub</Command>", failed(2339, "<Topic></Topic>")),
        ("<Command>Publish</Command><Topic>a</Topic><RegOpt>x</RegOpt>", failed(2337, "<RegOpt>x</RegOpt>")),
        (
            "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName><QName>B</QName>",
            failed(2338, "<QName>B</QName>"),
        ),
        ("<Command>ReqUpdate</Command><Topic>a</Topic><Topic>b</Topic>", failed(2338, "<Topic>b</Topic>")),
        ("<Command>RegSub</Command><Topic>a</Topic><RegOpt>x</RegOpt>", failed(3083, "<RegOpt>x</RegOpt>")),
        ("<Command>Publish</Command><Topic>a</Topic><PubOpt>x</PubOpt>", failed(3084, "<PubOpt>x</PubOpt>")),
        ("<Command>DeletePub</Command><Topic>a</Topic><DelOpt>x</DelOpt>", failed(3087, "<DelOpt>x</DelOpt>")),
        ("<Command>Publish</Command><Topic>a/+</Topic>", failed(3072, "<Topic>a/+</Topic>")),
        ("<Command>RegSub</Command><Topic></Topic>", failed(3072, "<Topic></Topic>")),
        ("<Command>RegSub</Command><Topic>a</Topic><QName>NO</QName>", failed(3076, "<QName>NO</QName>")),
        ("<Command>RegSub</Command><Topic>a</Topic><SubPoint>x</SubPoint>", failed(2337, "<SubPoint>x</SubPoint>")),
    ],
)
def test_a_bad_command_is_answered_with_its_reason(broker: Broker, psc: str, said: str) -> None:
    app = broker.connect()
    assert run(app, psc) == said
    assert broker.qm.subscriptions.by_id == {} and broker.depth(CONTROL) == 0


def test_who_wants_an_answer_gets_one(broker: Broker, app: App) -> None:
    good, bad = "<Command>Publish</Command><Topic>a</Topic>", "<Command>Publish</Command>"
    for report, answers in ((0, 0), (MQRO_PAN, 1), (MQRO_NAN, 1), (MQRO_PAN | MQRO_NAN, 2)):
        for psc in (good, bad):
            assert command(app, psc, msg_type=8, report=report).reason == MQRC_NONE
        assert len(app.drain("C")) == answers
    assert len(app.drain("DLQ")) == 2  # What nobody was told of: one with no report options, one with MQRO_PAN only.


def test_what_is_no_command_goes_to_the_dead_letter_queue(broker: Broker, app: App) -> None:
    app.put(CONTROL, b"rubbish")
    app.put(CONTROL, b"RFH rubbish", format=MQFMT_RF_HEADER_2, encoding=MQENC_NATIVE)
    assert broker.depth(CONTROL) == 0 and broker.depth("DLQ") == 2


def test_commands_wait_for_the_commit_and_for_psmode(broker: Broker, app: App) -> None:
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>"
    command(app, psc, syncpoint=True)
    assert broker.qm.subscriptions.by_id == {}
    app.backout()
    assert broker.depth(CONTROL) == 0 and broker.depth("C") == 0
    command(app, psc, syncpoint=True)
    app.commit()
    assert len(broker.qm.subscriptions.by_id) == 1 and answer(app) == OK
    assert broker.admin.alter("QMGR", "QM1", {"PSMODE": "COMPAT"}, False) == 0
    command(app, psc.replace("RegSub", "DeregSub"))
    assert broker.depth(CONTROL) == 1
    assert broker.admin.alter("QMGR", "QM1", {"PSMODE": "ENABLED"}, False) == 0
    assert broker.qm.subscriptions.by_id == {} and answer(app) == OK


def test_subscriptions_are_durable_unless_their_queue_is_temporary(broker: Broker, app: App) -> None:
    broker.define("QMODEL", "MODEL", {"DEFTYPE": "TEMPDYN"})
    temporary = app.open("MODEL", MQOO_INPUT_SHARED)
    run(app, f"<Command>RegSub</Command><Topic>a</Topic><QName>{temporary.object_name}</QName>")
    run(app, "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName><SubName>mine</SubName>")
    assert broker.depth(SUBSCRIBER_QUEUE) == 1
    broker.log.flush()
    broker.crash()
    assert list(broker.qm.subscriptions.by_name) == ["mine"]
    app = broker.connect()
    publish(app, "a", b"1")
    assert app.get("A").data.endswith(b"1")
    assert run(app, "<Command>DeregSub</Command><SubName>mine</SubName>") == OK


def test_a_command_that_a_crash_left_is_carried_out_once_at_the_start(broker: Broker, app: App) -> None:
    """The command was got, published and answered in one unit of work: after a crash all of it happened, or none."""
    run(app, "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>")
    broker.qm.queued_enabled = False
    command(app, "<Command>Publish</Command><Topic>a</Topic>", b"once", persistence=1)
    broker.log.flush()
    for _ in range(3):
        broker.crash()
        assert broker.depth(CONTROL) == 0 and broker.depth("A") == 1 and broker.depth("C") == 1


def test_all_subscriptions_of_a_queue_can_be_ended_at_once(broker: Broker, app: App) -> None:
    for topic in ("a", "b"):
        run(app, f"<Command>RegSub</Command><Topic>{topic}</Topic><QName>A</QName>")
    run(app, "<Command>RegSub</Command><Topic>c</Topic><QName>B</QName>")
    assert run(app, "<Command>DeregSub</Command><QName>A</QName><RegOpt>DeregAll</RegOpt>") == OK
    assert [each.topic_string for each in broker.qm.subscriptions.everything()] == ["c"]


def test_only_its_user_may_end_a_subscription(broker: Broker) -> None:
    anna, otto = broker.connect(user="anna"), broker.connect(user="otto")
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>"
    run(anna, psc)
    assert run(otto, psc.replace("RegSub", "DeregSub")) == failed(3151, "<Topic>a</Topic>")
    run(anna, psc + "<RegOpt>VariableUserId</RegOpt>")
    assert run(otto, psc.replace("RegSub", "DeregSub")) == OK


def test_publications_never_go_to_the_queues_of_commands(broker: Broker, app: App) -> None:
    """A copy there would be a command to publish it again."""
    psc = f"<Command>RegSub</Command><Topic>a</Topic><QName>{CONTROL}</QName>"
    assert run(app, psc) == failed(3076, f"<QName>{CONTROL}</QName>")
    assert refused(app, "a", MQSO_CREATE, queue=app.open(STREAM, MQOO_INPUT_SHARED)) == MQRC_INVALID_DESTINATION
    hsub = subscribe(app, "a", MQSO_CREATE, queue=app.open("A", MQOO_INPUT_SHARED))
    assert hsub.subscription is not None
    open_subscription(hsub).dest_queue, open_subscription(hsub).queue = CONTROL, None
    publish(app, "a", b"1")
    assert broker.depth(CONTROL) == 0 and broker.depth("DLQ") == 1


# -- identities, names, subscription points ---------------------------------------------------------------------------


def test_identities_share_a_subscription_until_the_last_has_left(app: App) -> None:
    def register(identity: str, option: str) -> str:
        more = f"<SubIdentity>{identity}</SubIdentity>" if identity else ""
        psc = f"<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>{more}"
        return run(app, psc + (f"<RegOpt>{option}</RegOpt>" if option else ""))

    def leave(identity: str, option: str = "") -> str:
        more = f"<SubIdentity>{identity}</SubIdentity>" if identity else ""
        more += f"<RegOpt>{option}</RegOpt>" if option else ""
        return run(app, f"<Command>DeregSub</Command><Topic>a</Topic><QName>A</QName>{more}")

    assert register("one", "JoinShared") == OK
    assert register("two", "JoinShared") == OK
    assert register("two", "JoinShared") == failed(3157, "<SubIdentity>two</SubIdentity>")
    assert register("three", "JoinExcl") == failed(3155, "<SubIdentity>three</SubIdentity>")
    assert "<Reason>3154</Reason>" in register("", "JoinShared")
    assert leave("three") == failed(3154, "<SubIdentity>three</SubIdentity>")
    assert leave("one") == OK
    assert register("two", "JoinExcl") == OK
    assert register("one", "JoinShared") == failed(3156, "<SubIdentity>one</SubIdentity>")
    assert leave("two", "LeaveOnly") == OK
    assert register("one", "Locked") == OK
    assert leave("one") == OK
    assert leave("one") == failed(3073, "<Topic>a</Topic>")


def test_identities_survive_a_restart(broker: Broker, app: App) -> None:
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName><SubIdentity>one</SubIdentity>"
    assert run(app, psc + "<RegOpt>JoinExcl</RegOpt>") == OK
    broker.log.flush()
    broker.crash()
    again = broker.connect()
    other = psc.replace("one", "two") + "<RegOpt>JoinShared</RegOpt>"
    assert run(again, other) == failed(3156, "<SubIdentity>two</SubIdentity>")


def test_a_subscription_gets_a_name_with_add_name(app: App) -> None:
    psc = "<Command>RegSub</Command><Topic>a</Topic><QName>A</QName>"
    assert run(app, psc) == OK
    assert run(app, psc + "<SubName>mine</SubName><RegOpt>AddName</RegOpt>") == OK
    assert run(app, "<Command>RegSub</Command><Topic>b</Topic><QName>A</QName>") == OK
    taken = "<Command>RegSub</Command><Topic>b</Topic><QName>A</QName><SubName>mine</SubName><RegOpt>AddName</RegOpt>"
    assert run(app, taken) == failed(3153, "<SubName>mine</SubName>")
    assert run(app, "<Command>DeregSub</Command><SubName>mine</SubName>") == OK
